//! How many tokens a text costs, estimated without a tokenizer. No tables, no IO.
//!
//! Characters divided by four is too low for Lean: `∀ ε > 0` has 7 characters and about 8 tokens.
//! This estimate looks at what byte-pair tokenizers have in common, and errs on the high side.

/// Estimates the tokens of a text: rather too many than too few.
///
/// - A run of lower-case letters, with a capital before it, costs one token per four letters begun;
///   a run of capitals one per three. A single blank before a word is part of the word.
/// - Every digit and every other ASCII character costs one; so does a run of newlines, and every
///   blank after the first of a run.
/// - A character outside ASCII costs one where UTF-8 needs two bytes (Greek, accents), two where it
///   needs three (`∀`, `ℕ`, `≤`, subscripts), three where it needs four (`𝓝`).
pub fn estimate(text: &str) -> usize {
    let mut tokens = 0;
    let mut run = Run::default();
    let mut before = '\n';
    for c in text.chars() {
        if c.is_ascii_alphabetic() {
            if !run.takes(c) {
                tokens += run.end();
            }
            run.push(c);
        } else {
            tokens += run.end();
            tokens += match c {
                ' ' => usize::from(before == ' '),
                '\n' => usize::from(before != '\n'),
                c if c.is_ascii() => 1,
                c => c.len_utf8() - 1,
            };
        }
        before = c;
    }
    tokens + run.end()
}

/// A run of ASCII letters: capitals, then lower case.
#[derive(Default)]
struct Run {
    capitals: usize,
    small: usize,
}

impl Run {
    fn takes(&self, c: char) -> bool {
        // `camelCase` breaks before the C; `NNReal` counts as capitals followed by small letters.
        c.is_ascii_lowercase() || self.small == 0
    }

    fn push(&mut self, c: char) {
        if c.is_ascii_uppercase() {
            self.capitals += 1;
        } else {
            self.small += 1;
        }
    }

    fn end(&mut self) -> usize {
        let run = std::mem::take(self);
        match (run.capitals, run.small) {
            (0, small) => small.div_ceil(4),
            (capitals, 0) => capitals.div_ceil(3),
            (capitals, small) => (capitals - 1).div_ceil(3) + (small + 1).div_ceil(4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn estimates() {
        for (text, expected) in [
            ("", 0),
            ("word", 1),
            ("the proof", 3),
            ("a  b", 3),
            ("erdos_850", 6),
            ("camelCase", 3),
            ("NNReal", 2),
            ("QUEUE: 3 in flight", 7),
            ("∀ ε > 0", 5),
            ("ℕ → ℕ", 6),
            ("𝓝 x", 4),
            ("one\n\ntwo", 3),
        ] {
            assert_eq!(estimate(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn symbols_cost_at_least_one_each_and_a_longer_text_never_less(text in ".{0,80}", more in ".{0,10}") {
            let symbols = text.chars().filter(|c| !c.is_ascii()).count();
            prop_assert!(estimate(&text) >= symbols);
            prop_assert!(estimate(&text) <= text.len());
            prop_assert!(estimate(&format!("{text}{more}")) + 1 >= estimate(&text));
        }
    }
}
