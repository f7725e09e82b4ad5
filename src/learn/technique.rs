//! The technique of a proof, told from the tactics that it uses.
//!
//! A few tactics name the method whenever they occur; else the most used tactic that does real work
//! does; `exact`, `have` and their like only count where there is nothing better.

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
const TACTICS: &[(&str, Weight, &str)] = &[
    ("native_decide", Decisive, "finite computation (native_decide)"),
    ("decide", Decisive, "finite computation (decide)"),
    ("bv_decide", Decisive, "finite computation (bv_decide)"),
    ("induction", Decisive, "induction"),
    ("induction'", Decisive, "induction"),
    ("fun_induction", Decisive, "induction"),
    ("calc", Decisive, "calculational proof"),
    ("interval_cases", Decisive, "interval case analysis"),
    ("fin_cases", Decisive, "finite case analysis (fin_cases)"),
    ("omega", Working, "linear arithmetic (omega)"),
    ("linarith", Working, "linear arithmetic (linarith)"),
    ("nlinarith", Working, "nonlinear arithmetic (nlinarith)"),
    ("polyrith", Working, "polynomial arithmetic (polyrith)"),
    ("linear_combination", Working, "linear combination"),
    ("norm_num", Working, "numerical normalization"),
    ("ring", Working, "ring tactic"),
    ("ring_nf", Working, "ring tactic"),
    ("noncomm_ring", Working, "ring tactic"),
    ("field_simp", Working, "field simplification"),
    ("field", Working, "field simplification"),
    ("positivity", Working, "positivity"),
    ("gcongr", Working, "monotonicity (gcongr)"),
    ("bound", Working, "bounding (bound)"),
    ("group", Working, "group identities (group)"),
    ("abel", Working, "commutative group identities (abel)"),
    ("module", Working, "module identities (module)"),
    ("continuity", Working, "continuity"),
    ("fun_prop", Working, "function properties (fun_prop)"),
    ("measurability", Working, "measurability"),
    ("filter_upwards", Working, "eventual bounds (filter_upwards)"),
    ("grind", Working, "automation (grind)"),
    ("aesop", Working, "automation (aesop)"),
    ("tauto", Working, "propositional logic (tauto)"),
    ("itauto", Working, "propositional logic (itauto)"),
    ("simp", Working, "simplification (simp)"),
    ("simp_all", Working, "simplification (simp)"),
    ("simpa", Working, "simplification (simp)"),
    ("dsimp", Working, "simplification (simp)"),
    ("zify", Working, "casts to integers (zify)"),
    ("push_cast", Working, "casts (push_cast)"),
    ("norm_cast", Working, "casts (push_cast)"),
    ("exact_mod_cast", Working, "casts (push_cast)"),
    ("contradiction", Weak, "contradiction"),
    ("by_contra", Weak, "proof by contradiction"),
    ("by_contra!", Weak, "proof by contradiction"),
    ("contrapose", Weak, "contraposition"),
    ("contrapose!", Weak, "contraposition"),
    ("cases", Weak, "case analysis"),
    ("cases'", Weak, "case analysis"),
    ("rcases", Weak, "case analysis"),
    ("by_cases", Weak, "case analysis"),
    ("split_ifs", Weak, "case analysis"),
    ("use", Weak, "explicit witness"),
    ("exists", Weak, "explicit witness"),
    ("ext", Weak, "extensionality"),
    ("funext", Weak, "extensionality"),
    ("rw", Weak, "rewriting"),
    ("rwa", Weak, "rewriting"),
    ("nth_rw", Weak, "rewriting"),
    ("rfl", Weak, "by definition (rfl)"),
    ("exact", Weak, "direct proof term"),
    ("apply", Weak, "direct proof term"),
    ("refine", Weak, "direct proof term"),
    ("refine'", Weak, "direct proof term"),
];

/// Takes the number of uses per tactic.
pub fn of_tactics(tactics: &BTreeMap<String, usize>) -> Option<&'static str> {
    let used = |weight: Weight| {
        TACTICS.iter().filter(move |row| row.1 == weight).filter_map(|(name, _, words)| {
            tactics.get(*name).filter(|count| **count > 0).map(|count| (*words, *count))
        })
    };
    used(Decisive)
        .next()
        .map(|(words, _)| words)
        .or_else(|| most_used(used(Working)))
        .or_else(|| most_used(used(Weak)))
}

/// The words with the largest sum of uses; the earlier of the table among equals.
fn most_used(used: impl Iterator<Item = (&'static str, usize)>) -> Option<&'static str> {
    let mut sums: Vec<(&'static str, usize)> = Vec::new();
    for (words, count) in used {
        match sums.iter_mut().find(|(known, _)| *known == words) {
            Some((_, sum)) => *sum += count,
            None => sums.push((words, count)),
        }
    }
    sums.iter().rev().max_by_key(|(_, sum)| *sum).map(|(words, _)| *words)
}

pub fn is_tactic(name: &str) -> bool {
    TACTICS.iter().any(|(known, ..)| *known == name)
}

/// Not those of tactics that occur in every proof; words in no table do.
pub fn is_telling(words: &str) -> bool {
    !TACTICS.iter().any(|(_, weight, known)| *weight == Weak && *known == words)
}

pub fn listed(tactics: &BTreeMap<String, usize>) -> Vec<&str> {
    let mut known: Vec<(&str, usize)> = tactics
        .iter()
        .filter(|(name, _)| TACTICS.iter().any(|(known, ..)| known == name))
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
