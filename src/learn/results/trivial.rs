//! Statements that say less than their names, by their lexemes: true whatever the mathematics is, or finite.

use crate::lean::{TokenKind, lex};
use crate::text::vocabulary;

vocabulary! {
    Triviality {
        ExcludedMiddle = "`P ∨ ¬P`",
        /// `answer(P) ↔ P`, `a = a`.
        Itself = "that it is what it is",
        True = "`True`",
        Assumed = "what it assumes",
        Finite = "finitely many cases",
        /// All that it says is about one finite type; the name may say no more.
        FiniteType = "one finite type",
    }
}

#[derive(Debug, Default)]
pub(super) struct Parts<'a> {
    /// Names of the variables and hypotheses with their types, also those behind `∀`, in order.
    pub(super) variables: Vec<(&'a str, Vec<&'a str>)>,
    goal: Vec<&'a str>,
    claim: Vec<&'a str>,
}

pub fn triviality(statement: &str) -> Option<Triviality> {
    let parts = parts(statement);
    let goal = bare(&parts.goal);
    if goal == ["True"] {
        return Some(Triviality::True);
    }
    if let Some((left, right)) = split(goal, "∨") {
        let negates = |a: &[&str], b: &[&str]| a.first() == Some(&"¬") && bare(&a[1..]) == bare(b);
        if negates(left, right) || negates(right, left) {
            return Some(Triviality::ExcludedMiddle);
        }
    }
    if let Some((left, right)) = split(goal, "↔").or_else(|| split(goal, "="))
        && asked(left) == asked(right)
    {
        return Some(Triviality::Itself);
    }
    let is_claimed = |of: &[&str]| bare(of) == goal || bare(of) == bare(&parts.claim);
    let assumed = |of: &[&str]| is_claimed(of) || parts.is_instance(of);
    if !goal.is_empty() && parts.variables.iter().any(|(_, of)| assumed(of)) {
        return Some(Triviality::Assumed);
    }
    parts.finite()
}

/// `b < a` of `a > b`.
fn turned<'a>(condition: &[&'a str]) -> Vec<&'a str> {
    match bare(condition) {
        [a, ">", b] => vec![b, "<", a],
        [a, "≥", b] => vec![b, "≤", a],
        other => other.to_vec(),
    }
}

