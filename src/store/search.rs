//! Search over all findings: exact names, then rows with all words, then with any word, then with prefixes.
//!
//! `bm25()` per row is what costs, so few rows are scored: common words filter and never rank, and
//! where any word will
//! do, the rarest ones choose the rows. A filter is checked in the narrow index `findings_filter`, never in the long rows.

use std::cmp::Reverse;

use rusqlite::types::Value;
use rusqlite::{DropBehavior, Row, params, params_from_iter};
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::findings::LIVE;
use super::query::{Query, Word, is_empty_word, quoted};
use super::rank::{self, matches};
use super::rows::most;
use super::symbols::{name_token, plain_name, problem_token, slot_token};
use super::{Result, Store, projects, rows};
use crate::model::{Confidence, Draft, Finding, Kind, id_key, last_part, slot_of, word_key};
use crate::text::{clip, one_line};

/// Rows that the rarest words may choose: each costs a `bm25()`.
const CANDIDATES: i64 = 2_000;
/// A word in so few findings ranks, however many findings there are.
const RANKING_ROWS: i64 = 10_000;
/// A word in more than one of so many findings does not rank.
const RANKING_PART: i64 = 10;
const EXACT_ROWS: usize = 1000;
/// Above this many hits, steps of proofs are shown too.
const FIRST_PAGE: usize = 10;
const SHORTEST_PREFIX: usize = 3;
/// The score in the middle of a stage.
const HALF_SCORE: f64 = 20.0;
/// The least score of what has all words.
const ALL_WORDS: f64 = 2.0;

/// Columns of a snippet.
const SNIPPET: usize = 160;
/// Bytes before the first match in a snippet.
const LEAD: usize = 40;

#[derive(Debug, Clone, Default)]
pub struct SearchQuery {
    pub text: String,
    pub limit: usize,
    pub kinds: Vec<Kind>,
    pub domain: Option<String>,
    /// In any spelling.
    pub problem: Option<String>,
    pub tags: Vec<String>,
    pub confidence: Option<Confidence>,
    /// `YYYY-MM-DD[ HH:MM:SS]` in UTC.
    pub since: Option<String>,
    pub project: Option<String>,
    pub current_project: Option<String>,
}

