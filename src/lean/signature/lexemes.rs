//! The lexemes that count: no blanks, no comments; and those of a statement with their brackets paired.

use std::ops::Range;

use super::spelling::{canonical, is_keyword, print_all, print_of};
use crate::lean::sig::{self, Sig};
use crate::lean::token::TokenKind;

pub(in crate::lean) fn lexemes(text: &str) -> Vec<Sig> {
    without_comments(sig::read(text))
}

/// The lexemes of a part, as if it began in line 1.
pub(in crate::lean) fn part(text: &str, span: &Range<usize>) -> Vec<Sig> {
    without_comments(sig::read_part(text, span.clone(), 1))
}

fn without_comments(mut lexemes: Vec<Sig>) -> Vec<Sig> {
    lexemes.retain(|lexeme| !lexeme.kind.is_comment());
    lexemes
}

/// The prints of lexemes' spellings.
pub(in crate::lean) fn prints(text: &str, lexemes: &[Sig]) -> impl Iterator<Item = u64> {
    lexemes.iter().map(|lexeme| print_of(lexeme.text(text)))
}

pub(in crate::lean) fn within(lexemes: &[Sig], range: &Range<usize>) -> Range<usize> {
    let first = lexemes.partition_point(|lexeme| lexeme.start() < range.start);
    let last = lexemes.partition_point(|lexeme| lexeme.start() < range.end);
    first..last.max(first)
}

/// Equal for texts that differ in layout, comments and the spelling of symbols only.
pub fn layout_key(text: &str) -> u64 {
    print_all(prints(text, &lexemes(text)))
}

#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    sig: Sig,
    spelling: &'a str,
    is_name: bool,
    closer: usize,
}

/// The lexemes of a statement in one spelling, brackets paired.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    all: Vec<Token<'a>>,
}

impl<'a> Tokens<'a> {
    pub(super) fn read(text: &'a str, lexemes: &[Sig]) -> Self {
        let mut all: Vec<Token<'a>> = Vec::with_capacity(lexemes.len());
        let mut open: Vec<usize> = Vec::new();
        for (at, lexeme) in lexemes.iter().enumerate() {
            let spelling = canonical(lexeme.text(text));
            let is_name = lexeme.kind == TokenKind::Ident
                && !spelling.starts_with('.')
                && !is_keyword(spelling);
            all.push(Token { sig: *lexeme, spelling, is_name, closer: 0 });
            match lexeme.kind {
                TokenKind::Open => open.push(at),
                TokenKind::Close => {
                    let opener = open.pop().and_then(|opener| all.get_mut(opener));
                    if let Some(opener) = opener.filter(|o| fits(o.spelling, spelling)) {
                        opener.closer = at;
                    }
                }
                _ => {}
            }
        }
        Self { text, all }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn spelling(&self, at: usize) -> &'a str {
        self.all.get(at).map_or("", |token| token.spelling)
    }

    pub(super) fn joined(&self, at: usize, count: usize) -> &'a str {
        let (first, last) = (self.all.get(at), self.all.get(at + count - 1));
        let range = first.zip(last).map(|(first, last)| first.sig.start()..last.sig.end());
        range.and_then(|range| self.text.get(range)).unwrap_or_default()
    }

    pub(super) fn kind(&self, at: usize) -> Option<TokenKind> {
        self.all.get(at).map(|token| token.sig.kind)
    }

    pub(super) fn closer(&self, at: usize) -> Option<usize> {
        self.all.get(at).map(|token| token.closer).filter(|closer| *closer > 0)
    }

    pub(super) fn adjoins(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.all.get(before));
        before
            .zip(self.all.get(at))
            .is_some_and(|(before, token)| before.sig.end() == token.sig.start())
    }

    /// Whether it is the first of its line.
    pub(super) fn is_first(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|token| token.sig.first)
    }

    pub(super) fn is_name(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|token| token.is_name)
    }

    pub(super) fn is_number(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Number)
    }

    pub(super) fn is_symbol(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Symbol) && !matches!(self.spelling(at), "," | ":")
    }

    /// `.name`
    pub(super) fn is_field(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Ident)
            && self.spelling(at).strip_prefix('.').is_some_and(|name| !name.is_empty())
    }

    /// Whether a term may begin there.
    pub(super) fn is_begun(&self, at: usize) -> bool {
        !matches!(self.kind(at), None | Some(TokenKind::Close))
            && !matches!(self.spelling(at), "," | ":" | ";" | ":=" | "↦" | "then" | "else" | "with")
    }

    pub(super) fn find(&self, range: Range<usize>, spelling: &str) -> Option<usize> {
        let mut at = range.start;
        while at < range.end {
            if self.spelling(at) == spelling {
                return Some(at);
            }
            at = self.closer(at).unwrap_or(at) + 1;
        }
        None
    }

    /// What stands in the outermost brackets, with them.
    pub(super) fn groups(&self) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for at in 0..self.len() {
            let is_outside = found.last().is_none_or(|group| group.end <= at);
            found.extend(self.closer(at).filter(|_| is_outside).map(|close| at..close + 1));
        }
        found
    }

    /// Where a statement ends: at its `:=`, not at one of `let x := e`.
    pub(super) fn end(&self) -> usize {
        let (mut at, mut open) = (0, 0usize);
        while at < self.len() {
            match (self.spelling(at), self.closer(at)) {
                (_, Some(close)) => at = close,
                ("let" | "letI" | "have" | "haveI", _) => open += 1,
                (":=", _) if open == 0 => return at,
                (":=", _) => open -= 1,
                _ => {}
            }
            at += 1;
        }
        at
    }
}

fn fits(open: &str, close: &str) -> bool {
    matches!(
        (open, close),
        ("(" | "`(", ")") | ("[" | "@[" | "`[", "]") | ("{", "}") | ("⟨", "⟩") | ("⦃", "⦄")
    )
}
