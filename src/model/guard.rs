//! Records of the guard: what it said, what a person lifted, what is locked. Rules and levels are
//! words here; the guard knows what they mean.

use serde::{Deserialize, Serialize};

/// Something that the guard said, as its log keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardEntry {
    /// When, `YYYY-MM-DD HH:MM:SS` in UTC; set by the store.
    pub at: String,
    /// The session; empty where the client sent none.
    #[serde(alias = "session_id")]
    pub session: String,
    /// The client's id of the tool's use; empty where there is none.
    #[serde(alias = "tool_use_id")]
    pub tool_use: String,
    #[serde(alias = "agent_id")]
    pub agent: Option<String>,
    /// The hook event: `PreToolUse`, `PostToolUse`, `Stop`.
    pub event: String,
    pub tool: Option<String>,
    pub project: Option<String>,
    /// The file, relative to the project's root; absolute outside of it.
    pub file: Option<String>,
    pub rule: String,
    /// `deny`, `ask` or `warn`; `off` where a lift let it pass.
    pub level: String,
    /// Full name of the declaration; empty for none.
    pub declaration: String,
    /// Its line, from 1.
    pub line: Option<u64>,
    pub detail: String,
    /// The lift that let it pass.
    #[serde(alias = "lift_id")]
    pub lift: Option<i64>,
}

/// A rule that a person lifted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiftRecord {
    /// Its number; 0 for one that is not stored yet.
    pub id: i64,
    /// When it was granted; set by the store.
    pub granted_at: String,
    /// `terminal` or `dialog`.
    pub granted_by: String,
    /// Identity of the project it holds in.
    pub project: Option<String>,
    pub rule: String,
    /// Full name of the declaration; `None` for a whole file.
    pub declaration: Option<String>,
    /// The file, as [`GuardEntry::file`] spells it; `None` for the declaration wherever it stands.
    pub file: Option<String>,
    /// Whether one edit uses it up.
    pub once: bool,
    /// When it ends, `YYYY-MM-DD HH:MM:SS` in UTC; `None`: when it is taken back.
    pub expires_at: Option<String>,
    /// Why, in the words of whoever asked for it.
    pub reason: String,
    /// The session in which it was asked for.
    #[serde(alias = "session_id")]
    pub session: Option<String>,
    /// The client's id of the command that the person agreed to.
    #[serde(alias = "tool_use_id")]
    pub tool_use: Option<String>,
    /// When an edit used it up.
    pub spent_at: Option<String>,
    /// The client's id of that edit.
    pub spent_by: Option<String>,
    /// When it was taken back.
    pub revoked_at: Option<String>,
}

/// A declaration whose statement must stay as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockRecord {
    pub project: String,
    /// Full name.
    pub declaration: String,
    pub statement: Option<String>,
    pub file: Option<String>,
    /// `person`, `problem` or `prover`.
    pub origin: String,
    /// When; set by the store.
    pub locked_at: String,
}
