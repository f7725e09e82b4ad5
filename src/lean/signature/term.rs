//! Statements as trees, parsed with the precedences of Lean and Mathlib. What is not known stays flat:
//! its lexemes in order, with what stands in its brackets as trees. Nothing is resolved here: a tree
//! holds every lexeme that says something, and who folds it knows what is bound.
//!
//! For searching it is read loosely where it would stay flat: a sign that is not known is an operator, a function or
//! an ending by where it stands. That is a guess, by which no two statements are the same.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use super::Signature;
use super::lexemes::Tokens;
use super::spelling::{self, Fixity, Operator, SUM};
use crate::lean::token::TokenKind;
use crate::text::ByNumber;

/// Deeper nesting is not followed.
const DEEPEST: usize = 48;

const MOST_LEXEMES: usize = 10_000;
const MOST_STEPS: usize = 100_000;

/// More operators in a row are not read: each one is a level of the tree.
const MOST_JOINED: usize = 100;

/// What binds less tightly relates terms.
const LOOSEST_TERM: u8 = 50;

/// Lexemes of a sign that is not known.
const LONGEST_SIGN: usize = 6;

pub(super) type Tree<'a> = Rc<Term<'a>>;

#[derive(Debug)]
pub(super) enum Term<'a> {
    Name(&'a str),
    Number(&'a str),
    /// A sign that stands for something, or any lexeme of what is flat.
    Sign(&'a str),
    Apply(Tree<'a>, Vec<Tree<'a>>),
    Field(Tree<'a>, &'a str),
    Infix(&'a str, Tree<'a>, Tree<'a>),
    /// `¬ p`, `-a`, `↑a`, `@f`, `a⁻¹`
    Prefix(&'a str, Tree<'a>),
    Levels(Tree<'a>, Vec<&'a str>),
    Round(Tree<'a>),
    Ascribed(Tree<'a>, Tree<'a>),
    /// `(a, b)`, `⟨a, b⟩`, `[a, b]`, `{a, b}`, `|a|`, by the opening sign.
    Listed(&'a str, Vec<Tree<'a>>),
    Binding(Binding<'a>),
    /// `Type`, `Type*`, `Sort u`, `Type (max u v)`: the lexemes of its universe.
    Sort(&'a str, Vec<&'a str>),
    Flat(Vec<Tree<'a>>),
}

/// `∀ x : A, p`, `fun x ↦ e`, `∑ x ∈ s, f x`, `(x : A) → B`, `{x | p}`
#[derive(Debug, Default, Clone)]
pub(super) struct Binding<'a> {
    /// With its marks: `∀`, `∀ᶠ`, `∃!`; `→` for a dependent arrow, `{` for a set, `//` for a subtype.
    pub(super) sign: &'a str,
    pub(super) binders: Vec<Binder<'a>>,
    /// `∈ s`, `> 0`, `∂μ`
    pub(super) over: Option<(&'a str, Tree<'a>)>,
    /// `with p x`
    pub(super) with: Option<Tree<'a>>,
    pub(super) body: Tree<'a>,
}

/// A name that stands for a term, and what it takes first.
#[derive(Debug, Clone)]
pub(in crate::lean) struct Abbreviation<'a> {
    pub(in crate::lean) name: &'a str,
    pub(super) takes: Vec<&'a str>,
    pub(super) is: Tree<'a>,
}

/// How a caller gives what is asked for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Explicit,
    Implicit,
    Strict,
    Instance,
    /// Explicit, as one side of `∧`.
    Part,
}

#[derive(Debug, Default, Clone)]
pub(super) struct Binder<'a> {
    pub(super) kind: Kind,
    pub(super) name: &'a str,
    pub(super) of_type: Option<Tree<'a>>,
    pub(super) default: Option<Tree<'a>>,
}

impl Default for Term<'_> {
    fn default() -> Self {
        Self::Flat(Vec::new())
    }
}

impl<'a> Term<'a> {
    pub(super) fn bare(self: &Rc<Self>) -> &Tree<'a> {
        match &**self {
            Self::Round(inner) => inner.bare(),
            _ => self,
        }
    }

    pub(super) fn head(self: &Rc<Self>) -> Option<&'a str> {
        match &**self.bare() {
            Self::Name(name) => Some(name),
            Self::Apply(head, _) => head.head(),
            _ => None,
        }
    }

    pub(super) fn mentions(&self, name: &str) -> bool {
        match self {
            Self::Name(written) | Self::Sign(written) => {
                let rest = written.strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
            _ => self.has(&mut |part| part.mentions(name)),
        }
    }

    /// Whether something is so of a part of it. They come in order.
    pub(super) fn has<'t>(&'t self, is_so: &mut dyn FnMut(&'t Tree<'a>) -> bool) -> bool {
        match self {
            Self::Name(_) | Self::Number(_) | Self::Sign(_) | Self::Sort(..) => false,
            Self::Apply(head, arguments) => is_so(head) || arguments.iter().any(is_so),
            Self::Infix(_, a, b) | Self::Ascribed(a, b) => is_so(a) || is_so(b),
            Self::Field(a, _) | Self::Prefix(_, a) | Self::Levels(a, _) | Self::Round(a) => {
                is_so(a)
            }
            Self::Listed(_, parts) | Self::Flat(parts) => parts.iter().any(is_so),
            Self::Binding(binding) => {
                let types = binding.binders.iter().flat_map(Binder::parts);
                let over = binding.over.iter().map(|(_, over)| over);
                types.chain(over).chain(&binding.with).chain([&binding.body]).any(is_so)
            }
        }
    }
}

