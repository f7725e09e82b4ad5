//! Facts by their keys: what is known, what it was before, what came up against a person's word, and what
//! waits for one.

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::findings::{load, uid_of};
use super::forget::{ForgottenKey, remember};
use super::{Store, StoreError, Writer, projects, rows};
use crate::model::{Detail, Draft, ProposalRecord, Put};
use crate::text::hash;

/// A fact as it stands in the database; the names are those of the view `facts`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredFact {
    pub id: i64,
    /// What it is about: `person`, `project`, ...
    pub category: String,
    pub key: String,
    pub value: String,
    /// `global` or `project`.
    pub scope: String,
    /// `long-term` or `working`.
    pub tier: String,
    /// `user_said`, `inferred` or `tool_output`.
    pub source_type: String,
    /// How sure the model was, 0.0 to 1.0.
    pub confidence: Option<f64>,
    pub confirmed: bool,
    /// Identity of the project that it holds in; `None` for everywhere.
    pub project: Option<String>,
    pub source: Option<String>,
    pub session_id: Option<String>,
    /// When it was first known, `YYYY-MM-DD HH:MM:SS` in UTC, as all times here.
    pub created_at: String,
    pub updated_at: String,
    pub last_verified: Option<String>,
    pub expires_at: Option<String>,
    pub expired: bool,
}

/// Which facts are wanted.
#[derive(Debug, Clone, Default)]
pub struct FactFilter {
    pub category: Option<String>,
    /// With a key that begins so.
    pub key: Option<String>,
    pub project: Option<String>,
    pub tier: Option<String>,
    /// Of this origin only, such as `user_said`.
    pub source_type: Option<String>,
    /// Of a session whose id begins so.
    pub session: Option<String>,
    /// Confirmed by a person, or not.
    pub confirmed: Option<bool>,
    /// Those that ended, instead of those that did not.
    pub expired: bool,
    /// With all of these words in key or value, in any case.
    pub words: Vec<String>,
    /// How many at most; 0 for all.
    pub limit: usize,
}

/// What is read of a fact; the first parameter is the time by which it is judged.
const SELECT: &str = "SELECT f.id, d.category, d.key, d.value, d.scope, d.tier, d.source_type,
    d.confidence, f.evidence IS 'person' AS confirmed, nullif(f.project, '') AS project,
    f.source_file AS source, f.session_id, f.created_at,
    f.updated_at, d.last_verified, d.expires_at,
    d.tier IS 'working' AND d.expires_at IS NOT NULL AND replace(d.expires_at, 'T', ' ') < ?1
    AS expired FROM fact_details d JOIN findings f ON f.id = d.finding_id WHERE f.status IN ('claimed', 'confirmed')";

const EXPIRED: &str =
    "d.tier IS 'working' AND d.expires_at IS NOT NULL AND replace(d.expires_at, 'T', ' ') < ?1";

impl StoredFact {
    /// By what a fact with just this value is known again: case, blanks and punctuation of the value
    /// make no difference.
    pub fn print(category: &str, key: &str, project: Option<&str>, value: &str) -> String {
        let value = ProposalRecord::key(value);
        [category, key, project.unwrap_or_default(), &value].join("\n")
    }
}

impl Store {
    /// Facts, those of `current` first, then by category and key; and how many there are.
    pub fn facts(
        &self,
        filter: &FactFilter,
        current: Option<&str>,
        now: &str,
    ) -> Result<(Vec<StoredFact>, u64), StoreError> {
        let sql = format!(
            "{SELECT} AND (?2 IS NULL OR d.category = ?2)
             AND (?3 IS NULL OR substr(d.key, 1, length(?3)) = ?3)
             AND (?4 IS NULL OR f.project IN {}) AND (?5 IS NULL OR d.tier = ?5)
             AND (?6 IS NULL OR d.source_type = ?6)
             AND (?7 IS NULL OR substr(f.session_id, 1, length(?7)) = ?7)
             AND (?8 IS NULL OR (f.evidence IS 'person') = ?8) AND ({EXPIRED}) = ?9
             ORDER BY {} DESC, d.category, d.key, f.id",
            projects::names("?4"),
            projects::is_here("f.project", "?10")
        );
        let mut facts: Vec<StoredFact> = self.all(
            &sql,
            params![
                now,
                filter.category,
                filter.key,
                filter.project,
                filter.tier,
                filter.source_type,
                filter.session,
                filter.confirmed,
                filter.expired,
                current,
            ],
        )?;
        let words: Vec<String> = filter.words.iter().map(|word| word.to_lowercase()).collect();
        facts.retain(|fact| {
            let text = format!("{} {}", fact.key, fact.value).to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        });
        let total = facts.len() as u64;
        if filter.limit > 0 {
            facts.truncate(filter.limit);
        }
        Ok((facts, total))
    }

