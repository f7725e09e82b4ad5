//! How two statements differ.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::rc::Rc;

use super::classes::is_wider;
use super::fold::{Bound, Fold, How, ordered, sides, within};
use super::predicates;
use super::spelling::{is_predicate, noted, print_all};
use super::statements::is_auto_bound;
use super::term::{Binder, Binding, Kind, Term, Tree, is_flat};
use super::{NUMBERS, Signature, is_so, last_part, number};
use crate::text::is_among;

/// Signatures that ask for more are not compared.
const MOST_ASKED: usize = 200;

/// Numerals in whose place a variable may be.
const MOST_NUMERALS: usize = 8;

/// So many variables may stand for something special at once.
const MOST_GENERAL: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::lean) enum Difference {
    Same {
        /// Whether callers write the same for what is asked for: in the same brackets and order.
        alike: bool,
    },
    Weaker(String),
    Stronger {
        how: String,
        /// All that it does is to ask for less, whatever its names mean.
        only_drops: bool,
    },
}

/// How the second statement differs from the first, where text can tell. Of what does not state anything it
/// is only asked what it asks for. `is_mathlibs`: whether a class is not one of the file's own.
pub(in crate::lean) fn difference(
    old: &Signature<'_>,
    new: &Signature<'_>,
    states: bool,
    is_mathlibs: impl Fn(&str) -> bool,
) -> Option<Difference> {
    let asking = Asking { states, is_mathlibs: &is_mathlibs };
    let found = written_difference(old, new, asking);
    if matches!(found, Some(Difference::Same { .. } | Difference::Stronger { .. })) {
        return found;
    }
    let split = (old.with_split_classes(&is_mathlibs), new.with_split_classes(&is_mathlibs));
    if split.0.is_none() && split.1.is_none() {
        return found;
    }
    let (old, new) = (split.0.as_ref().unwrap_or(old), split.1.as_ref().unwrap_or(new));
    match written_difference(old, new, asking) {
        Some(Difference::Same { .. }) => Some(Difference::Same { alike: false }),
        other => other.or(found),
    }
}

#[derive(Clone, Copy)]
struct Asking<'q> {
    states: bool,
    is_mathlibs: &'q dyn Fn(&str) -> bool,
}

fn written_difference(
    old: &Signature<'_>,
    new: &Signature<'_>,
    asking: Asking<'_>,
) -> Option<Difference> {
    if let Some(alike) = same_meaning(old, new).filter(|_| asking.states) {
        return Some(Difference::Same { alike });
    }
    if old.notation != new.notation {
        return None;
    }
    let alike = named_alike(old, new);
    let new = alike.as_ref().unwrap_or(new);
    let found = by_parts(old, new, asking);
    if found.is_some() || !asking.states || old.notation != 0 {
        return found;
    }
    let how = generalised(old, new, asking, 1)?.join(", ");
    Some(Difference::Stronger { how, only_drops: false })
}

/// The second of two statements with the names of the first for what both ask for in the same place, seen from the end.
fn named_alike<'a>(old: &Signature<'a>, new: &Signature<'a>) -> Option<Signature<'a>> {
    // What comes first in the second one may be the type that it is about.
    let more = new.binders.len().checked_sub(old.binders.len())?;
    let pairs = || old.binders.iter().zip(new.binders.iter().skip(more));
    let alike = pairs().all(|(one, other)| one.kind == other.kind);
    let mut named = new.clone();
    for (one, other) in pairs().filter(|(one, other)| one.name != other.name) {
        let is_free = |name| {
            !named.refers.contains(&name) && named.binders.iter().all(|binder| binder.name != name)
        };
        if [one.name, other.name].iter().any(|name| matches!(*name, "" | "_")) || !is_free(one.name)
        {
            return None;
        }
        named.put(other.name, &Rc::new(Term::Name(one.name)));
        let mut binders = named.binders.iter_mut();
        binders.find(|binder| binder.name == other.name)?.name = one.name;
    }
    alike.then_some(named)
}

/// Whether the second of two statements says the first one of something that is special there, or more: what is
/// general in it.
fn generalised(
    old: &Signature<'_>,
    new: &Signature<'_>,
    asking: Asking<'_>,
    depth: usize,
) -> Option<Vec<String>> {
    let is_new = |binder: &Binder<'_>| {
        binder.kind != Kind::Instance
            && !matches!(binder.name, "" | "_")
            && binder.default.is_none()
            && old.binders.iter().all(|other| other.name != binder.name)
    };
    let is_general = |binder: &Binder<'_>| binder.of_type.as_ref().is_some_and(may_be_general);
    let at = new.binders.iter().position(|binder| is_new(binder) && is_general(binder))?;
    let mut rest = new.clone();
    let any = rest.binders.remove(at);
    specials(old, new, &any).into_iter().find_map(|special| {
        let mut instance = rest.clone();
        instance.put(any.name, &special);
        instance.binders.retain(|binder| !is_given(binder));
        let name = match &**special.bare() {
            Term::Name(name) | Term::Number(name) => name,
            _ => special.head().unwrap_or("something"),
        };
        let is_type = matches!(any.of_type.as_deref(), Some(Term::Sort(..)));
        let kind = if is_type { "type generalised: " } else { "" };
        let to = if is_type { "to" } else { "generalised to" };
        let told = format!("{kind}{name} {to} {}", any.name);
        match by_parts(old, &instance, asking) {
            Some(Difference::Same { .. } | Difference::Stronger { .. }) => Some(vec![told]),
            _ if depth == MOST_GENERAL => None,
            _ => {
                let more = generalised(old, &instance, asking, depth + 1)?;
                Some([vec![told], more].concat())
            }
        }
    })
}

