//! What is said beside an error where the database is locked or the output is long; the rest is played
//! (`tests/plays/lessons.txt`).

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::play::{self, Player, Said};

const TAUGHT: &str = include_str!("../plays/lessons.txt");

/// A project in which a session learnt that `Nat.foo_bar` is `Nat.bar_foo`.
fn taught() -> Player {
    let plays = play::plays(TAUGHT);
    let taught = plays.iter().find(|play| play.title == "taught").unwrap();
    let mut player = Player::new();
    taught.with(&mut player);
    player
}

fn fails(player: &Player, error: &str) -> Said {
    let command = json!({"command": "lake build"});
    let event = json!({"tool_name": "Bash", "tool_input": command, "error": error});
    player.hook("PostToolUseFailure", event)
}

const UNKNOWN: &str = "error: A.lean:1:9: Unknown identifier `Nat.foo_bar`\n";

#[test]
fn a_locked_database_is_silence() {
    let player = taught();
    let other = rusqlite::Connection::open(player.env.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    assert_eq!(fails(&player, UNKNOWN).verdict, "silent");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(fails(&player, UNKNOWN).verdict, "note", "nothing was lost");
}

#[test]
fn two_megabytes_of_output_are_read_in_time() {
    let player = taught();
    let mut text = UNKNOWN.to_owned();
    for n in 0..20_000 {
        let has = format!("  h{n}\nhas type\n  f{n} x = {n} : Prop");
        let wanted = format!("but is expected to have type\n  g{n} x : Prop");
        writeln!(text, "error: A.lean:{n}:3: type mismatch\n{has}\n{wanted}").unwrap();
    }
    assert!(text.len() > 2_000_000);
    let begun = Instant::now();
    let said = fails(&player, &text);
    eprintln!("2 MB of output: {:?}", begun.elapsed());
    assert!(said.text.contains("Nat.bar_foo"), "{said:?}");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    let plain = "✔ [1/2] Built Foo\n".repeat(120_000);
    let event = json!({"tool_name": "Bash", "tool_input": {"command": "make"},
        "tool_response": {"stdout": plain, "stderr": "", "interrupted": false}});
    let begun = Instant::now();
    assert_eq!(player.hook("PostToolUse", event).verdict, "silent");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}
