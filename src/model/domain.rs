//! The mathematical domain of a file, from imports, names in statements and the file's name. No signal is `None`.

use super::Domain;
use crate::text::is_among;

use Domain::{Algebra, Analysis, Combinatorics, NumberTheory};

/// Folders of Mathlib; the longest prefix decides, `None` for what every domain uses.
const FOLDERS: &[(Option<Domain>, &str)] = &[
    (
        Some(NumberTheory),
        "NumberTheory Data.ZMod Data.Nat.Prime Data.Nat.PrimeFin Data.Nat.Factorization Data.Nat.Factors \
         Data.Nat.Totient Data.Nat.GCD Data.Nat.ModEq Data.Nat.Squarefree Data.Nat.Digits \
         Data.Nat.Multiplicity Data.Int.ModEq Data.Int.GCD",
    ),
    (
        Some(Combinatorics),
        "Combinatorics Data.Sym Data.Nat.Choose Data.Finset.Sups Order.Partition Order.SupClosed",
    ),
    (
        Some(Algebra),
        "Algebra GroupTheory RingTheory FieldTheory LinearAlgebra RepresentationTheory CategoryTheory \
         AlgebraicGeometry Data.Matrix",
    ),
    (
        Some(Analysis),
        "Analysis MeasureTheory Topology Probability Dynamics Order.Filter Data.Complex",
    ),
    (None, "Algebra.BigOperators Algebra.Order Algebra.Group.Basic Algebra.Ring.Parity"),
];

/// Parts of names and symbols in statements, with weights; a dotted name counts by its parts.
const SYMBOLS: &[(Domain, u32, &str)] = &[
    (
        NumberTheory,
        3,
        "Prime Primes primeFactors primeFactorsList primesBelow primeCounting minFac IsPrimePow nth_prime \
         totient divisors properDivisors factorization padicValNat padicValInt padicValRat \
         ArithmeticFunction vonMangoldt sigma legendreSym jacobiSym DirichletCharacter Squarefree Coprime \
         ModEq ZMod Perfect Abundant Deficient Powerful smoothNumbers digits collatz Fermat LucasLehmer \
         Pell Zsqrtd NumberField IsSumTwoSq riemannZeta",
    ),
    (NumberTheory, 1, "∣ gcd lcm % MOD ZMOD dvd IsSquare Odd Even"),
    (
        Combinatorics,
        3,
        "SimpleGraph Digraph Hypergraph Sym2 Adj Walk IsPath IsCycle girth chromaticNumber Coloring \
         Colorable cliqueFinset CliqueFree cliqueNum IsClique IsIndepSet indepNum edgeFinset \
         neighborFinset IsMatching IsPerfectMatching IsTuranMaximal Ramsey powersetCard SetFamily \
         IsAntichain Shatters Matroid Sidon IsSidon SumFree ThreeAPFree ThreeGPFree rothNumberNat \
         addEnergy Permutation Derangement catalan ConvexPosition IsHamiltonian IsRegularOfDegree maxDegree \
         minDegree IsTree IsAcyclic stirling bell IsNClique IsIntersecting Sperner",
    ),
    (Combinatorics, 2, "PowerSeries fib"),
    (Combinatorics, 1, "card ncard encard Finset Fintype choose powerset"),
    (
        Algebra,
        3,
        "Group CommGroup AddCommGroup Subgroup Sylow QuotientGroup FreeGroup MulAut MonoidHom Monoid \
         Semigroup Magma Equation IsSimpleGroup IsSolvable IsNilpotent Ring CommRing Subring RingHom \
         StarRing DivisionRing IsDomain IsNoetherian IsArtinianRing Ideal Field GaloisField IsGalois \
         AlgebraicClosure minpoly IsIntegral Module Submodule LinearMap FiniteDimensional Basis \
         TensorProduct Representation Matrix det charpoly Polynomial MvPolynomial Algebra AlgHom \
         LieAlgebra CategoryTheory Functor IsCyclic IsPGroup LinearIndependent finrank IsReduced Nilpotent",
    ),
    (Algebra, 1, "orderOf MulAction IsUnit trace rank →ₗ →* →+* ≃*"),
    (
        Analysis,
        3,
        "MeasureTheory Measure Measurable MeasurableSet ProbabilityMeasure volume ae ∫ Integrable \
         IntegrableOn Continuous ContinuousOn ContinuousAt UniformContinuous LipschitzWith Tendsto nhds \
         𝓝 atTop ∀ᶠ limsup liminf Cauchy CauchySeq deriv iteratedDeriv fderiv HasDerivAt ContDiff \
         Differentiable DifferentiableOn DifferentiableAt AnalyticOn AnalyticAt Summable HasSum ∑' \
         NormedSpace NormedAddCommGroup InnerProductSpace MetricSpace TopologicalSpace IsOpen IsClosed \
         IsCompact Convex ConvexOn IsBigO IsLittleO =O =o BddAbove StrictMonoOn \
         CompactSpace T2Space ConnectedSpace IsConnected IsPreconnected Homeomorph IsBounded \
         IsProbabilityMeasure ProbabilityTheory variance IndepFun",
    ),
    (
        Analysis,
        1,
        "log exp sin cos sqrt rpow arctan Complex norm ‖ dist EuclideanSpace sSup sInf Icc Ioo",
    ),
];