/// The types of what has names or numerals of its own, each with some of those; of numbers all numerals are.
const SPECIAL: &str = "Filter: atTop atBot cofinite nhds 𝓝; Measure: volume; Set: univ Icc Ico Ioc Ioo Ici Ioi Iic Iio; \
    Finset: univ range Icc Ico Ioc Ioo";

fn special_of(of_type: &str) -> Option<&'static str> {
    let mut rows = SPECIAL.split("; ").filter_map(|row| row.split_once(": "));
    rows.find(|(one, _)| *one == last_part(of_type)).map(|(_, names)| names)
}

fn may_be_general(of_type: &Tree<'_>) -> bool {
    let is_sort = matches!(&**of_type.bare(), Term::Sort("Type" | "Sort", _));
    is_sort
        || of_type.head().is_some_and(|head| is_among(head, NUMBERS) || special_of(head).is_some())
}

/// What stands in the first of two statements where the second one has a variable, if that may be of its type.
fn specials<'a>(old: &Signature<'a>, new: &Signature<'a>, any: &Binder<'a>) -> Vec<Tree<'a>> {
    let Some(of_type) = &any.of_type else { return Vec::new() };
    let is_type = matches!(&**of_type.bare(), Term::Sort(..));
    let head = of_type.head().unwrap_or_default();
    let is_special = |tree: &Tree<'a>| match special_of(head) {
        _ if is_type => true,
        Some(names) => tree.head().is_some_and(|name| is_among(last_part(name), names)),
        None => number(tree).is_some(),
    };
    let named = new.binders.iter().filter(|binder| !binder.name.is_empty());
    let types = named.filter_map(|binder| {
        let other = old.binders.iter().find(|other| other.name == binder.name)?;
        Some((binder.of_type.as_ref()?, other.of_type.as_ref()?))
    });
    let unnamed = |signature: &Signature<'a>| -> Vec<Tree<'a>> {
        let hypotheses = signature.binders.iter().filter(|one| one.kind == Kind::Explicit);
        hypotheses.filter_map(|one| one.of_type.clone()).collect()
    };
    let (before, after) = (unnamed(old), unnamed(new));
    let pairs = types.chain([(&new.conclusion, &old.conclusion)]);
    let pairs = pairs.chain(after.iter().rev().zip(before.iter().rev()));
    let mut found: Vec<Tree<'a>> = Vec::new();
    for (is, was) in pairs {
        let special = is.at_place_of(any.name, was, &is_special);
        found.extend(special.filter(|one| found.iter().all(|f| f.head() != one.head())));
        if is_type && !found.is_empty() {
            break;
        }
    }
    if found.is_empty() && is_among(head, NUMBERS) {
        let mut fold = old.fold(How::Claim);
        old.node(&mut fold);
        let is_numeral = |name: &&str| name.bytes().all(|byte| byte.is_ascii_digit());
        let numerals = fold.free.into_iter().filter(is_numeral).take(MOST_NUMERALS);
        found.extend(numerals.map(|numeral| Rc::new(Term::Number(numeral))));
    }
    found
}

/// Types of maps, each with its class.
const MAPS: &str = "→+* RingHomClass; →*₀ MonoidWithZeroHomClass; →* MonoidHomClass; →+ AddMonoidHomClass; \
    →o OrderHomClass; ≃+* RingEquivClass; ≃* MulEquivClass; ≃+ AddEquivClass";

/// Whether what is asked for is known to be so of what is concrete.
fn is_given(binder: &Binder<'_>) -> bool {
    let Some(of_type) = &binder.of_type else { return false };
    match &**of_type.bare() {
        Term::Infix(sign, left, right) => {
            number(left).zip(number(right)).is_some_and(|(a, b)| is_so(sign, a, b) == Some(true))
        }
        Term::Apply(class, of) if binder.kind == Kind::Instance => {
            let class = class.head().unwrap_or_default();
            match of.as_slice() {
                [one] if last_part(class) == "NeBot" => {
                    one.head().is_some_and(|name| matches!(last_part(name), "atTop" | "nhds" | "𝓝"))
                }
                [one] if class == "Fact" => is_prime(one),
                [one] => {
                    let of_type = one.head().map(noted).unwrap_or_default();
                    is_decidability(binder) || is_wider(of_type, class)
                }
                [scalar, one] => {
                    let (scalar, one) = (scalar.head().map(noted), one.head().map(noted));
                    let is_over = scalar == one || (scalar, one) == (Some("ℝ"), Some("ℂ"));
                    let is_field = one.is_some_and(|one| is_wider(one, "CommSemiring"));
                    is_over && is_field && is_wider("NormedAlgebra", class)
                }
                [maps, from, to] => is_of_maps(class, maps, [from, to]),
                _ => false,
            }
        }
        _ => binder.kind == Kind::Explicit && is_prime(of_type),
    }
}

/// Whether a class is one of maps of a type between two others.
fn is_of_maps(class: &str, maps: &Tree<'_>, between: [&Tree<'_>; 2]) -> bool {
    let Term::Infix(sign, from, to) = &**maps.bare() else { return false };
    let rows = MAPS.split("; ").filter_map(|row| row.split_once(' '));
    let own = rows.filter(|(one, _)| one == sign).map(|(_, own)| own).next();
    let fits = |own: &str| class == "FunLike" || class == own || is_wider(own, class);
    let heads = between.map(Term::head);
    heads[0].is_some() && heads == [from.head(), to.head()] && own.is_some_and(fits)
}

/// `Nat.Prime 2` and its like.
fn is_prime(tree: &Tree<'_>) -> bool {
    let of = match &**tree.bare() {
        Term::Apply(head, of) if head.head() == Some("Nat.Prime") => of.first(),
        Term::Field(of, "Prime") => Some(of),
        _ => None,
    };
    of.and_then(number).is_some_and(|number| matches!(number, 2 | 3 | 5 | 7 | 11 | 13))
}

