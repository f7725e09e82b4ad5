//! What is said in a session and must not be kept: secrets, private parts, and all of excluded projects.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use math_forge::app::journal;
use math_forge::text::scrub;
use serde_json::{Value, json};

use crate::env::{TestEnv, shared_data};
use crate::play::{Player, SESSION};

/// In every planted secret, and in every planted private part.
const SECRET: &str = "Zq7Xw9Kd2Lm4Np6Rt8Vb1Cy3Hf5Js";
const PRIVATE: &str = "quokka";

/// Words with a secret of another form in them each time, and a private part.
struct Planter(usize);

impl Planter {
    fn words(&mut self, words: &str) -> String {
        self.0 += 1;
        let n = self.0;
        let secret = match n % 6 {
            0 => format!("ghp_{SECRET}{n:04}"),
            1 => format!("sk-ant-api03-{SECRET}{n:04}"),
            2 => format!("--password {SECRET}{n:04}"),
            3 => format!("Authorization: Bearer {SECRET}{n:04}"),
            4 => format!("API_TOKEN={SECRET}{n:04}"),
            _ => format!("https://ada:{SECRET}{n:04}@example.org"),
        };
        format!("{words} {secret} <private>{PRIVATE} {n}</private>")
    }
}

/// One value of the database.
pub(crate) fn query<T: rusqlite::types::FromSql>(env: &TestEnv, sql: &str) -> T {
    let database = rusqlite::Connection::open(env.database()).unwrap();
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

pub(crate) fn count(env: &TestEnv, sql: &str) -> i64 {
    query(env, sql)
}

pub(crate) fn sql(env: &TestEnv, statements: &str) {
    rusqlite::Connection::open(env.database()).unwrap().execute_batch(statements).unwrap();
}

pub(crate) fn log(env: &TestEnv) -> String {
    fs::read_to_string(state(env).join("mk.log")).unwrap_or_default()
}

/// How many sessions wait to be read.
pub(crate) fn tickets(env: &TestEnv) -> usize {
    fs::read_dir(state(env).join("tickets")).map_or(0, Iterator::count)
}

/// Waits for the background.
pub(crate) fn wait(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < Duration::from_mins(1), "nothing came of it");
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub(crate) fn state(env: &TestEnv) -> PathBuf {
    env.home().join(".local/state/math-forge")
}

/// Files below a folder that hold a text, without those in `but`.
pub(crate) fn holding(folder: &Path, text: &str, but: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if but.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        if path.is_dir() {
            found.extend(holding(&path, text, but));
        } else {
            let bytes = fs::read(&path).unwrap();
            if bytes.windows(text.len()).any(|here| here.eq_ignore_ascii_case(text.as_bytes())) {
                found.push(path);
            }
        }
    }
    found
}

