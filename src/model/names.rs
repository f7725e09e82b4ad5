//! Names of problems compared without regard to spelling, and what a file's name says of slot and problem. Text only.

use std::ops::Range;

use crate::text::{base_name, without_mark};

/// Without case, accents and separators: `Erdős-850` and `erdos_850` are one, so are `ν = 4` and `nu4`.
pub fn word_key(word: &str) -> String {
    // Most words, and a briefing asks for thousands.
    if word.is_ascii() {
        let letters = word.bytes().filter(u8::is_ascii_alphanumeric);
        return letters.map(|letter| char::from(letter.to_ascii_lowercase())).collect();
    }
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    let mut key = String::new();
    for letter in letters.flat_map(char::to_lowercase).map(without_mark) {
        let name = GREEK.split(' ').find_map(|pair| pair.strip_prefix(letter));
        match name.filter(|_| !letter.is_ascii()) {
            Some(name) => key.push_str(name),
            None => key.push(letter),
        }
    }
    key
}

const GREEK: &str = "αalpha βbeta γgamma δdelta εepsilon ζzeta θtheta κkappa λlambda μmu νnu πpi \
    ρrho σsigma τtau φphi χchi ψpsi ωomega";

/// As the database spells ids: lower case, single underscores. `Erdős #850` becomes `erdős_850`.
pub fn problem_key(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    for c in id.trim().chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    out.truncate(out.trim_end_matches('_').len());
    out
}

pub fn same_problem(left: &str, right: &str) -> bool {
    id_key(left) == id_key(right)
}

/// Of a problem's id: `EP 203`, `Erdős #203` and `Erdős Problem 203` are `erdos203`.
pub fn id_key(id: &str) -> String {
    let key = word_key(id);
    numbered_key(&key).unwrap_or(key)
}

/// The key of a problem of Erdős that has another name there.
pub(super) fn numbered_key(key: &str) -> Option<String> {
    let numbers = ["erdosproblemnumber", "erdosproblem", "erdosnumber", "ep"];
    let number =
        numbers.iter().find_map(|before| key.strip_prefix(before).filter(|n| is_number(n)));
    // `E850`; shorter ones are groups and lattices.
    let short = || key.strip_prefix('e').filter(|n| n.len() >= 3 && is_number(n));
    let number = number.or_else(short);
    number.map(|number| format!("erdos{number}"))
}

pub(super) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|digit| digit.is_ascii_digit())
}

