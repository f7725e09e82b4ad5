//! What commands wrote, as the hooks see it: the real binary, the real git, a real shell.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::env::TestEnv;

const PROVED: &str = "theorem one (a b : Nat) : a + b = b + a := by\n  rw [Nat.add_comm]\n\n\
                      theorem two : 1 + 1 = 2 := by\n  decide\n";

/// Takes the proof of `one` away.
const LOSE: &str = "sed -i 's/rw .Nat.add_comm./sorry/' A.lean";

/// The same in a script, whose call does not name the file.
const SCRIPT: &str = "#!/bin/sh\nsed -i 's/rw .Nat.add_comm./sorry/' *.lean\n";

struct Session {
    env: TestEnv,
    id: &'static str,
    folder: PathBuf,
}

impl Session {
    /// A session that is about to start in a project with one commit.
    fn with_git() -> Self {
        let session = Self::without_git();
        session.sh("git init -q -b main . && git add . && git commit -q -m first").unwrap();
        session
    }

    /// The same without git.
    fn without_git() -> Self {
        let env = TestEnv::new();
        env.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
        env.write("A.lean", PROVED);
        let script = env.write("fix.sh", SCRIPT);
        let folder = env.project();
        let session = Self { env, id: "11111111-2222-3333-4444-555555555555", folder };
        session.sh(&format!("chmod +x '{}'", script.display())).unwrap();
        session
    }

    /// Runs a command as the client would, and returns what it printed, or its error.
    fn sh(&self, command: &str) -> Result<String, String> {
        let output = Command::new("/bin/sh")
            .args(["-c", command])
            .env_clear()
            .env("HOME", self.env.home())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("GIT_AUTHOR_NAME", "p")
            .env("GIT_AUTHOR_EMAIL", "p@example.org")
            .env("GIT_COMMITTER_NAME", "p")
            .env("GIT_COMMITTER_EMAIL", "p@example.org")
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    fn hook(&self, mut event: Value) -> Option<Value> {
        event["session_id"] = json!(self.id);
        event["cwd"] = json!(self.folder);
        let mut command = self.env.command();
        command.current_dir(&self.folder).arg("hook").write_stdin(event.to_string());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        (!text.is_empty()).then(|| serde_json::from_str(&text).unwrap())
    }

    fn kept(&self) -> PathBuf {
        self.env.home().join(".local/state/math-forge/sessions").join(self.id)
    }

    /// The session starts, and the recording of it ends.
    fn start(&self, source: &str) -> Value {
        self.hook(json!({"hook_event_name": "SessionStart", "source": source}));
        let begun = Instant::now();
        loop {
            let start = fs::read(self.kept().join("start.json")).unwrap_or_default();
            let start: Value = serde_json::from_slice(&start).unwrap_or_default();
            if start["done"] == true {
                return start;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "the start is not recorded");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The agent runs a command; what it is told.
    #[track_caller]
    fn bash(&self, command: &str) -> Option<String> {
        let begun = Instant::now();
        let result = self.sh(command);
        let duration = u64::try_from(begun.elapsed().as_millis()).unwrap();
        let name = if result.is_ok() { "PostToolUse" } else { "PostToolUseFailure" };
        let answer = self.hook(json!({
            "hook_event_name": name, "tool_name": "Bash", "tool_input": {"command": command},
            "tool_use_id": format!("toolu_{begun:?}"), "duration_ms": duration,
        }))?;
        if result.is_ok() && answer["decision"] == "block" {
            return Some(self.shown(&answer["reason"]));
        }
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], name, "{answer}");
        Some(format!("note: {}", self.shown(&answer["hookSpecificOutput"]["additionalContext"])))
    }

    fn shown(&self, text: &Value) -> String {
        let text = text.as_str().expect("a text");
        text.replace(&*self.env.home().to_string_lossy(), "$HOME")
    }

    /// The turn ends; what the agent is told.
    #[track_caller]
    fn stop(&self) -> Option<String> {
        let answer = self.hook(json!({"hook_event_name": "Stop", "stop_hook_active": false}))?;
        assert_eq!(answer["decision"], "block", "{answer}");
        Some(self.shown(&answer["reason"]))
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).unwrap();
    }

