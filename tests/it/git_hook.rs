//! The git hook: installed beside others, and at work in real commits.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use math_forge::app::App;
use math_forge::git_hook;
use math_forge::hosts::{Changed, State};
use math_forge::paths::Environment;

use crate::env::TestEnv;
use crate::git::{self, git};

/// What a person at a terminal would have asked for. `mk` itself refuses to do it for a test.
fn ask(env: &TestEnv, folder: &Path, deny: Option<&str>) -> Changed {
    let home = env.home();
    let mut environment = Environment::of(&[("MK_HOME", home.to_str().unwrap())]);
    environment.current_dir = Some(folder.to_owned());
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let app = App::new(environment, now, None, None).unwrap();
    git_hook::change(&app, deny).unwrap()
}

fn install(env: &TestEnv) -> Changed {
    ask(env, &env.project(), Some("error"))
}

fn remove(env: &TestEnv) -> Changed {
    ask(env, &env.project(), None)
}

/// A repository whose hooks are its own, whatever the machine's configuration says.
fn repository() -> TestEnv {
    let env = TestEnv::new();
    git::init(&env);
    let hooks = env.project().join(".git/hooks");
    git(&env, &["config", "core.hooksPath", hooks.to_str().unwrap()]);
    fs::remove_dir_all(hooks).ok();
    let binary = binary(&env);
    fs::create_dir_all(binary.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_mk"), binary).unwrap();
    env
}

/// Where `install.sh` puts it.
fn binary(env: &TestEnv) -> PathBuf {
    env.home().join(".local/bin/mk")
}

fn hook(env: &TestEnv) -> PathBuf {
    env.project().join(".git/hooks/pre-commit")
}

fn write_hook(env: &TestEnv, text: &str) {
    let path = hook(env);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Commits what is staged: whether it passed, and what was said.
fn commit(env: &TestEnv, folder: &Path) -> (bool, String) {
    let output = git::command(env, folder).args(["commit", "-q", "-m", "x"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.success(), said.into_owned())
}

/// Stages a file and commits it.
fn commit_file(env: &TestEnv, name: &str, text: &str) -> (bool, String) {
    env.write(name, text);
    git(env, &["add", "-A"]);
    commit(env, &env.project())
}

#[test]
fn commits_that_make_something_worse_fail() {
    let env = repository();
    let report = install(&env);
    assert_eq!(report.state, State::Written);
    assert_eq!(fs::metadata(hook(&env)).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(install(&env).state, State::Unchanged);

    assert_eq!(commit_file(&env, "notes.md", "sorry\n"), (true, String::new()));
    assert!(commit_file(&env, "A.lean", "theorem a : 1 = 1 := rfl\n").0);
    let (passed, said) = commit_file(&env, "A.lean", "theorem a : 1 = 1 := by sorry\n");
    assert!(!passed);
    assert!(said.contains("`a` lost its proof"), "{said}");
    // `git commit FILE` and `git commit -a` have an index of their own.
    git(&env, &["reset", "-q"]);
    let output = git::command(&env, &env.project())
        .args(["commit", "-q", "-m", "x", "A.lean"])
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(
        git::command(&env, &env.project())
            .args(["commit", "-aqm", "x"])
            .output()
            .is_ok_and(|output| !output.status.success())
    );
    // A gap that is there already is no reason, and a person can always go past the hook.
    git(&env, &["commit", "-aqm", "x", "--no-verify"]);
    assert!(commit_file(&env, "A.lean", "-- still open\ntheorem a : 1 = 1 := by sorry\n").0);

    assert_eq!(remove(&env).state, State::Removed);
    assert!(!hook(&env).exists(), "nothing else was in it");
    assert_eq!(remove(&env).state, State::Absent);
}

#[test]
fn what_is_there_already_is_left_alone() {
    let env = repository();
    let ours = {
        install(&env);
        fs::read_to_string(hook(&env)).unwrap()
    };
    // Other rules: the script is written anew.
    let deny = Some("gaps, changes");
    assert_eq!(ask(&env, &env.project(), deny).state, State::Written);
    let text = fs::read_to_string(hook(&env)).unwrap();
    assert!(text.contains("--deny \"gaps, changes\""), "{text}");
    for text in [
        "#!/usr/bin/env python3\nprint()\n".to_owned(),
        "#!/bin/sh\ntrue\n".to_owned(),
        format!("{ours}true\n"),
    ] {
        write_hook(&env, &text);
        let report = install(&env);
        assert_eq!(report.state, State::Taken);
        assert!(report.entry.unwrap().contains("audit --staged --deny error"));
        let expected = if text.contains("audit") { State::Taken } else { State::Absent };
        assert_eq!(remove(&env).state, expected);
        assert_eq!(fs::read_to_string(hook(&env)).unwrap(), text);
    }
}

#[test]
fn without_a_binary_the_commit_goes_on() {
    let env = repository();
    install(&env);
    fs::remove_file(binary(&env)).unwrap();
    let (passed, said) = commit_file(&env, "A.lean", "axiom a : 1 = 2\n");
    assert!(passed, "{said}");
    assert_eq!(
        said,
        "math-forge: mk was not found, so the Lean files of this commit were not checked\n"
    );
}

#[test]
fn linked_work_trees_share_the_hook() {
    let env = repository();
    env.write("A.lean", "theorem a : 1 = 1 := rfl\n");
    git::commit(&env);
    let linked = env.home().join("linked tree");
    git(&env, &["worktree", "add", "-q", linked.to_str().unwrap(), "-b", "second"]);
    let report = ask(&env, &linked, Some("error"));
    assert_eq!(report.file, hook(&env).display().to_string());
    fs::write(linked.join("A.lean"), "theorem a : 1 = 1 := by sorry\n").unwrap();
    git::command(&env, &linked).args(["add", "-A"]).assert().success();
    let (passed, said) = commit(&env, &linked);
    assert!(!passed && said.contains("`a` lost its proof"), "{said}");
}

/// The pre-commit framework's file says what our own hook does.
#[test]
fn the_hook_for_the_framework_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join(".pre-commit-hooks.yaml")).unwrap();
    let entry = text.lines().find_map(|line| line.strip_prefix("  entry: mk ")).unwrap();
    let env = repository();
    env.write("A.lean", "axiom a : 1 = 2\n");
    git(&env, &["add", "-A"]);
    let arguments: Vec<&str> = entry.split(' ').collect();
    assert_eq!(env.mk(&arguments).code, 1);
    for key in [
        "- id: mk-audit\n",
        "  language: system\n",
        "  files: \\.lean$\n",
        "  pass_filenames: false\n",
    ] {
        assert!(text.contains(key), "{key}");
    }
}
