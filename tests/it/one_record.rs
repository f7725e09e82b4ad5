//! One record a theorem: versions and copies are its sources, in whatever order they come; another
//! definition makes another statement.

use serde_json::Value;

use crate::env::TestEnv;

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
    files.iter_mut().for_each(|files| files.sort_unstable());
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
