//! Search: speed of ours beside plain `a OR b ... ORDER BY bm25()` on the same index, and
//! `mk search` beside the `sqlite3` shell.

#![allow(
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark starts processes, computes means, and fails by panicking"
)]

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use math_forge::model::{Draft, Kind};
use math_forge::store::{SearchQuery, Store};
use rusqlite::Connection;

use crate::timing::{Contender, installed, mk, print, race, show};

/// Hits that a query asks for.
const LIMIT: usize = 10;
/// Queries of the speed part.
const QUERIES: usize = 200;
/// The weights of `store::rank`, for the plain query.
const BM25: &str = "bm25(findings_fts, 10, 4, 6, 8, 5, 3, 2, 3, 3, 2, 2, 2)";

pub(crate) fn run() {
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

pub(crate) fn fill(path: &Path, drafts: impl Iterator<Item = Draft>) -> Store {
    let mut store = Store::open(path).expect("the store opens");
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

pub(crate) fn generated(rows: usize) -> impl Iterator<Item = Draft> {
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

/// Queries of two to ten words about what is generated.
pub(crate) fn queries() -> Vec<String> {
    let mut dice = Dice(42);
    (0..QUERIES).map(|at| words(&mut dice, 2 + at % 9)).collect()
}

fn speed(rows: usize) {
    let temporary = tempfile::tempdir().expect("a folder");
    let start = Instant::now();
    let store = fill(&temporary.path().join("k.db"), generated(rows));
    println!("\n  {rows} findings, stored in {}", show(start.elapsed()));
    let connection = Connection::open(store.path()).expect("the same database");
    connection.pragma_update(None, "cache_size", -32_000).expect("the same cache");
    let queries = queries();
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
