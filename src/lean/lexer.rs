//! The lexer: Lean 4 text to lexemes, without loss and in linear time, on any input.
//!
//! It knows no grammar: it does not know which words are keywords, and reports no error but
//! text that ends inside a comment, a string or a name.

use memchr::{memchr, memchr_iter, memrchr};

use super::chars::{
    Class, class, is_invisible, is_of_name, is_wide_letter, is_wide_name_rest, name_end,
};
use super::interpolation::Head;
use super::kind::ProblemKind;
use super::token::{Token, TokenKind};

/// The lexemes of a text. Concatenated they are the text again; none is empty.
pub fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    tokens.extend(Lexer::new(text));
    tokens
}

/// Those that are neither blanks nor comments.
pub fn code(text: &str) -> Vec<Token> {
    let mut tokens = lex(text);
    tokens.retain(|token| !token.kind.is_trivia() && !token.kind.is_comment());
    tokens
}

const LEFT_GUILLEMET: [u8; 2] = [0xc2, 0xab];

/// More than these are not reported: the text is no Lean then.
const MOST_UNFINISHED: usize = 20;

/// How many bytes only continue a character.
pub(super) fn continued(bytes: &[u8]) -> usize {
    bytes.iter().map(|&byte| usize::from(byte & 0xc0 == 0x80)).sum()
}

#[inline]
pub(super) fn wide_kind(c: char) -> TokenKind {
    match c {
        // Arrows and mathematical operators: most of them.
        '\u{2190}'..='\u{22ff}' => TokenKind::Symbol,
        '⟨' | '⦃' => TokenKind::Open,
        '⟩' | '⦄' => TokenKind::Close,
        '«' => TokenKind::Ident,
        _ if is_wide_letter(c) => TokenKind::Ident,
        _ if is_invisible(c) => TokenKind::Whitespace,
        _ => TokenKind::Symbol,
    }
}

