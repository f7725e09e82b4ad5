//! Findings that a text could be about. For hooks: no ranking function, a bounded number of postings.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rusqlite::params;

use super::findings::LIVE;
use super::query::quoted;
use super::rows::most;
use super::symbols::{name_token, problem_token};
use super::{Result, Store};
use crate::model::{Finding, last_part};

/// A word in more findings says nothing.
const POSTINGS: usize = 600;
const NAMED_ROWS: i64 = 2000;
const NAMED: usize = 40;
const WORDED: usize = 16;
const TOKENS: usize = 64;

/// What is false or failed comes first.
const RANK: &str = "CASE f.finding_type WHEN 'false_lemma' THEN 0 WHEN 'failure' THEN 1
    WHEN 'lesson' THEN 2 ELSE 3 END";

/// Kinds that people word and that have no list of their own.
const WORDED_KINDS: &str =
    "('preference', 'decision', 'insight', 'failure', 'technique', 'mathlib_api', 'fact')";
/// `?1` with its other names, and the sessions about it.
const OF_PROBLEM: &str =
    "(SELECT ?1 UNION ALL SELECT alias FROM problem_aliases WHERE problem = ?1)";
const OF_SESSIONS: &str =
    "(SELECT session_id FROM runs WHERE session_id IS NOT NULL AND source = 'session'
    AND task_id IN (SELECT ?1 UNION ALL SELECT alias FROM problem_aliases WHERE problem = ?1))";

/// What is told only of a problem at hand; the choices of the whole project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtHand {
    FalseLemmas,
    /// Decisions, preferences and what else a person worded.
    Decided,
    Lessons,
    Playbooks,
    Choices,
}

impl AtHand {
    /// `?1` is the problem.
    fn condition(self) -> String {
        match self {
            Self::FalseLemmas => format!(
                "f.finding_type = 'false_lemma' AND f.problem_id IN {OF_PROBLEM}
                 ORDER BY f.created_at DESC, f.id DESC LIMIT 8"
            ),
            Self::Decided => format!(
                "f.finding_type IN {WORDED_KINDS} AND f.evidence = 'person' AND (f.problem_id IN {OF_PROBLEM}
                 OR f.problem_id IS NULL AND f.session_id IN {OF_SESSIONS}) ORDER BY f.id DESC LIMIT 8"
            ),
            Self::Lessons => format!(
                "f.finding_type = 'lesson' AND json_extract(f.detail, '$.lesson') IS NOT NULL
                 AND (f.problem_id IN {OF_PROBLEM} OR json_extract(f.detail, '$.lesson.pattern') = 'lean_fix'
                 AND f.session_id IN {OF_SESSIONS})
                 ORDER BY json_extract(f.detail, '$.lesson.success_count') DESC, f.id DESC LIMIT 8"
            ),
            Self::Playbooks => format!(
                "f.finding_type = 'playbook' AND (f.problem_id IN {OF_PROBLEM}
                 OR json_extract(f.detail, '$.playbook.source_task_id') IN {OF_PROBLEM})
                 ORDER BY f.id DESC LIMIT 8"
            ),
            Self::Choices => "f.finding_type IN ('preference', 'decision') AND f.evidence = 'person'
                 AND f.problem_id IS NULL ORDER BY f.id DESC LIMIT 3"
                .to_owned(),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recalled {
    /// Failed and false first, then the newest.
    pub named: Vec<Finding>,
    /// With the indexes of the words that each has.
    pub worded: Vec<Worded>,
    /// Findings that hold each word, up to a limit.
    pub docs: Vec<u64>,
    /// About how many findings there are.
    pub total: u64,
}

type Worded = (Finding, Vec<usize>);

impl Store {
    /// By names of theorems, whole or in part, by problems (see [`crate::model::word_key`]), and by words.
    pub fn recall(
        &self,
        names: &[String],
        problems: &[String],
        words: &[String],
    ) -> Result<Recalled> {
        let total = self.about_all()?;
        let mut tokens = names_as_tokens(names);
        tokens.extend(problems.iter().map(|problem| problem_token(problem)));
        // Where a problem's id is meant a name may be written.
        tokens.extend(names.iter().map(|name| problem_token(name)));
        let named = self.named(&tokens)?;
        let (worded, docs) = self.worded(words)?;
        Ok(Recalled { named, worded, docs, total: total.max(0).unsigned_abs() })
    }

    /// By a full name, or by its last part.
    pub fn called(&self, name: &str) -> Result<Vec<Finding>> {
        self.named(&[name_token(name)])
    }

    /// By their full names, to the letter. Failed and false first, then the newest.
    pub fn about_declarations(&self, names: &[String]) -> Result<Vec<Finding>> {
        let names = serde_json::to_string(names).unwrap_or_default();
        let sql = format!(
            "SELECT f.id FROM json_each(?1) n CROSS JOIN findings f INDEXED BY idx_findings_theorem
             ON f.theorem_name = n.value WHERE f.status IN {LIVE} ORDER BY {RANK}, f.id DESC LIMIT {NAMED}"
        );
        self.load_all(&self.all::<i64>(&sql, params![names])?)
    }

