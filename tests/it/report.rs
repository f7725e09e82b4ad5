//! `mk next` and `mk report`: which gap unblocks most, and one page of where everything stands.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::env::TestEnv;

const BASIC: &str = "\
namespace Sums
lemma step (n : Nat) : n + 0 = n := by sorry
lemma bad (n : Nat) : n = n + 1 := by
  sorry
theorem main_bound (n : Nat) : n + 0 = n := step n
theorem erdos_850 (n : Nat) : n + 0 = n := main_bound n
theorem odd_one : 1 = 1 := bad 1
end Sums
";

fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write("lakefile.toml", "name = \"sums\"\n[[lean_lib]]\nname = \"Sums\"\n");
    env.write("Sums/Basic.lean", BASIC);
    env.write("results/slot1_result.lean", "theorem of_no_library : p := sorry\n");
    env
}

fn git(env: &TestEnv, arguments: &[&str]) {
    let mut command = env.tool("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
    command.env("GIT_AUTHOR_DATE", "2026-01-05T12:00:00Z");
    command.env("GIT_COMMITTER_DATE", "2026-01-05T12:00:00Z").assert().success();
}

fn add(env: &TestEnv, lines: &[&str]) {
    let file = env.write("../all.jsonl", lines.join("\n"));
    let added = env.mk(&["add", "--jsonl", file.to_str().unwrap()]);
    drop(added.success());
}

/// The page, without its style and script.
fn page(env: &TestEnv, arguments: &[&str]) -> String {
    let file = env.project().join("page.html");
    let made = env.mk(&[&["report", "-o", file.to_str().unwrap()][..], arguments].concat());
    assert_eq!((made.code, made.stderr.as_str()), (0, ""), "{}", made.stdout);
    let html = fs::read_to_string(file).unwrap();
    let (head, rest) = html.split_once("<style>").unwrap();
    let (_, rest) = rest.split_once("</style>").unwrap();
    let (body, _) = rest.rsplit_once("<script>").unwrap();
    format!("{head}{body}")
}

#[track_caller]
fn has(page: &str, words: &[&str]) {
    for word in words {
        assert!(page.contains(word), "no `{word}` in\n{page}");
    }
}

const FALSE: &str = r#"{"kind":"false_lemma","title":"bad is false","theorem_name":"Sums.bad","theorem_statement":"lemma bad (n : Nat) : n = n + 1","problem":"erdos_850","created_at":"2026-02-01 10:00:00","counterexample":"n = 0"}"#;

#[test]
fn the_gap_that_unblocks_most_comes_first_and_what_is_false_is_named() {
    let env = project();
    add(&env, &[FALSE]);
    let text = env.mk(&["next"]).stdout;
    has(
        &text,
        &["1. Sums.step", "2 theorems wait for it alone; no failed attempt on record; 1 line"],
    );
    has(&text, &["FALSE: not to be proved as they stand", "Sums.bad", "counterexample: n = 0"]);
    assert!(!text.contains("of_no_library"), "{text}");
    let json: Value = serde_json::from_str(&env.mk(&["next", "--json"]).stdout).unwrap();
    assert_eq!((&json["open"], &json["gaps"][0]["waiting"]), (&2.into(), &2.into()));
    assert_eq!(json["refuted"][0]["name"], "Sums.bad");
    env.write("Sums/Basic.lean", BASIC.replace("sorry", "trivial"));
    has(&env.mk(&["next"]).stdout, &["Nothing is open: 5 declarations in 1 Lean file."]);
}

#[test]
fn the_briefing_tells_what_background_work_found() {
    let env = project();
    add(&env, &[FALSE]);
    let told = |env: &TestEnv| env.mk(&["brief"]).stdout;
    assert!(!told(&env).contains("Close the gap"));
    env.mk(&["capture"]).success();
    has(&told(&env), &["1. Close the gap Sums.step: 2 theorems wait for it alone"]);
    env.write("Sums/Basic.lean", BASIC.replace("sorry", "trivial"));
    assert!(!told(&env).contains("Close the gap"), "it may be closed: {}", told(&env));
    env.mk(&["capture"]).success();
    assert!(!told(&env).contains("Close the gap"), "{}", told(&env));
}

#[test]
fn a_page_tells_all_and_nothing_from_outside_becomes_markup() {
    let env = project();
    git(&env, &["init", "-q"]);
    git(&env, &["add", "."]);
    git(&env, &["commit", "-qm", "first"]);
    let long = format!(
        r#"{{"kind":"theorem","title":"{0}","theorem_name":"{0}","problem":"kurepa"}}"#,
        "x".repeat(1 << 20)
    );
    let hostile = r#"{"kind":"failure","title":"<script>alert(1)</script></style>\u202Eback","why_failed":"</details><img src=x onerror=alert(2)>","problem":"erdos_850","created_at":"2026-03-01 10:00:00"}"#;
    add(&env, &[FALSE, hostile, &long]);
    let page = page(&env, &[]);
    has(&page, &["default-src 'none'", "Erdos 850", "1 refuted, 1 dead end", "Sums.step"]);
    has(
        &page,
        &["2 theorems wait for it alone", "False as they stand", "1 commit of the current branch"],
    );
    has(&page, &["Open gaps: 2 on 2026-01-05, 2 on 2026-01-05.", "Lean was not asked"]);
    for wrong in ["<script", "</style>", "<img", "\u{202e}"] {
        assert!(!page.contains(wrong), "{wrong}");
    }
    assert!(page.len() < 40_000, "{} bytes", page.len());
    // The story is in order of time.
    let (refuted, failed) = (page.find("2026-02-01").unwrap(), page.find("2026-03-01").unwrap());
    assert!(refuted < failed);
    let later = self::page(&env, &["--since", "2026-02-15"]);
    assert!(later.contains("2026-03-01") && !later.contains("2026-02-01"));
}

#[test]
fn it_lies_outside_of_the_project_and_says_where() {
    let env = project();
    let written: Value = serde_json::from_str(&env.mk(&["report", "--json"]).stdout).unwrap();
    let path = written["path"].as_str().unwrap();
    let file = path.replace("$HOME", env.home().to_str().unwrap());
    assert!(path.starts_with("$HOME/") && Path::new(&file).is_file(), "{path}");
    let text = env.mk(&["report"]).success();
    has(&text, &[path, "0 problems, 2 gaps"]);
    let wrong = env.mk(&["report", "--since", "yesteryear"]);
    assert_eq!(wrong.code, 1);
    assert_eq!(wrong.stderr.lines().count(), 1, "{}", wrong.stderr);
    let opened = env.command().args(["report", "--open"]).env("PATH", "/nowhere").output().unwrap();
    assert!(opened.status.success());
    has(&String::from_utf8_lossy(&opened.stderr), &["no program opens pages here"]);
}

#[test]
fn what_is_missing_is_said() {
    let env = TestEnv::new();
    env.write("A.lean", "theorem a : p := sorry\n");
    env.write("lakefile.toml", "name = \"a\"\n");
    has(&page(&env, &[]), &["There is no history: the project is in no git repository."]);
    has(&page(&env, &[]), &["The knowledge base is empty", "No problem is known yet."]);
    let broken = env.write("../broken.db", "no database");
    let broken = broken.to_str().unwrap();
    has(&page(&env, &["--db", broken]), &["The knowledge base was not read", "is not a database"]);
    let file = env.project().join("page.html");
    let mut without = env.command();
    without.args(["report", "-o", file.to_str().unwrap()]).env("MATH_FORGE_DB", "");
    assert!(without.output().unwrap().status.success());
    has(&fs::read_to_string(file).unwrap(), &["no store available", "1 gap in 1 declaration"]);
    env.write("submissions/tracking.db", "no database");
    has(&page(&env, &[]), &["The tracking database was not read"]);
    git(&env, &["init", "-q"]);
    has(&page(&env, &[]), &["There is no history: nothing was committed yet."]);
}
