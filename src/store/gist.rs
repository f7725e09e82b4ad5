//! A problem or a slot in a few findings: the best result, what is false, what failed, what was noted.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::problems::{self, OF_PROBLEM, OF_SLOT};
use super::record::LIVE;
use super::{Store, StoreError, findings, rows};
use crate::model::{CONTRADICTION_TAG, Few, Gist, Kind, Problem, ProblemName, same_problem};

/// Findings of one sort that are loaded.
const LOADED: usize = 3;

impl Store {
    /// All problems, with what else they are called.
    pub fn problem_names(&self) -> Result<Vec<ProblemName>, StoreError> {
        let known = self.read(problems::problems)?;
        let aliases = self.problem_aliases()?;
        // What has no record of its own was named in a finding.
        let found: Vec<String> = self.all(
            "SELECT id FROM problems WHERE stated_status IS NULL AND decided_status IS NULL",
            params![],
        )?;
        let found: HashSet<String> = found.into_iter().collect();
        let name = |names: problems::Names| {
            // Under a name that a person gave it nothing need stand yet.
            let mut all = names.all;
            all.extend(
                aliases.iter().filter(|(_, id)| *id == names.id).map(|(alias, _)| alias.clone()),
            );
            all.retain(|name| *name != names.id);
            ProblemName { is_stated: !found.contains(&names.id), aliases: all, id: names.id }
        };
        Ok(known.into_iter().map(name).collect())
    }

    /// The id under which a problem is known that is named by another of its names or in another spelling.
    pub fn problem_id(&self, name: &str) -> Result<String, StoreError> {
        self.read(|c| {
            let known = problems::Aliases::load(c)?.of(name).to_owned();
            let sql = "SELECT id FROM problems WHERE id = ?1";
            if rows::first::<String>(c, sql, params![known])?.is_some() {
                return Ok(known);
            }
            let mut all = problems::problems(c)?.into_iter();
            let same = |names: &problems::Names| same_problem(&names.id, &known);
            Ok(all.find(same).map_or_else(|| known.clone(), |names| names.id))
        })
    }

    /// A problem by its id, in short.
    pub fn problem_gist(&self, id: &str) -> Result<Gist, StoreError> {
        self.read(|c| {
            let names = serde_json::json!(problems::spellings(c, id)?).to_string();
            let problem = problems::load(c, id)?;
            gist(c, id.to_owned(), problem, OF_PROBLEM, &names)
        })
    }

    /// A slot in short.
    pub fn slot_gist(&self, slot: i64) -> Result<Gist, StoreError> {
        let slots = format!("[{slot}]");
        self.read(|c| gist(c, format!("slot{slot}"), None, OF_SLOT, &slots))
    }

    /// Those of the slots of which an answer was read that contradicts the tracking database, or proves
    /// nothing but what is trivial.
    pub fn slots_without_proof(&self, slots: &[i64]) -> Result<HashSet<i64>, StoreError> {
        let sql = format!(
            "WITH told(slot, uid) AS (
                 SELECT source_slot, uid FROM findings
                 WHERE source_slot IN (SELECT value FROM json_each(?1))
                 UNION SELECT slot, record FROM finding_sources
                 WHERE slot IN (SELECT value FROM json_each(?1)) AND answer IS NULL)
             SELECT slot FROM told JOIN findings f USING (uid) WHERE status IN {LIVE} GROUP BY slot
             HAVING max(finding_type = 'failure' AND ',' || tags || ',' LIKE '%,{CONTRADICTION_TAG},%')
             OR min(finding_type <> 'theorem' OR {TRIVIAL})
                AND max(finding_type = 'theorem' AND confidence = 'verified')"
        );
        Ok(self.all(&sql, params![serde_json::json!(slots).to_string()])?.into_iter().collect())
    }
}

/// What says nothing of a problem by itself.
const TRIVIAL: &str = "(coalesce(tags, '') LIKE '%trivial%' OR coalesce(tags, '') LIKE '%aside%')";

fn gist(
    connection: &Connection,
    id: String,
    problem: Option<Problem>,
    columns: [&str; 2],
    values: &str,
) -> rusqlite::Result<Gist> {
    let few = |kind: Kind, condition: &str| -> rusqlite::Result<Few> {
        let condition = format!("finding_type = '{}' AND {condition}", kind.as_str());
        let ids = problems::about(connection, columns, values, &condition)?;
        let mut first = Vec::new();
        for id in ids.iter().take(LOADED) {
            first.extend(findings::load(connection, *id)?);
        }
        Ok(Few { first, total: ids.len() })
    };
    // What came back of a slot is its story; of a problem it is no dead end.
    let failures = if columns == OF_PROBLEM { "extracted_from IS NULL" } else { "TRUE" };
    let trivial = format!("finding_type = 'theorem' AND confidence = 'verified' AND {TRIVIAL}");
    Ok(Gist {
        id,
        problem,
        theorems: few(Kind::Theorem, &format!("NOT {TRIVIAL}"))?,
        trivial: problems::about(connection, columns, values, &trivial)?.len(),
        refuted: few(Kind::FalseLemma, "TRUE")?,
        failed: few(Kind::Failure, failures)?,
        notes: few(Kind::Insight, "TRUE")?,
    })
}
