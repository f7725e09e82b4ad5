//! `mk hook` as Claude Code calls it: whatever comes in, the exit code is 0 and standard output is
//! one JSON object or nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::env::{TestEnv, shared_data};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read_json(path: &str) -> Value {
    serde_json::from_slice(&fs::read(root().join(path)).unwrap()).expect(path)
}

/// Runs the hook and checks what every answer must be; returns the answer.
#[track_caller]
fn hook(env: &TestEnv, input: impl Into<Vec<u8>>) -> Option<Value> {
    checked(env, &["hook"], input)
}

#[track_caller]
fn checked(env: &TestEnv, arguments: &[&str], input: impl Into<Vec<u8>>) -> Option<Value> {
    let input = input.into();
    let event = serde_json::from_slice::<Value>(&input).ok();
    let output = env.mk_with_input(arguments, input).success();
    if output.is_empty() {
        return None;
    }
    if event.as_ref().is_some_and(|event| event["hook_event_name"] == "PreCompact") {
        // Plain words are what the client hands to who summarises.
        assert!(output.starts_with("End the summary with one line") && output.ends_with(".\n"));
        assert_eq!(output.lines().count(), 1);
        return None;
    }
    let answer: Value = serde_json::from_str(&output).expect("one JSON object");
    if let Some(event) = event {
        // A block, and a line for the person, name no event.
        let own = &answer["hookSpecificOutput"];
        let named = own["hookEventName"] == event["hook_event_name"];
        assert!(own.is_null() || named, "{answer}");
    }
    assert!(!output.contains("null"), "{output}");
    Some(answer)
}

#[test]
fn any_input_and_any_arguments_end_with_0() {
    let env = TestEnv::new();
    let deep = "[".repeat(100_000);
    for input in [&b"{"[..], b"[]", b"null", b"\xff\xfe\x00", b"not JSON at all", deep.as_bytes()] {
        let told = hook(&env, input).expect("it is said that nothing was looked at");
        assert_eq!(told.as_object().unwrap().len(), 1, "{told}");
        assert!(told["systemMessage"].as_str().unwrap().contains("could not read"), "{told}");
    }
    let log = fs::read_to_string(env.home().join(".local/state/math-forge/mk.log")).unwrap();
    assert_eq!(log.lines().count(), 6, "the causes: {log}");
    for input in [
        &b""[..],
        b"   \n",
        b"{\"hook_event_name\":\"NeverHeardOf\"}",
        b"{\"hook_event_name\":17,\"tool_input\":[]}",
        b"{\"hook_event_name\":\"PreToolUse\"}",
        b"{\"hook_event_name\":\"PostToolUse\",\"tool_name\":{},\"tool_input\":\"x\"}",
    ] {
        assert_eq!(
            hook(&env, input),
            None,
            "{:?}",
            String::from_utf8_lossy(&input[..input.len().min(40)])
        );
    }
    let stop = r#"{"hook_event_name":"Stop"}"#;
    for arguments in [
        &["hook", "nonsense", "--foo"][..],
        &["hook", "--help"],
        &["hook", "--version"],
        &["hook", "--db"],
        &["--no-such-option", "hook"],
        &["--db", "/no/such/folder/k.db", "hook", "stop", "--tracking"],
    ] {
        assert_eq!(checked(&env, arguments, stop), None, "{arguments:?}");
    }
}

#[test]
fn every_real_payload_has_a_valid_answer() {
    let Some(data) = shared_data("every_real_payload_has_a_valid_answer") else { return };
    let env = TestEnv::new();
    let mut seen = 0;
    for entry in fs::read_dir(data.join("hook-payloads")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|e| e != "json") || name.starts_with("env.") {
            continue;
        }
        let answer = hook(&env, fs::read(&path).unwrap());
        // In this one the statement of a proved theorem changes.
        let blocked = answer.as_ref().is_some_and(|answer| answer["decision"] == "block");
        assert_eq!(blocked, name == "PostToolUse.Edit.json", "{name}: {answer:?}");
        assert_eq!(answer.is_some(), blocked || name.starts_with("SessionStart."), "{name}");
        seen += 1;
    }
    assert!(seen > 40, "{seen} payloads");
}

