//! Proofs that rest on an axiom of their file: they are no proofs to lose, and no proof may become
//! one of them.

use super::policy::Policy;
use super::stand_in::Named;
use crate::lean::{Change, ChangeKind, Comparison, DeclKind, Outline};

#[derive(Debug)]
pub(super) struct Axioms<'n>(Named<'n, ()>);

impl<'n> Axioms<'n> {
    fn new(names: impl Iterator<Item = &'n str>) -> Self {
        Self(Named::of(names.map(|name| (name, ()))))
    }

    /// The axioms that a change takes out.
    pub(super) fn gone(comparison: &'n Comparison<'_>) -> Self {
        let removed = comparison.changes.iter().filter(|one| one.change == ChangeKind::Removed);
        let axioms = removed.filter(|one| one.kind == Some(DeclKind::Axiom));
        Self::new(axioms.filter_map(|one| one.name.as_deref()))
    }

    /// The axioms of an outline that are not allowed.
    pub(super) fn of(outline: &'n Outline, policy: &Policy) -> Self {
        let axioms = outline.declarations.iter().filter(|one| one.kind == DeclKind::Axiom);
        let names = axioms.filter_map(|one| one.name.as_deref());
        Self::new(names.filter(|name| !policy.allows(name)))
    }

    /// The first of them that a body names.
    pub(super) fn mentioned(&self, body: &str) -> Option<&'n str> {
        self.0.in_body(body).next().map(|(_, axiom, ())| axiom)
    }

    /// The one on which a lost proof rested. Not for a proof that stood otherwise when the session
    /// began: an axiom in between does not make it worthless.
    pub(super) fn under_lost(
        &self,
        comparison: &Comparison<'_>,
        change: &Change,
        policy: &Policy,
    ) -> Option<&'n str> {
        let old = comparison.old_of(change)?;
        let body = old.body(comparison.old.text())?;
        let otherwise = policy.baseline.proved_otherwise(old.name.as_deref()?, body);
        self.mentioned(body).filter(|_| !otherwise)
    }
}
