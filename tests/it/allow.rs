//! `mk allow`: lifting a rule, by a person at a terminal or through the client's dialog.

use std::process::Command;

use serde_json::{Value, json};

use crate::env::TestEnv;

/// Runs `mk` at a terminal of its own, with a line typed in; `None` where that cannot be done here.
pub(crate) fn at_terminal(env: &TestEnv, arguments: &[&str], typed: &str) -> Option<String> {
    let has_script = Command::new("script").arg("--version").output().is_ok();
    if !cfg!(target_os = "linux") || !has_script || std::env::var_os("CLAUDECODE").is_some() {
        eprintln!("SKIPPED a terminal: it takes Linux, `script`, and nobody else's session");
        return None;
    }
    let quote = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let words: Vec<String> = arguments.iter().map(|word| quote(word)).collect();
    let line = format!("{} {}", quote(env!("CARGO_BIN_EXE_mk")), words.join(" "));
    let mut command = env.tool("script");
    command.args(["-qec", &line, "/dev/null"]).write_stdin(format!("{typed}\n"));
    let output = env.finish(&mut command);
    Some(output.stdout.replace('\r', ""))
}

fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write("lean-toolchain", "");
    env.write("M.lean", "namespace A\ntheorem foo : 1 = 1 := rfl\nend A\n");
    env
}

pub(crate) fn hook(env: &TestEnv, event: &str, id: &str, command: &str) -> Value {
    let input = json!({
        "hook_event_name": event, "session_id": "s1", "tool_use_id": id, "tool_name": "Bash",
        "cwd": env.project(), "tool_input": {"command": command}, "tool_response": {"stdout": ""},
    });
    let output = env.mk_with_input(&["hook"], input.to_string()).success();
    let answer: Value =
        if output.is_empty() { json!({}) } else { serde_json::from_str(&output).unwrap() };
    answer["hookSpecificOutput"].clone()
}

