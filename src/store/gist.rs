//! A problem or a slot in a few findings: the best result, what is false, what failed, what was noted.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::record::LIVE;
use super::{Store, StoreError, findings, problems, rows};
use crate::model::{Few, Gist, Kind, Problem, ProblemName};

/// Findings of one sort that are loaded.
const LOADED: usize = 3;

impl Store {
    /// All problems, with what else they are called.
    pub fn problem_names(&self) -> Result<Vec<ProblemName>, StoreError> {
        let known = self.read(problems::problems)?;
        // What has no record of its own was named in a finding.
        let found: Vec<String> = self.all(
            "SELECT id FROM problems WHERE stated_status IS NULL AND decided_status IS NULL",
            params![],
        )?;
        let found: HashSet<String> = found.into_iter().collect();
        let name = |names: problems::Names| ProblemName {
            is_stated: !found.contains(&names.id),
            aliases: names.all.into_iter().filter(|name| *name != names.id).collect(),
            id: names.id,
        };
        Ok(known.into_iter().map(name).collect())
    }

    /// A problem by its id, in short.
    pub fn problem_gist(&self, id: &str) -> Result<Gist, StoreError> {
        self.read(|c| {
            let names = serde_json::json!(problems::spellings(c, id)?).to_string();
            gist(c, id.to_owned(), problems::load(c, id)?, ["problem_id", "problem"], &names)
        })
    }

    /// A slot in short.
    pub fn slot_gist(&self, slot: i64) -> Result<Gist, StoreError> {
        let (id, slots) = (format!("slot{slot}"), format!("[{slot}]"));
        self.read(|c| gist(c, id.clone(), None, ["source_slot", "slot"], &slots))
    }
}

fn gist(
    connection: &Connection,
    id: String,
    problem: Option<Problem>,
    [column, of_sources]: [&str; 2],
    values: &str,
) -> rusqlite::Result<Gist> {
    let sql = format!(
        "SELECT id FROM findings WHERE uid IN
             (SELECT uid FROM findings WHERE {column} IN (SELECT value FROM json_each(?1))
             UNION SELECT record FROM finding_sources
             WHERE {of_sources} IN (SELECT value FROM json_each(?1)) AND answer IS NULL)
         AND finding_type = ?2 AND status IN {LIVE}
         ORDER BY finding_type = 'theorem' AND confidence <> 'verified',
         ',' || tags || ',' NOT LIKE '%,main,%',
         CASE WHEN coalesce(tags, '') LIKE '%helper%' THEN 3 WHEN tags LIKE '%aside%' THEN 2
              WHEN tags LIKE '%trivial%' THEN 1 ELSE 0 END,
         extracted_from IS NOT NULL AND finding_type <> 'theorem', created_at DESC, id DESC"
    );
    let few = |kind: Kind| -> rusqlite::Result<Few> {
        let ids: Vec<i64> = rows::all(connection, &sql, params![values, kind.as_str()])?;
        let mut first = Vec::new();
        for id in ids.iter().take(LOADED) {
            first.extend(findings::load(connection, *id)?);
        }
        Ok(Few { first, total: ids.len() })
    };
    let (theorems, refuted) = (few(Kind::Theorem)?, few(Kind::FalseLemma)?);
    let (failed, notes) = (few(Kind::Failure)?, few(Kind::Insight)?);
    Ok(Gist { id, problem, theorems, refuted, failed, notes })
}
