//! The lexemes that the scanner looks at: no trivia, each with its meaning and its place.

use std::ops::Range;

use memchr::memchr_iter;

use super::lexer::{Lexer, Stand, Unfinished};
use super::token::{Token, TokenKind};
use super::word::{self, Word};

/// A significant lexeme. It is small: a file has tens of thousands, and the memory for them costs
/// more time than the reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sig {
    pub(super) kind: TokenKind,
    pub(super) word: Word,
    /// Whether it is the first of its line.
    pub(super) first: bool,
    /// Whether an empty line stands before it.
    pub(super) spaced: bool,
    /// Whether it is read alike whatever stands before it.
    pub(super) rests: bool,
    line: u32,
    column: u32,
    start: u32,
    end: u32,
}

/// Longer texts are read up to here, in bytes.
pub(super) const LONGEST: usize = u32::MAX as usize;

/// An offset or a line of a text that is not too long.
pub(super) fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// From a place in one text to the same place in another: what was at `from` is at `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Shift {
    #[inline]
    pub(super) fn of(self, number: usize) -> usize {
        (number + self.to).saturating_sub(self.from)
    }

    pub(super) fn range(self, range: &Range<usize>) -> Range<usize> {
        self.of(range.start)..self.of(range.end)
    }
}

impl Sig {
    /// Byte offset of its first byte.
    #[inline]
    pub(super) fn start(&self) -> usize {
        self.start as usize
    }

    /// Byte offset after its last byte.
    #[inline]
    pub(super) fn end(&self) -> usize {
        self.end as usize
    }

    /// Line, from 1.
    #[inline]
    pub(super) fn line(&self) -> usize {
        self.line as usize
    }

    /// Characters before it on its line, as Lean counts columns.
    #[inline]
    pub(super) fn column(&self) -> usize {
        self.column as usize
    }

    /// The same lexeme at another place.
    pub(super) fn moved(self, bytes: Shift, lines: Shift) -> Self {
        Self {
            start: narrow(bytes.of(self.start())),
            end: narrow(bytes.of(self.end())),
            line: narrow(lines.of(self.line())),
            ..self
        }
    }

    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start()..self.end()).unwrap_or_default()
    }

    /// The line of its last character.
    pub(super) fn end_line(&self, text: &str) -> usize {
        self.line() + memchr_iter(b'\n', self.text(text).as_bytes()).count()
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
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) sigs: Vec<Sig>,
    pub(super) comments: Vec<Range<usize>>,
    pub(super) lines: usize,
    pub(super) unfinished: Vec<(Unfinished, usize)>,
}

/// Lexes a text and keeps what is significant.
pub(super) fn read(text: &str) -> Reading {
    let mut reader = Reader::new(text);
    reader.sigs.reserve(reader.lexer.text.len() / 4);
    while reader.step().is_some() {}
    reader.finish()
}

/// The lexemes of a part of a text, from one on that nothing is open at.
pub(super) fn read_part(text: &str, first: &Sig, end: usize) -> Vec<Sig> {
    let mut reader = Reader::at(text.get(..end).unwrap_or_default(), Some(first));
    while reader.step().is_some() {}
    reader.finish().sigs
}

/// The lexemes that a scanner goes through, all of them ([`Reading`]) or as they are read
/// ([`Reader`]).
pub(super) trait Source {
    /// The lexeme of an index, if the text has so many. It may have to be read.
    fn get(&mut self, index: usize) -> Option<Sig>;

    /// Lexemes that were there before, and are not forgotten.
    fn slice(&self, range: Range<usize>) -> &[Sig];

    /// Lexemes before an index are not asked for again.
    fn forget(&mut self, before: usize);

    /// From the next lexeme on, those that mean nothing in a body whose command begins at a column
    /// may be left out; with `None` no longer.
    fn skip(&mut self, column: Option<usize>);
}

impl Source for &[Sig] {
    fn get(&mut self, index: usize) -> Option<Sig> {
        <[Sig]>::get(self, index).copied()
    }

    fn slice(&self, range: Range<usize>) -> &[Sig] {
        <[Sig]>::get(self, range).unwrap_or_default()
    }

    fn forget(&mut self, _before: usize) {}

    fn skip(&mut self, _column: Option<usize>) {}
}

/// So many lexemes on either side of one that means something in a body are kept.
const NEAR: usize = 2;

