//! Predicates of Mathlib, each with those that hold wherever it does.

use super::term::Tree;

/// Each with what it is said of, in the order of Mathlib's arguments. What only the second one speaks of may be
/// anything.
const GIVES: &str = "\
    Isometry f < UniformContinuous f; LipschitzWith K f < UniformContinuous f; LipschitzOnWith K f s < UniformContinuousOn f s; \
    UniformContinuous f < Continuous f, UniformContinuousOn f s; UniformContinuousOn f s < ContinuousOn f s; \
    Continuous f < ContinuousOn f s, ContinuousAt f x; ContinuousAt f x < ContinuousWithinAt f s x; \
    ContDiff k n f < Continuous f, ContDiffOn k n f s, ContDiffAt k n f x; ContDiffAt k n f x < ContinuousAt f x; \
    ContDiffOn k n f s < ContinuousOn f s; AnalyticAt k f x < DifferentiableAt k f x; \
    Differentiable k f < Continuous f, DifferentiableOn k f s, DifferentiableAt k f x; \
    DifferentiableAt k f x < ContinuousAt f x, DifferentiableWithinAt k f s x; DifferentiableOn k f s < ContinuousOn f s; \
    HasDerivAt f d x < ContinuousAt f x, HasDerivWithinAt f d s x; HasDerivWithinAt f d s x < ContinuousWithinAt f s x; \
    HasFDerivAt f d x < ContinuousAt f x, HasFDerivWithinAt f d s x; HasFDerivWithinAt f d s x < ContinuousWithinAt f s x; \
    StrictMono f < StrictMonoOn f s; StrictAnti f < StrictAntiOn f s; Monotone f < MonotoneOn f s; Antitone f < AntitoneOn f s; \
    StrictConvexOn k s f < ConvexOn k s f; StrictConcaveOn k s f < ConcaveOn k s f; StrictConvex k s < Convex k s; \
    Measurable f < AEMeasurable f m; StronglyMeasurable f < AEStronglyMeasurable f m; \
    MeasurableSet s < NullMeasurableSet s m; Integrable f m < AEStronglyMeasurable f m, IntegrableOn f s m, LocallyIntegrable f m; \
    MemLp f p m < AEStronglyMeasurable f m; IntegrableOn f s m < LocallyIntegrableOn f s m; \
    Bijective f < Injective f, Surjective f; Involutive f < Bijective f; Injective f < InjOn f s; \
    BijOn f s t < InjOn f s, MapsTo f s t, SurjOn f s t; \
    Finite s < Countable s; Infinite s < Nonempty s; Nontrivial s < Nonempty s; Subsingleton s < Finite s; \
    IsPathConnected s < IsConnected s; IsConnected s < IsPreconnected s, Nonempty s; IsIrreducible s < IsPreirreducible s; \
    IsClopen s < IsOpen s, IsClosed s; IsCompact s < IsLindelof s; \
    IsOpenEmbedding f < IsEmbedding f, IsOpenMap f; IsClosedEmbedding f < IsEmbedding f, IsClosedMap f; \
    IsEmbedding f < IsInducing f, Injective f; IsInducing f < Continuous f; IsQuotientMap f < Continuous f, Surjective f; \
    IsHomeomorph f < IsOpenEmbedding f, IsClosedEmbedding f, Bijective f; \
    IsLeast s a < IsGLB s a; IsGreatest s a < IsLUB s a; HasSum f a < Summable f; HasProd f a < Multipliable f; \
    =o[ l f g < =O[ l f g; =Θ[ l f g < =O[ l f g; Equivalence r < Reflexive r, Symmetric r, Transitive r; \
    IsTree G < Connected G, IsAcyclic G; Connected G < Preconnected G; PosDef A < PosSemidef A; PosSemidef A < IsHermitian A";

/// The same where the order of what a function takes is partial.
const OF_PARTIAL_ORDERS: &str = "StrictMono f < Monotone f; StrictAnti f < Antitone f; StrictMonoOn f s < MonotoneOn f s; \
    StrictAntiOn f s < AntitoneOn f s";

pub(super) fn knows(name: &str) -> bool {
    let words =
        [GIVES, OF_PARTIAL_ORDERS].into_iter().flat_map(|table| table.split([' ', ';', ',']));
    name.len() > 1 && words.into_iter().any(|word| word == name)
}

/// Longer ways from one predicate to another are not looked for.
const MOST_STEPS: usize = 5;

/// What is said, and of what.
pub(super) type Said<'t, 'a> = (&'t str, &'t [Tree<'a>]);

/// Whether the first of two predicates gives the second one. `is_partial`: whether all orders are.
pub(super) fn gives<'a>(
    from: Said<'_, 'a>,
    to: Said<'_, 'a>,
    is_partial: bool,
    is_same: &dyn Fn(&Tree<'a>, &Tree<'a>) -> bool,
) -> bool {
    // Of what it is said: an index into that of the first one, or anything.
    let all: Vec<Option<usize>> = (0..from.1.len()).map(Some).collect();
    let mut reached = vec![(from.0, all)];
    let mut at = 0;
    while let Some((name, of)) = reached.get(at).cloned().filter(|_| at < 4 * MOST_STEPS) {
        at += 1;
        let fits = |(index, to): (&Option<usize>, &Tree<'a>)| {
            index.is_none_or(|index| from.1.get(index).is_some_and(|from| is_same(from, to)))
        };
        if at > 1 && name == to.0 && of.len() == to.1.len() && of.iter().zip(to.1).all(fits) {
            return true;
        }
        let orders = if is_partial { OF_PARTIAL_ORDERS } else { "" };
        let rows = GIVES.split("; ").chain(orders.split("; "));
        let rows = rows.filter_map(|row| row.split_once(" < "));
        for (left, right) in rows.filter(|(left, _)| left.split(' ').next() == Some(name)) {
            let names: Vec<&str> = left.split(' ').skip(1).collect();
            reached.extend(right.split(", ").filter(|_| names.len() == of.len()).map(|one| {
                let mut words = one.split(' ');
                let name = words.next().unwrap_or_default();
                let place = |word| names.iter().position(|name| *name == word);
                (name, words.map(|word| of.get(place(word)?).copied().flatten()).collect())
            }));
        }
    }
    false
}
