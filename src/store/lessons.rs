//! Errors as sessions met them, and lessons by the signature of the failure that they are about, how often they helped, and a model's words
//! for them, which wait beside those of the rules.

use rusqlite::params;
use serde::Deserialize;

use super::findings::LIVE;
use super::projects::is_here;
use super::rows::most;
use super::symbols::name_token;
use super::{Result, Store, Writer};
use crate::model::{Finding, LessonWords, last_part};

/// Lessons of one signature and of like signatures that are looked at.
const MOST_ALIKE: i64 = 200;

const MOST_NAMED: i64 = 50;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NamedTheorem {
    pub id: i64,
    pub name: String,
    pub file: String,
    pub verified: bool,
}

const LESSON: &str = "f.finding_type = 'lesson' AND f.status IN ('claimed', 'confirmed')
    AND json_extract(f.detail, '$.lesson') IS NOT NULL";

impl Store {
    /// Exact ones first, then those of the same kind and name; only what was observed or confirmed. This project's
    /// first, then what helped most, then what is newest.
    pub fn lessons_about(&self, signature: &str, project: Option<&str>) -> Result<Vec<Finding>> {
        let key = signature.split(" | ").next().unwrap_or(signature);
        let begin = format!("{key} | ");
        let end = format!("{begin}{}", char::MAX);
        // Marked with `+`, or all lessons would be looked through instead of those under the keys.
        let condition = format!(
            "+f.finding_type = 'lesson' AND +f.status IN {LIVE}
             AND json_extract(f.detail, '$.lesson') IS NOT NULL AND f.evidence IN ('kernel', 'person', 'prover', 'session')
             AND (f.key = ?2 OR ?3 AND f.key >= ?4 AND f.key < ?5) ORDER BY f.key = ?2 DESC, {} DESC,
             json_extract(f.detail, '$.lesson.success_count') DESC, f.id DESC LIMIT ?6",
            is_here("f.project", "?1")
        );
        // Kind alone would bring any fix of that kind.
        let has_name = key.contains(' ');
        let values = params![project, signature, has_name, begin, end, MOST_ALIKE];
        self.select(&condition, values)
    }

    pub fn theorems_named(&self, last: &str, project: Option<&str>) -> Result<Vec<NamedTheorem>> {
        let token = format!("symbols : \"{}\"", name_token(last_part(last)));
        let sql = format!(
            "SELECT f.id, f.theorem_name AS name, f.source_file AS file,
             f.confidence = 'verified' AS verified
             FROM findings_fts CROSS JOIN findings f ON f.id = findings_fts.rowid
             WHERE findings_fts MATCH ?1 AND f.finding_type = 'theorem'
             AND f.confidence <> 'disproven' AND f.status IN ('claimed', 'confirmed')
             AND f.source_file <> '' ORDER BY {} DESC, 4 DESC, f.id DESC LIMIT ?3",
            is_here("f.project", "?2")
        );
        let mut named: Vec<NamedTheorem> = self.all(&sql, params![token, project, MOST_NAMED])?;
        named.retain(|one| last_part(&one.name) == last_part(last));
        Ok(named)
    }

    /// The newest first, without those that never ended well.
    pub fn unworded_lessons(&self, limit: usize) -> Result<Vec<Unworded>> {
        let sql = format!(
            "SELECT f.id, f.fingerprint AS source, f.session_id AS session FROM findings f
             WHERE {LESSON} AND f.evidence = 'session' AND f.fingerprint IS NOT NULL
             AND json_extract(f.detail, '$.lesson.pattern') <> 'still_failing'
             AND json_extract(f.detail, '$.lesson.words') IS NULL
             AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'lesson'
                AND j.key = CAST(f.id AS TEXT) AND j.version = f.fingerprint)
             ORDER BY f.id DESC LIMIT ?1"
        );
        self.all(&sql, params![most(limit)])
    }

    pub fn lesson_source(&self, id: i64) -> Result<Option<String>> {
        let sql = format!(
            "SELECT f.fingerprint FROM findings f WHERE f.id = ?1 AND {LESSON}
             AND f.evidence = 'session' AND f.fingerprint IS NOT NULL"
        );
        self.first(&sql, params![id])
    }

    pub fn sightings(&self, session: &str) -> Result<Vec<Sighting>> {
        self.all(
            "SELECT signature, target, times, builds, resolved_at IS NOT NULL AS resolved, last_at
             FROM error_sightings WHERE session_id = ?1 ORDER BY last_at DESC LIMIT ?2",
            params![session, MOST_SIGHTINGS],
        )
    }

    /// By title, of all projects that know the theorem or file under this name, the newest first.
    pub fn tried(&self, theorem: Option<&str>, file: &str, limit: usize) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT title FROM (
                     SELECT title, updated_at AS at FROM findings
                     WHERE finding_type = 'failure' AND status IN {LIVE}
                     AND (theorem_name = ?1 OR (source_file = ?2 AND ?2 <> ''))
                   UNION
                     SELECT s.approach_name, a.attempted_at FROM strategy_attempts a
                     JOIN strategies s ON s.id = a.strategy_id
                     WHERE a.attempt = ?2 AND ?2 <> '' AND s.outcome = 'failed'
                 ) ORDER BY at DESC, title LIMIT ?3"
        );
        self.all(&sql, params![theorem, file, most(limit)])
    }
}

