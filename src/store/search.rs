//! Search over all kinds of findings: exact names first, then rows with all words, then rows with
//! any of them, then words that begin so.
//!
//! What costs is `bm25()` for each row, so only few rows are scored: words that stand in many
//! findings filter and never rank, and where any word will do, the rarest words choose the rows.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::filter::Filter;
use super::query::{Query, Word, analyse, quoted};
use super::question::{Hit, SearchQuery, SearchResult, Stage};
use super::record::LIVE;
use super::symbols::{last_component, name_token, plain_name, problem_token, slot_token};
use super::{Store, StoreError, explain, findings, projects, rank, record};
use crate::model::{slot_of, word_key};

/// Rows that the rarest words may choose: each costs a `bm25()`.
const CANDIDATES: i64 = 2_000;
/// A word in so few findings ranks, however many findings there are.
const RANKING_ROWS: i64 = 10_000;
/// A word in more than one of this many findings does not rank.
const RANKING_PART: i64 = 10;
/// Rows that are looked at for an exact name.
const EXACT_ROWS: usize = 1000;
/// Among the first hits no step of a proof stands that was not asked for by its name.
const FIRST_PAGE: usize = 10;
/// Shortest word that may be the beginning of another.
const SHORTEST_PREFIX: usize = 3;
/// The score at which a hit stands in the middle of its stage.
const HALF_SCORE: f64 = 20.0;

/// A row that was found, before it is read.
#[derive(Debug, Clone, Copy)]
struct Scored {
    id: i64,
    stage: Stage,
    score: f64,
    /// Whether it is only a step of a proof, and not what was asked for.
    is_step: bool,
}

/// What [`Search::is_step`] reads.
const STEP: &str = "',' || coalesce(f.tags, '') || ',' LIKE '%,step,%', f.theorem_name";

/// A row with what it may be called by.
struct Named {
    row: Scored,
    name: Option<String>,
    problem: Option<String>,
    /// It comes from the slot that was asked for.
    is_of_slot: bool,
    /// Its place among others of the same name: [`NAMED_ORDER`].
    order: u8,
}

/// What is false or failed comes before what is proved, and that before what is only claimed; steps of a
/// proof come last.
const NAMED_ORDER: &str = "CASE WHEN f.finding_type IN ('false_lemma', 'insight') THEN 0
    WHEN f.finding_type = 'failure' THEN 1 WHEN f.finding_type <> 'theorem' THEN 2
    WHEN f.confidence = 'verified' THEN 2 WHEN f.confidence = 'medium' THEN 4 ELSE 5 END
    + (coalesce(f.tags, '') LIKE '%helper%')";

impl Store {
    /// Searches. Every text is a valid query; one without any word finds what passes the filters, the
    /// newest first, and nothing where there are none.
    pub fn search(&self, query: &SearchQuery) -> Result<SearchResult, StoreError> {
        self.read(|connection| Search::new(connection, query)?.run())
    }
}

struct Search<'a> {
    connection: &'a Connection,
    request: &'a SearchQuery,
    query: Query,
    filter: Filter,
    /// How many findings there are, about.
    rows: i64,
    /// All names of the current project.
    here: Vec<String>,
    /// Words in more findings than this do not rank.
    ranking_limit: i64,
    found: Vec<Scored>,
    /// Steps of proofs, which stand back behind what they are steps of.
    steps: Vec<Scored>,
    total: i64,
}

impl<'a> Search<'a> {
    fn new(connection: &'a Connection, request: &'a SearchQuery) -> rusqlite::Result<Self> {
        let rows: i64 = connection
            .prepare_cached("SELECT coalesce(max(id), 0) FROM findings")?
            .query_row([], |row| row.get(0))?;
        let here = request.current_project.as_deref();
        let here = here.map(|project| projects::all_names(connection, project)).transpose()?;
        Ok(Self {
            connection,
            request,
            query: analyse(connection, &request.text)?,
            filter: Filter::new(connection, request)?,
            rows,
            here: here.unwrap_or_default(),
            ranking_limit: (rows / RANKING_PART).max(RANKING_ROWS),
            found: Vec::new(),
            steps: Vec::new(),
            total: 0,
        })
    }

