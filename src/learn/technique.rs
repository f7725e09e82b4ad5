//! The technique of a proof: a few tactics name it wherever they occur, else the most used tactic that does real
//! work; `exact`, `have` and their like only count where there is nothing better.

use std::collections::BTreeMap;

use crate::text::is_among;

/// Words for tactics, and their names.
type Table = &'static [(&'static str, &'static str)];

/// They name the method wherever they occur; the first of the table wins. Words for tactics, as specified.
const DECISIVE: Table = &[
    ("finite computation (native_decide)", "native_decide"),
    ("finite computation (bv_decide)", "bv_decide"),
    // `decide` closes its first case.
    ("induction", "induction induction' fun_induction"),
    ("finite computation (decide)", "decide"),
    ("calculational proof", "calc"),
    ("interval case analysis", "interval_cases"),
    ("finite case analysis (fin_cases)", "fin_cases"),
];

/// They do the work of a step; the most used wins, of equals the first.
const WORKING: Table = &[
    ("linear arithmetic (omega)", "omega"),
    ("linear arithmetic (linarith)", "linarith"),
    ("nonlinear arithmetic (nlinarith)", "nlinarith"),
    ("polynomial arithmetic (polyrith)", "polyrith"),
    ("linear combination", "linear_combination"),
    ("numerical normalization", "norm_num"),
    ("ring tactic", "ring ring_nf noncomm_ring"),
    ("field simplification", "field_simp field"),
    ("positivity", "positivity"),
    ("monotonicity (gcongr)", "gcongr"),
    ("bounding (bound)", "bound"),
    ("group identities (group)", "group"),
    ("commutative group identities (abel)", "abel"),
    ("module identities (module)", "module"),
    ("continuity", "continuity"),
    ("function properties (fun_prop)", "fun_prop"),
    ("measurability", "measurability"),
    ("eventual bounds (filter_upwards)", "filter_upwards"),
    ("automation (grind)", "grind"),
    ("automation (aesop)", "aesop"),
    ("propositional logic (tauto)", "tauto"),
    ("propositional logic (itauto)", "itauto"),
    ("simplification (simp)", "simp simp_all simpa dsimp"),
    ("casts to integers (zify)", "zify"),
    ("casts (push_cast)", "push_cast norm_cast exact_mod_cast"),
];

/// They only move terms about.
const WEAK: Table = &[
    ("contradiction", "contradiction"),
    ("proof by contradiction", "by_contra by_contra!"),
    ("contraposition", "contrapose contrapose!"),
    ("case analysis", "cases cases' rcases by_cases split_ifs"),
    ("explicit witness", "use exists"),
    ("extensionality", "ext funext"),
    ("rewriting", "rw rwa nth_rw"),
    ("by definition (rfl)", "rfl"),
    ("direct proof term", "exact apply refine refine'"),
];

/// Takes the number of uses per tactic.
pub fn of_tactics(tactics: &BTreeMap<String, usize>) -> Option<&'static str> {
    let used = |table: Table| {
        table.iter().filter_map(|(words, names)| {
            let count: usize = names.split(' ').filter_map(|name| tactics.get(name)).sum();
            (count > 0).then_some((*words, count))
        })
    };
    let most_used =
        |table| used(table).collect::<Vec<_>>().into_iter().rev().max_by_key(|row| row.1);
    let found = used(DECISIVE).next().or_else(|| most_used(WORKING)).or_else(|| most_used(WEAK));
    found.map(|(words, _)| words)
}

pub fn is_tactic(name: &str) -> bool {
    let mut rows = [DECISIVE, WORKING, WEAK].into_iter().flatten();
    rows.any(|(_, names)| is_among(name, names))
}

/// Not those of tactics that occur in every proof; words in no table do.
pub fn is_telling(words: &str) -> bool {
    !WEAK.iter().any(|(known, _)| *known == words)
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