/// Whether it asks for an algorithm, and for nothing that is true or not.
fn is_decidability(binder: &Binder<'_>) -> bool {
    let class = binder.of_type.as_ref().and_then(Term::head).unwrap_or_default();
    binder.kind == Kind::Instance && class.starts_with("Decidable")
}

fn by_parts(old: &Signature<'_>, new: &Signature<'_>, asking: Asking<'_>) -> Option<Difference> {
    compared(old, new, asking, true).or_else(|| compared(old, new, asking, false))
}

/// `all`: whether what the conclusions ask for first is a hypothesis as any other one.
fn compared(
    old: &Signature<'_>,
    new: &Signature<'_>,
    asking: Asking<'_>,
    all: bool,
) -> Option<Difference> {
    let (before, after) = (Demands::read(old, all)?, Demands::read(new, all)?);
    let alike = before.conclusion == after.conclusion && before.universes == after.universes;
    if alike && before.without(&after).is_empty() && after.without(&before).is_empty() {
        return Some(Difference::Same { alike: false });
    }
    let reworded = Some(asking).filter(|_| asking.states && old.notation == 0);
    let may_reword = reworded.is_some();
    if !may_reword && !alike {
        return None;
    }
    if let Some((how, only_drops)) = follows(&after, &before, reworded, 0) {
        // Each says the other where only the order is new: `q ∧ p` for `p ∧ q`.
        let back = follows(&before, &after, reworded, 1).filter(|_| !only_drops);
        let is_same = back.is_some_and(|(_, only_drops)| !only_drops);
        let stronger = Difference::Stronger { how, only_drops };
        return Some(if is_same { Difference::Same { alike: false } } else { stronger });
    }
    Some(Difference::Weaker(follows(&before, &after, reworded, 1)?.0))
}

/// Whether two statements say the same, in whatever words, if their names mean the same; and whether
/// they are called alike. `None` where they may not.
pub(super) fn same_meaning(old: &Signature<'_>, new: &Signature<'_>) -> Option<bool> {
    if !old.whole || !new.whole || old.notation != new.notation {
        return None;
    }
    if old.renamed == new.renamed && old.around == new.around {
        return Some(true);
    }
    if old.print_of_any_universes() == new.print_of_any_universes() {
        return Some(old.taken == new.taken);
    }
    // A notation or a macro may give any sign of it another meaning.
    if old.notation != 0 || !old.has_colon || !new.has_colon {
        return None;
    }
    let meaning = |signature: &Signature<'_>| {
        let mut fold = signature.fold(How::Meaning);
        let node = signature.node(&mut fold);
        let (kinds, prints): (Vec<Kind>, Vec<u64>) = node.asked.into_iter().unzip();
        fold.is_sure().then_some(((prints, node.core), (signature.taken, kinds, fold.kinds)))
    };
    let ((said, calls), (says, called)) = (meaning(old)?, meaning(new)?);
    (said == says).then_some(calls == called)
}

fn told(asked: &[&Asked<'_>]) -> String {
    let name = |one: &&Asked<'_>| match one.binder.name {
        "" => format!("[{}]", one.binder.of_type.as_ref().and_then(Term::head).unwrap_or("_")),
        name => name.to_owned(),
    };
    asked.iter().map(name).collect::<Vec<_>>().join(", ")
}

impl Binder<'_> {
    fn is_any_type(&self) -> bool {
        let any = |levels: &[&str]| matches!(levels, ["*" | "_"]);
        self.kind == Kind::Implicit
            && is_auto_bound(self.name)
            && matches!(self.of_type.as_deref(), Some(Term::Sort("Type", levels)) if any(levels))
    }
}

struct Asked<'a> {
    binder: Binder<'a>,
    /// Its name, or 0 where nothing speaks of it, and its type.
    print: (&'a str, u64),
}

/// What a statement asks for, compared by name, wherever it stands, and its conclusion.
struct Demands<'s, 'a> {
    signature: &'s Signature<'a>,
    asked: Vec<Asked<'a>>,
    tail: Tree<'a>,
    conclusion: u64,
    known: Vec<Bound<'a>>,
    /// Those that are declared and say something.
    universes: Vec<&'a str>,
}

impl<'s, 'a> Demands<'s, 'a> {
    fn read(signature: &'s Signature<'a>, all: bool) -> Option<Self> {
        if !signature.has_colon || !signature.whole {
            return None;
        }
        let mut binders = signature.binders.clone();
        let mut tail = signature.conclusion.clone();
        if signature.notation == 0 && all {
            while let Some(rest) = asked_before(&tail, &mut binders) {
                tail = rest;
            }
        }
        let tail = &tail;
        if binders.len() > MOST_ASKED {
            return None;
        }
        // Names stay as they are spelled: another order must not count.
        let how = if signature.notation == 0 { How::Meaning } else { How::Key };
        let lone = signature.lone_universes();
        let mut known: Vec<Bound<'a>> = Vec::new();
        for binder in &binders {
            let fold = Fold::of_part(how, &signature.names, &known).with_lone(&lone);
            known.extend(fold.knows(binder, &within(&binders, tail)));
        }
        let fold = || Fold::of_part(how, &signature.names, &known).with_lone(&lone);
        let asked: Vec<Asked<'a>> = binders
            .iter()
            .map(|binder| {
                let spoken_of = binder.kind != Kind::Instance && binder.is_used(&binders, tail);
                let name = if spoken_of { binder.name } else { "" };
                let parts = [binder.of_type.as_ref(), binder.default.as_ref()];
                let found = known.iter().find(|one| one.name == binder.name);
                let found = found.filter(|_| binder.of_type.is_none()).map(|one| one.of_type.print);
                let mut parts = parts.map(|part| part.map_or(0, |part| fold().print(part)));
                parts[0] = found.unwrap_or(parts[0]);
                let print = print_all(parts);
                Asked { binder: binder.clone(), print: (name, print) }
            })
            .collect();
        // The name of an instance says nothing.
        let mut names = HashSet::new();
        let mut named = binders.iter().filter(|one| one.kind != Kind::Instance).map(|one| one.name);
        let distinct = named.all(|name| matches!(name, "" | "_") || names.insert(name));
        let conclusion = fold().print(tail);
        let tail = tail.clone();
        let mut universes = signature.universes.clone();
        universes.retain(|one| !lone.contains(one));
        distinct.then_some(Self { signature, asked, tail, conclusion, known, universes })
    }