fn decided(env: &TestEnv, command: &str) -> (String, String) {
    let answer = hook(env, "PreToolUse", "t0", command);
    let text = |field: &str| answer[field].as_str().unwrap_or_default().to_owned();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

const LIFT: &str = "mk allow A.foo --rule proof-lost --reason 'a shorter proof'";

#[test]
fn in_a_session_the_person_is_asked_and_the_yes_is_recorded() {
    let env = project();
    let asked = hook(&env, "PreToolUse", "t1", LIFT);
    assert_eq!(asked["permissionDecision"], "ask");
    assert_eq!(
        asked["permissionDecisionReason"],
        "math-forge: lifting proof-lost for `A.foo` (for one edit, within a day) is the person's decision.\n\
         What the rule stops: a complete declaration loses its proof.\n\
         Reason given: \"a shorter proof\".\n\
         Without the person's yes it stays in force."
    );
    let lifts = |all: &str| env.mk(&["allow", "--list", all, "--json"]).json()["lifts"].clone();
    assert_eq!(lifts("--all"), json!([]), "asked is not granted");
    // Another command, or another use of the tool, was not asked about.
    for (id, command) in [("t1", LIFT.replace("A.foo", "A.bar")), ("t2", LIFT.to_owned())] {
        let said = hook(&env, "PostToolUse", id, &command);
        let said = said["additionalContext"].as_str().unwrap();
        assert!(said.contains("nothing is lifted: there is no record"), "{said}");
    }
    assert_eq!(lifts("--all"), json!([]));
    for _ in 0..2 {
        let said = hook(&env, "PostToolUse", "t1", LIFT);
        assert_eq!(
            said["additionalContext"],
            "math-forge: the person agreed. proof-lost is lifted for `A.foo`, for one edit, within a \
             day (lift 1). Every other rule holds as before."
        );
    }
    let granted = lifts("--all");
    assert_eq!(granted.as_array().unwrap().len(), 1, "the same command is one lift");
    assert_eq!(granted[0]["granted_by"], "dialog");
    assert_eq!((&granted[0]["session"], &granted[0]["tool_use"]), (&json!("s1"), &json!("t1")));
    let log = env.mk(&["guard", "log", "--json"]).json();
    assert_eq!(log["entries"][0]["rule"], "asked-to-lift");
    assert_eq!(log["entries"][0]["detail"], LIFT);
}

#[test]
fn what_is_asked_for_in_other_ways_is_refused_with_the_way() {
    let env = project();
    for (command, expected) in [
        (format!("{LIFT} | cat"), "Ask for it with `mk allow NAME"),
        (format!("cd . && {LIFT}"), "Ask for it with `mk allow NAME"),
        (format!("sh -c \"{LIFT}\""), "Ask for it with `mk allow NAME"),
        (format!("env -u CLAUDECODE {LIFT}"), "Ask for it with `mk allow NAME"),
        ("mk allow A.foo --rule proof-lost".to_owned(), "it needs `--reason"),
        ("mk allow A.foo --rule prof --reason x".to_owned(), "there is no rule `prof`"),
        ("mk review accept".to_owned(), "at most five findings or proposals"),
        ("mk review accept 3 4".to_owned(), "`mk review list` and `mk list` show the ids"),
        ("mk review reject 3".to_owned(), "not decided yet"),
        ("mk review undo 3".to_owned(), "`mk review undo` is the person's"),
        ("mk review accept 3 | cat".to_owned(), "one plain command"),
        (
            "mk trust".to_owned(),
            "`mk trust` is the person's decision and cannot be made in a session",
        ),
        ("mk config set guard.enabled false".to_owned(), "`mk config set` is the person's"),
        ("mk lock A.foo --remove".to_owned(), "`mk lock --remove` is the person's"),
        ("bash -c 'mk trust'".to_owned(), "`mk trust` is the person's"),
    ] {
        let (decision, reason) = decided(&env, &command);
        assert_eq!(decision, "deny", "{command}");
        assert!(reason.contains(expected), "{command}: {reason}");
    }
    for command in ["grep -rn 'mk allow' .", "mk add insight", "ls", "git commit -m 'mk allow'"] {
        assert_eq!(decided(&env, command).0, "", "{command}");
    }
    for command in ["mk allow --list", "mk lock A.foo", "mk stats; mk brief && mk search a | head"]
    {
        assert_eq!(decided(&env, command).0, "allow", "{command}");
    }
}

#[test]
fn commands_that_change_what_is_the_guards_own_are_refused() {
    let env = project();
    env.write(".math-forge/config.toml", "");
    for command in [
        "rm -rf .math-forge",
        "echo '[guard]' >> .math-forge/config.toml",
        "sed -i s/deny/off/ ~/.config/math-forge/config.toml",
        "sqlite3 ~/.local/share/math-forge/knowledge.db 'DELETE FROM guard_log'",
        "claude plugin disable math-forge@math-forge",
        "echo '{\"disableAllHooks\":true}' > .claude/settings.local.json",
    ] {
        let (decision, reason) = decided(&env, command);
        assert_eq!(decision, "deny", "{command}");
        assert!(reason.contains("[policy-changed] it would change "), "{reason}");
    }
    for command in ["cat .math-forge/config.toml", "ls ~/.local/share/math-forge"] {
        assert_eq!(decided(&env, command).0, "", "{command}");
    }
    let log = env.mk(&["guard", "log", "--rule", "policy_changed", "--json"]).json();
    assert!(!log["entries"].as_array().unwrap().is_empty());

    // With the person's leave one command may.
    let leave = "mk allow .math-forge/config.toml --rule policy-changed --reason 'as you said'";
    assert_eq!(hook(&env, "PreToolUse", "t7", leave)["permissionDecision"], "ask");
    let said = hook(&env, "PostToolUse", "t7", leave);
    let said = said["additionalContext"].as_str().unwrap();
    assert!(said.contains("for the file `.math-forge/config.toml`"), "{said}");
    let edit = "echo '# mine' >> .math-forge/config.toml";
    assert_eq!(hook(&env, "PreToolUse", "t8", edit), json!(null));
    assert_eq!(hook(&env, "PostToolUse", "t8", edit), json!(null));
    assert_eq!(
        hook(&env, "PreToolUse", "t9", edit)["permissionDecision"],
        "deny",
        "it was for one"
    );

    // And a person may switch the guard off.
    let mut off = env.command();
    off.arg("hook").env("MK_GUARD", "off").write_stdin(
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": env.project(),
               "tool_input": {"command": "rm -rf .math-forge"}})
        .to_string(),
    );
    assert_eq!(env.finish(&mut off).success(), "");
}

#[test]
fn a_name_is_completed_by_what_was_refused() {
    let env = project();
    let before = "namespace A\ntheorem foo : 1 = 1 := by\n  norm_num\nend A\n";
    let path = env.write("M.lean", before);
    let edit = json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "tool_use_id": "e1", "tool_name": "Write",
        "cwd": env.project(),
        "tool_input": {"file_path": path, "content": before.replace("norm_num", "sorry")},
    });
    let refused = env.mk_with_input(&["hook"], edit.to_string()).success();
    assert!(refused.contains("\"deny\""), "{refused}");
    let asked = LIFT.replace("A.foo", "foo");
    let reason = hook(&env, "PreToolUse", "t1", &asked)["permissionDecisionReason"].clone();
    assert!(reason.as_str().unwrap().contains("lifting proof-lost for `A.foo`"), "{reason}");
    let said = hook(&env, "PostToolUse", "t1", &asked)["additionalContext"].clone();
    assert!(said.as_str().unwrap().contains("is lifted for `A.foo`"), "{said}");
    let again = edit.to_string().replace("e1", "e2");
    assert_eq!(env.mk_with_input(&["hook"], again).success(), "", "the lift lets it pass");
}
