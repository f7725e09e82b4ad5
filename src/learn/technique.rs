//! The technique of a proof: a few tactics name it wherever they occur, else the most used tactic that does real
//! work; `exact`, `have` and their like only count where there is nothing better.

use std::collections::BTreeMap;

/// How much a tactic says about the method of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// It names the method wherever it occurs; the first of the table wins.
    Decisive,
    /// It does the work of a step; the most used wins.
    Working,
    /// It only moves terms about.
    Weak,
}

use Weight::{Decisive, Weak, Working};

/// Tactics with the words for them, the specification's wording kept. Order breaks ties.
const TACTICS: &[(Weight, &str, &str)] = &[
    (Decisive, "finite computation (native_decide)", "native_decide"),
    (Decisive, "finite computation (decide)", "decide"),
    (Decisive, "finite computation (bv_decide)", "bv_decide"),
    (Decisive, "induction", "induction induction' fun_induction"),
    (Decisive, "calculational proof", "calc"),
    (Decisive, "interval case analysis", "interval_cases"),
    (Decisive, "finite case analysis (fin_cases)", "fin_cases"),
    (Working, "linear arithmetic (omega)", "omega"),
    (Working, "linear arithmetic (linarith)", "linarith"),
    (Working, "nonlinear arithmetic (nlinarith)", "nlinarith"),
    (Working, "polynomial arithmetic (polyrith)", "polyrith"),
    (Working, "linear combination", "linear_combination"),
    (Working, "numerical normalization", "norm_num"),
    (Working, "ring tactic", "ring ring_nf noncomm_ring"),
    (Working, "field simplification", "field_simp field"),
    (Working, "positivity", "positivity"),
    (Working, "monotonicity (gcongr)", "gcongr"),
    (Working, "bounding (bound)", "bound"),
    (Working, "group identities (group)", "group"),
    (Working, "commutative group identities (abel)", "abel"),
    (Working, "module identities (module)", "module"),
    (Working, "continuity", "continuity"),
    (Working, "function properties (fun_prop)", "fun_prop"),
    (Working, "measurability", "measurability"),
    (Working, "eventual bounds (filter_upwards)", "filter_upwards"),
    (Working, "automation (grind)", "grind"),
    (Working, "automation (aesop)", "aesop"),
    (Working, "propositional logic (tauto)", "tauto"),
    (Working, "propositional logic (itauto)", "itauto"),
    (Working, "simplification (simp)", "simp simp_all simpa dsimp"),
    (Working, "casts to integers (zify)", "zify"),
    (Working, "casts (push_cast)", "push_cast norm_cast exact_mod_cast"),
    (Weak, "contradiction", "contradiction"),
    (Weak, "proof by contradiction", "by_contra by_contra!"),
    (Weak, "contraposition", "contrapose contrapose!"),
    (Weak, "case analysis", "cases cases' rcases by_cases split_ifs"),
    (Weak, "explicit witness", "use exists"),
    (Weak, "extensionality", "ext funext"),
    (Weak, "rewriting", "rw rwa nth_rw"),
    (Weak, "by definition (rfl)", "rfl"),
    (Weak, "direct proof term", "exact apply refine refine'"),
];

/// Takes the number of uses per tactic.
pub fn of_tactics(tactics: &BTreeMap<String, usize>) -> Option<&'static str> {
    let used = |weight: Weight| {
        TACTICS.iter().filter(move |row| row.0 == weight).filter_map(|(_, words, names)| {
            let count: usize = names.split(' ').filter_map(|name| tactics.get(name)).sum();
            (count > 0).then_some((*words, count))
        })
    };
    // The earlier of the table among equals.
    let most_used =
        |weight| used(weight).collect::<Vec<_>>().into_iter().rev().max_by_key(|row| row.1);
    let found = used(Decisive).next().or_else(|| most_used(Working)).or_else(|| most_used(Weak));
    found.map(|(words, _)| words)
}

pub fn is_tactic(name: &str) -> bool {
    TACTICS.iter().any(|(.., names)| names.split(' ').any(|known| known == name))
}

/// Not those of tactics that occur in every proof; words in no table do.
pub fn is_telling(words: &str) -> bool {
    !TACTICS.iter().any(|(weight, known, _)| *weight == Weak && *known == words)
}

pub fn listed(tactics: &BTreeMap<String, usize>) -> Vec<&str> {
    let mut known: Vec<(&str, usize)> = tactics
        .iter()
        .filter(|(name, _)| is_tactic(name))
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    known.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    known.into_iter().map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tactics(list: &[(&str, usize)]) -> BTreeMap<String, usize> {
        list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn technique_rows() {
        for (used, expected) in [
            (&[("native_decide", 1), ("simp", 40)][..], Some("finite computation (native_decide)")),
            (&[("decide", 1), ("native_decide", 1)], Some("finite computation (native_decide)")),
            (&[("induction", 1), ("omega", 9)], Some("induction")),
            (&[("calc", 1), ("interval_cases", 2)], Some("calculational proof")),
            (&[("interval_cases", 1), ("omega", 12)], Some("interval case analysis")),
            (&[("simp", 3), ("omega", 5)], Some("linear arithmetic (omega)")),
            (&[("simp", 3), ("simp_all", 3), ("omega", 5)], Some("simplification (simp)")),
            (
                &[("exact", 90), ("have", 80), ("nlinarith", 1)],
                Some("nonlinear arithmetic (nlinarith)"),
            ),
            (&[("omega", 2), ("simp", 2)], Some("linear arithmetic (omega)")),
            (&[("exact", 2), ("intro", 9)], Some("direct proof term")),
            (&[("rw", 2), ("exact", 1)], Some("rewriting")),
            (&[("intro", 9), ("have", 3)], None),
            (&[("decide", 0)], None),
            (&[], None),
        ] {
            assert_eq!(of_tactics(&tactics(used)), expected, "{used:?}");
        }
    }

    #[test]
    fn the_list_names_known_tactics_by_use() {
        let used = tactics(&[("my_macro", 9), ("simp", 1), ("omega", 2), ("exact", 2)]);
        assert_eq!(listed(&used), ["exact", "omega", "simp"]);
    }
}
