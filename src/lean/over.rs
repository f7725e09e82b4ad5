//! Reading over what says nothing.
//!
//! In statements and bodies most lexemes are names, operators and brackets that the outline of a text
//! has no use for: none is made of them. Names, blanks and most signs are gone past here, byte by byte;
//! for everything else, comments and strings above all, the lexer is asked.

use super::chars::{Class, class, name_length};
use super::interpolation::{Head, may_head};
use super::lexer::{Lexer, continued, operator_length, wide_kind};
use super::sig::{Reader, Sig, meaning};
use super::token::TokenKind;
use super::word::{self, Cmd, Word};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Skip {
    pub(super) column: usize,
    /// Whether its body was not found yet: then what may begin it is kept.
    pub(super) statement: bool,
}

impl Skip {
    /// Whether a word is kept, outside of all brackets that were left out or inside of one.
    fn keeps(self, word: Word, outside: bool) -> bool {
        word != Word::Other
            && (!word.is_quiet() || (self.statement && outside && word.is_of_statement()))
    }
}

/// How many lexemes behind a word are looked at with it.
const fn near(word: Word) -> usize {
    match word {
        Word::Command(Cmd::SetOption) | Word::NativeDecide => 2,
        Word::Assign | Word::Sorry | Word::Search | Word::Plus => 1,
        _ => 0,
    }
}

#[derive(Debug, Default)]
pub(super) struct Over {
    pub(super) skip: Option<Skip>,
    /// So many of the next lexemes are kept, whatever they are.
    near: usize,
    last: Option<Sig>,
    /// If that is a closing bracket: its opening one.
    opener: Option<Sig>,
    /// Opening brackets that were left out and are open.
    open: Vec<Sig>,
}

impl Over {
    fn pass(&mut self, sig: Sig) -> bool {
        if opens(sig.kind) {
            self.open.push(sig);
        } else if closes(sig.kind) {
            let Some(opener) = self.open.pop() else { return false };
            self.opener = Some(opener);
        }
        self.last = Some(sig);
        true
    }
}

const fn opens(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Open | TokenKind::InterpStart)
}

const fn closes(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Close | TokenKind::InterpEnd)
}

