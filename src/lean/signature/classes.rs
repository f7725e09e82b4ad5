//! Classes of Mathlib: which are wider than others, and what those are now that it split or renamed.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

use super::Signature;
use super::term::{Binder, Kind, Term};

/// Classes of Mathlib, each with those of which all of its instances are too; and types of numbers.
static WIDER: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let rows = include_str!("../../../data/classes.txt").lines();
    let rows = rows.filter_map(|row| row.split_once(" < "));
    rows.map(|(class, wider)| (class, wider.split(' ').collect())).collect()
});

/// Whether all instances of a class are instances of another one.
pub(super) fn is_wider(class: &str, wider: &str) -> bool {
    let mut reached = vec![class];
    let mut at = 0;
    while let Some(one) = reached.get(at) {
        let parents = WIDER.get(one).into_iter().flatten();
        let new: Vec<&str> = parents.copied().filter(|one| !reached.contains(one)).collect();
        reached.extend(new);
        at += 1;
    }
    reached.iter().skip(1).any(|one| *one == wider)
}

/// Whether it is a class or a type of the table.
pub(super) fn knows(name: &str) -> bool {
    WIDER.iter().any(|(class, wider)| *class == name || wider.contains(&name))
}

/// Classes that Mathlib had, each with those that ask for the same of the same type.
const BECAME: &str = "\
    OrderedCommMonoid = CommMonoid PartialOrder IsOrderedMonoid; \
    OrderedAddCommMonoid = AddCommMonoid PartialOrder IsOrderedAddMonoid; \
    OrderedCancelCommMonoid = CommMonoid PartialOrder IsOrderedCancelMonoid; \
    OrderedCancelAddCommMonoid = AddCommMonoid PartialOrder IsOrderedCancelAddMonoid; \
    OrderedCommGroup = CommGroup PartialOrder IsOrderedMonoid; \
    OrderedAddCommGroup = AddCommGroup PartialOrder IsOrderedAddMonoid; \
    LinearOrderedCommMonoid = CommMonoid LinearOrder IsOrderedMonoid; \
    LinearOrderedAddCommMonoid = AddCommMonoid LinearOrder IsOrderedAddMonoid; \
    LinearOrderedCancelCommMonoid = CommMonoid LinearOrder IsOrderedCancelMonoid; \
    LinearOrderedCancelAddCommMonoid = AddCommMonoid LinearOrder IsOrderedCancelAddMonoid; \
    LinearOrderedCommGroup = CommGroup LinearOrder IsOrderedMonoid; \
    LinearOrderedAddCommGroup = AddCommGroup LinearOrder IsOrderedAddMonoid; \
    OrderedSemiring = Semiring PartialOrder IsOrderedRing; \
    OrderedCommSemiring = CommSemiring PartialOrder IsOrderedRing; \
    OrderedRing = Ring PartialOrder IsOrderedRing; \
    OrderedCommRing = CommRing PartialOrder IsOrderedRing; \
    StrictOrderedSemiring = Semiring PartialOrder IsStrictOrderedRing; \
    StrictOrderedCommSemiring = CommSemiring PartialOrder IsStrictOrderedRing; \
    StrictOrderedRing = Ring PartialOrder IsStrictOrderedRing; \
    StrictOrderedCommRing = CommRing PartialOrder IsStrictOrderedRing; \
    LinearOrderedSemiring = Semiring LinearOrder IsStrictOrderedRing; \
    LinearOrderedCommSemiring = CommSemiring LinearOrder IsStrictOrderedRing; \
    LinearOrderedRing = Ring LinearOrder IsStrictOrderedRing; \
    LinearOrderedCommRing = CommRing LinearOrder IsStrictOrderedRing; \
    LinearOrderedSemifield = Semifield LinearOrder IsStrictOrderedRing; \
    LinearOrderedField = Field LinearOrder IsStrictOrderedRing; \
    ConditionallyCompleteLinearOrderedField = Field ConditionallyCompleteLinearOrder IsStrictOrderedRing; \
    CanonicallyOrderedCommSemiring = CommSemiring PartialOrder IsOrderedRing CanonicallyOrderedAdd NoZeroDivisors; \
    NormedOrderedGroup = NormedCommGroup PartialOrder IsOrderedMonoid; \
    NormedOrderedAddGroup = NormedAddCommGroup PartialOrder IsOrderedAddMonoid; \
    NormedLinearOrderedGroup = NormedCommGroup LinearOrder IsOrderedMonoid; \
    NormedLinearOrderedAddGroup = NormedAddCommGroup LinearOrder IsOrderedAddMonoid; \
    NormedLinearOrderedField = NormedField LinearOrder IsStrictOrderedRing; \
    NormedLatticeAddCommGroup = NormedAddCommGroup Lattice HasSolidNorm IsOrderedAddMonoid; \
    TopologicalGroup = IsTopologicalGroup; TopologicalAddGroup = IsTopologicalAddGroup; \
    TopologicalSemiring = IsTopologicalSemiring; TopologicalRing = IsTopologicalRing; \
    TopologicalDivisionRing = IsTopologicalDivisionRing; UniformGroup = IsUniformGroup; \
    UniformAddGroup = IsUniformAddGroup; LocalRing = IsLocalRing; BoundedSMul = IsBoundedSMul; \
    DiscreteValuationRing = IsDiscreteValuationRing; IsROrC = RCLike";

/// What a class that Mathlib split or renamed is now.
fn became(class: &str) -> Option<impl Iterator<Item = &'static str> + Clone> {
    let mut rows = BECAME.split("; ").filter_map(|row| row.split_once(" = "));
    rows.find(|(one, _)| *one == class).map(|(_, now)| now.split(' '))
}

impl<'a> Signature<'a> {
    /// The same statement with the classes that Mathlib has now; `None` where it asks for no other ones.
    pub(super) fn with_split_classes(&self, is_mathlibs: impl Fn(&str) -> bool) -> Option<Self> {
        let split = |binder: &Binder<'a>| {
            let Term::Apply(class, of) = &**binder.of_type.as_ref()?.bare() else { return None };
            let Term::Name(class) = &**class else { return None };
            let is_free = binder.kind == Kind::Instance
                && !binder.is_used(&self.binders, &self.conclusion)
                && is_mathlibs(class);
            let now = became(class).filter(|now| is_free && now.clone().all(&is_mathlibs))?;
            let asked = now.map(|class| Binder {
                kind: Kind::Instance,
                of_type: Some(Rc::new(Term::Apply(Rc::new(Term::Name(class)), of.clone()))),
                ..Binder::default()
            });
            Some(asked.collect::<Vec<_>>())
        };
        let parts: Vec<_> = self.binders.iter().map(split).collect();
        parts.iter().any(Option::is_some).then(|| {
            let binders = self.binders.iter().zip(parts);
            let binders = binders.flat_map(|(own, now)| now.unwrap_or_else(|| vec![own.clone()]));
            Self { binders: binders.collect(), ..self.clone() }
        })
    }
}
