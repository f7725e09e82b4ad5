//! What the briefing says of a tracking database.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ledger::{Ledger, Submission};
use super::open::Tracking;
use super::record::Record;
use super::status::{Standing, is_fetchable, standing};
use super::{TrackingError, times};

/// A result counts as ready to be fetched for this long after it was completed.
const READY_HOURS: i64 = 48;
/// A proof counts as recent for this long.
const RECENT_HOURS: i64 = 7 * 24;

/// The state of all submissions at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackingState {
    pub total: u64,
    /// Submissions that the prover works on.
    pub in_flight: u64,
    /// Results that nobody has looked at yet, newest first.
    pub ready: Vec<ReadySubmission>,
    /// Proofs of the last seven days that are no longer waiting, newest first.
    pub recent_proven: Vec<RecentProof>,
    /// The results that are closest to a proof, the closest first; also those that try what is false.
    pub near_misses: Vec<NearMissSubmission>,
    /// Problems of the submissions that the prover works on, with their number, the most first.
    pub problems_in_flight: Vec<(String, u64)>,
    /// Those submissions themselves, the newest first.
    pub running: Vec<RunningSubmission>,
    /// When anything was submitted last, `YYYY-MM-DD HH:MM:SS` UTC.
    pub last_submitted: Option<String>,
    /// When the same rows give another state, because something is no longer new, `YYYY-MM-DD HH:MM:SS`
    /// UTC; `None` for never.
    pub changes_at: Option<String>,
}

/// A result that waits to be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadySubmission {
    /// `slot12`, else the file's name without its ending.
    pub label: String,
    pub slot: Option<i64>,
    pub problem: Option<String>,
    /// When the prover was done, `YYYY-MM-DD HH:MM:SS` UTC.
    pub completed_at: String,
}

/// A submission that the prover works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningSubmission {
    /// `slot12`, else the file's name without its ending.
    pub label: String,
    /// The prover's id; `None` where it perhaps never got it.
    pub uuid: Option<String>,
    pub problem: Option<String>,
    /// When it was submitted, `YYYY-MM-DD HH:MM:SS` UTC.
    pub submitted_at: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentProof {
    /// `slot12`, else the file's name without its ending.
    pub label: String,
    pub problem: Option<String>,
    /// Theorems proved; 0 where nobody counted.
    pub theorems: i64,
}

/// A result with a gap left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearMissSubmission {
    /// `slot12`, else the file's name without its ending.
    pub label: String,
    pub slot: Option<i64>,
    pub uuid: Option<String>,
    pub problem: Option<String>,
    /// Gaps left; at least one.
    pub sorry: i64,
    /// Theorems proved; 0 where nobody counted.
    pub proven: i64,
    /// The false lemma that it tries to prove, where the database says so.
    pub false_target: Option<String>,
}