impl<'a> Term<'a> {
    /// The term with another one in the place of a name.
    pub(super) fn replaced(self: &Rc<Self>, name: &'a str, by: &Tree<'a>) -> Tree<'a> {
        self.with(&[(name, Rc::clone(by))], &Cell::default())
    }

    /// The term with others in the places of names, all at once; `None` where it binds a name of theirs.
    pub(super) fn put(self: &Rc<Self>, given: &[(&'a str, Tree<'a>)]) -> Option<Tree<'a>> {
        let is_caught = Cell::default();
        let found = self.with(given, &is_caught);
        (!is_caught.get()).then_some(found)
    }

    fn with(self: &Rc<Self>, given: &[(&'a str, Tree<'a>)], is_caught: &Cell<bool>) -> Tree<'a> {
        let mut used = given.iter().filter(|(name, _)| self.mentions(name)).peekable();
        let Some((name, by)) = used.peek() else { return Rc::clone(self) };
        match &**self {
            Self::Name(_) if matches!(&**by, Self::Name(same) if same == name) => Rc::clone(self),
            Self::Name(written) => {
                let fields = written.get(name.len() + 1..).unwrap_or_default().split('.');
                let fields = fields.filter(|field| !field.is_empty());
                fields.fold(Rc::clone(by), |term, field| Rc::new(Self::Field(term, field)))
            }
            Self::Binding(binding)
                if used.any(|(name, by)| {
                    let is_hidden = |one: &Binder<'a>| one.name == *name || by.mentions(one.name);
                    binding.binders.iter().any(is_hidden)
                }) =>
            {
                is_caught.set(true);
                Rc::clone(self)
            }
            _ => self.with_parts(&|tree| tree.with(given, is_caught)),
        }
    }

    /// The term with what abbreviations stand for in their places.
    pub(super) fn unfolded(
        self: &Rc<Self>,
        short: &dyn Fn(&'a str) -> Option<Abbreviation<'a>>,
    ) -> Tree<'a> {
        let found = match &**self {
            Self::Name(name) => short(name).and_then(|short| short.of(&[])),
            Self::Apply(head, of) => match &**head.bare() {
                Self::Name(name) => short(name).and_then(|known| {
                    known.of(&of.iter().map(|one| one.unfolded(short)).collect::<Vec<_>>())
                }),
                _ => None,
            },
            _ => None,
        };
        found.unwrap_or_else(|| self.with_parts(&|tree| tree.unfolded(short)))
    }

    /// The term with other parts.
    pub(super) fn with_parts(self: &Rc<Self>, put: &dyn Fn(&Tree<'a>) -> Tree<'a>) -> Tree<'a> {
        let all = |trees: &[Tree<'a>]| trees.iter().map(put).collect();
        Rc::new(match &**self {
            Self::Name(_) | Self::Number(_) | Self::Sign(_) | Self::Sort(..) => {
                return Rc::clone(self);
            }
            Self::Apply(head, arguments) => Self::Apply(put(head), all(arguments)),
            Self::Field(term, field) => Self::Field(put(term), field),
            Self::Infix(sign, a, b) => Self::Infix(sign, put(a), put(b)),
            Self::Prefix(sign, term) => Self::Prefix(sign, put(term)),
            Self::Levels(term, levels) => Self::Levels(put(term), levels.clone()),
            Self::Round(term) => Self::Round(put(term)),
            Self::Ascribed(term, of_type) => Self::Ascribed(put(term), put(of_type)),
            Self::Listed(sign, parts) => Self::Listed(sign, all(parts)),
            Self::Flat(parts) => Self::Flat(all(parts)),
            Self::Binding(binding) => Self::Binding(Binding {
                sign: binding.sign,
                binders: binding.binders.iter().map(|binder| binder.with_parts(put)).collect(),
                over: binding.over.as_ref().map(|(sign, over)| (*sign, put(over))),
                with: binding.with.as_ref().map(put),
                body: put(&binding.body),
            }),
        })
    }

    /// What stands in another term where a name stands in this one, if it is fit for that.
    pub(super) fn at_place_of(
        &self,
        name: &str,
        other: &Tree<'a>,
        is_fit: &dyn Fn(&Tree<'a>) -> bool,
    ) -> Option<Tree<'a>> {
        let is_alike = match (self, &**other.bare()) {
            (Self::Round(one), _) => return one.at_place_of(name, other, is_fit),
            (Self::Name(one), of) => {
                let place = match (one.strip_prefix(name)?, of) {
                    ("", _) => Rc::clone(other),
                    (field, Self::Name(of)) if field.starts_with('.') => {
                        Rc::new(Self::Name(of.strip_suffix(field)?))
                    }
                    _ => return None,
                };
                return Some(place).filter(is_fit);
            }
            (one, of) => one.is_alike(of),
        };
        let (these, others) = (self.parts(), other.bare().parts());
        let mut pairs =
            these.iter().zip(&others).filter(|_| these.len() == others.len() && is_alike);
        pairs.find_map(|(one, other)| one.at_place_of(name, other, is_fit))
    }

    /// Whether it is put together in the same way, by the same sign.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Infix(one, ..), Self::Infix(of, ..))
            | (Self::Prefix(one, _), Self::Prefix(of, _))
            | (Self::Field(_, one), Self::Field(_, of))
            | (Self::Listed(one, _), Self::Listed(of, _)) => one == of,
            (Self::Binding(one), Self::Binding(of)) => one.sign == of.sign,
            (Self::Apply(_, these), Self::Apply(_, others)) => these.len() == others.len(),
            (one, of) => std::mem::discriminant(one) == std::mem::discriminant(of),
        }
    }

    fn parts(&self) -> Vec<&Tree<'a>> {
        let mut found = Vec::new();
        self.has(&mut |part| {
            found.push(part);
            false
        });
        found
    }
}

