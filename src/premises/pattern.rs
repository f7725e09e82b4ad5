//! What is asked: words, names, patterns, or a goal as Lean prints it.

use crate::lean::{self, Pattern, TokenKind};

/// A question, its parts told apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Question {
    /// Each with `«?x»` for `?x`.
    pub(super) patterns: Vec<String>,
    /// Texts that a name must hold: `"add_comm"`.
    pub(super) in_names: Vec<String>,
    pub(super) words: String,
    /// As a signature: `(h : a < b) : a ≤ b`.
    pub(super) goal: Option<String>,
}

const BINDING: [char; 13] = ['∀', '∃', '∑', '∏', '∫', '⋃', '⋂', '⨆', '⨅', '⨍', '⨁', '𝔼', 'λ'];

/// Bytes of a question that are looked at.
const LONGEST: usize = 8_000;

impl Question {
    pub(super) fn read(text: &str) -> Self {
        let text = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or(text).trim();
        if let Some(goal) = goal(text) {
            return Self { goal: Some(goal), ..Self::default() };
        }
        let whole = named_holes(text);
        let parts = parts(text);
        // The comma of `∑ x ∈ s, f x` separates nothing.
        let binds = parts.first().is_some_and(|first| first.contains(BINDING));
        if (parts.len() < 2 || binds) && !whole.starts_with('"') && is_pattern(&whole) {
            return Self { patterns: vec![whole], ..Self::default() };
        }
        let mut question = Self::default();
        let asks_for_shape =
            parts.iter().any(|part| part.starts_with('"') || is_pattern(&named_holes(part)));
        let mut words = Vec::new();
        for part in parts {
            let pattern = named_holes(part);
            let is_constant = !part.contains(char::is_whitespace)
                && (part.contains('.') || part.starts_with(char::is_uppercase));
            if let Some(name) = part.strip_prefix('"') {
                question.in_names.push(name.trim_end_matches('"').to_lowercase());
            } else if is_pattern(&pattern) || asks_for_shape && is_constant {
                question.patterns.push(pattern);
            } else {
                words.push(part);
            }
        }
        question.words = words.join(" ");
        question
    }
}

/// Hypotheses and a conclusion as Lean prints them: as the signature of what would prove it. Of several goals the first.
fn goal(text: &str) -> Option<String> {
    let text = text.replace("|-", "⊢");
    let at = text.find('⊢').filter(|at| *at > 0)?;
    let (before, conclusion) = (text.get(..at)?, text.get(at + '⊢'.len_utf8()..)?);
    before.contains(':').then_some(())?;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = before.rfind('\n').and_then(|at| before.get(at + 1..)).map_or(0, str::len);
    // A line that is further in than the goal goes on with the one before.
    let goes_on = |line: &str| indent(line) > own && !line.trim().is_empty();
    let mut hypotheses: Vec<String> = Vec::new();
    for line in before.lines().filter(|line| !line.trim().is_empty()) {
        match hypotheses.last_mut().filter(|_| goes_on(line)) {
            Some(last) => last.extend([" ", line.trim()]),
            None => hypotheses.push(line.trim().to_owned()),
        }
    }
    let mut signature = String::new();
    for line in hypotheses.iter().filter(|line| !line.starts_with("case ")) {
        let binder = line.split(" := ").next().unwrap_or(line);
        let Some((names, of_type)) = binder.split_once(" :").filter(|_| !line.starts_with("error"))
        else {
            continue;
        };
        let of_type = named_apart(of_type.trim_start());
        if names.split_whitespace().all(|name| name.starts_with("inst✝")) {
            signature.extend(["[", &of_type, "] "]);
        } else {
            signature.extend(["(", &named_apart(names), " : ", &of_type, ") "]);
        }
    }
    let mut lines = conclusion.lines();
    let first = lines.next().unwrap_or_default();
    let more = lines.take_while(|line| goes_on(line));
    let conclusion: Vec<&str> = std::iter::once(first).chain(more).map(str::trim).collect();
    Some(format!("{signature}: {}", named_apart(conclusion.join(" ").trim())))
}

/// `a✝¹`, which Lean prints for a name that cannot be written, as one that can: `a''`.
fn named_apart(text: &str) -> String {
    const DIGITS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let mut out = String::new();
    let mut is_behind = false;
    for c in text.chars() {
        match c {
            '✝' => out.push('\''),
            _ if is_behind && DIGITS.contains(c) => {
                let digit = DIGITS.chars().position(|one| one == c).unwrap_or(0);
                out.extend(std::iter::repeat_n('\'', digit));
            }
            _ => out.push(c),
        }
        is_behind = c == '✝' || is_behind && DIGITS.contains(c);
    }
    out
}

