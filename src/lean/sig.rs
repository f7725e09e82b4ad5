//! The lexemes that the scanner looks at: no trivia, each with its meaning and its place.

use std::ops::Range;

use super::lexer::{Lexer, Unfinished};
use super::token::{Token, TokenKind};
use super::word::{self, Word};

/// A significant lexeme.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sig {
    pub(super) kind: TokenKind,
    pub(super) word: Word,
    /// Whether it is the first of its line.
    pub(super) first: bool,
    /// Whether an empty line stands before it.
    pub(super) spaced: bool,
    /// Line, from 1.
    pub(super) line: usize,
    /// Characters before it on its line, as Lean counts columns.
    pub(super) column: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Sig {
    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// The line of its last character.
    pub(super) fn end_line(&self, text: &str) -> usize {
        if self.kind.is_string() || self.kind.is_comment() {
            return self.line + self.text(text).matches('\n').count();
        }
        self.line
    }

    /// How much it changes the depth of brackets.
    pub(super) fn depth_change(&self) -> isize {
        match self.kind {
            TokenKind::Open | TokenKind::InterpStart => 1,
            TokenKind::Close | TokenKind::InterpEnd => -1,
            _ => 0,
        }
    }

    pub(super) fn is_doc(&self) -> bool {
        self.kind == TokenKind::DocComment
    }
}

/// A text as its significant lexemes.
pub(super) struct Reading {
    pub(super) sigs: Vec<Sig>,
    pub(super) comments: Vec<Range<usize>>,
    pub(super) lines: usize,
    pub(super) unfinished: Vec<(Unfinished, usize)>,
}

/// Lexes a text and keeps what is significant.
pub(super) fn read(text: &str) -> Reading {
    let mut reader = Reader {
        text,
        sigs: Vec::with_capacity(text.len() / 5),
        comments: Vec::new(),
        line: 1,
        column: 0,
        first: true,
        spaced: false,
    };
    let unfinished = Lexer::new(text).run(|token| reader.push(token));
    let lines = reader.line - usize::from(reader.column == 0);
    Reading { sigs: reader.sigs, comments: reader.comments, lines, unfinished }
}

struct Reader<'a> {
    text: &'a str,
    sigs: Vec<Sig>,
    comments: Vec<Range<usize>>,
    line: usize,
    column: usize,
    first: bool,
    spaced: bool,
}

impl Reader<'_> {
    #[inline]
    fn push(&mut self, token: Token) {
        let lexeme = self.text.as_bytes().get(token.start..token.end).unwrap_or_default();
        match token.kind {
            TokenKind::Whitespace => return self.blanks(lexeme),
            // A line ends after it: its width does not matter.
            TokenKind::LineComment => return self.comments.push(token.start..token.end),
            TokenKind::BlockComment => {
                self.comments.push(token.start..token.end);
                return self.go_past_lines(lexeme);
            }
            _ => {}
        }
        self.sigs.push(Sig {
            kind: token.kind,
            word: meaning(token.kind, lexeme),
            first: self.first,
            spaced: self.spaced,
            line: self.line,
            column: self.column,
            start: token.start,
            end: token.end,
        });
        self.first = false;
        self.spaced = false;
        match token.kind {
            TokenKind::DocComment | TokenKind::ModuleDoc => {
                self.comments.push(token.start..token.end);
                self.go_past_lines(lexeme);
            }
            kind if kind.is_string() => self.go_past_lines(lexeme),
            _ => self.column += if lexeme.len() == 1 { 1 } else { characters(lexeme) },
        }
    }

    /// Blanks are ASCII, but for a lone invisible character.
    #[inline]
    fn blanks(&mut self, lexeme: &[u8]) {
        let mut lines = 0;
        let mut line_start = 0;
        for (index, &byte) in lexeme.iter().enumerate() {
            if byte == b'\n' {
                lines += 1;
                line_start = index + 1;
            }
        }
        if lines > 0 {
            self.line += lines;
            self.column = lexeme.len() - line_start;
            self.first = true;
            self.spaced |= lines > 1;
        } else {
            self.column += if lexeme.is_ascii() { lexeme.len() } else { 1 };
        }
    }

    /// Goes past a lexeme that may hold line ends.
    fn go_past_lines(&mut self, lexeme: &[u8]) {
        let lines = lexeme.iter().map(|&byte| usize::from(byte == b'\n')).sum::<usize>();
        let mut last = lexeme;
        if lines > 0 {
            self.line += lines;
            self.column = 0;
            last = lexeme.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        }
        self.column += characters(last);
    }
}

/// Number of characters in some UTF-8: every byte but continuation bytes begins one.
#[inline]
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().map(|&byte| usize::from(byte & 0xc0 != 0x80)).sum()
}

fn meaning(kind: TokenKind, lexeme: &[u8]) -> Word {
    match kind {
        TokenKind::Ident => word::of_name(lexeme),
        TokenKind::Symbol | TokenKind::Open => word::of_symbol(lexeme),
        _ => Word::Other,
    }
}
