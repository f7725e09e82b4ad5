//! Which folders are one project, with real repositories, and what no name gives to a folder.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::env::at_terminal;
use crate::git;

const REMOTE: &str = "https://github.com/Them/Proofs.git";

fn mk(env: &TestEnv, folder: &Path, arguments: &[&str]) -> crate::env::Output {
    let mut command = env.command();
    command.current_dir(folder).args(arguments);
    env.finish(&mut command)
}

fn run_git(env: &TestEnv, folder: &Path, arguments: &[&str]) {
    let output = git::command(env, folder).args(arguments).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {complaint}");
}

fn folder(env: &TestEnv, name: &str) -> PathBuf {
    let path = env.project().join(name);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A repository with one commit, whose text makes its first commit its own.
fn repository(env: &TestEnv, name: &str, remote: Option<&str>) -> PathBuf {
    let path = folder(env, name);
    run_git(env, &path, &["init", "-q", "-b", "main"]);
    fs::write(path.join("lakefile.toml"), format!("name = \"{name}\"\n")).unwrap();
    run_git(env, &path, &["add", "-A"]);
    run_git(env, &path, &["commit", "-q", "-m", name]);
    if let Some(remote) = remote {
        run_git(env, &path, &["remote", "add", "origin", remote]);
    }
    path
}

/// The identity of a folder, after it was noted.
fn identity(env: &TestEnv, folder: &Path) -> String {
    let listed = mk(env, folder, &["projects", "--json"]).json();
    let current = listed["projects"][0].clone();
    assert_eq!(current["current"], true, "{listed}");
    current["identity"].as_str().unwrap().to_owned()
}

fn clone(env: &TestEnv, from: &str, name: &str, options: &[&str]) -> PathBuf {
    let file = ["-c", "protocol.file.allow=always", "clone", "-q"];
    let arguments = [&file, options, &[from, name]].concat();
    run_git(env, &env.project(), &arguments);
    env.project().join(name)
}

#[test]
fn clones_and_work_trees_are_one_project_and_forks_are_not() {
    let env = TestEnv::new();
    let main = repository(&env, "main", Some(REMOTE));
    let local = main.to_string_lossy().into_owned();
    let of_main = "github.com/them/proofs";
    assert_eq!(identity(&env, &main), of_main);

    let ssh = clone(&env, &local, "ssh", &[]);
    run_git(&env, &ssh, &["remote", "set-url", "origin", "git@github.com:them/proofs"]);
    let shallow = clone(&env, &format!("file://{local}"), "shallow", &["--depth=1"]);
    let of_clone = clone(&env, &local, "second", &[]);
    let fork = clone(&env, &local, "fork", &["-o", "upstream"]);
    run_git(&env, &fork, &["remote", "set-url", "upstream", REMOTE]);
    run_git(&env, &fork, &["remote", "add", "origin", "https://github.com/me/proofs"]);
    let template = clone(&env, &local, "template", &[]);
    run_git(&env, &template, &["remote", "set-url", "origin", "https://github.com/me/other"]);
    let renamed = clone(&env, &local, "renamed", &["-o", "github"]);
    run_git(&env, &renamed, &["remote", "set-url", "github", "ssh://git@github.com/Them/Proofs/"]);
    run_git(&env, &main, &["worktree", "add", "-q", "../linked"]);
    let linked = env.project().join("linked");
    let bare = clone(&env, &local, "bare.git", &["--bare"]);
    run_git(&env, &bare, &["remote", "set-url", "origin", REMOTE]);
    run_git(&env, &bare, &["worktree", "add", "-q", "../of-bare", "-b", "x"]);
    let module = repository(&env, "module", Some("https://h/module"));
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
    let module = module.to_string_lossy().into_owned();
    run_git(&env, &main, &[&add[..], &[module.as_str(), "sub"]].concat());
    let nested = main.join("packages/inner");
    fs::create_dir_all(&nested).unwrap();
    fs::write(nested.join("lakefile.toml"), "name = \"inner\"\n").unwrap();
    let link = env.project().join("link");
    std::os::unix::fs::symlink(&main, &link).unwrap();

    for (folder, expected) in [
        (ssh, of_main),
        (shallow, of_main),
        (of_clone, of_main),
        (renamed, of_main),
        (linked, of_main),
        (env.project().join("of-bare"), of_main),
        (nested, of_main),
        (link, of_main),
        (fork, "github.com/me/proofs"),
        (template, "github.com/me/other"),
        (main.join("sub"), module.as_str()),
    ] {
        let module = env.project().join("module");
        identity(&env, &main);
        let found = identity(&env, &folder);
        let expected = expected.replace(&*module.to_string_lossy(), "$PROJECT/module");
        assert_eq!(found, expected, "{}", folder.display());
    }
    let module = env.project().join("module");
    assert_eq!(identity(&env, &module), "h/module");
    assert_eq!(identity(&env, &main.join("sub")), "h/module", "its path is known by now");
}

#[test]
fn without_a_remote_folders_are_known_again() {
    let env = TestEnv::new();
    let plain = folder(&env, "plain");
    fs::write(plain.join("lakefile.toml"), "name = \"pq\"\n").unwrap();
    let first = identity(&env, &plain);
    assert_eq!(first, "$PROJECT/plain");
    mk(&env, &plain, &["add", "insight", "--title", "The sieve bound is sharp"]).success();
    let moved = env.project().join("moved");
    fs::rename(&plain, &moved).unwrap();
    // Before anything was noted there.
    let hits = mk(&env, &moved, &["search", "sieve", "--project", "--json"]).json();
    assert_eq!(hits["total"], 1, "{hits}");
    assert_eq!(identity(&env, &moved), first);

    let bare = repository(&env, "own", None);
    let own = identity(&env, &bare);
    let copy = env.project().join("copy");
    let copied = std::process::Command::new("cp").arg("-r").arg(&bare).arg(&copy).status();
    assert!(copied.unwrap().success());
    assert_eq!(identity(&env, &copy), own, "the same history, no remote");
    let other = repository(&env, "other", None);
    assert_eq!(identity(&env, &other), "$PROJECT/other");

    // A remote that comes later keeps what was known by the path.
    mk(&env, &other, &["add", "insight", "--title", "Parity obstructs this"]).success();
    run_git(&env, &other, &["remote", "add", "origin", "https://h/late"]);
    assert_eq!(identity(&env, &other), "h/late");
    let hits = mk(&env, &other, &["search", "parity", "--project", "--json"]).json();
    assert_eq!(hits["total"], 1, "{hits}");
    run_git(&env, &other, &["remote", "remove", "origin"]);
    assert_eq!(identity(&env, &other), "h/late");
}

#[test]
fn a_person_merges_and_splits() {
    let env = TestEnv::new();
    git::init(&env);
    env.write("lean-toolchain", "");
    git::git(&env, &["remote", "add", "origin", "https://github.com/me/Fork"]);
    env.mk(&["add", "insight", "--title", "Forks share the sieve"]).success();
    let elsewhere = tempfile::tempdir().unwrap();
    let them = fs::canonicalize(elsewhere.path()).unwrap();
    run_git(&env, &them, &["init", "-q"]);
    run_git(&env, &them, &["remote", "add", "origin", "https://github.com/them/p"]);
    mk(&env, &them, &["add", "insight", "--title", "Upstream has the sieve too"]).success();
    let here = || {
        let hits = env.mk(&["search", "sieve", "--project", "--json"]).json();
        hits["total"].as_u64().unwrap()
    };
    assert_eq!(here(), 1);
    let refused = env.mk(&["projects", "merge", ".", "github.com/them/p"]).failure(1);
    assert!(refused.contains("merging projects is a person's decision"), "{refused}");
    let message = env.mk(&["projects", "merge", "nothing", "."]).failure(1);
    assert!(message.contains("no project `nothing` is known"), "{message}");
    let Some(_) = at_terminal(&env, &["facts", "set", "a.b", "one"], "a.b") else { return };
    let merge = ["projects", "merge", ".", "github.com/them/p"];
    let Some(said) = at_terminal(&env, &merge, "github.com/me/fork") else { return };
    assert!(said.contains("is another name of `github.com/them/p` now"), "{said}");
    assert_eq!(here(), 2);
    let hits = mk(&env, &them, &["search", "sieve", "--project", "--json"]).json();
    assert_eq!(hits["total"], 2);
    let listed = env.mk(&["projects", "--json"]).json();
    assert_eq!(listed["projects"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed["projects"][0]["findings"], 3);
    let names = listed["projects"][0]["names"].as_array().unwrap();
    assert!(names.contains(&json!("github.com/me/fork")), "{listed}");
    at_terminal(&env, &["facts", "set", "a.b", "two"], "a.b").unwrap();
    let facts = env.mk(&["facts", "--project", "--json"]).json();
    assert_eq!(facts["findings"].as_array().unwrap().len(), 1, "one value of a key: {facts}");
    assert_eq!(facts["findings"][0]["detail"]["fact"]["value"], "two");
    env.mk(&["add", "insight", "--title", "Stored after the merge, about the sieve"]).success();

    let split = ["projects", "merge", "github.com/me/fork", "github.com/me/fork"];
    let said = at_terminal(&env, &split, "github.com/me/fork").unwrap();
    assert!(said.contains("is a project of its own"), "{said}");
    assert_eq!(here(), 1);
    let listed = env.mk(&["projects", "--json"]).json();
    assert_eq!(listed["projects"].as_array().unwrap().len(), 2, "{listed}");
}

fn edit(env: &TestEnv, folder: &Path, id: &str, old: &str, new: &str) -> String {
    let input = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": id, "tool_name": "Edit",
        "cwd": folder,
        "tool_input": {"file_path": folder.join("M.lean"), "old_string": old, "new_string": new},
    });
    let mut command = env.command();
    command.current_dir(folder).arg("hook").write_stdin(input.to_string());
    env.finish(&mut command).success()
}

