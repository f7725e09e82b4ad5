//! The net: what every command prints and what the hooks answer, on fixed data, is recorded in
//! `tests/net`, and a difference from it fails. `UPDATE_EXPECT=1 cargo test --test it net::` records
//! anew; `tests/net/compare` shows the difference between two revisions in full.
//!
//! Only the program is asked, none of its code, so that the recorder works with any revision: `MK_NET_MK`
//! names another `mk`, and with `MK_NET_OUT` all is written to a folder and compared with nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

mod commands;
mod guard;
mod help;
mod hooks;
mod lessons;
mod shared;
mod stage;
mod tracking;

use stage::variable;
pub(crate) use stage::words;

/// One recording: what was done, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Recording {
    name: String,
    text: String,
}

/// Differences that are shown; the rest is counted.
const SHOWN: usize = 3;

/// Lines of a difference that are shown, and lines of what is around it.
const LINES: usize = 40;
const AROUND: usize = 2;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A topic as a file: a heading a recording.
fn written(recordings: &[Recording]) -> String {
    let mut text = String::new();
    for Recording { name, text: said } in recordings {
        // What looks like a heading is none.
        let said = said.replace("\n=== ", "\n ===");
        writeln!(text, "=== {name}\n{}", said.trim_end()).unwrap();
    }
    text
}

/// The recordings of a file.
fn read(text: &str) -> Vec<Recording> {
    let text = text.strip_prefix("=== ").unwrap_or_default();
    let parts = text.split("\n=== ").filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (name, text) = part.split_once('\n').unwrap_or((part, ""));
            Recording { name: name.to_owned(), text: text.trim_end().to_owned() }
        })
        .collect()
}

/// What changed between two texts, without what they begin and end with together.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let shorter = old.len().min(new.len());
    let begin = (0..shorter).take_while(|at| old[*at] == new[*at]).count();
    let (rest_old, rest_new) = (&old[begin..], &new[begin..]);
    let shorter = rest_old.len().min(rest_new.len());
    let alike = |at: &usize| rest_old[rest_old.len() - 1 - at] == rest_new[rest_new.len() - 1 - at];
    let end = (0..shorter).take_while(alike).count();
    let mut text = format!("@@ line {}\n", begin + 1);
    let around =
        |lines: &[&str]| lines.iter().fold(String::new(), |all, line| all + "  " + line + "\n");
    text += &around(&old[begin.saturating_sub(AROUND)..begin]);
    for (sign, lines) in
        [('-', &rest_old[..rest_old.len() - end]), ('+', &rest_new[..rest_new.len() - end])]
    {
        for line in lines.iter().take(LINES) {
            writeln!(text, "{sign} {line}").unwrap();
        }
        if lines.len() > LINES {
            writeln!(text, "{sign} ({} lines more)", lines.len() - LINES).unwrap();
        }
    }
    let after = &old[old.len() - end..];
    text + &around(&after[..after.len().min(AROUND)])
}

type Texts = BTreeMap<String, String>;

/// What is recorded of a topic, each under a name of its own.
fn recorded(topic: &str, record: &dyn Fn() -> Vec<Recording>) -> Vec<Recording> {
    let mut seen = BTreeMap::<String, usize>::new();
    let mut recordings = record();
    for one in &mut recordings {
        let count = seen.entry(one.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            write!(one.name, " ({count})").unwrap();
        }
    }
    if topic == shared::TOPIC && variable("MK_NET_OUT").is_none() {
        return shared::summed(recordings);
    }
    // As it is read back.
    read(&written(&recordings))
}

fn by_name(recordings: &[Recording]) -> Texts {
    recordings.iter().map(|one| (one.name.clone(), one.text.clone())).collect()
}

/// Compares a topic with its file, or writes it where that is asked for.
///
/// Some looks of the product have a deadline, of 30 ms and more, and ages are told by the minute: on a
/// machine that is busy a recording may differ once. What differs is recorded again; a change that is
/// real is the same twice.
#[track_caller]
fn check(topic: &str, record: impl Fn() -> Vec<Recording>) {
    let mut recordings = recorded(topic, &record);
    if let Some(folder) = variable("MK_NET_OUT") {
        fs::create_dir_all(&folder).unwrap();
        fs::write(Path::new(&folder).join(format!("{topic}.txt")), written(&recordings)).unwrap();
        return;
    }
    let file = repository().join(format!("tests/net/{topic}.txt"));
    let known = read(&fs::read_to_string(&file).unwrap_or_default());
    let known_texts = by_name(&known);
    let mut last: Option<Texts> = None;
    for _ in 0..6 {
        if recordings == known {
            return;
        }
        let texts = by_name(&recordings);
        if last.as_ref() == Some(&texts) {
            break;
        }
        let again = by_name(&recorded(topic, &record));
        for one in &mut recordings {
            let (now, known) = (again.get(&one.name), known_texts.get(&one.name));
            if now.is_some() && now == known {
                one.text = now.cloned().unwrap_or_default();
            }
        }
        last = Some(again);
    }
    if variable("UPDATE_EXPECT").is_some() {
        let unstable = last.iter().flat_map(|last| {
            recordings.iter().filter(|one| last.get(&one.name) != Some(&one.text))
        });
        for one in unstable.filter(|one| known_texts.get(&one.name) != Some(&one.text)) {
            eprintln!("UNSTABLE {topic}: {}: two recordings differ", one.name);
        }
        fs::write(&file, written(&recordings)).unwrap();
        return;
    }
    panic!("{}", complaint(topic, &known, &recordings));
}

