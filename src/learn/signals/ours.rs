//! Looking for signals by our rules.

use std::sync::LazyLock;

use super::judge::{self, Case};
use super::phrases::Phrases;
use super::prose::{Prose, Sentence};
use super::rules::{RULES, Rule};
use super::{MIN_LENGTH, Signal, cleaned};
use crate::learn::transcript::Speaker;

/// Longest sentence that is one, in bytes: more is a text without full stops.
const MAX_SENTENCE: usize = 600;

/// The phrases that count from each kind of speaker: a text without any is not looked at more closely.
struct Known {
    person: Phrases,
    agent: Phrases,
    anybody: Phrases,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let of = |speaker: Speaker| {
        let rules = RULES.iter().filter(move |rule| rule.by.contains(&speaker));
        Phrases::new(rules.flat_map(|rule| rule.phrases).copied())
    };
    Known { person: of(Speaker::Person), agent: of(Speaker::Agent), anybody: of(Speaker::Unknown) }
});

impl Known {
    fn by(&self, speaker: Speaker) -> Option<&Phrases> {
        match speaker {
            Speaker::Person => Some(&self.person),
            Speaker::Agent | Speaker::Subagent => Some(&self.agent),
            Speaker::Unknown => Some(&self.anybody),
            _ => None,
        }
    }
}

/// The signals in what one speaker said, in the order of the text: only the own prose, without questions,
/// hypotheticals and what concerns this task alone.
pub fn detect(text: &str, speaker: Speaker) -> Vec<Signal> {
    let Some(phrases) = KNOWN.by(speaker).filter(|phrases| phrases.occur_in(text)) else {
        return Vec::new();
    };
    let prose = Prose::of(text, |paragraph| phrases.occur_in(paragraph));
    let mut found = Vec::new();
    for (place, sentence) in prose.sentences.iter().enumerate() {
        let original = prose.original(sentence);
        if original.len() > MAX_SENTENCE || !phrases.occur_in(original) {
            continue;
        }
        let Some((rule, phrase)) = matching(&prose.searched(sentence), speaker, phrases) else {
            continue;
        };
        let content = cleaned(original);
        if content.chars().count() < MIN_LENGTH {
            continue;
        }
        let neighbour = |place: Option<usize>| {
            let sentence: &Sentence = prose.sentences.get(place?)?;
            Some(crate::text::clip(&cleaned(prose.original(sentence)), MAX_SENTENCE))
        };
        found.push(Signal {
            kind: rule.kind,
            content,
            matched_phrase: phrase.to_owned(),
            rule: rule.name,
            sentence: original.to_owned(),
            before: neighbour(place.checked_sub(1)),
            after: neighbour(Some(place + 1)),
            lines_before: sentence.lines_before,
        });
    }
    found
}

/// The first rule that holds for a searched sentence, and its phrase.
fn matching(
    sentence: &str,
    speaker: Speaker,
    phrases: &Phrases,
) -> Option<(&'static Rule, &'static str)> {
    if judge::is_question(sentence)
        || judge::is_hypothetical(sentence)
        || judge::is_momentary(sentence)
    {
        return None;
    }
    let places: Vec<(usize, &str)> = phrases.places(sentence).collect();
    RULES.iter().filter(|rule| rule.by.contains(&speaker)).find_map(|rule| {
        let (_, phrase) = places.iter().find(|(at, phrase)| {
            let case = Case { sentence, at: *at, end: at + phrase.len() };
            rule.phrases.contains(phrase)
                && !judge::is_conditional(&case)
                && !judge::is_denied(&case)
                && (rule.holds)(&case)
        })?;
        Some((rule, *phrase))
    })
}
