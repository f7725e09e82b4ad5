//! Lessons from tool calls and their results: something failed, then something else worked. No model is needed.
//!
//! Attempts at one aim are put together: calls for the same task of the client's list, or, without tasks, calls
//! close to each other under one prompt, that work on the same thing. What failed and then worked the same way
//! teaches nothing; nor do refusals, interruptions and guesses at the names of files.

mod difference;
mod ledger;
mod met;
mod tries;
mod wording;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use ledger::Ledger;
pub use met::{errors, follows, is_gone, likeness, may_hold_error, unknown_name};
pub use wording::{Told, WORDING, read_wording};

use super::events::{Change, Event};
use super::transcript::{Body, Record, Speaker};
use crate::lean::diagnostics::Reason;
pub use crate::model::LessonPattern as Pattern;
use tries::Tries;

/// Lessons that are less certain are not stored.
pub const STORED_FROM: f64 = 0.7;

/// Its words are general: no paths, ids and numbers of one machine or run.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    pub pattern: Pattern,
    pub title: String,
    pub context: String,
    pub what_failed: String,
    pub what_worked: String,
    pub tool_name: Option<String>,
    pub signature: Option<String>,
    pub reason: Option<Reason>,
    pub confidence: f64,
    pub line: u64,
    pub fix: Option<Change>,
}

impl Lesson {
    pub fn is_certain(&self) -> bool {
        self.confidence >= STORED_FROM
    }

    pub fn identity(&self) -> String {
        let Self { pattern, signature, what_worked, title, .. } = self;
        match signature {
            Some(signature) => format!("{pattern}\n{signature}\n{what_worked}"),
            None => format!("{pattern}\n{title}\n{what_worked}"),
        }
    }
}

/// Conversations of subagents that are followed at once; for more, one of them is given up.
const MOST_STREAMS: usize = 64;

/// Finds lessons in the events of a session, each told once, at the call that completes it. Its state is
/// bounded plain data, stored beside the cursor.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Learner {
    pub ledger: Ledger,
    main: Tries,
    subagents: BTreeMap<String, Tries>,
    told: BTreeSet<String>,
}

impl Learner {
    pub fn read(&mut self, event: &Event<'_>) -> Vec<Lesson> {
        let record = event.record;
        let mut found = event.act.iter().flat_map(|act| self.ledger.read(act)).collect::<Vec<_>>();
        let Self { ledger, main, subagents, .. } = self;
        let tries = match &record.subagent {
            None => main,
            Some(id) => {
                if !subagents.contains_key(&**id) && subagents.len() >= MOST_STREAMS {
                    subagents.pop_first();
                }
                subagents.entry(id.to_string()).or_default()
            }
        };
        found.extend(match &record.body {
            Body::Returned(result) => tries.returned(result, event.act.as_ref(), ledger),
            Body::Said(_) if record.speaker == Speaker::Person && record.subagent.is_none() => {
                tries.prompted(ledger)
            }
            _ => Vec::new(),
        });
        found.retain(|one| {
            ![&one.title, &one.what_worked].into_iter().any(|text| tries::switches_off(text))
        });
        found.into_iter().filter(|lesson| self.told.insert(lesson.identity())).collect()
    }
}

pub fn lessons(records: &[Record]) -> Vec<Lesson> {
    let mut learner = Learner::default();
    records.iter().flat_map(|record| learner.read(&Event::from(record))).collect()
}

fn keep_last<T>(list: &mut Vec<T>, one: T, most: usize) {
    list.push(one);
    if list.len() > most {
        list.remove(0);
    }
}
