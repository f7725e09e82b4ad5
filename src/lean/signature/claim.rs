//! What a statement claims, however it is written down: for finding a claim again under another
//! name, in another shape.
//!
//! Equal are statements that say the same, whatever brackets ask for what they need; universes,
//! ascriptions that say nothing and lexemes of a body count for nothing. The names that a statement does
//! not bind count as they are spelled: what they mean is not seen in it.

use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::fold::{Fold, How};
use super::lexemes::{Tokens, lexemes};
use super::spelling::{noted, print_all};
use super::term::{Parser, Term};

#[derive(Debug, Clone)]
pub struct Claim {
    print: u64,
    words: Vec<String>,
}

impl PartialEq for Claim {
    fn eq(&self, other: &Self) -> bool {
        self.print == other.print
    }
}

impl Eq for Claim {}

impl Hash for Claim {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.print.hash(state);
    }
}

impl Claim {
    /// From after the theorem's name on: `(n : ℕ) : n < 5`. `None` without a colon.
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
        let print = print_all(asked.chain([node.core]));
        // `Nat` may be written `ℕ`, and `x.f` for `T.f x`.
        let names = fold.free.iter().filter(|name| name.is_ascii() && noted(name) == **name);
        let ends = names.map(|name| name.rsplit('.').next().unwrap_or_default().to_owned());
        let mut words: Vec<String> = ends.collect();
        words.sort_by_key(|word| Reverse(word.len()));
        fold.is_whole().then_some(Self { print, words })
    }

    /// Words that stand in every signature that makes this claim, the longest first: numerals and the
    /// ends of names that are not bound, those in ASCII. None in `a + b = b + a`.
    pub fn words(&self) -> &[String] {
        &self.words
    }
}

fn read(text: &str) -> Tokens<'_> {
    Tokens::read(text, &lexemes(text))
}

fn denied(tokens: &Tokens<'_>) -> Option<Range<usize>> {
    let end = tokens.end();
    let colon = tokens.find(0..end, ":")?;
    let denied = colon + 2..end;
    (tokens.spelling(colon + 1) == "¬" && !denied.is_empty()).then_some(denied)
}
