//! Problems and the approaches that were tried on them.

use serde::{Deserialize, Serialize};

use super::{Finding, Outcome, ProblemStatus};

/// What is known of a problem before it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProblemDraft {
    /// Id as [`super::problem_key`] spells it.
    pub id: String,
    pub name: String,
    /// Domain id, `None` where there is no signal.
    pub domain: Option<String>,
    pub status: ProblemStatus,
    pub statement: Option<String>,
    pub best_result: Option<String>,
    /// Additional context, for example the original status word.
    pub notes: Option<String>,
    /// Counts that a tracking database states; `None` leaves what was counted here.
    pub counts: Option<(i64, i64, i64)>,
}

/// A stored problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// Id, for example `erdos_364`.
    pub id: String,
    pub name: String,
    pub domain: Option<String>,
    pub status: ProblemStatus,
    pub submission_count: i64,
    pub proven_count: i64,
    pub failed_count: i64,
    pub statement: Option<String>,
    pub best_result: Option<String>,
    pub notes: Option<String>,
    /// Last change, `YYYY-MM-DD HH:MM:SS` UTC.
    pub updated_at: String,
    /// When a person decided where it stands, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_why: Option<String>,
}

impl Problem {
    /// Its status for people; one that its owner lists as known is not one that was solved here.
    pub fn standing(&self) -> &'static str {
        let notes = self.notes.as_deref().unwrap_or_default();
        let is_known = notes.starts_with("Known: ") && self.decided_at.is_none();
        match self.status {
            ProblemStatus::Proven if is_known => "known, solved elsewhere",
            status => status.title(),
        }
    }
}

/// What is known of a problem or a slot, in short.
#[derive(Debug, Clone, PartialEq)]
pub struct Gist {
    /// The id of the problem, or `slot12`.
    pub id: String,
    /// Its record, where there is one.
    pub problem: Option<Problem>,
    /// Main theorems before steps, what is proved before what is claimed; no trivialities.
    pub theorems: Few,
    /// Trivialities that are proved.
    pub trivial: usize,
    pub refuted: Few,
    /// Of a problem what somebody wrote down, of a slot what came back too.
    pub failed: Few,
    pub notes: Few,
}

/// The first of many findings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Few {
    pub first: Vec<Finding>,
    pub total: usize,
}

/// A problem that may be named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProblemName {
    pub id: String,
    /// Other names of it.
    pub aliases: Vec<String>,
    /// Somebody named it: a tracking database, a person or the agent; not only the name of a file. A single
    /// plain word names no other problem: `vertex` in a sentence is a vertex.
    pub is_stated: bool,
}

/// An approach to a problem before it is stored. Problem and approach name are its identity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrategyDraft {
    pub problem: String,
    /// Name of the problem for people.
    pub problem_name: String,
    pub domain: Option<String>,
    pub approach: String,
    pub description: Option<String>,
    pub outcome: Outcome,
    pub slot: Option<i64>,
    pub submission: Option<String>,
    pub learned: Option<String>,
    /// Stable path of the file that attempted it: one file is one attempt, however often it is read.
    pub source_file: Option<String>,
    /// When it was attempted, `YYYY-MM-DD HH:MM:SS` UTC; `None` where that is not known.
    pub attempted_at: Option<String>,
}

/// A stored approach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strategy {
    pub id: i64,
    pub problem: String,
    pub domain: Option<String>,
    pub approach: String,
    pub description: Option<String>,
    pub outcome: Outcome,
    /// Slot that attempted it last.
    pub slot: Option<i64>,
    pub attempts: i64,
    pub learned: Option<String>,
    /// Last attempt, `YYYY-MM-DD HH:MM:SS` UTC.
    pub last_attempted: Option<String>,
}
