//! What stands around a declaration's keyword: doc comment, attributes and modifiers before it,
//! the name after it.

use std::ops::Range;

use super::kind::DeclKind;
use super::sig::Sig;
use super::token::TokenKind;
use super::word::Word;

/// An attribute between brackets: `simp`, `local instance`, `implemented_by foo`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attribute<'s> {
    pub(super) sigs: &'s [Sig],
}

impl Attribute<'_> {
    pub(super) fn span(&self) -> Range<usize> {
        let ends = self.sigs.first().zip(self.sigs.last());
        ends.map_or(0..0, |(first, last)| first.start()..last.end())
    }

    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.span()).unwrap_or_default()
    }
}

/// The attributes of a list, and how many lexemes it has.
pub(super) fn attributes(sigs: &[Sig]) -> (Vec<Attribute<'_>>, usize) {
    let mut found = Vec::new();
    let (mut depth, mut begin) = (0isize, 1);
    for (index, sig) in sigs.iter().enumerate() {
        depth += sig.depth_change();
        let ends = depth <= 0 || (depth == 1 && sig.word == Word::Comma);
        if !ends {
            continue;
        }
        if let Some(item) = sigs.get(begin..index).filter(|item| !item.is_empty()) {
            found.push(Attribute { sigs: item });
        }
        begin = index + 1;
        if depth <= 0 {
            return (found, index + 1);
        }
    }
    (found, sigs.len())
}

#[derive(Debug, Default)]
pub(super) struct Before<'s> {
    pub(super) doc: Option<&'s Sig>,
    pub(super) attributes: Vec<Attribute<'s>>,
    pub(super) modifiers: Vec<&'s Sig>,
}

pub(super) fn before(sigs: &[Sig]) -> Before<'_> {
    let mut header = Before::default();
    let mut at = 0;
    while let Some(sig) = sigs.get(at) {
        at += 1;
        match sig.word {
            Word::Attribute => {
                let (list, length) = attributes(sigs.get(at - 1..).unwrap_or_default());
                header.attributes.extend(list);
                at += length.saturating_sub(1);
            }
            Word::Modifier => header.modifiers.push(sig),
            _ if sig.is_doc() => header.doc = Some(sig),
            _ => {}
        }
    }
    header
}

pub(super) struct After<'s> {
    pub(super) kind: DeclKind,
    pub(super) names: [Option<&'s Sig>; 2],
    pub(super) next: usize,
}

pub(super) fn after(sigs: &[Sig], kind: DeclKind) -> After<'_> {
    let word = |index: usize| sigs.get(index).map(|sig| sig.word);
    let (kind, at) = match (kind, word(1)) {
        (DeclKind::Class, Some(Word::Decl(DeclKind::Inductive))) => (DeclKind::ClassInductive, 2),
        (DeclKind::Class, Some(Word::Decl(DeclKind::Abbrev))) => (DeclKind::ClassAbbrev, 2),
        _ => (kind, 1),
    };
    let at = at + priority_length(sigs.get(at..).unwrap_or_default());
    let is_name = |sig: &&Sig| sig.kind == TokenKind::Ident && sig.word != Word::Where;
    match sigs.get(at) {
        Some(sig) if kind == DeclKind::Alias && sig.kind == TokenKind::Open => {
            let inner = sigs.get(at + 1..).unwrap_or_default();
            let length = inner.iter().position(|sig| sig.kind == TokenKind::Close);
            let length = length.unwrap_or(inner.len());
            let mut names = inner.iter().take(length).filter(is_name);
            After { kind, names: [names.next(), names.next()], next: at + length + 2 }
        }
        Some(sig) if kind != DeclKind::Example && is_name(&sig) => {
            After { kind, names: [Some(sig), None], next: at + 1 }
        }
        _ => After { kind, names: [None, None], next: at },
    }
}

/// The length of `(priority := ...)` or `(lemma := ...)` before a name.
fn priority_length(sigs: &[Sig]) -> usize {
    let opens = sigs.first().is_some_and(|sig| sig.kind == TokenKind::Open);
    let assigns = sigs.get(2).is_some_and(|sig| sig.word == Word::Assign);
    if opens && assigns { attributes(sigs).1 } else { 0 }
}
