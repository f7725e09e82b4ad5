//! What sessions are told when something is in the way: a locked database, odd spellings, hostile text.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::inject::{prompt, told};

fn place() -> TestEnv {
    let env = TestEnv::new();
    env.write("lean-toolchain", "leanprover/lean4:v4.24.0");
    env
}

fn add(env: &TestEnv, rows: &[Value]) {
    let own = |row: &Value| {
        let mut row = row.clone();
        row["project"] = json!(env.project());
        row.to_string()
    };
    let lines: Vec<String> = rows.iter().map(own).collect();
    env.mk_with_input(&["add", "--jsonl", "-"], lines.join("\n")).success();
}

#[test]
fn a_ledger_that_cannot_be_written_keeps_nothing_from_being_said() {
    let env = place();
    add(
        &env,
        &[json!({"kind": "false_lemma", "title": "FALSE: slope_injective",
            "theorem_name": "Bridges.slope_injective", "problem": "bridges_12"})],
    );
    let file = env.write("Bridges.lean", "theorem Bridges.slope_injective : True := by\n  sorry\n");
    let holder = Connection::open(env.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": file}, "tool_use_id": "t"});
    for (name, more) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "go on with bridges 12"})),
        ("SubagentStart", json!({"agent_type": "bridges_12", "agent_id": "a"})),
        ("PostToolUse", read),
    ] {
        assert!(told(&env, name, &more).contains("slope_injective"), "{name}");
    }
    drop(holder);
    let rows: i64 = Connection::open(env.database())
        .unwrap()
        .query_row("SELECT count(*) FROM injections", [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 0, "the lock held");
    assert!(prompt(&env, "go on with bridges 12").contains("slope_injective"));
}

#[test]
fn a_problem_is_known_by_its_name_alone_and_with_accents() {
    let env = place();
    let problem = |id: &str| json!({"kind": "failure", "title": format!("about {id}"), "problem": id, "why_failed": "too weak"});
    add(&env, &[problem("erdos_938"), problem("kurepa"), problem("test"), problem("lines")]);
    for (text, expected) in [
        ("what do we know about Erd\u{151}s 938?", "about erdos_938"),
        ("Kurepa: which approaches did we try?", "about kurepa"),
        ("kurepa", ""),
        ("run the tests and count the lines", ""),
    ] {
        let said = prompt(&env, text);
        assert!(
            said.contains(expected) && said.is_empty() == expected.is_empty(),
            "{text}: {said}"
        );
    }
    // Letter and mark in two characters; said already, so only the search shows that it is found.
    let report = env.mk(&["inject", "test", "go on with Erdo\u{30b}s 938", "--json"]).json();
    assert_eq!(report["found"][0]["rule"], "problem", "{report}");
    assert!(env.mk(&["find", "Erd\u{151}s 938"]).success().contains("about erdos_938"));
}
