//! What is recorded as false, for the guard.

use rusqlite::params;
use serde::Deserialize;

use super::record::LIVE;
use super::{Store, StoreError};

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct FalseRecord {
    /// `None` holds everywhere.
    pub project: Option<String>,
    pub name: Option<String>,
    pub statement: Option<String>,
    /// Known if it stood in a file.
    pub key: Option<String>,
    pub counterexample: Option<String>,
    pub why: Option<String>,
    pub instead: Option<String>,
    /// Something checked that it is false.
    pub is_checked: bool,
}

impl Store {
    /// Newest first, of all projects.
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
