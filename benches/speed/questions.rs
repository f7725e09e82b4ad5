//! Questions to which a Lean project's own packages have the answer: old names, bullets of module docs, first sentences of
//! docstrings that are taken out, and one side of an equation.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use math_forge::lean;
use rusqlite::Connection;
use serde_json::Value;

use crate::timing;

/// Questions of one kind.
const MOST: usize = 250;
/// Words that a sentence has to have to be asked.
const LEAST_WORDS: usize = 5;

pub(crate) struct Question {
    pub(crate) set: &'static str,
    pub(crate) text: String,
    pub(crate) answers: Vec<String>,
    /// Whether only what few statements match has one answer.
    pub(crate) is_pattern: bool,
}

/// Those of the shared folder, of titles, topics and main results.
pub(crate) fn kept() -> Vec<Question> {
    let Some(folder) = timing::shared() else { return Vec::new() };
    let lines = fs::read_to_string(folder.join("data/retrieval/queries_small.jsonl"));
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        let answers = value["relevant"].as_array()?.iter();
        let set = match value["set"].as_str()? {
            "q_theorem_titles" => "titles",
            "q_main_results" => "main results",
            "q_topics" => "topics",
            _ => return None,
        };
        Some(Question {
            set,
            text: value["query"].as_str()?.to_owned(),
            answers: answers.filter_map(|one| one.as_str().map(str::to_owned)).collect(),
            is_pattern: false,
        })
    };
    lines.expect("questions").lines().filter_map(read).collect()
}

/// Copies the packages of a project, and takes out the docstrings whose sentences are asked: those sentences, and the
/// bullets of module docs.
pub(crate) fn withheld(from: &Path, to: &Path) -> Vec<Question> {
    let packages = from.join(".lake/packages");
    fs::create_dir_all(to.join(".lake/packages")).expect("a folder");
    for name in ["lakefile.toml", "lakefile.lean", "lean-toolchain"] {
        fs::copy(from.join(name), to.join(name)).ok();
    }
    let mut files = Vec::new();
    below(&packages, &mut files);
    files.sort();
    let (mut docs, mut bullets) = (Vec::new(), Vec::new());
    for file in files {
        let text = lean::decode(&fs::read(&file).expect("a file")).text;
        let outline = lean::skim(&text);
        let mut kept = text.clone();
        for one in outline.declarations.iter().rev() {
            let (Some(name), Some(span)) = (&one.name, &one.doc_span) else { continue };
            let sentence = sentence(&text[span.clone()]);
            if sentence.split(' ').count() >= LEAST_WORDS && is_chosen(name, 60) {
                kept.replace_range(span.clone(), "");
                docs.push(question("withheld docstrings", sentence, name));
            }
        }
        let declared = || outline.declarations.iter().filter_map(|one| one.name.as_deref());
        for (name, said) in bulleted(&text) {
            let meant = declared().find(|one| lean::is_or_ends_in(one, name));
            bullets.extend(meant.map(|one| question("bullets of module docs", said, one)));
        }
        let copy = to.join(file.strip_prefix(from).expect("a file of the project"));
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::write(copy, kept).expect("a file");
    }
    let mut all = some_of(docs);
    all.extend(some_of(bullets));
    all
}

/// Old names, and equations of an index whose right side is anything.
pub(crate) fn of_index(index: &Connection) -> Vec<Question> {
    let pairs = |sql: &str| -> Vec<(String, String)> {
        let mut statement = index.prepare(sql).expect("valid SQL");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
        rows.filter_map(Result::ok).collect()
    };
    let olds = pairs("SELECT name, new FROM old WHERE new IN (SELECT name FROM premise)");
    let olds = olds.into_iter().map(|(old, new)| question("old names", old, &new));
    let stated = pairs(
        "SELECT name, statement FROM premise WHERE kind IN ('theorem', 'lemma') AND of IS NULL",
    );
    let equations = stated.into_iter().filter_map(|(name, statement)| {
        let (_, conclusion) = statement.rsplit_once(" : ")?;
        let (left, right) = conclusion.split_once(" = ")?;
        let is_closed = left.matches('(').count() == left.matches(')').count();
        let is_one = is_closed
            && !right.contains(['=', '∧', '↔', '→'])
            && !left.contains(['∧', '↔', '→', ',']);
        let mut asked = question("equations", format!("⊢ {left} = _"), &name);
        asked.is_pattern = true;
        is_one.then_some(asked)
    });
    let mut all = some_of(olds.collect());
    all.extend(some_of(equations.collect()));
    all
}

fn question(set: &'static str, text: String, answer: &str) -> Question {
    Question { set, text, answers: vec![answer.to_owned()], is_pattern: false }
}

/// At most [`MOST`], the same in each run; what is asked twice has all its answers.
fn some_of(mut all: Vec<Question>) -> Vec<Question> {
    all.sort_by(|a, b| a.text.cmp(&b.text));
    let mut found: Vec<Question> = Vec::new();
    for one in all {
        match found.last_mut().filter(|last| last.text == one.text) {
            Some(last) => last.answers.extend(one.answers),
            None => found.push(one),
        }
    }
    let mut seen = HashSet::new();
    let share = found.len().div_ceil(MOST) as u64;
    found.retain(|one| is_chosen(&one.text, share) && seen.insert(one.text.clone()));
    found.truncate(MOST);
    found
}

/// One of so many, by what it is called.
fn is_chosen(name: &str, of: u64) -> bool {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, step) % of.max(1) == 0
}

fn sentence(doc: &str) -> String {
    let inside = doc.trim_start_matches("/--").trim_end_matches("-/");
    let words: Vec<&str> = inside.split_whitespace().collect();
    let text = words.join(" ");
    text.split_once(". ").map_or(text.as_str(), |(first, _)| first).to_owned()
}

/// The bullets of module docs that say of a name what it is.
fn bulleted(text: &str) -> Vec<(&str, String)> {
    let docs = text.split("/-!").skip(1).filter_map(|rest| rest.split("-/").next());
    let bullets = docs.flat_map(|doc| doc.split("\n* ").skip(1)).filter_map(|bullet| {
        let (name, said) = bullet.strip_prefix('`')?.split_once("`:")?;
        let said = said.split("\n\n").next()?.split("\n#").next()?;
        let said = sentence(said);
        let is_one = !name.contains(char::is_whitespace) && said.split(' ').count() >= LEAST_WORDS;
        is_one.then_some((name, said))
    });
    bullets.collect()
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            below(&path, files);
        } else if path.extension().is_some_and(|end| end == "lean") {
            files.push(path);
        }
    }
}
