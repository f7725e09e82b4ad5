//! What looks like another statement under the same name, and is not worth a refusal.

use std::collections::HashSet;

use super::baseline::Baseline;
use crate::lean::{Change, ChangeKind, Claim, Comparison, DeclKind, Declaration, Note, last_part};

/// Examples that make way for others: they have no name, so they are only paired by their order.
#[derive(Debug, Default)]
pub(super) struct Examples(HashSet<usize>);

impl Examples {
    /// The examples of a comparison that say something else than before.
    pub(super) fn replaced(comparison: &Comparison<'_>) -> Self {
        let reworded = [Note::BoundNames, Note::Renames, Note::Binders, Note::Names, Note::Wording];
        let changes = comparison.changes.iter().filter(|change| {
            change.change == ChangeKind::StatementChanged
                && change.kind == Some(DeclKind::Example)
                && change.name.is_none()
                && !reworded.contains(&change.note)
        });
        Self(changes.filter_map(|change| change.old).collect())
    }

    /// Whether a change is one of them.
    pub(super) fn contains(&self, change: &Change) -> bool {
        !self.0.is_empty() && change.old.is_some_and(|old| self.0.contains(&old))
    }
}

/// Whether a declaration came into the file in this session, and nobody can have relied on it.
pub(super) fn is_new_here(comparison: &Comparison<'_>, change: &Change, start: &Baseline) -> bool {
    let old = comparison.old_of(change);
    old.is_some_and(|old| start.is_new_here(old, comparison.before()))
}

/// Whether a theorem became another name of a declaration that says the same and has its proof:
/// `@[deprecated] alias foo := bar`.
pub(super) fn is_alias_of_it(comparison: &Comparison<'_>, change: &Change) -> bool {
    let (Some(old), Some(new)) = (comparison.old_of(change), comparison.new_of(change)) else {
        return false;
    };
    if new.kind != DeclKind::Alias {
        return false;
    }
    let target = new.body(comparison.after()).unwrap_or_default();
    let target = target.split_whitespace().next().unwrap_or_default();
    let claim = claim(old, comparison.before());
    let says_it = |one: &&Declaration| {
        let name = one.name.as_deref().unwrap_or_default();
        one.is_complete()
            && last_part(name) == last_part(target)
            && claim.is_some()
            && self::claim(one, comparison.after()) == claim
    };
    !target.is_empty() && comparison.new_outline().declarations.iter().any(|one| says_it(&one))
}

pub(super) fn claim(declaration: &Declaration, text: &str) -> Option<Claim> {
    let span = &declaration.statement_span;
    let start = declaration.name_span.as_ref().map_or(span.start, |name| name.end);
    Claim::of_signature(text.get(start..span.end)?)
}
