//! Proofs in which Lean reported an error: they look finished, and nothing is lost with them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Baseline;
use crate::lean::{self, Declaration};

/// The names of such proofs, with keys that stay the same when only the layout changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failing(HashSet<(String, u64)>);

impl Failing {
    /// The proofs of a text that have a line (from 1) with an error.
    pub fn at(text: &str, lines: &[usize]) -> Self {
        let declarations = lean::skim(text).declarations;
        let broken = declarations.iter().filter(|one| {
            let within = |line: &usize| (one.line..=one.end_line).contains(line);
            one.kind.is_proof() && one.is_complete() && lines.iter().any(within)
        });
        Self(broken.filter_map(|one| mark(one, text)).collect())
    }

    pub fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// Leaves out what was proved at the beginning: that was finished before. Nothing is left where
    /// it is not known how the file began.
    #[must_use]
    pub fn without(mut self, first: &Baseline) -> Self {
        self.0.retain(|(name, _)| first.began_without(name));
        self
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, declaration: &Declaration, text: &str) -> bool {
        !self.is_empty() && mark(declaration, text).is_some_and(|mark| self.0.contains(&mark))
    }
}

fn mark(declaration: &Declaration, text: &str) -> Option<(String, u64)> {
    Some((declaration.name.clone()?, lean::layout_key(declaration.body(text)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lean_reported_is_known_again_until_it_changes() {
        let text = "theorem a : P := by\n  simp\n\ntheorem b : Q := by\n  omega\n";
        let broken = Failing::at(text, &[5]);
        let has = |text: &str| {
            let declarations = lean::skim(text).declarations;
            declarations.iter().map(|one| broken.has(one, text)).collect::<Vec<_>>()
        };
        assert_eq!(has(text), [false, true]);
        assert_eq!(has(&text.replace("  omega", "    omega -- try")), [false, true]);
        assert_eq!(has(&text.replace("omega", "simp")), [false, false]);
        let without = |first: &str| broken.clone().without(&Baseline::of(first));
        assert!(
            without(text).is_empty() && broken.clone().without(&Baseline::default()).is_empty()
        );
        assert!(!without(&text.replace("omega", "sorry")).is_empty());
        assert!(Failing::at(text, &[3, 99]).is_empty());
    }
}
