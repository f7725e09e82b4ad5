//! The guard's own pairs of texts, through the program: what the hooks answer before and after the
//! write, what `mk diff` and `mk audit` say of the pair.

use serde_json::json;

use super::stage::Stage;
use super::{Part, Recording, together};

/// A pair of texts from `tests/fixtures/guard`.
struct Pair<'a> {
    name: String,
    locked: Vec<&'a str>,
    /// The text with which the session begins, where it is another.
    session: Option<&'a str>,
    before: &'a str,
    after: &'a str,
}

fn pairs<'a>(file: &str, text: &'a str) -> Vec<Pair<'a>> {
    let part = |part: &'a str| {
        let (head, texts) = part.split_once("--- before\n").unwrap();
        let (before, after) = texts.split_once("--- after").unwrap();
        let mut lines = head.lines();
        let title = lines.next().unwrap();
        let mut pair = Pair {
            name: format!("{file}: {title}"),
            locked: Vec::new(),
            session: None,
            before,
            after: after.trim_start(),
        };
        for line in lines {
            pair.locked.extend(line.strip_prefix("locked: "));
            pair.session = line.strip_prefix("session: ").or(pair.session);
        }
        pair
    };
    text.split("\n=== ").skip(1).map(part).collect()
}

/// Records one pair in a project of its own; the home is shared by all, for making a database costs
/// more than all the questions.
fn ask(stage: &Stage, pair: &Pair<'_>, number: usize) {
    let file = stage.write("Main.lean", pair.session.unwrap_or(pair.before));
    let session = format!("session-{number}");
    let event = |name: &str, more: serde_json::Value| {
        let mut event = json!({"hook_event_name": name, "session_id": session,
            "cwd": stage.env.project(), "tool_name": "Write", "tool_use_id": "toolu_1",
            "permission_mode": "default",
            "tool_input": {"file_path": file, "content": pair.after}});
        event.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
        event.to_string()
    };
    if pair.session.is_some() {
        stage.quietly("hook", &event("SessionStart", json!({"source": "startup"})));
        stage.write("Main.lean", pair.before);
    }
    for name in &pair.locked {
        stage.quietly(&format!("lock '{name}' --file Main.lean"), "");
    }
    let hook = |when: &str, event: String| {
        stage.run(&format!("{}: {when}", pair.name), &["hook".to_owned()], Some(event.as_bytes()));
    };
    hook("before", event("PreToolUse", json!({})));
    stage.write("Main.lean", pair.after);
    stage.write("Before.txt", pair.before);
    let response = json!({"type": "update", "originalFile": pair.before, "structuredPatch": []});
    hook("after", event("PostToolUse", json!({"tool_response": response})));
    for line in ["diff Before.txt Main.lean", "audit Main.lean"] {
        stage.run(&format!("{}: mk {line}", pair.name), &super::stage::words(line), None);
    }
}

pub(super) fn recorded() -> Vec<Recording> {
    let file = |file: &'static str, text: &'static str, part: usize, of: usize| {
        let made = move || {
            let stage = Stage::bare();
            stage.quietly("init --no-import --no-journal", "");
            stage.keep();
            let pairs = pairs(file, text);
            let size = pairs.len().div_ceil(of);
            for (number, pair) in pairs.iter().enumerate().skip(part * size).take(size) {
                ask(&stage, pair, number);
                stage.restore(&["Main.lean", "Before.txt"]);
            }
            stage.done()
        };
        Box::new(made) as Part
    };
    let tricks = include_str!("../../fixtures/guard/tricks.txt");
    together(vec![
        file("trick", tricks, 0, 2),
        file("trick", tricks, 1, 2),
        file("honest", include_str!("../../fixtures/guard/honest.txt"), 0, 1),
        file("out of reach", include_str!("../../fixtures/guard/out_of_reach.txt"), 0, 1),
    ])
}
