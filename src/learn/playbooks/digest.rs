//! A session in a few lines, taken down while its transcript is read, so that it can be learnt from
//! when the transcript is gone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::learn::events::{Act, Event, is_lean};
use crate::learn::lessons::Ledger;
use crate::learn::technique;
use crate::learn::transcript::{Body, Speaker};
use crate::model::{Run, RunEvidence, RunSource, Spared};
use crate::text::{clean, clip};

const MOST: usize = 12;

const IN_HAND: usize = 4;

const WIDTH: usize = 200;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Digest {
    pub root: String,
    pub asked: Option<String>,
    said: Option<String>,
    prompts: u64,
    calls: u64,
    pub files: Vec<String>,
    tactics: BTreeMap<String, usize>,
    fixes: Vec<Spared>,
    last: Option<String>,
}

impl Digest {
    pub fn read(&mut self, event: &Event<'_>) {
        let record = event.record;
        let is_main = record.subagent.is_none();
        if let Some(at) = record.at.as_deref() {
            self.last = Some(at.to_owned());
        }
        match &record.body {
            Body::Said(words) if is_main && record.speaker == Speaker::Person => {
                self.prompts += 1;
                self.asked.get_or_insert_with(|| clip(&clean(words), 2 * WIDTH));
            }
            Body::Said(words) if is_main && record.speaker == Speaker::Agent => {
                self.said = Some(clip(&clean(words), WIDTH));
            }
            Body::Called(_) => self.calls += 1,
            Body::Returned(result) if !result.is_error => {
                event.act.iter().filter(|act| act.is_edit()).for_each(|act| self.wrote(act));
            }
            _ => {}
        }
    }

