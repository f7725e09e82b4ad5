//! What each result file and the tracking database say, and the findings made of it: one of all sources that state the
//! same, in whatever order they came.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::params;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::findings::LIVE;
use super::findings::{Made, uid_of};
use super::forget::ForgottenKey;
use super::symbols::{file_words, problem_token, slot_token};
use super::{Result, Store, StoreError, Writer, projects};
use crate::model::{
    self, Draft, Kind, MAIN_TAG, OLD_TAG, Put, RESTATED_TAG, Report, SKETCH_TAG, is_bare_slot,
    last_part, stem_key,
};
use crate::text::spaced;

/// Takes the place of a file for the tracking database.
const TRACKED: &str = "tracking.db";

/// What sketches ask for under the names of what answers prove, slot by slot.
const ASKED: &str = "FROM finding_sources s JOIN open_statements g
    ON g.slot = s.slot AND g.project = s.project AND g.name = s.name AND NOT g.is_answer";
const OF_ANSWER: &str = "s.kind = 'theorem' AND s.evidence = 'prover' AND s.file <> 'tracking.db'";

#[derive(Debug, Clone, Copy, Serialize)]
pub struct Opposite {
    pub id: i64,
    /// Of the same statement; else only of the same name.
    pub is_same: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OpenGap {
    /// The last part.
    pub name: String,
    /// The false lemma that states the same, under whatever name; or has this name, and words that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refuted: Option<String>,
}

/// A gap that an answer left, and the slot whose answer proves that statement, or that asks for it too.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SameElsewhere {
    /// The last part.
    pub name: String,
    pub slot: i64,
    /// Its name there.
    pub called: String,
}

impl SameElsewhere {
    /// `slot44`, or ``slot44 as `other_name` ``.
    pub fn place(&self) -> String {
        let Self { name, slot, called } = self;
        if name == called { format!("slot{slot}") } else { format!("slot{slot} as `{called}`") }
    }
}

/// A statement that nothing proves, and who left it open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenIn {
    pub name: String,
    /// Slots, the newest first, and files without one.
    pub places: Vec<String>,
    /// The finding that proves or refutes the same statement under another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<i64>,
}

/// A theorem that the sketch of a slot left open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The last part.
    pub name: String,
    pub sketch: String,
    /// The prover's that proves one of this name.
    pub answer: Option<String>,
    /// In the same words, up to layout and bound names, with the definitions that it uses.
    pub as_asked: bool,
    /// The answer has no gap and assumes nothing.
    pub is_whole: bool,
    /// On what its file leaves open, or shows to be false.
    pub rests: bool,
}

const MOST_SAID: i64 = 1000;

#[derive(Debug, Clone, Default)]
pub struct FileFindings<'a> {
    pub file: &'a str,
    pub drafts: &'a [Draft],
    /// `(name, key)`.
    pub open: &'a [(String, String)],
    pub slot: Option<i64>,
    pub submission: Option<&'a str>,
    pub is_answer: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingSource {
    /// Stable path, or `tracking.db`.
    pub file: String,
    pub line: Option<i64>,
    pub slot: Option<i64>,
    pub submission: Option<String>,
    pub problem: Option<String>,
    /// The last part.
    pub name: Option<String>,
    pub confidence: String,
    pub at: Option<String>,
    /// The file with the prover's answer to this sketch.
    pub answer: Option<String>,
}

/// A row of `finding_sources`, as far as it was selected.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Source {
    uid: String,
    record: String,
    file: String,
    kind: String,
    name: Option<String>,
    problem: Option<String>,
    slot: Option<i64>,
    submission: Option<String>,
    tags: String,
    answer: Option<String>,
    draft: String,
}

impl Source {
    /// `None` where the JSON is damaged.
    fn draft(&self) -> Option<Draft> {
        serde_json::from_str(&self.draft).ok()
    }

    fn has_tag(&self, tag: &str) -> bool {
        self.tags.split(',').any(|one| one == tag)
    }

    fn words(&self) -> Vec<String> {
        let mut words = if self.file == TRACKED { Vec::new() } else { file_words(&self.file) };
        words.extend(self.slot.map(slot_token));
        words.extend(self.problem.as_deref().map(problem_token));
        words
    }
}

/// The first source speaks for the finding: not replaced by an answer, best evidence, newest. A listed false lemma
/// keeps the person's words; for a proved theorem the prover's file says more than a row about it.
const FIRST: &str = concat!(
    "answer IS NOT NULL,
    CASE WHEN kind = 'false_lemma' THEN file <> 'tracking.db'
         WHEN evidence = 'prover' AND file <> 'tracking.db' THEN 0
         WHEN file = 'tracking.db' THEN 1 ELSE 2 END,
    evidence <> 'prover',
    CASE confidence WHEN 'disproven' THEN 0 WHEN 'verified' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2
         ELSE 3 END, ",
    has_tag!("tags", "old"),
    ", happened DESC, file, line, uid"
);

/// Kind, project, name and key of the statement; without a readable statement the draft alone.
fn record_of(draft: &Draft, uid: &str) -> String {
    let (Some(key), Some(name)) = (&draft.key, &draft.theorem_name) else { return uid.to_owned() };
    let project = draft.project.as_deref().unwrap_or_default();
    // Its version says how a key was made: a statement whose key stays is the same record. At first it was 1.
    let key = key.split_once('.').map_or(key.as_str(), |(_, print)| print);
    let identity = Some(format!("statement/{project}/{}/1.{key}", last_part(name)));
    Draft { identity, ..Draft::new(draft.kind, "", "") }.uid()
}

