//! Result files and the tracking database together: each says what the other does not know, and in
//! which order they are read changes nothing.

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::env::hook;

const SCHEMA: &str = "CREATE TABLE submissions (id INTEGER PRIMARY KEY, uuid TEXT, filename TEXT,
        problem_id TEXT, status TEXT, sorry_count INTEGER, proven_count INTEGER, verified INTEGER,
        created_at TEXT, submitted_at TEXT, completed_at TEXT, output_file TEXT, notes TEXT,
        target_resolved INTEGER, frontier_id TEXT);
    CREATE TABLE proven_theorems (id INTEGER PRIMARY KEY, submission_id INTEGER, theorem_name TEXT,
        theorem_type TEXT, statement TEXT, proof_complete INTEGER);
    CREATE TABLE candidate_problems (id TEXT PRIMARY KEY, status TEXT);
    CREATE TABLE failed_approaches (id INTEGER PRIMARY KEY, frontier_id TEXT, problem_id TEXT,
        approach_name TEXT, why_failed TEXT, created_at TEXT);
    INSERT INTO candidate_problems VALUES ('bridges_nu4', 'active'), ('lattice', 'known_proven');
    INSERT INTO failed_approaches VALUES
        (1, 'nu_4', 'corner', 'greedy rounding', 'the weights are not whole', '2026-01-05 00:00:00');
    INSERT INTO submissions VALUES
        (1, '0f8fad5b-d9cb-469f-a165-708677289501', 'slot1_span.lean', 'bridges_nu4', 'compiled_clean',
         0, 1, 1, '2026-01-01 10:00:00', NULL, '2026-01-02 10:00:00', NULL, NULL, 0, 'nu_4'),
        (2, '0f8fad5b-d9cb-469f-a165-708677289502', 'slot2', 'bridges_nu4', 'failed',
         3, 0, 0, '2026-01-03T10:00:00', NULL, '2026-01-04T10:00:00', 'submissions/deep/slot2_arch_result.lean',
         'The arch has two feet on one pier.', 0, 'nu_4'),
        (3, NULL, 'deep/slot3_pier.lean', 'bridgesnu4', 'proven',
         0, 1, NULL, '2026-01-05 10:00:00', NULL, NULL, NULL, NULL, 0, 'nu_4'),
        (4, '0f8fad5b-d9cb-469f-a165-708677289504', 'slot4_whole.txt', 'erdos_12', 'proven',
         0, 1, 1, '2026-01-06 10:00:00', NULL, NULL, NULL, NULL, 1, NULL),
        (5, '0f8fad5b-d9cb-469f-a165-708677289505', 'slot5_trivial.txt', 'erdos_13', 'proven',
         0, 1, 1, '2026-01-07 10:00:00', NULL, NULL, NULL, NULL, 0, NULL);
    INSERT INTO proven_theorems VALUES
        (1, 1, 'span_bound', 'theorem', 'theorem span_bound (n : ℕ) : n < 2 ^ n', 1),
        (2, 3, 'pier_bound', 'theorem', 'theorem pier_bound (n : ℕ) : n < 3 ^ n', 1),
        (3, 5, 'erdos_13', 'theorem', 'theorem erdos_13 : P ∨ ¬P', 1);";

fn answer(uuid: usize, code: &str) -> String {
    format!(
        "/-\nThis file was edited by Aristotle.\n\nThis project request had uuid: \
         0f8fad5b-d9cb-469f-a165-70867728950{uuid}\n-/\nimport Mathlib\n\n{code}\n"
    )
}

/// What was asked and what was answered, in a project of their owner.
fn project() -> TestEnv {
    let env = TestEnv::new();
    std::fs::create_dir(env.project().join(".git")).unwrap();
    env.write("submissions/slot1_span.lean", "theorem span_bound (n : ℕ) : n < 2 ^ n := by simp\n");
    env.write(
        "submissions/deep/slot1_span_result.lean",
        answer(1, "theorem span_bound (n : ℕ) : n < 2 ^ n := by exact?"),
    );
    env.write(
        "submissions/deep/slot2_arch_result.lean",
        answer(
            2,
            "/- Aristotle failed to load this code into its environment.\n\nUnknown identifier `Arch`-/\n\
             theorem arch_bound (n : ℕ) : n < 2 ^ n := by simp",
        ),
    );
    env.write(
        "submissions/deep/slot2_arch.lean",
        "theorem arch_bound (n : ℕ) : n < 2 ^ n := by simp\n",
    );
    env.write(
        "submissions/deep/slot3_pier_result.lean",
        answer(3, "theorem pier_bound (n : ℕ) : n < 3 ^ n := by\n  sorry"),
    );
    env.write(
        "submissions/slot4_whole.lean",
        answer(4, "theorem whole (n : ℕ) : n < 5 ^ n := by simp"),
    );
    env.write("submissions/slot5_trivial.lean", answer(5, "theorem erdos_13 : P ∨ ¬P := em P"));
    env.write("submissions/two_corners.lean", "theorem corner (n : ℕ) : n < 7 ^ n := by simp\n");
    let database = env.project().join("submissions/tracking.db");
    rusqlite::Connection::open(database).unwrap().execute_batch(SCHEMA).unwrap();
    env
}

#[test]
fn a_changed_tracking_database_is_imported_in_the_background() {
    let env = project();
    let capture = || env.mk(&["capture", "--json"]).json()["tracking"].clone();
    let database = env.project().join("submissions/tracking.db");
    // Somebody writes just now: that is over the next time, and the file may be as it was.
    let writer = rusqlite::Connection::open(&database).unwrap();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let said = env.mk(&["capture"]).failure(1);
    assert!(said.contains("no result was read"), "{said}");
    writer.execute_batch("ROLLBACK").unwrap();
    drop(writer);
    let first = capture();
    assert!(first["inserted"].as_u64().unwrap() > 5, "{first}");
    let whole = env.mk(&["export"]).success();
    assert_eq!(capture(), Value::Null, "nothing is new");
    env.mk(&["import"]).success();
    assert_eq!(env.mk(&["export"]).success(), whole, "a person's import is the same");
    // What only a setting names, and what lies in nobody's project, is not taken for this project's.
    let foreign = env.home().join("foreign.db");
    std::fs::copy(&database, &foreign).unwrap();
    let mut other = env.command();
    other.args(["capture", "--json"]).env("MATH_FORGE_TRACKING_DB", &foreign);
    assert_eq!(env.finish(&mut other).json()["tracking"], Value::Null);
    let write =
        |sql: &str| rusqlite::Connection::open(&database).unwrap().execute_batch(sql).unwrap();
    write("UPDATE failed_approaches SET why_failed = 'the corners overlap'");
    let changed = capture();
    assert_eq!(changed["updated"], 2, "the failure and its strategy: {changed}");
    assert!(env.mk(&["failed", "corners", "overlap"]).success().contains("greedy rounding"));
    // What its owner does not want is not brought back out of the tracking database.
    let failed = || env.mk(&["failed", "corners", "--json"]).json();
    let known = failed()["findings"][0].clone();
    assert_eq!(
        (&known["title"], &failed()["not_imported"]),
        (&"greedy rounding".into(), &json!([]))
    );
    let drop = "UPDATE findings SET status = 'dropped' WHERE id = ?1";
    let own = rusqlite::Connection::open(env.database()).unwrap();
    own.execute(drop, [known["id"].as_i64()]).unwrap();
    assert_eq!((&failed()["findings"], &failed()["not_imported"]), (&json!([]), &json!([])));
    std::fs::write(&database, "no database, but long enough to look like one to somebody").unwrap();
    assert_eq!((capture(), capture()), (Value::Null, Value::Null));
    let log = std::fs::read_to_string(env.home().join(".local/state/math-forge/mk.log")).unwrap();
    let tried = |line: &&str| line.contains(" capture: ") && line.contains("is not an SQLite");
    assert_eq!(log.lines().filter(tried).count(), 1, "it is not tried again: {log}");
    env.mk(&["failed", "corners"]).success();
}