    /// The fact of this row, also one that ended.
    pub fn fact(&self, id: i64, now: &str) -> Result<Option<StoredFact>, StoreError> {
        self.first(&format!("{SELECT} AND f.id = ?2"), params![now, id])
    }

    /// Working facts whose time was over before `now`.
    pub fn expired_facts(&self, now: &str) -> Result<Vec<StoredFact>, StoreError> {
        self.read(|connection| expired(connection, now))
    }
}

fn expired(connection: &Connection, now: &str) -> rusqlite::Result<Vec<StoredFact>> {
    rows::all(connection, &format!("{SELECT} AND {EXPIRED} ORDER BY f.id"), params![now])
}

impl Writer<'_> {
    /// What is known under a category and a key, of all projects, without what ended.
    pub fn facts_under(&self, category: &str, key: &str) -> Result<Vec<StoredFact>, StoreError> {
        let sql = format!(
            "{SELECT} AND d.category = ?2 AND d.key = ?3 AND NOT ({EXPIRED}) ORDER BY f.id DESC"
        );
        Ok(self.all(&sql, params![self.now, category, key])?)
    }

    pub fn summaries_of(&self, file: &str) -> Result<Vec<StoredFact>, StoreError> {
        let sql =
            format!("{SELECT} AND d.category = 'session' AND f.source_file = ?2 ORDER BY f.id");
        Ok(self.all(&sql, params![self.now, file])?)
    }

    /// Stores a fact. A value that changes is logged at the time of this transaction.
    pub fn put_fact(&self, draft: &Draft) -> Result<Put, StoreError> {
        let draft = &self.under_known_name(draft)?;
        let row = self.fact_row(draft)?;
        let before = self.last_change(row)?;
        let put = self.put(draft)?;
        self.date_change(row, before)?;
        Ok(put)
    }

    /// Notes that a fact was seen to hold again. A working one lasts until `expires_at`, if that is
    /// later; without it, from now on it is long-term.
    pub fn verify_fact(&self, id: i64, expires_at: Option<&str>) -> Result<(), StoreError> {
        self.execute("UPDATE fact_details SET last_verified = ?2,
                 tier = CASE WHEN ?3 IS NULL THEN 'long-term' ELSE tier END,
                 expires_at = CASE WHEN ?3 IS NULL THEN NULL WHEN tier IS NOT 'working' THEN expires_at
                 ELSE max(coalesce(expires_at, ''), ?3) END WHERE finding_id = ?1", params![id, self.now, expires_at])?;
        self.renew_fingerprint(id)
    }

    /// Fits the fingerprint to a row that was changed in part.
    fn renew_fingerprint(&self, id: i64) -> Result<(), StoreError> {
        if let Some(finding) = load(self.connection, id)? {
            self.execute(
                "UPDATE findings SET fingerprint = ?2 WHERE id = ?1",
                params![id, finding.content.fingerprint()],
            )?;
        }
        Ok(())
    }

    /// Makes a fact one that a person stands for: its row becomes this.
    pub fn confirm_fact(&self, id: i64, draft: &Draft) -> Result<(), StoreError> {
        self.update(id, draft, &draft.fingerprint(), None)?;
        match &draft.detail {
            Some(Detail::Fact(fact)) => {
                self.note_fact(id, "confirmed", &fact.value, FactOrigin::default())
            }
            _ => Ok(()),
        }
    }

    /// Removes a fact that a person does not want. It is not stored again with this value, a summary
    /// not at all. `false` where there is no such fact.
    pub fn drop_fact(&self, id: i64) -> Result<bool, StoreError> {
        let sql = format!("{SELECT} AND f.id = ?2");
        let fact: Option<StoredFact> = self.first(&sql, params![self.now, id])?;
        let Some(fact) = fact else { return Ok(false) };
        let print =
            StoredFact::print(&fact.category, &fact.key, fact.project.as_deref(), &fact.value);
        remember(self.connection, ForgottenKey::Fact(&print), &self.now)?;
        if fact.category == "session"
            && let Some(finding) = load(self.connection, id)?
        {
            remember(self.connection, ForgottenKey::Finding(&finding.uid), &self.now)?;
        }
        self.remove_fact(id)?;
        Ok(true)
    }

    /// Removes the row of a fact, with all that belongs to it.
    pub fn remove_fact(&self, id: i64) -> Result<(), StoreError> {
        self.indexing.flush(self.connection)?;
        self.execute(
            "UPDATE findings SET superseded_by = NULL, status = 'claimed'
             WHERE superseded_by = ?1",
            [id],
        )?;
        self.execute("DELETE FROM findings WHERE id = ?1", [id])?;
        Ok(())
    }

    /// Removes working facts whose time is over, and returns them.
    pub fn expire_facts(&self) -> Result<Vec<StoredFact>, StoreError> {
        let gone = expired(self.connection, &self.now)?;
        gone.iter().try_for_each(|fact| self.remove_fact(fact.id))?;
        Ok(gone)
    }

    /// The row that a draft of a fact would be stored in.
    pub(super) fn fact_row(&self, draft: &Draft) -> rusqlite::Result<Option<i64>> {
        self.first("SELECT id FROM findings WHERE uid = ?1", params![uid_of(draft)])
    }

    /// Whether a person had the finding of a draft forgotten, or dropped a fact with this print.
    pub fn is_unwanted_fact(&self, draft: &Draft, print: &str) -> Result<bool, StoreError> {
        let uid = uid_of(draft);
        let row = self.fact_row(draft)?;
        // A row that is there again is a person's doing.
        let forgotten = row.is_none() && self.is_forgotten(&[ForgottenKey::Finding(&uid)])?;
        Ok(forgotten || self.is_forgotten(&[ForgottenKey::Fact(print)])?)
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FactOrigin<'a> {
    pub source: Option<&'a str>,
    pub session: Option<&'a str>,
}

/// Something that befell a fact.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactEvent {
    pub id: i64,
    pub key: String,
    pub at: String,
    /// `changed`; `rival` where another value came up and a person's word stood; `confirmed`.
    pub event: String,
    /// The value before a change.
    pub from: Option<String>,
    /// The value after it, or the one that came up or was confirmed.
    pub to: Option<String>,
    pub times: i64,
    pub session_id: Option<String>,
}

