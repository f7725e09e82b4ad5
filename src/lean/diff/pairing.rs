//! Which old declaration is which new one: by full name, then by statement, then by body.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::lean::kind::DeclKind;
use crate::lean::records::Declaration;
use crate::lean::signature::{Around, Signature, Statements, print_all, print_of};
use crate::lean::token::TokenKind;
use crate::model::last_part;

/// Bodies with fewer lexemes say nothing about whose they are.
const TELLING_BODY: usize = 12;

/// Statements with fewer lexemes (`: True`) are not recognised.
const TELLING_STATEMENT: usize = 3;

/// Signatures of definitions with fewer lexemes say nothing about which definition it is.
const TELLING_SIGNATURE: usize = 8;

/// How often new pairs of names may lead to further ones.
const RENAMING_ROUNDS: usize = 3;

/// The pairs of indices of the same declaration, by the old index.
pub(super) fn pairs<'a>(old: &Statements<'a>, new: &Statements<'a>) -> Vec<(usize, usize)> {
    let mut matching = Matching {
        old,
        new,
        open_old: (0..old.outline.declarations.len()).collect(),
        open_new: (0..new.outline.declarations.len()).collect(),
        pairs: Vec::new(),
    };
    // Most are as they were, and nothing has to be read of them.
    matching.ends();
    matching.by(|side| Some((side.name(), side.written())));
    // Declarations that share a name are told apart by what they say.
    matching.by(|side| Some((side.name()?, side.exact(), side.body())));
    matching.by(|side| Some((side.name()?, side.exact())));
    matching.by(|side| Some((side.name()?, side.family(), side.telling_body()?)));
    matching.by(Side::name);
    matching.by(|side| side.name().is_none().then(|| (side.family(), side.exact(), side.body())));
    matching.by(|side| Some((side.family(), side.statement()?, side.body(), side.last_part())));
    matching.by(|side| Some((side.family(), side.statement()?, side.body())));
    matching.by(|side| Some((side.family(), side.statement()?, side.last_part()?)));
    matching.by(|side| Some((side.family(), side.telling_statement()?)));
    matching.by(|side| Some((side.telling_statement()?, side.telling_body()?)));
    matching.by(|side| side.telling_statement().filter(|_| side.states()));
    matching.by(|side| Some((side.family(), side.telling_body()?)));
    matching
        .by_if(|old, new| old == 1 && new == 1, |side| Some((side.family(), side.last_part()?)));
    for _ in 0..RENAMING_ROUNDS {
        matching.renamed();
    }
    matching.by_if(|old, new| old == new, |side| side.name().is_none().then_some(side.family()));
    matching.pairs.sort_unstable();
    matching.pairs
}

#[derive(Clone, Copy)]
pub(super) struct Side<'v, 'a> {
    pub(super) declaration: &'v Declaration,
    pub(super) text: &'v Statements<'a>,
    pub(super) index: usize,
}

impl<'v, 'a> Side<'v, 'a> {
    pub(super) fn signature(self) -> Option<&'v Signature<'a>> {
        self.text.signature(self.index)
    }

    pub(super) fn around(self) -> Option<&'v Around> {
        self.text.scopes.around.get(self.index)
    }

    pub(super) fn name(self) -> Option<&'v str> {
        self.declaration.name.as_deref()
    }

    fn last_part(self) -> Option<&'v str> {
        self.name().map(last_part)
    }

    pub(super) fn family(self) -> DeclKind {
        self.text.family(self.index)
    }

    /// The text of its statement, with its keyword and its name, and of its body.
    fn written(self) -> (&'v str, Option<&'v str>) {
        let text: &'v str = self.text.text;
        (self.declaration.statement(text), self.declaration.body(text))
    }

    fn exact(self) -> u64 {
        self.text.statement(self.index).map_or(0, |statement| statement.print)
    }

    fn body(self) -> Option<u64> {
        self.text.body(self.index).map(|body| body.print)
    }

    /// Whether two statements have the same lexemes.
    pub(super) fn states_as(self, other: Side<'_, '_>) -> bool {
        self.written().0 == other.written().0 || self.exact() == other.exact()
    }

    pub(super) fn has_body_of(self, other: Side<'_, '_>) -> bool {
        self.written() == other.written() || self.body() == other.body()
    }

    fn telling_body(self) -> Option<u64> {
        let body = self.text.body(self.index)?;
        (body.all.len() >= TELLING_BODY).then_some(body.print)
    }

    /// Whether what it says is more than what it is made of.
    pub(super) fn states(self) -> bool {
        self.family().is_proof() || self.family() == DeclKind::Instance
    }

    /// What it says, if it has so many lexemes.
    fn said(self, least: usize) -> Option<u64> {
        let length = self.text.statement(self.index)?.all.len();
        if length < least { None } else { self.signature().map(|signature| signature.renamed) }
    }

    fn statement(self) -> Option<u64> {
        self.said(1)
    }

    fn telling_statement(self) -> Option<u64> {
        self.said(if self.states() { TELLING_STATEMENT } else { TELLING_SIGNATURE })
    }

    /// The statement with the last parts of names, put through a renaming.
    fn with_names<'n>(self, renaming: impl Fn(&'v str) -> &'n str) -> Option<(DeclKind, u64)> {
        let statement = &self.text.statement(self.index)?.all;
        let prints = statement.iter().map(|lexeme| match lexeme.kind {
            TokenKind::Ident => print_of(renaming(last_part(lexeme.text(self.text.text)))),
            _ => print_of(lexeme.text(self.text.text)),
        });
        (statement.len() >= TELLING_STATEMENT).then(|| (self.family(), print_all(prints)))
    }
}

