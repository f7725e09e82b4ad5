//! Completed runs and what is made of them: how they are recorded, an extraction and processes that are
//! killed in it, counting without a model, `mk playbooks`.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use math_forge::app::App;
use math_forge::model::{Run, RunEvidence, RunSource};
use math_forge::paths::Environment;
use math_forge::store::Store;
use serde_json::{Value, json};

use crate::env::{Output, TestEnv};
use crate::privacy::wait;
use crate::scripted::{Script, Scripted, answer_of};
use crate::tracking_fixture::{Fixture, Vocabulary};

/// A home and a project, where runs are recorded.
struct Place {
    env: TestEnv,
}

impl Place {
    fn new() -> Self {
        Self { env: TestEnv::new() }
    }

    fn database(&self) -> PathBuf {
        self.env.database()
    }

    fn configure(&self, server: &Scripted) {
        self.env.configure(&format!("[llm]\nurl = \"{}\"\nmodel = \"m\"\n", server.url()));
    }

    fn mk(&self, arguments: &[&str]) -> Output {
        self.env.mk(arguments)
    }

    fn extract(&self) -> Value {
        self.mk(&["extract", "--json"]).json()
    }

    /// Starts `mk extract` and does not wait for it.
    fn start(&self) -> Child {
        Command::new(env!("CARGO_BIN_EXE_mk"))
            .env_clear()
            .env("HOME", self.env.home())
            .current_dir(self.env.project())
            .arg("extract")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn app(&self) -> App {
        let home = self.env.home();
        let environment = Environment::of(&[("HOME", home.to_str().unwrap())]);
        App::new(environment, jiff::Timestamp::now(), Some(&self.database()), None).unwrap()
    }

    fn record(&self, runs: &[Run]) {
        let now = jiff::Timestamp::now();
        let mut store = Store::open(&self.database()).unwrap();
        store
            .write(now, |writer| runs.iter().try_for_each(|run| writer.put_run(run).map(drop)))
            .unwrap();
    }

    fn one(&self, sql: &str) -> String {
        let database = rusqlite::Connection::open(self.database()).unwrap();
        let value: rusqlite::types::Value = database.query_row(sql, [], |row| row.get(0)).unwrap();
        match value {
            rusqlite::types::Value::Integer(number) => number.to_string(),
            rusqlite::types::Value::Text(text) => text,
            other => format!("{other:?}"),
        }
    }

    fn extracted(&self) -> String {
        self.one("SELECT count(extracted_at) || ' of ' || count(*) FROM runs")
    }

    fn entries(&self) -> String {
        self.one("SELECT coalesce(group_concat(title, '; '), '') FROM playbooks")
    }
}

fn run(workflow: &str) -> Run {
    Run {
        source: RunSource::Session,
        workflow_id: workflow.to_owned(),
        task_id: format!("task-{workflow}"),
        session: Some(workflow.to_owned()),
        description: "Prove that the sum of two odd primes is even".to_owned(),
        outcome: "The last build had no error.".to_owned(),
        evidence: RunEvidence { files: vec!["Odd.lean".to_owned()], ..RunEvidence::default() },
        ..Run::default()
    }
}

/// What the model says, about a text of some length.
fn said(content: &str) -> Script {
    answer_of(false, content)
}

fn answer(titles: &[&str]) -> Script {
    let entries: Vec<Value> = titles
        .iter()
        .map(|title| json!({ "title": title, "content": "Split the odd numbers first.", "run": 1 }))
        .collect();
    said(&json!({ "entries": entries, "summary": "Parity." }).to_string())
}

#[test]
fn a_model_makes_entries_once() {
    let place = Place::new();
    let server = Scripted::start(vec![answer(&["Split by parity", "Use omega"])]);
    place.configure(&server);
    place.record(&[run("a"), run("b")]);
    let planned = place.mk(&["extract", "--dry-run", "--json"]).json();
    assert_eq!(planned["source_workflow_ids"], json!(["a", "b"]));
    assert_eq!(planned["runs"][0]["task_id"], "task-a");
    assert_eq!((server.asked().len(), place.extracted().as_str()), (0, "0 of 2"));

    let report = place.extract();
    assert_eq!(report["entries_created"], 2);
    assert_eq!(report["source_workflow_ids"], json!(["a", "b"]));
    assert_eq!(report["summary"], "Parity.");
    let usage = &report["usage"];
    assert_eq!((&usage["requests"], &usage["model"]), (&json!(1), &json!("m")));
    assert_eq!((&usage["prompt_tokens"], &usage["reply_tokens"]), (&json!(1500), &json!(200)));
    assert_eq!((server.asked().len(), place.extracted().as_str()), (1, "2 of 2"));
    let row = place.one(
        "SELECT json_array(title, content, tags_json, source_task_id, source_workflow_id,
         extraction_workflow_id = (SELECT extraction_id FROM runs WHERE workflow_id = 'a'))
         FROM playbooks ORDER BY id LIMIT 1",
    );
    assert_eq!(
        serde_json::from_str::<Value>(&row).unwrap(),
        json!([
            "Split by parity",
            "Split the odd numbers first.",
            "[\"lean\",\"number-theory\"]",
            "task-a",
            "a",
            1
        ])
    );
    assert_eq!(place.one("SELECT confidence || evidence FROM findings WHERE id = 1"), "lowmodel");

