//! Edits of files by the client's tools: refused before they are written, looked at again after.
//!
//! Before an edit nothing but the log is touched, and the database is opened only where it can change
//! the answer. After it, lifts that hold for one edit are used up, and remarks are made.

use std::path::{Path, PathBuf};

use super::change::Surroundings;
use super::known::{self, Known};
use super::past::Past;
use super::project_files::{LARGEST, on_disk, real};
use super::session::{Kept, Session};
use super::{failing, protected_paths, renamed_lemmas};
use crate::app::App;
use crate::files;
use crate::guard::{self, Finding, Level, Tense, Verdict, coaching, is_lean, is_lockable};
use crate::hook::{Event, FileUse, Reply};
use crate::lean::{self, Comparison, Outline, last_part};
use crate::model::{Edit, GuardEntry};
use crate::premises::{self, Stated};
use crate::text::clean;

/// After so many refusals the same one comes with other advice.
const COACHED_AFTER: usize = 2;

/// Remarks of one edit that are made; the others are counted.
const MOST_REMARKS: usize = 5;

struct Case<'a> {
    event: &'a Event,
    file: &'a FileUse,
    past: Option<Past>,
    path: PathBuf,
    name: String,
    tense: Tense,
}

struct Judged {
    verdict: Verdict,
    /// What was let pass, as the log has it.
    passed: Vec<GuardEntry>,
    known: Known,
    /// What is said last where the edit is refused.
    way: &'static str,
}

pub fn before(app: &mut App, event: &Event, file: &FileUse) -> Reply {
    answered(app, event, file, Tense::Would).0
}

/// The answer, and the outline of the file where it was seen.
pub fn after(app: &mut App, event: &Event, file: &FileUse) -> (Reply, Option<Outline>) {
    answered(app, event, file, Tense::Has)
}

fn answered(
    app: &mut App,
    event: &Event,
    file: &FileUse,
    tense: Tense,
) -> (Reply, Option<Outline>) {
    let Some(case) = Case::of(app, event, file, tense) else { return Default::default() };
    if let Some(judged) = case.beside_lean(app) {
        return (case.answer(app, &judged, Vec::new()), None);
    }
    if !is_lean(&case.path) {
        return Default::default();
    }
    let Texts { before, after } = match case.texts() {
        Ok(Some(texts)) => texts,
        Ok(None) => return Default::default(),
        Err(cause) => return (case.not_looked(app, &cause), None),
    };
    let is_done = tense == Tense::Has;
    if let Some(past) = case.past.as_ref().filter(|_| is_done) {
        for kept in [Kept::First, Kept::Seen] {
            past.session.keep(kept, &case.path, before.as_bytes());
        }
    }
    if before == after {
        return Default::default();
    }
    let mut policy = known::policy(app, event);
    let mut unread = None;
    if is_done {
        unread = app.existing_store().err().map(|error| known::unread(app, &error));
        policy.false_lemmas = known::false_lemmas(app);
    }
    let comparison = Comparison::of(&before, &after);
    // The database is opened only where it can matter: for the locks before, because they decide what a change of a
    // statement is, for the rest after.
    let mut known = is_lockable(&comparison).then(|| Known::load(app, event));
    if let Some(known) = &mut known {
        known.lock(&mut policy);
    }
    let around = Surroundings::new(app, case.past.as_ref(), policy, is_done);
    let mut changes = [around.judge(&case.path, &comparison, None, true)];
    around.settle(app, &mut changes);
    let [change] = changes;
    let least = if is_done { Level::Warn } else { Level::Ask };
    if known.is_none() && change.findings.iter().any(|finding| finding.level >= least) {
        known = Some(Known::load(app, event));
    }
    let mut judged = case.excused(change.findings.clone(), known.unwrap_or_default());
    if change.takes_young_proof(&judged.verdict.refused()) {
        judged.way = failing::WAY;
    }
    judged.known.trouble = judged.known.trouble.or(unread);
    let mut said = Vec::new();
    if is_done {
        said = renamed_lemmas::notice(app, &comparison);
        said.extend(known_already(app, event, &comparison));
    }
    (case.answer(app, &judged, said), Some(comparison.new.outline))
}

/// New theorems that state what one of a package states, each told once in a session.
fn known_already(app: &App, event: &Event, change: &Comparison<'_>) -> Vec<String> {
    let found = premises::stated(app, change).unwrap_or_else(|error| {
        app.log.line(app.now, "premises", &format!("{error:#}"));
        Vec::new()
    });
    let mut said = Vec::new();
    for Stated { new, name, module } in found {
        if known::first_time(app, &event.session, &format!("stated {new}")) {
            let [new, name, module] = [new, name, module].map(|text| clean(&text));
            said.push(format!("`{new}` states the same as `{name}` in `{module}`."));
        }
    }
    said.truncate(MOST_REMARKS);
    said
}

