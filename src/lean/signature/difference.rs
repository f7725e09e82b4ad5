//! How two statements differ.

use std::collections::HashSet;

use super::Signature;
use super::fold::{Fold, How, Node};
use super::spelling::{noted, print_all};
use super::term::{Binder, Kind, Term, Tree};

/// Signatures that ask for more are not compared.
const MOST_ASKED: usize = 200;

/// Whether callers write the same for what is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    Alike,
    /// In other brackets, in another order, or from `variable`s.
    Otherwise,
}

/// What makes a statement stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gain {
    /// It asks for less.
    Hypothesis,
    /// It asks for less of a class or a type.
    Class,
    /// It says more of a number.
    Bound,
    /// It says something else too.
    Conjunct,
}

/// How a statement differs from an older one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    Same(Calls),
    /// The older one says it, with what is lost.
    Weaker(String),
    /// It says the older one, and what more.
    Stronger(Gain, String),
    /// It is the older one with other names of what it speaks of.
    FollowsRename,
    /// It says something else, and what both ask for is the same.
    Other,
    /// This text cannot tell.
    Unknown,
}

/// How the second statement differs from the first. `became`: whether a name of the first is called so
/// in the second.
pub fn difference(
    old: &Signature<'_>,
    new: &Signature<'_>,
    became: impl Fn(&str, &str) -> bool,
) -> Difference {
    if let Some(calls) = same_meaning(old, new) {
        return Difference::Same(calls);
    }
    if old.notation != new.notation || !old.whole || !new.whole {
        return Difference::Unknown;
    }
    if let Some(demands) = demands(old, new) {
        return demands;
    }
    let alike = old.refers.len() == new.refers.len() && {
        let mut pairs = old.refers.iter().zip(&new.refers);
        pairs.all(|(old, new)| old == new || became(old, new))
    };
    if alike && old.refers != new.refers && old.shape() == new.shape() {
        return Difference::FollowsRename;
    }
    known(old, new).unwrap_or(Difference::Unknown)
}

/// Whether two statements say the same, in whatever words, if their names mean the same; and whether
/// they are called alike. `None` where they may not.
pub fn same_meaning(old: &Signature<'_>, new: &Signature<'_>) -> Option<Calls> {
    if !old.whole || !new.whole || old.notation != new.notation {
        return None;
    }
    let kinds = |signature: &Signature<'_>, node: &Node| {
        let kinds = node.asked.iter().map(|(kind, _)| *kind).collect::<Vec<Kind>>();
        (signature.taken, kinds)
    };
    if old.renamed == new.renamed && old.around == new.around {
        return Some(Calls::Alike);
    }
    // A notation or a macro may give any sign of it another meaning.
    if old.notation != 0 || !old.has_colon || !new.has_colon {
        return None;
    }
    let ((before, sure), (after, is_sure)) = (old.meaning(), new.meaning());
    let says = |node: &Node| (node.asked.iter().map(|(_, p)| *p).collect::<Vec<_>>(), node.core);
    if !(sure && is_sure) || says(&before) != says(&after) {
        return None;
    }
    let alike = kinds(old, &before) == kinds(new, &after);
    Some(if alike { Calls::Alike } else { Calls::Otherwise })
}

/// How the demands of two statements differ whose conclusions are the same: what they ask for is
/// compared by name, wherever it stands. `None` where one was changed, or where text cannot tell.
pub(in crate::lean) fn demands(old: &Signature<'_>, new: &Signature<'_>) -> Option<Difference> {
    let (before, after) = (Demands::read(old)?, Demands::read(new)?);
    if before.conclusion != after.conclusion || old.universes != new.universes {
        return None;
    }
    let (gone, come) = (before.without(&after), after.without(&before));
    match (gone.as_slice(), come.as_slice()) {
        ([], []) => Some(Difference::Same(Calls::Otherwise)),
        (gone, []) if gone.iter().all(|one| before.may_go(one, &after)) => {
            let told = format!("hypothesis dropped: {}", told(gone));
            Some(Difference::Stronger(Gain::Hypothesis, told))
        }
        ([], come) if come.iter().all(|one| after.may_go(one, &before)) => {
            Some(Difference::Weaker(format!("hypothesis added: {}", told(come))))
        }
        _ => None,
    }
}

fn told(asked: &[&Asked<'_>]) -> String {
    let name = |one: &&Asked<'_>| match one.binder.name {
        "" => format!("[{}]", one.binder.of_type.as_ref().and_then(Term::head).unwrap_or("_")),
        name => name.to_owned(),
    };
    asked.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Something that a statement asks for.
struct Asked<'a> {
    binder: Binder<'a>,
    /// Its name, or 0 where nothing speaks of it, and its type.
    print: (String, u64),
}

struct Demands<'a> {
    asked: Vec<Asked<'a>>,
    tail: Tree<'a>,
    conclusion: u64,
}

