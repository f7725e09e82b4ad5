//! Lessons by the signature of the failure that they are about, how often they helped, and a model's words
//! for them: what a lesson is found by, its edit and its evidence stay, and the words before are kept.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::projects::is_here;
use super::symbols::{last_component, name_token, symbols_of};
use super::{Store, StoreError, Writer, findings};

/// Lessons of one signature, and lessons of like signatures, that are looked at.
const MOST_EXACT: i64 = 20;
const MOST_ALIKE: i64 = 200;

/// Theorems of one name that are looked at.
const MOST_NAMED: i64 = 50;

/// A lesson as it stands in the database.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredLesson {
    pub id: i64,
    pub title: String,
    /// How it came about: `lean_fix`, `tool_switch`, ...
    pub pattern: String,
    pub tool: Option<String>,
    /// Class of the failure.
    pub reason: Option<String>,
    /// By what the same failure is known again.
    pub signature: Option<String>,
    pub what_failed: String,
    pub what_worked: String,
    /// The whole text, with the smallest edit where there is one.
    pub description: String,
    /// How often it was shown and the failure then was gone.
    pub worked: u64,
    /// How often it was shown and the failure came back.
    pub recurred: u64,
    /// 0.0 to 1.0.
    pub confidence: Option<f64>,
    /// Identity of the project in which it was learnt.
    pub project: Option<String>,
    pub session: Option<String>,
    /// Line of the session's transcript that shows that it worked.
    pub line: Option<i64>,
    /// When it was first known, `YYYY-MM-DD HH:MM:SS` in UTC.
    pub created_at: Option<String>,
    /// The words that it had before a model gave it these, where one lesson is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<LessonWords>,
}

/// Which lessons are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LessonFilter {
    /// Only of this tool or program, or of one whose name begins so, whatever the case.
    pub tool: Option<String>,
    pub pattern: Option<String>,
    pub limit: usize,
}

/// A theorem that the knowledge base has, and where.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NamedTheorem {
    pub id: i64,
    pub name: String,
    pub file: String,
    /// Whether a prover or a build accepted it.
    pub verified: bool,
}

/// The reason is the first of the tags.
const SELECT: &str = "SELECT f.id, f.title, d.pattern, d.tool_name AS tool,
    nullif(substr(f.tags, 1, instr(f.tags || ',', ',') - 1), '') AS reason, d.signature,
    d.what_failed, d.what_worked, f.description, d.success_count AS worked,
    (SELECT count(*) FROM lesson_shown s WHERE s.finding_id = f.id AND s.outcome = 'recurred')
    AS recurred, d.confidence, f.project, f.session_id AS session, f.source_line AS line,
    f.created_at FROM lesson_details d JOIN findings f ON f.id = d.finding_id
    WHERE f.status IN ('claimed', 'confirmed')";

/// This project first, then what helped most, then what is newest.
fn order() -> String {
    format!("ORDER BY {} DESC, d.success_count DESC, f.id DESC", is_here("f.project", "?1"))
}

impl Store {
    /// The lessons about exactly this failure, and those whose signature has the same kind and name,
    /// in this order. Only what was observed or confirmed: claims are not told to anybody.
    pub fn lessons_about(
        &self,
        signature: &str,
        project: Option<&str>,
    ) -> Result<Vec<StoredLesson>, StoreError> {
        let key = signature.split(" | ").next().unwrap_or(signature);
        let begin = format!("{key} | ");
        let end = format!("{begin}{}", char::MAX);
        let known = "f.evidence IS NOT NULL AND f.evidence NOT IN ('claimed', 'model')";
        let sql = format!("{SELECT} AND {known} AND d.signature = ?2 {} LIMIT ?3", order());
        let mut found = self.all(&sql, params![project, signature, MOST_EXACT])?;
        // Kind alone would bring any fix of that kind.
        if key.contains(' ') {
            let sql = format!(
                "{SELECT} AND {known} AND d.signature >= ?2 AND d.signature < ?3
                 AND d.signature <> ?4 {} LIMIT ?5",
                order()
            );
            found.extend(self.all(&sql, params![project, begin, end, signature, MOST_ALIKE])?);
        }
        Ok(found)
    }

