//! Statements that say less than their names, by their terms: true whatever the mathematics is, or finite. The
//! propositions that their file defines are unfolded.

use std::cell::Cell;
use std::collections::HashMap;

use super::difference::{asked_before, there, unnamed};
use super::fold::{Bound, Fold, How, ordered, sides};
use super::lexemes::{Tokens, lexemes, part};
use super::shape::Statement;
use super::spelling::{print_all, print_of};
use super::term::{Abbreviation, Binder, Binding, Kind, Parser, Term, Tree};
use super::{Signature, is_or_ends_in, last_part};
use crate::lean::sig::Sig;
use crate::lean::{DeclKind, Declaration, Outline};
use crate::text::{self, is_among, vocabulary};

vocabulary! {
    Triviality {
        ExcludedMiddle = "`P ∨ ¬P`",
        /// `answer(P) ↔ P`, `a = a ∨ Q`, `¬False`, `(∃ f, P f) ∨ ∃ f, ¬P f`.
        Tautology = "a tautology",
        True = "`True`",
        Assumed = "what it assumes",
        /// `def Foo (G : Graph) : Prop := ∃ k, 2 ^ k = 8` says nothing of `G`.
        Ignored = "a claim that ignores its argument",
        Vacuous = "a vacuous claim",
        Finite = "finitely many cases",
        Numbers = "a case in numbers",
        /// All that it says is about one finite type; the name may say no more.
        FiniteType = "one finite type",
    }
}

impl Triviality {
    /// Of the problem; a case may be all that is asked.
    pub fn says_nothing(self) -> bool {
        !matches!(self, Self::Finite | Self::Numbers | Self::FiniteType)
    }
}

pub fn triviality(statement: &str) -> Option<Triviality> {
    Said::read(statement).triviality()
}

/// As the statement stands, or once the propositions that its file defines are unfolded.
pub fn triviality_in(statement: &str, meanings: &Meanings<'_>) -> Option<Triviality> {
    let said = Said::read(statement);
    let ignored = || meanings.is_ignoring(&said.goal).then_some(Triviality::Ignored);
    said.triviality().or_else(|| meanings.unfolded_in(&said)?.triviality()).or_else(ignored)
}

/// One of its variables is a given number, below one, of one residue class, or lives on so many points: it says less
/// than the same without that.
pub fn is_special_case(statement: &str) -> bool {
    let said = Said::read(statement);
    let conditions = said.conditions();
    let is_limited = |one: &Binder<'_>| {
        let limits = said.limits(one.name, &conditions);
        limits.is_given || (limits.is_discrete && limits.most.is_some())
    };
    let is_residue = |modulus: &Tree<'_>, of: &Tree<'_>| {
        // Odd and even numbers are whole subjects.
        number(modulus).is_some_and(|modulus| modulus != 2) && number(of).is_some()
    };
    let is_case = |of: &Tree<'_>| match &**of.bare() {
        Term::Infix("=", left, value) => {
            let rest = match &**left.bare() {
                Term::Infix("%", _, modulus) => is_residue(modulus, value),
                _ => false,
            };
            rest || (measures_dimension(left) && number(value).is_some())
        }
        Term::Apply(head, of) => match (head.head(), of.as_slice()) {
            (Some("Nat.ModEq" | "Int.ModEq"), [modulus, _, of]) => is_residue(modulus, of),
            _ => false,
        },
        _ => false,
    };
    said.asked.iter().any(|one| is_limited(one) || one.of_type.as_ref().is_some_and(is_small))
        || conditions.iter().any(is_case)
}

/// `p.natDegree`, `Module.finrank ℝ V`, `Fintype.card V`
fn measures_dimension(tree: &Tree<'_>) -> bool {
    let head = match &**tree.bare() {
        Term::Field(_, field) => Some(*field),
        _ => tree.head(),
    };
    head.is_some_and(|head| {
        is_among(last_part(head), "natDegree degree finrank")
            || is_among(head, "Fintype.card Nat.card")
    })
}

/// `Fin 4`
fn is_points(tree: &Tree<'_>) -> bool {
    let Term::Apply(head, of) = &**tree.bare() else { return false };
    head.head() == Some("Fin")
        && matches!(of.as_slice(), [one] if matches!(&**one.bare(), Term::Number(_)))
}

/// Whether a type is of something on so many points: `SimpleGraph (Fin 7)`, `Fin 4 → Fin 4 → Prop`.
fn is_small(of_type: &Tree<'_>) -> bool {
    match &**of_type.bare() {
        Term::Infix("→", from, to) if is_points(from) => {
            let mut to = to;
            while let Term::Infix("→", _, rest) = &**to.bare() {
                to = rest;
            }
            if matches!(to.head(), Some("Prop" | "Bool")) {
                return true;
            }
        }
        Term::Apply(head, of) => {
            const ON: &str = "SimpleGraph Finset Set Perm Digraph Hypergraph";
            let is_on = head.head().is_some_and(|head| is_among(head, ON));
            if is_on && matches!(of.as_slice(), [one] if is_points(one)) {
                return true;
            }
        }
        _ => {}
    }
    of_type.has(&mut is_small)
}

/// The variables of a statement and what it asks for, each with the words of its type, also behind `∀`, in order; what
/// has no name is `_`, an instance without words.
pub fn variables(statement: &str) -> Vec<(&str, Vec<&str>)> {
    let variable = |one: &Binder<'_>| one.kind != Kind::Instance;
    let all = Said::read(statement).asked.into_iter();
    all.map(|one| match one.of_type.as_ref().filter(|_| variable(&one)) {
        of if is_named(&one) && variable(&one) => (one.name, words(of)),
        of => ("_", words(of)),
    })
    .collect()
}

/// Between which numbers a variable lies, by the hypotheses that say so in numerals.
#[derive(Debug, Clone, Copy, Default)]
struct Limits {
    least: Option<i128>,
    most: Option<i128>,
    is_given: bool,
    /// So many numbers are between two limits as their difference says; not where its type is unknown.
    is_discrete: bool,
}

impl Limits {
    fn from(&mut self, least: Option<i128>) {
        self.least = self.least.max(least);
    }

    fn to(&mut self, most: Option<i128>) {
        self.most = self.most.into_iter().chain(most).min();
    }
}

/// What a claim about given numbers consists of, beside numerals and the names that it binds.
const OF_NUMBERS: &str = "∃ : , ( ) = < ≤ > ≥ ≠ ∣ ∧ ∨ + * - ^ % / ℕ ℤ ℚ ℝ Nat Int Rat Real NNReal";
const OF_A_NUMBER: &str = "Prime Even Odd Coprime Squarefree gcd lcm IsSquare";

/// What a statement asks for, also behind `∀` and before `→`, and what it claims then.
#[derive(Debug, Default)]
struct Said<'a> {
    /// How much of `asked` stands before the colon.
    outer: usize,
    asked: Vec<Binder<'a>>,
    goal: Tree<'a>,
    /// All behind the colon.
    claim: Tree<'a>,
    /// Names with a field: `G` of `G.Adj`.
    owners: Vec<&'a str>,
    is_guess: bool,
}

/// What is not known is guessed, but not past definitions: what a goal is about may stand in its `let`. And whether
/// it was.
fn read<'t, 'a>(
    tokens: &'t Tokens<'a>,
    of: &dyn Fn(&mut Parser<'t, 'a>) -> Signature<'a>,
) -> (Signature<'a>, bool) {
    let is_definition = |at| matches!(tokens.spelling(at), "let" | "letI" | "have" | "haveI");
    if (0..tokens.len()).any(is_definition) {
        return (of(&mut Parser::new(tokens)), false);
    }
    Statement::of(tokens, of).guessed()
}

/// From the first bracket or colon on.
fn signature(text: &str) -> (Signature<'_>, bool) {
    let lexemes = lexemes(text);
    let tokens = Tokens::read(text, &lexemes);
    let begins = |at: &usize| tokens.closer(*at).is_some() || tokens.spelling(*at) == ":";
    let start = (0..tokens.len()).find(begins).unwrap_or(tokens.len());
    let has_universes = start > 0 && tokens.spelling(start - 1) == ".";
    let range = start - usize::from(has_universes)..tokens.end().max(start);
    read(&tokens, &|parser| parser.signature(range.clone()))
}

fn is_named(binder: &Binder<'_>) -> bool {
    !matches!(binder.name, "" | "_")
}

impl<'a> Said<'a> {
    fn read(statement: &'a str) -> Self {
        let (Signature { binders, conclusion, has_colon, .. }, is_guess) = signature(statement);
        let found = if has_colon { Self::of(binders, conclusion) } else { Self::default() };
        Self { is_guess, ..found }
    }

    fn of(asked: Vec<Binder<'a>>, claim: Tree<'a>) -> Self {
        let (outer, goal) = (asked.len(), Tree::clone(&claim));
        let mut said = Self { outer, asked, goal, claim, ..Self::default() };
        said.take();
        said.unwrap_subtypes();
        said
    }

