//! What a text is about, as far as stored knowledge could be: names, words, and the known problems and slots that it
//! names.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::model::{ProblemName, id_key, word_key};
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

/// In the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Named {
    pub problems: Vec<String>,
    pub slots: Vec<i64>,
}

impl Named {
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty() && self.slots.is_empty()
    }
}

/// They say that the word beside them names a problem, and are no part of the name.
const OF_PROBLEM: &str =
    "problem problems conjecture conjectures question vermutung problema probleme";
/// Before a number; `com` is in the address of a catalogue.
const NUMBERING: &[&str] = &["number", "no", "nr", "numero", "com"];
/// Within a name: Hadwiger for K6, Tuza with nu = 4.
const WITHIN: &[&str] =
    &["for", "with", "in", "at", "the", "case", "when", "fur", "mit", "pour", "et", "and"];
const NAMED_WITHIN: usize = 16 * 1024;
/// Words of a name.
const NAME_WORDS: usize = 7;
/// Letters of a plain word that names a problem, and of a capitalised one.
const PLAIN: usize = 6;
const PROPER: usize = 4;
/// Letters of the beginning of an id that names it without the rest.
const BEGINNING: usize = 10;

#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a sign of its own, and they are weighed together"
)]
struct Word {
    key: String,
    is_filler: bool,
    /// `Tuza's`, or a filler beside it.
    is_of_problem: bool,
    /// `Kurepa's`: more likely a person than a word.
    is_possessive: bool,
    /// A capital, not at the beginning of a sentence.
    is_proper: bool,
    /// `60-66`: nothing else stands between it and the word before.
    follows_dash: bool,
}

pub fn named(text: &str, known: &[ProblemName]) -> Named {
    Names::of(known).in_text(text)
}

fn says_problem(key: &str) -> bool {
    OF_PROBLEM.split(' ').any(|word| word == key)
}

/// Between the slots of a list, and of a range.
const AND: &str = "and or und oder et ou";
const UP_TO: &str = "to through till until bis";
/// Slots that a range may have.
const LONGEST_RANGE: i64 = 50;

/// `slot 12`, `slot12`, `slots 12 and 13`, `slots 12 to 15`.
fn slot(words: &[Word], at: usize) -> Option<i64> {
    let key = words.get(at)?.key.as_str();
    if let Some(number) = key.strip_prefix("slot").and_then(|number| number.parse().ok()) {
        return Some(number);
    }
    let number: i64 = key.parse().ok()?;
    if words.get(at)?.follows_dash
        && let Some(first) = at.checked_sub(1).and_then(|before| slot(words, before))
        && (1..LONGEST_RANGE).contains(&number.saturating_sub(first))
    {
        return Some(number);
    }
    let mut before = words.get(..at)?.iter().rev().map(|word| word.key.as_str());
    let is_in = |words: &str, key: &str| words.split(' ').any(|word| word == key);
    let mut is_range = false;
    let said = before.find(|key| {
        is_range |= is_in(UP_TO, key);
        !is_in(AND, key) && !is_in(UP_TO, key) && key.parse::<i64>().is_err()
    });
    let is_slot = |key: &str| key == "slots" || (key == "slot" && !is_range);
    said.filter(|key| is_slot(key)).map(|_| number)
}

/// The slots after `first` up to that of the word `at`, where they are the ends of a range.
fn range(
    words: &[Word],
    first: (usize, i64),
    at: usize,
    last: i64,
) -> std::ops::RangeInclusive<i64> {
    let between = words.get(first.0 + 1..at).unwrap_or_default();
    let is_range = match between {
        [] => words.get(at).is_some_and(|word| word.follows_dash),
        [word] => UP_TO.split(' ').any(|known| known == word.key) && says_slots(words, first.0),
        _ => false,
    };
    let is_short = (1..LONGEST_RANGE).contains(&last.saturating_sub(first.1));
    if is_range && is_short { first.1 + 1..=last } else { last..=last }
}

