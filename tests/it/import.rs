//! `mk import`: a tracking database becomes knowledge, once.

use std::fs;
use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::Value;

use crate::env::{TestEnv, shared_data};
use crate::forget::forget;
use crate::store_open::SPECIFIED;
use crate::tracking_fixture::{Fixture, Vocabulary, empty};

/// A project with a tracking database where it is looked for.
fn with_database(fixture: Fixture) -> (TestEnv, PathBuf) {
    let env = TestEnv::new();
    let path = env.write("submissions/tracking.db", "");
    fs::remove_file(&path).unwrap();
    fixture.write(&path);
    (env, path)
}

fn count(report: &Value, what: &str) -> u64 {
    report[what].as_u64().unwrap()
}

#[test]
fn the_second_import_changes_nothing() {
    for vocabulary in [Vocabulary::Old, Vocabulary::New] {
        for minimal in [false, true] {
            let (env, _) = with_database(Fixture { minimal, ..Fixture::new(vocabulary) });
            let first = env.mk(&["import", "--json"]).json();
            assert!(count(&first, "inserted") > 100, "{first}");
            assert_eq!(count(&first, "updated"), 0);
            assert_eq!(count(&first["by_kind"]["problem"], "inserted"), 7);
            assert_eq!(count(&first["by_kind"]["false_lemma"], "inserted"), 40);
            assert_eq!(count(&first["by_kind"]["failure"], "inserted"), 40);
            let second = env.mk(&["import", "--json"]).json();
            assert_eq!(count(&second, "inserted"), 0, "{second}");
            assert_eq!(count(&second, "updated"), 0, "{second}");
            assert_eq!(count(&second, "unchanged"), count(&first, "inserted"));
            assert_eq!(count(&second, "skipped"), count(&first, "skipped"));
        }
    }
}

#[test]
fn what_was_forgotten_is_not_imported_again() {
    let (env, _) = with_database(Fixture::new(Vocabulary::Old));
    env.mk(&["import"]).success();
    let kinds = ["theorem", "failure", "false_lemma", "insight"];
    let db = Connection::open(env.database()).unwrap();
    let ids: Vec<String> = kinds
        .iter()
        .flat_map(|kind| {
            let sql = format!("SELECT id FROM findings WHERE finding_type = '{kind}' LIMIT 3");
            let mut statement = db.prepare(&sql).unwrap();
            let ids = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
            ids.map(|id| id.unwrap().to_string()).collect::<Vec<_>>()
        })
        .collect();
    let total = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let before = total("SELECT count(*) FROM findings");
    let named: Vec<&str> = ids.iter().map(String::as_str).collect();
    forget(&env, &named, None, false);
    let left = total("SELECT count(*) FROM findings");
    assert!(left <= before - i64::try_from(named.len()).unwrap(), "{before} {left}");
    env.mk(&["import"]).success();
    assert_eq!(total("SELECT count(*) FROM findings"), left);
}

#[test]
fn a_changed_row_changes_what_came_from_it() {
    let (env, path) = with_database(Fixture::new(Vocabulary::Old));
    env.mk(&["import"]).success();
    Connection::open(&path)
        .unwrap()
        .execute_batch("UPDATE false_lemmas SET why_false = 'it never held' WHERE id = 3")
        .unwrap();
    let report = env.mk(&["import", "--json"]).json();
    assert_eq!((count(&report, "inserted"), count(&report, "updated")), (0, 1), "{report}");
    let db = Connection::open(env.database()).unwrap();
    let changed: i64 = db
        .query_row("SELECT count(*) FROM findings WHERE why_failed = 'it never held'", [], |r| {
            r.get(0)
        })
        .unwrap();
    assert_eq!(changed, 1);
}

#[test]
fn a_theorem_comes_before_the_steps_of_its_proof() {
    let env = TestEnv::new();
    let path = env.project().join("other.db");
    empty(&path, false)
        .execute_batch(
            "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count) VALUES
               (1, 'u-1', 'slot1_erdos_17_descent.lean', 'erdos_17', 'proven', 0);
             INSERT INTO proven_theorems (submission_id, theorem_name, statement, proof_complete) VALUES
               (1, 'Octagon.sweep_step8', 'theorem sweep_step8 : sweep 8 octagon', 1),
               (1, 'Octagon.sweep_total', 'theorem sweep_total : total octagon', 1);",
        )
        .unwrap();
    env.mk(&["import", path.to_str().unwrap()]).success();
    let hits = env.mk(&["search", "octagon sweep", "--json"]).json();
    let name = |at: usize| hits["hits"][at]["title"].as_str().map(str::to_owned);
    assert_eq!(name(0).as_deref(), Some("Octagon.sweep_total (theorem)"), "{hits}");
    assert_eq!((name(1), hits["total"].as_u64()), (None, Some(2)), "a step is folded: {hits}");
}

