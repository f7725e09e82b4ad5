//! The tactics that are counted: those of Lean, Batteries, Aesop and Mathlib that proofs use.

macro_rules! tactics {
    ($($name:literal)+) => {
        /// A known tactic by its spelling.
        pub(super) fn tactic_name(word: &[u8]) -> Option<&'static str> {
            const {
                let mut longest = 0;
                $(if $name.len() > longest { longest = $name.len(); })+
                assert!(longest <= LONGEST);
            }
            if word.len() > LONGEST {
                return None;
            }
            $(if word == $name.as_bytes() { return Some($name); })+
            None
        }
    };
}

/// No tactic's name is longer.
const LONGEST: usize = 24;

tactics! {
    "simp" "exact" "rw" "have" "intro" "apply" "refine" "obtain" "rfl" "simpa" "constructor"
    "rcases" "linarith" "norm_num" "omega" "ring" "nlinarith" "positivity" "intros" "use" "ext"
    "rintro" "cases" "induction" "by_cases" "by_contra" "contradiction" "calc" "show" "specialize"
    "interval_cases" "field_simp" "zify" "push_cast" "native_decide" "decide" "aesop" "grind"
    "polyrith" "gcongr" "simp_all" "bv_decide" "fin_cases" "funext" "push_neg" "norm_cast"
    "exact_mod_cast" "apply_mod_cast" "assumption_mod_cast" "rw_mod_cast" "simp_arith" "dsimp"
    "simp_rw" "rwa" "erw" "nth_rw" "nth_rewrite" "rewrite" "subst" "subst_vars" "unfold" "change"
    "convert" "convert_to" "congr" "congr!" "left" "right" "exists" "exfalso" "absurd" "trivial"
    "tauto" "itauto" "assumption" "injection" "injections" "split" "split_ifs" "cases'"
    "induction'" "refine'" "rcases'" "lift" "qify" "rify" "ring_nf" "ring1" "abel" "abel_nf"
    "group" "noncomm_ring" "module" "linear_combination" "linear_combination'" "norm_num1"
    "fun_prop" "measurability" "continuity" "bound" "finiteness" "filter_upwards" "choose"
    "choose!" "contrapose" "contrapose!" "wlog" "by_contra!" "rename_i" "revert" "generalize"
    "generalize_proofs" "set" "let" "suffices" "replace" "clear" "conv" "conv_lhs" "conv_rhs"
    "slice_lhs" "slice_rhs" "symm" "trans" "decreasing_tactic" "infer_instance" "inhabit"
    "nontriviality" "peel" "plausible" "slim_check" "omega_nat" "pick_goal" "swap" "next" "case"
    "simp?" "simp_all?" "aesop?" "try?" "match" "haveI" "letI"
    "reduce_mod_char" "cancel_denoms" "compute_degree" "monicity" "ac_rfl" "ac_nf" "delta"
    "eapply" "exacts" "existsi" "fconstructor" "apply_fun" "apply_rules" "solve_by_elim" "mono"
    "norm_num_ext" "nofun" "nomatch" "observe" "order" "algebraize" "mfld_set_tac" "borelize"
    "bitwise_assoc_tac" "cutsat" "lia" "unfold_let" "beta_reduce" "whisker_simps" "cat_disch"
    "simp_intro" "rel" "toFinite_tac" "econstructor" "decide_eq" "iterate" "repeat" "try"
    "all_goals" "any_goals" "first" "mvcgen" "ext1" "simpa?"
}