    /// Takes what stands before the goal: `∀ x, ...`, `A → ...`; of `¬ (p ∧ ¬ q)` it is `p`.
    fn take(&mut self) {
        let before = self.asked.len();
        while let Some(rest) = asked_before(&self.goal, &mut self.asked) {
            let (known, new) = self.asked.split_at(before.min(self.asked.len()));
            let mut new = new.iter().filter(|one| is_named(one));
            // What was said of the outer one holds of another thing.
            if new.any(|one| known.iter().any(|other| other.name == one.name)) {
                self.asked.truncate(before);
                return;
            }
            self.goal = rest;
        }
        let Term::Prefix("¬", denied) = &**self.goal.bare() else { return };
        let mut all = conjuncts(denied);
        let claim = |one: &Tree<'a>| match &**one.bare() {
            Term::Prefix("¬", claim) => Some(Tree::clone(claim)),
            _ => None,
        };
        if all.len() > 1
            && let Some(at) = all.iter().rposition(|one| claim(one).is_some())
        {
            let goal = claim(&all.remove(at));
            self.asked.extend(all.into_iter().map(unnamed));
            self.goal = goal.unwrap_or_default();
        }
    }

    /// `F : {x // P x}` assumes `P F`, where `F`, `F.1` and `F.val` are taken for the same.
    fn unwrap_subtypes(&mut self) {
        let subtype = |one: &Binder<'a>| match &**one.of_type.as_ref()?.bare() {
            Term::Binding(of) if of.sign == "//" => {
                let name = Tree::new(Term::Name(one.name));
                Some((one.name, of.body.replaced(of.binders.first()?.name, &name)))
            }
            _ => None,
        };
        let (names, holds): (Vec<_>, Vec<_>) = self.asked.iter().filter_map(subtype).unzip();
        if !names.is_empty() {
            self.goal = underlying(&self.goal, &names);
            self.claim = underlying(&self.claim, &names);
            self.asked.extend(holds.into_iter().map(unnamed));
        }
    }

    fn triviality(&self) -> Option<Triviality> {
        let goal = self.goal.bare();
        let is_flat_definition = |parts: &[Tree<'_>]| {
            matches!(
                parts.first().map(|one| &**one),
                Some(Term::Sign("let" | "letI" | "have" | "haveI"))
            )
        };
        match &**goal {
            Term::Flat(parts) if parts.is_empty() || is_flat_definition(parts) => return None,
            Term::Name("True") => return Some(Triviality::True),
            Term::Infix("∨", left, right)
                if self.negates(left, right) || self.negates(right, left) =>
            {
                return Some(Triviality::ExcludedMiddle);
            }
            _ => {}
        }
        let mut types = self.asked.iter().filter(|one| one.kind != Kind::Instance);
        if self.is_true(goal)
            || types.any(|one| one.of_type.as_ref().is_some_and(|of| self.is_false(of)))
        {
            return Some(Triviality::Tautology);
        }
        let conditions = self.conditions();
        if self.is_assumed(&conditions) {
            return Some(Triviality::Assumed);
        }
        if self.is_vacuous(&conditions) {
            return Some(Triviality::Vacuous);
        }
        self.finite(&conditions).or_else(|| self.is_of_numbers().then_some(Triviality::Numbers))
    }

    /// Equal for terms that are the same up to the names of what they bind, if all of the statement is known; `None` for
    /// a term that is too large.
    fn print(&self, tree: &Tree<'a>) -> Option<u64> {
        let mut fold = Fold::new(How::Key, &[], &[]);
        fold.assume(&self.owners);
        fold.assume(&self.asked.iter().map(|one| one.name).collect::<Vec<_>>());
        let print = fold.print(tree.bare());
        let names = fold.binds.iter().filter(|_| self.is_guess).map(|name| print_of(name));
        fold.is_whole().then(|| print_all([print].into_iter().chain(names)))
    }

    fn same(&self, one: &Tree<'a>, other: &Tree<'a>) -> bool {
        may_be_same(one, other)
            && self.print(one).is_some_and(|print| self.print(other) == Some(print))
    }

    fn negates(&self, one: &Tree<'a>, other: &Tree<'a>) -> bool {
        denied(one).is_some_and(|denied| self.same(denied, other))
    }

    /// Whatever its names stand for.
    fn is_true(&self, tree: &Tree<'a>) -> bool {
        match &**tree.bare() {
            Term::Name("True") => true,
            Term::Prefix("¬", denied) => self.is_false(denied),
            Term::Binding(one) => match one.sign {
                "∀" | "∀ᵉ" | "→" => self.is_true(&one.body),
                "∃" | "∃ᵉ" => {
                    let is_there =
                        one.over.is_none() && one.binders.iter().all(|it| self.is_inhabited(it));
                    (is_there && self.is_true(&one.body)) || is_answer(one)
                }
                _ => false,
            },
            Term::Infix("↔", left, right) => {
                self.same(asked(left), asked(right))
                    || (self.is_true(left) && self.is_true(right))
                    || (self.is_false(left) && self.is_false(right))
            }
            Term::Infix("→", left, right) => self.is_true(right) || self.is_false(left),
            Term::Infix("∧", left, right) => self.is_true(left) && self.is_true(right),
            Term::Infix("∨", left, right) => {
                let (one, other) = self.of_the_same(left, right).unwrap_or((left, right));
                let is_excluded = self.negates(one, other) || self.negates(other, one);
                is_excluded || self.is_true(left) || self.is_true(right)
            }
            Term::Infix("=" | "≤" | "≥" | "∣" | "⊆", left, right) => {
                self.same(asked(left), asked(right))
            }
            _ => false,
        }
    }

    fn is_false(&self, tree: &Tree<'a>) -> bool {
        match &**tree.bare() {
            Term::Name("False") => true,
            Term::Prefix("¬", denied) => self.is_true(denied),
            Term::Binding(one) if matches!(one.sign, "∃" | "∃ᵉ") => self.is_false(&one.body),
            Term::Infix("∧", left, right) => self.is_false(left) || self.is_false(right),
            Term::Infix("≠" | "<" | ">", left, right) => self.same(left, right),
            _ => false,
        }
    }

    /// `P` and `Q` of `∃ x, P` and `∃ x, Q`.
    fn of_the_same<'t>(
        &self,
        left: &'t Tree<'a>,
        right: &'t Tree<'a>,
    ) -> Option<(&'t Tree<'a>, &'t Tree<'a>)> {
        let (Term::Binding(one), Term::Binding(other)) = (&**left.bare(), &**right.bare()) else {
            return None;
        };
        // They bind the same in the same way, whatever is said of it.
        let binds = |one: &Binding<'a>| {
            self.print(&Tree::new(Term::Binding(Binding { body: Tree::default(), ..one.clone() })))
        };
        let names = |one: &Binding<'a>| one.binders.iter().map(|it| it.name).collect::<Vec<_>>();
        let is_same = binds(one) == binds(other) && names(one) == names(other);
        (one.sign == "∃" && is_same).then_some((&one.body, &other.body))
    }

    /// `∃ C : ℝ, P`: some number there is. Of a type that is any type, that it has an element is no more.
    fn is_inhabited(&self, binder: &Binder<'a>) -> bool {
        let of = binder.of_type.as_ref().map(|of| &**of.bare());
        let Some(Term::Name(of)) = of else { return false };
        let mut types = self.asked.iter().filter(|one| one.name == *of);
        is_among(of, "ℕ ℤ ℚ ℝ ℂ Nat Int Rat Real")
            || types.any(|one| matches!(one.of_type.as_deref(), Some(Term::Sort(..))))
    }

    /// One of its hypotheses is what it claims, in other words or of more.
    fn is_assumed(&self, conditions: &[Tree<'a>]) -> bool {
        let claims = [&self.goal, &self.claim];
        let is_claimed = |of: &Tree<'a>| claims.into_iter().any(|claim| self.same(claim, of));
        let is_denied = |of: &Tree<'a>| denied(of).is_some_and(is_claimed);
        conditions.iter().any(|of| {
            let refuted = match &**of.bare() {
                Term::Prefix("¬", denied) => is_denied(denied),
                Term::Infix("→", left, right) => right.head() == Some("False") && is_denied(left),
                _ => false,
            };
            refuted || is_claimed(of) || self.is_instance(of)
        })
    }

    /// `∀ k > 0, Foo k` where `Foo n` is the goal and `0 < n` another hypothesis: the claim itself is assumed; so it is
    /// by `∀ k > 0, Foo k (f k)` where the goal is `∃ m, Foo n m`. A hypothesis with a condition that the claim has not,
    /// as in a step of an induction, says less.
    fn is_instance(&self, of: &Tree<'a>) -> bool {
        let goal = there(of).map_or_else(|| Tree::clone(of), |(_, body)| body);
        let mut assumed = Said { goal, ..Said::default() };
        assumed.take();
        if assumed.asked.is_empty() {
            return false;
        }
        let names = |binders: &[Binder<'a>]| -> Vec<&'a str> {
            binders.iter().filter(|one| is_named(one)).map(|one| one.name).collect()
        };
        let bound = names(&assumed.asked);
        let core = || {
            let (witnesses, claim) = there(&self.goal)?;
            let held =
                there(&assumed.goal).map_or_else(|| Tree::clone(&assumed.goal), |(_, body)| body);
            self.instance((&held, &bound), (&claim, &names(&witnesses)))
        };
        let whole = self.instance((&assumed.goal, &bound), (&self.goal, &[]));
        let Some(mut meant) = whole.or_else(core) else { return false };
        // What stands in the types of those: the `m` of `M : Foo m`.
        let mut at = 0;
        while let Some((their, our)) = meant.get(at) {
            at += 1;
            let (theirs, ours) =
                (assumed.type_of(their), our.head().and_then(|our| self.type_of(our)));
            if let Some((theirs, ours)) = theirs.zip(ours) {
                let Some(more) = self.instance((theirs, &bound), (ours, &[])) else {
                    // Of numbers of another kind, or of other things, it says nothing.
                    return false;
                };
                let is_new = |one: &(&str, Tree<'a>)| meant.iter().all(|(name, _)| *name != one.0);
                let more: Vec<_> = more.into_iter().filter(is_new).collect();
                meant.extend(more);
            }
        }
        let conditions: Vec<_> = assumed.hypotheses().flat_map(|of| compared(of)).collect();
        let put = |of: &Tree<'a>| of.put(&meant);
        let classes =
            |said: &Self, put: &dyn Fn(&Tree<'a>) -> Option<Tree<'a>>| -> Vec<Option<u64>> {
                let all = said.asked.iter().filter(|one| one.kind == Kind::Instance);
                let asks = all.filter_map(|one| one.of_type.as_ref()).filter(|of| asks(of));
                asks.map(|of| self.print(&put(of)?)).collect()
            };
        // `∀ (β) [Subsingleton β], P β` is said of less than `P α`.
        let own = classes(self, &|of| Some(Tree::clone(of)));
        if !classes(&assumed, &put).iter().all(|class| class.is_some() && own.contains(class)) {
            return false;
        }
        // The `N` of `∀ N, ∀ k ≤ N, Foo k` may be any.
        let is_any = |name: &str| {
            bound.contains(&name)
                && meant.iter().all(|(known, _)| *known != name)
                && conditions.iter().filter(|of| of.mentions(name)).count() == 1
        };
        let known = self.known();
        let print = |of: &Tree<'a>| Fold::of_part(How::Meaning, &[], &known).print(of);
        let own: Vec<u64> = if conditions.is_empty() {
            Vec::new()
        } else {
            self.hypotheses().flat_map(|of| compared(of)).map(|of| print(&of)).collect()
        };
        conditions.iter().all(|of| {
            let is_met = match &**of.bare() {
                Term::Infix(sign, a, b) => match ordered(sign, a, b) {
                    ("<" | "≤", _, most) => {
                        matches!(&**most.bare(), Term::Name(most) if is_any(most))
                    }
                    _ => false,
                },
                _ => false,
            };
            is_met || put(of).is_some_and(|of| self.is_true(&of) || own.contains(&print(&of)))
        })
    }

    /// What the bound names of a statement stand for in another one that it speaks of; `open` names of the other may be
    /// anything there.
    fn instance(
        &self,
        (theirs, bound): (&Tree<'a>, &[&'a str]),
        (ours, open): (&Tree<'a>, &[&'a str]),
    ) -> Option<Vec<(&'a str, Tree<'a>)>> {
        let is_plain =
            |tree: &Tree<'a>| matches!(&**tree.bare(), Term::Name(name) if !open.contains(name));
        let names = bound.iter().filter(|name| theirs.mentions(name));
        let meant = names.map(|name| Some((*name, theirs.at_place_of(name, ours, &is_plain)?)));
        let meant: Vec<_> = meant.collect::<Option<_>>()?;
        let theirs = theirs.put(&meant)?;
        let open = open.iter().filter(|name| ours.mentions(name));
        let given = open.map(|name| Some((*name, ours.at_place_of(name, &theirs, &|_| true)?)));
        let ours = ours.put(&given.collect::<Option<Vec<_>>>()?)?;
        self.same(&theirs, &ours).then_some(meant)
    }

    fn type_of(&self, name: &str) -> Option<&Tree<'a>> {
        let of = self.asked.iter().find(|one| one.name == name)?.of_type.as_ref();
        of.filter(|of| !matches!(&***of, Term::Sign("_")))
    }

    /// What is known of its variables; one without a type is taken for a natural number.
    fn known(&self) -> Vec<Bound<'a>> {
        let mut known: Vec<Bound<'a>> = Vec::new();
        for one in self.asked.iter().filter(|one| is_named(one)) {
            let natural = || Tree::new(Term::Name("ℕ"));
            let of_type = Some(self.type_of(one.name).map_or_else(natural, Tree::clone));
            let fold = Fold::of_part(How::Meaning, &[], &known);
            let one = Binder { of_type, ..one.clone() };
            known.extend(fold.knows(&one, &[]));
        }
        known
    }

    fn is_natural(&self, name: &str) -> bool {
        let mut types = self.asked.iter().filter(|one| one.name == name);
        types.all(|one| match one.of_type.as_ref().map(|of| &**of.bare()) {
            None | Some(Term::Sign("_")) => true,
            Some(Term::Name(of)) => is_among(of, "ℕ Nat ℕ+ PNat"),
            _ => false,
        })
    }

    /// What it says of its variables.
    fn hypotheses(&self) -> impl Iterator<Item = &Tree<'a>> {
        self.asked.iter().filter_map(|one| {
            let of = one.of_type.as_ref().filter(|of| one.kind != Kind::Instance && asks(of))?;
            let is_variable = one.is_used(&self.asked, &self.goal);
            (!is_variable || is_condition(&words(Some(of)))).then_some(of)
        })
    }

    /// What it assumes, as far as that shows: any type that it names may be a proposition.
    fn conditions(&self) -> Vec<Tree<'a>> {
        let assumed = self.asked.iter().filter_map(|one| {
            let of = one.of_type.as_ref()?;
            let is_class = one.kind == Kind::Instance && of.head() != Some("Fact");
            (!is_class).then(|| conjuncts(held(of)))
        });
        assumed.flatten().collect()
    }

    fn limits(&self, name: &str, conditions: &[Tree<'a>]) -> Limits {
        let mut limits = Limits::default();
        let types = self.asked.iter().filter(|one| one.name == name);
        let types: Vec<_> = types.map(|one| words(one.of_type.as_ref())).collect();
        if matches!(name, "" | "_") || types.iter().any(|of| is_condition(of)) {
            return limits;
        }
        let is_natural = self.is_natural(name);
        limits.is_discrete =
            is_natural || types.iter().all(|of| matches!(of.as_slice(), ["ℤ" | "Int"]));
        limits.least = is_natural.then_some(0);
        let is_it = |tree: &Tree<'a>| matches!(&**tree.bare(), Term::Name(one) if *one == name);
        let all = conditions.iter().filter(|of| of.mentions(name));
        for condition in all.flat_map(compared) {
            let Term::Infix(sign, left, right) = &**condition.bare() else { continue };
            let (sign, left, right) = ordered(sign, left, right);
            let strict = i128::from(sign == "<");
            match sign {
                "∈" if is_it(left) => {
                    if let Some((least, most)) = listed_in(right) {
                        limits.from(Some(least));
                        limits.to(Some(most));
                        limits.is_given = true;
                    }
                }
                "=" | "<" | "≤" if is_it(left) => {
                    limits.is_given |=
                        sign == "=" && (is_constant(right) || number(right).is_some());
                    limits.to(number(right).map(|most| most - strict));
                }
                "=" | "<" | "≤" if is_it(right) => {
                    limits.is_given |= sign == "=" && number(left).is_some();
                    limits.from(number(left).map(|least| least + strict));
                }
                _ => {}
            }
        }
        limits
    }

    /// No numbers meet its hypotheses, or one of them denies another.
    fn is_vacuous(&self, conditions: &[Tree<'a>]) -> bool {
        let is_empty = |one: &Binder<'a>| {
            // `∀ x < 0` may speak of real numbers.
            let limits = self.type_of(one.name).map(|_| self.limits(one.name, conditions));
            let limits = limits.filter(|limits| limits.is_discrete);
            let ends = limits.and_then(|limits| limits.least.zip(limits.most));
            ends.is_some_and(|(least, most)| least > most)
        };
        let has_no_values = |one: &Binder<'a>| {
            let of = words(one.of_type.as_ref().filter(|_| one.kind != Kind::Instance));
            matches!(of.as_slice(), ["Empty" | "PEmpty" | "False"] | ["Fin", "0"])
        };
        self.asked.iter().any(|one| has_no_values(one) || is_empty(one))
            || conditions
                .iter()
                .filter_map(denied)
                .any(|denied| conditions.iter().any(|other| self.same(denied, other)))
    }

    /// Nothing in it is arbitrary: `∃ p, p.Prime ∧ 2 < p`, `Nat.Prime 7`. A number in it is more than an exponent. An
    /// equation in several unknowns may be deep: `∃ x y z : ℤ, x ^ 3 + y ^ 3 + z ^ 3 = 42`.
    fn is_of_numbers(&self) -> bool {
        if !self.asked.is_empty() {
            return false;
        }
        let (goal, mut bound) = (words(Some(&self.goal)), Vec::new());
        bound_in(&self.goal, &mut bound);
        let is_known = |word: &str| {
            let (head, last) = (word.split('.').next().unwrap_or(word), last_part(word));
            is_number(word)
                || is_among(word, OF_NUMBERS)
                || bound.contains(&word)
                || (is_among(last, OF_A_NUMBER)
                    && (head == last || head == "Nat" || head == "Int" || bound.contains(&head)))
        };
        let has_number = goal.iter().enumerate().any(|(at, word)| {
            let is_exponent = at.checked_sub(1).and_then(|at| goal.get(at)) == Some(&"^");
            !is_exponent && is_number(word) && *word != "0"
        });
        bound.len() <= 1 && has_number && goal.iter().all(|word| is_known(word))
    }

    fn finite(&self, conditions: &[Tree<'a>]) -> Option<Triviality> {
        let is_bound = |name: &str| {
            let limits = self.limits(name, conditions);
            limits.is_given
                || (limits.is_discrete && limits.least.is_some() && limits.most.is_some())
        };
        let is_fin = |of: &[&str]| {
            const INFINITE: &str = "ℕ ℤ ℚ ℝ ℂ Nat Int Type Sort";
            let fins = of.windows(2).filter(|pair| pair[0] == "Fin" && is_number(pair[1])).count();
            let all = of.iter().filter(|word| **word == "Fin").count();
            fins > 0 && fins == all && !of.iter().any(|word| is_among(word, INFINITE))
        };
        let (mut counted, mut is_type) = (0, true);
        for one in self.asked.iter().filter(|one| one.kind != Kind::Instance && is_named(one)) {
            let of = words(one.of_type.as_ref());
            let is_dotted = of.iter().any(|word| word.contains('.')) && !is_fin(&of);
            if is_condition(&of) || is_dotted {
                continue;
            }
            if !(is_fin(&of) || is_bound(one.name)) {
                // `hP : Packs G P` cannot be told from a variable, but it speaks of others.
                let mut others = self.asked.iter().filter(|other| is_named(other));
                if others.any(|other| one.mentions(other.name)) {
                    continue;
                }
                return None;
            }
            is_type &= is_fin(&of);
            counted += 1;
        }
        let kind = if is_type { Triviality::FiniteType } else { Triviality::Finite };
        (counted > 0 && !words(Some(&self.goal)).contains(&"∀")).then_some(kind)
    }
}