impl SearchQuery {
    /// `what was refuted for Tuza`: a word that says what is looked for chooses the kind, and is not looked for.
    fn of_the_kind_asked_for(&self) -> Option<Self> {
        let mut words: Vec<&str> = self.text.split_whitespace().collect();
        let asks = ["what", "which", "why", "how", "was", "is", "did", "has"];
        let first = words.first()?.to_ascii_lowercase();
        // `failed attempts on Tuza` asks as well.
        let tried = ["attempt", "attempts", "approach", "approaches", "idea", "ideas"];
        let is_list = first == "failed" && words.get(1).is_some_and(|next| tried.contains(next));
        let is_question = is_list || asks.contains(&&*first);
        let kinds = |word: &str| match word.trim_end_matches('?').to_ascii_lowercase().as_str() {
            "refuted" | "disproved" | "disproven" | "counterexample" | "counterexamples" => {
                vec![Kind::FalseLemma]
            }
            // An owner's note may say why.
            "fail" | "failed" if first == "why" => {
                vec![Kind::Failure, Kind::FalseLemma, Kind::Insight]
            }
            "fail" | "failed" if is_question => vec![Kind::Failure],
            "proved" | "proven" if is_question => vec![Kind::Theorem],
            _ => Vec::new(),
        };
        let (at, kinds) = words
            .iter()
            .enumerate()
            .map(|(at, word)| (at, kinds(word)))
            .find(|(_, kinds)| !kinds.is_empty() && self.kinds.is_empty())?;
        words.drain(at..=at + usize::from(is_list));
        // What is left may be the name of a problem or slot.
        words.retain(|word| !is_empty_word(word));
        Some(Self { text: words.join(" "), kinds, ..self.clone() })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    None,
    /// No words were given.
    Newest,
    Prefix,
    AnyWord,
    AllWords,
    /// Name of a theorem, id of a problem or slot.
    Exact,
}

impl Hit {
    /// Or its exact name.
    pub fn has_all_words(&self) -> bool {
        self.score >= ALL_WORDS
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub finding: Finding,
    /// Larger is better: the stage (prefix 0 to exact 3) plus a fraction.
    pub score: f64,
    pub snippet: String,
    pub why: Vec<String>,
}

/// The short form, for lists of hits.
impl Serialize for Hit {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let content = &self.finding.content;
        let mut fields = to.serialize_struct("Hit", 11)?;
        fields.serialize_field("id", &self.finding.id)?;
        fields.serialize_field("kind", &content.kind)?;
        fields.serialize_field("badge", content.badge())?;
        fields.serialize_field("title", &content.title)?;
        fields.serialize_field("problem", &content.problem)?;
        fields.serialize_field("domain", &content.domain)?;
        fields.serialize_field("confidence", &content.confidence)?;
        fields.serialize_field("evidence", &content.evidence)?;
        fields.serialize_field("score", &self.score)?;
        fields.serialize_field("snippet", &self.snippet)?;
        fields.serialize_field("why", &self.why)?;
        fields.end()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    pub total: u64,
    pub hits: Vec<Hit>,
    pub stage: Stage,
}

impl Stage {
    fn in_words(self, words: usize) -> &'static str {
        match self {
            Self::Exact => "exact name or problem",
            Self::AllWords if words == 1 => "holds the word",
            Self::AllWords => "holds all words",
            Self::AnyWord => "holds some of the words",
            Self::Prefix => "holds words that begin so",
            Self::Newest => "passes the filters",
            Self::None => "",
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Scored {
    id: i64,
    stage: Stage,
    score: f64,
    is_step: bool,
}

/// Columns for [`Search::is_step`].
const STEP: &str = concat!(has_tag!("f.tags", "step"), ", f.theorem_name");

/// A theorem that is no main result.
const BESIDE: &str =
    concat!("(f.finding_type = 'theorem' AND NOT ", has_tag!("f.tags", "main"), ")");

/// False and failed before proved, main results first, proved before claimed, techniques and steps last.
const NAMED_ORDER: &str = concat!(
    "CASE WHEN f.finding_type IN ('false_lemma', 'insight') THEN 0
    WHEN f.finding_type = 'failure' THEN f.extracted_from IS NOT NULL WHEN f.finding_type = 'technique' THEN 6
    WHEN f.finding_type <> 'theorem' THEN 2 WHEN ",
    has_tag!("f.tags", "main"),
    " THEN 2 WHEN f.confidence = 'verified' THEN 3 WHEN f.confidence = 'medium' THEN 4 ELSE 5 END + (",
    has_tag!("f.tags", "helper"),
    " OR ",
    has_tag!("f.tags", "trivial"),
    ")"
);

impl Store {
    /// Any text is valid. Without words: what passes the filters, newest first.
    pub fn search(&self, query: &SearchQuery) -> Result<SearchResult> {
        self.read(|connection| {
            // One snapshot for the many statements, and one lock. Rolled back, it would take the temporary tables along.
            let begins = connection.is_autocommit();
            let mut snapshot = begins.then(|| connection.unchecked_transaction()).transpose()?;
            if let Some(snapshot) = &mut snapshot {
                snapshot.set_drop_behavior(DropBehavior::Commit);
            }
            if let Some(of_kind) = query.of_the_kind_asked_for() {
                let found = Search::new(self, &of_kind)?.run()?;
                if !matches!(found.stage, Stage::None | Stage::Prefix) {
                    return Ok(found);
                }
            }
            Search::new(self, query)?.run()
        })
    }
}

struct Search<'a> {
    store: &'a Store,
    request: &'a SearchQuery,
    query: Query,
    filter: Filter,
    /// About how many findings there are.
    rows: i64,
    /// The day of the newest one.
    now: Option<f64>,
    /// All names of the current project.
    here: Vec<String>,
    ranking_limit: i64,
    found: Vec<Scored>,
    /// Held back behind what they are steps of.
    steps: Vec<Scored>,
    total: i64,
}

impl<'a> Search<'a> {
    fn new(store: &'a Store, request: &'a SearchQuery) -> Result<Self> {
        let rows = store.about_all()?;
        let here = request.current_project.as_deref();
        let here = here.map(|project| store.project_names(project)).transpose()?;
        Ok(Self {
            store,
            request,
            query: store.analyse(&request.text)?,
            filter: Filter::new(store, request)?,
            rows,
            now: store.value("SELECT julianday(max(created_at)) FROM findings", params![])?,
            here: here.unwrap_or_default(),
            ranking_limit: (rows / RANKING_PART).max(RANKING_ROWS),
            found: Vec::new(),
            steps: Vec::new(),
            total: 0,
        })
    }