pub(super) fn side<'v, 'a>(text: &'v Statements<'a>, index: usize) -> Option<Side<'v, 'a>> {
    Some(Side { declaration: text.declaration(index)?, text, index })
}

pub(super) fn sides<'v, 'a>(text: &'v Statements<'a>) -> impl Iterator<Item = Side<'v, 'a>> {
    (0..text.outline.declarations.len()).filter_map(move |index| side(text, index))
}

struct Matching<'v, 'a> {
    old: &'v Statements<'a>,
    new: &'v Statements<'a>,
    open_old: Vec<usize>,
    open_new: Vec<usize>,
    pairs: Vec<(usize, usize)>,
}

impl<'v, 'a> Matching<'v, 'a> {
    /// Pairs what is the same from the beginnings and from the ends of the two texts on.
    fn ends(&mut self) {
        let same = |(old, new): (usize, usize)| {
            let sides = side(self.old, old).zip(side(self.new, new));
            sides.is_some_and(|(old, new)| {
                old.name() == new.name() && old.written() == new.written()
            })
        };
        let (old, new) = (self.open_old.len(), self.open_new.len());
        let head = (0..old.min(new)).take_while(|&at| same((at, at))).count();
        let rest = old.min(new) - head;
        let tail = (1..=rest).take_while(|&back| same((old - back, new - back))).count();
        self.pairs.extend((0..head).map(|at| (at, at)));
        self.pairs.extend((1..=tail).map(|back| (old - back, new - back)));
        (self.open_old, self.open_new) =
            ((head..old - tail).collect(), (head..new - tail).collect());
    }

    fn by<K: Hash + Eq>(&mut self, key: impl Fn(Side<'v, 'a>) -> Option<K>) {
        self.by_if(|_, _| true, key);
    }

    /// In order those with the same key, where it fits how many both texts have of it.
    fn by_if<K: Hash + Eq>(
        &mut self,
        fits: impl Fn(usize, usize) -> bool,
        key: impl Fn(Side<'v, 'a>) -> Option<K>,
    ) {
        if self.open_old.is_empty() || self.open_new.is_empty() {
            return;
        }
        let mut alike: HashMap<K, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for &index in &self.open_old {
            if let Some(key) = side(self.old, index).and_then(&key) {
                alike.entry(key).or_default().0.push(index);
            }
        }
        for &index in &self.open_new {
            let key = side(self.new, index).and_then(&key);
            if let Some((_, new)) = key.and_then(|key| alike.get_mut(&key)) {
                new.push(index);
            }
        }
        let alike = alike.into_values().filter(|(old, new)| fits(old.len(), new.len()));
        let mut found: Vec<_> = alike.flat_map(|(old, new)| old.into_iter().zip(new)).collect();
        found.sort_unstable();
        let (old, new): (HashSet<usize>, HashSet<usize>) = found.iter().copied().unzip();
        self.open_old.retain(|index| !old.contains(index));
        self.open_new.retain(|index| !new.contains(index));
        self.pairs.extend(found);
    }

    /// Pairs what says the same once the names that were changed so far are put in.
    fn renamed(&mut self) {
        let changed = self.pairs.iter().filter_map(|&(old, new)| {
            let old = last_part(self.old.declaration(old)?.name.as_deref()?);
            let new = last_part(self.new.declaration(new)?.name.as_deref()?);
            (old != new).then_some((old, new))
        });
        let changed: HashMap<&str, &str> = changed.collect();
        if changed.is_empty() || self.open_old.is_empty() || self.open_new.is_empty() {
            return;
        }
        let old = self.old;
        self.by(|side| {
            let is_old = std::ptr::eq(side.text, old);
            side.with_names(|name| changed.get(name).copied().filter(|_| is_old).unwrap_or(name))
        });
    }
}