/// The operators that must not fall into pieces; any other character stands alone.
#[inline]
pub(super) fn operator_length(byte: u8, next: Option<u8>, third: Option<u8>) -> usize {
    match (byte, next, third) {
        (b'<', Some(b';' | b'|'), Some(b'>')) => 3,
        // So that what follows is no comment: `{x //-1 < x}`, `p \/-q`.
        (b'/', Some(b'/' | b'\\'), _)
        | (b'\\', Some(b'/'), _)
        | (b':', Some(b'=' | b':'), _)
        | (b'=', Some(b'>' | b'='), _)
        | (b'|', Some(b'|' | b'>'), _)
        | (b'<', Some(b'|' | b'-' | b'='), _)
        | (b'>', Some(b'='), _)
        | (b'-', Some(b'>'), _) => 2,
        _ => 1,
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Stand {
    pub(super) line: usize,
    pub(super) line_start: usize,
    /// Bytes of the line so far that only continue a character.
    pub(super) wide: usize,
    /// Whether no lexeme but trivia was read since the last line end between lexemes.
    pub(super) first: bool,
    pub(super) spaced: bool,
}

impl Stand {
    /// Makes it the stand before another lexeme of the line, unless that is the first.
    #[inline]
    pub(super) fn keep_first(&mut self, is_first: bool) {
        self.first &= is_first;
        self.spaced &= is_first;
    }

    #[inline]
    pub(super) fn column(&self, offset: usize) -> usize {
        offset.saturating_sub(self.line_start + self.wide)
    }
}

pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    /// Open holes of interpolated strings, innermost last: the braces open in each.
    pub(super) holes: Vec<usize>,
    pub(super) head: Head,
    /// Kind and end of the last lexeme that is no trivia.
    pub(super) last: (TokenKind, usize),
    pub(super) stand: Stand,
    /// From here on there is no `»`.
    unquoted: usize,
    unfinished: Vec<(ProblemKind, usize)>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self::from(text, 0, 1, false)
    }

    /// A reader that begins at an offset in a line, where nothing is open. It takes what it reads
    /// first for the first of its line; `spaced` says whether an empty line stands before that.
    pub(super) fn from(text: &'a str, at: usize, line: usize, spaced: bool) -> Self {
        let bytes = text.as_bytes();
        let before = bytes.get(..at).unwrap_or_default();
        let line_start = memrchr(b'\n', before).map_or(0, |end| end + 1);
        let wide = continued(before.get(line_start..).unwrap_or_default());
        Self {
            text,
            bytes,
            at,
            holes: Vec::new(),
            head: Head::None,
            last: (TokenKind::Whitespace, 0),
            stand: Stand { line, line_start, wide, first: true, spaced },
            unquoted: bytes.len(),
            unfinished: Vec::new(),
        }
    }

    /// Whether nothing that was read before changes how what follows is read.
    #[inline]
    pub(super) fn rests(&self) -> bool {
        self.holes.is_empty() && self.head == Head::None
    }

    pub(super) fn finish(mut self) -> Vec<(ProblemKind, usize)> {
        if !self.holes.is_empty() {
            self.leave_open(ProblemKind::UnterminatedString, self.last.1);
        }
        self.unfinished
    }

    #[inline]
    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    #[inline]
    pub(super) fn char_at(&self, offset: usize) -> Option<char> {
        self.text.get(offset..).and_then(|rest| rest.chars().next())
    }

    pub(super) fn leave_open(&mut self, what: ProblemKind, start: usize) {
        if self.unfinished.len() < MOST_UNFINISHED {
            self.unfinished.push((what, start));
        }
    }

    pub(super) fn count(&mut self, from: usize) {
        for end in memchr_iter(b'\n', self.bytes.get(from..self.at).unwrap_or_default()) {
            self.stand.line += 1;
            self.stand.line_start = from + end + 1;
            self.stand.wide = 0;
        }
        let last = self.bytes.get(from.max(self.stand.line_start)..self.at).unwrap_or_default();
        self.stand.wide += continued(last);
    }

    #[inline]
    fn token(&mut self, byte: u8) -> TokenKind {
        match class(byte) {
            Class::Letter if byte == b'r' && self.raw_string() => TokenKind::RawStr,
            Class::Letter => self.name(),
            Class::Digit => self.number(),
            Class::Wide => self.wide(),
            Class::Dot => self.dots(),
            _ => self.punctuation(byte),
        }
    }

    #[inline]
    pub(super) fn lexeme(&mut self) -> Option<Token> {
        let start = self.at;
        let kind = self.token(self.peek(0)?);
        if !kind.is_trivia() {
            self.note(kind, start);
            self.stand.first = false;
            self.stand.spaced = false;
        }
        Some(Token { kind, start, end: self.at })
    }

    #[inline]
    pub(super) fn pass_blanks(&mut self) {
        // Every third lexeme is a single blank.
        if self.peek(0) == Some(b' ') && self.peek(1).is_some_and(|b| class(b) != Class::Blank) {
            self.at += 1;
        } else if self.peek(0).is_some_and(|b| class(b) == Class::Blank) {
            self.blanks();
        }
    }

    #[inline]
    pub(super) fn begin_line(&mut self, at: usize) {
        self.stand.line += 1;
        self.stand.line_start = at;
        self.stand.wide = 0;
    }

    pub(super) fn blanks(&mut self) {
        let before = self.stand.line;
        while let Some(byte) = self.peek(0).filter(|&byte| class(byte) == Class::Blank) {
            self.at += 1;
            if byte == b'\n' {
                self.begin_line(self.at);
            }
        }
        self.stand.first |= self.stand.line > before;
        self.stand.spaced |= self.stand.line > before + 1;
    }

    fn wide(&mut self) -> TokenKind {
        let c = self.char_at(self.at).unwrap_or(char::REPLACEMENT_CHARACTER);
        let kind = wide_kind(c);
        if kind == TokenKind::Ident {
            return self.name();
        }
        self.at += c.len_utf8();
        self.stand.wide += c.len_utf8() - 1;
        kind
    }

    fn punctuation(&mut self, byte: u8) -> TokenKind {
        let next = self.peek(1);
        match (byte, next) {
            (b'-', Some(b'-')) => self.line_comment(),
            (b'/', Some(b'-')) => self.block_comment(),
            (b'"', _) => self.string(),
            (b'\'', _) => self.prime(),
            (b'`', _) => self.backquote(),
            (b'?', _) if self.starts_name(self.at + 1) && !self.is_raw_string(self.at + 1) => {
                self.at += 1;
                self.name();
                TokenKind::Hole
            }
            (b'{', _) => self.open_brace(),
            (b'}', _) => self.close_brace(),
            (b'(' | b'[', _) => self.take(1, TokenKind::Open),
            (b')' | b']', _) => self.take(1, TokenKind::Close),
            (b'@' | b'#', Some(b'[')) => self.take(2, TokenKind::Open),
            _ => self.take(operator_length(byte, next, self.peek(2)), TokenKind::Symbol),
        }
    }

    pub(super) fn take(&mut self, bytes: usize, kind: TokenKind) -> TokenKind {
        self.at += bytes;
        kind
    }

    fn line_comment(&mut self) -> TokenKind {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.take(memchr(b'\n', rest).unwrap_or(rest.len()), TokenKind::LineComment)
    }

    /// A comment between `/-` and `-/`. The character after `/-` is text whatever it is, so `/-/` is
    /// no nested opener. `/--` and `/-!` are words of their own: after them, as after any word, Lean
    /// passes over blanks and plain comments before it reads the text.
    fn block_comment(&mut self) -> TokenKind {
        let start = self.at;
        let kind = match self.peek(2) {
            Some(b'-') => TokenKind::DocComment,
            Some(b'!') => TokenKind::ModuleDoc,
            _ => TokenKind::BlockComment,
        };
        self.at += 2;
        self.at += self.char_at(self.at).map_or(0, char::len_utf8);
        let closed = kind == TokenKind::BlockComment || self.pass_trivia();
        if !(closed && self.comment_text()) {
            self.at = self.bytes.len();
            self.leave_open(ProblemKind::UnterminatedComment, start);
        }
        self.count(start);
        kind
    }

    fn pass_trivia(&mut self) -> bool {
        loop {
            match (self.peek(0), self.peek(1), self.peek(2)) {
                (Some(byte), ..) if class(byte) == Class::Blank => self.at += 1,
                (Some(b'-'), Some(b'-'), _) => {
                    self.line_comment();
                }
                (Some(b'/'), Some(b'-'), next) if !matches!(next, Some(b'-' | b'!')) => {
                    self.at += 2;
                    self.at += self.char_at(self.at).map_or(0, char::len_utf8);
                    if !self.comment_text() {
                        return false;
                    }
                }
                _ => return true,
            }
        }
    }

    fn comment_text(&mut self) -> bool {
        let mut depth = 1usize;
        while depth > 0 {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(dash) = memchr(b'-', rest) else { return false };
            // Both `/-` and `-/` have a dash; a slash belongs to what comes first.
            let opens = dash.checked_sub(1).and_then(|before| rest.get(before)) == Some(&b'/');
            let closes = !opens && rest.get(dash + 1) == Some(&b'/');
            self.at += dash + 1 + usize::from(closes);
            depth = depth + usize::from(opens) - usize::from(closes);
        }
        true
    }

    fn name(&mut self) -> TokenKind {
        loop {
            if self.is_quoted(self.at) {
                self.quoted_part();
            } else {
                let (end, wide) = self.plain_end(self.at);
                self.at = end;
                self.stand.wide += wide;
            }
            if self.peek(0) == Some(b'.') && self.starts_name(self.at + 1) {
                self.at += 1;
            } else {
                return TokenKind::Ident;
            }
        }
    }

    #[inline]
    pub(super) fn pass_plain(&mut self, start: usize) -> Option<usize> {
        let (end, wide) = self.plain_end(start);
        if self.bytes.get(end) == Some(&b'.') && self.is_quoted(end + 1) {
            return None;
        }
        self.stand.wide += wide;
        Some(end)
    }

    /// The end, or the dot before the first quoted part; and the count of continuation bytes.
    pub(super) fn plain_end(&self, start: usize) -> (usize, usize) {
        let (mut end, mut wide) = (start, 0);
        loop {
            match self.bytes.get(end) {
                Some(&byte) if is_of_name(byte) => end = name_end(self.bytes, end),
                Some(b'.') if self.starts_plain_name(end + 1) => end += 1,
                Some(0x80..) => match self.char_at(end) {
                    Some(c) if is_wide_name_rest(c) => {
                        end += c.len_utf8();
                        wide += c.len_utf8() - 1;
                    }
                    _ => return (end, wide),
                },
                _ => return (end, wide),
            }
        }
    }

    fn is_quoted(&self, offset: usize) -> bool {
        self.bytes.get(offset..).is_some_and(|rest| rest.starts_with(&LEFT_GUILLEMET))
    }

    fn starts_name(&self, offset: usize) -> bool {
        self.starts_plain_name(offset) || self.is_quoted(offset)
    }

    fn starts_plain_name(&self, offset: usize) -> bool {
        match self.bytes.get(offset).map(|&b| class(b)) {
            Some(Class::Letter) => true,
            Some(Class::Wide) => self.char_at(offset).is_some_and(is_wide_letter),
            _ => false,
        }
    }

    fn quoted_part(&mut self) {
        let start = self.at;
        let rest = self.text.get(start..self.unquoted.max(start)).unwrap_or_default();
        if let Some(length) = rest.find('»') {
            self.at += length + '»'.len_utf8();
            return self.count(start);
        }
        self.unquoted = self.unquoted.min(start);
        self.line_comment();
        self.leave_open(ProblemKind::UnterminatedName, start);
    }

    /// A numeral: digits and underscores, or a base prefix; a fraction; an exponent.
    pub(super) fn number(&mut self) -> TokenKind {
        // The `1` of `x.1.e5`: what follows it is a name.
        let before = self.bytes.get(..self.at).unwrap_or_default();
        let dot = before.ends_with(b".") && !before.ends_with(b"..");
        let is_part = dot && self.last == (TokenKind::Symbol, self.at);
        let is_digit: Option<fn(&u8) -> bool> = match (self.peek(0), self.peek(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => Some(u8::is_ascii_hexdigit),
            (Some(b'0'), Some(b'o' | b'O')) => Some(|b| matches!(b, b'0'..=b'7')),
            (Some(b'0'), Some(b'b' | b'B')) => Some(|b| matches!(b, b'0' | b'1')),
            _ => None,
        };
        if let Some(is_digit) = is_digit {
            self.at += 2;
            self.digits(is_digit);
            return TokenKind::Number;
        }
        self.digits(u8::is_ascii_digit);
        let dot = usize::from(self.peek(0) == Some(b'.'));
        if dot == 1 && self.peek(1).is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
            self.digits(u8::is_ascii_digit);
            self.exponent(0);
        } else if dot == 0 || !is_part {
            self.exponent(dot);
        }
        TokenKind::Number
    }

    fn exponent(&mut self, dot: usize) {
        let sign = usize::from(matches!(self.peek(dot + 1), Some(b'+' | b'-')));
        if matches!(self.peek(dot), Some(b'e' | b'E'))
            && self.peek(dot + 1 + sign).is_some_and(|b| b.is_ascii_digit())
        {
            self.at += dot + 1 + sign;
            self.digits(u8::is_ascii_digit);
        }
    }

    fn digits(&mut self, is_digit: fn(&u8) -> bool) {
        while self.peek(0).is_some_and(|b| is_digit(&b) || b == b'_') {
            self.at += 1;
        }
    }

    /// `` `name ``, ``` ``name ```, a quotation `` `( ``, or a lone backquote.
    fn backquote(&mut self) -> TokenKind {
        let ticks = 1 + usize::from(self.peek(1) == Some(b'`'));
        if self.starts_name(self.at + ticks) {
            self.at += ticks;
            self.name();
            return TokenKind::NameLit;
        }
        match self.peek(1) {
            Some(b'(' | b'[') => self.take(2, TokenKind::Open),
            _ => self.take(1, TokenKind::Symbol),
        }
    }

    /// `..`, `...`, `.name` (one lexeme), or a lone dot.
    fn dots(&mut self) -> TokenKind {
        if self.peek(1) == Some(b'.') {
            let length = 2 + usize::from(self.peek(2) == Some(b'.'));
            return self.take(length, TokenKind::Symbol);
        }
        self.at += 1;
        let name = self.starts_name(self.at) && !self.is_raw_string(self.at);
        if name { self.name() } else { TokenKind::Symbol }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    #[inline]
    fn next(&mut self) -> Option<Token> {
        let start = self.at;
        self.pass_blanks();
        if self.at > start {
            return Some(Token { kind: TokenKind::Whitespace, start, end: self.at });
        }
        self.lexeme()
    }
}
