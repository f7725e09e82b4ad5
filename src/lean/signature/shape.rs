//! What a statement looks like, for searching by pattern: a tree of names and operators without brackets, types of
//! binders, universes and coercions, in one spelling for a notation and the function behind it.
//!
//! A pattern is such a tree with holes: `_`, `?x`, and what it binds or leaves as a single letter. The same hole
//! stands for the same term.

use std::collections::BTreeSet;

use super::Signature;
use super::last_part;
use super::lexemes::{Tokens, lexemes};
use super::spelling::{NOTATIONS, noted};
use super::statements::{is_auto_bound, is_or_ends_in};
use super::term::{Binding, Kind, Parser, Term, Tree};

/// The head of what was read as lexemes in a row.
const FLAT: &str = "[..]";

/// The head of what applies more than a name: `(f * g) x`.
const APPLIED: &str = "()";

#[derive(Debug, Clone)]
struct Node<'a> {
    /// A name, a number or a sign.
    head: &'a str,
    /// Whether it stands for any term; `_` for one that is not named.
    is_hole: bool,
    /// Whether it is written behind a dot, and so no variable: `c` of `s.c`.
    is_field: bool,
    /// The type that it is ascribed, if that has a name; else empty.
    of_type: &'a str,
    parts: Vec<Self>,
}

/// How it is written does not count.
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.head == other.head && self.parts == other.parts
    }
}

/// The tree of a statement: what it asks for and what it concludes.
#[derive(Debug)]
pub struct Shape<'a> {
    asked: Vec<Node<'a>>,
    /// Instances that it asks for.
    classes: Vec<Node<'a>>,
    conclusion: Node<'a>,
    bound: BTreeSet<&'a str>,
    /// What is bound with a type that is only a name: `x` of `(x : ℝ)`.
    typed: Vec<(&'a str, &'a str)>,
}

#[derive(Debug)]
pub struct Pattern<'a> {
    shape: Shape<'a>,
    /// Whether it is about the conclusion: `⊢ ..`.
    is_conclusion: bool,
    /// Its names with their namespaces: `Real.sin`.
    dotted: BTreeSet<&'a str>,
}

/// What holes stand for: a head with the first of its parts.
type Bindings<'p, 'a> = Vec<(&'p str, (&'p str, &'p [Node<'a>]))>;

/// How close a statement is to a pattern that it matches; the less, the closer.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Closeness {
    /// How many of the names that may be a constant or a variable are none of the statement's constants.
    pub variables: usize,
    /// Whether only a part of it is what the pattern says.
    is_part: bool,
    /// How much more than variables stands in the holes.
    more: usize,
}

/// How a lemma whose conclusion is what a goal says fits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    /// Hypotheses of the lemma, and types that it names, that the goal does not have.
    pub missing: usize,
    /// Those that it has.
    pub met: usize,
    /// How much the conclusion says.
    pub weight: usize,
}

/// What is a hole of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holes {
    None,
    /// What is bound, as in a lemma.
    Bound,
    /// Single letters as well: nobody writes binders in a pattern.
    Letters,
    /// All that may be a variable, where nothing else is found.
    Names,
}

struct Reader<'a> {
    /// Names that a binder or a letter stands for.
    bound: BTreeSet<&'a str>,
    holes: Holes,
}

/// A statement behind its name, with all it binds: `(a b : ℕ) : a + b = b + a`.
#[derive(Debug)]
pub struct Statement<'a> {
    strict: Signature<'a>,
    /// Where something of it is not known.
    loose: Option<Signature<'a>>,
}

impl<'a> Statement<'a> {
    pub fn read(text: &'a str) -> Self {
        let lexemes = lexemes(text);
        let tokens = Tokens::read(text, &lexemes);
        Self::of(&tokens, &|parser| parser.signature(0..tokens.end()))
    }

    pub(super) fn of<'t>(
        tokens: &'t Tokens<'a>,
        read: &dyn Fn(&mut Parser<'t, 'a>) -> Signature<'a>,
    ) -> Self {
        let mut parser = Parser::new(tokens);
        let strict = read(&mut parser);
        let loose = parser.has_flat.then(|| read(&mut Parser::loose(tokens)));
        Self { strict, loose }
    }

    /// With a guess for what is not known, and whether there is one.
    pub(super) fn guessed(self) -> (Signature<'a>, bool) {
        let is_guess = self.loose.is_some();
        (self.loose.unwrap_or(self.strict), is_guess)
    }

    /// What it says, where all of that is known: by [`Signature::stated`].
    pub fn stated(&self) -> Option<(u64, Vec<&'a str>)> {
        self.strict.stated()
    }

    pub fn shape(&self) -> Shape<'a> {
        self.shape_as(Holes::None)
    }

    fn shape_as(&self, holes: Holes) -> Shape<'a> {
        self.loose.as_ref().unwrap_or(&self.strict).shape_as(holes)
    }
}

