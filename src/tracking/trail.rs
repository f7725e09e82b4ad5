//! What a tracking database knows of one problem.

use std::cmp::Reverse;

use super::TrackingError;
use super::claims::{is_about, says_words};
use super::ledger::{Ledger, Submission};
use super::open::Tracking;
use crate::model::{Draft, word_key};

const NEWEST: usize = 10;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProblemTrail {
    pub refused: Vec<Draft>,
    pub submissions: Vec<Submission>,
    pub submissions_total: u64,
    /// The problem, as the database spells it; another name of a problem stands for it.
    pub problem: Option<String>,
}

impl Tracking {
    /// What was tried on the problem with this id, in any spelling, and what mentions it; where no
    /// record belongs to it, also the problems whose ids contain the key (`erdos` for all of them).
    pub fn problem(&self, key: &str) -> Result<ProblemTrail, TrackingError> {
        self.restart_deadline();
        let key = word_key(key);
        if key.is_empty() {
            return Ok(ProblemTrail::default());
        }
        let ledger = Ledger::load(self, &[])?;
        let problem = ledger.problems().spelling(&key).map(str::to_owned);
        let key = problem.as_deref().map_or(key, word_key);
        let mut refused = self.refused_by(&ledger)?;
        let problems = (ledger.submissions.iter().map(|s| &s.problem))
            .chain(refused.iter().map(|draft| &draft.problem));
        let is_known = problems.flatten().any(|id| word_key(id) == key);
        let belongs = |problem: Option<&str>| {
            let id = problem.map(word_key).unwrap_or_default();
            id == key || (!is_known && id.contains(&key))
        };
        let mut submissions: Vec<&Submission> = ledger
            .submissions
            .iter()
            .filter(|s| belongs(s.problem.as_deref()) || says_words(&s.filename, &key))
            .collect();
        submissions.sort_by_key(|s| Reverse((s.last_seen(), s.id)));
        refused.retain(|draft| belongs(draft.problem.as_deref()) || is_about(draft, &key));
        Ok(ProblemTrail {
            problem,
            submissions_total: submissions.len() as u64,
            submissions: submissions.into_iter().take(NEWEST).cloned().collect(),
            refused,
        })
    }
}
