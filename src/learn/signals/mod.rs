//! Learning signals: sentences in which somebody says outright what is worth keeping.
//!
//! Rules over words, no model: the same text always gives the same signals. They become proposals,
//! which are nothing but questions to a person.

mod extract;
mod judge;
mod ours;
mod phrases;
mod prose;
mod rules;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use extract::{Extractor, Proposal, Source, extract};
pub use ours::detect;

/// What a signal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// How the person wants things to be.
    Pattern,
    /// Something that was found out.
    Insight,
    /// Something to think of the next time.
    SelfKnowledge,
}

impl Kind {
    /// The word for it in JSON and in `seed.json`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pattern => "pattern",
            Self::Insight => "insight",
            Self::SelfKnowledge => "self_knowledge",
        }
    }
}

/// Fewest characters of a signal's content.
pub const MIN_LENGTH: usize = 10;

/// A sentence that says what is worth keeping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    pub kind: Kind,
    /// The sentence, cleaned: one line, no list mark or emphasis, plain quotes.
    pub content: String,
    /// The phrase that gave it away, in lower case.
    pub matched_phrase: String,
    pub rule: &'static str,
    pub sentence: String,
    /// The speaker's sentence before it.
    pub before: Option<String>,
    /// The speaker's sentence after it.
    pub after: Option<String>,
    /// Line breaks before it in the text.
    pub lines_before: u64,
}

/// A sentence as it is kept: white space folded, marks of lists and emphasis taken off, quotes plain.
fn cleaned(sentence: &str) -> String {
    let mut words = crate::text::clean(sentence).replace("**", "");
    for (fancy, plain) in [("“", "\""), ("”", "\""), ("‘", "'"), ("’", "'")] {
        words = words.replace(fancy, plain);
    }
    let digits = words.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") "));
    let words = item.filter(|_| digits.len() < words.len()).unwrap_or(&words);
    let start = words.trim_start_matches(|c: char| {
        c.is_whitespace() || (c.is_ascii_punctuation() && !matches!(c, '`' | '"' | '(' | '[' | '$'))
    });
    start.trim_end().to_owned()
}
