//! The client's part: it asks the hooks, does what is not refused, tells them, and writes the transcript.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use super::{Item, arrow};
use crate::env::TestEnv;

/// The session that everything begins in.
pub(crate) const SESSION: &str = "11111111-2222-3333-4444-555555555555";

/// How the client tells the agent that a call was refused.
const REFUSED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if \
    it was a file edit, the new_string was NOT written to the file).";

/// What a hook answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) verdict: &'static str,
    pub(crate) text: String,
}

impl Said {
    fn new(verdict: &'static str, text: impl Into<String>) -> Self {
        Self { verdict, text: text.into() }
    }

    fn of(answer: &str) -> Self {
        let Ok(answer) = serde_json::from_str::<Value>(answer) else {
            return Self::new(if answer.is_empty() { "silent" } else { "note" }, answer);
        };
        let own = &answer["hookSpecificOutput"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let decision = own["permissionDecision"].as_str();
        match decision.or(answer["decision"].as_str()) {
            Some("deny") => Self::new("deny", text(&own["permissionDecisionReason"])),
            Some("ask") => Self::new("ask", text(&own["permissionDecisionReason"])),
            Some("block") => Self::new("block", text(&answer["reason"])),
            Some(_) => Self::new("allow", ""),
            None if own.is_null() => Self::new("tell", text(&answer["systemMessage"])),
            None => {
                let mut told = text(&own["additionalContext"]);
                if let Some(line) = answer["systemMessage"].as_str() {
                    told = format!("{told}\n\n(the person) {line}");
                }
                Self::new("note", told)
            }
        }
    }

    fn is_held(&self) -> bool {
        matches!(self.verdict, "deny" | "ask")
    }
}

/// A session in a Lean project.
pub(crate) struct Player {
    pub(crate) env: TestEnv,
    pub(crate) folder: PathBuf,
    pub(crate) session: String,
    agent: Option<String>,
    mode: String,
    variables: BTreeMap<String, String>,
    uses: AtomicUsize,
    has_begun: bool,
    /// The files as they were at the beginning.
    files: BTreeMap<String, String>,
    /// What was said last.
    last: String,
}

impl Player {
    /// A session in a project of Lean with nothing in it.
    pub(crate) fn new() -> Self {
        let env = TestEnv::new();
        env.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
        Self::at(env)
    }

    /// A session in this place.
    pub(crate) fn at(env: TestEnv) -> Self {
        let player = Self {
            folder: env.project(),
            env,
            session: SESSION.to_owned(),
            agent: None,
            mode: "default".to_owned(),
            variables: BTreeMap::new(),
            uses: AtomicUsize::default(),
            has_begun: false,
            files: BTreeMap::new(),
            last: String::new(),
        };
        fs::create_dir_all(player.transcript().parent().unwrap()).unwrap();
        player
    }

    pub(crate) fn transcript(&self) -> PathBuf {
        self.env.home().join(format!(".claude/projects/p/{}.jsonl", self.session))
    }

    /// Adds a line to the transcript.
    pub(crate) fn line(&self, mut line: Value) {
        let fields = line.as_object_mut().unwrap();
        fields.entry("sessionId").or_insert_with(|| json!(self.session));
        fields.entry("cwd").or_insert_with(|| json!(self.folder));
        let mut file =
            fs::File::options().append(true).create(true).open(self.transcript()).unwrap();
        writeln!(file, "{line}").unwrap();
    }

    /// Somebody's words in the transcript, or other content.
    pub(crate) fn says(&self, role: &str, content: &Value) {
        self.line(json!({"type": role, "message": {"role": role, "content": content}}));
    }

    pub(crate) fn person(&self, words: &str) {
        self.says("user", &json!(words));
    }