    fn run(mut self) -> rusqlite::Result<SearchResult> {
        if !self.query.words.is_empty() && self.request.limit > 0 && !self.filter.is_empty {
            for stage in [Self::exact, Self::all_words, Self::any_word, Self::prefix] {
                stage(&mut self)?;
                // What fits best is shown, whatever it is.
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
        let total = self.total.max(i64::try_from(self.found.len()).unwrap_or(i64::MAX));
        let mut hits = Vec::with_capacity(self.found.len());
        for row in &self.found {
            hits.extend(self.hit(*row)?);
        }
        Ok(SearchResult { total: total.unsigned_abs(), hits, stage })
    }

    fn hit(&self, row: Scored) -> rusqlite::Result<Option<Hit>> {
        let Some(finding) = findings::load(self.connection, row.id)? else {
            return Ok(None);
        };
        let (snippet, matches) = explain::explain(&finding.content, &self.query.words);
        let mut why = vec![explain::stage(row.stage, &self.query.words).to_owned()];
        why.extend(matches);
        let read_as =
            |word: &Word| Some(format!("`{}` read as `{}`", word.typed.as_ref()?, word.text));
        why.extend(self.query.words.iter().filter_map(read_as));
        if finding.content.project.as_ref().is_some_and(|project| self.here.contains(project)) {
            why.push("in this project".to_owned());
        }
        let base = match row.stage {
            Stage::None | Stage::Newest | Stage::Prefix => 0.0,
            Stage::AnyWord => 1.0,
            Stage::AllWords => 2.0,
            Stage::Exact => 3.0,
        };
        let score = base + row.score / (row.score + HALF_SCORE);
        Ok(Some(Hit { finding, score: (score * 10_000.0).round() / 10_000.0, snippet, why }))
    }

    fn missing(&self) -> usize {
        self.request.limit.saturating_sub(self.found.len())
    }

    /// Takes the rows that are not there yet; what is only a step of a proof waits.
    fn add(&mut self, rows: Vec<Scored>) {
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

    /// Whether a row whose [`STEP`] begins at column `at` is only a step of a proof.
    fn is_step(&self, row: &Row<'_>, at: usize) -> rusqlite::Result<bool> {
        let is_step = row.get::<_, bool>(at)?;
        let name = record::text(row, at + 1)?.filter(|_| is_step).unwrap_or_default();
        Ok(is_step && word_key(last_component(&name)) != word_key(&self.request.text))
    }

    fn is_there(&self, row: &Scored) -> bool {
        self.found.iter().chain(&self.steps).any(|other| other.id == row.id)
    }

    fn take_steps(&mut self) {
        let missing = self.missing();
        self.found.extend(self.steps.drain(..).take(missing));
    }

    /// Rows whose theorem has the name that was typed, whole or its last component, and rows of the
    /// problem or of the slot that was typed.
    fn exact(&mut self) -> rusqlite::Result<()> {
        let mut tokens: Vec<String> = self.query.name.iter().map(|name| name_token(name)).collect();
        let problem = word_key(&self.request.text);
        if self.query.words.len() <= 6 && problem.len() <= 120 {
            tokens.push(problem_token(&problem));
        }
        let slot = slot_of(&self.request.text);
        tokens.extend(slot.map(slot_token));
        if tokens.is_empty() {
            return Ok(());
        }
        let tokens: Vec<String> = tokens.iter().map(|token| quoted(token)).collect();
        let rows = self.named_rows(&format!("symbols : ({})", tokens.join(" OR ")), slot)?;
        let mut exact: Vec<((u8, u8), Scored)> = rows
            .into_iter()
            .filter_map(|named| {
                let class =
                    self.name_class(named.name.as_deref(), named.problem.as_deref(), &problem);
                let class = class.max(u8::from(named.is_of_slot));
                (class > 0).then_some(((class, 9 - named.order), named.row))
            })
            .collect();
        exact.sort_by_key(|(class, _)| std::cmp::Reverse(*class));
        self.total = i64::try_from(exact.len()).unwrap_or(i64::MAX);
        // The class is part of the order, so it must be part of the score.
        let rows = exact.into_iter().map(|((class, order), row)| {
            let place = 1000.0 * f64::from(class) + 100.0 * f64::from(order);
            (class > 1, Scored { score: row.score + place, ..row })
        });
        let (named, others): (Vec<_>, Vec<_>) = rows.partition(|(is_named, _)| *is_named);
        self.add(named.into_iter().map(|(_, row)| row).collect());
        self.take_steps();
        self.add(others.into_iter().map(|(_, row)| row).collect());
        Ok(())
    }

    /// 3 for the whole name, 2 for its last component, 1 for the problem, 0 for none.
    fn name_class(&self, name: Option<&str>, problem_id: Option<&str>, problem: &str) -> u8 {
        let name = plain_name(name.unwrap_or_default());
        let class = self.query.name.as_ref().map_or(0, |typed| match plain_name(typed) {
            typed if typed == name => 3,
            typed if !typed.contains('.') && typed == last_component(&name) => 2,
            _ => 0,
        });
        let is_problem = problem_id.is_some_and(|id| !id.is_empty() && word_key(id) == problem);
        class.max(u8::from(is_problem))
    }

    fn named_rows(&self, expression: &str, slot: Option<i64>) -> rusqlite::Result<Vec<Named>> {
        let sql = format!(
            "SELECT findings_fts.rowid, {}, f.theorem_name, f.problem_id,
             instr(' ' || f.symbols || ' ', {}) > 0, {NAMED_ORDER}, {STEP}
             FROM findings_fts CROSS JOIN findings f ON f.id = findings_fts.rowid
             WHERE findings_fts MATCH ? {} ORDER BY 2 DESC, 1 DESC LIMIT {EXACT_ROWS}",
            self.score(true),
            slot.map_or_else(|| "NULL".to_owned(), |slot| format!("' {} '", slot_token(slot))),
            self.filter.conditions
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let values =
            self.score_values(true).chain([Value::Text(self.filter.expression(expression))]);
        let values = values.chain(self.filter.values.iter().cloned());
        let rows = statement.query_map(params_from_iter(values), |row| {
            Ok(Named {
                row: Scored {
                    id: row.get(0)?,
                    stage: Stage::Exact,
                    score: row.get(1)?,
                    is_step: self.is_step(row, 6)?,
                },
                name: record::text(row, 2)?,
                problem: record::text(row, 3)?,
                is_of_slot: record::number(row, 4)? == Some(1),
                order: row.get(5)?,
            })
        })?;
        rows.collect()
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
            self.total = self.total.max(self.count(&all)?);
        }
        self.add(rows);
        Ok(())
    }

    fn any_word(&mut self) -> rusqlite::Result<()> {
        if self.missing() == 0 {
            return Ok(());
        }
        let ranking: Vec<Word> = self.ranking().into_iter().filter(|word| word.docs > 0).collect();
        if ranking.is_empty() {
            return Ok(());
        }
        let any = join(&ranking, " OR ");
        // A narrow filter chooses the rows; otherwise the rarest words do.
        let mut sum = 0;
        let rarest: Vec<Word> = ranking
            .iter()
            .take_while(|word| {
                sum += word.docs;
                sum <= CANDIDATES || sum == word.docs
            })
            .cloned()
            .collect();
        let is_cheap = sum <= CANDIDATES || !self.filter.is_none();
        let narrow = self.filter.is_narrow || (rarest.len() == ranking.len() && is_cheap);
        let chosen = if narrow { any.clone() } else { join(&rarest, " OR ") };
        let among = (!narrow).then_some(chosen.as_str());
        let rows = self.scored(Stage::AnyWord, &any, among)?;
        self.total = self.total.max(self.count(&chosen)?);
        self.add(rows);
        Ok(())
    }

    /// What passes the filters, where no words were given.
    fn newest(&mut self) -> rusqlite::Result<()> {
        if self.filter.plain.is_empty() {
            return Ok(());
        }
        let conditions = format!("{} AND f.status IN {LIVE}", self.filter.plain);
        let values = || params_from_iter(self.filter.values.iter().cloned());
        let count = format!("SELECT count(*) FROM findings f WHERE {conditions}");
        self.total =
            self.connection.prepare_cached(&count)?.query_row(values(), |row| row.get(0))?;
        let sql = format!(
            "SELECT f.id, {STEP} FROM findings f WHERE {conditions}
             ORDER BY f.created_at DESC, f.id DESC LIMIT {}",
            self.request.limit
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(values(), |row| {
            let is_step = self.is_step(row, 1)?;
            Ok(Scored { id: row.get(0)?, stage: Stage::Newest, score: 0.0, is_step })
        })?;
        let rows = rows.collect::<rusqlite::Result<Vec<Scored>>>()?;
        self.add(rows);
        Ok(())
    }

    /// Only where whole words found nothing.
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
        self.total = self.count(&expression)?;
        self.add(rows);
        Ok(())
    }

    /// The words that rank, the rarest first: those that few findings hold, at least one.
    fn ranking(&self) -> Vec<Word> {
        let mut words = self.query.words.clone();
        words.sort_by_key(|word| word.docs);
        let rarest = words.iter().find(|word| word.docs > 0).map_or(0, |word| word.docs);
        words.retain(|word| word.docs <= self.ranking_limit.max(rarest));
        words
    }

    /// The best rows that match `expression`, among those that match `among`: those that the index scores
    /// best, in the order of how close their texts are to the query.
    fn scored(
        &self,
        stage: Stage,
        expression: &str,
        among: Option<&str>,
    ) -> rusqlite::Result<Vec<Scored>> {
        let joined = self.request.current_project.is_some();
        // The unary plus keeps the planner from running one full-text query for each row. Of very many the
        // newest are scored, unless a filter is to choose among them.
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
        let mut statement = self.connection.prepare_cached(&sql)?;
        let limit = self.request.limit.max(rank::LOOKED_AT);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let values = self
            .score_values(joined)
            .chain([Value::Text(self.filter.expression(expression))])
            .chain(among.map(|among| Value::Text(among.to_owned())))
            .chain(self.filter.values.iter().cloned())
            .chain([Value::Integer(limit)]);
        let words = &self.query.words;
        let is_name = self.query.name.is_some();
        let wanted = rank::Wanted::new(self.connection, words, is_name, self.rows, &self.here)?;
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

    fn count(&self, expression: &str) -> rusqlite::Result<i64> {
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM findings_fts {}
             WHERE findings_fts MATCH ? {} LIMIT 100000)",
            self.filter.join(false),
            self.filter.conditions
        );
        let values = [Value::Text(self.filter.expression(expression))];
        let values = values.into_iter().chain(self.filter.values.iter().cloned());
        self.connection.prepare_cached(&sql)?.query_row(params_from_iter(values), |row| row.get(0))
    }

    /// The score of a row as SQL, larger is better.
    fn score(&self, joined: bool) -> String {
        let weights: Vec<String> =
            rank::COLUMNS.iter().map(|(_, weight)| weight.to_string()).collect();
        let bm25 = format!("-bm25(findings_fts, {})", weights.join(", "));
        if joined && self.request.current_project.is_some() {
            let (names, factor) = (projects::names("?"), rank::PROJECT_ROWS);
            format!("{bm25} * CASE WHEN f.project IN {names} THEN {factor} ELSE 1.0 END")
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
}
