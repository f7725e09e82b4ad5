//! Which of the known problems a text speaks of, and which one a file's name begins with. Text only.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::names::{id_key, is_number, numbered_key, problem_key, problem_words, word_key};
use crate::text::is_among;

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

/// Lists of numbered problems: one of theirs need not be known.
const CATALOGUES: &[&str] = &["erdos", "green", "hilbert", "smale", "kourovka", "mathoverflow"];
/// They say that the word beside them names a problem, and are no part of the name.
const OF_PROBLEM: &str =
    "problem problems conjecture conjectures question vermutung problema probleme problemes";
/// Before a number; `com` is in the address of a catalogue.
const NUMBERING: &[&str] = &["number", "no", "nr", "numero", "com"];
/// Within a name: Hadwiger for K6, Tuza with nu = 4.
const WITHIN: &[&str] =
    &["for", "with", "in", "at", "the", "case", "when", "fur", "mit", "pour", "et", "and"];
const NAMED_WITHIN: usize = 16 * 1024;
const NAME_WORDS: usize = 7;
/// Letters of a plain word that names a problem, and of a capitalised one.
const PLAIN: usize = 5;
const PROPER: usize = 4;
/// A text that speaks of mathematics, or a heading: else a plain word (`energy`) is only a word.
const OF_WORK: &str = "prove proves proving proof proofs proved proven reprove lemma lemmas theorem theorems conjecture \
    conjectures problem problems submit submitted submission submissions resubmit resend slot slots sketch sketches lean \
    mathlib bound bounds attempt attempts status refuted refute refutes counterexample counterexamples gap gaps solved \
    solve failed approach approaches strategy strategies tried prover aristotle hypothesis beweis beweise beweisen bewiesen vermutung einreichen lemmata satz \
    prouver preuve theoreme";
const HEADING_WORDS: usize = 3;
const BEFORE_NAME: &str = "on with about to mit an zu uber sur avec";

/// A problem, and whether a tracking database, a person or the agent named it, not only a file. A single plain word
/// names no other: a `vertex` in a sentence is a vertex.
type Known = (String, bool);

/// What names a problem beside its ids and aliases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum By {
    /// `beal` for `beal_conjecture`.
    Short,
    /// A word of an id that is its own: `nu4`, `a056777`.
    Part,
    /// The number in an id; every text has a first problem.
    Number,
    /// The first word of an id.
    Head,
    /// Two words of an id beside each other.
    Pair,
}

#[derive(Debug, Clone, Default)]
pub struct KnownProblems {
    /// Ids and aliases by word key; the first of several counts.
    whole: HashMap<String, Known>,
    /// `None` for what names several.
    besides: HashMap<By, HashMap<String, Option<Known>>>,
}

impl KnownProblems {
    /// A problem by its id only; returns the spelling that counts from now on.
    pub fn insert(&mut self, id: &str) -> String {
        let key = id_key(id);
        let spelt = || if key == word_key(id) { problem_key(id) } else { catalogued(&key) };
        self.whole.entry(key.clone()).or_insert_with(|| (spelt(), false)).0.clone()
    }

    /// The problem that `Problem 203` means: the one of a catalogue that has this number, if no other has.
    pub fn of_number(&self, id: &str) -> Option<&str> {
        let key = word_key(id);
        let number = key.strip_prefix("problem").filter(|number| is_number(number))?;
        let known = |catalogue: &&str| self.whole.get(&format!("{catalogue}{number}"));
        let mut found = CATALOGUES.iter().filter_map(known);
        found.next().filter(|_| found.next().is_none()).map(|(id, _)| id.as_str())
    }

    /// Unless it is a problem itself.
    pub fn alias(&mut self, alias: &str, id: &str) {
        self.whole.entry(id_key(alias)).or_insert_with(|| (id.to_owned(), false));
    }

    /// A problem by all that people call it.
    pub fn add(&mut self, id: &str, aliases: &[String], is_stated: bool) {
        let known = (id.to_owned(), is_stated);
        self.whole.insert(id_key(id), known.clone());
        self.called(id, &known);
        for alias in aliases {
            self.whole.entry(id_key(alias)).or_insert_with(|| known.clone());
            self.called(alias, &known);
        }
    }

