//! What a text is about, as far as stored knowledge could be: names, words, and the known problems and slots that it
//! names.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::model::Named;
use crate::text::{name_words, without_mark};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cues {
    /// As code has them: with dots, underscores, inner capitals or primes.
    pub names: Vec<String>,
    /// In lower case, longest first.
    pub words: Vec<String>,
    #[serde(flatten)]
    pub named: Named,
}

/// Bytes at each end.
const LOOKED_AT: usize = 32 * 1024;
const MOST_NAMES: usize = 16;
const MOST_WORDS: usize = 20;
/// Longer runs are no words.
const LONGEST: usize = 80;

/// They hold sentences together, or belong to everyday work on any proof.
const EMPTY: &str = " about above add added adding after again all also and any are ask at be because \
    been before being below better bug build but by call can case change check class clean code come \
    command commit complete continue correct could create current def did do does doing done down each \
    edit else end error errors every exact example explain fail failed fails false file files find \
    finish first fix fixed following for from full function get give given go goal goals good got had \
    has have help her here him his hold how idea if import in instead into is issue it its just keep \
    know last later lean lemma lemmas less let like line lines list little long look made main make \
    many math mathlib may me means might mine more most move much must my name names need needed new \
    next no not note now number of off ok old on once one only open or other our out over own part \
    path perhaps place please point possible problem problems project proof proofs prove proved proven \
    put question read really remove rest result results right run same say see set should show side \
    simple simply since small so some something sorry start state statement step still such sure take \
    task tell test tests than thank thanks that the their them then theorem theorems there these they \
    thing things think this those three through time to together too tool true try turn two type under \
    until up update us use used using value very want was way we well were what when where which while \
    who whole why will with within without work working works would write wrong yes yet you your ";

pub fn cues(text: &str) -> Cues {
    let head = text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
    let rest = text.get(head.len()..).unwrap_or_default();
    let tail = rest.get(rest.ceil_char_boundary(rest.len().saturating_sub(LOOKED_AT))..);
    let mut cues = Cues::default();
    let (mut names, mut words) = (HashSet::new(), HashSet::new());
    let parts = [head, tail.unwrap_or_default()];
    for run in parts.into_iter().flat_map(|part| part.split(|c: char| !is_name_char(c))) {
        let run = run.trim_matches(['.', '-', '_']);
        if run.is_empty() || run.len() > LONGEST {
            continue;
        }
        let run = run.strip_suffix(".lean").unwrap_or(run);
        if is_name(run) && cues.names.len() < MOST_NAMES && names.insert(run.to_lowercase()) {
            cues.names.push(run.to_owned());
        }
        for word in run.split(['.', '_', '-']).flat_map(name_words) {
            let word: String = word.chars().map(without_mark).collect();
            if is_word(&word) && words.insert(word.clone()) {
                cues.words.push(word);
            }
        }
    }
    // Stable: of equal length the first that was written.
    cues.words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    cues.words.truncate(MOST_WORDS);
    cues
}

impl Cues {
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.words.is_empty() && self.named.is_empty()
    }
}

fn is_name_char(c: char) -> bool {
    // Or a letter's mark as its own character.
    c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '-' | '\u{300}'..='\u{36f}')
}

/// `Nat.add_comm`, `foo_bar'`, `isOpenMap`; no plain word, number or version.
fn is_name(run: &str) -> bool {
    let letters = run.chars().filter(|c| c.is_alphabetic()).count();
    let dotted = run.contains(['.', '_']);
    let inner_capital =
        run.chars().zip(run.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    letters >= 3
        && run.len() >= 4
        && !run.contains('-')
        && !run.starts_with(|c: char| c.is_ascii_digit())
        && (dotted || inner_capital || run.ends_with('\''))
}

fn is_word(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let long_enough = if word.is_ascii() { letters >= 3 } else { letters >= 2 };
    long_enough && !EMPTY.contains(&format!(" {word} "))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> (String, String) {
        let cues = cues(text);
        (cues.names.join(" "), cues.words.join(" "))
    }

    #[test]
    fn prompts_and_what_they_are_about() {
        for (text, names, words) in [
            ("Please prove Erdős 850 now", "", "erdos"),
            ("work on erdos_850 and Foo.lean", "erdos_850", "erdos foo"),
            ("why does Nat.sub_add_cancel' fail?", "Nat.sub_add_cancel'", "cancel nat sub"),
            ("the isOpenMap part", "isOpenMap", "map"),
            ("go on", "", ""),
            ("fix the proof, then run the tests", "", ""),
            ("∀ ∃ ≤ ⟨⟩ ---- '' ..", "", ""),
            ("'; DROP TABLE findings; -- parity", "", "findings parity table drop"),
            ("\"a\" NEAR(b) AND c* OR ^parity:", "", "parity near"),
            ("证明 素数 parity", "", "parity 证明 素数"),
            ("version 4.24.0", "", "version"),
            ("a\u{0}b\u{1b}[31mparity", "", "31mparity"),
        ] {
            let expected = (names.to_owned(), words.to_owned());
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn long_texts_are_looked_at_at_both_ends() {
        let text = format!("first_name {} last_name", "parity word ".repeat(100_000));
        assert_eq!(found(&text).0, "first_name last_name");
        let many: Vec<String> = (0..5000).map(|n| format!("name_{n} problem {n}")).collect();
        let cues = cues(&many.join(" "));
        assert_eq!(cues.names.len(), MOST_NAMES);
        assert!(cues.words.len() <= MOST_WORDS);
    }

    proptest! {
        #[test]
        fn any_text_has_cues(text in "(.|\\n){0,400}") {
            let cues = cues(&text);
            prop_assert!(cues.words.iter().all(|word| !word.contains(' ')));
            prop_assert!(cues.names.iter().all(|name| text.contains(name.as_str())));
        }
    }
}
