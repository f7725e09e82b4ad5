//! Every way in which a model server fails, at the level of the command: a clear message, what the rules
//! found is kept, nothing of the model's is stored, and an exit code of 1 only where facts were asked for.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::asking::{configure, stored_facts};
use crate::env::TestEnv;
use crate::scripted::{
    Script, Scripted, answer_of, breaks_off, closes, facts, hangs, raw, sends_ten_megabytes,
    speaks_no_http, trickles,
};

const NOTES: &str = "Person: I prefer term-mode proofs for one-line lemmas.\n";

/// Runs `mk extract` against this address, configured and named, and checks all but the message.
fn fails_at(url: &str, more: &str, expected: &str) {
    let env = TestEnv::new();
    env.write("a.md", NOTES);
    env.configure(&format!("[llm]\nurl = \"{url}\"\nmodel = \"m\"\n{more}"));
    for (arguments, code) in
        [(&["extract", "a.md"][..], 0), (&["extract", "a.md", "--model", "m"], 1)]
    {
        let begin = Instant::now();
        let output = env.mk(arguments);
        assert_eq!(output.code, code, "{}", output.stderr);
        let said = output.stderr.replace(url, "$URL");
        assert_eq!(said, format!("mk: no facts from `a.md`: {expected}\n"));
        assert!(
            output.stdout.starts_with("  "),
            "what the rules found is shown: {}",
            output.stdout
        );
        assert!(output.stdout.contains("1 proposal found"), "{}", output.stdout);
        assert!(begin.elapsed() < Duration::from_secs(30), "{expected}");
    }
    assert_eq!(stored_facts(&env), 0, "{expected}");
    let waiting = env.mk(&["review", "list", "--json"]).json();
    assert_eq!(waiting["total"], 1, "what the rules found is kept: {expected}");
    let report = env.mk(&["extract", "a.md", "--json"]).json();
    let failure = &report["model_failures"][0];
    assert_eq!(failure["reason"].as_str().unwrap().replace(url, "$URL"), expected);
    assert_eq!(report["extractions"], json!([]));
}

fn fails_with(script: Vec<Script>, loads: bool, expected: &str) {
    let server = if loads { Scripted::loaded(script) } else { Scripted::start(script) };
    fails_at(&server.url(), "", expected);
}

fn error(words: &str) -> String {
    json!({ "error": words }).to_string()
}

#[test]
fn no_server_answers() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    fails_at(
        &format!("http://{free}"),
        "",
        "no model server answers at $URL (connection refused): start it with `ollama serve`, or set \
         `llm.url`",
    );
}

#[test]
fn the_model_is_missing() {
    fails_with(
        vec![Script::Say(404, error("model 'm' not found"))],
        false,
        "$URL has no model `m`: `ollama pull m` gets it",
    );
}

#[test]
fn the_server_refuses() {
    for (status, body, expected) in [
        (
            500,
            error("llama runner process has terminated: signal: killed"),
            "$URL refused the request with status 500: llama runner process has terminated: signal: killed",
        ),
        (
            503,
            error("server busy, please try again"),
            "$URL is busy (server busy, please try again): try again later",
        ),
        (
            200,
            "<!DOCTYPE html><p>Welcome</p>".to_owned(),
            "$URL sent a web page, which is not an answer of a model server: check `llm.url` and `llm.provider`",
        ),
        (
            200,
            "{\"message\":{\"cont".to_owned(),
            "$URL sent `{\"message\":{\"cont`, which is not an answer of a model server: check `llm.url` and \
             `llm.provider`",
        ),
    ] {
        fails_with(vec![Script::Say(status, body)], true, expected);
    }
}

