//! What looks like another statement under the same name, and is not worth a refusal.

use crate::lean::{Change, Claim, Comparison, DeclKind, Declaration, Note, last_part};

/// Whether a statement says the same in other words.
pub(super) fn is_reworded(note: Note) -> bool {
    matches!(note, Note::BoundNames | Note::Renames | Note::Binders | Note::Names | Note::Wording)
}

/// The name for which an alias stands that a declaration became, and what in the text may be meant by it.
fn aliased<'c>(
    comparison: &'c Comparison<'_>,
    change: &Change,
) -> Option<(&'c str, Vec<&'c Declaration>)> {
    let new = comparison.new_of(change).filter(|new| new.kind == DeclKind::Alias)?;
    let target = new.body(comparison.new.text())?.split_whitespace().next()?;
    let is_named = |one: &&Declaration| {
        one.name.as_deref().is_some_and(|own| last_part(own) == last_part(target))
    };
    let here = comparison.new.outline().declarations.iter().filter(is_named);
    Some((target, here.collect()))
}

/// Which direction of an equivalence an alias names: `f` the first, `g` the second in `alias ⟨f, g⟩ := h`.
fn side(comparison: &Comparison<'_>, change: &Change) -> Option<usize> {
    let new = comparison.new_of(change)?;
    let (_, names) = new.statement(comparison.new.text()).split_once('⟨')?;
    let names = names.split('⟩').next()?;
    let own = new.name.as_deref().map(last_part)?;
    names.split(',').position(|name| last_part(name.trim()) == own)
}

/// Whether a theorem became another name of a declaration that says the same and has its proof:
/// `@[deprecated] alias foo := bar`.
pub(super) fn is_alias_of_it(comparison: &Comparison<'_>, change: &Change) -> bool {
    let (old, aliased) = (comparison.old_of(change), aliased(comparison, change));
    let Some((old, (_, here))) = old.zip(aliased) else { return false };
    let (before, after) = (comparison.old.text(), comparison.new.text());
    let said = claim(old, before);
    let side = side(comparison, change);
    here.into_iter().any(|one| {
        let same_body = || one.body(after) == old.body(before);
        let says = match side {
            None => claim(one, after),
            Some(side) => Claim::directions(one.signature(after))
                .and_then(|directions| directions.into_iter().nth(side)),
        };
        let is_it = said.is_some() && says == said;
        one.is_complete() && is_it && (one.kind.is_proof() || same_body())
    })
}

/// Whether a theorem became another name of one that says more, or a deprecated name of something that another file
/// has: what that says is not seen here, and its users are told to look.
pub(super) fn is_deprecated_alias(comparison: &Comparison<'_>, change: &Change) -> bool {
    let (old, aliased) = (comparison.old_of(change), aliased(comparison, change));
    let Some((old, (_, here))) = old.zip(aliased) else { return false };
    let is_stronger = |one: &&Declaration| {
        one.is_complete() && one.kind.is_proof() && comparison.says_as_much(old, one)
    };
    if side(comparison, change).is_none() && here.iter().any(is_stronger) {
        return true;
    }
    let whole = comparison.new_of(change).map(|new| new.span.clone());
    let whole = whole.and_then(|span| comparison.new.text().get(span)).unwrap_or_default();
    whole.contains("deprecated") && here.is_empty()
}

pub(super) fn claim(declaration: &Declaration, text: &str) -> Option<Claim> {
    Claim::of_signature(declaration.signature(text))
}
