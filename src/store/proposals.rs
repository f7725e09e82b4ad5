//! What waits for a person's word, and what a person decides about any finding.

use rusqlite::params;
use serde::Deserialize;

use super::findings::key_of;
use super::forget::ForgottenKey;
use super::rank::matches;
use super::{Result, Store, Writer, projects};
use crate::model::{Decision, Draft, Finding, Kind, Source, Status, words_of};

/// What was proposed, whatever became of it: the index `idx_findings_said` has just these words.
pub(super) const SAID: &str = "json_extract(detail, '$.said') IS NOT NULL";

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Waiting {
    pub kind: Kind,
    pub slot: Option<i64>,
    pub problem: Option<String>,
    pub text: String,
}

impl Waiting {
    fn searched(&self) -> String {
        let slot = self.slot.map_or_else(String::new, |slot| format!("slot{slot} slot {slot}"));
        let problem = self.problem.as_deref().unwrap_or_default();
        format!("{} {problem} {slot}", self.text)
    }
}

impl Store {
    pub fn proposals_waiting(&self, project: Option<&str>) -> Result<u64> {
        let sql = format!(
            "SELECT count(*) FROM findings WHERE {SAID} AND status = 'proposed'
             AND (?1 IS NULL OR project IS NULL OR project IN {})",
            projects::names("?1")
        );
        self.value(&sql, params![project])
    }

    /// What waits for a person's word in a project, in the order of its sources.
    pub fn waiting(&self, project: Option<&str>) -> Result<Vec<Waiting>> {
        let sql = format!(
            "SELECT finding_type AS kind, source_slot AS slot, problem_id AS problem,
             description AS text FROM findings
             WHERE {SAID} AND status = 'proposed' AND {} ORDER BY id",
            projects::is_of("project", "?1")
        );
        self.all(&sql, params![project])
    }

    /// Of it what has all of the words.
    pub fn waiting_with(&self, words: &str, project: Option<&str>) -> Result<Vec<Waiting>> {
        let words = self.analyse(words)?.words;
        let mut all = self.waiting(project)?;
        all.retain(|one| {
            !words.is_empty() && matches(&one.searched(), &words).len() == words.len()
        });
        Ok(all)
    }

    /// The oldest first.
    pub fn to_journal(&self) -> Result<Vec<Finding>> {
        let condition =
            format!("{SAID} ORDER BY json_extract(detail, '$.said.extracted_at'), f.id");
        let mut rows = self.select(&condition, params![])?;
        rows.retain(|row| {
            let journaled = row.content.said().and_then(|said| said.journaled.as_deref());
            journaled != row.content.proposal_status()
        });
        Ok(rows)
    }

    /// Proposals that wait and are older than this time.
    pub fn overdue(&self, before: &str) -> Result<Vec<Finding>> {
        let condition = format!(
            "{SAID} AND status = 'proposed' AND json_extract(detail, '$.said.extracted_at') < ?1"
        );
        self.select(&condition, params![before])
    }
}

