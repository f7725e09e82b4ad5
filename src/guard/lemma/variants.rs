//! What a text states beside its signatures: conjuncts, hypotheses, steps, fields; and the claims from
//! which a false one would follow, which are false too. All of it as signatures, by their lexemes.

use std::ops::Range;

use crate::lean::{self, TokenKind};

/// Statements inside of one declaration that are looked at.
const MOST: usize = 64;

/// A signature in its parts.
struct Signature<'t> {
    binders: Vec<&'t str>,
    conclusion: &'t str,
}

/// The lexemes outside of all brackets that are this symbol.
fn outside(text: &str, symbol: &str) -> Vec<Range<usize>> {
    let tokens = lean::code(text);
    lean::outside(text, &tokens, symbol).map(|token| token.start..token.end).collect()
}

impl<'t> Signature<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let colon = outside(text, ":").into_iter().next()?;
        let head = text.get(..colon.start)?;
        let (mut depth, mut start, mut binders) = (0usize, 0, Vec::new());
        for token in lean::code(head) {
            match token.kind {
                TokenKind::Open => {
                    if depth == 0 {
                        start = token.start;
                    }
                    depth += 1;
                }
                TokenKind::Close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        binders.push(head.get(start..token.end)?);
                    }
                }
                _ => {}
            }
        }
        Some(Self { binders, conclusion: text.get(colon.end..)?.trim() })
    }

    fn with(&self, conclusion: &str) -> String {
        format!("{} : {conclusion}", self.binders.join(" "))
    }
}

/// The type of a binder `(h : T)`.
fn hypothesis(binder: &str) -> Option<&str> {
    let inner = binder.strip_prefix('(')?.strip_suffix(')')?;
    let colon = outside(inner, ":").into_iter().next()?;
    Some(inner.get(colon.end..)?.trim())
}

fn is_relation(text: &str) -> bool {
    ["<", "≤", ">", "≥", "=", "≠", "∣", "∈", "⊆", "¬"].iter().any(|sign| text.contains(sign))
}

/// The signature with one hypothesis fewer: where the lemma is false, these are false as well.
pub(super) fn stronger(signature: &str) -> Vec<String> {
    let Some(parts) = Signature::of(signature) else { return Vec::new() };
    let mut found = Vec::new();
    for (index, binder) in parts.binders.iter().enumerate() {
        if hypothesis(binder).is_some_and(is_relation) {
            let rest = parts.binders.iter().enumerate().filter(|(at, _)| *at != index);
            let rest: Vec<&str> = rest.map(|(_, binder)| *binder).collect();
            found.push(format!("{} : {}", rest.join(" "), parts.conclusion));
        }
    }
    if let Some(strict) = strict(parts.conclusion) {
        found.push(parts.with(&strict));
    }
    found
}

/// `a < b` for `a ≤ b`.
fn strict(conclusion: &str) -> Option<String> {
    let (left, sign, right) = parted(conclusion, &[("≤", "<"), ("≥", ">")])?;
    Some([left, sign, right].concat())
}

/// `b < a` for `¬ a ≤ b`, `b ≤ a` for `¬ a < b`.
fn positive(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix('¬')?.trim();
    let inner = inner.strip_prefix('(').and_then(|one| one.strip_suffix(')')).unwrap_or(inner);
    let others = [("≤", "<"), ("<", "≤"), ("≥", ">"), (">", "≥")];
    let (left, sign, right) = parted(inner, &others)?;
    Some(format!("{} {sign} {}", right.trim(), left.trim()))
}

/// The two sides of the first sign that stands once outside of brackets, and the other sign for it.
fn parted<'t>(
    text: &'t str,
    signs: &[(&str, &'static str)],
) -> Option<(&'t str, &'static str, &'t str)> {
    signs.iter().find_map(|(sign, other)| {
        let [at] = &outside(text, sign)[..] else { return None };
        Some((text.get(..at.start)?, *other, text.get(at.end..)?))
    })
}

/// Other statements that a signature makes: without negations, each conjunct, each hypothesis for all.
pub(super) fn stated(signature: &str) -> Vec<String> {
    let Some(parts) = Signature::of(signature) else { return Vec::new() };
    let mut found = Vec::new();
    let plain: Vec<String> = parts
        .binders
        .iter()
        .map(|binder| match hypothesis(binder).and_then(positive) {
            Some(plain) => {
                let name = binder.split(':').next().unwrap_or_default();
                format!("{name}: {plain})")
            }
            None => (*binder).to_owned(),
        })
        .collect();
    let conclusion = positive(parts.conclusion).unwrap_or_else(|| parts.conclusion.to_owned());
    let conjunctions = outside(&conclusion, "∧");
    let mut start = 0;
    let ends = conjunctions.iter().map(|at| (at.start, at.end));
    for (end, next) in ends.chain([(conclusion.len(), conclusion.len())]) {
        let conjunct = conclusion.get(start..end).unwrap_or_default().trim();
        found.push(format!("{} : {conjunct}", plain.join(" ")));
        start = next;
    }
    let hypotheses = parts.binders.iter().filter_map(|binder| hypothesis(binder));
    found.extend(hypotheses.filter(|one| one.starts_with('∀')).map(|one| format!(" : {one}")));
    found.truncate(MOST);
    found
}

/// What the steps of a proof state, alone and under the binders of its theorem; and what the fields of a
/// structure state.
pub(super) fn inside(signature: &str, body: &str) -> Vec<String> {
    let binders = Signature::of(signature).map(|parts| parts.binders.join(" ")).unwrap_or_default();
    let tokens = lean::code(body);
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if found.len() >= MOST {
            break;
        }
        if !matches!(token.text(body), "have" | "suffices") {
            // `field : ∀ x, ...` to the end of its line.
            let next = |at: usize| tokens.get(index + at).map(|token| token.text(body));
            if token.kind == TokenKind::Ident && next(1) == Some(":") && next(2) == Some("∀") {
                let rest = tokens.get(index + 2).and_then(|all| body.get(all.start..));
                let line = rest.and_then(|rest| rest.lines().next()).unwrap_or_default();
                found.push(format!(" : {}", line.trim().trim_end_matches(')')));
            }
            continue;
        }
        let rest = tokens.get(index + 1..).unwrap_or_default();
        let ends = ["by", "from", ":="].iter().filter_map(|w| lean::outside(body, rest, w).next());
        let end = ends.map(|end| end.start).min().unwrap_or(token.end);
        let step = body.get(token.end..end).unwrap_or_default();
        // The step's own name is no binder.
        let step = step.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        found.push(step.to_owned());
        found.push(format!("{binders} {step}"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stated_beside_the_signature() {
        let signature = " (m n : Nat) (h : ¬ 9 ≤ m) : 0 ≤ n ∧ gap m n ≤ 2 * n";
        let said = stated(signature);
        assert!(said.contains(&"(m n : Nat) (h : m < 9) : gap m n ≤ 2 * n".to_owned()), "{said:?}");
        let fewer = stronger(" (m n : Nat) (h : m < 9) : gap m n ≤ 2 * n");
        assert_eq!(
            fewer,
            ["(m n : Nat) : gap m n ≤ 2 * n", "(m n : Nat) (h : m < 9) : gap m n < 2 * n"]
        );
        let steps = inside(" (k : Nat) : k = k", "by\n  have h : gap 1 2 ≤ 3 := by sorry\n  rfl");
        assert!(steps.iter().any(|one| one.trim() == ": gap 1 2 ≤ 3"), "{steps:?}");
    }
}
