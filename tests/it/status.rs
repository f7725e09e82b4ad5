//! What is only proposed, was replaced or was dropped is knowledge nowhere: not in the specification's own
//! queries, not in counts, searches, the briefing, the guard and what sessions are told.

use std::fmt::Write as _;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::env::TestEnv;

const STATUSES: [&str; 5] = ["proposed", "claimed", "confirmed", "superseded", "dropped"];

fn kinds(database: &Connection) -> Vec<String> {
    let mut statement = database.prepare("SELECT name FROM kinds ORDER BY name").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// A name that no other row has, of letters that no word has.
fn name(kind: &str, status: &str) -> String {
    format!("zq{}{status}", kind.replace('_', ""))
}

/// One row of each kind and status, all about one problem.
fn filled() -> (TestEnv, Connection) {
    let env = TestEnv::new();
    env.write("lean-toolchain", "");
    env.mk(&["stats"]).success();
    env.mk(&["add", "insight", "--title", "first"]).success();
    let database = Connection::open(env.database()).unwrap();
    database
        .execute_batch(
            "DELETE FROM findings;
             INSERT INTO problems (id, name, status) VALUES ('p_1', 'P 1', 'open')",
        )
        .unwrap();
    for kind in kinds(&database) {
        for status in STATUSES {
            let detail = match kind.as_str() {
                "fact" => json!({"fact": {"category": "project", "key": name(&kind, status),
                    "value": "v", "tier": "long-term"}}),
                "lesson" => json!({"lesson": {"pattern": "lean_fix", "what_failed": "f",
                    "what_worked": "w", "signature": format!("unknown-identifier {status}")}}),
                "playbook" => {
                    json!({"playbook": {"source_task_id": "t", "source_workflow_id": "w"}})
                }
                _ => Value::Null,
            };
            let detail = Some(detail).filter(|detail| !detail.is_null()).map(|one| one.to_string());
            database
                .execute(
                    "INSERT INTO findings (finding_type, title, description, problem_id, theorem_name,
                     theorem_statement, proof_technique, confidence, evidence, status, why_failed,
                     tags, notes, detail)
                     VALUES (?1, ?2, ?2 || ' said', 'p_1', ?2, '1 = 2 + ' || ?2, ?2,
                     CASE ?3 WHEN 'claimed' THEN 'medium' ELSE 'verified' END, 'person', ?3, 'w',
                     'lean', 'sorry=1', ?4)",
                    params![kind, name(&kind, status), status, detail],
                )
                .unwrap();
        }
    }
    (env, database)
}

#[test]
fn counts_follow_every_change() {
    let (_env, database) = filled();
    let wrong = "SELECT name, live FROM kinds WHERE live <> (SELECT count(*) FROM findings
        WHERE finding_type = name AND status IN ('claimed', 'confirmed'))";
    for change in [
        "UPDATE findings SET status = 'confirmed' WHERE status = 'proposed'",
        "UPDATE findings SET status = 'dropped' WHERE finding_type < 'g'",
        "UPDATE findings SET finding_type = 'insight' WHERE finding_type > 'p'",
        "UPDATE findings SET finding_type = 'lesson', status = 'claimed' WHERE id % 3 = 0",
        "DELETE FROM findings WHERE id % 4 = 0",
        "UPDATE findings SET title = title || '!'",
    ] {
        assert_eq!(rows(&database, wrong), "", "before {change}");
        assert!(database.execute(change, []).unwrap() > 0, "{change}");
    }
    assert_eq!(rows(&database, wrong), "");
}

/// The rows that are named in an answer.
fn named(answer: &str, kinds: &[String], status: &str) -> Vec<String> {
    kinds.iter().map(|kind| name(kind, status)).filter(|name| answer.contains(name)).collect()
}

fn rows(database: &Connection, sql: &str) -> String {
    let mut statement = database.prepare(sql).unwrap();
    let columns = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    let mut text = String::new();
    while let Some(row) = rows.next().unwrap() {
        for column in 0..columns {
            write!(text, "{:?} ", row.get_ref(column).unwrap().as_str()).unwrap();
        }
    }
    text
}

