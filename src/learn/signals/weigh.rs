//! Whether a sentence says something that lasts: its mood, its scope and whom it is said to, added up.
//!
//! No word decides alone. `Never push to main` lasts and `never mind` does not; `use omega here` is about
//! this proof and `use omega for subtraction` is not. So each cue adds to a sum or takes from it, and a
//! sentence counts from a sum of zero on. What weighs how much was fitted to sentences that people labelled.
//! What as a whole is not meant so (a question, irony, what others want, what would be) is not weighed.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

use super::prose::BLANK;
use crate::model::Kind;
use crate::text::without_mark;

pub(super) struct Cue {
    name: &'static str,
    at: At,
    /// What it adds for a person and for the agent.
    weights: (i16, i16),
    says: Option<Kind>,
    words: &'static str,
}

/// Where the words of a cue count.
#[derive(Clone, Copy, PartialEq, Deserialize)]
enum At {
    Anywhere,
    /// At the beginning of the sentence, small words aside.
    Start,
    /// At the beginning of the sentence or of a clause of it.
    Clause,
    /// Where no article or pronoun makes it one particular thing.
    Bare,
    /// Not at the beginning of the sentence.
    Later,
    /// Behind a word for each of its kind.
    Each,
    /// Before a verb that tells what we do each time: `we count vertices from 0`.
    OurWay,
    /// Before a verb in `-ing`.
    Doing,
    /// Before a verb that tells what was.
    Past,
    /// Not behind `I`, `we` or `you`.
    OfOthers,
    /// Behind a number that begins a clause.
    Counted,
    /// At the beginning of the sentence before what there is to be none of.
    Nothing,
    /// Where it is all of its clause, small words aside.
    Whole,
    /// Where its clause does not only suppose it: `if it is false`, `one might think it impossible`.
    Asserted,
}

const TEXT: &str = include_str!("../../../data/cues.txt");

pub(super) static CUES: LazyLock<Vec<Cue>> =
    LazyLock::new(|| TEXT.split("\n\n").filter_map(Cue::read).collect());

/// The lists of words in `data/cues.txt`, with `|` between the words.
pub(super) static LISTS: LazyLock<HashMap<&str, String>> = LazyLock::new(|| {
    let lists = TEXT.split("\n= ").skip(1).filter_map(|rest| rest.split("\n\n").next());
    let named = lists.filter_map(|list| list.split_once('\n'));
    named.map(|(name, words)| (name, words.replace('\n', ""))).collect()
});

pub(super) fn list(name: &str) -> &'static str {
    LISTS.get(name).map_or("", String::as_str)
}

impl Cue {
    fn read(block: &'static str) -> Option<Self> {
        let (head, words) = block.split_once('\n')?;
        if head.starts_with('#') {
            return Self::read(words);
        }
        let [name, at, weights, says] = head.split("; ").collect::<Vec<_>>()[..] else {
            return None;
        };
        let (person, agent) = weights.split_once(' ')?;
        Some(Self {
            name,
            at: At::deserialize(StrDeserializer::<Error>::new(at)).ok()?,
            weights: (person.parse().ok()?, agent.parse().ok()?),
            says: says.parse().ok(),
            words,
        })
    }
}

/// What no word alone says of a sentence: what it adds for a person and for the agent, and where.
type Trait = ((i16, i16), fn(&Look<'_>) -> bool);

struct Look<'s> {
    text: &'s str,
    words: usize,
    place: Place,
    cues: &'s [(&'static Cue, &'static str)],
    /// It orders something for good.
    is_order: bool,
    /// It is an order that is put as a question.
    is_polite: bool,
}

impl Look<'_> {
    /// The word by which a cue holds.
    fn word(&self, name: &str) -> Option<&'static str> {
        self.cues.iter().find(|(cue, _)| cue.name == name).map(|(_, word)| *word)
    }
}

