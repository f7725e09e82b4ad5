//! Errors of Lean, edits, and what the next check says: which edit made which error go away.
//!
//! An error counts as gone only where the check is known to have looked at its file and its whole
//! output was seen. Where new errors came, or somebody wrote the file unseen, nothing is concluded.

use serde::{Deserialize, Serialize};

use super::attempt::{self, Call, View, same_target, says_what_is_built};
use super::change::Change;
use super::fault::{Fault, Outcome};
use super::shell::Writes;
use super::statement::Statement;
use super::{Evidence, Lesson, Pattern, Step, words};
use crate::lean::diagnostics::{Diagnostic, Reason, Report, Signature, Verdict, report};
use crate::learn::transcript::{MAX_RESULT, ToolResult};

/// Files, errors of a file and edits that are remembered.
const MOST_FILES: usize = 20;
const MOST_ERRORS: usize = 40;
const MOST_EDITS: usize = 40;

/// Larger edits are rewrites: which part of them was the fix is not seen.
const MOST_LINES: usize = 12;

/// The state of the Lean files that one conversation checks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Checks {
    files: Vec<File>,
    /// Commands that worked since the last check: `lake exe cache get`.
    commands: Vec<(Step, String)>,
}

/// A file, or, without a path, the project as a whole.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct File {
    path: String,
    /// The call that found the errors.
    found_by: String,
    errors: Vec<Open>,
    edits: Vec<Edit>,
    /// Somebody wrote it and what they wrote was not seen.
    unseen: bool,
    /// What is built was changed since, so that a success may not be about this file.
    #[serde(default)]
    astray: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Open {
    fault: Fault,
    line: Option<u32>,
    step: Step,
    /// Edits after which it was still there, in words.
    tried: Vec<String>,
    /// It went while another error came: which edit mended it is no longer seen.
    hidden: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Edit {
    step: Step,
    changes: Vec<Change>,
}

/// What a check looked at, as far as its call and output say.
pub(super) struct Look {
    pub(super) call: Call,
    pub(super) found: Vec<Diagnostic>,
    pub(super) passed: bool,
    /// All messages were seen.
    pub(super) whole: bool,
}

impl Look {
    pub(super) fn read(call: Call, text: &str, is_error: bool) -> Self {
        let report = report(text);
        let says_all = call.tool == "Bash" || is_reply(&report, text);
        let Report { messages: mut found, verdict: said, is_complete, .. } = report;
        if call.tool != "Bash" {
            found.retain(|one| is_of_lean(one, &call));
        }
        let errors = found.iter().any(Diagnostic::is_error);
        let cut = text.len() + 64 > MAX_RESULT
            || text.contains("truncated]")
            || text.contains("[truncated");
        let whole = !cut
            && is_complete
            && says_all
            && match call.view {
                View::Whole => true,
                View::Lines(most) => text.lines().count() < most,
                View::Filtered => false,
            };
        let quiet = said == Verdict::Silent && whole && !is_error;
        // Of a part of the messages the rest is not known, whatever is said about the whole.
        let is_part = call.tool != "Bash" && !whole;
        let passed = !errors && !is_part && (said == Verdict::Passed || quiet);
        Self { call, found, passed, whole }
    }

    fn errors_of(&self, path: &str) -> Vec<&Diagnostic> {
        let here = |one: &&Diagnostic| one.is_error() && self.file_of(one) == path;
        self.found.iter().filter(here).collect()
    }

    /// The file of a message; tools that check one file do not name it.
    pub(super) fn file_of<'b>(&'b self, one: &'b Diagnostic) -> &'b str {
        let named = one.file.as_deref().filter(|file| !file.starts_with('<'));
        named.or(self.call.targets.first().map(String::as_str)).unwrap_or_default()
    }

    /// Whether it is known that the check looked at a file, whose errors the call `found_by` found.
    pub(super) fn covers(&self, path: &str, found_by: &str) -> bool {
        let of_file = |one: &&Diagnostic| same_target(self.file_of(one), path);
        if path.is_empty() {
            return self.passed || !self.errors_of("").is_empty();
        }
        if self.found.iter().any(|one| of_file(&one)) {
            return true;
        }
        let words = &self.call.matter;
        let by_name = self.call.targets.iter().any(|target| same_target(target, path));
        let by_module = words.iter().any(|word| same_target(&module_path(word), path));
        let all = self.call.targets.is_empty() && (words.is_empty() || self.call.tool != "Bash");
        self.passed && (by_name || by_module || all || self.call.key == found_by)
    }
}

/// Whether a call checked Lean files and found no error, as far as its output tells.
pub fn passed(result: &ToolResult) -> bool {
    let Some(raw) = result.call.as_deref() else { return false };
    let Some(call) = Call::read(raw, 0).filter(|call| call.checks_lean) else { return false };
    let is_void = attempt::outcome(&call, result, raw) == Outcome::Void;
    !is_void && Look::read(call, &result.text, result.is_error).passed
}

/// Whether the text is a reply of a tool that looked at Lean code. Such tools answer with what went wrong
/// with themselves, too, and not as an error.
fn is_reply(report: &Report, text: &str) -> bool {
    let said = report.is_json || !report.messages.is_empty() || report.verdict != Verdict::Silent;
    said || text.trim().is_empty()
}

/// Whether a message of a tool is about Lean code: an editor has those of all languages.
fn is_of_lean(one: &Diagnostic, call: &Call) -> bool {
    let file = one.file.as_deref().or(call.targets.first().map(String::as_str));
    file.is_none_or(|file| {
        let name = file.rsplit('/').next().unwrap_or_default();
        !name.contains('.') || name.contains(".lean") || file.starts_with('<')
    })
}

fn module_path(module: &str) -> String {
    format!("{}.lean", module.replace('.', "/"))
}

impl Checks {
    pub(super) fn edited(&mut self, path: &str, step: Step, changes: Vec<Change>) {
        let is_lean = path.rsplit_once('.').is_some_and(|(_, end)| end == "lean");
        if says_what_is_built(path) || is_lean && changes.iter().any(Change::drops_import) {
            let others = self.files.iter_mut().filter(|file| !same_target(&file.path, path));
            others.for_each(|file| file.astray = true);
        }
        if let Some(file) = self.files.iter_mut().find(|file| same_target(&file.path, path)) {
            file.edits.push(Edit { step, changes });
            if file.edits.len() > MOST_EDITS {
                file.edits.remove(0);
            }
        }
    }

    /// A command that may have written files, and, where it worked, changed what Lean finds.
    pub(super) fn ran(&mut self, call: &Call, written: &Writes, worked: bool) {
        self.wrote(written);
        let program = call.family.split(' ').next().unwrap_or_default();
        if worked && ["lake", "elan"].contains(&program) {
            let step = Step { tool_use_id: call.id.clone(), line: call.line };
            self.commands.push((step, words::general(&call.command)));
        }
    }

    /// Files that a command may have written, a check with something before it too.
    pub(super) fn wrote(&mut self, written: &Writes) {
        for file in &mut self.files {
            let (unseen, astray) = match written {
                Writes::Nothing => (false, false),
                Writes::Anything => (true, true),
                Writes::Files(files) => (
                    files.iter().any(|one| same_target(one, &file.path)),
                    files.iter().any(|one| says_what_is_built(one)),
                ),
            };
            file.unseen |= unseen;
            file.astray |= astray;
        }
    }

    /// A check that was made: the lessons of the errors that it no longer finds.
    pub(super) fn checked(&mut self, call: &Call, text: &str, is_error: bool) -> Vec<Lesson> {
        let look = Look::read(call.clone(), text, is_error);
        let mut lessons = Vec::new();
        let step = Step { tool_use_id: call.id.clone(), line: call.line };
        for error in look.found.iter().filter(|one| one.is_error()) {
            self.open(look.file_of(error), call);
        }
        for file in &mut self.files {
            if !look.covers(&file.path, &file.found_by) {
                continue;
            }
            let now: Vec<Open> =
                look.errors_of(&file.path).into_iter().map(|one| Open::new(one, &step)).collect();
            lessons.extend(file.checked(now, &look, &step, &self.commands));
            call.key.clone_into(&mut file.found_by);
        }
        self.files.retain(|file| !file.errors.is_empty());
        self.commands.clear();
        lessons
    }

    /// The edits after which an error was still there, in words.
    pub(super) fn tried(&self, signature: &str) -> Vec<String> {
        let errors = self.files.iter().flat_map(|file| &file.errors);
        errors
            .filter(|error| error.fault.signature == signature)
            .max_by_key(|error| error.tried.len())
            .map(|error| error.tried.clone())
            .unwrap_or_default()
    }

    fn open(&mut self, path: &str, call: &Call) {
        if !self.files.iter().any(|file| file.path == path) {
            let found_by = call.key.clone();
            self.files.push(File { path: path.to_owned(), found_by, ..File::default() });
            if self.files.len() > MOST_FILES {
                self.files.remove(0);
            }
        }
    }
}

impl Open {
    fn new(one: &Diagnostic, step: &Step) -> Self {
        Self {
            fault: Fault::of_lean(one),
            line: one.line,
            step: step.clone(),
            tried: Vec::new(),
            hidden: false,
        }
    }

    /// What mended it, as a lesson: what to do, and how it went away.
    fn mended(
        &self,
        (how, went): &(String, String),
        confidence: f64,
        changed: &Step,
        worked: &Step,
    ) -> Lesson {
        let says = &self.fault.says;
        Lesson {
            title: format!("{says}: {how}"),
            what_failed: format!("Lean says: {says}."),
            what_worked: format!("The error went away {went}."),
            evidence: Evidence {
                failed: vec![self.step.clone()],
                changed: vec![changed.clone()],
                worked: vec![worked.clone()],
            },
            ..Lesson::new(Pattern::LeanFix, &self.fault, "lean", "checking Lean code", confidence)
        }
    }
}

impl File {
    fn checked(
        &mut self,
        now: Vec<Open>,
        look: &Look,
        step: &Step,
        commands: &[(Step, String)],
    ) -> Vec<Lesson> {
        let is_in = |list: &[Open], one: &Open| {
            list.iter().any(|o| o.fault.signature == one.fault.signature)
        };
        let came = now.iter().any(|one| !is_in(&self.errors, one));
        let gone: Vec<Open> = self.errors.iter().filter(|one| !is_in(&now, one)).cloned().collect();
        let concluded = look.whole && !came || look.passed;
        let mut lessons = Vec::new();
        if concluded && !gone.is_empty() && !self.unseen {
            lessons = self.fixed(&gone, step, commands);
        }
        let tried: Vec<String> = self.edits.iter().flat_map(Edit::in_words).collect();
        let before = std::mem::take(&mut self.errors);
        for mut one in now {
            if let Some(old) = before.iter().find(|old| old.fault.signature == one.fault.signature)
            {
                one.step = old.step.clone();
                one.tried = old.tried.iter().chain(&tried).cloned().collect();
                one.tried.truncate(MOST_ERRORS);
            }
            if !is_in(&self.errors, &one) && self.errors.len() < MOST_ERRORS {
                self.errors.push(one);
            }
        }
        if concluded {
            self.edits.clear();
            (self.unseen, self.astray) = (false, false);
        } else {
            // Hidden behind a new error perhaps: they are waited for, with the edits.
            self.errors.extend(gone.into_iter().map(|one| Open { hidden: true, ..one }));
            self.errors.truncate(MOST_ERRORS);
        }
        lessons
    }

    /// The lessons of errors that are gone.
    fn fixed(&self, gone: &[Open], step: &Step, commands: &[(Step, String)]) -> Vec<Lesson> {
        if self.edits.is_empty() {
            // What is wrong around Lean is mended by commands. One command since then is the one that did it.
            let [(changed, command)] = commands else { return Vec::new() };
            let around =
                gone.iter().filter(|one| one.fault.reason() == Some(Reason::Infrastructure));
            let how = (format!("run `{command}`"), format!("after `{command}`"));
            return around.map(|one| one.mended(&how, 0.85, changed, step)).collect();
        }
        if self.astray {
            return Vec::new();
        }
        let changes = || self.edits.iter().flat_map(|edit| &edit.changes);
        let restated = |change: &Change| change.statement == Statement::Changed;
        let hidden = changes().any(|change| change.evades() || restated(change));
        let mut gone: Vec<&Open> = gone.iter().collect();
        gone.sort_by_key(|one| one.line);
        let mut lessons: Vec<Lesson> = Vec::new();
        for one in gone {
            let Some(fix) = self.fix_of(one, hidden) else { continue };
            let told = |lesson: &Lesson| lesson.fix.as_ref() == Some(fix.change);
            // One edit mends one error; those that follow from it are told only by their names.
            if fix.named || !lessons.iter().any(told) {
                let how = fix.change.in_words();
                let how = (how.clone(), format!("by {how}"));
                let lesson = one.mended(&how, fix.confidence, &fix.edit.step, step);
                lessons.push(Lesson { fix: Some(fix.change.clone()), ..lesson });
            }
        }
        lessons
    }

    /// The change that made an error go away, if one stands out.
    fn fix_of(&self, error: &Open, hidden: bool) -> Option<Fix<'_>> {
        let signature = Signature::parse(&error.fault.signature);
        let all: Vec<(&Edit, &Change)> = self
            .edits
            .iter()
            .flat_map(|edit| edit.changes.iter().map(move |change| (edit, change)))
            .filter(|(_, change)| !change.is_empty())
            .collect();
        let unknown = signature.kind.starts_with("unknown-")
            || signature.kind.starts_with("invalid-")
            || ["deprecated", "no-instance", "missing-olean", "bad-import"]
                .contains(&signature.kind.as_str());
        let named = |change: &Change| {
            let by_name = signature.name.as_deref().is_some_and(|name| change.drops(name));
            unknown && (by_name || (change.imports() && !signature.kind.starts_with("invalid-")))
        };
        let near = |change: &Change| error.line.is_some_and(|line| change.is_at(line));
        let strong: Vec<&(&Edit, &Change)> =
            all.iter().filter(|(_, change)| named(change) || near(change)).collect();
        let (edit, change, mut confidence) = match (strong.as_slice(), all.as_slice()) {
            ([(edit, change)], _) => (edit, change, 0.9),
            ([.., (edit, change)], _) => (edit, change, 0.75),
            ([], [(edit, change)]) if !hidden => (edit, change, 0.75),
            _ => return None,
        };
        let restates = match change.statement {
            Statement::Same => false,
            Statement::Touched => !named(change) && signature.kind != "parse",
            Statement::Changed => true,
        };
        if restates || change.evades() || ((hidden || error.hidden) && !named(change)) {
            return None;
        }
        if change.only_removes() && signature.kind != "no-goals" {
            return None;
        }
        if change.height() > MOST_LINES {
            confidence -= 0.25;
        }
        if !signature.is_specific() {
            confidence -= 0.35;
        }
        Some(Fix { edit, change, confidence, named: named(change) })
    }
}

struct Fix<'a> {
    edit: &'a Edit,
    change: &'a Change,
    confidence: f64,
    named: bool,
}

impl Edit {
    fn in_words(&self) -> Vec<String> {
        self.changes.iter().filter(|change| !change.is_empty()).map(Change::in_words).collect()
    }
}
