//! The rules of the house, as tests: layers, names, and documents that match the code.

use std::fs;
use std::path::{Path, PathBuf};

/// What each module may import from the rest of the crate. Reading order is bottom up.
const LAYERS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("model", &["text"]),
    ("lean", &["text", "model"]),
    ("shell", &["text"]),
    ("hook", &["text", "model", "shell"]),
    ("guard", &["text", "model", "lean", "shell"]),
    ("learn", &["text", "model", "lean", "shell"]),
    ("brief", &["text", "model"]),
    ("store", &["files", "text", "model"]),
    ("tracking", &["files", "text", "model"]),
    ("files", &[]),
    ("paths", &[]),
    ("log", &["files", "text"]),
    ("project", &["files"]),
    ("llm", &["text"]),
    ("config", &["files", "guard", "paths", "text"]),
];

/// A feature is one module: its arguments, what it does, its view. Features may use each other, the
/// environment (`app`), what pages are made of (`ui`), and everything in [`LAYERS`].
const FEATURES: &[&str] = &[
    "app",
    "ui",
    "add",
    "briefing",
    "capture",
    "export",
    "list",
    "next",
    "report",
    "review",
    "settings",
    "show",
    "stats",
    "audit",
    "verify",
    "demo",
    "diff",
    "allow",
    "failed",
    "guard_log",
    "lock",
    "outline",
    "extract",
    "find",
    "forget",
    "gc",
    "import",
    "note",
    "premises",
    "problem",
    "queue",
    "asker",
    "facts",
    "jobs",
    "playbooks",
    "why",
    "search",
    "strategies",
    "doctor",
    "git_hook",
    "hosts",
    "mcp",
    "init",
    "projects",
    "renames",
    "trust",
];

/// What lists the features.
const TOP: &[&str] = &["cli", "main"];

/// Modules that know no IO, clock, environment or SQL.
const PURE: &[&str] = &["text", "model", "lean", "shell", "hook", "guard", "learn", "brief"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files_under(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn sources() -> Vec<(PathBuf, String, String)> {
    let src = root().join("src");
    files_under(&src, "rs")
        .into_iter()
        .map(|path| {
            let relative = path.strip_prefix(&src).unwrap();
            let first = relative.components().next().unwrap().as_os_str().to_string_lossy();
            let module = first.trim_end_matches(".rs").to_owned();
            let text = fs::read_to_string(&path).unwrap();
            (relative.to_owned(), module, text)
        })
        .collect()
}

/// The part of a file before its tests.
fn code(text: &str) -> &str {
    text.find("\n#[cfg(test)]\nmod tests").map_or(text, |end| &text[..end])
}

fn is_test_file(path: &Path) -> bool {
    path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests"))
}

#[track_caller]
fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn modules_import_only_the_layers_below_them() {
    let mut wrong = Vec::new();
    for (path, module, text) in sources() {
        if module == "lib" {
            continue;
        }
        let row = LAYERS.iter().find(|(name, _)| *name == module);
        let is_feature = FEATURES.contains(&module.as_str());
        let is_top = TOP.contains(&module.as_str());
        if row.is_none() && !is_feature && !is_top {
            wrong.push(format!("{}: module `{module}` has no row in LAYERS", path.display()));
        }
        let is_allowed = |name: &str| match row {
            Some((_, allowed)) => allowed.contains(&name),
            None => is_top || !TOP.contains(&name),
        };
        for (start, marker) in ["crate::", "math_forge::"]
            .iter()
            .flat_map(|m| code(&text).match_indices(*m).collect::<Vec<_>>())
        {
            let rest = &text[start + marker.len()..];
            let names: Vec<&str> = match rest.strip_prefix('{') {
                Some(group) => group
                    .split('}')
                    .next()
                    .unwrap()
                    .split(',')
                    .map(|part| part.trim().split("::").next().unwrap())
                    .collect(),
                None => {
                    vec![rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap()]
                }
            };
            for name in names {
                if name != module && !name.is_empty() && !is_allowed(name) {
                    wrong.push(format!("{}: `{module}` may not import `{name}`", path.display()));
                }
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn pure_modules_know_no_outside_world() {
    let forbidden = [
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::time",
        "std::io::std",
        "rusqlite",
        "Timestamp::now",
        "println!",
    ];
    let mut wrong = Vec::new();
    for (path, module, text) in sources() {
        if !PURE.contains(&module.as_str()) || is_test_file(&path) {
            continue;
        }
        for word in forbidden.iter().filter(|word| code(&text).contains(**word)) {
            wrong.push(format!("{}: `{module}` is pure but uses `{word}`", path.display()));
        }
    }
    assert_none(&wrong);
}

#[test]
fn sql_stands_only_in_store_tracking_and_the_premise_index() {
    let mut wrong = Vec::new();
    for (path, module, text) in sources() {
        if ["store", "tracking"].contains(&module.as_str()) || path.ends_with("premises/index.rs") {
            continue;
        }
        for word in ["rusqlite", "SELECT ", "INSERT INTO", "PRAGMA ", "DELETE FROM"] {
            if code(&text).contains(word) {
                wrong.push(format!(
                    "{}: `{word}` outside of store, tracking and the premise index",
                    path.display()
                ));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn files_are_documented_and_well_named() {
    let mut wrong = Vec::new();
    for (path, _, text) in sources() {
        if !text.starts_with("//!") {
            wrong.push(format!("{}: does not begin with a `//!` line", path.display()));
        }
        if text.starts_with("//! (to be written)") {
            wrong.push(format!("{}: is a stub", path.display()));
        }
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if ["util", "utils", "helper", "helpers", "common", "misc", "manager"]
            .contains(&stem.as_str())
        {
            wrong.push(format!("{}: a name that says nothing", path.display()));
        }
    }
    assert_none(&wrong);
}

#[test]
fn nothing_is_left_behind() {
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("X", "XX"),
        concat!("unimpl", "emented!"),
    ];
    let mut wrong = Vec::new();
    for (path, _, text) in sources() {
        for mark in marks.iter().filter(|mark| text.contains(**mark)) {
            wrong.push(format!("{}: `{mark}`", path.display()));
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_test_file_is_a_module_of_the_test_binary() {
    let folder = root().join("tests/it");
    let main = fs::read_to_string(folder.join("main.rs")).unwrap();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_module =
            path.extension().is_some_and(|e| e == "rs") || path.join("mod.rs").is_file();
        if is_module && name != "main" && !main.contains(&format!("mod {name};")) {
            wrong.push(format!("tests/it/{name} is no module of tests/it/main.rs"));
        }
    }
    assert_none(&wrong);
}

#[test]
fn the_lock_file_stays_small() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let packages = lock.matches("[[package]]").count();
    // 60 of them came with the protocol's own SDK and the charts, half of these for other systems.
    assert!(packages <= 215, "{packages} packages: each new one needs a reason in ARCHITECTURE.md");
}