    /// The lessons, this project's first, then those that helped most, and how many there are.
    pub fn lessons(
        &self,
        filter: &LessonFilter,
        project: Option<&str>,
    ) -> Result<(Vec<StoredLesson>, u64), StoreError> {
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let sql = format!(
            "{SELECT} AND (?2 IS NULL OR lower(d.tool_name) = lower(?2)
             OR substr(lower(d.tool_name), 1, length(?2) + 1) = lower(?2) || ' ')
             AND (?3 IS NULL OR d.pattern = ?3) {}",
            order()
        );
        let values = params![project, filter.tool, filter.pattern];
        let total = self.count(&format!("SELECT count(*) FROM ({sql})"), values)?;
        let sql = format!("{sql} LIMIT ?4");
        let values = params![project, filter.tool, filter.pattern, limit];
        Ok((self.all(&sql, values)?, total))
    }

    /// The lesson with this row number; `None` for another finding, and for one that was replaced.
    pub fn lesson(&self, id: i64) -> Result<Option<StoredLesson>, StoreError> {
        self.first(&format!("{SELECT} AND f.id = ?1"), params![id])
    }

    /// Theorems whose name ends in this part, with a file, the project's first.
    pub fn theorems_named(
        &self,
        last: &str,
        project: Option<&str>,
    ) -> Result<Vec<NamedTheorem>, StoreError> {
        let token = format!("symbols : \"{}\"", name_token(last_component(last)));
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
        named.retain(|one| last_component(&one.name) == last_component(last));
        Ok(named)
    }
}

impl Writer<'_> {
    /// Notes that a lesson was shown in a session, about this failure. `false` where it was before.
    pub fn lesson_shown(
        &self,
        id: i64,
        session: &str,
        signature: &str,
    ) -> Result<bool, StoreError> {
        let new = self.execute(
            "INSERT OR IGNORE INTO lesson_shown (finding_id, session_id, shown_at, signature)
                 VALUES (?1, ?2, ?3, ?4)",
            params![id, session, self.now, signature],
        )?;
        Ok(new > 0)
    }

    /// Decides what became of a lesson that was shown, once; where it worked, that is counted.
    pub fn lesson_turned_out(
        &self,
        id: i64,
        session: &str,
        worked: bool,
    ) -> Result<(), StoreError> {
        let outcome = if worked { "worked" } else { "recurred" };
        let decided = self.execute(
            "UPDATE lesson_shown SET outcome = ?3
                 WHERE finding_id = ?1 AND session_id = ?2 AND outcome IS NULL",
            params![id, session, outcome],
        )?;
        if decided > 0 && worked {
            self.execute(
                "UPDATE lesson_details SET success_count = success_count + 1
                     WHERE finding_id = ?1",
                [id],
            )?;
        }
        Ok(())
    }

    /// Removes a lesson that nobody wants. Its row stays without its words, as a person's decision,
    /// so that the same lesson is not stored again when it is learnt again. `false` where there is
    /// no such lesson.
    pub fn drop_lesson(&self, id: i64) -> Result<bool, StoreError> {
        let dropped = self.connection.execute(
            "UPDATE findings SET title = 'A lesson that was dropped', description = '',
             why_failed = NULL, correct_approach = NULL, tags = NULL, notes = NULL,
             source_line = NULL, session_id = NULL, evidence = 'person', status = 'dropped',
             updated_at = ?2 WHERE id = ?1 AND finding_type = 'lesson'
             AND status IN ('claimed', 'confirmed')",
            params![id, self.now],
        )?;
        if dropped > 0 {
            self.connection.execute(
                "UPDATE lesson_details SET what_failed = NULL, what_worked = NULL, tool_name = NULL,
                 signature = NULL, success_count = 0 WHERE finding_id = ?1",
                [id],
            )?;
            for table in ["lesson_shown", "lesson_words", "jobs"] {
                let sql = format!("DELETE FROM {table} WHERE finding_id = ?1");
                self.connection.execute(&sql, [id])?;
            }
        }
        Ok(dropped > 0)
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

/// A lesson's words: those that a model gave, to be stored, or those that it had before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LessonWords {
    pub model: String,
    /// How sure that model was, 0.0 to 1.0.
    pub confidence: f64,
    pub title: String,
    pub description: String,
    pub what_failed: String,
    pub what_worked: String,
}