/// `∃ b : Bool, b = true ↔ P`, whatever `P` is.
fn is_answer(one: &Binding<'_>) -> bool {
    let ([binder], Term::Infix("↔", left, right)) = (one.binders.as_slice(), &**one.body.bare())
    else {
        return false;
    };
    let is_name =
        |tree: &Tree<'_>| matches!(&**tree.bare(), Term::Name(name) if *name == binder.name);
    let is_it = |side: &Tree<'_>| match &**side.bare() {
        Term::Infix("=", of, value) => {
            is_name(of) && value.head().is_some_and(|it| is_among(it, "true false True False"))
        }
        _ => is_name(side),
    };
    let is_any =
        binder.of_type.as_ref().and_then(Term::head).is_some_and(|of| is_among(of, "Bool Prop"));
    is_any
        && ((is_it(left) && !right.mentions(binder.name))
            || (is_it(right) && !left.mentions(binder.name)))
}

/// Seen at once; the prints say more.
fn may_be_same<'a>(one: &Tree<'a>, other: &Tree<'a>) -> bool {
    let is_name = |tree: &Tree<'a>| matches!(&**tree.bare(), Term::Name(_) | Term::Field(..));
    one.bare().is_alike(other.bare()) || (is_name(one) && is_name(other))
}

/// `P` of `¬P`
fn denied<'t, 'a>(tree: &'t Tree<'a>) -> Option<&'t Tree<'a>> {
    match &**tree.bare() {
        Term::Prefix("¬", denied) => Some(denied),
        _ => None,
    }
}