impl<'a> Abbreviation<'a> {
    /// What it stands for with as much as it takes.
    fn of(&self, given: &[Tree<'a>]) -> Option<Tree<'a>> {
        let taken = self.takes.iter().copied().zip(given.iter().cloned()).collect::<Vec<_>>();
        let is = self.is.put(&taken).filter(|_| given.len() == self.takes.len())?;
        Some(Rc::new(Term::Round(is)))
    }
}

/// Whether it is not known where a term ends that has no brackets around it.
pub(super) fn is_flat(tree: &Tree<'_>) -> bool {
    match &**tree {
        Term::Flat(_) => true,
        Term::Infix("→", left, right) => is_flat(left) || is_flat(right),
        _ => false,
    }
}

/// `(· + 1)`, by the number of its dots.
fn function(dots: usize, body: Tree<'_>) -> Tree<'_> {
    let binder = |name| Binder { name, ..Binder::default() };
    let binders = DOTS.iter().take(dots).copied().map(binder).collect();
    Rc::new(Term::Binding(Binding { sign: "fun", binders, body, ..Binding::default() }))
}

/// What closes brackets that are only known as notation.
fn fence(sign: &str) -> Option<&'static str> {
    match sign {
        "⌊" => Some("⌋"),
        "⌈" => Some("⌉"),
        "⟪" => Some("⟫"),
        "⟦" => Some("⟧"),
        "⁅" => Some("⁆"),
        _ => None,
    }
}

impl<'a> Signature<'a> {
    pub(in crate::lean) fn unfolded(&self, short: &Abbreviation<'a>) -> Self {
        let known = |name: &str| (name == short.name).then(|| short.clone());
        let put = |tree: &Tree<'a>| tree.unfolded(&known);
        let binders = self.binders.iter().map(|binder| binder.with_parts(&put)).collect();
        Self { binders, conclusion: put(&self.conclusion), ..self.clone() }
    }

    /// Puts a term in the place of a name, wherever the statement speaks of it.
    pub(super) fn put(&mut self, name: &'a str, by: &Tree<'a>) {
        self.binders.iter_mut().for_each(|binder| binder.put(name, by));
        self.conclusion = self.conclusion.replaced(name, by);
    }
}

impl<'a> Binder<'a> {
    /// Whether something speaks of it.
    pub(super) fn is_used(&self, binders: &[Self], conclusion: &Tree<'a>) -> bool {
        let name = self.name;
        !name.is_empty()
            && (conclusion.mentions(name) || binders.iter().any(|other| other.mentions(name)))
    }

    pub(super) fn put(&mut self, name: &'a str, by: &Tree<'a>) {
        *self = self.with_parts(&|tree| tree.replaced(name, by));
    }

    pub(super) fn with_parts(&self, put: &dyn Fn(&Tree<'a>) -> Tree<'a>) -> Self {
        let (of_type, default) = (self.of_type.as_ref().map(put), self.default.as_ref().map(put));
        Self { of_type, default, ..self.clone() }
    }

    pub(super) fn mentions(&self, name: &str) -> bool {
        self.parts().any(|part| part.mentions(name))
    }

    fn parts(&self) -> impl Iterator<Item = &Tree<'a>> {
        self.of_type.iter().chain(&self.default)
    }
}

pub(super) struct Parser<'t, 'a> {
    tokens: &'t Tokens<'a>,
    at: usize,
    end: usize,
    depth: usize,
    steps: usize,
    /// By their openings: asked for again where reading as a term fails further out.
    brackets: ByNumber<usize, Tree<'a>>,
    groups: ByNumber<usize, Option<Vec<Binder<'a>>>>,
    /// Where the `·` of the round brackets stand that are read; `None` where there may be none.
    dots: Option<Vec<usize>>,
    is_loose: bool,
    /// Whether something was tried that stays flat.
    pub(super) has_flat: bool,
}

/// What the `·` of `(· + ·)` are called. More in one pair of brackets are not read.
const DOTS: [&str; 4] = ["·1", "·2", "·3", "·4"];

impl<'t, 'a> Parser<'t, 'a> {
    pub(super) fn new(tokens: &'t Tokens<'a>) -> Self {
        let (brackets, groups) = Default::default();
        // What is too long stays flat.
        let steps = if tokens.len() > MOST_LEXEMES { MOST_STEPS } else { 0 };
        Self {
            tokens,
            at: 0,
            end: tokens.len(),
            depth: 0,
            steps,
            brackets,
            groups,
            dots: None,
            is_loose: false,
            has_flat: false,
        }
    }

    pub(super) fn loose(tokens: &'t Tokens<'a>) -> Self {
        Self { is_loose: true, ..Self::new(tokens) }
    }

    pub(super) fn signature(&mut self, range: Range<usize>) -> Signature<'a> {
        (self.at, self.end) = (range.start, range.end);
        let mut universes = Vec::new();
        if self.next() == "." && self.peek(1) == "{" {
            let close = self.tokens.closer(self.at + 1).unwrap_or(self.at + 1);
            let inside = self.at + 2..close;
            universes.extend(inside.map(|at| self.tokens.spelling(at)).filter(|s| *s != ","));
            self.at = close + 1;
        }
        let mut binders = Vec::new();
        while self.at < self.end
            && let Some(group) = self.group().or_else(|| self.bare_names())
        {
            binders.extend(group);
        }
        let has_colon = self.next() == ":";
        self.at += usize::from(has_colon);
        let conclusion = self.term(self.at..range.end);
        let whole = self.is_whole();
        Signature { universes, binders, conclusion, has_colon, whole, ..Signature::default() }
    }

    pub(super) fn proposition(&mut self, range: Range<usize>) -> Signature<'a> {
        let conclusion = self.term(range);
        let whole = self.is_whole();
        Signature { conclusion, has_colon: true, whole, ..Signature::default() }
    }

    fn is_whole(&self) -> bool {
        self.steps < MOST_STEPS && self.tokens.len() <= MOST_LEXEMES
    }

