//! The guard in the hooks where something is in the way, at once, or very large; what it says else is
//! played (`tests/plays/guard.txt`).

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::play::{Player, Said};

const PROVED: &str = "theorem foo (a b : Nat) (h : a < b) : a ≤ b := by\n  have h1 := h\n  exact h1.le\n\n\
                      theorem later (n : Nat) : n = n + 0 := by\n  sorry\n";

/// An edit that takes the proof of `foo` away.
fn loss(player: &Player) -> Value {
    edit(player, "exact h1.le", "sorry")
}

fn edit(player: &Player, old: &str, new: &str) -> Value {
    json!({"file_path": player.folder.join("A.lean"), "old_string": old, "new_string": new})
}

fn before(player: &Player, input: &Value) -> Said {
    player.hook("PreToolUse", json!({"tool_name": "Edit", "tool_input": input}))
}

fn proved() -> Player {
    let player = Player::new();
    player.write("A.lean", PROVED);
    player
}

#[test]
fn the_same_event_in_several_processes_counts_once() {
    let player = proved();
    let input = loss(&player);
    std::thread::scope(|scope| {
        let both = [(); 4].map(|()| scope.spawn(|| before(&player, &input)));
        for said in both {
            assert_eq!(said.join().unwrap().verdict, "deny");
        }
    });
    assert_eq!(crate::privacy::count(&player.env, "SELECT count(*) FROM guard_log"), 1);
}

#[test]
fn a_database_in_the_way_lets_no_proof_go() {
    for (state, cause) in [
        ("locked", "locked by another process"),
        ("corrupt", "is not a database"),
        ("a folder", "a folder"),
        ("none", ""),
        ("read-only folder", ""),
    ] {
        let mut player = proved();
        player.env.mk(&["init"]).success();
        let database = player.env.database();
        let mut held = None;
        match state {
            "locked" => {
                let other = rusqlite::Connection::open(&database).unwrap();
                other.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
                held = Some(other);
            }
            "corrupt" => fs::write(&database, "not a database ".repeat(1000)).unwrap(),
            "a folder" => {
                fs::remove_file(&database).unwrap();
                fs::create_dir(&database).unwrap();
            }
            "none" => player.variable("MATH_FORGE_DB", ""),
            _ => player.variable("MATH_FORGE_DB", "/proc/none/k.db"),
        }
        let began = Instant::now();
        let said = before(&player, &loss(&player));
        let changed = player.makes("Edit", &edit(&player, "n = n + 0", "n = n"), false);
        let plain = player.makes("Edit", &edit(&player, "  sorry", "  -- the end\n  sorry"), false);
        let took = began.elapsed();
        assert_eq!(said.verdict, "deny", "{state}: {said:?}");
        let is_told = said.text.contains("could not be read");
        assert_eq!(is_told, !cause.is_empty(), "{state}: {said:?}");
        assert!(said.text.contains(cause), "{state}: {said:?}");
        assert_eq!(changed.verdict, "note", "{state}: {changed:?}");
        assert_eq!(plain.verdict, "silent", "{state}: {plain:?}");
        assert!(took < Duration::from_secs(10), "{state}: five hooks took {took:?}");
        let log = crate::privacy::log(&player.env);
        assert_eq!(log.contains(" guard: "), state != "none", "{state}: {log}");
        drop(held);
    }
}

#[test]
fn a_file_of_five_megabytes_is_judged_in_time() {
    let player = Player::new();
    let docs = "Says more about it than there is to say. ".repeat(10);
    let mut text = String::new();
    for n in 0..12_000 {
        let statement = format!("theorem t{n} (a b : Nat) (h : a < b) : a ≤ b + {n}");
        writeln!(text, "/-- {docs} -/\n{statement} := by\n  have h1 := h.le\n  omega\n").unwrap();
    }
    assert!(text.len() > 5_000_000);
    player.write("A.lean", &text);
    let old = "b + 6000 := by\n  have h1 := h.le\n  omega";
    let began = Instant::now();
    let said = before(&player, &edit(&player, old, "b + 6000 := by\n  sorry"));
    let took = began.elapsed();
    eprintln!("an edit of a file of {} bytes is judged in {took:?}", text.len());
    assert_eq!(said.verdict, "deny");
    // The build of the tests is not optimised; the client waits three seconds for one that is.
    assert!(took < Duration::from_mins(1), "{took:?}");
}

#[test]
fn many_remarks_are_counted() {
    let player = Player::new();
    let theorem = |n| format!("theorem a{n} : {n} = {n} := by native_decide\n");
    let text: String = (0..300).map(theorem).collect();
    let input = json!({"file_path": player.folder.join("A.lean"), "content": text});
    let said = player.makes("Write", &input, false);
    assert_eq!((said.verdict, said.text.lines().count()), ("note", 6), "{said:?}");
    assert!(said.text.ends_with("And 295 more like this."), "{said:?}");
    assert_eq!(crate::privacy::count(&player.env, "SELECT count(*) FROM guard_log"), 50);
}