/// Somebody's clone that says of itself that it is the project.
fn forged(env: &TestEnv) -> (PathBuf, tempfile::TempDir) {
    git::init(env);
    env.write("lean-toolchain", "");
    env.write("M.lean", "theorem foo : 1 = 1 := by\n  rfl\ntheorem bar : 2 = 2 := by\n  sorry\n");
    git::commit(env);
    git::git(env, &["remote", "add", "origin", REMOTE]);
    let other = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(other.path()).unwrap();
    run_git(env, &path, &["init", "-q"]);
    run_git(env, &path, &["remote", "add", "origin", REMOTE]);
    for name in ["lean-toolchain", "M.lean"] {
        fs::copy(env.project().join(name), path.join(name)).unwrap();
    }
    (path, other)
}

#[test]
fn a_claimed_remote_ranks_and_allows_nothing() {
    let env = TestEnv::new();
    let (clone, _kept) = forged(&env);
    env.mk(&["add", "insight", "--title", "The sieve is here"]).success();
    let hits = mk(&env, &clone, &["search", "sieve", "--json"]).json();
    assert!(hits.to_string().contains("in this project"), "{hits}");

    // A lock holds in the clone too, and is not removed from there.
    env.mk(&["lock", "bar"]).success();
    let locks = mk(&env, &clone, &["lock", "--list", "--json"]).json();
    assert_eq!(locks["locks"][0]["declaration"], "bar");
    let refused = edit(&env, &clone, "t0", "2 = 2", "3 = 3");
    assert!(refused.contains("\"deny\""), "{refused}");

    // A lift holds where it was given.
    let lift = ["allow", "foo", "--rule", "proof-lost", "--for", "1d", "--reason", "test"];
    let Some(said) = at_terminal(&env, &lift, "foo") else { return };
    assert!(said.contains("is lifted"), "{said}");
    for decided in [false, true] {
        if decided {
            // Nor does a merge widen it.
            run_git(&env, &clone, &["remote", "set-url", "origin", "https://h/clone"]);
            mk(&env, &clone, &["add", "insight", "--title", "x y z"]).success();
            let merge = ["projects", "merge", "h/clone", "."];
            at_terminal(&env, &merge, "h/clone").unwrap();
            assert_eq!(identity(&env, &clone), "github.com/them/proofs");
        }
        let said = edit(&env, &clone, &format!("t1{decided}"), "  rfl", "  sorry");
        assert!(said.contains("\"deny\""), "{said}");
        let said = edit(&env, &env.project(), &format!("t2{decided}"), "  rfl", "  sorry");
        assert!(!said.contains("\"deny\""), "{said}");
        let lifts = mk(&env, &clone, &["allow", "--list", "--json"]).json();
        assert!(!lifts.to_string().contains("foo"), "{lifts}");
    }
}