    /// What its owner calls it: `Ryser's conjecture`. Only the whole name counts, without articles.
    pub fn add_name(&mut self, id: &str, name: &str, is_stated: bool) {
        const ARTICLES: &str = "the a an s";
        let says = |part: &String| {
            !part.is_empty() && !is_among(part, OF_PROBLEM) && !is_among(part, ARTICLES)
        };
        let parts: Vec<String> =
            name.split(|c: char| !c.is_alphanumeric()).map(word_key).filter(says).collect();
        let known = (id.to_owned(), is_stated);
        if (1..=NAME_WORDS).contains(&parts.len()) {
            self.note(By::Short, parts.concat(), &known);
        }
        // `Caccetta-Häggkvist, triangle case`
        if let Some((head, _)) = name.split_once([',', '(', ':']) {
            let head: Vec<String> =
                head.split(|c: char| !c.is_alphanumeric()).map(word_key).filter(says).collect();
            if (1..=NAME_WORDS).contains(&head.len()) {
                self.note(By::Short, head.concat(), &known);
            }
        }
    }

    /// A name of two problems means none.
    fn note(&mut self, by: By, key: String, known: &Known) {
        let same =
            self.besides.entry(by).or_default().entry(key).or_insert_with(|| Some(known.clone()));
        match same {
            Some((id, is_stated)) if *id == known.0 => *is_stated |= known.1,
            _ => *same = None,
        }
    }

    /// Also the problems of a list that its owner states.
    pub fn add_stated(&mut self, others: &Self) {
        let ids: BTreeSet<&String> = others.whole.values().map(|(id, _)| id).collect();
        for id in ids {
            let id = self.spelling(id).unwrap_or(id).to_owned();
            self.add(&id, &[], true);
        }
    }

    fn called(&mut self, name: &str, known: &Known) {
        let mut note = |by, key| self.note(by, key, known);
        let parts = name.split(|c: char| !c.is_alphanumeric()).map(word_key);
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        for part in &parts {
            if is_number(part) && part.len() > 1 {
                note(By::Number, part.clone());
            } else if part.len() >= 3 && has_digit(part) && !is_number(part) {
                note(By::Part, part.clone());
            }
        }
        let says: Vec<&str> =
            parts.iter().map(String::as_str).filter(|part| !is_among(part, OF_PROBLEM)).collect();
        if says.len() < parts.len() && !says.is_empty() {
            note(By::Short, says.concat());
        }
        for pair in parts.windows(2).map(<[String]>::concat) {
            if known.1 && !has_digit(&pair) {
                note(By::Pair, pair);
            }
        }
        if let Some(head) = parts.first().filter(|_| known.1 && parts.len() > 1) {
            note(By::Head, head.clone());
        }
    }

    pub fn spelling(&self, id: &str) -> Option<&str> {
        self.whole.get(&id_key(id)).map(|(id, _)| id.as_str()).filter(|id| !id.is_empty())
    }

    /// How many problems have ids or other names that begin with a word key.
    pub fn beginning(&self, key: &str) -> usize {
        let begins = self.whole.iter().filter(|(name, _)| name.starts_with(key));
        begins.map(|(_, (id, _))| id).collect::<BTreeSet<_>>().len()
    }

    pub fn prefix_of(&self, name: &str) -> Option<&str> {
        self.longest_prefix(&problem_words(name))
    }

    /// The longest known id or alias with which the name begins, word by word, else a catalogue's number (`erdos_850_x`).
    /// Slot and prover uuid do not count.
    pub fn problem_of(&self, name: &str) -> Option<String> {
        let words = problem_words(name);
        let by_number = || (1..=2).find_map(|end| numbered(&word_key(&words.get(..end)?.concat())));
        self.longest_prefix(&words).map(str::to_owned).or_else(by_number)
    }

    fn longest_prefix(&self, words: &[String]) -> Option<&str> {
        (1..=words.len()).rev().find_map(|end| self.spelling(&words.get(..end)?.concat()))
    }