impl<'a> Signature<'a> {
    fn shape_as(&self, holes: Holes) -> Shape<'a> {
        let bound = self.binders.iter().map(|binder| binder.name).collect();
        let mut reader = Reader { bound, holes };
        let (mut asked, mut classes, mut typed) = (Vec::new(), Vec::new(), Vec::new());
        for binder in &self.binders {
            let to = if binder.kind == Kind::Instance { &mut classes } else { &mut asked };
            let of_type = binder.of_type.as_ref().map(|of_type| reader.node(of_type));
            let plain = of_type.as_ref().filter(|one| one.parts.is_empty() && one.weight() > 0);
            typed.extend(plain.map(|one| (binder.name, one.head)));
            to.extend(of_type);
        }
        let mut conclusion = reader.node(&self.conclusion);
        // What stands before an arrow is asked for, too.
        loop {
            let inner = match (conclusion.head, conclusion.parts.len()) {
                ("→", 2) => {
                    let last = conclusion.parts.pop();
                    asked.append(&mut conclusion.parts);
                    last
                }
                ("∀", 1..) if !conclusion.is_hole => {
                    let last = conclusion.parts.pop();
                    asked.append(&mut conclusion.parts);
                    last
                }
                _ => break,
            };
            conclusion = inner.unwrap_or_else(|| Node::leaf("_"));
        }
        Shape { asked, classes, conclusion, bound: reader.bound, typed }
    }
}

impl<'a> Reader<'a> {
    /// A term that is applied to nothing.
    fn argument(&mut self, tree: &Tree<'a>) -> Node<'a> {
        let mut node = self.node(tree);
        let is_variable = node.parts.is_empty() && may_be_variable(node.head);
        node.is_hole |= self.holes == Holes::Names && is_variable;
        node
    }

    fn node(&mut self, tree: &Tree<'a>) -> Node<'a> {
        match &**tree.bare() {
            Term::Name(name) => self.name(name),
            Term::Sign("_") => Node { is_hole: true, ..Node::leaf("_") },
            Term::Number(sign) | Term::Sign(sign) | Term::Sort(sign, _) => Node::leaf(sign),
            Term::Apply(head, arguments) => self.applied(head, arguments),
            Term::Infix("<|", head, argument) => self.applied(head, std::slice::from_ref(argument)),
            Term::Field(of, fields) => fields.split('.').fold(self.node(of), Node::field),
            Term::Infix(sign, a, b) => {
                let (a, b) = (self.argument(a), self.argument(b));
                match *sign {
                    "≥" => Node::of("≤", vec![b, a]),
                    ">" => Node::of("<", vec![b, a]),
                    sign => Node::of(sign, vec![a, b]),
                }
            }
            Term::Prefix(sign, inner) if is_coercion(sign) => self.node(inner),
            Term::Levels(inner, _) | Term::Round(inner) => self.node(inner),
            Term::Ascribed(inner, of_type) => {
                let of_type = of_type.head().filter(|name| !self.is_variable(name));
                Node { of_type: of_type.map_or("", noted), ..self.node(inner) }
            }
            Term::Prefix("-", inner) => Node::of("- ", vec![self.node(inner)]),
            Term::Prefix(sign, inner) => Node::of(sign, vec![self.node(inner)]),
            Term::Listed(sign, parts) => {
                Node::of(sign, parts.iter().map(|one| self.argument(one)).collect())
            }
            Term::Binding(binding) => self.binding(binding),
            Term::Flat(items) => Node::of(FLAT, items.iter().map(|one| self.node(one)).collect()),
        }
    }

    fn applied(&mut self, head: &Tree<'a>, arguments: &[Tree<'a>]) -> Node<'a> {
        let mut node = self.node(head);
        if is_more_than_a_name(head) {
            node = Node::of(APPLIED, vec![node]);
        }
        // The type of a function is not that of its values.
        node.of_type = "";
        node.parts.extend(arguments.iter().map(|one| self.argument(one)));
        node
    }

