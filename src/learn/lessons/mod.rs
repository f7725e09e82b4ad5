//! Lessons out of the order of tool calls and their results: something failed, then something else
//! worked. No model and no words of the agent are needed for it: the evidence stands in the results.
//!
//! Attempts at one aim are put together: calls of one conversation for the same task of the client's
//! list, or, without tasks, calls close to each other under one prompt, that work on the same thing.
//! What failed and then worked the same way teaches nothing; nor do refusals, interruptions and
//! guesses at the names of files.

mod aim;
mod attempt;
mod change;
mod checks;
mod fault;
mod learner;
mod lookup;
mod pattern;
mod printed;
mod shell;
mod statement;
mod stream;
mod wording;
mod words;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use change::Change;
pub use checks::passed;
pub use learner::{Learner, lessons};
pub use lookup::{Match, Strength, matches, unknown_name};
pub use printed::{Printed, Seen, may_hold_error};
pub use statement::Statement;
pub use wording::{Told, WORDING, Worded, Wording, read_wording};

use crate::lean::diagnostics::Reason;
pub use crate::model::LessonPattern as Pattern;
use fault::Fault;

/// Lessons that are less certain than this are not stored.
pub const STORED_FROM: f64 = 0.7;

/// A call in a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub tool_use_id: String,
    /// Line of the call in the transcript, from 1.
    pub line: u64,
}

/// The calls that a lesson rests on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Evidence {
    pub failed: Vec<Step>,
    /// What was changed in between: edits, installations.
    pub changed: Vec<Step>,
    /// What worked; nothing where it never did.
    pub worked: Vec<Step>,
}

/// A draft of a lesson. Its words are general: no paths, ids and numbers of one machine or run.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    pub pattern: Pattern,
    pub title: String,
    pub context: String,
    /// What failed, and why, as one sentence.
    pub what_failed: String,
    /// What worked, as one sentence; for what never worked, what was tried.
    pub what_worked: String,
    pub tool_name: Option<String>,
    /// By what the same failure is known again, as text.
    pub signature: Option<String>,
    /// Class of the failure; a failure without one is not diagnosed.
    pub reason: Option<Reason>,
    pub confidence: f64,
    /// The calls that it rests on.
    pub evidence: Evidence,
    /// The smallest edit that made an error of Lean go away.
    pub fix: Option<Change>,
}

impl Lesson {
    /// A lesson about a failure, still without its words.
    fn new(pattern: Pattern, fault: &Fault, tool: &str, context: &str, confidence: f64) -> Self {
        Self {
            pattern,
            title: String::new(),
            context: context.to_owned(),
            what_failed: String::new(),
            what_worked: String::new(),
            tool_name: Some(tool.to_owned()),
            signature: Some(fault.signature.clone()),
            reason: fault.reason(),
            confidence,
            evidence: Evidence::default(),
            fix: None,
        }
    }

    /// Whether it is certain enough to be stored.
    pub fn is_certain(&self) -> bool {
        self.confidence >= STORED_FROM
    }

    /// Equal for lessons that say the same.
    pub fn identity(&self) -> String {
        let Self { pattern, signature, what_worked, title, .. } = self;
        match signature {
            Some(signature) => format!("{pattern}\n{signature}\n{what_worked}"),
            None => format!("{pattern}\n{title}\n{what_worked}"),
        }
    }
}
