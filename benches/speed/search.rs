//! Search: quality and speed of ours beside plain `a OR b ... ORDER BY bm25()` on the same index, and
//! `mk search` beside the `sqlite3` shell.

#![allow(
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark starts processes, computes means, and fails by panicking"
)]

use std::collections::{BTreeMap, HashMap};
use std::io::Read as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use math_forge::model::{Draft, Kind};
use math_forge::store::{SearchQuery, Store};
use rusqlite::Connection;

use crate::timing::{Contender, installed, mk, print, race, shared, show};

/// Hits that a query asks for.
const LIMIT: usize = 10;
/// Queries of the speed part.
const QUERIES: usize = 200;
/// The weights of `store::search`, for the plain query.
const BM25: &str = "bm25(findings_fts, 10, 4, 6, 8, 5, 3, 2, 3, 3, 2, 2, 2)";

pub(crate) fn run() {
    quality();
    // `cargo bench --bench speed -- search 1000` takes other sizes.
    let mut sizes: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![1_000, 100_000, 1_000_000];
    }
    sizes.into_iter().for_each(speed);
}

fn now() -> jiff::Timestamp {
    "2026-01-01T00:00:00Z".parse().expect("a time")
}

fn fill(path: &Path, drafts: impl Iterator<Item = Draft>) -> Store {
    let mut store = Store::open(path, now()).expect("the store opens");
    store
        .write(now(), |writer| {
            for draft in drafts {
                writer.put(&draft)?;
            }
            Ok(())
        })
        .expect("the store can be filled");
    store
}

fn plain_or(connection: &Connection, text: &str) -> Vec<String> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(24)
        .map(|word| format!("\"{word}\""))
        .collect();
    let sql = format!(
        "SELECT f.title FROM findings_fts JOIN findings f ON f.id = findings_fts.rowid
         WHERE findings_fts MATCH ?1 ORDER BY {BM25} LIMIT {LIMIT}"
    );
    let mut statement = connection.prepare_cached(&sql).expect("valid SQL");
    let rows = statement.query_map([words.join(" OR ")], |row| row.get(0)).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

fn ours(store: &Store, text: &str) -> Vec<String> {
    let query = SearchQuery { text: text.to_owned(), limit: LIMIT, ..SearchQuery::default() };
    let found = store.search(&query).expect("every text is a query");
    found.hits.into_iter().map(|hit| hit.finding.content.title).collect()
}

#[derive(Default)]
struct Quality {
    queries: f64,
    reciprocal: [f64; 2],
    recalled: [f64; 2],
}

/// Mean reciprocal rank and recall at ten on declarations of Mathlib, per set of queries.
fn quality() {
    let Some(folder) = shared().map(|shared| shared.join("data/retrieval")) else {
        return;
    };
    let file = std::fs::File::open(folder.join("corpus_small.jsonl.gz")).expect("the corpus");
    let mut corpus = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut corpus).expect("the corpus is gzip");
    let text = |value: &serde_json::Value, key: &str| value[key].as_str().map(str::to_owned);
    let drafts = corpus.lines().map(|line| {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let name = text(&value, "name").expect("a name");
        let mut draft =
            Draft::new(Kind::Theorem, name.clone(), text(&value, "docstring").unwrap_or_default());
        draft.theorem_name = Some(name);
        draft.theorem_statement = text(&value, "statement");
        draft.identity = Some(line.to_owned());
        draft
    });
    let temporary = tempfile::tempdir().expect("a folder");
    let store = fill(&temporary.path().join("k.db"), drafts);
    let connection = Connection::open(store.path()).expect("the same database");
    let queries = std::fs::read_to_string(folder.join("queries_small.jsonl")).expect("queries");
    let mut sets: BTreeMap<String, Quality> = BTreeMap::new();
    for line in queries.lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let query = text(&value, "query").expect("a query");
        let relevant: Vec<&str> = value["relevant"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|v| v.as_str())
            .collect();
        let set = sets.entry(text(&value, "set").expect("a set")).or_default();
        set.queries += 1.0;
        let answers = [plain_or(&connection, &query), ours(&store, &query)];
        for (at, answer) in answers.iter().enumerate() {
            let rank = answer.iter().position(|title| relevant.contains(&title.as_str()));
            set.reciprocal[at] += rank.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
            let hits = answer.iter().filter(|title| relevant.contains(&title.as_str())).count();
            set.recalled[at] += hits.min(relevant.len()) as f64 / relevant.len() as f64;
        }
    }
    println!(
        "  {:<24} {:>7}   {:>17}   {:>17}",
        "set", "queries", "MRR or / ours", "recall or / ours"
    );
    for (name, set) in sets {
        let mean = |sum: f64| sum / set.queries;
        println!(
            "  {name:<24} {:>7}   {:>8.3} {:>8.3}   {:>8.3} {:>8.3}",
            set.queries,
            mean(set.reciprocal[0]),
            mean(set.reciprocal[1]),
            mean(set.recalled[0]),
            mean(set.recalled[1])
        );
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A word number by Zipf's law: few words are frequent, most are rare.
    fn word(&mut self) -> usize {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        (50_000_f64.powf(unit) - 1.0) as usize
    }
}

