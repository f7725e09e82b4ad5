//! Names that moved: when they are read, how long they stay, and what an edit is told of them.

use std::fs;
use std::path::Path;

use math_forge::app::App;
use math_forge::app::guard::renamed_lemmas::notice;
use math_forge::lean::Comparison;
use math_forge::paths::Environment;

use crate::env::TestEnv;
use crate::tracking_fixture::noon;

const MATHLIB: &str = ".lake/packages/mathlib/Mathlib";

/// A project with one package in a revision.
fn one_package(revision: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write("lakefile.toml", "name = \"demo\"\n");
    fs::create_dir(env.project().join(".git")).unwrap();
    at_revision(&env, revision);
    rename_to(&env, "first");
    env
}

fn at_revision(env: &TestEnv, revision: &str) {
    let packages = format!(r#"{{"packages": [{{"name": "mathlib", "rev": "{revision}"}}]}}"#);
    env.write("lake-manifest.json", packages);
}

fn rename_to(env: &TestEnv, new: &str) {
    let text =
        format!("@[deprecated {new} (since := \"2025-01-01\")] theorem A.old_one : p := h\n");
    env.write(
        &format!("{MATHLIB}/A.lean"),
        text + "theorem A.first : p := h\ntheorem A.second : p := h\n",
    );
}

/// What `mk renames lookup` says that the old name is called.
fn successor(env: &TestEnv) -> String {
    let answer = env.mk(&["renames", "lookup", "--json", "A.old_one"]).json();
    answer["answers"][0]["found"][0]["new"].as_str().unwrap_or("-").to_owned()
}

#[test]
fn a_revision_is_read_once_and_its_files_may_go() {
    let env = one_package("r1");
    assert_eq!(successor(&env), "A.first");
    assert!(!env.database().exists(), "the knowledge database is not needed");
    // What was read of a revision stays, whatever becomes of the files.
    rename_to(&env, "second");
    env.mk(&["capture"]).success();
    assert_eq!(successor(&env), "A.first");
    fs::remove_dir_all(env.project().join(MATHLIB)).unwrap();
    assert_eq!(successor(&env), "A.first");
    // Another revision is read when it is there.
    at_revision(&env, "r2");
    rename_to(&env, "second");
    assert_eq!(successor(&env), "A.second");
    at_revision(&env, "r1");
    assert_eq!(successor(&env), "A.first");
}

#[test]
fn a_new_name_may_be_declared_in_another_package() {
    let env = one_package("r1");
    let packages =
        r#"{"packages": [{"name": "mathlib", "rev": "r1"}, {"name": "std", "rev": "r1"}]}"#;
    env.write("lake-manifest.json", packages);
    env.write(".lake/packages/std/Std/A.lean", "theorem A.third : p := h\n");
    rename_to(&env, "third");
    let answer = env.mk(&["renames", "lookup", "--json", "old_one"]).json();
    let found = &answer["answers"][0]["found"][0];
    assert_eq!((&found["new"], &found["exact"]), (&"A.third".into(), &true.into()), "{found}");
}

/// A project whose package has names that moved in all the ways that are told.
fn moved() -> TestEnv {
    let env = one_package("r1");
    env.write(
        &format!("{MATHLIB}/B.lean"),
        "namespace Nat\n\
         theorem pow_new : p := h\n\
         @[deprecated (since := \"2025-01-01\")] alias pow_old := pow_new\n\
         @[deprecated pow_old (since := \"2024-01-01\")] theorem pow_older : p := h\n\
         @[deprecated pow_older (since := \"2023-01-01\")] theorem pow_oldest : p := h\n\
         @[deprecated pow_new (since := \"2025-02-02\")] protected theorem its_own : p := h\n\
         @[deprecated \"use\n  `simp`\" (since := \"2025-03-03\")] theorem is_gone : p := h\n\
         @[deprecated elsewhere (since := \"2025-04-04\")] theorem is_guessed : p := h\n\
         @[deprecated turn_b (since := \"2025-05-05\")] theorem turn_a : p := h\n\
         @[deprecated turn_a (since := \"2025-05-05\")] theorem turn_b : p := h\n\
         @[deprecated pow_new (since := \"2025-06-06\")] theorem short : p := h\n\
         end Nat\n",
    );
    env.mk(&["capture"]).success();
    env
}

fn app_in(env: &TestEnv, folder: &Path) -> App {
    let of = |path: &Path| path.to_str().unwrap().to_owned();
    let data = env.database().parent().map(of).unwrap();
    let environment = Environment::of(&[("MK_HOME", &data), ("CLAUDE_PROJECT_DIR", &of(folder))]);
    App::new(environment, noon(), None, None).unwrap()
}

#[test]
fn an_edit_that_brings_in_a_moved_name_is_told_the_new_one() {
    let env = moved();
    let app = app_in(&env, &env.project());
    let old = "`Nat.pow_old` is `Nat.pow_new` now (line 1; mathlib, deprecated since 2025-01-01).";
    for (before, after, expected) in [
        ("", "example := Nat.pow_old x", old),
        ("", "example := @Nat.pow_old x", old),
        ("", "example := _root_.Nat.pow_old x", old),
        ("", "theorem Nat.t : p := pow_old", old),
        ("example := h", "example := h Nat.pow_old", old),
        ("", "open Nat in example := pow_old", old),
        // a chain, a circle, a name without a successor, one that is guessed
        (
            "",
            "example := Nat.pow_oldest x",
            "`Nat.pow_oldest` is `Nat.pow_new` now (line 1; mathlib, deprecated since 2023-01-01).",
        ),
        (
            "",
            "example := Nat.turn_a x",
            "`Nat.turn_a` is `Nat.turn_b` now (line 1; mathlib, deprecated since 2025-05-05).",
        ),
        (
            "",
            "example := Nat.is_gone x",
            "`Nat.is_gone` is deprecated (line 1; mathlib, deprecated since 2025-03-03): use `simp`.",
        ),
        (
            "",
            "example := Nat.is_guessed x",
            "`Nat.is_guessed` is probably `elsewhere` now (line 1; mathlib, deprecated since \
             2025-04-04).",
        ),
        // protected names only in full
        (
            "",
            "example := Nat.its_own x",
            "`Nat.its_own` is `Nat.pow_new` now (line 1; mathlib, deprecated since 2025-02-02).",
        ),
        ("", "open Nat in example := its_own x", ""),
        // several, in the order of the text, each once
        (
            "",
            "example := Nat.pow_old + A.old_one\nexample := A.old_one",
            "`Nat.pow_old` is `Nat.pow_new` now (line 1; mathlib, deprecated since 2025-01-01).\n\
             `A.old_one` is `A.first` now (line 1; mathlib, deprecated since 2025-01-01).",
        ),
        // there already, or gone
        ("example := Nat.pow_old x", "example := Nat.pow_old x y", ""),
        ("example := Nat.pow_old x", "example := y\nexample := Nat.pow_old x", ""),
        ("example := Nat.pow_old x", "example := Nat.pow_new x", ""),
        // another name, or no code
        ("", "example := Int.pow_old x", ""),
        ("", "example := pow_old x", ""),
        ("", "example := Nat.pow_older' x + Nat.pow_new", ""),
        ("", "-- Nat.pow_old\n/-- Nat.pow_old -/ example := \"Nat.pow_old\"", ""),
        ("", "open Nat in example := short", ""),
        ("", "example := f (pow_old := 1)", ""),
        // declared here
        ("", "theorem Nat.pow_old : p := h\nexample := Nat.pow_old x", ""),
        ("", "namespace Nat\nlemma pow_old : p := h\nexample := pow_old x", ""),
    ] {
        assert_eq!(
            notice(&app, &Comparison::of(before, after)).join("\n"),
            expected,
            "{before:?} {after:?}"
        );
    }
}

#[test]
fn one_edit_is_told_five_names_at_most() {
    let env = moved();
    let lines = |line: fn(usize) -> String| (0..9).map(line).collect::<Vec<_>>().join("\n");
    let old = lines(|n| format!("@[deprecated A.first] theorem A.old_{n} : p := h"));
    env.write(&format!("{MATHLIB}/A.lean"), old);
    at_revision(&env, "r2");
    env.mk(&["capture"]).success();
    let uses = lines(|n| format!("example := A.old_{n}"));
    let app = app_in(&env, &env.project());
    assert_eq!(notice(&app, &Comparison::of("", &uses)).len(), 5);
}

#[test]
fn without_a_table_for_its_packages_nothing_is_told_and_nothing_is_made() {
    let text = "example := Nat.pow_old x + A.old_one";
    let env = one_package("r1");
    assert_eq!(notice(&app_in(&env, &env.project()), &Comparison::of("", text)), [""; 0]);
    assert!(!env.home().join(".local").exists());
    let env = moved();
    assert_eq!(notice(&app_in(&env, &env.project()), &Comparison::of("", text)).len(), 2);
    // Another revision is no reason to guess.
    at_revision(&env, "r2");
    assert_eq!(notice(&app_in(&env, &env.project()), &Comparison::of("", text)), [""; 0]);
    at_revision(&env, "r1");
    // The packages of one project say nothing about another.
    for (folder, manifest, expected) in [
        ("none", None, 0),
        ("other", Some(r#"{"packages": [{"name": "batteries", "rev": "r1"}]}"#), 0),
        ("newer", Some(r#"{"packages": [{"name": "mathlib", "rev": "r9"}]}"#), 0),
        ("alike", Some(r#"{"packages": [{"name": "mathlib", "rev": "r1"}]}"#), 2),
    ] {
        let folder = env.home().join(folder);
        for package in ["mathlib", "batteries"] {
            fs::create_dir_all(folder.join(".lake/packages").join(package)).unwrap();
        }
        fs::create_dir_all(folder.join(".git")).unwrap();
        if let Some(manifest) = manifest {
            fs::write(folder.join("lake-manifest.json"), manifest).unwrap();
        }
        let told = notice(&app_in(&env, &folder), &Comparison::of("", text));
        assert_eq!(told.len(), expected, "{} {told:?}", folder.display());
    }
    // An index that is none is made anew, not read.
    let app = app_in(&env, &env.project());
    for entry in fs::read_dir(app.paths.data_dir.join("premises")).unwrap() {
        fs::write(entry.unwrap().path(), "none").unwrap();
    }
    assert_eq!(notice(&app, &Comparison::of("", text)), [""; 0]);
    env.mk(&["index"]).success();
    assert_eq!(notice(&app, &Comparison::of("", text)).len(), 2);
}
