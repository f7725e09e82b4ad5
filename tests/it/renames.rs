//! Names that moved: what is read from real files, against a list made by other means; and
//! `mk renames` as its users run it.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use math_forge::lean::{self, Deprecation, Via};
use serde_json::Value;

use crate::env::shared_data;

fn rows(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn read(path: &Path) -> (String, Vec<Deprecation>) {
    let text = lean::decode(&fs::read(path).unwrap()).text;
    let found = lean::deprecations(&text, &lean::outline(&text), Some("A.Module"));
    (text, found)
}

/// The names of a row: two for the two directions of an alias, without `_`.
fn olds(row: &Value) -> Vec<String> {
    let names = match &row["old"] {
        Value::Array(names) => names.clone(),
        name => vec![name.clone()],
    };
    let names = names.iter().map(|name| name.as_str().unwrap().to_owned());
    names.filter(|name| !name.ends_with("._")).collect()
}

#[test]
fn every_deprecation_of_the_list_is_read() {
    let Some(data) = shared_data("deprecations of Mathlib") else { return };
    let mut by_file: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for row in rows(&data.join("deprecations.jsonl")) {
        by_file.entry(row["file"].as_str().unwrap().to_owned()).or_default().push(row);
    }
    let (mut expected, mut hit, mut alike, mut resolved) = (0, 0, 0, (0, 0));
    let mut extra = Vec::new();
    let mut files = 0;
    for (file, rows) in by_file {
        let path = data.join("lean_gt/files/mathlib4").join(&file);
        if !path.is_file() {
            continue;
        }
        files += 1;
        let (_, found) = read(&path);
        let mut seen = HashSet::new();
        for row in &rows {
            for old in olds(row) {
                expected += 1;
                let Some(d) = found.iter().find(|d| d.old == old) else {
                    eprintln!("  missed {file}: {old}");
                    continue;
                };
                hit += 1;
                seen.insert(old.clone());
                let same = d.new.as_ref().map(|new| new.written.as_str()) == row["new"].as_str()
                    && d.since.as_deref() == row["since"].as_str()
                    && d.message.as_deref() == row["message"].as_str()
                    && d.via.as_str() == row["via"]
                    && Some(d.line as u64) == row["line"].as_u64();
                alike += usize::from(same);
                if !same {
                    eprintln!("  differs {file}: {row} {d:?}");
                }
                // The list names a theorem as its own successor where Lean cannot mean it.
                let full = row["new_resolved"].as_str().filter(|full| *full != old);
                if let Some(full) = full {
                    resolved.1 += 1;
                    let new = d.new.as_ref().unwrap();
                    let shown = new.full.as_deref() == Some(full);
                    let open = new.full.is_none() && new.candidates.iter().any(|c| c == full);
                    resolved.0 += usize::from(shown || open);
                }
            }
        }
        let constants = found.iter().filter(|d| d.via != Via::Module && d.written);
        extra.extend(constants.filter(|d| !seen.contains(&d.old)).map(|d| d.old.clone()));
    }
    eprintln!(
        "{files} files: {hit} of {expected} deprecations, {alike} alike in every field, \
         {} of {} successors in full; {} that are not in the list: {extra:?}",
        resolved.0,
        resolved.1,
        extra.len()
    );
    assert!(expected > 20, "the list and the files belong together");
    assert_eq!((hit, alike, extra.len()), (expected, expected, 0));
    assert_eq!(resolved.0, resolved.1);
}

/// A second look by cruder means: whatever stands between `@[` and `]`, or after `attribute [`.
#[test]
fn no_attribute_of_any_real_file_is_passed_over() {
    let Some(data) = shared_data("deprecations of real files") else { return };
    let (mut attributes, mut modules) = (0, 0);
    for path in lean_files(&data) {
        let (text, found) = read(&path);
        let outline = lean::outline(&text);
        let mut code = text.clone().into_bytes();
        for comment in &outline.comments {
            code[comment.clone()].fill(b' ');
        }
        let code = String::from_utf8(code).unwrap();
        let marks = code.match_indices("deprecated ").chain(code.match_indices("deprecated]"));
        let expected = marks.filter(|(at, _)| {
            let before = &code[..*at];
            let open = before.rfind("@[").max(before.rfind("attribute ["));
            let word = before.chars().next_back().is_some_and(|c| " [,\n".contains(c));
            word && open.is_some_and(|open| !before[open..].contains(']'))
        });
        let expected = expected.count();
        let constants: HashSet<usize> =
            found.iter().filter(|d| d.via != Via::Module).map(|d| d.line).collect();
        assert_eq!(constants.len(), expected, "{}: {found:#?}", path.display());
        attributes += expected;
        modules += found.iter().filter(|d| d.via == Via::Module).count();
    }
    eprintln!("{attributes} attributes and {modules} modules in all Lean files");
    assert!(attributes > 30 && modules > 3);
}

fn lean_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "lean") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
