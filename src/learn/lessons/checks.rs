//! Errors of Lean, edits, and what the next check says: which edit made which error go away.
//!
//! An error counts as gone only where the check is known to have looked at its file and its whole
//! output was seen. Where new errors came, or somebody wrote the file unseen, nothing is concluded.

use serde::{Deserialize, Serialize};

use super::{Lesson, Pattern, keep_last};
use crate::lean::diagnostics::{Diagnostic, Reason, Signature};
use crate::learn::events::{
    Act, Call, Change, Fault, Outcome, Statement, Writes, general, is_lean, same_target,
    says_what_is_built,
};

const MOST_FILES: usize = 20;
const MOST_ERRORS: usize = 40;
const MOST_EDITS: usize = 40;

/// Larger edits are rewrites: which part of them was the fix is not seen.
const MOST_LINES: usize = 12;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Checks {
    files: Vec<File>,
    /// Commands that worked since the last check: `lake exe cache get`.
    commands: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct File {
    path: String,
    found_by: String,
    errors: Vec<Open>,
    edits: Vec<Change>,
    /// Somebody wrote it and what they wrote was not seen.
    unseen: bool,
    /// What is built was changed since, so that a success may not be about this file.
    astray: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Open {
    fault: Fault,
    line: Option<u32>,
    tried: Vec<String>,
    /// It went while another error came: which edit mended it is no longer seen.
    hidden: bool,
}

impl Checks {
    pub(super) fn read(&mut self, act: &Act) -> Vec<Lesson> {
        let worked = act.outcome == Outcome::Worked;
        if act.call.checks_lean {
            // What was done before the check in the same command.
            self.wrote(&act.writes);
        }
        match (&act.outcome, act.call.targets.first()) {
            (Outcome::Void, _) => {}
            _ if act.call.checks_lean => return self.checked(act),
            // What the tool of a server wrote is not seen.
            (_, Some(path)) if act.is_edit() && worked && !act.is_of_server() => {
                self.edited(path, act);
            }
            _ if act.call.tool == "Bash" || act.is_edit() && worked => {
                self.wrote(&act.writes);
                let program = act.call.family.split(' ').next().unwrap_or_default();
                if worked && ["lake", "elan"].contains(&program) {
                    self.commands.push(general(&act.call.command));
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn edited(&mut self, path: &str, act: &Act) {
        let moves = says_what_is_built(path)
            || is_lean(path) && act.changes.iter().any(Change::drops_import);
        for file in &mut self.files {
            if !same_target(&file.path, path) {
                file.astray |= moves;
                continue;
            }
            for change in act.changes.iter().filter(|change| !change.is_empty()) {
                keep_last(&mut file.edits, change.clone(), MOST_EDITS);
            }
        }
    }

    fn wrote(&mut self, written: &Writes) {
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

    fn checked(&mut self, act: &Act) -> Vec<Lesson> {
        for error in act.errors() {
            let path = act.file_of(error);
            if !self.files.iter().any(|file| file.path == path) {
                let (path, found_by) = (path.to_owned(), act.call.key.clone());
                keep_last(&mut self.files, File { path, found_by, ..File::default() }, MOST_FILES);
            }
        }
        let mut lessons = Vec::new();
        for file in self.files.iter_mut().filter(|file| act.covers(&file.path, &file.found_by)) {
            lessons.extend(file.checked(act, &self.commands));
            act.call.key.clone_into(&mut file.found_by);
        }
        self.files.retain(|file| !file.errors.is_empty());
        self.commands.clear();
        lessons
    }

    pub(super) fn tried(&self, signature: &str) -> Vec<String> {
        let errors = self.files.iter().flat_map(|file| &file.errors);
        let same = errors.filter(|error| error.fault.signature == signature);
        same.max_by_key(|error| error.tried.len()).map(|e| e.tried.clone()).unwrap_or_default()
    }
}

impl Open {
    fn new(one: &Diagnostic) -> Self {
        Self { fault: Fault::of_lean(one), line: one.line, tried: Vec::new(), hidden: false }
    }

    fn is_in(&self, list: &[Self]) -> bool {
        list.iter().any(|other| other.fault.signature == self.fault.signature)
    }

    fn mended(&self, how: &str, went: &str, by: &Call) -> Lesson {
        let says = &self.fault.says;
        Lesson {
            pattern: Pattern::LeanFix,
            title: format!("{says}: {how}"),
            context: "checking Lean code".to_owned(),
            what_failed: format!("Lean says: {says}."),
            what_worked: format!("The error went away {went}."),
            tool_name: Some("lean".to_owned()),
            signature: Some(self.fault.signature.clone()),
            reason: self.fault.reason,
            confidence: 0.85,
            line: by.line,
            fix: None,
        }
    }
}

impl File {
    fn checked(&mut self, act: &Act, commands: &[String]) -> Vec<Lesson> {
        let found = act.errors_of(&self.path).map(Open::new);
        let mut now: Vec<Open> = Vec::new();
        for one in found {
            if !one.is_in(&now) && now.len() < MOST_ERRORS {
                now.push(one);
            }
        }
        let came = now.iter().any(|one| !one.is_in(&self.errors));
        let (before, gone): (Vec<Open>, Vec<Open>) =
            std::mem::take(&mut self.errors).into_iter().partition(|one| one.is_in(&now));
        let concluded = act.whole && !came || act.passed;
        let mut lessons = Vec::new();
        if concluded && !self.unseen {
            lessons = self.fixed(&gone, &act.call, commands);
        }
        let tried = || self.edits.iter().map(Change::in_words);
        for one in &mut now {
            let same = |old: &&Open| old.fault.signature == one.fault.signature;
            if let Some(old) = before.iter().find(same) {
                one.tried = old.tried.iter().cloned().chain(tried()).take(MOST_ERRORS).collect();
            }
        }
        self.errors = now;
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

    fn fixed(&self, gone: &[Open], by: &Call, commands: &[String]) -> Vec<Lesson> {
        if self.edits.is_empty() {
            // What is wrong around Lean is mended by commands. One command since then is the one that did it.
            let [command] = commands else { return Vec::new() };
            let around = |one: &&Open| one.fault.reason == Some(Reason::Infrastructure);
            let (how, went) = (format!("run `{command}`"), format!("after `{command}`"));
            return (gone.iter().filter(around)).map(|one| one.mended(&how, &went, by)).collect();
        }
        if self.astray {
            return Vec::new();
        }
        let hides = |change: &Change| change.evades() || change.statement == Statement::Changed;
        let hidden = self.edits.iter().any(hides);
        let mut gone: Vec<&Open> = gone.iter().collect();
        gone.sort_by_key(|one| one.line);
        let mut lessons: Vec<Lesson> = Vec::new();
        for one in gone {
            let Some((change, confidence, named)) = self.fix_of(one, hidden) else { continue };
            // One edit mends one error; those that follow from it are told only by their names.
            if named || !lessons.iter().any(|told| told.fix.as_ref() == Some(change)) {
                let (how, fix) = (change.in_words(), Some(change.clone()));
                let told = one.mended(&how, &format!("by {how}"), by);
                lessons.push(Lesson { confidence, fix, ..told });
            }
        }
        lessons
    }

    /// The edit that mended an error, how sure that is, and whether the error names what it changed.
    fn fix_of(&self, error: &Open, hidden: bool) -> Option<(&Change, f64, bool)> {
        let signature = Signature::parse(&error.fault.signature);
        let kind = signature.kind.as_str();
        let unknown = kind.starts_with("unknown-")
            || kind.starts_with("invalid-")
            || ["deprecated", "no-instance", "missing-olean", "bad-import"].contains(&kind);
        let named = |change: &Change| {
            let by_name = signature.name.as_deref().is_some_and(|name| change.drops(name));
            unknown && (by_name || (change.imports() && !kind.starts_with("invalid-")))
        };
        let stands_out =
            |change: &&Change| named(change) || error.line.is_some_and(|line| change.is_at(line));
        let strong: Vec<&Change> = self.edits.iter().filter(stands_out).collect();
        let (change, mut confidence) = match (strong.as_slice(), self.edits.as_slice()) {
            ([one], _) => (*one, 0.9),
            ([.., one], _) => (*one, 0.75),
            ([], [one]) if !hidden => (one, 0.75),
            _ => return None,
        };
        let named = named(change);
        let restates = match change.statement {
            Statement::Same => false,
            Statement::Touched => !named && kind != "parse",
            Statement::Changed => true,
        };
        if restates || change.evades() || ((hidden || error.hidden) && !named) {
            return None;
        }
        if change.only_removes() && kind != "no-goals" {
            return None;
        }
        if change.height() > MOST_LINES {
            confidence -= 0.25;
        }
        if !signature.is_specific() {
            confidence -= 0.35;
        }
        Some((change, confidence, named))
    }
}
