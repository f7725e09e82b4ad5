//! Whether an edit changes what is claimed, and not only how it is proved: an error that goes away with
//! its claim was not mended.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::edit::code;
use crate::lean::skim;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statement {
    #[default]
    Same,
    /// A word or two of one are others now, as where a name in it was wrong.
    Touched,
    /// It claims something else, or it is claimed under other assumptions.
    Changed,
}

const FEW: usize = 3;

/// Words that begin a line of a proof that may end like a header.
const IN_PROOFS: &[&str] = &[
    "have", "show", "suffices", "let", "obtain", "haveI", "letI", "set", "calc", "rcases",
    "refine", "exact", "fun", "λ", "_", "|", "·", ".", "from", "match", "if", "rw", "simp",
    "apply", "case", "next", "intro", "change", "convert", "this", "where", "with", "then", "else",
    "where",
];

pub(super) fn effect(before: &str, old: &str, new: &str) -> Statement {
    let (old, new) = (claims(before, old), claims(before, new));
    if old.assumes != new.assumes {
        return Statement::Changed;
    }
    let mut effect = one(&old.begun, &new.begun);
    for (at, (name, claim)) in old.declared.iter().enumerate() {
        let same_name = new.declared.iter().find(|(other, _)| other == name);
        let same_place = new.declared.get(at).filter(|_| old.declared.len() == new.declared.len());
        let Some((_, now)) = same_name.or(same_place) else { return Statement::Changed };
        effect = effect.and(one(claim, now));
    }
    effect
}

impl Statement {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Changed, _) | (_, Self::Changed) => Self::Changed,
            (Self::Touched, _) | (_, Self::Touched) => Self::Touched,
            _ => Self::Same,
        }
    }
}

fn one(old: &[String], new: &[String]) -> Statement {
    if old == new {
        return Statement::Same;
    }
    let before = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.get(before..).unwrap_or_default(), new.get(before..).unwrap_or_default());
    let after = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (left, came) = (old.len() - after, new.len() - after);
    let is_trivial = new.iter().take(came).any(|word| word == "True");
    let is_small = (1..=FEW).contains(&left) && (1..=FEW).contains(&came) && !is_trivial;
    if is_small { Statement::Touched } else { Statement::Changed }
}

#[derive(Default)]
struct Claims {
    begun: Vec<String>,
    declared: Vec<(String, Vec<String>)>,
    assumes: Vec<String>,
}

fn claims(before: &str, side: &str) -> Claims {
    let text = format!("{before}\n{side}");
    let start = before.len() + 1;
    let mut found = Claims::default();
    let outline = skim(&text);
    for one in &outline.declarations {
        let Range { start: begin, end } = one.statement_span.clone();
        let from = one.name_span.as_ref().map_or(begin, |name| name.end);
        let claim = words(text.get(from.max(start)..end).unwrap_or_default());
        if begin >= start {
            found.declared.push((one.name.clone().unwrap_or_default(), claim.collect()));
        } else {
            found.begun.extend(claim);
        }
    }
    let (mut at, mut assumes) = (0, false);
    for line in text.split_inclusive('\n') {
        let place = at;
        at += line.len();
        if !line.trim().is_empty() && !line.starts_with([' ', '\t']) {
            assumes = line.starts_with("variable");
        }
        let is_declared = outline.declarations.iter().any(|one| one.span.contains(&place));
        if place < start || is_declared {
        } else if assumes {
            found.assumes.extend(words(line));
        } else if looks_like_header(line) {
            found.begun.extend(words(line));
        }
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = String> {
    code(text).into_iter().map(|token| token.text(text).to_owned())
}

fn looks_like_header(line: &str) -> bool {
    let line = line.trim();
    let first = line.split([' ', '(', '⟨']).next().unwrap_or_default();
    if IN_PROOFS.contains(&first) {
        return false;
    }
    let is_binders = line.starts_with(['(', '{', '[', '⦃'])
        && line.ends_with([')', '}', ']', '⦄', ':'])
        && (line.contains(" : ") || line.starts_with('['))
        && !line.contains(":=");
    let claim = line.strip_suffix(":= by").or(line.strip_suffix(":="));
    // A field of a structure has one name before it.
    let is_claim = claim.is_some_and(|claim| claim.split_whitespace().count() > 2);
    is_binders || is_claim
}

#[cfg(test)]
mod tests {
    use super::*;
    use Statement::{Changed, Same, Touched};

    #[test]
    fn what_an_edit_does_to_a_statement() {
        for (before, old, new, expected) in [
            ("theorem t : a < b := by", "  linarith", "  nlinarith", Same),
            ("", "  linarith", "  nlinarith", Same),
            ("", "theorem t : a < b := by", "theorem t : a ≤ b := by", Touched),
            ("", "theorem t : a < b := by", "theorem u : a < b := by", Same),
            ("", "theorem t : a < b := by", "theorem t : True := by", Changed),
            ("", "theorem t : a < b := by", "theorem t (h : a < b) : a < b := by", Changed),
            ("", "theorem t : p := x", "theorem t : p := y", Same),
            ("theorem t", "    (h : 0 < a) :", "    (h : 0 < a) (k : a < b) :", Changed),
            ("", "    (h : 0 < a) :", "    (h : 0 < a) (k : a < b) :", Changed),
            ("", "    a < b := by", "    a ≤ b := by", Touched),
            ("theorem t :", "  Nat.foo n = 1 := by", "  Nat.bar n = 1 := by", Touched),
            ("", "  have h : a < b := by", "  have h : a ≤ b := by", Same),
            ("theorem t : p := by", "  have h : a < b := by simp", "  have h : q := by simp", Same),
            ("", "  _ = b := by ring", "  _ = c := by ring", Same),
            ("", "  map_mul' := by", "  map_mul' := fun _ _ => by", Same),
            ("", "", "lemma helper : 1 = 1 := rfl", Same),
            ("", "lemma a : p := x", "lemma helper : q := y\n\nlemma a : p := x", Same),
            ("", "", "variable (h : a < b)", Changed),
            ("variable (n : ℕ)\n", "theorem t : p n := x", "theorem t : p n := y", Same),
            ("def f (n : ℕ) : ℕ", "  | 0 => 1", "  | 0 => 2", Same),
            ("", "instance : Foo ℕ := ⟨1⟩", "instance : Foo ℕ := ⟨2⟩", Same),
            ("", "example : a = b := x", "example : a = c := x", Touched),
            ("", "@[simp] theorem t : p := x", "theorem t : p := x", Same),
            ("", "import A", "import B", Same),
        ] {
            assert_eq!(effect(before, old, new), expected, "{before} | {old} -> {new}");
        }
    }
}