impl Store {
    /// What befell a fact, or all of them, the newest first; at most so many.
    pub fn fact_events(&self, id: Option<i64>, limit: usize) -> Result<Vec<FactEvent>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.all(
            "SELECT e.finding_id AS id, d.key, e.at, e.event, e.old AS \"from\", e.new AS \"to\",
             e.times, e.session_id FROM
             (SELECT finding_id, changed_at AS at, 'changed' AS event, old_value AS old,
              new_value AS new, 1 AS times, NULL AS session_id, id AS number FROM fact_changes
              UNION ALL SELECT finding_id, at, event, NULL, value, times, session_id, id
              FROM fact_events) e
             JOIN fact_details d ON d.finding_id = e.finding_id
             WHERE ?1 IS NULL OR e.finding_id = ?1 ORDER BY e.at DESC, e.number DESC LIMIT ?2",
            params![id, limit],
        )
    }
}

impl Writer<'_> {
    /// The last entry in the log of values of a row.
    pub(super) fn last_change(&self, id: Option<i64>) -> rusqlite::Result<Option<i64>> {
        let sql = "SELECT max(id) FROM fact_changes WHERE finding_id = ?1";
        Ok(self.first(sql, params![id])?.flatten())
    }

    /// Dates what was logged after `before`: the trigger knows only the clock of the database.
    pub(super) fn date_change(&self, id: Option<i64>, before: Option<i64>) -> rusqlite::Result<()> {
        self.execute(
            "UPDATE fact_changes SET changed_at = ?3
                 WHERE finding_id = ?1 AND id > coalesce(?2, -1)",
            params![id, before, self.now],
        )
        .map(drop)
    }

    /// Notes what befell a fact besides a change; the same again is counted.
    pub fn note_fact(
        &self,
        id: i64,
        event: &str,
        value: &str,
        origin: FactOrigin<'_>,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO fact_events (finding_id, event, value, at, source, session_id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (finding_id, event, value)
                 DO UPDATE SET at = excluded.at, times = times + 1, source = excluded.source,
                 session_id = excluded.session_id",
            params![id, event, value, self.now, origin.source, origin.session],
        )?;
        Ok(())
    }
}

/// The fact that a proposal would become.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FactProposal {
    pub category: String,
    pub key: String,
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
        self.first(
            "SELECT category, key, value, scope, source_type, confidence, hours
             FROM fact_proposals WHERE proposal_id = ?1",
            params![id],
        )
    }
}

impl Writer<'_> {
    /// What became of a proposal; `None` where there is none with this id.
    pub fn proposal_status(&self, id: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT status FROM proposals WHERE id = ?1";
        Ok(self.first(sql, params![id])?)
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
        self.execute(
            "INSERT OR REPLACE INTO fact_proposals (proposal_id, category, key, value, scope,
                 source_type, confidence, hours) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                record.id,
                fact.category,
                fact.key,
                fact.value,
                fact.scope,
                fact.source_type,
                fact.confidence,
                fact.hours,
            ],
        )?;
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
        self.execute(
            "UPDATE fact_proposals SET replaced = ?2 WHERE proposal_id = ?1",
            params![proposal, replaced],
        )?;
        let id = self.put_fact(draft)?.id();
        if let Some(Detail::Fact(fact)) = &draft.detail {
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
        let sql = "SELECT replaced FROM fact_proposals WHERE proposal_id = ?1";
        let replaced: Option<String> = self.first(sql, params![proposal])?;
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
    pub fn proposal_id(print: &str) -> String {
        hash(format!("fact\n{print}"), 6)
    }
}