    /// `∑ x ∈ s, f x` has the parts `s` and `f x`; `∀ x, p` only `p`, `∀ x > 0, p` also `x > 0`; `fun x ↦ e` what it
    /// binds and `e`.
    fn binding(&mut self, binding: &Binding<'a>) -> Node<'a> {
        let named = binding.binders.iter().map(|binder| binder.name);
        self.bound.extend(named.clone().filter(|name| !name.is_empty() && *name != "_"));
        if binding.sign == "fun" && binding.over.is_none() {
            let body = self.node(&binding.body);
            let of = |body, name| Node::of("fun", vec![self.name(name), body]);
            return named.rev().filter(|name| !name.is_empty()).fold(body, of);
        }
        let mut parts = Vec::new();
        let is_logic = matches!(binding.sign, "∀" | "→" | "∃");
        if is_logic {
            let props = binding.binders.iter().filter(|binder| binder.name.is_empty());
            parts.extend(props.filter_map(|one| one.of_type.as_ref()).map(|one| self.node(one)));
        }
        if let Some((sign, over)) = &binding.over {
            let over = self.node(over);
            let name = binding.binders.first().map_or("_", |binder| binder.name);
            parts.push(match *sign {
                _ if !is_logic => over,
                "≥" => Node::of("≤", vec![over, self.name(name)]),
                ">" => Node::of("<", vec![over, self.name(name)]),
                sign => Node::of(sign, vec![self.name(name), over]),
            });
        }
        parts.extend(binding.with.as_ref().map(|with| self.node(with)));
        parts.push(self.node(&binding.body));
        Node::of(if binding.sign == "→" { "∀" } else { binding.sign }, parts)
    }

    fn is_variable(&self, name: &str) -> bool {
        is_letter(name) || name.starts_with("«?") || self.bound.contains(name)
    }

    fn name(&self, name: &'a str) -> Node<'a> {
        let is_pattern = matches!(self.holes, Holes::Letters | Holes::Names);
        let may_be = |name: &str| is_letter(name) || name.starts_with("«?") || name == "_";
        let is_bound = |name: &str| self.bound.contains(name) || is_pattern && may_be(name);
        // `s.card` is `card s`, `univ.card` and `Finset.univ.card` as well.
        let mut ends = name.match_indices('.').map(|(at, _)| at);
        let is_term = |of: &&str| {
            let last = last_part(of);
            is_bound(of)
                || last.starts_with(char::is_lowercase)
                || is_letter(last)
                || self.holes == Holes::Names && may_be_variable(of)
        };
        let of = ends.find_map(|at| name.get(..at).filter(is_term));
        if let Some(of) = of {
            let fields = name.get(of.len() + 1..).unwrap_or_default();
            let mut node = self.name(of);
            node.is_hole |= is_pattern && !of.contains('.');
            return fields.split('.').fold(node, Node::field);
        }
        let is_hole = self.holes != Holes::None && is_bound(name);
        // As [`noted`] has it.
        let name = match name {
            "Real.pi" => "ℝ.pi",
            "Real.exp" => "ℝ.exp",
            "Complex.exp" => "ℂ.exp",
            _ => noted(name),
        };
        Node { is_hole, ..Node::leaf(name) }
    }
}

impl<'a> Node<'a> {
    fn leaf(head: &'a str) -> Self {
        Self::of(head, Vec::new())
    }

    fn of(head: &'a str, parts: Vec<Self>) -> Self {
        let is_name = head.len() > 1 && head.starts_with(|c: char| c.is_ascii_alphabetic());
        let notation = is_name.then(|| NOTATIONS.binary_search_by(|(name, _)| (*name).cmp(head)));
        let notation = notation.and_then(Result::ok).and_then(|at| NOTATIONS.get(at));
        let notation = notation.map(|(_, sign)| *sign);
        Self { head: notation.unwrap_or(head), is_hole: false, is_field: false, of_type: "", parts }
    }

    /// `s.card` is nearly always that of a `Finset`.
    fn field(of: Self, field: &'a str) -> Self {
        let field = if field == "card" { "#" } else { field };
        Self { is_field: true, ..Self::of(field, vec![of]) }
    }

    /// How much of it is given: neither holes nor universes count.
    fn weight(&self) -> usize {
        let own = usize::from(!(self.is_hole || matches!(self.head, "Type" | "Sort" | "Prop")));
        own + self.parts.iter().map(Self::weight).sum::<usize>()
    }

    fn size(&self) -> usize {
        1 + self.parts.iter().map(Self::size).sum::<usize>()
    }

    fn each<'n>(&'n self, visit: &mut impl FnMut(&'n Self)) {
        visit(self);
        self.parts.iter().for_each(|part| part.each(visit));
    }

    /// Whether a term is what this pattern says, given what its holes stand for so far.
    fn matches<'p>(&'p self, term: &'p Self, holes: &mut Bindings<'p, 'a>) -> bool {
        let (wanted, given) = (self.parts.len(), term.parts.len());
        // `(0 : ℝ)` is not `(0 : ℂ)`.
        let is_typed = !self.of_type.is_empty() && !term.of_type.is_empty();
        if is_typed && !same_name(self.of_type, term.of_type) {
            return false;
        }
        let Some((before, last)) = term.parts.split_at_checked(given.wrapping_sub(wanted)) else {
            return false;
        };
        let is_head = match (self.is_hole, before) {
            (true, _) if wanted == 0 => self.stands_for(term.head, &term.parts, holes),
            (true, []) if term.head == APPLIED => false,
            (true, [head]) if term.head == APPLIED => {
                self.stands_for(head.head, &head.parts, holes)
            }
            (true, _) => {
                (term.head == APPLIED || !is_sign(term.head))
                    && self.stands_for(term.head, before, holes)
            }
            (false, []) => same_name(self.head, term.head),
            // `x ⊗ₜ y` is `x ⊗ₜ[R] y` as well.
            (false, [_]) => is_sign(self.head) && term.head.strip_suffix('[') == Some(self.head),
            (false, _) => false,
        };
        is_head && self.parts.iter().zip(last).all(|(one, of)| one.matches(of, holes))
    }

    /// Whether a hole may stand for this, and from now on does.
    fn stands_for<'p>(
        &'p self,
        head: &'p str,
        parts: &'p [Self],
        holes: &mut Bindings<'p, 'a>,
    ) -> bool {
        let known = holes.iter().find(|(name, _)| *name == self.head && *name != "_");
        let is_it = known.is_none_or(|(_, known)| *known == (head, parts));
        holes.push((self.head, (head, parts)));
        is_it
    }