fn says_slots(words: &[Word], first: usize) -> bool {
    first
        .checked_sub(1)
        .and_then(|before| words.get(before))
        .is_some_and(|word| word.key == "slots")
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let is_letter =
        |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '\u{300}'..='\u{36f}');
    let (mut begins, mut between) = (true, String::new());
    for piece in text.split_inclusive(|c| !is_letter(c)) {
        let run = piece.trim_end_matches(|c| !is_letter(c));
        let (word, is_possessive) = match run.split_once(['\'', '’']) {
            Some((word, "s" | "")) => (word, true),
            _ => (run, false),
        };
        let key = word_key(word);
        if key.is_empty() {
            between.push_str(piece);
            begins |= piece.ends_with(['.', '!', '?', ':', '\n']);
            continue;
        }
        let follows_dash = matches!(between.trim(), "-" | "–" | "—");
        piece.strip_prefix(run).unwrap_or_default().clone_into(&mut between);
        let is_proper = !begins && word.starts_with(char::is_uppercase);
        begins = piece.ends_with(['.', '!', '?', ':', '\n']);
        // The catalogue's address names its author.
        let key = if key == "erdosproblems" { "erdos".to_owned() } else { key };
        let is_filler = says_problem(&key) || NUMBERING.contains(&key.as_str());
        if says_problem(&key)
            && let Some(last) = words.last_mut()
        {
            last.is_of_problem = true;
        }
        let follows = words.last().is_some_and(|last| {
            says_problem(&last.key)
                || (NUMBERING.contains(&last.key.as_str()) && last.is_of_problem)
        });
        let is_of_problem = is_possessive || follows;
        words.push(Word { key, is_filler, is_of_problem, is_possessive, is_proper, follows_dash });
    }
    words
}

/// By what names them; `None` for what names several.
#[derive(Debug, Default)]
pub struct Names {
    whole: HashMap<String, Option<(String, bool)>>,
    /// A word of an id that is its own: `nu4`, `a056777`.
    parts: HashMap<String, Option<String>>,
    /// The number in an id; every text has a first problem.
    numbers: HashMap<String, Option<String>>,
    /// The first word of an id.
    heads: HashMap<String, Option<String>>,
    /// Two or more first words of an id: `lonelyrunner`.
    beginnings: HashMap<String, Option<String>>,
}

impl Names {
    pub fn in_text(&self, text: &str) -> Named {
        let words = words(text.get(..text.floor_char_boundary(NAMED_WITHIN)).unwrap_or_default());
        let mut found = Named::default();
        let mut last: Option<(usize, i64)> = None;
        let mut at = 0;
        while let Some(word) = words.get(at) {
            if let Some(slot) = slot(&words, at) {
                let all = last.map_or(slot..=slot, |first| range(&words, first, at, slot));
                last = Some((at, slot));
                let new: Vec<i64> = all.filter(|slot| !found.slots.contains(slot)).collect();
                found.slots.extend(new);
            } else if !word.is_filler
                && let Some((id, length)) = self.at(&words, at)
            {
                if !found.problems.contains(&id) {
                    found.problems.push(id);
                }
                at += length;
                continue;
            }
            at += 1;
        }
        found
    }

    pub fn of(known: &[ProblemName]) -> Self {
        let mut names = Self::default();
        for problem in known {
            for name in std::iter::once(&problem.id).chain(&problem.aliases) {
                names.add(name, problem);
            }
        }
        names
    }