/// One column of a query on the knowledge database.
fn ask(env: &TestEnv, sql: &str) -> Vec<String> {
    let database = rusqlite::Connection::open(env.database()).unwrap();
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// Everything that is known, without row numbers and times of storing.
fn known(env: &TestEnv) -> Vec<String> {
    let mut rows = ask(
        env,
        "SELECT concat_ws(' | ', 'finding', f.title, f.description, f.problem_id, f.source_file,
         f.source_slot, f.source_submission_uuid, f.confidence, f.evidence, f.tags, f.notes,
         CASE WHEN f.source_file IS NULL OR f.created_at < '2026-02-01' THEN f.created_at END,
         (SELECT o.source_file || ' ' || o.title FROM findings o WHERE o.id = f.superseded_by)) FROM findings f ORDER BY 1",
    );
    rows.extend(ask(
        env,
        "SELECT concat_ws(' | ', id, name, status, stated_status, found_status, submission_count,
         proven_count, failed_count, statement, notes) FROM problems ORDER BY 1",
    ));
    rows.extend(ask(
        env,
        "SELECT concat_ws(' | ', problem_id, approach_name, outcome, attempts, learned,
         submission_slot, submission_uuid) FROM strategies ORDER BY 1",
    ));
    rows
}

const EXTRACT: &[&str] = &["extract", "--json", "submissions"];
const IMPORT: &[&str] = &["import", "--json"];

fn filled(order: [&[&str]; 2]) -> TestEnv {
    let env = project();
    for step in order {
        env.mk(step).json();
    }
    env
}

#[test]
fn the_order_changes_nothing_and_a_second_time_neither() {
    let (one, other) = (filled([EXTRACT, IMPORT]), filled([IMPORT, EXTRACT]));
    let before = known(&one);
    assert_eq!(before, known(&other));
    // The results were read before there was a database.
    let late = project();
    let database = late.project().join("submissions/tracking.db");
    let aside = late.project().join("aside");
    std::fs::rename(&database, &aside).unwrap();
    late.mk(EXTRACT).json();
    std::fs::rename(&aside, &database).unwrap();
    late.mk(IMPORT).json();
    assert_eq!(before, known(&late));
    for step in [EXTRACT, IMPORT, IMPORT, EXTRACT] {
        let report = one.mk(step).json();
        for what in ["inserted", "updated", "removed"] {
            assert_eq!(report[what].as_u64().unwrap_or(0), 0, "{step:?} {what}: {report}");
        }
    }
    assert_eq!(before, known(&one));
}

/// Row numbers and times of storing are no knowledge: what is known is the same, byte for byte.
#[test]
fn every_order_exports_the_same_and_it_comes_back() {
    let env = project();
    let fresh = |steps: &[&[&str]]| {
        std::fs::remove_file(env.database()).ok();
        for step in steps {
            env.mk(step).success();
        }
        env.mk(&["export"]).success()
    };
    let expected = fresh(&[EXTRACT, IMPORT]);
    assert!(expected.lines().count() > 10, "{expected}");
    assert_eq!(fresh(&[IMPORT, EXTRACT]), expected);
    assert_eq!(fresh(&[EXTRACT, IMPORT, EXTRACT, IMPORT]), expected);
    let file = env.write("all.jsonl", &expected);
    let back: &[&str] = &["import", file.to_str().unwrap()];
    assert_eq!(fresh(&[back]), expected);
    assert_eq!(fresh(&[back, back, EXTRACT, IMPORT]), expected);
}

#[test]
fn the_database_says_what_a_file_is_about_and_when() {
    let env = filled([EXTRACT, IMPORT]);
    assert_eq!(
        ask(
            &env,
            "SELECT DISTINCT concat_ws(' ', file, problem, date(happened)) FROM finding_sources
             WHERE file LIKE '%.lean' AND file NOT LIKE '%corner%' AND file NOT LIKE '%arch.lean'
             ORDER BY 1"
        ),
        [
            "submissions/deep/slot1_span_result.lean bridges_nu4 2026-01-02",
            "submissions/deep/slot2_arch_result.lean bridges_nu4 2026-01-04",
            "submissions/deep/slot3_pier_result.lean bridges_nu4 2026-01-05",
            "submissions/slot1_span.lean bridges_nu4 2026-01-02",
            "submissions/slot4_whole.lean erdos_12 2026-01-06",
            "submissions/slot5_trivial.lean erdos_13 2026-01-07",
        ]
    );
    let unnamed = ask(
        &env,
        "SELECT coalesce(problem_id, '') FROM findings WHERE source_file LIKE '%corner%'",
    );
    assert_eq!(unnamed, [""], "one common word is no problem");
    let approach = "SELECT problem_id FROM findings WHERE title = 'greedy rounding'";
    assert_eq!(ask(&env, approach), ["bridges_nu4"], "nu_4 is another name of it");
}

#[test]
fn only_its_owner_settles_a_problem() {
    for order in [[EXTRACT, IMPORT], [IMPORT, EXTRACT]] {
        let env = filled(order);
        assert_eq!(
            ask(&env, "SELECT id || ' ' || status FROM problems ORDER BY 1"),
            ["bridges_nu4 partial", "erdos_12 proven", "erdos_13 open", "lattice proven"]
        );
        let trivial =
            ask(&env, "SELECT DISTINCT title FROM findings WHERE theorem_name = 'erdos_13'");
        assert_eq!(trivial, ["erdos_13 (theorem, proves only `P ∨ ¬P`)"]);
        let shown = env.mk(&["find", "lattice"]).success();
        assert!(shown.contains("known, solved elsewhere"), "{shown}");
    }
}

#[test]
fn a_sketch_gives_way_to_its_answer() {
    let env = filled([EXTRACT, IMPORT]);
    let answered = "SELECT concat_ws(' ', file, '->', answer) FROM finding_sources
        WHERE tags LIKE '%sketch%' AND kind = 'theorem' ORDER BY 1";
    assert_eq!(
        ask(&env, answered),
        [
            "submissions/deep/slot2_arch.lean -> submissions/deep/slot2_arch_result.lean",
            "submissions/slot1_span.lean -> submissions/deep/slot1_span_result.lean",
            "submissions/two_corners.lean ->",
        ]
    );
    let badges = |words: &str| -> Vec<String> {
        let found: Value = env.mk(&["search", "--json", words]).json();
        let hits = found["hits"].as_array().unwrap().iter();
        hits.map(|hit| {
            format!("{} {}", hit["badge"].as_str().unwrap(), hit["title"].as_str().unwrap())
        })
        .collect()
    };
    assert!(badges("span_bound").contains(&"[PROVEN] span_bound (theorem)".to_owned()));
    let arch = badges("arch_bound");
    assert_eq!(arch[0], "[FAILED] slot2, the prover could not load it: `arch_bound`", "{arch:?}");
    assert!(!arch.iter().any(|hit| hit.starts_with("[PROVEN] arch")), "{arch:?}");
    assert_eq!(badges("two_corners")[0], "[CLAIMED] corner (theorem)");
}

#[test]
fn what_is_not_as_its_sketch_states_it_says_so() {
    const SKETCH: &str = "theorem keystone (n : ℕ) : n < 2 ^ n := by\n  sorry\n";
    let answers = [
        ("theorem keystone (n : ℕ) (h : 3 < n) : n < 2 ^ n := by omega", true),
        ("theorem keystone (n : ℕ) : n < 2 ^ n := by omega", false),
    ];
    for (code, expected) in answers {
        for sketch_first in [true, false] {
            let env = project();
            let mut steps = [
                ("submissions/slot9_arch.lean", SKETCH.to_owned()),
                ("submissions/slot9_arch_result.lean", answer(9, code)),
            ];
            steps.rotate_left(usize::from(!sketch_first));
            for (path, text) in steps {
                env.write(path, text);
                env.mk(EXTRACT).success();
            }
            let shown = env.mk(&["search", "keystone"]).success();
            let says = shown.contains("by the prover, not as its sketch states it");
            assert_eq!(says, expected, "{code} {sketch_first}: {shown}");
        }
    }
}

#[test]
fn a_verdict_that_changes_replaces_what_it_said() {
    let env = filled([IMPORT, EXTRACT]);
    let set = |what: &str, steps: &[&[&str]]| {
        let database = env.project().join("submissions/tracking.db");
        let sql = format!("UPDATE submissions SET {what} WHERE id = 1");
        rusqlite::Connection::open(database).unwrap().execute_batch(&sql).unwrap();
        for step in steps {
            env.mk(step).success();
        }
        env.mk(&["search", "slot1"]).success()
    };
    let shown = set("notes = 'Accepted as it stands, well done.'", &[&["capture"]]);
    assert!(shown.contains("Accepted as it stands") && !shown.contains("against"), "{shown}");
    let shown = set(
        "notes = 'RETRACTED: it assumes the bound itself.', verified = 0",
        &[IMPORT, &["capture"]],
    );
    assert!(!shown.contains("Accepted"), "{shown}");
    assert!(shown.contains("by the prover, refused by its owner"), "{shown}");
}