    fn is_in(&self, term: &Self) -> bool {
        self.matches(term, &mut Vec::new()) || term.parts.iter().any(|part| self.is_in(part))
    }
}

/// Whether a name is a letter, with or without a number: `x`, `F`, `X₀`, `W'`. What has such a name is more often a
/// variable than not; those in bold script are notations of Mathlib.
fn is_letter(name: &str) -> bool {
    let mut chars = name.chars();
    let is_one = |c: &char| {
        matches!(c, 'a'..='z' | 'A'..='Z' | 'Α'..='ϝ' | 'ℙ' | 'ℬ'..='ℳ' | '𝐀'..='𝟋')
            && !matches!(c, '𝓐'..='𝔃')
    };
    chars.next().as_ref().is_some_and(is_one) && chars.all(is_index) && name != "π"
}

fn is_index(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '\'' | '₀'..='ₜ' | 'ᵢ'..='ᵪ' | 'ⱼ')
}

/// Whether a name without a namespace may be a variable: `hx`, `toFun`, `HP`, and not `Finset`.
fn may_be_variable(name: &str) -> bool {
    let is_short = || name.trim_end_matches(is_index).chars().count() <= 2;
    !name.contains('.') && (name.starts_with(char::is_lowercase) || is_short()) && !is_sign(name)
}

fn is_more_than_a_name(head: &Tree<'_>) -> bool {
    match &**head.bare() {
        Term::Infix(..) | Term::Listed(..) | Term::Binding(_) | Term::Flat(_) => true,
        Term::Prefix(sign, inner) => !is_coercion(sign) || is_more_than_a_name(inner),
        Term::Ascribed(inner, _) => is_more_than_a_name(inner),
        _ => false,
    }
}

/// A name with its namespace, without fields: `Finset.univ` of `Finset.univ.card`; `None` for a field of a variable, and
/// for what has a notation.
fn namespaced(name: &str) -> Option<&str> {
    let is_space = |first: &str| first.starts_with(char::is_uppercase) && !may_be_variable(first);
    let (first, _) = name.split_once('.').filter(|(first, _)| is_space(first))?;
    if Node::leaf(name).head != name {
        return None;
    }
    let mut ends = name.match_indices('.').map(|(at, _)| at).chain([name.len()]);
    let is_lower = |of: &&str| last_part(of).starts_with(char::is_lowercase);
    let whole = ends.find_map(|at| name.get(..at).filter(is_lower)).unwrap_or(name);
    (whole.len() > first.len()).then_some(whole)
}

fn is_coercion(sign: &str) -> bool {
    matches!(sign, "↑" | "⇑" | "↥" | "@")
}

/// `sin` is `Real.sin` where `Real` is open.
fn same_name(one: &str, other: &str) -> bool {
    one == other || (!is_sign(one) && (is_or_ends_in(one, other) || is_or_ends_in(other, one)))
}

fn is_sign(head: &str) -> bool {
    !head.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '«' | '·'))
}