impl Store {
    fn of_record(&self, record: &str) -> Result<Vec<Source>> {
        let sql = format!(
            "SELECT uid, file, slot, problem, tags, answer, draft FROM finding_sources
             WHERE record = ?1 ORDER BY {FIRST}"
        );
        self.all(&sql, params![record])
    }

    pub(super) fn words_of_sources(&self, record: &str) -> Result<BTreeSet<String>> {
        let sql = "SELECT file, slot, problem FROM finding_sources WHERE record = ?1";
        let sources: Vec<Source> = self.all(sql, params![record])?;
        Ok(sources.iter().flat_map(Source::words).collect())
    }

    /// The one that speaks for it first.
    pub fn sources_of(&self, uid: &str) -> Result<Vec<FindingSource>> {
        let sql = format!(
            "SELECT file, line, slot, submission, problem, name, confidence, happened AS at, answer
             FROM finding_sources WHERE record = ?1 ORDER BY {FIRST}"
        );
        self.all(&sql, params![uid])
    }

    /// Statements that the answers of a project left open, and that nothing proves.
    pub fn open_gaps(&self, project: &str) -> Result<u64> {
        let names = projects::names("?1");
        self.value(
            &format!(
                "SELECT count(DISTINCT g.name) FROM open_statements g WHERE g.is_answer AND g.project IN {names}
                 AND NOT EXISTS (SELECT 1 FROM findings f WHERE f.theorem_name = g.name
                 AND f.finding_type = 'theorem' AND f.confidence = 'verified' AND f.status IN {LIVE})"
            ),
            params![project],
        )
    }

