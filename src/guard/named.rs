//! Declarations by the last parts of their names: which of them a body names.

use std::collections::HashMap;

use crate::lean::{self, TokenKind, last_part};

/// More declarations with the same last part of their names are not told apart.
const MOST_ALIKE: usize = 16;

/// Some declarations of a text.
#[derive(Debug)]
pub(super) struct Named<'n, T> {
    by_last: HashMap<&'n str, Vec<(&'n str, T)>>,
}

impl<'n, T> Named<'n, T> {
    /// Declarations with their full names.
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

    pub(super) fn is_empty(&self) -> bool {
        self.by_last.is_empty()
    }

    /// Those that a body names, in full or in an opened namespace: as it names them, and in full.
    pub(super) fn in_body<'b>(
        &'b self,
        body: &'b str,
    ) -> impl Iterator<Item = (&'b str, &'n str, &'b T)> {
        let tokens = if self.is_empty() { Vec::new() } else { lean::lex(body) };
        let names = tokens.into_iter().filter(|token| token.kind == TokenKind::Ident);
        // `boom.elim` names `boom`.
        let heads = |written: &'b str| {
            let dots = written.match_indices('.').filter_map(|(at, _)| written.get(..at));
            dots.chain([written])
        };
        names.map(|token| token.text(body)).flat_map(heads).flat_map(|written| {
            let alike = self.by_last.get(last_part(written)).into_iter().flatten();
            alike.filter_map(move |(full, one)| {
                let head = full.strip_suffix(written)?;
                (head.is_empty() || head.ends_with('.')).then_some((written, *full, one))
            })
        })
    }
}
