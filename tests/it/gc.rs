//! `mk gc`: what became old goes, everything else stays.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::privacy::{count, state};

const DAY: u64 = 24 * 60 * 60;

fn age(path: &Path, days: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * DAY);
    File::open(path).unwrap().set_modified(then).unwrap();
}

/// Writes a file of the state folder that is so many days old.
fn old(env: &TestEnv, name: &str, content: &str, days: u64) {
    let path = state(env).join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    age(&path, days);
}

fn removed(report: &Value) -> Vec<(String, u64)> {
    let list = report["removed"].as_array().unwrap().iter();
    list.map(|r| (r["what"].as_str().unwrap().to_owned(), r["count"].as_u64().unwrap())).collect()
}

fn fill(env: &TestEnv) {
    env.mk(&["add", "insight", "--title", "stays"]).success();
    let gone = env.project().join("gone.jsonl");
    let there = env.write("there.jsonl", "");
    for (name, content, days) in [
        ("sessions/old/start/a", "theorem", 20),
        ("sessions/old/start.json", "{}", 20),
        ("sessions/new/start/a", "theorem", 20),
        ("sessions/new/events", "{}", 1),
        ("said/old", "", 20),
        ("said/new", "", 2),
        ("locks/old", "", 40),
        ("learn/old.lock", "", 40),
        ("learn/new.lock", "", 3),
        ("learn/held.lock", "", 40),
        ("capture/old.lock", "", 40),
        ("mk.log.1", "old", 100),
        ("mk.log", "new\n", 100),
    ] {
        old(env, name, content, days);
    }
    for folder in ["sessions/old", "sessions/new"] {
        age(&state(env).join(folder), 20);
    }
    for (name, path, days) in [("a", &gone, 3), ("b", &there, 3), ("c", &gone, 0)] {
        let ticket = json!({"session": name, "transcript": path, "folder": env.project()});
        old(env, &format!("tickets/{name}.json"), &ticket.to_string(), days);
    }
    for (n, name) in ["bak-v0", "bak-v1", "bak-v2", "bak-v2-2", "aside"].into_iter().enumerate() {
        let path = env.database().with_file_name(format!("knowledge.db.{name}"));
        fs::write(&path, "x".repeat(1_000)).unwrap();
        age(&path, 100 - n as u64);
    }
    let memory =
        json!({"cursor": {"offset": 5, "lines": 1, "hash": "h"}, "digest": {"files": ["F"]}});
    let day = "strftime('%Y-%m-%d %H:%M:%S', 'now'";
    let statements = format!(
        "INSERT INTO guard_log (at, tool_use_id, event, rule, level) VALUES
           ({day}, '-370 days'), 'a', 'x', 'x', 'deny'), ({day}, '-300 days'), 'b', 'x', 'x', 'deny');
         INSERT INTO error_sightings (session_id, signature, first_at, last_at) VALUES
           ('a', 's', '2020', {day}, '-91 days')), ('b', 's', '2020', {day}, '-80 days'));
         INSERT INTO findings (finding_type, title, description, uid, status, detail)
         SELECT 'insight', value ->> 0, value ->> 0, value ->> 0, 'dropped', json_object(
           'said', json_object('extracted_at', {day}, value ->> 1)), 'decision', json_object('by', value ->> 2))
         FROM json_each('[[\"a\", \"-370 days\", \"expiry\"], [\"b\", \"-370 days\", \"terminal\"],
           [\"c\", \"-300 days\", \"expiry\"]]');
         INSERT INTO transcripts (path, state, read_at, closed) VALUES
           ('{0}', '', {day}, '-2 days'), 0), ('{0}2', '', {day}), 0),
           ('{1}', '{2}', {day}, '-31 days'), 1), ('{3}', '{2}', {day}, '-31 days'), 0);",
        gone.display(),
        there.display(),
        memory,
        env.write("open.jsonl", "").display(),
    );
    Connection::open(env.database()).unwrap().execute_batch(&statements).unwrap();
    fill_ledger(env);
}

/// Rows of the ledger, of each sort one that is old and one that is not.
fn fill_ledger(env: &TestEnv) {
    let day = "strftime('%Y-%m-%d %H:%M:%S', 'now'";
    let statements = format!(
        "INSERT INTO injections (session_id, at, event, label, kind, form, rule, tokens) VALUES
           ('a', {day}, '-370 days'), 'x', '#1', 'fact', 'body', 'x', 1),
           ('b', {day}, '-300 days'), 'x', '#1', 'fact', 'body', 'x', 1);
         INSERT INTO subagent_tasks (session_id, tool_use_id, agent_type, cues, at) VALUES
           ('a', 'a', 'x', '', {day}, '-2 days')), ('b', 'b', 'x', '', {day}));"
    );
    Connection::open(env.database()).unwrap().execute_batch(&statements).unwrap();
}

