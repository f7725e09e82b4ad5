//! The lexemes that count: no blanks, no comments, each with the print of its spelling.

use std::ops::Range;

use super::spelling::{canonical, is_keyword, print_all, print_of};
use crate::lean::sig::{self, Sig, narrow};
use crate::lean::token::TokenKind;

/// No larger than a [`Sig`], whose memory it takes: a large file has millions.
#[derive(Debug, Clone, Copy)]
#[repr(C, packed(4))]
pub(in crate::lean) struct Lexeme {
    pub(in crate::lean) kind: TokenKind,
    pub(in crate::lean) print: u64,
    start: u32,
    end: u32,
}

impl Lexeme {
    #[inline]
    pub(in crate::lean) fn start(&self) -> usize {
        self.start as usize
    }

    #[inline]
    pub(in crate::lean) fn end(&self) -> usize {
        self.end as usize
    }

    pub(in crate::lean) fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start()..self.end()).unwrap_or_default()
    }
}

pub(in crate::lean) fn lexemes(text: &str) -> Vec<Lexeme> {
    of_sigs(text, sig::read(text).sigs.into_iter())
}

pub(in crate::lean) fn of_sigs(text: &str, all: impl Iterator<Item = Sig>) -> Vec<Lexeme> {
    let sigs = all.filter(|sig| !sig.kind.is_comment());
    let lexeme = |sig: Sig| Lexeme {
        kind: sig.kind,
        print: print_of(sig.text(text)),
        start: narrow(sig.start()),
        end: narrow(sig.end()),
    };
    sigs.map(lexeme).collect()
}

pub(in crate::lean) fn within(lexemes: &[Lexeme], range: &Range<usize>) -> Range<usize> {
    let first = lexemes.partition_point(|lexeme| lexeme.start() < range.start);
    let last = lexemes.partition_point(|lexeme| lexeme.start() < range.end);
    first..last.max(first)
}

/// Equal for texts that differ in layout, comments and the spelling of symbols only.
pub fn layout_key(text: &str) -> u64 {
    print_all(lexemes(text).iter().map(|lexeme| lexeme.print))
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
    pub(super) fn read(text: &'a str, lexemes: &[Lexeme]) -> Self {
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

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.all.get(at).map(|token| token.kind)
    }

    pub(super) fn closer(&self, at: usize) -> Option<usize> {
        self.all.get(at).map(|token| token.closer).filter(|closer| *closer > 0)
    }

    pub(super) fn adjoins(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.all.get(before));
        before.zip(self.all.get(at)).is_some_and(|(before, token)| before.end == token.start)
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

pub(super) fn groups(lexemes: &[Lexeme]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (index, lexeme) in lexemes.iter().enumerate() {
        match lexeme.kind {
            TokenKind::Open => {
                if depth == 0 {
                    start = index;
                }
                depth += 1;
            }
            TokenKind::Close if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    found.push(start..index + 1);
                }
            }
            _ => {}
        }
    }
    found
}
