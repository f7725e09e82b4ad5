//! The lexemes of Lean 4 text.
//!
//! A token is a kind and a byte range. What a word or a symbol means is decided elsewhere
//! (`word`, `sig`): here `theorem` and `foo` are both identifiers.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    Whitespace,
    LineComment,
    BlockComment,
    DocComment,
    ModuleDoc,
    Ident,
    Number,
    /// A string without holes, quotes included.
    Str,
    /// `r"..."`, `r#"..."#`.
    RawStr,
    /// `"text{`: an interpolated string up to its first hole.
    InterpStart,
    /// `}text{`: the text between two holes.
    InterpMid,
    InterpEnd,
    /// `'a'`, `'\n'`.
    Char,
    /// `` `foo ``, ``` ``foo ```.
    NameLit,
    /// `?_`, `?x`.
    Hole,
    /// `(`, `[`, `{`, `⟨`, `⦃`, `@[`, `` `( ``.
    Open,
    /// `)`, `]`, `}`, `⟩`, `⦄`.
    Close,
    /// Everything else: operators and punctuation, longest match for those that matter.
    Symbol,
}

impl TokenKind {
    pub const fn is_trivia(self) -> bool {
        matches!(self, Self::Whitespace | Self::LineComment | Self::BlockComment)
    }

    pub const fn is_string(self) -> bool {
        matches!(
            self,
            Self::Str | Self::RawStr | Self::InterpStart | Self::InterpMid | Self::InterpEnd
        )
    }

    pub const fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment | Self::DocComment | Self::ModuleDoc)
    }
}

/// A lexeme: `text[start..end]`. Tokens follow each other without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// The lexeme that closes the bracket which stands first.
pub fn closing(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0usize;
    tokens.iter().position(|token| {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

/// The lexemes outside of all brackets that are this symbol.
pub fn outside<'t>(
    text: &str,
    tokens: &'t [Token],
    symbol: &str,
) -> impl Iterator<Item = &'t Token> {
    let mut depth = 0usize;
    tokens.iter().filter(move |token| {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            _ => return depth == 0 && token.text(text) == symbol,
        }
        false
    })
}

impl Token {
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}
