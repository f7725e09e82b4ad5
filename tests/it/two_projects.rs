//! Several repositories in one run of the background: each is read with its own settings, and what is
//! found is stored under its own name.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;

use crate::asking::configure;
use crate::env::TestEnv;
use crate::scripted::{Scripted, answer_of, facts};

/// A repository with a remote of its own, a configuration, and the ticket of a session that ended there.
fn repository(env: &TestEnv, name: &str, config: &str) -> PathBuf {
    let folder = env.home().join("work").join(name);
    let write = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        folder.join(".git/config"),
        &format!("[remote \"origin\"]\n\turl = https://example.org/x/{name}.git\n"),
    );
    write(folder.join(".git/HEAD"), "ref: refs/heads/main\n");
    write(folder.join("lean-toolchain"), "leanprover/lean4:v4.24.0\n");
    write(folder.join(".math-forge/config.toml"), config);
    let said = json!({"type": "user", "cwd": folder, "message": {"role": "user",
        "content": format!("I prefer term-mode proofs in {name}.")}});
    let lesson =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures/lessons/lean_rename.jsonl");
    let lesson = fs::read_to_string(lesson).unwrap();
    let transcript = env.home().join(format!(".claude/projects/{name}/s.jsonl"));
    write(transcript.clone(), &format!("{said}\n{lesson}"));
    let ticket =
        json!({"session": format!("session-{name}"), "transcript": transcript, "folder": folder});
    let tickets = env.home().join(".local/state/math-forge/tickets");
    write(tickets.join(format!("session-{name}.json")), &ticket.to_string());
    folder
}

fn texts(env: &TestEnv, sql: &str) -> BTreeSet<String> {
    let database = Connection::open(env.database()).unwrap();
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
    rows.map(|row| row.unwrap().unwrap_or_default()).collect()
}

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn each_repository_keeps_its_name_and_its_settings() {
    let value = "Proofs of one line are in term mode.";
    let fact = ["preferences", "proof.style", value, "I prefer term-mode proofs in"];
    let server = Scripted::start(vec![answer_of(false, &facts(&[fact], &["lean"]))]);
    let env = TestEnv::new();
    configure(&env, &server, "");
    // The first in the order of work wants no lessons, the last wants nothing at all.
    let first = repository(&env, "a", "[learn]\nlessons = false\n");
    repository(&env, "b", "");
    repository(&env, "c", "[learn]\nexclude = [\"c\"]\n");
    repository(&env, "d", "");
    let mut learn = env.command();
    learn.arg("learn").current_dir(&first);
    env.finish(&mut learn).success();

    let abd = names(["example.org/x/a", "example.org/x/b", "example.org/x/d"]);
    assert_eq!(texts(&env, "SELECT project FROM transcripts"), abd);
    assert_eq!(
        texts(
            &env,
            "SELECT project || ': ' || content FROM proposals WHERE content LIKE '%I prefer%'"
        ),
        names([
            "example.org/x/a: I prefer term-mode proofs in a.",
            "example.org/x/b: I prefer term-mode proofs in b.",
            "example.org/x/d: I prefer term-mode proofs in d.",
        ])
    );
    // The same lesson again is the same record, of where it was seen last.
    assert_eq!(
        texts(&env, "SELECT project FROM findings WHERE finding_type = 'lesson'"),
        names(["example.org/x/d"]),
    );

    // The queue, in the background: a job says which folder it is about.
    let waiting = "SELECT kind FROM jobs WHERE state NOT IN ('done', 'dead')";
    // The background is the last to get its turn on a busy machine.
    let begun = Instant::now();
    while !texts(&env, waiting).is_empty() {
        assert!(begun.elapsed() < Duration::from_mins(2), "nothing came of it");
        std::thread::sleep(Duration::from_millis(50));
    }
    let facts =
        "SELECT project FROM findings WHERE finding_type = 'fact' AND title LIKE '%in term mode%'
         UNION SELECT project FROM proposals WHERE content LIKE '%in term mode%'";
    assert_eq!(texts(&env, facts), abd, "{:?}", texts(&env, "SELECT outcome FROM jobs"));
}

/// Slots are numbered anew in each project.
#[test]
fn a_slot_is_that_of_the_project_at_hand() {
    let env = TestEnv::new();
    let answer = |name: &str| {
        format!(
            "/-\nThis file was edited by Aristotle.\nThis project request had uuid: \
             7d0c5f1e-3a92-4b68-9e17-00000000000{}\n-/\ntheorem {name} (n : ℕ) : n < 2 ^ n := by simp\n",
            name.len()
        )
    };
    let mk = |folder: &PathBuf, arguments: &[&str]| {
        let mut command = env.command();
        command.args(arguments).current_dir(folder);
        env.finish(&mut command).success()
    };
    let [here, there, empty] = ["one", "two", "three"].map(|name| repository(&env, name, ""));
    for (folder, name) in [(&here, "span_bound"), (&there, "pier_bounds")] {
        fs::write(folder.join(format!("slot75_{name}_result.lean")), answer(name)).unwrap();
        mk(folder, &["extract", &format!("slot75_{name}_result.lean")]);
    }
    let said = mk(&here, &["find", "slot75"]);
    assert!(said.contains("span_bound") && !said.contains("pier_bounds"), "{said}");
    let said = mk(&there, &["find", "slot75"]);
    assert!(said.contains("pier_bounds") && !said.contains("span_bound"), "{said}");
    let said = mk(&empty, &["find", "slot75"]);
    assert!(said.contains("Not of this project, but of"), "{said}");
    assert!(said.contains("span_bound") && said.contains("pier_bounds"), "{said}");
    let prompt = |folder: &PathBuf| {
        let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": folder,
            "cwd": folder, "prompt": "what came of slot75?"});
        let mut command = env.command();
        command.args(["hook"]).current_dir(folder).write_stdin(event.to_string());
        env.finish(&mut command).success()
    };
    let told = prompt(&here);
    assert!(told.contains("span_bound") && !told.contains("pier_bounds"), "{told}");
    assert!(prompt(&empty).contains("slot75 of another project"), "{}", prompt(&empty));
}
