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
