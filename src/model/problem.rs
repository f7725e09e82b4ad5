//! Problems and the approaches that were tried on them.

use serde::{Deserialize, Serialize};

use super::{Outcome, ProblemStatus};

/// What is known of a problem before it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProblemDraft {
    /// Id as [`super::problem_key`] spells it.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Domain id, `None` where there is no signal.
    pub domain: Option<String>,
    /// Where it stands.
    pub status: ProblemStatus,
    /// Mathematical statement.
    pub statement: Option<String>,
    /// Best result so far.
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
    /// Name for people.
    pub name: String,
    /// Domain id.
    pub domain: Option<String>,
    /// Where it stands.
    pub status: ProblemStatus,
    /// Submissions seen.
    pub submission_count: i64,
    /// Proven results.
    pub proven_count: i64,
    /// Failed results.
    pub failed_count: i64,
    /// Mathematical statement.
    pub statement: Option<String>,
    /// Best result so far.
    pub best_result: Option<String>,
    /// Additional context.
    pub notes: Option<String>,
    /// Last change, `YYYY-MM-DD HH:MM:SS` UTC.
    pub updated_at: String,
}

/// An approach to a problem before it is stored. Problem and approach name are its identity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrategyDraft {
    /// Problem id.
    pub problem: String,
    /// Name of the problem for people.
    pub problem_name: String,
    /// Domain id.
    pub domain: Option<String>,
    /// Name of the approach.
    pub approach: String,
    /// How it works.
    pub description: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// Slot that attempted it.
    pub slot: Option<i64>,
    /// Submission that attempted it.
    pub submission: Option<String>,
    /// What was learnt.
    pub learned: Option<String>,
    /// Stable path of the file that attempted it: one file is one attempt, however often it is read.
    pub source_file: Option<String>,
    /// When it was attempted, `YYYY-MM-DD HH:MM:SS` UTC; `None` means now.
    pub attempted_at: Option<String>,
}

/// A stored approach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strategy {
    /// Row number.
    pub id: i64,
    /// Problem id.
    pub problem: String,
    /// Domain id.
    pub domain: Option<String>,
    /// Name of the approach.
    pub approach: String,
    /// How it works.
    pub description: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// Slot that attempted it last.
    pub slot: Option<i64>,
    /// Attempts so far.
    pub attempts: i64,
    /// What was learnt.
    pub learned: Option<String>,
    /// Last attempt, `YYYY-MM-DD HH:MM:SS` UTC.
    pub last_attempted: Option<String>,
}
