//! `mk forget`: what a person wants gone is gone from everything that math-forge keeps.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jiff::Timestamp;
use math_forge::app::{App, journal};
use math_forge::forget::{self, ForgetReport};
use math_forge::paths::{Environment, Paths};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::env::at_terminal;
use crate::play::{Player, SESSION};
use crate::privacy::{count, holding, sql, state};

/// A word that stands in everything.
const WORD: &str = "Peregrine";
const OTHER: &str = "aaaaaaaa-1111-2222-3333-444444444444";

/// The app as `mk` finds it in this place.
fn app(env: &TestEnv) -> App {
    let data = env.home().join(".local/share/math-forge");
    let environment = Environment::of(&[("MK_HOME", data.to_str().unwrap())]);
    let now: Timestamp = "2026-02-02T03:04:05Z".parse().unwrap();
    let mut app = App::new(environment, now, Some(&env.database()), None).unwrap();
    app.paths = Paths { data_dir: data, config_file: "/nowhere".into(), state_dir: state(env) };
    app
}

pub(crate) fn forget(
    env: &TestEnv,
    ids: &[&str],
    matching: Option<&str>,
    dry_run: bool,
) -> ForgetReport {
    let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    forget::run(&mut app(env), &ids, matching, dry_run).unwrap()
}

fn folder(env: &TestEnv) -> PathBuf {
    env.home().join(".local/share/math-forge")
}

/// Where the word still stands, in what is ours. Objects of git are compressed: asked for apart.
fn left(env: &TestEnv, word: &str) -> Vec<PathBuf> {
    holding(&env.home(), word, &[".claude", ".git"])
}

/// Without the database's log, which is there or not as the background leaves it.
fn without_log(mut places: Vec<PathBuf>) -> Vec<PathBuf> {
    places.retain(|path| !path.to_string_lossy().ends_with("-wal"));
    places
}

