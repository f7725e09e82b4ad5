//! Approaches to problems, and which techniques proved what.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::findings::LIVE;
use super::problems::{HELPER, TRIVIAL};
use super::{Result, Store, StoreError, Writer, projects};
use crate::model::{Put, Report, Strategy, StrategyDraft, problem_key};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TechniqueUse {
    pub technique: String,
    pub count: i64,
    /// Ids.
    pub domains: Vec<String>,
    pub slots: Vec<i64>,
}

impl Store {
    /// `ids` is a JSON list of problems.
    pub(super) fn strategies_of(&self, ids: &str) -> Result<Vec<Strategy>> {
        self.all(
        "SELECT id, problem_id AS problem, domain_id AS domain, approach_name AS approach,
         approach_description AS description, outcome, submission_slot AS slot, attempts, learned,
         last_attempted FROM strategies
         WHERE problem_id IN (SELECT value FROM json_each(?1)) ORDER BY outcome, last_attempted DESC, id DESC",
        params![ids],
    )
    }

    /// Of proved theorems, most frequent first; those of a domain, about one of these problems, or of a project. Of steps
    /// only where nothing else is proved.
    pub fn techniques(
        &self,
        domain: Option<&str>,
        problems: Option<&[String]>,
        project: Option<&str>,
    ) -> Result<Vec<TechniqueUse>> {
        let mut names = Vec::new();
        for id in problems.unwrap_or_default() {
            names.extend(self.spellings(id)?);
        }
        let names = problems.map(|_| serde_json::json!(names).to_string());
        let of = |which: &str| {
            let sql = format!(
                "SELECT proof_technique AS technique, count(*) AS count,
                 json_group_array(DISTINCT domain_id ORDER BY domain_id) FILTER (WHERE domain_id <> '') AS domains,
                 json_group_array(DISTINCT source_slot ORDER BY source_slot) FILTER (WHERE source_slot IS NOT NULL) AS slots
                 FROM findings WHERE finding_type = 'theorem' AND confidence = 'verified' AND status IN {LIVE}
                 AND proof_technique <> '' AND NOT {TRIVIAL} AND {which} AND (?1 IS NULL OR domain_id = ?1)
                 AND (?2 IS NULL OR problem_id IN (SELECT value FROM json_each(?2))) AND {}
                 GROUP BY proof_technique ORDER BY 2 DESC, 1",
                projects::is_of("project", "?3")
            );
            self.all(&sql, params![domain, names, project])
        };
        let found: Vec<TechniqueUse> = of(&format!("NOT {HELPER}"))?;
        if found.is_empty() { of("TRUE") } else { Ok(found) }
    }
}

/// File, else submission, else slot.
fn attempt_key(draft: &StrategyDraft) -> Option<String> {
    let file = draft.source_file.clone().or_else(|| draft.submission.clone());
    file.or_else(|| draft.slot.map(|slot| format!("slot{slot}")))
}

