//! Learning from what is no transcript, from several processes at once, and from processes that are
//! killed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use math_forge::app::App;
use math_forge::model::Kind;
use math_forge::note;
use math_forge::paths::Environment;
use serde_json::json;

use crate::env::TestEnv;
use crate::play::Player;
use crate::privacy::{count, holding, log, state, tickets, wait};

const SAID: &str = "I prefer term-mode proofs for one-line lemmas.";

fn proposals(env: &TestEnv) -> i64 {
    if env.database().exists() { count(env, "SELECT count(*) FROM proposals") } else { 0 }
}

#[test]
fn what_is_no_file_holds_nothing_up() {
    let player = Player::new();
    let env = &player.env;
    let folder = env.home().join("t");
    fs::create_dir_all(folder.join("folder.jsonl")).unwrap();
    let path = |name: &str| folder.join(name);
    env.tool("mkfifo").args([path("pipe.jsonl"), path("pipe.md")]).assert().success();
    std::os::unix::fs::symlink("/dev/zero", path("zero.jsonl")).unwrap();
    std::os::unix::fs::symlink(path("loop.jsonl"), path("loop.jsonl")).unwrap();
    for name in ["pipe.jsonl", "zero.jsonl", "folder.jsonl", "loop.jsonl", "pipe.md"] {
        let begun = Instant::now();
        for (name_of, more) in [
            ("SessionStart", json!({"source": "startup"})),
            ("PreCompact", json!({})),
            ("SessionStart", json!({"source": "compact"})),
            ("SessionEnd", json!({})),
        ] {
            let mut more = more;
            more["transcript_path"] = json!(path(name));
            player.hook(name_of, more);
        }
        // Whoever gets the ticket finds that nothing will come of it.
        wait(|| {
            drop(env.mk(&["learn"]));
            tickets(env) == 0
        });
        let error = env.mk(&["extract", path(name).to_str().unwrap()]);
        assert_ne!(error.code, 0, "{name}: {}", error.stdout);
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: {:?}", begun.elapsed());
    }
    let log = log(env);
    assert!(log.contains("it is not a regular file (a pipe"), "{log}");
    assert_eq!(proposals(env), 0);
}

#[test]
fn the_journal_goes_into_no_repository_that_the_environment_names() {
    let player = Player::new();
    let env = &player.env;
    env.mk(&["init"]).success();
    let other = env.home().join("other");
    fs::create_dir_all(&other).unwrap();
    let git = |arguments: &[&str]| {
        let mut command = env.tool("git");
        command.args(["-c", "user.name=p", "-c", "user.email=p@x"]).args(arguments);
        env.finish(command.current_dir(&other)).success()
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    player.person(SAID);
    player.hook("PreCompact", json!({}));
    let mut learn = env.command();
    // As a hook of git exports them, or somebody who keeps the home folder under git.
    learn.arg("learn").env("GIT_DIR", other.join(".git")).env("GIT_WORK_TREE", env.home());
    learn.env("GIT_INDEX_FILE", other.join("index"));
    env.finish(&mut learn).success();
    assert_eq!(git(&["log", "--format=%s", "--all"]), "mine\n");
    assert!(!other.join("index").exists());
    assert_eq!(
        count(
            env,
            "SELECT count(*) FROM findings WHERE json_extract(detail, '$.said.journaled') IS NULL"
        ),
        0
    );
}

#[test]
fn a_killed_worker_loses_nothing_and_stores_nothing_twice() {
    // As many as one reading may propose.
    const ROUNDS: u64 = 20;
    let player = Player::new();
    let env = &player.env;
    let mk = Path::new(env!("CARGO_BIN_EXE_mk"));
    for round in 0..ROUNDS {
        for n in 0..40 {
            player.person(&format!("What about lemma {round} {n}?"));
        }
        player.person(&format!("I prefer `tactic_{round}` over linarith for such goals."));
        fs::create_dir_all(state(env).join("tickets")).unwrap();
        let ticket = json!({"session": "0b9d7a52-5a0e-4d49-9f2b-3c1e7f6a8d10",
            "transcript": player.transcript(), "folder": env.project()});
        fs::write(state(env).join("tickets/a.json"), ticket.to_string()).unwrap();
        #[allow(clippy::disallowed_methods, reason = "a process that is killed")]
        let mut worker = std::process::Command::new(mk)
            .arg("learn")
            .env_clear()
            .env("HOME", env.home())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(env.project())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(4 * round));
        worker.kill().ok();
        worker.wait().unwrap();
    }
    wait(|| {
        env.mk(&["learn"]).success();
        tickets(env) == 0
    });
    assert_eq!(proposals(env), i64::try_from(ROUNDS).unwrap());
    assert_eq!(count(env, "SELECT count(*) - count(DISTINCT content) FROM proposals"), 0);
    let lines = count(env, "SELECT lines FROM transcripts");
    assert_eq!(lines, i64::try_from(ROUNDS * 41).unwrap());
    assert_eq!(env.mk(&["doctor"]).code, 0);
}

#[test]
fn nothing_secret_is_kept_of_a_result_file() {
    const SECRET: &str = "Zq7Xw9Kd2Lm4Np6Rt8Vb1Cy3Hf5Js";
    let env = TestEnv::new();
    let key = format!("ghp_{SECRET}AbCd");
    env.write(
        "slot12_erdos_850_result.lean",
        format!(
            "/-\nThis file was edited by Aristotle.\nfrom https://me:{SECRET}@example.org\n\
             <private>quokka plans\n</private>\n-/\n/-- The key {key}. -/\n\
             theorem erdos_850 : 1 = 1 := by\n  -- {key}\n  rfl\n/-- token: {SECRET}1 -/\n\
             theorem helper : True := by\n  sorry\n"
        ),
    );
    env.mk(&["extract", "slot12_erdos_850_result.lean"]).success();
    assert_eq!(count(&env, "SELECT count(*) FROM findings WHERE theorem_name = 'erdos_850'"), 1);
    for word in [SECRET, "quokka"] {
        assert_eq!(holding(&env.home(), word, &[]), Vec::<std::path::PathBuf>::new(), "{word}");
    }
}

#[test]
fn an_event_with_half_a_character_is_judged() {
    let env = TestEnv::new();
    env.write("lean-toolchain", "");
    let file = env.write("A.lean", "theorem foo : 1 = 1 := by\n  rfl\n");
    for half in ["", "\\ud835"] {
        let content = format!("theorem foo : 1 = 1 := by -- {half}\\n  sorry\\n");
        let event = format!(
            "{{\"hook_event_name\": \"PreToolUse\", \"session_id\": \"s\", \"cwd\": {}, \
             \"tool_name\": \"Write\", \"tool_use_id\": \"t\", \"tool_input\": {{\"file_path\": {}, \
             \"content\": \"{content}\"}}}}",
            json!(env.project()),
            json!(file)
        );
        let answer = env.mk_with_input(&["hook"], event).success();
        assert!(answer.contains("\"deny\"") && answer.contains("proof-lost"), "{half}: {answer}");
    }
}

#[test]
fn five_hundred_notes_are_twenty() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().to_str().unwrap();
    let of = [("MK_HOME", home), ("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "s1")];
    let now = "2026-02-01T12:00:00Z".parse().unwrap();
    let mut app = App::new(Environment::of(&of), now, None, None).unwrap();
    let mut refused = 0;
    for number in 0..500 {
        let text = format!("trap number {number} of very many");
        let one = note::Args { kind: Kind::Lesson, text, problem: None, because: None };
        refused += u32::from(note::note(&mut app, &one).is_err());
    }
    assert_eq!(refused, 480);
}
