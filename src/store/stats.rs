//! What the database holds, in numbers and lists.

use std::collections::BTreeMap;
use std::fs;

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::findings::LIVE;
use super::problems::{CONTESTED, KNOWN};
use super::{Result, Store, projects};
use crate::model::{Finding, Kind, Knowledge, NAMES_READ};
use crate::text::{says, spaced};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    pub findings: FindingCounts,
    pub problems: BTreeMap<String, u64>,
    pub strategies: BTreeMap<String, u64>,
    /// Proposals by status, those of which there are none included.
    pub proposals: BTreeMap<String, u64>,
    pub sessions: SessionCounts,
    pub database: DatabaseFacts,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FindingCounts {
    pub total: u64,
    pub by_kind: BTreeMap<String, u64>,
    /// By domain; those without one count as `unknown`.
    pub by_domain: BTreeMap<String, u64>,
    /// When the newest came in.
    pub newest: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCounts {
    pub seen: u64,
    /// Those whose transcript was read, whatever was found in it.
    pub captured: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DatabaseFacts {
    pub path: String,
    pub bytes: u64,
}

/// Some of the failures and false lemmas, and how many there are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Failed {
    pub findings: Vec<Finding>,
    pub failures: usize,
    pub false_lemmas: usize,
}

/// How many findings of each kind are live, counted anew.
pub(super) fn recount_kinds(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "UPDATE kinds SET live =
         (SELECT count(*) FROM findings WHERE finding_type = kinds.name AND status IN {LIVE})"
    ))
}

impl Store {
    fn grouped(&self, sql: &str) -> Result<BTreeMap<String, u64>> {
        let mut groups = BTreeMap::new();
        for (word, count) in self.all::<(String, u64)>(sql, params![])? {
            let word = if word.is_empty() { "unknown".to_owned() } else { word };
            *groups.entry(word).or_default() += count;
        }
        Ok(groups)
    }

    pub fn stats(&self) -> Result<Stats> {
        let database = DatabaseFacts {
            path: self.path.to_string_lossy().into_owned(),
            bytes: fs::metadata(&self.path).map_or(0, |file| file.len()),
        };
        let by = |column: &str| {
            self.grouped(&format!(
                "SELECT {column}, count(*) FROM findings WHERE status IN {LIVE} GROUP BY {column}"
            ))
        };
        let by_kind = by("finding_type")?;
        let newest = self.first("SELECT max(created_at) FROM findings", params![])?;
        let proposals = self.grouped(
            "SELECT status, count(*) FROM proposals GROUP BY status
             UNION ALL VALUES ('pending', 0), ('accepted', 0), ('rejected', 0), ('expired', 0)",
        )?;
        let strategies = "SELECT outcome, count(*) FROM strategies GROUP BY outcome";
        Ok(Stats {
            findings: FindingCounts {
                total: by_kind.values().sum(),
                by_kind,
                by_domain: by("domain_id")?,
                newest: newest.flatten(),
            },
            problems: self.grouped(&format!(
                "SELECT CASE WHEN {CONTESTED} THEN 'contested' WHEN {KNOWN} THEN 'known' ELSE status END,
                 count(*) FROM problems WHERE id NOT IN (SELECT alias FROM problem_aliases) GROUP BY 1"
            ))?,
            strategies: self.grouped(strategies)?,
            proposals,
            sessions: self.sessions()?,
            database,
        })
    }

    /// Sessions of the client of which we know, and those whose transcript was read.
    pub fn sessions(&self) -> Result<SessionCounts> {
        let sql = "SELECT count(*) AS seen, count(*) FILTER (WHERE captured <> 0) AS captured
            FROM client_sessions";
        Ok(self.first(sql, params![])?.unwrap_or_default())
    }

    pub fn is_empty(&self) -> Result<bool> {
        self.value("SELECT NOT EXISTS (SELECT 1 FROM kinds WHERE live > 0)", params![])
    }

