//! Runs that came to an end, which of them nobody has learnt from yet, and what they are made of.

use rusqlite::{ToSql, params};
use serde::{Deserialize, Serialize};

use super::rows::most;
use super::{Result, Store, Writer};
use crate::model::{Draft, Put, Run, Spared, StrategyDraft};

/// Answers about a run that were of no use, after which nobody is asked about it any more.
pub const MOST_FAILURES: u32 = 3;

/// How runs are marked that only the rules have looked at.
pub const BY_RULES: &str = "rules";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DueFilter {
    /// Only those that ended at or after this time.
    pub since: String,
    /// At most this many, the oldest first.
    pub limit: usize,
    /// For a model: then runs that only the rules have looked at count too.
    pub for_model: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchedRun {
    pub id: i64,
    pub workflow_id: String,
    pub hash: String,
}

impl FetchedRun {
    pub fn of(run: &Run) -> Self {
        let (workflow_id, hash) = (run.workflow_id.clone(), run.hash.clone());
        Self { id: run.id, workflow_id, hash }
    }
}

const DUE: &str = "(extracted_at IS NULL OR (?1 AND extracted_by = 'rules'))";

impl Store {
    /// Runs that nobody has learnt from, the oldest first; those last that gave useless answers.
    pub fn due_runs(&self, filter: &DueFilter) -> Result<Vec<Run>> {
        let sql = format!(
            "SELECT * FROM runs WHERE {DUE} AND completed_at >= ?2 AND failures < ?3
             ORDER BY failures, completed_at, id LIMIT ?4"
        );
        let DueFilter { since, for_model, limit } = filter;
        self.all(&sql, params![for_model, since, MOST_FAILURES, most(*limit)])
    }

    pub fn older_runs(&self, filter: &DueFilter) -> Result<u64> {
        let sql = format!(
            "SELECT count(*) FROM runs WHERE {DUE} AND completed_at < ?2 AND failures < ?3"
        );
        self.value(&sql, params![filter.for_model, filter.since, MOST_FAILURES])
    }

    /// The newest runs, whether somebody learnt from them or not, the oldest of them first.
    pub fn runs(&self, limit: usize) -> Result<Vec<Run>> {
        let sql = "SELECT * FROM (SELECT * FROM runs ORDER BY completed_at DESC, id DESC LIMIT ?1)
            ORDER BY completed_at, id";
        self.all(sql, params![most(limit)])
    }

    pub fn dropped_lessons(&self) -> Result<Vec<String>> {
        self.all(
            "SELECT uid FROM findings WHERE finding_type = 'lesson' AND status = 'dropped'",
            params![],
        )
    }
}

impl Writer<'_> {
    /// Records a run; one that is known with other content waits to be learnt from again. Nothing of a
    /// session that a person had forgotten.
    pub fn put_run(&self, run: &Run) -> Result<Put> {
        if self.forgets(Some(&run.workflow_id))? {
            return Ok(Put::Forgotten);
        }
        let run = run.clone().tidied();
        let (source, hash) = (run.source.as_str(), run.content_hash());
        let sql = "SELECT id, hash, completed_at FROM runs WHERE source = ?1 AND workflow_id = ?2";
        let known: Option<(i64, String, String)> =
            self.first(sql, params![source, run.workflow_id])?;
        if let Some((id, ..)) = known.as_ref().filter(|(_, known, _)| *known == hash) {
            return Ok(Put::Unchanged(*id));
        }
        let (id, ended) = known.map(|(id, _, ended)| (id, ended)).unzip();
        let ended = run.completed_at.clone().or(ended).unwrap_or_else(|| self.now.clone());
        let more: [(&str, &dyn ToSql); 4] =
            [("id", &id), ("hash", &hash), ("completed_at", &ended), ("recorded_at", &self.now)];
        self.put_row("INSERT OR REPLACE INTO runs", &run, &more, "")?;
        Ok(match id {
            Some(id) => Put::Updated(id),
            None => Put::Inserted(self.connection.last_insert_rowid()),
        })
    }

    /// Marks runs as learnt from, unless their content changed since it was looked at.
    pub fn mark_extracted(&self, runs: &[FetchedRun], by: &str, extraction: &str) -> Result<()> {
        let sql = "UPDATE runs SET extracted_at = ?3, extracted_by = ?4, extraction_id = ?5
            WHERE id = ?1 AND hash = ?2";
        runs.iter()
            .try_for_each(|run| self.run(sql, params![run.id, run.hash, self.now, by, extraction]))
    }

    pub fn count_failure(&self, runs: &[FetchedRun]) -> Result<()> {
        let sql = "UPDATE runs SET failures = failures + 1 WHERE id = ?1";
        runs.iter().try_for_each(|run| self.run(sql, [run.id]))
    }

    /// What is known of a result: the uuid of the prover's project, else its file.
    pub fn result_rows(&self, workflow: &str) -> Result<(Vec<Draft>, Vec<StrategyDraft>)> {
        let strategies = self.all(
            "SELECT s.problem_id AS problem, coalesce(s.problem_name, '') AS problem_name,
             s.domain_id AS domain, s.approach_name AS approach, a.description, a.outcome, a.slot,
             a.submission, a.learned, a.attempt AS source_file, a.attempted_at
             FROM strategy_attempts a JOIN strategies s ON s.id = a.strategy_id
             WHERE (a.submission = ?1 OR a.attempt = ?1)
             AND a.attempt <> coalesce(a.submission, '')
             ORDER BY s.problem_id, s.approach_name, a.attempt LIMIT ?2",
            params![workflow, MOST_ROWS],
        )?;
        Ok((self.said_by(workflow)?, strategies))
    }

    pub fn lessons_of(&self, session: &str) -> Result<Vec<Spared>> {
        let sql = "SELECT f.uid AS lesson, f.title AS text
            FROM findings f WHERE f.id IN (SELECT finding_id FROM injections
                WHERE session_id = ?1 AND rule = 'error' AND outcome = 'spared')
            AND f.status IN ('claimed', 'confirmed') ORDER BY 1";
        self.all(sql, params![session])
    }
}

const MOST_ROWS: i64 = 200;