    fn without<'d>(&'d self, other: &'d Demands<'_, 'a>) -> Vec<&'d Asked<'a>> {
        // `{α : Type*}` in the place of what Lean binds by itself.
        let is_bound = |one: &Asked<'a>| {
            let mut others = other.asked.iter().map(|other| other.binder.name);
            one.binder.is_any_type() && others.all(|name| name != one.binder.name)
        };
        let mut gone = surplus(&self.asked, &other.asked, |one| one.print);
        gone.retain(|one| !is_bound(one));
        gone
    }

    /// Whether a statement is as good without something that it asks for.
    fn may_go(&self, one: &Asked<'_>, rest: &Demands<'_, '_>) -> bool {
        let name = one.binder.name;
        if one.binder.kind != Kind::Instance {
            let mut others = rest.asked.iter();
            return name.is_empty()
                || !(rest.tail.mentions(name) || others.any(|one| one.binder.mentions(name)));
        }
        // Of a concrete type there may be another instance, and it would mean something else.
        let of = match one.binder.of_type.as_deref() {
            Some(Term::Apply(_, of)) => of.as_slice(),
            _ => &[],
        };
        let mut names = self.asked.iter().map(|other| other.binder.name);
        of.iter().any(|of| of.head().is_some_and(is_auto_bound))
            || names.any(|name| !name.is_empty() && one.binder.mentions(name))
    }
}

/// What a list has more often than another one.
pub fn surplus<'t, T, K: Eq + Hash>(
    list: &'t [T],
    other: &'t [T],
    key: impl Fn(&'t T) -> K,
) -> Vec<&'t T> {
    let mut known: HashMap<K, usize> = HashMap::new();
    for one in other {
        *known.entry(key(one)).or_default() += 1;
    }
    let new = list.iter().filter(|one| match known.get_mut(&key(one)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
    new.collect()
}

/// What a term asks for first, and the rest of it; `∀ x ∈ s, p` asks for `x` and `x ∈ s`. What stands before an arrow
/// is no hypothesis where something looser than the arrow may stand there.
pub(super) fn asked_before<'a>(tree: &Tree<'a>, binders: &mut Vec<Binder<'a>>) -> Option<Tree<'a>> {
    match &**tree.bare() {
        Term::Infix("→", left, right) if !is_flat(left) && !is_flat(right) => {
            binders.push(unnamed(left.clone()));
            Some(right.clone())
        }
        Term::Binding(one) if matches!(one.sign, "∀" | "∀ᵉ" | "→") && one.with.is_none() => {
            let conditions = conditions(one)?;
            binders.extend(one.binders.iter().cloned());
            binders.extend(conditions.into_iter().map(unnamed));
            Some(one.body.clone())
        }
        Term::Prefix("¬", denied) => {
            let Term::Binding(one) = &**denied.bare() else { return None };
            let body = Rc::new(Term::Prefix("¬", one.body.clone()));
            let all = Rc::new(Term::Binding(Binding { sign: "∀", body, ..one.clone() }));
            if matches!(one.sign, "∃" | "∃ᵉ") { asked_before(&all, binders) } else { None }
        }
        _ => None,
    }
}

pub(super) fn unnamed(of_type: Tree<'_>) -> Binder<'_> {
    Binder { of_type: Some(of_type), ..Binder::default() }
}

/// What a quantifier says of what it binds, as conditions: `x ∈ s`. `None` where that is not known.
fn conditions<'a>(binding: &Binding<'a>) -> Option<Vec<Tree<'a>>> {
    match (&binding.over, binding.binders.as_slice()) {
        (None, _) => Some(Vec::new()),
        (Some((sign, over)), [one]) if is_predicate(sign) && !over.mentions(one.name) => {
            let name = Rc::new(Term::Name(one.name));
            Some(vec![Rc::new(Term::Infix(sign, name, over.clone()))])
        }
        _ => None,
    }
}

/// `x ∈ Set.univ`
fn says_nothing(tree: &Tree<'_>) -> bool {
    let Term::Infix("∈", _, set) = &**tree.bare() else { return false };
    matches!(set.head(), Some("Set.univ" | "Finset.univ"))
}

/// What a term says is there, and what of that.
pub(super) fn there<'a>(tree: &Tree<'a>) -> Option<(Vec<Binder<'a>>, Tree<'a>)> {
    let Term::Binding(one) = &**tree.bare() else { return None };
    let conditions = conditions(one).filter(|_| one.sign == "∃" && one.with.is_none())?;
    let mut binders = one.binders.clone();
    let (inner, mut body) = there(&one.body).unwrap_or_else(|| (Vec::new(), one.body.clone()));
    let is_hidden =
        |inner: &Binder<'a>| conditions.iter().any(|condition| condition.mentions(inner.name));
    if inner.iter().any(is_hidden) {
        body = one.body.clone();
    } else {
        binders.extend(inner);
    }
    let and = |left, right| Rc::new(Term::Infix("∧", left, right));
    Some((binders, conditions.into_iter().fold(body, |body, condition| and(condition, body))))
}

/// More steps are not gone when one statement is derived from another one.
const MOST_STEPS: usize = 2_000;

const BOUND: [&str; 2] = ["bound improved", "bound given up"];
const CONJUNCT: [&str; 2] = ["conjunct added", "conjunct dropped"];
const HYPOTHESIS: [&str; 2] = ["hypothesis weakened", "hypothesis strengthened"];

