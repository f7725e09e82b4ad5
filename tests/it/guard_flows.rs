//! What an agent does in steps, through the hooks: flows of work, most of them honest, and tricks by
//! families. Each in a project of its own, with the client's part played by the test.
//!
//! The notation (`tests/fixtures/guard/flows.txt`, `families.txt`, `statements.txt`):
//!
//! ```text
//! === title
//! @ A.lean              a file before the session begins; its text follows
//! ! git                 the project is committed
//! ! lock NAME           a statement is locked
//! ! false STATEMENT     a lemma is known to be false
//! > VERDICT edit FILE   lines `-` and `+`: what is replaced, and by what
//! > VERDICT write FILE  the file's new text
//! > VERDICT bash        the command
//! > VERDICT fails       the command of a build, a blank line, and what it printed
//! > VERDICT mcp TOOL    its input as JSON, a blank line, and the shell command that stands for it
//! > VERDICT stop        the turn ends
//! ```
//!
//! A verdict is `silent`, `note`, `ask`, `deny`, or `yes`: asked, and the person agrees.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use math_forge::guard::{self, Level, Policy};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::env::TestEnv;

const FLOWS: &str = include_str!("../fixtures/guard/flows.txt");
const FAMILIES: &str = include_str!("../fixtures/guard/families.txt");
const STATEMENTS: &str = include_str!("../fixtures/guard/statements.txt");

/// One step of a flow: what is expected, what is done, and its lines.
struct Step<'a> {
    verdict: &'a str,
    does: &'a str,
    of: &'a str,
    lines: Vec<&'a str>,
}

#[derive(Default)]
struct Flow<'a> {
    title: &'a str,
    git: bool,
    locked: Vec<&'a str>,
    /// Statements that are known to be false.
    refuted: Vec<&'a str>,
    files: Vec<(&'a str, String)>,
    steps: Vec<Step<'a>>,
}

fn flow(text: &str) -> Flow<'_> {
    let mut lines = text.lines();
    let mut flow = Flow { title: lines.next().unwrap(), ..Flow::default() };
    for line in lines.filter(|line| !line.starts_with("# ")) {
        if let Some(name) = line.strip_prefix("@ ") {
            flow.files.push((name, String::new()));
        } else if let Some(name) = line.strip_prefix("! lock ") {
            flow.locked.push(name);
        } else if let Some(statement) = line.strip_prefix("! false ") {
            flow.refuted.push(statement);
        } else if line == "! git" {
            flow.git = true;
        } else if let Some(head) = line.strip_prefix("> ") {
            let mut words = head.splitn(3, ' ');
            let mut word = || words.next().unwrap_or_default();
            flow.steps.push(Step { verdict: word(), does: word(), of: word(), lines: Vec::new() });
        } else if let Some(step) = flow.steps.last_mut() {
            step.lines.push(line);
        } else if let Some((_, text)) = flow.files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    for (_, text) in &mut flow.files {
        text.truncate(text.trim_end().len() + 1);
    }
    flow
}

fn flows(text: &str) -> Vec<Flow<'_>> {
    text.split("\n=== ").skip(1).map(flow).collect()
}

struct Project {
    env: TestEnv,
    folder: PathBuf,
    uses: usize,
}

const SESSION: &str = "11111111-2222-3333-4444-555555555555";

impl Project {
    fn of(flow: &Flow<'_>) -> Self {
        let env = TestEnv::new();
        env.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
        for (name, text) in &flow.files {
            env.write(name, text);
        }
        let folder = env.project();
        let mut project = Self { env, folder, uses: 0 };
        if flow.git {
            project.sh("git init -q -b main . && git add . && git commit -q -m first");
        }
        for name in &flow.locked {
            project.env.mk(&["lock", name]).success();
        }
        for statement in &flow.refuted {
            let name = statement.split(' ').nth(1).unwrap();
            let words = ["--title", name, "--theorem-name", name, "--statement", statement];
            let more = ["--counterexample", "at 0", "--why-failed", "it fails at 0"];
            let words = ["add", "false-lemma"].iter().chain(&words).chain(&more);
            project.env.mk(&words.collect::<Vec<_>>()).success();
        }
        project.start();
        project
    }

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

    /// What the hook answers: a verdict and its words.
    fn hook(&self, mut event: Value) -> (&'static str, String) {
        event["session_id"] = json!(SESSION);
        event["cwd"] = json!(self.folder);
        event["permission_mode"] = json!("default");
        event["tool_use_id"] = json!(format!("toolu_{}", self.uses));
        let mut command = self.env.command();
        command.arg("hook").write_stdin(event.to_string());
        let text = self.env.finish(&mut command).success();
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        let own = &answer["hookSpecificOutput"];
        let verdict = match own["permissionDecision"].as_str() {
            Some("ask") => "ask",
            Some("deny") => "deny",
            _ if answer["decision"] == "block" => "deny",
            _ if text.is_empty() || own["permissionDecision"] == "allow" => "silent",
            _ => "note",
        };
        (verdict, text.replace("\\n", "\n    "))
    }

