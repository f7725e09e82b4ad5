//! What the guard said, what a person lifted, and which statements are locked.

use rusqlite::{ToSql, params};
use serde::Deserialize;

use super::projects::{names, places};
use super::rows::all_or;
use super::{Result, Store, Writer};
use crate::model::{GuardEntry, LiftRecord, LockRecord};

const ENTRY: &str = "SELECT at, session_id, tool_use_id, agent_id, event, tool, project,
     nullif(file, '') AS file, rule, level, declaration, line, detail, lift_id FROM guard_log";

#[derive(Debug, Clone, Default)]
pub struct LogFilter {
    pub project: Option<String>,
    pub session: Option<String>,
    pub declaration: Option<String>,
    pub rule: Option<String>,
    /// Not before this time.
    pub since: Option<String>,
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ProblemTarget {
    pub id: String,
    pub statement: Option<String>,
    pub in_flight: bool,
}

impl Store {
    pub fn guard_log(&self, filter: &LogFilter) -> Result<Vec<GuardEntry>> {
        let sql = format!(
            "{ENTRY} WHERE (?1 IS NULL OR project IN {})
             AND (?2 IS NULL OR session_id = ?2) AND (?3 IS NULL OR declaration = ?3)
             AND (?4 IS NULL OR rule = ?4) AND (?5 IS NULL OR at >= ?5)
             ORDER BY id DESC LIMIT ?6",
            names("?1")
        );
        let LogFilter { project, session, declaration: name, rule, since, .. } = filter;
        self.all(&sql, params![project, session, name, rule, since, all_or(filter.limit)])
    }

    /// What was said in a session, or, where it has no id, about this use of a tool; the oldest first.
    pub fn guard_said(&self, session: &str, tool_use: &str) -> Result<Vec<GuardEntry>> {
        let sql =
            format!("{ENTRY} WHERE session_id = ?1 AND (?1 <> '' OR tool_use_id = ?2) ORDER BY id");
        self.all(&sql, params![session, tool_use])
    }

    /// Lifts that are not spent, taken back or over at `now` (`YYYY-MM-DD HH:MM:SS` in UTC), of a
    /// project's place and of none, the oldest first. A place, not an identity: no clone gets the lifts
    /// of another by calling itself the same.
    /// Those that this use of a tool used up are among them: it may be told twice.
    pub fn lifts_for_edit(
        &self,
        project: Option<&str>,
        now: &str,
        tool_use: &str,
    ) -> Result<Vec<LiftRecord>> {
        let sql = format!(
            "SELECT * FROM guard_lifts WHERE revoked_at IS NULL
             AND (spent_at IS NULL OR (?3 <> '' AND spent_by = ?3))
             AND (project IS NULL OR project IN {})
             AND (expires_at IS NULL OR expires_at > ?2) ORDER BY id",
            places("?1")
        );
        self.all(&sql, params![project, now, tool_use])
    }

    /// Every lift there ever was, of a project and of none or of all, the newest first.
    pub fn lifts(&self, project: Option<&str>) -> Result<Vec<LiftRecord>> {
        let sql = format!(
            "SELECT * FROM guard_lifts
             WHERE ?1 IS NULL OR project IS NULL OR project IN {} ORDER BY id DESC",
            places("?1")
        );
        self.all(&sql, params![project])
    }

    /// The problems whose statements must stay where they are found: those that have one, and those
    /// that the prover works on.
    pub fn problem_targets(&self) -> Result<Vec<ProblemTarget>> {
        self.all(
            "SELECT id, statement, status IS 'in_flight' AS in_flight FROM problems
             WHERE statement <> '' OR status = 'in_flight' ORDER BY id",
            params![],
        )
    }

    /// The locks of a place by declaration, and those of all places of the same identity: a lock that
    /// holds somewhere holds in every clone.
    pub fn locks(&self, place: &str, identity: &str) -> Result<Vec<LockRecord>> {
        let names = names("?2");
        let sql = format!(
            "SELECT * FROM guard_locks WHERE (project IN {} OR project IN {names} OR project IN
             (SELECT place FROM project_places WHERE identity IN {names}))
             AND removed_at IS NULL ORDER BY declaration, project",
            places("?1")
        );
        self.all(&sql, params![place, identity])
    }
}

impl Writer<'_> {
    /// Writes to the log; what is there already (the same call of the client, told twice) stays.
    pub fn log_guard(&self, entries: &[GuardEntry]) -> Result<()> {
        for entry in entries {
            self.put_row("INSERT OR IGNORE INTO guard_log", entry, &[("at", &self.now)], "")?;
        }
        Ok(())
    }

    /// Stores a lift and returns its number. The same command of the client is one lift.
    pub fn grant(&self, lift: &LiftRecord) -> Result<i64> {
        if let Some(tool_use) = &lift.tool_use {
            let sql = "SELECT id FROM guard_lifts WHERE tool_use_id = ?1";
            if let Some(id) = self.first(sql, params![tool_use])? {
                return Ok(id);
            }
        }
        let more: [(&str, &dyn ToSql); 2] = [("id", &None::<i64>), ("granted_at", &self.now)];
        self.put_row("INSERT INTO guard_lifts", lift, &more, "")?;
        Ok(self.connection.last_insert_rowid())
    }

    pub fn spend(&self, lift: i64, tool_use: &str) -> Result<bool> {
        let sql = "UPDATE guard_lifts SET spent_at = ?2, spent_by = ?3
             WHERE id = ?1 AND once = 1 AND spent_at IS NULL";
        Ok(self.execute(sql, params![lift, self.now, tool_use])? > 0)
    }

    pub fn revoke(&self, lift: i64) -> Result<bool> {
        let sql = "UPDATE guard_lifts SET revoked_at = ?2
             WHERE id = ?1 AND revoked_at IS NULL AND spent_at IS NULL";
        Ok(self.execute(sql, params![lift, self.now])? > 0)
    }

    /// Locks a statement; a lock that a person took is not replaced by one that was found.
    pub fn lock(&self, lock: &LockRecord) -> Result<()> {
        let again =
            "ON CONFLICT (project, declaration) DO UPDATE SET statement = excluded.statement,
            file = excluded.file, origin = excluded.origin, locked_at = excluded.locked_at,
            removed_at = NULL, rests_on = excluded.rests_on WHERE excluded.origin = 'person'";
        self.put_row("INSERT INTO guard_locks", lock, &[("locked_at", &self.now)], again)
    }

    pub fn unlock(&self, place: &str, declaration: &str) -> Result<bool> {
        let sql = format!(
            "UPDATE guard_locks SET removed_at = ?3
             WHERE project IN {} AND declaration = ?2 AND removed_at IS NULL",
            places("?1")
        );
        Ok(self.execute(&sql, params![place, declaration, self.now])? > 0)
    }
}
