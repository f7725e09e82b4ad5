//! Open declarations that stand for a whole proof: one that says what the theorem says, and one that
//! says everything. A lemma with a gap for one step is how people work; this is `sorry` by another name.

use std::collections::HashMap;

use super::harmless_changes::claim;
use crate::lean::{self, DeclKind, Declaration, Outline, TokenKind, last_part};

/// Lemmas between a proof and a gap that are followed.
const DEEPEST: usize = 8;

#[derive(Debug)]
pub(super) struct Stands<'o>(Named<'o>);

impl<'o> Stands<'o> {
    /// Those of a text, and of others.
    pub(super) fn of(
        outline: &'o Outline,
        text: &'o str,
        others: impl Iterator<Item = (&'o str, &'o Outline)>,
    ) -> Self {
        // A type has no proof.
        let is_open = |one: &One<'o>| !one.0.gaps.is_empty() && !one.0.kind.is_type();
        let texts = std::iter::once((text, outline)).chain(others);
        let all = texts.flat_map(|(text, all)| all.declarations.iter().map(move |one| (one, text)));
        let (mut open, mut rest): (Vec<One<'o>>, Vec<One<'o>>) = all.partition(is_open);
        // A lemma that is left to one of them with the same statement is no more than that.
        for _ in 0..DEEPEST {
            let stands = Named::of(open.iter().copied());
            let (more, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|one| {
                let body = one.0.body(one.1).filter(|_| one.0.kind.is_proof() && !open.is_empty());
                body.is_some_and(|body| {
                    let named = stands.in_body(body);
                    let mut named = named.filter(|(.., open)| open.0.name != one.0.name);
                    named.any(|(.., open)| says(open, *one).is_some())
                })
            });
            rest = others;
            if more.is_empty() {
                break;
            }
            open.extend(more);
        }
        Self(Named::of(open.into_iter()))
    }

    /// One that a proof names whose body did not name it before; rather one to which all of the proof is
    /// left, with the reason.
    pub(super) fn newly_named(
        &self,
        before: &str,
        body: &str,
        proof: One<'_>,
    ) -> Option<(&'o str, Option<&'static str>)> {
        let named = self.0.in_body(body).filter(|(written, ..)| !before.contains(written));
        let named: Vec<_> = named.collect();
        let why = |written: &str, open: One<'_>| {
            says(open, proof).or_else(|| is_all_of(written, body).then_some("has a gap"))
        };
        let mut stands =
            named.iter().filter_map(|(written, full, open)| Some((*full, why(written, *open)?)));
        let stands = stands.next().map(|(full, says)| (full, Some(says)));
        stands.or_else(|| named.first().map(|(_, full, _)| (*full, None)))
    }

    /// What an open declaration says that a body names, to which all of the proof is left.
    pub(super) fn named(
        &self,
        body: &str,
        proof: One<'_>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Option<(&'o str, &'static str)> {
        let mut named = self.0.in_body(body).filter(|(_, full, _)| is_wanted(full));
        named.find_map(|(_, full, open)| Some((full, says(open, proof)?)))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        let alike = self.0.by_last.get(last_part(name));
        alike.is_some_and(|alike| alike.iter().any(|(full, _)| *full == name))
    }
}

/// Whether a proof is no more than a name applied to arguments: `by exact general a`.
fn is_all_of(written: &str, body: &str) -> bool {
    const BEFORE: [&str; 9] =
        [":=", "by", "exact", "apply", "refine", "simpa", "using", "show", "from"];
    let is_before = |word: &str| BEFORE.contains(&word) || matches!(word, "(" | "@");
    let is_step = |word: &str| matches!(word, "by" | ";" | "<;>" | "·" | "fun" | "▸" | "|>.");
    let tokens = lean::code(body);
    let mut rest = tokens.iter().skip_while(|token| is_before(token.text(body)));
    let Some(head) = rest.next() else { return false };
    let is_one_line = || body.get(head.end..).is_some_and(|rest| !rest.trim_end().contains('\n'));
    head.text(body) == written && is_one_line() && !rest.any(|token| is_step(token.text(body)))
}

/// Why an open declaration stands for a whole proof, if it does.
fn says((open, text): One<'_>, (proof, own): One<'_>) -> Option<&'static str> {
    let body = open.body(text).unwrap_or_default().trim_start_matches(['@', '(', ' ']);
    let is_gap = matches!(open.kind, DeclKind::Def | DeclKind::Abbrev)
        && ["sorryAx", "_root_.", "«sorryAx"].iter().any(|gap| body.starts_with(gap));
    if open.kind == DeclKind::Alias || is_gap {
        return Some("is another name for a gap");
    }
    let said = claim(open, text)?;
    if claim(proof, own).is_some_and(|other| other == said) {
        return Some("says the same and has a gap");
    }
    lean::is_absurd(open.signature(text)).then_some("says everything and has a gap")
}

/// So many names are looked for in a body before it is read.
const FEW_NAMES: usize = 8;

/// More declarations with the same last part of their names are not told apart.
const MOST_ALIKE: usize = 16;

/// Declarations that have names, by the last parts of these.
#[derive(Debug)]
pub(super) struct Named<'n> {
    by_last: HashMap<&'n str, Vec<(&'n str, One<'n>)>>,
}

/// A declaration with its text.
pub(super) type One<'n> = (&'n Declaration, &'n str);

impl<'n> Named<'n> {
    pub(super) fn of(all: impl Iterator<Item = One<'n>>) -> Self {
        let mut by_last: HashMap<_, Vec<_>> = HashMap::new();
        for (name, one) in all.filter_map(|one| Some((one.0.name.as_deref()?, one))) {
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
    ) -> impl Iterator<Item = (&'b str, &'n str, One<'n>)> {
        // To look for a few names takes less time than to read a body.
        let is_named =
            self.by_last.len() > FEW_NAMES || self.by_last.keys().any(|last| body.contains(*last));
        let tokens = if is_named { lean::lex(body) } else { Vec::new() };
        let names = tokens.into_iter().filter(|token| token.kind == TokenKind::Ident);
        // `boom.elim` names `boom`.
        let heads = |written: &'b str| {
            let dots = written.match_indices('.').filter_map(|(at, _)| written.get(..at));
            dots.chain([written])
        };
        names.map(|token| token.text(body)).flat_map(heads).flat_map(|written| {
            let alike = self.by_last.get(last_part(written)).into_iter().flatten();
            alike.filter_map(move |(full, one)| {
                lean::is_or_ends_in(full, written).then_some((written, *full, *one))
            })
        })
    }

    pub(super) fn first_in(&self, body: &str) -> Option<&'n str> {
        self.in_body(body).next().map(|(_, name, _)| name)
    }
}