    /// Runs the first command that a text offers to bring a file back.
    #[track_caller]
    fn repair(&self, text: &str) {
        let command = text.lines().find_map(|line| {
            line.strip_prefix("    ")
                .filter(|line| line.starts_with("git ") || line.starts_with("cp "))
        });
        let command = command.expect(text).replace("$HOME", &self.env.home().to_string_lossy());
        assert_eq!(self.bash(&command), None, "{command}");
    }
}

/// Whether a text says that `one` lost its proof, with the proof.
#[track_caller]
fn assert_lost(text: Option<&String>) {
    let text = text.expect("something is said");
    for part in ["[proof-lost] theorem `one` (line 1) lost its proof", "rw [Nat.add_comm]", ".lean"]
    {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn sed_is_no_way_around() {
    let session = Session::with_git();
    let head = session.sh("git rev-parse HEAD").unwrap();
    let start = session.start("startup");
    assert_eq!((&start["revision"], &start["copied"]), (&json!(head.trim()), &json!(0)));
    let said = session.bash(LOSE);
    let lost = session.read("A.lean");
    let object = format!("{}:A.lean", &head[..12]);
    let expected = format!(
        "math-forge: `sed` has written `A.lean`, and a finished proof is gone.\n\
         [proof-lost] theorem `one` (line 1) lost its proof: left with `sorry` at line 2.\n\
         What was lost:\n    by\n      rw [Nat.add_comm]\n\
         This restores the file as it was, without later changes:\n    \
         git show {object} > A.lean\n\
         Or put back only what is gone, with Edit. If the change is intended: `mk allow one --rule \
         proof-lost --once --reason \"...\"` asks the person. If it was the person who changed it, \
         leave it and say so."
    );
    assert_eq!(said.as_deref(), Some(expected.as_str()));
    assert_eq!(session.stop(), None, "it was told");
    assert_eq!(session.bash(LOSE), None, "it was told");
    assert_eq!(session.stop(), None);
    assert_eq!(session.read("A.lean"), lost, "the file is not touched");
    session.repair(&expected);
    assert_eq!(session.read("A.lean"), PROVED);
}

#[test]
fn a_script_is_caught_at_the_end_of_the_turn_once() {
    let session = Session::with_git();
    session.start("startup");
    assert_eq!(session.bash("./fix.sh"), None);
    let again = json!({"hook_event_name": "Stop", "stop_hook_active": true});
    assert_eq!(session.hook(again), None, "a turn that goes on already is let go");
    let said = session.stop();
    assert_lost(said.as_ref());
    assert!(
        said.as_ref().unwrap().starts_with(
            "math-forge: in `A.lean`, which `fix.sh` wrote, a finished proof is gone.\n"
        ),
        "{said:?}"
    );
    assert_eq!(session.stop(), None);
    session.bash("./fix.sh");
    assert_eq!(session.stop(), None, "the same loss is told once");
    session.repair(&said.unwrap());
    assert_eq!(session.read("A.lean"), PROVED);
    session.bash("./fix.sh");
    assert_lost(session.stop().as_ref());
}

#[test]
fn the_log_has_what_was_said() {
    let session = Session::with_git();
    session.start("startup");
    session.bash(LOSE);
    session.write("A.lean", PROVED);
    session.bash("touch A.lean");
    session.bash("./fix.sh");
    session.stop();
    let store =
        math_forge::store::Store::open_current(&session.env.database(), None).unwrap().unwrap();
    let log = store.guard_log(&math_forge::store::LogFilter::default()).unwrap();
    let rows: Vec<_> = log
        .iter()
        .map(|row| (row.event.as_str(), row.rule.as_str(), row.declaration.as_str()))
        .collect();
    assert_eq!(rows, [("Stop", "proof-lost", "one"), ("PostToolUse", "proof-lost", "one")]);
    assert_eq!(log[0].file.as_deref(), Some("A.lean"));
    assert_eq!(log[1].tool.as_deref(), Some("Bash"));
}

#[test]
fn a_command_that_fails_is_looked_at_too() {
    let session = Session::with_git();
    session.start("startup");
    let said = session.bash(&format!("{LOSE}; false"));
    assert!(said.as_ref().unwrap().starts_with("note: math-forge: `sed` has written"), "{said:?}");
    assert_lost(said.as_ref());
}

#[test]
fn the_person_is_never_blamed() {
    let session = Session::with_git();
    session.start("startup");
    let lost = PROVED.replace("rw [Nat.add_comm]", "sorry");
    session.bash("./fix.sh");
    session.write("A.lean", PROVED);
    session.bash("touch A.lean");
    session.stop();
    session.write("A.lean", &lost);
    assert_eq!(session.stop(), None, "no command ran meanwhile");
    std::thread::sleep(Duration::from_millis(1_100));
    assert_eq!(session.bash("ls > out.txt; sed -n 1,2p A.lean; lake --version; true"), None);
    assert_eq!(session.bash("python3 -c 'open(\"A.lean\").read()'"), None, "it only read");
    assert_eq!(session.stop(), None);
}

#[test]
fn what_git_does_is_no_loss() {
    for command in [
        "git checkout -q other",
        "git checkout -q other -- A.lean",
        "git reset -q --hard other",
        "git merge -q other",
        "git stash",
        "sh -c 'git checkout -q other'",
        "sh -c 'git stash'",
        "sh -c 'git checkout -q -- B.lean'",
    ] {
        let session = Session::with_git();
        session.write("B.lean", "theorem b : True := sorry\n");
        let setup = format!(
            "git add . && git commit -qm b && git checkout -qb other && {LOSE} && git commit -qam lost && git checkout -q main"
        );
        session.sh(&setup).unwrap();
        session.write("B.lean", "theorem b : True := trivial\n");
        if !command.contains("stash") && !command.contains("B.lean") {
            session.sh("git checkout -q -- B.lean").unwrap();
        }
        session.start("startup");
        assert_eq!(session.bash(command), None, "{command}");
        assert_eq!(session.stop(), None, "{command}");
        assert_eq!(session.bash("touch A.lean B.lean && ./nothing || true"), None, "{command}");
        assert_eq!(session.bash("sh -c 'echo >> A.lean; echo >> B.lean'"), None, "{command}");
        assert_eq!(session.stop(), None, "{command}");
    }
}

#[test]
fn a_pull_is_no_loss() {
    for command in ["git pull -q", "sh -c 'git pull -q'"] {
        let session = Session::with_git();
        let setup = format!(
            "cp -r . ../origin && cd ../origin && {LOSE} && git commit -qam lost && cd - && \
             git remote add origin ../origin && git fetch -q && git branch -q -u origin/main"
        );
        session.sh(&setup).unwrap();
        session.start("startup");
        assert_eq!(session.bash(command), None);
        assert!(session.read("A.lean").contains("sorry"), "it was pulled");
        assert_eq!(session.stop(), None);
    }
}

#[test]
fn a_loss_that_is_committed_is_still_one() {
    let session = Session::with_git();
    session.start("startup");
    assert_eq!(session.bash("git checkout -qb attempt && git status"), None);
    assert_eq!(session.bash("./fix.sh && git commit -qam progress"), None);
    let said = session.stop();
    assert_lost(said.as_ref());
    session.repair(&said.unwrap());
    assert_eq!(session.read("A.lean"), PROVED);
}

#[test]
fn without_git_there_are_copies() {
    let session = Session::without_git();
    let start = session.start("startup");
    assert_eq!((&start["revision"], &start["copied"]), (&Value::Null, &json!(1)));
    session.bash("./fix.sh");
    let said = session.stop();
    assert_lost(said.as_ref());
    assert!(said.as_ref().unwrap().contains("\n    cp $HOME/.local/state/math-forge/sessions/"));
    session.repair(&said.unwrap());
    assert_eq!(session.read("A.lean"), PROVED);
}

#[test]
fn what_was_changed_or_untracked_at_the_start() {
    let session = Session::with_git();
    let lost = PROVED.replace("rw [Nat.add_comm]", "sorry");
    session.write("A.lean", &lost);
    session.write("New file.lean", "theorem new : True := by\n  trivial\n");
    let start = session.start("startup");
    assert_eq!(start["copied"], 2);
    assert_eq!(session.bash("echo '-- x' >> A.lean"), None, "it was lost before");
    assert_eq!(session.stop(), None);
    let said = session.bash("sed -i s/trivial/sorry/ 'New file.lean'").expect("a loss");
    assert!(said.contains("theorem `new` (line 1) lost its proof"), "{said}");
    session.repair(&said);
    assert_eq!(session.read("New file.lean"), "theorem new : True := by\n  trivial\n");
    let said = session.bash("sh -c 'sed -i s/decide/sorry/ *.lean'").expect("the rest is guarded");
    assert!(said.contains("theorem `two`") && !said.contains("`one`"), "{said}");
    assert_eq!(session.stop(), None);
}

#[test]
fn a_loss_that_is_made_good_is_none() {
    let session = Session::with_git();
    session.start("startup");
    session.bash("./fix.sh");
    session.bash("sed -i 's/sorry/simp [Nat.add_comm]/' A.lean");
    assert_eq!(session.stop(), None);
    session.bash("cp A.lean B.lean; ./fix.sh; mv B.lean A.lean");
    assert_eq!(session.stop(), None);
}

#[test]
fn a_work_tree_and_a_folder_below() {
    let mut session = Session::with_git();
    session
        .sh("git worktree add -q -b linked '../linked tree' && mkdir '../linked tree/sub'")
        .unwrap();
    session.folder = session.folder.parent().unwrap().join("linked tree");
    session.start("startup");
    session.folder.push("sub");
    let said = session.bash(&LOSE.replace("A.lean", "../A.lean"));
    assert_lost(said.as_ref());
    assert!(said.as_ref().unwrap().contains("    git -C \""), "{said:?}");
    session.repair(&said.unwrap());
    assert_eq!(session.read("../A.lean"), PROVED);
    let gone = session.bash("cd .. && sh -c 'git checkout -q HEAD~0; ./fix.sh'");
    assert_eq!(gone, None);
    assert_lost(session.stop().as_ref());
}

#[test]
fn a_session_that_goes_on_keeps_its_start() {
    let session = Session::with_git();
    let first = session.start("startup");
    session.sh(&format!("{LOSE} && git commit -qam later")).unwrap();
    assert_eq!(session.start("resume"), first);
    assert_eq!(session.start("compact"), first);
    let said = session.env.mk(&["snapshot", "--session", session.id, "--json"]).json();
    assert_eq!((&said["known"], &said["revision"]), (&json!(true), &first["revision"]));
}

#[test]
fn old_sessions_are_forgotten() {
    let session = Session::with_git();
    let old = session.kept().parent().unwrap().join("old");
    let recent = old.with_file_name("recent");
    for folder in [&old, &recent] {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("events"), "").unwrap();
    }
    session.sh(&format!("touch -d '15 days ago' {0}/events {0}", old.display())).unwrap();
    session.start("startup");
    let begun = Instant::now();
    while old.exists() && begun.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!old.exists() && recent.exists() && session.kept().exists());
}

