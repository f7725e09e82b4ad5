//! What only one kind of finding has; each stands in a table of its own, one row to one finding.

use serde::{Deserialize, Serialize};

/// The kind-specific part of a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// Of a [`super::Kind::Fact`].
    Fact(FactDetail),
    /// Of a [`super::Kind::Lesson`].
    Lesson(LessonDetail),
    /// Of a [`super::Kind::Playbook`].
    Playbook(PlaybookDetail),
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
    /// How often it was seen to help.
    pub success_count: i64,
    /// Confidence of a model that worded it, 0.0 to 1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
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
