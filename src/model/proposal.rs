//! Something that was said in a session and waits for a person to say whether it is worth keeping.

use serde::{Deserialize, Serialize};

/// A proposal with its evidence and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProposalRecord {
    /// Its id, a few hexadecimal digits.
    pub id: String,
    /// `pattern`, `insight` or `self_knowledge`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What was said, cleaned.
    pub content: String,
    /// The phrase that gave it away.
    pub matched_phrase: String,
    /// Who said it, for example `person`.
    pub role: String,
    /// The transcript or text it comes from.
    pub source: String,
    /// Line in the source, from 1.
    pub line: Option<u64>,
    pub project: Option<String>,
    /// When it was found, `YYYY-MM-DD HH:MM:SS` in UTC; set by the store where it is empty.
    pub extracted_at: String,
    /// When it was said, in the same form; `None` where the source has no times.
    pub said_at: Option<String>,
    /// `pending`, `accepted`, `rejected` or `expired`.
    pub status: String,
    pub rule: String,
    pub sentence: String,
    pub before: Option<String>,
    pub after: Option<String>,
    #[serde(alias = "session_id")]
    pub session: Option<String>,
    /// Why it was rejected, in the person's words.
    pub reason: Option<String>,
    pub decided_at: Option<String>,
    /// `terminal`, `dialog` or `expiry`.
    pub decided_by: Option<String>,
    #[serde(alias = "finding_id")]
    pub finding: Option<i64>,
}

impl ProposalRecord {
    /// Equal for proposals that say the same: the content without case, blanks and punctuation.
    pub fn key(content: &str) -> String {
        let words = content.split(|c: char| !c.is_alphanumeric() && !is_symbol(c));
        let words: Vec<String> =
            words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        words.join(" ")
    }
}

/// Mathematical symbols distinguish statements; punctuation does not.
fn is_symbol(c: char) -> bool {
    let is_punctuation = matches!(c, '“' | '”' | '„' | '‘' | '’' | '–' | '—' | '…');
    matches!(c, '<' | '>' | '=' | '+' | '*' | '/' | '^' | '|' | '_' | '@' | '$')
        || (!c.is_ascii() && !is_punctuation)
}

#[cfg(test)]
mod tests {
    use super::ProposalRecord;

    #[test]
    fn punctuation_and_case_make_no_difference() {
        let key = ProposalRecord::key;
        assert_eq!(key("Use  omega, not linarith!"), key("use omega not linarith"));
        assert_eq!(key("“x” … it’s"), key("\"X\" it's"));
        for (one, other) in [("a < b", "a > b"), ("n + 1", "n 1"), ("x ≤ y", "x ≥ y"), ("", "a")]
        {
            assert_ne!(key(one), key(other), "{one} {other}");
        }
    }
}
