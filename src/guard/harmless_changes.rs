//! What looks like another statement under the same name, and is not worth a refusal.

use crate::lean::{Change, Claim, Comparison, DeclKind, Declaration, Note, last_part};

/// Whether a statement says the same in other words.
pub(super) fn is_reworded(note: Note) -> bool {
    matches!(note, Note::BoundNames | Note::Renames | Note::Binders | Note::Names | Note::Wording)
}

/// What became of a theorem that is another name now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alias {
    /// Of a declaration that says the same and has its proof: `@[deprecated] alias foo := bar`.
    Same,
    /// Of one that says more; or a deprecated name of something that another file has: what that says is not seen
    /// here, and its users are told to look.
    Noted,
}

pub(super) fn alias(comparison: &Comparison<'_>, change: &Change) -> Option<Alias> {
    let (before, after) = (comparison.old.text(), comparison.new.text());
    let old = comparison.old_of(change)?;
    let new = comparison.new_of(change).filter(|new| new.kind == DeclKind::Alias)?;
    let target = last_part(new.body(after)?.split_whitespace().next()?);
    let is_named = |one: &&Declaration| one.name.as_deref().map(last_part) == Some(target);
    let here: Vec<_> = comparison.new.outline().declarations.iter().filter(is_named).collect();
    let (said, side) = (claim(old, before), side(new, after));
    let is_same = |one: &&Declaration| {
        let says = match side {
            None => claim(one, after),
            Some(side) => Claim::directions(one.signature(after))
                .and_then(|directions| directions.into_iter().nth(side)),
        };
        let is_it = said.is_some() && says == said;
        is_it && one.is_complete() && (one.kind.is_proof() || one.body(after) == old.body(before))
    };
    let is_stronger = |one: &&Declaration| {
        one.is_complete() && one.kind.is_proof() && comparison.says_as_much(old, one)
    };
    let is_deprecated = || after.get(new.span.clone()).is_some_and(|it| it.contains("deprecated"));
    if here.iter().any(is_same) {
        Some(Alias::Same)
    } else {
        let is_more = side.is_none() && here.iter().any(is_stronger);
        (is_more || here.is_empty() && is_deprecated()).then_some(Alias::Noted)
    }
}

/// Which direction of an equivalence an alias names: `f` the first, `g` the second in `alias ⟨f, g⟩ := h`.
fn side(alias: &Declaration, text: &str) -> Option<usize> {
    let (_, names) = alias.statement(text).split_once('⟨')?;
    let own = alias.name.as_deref().map(last_part)?;
    names.split('⟩').next()?.split(',').position(|name| last_part(name.trim()) == own)
}

pub(super) fn claim(declaration: &Declaration, text: &str) -> Option<Claim> {
    Claim::of_signature(declaration.signature(text))
}
