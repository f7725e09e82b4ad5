//! `findings.detail`: what only some findings have, as one JSON object.

use serde::{Deserialize, Serialize};

use super::{KernelDetail, Kind, LessonPattern};
use crate::text::times;

/// Only the kind's own part, but any kind may have `said`, `decision` and `kernel`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Detail {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<FactDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<LessonDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playbook: Option<PlaybookDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelDetail>,
}

impl Detail {
    pub fn fits(&self, kind: Kind) -> bool {
        (self.fact.is_none() || kind == Kind::Fact)
            && (self.lesson.is_none() || kind == Kind::Lesson)
            && (self.playbook.is_none() || kind == Kind::Playbook)
    }
}

impl From<FactDetail> for Detail {
    fn from(fact: FactDetail) -> Self {
        Self { fact: Some(fact), ..Self::default() }
    }
}

impl From<LessonDetail> for Detail {
    fn from(lesson: LessonDetail) -> Self {
        Self { lesson: Some(lesson), ..Self::default() }
    }
}

impl From<PlaybookDetail> for Detail {
    fn from(playbook: PlaybookDetail) -> Self {
        Self { playbook: Some(playbook), ..Self::default() }
    }
}

/// Identified by category, key and project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FactDetail {
    /// A [`super::FactCategory`].
    pub category: String,
    /// Dotted, for example `mathlib.revision`.
    pub key: String,
    pub value: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub quote: String,
    /// `global` or `project`.
    pub scope: String,
    /// `long-term` or `working`.
    pub tier: String,
    /// `user_said`, `inferred` or `tool_output`.
    pub source_type: String,
    /// The model's, 0.0 to 1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Of a working fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_verified: Option<String>,
    /// How long a proposed one holds once accepted; `None` for always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<u32>,
}

impl FactDetail {
    pub fn has_expired(&self, now: &str) -> bool {
        let over = |at: &String| at.replace('T', " ").as_str() < now;
        self.tier == "working" && self.expires_at.as_ref().is_some_and(over)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonDetail {
    /// A [`LessonPattern`].
    pub pattern: String,
    pub what_failed: String,
    pub what_worked: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The normalised error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Shown, and the failure was gone.
    pub success_count: u64,
    /// Shown, and the failure came back.
    #[serde(skip_serializing_if = "is_zero")]
    pub recurred: u64,
    /// 0.0 to 1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<LessonWords>,
    /// Before a person took a model's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<LessonWords>,
}

impl LessonDetail {
    /// `worked twice, did not help once`; learning it counts as once.
    pub fn record(&self) -> String {
        let never = self.pattern == LessonPattern::StillFailing.as_str();
        let worked = (!never).then(|| format!("worked {}", times(self.success_count + 1)));
        let in_vain = (self.recurred > 0).then(|| format!("did not help {}", times(self.recurred)));
        worked.into_iter().chain(in_vain).collect::<Vec<String>>().join(", ")
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonWords {
    pub model: String,
    /// 0.0 to 1.0.
    pub confidence: f64,
    pub title: String,
    pub description: String,
    pub what_failed: String,
    pub what_worked: String,
}

/// The text is the finding's description.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlaybookDetail {
    pub source_task_id: String,
    /// Session id or submission uuid.
    pub source_workflow_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extraction_workflow_id: Option<String>,
}

/// Where a proposal was said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    /// `pattern`, `insight`, `self_knowledge` or `fact`.
    #[serde(rename = "type")]
    pub kind: String,
    pub content: String,
    /// What gave it away.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub matched_phrase: String,
    pub role: String,
    pub source: String,
    /// The store fills it in.
    pub extracted_at: String,
    pub rule: String,
    pub sentence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Status in the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journaled: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Decision {
    pub at: String,
    /// `terminal`, `dialog` or `expiry`.
    pub by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// JSON of the draft before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

/// Without case, blanks and punctuation, for comparing.
pub fn words_of(content: &str) -> String {
    let words = content.split(|c: char| !c.is_alphanumeric() && !is_symbol(c));
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join(" ")
}

/// Mathematical symbols distinguish statements.
fn is_symbol(c: char) -> bool {
    let is_punctuation = matches!(c, '“' | '”' | '„' | '‘' | '’' | '–' | '—' | '…');
    matches!(c, '<' | '>' | '=' | '+' | '*' | '/' | '^' | '|' | '_' | '@' | '$')
        || (!c.is_ascii() && !is_punctuation)
}

#[cfg(test)]
mod tests {
    use super::words_of;

    #[test]
    fn punctuation_and_case_make_no_difference() {
        assert_eq!(words_of("Use  omega, not linarith!"), words_of("use omega not linarith"));
        assert_eq!(words_of("“X” … it’s"), words_of("\"X\" it's"));
        for (one, other) in [("a < b", "a > b"), ("n + 1", "n 1"), ("x ≤ y", "x ≥ y"), ("", "a")]
        {
            assert_ne!(words_of(one), words_of(other), "{one} {other}");
        }
    }
}
