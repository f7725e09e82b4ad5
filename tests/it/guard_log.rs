//! `mk guard`: what the guard decided.

use serde_json::json;

use crate::env::TestEnv;

fn refuse(env: &TestEnv, session: &str, id: &str) {
    let before = "theorem foo : 1 = 1 := by\n  norm_num\n";
    let path = env.write("M.lean", before);
    let input = json!({
        "hook_event_name": "PreToolUse", "session_id": session, "tool_use_id": id, "tool_name": "Write",
        "cwd": env.project(),
        "tool_input": {"file_path": path, "content": before.replace("norm_num", "sorry")},
    });
    let answer = env.mk_with_input(&["hook"], input.to_string()).success();
    assert!(answer.contains("\"deny\""), "{answer}");
}

#[test]
fn an_empty_log_is_said() {
    let env = TestEnv::new();
    let nothing = "  The log of this project has no such entries.\n";
    assert_eq!(env.mk(&["guard", "log"]).success(), nothing);
    assert_eq!(env.mk(&["guard", "log", "--json"]).json()["entries"], json!([]));
    assert!(!env.database().exists(), "asking creates nothing");
    let message = env.mk(&["guard", "log", "--since", "soon"]).failure(1);
    assert!(message.contains("did not understand the time `soon`"), "{message}");
}

#[test]
fn what_was_refused_is_listed() {
    let env = TestEnv::new();
    env.write("lean-toolchain", "");
    for (session, id) in [("s1", "t1"), ("s1", "t1"), ("s1", "t2"), ("s2", "t3")] {
        refuse(&env, session, id);
    }
    let entries = |arguments: &[&str]| {
        let log = env.mk(&[&["guard", "log", "--json"][..], arguments].concat()).json();
        log["entries"].as_array().unwrap().len()
    };
    for (arguments, expected) in [
        (&[][..], 3),
        (&["--session", "s1"], 2),
        (&["--decl", "foo"], 3),
        (&["--decl", "bar"], 0),
        (&["--rule", "Proof_Lost"], 3),
        (&["--rule", "axiom-added"], 0),
        (&["--since", "1h"], 3),
        (&["--since", "2099-01-01"], 0),
        (&["-n", "1"], 1),
    ] {
        assert_eq!(entries(arguments), expected, "{arguments:?}");
    }
    let text = env.mk(&["guard", "log", "-n", "1"]).success();
    assert!(text.contains("refused   proof-lost          foo in M.lean:1"), "{text}");
    assert!(env.mk(&["guard", "log", "--decl", "bar"]).success().contains("no such entries"));
}