#[rustfmt::skip]
const TRAITS: &[Trait] = &[
    // What every sentence has to outweigh.
    ((-14, -29), |_| true),
    ((10, 10), |look| look.text.as_bytes().contains(&BLANK)),
    ((-18, -18), |look| {
        let is_clear = ["state of things", "manner", "before doing", "ask me"].iter().any(|name| look.word(name).is_some());
        look.words < 5 && !is_clear && !look.is_order
    }),
    ((-10, -10), |look| look.words < 8 && !look.is_order),
    // `Case 2 is impossible`: a step of a proof.
    ((0, -40), is_closed_case),
    ((11, 14), |look| look.words > 15),
    ((-9, -13), |look| words(look.text).any(is_letter)),
    ((-3, 12), |look| look.text.contains([':', ';'])),
    ((17, 0), |look| look.place.after_rejection),
    // `I only changed the comment`
    ((-20, 0), tells_own_past),
    // `Utilise toujours ...`, `Darfst du nie ...`: an order that holds for good, wherever its adverb stands.
    ((22, 0), |look| look.is_order),
    // `Lines: 100 characters`
    ((14, 0), is_labelled),
    // `Lemma 4 is false for n = 0`
    ((22, 0), is_verdict),
    // `Docstrings end with a full stop.`
    ((6, 0), |look| look.word("things of a kind").is_some_and(|word| look.text.starts_with(word))),
    // `Fix the test, the code is right`
    ((42, 0), is_of_sides),
    // `Schreib lieber lang als kurz`
    ((20, 0), is_rather),
    // `Fass den Ordner nicht an`: an order like `don't`.
    ((30, 0), is_refusal),
];

fn is_asked_of_you(sentence: &str) -> bool {
    list("asked of you").split('|').any(|words| sentence.starts_with(words))
}

/// `Could you please ...`, `kannst du bitte ...`
fn asks_politely(sentence: &str) -> bool {
    const PLEASE: &str = "please|pls|bitte|stp|s'il te plaît|s'il vous plaît";
    is_asked_of_you(sentence) && PLEASE.split('|').any(|word| sentence.contains(word))
}

/// Whether a clause orders something for good: `always check ...`, `from now on build ...`, `immer erst ... prüfen`.
fn is_order_for_good(look: &Look<'_>) -> bool {
    let adverbs = ["always", "lasting"].map(|name| look.word(name));
    let mut clauses = look.text.split([',', ';', ':', '(', '–']);
    clauses.any(|clause| adverbs.into_iter().flatten().any(|adverb| orders(clause, adverb)))
}

fn orders(clause: &str, adverb: &str) -> bool {
    const SMALL: &str = "|only|first|should|must|may|can|erst|nur|ne|darfst|sollst|du|dois|to";
    const TOLD: [&str; 5] = [" that ", " dass ", " que ", " is ", " ist "];
    const NO_VERBS: &str = "the|a|an|this|that|in|on|at|below|above|over|under|before|after|with|without|from|to|by|of|for|more|less|only|had|have|been|was|mind|same|again|ever|so|too|my|your|there|here|when|as";
    let Some((before, after)) = clause.split_once(adverb) else { return false };
    let mut words = before.split(' ').chain(after.split(' '));
    let verb = words.find(|word| !is_in(list("openers"), word) && !is_in(SMALL, word));
    let ends =
        |word: &str, ends: [&str; 3]| word.len() > 4 && ends.iter().any(|end| word.ends_with(end));
    let last = clause.trim_end().rsplit(' ').next().unwrap_or_default();
    let next = after.split_whitespace().next().unwrap_or_default();
    // Whatever the verb is: `never mark them as solved`.
    let is_bare = is_in("always|never", adverb)
        && before.split(' ').all(|word| is_in(list("openers"), word) || is_in(SMALL, word))
        && next.chars().all(char::is_alphabetic)
        && !ends(next, ["ed", "ing", "s"])
        && !is_in(NO_VERBS, next)
        && !is_in(list("past"), next)
        && !is_in(list("asked of proofs"), next);
    is_bare
        || verb.is_some_and(|verb| WORK.contains(verb))
            && !TOLD.iter().any(|told| before.contains(told))
        || ends(last, ["en", "rn", "ln"])
            && !clause.split(' ').any(|word| is_in(list("no infinitive with"), word))
        || is_in("toujours|jamais|désormais|dorénavant", adverb) && ends(next, ["er", "ir", "re"])
}

/// The verbs of an order.
static WORK: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let orders = CUES.iter().filter(|cue| matches!(cue.name, "task" | "policy verb"));
    let verbs = orders.flat_map(|cue| cue.words.split(['|', '\n']));
    verbs.filter(|verb| !verb.contains(' ') && !is_in(list("asked of proofs"), verb)).collect()
});

/// Whether of two things that should agree one is right.
fn is_of_sides(look: &Look<'_>) -> bool {
    let words = look.text.split(|c: char| !c.is_alphanumeric());
    let sides: HashSet<&str> = words.filter(|word| is_in(list("sides"), word)).collect();
    let says = |name: &str| look.word(name).is_some();
    let (right, broken) = (says("is right"), says("is broken"));
    let is_asked = [" whether ", " ob ", " si "].iter().any(|word| look.text.contains(word));
    sides.len() > 1 && !is_asked && (right && broken || (right || broken) && says("contrast"))
}

