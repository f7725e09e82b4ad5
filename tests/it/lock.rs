//! `mk lock`: statements that must stay.

use crate::env::TestEnv;

const TEXT: &str = "namespace A\ntheorem foo (n : Nat) :\n    n + 0 = n := by\n  sorry\nend A\n";

fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write("lean-toolchain", "");
    env.write("M.lean", TEXT);
    env
}

#[test]
fn outside_of_a_project_nothing_is_locked() {
    let env = TestEnv::new();
    let message = env.mk(&["lock", "foo"]).failure(1);
    assert!(message.contains("locks belong to a git repository or a Lake package"), "{message}");
}

#[test]
fn the_background_locks_what_problems_state() {
    let env = project();
    let statement = "theorem anything (k : Nat) : k + 0 = k";
    env.mk(&["init"]).success();
    let database = env.database();
    let connection = rusqlite::Connection::open(database).unwrap();
    connection
        .execute("INSERT INTO problems (id, name, statement) VALUES ('p', 'p', ?1)", [statement])
        .unwrap();
    drop(connection);
    env.mk(&["capture"]).success();
    let listed = env.mk(&["lock", "--list", "--json"]).json();
    assert_eq!(listed["locks"][0]["declaration"], "A.foo");
    assert_eq!(listed["locks"][0]["origin"], "problem");
}

#[test]
fn a_lock_holds_definitions_of_short_names() {
    let env = project();
    let text = "def A (n : Nat) : Prop := ∃ p, n < p ∧ p < 9\n\
                def B (n : Nat) : Prop := ∀ m, n < m → A m\n\
                theorem main (n : Nat) : B n := key n\n";
    env.write("M.lean", text);
    env.mk(&["init"]).success();
    env.mk(&["lock", "main"]).success();
    let edit = |file: &str, old: &str, new: &str| {
        let input = serde_json::json!({
            "file_path": env.project().join(file), "old_string": old, "new_string": new,
            "replace_all": false,
        });
        let event = serde_json::json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": env.project(),
            "permission_mode": "default", "tool_name": "Edit", "tool_input": input,
        });
        env.mk_with_input(&["hook"], event.to_string()).success()
    };
    let said = edit("M.lean", "n < p ∧ p < 9", "n < p");
    assert!(said.contains("\"deny\"") && said.contains("`main` is locked"), "{said}");
    assert_eq!(edit("M.lean", "key n", "key_of n"), "", "its proof is not held");
    env.write("N.lean", "def Other.A (n : Nat) : Prop := n < 9\n");
    assert_eq!(edit("N.lean", "n < 9", "n < 10"), "", "another `A`");
}
