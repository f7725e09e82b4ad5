//! Playbook entries, by tag and by the task that they come from.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::projects::is_here;
use super::{Store, StoreError};

/// A playbook entry as it stands in the database.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPlaybook {
    pub id: i64,
    pub title: String,
    /// What to do, in a few sentences.
    pub content: String,
    pub tags: Vec<String>,
    pub source_task_id: String,
    /// Session id or uuid of the submission that it comes from.
    pub source_workflow_id: String,
    pub extraction_workflow_id: Option<String>,
    pub project: Option<String>,
    pub confidence: String,
    /// What stands behind it: `observed` where results show it, `claimed` where a model says it.
    pub evidence: String,
    /// What is known about where it comes from.
    pub notes: Option<String>,
    /// When it was first known, `YYYY-MM-DD HH:MM:SS` in UTC.
    pub created_at: Option<String>,
}

/// Which entries are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaybookFilter {
    /// With any of these tags; all where there is none.
    pub tags: Vec<String>,
    pub task: Option<String>,
    pub limit: usize,
}

const COLUMNS: &str = "p.id, p.title, p.content, p.tags_json AS tags, p.source_task_id,
    p.source_workflow_id, p.extraction_workflow_id, f.project, f.confidence, f.evidence, f.notes,
    p.created_at";

/// How many of the tags in the JSON list `?1` an entry has.
const FITTING: &str = "(SELECT count(DISTINCT own.value) FROM json_each(p.tags_json) own
    WHERE own.value IN (SELECT value FROM json_each(?1)))";

const FROM: &str = "FROM playbooks p JOIN findings f ON f.id = p.id
    WHERE f.status IN ('claimed', 'confirmed') AND (?2 IS NULL OR p.source_task_id = ?2)";

impl Store {
    /// Entries that fit, and how many there are: with most of the tags first, then this project's, then
    /// what results show, then the newest.
    pub fn playbooks(
        &self,
        filter: &PlaybookFilter,
        project: Option<&str>,
    ) -> Result<(Vec<StoredPlaybook>, u64), StoreError> {
        let tags = serde_json::to_string(&filter.tags).unwrap_or_default();
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let chosen = format!("{FROM} AND (json_array_length(?1) = 0 OR {FITTING} > 0)");
        let total = self.count(&format!("SELECT count(*) {chosen}"), params![tags, filter.task])?;
        let sql = format!(
            "SELECT {COLUMNS} {chosen} ORDER BY {FITTING} DESC, {} DESC,
             f.evidence = 'claimed', p.created_at DESC, p.id DESC LIMIT ?4",
            is_here("f.project", "?3")
        );
        Ok((self.all(&sql, params![tags, filter.task, project, limit])?, total))
    }

    /// The entry with this row number; `None` for another finding, and for one that was replaced.
    pub fn playbook(&self, id: i64) -> Result<Option<StoredPlaybook>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM playbooks p JOIN findings f ON f.id = p.id
             WHERE f.status IN ('claimed', 'confirmed') AND p.id = ?1"
        );
        self.first(&sql, params![id])
    }
}
