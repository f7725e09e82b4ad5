//! One record a theorem: versions and copies are its sources, in whatever order they come; another
//! definition makes another statement.

use std::fs;

use serde_json::Value;

use crate::env::TestEnv;
use crate::git;

const HEADER: &str = "/-\nThis file was edited by Aristotle.\nThis project request had uuid: ";

fn answer(uuid: &str, body: &str) -> String {
    format!("{HEADER}{uuid}\n-/\n{body}")
}

fn uuid(n: u32) -> String {
    format!("7d0c5f1e-3a92-4b68-9e17-{n:012}")
}

fn project(files: &[(&str, String)]) -> TestEnv {
    let env = TestEnv::new();
    env.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
    std::fs::create_dir(env.project().join(".git")).unwrap();
    for (name, text) in files {
        env.write(name, text);
    }
    env
}

fn ask(env: &TestEnv, sql: &str) -> Vec<String> {
    let database = rusqlite::Connection::open(env.database()).unwrap();
    let mut statement = database.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

const THEOREMS: &str = "SELECT concat_ws(' ', theorem_name, confidence, source_file, source_slot)
    FROM findings WHERE finding_type = 'theorem' ORDER BY 1";

const OLD: &str = "def Good (n : ℕ) : Prop := n < 7\n\n";
const MENDED: &str = "def Good (n : ℕ) : Prop := 0 < n ∧ n < 7\n\n";
const CLAIM: &str = "theorem good_bound (n : ℕ) (h : Good n) : n ≤ 6 := by\n  omega\n";

fn versions() -> Vec<(&'static str, String)> {
    let same_in_other_words = "theorem good_bound (m : ℕ)\n    (hyp : Good m) : m ≤ 6 := by\n  unfold Good at hyp; omega\n";
    vec![
        ("in/slot5_good.lean", format!("{OLD}{CLAIM}")),
        ("in/slot5_good_v2_result.lean", answer(&uuid(5), &format!("{OLD}{CLAIM}"))),
        ("in/slot6_good_result.lean", answer(&uuid(6), &format!("{OLD}{same_in_other_words}"))),
        ("in/slot7_good_result.lean", answer(&uuid(7), &format!("{MENDED}{CLAIM}"))),
        (
            "in/slot8_other_result.lean",
            answer(&uuid(8), &format!("{OLD}{}", CLAIM.replace("good_bound", "other"))),
        ),
    ]
}

#[test]
fn a_slot_says_what_no_answer_of_it_proves() {
    let open = "theorem easy : 1 = 1 := rfl\n\ntheorem hard (n : ℕ) : n ≤ n + 1 := by\n  sorry\n";
    let env = project(&[("in/slot9_x_result.lean", answer(&uuid(9), open))]);
    env.mk(&["extract", "in"]).success();
    assert!(env.mk(&["find", "slot9"]).success().contains("Still open: hard\n"));
    assert_eq!(env.mk(&["find", "slot9", "--json"]).json()["gaps"][0]["name"], "hard");
    let proved = open.replace("sorry", "omega");
    env.write("in/slot9_x_v2_result.lean", answer(&uuid(10), &proved));
    env.mk(&["extract", "in"]).success();
    let shown = env.mk(&["find", "slot9"]).success();
    assert!(shown.contains("hard") && !shown.contains("Still open"), "{shown}");
}

#[test]
fn versions_and_copies_are_sources_of_one_record() {
    let env = project(&versions());
    let first = env.mk(&["extract", "--json", "in"]).json();
    assert_eq!(first["by_kind"]["theorem"]["inserted"], 3, "{first}");
    let theorems = ask(&env, THEOREMS);
    assert_eq!(theorems.len(), 3, "{theorems:?}");
    let shown = env.mk(&["search", "--json", "good_bound"]).json();
    let ids: Vec<String> =
        shown["hits"].as_array().unwrap().iter().map(|hit| hit["id"].to_string()).collect();
    let shown = env.mk(&["show", "--json", &ids.join(",")]).json();
    let mut files: Vec<Vec<&str>> = shown["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["theorem_name"] == "good_bound")
        .map(|finding| {
            let sources = finding["sources"].as_array().unwrap().iter();
            sources.map(|source| source["file"].as_str().unwrap()).collect()
        })
        .collect();
    for files in &mut files {
        files.sort_unstable();
    }
    files.sort();
    assert_eq!(
        files,
        [
            vec!["in/slot5_good.lean", "in/slot5_good_v2_result.lean", "in/slot6_good_result.lean"],
            vec!["in/slot7_good_result.lean"]
        ]
    );
    // Found by the slot and the file's name of any source.
    for words in ["slot5", "slot6"] {
        let found = env.mk(&["find", words]).success();
        assert!(found.contains("good_bound"), "{words}: {found}");
    }
    let again = env.mk(&["extract", "--json", "in"]).json();
    for what in ["inserted", "updated", "removed"] {
        assert_eq!(again[what].as_u64().unwrap_or(0), 0, "{what}: {again}");
    }
}

/// Without row numbers and times of storing.
fn known(env: &TestEnv) -> Vec<String> {
    ask(
        env,
        "SELECT concat_ws(' | ', f.uid, f.title, f.description, f.source_file, f.source_slot,
         f.confidence, f.evidence, f.tags, f.notes, f.status, f.symbols,
         (SELECT o.uid FROM findings o WHERE o.id = f.superseded_by)) FROM findings f ORDER BY 1",
    )
}

#[test]
fn the_order_of_files_makes_no_difference() {
    let files = versions();
    let env = project(&files);
    env.mk(&["extract", "in"]).success();
    let expected = known(&env);
    for start in 0..files.len() {
        std::fs::remove_file(env.database()).unwrap();
        for turn in 0..files.len() {
            env.mk(&["extract", files[(start + turn) % files.len()].0]).success();
        }
        assert_eq!(known(&env), expected, "beginning with {}", files[start].0);
    }
}

#[test]
fn a_record_goes_with_its_last_source() {
    let env = project(&versions());
    env.mk(&["extract", "in"]).success();
    for (file, left) in [
        ("in/slot5_good_v2_result.lean", 3),
        ("in/slot6_good_result.lean", 3),
        ("in/slot5_good.lean", 2),
        ("in/slot7_good_result.lean", 1),
    ] {
        env.write(file, "-- nothing is left\n");
        env.mk(&["extract", file]).success();
        assert_eq!(ask(&env, THEOREMS).len(), left, "{file}");
    }
}

#[test]
fn a_file_that_moved_is_no_second_source() {
    let env = project(&versions());
    env.mk(&["extract", "in"]).success();
    std::fs::create_dir(env.project().join("old")).unwrap();
    let from = env.project().join("in/slot6_good_result.lean");
    std::fs::rename(from, env.project().join("old/slot6_good_result.lean")).unwrap();
    env.mk(&["extract", "old"]).success();
    let files = "SELECT DISTINCT file FROM finding_sources WHERE slot = 6";
    assert_eq!(ask(&env, files), ["old/slot6_good_result.lean"]);
}

#[test]
fn what_was_forgotten_does_not_come_back_from_any_source() {
    let env = project(&versions());
    env.mk(&["extract", "in"]).success();
    let database = rusqlite::Connection::open(env.database()).unwrap();
    let id: i64 = database
        .query_row("SELECT id FROM findings WHERE uid = (SELECT record FROM finding_sources WHERE slot = 6 AND name = 'good_bound')", [], |row| row.get(0))
        .unwrap();
    drop(database);
    crate::forget::forget(&env, &[&format!("#{id}")], None, false);
    for _ in 0..2 {
        assert_eq!(ask(&env, THEOREMS).len(), 2);
        assert_eq!(
            ask(&env, "SELECT file FROM finding_sources WHERE slot IN (5, 6) AND kind = 'theorem'"),
            [""; 0]
        );
        env.mk(&["extract", "in"]).success();
    }
}

/// The answer refutes the one gap that its row counts: nothing is left to close.
#[test]
fn a_near_miss_whose_gap_is_refuted_is_not_worth_closing() {
    let refuted = "theorem good_pos (n : ℕ) : 0 < n := by\n  negate_state;\n  exact ⟨0, by simp⟩\n";
    let env = project(&[("in/slot1_good_result.lean", answer(&uuid(1), refuted))]);
    let db = rusqlite::Connection::open(env.write("submissions/tracking.db", "")).unwrap();
    db.execute_batch(&format!(
        "CREATE TABLE submissions (id INTEGER PRIMARY KEY, uuid TEXT, filename TEXT, status TEXT,
             sorry_count INTEGER, proven_count INTEGER, submitted_at TEXT, completed_at TEXT);
         INSERT INTO submissions VALUES (1, '{}', 'slot1_good.lean', 'near_miss', 1, 9,
             '2026-01-01 00:00:00', '2026-01-02 00:00:00'),
             (2, NULL, 'slot2.lean', 'near_miss', 1, 8, '2026-01-01 00:00:00', '2026-01-02 00:00:00')",
        uuid(1)
    ))
    .unwrap();
    env.mk(&["extract", "in"]).success();
    let page = env.mk(&["queue"]).success();
    assert!(page.contains("slot1: `good_pos` is on record as false"), "{page}");
    let brief = env.mk(&["brief"]).success();
    assert!(brief.contains("TOP NEAR-MISS: slot2"), "{brief}");
}