    let again = place.extract();
    assert_eq!((&again["entries_created"], server.asked().len()), (&json!(0), 1));
    // The same title from another run is the same entry; a run that goes on is looked at again.
    place.record(&[Run { outcome: "Nothing was built.".to_owned(), ..run("b") }]);
    let more = place.extract();
    assert_eq!((&more["entries_created"], &more["entries_updated"]), (&json!(0), &json!(2)));
    assert_eq!(place.entries(), "Split by parity; Use omega");
}

#[test]
fn an_empty_answer_stores_nothing_and_the_runs_count() {
    let place = Place::new();
    let server = Scripted::start(vec![answer(&[])]);
    place.configure(&server);
    place.record(&[run("a")]);
    let report = place.extract();
    assert_eq!(
        (&report["entries_created"], &report["source_workflow_ids"]),
        (&json!(0), &json!(["a"]))
    );
    assert_eq!((place.entries().as_str(), place.extracted().as_str()), ("", "1 of 1"));
    assert_eq!(place.extract()["source_workflow_ids"], json!([]));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_process_that_is_killed_while_it_asks_loses_nothing() {
    let place = Place::new();
    let silent = Scripted::start(vec![Script::Nothing]);
    place.configure(&silent);
    place.record(&[run("a"), run("b")]);
    for times in 1..=2 {
        let mut child = place.start();
        wait(|| silent.asked().len() == times);
        // Nobody else works on the same runs meanwhile.
        assert_eq!(place.extract()["busy"], true);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(place.one("SELECT group_concat(state || (step IS NULL)) FROM jobs"), "running1");
        assert_eq!((place.entries().as_str(), place.extracted().as_str()), ("", "0 of 2"));
    }
    let server = Scripted::start(vec![answer(&["Split by parity"])]);
    place.configure(&server);
    let report = place.extract();
    assert_eq!((&report["entries_created"], server.asked().len()), (&json!(1), 1));
    assert_eq!(report["source_workflow_ids"], json!(["a", "b"]));
    assert_eq!(
        (place.entries().as_str(), place.extracted().as_str()),
        ("Split by parity", "2 of 2")
    );
    assert_eq!(place.one("SELECT group_concat(state || (step IS NULL)) FROM jobs"), "done1");
    assert_eq!(place.extract()["source_workflow_ids"], json!([]));
}

/// What keeps entries from being stored: the process ends there, with the reply in the job's row.
const NO_ENTRIES: &str = "CREATE TRIGGER no_entries BEFORE INSERT ON findings
    WHEN new.finding_type = 'playbook' BEGIN SELECT RAISE(ABORT, 'not now'); END";

impl Place {
    fn sql(&self, sql: &str) {
        rusqlite::Connection::open(self.database()).unwrap().execute_batch(sql).unwrap();
    }

    /// Two runs that were asked about, with the answer in the job's row.
    fn asked(&self, server: &Scripted) {
        self.configure(server);
        self.record(&[run("a"), run("b")]);
        self.sql(NO_ENTRIES);
        assert!(self.mk(&["extract"]).failure(1).contains("not now"));
        self.sql("DROP TRIGGER no_entries");
        assert_eq!(self.one("SELECT step || state FROM jobs"), "askedwaiting");
        assert_eq!((self.entries().as_str(), self.extracted().as_str()), ("", "0 of 2"));
    }
}

#[test]
fn a_process_that_ends_before_it_saves_loses_and_repeats_nothing() {
    // The reply is there, and nobody is asked again.
    let server = Scripted::start(vec![answer(&["Split by parity"])]);
    let place = Place::new();
    place.asked(&server);
    let report = place.extract();
    assert_eq!((&report["entries_created"], server.asked().len()), (&json!(1), 1));
    assert_eq!(place.extracted(), "2 of 2");
    assert_eq!(place.extract()["source_workflow_ids"], json!([]));
    assert_eq!((place.entries().as_str(), server.asked().len()), ("Split by parity", 1));

    // What somebody edited in the job's row begins again.
    for payload in ["'x'", "json_set(payload, '$.reading', 'r')"] {
        let place = Place::new();
        place.asked(&server);
        place.sql(&format!("UPDATE jobs SET payload = {payload}"));
        assert_eq!(place.extract()["entries_created"], 1, "{payload}");
    }

    // A run that changed since it was asked about in vain is asked about as it is now.
    let place = Place::new();
    let silent = Scripted::start(vec![Script::Say(503, r#"{"error":"no"}"#.to_owned())]);
    place.configure(&silent);
    place.record(&[run("a"), run("b")]);
    place.mk(&["extract"]).failure(1);
    place.record(&[Run { outcome: "Another end.".to_owned(), ..run("b") }]);
    place.configure(&server);
    assert_eq!(place.extract()["entries_created"], 1);
    assert!(server.texts().last().unwrap().contains("Another end."));
}

#[test]
fn a_reply_that_has_come_is_saved_when_the_model_is_gone() {
    let server = Scripted::start(vec![answer(&["Split by parity"])]);
    let place = Place::new();
    place.asked(&server);
    place.record(&[run("c")]);
    drop(server);
    let report = place.mk(&["extract", "--no-model", "--json"]).json();
    assert_eq!((&report["model"], &report["entries_created"]), (&Value::Null, &json!(1)));
    assert_eq!(report["source_workflow_ids"], json!(["a", "b", "c"]));
    // What only the rules have looked at waits for a model, should there be one later.
    let server = Scripted::start(vec![answer(&[])]);
    place.configure(&server);
    assert_eq!(place.extract()["source_workflow_ids"], json!(["c"]));
}

#[test]
fn servers_that_fail() {
    let place = Place::new();
    let server = Scripted::start(vec![Script::Say(503, r#"{"error":"no"}"#.to_owned())]);
    place.configure(&server);
    place.record(&[run("a"), run("b")]);
    let message = place.mk(&["extract"]).failure(1);
    assert!(message.contains("is busy"), "{message}");
    drop(server);
    assert!(place.mk(&["extract"]).failure(1).contains("no model server answers"));
    assert_eq!(place.one("SELECT sum(failures) FROM runs"), "0", "nobody's fault");

    // An answer of no use frees the runs; each is then asked about alone, and given up in the end.
    let server = Scripted::start(vec![said("I would rather not.")]);
    place.configure(&server);
    for failures in ["1 1", "1 2", "2 2", "2 3", "3 3"] {
        let message = place.mk(&["extract"]).failure(1);
        assert!(message.contains("is not usable"), "{message}");
        let sql =
            "SELECT group_concat(failures, ' ') FROM (SELECT failures FROM runs ORDER BY failures)";
        assert_eq!(place.one(sql), failures);
    }
    assert_eq!(place.extract()["source_workflow_ids"], json!([]));
    assert_eq!((place.entries().as_str(), place.extracted().as_str()), ("", "0 of 2"));
}

/// A prover's result whose proof is by induction.
fn result(name: &str) -> String {
    format!(
        "/-\nThis file was edited by Aristotle (https://aristotle.harmonic.fun).\n-/\nimport Mathlib\n\ntheorem {name} (n : ℕ) (p : ℕ) (hp : p.Prime) : n.Coprime p → n ≤ 2 ^ n := by\n  \
         induction n with\n  | zero => simp\n  | succ n ih => intro h; omega\n"
    )
}

#[test]
fn what_worked_three_times_is_an_entry_without_any_model() {
    let place = Place::new();
    place.env.write("lakefile.toml", "name = \"p\"\n");
    let add = |number: u32| {
        let name = format!("slot{number}_erdos_{number}_result.lean");
        place.env.write(&name, result(&format!("bound_{number}")));
        place.mk(&["extract", &name]).success();
    };
    (1..=2).for_each(add);
    let report = place.extract();
    assert_eq!(report["entries_created"], 0);
    assert_eq!(
        report["source_workflow_ids"],
        json!(["slot1_erdos_1_result.lean", "slot2_erdos_2_result.lean"])
    );
    add(3);
    let report = place.extract();
    assert_eq!((&report["entries_created"], &report["model"]), (&json!(1), &Value::Null));
    let row = "SELECT title || ' | ' || tags_json || ' | ' || source_task_id FROM playbooks";
    assert_eq!(
        place.one(row),
        "For number theory try induction | [\"induction\",\"lean\",\"number-theory\"] | erdos_1"
    );
    assert_eq!(
        place.one(
            "SELECT confidence || ' ' || evidence FROM findings WHERE finding_type = 'playbook'"
        ),
        "medium session"
    );
    // The same evidence again changes nothing, more of it changes the entry.
    rusqlite::Connection::open(place.database())
        .unwrap()
        .execute_batch("UPDATE runs SET extracted_at = NULL")
        .unwrap();
    let report = place.extract();
    assert_eq!((&report["entries_created"], &report["entries_updated"]), (&json!(0), &json!(0)));
    add(4);
    let report = place.extract();
    assert_eq!((&report["entries_created"], &report["entries_updated"]), (&json!(0), &json!(1)));
    assert!(place.one("SELECT content FROM playbooks").contains("in 4 different runs"));
    // The same file again is the same run.
    place.mk(&["extract", "slot4_erdos_4_result.lean"]).success();
    assert_eq!(place.extract()["source_workflow_ids"], json!([]));
    assert_eq!(place.one("SELECT count(*) FROM runs"), "4");
}

#[test]
fn entries_are_listed_by_tag_and_task() {
    let place = Place::new();
    let server = Scripted::start(vec![answer(&["Split by parity"])]);
    place.configure(&server);
    place.record(&[run("a")]);
    place.extract();
    let ids = |arguments: &[&str]| {
        let mut all = vec!["playbooks", "--json"];
        all.extend(arguments);
        let report = place.mk(&all).json();
        assert_eq!(report["total"], report["findings"].as_array().unwrap().len());
        report["total"].as_u64().unwrap()
    };
    for (arguments, expected) in [
        (&[][..], 1),
        (&["--tag", "lean"], 1),
        (&["--tag", "Number_Theory"], 1),
        (&["--tag", "python", "--tag", "lean"], 1),
        (&["--tag", "python"], 0),
        (&["--tag", "number"], 0),
        (&["--task-id", "task-a"], 1),
        (&["--task-id", "task-b"], 0),
        (&["--task-id", "task-a", "--tag", "python"], 0),
        (&["--limit", "1"], 1),
    ] {
        assert_eq!(ids(arguments), expected, "{arguments:?}");
    }
}

#[test]
fn an_import_records_its_submissions_once() {
    let place = Place::new();
    let path = place.env.write("submissions/tracking.db", "");
    fs::remove_file(&path).unwrap();
    Fixture::new(Vocabulary::New).write(&path);
    place.mk(&["import"]).success();
    let runs = place.one("SELECT group_concat(source || ' ' || count) FROM (SELECT source, count(*) AS count FROM runs GROUP BY source)");
    let count: u32 = runs.strip_prefix("submission ").unwrap().parse().unwrap();
    assert!((150..=300).contains(&count), "{runs}");
    let sample =
        place.one("SELECT description || outcome FROM runs WHERE outcome LIKE 'Proved%' LIMIT 1");
    assert!(sample.contains("An attempt at") && sample.contains("gap"), "{sample}");
    let print = "SELECT group_concat(hash) FROM runs";
    let before = place.one(print);
    place.mk(&["import"]).success();
    assert_eq!(place.one(print), before);
}

const SESSION: &str = "aaaaaaaa-2222-3333-4444-555555555555";

fn session(place: &Place) -> PathBuf {
    let line = |kind: &str, content: &Value| {
        json!({ "type": kind, "sessionId": SESSION, "uuid": "u", "cwd": place.env.project(),
            "timestamp": jiff::Timestamp::now().to_string(), "message": { "role": kind, "content": content } })
        .to_string()
    };
    let call = |id: &str, name: &str, input: &Value| {
        line("assistant", &json!([{ "type": "tool_use", "id": id, "name": name, "input": input }]))
    };
    let result = |id: &str, text: &str| {
        line("user", &json!([{ "type": "tool_result", "tool_use_id": id, "content": text }]))
    };
    let file = place.env.project().join("Odd.lean");
    let lines = [
        line("user", &json!("Prove odd_sum; the token is TOKEN=abcd1234efgh5678ijkl9012mnop")),
        call(
            "1",
            "Write",
            &json!({ "file_path": file, "content": "theorem odd_sum : 1 = 1 := by\n  omega\n" }),
        ),
        result("1", "File created successfully"),
        call("2", "Bash", &json!({ "command": "lake build" })),
        result("2", "Build completed successfully (3 jobs)."),
    ];
    place.env.write("session.jsonl", lines.join("\n") + "\n")
}

#[test]
fn the_end_of_a_session_records_a_run() {
    let place = Place::new();
    let transcript = session(&place);
    let event = json!({ "hook_event_name": "SessionEnd", "session_id": SESSION, "reason": "other",
        "cwd": place.env.project(), "transcript_path": transcript });
    let end = || {
        place.env.mk_with_input(&["hook"], event.to_string()).success();
    };
    let recorded = || {
        // The background makes the database.
        let read_only = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        rusqlite::Connection::open_with_flags(place.database(), read_only)
            .and_then(|database| {
                database.query_row("SELECT count(*) FROM runs", [], |row| row.get::<_, i64>(0))
            })
            .unwrap_or(0)
    };
    end();
    wait(|| recorded() == 1);
    assert_eq!(
        place.one(
            "SELECT source || ' ' || workflow_id || ' ' || task_id || ' ' || outcome FROM runs"
        ),
        format!("session {SESSION} Odd.lean The last build had no error.")
    );
    assert_eq!(
        place.one("SELECT description FROM runs"),
        "Prove odd_sum; the token is TOKEN=[secret removed]"
    );
    let evidence: Value = serde_json::from_str(&place.one("SELECT evidence FROM runs")).unwrap();
    assert_eq!(evidence["tried"], json!(["linear arithmetic (omega)", "tactics omega"]));
    // Its end again: still one run.
    end();
    place.mk(&["learn"]).success();
    assert_eq!(recorded(), 1);
}

#[test]
fn a_session_whose_end_nobody_saw_is_a_run_when_nothing_is_written_any_more() {
    for is_gone in [false, true] {
        let place = Place::new();
        let transcript = session(&place);
        let event = json!({ "hook_event_name": "PreCompact", "session_id": SESSION,
            "trigger": "auto", "cwd": place.env.project(), "transcript_path": transcript });
        place.env.mk_with_input(&["hook"], event.to_string()).success();
        let state = || {
            place.mk(&["learn"]).success();
            let sql = "SELECT (SELECT sum(closed) FROM transcripts) || ' '
                || (SELECT coalesce(max(task_id), 'none') FROM runs)";
            place.one(sql)
        };
        assert_eq!(state(), "0 none");
        if is_gone {
            fs::remove_file(&transcript).unwrap();
        } else {
            let hours = Duration::from_hours(7);
            let file = fs::File::options().append(true).open(&transcript).unwrap();
            file.set_modified(std::time::SystemTime::now() - hours).unwrap();
        }
        assert_eq!(state(), "1 Odd.lean");
    }
}

#[test]
fn runs_are_forgotten_and_become_old() {
    let place = Place::new();
    let server = Scripted::start(vec![answer(&["Split by parity"])]);
    let other = Run { description: "Something about cauchy".to_owned(), ..run("bbbbbbbb-other") };
    place.configure(&server);
    place.record(&[run("aaaaaaaa-session"), other]);
    place.sql(NO_ENTRIES);
    place.mk(&["extract"]).failure(1);
    place.sql("DROP TRIGGER no_entries");
    let mut app = place.app();
    math_forge::forget::run(&mut app, &["aaaaaaaa-session".to_owned()], None, false).unwrap();
    // The reply about it goes too, and the session does not come back.
    assert_eq!(place.one("SELECT count(step) FROM jobs"), "0");
    assert_eq!(place.one("SELECT payload FROM jobs"), "{}");
    place.record(&[run("aaaaaaaa-session")]);
    assert_eq!(place.one("SELECT group_concat(workflow_id) FROM runs"), "bbbbbbbb-other");
    math_forge::forget::run(&mut app, &[], Some("cauchy"), false).unwrap();
    assert_eq!(place.one("SELECT count(*) FROM runs"), "0");

    let old = Run { completed_at: Some("2020-01-01 00:00:00".to_owned()), ..run("old") };
    let result = Run { source: RunSource::Result, ..old.clone() };
    place.record(&[old, result, run("new")]);
    place.mk(&["gc"]).success();
    assert_eq!(
        place.one("SELECT group_concat(source || workflow_id) FROM runs"),
        "resultold,sessionnew"
    );
}