/// A side of `answer(P) ↔ P` without the word `answer`.
fn asked<'t, 'a>(side: &'t Tree<'a>) -> &'t Tree<'a> {
    match &**side.bare() {
        Term::Flat(parts) => match parts.as_slice() {
            [first, of] if matches!(&**first, Term::Sign("answer")) => of.bare(),
            _ => side,
        },
        _ => side,
    }
}

/// Whether a condition is one: that something can be computed is asked of nothing.
fn asks(of: &Tree<'_>) -> bool {
    of.head().is_none_or(|head| !head.starts_with("Decidable") && head != "Fintype")
}

/// A term where values of subtypes stand for what they are of.
fn underlying<'a>(tree: &Tree<'a>, names: &[&'a str]) -> Tree<'a> {
    let is_one =
        |tree: &Tree<'a>| matches!(&**tree.bare(), Term::Name(name) if names.contains(name));
    match &**tree {
        Term::Field(of, "1" | "val") | Term::Prefix("↑", of) if is_one(of) => Tree::clone(of),
        Term::Name(name) => match name.strip_suffix(".val").filter(|name| names.contains(name)) {
            Some(name) => Tree::new(Term::Name(name)),
            None => Tree::clone(tree),
        },
        _ => tree.with_parts(&|tree| underlying(tree, names)),
    }
}

/// Its lexemes, nearly: names, numbers, signs and brackets, in order.
fn words<'a>(tree: Option<&Tree<'a>>) -> Vec<&'a str> {
    fn add<'a>(tree: &Tree<'a>, found: &mut Vec<&'a str>) {
        match &**tree {
            Term::Name(word) | Term::Number(word) | Term::Sign(word) | Term::Sort(word, _) => {
                return found.push(word);
            }
            Term::Infix(sign, left, right) => {
                add(left, found);
                found.push(sign);
                return add(right, found);
            }
            Term::Ascribed(of, of_type) => {
                found.push("(");
                add(of, found);
                found.push(":");
                add(of_type, found);
                return found.push(")");
            }
            Term::Prefix(sign, _) | Term::Listed(sign, _) => found.push(sign),
            Term::Binding(one) => {
                found.push(one.sign);
                found.extend(one.binders.iter().map(|binder| binder.name));
                found.extend(one.over.iter().map(|(sign, _)| *sign));
            }
            Term::Round(_) => found.push("("),
            _ => {}
        }
        tree.has(&mut |part| {
            add(part, found);
            false
        });
        match &**tree {
            Term::Field(_, field) => found.push(field),
            Term::Round(_) | Term::Listed(..) => found.push(")"),
            Term::Binding(_) => found.push(","),
            _ => {}
        }
    }
    let mut found = Vec::new();
    if let Some(tree) = tree {
        add(tree.bare(), &mut found);
    }
    found
}

/// The names that something in a term binds.
fn bound_in<'a>(tree: &Tree<'a>, found: &mut Vec<&'a str>) {
    if let Term::Binding(one) = &**tree {
        found.extend(one.binders.iter().map(|binder| binder.name));
    }
    tree.has(&mut |part| {
        bound_in(part, found);
        false
    });
}

/// How often definitions are unfolded in one another, and in one statement.
const DEPTH: usize = 3;
const MOST_UNFOLDED: usize = 100;

/// The propositions that a file defines, by the last parts of their names.
#[derive(Debug, Default)]
pub struct Meanings<'a> {
    defined: HashMap<&'a str, Vec<Meaning<'a>>>,
    /// Also its classes.
    structures: HashMap<&'a str, Structure<'a>>,
}

#[derive(Debug)]
struct Structure<'a> {
    takes: Vec<&'a str>,
    /// With their types.
    fields: Vec<(&'a str, Tree<'a>)>,
}

#[derive(Debug)]
struct Meaning<'a> {
    of: Abbreviation<'a>,
    written: &'a str,
    /// It speaks of something that is not said where the definition is used.
    is_open: bool,
}

impl<'a> Meanings<'a> {
    pub fn of(text: &'a str, outline: &'a Outline) -> Self {
        let mut variables = None;
        let mut found = Self::default();
        for one in &outline.declarations {
            let (Some(name), Some(written)) = (one.name.as_deref(), one.body(text)) else {
                continue;
            };
            let statement = one.statement(text);
            match one.kind {
                DeclKind::Def | DeclKind::Abbrev if statement.trim_end().ends_with("Prop") => {
                    let around = variables.get_or_insert_with(|| self::variables_of(text, outline));
                    let meaning = Meaning::read(name, statement, written, around);
                    found.defined.entry(last_part(name)).or_default().extend(meaning);
                }
                DeclKind::Structure | DeclKind::Class => {
                    let takes = explicit(&signature(statement).0.binders);
                    let structure = Structure { takes, fields: fields(written) };
                    found.structures.insert(last_part(name), structure);
                }
                _ => {}
            }
        }
        found
    }