    fn add(&mut self, name: &str, problem: &ProblemName) {
        let id = || problem.id.clone();
        note(&mut self.whole, id_key(name), (id(), problem.is_stated));
        let parts = name.split(|c: char| !c.is_alphanumeric()).map(word_key);
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        for part in &parts {
            if is_number(part) && part.len() > 1 {
                note(&mut self.numbers, part.clone(), id());
            } else if part.len() >= 3 && has_digit(part) && !is_number(part) {
                note(&mut self.parts, part.clone(), id());
            }
        }
        let says: Vec<&str> =
            parts.iter().map(String::as_str).filter(|part| !says_problem(part)).collect();
        if says.len() < parts.len() && !says.is_empty() {
            note(&mut self.whole, says.concat(), (id(), problem.is_stated));
        }
        if let Some(head) = parts.first().filter(|_| problem.is_stated && parts.len() > 1) {
            note(&mut self.heads, head.clone(), id());
            for length in 2..says.len() {
                let beginning = says.get(..length).unwrap_or_default().concat();
                if beginning.len() >= BEGINNING {
                    note(&mut self.beginnings, beginning, id());
                }
            }
        }
    }

    /// From this word on; the id and how many words.
    fn at(&self, words: &[Word], at: usize) -> Option<(String, usize)> {
        let rest = words.get(at..)?;
        let mut key = String::new();
        let mut longest = None;
        for (index, word) in rest.iter().take(NAME_WORDS).enumerate() {
            if word.is_filler || (index > 0 && WITHIN.contains(&word.key.as_str())) {
                continue;
            }
            key.push_str(&word.key);
            let plural = key.strip_suffix('s').unwrap_or_default();
            let known = self.whole.get(&id_key(&key)).or_else(|| self.whole.get(plural));
            if let Some(Some((id, is_stated))) = known {
                let enough = if word.is_proper { PROPER } else { PLAIN };
                let by_itself = has_digit(&key) || index > 0 || (*is_stated && key.len() >= enough);
                let is_name = word.is_possessive && key.len() >= PLAIN;
                if by_itself || is_name || (*is_stated && word.is_of_problem) {
                    longest = Some((id.clone(), index + 1));
                    continue;
                }
            }
            let by_part =
                || self.parts.get(&key).filter(|_| index == 0 || says_what_is_counted(&key));
            let by_beginning = || self.beginnings.get(&key).or_else(|| self.beginnings.get(plural));
            if let (None, Some(Some(id))) = (&longest, by_part().or_else(by_beginning)) {
                longest = Some((id.clone(), index + 1));
            }
        }
        longest.or_else(|| {
            let word = rest.first()?;
            let of_problem = |names: &HashMap<String, Option<String>>| {
                names.get(&word.key).filter(|_| word.is_of_problem).cloned().flatten()
            };
            of_problem(&self.numbers).or_else(|| of_problem(&self.heads)).map(|id| (id, 1))
        })
    }
}

/// `nu4`, `a056777`; a single letter only before a long number.
fn says_what_is_counted(key: &str) -> bool {
    let letters = key.find(|c: char| c.is_ascii_digit()).unwrap_or(key.len());
    letters >= 2 || key.len() > 4
}

/// A name of two problems means none.
fn note<T: PartialEq>(names: &mut HashMap<String, Option<T>>, key: String, id: T) {
    match names.get_mut(&key) {
        Some(known) if known.as_ref() != Some(&id) => *known = None,
        Some(_) => {}
        None => drop(names.insert(key, Some(id))),
    }
}