    fn next(&self) -> &'a str {
        self.peek(0)
    }

    fn peek(&self, ahead: usize) -> &'a str {
        let at = self.at + ahead;
        if at < self.end { self.tokens.spelling(at) } else { "" }
    }

    fn take(&mut self, spelling: &str) -> Option<()> {
        (self.next() == spelling).then(|| self.at += 1)
    }

    fn step(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps < MOST_STEPS && self.depth < DEEPEST).then_some(())
    }

    fn all<T>(
        &mut self,
        range: Range<usize>,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let outer = (self.at, self.end, self.depth);
        (self.at, self.end, self.depth) = (range.start, range.end, self.depth + 1);
        let found = self.step().and_then(|()| read(self)).filter(|_| self.at == range.end);
        (self.at, self.end, self.depth) = outer;
        found
    }

    /// A range as a term: as far as it is known.
    fn term(&mut self, range: Range<usize>) -> Tree<'a> {
        if let Some(found) = self.all(range.clone(), |parser| parser.expression(0)) {
            return found;
        }
        if let Some(start) = self.behind_definitions(&range) {
            return self.term(start..range.end);
        }
        self.depth += 1;
        self.steps += range.len() / 8;
        let found = self.telescope(&range).or_else(|| self.related(&range));
        let found = found.unwrap_or_else(|| self.flat(range));
        self.depth -= 1;
        Rc::new(found)
    }

    /// `let x := e; p` is found as `p`.
    fn behind_definitions(&self, range: &Range<usize>) -> Option<usize> {
        let is_one = matches!(self.tokens.spelling(range.start), "let" | "letI" | "have" | "haveI");
        let mut end = self.tokens.find(range.clone(), ";").filter(|_| is_one && self.is_loose)?;
        while let Some(next) = self.tokens.find(end + 1..range.end, ";") {
            end = next;
        }
        Some(end + 1)
    }

    fn telescope(&mut self, range: &Range<usize>) -> Option<Term<'a>> {
        self.step()?;
        let first = self.tokens.spelling(range.start);
        let marked = self.tokens.is_symbol(range.start + 1);
        if first == "∀" && !marked {
            let comma = self.tokens.find(range.start + 1..range.end, ",")?;
            let domain = self.all(range.start + 1..comma, Self::domain)?;
            let body = self.term(comma + 1..range.end);
            return Some(Term::Binding(Binding { sign: "∀", body, ..domain }));
        }
        let arrow = self.arrow(range.clone())?;
        let (left, right) = (self.term(range.start..arrow), self.term(arrow + 1..range.end));
        Some(Term::Infix("→", left, right))
    }

    /// The first `→` that divides the range in two, outside of brackets.
    fn arrow(&self, range: Range<usize>) -> Option<usize> {
        let (mut arrow, mut commas) = (None, 0usize);
        let mut at = range.start;
        while at < range.end {
            if let Some(close) = self.tokens.closer(at) {
                at = close + 1;
                continue;
            }
            let sign = self.tokens.spelling(at);
            match spelling::quantifier(sign).map(|quantifier| quantifier.body) {
                // It takes in all that follows.
                Some(0) => break,
                Some(_) => commas += 1,
                None if sign == "→" && self.operator(at, range.end).is_some() => {
                    arrow = arrow.or(Some(at));
                }
                None if sign == "," && commas > 0 => commas -= 1,
                None if spelling::is_looser_than_arrow(sign) => return None,
                None => {}
            }
            at += 1;
        }
        arrow.filter(|arrow| *arrow > range.start && arrow + 1 < range.end)
    }

    /// Divided at the loosest of its relations, where nothing else is known of it.
    fn related(&mut self, range: &Range<usize>) -> Option<Term<'a>> {
        self.step().filter(|()| self.is_loose)?;
        let mut found: Option<(Operator<'a>, usize, usize)> = None;
        let mut at = range.start;
        while at < range.end {
            if let Some(close) = self.tokens.closer(at) {
                at = close + 1;
                continue;
            }
            let sign = self.tokens.spelling(at);
            if spelling::quantifier(sign).is_some_and(|quantifier| quantifier.body == 0) {
                break;
            }
            let operator = self.operator(at, range.end);
            if let Some((operator, count)) = operator
                && operator.level <= LOOSEST_TERM
                && at > range.start
                && at + count < range.end
                && !operator.sign.ends_with('[')
                && found.is_none_or(|(known, ..)| operator.level < known.level)
            {
                found = Some((operator, at, at + count));
            }
            at += operator.map_or(1, |(_, count)| count);
        }
        let (operator, end, start) = found?;
        let (left, right) = (self.term(range.start..end), self.term(start..range.end));
        Some(Term::Infix(operator.sign, left, right))
    }

    fn flat(&mut self, range: Range<usize>) -> Term<'a> {
        self.has_flat = true;
        let mut items = Vec::new();
        let (mut at, mut is_sum) = (range.start, false);
        while at < range.end {
            let sign = self.tokens.spelling(at);
            let quantifier = spelling::quantifier(sign);
            is_sum |= quantifier.is_some_and(|quantifier| quantifier.body == SUM);
            if quantifier.is_some() && at > range.start {
                let rest = self.all(at..range.end, |parser| parser.expression(0));
                if let Some(rest) = rest {
                    items.push(rest);
                    break;
                }
            }
            let close = self.tokens.closer(at).filter(|close| *close < range.end);
            if let Some(close) = close.filter(|_| self.step().is_some()) {
                items.push(self.bracket(at));
                at = close + 1;
            } else {
                // The older spelling of `∑ x ∈ s`.
                let is_in = is_sum && sign == "in";
                is_sum &= !is_in && sign != ",";
                items.push(Rc::new(if is_in { Term::Sign("∈") } else { self.leaf(at) }));
                at += 1;
            }
        }
        Term::Flat(items)
    }

    fn leaf(&self, at: usize) -> Term<'a> {
        let spelling = self.tokens.spelling(at);
        if self.tokens.is_number(at) {
            Term::Number(spelling)
        } else if self.tokens.is_name(at) {
            Term::Name(spelling)
        } else {
            Term::Sign(spelling)
        }
    }

    fn expression(&mut self, least: u8) -> Option<Tree<'a>> {
        self.depth += 1;
        self.step()?;
        let mut left = self.prefix(least)?;
        // What has taken in its right side can only stand on the left of something looser.
        let (mut most, mut joined) = (u8::MAX, 0);
        while let Some((operator, lexemes)) = self.operator(self.at, self.end) {
            if operator.level < least {
                break;
            }
            joined += 1;
            if operator.level > most || joined > MOST_JOINED {
                return None;
            }
            let index = operator.sign.ends_with('[');
            self.at += lexemes - usize::from(index);
            let index = if index { Some(self.bracketed()?) } else { None };
            let (right, still) = match operator.fixity {
                Fixity::Left => (operator.level + 1, operator.level),
                Fixity::Right => (operator.level, operator.level - 1),
                Fixity::Alone => (operator.level + 1, operator.level - 1),
            };
            most = still;
            let right = self.expression(right)?;
            left = Rc::new(match (index, self.modulus()) {
                (Some(index), _) => {
                    let sign = Rc::new(Term::Sign(operator.sign));
                    Term::Apply(sign, vec![index, left, right])
                }
                (None, Some((function, modulus))) if operator.sign == "≡" => {
                    Term::Apply(Rc::new(Term::Name(function)), vec![modulus, left, right])
                }
                _ => Term::Infix(operator.sign, left, right),
            });
        }
        self.depth -= 1;
        Some(left)
    }

    /// `[MOD n]` behind `a ≡ b`: the function that this is, and `n`.
    fn modulus(&mut self) -> Option<(&'static str, Tree<'a>)> {
        let function = self.is_modulus()?;
        let close = self.tokens.closer(self.at).filter(|close| *close < self.end)?;
        let modulus = self.term(self.at + 2..close);
        self.at = close + 1;
        Some((function, modulus))
    }

    fn is_modulus(&self) -> Option<&'static str> {
        match (self.next(), self.peek(1)) {
            ("[", "MOD") => Some("Nat.ModEq"),
            ("[", "ZMOD") => Some("Int.ModEq"),
            _ => None,
        }
    }

    fn operator(&self, at: usize, end: usize) -> Option<(Operator<'a>, usize)> {
        self.known_operator(at, end).or_else(|| self.unknown_operator(at, end))
    }

    /// With its number of lexemes. `None` also for a part of a longer sign: `→ₗ`, `→g`, `ℝ≥0`.
    fn known_operator(&self, at: usize, end: usize) -> Option<(Operator<'a>, usize)> {
        let tokens = self.tokens;
        if matches!(
            tokens.kind(at),
            Some(TokenKind::Ident | TokenKind::Number | TokenKind::Open | TokenKind::Close)
        ) {
            return None;
        }
        let mut count = 1;
        while count < 4 && at + count < end && tokens.adjoins(at + count) {
            count += 1;
        }
        let fits = |count| (at + count <= end).then(|| tokens.joined(at, count));
        let longer =
            (2..=count).rev().find_map(|count| Some((spelling::operator(fits(count)?)?, count)));
        let single = || Some((spelling::operator(tokens.spelling(at)).filter(|_| at < end)?, 1));
        let (operator, count) = longer.or_else(single)?;
        let (before, behind) = (tokens.adjoins(at), at + count);
        let after = behind < end && tokens.adjoins(behind);
        let is_name = tokens.is_name(behind);
        // `ℝ≥0`
        let order = matches!(operator.sign, "<" | "≤" | ">" | "≥") && tokens.is_number(behind);
        let prefixed = matches!(
            tokens.spelling(behind),
            "¬" | "↑" | "⇑" | "↥" | "√" | "#" | "∑" | "∏" | "‖" | "|"
        );
        let is_longer = after
            && !operator.sign.ends_with('[')
            && ((tokens.is_symbol(behind) && !(prefixed && operator.sign != "∣"))
                || (is_name && (!before || operator.sign == "→")));
        let is_end = |at: usize| {
            matches!(tokens.spelling(at), "¹" | "‖" | "·" | "⌋" | "⌉" | "⟫" | "⟧" | "⁆")
        };
        let signed = before && tokens.is_symbol(at - 1) && !is_end(at - 1);
        let inside = signed || (before && after && order);
        (!is_longer && !inside).then_some((operator, count))
    }

    /// A sign that is not known behind a term: `x ⊗ₜ[R] y`, `v +ᵥ p`, `s ×ℂ t`.
    fn unknown_operator(&self, at: usize, end: usize) -> Option<(Operator<'a>, usize)> {
        let count =
            self.unknown(at, end).filter(|_| !spelling::is_constant(self.tokens.spelling(at)))?;
        let tokens = self.tokens;
        let mut behind = at + count;
        // With letters only where something follows them.
        if !tokens.adjoins(at) && behind < end && tokens.adjoins(behind) && tokens.is_name(behind) {
            let is_part = behind + 1 < end && !tokens.adjoins(behind + 1);
            behind += usize::from(is_part && self.known_operator(behind + 1, end).is_none());
        }
        let index = behind < end && tokens.adjoins(behind) && tokens.spelling(behind) == "[";
        behind += usize::from(index && tokens.closer(behind).is_some());
        let count = behind - at;
        let known =
            (1..=count).rev().find_map(|count| spelling::operator(tokens.joined(at, count)));
        let is_operator = behind < end && tokens.is_begun(behind);
        let sign = tokens.joined(at, count);
        is_operator.then(|| (spelling::unknown_operator(sign, known), count))
    }

    /// The length of a sign that is not known, where one may begin.
    fn unknown(&self, at: usize, end: usize) -> Option<usize> {
        let tokens = self.tokens;
        let is_part = |at: usize| {
            let sign = tokens.spelling(at);
            let is_known = spelling::is_punctuation(sign) || self.fence(sign).is_some();
            at < end && tokens.is_symbol(at) && !is_known
        };
        (self.is_loose && is_part(at)).then_some(())?;
        let more = (at + 1..at + LONGEST_SIGN).take_while(|at| {
            tokens.adjoins(*at) && is_part(*at) && !spelling::begins_term(tokens.spelling(*at))
        });
        Some(1 + more.count())
    }

    fn fence(&self, sign: &str) -> Option<&'static str> {
        fence(sign).or(match sign {
            "⟮" => Some("⟯"),
            "⦋" => Some("⦌"),
            _ => None,
        }
        .filter(|_| self.is_loose))
    }

    fn prefix(&mut self, least: u8) -> Option<Tree<'a>> {
        let sign = self.next();
        match sign {
            "¬" => self.prefixed(sign, 40),
            "-" if self.is_loose
                || !(self.tokens.adjoins(self.at + 1) && self.tokens.is_symbol(self.at + 1)) =>
            {
                self.prefixed(sign, 75)
            }
            "‖" | "|" if !self.is_loose => self.bars(),
            "if" => self.conditional(),
            "(" | "{" | "[" | "⦃" if least <= 25 && self.is_dependent_arrow() => {
                let binders = self.group()?;
                self.take("→")?;
                let body = self.expression(25)?;
                let arrow = Binding { sign: "→", binders, body, ..Binding::default() };
                Some(Rc::new(Term::Binding(arrow)))
            }
            sign if spelling::quantifier(sign).is_some() && !self.is_loose => self.quantifier(),
            sign if self.is_loose && spelling::may_bind(sign) => {
                // `⋃₀ S`
                self.tried(Self::quantifier).or_else(|| self.application())
            }
            _ => self.application(),
        }
    }

    /// Where it fails, nothing was read.
    fn tried(&mut self, read: impl FnOnce(&mut Self) -> Option<Tree<'a>>) -> Option<Tree<'a>> {
        let before = (self.at, self.depth);
        let found = read(self);
        if found.is_none() {
            (self.at, self.depth) = before;
        }
        found
    }

    fn prefixed(&mut self, sign: &'a str, level: u8) -> Option<Tree<'a>> {
        self.at += 1;
        let inner = self.expression(level)?;
        Some(Rc::new(Term::Prefix(sign, inner)))
    }

    fn conditional(&mut self) -> Option<Tree<'a>> {
        let sign = self.next();
        let mut parts = Vec::new();
        for word in [sign, "then", "else"] {
            self.take(word)?;
            parts.push(self.expression(0)?);
        }
        Some(Rc::new(Term::Listed(sign, parts)))
    }

    /// `(x : A) → B`, `[C] → B`
    fn is_dependent_arrow(&self) -> bool {
        let Some(close) = self.tokens.closer(self.at) else { return false };
        if close + 1 >= self.end || self.tokens.spelling(close + 1) != "→" {
            return false;
        }
        let first = (self.at + 1..close).find(|&at| !self.tokens.is_name(at));
        let typed = first.is_some_and(|at| at > self.at + 1 && self.tokens.spelling(at) == ":");
        typed || self.next() == "["
    }

    fn application(&mut self) -> Option<Tree<'a>> {
        let head = self.atom(true)?;
        let mut arguments = Vec::new();
        while self.begins_argument() {
            self.step()?;
            if self.next() == "fun" {
                arguments.push(self.quantifier()?);
                break;
            }
            // `f(x)` may be a notation.
            if self.tokens.adjoins(self.at) && !self.is_loose {
                return None;
            }
            arguments.push(self.atom(false)?);
        }
        if arguments.is_empty() {
            return Some(head);
        }
        Some(Rc::new(Term::Apply(head, arguments)))
    }

    fn begins_argument(&self) -> bool {
        let next = self.next();
        self.at < self.end
            && self.is_modulus().is_none()
            && (spelling::is_constant(next)
                || self.tokens.is_name(self.at)
                || self.tokens.is_number(self.at)
                || self.fence(next).is_some()
                || self.begins_unknown_argument()
                || matches!(
                    next,
                    "(" | "["
                        | "{"
                        | "⟨"
                        | "@"
                        | "↑"
                        | "⇑"
                        | "↥"
                        | "#"
                        | "Type"
                        | "Sort"
                        | "fun"
                        | "_"
                        | "·"
                ))
    }

    /// `.id`, `‖x‖`, `√x`, `∞` and their like behind a function.
    fn begins_unknown_argument(&self) -> bool {
        let (at, tokens) = (self.at, self.tokens);
        if !self.is_loose || tokens.adjoins(at) {
            return false;
        }
        // The sign adjoins what is behind it.
        let begins = |behind: usize| {
            let is_index = tokens.spelling(behind) == "[";
            behind < self.end && tokens.adjoins(behind) && tokens.is_begun(behind) && !is_index
        };
        let is_prefix = || self.unknown(at, self.end).is_some_and(|count| begins(at + count));
        match self.next() {
            "∞" => true,
            "‖" | "|" => begins(at + 1),
            _ if tokens.is_field(at) => true,
            _ => is_prefix() && self.known_operator(at, self.end).is_none(),
        }
    }

    /// `x`, `2`, `(..)`, `⟨..⟩`, `Type u`, with what adjoins it. `first`: it is no argument.
    fn atom(&mut self, first: bool) -> Option<Tree<'a>> {
        let mut node = self.bare_atom(first)?;
        let mut joined = 0;
        while self.at < self.end && self.tokens.adjoins(self.at) {
            joined += 1;
            if joined > MOST_JOINED {
                return None;
            }
            let adjoins = self.tokens.adjoins(self.at + 1);
            match self.next() {
                // `⁻¹'` is an operator.
                "⁻" if self.peek(1) == "¹"
                    && adjoins
                    && self.tokens.joined(self.at, 3) != "⁻¹'" =>
                {
                    self.at += 2;
                    node = Rc::new(Term::Prefix("⁻¹", node));
                }
                sign @ ("ᶜ" | "ᵀ" | "ˣ") => {
                    self.at += 1;
                    node = Rc::new(Term::Prefix(sign, node));
                }
                "." if self.peek(1) == "{" && adjoins => {
                    let close = self.tokens.closer(self.at + 1)?;
                    let inside = self.at + 2..close;
                    let levels = inside.map(|at| self.tokens.spelling(at)).collect();
                    self.at = close + 1;
                    node = Rc::new(Term::Levels(node, levels));
                }
                "." if adjoins => {
                    let at = self.at + 1;
                    (self.tokens.is_name(at) || self.tokens.is_number(at)).then_some(())?;
                    self.at += 2;
                    node = Rc::new(Term::Field(node, self.tokens.spelling(at)));
                }
                field
                    if field.starts_with('.')
                        && field.len() > 1
                        && (!self.is_loose || self.tokens.is_field(self.at)) =>
                {
                    self.at += 1;
                    node = Rc::new(Term::Field(node, field.trim_start_matches('.')));
                }
                "[" => {
                    let index = self.bracketed()?;
                    let may_fail = self.next() == "?" && self.tokens.adjoins(self.at);
                    self.at += usize::from(may_fail);
                    let sign = if may_fail { "[]?" } else { "[]" };
                    node = Rc::new(Term::Infix(sign, node, index));
                }
                "." => return None,
                sign if self.is_loose && self.fence(sign).is_some() => {
                    let index = self.fenced(sign)?;
                    node = Rc::new(Term::Infix(sign, node, index));
                }
                _ => match self.ending() {
                    Some(count) => {
                        let sign = self.tokens.joined(self.at, count);
                        self.at += count;
                        node = Rc::new(Term::Prefix(sign, node));
                    }
                    None => break,
                },
            }
        }
        let is_argument = self.tokens.adjoins(self.at + 1)
            && (self.tokens.is_name(self.at + 1) || self.tokens.is_symbol(self.at + 1));
        if self.next() == "!" && self.at < self.end && !is_argument {
            self.at += 1;
            node = Rc::new(Term::Prefix("!", node));
        }
        Some(node)
    }

    /// The length of a sign that is not known and adjoins what stands before it: `‖x‖₊`, `Uᗮ`, `a∗`.
    fn ending(&self) -> Option<usize> {
        let count = self.unknown(self.at, self.end)?;
        let behind = self.at + count;
        let is_between =
            behind < self.end && self.tokens.adjoins(behind) && self.tokens.is_begun(behind);
        let is_ending = self.known_operator(self.at, self.end).is_none()
            && !spelling::begins_term(self.next())
            && (!is_between || self.tokens.spelling(behind) == "[");
        is_ending.then_some(count)
    }

    fn bare_atom(&mut self, first: bool) -> Option<Tree<'a>> {
        let at = self.at;
        self.step()?;
        let sign = self.next();
        match sign {
            "(" | "⟨" | "[" | "{" => return self.bracketed(),
            _ if self.fence(sign).is_some() => return self.fenced(sign),
            "‖" | "|" if self.is_loose => return self.bars(),
            // `(↑) ∘ f`
            "↑" | "⇑" | "↥"
                if self.is_loose && (at + 1 >= self.end || !self.tokens.adjoins(at + 1)) =>
            {
                self.at += 1;
                return Some(Rc::new(self.leaf(at)));
            }
            // `s(x, y)`
            _ if self.is_loose
                && self.tokens.is_name(at)
                && self.tokens.adjoins(at + 1)
                && at + 1 < self.end
                && self.tokens.spelling(at + 1) == "(" =>
            {
                let close = self.tokens.closer(at + 1).filter(|close| *close < self.end)?;
                self.at = close + 1;
                let parts = self.all(at + 2..close, Self::parts)?;
                return Some(Rc::new(Term::Listed(self.tokens.joined(at, 2), parts)));
            }
            "Type" | "Sort" => return Some(Rc::new(self.sort(first))),
            "ℝ" if self.tokens.joined(at, 3) == "ℝ≥0" && at + 3 <= self.end => {
                let extended = at + 4 <= self.end && self.tokens.joined(at, 4) == "ℝ≥0∞";
                self.at += 3 + usize::from(extended);
                return Some(Rc::new(Term::Name(if extended { "ENNReal" } else { "NNReal" })));
            }
            "·" => return self.dot(),
            "↑" | "⇑" | "↥" | "#" | "√" | "@" => {
                let is_name = sign != "@" || self.tokens.is_name(at + 1);
                if matches!(sign, "↑" | "⇑" | "↥") || (is_name && self.tokens.adjoins(at + 1))
                {
                    self.at += 1;
                    let inner =
                        if sign == "@" { self.bare_atom(false)? } else { self.atom(false)? };
                    return Some(Rc::new(Term::Prefix(sign, inner)));
                }
            }
            _ => {}
        }
        let stands = sign == "_" || spelling::is_constant(sign);
        if self.is_loose
            && at < self.end
            && !stands
            && !self.tokens.is_name(at)
            && !self.tokens.is_number(at)
        {
            return self.unknown_atom();
        }
        if at >= self.end || !(stands || self.tokens.is_number(at) || self.tokens.is_name(at)) {
            return None;
        }
        self.at += 1;
        Some(Rc::new(self.leaf(at)))
    }

    /// `.id`, `𝟙 X`, `√x`, `∞`
    fn unknown_atom(&mut self) -> Option<Tree<'a>> {
        let at = self.at;
        let name = self.tokens.spelling(at).trim_start_matches('.');
        if self.tokens.is_field(at) {
            self.at += 1;
            return Some(Rc::new(Term::Name(name)));
        }
        let adjoins = |at: usize| at < self.end && self.tokens.adjoins(at);
        // `⋃₀ S`, `∂ a`
        let begun = || {
            let is_quantifier = spelling::quantifier(name).is_some();
            let more =
                Some(at + 1).filter(|at| adjoins(*at)).and_then(|at| self.unknown(at, self.end));
            match name {
                "∂" => Some(1 + more.unwrap_or(0)),
                _ => more.filter(|_| is_quantifier).map(|more| 1 + more),
            }
        };
        let mut count = self.unknown(at, self.end).or_else(begun)?;
        // `𝟙_ C`
        count += usize::from(adjoins(at + count) && self.tokens.spelling(at + count) == "_");
        let sign = self.tokens.joined(at, count);
        self.at += count;
        let is_prefix = adjoins(self.at) && self.tokens.is_begun(self.at) && self.next() != "[";
        Some(Rc::new(if is_prefix {
            Term::Prefix(sign, self.atom(false)?)
        } else {
            Term::Sign(sign)
        }))
    }

    fn dot(&mut self) -> Option<Tree<'a>> {
        let (dots, at) = (self.dots.as_mut()?, self.at);
        let known = dots.iter().position(|dot| *dot == at).unwrap_or(dots.len());
        dots.extend((known == dots.len()).then_some(at));
        self.at += 1;
        Some(Rc::new(Term::Name(DOTS.get(known)?)))
    }

    fn bracketed(&mut self) -> Option<Tree<'a>> {
        let close = self.tokens.closer(self.at).filter(|close| *close < self.end)?;
        let found = self.bracket(self.at);
        self.at = close + 1;
        Some(found)
    }

    /// What stands in the brackets that open at an index.
    fn bracket(&mut self, open: usize) -> Tree<'a> {
        if let Some(known) = self.brackets.get(&open) {
            return Rc::clone(known);
        }
        let sign = self.tokens.spelling(open);
        let inner = open + 1..self.tokens.closer(open).unwrap_or(open + 1);
        let outer = self.dots.take();
        let found = match sign {
            "(" => self.round(inner),
            "{" => self.braces(inner),
            _ => self.listed(sign, inner),
        };
        self.dots = outer;
        let found = Rc::new(found);
        self.brackets.insert(open, Rc::clone(&found));
        found
    }

    fn round(&mut self, inner: Range<usize>) -> Term<'a> {
        self.dots = Some(Vec::new());
        let read = self.all(inner.clone(), |parser| {
            let first = parser.expression(0)?;
            let dots = parser.dots.take().unwrap_or_default().len();
            match parser.next() {
                "" if dots > 0 => Some(Term::Round(function(dots, first))),
                "" => Some(Term::Round(first)),
                ":" if dots > 0 && parser.is_loose => {
                    let of_type = parser.rest(parser.end);
                    Some(Term::Ascribed(function(dots, first), of_type))
                }
                _ if dots > 0 => None,
                ":" => {
                    parser.at += 1;
                    let of_type = parser.expression(0)?;
                    Some(Term::Ascribed(first, of_type))
                }
                "," => {
                    parser.at += 1;
                    let mut parts = vec![first];
                    parts.extend(parser.parts()?);
                    Some(Term::Listed("(", parts))
                }
                _ => None,
            }
        });
        self.dots = None;
        read.unwrap_or_else(|| {
            let colon = self.tokens.find(inner.clone(), ":");
            let comma = self.tokens.find(inner.clone(), ",");
            let given = self.tokens.find(inner.clone(), ":=").filter(|_| self.is_loose);
            if let Some(given) = given {
                let name = self.term(inner.start..given);
                return Term::Infix(":=", name, self.term(given + 1..inner.end));
            }
            match colon.filter(|_| comma.is_none()) {
                Some(colon) => {
                    let first = self.term(inner.start..colon);
                    Term::Ascribed(first, self.term(colon + 1..inner.end))
                }
                None => Term::Round(self.term(inner)),
            }
        })
    }

    fn listed(&mut self, sign: &'a str, inner: Range<usize>) -> Term<'a> {
        let parts = self.all(inner.clone(), Self::parts);
        Term::Listed(sign, parts.unwrap_or_else(|| vec![Rc::new(self.flat(inner))]))
    }

    fn parts(&mut self) -> Option<Vec<Tree<'a>>> {
        let mut parts = Vec::new();
        while self.at < self.end {
            parts.push(self.expression(0)?);
            if self.at < self.end {
                let is_separated = self.is_loose && matches!(self.next(), "|" | ";");
                self.at += usize::from(is_separated);
                is_separated.then_some(()).or_else(|| self.take(","))?;
            }
        }
        Some(parts)
    }

    /// `{x | p}`, `{x : A | p}`, `{x ∈ s | p}`, `{x : A // p}`, `{a, b}`
    fn braces(&mut self, inner: Range<usize>) -> Term<'a> {
        let bar = self.tokens.find(inner.clone(), "|");
        let Some(bar) = bar.or_else(|| self.tokens.find(inner.clone(), "//")) else {
            return self.listed("{", inner);
        };
        let sign = if self.tokens.spelling(bar) == "|" { "{" } else { "//" };
        let again = self.tokens.find(bar + 1..inner.end, "|").is_some();
        let domain = self.all(inner.start..bar, Self::domain).filter(|_| !again || self.is_loose);
        match domain {
            Some(domain) if domain.binders.len() == 1 => {
                let body = self.term(bar + 1..inner.end);
                Term::Binding(Binding { sign, body, ..domain })
            }
            _ if self.is_loose => {
                Term::Listed("{|", vec![self.term(inner.start..bar), self.term(bar + 1..inner.end)])
            }
            _ => Term::Listed("{", vec![Rc::new(self.flat(inner))]),
        }
    }

    /// `⌊x⌋`, `⟪x, y⟫`
    fn fenced(&mut self, sign: &'a str) -> Option<Tree<'a>> {
        let close = self.fence(sign)?;
        let inner = self.fenced_by(close, Self::parts)?;
        Some(Rc::new(Term::Listed(sign, inner)))
    }

    fn fenced_by<T>(&mut self, sign: &str, read: impl Fn(&mut Self) -> Option<T>) -> Option<T> {
        let mut close = self.tokens.find(self.at + 1..self.end, sign)?;
        loop {
            match self.all(self.at + 1..close, &read) {
                Some(inner) => {
                    self.at = close + 1;
                    return Some(inner);
                }
                // `‖‖x‖ • y‖`
                None if self.is_loose => close = self.tokens.find(close + 1..self.end, sign)?,
                None => return None,
            }
        }
    }

    /// `‖x‖`, `|x|`
    fn bars(&mut self) -> Option<Tree<'a>> {
        let sign = self.next();
        let inner = self.fenced_by(sign, |parser| parser.expression(0))?;
        if self.is_loose {
            return Some(Rc::new(Term::Listed(sign, vec![inner])));
        }
        // What follows would have to be told from an argument.
        let ends = !self.begins_argument() && !self.tokens.adjoins(self.at);
        let closed = matches!(self.tokens.spelling(self.at), "," | ":" | ")" | "}" | "⟩" | "");
        (ends || closed).then(|| Rc::new(Term::Listed(sign, vec![inner])))
    }

    /// `Type`, `Type*`, `Type _`, `Type u`, `Type (max u v)`
    fn sort(&mut self, first: bool) -> Term<'a> {
        let word = self.next();
        self.at += 1;
        let at = self.at;
        let is_level = self.tokens.is_name(at) || self.tokens.is_number(at);
        let one = (self.next() == "*" && self.tokens.adjoins(at))
            || (first && at < self.end && (is_level || self.next() == "_"));
        let close = self.tokens.closer(at).filter(|_| first && self.next() == "(");
        let levels = match close {
            _ if one => at..at + 1,
            Some(close) => at..close + 1,
            None => at..at,
        };
        self.at = levels.end;
        Term::Sort(word, levels.map(|at| self.tokens.spelling(at)).collect())
    }

    pub(super) fn group(&mut self) -> Option<Vec<Binder<'a>>> {
        let open = self.at;
        let close = self.tokens.closer(open).filter(|close| *close < self.end)?;
        let known = self.groups.get(&open).cloned();
        let found = known.unwrap_or_else(|| self.grouped(open, close));
        self.groups.entry(open).or_insert_with(|| found.clone());
        self.at = found.as_ref().map_or(self.at, |_| close + 1);
        found
    }

    fn grouped(&mut self, open: usize, close: usize) -> Option<Vec<Binder<'a>>> {
        let doubled = self.tokens.closer(open + 1).is_some_and(|inner| inner + 1 == close);
        let (kind, inner) = match self.tokens.spelling(open) {
            "(" => (Kind::Explicit, open + 1..close),
            "{" if doubled && self.tokens.spelling(open + 1) == "{" => {
                (Kind::Strict, open + 2..close - 1)
            }
            "{" => (Kind::Implicit, open + 1..close),
            "⦃" => (Kind::Strict, open + 1..close),
            "[" => (Kind::Instance, open + 1..close),
            _ => return None,
        };
        let default = self.tokens.find(inner.clone(), ":=");
        let end = default.unwrap_or(inner.end);
        let default = default.map(|at| self.term(at + 1..inner.end));
        let names = self.names(inner.start..end);
        let after = inner.start + names.len();
        let binder = |name, of_type: Option<&Tree<'a>>| Binder {
            kind,
            name,
            of_type: of_type.cloned(),
            default: default.clone(),
        };
        match self.tokens.spelling(after) {
            ":" if after < end && !names.is_empty() => {
                let of_type = self.term(after + 1..end);
                Some(names.into_iter().map(|name| binder(name, Some(&of_type))).collect())
            }
            _ if kind == Kind::Instance => {
                let of_type = self.term(inner.start..end);
                Some(vec![binder("", Some(&of_type))])
            }
            _ if after == end && !names.is_empty() => {
                Some(names.into_iter().map(|name| binder(name, None)).collect())
            }
            // `x ∈ s` is `x` and then `x ∈ s`.
            sign if names.len() == 1 && spelling::is_predicate(sign) => {
                let condition = self.term(inner.start..end);
                Some(vec![binder(names.first()?, None), binder("", Some(&condition))])
            }
            _ => None,
        }
    }

    /// Names without brackets, before a colon.
    fn bare_names(&mut self) -> Option<Vec<Binder<'a>>> {
        let names = self.names(self.at..self.end);
        let after = self.at + names.len();
        let is_bound = !names.is_empty()
            && matches!(self.tokens.spelling(after), ":" | "(" | "{" | "[" | "⦃")
            && self.tokens.find(after..self.end, ":").is_some();
        let binder = |name| Binder { name, ..Binder::default() };
        is_bound.then(|| {
            self.at = after;
            names.into_iter().map(binder).collect()
        })
    }

    fn names(&self, range: Range<usize>) -> Vec<&'a str> {
        let name = |at: &usize| {
            let spelling = self.tokens.spelling(*at);
            let plain = self.tokens.is_name(*at) && !spelling.trim_matches('«').contains('.');
            (plain || spelling == "_").then_some(spelling)
        };
        range.map_while(|at| name(&at)).collect()
    }

    /// What stands between a quantifier and its comma: names that are bound one after the other, each
    /// with its type and, of `x ∈ s`, with what holds of it.
    fn domain(&mut self) -> Option<Binding<'a>> {
        let mut found = Binding::default();
        while self.at < self.end {
            self.step()?;
            let names = self.names(self.at..self.end);
            let is_over =
                |parser: &Self| parser.next() == "in" || spelling::is_predicate(parser.next());
            if names.is_empty() && !found.binders.is_empty() && self.next() == "∂" {
                found.over = Some(("∂", self.rest(self.end)));
                break;
            }
            if names.is_empty() && !is_over(self) {
                let group = self.group().or_else(|| self.taken_apart());
                found.binders.extend(group?);
                continue;
            }
            self.at += names.len();
            let sign = self.next();
            let of_type = (sign == ":" && found.binders.is_empty()).then(|| self.rest(self.end));
            let of_type = |name| Binder { name, of_type: of_type.clone(), ..Binder::default() };
            found.binders.extend(names.into_iter().map(of_type));
            if is_over(self) {
                if found.binders.is_empty() || (found.binders.len() > 1 && sign != "in") {
                    return None;
                }
                // Another sign may begin alike: `<+`.
                if self.tokens.adjoins(self.at + 1) && self.tokens.is_symbol(self.at + 1) {
                    return None;
                }
                let with = self.tokens.find(self.at..self.end, "with");
                found.over = Some((sign, self.rest(with.unwrap_or(self.end))));
                found.with = with.map(|_| self.rest(self.end));
            } else if self.is_loose && sign == "with" && !found.binders.is_empty() {
                found.with = Some(self.rest(self.end));
            }
        }
        (!found.binders.is_empty()).then_some(found)
    }

    /// The names of `⟨x, y⟩` or `(x, y)`.
    fn taken_apart(&mut self) -> Option<Vec<Binder<'a>>> {
        let close =
            self.tokens.closer(self.at).filter(|close| self.is_loose && *close < self.end)?;
        let inside = self.at + 1..close;
        self.at = close + 1;
        let names = inside.filter(|at| self.tokens.is_name(*at));
        let binder = |at| Binder { name: self.tokens.spelling(at), ..Binder::default() };
        Some(names.map(binder).collect())
    }

    /// What stands behind a sign, up to an end.
    fn rest(&mut self, end: usize) -> Tree<'a> {
        let start = std::mem::replace(&mut self.at, end) + 1;
        self.term(start..end)
    }

    /// `∀ x : A, p`, `∃! x, p`, `fun x ↦ e`, `∑ x ∈ s, f x`, `∫ x in s, f x ∂μ`
    fn quantifier(&mut self) -> Option<Tree<'a>> {
        self.step()?;
        let start = self.at;
        let known = spelling::quantifier(self.next());
        let unknown = || spelling::unknown_quantifier(self.next()).filter(|_| self.is_loose);
        let quantifier = known.or_else(unknown)?;
        let mark = self.tokens.spelling(start + 1);
        let marked = self.tokens.adjoins(start + 1)
            && (quantifier.marks.contains(&mark) || self.is_loose && spelling::is_mark(mark));
        let sign = if marked { self.tokens.joined(start, 2) } else { self.next() };
        self.at += 1 + usize::from(marked);
        if self.tokens.adjoins(self.at) && self.tokens.is_symbol(self.at) {
            return None;
        }
        let is_fun = sign == "fun";
        let arrow = is_fun.then(|| self.tokens.find(self.at..self.end, "↦")).flatten();
        // Once it was `λ x, e`.
        let comma = !is_fun || self.tokens.joined(start, 1) == "λ";
        let comma = || self.tokens.find(self.at..self.end, ",").filter(|_| comma);
        let stop = arrow.or_else(comma)?;
        let domain = self.all(self.at..stop, Self::domain)?;
        self.at = stop + 1;
        let mut body = self.expression(quantifier.body)?;
        let is_integral = sign == "∫" || self.is_loose && sign.starts_with(['∫', '⨍', '∮']);
        if is_integral && self.next() == "∂" {
            self.at += 1;
            let measure = self.expression(70)?;
            body = Rc::new(Term::Infix("∂", body, measure));
        }
        // The older spelling of `∑ x ∈ s`.
        let is_in = |word: &str| word == "in" && quantifier.body == SUM;
        let over = domain.over.map(|(word, over)| (if is_in(word) { "∈" } else { word }, over));
        Some(Rc::new(Term::Binding(Binding { sign, over, body, ..domain })))
    }
}
