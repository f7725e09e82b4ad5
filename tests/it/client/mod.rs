//! The plugin in the real client, which talks to a scripted API.
#![allow(clippy::disallowed_methods, reason = "these tests start processes")]

mod api;
mod session;

use std::path::PathBuf;

use api::{Api, Turn};
use session::Home;

/// The repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn probe() {
    let Some(home) = Home::new("probe") else { return };
    let api = Api::start(vec![
        Turn::Bash("true".into()),
        Turn::Bash("echo a".into()),
        Turn::Bash("echo bb".into()),
        Turn::Say("One."),
        Turn::Say("SUMMARY"),
        Turn::Say("Two."),
    ]);
    let plug = root();
    let plug = plug.to_str().unwrap();
    let id = "11111111-2222-4333-8444-555555555555";
    let fake = PathBuf::from("/tmp/ccprobe/fakemk");
    let env = [("MK_BIN", fake.as_path())];
    for args in [
        vec!["-p", "hello", "--plugin-dir", plug, "--session-id", id],
        vec!["-p", "/compact", "--plugin-dir", plug, "--resume", id],
        vec!["-p", "go on", "--plugin-dir", plug, "--resume", id],
    ] {
        let out = home.claude_with(&api, &args, &env);
        println!("{out:?}");
    }
    for (i, r) in api.asked().iter().enumerate() {
        println!(
            "BRIEF {:?}",
            serde_json::to_string(r)
                .unwrap()
                .match_indices("BRIEFING")
                .map(|m| m.0)
                .collect::<Vec<_>>()
        );
        println!("=== {i} {} tools {}", r["model"], r["tools"].as_array().map_or(0, Vec::len));
        for m in r["messages"].as_array().unwrap() {
            let t = serde_json::to_string(&m).unwrap();
            println!("    {}", t.chars().take(700).collect::<String>());
        }
    }
}
