//! The lexemes that the scanner looks at: no trivia, each with its meaning and its place.

use std::ops::Range;

use memchr::memchr_iter;

use super::kind::ProblemKind;
use super::lexer::{Lexer, Stand};
use super::over::Over;
use super::token::TokenKind;
use super::word::{self, Word};

/// Small, because a file has tens of thousands and their memory costs more time than reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sig {
    pub(super) kind: TokenKind,
    pub(super) word: Word,
    pub(super) first: bool,
    pub(super) spaced: bool,
    line: u32,
    column: u32,
    start: u32,
    end: u32,
}

/// Longer texts are read up to here, in bytes.
pub(super) const LONGEST: usize = u32::MAX as usize;

pub(super) fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Sig {
    #[inline]
    pub(super) fn of(kind: TokenKind, range: Range<usize>, stand: &Stand) -> Self {
        Self {
            kind,
            word: Word::Other,
            first: stand.first,
            spaced: stand.spaced,
            line: narrow(stand.line),
            column: narrow(stand.column(range.start)),
            start: narrow(range.start),
            end: narrow(range.end),
        }
    }

    #[inline]
    pub(super) fn start(&self) -> usize {
        self.start as usize
    }

    #[inline]
    pub(super) fn end(&self) -> usize {
        self.end as usize
    }

    #[inline]
    pub(super) fn line(&self) -> usize {
        self.line as usize
    }

    /// Characters before it on its line, as Lean counts columns.
    #[inline]
    pub(super) fn column(&self) -> usize {
        self.column as usize
    }

    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start()..self.end()).unwrap_or_default()
    }

    pub(super) fn end_line(&self, text: &str) -> usize {
        self.line() + memchr_iter(b'\n', self.text(text).as_bytes()).count()
    }

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

#[derive(Debug)]
pub(super) struct Reading {
    pub(super) comments: Vec<Range<usize>>,
    pub(super) lines: usize,
    pub(super) unfinished: Vec<(ProblemKind, usize)>,
}

pub(super) fn read(text: &str) -> Vec<Sig> {
    let mut reader = Reader::new(text);
    reader.sigs.reserve(text.len() / 4);
    while reader.step().is_some() {}
    reader.sigs
}

/// The lexemes of a part of a text that begins where nothing is open, in a line of a number.
pub(super) fn read_part(text: &str, part: Range<usize>, line: usize) -> Vec<Sig> {
    let text = text.get(..part.end).unwrap_or_default();
    let mut reader = Reader::on(Lexer::from(text, part.start, line, false));
    while reader.step().is_some() {}
    reader.sigs
}

pub(super) struct Reader<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) sigs: Vec<Sig>,
    pub(super) comments: Vec<Range<usize>>,
    /// How many lexemes were forgotten.
    gone: usize,
    pub(super) over: Over,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let text = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
        Self::on(Lexer::new(text))
    }

    fn on(lexer: Lexer<'a>) -> Self {
        let (sigs, comments) = (Vec::new(), Vec::new());
        Self { lexer, sigs, comments, gone: 0, over: Over::default() }
    }

    pub(super) fn finish(self) -> Reading {
        let text = self.lexer.text;
        let line = self.lexer.stand.line;
        let lines = line - usize::from(text.is_empty() || text.ends_with('\n'));
        let unfinished = self.lexer.finish();
        Reading { comments: self.comments, lines, unfinished }
    }

    /// On to the next lexeme that is kept; `None` at the end of the text.
    #[inline]
    pub(super) fn step(&mut self) -> Option<()> {
        if let Some(skip) = self.over.skip {
            return self.step_over(skip);
        }
        if let Some(sig) = self.read()? {
            self.sigs.push(sig);
        }
        Some(())
    }

    /// Reads a lexeme or a comment and the blanks before it; `Some(None)` for one that is skipped.
    #[inline]
    #[allow(clippy::option_option, reason = "the end of the text, and a comment")]
    pub(super) fn read(&mut self) -> Option<Option<Sig>> {
        self.lexer.pass_blanks();
        let stand = self.lexer.stand;
        let token = self.lexer.lexeme()?;
        if token.kind.is_comment() {
            self.comments.push(token.start..token.end);
        }
        if token.kind.is_trivia() {
            return Some(None);
        }
        let range = token.start..token.end;
        let word = meaning(token.kind, self.lexer.bytes, range.clone());
        Some(Some(Sig { word, ..Sig::of(token.kind, range, &stand) }))
    }

    /// The lexeme of an index, if the text has so many. It may have to be read.
    #[inline]
    pub(super) fn get(&mut self, index: usize) -> Option<Sig> {
        while index - self.gone >= self.sigs.len() {
            if self.step().is_none() {
                break;
            }
        }
        self.sigs.get(index - self.gone).copied()
    }

    /// Lexemes that were there before, and are not forgotten.
    pub(super) fn slice(&self, range: Range<usize>) -> &[Sig] {
        let end = (range.end - self.gone).min(self.sigs.len());
        self.sigs.get(range.start - self.gone..end).unwrap_or_default()
    }

    /// Lexemes before an index are not asked for again.
    pub(super) fn forget(&mut self, before: usize) {
        const FEW: usize = 1_000;
        let gone = before.saturating_sub(self.gone).min(self.sigs.len());
        if gone > FEW {
            drop(self.sigs.drain(..gone));
            self.gone += gone;
        }
    }
}

#[inline]
pub(super) fn meaning(kind: TokenKind, bytes: &[u8], range: Range<usize>) -> Word {
    let lexeme = bytes.get(range.clone()).unwrap_or_default();
    match kind {
        TokenKind::Ident => word::of_name(bytes, range),
        TokenKind::Symbol if lexeme == b"+" => {
            let native = bytes.get(range.end..).is_some_and(|rest| rest.starts_with(b"native"));
            if native { Word::Plus } else { Word::Other }
        }
        TokenKind::Symbol | TokenKind::Open => word::of_symbol(lexeme),
        _ => Word::Other,
    }
}