#[test]
fn what_the_person_lifted_passes() {
    use math_forge::model::LiftRecord;
    for (once, file, command) in
        [(false, None, LOSE), (true, Some("A.lean"), "./fix.sh"), (true, None, LOSE)]
    {
        let session = Session::with_git();
        session.start("startup");
        let now: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut store = math_forge::store::Store::open(&session.env.database()).unwrap();
        let lift = LiftRecord {
            rule: "proof-lost".to_owned(),
            declaration: file.is_none().then(|| "one".to_owned()),
            file: file.map(str::to_owned),
            once,
            ..LiftRecord::default()
        };
        store.write(now, |writer| writer.grant(&lift)).unwrap();
        assert_eq!(session.bash(command), None, "{lift:?}");
        assert_eq!(session.stop(), None, "{lift:?}");
        assert_eq!(store.lifts(None).unwrap()[0].spent_at.is_some(), once, "{lift:?}");
        let log = store.guard_log(&math_forge::store::LogFilter::default()).unwrap();
        assert_eq!((log.len(), log[0].level.as_str(), log[0].lift), (1, "off", Some(1)));
        session.bash("echo >> A.lean");
        assert_eq!(session.stop(), None, "{lift:?}");
        let other = session.bash("sed -i s/decide/sorry/ A.lean").expect("another theorem");
        assert!(other.contains("`two`") && !other.contains("`one`"), "{other}");
    }
}

