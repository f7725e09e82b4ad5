//! A call with its result as an attempt: what it is for, what it works on, and what it came to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fault::{self, Fault, FaultKind, Outcome};
use super::shell::{self, Writes};
use super::words;
use crate::lean::diagnostics::{Diagnostic, EDITOR, Looked, Verdict, looked, report};
use crate::learn::transcript::{ToolCall, ToolResult};
use crate::shell::Simple;

/// What a call is for: only calls for the same can replace each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    /// Showing a file.
    Read,
    /// Looking for text or files.
    Search,
    /// Changing a file.
    Write,
    /// Getting something from the network.
    Fetch,
    Install,
    /// Running, building, testing.
    Run,
}

impl Role {
    /// What somebody does who calls a tool of this role.
    pub(super) const fn doing(self) -> &'static str {
        match self {
            Self::Read => "reading a file",
            Self::Search => "searching",
            Self::Write => "changing a file",
            Self::Fetch => "fetching from the network",
            Self::Install => "installing",
            Self::Run => "running a command",
        }
    }
}

/// A call, without its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Call {
    pub(super) id: String,
    /// Line of the call, from 1.
    pub(super) line: u64,
    /// Line of the result: what was called before it did not know of it.
    pub(super) seen: u64,
    pub(super) tool: String,
    pub(super) role: Role,
    /// Tool, or program and subcommand.
    pub(super) family: String,
    /// The words of the command; empty for other tools.
    pub(super) command: String,
    /// Options of the command, or parameters of the tool, with their values.
    pub(super) args: BTreeMap<String, String>,
    /// What says on what it works: neither the program nor options.
    pub(super) matter: Vec<String>,
    /// Files and addresses that it works on.
    pub(super) targets: Vec<String>,
    /// Equal calls do the same.
    pub(super) key: String,
    /// Whether it checks files of Lean.
    pub(super) checks_lean: bool,
    pub(super) view: View,
}

/// What of a command's output is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum View {
    /// All of it; the exit code is the command's own.
    Whole,
    /// At most this many lines, from one end.
    Lines(usize),
    /// What a filter let through, or was written elsewhere.
    Filtered,
}

/// Parameters that do not change what a call does.
const REMARKS: &[&str] = &["description", "activeForm", "prompt", "dangerouslyDisableSandbox"];

/// Parameters that name what a tool works on.
const TARGETS: &[&str] = &["file_path", "notebook_path", "path", "file", "filename", "url", "uri"];

/// Parameters that say on what a tool works, files or not.
const ANCHORS: &[&str] = &[
    "file_path",
    "notebook_path",
    "path",
    "url",
    "uri",
    "pattern",
    "query",
    "command",
    "code",
    "id",
    "name",
    "file",
];

/// Parameters by which a tool that checks Lean code shows only some of the messages.
const PARTS: &[&str] = &["start_line", "end_line", "declaration_name", "severity", "interactive"];

/// Parameters that hand a tool the code itself.
const CODE: &[&str] = &["code", "snippet", "snippets", "content", "source", "proof", "text"];

impl Call {
    /// Reads a call; `None` for tools that only plan, ask or delegate.
    pub(super) fn read(call: &ToolCall, seen: u64) -> Option<Self> {
        let role = role_of_tool(&call.name)?;
        if call.name == "Bash" {
            return Some(Self::command(call, seen));
        }
        let told = || call.input.iter().filter(|(name, _)| !REMARKS.contains(&name.as_str()));
        let words: Vec<String> = told().map(|(name, value)| format!("{name}={value}")).collect();
        let anchors = told().filter(|(name, _)| ANCHORS.contains(&name.as_str()));
        let given = |name: &&str| call.parameter(name).filter(|value| *value != "null");
        let targets: Vec<String> = TARGETS.iter().filter_map(given).map(str::to_owned).collect();
        // Of all files an editor knows only the open ones.
        let is_part = PARTS.iter().any(|name| given(name).is_some())
            || (call.name == EDITOR && targets.is_empty());
        let is_handed = CODE.iter().any(|name| given(name).is_some());
        Some(Self {
            id: call.id.clone(),
            line: call.line,
            seen,
            tool: call.name.clone(),
            role,
            family: call.name.clone(),
            key: format!("{} {}", call.name, words.join(" ")),
            command: String::new(),
            args: told().cloned().collect(),
            matter: anchors.map(|(_, value)| value.clone()).collect(),
            targets,
            checks_lean: looked(&call.name) == Some(Looked::Files) && !is_handed,
            view: if is_part { View::Filtered } else { View::Whole },
        })
    }

