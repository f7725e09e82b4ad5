//! Files that are none: pipes, devices, folders and the like where a hook or a command reads. Nothing
//! waits for them, nothing reads them without end, and a session goes on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::env::TestEnv;

const EVENTS: [&str; 10] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "PreCompact",
    "Stop",
    "SubagentStop",
    "SessionEnd",
];

/// Nothing that a hook does here takes nearly as long, even on a busy machine; a pipe would take for ever.
const LONGEST: Duration = Duration::from_secs(20);

/// Where a hook looks; `~` is the home folder, everything else lies in the project.
const PLACES: [&str; 30] = [
    "M.lean",
    "Sub/Other.lean",
    "lakefile.toml",
    "lakefile.lean",
    "lean-toolchain",
    "lake-manifest.json",
    ".math-forge/config.toml",
    ".math-forge/knowledge.db",
    "submissions/tracking.db",
    ".gitignore",
    ".gitattributes",
    ".git",
    ".git/HEAD",
    ".git/config",
    ".git/index",
    ".git/commondir",
    ".git/logs/HEAD",
    ".git/info/exclude",
    ".git/info/attributes",
    "~/.config/math-forge/config.toml",
    "~/.local/share/math-forge/knowledge.db",
    "~/.local/share/math-forge/trusted",
    "~/.local/share/math-forge/may-run",
    "~/.local/state/math-forge/mk.log",
    "~/.local/state/math-forge/named",
    "~/.local/state/math-forge/sessions",
    "~/.local/state/math-forge/tickets",
    "~/.local/state/math-forge/queue.json",
    "~/transcript.jsonl",
    "~/env.sh",
];

/// Those that an edit is about.
const LEAN: [&str; 2] = ["M.lean", "Sub/Other.lean"];

#[derive(Debug, Clone, Copy)]
enum Odd {
    Pipe,
    Device,
    Folder,
    Empty,
    Nowhere,
}

impl Odd {
    fn put(self, path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).ok();
        }
        match self {
            Self::Pipe => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            Self::Device => std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
            Self::Folder => fs::create_dir(path).unwrap(),
            Self::Empty => fs::write(path, "").unwrap(),
            Self::Nowhere => std::os::unix::fs::symlink("/nowhere/at/all", path).unwrap(),
        }
    }
}

/// A project under git with a Lean file that differs from what is committed.
fn place() -> TestEnv {
    let env = TestEnv::new();
    env.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
    env.write("M.lean", "theorem a : 1 = 1 := rfl\n");
    let git = |arguments: &[&str]| {
        let mut git = env.tool("git");
        let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
        env.finish(git.args(identity).args(arguments)).success();
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "x"]);
    env.write("M.lean", "theorem a : 1 = 1 := by rfl\n");
    fs::write(env.home().join("transcript.jsonl"), "").unwrap();
    env
}

fn at(env: &TestEnv, name: &str) -> PathBuf {
    match name.strip_prefix("~/") {
        Some(name) => env.home().join(name),
        None => env.project().join(name),
    }
}

fn event(env: &TestEnv, name: &str, file: &str) -> Value {
    json!({
        "hook_event_name": name, "session_id": "s-1", "cwd": env.project(), "source": "startup",
        "transcript_path": env.home().join("transcript.jsonl"), "prompt": "prove erdos_1 in M.lean",
        "reason": "other", "trigger": "auto", "agent_type": "prover", "tool_name": "Edit",
        "tool_use_id": "t1", "error": "M.lean:1:1: error: unsolved goals",
        "tool_input": {"file_path": env.project().join(file), "old_string": "rfl", "new_string": "sorry"},
        "tool_response": {"filePath": env.project().join(file)},
    })
}

/// A hook goes on, says nothing or something valid, and does so at once.
#[track_caller]
fn goes_on(env: &TestEnv, event: &Value, about: &str) {
    let begun = Instant::now();
    let mut command = env.command();
    command.arg("hook").env("CLAUDE_ENV_FILE", env.home().join("env.sh"));
    command.write_stdin(event.to_string()).timeout(LONGEST);
    let output = command.output().unwrap();
    let name = &event["hook_event_name"];
    assert_eq!(output.status.code(), Some(0), "{name}, {about}: {:?}", begun.elapsed());
    let said = String::from_utf8(output.stdout).unwrap();
    let is_hint = name == "PreCompact" && said.starts_with("End the summary with one line");
    assert!(
        said.is_empty() || is_hint || serde_json::from_str::<Value>(&said).is_ok(),
        "{name}, {about}: {said}"
    );
}

