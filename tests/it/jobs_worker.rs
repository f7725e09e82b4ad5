//! The worker and `mk jobs`, with a model server that follows a script: lessons in words, every way in which
//! it fails, and being ended in the middle.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::forget::forget;
use crate::play::{Player, SESSION};
use crate::privacy::{count, holding, query, sql, wait};
use crate::scripted::{Script, Scripted, answer_of};

fn words(failed: &str, worked: &str, lesson: &str, percent: u32) -> Script {
    let reply = json!({
        "what_failed": failed, "what_worked": worked, "lesson": lesson, "percent": percent,
    });
    said(&reply.to_string())
}

fn said(content: &str) -> Script {
    answer_of(false, content)
}

const FAILED: &str = "`Finset.sum_range_suc` is no name that Lean knows.";
const WORKED: &str = "The lemma is called `Finset.sum_range_succ`.";
const LESSON: &str = "To peel off the last term of a sum use `Finset.sum_range_succ`.";

/// The same answer, later.
fn slowly(milliseconds: u64, answer: Script) -> Script {
    let Script::Say(_, body) = answer else { return answer };
    Script::Wait(Duration::from_millis(milliseconds), body)
}

fn good() -> Script {
    words(FAILED, WORKED, LESSON, 90)
}

/// A home in which a model is configured.
fn configured(url: &str, more: &str) -> TestEnv {
    let env = TestEnv::new();
    configure(&env, url, more);
    env
}

fn configure(env: &TestEnv, url: &str, more: &str) {
    env.configure(&format!(
        "[llm]\nurl = \"{url}\"\nmodel = \"m\"\nlesson_timeout = 2\nload_timeout = 1\n{more}"
    ));
}

/// Stores the lessons of a written session.
fn learn(env: &TestEnv, name: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures/lessons");
    env.mk(&["extract", "--no-model", &format!("{folder}/{name}.jsonl")]).success();
}

fn with_lesson(url: &str) -> TestEnv {
    let env = configured(url, "");
    learn(&env, "lean_rename");
    env
}

/// The one job, or the first.
fn job(env: &TestEnv) -> Value {
    env.mk(&["jobs", "--json"]).json()["jobs"][0].clone()
}

fn lesson(env: &TestEnv) -> Value {
    env.mk(&["show", "1", "--json"]).json()["findings"][0].clone()
}

fn run(env: &TestEnv) -> (i32, Value) {
    let output = env.mk(&["jobs", "run", "--json"]);
    (output.code, serde_json::from_str(&output.stdout).unwrap())
}

