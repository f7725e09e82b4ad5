//! What the briefing says of a tracking database.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ledger::{Ledger, Submission};
use super::open::Tracking;
use super::status::{Standing, is_fetchable, standing};
use super::{TrackingError, times};

/// A result counts as ready to be fetched for this long after it was completed.
const READY_HOURS: i64 = 48;
const RECENT_HOURS: i64 = 7 * 24;

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
    pub last_submitted: Option<String>,
    /// When the same rows give another state because something is no longer new; `None` for never.
    pub changes_at: Option<String>,
}

impl Tracking {
    pub fn state(&self, now: Timestamp) -> Result<TrackingState, TrackingError> {
        self.restart_deadline();
        let ready_since = times::hours_before(now, READY_HOURS);
        let recent_since = times::hours_before(now, RECENT_HOURS);
        let (mut total, mut last_submitted) = (0, None);
        let ledger = Ledger::read(self, &[], |record| {
            let (gaps, proven) = (record.int("sorry_count"), record.int("proven_count"));
            let standing = standing(record.read("status").as_deref(), gaps, proven);
            total += 1;
            let submitted = record.read("submitted_at").and_then(|time| times::normal(&time));
            last_submitted = last_submitted.take().max(submitted);
            if matches!(standing, Standing::NearMiss | Standing::InFlight) {
                return true;
            }
            let verified = record.flag("verified");
            let may_show = match verified {
                Some(false) => false,
                Some(true) => true,
                None => {
                    standing == Standing::Proved
                        || is_fetchable(record.read("status").as_deref(), verified)
                }
            };
            let completed = || record.read("completed_at").and_then(|time| times::normal(&time));
            may_show && completed().as_ref() >= Some(&recent_since)
        })?;
        let mut all: Vec<&Submission> = ledger.submissions.iter().collect();
        all.sort_by_key(|s| Reverse(s.completed_at.as_deref()));
        let (ready, done): (Vec<&Submission>, Vec<_>) =
            all.into_iter().partition(|s| is_ready(s, &ready_since));
        let stands = |standing| move |s: &&&Submission| s.standing == standing;
        let mut near_misses: Vec<&Submission> =
            done.iter().chain(&ready).filter(stands(Standing::NearMiss)).copied().collect();
        near_misses.sort_by_key(|s| {
            Reverse((s.proven, Reverse(s.sorry.unwrap_or(i64::MAX)), s.last_seen()))
        });
        let mut running: Vec<&Submission> =
            done.iter().filter(stands(Standing::InFlight)).copied().collect();
        running.sort_by_key(|s| Reverse(s.submitted_at.as_deref()));
        let is_recent =
            |s: &&Submission| is_proved(s) && s.completed_at.as_ref() >= Some(&recent_since);
        let changes_at = ledger.submissions.iter().filter_map(|s| s.completed_at.as_deref());
        let changes_at = changes_at.flat_map(|completed| {
            [READY_HOURS, RECENT_HOURS].map(|hours| times::hours_after(completed, hours))
        });
        let changes_at = changes_at.flatten().filter(|at| *at > times::shown(now)).min();
        let about = |s: &Submission| Submission { problem: ledger.problem_of(s), ..s.clone() };
        let told = |submissions: &[&Submission]| submissions.iter().map(|s| about(s)).collect();
        Ok(TrackingState {
            changes_at,
            total,
            running: told(&running),
            recent_proven: done.iter().copied().filter(is_recent).map(about).collect(),
            ready: told(&ready),
            near_misses: told(&near_misses),
            last_submitted,
        })
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

impl Tracking {
    pub fn unchecked(&self) -> Result<Vec<Submission>, TrackingError> {
        let mut unchecked = self.ledger()?.into_submissions();
        unchecked.retain(|one| is_fetchable(one.status.as_deref(), one.verified));
        unchecked.sort_by(|a, b| b.happened_at().cmp(&a.happened_at()));
        Ok(unchecked)
    }
}

fn is_ready(submission: &Submission, since: &str) -> bool {
    is_fetchable(submission.status.as_deref(), submission.verified)
        && submission.completed_at.as_deref() >= Some(since)
}

/// Proved by its status, unless somebody looked and refused it; or verified and without a gap.
fn is_proved(submission: &Submission) -> bool {
    match submission.verified {
        Some(true) => submission.standing == Standing::Proved || submission.sorry == Some(0),
        Some(false) => false,
        None => submission.standing == Standing::Proved,
    }
}
