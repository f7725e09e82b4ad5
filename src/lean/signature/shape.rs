//! What a statement looks like, for searching by pattern: a tree of names and operators without brackets, types of
//! binders, universes and coercions, in one spelling for a notation and the function behind it.
//!
//! A pattern is such a tree with holes: `_`, `?x`, and what it binds or leaves as a single letter. The same hole
//! stands for the same term.

use std::collections::BTreeSet;

use super::Signature;
use super::lexemes::{Tokens, lexemes};
use super::spelling::{NOTATIONS, noted};
use super::statements::{is_auto_bound, is_or_ends_in, last_part};
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
}

#[derive(Debug)]
pub struct Pattern<'a> {
    shape: Shape<'a>,
    /// Whether it is about the conclusion: `⊢ ..`.
    is_conclusion: bool,
}

type Bindings<'p, 'a> = Vec<(&'p str, &'p Node<'a>)>;

struct Reader<'a> {
    /// Names that a binder or a letter stands for.
    bound: BTreeSet<&'a str>,
    /// Whether what is bound, and single letters, are holes.
    is_pattern: bool,
}

impl<'a> Signature<'a> {
    pub fn shape(&self) -> Shape<'a> {
        self.shape_as(false)
    }

    fn shape_as(&self, is_pattern: bool) -> Shape<'a> {
        let bound = self.binders.iter().map(|binder| binder.name).collect();
        let mut reader = Reader { bound, is_pattern };
        let (mut asked, mut classes) = (Vec::new(), Vec::new());
        for binder in &self.binders {
            let to = if binder.kind == Kind::Instance { &mut classes } else { &mut asked };
            to.extend(binder.of_type.as_ref().map(|of_type| reader.node(of_type)));
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
        Shape { asked, classes, conclusion, bound: reader.bound }
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
            Term::Field(of, field) => Node::of(field, vec![self.node(of)]),
            Term::Infix(sign, a, b) => {
                let (a, b) = (self.node(a), self.node(b));
                match *sign {
                    "≥" => Node::of("≤", vec![b, a]),
                    ">" => Node::of("<", vec![b, a]),
                    sign => Node::of(sign, vec![a, b]),
                }
            }
            Term::Prefix("↑" | "@", inner)
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
        let is_letter = |name: &str| is_auto_bound(name.trim_end_matches('\''));
        let is_bound = |name: &str| {
            self.bound.contains(name)
                || self.is_pattern && (is_letter(name) || name.starts_with("«?"))
        };
        // `s.card` is `card s`.
        if let Some((first, fields)) = name.split_once('.')
            && is_bound(first)
        {
            let of = self.name(first);
            return fields.split('.').fold(of, |of, field| Node::of(field, vec![of]));
        }
        Node { is_hole: self.is_pattern && is_bound(name), ..Node::leaf(noted(name)) }
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

    /// How much of it is given: neither holes nor universes count.
    fn weight(&self) -> usize {
        let own = usize::from(!(self.is_hole || matches!(self.head, "Type" | "Sort" | "Prop")));
        own + self.parts.iter().map(Self::weight).sum::<usize>()
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

    fn constants_of<'n>(&self, nodes: impl Iterator<Item = &'n Node<'a>>) -> BTreeSet<&'a str>
    where
        'a: 'n,
    {
        let mut found = BTreeSet::new();
        for node in nodes {
            node.each(&mut |node| {
                let is_bound = self.bound.contains(node.head);
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
        let shape = signature.shape_as(true);
        let is_flat = shape.conclusion.head == FLAT && shape.conclusion.parts.len() > 1;
        let says_nothing = is_flat && !shape.conclusion.parts.iter().any(|one| is_sign(one.head));
        (!says_nothing).then_some(Self { shape, is_conclusion: conclusion.is_some() })
    }

    /// The statement of a lemma as a pattern, by what it concludes: all that it binds may be anything.
    pub fn of_lemma(signature: &Signature<'a>) -> Self {
        Self { shape: signature.shape_as(true), is_conclusion: true }
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

    /// Of a conclusion, or of any term of the statement; what it asks for may stand in any order.
    pub fn matches(&self, statement: &Shape<'a>) -> bool {
        let mut holes = Vec::new();
        let Self { shape, is_conclusion } = self;
        if !is_conclusion && shape.asked.is_empty() {
            return statement.nodes().any(|term| shape.conclusion.is_in(term));
        }
        shape.conclusion.matches(&statement.conclusion, &mut holes)
            && shape.asked.iter().all(|wanted| {
                statement.asked.iter().any(|asked| {
                    let before = holes.len();
                    let found = wanted.matches(asked, &mut holes);
                    if !found {
                        holes.truncate(before);
                    }
                    found
                })
            })
    }

    /// Of a lemma whose conclusion is what a goal says: how many of its hypotheses, and of the types that it
    /// names, the goal does not have; and how much its conclusion says. `None` for any other lemma.
    pub fn fit(&self, goal: &Shape<'a>) -> Option<(usize, usize)> {
        let conclusion = &self.shape.conclusion;
        let mut holes = Vec::new();
        let is_it = !conclusion.is_hole && conclusion.matches(&goal.conclusion, &mut holes);
        let is_there = |asked: &&Node<'a>| {
            goal.asked.iter().any(|given| asked.matches(given, &mut holes.clone()))
        };
        let asked = self.shape.asked.iter().filter(|asked| asked.weight() > 0);
        is_it.then(|| (asked.filter(|asked| !is_there(asked)).count(), conclusion.weight()))
    }
}

/// A statement behind its name, with all it binds: `(a b : ℕ) : a + b = b + a`.
pub fn read_statement(statement: &str) -> Signature<'_> {
    let lexemes = lexemes(statement);
    let tokens = Tokens::read(statement, &lexemes);
    Parser::new(&tokens).signature(0..tokens.end())
}