    /// Those whose whole ids stand in a text that is known to speak of problems, plain words too.
    pub fn named_in(&self, text: &str) -> Vec<String> {
        let words = words(text);
        let mut found = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let known = (1..=NAME_WORDS.min(words.len() - at)).rev().find_map(|length| {
                let key: String = words.get(at..at + length)?.iter().map(|it| &*it.key).collect();
                Some((self.whole.get(&key)?.0.clone(), length))
            });
            if let Some((id, _)) = &known
                && !found.contains(id)
            {
                found.push(id.clone());
            }
            at += known.map_or(1, |(_, length)| length);
        }
        found
    }

    pub fn in_text(&self, text: &str) -> Named {
        self.named(text, false)
    }

    /// In what is asked of the knowledge base, plain words name problems too: `best result for sendov`.
    pub fn in_question(&self, text: &str) -> Named {
        self.named(text, true)
    }

    fn named(&self, text: &str, is_work: bool) -> Named {
        let words = words(text.get(..text.floor_char_boundary(NAMED_WITHIN)).unwrap_or_default());
        let is_work = is_work
            || words.len() <= HEADING_WORDS
            || words.iter().any(|word| is_among(&word.key, OF_WORK));
        let mut found = Named::default();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            if let Some(slot) = slot(&words, at) {
                if !found.slots.contains(&slot) {
                    found.slots.push(slot);
                }
            } else if !word.is_filler
                && let Some((id, length)) = self.at(&words, at, is_work)
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

    /// From this word on; the id and how many words.
    fn at(&self, words: &[Word], at: usize, is_work: bool) -> Option<(String, usize)> {
        let by = |by, key: &str| self.besides.get(&by)?.get(key)?.clone();
        let rest = words.get(at..)?;
        // `go on with kurepa`
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map(|word| word.key.as_str());
        let is_object = rest.len() == 1 && before.is_some_and(|word| is_among(word, BEFORE_NAME));
        let mut key = String::new();
        let mut longest = None;
        for (index, word) in rest.iter().take(NAME_WORDS).enumerate() {
            if word.is_filler || (index > 0 && WITHIN.contains(&word.key.as_str())) {
                continue;
            }
            key.push_str(&word.key);
            let plural = key.strip_suffix('s').unwrap_or_default();
            let whole = |key: &str| self.whole.get(key).cloned().or_else(|| by(By::Short, key));
            let spelled = numbered_key(&key);
            let spelled = spelled.as_deref().unwrap_or(&key);
            if let Some((id, is_stated)) = whole(spelled).or_else(|| whole(plural)) {
                let enough = if word.is_proper { PROPER } else { PLAIN };
                let is_plain =
                    is_stated && key.len() >= enough && (is_work || is_object || word.is_proper);
                let by_itself = has_digit(&key) || index > 0 || is_plain;
                let is_name = word.is_possessive && key.len() >= PLAIN;
                if by_itself || is_name || (is_stated && word.is_of_problem) {
                    longest = Some((id, index + 1));
                    continue;
                }
            }
            let other = || {
                let is_part = index == 0 || says_what_is_counted(&key);
                let by_part = by(By::Part, &key).filter(|_| is_part);
                let is_pair = index == 1 && word.is_of_problem;
                let by_part = by_part.or_else(|| by(By::Pair, &key).filter(|_| is_pair));
                let is_article = ends_with_year(&key) && !word.is_of_problem;
                by_part.map(|(id, _)| id).or_else(|| numbered(&key).filter(|_| !is_article))
            };
            if longest.is_none() {
                longest = other().map(|id| (id, index + 1));
            }
        }
        longest.or_else(|| {
            let word = rest.first().filter(|word| word.is_of_problem)?;
            let known = by(By::Number, &word.key).or_else(|| by(By::Head, &word.key));
            known.map(|(id, _)| (id, 1))
        })
    }
}

/// `erdos_203` of `erdos203`.
fn catalogued(key: &str) -> String {
    numbered(key).unwrap_or_else(|| key.to_owned())
}

/// `erdos_850` of `erdos850`, a catalogue and a number.
fn numbered(key: &str) -> Option<String> {
    CATALOGUES.iter().find_map(|catalogue| {
        let number = key.strip_prefix(catalogue)?;
        is_number(number).then(|| format!("{catalogue}_{number}"))
    })
}

/// Whether a key ends with a year in which those lived after whom catalogues are named: `Erdős 1975` is an article.
fn ends_with_year(key: &str) -> bool {
    let number = key.trim_start_matches(|c: char| !c.is_ascii_digit());
    number.len() == 4 && ["18", "19", "20"].iter().any(|century| number.starts_with(century))
}

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
    /// A capital, not at the beginning of a sentence, or nothing but capitals.
    is_proper: bool,
}

/// Between the slots of a list.
const AND: &str = "and or to und oder bis et ou";

