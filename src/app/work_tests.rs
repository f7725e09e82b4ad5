//! How much the databases are asked by each hook, beside as many findings as a long project has.

use std::fs;

use serde_json::{Value, json};

use super::{App, answer};
use crate::hook::Event;
use crate::paths::Environment;
use crate::store::tests as work;

/// Steps of SQLite's machine, and rows walked without an index, are the same on every machine. To go over all
/// findings once takes 117,000 of them, to go over them for each problem millions.
#[test]
fn no_hook_walks_over_all_findings() {
    let dir = tempfile::tempdir().unwrap();
    let (home, project) = (dir.path().join("home"), dir.path().join("p"));
    fs::create_dir_all(&home).unwrap();
    fs::create_dir_all(project.join("submissions")).unwrap();
    fs::write(project.join("lean-toolchain"), "leanprover/lean4:v4.24.0\n").unwrap();
    let file = project.join("Board.lean");
    let theorems: Vec<String> =
        (1..400).map(|i| format!("theorem cover_{i} : rim {i} ≤ 2 := by\n  simp\n")).collect();
    let text = theorems.concat();
    fs::write(&file, &text).unwrap();
    work::fill(&home, &project);
    let used = |event: &str, tool: &str, input: &Value, answer: &Value| json!({"hook_event_name": event, "tool_name": tool, "tool_input": input, "tool_response": answer});
    let (read, write) = (
        json!({"file_path": file}),
        json!({"file_path": file, "content": text.replace("simp", "sorry")}),
    );
    let build = json!({"command": "lake build"});
    let failed = json!({"stdout": "error: Board.lean:7:2: unknown identifier 'rim'", "stderr": ""});
    let prompt = |text: &str| json!({"hook_event_name": "UserPromptSubmit", "prompt": text});
    // The names of all problems take a part of most of them; what is said takes no more than a few rows.
    let events = [
        (json!({"hook_event_name": "SessionStart", "source": "startup"}), 10_000),
        (prompt("fix the typo"), 80_000),
        (prompt("go on with board_17, and why did slot 44 fail?"), 160_000),
        (prompt("does the rim of cover_77 help?"), 80_000),
        (used("PreToolUse", "Read", &read, &Value::Null), 0),
        (used("PostToolUse", "Read", &read, &json!({"type": "text"})), 5_000),
        (used("PreToolUse", "Write", &write, &Value::Null), 5_000),
        (used("PostToolUse", "Write", &write, &json!({"originalFile": text})), 10_000),
        (used("PreToolUse", "Bash", &build, &Value::Null), 0),
        (used("PostToolUse", "Bash", &build, &failed), 2_000),
        (
            json!({"hook_event_name": "SubagentStart", "agent_type": "general-purpose", "agent_id": "a"}),
            80_000,
        ),
        (json!({"hook_event_name": "PreCompact", "trigger": "auto"}), 0),
        (json!({"hook_event_name": "Stop"}), 0),
        (json!({"hook_event_name": "SessionEnd", "reason": "other"}), 0),
    ];
    let variables =
        [("MK_HOME", home.to_str().unwrap()), ("CLAUDE_PROJECT_DIR", project.to_str().unwrap())];
    let now = "2026-03-14T00:00:00Z".parse().unwrap();
    for (mut event, most) in events {
        event["session_id"] = "s1".into();
        event["cwd"] = project.to_str().unwrap().into();
        let input = event.to_string();
        let mut app = App::new(Environment::of(&variables), now, None, None).unwrap();
        work::done();
        let told = Event::read(input.as_bytes(), None).unwrap().unwrap();
        answer::answer(&mut app, &told, |_| None);
        drop(app);
        let work = work::done();
        let steps: i32 = work.iter().map(|one| one.steps).sum();
        let scanned: i32 = work.iter().map(|one| one.scanned).sum();
        let told = format!(
            "{} takes {steps} steps, {scanned} without an index; {work:#?}",
            event["hook_event_name"]
        );
        assert!((most / 10..=most).contains(&steps), "not about {most}: {told}");
        assert!(scanned <= 6 * work::PROBLEMS, "{told}");
    }
}