#[test]
fn what_was_proved_in_the_session_is_guarded() {
    let session = Session::with_git();
    let open = PROVED.replace("decide", "sorry");
    session.write("A.lean", &open);
    session.start("startup");
    session.write("A.lean", PROVED);
    let edit = json!({
        "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": "toolu_e",
        "tool_input": {"file_path": session.folder.join("A.lean"), "old_string": "sorry", "new_string": "decide"},
        "tool_response": {"originalFile": open},
    });
    assert_eq!(session.hook(edit), None);
    assert_eq!(session.stop(), None);
    let said = session.bash("sed -i s/decide/sorry/ A.lean").expect("a loss");
    assert!(said.contains("theorem `two` (line 4) lost its proof"), "{said}");
    session.repair(&said);
    assert_eq!(session.read("A.lean"), PROVED);
}

#[test]
fn many_losses_are_counted() {
    let session = Session::with_git();
    for file in 0..6 {
        session.write(&format!("F{file}.lean"), "theorem x : True := by\n  trivial\n");
    }
    session.start("startup");
    session.write("fix.sh", "#!/bin/sh\nsed -i s/trivial/sorry/ F?.lean\n");
    assert_eq!(session.bash("./fix.sh"), None);
    let said = session.stop().unwrap();
    assert_eq!(said.matches("[proof-lost]").count(), 4, "{said}");
    let first = "math-forge: in 6 files that this session wrote, 6 finished proofs are gone.\n\
        F0.lean (`fix.sh`):\n";
    assert!(said.starts_with(first) && said.contains("And 2 more like this."), "{said}");
    assert!(said.contains("(the same for 2 more files)"), "{said}");
    assert_eq!(session.stop(), None);
}

