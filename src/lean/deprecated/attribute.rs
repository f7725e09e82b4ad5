//! `deprecated` among the attributes of a declaration, and its arguments.

use crate::lean::sig::Sig;
use crate::lean::token::TokenKind;
use crate::lean::word::Word;

/// One `deprecated`.
#[derive(Debug, Clone, Default)]
pub(super) struct Mark<'s> {
    /// The new name as written.
    pub(super) new: Option<&'s Sig>,
    pub(super) message: Option<String>,
    pub(super) since: Option<String>,
}

/// The marks in one attribute of a list, also in what it hands on: `to_additive (attr := deprecated)`.
pub(super) fn marks<'s>(text: &str, attribute: &'s [Sig]) -> Vec<Mark<'s>> {
    let begins = |before: &Sig| {
        before.kind == TokenKind::Open
            || matches!(before.word, Word::Comma | Word::Assign | Word::Modifier)
    };
    let at = |index: &usize| {
        let before = index.checked_sub(1).and_then(|before| attribute.get(before));
        attribute.get(*index).is_some_and(|sig| sig.text(text) == "deprecated")
            && before.is_none_or(begins)
    };
    let marks = (0..attribute.len()).filter(at);
    marks.map(|at| arguments(text, attribute.get(at + 1..).unwrap_or_default(), true)).collect()
}

/// The arguments of `deprecated` or `deprecated_module`, from the first of `sigs` on.
pub(super) fn arguments<'s>(text: &str, sigs: &'s [Sig], named: bool) -> Mark<'s> {
    let mut mark = Mark::default();
    let mut rest = sigs.iter();
    while let Some(sig) = rest.next() {
        match sig.kind {
            TokenKind::Ident if named && mark.new.is_none() => mark.new = Some(sig),
            TokenKind::Str | TokenKind::RawStr => mark.message = Some(unquote(sig.text(text))),
            // `(since := "...")`
            TokenKind::Open => {
                let inside = rest.by_ref().take_while(|sig| sig.kind != TokenKind::Close);
                let dates = inside.filter(|sig| sig.kind == TokenKind::Str);
                mark.since = dates.map(|date| unquote(date.text(text))).last();
            }
            _ => break,
        }
    }
    mark
}

/// The text that a string literal stands for.
pub(super) fn unquote(literal: &str) -> String {
    if let Some(raw) = literal.strip_prefix('r') {
        return raw.trim_matches('#').trim_matches('"').to_owned();
    }
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            // A gap: the line end and the blanks that follow are left out.
            Some('\n') => while chars.next_if(|c| c.is_whitespace()).is_some() {},
            Some(c) => out.push(c),
            None => {}
        }
    }
    out
}