/// Why one statement follows from another one, as far as the forms of both show it.
struct Proof<'p, 'a> {
    own: &'p [&'a str],
    /// What both statements know of a variable.
    known: Vec<Bound<'a>>,
    /// Whether numerals are in order: `3 ≤ 1` holds among the numbers below 3.
    ordered: bool,
    /// Whether no order is known that is not partial.
    partial: bool,
    /// What is asked for where the second one is used.
    given: Vec<&'p Tree<'a>>,
    is_mathlibs: &'p dyn Fn(&str) -> bool,
    steps: usize,
    /// Each in words: what the new statement has gained, and what it has lost if it is the old one.
    gains: Vec<[String; 2]>,
}

impl<'a> Proof<'_, 'a> {
    fn gain(&mut self, words: [impl Into<String>; 2]) -> bool {
        let words = words.map(Into::into);
        if !self.gains.contains(&words) {
            self.gains.push(words);
        }
        true
    }

    fn print(&self, tree: &Tree<'a>) -> u64 {
        Fold::of_part(How::Meaning, self.own, &self.known).print(tree)
    }

    fn is_never_negative(&self, tree: &Tree<'a>) -> bool {
        let is_bound = |given: &&Tree<'a>| match &**given.bare() {
            Term::Infix(sign, a, b) => match ordered(sign, a, b) {
                ("<" | "≤", zero, one) => number(zero).is_some() && self.same(one, tree),
                _ => false,
            },
            _ => false,
        };
        Fold::of_part(How::Meaning, self.own, &self.known).is_never_negative(tree)
            || self.given.iter().any(is_bound)
    }

    fn same(&self, left: &Tree<'a>, right: &Tree<'a>) -> bool {
        self.print(left) == self.print(right)
    }

    fn attempt(&mut self, prove: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = self.gains.len();
        let found = prove(self);
        if !found {
            self.gains.truncate(before);
        }
        found
    }

    /// Whether what was asked for gives what is asked for now.
    fn asks_less(&mut self, was: &Tree<'a>, is: &Tree<'a>) -> bool {
        let before = self.gains.len();
        let found = self.entails(was, is);
        let changed = self.gains.len() > before;
        self.gains.truncate(before);
        found && (!changed || self.gain(HYPOTHESIS))
    }

    fn entails(&mut self, from: &Tree<'a>, to: &Tree<'a>) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return false;
        }
        if self.same(from, to) {
            return true;
        }
        match (&**from.bare(), &**to.bare()) {
            (_, Term::Infix("∧", p, q)) => {
                self.attempt(|proof| proof.entails(from, p) && proof.entails(from, q))
            }
            (Term::Infix("∧", p, q), _) => {
                self.attempt(|proof| proof.gain(CONJUNCT) && proof.entails(p, to))
                    || self.attempt(|proof| proof.gain(CONJUNCT) && proof.entails(q, to))
            }
            (Term::Infix("∨", p, q), _) => {
                self.attempt(|proof| proof.entails(p, to) && proof.entails(q, to))
            }
            (_, Term::Infix("∨", p, q)) => {
                self.attempt(|proof| proof.gain(BOUND) && proof.entails(from, p))
                    || self.attempt(|proof| proof.gain(BOUND) && proof.entails(from, q))
            }
            (Term::Infix("↔", p, q), Term::Infix("→", r, s)) => {
                self.gain(CONJUNCT)
                    && ((self.same(p, r) && self.same(q, s))
                        || (self.same(p, s) && self.same(q, r)))
            }
            (Term::Infix("→", ..), _) | (_, Term::Infix("→", ..)) => self.for_all(from, to),
            _ if says_nothing(to) => self.gain(CONJUNCT),
            (Term::Infix("∈", x, s), Term::Infix("∈", y, t)) => {
                match (sides(x, s), sides(y, t)) {
                    (Some(from), Some(to)) => self.entails(&from, &to),
                    _ => false,
                }
            }
            (Term::Prefix("¬", p), Term::Prefix("¬", q)) => self.asks_less(q, p),
            (Term::Infix(sign, a, b), Term::Infix(other, c, d)) => {
                self.compared(ordered(sign, a, b), ordered(other, c, d))
            }
            (Term::Binding(one), Term::Binding(other))
                if !matches!((one.sign, other.sign), ("∀", "∀") | ("∃", "∃")) =>
            {
                self.bound(one, other)
            }
            (Term::Binding(one), Term::Binding(_)) if one.sign == "∃" => {
                let (Some((these, from)), Some((those, to))) = (there(from), there(to)) else {
                    return false;
                };
                self.under((&these, &from), (&those, &to))
            }
            (Term::Binding(_), _) | (_, Term::Binding(_)) => self.for_all(from, to),
            _ => self.implied(from, to),
        }
    }

    /// `∃ x, p` from `∃ x, p ∧ q`, and of all that says more of its `x`.
    fn bound(&mut self, one: &Binding<'a>, other: &Binding<'a>) -> bool {
        let over = |binding: &Binding<'a>| {
            binding.over.as_ref().map(|(sign, over)| (*sign, self.print(over)))
        };
        let alike = over(one) == over(other) && one.with.is_none() && other.with.is_none();
        let is_almost = matches!(other.sign, "∀ᶠ" | "∀ᵐ") && one.sign == "∀";
        if is_almost && one.over.is_none() && one.with.is_none() && other.with.is_none() {
            return self.gain(BOUND)
                && self.under((&one.binders, &one.body), (&other.binders, &other.body));
        }
        let grows = matches!(one.sign, "∀ᶠ" | "∃ᶠ" | "∀ᵐ") && one.sign == other.sign;
        let becomes = (one.sign, other.sign) == ("∃!", "∃") && self.gain(CONJUNCT);
        alike
            && (grows || becomes)
            && self.under((&one.binders, &one.body), (&other.binders, &other.body))
    }

    /// Whether a term under binders gives another one under its own, which are as many and of the same types.
    fn under(
        &mut self,
        (these, from): (&[Binder<'a>], &Tree<'a>),
        (those, to): (&[Binder<'a>], &Tree<'a>),
    ) -> bool {
        let outer = (self.known.clone(), self.given.clone());
        let to = self.alike((these, &[from]), (those, &[to]));
        let found = to.is_some_and(|to| to.iter().all(|to| self.entails(from, to)));
        (self.known, self.given) = outer;
        found
    }

    /// The parts of a term under binders with the names of others, if both bind as many of the same types. What is
    /// bound is known from then on.
    fn alike(
        &mut self,
        (these, within): (&[Binder<'a>], &[&Tree<'a>]),
        (those, parts): (&[Binder<'a>], &[&Tree<'a>]),
    ) -> Option<Vec<Tree<'a>>> {
        let mut parts: Vec<Tree<'a>> = parts.iter().map(|part| Tree::clone(part)).collect();
        let mut renamed = those.to_vec();
        if these.len() != those.len() {
            return None;
        }
        for (at, one) in these.iter().enumerate() {
            let (name, kind) = (renamed.get(at)?.name, renamed.get(at)?.kind);
            let is_free = parts.iter().all(|part| !part.mentions(one.name));
            if kind != one.kind || (name != one.name && !is_free) {
                return None;
            }
            if name != one.name {
                let by = Rc::new(Term::Name(one.name));
                for part in &mut parts {
                    *part = part.replaced(name, &by);
                }
                renamed.iter_mut().skip(at + 1).for_each(|other| other.put(name, &by));
            }
            let of_type = |binder: &Binder<'a>, within: &[&Tree<'a>]| {
                let fold = Fold::of_part(How::Meaning, self.own, &self.known);
                fold.knows(binder, within).filter(|found| found.of_type.print != 0)
            };
            let others: Vec<&Tree<'a>> = parts.iter().collect();
            let (own, other) = (of_type(one, within), of_type(renamed.get(at)?, &others));
            let print = |bound: &Option<Bound<'a>>| bound.map(|bound| bound.of_type.print);
            // Where neither is spelled it is what the same body shows.
            let is_shown = one.of_type.is_none() && renamed.get(at)?.of_type.is_none();
            let is_unknown = is_shown && (own.is_none() || other.is_none());
            if print(&own) != print(&other) && !is_unknown {
                return None;
            }
            self.known.retain(|known| known.name != one.name);
            self.given.retain(|given| !given.mentions(one.name));
            self.known.extend(own.or(other));
        }
        Some(parts)
    }

    /// Whether what holds for all gives what holds for all: under the hypotheses of the second one those of the first
    /// hold.
    fn for_all(&mut self, from: &Tree<'a>, to: &Tree<'a>) -> bool {
        let read = |tree: &Tree<'a>| {
            let (mut binders, mut tree) = (Vec::new(), Tree::clone(tree));
            while let Some(rest) = asked_before(&tree, &mut binders) {
                tree = rest;
            }
            let (named, hypotheses): (Vec<_>, Vec<_>) =
                binders.iter().cloned().partition(|one| one.is_used(&binders, &tree));
            let hypotheses: Vec<_> = hypotheses.into_iter().filter_map(|one| one.of_type).collect();
            (named, hypotheses, tree)
        };
        let ((these, asked, from), (those, given, to)) = (read(from), read(to));
        if these.is_empty() && those.is_empty() && asked.is_empty() && given.is_empty() {
            return false;
        }
        let outer = (self.known.clone(), self.given.clone());
        let within: Vec<&Tree<'a>> = asked.iter().chain([&from]).collect();
        let parts: Vec<&Tree<'a>> = given.iter().chain([&to]).collect();
        let parts = self.alike((&these, &within), (&those, &parts));
        let found = parts.is_some_and(|mut given| {
            let Some(to) = given.pop() else { return false };
            let gives = |proof: &mut Self, asked: &Tree<'a>| {
                let mut given = given.iter();
                let is_trivial = says_nothing(asked) && proof.gain(HYPOTHESIS);
                is_trivial
                    || given.any(|given| proof.attempt(|proof| proof.asks_less(given, asked)))
            };
            let fits = asked.iter().all(|asked| gives(self, asked));
            let more = given.len() > asked.len() && fits && self.gain(HYPOTHESIS);
            (fits || more) && self.entails(&from, &to)
        });
        (self.known, self.given) = outer;
        found
    }

    /// The hypotheses about intervals and predicates of Mathlib that one gives the other.
    fn implied(&mut self, from: &Tree<'a>, to: &Tree<'a>) -> bool {
        let (Some(from), Some(to)) = (self.predicate(from), self.predicate(to)) else {
            return false;
        };
        let is_same = |a: &Tree<'a>, b: &Tree<'a>| self.same(a, b);
        let is_known = (self.is_mathlibs)(from.0) && (self.is_mathlibs)(to.0);
        is_known
            && predicates::gives((from.0, &from.1), (to.0, &to.1), self.partial, &is_same)
            && self.gain(BOUND)
    }

    /// The name of a predicate, without its namespace, and of what it is said.
    fn predicate(&self, tree: &Tree<'a>) -> Option<(&'a str, Vec<Tree<'a>>)> {
        let of_name = |name: &'a str, of: &[Tree<'a>]| match name.split_once('.') {
            Some((x, field)) if self.known.iter().any(|one| one.name == x) => {
                let x = Rc::new(Term::Name(x));
                (last_part(field), [&[x], of].concat())
            }
            _ => (last_part(name), of.to_vec()),
        };
        match &**tree.bare() {
            Term::Name(name) => Some(of_name(name, &[])),
            Term::Field(of, field) => Some((field, vec![of.clone()])),
            Term::Apply(head, of) => match &**head.bare() {
                Term::Name(name) => Some(of_name(name, of)),
                Term::Field(one, field) => {
                    Some((field, [std::slice::from_ref(one), of.as_slice()].concat()))
                }
                Term::Sign(sign) => Some((sign, of.clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// `a ≤ 5` from `a < 5`, `a = 5` or `a ≤ 3`.
    fn compared(&mut self, from: Compared<'_, 'a>, to: Compared<'_, 'a>) -> bool {
        let ((sign, a, b), (other, c, d)) = (from, to);
        let (left, right) = (self.same(a, c), self.same(b, d));
        let is_above = |small: &Tree<'a>, large: &Tree<'a>| {
            ratio(small).zip(ratio(large)).is_some_and(|((a, b), (c, d))| a * d < c * b)
        };
        let is_strict = (left && is_above(b, d)) || (right && is_above(c, a));
        let implied = match (sign, other) {
            _ if sign == other => true,
            ("≤", "<") if self.ordered && is_strict => return self.gain(BOUND),
            ("<" | "=", "≤") | ("⊂" | "=", "⊆") | ("<", "≠") => true,
            _ => false,
        };
        if left && right {
            // With the same sign the two say the same of what is not the same together.
            return sign != other && implied && self.gain(BOUND);
        }
        if sign == "=" && other == "≤" && self.same(a, d) && self.same(b, c) {
            return self.gain(BOUND);
        }
        if !implied || !self.ordered || !matches!(other, "<" | "≤") {
            return false;
        }
        // The left side may grow, and the right side shrink.
        let fits = (left || at_most(self, c, a)) && (right || at_most(self, b, d));
        fits && self.gain(BOUND)
    }
}

type Compared<'t, 'a> = (&'a str, &'t Tree<'a>, &'t Tree<'a>);

/// Whether a number is at most another one, as far as that shows: numerals, also as parts of sums, powers, and products
/// with what is not negative.
fn at_most<'a>(proof: &Proof<'_, 'a>, small: &Tree<'a>, large: &Tree<'a>) -> bool {
    if let (Some((a, b)), Some((c, d))) = (ratio(small), ratio(large)) {
        return a * d <= c * b;
    }
    let less = |a: &Tree<'a>, b: &Tree<'a>| proof.same(a, b) || at_most(proof, a, b);
    let is_counted = |tree: &Tree<'a>| proof.is_never_negative(tree);
    match (&**small.bare(), &**large.bare()) {
        (Term::Ascribed(small, of), Term::Ascribed(large, other)) => {
            proof.same(of, other) && less(small, large)
        }
        (Term::Infix("+", a, b), Term::Infix("+", c, d)) => less(a, c) && less(b, d),
        (Term::Infix("-", a, b), Term::Infix("-", c, d)) => less(a, c) && proof.same(b, d),
        (Term::Infix("*", a, b), Term::Infix("*", c, d)) => {
            less(a, c) && less(b, d) && [a, b].iter().all(|one| is_counted(one))
        }
        (Term::Infix("^", a, n), Term::Infix("^", b, m)) => {
            let is_one = ratio(a).is_some_and(|(above, below)| above >= below);
            let grows =
                proof.same(a, b) || (is_counted(n) && is_counted(a) && at_most(proof, a, b));
            grows && (proof.same(n, m) || (is_one && at_most(proof, n, m)))
        }
        _ => false,
    }
}

/// A numeral, or one divided by another one.
fn ratio(tree: &Tree<'_>) -> Option<(u64, u64)> {
    let numeral = |tree: &Tree<'_>| match &**tree.bare() {
        Term::Number(number) => number.parse::<u32>().ok().map(u64::from),
        _ => None,
    };
    match &**tree.bare() {
        Term::Infix("/", above, below) => {
            Some((numeral(above)?, numeral(below).filter(|below| *below > 0)?))
        }
        _ => Some((numeral(tree)?, 1)),
    }
}

/// Whether the first of two statements says the second, and what more: in words for which it is, the
/// new one (0) or the old one (1).
fn follows<'a>(
    after: &Demands<'_, 'a>,
    before: &Demands<'_, 'a>,
    reworded: Option<Asking<'_>>,
    side: usize,
) -> Option<(String, bool)> {
    let (new, old) = (after.signature, before.signature);
    let (mut gone, mut come) = (before.without(after), after.without(before));
    if reworded.is_none() && !come.is_empty() {
        return None;
    }
    // Numbers of these types go round.
    let round =
        |name: &str| matches!(name, "Fin" | "ZMod" | "BitVec" | "Char") || name.starts_with("UInt");
    let ordered = !new.refers.iter().chain(&old.refers).any(|name| round(name));
    let is_known = |one: &&Bound<'a>| {
        let mut others = before.known.iter().filter(|other| other.name == one.name);
        others.all(|other| other.of_type.print == one.of_type.print)
    };
    let known = after.known.iter().filter(is_known).copied().collect();
    // It gives callers nothing to prove.
    let needed = come.len();
    come.retain(|one| !is_decidability(&one.binder));
    let needs_algorithm = come.len() < needed;
    let partial = !new.refers.iter().chain(&old.refers).any(|name| *name == "Preorder");
    let is_mathlibs =
        reworded.map_or(&(|_: &str| false) as &dyn Fn(&str) -> bool, |q| q.is_mathlibs);
    let (steps, gains) = Default::default();
    let given = before.asked.iter().filter_map(|one| one.binder.of_type.as_ref()).collect();
    let own = &new.names;
    let mut proof = Proof { own, known, ordered, partial, given, is_mathlibs, steps, gains };
    if let Term::Infix("↔", p, q) = &**after.tail.bare()
        && let ([only], []) = (gone.as_slice(), come.as_slice())
        && let Some(asked) = only.binder.of_type.as_ref()
        && [(p, q), (q, p)]
            .iter()
            .any(|(from, to)| proof.same(from, asked) && proof.same(to, &before.tail))
    {
        let told = ["the other direction added", "the other direction dropped"];
        return Some((told.get(side).copied()?.to_owned(), false));
    }
    let mut used = HashSet::new();
    for one in &come {
        let stay =
            before.asked.iter().filter(|old| !gone.iter().any(|gone| std::ptr::eq(*gone, *old)));
        let mut all = gone.iter().copied().chain(stay).enumerate();
        let mut is_enough =
            |old| proof.attempt(|proof| asks_less(proof, (old, before), (one, after)));
        used.insert(all.find_map(|(at, old)| is_enough(old).then_some(at))?);
    }
    let mut at = 0..;
    gone.retain(|_| at.next().is_some_and(|at| !used.contains(&at)));
    if !gone.iter().all(|one| before.may_go(one, after)) {
        return None;
    }
    if !gone.is_empty() {
        proof.gain(["dropped", "added"].map(|done| format!("hypothesis {done}: {}", told(&gone))));
    }
    if needs_algorithm && side == 0 {
        proof.gain(["decidability asked for", ""]);
    }
    if !proof.entails(&after.tail, &before.tail) || proof.gains.is_empty() {
        return None;
    }
    let only_drops = proof.gains.len() == usize::from(!gone.is_empty());
    let words = proof.gains.into_iter().filter_map(|words| words.into_iter().nth(side));
    Some((words.collect::<Vec<_>>().join(", "), only_drops))
}