impl Writer<'_> {
    /// The same file, submission or slot is the same attempt. The outcome is the best of all attempts, everything else the
    /// last one's.
    pub fn put_strategy(&self, draft: &StrategyDraft) -> Result<Put> {
        let problem = problem_key(&draft.problem);
        if problem.is_empty() || draft.approach.trim().is_empty() {
            let what = "a strategy needs the id of a problem and the name of an approach";
            return Err(StoreError::Invalid(what.to_owned()));
        }
        self.ensure_domain(draft.domain.as_deref())?;
        let known: Option<i64> = self.first(
            "SELECT id FROM strategies WHERE problem_id = ?1 AND approach_name = ?2",
            params![problem, draft.approach],
        )?;
        let id = match known {
            Some(id) => id,
            None => self.insert_strategy(&problem, draft)?,
        };
        let is_changed = self.put_attempt(id, &attempt_key(draft).unwrap_or_default(), draft)?;
        if is_changed {
            self.sum_up(id)?;
        }
        Ok(match known {
            None => Put::Inserted(id),
            Some(_) if is_changed => Put::Updated(id),
            Some(_) => Put::Unchanged(id),
        })
    }

    /// Also removes attempts of `file` that are not in `drafts`, and approaches without any attempt left.
    pub fn replace_strategies(
        &self,
        file: &str,
        drafts: &[StrategyDraft],
        report: &mut Report,
    ) -> Result<()> {
        for draft in drafts {
            report.record("strategy", self.put_strategy(draft)?);
        }
        let known: Vec<(i64, String, String)> = self.all(
            "SELECT s.id, s.problem_id, s.approach_name FROM strategy_attempts a
             JOIN strategies s ON s.id = a.strategy_id WHERE a.attempt = ?1",
            params![file],
        )?;
        for (id, problem, approach) in known {
            let stays =
                |d: &StrategyDraft| problem_key(&d.problem) == problem && d.approach == approach;
            if drafts.iter().any(stays) {
                continue;
            }
            self.execute(
                "DELETE FROM strategy_attempts WHERE strategy_id = ?1 AND attempt = ?2",
                params![id, file],
            )?;
            self.sum_up(id)?;
            report.removed("strategy");
        }
        Ok(())
    }

    /// Without what is summed up from its attempts.
    fn insert_strategy(&self, problem: &str, draft: &StrategyDraft) -> Result<i64> {
        self.run(
            "INSERT INTO strategies (problem_id, problem_name, domain_id, approach_name, outcome, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                problem,
                draft.problem_name,
                draft.domain,
                draft.approach,
                draft.outcome.as_str(),
                self.now
            ],
        )?;
        Ok(self.connection.last_insert_rowid())
    }

    fn put_attempt(&self, id: i64, attempt: &str, draft: &StrategyDraft) -> Result<bool> {
        let changed = self.execute(
            "INSERT INTO strategy_attempts (strategy_id, attempt, outcome, description, slot,
                 submission, learned, attempted_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                 ON CONFLICT DO UPDATE SET outcome = ?3, description = ?4, slot = ?5,
                 submission = ?6, learned = ?7, attempted_at = ?8
                 WHERE NOT (outcome IS ?3 AND description IS ?4 AND slot IS ?5 AND submission IS ?6
                 AND learned IS ?7 AND attempted_at IS ?8)",
            params![
                id,
                attempt,
                draft.outcome.as_str(),
                draft.description,
                draft.slot,
                draft.submission,
                draft.learned,
                draft.attempted_at
            ],
        )?;
        Ok(changed > 0)
    }

    /// From its attempts; without any it is removed. Where the answer to a submission was read, its row is no
    /// attempt of its own, and says no more how it ended, unless its owner calls it the solution.
    fn sum_up(&self, id: i64) -> Result<()> {
        self.execute(
            "DELETE FROM strategies WHERE id = ?1
                 AND NOT EXISTS (SELECT 1 FROM strategy_attempts WHERE strategy_id = ?1)",
            [id],
        )?;
        self.run(
            "WITH told AS (SELECT * FROM strategy_attempts a WHERE strategy_id = ?1 AND (outcome = 'proven'
                 OR attempt IS NOT submission OR NOT EXISTS (SELECT 1 FROM strategy_attempts b
                 WHERE b.strategy_id = ?1 AND b.submission = a.submission AND b.attempt <> a.attempt)))
             UPDATE strategies SET
                 outcome = (SELECT outcome FROM told
                    ORDER BY CASE outcome WHEN 'proven' THEN 0 WHEN 'partial' THEN 1
                    WHEN 'in_flight' THEN 2 WHEN 'failed' THEN 3 ELSE 4 END LIMIT 1),
                 attempts = (SELECT sum(times) FROM told),
                 (approach_description, submission_slot, submission_uuid, learned, last_attempted) =
                    (SELECT coalesce(a.description, strategies.approach_description),
                     coalesce(a.slot, strategies.submission_slot),
                     coalesce(a.submission, strategies.submission_uuid),
                     coalesce(a.learned, strategies.learned), a.attempted_at
                     FROM told a ORDER BY a.attempted_at DESC, a.attempt DESC LIMIT 1)
                 WHERE id = ?1",
            [id],
        )
    }
}
