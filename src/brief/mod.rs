//! The session briefing: what is in flight, ready, nearly proved and known -> a short text within a
//! budget of tokens. Pure: no IO, no clock, no database.
//!
//! Equal input gives equal bytes, so a resumed session is not sent the same briefing twice.

mod compose;
pub mod context;
mod sections;
mod tokens;

pub use compose::compose;
pub use tokens::estimate;

use crate::model::Knowledge;

/// Characters that a briefing never exceeds: beyond them the client shows a preview instead.
pub const MAX_CHARS: usize = 10_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Situation {
    /// The queue of the prover; `None` where nobody keeps one.
    pub queue: Option<Queue>,
    /// Results proved lately, newest first.
    pub recent: Vec<Proof>,
    /// The result closest to a proof.
    pub near_miss: Option<Near>,
    /// The knowledge base; `None` where it could not be read.
    pub knowledge: Option<Knowledge>,
    /// A source that could not be read, a sentence each.
    pub troubles: Vec<String>,
    /// What is old or missing, a sentence each.
    pub stale: Vec<String>,
    /// Whether the session is about Lean proofs: a Lean project, a queue, findings of its own.
    pub at_home: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queue {
    pub in_flight: u64,
    /// Those of them that the prover perhaps never got: they have no id of it.
    pub without_id: u64,
    /// Problems in flight with the number of their submissions, the most first.
    pub problems: Vec<(String, u64)>,
    pub open: u64,
    /// Results that wait to be fetched, newest first.
    pub ready: Vec<Item>,
}

/// A submission by its label (`slot12`, or the name of its file) and problem.
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

/// A result with few gaps left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Near {
    pub item: Item,
    pub gaps: u64,
    /// Theorems proved in it; 0 where that is not known.
    pub proven: u64,
    pub place: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Brief {
    /// The text as it is injected; empty where the budget is 0.
    pub text: String,
    pub tokens: usize,
    pub budget: usize,
    /// Sections that are in the text, in order.
    pub sections: Vec<&'static str>,
    /// Sections that were left out or shortened for want of budget.
    pub left_out: Vec<&'static str>,
}

#[cfg(test)]
mod tests;