impl Parts<'_> {
    /// `∀ k > 0, Foo k` where `Foo n` is the goal and `0 < n` another hypothesis: the claim itself is assumed. A
    /// hypothesis with a condition that the claim has not, as in a step of an induction, says less.
    fn is_instance(&self, of: &[&str]) -> bool {
        let mut assumed = Parts::default();
        assumed.take(of);
        if assumed.variables.is_empty() || assumed.goal.len() != self.goal.len() {
            return false;
        }
        let is_bound = |word: &str| assumed.variables.iter().any(|(name, _)| *name == word);
        let mut meant: Vec<(&str, &str)> = Vec::new();
        for (theirs, ours) in assumed.goal.iter().zip(&self.goal) {
            match meant.iter().find(|(name, _)| name == theirs) {
                Some((_, value)) if value == ours => {}
                None if is_bound(theirs) => meant.push((theirs, ours)),
                None if theirs == ours => {}
                _ => return false,
            }
        }
        let mut ours = self.variables.iter().map(|(_, of)| turned(of));
        let ours: Vec<Vec<&str>> = ours.by_ref().collect();
        assumed.variables.iter().filter(|(name, of)| *name == "_" && !of.is_empty()).all(
            |(_, of)| {
                let value =
                    |word: &&str| meant.iter().find(|(name, _)| *name == *word).map(|it| it.1);
                let condition: Vec<&str> =
                    of.iter().map(|word| value(word).unwrap_or(word)).collect();
                ours.contains(&turned(&condition))
            },
        )
    }

    fn finite(&self) -> Option<Triviality> {
        let is_name = |of: &[&str]| of.iter().any(|word| word.chars().all(char::is_alphanumeric));
        let is_bound = |name: &str| {
            self.variables.iter().any(|(_, of)| match bare(of) {
                [a, "=", b] => (*a == name && is_number(b)) || (*b == name && is_number(a)),
                [x, "<" | "≤", bound] => *x == name && is_number(bound),
                [x, "∈", "Finset.range" | "range" | "Finset.Iic" | "Finset.Iio", bound] => {
                    *x == name && is_number(bound)
                }
                [x, "∈", "Finset.Icc" | "Finset.Ico" | "Finset.Ioc" | "Finset.Ioo", from, to] => {
                    *x == name && is_number(from) && is_number(to)
                }
                _ => false,
            })
        };
        let is_fin = |of: &[&str]| {
            let fins = of.windows(2).filter(|pair| pair[0] == "Fin" && is_number(pair[1])).count();
            let all = of.iter().filter(|word| **word == "Fin").count();
            let infinite = ["ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Nat", "Int", "Type", "Type*", "Sort"];
            fins > 0 && fins == all && !of.iter().any(|word| infinite.contains(word))
        };
        let (mut counted, mut is_type) = (0, true);
        for (name, of) in &self.variables {
            // A hypothesis has a relation in its type, a variable has not.
            let relations = ["=", "<", "≤", ">", "≥", "∈", "≠", "∣", "¬", "∧", "∨", "↔", "∃", "⊆"];
            let is_hypothesis = *name == "_" || of.iter().any(|word| relations.contains(word));
            let dotted = of.iter().any(|word| word.contains('.') && !word.ends_with('.'));
            if is_hypothesis || (dotted && !is_fin(of)) {
                continue;
            }
            if !(is_fin(of) || is_bound(name)) {
                // `hP : Packs G P` cannot be told from a variable, but it speaks of others.
                let others = self.variables.iter().any(|(other, _)| of.contains(other));
                if others && is_name(of) {
                    continue;
                }
                return None;
            }
            is_type &= is_fin(of);
            counted += 1;
        }
        let kind = if is_type { Triviality::FiniteType } else { Triviality::Finite };
        (counted > 0 && !self.goal.contains(&"∀")).then_some(kind)
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().next().is_some_and(|first| first.is_ascii_digit())
}

pub(super) fn parts(statement: &str) -> Parts<'_> {
    let tokens = lex(statement);
    let lexemes: Vec<&str> = tokens
        .iter()
        .filter(|token| !token.kind.is_trivia() && token.kind != TokenKind::DocComment)
        .map(|token| token.text(statement))
        .collect();
    let end = at_depth_0(&lexemes, |word| word == ":=").unwrap_or(lexemes.len());
    let lexemes = lexemes.get(..end).unwrap_or_default();
    let mut parts = Parts::default();
    let Some(colon) = at_depth_0(lexemes, |word| word == ":") else { return parts };
    parts.binders(lexemes.get(..colon).unwrap_or_default());
    parts.claim = lexemes.get(colon + 1..).unwrap_or_default().to_vec();
    parts.take(lexemes.get(colon + 1..).unwrap_or_default());
    parts
}