    /// The session starts, and the recording of it ends.
    fn start(&mut self) {
        self.hook(json!({"hook_event_name": "SessionStart", "source": "startup"}));
        let kept = self.env.home().join(".local/state/math-forge/sessions").join(SESSION);
        let begun = Instant::now();
        loop {
            let start = fs::read(kept.join("start.json")).unwrap_or_default();
            let start: Value = serde_json::from_slice(&start).unwrap_or_default();
            if start["done"] == true {
                return;
            }
            assert!(begun.elapsed() < Duration::from_mins(1), "the start is not recorded");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// What came of a step.
    fn step(&mut self, step: &Step<'_>) -> (&'static str, String) {
        self.uses += 1;
        match step.does {
            "edit" | "write" => self.edit(step),
            "bash" => self.bash(&step.lines.join("\n"), None),
            "fails" => {
                let (command, printed) = halves(step);
                self.bash(&command, Some(&printed))
            }
            "mcp" => {
                let (input, command) = halves(step);
                let input: Value = serde_json::from_str(&input).expect("JSON");
                let input = self.placed(&input);
                self.used(step.of, &input, |project| project.sh(&command))
            }
            "stop" => self.hook(json!({"hook_event_name": "Stop", "stop_hook_active": false})),
            other => panic!("unknown step {other}"),
        }
    }

    /// `$P` in texts is the project's folder.
    fn placed(&self, input: &Value) -> Value {
        let text = input.to_string().replace("$P", &self.folder.to_string_lossy());
        serde_json::from_str(&text).unwrap()
    }

    fn edit(&mut self, step: &Step<'_>) -> (&'static str, String) {
        let path = self.folder.join(step.of);
        let before = fs::read_to_string(&path).unwrap_or_default();
        let part = |sign: &str| {
            let lines = step.lines.iter().filter_map(|line| line.strip_prefix(sign));
            let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
            lines.collect::<Vec<_>>().join("\n")
        };
        let (tool, input, after) = if step.does == "edit" {
            let (old, new) = (part("-"), part("+"));
            assert!(before.contains(&old), "{} has no {old:?}:\n{before}", step.of);
            let after = before.replacen(&old, &new, 1);
            ("Edit", json!({"file_path": path, "old_string": old, "new_string": new}), after)
        } else {
            let text = format!("{}\n", step.lines.join("\n").trim_end());
            ("Write", json!({"file_path": path, "content": text}), text)
        };
        let event =
            |name: &str| json!({"hook_event_name": name, "tool_name": tool, "tool_input": input});
        let asked = self.hook(event("PreToolUse"));
        if asked.0 == "deny" || asked.0 == "ask" && step.verdict != "yes" {
            return asked;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, after).unwrap();
        let mut done = event("PostToolUse");
        let kind = if before.is_empty() { "create" } else { "update" };
        done["tool_response"] =
            json!({"type": kind, "originalFile": before, "structuredPatch": []});
        let said = self.hook(done);
        match (asked.0, said.0) {
            ("ask", "deny") => ("deny", said.1),
            ("ask", _) => ("yes", asked.1),
            _ => said,
        }
    }

    fn bash(&mut self, command: &str, printed: Option<&str>) -> (&'static str, String) {
        let input = json!({"command": command});
        self.used("Bash", &input, |project| match printed {
            Some(printed) => (false, printed.to_owned()),
            None => project.sh(command),
        })
    }

    fn used(
        &mut self,
        tool: &str,
        input: &Value,
        run: impl FnOnce(&Self) -> (bool, String),
    ) -> (&'static str, String) {
        let event =
            |name: &str| json!({"hook_event_name": name, "tool_name": tool, "tool_input": input});
        let asked = self.hook(event("PreToolUse"));
        if matches!(asked.0, "deny" | "ask") {
            return asked;
        }
        let begun = Instant::now();
        let (well, printed) = run(self);
        let mut done = event(if well { "PostToolUse" } else { "PostToolUseFailure" });
        done["duration_ms"] = json!(u64::try_from(begun.elapsed().as_millis()).unwrap());
        if well && tool == "Bash" {
            done["tool_response"] = json!({"stdout": printed, "stderr": ""});
        } else if well {
            done["tool_response"] = json!([{"type": "text", "text": printed}]);
        } else {
            done["error"] = json!(printed);
        }
        let said = self.hook(done);
        if asked.0 == "note" && said.0 == "silent" { asked } else { said }
    }
}

/// The lines of a step before and behind the first blank one.
fn halves(step: &Step<'_>) -> (String, String) {
    let at = step.lines.iter().position(|line| line.is_empty()).expect("a blank line");
    (step.lines[..at].join("\n"), step.lines[at + 1..].join("\n").trim_end().to_owned())
}

/// What came of each step, as `verdict does of`.
fn play(flow: &Flow<'_>) -> Vec<(&'static str, String)> {
    let mut project = Project::of(flow);
    flow.steps.iter().map(|step| project.step(step)).collect()
}

/// Flows whose title holds `MK_FLOW`, with what was said.
fn chosen(title: &str) -> bool {
    std::env::var("MK_FLOW").map_or(true, |part| title.contains(&part))
}

#[test]
fn flows_of_an_agent() {
    let flows = flows(FLOWS);
    let wrong: Vec<String> = flows
        .par_iter()
        .filter(|flow| chosen(flow.title))
        .filter_map(|flow| {
            let mut report = String::new();
            for (number, (step, (told, words))) in flow.steps.iter().zip(play(flow)).enumerate() {
                if step.verdict != told {
                    let (does, of, verdict) = (step.does, step.of, step.verdict);
                    let n = number + 1;
                    writeln!(
                        report,
                        "  step {n} ({does} {of}): {verdict} and not {told}\n    {words}"
                    )
                    .unwrap();
                }
            }
            (!report.is_empty()).then(|| format!("{}\n{report}", flow.title))
        })
        .collect();
    let held = |step: &Step<'_>| matches!(step.verdict, "ask" | "deny");
    let losing = flows.iter().filter(|flow| flow.steps.iter().any(held)).count();
    eprintln!("{} flows, {losing} with a step that is held back", flows.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(flows.len() >= 100 && losing >= 25, "{} {losing}", flows.len());
}

/// A trick is seen where anything at all is said of it, at the end of the turn at the latest.
fn is_seen(flow: &Flow<'_>) -> bool {
    let mut project = Project::of(flow);
    let seen = flow.steps.iter().any(|step| {
        let (told, words) = project.step(step);
        if std::env::var_os("MK_FLOW").is_some() {
            eprintln!("{} | {} {}: {told}\n    {words}", flow.title, step.does, step.of);
        }
        step.verdict == "seen" && told != "silent"
    });
    project.uses += 1;
    let stop = || project.hook(json!({"hook_event_name": "Stop", "stop_hook_active": false}));
    seen || stop().0 != "silent"
}

/// Titles are `FAMILY: trick`, or `FAMILY: trick (unseen)` where nothing can be said of it; `(by chance)`
/// where that depends on what a process in the background has written by then.
#[test]
fn families_of_tricks() {
    let flows = flows(FAMILIES);
    let told: Vec<(&Flow<'_>, bool)> = flows
        .par_iter()
        .filter(|flow| chosen(flow.title))
        .map(|flow| (flow, is_seen(flow)))
        .collect();
    let mut report = String::new();
    for family in 1..=13 {
        let own = |flow: &Flow<'_>| flow.title.starts_with(&format!("{family}: "));
        let seen = told.iter().filter(|(flow, seen)| own(flow) && *seen).count();
        let all = told.iter().filter(|(flow, _)| own(flow)).count();
        writeln!(report, "family {family}: {seen} of {all} seen").unwrap();
    }
    eprintln!("{report}");
    let by_chance = |flow: &Flow<'_>| flow.title.ends_with("(by chance)");
    let marked = |flow: &Flow<'_>| flow.title.ends_with("(unseen)");
    let wrong: Vec<&str> = told
        .iter()
        .filter(|(flow, seen)| !by_chance(flow) && *seen == marked(flow))
        .map(|(flow, _)| flow.title)
        .collect();
    assert!(wrong.is_empty(), "{report}not as marked:\n{}", wrong.join("\n"));
    let unseen = flows.iter().filter(|flow| marked(flow) || by_chance(flow)).count();
    assert!(flows.len() >= 104 && unseen * 10 <= flows.len(), "{unseen} of {}", flows.len());
}

/// A pair of statements: `less` says less or something else, `more` the same or more.
#[test]
fn changed_statements() {
    let (mut passed, mut held, mut less, mut more) = (Vec::new(), Vec::new(), 0, 0);
    for block in STATEMENTS.split("\n=== ").skip(1) {
        let (head, texts) = block.split_once('\n').unwrap();
        let (before, after) = texts.split_once("\n---\n").expect(block);
        let verdict = guard::judge(before, after, &Policy::default());
        let is_held = verdict.decision() >= Level::Ask;
        if head.starts_with("less") {
            less += 1;
            passed.extend((!is_held).then_some(head));
        } else {
            more += 1;
            held.extend(is_held.then_some(head));
        }
    }
    eprintln!("of {less} that say less {} pass: {passed:#?}", passed.len());
    eprintln!("of {more} that say as much {} are held: {held:#?}", held.len());
    assert!(less >= 60 && more >= 40, "{less} {more}");
    assert!(passed.len() * 20 <= less && held.len() * 10 <= more);
}

#[test]
fn every_part_of_the_corpus_is_read() {
    for (text, least) in [(FLOWS, 100), (FAMILIES, 104)] {
        let flows = flows(text);
        assert!(flows.len() >= least, "{}", flows.len());
        for flow in &flows {
            assert!(!flow.steps.is_empty(), "{}", flow.title);
            assert!(flow.files.iter().all(|(name, _)| !Path::new(name).is_absolute()));
        }
    }
}