    /// What the briefing of a project says at a time; without a project, of everything. What was refuted counts
    /// since another time. And when the first of what it names expires.
    pub fn knowledge(&self, project: Option<&str>, since: &str) -> Result<Knowledge> {
        let here = format!("(?1 IS NULL OR project IN {})", projects::names("?1"));
        // One look into the index on the project each.
        let is_here = format!(
            "SELECT EXISTS (SELECT 1 FROM findings WHERE project IS NULL AND status IN {LIVE})
             OR EXISTS (SELECT 1 FROM findings WHERE project IN {} AND status IN {LIVE})
             OR (?1 IS NULL AND EXISTS (SELECT 1 FROM findings WHERE status IN {LIVE}))",
            projects::names("?1")
        );
        let newest = |named: &str, index: &str, condition: &str| {
            format!(
                "SELECT {named} FROM findings INDEXED BY {index} WHERE {condition}
                 AND status IN {LIVE} AND {here} ORDER BY created_at DESC, id DESC LIMIT {NAMES_READ}"
            )
        };
        let refuted = newest(
            "coalesce(theorem_name, title)",
            "findings_false_lemmas",
            "finding_type = 'false_lemma' AND created_at >= ?2",
        );
        let dead_ends = newest(
            "coalesce(theorem_name, title), problem_id",
            "idx_findings_written",
            concat!(
                "finding_type = 'failure' AND extracted_from IS NULL AND ?2 IS NOT NULL AND NOT ",
                has_tag!("tags", "note")
            ),
        );
        // Of no findings it is not known whose they are.
        let of_project = format!(
            "id NOT IN (SELECT alias FROM problem_aliases) AND (?1 IS NULL OR EXISTS
             (SELECT 1 FROM findings f WHERE f.problem_id = problems.id
             AND (f.project IS NULL OR f.project IN {0}))
             OR EXISTS (SELECT 1 FROM finding_sources s WHERE s.problem = problems.id AND s.project IN {0})
             OR NOT EXISTS (SELECT 1 FROM findings f WHERE f.problem_id = problems.id))",
            projects::names("?1")
        );
        let any = format!("SELECT EXISTS (SELECT 1 FROM problems WHERE {of_project})");
        let settled = format!(
            "SELECT id || CASE status WHEN 'false' THEN ' (false)' ELSE '' END FROM problems
             WHERE status IN ('proven', 'false') AND (decided_status IS NOT NULL
             OR coalesce(notes, '') NOT LIKE 'Known: %') AND NOT {CONTESTED} AND {of_project}
             ORDER BY decided_at DESC, id LIMIT {NAMES_READ}"
        );
        let live = self.grouped("SELECT name, live FROM kinds WHERE live > 0")?;
        let by_kind = live.iter().filter_map(|(word, n)| Some((word.parse().ok()?, *n)));
        let any: bool = self.value(&any, params![project])?;
        Ok(Knowledge {
            total: live.values().sum(),
            by_kind: by_kind.collect(),
            here: self.value(&is_here, params![project])?,
            refuted: self.all(&refuted, params![project, since])?,
            dead_ends: self.all(&dead_ends, params![project, since])?,
            settled: any.then(|| self.all(&settled, params![project])).transpose()?,
            kernel: self.kernel_counts(project)?,
        })
    }

    /// Failures and false lemmas: what somebody wrote down before what was read off results, failures
    /// before false lemmas, then the newest first. A keyword is looked for as a part of title,
    /// reason and problem, in any case; several words must all be there, the parts of a name (`hub_cover`)
    /// beside each other.
    /// Of all projects where none is named.
    pub fn failed(
        &self,
        keyword: Option<&str>,
        project: Option<&str>,
        limit: usize,
    ) -> Result<Failed> {
        let words = keyword.unwrap_or_default().split_whitespace().map(spaced);
        let words: Vec<String> = words.filter(|word| !word.is_empty()).take(8).collect();
        let sql = format!(
            "SELECT id, finding_type, concat_ws(' ', title, description, why_failed, avoid_pattern,
             counterexample, notes, problem_id, theorem_name, source_file, 'slot' || source_slot,
             (SELECT group_concat(concat_ws(' ', file, 'slot' || slot), ' ') FROM finding_sources
             WHERE record = findings.uid))
             FROM findings WHERE finding_type IN ('failure', 'false_lemma')
             AND status IN {LIVE} AND {}
             ORDER BY extracted_from IS NOT NULL, {},
             finding_type = 'false_lemma', created_at DESC, id DESC",
            projects::is_of("project", "?1"),
            has_tag!("tags", "note")
        );
        let mut found: Vec<(i64, String, String)> = self.all(&sql, params![project])?;
        found.retain(|(.., content)| {
            let content = spaced(content);
            words.iter().all(|word| says(&content, word))
        });
        let found: Vec<(i64, bool)> = found
            .into_iter()
            .map(|(id, kind, _)| (id, kind == Kind::FalseLemma.as_str()))
            .collect();
        let false_lemmas = found.iter().filter(|(_, is_false)| *is_false).count();
        let failures = found.len() - false_lemmas;
        // Neither kind takes all the room from the other.
        let most_failures = limit.saturating_sub(false_lemmas.min(limit / 2));
        let most_false = limit - failures.min(most_failures);
        let mut room = [most_failures, most_false];
        let mut shown = Vec::new();
        for (id, is_false) in found {
            let room = &mut room[usize::from(is_false)];
            if *room > 0 {
                *room -= 1;
                shown.extend(self.finding(id)?);
            }
        }
        Ok(Failed { findings: shown, failures, false_lemmas })
    }
}
