//! A session as a list of events: what was said, and what became of each call. Lessons, errors met, uses and the
//! digest of a session are questions to it.

mod call;
mod edit;
mod fault;
mod words;

#[cfg(test)]
mod tests;

pub use call::{Call, Role, Writes, is_lean, is_same_file, same_target, says_what_is_built};
pub use edit::{Change, Statement};
pub use fault::{Fault, FaultKind};
pub use words::{general, shortened};

use super::transcript::{Body, MAX_RESULT, Record, ToolCall, ToolResult, cleaned, stated_code};
use crate::lean::diagnostics::{Diagnostic, Report, Signature, Verdict, report};
use crate::text::base_name;
use call::View;

#[derive(Debug)]
pub struct Event<'r> {
    pub record: &'r Record,
    pub act: Option<Act>,
}

impl<'r> From<&'r Record> for Event<'r> {
    fn from(record: &'r Record) -> Self {
        let act = match &record.body {
            Body::Returned(result) => Act::of(result, record.line),
            _ => None,
        };
        Self { record, act }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Worked,
    Failed(Fault),
    /// No evidence for anything: refused, interrupted, nothing found, still running.
    Void,
}

#[derive(Debug)]
pub struct Act {
    pub call: Call,
    pub outcome: Outcome,
    pub writes: Writes,
    pub changes: Vec<Change>,
    pub found: Vec<Diagnostic>,
    /// It says that all is well, or is a check that has nothing to say.
    pub passed: bool,
    pub whole: bool,
}

impl Act {
    /// Reads a result that came back in a line; `None` for tools that have nothing to do with the work.
    pub fn of(result: &ToolResult, line: u64) -> Option<Self> {
        let raw = result.call.as_deref()?;
        let (call, writes) = Call::read(raw, line)?;
        let may_tell = call.tool == "Bash" || call.tool.starts_with("mcp__");
        let report = report(if may_tell { &result.text } else { "" });
        let (verdict, whole) = (report.verdict, is_whole(&call, &report, &result.text));
        let (outcome, changes, passed) = (Outcome::Void, Vec::new(), false);
        let found = report.messages;
        let mut act = Self { call, outcome, writes, changes, found, passed, whole };
        if act.call.tool != "Bash" {
            act.found.retain(|one| is_of_lean(one, &act.call));
        }
        act.outcome = act.came_to(result, raw, verdict);
        let is_bare = act.outcome == Outcome::Worked && shows_no_error(&act.call, &result.text);
        let quiet = verdict == Verdict::Silent && whole && !result.is_error;
        let quiet = act.call.checks_lean && (quiet || is_bare);
        let is_part = act.call.tool != "Bash" && !whole;
        let is_well = !act.found.iter().any(Diagnostic::is_error) && !is_part;
        act.passed = is_well && (verdict == Verdict::Passed || quiet);
        if act.is_edit() && act.outcome == Outcome::Worked {
            act.changes = edit::changes(raw, result);
        }
        Some(act)
    }

    /// Reads a tool's output from a hook, without secrets.
    pub fn printed(
        name: &str,
        input: Vec<(String, String)>,
        text: &str,
        failed: bool,
    ) -> Option<Self> {
        let text = cleaned(text.into(), MAX_PRINTED);
        let call = ToolCall { id: String::new(), name: name.to_owned(), input, line: 0 };
        let result = ToolResult {
            call: Some(call.into()),
            is_error: failed,
            exit_code: stated_code(&text).filter(|_| failed),
            text,
            ..ToolResult::default()
        };
        Self::of(&result, 0)
    }

    pub fn is_of_server(&self) -> bool {
        self.call.tool.starts_with("mcp__")
    }

    pub fn is_edit(&self) -> bool {
        self.call.role == Role::Write && self.call.tool != "Bash"
    }

    /// Whether it checked Lean code, by its name or by what it says; what shows a log of a check did not.
    pub fn is_build(&self) -> bool {
        let shows = matches!(self.call.role, Role::Read | Role::Search | Role::Write);
        let says = self.passed || self.errors().next().is_some();
        self.call.checks_lean || !self.is_of_server() && !shows && says
    }