/// Also what stands in the columns for verification and reviews; only a person refuses an answer.
#[test]
fn all_that_was_written_about_a_submission_is_told() {
    let env = filled([IMPORT, EXTRACT]);
    let set = |what: &str| {
        let database = env.project().join("submissions/tracking.db");
        let sql = format!("UPDATE submissions SET {what} WHERE id = 1");
        rusqlite::Connection::open(database).unwrap().execute_batch(&sql).unwrap();
        env.mk(IMPORT).success();
        env.mk(&["capture"]).success();
        env.mk(&["find", "slot1"]).success()
    };
    let columns = ["verification_notes", "definition_issues", "grok_issues", "gemini_issues"];
    let more = columns.map(|column| format!("ALTER TABLE submissions ADD COLUMN {column} TEXT;"));
    let database = env.project().join("submissions/tracking.db");
    rusqlite::Connection::open(database).unwrap().execute_batch(&more.concat()).unwrap();
    let shown =
        set("verified = 0, grok_issues = 'The bound is trivial\nfor n = 0.', gemini_issues = '[]'");
    assert!(shown.contains("Grok: The bound is trivial for n = 0."), "{shown}");
    assert!(!shown.contains("Gemini") && !shown.contains("refused by"), "{shown}");
    let shown = set("definition_issues = 'invalid: loops count'");
    assert!(shown.contains("Definitions: invalid: loops count"), "{shown}");
    assert!(!shown.contains("refused by"), "{shown}");
    let shown = set("verification_notes = 'The class assumes the bound.'");
    assert!(shown.contains("Verification: The class assumes the bound."), "{shown}");
    assert!(shown.contains("by the prover, refused by its owner"), "{shown}");
}

/// Whatever its row says of gaps.
#[test]
fn a_problem_that_is_settled_by_an_answer_with_a_gap_is_only_called_so() {
    for (status, code, expected) in [
        (
            "compiled_partial",
            "theorem rim (n : ℕ) : n < 9 ^ n := by sorry",
            "says target resolved, but",
        ),
        ("compiled_partial", "theorem rim (n : ℕ) : n < 9 ^ n := by simp", "Rim  (rim)  proven"),
        (
            "compiled_clean",
            "theorem rim (F : {F : ℕ // Thin F}) : Thin F.1 := F.2",
            "(rim)  called proven, but its answer does not prove it",
        ),
    ] {
        let env = with_rows(&format!(
            "INSERT INTO submissions (id, uuid, filename, problem_id, status, target_resolved) VALUES
             (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot6_rim.lean', 'rim', '{status}', 1);"
        ));
        env.write("submissions/slot6_rim_result.lean", answer(6, code));
        env.mk(EXTRACT).success();
        env.mk(IMPORT).success();
        let shown = env.mk(&["find", "rim"]).success();
        assert!(shown.contains(expected), "{shown}");
    }
}

/// A refusal that says what the file shows.
#[test]
fn a_refused_triviality_is_no_contradiction() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, verified, notes) VALUES
         (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot6_rim.lean', 'rim', 'completed', 0,
         'It assumes the bound.');",
    );
    let code = "theorem rim_bound (n : ℕ) (h : n < 9 ^ n) : n < 9 ^ n := h";
    env.write("submissions/slot6_rim_result.lean", answer(6, code));
    env.mk(IMPORT).success();
    env.mk(EXTRACT).success();
    let shown = env.mk(&["find", "slot6"]).success();
    assert!(shown.contains("Note: It assumes the bound."), "{shown}");
    assert!(shown.contains("proves only what it assumes"), "{shown}");
    assert!(!shown.contains("CONTRADICTIONS") && !shown.contains("against"), "{shown}");
}

#[test]
fn a_name_that_is_no_problem_finds_what_has_its_words() {
    let env = filled([IMPORT, EXTRACT]);
    let shown = env.mk(&["find", "span"]).success();
    assert!(
        shown.contains("No problem is called `span`; these findings have these words:"),
        "{shown}"
    );
    assert!(shown.contains("span_bound"), "{shown}");
    let shown = env.mk(&["find", "viaduct"]).success();
    assert!(shown.contains("No problem `viaduct` in the knowledge base."), "{shown}");
}

#[test]
fn a_status_and_a_range_of_slots_are_questions_too() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, completed_at) VALUES
         (6, NULL, 'outer_arch.lean', 'arc', 'likely_false', '2026-01-01 10:00:00'),
         (7, NULL, 'slot7_inner.lean', 'arc', 'timeout', '2026-01-01 10:00:00'),
         (8, NULL, 'slot7b_rim.lean', 'ring', 'failed', '2026-01-02 10:00:00');",
    );
    env.mk(IMPORT).success();
    for (words, expected) in [
        (&["search", "likely", "false"][..], "outer_arch: likely false"),
        (&["failed", "likely_false"], "outer_arch: likely false"),
        (&["search", "timeout"], "slot7: timeout"),
        (&["search", "slots 1 to 4"], "Slot 3: proven, 1 proved"),
        (&["find", "slot1-3"], "Slot 2: failed"),
        (&["find", "slot7b"], "Sent as: slot7b_rim.lean"),
    ] {
        let shown = env.mk(words).success();
        assert!(shown.contains(expected), "{words:?}: {shown}");
    }
    let shown = env.mk(&["find", "slot7b"]).success();
    assert!(!shown.contains("slot7_inner"), "{shown}");
}

#[test]
fn all_submissions_of_a_problem_are_counted() {
    let row = |at: usize| format!("({at}, NULL, 'part{at}.lean', 'arc', 'failed')");
    let rows: Vec<String> = (10..210).map(row).collect();
    let env = with_rows(&format!(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status) VALUES {};",
        rows.join(", ")
    ));
    env.mk(IMPORT).success();
    let shown = env.mk(&["find", "arc"]).success();
    assert!(shown.contains("SUBMISSIONS in tracking.db (200, the newest"), "{shown}");
}

#[test]
fn a_row_that_the_answer_contradicts_is_not_believed() {
    for order in [[EXTRACT, IMPORT], [IMPORT, EXTRACT]] {
        let env = filled(order);
        let pier = "SELECT confidence FROM findings WHERE theorem_name = 'pier_bound'
            AND finding_type = 'theorem'";
        assert_eq!(ask(&env, pier), ["low"]);
        let shown = env.mk(&["find", "bridges_nu4"]).success();
        assert!(shown.contains("CONTRADICTIONS") && shown.contains("slot3, 1 gap left"), "{shown}");
    }
}

#[test]
fn a_slot_of_which_nothing_came_back_says_what_it_is_about() {
    let env = project();
    env.mk(IMPORT).success();
    let shown = env.mk(&["find", "slot5"]).success();
    assert!(shown.contains("Problem: erdos_13\n  Sent as: slot5_trivial.txt"), "{shown}");
}

#[test]
fn a_slot_answers_with_its_owners_note() {
    let env = filled([IMPORT, EXTRACT]);
    for name in ["slot2", "slot 2", "SLOT_2"] {
        let shown = env.mk(&["find", name]).success();
        assert!(shown.contains("two feet on one pier"), "{name}: {shown}");
        let head = shown.split("---").next().unwrap();
        assert!(head.contains("tracking.db: failed"), "how it ended comes first: {shown}");
        assert!(!shown.contains("SUBMISSIONS"), "and once: {shown}");
    }
    let found: Value = env.mk(&["search", "--json", "why did slot 2 fail"]).json();
    let first = &found["hits"][0];
    assert_eq!(first["kind"], "failure", "{found}");
    let failed = env.mk(&["failed"]).success();
    let place = |words: &str| failed.find(words).unwrap_or_else(|| panic!("{words}: {failed}"));
    assert!(place("greedy rounding") < place("could not load it"));
}

#[test]
fn a_name_that_is_no_problem_answers_with_what_has_it() {
    let env = filled([IMPORT, EXTRACT]);
    let shown = env.mk(&["find", "span_bound"]).success();
    assert!(shown.contains("No problem is called `span_bound`"), "{shown}");
    assert!(shown.contains("[PROVEN] span_bound"), "{shown}");
    let found: Value = env.mk(&["find", "--json", "span_bound"]).json();
    assert_eq!(found["named"][0]["theorem_name"], "span_bound", "{found}");
    let whole = env.mk(&["show", "span_bound"]).success();
    assert!(whole.contains("[PROVEN] span_bound"), "{whole}");
    env.mk(&["show", "span_bounds"]).failure(1);
}

