//! Runs that came to an end, which of them nobody has learnt from yet, and what they are made of.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};

use super::forget::ForgottenKey;
use super::rows::text;
use super::{Store, StoreError, Writer, rows};
use crate::model::{Draft, Put, Run, RunDraft, RunSource, Spared, StrategyDraft};

/// Answers about a run that were of no use, after which nobody is asked about it any more.
pub const MOST_FAILURES: u32 = 3;

/// How runs are marked that only the rules have looked at.
pub const BY_RULES: &str = "rules";

/// Which runs are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DueFilter {
    /// Only those that ended at or after this time (`YYYY-MM-DD HH:MM:SS` in UTC).
    pub since: String,
    /// At most so many, the oldest first.
    pub limit: usize,
    /// For a model: then runs that only the rules have looked at count too.
    pub for_model: bool,
}

/// A run as it was when it was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchedRun {
    pub id: i64,
    pub workflow_id: String,
    pub hash: String,
}

impl FetchedRun {
    pub fn of(run: &Run) -> Self {
        let (workflow_id, hash) = (run.content.workflow_id.clone(), run.hash.clone());
        Self { id: run.id, workflow_id, hash }
    }
}

/// Runs in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCounts {
    pub total: u64,
    /// Those from which entries were made, or found to hold none.
    pub extracted: u64,
    /// Those about which no model gave a usable answer.
    pub given_up: u64,
}

const COLUMNS: &str = "id, source, workflow_id, task_id, project, session_id, description, outcome,
    evidence, hash, completed_at, failures";

/// Not looked at.
const DUE: &str = "(extracted_at IS NULL OR (?1 AND extracted_by = 'rules'))";

fn read(row: &Row<'_>) -> rusqlite::Result<Run> {
    let word = |column| text(row, column).map(Option::unwrap_or_default);
    Ok(Run {
        id: row.get(0)?,
        content: RunDraft {
            source: word(1)?.parse().unwrap_or(RunSource::Session),
            workflow_id: word(2)?,
            task_id: word(3)?,
            project: text(row, 4)?,
            session: text(row, 5)?,
            description: word(6)?,
            outcome: word(7)?,
            evidence: serde_json::from_str(&word(8)?).unwrap_or_default(),
            completed_at: text(row, 10)?,
        },
        hash: word(9)?,
        failures: row.get::<_, i64>(11)?.try_into().unwrap_or(0),
    })
}

impl Store {
    /// Runs that nobody has learnt from, the oldest first; those last that gave useless answers.
    pub fn due_runs(&self, filter: &DueFilter) -> Result<Vec<Run>, StoreError> {
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let sql = format!(
            "SELECT {COLUMNS} FROM runs WHERE {DUE} AND completed_at >= ?2 AND failures < ?3
             ORDER BY failures, completed_at, id LIMIT ?4"
        );
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let values = params![filter.for_model, filter.since, MOST_FAILURES, limit];
            statement.query_map(values, read)?.collect()
        })
    }

    /// How many runs wait that ended before the filter's time.
    pub fn older_runs(&self, filter: &DueFilter) -> Result<u64, StoreError> {
        let sql = format!(
            "SELECT count(*) FROM runs WHERE {DUE} AND completed_at < ?2 AND failures < ?3"
        );
        self.count(&sql, params![filter.for_model, filter.since, MOST_FAILURES])
    }

    /// The newest runs, whether somebody learnt from them or not, the oldest of them first.
    pub fn runs(&self, limit: usize) -> Result<Vec<Run>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|connection| {
            let sql =
                format!("SELECT {COLUMNS} FROM runs ORDER BY completed_at DESC, id DESC LIMIT ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut runs: Vec<Run> =
                statement.query_map([limit], read)?.collect::<rusqlite::Result<_>>()?;
            runs.reverse();
            Ok(runs)
        })
    }
}