    fn run(mut self) -> Result<SearchResult> {
        if !self.query.words.is_empty() && self.request.limit > 0 && !self.filter.is_empty {
            for stage in [Self::exact, Self::all_words, Self::any_word, Self::prefix] {
                stage(&mut self)?;
                if self.found.is_empty() {
                    self.take_steps();
                }
            }
            if self.request.limit > FIRST_PAGE {
                self.take_steps();
            }
        } else if self.query.words.is_empty() && !self.filter.is_empty {
            self.newest()?;
        }
        let stage = self.found.iter().map(|row| row.stage).max().unwrap_or(Stage::None);
        let total = self.total.max(most(self.found.len()));
        let mut hits = Vec::with_capacity(self.found.len());
        for row in &self.found {
            hits.extend(self.hit(*row)?);
        }
        Ok(SearchResult { total: total.unsigned_abs(), hits, stage })
    }

    fn hit(&self, row: Scored) -> Result<Option<Hit>> {
        let Some(finding) = self.store.shown(row.id)? else {
            return Ok(None);
        };
        let (snippet, matches) = explain(&finding.content, &self.query.words);
        let mut why = vec![row.stage.in_words(self.query.words.len()).to_owned()];
        why.extend(matches);
        if finding.content.project.as_ref().is_some_and(|project| self.here.contains(project)) {
            why.push("in this project".to_owned());
        }
        let base = match row.stage {
            Stage::None | Stage::Newest | Stage::Prefix => 0.0,
            Stage::AnyWord => 1.0,
            Stage::AllWords => ALL_WORDS,
            Stage::Exact => 3.0,
        };
        let score = base + row.score / (row.score + HALF_SCORE);
        Ok(Some(Hit { finding, score: (score * 10_000.0).round() / 10_000.0, snippet, why }))
    }

    fn scored_at_most(&self) -> usize {
        self.request.limit.max(rank::LOOKED_AT)
    }

    fn missing(&self) -> usize {
        self.request.limit.saturating_sub(self.found.len())
    }

    /// Takes new rows; steps of proofs wait.
    fn add(&mut self, rows: impl IntoIterator<Item = Scored>) {
        for row in rows {
            if self.missing() == 0 {
                break;
            }
            if !self.is_there(&row) {
                let to = if row.is_step { &mut self.steps } else { &mut self.found };
                to.push(row);
            }
        }
    }

    /// `at` is the first column of [`STEP`].
    fn is_step(&self, row: &Row<'_>, at: usize) -> rusqlite::Result<bool> {
        let is_step = row.get::<_, bool>(at)?;
        let name = rows::text(row, at + 1)?.filter(|_| is_step).unwrap_or_default();
        Ok(is_step && word_key(last_part(&name)) != word_key(&self.request.text))
    }

    fn is_there(&self, row: &Scored) -> bool {
        self.found.iter().chain(&self.steps).any(|other| other.id == row.id)
    }

    fn take_steps(&mut self) {
        let missing = self.missing();
        self.found.extend(self.steps.drain(..).take(missing));
    }

