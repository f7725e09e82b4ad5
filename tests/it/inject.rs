//! What sessions are told where the database is locked, the prompt is long, or nothing has changed; the rest
//! is played (`tests/plays/told.txt`).

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::play::{self, Player};
use crate::privacy::count;

/// A Lean project with knowledge about it, in a session of which the start was not seen.
fn known() -> Player {
    let plays = play::plays(include_str!("../plays/told.txt"));
    let known = plays.iter().find(|play| play.title == "without a start").unwrap();
    let mut player = Player::new();
    known.with(&mut player);
    player
}

#[test]
fn a_long_prompt_is_read_in_time() {
    let player = known();
    let prompt = |text: &str| player.hook("UserPromptSubmit", json!({"prompt": text}));
    let noise = "a long story about nothing in particular 證明 ∀ε>0 'x'; ".repeat(20_000);
    assert!(noise.len() > 1_000_000);
    let begun = Instant::now();
    assert_eq!(prompt(&noise).verdict, "silent");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    let said = prompt(&format!("{noise} and Bridges.slope_injective"));
    assert!(said.text.contains("[FALSE] \"slope_injective\""), "{said:?}");
    assert_eq!(count(&player.env, "SELECT count(*) FROM injections"), 1);
}

#[test]
fn a_ledger_that_cannot_be_written_keeps_nothing_from_being_said() {
    let player = known();
    let file = player.write("Bridges.lean", "theorem Bridges.slope_injective : p := by\n  sorry\n");
    let holder = rusqlite::Connection::open(player.env.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    for (name, more) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "go on with bridges 12"})),
        ("SubagentStart", json!({"agent_type": "bridges_12", "agent_id": "a"})),
        ("PostToolUse", json!({"tool_name": "Read", "tool_input": {"file_path": file}})),
    ] {
        let said = player.hook(name, more);
        assert!(said.text.contains("slope_injective"), "{name}: {said:?}");
    }
    drop(holder);
    assert_eq!(count(&player.env, "SELECT count(*) FROM injections"), 0, "the lock held");
    let said = player.hook("UserPromptSubmit", json!({"prompt": "go on with bridges 12"}));
    assert!(said.text.contains("slope_injective"), "{said:?}");
}

#[test]
fn the_same_start_is_said_again_until_something_is_written() {
    let player = known();
    let start = || player.hook("SessionStart", json!({"source": "startup"})).text;
    let folder = player.env.home().join(".local/state/math-forge/starts");
    let file = || fs::read_dir(&folder).ok()?.flatten().next().map(|entry| entry.path());
    let first = start();
    assert!(first.contains("Session briefing"));
    // The second makes and keeps it, or the background has by then; where that one writes in between, the
    // third is no proof and comes again.
    let is_kept = || {
        assert_eq!(start(), first);
        let Some(file) = file() else { return false };
        let made = fs::read_to_string(&file).unwrap();
        fs::write(&file, made.replace("Session briefing", "As it was said before")).unwrap();
        let said = start();
        fs::remove_file(&file).ok();
        said.contains("As it was said before")
    };
    assert!((0..8).any(|_| is_kept()), "a database was opened each time");
    start();
    player.env.mk(&["add", "insight", "--title", "a new one"]).success();
    let next = start();
    assert!(next.contains("insight") && next.contains("Session briefing"), "{next}");
    assert_ne!(next, first);
    player.env.mk(&["stats"]).success();
    assert_eq!(count(&player.env, "SELECT count(*) FROM client_sessions"), 1);
}
