//! Words in tactic position.
//!
//! A tactic stands first after `by`, a bullet or `=>` of a tactic block, first on a line at the
//! column of such a block, or after `;`, `<;>`, `try` and the like. A lemma, a local name or an
//! option that is called like a tactic stands elsewhere.

use std::collections::BTreeMap;

use super::gaps::gap;
use super::kind::GapKind;
use super::records::Gap;
use super::sig::{self, Sig};
use super::token::TokenKind;
use super::word::Word;

#[derive(Debug, Default)]
pub(super) struct Walk {
    pub(super) tactics: BTreeMap<String, usize>,
    /// `stop` and `hint`.
    pub(super) gaps: Vec<Gap>,
}

pub(super) fn walk(text: &str, sigs: &[Sig]) -> Walk {
    let mut position = Position::default();
    let mut found = Walk::default();
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for (index, sig) in sigs.iter().enumerate() {
        let here = position.step(sig);
        if sig.kind != TokenKind::Ident || !(here || sig.word == Word::Calc) {
            continue;
        }
        let next = sigs.get(index + 1);
        if next.is_some_and(|next| matches!(next.word, Word::Assign | Word::Colon)) {
            continue;
        }
        match sig.word {
            Word::Stop => found.gaps.push(gap(GapKind::Stop, sig)),
            Word::Hint if next.is_none_or(|next| next.first) => {
                // Without a counterexample `plausible` admits the goal.
                let is_search = sig.text(text) == "hint";
                let kind = if is_search { GapKind::SearchTactic } else { GapKind::Admit };
                found.gaps.push(gap(kind, sig));
            }
            _ => {}
        }
        if let Some(name) = tactic_name(sig.text(text)) {
            match counts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
    }
    found.tactics = counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    found
}

/// `stop` and `hint` alone. Mostly neither is there, and what says nothing may be missing among the
/// lexemes; if one is, the code is read once more.
pub(super) fn gaps(text: &str, sigs: &[Sig]) -> Vec<Gap> {
    let may = sigs.iter().any(|sig| matches!(sig.word, Word::Stop | Word::Hint));
    match (sigs.first(), sigs.last()) {
        (Some(first), Some(last)) if may => {
            let part = first.start()..last.end();
            walk(text, &sig::read_part(text, part, first.line())).gaps
        }
        _ => Vec::new(),
    }
}

#[derive(Debug, Clone, Copy)]
struct Block {
    column: usize,
    depth: isize,
    tactics: bool,
}

#[derive(Debug, Default)]
struct Position {
    blocks: Vec<Block>,
    depth: isize,
    opens: Option<bool>,
    /// Depths at which a `fun` waits for its arrow.
    funs: Vec<isize>,
    /// The next lexeme is in tactic position if this block is one of tactics.
    next: bool,
    alternatives: bool,
}

impl Position {
    fn step(&mut self, sig: &Sig) -> bool {
        let here = self.arrive(sig);
        self.leave(sig, here);
        here
    }

    fn in_tactics(&self) -> bool {
        self.blocks.last().is_some_and(|block| block.tactics)
    }

    fn arrive(&mut self, sig: &Sig) -> bool {
        if sig.first {
            while self.blocks.last().is_some_and(|block| block.column > sig.column()) {
                self.blocks.pop();
            }
        }
        if let Some(tactics) = self.opens.take() {
            self.next = false;
            self.blocks.push(Block { column: sig.column(), depth: self.depth, tactics });
            return tactics;
        }
        let next = std::mem::take(&mut self.next);
        let aligned = sig.first
            && self
                .blocks
                .last()
                .is_some_and(|b| b.column == sig.column() && b.depth == self.depth);
        if aligned && sig.word != Word::Pipe {
            self.alternatives = false;
        }
        self.in_tactics() && (next || aligned)
    }

    fn leave(&mut self, sig: &Sig, here: bool) {
        match sig.word {
            Word::By => self.opens = Some(true),
            Word::Do => self.opens = Some(false),
            Word::Bullet if here => self.opens = Some(true),
            Word::Fun => self.funs.push(self.depth),
            Word::Arrow if self.funs.last() == Some(&self.depth) => {
                self.funs.pop();
            }
            Word::Arrow if self.in_tactics() => self.opens = Some(true),
            Word::Semicolon | Word::AndThen | Word::Combinator => self.next = true,
            Word::Alternatives => {
                self.next = true;
                self.alternatives = here;
            }
            Word::Pipe => self.next = self.alternatives,
            _ => {}
        }
        self.depth += sig.depth_change();
        match sig.kind {
            TokenKind::Open => self.next = here,
            TokenKind::Close | TokenKind::InterpEnd => {
                let depth = self.depth;
                while self.blocks.last().is_some_and(|block| block.depth > depth) {
                    self.blocks.pop();
                }
                while self.funs.last().is_some_and(|fun| *fun > depth) {
                    self.funs.pop();
                }
            }
            _ => {}
        }
    }
}

/// The tactics that are counted: those of Lean, Batteries, Aesop and Mathlib that proofs use, and the
/// `negate_state` of provers. In the order of their bytes, for the search.
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

fn tactic_name(word: &str) -> Option<&'static str> {
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