    /// What the answer to a submission left open, or an answer of its slot that names no submission; without a submission
    /// what all answers of the slot did.
    pub fn gaps_of(
        &self,
        project: Option<&str>,
        submission: Option<&str>,
        slot: Option<i64>,
    ) -> Result<Vec<OpenGap>> {
        let (here, lemma_is_here) =
            (projects::is_here("g.project", "?3"), projects::is_here("f.project", "?3"));
        let lemma = format!(
            "SELECT coalesce(f.theorem_name, f.title) FROM findings f
             WHERE f.finding_type = 'false_lemma' AND f.status IN {LIVE} AND {lemma_is_here}"
        );
        // A lemma has its own name and those that its sources use for it.
        let is_named = "(substr('.' || f.theorem_name, -length(g.name) - 1) = '.' || g.name
             OR f.uid IN (SELECT record FROM finding_sources WHERE name = g.name))";
        let sql = format!(
            "SELECT DISTINCT g.name, coalesce(
                 ({lemma} AND f.key = g.key ORDER BY NOT {is_named}, f.id LIMIT 1),
                 ({lemma} AND f.key IS NULL AND {is_named} ORDER BY f.id LIMIT 1)) AS refuted
             FROM open_statements g WHERE is_answer AND {here}
             AND (submission = ?1 OR (slot = ?2 AND (?1 IS NULL OR submission IS NULL))) ORDER BY 1, 2"
        );
        self.all(&sql, params![submission, slot, project])
    }

    /// What an answer of a slot left open and another answer proves.
    pub fn closed_gaps(&self, project: Option<&str>, slot: i64) -> Result<Vec<SameElsewhere>> {
        let sql = format!(
            // Its own later answer first, then one of the same name.
            "SELECT name, slot, called FROM (SELECT g.name, s.slot, s.name AS called, row_number() OVER
                 (PARTITION BY g.name ORDER BY s.slot <> g.slot, s.name <> g.name, s.slot) AS place
             FROM open_statements g
             CROSS JOIN findings f INDEXED BY idx_findings_key ON f.key = g.key
                 AND f.finding_type = 'theorem' AND f.status IN {LIVE}
             CROSS JOIN finding_sources s ON s.record = f.uid AND s.kind = 'theorem'
                 AND s.confidence = 'verified' AND s.slot IS NOT NULL AND s.name IS NOT NULL
                 AND s.file <> g.file AND s.project = g.project
             WHERE g.slot = ?1 AND g.is_answer AND {}) WHERE place = 1 ORDER BY name",
            projects::is_here("g.project", "?2")
        );
        self.all(&sql, params![slot, project])
    }

    /// What an answer of a slot left open, with the other slots that ask for the same or left it open too.
    pub fn open_elsewhere(&self, project: Option<&str>, slot: i64) -> Result<Vec<SameElsewhere>> {
        let sql = format!(
            "SELECT DISTINCT g.name, o.slot, o.name AS called FROM open_statements g
             JOIN open_statements o ON o.key = g.key AND o.project = g.project
             WHERE g.slot = ?1 AND g.is_answer AND o.slot <> g.slot AND {} ORDER BY 1, 2",
            projects::is_here("g.project", "?2")
        );
        self.all(&sql, params![slot, project])
    }

    /// The main theorem of a slot's answer is proved, perhaps by another answer.
    pub fn is_main_proved(&self, project: Option<&str>, slot: i64) -> Result<bool> {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM finding_sources s JOIN findings f ON f.uid = s.record
             WHERE s.slot = ?1 AND s.evidence = 'prover' AND s.kind = 'theorem' AND {main}
             AND f.confidence = 'verified' AND f.status IN {LIVE} AND {is_here})",
            main = has_tag!("s.tags", "main"),
            is_here = projects::is_here("s.project", "?2")
        );
        self.value(&sql, params![slot, project])
    }

    /// Where several answers prove it, the one that does so as it was asked. Not what an answer left open or refutes.
    pub fn asked_of_slot(&self, slot: i64, project: Option<&str>) -> Result<Vec<Asked>> {
        let sql = format!(
            "SELECT name, sketch, answer, rank >= 4 AS as_asked, rank / 2 % 2 AS is_whole, rests FROM (
             SELECT g.name, g.file AS sketch, s.file AS answer,
             max(4 * (f.key IS g.key) + 2 * (s.confidence IS 'verified') + NOT {old}) AS rank,
             max({on_gap} OR {on_false}) AS rests
             FROM open_statements g
             LEFT JOIN finding_sources s ON s.name = g.name AND s.slot = g.slot AND s.project = g.project
                 AND s.kind = 'theorem' AND s.evidence = 'prover' AND s.confidence IN ('verified', 'medium')
             LEFT JOIN findings f ON f.uid = s.record AND f.status IN {LIVE}
             WHERE g.slot = ?1 AND NOT g.is_answer
             AND EXISTS (SELECT 1 FROM finding_sources a WHERE a.slot = g.slot AND a.project = g.project
                 AND a.evidence = 'prover' AND a.kind <> 'failure' AND a.file <> 'tracking.db')
             AND (s.name IS NOT NULL OR NOT EXISTS (SELECT 1 FROM open_statements o
                 WHERE o.slot = g.slot AND o.project = g.project AND o.name = g.name AND o.is_answer)
                 AND NOT EXISTS (SELECT 1 FROM finding_sources n
                 WHERE n.slot = g.slot AND n.project = g.project AND n.name = g.name
                 AND n.kind = 'false_lemma'))
             AND {is_of} GROUP BY g.name) ORDER BY sketch, name",
            old = has_tag!("s.tags", "old"),
            on_gap = has_tag!("s.tags", "on-gap"),
            on_false = has_tag!("s.tags", "on-false"),
            is_of = projects::is_of("g.project", "?2")
        );
        self.all(&sql, params![slot, project])
    }

    /// What a slot's sketch leaves open, as long as no answer came.
    pub fn left_open_in_sketch(&self, slot: i64, project: Option<&str>) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT DISTINCT name FROM open_statements g WHERE slot = ?1 AND NOT is_answer AND {}
             AND NOT EXISTS (SELECT 1 FROM open_statements a
                 WHERE a.slot = ?1 AND a.project = g.project AND a.is_answer)
             AND NOT EXISTS (SELECT 1 FROM finding_sources a WHERE a.slot = ?1 AND a.project = g.project
                 AND a.evidence = 'prover' AND a.file <> 'tracking.db') ORDER BY 1",
            projects::is_of("g.project", "?2")
        );
        self.all(&sql, params![slot, project])
    }

    /// By the answer's submission, else by its slot: whether a prover's answer to it was read.
    pub fn is_answered(
        &self,
        submission: Option<&str>,
        slot: Option<i64>,
        project: Option<&str>,
    ) -> Result<bool> {
        let its = "(submission = ?1 OR (?1 IS NULL AND slot = ?2))";
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM finding_sources WHERE {its} AND {is_of}
                 AND evidence = 'prover' AND file <> 'tracking.db'
             UNION ALL SELECT 1 FROM open_statements WHERE {its} AND {is_of} AND is_answer)",
            is_of = projects::is_of("project", "?3")
        );
        self.value(&sql, params![submission, slot, project])
    }

    /// A file of the answer to this submission has no gap, and no doubt about it.
    pub fn is_proved_whole(
        &self,
        submission: Option<&str>,
        slot: Option<i64>,
        project: Option<&str>,
    ) -> Result<bool> {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM finding_sources
             WHERE (submission = ?1 OR (?1 IS NULL AND slot = ?2)) AND {}
             AND kind = 'theorem' AND confidence = 'verified' AND file <> 'tracking.db')",
            projects::is_of("project", "?3")
        );
        self.value(&sql, params![submission, slot, project])
    }

    /// Of findings, another that says the opposite: one is proved, the other is false. Of a failure, what proves a gap
    /// that it left.
    pub fn opposed(&self, ids: &[i64]) -> Result<BTreeMap<i64, Opposite>> {
        // From the few findings that are asked about to others of their name: left to itself the planner begins with
        // all that is verified.
        let by = |same: &str| {
            format!(
                "SELECT f.id, o.id, coalesce(f.key = o.key, 0) FROM json_each(?1) asked
                 CROSS JOIN findings f ON f.id = asked.value CROSS JOIN findings o {same}
                 AND coalesce(o.project, '') = coalesce(f.project, '') AND o.status IN {LIVE}
                 AND ((f.finding_type = 'theorem' AND f.confidence = 'verified' AND o.finding_type = 'false_lemma')
                 OR (o.finding_type = 'theorem' AND o.confidence = 'verified' AND f.finding_type = 'false_lemma'))"
            )
        };
        // The first of a finding stays.
        let sql = format!(
            "{} UNION {} UNION
             SELECT f.id, o.id, 1 FROM json_each(?1) asked
             CROSS JOIN findings f ON f.id = asked.value AND f.finding_type = 'failure'
             CROSS JOIN open_statements g INDEXED BY idx_open_statements_file ON g.file = f.source_file
                 AND g.is_answer AND g.project = coalesce(f.project, '')
             CROSS JOIN findings o INDEXED BY idx_findings_key ON o.key = g.key
                 AND coalesce(o.project, '') = g.project AND o.status IN {LIVE}
                 AND o.finding_type = 'theorem' AND o.confidence = 'verified'
             ORDER BY 1, 3, 2 DESC",
            by("INDEXED BY idx_findings_key ON o.key = f.key"),
            by("INDEXED BY idx_findings_theorem ON o.theorem_name = f.theorem_name
                 AND coalesce(o.problem_id, '') = coalesce(f.problem_id, '')")
        );
        let found: Vec<(i64, i64, bool)> =
            self.all(&sql, params![serde_json::json!(ids).to_string()])?;
        let found = found.into_iter();
        Ok(found.map(|(id, other, is_same)| (id, Opposite { id: other, is_same })).collect())
    }

    /// Files that state a declaration without proving it.
    pub fn left_open_in(&self, name: &str) -> Result<Vec<String>> {
        let sql = "SELECT file FROM open_statements WHERE name = ?1 GROUP BY file
             ORDER BY max(is_answer) DESC, max(slot) DESC, file LIMIT 5";
        self.all(sql, params![last_part(name)])
    }

    /// Statements without a proof whose names have all of the words, each with the slots or files that leave it open.
    pub fn open_named(&self, words: &str, project: Option<&str>) -> Result<Vec<OpenIn>> {
        const MOST: usize = 3;
        let parts = |name: &str| spaced(&name.replace(['_', '.'], " "));
        let asked = parts(words);
        let asked: Vec<&str> = asked.split_whitespace().collect();
        if asked.len() < 2 {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT DISTINCT name, coalesce('slot' || slot, file),
                 (SELECT f.id FROM findings f INDEXED BY idx_findings_key WHERE f.key = g.key AND f.status IN {LIVE}
                     AND (f.finding_type = 'false_lemma' OR (f.finding_type = 'theorem' AND f.confidence = 'verified'))
                     AND coalesce(f.project, '') = g.project ORDER BY f.id DESC LIMIT 1)
             FROM open_statements g WHERE {is_of}
             AND NOT EXISTS (SELECT 1 FROM finding_sources s WHERE s.name = g.name
                 AND (s.kind = 'false_lemma'
                     OR (s.project = g.project AND s.kind = 'theorem' AND s.confidence = 'verified')))
             AND NOT EXISTS (SELECT 1 FROM findings f WHERE f.finding_type = 'false_lemma' AND f.status IN {LIVE}
                 AND substr('.' || f.theorem_name, -length(g.name) - 1) = '.' || g.name)
             ORDER BY name, slot DESC, 2",
            is_of = projects::is_of("g.project", "?1")
        );
        let mut found: Vec<OpenIn> = Vec::new();
        for (name, place, settled) in
            self.all::<(String, String, Option<i64>)>(&sql, params![project])?
        {
            let own = parts(&name);
            if !asked.iter().all(|word| own.split_whitespace().any(|own| own == *word)) {
                continue;
            }
            match found.last_mut().filter(|last| last.name == name) {
                Some(last) => {
                    last.places.push(place);
                    last.settled = last.settled.or(settled);
                }
                None => found.push(OpenIn { name, places: vec![place], settled }),
            }
        }
        found.sort_by_key(|one| one.name.len());
        found.truncate(MOST);
        Ok(found)
    }

    /// The files that tell of a slot, answers before sketches that they replace.
    pub fn files_of_slot(&self, slot: i64, project: Option<&str>) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT file FROM (SELECT file, tags FROM finding_sources
             WHERE slot = ?1 AND answer IS NULL AND file <> 'tracking.db' AND {is_of}
             UNION SELECT file, '' FROM open_statements WHERE slot = ?1 AND is_answer AND {is_of})
             GROUP BY file ORDER BY max({old}), file",
            old = has_tag!("tags", "old"),
            is_of = projects::is_of("project", "?2")
        );
        self.all(&sql, params![slot, project])
    }

    /// The files that tell of submissions, by the id of each, else by its slot.
    pub fn files_of_submissions(
        &self,
        submissions: &[model::Source],
        project: Option<&str>,
    ) -> Result<Vec<String>> {
        let is_its = "s.submission = id
            OR (s.slot = asked.slot AND (id IS NULL OR s.submission IS NULL))";
        let sql = format!(
            "WITH asked(id, slot) AS (SELECT value ->> 'source_submission_uuid',
                 value ->> 'source_slot' FROM json_each(?1))
             SELECT file FROM finding_sources s JOIN asked ON {is_its}
             WHERE project = ?2 AND file <> 'tracking.db'
             UNION SELECT file FROM open_statements s JOIN asked ON {is_its} WHERE project = ?2"
        );
        let asked = serde_json::json!(submissions).to_string();
        self.all(&sql, params![asked, project.unwrap_or_default()])
    }

    pub fn refuted_by(&self, project: Option<&str>, submission: &str) -> Result<Option<String>> {
        let sql = format!(
            "SELECT coalesce(s.name, f.theorem_name) FROM finding_sources s
             JOIN findings f ON f.uid = s.record
             WHERE s.submission = ?1 AND f.finding_type = 'false_lemma' AND f.status IN {LIVE}
             AND {} ORDER BY 1 LIMIT 1",
            projects::is_here("f.project", "?2")
        );
        let found: Vec<Option<String>> = self.all(&sql, params![submission, project])?;
        Ok(found.into_iter().flatten().next())
    }

    /// Another file says the same under the same name: one of the two may have been moved.
    pub fn files_named_twice(&self, project: Option<&str>) -> Result<Vec<String>> {
        self.all(
            "SELECT DISTINCT file FROM finding_sources a WHERE project = ?1 AND EXISTS (SELECT 1
             FROM finding_sources b WHERE b.record = a.record AND b.uid = a.uid AND b.file <> a.file)",
            params![project.unwrap_or_default()],
        )
    }
}

