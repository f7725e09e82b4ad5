//! The queue of background work. One process at a time takes from it, under a lock that is not the
//! database's: what is `running` while that lock is free was interrupted.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Store, StoreError, Writer, rows, time_text};
use crate::model::{JobKind, JobState};
use crate::text::{clean, clip, scrub};

/// Bytes of a payload that is put in: it says where the work is, it does not hold it.
const LARGEST_PAYLOAD: usize = 64 * 1024;

/// Columns of a reason or of what came of a job.
const OUTCOME_WIDTH: usize = 500;

/// Attempts that may fail, or be interrupted, before a job is given up.
pub const MOST_ATTEMPTS: u64 = 5;

/// The wait after a first failure; it doubles with each further one.
const FIRST_WAIT: SignedDuration = SignedDuration::from_mins(2);

/// No job waits longer for its next attempt, and nothing is held longer.
pub const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(6);

/// Jobs that can be done: `?1` is now. A time that lies farther ahead than any wait was written while a
/// clock was wrong.
const DUE: &str = "state = 'waiting' AND (due_at <= ?1 OR due_at > datetime(?1, '+6 hours'))";

/// Work to be put into the queue.
#[derive(Debug, Clone, Copy)]
pub struct NewJob<'a> {
    pub kind: JobKind,
    /// Equal for the same work: as long as it is open it stands in the queue once.
    pub key: &'a str,
    /// Of what is to be worked on. What was done, or given up, in this version is not put in again.
    pub version: Option<&'a str>,
    pub payload: &'a str,
    /// The session that it is about; goes when that is forgotten.
    pub session: Option<&'a str>,
    /// The finding that it is about; goes with it.
    pub finding: Option<i64>,
}

/// What became of work that was to be put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enqueued {
    New(i64),
    /// It is open already; where it is being worked on it is done once more after that.
    Open(i64),
    /// This version was done or given up before.
    Known(i64),
}

/// What became of a job that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    Retried,
    GivenUp,
    /// It was dropped meanwhile: nothing was noted.
    Lost,
}

/// A job as it stands in the database. Times are `YYYY-MM-DD HH:MM:SS` in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRecord {
    pub id: i64,
    /// What is to be done; a word that this version may not know.
    pub kind: String,
    pub key: String,
    pub version: Option<String>,
    /// Where the work is, JSON; after a step what that step brought.
    pub payload: String,
    #[serde(alias = "session_id")]
    pub session: Option<String>,
    #[serde(alias = "finding_id")]
    pub finding: Option<i64>,
    pub state: String,
    pub step: Option<String>,
    pub due_at: String,
    /// Attempts that failed or were interrupted.
    pub attempts: u64,
    pub created_at: String,
    pub started_at: Option<String>,
    /// When it was done or given up.
    pub finished_at: Option<String>,
    /// What came of it, or why it failed.
    pub outcome: Option<String>,
}

/// Which jobs are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobFilter {
    pub state: Option<JobState>,
    pub kind: Option<JobKind>,
    pub limit: usize,
}

/// Something that jobs need and that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobHold {
    /// Until when it is not asked for again.
    pub until: String,
    /// How often in a row it was not there.
    pub times: u64,
    pub since: String,
    pub reason: String,
}

/// How long a job waits after its `attempts`-th failure in a row (from 1). Jobs that failed together do
/// not come again together: up to a quarter is added, by the job's own number.
pub fn wait_after(attempts: u64, id: i64) -> SignedDuration {
    let doubled = u32::try_from(attempts.saturating_sub(1).min(16)).unwrap_or(16);
    let wait = FIRST_WAIT.saturating_mul(1 << doubled).min(LONGEST_WAIT * 4 / 5);
    // Neighbouring numbers give parts that are far from each other.
    let spread = id.unsigned_abs().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54;
    let quarter = wait.as_secs() / 4;
    wait + SignedDuration::from_secs(quarter * i64::try_from(spread).unwrap_or(0) / 1024)
}

/// A reason or an outcome, fit to be kept.
fn kept(words: &str) -> String {
    clip(&clean(&scrub(words)), OUTCOME_WIDTH)
}

/// A list of kinds for SQL; their words are ours.
fn list(kinds: &[JobKind]) -> String {
    kinds.iter().map(|kind| format!("'{kind}'")).collect::<Vec<_>>().join(", ")
}