/// Locks once stood under the project's name; no folder has those.
#[test]
fn a_lock_without_a_folder_can_be_removed() {
    let env = TestEnv::new();
    forged(&env);
    env.mk(&["lock", "bar"]).success();
    let database = rusqlite::Connection::open(env.database()).unwrap();
    let sql = "UPDATE guard_locks SET project = 'github.com/them/proofs'";
    assert_eq!(database.execute(sql, []).unwrap(), 1);
    let locks = || env.mk(&["lock", "--list", "--json"]).json()["locks"].clone();
    assert_eq!(locks()[0]["declaration"], "bar");
    let Some(said) = at_terminal(&env, &["lock", "bar", "--remove"], "bar") else { return };
    assert!(said.contains("bar is no longer locked"), "{said}");
    assert_eq!(locks(), json!([]));
}

#[test]
fn trust_and_settings_stay_with_the_folder() {
    let env = TestEnv::new();
    let (clone, _kept) = forged(&env);
    let own = env.project().join(".math-forge");
    fs::create_dir_all(&own).unwrap();
    let database = own.join("knowledge.db");
    let mut add = env.command();
    add.args(["--db".as_ref(), database.as_os_str()]).args([
        "add",
        "insight",
        "--title",
        "Trusted sieve",
    ]);
    env.finish(&mut add).success();
    let Some(said) = at_terminal(&env, &["trust"], "") else { return };
    assert!(said.contains("is now trusted"), "{said}");
    let total = |folder: &Path| -> Value {
        mk(&env, folder, &["search", "trusted sieve", "--json"]).json()["total"].clone()
    };
    assert_eq!(total(&env.project()), 1);
    assert_eq!(total(&clone), 0);

    // A `.git` file that points into the project does not make a folder its work tree.
    let pointer = clone.join("inner");
    fs::create_dir(&pointer).unwrap();
    fs::copy(env.project().join("M.lean"), pointer.join("M.lean")).unwrap();
    let repository = env.project().join(".git");
    let worktree = repository.join("worktrees/w");
    fs::create_dir_all(&worktree).unwrap();
    fs::write(worktree.join("commondir"), "../..\n").unwrap();
    fs::write(worktree.join("gitdir"), env.project().join("w/.git").to_str().unwrap()).unwrap();
    for target in [&repository, &worktree] {
        fs::write(pointer.join(".git"), format!("gitdir: {}\n", target.display())).unwrap();
        assert_eq!(total(&pointer), 0, "{}", target.display());
        let said = mk(&env, &pointer, &["trust", "--remove"]).success();
        assert!(said.contains("was not trusted"), "{said}");
    }
}

#[test]
fn what_is_known_under_a_renamed_remote_is_listed_and_merged() {
    let env = TestEnv::new();
    let one = repository(&env, "one", Some("https://h/one"));
    mk(&env, &one, &["add", "insight", "--title", "Known before"]).success();
    run_git(&env, &one, &["remote", "set-url", "origin", "https://h/two"]);
    assert_eq!(identity(&env, &one), "h/two");
    let listed = mk(&env, &one, &["projects", "--json"]).json()["projects"].clone();
    assert_eq!((&listed[1]["identity"], &listed[1]["findings"]), (&json!("h/one"), &json!(1)));
    let here = || mk(&env, &one, &["search", "known", "--project", "--json"]).json();
    assert_eq!(here()["total"], 0);
    if at_terminal(&env, &["projects", "merge", "h/one", "h/two"], "h/one").is_some() {
        assert_eq!(here()["total"], 1);
    }
}