    /// That of the only definition with this name.
    fn meaning_of(&self, word: &str) -> Option<&Meaning<'a>> {
        let mut found = self.defined.get(last_part(word))?.iter();
        found.next().filter(|one| found.next().is_none() && is_or_ends_in(one.of.name, word))
    }

    /// What a variable of a type of the file brings along: the types of its fields, which name one another.
    fn fields_of(&self, owner: &Binder<'a>) -> Vec<Tree<'a>> {
        let of_type = owner.of_type.as_ref().map(|of| held(of).bare());
        let structure = of_type.and_then(|of| self.structures.get(last_part(head(of)?)));
        let Some((of_type, structure)) = of_type.zip(structure) else { return Vec::new() };
        let given = match &**of_type {
            Term::Apply(_, of) => of.as_slice(),
            _ => &[],
        };
        let takes =
            structure.takes.iter().zip(given).filter(|_| given.len() == structure.takes.len());
        let mut meant: Vec<_> = takes.map(|(name, of)| (*name, Tree::clone(of))).collect();
        if is_named(owner) {
            let name = Tree::new(Term::Name(owner.name));
            let own = |(field, _): &(&'a str, _)| {
                (*field, Tree::new(Term::Field(Tree::clone(&name), field)))
            };
            meant.extend(structure.fields.iter().map(own));
        }
        structure.fields.iter().filter_map(|(_, of)| of.put(&meant)).collect()
    }

    /// A statement with the `variable`s that it takes in, if one of them assumes something: a hypothesis, a class of
    /// the file or one that says something: `Fact p.Prime`.
    pub fn with_assumed(
        &self,
        declaration: &Declaration,
        text: &str,
        spelled: &str,
    ) -> Option<String> {
        let statement = declaration.statement(text);
        let name = declaration.name_span.as_ref()?.end - declaration.statement_span.start;
        let (name, own) = statement.split_at_checked(name)?;
        let all = lexemes(spelled);
        let own_from = all.get(all.len().checked_sub(lexemes(own).len())?)?.start();
        let taken = spelled.get(..own_from)?;
        let assumes = signature(taken).0.binders.iter().any(|one| {
            let Some(of) = &one.of_type else { return false };
            let head = of.head().map_or("", last_part);
            let says = match one.kind {
                Kind::Instance => is_proposition(head),
                _ => is_condition(&words(Some(of))),
            };
            says || self.defined.contains_key(head) || self.structures.contains_key(head)
        });
        assumes.then(|| format!("{name} {} {}", taken.trim(), own.trim_start()))
    }

    /// A statement with what its file says of what it speaks of; `None` where that is nothing.
    fn unfolded_in(&self, said: &Said<'a>) -> Option<Said<'a>> {
        let asked = said.asked.get(..said.outer)?;
        let all = || asked.iter().filter_map(|one| one.of_type.as_ref()).chain([&said.claim]);
        let is_empty = self.defined.is_empty() && self.structures.is_empty();
        if is_empty || !all().any(|tree| self.knows(tree)) {
            return None;
        }
        let left = Cell::new(MOST_UNFOLDED);
        let unfold = |tree: &Tree<'a>| self.unfolded(tree, DEPTH, &left);
        let binders = asked.iter().map(|one| one.with_parts(&unfold)).collect();
        let mut unfolded = Said::of(binders, unfold(&said.claim));
        let fields: Vec<_> = unfolded.asked.iter().flat_map(|one| self.fields_of(one)).collect();
        unfolded.asked.extend(fields.iter().map(|of| unnamed(unfold(of))));
        let names = all().flat_map(|tree| words(Some(tree)));
        unfolded.owners = names.filter_map(|name| Some(name.split_once('.')?.0)).collect();
        Some(Said { is_guess: said.is_guess, ..unfolded })
    }

    /// Whether a term speaks of something that the file defines.
    fn knows(&self, tree: &Tree<'a>) -> bool {
        match &**tree {
            Term::Name(name) => {
                let last = last_part(name);
                self.structures.contains_key(last) || self.defined.contains_key(last)
            }
            _ => tree.has(&mut |part| self.knows(part)),
        }
    }

    fn unfolded(&self, tree: &Tree<'a>, depth: usize, left: &Cell<usize>) -> Tree<'a> {
        tree.unfolded(&|name| {
            let meaning =
                self.meaning_of(name).filter(|it| depth > 0 && !it.is_open && left.get() > 0)?;
            left.set(left.get() - 1);
            let is = self.unfolded(&meaning.of.is, depth - 1, left);
            Some(Abbreviation { is, ..meaning.of.clone() })
        })
    }

    /// A claim that is nothing but a proposition which says nothing of what it is given, or speaks through one that is
    /// true of anything.
    fn is_ignoring(&self, goal: &Tree<'a>) -> bool {
        let all = words(Some(goal));
        // Before an arrow it asks for nothing, and the rest says more.
        let is_plain = !all.iter().any(|word| ["→", "↔", "¬"].contains(word));
        let mut defined = all.iter().filter_map(|word| self.meaning_of(word));
        let is_true = |tree: &Tree<'a>| Said::default().is_true(tree);
        if is_plain && defined.any(|one| !one.of.takes.is_empty() && is_true(&one.of.is)) {
            return true;
        }
        let Term::Apply(head, given) = &**goal.bare() else { return false };
        let meaning = head.head().and_then(|name| self.meaning_of(name)).map(|one| &one.of);
        meaning.filter(|of| of.takes.len() == given.len()).is_some_and(|of| {
            of.takes.iter().any(|name| !name.starts_with('_') && !of.is.mentions(name))
        })
    }

    /// The number at which a claim is nothing but a proposition of the file: 2 of `Claim 2`.
    pub fn at_a_number(&self, statement: &str) -> Option<String> {
        let goal = Said::read(statement).goal;
        let Term::Apply(head, given) = &**goal.bare() else { return None };
        self.meaning_of(head.head()?)?;
        given.iter().find_map(number).map(|number| number.to_string())
    }

    /// `Name := body` for the first of them in a claim that is hardly more than its name.
    pub fn told(&self, statement: &str) -> Option<String> {
        const FEW: usize = 8;
        let goal = words(Some(&Said::read(statement).goal));
        let (name, meaning) = goal
            .iter()
            .filter(|_| goal.len() <= FEW)
            .find_map(|word| Some((last_part(word), self.meaning_of(word)?)))?;
        let body = text::one_line(meaning.written.trim_start_matches(":="));
        Some(text::clean(&format!("{name} := {}", body.trim())))
    }
}

impl<'a> Meaning<'a> {
    fn read(
        name: &'a str,
        statement: &'a str,
        written: &'a str,
        around: &[Binder<'a>],
    ) -> Option<Self> {
        let (Signature { binders, conclusion, .. }, _) = signature(statement);
        let lexemes = lexemes(written);
        let tokens = Tokens::read(written, &lexemes);
        if conclusion.head() != Some("Prop")
            || matches!(tokens.spelling(0), "by" | "|" | "where" | "")
        {
            return None;
        }
        let is = read(&tokens, &|parser| parser.proposition(0..tokens.len())).0.conclusion;
        let takes = explicit(&binders);
        let around = around.iter().filter(|one| binders.iter().all(|own| own.name != one.name));
        let implicit = binders.iter().filter(|one| !takes.contains(&one.name));
        let mut fold = Fold::new(How::Claim, &[], &[]);
        fold.print(&is);
        let speaks_of = |name: &str| {
            let mut free = fold.free.iter();
            !name.is_empty() && free.any(|word| word.split('.').next() == Some(name))
        };
        let is_open = around.chain(implicit).any(|one| {
            let is_type =
                one.of_type.as_ref().is_none_or(|of| matches!(&**of.bare(), Term::Sort(..)));
            !is_type && speaks_of(one.name)
        });
        Some(Self { of: Abbreviation { name, takes, is }, written, is_open })
    }
}

fn explicit<'a>(binders: &[Binder<'a>]) -> Vec<&'a str> {
    binders.iter().filter(|one| one.kind == Kind::Explicit).map(|one| one.name).collect()
}

/// What the `variable`s of a file bind.
fn variables_of<'a>(text: &'a str, outline: &Outline) -> Vec<Binder<'a>> {
    let mut found = Vec::new();
    let mut at = 0;
    for span in outline.declarations.iter().map(|one| one.span.clone()) {
        let between = at..span.start;
        at = at.max(span.end);
        if !text.get(between.clone()).is_some_and(|between| between.contains("variable")) {
            continue;
        }
        let lexemes = part(text, &between);
        let tokens = Tokens::read(text, &lexemes);
        for start in (0..tokens.len()).filter(|at| tokens.spelling(*at) == "variable") {
            let mut end = start + 1;
            while let Some(close) = tokens.closer(end) {
                end = close + 1;
            }
            found.extend(Parser::new(&tokens).signature(start + 1..end).binders);
        }
    }
    found
}

/// A structure's fields: each begins a line, as far to the right as the first.
fn fields(body: &str) -> Vec<(&str, Tree<'_>)> {
    let all = lexemes(body);
    let begins = |one: &&Sig| one.first && one.text(body) != "where";
    let margin = all.iter().filter(begins).map(Sig::column).min();
    let starts: Vec<usize> = (0..all.len())
        .filter(|at| all.get(*at).is_some_and(|one| begins(&one) && Some(one.column()) == margin))
        .chain([all.len()])
        .collect();
    let tokens = Tokens::read(body, &all);
    let field = |ends: &[usize]| {
        let range = *ends.first()?..*ends.last()?;
        let end = tokens.find(range.clone(), ":=").unwrap_or(range.end);
        let (of, _) = read(&tokens, &|parser| parser.signature(range.start..end));
        let (names, binders): (Vec<_>, Vec<_>) =
            of.binders.into_iter().partition(|one| !of.has_colon || one.of_type.is_none());
        let all = Binding { sign: "∀", body: of.conclusion, binders, ..Binding::default() };
        let whole = if all.binders.is_empty() {
            Tree::clone(&all.body)
        } else {
            Tree::new(Term::Binding(all))
        };
        Some(
            names
                .into_iter()
                .map(move |one| (one.name, one.of_type.unwrap_or_else(|| Tree::clone(&whole)))),
        )
    };
    starts.windows(2).filter_map(field).flatten().collect()
}

