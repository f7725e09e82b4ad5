//! Removing rows that nobody needs any more because they are old.

use rusqlite::params;
use serde::Deserialize;

use super::{Store, StoreError, Writer};

/// Rows of a table that are older than a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Old {
    GuardLog,
    Sightings,
    ReadTexts,
    /// Proposals that expired, with their evidence.
    ExpiredProposals,
    /// Sessions as runs. Runs of submissions and results go with what is known of these.
    SessionRuns,
    FactChanges,
    /// Values that came up and did not stand against a person's word.
    FactRivals,
    DoneJobs,
    DeadJobs,
    Injections,
    InjectionSessions,
    /// Tasks of subagents that never started.
    SubagentTasks,
    /// Folders in which projects were seen that nothing is known of.
    ProjectPlaces,
}

impl Old {
    fn condition(self) -> (&'static str, &'static str) {
        match self {
            Self::GuardLog => ("guard_log", "at < ?1"),
            Self::ReadTexts => ("read_texts", "read_at < ?1"),
            Self::Sightings => ("error_sightings", "last_at < ?1"),
            Self::ExpiredProposals => ("proposals", "status = 'expired' AND extracted_at < ?1"),
            Self::SessionRuns => ("runs", "source = 'session' AND completed_at < ?1"),
            Self::FactChanges => ("fact_changes", "changed_at < ?1"),
            Self::ProjectPlaces => (
                "project_places",
                "last_seen < ?1
                 AND NOT EXISTS (SELECT 1 FROM findings WHERE project IN (place, identity))
                 AND NOT EXISTS (SELECT 1 FROM guard_locks l WHERE l.project = place)
                 AND NOT EXISTS (SELECT 1 FROM project_aliases a
                 WHERE project_places.identity IN (a.alias, a.identity))",
            ),
            Self::FactRivals => ("fact_events", "event = 'rival' AND at < ?1"),
            Self::DoneJobs => ("jobs", "state = 'done' AND finished_at < ?1"),
            Self::DeadJobs => ("jobs", "state = 'dead' AND finished_at < ?1"),
            Self::Injections => ("injections", "at < ?1"),
            Self::InjectionSessions => ("injection_sessions", "at < ?1"),
            Self::SubagentTasks => ("subagent_tasks", "at < ?1"),
        }
    }
}

/// A transcript that was read, as far as its age matters.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ReadTranscript {
    pub path: String,
    /// What the next reading needs to go on, as JSON.
    pub state: String,
    pub closed: bool,
    /// When it was read last, `YYYY-MM-DD HH:MM:SS` in UTC.
    pub read_at: String,
}

impl Store {
    /// How many rows are older than a time (`YYYY-MM-DD HH:MM:SS` in UTC).
    pub fn count_old(&self, what: Old, before: &str) -> Result<u64, StoreError> {
        let (table, condition) = what.condition();
        self.count(&format!("SELECT count(*) FROM {table} WHERE {condition}"), params![before])
    }

    /// Transcripts that were not read since a time, the oldest first.
    pub fn transcripts_before(
        &self,
        before: &str,
        limit: usize,
    ) -> Result<Vec<ReadTranscript>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.all(
            "SELECT path, state, closed, read_at FROM transcripts
             WHERE coalesce(read_at, '') < ?1 ORDER BY read_at LIMIT ?2",
            params![before, limit],
        )
    }
}

impl Writer<'_> {
    /// Removes rows that are older than a time; how many.
    pub fn remove_old(&self, what: Old, before: &str) -> Result<u64, StoreError> {
        let (table, condition) = what.condition();
        if what == Old::ExpiredProposals {
            self.connection.execute(
                &format!(
                    "DELETE FROM proposal_details WHERE proposal_id IN
                     (SELECT id FROM proposals WHERE {condition})"
                ),
                [before],
            )?;
        }
        let sql = format!("DELETE FROM {table} WHERE {condition}");
        Ok(self.connection.execute(&sql, [before])? as u64)
    }

    /// Replaces the state of a transcript; when it was read stays.
    pub fn set_transcript_state(&self, path: &str, state: &str) -> Result<(), StoreError> {
        self.connection
            .execute("UPDATE transcripts SET state = ?2 WHERE path = ?1", [path, state])?;
        Ok(())
    }
}