/// A file that is about one of these counts its elements without being combinatorics, unless it speaks of finite sets.
const STRUCTURES: &str =
    "Group CommGroup Monoid CommMonoid Semigroup Ring CommRing DivisionRing Field";
const STRUCTURE_POINTS: u32 = 6;

const NAME_WORDS: &[(Domain, &str)] = &[
    (
        NumberTheory,
        "numbertheory prime primes divisor divisors gcd totient diophantine legendre goldbach collatz \
         squarefree powerful fermat modular residue congruence arithmetic carmichael pell brocard \
         wieferich zeta aliquot perfect amicable",
    ),
    (
        Combinatorics,
        "combinatorics graph graphs chromatic coloring ramsey clique hypergraph matching packing tuza \
         sidon sunflower turan triangle triangles permutation permutations tournament matroid antichain \
         sumfree",
    ),
    (
        Algebra,
        "algebra group groups ring rings field ideal ideals polynomial polynomials matrix matrices module \
         galois magma eigenvalue",
    ),
    (
        Analysis,
        "analysis integral limit continuous measure derivative series convergence inequality convex \
         fourier entropy topology banach hilbert",
    ),
];

const NAME_POINTS: u32 = 2;
/// So that one busy definition does not decide for a file.
const MOST_PER_SIGNAL: u32 = 9;

/// Imports of single folders decide, then statements; the name breaks ties. `import Mathlib` says nothing.
pub fn infer<'a>(
    imports: impl Iterator<Item = &'a str>,
    statements: impl Iterator<Item = &'a str>,
    name: &str,
) -> Option<Domain> {
    let mut scores = [0_u32; Domain::ALL.len()];
    for domain in imports.filter_map(of_import) {
        add(&mut scores, domain, 6);
    }
    let is_of_reals = score_statements(statements, &mut scores);
    for word in name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase) {
        for (domain, words) in NAME_WORDS {
            if words.split_whitespace().any(|known| known == word) {
                add(&mut scores, *domain, NAME_POINTS);
            }
        }
    }
    let best = *scores.iter().max()?;
    if best == 0 && is_of_reals {
        return Some(Analysis);
    }
    Domain::ALL.iter().zip(scores).find(|(_, score)| *score == best && best > 0).map(|(d, _)| *d)
}

fn add(scores: &mut [u32], domain: Domain, points: u32) {
    let place = Domain::ALL.iter().position(|known| *known == domain);
    if let Some(score) = place.and_then(|place| scores.get_mut(place)) {
        *score += points;
    }
}

