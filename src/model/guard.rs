//! Records of the guard; rules and levels are words here.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardEntry {
    /// `YYYY-MM-DD HH:MM:SS` in UTC; set by the store.
    pub at: String,
    /// Empty where the client sent none.
    #[serde(alias = "session_id")]
    pub session: String,
    /// The client's id of the tool's use, or empty.
    #[serde(alias = "tool_use_id")]
    pub tool_use: String,
    #[serde(alias = "agent_id")]
    pub agent: Option<String>,
    /// `PreToolUse`, `PostToolUse`, `Stop`.
    pub event: String,
    pub tool: Option<String>,
    pub project: Option<String>,
    /// Relative to the project's root; absolute outside of it.
    pub file: Option<String>,
    pub rule: String,
    /// `deny`, `ask` or `warn`; `off` where a lift let it pass.
    pub level: String,
    /// Full name, or empty.
    pub declaration: String,
    /// From 1.
    pub line: Option<u64>,
    pub detail: String,
    #[serde(alias = "lift_id")]
    pub lift: Option<i64>,
}

/// A rule that a person lifted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiftRecord {
    /// 0 before it is stored.
    pub id: i64,
    /// Set by the store.
    pub granted_at: String,
    /// `terminal` or `dialog`.
    pub granted_by: String,
    pub project: Option<String>,
    pub rule: String,
    /// Full name; `None` for a whole file.
    pub declaration: Option<String>,
    /// As [`GuardEntry::file`]; `None` for wherever the declaration is.
    pub file: Option<String>,
    /// One edit uses it up.
    pub once: bool,
    /// `YYYY-MM-DD HH:MM:SS` in UTC; `None` until it is taken back.
    pub expires_at: Option<String>,
    pub reason: String,
    /// That asked for it.
    #[serde(alias = "session_id")]
    pub session: Option<String>,
    /// The client's id of the command that the person agreed to.
    #[serde(alias = "tool_use_id")]
    pub tool_use: Option<String>,
    /// When an edit used it up.
    pub spent_at: Option<String>,
    /// The client's id of that edit.
    pub spent_by: Option<String>,
    pub revoked_at: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockRecord {
    pub project: String,
    /// Full name.
    pub declaration: String,
    pub statement: Option<String>,
    pub file: Option<String>,
    /// `person`, `problem` or `prover`.
    pub origin: String,
    /// Set by the store.
    pub locked_at: String,
}
