//! What a tree says, as numbers: up to bound names, up to wording, or as a claim.

use std::collections::HashSet;

use super::spelling::{canonical, noted, print_all, print_of};
use super::term::{Binder, Binding, Kind, Term, Tree};

/// A type is read once for each name that it is given: nested, this grows fast.
const MOST_STEPS: usize = 40_000;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// All but the grouping of binders and the names of what is bound.
    #[default]
    Key,
    /// What is said, in whatever words.
    Meaning,
    /// Without universes, brackets of binders, and ascriptions that say nothing.
    Claim,
}

#[derive(Debug, Clone, Copy)]
enum Mark {
    Own = 1,
    Pi,
    Apply,
    Bound,
    Free,
    Number,
    Sign,
    Prefix,
    Infix,
    Inverse,
    Field,
    Levels,
    Round,
    Ascribed,
    Listed,
    Binding,
    Untyped,
    Binder,
    Default,
    Sort,
    Flat,
}

fn of(mark: Mark, parts: &[u64]) -> u64 {
    print_all([mark as u64].into_iter().chain(parts.iter().copied()))
}

#[derive(Debug, Clone, Copy)]
struct Bound<'a> {
    name: &'a str,
    /// What its type applies: `List` of `List Nat`.
    head: &'a str,
    of_type: u64,
}

/// What a term asks for before the rest, each with its bracket, and what it says then.
#[derive(Debug, Default, Clone)]
pub(super) struct Node {
    pub(super) asked: Vec<(Kind, u64)>,
    pub(super) core: u64,
}

#[derive(Debug, Default)]
pub(super) struct Fold<'a> {
    how: How,
    own: Vec<&'a str>,
    bound: Vec<Bound<'a>>,
    /// Whether universes count as they are spelled, also where that says nothing.
    spelled: bool,
    /// Universes, by the numbers that they get.
    universes: Vec<&'a str>,
    pub(super) unsure: bool,
    steps: usize,
    seen: HashSet<&'a str>,
    /// The names that are not bound, in order, each once; of a claim, its numerals too.
    pub(super) free: Vec<&'a str>,
    /// The names that are bound, in order.
    pub(super) binds: Vec<&'a str>,
}

impl<'a> Fold<'a> {
    pub(super) fn new(how: How, own: &[&'a str], universes: &[&'a str]) -> Self {
        // By their first use where they say no more than that.
        let universes = if how == How::Key { universes.to_vec() } else { Vec::new() };
        Self { how, own: own.to_vec(), universes, ..Self::default() }
    }