#[test]
fn only_what_is_claimed_or_confirmed_is_knowledge() {
    let (env, database) = filled();
    let kinds = kinds(&database);
    let live = (kinds.len() * 2) as u64;
    let file = env.write("A.lean", "theorem t : 1 = 1 := rfl\n");
    let mut answers: Vec<(String, String)> = [
        "v_proven_techniques",
        "v_failed_approaches",
        "v_near_miss_findings",
        "facts",
        "lessons",
        "playbooks",
    ]
    .map(|view| (view.to_owned(), rows(&database, &format!("SELECT * FROM {view}"))))
    .to_vec();
    let commands: [&[&str]; 10] = [
        &["find", "p 1", "--json"],
        &["failed", "--json"],
        &["search", "--problem", "p 1", "-n", "1000", "--json"],
        &["brief", "--json"],
        &["facts", "--json"],
        &["lessons", "-n", "1000", "--json"],
        &["playbooks", "-n", "1000", "--json"],
        &["problems", "--json"],
        &["strategies", "--json"],
        &["list", "-n", "0", "--json"],
    ];
    for command in commands {
        answers.push((command.join(" "), env.mk(command).stdout));
    }
    for kind in &kinds {
        for status in STATUSES {
            let name = name(kind, status);
            // The question is repeated in the answer.
            let hits = env.mk(&["search", &name, "-n", "100", "--json"]).json()["hits"].to_string();
            assert_eq!(hits.contains(&name), ["claimed", "confirmed"].contains(&status), "{name}");
            answers.push((format!("search {name}"), hits));
        }
        let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": env.project(),
            "prompt": format!("What about {} and {}?", name(kind, "proposed"), name(kind, "dropped"))});
        answers.push((
            format!("prompt {kind}"),
            env.mk_with_input(&["hook", "user-prompt-submit"], prompt.to_string()).stdout,
        ));
    }
    for status in STATUSES {
        let name = name("false_lemma", status);
        let edit = json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": env.project(),
            "tool_name": "Write", "tool_use_id": format!("t{status}"),
            "tool_input": {"file_path": file, "content": format!("theorem {name} : 1 = 2 + {name} := by\n  simp\n")},
            "tool_response": {"filePath": file}});
        answers.push((
            format!("guard {status}"),
            env.mk_with_input(&["hook", "post-tool-use"], edit.to_string()).stdout,
        ));
    }
    for (question, answer) in &answers {
        for status in ["proposed", "superseded", "dropped"] {
            assert_eq!(named(answer, &kinds, status), Vec::<String>::new(), "{question}: {answer}");
        }
    }
    // What each answer is about it does show.
    for (question, kind) in [
        ("v_failed_approaches", "failure"),
        ("v_proven_techniques", "theorem"),
        ("facts", "fact"),
        ("lessons", "lesson"),
        ("playbooks", "playbook"),
        ("facts --json", "fact"),
        ("lessons -n 1000 --json", "lesson"),
        ("playbooks -n 1000 --json", "playbook"),
        ("failed --json", "false_lemma"),
        ("find p 1 --json", "failure"),
    ] {
        let answer = &answers.iter().find(|(other, _)| other == question).unwrap().1;
        assert!(answer.contains(&name(kind, "confirmed")), "{question}: {answer}");
    }
    let stats = env.mk(&["stats", "--json"]).json();
    assert_eq!(stats["findings"]["total"], live, "{stats}");
    for kind in &kinds {
        assert_eq!(stats["findings"]["by_kind"][kind], 2, "{kind}: {stats}");
    }
    let dashboard = rows(
        &database,
        "SELECT theorem_count || failure_count || false_lemma_count FROM v_problem_dashboard",
    );
    assert_eq!(dashboard.trim(), "Ok(\"222\")");
}