#[test]
fn the_report_reads_well() {
    let env = TestEnv::new();
    let path = env.project().join("other.db");
    empty(&path, false)
        .execute_batch(
            "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count) VALUES
               (1, 'u-1', 'slot1_erdos_17_descent.lean', 'erdos_17', 'proven', 0);
             INSERT INTO proven_theorems (submission_id, theorem_name, proof_complete) VALUES
               (1, 'a', 1), (1, 'b', 0), (1, 'c', 0), (1, 'a', 1);",
        )
        .unwrap();
    let path = path.to_str().unwrap().to_owned();
    insta::assert_snapshot!(env.mk(&["import", &path]).success(), @r"
        Imported $PROJECT/other.db (5 rows)

                    inserted  skipped
          problem          1        -
          strategy         1        -
          theorem          1        3
          total            3        3

        Skipped:
          proven_theorems: its proof is not complete: 2 rows (2, 3)
          proven_theorems: the same as an earlier row (row 4)

        Next: `mk brief` for the state, `mk search WORDS` to find it again.
        ");
    insta::assert_snapshot!(env.mk(&["import", &path]).success(), @r"
        Nothing new in $PROJECT/other.db (5 rows): all of it was known

                    unchanged  skipped
          problem           1        -
          strategy          1        -
          theorem           1        3
          total             3        3

        Skipped:
          proven_theorems: its proof is not complete: 2 rows (2, 3)
          proven_theorems: the same as an earlier row (row 4)
        ");
}

#[test]
fn databases_that_are_no_tracking_database_are_told_apart() {
    let env = TestEnv::new();
    let other = Connection::open(env.project().join("other.db")).unwrap();
    other.execute_batch("CREATE TABLE notes (id INTEGER, submission TEXT)").unwrap();
    drop(other);
    env.mk(&["add", "insight", "--title", "small sets are enough"]).success();
    let whole = fs::read(env.database()).unwrap();
    fs::write(env.project().join("half.db"), &whole[..whole.len() / 2]).unwrap();
    let before = env.mk(&["export"]).success();
    let said = env.mk(&["import", "other.db"]).failure(1);
    assert!(
        said.starts_with("mk: other.db has none of the tables of a tracking database"),
        "{said}"
    );
    let said = env.mk(&["import", "half.db"]).failure(1);
    assert!(said.starts_with("mk: half.db cannot be read ("), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(env.mk(&["export"]).success(), before);
}

#[test]
fn rows_that_contradict_each_other_lose_nothing_and_double_nothing() {
    let env = TestEnv::new();
    let path = env.write("submissions/tracking.db", "");
    fs::remove_file(&path).unwrap();
    let db = empty(&path, false);
    db.execute_batch(
        "ALTER TABLE submissions ADD COLUMN notes TEXT;
         INSERT INTO submissions (uuid, filename, problem_id, status, output_file, notes, created_at, completed_at)
         VALUES ('u1', 'slot7_erdos_850.lean', 'erdos_850', 'completed', 'submissions/slot7_result.lean',
             'the pairing is odd on seven points', '2026-03-02', '2026-02-01'),
            ('u2', 'slot8_erdos_850.lean', 'erdos850', 'completed', 'submissions/slot7_result.lean',
             'the pairing is odd on seven points', '2026-02-02', 'soon'),
            ('u3', 'slot9_erdos_850.lean', 'erdos 850', 'failed', NULL,
             'the pairing is odd on seven points', NULL, NULL)",
    )
    .unwrap();
    drop(db);
    env.write("submissions/slot7_result.lean", "theorem small : 2 + 2 = 4 := rfl\n");
    env.mk(&["import"]).success();
    env.mk(&["extract", "submissions"]).success();
    let once = env.mk(&["export"]).success();
    for repeated in [&["import"][..], &["extract", "submissions"]] {
        env.mk(repeated).success();
        assert_eq!(env.mk(&["export"]).success(), once);
    }
    // What several rows say is one finding, and says of which.
    assert_eq!(once.matches("Said of slot7, slot8, slot9").count(), 1, "{once}");
    let found = env.mk(&["search", "pairing odd seven points"]).success();
    assert!(found.contains("the pairing is odd on seven points"), "{found}");
    let problems = env.mk(&["problem", "--json"]).json();
    assert_eq!(problems["problems"].as_array().unwrap().len(), 1, "{problems}");
    let queue = env.mk(&["queue"]).success();
    assert!(queue.contains("NOT CHECKED"), "{queue}");
}

#[test]
fn generated_databases_of_the_real_form_arrive_whole() {
    let Some(data) = shared_data("generated tracking databases") else { return };
    let env = TestEnv::new();
    for (seed, arguments) in [
        ("1", vec!["--vocabulary", "old"]),
        ("2", vec!["--vocabulary", "new"]),
        ("3", vec!["--vocabulary", "old", "--minimal"]),
    ] {
        let path = env.project().join(format!("{seed}.db"));
        let made = assert_cmd::Command::new("python3")
            .arg(data.join("tracking/make_tracking.py"))
            .arg(&path)
            .args(["--seed", seed])
            .args(arguments)
            .output();
        if !made.is_ok_and(|output| output.status.success()) {
            eprintln!("SKIPPED generated tracking databases: python3 did not make one");
            return;
        }
        let database = env.project().join(format!("{seed}-knowledge.db"));
        let import = || {
            let mut command = env.command();
            command.arg("import").arg(&path).arg("--json").env("MATH_FORGE_DB", &database);
            env.finish(&mut command).json()
        };
        let first = import();
        assert_eq!(count(&first["by_kind"]["problem"], "inserted"), 18, "{first}");
        assert_eq!(count(&first["by_kind"]["false_lemma"], "inserted"), 45);
        assert_eq!(count(&first["by_kind"]["failure"], "inserted"), 56);
        let theorems = &first["by_kind"]["theorem"];
        assert_eq!(count(theorems, "inserted") + count(theorems, "skipped"), 114);
        let second = import();
        assert_eq!((count(&second, "inserted"), count(&second, "updated")), (0, 0), "{second}");
    }
}

/// The shell tool's database is in the way where `mk` looks for its own; moved away it is imported.
#[test]
fn a_database_of_the_shell_tool_is_taken_over() {
    let env = TestEnv::new();
    let path = env.database();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let old = Connection::open(&path).unwrap();
    old.execute_batch(SPECIFIED).unwrap();
    old.execute_batch(
        "INSERT INTO findings (finding_type, title, description, problem_id, confidence, theorem_name,
         source_slot, proof_technique, tags, created_at) VALUES
         ('theorem', 'Infinite primes', 'one', 'Erdos 1', 'verified', 'Nat.infinite_primes', 12, 'sieve',
          'a,b', '2025-01-02 03:04:05'),
         ('theorem', 'Infinite primes', 'one', 'Erdos 1', 'verified', 'Nat.infinite_primes', 12, 'sieve',
          'a,b', '2025-01-02 03:04:05');
         INSERT INTO findings (finding_type, title, description, counterexample, why_failed) VALUES
         ('false_lemma', 'All are odd', 'two', 'n = 2', 'because of it'),
         ('insight', '', '', NULL, NULL);
         INSERT INTO problems (id, name, status, submission_count, statement)
         VALUES ('erdos_1', 'Erdos 1', 'partial', 9, 'Is it so?');
         INSERT INTO strategies (problem_id, problem_name, approach_name, outcome, attempts, submission_slot,
         learned) VALUES ('erdos_1', 'Erdos 1', 'sieve', 'failed', 3, 12, 'too weak')",
    )
    .unwrap();
    drop(old);
    let bytes = fs::read(&path).unwrap();
    let message = env.mk(&["stats"]).failure(1);
    assert!(message.contains("is never changed in place: move it to"), "{message}");
    assert_eq!(fs::read(&path).unwrap(), bytes);

    let moved = path.with_extension("db.old");
    fs::rename(&path, &moved).unwrap();
    let moved = moved.to_str().unwrap();
    let first = env.mk(&["import", moved, "--json"]).json();
    assert_eq!(count(&first, "rows"), 6);
    assert_eq!((count(&first, "inserted"), count(&first, "skipped")), (4, 1), "{first}");
    let second = env.mk(&["import", moved, "--json"]).json();
    assert_eq!((count(&second, "inserted"), count(&second, "updated")), (0, 0), "{second}");
    assert_eq!(fs::read(moved).unwrap(), bytes, "it is only read");

    let db = Connection::open(env.database()).unwrap();
    let row = |sql: &str| db.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(
        row("SELECT json_array(problem_id, theorem_name, source_slot, proof_technique, confidence,
             created_at) FROM findings WHERE finding_type = 'theorem'"),
        r#"["erdos_1","Nat.infinite_primes",12,"sieve","verified","2025-01-02 03:04:05"]"#
    );
    assert_eq!(
        row("SELECT counterexample || why_failed FROM findings WHERE finding_type = 'false_lemma'"),
        "n = 2because of it"
    );
    assert_eq!(
        row("SELECT json_array(outcome, attempts, submission_slot, learned) FROM strategies"),
        r#"["failed",3,12,"too weak"]"#
    );
    assert_eq!(
        row("SELECT json_array(name, status, submission_count, statement) FROM problems"),
        r#"["Erdos 1","partial",9,"Is it so?"]"#
    );
}
