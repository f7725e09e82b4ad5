//! Learning from sessions: transcripts are read through the hooks, in the background and by hand.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::privacy::{count, tickets, wait};

pub(crate) const SESSION: &str = "11111111-2222-3333-4444-555555555555";

/// Writes transcripts line by line, in the client's form.
pub(crate) struct Transcript {
    pub(crate) path: PathBuf,
    pub(crate) calls: usize,
}

impl Transcript {
    pub(crate) fn new(env: &TestEnv, name: &str) -> Self {
        let folder = env.home().join(".claude/projects/p");
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        fs::write(&path, "").unwrap();
        Self { path, calls: 0 }
    }

    pub(crate) fn line(&self, value: &Value) {
        use std::io::Write as _;
        let mut file = fs::File::options().append(true).open(&self.path).unwrap();
        writeln!(file, "{value}").unwrap();
    }

    pub(crate) fn person(&self, text: &str) {
        self.line(
            &json!({"type": "user", "sessionId": SESSION, "timestamp": "2026-01-01T10:00:00Z",
            "message": {"role": "user", "content": text}}),
        );
    }

    pub(crate) fn agent(&self, text: &str) {
        self.line(&json!({"type": "assistant", "sessionId": SESSION,
            "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}));
    }

    pub(crate) fn tool(&mut self, name: &str, input: &Value, result: &str, is_error: bool) {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        self.line(
            &json!({"type": "assistant", "sessionId": SESSION, "message": {"role": "assistant",
            "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]}}),
        );
        self.line(&json!({"type": "user", "sessionId": SESSION, "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": result,
            "is_error": is_error}]}}));
    }

    fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }
}

/// What who summarises is asked for.
const HINT: &str = "End the summary with one line for each thing that later sessions should know: \
    `DECISION: ...`, `DEAD END: ... because ...`, `GOTCHA: ...`; leave out what does not apply.\n";

pub(crate) fn event(env: &TestEnv, name: &str, transcript: &Path, more: &Value) -> String {
    let mut event = json!({"hook_event_name": name, "session_id": SESSION, "cwd": env.project(),
        "transcript_path": transcript});
    for (key, value) in more.as_object().unwrap() {
        event[key] = value.clone();
    }
    env.mk_with_input(&["hook"], event.to_string()).success()
}

pub(crate) fn proposals(env: &TestEnv) -> Vec<String> {
    if !env.database().exists() {
        return Vec::new();
    }
    let database = rusqlite::Connection::open(env.database()).unwrap();
    // Just created, it may have no tables yet.
    let Ok(mut statement) = database.prepare(
        "SELECT content FROM proposals ORDER BY (SELECT f.id FROM findings f WHERE f.uid = proposals.id)",
    ) else {
        return Vec::new();
    };
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_compaction_reads_what_is_new() {
    let env = TestEnv::new();
    let mut transcript = Transcript::new(&env, "s.jsonl");
    transcript.person("I prefer term-mode proofs for one-line lemmas.");
    assert_eq!(event(&env, "PreCompact", &transcript.path, &json!({"trigger": "auto"})), HINT);
    assert_eq!(proposals(&env), ["I prefer term-mode proofs for one-line lemmas."]);
    let read = count(&env, "SELECT offset FROM transcripts");
    assert_eq!(read, i64::try_from(fs::metadata(&transcript.path).unwrap().len()).unwrap());

    // Again: nothing new. Then more, of which a line is not finished yet.
    assert_eq!(event(&env, "PreCompact", &transcript.path, &json!({})), HINT);
    transcript.tool(
        "Bash",
        &json!({"command": "echo I learned that x"}),
        "I learned nothing here",
        false,
    );
    transcript
        .agent("Compactness cannot work, because the family is not closed under complements.");
    let torn = r#"{"type":"user","sessionId":"x","message":{"role":"user","content":"I prefer not"#;
    let whole = fs::read_to_string(&transcript.path).unwrap();
    fs::write(&transcript.path, format!("{whole}{torn}")).unwrap();
    assert_eq!(event(&env, "PreCompact", &transcript.path, &json!({})), HINT);
    assert_eq!(proposals(&env).len(), 2, "{:?}", proposals(&env));
    let read = count(&env, "SELECT offset FROM transcripts");
    assert_eq!(read, i64::try_from(whole.len()).unwrap(), "the torn line waits");
    assert_eq!(count(&env, "SELECT captured FROM client_sessions"), 1);
}

#[test]
fn the_end_of_a_session_leaves_a_ticket_that_is_worked_off() {
    let env = TestEnv::new();
    let transcript = Transcript::new(&env, "s.jsonl");
    transcript.person("I prefer term-mode proofs for one-line lemmas.");
    assert_eq!(event(&env, "SessionEnd", &transcript.path, &json!({"reason": "other"})), "");
    wait(|| proposals(&env).len() == 1 && tickets(&env) == 0);
    assert_eq!(count(&env, "SELECT closed FROM transcripts"), 1);
}

#[test]
fn what_was_never_closed_is_read_at_the_next_start() {
    let env = TestEnv::new();
    let first = Transcript::new(&env, "first.jsonl");
    event(&env, "SessionStart", &first.path, &json!({"source": "startup"}));
    first.person("I prefer term-mode proofs for one-line lemmas.");
    // The client was killed. Another session begins.
    let second = Transcript::new(&env, "second.jsonl");
    event(&env, "SessionStart", &second.path, &json!({"source": "startup"}));
    wait(|| proposals(&env).len() == 1);
    assert_eq!(count(&env, "SELECT count(*) FROM transcripts"), 2);
}

#[test]
fn a_rewritten_transcript_is_read_anew_and_nothing_is_doubled() {
    let env = TestEnv::new();
    let transcript = Transcript::new(&env, "s.jsonl");
    transcript.person("I prefer term-mode proofs for one-line lemmas.");
    event(&env, "PreCompact", &transcript.path, &json!({}));
    fs::write(&transcript.path, "").unwrap();
    transcript.person("From now on always use the `n : ℕ` spelling for naturals, everywhere.");
    transcript.person("I prefer term-mode proofs for one-line lemmas.");
    event(&env, "PreCompact", &transcript.path, &json!({}));
    assert_eq!(proposals(&env).len(), 2, "{:?}", proposals(&env));
}

#[test]
fn what_was_in_hand_comes_back_after_a_compaction() {
    let env = TestEnv::new();
    let file = env.write("A.lean", "theorem a : True := trivial\n");
    let mut transcript = Transcript::new(&env, "s.jsonl");
    let edit = json!({"file_path": file, "old_string": "x", "new_string": "y"});
    transcript.tool("Edit", &edit, "done", false);
    event(&env, "PreCompact", &transcript.path, &json!({}));
    // The client writes with a delay.
    let error = "A.lean:3:2: error: unknown identifier 'foo_bar'\n";
    transcript.tool("Bash", &json!({"command": "lake build"}), error, true);
    let answer = event(&env, "SessionStart", &transcript.path, &json!({"source": "compact"}));
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(
        text.contains(
            "In hand before the compaction: `A.lean`.\n\
             Last Lean error, not known to be solved: A.lean:3: unknown identifier 'foo_bar'"
        ),
        "{text}"
    );
    let answer = event(&env, "SessionStart", &transcript.path, &json!({"source": "startup"}));
    assert!(!answer.contains("In hand"), "{answer}");
}

#[test]
fn bad_transcripts_are_survived() {
    let env = TestEnv::new();
    let folder = env.home().join("t");
    fs::create_dir_all(&folder).unwrap();
    let long = format!("{{\"type\":\"user\",\"x\":\"{}\"}}\n", "y".repeat(20_000_000));
    let good = json!({"type": "user", "message": {"role": "user",
        "content": "I prefer term-mode proofs for one-line lemmas."}});
    for (name, bytes, expected) in [
        ("binary.jsonl", vec![0xff; 100_000], 0),
        ("long.jsonl", format!("{long}{good}\n").into_bytes(), 1),
        ("nonsense.jsonl", b"{\"a\":\n[1,2]\nnull\n\n".to_vec(), 1),
    ] {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        assert_eq!(event(&env, "PreCompact", &path, &json!({})), HINT, "{name}");
        assert_eq!(proposals(&env).len(), expected, "{name}");
    }
    for path in [folder.join("gone.jsonl"), folder.clone()] {
        assert_eq!(event(&env, "PreCompact", &path, &json!({})), HINT);
        assert_eq!(event(&env, "SessionEnd", &path, &json!({})), "");
    }
    let log = fs::read_to_string(env.home().join(".local/state/math-forge/mk.log")).unwrap();
    assert!(log.contains("gone.jsonl"), "{log}");
}

#[test]
fn transcripts_and_notes_are_read_by_hand() {
    let env = TestEnv::new();
    let transcript = Transcript::new(&env, "s.jsonl");
    transcript
        .agent("Compactness cannot work, because the family is not closed under complements.");
    let dry = env.mk(&["extract", "--dry-run", "--json", transcript.path()]).json();
    assert_eq!((&dry["total"], &dry["added"]), (&json!(1), &json!(0)));
    assert!(proposals(&env).is_empty());
    let done = env.mk(&["extract", "--json", transcript.path()]).json();
    assert_eq!((&done["total"], &done["added"]), (&json!(1), &json!(1)));
    let proposal = &done["proposals"][0];
    for (field, expected) in [
        ("type", "insight"),
        ("content", "Compactness cannot work, because the family is not closed under complements."),
        ("source", SESSION),
        ("status", "pending"),
    ] {
        assert_eq!(proposal[field], expected, "{proposal}");
    }
    let again = env.mk(&["extract", "--json", transcript.path()]).json();
    assert_eq!((&again["total"], &again["added"]), (&json!(1), &json!(0)), "nothing is doubled");

    let notes =
        env.write("notes.md", "# Day one\n\nKey insight: the sum telescopes after reindexing.\n");
    let text = env.mk(&["extract", notes.to_str().unwrap()]).success();
    assert!(text.contains("the sum telescopes after reindexing"), "{text}");
    assert!(
        text.contains("1 proposal found, 1 new\nThey wait for your decision: mk review\n"),
        "{text}"
    );
    let missing = env.mk(&["extract", "none.md"]);
    assert_eq!(missing.code, 1);
    assert!(
        missing.stdout.contains("could not read `none.md`"),
        "{}{}",
        missing.stdout,
        missing.stderr
    );
}

#[test]
fn lessons_with_evidence_are_findings() {
    let env = TestEnv::new();
    let file = env.write("A.lean", "theorem a : True := trivial\n");
    let mut transcript = Transcript::new(&env, "s.jsonl");
    let build = json!({"command": "lake build"});
    let error = "error: A.lean:3:9: unknown identifier 'Nat.foo_bar'\nerror: build failed\n";
    transcript.tool("Bash", &build, error, true);
    let edit = json!({"file_path": file, "old_string": "exact Nat.foo_bar h",
        "new_string": "exact Nat.bar_foo h"});
    transcript.tool("Edit", &edit, "The file was updated.", false);
    transcript.tool("Bash", &build, "Build completed successfully (3 jobs).", false);
    event(&env, "PreCompact", &transcript.path, &json!({}));
    assert_eq!(count(&env, "SELECT count(*) FROM lessons"), 1);
    let database = rusqlite::Connection::open(env.database()).unwrap();
    let (pattern, signature, evidence): (String, String, String) = database
        .query_row(
            "SELECT l.pattern, l.signature, f.evidence FROM lessons l JOIN findings f USING (id)",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .unwrap();
    assert_eq!((pattern.as_str(), evidence.as_str()), ("lean_fix", "session"));
    assert!(signature.contains("foo_bar"), "{signature}");
    assert!(env.mk(&["search", "foo_bar"]).success().contains("[LESSON]"));
}

/// Another session's event.
fn event_of(env: &TestEnv, session: &str, name: &str, transcript: &Path) {
    event(env, name, transcript, &json!({"session_id": session, "source": "startup"}));
}

#[test]
fn what_is_written_after_the_end_is_read_at_the_next_start() {
    let env = TestEnv::new();
    let first = Transcript::new(&env, "first.jsonl");
    first.person("I prefer term-mode proofs for one-line lemmas.");
    event(&env, "SessionEnd", &first.path, &json!({"reason": "other"}));
    wait(|| proposals(&env).len() == 1 && tickets(&env) == 0);
    // The client writes with a delay.
    first.person("From now on always use the `n : ℕ` spelling for naturals, everywhere.");
    let length = fs::metadata(&first.path).unwrap().len();
    let second = Transcript::new(&env, "second.jsonl");
    event_of(&env, "second", "SessionStart", &second.path);
    wait(|| proposals(&env).len() == 2);
    let state = "SELECT closed * 1000000 + offset FROM transcripts WHERE path LIKE '%first.jsonl'";
    assert_eq!(count(&env, state), 1_000_000 + i64::try_from(length).unwrap());
    // The first session goes on: what it says is read when it ends, once.
    event(&env, "SessionStart", &first.path, &json!({"source": "resume"}));
    let open = "SELECT count(*) FROM transcripts WHERE closed = 0 AND path LIKE '%first.jsonl'";
    env.mk(&["stats"]).success();
    assert_eq!(count(&env, open), 1);
    first.person("I prefer short names for hypotheses in this file.");
    event(&env, "SessionEnd", &first.path, &json!({"reason": "other"}));
    wait(|| proposals(&env).len() == 3 && tickets(&env) == 0);
    assert_eq!(count(&env, open), 0);
}

#[test]
fn sessions_are_counted() {
    let env = TestEnv::new();
    env.mk(&["init"]).success();
    let numbers = |seen: i64, captured: i64| {
        let expected = json!({"seen": seen, "captured": captured});
        assert_eq!(env.mk(&["stats", "--json"]).json()["sessions"], expected);
    };
    numbers(0, 0);
    let transcript = |session: &str| Transcript::new(&env, &format!("{session}.jsonl"));
    // One that ends, one that is compacted and ends, one that only begins, one that leaves nothing.
    let (one, two) = (transcript("one"), transcript("two"));
    event_of(&env, "one", "SessionStart", &one.path);
    event_of(&env, "two", "SessionStart", &two.path);
    event_of(&env, "two", "SessionStart", &two.path);
    numbers(2, 0);
    one.person("I prefer term-mode proofs for one-line lemmas.");
    two.person("Good morning.");
    event_of(&env, "two", "PreCompact", &two.path);
    assert_eq!(env.mk(&["stats", "--json"]).json()["sessions"]["seen"], 2);
    event_of(&env, "one", "SessionEnd", &one.path);
    event_of(&env, "two", "SessionEnd", &two.path);
    wait(|| tickets(&env) == 0 && count(&env, "SELECT sum(closed) FROM transcripts") == 2);
    event_of(&env, "three", "SessionStart", &transcript("three").path);
    event_of(&env, "four", "SessionEnd", Path::new("/nowhere/four.jsonl"));
    wait(|| tickets(&env) == 0);
    numbers(3, 2);
    assert!(env.mk(&["doctor"]).success().contains("3 seen, 2 captured"));
}

#[test]
fn a_proposal_has_its_session_and_its_time() {
    let env = TestEnv::new();
    let transcript = Transcript::new(&env, "s.jsonl");
    transcript.person("I prefer term-mode proofs for one-line lemmas.");
    transcript
        .agent("Compactness cannot work, because the family is not closed under complements.");
    event(&env, "PreCompact", &transcript.path, &json!({}));
    let listed = env.mk(&["review", "list", "--json"]).json();
    let of = |at: usize, line: i64| {
        let one = &listed["findings"][at];
        let read_at = (&one["session_id"], one["source_line"].as_i64());
        assert_eq!(read_at, (&json!(SESSION), Some(line)));
        let said = &one["detail"]["said"];
        assert!(said["extracted_at"].as_str().is_some_and(|at| at.len() == 19), "{one}");
        (one["created_at"].clone(), said["extracted_at"].clone())
    };
    assert_eq!(of(0, 1).0, "2026-01-01 10:00:00");
    let (said_at, found_at) = of(1, 2);
    assert_eq!(said_at, found_at, "its line has no time");
}

#[test]
fn a_sentence_for_the_summary_is_the_persons_own() {
    let env = TestEnv::new();
    let transcript = Transcript::new(&env, "s.jsonl");
    transcript.person("I prefer term-mode proofs for one-line lemmas.");
    let compacts = || event(&env, "PreCompact", &transcript.path, &json!({"trigger": "auto"}));
    let hint = "Keep the statements that are open, and what was tried in vain.";
    let config = format!("[learn]\ncompact_hint = \"{hint}\"\n");
    env.write(".math-forge/config.toml", &config);
    assert_eq!(compacts(), HINT, "a project has no say in it");
    let own = env.home().join(".config/math-forge");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("config.toml"), &config).unwrap();
    assert_eq!(compacts(), format!("{hint}\n"));
    assert_eq!(proposals(&env).len(), 1, "it is read all the same");
}
