//! The errors that are open in a session: which checks found them, what was tried since, and which edit or command
//! mended them. Lessons, and how a session stands and ends, are told from it; hooks ask the same of one output.
//!
//! An error counts as gone only where the check is known to have looked at its file and its whole
//! output was seen. Where new errors came, or somebody wrote the file unseen, nothing is concluded.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Lesson, Pattern, keep_last};
use crate::lean::diagnostics::{Reason, Signature};
use crate::learn::events::{
    Act, Call, Change, Fault, FaultKind, Met, Outcome, Statement, Writes, general, is_lean,
    is_same_file, same_target, says_what_is_built,
};
use crate::text::{clean, clip, plural};

const MOST_FILES: usize = 20;
const MOST_ERRORS: usize = 40;
const MOST_EDITS: usize = 40;
const MOST_MET: usize = 12;

const WIDTH: usize = 200;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    /// That of the last check's first error stands last.
    files: Vec<File>,
    /// Commands that worked since the last check: `lake exe cache get`.
    commands: Vec<String>,
    /// The first words of each error, by its signature.
    pub met: BTreeMap<String, String>,
    last: LastCheck,
    gaps: usize,
}

/// How the last check of Lean code ended, as far as its output was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LastCheck {
    #[default]
    Never,
    Failed,
    Passed,
    /// It was filtered, cut or written elsewhere.
    Unseen,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct File {
    /// As the tool names it; empty for what is about none.
    path: String,
    found_by: String,
    errors: Vec<Open>,
    edits: Vec<Change>,
    /// Somebody wrote it and what they wrote was not seen.
    unseen: bool,
    /// What is built was changed since, so that a success may not be about this file.
    astray: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Open {
    fault: Fault,
    line: Option<u32>,
    text: String,
    tried: Vec<String>,
    /// It went while another error came: which edit mended it is no longer seen.
    hidden: bool,
}

impl Ledger {
    /// Takes down what a call did, and tells what it shows to be mended.
    pub fn read(&mut self, act: &Act) -> Vec<Lesson> {
        let worked = act.outcome == Outcome::Worked;
        let is_again = self.files.iter().any(|file| file.found_by == act.call.key);
        let is_check = !act.is_edit() && (act.is_build() || is_again);
        if is_check {
            // What was done before the check in the same command.
            self.wrote(&act.writes);
        }
        match (&act.outcome, act.call.targets.first()) {
            (Outcome::Void, _) => {}
            _ if is_check => return self.checked(act, is_again),
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

    fn checked(&mut self, act: &Act, is_again: bool) -> Vec<Lesson> {
        let met = act.met();
        for (one, error) in met.iter().filter_map(|one| Some((one, one.error?))) {
            if self.met.len() < MOST_MET {
                let words = || clip(&clean(&error.headline()), WIDTH);
                self.met.entry(one.fault.signature.clone()).or_insert_with(words);
            }
        }
        let key = &act.call.key;
        let is_clean = met.is_empty() && (act.passed || is_again && act.whole);
        let mut named: Vec<&str> = Vec::new();
        for path in met.iter().map(|one| one.file) {
            if named.len() < MOST_FILES && !named.iter().any(|known| is_same_file(known, path)) {
                named.push(path);
                if !self.files.iter().any(|file| is_same_file(&file.path, path)) {
                    let file = File { path: clean(path), ..File::default() };
                    keep_last(&mut self.files, file, MOST_FILES);
                }
            }
        }
        let mut lessons = Vec::new();
        for file in &mut self.files {
            let here: Vec<&Met<'_>> =
                met.iter().filter(|one| is_same_file(one.file, &file.path)).collect();
            let is_looked_at = !here.is_empty()
                || is_clean && file.found_by == *key
                || act.covers(&file.path, &file.found_by);
            if is_looked_at {
                lessons.extend(file.checked(act, &here, &self.commands));
                key.clone_into(&mut file.found_by);
            }
        }
        self.files.retain(|file| !file.errors.is_empty());
        let place =
            |file: &File| named.iter().rev().position(|path| is_same_file(path, &file.path));
        self.files.sort_by_key(place);
        self.commands.clear();
        self.last = match (met.is_empty(), is_clean) {
            (false, _) => LastCheck::Failed,
            (true, true) => LastCheck::Passed,
            (true, false) => LastCheck::Unseen,
        };
        self.gaps = act.gaps().count();
        lessons
    }

    pub(super) fn tried(&self, signature: &str) -> Vec<String> {
        let errors = self.files.iter().flat_map(|file| &file.errors);
        let same = errors.filter(|error| error.fault.signature == signature);
        same.max_by_key(|error| error.tried.len()).map(|e| e.tried.clone()).unwrap_or_default()
    }

    /// The first error of the last check that failed, with its place, unless it is known to be gone.
    pub fn last_error(&self) -> Option<String> {
        let file = self.files.last()?;
        let Open { line, text, .. } = file.errors.first()?;
        let line = line.filter(|_| !file.path.is_empty());
        Some(line.map_or_else(|| text.clone(), |line| format!("{}:{line}: {text}", file.path)))
    }

    pub fn ending(&self) -> String {
        let others = match self.files.len() {
            0 | 1 => String::new(),
            files => format!(", and {}", plural(files - 1, "other file")),
        };
        let gaps = match self.gaps {
            0 => String::new(),
            1 => ", with a gap left (`sorry`)".to_owned(),
            gaps => format!(", with {gaps} gaps left (`sorry`)"),
        };
        let first = self.files.last().and_then(|file| file.errors.first());
        match (first, self.last) {
            (_, LastCheck::Never) => "Nothing was built.".to_owned(),
            (None, LastCheck::Unseen) => "The result of the last build was not seen.".to_owned(),
            (None, _) => format!("The last build had no error{gaps}."),
            (Some(open), LastCheck::Failed) => {
                format!("The last build still failed: {}{others}.", open.text)
            }
            (Some(_), _) => {
                let open = self.last_error().unwrap_or_default();
                format!("Not known to be solved: {open}{others}.")
            }
        }
    }
}

impl Open {
    fn new(one: &Met<'_>) -> Self {
        let text = one.error.map_or_else(|| one.fault.says(), |error| error.text.clone());
        let text = clip(&clean(&text), WIDTH);
        let (fault, line) = (one.fault.clone(), one.line);
        Self { fault, line, text, tried: Vec::new(), hidden: false }
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
    fn checked(&mut self, act: &Act, here: &[&Met<'_>], commands: &[String]) -> Vec<Lesson> {
        let mut now: Vec<Open> = Vec::new();
        for one in here.iter().map(|met| Open::new(met)) {
            if !one.is_in(&now) && now.len() < MOST_ERRORS {
                now.push(one);
            }
        }
        let old = std::mem::take(&mut self.errors);
        let concluded = act.concludes(now.iter().all(|one| one.is_in(&old)));
        let (before, gone): (Vec<Open>, Vec<Open>) =
            old.into_iter().partition(|one| one.is_in(&now));
        let mut lessons = Vec::new();
        if concluded && !self.unseen {
            lessons = self.fixed(&gone, &before, &act.call, commands);
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

    fn fixed(&self, gone: &[Open], left: &[Open], by: &Call, commands: &[String]) -> Vec<Lesson> {
        if self.edits.is_empty() {
            // What is wrong around Lean is mended by commands. One command since then is the one that did it.
            let [command] = commands else { return Vec::new() };
            let around = |one: &&Open| {
                one.fault.kind == FaultKind::Other
                    && one.fault.reason == Some(Reason::Infrastructure)
            };
            let (how, went) = (format!("run `{command}`"), format!("after `{command}`"));
            return (gone.iter().filter(around)).map(|one| one.mended(&how, &went, by)).collect();
        }
        if self.astray {
            return Vec::new();
        }
        let hides = |change: &Change| change.evades() || change.statement == Statement::Changed;
        let hidden = self.edits.iter().any(hides);
        let mut lessons: Vec<Lesson> = Vec::new();
        for one in gone {
            let others: Vec<&Open> = gone.iter().chain(left).collect();
            let Some((change, confidence)) = self.fix_of(one, &others, hidden) else { continue };
            // One edit mends one error.
            if !lessons.iter().any(|told| told.fix.as_ref() == Some(change)) {
                let (how, fix) = (change.in_words(), Some(change.clone()));
                let told = one.mended(&how, &format!("after {how}"), by);
                lessons.push(Lesson { confidence, fix, ..told });
            }
        }
        lessons
    }

    /// The edit that mended an error, and how sure that is. An edit that names the error is surer than one that stands
    /// near it, and what names one of `others` is not for this one.
    fn fix_of(&self, error: &Open, others: &[&Open], hidden: bool) -> Option<(&Change, f64)> {
        let signature = Signature::parse(&error.fault.signature);
        let kind = signature.kind.as_str();
        let is_of_other = |change: &Change| {
            others.iter().any(|other| {
                let other = Signature::parse(&other.fault.signature);
                other != signature && names(&other, change)
            })
        };
        let named = |change: &Change| names(&signature, change);
        let stands_out = |change: &&Change| error.line.is_some_and(|line| change.is_at(line));
        let mut strong: Vec<&Change> = self.edits.iter().filter(|change| named(change)).collect();
        if strong.is_empty() {
            let free = self.edits.iter().filter(|change| !is_of_other(change));
            strong = free.filter(stands_out).collect();
        }
        let (change, mut confidence) = match (strong.as_slice(), self.edits.as_slice()) {
            ([one], _) => (*one, 0.9),
            ([.., one], _) => (*one, 0.75),
            ([], [one]) if !hidden && !is_of_other(one) => (one, 0.75),
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
        if !signature.is_specific() {
            confidence -= 0.35;
        }
        Some((change, confidence))
    }
}

/// Kinds of errors about a name: an edit that drops the name is for them.
fn is_unknown(kind: &str) -> bool {
    kind.starts_with("unknown-")
        || kind.starts_with("invalid-")
        || ["deprecated", "no-instance", "missing-olean", "bad-import"].contains(&kind)
}

fn names(error: &Signature, change: &Change) -> bool {
    is_unknown(&error.kind) && error.name.as_deref().is_some_and(|name| change.drops(name))
}
