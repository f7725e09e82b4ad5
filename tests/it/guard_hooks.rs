//! The guard in the hooks of Edit, Write and `MultiEdit`: what is refused before it is written, what is
//! said after, what is counted, and what happens where something is in the way.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use math_forge::model::{GuardEntry, LiftRecord};
use math_forge::store::{LogFilter, Store};
use serde_json::{Value, json};

use crate::env::TestEnv;

const PROVED: &str = "namespace N

theorem foo (a b : Nat) (h : a < b) : a ≤ b := by
  have h1 := Nat.lt_iff_add_one_le.mp h
  exact le_trans (Nat.le_succ a) h1

theorem half (a b : Nat) (h : a < b) : a + 1 ≤ b := by
  have h2 := Nat.succ_le_of_lt h
  have h3 := Nat.add_comm a 1
  rw [Nat.add_comm, ← h3] at h2
  sorry

theorem later (n : Nat) : n = n + 0 := by
  sorry

end N
";

/// The proof of `N.foo`.
const PROOF: &str =
    "  have h1 := Nat.lt_iff_add_one_le.mp h\n  exact le_trans (Nat.le_succ a) h1\n";

const GAP: &str = "  sorry\n";

/// What a hook answered.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    Nothing,
    Deny(String),
    Ask(String),
    Block(String),
    Note(String),
    Tell(String),
}

impl Said {
    fn text(&self) -> &str {
        match self {
            Self::Nothing => "",
            Self::Deny(text)
            | Self::Ask(text)
            | Self::Block(text)
            | Self::Note(text)
            | Self::Tell(text) => text,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Deny(_) => "deny",
            Self::Ask(_) => "ask",
            Self::Block(_) => "block",
            Self::Note(_) => "note",
            Self::Tell(_) => "tell",
        }
    }
}

/// A session in a Lean project, with the client's part played by the test.
struct Session {
    env: TestEnv,
    id: &'static str,
    agent: Option<&'static str>,
    uses: usize,
    variables: Vec<(&'static str, String)>,
}

impl Session {
    fn new() -> Self {
        let env = TestEnv::new();
        env.write("lean-toolchain", "leanprover/lean4:v4.24.0");
        Self { env, id: "session-1", agent: None, uses: 0, variables: Vec::new() }
    }

    fn store(&self) -> Store {
        Store::open(&self.env.database()).unwrap()
    }

    fn log(&self) -> Vec<GuardEntry> {
        if !self.env.database().exists() {
            return Vec::new();
        }
        let mut log = self.store().guard_log(&LogFilter::default()).unwrap();
        log.reverse();
        log
    }

    /// The project's identity.
    fn project(&self) -> String {
        self.env.project().to_string_lossy().into_owned()
    }

    #[track_caller]
    fn send(&self, event: &Value) -> Said {
        let mut command = self.env.command();
        command.arg("hook").write_stdin(event.to_string());
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        let output = self.env.finish(&mut command).success();
        if output.is_empty() {
            return Said::Nothing;
        }
        let answer: Value = serde_json::from_str(&output).expect("one JSON object");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let own = &answer["hookSpecificOutput"];
        match (&own["permissionDecision"], &answer["decision"], &answer["systemMessage"]) {
            (Value::String(word), ..) if word == "deny" => {
                Said::Deny(text(&own["permissionDecisionReason"]))
            }
            (Value::String(_), ..) => Said::Ask(text(&own["permissionDecisionReason"])),
            (_, Value::String(_), _) => Said::Block(text(&answer["reason"])),
            (.., Value::String(line)) => Said::Tell(line.clone()),
            _ => Said::Note(text(&own["additionalContext"])),
        }
    }

    fn event(&self, name: &str, tool: &str, input: &Value) -> Value {
        let mut event = json!({
            "hook_event_name": name, "session_id": self.id, "cwd": self.env.project(),
            "tool_name": tool, "tool_input": input, "tool_use_id": format!("toolu_{}", self.uses),
        });
        if let Some(agent) = self.agent {
            event["agent_id"] = agent.into();
        }
        event
    }

    /// Asks before a use of a tool.
    #[track_caller]
    fn before(&mut self, tool: &str, input: &Value) -> Said {
        self.uses += 1;
        self.send(&self.event("PreToolUse", tool, input))
    }

    /// Plays the client: asks, writes unless it is refused, and tells.
    #[track_caller]
    fn uses(&mut self, tool: &str, input: &Value) -> (Said, Said) {
        let before = self.before(tool, input);
        if matches!(before, Said::Deny(_) | Said::Ask(_)) {
            return (before, Said::Nothing);
        }
        let path = self.env.project().join(input["file_path"].as_str().unwrap());
        let bytes = fs::read(&path).unwrap_or_default();
        let Some(new) = made_of(&bytes, tool, input) else { return (before, Said::Nothing) };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &new).unwrap();
        let mut event = self.event("PostToolUse", tool, input);
        event["tool_response"] = response(&bytes, &new, tool);
        (before, self.send(&event))
    }

    #[track_caller]
    fn edit(&mut self, path: &Path, old: &str, new: &str) -> (Said, Said) {
        self.uses("Edit", &edit(path, old, new))
    }