impl Writer<'_> {
    /// Stores what files hold and takes back what an earlier version of them said: a finding goes with its last source,
    /// unless a person decided about it. One report per file; a finding of several files is new in the first. A draft
    /// without an identity is identified within its file.
    pub fn replace_files(
        &self,
        project: Option<&str>,
        files: &[FileFindings<'_>],
    ) -> Result<Vec<Report>> {
        let mut touched = Touched::default();
        let mut stored = Vec::with_capacity(files.len());
        for one in files {
            stored.push(self.replace_sources(project, one, &mut touched)?);
        }
        let mut made = self.make(touched)?;
        let mut reports = vec![Report::default(); files.len()];
        for (report, drafts) in reports.iter_mut().zip(stored) {
            for (kind, record) in drafts {
                let put = record.map_or(Put::Forgotten, |record| take(&mut made, &record));
                report.record(kind.as_str(), put);
            }
        }
        // Changed because another file says it too, or none any more.
        if let Some(last) = reports.last_mut() {
            for (kind, put) in made.into_values() {
                match put {
                    Some(Put::Unchanged(_)) => {}
                    Some(put) => last.record(kind.as_str(), put),
                    None => last.removed(kind.as_str()),
                }
            }
        }
        Ok(reports)
    }

    /// Kind and record of each draft; no record where a person had it forgotten.
    fn replace_sources(
        &self,
        project: Option<&str>,
        of: &FileFindings<'_>,
        touched: &mut Touched,
    ) -> Result<Vec<(Kind, Option<String>)>> {
        let project_key = project.unwrap_or_default();
        let known: Vec<(String, String)> = self.all(
            "SELECT uid, record FROM finding_sources WHERE project = ?1 AND file = ?2",
            params![project_key, of.file],
        )?;
        let mut gone: HashMap<String, String> = known.into_iter().collect();
        let mut stored = Vec::with_capacity(of.drafts.len());
        let mut seen = BTreeSet::new();
        for draft in of.drafts {
            let mut draft = draft.clone();
            draft.project = project.map(str::to_owned);
            if draft.identity.is_none() && draft.fact().is_none() {
                draft.identity = Some(format!("file/{project_key}/{}/{}", of.file, draft.uid()));
            }
            let uid = super::findings::free_uid(&uid_of(&draft), |uid| Ok(seen.contains(uid)))?;
            seen.insert(uid.clone());
            let record = self.put_source(of.file, &uid, &draft, touched)?;
            if let Some(old) = gone.remove(&uid).filter(|old| Some(old) != record.as_ref()) {
                touched.insert(old);
            }
            stored.push((draft.kind, record));
        }
        self.execute(
            "DELETE FROM open_statements WHERE project = ?1 AND file = ?2",
            params![project_key, of.file],
        )?;
        for (name, key) in of.open {
            self.execute(
                "INSERT INTO open_statements (project, file, name, key, slot, submission, is_answer)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    project_key,
                    of.file,
                    last_part(name),
                    key,
                    of.slot,
                    of.submission,
                    of.is_answer
                ],
            )?;
        }
        for (uid, record) in gone {
            self.execute(
                "DELETE FROM finding_sources WHERE project = ?1 AND file = ?2 AND uid = ?3",
                params![project_key, of.file, uid],
            )?;
            touched.insert(record);
        }
        Ok(stored)
    }

    fn put_source(
        &self,
        file: &str,
        uid: &str,
        draft: &Draft,
        touched: &mut Touched,
    ) -> Result<Option<String>> {
        let record = record_of(draft, uid);
        if self.is_forgotten(&[ForgottenKey::Finding(uid), ForgottenKey::Finding(&record)])? {
            return Ok(None);
        }
        let json = serde_json::to_string(draft)
            .map_err(|error| StoreError::Invalid(format!("a finding cannot be stored: {error}")))?;
        let changed = self.execute(
            "INSERT INTO finding_sources (project, file, uid, record, kind, name, problem, slot, submission,
             line, confidence, evidence, tags, happened, draft)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
             ON CONFLICT DO UPDATE SET record = CASE WHEN ?2 = 'tracking.db' THEN record ELSE ?4 END,
             kind = ?5, name = ?6, problem = ?7, slot = ?8, submission = ?9, line = ?10, confidence = ?11,
             evidence = ?12, tags = ?13, happened = ?14, draft = ?15
             WHERE draft <> ?15 OR happened IS NOT ?14
             OR (?2 <> 'tracking.db' AND record <> ?4)",
            params![
                draft.project.as_deref().unwrap_or_default(),
                file,
                uid,
                record,
                draft.kind.as_str(),
                draft.theorem_name.as_deref().map(last_part),
                draft.problem,
                draft.source.slot,
                draft.source.submission,
                draft.source.line,
                draft.confidence.as_str(),
                draft.evidence.as_str(),
                draft.tags.join(","),
                draft.created_at,
                json
            ],
        )?;
        if changed > 0 {
            touched.insert(record.clone());
        }
        Ok(Some(record))
    }

    /// A draft that only repeats what is known is unchanged.
    pub fn put_tracked(
        &self,
        project: Option<&str>,
        drafts: &[&Draft],
        report: &mut Report,
    ) -> Result<()> {
        let mut touched = Touched::default();
        let mut uids = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let uid = uid_of(draft);
            let stored = self.put_source(TRACKED, &uid, draft, &mut touched)?;
            uids.push(stored.map(|_| uid));
        }
        // A changed row touches the finding that it belongs to now.
        let mut made = self.settle(project, touched)?;
        for (draft, uid) in drafts.iter().zip(uids) {
            let sql =
                "SELECT record FROM finding_sources WHERE project = ?1 AND file = ?2 AND uid = ?3";
            let record: Option<String> =
                self.first(sql, params![project.unwrap_or_default(), TRACKED, uid])?;
            let put = record.map_or(Put::Unchanged(0), |record| take(&mut made, &record));
            report.record(draft.kind.as_str(), put);
        }
        Ok(())
    }

    /// `workflow` is a submission, or a file without one.
    pub(super) fn said_by(&self, workflow: &str) -> Result<Vec<Draft>> {
        let sql =
            "SELECT draft FROM finding_sources WHERE submission = ?1 AND file <> 'tracking.db'
             UNION ALL SELECT draft FROM finding_sources WHERE file = ?1 AND submission IS NULL
             LIMIT ?2";
        let drafts: Vec<String> = self.all(sql, params![workflow, MOST_SAID])?;
        Ok(drafts.iter().filter_map(|draft| serde_json::from_str(draft).ok()).collect())
    }

    /// Which sketches are answered, and which rows of the tracking database speak of a statement in a file.
    pub fn settle_sources(&self, project: Option<&str>) -> Result<()> {
        self.settle(project, Touched::default()).map(drop)
    }

    fn settle(&self, project: Option<&str>, mut touched: Touched) -> Result<Anew> {
        let project = project.unwrap_or_default();
        self.answer_sketches(project, &mut touched)?;
        self.join_tracked(project, &mut touched)?;
        let restated: BTreeSet<String> = self.restated(project)?.into_iter().collect();
        let sql = concat!(
            "SELECT uid FROM findings WHERE coalesce(project, '') = ?1 AND ",
            has_tag!("tags", "restated")
        );
        let known: Vec<String> = self.all(sql, params![project])?;
        let known: BTreeSet<String> = known.into_iter().collect();
        restated.symmetric_difference(&known).for_each(|record| touched.insert(record.clone()));
        self.make(touched)
    }

    /// Theorems of answers under whose names the sketches state something else.
    fn restated(&self, project: &str) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT s.record {ASKED} JOIN findings f ON f.uid = s.record
             WHERE s.project = ?1 AND {OF_ANSWER} GROUP BY s.record HAVING NOT max(g.key IS f.key)"
        );
        self.all(&sql, params![project])
    }

    fn is_restated(&self, record: &str, key: Option<&str>) -> Result<bool> {
        let sql = format!(
            "SELECT count(*) > 0 AND NOT max(g.key IS ?2) {ASKED} WHERE s.record = ?1 AND {OF_ANSWER}"
        );
        Ok(self.value::<Option<bool>>(&sql, params![record, key])? == Some(true))
    }

    /// The findings that these files are sources of, anew.
    pub(super) fn remake(&self, project: &str, files: &[&str]) -> Result<()> {
        let mut touched = Touched::default();
        for file in files {
            let records: Vec<String> = self.all(
                "SELECT DISTINCT record FROM finding_sources WHERE project = ?1 AND file = ?2",
                params![project, file],
            )?;
            for record in records {
                touched.insert(record);
            }
        }
        self.make(touched).map(drop)
    }

    /// Makes the findings of these records anew, each once.
    fn make(&self, touched: Touched) -> Result<Anew> {
        let mut made = Anew::default();
        let mut replaced = Vec::new();
        for record in touched.in_order() {
            let sources = self.of_record(&record)?;
            if sources.is_empty() {
                let removed = self.remove_record(&record)?;
                made.extend(removed.map(|kind| (record, (kind, None))));
                continue;
            }
            let mut said: Vec<(&Source, Draft)> =
                sources.iter().filter_map(|source| Some((source, source.draft()?))).collect();
            let mut words = Vec::new();
            for (source, draft) in &said {
                words.push(self.kernel_word(&source.file, draft)?);
            }
            let kernel = words.iter().flatten().min_by_key(|word| !word.holds()).cloned();
            // A file that Lean does not accept speaks only where nothing else does.
            let denied = |file: &str| words.iter().flatten().any(|w| w.file == file && w.denies());
            said.sort_by_key(|(source, _)| denied(&source.file));
            // Unreadable sources leave the finding as it is.
            let (Some((first, _)), Some(mut draft)) = (said.first(), merged(&said)) else {
                continue;
            };
            if let Some(kernel) = kernel.filter(|it| it.file == first.file || !it.denies()) {
                draft.take_kernel(kernel);
            }
            if self.is_restated(&record, draft.key.as_deref())? {
                draft.tags.push(RESTATED_TAG.to_owned());
            }
            let file = Some(first.file.as_str()).filter(|file| *file != TRACKED);
            let put = self.put_as(&draft, &record, Some(Made(file)))?;
            made.insert(record, (draft.kind, Some(put)));
            replaced.push((put.id(), first.answer.clone(), draft));
        }
        for (id, answer, draft) in replaced {
            self.set_replaced(id, answer.as_deref(), &draft)?;
        }
        Ok(made)
    }

    pub(super) fn remove_record(&self, record: &str) -> Result<Option<Kind>> {
        // What a person stands for stays, unless that is what a row says which speaks for another finding now.
        let sql = "SELECT finding_type FROM findings WHERE uid = ?1 AND status <> 'dropped'
            AND (evidence IS NOT 'person' AND status <> 'confirmed'
                 OR EXISTS (SELECT 1 FROM finding_sources WHERE uid = ?1 AND record <> ?1
                     AND evidence = 'person'))";
        let Some(kind) = self.first::<String>(sql, params![record])? else { return Ok(None) };
        self.execute("DELETE FROM findings WHERE uid = ?1", [record])?;
        Ok(Some(kind.parse().unwrap_or(Kind::Insight)))
    }

    /// Once all sources are answered, the answer's finding of the same name replaces this one, else the answer's last.
    fn set_replaced(&self, id: i64, answer: Option<&str>, draft: &Draft) -> Result<()> {
        let name = draft.theorem_name.as_deref().map(last_part);
        // A query of its own: within the change SQLite walks over all sources.
        let other: Option<i64> = match answer {
            None => None,
            Some(file) => self.first(
                "SELECT f.id FROM finding_sources s JOIN findings f ON f.uid = s.record
                 WHERE s.project = ?1 AND s.file = ?2 AND f.id <> ?4
                 ORDER BY s.name IS ?3 DESC, s.line DESC, s.uid LIMIT 1",
                params![draft.project.as_deref().unwrap_or_default(), file, name, id],
            )?,
        };
        let status = if answer.is_some() { "superseded" } else { "claimed" };
        self.run(
            "UPDATE findings SET superseded_by = ?2, status = ?3
             WHERE id = ?1 AND status IN ('claimed', 'superseded') AND (superseded_by IS NOT ?2 OR status <> ?3)",
            params![id, other, status],
        )
    }

    /// Marks each sketch with the prover's answer, matched by submission, file name or slot, in this order.
    fn answer_sketches(&self, project: &str, touched: &mut Touched) -> Result<()> {
        let files: Vec<ResultFile> = self.all(
            "SELECT file, max(submission) AS submission, max(slot) AS slot,
             max(instr(',' || tags || ',', ',' || ?2 || ',') > 0) AS is_sketch,
             max(evidence = 'prover') AS is_answer, max(answer) AS answer,
             min(answer IS NOT NULL) AS is_marked
             FROM finding_sources WHERE project = ?1 AND file <> 'tracking.db' GROUP BY file",
            params![project, SKETCH_TAG],
        )?;
        let answered = Answered::new(files.iter().filter(|file| file.is_answer && !file.is_sketch));
        let mut slots: BTreeMap<Option<i64>, usize> = BTreeMap::new();
        for sketch in files.iter().filter(|file| file.is_sketch) {
            *slots.entry(sketch.slot).or_default() += 1;
        }
        for file in &files {
            let slot_is_shared = slots.get(&file.slot).is_some_and(|count| *count > 1);
            let answer = answered.to(file, slot_is_shared).filter(|_| file.is_sketch);
            if answer == file.answer.as_deref() && (answer.is_none() || file.is_marked) {
                continue;
            }
            let records: Vec<String> = self.all(
                "UPDATE finding_sources SET answer = ?3 WHERE project = ?1 AND file = ?2 AND answer IS NOT ?3
                 RETURNING record",
                params![project, file.file, answer],
            )?;
            for record in records {
                touched.insert(record);
            }
        }
        Ok(())
    }

    /// A listed false lemma takes its key from the file that leaves it open: of its submission, else of its slot, else if
    /// all files agree. True if the key changed.
    fn take_open_key(&self, project: &str, row: &Source, is_joined: bool) -> Result<bool> {
        let known: Vec<(String, u8)> = self.all(
            "SELECT key, max(CASE WHEN submission IS NOT NULL AND submission IS ?3 THEN 2
                 WHEN slot IS NOT NULL AND slot IS ?4 THEN 1 ELSE 0 END) AS near
             FROM open_statements WHERE project = ?1 AND name = ?2 GROUP BY key ORDER BY near DESC, key",
            params![project, row.name, row.submission, row.slot],
        )?;
        let key = match known.as_slice() {
            _ if is_joined => None,
            [(key, near), ..] if *near > 0 => Some(key),
            [(key, _)] => Some(key),
            _ => None,
        };
        let changed = self.execute(
            "UPDATE finding_sources SET draft = CASE WHEN ?3 IS NULL THEN json_remove(draft, '$.key')
                 ELSE json_set(draft, '$.key', ?3) END
             WHERE project = ?1 AND file = 'tracking.db' AND uid = ?2 AND json_valid(draft)
             AND json_extract(draft, '$.key') IS NOT ?3",
            params![project, row.uid, key],
        )?;
        Ok(changed > 0)
    }

    /// Joins each row of the tracking database to a statement of the same name in its submission, else its slot, else the
    /// only one in the same words.
    fn join_tracked(&self, project: &str, touched: &mut Touched) -> Result<()> {
        let tracked: Vec<Source> = self.all(
            "SELECT uid, record, kind, name, slot, submission, draft FROM finding_sources
             WHERE project = ?1 AND file = 'tracking.db'",
            params![project],
        )?;
        for row in tracked {
            let alike: Vec<Source> = self.all(
                "SELECT record, submission, slot, draft FROM finding_sources
                 WHERE name = ?3 AND project = ?1 AND kind = ?2 AND file <> 'tracking.db'
                 AND record <> uid
                 ORDER BY submission IS NOT NULL AND submission IS ?4 DESC,
                 slot IS NOT NULL AND slot IS ?5 DESC, answer IS NOT NULL, evidence <> 'prover',
                 happened DESC, file, uid",
                params![project, row.kind, row.name, row.submission, row.slot],
            )?;
            let joined = alike.first().filter(|one| {
                (one.submission.is_some() && one.submission == row.submission)
                    || (one.slot.is_some() && one.slot == row.slot)
            });
            let joined = match joined {
                Some(one) => Some(one.record.clone()),
                None => only_one_in_these_words(&row, &alike),
            };
            let is_joined = joined.is_some();
            let record = joined.unwrap_or_else(|| row.uid.clone());
            if row.kind == Kind::FalseLemma.as_str()
                && self.take_open_key(project, &row, is_joined)?
            {
                touched.insert(record.clone());
            }
            if record != row.record {
                self.execute(
                    "UPDATE finding_sources SET record = ?3
                     WHERE project = ?1 AND file = 'tracking.db' AND uid = ?2",
                    params![project, row.uid, record],
                )?;
                touched.insert(record);
                touched.insert(row.record);
            } else if record != row.uid && touched.0.contains_key(&row.uid) {
                touched.insert(record);
            }
        }
        Ok(())
    }
}