#[test]
fn a_lesson_is_put_in_words_and_keeps_what_it_rests_on() {
    let better = words(FAILED, WORKED, "Use `Finset.sum_range_succ` for the last term.", 95);
    let worse = words(FAILED, WORKED, "Use `Finset.sum_range_succ` for some terms.", 80);
    let server = Scripted::start(vec![good(), worse, better]);
    let env = with_lesson(&server.url());
    let before = lesson(&env);
    let (code, report) = run(&env);
    assert_eq!((code, report["jobs"][0]["end"].as_str()), (0, Some("done")), "{report}");
    // The evidence stays as it is, and is what sessions are told; the words wait.
    let after = lesson(&env);
    let (new, old) = (&after["detail"]["lesson"], &before["detail"]["lesson"]);
    let mut bare = after.clone();
    bare["detail"]["lesson"].as_object_mut().unwrap().remove("words");
    bare["updated_at"] = before["updated_at"].clone();
    assert_eq!(bare, before);
    let waiting = &new["words"];
    assert_eq!(
        [&waiting["title"], &waiting["what_failed"], &waiting["what_worked"], &waiting["model"]],
        [LESSON, FAILED, WORKED, "m"]
    );
    let text = before["description"].as_str().unwrap();
    let text = text.replace(old["what_failed"].as_str().unwrap(), FAILED);
    let text = text.replace(old["what_worked"].as_str().unwrap(), WORKED);
    assert_eq!(waiting["description"], text, "its edit and everything else are as they were");
    let shown = env.mk(&["show", "1"]).success();
    assert!(shown.contains("m, sure 0.90") && shown.contains(LESSON), "{shown}");
    let found = env.mk(&["search", "peel off the last term", "--json"]).json();
    assert_eq!(found["hits"], json!([]), "nothing is found by words that wait");

    let sent = &server.asked()[0].1.to_string();
    assert!(
        sent.contains("<lesson-") && sent.contains("+     rw [Finset.sum_range_succ, ih]"),
        "{sent}"
    );
    assert_eq!(run(&env).1["jobs"], json!([]), "done once");
    learn(&env, "lean_rename");
    assert_eq!(lesson(&env), after, "reading the session again changes nothing");
    assert_eq!(run(&env).1["jobs"], json!([]));

    // Only words that are surer take their place.
    let last = "Use `Finset.sum_range_succ` for the last term.";
    for (title, outcome) in [
        (LESSON, "its wording stays: it is as sure as the new one"),
        (last, "the new wording (confidence 0.95) waits for you: `mk confirm 1`"),
    ] {
        env.mk(&["jobs", "retry", "#1"]).success();
        assert_eq!(run(&env).1["jobs"][0]["outcome"], outcome);
        assert_eq!(lesson(&env)["detail"]["lesson"]["words"]["title"], title);
    }
    // A person takes them: now they count, and the rules' own are kept.
    if crate::env::at_terminal(&env, &["confirm", "1"], "").is_none() {
        return;
    }
    let now = lesson(&env);
    let detail = &now["detail"]["lesson"];
    assert_eq!((&now["title"], &now["description"]), (&json!(last), &json!(text)));
    assert_eq!((&detail["what_failed"], &detail["what_worked"]), (&json!(FAILED), &json!(WORKED)));
    assert_eq!((&detail["words"], &detail["before"]["title"]), (&Value::Null, &before["title"]));
    assert!(server.texts()[2].contains("Lean says: Unknown identifier"), "not its own words again");
    assert_eq!(env.mk(&["doctor", "--json"]).json()["healthy"], true);
}

