//! Facts by their keys: what is known, what it was before, and what came up against a person's word.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::findings::{LIVE, fact_key, uid_of};
use super::forget::ForgottenKey;
use super::rows::most;
use super::{Result, Store, Writer};
use crate::model::{Draft, Finding, Put, Source, words_of};

const EXPIRED: &str = "f.finding_type = 'fact' AND f.status IN ('claimed', 'confirmed')
    AND json_extract(f.detail, '$.fact.tier') = 'working'
    AND replace(json_extract(f.detail, '$.fact.expires_at'), 'T', ' ') < ?1 ORDER BY f.id";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactEvent {
    pub id: i64,
    pub key: String,
    pub at: String,
    /// `changed`; `rival` where another value came up and a person's word stood; `confirmed`.
    pub event: String,
    pub from: Option<String>,
    /// The value after it, or the one that came up or was confirmed.
    pub to: Option<String>,
    pub times: i64,
    #[serde(rename(serialize = "session_id"))]
    pub session: Option<String>,
}

impl Store {
    pub fn expired_facts(&self, now: &str) -> Result<Vec<Finding>> {
        self.select(EXPIRED, params![now])
    }

    /// Those of all facts with the key of this one, the newest first.
    pub fn fact_events(&self, id: i64, limit: usize) -> Result<Vec<FactEvent>> {
        self.all(
            "SELECT l.finding_id AS id, json_extract(f.detail, '$.fact.key') AS key, l.at, l.event,
             l.old AS \"from\", l.new AS \"to\", l.times, l.session_id
             FROM fact_log l JOIN findings f ON f.id = l.finding_id
             WHERE EXISTS (SELECT 1 FROM findings own WHERE own.id = ?1
                AND own.key = f.key AND own.project IS f.project)
             ORDER BY l.at DESC, l.id DESC LIMIT ?2",
            params![id, most(limit)],
        )
    }
}

impl Writer<'_> {
    pub fn summaries_of(&self, file: &str) -> Result<Vec<Finding>> {
        let condition = format!(
            "f.finding_type = 'fact' AND f.status IN {LIVE} AND f.source_file = ?1
             AND json_extract(f.detail, '$.fact.category') = 'session' ORDER BY f.id"
        );
        self.select(&condition, params![file])
    }

    /// Stores a fact. A value that changes is logged. One that was replaced or dropped keeps its row.
    pub fn put_fact(&self, draft: &Draft) -> Result<Put> {
        let draft = &self.under_known_name(draft)?;
        let uid = uid_of(draft);
        self.execute(
            "UPDATE findings SET uid = uid || '-' || id
             WHERE uid = ?1 AND status NOT IN ('claimed', 'confirmed')",
            params![uid],
        )?;
        self.put_as(draft, &uid, None)
    }

    pub(super) fn log_new_value(&self, id: i64, draft: &Draft) -> Result<()> {
        let Some(new) = draft.fact() else { return Ok(()) };
        let Some(before) = self.finding(id)? else { return Ok(()) };
        let before = before.content.value();
        if before == new.value { Ok(()) } else { self.log_change(id, before, &new.value) }
    }

    /// The fact that stands under the key of a draft, by any name of its project.
    pub fn fact_like_known(&self, draft: &Draft) -> Result<Option<Finding>> {
        self.fact_like(&self.under_known_name(draft)?)
    }

    pub(super) fn fact_like(&self, draft: &Draft) -> Result<Option<Finding>> {
        let Some(fact) = draft.fact() else { return Ok(None) };
        let condition = format!(
            "f.key = ?1 AND f.project IS ?2 AND f.finding_type = 'fact' AND f.status IN {LIVE}"
        );
        let key = fact_key(&fact.category, &fact.key);
        Ok(self.select(&condition, params![key, draft.project])?.pop())
    }

    pub(super) fn log_change(&self, id: i64, from: &str, to: &str) -> Result<()> {
        let sql = "INSERT INTO fact_log (finding_id, event, old, new, at)
            VALUES (?1, 'changed', ?2, ?3, ?4)";
        self.run(sql, params![id, from, to, self.now])
    }

    /// Notes what befell a fact besides a change; the same again is counted.
    pub fn note_fact(&self, id: i64, event: &str, value: &str, source: &Source) -> Result<()> {
        let values = params![id, event, value, self.now, source.file, source.session];
        let known = self.execute(
            "UPDATE fact_log SET at = ?4, times = times + 1, source = ?5, session_id = ?6
             WHERE finding_id = ?1 AND event = ?2 AND new = ?3",
            values,
        )?;
        if known == 0 {
            let sql = "INSERT INTO fact_log (finding_id, event, new, at, source, session_id)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            self.execute(sql, values)?;
        }
        Ok(())
    }

    /// Notes that a fact was seen to hold again. A working one lasts until `expires_at`, if that is
    /// later; without it, from now on it is long-term.
    pub fn verify_fact(&self, id: i64, expires_at: Option<&str>) -> Result<()> {
        self.change_content(id, |draft| {
            let Some(fact) = draft.fact_mut() else { return };
            fact.last_verified = Some(self.now.clone());
            match expires_at {
                None => ("long-term".clone_into(&mut fact.tier), fact.expires_at = None).1,
                Some(at) if fact.tier == "working" => {
                    fact.expires_at = fact.expires_at.take().max(Some(at.to_owned()));
                }
                Some(_) => {}
            }
        })
    }

    /// Removes the row of a finding, with all that belongs to it. What it had replaced stands again.
    pub fn remove(&self, id: i64) -> Result<()> {
        self.restore(id)?;
        self.run("DELETE FROM findings WHERE id = ?1", [id])
    }

    pub fn expire_facts(&self) -> Result<()> {
        let gone = self.expired_facts(&self.now)?;
        gone.iter().try_for_each(|fact| self.remove(fact.id))
    }

    /// Whether a person had the finding of a draft forgotten, rejected it as this proposal, or dropped a
    /// fact with this value; of a summary, whatever its value.
    pub fn is_unwanted_fact(&self, draft: &Draft, proposal: &str) -> Result<bool> {
        let Some(fact) = draft.fact() else { return Ok(false) };
        let condition = "f.status = 'dropped' AND (f.uid = ?3 AND
            json_extract(f.detail, '$.decision.by') <> 'expiry' OR f.key = ?1 AND f.project IS ?2
            AND f.finding_type = 'fact' AND json_extract(f.detail, '$.said') IS NULL)";
        let key = fact_key(&fact.category, &fact.key);
        let dropped = self.select(condition, params![key, draft.project, proposal])?;
        let is_this = |one: &Finding| {
            fact.category == "session" || words_of(one.content.value()) == words_of(&fact.value)
        };
        // A row that is there again is a person's doing.
        Ok(dropped.iter().any(is_this)
            || self.fact_like(draft)?.is_none()
                && self.is_forgotten(&[ForgottenKey::Finding(&uid_of(draft))])?)
    }

    /// What gave way to a finding stands again.
    pub(super) fn restore(&self, id: i64) -> Result<()> {
        let sql = "UPDATE findings SET superseded_by = NULL,
            status = CASE WHEN status <> 'superseded' THEN status
                WHEN json_extract(detail, '$.said') IS NOT NULL
                    AND json_extract(detail, '$.decision') IS NULL THEN 'proposed'
                WHEN evidence = 'person' THEN 'confirmed' ELSE 'claimed' END
            WHERE superseded_by = ?1";
        self.run(sql, [id])
    }
}