fn every_event_goes_on(odd: Odd) {
    let one = |place_of: &str| {
        let env = place();
        odd.put(&at(&env, place_of));
        let is_lean = LEAN.contains(&place_of);
        let file = if is_lean { place_of } else { LEAN[0] };
        for name in EVENTS {
            goes_on(&env, &event(&env, name, file), &format!("{odd:?} at {place_of}"));
        }
    };
    std::thread::scope(|scope| {
        for half in PLACES.chunks(PLACES.len() / 2) {
            scope.spawn(|| half.iter().for_each(|place_of| one(place_of)));
        }
    });
}

#[test]
fn hooks_go_on_beside_pipes() {
    every_event_goes_on(Odd::Pipe);
}

#[test]
fn hooks_go_on_beside_devices() {
    every_event_goes_on(Odd::Device);
}

#[test]
fn hooks_go_on_beside_folders_and_empty_files() {
    for odd in [Odd::Folder, Odd::Empty, Odd::Nowhere] {
        let env = place();
        for place_of in PLACES.iter().filter(|place_of| **place_of != ".git") {
            odd.put(&at(&env, place_of));
        }
        for name in EVENTS {
            goes_on(&env, &event(&env, name, "M.lean"), &format!("{odd:?} everywhere"));
        }
    }
}

/// A command says in one sentence what is wrong, and ends.
#[test]
fn commands_say_what_is_no_file() {
    for odd in [Odd::Pipe, Odd::Device, Odd::Folder] {
        for (arguments, file) in [
            (vec!["outline", "X.lean"], "X.lean"),
            (vec!["diff", "X.lean", "M.lean"], "X.lean"),
            (vec!["extract", "--no-model", "X.lean"], "X.lean"),
            (vec!["extract", "--no-model", "X.md"], "X.md"),
            (vec!["add", "--jsonl", "X.jsonl"], "X.jsonl"),
            (vec!["--tracking", "X.db", "import"], "X.db"),
            (vec!["--db", "X.db", "stats"], "X.db"),
        ] {
            if matches!((odd, file), (Odd::Folder, "X.lean")) {
                continue; // A folder of Lean files is something to look into.
            }
            let env = place();
            odd.put(&at(&env, file));
            let mut command = env.command();
            command.args(&arguments).timeout(LONGEST);
            let output = command.output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            let stdout = String::from_utf8_lossy(&output.stdout);
            let code = output.status.code();
            assert!(
                matches!(code, Some(1..=4)),
                "{odd:?} {arguments:?} {code:?}: {stdout}{stderr}"
            );
            let said = format!("{stdout}{stderr}");
            assert!(
                ["a pipe", "a folder", "no file", "no regular file", "regular file"]
                    .iter()
                    .any(|what| said.contains(what)),
                "{odd:?} {arguments:?}: {said}"
            );
        }
        // The configuration: a command goes on and says it.
        let env = place();
        odd.put(&at(&env, ".math-forge/config.toml"));
        let mut command = env.command();
        command.arg("doctor").timeout(LONGEST);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains(".math-forge/config.toml"), "{odd:?}: {said}");
    }
}

/// What `.gitignore` and its like are: a walk does not wait for them.
#[test]
fn walks_go_on_beside_pipes() {
    for place_of in [".gitignore", "Sub/.gitignore", ".ignore", ".git/info/exclude"] {
        for odd in [Odd::Pipe, Odd::Device] {
            let env = place();
            env.write("Sub/B.lean", "theorem b : True := trivial\n");
            odd.put(&at(&env, place_of));
            for arguments in [vec!["outline", "."], vec!["audit", "."], vec!["extract", "."]] {
                let mut command = env.command();
                command.args(&arguments).timeout(LONGEST);
                let output = command.output().unwrap();
                assert!(
                    output.status.code().is_some_and(|code| code <= 1),
                    "{odd:?} at {place_of}: {arguments:?}"
                );
            }
        }
    }
}

/// Files are opened in one place: `src/files.rs` asks of each what it is, and how large it may be.
#[test]
fn files_are_opened_in_one_place() {
    const OPENING: [&str; 9] = [
        "fs::read(",
        "fs::read_to_string(",
        "fs::write(",
        "fs::copy(",
        "File::open(",
        "File::create",
        "File::options(",
        "OpenOptions::new(",
        "NamedTempFile::new",
    ];
    // Makes a file, with its rights, that is not there.
    const ALLOWED: [&str; 2] = ["src/files.rs", "src/store/connect.rs"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    let mut folders = vec![root.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !ALLOWED.contains(&&*name) && !name.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.find("\nmod tests {").map_or(&*text, |end| &text[..end]);
                for opening in OPENING.iter().filter(|opening| code.contains(**opening)) {
                    wrong.push(format!("{name}: {opening}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
