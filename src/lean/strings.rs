//! Strings, raw strings, interpolated strings and character literals.

use super::kind::ProblemKind;
use super::lexer::Lexer;
use super::token::TokenKind;

impl Lexer<'_> {
    pub(super) fn string(&mut self) -> TokenKind {
        let interpolated = self.is_interpolated();
        self.at += 1;
        if self.string_text(interpolated) {
            self.holes.push(0);
            TokenKind::InterpStart
        } else {
            TokenKind::Str
        }
    }

    /// A `{` that is code: it counts when it stands in a hole.
    pub(super) fn open_brace(&mut self) -> TokenKind {
        if let Some(braces) = self.holes.last_mut() {
            *braces += 1;
        }
        self.take(1, TokenKind::Open)
    }

    /// A `}`: the end of a hole if no brace is open in it.
    pub(super) fn close_brace(&mut self) -> TokenKind {
        match self.holes.last_mut() {
            None => self.take(1, TokenKind::Close),
            Some(braces) if *braces > 0 => {
                *braces -= 1;
                self.take(1, TokenKind::Close)
            }
            Some(_) => {
                self.at += 1;
                if self.string_text(true) {
                    TokenKind::InterpMid
                } else {
                    self.holes.pop();
                    TokenKind::InterpEnd
                }
            }
        }
    }

    /// Reads the text of a string past its closing quote (`false`) or past the brace of a hole
    /// (`true`). A backslash takes the next byte with it, whatever it is.
    fn string_text(&mut self, interpolated: bool) -> bool {
        let start = self.at.saturating_sub(1);
        let end = loop {
            match self.peek(0) {
                Some(b'"') => break Some(false),
                Some(b'{') if interpolated => break Some(true),
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => break None,
            }
        };
        self.at = self.bytes.len().min(self.at + 1);
        if end.is_none() {
            self.leave_open(ProblemKind::UnterminatedString, start);
        }
        self.count(start);
        end == Some(true)
    }

    /// How many hashes the raw string has that begins at an offset.
    fn hashes(&self, offset: usize) -> Option<usize> {
        let rest = self.bytes.get(offset..).and_then(|bytes| bytes.strip_prefix(b"r"))?;
        let hashes = rest.iter().take_while(|&&b| b == b'#').count();
        (rest.get(hashes) == Some(&b'"')).then_some(hashes)
    }

    /// Whether what begins at an offset, behind another lexeme, is a raw string and no name.
    pub(super) fn is_raw_string(&self, offset: usize) -> bool {
        self.hashes(offset).is_some()
    }

    /// `r"..."` and `r#"..."#` at a name's beginning; `false` if it is an ordinary name.
    pub(super) fn raw_string(&mut self) -> bool {
        let start = self.at;
        let Some(hashes) = self.hashes(start) else { return false };
        self.at = start + 1 + hashes + 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte != b'"' {
                continue;
            }
            let tail = self.bytes.get(self.at..).unwrap_or_default();
            let closing = tail.iter().take(hashes).take_while(|&&b| b == b'#').count();
            self.at += closing;
            if closing == hashes {
                self.count(start);
                return true;
            }
        }
        self.leave_open(ProblemKind::UnterminatedString, start);
        self.count(start);
        true
    }

    pub(super) fn prime(&mut self) -> TokenKind {
        if self.peek(1) == Some(b'\'') {
            return self.take(2, TokenKind::Symbol);
        }
        if self.follows_operator() {
            return self.take(1, TokenKind::Symbol);
        }
        match self.char_literal_length() {
            Some(length) => {
                self.at += length;
                self.count(self.at - length);
                TokenKind::Char
            }
            None => self.take(1, TokenKind::Symbol),
        }
    }

    /// Whether the last lexeme touches this one and may carry a prime: `]'`, `⁻¹'`, `Σ'`.
    fn follows_operator(&self) -> bool {
        let (kind, end) = self.last;
        let wide = end.checked_sub(1).and_then(|i| self.bytes.get(i)).is_some_and(|&b| b >= 0x80);
        end == self.at && (kind == TokenKind::Close || (kind == TokenKind::Symbol && wide))
    }

    fn char_literal_length(&self) -> Option<usize> {
        let c = self.char_at(self.at + 1)?;
        let mut length = 1 + c.len_utf8();
        if c == '\\' {
            length += self.char_at(self.at + length)?.len_utf8();
            let escape = |b: u8| b.is_ascii_hexdigit() || b == b'{' || b == b'}';
            while length < 12 && self.peek(length).is_some_and(escape) {
                length += 1;
            }
        }
        (self.peek(length) == Some(b'\'')).then_some(length + 1)
    }
}
