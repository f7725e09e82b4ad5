//! Open declarations that stand for a whole proof: one that says what the theorem says, and one that
//! says everything. A lemma with a gap for one step is how people work; this is `sorry` by another name.

use std::collections::HashMap;

use super::harmless_changes::claim;
use crate::lean::{self, Claim, DeclKind, Declaration, Outline, TokenKind, last_part};

/// What proves whatever is asked for.
const EVERYTHING: [&str; 4] = ["∀ p : Prop, p", "∀ p : Sort*, p", "∀ p : Type, p", "False"];

#[derive(Debug)]
pub(super) struct Stands<'o>(Named<'o, &'o Declaration>);

impl<'o> Stands<'o> {
    pub(super) fn of(outline: &'o Outline) -> Self {
        // A type has no proof.
        let is_open = |one: &&Declaration| !one.gaps.is_empty() && !one.kind.is_type();
        let open = outline.declarations.iter().filter(is_open);
        Self(Named::of(open.filter_map(|one| Some((one.name.as_deref()?, one)))))
    }

    /// To what a proof is left whose body did not name it before, in words.
    pub(super) fn left_to(
        &self,
        before: &str,
        body: &str,
        proof: &Declaration,
        text: &str,
    ) -> Option<String> {
        let mut named = self.0.in_body(body).filter(|(written, ..)| !before.contains(written));
        named.find_map(|(_, full, open)| {
            Some(format!("left to `{full}`, which {}", says(open, proof, text)?))
        })
    }
}

/// Why an open declaration stands for a whole proof, if it does.
fn says(open: &Declaration, proof: &Declaration, text: &str) -> Option<&'static str> {
    if open.kind == DeclKind::Alias {
        return Some("is another name for a gap");
    }
    let said = claim(open, text)?;
    if claim(proof, text).is_some_and(|other| other == said) {
        return Some("says the same and has a gap");
    }
    let everything = EVERYTHING.iter().filter_map(|one| Claim::of_proposition(one));
    everything.into_iter().any(|one| one == said).then_some("says everything and has a gap")
}

/// More declarations with the same last part of their names are not told apart.
const MOST_ALIKE: usize = 16;

#[derive(Debug)]
pub(super) struct Named<'n, T> {
    by_last: HashMap<&'n str, Vec<(&'n str, T)>>,
}

impl<'n, T> Named<'n, T> {
    pub(super) fn of(all: impl Iterator<Item = (&'n str, T)>) -> Self {
        let mut by_last: HashMap<_, Vec<_>> = HashMap::new();
        for (name, one) in all {
            let alike = by_last.entry(last_part(name)).or_default();
            if alike.len() < MOST_ALIKE {
                alike.push((name, one));
            }
        }
        Self { by_last }
    }

    /// Those that a body names, in full or in an opened namespace: as it names them, and in full.
    pub(super) fn in_body<'b>(
        &'b self,
        body: &'b str,
    ) -> impl Iterator<Item = (&'b str, &'n str, &'b T)> {
        let tokens = if self.by_last.is_empty() { Vec::new() } else { lean::lex(body) };
        let names = tokens.into_iter().filter(|token| token.kind == TokenKind::Ident);
        names.map(|token| token.text(body)).flat_map(|written| {
            let alike = self.by_last.get(last_part(written)).into_iter().flatten();
            alike.filter_map(move |(full, one)| {
                let head = full.strip_suffix(written)?;
                (head.is_empty() || head.ends_with('.')).then_some((written, *full, one))
            })
        })
    }
}