    /// Failed or false, newest first.
    pub fn failures_of_file(
        &self,
        file: &str,
        project: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Finding>> {
        // What was read off files has a source; little is written down without.
        let written = |kind: &str| {
            format!(
                "SELECT id FROM findings INDEXED BY idx_findings_written
                 WHERE finding_type = '{kind}' AND extracted_from IS NULL AND project IS ?1
                 AND status IN {LIVE} AND source_file = ?2"
            )
        };
        let sql = format!(
            "{} UNION {} UNION SELECT f.id FROM finding_sources s JOIN findings f ON f.uid = s.record
             WHERE s.project IN {} AND s.file = ?2 AND s.kind IN ('failure', 'false_lemma')
             AND f.status IN {LIVE}
             ORDER BY id DESC LIMIT ?3",
            written("failure"),
            written("false_lemma"),
            super::projects::names("coalesce(?1, '')")
        );
        self.load_all(&self.all::<i64>(&sql, params![project, file, most(limit)])?)
    }

    /// The problem of the last session, and those of result files written since `since` (nanoseconds since 1970), unless
    /// there are so many that they were copied.
    pub fn lately(&self, project: &str, root: &str, since: i64) -> Result<Vec<String>> {
        let names = super::projects::names("?1");
        let session = format!(
            "SELECT task_id FROM runs WHERE session_id IS NOT NULL AND source = 'session'
             AND project IN {names} ORDER BY completed_at DESC, id DESC LIMIT 1"
        );
        let files = "SELECT substr(path, length(?1) + 2) FROM extracted_files
            WHERE path > ?1 || '/' AND path < ?1 || '0' AND mtime_ns > ?2 LIMIT 10";
        let problems = format!(
            "SELECT DISTINCT problem FROM finding_sources WHERE problem IS NOT NULL
             AND file IN (SELECT value FROM json_each(?2)) AND project IN {names} ORDER BY 1 LIMIT 3"
        );
        let mut found: Vec<String> = self.all(&session, params![project])?;
        let files: Vec<String> = self.all(files, params![root, since])?;
        if files.len() < 10 {
            let files = serde_json::to_string(&files).unwrap_or_default();
            found.extend(self.all::<String>(&problems, params![project, files])?);
        }
        Ok(found)
    }

    pub fn at_hand(&self, what: AtHand, problem: &str, project: &str) -> Result<Vec<Finding>> {
        let names = super::projects::names("?2");
        let condition =
            format!("f.status IN {LIVE} AND f.project IN {names} AND {}", what.condition());
        self.select(&condition, params![problem, project])
    }

    /// Without those that were replaced.
    fn load_live(&self, ids: &[i64]) -> Result<Vec<Finding>> {
        let mut found = self.load_all(ids)?;
        found.retain(|finding| finding.content.status.is_live());
        Ok(found)
    }

    /// `symbols` hold one of the tokens.
    fn named(&self, tokens: &[String]) -> Result<Vec<Finding>> {
        let mut rows: BTreeMap<(i64, Reverse<i64>), i64> = BTreeMap::new();
        for tokens in tokens.chunks(TOKENS) {
            let tokens: Vec<String> = tokens.iter().map(|token| quoted(token)).collect();
            let expression = format!("symbols : ({})", tokens.join(" OR "));
            let sql = format!(
            "SELECT f.id, {RANK} FROM findings_fts CROSS JOIN findings f INDEXED BY findings_filter
             ON f.id = findings_fts.rowid WHERE findings_fts MATCH ?1 LIMIT ?2"
        );
            let found: Vec<(i64, i64)> = self.all(&sql, params![expression, NAMED_ROWS])?;
            rows.extend(found.into_iter().map(|(id, rank)| ((rank, Reverse(id)), id)));
        }
        let ids: Vec<i64> = rows.into_values().take(NAMED).collect();
        self.load_live(&ids)
    }

    /// Findings that share the rarest words, and how often each word occurs. Descriptions, which are long, do not count.
    fn worded(&self, words: &[String]) -> Result<(Vec<Worded>, Vec<u64>)> {
        let mut docs = Vec::with_capacity(words.len());
        let mut shared: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        let sql = "SELECT rowid FROM findings_fts
        WHERE findings_fts MATCH '- {description counterexample} : ' || ?1 ORDER BY rowid DESC LIMIT ?2";
        let limit = most(POSTINGS + 1);
        let mut postings: Vec<(usize, Vec<i64>)> = Vec::with_capacity(words.len());
        for (at, word) in words.iter().enumerate() {
            let rows: Vec<i64> = self.all(sql, params![quoted(word), limit])?;
            docs.push(rows.len() as u64);
            postings.push((at, rows));
        }
        postings.sort_by_key(|(_, rows)| rows.len());
        for (at, rows) in postings {
            // A common word adds to what others found, and finds nothing by itself.
            let brings_up = rows.len() <= POSTINGS;
            for row in rows {
                if brings_up || shared.contains_key(&row) {
                    shared.entry(row).or_default().push(at);
                }
            }
        }
        let worth = |at: &usize| 1_000_000 / (10 + docs.get(*at).copied().unwrap_or_default());
        let mut best: Vec<(u64, i64, Vec<usize>)> = shared
            .into_iter()
            .filter(|(_, words)| words.len() > 1)
            .map(|(id, words)| (words.iter().map(worth).sum(), id, words))
            .collect();
        best.sort_by_key(|(sum, id, _)| (Reverse(*sum), Reverse(*id)));
        let mut found = Vec::new();
        for (_, id, words) in best.into_iter().take(WORDED) {
            found
                .extend(self.load_live(&[id])?.into_iter().map(|finding| (finding, words.clone())));
        }
        Ok((found, docs))
    }
}

fn names_as_tokens(names: &[String]) -> Vec<String> {
    let both = |name: &String| [name_token(name), name_token(last_part(name))];
    let mut tokens: Vec<String> = names.iter().flat_map(both).collect();
    tokens.sort();
    tokens.dedup();
    tokens
}