#[test]
fn a_corrected_definition_makes_another_statement() {
    let refuted = "theorem good_pos (n : ℕ) (h : Good n) : 0 < n := by\n  negate_state;\n  exact ⟨0, by simp [Good]⟩\n";
    let proved = "theorem good_pos (n : ℕ) (h : Good n) : 0 < n := h.1\n";
    let env = project(&[
        ("in/slot1_good_result.lean", answer(&uuid(1), &format!("{OLD}{refuted}"))),
        ("in/slot2_good_result.lean", answer(&uuid(2), &format!("{MENDED}{proved}"))),
        ("Copy.lean", format!("{OLD}{}", proved.replace("good_pos", "copied"))),
        ("Mended.lean", format!("{MENDED}{}", proved.replace("good_pos", "copied"))),
    ]);
    env.mk(&["extract", "in"]).success();
    let rules = |file: &str| -> Vec<String> {
        let report: Value = env.mk(&["audit", "--json", file]).json();
        let findings = report["findings"].as_array().unwrap().iter();
        let rules = findings.map(|finding| finding["rule"].as_str().unwrap().to_owned());
        rules.filter(|rule| rule.starts_with("false")).collect()
    };
    assert_eq!(rules("in/slot2_good_result.lean"), [""; 0]);
    assert_eq!(rules("Mended.lean"), [""; 0]);
    assert_eq!(rules("Copy.lean"), ["false-lemma"]);
    assert_eq!(rules("in/slot1_good_result.lean"), ["false-lemma"]);
    // Where nobody knows over which definition it is false, that is said.
    let other = project(&[("Copy.lean", format!("{OLD}{proved}"))]);
    let statement = "theorem good_pos (n : ℕ) (h : Good n) : 0 < n";
    other
        .mk(&[
            "add",
            "false-lemma",
            "--title",
            "x",
            "--theorem-name",
            "good_pos",
            "--statement",
            statement,
        ])
        .success();
    let report: Value = other.mk(&["audit", "--json", "Copy.lean"]).json();
    assert_eq!(report["findings"][0]["rule"], "false-words", "{report}");
}

