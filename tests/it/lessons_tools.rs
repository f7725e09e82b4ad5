//! Errors of Lean that tools of servers (MCP) show: what hooks say beside them, and what is learnt.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::lessons_advice::project;
use crate::privacy::{context, query};

const CHECK: &str = "mcp__lean-lsp__lean_diagnostic_messages";
const BUILD: &str = "mcp__lean-lsp__lean_build";

const SAID: &str = "math-forge #1 (this error, before; worked once): The error went away by replacing \
    `Nat.foo_bar` by `Nat.bar_foo`.";

/// What a tool answers about an unknown name, as JSON.
fn unknown(name: &str) -> String {
    let message = format!("Unknown identifier `{name}`");
    let item = json!({"severity": "error", "message": message, "line": 2, "column": 9});
    json!({"success": false, "items": [item], "failed_dependencies": []}).to_string()
}

fn clean() -> String {
    json!({"success": true, "items": [], "failed_dependencies": []}).to_string()
}

/// Lets a transcript of such calls be read; how many lessons there are then.
fn learn(env: &TestEnv, session: &str, calls: &[(&str, Value, String)]) -> usize {
    let path = env.home().join(format!("{session}.jsonl"));
    let mut text = String::new();
    for (at, (tool, input, result)) in calls.iter().enumerate() {
        let id = format!("toolu_{session}_{at}");
        for (role, block) in [
            ("assistant", json!({"type": "tool_use", "id": id, "name": tool, "input": input})),
            ("user", json!({"type": "tool_result", "tool_use_id": id, "content": result})),
        ] {
            let line = json!({"type": role, "sessionId": session,
                "message": {"role": role, "content": [block]}});
            writeln!(text, "{line}").unwrap();
        }
    }
    fs::write(&path, text).unwrap();
    let event = json!({"hook_event_name": "PreCompact", "session_id": session,
        "transcript_path": path, "cwd": env.project()});
    env.mk_with_input(&["hook"], event.to_string()).success();
    let listed = env.mk(&["lessons", "list", "--json"]).json();
    usize::try_from(listed["total"].as_u64().unwrap()).unwrap()
}

fn edit(env: &TestEnv) -> (&'static str, Value, String) {
    let input = json!({"file_path": env.project().join("A.lean"),
        "old_string": "exact Nat.foo_bar h", "new_string": "exact Nat.bar_foo h"});
    ("Edit", input, "The file was updated.".to_owned())
}

/// A project in which a session learnt from a language server that `Nat.foo_bar` is `Nat.bar_foo`.
fn taught() -> TestEnv {
    let env = project();
    let input = json!({"file_path": "A.lean"});
    let calls =
        [(CHECK, input.clone(), unknown("Nat.foo_bar")), edit(&env), (CHECK, input, clean())];
    assert_eq!(learn(&env, "first", &calls), 1);
    env
}

/// What is said beside the answer of a tool.
fn after(env: &TestEnv, session: &str, tool: &str, input: &Value, response: &Value) -> String {
    let event = json!({"hook_event_name": "PostToolUse", "session_id": session, "cwd": env.project(),
        "tool_name": tool, "tool_input": input, "tool_response": response});
    let answer = env.mk_with_input(&["hook"], event.to_string()).success();
    context(&answer, "PostToolUse")
}

#[test]
fn a_known_fix_is_told_beside_what_a_server_says() {
    let env = taught();
    let file = json!({"file_path": env.project().join("A.lean")});
    let text = "l2c9-l2c20, severity: 1\nUnknown identifier `Nat.foo_bar`";
    let log = "✖ [2/3] Building A\nerror: A.lean:2:9: Unknown identifier `Nat.foo_bar`\n\
               error: build failed";
    let uri = format!("file://{}", env.project().join("A.lean").display());
    let editor = json!([{"uri": uri, "diagnostics": [{"severity": "Error",
        "message": "Unknown identifier `Nat.foo_bar`", "source": "Lean 4",
        "range": {"start": {"line": 1, "character": 8}, "end": {"line": 1, "character": 19}}}]}]);
    let tried = json!({"items": [{"snippet": "exact Nat.foo_bar h", "goals": [], "diagnostics":
        [{"severity": "error", "message": "Unknown identifier `Nat.foo_bar`", "line": 2}]}]});
    for (session, tool, input, response) in [
        ("json", CHECK, &file, json!(unknown("Nat.foo_bar"))),
        ("blocks", CHECK, &file, json!([{"type": "text", "text": text}])),
        ("wrapped", CHECK, &file, json!(json!({"result": [text]}).to_string())),
        (
            "part",
            CHECK,
            &json!({"file_path": "A.lean", "start_line": 1}),
            json!(unknown("Nat.foo_bar")),
        ),
        ("build", BUILD, &json!({}), json!(json!({"success": false, "output": log}).to_string())),
        ("text", "mcp__lake__build", &json!({}), json!([{"type": "text", "text": log}])),
        (
            "editor",
            "mcp__ide__getDiagnostics",
            &json!({}),
            json!([{"type": "text", "text": editor.to_string()}]),
        ),
        ("tried", "mcp__lean-lsp__lean_multi_attempt", &file, json!(tried.to_string())),
    ] {
        assert_eq!(after(&env, session, tool, input, &response), SAID, "{session}");
        assert_eq!(after(&env, session, tool, input, &response), "", "{session}: once");
    }
    for (session, tool, response) in [
        ("other tool", "mcp__lean-lsp__lean_goal", unknown("Nat.foo_bar")),
        ("other server", "mcp__notes__check", unknown("Nat.foo_bar")),
        ("warning", CHECK, unknown("Nat.foo_bar").replace("\"error\"", "\"warning\"")),
        ("no answer", CHECK, String::new()),
    ] {
        assert_eq!(after(&env, session, tool, &file, &json!(response)), "", "{session}");
    }
    // Another language's messages in the editor.
    let python = editor.to_string().replace("A.lean", "a.py");
    assert_eq!(after(&env, "python", "mcp__ide__getDiagnostics", &json!({}), &json!(python)), "");
    // A tool that fails says it in `error`.
    let event = json!({"hook_event_name": "PostToolUseFailure", "session_id": "failed",
        "cwd": env.project(), "tool_name": BUILD, "tool_input": {}, "error": log});
    let answer = env.mk_with_input(&["hook"], event.to_string()).success();
    assert!(answer.contains("\"PostToolUseFailure\""), "{answer}");
    assert_eq!(context(&answer, "PostToolUseFailure"), SAID);
}

