//! `mk status --line`: what a prompt and Claude Code's status line show.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::env::TestEnv;

fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write("lakefile.toml", "name = \"sums\"\n");
    let noted = env.mk(&["note", "decision", "bounds are strict here"]);
    assert_eq!(noted.code, 0, "{}", noted.stderr);
    env
}

#[test]
fn it_is_about_the_project_of_the_session() {
    let env = project();
    assert_eq!(env.mk(&["status", "--line"]).stdout, "1 proposal waiting\n");
    let elsewhere = env.home();
    let told =
        |folder: &std::path::Path| json!({ "workspace": { "current_dir": folder } }).to_string();
    let line =
        |folder: &std::path::Path| env.mk_with_input(&["status", "--line"], told(folder)).stdout;
    assert_eq!(line(&elsewhere), "", "no Lean project");
    assert_eq!(line(&env.project()), "1 proposal waiting\n");
    // What is remembered holds until something is written.
    assert_eq!(env.mk(&["note", "decision", "sums begin at zero here"]).code, 0);
    assert_eq!(line(&env.project()), "2 proposals waiting\n");
    for odd in ["", "nonsense", "{\"cwd\": 7}", "{\"cwd\": \"../x\"}", "[[[["] {
        let said = env.mk_with_input(&["status", "--line"], odd);
        assert_eq!((said.code, &*said.stdout), (0, "2 proposals waiting\n"), "{odd}");
    }
}

#[test]
fn it_waits_for_no_one() {
    let env = project();
    let mut line = Command::new(env!("CARGO_BIN_EXE_mk"))
        .args(["status", "--line"])
        .env_clear()
        .env("HOME", env.home())
        .current_dir(env.project())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Its stdin stays open as long as this does.
    let open = line.stdin.take();
    let ended = line.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "1 proposal waiting\n");
    drop(open);
    std::fs::write(env.database(), "no database").unwrap();
    let said = env.mk(&["status", "--line"]);
    assert_eq!((said.code, &*said.stdout, &*said.stderr), (0, "", ""));
}