fn is_closed_case(look: &Look<'_>) -> bool {
    let mut first = words(look.text).take(2);
    first.any(|word| is_in("case|cases|fall|cas", word))
        && look.word("dead end").is_some_and(|word| is_in("impossible|unmöglich", word))
}

fn is_verdict(look: &Look<'_>) -> bool {
    let names =
        |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c == char::from(BLANK));
    let mut first = words(look.text).take(4).skip_while(|word| !is_in(list("stated"), word));
    let is_named = first.next().is_some() && first.next().is_some_and(names);
    look.word("dead end").or(look.word("does not work")).is_some()
        && (is_named || look.word("attempt").is_some())
}

/// What it is about stands before a colon.
fn is_labelled(look: &Look<'_>) -> bool {
    let (label, rest) = look.text.split_once(": ").unwrap_or_default();
    let is_short = (1..3).contains(&words(label).count()) && words(rest).count() > 1;
    is_short
        && !label.split(' ').any(|word| {
            is_in(list("no labels"), word) || is_in(list("openers"), word) || WORK.contains(word)
        })
}

fn tells_own_past(look: &Look<'_>) -> bool {
    const CHOSE: &str = "decided|agreed|settled|need";
    let mut first = words(look.text).skip_while(|word| is_in(list("openers"), word)).take(3);
    first.next() == Some("i") && first.any(|word| word.ends_with("ed") && !is_in(CHOSE, word))
}

fn is_rather(look: &Look<'_>) -> bool {
    const PAIRS: [(&str, &str); 4] = [
        ("lieber ", " als "),
        ("plutôt ", " que "),
        ("rather ", " than "),
        ("better to ", " than "),
    ];
    let behind = |first| look.text.split_once(first).map_or("", |(_, rest)| rest);
    PAIRS.iter().any(|(first, second)| behind(*first).contains(second))
}

/// A German order that is denied at its end.
fn is_refusal(look: &Look<'_>) -> bool {
    let first = words(look.text).find(|word| !is_in(list("openers"), word)).unwrap_or_default();
    look.text.contains(" nicht") && (is_in(list("refused verbs"), first) || WORK.contains(first))
}

/// Whether a sentence means what it says, as a whole: it is no question, irony, somebody else's opinion, praise of
/// what the agent does, a definition (`we call a set thin if ...`), or what would be so.
pub(super) fn is_meant(sentence: &str) -> bool {
    const UNMEANT: [&str; 5] =
        ["irony", "opinion", "unreal condition", "praise+described", "called+called if"];
    let found: Vec<&str> = cues(sentence).map(|(cue, _)| cue.name).collect();
    let has = |names: &str| names.split('+').all(|name| found.contains(&name));
    let is_asked = is_marked_question(sentence) && !asks_politely(sentence);
    // `The import drops rows, please have a look`
    let last = sentence.rsplit(", ").next().unwrap_or_default();
    let begs = (2..5).contains(&words(last).count())
        && last.split(' ').next().is_some_and(|word| is_in("please|pls|plz|bitte|stp", word))
        && cues(last).any(|(cue, _)| is_in("task|and a task", cue.name));
    !is_asked
        && (!begs || has("lasting") || has("always"))
        && !has("condition+unreal")
        // What is said beside it is what was before.
        && (!has("withdrawn") || has("lasting") || has("always"))
        // `As my mother says, ...`
        && !(sentence.starts_with("as ") && has("said elsewhere"))
        && !UNMEANT.iter().any(|names| has(names) && !(*names == "opinion" && has("agreed")))
}

