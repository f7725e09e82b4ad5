//! What a declaration states, read once: its binders, with the `variable`s that it takes in, its
//! conclusion as a tree, the names it speaks of. What is asked of a statement is a fold over that:
//! its key, what it claims, whether two say the same, how they differ.
//!
//! It is text: what a name means in another file is not seen, and of a term of which not all is known
//! nobody is told that it says the same as another one.

mod bound;
mod claim;
mod classes;
mod difference;
mod fold;
mod lexemes;
mod predicates;
mod scope;
mod shape;
mod spelling;
mod statements;
mod term;
pub mod trivial;

#[cfg(test)]
mod tests;

use super::sig::Sig;
use crate::text::is_among;
use fold::{Fold, Node};
use lexemes::Tokens;
use term::{Binder, Kind, Parser, Term, Tree};

use crate::model::last_part;
pub(super) use bound::names as bound_names;
pub use claim::Claim;
use difference::asked_before;
pub use difference::surplus;
pub(super) use difference::{Difference, difference};
pub(super) use fold::How;
pub use lexemes::layout_key;
pub(super) use lexemes::{lexemes, part, prints};
pub(super) use scope::{Around, Scopes};
pub use shape::{Closeness, Fit, Pattern, Shape, Statement};
pub use spelling::noted;
pub(super) use spelling::{print_all, print_of};
pub(super) use statements::between;
pub use statements::{Key, Statements, is_or_ends_in};

/// The version of the keys that this program makes: another one where a statement may get another key.
/// Keys of different versions say nothing about each other, so results are to be extracted again then;
/// `mk extract` reads all files each time.
pub const KEY_VERSION: u32 = 5;

#[derive(Debug, Default, Clone)]
pub struct Signature<'a> {
    names: Vec<&'a str>,
    universes: Vec<&'a str>,
    binders: Vec<Binder<'a>>,
    /// How many of the binders are `variable`s.
    taken: usize,
    conclusion: Tree<'a>,
    has_colon: bool,
    /// Whether all of it was read.
    whole: bool,
    /// The names that it does not bind.
    pub(super) refers: Vec<&'a str>,
    pub(super) exact: u64,
    /// Equal also for other names of what is bound.
    pub(super) renamed: u64,
    pub(super) around: u64,
    /// The print of what notation and macros of the file say of it; 0 for nothing.
    pub(super) notation: u64,
}

impl<'a> Signature<'a> {
    /// The names of the `variable`s that it takes in.
    pub(super) fn taken(&self) -> Vec<&'a str> {
        let all = self.binders.iter().take(self.taken).map(|binder| binder.name);
        all.filter(|name| !name.is_empty()).collect()
    }

    /// The same statement with other names in the places of some.
    pub(super) fn with_names(&self, names: &[(&'a str, &'a str)]) -> Self {
        let mut renamed = self.clone();
        for (old, new) in names {
            renamed.put(old, &Tree::new(Term::Name(new)));
        }
        renamed
    }

    /// Reads a signature by itself. `names` are those of the declaration.
    fn read(text: &'a str, lexemes: &[Sig], names: Vec<&'a str>) -> Self {
        let tokens = Tokens::read(text, lexemes);
        let mut signature = Parser::new(&tokens).signature(0..tokens.len());
        signature.names = names;
        let mut fold = signature.fold(How::Key);
        let key = signature.print(&mut fold);
        signature.renamed = print_all([signature.universes.len() as u64, key]);
        let names = signature.universes.iter().chain(&fold.binds).map(|name| print_of(name));
        signature.exact = print_all([signature.renamed].into_iter().chain(names));
        signature.whole &= fold.is_whole();
        signature.refers = fold.free;
        if !signature.whole {
            let exact = print_all(prints(text, lexemes));
            (signature.exact, signature.renamed) = (exact, exact);
        }
        signature
    }

    /// What it states up to the names of what it binds, as [`statement_key`] has it, and the names that it does not bind;
    /// `None` where it was not read to its end.
    pub fn stated(&self) -> Option<(u64, Vec<&'a str>)> {
        let mut fold = self.fold(How::Key);
        let key = print_all([self.universes.len() as u64, self.print(&mut fold)]);
        (self.whole && fold.is_whole()).then_some((key, fold.free))
    }

    fn fold(&self, how: How) -> Fold<'a> {
        Fold::new(how, &self.names, &self.universes)
    }

    fn node(&self, fold: &mut Fold<'a>) -> Node {
        fold.statement(&self.binders, &self.conclusion)
    }

    fn print(&self, fold: &mut Fold<'a>) -> u64 {
        let node = self.node(fold);
        let asked = node.asked.iter().map(|(_, print)| *print);
        print_all(asked.chain([u64::from(self.has_colon), node.core]))
    }

    /// The universes by which it says no more than `Type*` does.
    fn lone_universes(&self) -> Vec<&'a str> {
        let mut fold = self.fold(How::Key);
        self.node(&mut fold);
        fold.lone()
    }

    /// The print of it up to the names of such universes.
    fn print_of_any_universes(&self) -> u64 {
        self.print(&mut self.fold(How::Key).with_lone(&self.lone_universes()))
    }

    /// Something that it asks for and that nothing can give: `False`, `[Fact False]`, `0 = 1`.
    pub(super) fn impossible(&self) -> Option<&'static str> {
        self.binders.iter().find_map(|binder| is_impossible(binder.of_type.as_ref()?))
    }

    /// The print of it up to bound names, where some others are bound without being asked for.
    pub(super) fn key_with(&self, bound: &[&'a str]) -> u64 {
        let mut fold = self.fold(How::Key);
        fold.assume(bound);
        print_all([self.universes.len() as u64, self.print(&mut fold)])
    }

    /// Whether a name is a type of something that is asked for, or such a type is made of it: `α` of
    /// `(x : α)`, of `[Group α]`, and of `(xs : List α)` where `xs` is spoken of.
    fn is_of_type(&self, name: &str) -> bool {
        let is_it = |tree: &Tree<'a>| matches!(&**tree.bare(), Term::Name(one) if *one == name);
        self.binders.iter().any(|binder| match binder.of_type.as_ref().map(|tree| &**tree.bare()) {
            Some(Term::Apply(_, arguments)) => {
                let is_data = binder.kind == Kind::Instance
                    || binder.is_used(&self.binders, &self.conclusion);
                is_data && arguments.iter().any(is_it)
            }
            Some(Term::Name(one)) => *one == name,
            _ => false,
        })
    }
}