/// Whether what the new statement asks for is there where the old one could be used.
fn asks_less<'a>(
    proof: &mut Proof<'_, 'a>,
    (gone, before): (&Asked<'a>, &Demands<'_, 'a>),
    (come, after): (&Asked<'a>, &Demands<'_, 'a>),
) -> bool {
    let types = gone.binder.of_type.as_ref().zip(come.binder.of_type.as_ref());
    let Some((old, new)) = types.filter(|_| come.binder.default.is_none()) else { return false };
    let is_instance = [gone, come].map(|one| one.binder.kind == Kind::Instance);
    if is_instance != [false, false] {
        if let Some((old, new)) = asked_by(&gone.binder).zip(asked_by(&come.binder)) {
            let told = ["hypothesis asked for in another way"; 2];
            return proof.entails(&old, &new) && (is_instance == [true, true] || proof.gain(told));
        }
        let (Term::Apply(class, of), Term::Apply(wider, to)) = (&**old.bare(), &**new.bare())
        else {
            return false;
        };
        let same = is_instance == [true, true]
            && of.len() == to.len()
            && of.iter().zip(to).all(|(of, to)| proof.same(of, to))
            && before.may_go(gone, after);
        let (Some(class), Some(wider)) = (class.head(), wider.head()) else { return false };
        let told = [
            format!("class generalised: {class} to {wider}"),
            format!("class specialised: {wider} to {class}"),
        ];
        return same && is_wider(class, wider) && proof.gain(told);
    }
    let same_name = gone.print.0 == come.print.0 || gone.binder.name == come.binder.name;
    if let (Term::Sort("Type", from), Term::Sort(word @ ("Type" | "Sort"), to)) =
        (&**old.bare(), &**new.bare())
    {
        let is_lone = |level: &&str| {
            matches!(*level, "*" | "_") || after.signature.lone_universes().contains(level)
        };
        let any = match to.as_slice() {
            [level] if is_lone(level) => from.len() < 2,
            [level] => {
                *word == "Type" && from.is_empty() && after.signature.universes.contains(level)
            }
            _ => false,
        };
        let wider = [*word, &to.join(" ")].join(if to.as_slice() == ["*"] { "" } else { " " });
        let narrow =
            ["Type", &from.join(" ")].join(if from.as_slice() == ["*"] { "" } else { " " });
        let narrow = format!("type specialised: {}", narrow.trim_end());
        let told = [format!("type generalised: {wider}"), narrow];
        return same_name && any && proof.gain(told);
    }
    (same_name || come.print.0.is_empty()) && proof.asks_less(old, new)
}

/// The proposition that an instance or a hypothesis asks for: `p` of `[Fact p]`, `n ≠ 0` of `[NeZero n]`.
fn asked_by<'a>(binder: &Binder<'a>) -> Option<Tree<'a>> {
    let of_type = binder.of_type.as_ref()?.bare();
    let differs =
        |one: &Tree<'a>, from| Some(Rc::new(Term::Infix("≠", Tree::clone(one), Rc::new(from))));
    let (class, of) = match &**of_type {
        Term::Apply(class, of) => (class.head()?, of.as_slice()),
        Term::Name(name) if name.ends_with(".NeBot") => {
            let filter = name.strip_suffix(".NeBot")?;
            return differs(&Rc::new(Term::Name(filter)), Term::Sign("⊥"));
        }
        _ if binder.kind == Kind::Instance => return None,
        _ => return Some(of_type.clone()),
    };
    let named = |name, one: &Tree<'a>| {
        Some(Rc::new(Term::Apply(Rc::new(Term::Name(name)), vec![one.clone()])))
    };
    match (last_part(class), of) {
        ("Fact", [one]) => Some(one.clone()),
        ("NeZero", [one]) => differs(one, Term::Number("0")),
        ("NeBot", [one]) => differs(one, Term::Sign("⊥")),
        ("IsTrans", [_, one]) => named("Transitive", one),
        ("IsRefl", [_, one]) => named("Reflexive", one),
        ("IsSymm", [_, one]) => named("Symmetric", one),
        ("Nonempty" | "Finite" | "Infinite" | "Nontrivial" | "Subsingleton" | "IsEmpty", [_]) => {
            Some(of_type.clone())
        }
        _ if binder.kind == Kind::Instance => None,
        _ => Some(of_type.clone()),
    }
}