impl Writer<'_> {
    /// Decides what became of a lesson that was shown, once; where it worked, that is counted.
    pub fn lesson_turned_out(&self, id: i64, session: &str, worked: bool) -> Result<()> {
        let outcome = if worked { "spared" } else { "recurred" };
        let decided = self.execute(
            "UPDATE injections SET outcome = ?3, how = 'gone', decided_at = ?4
                 WHERE finding_id = ?1 AND session_id = ?2 AND rule = 'error'
                 AND (outcome IS NULL OR outcome IN ('used', 'unused'))",
            params![id, session, outcome, self.now],
        )?;
        if decided > 0 {
            self.change(id, |draft| {
                let Some(lesson) = draft.lesson_mut() else { return };
                let count = if worked { &mut lesson.success_count } else { &mut lesson.recurred };
                *count += 1;
            })?;
        }
        Ok(())
    }

    /// Keeps words that are for what the lesson says now (`source_is`) and surer than those that wait.
    pub fn word_lesson(&self, id: i64, source_is: &str, words: LessonWords) -> Result<bool> {
        if self.lesson_source(id)?.as_deref() != Some(source_is) {
            return Ok(false);
        }
        let mut taken = false;
        self.change(id, |draft| {
            let Some(lesson) = draft.lesson_mut() else { return };
            let known = lesson.words.as_ref();
            taken = known.is_none_or(|known| known.confidence < words.confidence);
            if taken {
                lesson.words = Some(words);
            }
        })?;
        Ok(taken)
    }

    pub fn saw_error(
        &self,
        session: &str,
        signature: &str,
        target: &str,
        in_build: bool,
    ) -> Result<()> {
        self.run(
            "INSERT INTO error_sightings (session_id, signature, target, times, builds, first_at,
                 last_at) VALUES (?1, ?2, ?3, 1, ?4, ?5, ?5) ON CONFLICT DO UPDATE SET
                 times = times + 1, builds = excluded.builds + iif(resolved_at IS NULL, builds, 0),
                 last_at = excluded.last_at, resolved_at = NULL",
            params![session, signature, target, in_build, self.now],
        )
    }

    pub fn error_resolved(&self, session: &str, signature: &str, target: &str) -> Result<()> {
        self.run(
            "UPDATE error_sightings SET resolved_at = ?4
                 WHERE session_id = ?1 AND signature = ?2 AND target = ?3 AND resolved_at IS NULL",
            [session, signature, target, &self.now],
        )
    }

    /// No build shows a missing program to be gone: what was not missed again was spared.
    pub fn settle_session(&self, session: &str) -> Result<()> {
        let sql = "SELECT s.finding_id FROM injections s JOIN error_sightings e
            ON e.session_id = s.session_id AND e.signature = s.why
            WHERE s.session_id = ?1 AND s.rule = 'error' AND s.finding_id IS NOT NULL
            AND (s.outcome IS NULL OR s.outcome IN ('used', 'unused')) AND s.why GLOB 'missing-[cl]*'
            GROUP BY s.finding_id HAVING max(e.last_at) <= min(s.at)";
        let open: Vec<i64> = self.all(sql, params![session])?;
        open.into_iter().try_for_each(|lesson| self.lesson_turned_out(lesson, session, true))
    }
}

/// A lesson that no model has put in words, and that is not being done.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Unworded {
    pub id: i64,
    /// Fingerprint of what is to be put in words.
    pub source: String,
    pub session: Option<String>,
}

const MOST_SIGHTINGS: i64 = 200;

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Sighting {
    pub signature: String,
    /// The file it was in, as it is stored; empty for what is about no file.
    pub target: String,
    pub times: u64,
    pub builds: u64,
    /// Whether a later build of its file was without it; what came before then counts no more.
    pub resolved: bool,
    pub last_at: String,
}
