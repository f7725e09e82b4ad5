//! What looks like another statement under the same name, and is not worth a refusal.

use crate::lean::{Change, Claim, Comparison, DeclKind, Declaration, Note, last_part};

/// Whether a statement says the same in other words.
pub(super) fn is_reworded(note: Note) -> bool {
    matches!(note, Note::BoundNames | Note::Renames | Note::Binders | Note::Names | Note::Wording)
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
    let target = target(new, comparison.new.text());
    let claim = claim(old, comparison.old.text());
    let says_it = |one: &&Declaration| {
        let defines = !one.kind.is_proof();
        one.is_complete()
            && is_named(one, target)
            && claim.is_some()
            && self::claim(one, comparison.new.text()) == claim
            && (!defines || one.body(comparison.new.text()) == old.body(comparison.old.text()))
    };
    !target.is_empty() && comparison.new.outline().declarations.iter().any(|one| says_it(&one))
}

fn target<'t>(alias: &Declaration, text: &'t str) -> &'t str {
    alias.body(text).and_then(|body| body.split_whitespace().next()).unwrap_or_default()
}

fn is_named(declaration: &Declaration, name: &str) -> bool {
    declaration.name.as_deref().is_some_and(|own| last_part(own) == last_part(name))
}

/// Whether a theorem became a deprecated name of something that another file has: what that says is
/// not seen here, and its users are told to look.
pub(super) fn is_deprecated_alias(comparison: &Comparison<'_>, change: &Change) -> bool {
    let Some(new) = comparison.new_of(change).filter(|new| new.kind == DeclKind::Alias) else {
        return false;
    };
    let text = comparison.new.text();
    let target = target(new, text);
    let here = comparison.new.outline().declarations.iter().any(|one| is_named(one, target));
    let deprecated = text.get(new.span.clone()).is_some_and(|text| text.contains("deprecated"));
    deprecated && target.contains('.') && !here
}

pub(super) fn claim(declaration: &Declaration, text: &str) -> Option<Claim> {
    Claim::of_signature(declaration.signature(text))
}