    fn path(&self, name: &str) -> PathBuf {
        match name.strip_prefix("~/") {
            Some(name) => self.env.home().join(name),
            None => self.folder.join(name),
        }
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A file of the play.
    pub(super) fn file(&mut self, item: &Item<'_>) {
        self.write(item.of, self.placed(&item.text()));
        if !self.has_begun {
            self.files.insert(item.of.to_owned(), item.text());
        }
    }

    pub(crate) fn variable(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    /// What is not the session's doing.
    pub(super) fn happens(&mut self, item: &Item<'_>) {
        let words = self.placed(&item.words());
        match item.does {
            "git" => self.well("git init -q -b main . && git add . && git commit -q -m first"),
            "sh" => self.well(&words),
            "mk" => assert_eq!(self.mk(&words).verdict, "ok", "{words}"),
            "false" => self.is_false(&words),
            "sql" => self.database().execute_batch(&words).unwrap(),
            "says" => self.says("assistant", &json!([{"type": "text", "text": words}])),
            "line" => self.line(serde_json::from_str(&words).expect(&words)),
            "refused" => {
                let (tool, behind) = item.named();
                let (input, reason) = item.halves(behind);
                self.refused(tool, &self.json(&input), &reason);
            }
            "session" => self.session = words,
            "agent" => self.agent = Some(words),
            "mode" => self.mode = words,
            "in" => self.folder = fs::canonicalize(self.path(&words)).unwrap(),
            "late" => self.has_begun = true,
            "env" => {
                let (name, value) = words.split_once(' ').unwrap_or((&words, ""));
                let value = value.replace("$HOME", &self.env.home().to_string_lossy());
                self.variable(name, &value);
            }
            "back" => {
                for (name, text) in &self.files {
                    self.write(name, text);
                }
            }
            _ => drop(self.step(item)),
        }
    }

    #[track_caller]
    fn well(&self, command: &str) {
        let (well, printed) = self.sh(command);
        assert!(well, "{command}: {printed}");
    }

    fn is_false(&self, statement: &str) {
        let name = statement.split(' ').nth(1).unwrap();
        let words = ["--title", name, "--theorem-name", name, "--statement", statement];
        let more = ["--counterexample", "at 0", "--why-failed", "it fails at 0"];
        let words = ["add", "false-lemma"].iter().chain(&words).chain(&more);
        self.env.mk(&words.collect::<Vec<_>>()).success();
    }

    fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.env.database()).unwrap()
    }

    /// What `mk` prints.
    fn mk(&self, words: &str) -> Said {
        let output = self.env.mk(&crate::net::words(words));
        Said::new(if output.code == 0 { "ok" } else { "failed" }, output.stdout + &output.stderr)
    }

    /// The rows of a question, a line each.
    fn sql(&self, statement: &str) -> Said {
        let database = self.database();
        let mut statement = database.prepare(statement).unwrap();
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            let texts = (0..columns).map(|at| match row.get_unwrap(at) {
                rusqlite::types::Value::Null => "-".to_owned(),
                rusqlite::types::Value::Integer(number) => number.to_string(),
                rusqlite::types::Value::Text(text) => text,
                other => format!("{other:?}"),
            });
            Ok(texts.collect::<Vec<_>>().join(" | "))
        };
        let rows: Vec<String> = statement.query_map([], row).unwrap().map(Result::unwrap).collect();
        Said::new("ok", rows.join("\n"))
    }

