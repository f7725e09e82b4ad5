//! The command line as such: help, mistakes, exit codes, a reader that goes away.

use std::io::Read as _;
use std::process::{Command, Stdio};

use predicates::prelude::*;
use predicates::str::{contains, starts_with};

use crate::env::TestEnv;

#[test]
fn a_bare_mk_prints_help_and_is_no_error() {
    let env = TestEnv::new();
    env.command()
        .assert()
        .code(0)
        .stdout(contains("Usage: mk").and(contains("mk <command> --help")))
        .stderr("");
}

#[test]
fn mistakes_end_with_2_and_name_what_was_meant() {
    let env = TestEnv::new();
    for (arguments, message) in [
        (vec!["serach", "x"], "'search'"),
        (vec!["search", "--kind", "theorm", "x"], "unknown kind `theorm`: use one of theorem"),
        (vec!["search", "--limt", "3", "x"], "similar argument exists: '--limit'"),
        (vec!["show"], "required"),
        (vec!["find", "''"], "names no problem"),
    ] {
        env.command()
            .args(&arguments)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(message).and(contains("panicked").not()));
    }
}

#[test]
fn every_command_explains_itself_with_examples() {
    let env = TestEnv::new();
    for command in commands(&env) {
        let help = env.mk(&[command.as_str(), "--help"]).success();
        assert!(help.contains("Usage: mk"), "{help}");
        if command != "queue" {
            assert!(help.contains("Examples:"), "`mk {command} --help` has no examples");
        }
    }
}

/// The visible commands, from the help itself.
pub(crate) fn commands(env: &TestEnv) -> Vec<String> {
    let help = env.mk(&["--help"]).success();
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    list.lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|command| command != "help")
        .collect()
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
