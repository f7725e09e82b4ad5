//! The command line as such: help, mistakes, exit codes, a reader that goes away.

use std::io::Read as _;
use std::process::{Command, Stdio};

use predicates::str::starts_with;

use crate::env::TestEnv;

#[test]
fn a_bare_mk_shows_where_things_stand_and_the_next_step() {
    let env = TestEnv::new();
    let shown = |env: &TestEnv| env.mk::<&str>(&[]).success();
    let before = shown(&env);
    assert!(before.contains("Database: none yet"), "{before}");
    assert!(before.contains("Next: `mk init` creates the database."), "{before}");
    assert!(!env.database().exists(), "to look creates nothing");
    env.mk(&["init"]).success();
    assert!(shown(&env).contains("Next: `mk extract FOLDER`"), "{}", shown(&env));
    env.mk(&["add", "insight", "--title", "a", "--description", "b"]).success();
    let text = shown(&env);
    assert!(text.contains("Knowledge: 1 finding\n") && text.contains("Guard: on\n"), "{text}");
    env.mk(&["note", "decision", "we keep the prefix rwr/ everywhere"]).success();
    let text = shown(&env);
    assert!(
        text.contains("To decide: 1 proposal\n") && text.contains("Next: `mk review`"),
        "{text}"
    );
    let json = env.mk(&["--json"]).json();
    assert_eq!((&json["schema"], &json["proposals"]), (&1.into(), &1.into()), "{json}");
    std::fs::write(env.database(), "no database").unwrap();
    assert!(shown(&env).contains("Next: `mk doctor` says what is wrong."), "{}", shown(&env));
}

#[test]
fn the_help_lists_what_people_look_for_in_groups_and_names_the_rest() {
    let env = TestEnv::new();
    let help = env.mk(&["--help"]).success();
    for title in ["Ask:", "Lean files:", "Guard:", "Learn:", "Upkeep:", "More:", "Options:"] {
        assert!(help.lines().any(|line| line == title), "{title}: {help}");
    }
    let listed = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let groups = help.split("\nMore:").next().unwrap();
    let count = groups.lines().filter(listed).count();
    assert!((15..=20).contains(&count), "{count} in groups: {help}");
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    assert_eq!(env.mk(&["help"]).success(), help);
}

#[test]
fn completions_and_manual_pages_know_the_commands() {
    let env = TestEnv::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = env.mk(&["completions", shell]).success();
        for command in commands(&env) {
            assert!(script.contains(&command), "{shell} does not complete {command}");
        }
        assert!(!script.contains("snapshot"), "{shell} completes what only hooks call");
    }
    let folder = env.project().join("man");
    env.mk(&["completions".as_ref(), "--man".as_ref(), folder.as_os_str()]).success();
    for command in commands(&env) {
        let page = std::fs::read_to_string(folder.join(format!("mk-{command}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{command}: {page}");
    }
    assert!(folder.join("mk.1").is_file());
    env.mk(&["completions"]).failure(2);
}

/// The visible commands, from the help itself.
pub(crate) fn commands(env: &TestEnv) -> Vec<String> {
    let help = env.mk(&["--help"]).success();
    let (groups, rest) = help.split_once("\nMore:\n").unwrap();
    let listed = groups.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let listed = listed.filter_map(|line| line.split_whitespace().next());
    let more = rest.split("\n\n").next().unwrap().split([',', '\n']).map(str::trim);
    let all = listed.chain(more.filter(|name| !name.is_empty() && *name != "help"));
    all.map(str::to_owned).collect()
}

#[test]
fn without_a_store_commands_say_so() {
    let env = TestEnv::new();
    for arguments in [["search", "x"], ["find", "x"], ["show", "1"]] {
        env.command()
            .args(arguments)
            .env("MATH_FORGE_DB", "")
            .assert()
            .code(1)
            .stdout("")
            .stderr(starts_with("mk: no store available"));
    }
}

#[test]
fn without_a_home_folder_there_is_a_clear_sentence_or_an_answer() {
    let env = TestEnv::new();
    let output = env.command().env_remove("HOME").arg("stats").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    // The system may know the home folder of the user without HOME.
    assert!(output.status.success() || stderr.contains("mk: "), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let env = TestEnv::new();
    let line = |n| format!(r#"{{"kind":"insight","title":"note {n}","description":"same words"}}"#);
    let lines: Vec<String> = (0..4000).map(line).collect();
    let file = env.write("notes.jsonl", lines.join("\n"));
    env.mk(&["add".as_ref(), "--jsonl".as_ref(), file.as_os_str()]).success();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mk"))
        .args(["search", "same", "words", "--limit", "4000"])
        .env("HOME", env.home())
        .current_dir(env.project())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 16];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn what_is_longer_than_the_terminal_goes_to_the_pager() {
    let script = std::path::Path::new("/usr/bin/script");
    if !cfg!(target_os = "linux") || !script.is_file() {
        eprintln!("SKIPPED the pager: no `script` of util-linux");
        return;
    }
    let env = TestEnv::new();
    env.mk(&["init", "--no-import"]).success();
    let shown = |line: &str, pager: &str, rows: usize| {
        let line = format!("stty rows {rows} cols 80; exec {} {line}", env!("CARGO_BIN_EXE_mk"));
        let output = Command::new(script)
            .args(["-qefc", &line, "/dev/null"])
            .env_clear()
            .envs([("SHELL", "/bin/sh"), ("TERM", "xterm"), ("PATH", "/usr/bin:/bin")])
            .env("HOME", env.home())
            .env("MK_PAGER", pager)
            .current_dir(env.project())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let pager = "sed 's/^/paged /'";
    assert!(shown("config", pager, 5).contains("paged "));
    assert!(!shown("config", pager, 500).contains("paged "));
    assert!(!shown("config --json", pager, 5).contains("paged "));
    assert!(shown("config", "no-such-pager", 5).contains("guard.enabled"));
}
