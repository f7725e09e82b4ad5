//! Small sessions in a notation of their own (`fixtures/sessions.txt`): how they ended, by their digest, and
//! which lessons are in them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use math_forge::learn::events::Event;
use math_forge::learn::lessons::Learner;
use math_forge::learn::playbooks::Digest;
use math_forge::learn::transcript::{Reader, Record};
use serde_json::{Value, json};

#[derive(Default)]
struct Session {
    name: String,
    /// What was said and called, as lines of a transcript.
    lines: Vec<Value>,
    call: Option<(Value, Vec<String>, bool)>,
    expected: Vec<(char, String)>,
}

impl Session {
    fn say(&mut self, role: &str, text: &str) {
        self.returned();
        let content = json!([{ "type": "text", "text": text }]);
        self.lines.push(json!({ "type": role, "message": { "content": content } }));
    }

    fn call(&mut self, name: &str, input: &Value) {
        self.returned();
        let id = format!("toolu_{}", self.lines.len());
        let call = json!({ "type": "tool_use", "id": id, "name": name, "input": input });
        self.call = Some((call, Vec::new(), false));
    }

    /// Writes down the call that was begun, with its result.
    fn returned(&mut self) {
        let Some((mut call, printed, mut failed)) = self.call.take() else { return };
        let mut text = printed.join("\n");
        let mut outcome = json!({ "stdout": text, "interrupted": false });
        match text.as_str() {
            "#refused" => {
                failed = true;
                text = String::from("The user doesn't want to proceed with this tool use.");
            }
            "#stopped" => outcome = json!({ "interrupted": true }),
            "#timeout" => {
                failed = true;
                text = String::from("Exit code 143\nCommand timed out after 2m 0s");
            }
            "#background" => call["input"]["run_in_background"] = json!(true),
            _ if failed => text = format!("Exit code 1\n{text}"),
            _ => {}
        }
        let result = json!({ "type": "tool_result", "tool_use_id": call["id"], "content": text,
            "is_error": failed });
        self.lines.push(json!({ "type": "assistant", "message": { "content": [call] } }));
        self.lines.push(json!({ "type": "user", "toolUseResult": outcome,
            "message": { "content": [result] } }));
    }

    fn read(&mut self, line: &str) {
        let Some((mark, rest)) = line.split_at_checked(2) else { panic!("{line}") };
        match mark {
            "> " => self.say("user", rest),
            "< " => self.say("assistant", rest),
            "$ " => self.call("Bash", &json!({ "command": rest })),
            "@ " => {
                let (tool, file) = rest.split_once(' ').unwrap();
                self.call(tool, &json!({ "file_path": file }));
            }
            "~ " => {
                let (file, change) = rest.split_once(": ").unwrap();
                let (old, new) = change.split_once(" => ").unwrap();
                let input = json!({ "file_path": file, "old_string": old, "new_string": new });
                self.call("Edit", &input);
            }
            "  " => {
                let (_, printed, failed) = self.call.as_mut().unwrap();
                match rest.split_at(1) {
                    ("#", what) => printed.push(format!("#{}", what.trim())),
                    (kind, text) => {
                        *failed |= kind == "x";
                        printed.push(text.strip_prefix(' ').unwrap_or(text).to_owned());
                    }
                }
            }
            _ => {
                self.returned();
                self.expected.push((mark.chars().next().unwrap(), rest.to_owned()));
            }
        }
    }

    fn records(&self) -> Vec<Record> {
        let mut text = String::new();
        for line in &self.lines {
            writeln!(text, "{line}").unwrap();
        }
        let mut records = Vec::new();
        Reader::new().push(text.as_bytes(), &mut records);
        records
    }

    /// What is not as expected.
    fn wrong(&self) -> Vec<String> {
        let records = self.records();
        let (mut digest, mut learner, mut found) =
            (Digest::default(), Learner::default(), Vec::new());
        for event in records.iter().map(Event::from) {
            found.extend(learner.read(&event));
            digest.read(&event);
        }
        let in_hand = digest.in_hand(&learner.ledger);
        let run = digest.run(learner.ledger, "s", None, None);
        let titles: Vec<&str> =
            found.iter().filter(|one| one.is_certain()).map(|one| one.title.as_str()).collect();
        let mut wrong = Vec::new();
        for (mark, expected) in &self.expected {
            let (is, got) = match (mark, expected.as_str()) {
                ('=', text) => (run.outcome.starts_with(text), run.outcome.clone()),
                ('e', count) => {
                    let errors = &run.evidence.errors;
                    (errors.len().to_string() == count, format!("{errors:?}"))
                }
                ('h', "-") => (!in_hand.contains("Last Lean error"), in_hand.clone()),
                ('h', text) => (in_hand.contains(text), in_hand.clone()),
                ('l', "-") => (titles.is_empty(), format!("{titles:?}")),
                ('l', text) => (titles.iter().any(|one| one.contains(text)), format!("{titles:?}")),
                other => panic!("{other:?}"),
            };
            if !is {
                wrong.push(format!("{}: {mark} {expected}\n    but {got}", self.name));
            }
        }
        wrong
    }
}

fn sessions() -> Vec<Session> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/sessions.txt");
    let mut sessions: Vec<Session> = Vec::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        if let Some(name) = line.strip_prefix("== ") {
            sessions.push(Session { name: name.to_owned(), ..Session::default() });
        } else if !line.is_empty() && !line.starts_with("# ") && !line.starts_with("#  ") {
            sessions.last_mut().unwrap().read(line);
        }
    }
    sessions
}

#[test]
fn digests_and_lessons_say_what_happened() {
    let sessions = sessions();
    let digests = sessions.iter().filter(|one| one.expected.iter().any(|(mark, _)| *mark == '='));
    assert!(digests.count() >= 40);
    let wrong: Vec<String> = sessions.iter().flat_map(Session::wrong).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