#[test]
fn a_problem_is_found_by_what_people_call_it() {
    let env = filled([IMPORT, EXTRACT]);
    for (said, expected) in [
        ("Erd\u{151}s Problem #13", "erdos_13"),
        ("problem 13", "erdos_13"),
        ("ep13", "erdos_13"),
        ("Bridges for \u{3bd} = 4", "bridges_nu4"),
        ("why did slot 2 fail", "slot2"),
    ] {
        let found = env.mk(&["find", "--json", said]).json();
        assert_eq!(found["problems"][0]["id"], expected, "{said}: {found}");
    }
    let span =
        ["--problem", "bridges_nu4", "--title", "linear_span", "--description", "It fails at 7."];
    env.mk(&[&["add", "false-lemma"], &span[..]].concat()).success();
    let asked = |words: &str| env.mk(&["search", "--json", words]).json();
    let found = asked("is Erdos 13 proven?");
    assert_eq!(found["problem"]["id"], "erdos_13", "where it stands is said first: {found}");
    for (words, kinds) in [
        ("what was refuted for bridges nu4", &["false_lemma"][..]),
        ("counterexample bridges nu4", &["false_lemma"][..]),
        ("disproved", &["false_lemma"]),
        ("why did slot 2 fail", &["failure", "false_lemma", "insight"]),
        ("what is proved about erdos 13", &["theorem"]),
        ("failed attempts on bridges nu4", &["failure"]),
    ] {
        let found = asked(words);
        let hits = found["hits"].as_array().unwrap();
        let fits = hits.iter().all(|hit| kinds.contains(&hit["kind"].as_str().unwrap()));
        assert!(fits && !hits.is_empty(), "{words}: {found}");
    }
    let found = asked("what became of slot 2?");
    let hits = found["hits"].as_array().unwrap();
    assert!(hits.len() == 2 && hits.iter().all(|hit| hit["problem"] == "bridges_nu4"), "{found}");
    assert_eq!(found["slot"]["slot"], 2, "{found}");
    let found = asked("what became of slot 999?");
    assert_eq!((&found["slot"]["state"], &found["total"]), (&"".into(), &0.into()), "{found}");
    let of_two = env.mk(&["find", "--json", "Erdos problem 13 and bridges nu4"]).json();
    let ids = |found: &Value| -> Vec<String> {
        let problems = found["problems"].as_array().unwrap().iter();
        problems.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&of_two), ["erdos_13", "bridges_nu4"], "each is answered");
}

#[test]
fn several_slots_are_told_in_a_line_each() {
    let env = filled([IMPORT, EXTRACT]);
    for question in [
        &["search", "which of slots 3, 4, 5 and 6 came back"][..],
        &["find", "slot3", "slot4", "slot5", "slot6"],
    ] {
        let said = env.mk(question).success();
        let slots: Vec<&str> = said.lines().filter(|line| line.starts_with("  Slot ")).collect();
        let expected = [
            "  Slot 3: proven, 1 proved, 0 gaps; bridges_nu4; its answer contradicts that (`mk find slot3`)",
            "  Slot 4: proven, 1 proved, 0 gaps; erdos_12 (`mk find slot4`)",
            "  Slot 5: proven, 1 proved, 0 gaps; erdos_13; what is proved is trivial or finite (`mk find slot5`)",
            "  Slot 6: not in tracking.db (`mk find slot6`)",
        ];
        assert_eq!(slots, expected, "{question:?}: {said}");
    }
}

/// More of a project than [`SCHEMA`] has.
fn with_rows(sql: &str) -> TestEnv {
    let env = project();
    let database = env.project().join("submissions/tracking.db");
    rusqlite::Connection::open(database).unwrap().execute_batch(sql).unwrap();
    env
}

#[test]
fn a_note_is_told_to_its_end_and_before_remarks() {
    let long = "Read by hand: the weights of the ring are not whole, and the bound that is used twice \
                fails for seven piers unless the ring is closed. Do not resubmit.";
    let env = with_rows(&format!(
        "INSERT INTO submissions (id, filename, problem_id, status, completed_at, notes) VALUES
         (6, 'slot6_ring.lean', 'ring', 'completed', '2026-01-01 10:00:00', '{long}'),
         (7, 'slot7_ring.lean', 'ring', 'cancelled', '2026-01-09 10:00:00', 'duplicate of 8'),
         (8, 'slot8_ring.lean', 'ring', 'cancelled', '2026-01-08 10:00:00', 'same as 6'),
         (9, 'slot9_ring.lean', 'ring', 'cancelled', '05/06/2026', 'same as 7');"
    ));
    let said = env.mk(&["import"]).success();
    assert!(said.contains("1 time could not be read: such a date counts as not known."), "{said}");
    for name in ["slot6", "ring"] {
        let said = env.mk(&["find", name]).success();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("unless the ring is closed. Do not resubmit."), "{said}");
        let remark = said.find("duplicate of 8").unwrap_or(said.len());
        assert!(said.find("Do not resubmit").unwrap() < remark, "{said}");
    }
}

#[test]
fn a_gap_that_another_slot_closed_is_told_with_its_proof() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count, completed_at) VALUES
         (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot6_ring.lean', 'ring', 'near_miss', 1, '2026-01-01 10:00:00'),
         (7, '0f8fad5b-d9cb-469f-a165-708677289507', 'slot7_ring.lean', 'ring', 'proven', 0, '2026-01-02 10:00:00');",
    );
    let ring = |proof: &str| format!("theorem ring_bound (n : ℕ) : n < 9 ^ n := by\n  {proof}");
    env.write("submissions/slot6_ring_result.lean", answer(6, &ring("sorry")));
    env.write("submissions/slot7_ring_result.lean", answer(7, &ring("simp")));
    env.mk(EXTRACT).success();
    let said = env.mk(&["find", "slot6"]).success();
    assert!(
        said.contains("ring_bound: left open here, proved by slot7")
            && !said.contains("Still open"),
        "{said}"
    );
    assert!(said.contains("File: submissions/slot6_ring_result.lean"), "{said}");
    for command in ["queue", "brief"] {
        let said = env.mk(&[command]).success();
        let told = ["ring_bound (proved by slot7)", "ring_bound, which slot7 proves"];
        assert!(told.iter().any(|told| said.contains(told)), "{said}");
    }
    // Its failure too, which a row without a count of gaps makes.
    let said = env.mk(&["failed", "ring"]).success();
    assert!(said.contains("A gap that it left is proved by #"), "{said}");
    let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "close the near miss slot6"});
    let told = env.mk_with_input(&["hook"], event.to_string()).success();
    assert!(told.contains("ring_bound closed by slot7"), "{told}");
    std::fs::remove_file(env.project().join("submissions/slot6_ring_result.lean")).unwrap();
    let said = env.mk(&["find", "slot6"]).success();
    assert!(said.contains("slot6_ring_result.lean (no longer there)"), "{said}");
}

/// What a gap is called says nothing: another slot proves, refutes or asks for it under a name of its own.
#[test]
fn a_gap_is_known_by_what_it_states() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count, proven_count, completed_at, notes)
         VALUES
         (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot006_ring.lean', 'ring', 'near_miss', 1, 9, '2026-01-01 10:00:00', NULL),
         (7, '0f8fad5b-d9cb-469f-a165-708677289507', 'slot007_ring.lean', 'ring', 'near_miss', 1, 8, '2026-01-02 10:00:00', NULL),
         (8, '0f8fad5b-d9cb-469f-a165-708677289508', 'slot008_ring.lean', 'ring', 'near_miss', 1, 7, '2026-01-02 10:00:00', NULL),
         (9, '0f8fad5b-d9cb-469f-a165-708677289509', 'slot009_ring.lean', 'ring', 'failed', 1, 0, '2026-01-02 10:00:00', 'given up');",
    );
    let ring = |name: &str, base: u32, proof: &str| {
        format!("theorem {name} (n : ℕ) : n < {base} ^ n := by\n  {proof}\n")
    };
    let refuted = format!(
        "/- Aristotle found this block to be false. Here is a proof of the negation:\n\n\
         {}    negate_state;\n    use 3\n-/\n{}",
        ring("other_wall", 8, ""),
        ring("other_wall", 8, "sorry")
    );
    for (slot, code) in [
        (6, ring("own_bound", 9, "sorry")),
        (7, ring("own_wall", 8, "sorry")),
        (8, ring("own_pier", 7, "sorry")),
        (9, ring("other_pier", 7, "sorry")),
    ] {
        env.write(&format!("submissions/slot00{slot}_ring_result.lean"), answer(slot, &code));
    }
    env.write("submissions/slot003_proof_result.lean", answer(3, &ring("other_bound", 9, "simp")));
    env.write("submissions/slot004_false_result.lean", answer(4, &refuted));
    env.mk(EXTRACT).success();
    for (slot, told) in [
        ("slot6", "own_bound: left open here, proved by slot3 as `other_bound`"),
        ("slot7", "Still open: own_wall (on record as false: `other_wall`)"),
        ("slot8", "own_pier: asked for by slot9 as `other_pier` too: failed"),
    ] {
        let said = env.mk(&["find", slot]).success();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(told) && said.contains("tracking.db: "), "{told}: {said}");
    }
    let queue = env.mk(&["queue"]).success();
    let (worth, rest) = queue.split_once("NOT WORTH CLOSING").unwrap();
    assert!(worth.contains("slot6") && worth.contains("(proved by slot3 as"), "{queue}");
    assert!(!worth.contains("slot7") && rest.contains("slot7"), "{queue}");
    assert!(!queue.contains("slot8"), "given up under another name: {queue}");
    let asked = env.mk(&["search", "other_pier"]).success();
    assert!(asked.contains("`other_pier` is open: slot9 (failed"), "{asked}");
}