impl<'a> Shape<'a> {
    fn nodes(&self) -> impl Iterator<Item = &Node<'a>> {
        self.asked.iter().chain(&self.classes).chain([&self.conclusion])
    }

    /// What the statement speaks of: last parts of names, numbers and signs, without what it binds.
    pub fn constants(&self) -> BTreeSet<&'a str> {
        self.constants_of(self.nodes())
    }

    /// The same of its conclusion.
    pub fn concluded(&self) -> BTreeSet<&'a str> {
        self.constants_of(std::iter::once(&self.conclusion))
    }

    /// The same of what it asks for.
    pub fn asked(&self) -> BTreeSet<&'a str> {
        self.constants_of(self.asked.iter())
    }

    fn constants_of<'n>(&self, nodes: impl Iterator<Item = &'n Node<'a>>) -> BTreeSet<&'a str>
    where
        'a: 'n,
    {
        let mut found = BTreeSet::new();
        nodes.for_each(|node| {
            self.visit(node, &mut |name| {
                found.insert(name);
            });
        });
        found
    }

    /// What [`Shape::constants`] has, some of it more than once.
    pub fn each_constant(&self, mut take: impl FnMut(&'a str)) {
        self.nodes().for_each(|node| self.visit(node, &mut take));
    }

    fn visit(&self, node: &Node<'a>, take: &mut impl FnMut(&'a str)) {
        node.each(&mut |node| {
            let constant = self.constant(node).filter(|name| !matches!(*name, FLAT | APPLIED));
            if let Some(name) = constant {
                take(name);
            }
        });
    }

    fn constant(&self, node: &Node<'a>) -> Option<&'a str> {
        let is_letter = node.head.is_ascii() && is_auto_bound(node.head);
        let is_bound = !node.is_field && (is_letter || self.bound.contains(node.head));
        let name = last_part(node.head);
        let name = name.strip_suffix('[').filter(|sign| !sign.is_empty()).unwrap_or(name);
        (!(node.is_hole || is_bound || node.head == "_")).then_some(name)
    }

    /// What its conclusion begins with, and each side of that where there are two, with the number of arguments: what
    /// says the same has the same heads.
    pub fn heads(&self) -> Vec<String> {
        let Node { parts, .. } = &self.conclusion;
        let mut found: Vec<String> = Vec::new();
        found.extend(self.constant(&self.conclusion).map(|name| format!("⊢{name}")));
        for (side, part) in parts.iter().enumerate().filter(|_| parts.len() == 2) {
            let name = self.constant(part);
            let arguments = name.filter(|name| !is_sign(name)).map_or(0, |_| part.parts.len());
            found.extend(name.map(|name| format!("{side}{name} {arguments}")));
        }
        found
    }
}

impl<'a> Pattern<'a> {
    /// A pattern as Loogle and Lean write it, with each `?x` as `«?x»`: `_ * (_ ^ _)`, `⊢ a ∣ b`, `Real.sin`.
    /// `None` for what is no term.
    pub fn read(text: &'a str) -> Option<Self> {
        Self::read_as(text, Holes::Letters)
    }

    /// The same, where also names of several letters may be variables: `hs.min hn ≤ _`.
    pub fn read_freely(text: &'a str) -> Option<Self> {
        Self::read_as(text, Holes::Names)
    }

    fn read_as(text: &'a str, holes: Holes) -> Option<Self> {
        let text = text.trim();
        let conclusion = text.strip_prefix("⊢").or_else(|| text.strip_prefix("|-"));
        let term = conclusion.unwrap_or(text);
        let lexemes = lexemes(term);
        let tokens = Tokens::read(term, &lexemes);
        let statement = Statement::of(&tokens, &|parser| parser.proposition(0..tokens.len()));
        if !statement.strict.whole || tokens.len() == 0 {
            return None;
        }
        let shape = statement.shape_as(holes);
        let is_flat = shape.conclusion.head == FLAT && shape.conclusion.parts.len() > 1;
        let says_nothing = is_flat && !shape.conclusion.parts.iter().any(|one| is_sign(one.head));
        let names =
            (0..tokens.len()).filter(|at| tokens.is_name(*at)).map(|at| tokens.spelling(at));
        let dotted = names.filter_map(namespaced).collect();
        (!says_nothing).then_some(Self { shape, is_conclusion: conclusion.is_some(), dotted })
    }

    /// The statement of a lemma as a pattern, by what it concludes: all that it binds may be anything.
    pub fn of_lemma(statement: &Statement<'a>) -> Self {
        let shape = statement.shape_as(Holes::Bound);
        Self { shape, is_conclusion: true, dotted: BTreeSet::new() }
    }

