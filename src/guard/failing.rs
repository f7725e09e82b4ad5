//! Proofs that look finished and are not: Lean reported an error in them.

use std::collections::HashSet;

use super::Baseline;
use crate::lean::{self, Declaration, Outline};

/// Such proofs, as they were then: the key of each and its name, as a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failing(HashSet<String>);

impl Failing {
    /// The proofs of a text, open ones too, that have a line (from 1) with an error.
    pub fn at(text: &str, lines: &[usize]) -> Self {
        let declarations = lean::skim(text).declarations;
        let broken = declarations.iter().filter(|one| {
            let within = |line: &usize| (one.line..=one.end_line).contains(line);
            one.kind.is_proof() && lines.iter().any(within)
        });
        Self(broken.filter_map(|one| mark(one, text)).collect())
    }

    /// What [`Self::lines`] wrote.
    pub fn read(lines: &str) -> Self {
        Self(lines.lines().map(str::to_owned).collect())
    }

    /// A line for each of them.
    pub fn lines(&self) -> String {
        self.0.iter().flat_map(|line| [line, "\n"]).collect()
    }

    /// Leaves out what was proved at the beginning: that was finished before. Nothing is left where
    /// it is not known how the file began, and where something that was proved then is no longer in the file:
    /// it may be one of these under another name.
    #[must_use]
    pub fn without(mut self, first: &Baseline, now: &Outline) -> Self {
        let is_all_in = self.is_empty() || first.is_all_in(now);
        self.0.retain(|line| {
            let name = line.split_once(' ').map(|(_, name)| name);
            is_all_in && name.is_some_and(|name| first.began_without(name))
        });
        self
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a declaration of a text is one of them, with the same proof.
    pub fn has(&self, declaration: &Declaration, text: &str) -> bool {
        !self.is_empty() && mark(declaration, text).is_some_and(|mark| self.0.contains(&mark))
    }
}

/// The name and the key of the proof, which stays the same when only its layout changes.
fn mark(declaration: &Declaration, text: &str) -> Option<String> {
    let name = declaration.name.as_ref().filter(|name| !name.contains(char::is_whitespace))?;
    Some(format!("{} {name}", lean::layout_key(declaration.body(text)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lean_reported_is_known_again_until_it_changes() {
        let text = "theorem a : P := by\n  simp\n\ntheorem b : Q := by\n  omega\n";
        let broken = Failing::at(text, &[5]);
        assert_eq!(Failing::read(&broken.lines()), broken);
        let has = |text: &str| {
            let declarations = lean::skim(text).declarations;
            declarations.iter().map(|one| broken.has(one, text)).collect::<Vec<_>>()
        };
        assert_eq!(has(text), [false, true]);
        assert_eq!(has(&text.replace("  omega", "    omega -- try")), [false, true]);
        assert_eq!(has(&text.replace("omega", "simp")), [false, false]);
        let without =
            |first: &str, now: &str| broken.clone().without(&Baseline::of(first), &lean::skim(now));
        let unknown = broken.clone().without(&Baseline::default(), &lean::skim(text));
        assert!(without(text, text).is_empty() && unknown.is_empty());
        let first = text.replace("omega", "sorry");
        assert!(!without(&first, &first).is_empty());
        assert!(without(&first, &text.replace("theorem a", "theorem c")).is_empty());
        let open = text.replace("simp", "have : R := by omega\n  sorry");
        assert!(Failing::at(&open, &[2]).has(&lean::skim(&open).declarations[0], &open));
        assert!(Failing::at(text, &[3, 99]).is_empty());
        let no_lines = Failing::read("no line\n\n").without(&Baseline::of(""), &lean::skim(""));
        assert_eq!(no_lines.lines(), "no line\n");
    }
}