    /// Rows of the theorem (whole name or last component), problem or slot that was typed.
    fn exact(&mut self) -> rusqlite::Result<()> {
        let mut tokens: Vec<String> =
            self.query.names.iter().map(|name| name_token(name)).collect();
        let problem = id_key(&self.request.text);
        if self.query.words.len() <= 6 && problem.len() <= 120 {
            tokens.push(problem_token(&problem));
        }
        let slot = slot_of(&self.request.text);
        tokens.extend(slot.map(slot_token));
        if tokens.is_empty() {
            return Ok(());
        }
        let tokens: Vec<String> = tokens.iter().map(|token| quoted(token)).collect();
        let expression = self.filter.expression(&format!("symbols : ({})", tokens.join(" OR ")));
        let sql = format!(
            "SELECT findings_fts.rowid, {}, f.theorem_name, f.problem_id,
             instr(' ' || f.symbols || ' ', {}) > 0, {NAMED_ORDER}, {STEP}
             FROM findings_fts CROSS JOIN findings f ON f.id = findings_fts.rowid
             WHERE findings_fts MATCH ? {} ORDER BY 2 DESC, 1 DESC LIMIT {EXACT_ROWS}",
            self.score(true),
            slot.map_or_else(|| "NULL".to_owned(), |slot| format!("' {} '", slot_token(slot))),
            self.filter.conditions
        );
        let mut statement = self.store.connection.prepare_cached(&sql)?;
        let values = self.score_values(true).chain([Value::Text(expression)]);
        let values = values.chain(self.filter.values.iter().cloned());
        let rows = statement.query_map(params_from_iter(values), |row| {
            let (name, problem_id) = (rows::text(row, 2)?, rows::text(row, 3)?);
            let is_of_slot = rows::number(row, 4)? == Some(1);
            let class = self.name_class(name.as_deref(), problem_id.as_deref(), &problem);
            let class = class.max(u8::from(is_of_slot));
            let order = 9 - row.get::<_, u8>(5)?;
            // The score must keep the order of the classes.
            let place = 1000.0 * f64::from(class) + 100.0 * f64::from(order);
            let (id, is_step) = (row.get(0)?, self.is_step(row, 6)?);
            let score = row.get::<_, f64>(1)? + place;
            Ok(((class, order), Scored { id, stage: Stage::Exact, score, is_step }))
        })?;
        let mut exact = rows.collect::<rusqlite::Result<Vec<((u8, u8), Scored)>>>()?;
        exact.retain(|((class, _), _)| *class > 0);
        exact.sort_by_key(|(class, _)| Reverse(*class));
        self.total = most(exact.len());
        let (named, others): (Vec<_>, Vec<_>) =
            exact.into_iter().partition(|((class, _), _)| *class > 1);
        self.add(named.into_iter().map(|(_, row)| row));
        self.take_steps();
        self.add(others.into_iter().map(|(_, row)| row));
        Ok(())
    }

    /// 3 whole name, 2 last component, 1 problem, 0 none.
    fn name_class(&self, name: Option<&str>, problem_id: Option<&str>, problem: &str) -> u8 {
        let name = name.unwrap_or_default();
        let (last, name) = (plain_name(last_part(name)), plain_name(name));
        let classes = self.query.names.iter().map(|typed| match plain_name(typed) {
            typed if typed == name => 3,
            typed if typed == last => 2,
            _ => 0,
        });
        let class = classes.max().unwrap_or(0);
        let is_problem = problem_id.is_some_and(|id| !id.is_empty() && id_key(id) == problem);
        class.max(u8::from(is_problem))
    }

    fn all_words(&mut self) -> rusqlite::Result<()> {
        let words = &self.query.words;
        if self.missing() == 0 || words.iter().any(|word| word.docs == 0) {
            return Ok(());
        }
        let ranking = self.ranking();
        let all = join(words, " AND ");
        let are_many = ranking.first().is_some_and(|rarest| rarest.docs > CANDIDATES);
        let is_cut = ranking.len() < words.len() || (are_many && self.filter.is_none());
        let among = is_cut.then_some(all.as_str());
        let rows = self.scored(Stage::AllWords, &join(&ranking, " AND "), among)?;
        if rows.iter().filter(|row| !self.is_there(row)).count() >= self.missing() {
            self.total = self.total.max(self.count(&all, rows.len())?);
        }
        self.add(rows);
        Ok(())
    }

    fn any_word(&mut self) -> rusqlite::Result<()> {
        // `native_decide` is one name: what is only `Decidable` is not asked for.
        let name = self.request.text.trim();
        let is_name = name.contains('_') && !name.contains(char::is_whitespace);
        if self.missing() == 0 || (is_name && !self.found.is_empty()) {
            return Ok(());
        }
        let ranking: Vec<Word> = self.ranking().into_iter().filter(|word| word.docs > 0).collect();
        if ranking.is_empty() {
            return Ok(());
        }
        let any = join(&ranking, " OR ");
        // A filter chooses the rows; otherwise the rarest words do.
        let mut sum = 0;
        let rarest: Vec<Word> = ranking
            .iter()
            .take_while(|word| {
                sum += word.docs;
                sum <= CANDIDATES || sum == word.docs
            })
            .cloned()
            .collect();
        let is_chosen =
            !self.filter.is_none() || (rarest.len() == ranking.len() && sum <= CANDIDATES);
        let chosen = if is_chosen { any.clone() } else { join(&rarest, " OR ") };
        let among = (!is_chosen).then_some(chosen.as_str());
        let rows = self.scored(Stage::AnyWord, &any, among)?;
        self.total = self.total.max(self.count(&chosen, rows.len())?);
        self.add(rows);
        Ok(())
    }