/// Uids of findings to make anew, in the order in which their sources came.
#[derive(Default)]
struct Touched(HashMap<String, usize>);

impl Touched {
    fn insert(&mut self, record: String) {
        let place = self.0.len();
        self.0.entry(record).or_insert(place);
    }

    fn in_order(self) -> Vec<String> {
        let mut all: Vec<(String, usize)> = self.0.into_iter().collect();
        all.sort_by_key(|(_, place)| *place);
        all.into_iter().map(|(record, _)| record).collect()
    }
}

/// What became of the findings that were made anew, by record; `None` for what was removed.
type Anew = HashMap<String, (Kind, Option<Put>)>;

fn take(made: &mut Anew, record: &str) -> Put {
    made.remove(record).and_then(|(_, put)| put).unwrap_or(Put::Unchanged(0))
}

fn only_one_in_these_words(row: &Source, alike: &[Source]) -> Option<String> {
    let words = |source: &Source| -> Option<String> {
        Some(source.draft()?.theorem_statement?.split_whitespace().collect())
    };
    let said = words(row)?;
    let mut same = alike.iter().filter(|one| words(one).as_ref() == Some(&said));
    let first = same.next()?;
    same.all(|one| one.record == first.record).then(|| first.record.clone())
}

/// The first source, filled up from the others. It is the main theorem if any source says so, a step only if all files
/// do.
fn merged(sources: &[(&Source, Draft)]) -> Option<Draft> {
    let ((first, said), others) = sources.split_first()?;
    let mut draft = said.clone();
    let all = || sources.iter().map(|(source, _)| source);
    let live = || all().filter(|source| source.answer.is_some() == first.answer.is_some());
    if live().any(|source| source.has_tag(MAIN_TAG)) && !first.has_tag(MAIN_TAG) {
        draft.tags.push(MAIN_TAG.to_owned());
    }
    let is_main = draft.has_tag(MAIN_TAG);
    for tag in ["helper", "step", "aside", OLD_TAG] {
        let is_other = |source: &Source| source.file != TRACKED && !source.has_tag(tag);
        if live().any(|source| is_other(source)) || (is_main && tag != OLD_TAG) {
            draft.tags.retain(|one| one != tag);
        }
    }
    let speaks_for_files = first.file == TRACKED;
    for (_, other) in others.iter().filter(|(one, _)| speaks_for_files || one.file == TRACKED) {
        fill(&mut draft, other);
    }
    Some(draft)
}

