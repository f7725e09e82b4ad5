//! Problems: what is stated about them, and what is counted from the findings.

use rusqlite::{Connection, ToSql, params};
use serde::Serialize;

use super::record::{LIVE, text};
use super::strategies::strategies_of;
use super::{Store, StoreError, Writer, findings, rows};
use crate::model::{
    Finding, Problem, ProblemDraft, ProblemStatus, Put, Strategy, display_name, problem_key,
    word_key,
};

/// All that is known of one problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProblemView {
    pub id: String,
    /// Its record, where there is one.
    pub problem: Option<Problem>,
    /// What was found out about it, by kind, the newest first.
    pub findings: Vec<Finding>,
    pub strategies: Vec<Strategy>,
}

const SELECT: &str = "SELECT id, name, domain_id AS domain, coalesce(status, 'open') AS status,
    submission_count, proven_count, failed_count, statement, best_result, notes, updated_at
    FROM problems";

fn status(word: Option<String>) -> Option<ProblemStatus> {
    word.and_then(|word| word.parse().ok())
}

/// Every problem id that anything refers to. Walks the index from one id to the next, so that it is
/// as cheap as there are problems, however many findings there are.
pub(super) fn ids(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let walk = |table: &str| {
        format!(
            "SELECT id FROM (WITH RECURSIVE w(id) AS (SELECT min(problem_id) FROM {table}
             UNION ALL SELECT (SELECT min(problem_id) FROM {table} WHERE problem_id > w.id)
             FROM w WHERE w.id IS NOT NULL) SELECT id FROM w)"
        )
    };
    let sql = format!(
        "SELECT id FROM (SELECT id FROM problems UNION {} UNION {})
         WHERE id IS NOT NULL AND id <> '' ORDER BY id",
        walk("findings"),
        walk("strategies")
    );
    rows::all(connection, &sql, params![])
}

/// The spellings under which the database knows a problem; empty where it does not.
pub(super) fn spellings(connection: &Connection, key: &str) -> rusqlite::Result<Vec<String>> {
    let key = word_key(key);
    Ok(ids(connection)?.into_iter().filter(|id| word_key(id) == key).collect())
}

impl Store {
    /// Ids of all problems that a record, a finding or a strategy names.
    pub fn known_problems(&self) -> Result<Vec<String>, StoreError> {
        self.read(ids)
    }

    /// Ids of the problems that a tracking database, a person or the agent named, not only the name of a
    /// result file.
    pub fn stated_problems(&self) -> Result<Vec<String>, StoreError> {
        self.all(
            "SELECT id FROM problems WHERE stated_status IS NOT NULL
             UNION SELECT problem_id FROM findings
             WHERE problem_id <> '' AND extracted_from IS NULL ORDER BY 1",
            params![],
        )
    }

    /// What is known of a problem, in any spelling of its id; where there is none of that id, of all
    /// whose id contains it, in the order of their ids.
    pub fn problem_views(&self, key: &str) -> Result<Vec<ProblemView>, StoreError> {
        let key = word_key(key);
        if key.is_empty() {
            return Ok(Vec::new());
        }
        self.read(|connection| {
            let ids = ids(connection)?;
            let mut chosen: Vec<&String> = ids.iter().filter(|id| word_key(id) == key).collect();
            if chosen.is_empty() {
                chosen = ids.iter().filter(|id| word_key(id).contains(&key)).collect();
            }
            chosen.into_iter().map(|id| view(connection, id)).collect()
        })
    }
}

impl Store {
    /// What is known of a slot of the submission system; nothing where no finding comes from it.
    pub fn slot_view(&self, slot: i64) -> Result<Option<ProblemView>, StoreError> {
        self.read(|connection| {
            let found = listed(connection, "source_slot", "slot", params![slot])?;
            Ok((!found.is_empty()).then(|| ProblemView {
                id: format!("slot{slot}"),
                problem: None,
                findings: found,
                strategies: Vec::new(),
            }))
        })
    }
}

