//! `mk init`: the database, the import, a project's own database.

use std::fs;
use std::path::Path;

use crate::env::TestEnv;
use crate::tracking_fixture::{Fixture, Vocabulary};

#[test]
fn a_project_gets_a_database_of_its_own() {
    let env = TestEnv::new();
    env.write("lean-toolchain", "leanprover/lean4:v4.24.0");
    let report = env.mk(&["init", "--project", "--json"]).json();
    assert_eq!(report["database"], "$PROJECT/.math-forge/knowledge.db");
    assert!(!env.database().exists());
    assert_eq!(
        fs::read_to_string(env.project().join(".math-forge/.gitignore")).unwrap(),
        "knowledge.db*\n"
    );
    env.mk(&["add", "insight", "--title", "mine", "--description", "mine"]).success();
    let stats = env.mk(&["stats", "--json"]).json();
    assert_eq!(stats["findings"]["total"], 1, "the trusted database is the one in use");
    assert!(!env.database().exists());
}

#[test]
fn a_database_that_came_with_a_clone_is_not_adopted() {
    let env = TestEnv::new();
    env.write(".math-forge/knowledge.db", "whatever");
    let message = env.mk(&["init", "--project"]).failure(1);
    assert!(message.contains("not trusted"), "{message}");
    assert_eq!(
        fs::read_to_string(env.project().join(".math-forge/knowledge.db")).unwrap(),
        "whatever"
    );
}

#[test]
fn a_tracking_database_is_imported_and_a_broken_one_reported() {
    let env = TestEnv::new();
    let path = env.project().join("submissions/tracking.db");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    Fixture::new(Vocabulary::New).write(&path);
    let report = env.mk(&["init", "--json"]).json();
    assert!(report["import"]["inserted"].as_u64().unwrap() > 0, "{report}");
    fs::write(&path, "this is no database at all, but it is long enough to be read as one")
        .unwrap();
    let run = env.mk(&["init"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("The tracking.db was not imported"), "{}", run.stdout);
}

#[test]
fn a_demo_project_has_all_that_it_says() {
    let env = TestEnv::new();
    let text = env.mk(&["demo"]).success();
    assert!(text.contains("Try there:"), "{text}");
    let folder = env.project().join("math-forge-demo");
    env.write("inner/lean-toolchain", "");
    let inside = env.mk(&["demo", "inner/demo"]).failure(1);
    assert!(inside.contains("inside the project"), "{inside}");
    let mk = |arguments: &[&str]| {
        env.finish(env.command().current_dir(&folder).args(arguments)).success()
    };
    let slot = mk(&["find", "slot102"]);
    assert!(slot.contains("sum_three_cubes_mod_nine"), "{slot}");
    assert!(slot.contains("Still open: nine_dvd_sum_three_cubes\n"), "{slot}");
    let failed = mk(&["failed", "euler"]);
    assert!(failed.contains("euler_polynomial_prime"), "{failed}");
    // The picture in the readme shows what is printed: `docs/picture` makes it anew.
    let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/session.svg");
    let picture = fs::read_to_string(picture).unwrap();
    let tag = regex::Regex::new("<[^>]*>").unwrap();
    let entities =
        [("&#x27;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    let picture =
        entities.iter().fold(tag.replace_all(&picture, "").into_owned(), |text, (from, to)| {
            text.replace(from, to)
        });
    for line in slot.lines().chain(failed.lines()) {
        assert!(picture.contains(line.trim()), "docs/session.svg does not show `{line}`");
    }
    assert!(mk(&["outline", "Demo.lean", "--gaps"]).contains("isEven_mul_succ"));
    assert!(mk(&[]).contains("2 in flight, 1 ready to fetch: slot104"));
    assert!(!env.database().exists(), "the person's own knowledge stays as it was");
    env.mk(&["demo"]).failure(1);
}