/// A session that says and does many things, each with a secret and a private part in it.
fn plant(player: &Player) {
    let agent = |block: Value| player.says("assistant", &json!([block]));
    let mut planter = Planter(0);
    let mut p = |words: &str| planter.words(words);
    player.person(&p("I prefer term-mode proofs for one-line lemmas, with"));
    player.person(&p("From now on always use the blue server for all builds and"));
    agent(json!({"type": "thinking", "thinking": p("I noticed that thinking")}));
    agent(
        json!({"type": "text", "text": p("Compactness cannot work, because the family is not closed with")}),
    );
    player.line(json!({"type": "attachment", "attachment": {"type": "queued_command",
        "prompt": p("From now on we never use queued words in this project with")}}));
    player.line(json!({"type": "user", "isCompactSummary": true, "message": {"role": "user",
        "content": p("I prefer summaries with")}}));
    player.line(json!({"type": "user", "isSidechain": true, "agentId": "a1",
        "message": {"role": "user", "content": p("Always use subagents with")}}));
    // A command that is missing, and another one for it.
    let command = json!({"command": p("rg sum_odd Proofs")});
    let failed = p("Exit code 127\n/bin/bash: line 1: rg: command not found:");
    let error = json!(format!("Error: {failed}"));
    player.called("Bash", &command, &error, (&failed, true));
    let command = json!({"command": p("grep -rn sum_odd Proofs"), "description": p("look")});
    let printed = p("Proofs/Sum.lean:3:theorem sum_odd");
    let outcome = json!({"stdout": printed, "stderr": p("e")});
    player.called("Bash", &command, &outcome, (&printed, false));
    // An error of Lean, and the edit that made it go away.
    let check = json!({"command": "lake env lean Proofs/Sum.lean"});
    let error =
        "Exit code 1\nProofs/Sum.lean:7:8: error: Unknown identifier `Finset.sum_range_suc`\n";
    player.called("Bash", &check, &json!(""), (&p(error), true));
    let file = player.folder.join("Proofs/Sum.lean");
    let (old, new) = ("rw [Finset.sum_range_suc, ih] --", "rw [Finset.sum_range_succ, ih] --");
    let (old, new) = (p(old), p(new));
    let lines = [format!("-{old}"), format!("+{new}")];
    player.called(
        "Edit",
        &json!({"file_path": file, "old_string": old, "new_string": new}),
        &json!({"filePath": file, "structuredPatch": [
            {"oldStart": 7, "oldLines": 1, "newStart": 7, "newLines": 1, "lines": lines}]}),
        (&p("The file has been updated"), false),
    );
    player.called("Bash", &check, &json!({"stdout": "", "stderr": ""}), ("", false));
    let edits = json!({"file_path": file, "edits": [{"old_string": p("a"), "new_string": p("b")}]});
    player.called("MultiEdit", &edits, &json!({}), (&p("done"), false));
    let new = json!({"file_path": p("/x"), "content": p("w")});
    player.called("Write", &new, &json!({}), (&p("y"), false));
    // What is still open when the transcript is read: an error, and a call.
    let open = "Exit code 1\nA.lean:3:2: error: unknown identifier";
    let build = json!({"command": p("lake build")});
    player.called("Bash", &build, &json!(p("Error:")), (&p(open), true));
    player.calls("Bash", &json!({"command": p("sleep 100")}));
    assert!(planter.0 > 25);
}

#[test]
fn no_secret_and_nothing_private_is_kept_of_a_session() {
    let player = Player::new();
    let env = &player.env;
    env.write("M.lean", "namespace A\ntheorem foo : 1 = 1 := rfl\nend A\n");
    let data = env.home().join(".local/share/math-forge");
    journal::create(&data.join("journal")).unwrap();
    player.hook("SessionStart", json!({"source": "startup"}));
    plant(&player);
    player.hook("PreCompact", json!({"trigger": "auto"}));
    let mut planter = Planter(100);
    // Commands that the guard has something to say about, and one that asks for leave.
    let own = format!("echo '{}' > ~/.config/math-forge/config.toml", planter.words("x"));
    let secret = planter.words("why").replace(['<', '>'], "");
    let leave = format!(
        "mk allow A.foo --rule proof-lost --reason '{}'",
        secret.split(PRIVATE).next().unwrap()
    );
    for (id, command) in [("t1", own), ("t2", leave)] {
        let more = json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command},
            "tool_response": {"stdout": format!("A.lean:1:1: error: unknown identifier 'ghp_{SECRET}0999'\n{}", planter.words("x"))}});
        for name in ["PreToolUse", "PostToolUse", "PostToolUseFailure"] {
            player.hook(name, more.clone());
        }
    }
    player.hook("UserPromptSubmit", json!({"prompt": planter.words("prove")}));
    for words in ["I learned that the agent can add", "Again"] {
        let mut command = env.command();
        let (title, text, tag) =
            (planter.words(words), planter.words("text"), planter.words("tag"));
        command.args(["add", "insight", "--title", &title, "--description", &text, "--tags", &tag]);
        command.env("CLAUDECODE", "1");
        env.finish(&mut command).success();
    }
    player.hook("SessionEnd", json!({"reason": "other"}));
    wait(|| !state(env).join("tickets").join(format!("{SESSION}.json")).exists());
    env.mk(&["learn"]).success();

    // Something was learnt, or nothing would be shown by it.
    assert!(count(env, "SELECT count(*) FROM proposals") >= 3);
    assert!(count(env, "SELECT count(*) FROM lessons") >= 2);
    assert!(
        count(env, "SELECT count(*) FROM guard_log WHERE detail LIKE '%[secret removed]%'") >= 2
    );
    assert_eq!(count(env, "SELECT count(*) FROM guard_lifts WHERE reason LIKE '%removed]%'"), 1);
    assert_eq!(count(env, "SELECT count(*) FROM findings WHERE title LIKE 'I learned that%'"), 1);
    assert!(count(env, "SELECT length(state) FROM transcripts") > 1_000);
    let seed = fs::read_to_string(data.join("journal/seed.json")).unwrap();
    assert!(seed.contains("[secret removed]"), "{seed}");
    for text in [SECRET, PRIVATE] {
        // The client's own transcript is not ours.
        assert_eq!(holding(&env.home(), text, &[".claude"]), Vec::<PathBuf>::new(), "{text}");
    }
}