/// Whether a sentence tells what others do, in a group or a project of their own, and nothing to us: `Her students never
/// use choice`, `in the other project they do not allow it`.
pub(super) fn is_of_others(sentence: &str) -> bool {
    const THEY: &str = "they|he|she|sie|er|ils|elles";
    const PLACES: &str = "in|at|over|with|on|im|am|bei|beim|dans|chez|à|au|en";
    const NEAR: usize = 5;
    let (clause, rest) =
        sentence.split_at(sentence.find([',', ';', ':']).unwrap_or(sentence.len()));
    let bare = |clause: &'_ str| -> Vec<String> {
        let words = clause.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        let words = words.filter(|word| !word.is_empty());
        words
            .skip_while(|word| is_in(list("small words"), word) || is_in(list("openers"), word))
            .map(str::to_owned)
            .collect()
    };
    let words = bare(clause);
    let is_order =
        |word: &str| WORK.contains(word) || is_in(list("each"), word) || is_in("don't|dont", word);
    let is_ours = |word: &str| is_in(list("ours"), word);
    let Some(first) = words.first() else { return false };
    // `You only prepare it`, too, of which `you` may be left out.
    let is_to_us = |clause: &str| {
        is_ours(clause.trim_start().split(' ').next().unwrap_or_default())
            || bare(clause).first().is_some_and(|word| is_ours(word) || is_order(word))
    };
    let turns_to_us = !rest.starts_with(':') && rest.split([',', ';', ':']).any(is_to_us);
    if turns_to_us || is_order(first) || words.iter().any(|word| is_ours(word)) {
        return false;
    }
    let mut is_other = false;
    // `The team in Graz`.
    let is_somewhere =
        |at: usize| words.get(at + 1).is_some_and(|next| is_in("in|at|from|aus|von|de|du|à", next));
    let mut are_people =
        words.iter().enumerate().take(NEAR).take_while(|(_, word)| !is_order(word)).map(
            |(at, word)| {
                let word = word.trim_start_matches("l'");
                let is_one = is_in(list("people"), word)
                    || is_other && is_in(list("groups"), word)
                    || is_in("team|gruppe|équipe|group", word) && is_somewhere(at);
                is_other |= is_in(list("of others"), word) || word.ends_with("'s");
                is_one
            },
        );
    is_in("he|she", first)
        || words.iter().any(|word| is_in("his|her", word))
        || are_people.any(|is_one| is_one)
        || is_in(PLACES, first) && words.iter().any(|word| is_in(THEY, word))
}

/// Whether one of these cues holds of a sentence.
pub(super) fn has(sentence: &str, names: &str) -> bool {
    cues(sentence).any(|(cue, _)| is_in(names, cue.name))
}

fn is_marked_question(sentence: &str) -> bool {
    const ASKED: &str = "what is |what are |why |how do|was ist |warum |wieso |pourquoi ";
    const TAGS: &str = ", right|, don't we|, dont we|, oder|, nicht wahr|, n'est-ce pas";
    let bare = sentence.trim_end_matches([')', '"', '\'', ' ', '!']);
    let last = bare.rsplit(", ").next().unwrap_or_default();
    bare.ends_with('?')
        || TAGS.split('|').any(|tag| bare.ends_with(tag))
        || ASKED.split('|').any(|word| last.starts_with(word))
}

fn words(sentence: &str) -> impl Iterator<Item = &str> {
    let blank = |c: char| c as u32 == u32::from(BLANK);
    sentence.split(' ').filter(move |word| word.contains(|c: char| c.is_alphanumeric() || blank(c)))
}

/// A word of one letter that prose does not have.
fn is_letter(word: &str) -> bool {
    let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
    word.chars().count() == 1
        && word.starts_with(|c: char| c.is_alphabetic() && !"ℕℤℚℝℂ𝕜".contains(c))
        && !matches!(word, "a" | "i" | "à" | "y")
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) by_agent: bool,
    /// It is the reason for which the person did not let the agent do something.
    pub(super) after_rejection: bool,
}