    pub(super) fn of_part(how: How, own: &[&'a str]) -> Self {
        Self { spelled: true, ..Self::new(how, own, &[]) }
    }

    fn is_strict(&self) -> bool {
        self.how == How::Key
    }

    pub(super) fn ask(&mut self, binder: &Binder<'a>) -> (Kind, u64) {
        let of_type = binder.of_type.as_ref();
        let mut print = of_type.map_or(of(Mark::Untyped, &[]), |tree| self.print(tree));
        if let Some(default) = binder.default.as_ref().filter(|_| self.how != How::Claim) {
            // Another default is another way of calling it.
            self.unsure |= self.how == How::Meaning;
            print = of(Mark::Default, &[print, self.print(default)]);
        }
        if self.is_strict() {
            let unnamed = u64::from(binder.name.is_empty());
            print = of(Mark::Binder, &[binder.kind as u64, unnamed, 0, print]);
            self.binds.push(binder.name);
        }
        let head = of_type.and_then(Term::head).unwrap_or_default();
        self.push(binder.name, head, print);
        (binder.kind, print)
    }

    pub(super) fn assume(&mut self, names: &[&'a str]) {
        for name in names {
            self.push(name, "", 0);
        }
    }

    fn push(&mut self, name: &'a str, head: &'a str, of_type: u64) {
        let name = if name == "_" { "" } else { name };
        self.bound.push(Bound { name, head, of_type });
    }

    pub(super) fn statement(&mut self, binders: &[Binder<'a>], conclusion: &Tree<'a>) -> Node {
        let mut asked = Vec::new();
        for binder in binders {
            let both = binder.of_type.as_ref().filter(|of_type| {
                matches!(&**of_type.bare(), Term::Infix("∧", ..))
                    && !self.is_strict()
                    && binder.kind == Kind::Explicit
                    && binder.default.is_none()
                    && !binder.is_used(binders, conclusion)
            });
            match both {
                Some(both) => self.hypotheses(both, true, &mut asked),
                None => asked.push(self.ask(binder)),
            }
        }
        let node = self.node(conclusion, true);
        asked.extend(node.asked);
        Node { asked, core: node.core }
    }

    /// What stands before an arrow; of `p ∧ q` it may be `p` and then `q`.
    fn hypotheses(&mut self, tree: &Tree<'a>, split: bool, asked: &mut Vec<(Kind, u64)>) {
        if let Term::Infix("∧", left, right) = &**tree.bare()
            && split
        {
            for side in [left, right] {
                self.hypotheses(side, split, asked);
                asked.iter_mut().last().into_iter().for_each(|last| last.0 = Kind::Part);
            }
            return;
        }
        asked.push((Kind::Explicit, self.print(tree)));
        self.push("", "", 0);
    }

    fn pi(&self, node: &Node) -> u64 {
        node.asked.iter().rev().fold(node.core, |rest, (kind, print)| {
            let kind = if self.how == How::Meaning { *kind as u64 } else { 0 };
            of(Mark::Pi, &[kind, *print, rest])
        })
    }

    fn node(&mut self, tree: &Tree<'a>, outermost: bool) -> Node {
        let outer = self.bound.len();
        let mut asked = Vec::new();
        let mut rest = tree;
        if !self.is_strict() {
            loop {
                rest = rest.bare();
                match &**rest {
                    Term::Infix("→", left, right) => {
                        self.hypotheses(left, outermost, &mut asked);
                        rest = right;
                    }
                    Term::Binding(binding) if matches!(binding.sign, "∀" | "→" | "Π") => {
                        asked.extend(self.domain(binding));
                        rest = &binding.body;
                    }
                    _ => break,
                }
            }
        }
        let core = self.plain(rest);
        self.bound.truncate(outer);
        Node { asked, core }
    }

    fn domain(&mut self, binding: &Binding<'a>) -> Vec<(Kind, u64)> {
        let mut asked: Vec<_> = binding.binders.iter().map(|binder| self.ask(binder)).collect();
        self.unsure |= binding.with.is_some();
        if let Some(condition) = self.condition(binding) {
            asked.push((Kind::Explicit, condition));
            self.push("", "", 0);
        }
        asked
    }

    fn condition(&mut self, binding: &Binding<'a>) -> Option<u64> {
        let (sign, over) = binding.over.as_ref()?;
        self.unsure |= binding.binders.len() != 1 || *sign == "in";
        let bound = of(Mark::Bound, &[self.bound.len().saturating_sub(1) as u64]);
        let over = self.print(over);
        Some(said(sign, bound, over))
    }

    pub(super) fn is_whole(&self) -> bool {
        self.steps < MOST_STEPS
    }

    pub(super) fn print(&mut self, tree: &Tree<'a>) -> u64 {
        self.steps += 1;
        if self.steps >= MOST_STEPS {
            self.unsure = true;
            return 0;
        }
        let node = self.node(tree, false);
        self.pi(&node)
    }

    fn prints(&mut self, mark: Mark, first: u64, trees: &[Tree<'a>]) -> u64 {
        let mut parts = vec![first];
        parts.extend(trees.iter().map(|tree| self.print(tree)));
        of(mark, &parts)
    }

    fn plain(&mut self, tree: &Tree<'a>) -> u64 {
        let strict = self.is_strict();
        match &**tree {
            Term::Name(name) => {
                let parts = self.name(name);
                if let [one] = parts.as_slice() { *one } else { of(Mark::Apply, &parts) }
            }
            Term::Number(number) => {
                if self.how == How::Claim {
                    self.free.push(number);
                }
                of(Mark::Number, &[print_of(number)])
            }
            Term::Sign(sign) => {
                self.level(sign).map_or_else(|| of(Mark::Sign, &[print_of(sign)]), bound_at)
            }
            Term::Apply(head, arguments) => {
                let first = self.meant_first(head, arguments);
                let rest = arguments.iter().enumerate().filter(|(at, _)| Some(*at) != first);
                let order = first.and_then(|at| arguments.get(at)).into_iter();
                self.apply(head, order.chain(rest.map(|(_, one)| one)))
            }
            Term::Field(term, field) => of(Mark::Field, &[self.print(term), print_of(field)]),
            Term::Infix("<|", function, argument) if !strict => match &**function {
                Term::Apply(head, arguments) => {
                    self.apply(head, arguments.iter().chain([argument]))
                }
                _ => self.apply(function, [argument]),
            },
            Term::Infix(sign, left, right) => self.infix(sign, left, right),
            Term::Prefix("⁻¹", inner) => of(Mark::Inverse, &[self.print(inner)]),
            Term::Prefix(sign, inner) => of(Mark::Prefix, &[print_of(sign), self.print(inner)]),
            Term::Levels(inner, levels) => self.levels(inner, levels),
            Term::Round(inner) if strict => of(Mark::Round, &[self.print(inner)]),
            Term::Round(inner) => self.print(inner),
            Term::Ascribed(term, of_type) => {
                let (inner, of_type) = (self.print(term), self.print(of_type));
                if !strict && self.says_nothing(term, of_type) {
                    return inner;
                }
                of(Mark::Ascribed, &[inner, of_type])
            }
            Term::Listed(open, parts) => self.prints(Mark::Listed, print_of(open), parts),
            Term::Binding(binding) => self.binding(binding),
            Term::Sort(word, levels) => self.sort(word, levels),
            Term::Flat(parts) => {
                self.unsure = true;
                self.prints(Mark::Flat, 0, parts)
            }
        }
    }

    /// The argument of `T.f a x b` that stands first in `x.f a b`: the first variable of type `T`.
    fn meant_first(&self, head: &Tree<'a>, arguments: &[Tree<'a>]) -> Option<usize> {
        let Term::Name(name) = &**head.bare() else { return None };
        let (of_type, _) = name.rsplit_once('.').filter(|_| !self.is_strict())?;
        let is_of_type = |argument: &Tree<'a>| {
            let bound = self.variable(argument);
            bound.is_some_and(|one| !one.head.is_empty() && noted(one.head) == noted(of_type))
        };
        arguments.iter().position(is_of_type).filter(|_| self.level(of_type).is_none())
    }

    fn apply<'t>(
        &mut self,
        head: &Tree<'a>,
        arguments: impl IntoIterator<Item = &'t Tree<'a>>,
    ) -> u64
    where
        'a: 't,
    {
        let mut parts = match &**head.bare() {
            Term::Name(name) if !self.is_strict() => self.name(name),
            _ => vec![self.print(head)],
        };
        parts.extend(arguments.into_iter().map(|argument| self.print(argument)));
        if let [one] = parts.as_slice() { *one } else { of(Mark::Apply, &parts) }
    }

    fn level(&self, name: &str) -> Option<usize> {
        (!name.is_empty()).then(|| self.bound.iter().rposition(|bound| bound.name == name))?
    }

    fn variable(&self, tree: &Tree<'a>) -> Option<&Bound<'a>> {
        let Term::Name(name) = &**tree.bare() else { return None };
        self.bound.get(self.level(name)?)
    }

    /// What binds it, or its spelling. `x.f` of a bound `x : T` is `T.f x`, in two parts.
    fn name(&mut self, name: &'a str) -> Vec<u64> {
        if self.own.contains(&name) {
            return vec![of(Mark::Own, &[])];
        }
        if let Some(level) = self.level(name) {
            return vec![bound_at(level)];
        }
        let field = name.split_once('.');
        if let Some((level, field)) = field.and_then(|(x, field)| Some((self.level(x)?, field))) {
            let head = self.bound.get(level).map_or("", |bound| bound.head);
            if self.is_strict() || head.is_empty() || self.level(head).is_some() {
                return vec![of(Mark::Field, &[bound_at(level), print_of(field)])];
            }
            let function = [noted(head), ".", field].concat();
            return vec![of(Mark::Free, &[print_of(&function)]), bound_at(level)];
        }
        if self.seen.insert(name) {
            self.free.push(name);
        }
        let spelled = match field.filter(|_| !self.is_strict()) {
            Some((first, rest)) => print_of(&[noted(first), ".", rest].concat()),
            None if self.is_strict() => print_of(name),
            None => print_of(noted(name)),
        };
        vec![of(Mark::Free, &[spelled])]
    }

    fn infix(&mut self, sign: &str, left: &Tree<'a>, right: &Tree<'a>) -> u64 {
        if self.is_strict() {
            return of(Mark::Infix, &[print_of(sign), self.print(left), self.print(right)]);
        }
        let (a, b) = if joins(sign) {
            (self.beside(left, right), self.beside(right, left))
        } else {
            (self.print(left), self.print(right))
        };
        said(sign, a, b)
    }

    /// A term; an ascribed numeral without its type where it stands beside a variable of that type.
    fn beside(&mut self, tree: &Tree<'a>, other: &Tree<'a>) -> u64 {
        let print = self.print(tree);
        let Term::Ascribed(number, of_type) = &**tree else { return print };
        let base = match &**other {
            Term::Infix("^", base, _) => base,
            _ => other,
        };
        let Some(known) = self.variable(base).map(|bound| bound.of_type) else { return print };
        let is_number = matches!(&**number.bare(), Term::Number(_));
        if self.print(of_type) == known && is_number { self.print(number) } else { print }
    }

    /// Whether an ascription says nothing: of a variable to its own type, of a numeral to `ℕ`.
    fn says_nothing(&self, term: &Tree<'a>, of_type: u64) -> bool {
        match &**term.bare() {
            Term::Number(_) => {
                self.how == How::Claim && of_type == of(Mark::Free, &[print_of("ℕ")])
            }
            _ => self.variable(term).is_some_and(|bound| bound.of_type == of_type),
        }
    }

    fn binding(&mut self, binding: &Binding<'a>) -> u64 {
        let outer = self.bound.len();
        let sign = canonical(binding.sign);
        let found = match sign {
            "fun" if !self.is_strict() && is_eta(binding) => match &**binding.body.bare() {
                Term::Apply(head, arguments) => {
                    self.apply(head, arguments.split_last().map_or(&[][..], |(_, rest)| rest))
                }
                _ => self.print(&binding.body),
            },
            "∑" | "∏" if !self.is_strict() && is_over_finset(binding) => {
                let function = if sign == "∑" { "Finset.sum" } else { "Finset.prod" };
                let over = binding.over.iter().map(|(_, over)| over);
                let mut parts = vec![of(Mark::Free, &[print_of(function)])];
                parts.extend(over.map(|over| self.print(over)));
                let (binders, body) = (binding.binders.clone(), binding.body.clone());
                let fun = Binding { sign: "fun", binders, body, ..Binding::default() };
                parts.push(self.binding(&fun));
                of(Mark::Apply, &parts)
            }
            "∃" | "∃!" | "fun" if !self.is_strict() => {
                let asked: Vec<_> = binding.binders.iter().map(|one| self.ask(one)).collect();
                let explicit = asked.iter().all(|(kind, _)| *kind == Kind::Explicit);
                self.unsure |= binding.with.is_some()
                    || (sign != "fun" && !explicit)
                    || (sign != "∃" && binding.over.is_some())
                    || (sign == "∃!" && asked.len() > 1);
                let condition = self.condition(binding);
                let body = self.print(&binding.body);
                let body = condition.map_or(body, |condition| said("∧", condition, body));
                asked.iter().rev().fold(body, |rest, (kind, print)| {
                    of(Mark::Binding, &[print_of(sign), *kind as u64, *print, rest])
                })
            }
            _ => {
                let mut parts = vec![print_of(sign)];
                if let Some((word, over)) = &binding.over {
                    // What it runs over is outside of it.
                    let over = self.print(over);
                    parts.extend([print_of(word), over]);
                }
                for binder in &binding.binders {
                    parts.push(self.ask(binder).1);
                }
                if let Some(with) = &binding.with {
                    parts.extend([print_of("with"), self.print(with)]);
                }
                parts.push(self.print(&binding.body));
                of(Mark::Binding, &parts)
            }
        };
        self.bound.truncate(outer);
        found
    }

    fn levels(&mut self, inner: &Tree<'a>, levels: &[&'a str]) -> u64 {
        let inner = self.print(inner);
        if self.how == How::Claim {
            return inner;
        }
        self.unsure |= self.how == How::Meaning;
        let mut parts = vec![inner];
        for level in levels {
            parts.push(self.universe(level));
        }
        of(Mark::Levels, &parts)
    }

    fn sort(&mut self, word: &str, levels: &[&'a str]) -> u64 {
        let strict = self.is_strict();
        let is_number = matches!(levels, [one] if one.starts_with(|c: char| c.is_ascii_digit()));
        if self.how == How::Claim && !is_number {
            return of(Mark::Sort, &[print_of(word)]);
        }
        let mut parts = vec![print_of(word)];
        for level in levels {
            let nameless = !strict && !self.spelled && matches!(*level, "*" | "_");
            if nameless {
                self.universes.push("");
            }
            let last = self.universes.len().saturating_sub(1);
            parts.push(if nameless { bound_at(last) } else { self.universe(level) });
        }
        of(Mark::Sort, &parts)
    }

    /// A universe, or another lexeme of its place: a number where its name says nothing.
    fn universe(&mut self, level: &'a str) -> u64 {
        let is_name = level.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !matches!(level, "max" | "imax");
        if !is_name || self.spelled {
            return print_of(level);
        }
        let known = self.universes.iter().position(|known| *known == level);
        let known = known.or_else(|| {
            (self.how == How::Meaning).then(|| {
                self.universes.push(level);
                self.universes.len() - 1
            })
        });
        known.map_or_else(|| print_of(level), bound_at)
    }
}

/// `fun x => f x`, where nothing else speaks of `x`.
fn is_eta(binding: &Binding<'_>) -> bool {
    let ([binder], None) = (binding.binders.as_slice(), &binding.over) else { return false };
    let Term::Apply(head, arguments) = &**binding.body.bare() else { return false };
    let Some((last, rest)) = arguments.split_last() else { return false };
    let is_it = matches!(&**last.bare(), Term::Name(name) if *name == binder.name);
    let speaks = |tree: &Tree<'_>| tree.mentions(binder.name);
    let is_plain = binder.kind == Kind::Explicit && binder.of_type.is_none();
    is_it && is_plain && !speaks(head) && !rest.iter().any(speaks)
}

/// `∑ x ∈ s, f x`, which stands for `Finset.sum s fun x => f x`.
fn is_over_finset(binding: &Binding<'_>) -> bool {
    let is_in = matches!(&binding.over, Some(("∈" | "in", _)));
    is_in && binding.binders.len() == 1 && binding.with.is_none()
}

fn bound_at(level: usize) -> u64 {
    of(Mark::Bound, &[level as u64])
}

/// A comparison from the smaller side to the larger one.
pub(super) fn ordered<T>(sign: &str, left: T, right: T) -> (&str, T, T) {
    match sign {
        "≥" => ("≤", right, left),
        ">" => ("<", right, left),
        "⊇" => ("⊆", right, left),
        "⊃" => ("⊂", right, left),
        sign => (sign, left, right),
    }
}

fn said(sign: &str, left: u64, right: u64) -> u64 {
    let (sign, left, right) = ordered(sign, left, right);
    let infix = |sign: &str| of(Mark::Infix, &[print_of(sign), left, right]);
    match sign {
        "≠" => of(Mark::Prefix, &[print_of("¬"), infix("=")]),
        "∉" => of(Mark::Prefix, &[print_of("¬"), infix("∈")]),
        sign => infix(sign),
    }
}

fn joins(sign: &str) -> bool {
    matches!(sign, "+" | "-" | "*" | "/" | "%" | "<" | ">" | "≤" | "≥" | "=" | "≠" | "∣")
}