/// With a name for each `?x` that the reader of terms takes.
fn named_holes(text: &str) -> String {
    let mut out = String::new();
    for token in lean::lex(text) {
        let spelling = text.get(token.start..token.end).unwrap_or_default();
        match token.kind {
            TokenKind::Hole if spelling == "?_" => out.push('_'),
            // `?s.card` is the field of a hole.
            TokenKind::Hole => {
                let (hole, fields) =
                    spelling.split_at(spelling.find('.').unwrap_or(spelling.len()));
                out.extend(["«", hole, "»", fields]);
            }
            _ => out.push_str(spelling),
        }
    }
    out
}

/// Separated by commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut is_quoted) = (0usize, false);
    let parts = text.split(|c: char| {
        match c {
            '"' => is_quoted = !is_quoted,
            '(' | '[' | '{' | '⟨' | '⟪' | '⁅' | '⟦' => depth += 1,
            ')' | ']' | '}' | '⟩' | '⟫' | '⁆' | '⟧' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0 && !is_quoted
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Whether a text says what something looks like: it has a hole or a turnstile, or it relates terms and has no words.
fn is_pattern(text: &str) -> bool {
    let tokens = lean::code(text);
    let spellings = tokens.iter().filter_map(|token| text.get(token.start..token.end));
    let has_hole = spellings.clone().any(|one| one == "_" || one.starts_with("«?"));
    let has_turnstile = text.starts_with('⊢') || text.starts_with("|-");
    let relates = || {
        let signs =
            ["=", "≤", "<", "≥", ">", "≠", "∣", "∈", "⊆", "↔", "→", "∀", "∃", "<=", ">=", "->"];
        let has_sign = spellings.clone().any(|one| signs.contains(&one));
        let is_word = |one: &str| one.chars().count() > 2 && one.chars().all(char::is_lowercase);
        has_sign && !spellings.clone().any(is_word)
    };
    (has_hole || has_turnstile || relates()) && Pattern::read(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_apart() {
        let words = |words: &str| Question { words: words.to_owned(), ..Question::default() };
        let pattern = |all: &[&str]| Question {
            patterns: all.iter().map(|one| (*one).to_owned()).collect(),
            ..Question::default()
        };
        for (text, expected) in [
            ("sum of two odd numbers is even", words("sum of two odd numbers is even")),
            ("Nat.sub_le", words("Nat.sub_le")),
            ("C*-algebra", words("C*-algebra")),
            ("Fermat's last theorem, n = 4 case", words("Fermat's last theorem n = 4 case")),
            ("_ * (_ ^ _)", pattern(&["_ * (_ ^ _)"])),
            ("Real.sin ?x ≤ _", pattern(&["Real.sin «?x» ≤ _"])),
            ("?s.card = 0", pattern(&["«?s».card = 0"])),
            ("|- _ < _ → _", pattern(&["|- _ < _ → _"])),
            ("⊢ a ∣ b", pattern(&["⊢ a ∣ b"])),
            ("a + b = b + a", pattern(&["a + b = b + a"])),
            ("∑ i ∈ s, f i = _", pattern(&["∑ i ∈ s, f i = _"])),
            ("Real.sin, _ + _", pattern(&["Real.sin", "_ + _"])),
            ("⊢ ⟪?x, _⟫ = 0", pattern(&["⊢ ⟪«?x», _⟫ = 0"])),
            ("⨍ x, ?f x ∂?μ = _", pattern(&["⨍ x, «?f» x ∂«?μ» = _"])),
            (
                "\"add_comm\", Finset",
                Question {
                    in_names: vec!["add_comm".to_owned()],
                    patterns: vec!["Finset".to_owned()],
                    ..Question::default()
                },
            ),
            (
                "a b : ℕ\nh : a < b\n⊢ a ≤ b",
                Question {
                    goal: Some("(a b : ℕ) (h : a < b) : a ≤ b".to_owned()),
                    ..Question::default()
                },
            ),
            (
                "case inl\nG : Type u_1\ninst✝¹ : Group G\ninst✝ : Fintype G\na✝¹ a✝ : G\nh :\n  a✝¹ =\n    a✝\n⊢ a✝ =\n  a✝¹\n\ncase inr\n⊢ False",
                Question {
                    goal: Some(
                        "(G : Type u_1) [Group G] [Fintype G] (a'' a' : G) (h : a'' = a') : a' = a''"
                            .to_owned(),
                    ),
                    ..Question::default()
                },
            ),
            (
                "  n : ℕ\n  h : n =\n    0\n  ⊢ n = 0\n  done",
                Question { goal: Some("(n : ℕ) (h : n = 0) : n = 0".to_owned()), ..Question::default() },
            ),
            (
                "n : ℕ\n|- n = n",
                Question { goal: Some("(n : ℕ) : n = n".to_owned()), ..Question::default() },
            ),
            ("", words("")),
        ] {
            assert_eq!(Question::read(text), expected, "{text}");
        }
    }
}
