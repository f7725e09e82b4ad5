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
    kind: TokenKind,
    spelling: &'a str,
    start: usize,
    end: usize,
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
            let (start, end) = (lexeme.start(), lexeme.end());
            all.push(Token { kind: lexeme.kind, spelling, start, end, closer: 0 });
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
        let range = first.zip(last).map(|(first, last)| first.start..last.end);
        range.and_then(|range| self.text.get(range)).unwrap_or_default()
    }

    pub(super) fn kind(&self, at: usize) -> Option<TokenKind> {
        self.all.get(at).map(|token| token.kind)
    }

    pub(super) fn closer(&self, at: usize) -> Option<usize> {
        self.all.get(at).map(|token| token.closer).filter(|closer| *closer > 0)
    }

    pub(super) fn adjoins(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.all.get(before));
        before.zip(self.all.get(at)).is_some_and(|(before, token)| before.end == token.start)
    }

    /// Whether it is the first of its line.
    pub(super) fn is_first(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.all.get(before));
        let here = self.all.get(at);
        let blanks =
            here.and_then(|here| self.text.get(before.map_or(0, |one| one.end)..here.start));
        blanks.is_some_and(|blanks| before.is_none() || blanks.contains('\n'))
    }

    pub(super) fn is_name(&self, at: usize) -> bool {
        let spelling = self.spelling(at);
        self.kind(at) == Some(TokenKind::Ident)
            && !is_keyword(spelling)
            && !spelling.starts_with('.')
    }

    pub(super) fn is_number(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Number)
    }

    pub(super) fn is_symbol(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Symbol) && !matches!(self.spelling(at), "," | ":")
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

/// What stands in the outermost brackets, with them.
pub(super) fn groups(lexemes: &[Sig]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (index, lexeme) in lexemes.iter().enumerate() {
        let change = lexeme.depth_change();
        if depth == 0 {
            start = index;
        }
        depth = (depth + change).max(0);
        if change < 0 && depth == 0 && start < index {
            found.push(start..index + 1);
        }
    }
    found
}