/// `slot 12`, `slot12`, `slots 12 and 13`.
fn slot(words: &[Word], at: usize) -> Option<i64> {
    let key = words.get(at)?.key.as_str();
    if let Some(number) = key.strip_prefix("slot").and_then(|number| number.parse().ok()) {
        return Some(number);
    }
    let number: i64 = key.parse().ok()?;
    let mut before = words.get(..at)?.iter().rev().map(|word| word.key.as_str());
    let said = before.find(|key| !is_among(key, AND) && key.parse::<i64>().is_err());
    let follows = words.get(at.checked_sub(1)?)?.key == "slot";
    (said? == "slots" || follows).then_some(number)
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let is_letter =
        |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '\u{300}'..='\u{36f}');
    let mut begins = true;
    for piece in text.split_inclusive(|c| !is_letter(c)) {
        let run = piece.trim_end_matches(|c| !is_letter(c));
        let (word, is_possessive) = match run.split_once(['\'', '’']) {
            Some((word, "s" | "")) => (word, true),
            _ => (run, false),
        };
        let key = word_key(word);
        if key.is_empty() {
            begins |= piece.ends_with(['.', '!', '?', ':', '\n']);
            continue;
        }
        let is_acronym = word.chars().all(char::is_uppercase);
        let is_proper = is_acronym || !begins && word.starts_with(char::is_uppercase);
        begins = piece.ends_with(['.', '!', '?', ':', '\n']);
        // The catalogue's address names its author.
        let key = match key.as_str() {
            "erdosproblems" => "erdos".to_owned(),
            "n" if piece.ends_with('°') => "numero".to_owned(),
            _ => key,
        };
        let is_filler = is_among(&key, OF_PROBLEM) || NUMBERING.contains(&key.as_str());
        if is_among(&key, OF_PROBLEM)
            && let Some(last) = words.last_mut()
        {
            last.is_of_problem = true;
        }
        let follows = words.last().is_some_and(|last| {
            is_among(&last.key, OF_PROBLEM)
                || (NUMBERING.contains(&last.key.as_str()) && last.is_of_problem)
        });
        let is_of_problem = is_possessive || follows;
        words.push(Word { key, is_filler, is_of_problem, is_possessive, is_proper });
    }
    words
}

/// `nu4`, `a056777`; a single letter only before a long number.
fn says_what_is_counted(key: &str) -> bool {
    let letters = key.find(|c: char| c.is_ascii_digit()).unwrap_or(key.len());
    letters >= 2 || key.len() > 4
}