impl Store {
    /// Lessons that rules found and nobody has put in words, the newest first. Those that never ended
    /// well are left as they are.
    pub fn unworded_lessons(&self, limit: usize) -> Result<Vec<Unworded>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql =
            "SELECT f.id, f.fingerprint AS source, f.session_id AS session FROM lesson_details d
                 JOIN findings f ON f.id = d.finding_id
                 WHERE f.status IN ('claimed', 'confirmed') AND f.evidence = 'observed'
                 AND f.fingerprint IS NOT NULL AND d.pattern <> 'still_failing'
                 AND NOT EXISTS (SELECT 1 FROM lesson_words w
                 WHERE w.finding_id = f.id AND w.source = f.fingerprint)
                 AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'lesson'
                 AND j.key = CAST(f.id AS TEXT) AND j.version = f.fingerprint)
                 ORDER BY f.id DESC LIMIT ?1";
        self.all(sql, params![limit])
    }

    /// Fingerprint of a lesson as the rules worded it; `None` where there is no such lesson any more.
    pub fn lesson_source(&self, id: i64) -> Result<Option<String>, StoreError> {
        let sql = "SELECT fingerprint FROM findings WHERE id = ?1 AND finding_type = 'lesson'
            AND status IN ('claimed', 'confirmed') AND evidence = 'observed' AND fingerprint IS NOT NULL";
        self.first(sql, params![id])
    }

    /// The words that a lesson had before a model gave it others, and which model that was; `None` where
    /// it has its own words.
    pub fn words_before(&self, id: i64) -> Result<Option<LessonWords>, StoreError> {
        let sql =
            "SELECT w.model, w.confidence, w.title, w.description, w.what_failed, w.what_worked
            FROM lesson_words w JOIN findings f ON f.id = w.finding_id
            WHERE f.id = ?1 AND w.source = f.fingerprint";
        self.first(sql, params![id])
    }
}

impl Writer<'_> {
    /// Gives a lesson a model's words, if they are for what the lesson says now (`source`), and the
    /// model was surer than the one whose words it has. `false` where it keeps the words it has.
    pub fn word_lesson(
        &self,
        id: i64,
        source: &str,
        words: &LessonWords,
    ) -> Result<bool, StoreError> {
        let better: Option<bool> = self.first(
            "SELECT NOT EXISTS (SELECT 1 FROM lesson_words w WHERE w.finding_id = f.id
                 AND w.source = f.fingerprint AND w.confidence >= ?3)
                 FROM findings f WHERE f.id = ?1 AND f.fingerprint = ?2
                 AND f.status IN ('claimed', 'confirmed') AND f.evidence = 'observed'",
            params![id, source, words.confidence],
        )?;
        if better != Some(true) {
            return Ok(false);
        }
        self.indexing.flush(self.connection)?;
        // The words before are those of the rules, also where another model's stand there now.
        self.execute(
            "INSERT INTO lesson_words (finding_id, source, model, confidence, worded_at, title,
                 description, what_failed, what_worked)
                 SELECT f.id, f.fingerprint, ?3, ?4, ?5, f.title, f.description, d.what_failed,
                 d.what_worked FROM findings f JOIN lesson_details d ON d.finding_id = f.id
                 WHERE f.id = ?1 AND f.fingerprint = ?2
                 ON CONFLICT (finding_id) DO UPDATE SET
                 title = iif(source = excluded.source, title, excluded.title),
                 description = iif(source = excluded.source, description, excluded.description),
                 what_failed = iif(source = excluded.source, what_failed, excluded.what_failed),
                 what_worked = iif(source = excluded.source, what_worked, excluded.what_worked),
                 source = excluded.source, model = excluded.model, confidence = excluded.confidence,
                 worded_at = excluded.worded_at",
            params![id, source, words.model, words.confidence, self.now],
        )?;
        self.execute(
            "UPDATE findings SET title = ?2, description = ?3, why_failed = ?4,
                 correct_approach = ?5, updated_at = ?6 WHERE id = ?1",
            params![
                id,
                words.title,
                words.description,
                words.what_failed,
                words.what_worked,
                self.now
            ],
        )?;
        self.execute(
            "UPDATE lesson_details SET what_failed = ?2, what_worked = ?3 WHERE finding_id = ?1",
            params![id, words.what_failed, words.what_worked],
        )?;
        // After the texts: a trigger has set the symbols to NULL.
        if let Some(finding) = findings::load(self.connection, id)? {
            self.execute(
                "UPDATE findings SET symbols = ?1 WHERE id = ?2",
                params![symbols_of(&finding.content), id],
            )?;
        }
        Ok(true)
    }
}