const SYLLABLES: [&str; 16] = [
    "ba", "cor", "di", "fen", "gra", "hol", "is", "jun", "kel", "lom", "mat", "nor", "pri", "quo",
    "ra", "set",
];

fn word(number: usize) -> String {
    let (mut rest, mut word) = (number + 7, String::new());
    while rest > 0 {
        word.push_str(SYLLABLES[rest % 16]);
        rest /= 16;
    }
    word
}

fn words(dice: &mut Dice, count: usize) -> String {
    (0..count).map(|_| word(dice.word())).collect::<Vec<_>>().join(" ")
}

fn generated(rows: usize) -> impl Iterator<Item = Draft> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    (0..rows).map(move |row| {
        let mut draft = Draft::new(Kind::ALL[row % 7], words(&mut dice, 5), words(&mut dice, 25));
        draft.theorem_name = Some(format!("{}.{}_{row}", word(dice.word()), word(dice.word())));
        draft.theorem_statement =
            Some(format!("∀ n : ℕ, {} ≤ {}", words(&mut dice, 4), words(&mut dice, 4)));
        draft.problem = Some(format!("erdos_{}", row % 500));
        draft.identity = Some(row.to_string());
        draft
    })
}

fn speed(rows: usize) {
    let temporary = tempfile::tempdir().expect("a folder");
    let start = Instant::now();
    let store = fill(&temporary.path().join("k.db"), generated(rows));
    println!("\n  {rows} findings, stored in {}", show(start.elapsed()));
    let connection = Connection::open(store.path()).expect("the same database");
    connection.pragma_update(None, "cache_size", -32_000).expect("the same cache");
    let mut dice = Dice(42);
    let queries: Vec<String> = (0..QUERIES).map(|at| words(&mut dice, 2 + at % 9)).collect();
    let mut times: HashMap<&str, Vec<Duration>> = HashMap::new();
    for query in &queries {
        let mut measure = |name, work: &mut dyn FnMut()| {
            let start = Instant::now();
            work();
            times.entry(name).or_default().push(start.elapsed());
        };
        measure("plain OR", &mut || drop(plain_or(&connection, query)));
        measure("ours", &mut || drop(ours(&store, query)));
    }
    for name in ["plain OR", "ours"] {
        let list = times.get_mut(name).expect("measured");
        list.sort();
        let at = |part: usize| show(list[(list.len() - 1) * part / 100]);
        println!("  {name:<44} median {:>9}   p95 {:>9}   worst {:>9}", at(50), at(95), at(100));
    }
    whole_commands(&store, &queries[1]);
}

/// The command as a person runs it, beside the shell on the same file.
fn whole_commands(store: &Store, query: &str) {
    if !installed("sqlite3") {
        return;
    }
    let expression: Vec<String> = query.split(' ').map(|word| format!("\"{word}\"")).collect();
    let sql = format!(
        "SELECT f.id, f.title FROM findings_fts JOIN findings f ON f.id = findings_fts.rowid
         WHERE findings_fts MATCH '{}' ORDER BY {BM25} LIMIT 5",
        expression.join(" OR ")
    );
    let mut shell = Command::new("sqlite3");
    shell.arg(store.path()).arg(sql);
    let mut ours = mk();
    ours.arg("--db").arg(store.path()).arg("search").arg(query);
    let contenders = vec![
        Contender::process("sqlite3 knowledge.db 'SELECT ... OR ...'", shell, None),
        Contender::process("mk search", ours, None),
    ];
    print(&race(contenders, 20));
}