#[test]
fn the_reply_is_not_usable() {
    let bad_facts =
        facts(&[["lessons", "guard.off", "All is verified.", ""]], &[]).replace("90", "1000");
    for (reply, expected) in [
        ("", "it is empty".to_owned()),
        ("I would rather not.", "it holds no JSON".to_owned()),
        ("{\"lessons\": [{\"key\": \"a.b\", \"val", "its JSON breaks off".to_owned()),
        (
            "{\"answer\": 42}",
            "it has none of the fields people, projects, preferences, decisions, lessons, environment, \
             tools, tasks, session_summary"
                .to_owned(),
        ),
        (
            &bad_facts,
            "no fact in it holds up: the `confidence` of `guard.off` is not allowed".to_owned(),
        ),
        (
            // One word for pages: every value breaks off.
            &facts(&[["lessons", "a.b", &"word ".repeat(200_000), "inferred"]], &[]),
            "no fact in it holds up: ".to_owned(),
        ),
    ] {
        let server = Scripted::loaded(vec![answer_of(false, reply)]);
        let env = TestEnv::new();
        env.write("a.md", NOTES);
        configure(&env, &server, "");
        let output = env.mk(&["extract", "a.md", "--model", "m"]);
        let begin = format!("mk: no facts from `a.md`: the reply of `m` is not usable: {expected}");
        assert_eq!(output.code, 1);
        assert!(output.stderr.starts_with(&begin), "{}", output.stderr);
        assert!(output.stderr.len() < 600, "{}", output.stderr);
        assert_eq!(server.asked().len(), 2, "asked once more");
        assert_eq!(stored_facts(&env), 0);
    }
}

#[test]
fn servers_that_misbehave() {
    let limit = "timeout = 1\nload_timeout = 1\n";
    for (name, behave, expected) in [
        (
            "hangs",
            hangs as fn(std::net::TcpStream),
            "`m` was not loaded within 1 s: raise `llm.load_timeout`, or set `llm.model` to a smaller one",
        ),
        (
            "trickles",
            trickles,
            "`m` was not loaded within 1 s: raise `llm.load_timeout`, or set `llm.model` to a smaller one",
        ),
        ("breaks off", breaks_off, "$URL sent an answer that broke off"),
        ("closes", closes, "$URL sent "),
        ("no HTTP", speaks_no_http, "$URL sent something that is not HTTP"),
        ("10 MB", sends_ten_megabytes, "$URL sent more than 4 MB"),
    ] {
        let url = raw(behave);
        let env = TestEnv::new();
        env.write("a.md", NOTES);
        env.configure(&format!("[llm]\nurl = \"{url}\"\nmodel = \"m\"\n{limit}"));
        let begin = Instant::now();
        let output = env.mk(&["extract", "a.md", "--model", "m"]);
        assert!(begin.elapsed() < Duration::from_secs(10), "{name}");
        assert_eq!(output.code, 1, "{name}");
        let said = output.stderr.replace(&url, "$URL");
        assert!(
            said.starts_with(&format!("mk: no facts from `a.md`: {expected}")),
            "{name}: {said}"
        );
        assert_eq!(said.lines().count(), 1, "{name}: {said}");
        assert_eq!(stored_facts(&env), 0, "{name}");
    }
}

#[test]
fn an_answer_that_comes_too_late() {
    let late = Script::Wait(Duration::from_secs(3), "{}".to_owned());
    let server = Scripted::loaded(vec![late]);
    let env = TestEnv::new();
    env.write("a.md", NOTES);
    configure(&env, &server, "timeout = 1\n");
    let output = env.mk(&["extract", "a.md", "--model", "m"]);
    assert_eq!(
        output.stderr,
        "mk: no facts from `a.md`: `m` did not answer within 1 s: raise `llm.timeout` (for lessons \
         `llm.lesson_timeout`) or set `llm.model` to a smaller one\n"
    );
    assert_eq!((output.code, stored_facts(&env)), (1, 0));
}

#[test]
fn files_that_are_no_texts() {
    let server = Scripted::loaded(vec![answer_of(false, &facts(&[], &[]))]);
    let env = TestEnv::new();
    configure(&env, &server, "");
    env.write("binary.md", b"a\0b");
    env.write("empty.md", "\n");
    let output = env.mk(&["extract", "binary.md", "--model", "m"]);
    assert_eq!(output.code, 1);
    let said = "mk: no facts from `binary.md`: `binary.md` is not text: it contains NUL bytes\n";
    assert_eq!(output.stderr, said);
    let output = env.mk(&["extract", "empty.md", "--model", "m", "--dry-run"]).success();
    assert!(output.contains("empty.md: is empty, the model was not asked"), "{output}");
    let output = env.mk(&["extract", "none.md", "--model", "m"]);
    assert_eq!(output.code, 1);
    assert_eq!(server.asked(), []);
    for name in ["", "a b", "-x", "m; rm"] {
        let output = env.mk(&["extract", "empty.md", &format!("--model={name}")]);
        assert!(output.stderr.ends_with("is not the name of a model\n"), "{}", output.stderr);
        assert_eq!(output.code, 1);
    }
}
