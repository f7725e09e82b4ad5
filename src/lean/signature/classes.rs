//! Classes of Mathlib: which are wider than others, and what those are now that it split or renamed.

use std::rc::Rc;

use super::Signature;
use super::term::{Binder, Kind, Term};

/// Classes, each with what all of its instances are too, as Mathlib has it; and types of numbers, with
/// what they are as far as it matters.
const WIDER: &str = "\
    ℕ < CommSemiring NoZeroDivisors IsStrictOrderedRing LinearOrder Denumerable Infinite; \
    ℤ < CommRing IsDomain IsStrictOrderedRing LinearOrder Denumerable Infinite; \
    ℚ < Field IsDomain IsStrictOrderedRing LinearOrder Denumerable Infinite; \
    ℝ < IsDomain IsStrictOrderedRing LinearOrder RCLike MetricSpace MeasurableSpace BorelSpace Infinite; \
    ℂ < IsDomain RCLike MetricSpace MeasurableSpace BorelSpace Infinite; Fin < Fintype LinearOrder; \
    Fintype < Finite; Finite < Countable; Encodable < Countable; Denumerable < Encodable; \
    Unique < Inhabited Subsingleton; Inhabited < Nonempty; Nontrivial < Nonempty; Infinite < Nontrivial; \
    Semigroup < Mul; Monoid < Semigroup MulOneClass; CommMonoid < Monoid CommSemigroup; \
    CancelCommMonoid < CancelMonoid CommMonoid; DivisionMonoid < DivInvMonoid; DivInvMonoid < Monoid; \
    Group < DivisionMonoid CancelMonoid; CommGroup < Group CancelCommMonoid; CancelMonoid < Monoid; \
    AddMonoid < AddSemigroup AddZeroClass; AddCommMonoid < AddMonoid AddCommSemigroup; \
    AddGroup < SubNegMonoid; SubNegMonoid < AddMonoid; AddCommGroup < AddGroup AddCommMonoid; \
    MonoidWithZero < Monoid MulZeroClass; CommMonoidWithZero < CommMonoid MonoidWithZero; \
    GroupWithZero < MonoidWithZero; CommGroupWithZero < GroupWithZero CommMonoidWithZero; \
    NonUnitalNonAssocSemiring < AddCommMonoid; NonUnitalSemiring < NonUnitalNonAssocSemiring; \
    NonAssocSemiring < NonUnitalNonAssocSemiring; \
    Semiring < NonUnitalSemiring NonAssocSemiring MonoidWithZero; CommSemiring < Semiring CommMonoidWithZero; \
    Ring < Semiring AddCommGroup; CommRing < Ring CommSemiring; DivisionSemiring < Semiring GroupWithZero; \
    DivisionRing < Ring DivisionSemiring; Semifield < CommSemiring DivisionSemiring CommGroupWithZero; \
    EuclideanDomain < CommRing; Field < DivisionRing Semifield EuclideanDomain; \
    IsDomain < NoZeroDivisors Nontrivial; IsPrincipalIdealRing < IsNoetherianRing; \
    IsArtinianRing < IsNoetherianRing; LinearOrderedField < LinearOrderedCommRing Field; \
    LinearOrderedCommRing < LinearOrderedRing CommRing; LinearOrderedRing < Ring LinearOrder; \
    IsStrictOrderedRing < IsOrderedRing IsOrderedCancelAddMonoid; IsOrderedRing < IsOrderedAddMonoid; \
    IsOrderedCancelAddMonoid < IsOrderedAddMonoid; IsOrderedCancelMonoid < IsOrderedMonoid; Preorder < LE; PartialOrder < Preorder; \
    SemilatticeSup < PartialOrder; SemilatticeInf < PartialOrder; Lattice < SemilatticeSup SemilatticeInf; \
    DistribLattice < Lattice; LinearOrder < DistribLattice; CompleteLattice < Lattice; \
    CompleteLinearOrder < CompleteLattice LinearOrder; BooleanAlgebra < DistribLattice; \
    UniformSpace < TopologicalSpace; PseudoMetricSpace < UniformSpace; MetricSpace < PseudoMetricSpace; \
    T2Space < T1Space; T1Space < T0Space; T3Space < T2Space; T4Space < T3Space NormalSpace; \
    CompactSpace < WeaklyLocallyCompactSpace; SecondCountableTopology < SeparableSpace; \
    IsTopologicalRing < IsTopologicalSemiring; IsTopologicalSemiring < ContinuousAdd ContinuousMul; \
    SeminormedAddCommGroup < AddCommGroup PseudoMetricSpace; \
    NormedAddCommGroup < SeminormedAddCommGroup MetricSpace; NormedRing < Ring NormedAddCommGroup; \
    NormedCommRing < NormedRing CommRing; NormedField < NormedCommRing Field; \
    NontriviallyNormedField < NormedField; RCLike < NontriviallyNormedField CompleteSpace; InnerProductSpace < NormedSpace; \
    NormedSpace < Module; NormedAlgebra < NormedSpace Algebra; Algebra < Module; \
    IsProbabilityMeasure < IsZeroOrProbabilityMeasure; IsZeroOrProbabilityMeasure < IsFiniteMeasure; \
    IsFiniteMeasure < SigmaFinite; SigmaFinite < SFinite";

/// Whether all instances of a class are instances of another one.
pub(super) fn is_wider(class: &str, wider: &str) -> bool {
    let rows = WIDER.split("; ").filter_map(|row| row.split_once(" < "));
    let mut parents = rows.filter(|(one, _)| *one == class).flat_map(|(_, of)| of.split(' '));
    parents.any(|parent| parent == wider || is_wider(parent, wider))
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
