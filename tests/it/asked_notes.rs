//! What hooks ask of a session when something ended, and what they say of an error that stays: real payloads
//! of the client, one after the other.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::privacy::context;

struct Session {
    env: TestEnv,
    transcript: PathBuf,
}

impl Session {
    fn new() -> Self {
        let env = TestEnv::new();
        env.write("lean-toolchain", "leanprover/lean4:v4.24.0");
        env.write("erdos_850.lean", "theorem first (h : p) : p := by\n  linarith\n");
        env.write("Plain.lean", "theorem plain (h : p) : p := by\n  linarith\n");
        env.mk(&["init"]).success();
        let transcript = env.home().join("s.jsonl");
        let said = json!({"type": "assistant", "sessionId": "s", "message": {"role": "assistant",
            "content": [{"type": "text", "text": "I begin."}]}});
        fs::write(&transcript, format!("{said}\n")).unwrap();
        Self { env, transcript }
    }

    fn hook(&self, mut event: Value) -> String {
        event["session_id"] = json!("s");
        event["cwd"] = json!(self.env.project());
        event["transcript_path"] = json!(self.transcript);
        event["permission_mode"] = json!("default");
        let answer = self.env.mk_with_input(&["hook"], event.to_string()).success();
        context(&answer, event["hook_event_name"].as_str().unwrap())
    }

