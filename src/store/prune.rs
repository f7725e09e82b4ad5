//! Removing rows that nobody needs any more because they are old.

use super::{Result, Writer};

/// Rows that become old: what they are, after how many days they go, their table, and which of them (`?1` is
/// the day). Runs of submissions and results are not among them: they go with what is known of these.
const OLD: [(&str, i64, &str, &str); 9] = [
    ("rows of the guard's log", 365, "guard_log", "at < ?1"),
    ("errors of sessions", 90, "error_sightings", "last_at < ?1"),
    ("records of texts that were read", 365, "read_texts", "read_at < ?1"),
    (
        "expired proposals",
        365,
        "findings",
        "status = 'dropped' AND json_extract(detail, '$.decision.by') = 'expiry'
         AND json_extract(detail, '$.said') IS NOT NULL
         AND json_extract(detail, '$.said.extracted_at') < ?1",
    ),
    ("runs of old sessions", 365, "runs", "source = 'session' AND completed_at < ?1"),
    ("other values of facts", 365, "fact_log", "event <> 'confirmed' AND at < ?1"),
    ("jobs that ended", 90, "jobs", "state IN ('done', 'dead') AND finished_at < ?1"),
    ("rows of the ledger", 365, "injections", "at < ?1"),
    ("tasks of subagents that never started", 1, "subagent_tasks", "at < ?1"),
];

impl Writer<'_> {
    /// Removes rows that became old, given the time that is so many days ago (`YYYY-MM-DD HH:MM:SS` in
    /// UTC); what they were, and how many.
    pub fn remove_old(&self, before: impl Fn(i64) -> String) -> Result<Vec<(&'static str, u64)>> {
        let remove = |(what, days, table, condition): (&'static str, i64, &str, &str)| {
            let sql = format!("DELETE FROM {table} WHERE {condition}");
            Ok((what, self.execute(&sql, [before(days)])? as u64))
        };
        OLD.into_iter().map(remove).collect()
    }
}