fn view(connection: &Connection, id: &str) -> rusqlite::Result<ProblemView> {
    Ok(ProblemView {
        id: id.to_owned(),
        problem: load(connection, id)?,
        findings: listed(connection, "problem_id", "problem", params![id])?,
        strategies: strategies_of(connection, id)?,
    })
}

/// Findings by kind; of each kind what is proved before what is claimed, main results before steps and
/// trivialities, what somebody wrote down before what was read off results, then the newest.
fn listed(
    connection: &Connection,
    column: &str,
    of_sources: &str,
    value: &[&dyn ToSql],
) -> rusqlite::Result<Vec<Finding>> {
    let sql = format!(
        "SELECT id FROM findings WHERE ({column} = ?1 OR uid IN
             (SELECT record FROM finding_sources WHERE {of_sources} = ?1 AND answer IS NULL))
         AND status IN {LIVE}
         ORDER BY finding_type, finding_type = 'theorem' AND confidence <> 'verified',
         ',' || tags || ',' NOT LIKE '%,main,%',
         CASE WHEN coalesce(tags, '') LIKE '%helper%' THEN 3 WHEN tags LIKE '%aside%' THEN 2
              WHEN tags LIKE '%trivial%' THEN 1 ELSE 0 END,
         finding_type = 'failure' AND extracted_from IS NOT NULL, created_at DESC, id DESC"
    );
    let ids: Vec<i64> = rows::all(connection, &sql, value)?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(findings::load(connection, id)?);
    }
    Ok(found)
}

pub(super) fn load(connection: &Connection, id: &str) -> rusqlite::Result<Option<Problem>> {
    rows::first(connection, &format!("{SELECT} WHERE id = ?1"), params![id])
}

/// How much a status says: what is known to be settled is not reopened by what is merely listed.
fn weight(status: ProblemStatus) -> u8 {
    match status {
        ProblemStatus::Open => 0,
        ProblemStatus::InFlight => 1,
        ProblemStatus::Partial => 2,
        ProblemStatus::Proven | ProblemStatus::False => 3,
    }
}

fn stronger(stated: Option<ProblemStatus>, found: Option<ProblemStatus>) -> ProblemStatus {
    let known = [stated, found].into_iter().flatten();
    known.max_by_key(|status| weight(*status)).unwrap_or(ProblemStatus::Open)
}

/// Who said what about a problem's status.
struct Said {
    stated: Option<ProblemStatus>,
    found: Option<ProblemStatus>,
    status_before: ProblemStatus,
    status_after: ProblemStatus,
}

impl Said {
    /// Whether the status in the database is not what was said: then somebody set it by hand.
    fn is_overruled(&self, stored: ProblemStatus) -> bool {
        stored != self.status_before
    }
}

/// The name for people. One that is only the id spelled out says nothing.
fn better_name(id: &str, old: &str, draft: &ProblemDraft) -> String {
    let says_nothing = |name: &str| name.is_empty() || name == id || name == display_name(id);
    let is_better = draft.counts.is_some() || says_nothing(old);
    if is_better && !says_nothing(&draft.name) { draft.name.clone() } else { old.to_owned() }
}

