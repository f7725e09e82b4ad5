//! `mk premises` over the packages of a project (`MK_LEAN_PROJECT`): how fast beside `/bin/true` and `rg`, and whether
//! the right declaration comes first, beside plain BM25 over the same declarations.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use rusqlite::Connection;
use serde_json::Value;

use crate::questions::{self, Question};
use crate::timing::{self, Contender, shared};

pub(crate) const WORDS: [&str; 4] = [
    "continuous function on a compact set",
    "sum of odd numbers",
    "Finset.card_le_card",
    "prime divides product",
];
pub(crate) const PATTERNS: [&str; 4] = [
    "_ * (_ ^ _)",
    "⊢ Real.sin ?x ≤ _",
    "Finset.card ?s ≤ Finset.card ?t",
    "⊢ ?a ∣ ?b → _ ∣ ?b * _",
];

pub(crate) fn run() {
    let temporary = tempfile::tempdir().expect("a folder");
    let Some(project) = project(temporary.path()) else { return };
    let home = temporary.path().join("home");
    let mk = |arguments: &[&str]| {
        let mut mk = timing::mk();
        mk.args(arguments).current_dir(&project).env("MK_HOME", &home);
        mk
    };
    index(&mk);
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
    quality(&project, temporary.path());
}

/// The project of `MK_LEAN_PROJECT`, whose packages are fetched, or one with the part of Mathlib that the shared folder
/// holds.
pub(crate) fn project(temporary: &Path) -> Option<PathBuf> {
    if let Some(project) = std::env::var_os("MK_LEAN_PROJECT") {
        return Some(project.into());
    }
    let data = shared()?.join("data");
    let project = temporary.join("project");
    let unpack = Command::new(data.join("mathlib/unpack.sh")).arg(&project).status();
    if !unpack.is_ok_and(|status| status.success()) {
        println!(
            "  SKIPPED: the part of Mathlib could not be unpacked; MK_LEAN_PROJECT names a project"
        );
        return None;
    }
    Some(project)
}

fn index(mk: &dyn Fn(&[&str]) -> Command) {
    let begun = Instant::now();
    let output = mk(&["index", "--json"]).output().expect("mk starts");
    let rows: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    println!("  mk index: {:.1} s, {}", begun.elapsed().as_secs_f64(), rows["packages"][0]);
}

/// Questions made from the packages, and those of the shared folder of which a right answer is among them.
fn quality(project: &Path, temporary: &Path) {
    let copy = temporary.join("withheld");
    let mut questions = questions::withheld(project, &copy);
    let home = temporary.join("home of withheld");
    let mk = |arguments: &[&str]| {
        let mut mk = timing::mk();
        mk.args(arguments).current_dir(&copy).env("MK_HOME", &home);
        mk
    };
    index(&mk);
    let index = std::fs::read_dir(home.join("premises")).expect("indexes");
    let index = index.map(|entry| entry.expect("a file").path());
    let index =
        index.max_by_key(|path| path.metadata().map_or(0, |meta| meta.len())).expect("an index");
    let index = Connection::open(index).expect("an index");
    questions.extend(questions::of_index(&index));
    questions.extend(questions::kept());
    let (plain, names) = plain(&index);
    let mut sets: BTreeMap<&str, (usize, [f64; 2], [usize; 2])> = BTreeMap::new();
    for Question { set, text, mut answers, is_pattern } in questions {
        answers.retain(|name| names.contains(name));
        if answers.is_empty() {
            continue;
        }
        let (ours, total) = ours(mk(&["premises", "--json", "--", &text]));
        if is_pattern && total > 10 {
            continue;
        }
        let (count, sums, found) = sets.entry(set).or_default();
        *count += 1;
        for ((sum, found), answer) in
            sums.iter_mut().zip(found).zip([words_with_or(&plain, &text), ours])
        {
            let rank = answer.iter().take(10).position(|name| answers.contains(name));
            *sum += rank.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
            *found += usize::from(rank.is_some());
        }
    }
    println!(
        "  {:<34} {:>12} {:>14} {:>12}",
        "questions: MRR, found in ten", "", "words with OR", "mk premises"
    );
    for (set, (count, sums, found)) in sets {
        let of = |at: usize| {
            let count = count as f64;
            format!("{:.3}, {:.3}", sums[at] / count, found[at] as f64 / count)
        };
        println!("  {set:<34} {count:>12} {:>14} {:>12}", of(0), of(1));
    }
}

/// The names found, and how many match.
fn ours(mut call: Command) -> (Vec<String>, u64) {
    let output = call.output().expect("mk starts");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let hits = answer["hits"].as_array().expect("a list").iter();
    let names = hits.filter_map(|hit| hit["name"].as_str().map(str::to_owned)).collect();
    (names, answer["total"].as_u64().unwrap_or(0))
}

/// The declarations of an index in FTS5, names in parts, and all names.
fn plain(from: &Connection) -> (Connection, HashSet<String>) {
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