impl<'a> Demands<'a> {
    fn read(signature: &Signature<'a>) -> Option<Self> {
        if !signature.has_colon || !signature.whole {
            return None;
        }
        let mut binders = signature.binders.clone();
        let mut tail = &signature.conclusion;
        if signature.notation == 0 {
            while let Some(rest) = asked_before(tail, &mut binders) {
                tail = rest;
            }
        }
        if binders.len() > MOST_ASKED {
            return None;
        }
        // Names stay as they are spelled: another order must not count.
        let how = if signature.notation == 0 { How::Meaning } else { How::Exact };
        let fold = || Fold::of_part(how, &signature.names);
        let mentioned =
            |name: &str| tail.mentions(name) || binders.iter().any(|other| other.mentions(name));
        let asked: Vec<Asked<'a>> = binders
            .iter()
            .map(|binder| {
                let spoken_of = binder.kind != Kind::Instance && mentioned(binder.name);
                let name = if spoken_of { binder.name } else { "" };
                let parts = [binder.of_type.as_ref(), binder.default.as_ref()];
                let parts = parts.map(|part| part.map_or(0, |part| fold().print(part)));
                let print = print_all(parts);
                Asked { binder: binder.clone(), print: (name.to_owned(), print) }
            })
            .collect();
        // The name of an instance says nothing.
        let named = binders.iter().filter(|one| one.kind != Kind::Instance).map(|one| one.name);
        let named: Vec<&str> = named.filter(|name| !matches!(*name, "" | "_")).collect();
        let distinct: HashSet<&str> = named.iter().copied().collect();
        let conclusion = fold().print(tail);
        let tail = tail.clone();
        (distinct.len() == named.len()).then_some(Self { asked, tail, conclusion })
    }

    /// What the other one does not ask for.
    fn without(&self, other: &Self) -> Vec<&Asked<'a>> {
        let mut left: Vec<&(String, u64)> = other.asked.iter().map(|one| &one.print).collect();
        let mut gone = self.asked.iter().collect::<Vec<_>>();
        gone.retain(|one| match left.iter().position(|print| **print == one.print) {
            Some(at) => {
                left.swap_remove(at);
                false
            }
            None => true,
        });
        gone
    }

    /// Whether a statement is as good without something that it asks for.
    fn may_go(&self, one: &Asked<'_>, rest: &Demands<'_>) -> bool {
        let names = self.asked.iter().map(|other| other.binder.name);
        match one.binder.kind {
            // Of a concrete type there may be another instance, and it would mean something else.
            Kind::Instance => {
                names.into_iter().any(|name| !name.is_empty() && one.binder.mentions(name))
            }
            _ if one.binder.name.is_empty() => true,
            _ => {
                let name = one.binder.name;
                !rest.tail.mentions(name)
                    && !rest.asked.iter().any(|other| other.binder.mentions(name))
            }
        }
    }
}

/// What a term asks for first, and the rest of it. What stands before an arrow is no hypothesis where
/// something looser than the arrow may stand there.
fn asked_before<'t, 'a>(tree: &'t Tree<'a>, binders: &mut Vec<Binder<'a>>) -> Option<&'t Tree<'a>> {
    match &**tree.bare() {
        Term::Infix("→", left, right) if !is_flat(left) && !is_flat(right) => {
            let of_type = Some(left.clone());
            binders.push(Binder { kind: Kind::Explicit, name: "", of_type, default: None });
            Some(right)
        }
        Term::Binding(one) if matches!(one.sign, "∀" | "→") && one.over.is_none() => {
            binders.extend(one.binders.iter().cloned());
            Some(&one.body)
        }
        _ => None,
    }
}

/// Whether it is not known where a term ends that has no brackets around it.
fn is_flat(tree: &Tree<'_>) -> bool {
    match &**tree {
        Term::Flat(_) => true,
        Term::Infix("→", left, right) => is_flat(left) || is_flat(right),
        _ => false,
    }
}

/// Other differences of which text can be sure.
fn known(old: &Signature<'_>, new: &Signature<'_>) -> Option<Difference> {
    if old.notation != 0 {
        return None;
    }
    let (before, after) = (Demands::read(old)?, Demands::read(new)?);
    let (gone, come) = (before.without(&after), after.without(&before));
    if before.conclusion == after.conclusion {
        let ([gone], [come]) = (gone.as_slice(), come.as_slice()) else { return None };
        return generalised(gone, come, &before, &after);
    }
    if !gone.is_empty() || !come.is_empty() {
        return None;
    }
    let conjunct = |part: u64, whole: &Tree<'_>, signature: &Signature<'_>| {
        let mut parts = vec![whole];
        let mut found = false;
        while let Some(tree) = parts.pop() {
            if let Term::Infix("∧", left, right) = &**tree.bare() {
                parts.extend([left, right]);
            }
            found |= Fold::of_part(How::Meaning, &signature.names).print(tree) == part;
        }
        found
    };
    if conjunct(before.conclusion, &after.tail, new) {
        return Some(Difference::Stronger(Gain::Conjunct, "conjunct added".to_owned()));
    }
    if conjunct(after.conclusion, &before.tail, old) {
        return Some(Difference::Weaker("conjunct dropped".to_owned()));
    }
    match bound(&before, &after) {
        Some(true) => Some(Difference::Stronger(Gain::Bound, "bound improved".to_owned())),
        Some(false) => Some(Difference::Weaker("bound given up".to_owned())),
        None => Some(Difference::Other),
    }
}

