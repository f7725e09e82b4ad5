//! Problems: what is stated, and what is counted from the findings.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rusqlite::params;
use serde::Serialize;

use super::findings::LIVE;
use super::{Result, Store, StoreError, Writer, projects};
use crate::model::{
    Few, Finding, Gist, Kind, KnownProblems, Problem, ProblemDraft, ProblemStatus, Put, Strategy,
    display_name, id_key, problem_key, word_key,
};
use crate::text::is_among;

/// A person's decision, else a settled status from the owner's database, else what files show, else the database.
const STATUS: &str =
    "coalesce(p.decided_status, CASE WHEN s.stated IN ('proven', 'false') THEN s.stated END,
    nullif(p.found_status, 'refuted'), s.stated, 'open')";
/// Of a problem and its other names; a settled status is not reopened by a listing.
const STATED: &str = "(SELECT p.id, (SELECT q.stated_status FROM problems q
    WHERE q.id IN (SELECT p.id UNION ALL SELECT alias FROM problem_aliases WHERE problem = p.id)
    AND q.stated_status IS NOT NULL
    ORDER BY q.stated_status NOT IN ('proven', 'false'), q.id <> p.id LIMIT 1) AS stated FROM problems p)";

pub(super) const TRIVIAL: &str =
    concat!("(", has_tag!("tags", "trivial"), " OR ", has_tag!("tags", "aside"), ")");
pub(super) const HELPER: &str = has_tag!("tags", "helper");
const CONTESTING: &str = has_tag!("tags", "contradiction");

const COUNTS: [&str; 3] = ["stated_submissions", "stated_proven", "stated_failed"];

/// Columns of findings and of their sources.
const OF_PROBLEM: [&str; 2] = ["problem_id", "problem"];
const OF_SLOT: [&str; 2] = ["source_slot", "slot"];

#[derive(Clone, Copy)]
struct Subject<'a> {
    columns: [&'static str; 2],
    /// A JSON list for the columns.
    values: &'a str,
    /// `None` for all.
    project: Option<&'a str>,
}

impl<'a> Subject<'a> {
    fn problem(values: &'a str) -> Self {
        Self { columns: OF_PROBLEM, values, project: None }
    }

    fn slot(values: &'a str, project: Option<&'a str>) -> Self {
        Self { columns: OF_SLOT, values, project }
    }
}

fn select() -> String {
    format!(
        "SELECT id, name, domain_id AS domain, coalesce(status, 'open') AS status,
         submission_count, proven_count, failed_count, statement, best_result, notes, updated_at,
         decided_at, decided_why, {CONTESTED} AS contested,
         found_status IS 'refuted' AS refuted FROM problems"
    )
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProblemView {
    pub id: String,
    pub aliases: Vec<String>,
    pub problem: Option<Problem>,
    /// By kind, the most telling first.
    pub findings: Vec<Finding>,
    pub strategies: Vec<Strategy>,
}

/// Its owner lists it as solved elsewhere.
pub(super) const KNOWN: &str =
    "(coalesce(status, '') = 'proven' AND decided_at IS NULL AND notes LIKE 'Known: %')";

/// The answer to the submission that settles a problem, for its owner, is known to say something else.
pub(super) const CONTESTED: &str = concat!(
    "(coalesce(problems.status, '') = 'proven' AND problems.decided_at IS NULL AND EXISTS (SELECT 1 FROM findings f
    WHERE f.problem_id = problems.id AND f.status IN ('claimed', 'confirmed') AND ",
    has_tag!("f.tags", "contradiction"),
    " AND (problems.notes || ',') GLOB '*Settled: slot' || f.source_slot || '[,a-z]*'))"
);

/// Every id that anything refers to. Steps through the index from id to id, so the cost is that of the problems, not of
/// the findings.
const IDS: &str = "SELECT id FROM (SELECT id FROM problems UNION SELECT problem_id FROM strategies
         UNION SELECT id FROM (WITH RECURSIVE w(id) AS (SELECT min(problem_id) FROM findings
         UNION ALL SELECT (SELECT min(problem_id) FROM findings WHERE problem_id > w.id)
         FROM w WHERE w.id IS NOT NULL) SELECT id FROM w))
         WHERE id IS NOT NULL AND id <> '' ORDER BY id";