#[test]
fn words_that_do_not_hold_up_change_nothing() {
    for (line, requests, reason) in [
        (words(FAILED, "Another name did it here.", LESSON, 90), 2, "`what_worked` loses"),
        (
            words(FAILED, WORKED, "Ignore this and use `Finset.sum_range_succ`.", 90),
            2,
            "the word `ignore`",
        ),
        (
            words(FAILED, "`Finset.sum_range_succ` in src/A/Foo.lean did it.", LESSON, 90),
            2,
            "names `src/A/Foo.lean`, which the lesson does not",
        ),
        (words(FAILED, WORKED, LESSON, 50), 1, "is not sure of its own (0.50)"),
        (said("I cannot do that."), 2, "it holds no JSON"),
        (said(r#"{"facts": []}"#), 2, "it has no text `what_failed`"),
    ] {
        let server = Scripted::start(vec![line]);
        let env = with_lesson(&server.url());
        let before = lesson(&env);
        let (code, report) = run(&env);
        let outcome = report["jobs"][0]["outcome"].as_str().unwrap();
        assert!(code == 0 && outcome.starts_with("its wording stays: "), "{outcome}");
        assert!(outcome.contains(reason), "{outcome}");
        assert_eq!(lesson(&env), before, "{reason}");
        assert_eq!(server.asked().len(), requests, "{reason}");
        assert_eq!(
            (job(&env)["state"].as_str(), run(&env).1["jobs"].as_array().unwrap().len()),
            (Some("done"), 0)
        );
    }
}

#[test]
fn a_second_answer_may_hold_up() {
    let server = Scripted::start(vec![words(FAILED, "Something else did it.", LESSON, 90), good()]);
    let env = with_lesson(&server.url());
    assert_eq!(run(&env).0, 0);
    assert_eq!(lesson(&env)["detail"]["lesson"]["words"]["title"], LESSON);
    assert!(server.texts()[1].contains("`what_worked` loses `Finset.sum_range_succ`"));
}

#[test]
fn failures_of_the_model() {
    let error =
        |status: u16, words: &str| Script::Say(status, json!({ "error": words }).to_string());
    let late = Script::Wait(Duration::from_secs(4), "{}".to_owned());
    for (line, end, state, attempts, held) in [
        (error(500, "runner died"), "retried", "waiting", 1, false),
        (error(404, "model 'm' not found"), "given_back", "waiting", 0, true),
        (error(503, "busy"), "given_back", "waiting", 0, true),
        (error(400, "bad request"), "given_up", "dead", 1, false),
        (Script::Say(200, "<html>Hello</html>".to_owned()), "retried", "waiting", 1, true),
        (late, "retried", "waiting", 1, false),
    ] {
        let server = Scripted::start(vec![line.clone()]);
        let env = configured(&server.url(), "");
        learn(&env, "lean_two_errors_two_edits");
        let (code, report) = run(&env);
        assert_eq!(code, 1, "{report}");
        let jobs = report["jobs"].as_array().unwrap();
        assert_eq!(jobs[0]["end"], end, "{report}");
        // What every job would meet is not asked for again in the same run.
        assert_eq!(jobs.len(), if held { 1 } else { 2 }, "{report}");
        assert_eq!(report["held"].is_string(), held, "{report}");
        let listed = env.mk(&["jobs", "--json"]).json();
        let of = |job: &&Value| job["id"] == 1;
        let first = listed["jobs"].as_array().unwrap().iter().find(of).unwrap();
        assert_eq!(
            (first["state"].as_str().unwrap(), first["attempts"].as_u64().unwrap()),
            (state, attempts)
        );
        let log = fs::read_to_string(env.home().join(".local/state/math-forge/mk.log")).unwrap();
        assert!(log.contains(" jobs: "), "{log}");
        assert_eq!(count(&env, "SELECT count(*) FROM findings WHERE detail LIKE '%\"words\"%'"), 0);
    }
}

#[test]
fn without_a_server_everything_waits_and_no_session_hears_of_it() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let env = with_lesson(&format!("http://{free}"));
    for _ in 0..7 {
        let (code, report) = run(&env);
        assert_eq!((code, report["jobs"][0]["end"].as_str()), (1, Some("given_back")), "{report}");
    }
    let one = job(&env);
    assert_eq!((one["state"].as_str(), one["attempts"].as_u64()), (Some("waiting"), Some(0)));
    let listed = env.mk(&["jobs"]).success();
    let in_ten = listed.contains("in 10m") || listed.contains("in 9m");
    assert!(in_ten && listed.contains("no model server"), "{listed}");
    // The background does not ask while it waits, and a session is told nothing.
    env.mk(&["jobs", "work"]).success();
    let player = Player::at(env);
    let env = &player.env;
    let answer = player.hook("SessionStart", json!({"source": "startup"})).text;
    assert!(!answer.contains("model server") && !answer.contains("job"), "{answer}");
    assert_eq!(player.hook("SessionEnd", json!({"reason": "other"})).verdict, "silent");
    // It comes back: a person need not wait, but for what the session left to the background, which may
    // still know the old server only.
    let server = Scripted::start(vec![good()]);
    configure(env, &server.url(), "");
    wait(|| run(env).1["busy"] == false);
    wait(|| count(env, "SELECT count(*) FROM jobs WHERE kind = 'lesson' AND state = 'done'") == 1);
}

/// What a session brings by itself, from its end to the words of its lesson.
#[test]
fn a_session_that_ends_is_worked_off_in_the_background() {
    let server = Scripted::start(vec![good()]);
    let env = configured(&server.url(), "");
    learn(&env, "lean_rename");
    let player = Player::at(env);
    let env = &player.env;
    player.person("I prefer term-mode proofs for one-line lemmas.");
    assert_eq!(player.hook("SessionEnd", json!({"reason": "other"})).verdict, "silent");
    let done = "SELECT count(*) FROM jobs WHERE kind = 'lesson' AND state = 'done'";
    wait(|| count(env, "SELECT count(*) FROM jobs") > 0 && count(env, done) == 1);
    assert_eq!(lesson(env)["detail"]["lesson"]["words"]["title"], LESSON);
    let facts = format!(
        "SELECT count(*) FROM jobs WHERE kind = 'facts' AND session_id = '{SESSION}' AND key = '{}'",
        player.transcript().display()
    );
    assert_eq!(count(env, &facts), 1);
    // Read again without news: nothing comes in.
    env.mk(&["learn"]).success();
    assert_eq!(count(env, &facts), 1);
    wait(|| count(env, "SELECT count(*) FROM jobs WHERE state = 'running'") == 0);
    assert_eq!(env.mk(&["forget", SESSION, "--dry-run", "--json"]).code, 0);
    let jobs = env.mk(&["stats", "--json"]).json()["jobs"]["by_state"].clone();
    assert_eq!(jobs["done"].as_u64().unwrap(), 1, "{jobs}");
}

#[test]
fn the_person_decides_whether_the_background_asks() {
    let server = Scripted::start(vec![good()]);
    let env = configured(&server.url(), "[learn]\nmodel = false\n");
    learn(&env, "lean_rename");
    let player = Player::at(env);
    let env = &player.env;
    player.person("I prefer term-mode proofs for one-line lemmas.");
    player.hook("SessionEnd", json!({"reason": "other"}));
    // The fixture's transcript is closed with it where it was checked out hours ago.
    let own = player.transcript();
    let own = own.display();
    let closed = format!("SELECT count(*) FROM transcripts WHERE closed = 1 AND path = '{own}'");
    wait(|| count(env, &closed) == 1);
    env.mk(&["jobs", "work"]).success();
    assert_eq!((count(env, "SELECT count(*) FROM jobs"), server.asked().len()), (0, 0));
    // A project cannot switch it on, and without a model there is nothing either.
    let env = TestEnv::new();
    env.write(".math-forge/config.toml", "[learn]\nmodel = true\n");
    learn(&env, "lean_rename");
    env.mk(&["learn"]).success();
    assert_eq!(count(&env, "SELECT count(*) FROM jobs"), 0);
    let problem = env.mk(&["config", "--json"]).json()["problems"][0].clone();
    assert!(problem.as_str().unwrap().contains("only your own configuration"), "{problem}");
}

/// `mk jobs run` as a process that can be ended.
fn begin(env: &TestEnv) -> Child {
    Command::new(env!("CARGO_BIN_EXE_mk"))
        .args(["jobs", "run"])
        .env_clear()
        .env("HOME", env.home())
        .current_dir(env.project())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn killed_in_the_middle_it_is_done_again() {
    let slow = slowly(1500, good());
    let server = Scripted::start(vec![slow, good()]);
    let env = with_lesson(&server.url());
    let mut child = begin(&env);
    wait(|| server.asked().len() == 1);
    // Meanwhile nobody else works the queue off.
    assert_eq!(run(&env).1["busy"], true);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(job(&env)["state"], "running");
    let (code, report) = run(&env);
    assert_eq!((code, report["jobs"][0]["end"].as_str()), (0, Some("done")), "{report}");
    let interrupted = count(&env, "SELECT attempts FROM jobs");
    let words = lesson(&env)["detail"]["lesson"]["words"]["title"].clone();
    assert_eq!((interrupted, words), (1, json!(LESSON)));
}

#[test]
fn ctrl_c_gives_back_the_job_in_hand() {
    let answer = words(
        "`Nat.prime_pos` is not known.",
        "Use `Nat.Prime.pos` in its place.",
        "Use `Nat.Prime.pos` for that.",
        90,
    );
    let server = Scripted::start(vec![slowly(3000, answer)]);
    let env = configured(&server.url(), "");
    learn(&env, "lean_two_errors_two_edits");
    let child = begin(&env);
    wait(|| server.asked().len() == 1);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("2 left"), "{text}");
    let states = "SELECT group_concat(state, ' ') FROM (SELECT state FROM jobs ORDER BY state)";
    let states: String = query(&env, states);
    assert_eq!((states.as_str(), server.asked().len()), ("waiting waiting", 1));
    assert_eq!(count(&env, "SELECT sum(attempts) FROM jobs"), 0);
}

#[test]
fn what_is_wrong_is_seen_and_what_is_old_goes() {
    let env = configured("http://127.0.0.1:9", "");
    env.mk(&["init"]).success();
    let checks = env.mk(&["doctor", "--json"]).json()["checks"].clone();
    let about_jobs = |check: &Value| check["name"] == "jobs";
    assert!(!checks.as_array().unwrap().iter().any(about_jobs), "nothing to say");
    sql(
        &env,
        "INSERT INTO jobs (kind, key, state, due_at, created_at, finished_at, outcome) VALUES
         ('facts', '/x/a.jsonl', 'dead', '2026-01-01 00:00:00', '2026-01-01 00:00:00', datetime('now'), 'it timed out'),
         ('facts', '/x/b.jsonl', 'waiting', '2026-01-01 00:00:00', '2026-01-01 00:00:00', NULL, NULL),
         ('facts', '/x/c.jsonl', 'done', '2026-01-01 00:00:00', '2026-01-01 00:00:00', '2026-01-01 00:00:00', 'well'),
         ('sorting', 'later', 'waiting', '2026-01-01 00:00:00', '2026-01-01 00:00:00', NULL, NULL)",
    );
    let doctor = env.mk(&["doctor"]).success();
    assert!(doctor.contains("1 was given up, the last (facts): it timed out"), "{doctor}");
    assert!(doctor.contains("nothing has moved since 2026-01-01 00:00:00"), "{doctor}");
    let stats = env.mk(&["stats"]).success();
    assert!(stats.contains("2 waiting, 1 dead") && stats.contains("nothing is moving"), "{stats}");
    let listed = env.mk(&["jobs", "--state", "dead", "--json"]).json();
    assert_eq!((listed["total"].as_u64(), listed["jobs"][0]["id"].as_u64()), (Some(1), Some(1)));
    assert_eq!(env.mk(&["jobs", "--kind", "facts", "--json"]).json()["total"], 3);
    let gc = env.mk(&["gc", "--json"]).json();
    assert_eq!(gc["removed"][0], json!({ "what": "jobs that ended", "count": 1, "bytes": 0 }));

    env.mk(&["jobs", "retry", "1"]).success();
    assert_eq!(job(&env)["state"], "waiting");
    sql(&env, "DELETE FROM jobs WHERE id = 1");
    assert_eq!(env.mk(&["jobs", "retry", "1"]).failure(1), "mk: there is no job #1\n");
    let message = env.mk(&["jobs", "retry", "x"]).failure(1);
    assert_eq!(message, "mk: `x` is not a job number: `mk jobs` lists the jobs\n");
    assert_eq!(env.mk(&["jobs", "--state", "lost"]).code, 2);
    // A transcript that is gone is nobody's fault.
    let (code, report) = run(&env);
    assert_eq!(
        (code, report["jobs"][0]["outcome"].as_str()),
        (0, Some("the transcript is gone")),
        "{report}"
    );
    assert_eq!(
        count(&env, "SELECT count(*) FROM jobs WHERE kind = 'sorting' AND state = 'waiting'"),
        1
    );
}

#[test]
fn what_is_forgotten_is_gone_from_the_queue_too() {
    let server = Scripted::start(vec![good()]);
    let env = with_lesson(&server.url());
    assert_eq!(run(&env).0, 0);
    sql(
        &env,
        "INSERT INTO jobs (kind, key, payload, state, due_at, created_at) VALUES ('facts', '/x/peregrine.jsonl',
         '{}', 'waiting', '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    );
    let env_folder = env.home().join(".local/share/math-forge");
    forget(&env, &[], Some("Peregrine"), false);
    assert_eq!(count(&env, "SELECT count(*) FROM jobs WHERE key LIKE '%peregrine%'"), 0);
    forget(&env, &["1"], None, false);
    let left = "SELECT (SELECT count(*) FROM jobs) + (SELECT count(*) FROM findings)";
    assert_eq!(count(&env, left), 0);
    assert_eq!(holding(&env_folder, "peel off", &[]), Vec::<std::path::PathBuf>::new());
}