impl Writer<'_> {
    /// A fact goes by its id alone: in another project the same words are another fact.
    pub fn is_new_proposal(&self, id: &str, draft: &Draft) -> Result<bool> {
        let said = draft.said().map(|said| said.content.as_str()).unwrap_or_default();
        let words = words_of(said);
        if self.is_forgotten(&[ForgottenKey::Proposal(&words)])? {
            return Ok(false);
        }
        let is_fact = draft.fact().is_some();
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM findings WHERE uid = ?1)
             OR (?3 AND EXISTS (SELECT 1 FROM findings WHERE key = ?2 AND {SAID}))"
        );
        let is_proposed: bool = self.value(&sql, params![id, key_of(draft), !is_fact])?;
        Ok(!is_proposed && (is_fact || !self.is_known(said)?))
    }

    /// In any case and with any mark at its end.
    fn is_known(&self, content: &str) -> Result<bool> {
        let kinds = Kind::ALL.iter().filter(|kind| kind.is_worded());
        let kinds: Vec<String> = kinds.map(|kind| format!("'{kind}'")).collect();
        let sql = format!(
            "SELECT 1 FROM findings WHERE finding_type IN ({})
             AND (rtrim(description, ' .!') = rtrim(?1, ' .!') COLLATE NOCASE
                  OR rtrim(title, ' .!') = rtrim(?1, ' .!') COLLATE NOCASE) LIMIT 1",
            kinds.join(", ")
        );
        Ok(self.connection.prepare_cached(&sql)?.exists([content])?)
    }

    pub fn propose(&self, id: &str, draft: &Draft) -> Result<bool> {
        if !self.is_new_proposal(id, draft)? {
            return Ok(false);
        }
        let mut draft = draft.clone();
        draft.status = Status::Proposed;
        if let Some(said) = draft.detail.as_mut().and_then(|detail| detail.said.as_mut())
            && said.extracted_at.is_empty()
        {
            said.extracted_at.clone_from(&self.now);
        }
        let put = self.put_as(&draft, id, None)?;
        Ok(matches!(put, crate::model::Put::Inserted(_)))
    }

    pub fn proposed(&self, id: &str) -> Result<Option<Finding>> {
        let condition = "f.uid = ?1 AND f.status = 'proposed'";
        Ok(self.select(condition, params![id])?.into_iter().next())
    }

    /// What it was can be restored. Another fact under its key gives way to it.
    pub fn confirm(&self, finding: &Finding, new: &Draft, by: &str) -> Result<()> {
        let id = finding.id;
        let mut new = new.clone();
        new.status = Status::Confirmed;
        self.decide(&mut new, &finding.content, by, None);
        if let Some(fact) = new.fact().cloned() {
            new = self.under_known_name(&new)?;
            if let Some(other) = self.fact_like(&new)?.filter(|other| other.id != id) {
                let before = other.content.fact().map(|fact| fact.value.as_str());
                if let Some(before) = before.filter(|before| *before != fact.value) {
                    self.log_change(id, before, &fact.value)?;
                }
                self.give_way(other.id, id)?;
            }
            for other in self.same_fact_proposed(id, &new)? {
                self.give_way(other.id, id)?;
            }
        }
        self.update(id, &new, &new.fingerprint())?;
        self.set_status(id, Status::Confirmed)?;
        if let Some(fact) = new.fact() {
            self.note_fact(id, "confirmed", &fact.value, &Source::default())?;
        }
        Ok(())
    }

    fn give_way(&self, id: i64, to: i64) -> Result<()> {
        let sql = "UPDATE findings SET status = 'superseded', superseded_by = ?2 WHERE id = ?1";
        self.run(sql, [id, to])
    }

    fn same_fact_proposed(&self, id: i64, draft: &Draft) -> Result<Vec<Finding>> {
        let Some(fact) = draft.fact() else { return Ok(Vec::new()) };
        let condition = format!(
            "{SAID} AND f.status = 'proposed' AND f.key = ?1 AND f.project IS ?2 AND f.id <> ?3"
        );
        let values = params![key_of(draft), draft.project, id];
        let mut same = self.select(&condition, values)?;
        let value = |one: &Draft| one.fact().map(|fact| words_of(&fact.value));
        same.retain(|one| value(&one.content) == Some(words_of(&fact.value)));
        Ok(same)
    }

    /// A person does not want a finding: its row stays, so that it is not stored or proposed again.
    pub fn drop_finding(&self, finding: &Finding, by: &str, reason: Option<&str>) -> Result<()> {
        for same in self.same_fact_proposed(finding.id, &finding.content)? {
            self.drop_one(&same, by, reason)?;
        }
        self.drop_one(finding, by, reason)
    }

    fn drop_one(&self, finding: &Finding, by: &str, reason: Option<&str>) -> Result<()> {
        let mut new = finding.content.clone();
        self.decide(&mut new, &finding.content, by, reason);
        self.update(finding.id, &new, &new.fingerprint())?;
        self.set_status(finding.id, Status::Dropped)?;
        if finding.content.kind == Kind::Lesson {
            self.execute("DELETE FROM jobs WHERE finding_id = ?1", [finding.id])?;
        }
        Ok(())
    }

    fn decide(&self, new: &mut Draft, before: &Draft, by: &str, reason: Option<&str>) {
        let mut before = before.clone();
        if let Some(detail) = &mut before.detail {
            detail.decision = None;
        }
        new.detail.get_or_insert_default().decision = Some(Decision {
            at: self.now.clone(),
            by: by.to_owned(),
            reason: reason.map(str::to_owned),
            undo: serde_json::to_string(&before).ok(),
        });
    }

    /// A proposal from before `overdue` becomes as young as today. `false` where the finding was changed since.
    pub fn undo_decision(&self, finding: &Finding, overdue: &str) -> Result<bool> {
        let Some(decision) = finding.content.decision() else { return Ok(false) };
        let undo = decision.undo.as_deref();
        let Some(mut old) = undo.and_then(|json| serde_json::from_str::<Draft>(json).ok()) else {
            return Ok(false);
        };
        let sql = "SELECT fingerprint FROM findings WHERE id = ?1";
        let fingerprint: Option<String> = self.first(sql, params![finding.id])?;
        if finding.updated_at != decision.at || fingerprint != Some(finding.content.fingerprint()) {
            return Ok(false);
        }
        if let Some(said) = old.detail.as_mut().and_then(|detail| detail.said.as_mut()) {
            if said.extracted_at.as_str() < overdue {
                said.extracted_at.clone_from(&self.now);
            }
            said.journaled = finding.content.said().and_then(|said| said.journaled.clone());
        }
        // A detail that is empty takes the place of the one with the decision.
        old.detail.get_or_insert_default();
        self.restore(finding.id)?;
        self.update(finding.id, &old, &old.fingerprint())?;
        self.set_status(finding.id, old.status)?;
        self.execute(
            "DELETE FROM fact_log WHERE finding_id = ?1 AND event IN ('confirmed', 'changed') AND at = ?2",
            params![finding.id, decision.at],
        )?;
        Ok(true)
    }

    /// Lets proposals that are older than this time expire; how many did.
    pub fn expire_proposals(&self, before: &str) -> Result<u64> {
        let overdue = self.overdue(before)?;
        overdue.iter().try_for_each(|finding| self.drop_one(finding, "expiry", None))?;
        Ok(overdue.len() as u64)
    }

    /// Notes that the journal has a proposal with the status that it has here.
    pub fn journaled(&self, row: &Finding) -> Result<()> {
        let status = row.content.proposal_status().map(str::to_owned);
        self.change_content(row.id, |draft| {
            if let Some(said) = draft.detail.as_mut().and_then(|detail| detail.said.as_mut()) {
                said.journaled = status;
            }
        })
    }

    /// Changes the detail, and is the content from now on.
    pub(super) fn change_content(&self, id: i64, change: impl FnOnce(&mut Draft)) -> Result<()> {
        let Some(draft) = self.change(id, change)? else { return Ok(()) };
        let sql = "UPDATE findings SET fingerprint = ?2 WHERE id = ?1";
        self.run(sql, params![id, draft.fingerprint()])
    }
}