/// By word key, the id that counts.
struct Aliases(HashMap<String, String>);

impl Aliases {
    fn of<'a>(&'a self, id: &'a str) -> &'a str {
        self.0.get(&id_key(id)).map_or(id, String::as_str)
    }
}

/// By the word key of the id that counts.
pub(super) type NamesByKey = BTreeMap<String, Names>;

#[derive(Debug, Clone)]
pub(super) struct Names {
    id: String,
    all: Vec<String>,
}

impl Store {
    pub fn problem_aliases(&self) -> Result<Vec<(String, String)>> {
        self.all("SELECT alias, problem FROM problem_aliases ORDER BY 1", params![])
    }

    fn aliases_by_key(&self) -> Result<Aliases> {
        let by_key = |(alias, id): (String, String)| (id_key(&alias), id);
        Ok(Aliases(self.problem_aliases()?.into_iter().map(by_key).collect()))
    }

    fn names_of_problems(&self) -> Result<Arc<NamesByKey>> {
        self.once(&self.names, || self.read_names())
    }

    fn read_names(&self) -> Result<NamesByKey> {
        let aliases = self.aliases_by_key()?;
        let recorded: HashSet<String> =
            self.all("SELECT id FROM problems", params![])?.into_iter().collect();
        let mut by_key = NamesByKey::new();
        for id in self.problem_ids()? {
            let known = aliases.of(&id).to_owned();
            let names = by_key
                .entry(id_key(&known))
                .or_insert_with(|| Names { id: known.clone(), all: vec![known] });
            if recorded.contains(&id) && !recorded.contains(&names.id) && aliases.of(&id) == id {
                names.id.clone_from(&id);
            }
            if !names.all.contains(&id) {
                names.all.push(id);
            }
        }
        Ok(by_key)
    }

    /// The ids under which the problem is stored; empty where unknown.
    pub(super) fn spellings(&self, id: &str) -> Result<Vec<String>> {
        let key = id_key(self.aliases_by_key()?.of(id));
        Ok(self.names_of_problems()?.get(&key).map(|names| names.all.clone()).unwrap_or_default())
    }

    /// From records, findings and strategies.
    pub fn problem_ids(&self) -> Result<Vec<String>> {
        self.all(IDS, params![])
    }

    /// Named by a tracking database, a person or the agent, not only by a file's name.
    pub fn stated_problems(&self) -> Result<Vec<String>> {
        self.all(
            "SELECT id FROM problems WHERE stated_status IS NOT NULL
             UNION SELECT problem_id FROM findings
             WHERE problem_id <> '' AND extracted_from IS NULL ORDER BY 1",
            params![],
        )
    }

    /// The most tried first, without aliases.
    pub fn problems(&self) -> Result<Vec<Problem>> {
        let sql = format!(
            "{} WHERE id NOT IN (SELECT alias FROM problem_aliases)
             ORDER BY submission_count DESC, id",
            select()
        );
        self.all(&sql, params![])
    }

    /// In any spelling of the id; else all whose id contains it.
    pub fn problem_views(&self, key: &str) -> Result<Vec<ProblemView>> {
        let key = id_key(key);
        if key.is_empty() {
            return Ok(Vec::new());
        }
        let key = id_key(self.aliases_by_key()?.of(&key));
        let all = self.names_of_problems()?;
        if let Some(names) = all.get(&key) {
            return Ok(vec![self.problem_view(names)?]);
        }
        let fits = |names: &&Names| names.all.iter().any(|id| id_key(id).contains(&key));
        let views = all.values().filter(fits).map(|names| self.problem_view(names));
        let mut views = views.collect::<Result<Vec<_>, _>>()?;
        let tried = |one: &ProblemView| one.problem.as_ref().map_or(0, |it| it.submission_count);
        views.sort_by_key(|one| Reverse(tried(one)));
        Ok(views)
    }

    /// All of them, by their ids.
    pub fn all_problem_views(&self) -> Result<Vec<ProblemView>> {
        self.names_of_problems()?.values().map(|names| self.problem_view(names)).collect()
    }