#[test]
fn that_the_answer_is_no_is_no_failure() {
    let env = with_rows(
        "INSERT INTO submissions (id, filename, problem_id, status, completed_at, notes, target_resolved) VALUES
         (6, 'slot6_ring.lean', 'ring', 'disproven', '2026-01-01 10:00:00',
          'The answer is NO. Read line by line.', 1);",
    );
    env.mk(IMPORT).success();
    let said = env.mk(&["find", "ring"]).success();
    assert!(said.contains("Settled: slot6, 2026-01-01, The answer is NO."), "{said}");
    assert!(!said.contains("FAILED") && !said.contains("Failed: 1"), "{said}");
    assert!(!env.mk(&["failed", "ring"]).success().contains("answer is NO"));
}

#[test]
fn a_row_that_calls_false_what_the_answer_proves_is_contradicted() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, verified, completed_at) VALUES
         (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot6_ring.lean', 'ring', 'disproven', 0, '2026-01-01 10:00:00'),
         (7, '0f8fad5b-d9cb-469f-a165-708677289507', 'slot7_arc.lean', 'arc', 'disproven', 0, '2026-01-01 10:00:00');",
    );
    let code = "theorem ring_bound (n : ℕ) : n < 9 ^ n := by simp";
    env.write("submissions/slot6_ring_result.lean", answer(6, code));
    let code = "theorem arc_bound : ¬ ArcStatement := by simp";
    env.write("submissions/slot7_arc_result.lean", answer(7, code));
    env.mk(EXTRACT).success();
    let against = "tracking.db says disproven, but the prover's answer proves it without a gap";
    for question in [["find", "slot6"], ["find", "ring"], ["show", "ring_bound"]] {
        let said = env.mk(&question).success();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(against), "{question:?}: {said}");
    }
    assert!(!env.mk(&["find", "slot7"]).success().contains("tracking.db says"));
}

#[test]
fn a_problem_is_found_by_the_words_of_its_name() {
    let env = with_rows(
        "ALTER TABLE candidate_problems ADD COLUMN name TEXT;
         ALTER TABLE candidate_problems ADD COLUMN statement TEXT;
         INSERT INTO candidate_problems VALUES
         ('erdos_gyarfas', 'candidate', 'Erdős–Gyárfás conjecture', 'Contains a cycle whose length is a power of two.'),
         ('union_closed', 'candidate', 'Frankl''s union-closed sets conjecture', NULL);",
    );
    env.mk(IMPORT).success();
    for (words, expected) in [
        ("frankl", "union_closed"),
        ("Gyarfas conjecture", "erdos_gyarfas"),
        ("power of two cycles", "erdos_gyarfas"),
    ] {
        let found = env.mk(&["find", "--json", words]).json();
        assert_eq!(found["problems"][0]["id"], expected, "{words}: {found}");
        assert_eq!(found["problems"][1], Value::Null, "{words}");
    }
    assert!(env.mk(&["find", "conjecture"]).success().contains("No problem"));
    let said = env.mk(&["search", "is the Erdős–Gyárfás conjecture proven"]).success();
    assert!(said.contains("Erdős–Gyárfás conjecture: open (`mk find erdos_gyarfas`)"), "{said}");
}

#[test]
fn the_owners_notes_belong_to_the_slot_that_they_are_under() {
    let env = filled([IMPORT, EXTRACT]);
    let notes = "# Slots\n\n## slot2\nThe arch is wrong: the two feet share one pier.\n\
                 Do not retry without weights on the spokes.\n\n### Ideas\nDECISION: no more arches.\n\n\
                 ## Else\nDECISION: keep the old names.\n\n\
                 | slot | verdict | why |\n|--|--|--|\n| 3 | rejected | the pier assumes it |\n";
    env.write("notes/slots.md", notes);
    env.write("notes/slot3_NOTES.md", "- dead end: splitting by residues mod 30\n");
    let said = env.mk(&["extract", "notes/"]).stdout;
    assert!(said.contains("its 2 notes are read by name: `mk extract notes/*.md`"), "{said}");
    env.mk(&["extract", "notes/slots.md", "notes/slot3_NOTES.md"]).success();
    let proposed = "SELECT finding_type || ' ' || coalesce(source_slot, '-') || ' '
        || coalesce(problem_id, '-') || ' ' || description FROM findings WHERE status = 'proposed' ORDER BY id";
    assert_eq!(
        ask(&env, proposed),
        [
            "decision 2 bridges_nu4 The arch is wrong: the two feet share one pier.",
            "failure 2 bridges_nu4 Do not retry without weights on the spokes.",
            "decision 2 bridges_nu4 no more arches.",
            "decision - - keep the old names.",
            "failure 3 bridges_nu4 slot 3: rejected, the pier assumes it",
            "failure 3 bridges_nu4 splitting by residues mod 30",
        ]
    );
    for question in [
        ["find", "slot2"],
        ["search", "what did the owner note on slot 2"],
        ["find", "bridges_nu4"],
        ["search", "spokes weights"],
        ["failed", "spokes"],
    ] {
        let said = env.mk(&question).success();
        let note = "Noted, waits for your word (`mk review`): Do not retry without weights";
        assert!(said.contains(note), "{said}");
    }
}

/// What a person agrees to in the client's dialog; what is said of it.
fn agreed(env: &TestEnv, command: &str) -> String {
    let asked = hook(env, "PreToolUse", command, command);
    assert_eq!(asked["permissionDecision"], "ask", "{command}: {asked}");
    let done = hook(env, "PostToolUse", command, command);
    done["additionalContext"].as_str().unwrap_or_default().to_owned()
}

