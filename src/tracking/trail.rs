//! What a tracking database knows of one problem.

use std::cmp::Reverse;

use serde::Serialize;

use super::claims::says_words;
use super::ledger::{Ledger, Submission};
use super::open::Tracking;
use super::{FailedApproach, FalseLemma, TrackingError};
use crate::model::word_key;

/// More submissions than this are not shown.
const NEWEST: usize = 10;

/// What was tried on a problem.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProblemTrail {
    /// Lemmas that were found false.
    pub false_lemmas: Vec<FalseLemma>,
    /// Approaches that failed.
    pub failed: Vec<FailedApproach>,
    /// The ten newest submissions.
    pub submissions: Vec<Submission>,
    /// Submissions in all.
    pub submissions_total: u64,
}

impl Tracking {
    /// What was tried on the problem with this id, in any spelling; where no record is about it, the
    /// problems whose ids contain the key (`erdos` for all of them).
    ///
    /// # Errors
    /// When the database is damaged, locked or too slow; missing tables are none.
    pub fn problem(&self, key: &str) -> Result<ProblemTrail, TrackingError> {
        self.restart_deadline();
        let key = word_key(key);
        if key.is_empty() {
            return Ok(ProblemTrail::default());
        }
        let ledger = Ledger::load(self, &[])?;
        let lemmas = self.lemmas(&ledger)?;
        let approaches = self.approaches(&ledger)?;
        let is_problem = |problem: Option<&str>| problem.is_some_and(|id| word_key(id) == key);
        let exact = ProblemTrail::of(
            lemmas.iter().filter(|lemma| lemma.is_about(&key)),
            approaches.iter().filter(|approach| approach.is_about(&key)),
            ledger.submissions.iter().filter(|submission| {
                is_problem(submission.problem.as_deref()) || says_words(&submission.filename, &key)
            }),
        );
        if !exact.is_empty() {
            return Ok(exact);
        }
        let contains = |problem: &Option<String>| {
            problem.as_ref().is_some_and(|id| word_key(id).contains(&key))
        };
        Ok(ProblemTrail::of(
            lemmas.iter().filter(|lemma| contains(&lemma.problem)),
            approaches.iter().filter(|approach| contains(&approach.problem)),
            ledger.submissions.iter().filter(|submission| contains(&submission.problem)),
        ))
    }
}

impl ProblemTrail {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.false_lemmas.is_empty() && self.failed.is_empty() && self.submissions.is_empty()
    }

    fn of<'a>(
        lemmas: impl Iterator<Item = &'a FalseLemma>,
        approaches: impl Iterator<Item = &'a FailedApproach>,
        submissions: impl Iterator<Item = &'a Submission>,
    ) -> Self {
        let mut submissions: Vec<&Submission> = submissions.collect();
        submissions.sort_by_key(|s| Reverse((s.last_seen(), s.id)));
        Self {
            false_lemmas: lemmas.cloned().collect(),
            failed: approaches.cloned().collect(),
            submissions_total: submissions.len() as u64,
            submissions: submissions.into_iter().take(NEWEST).cloned().collect(),
        }
    }
}