    fn command(call: &ToolCall, seen: u64) -> Self {
        let command = call.parameter("command").unwrap_or_default();
        let stages = shell::stages(command);
        let none = Simple::default();
        let main = shell::main_stage(&stages).unwrap_or(&none);
        let mut args = options(&main.words);
        let mut words = main.words.join(" ");
        // A larger limit is another parameter.
        if let Some(limit) = call.parameter("timeout") {
            args.insert("timeout".to_owned(), limit.to_owned());
            words = format!("{words} timeout={limit}");
        }
        let targets = main.words.iter().skip(1).filter(|word| is_target(word)).cloned().collect();
        let family = shell::family(main);
        let matter = main.words.iter().skip(family.split(' ').count());
        Self {
            id: call.id.clone(),
            line: call.line,
            seen,
            tool: call.name.clone(),
            role: role_of_program(main),
            key: if main.input.is_some() || main.words.is_empty() {
                command.to_owned()
            } else {
                format!("Bash {words}")
            },
            checks_lean: is_lean_command(&family),
            command: main.words.join(" "),
            args,
            matter: matter.filter(|word| !word.starts_with('-')).cloned().collect(),
            family,
            targets,
            view: view(&stages),
        }
    }

    /// What it is called in a lesson: the program for commands, else the tool.
    pub(super) fn name(&self) -> &str {
        if self.tool == "Bash" && !self.family.is_empty() { &self.family } else { &self.tool }
    }

    /// Whether it works on something that the other works on too.
    pub(super) fn shares_target(&self, other: &Self) -> bool {
        self.targets.iter().any(|one| other.targets.iter().any(|two| same_target(one, two)))
    }

    /// Whether it was made by somebody who had seen what the other came to.
    pub(super) fn follows(&self, other: &Self) -> bool {
        self.line > other.seen
    }
}

/// Options of a command by name, with their values.
fn options(words: &[String]) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for option in words.iter().filter(|word| word.starts_with('-') && word.len() > 1) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        // `-3` is a number, and `-n5` an option with one.
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
        if name.trim_matches('-').is_empty() || name.contains([' ', '\n']) {
            continue;
        }
        // `-rn` is several options of one letter; longer words are options by themselves (`-name`).
        let letters = name.strip_prefix('-').unwrap_or_default();
        if (2..=3).contains(&letters.len()) && letters.chars().all(|c| c.is_ascii_alphabetic()) {
            found.extend(letters.chars().map(|letter| (format!("-{letter}"), String::new())));
        } else {
            found.insert(name.to_owned(), value.to_owned());
        }
    }
    found
}

/// The last parts of two paths are compared: one may be absolute and the other not.
pub(super) fn same_target(one: &str, two: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let path = path.split("://").last().unwrap_or(path);
        path.split('/').filter(|part| !matches!(*part, "" | "." | "~")).map(str::to_owned).collect()
    };
    let (one, two) = (parts(one), parts(two));
    let shared = one.iter().rev().zip(two.iter().rev()).take_while(|(a, b)| a == b).count();
    shared > 0 && shared == one.len().min(two.len())
}

/// Whether a file decides what a build looks at.
pub(super) fn says_what_is_built(path: &str) -> bool {
    const NAMES: &[&str] =
        &["lakefile.lean", "lakefile.toml", "lake-manifest.json", "lean-toolchain"];
    path.rsplit('/').next().is_some_and(|name| NAMES.contains(&name))
}

fn is_target(word: &str) -> bool {
    !word.starts_with('-') && (word.contains("://") || words::is_path(word))
}

fn role_of_tool(tool: &str) -> Option<Role> {
    let low = tool.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| low.contains(word));
    match tool {
        "Bash" => Some(Role::Run),
        "Read" | "NotebookRead" => Some(Role::Read),
        "Grep" | "Glob" | "LS" => Some(Role::Search),
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => Some(Role::Write),
        "WebFetch" | "WebSearch" => Some(Role::Fetch),
        _ if !tool.starts_with("mcp__") => None,
        _ if looked(tool).is_some() => Some(Role::Run),
        _ if has(&["search", "find", "query"]) => Some(Role::Search),
        _ if has(&["read", "get_file", "show"]) => Some(Role::Read),
        _ if has(&["write", "edit", "patch"]) => Some(Role::Write),
        _ if has(&["fetch", "download", "url"]) => Some(Role::Fetch),
        _ => Some(Role::Run),
    }
}