impl<'a> Parts<'a> {
    fn binders(&mut self, mut rest: &[&'a str]) {
        while let Some(open) = rest.iter().position(|word| is_open(word)) {
            let group = rest.get(open..).unwrap_or_default();
            let length = closing(group);
            let inside = group.get(1..length).unwrap_or_default();
            if group.first() == Some(&"[") {
                self.variables.push(("_", Vec::new()));
            } else {
                self.variable(inside);
            }
            rest = group.get(length + 1..).unwrap_or_default();
        }
    }

    fn variable(&mut self, words: &[&'a str]) {
        let colon = at_depth_0(words, |word| word == ":").unwrap_or(words.len());
        let of = words.get(colon + 1..).unwrap_or_default();
        for name in words.get(..colon).unwrap_or_default() {
            self.variables.push((name, of.to_vec()));
        }
    }

    /// What `∀` binds: `(x : T) ...`, `x < n`, `x y : T`.
    fn bound(&mut self, bound: &[&'a str]) {
        if bound.first().is_some_and(|word| is_open(word)) {
            return self.binders(bound);
        }
        let Some(at) = at_depth_0(bound, |word| ["<", "≤", "∈", ">", "≥"].contains(&word))
        else {
            return self.variable(bound);
        };
        let (names, said) = bound.split_at_checked(at).unwrap_or_default();
        for name in names {
            self.variables.push((name, vec!["ℕ"]));
            self.variables
                .push(("_", std::iter::once(*name).chain(said.iter().copied()).collect()));
        }
    }

    /// Takes what stands before the goal: `∀ x, ...`, `A → ...`.
    fn take(&mut self, mut rest: &[&'a str]) {
        loop {
            rest = bare(rest);
            if rest.first() == Some(&"∀") {
                let Some(comma) = at_depth_0(rest, |word| word == ",") else { break };
                let bound = rest.get(1..comma).unwrap_or_default();
                self.bound(bound);
                rest = rest.get(comma + 1..).unwrap_or_default();
            } else if let Some((left, right)) = split_first(rest, "→") {
                self.variables.push(("_", left.to_vec()));
                rest = right;
            } else {
                break;
            }
        }
        self.goal = rest.to_vec();
    }
}

fn is_open(word: &str) -> bool {
    ["(", "{", "[", "⦃", "⟨"].contains(&word)
}

fn is_close(word: &str) -> bool {
    [")", "}", "]", "⦄", "⟩"].contains(&word)
}

fn at_depth_0(words: &[&str], is_it: impl Fn(&str) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    words.iter().position(|word| {
        let is_it = depth == 0 && !is_open(word) && is_it(word);
        if is_close(word) {
            depth = depth.saturating_sub(1);
        } else {
            depth += usize::from(is_open(word));
        }
        is_it
    })
}

/// Where the bracket with which a group begins is closed; its length where it is not.
fn closing(group: &[&str]) -> usize {
    let inside = group.get(1..).unwrap_or_default();
    at_depth_0(inside, is_close).map_or(group.len(), |at| at + 1)
}

fn bare<'w, 'a>(mut words: &'w [&'a str]) -> &'w [&'a str] {
    while words.first() == Some(&"(") && closing(words) + 1 == words.len() {
        words = words.get(1..words.len() - 1).unwrap_or_default();
    }
    words
}

fn split_first<'w, 'a>(words: &'w [&'a str], by: &str) -> Option<(&'w [&'a str], &'w [&'a str])> {
    let at = at_depth_0(words, |word| word == by)?;
    Some((words.get(..at)?, words.get(at + 1..)?))
}

/// The two sides of a relation that stands once outside of brackets, and behind no quantifier.
fn split<'w, 'a>(words: &'w [&'a str], by: &str) -> Option<(&'w [&'a str], &'w [&'a str])> {
    let (left, right) = split_first(words, by)?;
    let is_whole = !["∃", "∀"].iter().any(|word| words.first() == Some(word));
    (is_whole && split_first(right, by).is_none()).then_some((left, right))
}

/// A side of `answer(P) ↔ P` without the word `answer`.
fn asked<'w, 'a>(side: &'w [&'a str]) -> &'w [&'a str] {
    let side = bare(side);
    if side.first() == Some(&"answer") { bare(side.get(1..).unwrap_or_default()) } else { side }
}

#[cfg(test)]
mod tests {
    use super::Triviality::{Assumed, ExcludedMiddle, Finite, FiniteType, Itself, True};
    use super::*;