/// What a condition says: `a ≤ x` and `x < b` of `x ∈ Set.Ico a b`.
fn compared<'a>(condition: &Tree<'a>) -> Vec<Tree<'a>> {
    let inside = match &**condition.bare() {
        Term::Infix("∈", x, set) => sides(x, set),
        _ => None,
    };
    inside.map_or_else(|| vec![Tree::clone(condition.bare())], |inside| conjuncts(&inside))
}

/// A hypothesis has a relation in its type, a variable has not.
pub fn is_condition(of: &[&str]) -> bool {
    of.iter().any(|word| is_among(word, "= < ≤ > ≥ ∈ ≠ ∣ ¬ ∧ ∨ ↔ ∃ ⊆"))
}

/// A class is, by the custom of Mathlib.
fn is_proposition(class: &str) -> bool {
    let is = class.strip_prefix("Is").and_then(|rest| rest.chars().next());
    is.is_some_and(char::is_uppercase) || is_among(class, "Fact Nontrivial Infinite Finite")
}

/// What a type applies, whatever its universes are.
fn head<'a>(of_type: &Tree<'a>) -> Option<&'a str> {
    match &**of_type.bare() {
        Term::Apply(of, _) | Term::Levels(of, _) => head(of),
        _ => of_type.head(),
    }
}

/// What is assumed by `Nonempty P`, `PLift P`, `Fact P`.
fn held<'t, 'a>(of: &'t Tree<'a>) -> &'t Tree<'a> {
    match &**of.bare() {
        Term::Apply(head, parts) => match (head.head(), parts.as_slice()) {
            (Some("Nonempty" | "PLift" | "Fact" | "Inhabited"), [one]) => held(one),
            _ => of,
        },
        _ => of,
    }
}

/// What stands between the `∧` of a hypothesis.
fn conjuncts<'a>(tree: &Tree<'a>) -> Vec<Tree<'a>> {
    match &**tree.bare() {
        Term::Infix("∧", left, right) => [conjuncts(left), conjuncts(right)].concat(),
        _ => vec![Tree::clone(tree.bare())],
    }
}

/// A value that needs no variable to be told: `∅`, `⊤`, `Set.univ`.
fn is_constant(tree: &Tree<'_>) -> bool {
    match &**tree.bare() {
        Term::Sign(sign) => is_among(sign, "∅ ⊥ ⊤"),
        Term::Name(name) => last_part(name) == "univ",
        _ => false,
    }
}

/// The value of a numeral, `-5` or `10 ^ 6`.
fn number(tree: &Tree<'_>) -> Option<i128> {
    const LARGEST: i128 = 1 << 100;
    let value = match &**tree.bare() {
        Term::Prefix("-", of) => -number(of)?,
        Term::Infix("^", base, power) => {
            number(base)?.checked_pow(u32::try_from(number(power)?).ok()?)?
        }
        Term::Number(digits) => digits.replace('_', "").parse().ok()?,
        _ => return None,
    };
    (value.abs() < LARGEST).then_some(value)
}

