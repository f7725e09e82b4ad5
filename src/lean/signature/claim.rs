//! What a statement claims, however it is written down: for finding a claim again under another
//! name, in another shape.
//!
//! Equal are statements that say the same, whatever brackets ask for what they need; universes,
//! ascriptions that say nothing and lexemes of a body count for nothing. The names that a statement does
//! not bind count as they are spelled: what they mean is not seen in it.

use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::Signature;
use super::fold::{Fold, How, ordered};
use super::lexemes::{Tokens, lexemes};
use super::spelling::{noted, operator, print_all};
use super::term::{Binder, Parser, Term, Tree};
use crate::lean::token::TokenKind;

/// Statements inside of one declaration that are looked at.
const MOST_INNER: usize = 64;

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
        let mut parser = Parser::new(tokens);
        let parts = if signed { parser.signature(range) } else { parser.proposition(range) };
        Self::of_parts(&parts)
    }

    fn of_parts(parts: &Signature<'_>) -> Option<Self> {
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

    /// The claims from which that of a signature would follow: one hypothesis fewer, `a < b` for `a ≤ b`.
    pub fn stronger(signature: &str) -> Vec<Self> {
        let tokens = read(signature);
        let parts = Parser::new(&tokens).signature(0..tokens.end());
        let fewer = parts.binders.iter().enumerate().filter(|(_, one)| one.is_relation());
        let fewer = fewer.map(|(at, _)| {
            let mut fewer = parts.clone();
            fewer.binders.remove(at);
            fewer
        });
        let strict = compared(&parts.conclusion).filter(|(sign, ..)| *sign == "≤");
        let strict = strict.map(|(_, a, b)| infix("<", a, b));
        let strict = strict.map(|conclusion| Signature { conclusion, ..parts.clone() });
        fewer.chain(strict).filter_map(|parts| Self::of_parts(&parts)).collect()
    }

    /// What the two directions of an equivalence claim.
    pub fn directions(signature: &str) -> Option<[Self; 2]> {
        let tokens = read(signature);
        let parts = Parser::new(&tokens).signature(0..tokens.end());
        let Term::Infix("↔", p, q) = &**parts.conclusion.bare() else { return None };
        let from =
            |p, q| Self::of_parts(&Signature { conclusion: infix("→", p, q), ..parts.clone() });
        Some([from(p, q)?, from(q, p)?])
    }

    /// What a declaration claims beside that: without negations, each conjunct, each hypothesis for all, each step of
    /// its proof alone and under its binders, each field.
    pub fn inner(signature: &str, body: &str) -> Vec<Self> {
        let (own, tokens) = (read(signature), read(body));
        let mut plain = Parser::new(&own).signature(0..own.end());
        let outer = plain.binders.clone();
        let mut found = Vec::new();
        for of_type in plain.binders.iter_mut().filter_map(|binder| binder.of_type.as_mut()) {
            *of_type = positive(of_type);
            if matches!(&**of_type.bare(), Term::Binding(binding) if binding.sign == "∀") {
                let parts = Signature { conclusion: of_type.clone(), ..Signature::default() };
                found.push(Signature { whole: plain.whole, ..parts });
            }
        }
        let mut tail = positive(&plain.conclusion);
        while let Term::Infix("∧", left, right) = &**tail.bare() {
            found.push(Signature { conclusion: left.clone(), ..plain.clone() });
            tail = Tree::clone(right);
        }
        found.push(Signature { conclusion: tail, ..plain });
        for step in (0..tokens.len()).filter_map(|at| step(&tokens, at)).take(MOST_INNER) {
            let step = Parser::new(&tokens).signature(step);
            let binders = outer.iter().chain(&step.binders).cloned().collect();
            found.extend([Signature { binders, ..step.clone() }, step]);
        }
        found.truncate(2 * MOST_INNER);
        found.iter().filter_map(Self::of_parts).collect()
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

/// The sides of a comparison with this sign, the smaller one first.
fn compared<'t, 'a>(tree: &'t Tree<'a>) -> Option<(&'t str, &'t Tree<'a>, &'t Tree<'a>)> {
    let Term::Infix(sign, left, right) = &**tree.bare() else { return None };
    Some(ordered(sign, left, right))
}

fn infix<'a>(sign: &'a str, left: &Tree<'a>, right: &Tree<'a>) -> Tree<'a> {
    Tree::new(Term::Infix(sign, left.clone(), right.clone()))
}

/// `b < a` for `¬ a ≤ b`, `b ≤ a` for `¬ a < b`.
fn positive<'a>(tree: &Tree<'a>) -> Tree<'a> {
    let Term::Prefix("¬", denied) = &**tree.bare() else { return tree.clone() };
    match compared(denied) {
        Some(("≤", a, b)) => infix("<", b, a),
        Some(("<", a, b)) => infix("≤", b, a),
        _ => tree.clone(),
    }
}

impl Binder<'_> {
    /// Whether it says something of what stands before it.
    fn is_relation(&self) -> bool {
        match self.of_type.as_ref().map(|of_type| &**of_type.bare()) {
            Some(Term::Infix(sign, ..)) => operator(sign).is_some_and(|one| one.level == 50),
            Some(Term::Prefix(sign, _)) => *sign == "¬",
            _ => false,
        }
    }
}

/// What `have h : p := ..` states, and a field `h : ∀ x, p` up to the end of its line.
fn step(tokens: &Tokens<'_>, at: usize) -> Option<Range<usize>> {
    match tokens.spelling(at) {
        "have" | "suffices" => {
            // The step's own name is no binder.
            let start = at + 1 + usize::from(tokens.is_name(at + 1));
            let ends = ["by", "from", ":="].map(|word| tokens.find(start..tokens.len(), word));
            Some(start..ends.into_iter().flatten().min()?)
        }
        _ if tokens.is_name(at)
            && tokens.spelling(at + 1) == ":"
            && tokens.spelling(at + 2) == "∀" =>
        {
            let mut end = at + 2;
            while end < tokens.len()
                && !tokens.is_first(end)
                && tokens.kind(end) != Some(TokenKind::Close)
            {
                end = tokens.closer(end).unwrap_or(end) + 1;
            }
            Some(at + 1..end)
        }
        _ => None,
    }
}

fn denied(tokens: &Tokens<'_>) -> Option<Range<usize>> {
    let end = tokens.end();
    let colon = tokens.find(0..end, ":")?;
    let denied = colon + 2..end;
    (tokens.spelling(colon + 1) == "¬" && !denied.is_empty()).then_some(denied)
}
