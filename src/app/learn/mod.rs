//! Learning from sessions: transcripts are read once, line by line, and what is found waits for a
//! person or, where tool results are the evidence, is kept.

mod asking;
pub mod exclude;
pub mod lessons;
pub mod proposals;
pub mod read;
mod seen;
pub mod work;

pub use asking::ended_by;
pub use exclude::{excluded_by, is_excluded};
pub use seen::learn_note;

use super::{App, inject};
use crate::brief::estimate;
use crate::hook::Event;
use crate::store::Injection;

/// A line that is said to a session, and how the ledger has it.
struct Remark {
    line: String,
    kind: &'static str,
    rule: &'static str,
    label: String,
    /// By what the same is known again.
    why: String,
    lesson: Option<i64>,
}

impl Remark {
    fn row(&self, app: &mut App, event: &Event) -> Injection {
        Injection {
            finding: self.lesson,
            label: self.label.clone(),
            kind: self.kind.to_owned(),
            form: "body".to_owned(),
            rule: self.rule.to_owned(),
            why: self.why.clone(),
            tokens: estimate(&self.line) as u64,
            ..inject::blank(app, event)
        }
    }
}