impl Store {
    /// Jobs, those first that are worked on, then those that wait by when they are due, then those that
    /// were given up or done, the latest first; and how many there are.
    pub fn jobs(&self, filter: JobFilter) -> Result<(Vec<JobRecord>, u64), StoreError> {
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let (state, kind) = (filter.state.map(JobState::as_str), filter.kind.map(JobKind::as_str));
        let of = "FROM jobs WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR kind = ?2)";
        let total = self.count(&format!("SELECT count(*) {of}"), params![state, kind])?;
        let sql = format!(
            "SELECT * {of} ORDER BY CASE state WHEN 'running' THEN 0 WHEN 'waiting' THEN 1
             WHEN 'dead' THEN 2 ELSE 3 END, CASE state WHEN 'waiting' THEN due_at END,
             finished_at DESC, id LIMIT ?3"
        );
        Ok((self.all(&sql, params![state, kind, limit])?, total))
    }

    pub fn job(&self, id: i64) -> Result<Option<JobRecord>, StoreError> {
        self.first("SELECT * FROM jobs WHERE id = ?1", params![id])
    }

    /// The job about this work that is neither done nor given up.
    pub fn open_job(&self, kind: JobKind, key: &str) -> Result<Option<JobRecord>, StoreError> {
        let sql = "SELECT * FROM jobs
            WHERE kind = ?1 AND key = ?2 AND state IN ('waiting', 'running')";
        self.first(sql, params![kind.as_str(), key])
    }

    /// How many jobs are in each state; those that nothing is in are left out.
    pub fn job_counts(&self) -> Result<BTreeMap<String, u64>, StoreError> {
        let counts = self.all("SELECT state, count(*) FROM jobs GROUP BY state", params![])?;
        Ok(counts.into_iter().collect())
    }

    /// Since when the job has waited that could be done for the longest time; `None` where none can. One
    /// that has run for half an hour may have been interrupted.
    pub fn job_due_since(
        &self,
        kinds: &[JobKind],
        now: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        let sql = format!(
            "SELECT min(CASE WHEN state = 'running' THEN started_at
             WHEN due_at > ?1 THEN created_at ELSE due_at END) FROM jobs WHERE kind IN ({})
             AND ({DUE} OR state = 'running' AND started_at < datetime(?1, '-30 minutes'))",
            list(kinds)
        );
        Ok(self.first(&sql, params![time_text(now)])?.flatten())
    }

    /// How many jobs of these kinds could be done now.
    pub fn jobs_due(&self, kinds: &[JobKind], now: Timestamp) -> Result<u64, StoreError> {
        let sql = format!("SELECT count(*) FROM jobs WHERE kind IN ({}) AND {DUE}", list(kinds));
        self.count(&sql, params![time_text(now)])
    }

    /// What is held back now, if it is; a time that no clock can have meant holds nothing.
    pub fn job_hold(&self, what: &str, now: Timestamp) -> Result<Option<JobHold>, StoreError> {
        let sql = "SELECT until, times, since, reason FROM job_holds
            WHERE what = ?1 AND until > ?2 AND until <= datetime(?2, '+6 hours')";
        self.first(sql, params![what, time_text(now)])
    }
}

