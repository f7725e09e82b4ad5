//! The queue of background work. One process at a time takes from it, under a lock that is not the
//! database's: what is `running` while that lock is free was interrupted.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::rows::most;
use super::{Result, Store, Writer, time_text};
use crate::model::{JobKind, JobState};
use crate::text::{clean, clip, scrub};

const OUTCOME_WIDTH: usize = 500;

/// Attempts that may fail, or be interrupted, before a job is given up.
pub const MOST_ATTEMPTS: u32 = 5;

/// Minutes before a job that failed is tried again; twice as many with each further failure.
pub const FIRST_WAIT: u32 = 2;

/// Minutes for which everything waits where the model is not there.
pub const MODEL_WAIT: u32 = 10;

/// Jobs that can be done: `?1` is now.
const DUE: &str = "state = 'waiting' AND due_at <= ?1";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRecord {
    pub id: i64,
    /// What is to be done; a word that this version may not know.
    pub kind: String,
    pub key: String,
    pub version: Option<String>,
    /// What the last step brought, JSON.
    pub payload: String,
    pub session: Option<String>,
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
    pub outcome: Option<String>,
}

fn kept(words: &str) -> String {
    clip(&clean(&scrub(words)), OUTCOME_WIDTH)
}

fn list(kinds: &[JobKind]) -> String {
    kinds.iter().map(|kind| format!("'{kind}'")).collect::<Vec<_>>().join(", ")
}

impl Store {
    /// Running ones first, then waiting ones by when they are due, then those that ended; and how many there are.
    pub fn jobs(
        &self,
        state: Option<JobState>,
        kind: Option<JobKind>,
        limit: usize,
    ) -> Result<(Vec<JobRecord>, u64)> {
        let (state, kind) = (state.map(JobState::as_str), kind.map(JobKind::as_str));
        let of = "FROM jobs WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR kind = ?2)";
        let total = self.value(&format!("SELECT count(*) {of}"), params![state, kind])?;
        let sql = format!(
            "SELECT * {of} ORDER BY CASE state WHEN 'running' THEN 0 WHEN 'waiting' THEN 1
             WHEN 'dead' THEN 2 ELSE 3 END, CASE state WHEN 'waiting' THEN due_at END,
             finished_at DESC, id LIMIT ?3"
        );
        Ok((self.all(&sql, params![state, kind, most(limit)])?, total))
    }

    pub fn job(&self, id: i64) -> Result<Option<JobRecord>> {
        self.first("SELECT * FROM jobs WHERE id = ?1", params![id])
    }

    pub fn job_counts(&self) -> Result<BTreeMap<String, u64>> {
        let sql = "SELECT state, count(*) FROM jobs GROUP BY state";
        Ok(self.all(sql, params![])?.into_iter().collect())
    }

    pub fn jobs_open_since(&self, kinds: &[JobKind]) -> Result<Option<String>> {
        let sql = format!(
            "SELECT min(created_at) FROM jobs WHERE kind IN ({}) AND state IN ('waiting', 'running')",
            list(kinds)
        );
        Ok(self.first(&sql, params![])?.flatten())
    }

    pub fn jobs_due(&self, kinds: &[JobKind], now: Timestamp) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM jobs WHERE kind IN ({}) AND {DUE}", list(kinds));
        self.value(&sql, params![time_text(now)])
    }
}

