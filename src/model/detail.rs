//! What only some findings have: `findings.detail`, one JSON object.

use serde::{Deserialize, Serialize};

use super::{Kind, LessonPattern};
use crate::text::times;

/// What only some findings have; a kind has the part of its name, any kind may have been proposed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Detail {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<FactDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<LessonDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playbook: Option<PlaybookDetail>,
    /// Where a proposal was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// What a person decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
}

impl Detail {
    /// Whether a finding of this kind may have it.
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

/// A keyed fact. Its identity is category, key and project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FactDetail {
    /// person, project, preference, decision, lesson, environment, tool, task or session.
    pub category: String,
    /// Dotted key, for example `mathlib.revision`.
    pub key: String,
    pub value: String,
    /// The words that show it, as somebody said or printed them; empty where none are known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub quote: String,
    /// `global` or `project`.
    pub scope: String,
    /// `long-term` or `working`.
    pub tier: String,
    /// `user_said`, `inferred` or `tool_output`.
    pub source_type: String,
    /// A model's own confidence, 0.0 to 1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// When a working fact ends, `YYYY-MM-DD HH:MM:SS` UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was last seen to hold, same form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_verified: Option<String>,
    /// How long a proposed one holds once it is accepted; `None` for always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<u32>,
}

impl FactDetail {
    /// Whether it is a working fact whose time was over before `now`, `YYYY-MM-DD HH:MM:SS` in UTC.
    pub fn has_expired(&self, now: &str) -> bool {
        let over = |at: &String| at.replace('T', " ").as_str() < now;
        self.tier == "working" && self.expires_at.as_ref().is_some_and(over)
    }
}

/// What failed, then what worked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonDetail {
    /// Which of the patterns found it, for example `tool_switch` or `lean_fix`.
    pub pattern: String,
    pub what_failed: String,
    pub what_worked: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// Normalised error by which the lesson is found again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// How often it was shown and the failure then was gone.
    pub success_count: u64,
    /// How often it was shown and the failure came back.
    #[serde(skip_serializing_if = "is_zero")]
    pub recurred: u64,
    /// 0.0 to 1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// A model's words for it, which count once a person stands for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<LessonWords>,
    /// The words that it had before a person took a model's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<LessonWords>,
}

impl LessonDetail {
    /// How often it worked, where it was learnt too, and how often it did not help: `worked once`.
    pub fn record(&self) -> String {
        // What was only tried never worked.
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

/// A lesson's words: those that a model gave, to be stored, or those that it had before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonWords {
    pub model: String,
    /// How sure that model was, 0.0 to 1.0.
    pub confidence: f64,
    pub title: String,
    pub description: String,
    pub what_failed: String,
    pub what_worked: String,
}

/// A reusable way of working; its text is the finding's description.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlaybookDetail {
    /// Problem or task it was distilled from.
    pub source_task_id: String,
    /// Session id or submission uuid of that run.
    pub source_workflow_id: String,
    /// Run that distilled it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extraction_workflow_id: Option<String>,
}

/// Where something was said that waits for a person to say whether it is worth keeping, or did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    /// `pattern`, `insight`, `self_knowledge` or `fact`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What was said, cleaned.
    pub content: String,
    /// The phrase that gave it away.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub matched_phrase: String,
    /// Who said it, for example `person`.
    pub role: String,
    /// The transcript or text it comes from.
    pub source: String,
    /// When it was found, `YYYY-MM-DD HH:MM:SS` in UTC; set by the store where it is empty.
    pub extracted_at: String,
    pub rule: String,
    pub sentence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The status that the journal has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journaled: Option<String>,
}

/// A decision about a finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Decision {
    pub at: String,
    /// `terminal`, `dialog` or `expiry`.
    pub by: String,
    /// Why, in the person's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the finding was before, to go back to; JSON of a draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

/// Equal for what says the same: a text without case, blanks and punctuation.
pub fn words_of(content: &str) -> String {
    let words = content.split(|c: char| !c.is_alphanumeric() && !is_symbol(c));
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join(" ")
}

/// Mathematical symbols distinguish statements; punctuation does not.
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