    /// A command of the shell: whether it went well, and what it printed.
    fn sh(&self, command: &str) -> (bool, String) {
        let output = Command::new("/bin/bash")
            .args(["-c", command])
            .env_clear()
            .env("HOME", self.env.home())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "p")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "p@example.org")))
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout) + &text(&output.stderr))
    }

    fn use_id(&self) -> String {
        format!("toolu_{}_{}", self.session, self.uses.load(Ordering::Relaxed))
    }

    /// Sends an event to the hook, with what every event has.
    pub(crate) fn hook(&self, name: &str, mut event: Value) -> Said {
        let fields = event.as_object_mut().unwrap();
        for (field, value) in [
            ("hook_event_name", json!(name)),
            ("session_id", json!(self.session)),
            ("cwd", json!(self.folder)),
            ("transcript_path", json!(self.transcript())),
            ("permission_mode", json!(self.mode)),
            ("tool_use_id", json!(self.use_id())),
        ] {
            fields.entry(field).or_insert(value);
        }
        if let Some(agent) = &self.agent {
            event["agent_id"] = json!(agent);
        }
        let mut command = self.env.command();
        command.current_dir(&self.folder).envs(&self.variables).arg("hook");
        command.write_stdin(event.to_string());
        Said::of(&self.env.finish(&mut command).success())
    }

    /// The session starts; what it does in the background ends, but for learning where it is not `whole`.
    fn start(&mut self, source: &str, whole: bool) -> Said {
        self.has_begun = true;
        let said = self.hook("SessionStart", json!({"source": source}));
        let kept = format!(".local/state/math-forge/sessions/{}/start.json", self.session);
        let kept = self.env.home().join(kept);
        self.env.settle_until(|| {
            let start = fs::read(&kept).unwrap_or_default();
            let start: Value = serde_json::from_slice(&start).unwrap_or_default();
            !whole && start["done"] == true
        });
        said
    }

    /// What came of a step.
    pub(crate) fn step(&mut self, item: &Item<'_>) -> Said {
        self.next_use();
        if !self.has_begun && !matches!(item.does, "start" | "mk" | "sql" | "sh") {
            self.start("startup", false);
        }
        let said = self.stepped(item);
        if !said.text.is_empty() && !matches!(item.does, "mk" | "sql" | "sh") {
            self.last.clone_from(&said.text);
        }
        said
    }

    fn stepped(&mut self, item: &Item<'_>) -> Said {
        match item.does {
            "edit" | "write" => self.edit(item),
            "bash" => self.bash(&item.words(), None, item.verdict),
            "fails" | "passes" => {
                let (command, printed) = item.halves(item.of);
                let printed = (item.does == "passes", unfolded(&printed));
                self.bash(&command, Some(printed), item.verdict)
            }
            "mcp" => {
                let (tool, behind) = item.named();
                let (input, command) = item.halves(behind);
                self.uses(tool, &self.json(&input), item.verdict, |player| {
                    let (well, printed) = player.sh(&command);
                    (well, json!([{"type": "text", "text": printed}]))
                })
            }
            "tool" => {
                let (tool, behind) = item.named();
                let (input, answer) = item.halves(behind);
                let answer = self.placed(&answer);
                let blocks = serde_json::from_str(&answer).ok();
                let blocks = blocks.filter(|one: &Value| one.is_array() || one.is_string());
                let answer = blocks.unwrap_or(json!(answer));
                self.uses(tool, &self.json(&input), item.verdict, |_| (true, answer))
            }
            "before" => {
                let (tool, behind) = item.named();
                let input = self.json(&item.halves(behind).0);
                self.hook("PreToolUse", json!({"tool_name": tool, "tool_input": input}))
            }
            "event" => {
                let (name, behind) = item.named();
                let said = self.hook(name, self.json(&item.halves(behind).0));
                if name.starts_with("Session") {
                    self.env.settle();
                }
                said
            }
            "prompt" => {
                let prompt = item.words();
                let said = self.hook("UserPromptSubmit", json!({"prompt": prompt}));
                self.person(&prompt);
                said
            }
            "start" => self.start(item.of, true),
            "stop" => self.hook("Stop", json!({"stop_hook_active": item.of == "again"})),
            "compact" => self.hook("PreCompact", json!({"trigger": "auto"})),
            "end" => {
                let said = self.hook("SessionEnd", json!({"reason": "other"}));
                self.env.settle();
                said
            }
            "repair" => self.repair(),
            "leave" => self.leave(),
            "advised" => self.advised(&item.words()),
            "mk" => self.mk(&self.placed(&item.words())),
            "sql" => self.sql(&self.placed(&item.words())),
            "sh" => {
                let (well, printed) = self.sh(&item.words());
                let printed = printed.replace(&*self.env.project().to_string_lossy(), "$PROJECT");
                Said::new(if well { "ok" } else { "failed" }, printed)
            }
            other => panic!("unknown step {other}"),
        }
    }

    /// `$P` in texts is the project's folder.
    fn placed(&self, text: &str) -> String {
        text.replace("$P", &self.env.project().to_string_lossy())
    }

    fn json(&self, text: &str) -> Value {
        let text = if text.is_empty() { "{}" } else { text };
        serde_json::from_str(&self.placed(text)).unwrap_or_else(|why| panic!("{why}: {text}"))
    }

    fn edit(&self, item: &Item<'_>) -> Said {
        let part = |sign: &str| {
            let lines = item.lines.iter().filter_map(|line| line.strip_prefix(sign));
            let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
            lines.collect::<Vec<_>>().join("\n")
        };
        let (name, change) = item.of.split_once(": ").unwrap_or((item.of, ""));
        let path = self.path(name);
        if item.does == "write" {
            let input = json!({"file_path": path, "content": item.text()});
            return self.makes("Write", &input, item.verdict == "yes");
        }
        let (old, new) = match arrow(change) {
            Some((old, new)) => (unfolded(old), unfolded(new)),
            None => (part("-"), part("+")),
        };
        let input = json!({"file_path": path, "old_string": old, "new_string": new});
        self.makes("Edit", &input, item.verdict == "yes")
    }

    /// Asks, writes unless it is refused, and tells; `agrees` is the person's answer to a question.
    pub(crate) fn makes(&self, tool: &str, input: &Value, agrees: bool) -> Said {
        let event = || json!({"tool_name": tool, "tool_input": input});
        let asked = self.hook("PreToolUse", event());
        if asked.verdict == "deny" || asked.verdict == "ask" && !agrees {
            return asked;
        }
        let path = Path::new(input["file_path"].as_str().unwrap());
        let before = fs::read(path).unwrap_or_default();
        let after = made_of(&before, tool, input);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &after).unwrap();
        let mut done = event();
        done["tool_response"] = response(&before, &after);
        let said = self.hook("PostToolUse", done.clone());
        self.called(tool, input, &done["tool_response"], ("The file was updated.", false));
        match (asked.verdict, said.verdict) {
            ("ask", "block") => said,
            ("ask", _) => Said { verdict: "yes", ..asked },
            _ => said,
        }
    }

    /// A call in the transcript.
    pub(crate) fn calls(&self, tool: &str, input: &Value) {
        let call = json!({"type": "tool_use", "id": self.use_id(), "name": tool, "input": input});
        self.says("assistant", &json!([call]));
    }

    /// A call and what came of it in the transcript; `is_error` where it failed.
    pub(crate) fn called(
        &self,
        tool: &str,
        input: &Value,
        outcome: &Value,
        (text, is_error): (&str, bool),
    ) {
        self.calls(tool, input);
        let result = json!({"type": "tool_result", "tool_use_id": self.use_id(), "content": text,
            "is_error": is_error});
        self.line(json!({"type": "user", "toolUseResult": outcome,
            "message": {"role": "user", "content": [result]}}));
        self.next_use();
    }

    fn next_use(&self) {
        self.uses.fetch_add(1, Ordering::Relaxed);
    }

    /// A call that the person refused, with a reason or none.
    fn refused(&self, tool: &str, input: &Value, reason: &str) {
        let told = match reason {
            "" => "STOP what you are doing".to_owned(),
            _ => format!("To tell you how to proceed, the user said:\n{reason}"),
        };
        let text = format!("{REFUSED} {told}");
        self.called(tool, input, &json!("User rejected tool use"), (&text, true));
    }

    fn bash(&self, command: &str, printed: Option<(bool, String)>, verdict: &str) -> Said {
        let input = json!({"command": command, "description": "x"});
        self.uses("Bash", &input, verdict, |player| {
            let (well, printed) = printed.unwrap_or_else(|| player.sh(command));
            (well, json!({"stdout": printed, "stderr": "", "interrupted": false}))
        })
    }

    /// Asks, runs unless it is refused, and tells.
    fn uses(
        &self,
        tool: &str,
        input: &Value,
        verdict: &str,
        run: impl FnOnce(&Self) -> (bool, Value),
    ) -> Said {
        let event = || json!({"tool_name": tool, "tool_input": input});
        let asked = self.hook("PreToolUse", event());
        if asked.is_held() && (asked.verdict, verdict) != ("ask", "yes") {
            return asked;
        }
        let begun = Instant::now();
        let (well, answer) = run(self);
        let printed = answer["stdout"].as_str().or(answer[0]["text"].as_str()).or(answer.as_str());
        let printed = printed.map_or_else(|| answer.to_string(), str::to_owned);
        let mut done = event();
        done["duration_ms"] = json!(u64::try_from(begun.elapsed().as_millis()).unwrap());
        let error =
            if tool == "Bash" { format!("Exit code 1\n{printed}") } else { printed.clone() };
        let said = if well {
            done["tool_response"] = answer.clone();
            self.hook("PostToolUse", done)
        } else {
            done["error"] = json!(error);
            done["is_interrupt"] = json!(false);
            self.hook("PostToolUseFailure", done)
        };
        self.called(tool, input, &answer, (if well { &printed } else { &error }, !well));
        match (asked.verdict, said.verdict) {
            ("ask", "silent") => Said { verdict: "yes", ..asked },
            ("ask", "note") => Said { verdict: "yes", ..said },
            ("note", "silent") => asked,
            _ => said,
        }
    }

    /// Runs the first command that was offered last to bring a file back.
    fn repair(&self) -> Said {
        let lines = self.last.lines().filter_map(|line| line.strip_prefix("    "));
        let mut commands = lines.filter(|line| line.starts_with("git ") || line.starts_with("cp "));
        let Some(command) = commands.next() else {
            return Said::new("nothing", "no command was offered");
        };
        let home = self.env.home();
        let command = command.replace("$HOME", &home.to_string_lossy());
        let command = command.replace("$PROJECT", &self.env.project().to_string_lossy());
        let said = self.bash(&command, None, "");
        let words = crate::net::words(&command);
        let file = Path::new(words.last().unwrap());
        let name = file.file_name().unwrap().to_string_lossy();
        let now = fs::read_to_string(self.folder.join(file)).unwrap_or_default();
        if Some(&now) == self.files.get(&*name) { said } else { Said::new("otherwise", now) }
    }

    /// The first command in what was said last that begins so.
    fn offered(&self, begin: &str) -> &str {
        self.last.split('`').find(|part| part.starts_with(begin)).expect(&self.last)
    }

    /// Runs it.
    fn advised(&self, begin: &str) -> Said {
        self.mk(self.offered(begin).strip_prefix("mk ").unwrap())
    }

    /// Asks for the leave that was offered last; the person grants it.
    fn leave(&self) -> Said {
        let command = self.offered("mk allow").replace("\"...\"", "\"it is stated wrongly\"");
        self.bash(&command, Some((true, String::new())), "yes")
    }
}