fn has_digit(key: &str) -> bool {
    key.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn listed(ids: &[&str]) -> KnownProblems {
        let mut known = KnownProblems::default();
        for id in ids {
            known.insert(id);
        }
        known
    }

    #[test]
    fn a_name_counts_whole() {
        let mut known = KnownProblems::default();
        for (id, name) in
            [("toeplitz", "The inscribed square problem"), ("rainbow", "Ryser's conjecture")]
        {
            known.add(id, &[], true);
            known.add_name(id, name, true);
        }
        for (text, expected) in [
            ("what do we know about the inscribed square problem?", "toeplitz"),
            ("start on Ryser's conjecture", "rainbow"),
            ("fix the problem, then the square problem", ""),
            ("paint a rainbow over the icons of the page", ""),
            ("submit rainbow for n = 8", "rainbow"),
            ("go on with rainbow", "rainbow"),
            ("what do we have for rainbow", ""),
        ] {
            assert_eq!(known.in_text(text).problems.join(" "), expected, "{text}");
        }
        assert_eq!(known.in_question("what do we have for rainbow").problems, ["rainbow"]);
    }

    #[test]
    fn problems_stand_in_names() {
        let ids = ["erdos_850", "ft_p3", "ft_p3_q71mod72", "leinster_cyclic", "bridges_nu4"];
        let mut known = listed(&ids);
        known.alias("nu_4", "bridges_nu4");
        known.alias("erdos_850", "bridges_nu4");
        let none = KnownProblems::default();
        for (name, with_known, without) in [
            (
                "slot614_erdos_850_prime_factor_triples_result.lean",
                Some("erdos_850"),
                Some("erdos_850"),
            ),
            ("slot9_erdos850_x.lean", Some("erdos_850"), Some("erdos_850")),
            ("Erdos-850.lean", Some("erdos_850"), Some("erdos_850")),
            ("Erdős-851.lean", Some("erdos_851"), Some("erdos_851")),
            ("ft_p3_q71mod72_result", Some("ft_p3_q71mod72"), None),
            ("slot3_ft_p3_q5.lean", Some("ft_p3"), None),
            ("slot3_leinster_cyclic_v2.lean", Some("leinster_cyclic"), None),
            ("a/b/bridgesnu4_link_aristotle.lean", Some("bridges_nu4"), None),
            ("slot7_nu4_link.lean", Some("bridges_nu4"), None),
            ("slot7_nu_4.lean", Some("bridges_nu4"), None),
            ("bridge_link.lean", None, None),
            ("slot12a_apex_split", None, None),
            ("case4_of_erdos_850.lean", None, None),
            ("slot_12_erdos_8501.lean", Some("erdos_8501"), Some("erdos_8501")),
            ("erdos_850b.lean", None, None),
            ("slot716", None, None),
            ("erdos_1052", Some("erdos_1052"), Some("erdos_1052")),
            ("Erdos1975.lean", Some("erdos_1975"), Some("erdos_1975")),
            ("", None, None),
        ] {
            assert_eq!(known.problem_of(name).as_deref(), with_known, "{name:?}");
            assert_eq!(none.problem_of(name).as_deref(), without, "{name:?} without known");
        }
    }

    #[test]
    fn what_is_only_listed_is_named_by_a_number_or_several_words() {
        let mut known = listed(&["erdos_850", "kurepa", "bridges_nu4", "lonely_runner"]);
        known.alias("nu_4", "bridges_nu4");
        for (text, expected) in [
            ("Erdős Problem 850: a first look", "erdos_850"),
            ("see Erdos #12", "erdos_12"),
            ("as in Erdős (1975) and Erdos 1975", ""),
            ("work on erdos_1052", "erdos_1052"),
            ("Erdős problem 1052", "erdos_1052"),
            ("Erdős problem 1975, see Erdős 1976", "erdos_1975"),
            ("the case ν = 4 of the bridges", "bridges_nu4"),
            ("Erdos 850 and Erdos 12", "erdos_850 erdos_12"),
            ("the lonely runner", "lonely_runner"),
            ("what kurepa asked", ""),
            ("Kurepa's left factorial", "kurepa"),
            ("problem 850", ""),
            ("erdos", ""),
            ("", ""),
        ] {
            assert_eq!(known.in_text(text).problems.join(" "), expected, "{text:?}");
        }
    }

    fn known() -> KnownProblems {
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
        let mut known = KnownProblems::default();
        for id in stated {
            let aliases = if id == "tuza_nu4" { vec!["nu_4".to_owned()] } else { Vec::new() };
            known.add(id, &aliases, true);
        }
        for id in found {
            known.add(id, &[], false);
        }
        known
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
            ("", ""),
            ("why did slot 319 fail, and slot12?", "slot319 slot12"),
            ("slots 12, 13 and 14", "slot12 slot13 slot14"),
            ("12 slots are open", ""),
            ("which of slots 60 to 63 came back", "slot60 slot63"),
            ("slots 60-62", "slot60 slot62"),
            ("slots 60 \u{2013} 62 and 70", "slot60 slot62 slot70"),
            ("slot60-62, slot12", "slot60 slot12"),
            ("find slot60 slot62", "slot60 slot62"),
            ("copy slot60 to slot63", "slot60 slot63"),
            ("slot 60 to 90 percent", "slot60"),
            ("slots 1 to 100000", "slot1 slot100000"),
            ("slot12-2", "slot12"),
            ("resubmit slot680_kurepa_v2.lean", "slot680 kurepa"),
            ("Erdős n° 410", "erdos_410"),
            ("the second neighborhood conjecture", "seymour_second_neighborhood_ssnc"),
            ("the second neighborhood of a vertex, a problem by itself", ""),
            ("ABC is a triangle", ""),
            ("BEAL: the next step", "beal_conjecture"),
        ] {
            let found = known().in_text(text);
            let mut all: Vec<String> =
                found.slots.iter().map(|slot| format!("slot{slot}")).collect();
            all.extend(found.problems);
            assert_eq!(all.join(" "), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_names_what_is_known_or_nothing(text in "(.|\\n){0,300}") {
            let found = known().in_text(&text);
            prop_assert!(found.problems.iter().all(|id| known().spelling(id) == Some(id.as_str())));
        }
    }
}