    pub fn fixed(&mut self, lesson: String, text: &str) {
        let fix = Spared { lesson, text: clip(&clean(text), WIDTH) };
        if self.fixes.len() < MOST && !self.fixes.iter().any(|known| known.lesson == fix.lesson) {
            self.fixes.push(fix);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.prompts == 0 && self.calls == 0 && self.fixes.is_empty() && self.files.is_empty()
    }

    fn wrote(&mut self, act: &Act) {
        let Some(path) = act.call.targets.first() else { return };
        self.files.retain(|other| other != path);
        self.files.push(path.clone());
        if self.files.len() > MOST {
            self.files.remove(0);
        }
        let is_part = |c: char| c.is_alphanumeric() || "_'!".contains(c);
        let changes = act.changes.iter().filter(|_| is_lean(path));
        let words = changes.flat_map(|change| change.new.split(|c: char| !is_part(c)));
        for word in words.filter(|word| technique::is_tactic(word)) {
            *self.tactics.entry(word.to_owned()).or_default() += 1;
        }
    }

    /// What was being worked on, for the model after a compaction: the last Lean files that were written, and
    /// the last error of the last build. Empty where nothing was in hand.
    pub fn in_hand(&self, ledger: &Ledger) -> String {
        let files = self.files.iter().rev().filter(|path| is_lean(path)).take(IN_HAND);
        let files: Vec<String> =
            files.map(|path| format!("`{}`", clean(&self.shown(path)))).collect();
        let files = files.join(", ");
        let files = (!files.is_empty()).then(|| format!("In hand before the compaction: {files}."));
        let open = ledger.last_error();
        let open = open.map(|open| format!("Last Lean error, not known to be solved: {open}"));
        files.into_iter().chain(open).collect::<Vec<_>>().join("\n")
    }

    fn shown(&self, path: &str) -> String {
        path.strip_prefix(self.root.as_str()).unwrap_or(path).trim_start_matches('/').to_owned()
    }

    pub fn run(
        self,
        ledger: Ledger,
        session: &str,
        project: Option<&str>,
        problem: Option<&str>,
    ) -> Run {
        let said = self.said.as_ref().map(|said| format!("The agent's last words: {said}"));
        let outcome: Vec<String> = [ledger.ending()].into_iter().chain(said).collect();
        let files: Vec<String> = self.files.iter().map(|path| self.shown(path)).collect();
        let lean = files.iter().rev().find(|path| is_lean(path));
        let task = problem.or(lean.map(String::as_str)).unwrap_or("session").to_owned();
        let technique = technique::of_tactics(&self.tactics).map(str::to_owned);
        let tactics = technique::listed(&self.tactics);
        let tactics = (!tactics.is_empty())
            .then(|| format!("tactics {}", tactics[..tactics.len().min(8)].join(", ")));
        Run {
            source: RunSource::Session,
            workflow_id: session.to_owned(),
            task_id: task,
            project: project.map(str::to_owned),
            session: Some(session.to_owned()),
            description: self.asked.unwrap_or_else(|| "A session without a prompt.".to_owned()),
            outcome: outcome.join(" "),
            evidence: RunEvidence {
                tried: technique.into_iter().chain(tactics).collect(),
                errors: ledger.met.into_values().collect(),
                fixes: self.fixes,
                files,
                ..RunEvidence::default()
            },
            completed_at: self.last,
            ..Run::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::transcript::Reader;

    fn digest(lines: &[serde_json::Value]) -> (Digest, Ledger) {
        let mut reader = Reader::default();
        let mut records = Vec::new();
        for line in lines {
            reader.push(format!("{line}\n").as_bytes(), &mut records);
        }
        let (mut digest, mut ledger) = (Digest::default(), Ledger::default());
        for event in records.iter().map(Event::from) {
            digest.read(&event);
            event.act.iter().for_each(|act| drop(ledger.read(act)));
        }
        (digest, ledger)
    }

    fn line(kind: &str, content: &serde_json::Value) -> serde_json::Value {
        serde_json::json!({
            "type": kind, "sessionId": "s-1", "timestamp": "2026-01-02T03:04:05.000Z",
            "uuid": "u", "message": { "role": kind, "content": content },
        })
    }

    fn call(id: &str, name: &str, input: &serde_json::Value) -> serde_json::Value {
        line(
            "assistant",
            &serde_json::json!([{ "type": "tool_use", "id": id, "name": name, "input": input }]),
        )
    }

    fn result(id: &str, text: &str) -> serde_json::Value {
        line(
            "user",
            &serde_json::json!([{ "type": "tool_result", "tool_use_id": id, "content": text }]),
        )
    }

    #[test]
    fn a_check_that_says_nothing_is_a_check_without_an_error() {
        let check = |command: &str| serde_json::json!({ "command": command });
        let failed = "Exit code 1\nA.lean:2:3: error: unknown identifier 'n'";
        for (command, printed, expected) in [
            ("lake env lean A.lean", "", "The last build had no error."),
            (
                "cd /p && lake env lean A.lean",
                "(Bash completed with no output)",
                "The last build had no error.",
            ),
            ("lake env lean B.lean", "", "Not known to be solved: A.lean:2: "),
            (
                "lake env lean ./A.lean",
                "A.lean:1:0: warning: unused",
                "The last build had no error.",
            ),
            ("lake build", "Build completed successfully.", "The last build had no error."),
            ("lake build 2>&1 | grep error", "", "The last build had no error."),
            ("lake build 2>&1 | grep sorry", "", "Not known to be solved: A.lean:2: "),
            ("timeout 9 lake build | grep error", "", "Not known to be solved: A.lean:2: "),
            ("lake build > log.txt", "", "Not known to be solved: A.lean:2: "),
            ("ls", "", "The last build still failed: "),
            ("cat log", failed, "The last build still failed: "),
        ] {
            let mut failure = result("1", failed);
            failure["message"]["content"][0]["is_error"] = true.into();
            let (_, ledger) = digest(&[
                call("1", "Bash", &check("lake env lean A.lean")),
                failure,
                call("2", "Bash", &check(command)),
                result("2", printed),
            ]);
            let ending = ledger.ending();
            assert!(ending.starts_with(expected), "{command}: {ending}");
        }
    }

    #[test]
    fn a_session_becomes_a_run() {
        let content = "theorem a : 1 = 1 := by\n  induction n <;> omega\n";
        let lean = serde_json::json!({ "file_path": "/p/A.lean", "content": content });
        let build = serde_json::json!({ "command": "lake build" });
        let mut lines = vec![
            line("user", &serde_json::json!("Prove a, please")),
            call("1", "Write", &lean),
            result("1", "File created successfully"),
            call("2", "Bash", &build),
            result("2", "error: A.lean:2:3: unknown identifier 'n'\nerror: build failed"),
        ];
        let (mut failed, failing) = digest(&lines);
        failed.root = "/p".to_owned();
        lines.extend([
            call("3", "Bash", &build),
            result("3", "Build completed successfully (3 jobs)."),
            line(
                "assistant",
                &serde_json::json!([{ "type": "text", "text": "Done: a is proved." }]),
            ),
        ]);
        let (mut done, passing) = digest(&lines);
        done.root = "/p".to_owned();
        done.fixed("u1".to_owned(), "intro n first");
        done.fixed("u1".to_owned(), "intro n first");
        let run = failed.run(failing, "s-1", None, None);
        assert!(run.outcome.starts_with("The last build still failed: "), "{}", run.outcome);
        let kept: Digest = serde_json::from_str(&serde_json::to_string(&done).unwrap()).unwrap();
        assert_eq!(kept, done);
        let run = done.run(passing, "s-1", None, None);
        assert_eq!(run.description, "Prove a, please");
        assert_eq!(
            run.outcome,
            "The last build had no error. The agent's last words: Done: a is proved."
        );
        assert_eq!(
            (run.task_id.as_str(), run.evidence.files.as_slice()),
            ("A.lean", &["A.lean".to_owned()][..])
        );
        assert_eq!(run.evidence.tried, ["induction", "tactics induction, omega"]);
        assert_eq!(run.evidence.errors.len(), 1, "{:?}", run.evidence.errors);
        assert_eq!(run.evidence.fixes.len(), 1);
        assert_eq!(run.completed_at.as_deref(), Some("2026-01-02T03:04:05.000Z"));
    }

    #[test]
    fn a_session_in_which_nothing_happened_is_none() {
        assert!(digest(&[]).0.is_empty());
        assert!(!digest(&[line("user", &serde_json::json!("hello"))]).0.is_empty());
    }
}
