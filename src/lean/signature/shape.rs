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

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node<'a> {
    /// A name, a number or a sign.
    head: &'a str,
    /// Whether it stands for any term; `_` for one that is not named.
    is_hole: bool,
    parts: Vec<Self>,
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
}

type Bindings<'p, 'a> = Vec<(&'p str, &'p Node<'a>)>;

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
}

struct Reader<'a> {
    /// Names that a binder or a letter stands for.
    bound: BTreeSet<&'a str>,
    holes: Holes,
}

impl<'a> Signature<'a> {
    pub fn shape(&self) -> Shape<'a> {
        self.shape_as(Holes::None)
    }

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
    fn node(&mut self, tree: &Tree<'a>) -> Node<'a> {
        match &**tree.bare() {
            Term::Name(name) => self.name(name),
            Term::Sign("_") => Node { is_hole: true, ..Node::leaf("_") },
            Term::Number(sign) | Term::Sign(sign) | Term::Sort(sign, _) => Node::leaf(sign),
            Term::Apply(head, arguments) => self.applied(head, arguments),
            Term::Infix("<|", head, argument) => self.applied(head, std::slice::from_ref(argument)),
            Term::Field(of, field) => Node::field(self.node(of), field),
            Term::Infix(sign, a, b) => {
                let (a, b) = (self.node(a), self.node(b));
                match *sign {
                    "≥" => Node::of("≤", vec![b, a]),
                    ">" => Node::of("<", vec![b, a]),
                    sign => Node::of(sign, vec![a, b]),
                }
            }
            Term::Prefix("↑" | "⇑" | "↥" | "@", inner)
            | Term::Levels(inner, _)
            | Term::Ascribed(inner, _)
            | Term::Round(inner) => self.node(inner),
            Term::Prefix("-", inner) => Node::of("- ", vec![self.node(inner)]),
            Term::Prefix(sign, inner) => Node::of(sign, vec![self.node(inner)]),
            Term::Listed(sign, parts) => {
                Node::of(sign, parts.iter().map(|one| self.node(one)).collect())
            }
            Term::Binding(binding) => self.binding(binding),
            Term::Flat(items) => Node::of(FLAT, items.iter().map(|one| self.node(one)).collect()),
        }
    }

    fn applied(&mut self, head: &Tree<'a>, arguments: &[Tree<'a>]) -> Node<'a> {
        let mut node = self.node(head);
        node.parts.extend(arguments.iter().map(|one| self.node(one)));
        node
    }

    /// `∑ x ∈ s, f x` has the parts `s` and `f x`; `∀ x, p` only `p`, `∀ x > 0, p` also `x > 0`.
    fn binding(&mut self, binding: &Binding<'a>) -> Node<'a> {
        let named = binding.binders.iter().map(|binder| binder.name);
        self.bound.extend(named.filter(|name| !name.is_empty() && *name != "_"));
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

    fn name(&self, name: &'a str) -> Node<'a> {
        let is_letter = |name: &str| is_auto_bound(name.trim_end_matches('\'')) && name != "π";
        let is_bound = |name: &str| {
            self.bound.contains(name)
                || self.holes == Holes::Letters && (is_letter(name) || name.starts_with("«?"))
        };
        // `s.card` is `card s`.
        if let Some((first, fields)) = name.split_once('.')
            && is_bound(first)
        {
            let of = self.name(first);
            return fields.split('.').fold(of, Node::field);
        }
        Node { is_hole: self.holes != Holes::None && is_bound(name), ..Node::leaf(noted(name)) }
    }
}

impl<'a> Node<'a> {
    fn leaf(head: &'a str) -> Self {
        Self::of(head, Vec::new())
    }

    fn of(head: &'a str, parts: Vec<Self>) -> Self {
        let notation = NOTATIONS.binary_search_by(|(name, _)| (*name).cmp(head));
        let notation = notation.ok().and_then(|at| NOTATIONS.get(at)).map(|(_, sign)| *sign);
        Self { head: notation.unwrap_or(head), is_hole: false, parts }
    }

    /// `s.card` is nearly always that of a `Finset`.
    fn field(of: Self, field: &'a str) -> Self {
        Self::of(if field == "card" { "#" } else { field }, vec![of])
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
        let tail = |from: usize| term.parts.get(from..).unwrap_or_default();
        if self.is_hole && wanted == 0 {
            let known = holes.iter().find(|(name, _)| *name == self.head && *name != "_");
            if let Some((_, known)) = known {
                return *known == term;
            }
            holes.push((self.head, term));
            return true;
        }
        let is_head = if self.is_hole {
            given >= wanted && !is_sign(term.head)
        } else {
            same_name(self.head, term.head)
                && (given == wanted || wanted == 0 && !is_sign(self.head))
        };
        let from = given.saturating_sub(wanted);
        is_head && self.parts.iter().zip(tail(from)).all(|(one, of)| one.matches(of, holes))
    }

    fn is_in(&self, term: &Self) -> bool {
        self.matches(term, &mut Vec::new()) || term.parts.iter().any(|part| self.is_in(part))
    }
}

/// `sin` is `Real.sin` where `Real` is open.
fn same_name(one: &str, other: &str) -> bool {
    one == other || (!is_sign(one) && (is_or_ends_in(one, other) || is_or_ends_in(other, one)))
}

fn is_sign(head: &str) -> bool {
    !head.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '«'))
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
        for node in nodes {
            node.each(&mut |node| {
                let is_letter = node.head.is_ascii() && is_auto_bound(node.head);
                let is_bound = is_letter || self.bound.contains(node.head);
                if !(node.is_hole || is_bound || matches!(node.head, FLAT | "_")) {
                    found.insert(last_part(node.head));
                }
            });
        }
        found
    }
}

