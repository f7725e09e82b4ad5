//! What waits for a person's decision, and what was decided.

use rusqlite::params;

use super::findings::load;
use super::forget::{self, ForgottenKey};
use super::{Store, StoreError, Writer, projects};
use crate::model::ProposalRecord;

const COLUMNS: &str = "p.id, p.type, p.content, p.matched_phrase, p.role, p.source, p.line,
     p.project, p.extracted_at, p.status, d.rule, d.sentence, d.before, d.after, d.session_id,
     d.reason, d.decided_at, d.decided_by, d.finding_id, t.said_at";

const TABLES: &str = "proposals p LEFT JOIN proposal_details d ON d.proposal_id = p.id
     LEFT JOIN proposal_times t ON t.proposal_id = p.id";

/// Which proposals are wanted.
#[derive(Debug, Clone, Default)]
pub struct ProposalFilter {
    pub status: Option<String>,
    pub project: Option<String>,
    /// How many at most; 0 for all.
    pub limit: usize,
}

/// What becomes of a proposal.
#[derive(Debug, Clone, Copy)]
pub struct ProposalVerdict<'a> {
    /// `accepted`, `rejected` or `expired`.
    pub status: &'a str,
    /// `terminal`, `dialog` or `expiry`.
    pub by: &'a str,
    /// Why, in the person's words.
    pub reason: Option<&'a str>,
    pub finding: Option<i64>,
}

impl Store {
    /// Proposals, the oldest first.
    pub fn proposals(&self, filter: &ProposalFilter) -> Result<Vec<ProposalRecord>, StoreError> {
        let limit = i64::try_from(filter.limit).ok().filter(|limit| *limit > 0).unwrap_or(-1);
        let sql = format!(
            "SELECT {COLUMNS} FROM {TABLES} WHERE (?1 IS NULL OR p.status = ?1)
             AND (?2 IS NULL OR p.project IN {}) ORDER BY p.extracted_at, p.rowid LIMIT ?3",
            projects::names("?2")
        );
        self.all(&sql, params![filter.status, filter.project, limit])
    }

    /// Proposals whose id begins so, at most ten.
    pub fn proposals_like(&self, id: &str) -> Result<Vec<ProposalRecord>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM {TABLES} WHERE substr(p.id, 1, length(?1)) = ?1
             ORDER BY p.id LIMIT 10"
        );
        self.all(&sql, params![id])
    }

    /// How many wait, of a project or of all.
    pub fn proposals_waiting(&self, project: Option<&str>) -> Result<u64, StoreError> {
        let sql = format!(
            "SELECT count(*) FROM proposals WHERE status = 'pending'
             AND (?1 IS NULL OR project IS NULL OR project IN {})",
            projects::names("?1")
        );
        self.count(&sql, params![project])
    }

    /// Whether a pending proposal is older than this time (`YYYY-MM-DD HH:MM:SS` in UTC).
    pub fn has_overdue_proposals(&self, before: &str) -> Result<bool, StoreError> {
        self.read(|connection| {
            let sql = "SELECT 1 FROM proposals WHERE status = 'pending' AND extracted_at < ?1";
            connection.prepare_cached(sql)?.exists([before])
        })
    }
}