#[test]
fn what_is_not_known_is_not_judged_and_said_once() {
    let session = Session::with_git();
    session.start("startup");
    fs::write(session.kept().join("start.json"), "{ broken").unwrap();
    assert_eq!(session.bash(LOSE), None);
    let stop = json!({"hook_event_name": "Stop"});
    let answer = session.hook(stop.clone()).expect("a line for the person");
    let line = answer["systemMessage"].as_str().unwrap();
    assert!(line.contains("could not check"), "{line}");
    assert_eq!(answer.as_object().unwrap().len(), 1);
    assert_eq!(session.hook(stop), None);
    let log = session.env.home().join(".local/state/math-forge/mk.log");
    assert!(fs::read_to_string(log).unwrap().contains("guard: "));
}

#[test]
fn files_that_are_no_text_or_gone_are_passed_over() {
    let session = Session::with_git();
    session.start("startup");
    assert_eq!(session.bash("printf 'theorem \\377' > A.lean"), None);
    assert!(session.bash("rm A.lean").unwrap().contains("`A.lean` is gone"), "no text, then gone");
    assert_eq!(session.bash("mkdir A.lean; ln -s nowhere B.lean; touch C.lean"), None);
    assert_eq!(session.stop(), None);
}

#[test]
fn a_command_that_goes_on_in_the_background() {
    let session = Session::with_git();
    session.start("startup");
    let event = |command: &str| {
        json!({
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_b",
            "tool_input": {"command": command, "run_in_background": true}, "duration_ms": 10,
        })
    };
    assert_eq!(session.hook(event("lake build")), None);
    session.write("A.lean", &PROVED.replace("decide", "sorry"));
    assert_eq!(session.stop(), None, "it writes no Lean file, so it was somebody else");
    session.write("A.lean", PROVED);
    assert_eq!(session.hook(event("./fix.sh")), None);
    assert_eq!(session.stop(), None, "nothing has happened yet");
    session.sh("./fix.sh").unwrap();
    assert_lost(session.stop().as_ref());
    assert_eq!(session.stop(), None);
}

#[test]
fn an_edit_makes_a_loss_good() {
    let session = Session::with_git();
    session.start("startup");
    assert_lost(session.bash(LOSE).as_ref());
    let lost = session.read("A.lean");
    session.write("A.lean", PROVED);
    let edit = json!({
        "hook_event_name": "PostToolUse", "tool_name": "Write", "tool_use_id": "toolu_e",
        "tool_input": {"file_path": session.folder.join("A.lean"), "content": PROVED},
        "tool_response": {"type": "update", "originalFile": lost},
    });
    assert_eq!(session.hook(edit), None);
    assert_eq!(session.stop(), None);
    assert_lost(session.bash(LOSE).as_ref());
}

#[test]
fn a_session_without_an_id_or_a_start_is_no_trouble() {
    let session = Session::with_git();
    assert_eq!(session.hook(json!({"hook_event_name": "Stop"})), None);
    let event = |name: &str| {
        json!({"hook_event_name": name, "session_id": "", "tool_name": "Bash",
               "tool_input": {"command": LOSE}, "duration_ms": 10})
        .to_string()
    };
    for name in ["PostToolUse", "PostToolUseFailure", "Stop", "SessionStart"] {
        let answer = session.env.mk_with_input(&["hook"], event(name)).success();
        assert_eq!(answer.is_empty(), name != "SessionStart", "{answer}");
    }
    assert!(!session.kept().parent().unwrap().exists());
    // The plugin came in the middle of a session: from then on it is guarded.
    assert_eq!(session.bash("touch A.lean"), None);
    session.start("resume");
    session.bash("./fix.sh");
    assert_lost(session.stop().as_ref());
}