impl<'a> Pattern<'a> {
    /// A pattern as Loogle and Lean write it, with each `?x` as `«?x»`: `_ * (_ ^ _)`, `⊢ a ∣ b`, `Real.sin`.
    /// `None` for what is no term.
    pub fn read(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let conclusion = text.strip_prefix("⊢").or_else(|| text.strip_prefix("|-"));
        let term = conclusion.unwrap_or(text);
        let lexemes = lexemes(term);
        let tokens = Tokens::read(term, &lexemes);
        let signature = Parser::new(&tokens).proposition(0..tokens.len());
        if !signature.whole || tokens.len() == 0 {
            return None;
        }
        let shape = signature.shape_as(Holes::Letters);
        let is_flat = shape.conclusion.head == FLAT && shape.conclusion.parts.len() > 1;
        let says_nothing = is_flat && !shape.conclusion.parts.iter().any(|one| is_sign(one.head));
        (!says_nothing).then_some(Self { shape, is_conclusion: conclusion.is_some() })
    }

    /// The statement of a lemma as a pattern, by what it concludes: all that it binds may be anything.
    pub fn of_lemma(signature: &Signature<'a>) -> Self {
        Self { shape: signature.shape_as(Holes::Bound), is_conclusion: true }
    }

    pub fn constants(&self) -> BTreeSet<&'a str> {
        self.shape.constants()
    }

    pub fn is_hole(&self) -> bool {
        self.shape.conclusion.is_hole && self.shape.asked.is_empty()
    }

    /// Whether it is only a name.
    pub fn is_name(&self) -> bool {
        self.shape.conclusion.parts.is_empty() && self.shape.asked.is_empty()
    }

    /// Its names with their namespaces: `Real.sin`.
    pub fn dotted(&self) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        for node in self.shape.nodes() {
            node.each(&mut |node| found.extend(node.head.contains('.').then_some(node.head)));
        }
        found
    }

    /// Of a conclusion, or of any term of the statement; what it asks for may stand in any order. The less, the closer:
    /// whether it is only a part, and how much more than variables stands in its holes.
    pub fn matches(&self, statement: &Shape<'a>) -> Option<(bool, usize)> {
        let mut holes = Vec::new();
        let Self { shape, is_conclusion } = self;
        let is_whole = shape.conclusion.matches(&statement.conclusion, &mut holes)
            && shape.asked.iter().all(|wanted| {
                statement.asked.iter().any(|asked| {
                    let before = holes.len();
                    let found = wanted.matches(asked, &mut holes);
                    if !found {
                        holes.truncate(before);
                    }
                    found
                })
            });
        if is_whole {
            let more = |node: &Node<'a>| {
                let is_variable = node.parts.is_empty()
                    && (statement.bound.contains(node.head) || is_auto_bound(node.head));
                if is_variable { 0 } else { node.size() }
            };
            return Some((false, holes.iter().map(|(_, node)| more(node)).sum()));
        }
        let is_part = !is_conclusion
            && shape.asked.is_empty()
            && statement.nodes().any(|term| shape.conclusion.is_in(term));
        is_part.then_some((true, 0))
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
        let is_other = |(hole, node): &(&str, &Node<'a>)| {
            let wanted = of_type(&self.shape.typed, hole);
            let given = of_type(&goal.typed, node.head).filter(|_| node.parts.is_empty());
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

/// A statement behind its name, with all it binds: `(a b : ℕ) : a + b = b + a`.
pub fn read_statement(statement: &str) -> Signature<'_> {
    let lexemes = lexemes(statement);
    let tokens = Tokens::read(statement, &lexemes);
    Parser::new(&tokens).signature(0..tokens.end())
}
