//! `mk extract` and `mk capture`: from result files to knowledge.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::env::{TestEnv, shared_data};

const TRIPLES: &str = "slot614_erdos_850_prime_factor_triples_result.lean";
const GREEDY: &str = "slot72_sidon_greedy_bound_result.lean";
const BRIDGE: &str = "slot148_tuza_nu4_bridge_cover_result.lean";
const KUREPA: &str = "slot203_kurepa_left_factorial_aristotle.lean";

fn fixture(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/results");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// A project that is set up for Lean and holds the four results, and whose owner lists the problems.
fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
    fs::create_dir(env.project().join(".git")).unwrap();
    for name in [TRIPLES, GREEDY, BRIDGE, KUREPA] {
        env.write(&format!("submissions/{name}"), fixture(name));
    }
    tracking(
        &env,
        "CREATE TABLE candidate_problems (id TEXT PRIMARY KEY);
         INSERT INTO candidate_problems VALUES ('sidon'), ('tuza_nu4'), ('kurepa'), ('collatz');",
    );
    env
}

fn tracking(env: &TestEnv, sql: &str) {
    let database = env.project().join("submissions/tracking.db");
    rusqlite::Connection::open(database).unwrap().execute_batch(sql).unwrap();
}

fn counts(report: &Value) -> [u64; 5] {
    ["inserted", "updated", "unchanged", "removed", "skipped"]
        .map(|what| report[what].as_u64().unwrap_or_else(|| panic!("{what} is no number")))
}

/// One column of a query on the knowledge database.
fn ask(env: &TestEnv, sql: &str) -> Vec<String> {
    let database = rusqlite::Connection::open(env.database()).unwrap();
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
    rows.map(|row| row.unwrap().unwrap_or_default()).collect()
}