    fn newest(&mut self) -> rusqlite::Result<()> {
        if self.filter.plain.is_empty() {
            return Ok(());
        }
        let conditions = format!("{} AND f.status IN {LIVE}", self.filter.plain);
        let values = self.filter.values.clone();
        let values = || params_from_iter(values.iter());
        let count = format!("SELECT count(*) FROM findings f WHERE {conditions}");
        self.total =
            self.store.connection.prepare_cached(&count)?.query_row(values(), |row| row.get(0))?;
        // Of theorems the main results first: one file may have very many others.
        for part in ["NOT", ""] {
            let sql = format!(
                "SELECT f.id, {STEP} FROM findings f WHERE {conditions} AND {part} {BESIDE}
                 ORDER BY f.created_at DESC, f.id DESC LIMIT {}",
                self.missing()
            );
            let mut statement = self.store.connection.prepare_cached(&sql)?;
            let rows = statement.query_map(values(), |row| {
                let is_step = self.is_step(row, 1)?;
                Ok(Scored { id: row.get(0)?, stage: Stage::Newest, score: 0.0, is_step })
            })?;
            let rows = rows.collect::<rusqlite::Result<Vec<Scored>>>()?;
            self.add(rows);
        }
        self.take_steps();
        Ok(())
    }

    fn prefix(&mut self) -> rusqlite::Result<()> {
        if !self.found.is_empty() {
            return Ok(());
        }
        let mut beginnings = Vec::new();
        for word in &self.query.words {
            for text in [&word.text, &word.stem] {
                let beginning = format!("{} *", quoted(text));
                if text.chars().count() >= SHORTEST_PREFIX && !beginnings.contains(&beginning) {
                    beginnings.push(beginning);
                }
            }
        }
        if beginnings.is_empty() {
            return Ok(());
        }
        let expression = beginnings.join(" OR ");
        let rows = self.scored(Stage::Prefix, &expression, Some(&expression))?;
        self.total = self.count(&expression, rows.len())?;
        self.add(rows);
        Ok(())
    }

    /// Rarest first: words in few findings, at least one.
    fn ranking(&self) -> Vec<Word> {
        let mut words = self.query.words.clone();
        words.sort_by_key(|word| word.docs);
        let rarest = words.iter().find(|word| word.docs > 0).map_or(0, |word| word.docs);
        words.retain(|word| word.docs <= self.ranking_limit.max(rarest));
        words
    }

    /// The rows that match `expression` (and `among`) and that the index scores best, re-ranked by [`rank`].
    fn scored(
        &self,
        stage: Stage,
        expression: &str,
        among: Option<&str>,
    ) -> rusqlite::Result<Vec<Scored>> {
        let joined = self.request.current_project.is_some();
        // The unary plus keeps the planner from running one full-text query a row. Of very many the newest are scored,
        // unless a filter chooses among them.
        let is_cut = stage == Stage::Prefix || self.filter.is_none();
        let chosen = format!(
            "AND +findings_fts.rowid IN (SELECT rowid FROM findings_fts WHERE findings_fts MATCH ?
             ORDER BY rowid DESC LIMIT {})",
            if is_cut { CANDIDATES } else { -1 }
        );
        let sql = format!(
            "SELECT f.id, best.score, {STEP}, {} FROM (
                 SELECT findings_fts.rowid AS id, {} AS score FROM findings_fts {}
                 WHERE findings_fts MATCH ? {} {} ORDER BY 2 DESC, 1 DESC LIMIT ?) best
             CROSS JOIN findings f ON f.id = best.id",
            rank::LOOKED_AT_TEXTS,
            self.score(joined),
            self.filter.join(joined),
            if among.is_some() { chosen.as_str() } else { "" },
            self.filter.conditions
        );
        let mut statement = self.store.connection.prepare_cached(&sql)?;
        let limit = most(self.scored_at_most());
        let values = self
            .score_values(joined)
            .chain([Value::Text(self.filter.expression(expression))])
            .chain(among.map(|among| Value::Text(among.to_owned())))
            .chain(self.filter.values.iter().cloned())
            .chain([Value::Integer(limit)]);
        let words = &self.query.words;
        let is_name = self.query.is_name;
        let wanted = rank::Wanted::new(words, is_name, self.rows, &self.here, self.now);
        let mut best = None;
        let rows = statement.query_map(params_from_iter(values), |row| {
            let score: f64 = row.get(1)?;
            let best = *best.get_or_insert(score);
            let part = if best > 0.0 { score / best } else { 0.0 };
            let is_step = self.is_step(row, 2)?;
            let close = if stage == Stage::Prefix { score } else { wanted.score(row, 4, part)? };
            Ok((score, Scored { id: row.get(0)?, stage, score: close, is_step }))
        })?;
        let mut rows = rows.collect::<rusqlite::Result<Vec<(f64, Scored)>>>()?;
        rows.sort_by(|(words, one), (other_words, other)| {
            let order = other.score.total_cmp(&one.score);
            order.then(other_words.total_cmp(words)).then(other.id.cmp(&one.id))
        });
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    /// How many match, of which so many were scored.
    fn count(&self, expression: &str, scored: usize) -> rusqlite::Result<i64> {
        if scored < self.scored_at_most() {
            return Ok(most(scored));
        }
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM findings_fts {}
             WHERE findings_fts MATCH ? {} LIMIT 100000)",
            self.filter.join(false),
            self.filter.conditions
        );
        let values = [Value::Text(self.filter.expression(expression))];
        let values = values.into_iter().chain(self.filter.values.iter().cloned());
        self.store
            .connection
            .prepare_cached(&sql)?
            .query_row(params_from_iter(values), |row| row.get(0))
    }