const EXPECTED: [(&str, u64); 14] = [
    ("sessions", 1),
    ("tickets of transcripts that are gone", 1),
    ("marks of what was said", 1),
    ("marks of projects", 1),
    ("lock files", 2),
    ("old logs", 1),
    ("old copies of the database", 2),
    ("rows of the guard's log", 1),
    ("errors of sessions", 1),
    ("expired proposals", 1),
    ("rows of the ledger", 1),
    ("tasks of subagents that never started", 1),
    ("reading positions in deleted transcripts", 1),
    ("records of ended sessions", 1),
];

fn check_what_is_left(env: &TestEnv) {
    for (name, there) in [
        ("sessions/old", false),
        ("sessions/new/start/a", true),
        ("said/new", true),
        ("learn/new.lock", true),
        ("learn/held.lock", true),
        ("mk.log", true),
        ("tickets/b.json", true),
        ("tickets/c.json", true),
    ] {
        assert_eq!(state(env).join(name).exists(), there, "{name}");
    }
    for (name, there) in [("bak-v1", false), ("bak-v2", true), ("bak-v2-2", true), ("aside", true)]
    {
        let path = env.database().with_file_name(format!("knowledge.db.{name}"));
        assert_eq!(path.exists(), there, "{name}");
    }
    let rest = count(
        env,
        "SELECT (SELECT count(*) FROM guard_log) * 1000 + (SELECT count(*) FROM error_sightings) * 100
         + (SELECT count(*) FROM proposals) * 10",
    );
    assert_eq!(rest, 1_120);
    for table in ["injections", "subagent_tasks"] {
        assert_eq!(count(env, &format!("SELECT count(*) FROM {table}")), 1, "{table}");
    }
    assert_eq!(count(env, "SELECT count(*) FROM transcripts"), 3);
    let with_memory = "SELECT count(*) FROM transcripts WHERE state LIKE '%\"F\"%' AND closed = 0";
    assert_eq!(count(env, with_memory), 1);
    assert_eq!(count(env, "SELECT count(*) FROM transcripts WHERE state LIKE '%\"F\"%'"), 1);
    assert_eq!(count(env, "SELECT count(*) FROM transcripts WHERE state LIKE '%\"offset\":5%'"), 2);
}

#[test]
fn what_is_old_goes_and_the_rest_stays() {
    let env = TestEnv::new();
    fill(&env);
    let held = File::open(state(&env).join("learn/held.lock")).unwrap();
    held.lock().unwrap();
    let expected: Vec<(String, u64)> =
        EXPECTED.iter().map(|(what, count)| ((*what).to_owned(), *count)).collect();
    let dry = env.mk(&["gc", "--dry-run", "--json"]).json();
    assert_eq!(removed(&dry), expected);
    assert!(state(&env).join("sessions/old").exists());
    let done = env.mk(&["gc", "--json"]).json();
    assert_eq!((removed(&done), &done["bytes"]), (expected, &dry["bytes"]));
    assert!(done["bytes"].as_u64().unwrap() > 2_000);
    check_what_is_left(&env);
    assert_eq!(env.mk(&["gc"]).success(), "nothing is old enough to remove\n");
    assert_eq!(count(&env, "SELECT count(*) FROM findings WHERE detail IS NULL"), 1);
}

#[test]
fn once_a_day_it_happens_by_itself() {
    let env = TestEnv::new();
    fill(&env);
    let held = File::open(state(&env).join("learn/held.lock")).unwrap();
    held.lock().unwrap();
    // The two tickets that are left are worked off first.
    assert!(env.mk(&["learn"]).code < 2);
    let mark = state(&env).join("gc");
    assert!(mark.exists() && !state(&env).join("sessions/old").exists());
    old(&env, "said/again", "", 20);
    assert!(env.mk(&["learn"]).code < 2);
    assert!(state(&env).join("said/again").exists(), "not twice a day");
    age(&mark, 2);
    assert!(env.mk(&["learn"]).code < 2);
    assert!(!state(&env).join("said/again").exists());
}

#[test]
fn the_database_is_written_anew_when_asked() {
    let env = TestEnv::new();
    env.mk(&["add", "insight", "--title", "t", "--description", &"Peregrine ".repeat(5_000)])
        .success();
    Connection::open(env.database()).unwrap().execute_batch("DELETE FROM findings").unwrap();
    let done = env.mk(&["gc", "--vacuum", "--json"]).json();
    assert!(done["vacuumed"].as_u64().unwrap() > 40_000, "{done}");
    assert!(crate::privacy::holding(&env.home(), "Peregrine", &[]).is_empty());
    let empty = TestEnv::new();
    assert_eq!(empty.mk(&["gc", "--vacuum"]).success(), "nothing is old enough to remove\n");
    assert!(!empty.database().exists());
}