impl Writer<'_> {
    /// Puts work into the queue; whether it is new there. With the same key it stands there once as long as it is open.
    /// What was done, or given up, in this version is not put in again; what comes in another one while it is worked
    /// on is done once more after that. It goes with the session or the finding that it is about.
    pub fn enqueue(
        &self,
        kind: JobKind,
        key: &str,
        version: &str,
        session: Option<&str>,
    ) -> Result<bool> {
        // The key of a lesson's job is its finding.
        let finding: Option<i64> = key.parse().ok().filter(|_| kind == JobKind::Lesson);
        let kind = kind.as_str();
        let sql = "SELECT 1 FROM jobs WHERE kind = ?1 AND key = ?2 AND version = ?3";
        if self.first::<i64>(sql, params![kind, key, version])?.is_some() {
            return Ok(false);
        }
        let values = params![kind, key, version, session, finding, self.now];
        // Another version has not failed yet.
        let open = self.execute(
            "UPDATE jobs SET version = ?3, session_id = ?4, finding_id = ?5, attempts = 0,
             due_at = min(due_at, ?6)
             WHERE kind = ?1 AND key = ?2 AND state IN ('waiting', 'running')",
            values,
        )?;
        if open > 0 {
            return Ok(false);
        }
        self.execute(
            "INSERT INTO jobs (kind, key, version, session_id, finding_id, due_at, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
            values,
        )?;
        Ok(true)
    }

    pub fn hurry_jobs(&self) -> Result<()> {
        self.run("UPDATE jobs SET due_at = ?1 WHERE state = 'waiting'", [&self.now])
    }

    /// Makes a job due at once as if it had never been tried; `false` where it is being worked on, is
    /// open under another number, or is not there.
    pub fn retry_job(&self, id: i64) -> Result<bool> {
        let changed = self.connection.execute(
            "UPDATE OR IGNORE jobs SET state = 'waiting', attempts = 0, due_at = ?2,
             finished_at = NULL, created_at = ?2 WHERE id = ?1 AND state <> 'running'",
            params![id, self.now],
        )?;
        Ok(changed > 0)
    }

    /// Gives back what is running, for who holds the lock: those who had it have ended in the middle of
    /// it. A job that ends every process that takes it is given up.
    pub fn recover_jobs(&self) -> Result<()> {
        self.run(
            "UPDATE jobs SET attempts = attempts + 1,
             state = CASE WHEN attempts + 1 >= ?1 THEN 'dead' ELSE 'waiting' END,
             finished_at = CASE WHEN attempts + 1 >= ?1 THEN ?2 END,
             outcome = 'the process that did it ended in the middle of it'
             WHERE state = 'running'",
            params![MOST_ATTEMPTS, self.now],
        )
    }

    pub fn claim_job(&self, kinds: &[JobKind]) -> Result<Option<JobRecord>> {
        let sql = format!(
            "UPDATE jobs SET state = 'running', started_at = ?1 WHERE id = (SELECT id FROM jobs
             WHERE kind IN ({}) AND {DUE} ORDER BY due_at, id LIMIT 1) RETURNING *",
            list(kinds)
        );
        self.first(&sql, params![self.now])
    }

    pub fn save_step(&self, id: i64, step: Option<&str>, payload: &str) -> Result<()> {
        let sql = "UPDATE jobs SET step = ?2, payload = ?3 WHERE id = ?1";
        self.run(sql, params![id, step, payload])
    }

    pub fn complete_job(&self, job: &JobRecord, outcome: &str) -> Result<()> {
        self.run(
            "UPDATE jobs SET state = CASE WHEN version IS ?4 THEN 'done' ELSE 'waiting' END,
             attempts = CASE WHEN version IS ?4 THEN attempts ELSE 0 END,
             finished_at = ?3, due_at = ?3, outcome = ?2
             WHERE id = ?1 AND state = 'running'",
            params![job.id, kept(outcome), self.now, job.version],
        )
    }

    /// Notes that an attempt failed; whether it was the last. It is tried again after a while, unless it
    /// failed too often or `may_pass` says that trying is of no use, or else it came in another version.
    pub fn fail_job(&self, job: &JobRecord, reason: &str, may_pass: bool) -> Result<bool> {
        let wait = FIRST_WAIT << job.attempts.min(u64::from(MOST_ATTEMPTS));
        let sql = "UPDATE jobs SET attempts = attempts + 1, finished_at = ?3, outcome = ?2,
             due_at = datetime(?3, ?4), state = CASE WHEN version IS ?5 AND
                (NOT ?6 OR attempts + 1 >= ?7) THEN 'dead' ELSE 'waiting' END
             WHERE id = ?1 AND state = 'running' RETURNING state = 'dead'";
        let values = params![
            job.id,
            kept(reason),
            self.now,
            format!("+{wait} minutes"),
            job.version,
            may_pass,
            MOST_ATTEMPTS
        ];
        Ok(self.first(sql, values)?.unwrap_or(false))
    }

    /// Gives a job back as it was: whoever had it was told to stop, or something is missing that is not
    /// the job's fault.
    pub fn release_job(&self, id: i64) -> Result<()> {
        let sql = "UPDATE jobs SET state = 'waiting', due_at = ?2
             WHERE id = ?1 AND state = 'running'";
        self.run(sql, params![id, self.now])
    }

    /// The model is not there, and that is no job's fault: all that wait do so for some minutes more.
    pub fn hold_jobs(&self, reason: &str) -> Result<()> {
        let sql = "UPDATE jobs SET outcome = ?2, due_at = max(due_at, datetime(?1, ?3))
             WHERE state = 'waiting'";
        let wait = format!("+{MODEL_WAIT} minutes");
        self.run(sql, params![self.now, kept(reason), wait])
    }
}