#[test]
fn a_work_tree_of_the_session_is_looked_at() {
    let session = Session::with_git();
    session.start("startup");
    let lose = LOSE.replace("A.lean", "../new/A.lean");
    let said = session.bash(&format!("git worktree add -q -b new ../new; {lose}"));
    assert_lost(said.as_ref());
    session.repair(&said.unwrap());
    assert_eq!(session.read("../new/A.lean"), PROVED);
    assert_lost(session.bash(&lose).as_ref());
}

#[test]
fn a_file_that_is_gone_or_empty_is_named_with_the_way_back() {
    for (command, what) in [
        ("rm A.lean", "is gone"),
        ("truncate -s0 A.lean", "has no declarations any more"),
        ("> A.lean", "has no declarations any more"),
        ("echo '-- nothing' > A.lean", "has no declarations any more"),
    ] {
        let session = Session::with_git();
        let object = format!("{}:A.lean", &session.sh("git rev-parse HEAD").unwrap()[..12]);
        session.start("startup");
        let expected = format!(
            "math-forge: `A.lean` {what}; it had 2 finished proofs. To bring it back:\n    git \
             show {object} > A.lean\nIf its proofs are elsewhere now, or no longer wanted, that is fine."
        );
        assert_eq!(session.bash(command), Some(format!("note: {expected}")), "{command}");
        let stop = || session.hook(json!({"hook_event_name": "Stop", "stop_hook_active": false}));
        assert_eq!(stop().unwrap()["systemMessage"], json!(expected), "{command}");
        session.bash("./nothing || true");
        assert_eq!(stop(), None, "it is told once: {command}");
        session.repair(&expected);
        assert_eq!(session.read("A.lean"), PROVED, "{command}");
    }
    let session = Session::with_git();
    session.start("startup");
    assert_eq!(session.bash("cp A.lean B.lean && rm A.lean"), None, "it is all there");
    let session = Session::with_git();
    session.start("startup");
    assert!(session.bash("rm A.lean").is_some());
    session.sh("git checkout -q A.lean").unwrap();
    assert_eq!(session.stop(), None, "it is back");
}

/// What deserves no more than a remark in what a script wrote: the person reads it when the turn ends.
#[test]
fn remarks_on_what_a_script_wrote() {
    let session = Session::with_git();
    session.write(
        "loose.sh",
        "sed -i 's/decide/native_decide/;s/(a b : Nat) : a/{a b : Nat} : a/' *.lean",
    );
    session.start("startup");
    assert_eq!(session.bash("sh ./loose.sh"), None, "it does not name the file");
    let stop = json!({"hook_event_name": "Stop", "stop_hook_active": false});
    let answer = session.hook(stop.clone()).expect("remarks");
    let expected = "\
math-forge, on what commands wrote:
`A.lean`: [open-statement-changed] the statement of theorem `one` (line 1) changed: `theorem one (a b : Nat) : a + b = \
b + a` became `theorem one {a b : Nat} : a + b = b + a`.
`A.lean`: [trust-added] theorem `two` (line 4) needs trust beyond the kernel: native_decide.";
    assert_eq!(answer, json!({"systemMessage": expected}));
    assert_eq!(session.hook(stop), None, "it was said");
}

/// A lift holds for a remark too, and one for one edit is used up by it.
#[test]
fn a_remark_on_what_the_person_lifted_is_not_made() {
    use math_forge::model::LiftRecord;
    for (rule, name, command, once) in [
        ("trust-added", Some("two"), "sed -i s/decide/native_decide/ A.lean", true),
        ("trust-added", None, "sed -i s/decide/native_decide/ A.lean", false),
        ("proof-removed", None, "rm A.lean", true),
    ] {
        let session = Session::with_git();
        session.start("startup");
        let now: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut store = math_forge::store::Store::open(&session.env.database()).unwrap();
        let file = name.is_none().then(|| "A.lean".to_owned());
        let declaration = name.map(str::to_owned);
        let rule = rule.to_owned();
        let lift = LiftRecord { rule, declaration, file, once, ..LiftRecord::default() };
        store.write(now, |writer| writer.grant(&lift)).unwrap();
        let stop = || session.hook(json!({"hook_event_name": "Stop", "stop_hook_active": false}));
        assert_eq!(session.bash(command), None, "{lift:?}");
        assert_eq!(stop(), None, "{lift:?}");
        assert_eq!(store.lifts(None).unwrap()[0].spent_at.is_some(), once, "{lift:?}");
        let log = store.guard_log(&math_forge::store::LogFilter::default()).unwrap();
        assert_eq!((log.len(), log[0].level.as_str(), log[0].lift), (1, "off", Some(1)));
    }
}

