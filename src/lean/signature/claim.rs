//! What a statement claims, however it is written down: for finding a claim again under another
//! name, in another shape.
//!
//! Equal are statements that say the same, whatever brackets ask for what they need; universes,
//! ascriptions that say nothing and lexemes of a body count for nothing. The names that a statement does
//! not bind count as they are spelled: what they mean is not seen in it.

use std::ops::Range;

use super::fold::{Fold, How};
use super::lexemes::{Tokens, lexemes};
use super::spelling::print_all;
use super::term::{Parser, Term};

/// The print of what a statement claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Claim(u64);

impl Claim {
    /// The claim of a signature, from after the theorem's name on: `(n : ℕ) : n < 5`. `None` without
    /// a colon or without anything behind it.
    pub fn of_signature(signature: &str) -> Option<Self> {
        let tokens = read(signature);
        let end = tokens.end();
        tokens.find(0..end, ":").filter(|colon| colon + 1 < end)?;
        Self::of(&tokens, 0..end, true)
    }

    /// The claim of a proposition: `∀ n : ℕ, n < 5`. `None` for nothing.
    pub fn of_proposition(proposition: &str) -> Option<Self> {
        let tokens = read(proposition);
        Self::of(&tokens, 0..tokens.end(), false)
    }

    /// The claim that a signature denies, if it says `: ¬ ...` and binds nothing.
    pub fn denied_by(signature: &str) -> Option<Self> {
        let tokens = read(signature);
        let denied = denied(&tokens).filter(|denied| denied.start == 2)?;
        Self::of(&tokens, denied, false)
    }

    /// Whether a signature says that something is not so: `(n : ℕ) : ¬ ...`.
    pub fn is_denial(signature: &str) -> bool {
        denied(&read(signature)).is_some()
    }

    /// The claim of a statement as people and provers note it without a keyword: a signature, with
    /// or without the name before it, or a proposition.
    pub fn of_note(text: &str) -> Option<Self> {
        let tokens = read(text);
        let named = usize::from(tokens.is_name(0));
        let levels = tokens.spelling(named) == "." && tokens.spelling(named + 1) == "{";
        let mut at = named + usize::from(levels);
        while let Some(close) = tokens.closer(at) {
            at = close + 1;
        }
        if tokens.spelling(at) != ":" {
            return Self::of_proposition(text);
        }
        let end = tokens.end();
        (at + 1 < end).then(|| Self::of(&tokens, named..end, true)).flatten()
    }

    fn of(tokens: &Tokens<'_>, range: Range<usize>, signed: bool) -> Option<Self> {
        if range.is_empty() {
            return None;
        }
        let parser = Parser::new(tokens);
        let parts = if signed { parser.signature(range) } else { parser.proposition(range) };
        let nothing = matches!(&*parts.conclusion, Term::Flat(items) if items.is_empty());
        if nothing || !parts.whole {
            return None;
        }
        let mut fold = Fold::new(How::Claim, &[], &[]);
        let node = fold.statement(&parts.binders, &parts.conclusion);
        let asked = node.asked.iter().map(|(_, print)| *print);
        fold.is_whole().then(|| Self(print_all(asked.chain([node.core]))))
    }
}

fn read(text: &str) -> Tokens<'_> {
    Tokens::read(text, &lexemes(text))
}

/// What stands behind the `¬` with which the conclusion of a signature begins.
fn denied(tokens: &Tokens<'_>) -> Option<Range<usize>> {
    let end = tokens.end();
    let colon = tokens.find(0..end, ":")?;
    let denied = colon + 2..end;
    (tokens.spelling(colon + 1) == "¬" && !denied.is_empty()).then_some(denied)
}