fn role_of_program(stage: &Simple) -> Role {
    match stage.name() {
        _ if stage.targets().next().is_some() && stage.input.is_some() => Role::Write,
        "sed" | "perl" if shell::edits_in_place(stage) => Role::Write,
        "tee" | "patch" | "cp" | "mv" => Role::Write,
        "cat" | "head" | "tail" | "less" | "more" | "bat" | "sed" | "awk" | "wc" | "stat"
        | "file" | "pdftotext" | "jq" | "xxd" | "od" | "strings" | "nl" => Role::Read,
        "grep" | "rg" | "ag" | "ack" | "find" | "fd" | "fdfind" | "ls" | "locate" | "tree"
        | "which" | "type" | "whereis" => Role::Search,
        "curl" | "wget" | "http" | "aria2c" => Role::Fetch,
        "pip" | "pip3" | "apt" | "apt-get" | "brew" | "conda" | "elan" | "dnf" | "yum" | "apk"
        | "npm" | "cargo" | "uv"
            if ["install", "add", "toolchain", "update", "i"].iter().any(|word| {
                stage.words.get(1..3).unwrap_or_default().iter().any(|w| w == word)
            }) =>
        {
            Role::Install
        }
        _ => Role::Run,
    }
}

fn is_lean_command(family: &str) -> bool {
    ["lake build", "lake env lean", "lake lean", "lake test", "lake lint", "lean"]
        .iter()
        .any(|known| family == *known || family.starts_with(&format!("{known} ")))
}

/// What of the output of the stages is seen.
fn view(stages: &[Simple]) -> View {
    const MOST_BY_DEFAULT: usize = 10;
    let mut view = View::Whole;
    for stage in stages.iter().filter(|stage| shell::is_piped(stage)) {
        let number = |word: &String| word.trim_start_matches(['-', 'n', '+']).parse().ok();
        match stage.name() {
            "cat" => {}
            "head" | "tail" if view != View::Filtered => {
                let count = stage.words.iter().skip(1).find_map(number);
                view = View::Lines(count.unwrap_or(MOST_BY_DEFAULT));
            }
            "tee" if view == View::Whole => view = View::Lines(usize::MAX),
            _ => view = View::Filtered,
        }
    }
    let elsewhere = stages.iter().any(|stage| stage.targets().next().is_some());
    if elsewhere { View::Filtered } else { view }
}

pub(super) fn outcome(call: &Call, result: &ToolResult, raw: &ToolCall) -> Outcome {
    let in_background = raw.parameter("run_in_background") == Some("true");
    let text = result.text.as_str();
    let timed_out = text.contains("timed out after");
    if in_background || (result.interrupted && !timed_out) {
        return Outcome::Void;
    }
    let code = result.exit_code.filter(|code| *code != 0);
    if !result.is_error && code.is_none() && !result.interrupted {
        return quiet_failure(call, text).map_or(Outcome::Worked, Outcome::Failed);
    }
    if fault::is_refusal(text) {
        return Outcome::Void;
    }
    let fault = fault::read(text, call.name(), call.checks_lean);
    // Searches and comparisons say `1` when they find nothing or a difference; so does a filter.
    let asks = call.role == Role::Search
        || ["diff", "cmp", "test", "[", "pgrep"].contains(&call.family.as_str())
        || call.view == View::Filtered;
    if asks && code == Some(1) && fault.kind == FaultKind::Other {
        return Outcome::Void;
    }
    Outcome::Failed(fault)
}

/// Failures behind a pipe or `|| true`, which end with code 0.
fn quiet_failure(call: &Call, text: &str) -> Option<Fault> {
    if call.checks_lean {
        let said = report(text);
        let failed =
            said.verdict == Verdict::Failed || said.messages.iter().any(Diagnostic::is_error);
        return failed
            .then(|| fault::read(text, call.name(), true))
            .or_else(|| fault::hidden(text));
    }
    if call.tool != "Bash" {
        return None;
    }
    // What a file says is no failure of the command that shows it.
    let shows = matches!(call.role, Role::Read | Role::Search | Role::Write);
    let own = call.family.split(' ').next().unwrap_or_default();
    fault::hidden(text)
        .filter(|fault| !shows || matches!(&fault.kind, FaultKind::Missing(name) if name == own))
}

pub(super) fn written(raw: &ToolCall) -> Writes {
    match raw.name.as_str() {
        "Bash" => shell::writes(&shell::stages(raw.parameter("command").unwrap_or_default())),
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            let path = raw.parameter("file_path").or_else(|| raw.parameter("notebook_path"));
            path.map_or(Writes::Nothing, |path| Writes::Files(vec![path.to_owned()]))
        }
        _ => Writes::Nothing,
    }
}
