//! A problem or a slot in a few findings.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::findings::LIVE;
use super::problems::{self, OF_PROBLEM, OF_SLOT};
use super::{Store, StoreError, findings, rows};
use crate::model::{CONTRADICTION_TAG, Few, Gist, Kind, Problem, ProblemName, same_problem};

const LOADED: usize = 3;

impl Store {
    pub fn problem_names(&self) -> Result<Vec<ProblemName>, StoreError> {
        let known = self.read(problems::problems)?;
        let aliases = self.problem_aliases()?;
        // Without a stated status it was only named in a finding.
        let found: Vec<String> = self.all(
            "SELECT id FROM problems WHERE stated_status IS NULL AND decided_status IS NULL",
            params![],
        )?;
        let found: HashSet<String> = found.into_iter().collect();
        let name = |names: problems::Names| {
            // An alias given by a person need not occur anywhere.
            let mut all = names.all;
            all.extend(
                aliases.iter().filter(|(_, id)| *id == names.id).map(|(alias, _)| alias.clone()),
            );
            all.retain(|name| *name != names.id);
            ProblemName { is_stated: !found.contains(&names.id), aliases: all, id: names.id }
        };
        Ok(known.into_iter().map(name).collect())
    }

    /// `name` in another spelling, or another name of the problem.
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

    pub fn problem_gist(&self, id: &str) -> Result<Gist, StoreError> {
        self.read(|c| {
            let names = serde_json::json!(problems::spellings(c, id)?).to_string();
            let problem = problems::load(c, id)?;
            gist(c, id.to_owned(), problem, OF_PROBLEM, &names)
        })
    }

    pub fn slot_gist(&self, slot: i64) -> Result<Gist, StoreError> {
        let slots = format!("[{slot}]");
        self.read(|c| gist(c, format!("slot{slot}"), None, OF_SLOT, &slots))
    }

    /// Slots whose answer contradicts the tracking database or proves only trivialities.
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
    // What came back of a slot is its story, but no dead end of a problem.
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
