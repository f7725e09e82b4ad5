//! Names that moved: what is read from real files, against a list made by other means; and
//! `mk renames` as its users run it.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use math_forge::lean::{self, Deprecation};
use serde_json::Value;

use crate::env::{TestEnv, shared_data};

/// What the files are imported as.
const MODULE: &str = "A.Module";

fn rows(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn read(path: &Path) -> (String, Vec<Deprecation>) {
    let text = lean::decode(&fs::read(path).unwrap()).text;
    let found = lean::deprecations(&text, &lean::outline(&text), Some(MODULE));
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
                let same = d.new.as_deref() == row["new"].as_str()
                    && d.since.as_deref() == row["since"].as_str()
                    && d.message.as_deref() == row["message"].as_str()
                    && Some(d.line as u64) == row["line"].as_u64();
                alike += usize::from(same);
                if !same {
                    eprintln!("  differs {file}: {row} {d:?}");
                }
                // The list names a theorem as its own successor where Lean cannot mean it.
                let full = row["new_resolved"].as_str().filter(|full| *full != old);
                if let Some(full) = full {
                    resolved.1 += 1;
                    let open = d.candidates.iter().any(|candidate| candidate == full)
                        || d.new.as_deref() == Some(full);
                    resolved.0 += usize::from(open);
                }
            }
        }
        let constants = found.iter().filter(|d| d.old != MODULE);
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
            found.iter().filter(|d| d.old != MODULE).map(|d| d.line).collect();
        assert_eq!(constants.len(), expected, "{}: {found:#?}", path.display());
        attributes += expected;
        modules += found.iter().filter(|d| d.old == MODULE).count();
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

/// A project whose packages are in all the places where packages can be.
fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write("lakefile.toml", "name = \"demo\"\n");
    env.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
    env.write(
        "lake-manifest.json",
        r#"{"version": "1.1.0", "packagesDir": ".lake/packages", "packages": [
            {"type": "git", "name": "mathlib", "rev": "0123456789abcdef0123456789abcdef01234567"},
            {"type": "path", "name": "«near-by»", "dir": "../project/near by"}]}"#,
    );
    env.write(
        ".lake/packages/mathlib/Mathlib/Sub.lean",
        "namespace Subgroup\n\
         @[to_additive] theorem mul_new : p := h\n\
         @[to_additive (attr := deprecated (since := \"2025-01-01\"))]\n\
         alias mul_old := mul_new\n\
         @[deprecated mul_old (since := \"2024-01-01\")] theorem older : p := h\n\
         @[deprecated \"use\n  `simp`\" (since := \"2025-02-02\")] theorem gone : p := h\n\
         @[deprecated elsewhere (since := \"2025-03-03\")] theorem moved : p := h\n\
         @[deprecated nowhere (since := \"2025-04-04\")] theorem lost : p := h\n\
         end Subgroup\n",
    );
    env.write(
        ".lake/packages/mathlib/Mathlib/Else.lean",
        "protected theorem Subgroup.nowhere : p := h\ntheorem Subgroup.elsewhere : p := h\n",
    );
    env.write(
        ".lake/packages/mathlib/Mathlib/Old/Home.lean",
        "import Mathlib.Sub\ndeprecated_module (since := \"2025-05-05\")\n",
    );
    env.write(".lake/packages/mathlib/MathlibTest/T.lean", "@[deprecated] def onlyATest := 1\n");
    env.write("near by/Near.lean", "@[deprecated b] def Near.a := 1\ndef Near.b := 1\n");
    let core = ".elan/toolchains/leanprover--lean4---v4.24.0/src/lean/Init/Core.lean";
    let core = env.home().join(core);
    fs::create_dir_all(core.parent().unwrap()).unwrap();
    fs::write(core, "@[deprecated List.new (since := \"2025-06-06\")] def List.old := 1\n")
        .unwrap();
    env
}

