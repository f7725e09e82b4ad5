//! What is recorded as false, as the guard needs it.

use rusqlite::params;
use serde::Deserialize;

use super::record::LIVE;
use super::{Store, StoreError};

/// A lemma that is recorded as false.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct FalseRecord {
    /// Identity of the project it belongs to; `None` for what holds everywhere.
    pub project: Option<String>,
    pub name: Option<String>,
    pub statement: Option<String>,
    /// By what the statement is recognised, where it is known in which file it stood.
    pub key: Option<String>,
    pub counterexample: Option<String>,
    pub why: Option<String>,
    pub instead: Option<String>,
    /// Whether something checked that it is false.
    pub is_checked: bool,
}

impl Store {
    /// The newest lemmas that are recorded as false, of all projects.
    pub fn false_lemmas(&self, limit: usize) -> Result<Vec<FalseRecord>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = format!(
            "SELECT project, theorem_name AS name, theorem_statement AS statement, key, counterexample,
             why_failed AS why, coalesce(nullif(correct_approach, ''), avoid_pattern) AS instead,
             confidence IS 'disproven' AS is_checked
             FROM findings WHERE finding_type = 'false_lemma' AND status IN {LIVE}
             ORDER BY id DESC LIMIT ?1"
        );
        self.all(&sql, params![limit])
    }
}
