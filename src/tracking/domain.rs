//! The domain of a record, from the words and symbols of its statement.

use std::collections::BTreeSet;

use crate::model::Domain;

/// Words of a statement, name or description that point to a domain; in lower case.
const SIGNALS: &[(Domain, &[&str])] = &[
    (
        Domain::NumberTheory,
        &[
            "∣",
            "≡",
            "prime",
            "primes",
            "divisor",
            "divisors",
            "divides",
            "dvd",
            "coprime",
            "gcd",
            "lcm",
            "mod",
            "modulo",
            "modular",
            "zmod",
            "modeq",
            "residue",
            "residues",
            "congruence",
            "diophantine",
            "totient",
            "squarefree",
            "legendre",
            "jacobi",
            "padic",
            "composite",
            "integers",
            "abundant",
            "semiprime",
        ],
    ),
    (
        Domain::Combinatorics,
        &[
            "τ",
            "ν",
            "graph",
            "graphs",
            "simplegraph",
            "hypergraph",
            "vertex",
            "vertices",
            "edge",
            "edges",
            "clique",
            "cliques",
            "coloring",
            "colouring",
            "chromatic",
            "triangle",
            "triangles",
            "matching",
            "packing",
            "covering",
            "apex",
            "ramsey",
            "turan",
            "bipartite",
            "matroid",
            "antichain",
            "pigeonhole",
            "subsets",
        ],
    ),
    (
        Domain::Algebra,
        &[
            "group",
            "groups",
            "subgroup",
            "subgroups",
            "abelian",
            "ring",
            "rings",
            "ideal",
            "ideals",
            "field",
            "fields",
            "galois",
            "module",
            "algebra",
            "homomorphism",
            "matrix",
            "determinant",
            "finrank",
            "eigenvalue",
            "sylow",
            "monoid",
        ],
    ),
    (
        Domain::Analysis,
        &[
            "ℝ",
            "ℂ",
            "continuous",
            "tendsto",
            "integral",
            "derivative",
            "deriv",
            "measure",
            "measurable",
            "lebesgue",
            "limit",
            "metric",
            "holomorphic",
            "analytic",
            "banach",
            "hilbert",
            "convergent",
            "converges",
            "summable",
            "supremum",
        ],
    ),
];

/// The domain to which most different signals point; `None` without any, or where two are equal.
pub(super) fn infer(texts: &[&str]) -> Option<Domain> {
    let words: BTreeSet<String> = texts.iter().flat_map(|text| words(text)).collect();
    let score = |signals: &[&str]| signals.iter().filter(|s| words.contains(**s)).count();
    let mut scores: Vec<(usize, Domain)> =
        SIGNALS.iter().map(|(domain, signals)| (score(signals), *domain)).collect();
    scores.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    match scores.as_slice() {
        [(best, domain), (next, _), ..] if best > next => Some(*domain),
        _ => None,
    }
}

/// Whole identifiers, their parts (`SimpleGraph`, `Nat.Prime`, `is_prime`), and single symbols.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut whole = String::new();
    let mut part = String::new();
    let mut after_lower = false;
    for c in text.chars().chain([' ']) {
        if c.is_alphabetic() {
            if c.is_uppercase() && after_lower {
                words.push(std::mem::take(&mut part));
            }
            after_lower = c.is_lowercase();
            whole.extend(c.to_lowercase());
            part.extend(c.to_lowercase());
            continue;
        }
        words.push(std::mem::take(&mut whole));
        words.push(std::mem::take(&mut part));
        after_lower = false;
        if !c.is_ascii() {
            words.push(c.to_string());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_speak_of_their_domain() {
        use Domain::{Algebra, Analysis, Combinatorics, NumberTheory};
        for (text, expected) in [
            ("theorem t (n : ℕ) (hn : 0 < n) : ∃ p, p.Prime ∧ p ∣ n + 1", Some(NumberTheory)),
            ("∀ G : SimpleGraph (Fin 5), τ G ≤ 2 * ν G", Some(Combinatorics)),
            ("isPrime n", Some(NumberTheory)),
            ("every finite abelian group", Some(Algebra)),
            ("Continuous f → ∫ x : ℝ, f x = 0", Some(Analysis)),
            ("∃ x : ℝ, x = 1", Some(Analysis)),
            ("a + b = b + a", None),
            ("graph of primes", None),
            ("primeval soup", None),
            ("", None),
        ] {
            assert_eq!(infer(&[text]), expected, "{text:?}");
        }
    }
}
