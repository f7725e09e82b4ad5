//! Every way in which a model server fails, at the level of the command: a clear message, what the rules
//! found is kept, nothing of the model's is stored, and an exit code of 1 only where facts were asked for.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::asking::{configure, stored_facts};
use crate::env::TestEnv;
use crate::scripted::{Scripted, answer_of, facts};

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
        let server = Scripted::start(vec![answer_of(false, reply)]);
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
fn files_that_are_no_texts() {
    let server = Scripted::start(vec![answer_of(false, &facts(&[], &[]))]);
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