    /// A build that has nothing to say.
    fn builds(&self) {
        let mut event = self.event("PostToolUse", "Bash", &json!({"command": "lake build"}));
        event["tool_response"] = json!({"stdout": "", "stderr": ""});
        self.send(&event);
    }

    fn lift(&self, lift: LiftRecord) {
        let lift = LiftRecord {
            project: lift.project.or_else(|| Some(self.project())),
            rule: if lift.rule.is_empty() { "proof-lost".to_owned() } else { lift.rule },
            ..lift
        };
        self.store().write(Timestamp::now(), |writer| writer.grant(&lift)).unwrap();
    }
}

fn edit(path: &Path, old: &str, new: &str) -> Value {
    json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": false})
}

fn write(path: &Path, content: &str) -> Value {
    json!({"file_path": path, "content": content})
}

/// The text as the client shows it to hooks.
fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n")
}

/// What the client writes; it matches quotes of another style, and keeps their style.
fn made_of(bytes: &[u8], tool: &str, input: &Value) -> Option<Vec<u8>> {
    if tool == "Write" {
        return Some(input["content"].as_str()?.as_bytes().to_vec());
    }
    let mut text = shown(bytes);
    let one = [input.clone()];
    let edits = input["edits"].as_array().map_or(&one[..], Vec::as_slice);
    for edit in edits {
        let (old, new) = (edit["old_string"].as_str()?, edit["new_string"].as_str()?);
        let curly = |text: &str| text.replace(" \"", " “").replace('"', "”");
        let (old, new) = if text.contains(old) || old.is_empty() {
            (old.to_owned(), new.to_owned())
        } else {
            (curly(old), curly(new))
        };
        if old.is_empty() {
            text = new;
        } else if !text.contains(&old) {
            return None;
        } else if edit["replace_all"] == true {
            text = text.replace(&old, &new);
        } else {
            text = text.replacen(&old, &new, 1);
        }
    }
    let crlf = bytes.windows(2).any(|pair| pair == b"\r\n");
    Some(if crlf { text.replace('\n', "\r\n") } else { text }.into_bytes())
}

fn response(old: &[u8], new: &[u8], tool: &str) -> Value {
    let (old, new) = (shown(old), shown(new));
    let side = |text: &str, sign: &str| {
        let mut lines: Vec<String> = text.lines().map(|line| format!("{sign}{line}")).collect();
        if !text.is_empty() && !text.ends_with('\n') {
            lines.push("\\ No newline at end of file".to_owned());
        }
        lines
    };
    let lines = [side(&old, "-"), side(&new, "+")].concat();
    let patch = json!([{"oldStart": 1, "newStart": 1, "lines": lines}]);
    match tool {
        "Write" if old.is_empty() => {
            json!({"type": "create", "originalFile": null, "structuredPatch": []})
        }
        "Write" => json!({"type": "update", "originalFile": old, "structuredPatch": patch}),
        _ => json!({"originalFile": old, "structuredPatch": patch}),
    }
}