/// A text in one line as it is meant.
fn unfolded(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\e", "\u{1b}")
}

/// A text as the client shows it to hooks.
fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n")
}

/// What the client writes; it matches quotes of another style, and keeps their style.
fn made_of(bytes: &[u8], tool: &str, input: &Value) -> Vec<u8> {
    if tool == "Write" {
        return input["content"].as_str().unwrap().as_bytes().to_vec();
    }
    let mut text = shown(bytes);
    let one = [input.clone()];
    for edit in input["edits"].as_array().map_or(&one[..], Vec::as_slice) {
        let [old, new] = ["old_string", "new_string"].map(|name| edit[name].as_str().unwrap());
        let curly = |text: &str| text.replace(" \"", " “").replace('"', "”");
        let (old, new) = if text.contains(old) {
            (old.to_owned(), new.to_owned())
        } else {
            (curly(old), curly(new))
        };
        assert!(text.contains(&old), "there is no {old:?} in\n{text}");
        let times = if edit["replace_all"] == true { usize::MAX } else { 1 };
        text = if old.is_empty() { new } else { text.replacen(&old, &new, times) };
    }
    let crlf = bytes.windows(2).any(|pair| pair == b"\r\n");
    if crlf { text.replace('\n', "\r\n") } else { text }.into_bytes()
}

/// What the client says of a file that it wrote.
fn response(old: &[u8], new: &[u8]) -> Value {
    if old.is_empty() {
        return json!({"type": "create", "originalFile": null, "structuredPatch": []});
    }
    let (old, new) = (shown(old), shown(new));
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (lines(&old), lines(&new));
    let alike = |pair: &(&String, &String)| pair.0 == pair.1;
    let begin = before.iter().zip(&after).take_while(alike).count();
    let (gone, come) = (&before[begin..], &after[begin..]);
    let end = gone.iter().rev().zip(come.iter().rev()).take_while(alike).count();
    let (gone, come) = (&gone[..gone.len() - end], &come[..come.len() - end]);
    let marked = |lines: &[String], sign: &str| -> Vec<String> {
        lines.iter().map(|line| format!("{sign}{line}")).collect()
    };
    let lines = [marked(gone, "-"), marked(come, "+")].concat();
    let patch = json!([{"oldStart": begin + 1, "oldLines": gone.len(), "newStart": begin + 1,
        "newLines": come.len(), "lines": lines}]);
    json!({"type": "update", "originalFile": old, "structuredPatch": patch})
}