/// Takes from another source what this one does not say.
fn fill(draft: &mut Draft, other: &Draft) {
    // What one source decides; all else is filled, so a new field too.
    const DECIDED: &str = "kind|title|description|project|theorem_name|confidence|evidence|status|tags|notes|detail|\
        session_id|source_line";
    if draft.source.file.is_none() {
        draft.source.line = other.source.line;
    }
    let is_said = |value: &Value| value.as_str().is_none_or(|text| !text.trim().is_empty());
    let fields = |one: &Draft| serde_json::to_value(one).and_then(Map::deserialize);
    let (Ok(mut own), Ok(other)) = (fields(draft), fields(other)) else { return };
    for (field, value) in other {
        if !DECIDED.split('|').any(|one| one == field) && !own.get(&field).is_some_and(is_said) {
            own.insert(field, value);
        }
    }
    if let Ok(filled) = Draft::deserialize(Value::Object(own)) {
        *draft = Draft { identity: draft.identity.take(), ..filled };
    }
}

#[derive(Debug, Deserialize)]
struct ResultFile {
    file: String,
    submission: Option<String>,
    slot: Option<i64>,
    is_sketch: bool,
    is_answer: bool,
    answer: Option<String>,
    /// A file that was read again has rows without the answer.
    is_marked: bool,
}