fn status(env: &TestEnv, problem: &str) -> String {
    let found = env.mk(&["find", "--json", problem]).json();
    let problems = found["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 1, "{problem}: {found}");
    problems[0]["problem"]["status"].as_str().unwrap_or("no record").to_owned()
}

#[test]
fn a_person_says_where_a_problem_stands() {
    let env = filled([EXTRACT, IMPORT]);
    let before = status(&env, "erdos_13");
    assert_ne!(before, "proven");
    for refused in [
        "mk problem resolve nobody",
        "mk problem resolve erdos_13 | cat",
        "mk problem alias erdos_13 Erdos-13",
    ] {
        let answer = hook(&env, "PreToolUse", "t0", refused);
        assert_eq!(answer["permissionDecision"], "deny", "{refused}: {answer}");
    }
    let said = agreed(&env, "mk problem resolve erdos-13 --reason 'a proof in print'");
    assert!(said.contains("problem erdos_13") && said.contains("is proven"), "{said}");
    assert_eq!(status(&env, "erdos 13"), "proven");
    for step in [IMPORT, EXTRACT] {
        env.mk(step).json();
        assert_eq!(status(&env, "erdos_13"), "proven");
    }
    let shown = env.mk(&["problem", "erdos_13"]).success();
    assert!(shown.contains("by a person") && shown.contains("a proof in print"), "{shown}");
    // Nothing but the person's word makes it proven.
    agreed(&env, "mk problem resolve erdos_13 --remove");
    assert_eq!(status(&env, "erdos_13"), before);
}

#[test]
fn another_name_is_the_same_problem() {
    let count = |env: &TestEnv, problem: &str| {
        let found = env.mk(&["find", "--json", problem]).json();
        found["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["findings"].as_array().unwrap().len())
            .sum::<usize>()
    };
    let env = filled([EXTRACT, IMPORT]);
    env.mk(&["add", "insight", "--title", "about thirteen", "--problem", "no-13"]).success();
    let (both, before) = (count(&env, "erdos_13") + count(&env, "no_13"), count(&env, "erdos_13"));
    assert!(both > before && before > 0);
    let said = agreed(&env, "mk problem alias erdos_13 No-13");
    assert!(said.contains("no_13 (findings: 1) is another name of problem erdos_13"), "{said}");
    for name in ["no13", "No 13", "erdos-13"] {
        assert_eq!(count(&env, name), both, "{name}");
    }
    // A file that names the problem so is one of its files.
    env.write(
        "submissions/slot77_no13_idea_result.lean",
        answer(7, "theorem thirteen : 13 = 6 + 7 := by norm_num"),
    );
    env.mk(EXTRACT).json();
    let of = "SELECT problem_id FROM findings WHERE theorem_name = 'thirteen'";
    assert_eq!(ask(&env, of), ["erdos_13"]);
    let hits = env.mk(&["search", "--json", "thirteen", "--problem", "no13"]).json();
    assert_eq!(hits["hits"].as_array().unwrap().len(), 2, "{hits}");
    agreed(&env, "mk problem alias erdos_13 no_13 --remove");
    assert_eq!(count(&env, "no_13"), 1);
}

#[test]
fn a_slot_says_whether_its_answer_proves_what_was_asked() {
    let env = project();
    let asked = "theorem same (n : ℕ) : n < 2 ^ n := by sorry\n\n\
                 theorem weaker (n : ℕ) : n ^ 2 < 3 ^ n := by sorry\n\n\
                 theorem absent (n : ℕ) : n < 7 ^ n := by sorry\n\n\
                 theorem leaning (n : ℕ) : n < 9 ^ n := by sorry\n\n\
                 theorem open_still (n : ℕ) : n < 8 ^ n := by sorry\n";
    env.write("submissions/slot8_asked.lean", asked);
    let answered = "theorem same (k : ℕ) :\n    k < 2 ^ k := by simp\n\n\
                    theorem weaker (n : ℕ) (h : 5 < n) : n ^ 2 < 3 ^ n := by simp\n\n\
                    theorem not_absent : ¬ ∀ n : ℕ, n < 7 ^ n := by simp\n\n\
                    theorem open_still (n : ℕ) : n < 8 ^ n := by sorry\n\n\
                    theorem leaning (n : ℕ) : n < 9 ^ n := by\n  have := open_still n\n  omega\n";
    env.write("submissions/slot8_asked_result.lean", answer(8, answered));
    env.mk(EXTRACT).success();
    let said = env.mk(&["find", "slot8"]).success();
    for line in [
        "same: proved as in the sketch, but in an incomplete file",
        "leaning: as in the sketch, but not proved: it rests on a gap of",
        "weaker: stated differently in the answer and in the sketch: `mk diff",
        "absent: asked for by the sketch, and proved by no answer",
        "Still open: open_still",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    assert!(!said.contains("open_still: "), "{said}");
    let open = env.mk(&["show", "open_still"]).failure(1);
    assert!(open.contains("`open_still` is left open in submissions/slot8_asked"), "{open}");
}

#[test]
fn a_problem_whose_answer_did_not_load_is_not_called_proven() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count, completed_at, target_resolved)
         VALUES (9, '0f8fad5b-d9cb-469f-a165-708677289509', 'slot9_ring.lean', 'ring', 'proven', 0, '2026-01-02 10:00:00', 1);",
    );
    env.mk(&["import"]).success();
    assert!(env.mk(&["find", "ring"]).success().contains("(ring)  proven\n"));
    let settled = || {
        let brief = env.mk(&["brief", "--budget", "900"]).success();
        brief.lines().find(|line| line.starts_with("SETTLED: ")).unwrap_or_default().to_owned()
    };
    assert_eq!(settled(), "SETTLED: erdos_12, ring");
    let code = "/- Aristotle failed to load this code into its environment. Double check that the syntax is correct.\n\n\
                unknown identifier 'Ring'\n-/\ntheorem ring_main (n : ℕ) : n < 9 ^ n := by simp";
    env.write("submissions/slot9_ring_result.lean", answer(9, code));
    env.mk(EXTRACT).success();
    let said = env.mk(&["find", "ring"]).success();
    assert!(said.contains("(ring)  called proven, but its answer does not prove it\n"), "{said}");
    assert_eq!(settled(), "SETTLED: erdos_12");
}

/// What the submissions say of the files is not lost because nobody can read it just now.
#[test]
fn an_unreadable_tracking_database_changes_nothing() {
    let env = filled([EXTRACT, IMPORT]);
    let before = known(&env);
    let database = env.project().join("submissions/tracking.db");
    let refused = |what: &str| {
        let run = env.mk(EXTRACT);
        assert_eq!(run.code, 1, "{what}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(what), "{}", run.stderr);
        assert!(run.stderr.contains("no result was read, and nothing was changed"), "{what}");
        assert_eq!(known(&env), before, "{what}");
    };
    let writer = rusqlite::Connection::open(&database).unwrap();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    refused("is locked by another process");
    drop(writer);
    std::fs::rename(&database, env.home().join("kept.db")).unwrap();
    std::fs::write(&database, "no database, but long enough to look like one to somebody").unwrap();
    refused("is not an SQLite database");
    std::fs::rename(env.home().join("kept.db"), &database).unwrap();
    env.mk(EXTRACT).json();
    assert_eq!(known(&env), before);
}

#[test]
fn a_file_that_states_another_request_is_not_about_the_problem_of_its_slot() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count, completed_at) VALUES
         (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot6_inner.lean', 'ring', 'completed', 4, '2026-01-01 10:00:00'),
         (7, NULL, 'slot7_inner.lean', 'arc', 'completed', 4, '2026-01-01 10:00:00');",
    );
    let bound = |name| format!("theorem {name} (n : ℕ) : n < 9 ^ n := by simp");
    env.write("submissions/slot6_fringe_result.lean", answer(8, &bound("fringe_bound")));
    env.write("submissions/slot7_fringe_result.lean", answer(9, &bound("arc_bound")));
    env.mk(EXTRACT).success();
    env.mk(IMPORT).success();
    let problems = "SELECT concat_ws(' ', theorem_name, problem_id) FROM findings
        WHERE theorem_name IN ('fringe_bound', 'arc_bound') ORDER BY 1";
    // The row that names no request may be the one that the file answers.
    assert_eq!(ask(&env, problems), ["arc_bound arc", "fringe_bound"]);
    let statuses =
        "SELECT id || ' ' || status FROM problems WHERE id IN ('ring', 'arc') ORDER BY 1";
    assert_eq!(ask(&env, statuses), ["arc partial", "ring open"]);
}

/// The answer decides where it was read, and so does who refused it.
#[test]
fn what_its_answer_does_not_prove_counts_as_no_proof() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count, proven_count, completed_at) VALUES
         (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot6_ring.lean', 'circle', 'completed', 0, 2, '2026-01-01 10:00:00'),
         (7, '0f8fad5b-d9cb-469f-a165-708677289507', 'slot7_ring.lean', 'circle', 'completed', 0, 2, '2026-01-01 10:00:00');
         UPDATE submissions SET verified = 0 WHERE id = 7;",
    );
    let code = "/- Aristotle failed to load this code into its environment.\n\nUnknown identifier `Ring`-/\n\
                theorem ring_bound (n : ℕ) : n < 2 ^ n := by simp";
    env.write("submissions/slot6_ring_result.lean", answer(6, code));
    for order in [[EXTRACT, IMPORT], [IMPORT, EXTRACT]] {
        std::fs::remove_file(env.database()).ok();
        for step in order {
            env.mk(step).success();
        }
        let problem = env.mk(&["find", "circle", "--json"]).json()["problems"][0].clone();
        assert_eq!(problem["problem"]["proven_count"], 0, "{problem}");
        let strategies = problem["strategies"].as_array().unwrap();
        assert!(!strategies.is_empty());
        for strategy in strategies {
            let learned = strategy["learned"].as_str().unwrap();
            assert_eq!(strategy["outcome"], "failed", "{strategy}");
            assert!(!learned.starts_with("proved") && !learned.contains("1 proved"), "{strategy}");
        }
    }
    let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "what of slot6?"});
    let told = env.mk_with_input(&["hook"], event.to_string()).success();
    let (failed, ended) = (told.find("failed: "), told.find("ended as"));
    assert!(failed.is_some() && failed < ended, "{told}");
}