#[test]
fn a_name_is_looked_up_in_all_packages() {
    let env = project();
    for (name, expected) in [
        (
            "Subgroup.mul_old",
            "Subgroup.mul_old is Subgroup.mul_new now (since 2025-01-01, mathlib, Mathlib/Sub.lean:4)\n",
        ),
        (
            "`_root_.Subgroup.older`",
            "Subgroup.older is Subgroup.mul_new now (first Subgroup.mul_old) (since 2024-01-01, \
             mathlib, Mathlib/Sub.lean:5)\n",
        ),
        (
            "gone",
            "Subgroup.gone is deprecated, with no new name (since 2025-02-02, mathlib, \
             Mathlib/Sub.lean:7)\n  use `simp`\n",
        ),
        (
            "moved",
            "Subgroup.moved is Subgroup.elsewhere now (since 2025-03-03, mathlib, \
             Mathlib/Sub.lean:8)\n",
        ),
        (
            "lost",
            "Subgroup.lost is nowhere now (since 2025-04-04, mathlib, Mathlib/Sub.lean:9, \
             partly guessed)\n",
        ),
        (
            "Mathlib.Old.Home",
            "Mathlib.Old.Home is Mathlib.Sub now (since 2025-05-05, mathlib, \
             Mathlib/Old/Home.lean:2)\n",
        ),
        ("Near.a", "Near.a is Near.b now (near-by, Near.lean:1)\n"),
        (
            "List.old",
            "List.old is List.new now (since 2025-06-06, lean4, Init/Core.lean:1, partly guessed)\n",
        ),
        ("onlyATest", "onlyATest: not among the 8 renames of 3 packages\n"),
        ("Group.mul_old", "Group.mul_old: not among the 8 renames of 3 packages\n"),
    ] {
        assert_eq!(env.mk(&["renames", "lookup", name]).success(), expected, "{name}");
    }
}

#[test]
fn without_packages_there_is_no_table_and_no_complaint() {
    let env = TestEnv::new();
    env.write("lake-manifest.json", "{ broken");
    assert!(env.mk(&["renames", "lookup", "x"]).success().contains("0 packages"));
}

/// All of the real files as a package: names of other files are found too.
#[test]
fn successors_of_other_files_are_found() {
    let Some(data) = shared_data("renames of real packages") else { return };
    let env = TestEnv::new();
    fs::create_dir_all(env.project().join(".lake/packages")).unwrap();
    let files = data.join("lean_gt/files/mathlib4");
    std::os::unix::fs::symlink(files, env.project().join(".lake/packages/mathlib")).unwrap();
    env.write("lakefile.toml", "");
    let Some(list) = fs::read_to_string(data.join("deprecations.jsonl")).ok() else { return };
    let rows: Vec<Value> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names_of: Vec<String> = rows.iter().flat_map(olds).collect();
    let names = names_of.iter().map(String::as_str);
    let arguments: Vec<&str> = ["renames", "lookup", "--json"].into_iter().chain(names).collect();
    let answer = env.mk(&arguments).json();
    let answers = answer["answers"].as_array().unwrap().iter();
    let found: Vec<&Value> = answers.filter_map(|one| one["found"].get(0)).collect();
    let (renames, exact) = (found.len(), found.iter().filter(|one| one["exact"] == true).count());
    eprintln!("{renames} renames, {exact} exact");
    assert!(renames >= 27 && exact >= 21, "{renames} renames, {exact} exact");
}

/// Code that compiles uses old names only where it says so: what is found in it is a mistake of
/// ours, or a file of another time. The list does not say which names are `protected`: these are
/// found where another is meant.
#[test]
fn old_names_are_hardly_found_in_the_files_that_gave_them_up() {
    let Some(data) = shared_data("uses of old names") else { return };
    let rows = rows(&data.join("deprecations.jsonl"));
    let olds: Vec<String> = rows.iter().flat_map(olds).collect();
    let moved = lean::Moved::of(olds.iter().map(|old| (old.as_str(), false)));
    let mut found = BTreeMap::new();
    for path in lean_files(&data.join("lean_gt/files")) {
        let text = lean::decode(&fs::read(&path).unwrap()).text;
        let relative = path.strip_prefix(data.join("lean_gt/files")).unwrap();
        let project = relative.components().next().unwrap().as_os_str().to_string_lossy();
        for (mention, old) in moved.uses(&text, &lean::outline(&text), &(0..text.len())) {
            eprintln!("  {}:{} {old} ({})", relative.display(), mention.line, mention.written);
            *found.entry(project.clone().into_owned()).or_insert(0) += 1;
        }
    }
    eprintln!("uses of {} old names, by project: {found:?}", olds.len());
    assert!(found.get("mathlib4").is_none_or(|uses| *uses <= 10), "{found:?}");
}