/// A sketch that says nothing of when it was made.
fn undated(name: &str) -> String {
    format!("theorem {name} : 1 + 1 = 2 := by norm_num\n")
}

fn dates(env: &TestEnv) -> Vec<String> {
    ask(
        env,
        "SELECT theorem_name || ' ' || coalesce(substr(created_at, 1, 10), 'unknown') FROM findings
         WHERE theorem_name IS NOT NULL ORDER BY 1",
    )
}

/// Sets when a file of the project was last changed.
fn touch(env: &TestEnv, name: &str, day: u64) {
    let day = std::time::UNIX_EPOCH + std::time::Duration::from_hours(24 * day);
    fs::File::options()
        .append(true)
        .open(env.project().join(name))
        .unwrap()
        .set_modified(day)
        .unwrap();
}

#[test]
fn a_clone_knows_when_things_happened() {
    let env = TestEnv::new();
    git::init(&env);
    let commit = |day: &str| {
        git::git(&env, &["add", "-A"]);
        let date = format!("{day}T10:00:00Z");
        git::git(&env, &["commit", "-q", "-m", "x", "--date", &date]);
    };
    env.write("slot1_alpha.lean", undated("alpha"));
    env.write("slot2_beta.lean", undated("beta_old"));
    commit("2026-01-02");
    env.write("slot2_beta.lean", undated("beta"));
    commit("2026-02-03");
    fs::rename(env.project().join("slot1_alpha.lean"), env.project().join("slot7_alpha.lean"))
        .unwrap();
    commit("2026-03-04");
    // So many at once are no work on each of them.
    for i in 0..60 {
        env.write(&format!("all/slot{}_many.lean", 100 + i), undated(&format!("many_{i:02}")));
    }
    commit("2026-04-05");
    env.write("slot3_dirty.lean", undated("dirty_old"));
    commit("2026-05-06");
    env.write("slot3_dirty.lean", undated("dirty"));
    touch(&env, "slot3_dirty.lean", 20_000);
    env.write("slot4_new.lean", undated("new"));
    touch(&env, "slot4_new.lean", 20_001);
    let dated = "/- Date: 2026-06-07 -/\n".to_owned() + &undated("said");
    env.write("slot5_said.lean", dated);
    env.mk(&["extract", "."]).success();
    let mut known = dates(&env);
    known.retain(|line| !line.starts_with("many_") || line.starts_with("many_07"));
    assert_eq!(
        known,
        [
            "alpha 2026-01-02",
            "beta 2026-02-03",
            "dirty 2024-10-04",
            "many_07 unknown",
            "new 2024-10-05",
            "said 2026-06-07",
        ]
    );
}

