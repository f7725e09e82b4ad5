//! Problems and the approaches that were tried on them.

use serde::{Deserialize, Serialize};

use super::{Finding, Outcome, ProblemStatus};

/// Of a submission on which the prover works, and of its problem.
pub const IN_FLIGHT: &str = "in flight";
/// Before what a row and its note say.
pub const MARKED_BY_MISTAKE: &str = "Marked as settled, but not so";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProblemDraft {
    /// See [`super::problem_key`].
    pub id: String,
    pub name: String,
    pub domain: Option<String>,
    pub status: ProblemStatus,
    pub statement: Option<String>,
    pub best_result: Option<String>,
    /// For example the original status word.
    pub notes: Option<String>,
    /// Stated by a tracking database (submissions, proven, failed); `None` keeps what was counted.
    pub counts: Option<(i64, i64, i64)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// For example `erdos_364`.
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
    pub updated_at: String,
    /// Set with `decided_why` once a person decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_why: Option<String>,
    /// The owner's database calls it proven; the answer in which it does so proves something else, or nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contested: bool,
    /// A result negates its statement; that settles it once a person says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refuted: bool,
}

impl Problem {
    fn is_known(&self) -> bool {
        let notes = self.notes.as_deref().unwrap_or_default();
        notes.starts_with("Known: ") && self.decided_at.is_none()
    }

    pub fn is_settled(&self) -> bool {
        matches!(self.status, ProblemStatus::Proven | ProblemStatus::False) && !self.contested
    }

    /// What it counts as, in a word.
    pub fn counted(&self) -> &'static str {
        match self.status {
            ProblemStatus::Proven if self.is_known() => "known",
            ProblemStatus::Proven if self.contested => "contested",
            ProblemStatus::InFlight => "in flight",
            status => status.as_str(),
        }
    }

    /// A row marks it as settled, and its note takes that back: both in a line.
    pub fn marked_by_mistake(&self) -> Option<&str> {
        self.notes.as_deref()?.lines().find(|line| line.starts_with(MARKED_BY_MISTAKE))
    }

    /// For people; what the owner lists as known was not solved here.
    pub fn standing(&self) -> &'static str {
        match self.status {
            ProblemStatus::Proven if self.is_known() => "known, solved elsewhere",
            ProblemStatus::Proven if self.contested => {
                "called proven, but its answer does not prove it"
            }
            _ if self.refuted && !self.is_settled() => "open, but its statement is refuted",
            status => status.title(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Gist {
    /// Id of the problem, or `slot12`.
    pub id: String,
    pub problem: Option<Problem>,
    /// Main before steps, proved before claimed, no trivialities.
    pub theorems: Few,
    /// Proved trivialities; 0 where there are theorems.
    pub trivial: usize,
    /// Proved steps and helpers; 0 where there are theorems.
    pub steps: usize,
    pub refuted: Few,
    /// What came closest to a proof of it, as far as that is known.
    pub near_miss: Option<String>,
    /// Of a problem what was written down, of a slot what came back too.
    pub failed: Few,
    pub notes: Few,
}

/// The first of many.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Few {
    pub first: Vec<Finding>,
    pub total: usize,
}

/// Identified by problem and approach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrategyDraft {
    pub problem: String,
    pub problem_name: String,
    pub domain: Option<String>,
    pub approach: String,
    pub description: Option<String>,
    pub outcome: Outcome,
    pub slot: Option<i64>,
    pub submission: Option<String>,
    pub learned: Option<String>,
    /// One file is one attempt, however often it is read.
    pub source_file: Option<String>,
    pub attempted_at: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strategy {
    pub id: i64,
    pub problem: String,
    pub domain: Option<String>,
    pub approach: String,
    pub description: Option<String>,
    pub outcome: Outcome,
    /// Of the last attempt.
    pub slot: Option<i64>,
    pub attempts: i64,
    pub learned: Option<String>,
    pub last_attempted: Option<String>,
}