    /// The problems that a person's words mean: by an id, by what people call it, or by its name.
    pub fn problems_meant(&self, words: &str) -> Result<Vec<String>> {
        let known = self.known_problems()?;
        if let Some(id) = known.spelling(words) {
            return Ok(vec![id.to_owned()]);
        }
        let mut meant = known.in_question(words).problems;
        if meant.is_empty() {
            meant = self.ids_saying(words, &["name"])?;
        }
        if meant.is_empty() && telling_words(words).len() >= 3 {
            meant = self.ids_saying(words, &["name", "statement"])?;
        }
        Ok(meant)
    }

    /// The only problem whose name has all the words, or, `in_text`, whose name, statement and notes have.
    pub fn problem_saying(&self, words: &str, in_text: bool) -> Result<Option<Problem>> {
        let columns: &[&str] = if in_text { &["name", "statement", "notes"] } else { &["name"] };
        match self.ids_saying(words, columns)?.as_slice() {
            [id] => self.problem(id),
            _ => Ok(None),
        }
    }

    /// Ids of the other problems whose names have the words of this one's id.
    pub fn named_alike(&self, of: &ProblemView) -> Result<Vec<String>> {
        let mut ids = self.ids_saying(&of.id.replace('_', " "), &["name"])?;
        ids.retain(|id| *id != of.id && !of.aliases.contains(id));
        Ok(ids)
    }

    /// Ids of the problems in whose columns all the words are.
    fn ids_saying(&self, words: &str, columns: &[&str]) -> Result<Vec<String>> {
        let asked = telling_words(words);
        let sql =
            format!("SELECT id, concat_ws(' ', {}) FROM problems ORDER BY 1", columns.join(", "));
        let mut all: Vec<(String, String)> =
            if asked.is_empty() { Vec::new() } else { self.all(&sql, params![])? };
        all.retain(|(_, text)| {
            let own = telling_words(text);
            asked.iter().all(|word| own.contains(word))
        });
        Ok(all.into_iter().map(|(id, _)| id).collect())
    }

    /// By the id that its findings have.
    pub fn problem(&self, id: &str) -> Result<Option<Problem>> {
        self.first(&format!("{} WHERE id = ?1", select()), params![id])
    }

