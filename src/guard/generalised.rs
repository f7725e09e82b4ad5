//! A statement about one type that becomes one about all types of a class: the old one is an instance of
//! it, where putting the type back gives its words.

use crate::lean::{self, Claim};
use crate::text::is_among;

/// Types, and classes of which they are instances.
const INSTANCES: [(&[&str], &str); 5] = [
    (
        &["ℕ", "Nat"],
        "CommSemiring Semiring AddCommMonoid AddMonoid CommMonoid Monoid MonoidWithZero \
        LinearOrder PartialOrder Preorder Lattice",
    ),
    (
        &["ℤ", "Int"],
        "CommRing Ring CommSemiring Semiring AddCommGroup AddGroup AddCommMonoid AddMonoid \
        CommMonoid Monoid MonoidWithZero IsDomain LinearOrder PartialOrder Preorder Lattice \
        IsStrictOrderedRing IsOrderedRing NoZeroDivisors",
    ),
    (&["ℚ", "Rat"], RATIONAL),
    (&["ℝ", "Real"], RATIONAL),
    (
        &["ℂ", "Complex"],
        "Field DivisionRing CommRing Ring CommSemiring Semiring AddCommGroup AddGroup \
        AddCommMonoid AddMonoid CommMonoid Monoid MonoidWithZero IsDomain NoZeroDivisors",
    ),
];

const RATIONAL: &str = "Field DivisionRing CommRing Ring CommSemiring Semiring AddCommGroup AddGroup \
    AddCommMonoid AddMonoid CommMonoid Monoid MonoidWithZero IsDomain NoZeroDivisors LinearOrder \
    PartialOrder Preorder Lattice IsStrictOrderedRing IsOrderedRing";

/// Whether a signature says of any type of some classes what another one says of one such type.
pub(super) fn is_generalised(old: &str, new: &str) -> bool {
    let tokens = lean::code(new);
    let texts: Vec<&str> = tokens.iter().map(|token| token.text(new)).collect();
    let Some(at) = texts.windows(4).position(|four| {
        matches!(four, ["{" | "(", _, ":", "Type"]) || matches!(four, ["{" | "(", _, ":", "Type*"])
    }) else {
        return false;
    };
    let Some(name) = texts.get(at + 1) else { return false };
    let Some(close) = lean::closing(tokens.get(at..).unwrap_or_default()) else { return false };
    let mut left: Vec<bool> = tokens.iter().map(|_| true).collect();
    let mut drop = |from: usize, to: usize| {
        left.iter_mut().take(to + 1).skip(from).for_each(|one| *one = false);
    };
    drop(at, at + close);
    let mut classes = Vec::new();
    for (index, four) in texts.windows(4).enumerate() {
        if let ["[", class, of, "]"] = four
            && of == name
        {
            classes.push(*class);
            drop(index, index + 3);
        }
    }
    let said = Claim::of_signature(old);
    let fits = |list: &str| classes.iter().all(|class| is_among(class, list));
    let types = INSTANCES.iter().filter(|(_, list)| !classes.is_empty() && fits(list));
    said.is_some()
        && types.flat_map(|(names, _)| names.iter()).any(|concrete| {
            let words = texts.iter().zip(&left).filter(|(_, stays)| **stays);
            let words = words.map(|(text, _)| if text == name { *concrete } else { *text });
            let words: Vec<&str> = words.collect();
            Claim::of_signature(&format!(" {}", words.join(" "))) == said
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_is_put_back() {
        let of_ring = " {R : Type*} [CommRing R] (a b : R) : a - b + b = a";
        assert!(is_generalised(" (a b : ℤ) : a - b + b = a", of_ring));
        assert!(!is_generalised(" (a b : ℕ) : a - b + b = a", of_ring), "no ring");
        assert!(!is_generalised(" (a b : ℤ) : a - b + b = b", of_ring), "other words");
        assert!(!is_generalised(" (a b : ℤ) : a = b", " (a b : ℤ) : a = b"));
    }
}