/// What differs, the first few in full.
fn complaint(topic: &str, known: &[Recording], new: &[Recording]) -> String {
    let (old_texts, new_texts) = (by_name(known), by_name(new));
    let names: BTreeSet<&str> = known.iter().chain(new).map(|one| one.name.as_str()).collect();
    let order = known.iter().chain(new).map(|one| one.name.as_str());
    let mut left = names.clone();
    let differing: Vec<&str> = order
        .filter(|name| left.remove(name) && old_texts.get(*name) != new_texts.get(*name))
        .collect();
    let mut message = format!(
        "{} of {} recordings in tests/net/{topic}.txt differ\n",
        differing.len(),
        names.len()
    );
    for name in differing.iter().take(SHOWN) {
        let text = |all: &Texts| all.get(*name).cloned().unwrap_or_default();
        let difference = difference(&text(&old_texts), &text(&new_texts));
        writeln!(message, "\n=== {name}\n{difference}").unwrap();
    }
    for name in differing.iter().skip(SHOWN).take(20) {
        writeln!(message, "and {name}").unwrap();
    }
    if differing.is_empty() {
        message += "they come in another order\n";
    }
    message
        + "\n`tests/net/compare` shows everything; where it is meant, \
           `UPDATE_EXPECT=1 cargo test --test it net::` records it"
}

/// The beginning of a text's hash.
fn short_hash(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    format!("{:016x}", u64::from_be_bytes(hash[..8].try_into().unwrap()))
}

/// What records on a stage of its own.
type Part = Box<dyn Fn() -> Vec<Recording> + Send + Sync>;

/// The recordings of several stages, made at the same time, in their order.
fn together(parts: Vec<Part>) -> Vec<Recording> {
    parts.into_par_iter().map(|part| part()).collect::<Vec<_>>().concat()
}

#[test]
fn help() {
    check("help", help::recorded);
}

#[test]
fn commands() {
    check("commands", || commands::story(false));
}

#[test]
fn commands_json() {
    check("commands_json", || commands::story(true));
}

#[test]
fn decisions() {
    if commands::at_terminal() {
        check("decisions", commands::decisions);
    }
}

#[test]
fn tracking() {
    check("tracking", tracking::recorded);
}

#[test]
fn hooks() {
    check("hooks", || {
        let recordings = hooks::recorded();
        assert!(recordings.len() >= 200, "{} hook inputs", recordings.len());
        recordings
    });
}

#[test]
fn guard_pairs() {
    check("guard", guard::recorded);
}

#[test]
fn lessons() {
    check("lessons", lessons::recorded);
}

#[test]
fn shared_data() {
    if let Some(data) = crate::env::shared_data("recordings on shared data") {
        check(shared::TOPIC, || shared::recorded(&data));
    }
}

/// Every command and subcommand that there is has a recording of its help and one of its work.
#[test]
fn every_command_is_recorded() {
    if variable("MK_NET_OUT").is_some() {
        return;
    }
    let names = |topic: &str| -> Vec<String> {
        let file = repository().join(format!("tests/net/{topic}.txt"));
        let text = fs::read_to_string(file).unwrap_or_default();
        read(&text).into_iter().map(|one| one.name).collect()
    };
    let explained = names("help");
    let done: Vec<String> =
        ["commands", "commands_json", "decisions", "hooks"].into_iter().flat_map(names).collect();
    let mut missing = Vec::new();
    for command in help::tree() {
        if !explained.contains(&format!("mk {command} --help")) {
            missing.push(format!("help: mk {command}"));
        }
        let begins = |name: &&String| {
            let rest = name.strip_prefix("mk ").and_then(|rest| rest.strip_prefix(&*command));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        if !done.iter().any(|name| begins(&name)) {
            missing.push(format!("work: mk {command}"));
        }
    }
    assert_eq!(missing, Vec::<String>::new(), "record them in tests/it/net/commands.rs");
}

#[test]
fn differences_are_seen_and_files_read_back() {
    let one = |name: &str, text: &str| Recording { name: name.to_owned(), text: text.to_owned() };
    let all = [one("a", "x\ny"), one("b", ""), one("c", "z\n\n--- exit 1")];
    assert_eq!(read(&written(&all)), all);
    assert_eq!(
        difference("1\n2\n3\n4\n5\n6", "1\n2\n3\nx\n5\n6"),
        "@@ line 4\n  2\n  3\n- 4\n+ x\n  5\n  6\n"
    );
    assert_eq!(difference("", "x"), "@@ line 1\n+ x\n");
}