impl<'a> Case<'a> {
    /// `None` where edits are not guarded.
    fn of(app: &App, event: &'a Event, file: &'a FileUse, tense: Tense) -> Option<Self> {
        let path = match &event.cwd {
            Some(folder) => folder.join(&file.path),
            None => file.path.clone(),
        };
        // A link may have any name.
        let path = Some(real(&path)).filter(|real| is_lean(real)).unwrap_or(path);
        let name = app.project.stable_path(&path);
        let past = Session::of(app, &event.session).map(Past::of);
        known::is_on(app).then_some(Self { event, file, past, path, name, tense })
    }

    /// The verdict on an edit of what belongs to the guard itself, or on an option of Lean that a
    /// `lakefile.toml` gets for every file.
    fn beside_lean(&self, app: &mut App) -> Option<Judged> {
        let texts = || self.texts().ok().flatten();
        let (rule, detail) = protected_paths::changed_by_edit(app, &self.path, texts)?;
        let level = known::policy(app, self.event).level(rule);
        let known = Known::load(app, self.event);
        Some(self.excused(vec![Finding::of_file(rule, level, &detail)], known))
    }

    fn texts(&self) -> Result<Option<Texts>, String> {
        match self.tense {
            Tense::Would => ahead(&self.path, self.file),
            _ => behind(self.file).map(Some),
        }
    }

    /// Lets pass what a person lifted or agreed to.
    fn excused(&self, mut findings: Vec<Finding>, known: Known) -> Judged {
        let mut passed = Vec::new();
        findings.retain_mut(|one| !known.excuse(self.event, &self.name, one, &mut passed));
        Judged { verdict: Verdict::of(findings), passed, known, way: "" }
    }

    /// The answer. `said` are sentences beside the findings.
    fn answer(&self, app: &mut App, judged: &Judged, said: Vec<String>) -> Reply {
        let is_ahead = self.tense == Tense::Would;
        let known = &judged.known;
        let least = if is_ahead { Level::Ask } else { Level::Deny };
        let findings = judged.verdict.findings.iter().cloned();
        let (refused, mut news): (Vec<_>, Vec<_>) = findings.partition(|one| one.level >= least);
        news.retain(|finding| !is_ahead && known.is_news(finding, &self.name));
        let told = refused.iter().chain(&news).map(|finding| known::entry(finding, &self.name));
        let passed = judged.passed.iter().filter(|_| !is_ahead).cloned();
        let entries = passed.chain(told).collect();
        let mut remarks: Vec<String> = news.iter().map(|one| one.sentence(self.tense)).collect();
        known::count_rest(&mut remarks, MOST_REMARKS);
        remarks.extend(said);
        let refused = Verdict::of(refused);
        let is_refused = !refused.findings.is_empty();
        let reason = is_refused.then(|| self.reason(app, judged, &refused));
        if known.trouble.is_none() {
            known::log(app, self.event, entries);
        }
        match reason {
            Some(reason) if refused.decision() == Level::Ask => {
                let asked = refused.listed(Tense::Would, false);
                let person = format!("math-forge asked you about this edit:\n{asked}");
                Reply::Ask { reason, person }
            }
            Some(reason) if is_ahead => Reply::Deny { reason },
            Some(reason) => Reply::Block { reason: format!("{reason}\n{}", remarks.join("\n")) },
            None => {
                // The person is told about the database once in a session.
                let is_news = |_: &&str| known::first_time(app, &self.event.session, "database");
                let trouble = known.trouble.as_deref().filter(is_news);
                if remarks.is_empty() {
                    let tell = |trouble| Reply::Tell(format!("math-forge: {trouble}"));
                    return trouble.map_or(Reply::Silence, tell);
                }
                remarks.extend(trouble.map(str::to_owned));
                Reply::Note(format!("math-forge: {}", remarks.join("\n")))
            }
        }
    }

    /// The text of a refusal; from the third one on with other advice.
    fn reason(&self, app: &mut App, judged: &Judged, verdict: &Verdict) -> String {
        let refused = verdict.refused();
        let times = refused
            .iter()
            .take(MOST_REMARKS)
            .map(|finding| (*finding, judged.known.times(self.event, finding, &self.name)));
        // Of those that came as often the first.
        let again = times.filter(|(_, times)| *times >= COACHED_AFTER);
        let again = again.reduce(|most, one| if one.1 > most.1 { one } else { most });
        let mut text = match again {
            Some((finding, times)) => {
                let way = verdict.last_way(&self.name);
                let advice = coaching(finding, times, &known::tried(app, finding), &way);
                format!("{}\n{advice}", verdict.told(self.tense, false))
            }
            None => verdict.reason(self.tense, &self.name),
        };
        let names = refused.iter().filter_map(|one| one.declaration.as_deref());
        let mut names = names.filter(|name| !name.is_empty()).peekable();
        if verdict.decision() == Level::Ask {
            text.push_str(match names.peek() {
                Some(_) => "\nYes applies to what is named here, for this session.",
                None => "\nYes applies to this edit.",
            });
            if let Some(name) = names.find(|name| known::prompt_names(self.event, name)) {
                let said = format!(" The last prompt names `{}`.", last_part(name));
                text.push_str(&said);
            }
        }
        text.push_str(judged.way);
        if let Some(trouble) = &judged.known.trouble {
            text.push('\n');
            text.push_str(trouble);
        }
        text
    }

