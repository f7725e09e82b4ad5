//! Which strings are interpolated: Lean decides by the word before them (`s!"..."`, `throwError "..."`).

use super::lexer::Lexer;
use super::token::TokenKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    None,
    /// The very next lexeme, if it is a string, is interpolated.
    Next,
    /// The same, if it touches the word (`custom!"..."`).
    Touching,
    /// A string among the next lexemes is: arguments stand between (`throwErrorAt stx "..."`).
    Within(u8),
}

/// Whether a name may be one that says something about the string behind it, in
/// [`Lexer::after_word`]: such a name ends in `!` or begins with one of these pairs of letters.
#[inline]
pub(super) fn may_head(name: &[u8]) -> bool {
    let begins = matches!(name, [b't', b'h' | b'r', ..] | [b'l', b'o', ..] | [b'd', b'b', ..]);
    begins || name.last() == Some(&b'!')
}

impl Lexer<'_> {
    pub(super) fn is_interpolated(&self) -> bool {
        match self.head {
            Head::None => false,
            Head::Next | Head::Within(_) => true,
            Head::Touching => self.last.1 == self.at,
        }
    }

    #[inline]
    pub(super) fn note(&mut self, kind: TokenKind, start: usize) {
        if matches!(kind, TokenKind::Ident | TokenKind::Hole) {
            // To Lean the dot of `.dbg_trace` and the mark of `?m!` are lexemes of their own.
            let marked = matches!(self.bytes.get(start), Some(b'.' | b'?'));
            let start = start + usize::from(marked);
            if self.head != Head::None
                || may_head(self.bytes.get(start..self.at).unwrap_or_default())
            {
                self.head = self.after_word(start);
            }
        } else if self.head != Head::None {
            self.head = self.after_other(kind, start);
        }
        self.last = (kind, self.at);
    }

    fn after_other(&self, kind: TokenKind, start: usize) -> Head {
        let argument = matches!(
            kind,
            TokenKind::Open | TokenKind::Close | TokenKind::Number | TokenKind::NameLit
        );
        let dot = kind == TokenKind::Symbol && self.bytes.get(start) == Some(&b'.');
        if argument || dot { self.one_less() } else { Head::None }
    }

    fn one_less(&self) -> Head {
        match self.head {
            Head::Within(more @ 1..) => Head::Within(more - 1),
            _ => Head::None,
        }
    }

    fn after_word(&self, start: usize) -> Head {
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        match word {
            [] | [_] => self.one_less(),
            b"s!"
            | b"m!"
            | b"f!"
            | b"throwError"
            | b"dbg_trace"
            | b"reportIssue!"
            | b"reportDbgIssue!"
            | [.., b'l', b'n', b'!'] => Head::Next,
            b"throwErrorAt" | b"throwNamedError" | b"throwNamedErrorAt" | b"logNamedError"
            | b"logNamedErrorAt" | b"logNamedWarning" | b"logNamedWarningAt" => Head::Within(12),
            b"trace" | b"trace_goal" if self.peek(0) == Some(b'[') => Head::Within(3),
            b"panic!" | b"unreachable!" | b"assert!" | b"let" | b"if" | b"else" | b"then"
            | b"match" | b"return" | b"do" | b"for" | b"have" | b"throw" | b"pure" | b"by" => {
                Head::None
            }
            [.., b'!'] => Head::Touching,
            _ => self.one_less(),
        }
    }
}