    /// SQL of the score, larger is better.
    fn score(&self, joined: bool) -> String {
        let weights: Vec<String> =
            rank::COLUMNS.iter().map(|(_, weight)| weight.to_string()).collect();
        let bm25 = format!("-bm25(findings_fts, {})", weights.join(", "));
        if joined && self.request.current_project.is_some() {
            let (names, factor) = (projects::names("?"), rank::PROJECT_ROWS);
            // The short text of a technique that was read off a proof would come before what it proved.
            format!(
                "{bm25} * CASE WHEN f.project IN {names} THEN {factor} ELSE 1.0 END * CASE
                 WHEN f.finding_type = 'technique' AND f.confidence = 'verified' THEN {} ELSE 1.0 END",
                rank::HELPER
            )
        } else {
            bm25
        }
    }

    fn score_values(&self, joined: bool) -> impl Iterator<Item = Value> {
        let project = self.request.current_project.clone().filter(|_| joined);
        project.map(Value::Text).into_iter()
    }
}

fn join(words: &[Word], operator: &str) -> String {
    words.iter().map(|word| quoted(&word.text)).collect::<Vec<_>>().join(operator)
}

fn explain(finding: &Draft, words: &[Word]) -> (String, Vec<String>) {
    let texts = finding.searched();
    let mut reasons = Vec::new();
    // The title is shown beside the snippet.
    let (mut best, mut best_count) = (None, 0);
    for (label, text) in &texts {
        let found = matches(text, words);
        if found.is_empty() {
            continue;
        }
        let listed: Vec<&str> = found.iter().map(|(_, word)| *word).collect();
        reasons.push(format!("{label}: {}", listed.join(", ")));
        if *label != "title" && found.len() > best_count {
            best_count = found.len();
            best = Some((text.as_ref(), found.iter().map(|(at, _)| *at).min().unwrap_or(0)));
        }
    }
    let described =
        if finding.description.is_empty() { &finding.title } else { &finding.description };
    let snippet = best.map_or_else(|| clip(&one_line(described), SNIPPET), |(t, at)| around(t, at));
    (snippet, reasons)
}

fn around(text: &str, at: usize) -> String {
    let start = text.floor_char_boundary(at.saturating_sub(LEAD));
    let start = text
        .get(start..at)
        .filter(|_| start > 0)
        .and_then(|lead| lead.find(char::is_whitespace))
        .map_or(start, |blank| start + blank);
    let piece = one_line(text.get(start..).unwrap_or(text));
    clip(&if start > 0 { format!("…{piece}") } else { piece }, SNIPPET)
}

const HAS_TAG: &str = "instr(',' || lower(replace(f.tags, ', ', ',')) || ',', ',' || ? || ',') > 0";

#[derive(Debug, Default)]
struct Filter {
    /// Empty or begins with `AND`; refers to `findings_fts`, and to `f` where joined.
    conditions: String,
    values: Vec<Value>,
    /// The same on `f` alone, for a search without words.
    plain: String,
    /// Nothing can pass.
    is_empty: bool,
    /// Part of the full-text expression.
    tags: String,
}