/// A slot that came back open, a sketch without an answer, and one statement that is proved and false.
#[test]
fn what_is_open_or_in_doubt_is_said() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count, completed_at) VALUES
         (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot6_ring.lean', 'ring', 'completed', 2, '2026-01-01 10:00:00'),
         (9, '0f8fad5b-d9cb-469f-a165-708677289509', 'slot9_arc.lean', 'bridges_nu4', 'submitted', NULL, NULL);",
    );
    let step = "lemma step_one (n : ℕ) (h : 2 < n) : 4 < n * n := by\n  nlinarith\n";
    let ring = "theorem ring_bound (n : ℕ) : n < 23 ^ n := by\n  sorry\n";
    env.write("submissions/slot6_ring.lean", format!("import Mathlib\n\n{step}\n{ring}"));
    let open = step.replace("nlinarith", "sorry");
    env.write("submissions/slot6_ring_result.lean", answer(6, &format!("{open}\n{ring}")));
    env.write("submissions/slot8_hub.lean", ring.replace("ring_bound", "hub_bound"));
    let key = "lemma key_bound (n : ℕ) (h : 3 ≤ n) : n * n ≤ 2 ^ n";
    env.write(
        "submissions/slot10_key_result.lean",
        answer(
            0,
            &format!(
                "/- Aristotle found this block to be false. Here is a proof of the negation:\n\n{key} := by\n    \
                 negate_state;\n    -- Proof of the negation starts here:\n    exact ⟨3, by decide⟩\n-/\n{key} := by\n  sorry"
            ),
        ),
    );
    env.write("submissions/slot11_key_result.lean", answer(1, &format!("{key} := by\n  simp")));
    env.mk(EXTRACT).success();
    env.mk(IMPORT).success();
    let said = env.mk(&["find", "slot6"]).success();
    assert!(said.contains("Still open: ring_bound, step_one"), "{said}");
    assert!(!said.contains("[CLAIMED] step_one"), "{said}");
    let said = env.mk(&["find", "slot8"]).success();
    assert!(said.contains("Open in the sketch, no answer yet: hub_bound"), "{said}");
    for question in [["search", "key_bound"], ["failed", "key_bound"], ["find", "slot10"]] {
        let said = env.mk(&question).success();
        assert!(said.contains("the same statement is proved: one of them is wrong"), "{said}");
    }
    // What is proved of a problem does not hide that the prover works on it.
    let said = env.mk(&["find", "bridges_nu4"]).success();
    assert!(said.contains("partial results; 1 in flight"), "{said}");
    let listed = env.mk(&["problem", "--status", "in-flight", "--json"]).json();
    let listed = listed["problems"].as_array().unwrap();
    assert!(listed.iter().any(|one| one["id"] == "bridges_nu4"), "{listed:?}");
    assert!(env.mk(&["find", "slot9"]).success().contains("in flight (submitted)"));
}

/// What was read was fetched.
#[test]
fn a_result_whose_answer_was_read_is_not_to_be_fetched() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count, completed_at) VALUES
         (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot6_ring.lean', 'ring', 'completed', 2,
          strftime('%Y-%m-%d %H:%M:%S', 'now', '-1 hour'));",
    );
    let brief = || env.mk(&["brief"]).success();
    assert!(brief().contains("READY TO FETCH: slot6"), "{}", brief());
    env.write(
        "submissions/slot6_ring_result.lean",
        answer(6, "theorem ring_bound (n : ℕ) : n < 2 ^ n := by simp"),
    );
    env.mk(EXTRACT).success();
    assert!(!brief().contains("READY TO FETCH"), "{}", brief());
    assert_eq!(env.mk(&["queue", "--json"]).json()["tracking"]["ready"], json!([]));
}

#[test]
fn techniques_are_told_of_a_problem() {
    let env = filled([EXTRACT, IMPORT]);
    let said = env.mk(&["strategies", "erdos-12"]).success();
    assert!(said.contains("Techniques of proved theorems about erdos_12"), "{said}");
    let said = env.mk(&["strategies", "Erdős", "problem", "12"]).success();
    assert!(said.contains("Techniques of proved theorems about erdos_12"), "{said}");
    let none = env.mk(&["strategies", "lattice"]).success();
    assert!(none.contains("No technique of a proved theorem about lattice yet"), "{none}");
}

#[test]
fn the_best_results_of_a_problem_come_first() {
    let env = project();
    let code = "/-- A partial result on the way. -/\nlemma way_step (n : ℕ) : n < 3 ^ n := by simp\n\n\
                theorem erdos_77_bound (n : ℕ) : n < 2 ^ n := by simpa using way_step n";
    env.write("submissions/erdos_77_way_result.lean", answer(7, code));
    env.mk(EXTRACT).success();
    let found = env.mk(&["search", "best partial result on erdos 77"]).success();
    let [best, step] = ["erdos_77_bound", "way_step"].map(|name| found.find(name));
    assert!(best.is_some() && (step.is_none() || best < step), "{found}");
    // A question about the work is answered by a command, not by what has some of its words.
    let asked = env.mk(&["search", "which results came back since last week"]).success();
    let is_told = asked.contains("`mk queue`") && asked.contains("Nothing found");
    assert!(is_told && !asked.contains("[PROVEN]"), "{asked}");
}

#[test]
fn what_a_later_answer_proves_is_no_near_miss() {
    let env = filled([EXTRACT, IMPORT]);
    let database = env.project().join("submissions/tracking.db");
    let rows = "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count, proven_count) VALUES
         (71, '0f8fad5b-d9cb-469f-a165-708677289507', 'slot71_crane.lean', 'crane', 'near_miss', 1, 6),
         (72, '0f8fad5b-d9cb-469f-a165-708677289508', 'slot72_heron.lean', 'heron', 'near_miss', 1, 6);";
    rusqlite::Connection::open(database).unwrap().execute_batch(rows).unwrap();
    let gap = "theorem crane_gap (n : ℕ) : n < 5 ^ n := by";
    env.write("submissions/slot71_crane_result.lean", answer(7, &format!("{gap} sorry")));
    // Its row counts one gap.
    let two = "theorem heron_a (n : ℕ) : n < 6 ^ n := by sorry\ntheorem heron_b (n : ℕ) : n < 9 ^ n := by sorry";
    env.write("submissions/slot72_heron_result.lean", answer(8, two));
    for step in [IMPORT, EXTRACT] {
        env.mk(step).success();
    }
    let queue = || env.mk(&["queue"]).success();
    assert!(
        queue().contains("slot71 (crane): open: crane_gap") && !queue().contains("heron_a"),
        "{}",
        queue()
    );
    let prompt = env.mk(&["find", "crane"]).success();
    assert!(prompt.contains("Near miss: slot71, 6 proved, open: crane_gap"), "{prompt}");
    let later = answer(9, &format!("{gap} simp"));
    env.write("submissions/slot71_crane_v2_result.lean", later);
    env.mk(EXTRACT).success();
    assert!(!queue().contains("crane_gap"), "{}", queue());
    let found = env.mk(&["find", "slot71"]).success();
    assert!(found.contains("crane_gap: left open by one answer, proved by another"), "{found}");
}

#[test]
fn words_that_are_nowhere_are_told_with_the_nearest() {
    let env = filled([IMPORT, EXTRACT]);
    for (question, told) in [
        (["find", "brigdes_nx4"], "mk find bridges_nu4"),
        (["find", "bridges_nu5"], "mk find bridges_nu4"),
        (["search", "brigdes"], "mk search bridges"),
    ] {
        let said = env.mk(&question).success();
        assert!(said.contains(&format!("Do you mean `{told}`?")), "{question:?}: {said}");
    }
    let said = env.mk(&["search", "bridges"]).success();
    assert!(!said.contains("Do you mean"), "{said}");
}