pub(super) fn counts(connection: &Connection) -> rusqlite::Result<RunCounts> {
    let sql = "SELECT count(*) AS total, count(extracted_at) AS extracted,
        count(CASE WHEN extracted_at IS NULL AND failures >= ?1 THEN 1 END) AS given_up FROM runs";
    Ok(rows::first(connection, sql, params![MOST_FAILURES])?.unwrap_or_default())
}

impl Writer<'_> {
    /// Records a run; one that is known with other content waits to be learnt from again. Nothing of a
    /// session that a person had forgotten.
    pub fn put_run(&self, draft: &RunDraft) -> Result<Put, StoreError> {
        if self.is_forgotten(&[ForgottenKey::Session(&draft.workflow_id)])? {
            return Ok(Put::Forgotten);
        }
        let draft = draft.clone().tidied();
        let hash = draft.hash();
        let known: Option<(i64, String)> = self
            .connection
            .prepare_cached("SELECT id, hash FROM runs WHERE source = ?1 AND workflow_id = ?2")?
            .query_row([draft.source.as_str(), &draft.workflow_id], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        if let Some((id, known)) = &known
            && *known == hash
        {
            return Ok(Put::Unchanged(*id));
        }
        self.execute(
            "INSERT INTO runs (source, workflow_id, task_id, project, session_id, description,
                 outcome, evidence, hash, completed_at, recorded_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, coalesce(?10, ?11), ?11)
                 ON CONFLICT (source, workflow_id) DO UPDATE SET task_id = ?3, project = ?4,
                 session_id = ?5, description = ?6, outcome = ?7, evidence = ?8, hash = ?9,
                 completed_at = coalesce(?10, completed_at), extracted_at = NULL,
                 extracted_by = NULL, extraction_id = NULL, failures = 0",
            params![
                draft.source.as_str(),
                draft.workflow_id,
                draft.task_id,
                draft.project,
                draft.session,
                draft.description,
                draft.outcome,
                serde_json::to_string(&draft.evidence).unwrap_or_default(),
                hash,
                draft.completed_at,
                self.now,
            ],
        )?;
        Ok(match known {
            Some((id, _)) => Put::Updated(id),
            None => Put::Inserted(self.connection.last_insert_rowid()),
        })
    }

    /// Marks runs as learnt from, unless their content changed since it was looked at.
    pub fn mark_extracted(
        &self,
        runs: &[FetchedRun],
        by: &str,
        extraction: &str,
    ) -> Result<u64, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "UPDATE runs SET extracted_at = ?3, extracted_by = ?4, extraction_id = ?5
             WHERE id = ?1 AND hash = ?2",
        )?;
        let mut marked = 0;
        for run in runs {
            marked +=
                statement.execute(params![run.id, run.hash, self.now, by, extraction])? as u64;
        }
        Ok(marked)
    }

    /// Notes that an answer about these runs was of no use.
    pub fn count_failure(&self, runs: &[FetchedRun]) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET failures = failures + 1 WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        for run in runs {
            statement.execute([run.id])?;
        }
        Ok(())
    }
}

/// Most rows that belong to one run.
const MOST_ROWS: i64 = 200;

impl Writer<'_> {
    /// What is known of a result: the uuid of the prover's project, else its file.
    pub fn result_rows(
        &self,
        workflow: &str,
    ) -> Result<(Vec<Draft>, Vec<StrategyDraft>), StoreError> {
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

    /// Identities of lessons that a person dropped: nothing is to be made of them.
    pub fn dropped_lessons(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT uid FROM findings WHERE finding_type = 'lesson' AND status = 'dropped'";
        Ok(self.all(sql, params![])?)
    }

    /// Lessons that were shown in a session and helped.
    pub fn lessons_of(&self, session: &str) -> Result<Vec<Spared>, StoreError> {
        let sql = "SELECT f.uid AS lesson, f.title AS text
            FROM lesson_shown s JOIN findings f ON f.id = s.finding_id
            WHERE s.session_id = ?1 AND s.outcome = 'worked'
            AND f.status IN ('claimed', 'confirmed') ORDER BY 1";
        Ok(self.all(sql, params![session])?)
    }
}
