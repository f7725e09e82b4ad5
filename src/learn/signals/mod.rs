//! Learning signals: what somebody decided, wants, found out or gave up, as a transcript or a note tells it.
//!
//! In order of trust: what the person did (refused a call and said why, answered a question), what they said
//! as a choice that lasts, what the summary of a compaction or a note lists under such a heading, and how it
//! ended in the agent's last words. Rules over words, no model: the same text always gives the same signals.
//! They become proposals, which are nothing but questions to a person.

mod acts;
mod extract;
mod outright;
mod phrases;
mod prose;
mod sections;
mod taken_back;
#[cfg(test)]
mod tests;
mod weigh;

use serde::{Deserialize, Serialize};

pub use extract::{Extractor, Proposal, Source, extract};

use crate::model::Kind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Type {
    /// How the person wants things to be.
    Pattern,
    /// Something that was found out or decided.
    Insight,
    /// Something to think of the next time.
    SelfKnowledge,
}

impl Type {
    pub fn word(self) -> &'static str {
        match self {
            Self::Pattern => "pattern",
            Self::Insight => "insight",
            Self::SelfKnowledge => "self_knowledge",
        }
    }

    /// The type of a proposal that becomes this.
    pub fn of(kind: Kind) -> Self {
        if kind == Kind::Preference { Self::Pattern } else { Self::Insight }
    }
}

/// The rules by which proposals are found, the surest first: a call was refused for this, a question was
/// answered so, an edit was taken back, it was said as a choice that lasts, noted on purpose (`mk note`), listed in a compaction's
/// summary or in notes, said last of how it ended, or said outright in plain text.
pub const ROADS: [&str; 9] =
    ["refused", "answered", "taken-back", "said", "note", "summary", "notes", "ended", "outright"];

pub const MIN_LENGTH: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Signal {
    kind: Kind,
    /// The specification's type, where its words gave it away.
    said_outright: Option<Type>,
    content: String,
    phrase: String,
    rule: &'static str,
    sentence: String,
    before: Option<String>,
    after: Option<String>,
    lines_before: u64,
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

fn has_word(text: &str, wanted: &str) -> bool {
    text.match_indices(wanted).any(|(at, _)| {
        !text[..at].ends_with(char::is_alphanumeric)
            && !text[at + wanted.len()..].starts_with(char::is_alphanumeric)
    })
}