#[test]
fn a_row_under_the_wrong_problem_follows_its_note() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count, completed_at, notes, frontier_id)
         VALUES
         (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot6_tide.lean', 'erdos_12', 'compiled_advance', 0,
          '2026-01-08 10:00:00', 'wrong id in this row: this is harbour_walls, not 12', NULL),
         (7, NULL, 'slot7_pier.lean', 'harbour_walls', 'failed', 1, '2026-01-09 10:00:00', 'timed out', 'harbour'),
         (8, NULL, 'slot8_erdos.lean', 'erdos_12', 'failed', 1, '2026-01-09 10:00:00', NULL, 'erdos'),
         (9, NULL, 'slot9_quay.lean', 'erdos_12', 'failed', 1, '2026-01-09 10:00:00',
          'problem column is wrong, this one belongs to quays', NULL),
         (10, NULL, 'slot10_quay.lean', 'quays', 'failed', 1, '2026-01-09 10:00:00', NULL, NULL),
         (11, NULL, 'slot11_hw.lean', 'HW', 'near_miss', 1, '2026-01-09 10:00:00', 'Budget gone.', 'harbour_walls');",
    );
    env.write(
        "submissions/slot6_tide_result.lean",
        answer(6, "theorem tide (n : ℕ) : n < 11 ^ n := by simp"),
    );
    env.mk(EXTRACT).success();
    env.mk(IMPORT).success();
    let of = "SELECT problem_id FROM findings WHERE theorem_name = 'tide'";
    assert_eq!(ask(&env, of), ["harbour_walls"]);
    // Its frontier is another name of it, but no name that other problems begin with.
    for (name, expected) in [
        ("harbour", "harbour_walls"),
        ("HW", "harbour_walls"),
        ("erdos", "several problems"),
        ("erdos_12", "erdos_12"),
    ] {
        let found = env.mk(&["find", name, "--json"]).json();
        let found = found["problems"].as_array().unwrap();
        let id = if let [one] = found.as_slice() { one["id"].as_str() } else { None };
        assert_eq!(id.unwrap_or("several problems"), expected, "{name}");
    }
    let slots = |name: &str| {
        let found = env.mk(&["find", name, "--json"]).json();
        let rows = found["submissions"].as_array().unwrap().clone();
        let mut slots: Vec<i64> = rows.iter().filter_map(|row| row["slot"].as_i64()).collect();
        slots.sort_unstable();
        slots
    };
    assert_eq!(slots("quays"), [9, 10]);
    assert_eq!(slots("harbour_walls"), [6, 7, 11]);
    // Its note gives it up.
    assert!(!env.mk(&["queue"]).success().contains("slot11"));
}

#[test]
fn a_problem_says_what_waits_and_what_refutes_it() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count, completed_at, output_file)
         VALUES
         (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot6_ring.lean', 'ring', 'completed', 0,
          strftime('%Y-%m-%d %H:%M:%S', 'now', '-1 hour'), NULL),
         (7, '0f8fad5b-d9cb-469f-a165-708677289507', 'slot7_crane.lean', 'crane', 'disproven', 1,
          '2026-01-09 10:00:00', NULL),
         (8, '0f8fad5b-d9cb-469f-a165-708677289508', 'loose.lean', NULL, 'compiled_clean', 0,
          '2026-01-09 10:00:00', 'submissions/ring/slot8_loose_result.lean'),
         (9, '0f8fad5b-d9cb-469f-a165-708677289509', 'slot9_mast.lean', 'mast', 'disproven', 1,
          '2026-01-09 10:00:00', NULL),
         (10, '0f8fad5b-d9cb-469f-a165-708677289500', 'slot10_ring.lean', 'ring', 'disproven', 1,
          '2026-01-09 10:00:00', NULL);",
    );
    let refuted = "lemma above (n : ℕ) : n < n + 1 := by omega\n\
                   /- Aristotle found this block to be false. Here is a proof of the negation:\n\n\
                   theorem short (n : ℕ) : n ^ 2 < 7 := by\n    negate_state;\n    use 3\n-/\n\
                   theorem short (n : ℕ) : n ^ 2 < 7 := by\n  sorry";
    for (id, name) in [(9, "slot9_mast"), (0, "slot10_ring")] {
        env.write(&format!("submissions/{name}_result.lean"), answer(id, refuted));
    }
    env.write(
        "submissions/slot7_crane_result.lean",
        answer(
            7,
            "/- Aristotle found this block to be false. Here is a proof of the negation:\n\n\
             theorem crane (n : ℕ) : n ^ 2 < 5 := by\n    negate_state;\n    \
             -- Proof of the negation starts here:\n    exact ⟨3, by decide⟩\n-/\n\
             theorem crane (n : ℕ) : n ^ 2 < 5 := by\n  sorry",
        ),
    );
    env.write(
        "submissions/ring/slot8_loose_result.lean",
        answer(8, "theorem ring_loose (n : ℕ) : n < 12 ^ n := by simp"),
    );
    env.mk(EXTRACT).success();
    env.mk(IMPORT).success();
    let ring = env.mk(&["find", "ring"]).success();
    assert!(ring.contains("(ring)  open, partial results; ready to fetch: slot6"), "{ring}");
    assert!(ring.contains("loose "), "the row that names neither is joined by its answer: {ring}");
    assert!(env.mk(&["find", "slot6"]).success().contains("Ready to fetch: slot6"));
    // What its row asks for is refuted under another name: it may be a step on the way.
    let mast = env.mk(&["find", "mast"]).success();
    assert!(mast.contains("(mast)  open") && !mast.contains("is refuted"), "{mast}");
    for asked in [["problem", "crane"], ["find", "crane"]] {
        let said = env.mk(&asked).success();
        assert!(said.contains("open, but its statement is refuted"), "{asked:?}: {said}");
    }
    assert_eq!(
        env.mk(&["find", "crane", "--json"]).json()["problems"][0]["problem"]["status"],
        "open"
    );
}

#[test]
fn another_name_brings_its_counts() {
    let env = filled([EXTRACT, IMPORT]);
    let tried = |problem: &str| {
        let found = env.mk(&["find", problem, "--json"]).json();
        found["problems"][0]["problem"]["submission_count"].as_i64().unwrap()
    };
    let open = |env: &TestEnv| env.mk(&["stats", "--json"]).json()["problems"].clone();
    let (both, before) = (tried("erdos_12") + tried("erdos_13"), open(&env));
    agreed(&env, "mk problem alias erdos_12 erdos_13");
    assert_eq!(tried("erdos_12"), both);
    assert_ne!(open(&env), before, "a problem is counted once");
    env.mk(IMPORT).success();
    assert_eq!(tried("erdos_12"), both, "the import counts them once");
}

#[test]
fn names_of_files_are_searched_where_nothing_came_back() {
    let env = with_rows(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, submitted_at) VALUES
         (6, '0f8fad5b-d9cb-469f-a165-708677289506', 'slot6_lindstrom_sums.lean', 'ring', 'running', '2026-01-09 10:00:00');",
    );
    env.mk(IMPORT).success();
    let said = env.mk(&["search", "lindstrom"]).success();
    assert!(said.contains("slot6: in flight (running) (slot6_lindstrom_sums.lean)"), "{said}");
}

#[test]
fn notes_are_placed_alike_before_and_after_an_import() {
    let note = "# Dead ends\n- Bridges nu4: the greedy rounding does not work, since the weights are not whole.\n";
    let proposed = |import_first: bool| {
        let env = project();
        env.write("notes/journal.md", note);
        let steps: [&[&str]; 2] = [IMPORT, &["extract", "notes/journal.md"]];
        for at in if import_first { [0, 1] } else { [1, 0] } {
            env.mk(steps[at]).success();
        }
        ask(
            &env,
            "SELECT coalesce(problem_id, '') || finding_type FROM findings WHERE status = 'proposed'",
        )
    };
    let first = proposed(true);
    assert!(first.iter().any(|one| one.starts_with("bridges_nu4")), "{first:?}");
    assert_eq!(proposed(false), first);
}

#[test]
fn what_a_prover_proved_meets_its_gap_in_a_namespace() {
    let env = project();
    let stated = "(n : ℕ) : n < 13 ^ n := by";
    let text = format!(
        "namespace Harbour\n\ntheorem tide_bound {stated}\n  sorry\n\ntheorem other_bound (n : ℕ) : n < 2 := by\n  sorry\n\nend Harbour\n"
    );
    env.write("Harbour/Base.lean", text);
    let proofs = format!(
        "theorem tide_bound {stated} simp\ntheorem other_bound (n : ℕ) : n < 3 ^ n := by simp"
    );
    env.write("submissions/slot9_tide_result.lean", answer(9, &proofs));
    env.mk(EXTRACT).success();
    let said = env.mk(&["next", "--json"]).json();
    let proved = |name: &str| {
        let gaps = said["gaps"].as_array().unwrap().iter();
        gaps.filter(|gap| gap["name"] == name).map(|gap| gap["proved"].clone()).next()
    };
    assert_eq!(proved("Harbour.tide_bound"), Some(json!("slot9")), "{said}");
    assert_eq!(
        proved("Harbour.other_bound"),
        Some(Value::Null),
        "it states something else: {said}"
    );
}
