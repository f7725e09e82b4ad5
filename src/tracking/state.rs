//! What the briefing says of a tracking database, and what it knows of one problem.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::claims::{is_about, says_words};
use super::ledger::{Standing, Submission};
use super::open::Tracking;
use super::rows::after;
use crate::model::{Draft, slot_of, word_key};
use crate::text::time_text;

/// For so many seconds after it was completed a result counts as ready to be fetched.
const READY: i64 = 48 * 3600;
const RECENT: i64 = 7 * 24 * 3600;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackingState {
    pub total: u64,
    /// What the prover works on, newest first.
    pub running: Vec<Submission>,
    /// Results that nobody has looked at yet, newest first.
    pub ready: Vec<Submission>,
    /// Proofs of the last seven days that are no longer waiting, newest first.
    pub recent_proven: Vec<Submission>,
    /// The results that are closest to a proof, the closest first; also those that try what is false.
    pub near_misses: Vec<Submission>,
    /// Slots that their owner gave up.
    #[serde(default)]
    pub given_up: BTreeSet<i64>,
    pub last_submitted: Option<String>,
    /// When the same rows give another state because something is no longer new; `None` for never.
    pub changes_at: Option<String>,
}

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
    pub fn state(&self, now: Timestamp) -> TrackingState {
        let now = time_text(now);
        let mut all: Vec<&Submission> = self.ledger.submissions.iter().collect();
        all.sort_by(|a, b| b.completed_at.cmp(&a.completed_at));
        let passing = all.iter().filter(|one| one.is_fetchable() || is_proved(one));
        let changes_at = passing
            .filter_map(|one| one.completed_at.as_deref())
            .flat_map(|at| [READY, RECENT].map(|seconds| after(at, seconds + 1)))
            .flatten()
            .filter(|at| *at > now)
            .min();
        let is_since = |one: &Submission, seconds: i64| {
            one.completed_at.is_some() && one.completed_at >= after(&now, -seconds)
        };
        let is_ready = |one: &Submission| one.is_fetchable() && is_since(one, READY);
        let is_running = |one: &Submission| one.standing == Standing::InFlight;
        let is_recent = |one: &Submission| is_proved(one) && is_since(one, RECENT);
        let those = |is_one: &dyn Fn(&Submission) -> bool| -> Vec<Submission> {
            all.iter().filter(|one| is_one(one)).map(|one| (*one).clone()).collect()
        };
        let mut running = those(&is_running);
        running.sort_by(|a, b| b.submitted_at.cmp(&a.submitted_at));
        let mut near_misses =
            those(&|one| one.standing == Standing::NearMiss && !one.is_given_up());
        near_misses.sort_by(|a, b| closeness(b).cmp(&closeness(a)));
        TrackingState {
            total: all.len() as u64,
            running,
            ready: those(&is_ready),
            recent_proven: those(&|one| is_recent(one) && !is_ready(one) && !is_running(one)),
            near_misses,
            given_up: all
                .iter()
                .filter(|one| one.is_given_up())
                .filter_map(|one| one.slot)
                .collect(),
            last_submitted: all.iter().filter_map(|one| one.submitted_at.clone()).max(),
            changes_at,
        }
    }

    /// Results that were completed and nobody verified or refused, the newest first.
    pub fn unchecked(&self) -> Vec<Submission> {
        let all = self.ledger.submissions.iter();
        let mut unchecked: Vec<Submission> =
            all.filter(|one| one.is_fetchable()).cloned().collect();
        unchecked.sort_by(|a, b| b.happened_at().cmp(&a.happened_at()));
        unchecked
    }

    /// What was tried on the problem with this id, in any spelling, and what mentions it; where no
    /// record belongs to it, also the problems whose ids contain the key (`erdos` for all of them).
    pub fn problem(&self, key: &str) -> ProblemTrail {
        let key = word_key(key);
        if key.is_empty() {
            return ProblemTrail::default();
        }
        let ledger = &self.ledger;
        let problem = ledger.problems().spelling(&key).map(str::to_owned);
        let key = problem.as_deref().map_or(key, word_key);
        let refused = self.refused();
        let problems = (ledger.submissions.iter().map(|s| &s.problem))
            .chain(refused.iter().map(|draft| &draft.problem));
        let is_known = problems.flatten().any(|id| word_key(id) == key);
        let belongs = |problem: Option<&str>| {
            let id = problem.map(word_key).unwrap_or_default();
            id == key || (!is_known && id.contains(&key))
        };
        let slot = slot_of(&key);
        let mut submissions: Vec<&Submission> = ledger
            .submissions
            .iter()
            .filter(|s| {
                let is_named = s.problem.is_none() && says_words(&s.filename, &key);
                (slot.is_some() && s.slot == slot) || is_named || belongs(s.problem.as_deref())
            })
            .collect();
        submissions.sort_by_key(|s| Reverse((s.last_seen(), s.id)));
        let is_of_it = |draft: &&Draft| belongs(draft.problem.as_deref()) || is_about(draft, &key);
        ProblemTrail {
            problem,
            submissions_total: submissions.len() as u64,
            submissions: submissions.into_iter().take(NEWEST).cloned().collect(),
            refused: refused.iter().filter(is_of_it).cloned().collect(),
        }
    }
}

impl TrackingState {
    pub fn problems_in_flight(&self) -> Vec<(String, u64)> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for problem in self.running.iter().filter_map(|one| one.problem.as_deref()) {
            *counts.entry(problem).or_default() += 1;
        }
        let mut counts: Vec<(String, u64)> =
            counts.into_iter().map(|(id, count)| (id.to_owned(), count)).collect();
        counts.sort_by_key(|(_, count)| Reverse(*count));
        counts
    }
}

fn closeness(one: &Submission) -> impl Ord + '_ {
    (one.proven, Reverse(one.sorry.unwrap_or(i64::MAX)), one.last_seen())
}

/// Proved by its status, unless somebody looked and refused it; or verified and without a gap.
fn is_proved(submission: &Submission) -> bool {
    match submission.verified {
        Some(true) => submission.standing == Standing::Proved || submission.sorry == Some(0),
        Some(false) => false,
        None => submission.standing == Standing::Proved,
    }
}