fn has_digit(key: &str) -> bool {
    key.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_number(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit())
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

#[cfg(test)]
mod named_tests {
    use proptest::prelude::*;

    use super::*;

    fn known() -> Vec<ProblemName> {
        let stated =
            ["kurepa", "erdos_850", "erdos_410", "tuza_nu4", "feit_thompson", "oeis_a067720"];
        let stated = stated.into_iter().chain([
            "lehmer_totient",
            "erdos_straus",
            "abc",
            "putnam_2019_a1",
            "sums_7",
            "beal_conjecture",
            "seymour_second_neighborhood_ssnc",
        ]);
        let found = ["vertex", "bridge", "wolstenholme"];
        let name = |is_stated| {
            move |id: &str| ProblemName {
                id: id.to_owned(),
                aliases: if id == "tuza_nu4" { vec!["nu_4".to_owned()] } else { Vec::new() },
                is_stated,
            }
        };
        stated.map(name(true)).chain(found.map(name(false))).collect()
    }

    #[test]
    fn what_a_prompt_names() {
        for (text, expected) in [
            ("let us work on kurepa's conjecture", "kurepa"),
            ("what about kurepas?", "kurepa"),
            ("Kurepa’s left factorial", "kurepa"),
            ("Erd\u{151}s Problem #410 please", "erdos_410"),
            ("is problem 410 open", "erdos_410"),
            ("ep850 and EP 410", "erdos_850 erdos_410"),
            ("Erdos-850, then erdos_410.", "erdos_850 erdos_410"),
            ("submit erdos850 again", "erdos_850"),
            ("feit thompson: which approach is left?", "feit_thompson"),
            ("the Feit\u{2013}Thompson conjecture", "feit_thompson"),
            ("Tuza for \u{3bd} = 4", "tuza_nu4"),
            ("Tuza's conjecture", "tuza_nu4"),
            ("tuza nu4 and nu_4", "tuza_nu4"),
            ("look at A067720", "oeis_a067720"),
            ("Lehmer's totient problem", "lehmer_totient"),
            ("the abc conjecture", "abc"),
            ("the Erd\u{151}s\u{2013}Straus conjecture", "erdos_straus"),
            ("Wolstenholme's theorem", "wolstenholme"),
            // Two problems begin so.
            ("Erd\u{151}s' conjecture", ""),
            ("externals share a common vertex, by the bridge", ""),
            ("abc def", ""),
            ("there are no 410 of them, and no 850 either", ""),
            ("problem no. 410, question number 850", "erdos_410 erdos_850"),
            ("problem 7 of the sheet", ""),
            ("line 410 of the file fails 850 times", ""),
            ("a totient sum", ""),
            ("no problem", ""),
            ("see erdosproblems.com/410", "erdos_410"),
            ("Tuza for \u{3bd} = 4, then nu 4", "tuza_nu4"),
            ("Feit-Thompson", "feit_thompson"),
            ("it is as Beal says", "beal_conjecture"),
            ("Beal and beal", ""),
            ("the second neighborhoods of Seymour", ""),
            ("Seymour's second neighborhoods", "seymour_second_neighborhood_ssnc"),
            ("seymour second, neighborhood", "seymour_second_neighborhood_ssnc"),
            ("", ""),
            ("why did slot 319 fail, and slot12?", "slot319 slot12"),
            ("slots 12, 13 and 14", "slot12 slot13 slot14"),
            ("12 slots are open", ""),
            ("which of slots 60 to 63 came back", "slot60 slot61 slot62 slot63"),
            ("slots 60-62", "slot60 slot61 slot62"),
            ("slots 60 \u{2013} 62 and 70", "slot60 slot61 slot62 slot70"),
            ("slot60-62, slot12", "slot60 slot61 slot62 slot12"),
            ("find slot60 slot62", "slot60 slot62"),
            ("copy slot60 to slot63", "slot60 slot63"),
            ("slot 60 to 90 percent", "slot60"),
            ("slots 1 to 100000", "slot1 slot100000"),
            ("slot12-2", "slot12"),
            ("resubmit slot680_kurepa_v2.lean", "slot680 kurepa"),
        ] {
            let found = named(text, &known());
            let mut all: Vec<String> =
                found.slots.iter().map(|slot| format!("slot{slot}")).collect();
            all.extend(found.problems);
            assert_eq!(all.join(" "), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_names_what_is_known_or_nothing(text in "(.|\\n){0,300}") {
            let found = named(&text, &known());
            prop_assert!(found.problems.iter().all(|id| known().iter().any(|one| one.id == *id)));
        }
    }
}