impl Writer<'_> {
    /// Whether nothing of the kind was proposed before, whatever became of it, or is known.
    pub fn is_new_proposal(&self, proposal: &ProposalRecord) -> Result<bool, StoreError> {
        let key = ProposalRecord::key(&proposal.content);
        Ok(!self.is_proposed(&proposal.id, &key)? && !self.is_known(&proposal.content)?)
    }

    /// Stores a proposal, if [it is new](Writer::is_new_proposal); `true` if it is.
    pub fn propose(&self, proposal: &ProposalRecord) -> Result<bool, StoreError> {
        if !self.is_new_proposal(proposal)? {
            return Ok(false);
        }
        self.insert_proposal(proposal)?;
        Ok(true)
    }

    pub(super) fn insert_proposal(&self, proposal: &ProposalRecord) -> rusqlite::Result<()> {
        let key = ProposalRecord::key(&proposal.content);
        let at = Some(&proposal.extracted_at).filter(|at| !at.is_empty()).unwrap_or(&self.now);
        let line = proposal.line.and_then(|line| i64::try_from(line).ok());
        self.execute("INSERT INTO proposals (id, type, content, matched_phrase, role, source, line,
                 project, extracted_at, status) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'pending')", params![
                proposal.id,
                proposal.kind,
                proposal.content,
                proposal.matched_phrase,
                proposal.role,
                proposal.source,
                line,
                proposal.project,
                at,
            ])?;
        self.execute(
            "INSERT OR REPLACE INTO proposal_details
                 (proposal_id, key, rule, sentence, before, after, session_id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                proposal.id,
                key,
                proposal.rule,
                proposal.sentence,
                proposal.before,
                proposal.after,
                proposal.session,
            ],
        )?;
        if let Some(said_at) = &proposal.said_at {
            let sql =
                "INSERT OR REPLACE INTO proposal_times (proposal_id, said_at) VALUES (?1, ?2)";
            self.execute(sql, [&proposal.id, said_at])?;
        }
        Ok(())
    }

    fn is_proposed(&self, id: &str, key: &str) -> rusqlite::Result<bool> {
        if forget::is_known(self.connection, &[ForgottenKey::Proposal(key)])? {
            return Ok(true);
        }
        let sql = "SELECT 1 FROM proposals WHERE id = ?1
                   UNION ALL SELECT 1 FROM proposal_details WHERE key = ?2 LIMIT 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.exists([id, key])
    }

    /// Whether a finding of a kind that people word themselves says the same, in any case and with any
    /// mark at its end.
    fn is_known(&self, content: &str) -> rusqlite::Result<bool> {
        let sql = "SELECT 1 FROM findings WHERE finding_type IN ('insight', 'preference', 'fact',
                   'lesson', 'playbook', 'technique', 'failure', 'mathlib_api')
                   AND (rtrim(description, ' .!') = rtrim(?1, ' .!') COLLATE NOCASE
                        OR rtrim(title, ' .!') = rtrim(?1, ' .!') COLLATE NOCASE) LIMIT 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.exists([content])
    }

    /// Notes a decision about a pending proposal; `false` where it is not pending.
    pub fn decide(&self, id: &str, verdict: ProposalVerdict<'_>) -> Result<bool, StoreError> {
        let ProposalVerdict { status, by, reason, finding } = verdict;
        let decided = self.connection.execute(
            "UPDATE proposals SET status = ?2 WHERE id = ?1 AND status = 'pending'",
            [id, status],
        )?;
        if decided == 0 {
            return Ok(false);
        }
        self.ensure_details(id)?;
        self.connection.execute(
            "UPDATE proposal_details SET decided_at = ?2, decided_by = ?3, reason = ?4,
             finding_id = ?5 WHERE proposal_id = ?1",
            params![id, self.now, by, reason, finding],
        )?;
        Ok(true)
    }

    /// Makes a decided proposal pending again, and one from before `overdue` (`YYYY-MM-DD HH:MM:SS` in
    /// UTC) as young as today, so that it does not expire at once. What it had become, if anything, and
    /// when.
    pub fn undecide(&self, id: &str, overdue: &str) -> Result<Option<(i64, String)>, StoreError> {
        let sql = "SELECT finding_id, decided_at FROM proposal_details WHERE proposal_id = ?1";
        let became: Option<(Option<i64>, String)> = self.first(sql, params![id])?;
        self.connection.execute(
            "UPDATE proposals SET status = 'pending', extracted_at =
             CASE WHEN extracted_at < ?2 THEN ?3 ELSE extracted_at END WHERE id = ?1",
            [id, overdue, &self.now],
        )?;
        // A decision that the journal has is told to it again.
        self.connection.execute(
            "UPDATE proposal_details SET decided_at = NULL, decided_by = NULL, reason = NULL,
             finding_id = NULL, journaled = CASE WHEN journaled > 1 THEN 0 ELSE journaled END
             WHERE proposal_id = ?1",
            [id],
        )?;
        Ok(became.and_then(|(finding, at)| finding.map(|finding| (finding, at))))
    }

    /// Removes a finding that was stored at this time and not changed since; `false` where it was
    /// changed and stays.
    pub fn retract(&self, finding: i64, stored_at: &str) -> Result<bool, StoreError> {
        if load(self.connection, finding)?.is_none() {
            return Ok(true);
        }
        let is_unchanged = self.is_unchanged(finding, stored_at)?;
        if is_unchanged {
            self.indexing.flush(self.connection)?;
            self.connection.execute("DELETE FROM findings WHERE id = ?1", [finding])?;
        }
        Ok(is_unchanged)
    }

    /// Whether a finding is as it was stored at this time.
    pub(super) fn is_unchanged(&self, finding: i64, stored_at: &str) -> rusqlite::Result<bool> {
        let Some(found) = load(self.connection, finding)? else { return Ok(false) };
        let sql = "SELECT fingerprint FROM findings WHERE id = ?1";
        let fingerprint: Option<String> = self.first(sql, params![finding])?;
        Ok(found.updated_at == stored_at
            && found.content.status.is_live()
            && fingerprint == Some(found.content.fingerprint()))
    }

    /// Lets pending proposals that are older than this time (`YYYY-MM-DD HH:MM:SS` in UTC) expire; how
    /// many did.
    pub fn expire_proposals(&self, before: &str) -> Result<u64, StoreError> {
        let sql = "SELECT id FROM proposals WHERE status = 'pending' AND extracted_at < ?1";
        let ids: Vec<String> = self.all(sql, params![before])?;
        for id in &ids {
            let verdict =
                ProposalVerdict { status: "expired", by: "expiry", reason: None, finding: None };
            self.decide(id, verdict)?;
        }
        Ok(ids.len() as u64)
    }

    /// A proposal that was written by hand has no details yet.
    fn ensure_details(&self, id: &str) -> Result<(), StoreError> {
        let sql = "SELECT content FROM proposals WHERE id = ?1";
        let content: Option<String> = self.first(sql, params![id])?;
        self.connection.execute(
            "INSERT OR IGNORE INTO proposal_details (proposal_id, key) VALUES (?1, ?2)",
            params![id, ProposalRecord::key(&content.unwrap_or_default())],
        )?;
        Ok(())
    }
}

impl Store {
    /// Proposals that the journal does not have yet, and decisions that it does not know, the oldest
    /// first.
    pub fn to_journal(&self) -> Result<Vec<ProposalRecord>, StoreError> {
        self.all(
            "SELECT p.id, p.type, p.content, coalesce(d.session_id, p.source) AS source,
             p.extracted_at, p.status, d.decided_at
             FROM proposals p JOIN proposal_details d ON d.proposal_id = p.id
             WHERE d.journaled = 0 OR (d.journaled = 1 AND p.status <> 'pending')
             ORDER BY p.extracted_at, p.rowid",
            params![],
        )
    }
}

impl Writer<'_> {
    /// Notes that the journal has a proposal with this status. One that was decided meanwhile stays
    /// to be told.
    pub fn journaled(&self, row: &ProposalRecord) -> Result<(), StoreError> {
        self.execute(
            "UPDATE proposal_details SET journaled = CASE WHEN ?2 = 'pending' THEN 1 ELSE 2 END
                 WHERE proposal_id = ?1",
            params![row.id, row.status],
        )?;
        Ok(())
    }
}