    /// What the person is told where the edit could not be looked at, once for a file and session.
    fn not_looked(&self, app: &App, cause: &str) -> Reply {
        let line = format!("did not look at an edit of {}: {cause}", self.path.display());
        app.log.line(app.now, "guard", &line);
        let mark = format!("file {}", self.name);
        if self.tense == Tense::Would || !known::first_time(app, &self.event.session, &mark) {
            return Reply::Silence;
        }
        Reply::Tell(format!("math-forge could not check the edit of `{}`: {cause}.", self.name))
    }
}

/// A file before and after an edit, without a byte order mark and with `\n` for line ends.
#[derive(Debug)]
pub(super) struct Texts {
    pub(super) before: String,
    pub(super) after: String,
}

const NOT_SAID: &str = "the client did not say what was written";

/// The texts of an edit that is about to be made; `None` where it is not certain what the client
/// will make of it.
fn ahead(path: &Path, file: &FileUse) -> Result<Option<Texts>, String> {
    let Some(edit) = &file.edit else { return Ok(None) };
    let before = on_disk(path)?;
    let after = guard::replay(&before, edit);
    Ok(after.map(|after| Texts { before, after }))
}

/// The texts of an edit that was made: what this edit wrote, not what others wrote since.
fn behind(file: &FileUse) -> Result<Texts, String> {
    let original = file.original.as_ref().ok_or(NOT_SAID)?;
    if original.len() as u64 > LARGEST {
        return Err(files::too_large(LARGEST));
    }
    let before = lean::decode(original.as_bytes()).text;
    let written = match &file.edit {
        Some(Edit::Write { content }) => Some(lean::decode(content.as_bytes()).text),
        edit => guard::apply(original, &file.patch)
            .map(|after| lean::decode(after.as_bytes()).text)
            .or_else(|| guard::replay(&before, edit.as_ref()?)),
    };
    // The disk may hold what another process wrote since; it is no witness.
    let after = written.ok_or(NOT_SAID)?;
    Ok(Texts { before, after })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Hunk, Replacement};

    fn edit(old: &str, new: &str) -> Edit {
        let one = Replacement { old: old.to_owned(), new: new.to_owned(), all: false };
        Edit::Replace(vec![one])
    }

    #[test]
    fn what_was_written_is_what_the_patch_says() {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let patch = |texts: &[&str]| vec![Hunk { old_start: 1, lines: lines(texts) }];
        let known = |original: Option<&str>, edit: Option<Edit>, patch: Vec<Hunk>| {
            let original = original.map(str::to_owned);
            let file = FileUse { edit, original, patch, ..FileUse::default() };
            behind(&file).map(|texts| (texts.before, texts.after))
        };
        let is = |before: &str, after: &str| Ok((before.into(), after.into()));
        let write = Some(Edit::Write { content: "\u{feff}w\r\n".to_owned() });
        // The patch wins over the strings: the client had turned the quotes.
        assert_eq!(
            known(Some("“a”\n"), Some(edit("\"a\"", "\"b\"")), patch(&["-“a”", "+“b”"])),
            is("“a”\n", "“b”\n")
        );
        assert_eq!(
            known(Some("\u{feff}a\n"), None, patch(&["-\u{feff}a", "+\u{feff}b"])),
            is("a\n", "b\n")
        );
        assert_eq!(known(Some("a\n"), Some(edit("a", "b")), Vec::new()), is("a\n", "b\n"));
        assert_eq!(known(Some("a\n"), Some(edit("a", "b")), patch(&["-z"])), is("a\n", "b\n"));
        assert!(known(Some("\"\n"), Some(edit("“", "”")), Vec::new()).is_err());
        assert!(known(Some("\"\n"), Some(edit("“", "”")), patch(&["-z"])).is_err());
        assert_eq!(known(Some("a"), write.clone(), Vec::new()), is("a", "w\n"));
        assert!(known(None, write, Vec::new()).is_err());
        assert!(known(None, None, Vec::new()).is_err());
        assert!(known(Some("a"), None, Vec::new()).is_err());
    }
}