/// Where the guard's own settings may be changed with the person's agreement, that holds after the command.
#[test]
fn a_command_that_the_person_agreed_to_is_not_to_be_undone() {
    let command = "mkdir -p .claude && echo '{\"disableAllHooks\": true}' > .claude/settings.json";
    let asked = |ask: &str, mode: &str| {
        let session = Session::with_git();
        let config = session.env.home().join(".config/math-forge/config.toml");
        fs::create_dir_all(config.parent().unwrap()).unwrap();
        let text = format!("[guard]\nask = \"{ask}\"\n[guard.levels]\npolicy-changed = \"ask\"\n");
        fs::write(config, text).unwrap();
        session.start("startup");
        // What was written a second before the command may be its work.
        std::thread::sleep(Duration::from_millis(1_200));
        let event = |name: &str, number: u32| {
            json!({
                "hook_event_name": name, "tool_name": "Bash", "tool_input": {"command": command},
                "tool_use_id": format!("toolu_{number}"), "permission_mode": mode, "duration_ms": 10,
            })
        };
        let before = session.hook(event("PreToolUse", 1)).unwrap_or_default();
        session.sh(command).unwrap();
        let after = session.hook(event("PostToolUse", 1)).unwrap_or_default();
        let again = session.hook(event("PostToolUse", 2)).unwrap_or_default();
        let decision = before["hookSpecificOutput"]["permissionDecision"].clone();
        let told = |answer: &Value| answer.to_string().contains("undo it");
        (decision.as_str().unwrap_or_default().to_owned(), told(&after), told(&again))
    };
    assert_eq!(asked("ask", "default"), ("ask".to_owned(), false, true));
    assert_eq!(asked("deny", "default").0, "deny");
    assert_eq!(asked("ask", "bypassPermissions").0, "deny", "nobody is there to be asked");
    assert_eq!(asked("note", "default"), (String::new(), true, false));
}

/// A yes in the dialog about a server's tool holds after it too, and for the rest of the session.
#[test]
fn what_the_person_agreed_to_is_not_refused_after_it_is_written() {
    let session = Session::with_git();
    session.start("startup");
    let weak = PROVED.replace("(a b : Nat) :", "(a b : Nat) (h : a < b) :");
    let event = |name: &str, number: u32, text: &str| {
        json!({
            "hook_event_name": name, "tool_name": "mcp__filesystem__write_file",
            "tool_use_id": format!("toolu_{number}"), "permission_mode": "default", "duration_ms": 10,
            "tool_input": {"path": session.folder.join("A.lean"), "content": text},
        })
    };
    let asked = session.hook(event("PreToolUse", 1, &weak)).expect("a question");
    assert_eq!(asked["hookSpecificOutput"]["permissionDecision"], "ask", "{asked}");
    session.write("A.lean", &weak);
    assert_eq!(session.hook(event("PostToolUse", 1, &weak)), None, "the person said yes");
    let weaker = weak.replace("(h : a < b)", "(h : a < b) (k : a = 1)");
    assert_eq!(session.hook(event("PreToolUse", 2, &weaker)), None, "that holds for the session");
    session.write("A.lean", &weaker);
    assert_eq!(session.hook(event("PostToolUse", 2, &weaker)), None);
    assert_eq!(session.stop(), None);
}

/// A file that was deleted before the session began, and never committed so, is nobody's loss in it.
#[test]
fn what_was_gone_before_is_not_missed() {
    let session = Session::with_git();
    session.write("B.lean", PROVED);
    session.sh("git add . && git commit -q -m second && rm B.lean").unwrap();
    session.start("startup");
    assert_eq!(session.bash("./nothing || true"), None);
    assert_eq!(session.stop(), None);
}