    /// The files of the gaps that Lean warns of.
    pub fn gaps(&self) -> impl Iterator<Item = &str> {
        let gaps =
            self.found.iter().filter(|one| !one.is_error() && one.signature().kind == "sorry");
        gaps.map(|one| self.file_of(one))
    }

    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.found.iter().filter(|one| one.is_error())
    }

    /// What is wrong, if anything is: what failed without a message of Lean, then Lean's errors.
    pub fn met(&self) -> Vec<Met<'_>> {
        let of_lean = self.errors().take(MOST_MET).map(|error| {
            let (file, fault) = (self.file_of(error), Fault::of_lean(error));
            Met { file, line: error.line, fault, error: Some(error) }
        });
        let bare = match &self.outcome {
            Outcome::Failed(fault) => Some(fault),
            _ => None,
        };
        let is_alone = self.errors().next().is_none();
        let bare = bare.filter(|one| is_alone || matches!(one.kind, FaultKind::Missing(_)));
        let bare =
            bare.map(|fault| Met { file: "", line: None, fault: fault.clone(), error: None });
        bare.into_iter().chain(of_lean).collect()
    }

    /// Whether what it does not say of a file that it looked at is not there: its whole output was seen, and nothing
    /// new hides what was there before.
    pub fn concludes(&self, all_are_known: bool) -> bool {
        self.passed || self.whole && all_are_known
    }

    pub fn file_of<'b>(&'b self, one: &'b Diagnostic) -> &'b str {
        // What was only tried stands in no file.
        if self.is_of_server() && !self.call.checks_lean {
            return "";
        }
        let named = one.file.as_deref().filter(|file| !file.starts_with('<'));
        named.or(self.call.targets.first().map(String::as_str)).unwrap_or_default()
    }

    /// Whether it is known that this check looked at a file, whose errors the call `found_by` found.
    pub fn covers(&self, path: &str, found_by: &str) -> bool {
        if path.is_empty() {
            // What is about no file is known to be gone only where it was found.
            return self.passed && found_by.starts_with(&format!("Bash {}", self.call.family));
        }
        if self.found.iter().any(|one| same_target(self.file_of(one), path)) {
            return true;
        }
        let Call { targets, matter, tool, key, .. } = &self.call;
        let module = |word: &String| format!("{}.lean", word.replace('.', "/"));
        let by_name = targets.iter().any(|target| same_target(target, path));
        let by_module = matter.iter().any(|word| same_target(&module(word), path));
        let all = targets.is_empty() && (matter.is_empty() || tool != "Bash");
        self.passed && (by_name || by_module || all || key == found_by)
    }

    fn came_to(&self, result: &ToolResult, raw: &ToolCall, verdict: Verdict) -> Outcome {
        let (call, text) = (&self.call, result.text.as_str());
        let in_background = raw.parameter("run_in_background") == Some("true");
        if in_background || (result.interrupted && !text.contains("timed out after")) {
            return Outcome::Void;
        }
        let lean = || self.errors().next().filter(|_| call.checks_lean);
        let code = result.exit_code.filter(|code| *code != 0);
        if !result.is_error && code.is_none() && !result.interrupted {
            // Failures behind a pipe or `|| true` end with code 0.
            if call.checks_lean && (verdict == Verdict::Failed || lean().is_some()) {
                return Outcome::Failed(Fault::read(text, call.name(), lean()));
            }
            return self.missing(text).map_or(Outcome::Worked, Outcome::Failed);
        }
        if fault::is_refusal(text) {
            return Outcome::Void;
        }
        if code == Some(1) && call.checks_lean && shows_no_error(call, text) {
            return Outcome::Worked;
        }
        let fault = Fault::read(text, call.name(), lean());
        // Searches and comparisons say `1` when they find nothing or a difference; so does a filter.
        let asks = call.role == Role::Search
            || ["diff", "cmp", "test", "[", "pgrep"].contains(&call.family.as_str())
            || matches!(call.view, View::Filtered | View::Errors);
        if asks && code == Some(1) && fault.kind == FaultKind::Other {
            return Outcome::Void;
        }
        Outcome::Failed(fault)
    }

    /// What a file says is no failure of the command that shows it.
    fn missing(&self, text: &str) -> Option<Fault> {
        let call = &self.call;
        let shows = matches!(call.role, Role::Read | Role::Search | Role::Write);
        let own = call.family.split(' ').next().unwrap_or_default();
        let is_own = |fault: &Fault| matches!(&fault.kind, FaultKind::Missing(name) if name == own);
        let may_fail = call.tool == "Bash" || call.checks_lean;
        fault::missing_in_text(text).filter(|fault| may_fail && (!shows || is_own(fault)))
    }
}

/// A longer output of a tool is cut in the middle: the first errors and the outcome matter.
const MAX_PRINTED: usize = 512 * 1024;

const MOST_MET: usize = 256;

/// An error that a call met.
#[derive(Debug)]
pub struct Met<'a> {
    /// As the tool names it; empty for what is about none.
    pub file: &'a str,
    pub line: Option<u32>,
    pub fault: Fault,
    /// `None` where Lean did not say it.
    pub error: Option<&'a Diagnostic>,
}

impl Met<'_> {
    /// Of an error that many proofs meet alike: of its whole message.
    pub fn signature(&self) -> Signature {
        let signature = Signature::parse(&self.fault.signature);
        match self.error {
            Some(error) if !signature.is_specific() => Signature::of_whole(&error.text, signature),
            _ => signature,
        }
    }
}

fn is_whole(call: &Call, report: &Report, text: &str) -> bool {
    let cut =
        text.len() + 64 > MAX_RESULT || text.contains("truncated]") || text.contains("[truncated");
    // Tools of servers answer with what went wrong with themselves, too, and not as an error.
    let is_reply = report.is_json
        || !report.messages.is_empty()
        || report.verdict != Verdict::Silent
        || text.trim().is_empty();
    let is_seen = match call.view {
        View::Whole => true,
        View::Lines(most) => text.lines().count() < most,
        View::Errors | View::Filtered => false,
    };
    !cut && report.is_complete && (call.tool == "Bash" || is_reply) && is_seen
}

/// Whether its lines with errors were looked for, and there is none.
fn shows_no_error(call: &Call, text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_prefix("Exit code 1").unwrap_or(text).trim();
    call.view == View::Errors && matches!(text, "" | "0" | "(Bash completed with no output)")
}

fn is_of_lean(one: &Diagnostic, call: &Call) -> bool {
    let file = one.file.as_deref().or(call.targets.first().map(String::as_str));
    file.is_none_or(|file| {
        let name = base_name(file);
        !name.contains('.') || name.contains(".lean") || file.starts_with('<')
    })
}