impl Writer<'_> {
    /// Puts work into the queue, once.
    ///
    /// # Errors
    /// When the payload is too large to be only a place.
    pub fn enqueue(&self, new: &NewJob<'_>) -> Result<Enqueued, StoreError> {
        if new.payload.len() > LARGEST_PAYLOAD {
            return Err(StoreError::Invalid(format!("a {} job has too large a payload", new.kind)));
        }
        let kind = new.kind.as_str();
        let open: Option<(i64, bool, Option<String>)> = self.first(
            "SELECT id, state = 'running', version FROM jobs
             WHERE kind = ?1 AND key = ?2 AND state IN ('waiting', 'running')",
            params![kind, new.key],
        )?;
        let Some((id, is_running, version)) = open else { return self.insert_job(new) };
        if version.is_some() && version.as_deref() == new.version {
            return Ok(Enqueued::Open(id));
        }
        if is_running {
            self.execute("UPDATE jobs SET again = 1 WHERE id = ?1", [id])?;
        }
        if new.version.is_none() {
            return Ok(Enqueued::Open(id));
        }
        // Who runs it has a copy of what was to be done, so the row may say what is to be done next. New
        // content has not failed yet.
        self.execute(
            "UPDATE jobs SET version = ?2, payload = ?3, session_id = ?4, finding_id = ?5,
                 attempts = CASE state WHEN 'waiting' THEN 0 ELSE attempts END,
                 due_at = CASE state WHEN 'waiting' THEN min(due_at, ?6) ELSE due_at END
                 WHERE id = ?1",
            params![id, new.version, new.payload, new.session, new.finding, self.now],
        )?;
        Ok(Enqueued::Open(id))
    }

    fn insert_job(&self, new: &NewJob<'_>) -> Result<Enqueued, StoreError> {
        let kind = new.kind.as_str();
        let sql = "SELECT id FROM jobs WHERE kind = ?1 AND key = ?2 AND version = ?3
            ORDER BY id DESC LIMIT 1";
        let known = self.first(sql, params![kind, new.key, new.version])?;
        if let Some(id) = known {
            return Ok(Enqueued::Known(id));
        }
        let values =
            params![kind, new.key, new.version, new.payload, new.session, new.finding, self.now];
        self.execute(
            "INSERT INTO jobs (kind, key, version, payload, session_id, finding_id, due_at,
             created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
            values,
        )?;
        let id = self.connection.last_insert_rowid();
        Ok(Enqueued::New(id))
    }

    /// Makes a job due at once as if it had never been tried; `false` where it is being worked on, is
    /// open under another number, or is not there.
    pub fn retry_job(&self, id: i64) -> Result<bool, StoreError> {
        let changed = self.connection.execute(
            "UPDATE OR IGNORE jobs SET state = 'waiting', attempts = 0, due_at = ?2,
             finished_at = NULL WHERE id = ?1 AND state <> 'running'",
            params![id, self.now],
        )?;
        Ok(changed > 0)
    }

    /// Removes a job, also one that is being worked on: what comes of it is not noted any more.
    pub fn drop_job(&self, id: i64) -> Result<bool, StoreError> {
        Ok(self.connection.execute("DELETE FROM jobs WHERE id = ?1", [id])? > 0)
    }

    /// Gives back what is running, for who holds the lock: those who had it have ended in the middle of
    /// it. A job that ends every process that takes it is given up.
    pub fn recover_jobs(&self) -> Result<u64, StoreError> {
        let changed = self.execute(
            "UPDATE jobs SET attempts = attempts + 1,
                 state = CASE WHEN attempts + 1 >= ?1 THEN 'dead' ELSE 'waiting' END,
                 finished_at = CASE WHEN attempts + 1 >= ?1 THEN ?2 END,
                 outcome = 'the process that did it ended in the middle of it'
                 WHERE state = 'running'",
            params![count(MOST_ATTEMPTS), self.now],
        )?;
        Ok(changed as u64)
    }

    /// Takes the job that is due for the longest time.
    pub fn claim_job(&self, kinds: &[JobKind]) -> Result<Option<JobRecord>, StoreError> {
        let sql = format!(
            "UPDATE jobs SET state = 'running', started_at = ?1 WHERE id = (SELECT id FROM jobs
             WHERE kind IN ({}) AND {DUE} ORDER BY due_at, id LIMIT 1) RETURNING *",
            list(kinds)
        );
        Ok(self.first(&sql, params![self.now])?)
    }

    /// Takes this job, whenever it is due.
    pub fn take_job(&self, id: i64) -> Result<JobRecord, StoreError> {
        let sql = "UPDATE jobs SET state = 'running', started_at = ?2 WHERE id = ?1 RETURNING *";
        Ok(self.connection.prepare_cached(sql)?.query_row(params![id, self.now], rows::read)?)
    }

    /// Saves how far a job is after the step `from`, and what that brought; `None` stands for its
    /// beginning. `false` where it is not there any more, or was dropped.
    pub fn save_step(
        &self,
        id: i64,
        from: Option<&str>,
        to: Option<&str>,
        payload: &str,
    ) -> Result<bool, StoreError> {
        Ok(self.execute(
            "UPDATE jobs SET step = ?3, payload = ?4 WHERE id = ?1 AND step IS ?2",
            params![id, from, to, payload],
        )? > 0)
    }

    /// Notes that a job is done, and what came of it; `false` where it was dropped. Where more came in
    /// meanwhile it is due again.
    pub fn complete_job(&self, id: i64, outcome: &str) -> Result<bool, StoreError> {
        Ok(self.execute(
            "UPDATE jobs SET state = CASE again WHEN 1 THEN 'waiting' ELSE 'done' END,
             finished_at = CASE again WHEN 1 THEN NULL ELSE ?3 END,
             due_at = CASE again WHEN 1 THEN ?3 ELSE due_at END,
             attempts = CASE again WHEN 1 THEN 0 ELSE attempts END, again = 0, outcome = ?2
             WHERE id = ?1 AND state = 'running'",
            params![id, kept(outcome), self.now],
        )? > 0)
    }

    /// Notes that an attempt failed. It is tried again after a while, unless it failed too often or
    /// `may_pass` says that trying is of no use. Where more came in meanwhile that is tried in any case.
    pub fn fail_job(
        &self,
        id: i64,
        reason: &str,
        may_pass: bool,
    ) -> Result<AfterFailure, StoreError> {
        let sql = "SELECT attempts, again FROM jobs WHERE id = ?1 AND state = 'running'";
        let held: Option<(u64, bool)> = self.first(sql, params![id])?;
        let Some((attempts, again)) = held else { return Ok(AfterFailure::Lost) };
        let attempts = attempts + 1;
        let is_over = !again && (!may_pass || attempts >= MOST_ATTEMPTS);
        self.execute(
            "UPDATE jobs SET state = ?2, attempts = ?3,
                 due_at = datetime(?5, ?4), finished_at = CASE ?2 WHEN 'dead' THEN ?5 END,
                 outcome = ?6, again = 0 WHERE id = ?1",
            params![
                id,
                if is_over { "dead" } else { "waiting" },
                if again { 0 } else { count(attempts) },
                format!("+{} seconds", wait_after(attempts, id).as_secs()),
                self.now,
                kept(reason),
            ],
        )?;
        Ok(if is_over { AfterFailure::GivenUp } else { AfterFailure::Retried })
    }

    /// Gives a job back as it was: whoever had it was told to stop, or something is missing that is not
    /// the job's fault. `false` where it was dropped.
    pub fn release_job(&self, id: i64, reason: Option<&str>) -> Result<bool, StoreError> {
        Ok(self.execute(
            "UPDATE jobs SET state = 'waiting', again = 0, due_at = ?3,
             outcome = coalesce(?2, outcome) WHERE id = ?1 AND state = 'running'",
            params![id, reason.map(kept), self.now],
        )? > 0)
    }

    /// Holds back what needs something that is not there: for a minute, then twice as long each time it
    /// is still not there, up to an hour. Returns until when.
    pub fn hold_jobs(&self, what: &str, reason: &str) -> Result<String, StoreError> {
        let sql = "SELECT times FROM job_holds WHERE what = ?1";
        let before: i64 = self.first(sql, params![what])?.unwrap_or_default();
        let minutes = (1_i64 << before.clamp(0, 8)).min(60);
        let sql = "INSERT INTO job_holds (what, until, times, since, reason)
            VALUES (?1, datetime(?3, ?2), 1, ?3, ?4)
            ON CONFLICT (what) DO UPDATE SET until = excluded.until, times = times + 1,
            reason = excluded.reason RETURNING until";
        let values = params![what, format!("+{minutes} minutes"), self.now, kept(reason)];
        Ok(self.first(sql, values)?.unwrap_or_default())
    }

    /// It is there again; `true` where it was missing.
    pub fn lift_hold(&self, what: &str) -> Result<bool, StoreError> {
        Ok(self.execute("DELETE FROM job_holds WHERE what = ?1", [what])? > 0)
    }
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_end() {
        for (attempts, minutes) in [(0, 2), (1, 2), (2, 4), (3, 8), (4, 16), (8, 256), (9, 288)] {
            let wait = SignedDuration::from_mins(minutes);
            for id in [1, 2, 77, i64::MAX, -5] {
                let waited = wait_after(attempts, id);
                assert!(waited >= wait && waited <= wait * 5 / 4, "{attempts} {id}: {waited}");
                assert_eq!(waited, wait_after(attempts, id), "the same each time");
                assert!(waited <= LONGEST_WAIT);
            }
        }
        assert!(wait_after(u64::MAX, i64::MIN) <= LONGEST_WAIT);
        let waits: std::collections::BTreeSet<_> =
            (1..=20).map(|id| wait_after(3, id).as_secs()).collect();
        assert!(waits.len() > 15, "they come again one by one: {waits:?}");
    }
}