/// The least and the greatest of `{3, 5, 7}`, perhaps with its type.
fn listed_in(set: &Tree<'_>) -> Option<(i128, i128)> {
    match &**set.bare() {
        Term::Ascribed(set, _) => listed_in(set),
        Term::Listed("{", parts) => {
            let numbers = parts.iter().map(number).collect::<Option<Vec<i128>>>()?;
            Some((*numbers.iter().min()?, *numbers.iter().max()?))
        }
        _ => None,
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().next().is_some_and(|first| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::Triviality::{
        Assumed, ExcludedMiddle, Finite, FiniteType, Ignored, Numbers, Tautology, True, Vacuous,
    };
    use super::*;

    #[test]
    fn what_settles_nothing() {
        for (statement, expected) in [
            ("theorem a : Foo ∨ ¬ Foo", Some(ExcludedMiddle)),
            ("theorem a (n : ℕ) : ¬(Foo n) ∨ Foo n", Some(ExcludedMiddle)),
            ("theorem a : (∀ n, Foo n) ∨ ¬ (∀ n, Foo n)", Some(ExcludedMiddle)),
            ("theorem a : Foo ∨ ¬ Bar", None),
            ("theorem a : answer(Foo) ↔ Foo", Some(Tautology)),
            ("theorem a : answer(∃ n, Foo n) ↔\n    ∃ n, Foo n", Some(Tautology)),
            ("theorem a : answer(True) ↔ Foo", None),
            ("theorem a : Foo ↔ Foo := by", Some(Tautology)),
            ("theorem a (x : ℕ) : x + 1 = x + 1", Some(Tautology)),
            ("theorem a (x : ℕ) : x + 1 = 1 + x", None),
            ("theorem a : ∃ x, x = x ∧ Foo x", None),
            ("theorem a : ∀ a b c : ℕ, a = a ∨ b = c", Some(Tautology)),
            ("theorem a : ¬ (False)", Some(Tautology)),
            ("theorem a : ∀ n, n ≤ n ∧ (Foo n → True)", Some(Tautology)),
            ("theorem a (x : ℕ) : ¬ (∃ y, Foo y ∧ y < y)", Some(Tautology)),
            ("theorem a : ∀ n, n ≤ n ∧ Foo n", None),
            ("theorem a : ¬ a = a ∨ Foo", None),
            ("theorem a : Foo ∧ False → False ∨ Foo", Some(Tautology)),
            ("theorem a : Foo ∨ ∀ x, Bar x → True", Some(Tautology)),
            ("theorem a : Foo ∨ ∃ x, Bar x → Foo", None),
            ("lemma a {n : ℕ} (h : 0 < n) : True", Some(True)),
            ("theorem a (h : ∀ n, Foo n) : ∀ n, Foo n", Some(Assumed)),
            ("theorem a (h : Foo) : (Foo)", Some(Assumed)),
            ("theorem a : Foo → Foo", Some(Assumed)),
            (
                "theorem a (h : ∀ k > 0, ∃ M : Matrix (Fin (4 * k)), Foo M) (n : ℕ) (hn : 0 < n) :\n    \
                 ∃ M : Matrix (Fin (4 * n)), Foo M",
                Some(Assumed),
            ),
            ("theorem a (h : ∀ k : ℕ, 2 < k → Foo k) (n : ℕ) (hn : n > 2) : Foo n", Some(Assumed)),
            ("theorem a (h : ∀ k, Foo k) (n : ℕ) : Foo n", Some(Assumed)),
            ("theorem a (n : ℕ) (ih : ∀ m < n, Foo m) : Foo n", None),
            ("theorem a (n : ℕ) (ih : ∀ m, 3 < m → Foo m) (hn : 2 < n) : Foo n", None),
            ("theorem a (h : ∀ k, Foo k k) (n m : ℕ) : Foo n m", None),
            ("theorem a (h : ∀ k, Foo k) (n : ℕ) : Foo (n + 1)", None),
            ("theorem a (n : ℕ) (h : Foo n) : Foo (n + 1)", None),
            ("theorem a (n : ℕ) (hn : n = 7) : Foo n", Some(Finite)),
            ("theorem a : ∀ n < 40, Foo n", Some(Finite)),
            ("theorem a : ∀ n ≤ 40, n.Prime → Foo n", Some(Finite)),
            ("theorem a : ∀ n ∈ Finset.range 300, Foo n", Some(Finite)),
            ("theorem a (n : ℕ) (h : n ∈ Finset.Icc 1 9) : Foo n", Some(Finite)),
            ("theorem a (n : ℕ) (h : n ∈ Set.Icc 1 9) : Foo n", Some(Finite)),
            ("theorem a (n : ℕ) (h : n ∈ Set.Iio 9) : Foo n", Some(Finite)),
            ("theorem a (n : ℕ) (h : 1 < n ∧ n < 10 ^ 6) : Foo n", Some(Finite)),
            ("theorem a (n : ℕ) (h : 1000 ≥ n) : Foo n", Some(Finite)),
            ("theorem a (n : ℤ) (h : -3 ≤ n) (h' : n ≤ 3) : Foo n", Some(Finite)),
            ("theorem a (n : ℤ) (h : n ≤ 3) : Foo n", None),
            ("theorem a (x : ℝ) (h : 0 ≤ x) (h' : x ≤ 1) : Foo x", None),
            ("theorem a (x : ℝ) (h : x ∈ Set.Icc 0 1) : Foo x", None),
            ("theorem a (C : ℝ) (h : C = 1) : Foo C", Some(Finite)),
            ("theorem a (F : Finset X) (h : F = ∅) : Foo F", Some(Finite)),
            ("theorem a (F H : Finset X) (h : F = H) : Foo F", None),
            ("theorem a (n : ℕ) (h : n < 0) : Foo n", Some(Vacuous)),
            ("theorem a (n : ℕ) (h : n < 5) (h' : 7 < n) (k : ℕ) : Foo n k", Some(Vacuous)),
            ("theorem a (n : ℕ) (h : Bar n) (h' : ¬ Bar n) : Foo n", Some(Vacuous)),
            ("theorem a (x : ℝ) (h : x < 0) : Foo x", None),
            ("theorem a (x : ℝ) (h : 0 < x) (h' : x < 1) : Foo x", None),
            ("theorem a : ∃ p, p.Prime ∧ 2 < p", Some(Numbers)),
            ("theorem a : Nat.Prime 7", Some(Numbers)),
            ("theorem a : (1 / 2 : ℚ) + 1 / 3 < 1", Some(Numbers)),
            ("theorem a : True ↔ (P n ∨ True)", Some(Tautology)),
            ("theorem a [Fact (Foo n)] : Foo n", Some(Assumed)),
            ("theorem a [Fact n.Prime] : Foo n", None),
            ("theorem a (h : Foo n ∧ True) : Foo n", Some(Assumed)),
            ("theorem a (h : ¬Foo n → False) : Foo n", Some(Assumed)),
            ("theorem a (h : ∀ n, ∀ _ : 2 < n, Foo n) (n : ℕ) (hn : 2 < n) : Foo n", Some(Assumed)),
            ("theorem a : ∀ n ∈ ({3, 5, 7} : Finset ℕ), Foo n", Some(Finite)),
            ("theorem a : ∀ n ∈ ({k, 5} : Finset ℕ), Foo n", None),
            ("theorem a (n : Empty) : Foo n", Some(Vacuous)),
            ("theorem a : False ↔ P n ∧ False", Some(Tautology)),
            ("theorem a : True ↔ P n", None),
            ("theorem a (T : Tree) : (∃ f, Bound T f) ∨ ∃ f, ¬ Bound T f", Some(Tautology)),
            ("theorem a (T : Tree) : (∃ f, Bound T f) ∨ ∃ f, ¬ Bound f T", None),
            ("theorem a : ∃ C : ℝ, P C ∨ C = C", Some(Tautology)),
            ("theorem a : ∃ x : Foo, x = x", None),
            ("theorem a {V : Type*} [Nonempty V] (G : Graph V) : ∃ v : V, True", Some(Tautology)),
            ("theorem a {V : Type*} (G : Graph V) : ∃ v : V, G.Adj v v ∨ v = v", Some(Tautology)),
            ("theorem a {V : Type*} (G : Graph V) : ∃ v : V, G.Adj v v", None),
            ("theorem a : ∃ v : Counterexample, True", None),
            ("theorem a (h : ∀ k ≤ n, Foo k) : Foo n", Some(Assumed)),
            ("theorem a (h : ∀ k < n, Foo k) : Foo n", None),
            (
                "theorem a (f : ℕ → ℕ) (h : ∀ n, 1 ≤ n → P n (f n)) : ∀ n ≥ 1, ∃ k, P n k",
                Some(Assumed),
            ),
            ("theorem a (h : ∃ f : ℕ → ℕ, ∀ n, P n (f n)) (n : ℕ) : ∃ k, P n k", Some(Assumed)),
            (
                "theorem a (f : ℕ → ℕ) (h : ∀ n, n < f n ∧ P n) : ∀ n, ∃ k, n < k ∧ P n",
                Some(Assumed),
            ),
            ("theorem a (h : ∀ n, n ≠ 0 → P n) : ∀ n ≥ 1, P n", Some(Assumed)),
            ("theorem a (h : ∀ x : ℝ, 1 ≤ x → P x) : ∀ x : ℝ, 0 < x → P x", None),
            (
                "theorem a (h : ∀ N, ∀ n ∈ Finset.Icc 1 N, P n) (n : ℕ) (hn : 0 < n) : P n",
                Some(Assumed),
            ),
            (
                "theorem a (h : ∀ A B : Set ℕ, ∃ x, Q A B x) : (∀ I J : Set ℕ, ∃ y, Q I J y)",
                Some(Assumed),
            ),
            ("theorem a (h : ∀ A B : Set ℕ, ∃ x, Q A B x) : (∀ I J : Set ℤ, ∃ y, Q I J y)", None),
            ("theorem a (h : ∃ A B : Set ℕ, Q A B) : ∃ I J : Set ℕ, Q J I", None),
            ("theorem a (h : ∀ N, ∀ n < N, P n) : ∀ n, P n", Some(Assumed)),
            ("theorem a (h : ¬∃ n, P n ∧ ¬Q n) (n : ℕ) (hn : P n) : Q n", Some(Assumed)),
            (
                "theorem a (h : ¬∃ n, ∃ k, P n ∧ R k ∧ ¬Q n k) : ∀ n k, P n → R k → Q n k",
                Some(Assumed),
            ),
            ("theorem a (h : ¬∃ n, P n ∧ ¬Q n) (n : ℕ) : Q n", None),
            (
                "theorem a (n : ℕ) (hn : Odd n) (L : Sq n) (h : ∀ m, Odd m → ∀ M : Sq m, P M) : P L",
                Some(Assumed),
            ),
            ("theorem a (n : ℕ) (L : Sq n) (h : ∀ m, Odd m → ∀ M : Sq m, P M) : P L", None),
            (
                "theorem a (h : ¬∃ (n : ℕ) (G : Foo (Fin n)) (_ : DecidableRel G.R), P G ∧ ¬Q G) : \
                 ∀ (n : ℕ) (G : Foo (Fin n)) [DecidableRel G.R], P G → Q G",
                Some(Assumed),
            ),
            ("theorem a : ∃ b : Bool, b = true ↔ Foo", Some(Tautology)),
            ("theorem a : ∃ p : Prop, Foo ↔ p", Some(Tautology)),
            ("theorem a : ∃ n : ℕ, n = 1 ↔ Foo n", None),
            ("theorem a (h : ∀ N, N < 9 → ∀ n < N, P n) : ∀ n, P n", None),
            ("theorem a (h : ∀ n, n.Prime → ∃ k, P n k) : ∀ n, ∃ k, P n k", None),
            ("theorem a (h : ∀ n, P n 0) : ∀ n, ∃ k > 0, P n k", None),
            ("theorem a (h : ∀ n, ∃ k, P n k) (n k : ℕ) : ∃ m, P k m ∧ P n k", None),
            ("theorem a (f : ℕ → ℕ) (h : ∀ n, P n (f n)) : ∀ n, ∃ k, P k n", None),
            ("theorem a (h : Nonempty (PLift Foo)) : Foo", Some(Assumed)),
            ("theorem a (h : Nonempty V) : Foo V", None),
            ("theorem a : ∃ x y z : ℤ, x ^ 3 + y ^ 3 + z ^ 3 = 42", None),
            ("theorem a : ∃ x y z : ℕ, 0 < x ∧ x ^ 2 + y ^ 2 = z ^ 2", None),
            ("theorem a : ∃ n, Foo n ∧ 2 < n", None),
            ("theorem a : ¬ ∃ n, n.Prime ∧ 7 < n", None),
            ("theorem a : ∃ C, ∀ n, n < C ∨ 2 < n", None),
            ("theorem a (f : ℕ → ℕ) : ∃ n, 2 < n", None),
            ("theorem a : ∀ c : Fin 9 → Fin 2, ∃ u v : Fin 9, c u = c v", Some(FiniteType)),
            ("theorem a (G : SimpleGraph (Fin 9)) [DecidableRel G.Adj] : Foo G", Some(FiniteType)),
            ("theorem a (G : SimpleGraph (Fin 9)) (hk : Packs G) (k : ℕ) : Foo G k", None),
            ("theorem a (n : ℕ) (hn : 7 < n) : Foo n", None),
            ("theorem a (n : ℕ) (hn : n < m) : Foo n", None),
            ("theorem a {V : Type*} [Fintype V] (G : SimpleGraph V) : Foo G", None),
            ("theorem a (n k : ℕ) (hk : k = 4) : Foo n k", None),
            ("theorem a {V W : Type*} (e : V ≃ W) : size V = size W", None),
            ("theorem a (f : P → C) (g : ¬P → C) : pick f g = pick g f", None),
            ("theorem a (h : ∀ x, P x) : ∀ᵐ x ∂μ, P x", None),
            ("theorem a (h : ∀ᶠ n in atTop, P n) (n : ℕ) : P n", None),
            ("theorem a (x y : ℕ) (h : ∀ᵉ (x ∈ S) (y ∈ T), P x y) (hx : x ∈ S) : P x y", None),
            (
                "theorem a (h : ∀ᵉ (s ∈ S) (t ∈ T), P s t) (x y : ℕ) (hx : x ∈ S) (hy : y ∈ T) : P x y",
                Some(Assumed),
            ),
            ("theorem a (i : ℕ) (h : ∀ j ≠ i, P j) : P i", None),
            ("theorem a (x : Circle) (h : ∀ t : ℝ, P t) : P x", None),
            ("theorem a (α : Type*) (h : ∀ (β : Type*) [Small β], P β) : P α", None),
            (
                "theorem a (α : Type*) [Small α] (h : ∀ (β : Type*) [Small β], P β) : P α",
                Some(Assumed),
            ),
            ("theorem a (x : ℕ) (h : P x) : ∀ x, P x", None),
            ("theorem a (h : ∃ y, Q y) : ∃! y, Q y", None),
            ("theorem a (h : Q) : let F : ℕ → ℕ := id; Q", None),
            ("theorem a (w : T) : (∃ f, P f ∧ Q f w) ∨ ∃ f, ¬P f ∧ Q f w", None),
            ("theorem a : ∀ n, Foo n", None),
            ("theorem a : Foo", None),
            ("theorem a", None),
            ("", None),
        ] {
            assert_eq!(triviality(statement), expected, "{statement}");
        }
    }

    #[test]
    fn a_given_or_bounded_number_makes_a_special_case() {
        for (statement, expected) in [
            ("theorem a (n k : ℕ) (hk : k = 4) : Foo n k", true),
            ("theorem a (C : ℝ) (x : ℝ) (h : C = 1) : Foo C x", true),
            ("theorem a (n k : ℕ) (hk : k ≤ 4) : Foo n k", true),
            ("theorem a (x y : ℝ) (h : x ≤ 1) : Foo x y", false),
            ("theorem a (n k : ℕ) (hk : 4 < k) : Foo n k", false),
            ("theorem a (n : ℕ) (h : n % 24 = 1) : Foo n", true),
            ("theorem a : ∀ n : ℕ, n ≡ 3 [MOD 4] → Foo n", true),
            ("theorem a (p : ℂ[X]) (hp : p.natDegree = 3) : Foo p", true),
            ("theorem a (h : Module.finrank ℝ V = 2) : Foo V", true),
            ("theorem a (V) [Fintype V] (h : Fintype.card V = 4) : Foo V", true),
            ("theorem a (s : Finset V) (h : s.card = 4) : Foo s", false),
            ("theorem a (A : Fin 4 → Fin 4 → Prop) : Foo A", true),
            ("theorem a (A : Fin n → Fin n → Prop) : Foo A", false),
            ("theorem a (h : Module.finrank ℝ V = n) : Foo V", false),
            ("theorem a (n : ℕ) (h : n % 2 = 1) : Foo n", false),
            ("theorem a (n : ℕ) (h : n % 24 ≠ 1) : Foo n", false),
            ("theorem a (n m : ℕ) (h : n % m = 1) : Foo n", false),
            ("theorem a (n k : ℕ) (hk : k < n) : Foo n k", false),
            ("theorem a (G : SimpleGraph (Fin 7)) : Foo G", true),
            ("theorem a : ∀ 𝓕 : Finset (Finset (Fin 4)), Foo 𝓕", true),
            ("theorem a (n : ℕ) (G : SimpleGraph (Fin n)) : Foo G", false),
            ("theorem a (x : Fin 2 → ℝ) : Foo x", false),
        ] {
            assert_eq!(is_special_case(statement), expected, "{statement}");
        }
    }

    #[test]
    fn definitions_of_the_file_are_unfolded() {
        let file = "def Beal : Prop := ∀ a b c : ℕ, a = a ∨ b = c\n\
                    def Bad (x y : ℤ) : Prop := False\n\
                    def Deep (n : ℕ) : Prop := ¬ Bad n (n + 1)\n\
                    def Holds (P : Prop) : Prop := P ↔ P\n\
                    def Fine (n : ℕ) : Prop := n < 2 ^ n\n\
                    def Empty (s : Finset ℕ) : Prop := True\n\
                    def Loop : Prop := ¬ Loop\n\
                    def Free (G : Graph) : Prop := ∀ a b, a ≠ b → ¬ (G.Adj a b ∧ G.Adj b a)\n\
                    def Cycle (G : Graph) : Prop := ∃ k l : ℕ, l = 2 ^ k\n\
                    def Count (n : ℕ) : ℕ := n\n\
                    structure Setting (n : ℕ) : Prop where\n  -- kept\n  pos : 0 < n\n  \
                    main : ∀ k : ℕ,\n    Big k n\n\
                    class Given where\n  all : ∀ n, Fine n\n\
                    def Works (n k : ℕ) : Prop := n ∣ k ^ 2\n\
                    structure Input where\n  witness : ℕ → ℕ\n  works : ∀ n ≥ 1, Works n (witness n)\n\
                    def Nil (s : Set ℕ) : Prop := ∀ x ∈ s, Good x\n\
                    def Both : Prop := ∀ s t : Set ℕ, Nil s → Nil t → Nil (s ∪ t)\n\
                    structure Family (n : ℕ) where\n  F : Finset ℕ\n  (lo hi : ℕ)\n  main : ∀ x ∈ F, Big x lo\n";
        let outline = crate::lean::outline(file);
        let meanings = Meanings::of(file, &outline);
        for (statement, expected) in [
            ("theorem main : Beal", Some(Tautology)),
            ("theorem main (x y : ℤ) : ¬ Bad x y", Some(Tautology)),
            ("theorem main (x : ℤ) : ¬ Bad x", None),
            ("theorem main : ∀ n, Deep n", Some(Tautology)),
            ("theorem main (n : ℕ) : Holds (Fine n)", Some(Tautology)),
            ("theorem main (n : ℕ) : Fine n", None),
            ("theorem main : Loop", None),
            ("theorem main (G : Graph) (h : 3 ≤ G.minDegree) : Cycle G", Some(Ignored)),
            ("theorem main (G : Graph) : Cycle G ∧ Fine 3", None),
            ("theorem main (G : Graph) (h : Free G) : Free G", Some(Assumed)),
            ("theorem main (G : Graph) (h : Free G) : Free (G.induce {v}ᶜ)", None),
            ("theorem main (G H : Graph) (h : Free G) : Free H", None),
            ("theorem main (n : ℕ) : Count n = n", None),
            ("theorem main (n k : ℕ) (h : Setting n) : Big k n", Some(Assumed)),
            ("theorem main (m : ℕ) (h : Setting m) : ∀ k : ℕ, Big k m", Some(Assumed)),
            ("theorem main (n k : ℕ) (h : Setting n) : Big n k", None),
            ("theorem main (n : ℕ) [Given] : Fine n", Some(Assumed)),
            ("theorem main (D : Family 3) : ∀ x ∈ D.F, Big x D.lo", Some(Assumed)),
            ("theorem main (D : Family 3) (x : ℕ) (hx : x ∈ D.F) : Big x D.lo", Some(Assumed)),
            ("theorem main (D : Family 3) : ∀ x ∈ D.F, Big x D.hi", None),
            ("theorem main (D E : Family 3) : ∀ x ∈ D.F, Big x E.lo", None),
            ("theorem main (F : {F // Closed F ∧ Dense F}) : Dense F.1", Some(Assumed)),
            ("theorem main (F : {F : Finset ℕ // Closed F}) (x : ℕ) : Closed F.val", Some(Assumed)),
            ("theorem main (n : {n : ℕ // 0 < n ∧ Fine n}) : Fine n.1", Some(Assumed)),
            ("theorem main (F : {F // Closed F}) : Dense F.1", None),
            ("theorem main (F G : {F // Closed F}) (h : Dense G.1) : Dense F.1", None),
            ("theorem main (h : Nonempty (PLift Given)) : ∀ n, Fine n", Some(Assumed)),
            ("theorem main (n : ℕ) : ∃ s, Empty s ∧ Fine n", Some(Ignored)),
            ("theorem main (n : ℕ) : (∀ s, Empty s → Big s n) ∧ Fine n", None),
            ("theorem main (n : ℕ) [g : Given] : Fine n ∧ 0 < n", None),
            ("theorem main (h : ∀ a b : Set ℕ, Nil a → Nil b → Nil (a ∪ b)) : Both", Some(Assumed)),
            ("theorem main (h : ∀ a b : Set ℕ, Nil a → Nil b → Nil (a ∩ b)) : Both", None),
            ("theorem main (d : Input) : ∀ n ≥ 1, ∃ k, Works n k", Some(Assumed)),
            ("theorem main (d : Input) : ∀ n ≥ 1, ∃ k, Works k n", None),
        ] {
            assert_eq!(triviality_in(statement, &meanings), expected, "{statement}");
        }
        let file = "variable (A : Set ℕ)\n\ndef Thin (s : ℕ) : Prop := s ∈ A\n\
                    def Least (a : ℕ) : Prop := ∀ b, b ≤ a → a ≤ b\n\
                    namespace Sheaf\ndef Good (n : ℕ) : Prop := 0 < n\nend Sheaf\n";
        let outline = crate::lean::outline(file);
        let meanings_elsewhere = Meanings::of(file, &outline);
        for statement in [
            "theorem main (A B : Set ℕ) (s : ℕ) (h : A.Thin s) (hAB : A ⊆ B) : B.Thin s",
            "theorem main (b : ℕ) : Least b",
            "theorem main (n : ℕ) : Sheaf.Good n ↔ Presheaf.Good n",
        ] {
            assert_eq!(triviality_in(statement, &meanings_elsewhere), None, "{statement}");
        }
        let told = meanings.told("theorem main (n : ℕ) : Fine n");
        assert_eq!(told.as_deref(), Some("Fine := n < 2 ^ n"));
        assert_eq!(meanings.told("theorem main (n : ℕ) : n < 2 ^ n"), None);
    }
}
