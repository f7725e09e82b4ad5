//! Facts that wait for a person's word.

use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;

use super::fact_events::FactOrigin;
use super::facts::StoredFact;
use super::findings::load;
use super::forgotten::ForgottenKey;
use super::record::{number, real, text};
use super::{Store, StoreError, Writer};
use crate::model::{Draft, ProposalRecord};
use crate::text::hash;

/// The fact that a proposal would become.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FactProposal {
    /// What it is about.
    pub category: String,
    /// Its dotted key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// `global` or `project`.
    pub scope: String,
    /// `user_said`, `inferred` or `tool_output`.
    pub source_type: String,
    /// How sure the model was, 0.0 to 1.0.
    pub confidence: Option<f64>,
    /// How long it holds; `None` for always.
    pub hours: Option<u32>,
}

impl Store {
    /// The fact that a proposal would become; `None` for a proposal of another type.
    pub fn fact_proposal(&self, id: &str) -> Result<Option<FactProposal>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT category, key, value, scope, source_type, confidence, hours
                     FROM fact_proposals WHERE proposal_id = ?1",
                )?
                .query_row([id], |row| {
                    let word = |column| text(row, column).map(Option::unwrap_or_default);
                    Ok(FactProposal {
                        category: word(0)?,
                        key: word(1)?,
                        value: word(2)?,
                        scope: word(3)?,
                        source_type: word(4)?,
                        confidence: real(row, 5)?,
                        hours: number(row, 6)?.and_then(|hours| u32::try_from(hours).ok()),
                    })
                })
                .optional()
        })
    }
}

impl Writer<'_> {
    /// What became of a proposal; `None` where there is none with this id.
    pub fn proposal_status(&self, id: &str) -> Result<Option<String>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT status FROM proposals WHERE id = ?1")?;
        let status = statement.query_row([id], |row| text(row, 0)).optional()?;
        Ok(status.map(Option::unwrap_or_default))
    }

    /// Stores a proposal of a fact, unless its id is known, whatever became of that, or a person had its
    /// words forgotten; `true` if it is stored. Unlike [`Writer::propose`] it does not go by the words
    /// alone: in another project the same words are another fact.
    pub fn propose_fact(
        &self,
        record: &ProposalRecord,
        fact: &FactProposal,
    ) -> Result<bool, StoreError> {
        let key = ProposalRecord::key(&record.content);
        if self.proposal_status(&record.id)?.is_some()
            || self.is_forgotten(&[ForgottenKey::Proposal(&key)])?
        {
            return Ok(false);
        }
        self.insert_proposal(record)?;
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO fact_proposals (proposal_id, category, key, value, scope,
                 source_type, confidence, hours) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                record.id,
                fact.category,
                fact.key,
                fact.value,
                fact.scope,
                fact.source_type,
                fact.confidence,
                fact.hours,
            ])?;
        Ok(true)
    }

    /// Stores the fact that a person accepted, and keeps what it replaces with the proposal. Returns its
    /// row.
    pub fn accept_fact(&self, proposal: &str, draft: &Draft) -> Result<i64, StoreError> {
        let replaced = match self.fact_row(draft)? {
            Some(row) => load(self.connection, row)?,
            None => None,
        };
        let replaced = replaced.and_then(|old| serde_json::to_string(&old.content).ok());
        self.connection
            .prepare_cached("UPDATE fact_proposals SET replaced = ?2 WHERE proposal_id = ?1")?
            .execute(params![proposal, replaced])?;
        let id = self.put_fact(draft)?.id();
        if let Some(crate::model::Detail::Fact(fact)) = &draft.detail {
            self.note_fact(id, "confirmed", &fact.value, FactOrigin::default())?;
        }
        Ok(id)
    }

    /// Takes back what [`Writer::accept_fact`] stored at this time: what it had replaced stands again.
    /// `None` where it had replaced nothing; else whether that stands, as it does not where the fact was
    /// changed since.
    pub fn take_back_fact(
        &self,
        proposal: &str,
        id: i64,
        stored_at: &str,
    ) -> Result<Option<bool>, StoreError> {
        let replaced = self
            .connection
            .prepare_cached("SELECT replaced FROM fact_proposals WHERE proposal_id = ?1")?
            .query_row([proposal], |row| text(row, 0))
            .optional()?
            .flatten();
        let Some(old) = replaced.and_then(|json| serde_json::from_str::<Draft>(&json).ok()) else {
            return Ok(None);
        };
        if !self.is_unchanged(id, stored_at)? {
            return Ok(Some(false));
        }
        let before = self.last_change(Some(id))?;
        self.update(id, &old, &old.fingerprint(), None)?;
        self.date_change(Some(id), before)?;
        self.connection.execute(
            "DELETE FROM fact_events WHERE finding_id = ?1 AND event = 'confirmed' AND at = ?2",
            params![id, stored_at],
        )?;
        Ok(Some(true))
    }
}

impl StoredFact {
    /// The id of the proposal of a fact with this print.
    pub fn proposal_id(print: &str) -> String {
        hash(format!("fact\n{print}"), 6)
    }
}