impl Reader<'_> {
    #[inline]
    pub(super) fn read_over(&mut self, skip: Option<Skip>) {
        if skip.is_some()
            && self.over.skip.is_none()
            && let [.., before, last] = self.sigs.as_slice()
        {
            self.over.near = near(last.word).max(near(before.word).saturating_sub(1));
        }
        self.over.skip = skip;
    }

    pub(super) fn step_over(&mut self, skip: Skip) -> Option<()> {
        loop {
            if self.over.near == 0 && self.lexer.rests() {
                self.glide(skip);
            }
            let Some(read) = self.read() else {
                let left = self.over.last.is_some();
                self.keep_passed();
                return left.then_some(());
            };
            let Some(sig) = read else { continue };
            let bracket = sig.word == Word::Other && (opens(sig.kind) || closes(sig.kind));
            let means = match sig.kind {
                _ if bracket => false,
                TokenKind::Hole | TokenKind::DocComment | TokenKind::ModuleDoc => true,
                _ if sig.first && sig.column() <= skip.column => true,
                _ => skip.keeps(sig.word, self.over.open.is_empty()),
            };
            let is_near = self.over.near > 0;
            self.over.near = self.over.near.saturating_sub(1).max(near(sig.word));
            if means || is_near || !self.over.pass(sig) {
                self.keep_passed();
                self.sigs.push(sig);
                return Some(());
            }
        }
    }

    fn keep_passed(&mut self) {
        let Some(mut last) = self.over.last.take() else { return };
        self.sigs.append(&mut self.over.open);
        if opens(last.kind) {
            return; // the innermost of them
        }
        self.sigs.extend(self.over.opener.filter(|_| closes(last.kind)));
        last.word = meaning(last.kind, self.lexer.bytes, last.start()..last.end());
        self.sigs.push(last);
    }

    /// Goes past lexemes that are left out, to one that may have to be kept or that the lexer has to read.
    fn glide(&mut self, skip: Skip) {
        let Self { lexer, over, .. } = self;
        lexer.pass_blanks();
        if lexer.stand.first && lexer.stand.column(lexer.at) <= skip.column {
            return;
        }
        let bytes = lexer.bytes;
        let mut at = lexer.at;
        // Where the line begins whose first lexeme has `first` and `spaced` of `lexer.stand`; and the
        // same of the line before, with its end.
        let mut front = at;
        let mut before = (front, lexer.stand, at);
        let mut last = (TokenKind::Whitespace, usize::MAX, at);
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            let class = class(byte);
            let outside = over.open.is_empty();
            let kind = match class {
                Class::Letter => {
                    let Some(end) = quiet_name(lexer, at, skip, outside) else { break };
                    at = end;
                    TokenKind::Ident
                }
                Class::Blank if byte == b'\n' => {
                    before = (front, lexer.stand, at);
                    (lexer.stand.first, lexer.stand.spaced) = (false, false);
                    lexer.at = at;
                    lexer.blanks();
                    at = lexer.at;
                    front = at;
                    if lexer.stand.column(at) <= skip.column {
                        break;
                    }
                    continue;
                }
                Class::Blank => {
                    at += 1;
                    continue;
                }
                Class::Alone => {
                    at += 1;
                    TokenKind::Symbol
                }
                Class::Open => {
                    at += 1;
                    TokenKind::Open
                }
                Class::Close if outside => break,
                Class::Close => {
                    at += 1;
                    TokenKind::Close
                }
                Class::Sign => {
                    let (next, third) = (bytes.get(at + 1).copied(), bytes.get(at + 2).copied());
                    let kept = match (byte, next) {
                        (b'-' | b'/', Some(b'-')) | (b'@', Some(b'[')) | (b'+', Some(b'n')) => true,
                        (b':', Some(b'=')) | (b'=', Some(b'>')) => skip.statement && outside,
                        _ => false,
                    };
                    if kept {
                        break;
                    }
                    at += operator_length(byte, next, third);
                    TokenKind::Symbol
                }
                Class::Wide => {
                    let Some(c) = lexer.char_at(at) else { break };
                    let kind = wide_kind(c);
                    let kept = match c {
                        '«' => true,
                        'λ' | '↦' => skip.statement && outside,
                        _ => kind == TokenKind::Whitespace || (outside && closes(kind)),
                    };
                    if kept {
                        break;
                    }
                    let end = if kind == TokenKind::Ident {
                        lexer.pass_plain(at)
                    } else {
                        lexer.stand.wide += c.len_utf8() - 1;
                        Some(at + c.len_utf8())
                    };
                    let Some(end) = end else { break };
                    at = end;
                    kind
                }
                Class::Dot => match bytes.get(at + 1).map(|&next| self::class(next)) {
                    Some(Class::Letter) if !lexer.is_raw_string(at + 1) => {
                        let Some(whole) = lexer.pass_plain(at + 1) else { break };
                        at = whole;
                        TokenKind::Ident
                    }
                    Some(Class::Dot | Class::Wide) => break,
                    _ => {
                        at += 1;
                        TokenKind::Symbol
                    }
                },
                Class::Digit => {
                    lexer.at = at;
                    if last.1 != usize::MAX {
                        lexer.last = (last.0, last.2);
                    }
                    lexer.number();
                    at = lexer.at;
                    TokenKind::Number
                }
                Class::NameTail | Class::Other => break,
            };
            if opens(kind) {
                let mut stand = lexer.stand;
                stand.keep_first(start == front);
                stand.wide -= at - start - 1;
                over.open.push(Sig::of(kind, start..at, &stand));
            } else if closes(kind) {
                over.opener = over.open.pop();
            }
            last = (kind, start, at);
            if kind == TokenKind::Ident && (class == Class::Dot || bytes.get(at - 1) == Some(&b'!'))
            {
                lexer.at = at;
                lexer.note(kind, start);
                if lexer.head != Head::None {
                    break;
                }
            }
            at += usize::from(bytes.get(at) == Some(&b' '));
        }
        lexer.at = at;
        let (kind, start, end) = last;
        if start == usize::MAX {
            return;
        }
        lexer.last = (kind, end);
        let is_before = start < lexer.stand.line_start;
        let (first, mut stand, until) = if is_before { before } else { (front, lexer.stand, at) };
        stand.keep_first(start == first);
        stand.wide -= continued(bytes.get(start..until).unwrap_or_default());
        over.last = Some(Sig::of(kind, start..end, &stand));
        lexer.stand.keep_first(at == front);
    }
}

/// Goes past a name that begins with a letter of ASCII; its end, or `None` if it may have to be kept or
/// to be read by the lexer, and was not gone past.
#[inline]
fn quiet_name(lexer: &mut Lexer<'_>, start: usize, skip: Skip, outside: bool) -> Option<usize> {
    let bytes = lexer.bytes;
    let chunk = *bytes.get(start..)?.first_chunk()?;
    let end = start + name_length(chunk);
    if word::may_mean(word::beginning(chunk, end - start)) {
        let name = start..lexer.plain_end(end).0;
        let says = may_head(bytes.get(name.clone()).unwrap_or_default());
        if says || skip.keeps(word::of_name(bytes, name), outside) {
            return None;
        }
    }
    if end == start + chunk.len() || matches!(bytes.get(end), Some(b'.' | 0x80..)) {
        return lexer.pass_plain(end);
    }
    let is_raw = bytes.get(start) == Some(&b'r') && lexer.is_raw_string(start);
    (!is_raw).then_some(end)
}
