//! The lessons' written sessions, through the program: what `mk extract` finds in each, and what
//! `mk learn` and `mk lessons` make of those that a session's end left behind.

use std::fs;

use serde_json::json;

use super::stage::{Stage, recent};
use super::{Recording, repository};

pub(super) fn recorded() -> Vec<Recording> {
    let folder = repository().join("tests/it/fixtures/lessons");
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            entry.unwrap().file_name().to_str()?.strip_suffix(".jsonl").map(str::to_owned)
        })
        .collect();
    names.sort();
    let stage = Stage::new();
    stage.quietly("init --no-import --no-journal", "");
    for name in &names {
        let from = repository().join(format!("tests/it/fixtures/lessons/{name}.jsonl"));
        stage.write(&format!("{name}.jsonl"), &recent(&fs::read_to_string(from).unwrap()));
    }
    stage.keep();
    for name in &names {
        // Alone: what one session teaches is no news in the next.
        stage.mk(&format!("extract {name}.jsonl"));
        stage.run(
            &format!("{name}: mk lessons --json"),
            &["lessons".into(), "--json".into()],
            None,
        );
        stage.restore(&[]);
    }
    // Together, as the background does it.
    for name in &names {
        let event = json!({"hook_event_name": "SessionEnd", "session_id": format!("session-{name}"),
            "cwd": stage.env.project(), "reason": "other",
            "transcript_path": stage.env.project().join(format!("{name}.jsonl"))});
        stage.quietly("hook", &event.to_string());
    }
    for line in
        ["learn", "learn --json", "lessons -n 100", "lessons --json -n 5", "review list", "stats"]
    {
        stage.mk(line);
    }
    stage.done()
}
