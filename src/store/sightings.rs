//! Errors as sessions met them: what stagnates, and what a lesson spared.

use rusqlite::params;
use serde::Deserialize;

use super::findings::LIVE;
use super::{Store, StoreError, Writer};

/// Errors of one session that are looked at, the latest first.
const MOST: i64 = 200;

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Sighting {
    pub signature: String,
    /// The file it was in, as it is stored; empty for what is about no file.
    pub target: String,
    pub times: u64,
    pub builds: u64,
    /// Whether a later build of its file was without it; what came before then counts no more.
    pub resolved: bool,
    /// When it was seen last, `YYYY-MM-DD HH:MM:SS` in UTC.
    pub last_at: String,
}

/// A lesson that a session was shown and of which it is not known yet whether it helped.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Shown {
    pub lesson: i64,
    pub signature: String,
    pub at: String,
    pub is_open: bool,
}

impl Store {
    pub fn sightings(&self, session: &str) -> Result<Vec<Sighting>, StoreError> {
        self.all(
            "SELECT signature, target, times, builds, resolved_at IS NOT NULL AS resolved, last_at
             FROM error_sightings WHERE session_id = ?1 ORDER BY last_at DESC LIMIT ?2",
            params![session, MOST],
        )
    }

    pub fn lessons_shown(&self, session: &str) -> Result<Vec<Shown>, StoreError> {
        // The key begins with the lesson; a session is shown few, and this table stays small.
        self.all(
            "SELECT finding_id AS lesson, signature, shown_at AS at, outcome IS NULL AS is_open
             FROM lesson_shown WHERE session_id = ?1",
            params![session],
        )
    }

    /// Titles of what was tried and failed for a theorem or a file (its stable path), of all projects
    /// that know it under this name, the newest first.
    pub fn tried(
        &self,
        theorem: Option<&str>,
        file: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = format!(
            "SELECT title FROM (
                     SELECT title, updated_at AS at FROM findings
                     WHERE finding_type = 'failure' AND status IN {LIVE}
                     AND (theorem_name = ?1 OR (source_file = ?2 AND ?2 <> ''))
                   UNION
                     SELECT s.approach_name, a.attempted_at FROM strategy_attempts a
                     JOIN strategies s ON s.id = a.strategy_id
                     WHERE a.attempt = ?2 AND ?2 <> '' AND s.outcome = 'failed'
                 ) ORDER BY at DESC, title LIMIT ?3"
        );
        self.all(&sql, params![theorem, file, limit])
    }
}

impl Writer<'_> {
    /// Counts an error that a session met; `in_build` if a check of Lean code showed it.
    pub fn saw_error(
        &self,
        session: &str,
        signature: &str,
        target: &str,
        in_build: bool,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO error_sightings (session_id, signature, target, times, builds, first_at,
                 last_at) VALUES (?1, ?2, ?3, 1, ?4, ?5, ?5) ON CONFLICT DO UPDATE SET
                 times = times + 1, builds = excluded.builds + iif(resolved_at IS NULL, builds, 0),
                 last_at = excluded.last_at, resolved_at = NULL",
            params![session, signature, target, in_build, self.now],
        )?;
        Ok(())
    }

    /// Notes that a build was without an error that an earlier one had.
    pub fn error_resolved(
        &self,
        session: &str,
        signature: &str,
        target: &str,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE error_sightings SET resolved_at = ?4
                 WHERE session_id = ?1 AND signature = ?2 AND target = ?3 AND resolved_at IS NULL",
            [session, signature, target, &self.now],
        )?;
        Ok(())
    }

    /// Decides at the end of a session about lessons on missing programs and libraries, which no build
    /// shows to be gone: what was not missed again was spared.
    pub fn settle_session(&self, session: &str) -> Result<(), StoreError> {
        let open: Vec<i64> = self
            .connection
            .prepare_cached(
                "SELECT s.finding_id FROM lesson_shown s JOIN error_sightings e
                 ON e.session_id = s.session_id AND e.signature = s.signature
                 WHERE s.session_id = ?1 AND s.outcome IS NULL AND s.signature GLOB 'missing-[cl]*'
                 GROUP BY s.finding_id HAVING max(e.last_at) <= max(s.shown_at)",
            )?
            .query_map([session], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        open.into_iter().try_for_each(|lesson| self.lesson_turned_out(lesson, session, true))
    }
}
