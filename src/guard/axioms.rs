//! Axioms of a file: a proof that uses one of them was never complete.

use std::collections::HashSet;

use crate::lean::{self, DeclKind, Declaration, Mention, Outline, last_part};

/// The full names of the axioms that a text declares.
pub(super) fn of(outline: &Outline) -> impl Iterator<Item = String> {
    let axioms = outline.declarations.iter().filter(|one| one.kind == DeclKind::Axiom);
    axioms.filter_map(|one| one.name.clone())
}

/// Where a proof uses some axioms, given by their full names.
pub(super) fn uses(
    (text, outline): (&str, &Outline),
    proof: &Declaration,
    axioms: &HashSet<String>,
) -> Vec<Mention> {
    let Some(body) = proof.body_span.as_ref().filter(|_| !axioms.is_empty()) else {
        return Vec::new();
    };
    let last_parts: HashSet<&str> = axioms.iter().map(|name| last_part(name)).collect();
    let may_be = |written: &str| written.split('.').any(|part| last_parts.contains(part));
    let is_axiom = |meant: &String| {
        // `key.elim` uses `key`.
        let mut ends = meant.match_indices('.').map(|(at, _)| at).chain([meant.len()]);
        ends.any(|end| meant.get(..end).is_some_and(|head| axioms.contains(head)))
    };
    let mut found = lean::mentions(text, outline, body, may_be);
    found.retain(|one| body.contains(&one.span.start) && one.names.iter().any(is_axiom));
    found
}