    fn fails(&self, command: &str, output: &str) -> String {
        self.hook(json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
            "tool_use_id": "toolu_1", "tool_input": {"command": command, "description": "Build"},
            "error": format!("Exit code 1\n{output}"), "is_interrupt": false}))
    }

    fn passes(&self, command: &str, output: &str) -> String {
        self.hook(json!({"hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_use_id": "toolu_1", "tool_input": {"command": command, "description": "Build"},
            "tool_response": {"stdout": output, "stderr": "", "interrupted": false,
                "isImage": false, "noOutputExpected": false}}))
    }

    fn prompt(&self, text: &str) -> String {
        self.hook(json!({"hook_event_name": "UserPromptSubmit", "prompt": text}))
    }

    fn fails_with(&self, file: &str, says: &str) -> String {
        self.fails("lake build", &format!("error: {file}:2:2: {says}\nerror: build failed"))
    }

    /// Writes an edit of a file into the transcript.
    fn edits(&self, file: &str, old: &str, new: &str) {
        let id = format!("toolu_{old}");
        let input = json!({"file_path": self.env.project().join(file), "old_string": old,
            "new_string": new});
        let call = json!({"type": "assistant", "sessionId": "s", "message": {"role": "assistant",
            "content": [{"type": "tool_use", "id": id, "name": "Edit", "input": input}]}});
        let result = json!({"type": "user", "sessionId": "s", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": "updated"}]}});
        let before = fs::read_to_string(&self.transcript).unwrap();
        fs::write(&self.transcript, format!("{before}{call}\n{result}\n")).unwrap();
    }
}

const STUCK: &str = "linarith failed to find a contradiction\nh : Real.exp x ≤ x ^ 2\n⊢ False";
const PASSED: &str = "Build completed successfully (3 jobs).";

#[test]
fn an_error_that_stays_is_named_once_in_a_stretch_with_what_was_tried() {
    let session = Session::new();
    session.edits("Plain.lean", "  linarith", "  nlinarith [sq_nonneg x]");
    session.edits("Other.lean", "  omega", "  decide");
    assert_eq!(session.fails_with("Plain.lean", STUCK), "");
    assert_eq!(session.fails_with("Plain.lean", STUCK), "");
    let said = session.fails_with("Plain.lean", STUCK);
    assert!(said.starts_with("math-forge: the same error in 3 builds now, in plain"), "{said}");
    assert!(said.contains("Tried already: replacing `linarith` by `nlinarith [sq_nonneg x]`."));
    assert!(!said.contains("decide`") || said.contains("(`decide`, a small"), "{said}");
    for _ in 4..=8 {
        assert_eq!(session.fails_with("Plain.lean", STUCK), "");
    }
    // Gone, and there again: it is counted anew.
    assert_eq!(session.passes("lake build", PASSED), "");
    assert_eq!(session.fails_with("Plain.lean", STUCK), "");
    assert_eq!(session.fails_with("Plain.lean", STUCK), "");
    assert!(session.fails_with("Plain.lean", STUCK).contains("the same error in 3 builds now"));
}

#[test]
fn a_build_that_fails_without_a_message_of_lean_stagnates_too() {
    let session = Session::new();
    let says = "error: unknown target 'Foo'";
    assert_eq!(session.fails("lake build Foo", says), "");
    assert_eq!(session.fails("lake build Foo", says), "");
    let said = session.fails("lake build Foo", says);
    assert!(said.starts_with("math-forge: the same error in 3 builds now: "), "{said}");
    assert_eq!(session.fails("lake build Foo", says), "");
}

#[test]
fn a_gap_where_builds_failed_asks_for_the_dead_end() {
    let session = Session::new();
    let gap =
        "warning: erdos_850.lean:1:8: declaration uses 'sorry'\nBuild completed successfully.";
    for _ in 0..3 {
        session.fails_with("erdos_850.lean", STUCK);
    }
    let said = session.passes("lake build", gap);
    assert_eq!(
        said,
        "math-forge: a gap in erdos_850.lean where 3 builds failed; if the approach is given up, \
         note it: mk note dead-end \"<approach>\" --problem erdos_850 --because \
         \"<why it cannot work>\""
    );
    assert_eq!(session.passes("lake build", gap), "", "it is gone now");
    // The same again is not asked for again.
    for _ in 0..3 {
        session.fails_with("erdos_850.lean", STUCK);
    }
    assert_eq!(session.passes("lake build", gap), "");
    // Solved is not given up.
    for _ in 0..3 {
        session.fails_with("Plain.lean", STUCK);
    }
    assert_eq!(session.passes("lake build", PASSED), "");
}

#[test]
fn a_claim_that_is_false_asks_for_it() {
    let session = Session::new();
    let says = "Tactic `decide` proved that the proposition\n  1 = 2\nis false";
    let said = session.fails_with("erdos_850.lean", says);
    let note = "mk note dead-end \"first is false as stated\" --problem erdos_850 --because";
    assert!(said.contains(note), "{said}");
    assert_eq!(session.fails_with("erdos_850.lean", says), "", "once");
}

#[test]
fn a_correction_and_a_problem_that_is_left_ask_for_it() {
    let session = Session::new();
    let said = session.prompt("no, use Finset here, the Set version is useless");
    assert_eq!(
        said,
        "math-forge: the person corrects something; if that holds from now on, note it: mk note \
         preference \"<what they want>\" --because \"<why>\""
    );
    assert_eq!(session.prompt("no, use Finset here, the Set version is useless"), "", "once");
    session.fails_with("erdos_850.lean", STUCK);
    session.fails_with("erdos_850.lean", STUCK);
    let said = session.prompt("Let's do erdos_12 now");
    assert!(said.contains("erdos_850.lean is left unsolved"), "{said}");
    assert!(said.contains("--problem erdos_850"), "{said}");
    assert_eq!(session.prompt("Let's do erdos_12 now"), "", "once");
    session.fails_with("Plain.lean", STUCK);
    assert!(session.prompt("ok, give up on this").contains("Plain.lean is left unsolved"));
    // At most three in a session.
    assert_eq!(session.prompt("nope, that is not the right lemma at all"), "");
}

#[test]
fn ordinary_sessions_are_asked_nothing() {
    let session = Session::new();
    for prompt in [
        "Prove the first lemma of erdos_850, please",
        "no worries, go on",
        "yes, continue with erdos_12",
        "don't give up, it is nearly done",
        "<task-notification>no, stop that now please</task-notification>",
        "what about problem 410?",
    ] {
        assert_eq!(session.prompt(prompt), "", "{prompt}");
    }
    assert_eq!(session.passes("lake build", PASSED), "");
    assert_eq!(session.fails_with("erdos_850.lean", "unsolved goals\n⊢ 1 = 2"), "");
    assert_eq!(session.prompt("try erdos_12 for a moment"), "", "one failed build is no work");
    assert_eq!(session.passes("lake env lean erdos_850.lean", ""), "");
    let gap = "warning: Plain.lean:1:8: declaration uses 'sorry'\nBuild completed successfully.";
    assert_eq!(session.passes("lake build", gap), "");
    assert_eq!(session.prompt("let's move on to the next file"), "", "nothing is open");
    // Before the agent did anything, there is nothing to correct.
    fs::write(&session.transcript, "").unwrap();
    assert_eq!(session.prompt("don't use Mathlib's tactics for this one"), "");
}