#[derive(Default)]
struct Answered<'a> {
    submissions: HashMap<&'a str, &'a str>,
    stems: HashMap<String, &'a str>,
    slots: HashMap<i64, Vec<&'a str>>,
}

impl<'a> Answered<'a> {
    fn new(answers: impl Iterator<Item = &'a ResultFile>) -> Self {
        let mut answered = Self::default();
        for file in answers {
            let path = file.file.as_str();
            if let Some(submission) = &file.submission {
                answered.submissions.insert(submission, path);
            }
            answered.stems.insert(stem_key(path), path);
            if let Some(slot) = file.slot {
                answered.slots.entry(slot).or_default().push(path);
            }
        }
        answered
    }

    /// By slot only if nothing else could be meant.
    fn to(&self, sketch: &ResultFile, slot_is_shared: bool) -> Option<&'a str> {
        let submission = sketch.submission.as_deref();
        submission
            .and_then(|submission| self.submissions.get(submission))
            .or_else(|| self.stems.get(&stem_key(&sketch.file)))
            .copied()
            .or_else(|| match self.slots.get(&sketch.slot?)?.as_slice() {
                [only] if !slot_is_shared && is_bare_slot(only) => Some(only),
                _ => None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_outlives_the_version_of_its_key() {
        let record = |key: &str| {
            let mut draft = Draft::new(Kind::Theorem, "t", "d");
            (draft.key, draft.theorem_name) = (Some(key.to_owned()), Some("A.t".to_owned()));
            record_of(&draft, "none")
        };
        assert_eq!(record("1.00ff.0000"), record("2.00ff.0000"));
        assert_ne!(record("2.00ff.0000"), record("2.00fe.0000"));
    }
}