/// What a sentence is, and the words that weighed most.
pub(super) type Weighed = (Kind, &'static str);

/// Words to be found whole in a searched sentence, each with what it stands for.
pub(super) struct Phrases<T> {
    automaton: AhoCorasick,
    words: Vec<(String, T)>,
}

/// A word, and how else one types it: `don't` as `dont` and `do not`, without the accents.
fn spellings(word: &str) -> impl Iterator<Item = String> {
    let apart = word.replace("can't", "cannot").replace("won't", "will not").replace("n't", " not");
    let plain: String = word.chars().map(without_mark).collect();
    // `où` is no `ou`, and `ajouté` no `ajoute`.
    let plain = if word.len() > 4 && !word.ends_with('é') { plain } else { word.to_owned() };
    let short = word.replace("n't", "nt").replace("let's", "lets");
    let mut all = vec![word.to_owned(), apart, short, plain, word.replace('-', " ")];
    all.sort();
    all.dedup();
    all.into_iter()
}

impl<T: Copy> Phrases<T> {
    /// `rows` have words with `|` between them.
    pub(super) fn new(rows: impl IntoIterator<Item = (T, &'static str)>) -> Self {
        let rows = rows.into_iter();
        let words =
            rows.flat_map(|(of, words)| words.split(['|', '\n']).map(move |word| (word, of)));
        let words = words.filter(|(word, _)| !word.is_empty());
        let words: Vec<(String, T)> =
            words.flat_map(|(word, of)| spellings(word).map(move |word| (word, of))).collect();
        #[expect(clippy::expect_used, reason = "fails only for more words than fit in memory")]
        let automaton = AhoCorasick::new(words.iter().map(|(word, _)| word)).expect("some words");
        Self { automaton, words }
    }

    pub(super) fn places(&'static self, text: &str) -> Vec<(usize, &'static str, T)> {
        let bytes = text.as_bytes();
        let in_word =
            |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80);
        let mut places: Vec<(usize, &'static str, T)> = self
            .automaton
            .find_overlapping_iter(text)
            .filter(|found| {
                let (before, last) = (bytes[..found.start()].last(), bytes.get(found.end() - 1));
                let (first, next) = (bytes.get(found.start()), bytes.get(found.end()));
                // `Blocks.lean` is one word.
                let in_name = next == Some(&b'.') && in_word(bytes.get(found.end() + 1));
                !(in_name || in_word(first) && in_word(before) || in_word(last) && in_word(next))
            })
            .map(|found| {
                let (word, of) = &self.words[found.pattern()];
                (found.start(), word.as_str(), *of)
            })
            .collect();
        places.sort_by_key(|(at, word, _)| (*at, *word));
        places
    }
}

/// All words, each with the number of its cue.
static WORDS: LazyLock<Phrases<usize>> =
    LazyLock::new(|| Phrases::new(CUES.iter().map(|cue| cue.words).enumerate()));

/// An item of a list under a heading that announces what it holds: so it counts, unless it says nothing.
pub(super) fn item(sentence: &str, kind: Kind) -> Option<Weighed> {
    (words(sentence).count() >= 4 && !asks(sentence)).then_some((kind, ""))
}

pub(super) fn asks(sentence: &str) -> bool {
    is_marked_question(sentence) || has(sentence, "question")
}

/// Whether a clause leaves open what the one beside it says: it asks, supposes, quotes, or names a condition.
pub(super) fn leaves_open(clause: &str) -> bool {
    const OPEN: &str = "talk|question|maybe|supposed|at first|step of a proof|condition|said elsewhere|mathematics";
    has(clause, OPEN) && !has(clause, "agreed")
}

/// Whether a clause cannot stand without what is before it.
pub(super) fn leans(clause: &str) -> bool {
    let first = clause.split([' ', ',', '\'']).next().unwrap_or_default();
    is_in(list("leans"), first)
}

/// Whether a sentence is about what only the sentence before it names: `We tried it in spring.`
pub(super) fn leans_back(sentence: &str) -> bool {
    const PRONOUNS: &str = "it|it's|its|them|they|they're|ihn|ça|cela";
    // `when it builds`: what it stands for is likely to stand before, in the same sentence.
    const NEAR: usize = 6;
    let clause = sentence.split([',', ';', ':']).next().unwrap_or_default();
    let words: Vec<&str> = clause
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .skip_while(|word| is_in(list("small words"), word) || is_in(list("openers"), word))
        .collect();
    let points = match words.as_slice() {
        ["this" | "that", next, ..] => is_in(list("behind a pronoun"), next),
        // `Not acceptable for the paper.`
        ["not", next, ..] => !is_in("the|a|in|on", next),
        // `Use the lemma instead.`
        ["that's" | "thats", ..] | [.., "instead" | "stattdessen"] => true,
        _ => false,
    };
    let stands = |(at, word): (usize, &&str)| {
        is_in(PRONOUNS, word)
            && at.checked_sub(1).is_none_or(|before| !is_in(list("joins a pronoun"), words[before]))
    };
    points || words.iter().enumerate().take(NEAR).any(stands)
}

/// Whether a sentence complains of what the next one says how to do.
pub(super) fn leans_on(sentence: &str) -> bool {
    const COMPLAINTS: &str = "you keep |you always |stop that|du machst immer|tu fais toujours";
    COMPLAINTS.split('|').any(|words| sentence.starts_with(words))
}

/// `ok,`, `no thats the wrong one,`: what answers what was said and is nothing to keep.
pub(super) fn is_lead_in(clause: &str) -> bool {
    let bare = clause.trim_end_matches(|c: char| !c.is_alphanumeric());
    let answers = |(cue, word): (&Cue, &str)| {
        matches!(cue.name, "praise" | "wrong" | "warns") && word == bare
    };
    let mut words = bare.split(' ');
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    // `undo that, `: what was done just now.
    let undoes = is_in("that|it|this|das|ça", second.unwrap_or_default())
        && cues(bare).any(|(cue, _)| cue.name == "task");
    let answers_more = undoes
        || is_in(list("openers"), first)
            && second.is_some_and(|word| is_in(list("behind an answer"), word))
        || is_in("that's|thats|c'est", first);
    is_in(list("openers"), bare) || cues(bare).any(answers) || answers_more && words.count() < 4
}

/// Whether what follows a sentence is about what it lets be: `Let G be a graph.`
pub(super) fn opens_proof(sentence: &str) -> bool {
    sentence.starts_with("let ") && sentence.contains(" be ")
        || list("opens a proof").split('|').any(|word| sentence.starts_with(word))
}

/// The reason for which the person did not let the agent do something. It need not be put as a rule: it tells one,
/// unless it tells what to do now or what the person does next.
pub(super) fn reason(sentence: &str) -> Option<Weighed> {
    const PASSING: &str = "in turn|question|maybe|talk|praise|done|task|for today|put off";
    // `The file is Petra's now.`
    let is_then = |cue: &Cue, word: &str| cue.name == "now" && word != "now";
    (words(sentence).count() >= 3
        && !cues(sentence).any(|(cue, word)| is_in(PASSING, cue.name) || is_then(cue, word)))
    .then_some((Kind::Preference, ""))
}

/// `Which lemma do we prove first`
pub(super) fn asks_which(question: &str) -> bool {
    is_in(list("asks which"), question.split(' ').next().unwrap_or_default())
}

/// Whether something is asked of all things of a kind, or for good: `Should equations be numbered by section`.
pub(super) fn is_of_a_kind(question: &str) -> bool {
    const KINDS: &str =
        "lasting|always|things of a kind|each of a kind|all of a kind|our way|duty|language";
    const ONE: &str = "this one|this moment|for today|here";
    let has = |names: &str| has(question, names);
    let is_general = || {
        list("asks for good").split('|').any(|words| question.starts_with(words))
            && !question.split(' ').any(|word| is_in(list("one thing"), word))
    };
    !has(ONE) && (has(KINDS) || is_general())
}

/// Whether an entry says of what it names that it came to nothing: `2x2: fails, the minors vanish`.
pub(super) fn is_given_up(entry: &str) -> bool {
    words(entry).count() >= 5
        && has(entry, "given up")
        && !has(entry, "this moment|for today|question|maybe")
}

/// `Careful with the second flag: ...`
pub(super) fn warns(sentence: &str) -> bool {
    words(sentence).count() >= 5 && has(sentence, "warns")
}

/// `Don't hold the lock while a callback runs: ...`, whatever the reason says.
pub(super) fn forbids(sentence: &str) -> bool {
    let clause = sentence.split([',', ';', ':']).next().unwrap_or_default();
    // `No news from Anna` tells how things are.
    words(clause).count() >= 4
        && !clause.starts_with("no ")
        && has(clause, "do not|ordered for good")
        && !has(clause, "this moment|for today|this one|now|question|maybe|talk")
}

/// Whether a sentence only says what is wrong, and the next one what is right: `No, not a stack.`
pub(super) fn puts_right(sentence: &str) -> bool {
    words(sentence).count() < 6 && has(sentence, "wrong") && has(sentence, "contrast")
}

/// What the person told the agent, as a summary reports it: `The user asked to keep them private`.
pub(super) fn told(sentence: &str) -> Option<&str> {
    let (_, told) = WORDS.places(sentence).into_iter().find_map(|(at, word, number)| {
        (CUES[number].name == "told").then(|| sentence.split_at(at + word.len()))
    })?;
    Some(told.trim_start())
}

/// Of a sentence that takes back what was said before, the words that do.
pub(super) fn taken_back(sentence: &str) -> Option<&'static str> {
    let by = cues(sentence).find(|(cue, _)| is_in("taken back|withdrawn", cue.name));
    by.map(|(_, word)| word).filter(|_| !is_marked_question(sentence))
}

/// `now` by itself, and not in `from now on`.
pub(super) fn is_now(question: &str) -> bool {
    cues(question).any(|(_, word)| is_in("now|jetzt|maintenant", word))
}

/// Whether an answer names something, and tells, asks or says nothing else.
pub(super) fn is_name(answer: &str) -> bool {
    const OTHER: &str =
        "question|task|talk|praise|in turn|now|this moment|for today|own doing|maybe|done|put off";
    !asks(answer) && !has(answer, OTHER)
}

pub(super) fn weigh(sentence: &str, place: Place) -> Option<Weighed> {
    let pick = |(person, agent): (i16, i16)| if place.by_agent { agent } else { person };
    let cues: Vec<(&Cue, &str)> = cues(sentence).collect();
    let words = words(sentence).count();
    let mut look =
        Look { text: sentence, words, place, cues: &cues, is_order: false, is_polite: false };
    look.is_order = !place.by_agent && is_order_for_good(&look);
    look.is_polite = !place.by_agent && look.word("lasting").is_some() && asks_politely(sentence);
    // `can you make sure that all names are right` is for now, too.
    let is_passing = look.word("for today").is_some()
        || is_asked_of_you(sentence) && !look.is_order && look.word("always").is_none();
    if !place.by_agent && is_passing && look.word("lasting").is_none() {
        return None;
    }
    // Where something ends is no place in a text.
    let ends = look.word("dead end").or(look.word("does not work")).is_some();
    // What is to be done each time is no task.
    let counts = |name: &str| {
        let is_task = matches!(name, "task" | "and a task");
        !(name == "said elsewhere" && look.word("agreed").is_some()
            || name == "here" && place.by_agent && ends
            || is_task && look.is_order
            || look.is_polite && (is_task || name == "question"))
    };
    let mut sum = 0;
    let mut best: Option<(i16, Weighed)> = None;
    for &(cue, phrase) in cues.iter().filter(|(cue, _)| counts(cue.name)) {
        let weight = pick(cue.weights);
        sum += weight;
        let is_better = best.is_none_or(|(other, ..)| other < weight);
        if let Some(kind) = cue.says.filter(|_| is_better && weight > 0) {
            best = Some((weight, (kind, phrase)));
        }
    }
    for (weights, _) in TRAITS.iter().filter(|(_, holds)| holds(&look)) {
        sum += pick(*weights);
    }
    let ruled = ["always", "lasting"].into_iter().find_map(|name| look.word(name));
    let ruled = ruled.filter(|_| look.is_order).map(|adverb| (0, (Kind::Preference, adverb)));
    let fails = look.word("does not work");
    // `Splitting the sum does not work.`
    let is_doing = || self::words(sentence).next().is_some_and(|word| word.ends_with("ing"));
    let is_attempt =
        place.by_agent && (look.word("attempt").is_some() || fails.is_some() && is_doing());
    // `X does not work because Y`: of a tool it is a trap.
    let is_of_tool = sentence.bytes().find(|byte| *byte != b' ') == Some(BLANK);
    let is_dead_end = look.word("reason").is_some() && !is_of_tool;
    let warns = look.word("warns").is_some() && !look.is_order;
    // Where the first clause says what to do, the others say why.
    let main = sentence.split([',', ';', ':']).next().unwrap_or_default();
    let ends_there = || has(main, "dead end|does not work|trap");
    let chosen = || match main.split([' ', '\'']).next() {
        _ if has(main, "do not|ordered for good|lasting") => Some(Kind::Preference),
        Some("we" | "wir" | "on" | "nous") => Some(Kind::Decision),
        _ => None,
    };
    let kind = |kind| match kind {
        Kind::Failure | Kind::Lesson if !place.by_agent && !ends_there() => {
            chosen().unwrap_or(kind)
        }
        Kind::Lesson | Kind::Decision if is_attempt => Kind::Failure,
        Kind::Lesson if is_dead_end && fails.is_some() => Kind::Failure,
        Kind::Preference | Kind::Decision if warns => Kind::Lesson,
        kind => kind,
    };
    // What a person says so clearly counts, whatever it is.
    let other = (!place.by_agent).then_some((0, (Kind::Decision, "")));
    best.or(ruled).or(other).filter(|_| sum >= 0).map(|(_, (best, phrase))| (kind(best), phrase))
}

/// Cues in whose words no other counts: `now` is nothing of its own in `from now on`, nor `never` in `never mind`, nor
/// `let's` in `let's drop`.
const WHOLE: &str = "lasting|talk|no contrast|all of a kind|this moment|for today|left out|ask me";

/// The cues of a sentence, each once, with the first of its words that counts.
fn cues(sentence: &str) -> impl Iterator<Item = (&'static Cue, &'static str)> {
    let mut first: Vec<Option<&'static str>> = vec![None; CUES.len()];
    let places = WORDS.places(sentence);
    let wholes: Vec<Range<usize>> = places
        .iter()
        .filter(|(.., number)| is_in(WHOLE, CUES[*number].name))
        .map(|(at, word, _)| *at..at + word.len())
        .collect();
    for (at, word, number) in places {
        let is_within = |whole: &Range<usize>| whole.contains(&at) && whole.len() > word.len();
        let is_own = !wholes.iter().any(is_within);
        if is_own && first[number].is_none() && CUES[number].at.holds(sentence, at, word) {
            first[number] = Some(word);
        }
    }
    CUES.iter().zip(first).filter_map(|(cue, word)| Some((cue, word?)))
}

/// Whether a word is one of those with `|` between them.
pub(super) fn is_in(words: &str, word: &str) -> bool {
    words.split('|').any(|known| known == word)
}

/// Whether what stands behind these words of a clause is said, and not only supposed, asked or thought.
pub(super) fn is_asserted(before: &str) -> bool {
    let sentence = before.rsplit(". ").next().unwrap_or_default();
    let clause = sentence.rsplit([',', ';', ':', '(', '–', '—']).next().unwrap_or_default();
    !clause.split_whitespace().any(|word| is_in(list("supposed before"), word))
}

impl At {
    fn holds(self, sentence: &str, at: usize, word: &str) -> bool {
        let before =
            sentence[..at].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '\u{1}');
        let mut behind = sentence[at + word.len()..].chars();
        let last = before.trim_end().rsplit(' ').next().unwrap_or("");
        let next =
            sentence[at + word.len()..].trim_start().split([' ', ',', '.']).next().unwrap_or("");
        match self {
            Self::Anywhere => true,
            // `Commit-Nachrichten` are no order, and `do not` is another one.
            Self::Start | Self::Clause
                if behind.as_str().starts_with(" not ")
                    || word == "stop" && behind.as_str().starts_with(',')
                    || behind.next() == Some('-')
                        && behind.next().is_some_and(char::is_alphabetic) =>
            {
                false
            }
            Self::Start | Self::Clause => {
                let marks: &[char] = &[',', ';', ':', '(', '–', '—', '-', '.', '!', '…'];
                let clause = before.trim_end();
                let clause = clause.rsplit(marks).next().unwrap_or("").trim();
                let opens = clause.is_empty() || is_in(list("openers"), clause);
                let rest = before.trim_end().strip_suffix(clause).unwrap_or("");
                let is_first = rest
                    .split(marks)
                    .all(|part| part.trim().is_empty() || is_in(list("openers"), part.trim()));
                opens && (self == Self::Clause || is_first)
            }
            Self::Whole => {
                let rest = behind.as_str().trim_start();
                let is_end =
                    rest.is_empty() || rest.starts_with([',', ';', ':', '.', '!', '…', '–']);
                is_end && Self::Clause.holds(sentence, at, word)
            }
            Self::Nothing => {
                let is_thing = next.len() > 2 && next.starts_with(char::is_alphabetic);
                is_thing
                    && !is_in(list("no things"), next)
                    && behind.as_str().starts_with(' ')
                    && Self::Start.holds(sentence, at, word)
            }
            Self::Later => !before.trim().is_empty() && !is_in(list("openers"), before.trim()),
            // `The two helper lemmas` are particular too.
            Self::Bare => {
                let second = before.trim_end().rsplit(' ').nth(1).unwrap_or_default();
                !is_in(list("particular"), last) && !is_in("two|three|both|these|those", second)
            }
            Self::Each => {
                let mut near = before.trim_end().rsplit(' ').take(2);
                near.any(|word| is_in(list("each"), word))
            }
            Self::OurWay => {
                let is_passing = next.is_empty() || next.ends_with("ed") || next.starts_with('\'');
                let clause =
                    before.rsplit([',', ';', ':', '.', '!']).next().unwrap_or_default().trim();
                let is_place = is_in(
                    "in|inside|within|for|outside|im|für|innerhalb|dans|pour",
                    clause.split(' ').next().unwrap_or_default(),
                );
                !is_passing
                    && !is_in(list("passing verbs"), next)
                    && (is_place && word != "on" || Self::Clause.holds(sentence, at, word))
            }
            Self::Doing => next.ends_with("ing") && !next.ends_with("thing"),
            Self::Past => {
                is_in(list("past"), next) || next.ends_with("ed") && is_in("i|we|you|they", last)
            }
            Self::OfOthers => !is_in("i|we|you|ich|wir|je|on|nous|is|isn't|are|aren't|not", last),
            Self::Asserted => is_asserted(before),
            Self::Counted => {
                let bare = before.trim_end();
                let counted = bare.trim_end_matches(|c: char| c.is_ascii_digit());
                let clause = counted.trim_end();
                counted.len() < bare.len()
                    && (clause.is_empty() || clause.ends_with([',', ';', ':', '(']))
            }
        }
    }
}
