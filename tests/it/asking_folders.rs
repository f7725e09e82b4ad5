//! `mk extract-all`: which files of a folder are read, and that it goes on where it was stopped.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::asking::{configure, place, stored_facts};
use crate::env::TestEnv;
use crate::scripted::{Script, Scripted, answer_of, facts};

const NOTE: &str = "Person: I prefer term-mode proofs for one-line lemmas.\n";

fn reply() -> Script {
    let fact = [
        "tools",
        "cache.use",
        "Proofs in term mode for lemmas.",
        "term-mode proofs for one-line lemmas",
    ];
    answer_of(false, &facts(&[fact], &["cache"]))
}

/// Notes `1.md` to `N.md`, the first one changed longest ago.
fn notes(env: &TestEnv, count: u64) {
    for number in 1..=count {
        let path = env.write(&format!("notes/{number}.md"), format!("{NOTE}Note {number}.\n"));
        age(&path, Duration::from_hours(count - number + 1));
    }
}

fn age(path: &Path, age: Duration) {
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

fn counts(report: &Value) -> [u64; 4] {
    ["found", "read", "unchanged", "older"].map(|name| report[name].as_u64().unwrap())
}

#[test]
fn without_a_model_the_rules_read_each_file_once() {
    let env = TestEnv::new();
    notes(&env, 3);
    for hidden in ["notes/.hidden/x.md", "notes/.lake/y.md", "notes/target/z.md", "notes/n.txt"] {
        env.write(hidden, NOTE);
    }
    let first = env.mk(&["extract-all", "notes", "--json"]).json();
    assert_eq!(counts(&first), [3, 3, 0, 0]);
    assert_eq!((&first["added"], &first["total"]), (&json!(1), &json!(3)));
    let second = env.mk(&["extract-all", "notes", "--json"]).json();
    assert_eq!(counts(&second), [3, 0, 3, 0]);
    // Touched is not changed.
    age(&env.project().join("notes/1.md"), Duration::from_secs(9));
    env.write("notes/2.md", "Person: something else, much longer than it was before.\n");
    let third = env.mk(&["extract-all", "notes", "--json"]).json();
    assert_eq!(counts(&third), [3, 1, 2, 0]);
    let shown = env.mk(&["extract-all", "notes"]).success();
    assert_eq!(shown, "  0 files read, 3 unchanged\n");
}

#[test]
fn patterns_and_times_choose_files() {
    let env = TestEnv::new();
    notes(&env, 2);
    env.write("notes/deep/3.txt", NOTE);
    age(&env.project().join("notes/1.md"), Duration::from_hours(24 * 10));
    for (arguments, expected) in [
        (&["--pattern", "*.{md,txt}"][..], [3, 3, 0, 0]),
        (&["--pattern", "deep/*"], [1, 1, 0, 0]),
        (&["--pattern", "*.none"], [0, 0, 0, 0]),
        (&["--since", "7d"], [2, 1, 0, 1]),
        (&["--since", "2020-11-01"], [2, 2, 0, 0]),
    ] {
        let mut all = vec!["extract-all", "notes", "--dry-run", "--json"];
        all.extend(arguments);
        assert_eq!(counts(&env.mk(&all).json()), expected, "{arguments:?}");
    }
    assert!(!env.database().exists() || stored_facts(&env) == 0);
    for (arguments, code, said) in [
        (&["extract-all", "notes", "--since", "soon"][..], 2, "did not understand the time `soon`"),
        (
            &["extract-all", "notes", "--pattern", "!*.md"],
            1,
            "`!*.md` is not a pattern: use one like",
        ),
        (&["extract-all", "notes", "--pattern", "["], 1, "`[` is not a valid pattern"),
        (&["extract-all", "none"], 1, "`none`: there is no such file"),
        (&["extract-all", "notes/2.md"], 1, "is not a folder: `mk extract` takes single files"),
    ] {
        let stderr = env.mk(arguments).failure(code);
        assert!(stderr.contains(said), "{stderr}");
    }
}

#[test]
fn a_dry_run_asks_and_stores_nothing() {
    let server = Scripted::start(vec![reply()]);
    let env = place(&server);
    notes(&env, 2);
    let shown = env.mk(&["extract-all", "notes", "--dry-run"]).success();
    assert_eq!(shown.matches("propose  tool      cache.use").count(), 2, "{shown}");
    assert!(shown.contains("  2 files read\n"), "{shown}");
    assert!(
        shown.contains(
            "facts: 2 waiting for your decision (mk review); nothing was stored (qwen3:8b, "
        ),
        "{shown}"
    );
    assert_eq!(stored_facts(&env), 0);
    env.mk(&["extract-all", "notes", "--dry-run"]).success();
    assert_eq!(server.asked().len(), 4, "nothing was noted as read");
}

#[test]
fn one_bad_file_stops_no_other() {
    let env = TestEnv::new();
    notes(&env, 2);
    env.write("notes/Main.lean", "theorem x : True := trivial\n");
    let output = env.mk(&["extract-all", "notes", "--pattern", "*", "--json"]);
    assert_eq!(output.code, 1);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(counts(&report), [3, 2, 0, 0]);
    let failures = report["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0]["path"], "notes/Main.lean");
    let shown = env.mk(&["extract-all", "notes", "--pattern", "*"]);
    assert!(
        shown.stdout.contains("failed: notes/Main.lean: is not a text file"),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_server_that_is_not_there_is_named_once() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let env = TestEnv::new();
    env.configure(&format!("[llm]\nmodel = \"qwen3:8b\"\nurl = \"http://{free}\"\n"));
    notes(&env, 3);
    let output = env.mk(&["extract-all", "notes"]);
    assert_eq!(output.code, 1);
    assert_eq!(output.stderr.matches("no model server answers").count(), 1, "{}", output.stderr);
    assert!(output.stderr.ends_with("the texts wait for it\n"), "{}", output.stderr);
    assert!(output.stdout.contains("3 files read"), "the rules read all: {}", output.stdout);
    let again = env.mk(&["extract-all", "notes", "--no-model", "--json"]).json();
    assert_eq!(counts(&again), [3, 3, 0, 0], "they still wait");
    // Whoever has read them all by rule has not asked a model about them.
    let server = Scripted::start(vec![reply()]);
    configure(&env, &server, "");
    env.mk(&["extract-all", "notes", "--dry-run"]).success();
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn a_server_that_hangs_is_left_alone_after_one_file() {
    let server = Scripted::start(vec![Script::Wait(Duration::from_millis(2300), "{}".to_owned())]);
    let env = TestEnv::new();
    configure(&env, &server, "timeout = 1\nload_timeout = 1\n");
    notes(&env, 4);
    let output = env.mk(&["extract-all", "notes"]);
    assert_eq!(output.code, 1);
    let said = "mk: `qwen3:8b` did not answer within 2 s: raise `llm.timeout` (for lessons \
                `llm.lesson_timeout`) or set `llm.model` to a smaller one: the texts wait for it\n";
    assert_eq!(output.stderr, said);
    assert!(output.stdout.contains("4 files read"), "{}", output.stdout);
    assert_eq!(server.asked().len(), 1);
    let output = env.mk(&["extract", "notes/1.md", "notes/2.md", "notes/3.md", "--model", "m"]);
    assert_eq!(output.code, 1);
    assert_eq!(output.stderr.matches("did not answer within 2 s").count(), 1, "{}", output.stderr);
    assert!(output.stderr.contains("2 more texts were not asked about"), "{}", output.stderr);
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn what_is_done_stays_done() {
    let server =
        Scripted::start(vec![reply(), answer_of(false, "none"), answer_of(false, "none"), reply()]);
    let env = place(&server);
    notes(&env, 3);
    let output = env.mk(&["extract-all", "notes"]);
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("failed: notes/2.md: the reply"), "{}", output.stdout);
    assert_eq!(server.asked().len(), 4);
    let report = env.mk(&["extract-all", "notes", "--json"]).json();
    assert_eq!(counts(&report), [3, 1, 2, 0], "only what failed is asked about again");
    let report = env.mk(&["extract-all", "notes", "--json"]).json();
    assert_eq!(counts(&report), [3, 0, 3, 0]);
    // By rule they are read as well; another model is another question.
    let report = env.mk(&["extract-all", "notes", "--no-model", "--json"]).json();
    assert_eq!(counts(&report), [3, 0, 3, 0]);
    let report = env.mk(&["extract-all", "notes", "--model", "other", "--json"]).json();
    assert_eq!(counts(&report), [3, 3, 0, 0]);
}

#[test]
fn ctrl_c_keeps_what_is_done_and_says_how_to_go_on() {
    let slow = Script::Wait(Duration::from_secs(4), "{}".to_owned());
    let server = Scripted::start(vec![reply(), slow]);
    let env = place(&server);
    notes(&env, 3);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mk"));
    command.args(["extract-all", "notes"]).current_dir(env.project()).env_clear();
    command.env("HOME", env.home()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let begin = Instant::now();
    while server.asked().len() < 2 {
        assert!(begin.elapsed() < Duration::from_mins(1), "the second text was never asked about");
        std::thread::sleep(Duration::from_millis(20));
    }
    let asked = Instant::now();
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(3), "it does not wait for the answer");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr
            .contains("mk: stopped; what is done is kept, and the same command goes on from there"),
        "{stderr}"
    );
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(stdout.contains("2 left"), "{stdout}");
    drop(server);
    let server = Scripted::start(vec![reply()]);
    configure(&env, &server, "");
    let report = env.mk(&["extract-all", "notes", "--json"]).json();
    assert_eq!(counts(&report), [3, 2, 1, 0], "{report}");
}