    pub fn constants(&self) -> BTreeSet<&'a str> {
        self.shape.constants()
    }

    /// Those of its conclusion, if it is about that.
    pub fn heads(&self) -> Vec<String> {
        if self.is_conclusion { self.shape.heads() } else { Vec::new() }
    }

    /// Whether it is only a name.
    pub fn is_name(&self) -> bool {
        self.shape.conclusion.parts.is_empty() && self.shape.asked.is_empty()
    }

    pub fn dotted(&self) -> &BTreeSet<&'a str> {
        &self.dotted
    }

    /// Its holes that may be constants: `C` and `X` of `C a * X ^ n`, `lp` of `lp.single i a`.
    pub fn letters(&self) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let may_be = |name: &str| {
            !(is_auto_bound(name.trim_end_matches('\'')) || name.starts_with("«?") || name == "_")
        };
        for node in self.shape.nodes() {
            node.each(&mut |node| {
                let is_it =
                    node.is_hole && may_be(node.head) && !self.shape.bound.contains(node.head);
                found.extend(is_it.then_some(node.head));
            });
        }
        found
    }

    /// Of a conclusion, or of any term of the statement; what it asks for may stand in any order.
    pub fn matches(&self, statement: &Shape<'a>) -> Option<Closeness> {
        let mut holes = Vec::new();
        let Self { shape, is_conclusion, .. } = self;
        let is_anything = shape.conclusion.is_hole && self.letters().is_empty();
        if self.is_name() && !is_anything {
            // A function is found where it is applied.
            let is_it = |node: &Node<'a>| same_name(shape.conclusion.head, node.head);
            let mut is_part = false;
            let mut visit = |node: &Node<'a>| is_part |= is_it(node);
            match is_conclusion {
                true => visit(&statement.conclusion),
                false => statement.nodes().for_each(|node| node.each(&mut visit)),
            }
            let is_part_only = !is_it(&statement.conclusion);
            return is_part.then_some(Closeness { is_part: is_part_only, ..Closeness::default() });
        }
        let mut taken = vec![false; statement.asked.len()];
        let is_whole = shape.conclusion.matches(&statement.conclusion, &mut holes)
            && shape.asked.iter().all(|wanted| {
                // Each is one of its own.
                statement.asked.iter().zip(&mut taken).any(|(asked, taken)| {
                    let before = holes.len();
                    let found = !*taken && wanted.matches(asked, &mut holes);
                    if !found {
                        holes.truncate(before);
                    }
                    *taken |= found;
                    found
                })
            });
        // Of a structure's fields it is not seen what the structure is about.
        let is_field = statement.bound.contains("self");
        let is_bound =
            |head: &str| is_field || statement.bound.contains(head) || is_auto_bound(head);
        let is_part = !is_whole
            && !is_conclusion
            && shape.asked.is_empty()
            && statement.nodes().any(|term| shape.conclusion.is_in(term));
        if !(is_whole || is_part) {
            return None;
        }
        let letters = self.letters();
        if is_whole {
            let more = |(head, parts): &(&str, &[Node<'a>])| {
                let is_variable = parts.is_empty() && is_bound(head);
                if is_variable { 0 } else { 1 + parts.iter().map(Node::size).sum::<usize>() }
            };
            let constants: BTreeSet<&str> = holes
                .iter()
                .filter(|(hole, (head, parts))| {
                    letters.contains(hole)
                        && parts.is_empty()
                        && same_name(hole, head)
                        && !is_bound(head)
                })
                .map(|(hole, _)| *hole)
                .collect();
            return Some(Closeness {
                variables: letters.len() - constants.len(),
                is_part: false,
                more: holes.iter().map(|(_, node)| more(node)).sum(),
            });
        }
        Some(Closeness { variables: letters.len(), is_part, more: 0 })
    }

    /// How a lemma fits a goal that is what it concludes, an equation in either direction; `None` for any other lemma.
    pub fn fit(&self, goal: &Shape<'a>) -> Option<Fit> {
        let conclusion = &self.shape.conclusion;
        let turned = || match conclusion.parts.as_slice() {
            [one, other] if matches!(conclusion.head, "=" | "≠" | "↔") => {
                let parts = vec![other.clone(), one.clone()];
                Some(Node { parts, ..conclusion.clone() })
            }
            _ => None,
        };
        if conclusion.is_hole {
            return None;
        }
        self.fit_as(conclusion, goal).or_else(|| self.fit_as(&turned()?, goal))
    }

    fn fit_as(&self, conclusion: &Node<'a>, goal: &Shape<'a>) -> Option<Fit> {
        let mut holes: Bindings<'_, 'a> = Vec::new();
        if !conclusion.matches(&goal.conclusion, &mut holes) {
            return None;
        }
        let of_type = |typed: &[(&str, &'a str)], name: &str| {
            typed.iter().find(|(one, _)| *one == name).map(|(_, of_type)| *of_type)
        };
        let is_other = |(hole, (head, parts)): &(&str, (&str, &[Node<'a>]))| {
            let wanted = of_type(&self.shape.typed, hole);
            let given = of_type(&goal.typed, head).filter(|_| parts.is_empty());
            let fixed = wanted.zip(given).filter(|(wanted, _)| !self.shape.bound.contains(wanted));
            fixed.is_some_and(|(wanted, given)| !same_name(wanted, given))
        };
        if holes.iter().any(is_other) {
            return None;
        }
        let is_there = |asked: &&Node<'a>| {
            goal.asked.iter().any(|given| asked.matches(given, &mut holes.clone()))
        };
        let asked = self.shape.asked.iter().filter(|asked| asked.weight() > 0);
        let (met, missing): (Vec<_>, Vec<_>) = asked.partition(is_there);
        Some(Fit { missing: missing.len(), met: met.len(), weight: conclusion.weight() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pattern: &str, statement: &str) -> Option<Closeness> {
        let pattern = Pattern::read(pattern).unwrap_or_else(|| panic!("no pattern: {pattern}"));
        pattern.matches(&Statement::read(statement).shape())
    }

    #[test]
    fn what_a_pattern_says() {
        for (pattern, statement, is_said) in [
            // letters of either case, with numbers and primes, are variables, and so is what has a field
            ("⊢ F.map e.hom ≫ F.map e.inv = _", "(G : C) : G.map f.hom ≫ G.map f.inv = 𝟙 _", true),
            ("⊢ finrank R M = _", "(K V : Type) : finrank K V = 2", true),
            ("⊢ (S.comap g).comap f = _", "(T : A) : (T.comap h).comap k = T.comap (h ≫ k)", true),
            ("⊢ (W'.map f).Δ = _", "(W : A) : (W.map g).Δ = g W.Δ", true),
            ("⊢ _.map _ ≫ _.map _ = _", "(F : A) : F.map f ≫ F.map g = F.map (f ≫ g)", true),
            ("⊢ hs.piecewise f x = _", "(h : A) : h.piecewise g y = g y", true),
            ("⊢ _.card = 0", ": Finset.univ.card = 0", true),
            ("⊢ univ.card = 0", "(s : Finset A) : s.card = 0", true),
            ("⊢ Real.sin x = _", "(x : ℂ) : Complex.sin x = 0", false),
            ("⊢ Real.pi < _", ": π < 4", true),
            // the same hole is the same term, also where it is a function
            ("⊢ «?f» «?a» = «?f» «?b»", "(g h : A) : g x = h y", false),
            ("⊢ «?f» «?a» = «?f» «?b»", "(g : A) : g x = g y", true),
            ("⊢ «?f» «?a» = «?f»", "(g : A) : g x y = g x", true),
            // as many arguments as there are
            ("⊢ f (map _) = _", "(x : A) : g (map x y) = 0", false),
            ("⊢ _ «?a» «?b» = _", "(f : A) : (f * g) a b = c", true),
            ("⊢ _ «?a» «?b» = _", "(f : A) : (f * g) a = c", false),
            ("⊢ (_ * _) a = _", "(f : A) : (f * g) x = f x * g x", true),
            ("⊢ (_ * _) a = _", "(f : A) : f x * g x = (f * g) x", false),
            ("_", "(x : A) : x = y", true),
            ("sin", "(x : A) : 0 ≤ Real.sin x", true),
            ("⊢ sin", "(x : A) : 0 ≤ Real.sin x", false),
            // signs that are not known
            ("⊢ f (_ ⊗ₜ a) = _", "(x : A) : g (y ⊗ₜ x) = y", true),
            ("⊢ f (_ ⊗ₜ a) = _", "(x : A) : g (y ⊗ₜ[R] x) = y", true),
            ("⊢ f (_ ⊗ₜ[ℝ] a) = _", "(x : A) : g (y ⊗ₜ[ℂ] x) = y", false),
            ("⊢ _ = v +ᵥ s.map f", "(s : A) : (a +ᵥ t).map h = a +ᵥ t.map h", true),
            ("⊢ Z ◁ g ≫ _ = _", "(X : A) : X ◁ f ≫ h = k", true),
            ("⊢ _ ≫ h = _", "(X : A) : X ◁ f ≫ h = k", true),
            ("⊢ _ = 𝟙 X", "(Y : A) : f ≫ g = 𝟙 Y", true),
            ("⊢ 𝟙_ C = _", "(C : A) : 𝟙_ C = X", true),
            ("⊢ (a ×ₖ _).map f = _", "(κ : A) : (κ ×ₖ η).map g = g ×ₖ κ", true),
            ("⊢ ∠ a _ c = _", "(p : A) : ∠ p q r = ∠ r q p", true),
            ("⊢ _ = .ofReal r * _", "(r : ℝ) : volume s = .ofReal r * .ofReal π", true),
            ("⊢ ‖_‖₊ ≤ _", "(x : A) : ‖x‖₊ ≤ 1", true),
            ("⊢ ‖_‖₊ ≤ _", "(x : A) : ‖x‖ ≤ 1", false),
            ("⊢ ‖‖x‖ • _‖ = _", "(x : A) : ‖‖x‖ • y‖ = ‖x‖ * ‖y‖", true),
            ("⊢ f ‖_‖ = _", "(x : A) : f ‖x‖ = 0", true),
            ("⊢ ⌊_⌋₊ = _", "(a : A) : ⌊a⌋₊ = 0", true),
            ("⊢ _ = -⁅x, _⁆", "(x : A) : ad x = -⁅x, D⁆", true),
            ("⊢ ⟪_, y⟫ = 0", "(u : A) : ⟪u, v⟫ = 0", true),
            ("⊢ s(_, y) = _", "(a : A) : s(a, b) = s(b, a)", true),
            ("⊢ f (a⟦1⟧') = _", "(f : A) : g (b⟦1⟧') = 0", true),
            ("⊢ η[_] = _", "(A : C) : η[A.X] = 0", true),
            ("⊢ ⋃₀ _ ⊆ t", "(s : A) : ⋃₀ s ⊆ t", true),
            ("⊢ Sᗮᗮ = _", "(K : A) : Kᗮᗮ = K", true),
            ("⊢ _ ∘ (↑) = _", "(f : A) : f ∘ (↑) = g", true),
            ("⊢ f ∞ = _", "(g : A) : g ∞ = 0", true),
            // each hypothesis is one of its own
            ("⊢ p a → p b → p _", "(x : A) (h : p y) (k : p x) : p (x * y)", true),
            ("⊢ IsSq a → IsSq b → IsSq _", "(h : IsSq x) : IsSq (x ^ 2)", false),
            // what binds
            ("⊢ ∫⁻ a, f a ∂μ = _", "(g : A) : ∫⁻ x, g x ∂ν = 0", true),
            ("⊢ ∫⁻ a, f a ∂μ = _", "(g : A) : ∫ x, g x ∂ν = 0", false),
            ("⊢ ∫ x in _.._, f x = _", "(g : A) : ∫ t in a..b, g t = 0", true),
            ("⊢ ⨍ x, f x ∂μ = _", "(g : A) : ⨍ x in s, g x ∂ν = 0", false),
            ("⊢ ∑ x with p x, f x = _", "(g : A) : ∑ i with q i, g i = 0", true),
            ("⊢ p {x | |x| < _}", "(q : A) : q {x | |x| < 1}", true),
            ("⊢ p (fun ⟨x, y⟩ ↦ f x)", "(q : A) : q (fun ⟨a, b⟩ ↦ f a)", true),
            ("⊢ p ((· a) '' s)", "(q : A) : q ((· x) '' t)", true),
            ("⊢ p fun x y ↦ x ≤ y", "(q : A) : q (· ≤ ·)", true),
            ("⊢ p fun x y ↦ x ≤ y", "(q : A) : q (· ≥ ·)", false),
            // types that are named
            ("⊢ (⊥ : Submodule R M) = _", "(A : B) : (⊥ : Ideal A) = x", false),
            ("⊢ (⊥ : Submodule R M) = _", "(A : B) : (⊥ : Submodule A A) = x", true),
            ("⊢ (⊥ : Submodule R M) = _", "(A : B) : ⊥ = x", true),
            ("⊢ (0 : R) = _", "(A : B) : (0 : ℝ) = x", true),
            // what is known of nothing else is divided at its relation
            ("⊢ f (by simp) = «?a» ∧ _", "(x : A) : f (by simp) = x ∧ p x", true),
            ("⊢ n + 1 = _", "(n : ℕ) : haveI := i.neZero; n + 1 = 0", true),
        ] {
            assert_eq!(said(pattern, statement).is_some(), is_said, "{pattern} of {statement}");
        }
    }

    #[test]
    fn a_letter_that_is_a_constant_is_closer() {
        let variables = |pattern: &str, statement| said(pattern, statement).unwrap().variables;
        for (statement, expected) in [
            ("(a : R) : C a * X ^ n = monomial n a", 0),
            ("(a : R) (X : A) : C a * X ^ n = monomial n a", 1),
            ("(D Y : A) : D a * Y ^ n = 0", 2),
            ("(self : B) : C a * X ^ n = 0", 2),
        ] {
            assert_eq!(variables("⊢ C a * X ^ n = _", statement), expected, "{statement}");
        }
        let constants = |pattern| Pattern::read(pattern).unwrap().constants();
        assert!(constants("⊢ S.c = _").contains("c") && !constants("⊢ f c = _").contains("c"));
        let field = Statement::read("(inl : A) (S : B) : S.inl = inl").shape();
        assert_eq!(field.concluded(), BTreeSet::from(["=", "inl"]));
        assert_eq!(variables("⊢ lp.single p i = _", ": lp.single q j = 0"), 0);
        let freely = Pattern::read_freely("⊢ toNNReal he m ≠ _").unwrap();
        assert!(freely.matches(&Statement::read("(h : A) : toNNReal h k ≠ 0").shape()).is_some());
        assert!(freely.constants().contains("toNNReal") && freely.letters().contains("he"));
    }

    /// Only for searching: what two statements say is another question.
    #[test]
    fn nothing_is_the_same_by_a_loose_reading() {
        let (one, other) = (": a ⊗ b = c", ": (a ⊗ b) = c");
        let read = Statement::read;
        assert!(said("⊢ _ ⊗ _ = _", one).is_some() && said("⊢ _ ⊗ _ = _", other).is_some());
        assert_ne!(super::super::statement_key(one), super::super::statement_key(other));
        assert_ne!(read(one).stated(), read(other).stated());
    }
}