impl Tracking {
    /// The state at `now`.
    ///
    /// # Errors
    /// When the database is damaged, locked or too slow; missing tables are none.
    pub fn state(&self, now: Timestamp) -> Result<TrackingState, TrackingError> {
        self.restart_deadline();
        let ready_since = times::hours_before(now, READY_HOURS);
        let recent_since = times::hours_before(now, RECENT_HOURS);
        let mut tally = Tally::default();
        let ledger = Ledger::read(self, &[], |record| {
            let standing = tally.add(record);
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
        let targets_of_false_lemmas = self.targets_of_false_lemmas()?;
        let mut all: Vec<&Submission> = ledger.submissions.iter().collect();
        all.sort_by_key(|s| Reverse(s.completed_at.as_deref()));
        let (ready, done): (Vec<&Submission>, Vec<_>) =
            all.into_iter().partition(|s| is_ready(s, &ready_since));
        let mut near_misses: Vec<&Submission> = done
            .iter()
            .chain(&ready)
            .copied()
            .filter(|s| s.standing == Standing::NearMiss)
            .collect();
        near_misses.sort_by_key(|s| {
            Reverse((s.proven, Reverse(s.sorry.unwrap_or(i64::MAX)), s.last_seen()))
        });
        let in_flight = done.iter().filter(|s| s.standing == Standing::InFlight);
        let mut running: Vec<RunningSubmission> = in_flight
            .map(|submission| RunningSubmission {
                label: submission.label(),
                uuid: submission.uuid.clone(),
                problem: ledger.problem_of(submission),
                submitted_at: submission.submitted_at.clone(),
            })
            .collect();
        running.sort_by(|a, b| b.submitted_at.cmp(&a.submitted_at));
        let mut by_problem: BTreeMap<&str, u64> = BTreeMap::new();
        for problem in running.iter().filter_map(|one| one.problem.as_deref()) {
            *by_problem.entry(problem).or_default() += 1;
        }
        let mut problems_in_flight: Vec<(String, u64)> =
            by_problem.into_iter().map(|(id, count)| (id.to_owned(), count)).collect();
        problems_in_flight.sort_by_key(|(_, count)| Reverse(*count));
        let changes_at = ledger.submissions.iter().filter_map(|s| s.completed_at.as_deref());
        let changes_at = changes_at.flat_map(|completed| {
            [READY_HOURS, RECENT_HOURS].map(|hours| times::hours_after(completed, hours))
        });
        let changes_at = changes_at.flatten().filter(|at| *at > times::shown(now)).min();
        Ok(TrackingState {
            changes_at,
            total: tally.total,
            in_flight: tally.in_flight,
            ready: ready.iter().filter_map(|s| ReadySubmission::of(s, &ledger)).collect(),
            recent_proven: done
                .iter()
                .filter(|s| is_proved(s) && s.completed_at.as_ref() >= Some(&recent_since))
                .map(|s| RecentProof::of(s, &ledger))
                .collect(),
            near_misses: near_misses
                .into_iter()
                .map(|s| {
                    let target = s.id.and_then(|id| targets_of_false_lemmas.get(&id));
                    NearMissSubmission::of(s, &ledger, target.cloned())
                })
                .collect(),
            problems_in_flight,
            running,
            last_submitted: tally.last_submitted,
        })
    }

    /// Submissions that try to prove what is known to be false, with the name of that.
    pub(super) fn targets_of_false_lemmas(&self) -> Result<HashMap<i64, String>, TrackingError> {
        let mut names = HashMap::new();
        self.scan("false_lemmas", &["id", "lemma_name"], |record| {
            names.extend(record.int("id").zip(record.text("lemma_name")));
        })?;
        let mut targets = HashMap::new();
        let columns = ["submission_id", "false_lemma_id"];
        self.scan("submission_false_lemma_targets", &columns, |record| {
            let name = record.int("false_lemma_id").and_then(|id| names.get(&id).cloned());
            let submission = record.int("submission_id");
            targets.extend(submission.map(|id| (id, name.unwrap_or_default())));
        })?;
        Ok(targets)
    }
}

/// What is counted over all submissions.
#[derive(Default)]
struct Tally {
    total: u64,
    in_flight: u64,
    last_submitted: Option<String>,
}

impl Tally {
    fn add(&mut self, record: &Record<'_, '_>) -> Standing {
        let status = record.read("status");
        let (gaps, proven) = (record.int("sorry_count"), record.int("proven_count"));
        let standing = standing(status.as_deref(), gaps, proven);
        self.total += 1;
        self.in_flight += u64::from(standing == Standing::InFlight);
        let submitted = record.read("submitted_at").and_then(|time| times::normal(&time));
        self.last_submitted = self.last_submitted.take().max(submitted);
        standing
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

impl ReadySubmission {
    fn of(submission: &Submission, ledger: &Ledger) -> Option<Self> {
        Some(Self {
            label: submission.label(),
            slot: submission.slot,
            problem: ledger.problem_of(submission),
            completed_at: submission.completed_at.clone()?,
        })
    }
}

impl RecentProof {
    fn of(submission: &Submission, ledger: &Ledger) -> Self {
        Self {
            label: submission.label(),
            problem: ledger.problem_of(submission),
            theorems: submission.proven.unwrap_or(0),
        }
    }
}

impl NearMissSubmission {
    fn of(submission: &Submission, ledger: &Ledger, false_target: Option<String>) -> Self {
        Self {
            label: submission.label(),
            slot: submission.slot,
            uuid: submission.uuid.clone(),
            problem: ledger.problem_of(submission),
            sorry: submission.sorry.unwrap_or(1).max(1),
            proven: submission.proven.unwrap_or(0),
            false_target,
        }
    }
}