#[test]
fn nothing_is_kept_of_an_excluded_project() {
    let player = Player::new();
    let env = &player.env;
    let learnt = || {
        if !env.database().exists() {
            return 0;
        }
        count(
            env,
            "SELECT (SELECT count(*) FROM transcripts) + (SELECT count(*) FROM proposals)
             + (SELECT count(*) FROM findings)",
        )
    };
    let session = || {
        player.hook("SessionStart", json!({"source": "startup"}));
        plant(&player);
        player.hook("PreCompact", json!({"trigger": "auto"}));
        let said = player.hook("SessionStart", json!({"source": "compact"}));
        player.hook("SessionEnd", json!({"reason": "other"}));
        said.text
    };
    let setting = format!("[learn]\nexclude = [\"{}\"]\n", env.project().display());
    env.configure(&setting);
    let text = session();
    assert!(!text.contains("In hand"), "{text}");
    std::thread::sleep(Duration::from_millis(300));
    env.mk(&["learn"]).success();
    assert_eq!(learnt(), 0);
    assert!(!state(env).join("tickets").exists());
    let report = env.mk(&["doctor"]).stdout;
    assert!(report.contains("nothing is learnt from sessions here"), "{report}");

    // Excluded after its session began: what was noted of it goes, nothing is added.
    env.configure("");
    player.hook("SessionStart", json!({"source": "startup"}));
    env.mk(&["stats"]).success();
    assert_eq!(learnt(), 1, "the transcript is noted");
    assert!(!env.mk(&["doctor"]).stdout.contains("nothing is learnt"));
    env.configure(&setting);
    // From the folder of another project.
    let mut elsewhere = env.command();
    elsewhere.arg("learn").current_dir(env.home());
    env.finish(&mut elsewhere).success();
    assert_eq!(learnt(), 0);

    env.configure("");
    session();
    wait(|| learnt() > 3);
}

/// What looks like a secret in Lean files that real people wrote: nothing.
#[test]
fn no_real_lean_file_is_taken_for_a_secret() {
    let Some(data) = shared_data("secrets in real Lean files") else { return };
    let mut stack = vec![data];
    let (mut files, mut changed) = (0, Vec::new());
    while let Some(folder) = stack.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|end| end == "lean") {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                files += 1;
                // Whole, and as it would come in small pieces.
                let pieces = text.split("\n\n").filter(|piece| scrub(piece) != **piece);
                if scrub(&text) != text || pieces.count() > 0 {
                    changed.push(path);
                }
            }
        }
    }
    eprintln!("{} of {files} real Lean files hold what is taken for a secret", changed.len());
    assert!(files > 100);
    assert_eq!(changed, Vec::<PathBuf>::new());
}