#[test]
fn a_session_start_is_answered_from_any_source() {
    let env = TestEnv::new();
    for source in ["startup", "resume", "clear", "compact", "fork"] {
        let input = json!({"hook_event_name": "SessionStart", "source": source}).to_string();
        let answer = hook(&env, input).expect(source);
        assert!(!answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().is_empty());
    }
    let by_name = checked(&env, &["hook", "session-start"], "").expect("a person may ask by name");
    assert_eq!(by_name["hookSpecificOutput"]["hookEventName"], "SessionStart");
    let decided = checked(&env, &["hook", "session-start"], r#"{"hook_event_name":"Stop"}"#);
    assert_eq!(decided, None, "stdin decides");
}

#[test]
fn a_broken_database_does_not_stop_a_session() {
    let start = r#"{"hook_event_name":"SessionStart","source":"startup"}"#;
    for state in ["not a database", "a folder", "switched off", "cut off", "unwritable"] {
        let env = TestEnv::new();
        let path = env.project().join("k.db");
        let mut command = env.command();
        command.arg("hook").env("MATH_FORGE_DB", &path).write_stdin(start);
        match state {
            "a folder" => fs::create_dir(&path).unwrap(),
            "switched off" => drop(command.env("MATH_FORGE_DB", "")),
            "cut off" => fs::write(&path, b"SQLite format 3\0and nothing more").unwrap(),
            "unwritable" => drop(command.env("MATH_FORGE_DB", "/proc/none/k.db")),
            _ => fs::write(&path, "not a database ".repeat(1000)).unwrap(),
        }
        let output = env.finish(&mut command).success();
        assert!(output.is_empty() || serde_json::from_str::<Value>(&output).is_ok(), "{state}");
    }
}

#[test]
fn no_home_is_no_reason_to_fail() {
    let env = TestEnv::new();
    for home in [None, Some("/proc/none"), Some("")] {
        let mut command = env.command();
        command.arg("hook").write_stdin(r#"{"hook_event_name":"SessionStart"}"#);
        // Even where the account has a home folder, this test must not touch it.
        command.env_remove("HOME").env("MK_HOME", "/proc/none");
        if let Some(home) = home {
            command.env("HOME", home);
        }
        let output = env.finish(&mut command).success();
        assert!(output.is_empty() || serde_json::from_str::<Value>(&output).is_ok(), "{home:?}");
    }
}

#[test]
fn later_commands_find_our_mk_and_the_project() {
    let base = TestEnv::new();
    let home = base.home().join("it's a \"home\" $(id) `id` %s");
    let project = base.home().join("proj 'x' $HOME");
    fs::create_dir_all(&home).unwrap();
    fs::create_dir_all(&project).unwrap();
    let file = home.join("env.sh");
    for source in ["startup", "resume", "compact"] {
        let input = json!({"hook_event_name": "SessionStart", "source": source}).to_string();
        let mut command = base.command();
        command
            .env("HOME", &home)
            .env("CLAUDE_ENV_FILE", &file)
            .env("CLAUDE_PROJECT_DIR", &project)
            .current_dir(&project)
            .arg("hook")
            .write_stdin(input);
        drop(base.finish(&mut command).success());
    }
    let lines = fs::read_to_string(&file).unwrap();
    assert_eq!(lines.matches("export PATH=").count(), 1, "once for the session: {lines}");

    let mut shell = assert_cmd::Command::new("/bin/sh");
    let script = ". \"$1\"; command -v mk; mk --version; printf '%s' \"$CLAUDE_PROJECT_DIR\"";
    let output = shell.env_clear().args(["-c", script, "sh"]).arg(&file).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = format!(
        "{}\nmk {}\n{}",
        home.join(".local/share/math-forge/bin/mk").display(),
        env!("CARGO_PKG_VERSION"),
        project.display()
    );
    assert_eq!(text, expected, "{}", String::from_utf8_lossy(&output.stderr));
}

/// Every handler of hooks.json with its event, matcher and `if`.
fn handlers() -> Vec<(String, String, String, Value)> {
    let hooks = read_json("hooks/hooks.json");
    let mut found = Vec::new();
    for (event, groups) in hooks["hooks"].as_object().unwrap() {
        for group in groups.as_array().unwrap() {
            let matcher = group["matcher"].as_str().unwrap_or("").to_owned();
            for handler in group["hooks"].as_array().unwrap() {
                let filter = handler["if"].as_str().unwrap_or("").to_owned();
                found.push((event.clone(), matcher.clone(), filter, handler.clone()));
            }
        }
    }
    found
}

/// Tools of servers that may say what Lean says. Others start no process.
const SERVERS: [&str; 2] = [
    "mcp__(?=.*([Ll]ean|[Ll]ake)).*\
     ([Dd]iagnos|[Bb]uild|[Cc]ompile|[Cc]heck|[Rr]un|[Aa]ttempt|[Ee]val|[Rr]epl).*",
    "mcp__ide__getDiagnostics",
];

/// Tools of servers that may write files or run commands: by their names, nothing else is known of
/// them before they run.
const WRITERS: &str = "mcp__.*([Ww]rite|[Ee]dit|[Rr]eplace|[Ii]nsert|[Cc]reate|[Dd]elete|[Rr]emove|\
     [Mm]ove|[Rr]ename|[Pp]atch|[Aa]pply|[Uu]pdate|[Ss]ave|[Aa]ppend|[Cc]ommand|[Ee]xec|[Pp]rocess|\
     [Ss]hell|[Tt]erminal|_([Pp]ut|[Ss]et|[Ss]tore|[Ss]end|[Kk]eys|[Mm]odify|[Cc]hange|[Ff]ix|[Ff]ormat|\
     [Rr]efactor|[Pp]aste|[Ss]ync|[Uu]pload)).*";

#[test]
fn hooks_json_asks_for_what_is_answered_and_no_more() {
    let asked: Vec<_> = handlers()
        .into_iter()
        .map(|(event, matcher, filter, handler)| {
            assert_eq!(handler["command"], "${CLAUDE_PLUGIN_ROOT}/bin/mk");
            assert_eq!(handler["args"], json!(["hook"]), "exec form: any path works");
            let long = ["SessionStart", "Stop", "PreCompact", "SessionEnd"];
            let timeout = if long.contains(&event.as_str()) { 5 } else { 3 };
            assert_eq!(handler["timeout"], timeout, "{event}");
            format!("{event}/{matcher}/{filter}")
        })
        .collect();
    // The client resolves `..` and `~` first; `//**` reaches outside of the project too. What of it
    // is ours the handler decides.
    let files = ["Edit", "Write", "MultiEdit"].iter().flat_map(|tool| {
        ["*.lean", "//**/*math-forge/**", "//**/.claude/settings*.json", "//**/hooks/hooks.json"]
            .map(|path| format!("Edit|Write|MultiEdit/{tool}({path})"))
    });
    let files: Vec<String> = files.collect();
    let mut expected: Vec<String> = Vec::new();
    expected.push(format!("PostToolUse/{WRITERS}/"));
    expected.extend(files.iter().map(|filter| format!("PostToolUse/{filter}")));
    expected.push("PostToolUse/Read/Read(*.lean)".to_owned());
    expected.push("PostToolUse/Bash/".to_owned());
    expected.extend(SERVERS.map(|tools| format!("PostToolUse/{tools}/")));
    expected.push("PostToolUseFailure/Bash/".to_owned());
    expected.push(format!("PostToolUseFailure/{WRITERS}/"));
    expected.extend(SERVERS.map(|tools| format!("PostToolUseFailure/{tools}/")));
    expected.push("PreCompact//".to_owned());
    // Whatever stands around `mk`: the handler decides what is asked for, and what is refused.
    let commands = ["*mk *", "*math-forge*", "*knowledge.db*", "*.claude/settings*"];
    expected.push("PreToolUse/Agent|Task/".to_owned());
    expected.extend(commands.map(|filter| format!("PreToolUse/Bash/Bash({filter})")));
    expected.push(format!("PreToolUse/{WRITERS}/"));
    expected.extend(files.iter().map(|filter| format!("PreToolUse/{filter}")));
    // No matcher: after a compaction the briefing is needed most.
    expected.extend(
        ["SessionEnd//", "SessionStart//", "Stop//", "SubagentStart//", "UserPromptSubmit//"]
            .map(str::to_owned),
    );
    assert_eq!(asked, expected);
    for (event, ..) in handlers() {
        let wire = json!({"hook_event_name": event}).to_string();
        let read = math_forge::hook::Event::read(wire.as_bytes(), None).unwrap();
        assert!(read.is_some(), "{event} is not answered");
    }
}

#[test]
fn the_manifests_name_this_version_and_one_plugin() {
    let plugin = read_json(".claude-plugin/plugin.json");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    assert!(plugin["author"].is_object(), "a text makes the client refuse the plugin");
    assert!(plugin.get("hooks").is_none(), "hooks/hooks.json is found by itself");
    let marketplace = read_json(".claude-plugin/marketplace.json");
    assert_eq!(marketplace["plugins"][0]["name"], plugin["name"]);
    assert_eq!(marketplace["plugins"][0]["description"], plugin["description"]);
    assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("bin/mk").is_file());
}

#[test]
fn a_locked_database_costs_a_moment_and_is_named() {
    let env = TestEnv::new();
    env.write("lean-toolchain", "leanprover/lean4:v4.24.0");
    env.mk(&["init"]).success();
    let other = rusqlite::Connection::open(env.database()).unwrap();
    other.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
    let started = Instant::now();
    let event = json!({"hook_event_name": "SessionStart", "source": "startup", "session_id": "s"});
    let answer = hook(&env, event.to_string()).expect("a briefing all the same");
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(text.contains("knowledge"), "{text}");
}

#[test]
fn rows_written_by_hand_wait_for_a_command() {
    let env = TestEnv::new();
    env.mk(&["init"]).success();
    let shell = rusqlite::Connection::open(env.database()).unwrap();
    shell
        .execute_batch(
            "INSERT INTO findings (finding_type, title, description)
             VALUES ('insight', 'typed by hand', 'in the shell')",
        )
        .unwrap();
    let waiting = || -> i64 {
        let sql = "SELECT count(*) FROM findings WHERE symbols IS NULL";
        shell.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let told = |event: serde_json::Value| {
        let answer = hook(&env, event.to_string()).expect("an answer");
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    // A session without a name starts nothing in the background.
    let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
    assert!(told(start).contains("1 finding (1 insight)"));
    assert_eq!(waiting(), 1, "completing many rows takes longer than a hook may");
    env.mk(&["search", "typed"]).success();
    assert_eq!(waiting(), 0);
}