impl Writer<'_> {
    /// See [`Store::known_problems`].
    pub fn known_problems(&self) -> Result<Vec<String>, StoreError> {
        Ok(ids(self.connection)?)
    }

    /// Stores what is known of a problem.
    ///
    /// A draft with counts is what a tracking database states, one without is what result files
    /// show. Both are remembered, and the status is the stronger of the two, so that importing and
    /// extracting in turn changes nothing. A status that was set by hand stays. What is stated
    /// replaces the texts; what was found fills gaps, and gives the best result.
    pub fn put_problem(&self, draft: &ProblemDraft) -> Result<Put, StoreError> {
        let mut id = problem_key(&draft.id);
        if id.is_empty() {
            return Err(StoreError::Invalid(format!("`{}` is no problem id", draft.id)));
        }
        self.ensure_domain(draft.domain.as_deref())?;
        if load(self.connection, &id)?.is_none()
            && let Some(spelling) = self.spelling(&id)?
        {
            id = spelling;
        }
        let inserted = self.execute(
            "INSERT OR IGNORE INTO problems (id, name, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?3)",
            params![id, draft.name, self.now],
        )?;
        let changed = self.merge_problem(&id, draft)?;
        let row = self.connection.query_row(
            "SELECT rowid FROM problems WHERE id = ?1",
            [&id],
            |row| row.get(0),
        )?;
        Ok(match (inserted, changed) {
            (1, _) => Put::Inserted(row),
            (_, true) => Put::Updated(row),
            (_, false) => Put::Unchanged(row),
        })
    }

    /// The id of a record that is the same problem in another spelling.
    fn spelling(&self, id: &str) -> rusqlite::Result<Option<String>> {
        let key = word_key(id);
        let ids: Vec<String> = self.all("SELECT id FROM problems", params![])?;
        Ok(ids.into_iter().find(|other| word_key(other) == key))
    }

    fn merge_problem(&self, id: &str, draft: &ProblemDraft) -> Result<bool, StoreError> {
        let Some(old) = load(self.connection, id)? else {
            return Ok(false);
        };
        let is_stated = draft.counts.is_some();
        let said = self.said(&old, draft)?;
        let status = if said.is_overruled(old.status) { old.status } else { said.status_after };
        let pick = |new: &Option<String>, old: &Option<String>, replaces: bool| {
            let (first, second) = if replaces { (new, old) } else { (old, new) };
            first.clone().filter(|text| !text.is_empty()).or_else(|| second.clone())
        };
        let counts = draft.counts;
        let changed = self.execute(
            "UPDATE problems SET name = ?2, domain_id = ?3, status = ?4, statement = ?5,
                 best_result = ?6, notes = ?7, stated_status = ?8, found_status = ?9,
                 stated_submissions = coalesce(?10, stated_submissions),
                 stated_proven = coalesce(?11, stated_proven),
                 stated_failed = coalesce(?12, stated_failed),
                 submission_count = max(coalesce(submission_count, 0), coalesce(?10, 0)),
                 proven_count = max(coalesce(proven_count, 0), coalesce(?11, 0)),
                 failed_count = max(coalesce(failed_count, 0), coalesce(?12, 0)),
                 updated_at = ?13
                 WHERE id = ?1 AND NOT (name IS ?2 AND domain_id IS ?3 AND status IS ?4
                 AND statement IS ?5 AND best_result IS ?6 AND notes IS ?7 AND stated_status IS ?8
                 AND found_status IS ?9 AND stated_submissions IS coalesce(?10, stated_submissions)
                 AND stated_proven IS coalesce(?11, stated_proven)
                 AND stated_failed IS coalesce(?12, stated_failed))",
            params![
                id,
                better_name(id, &old.name, draft),
                pick(&draft.domain, &old.domain, is_stated),
                status.as_str(),
                pick(&draft.statement, &old.statement, is_stated),
                pick(&draft.best_result, &old.best_result, true),
                pick(&draft.notes, &old.notes, is_stated),
                said.stated.map(ProblemStatus::as_str),
                said.found.map(ProblemStatus::as_str),
                counts.map(|c| c.0),
                counts.map(|c| c.1),
                counts.map(|c| c.2),
                self.now
            ],
        )?;
        Ok(changed > 0)
    }

    /// What was said of a problem's status before, and with this draft.
    fn said(&self, old: &Problem, draft: &ProblemDraft) -> rusqlite::Result<Said> {
        let (stated, mut found) = self
            .connection
            .prepare_cached("SELECT stated_status, found_status FROM problems WHERE id = ?1")?
            .query_row([&old.id], |row| Ok((status(text(row, 0)?), status(text(row, 1)?))))?;
        if stated.is_none() && found.is_none() && old.status != ProblemStatus::Open {
            // A row from before it was noted who said what.
            found = Some(old.status);
        }
        let mut said = Said {
            status_before: stronger(stated, found),
            stated,
            found,
            status_after: ProblemStatus::Open,
        };
        if draft.counts.is_some() {
            said.stated = Some(draft.status);
        }
        said.status_after = stronger(said.stated, said.found);
        Ok(said)
    }

    /// Counts every problem's submissions, proven and failed results anew from its findings: each file
    /// once, and never below what a tracking database stated. Something of a problem is proved where a
    /// prover answered for a theorem that is no triviality, no step of another and does not stand beside
    /// a triviality; settled it is by the word of its owner alone.
    pub fn recount_problems(&self) -> Result<(), StoreError> {
        let sql = format!(
            "WITH r(problem, origin, kind, confidence, evidence, tags) AS (
             SELECT s.problem, CASE WHEN s.file <> 'tracking.db' THEN s.file
                 ELSE coalesce(s.submission, 'slot' || s.slot) END,
             s.kind, s.confidence, s.evidence,
             CASE WHEN s.file <> 'tracking.db' THEN s.tags ELSE coalesce(f.tags, '') END
             FROM finding_sources s JOIN findings f ON f.uid = s.record
             WHERE s.problem IS NOT NULL AND s.answer IS NULL AND f.status IN {LIVE}
             UNION ALL
             SELECT problem_id, coalesce(source_file, source_submission_uuid, 'slot' || source_slot),
             finding_type, confidence, evidence, coalesce(tags, '')
             FROM findings f WHERE problem_id IS NOT NULL AND status IN {LIVE}
             AND NOT EXISTS (SELECT 1 FROM finding_sources WHERE record = f.uid)),
             c(id, submissions, proven, failed, found) AS (SELECT problem,
             count(DISTINCT origin),
             count(DISTINCT CASE WHEN kind = 'theorem' AND confidence = 'verified' THEN origin END),
             count(DISTINCT CASE WHEN kind = 'failure' THEN origin END),
             max(CASE WHEN kind = 'theorem' AND evidence IN ('prover', 'built', 'checked')
                 AND confidence IN ('verified', 'medium') AND tags NOT LIKE '%trivial%'
                 AND tags NOT LIKE '%helper%' AND tags NOT LIKE '%aside%' THEN 'partial' END)
             FROM r GROUP BY problem),
             n AS (SELECT p.id, max(coalesce(c.submissions, 0), coalesce(p.stated_submissions, 0)) AS s,
             max(coalesce(c.proven, 0), coalesce(p.stated_proven, 0)) AS q,
             max(coalesce(c.failed, 0), coalesce(p.stated_failed, 0)) AS f, c.found,
             CASE WHEN p.stated_status IN ('proven', 'false') THEN p.stated_status
                  ELSE coalesce(c.found, p.stated_status, 'open') END AS status,
             {OVERRULED} AS overruled
             FROM problems p LEFT JOIN c ON c.id = p.id)
             UPDATE problems SET submission_count = n.s, proven_count = n.q, failed_count = n.f,
             found_status = n.found, status = CASE WHEN n.overruled THEN problems.status
                ELSE n.status END, updated_at = ?1
             FROM n WHERE n.id = problems.id AND NOT (submission_count IS n.s AND proven_count IS n.q
             AND failed_count IS n.f AND found_status IS n.found
             AND (n.overruled OR problems.status IS n.status))"
        );
        self.execute(&sql, [&self.now])?;
        Ok(())
    }
}

/// Whether a problem's status is not what was said before: then somebody set it by hand. A row from
/// before it was noted who said what was set by nobody.
const OVERRULED: &str = "(p.stated_status IS NOT NULL OR p.found_status IS NOT NULL)
    AND p.status IS NOT CASE
    WHEN p.stated_status IN ('proven', 'false') THEN p.stated_status
    WHEN p.found_status IN ('proven', 'false') THEN p.found_status
    WHEN 'partial' IN (coalesce(p.stated_status, ''), coalesce(p.found_status, '')) THEN 'partial'
    ELSE coalesce(p.stated_status, 'open') END";