    /// Whether anything is known of a slot in a project, or in any; what names no project is in each.
    pub fn has_slot(&self, slot: i64, project: Option<&str>) -> Result<bool> {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM findings WHERE source_slot = ?1 AND status <> 'dropped' AND {of}
             UNION ALL SELECT 1 FROM finding_sources WHERE slot = ?1 AND {of}
             UNION ALL SELECT 1 FROM open_statements WHERE slot = ?1 AND {of})",
            of = projects::is_of("project", "?2")
        );
        self.value(&sql, params![slot, project])
    }

    /// Slots are numbered anew in each project: `None` for all of them.
    pub fn slot_view(&self, slot: i64, project: Option<&str>) -> Result<ProblemView> {
        let values = format!("[{slot}]");
        Ok(ProblemView {
            id: format!("slot{slot}"),
            aliases: Vec::new(),
            problem: None,
            findings: self.load_all(&self.about(Subject::slot(&values, project), "TRUE")?)?,
            strategies: Vec::new(),
        })
    }

    /// What is known from the submission whose id begins so, main results first, and its slot or else its problem;
    /// nothing where several begin so.
    pub fn of_submission(&self, beginning: &str) -> Result<(Option<String>, Vec<Finding>)> {
        let of_it = "FROM finding_sources s WHERE s.submission >= ?1 AND s.submission < ?1 || 'g'";
        let all = format!("SELECT DISTINCT submission {of_it} LIMIT 2");
        if self.all::<String>(&all, params![beginning])?.len() != 1 {
            return Ok((None, Vec::new()));
        }
        let place = format!(
            "SELECT coalesce('slot' || slot, problem) AS place {of_it} AND place IS NOT NULL
             ORDER BY slot IS NULL LIMIT 1"
        );
        let findings = format!(
            "f.uid IN (SELECT s.record {of_it}) AND f.status IN {LIVE}
             ORDER BY coalesce(f.source_submission_uuid < ?1 OR f.source_submission_uuid >= ?1 || 'g', 1),
             NOT {}, f.id",
            has_tag!("tags", "main")
        );
        Ok((self.first(&place, params![beginning])?, self.select(&findings, params![beginning])?))
    }

    /// One finding of each file in which tracking.db and the prover's answer contradict each other, newest first.
    pub fn contradictions(&self) -> Result<Vec<Finding>> {
        self.select(
            &format!(
                "f.id IN (SELECT max(id) FROM findings WHERE status IN {LIVE} AND {CONTESTING}
                 GROUP BY source_file) ORDER BY f.created_at DESC, f.id DESC"
            ),
            params![],
        )
    }

    /// From records, findings, strategies, and the aliases that a person gave, which need not occur anywhere.
    pub fn known_problems(&self) -> Result<Arc<KnownProblems>> {
        self.once(&self.known, || self.read_known_problems())
    }

    fn read_known_problems(&self) -> Result<KnownProblems> {
        let aliases = self.problem_aliases()?;
        let called: HashMap<String, String> = self
            .all("SELECT id, name FROM problems WHERE name <> ''", params![])?
            .into_iter()
            .collect();
        // Without a stated status it was only named in a finding.
        let sql = "SELECT id FROM problems WHERE stated_status IS NULL AND decided_status IS NULL";
        let found: HashSet<String> = self.all(sql, params![])?.into_iter().collect();
        let mut known = KnownProblems::default();
        for Names { id, all } in self.names_of_problems()?.values() {
            let given = aliases.iter().filter(|(_, of)| of == id).map(|(alias, _)| alias.clone());
            let all: Vec<String> = all.iter().cloned().chain(given).collect();
            known.add(id, &all, !found.contains(id));
            if let Some(name) = called.get(id) {
                known.add_name(id, name, !found.contains(id));
            }
        }
        Ok(known)
    }

    /// `name` in another spelling, or another name of the problem.
    pub fn problem_id(&self, name: &str) -> Result<String> {
        let known = self.aliases_by_key()?.of(name).to_owned();
        let names = self.names_of_problems()?;
        Ok(names.get(&id_key(&known)).map_or(known, |names| names.id.clone()))
    }

    pub fn problem_gist(&self, id: &str) -> Result<Gist> {
        let names = serde_json::json!(self.spellings(id)?).to_string();
        self.gist(id.to_owned(), self.problem(id)?, Subject::problem(&names))
    }

    pub fn slot_gist(&self, slot: i64, project: Option<&str>) -> Result<Gist> {
        self.gist(format!("slot{slot}"), None, Subject::slot(&format!("[{slot}]"), project))
    }

    /// What keeps the answers of slots from being what their rows say, in a few words.
    pub fn slots_without_proof(
        &self,
        slots: &[i64],
        project: Option<&str>,
    ) -> Result<HashMap<i64, String>> {
        let sql = format!(
            "WITH told(slot, uid) AS (
                 SELECT source_slot, uid FROM findings
                 WHERE source_slot IN (SELECT value FROM json_each(?1))
                 UNION SELECT slot, record FROM finding_sources
                 WHERE slot IN (SELECT value FROM json_each(?1)) AND answer IS NULL)
             SELECT slot, CASE WHEN max({refused}) THEN 'refused by its owner'
                 WHEN max({CONTESTING}) THEN 'its answer contradicts that'
                 WHEN max({restated}) THEN 'not as its sketch states it'
                 WHEN min(finding_type <> 'theorem' OR {TRIVIAL})
                     AND max(finding_type = 'theorem' AND confidence = 'verified')
                     THEN 'what is proved is trivial or finite' END AS said
             FROM told JOIN findings f USING (uid) WHERE status IN {LIVE} AND {is_of} GROUP BY slot
             HAVING said IS NOT NULL",
            refused = has_tag!("tags", "refused"),
            restated = has_tag!("tags", "restated"),
            is_of = projects::is_of("f.project", "?2")
        );
        let slots = serde_json::json!(slots).to_string();
        Ok(self.all(&sql, params![slots, project])?.into_iter().collect())
    }

    fn problem_view(&self, names: &Names) -> Result<ProblemView> {
        let all = serde_json::to_string(&names.all).unwrap_or_default();
        Ok(ProblemView {
            id: names.id.clone(),
            aliases: names.all.iter().filter(|id| **id != names.id).cloned().collect(),
            problem: self.problem(&names.id)?,
            findings: self.load_all(&self.about(Subject::problem(&all), "TRUE")?)?,
            strategies: self.strategies_of(&all)?,
        })
    }

    /// Rows of findings that meet a condition, by kind: what is its own before what another problem or slot has too,
    /// of theorems main results, those first that their owner holds for a step, and then cases and others, then main results that are only claimed, trivialities and
    /// what else is claimed, then what stands beside trivialities, and helpers, those named for the problem first; of
    /// failures what somebody wrote down before what was read off results; then the newest.
    fn about(&self, subject: Subject<'_>, condition: &str) -> Result<Vec<i64>> {
        let Subject { columns: [column, of_sources], values, project } = subject;
        let is_of = projects::is_of("f.project", "?2");
        // Its subject first: there may be very many of a kind.
        let sql = format!(
        "WITH heads(head) AS MATERIALIZED
             (SELECT substr(value, 1, instr(value || '_', '_') - 1) FROM json_each(?1) WHERE type = 'text')
         SELECT f.id FROM (SELECT id FROM findings WHERE {column} IN (SELECT value FROM json_each(?1))
             UNION SELECT f.id FROM finding_sources s CROSS JOIN findings f ON f.uid = s.record
             WHERE s.{of_sources} IN (SELECT value FROM json_each(?1)) AND s.answer IS NULL) AS told
         CROSS JOIN findings f ON f.id = told.id
         WHERE status IN {LIVE} AND {is_of} AND {condition}
         ORDER BY finding_type, coalesce({column} NOT IN (SELECT value FROM json_each(?1)), 1),
         CASE WHEN finding_type <> 'theorem' THEN 0 WHEN {HELPER} THEN 16 WHEN {CONTESTING} THEN 3
              WHEN {aside} THEN 12 WHEN {trivial} THEN 5 WHEN {restated} THEN 6
              WHEN {main} THEN 2 * {case} + ({minor} OR {lemma}) - 3 * {advance} ELSE 2 END
             + CASE WHEN finding_type <> 'theorem' OR confidence = 'verified' THEN 0 WHEN {on_gap} THEN {resting} ELSE 4 END,
         finding_type = 'theorem'
             AND NOT EXISTS (SELECT 1 FROM heads WHERE instr(lower(theorem_name), head) > 0),
         finding_type = 'failure' AND extracted_from IS NOT NULL,
         finding_type = 'failure' AND {note}, {old}, created_at DESC, f.id DESC",
            aside = has_tag!("tags", "aside"),
            on_gap = has_tag!("tags", "on-gap"),
            // Of a slot it says what was to be proved.
            resting = if column == OF_SLOT[0] { 3 } else { 7 },
            trivial = has_tag!("tags", "trivial"),
            restated = has_tag!("tags", "restated"),
            main = has_tag!("tags", "main"),
            case = has_tag!("tags", "case"),
            minor = has_tag!("tags", "minor"),
            lemma = has_tag!("tags", "lemma"),
            advance = has_tag!("tags", "advance"),
            note = has_tag!("tags", "note"),
            old = has_tag!("tags", "old"),
        );
        self.all(&sql, params![values, project])
    }

    fn gist(&self, id: String, problem: Option<Problem>, subject: Subject<'_>) -> Result<Gist> {
        let few = |kind: Kind, condition: &str| -> Result<Few> {
            let condition = format!("finding_type = '{}' AND {condition}", kind.as_str());
            let ids = self.about(subject, &condition)?;
            let first = ids.get(..3).unwrap_or(&ids);
            Ok(Few { first: self.load_all(first)?, total: ids.len() })
        };
        // What came back of a slot is its story, but no dead end of a problem.
        let failures =
            if subject.columns == OF_PROBLEM { "extracted_from IS NULL" } else { "TRUE" };
        let trivial = format!("finding_type = 'theorem' AND confidence = 'verified' AND {TRIVIAL}");
        let steps = format!(
            "finding_type = 'theorem' AND confidence IN ('verified', 'medium') AND evidence = 'prover'
             AND {HELPER} AND NOT {}",
            has_tag!("tags", "trivial")
        );
        let theorems =
            few(Kind::Theorem, &format!("NOT {TRIVIAL} AND NOT {HELPER} AND NOT {CONTESTING}"))?;
        // What else is proved is told where there is no theorem.
        let others = |condition: &str| -> Result<usize> {
            if theorems.total > 0 {
                return Ok(0);
            }
            Ok(self.about(subject, condition)?.len())
        };
        let (trivial, steps) = (others(&trivial)?, others(&steps)?);
        Ok(Gist {
            id,
            problem,
            theorems,
            trivial,
            steps,
            refuted: few(Kind::FalseLemma, "TRUE")?,
            near_miss: None,
            failed: few(Kind::Failure, failures)?,
            notes: few(Kind::Insight, "TRUE")?,
        })
    }
}

