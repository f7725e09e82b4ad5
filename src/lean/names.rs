//! The tactics that are counted: those of Lean, Batteries, Aesop and Mathlib that proofs use, and
//! the `negate_state` of provers that found a statement false.

/// In the order of their bytes, for the search.
#[rustfmt::skip]
const TACTICS: &[&str] = &[
    "abel", "abel_nf", "absurd", "ac_nf", "ac_rfl", "aesop", "aesop?", "algebraize",
    "all_goals", "any_goals", "apply", "apply_fun", "apply_mod_cast", "apply_rules",
    "assumption", "assumption_mod_cast", "beta_reduce", "bitwise_assoc_tac", "borelize",
    "bound", "bv_decide", "by_cases", "by_contra", "by_contra!", "calc", "cancel_denoms",
    "case", "cases", "cases'", "cat_disch", "change", "choose", "choose!", "clear",
    "compute_degree", "congr", "congr!", "constructor", "continuity", "contradiction",
    "contrapose", "contrapose!", "conv", "conv_lhs", "conv_rhs", "convert", "convert_to",
    "cutsat", "decide", "decide_eq", "decreasing_tactic", "delta", "dsimp", "eapply",
    "econstructor", "erw", "exact", "exact_mod_cast", "exacts", "exfalso", "exists", "existsi",
    "ext", "ext1", "fconstructor", "field_simp", "filter_upwards", "fin_cases", "finiteness",
    "first", "fun_prop", "funext", "gcongr", "generalize", "generalize_proofs", "grind",
    "group", "have", "haveI", "induction", "induction'", "infer_instance", "inhabit",
    "injection", "injections", "interval_cases", "intro", "intros", "itauto", "iterate", "left",
    "let", "letI", "lia", "lift", "linarith", "linear_combination", "linear_combination'",
    "match", "measurability", "mfld_set_tac", "module", "monicity", "mono", "mvcgen",
    "native_decide", "negate_state", "next", "nlinarith", "nofun", "nomatch", "noncomm_ring",
    "nontriviality", "norm_cast", "norm_num", "norm_num1", "norm_num_ext", "nth_rewrite",
    "nth_rw", "observe", "obtain", "omega", "omega_nat", "order", "peel", "pick_goal",
    "plausible", "polyrith", "positivity", "push_cast", "push_neg", "qify", "rcases", "rcases'",
    "reduce_mod_char", "refine", "refine'", "rel", "rename_i", "repeat", "replace", "revert",
    "rewrite", "rfl", "rify", "right", "ring", "ring1", "ring_nf", "rintro", "rw",
    "rw_mod_cast", "rwa", "set", "show", "simp", "simp?", "simp_all", "simp_all?", "simp_arith",
    "simp_intro", "simp_rw", "simpa", "simpa?", "slice_lhs", "slice_rhs", "slim_check",
    "solve_by_elim", "specialize", "split", "split_ifs", "subst", "subst_vars", "suffices",
    "swap", "symm", "tauto", "toFinite_tac", "trans", "trivial", "try", "try?", "unfold",
    "unfold_let", "use", "whisker_simps", "wlog", "zify",
];

pub(super) fn tactic_name(word: &str) -> Option<&'static str> {
    let found = TACTICS.binary_search(&word).ok()?;
    TACTICS.get(found).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tactic_is_found() {
        assert!(TACTICS.is_sorted(), "the search needs the order");
        assert!(TACTICS.iter().all(|name| tactic_name(name) == Some(name)));
        assert_eq!(tactic_name("foo"), None);
    }
}