fn reasons(report: &Value) -> Vec<String> {
    let problems = report["problems"].as_array().unwrap();
    problems.iter().map(|problem| problem["reason"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn results_become_knowledge_once() {
    let env = project();
    let first = env.mk(&["extract", "--json", "submissions"]).json();
    assert_eq!(counts(&first), [20, 0, 0, 0, 0]);
    assert_eq!(first["by_kind"]["theorem"]["inserted"], 8);
    assert_eq!(first["by_kind"]["false_lemma"]["inserted"], 2);
    assert_eq!(first["files"].as_array().unwrap().len(), 4);
    let triples = &first["files"][2];
    assert_eq!(triples["path"], format!("submissions/{TRIPLES}"));
    assert_eq!(triples["slot"], 614);
    assert_eq!(triples["problem"], "erdos_850");
    let second = env.mk(&["extract", "--json", "submissions"]).json();
    assert_eq!(counts(&second), [0, 0, 20, 0, 0]);
    assert_eq!(
        ask(&env, "SELECT id || ' ' || status || ' ' || submission_count FROM problems ORDER BY 1"),
        ["erdos_850 partial 1", "kurepa open 1", "sidon partial 1", "tuza_nu4 open 1"]
    );
    assert_eq!(
        ask(&env, "SELECT title FROM v_near_miss_findings ORDER BY 1"),
        ["pair_sums_card (lemma)", "sums_le_two_max (lemma)"]
    );
    assert_eq!(
        ask(&env, "SELECT outcome || ' ' || approach_name FROM strategies ORDER BY problem_id"),
        [
            "partial prime factor triples",
            "failed left factorial",
            "partial greedy bound",
            "failed bridge cover"
        ]
    );
}

#[test]
fn a_changed_file_replaces_what_came_from_it() {
    let env = project();
    env.mk(&["extract", "submissions"]).success();
    let changed = fixture(GREEDY).replace("lemma sums_le_two_max", "lemma sums_le_twice_max");
    let changed = changed
        .replace("  have := pair_sums_card A hA\n  sorry", "  nlinarith [pair_sums_card A hA]");
    let path = env.write(&format!("submissions/{GREEDY}"), changed);
    let report = env.mk(&["extract", "--json", &path.to_string_lossy()]).json();
    let [inserted, updated, _, removed, _] = counts(&report);
    assert_eq!((inserted, removed), (3, 1), "two theorems and a technique are new: {report}");
    assert!(updated >= 1, "pair_sums_card is verified now");
    assert_eq!(
        ask(
            &env,
            "SELECT theorem_name || ' ' || confidence FROM findings WHERE source_slot = 72 AND theorem_name <> '' ORDER BY 1"
        ),
        ["greedy_bound verified", "pair_sums_card verified", "sums_le_twice_max verified"]
    );
    let moved = env.project().join("kept").join(GREEDY);
    fs::create_dir(moved.parent().unwrap()).unwrap();
    fs::rename(&path, &moved).unwrap();
    let report = env.mk(&["extract", "--json", &moved.to_string_lossy()]).json();
    assert_eq!(
        report["inserted"], 0,
        "the prover's uuid tells that it is the same result: {report}"
    );
    assert_eq!(
        ask(&env, "SELECT DISTINCT source_file FROM findings WHERE source_slot = 72"),
        [format!("kept/{GREEDY}")]
    );
}

#[test]
fn bad_input_is_named_and_costs_nothing_else() {
    let env = project();
    let good = env.write("good.lean", "theorem a : 1 + 1 = 2 := by norm_num\n");
    env.write("empty.lean", "");
    env.write("random.lean", [0x7f, 0x00, 0xff, 0x13].repeat(300));
    env.write("latin.lean", [0xe4, 0xf6, 0xfc, b'\n'].repeat(300));
    env.write("image.png", "x");
    env.write("packed.zip.lean", b"PK\x03\x04....");
    fs::File::create(env.project().join("huge.lean")).unwrap().set_len(100 << 20).unwrap();
    fs::create_dir_all(env.project().join("folder.lean")).unwrap();
    assert_cmd::Command::new("mkfifo").arg(env.project().join("pipe.lean")).assert().success();
    for (file, expected) in [
        ("missing.lean", "there is no such file"),
        ("random.lean", "is binary data, not a Lean file"),
        ("latin.lean", "is not text: most of it is not UTF-8"),
        ("none.md", "could not read `none.md`: No such file or directory (os error 2)"),
        ("image.png", "is neither a Lean file nor an archive (.lean, .tar.gz, .tgz, .tar)"),
        (
            "packed.zip.lean",
            "is an archive of a form that is not read: unpack it first, or give a .tar.gz",
        ),
        ("huge.lean", "has 100 MB or more, a result has at most 32 MB"),
        ("folder.lean", "has no Lean file and no archive"),
        ("pipe.lean", "is not a regular file (a pipe, a device or a socket)"),
        ("none*.lean", "no file matches this pattern"),
    ] {
        let output = env.mk(&["extract", "--json", file, &good.to_string_lossy()]);
        assert_eq!(output.code, 1, "{file}");
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(reasons(&report), [expected], "{file}");
        assert_eq!(report["files"].as_array().unwrap().len(), 1, "{file}");
    }
    let report = env.mk(&["extract", "--json", "empty.lean"]).json();
    assert_eq!(reasons(&report), ["holds no declaration: nothing to learn"]);
    let message = env.mk(&["extract", "--slot", "7"]).failure(2);
    assert!(message.contains("--slot and --problem-id need a file"), "{message}");
}

fn tar_gz(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&builder.into_inner().unwrap()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn archives_are_read_in_memory() {
    let env = project();
    let summary = "# Summary of changes for run 7d0c5f1e-3a92-4b68-9e17-5c2b8d4f6a01\n\nProved `nice_bound`.\n";
    let main = "import Mathlib\n\n/-- A nice bound. -/\ntheorem nice_bound (n : ℕ) : n < 2 ^ n := by\n  induction n <;> omega\n";
    let archive = tar_gz(&[
        ("out/RequestProject/Main.lean", main),
        ("out/.lake/packages/x/X.lean", "theorem no : True := trivial"),
        ("out/ARISTOTLE_SUMMARY_7d0c5f1e-3a92-4b68-9e17-5c2b8d4f6a01.md", summary),
    ]);
    env.write("in/slot88_collatz_growth.tar.gz", &archive);
    env.write("in/slot89_collatz_wrong_name.lean", &archive);
    let report = env.mk(&["extract", "--json", "in"]).json();
    assert_eq!(
        report["files"][0]["path"],
        "in/slot88_collatz_growth.tar.gz!out/RequestProject/Main.lean"
    );
    assert_eq!(report["files"][0]["slot"], 88);
    assert_eq!(report["files"][0]["problem"], "collatz");
    assert_eq!(reasons(&report), [""; 0]);
    let files = "SELECT count(*) || '' FROM finding_sources WHERE name = 'nice_bound'";
    assert_eq!(ask(&env, files), ["2"], "both copies are its sources");
    assert_eq!(
        ask(
            &env,
            "SELECT confidence || ' ' || evidence || ' ' || source_submission_uuid FROM findings WHERE theorem_name = 'nice_bound'"
        ),
        ["verified prover 7d0c5f1e-3a92-4b68-9e17-5c2b8d4f6a01"]
    );
    let again = env.mk(&["extract", "--json", "in"]).json();
    assert_eq!(counts(&again)[..2], [0, 0]);
}

#[test]
fn two_files_of_one_request_may_share_a_name() {
    let env = project();
    let header = "/-\nThis file was edited by Aristotle.\nThis project request had uuid: 7d0c5f1e-3a92-4b68-9e17-5c2b8d4f6a01\n-/\n";
    let one = format!("{header}theorem a : 1 = 1 := rfl\n");
    let other = format!("{header}theorem b : 2 = 2 := rfl\n");
    env.write("in/slot5_x_1.tar.gz", tar_gz(&[("A/Defs.lean", &one), ("B/Defs.lean", &other)]));
    for expected in [[2, 0], [0, 0]] {
        let report = env.mk(&["extract", "--json", "in"]).json();
        let theorems = &report["by_kind"]["theorem"];
        assert_eq!([&theorems["inserted"], &theorems["updated"]], expected, "{report}");
    }
}

#[test]
fn hundreds_of_files_at_once() {
    let env = project();
    for n in 0..300 {
        let text = format!("theorem bound_{n} (n : ℕ) : n ≤ n + {n} := by omega\n");
        env.write(&format!("many/slot{n}_erdos_{n}_result.lean"), text);
    }
    let report = env.mk(&["extract", "--json", "many"]).json();
    assert_eq!(report["by_kind"]["theorem"]["inserted"], 300);
    assert_eq!(report["by_kind"]["problem"]["inserted"], 300);
    let text = env.mk(&["extract", "many"]).success();
    assert_eq!(
        text,
        "300 results read: 0 new records, 0 updated, 600 unchanged, 0 removed; 0 left out\n"
    );
}

#[test]
fn new_results_are_captured() {
    let env = project();
    env.write("RequestProject/Main.lean", "theorem request : 1 = 1 := rfl\n");
    env.write("RequestProject/.lake/packages/x.lean", "theorem no : 1 = 1 := rfl\n");
    env.write("src/Own.lean", "theorem own : 1 = 1 := rfl\n");
    env.write("broken_result.lean", [0_u8, 1]);
    let first = env.mk(&["capture", "--json"]).json();
    assert_eq!((first["found"].as_u64(), first["known"].as_u64()), (Some(6), Some(0)));
    assert_eq!(
        ask(
            &env,
            "SELECT theorem_name FROM findings WHERE theorem_name IN ('own', 'no', 'request')"
        ),
        ["request"]
    );
    let failures = ask(&env, "SELECT failure FROM extracted_files WHERE failure IS NOT NULL");
    assert_eq!(failures, ["is binary data, not a Lean file"], "what failed is kept");
    let log = fs::read_to_string(env.home().join(".local/state/math-forge/mk.log")).unwrap();
    assert!(log.contains("capture: broken_result.lean: is binary data"), "{log}");
    let second = env.mk(&["capture", "--json"]).json();
    assert_eq!((second["known"].as_u64(), second["files"].as_array().unwrap().len()), (Some(6), 0));
    env.write("RequestProject/Main.lean", "theorem request_two : 1 = 1 := rfl\n");
    let third = env.mk(&["capture", "--json"]).json();
    assert_eq!((third["known"].as_u64(), third["removed"].as_u64()), (Some(5), Some(1)));
}

#[test]
fn one_capture_a_project_at_a_time() {
    let env = project();
    env.mk(&["capture"]).success();
    let folder = env.home().join(".local/state/math-forge/capture");
    let lock = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let held = fs::File::open(lock).unwrap();
    held.lock().unwrap();
    assert_eq!(env.mk(&["capture", "--json"]).json()["busy"], true);
    drop(held);
    let done = env.mk(&["capture", "--json"]).json();
    assert_eq!((done["found"].as_u64(), done["known"].as_u64()), (Some(4), Some(4)));
}

#[test]
fn real_files_are_read_and_stay() {
    let Some(data) = shared_data("extraction of real Lean files") else { return };
    let env = TestEnv::new();
    let folder = data.join("lean_gt/files").to_string_lossy().into_owned();
    let first = env.mk(&["extract", "--json", &folder]).json();
    assert_eq!(first["failed"], 0);
    assert!(first["inserted"].as_u64().unwrap() > 3_000, "{}", first["inserted"]);
    let second = env.mk(&["extract", "--json", &folder]).json();
    assert_eq!(counts(&second)[..2], [0, 0]);
    assert_eq!(second["removed"], 0);
}