/// Types of more than one number, in which no two numerals are the same.
const NUMBERS: &str = "Nat ℕ Int ℤ Rat ℚ Real ℝ Complex ℂ";

/// Whether a name is one that Mathlib has today and will have: nothing else takes its place there.
pub fn is_current(name: &str) -> bool {
    is_among(name, NUMBERS) || classes::knows(name) || predicates::knows(name)
}

/// Whether more is known of a name than how it is spelled, if it is Mathlib's.
pub(super) fn is_read(name: &str) -> bool {
    let is_noted = spelling::NOTATIONS.iter().any(|(one, _)| *one == name);
    is_noted || spelling::noted(name) != name || matches!(name, "range" | "univ" | "setOf")
}

/// The names whose signs may stand in a text.
pub(super) fn noted_in(text: &str) -> impl Iterator<Item = &'static str> {
    let signs = spelling::NOTATIONS.iter().filter(move |(_, sign)| text.contains(sign));
    signs.map(|(name, _)| *name)
}

/// The number that a numeral is, also where it is ascribed: but in `ZMod 1` any two are equal.
fn number(tree: &Tree<'_>) -> Option<u64> {
    match &**tree.bare() {
        Term::Number(number) => number.parse().ok(),
        Term::Ascribed(inner, of) => {
            of.head().filter(|of| is_among(of, NUMBERS)).and_then(|_| number(inner))
        }
        _ => None,
    }
}

/// Whether a signature says what is plainly false, `: 1 = 2`, or whatever is asked for: `{P : Prop} (n : ℕ) : P`.
pub fn is_absurd(signature: &str) -> bool {
    let mut read = Signature::read(signature, &lexemes(signature), Vec::new());
    while let Some(rest) = asked_before(&read.conclusion, &mut read.binders) {
        read.conclusion = rest;
    }
    let is_any = |name: &str| {
        let (own, others): (Vec<_>, Vec<_>) =
            read.binders.iter().partition(|binder| binder.name == name);
        let is_sort = |binder: &&Binder<'_>| {
            matches!(binder.of_type.as_deref(), Some(Term::Sort(..) | Term::Name("Prop")))
        };
        let is_free =
            |binder: &&Binder<'_>| !binder.of_type.as_ref().is_some_and(|of| of.mentions(name));
        own.iter().any(is_sort) && others.iter().all(is_free)
    };
    let is_false = || read.binders.is_empty() && is_impossible(&read.conclusion).is_some();
    let says_all = || matches!(&**read.conclusion.bare(), Term::Name(name) if is_any(name));
    read.whole && (is_false() || says_all())
}

/// Whether two numbers are related so, where the sign is known.
fn is_so(sign: &str, left: u64, right: u64) -> Option<bool> {
    Some(match sign {
        "=" => left == right,
        "≠" => left != right,
        "<" => left < right,
        "≤" => left <= right,
        ">" => left > right,
        "≥" => left >= right,
        _ => return None,
    })
}

/// Why nothing has this type, where that is plain.
fn is_impossible(of_type: &Tree<'_>) -> Option<&'static str> {
    match &**of_type.bare() {
        Term::Name("False") => Some("`False` is assumed"),
        Term::Prefix("¬", inner) if inner.head() == Some("True") => Some("`¬ True` is assumed"),
        Term::Infix("=" | "↔", left, right)
            if [left.head(), right.head()] == [Some("True"), Some("False")] =>
        {
            Some("`True = False` is assumed")
        }
        Term::Infix(sign, left, right)
            if number(left)
                .zip(number(right))
                .is_some_and(|(a, b)| is_so(sign, a, b) == Some(false)) =>
        {
            Some("something false is assumed of two numbers")
        }
        Term::Apply(head, of) => match (head.head()?, of.as_slice()) {
            ("Fact", [one]) => is_impossible(one),
            ("Subsingleton" | "IsEmpty", [one]) => {
                let is_many = |name: &str| name == "Bool" || is_among(name, NUMBERS);
                let is_it = matches!(&**one.bare(), Term::Name(name) if is_many(name));
                is_it.then_some("a type with many elements is assumed to have at most one")
            }
            _ => None,
        },
        _ => None,
    }
}

/// A key that is equal for a statement and its copies under other names of the theorem and of
/// its bound variables. The text begins after the theorem's name; what is around it is not seen.
pub fn statement_key(signature: &str) -> u64 {
    Signature::read(signature, &lexemes(signature), Vec::new()).renamed
}
