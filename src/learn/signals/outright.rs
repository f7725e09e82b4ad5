//! The words with which somebody says outright that something is to be kept: the specification's.
//!
//! They count in plain text that is given to `mk extract`. In a transcript they do not: there an agent has a
//! key insight on every page, and it is about the line before it.

use std::sync::LazyLock;

use super::Type;
use super::phrases::Phrases;

const WORDS: &[(Type, &str)] = &[
    (
        Type::Pattern,
        "you prefer|you like to|you always|you usually|you tend to|your preference|your style",
    ),
    (
        Type::Insight,
        "i learned|i noticed|i discovered|key insight|important finding|takeaway|the lesson",
    ),
    (
        Type::SelfKnowledge,
        "note to self|remember that|i should remember|i need to remember|for next time|mental note",
    ),
];

/// What turns such words into something else when it stands right before them.
const UNDONE: &[&str] = &[
    "if",
    "whichever",
    "whatever",
    "however",
    "as",
    "unless",
    "whether",
    "than",
    "not",
    "haven't",
    "didn't",
    "do",
    "don't",
    "did",
    "would",
    "no",
    "what",
    "which",
];

static PHRASES: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(WORDS.iter().flat_map(|(_, words)| words.split('|'))));

pub(super) fn found(sentence: &str) -> Option<(Type, &'static str)> {
    if super::weigh::asks(sentence) {
        return None;
    }
    let (_, phrase, _) = PHRASES.places(sentence).find(|(at, ..)| {
        let before = sentence[..*at].trim_end().rsplit(' ').next().unwrap_or_default();
        !UNDONE.contains(&before)
    })?;
    let (kind, _) = WORDS.iter().find(|(_, words)| words.split('|').any(|word| word == phrase))?;
    Some((*kind, phrase))
}

pub(super) fn may_hold(text: &str) -> bool {
    PHRASES.occur_in(text)
}
