//! The session briefing: what is in flight, ready, nearly proved and known, within a budget of tokens. Pure.
//!
//! Equal input gives equal bytes, so a resumed session is not sent the same briefing twice.

mod compose;
pub mod context;
mod sections;
mod tokens;

pub use compose::compose;
pub use tokens::estimate;

use crate::model::Knowledge;

/// Beyond them the client shows a preview instead.
pub const MAX_CHARS: usize = 10_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Situation {
    /// `None` where there is none.
    pub queue: Option<Queue>,
    /// Newest first.
    pub recent: Vec<Proof>,
    pub near_miss: Option<Near>,
    /// `None` where it could not be read.
    pub knowledge: Option<Knowledge>,
    /// Sources that could not be read, a sentence each.
    pub troubles: Vec<String>,
    /// What is old or missing, a sentence each.
    pub stale: Vec<String>,
    /// About Lean proofs: a Lean project, a queue, findings of its own.
    pub at_home: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queue {
    pub in_flight: u64,
    /// Those of them without the prover's id: perhaps it never got them.
    pub without_id: u64,
    /// In flight, with the number of submissions, the most first.
    pub problems: Vec<(String, u64)>,
    pub open: u64,
    pub ready: Vec<Item>,
}

/// A submission: `slot12` or the name of its file, and its problem.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    pub label: String,
    pub problem: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof {
    pub item: Item,
    pub theorems: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Near {
    pub item: Item,
    pub gaps: u64,
    /// 0 where unknown.
    pub proven: u64,
    pub place: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Brief {
    /// Empty where the budget is 0.
    pub text: String,
    pub tokens: usize,
    pub budget: usize,
    /// Shown, in order.
    pub sections: Vec<&'static str>,
    /// Left out or shortened.
    pub left_out: Vec<&'static str>,
}

#[cfg(test)]
mod tests;