/// Reads lexemes one by one.
pub(super) struct Reader<'a> {
    lexer: Lexer<'a>,
    pub(super) sigs: Vec<Sig>,
    comments: Vec<Range<usize>>,
    /// How many lexemes are forgotten.
    gone: usize,
    /// The column of the command whose body is read over.
    skips: Option<usize>,
    /// Lexemes read since the last one that means something there.
    since: usize,
    /// The lexeme read last, if it was left out.
    held: Option<(Token, Word, Stand)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self::at(text, None)
    }

    /// A reader from a lexeme on, where nothing is open, as the first of its line; or of all the text.
    pub(super) fn at(text: &'a str, sig: Option<&Sig>) -> Self {
        let text = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
        let lexer = sig.map_or_else(
            || Lexer::new(text),
            |sig| Lexer::from(text, sig.start(), sig.line(), sig.spaced),
        );
        Self {
            lexer,
            sigs: Vec::new(),
            comments: Vec::new(),
            gone: 0,
            skips: None,
            since: 0,
            held: None,
        }
    }

    /// What was read, at the end of the text.
    pub(super) fn finish(self) -> Reading {
        let text = self.lexer.text;
        let line = self.lexer.stand().line;
        let lines = line - usize::from(text.is_empty() || text.ends_with('\n'));
        let unfinished = self.lexer.finish();
        Reading { sigs: self.sigs, comments: self.comments, lines, unfinished }
    }

    /// Where it stands before the next lexeme, and the offset.
    pub(super) fn place(&mut self) -> (Stand, usize) {
        self.lexer.pass_blanks();
        (self.lexer.stand(), self.lexer.at)
    }

    /// Reads a lexeme or a comment and the blanks before it; `None` at the end of the text.
    #[inline]
    pub(super) fn step(&mut self) -> Option<()> {
        self.lexer.pass_blanks();
        let stand = self.lexer.stand();
        let token = self.lexer.next()?;
        if token.kind.is_comment() {
            self.comments.push(token.start..token.end);
        }
        if token.kind.is_trivia() {
            return Some(());
        }
        let word = meaning(token.kind, self.lexer.bytes, token.start..token.end);
        match self.skips {
            Some(column) => self.pick(token, word, stand, column),
            None => self.push(token, word, stand),
        }
        Some(())
    }

    #[inline]
    fn push(&mut self, token: Token, word: Word, stand: Stand) {
        self.sigs.push(Sig {
            kind: token.kind,
            word,
            first: stand.first,
            spaced: stand.spaced,
            rests: stand.rests,
            line: narrow(stand.line),
            column: narrow(stand.column(token.start)),
            start: narrow(token.start),
            end: narrow(token.end),
        });
    }

    /// Keeps a lexeme of a body if it means something there, or stands near one that does.
    #[inline]
    fn pick(&mut self, token: Token, word: Word, stand: Stand, column: usize) {
        use TokenKind as Kind;
        let bracket = match token.kind {
            Kind::Open | Kind::InterpStart => word == Word::Other,
            Kind::Close | Kind::InterpEnd => true,
            _ => false,
        };
        if bracket {
            self.held = None;
            return self.push(token, word, stand);
        }
        let means = !word.is_quiet()
            || matches!(token.kind, Kind::Hole | Kind::DocComment | Kind::ModuleDoc)
            || (stand.first && stand.column(token.start) <= column);
        self.since = if means { 0 } else { self.since + 1 };
        if self.since > NEAR {
            self.held = Some((token, word, stand));
            return;
        }
        self.release();
        self.push(token, word, stand);
    }

    /// Keeps the lexeme that was left out last.
    #[inline]
    fn release(&mut self) {
        if let Some((token, word, stand)) = self.held.take() {
            self.push(token, word, stand);
        }
    }
}

impl Source for Reader<'_> {
    #[inline]
    fn get(&mut self, index: usize) -> Option<Sig> {
        while index - self.gone >= self.sigs.len() {
            if self.step().is_none() {
                self.release();
                break;
            }
        }
        self.sigs.get(index - self.gone).copied()
    }

    fn slice(&self, range: Range<usize>) -> &[Sig] {
        let end = (range.end - self.gone).min(self.sigs.len());
        self.sigs.get(range.start - self.gone..end).unwrap_or_default()
    }

    fn forget(&mut self, before: usize) {
        const FEW: usize = 1_000;
        let gone = before.saturating_sub(self.gone).min(self.sigs.len());
        if gone > FEW {
            drop(self.sigs.drain(..gone));
            self.gone += gone;
        }
    }

    fn skip(&mut self, column: Option<usize>) {
        if self.skips.is_none() {
            self.since = 0;
        } else if column.is_none() {
            self.release();
        }
        self.skips = column;
    }
}

/// What the lexeme between two offsets means.
#[inline]
fn meaning(kind: TokenKind, bytes: &[u8], range: Range<usize>) -> Word {
    let after = range.end;
    let lexeme = bytes.get(range).unwrap_or_default();
    match kind {
        TokenKind::Ident => word::of_name(lexeme),
        TokenKind::Symbol if lexeme == b"+" => {
            let native = bytes.get(after..).is_some_and(|rest| rest.starts_with(b"native"));
            if native { Word::Plus } else { Word::Other }
        }
        TokenKind::Symbol | TokenKind::Open => word::of_symbol(lexeme),
        _ => Word::Other,
    }
}