/// Ways to write and bytes that the corpus and the flows have no notation for.
#[test]
fn a_loss_is_seen_by_any_tool_and_in_any_bytes() {
    let utf16: Vec<u8> =
        [0xfeff].into_iter().chain(PROVED.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let quotes = PROVED.replace("  exact le_trans", "  -- the “last” step\n  exact le_trans");
    let two = format!("{PROVED}\ntheorem bar (a b : Nat) (h : a < b) : a ≤ b := by\n{PROOF}");
    let file = Path::new("A b.lean");
    let plain = edit(file, PROOF, GAP);
    let quoted =
        edit(file, &format!("{}  -- the \"last\" step\n{}", &PROOF[..40], &PROOF[40..]), GAP);
    let mut both = plain.clone();
    both["replace_all"] = json!(true);
    let last = json!({"file_path": file, "edits": [
        {"old_string": "namespace N\n", "new_string": "namespace N\n\nopen Nat\n"},
        {"old_string": PROOF, "new_string": GAP}]});
    let example = edit(file, "simp [foo]", "sorry");
    let lost = "[proof-lost] theorem `N.foo`";
    for (what, bytes, tool, mut input, verdict, part) in [
        ("the last step", PROVED.into(), "MultiEdit", last, "deny", lost),
        ("two theorems", two.into_bytes(), "Edit", both, "deny", "theorem `bar`"),
        ("line ends", PROVED.replace('\n', "\r\n").into(), "Edit", plain.clone(), "deny", lost),
        ("a mark", format!("\u{feff}{PROVED}").into(), "Edit", plain.clone(), "deny", lost),
        ("UTF-16", utf16, "Edit", plain.clone(), "deny", lost),
        ("the client turns quotes", quotes.into(), "Edit", quoted, "block", lost),
        ("Latin", [b"-- caf\xe9\n", PROVED.as_bytes()].concat(), "Edit", plain, "block", lost),
        (
            "no name",
            b"example : 1 = 1 := by\n  simp [foo]\n".to_vec(),
            "Edit",
            example,
            "deny",
            "`mk allow \"A b.lean\" --rule proof-lost --once",
        ),
    ] {
        let mut session = Session::new();
        input["file_path"] = json!(session.env.write("A b.lean", &bytes));
        let (before, after) = session.uses(tool, &input);
        let said = if before == Said::Nothing { after } else { before };
        assert_eq!(said.kind(), verdict, "{what}: {said:?}");
        assert!(
            said.text().contains(part) && said.text().lines().count() <= 14,
            "{what}: {said:?}"
        );
        assert!(!session.log().is_empty(), "{what}");
    }
}

#[test]
fn what_is_no_lean_file_or_no_edit_is_no_concern() {
    let mut session = Session::new();
    let path = session.env.write("A.lean", PROVED);
    let notes = session.env.write("A.md", PROVED);
    let upper = session.env.write("B.LEAN", PROVED);
    fs::create_dir(session.env.project().join("folder.lean")).unwrap();
    let folder = session.env.project().join("folder.lean");
    for (tool, input, kind) in [
        ("Edit", edit(&notes, PROOF, GAP), "nothing"),
        ("Edit", edit(&upper, PROOF, GAP), "deny"),
        ("Edit", edit(&folder, PROOF, GAP), "nothing"),
        ("Edit", json!({"file_path": path, "old_string": PROOF}), "nothing"),
        ("Edit", json!({"file_path": path, "old_string": 1, "new_string": GAP}), "nothing"),
        ("Edit", json!({"file_path": path}), "nothing"),
        ("Edit", json!({"old_string": PROOF, "new_string": GAP}), "nothing"),
        ("Edit", json!({}), "nothing"),
        ("Write", json!({"file_path": path}), "nothing"),
        ("MultiEdit", json!({"file_path": path, "edits": []}), "nothing"),
        ("MultiEdit", json!({"file_path": path, "edits": [1, null]}), "nothing"),
        ("Rewrite", edit(&path, PROOF, GAP), "nothing"),
        ("NotebookEdit", json!({"notebook_path": path, "new_source": GAP}), "nothing"),
        ("Edit", edit(Path::new("A.lean"), PROOF, GAP), "deny"),
        ("Edit", edit(Path::new("A.lean/B.lean"), PROOF, GAP), "nothing"),
    ] {
        let said = session.before(tool, &input);
        assert_eq!(said.kind(), kind, "{tool} {input}: {said:?}");
    }
}

#[test]
fn a_path_is_one_file_through_links_and_blanks_and_for_subagents() {
    let mut session = Session::new();
    let path = session.env.write("Deep folder/A.lean", PROVED);
    let link = session.env.project().join("link");
    std::os::unix::fs::symlink(path.parent().unwrap(), &link).unwrap();
    session.agent = Some("agent-7");
    for path in [&path, &link.join("A.lean"), &session.env.project().join("./link/../link/A.lean")]
    {
        assert_eq!(session.before("Edit", &edit(path, PROOF, GAP)).kind(), "deny");
    }
    let log = session.log();
    assert_eq!(log.len(), 3);
    for row in log {
        assert_eq!(row.file.as_deref(), Some("Deep folder/A.lean"));
        assert_eq!(row.agent.as_deref(), Some("agent-7"));
        assert_eq!((row.event.as_str(), row.tool.as_deref()), ("PreToolUse", Some("Edit")));
        assert_eq!((row.rule.as_str(), row.level.as_str()), ("proof-lost", "deny"));
        assert_eq!((row.declaration.as_str(), row.line), ("N.foo", Some(3)));
        assert_eq!(row.project, Some(session.project()));
    }
    // A new file below a link has the name that it will have.
    let new = link.join("New.lean");
    session.edit(&new, "", "axiom a : False\n");
    assert_eq!(session.log()[3].file.as_deref(), Some("Deep folder/New.lean"));
}

#[test]
fn the_third_refusal_comes_with_other_advice() {
    let mut session = Session::new();
    session
        .env
        .mk(&["add", "failure", "--title", "N.foo: omega alone", "--why-failed", "no bound"])
        .success();
    let path = session.env.write("A.lean", PROVED);
    for (time, gap) in [(1, GAP), (2, "  admit\n"), (3, GAP), (4, GAP)] {
        let said = session.before("Edit", &edit(&path, PROOF, gap));
        assert_eq!(said.kind(), "deny");
        let text = said.text();
        assert!(text.contains("[proof-lost] theorem `N.foo`"), "{text}");
        let coached = text.contains(&format!("already refused {} times", time - 1));
        assert_eq!(coached, time > 2, "{time}: {text}");
        let tried = text
            .split_once("Tried already:\n")
            .is_some_and(|(_, tried)| tried.contains("  - N.foo: omega alone: no bound"));
        assert_eq!(tried, time > 2, "{text}");
        assert!(text.contains("`mk allow N.foo --rule proof-lost --once"), "{text}");
        assert!(text.lines().count() <= 14, "{text}");
        // What it says to run can be run.
        let advice = text.split('`').find(|part| part.starts_with("mk add"));
        assert_eq!(advice.is_some(), time > 2, "{text}");
        if let Some(advice) = advice {
            let mut shell = assert_cmd::Command::new("/bin/sh");
            let mk = advice.replacen("mk", env!("CARGO_BIN_EXE_mk"), 1);
            shell.env_clear().env("HOME", session.env.home()).args(["-c", &mk]).assert().success();
        }
    }
    // Another declaration, another session.
    let open = "  rw [Nat.add_comm, ← h3] at h2\n";
    let other = PROVED.replace(&format!("{open}  sorry"), "  omega");
    fs::write(&path, other).unwrap();
    let half = "  have h2 := Nat.succ_le_of_lt h\n";
    let said = session.before("Edit", &edit(&path, half, &format!("{half}  sorry\n")));
    assert!(said.text().contains("`N.half`") && said.text().contains("mk allow"), "{said:?}");
    session.id = "session-2";
    assert!(session.before("Edit", &edit(&path, PROOF, GAP)).text().contains("mk allow"));
}

#[test]
fn the_same_event_counts_once() {
    let mut session = Session::new();
    let path = session.env.write("A.lean", PROVED);
    let first = session.before("Edit", &edit(&path, PROOF, GAP));
    let event = session.event("PreToolUse", "Edit", &edit(&path, PROOF, GAP));
    for _ in 0..4 {
        assert_eq!(session.send(&event), first, "the same answer");
    }
    assert_eq!(session.log().len(), 1);
    // Two processes at once.
    session.uses += 1;
    let event = session.event("PreToolUse", "Edit", &edit(&path, PROOF, GAP));
    std::thread::scope(|scope| {
        let (session, event) = (&session, &event);
        let both = [(); 4].map(|()| scope.spawn(move || session.send(event)));
        for said in both {
            assert_eq!(said.join().unwrap().kind(), "deny");
        }
    });
    assert_eq!(session.log().len(), 2);
    // Without an id every call is one of its own.
    let mut event = session.event("PreToolUse", "Edit", &edit(&path, PROOF, GAP));
    event.as_object_mut().unwrap().remove("tool_use_id");
    assert_eq!(session.send(&event).kind(), "deny");
    assert_eq!(session.log().len(), 3);
}

#[test]
fn a_lift_for_one_edit_is_used_up_when_the_edit_is_made() {
    let mut session = Session::new();
    let path = session.env.write("A.lean", PROVED);
    let name = || Some("N.foo".to_owned());
    session.lift(LiftRecord { once: true, declaration: name(), ..LiftRecord::default() });
    for _ in 0..3 {
        let said = session.before("Edit", &edit(&path, PROOF, GAP));
        assert_eq!(said, Said::Nothing, "asking uses nothing up");
    }
    assert!(session.log().is_empty(), "{:?}", session.log());
    assert_eq!(session.edit(&path, PROOF, GAP), (Said::Nothing, Said::Nothing));
    let mut again = session.event("PostToolUse", "Edit", &edit(&path, PROOF, GAP));
    again["tool_response"] =
        response(PROVED.as_bytes(), PROVED.replace(PROOF, GAP).as_bytes(), "Edit");
    assert_eq!(session.send(&again), Said::Nothing, "told twice, it still holds");
    let log = session.log();
    assert_eq!(log.len(), 1);
    assert_eq!((log[0].level.as_str(), log[0].lift), ("off", Some(1)));
    let spent = session.store().lifts(None).unwrap();
    assert_eq!(spent[0].spent_by, Some(format!("toolu_{}", session.uses)));
    assert_eq!(session.edit(&path, GAP.trim_end(), "  exact h.le"), (Said::Nothing, Said::Nothing));
    let (said, _) = session.edit(&path, "exact h.le", "sorry");
    assert_eq!(said.kind(), "deny", "it was for one edit");
}

#[test]
fn lifts_hold_for_what_they_were_given_for() {
    let some = |text: &str| Some(text.to_owned());
    let base = LiftRecord::default;
    for (what, lift, kind) in [
        ("until it is taken back", LiftRecord { declaration: some("N.foo"), ..base() }, "nothing"),
        ("another declaration", LiftRecord { declaration: some("N.bar"), ..base() }, "deny"),
        ("the whole file", LiftRecord { file: some("A.lean"), ..base() }, "nothing"),
        ("another file", LiftRecord { file: some("B.lean"), ..base() }, "deny"),
        ("nothing named", base(), "deny"),
        (
            "the declaration in another file",
            LiftRecord { declaration: some("N.foo"), file: some("B.lean"), ..base() },
            "deny",
        ),
        (
            "a while",
            LiftRecord {
                declaration: some("N.foo"),
                expires_at: some("2999-01-01 00:00:00"),
                ..base()
            },
            "nothing",
        ),
        (
            "a while that is over",
            LiftRecord {
                declaration: some("N.foo"),
                expires_at: some("2020-01-01 00:00:00"),
                ..base()
            },
            "deny",
        ),
        (
            "another project",
            LiftRecord { declaration: some("N.foo"), project: some("/elsewhere"), ..base() },
            "deny",
        ),
    ] {
        let mut session = Session::new();
        let path = session.env.write("A.lean", PROVED);
        session.lift(lift);
        let (said, after) = session.edit(&path, PROOF, GAP);
        assert_eq!((said.kind(), after.kind()), (kind, "nothing"), "{what}: {said:?} {after:?}");
        let lifts = session.store().lifts(None).unwrap();
        assert_eq!(lifts[0].spent_at, None, "{what}: it is not for one edit");
    }
}

#[test]
fn a_false_lemma_is_named_once_in_a_session() {
    let mut session = Session::new();
    let statement = "theorem N.sum_small (n : Nat) : n + n < n";
    let lemma =
        ["--title", "sums are small", "--theorem-name", "N.sum_small", "--statement", statement];
    session.env.mk(&[&["add", "false-lemma"], &lemma[..]].concat()).success();
    let path = session.env.write("A.lean", PROVED);
    for (time, kind) in [(1, "note"), (2, "nothing")] {
        let used = format!("theorem use{time} : 1 = 1 := by\n  exact N.sum_small {time}\n\nend N");
        let (before, after) = session.edit(&path, "end N", &used);
        assert_eq!((before.kind(), after.kind()), ("nothing", kind), "{time}: {after:?}");
        assert!(time == 2 || after.text().contains("`N.sum_small`"), "{after:?}");
    }
    // Who has heard of it does not know it under another name.
    for (time, kind) in [(1, "note"), (2, "nothing")] {
        let copy = format!("theorem copy (k : Nat) : k + k < k := by\n  sorry -- {time}\n\nend N");
        let (_, after) = session.edit(&path, "end N", &copy);
        assert_eq!(after.kind(), kind, "{time}: {after:?}");
        assert!(time == 2 || after.text().contains("`N.copy` states the same"), "{after:?}");
        if time == 1 {
            session.edit(&path, "theorem copy (k : Nat) : k + k < k := by\n  sorry -- 1\n\n", "");
        }
    }
    session.id = "session-2";
    let (_, after) = session.edit(&path, "end N", "example := N.sum_small 3\n\nend N");
    assert_eq!(after.kind(), "note", "another session has not heard of it");
}

#[test]
fn the_configuration_decides_how_strict_a_rule_is() {
    for (config, before, after) in [
        ("[guard]\nenabled = false\n", "nothing", "nothing"),
        ("[guard.levels]\nproof-lost = \"off\"\n", "nothing", "nothing"),
        ("[guard.levels]\nproof-lost = \"warn\"\n", "nothing", "note"),
        ("[guard.levels]\nproof-lost = \"ask\"\n", "ask", "nothing"),
    ] {
        let mut session = Session::new();
        let path = session.env.write("A.lean", PROVED);
        let file = session.env.home().join(".config/math-forge/config.toml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, config).unwrap();
        let (said, told) = session.edit(&path, PROOF, GAP);
        assert_eq!((said.kind(), told.kind()), (before, after), "{config}: {said:?} {told:?}");
        if before != "ask" {
            continue;
        }
        // The person said yes: the edit was made. Where nobody was asked, it is a remark.
        let mut event = session.event("PostToolUse", "Edit", &edit(&path, PROOF, GAP));
        event["tool_response"] =
            response(PROVED.as_bytes(), PROVED.replace(PROOF, GAP).as_bytes(), "Edit");
        assert_eq!(session.send(&event), Said::Nothing);
        assert_eq!(session.log()[1].detail, "the person agreed to it");
        event["tool_use_id"] = "toolu_other".into();
        // Yes holds for the declaration in this session.
        assert_eq!(session.send(&event), Said::Nothing);
    }
}

/// A question, the person's answer, and the modes in which nobody is there to ask.
#[test]
fn a_statement_that_changes_is_the_persons_to_judge() {
    let (old, new) = ("(h : a < b) : a ≤ b", "(h : a < b) : a ≤ b + 1");
    for (mode, config, expected) in [
        ("default", "", "ask"),
        ("acceptEdits", "", "ask"),
        ("plan", "", "ask"),
        ("bypassPermissions", "", "deny"),
        ("auto", "", "deny"),
        ("dontAsk", "", "deny"),
        ("default", "[guard]\nask = \"deny\"\n", "deny"),
        ("auto", "[guard]\nask = \"note\"\n", "nothing"),
    ] {
        let mut session = Session::new();
        let path = session.env.write("A.lean", PROVED);
        let file = session.env.home().join(".config/math-forge/config.toml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, config).unwrap();
        let prompt =
            json!({"type": "user", "message": {"role": "user", "content": "please weaken `foo`"}});
        let transcript = session.env.write("t.jsonl", format!("{prompt}\n"));
        let input = edit(&path, old, new);
        let mut event = session.event("PreToolUse", "Edit", &input);
        event["permission_mode"] = mode.into();
        event["transcript_path"] = transcript.to_str().unwrap().into();
        let said = session.send(&event);
        let text = said.text();
        assert_eq!(said.kind(), expected, "{mode} {config}: {text}");
        if expected == "nothing" {
            continue;
        }
        assert!(text.contains("    was: theorem foo"), "{text}");
        assert!(text.contains("    would be: theorem foo"), "{text}");
        let asks = expected == "ask";
        assert_eq!(text.contains("The last prompt names `foo`."), asks, "{text}");
        assert_eq!(text.contains("mk allow N.foo --rule statement-changed --once"), !asks);
        if !asks {
            continue;
        }
        // The edit was made: the person said yes. The next one of this declaration passes, in every mode.
        let mut event = session.event("PostToolUse", "Edit", &input);
        let after = PROVED.replace(old, new);
        event["tool_response"] = response(PROVED.as_bytes(), after.as_bytes(), "Edit");
        assert_eq!(session.send(&event), Said::Nothing);
        fs::write(&path, &after).unwrap();
        session.uses += 1;
        let mut event =
            session.event("PreToolUse", "Edit", &edit(&path, new, "(h : a < b) : a ≤ b + 2"));
        event["permission_mode"] = "auto".into();
        assert_eq!(session.send(&event), Said::Nothing);
    }
}

/// What passes before it is written is not blocked after it.
#[test]
fn both_looks_at_an_edit_say_the_same() {
    let text = "theorem one (a b : Nat) (h : a < b) : a ≤ b := by\n  omega\n\n\
                theorem two (a b : Nat) (h : a = b) : b = a := by\n  omega\n";
    let swapped = "theorem two (a b : Nat) (h : a = b) : b = a := by\n  omega\n\n\
                   theorem one (a b : Nat) : a ≤ b := by\n  omega\n";
    let include = format!("variable (hF : False)\ninclude hF\n\n{text}");
    let fact = format!("variable [Fact False]\n\n{text}");
    for after in [swapped, &include, &fact] {
        let mut session = Session::new();
        let path = session.env.write("A.lean", text);
        let (before, said) = session.uses("Write", &write(&path, after));
        let blocked = matches!(said, Said::Block(_));
        assert!(!blocked || matches!(before, Said::Deny(_)), "{before:?} {said:?}");
    }
    for after in [include, fact] {
        let mut session = Session::new();
        let path = session.env.write("A.lean", text);
        assert_eq!(session.uses("Write", &write(&path, &after)).0.kind(), "deny", "{after}");
    }
}

#[test]
fn an_older_client_says_less_and_is_answered_from_the_disk() {
    let mut session = Session::new();
    let after = PROVED.replace(PROOF, GAP);
    let path = session.env.write("A.lean", &after);
    let whole = format!("theorem foo : a ≤ b := by\n{PROOF}");
    for (tool, input, response, kind) in [
        ("Edit", edit(&path, PROOF, &format!("{GAP}\ntheorem half")), json!({}), "nothing"),
        (
            "Edit",
            edit(&path, &format!("a ≤ b := by\n{PROOF}"), &format!("a ≤ b := by\n{GAP}")),
            json!({"filePath": path}),
            "block",
        ),
        // Somebody else has written since: only the strings are certain.
        (
            "Edit",
            edit(&path, &whole, "theorem foo : a ≤ b := by\n  sorry -- x\n"),
            json!({}),
            "block",
        ),
        ("Edit", edit(&path, PROOF, GAP), json!({"originalFile": PROVED}), "block"),
        ("Write", write(&path, &after), json!({"originalFile": PROVED}), "block"),
        ("Write", write(&path, &after), json!({}), "nothing"),
        ("Edit", json!({"file_path": path}), json!({}), "tell"),
        ("Edit", json!({"file_path": path}), json!({}), "nothing"),
    ] {
        session.uses += 1;
        let mut event = session.event("PostToolUse", tool, &input);
        event["tool_response"] = response;
        let said = session.send(&event);
        assert_eq!(said.kind(), kind, "{tool} {input}: {said:?}");
    }
}

#[test]
fn what_cannot_be_looked_at_is_said_once_and_logged() {
    let mut session = Session::new();
    let path = session.env.write("A.lean", format!("{PROVED}{}", "-- more\n".repeat(1_100_000)));
    let (before, after) = session.edit(&path, PROOF, GAP);
    assert_eq!(before, Said::Nothing);
    assert_eq!(
        after,
        Said::Tell(
            "math-forge could not check the edit of `A.lean`: it has more than 8 MB.".to_owned()
        )
    );
    assert_eq!(session.edit(&path, GAP, PROOF), (Said::Nothing, Said::Nothing));
    let log =
        fs::read_to_string(session.env.home().join(".local/state/math-forge/mk.log")).unwrap();
    assert!(log.contains("more than 8 MB"), "{log}");
}

#[test]
fn a_plain_edit_opens_no_database() {
    let mut session = Session::new();
    let database = session.env.home().join("new folder/knowledge.db");
    session.variables = vec![("MATH_FORGE_DB", database.to_string_lossy().into_owned())];
    let path = session.env.write("A.lean", PROVED);
    for (old, new) in [
        (PROOF, "  exact Nat.le_of_lt h\n"),
        ("end N", "theorem new : 1 = 1 := by\n  sorry\n\nend N"),
        ("n = n + 0 := by\n  sorry", "n = n + 0 := rfl"),
        ("n = n + 0", "n = n"),
    ] {
        assert_eq!(session.before("Edit", &edit(&path, old, new)), Said::Nothing);
        assert!(!database.parent().unwrap().exists(), "{old}");
    }
    assert_eq!(session.before("Edit", &edit(&path, PROOF, GAP)).kind(), "deny");
    assert!(database.exists(), "a refusal is logged");
}

#[test]
fn a_database_in_the_way_lets_no_proof_go() {
    for (state, cause) in [
        ("locked", "locked by another process"),
        ("corrupt", "is not a database"),
        ("a folder", "a folder"),
        ("none", ""),
        ("read-only folder", ""),
    ] {
        let mut session = Session::new();
        session.env.mk(&["init"]).success();
        let database = session.env.database();
        let mut held = None;
        match state {
            "locked" => {
                let other = rusqlite::Connection::open(&database).unwrap();
                other.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
                held = Some(other);
            }
            "corrupt" => fs::write(&database, "not a database ".repeat(1000)).unwrap(),
            "a folder" => {
                fs::remove_file(&database).unwrap();
                fs::create_dir(&database).unwrap();
            }
            "none" => session.variables = vec![("MATH_FORGE_DB", String::new())],
            _ => session.variables = vec![("MATH_FORGE_DB", "/proc/none/k.db".to_owned())],
        }
        let path = session.env.write("A.lean", PROVED);
        let began = Instant::now();
        let said = session.before("Edit", &edit(&path, PROOF, GAP));
        let (_, changed) = session.edit(&path, "n = n + 0", "n = n");
        let (plain, next) = session.edit(&path, "end N", "-- the end\nend N");
        let took = began.elapsed();
        assert_eq!(said.kind(), "deny", "{state}: {said:?}");
        assert_eq!(
            said.text().contains("could not be read"),
            !cause.is_empty(),
            "{state}: {said:?}"
        );
        assert!(said.text().contains(cause), "{state}: {said:?}");
        assert_eq!(changed.kind(), "note", "{state}: {changed:?}");
        assert_eq!((plain, next), (Said::Nothing, Said::Nothing), "{state}");
        assert!(took < Duration::from_secs(10), "{state}: five hooks took {took:?}");
        let log = session.env.home().join(".local/state/math-forge/mk.log");
        let log = fs::read_to_string(log).unwrap_or_default();
        assert_eq!(log.contains(" guard: "), state != "none", "{state}: {log}");
        drop(held);
    }
}

#[test]
fn the_person_hears_once_that_the_database_cannot_be_read() {
    let mut session = Session::new();
    session.env.mk(&["init"]).success();
    fs::write(session.env.database(), "not a database ".repeat(1000)).unwrap();
    let path = session.env.write("A.lean", PROVED);
    let (before, after) = session.edit(&path, "end N", "-- the end\nend N");
    assert_eq!((before.kind(), after.kind()), ("nothing", "tell"));
    assert!(after.text().contains("false lemmas are ignored"), "{after:?}");
    assert_eq!(session.edit(&path, "-- the end", "-- end"), (Said::Nothing, Said::Nothing));
    session.id = "session-2";
    let said = session.before("Edit", &edit(&path, "n = n + 0", "n = n"));
    assert_eq!(said.kind(), "tell", "locks may have been in the way: {said:?}");
}

#[test]
fn a_file_of_five_megabytes_is_judged_in_time() {
    let mut session = Session::new();
    let docs = "Says more about it than there is to say. ".repeat(10);
    let one = format!(
        "/-- {docs} -/\ntheorem t# (a b : Nat) (h : a < b) : a ≤ b + # := by\n  have h1 := h.le\n  omega\n\n"
    );
    let text: String = (0..12_000).map(|n| one.replace('#', &n.to_string())).collect();
    assert!(text.len() > 5_000_000);
    let path = session.env.write("A.lean", &text);
    let old = "b + 6000 := by\n  have h1 := h.le\n  omega";
    let began = Instant::now();
    let said = session.before("Edit", &edit(&path, old, "b + 6000 := by\n  sorry"));
    let took = began.elapsed();
    eprintln!("an edit of a file of {} bytes is judged in {took:?}", text.len());
    assert_eq!(said.kind(), "deny");
    // The build of the tests is not optimised; the client waits three seconds for one that is.
    assert!(took < Duration::from_mins(1), "{took:?}");
}

#[test]
fn many_remarks_are_counted() {
    let mut session = Session::new();
    let axioms: Vec<String> =
        (0..300).map(|n| format!("theorem a{n} : {n} = {n} := by native_decide\n")).collect();
    let axioms = axioms.concat();
    let path = session.env.project().join("A.lean");
    let (before, after) = session.uses("Write", &write(&path, &axioms));
    assert_eq!((before.kind(), after.kind()), ("nothing", "note"));
    assert_eq!(after.text().lines().count(), 6, "{after:?}");
    assert!(after.text().ends_with("And 295 more like this."), "{after:?}");
    assert_eq!(session.log().len(), 50);
}

#[test]
fn the_command_in_a_refusal_leads_to_leave_for_the_edit() {
    for (declaration, file) in [
        ("theorem foo : 1 = 1", "A.lean"),
        ("theorem N.foo'.«x y» : 1 = 1", "A.lean"),
        ("example : 1 = 1", "Deep folder/it's.lean"),
    ] {
        let mut session = Session::new();
        let path = session.env.write(file, format!("{declaration} := by\n  simp [one, two]\n"));
        let refused = session.before("Edit", &edit(&path, "simp [one, two]", "sorry"));
        let command = refused.text().split('`').find(|part| part.starts_with("mk allow"));
        let command = command.unwrap().replace("\"...\"", "\"it is stated wrongly\"");
        let input = json!({"command": command, "description": "lift a rule"});
        let asked = session.before("Bash", &input);
        assert_eq!(asked.kind(), "ask", "{command}: {asked:?}");
        let mut event = session.event("PostToolUse", "Bash", &input);
        event["tool_response"] = json!({"stdout": "", "stderr": ""});
        session.send(&event);
        let said = session.edit(&path, "simp [one, two]", "sorry");
        assert_eq!(said, (Said::Nothing, Said::Nothing), "{command}");
        let spent = session.store().lifts(None).unwrap();
        assert!(spent.len() == 1 && spent[0].spent_at.is_some(), "{command}: {spent:?}");
    }
}

#[test]
fn what_a_language_server_says_of_a_proof_is_the_word_of_lean() {
    let mut session = Session::new();
    let file = session.env.write("A.lean", PROVED);
    let attempt = "theorem later (n : Nat) : n = n + 0 := by\n  nlinarith [sq_nonneg n]\n";
    let open = "theorem later (n : Nat) : n = n + 0 := by\n  sorry\n";
    let check = "mcp__lean-lsp__lean_diagnostic_messages";
    let items = json!({"success": false, "items": [{"severity": "error", "line": 13, "column": 2,
        "message": "linarith failed to find a contradiction"}]});
    let in_text = json!([{"type": "text",
        "text": "l13c3-l13c9, severity: 1\nlinarith failed to find a contradiction"}]);
    let warning = items.to_string().replace("\"error\"", "\"warning\"");
    for (tool, input, response, expected) in [
        (
            "mcp__lean-lsp__lean_multi_attempt",
            json!({"file_path": file}),
            json!(items.to_string()),
            "deny",
        ),
        (
            "mcp__lean-lsp__lean_run_code",
            json!({"code": attempt}),
            json!(items.to_string()),
            "deny",
        ),
        (
            "mcp__lean-lsp__lean_check",
            json!({"file_path": file, "code": "x"}),
            json!(items.to_string()),
            "deny",
        ),
        ("mcp__other__messages", json!({"file_path": file}), json!(items.to_string()), "deny"),
        (check, json!({"file_path": "B.lean"}), json!(items.to_string()), "deny"),
        (check, json!({"file_path": file}), json!(warning), "deny"),
        (check, json!({"file_path": file}), json!(items.to_string()), "nothing"),
        (check, json!({"file_path": "A.lean"}), in_text, "nothing"),
        (
            "mcp__lean-lsp__lean_build",
            json!({}),
            json!(
                json!({"success": false, "output": "error: A.lean:13:2: linarith failed",
                "errors": ["error: A.lean:13:2: linarith failed"]})
                .to_string()
            ),
            "nothing",
        ),
    ] {
        // Each begins with another text, of which nothing was said yet.
        let name = format!("sq_nonneg {}", tool.len() + response.to_string().len());
        let attempt = attempt.replace("sq_nonneg n", &name);
        session.edit(&file, open, &attempt);
        session.builds();
        let mut event = session.event("PostToolUse", tool, &input);
        event["tool_response"] = response;
        assert_eq!(session.send(&event), Said::Nothing, "{event}");
        let back = edit(&file, &attempt, open);
        assert_eq!(session.before("Edit", &back).kind(), expected, "{event}");
        // The person takes it back by hand.
        let text = fs::read_to_string(&file).unwrap().replace(&attempt, open);
        fs::write(&file, text).unwrap();
    }
}

#[test]
fn a_proof_of_this_session_that_does_not_compile_may_make_way_for_a_gap() {
    let mut session = Session::new();
    let file = session.env.write("A.lean", PROVED);
    let attempt = "theorem later (n : Nat) : n = n + 0 := by\n  nlinarith [sq_nonneg n]\n";
    let open = "theorem later (n : Nat) : n = n + 0 := by\n  sorry\n";
    session.edit(&file, open, attempt);
    let back = |session: &mut Session| session.before("Edit", &edit(&file, attempt, open));
    assert_eq!(back(&mut session).kind(), "nothing", "Lean has not seen it");
    session.builds();
    let refused = back(&mut session);
    assert_eq!(refused.kind(), "deny", "it looks finished");
    assert!(
        refused.text().contains("This proof was written in this session"),
        "{}",
        refused.text()
    );
    let mut tells = |output: &str| {
        let mut event =
            session.event("PostToolUseFailure", "Bash", &json!({"command": "lake build"}));
        event["error"] = format!("Exit code 1\n{output}").into();
        session.send(&event);
        back(&mut session).kind()
    };
    assert_eq!(tells("error: A.lean:1:0: unknown namespace"), "deny", "an error elsewhere");
    let foo = "A.lean:4:2: error: linarith failed to find a contradiction";
    assert_eq!(tells(foo), "deny", "the error is in another proof");
    let later = "error: A.lean:13:2: linarith failed to find a contradiction";
    assert_eq!(tells(later), "nothing");
    let (before, after) = session.edit(&file, attempt, open);
    assert_eq!((before.kind(), after.kind()), ("nothing", "nothing"));
    let (refused, _) = session.edit(&file, PROOF, GAP);
    assert_eq!(refused.kind(), "deny", "it was proved before the session, whatever Lean says now");
    assert!(!refused.text().contains("of this session"), "{}", refused.text());
}
