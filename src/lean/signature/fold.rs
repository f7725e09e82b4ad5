//! What a tree says, as numbers: up to bound names, up to wording, or as a claim.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::spelling::{NOTATIONS, canonical, noted, operator, print_all, print_of};
use super::term::{Binder, Binding, Kind, Term, Tree, is_flat};
use crate::text::is_among;

/// Numbers below this are known one from the next.
const MOST_COUNTED: u64 = 200;

/// A type is read once for each name that it is given: nested, this grows fast.
const MOST_STEPS: usize = 40_000;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in crate::lean) enum How {
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

/// The signs of functions, by what the functions are called here. A set and its image may stand in either order.
static SIGNS: LazyLock<HashMap<u64, &str>> = LazyLock::new(|| {
    let named = NOTATIONS.iter().chain(&[("Equiv", "≃")]).map(|(name, sign)| {
        let name = match name.split_once('.') {
            Some((first, rest)) => [noted(first), ".", rest].concat(),
            None => (*name).to_owned(),
        };
        (of_name(&name), *sign)
    });
    named.filter(|(_, sign)| !matches!(*sign, "''" | "⁻¹'" | "∈")).collect()
});

fn of(mark: Mark, parts: &[u64]) -> u64 {
    print_all([mark as u64].into_iter().chain(parts.iter().copied()))
}

/// A type as far as it is seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Type<'a> {
    /// 0 where it is not.
    pub(super) print: u64,
    /// What it applies: `List` of `List Nat`.
    head: &'a str,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bound<'a> {
    pub(super) name: &'a str,
    pub(super) of_type: Type<'a>,
    /// The type of what it takes or holds: `T` of `T → U` and of `Set T`.
    of: Type<'a>,
    /// How many things it takes, and the type of what it gives then.
    gives: (usize, Type<'a>),
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
    /// Universes that are as good as `*`.
    lone: Vec<&'a str>,
    /// The names of universes, as often as they stand there.
    levels: Vec<&'a str>,
    unsure: bool,
    /// Of how many things around it that have a name and are spoken of it is in the type.
    called: u32,
    /// The brackets of what is asked for inside of a statement: they say how it is called, not what it says.
    pub(super) kinds: Vec<Kind>,
    /// Whether `n * n` is `n ^ 2`, `b = a` is `a = b`, and `k < n` is `k + 1 ≤ n` of natural numbers.
    loose: bool,
    /// Variables that stand by their names.
    known: Vec<Bound<'a>>,
    /// The type that the numerals of a term have by what it is joined with, or 0.
    near: u64,
    /// The type of what a set holds, by what it is ascribed to or joined with.
    held: Option<Type<'a>>,
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

    /// For a part of a statement: what is bound around it stands by its name.
    pub(super) fn of_part(how: How, own: &[&'a str], known: &[Bound<'a>]) -> Self {
        Self { spelled: true, loose: true, known: known.to_vec(), ..Self::new(how, own, &[]) }
    }

    pub(super) fn with_lone(self, lone: &[&'a str]) -> Self {
        Self { lone: lone.to_vec(), ..self }
    }

    /// The universes that were spoken of only once, and by nothing else than a type.
    pub(super) fn lone(mut self) -> Vec<&'a str> {
        let all = self.levels.clone();
        let is_lone = |one: &&str| {
            !self.free.contains(one) && all.iter().filter(|other| *other == one).count() == 1
        };
        self.levels.retain(is_lone);
        self.levels
    }

    /// What is known of a variable of a part.
    pub(super) fn knows(mut self, binder: &Binder<'a>, within: &[&Tree<'a>]) -> Option<Bound<'a>> {
        self.ask(binder, None, within);
        self.bound.pop().filter(|bound| !bound.name.is_empty())
    }

    fn is_strict(&self) -> bool {
        self.how == How::Key
    }

    /// The type of a variable that has none is `given`, or `within` may show it.
    fn ask(
        &mut self,
        binder: &Binder<'a>,
        given: Option<Type<'a>>,
        within: &[&Tree<'a>],
    ) -> (Kind, u64) {
        let of_type = binder.of_type.as_ref();
        let outer = self.called;
        let is_called = !matches!(binder.name, "" | "_")
            && of_type.is_some_and(asks_in_brackets)
            && within.iter().any(|tree| tree.mentions(binder.name));
        self.called += u32::from(is_called);
        let mut known = match of_type {
            Some(tree) => Some(self.type_from(tree)),
            None if self.how != How::Meaning => None,
            None => given.or_else(|| within.iter().find_map(|t| self.type_in(binder.name, t))),
        };
        self.called = outer;
        let mut print = known.map_or(of(Mark::Untyped, &[]), |known| known.print);
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
        if let Some(known) = &mut known {
            known.print = print;
        }
        let inner = of_type.filter(|_| self.how == How::Meaning).and_then(inner_type);
        let inner = inner.map(|tree| self.type_from(tree)).unwrap_or_default();
        let mut gives = (0, of_type.filter(|_| self.how == How::Meaning));
        while let Some(Term::Infix("→", _, rest)) = gives.1.map(|tree| &**tree.bare()) {
            gives = (gives.0 + 1, Some(rest));
        }
        let result = gives.1.filter(|_| gives.0 > 0).map(|tree| self.type_from(tree));
        let gives = (gives.0, result.unwrap_or_default());
        self.push(Bound {
            name: binder.name,
            of_type: known.unwrap_or_default(),
            of: inner,
            gives,
        });
        (binder.kind, print)
    }

    fn type_from(&mut self, tree: &Tree<'a>) -> Type<'a> {
        // Whose are the fields of a function, and of a pair.
        let head = match &**tree.bare() {
            Term::Infix("→", ..) if self.how == How::Meaning => Some("Function"),
            Term::Infix("×", ..) if self.how == How::Meaning => Some("Prod"),
            Term::Infix("≃", ..) if self.how == How::Meaning => Some("Equiv"),
            _ => tree.head(),
        };
        Type { print: self.print(tree), head: head.unwrap_or_default() }
    }

    pub(super) fn assume(&mut self, names: &[&'a str]) {
        for name in names {
            self.push(Bound { name, ..Bound::default() });
        }
    }

    fn push(&mut self, bound: Bound<'a>) {
        let name = if bound.name == "_" { "" } else { bound.name };
        self.bound.push(Bound { name, ..bound });
    }

    pub(super) fn statement(&mut self, binders: &[Binder<'a>], conclusion: &Tree<'a>) -> Node {
        let mut asked = Vec::new();
        for binder in binders {
            let both = binder.of_type.as_ref().filter(|of_type| {
                matches!(&**of_type.bare(), Term::Infix("∧" | "∈", ..))
                    && !self.is_strict()
                    && binder.kind == Kind::Explicit
                    && binder.default.is_none()
                    && !binder.is_used(binders, conclusion)
            });
            match both {
                Some(both) => self.hypotheses(both, true, &mut asked),
                None => asked.push(self.ask(binder, None, &within(binders, conclusion))),
            }
        }
        let node = self.node(conclusion, true);
        asked.extend(node.asked);
        Node { asked, core: node.core }
    }

    /// What stands before an arrow; of `p ∧ q` it may be `p` and then `q`.
    fn hypotheses(&mut self, tree: &Tree<'a>, split: bool, asked: &mut Vec<(Kind, u64)>) {
        let unfolded = self.unfolded(tree);
        let tree = unfolded.as_ref().unwrap_or(tree);
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
        self.assume(&[""]);
    }

    /// `a ≤ x ∧ x ≤ b` for `x ∈ Set.Icc a b`, where both surely compare numbers of the type of `x`.
    fn unfolded(&mut self, tree: &Tree<'a>) -> Option<Tree<'a>> {
        let Term::Infix(sign @ ("∈" | "∉"), x, interval) = &**tree.bare() else { return None };
        let Term::Apply(_, ends) = &**interval.bare() else { return None };
        let inside = sides(x, interval).filter(|_| self.how == How::Meaning)?;
        if !self.is_range(interval) {
            let of_type = self.type_of(x)?.print;
            // Whatever a real number is compared with, and cast to for that, its order stays.
            let is_real = of_type == of_name("ℝ");
            let is_alike = |end| self.is_of(end, of_type) || (is_real && !is_numeral(end));
            if !ends.iter().all(is_alike) {
                return None;
            }
        }
        Some(if *sign == "∈" { inside } else { Tree::new(Term::Prefix("¬", inside)) })
    }

    /// The one form of what has several: `{x | p x}` for `setOf p`, `{x ∈ s | p x}` for `Finset.filter p s`, `f.real s`
    /// for `(f s).toReal`, `f ∘ g` for `fun x => f (g x)`, `l[i]?` for `l.get? i`.
    fn respelled(&mut self, tree: &Tree<'a>) -> Option<Tree<'a>> {
        let found = match &**tree {
            _ if self.how != How::Meaning => return None,
            Term::Field(inner, "toReal") => {
                let Term::Apply(head, of) = &**inner.bare() else { return None };
                let (last, rest) = of.split_last()?;
                real(apply(head, rest), last)
            }
            Term::Apply(head, of) => match (&**head.bare(), of.as_slice()) {
                (Term::Apply(function, first), rest) => {
                    Term::Apply(Tree::clone(function), [first, rest].concat())
                }
                (Term::Name("setOf"), [p]) => Term::Binding(set_of(p, None)),
                (Term::Name("Finset.filter"), [p, s]) => Term::Binding(set_of(p, Some(s))),
                (Term::Field(s, "filter"), [p]) if s.head()?.starts_with("Finset.") => {
                    Term::Binding(set_of(p, Some(s)))
                }
                (Term::Field(measure, "real"), [s]) => real(Tree::clone(measure), s),
                (Term::Field(s, field @ ("sum" | "prod")), [f]) if self.variable(s).is_none() => {
                    let name = if *field == "sum" { "Finset.sum" } else { "Finset.prod" };
                    let function = Tree::new(Term::Name(name));
                    Term::Apply(function, vec![s.clone(), f.clone()])
                }
                (Term::Name("Nat.ModEq" | "Int.ModEq"), [n, a, b]) if self.loose => {
                    let rest = |of: &Tree<'a>| Tree::new(Term::Infix("%", of.clone(), n.clone()));
                    Term::Infix("=", rest(a), rest(b))
                }
                (Term::Name(name), [one]) => self.of_field(name, one)?,
                _ => return None,
            },
            Term::Prefix("¬", denied) if self.loose => self.denied(denied)?,
            Term::Prefix("↥", set) => return Some(set.clone()),
            Term::Binding(binding) => match subtype(binding) {
                Some(set) => return Some(set.clone()),
                None => condensed(binding).or_else(|| composed(binding))?,
            },
            _ => return None,
        };
        Some(Tree::new(found))
    }

    /// `∀ x, ¬ p` for `¬ ∃ x, p`, `p → ¬ q` for `¬ (p ∧ q)`, and `b < a` for `¬ a ≤ b` of numbers.
    fn denied(&mut self, tree: &Tree<'a>) -> Option<Term<'a>> {
        let not = |tree: &Tree<'a>| Tree::new(Term::Prefix("¬", tree.clone()));
        match &**tree.bare() {
            Term::Binding(one) if one.sign == "∃" && one.with.is_none() => {
                let body = not(&one.body);
                Some(Term::Binding(Binding { sign: "∀", body, ..one.clone() }))
            }
            Term::Infix("∧", p, q) => Some(Term::Infix("→", p.clone(), not(q))),
            Term::Infix(sign @ ("≤" | "<" | "≥" | ">"), a, b) => {
                let of_type = self.joined(a, b)?.print;
                ["ℕ", "ℤ", "ℚ", "ℝ"].iter().find(|name| of_name(name) == of_type)?;
                let (sign, a, b) = ordered(sign, a, b);
                let sign = if sign == "≤" { "<" } else { "≤" };
                Some(Term::Infix(sign, b.clone(), a.clone()))
            }
            _ => None,
        }
    }

    /// The same of `x.f a`.
    fn of_field(&self, name: &'a str, one: &Tree<'a>) -> Option<Term<'a>> {
        let (x, field) = name.rsplit_once('.')?;
        let (of_type, x) = (self.named(x)?.of_type.head, Tree::new(Term::Name(x)));
        match (field, of_type) {
            ("real", _) => Some(real(x, one)),
            ("filter", "Finset") => Some(Term::Binding(set_of(one, Some(&x)))),
            ("get?", "List" | "Array") => Some(Term::Infix("[]?", x, at(one))),
            ("get", "List" | "Array") => match &**one.bare() {
                // What shows that it is an index says nothing.
                Term::Listed("⟨", parts) => Some(Term::Infix("[]", x, at(parts.first()?))),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a term has a type, or is made of numerals that have it beside a term of that type.
    fn is_of(&mut self, tree: &Tree<'a>, of_type: u64) -> bool {
        match self.of_numerals(tree) {
            Some(types) => types.iter().all(|known| *known == of_type),
            None => self.type_shown(tree).is_some_and(|known| known.print == of_type),
        }
    }

    /// The types that the numerals of which a term is made are ascribed to.
    fn of_numerals(&mut self, tree: &Tree<'a>) -> Option<Vec<u64>> {
        match &**tree.bare() {
            Term::Number(_) => Some(Vec::new()),
            Term::Ascribed(inner, of_type) if is_numeral(inner) => {
                let of_type = self.print(of_type);
                let mut types = self.of_numerals(inner)?;
                types.push(of_type);
                Some(types)
            }
            Term::Prefix("-", inner) | Term::Infix("^", inner, _) => self.of_numerals(inner),
            Term::Infix("+" | "-" | "*" | "/" | "%", left, right) => {
                let mut types = self.of_numerals(left)?;
                types.extend(self.of_numerals(right)?);
                Some(types)
            }
            _ => None,
        }
    }

    fn pi(&mut self, node: &Node) -> u64 {
        self.kinds.extend(node.asked.iter().map(|(kind, _)| *kind));
        node.asked.iter().rev().fold(node.core, |rest, (kind, print)| {
            // What has `{x}` or `[x]` before it may stand for something else where it is named and spoken of.
            let kind = match kind {
                Kind::Strict | Kind::Implicit if self.called == 0 => Kind::Explicit,
                Kind::Strict => Kind::Explicit,
                kind => *kind,
            };
            let kind = if self.how == How::Meaning { kind as u64 } else { 0 };
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
                        self.unsure |= is_flat(left) || is_flat(right);
                        self.hypotheses(left, outermost, &mut asked);
                        rest = right;
                    }
                    Term::Binding(binding) if matches!(binding.sign, "∀" | "→" | "Π") => {
                        asked.extend(self.domain(binding, outermost));
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

    fn domain(&mut self, binding: &Binding<'a>, split: bool) -> Vec<(Kind, u64)> {
        let mut asked = self.asked(binding);
        self.unsure |= binding.with.is_some();
        if let Some(inside) = self.inside(binding) {
            self.hypotheses(&inside, split, &mut asked);
        } else if let Some(condition) = self.condition(binding) {
            asked.push((Kind::Explicit, condition));
            self.assume(&[""]);
        }
        asked
    }

    /// The bounds of `x ∈ Set.Icc a b` behind a quantifier.
    fn inside(&mut self, binding: &Binding<'a>) -> Option<Tree<'a>> {
        let (Some(("∈", over)), [binder]) = (&binding.over, binding.binders.as_slice()) else {
            return None;
        };
        let x = Tree::new(Term::Name(binder.name));
        self.unfolded(&Tree::new(Term::Infix("∈", x, Tree::clone(over))))
    }

    fn asked(&mut self, binding: &Binding<'a>) -> Vec<(Kind, u64)> {
        let ask = |binder: &Binder<'a>| {
            // The type of the `x` of `∃ x > (0 : ℝ), p`, and of `∃ x ∈ s, p`.
            let over = binding.over.as_ref().filter(|_| self.how == How::Meaning);
            let over = over.filter(|_| binder.of_type.is_none()).and_then(|(sign, over)| {
                let is_in = matches!(*sign, "∈" | "in");
                if is_in { self.held_by(over) } else { self.type_shown(over) }
            });
            self.ask(binder, over, &within(&binding.binders, &binding.body))
        };
        binding.binders.iter().map(ask).collect()
    }

    /// The type of what a variable takes or holds.
    fn held_by(&mut self, tree: &Tree<'a>) -> Option<Type<'a>> {
        match &**tree.bare() {
            _ if self.is_range(tree) => Some(naturals()),
            Term::Apply(head, ends) if interval(head).is_some() => {
                ends.iter().find_map(|end| self.type_shown(end))
            }
            _ => self.variable(tree).map(|bound| bound.of).filter(|of| of.print != 0),
        }
    }

    /// `Finset.range n`, also where `Finset` is opened, and `n` shows that it is no function.
    fn is_range(&mut self, tree: &Tree<'a>) -> bool {
        let Term::Apply(head, of) = &**tree.bare() else { return false };
        let is_number = of.first().is_some_and(|end| self.is_of(end, naturals().print));
        match head.head() {
            Some("Finset.range") => true,
            head => head == Some("range") && is_number && self.named("range").is_none(),
        }
    }

    fn condition(&mut self, binding: &Binding<'a>) -> Option<u64> {
        let (sign, over) = binding.over.as_ref()?;
        self.unsure |= binding.binders.len() != 1 || *sign == "in";
        let bound = bound_at(self.bound.len().saturating_sub(1));
        let of_type = self.bound.last().map_or(0, |bound| bound.of_type.print);
        let is_alike = match self.type_shown(over) {
            Some(shown) => shown.print == of_type,
            None => is_numeral(over),
        };
        let of_type = if is_alike { of_type } else { 0 };
        let over = self.print_near(of_type, over);
        Some(self.said(sign, bound, over, of_type))
    }

    /// Whether all of it was read as what it is; a universe that stands in what is not known is not.
    pub(super) fn is_sure(&self) -> bool {
        !self.unsure && !self.universes.iter().any(|one| self.free.contains(one))
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

    fn print_near(&mut self, of_type: u64, tree: &Tree<'a>) -> u64 {
        let outer = std::mem::replace(&mut self.near, of_type);
        let print = self.print(tree);
        self.near = outer;
        print
    }

    fn plain(&mut self, tree: &Tree<'a>) -> u64 {
        let strict = self.is_strict();
        let near = std::mem::take(&mut self.near);
        let held = self.held.take();
        if let Some(inside) = self.unfolded(tree).or_else(|| self.respelled(tree)) {
            return self.print(&inside);
        }
        if let Some(types) = self.of_numerals(tree).filter(|_| near == 0 && !strict)
            && let Some(of_type) = types.first().filter(|one| types.iter().all(|t| t == *one))
        {
            // What one numeral is ascribed to all that are joined with it have.
            return of(Mark::Ascribed, &[self.print_near(*of_type, tree), *of_type]);
        }
        match &**tree {
            Term::Name(name) => {
                let parts = self.name(name);
                self.applied(&parts)
            }
            Term::Number(number) => {
                if self.how == How::Claim {
                    self.free.push(number);
                }
                of(Mark::Number, &[print_of(number)])
            }
            Term::Sign("haveI") if self.how == How::Meaning => of(Mark::Sign, &[print_of("letI")]),
            Term::Sign(sign) => {
                self.level(sign).map_or_else(|| of(Mark::Sign, &[print_of(sign)]), bound_at)
            }
            Term::Apply(head, arguments) => {
                if let (Some(function), [set]) = (head.head(), arguments.as_slice())
                    && let Some(print) = self.counted(function, set)
                {
                    return print;
                }
                let first = self.meant_first(head, arguments);
                let rest = arguments.iter().enumerate().filter(|(at, _)| Some(*at) != first);
                let order = first.and_then(|at| arguments.get(at)).into_iter();
                let is_interval = head.head().and_then(ends).is_some();
                let near = if is_interval { near } else { 0 };
                self.apply(head, order.chain(rest.map(|(_, one)| one)), near)
            }
            Term::Field(term, field) => self.field(term, field),
            Term::Infix("<|", function, argument) if !strict => match &**function {
                Term::Apply(head, arguments) => {
                    self.apply(head, arguments.iter().chain([argument]), 0)
                }
                _ => self.apply(function, [argument], 0),
            },
            Term::Infix(sign, left, right) => self.infix(sign, left, right, near),
            Term::Prefix("⇑", inner) if !strict => self.print(inner),
            Term::Prefix("↑", inner) if !strict && self.variable(inner).is_some() => {
                self.print(inner)
            }
            Term::Prefix("⁻¹", inner) => of(Mark::Inverse, &[self.print(inner)]),
            Term::Prefix(sign, inner) => {
                let near = if *sign == "-" { near } else { 0 };
                let counted = if *sign == "#" { self.counted("Finset.card", inner) } else { None };
                counted.unwrap_or_else(|| prefixed(sign, self.print_near(near, inner)))
            }
            Term::Levels(inner, levels) => self.levels(inner, levels),
            Term::Round(inner) if strict => of(Mark::Round, &[self.print(inner)]),
            Term::Round(inner) => {
                self.held = held;
                self.print_near(near, inner)
            }
            Term::Ascribed(term, of_type) => {
                if let Some(print) = self.of_set(term, of_type) {
                    return print;
                }
                let of_type = self.print(of_type);
                let inner_near = if !strict && is_numeral(term) { of_type } else { 0 };
                let inner = self.print_near(inner_near, term);
                if !strict && self.says_nothing(term, of_type, near) {
                    return inner;
                }
                of(Mark::Ascribed, &[inner, of_type])
            }
            Term::Listed(open, parts) => self.prints(Mark::Listed, print_of(open), parts),
            Term::Binding(binding) => self.binding(binding, held),
            Term::Sort(word, levels) => self.sort(word, levels),
            Term::Flat(parts) => self.prints(Mark::Flat, 0, parts),
        }
    }

    /// The argument of `T.f a x b` that stands first in `x.f a b`: the first variable of type `T`.
    fn meant_first(&self, head: &Tree<'a>, arguments: &[Tree<'a>]) -> Option<usize> {
        let Term::Name(name) = &**head.bare() else { return None };
        let (of_type, _) = name.rsplit_once('.').filter(|_| !self.is_strict())?;
        let is_of_type = |argument: &Tree<'a>| {
            let bound = self.variable(argument);
            bound.is_some_and(|one| {
                !one.of_type.head.is_empty() && noted(one.of_type.head) == noted(of_type)
            })
        };
        arguments.iter().position(is_of_type).filter(|_| self.level(of_type).is_none())
    }

    fn apply<'t>(
        &mut self,
        head: &Tree<'a>,
        arguments: impl IntoIterator<Item = &'t Tree<'a>>,
        near: u64,
    ) -> u64
    where
        'a: 't,
    {
        let mut parts = match &**head.bare() {
            Term::Name(name) if !self.is_strict() => self.name(name),
            _ => vec![self.print(head)],
        };
        parts.extend(arguments.into_iter().map(|argument| self.print_near(near, argument)));
        self.applied(&parts)
    }

    /// A function and what it is applied to: by its sign where it has one.
    fn applied(&self, parts: &[u64]) -> u64 {
        if let Some(print) = self.with_sign(parts) {
            return print;
        }
        let [function, argument] = parts else {
            return if let [one] = parts { *one } else { of(Mark::Apply, parts) };
        };
        let is = |name: &str| self.how == How::Meaning && *function == of_name(name);
        if is("Finset.card") || (is("ℕ.card") && self.holds(*argument, "Finset")) {
            prefixed("#", *argument)
        } else if is("ℕ.card") && self.holds(*argument, "Set") {
            of(Mark::Apply, &[of_name("Set.ncard"), *argument])
        } else if self.loose && is("ℕ.succ") {
            said("+", *argument, number(1))
        } else {
            of(Mark::Apply, parts)
        }
    }

    /// Whether a print is that of a variable of a type.
    fn holds(&self, print: u64, head: &str) -> bool {
        let is_of = |one: &Bound<'a>| one.of_type.head == head;
        let mut bound = self.bound.iter().enumerate();
        bound.any(|(at, one)| is_of(one) && print == bound_at(at))
            || self.known.iter().any(|one| is_of(one) && print == of_name(one.name))
    }

    /// A function by its sign where it has one, and what that stands between or before.
    fn with_sign(&self, parts: &[u64]) -> Option<u64> {
        let (function, arguments) = parts.split_first().filter(|_| self.how == How::Meaning)?;
        let sign = if arguments.is_empty() { None } else { SIGNS.get(function) }?;
        match arguments {
            [one] if matches!(*sign, "¬" | "√" | "!") => Some(prefixed(sign, *one)),
            [one] if matches!(*sign, "|" | "‖" | "⌊" | "⌈") => {
                Some(of(Mark::Listed, &[print_of(sign), *one]))
            }
            [a, b] if operator(sign).is_some() => Some(self.said(sign, *a, *b, 0)),
            _ => None,
        }
    }

    /// `e.f` of what is no name: `T.f e` where `e` is ascribed to `T`, or is a `T.g x`.
    fn field(&mut self, term: &Tree<'a>, field: &str) -> u64 {
        let print = self.print(term);
        if self.how != How::Meaning {
            return of(Mark::Field, &[print, print_of(field)]);
        }
        let (of_type, print) = match &**term.bare() {
            Term::Binding(binding) if is_comprehension(binding) => (Some("Set"), print),
            Term::Ascribed(inner, of_type) if matches!(&**of_type.bare(), Term::Name(_)) => {
                (of_type.head(), self.print(inner))
            }
            Term::Ascribed(_, of_type) => (of_type.head(), print),
            Term::Apply(head, _) => {
                // What `G.edgeFinset` has is not of its own kind.
                let own = head.head().filter(|_| field != "card");
                (own.and_then(|name| Some(name.rsplit_once('.')?.0)), print)
            }
            _ => (self.variable(term).map(|bound| bound.of_type.head), print),
        };
        match of_type.filter(|head| !head.is_empty() && self.level(head).is_none()) {
            Some(head) => {
                let field = match (head, field) {
                    ("Prod", "1") => "fst",
                    ("Prod", "2") => "snd",
                    _ => field,
                };
                let function = [noted(head), ".", field].concat();
                let counted = self.counted(&function, term);
                counted.unwrap_or_else(|| self.applied(&[of_name(&function), print]))
            }
            None => dotted(print, field),
        }
    }

    fn level(&self, name: &str) -> Option<usize> {
        (!name.is_empty()).then(|| self.bound.iter().rposition(|bound| bound.name == name))?
    }

    fn variable(&self, tree: &Tree<'a>) -> Option<&Bound<'a>> {
        let Term::Name(name) = &**tree.bare() else { return None };
        self.named(name)
    }

    fn named(&self, name: &str) -> Option<&Bound<'a>> {
        let known = || self.known.iter().find(|known| known.name == name);
        self.level(name).map_or_else(known, |level| self.bound.get(level))
    }

    /// What binds it, or its spelling. `x.f` of a bound `x : T` is `T.f x`, in two parts.
    fn name(&mut self, name: &'a str) -> Vec<u64> {
        let name = name.strip_prefix("_root_.").filter(|_| !self.is_strict()).unwrap_or(name);
        if self.own.contains(&name) {
            return vec![of(Mark::Own, &[])];
        }
        if let Some(level) = self.level(name) {
            return vec![bound_at(level)];
        }
        let field = name.split_once('.');
        if let Some((level, field)) = field.and_then(|(x, field)| Some((self.level(x)?, field))) {
            let head = self.bound.get(level).map_or("", |bound| bound.of_type.head);
            if self.is_strict() || head.is_empty() || self.level(head).is_some() {
                return vec![of(Mark::Field, &[bound_at(level), print_of(field)])];
            }
            return self.fields(head, field, bound_at(level));
        }
        if let Some((x, field)) = field
            && let Some(known) = self.known.iter().find(|known| known.name == x)
            && !known.of_type.head.is_empty()
        {
            return self.fields(known.of_type.head, field, of_name(x));
        }
        if self.seen.insert(name) {
            self.free.push(name);
        }
        let is_known = self.known.iter().any(|known| known.name == name);
        let spelled = match field.filter(|_| !self.is_strict()) {
            Some((first, rest)) => print_of(&[noted(first), ".", rest].concat()),
            None if is_known => print_of(name),
            None if self.is_strict() => print_of(name),
            None => print_of(noted(name)),
        };
        vec![of(Mark::Free, &[spelled])]
    }

    /// `x.f.g` of an `x : T`, which is `(T.f x).g`.
    fn fields(&self, head: &str, fields: &str, variable: u64) -> Vec<u64> {
        let split = fields.split_once('.').filter(|_| self.how == How::Meaning);
        let (first, rest) = split.unwrap_or((fields, ""));
        let function = [noted(head), ".", first].concat();
        let parts = vec![of_name(&function), variable];
        if rest.is_empty() {
            return parts;
        }
        vec![rest.split('.').fold(self.applied(&parts), dotted)]
    }

    fn infix(&mut self, sign: &str, left: &Tree<'a>, right: &Tree<'a>, near: u64) -> u64 {
        if self.is_strict() {
            return of(Mark::Infix, &[print_of(sign), self.print(left), self.print(right)]);
        }
        if let Some(print) = self.of_numbers(sign, left, right) {
            return print;
        }
        match &**right.bare() {
            // A truth value stands for that it is `true`.
            Term::Name("true") if sign == "=" && self.how == How::Meaning => {
                return self.print(left);
            }
            Term::Name("false") if sign == "=" && self.loose => {
                return prefixed("¬", self.print(left));
            }
            _ => {}
        }
        let holds = |tree| {
            let set = self.variable(tree).filter(|bound| bound.of_type.head == "Set")?;
            Some(set.of)
        };
        let relates = matches!(sign, "=" | "≠" | "⊆" | "⊂" | "⊇" | "⊃");
        let is_of_sets = relates || matches!(sign, "∪" | "∩" | "\\");
        let held = holds(left).or_else(|| holds(right)).filter(|_| is_of_sets);
        let are_literal = relates && is_literal(left) && is_literal(right);
        let is_in = matches!(sign, "∈" | "∉") && is_literal(right);
        let print_of = |fold: &mut Self, of_type, tree: &Tree<'a>| {
            fold.held = held;
            let literal = if is_in || are_literal { fold.literal(tree) } else { None };
            literal.unwrap_or_else(|| fold.print_near(of_type, tree))
        };
        let of_type = if joins(sign) {
            self.joined(left, right).map_or(near, |known| known.print)
        } else if matches!(sign, "∈" | "∉" | "^") {
            self.type_of(left).map_or(near, |known| known.print)
        } else {
            0
        };
        // An exponent that is a numeral is a natural number if nothing else is said.
        let right = match &**right.bare() {
            Term::Ascribed(inner, of)
                if sign == "^"
                    && self.how == How::Meaning
                    && matches!(&**inner.bare(), Term::Number(_))
                    && matches!(of.head(), Some("ℕ" | "Nat")) =>
            {
                inner
            }
            _ => right,
        };
        let a = print_of(self, of_type, left);
        if self.loose && sign == "^" && matches!(&**right.bare(), Term::Number("2")) {
            return said("*", a, a);
        }
        let b = print_of(self, if sign == "^" { 0 } else { of_type }, right);
        if self.loose && a == b {
            // `n ^ 2 = n * n` says more than `n * n = n * n`.
            self.loose = false;
            let print = self.infix(sign, left, right, near);
            self.loose = true;
            return print;
        }
        self.said(sign, a, b, of_type)
    }

    /// A relation of numerals: what one of them is ascribed to all of them have.
    fn of_numbers(&mut self, sign: &str, left: &Tree<'a>, right: &Tree<'a>) -> Option<u64> {
        let is_plain = |tree: &Tree<'a>| match &**tree.bare() {
            Term::Ascribed(inner, _) => matches!(&**inner.bare(), Term::Number(_)),
            term => matches!(term, Term::Number(_)),
        };
        let relates = matches!(sign, "=" | "≠" | "<" | "≤" | ">" | "≥")
            || (sign == "∣" && is_plain(left) && is_plain(right));
        if self.how != How::Meaning || !relates {
            return None;
        }
        let types = [self.of_numerals(left)?, self.of_numerals(right)?].concat();
        let of_type = *types.first().filter(|first| types.iter().all(|other| other == *first))?;
        let (a, b) = (self.print_near(of_type, left), self.print_near(of_type, right));
        Some(of(Mark::Ascribed, &[self.said(sign, a, b, of_type), of_type]))
    }

    /// `({a, b} : Set T).ncard`, which is `({a, b} : Finset T).card`.
    fn counted(&mut self, function: &str, set: &Tree<'a>) -> Option<u64> {
        let Term::Ascribed(_, of_type) = &**set.bare() else { return None };
        let fits = matches!(
            (function, of_type.head()),
            ("Set.ncard", Some("Set")) | ("Finset.card", Some("Finset"))
        );
        if fits { self.literal(set).map(|set| prefixed("#", set)) } else { None }
    }

    /// `({a, b} : Set T)`, which has the elements of `({a, b} : Finset T)`.
    fn literal(&mut self, tree: &Tree<'a>) -> Option<u64> {
        let Term::Ascribed(inner, of_type) = &**tree.bare() else { return None };
        let held = inner_type(of_type).filter(|_| self.loose && is_literal(tree))?;
        Some(of(Mark::Ascribed, &[self.print(inner), print_of("Set"), self.print(held)]))
    }

    /// What is said of two sides. Loosely, sides that may be turned are in order, and natural numbers are compared
    /// by `≤`.
    fn said(&self, sign: &str, left: u64, right: u64, of_type: u64) -> u64 {
        let (sign, left, right) = ordered(sign, left, right);
        let is = |name: &str| self.loose && of_type == of_name(name);
        let counted = |print: u64| (0..MOST_COUNTED).find(|one| number(*one) == print);
        match sign {
            "≠" if is("ℕ") && left == number(0) => said("≤", number(1), right),
            "≠" if is("ℕ") && right == number(0) => said("≤", number(1), left),
            "=" | "≠" | "↔" if self.loose && left > right => said(sign, right, left),
            "<" if is("ℕ") || is("ℤ") => match (counted(left), counted(right)) {
                (Some(small), _) => said("≤", number(small + 1), right),
                (_, Some(large @ 1..)) => said("≤", left, number(large - 1)),
                _ => said("≤", said("+", left, number(1)), right),
            },
            sign => said(sign, left, right),
        }
    }

    /// The type of a term, where it shows it.
    fn type_shown(&mut self, tree: &Tree<'a>) -> Option<Type<'a>> {
        match &**tree.bare() {
            Term::Ascribed(_, of_type) => Some(self.type_from(of_type)),
            _ => self.type_of(tree),
        }
    }

    /// The type of a term, where something else in it than a numeral shows it.
    fn type_of(&mut self, tree: &Tree<'a>) -> Option<Type<'a>> {
        match &**tree.bare() {
            Term::Ascribed(term, _) if matches!(&**term.bare(), Term::Number(_)) => None,
            Term::Ascribed(_, of_type) => Some(self.type_from(of_type)),
            Term::Prefix("-", inner) | Term::Infix("^", inner, _) => self.type_of(inner),
            Term::Infix("+" | "-" | "*" | "/" | "%", left, right) => self.joined(left, right),
            _ if self.is_count(tree) => Some(naturals()),
            Term::Apply(head, of) => {
                let gives = self.variable(head).map(|function| function.gives);
                let gives = gives.filter(|(takes, to)| *takes == of.len() && to.print != 0);
                gives.map(|(_, to)| to)
            }
            _ => self.variable(tree).map(|bound| bound.of_type).filter(|known| known.print != 0),
        }
    }

    /// Whether a term counts something: `#s`, `s.card`, `Finset.card s`.
    fn is_count(&self, tree: &Tree<'a>) -> bool {
        let is_known = |name: &str| is_among(name, COUNTS);
        let is_field = |of_type: &str, field: &str| is_known(&[of_type, ".", field].concat());
        let head = |term: &Tree<'a>| match &**term.bare() {
            Term::Ascribed(_, of_type) => of_type.head(),
            _ => self.variable(term).map(|bound| bound.of_type.head),
        };
        match &**tree.bare() {
            Term::Prefix("#", inner) => head(inner) == Some("Finset"),
            Term::Apply(function, _) => function.head().is_some_and(is_known),
            Term::Field(term, field) => head(term).is_some_and(|head| is_field(head, field)),
            Term::Name(name) => name.split_once('.').is_some_and(|(x, field)| {
                self.named(x).is_some_and(|bound| is_field(bound.of_type.head, field))
            }),
            _ => false,
        }
    }

    /// Whether a term is one that no number below 0 can be: of natural numbers, absolute values and squares.
    pub(super) fn is_never_negative(&self, tree: &Tree<'a>) -> bool {
        match &**tree.bare() {
            Term::Number(_) | Term::Listed("|" | "‖", _) | Term::Prefix("#" | "√", _) => true,
            Term::Ascribed(inner, _) | Term::Prefix("↑", inner) => self.is_never_negative(inner),
            Term::Infix("+" | "*", left, right) => {
                self.is_never_negative(left) && self.is_never_negative(right)
            }
            Term::Infix("^", base, power) => {
                let even = matches!(&**power.bare(), Term::Number("2" | "4" | "6" | "8"));
                even || self.is_never_negative(base)
            }
            _ if self.is_count(tree) => true,
            _ => self.variable(tree).is_some_and(|bound| bound.of_type.print == of_name("ℕ")),
        }
    }

    /// The type of two terms that are joined, if both show it, or one is made of numerals.
    fn joined(&mut self, left: &Tree<'a>, right: &Tree<'a>) -> Option<Type<'a>> {
        match (self.type_of(left), self.type_of(right)) {
            (Some(one), Some(other)) => (one.print == other.print).then_some(one),
            (one, None) => one.filter(|_| is_numeral(right)),
            (None, other) => other.filter(|_| is_numeral(left)),
        }
    }

    /// The type that a variable without one has by what it is joined with.
    fn type_in(&mut self, name: &str, tree: &Tree<'a>) -> Option<Type<'a>> {
        let is_it = |tree: &Tree<'a>| matches!(&**tree.bare(), Term::Name(one) if *one == name);
        match &**tree.bare() {
            _ if !tree.mentions(name) => None,
            Term::Infix("∈" | "∉", left, right) if is_it(left) => self.held_by(right),
            Term::Infix(sign, left, right) => {
                let other = if is_part(name, left) { right } else { left };
                let is_joined = joins(sign) && (is_part(name, left) || is_part(name, right));
                let found = if is_joined { self.type_shown(other) } else { None };
                found.or_else(|| self.type_in(name, left)).or_else(|| self.type_in(name, right))
            }
            Term::Apply(head, arguments) => {
                let is_natural = head.head().is_some_and(|name| is_among(name, OF_NATURALS));
                let of = if is_natural { Some(naturals()) } else { self.held_by(head) };
                let of = of.filter(|_| arguments.first().is_some_and(is_it));
                of.or_else(|| arguments.iter().find_map(|one| self.type_in(name, one)))
            }
            Term::Prefix(_, inner) | Term::Ascribed(inner, _) | Term::Field(inner, _) => {
                self.type_in(name, inner)
            }
            Term::Listed(_, parts) => parts.iter().find_map(|part| self.type_in(name, part)),
            Term::Binding(binding) if binding.binders.iter().all(|one| one.name != name) => {
                let over = binding.over.as_ref().and_then(|(_, over)| self.type_in(name, over));
                over.or_else(|| self.type_in(name, &binding.body))
            }
            _ => None,
        }
    }

    /// Whether an ascription says nothing: of a variable to its own type, of a numeral to the type of what it
    /// stands beside, or to `ℕ`.
    fn says_nothing(&self, term: &Tree<'a>, of_type: u64, near: u64) -> bool {
        match &**term.bare() {
            _ if of_type == near && is_numeral(term) => true,
            Term::Number(_) => self.how == How::Claim && of_type == of_name("ℕ"),
            _ => self.variable(term).is_some_and(|bound| bound.of_type.print == of_type),
        }
    }

    /// `({x | p x} : Set T)`, which is `{x : T | p x}`.
    fn of_set(&mut self, term: &Tree<'a>, of_type: &Tree<'a>) -> Option<u64> {
        let Term::Binding(binding) = &**term.bare() else { return None };
        let is_set = self.how == How::Meaning && of_type.head() == Some("Set");
        let held = inner_type(of_type).filter(|_| is_set && is_comprehension(binding))?;
        let held = self.type_from(held);
        let own = binding.binders.iter().find_map(|binder| binder.of_type.as_ref());
        let fits = own.is_none_or(|own| self.print(own) == held.print);
        fits.then(|| self.binding(binding, Some(held)))
    }

    /// `held` is the type of what a set holds, where that is known from elsewhere.
    fn binding(&mut self, binding: &Binding<'a>, held: Option<Type<'a>>) -> u64 {
        let outer = self.bound.len();
        let sign = canonical(binding.sign);
        let found = match sign {
            "fun" if !self.is_strict() && is_eta(binding) => match &**binding.body.bare() {
                Term::Apply(head, arguments) => {
                    let rest = arguments.split_last().map_or(&[][..], |(_, rest)| rest);
                    self.apply(head, rest, 0)
                }
                _ => self.print(&binding.body),
            },
            "∑" | "∏" if self.is_over_all(binding) => {
                self.binding(&Binding { over: None, ..binding.clone() }, None)
            }
            "∑" | "∏" if !self.is_strict() && is_over_finset(binding) => {
                let function = if sign == "∑" { "Finset.sum" } else { "Finset.prod" };
                let over = binding.over.iter().map(|(_, over)| over);
                let mut parts = vec![of_name(function)];
                parts.extend(over.map(|over| self.print(over)));
                let (binders, body) = (binding.binders.clone(), binding.body.clone());
                let fun = Binding { sign: "fun", binders, body, ..Binding::default() };
                parts.push(self.binding(&fun, None));
                of(Mark::Apply, &parts)
            }
            "∃" | "∃!" | "fun" if !self.is_strict() => {
                let asked = self.asked(binding);
                let explicit = asked.iter().all(|(kind, _)| *kind == Kind::Explicit);
                self.unsure |= binding.with.is_some()
                    || (sign != "fun" && !explicit)
                    || (sign != "∃" && binding.over.is_some())
                    || (sign == "∃!" && asked.len() > 1);
                let condition = match self.inside(binding) {
                    Some(inside) => Some(self.print(&inside)),
                    None => self.condition(binding),
                };
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
                let body = [&binding.body];
                let shows = is_comprehension(binding) || matches!(sign, "∑" | "∏");
                let within = if shows { &body[..] } else { &[] };
                for binder in &binding.binders {
                    parts.push(self.ask(binder, held, within).1);
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

    /// `∑ x ∈ univ, f x`, which is `∑ x, f x`.
    fn is_over_all(&self, binding: &Binding<'a>) -> bool {
        let all = |over: &Tree<'a>| matches!(&**over.bare(), Term::Name("univ" | "Finset.univ"));
        let is_all = binding.over.as_ref().is_some_and(|(_, over)| all(over));
        is_all
            && self.how == How::Meaning
            && is_over_finset(binding)
            && self.named("univ").is_none()
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
        self.levels.extend(is_name.then_some(level));
        if self.lone.contains(&level) {
            return print_of("*");
        }
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

/// What may show the type of a variable.
pub(super) fn within<'t, 'a>(binders: &'t [Binder<'a>], body: &'t Tree<'a>) -> Vec<&'t Tree<'a>> {
    binders.iter().filter_map(|other| other.of_type.as_ref()).chain([body]).collect()
}

/// Whether a type asks for something that callers leave out.
fn asks_in_brackets(of_type: &Tree<'_>) -> bool {
    match &**of_type.bare() {
        Term::Infix("→", _, rest) => asks_in_brackets(rest),
        Term::Binding(binding) => {
            let mut binders = binding.binders.iter();
            binders.any(|one| one.kind != Kind::Explicit) || asks_in_brackets(&binding.body)
        }
        _ => false,
    }
}

/// `{x | p x}`, of any `x` of a type.
fn is_comprehension(binding: &Binding<'_>) -> bool {
    binding.sign == "{" && binding.over.is_none()
}

/// `({a, b} : Set T)` and `({a, b} : Finset T)`
fn is_literal(tree: &Tree<'_>) -> bool {
    let Term::Ascribed(inner, of_type) = &**tree.bare() else { return false };
    matches!(&**inner.bare(), Term::Listed("{", _))
        && matches!(of_type.head(), Some("Set" | "Finset"))
}

/// The `s` of `{x // x ∈ s}`.
fn subtype<'t, 'a>(binding: &'t Binding<'a>) -> Option<&'t Tree<'a>> {
    let ([x], "//", None) = (binding.binders.as_slice(), binding.sign, &binding.over) else {
        return None;
    };
    let Term::Infix("∈", one, set) = &**binding.body.bare() else { return None };
    let is_it = matches!(&**one.bare(), Term::Name(name) if *name == x.name);
    (is_it && !set.mentions(x.name)).then_some(set)
}

/// `∃ x, x ∈ s ∧ p` for `∃ (x) (_ : x ∈ s), p`, and `⋃ x ∈ s, t` for `⋃ (x) (_ : x ∈ s), t`.
fn condensed<'a>(binding: &Binding<'a>) -> Option<Term<'a>> {
    let is_union = matches!(binding.sign, "⋃" | "⋂" | "⨆" | "⨅");
    if !(is_union || binding.sign == "∃") || binding.over.is_some() || binding.with.is_some() {
        return None;
    }
    let (last, first) = binding.binders.split_last()?;
    if !is_union {
        let (condition, ..) = relation(last, &binding.body)?;
        let body = Tree::new(Term::Infix("∧", condition.clone(), binding.body.clone()));
        return Some(match first {
            [] => Term::Round(body),
            _ => Term::Binding(Binding { binders: first.to_vec(), body, ..binding.clone() }),
        });
    }
    let (x, of, body) = match (first, &**binding.body.bare()) {
        ([x], _) => (x, last, &binding.body),
        ([], Term::Binding(inner)) if inner.sign == binding.sign && inner.over.is_none() => {
            (last, inner.binders.first().filter(|_| inner.binders.len() == 1)?, &inner.body)
        }
        _ => return None,
    };
    let (_, sign, left, right) = relation(of, body)?;
    let is_it = matches!(&**left.bare(), Term::Name(name) if *name == x.name);
    let (binders, over) = (vec![x.clone()], Some((sign, right.clone())));
    is_it.then(|| Term::Binding(Binding { binders, over, body: body.clone(), ..binding.clone() }))
}

/// What a binder asks for that is only true or not, as far as that shows, if a body does not speak of it: all, and its
/// sign and sides.
fn relation<'t, 'a>(
    binder: &'t Binder<'a>,
    body: &Tree<'a>,
) -> Option<(&'t Tree<'a>, &'a str, &'t Tree<'a>, &'t Tree<'a>)> {
    let of_type = binder.of_type.as_ref()?;
    let Term::Infix(sign, left, right) = &**of_type.bare() else { return None };
    let relates = operator(sign).is_some_and(|one| one.level == 50);
    let is_free = binder.name == "_" || !body.mentions(binder.name);
    (relates && is_free).then_some((of_type, *sign, left, right))
}

/// `f ∘ g` for `fun x => f (g x)`
fn composed<'a>(fun: &Binding<'a>) -> Option<Term<'a>> {
    let ([binder], None) = (fun.binders.as_slice(), &fun.over) else { return None };
    let Term::Apply(head, of) = &**fun.body.bare() else { return None };
    let is_one = binder.kind == Kind::Explicit && binder.of_type.is_none();
    let (last, rest) =
        of.split_last().filter(|_| is_one && canonical(fun.sign) == "fun" && !is_eta(fun))?;
    let body = Tree::clone(last.bare());
    let inner = Binding { body, ..fun.clone() };
    let speaks = |tree: &Tree<'a>| tree.mentions(binder.name);
    let is_function = is_eta(&inner) || composed(&inner).is_some();
    let inner = Tree::new(Term::Binding(inner));
    (is_function && !speaks(head) && !rest.iter().any(speaks))
        .then(|| Term::Infix("∘", apply(head, rest), inner))
}

fn apply<'a>(head: &Tree<'a>, of: &[Tree<'a>]) -> Tree<'a> {
    if of.is_empty() {
        return Tree::clone(head);
    }
    Tree::new(Term::Apply(Tree::clone(head), of.to_vec()))
}

/// `[i]`
fn at<'a>(index: &Tree<'a>) -> Tree<'a> {
    Tree::new(Term::Listed("[", vec![Tree::clone(index)]))
}

fn real<'a>(measure: Tree<'a>, of: &Tree<'a>) -> Term<'a> {
    let function = Tree::new(Term::Name("MeasureTheory.Measure.real"));
    Term::Apply(function, vec![measure, Tree::clone(of)])
}

/// `{x ∈ s | p x}`
fn set_of<'a>(p: &Tree<'a>, over: Option<&Tree<'a>>) -> Binding<'a> {
    let over = over.map(|s| ("∈", Tree::clone(s)));
    match &**p.bare() {
        Term::Binding(fun) if canonical(fun.sign) == "fun" && fun.binders.len() == 1 => {
            Binding { sign: "{", over, ..fun.clone() }
        }
        _ => {
            let x = Tree::new(Term::Name("·1"));
            let body = Tree::new(Term::Apply(Tree::clone(p), vec![x]));
            let binders = vec![Binder { name: "·1", ..Binder::default() }];
            Binding { sign: "{", binders, over, body, ..Binding::default() }
        }
    }
}

fn naturals() -> Type<'static> {
    Type { print: of_name("ℕ"), head: "ℕ" }
}

/// What is said of natural numbers only.
const OF_NATURALS: &str = "Nat.Prime Nat.Coprime";

/// Functions that count, each to a natural number.
const COUNTS: &str = "Finset.card Set.ncard Multiset.card Fintype.card Nat.card List.length";

/// `T` of `T → U` and of `Set T`.
fn inner_type<'t, 'a>(of_type: &'t Tree<'a>) -> Option<&'t Tree<'a>> {
    match &**of_type.bare() {
        Term::Infix("→", from, _) => Some(from),
        Term::Apply(head, of) => {
            let holds = matches!(head.head(), Some("Set" | "Finset" | "List" | "Multiset"));
            of.first().filter(|_| holds)
        }
        _ => None,
    }
}

fn number(number: u64) -> u64 {
    of(Mark::Number, &[print_of(&number.to_string())])
}

fn of_name(name: &str) -> u64 {
    of(Mark::Free, &[print_of(name)])
}

fn prefixed(sign: &str, inner: u64) -> u64 {
    of(Mark::Prefix, &[print_of(sign), inner])
}

fn dotted(print: u64, field: &str) -> u64 {
    match field {
        "card" => prefixed("#", print),
        field => of(Mark::Field, &[print, print_of(field)]),
    }
}

/// How what is in an interval lies to its ends.
fn ends(name: &str) -> Option<[Option<&'static str>; 2]> {
    let sides = name.rsplit('.').next()?.strip_prefix('I').filter(|sides| sides.len() == 2)?;
    let sign = |side| match side {
        'c' => Some(Some("≤")),
        'o' => Some(Some("<")),
        'i' => Some(None),
        _ => None,
    };
    let mut signs = sides.chars().map(sign);
    Some([signs.next()??, signs.next()??])
}

/// The same of an interval of Mathlib, by its full name.
fn interval(head: &Tree<'_>) -> Option<[Option<&'static str>; 2]> {
    if matches!(head.head()?, "range" | "Finset.range") {
        return Some([None, Some("<")]);
    }
    let family = head.head()?.split_once('.')?.0;
    ends(head.head()?).filter(|_| matches!(family, "Set" | "Finset"))
}

/// How something lies to the ends of an interval.
pub(super) fn sides<'a>(x: &Tree<'a>, interval: &Tree<'a>) -> Option<Tree<'a>> {
    let Term::Apply(head, ends) = &**interval.bare() else { return None };
    let [lower, upper] = self::interval(head)?;
    if ends.len() != [lower, upper].into_iter().flatten().count() {
        return None;
    }
    let infix =
        |sign, a: &Tree<'a>, b: &Tree<'a>| Tree::new(Term::Infix(sign, a.clone(), b.clone()));
    let lower = lower.zip(ends.first()).map(|(sign, end)| infix(sign, end, x));
    let upper = upper.zip(ends.last()).map(|(sign, end)| infix(sign, x, end));
    match (lower, upper) {
        (Some(lower), Some(upper)) => Some(infix("∧", &lower, &upper)),
        (lower, upper) => lower.or(upper),
    }
}

/// Whether a term is a variable, or calculated with it and numerals.
fn is_part(name: &str, tree: &Tree<'_>) -> bool {
    match &**tree.bare() {
        Term::Name(one) => *one == name,
        Term::Prefix("-", inner) | Term::Infix("^", inner, _) => is_part(name, inner),
        Term::Infix("+" | "-" | "*" | "/" | "%", left, right) => {
            is_part(name, left) && is_numeral(right) || is_numeral(left) && is_part(name, right)
        }
        _ => false,
    }
}

fn is_numeral(tree: &Tree<'_>) -> bool {
    match &**tree.bare() {
        Term::Number(_) => true,
        Term::Ascribed(inner, _) | Term::Prefix("-", inner) | Term::Infix("^", inner, _) => {
            is_numeral(inner)
        }
        Term::Infix("+" | "-" | "*" | "/" | "%", left, right) => {
            is_numeral(left) && is_numeral(right)
        }
        _ => false,
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
