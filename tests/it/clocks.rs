//! Clocks that are wrong by centuries: what is asked is answered all the same.

use jiff::Timestamp;
use math_forge::app::{App, answer, learn};
use math_forge::gc;
use math_forge::hook::Event;
use math_forge::paths::Environment;
use serde_json::json;

const EVENTS: [&str; 9] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "PreCompact",
    "Stop",
    "SessionEnd",
];

fn app(home: &str, project: &str, now: Timestamp) -> App {
    let environment = Environment::of(&[("MK_HOME", home), ("CLAUDE_PROJECT_DIR", project)]);
    App::new(environment, now, None, None).unwrap()
}

#[test]
fn hooks_and_commands_work_at_any_time() {
    let times = [
        Timestamp::MIN,
        "0000-01-01T00:00:00Z".parse().unwrap(),
        "1969-12-31T23:59:59Z".parse().unwrap(),
        Timestamp::UNIX_EPOCH,
        "2026-01-01T00:00:00Z".parse().unwrap(),
        "2262-04-12T00:00:00Z".parse().unwrap(),
        "9999-12-30T00:00:00Z".parse().unwrap(),
        Timestamp::MAX,
    ];
    // One home for all: each clock finds what the others left.
    let dir = tempfile::tempdir().unwrap();
    let (home, project) = (dir.path().join("home"), dir.path().join("project"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("lean-toolchain"), "").unwrap();
    let (home, folder) = (home.to_str().unwrap(), project.to_str().unwrap());
    let file = project.join("M.lean");
    for now in times.into_iter().chain(times.into_iter().rev()) {
        std::fs::write(&file, "theorem a : 1 = 1 := rfl\n").unwrap();
        for event in EVENTS {
            let wire = json!({
                "hook_event_name": event, "session_id": "s", "cwd": folder, "prompt": "prove it",
                "tool_name": "Edit", "tool_use_id": "t", "source": "startup", "reason": "other",
                "error": "M.lean:1:1: error: unsolved goals", "agent_type": "prover",
                "tool_input": {"file_path": file, "old_string": "rfl", "new_string": "sorry"},
            });
            let wire = wire.to_string();
            let told = Event::read(wire.as_bytes(), None).unwrap().unwrap();
            let mut app = app(home, folder, now);
            let reply =
                answer::answer(&mut app, &told, |_| None).printed(&told.name).unwrap_or_default();
            assert_eq!(event == "PreToolUse", reply.contains("deny"), "{event} at {now}: {reply}");
        }
        let mut app = app(home, folder, now);
        learn::work::run(&mut app).unwrap();
        app.store().unwrap().jobs(None, None, 10).unwrap();
        app.store().unwrap().stats().unwrap();
        gc::daily(&mut app);
    }
}
