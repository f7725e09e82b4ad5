//! The making of playbook entries, step by step: fetched, asked, saved.

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use super::record::text;
use super::{Store, StoreError, Writer, runs};
use crate::model::Run;

/// A run as it was when it was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchedRun {
    /// Row number.
    pub id: i64,
    /// Hash of its content.
    pub hash: String,
}

/// An extraction that is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenExtraction {
    /// Its id, the `extraction_workflow_id` of what comes of it.
    pub id: String,
    /// The model that is asked, or was.
    pub model: String,
    /// Its runs, in the order of the prompt.
    pub runs: Vec<FetchedRun>,
    /// Hash of the prompt.
    pub prompt_hash: String,
    /// The model's reply, where it has come.
    pub reply: Option<String>,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the reply.
    pub reply_tokens: u64,
}

/// Extractions in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtractionCounts {
    /// Begun and not over.
    pub open: u64,
    /// Why the last one that is open or failed did not get on.
    pub failure: Option<String>,
}

fn read(row: &Row<'_>) -> rusqlite::Result<OpenExtraction> {
    let word = |column| text(row, column).map(Option::unwrap_or_default);
    Ok(OpenExtraction {
        id: word(0)?,
        model: word(1)?,
        runs: serde_json::from_str(&word(2)?).unwrap_or_default(),
        prompt_hash: word(3)?,
        reply: text(row, 4)?,
        prompt_tokens: row.get::<_, i64>(5)?.unsigned_abs(),
        reply_tokens: row.get::<_, i64>(6)?.unsigned_abs(),
    })
}

impl Store {
    /// Extractions that were begun and are not over, the oldest first.
    pub fn open_extractions(&self) -> Result<Vec<OpenExtraction>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, model, runs, prompt_hash, reply, prompt_tokens, reply_tokens
                 FROM extractions WHERE state IN ('fetched', 'asked') ORDER BY fetched_at, id",
            )?;
            statement.query_map([], read)?.collect()
        })
    }
}

pub(super) fn counts(connection: &rusqlite::Connection) -> rusqlite::Result<ExtractionCounts> {
    let open: i64 = connection
        .prepare_cached("SELECT count(*) FROM extractions WHERE state IN ('fetched', 'asked')")?
        .query_row([], |row| row.get(0))?;
    let mut last = connection.prepare_cached(
        "SELECT failure FROM extractions WHERE state <> 'saved' AND failure IS NOT NULL
         ORDER BY fetched_at DESC LIMIT 1",
    )?;
    let mut rows = last.query([])?;
    let failure = rows.next()?.map(|row| text(row, 0)).transpose()?.flatten();
    Ok(ExtractionCounts { open: open.unsigned_abs(), failure })
}

impl Writer<'_> {
    /// Runs that wait, chosen within the transaction in which they will be taken.
    pub fn due_runs(&self, filter: &runs::DueFilter) -> Result<Vec<Run>, StoreError> {
        Ok(runs::due(self.connection, filter)?)
    }

    /// How many runs wait that ended before the filter's time.
    pub fn older_runs(&self, filter: &runs::DueFilter) -> Result<u64, StoreError> {
        Ok(runs::older(self.connection, filter)?)
    }

    /// First step: takes runs in hand. Nobody else gets them until this is over.
    pub fn begin_extraction(&self, extraction: &OpenExtraction) -> Result<(), StoreError> {
        self.connection.execute(
            "INSERT INTO extractions (id, state, model, runs, prompt_hash, fetched_at)
             VALUES (?1, 'fetched', ?2, ?3, ?4, ?5)",
            params![
                extraction.id,
                extraction.model,
                serde_json::to_string(&extraction.runs).unwrap_or_default(),
                extraction.prompt_hash,
                self.now
            ],
        )?;
        Ok(())
    }

    /// Second step: keeps the reply. `false` where somebody else did, or the extraction is gone.
    pub fn keep_reply(&self, extraction: &OpenExtraction) -> Result<bool, StoreError> {
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let kept = self.connection.execute(
            "UPDATE extractions SET state = 'asked', model = ?2, prompt_hash = ?3, reply = ?4,
             prompt_tokens = ?5, reply_tokens = ?6, asked_at = ?7, failure = NULL
             WHERE id = ?1 AND state = 'fetched'",
            params![
                extraction.id,
                extraction.model,
                extraction.prompt_hash,
                extraction.reply,
                count(extraction.prompt_tokens),
                count(extraction.reply_tokens),
                self.now
            ],
        )?;
        Ok(kept > 0)
    }

    /// Third step, together with storing the entries: marks the runs and drops the reply. `false` where
    /// somebody else did; then nothing may be stored.
    pub fn finish_extraction(
        &self,
        extraction: &OpenExtraction,
        entries: usize,
    ) -> Result<bool, StoreError> {
        let finished = self.connection.execute(
            "UPDATE extractions SET state = 'saved', reply = NULL, entries = ?2, saved_at = ?3
             WHERE id = ?1 AND state = 'asked'",
            params![extraction.id, i64::try_from(entries).unwrap_or(i64::MAX), self.now],
        )?;
        if finished > 0 {
            self.mark_extracted(&extraction.runs, &extraction.model, &extraction.id)?;
        }
        Ok(finished > 0)
    }

    /// Notes why an extraction does not get on; it stays, and its runs with it.
    pub fn note_failure(&self, id: &str, reason: &str) -> Result<(), StoreError> {
        self.connection.execute(
            "UPDATE extractions SET failure = ?2 WHERE id = ?1 AND state = 'fetched'",
            [id, reason],
        )?;
        Ok(())
    }

    /// Ends an extraction whose answer was of no use: its runs are free again, with one more failure.
    pub fn fail_extraction(
        &self,
        extraction: &OpenExtraction,
        reason: &str,
    ) -> Result<(), StoreError> {
        let failed = self.connection.execute(
            "UPDATE extractions SET state = 'failed', reply = NULL, failure = ?2
             WHERE id = ?1 AND state IN ('fetched', 'asked')",
            [extraction.id.as_str(), reason],
        )?;
        if failed > 0 {
            for run in &extraction.runs {
                self.connection
                    .prepare_cached("UPDATE runs SET failures = failures + 1 WHERE id = ?1")?
                    .execute([run.id])?;
            }
        }
        Ok(())
    }

    /// Lets go of the runs of an extraction, as if it had never begun.
    pub fn drop_extraction(&self, id: &str) -> Result<(), StoreError> {
        self.connection
            .execute("DELETE FROM extractions WHERE id = ?1 AND state <> 'saved'", [id])?;
        Ok(())
    }
}