fn of_import(module: &str) -> Option<Domain> {
    let module = module.strip_prefix("Mathlib.")?;
    let fits = |folder: &str| {
        module.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let folders = FOLDERS
        .iter()
        .flat_map(|(domain, folders)| folders.split_whitespace().map(|folder| (folder, *domain)));
    folders.filter(|(folder, _)| fits(folder)).max_by_key(|(folder, _)| folder.len())?.1
}

/// Whether something is said of the order of real numbers, which alone is analysis.
fn score_statements<'a>(statements: impl Iterator<Item = &'a str>, scores: &mut [u32]) -> bool {
    let mut is_about_structure = false;
    let mut uses: std::collections::HashMap<&str, u32> = std::collections::HashMap::new();
    for statement in statements {
        for part in parts(statement) {
            *uses.entry(part).or_default() += 1;
        }
        let classes = statement.split('[').skip(1).filter_map(|rest| rest.split(' ').next());
        is_about_structure |= classes.into_iter().any(|class| is_among(class, STRUCTURES));
    }
    if is_about_structure && !uses.contains_key("Finset") {
        add(scores, Algebra, STRUCTURE_POINTS);
    }
    for (domain, weight, symbols) in SYMBOLS {
        for symbol in symbols.split_whitespace() {
            if let Some(count) = uses.get(symbol) {
                add(scores, *domain, (count * weight).min(MOST_PER_SIGNAL));
            }
        }
    }
    uses.contains_key("ℝ") && ["<", "≤", ">", "≥"].iter().any(|sign| uses.contains_key(sign))
}

/// Components of dotted names, and runs of symbols.
fn parts(statement: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    statement.split(|c: char| c.is_whitespace() || "()[]{}⦃⦄,.:⟨⟩".contains(c)).flat_map(
        move |piece| {
            let mut rest = piece;
            std::iter::from_fn(move || {
                let first = rest.chars().next()?;
                let end = rest
                    .find(|c: char| is_word(c) != is_word(first))
                    .filter(|end| *end > 0)
                    .unwrap_or(rest.len());
                let (part, after) = rest.split_at(end);
                rest = after;
                Some(part)
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_speak_first() {
        for (module, expected) in [
            ("Mathlib.NumberTheory.Divisors", Some(NumberTheory)),
            ("Mathlib.RingTheory.Ideal.Basic", Some(Algebra)),
            ("Mathlib.Combinatorics.SimpleGraph.Basic", Some(Combinatorics)),
            ("Mathlib.Algebra.BigOperators.Group.Finset", None),
            ("Mathlib.Algebra.Lie.Basic", Some(Algebra)),
            ("Mathlib.AlgebraicTopology", None),
            ("Mathlib.Tactic", None),
            ("Mathlib", None),
        ] {
            assert_eq!(of_import(module), expected, "{module}");
        }
    }

    #[test]
    fn statements_speak_where_imports_do_not() {
        for (statement, name, expected) in [
            ("theorem a (p : ℕ) (hp : p.Prime) : p ∣ n → n.Coprime p", "x", Some(NumberTheory)),
            ("lemma b (G : SimpleGraph V) : G.chromaticNumber ≤ 4", "x", Some(Combinatorics)),
            ("theorem c [Group G] (H : Subgroup G) : H.Normal", "x", Some(Algebra)),
            ("theorem d : Filter.Tendsto f Filter.atTop (nhds 0)", "x", Some(Analysis)),
            ("theorem e (A : Finset ℕ) : A.card ≤ 3", "x", Some(Combinatorics)),
            ("theorem f (n : ℕ) : n < 2 ^ n", "slot9_tuza_nu4", Some(Combinatorics)),
            ("theorem g : 1 + 1 = 2", "slot9_result", None),
            (
                "theorem h [Group G] [Fintype G] (h : Fintype.card G = 8) : Fintype.card (center G) = 2",
                "x",
                Some(Algebra),
            ),
            (
                "theorem i [Group G] (A B : Finset G) : (A * B).card ≤ A.card * B.card",
                "x",
                Some(Combinatorics),
            ),
            ("def f : PowerSeries ℚ := PowerSeries.mk g", "x", Some(Combinatorics)),
            ("theorem j (a b : ℝ) : 2 * a * b ≤ a ^ 2 + b ^ 2", "x", Some(Analysis)),
            ("theorem k (a b : ℝ) : a + b = b + a", "x", None),
            ("theorem l (f : α → Set α) : ¬ Surjective f", "x", None),
            ("theorem m (φ : Formula) : φ.size = φ.size", "x", None),
            ("every finite abelian group", "every finite abelian group", Some(Algebra)),
            ("", "a graph with small clique", Some(Combinatorics)),
            ("primeval soup", "primeval soup", None),
            ("", "", None),
        ] {
            let found = infer(["Mathlib"].into_iter(), [statement].into_iter(), name);
            assert_eq!(found, expected, "{statement}");
        }
    }
}