impl Filter {
    fn new(store: &Store, request: &SearchQuery) -> Result<Self> {
        let mut filter = Self::default();
        let (mut sql, values): (Vec<String>, Vec<Vec<Value>>) =
            conditions(store, request)?.into_iter().unzip();
        filter.is_empty = sql.iter().any(|sql| sql.ends_with("IN ()"));
        filter.values = values.concat();
        // The index finds the tag's words, the row whether it is that tag.
        for tag in &request.tags {
            if tag.chars().any(char::is_alphanumeric) {
                filter.tags.extend([" AND (tags : ", &quoted(tag), ")"]);
            }
            sql.push(HAS_TAG.to_owned());
            filter.values.push(Value::Text(tag.trim().to_lowercase()));
        }
        filter.plain = sql.join(" AND ");
        filter.conditions.extend(sql.iter().flat_map(|sql| [" AND ", sql]));
        Ok(filter)
    }

    fn is_none(&self) -> bool {
        self.plain.is_empty()
    }

    fn join(&self, needed: bool) -> &'static str {
        if needed || !self.is_none() {
            "CROSS JOIN findings f INDEXED BY findings_filter ON f.id = findings_fts.rowid"
        } else {
            ""
        }
    }

    fn expression(&self, expression: &str) -> String {
        if self.tags.is_empty() {
            expression.to_owned()
        } else {
            format!("({expression}){}", self.tags)
        }
    }
}

type Condition = (String, Vec<Value>);

fn conditions(store: &Store, request: &SearchQuery) -> Result<Vec<Condition>> {
    let one_of = |column: &str, words: Vec<String>| {
        let marks = vec!["?"; words.len()].join(", ");
        (format!("f.{column} IN ({marks})"), words.into_iter().map(Value::Text).collect())
    };
    let mut all = Vec::new();
    if !request.kinds.is_empty() {
        let kinds = request.kinds.iter().map(|kind| kind.as_str().to_owned());
        all.push(one_of("finding_type", kinds.collect()));
    }
    all.extend(request.domain.clone().map(|domain| one_of("domain_id", vec![domain])));
    if let Some(problem) = &request.problem {
        all.push(one_of("problem_id", store.spellings(problem)?));
    }
    let confidence = request.confidence.map(|confidence| vec![confidence.as_str().to_owned()]);
    all.extend(confidence.map(|confidence| one_of("confidence", confidence)));
    if let Some(project) = &request.project {
        let sql = format!("f.project IN {}", projects::names("?"));
        all.push((sql, vec![Value::Text(project.clone())]));
    }
    if let Some(since) = &request.since {
        let since = since.trim_end_matches('Z').replace('T', " ");
        all.push(("f.created_at >= ?".to_owned(), vec![Value::Text(since)]));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests as work;

    /// Words that stand everywhere: the newest are scored, but what a filter asks for is found, however old.
    #[test]
    fn of_very_many_the_newest_are_scored_unless_a_filter_chooses() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("submissions")).unwrap();
        work::fill(dir.path(), dir.path());
        let store = Store::open(&dir.path().join("knowledge.db")).unwrap();
        let ids = |problem: Option<&str>| -> Vec<i64> {
            let query = SearchQuery {
                text: "rim covered".to_owned(),
                problem: problem.map(str::to_owned),
                limit: 500,
                ..SearchQuery::default()
            };
            store.search(&query).unwrap().hits.iter().map(|hit| hit.finding.id).collect()
        };
        let all = ids(None);
        assert_eq!(all.len(), 500);
        assert!(all.iter().all(|id| *id > 13_000 - CANDIDATES), "{all:?}");
        let mut of_problem = ids(Some("board_7"));
        of_problem.sort_unstable();
        let expected: Vec<i64> = (0..22).map(|round| 7 + 600 * round).collect();
        assert_eq!(of_problem, expected);
    }

    #[test]
    fn each_column_of_the_index_has_its_own_weight() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("knowledge.db")).unwrap();
        let columns: Vec<String> = store
            .all("SELECT name FROM pragma_table_info('findings_fts')", rusqlite::params![])
            .unwrap();
        assert_eq!(columns, rank::COLUMNS.map(|(name, _)| name));
    }
}
