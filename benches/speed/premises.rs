//! `mk premises` over the part of Mathlib that the shared folder holds: how fast beside `/bin/true` and `rg`, and whether
//! the right declaration comes first, beside plain BM25 over the same declarations.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use rusqlite::Connection;
use serde_json::Value;

use crate::timing::{self, Contender, shared};

const WORDS: [&str; 4] = [
    "continuous function on a compact set",
    "sum of odd numbers",
    "Finset.card_le_card",
    "prime divides product",
];
const PATTERNS: [&str; 4] = [
    "_ * (_ ^ _)",
    "⊢ Real.sin ?x ≤ _",
    "Finset.card ?s ≤ Finset.card ?t",
    "⊢ ?a ∣ ?b → _ ∣ ?b * _",
];

pub(crate) fn run() {
    let Some(data) = shared().map(|shared| shared.join("data")) else { return };
    let temporary = tempfile::tempdir().expect("a folder");
    let project = temporary.path().join("project");
    let home = temporary.path().join("home");
    let unpack = Command::new(data.join("mathlib/unpack.sh")).arg(&project).status();
    if !unpack.is_ok_and(|status| status.success()) {
        println!("  SKIPPED: the part of Mathlib could not be unpacked");
        return;
    }
    let mk = |arguments: &[&str]| {
        let mut mk = timing::mk();
        mk.args(arguments).current_dir(&project).env("MK_HOME", &home);
        mk
    };
    let begun = Instant::now();
    let output = mk(&["index", "--json"]).output().expect("mk starts");
    let rows: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    println!("  mk index: {:.1} s, {}", begun.elapsed().as_secs_f64(), rows["packages"][0]);
    let mut contenders = vec![Contender::process("/bin/true", Command::new("/bin/true"), None)];
    for (what, questions) in [("words", WORDS), ("a pattern", PATTERNS)] {
        for question in questions {
            let call = mk(&["premises", "--json", "--", question]);
            contenders.push(Contender::process(&format!("{what}: {question}"), call, None));
        }
    }
    if timing::installed("rg") {
        let mut rg = Command::new("rg");
        rg.args(["-c", "card_le_card"]).arg(project.join(".lake/packages"));
        contenders.push(Contender::process("rg -c card_le_card", rg, None));
    }
    timing::print(&timing::race(contenders, 21));
    quality(&data.join("retrieval/queries_small.jsonl"), &home.join("premises"), &mk);
}

/// Queries of which a right answer is in this part.
fn quality(queries: &Path, indexes: &Path, mk: &dyn Fn(&[&str]) -> Command) {
    let index =
        std::fs::read_dir(indexes).expect("indexes").map(|entry| entry.expect("a file").path());
    let index =
        index.max_by_key(|path| path.metadata().map_or(0, |meta| meta.len())).expect("an index");
    let (plain, names) = plain(&index);
    let mut sets: BTreeMap<String, (usize, [f64; 2], [usize; 2])> = BTreeMap::new();
    for line in std::fs::read_to_string(queries).expect("queries").lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let relevant =
            value["relevant"].as_array().expect("a list").iter().filter_map(Value::as_str);
        let relevant: Vec<&str> = relevant.filter(|name| names.contains(*name)).collect();
        let query = value["query"].as_str().expect("a query");
        if relevant.is_empty() {
            continue;
        }
        let (count, sums, found) =
            sets.entry(value["set"].as_str().expect("a set").to_owned()).or_default();
        *count += 1;
        let answers =
            [words_with_or(&plain, query), ours(mk(&["premises", "--json", "--", query]))];
        for ((sum, found), answer) in sums.iter_mut().zip(found).zip(answers) {
            let rank = answer.iter().take(10).position(|name| relevant.contains(&name.as_str()));
            *sum += rank.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
            *found += usize::from(rank.is_some());
        }
    }
    println!(
        "  {:<34} {:>12} {:>14} {:>12}",
        "queries: MRR, found in ten", "", "words with OR", "mk premises"
    );
    for (set, (count, sums, found)) in sets {
        let of = |at: usize| {
            let count = count as f64;
            format!("{:.3}, {:.3}", sums[at] / count, found[at] as f64 / count)
        };
        println!("  {set:<34} {count:>12} {:>14} {:>12}", of(0), of(1));
    }
}

fn ours(mut call: Command) -> Vec<String> {
    let output = call.output().expect("mk starts");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let hits = answer["hits"].as_array().expect("a list").iter();
    hits.filter_map(|hit| hit["name"].as_str().map(str::to_owned)).collect()
}

/// The declarations of an index in FTS5, names in parts, and all names.
fn plain(index: &Path) -> (Connection, HashSet<String>) {
    let from = Connection::open(index).expect("an index");
    let to = Connection::open_in_memory().expect("a database");
    to.execute_batch(
        "CREATE VIRTUAL TABLE f USING fts5(whole UNINDEXED, name, statement, doc, tokenize='porter unicode61')",
    )
    .expect("FTS5");
    let mut names = HashSet::new();
    let mut read = from.prepare("SELECT name, statement, doc FROM premise").expect("valid SQL");
    let mut rows = read.query([]).expect("rows");
    let mut write = to.prepare("INSERT INTO f VALUES (?1, ?2, ?3, ?4)").expect("valid SQL");
    while let Some(row) = rows.next().expect("a row") {
        let name: String = row.get(0).expect("a name");
        let (statement, doc): (String, String) =
            (row.get(1).expect("text"), row.get(2).expect("text"));
        write.execute((&name, parts(&name), statement, doc)).expect("a row");
        names.insert(name);
    }
    drop(write);
    (to, names)
}

/// `Finset.card_leOne` as words.
fn parts(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            out.push(' ');
        }
        out.push(if matches!(c, '.' | '_') { ' ' } else { c });
    }
    out
}

fn words_with_or(plain: &Connection, query: &str) -> Vec<String> {
    let query = parts(query);
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    let sql = "SELECT whole FROM f WHERE f MATCH ?1 ORDER BY bm25(f) LIMIT 10";
    let mut statement = plain.prepare_cached(sql).expect("valid SQL");
    let rows = statement.query_map([words.join(" OR ")], |row| row.get(0));
    rows.map(|rows| rows.filter_map(Result::ok).collect()).unwrap_or_default()
}