fn seed(env: &TestEnv) -> Value {
    let text = fs::read_to_string(folder(env).join("journal/seed.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A session in which everything is about the word, with a trace of it wherever there can be one.
fn live() -> Player {
    let player = Player::new();
    let env = &player.env;
    let file = env.write("M.lean", format!("theorem foo{WORD} : 1 = 1 := rfl\n"));
    journal::create(&folder(env).join("journal")).unwrap();
    player.hook("SessionStart", json!({"source": "startup"}));
    player.person(&format!(
        "Always use {WORD} notation for sums over ranges, in all files of this project."
    ));
    player.person("I prefer short names for local hypotheses.");
    let check = json!({"command": "lake env lean M.lean"});
    let error = format!("Exit code 1\nM.lean:7:8: error: Unknown identifier `{WORD}.sum_suc`\n");
    player.called("Bash", &check, &json!(""), (&error, true));
    let (old, new) = (format!("rw [{WORD}.sum_suc, ih]"), format!("rw [{WORD}.sum_succ, ih]"));
    let lines = [format!("-{old}"), format!("+{new}")];
    player.called(
        "Edit",
        &json!({"file_path": file, "old_string": old, "new_string": new}),
        &json!({"filePath": file, "structuredPatch": [
            {"oldStart": 7, "oldLines": 1, "newStart": 7, "newLines": 1, "lines": lines}]}),
        ("The file has been updated", false),
    );
    player.called("Bash", &check, &json!({"stdout": "", "stderr": ""}), ("", false));
    player.called("Bash", &check, &json!(""), (&error, true));
    player.hook("PreCompact", json!({"trigger": "auto"}));
    // The guard: a command that it refuses, a proof that would be lost (and copies of the file).
    let command = format!("echo '{WORD}' > ~/.config/math-forge/config.toml");
    let more =
        json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": command}});
    player.hook("PreToolUse", more);
    let edit = json!({"tool_name": "Edit", "tool_use_id": "t2", "tool_input": {"file_path": file,
        "old_string": ":= rfl", "new_string": ":= by sorry"}});
    player.hook("PreToolUse", edit);
    let bash = json!({"tool_name": "Bash", "tool_use_id": "t3", "tool_input": check,
        "tool_response": {"stdout": error, "stderr": ""}});
    player.hook("PostToolUse", bash);
    let mut snapshot = env.command();
    env.finish(snapshot.args(["snapshot", "--session", SESSION])).success();
    env.mk(&["add", "insight", "--title", &format!("By hand: {WORD}"), "--problem", "p 1"])
        .success();
    env.mk(&["learn"]).success();
    let log = state(env).join("mk.log");
    let before = fs::read_to_string(&log).unwrap_or_default();
    fs::write(&log, format!("{before}2026-01-01 x: {WORD}\n2026-01-01 x: {SESSION}\nkept\n"))
        .unwrap();
    fs::write(folder(env).join("knowledge.db.bak-v1"), format!("old {WORD}")).unwrap();
    player
}

#[test]
fn a_text_is_gone_from_everything() {
    let player = live();
    let env = &player.env;
    let places = left(env, WORD);
    let shown = |name: &str| places.iter().any(|path| path.to_string_lossy().contains(name));
    for name in ["knowledge.db", "bak-v1", "seed.json", "sessions/", "mk.log"] {
        assert!(shown(name), "{name}: {places:?}");
    }
    for table in ["guard_log", "lessons", "proposals", "error_sightings"] {
        assert!(count(env, &format!("SELECT count(*) FROM {table}")) > 0, "{table}");
    }
    sql(
        env,
        &format!(
            "INSERT INTO strategies (problem_id, problem_name, approach_name, outcome)
             VALUES ('p_1', 'P', 'by {WORD}', 'failed');
             INSERT INTO queue_cache (id, cached_at, raw_json) VALUES (1, '2026', '[\"{WORD}\"]');
             INSERT INTO problems (id, name) VALUES ('{WORD}_2', 'x'), ('other_1', 'x');
             INSERT INTO domains (id, name) VALUES ('{WORD}', 'x');
             INSERT INTO guard_locks VALUES ('p', 'A.b', '1 = {WORD}', NULL, 'person', '2026', NULL, NULL);
             ALTER TABLE findings ADD COLUMN mine TEXT;
             INSERT INTO findings (finding_type, title, description, mine)
             VALUES ('insight', 'other', 'stays', NULL), ('insight', 't', 'd', '{WORD}');"
        ),
    );
    let before = count(env, "SELECT count(*) FROM findings");
    let dry = forget(env, &[], Some("peregrine"), true);
    assert_eq!(count(env, "SELECT count(*) FROM findings"), before);
    assert_eq!(without_log(left(env, WORD)), without_log(places));
    // A page tells what is forgotten, too.
    env.mk(&["report"]).success();
    let done = forget(env, &[], Some("peregrine"), false);
    assert_eq!((dry.count, &dry.rows, &dry.files), (done.count, &done.rows, &done.files));
    assert_eq!((dry.journal, dry.log_lines), (done.journal, done.log_lines));
    assert!(done.cleaned && done.journal == 1 && done.log_lines >= 1, "{done:?}");
    assert_eq!(done.backups.len(), 1);
    assert_eq!(left(env, WORD), Vec::<PathBuf>::new());
    // What is about something else stays.
    assert_eq!(count(env, "SELECT count(*) FROM findings WHERE title = 'other'"), 1);
    assert_eq!(count(env, "SELECT count(*) FROM problems WHERE id = 'other_1'"), 1);
    assert_eq!(count(env, "SELECT count(*) FROM proposals"), 1);
    assert!(fs::read_to_string(state(env).join("mk.log")).unwrap().ends_with("kept\n"));
    assert_eq!(seed(env)["state"]["proposals"].as_array().unwrap().len(), 1);
    let out = done.out_of_reach.join("\n");
    assert!(out.contains("history of git") && out.contains("~/.claude"), "{out}");
    env.mk(&["doctor"]).success();
    let again = forget(env, &[], Some("peregrine"), true);
    assert!(again.out_of_reach.join("\n").contains("history of git"), "also the next time");

    // The place in the transcript is kept, so nothing is read again; and if it were, nothing comes back.
    let offset = count(env, "SELECT offset FROM transcripts");
    assert!(offset > 0);
    let event_again = || player.hook("PreCompact", json!({}));
    event_again();
    assert_eq!(left(env, WORD), Vec::<PathBuf>::new());
    sql(env, "DELETE FROM transcripts");
    event_again();
    assert_eq!(count(env, "SELECT count(*) FROM proposals"), 1);
    assert_eq!(count(env, "SELECT count(*) FROM lessons"), 0);
    // A person may say it again.
    env.mk(&["add", "insight", "--title", &format!("By hand: {WORD}"), "--problem", "p 1"])
        .success();
    assert_eq!(count(env, "SELECT count(*) FROM findings WHERE title LIKE 'By hand%'"), 1);
}

#[test]
fn a_session_goes_with_all_that_was_learnt_in_it() {
    let player = live();
    let env = &player.env;
    let lessons = count(env, "SELECT count(*) FROM lessons");
    assert!(lessons > 0 && state(env).join("sessions").join(SESSION).is_dir());
    sql(env, &format!("INSERT INTO client_sessions VALUES ('{OTHER}', NULL, 'x', 'x', 1)"));
    let done = forget(env, &[&SESSION[..13]], None, false);
    assert_eq!(done.sessions, [SESSION]);
    assert_eq!(done.journal, 2, "{done:?}");
    assert!(done.log_lines >= 1);
    for table in
        ["proposals", "lessons", "transcripts", "guard_log", "error_sightings", "injections"]
    {
        assert_eq!(count(env, &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    assert_eq!(count(env, "SELECT count(*) FROM client_sessions"), 1, "the other one");
    assert_eq!(left(env, SESSION), Vec::<PathBuf>::new());
    assert!(!state(env).join("sessions").join(SESSION).exists());
    // It goes on, ends, and is read by hand: nothing is learnt from it any more.
    player.hook("SessionStart", json!({"source": "resume"}));
    player.person("Always use the bundled simp set.");
    player.hook("PreCompact", json!({}));
    player.hook("SessionEnd", json!({}));
    env.mk(&["learn"]).success();
    env.mk(&["extract", player.transcript().to_str().unwrap()]).success();
    for table in ["proposals", "lessons", "transcripts"] {
        assert_eq!(count(env, &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    assert_eq!(count(env, "SELECT count(*) FROM client_sessions"), 1, "still");
    // One that nobody has heard of may be forgotten ahead.
    assert_eq!(forget(env, &["12345678-aaaa-bbbb-cccc-123456789012"], None, false).count, 1);
}

#[test]
fn one_thing_goes_with_what_it_became() {
    let player = live();
    let env = &player.env;
    let connection = Connection::open(env.database()).unwrap();
    let text = |sql: &str| -> String { connection.query_row(sql, [], |row| row.get(0)).unwrap() };
    let short = text("SELECT id FROM proposals WHERE content LIKE '%short names%'");
    sql(
        env,
        &format!(
            "INSERT INTO findings (id, finding_type, title, description) VALUES (900, 'preference',
             'short names', 'short names everywhere');
             INSERT INTO findings (id, finding_type, title, description, superseded_by)
             VALUES (901, 'preference', 'older', 'x', 900);
             UPDATE findings SET superseded_by = 900, status = 'superseded' WHERE uid = '{short}'"
        ),
    );
    let done = forget(env, &["#900"], None, false);
    let ids: Vec<&str> = done.things.iter().map(|thing| thing.id.as_str()).collect();
    assert_eq!(ids, ["#900", &*short], "{done:?}");
    assert_eq!((done.journal, done.count), (1, 2), "{done:?}");
    assert_eq!(left(env, "short names"), Vec::<PathBuf>::new());
    assert_eq!(count(env, "SELECT superseded_by IS NULL FROM findings WHERE id = 901"), 1);
    assert!(!left(env, WORD).is_empty(), "the rest stays");
    // By uid, and by the beginning of a proposal's id.
    let uid = text("SELECT uid FROM findings WHERE title LIKE 'By hand%'");
    assert_eq!(forget(env, &[&uid[..10]], None, false).things.len(), 1);
    let id = text("SELECT id FROM proposals");
    assert_eq!(forget(env, &[&id[..8]], None, false).things.len(), 1);
    let mut app = app(env);
    for (id, matching, expected) in [
        ("900", None, "nothing is stored under `900`"),
        ("no such", None, "nothing is stored under `no such`"),
        ("901", Some("ab"), "`ab` occurs nearly everywhere"),
    ] {
        let error =
            forget::run(&mut app, &[id.to_owned()], matching, true).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn what_was_injected_goes_with_its_finding_and_its_session() {
    let player = Player::new();
    let env = &player.env;
    let name = format!("Foo.{WORD}_one");
    let row = json!({"kind": "insight", "title": "x", "theorem_name": name});
    let add = ["add", "--jsonl", "-"];
    env.mk_with_input(&add, row.to_string()).success();
    let tell = || {
        player.hook("UserPromptSubmit", json!({"prompt": format!("use {name} here")}));
        let input = json!({"prompt": format!("prove Foo.{WORD}_two")});
        let more = json!({"tool_name": "Agent", "tool_use_id": "t", "tool_input": input});
        player.hook("PreToolUse", more);
    };
    let kept =
        "SELECT (SELECT count(*) FROM injections) * 10 + (SELECT count(*) FROM subagent_tasks)";
    tell();
    assert_eq!(count(env, kept), 11);
    forget(env, &[SESSION], None, false);
    assert_eq!(count(env, kept), 0);
    tell();
    assert_eq!(count(env, kept), 0, "nothing of it is kept again");
    // The next session is told again; then the finding goes, with everything that was said of it.
    let sql = "DELETE FROM forgotten";
    Connection::open(env.database()).unwrap().execute_batch(sql).unwrap();
    tell();
    forget(env, &["#1"], None, false);
    assert_eq!(count(env, kept), 1, "the task is another thing");
    forget(env, &[], Some(WORD), false);
    assert_eq!((count(env, kept), left(env, WORD)), (0, Vec::<PathBuf>::new()));
}

#[test]
fn where_the_journal_has_to_wait_nothing_is_changed() {
    let player = live();
    let env = &player.env;
    let journal = folder(env).join("journal");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(&journal).args(["-c", "user.name=p", "-c", "user.email=p@x"]);
        assert!(git.args(arguments).output().unwrap().status.success());
    };
    git(&["checkout", "-q", "--detach"]);
    let before = (without_log(left(env, WORD)), count(env, "SELECT count(*) FROM findings"));
    let error = forget::run(&mut app(env), &[], Some(WORD), false).unwrap_err().to_string();
    assert_eq!(
        error,
        "the journal cannot be changed now: no branch is checked out in the journal's repository"
    );
    let after = (without_log(left(env, WORD)), count(env, "SELECT count(*) FROM findings"));
    assert_eq!(after, before);
    git(&["checkout", "-q", "-"]);
    forget(env, &[], Some(WORD), false);
    assert_eq!(left(env, WORD), Vec::<PathBuf>::new());
    let log =
        Command::new("git").arg("-C").arg(&journal).args(["log", "-1", "--format=%s"]).output();
    assert_eq!(String::from_utf8(log.unwrap().stdout).unwrap(), "Learn: forgot 1 proposals\n");
}

#[test]
fn what_could_not_be_cleaned_is_said() {
    let env = TestEnv::new();
    env.mk(&["add", "insight", "--title", WORD]).success();
    let reader = Connection::open(env.database()).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM findings").unwrap();
    let mut app = app(&env);
    app.wait_at_most(std::time::Duration::from_millis(50));
    let done = forget::run(&mut app, &["1".to_owned()], None, false).unwrap();
    assert!(!done.cleaned && done.things.len() == 1);
    assert!(
        done.out_of_reach[0].contains("run `mk gc --vacuum` when no session is running"),
        "{done:?}"
    );
    assert!(!left(&env, WORD).is_empty());
    drop(reader);
    env.mk(&["gc", "--vacuum"]).success();
    assert_eq!(left(&env, WORD), Vec::<PathBuf>::new());
}

#[test]
fn an_empty_place_has_nothing_to_forget() {
    let env = TestEnv::new();
    let done = forget(&env, &[], Some("nothing at all"), false);
    assert_eq!((done.count, done.rows.len(), done.cleaned), (0, 0, false));
    assert!(!env.database().exists());
    assert!(!Path::new(&state(&env)).join("sessions").exists());
}

#[test]
fn a_person_types_how_many_things_it_is() {
    let env = TestEnv::new();
    for title in ["One Peregrine", "Two Peregrine", "Three"] {
        env.mk(&["add", "insight", "--title", title]).success();
    }
    let line = ["forget", "--matching", "peregrine"];
    assert_eq!(
        env.mk(&line).failure(1),
        "mk: forgetting is a person's decision: run it in a terminal, not from a script\n"
    );
    let dry = env.mk(&["forget", "--matching", "peregrine", "--dry-run", "--json"]).json();
    assert_eq!((&dry["count"], &dry["dry_run"]), (&json!(2), &json!(true)));
    // The agent may look what it is, and is not told what it says.
    let mut beside = env.command();
    beside.args(["forget", "--matching", "peregrine", "--dry-run"]).env("CLAUDECODE", "1");
    let said = env.finish(&mut beside).success();
    assert!(said.contains("#1") && said.contains("2 things would be"), "{said}");
    assert!(!said.contains("Peregrine"), "{said}");
    let mut beside = env.command();
    beside.args(line).env("CLAUDECODE", "1");
    let refused = env.finish(&mut beside).failure(1);
    assert!(refused.contains("outside of Claude Code"), "{refused}");
    let Some(said) = at_terminal(&env, &line, "1") else { return };
    assert!(said.contains("#1 One Peregrine") && said.contains("2 things would be"), "{said}");
    assert!(said.contains("that is not `2`: nothing was changed"), "{said}");
    let said = at_terminal(&env, &line, "2").unwrap();
    assert!(said.contains("2 things forgotten\nOut of reach:\n"), "{said}");
    let said = at_terminal(&env, &["forget", "3", "--yes"], "").unwrap();
    assert!(said.contains("1 thing forgotten"), "{said}");
    assert_eq!(count(&env, "SELECT count(*) FROM findings"), 0);
    assert_eq!(left(&env, "peregrine"), Vec::<PathBuf>::new());
}