/// Without marks, plurals, and what every problem is called.
fn telling_words(text: &str) -> Vec<String> {
    const EMPTY: &str = "a an the of for in on and or is to problem conjecture theorem question s";
    let words = text.split(|c: char| !c.is_alphanumeric()).map(word_key);
    words
        .filter(|word| !word.is_empty() && !is_among(word, EMPTY))
        .map(|word| {
            word.strip_suffix('s').filter(|one| one.len() > 2).map_or(word.clone(), str::to_owned)
        })
        .collect()
}

fn better_name(id: &str, old: &str, draft: &ProblemDraft) -> String {
    let says_nothing = |name: &str| name.is_empty() || name == id || name == display_name(id);
    let is_better = draft.counts.is_some() || says_nothing(old);
    if is_better && !says_nothing(&draft.name) { draft.name.clone() } else { old.to_owned() }
}

impl Writer<'_> {
    /// What a tracking database states (a draft with counts) replaces the texts; what files show
    /// fills gaps and gives the
    /// best result. The status of files is counted: [`Writer::recount_problems`].
    pub fn put_problem(&self, draft: &ProblemDraft) -> Result<Put> {
        let mut id = problem_key(self.aliases_by_key()?.of(&draft.id));
        if id.is_empty() {
            return Err(StoreError::Invalid(format!("`{}` is not a problem id", draft.id)));
        }
        self.ensure_domain(draft.domain.as_deref())?;
        if self.problem(&id)?.is_none()
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
        let sql = "SELECT rowid FROM problems WHERE id = ?1";
        let row = self.value(sql, params![id])?;
        Ok(match (inserted, changed) {
            (1, _) => Put::Inserted(row),
            (_, true) => Put::Updated(row),
            (_, false) => Put::Unchanged(row),
        })
    }

    fn spelling(&self, id: &str) -> Result<Option<String>> {
        let key = id_key(id);
        let ids: Vec<String> = self.all("SELECT id FROM problems", params![])?;
        Ok(ids.into_iter().find(|other| id_key(other) == key))
    }

    fn merge_problem(&self, id: &str, draft: &ProblemDraft) -> Result<bool> {
        let Some(old) = self.problem(id)? else {
            return Ok(false);
        };
        let is_stated = draft.counts.is_some();
        let pick = |new: &Option<String>, old: &Option<String>, replaces: bool| {
            let (first, second) = if replaces { (new, old) } else { (old, new) };
            first.clone().filter(|text| !text.is_empty()).or_else(|| second.clone())
        };
        let counts = draft.counts;
        let changed = self.execute(
            "UPDATE problems SET name = ?2, domain_id = ?3, statement = ?4, best_result = ?5, notes = ?6,
                 stated_status = coalesce(?7, stated_status),
                 stated_submissions = coalesce(?8, stated_submissions),
                 stated_proven = coalesce(?9, stated_proven),
                 stated_failed = coalesce(?10, stated_failed),
                 submission_count = max(coalesce(submission_count, 0), coalesce(?8, 0)),
                 proven_count = max(coalesce(proven_count, 0), coalesce(?9, 0)),
                 failed_count = max(coalesce(failed_count, 0), coalesce(?10, 0)),
                 updated_at = ?11
                 WHERE id = ?1 AND (name, domain_id, statement, best_result, notes, stated_status,
                 stated_submissions, stated_proven, stated_failed) IS NOT (?2, ?3, ?4, ?5, ?6,
                 coalesce(?7, stated_status), coalesce(?8, stated_submissions),
                 coalesce(?9, stated_proven), coalesce(?10, stated_failed))",
            params![
                id,
                better_name(id, &old.name, draft),
                pick(&draft.domain, &old.domain, is_stated),
                pick(&draft.statement, &old.statement, is_stated),
                pick(&draft.best_result, &old.best_result, true),
                pick(&draft.notes, &old.notes, is_stated),
                is_stated.then(|| draft.status.as_str()),
                counts.map(|c| c.0),
                counts.map(|c| c.1),
                counts.map(|c| c.2),
                self.now
            ],
        )?;
        Ok(self.set_status_of(Some(id))? || changed > 0)
    }

    /// Of all without an id.
    fn set_status_of(&self, id: Option<&str>) -> Result<bool> {
        let sql = format!(
            "UPDATE problems SET status = n.status, updated_at = ?2
             FROM (SELECT p.id, {STATUS} AS status FROM problems p JOIN {STATED} s ON s.id = p.id
             WHERE ?1 IS NULL OR p.id = ?1) n
             WHERE n.id = problems.id AND problems.status IS NOT n.status"
        );
        Ok(self.execute(&sql, params![id, self.now])? > 0)
    }

    /// `None` takes a decision back.
    pub fn decide_problem(
        &self,
        id: &str,
        status: Option<ProblemStatus>,
        why: Option<&str>,
    ) -> Result<()> {
        self.execute(
            "INSERT OR IGNORE INTO problems (id, name, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)",
            params![id, display_name(id), self.now],
        )?;
        let at = status.map(|_| &self.now);
        self.execute(
            "UPDATE problems SET decided_status = ?2, decided_at = ?3, decided_why = ?4 WHERE id = ?1",
            params![id, status.map(ProblemStatus::as_str), at, why],
        )?;
        self.set_status_of(Some(id))?;
        Ok(())
    }

    /// `None` takes it back. Everything stays stored under its own name.
    pub fn set_alias(&self, alias: &str, problem: Option<&str>) -> Result<()> {
        if let Some(problem) = problem {
            self.execute(
                "UPDATE problem_aliases SET problem = ?2 WHERE problem = ?1",
                [alias, problem],
            )?;
            // What a tracking database states of both, until it is imported again.
            let sum = |column: &str| {
                format!(
                    "{column} = coalesce(problems.{column} + other.{column}, other.{column}, problems.{column})"
                )
            };
            let counts = COUNTS.map(sum).join(", ");
            self.execute(
                &format!(
                    "UPDATE problems SET {counts} FROM (SELECT * FROM problems WHERE id = ?1) AS other
                     WHERE problems.id = ?2"
                ),
                [alias, problem],
            )?;
            let none = COUNTS.map(|column| format!("{column} = NULL")).join(", ");
            self.execute(&format!("UPDATE problems SET {none} WHERE id = ?1"), [alias])?;
            self.execute(
                "INSERT OR REPLACE INTO problem_aliases (alias, problem, at) VALUES (?1, ?2, ?3)",
                params![alias, problem, self.now],
            )?;
        } else {
            self.execute("DELETE FROM problem_aliases WHERE alias = ?1", [alias])?;
        }
        self.recount_problems()
    }

    /// Submissions, proofs and failures as a tracking database states them, else counted from the findings: each
    /// submission once, a file without one once. A problem is `partial` once a prover's theorem is more than a triviality
    /// or a step and its file assumes no axiom, `refuted` once a lemma of its name is; settled by its owner's word alone.
    pub fn recount_problems(&self) -> Result<()> {
        let sql = format!(
            "WITH q(problem, origin, kind, confidence, evidence, tags) AS (
             SELECT s.problem,
             coalesce(s.submission, nullif(s.file, 'tracking.db'), 'slot' || s.slot),
             s.kind, s.confidence, s.evidence,
             CASE WHEN s.file <> 'tracking.db' THEN s.tags ELSE coalesce(f.tags, '') END
             FROM finding_sources s JOIN findings f ON f.uid = s.record
             WHERE s.problem IS NOT NULL AND s.answer IS NULL AND f.status IN {LIVE}
             UNION ALL
             SELECT problem_id, coalesce(source_submission_uuid, source_file, 'slot' || source_slot),
             finding_type, confidence, evidence, coalesce(tags, '')
             FROM findings f WHERE problem_id IS NOT NULL AND status IN {LIVE}
             AND NOT EXISTS (SELECT 1 FROM finding_sources WHERE record = f.uid)),
             r AS (SELECT q.*, coalesce(a.problem, q.problem) AS id
             FROM q LEFT JOIN problem_aliases a ON a.alias = q.problem),
             c(id, submissions, proven, failed, found) AS (SELECT id,
             count(DISTINCT origin),
             count(DISTINCT CASE WHEN kind = 'theorem' AND confidence = 'verified' AND NOT {TRIVIAL} THEN origin END),
             count(DISTINCT CASE WHEN kind = 'failure' THEN origin END),
             max(CASE WHEN kind = 'false_lemma' AND confidence = 'disproven' AND {main} THEN 'refuted'
                 WHEN kind = 'theorem' AND evidence IN ('kernel', 'prover')
                 AND confidence IN ('verified', 'medium') AND NOT {TRIVIAL} AND NOT {HELPER} AND NOT {on_axiom}
                 THEN 'partial' END)
             FROM r GROUP BY id),
             n AS (SELECT p.id, coalesce(p.stated_submissions, c.submissions, 0) AS s,
             coalesce(p.stated_proven, c.proven, 0) AS q,
             coalesce(p.stated_failed, c.failed, 0) AS f, c.found
             FROM problems p LEFT JOIN c ON c.id = p.id)
             UPDATE problems SET submission_count = n.s, proven_count = n.q, failed_count = n.f,
             found_status = n.found, updated_at = ?1
             FROM n WHERE n.id = problems.id AND NOT (submission_count IS n.s AND proven_count IS n.q
             AND failed_count IS n.f AND found_status IS n.found)",
            on_axiom = has_tag!("tags", "axiom"),
            main = has_tag!("tags", "main"),
        );
        self.execute(&sql, [&self.now])?;
        self.set_status_of(None)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use crate::store::tests as work;
    use crate::store::{Store, StoreError};

    /// What was made of the whole database holds until somebody writes, whoever that is.
    #[test]
    fn problems_are_read_again_when_somebody_wrote() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("submissions")).unwrap();
        work::fill(dir.path(), dir.path());
        let mut store = Store::open(&dir.path().join("knowledge.db")).unwrap();
        let spelled = |store: &Store, name: &str| {
            store.known_problems().unwrap().spelling(name).map(str::to_owned)
        };
        assert_eq!(spelled(&store, "Left factorial"), None);
        work::done();
        assert_eq!(spelled(&store, "Board 17").as_deref(), Some("board_17"));
        assert_eq!(store.problem_id("Board 17").unwrap(), "board_17");
        let work = work::done();
        assert!(work.iter().all(|one| !one.sql.contains("FROM problems")), "{work:#?}");
        let other = Connection::open(store.path()).unwrap();
        let added = "INSERT INTO problems (id, name) VALUES ('left_factorial', 'Left factorial')";
        other.execute(added, []).unwrap();
        assert_eq!(spelled(&store, "Left factorial").as_deref(), Some("left_factorial"));
        let now = "2026-06-01T00:00:00Z".parse().unwrap();
        let undone = store.write(now, |writer| {
            writer.set_alias("kurepa", Some("left_factorial"))?;
            assert!(spelled(writer, "kurepa").is_some());
            Err::<(), _>(StoreError::Invalid("undone".to_owned()))
        });
        assert!(undone.is_err());
        assert_eq!(spelled(&store, "kurepa"), None);
        store.write(now, |writer| writer.set_alias("kurepa", Some("left_factorial"))).unwrap();
        assert_eq!(spelled(&store, "kurepa").as_deref(), Some("left_factorial"));
        work::done();
        store.opposed(&(1..=20).collect::<Vec<_>>()).unwrap();
        let work = work::done();
        assert!(work[0].steps < 10_000, "from all that is verified: {work:#?}");
    }
}