#[test]
fn a_copy_says_that_it_does_not_know_when() {
    let env = TestEnv::new();
    for i in 0..12 {
        let text = answer(&uuid(i), &undated(&format!("copied_{i:02}")));
        env.write(&format!("submissions/slot{i}_x.lean"), text);
    }
    env.write("submissions/slot90_y.lean", answer(&uuid(90), &undated("own")));
    touch(&env, "submissions/slot90_y.lean", 20_000);
    env.mk(&["extract", "submissions"]).success();
    let known = dates(&env);
    assert_eq!((known.len(), known[0].as_str()), (13, "copied_00 unknown"));
    assert_eq!(known[12], "own 2024-10-04");
    let since = ["search", "--json", "--since", "2020-01-01", "--kind", "theorem"];
    let since = env.mk(&since).json();
    let found = since["hits"].as_array().unwrap();
    assert_eq!(
        (found.len(), found[0]["title"].as_str()),
        (1, Some("own (theorem, proves only a case in numbers)"))
    );
    let shown = env.mk(&["search", "copied_03"]).success();
    assert!(!shown.contains("ago") && !shown.contains("now"), "{shown}");
}

#[test]
fn a_damaged_source_costs_no_other() {
    let proved = |n: u32, name: &str| answer(&uuid(n), &undated(name));
    let env = project(&[("slot1_a.lean", proved(1, "same")), ("slot2_b.lean", proved(2, "other"))]);
    env.mk(&["extract", "."]).success();
    rusqlite::Connection::open(env.database())
        .unwrap()
        .execute("UPDATE finding_sources SET draft = '{\"kind\":' WHERE file = 'slot1_a.lean'", [])
        .unwrap();
    env.write("slot3_c.lean", proved(3, "same"));
    let report = env.mk(&["extract", "--json", "slot3_c.lean", "slot2_b.lean"]).json();
    assert_eq!(report["failed"], 0);
    let count =
        "SELECT count(*) || '' FROM finding_sources WHERE name = 'same' AND json_valid(draft)";
    assert_eq!(ask(&env, count), ["1"]);
    let mended = env.mk(&["extract", "--json", "slot1_a.lean"]).json();
    assert_eq!(mended["problems"], serde_json::json!([]));
    assert_eq!(ask(&env, count), ["2"]);
    assert_eq!(ask(&env, "SELECT count(*) || '' FROM findings WHERE theorem_name = 'same'"), ["1"]);
}
