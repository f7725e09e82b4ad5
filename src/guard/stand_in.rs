//! Open declarations that stand for a whole proof: one that says what the theorem says, and one that
//! says everything. A lemma with a gap for one step is how people work; this is `sorry` by another name.

use super::harmless_changes::claim;
use super::named::Named;
use crate::lean::{Change, Claim, Comparison, DeclKind, Declaration, Outline};

/// What proves whatever is asked for.
const EVERYTHING: [&str; 12] = [
    "∀ p : Prop, p",
    "∀ p : Sort*, p",
    "∀ p : Type, p",
    "False",
    "¬ True",
    "True = False",
    "0 = 1",
    "1 = 0",
    "(0 : Nat) = 1",
    "(1 : Nat) = 0",
    "(0 : ℕ) = 1",
    "(1 : ℕ) = 0",
];

/// Lemmas between a proof and a gap that are followed.
const DEEPEST: usize = 8;

/// The open declarations of a text.
#[derive(Debug)]
pub(super) struct Stands<'o>(Named<'o, &'o Declaration>);

impl<'o> Stands<'o> {
    /// The open declarations of an outline.
    pub(super) fn of(outline: &'o Outline, text: &str) -> Self {
        let named = |one: &&'o Declaration| one.name.is_some();
        let (mut open, mut rest): (Vec<&Declaration>, Vec<&Declaration>) =
            outline.declarations.iter().filter(named).partition(|one| is_open(one));
        // A lemma that is left to one of them with the same statement is no more than that.
        for _ in 0..DEEPEST {
            let stands = Self::among(&open);
            let (more, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|one| {
                let body = one.body(text).filter(|_| one.kind.is_proof() && !stands.0.is_empty());
                body.is_some_and(|body| {
                    let mut named =
                        stands.0.in_body(body).filter(|(.., open)| open.name != one.name);
                    named.any(|(.., open)| says(open, one, text).is_some())
                })
            });
            rest = others;
            if more.is_empty() {
                break;
            }
            open.extend(more);
        }
        Self::among(&open)
    }

    fn among(open: &[&'o Declaration]) -> Self {
        Self(Named::of(open.iter().filter_map(|one| Some((one.name.as_deref()?, *one)))))
    }

    /// One that a changed proof names now and did not name before, whatever it says.
    pub(super) fn newly_named(
        &self,
        comparison: &Comparison<'_>,
        change: &Change,
    ) -> Option<&'o str> {
        let old = comparison.old_of(change)?;
        let new = comparison.new_of(change).filter(|new| new.is_complete())?;
        if self.0.is_empty() || !old.kind.is_proof() || !old.is_complete() {
            return None;
        }
        let before = old.body(comparison.before()).unwrap_or_default();
        let mut named = self.0.in_body(new.body(comparison.after())?);
        named.find(|(written, ..)| !before.contains(written)).map(|(_, full, _)| full)
    }

    /// The one to which a changed proof is left, that was complete and did not name it, and what it
    /// says.
    pub(super) fn under_changed(
        &self,
        comparison: &Comparison<'_>,
        change: &Change,
    ) -> Option<(&'o str, &'static str)> {
        if self.0.is_empty() {
            return None;
        }
        let old =
            comparison.old_of(change).filter(|old| old.kind.is_proof() && old.is_complete())?;
        let new = comparison.new_of(change).filter(|new| new.is_complete())?;
        let text = comparison.after();
        let before = old.body(comparison.before()).unwrap_or_default();
        let body = new.body(text)?;
        let mut named = self.0.in_body(body).filter(|(written, ..)| !before.contains(written));
        named.find_map(|(_, full, one)| Some((full, says(one, new, text)?)))
    }
}

/// Whether something is missing in it that a proof could hide behind. A type has no proof.
fn is_open(declaration: &Declaration) -> bool {
    !declaration.gaps.is_empty() && !declaration.kind.is_type()
}

/// Why an open declaration stands for a whole proof, if it does.
fn says(open: &Declaration, proof: &Declaration, text: &str) -> Option<&'static str> {
    let body = open.body(text).unwrap_or_default().trim_start_matches(['@', '(', ' ']);
    let is_gap = matches!(open.kind, DeclKind::Def | DeclKind::Abbrev)
        && ["sorryAx", "_root_.", "«sorryAx"].iter().any(|gap| body.starts_with(gap));
    if open.kind == DeclKind::Alias || is_gap {
        return Some("is another name for a gap");
    }
    let said = claim(open, text)?;
    if claim(proof, text).is_some_and(|other| other == said) {
        return Some("says the same and has a gap");
    }
    let everything = EVERYTHING.iter().filter_map(|one| Claim::of_proposition(one));
    everything.into_iter().any(|one| one == said).then_some("says everything and has a gap")
}