    #[test]
    fn what_settles_nothing() {
        for (statement, expected) in [
            ("theorem a : Foo ∨ ¬ Foo", Some(ExcludedMiddle)),
            ("theorem a (n : ℕ) : ¬(Foo n) ∨ Foo n", Some(ExcludedMiddle)),
            ("theorem a : (∀ n, Foo n) ∨ ¬ (∀ n, Foo n)", Some(ExcludedMiddle)),
            ("theorem a : Foo ∨ ¬ Bar", None),
            ("theorem a : answer(Foo) ↔ Foo", Some(Itself)),
            ("theorem a : answer(∃ n, Foo n) ↔\n    ∃ n, Foo n", Some(Itself)),
            ("theorem a : answer(True) ↔ Foo", None),
            ("theorem a : Foo ↔ Foo := by", Some(Itself)),
            ("theorem a (x : ℕ) : x + 1 = x + 1", Some(Itself)),
            ("theorem a (x : ℕ) : x + 1 = 1 + x", None),
            ("theorem a : ∃ x, x = x ∧ Foo x", None),
            ("lemma a {n : ℕ} (h : 0 < n) : True", Some(True)),
            ("theorem a (h : ∀ n, Foo n) : ∀ n, Foo n", Some(Assumed)),
            ("theorem a (h : Foo) : (Foo)", Some(Assumed)),
            ("theorem a : Foo → Foo", Some(Assumed)),
            (
                "theorem a (h : ∀ k > 0, ∃ M : Matrix (Fin (4 * k)), Foo M) (n : ℕ) (hn : 0 < n) :\n    \
                 ∃ M : Matrix (Fin (4 * n)), Foo M",
                Some(Assumed),
            ),
            ("theorem a (h : ∀ k : ℕ, 2 < k → Foo k) (n : ℕ) (hn : n > 2) : Foo n", Some(Assumed)),
            ("theorem a (h : ∀ k, Foo k) (n : ℕ) : Foo n", Some(Assumed)),
            ("theorem a (n : ℕ) (ih : ∀ m < n, Foo m) : Foo n", None),
            ("theorem a (n : ℕ) (ih : ∀ m, 3 < m → Foo m) (hn : 2 < n) : Foo n", None),
            ("theorem a (h : ∀ k, Foo k k) (n m : ℕ) : Foo n m", None),
            ("theorem a (h : ∀ k, Foo k) (n : ℕ) : Foo (n + 1)", None),
            ("theorem a (n : ℕ) (h : Foo n) : Foo (n + 1)", None),
            ("theorem a (n : ℕ) (hn : n = 7) : Foo n", Some(Finite)),
            ("theorem a : ∀ n < 40, Foo n", Some(Finite)),
            ("theorem a : ∀ n ≤ 40, n.Prime → Foo n", Some(Finite)),
            ("theorem a : ∀ n ∈ Finset.range 300, Foo n", Some(Finite)),
            ("theorem a (n : ℕ) (h : n ∈ Finset.Icc 1 9) : Foo n", Some(Finite)),
            ("theorem a : ∀ c : Fin 9 → Fin 2, ∃ u v : Fin 9, c u = c v", Some(FiniteType)),
            ("theorem a (G : SimpleGraph (Fin 9)) [DecidableRel G.Adj] : Foo G", Some(FiniteType)),
            ("theorem a (G : SimpleGraph (Fin 9)) (hk : Packs G) (k : ℕ) : Foo G k", None),
            ("theorem a (n : ℕ) (hn : 7 < n) : Foo n", None),
            ("theorem a (n : ℕ) (hn : n < m) : Foo n", None),
            ("theorem a {V : Type*} [Fintype V] (G : SimpleGraph V) : Foo G", None),
            ("theorem a (n k : ℕ) (hk : k = 4) : Foo n k", None),
            ("theorem a : ∀ n, Foo n", None),
            ("theorem a : Foo", None),
            ("theorem a", None),
            ("", None),
        ] {
            assert_eq!(triviality(statement), expected, "{statement}");
        }
    }
}