/// Classes, and what all of their instances are.
const WIDER: [(&str, &str); 17] = [
    ("Fintype", "Finite"),
    ("CommGroup", "Group"),
    ("Group", "Monoid"),
    ("CommMonoid", "Monoid"),
    ("Monoid", "Semigroup"),
    ("CommMonoid", "CommSemigroup"),
    ("AddCommGroup", "AddGroup"),
    ("AddCommGroup", "AddCommMonoid"),
    ("AddGroup", "AddMonoid"),
    ("AddCommMonoid", "AddMonoid"),
    ("Field", "CommRing"),
    ("CommRing", "Ring"),
    ("CommRing", "CommSemiring"),
    ("Ring", "Semiring"),
    ("CommSemiring", "Semiring"),
    ("LinearOrder", "PartialOrder"),
    ("PartialOrder", "Preorder"),
];

/// `[Fintype α]` in the place of `[Finite α]`, `Type` in the place of `Type*`.
fn generalised(
    gone: &Asked<'_>,
    come: &Asked<'_>,
    before: &Demands<'_>,
    after: &Demands<'_>,
) -> Option<Difference> {
    let (old, new) = (gone.binder.of_type.as_ref()?, come.binder.of_type.as_ref()?);
    if gone.binder.name == come.binder.name
        && let (Term::Sort("Type", from), Term::Sort("Type", to)) = (&**old.bare(), &**new.bare())
    {
        let told = |wider: &str| format!("type generalised: {wider}");
        return match (from.as_slice(), to.as_slice()) {
            ([], ["*"]) => Some(Difference::Stronger(Gain::Class, told("Type*"))),
            (["*"], []) => Some(Difference::Weaker("type specialised: Type".to_owned())),
            _ => None,
        };
    }
    let (Term::Apply(class, of), Term::Apply(wider, to)) = (&**old.bare(), &**new.bare()) else {
        return None;
    };
    let instances = gone.binder.kind == Kind::Instance && come.binder.kind == Kind::Instance;
    let prints = |trees: &[Tree<'_>]| -> Vec<u64> {
        trees.iter().map(|tree| Fold::of_part(How::Meaning, &[]).print(tree)).collect()
    };
    if !instances || prints(of) != prints(to) || !before.may_go(gone, after) {
        return None;
    }
    let (class, wider) = (class.head()?, wider.head()?);
    if WIDER.contains(&(class, wider)) {
        let told = format!("class generalised: {class} to {wider}");
        return Some(Difference::Stronger(Gain::Class, told));
    }
    WIDER
        .contains(&(wider, class))
        .then(|| Difference::Weaker(format!("class specialised: {class} to {wider}")))
}

/// Whether a number that bounds a variable of an ordered type is better; `None` for anything else.
fn bound(before: &Demands<'_>, after: &Demands<'_>) -> Option<bool> {
    let ((sign, name, old), (other, same, new)) = (bounded(before)?, bounded(after)?);
    if sign != other || name != same || old == new {
        return None;
    }
    match sign {
        "<" | "≤" => Some(new < old),
        ">" | "≥" => Some(new > old),
        _ => None,
    }
}

/// `x ≤ 3`: the sign, the variable, the number.
fn bounded<'a>(demands: &Demands<'a>) -> Option<(&'a str, &'a str, u64)> {
    let Term::Infix(sign, left, right) = &**demands.tail.bare() else { return None };
    let (Term::Name(name), Term::Number(number)) = (&**left.bare(), &**right.bare()) else {
        return None;
    };
    let binder = demands.asked.iter().find(|one| one.binder.name == *name)?;
    let ordered = binder.binder.of_type.as_ref().and_then(Term::head).map(noted);
    matches!(ordered, Some("ℕ" | "ℤ" | "ℚ" | "ℝ")).then_some(())?;
    Some((sign, name, number.parse().ok()?))
}

impl Signature<'_> {
    fn meaning(&self) -> (Node, bool) {
        let mut fold = self.fold(How::Meaning);
        let node = self.node(&mut fold);
        (node, !fold.unsure)
    }

    /// The print of it with a number for each name that it does not bind.
    fn shape(&self) -> u64 {
        let mut fold = self.fold(How::Key);
        fold.assume(&self.refers);
        self.print(&mut fold)
    }
}