#[test]
fn what_helped_is_seen_in_what_a_server_says() {
    let env = taught();
    let file = json!({"file_path": "A.lean"});
    let outcome = |session: &str| {
        let sql = format!(
            "SELECT coalesce(outcome, 'open') FROM lesson_shown WHERE session_id = '{session}'"
        );
        query::<String>(&env, &sql)
    };
    let told = |session: &str, input: &Value, answer: &str| {
        after(&env, session, CHECK, input, &json!(answer));
        outcome(session)
    };
    assert_eq!(told("s", &file, &unknown("Nat.foo_bar")), "open");
    let partial = json!({"success": true, "partial": true, "items": []}).to_string();
    let dependencies =
        json!({"success": true, "items": [], "failed_dependencies": ["B.lean"]}).to_string();
    let interactive = json!({"diagnostics": [{"severity": 1, "message": {"tag": []}}]}).to_string();
    let part = json!({"file_path": "A.lean", "end_line": 1});
    let other = json!({"file_path": "B.lean"});
    for (input, answer) in [
        (&file, partial.as_str()),
        (&file, &dependencies),
        (&file, &interactive),
        (&file, "LSP timeout during get_diagnostics"),
        (&part, &clean()),
        (&other, &clean()),
    ] {
        assert_eq!(told("s", input, answer), "open", "{input} {answer}");
    }
    assert_eq!(told("s", &file, &clean()), "worked");
    assert_eq!(query::<i64>(&env, "SELECT success_count FROM lessons"), 1);
}

#[test]
fn a_lesson_needs_a_whole_answer() {
    let input = json!({"file_path": "A.lean"});
    let part = json!({"file_path": "A.lean", "declaration_name": "second"});
    let partial = json!({"success": true, "partial": true, "items": []}).to_string();
    let trusted = json!({"axioms": ["propext"], "warnings": []}).to_string();
    let tried =
        json!({"items": [{"snippet": "exact h", "goals": [], "diagnostics": []}]}).to_string();
    let log =
        json!({"success": true, "output": "Build completed successfully (3 jobs).", "errors": []});
    for (tool, input, answer, expected) in [
        (CHECK, &input, clean(), 1),
        (BUILD, &json!({}), log.to_string(), 1),
        (CHECK, &part, clean(), 0),
        (CHECK, &input, partial, 0),
        (CHECK, &input, "Timeout: no diagnostics yet".to_owned(), 0),
        ("mcp__lean-lsp__lean_verify", &input, trusted, 0),
        ("mcp__lean-lsp__lean_multi_attempt", &input, tried, 0),
    ] {
        let env = project();
        let first = json!({"file_path": "A.lean"});
        let calls = [
            (CHECK, first, unknown("Nat.foo_bar")),
            edit(&env),
            (tool, input.clone(), answer.clone()),
        ];
        assert_eq!(learn(&env, "s", &calls), expected, "{tool} {input} {answer}");
    }
}

#[test]
fn asking_again_about_the_same_text_is_no_attempt() {
    let env = project();
    let file = json!({"file_path": "A.lean"});
    let says = "linarith failed to find a contradiction\nh : Real.exp x ≤ x ^ 2\n⊢ False";
    let item = json!({"severity": "error", "message": says, "line": 2, "column": 3});
    let answer = json!(json!({"success": false, "items": [item]}).to_string());
    let asks = || after(&env, "s", CHECK, &file, &answer);
    for _ in 0..6 {
        assert_eq!(asks(), "");
    }
    let builds = "SELECT builds FROM error_sightings";
    assert_eq!(query::<i64>(&env, builds), 1);
    let edited = || {
        let database = rusqlite::Connection::open(env.database()).unwrap();
        // As if the last answer had come before the edit, by more than a second.
        database.execute("UPDATE error_sightings SET last_at = '2020-01-01 00:00:00'", []).unwrap();
    };
    edited();
    assert_eq!(asks(), "");
    edited();
    let said = asks();
    assert!(said.starts_with("math-forge: the same error in 3 builds now, in first:"), "{said}");
}

#[test]
fn lessons_enabled_stops_extraction_and_not_retrieval() {
    let env = taught();
    let own = env.home().join(".config/math-forge");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("config.toml"), "[lessons]\nenabled = false\n").unwrap();
    let input = json!({"file_path": "A.lean"});
    let mut change = edit(&env);
    change.1["old_string"] = json!("exact Nat.one_two h");
    change.1["new_string"] = json!("exact Nat.two_one h");
    let calls =
        [(CHECK, input.clone(), unknown("Nat.one_two")), change, (CHECK, input.clone(), clean())];
    assert_eq!(learn(&env, "second", &calls), 1, "nothing new is learnt");
    assert_eq!(after(&env, "third", CHECK, &input, &json!(unknown("Nat.foo_bar"))), SAID);
    fs::remove_file(own.join("config.toml")).unwrap();
    assert_eq!(learn(&env, "fourth", &calls), 2, "with it, it is");
}