/// `erdos_850` becomes `Erdos 850`.
pub fn display_name(id: &str) -> String {
    id.split('_')
        .filter(|word| !word.is_empty())
        .map(|word| {
            let word = spaced_number(word);
            let mut chars = word.chars();
            chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// `erdos 850` of `erdos850`; `nu4` and `a056777` stay.
fn spaced_number(word: &str) -> String {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    match word.split_at(letters.len()) {
        (word, number) if word.chars().count() > 2 && !number.is_empty() => {
            format!("{word} {number}")
        }
        _ => word.to_owned(),
    }
}

/// `slot614_erdos_850_result.lean` is slot 614, `slot12a_x` slot 12. Without folders, in any case.
pub fn slot_of(name: &str) -> Option<i64> {
    let key = problem_key(file_stem(name));
    let words: Vec<&str> = words_of(&key).collect();
    slot_in(&words).map(|(_, slot, _)| slot)
}

/// `slot12`, or `slot12a` of `slot012a_x`: the same number, another submission.
pub fn slot_label(name: &str) -> Option<String> {
    let key = problem_key(file_stem(name));
    let words: Vec<&str> = words_of(&key).collect();
    slot_in(&words).map(|(_, slot, letter)| format!("slot{slot}{letter}"))
}

/// A sketch and the prover's answer share it: without folders, ending, and how it came about.
pub fn stem_key(name: &str) -> String {
    let words = words(file_stem(name));
    let mut words = words.as_slice();
    while let [rest @ .., last] = words
        && !rest.is_empty()
        && (ANSWERS.contains(&last.as_str()) || is_repetition(last))
    {
        words = rest;
    }
    words.join("_")
}

/// How a prover ends the names of answers.
const ANSWERS: &[&str] = &["result", "results", "aristotle", "output", "out"];

/// `r2`: the second answer to a file.
fn is_repetition(word: &str) -> bool {
    word.strip_prefix('r').is_some_and(is_number)
}

pub fn is_bare_slot(name: &str) -> bool {
    slot_of(name).is_some() && without_noise(&problem_words(&stem_key(name))).is_empty()
}

/// The rest behind slot and problem: `prime factor triples` in `slot614_erdos_850_prime_factor_triples_result.lean`.
pub fn approach_of(name: &str, problem: Option<&str>) -> Option<String> {
    let words = problem_words(name);
    let key = problem.map(word_key).unwrap_or_default();
    let prefix = (1..=words.len())
        .find(|end| words.get(..*end).is_some_and(|words| words.concat() == key))
        .unwrap_or(0);
    let rest = without_noise(words.get(prefix..).unwrap_or_default());
    // `2x2` and `4` tell a case, not how it was tried.
    let is_word = |word: &String| word.chars().filter(|c| c.is_alphabetic()).count() >= 3;
    rest.iter().any(is_word).then(|| rest.join(" "))
}

/// Ends of names that say how the file came about.
const NOISE: &[&str] =
    &["result", "results", "aristotle", "output", "out", "final", "submission", "lean"];

fn file_stem(name: &str) -> &str {
    let name = name.trim().trim_end_matches(['/', '\\']);
    let name = base_name(name);
    [".lean", ".txt", ".md"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

fn words(stem: &str) -> Vec<String> {
    words_of(&problem_key(stem)).map(str::to_owned).collect()
}

fn words_of(key: &str) -> impl Iterator<Item = &str> {
    key.split('_').filter(|word| !word.is_empty())
}

/// `slot12`, `slot12a`, or `slot` and `12`: which words, the number, and the letter behind it.
fn slot_in<S: AsRef<str>>(words: &[S]) -> Option<(Range<usize>, i64, &str)> {
    words.iter().enumerate().find_map(|(at, word)| {
        let (number, end) = match word.as_ref().strip_prefix("slot")? {
            "" => (words.get(at + 1)?.as_ref(), at + 2),
            number => (number, at + 1),
        };
        let digits = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let letter = number.get(digits.len()..).filter(|letter| letter.len() <= 1)?;
        Some((at..end, digits.parse().ok()?, letter))
    })
}

/// Without slot and prover uuid.
pub(super) fn problem_words(name: &str) -> Vec<String> {
    let mut words = words(file_stem(name));
    if let Some(at) = words.windows(5).position(is_uuid) {
        words.drain(at..at + 5);
    }
    words.retain(|word| !(word.len() == 32 && is_hex(word)));
    if let Some((at, ..)) = slot_in(&words) {
        words.drain(at);
    }
    words
}

fn is_uuid(words: &[String]) -> bool {
    words.iter().map(String::len).eq([8, 4, 4, 4, 12]) && words.iter().all(|word| is_hex(word))
}

fn is_hex(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_hexdigit())
}

fn without_noise(mut words: &[String]) -> &[String] {
    let is_noise =
        |word: &str| NOISE.contains(&word) || word.strip_prefix('v').is_some_and(is_number);
    loop {
        words = match words {
            [first, rest @ ..] if NOISE.contains(&first.as_str()) => rest,
            [rest @ .., last] if is_noise(last) => rest,
            [rest @ .., noise, last] if is_noise(noise) && last.parse::<u32>().is_ok() => rest,
            _ => return words,
        };
    }
}

/// `bar` of `Foo.bar`, and `«x.y»` of `Foo.«x.y»`.
pub fn last_part(name: &str) -> &str {
    let end = if name.ends_with('»') { name.rfind('«').unwrap_or(0) } else { name.len() };
    let dot = name.get(..end).and_then(|head| head.rfind('.'));
    dot.and_then(|dot| name.get(dot + 1..)).unwrap_or(name)
}

/// Whether a theorem is named as a step of another proof: `aux_1`, `h_main`, `main_bound_step3`.
pub fn is_named_as_step(name: &str) -> bool {
    let name = last_part(name).to_ascii_lowercase();
    let name = name.trim_start_matches('_');
    let is_step = |word: &str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        ["aux", "helper", "step", "snippet", "tmp", "temp"].contains(&word)
    };
    name.starts_with("h_") || name.split('_').any(is_step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_ids_have_one_spelling() {
        for (input, expected) in [
            ("erdos_850", "erdos_850"),
            ("Erdos 850", "erdos_850"),
            ("erdos-850", "erdos_850"),
            ("  FT_P3  ", "ft_p3"),
            ("100%'; drop", "100_drop"),
            ("''", ""),
        ] {
            assert_eq!(problem_key(input), expected, "{input:?}");
        }
        assert!(same_problem("erdos850", "Erdos #850"));
        assert!(
            same_problem("erdos_850", "Erd\u{151}s 850")
                && same_problem("erdos_850", "Erdo\u{30b}s 850")
        );
        for (id, expected) in [
            ("erdos_203 ", "erdos203"),
            ("EP203", "erdos203"),
            ("ep 203", "erdos203"),
            ("Erd\u{151}s #203", "erdos203"),
            ("Erd\u{151}s Problem #203", "erdos203"),
            ("Problem 203", "problem203"),
            ("epimorphism_2", "epimorphism2"),
            ("step_3", "step3"),
        ] {
            assert_eq!(id_key(id), expected, "{id}");
        }
        assert_eq!(display_name("erdos_850"), "Erdos 850");
        assert_eq!(display_name("erdos850"), "Erdos 850");
        assert_eq!(display_name("tuza_nu4"), "Tuza Nu4");
    }

    #[test]
    fn slots_stand_in_names() {
        for (name, expected) in [
            ("slot614_erdos_850_prime_factor_triples_result.lean", Some(614)),
            ("submissions/nu4_final/slot12a_link_graph.lean", Some(12)),
            ("slot716", Some(716)),
            ("SLOT-7-x", Some(7)),
            ("erdos_850_slot_9.lean", Some(9)),
            ("slot", None),
            ("slots_12", None),
            ("timeslot12", None),
            ("slot12ab_x", None),
            ("slot99999999999999999999", None),
            ("erdos_850.lean", None),
            ("", None),
        ] {
            assert_eq!(slot_of(name), expected, "{name:?}");
        }
    }

    #[test]
    fn a_sketch_and_its_answer_have_one_stem() {
        for (name, stem, bare) in [
            ("a/slot7_x_y.lean", "slot7_x_y", false),
            ("slot7_x_y_aristotle.lean", "slot7_x_y", false),
            ("slot7_x_y_r2_aristotle.lean", "slot7_x_y", false),
            ("slot7_x_y.txt", "slot7_x_y", false),
            ("slot7_x_y_v2_fixed_result.lean", "slot7_x_y_v2_fixed", false),
            ("slot7_result.lean", "slot7", true),
            ("slot7", "slot7", true),
            ("output.lean", "output", false),
        ] {
            assert_eq!((stem_key(name).as_str(), is_bare_slot(name)), (stem, bare), "{name}");
        }
    }

    #[test]
    fn the_rest_of_a_name_is_the_approach() {
        for (name, problem, expected) in [
            (
                "slot614_erdos_850_prime_factor_triples_result.lean",
                Some("erdos_850"),
                Some("prime factor triples"),
            ),
            ("slot9_erdos850_smooth.lean", Some("erdos_850"), Some("smooth")),
            ("slot9_link_graph_v2.lean", Some("tuza_nu4"), Some("link graph")),
            ("slot9_erdos_850_aristotle.lean", Some("erdos_850"), None),
            ("slot716", Some("erdos_850"), None),
            ("slot9_tuza_nu4_2x2.lean", Some("tuza_nu4"), None),
            ("apex_split", None, Some("apex split")),
        ] {
            assert_eq!(approach_of(name, problem).as_deref(), expected, "{name:?}");
        }
    }
}
