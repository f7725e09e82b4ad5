//! What is said beside a command's output about the errors in it: known fixes, and that an error stays. It is
//! remembered how often a session met an error, what it was told, and whether that helped.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::Remark;
use super::asking::{Asking, Ended};
use super::lessons::edit_lines;
use crate::app::guard::renamed_lemmas;
use crate::app::{App, inject, transcript_end};
use crate::brief::estimate;
use crate::files;
use crate::hook::{Event, Occasion, Tool};
use crate::lean;
use crate::lean::diagnostics::{Looked, looked};
use crate::learn::events::{Act, Event as Learnt, same_target};
use crate::learn::lessons::{self, Pattern, Printed, Seen};
use crate::model::{Finding, LessonDetail};
use crate::store::{Injection, Shown, Sighting, StoreError, Writer};
use crate::text::{clean, clip};

/// An output without an error costs a look at its bytes. What goes wrong is logged, never said.
pub fn learn_note(app: &mut App, event: &Event) -> Option<String> {
    let (tool, failed) = match &event.occasion {
        Occasion::PostToolUse(tool) => (tool, false),
        Occasion::PostToolUseFailure(tool) => (tool, true),
        _ => return None,
    };
    let (text, is_about_lean) = match tool {
        Tool::Bash { command, background: false, printed, interrupted: false, .. } => {
            (printed, command.contains("lake") || command.contains("lean"))
        }
        Tool::Server(used) if !used.interrupted => {
            (&used.said, looked(&used.tool) == Some(Looked::Files))
        }
        _ => return None,
    };
    if event.session.is_empty()
        || !(is_about_lean || lessons::may_hold_error(text))
        || super::is_excluded(app)
    {
        return None;
    }
    let (name, input) = match tool {
        Tool::Bash { command, .. } => ("Bash", vec![("command".to_owned(), command.clone())]),
        Tool::Server(used) => (used.tool.as_str(), used.input.clone()),
        _ => return None,
    };
    let printed = Printed::read(name, input, text, failed)?;
    if printed.errors().is_empty() && !printed.is_build() {
        return None;
    }
    note(app, event, &printed).unwrap_or_else(|error| {
        app.log.line(app.now, "learn", &format!("{error:#}"));
        None
    })
}

fn note(app: &mut App, event: &Event, printed: &Printed) -> anyhow::Result<Option<String>> {
    let session = event.session.as_str();
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let sightings = store.sightings(session)?;
    if printed.errors().is_empty() && sightings.iter().all(|one| one.resolved) {
        return Ok(None);
    }
    let (shown, said) = (store.lessons_shown(session)?, store.injections(session)?);
    let places: Vec<Place> =
        printed.errors().iter().map(|error| Place::of(app, event, &error.file)).collect();
    let memory = Memory { session, printed, places: &places, sightings: &sightings, shown: &shown };
    let mut remarks = Vec::new();
    if inject::is_on(app) {
        remarks = advice_on(app, printed, Told::of(&shown, &said))?;
        remarks.extend(memory.stuck(app, event, &said)?);
        if let Some(ended) = memory.ended()
            && let Some(asking) = Asking::of(app, &said)?
        {
            remarks.extend(asking.about(&ended));
        }
    }
    let rows: Vec<Injection> = remarks.iter().map(|one| one.row(app, event)).collect();
    let now = app.now;
    let Some(store) = app.existing_store()? else { return Ok(None) };
    // What cannot be remembered is not said: it would be said again and again.
    store.write(now, |writer| {
        memory.keep(writer)?;
        for row in &rows {
            if let Some(id) = row.finding {
                writer.lesson_shown(id, session, &row.why)?;
            }
            writer.note_injection(row)?;
        }
        Ok(())
    })?;
    let text = remarks.into_iter().map(|one| one.line).collect::<Vec<_>>().join("\n");
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn before<'a>(sightings: &'a [Sighting], signature: &str, target: &str) -> Option<&'a Sighting> {
    sightings.iter().find(|one| one.signature == signature && one.target == target)
}

struct Place {
    /// As it is stored; empty for what is about no file.
    target: String,
    path: Option<PathBuf>,
}

impl Place {
    /// Lake names files from the package's folder, Lean as they were given to it.
    fn of(app: &App, event: &Event, file: &str) -> Self {
        let plain = file.trim_start_matches("./");
        if plain.is_empty() {
            return Self { target: String::new(), path: None };
        }
        let folders = [event.cwd.as_deref(), Some(app.project.root.as_path())];
        let paths = folders.into_iter().flatten().map(|folder| folder.join(plain));
        match paths.into_iter().find(|path| path.is_file()) {
            Some(path) => Self { target: app.project.stable_path(&path), path: Some(path) },
            None => Self { target: plain.to_owned(), path: None },
        }
    }

    /// A server answers at once and is asked again about the same text: that is no new build.
    fn counts(&self, printed: &Printed, known: Option<&Sighting>) -> bool {
        let is_anew =
            || known.is_none_or(|known| known.builds == 0 || self.is_edited_since(&known.last_at));
        printed.is_build() && (!printed.is_of_server() || is_anew())
    }

    /// In a later second than `at`, a time of the database; what cannot be seen counts as written.
    fn is_edited_since(&self, at: &str) -> bool {
        let modified = self.path.as_deref().and_then(modified);
        let at = jiff::civil::DateTime::strptime("%Y-%m-%d %H:%M:%S", at)
            .and_then(|time| time.to_zoned(jiff::tz::TimeZone::UTC));
        match (modified, at) {
            (Some(modified), Ok(at)) => modified.as_second() > at.timestamp().as_second(),
            _ => true,
        }
    }
}

fn modified(path: &Path) -> Option<Timestamp> {
    Timestamp::try_from(fs::metadata(path).ok()?.modified().ok()?).ok()
}

struct Memory<'a> {
    session: &'a str,
    printed: &'a Printed,
    places: &'a [Place],
    sightings: &'a [Sighting],
    shown: &'a [Shown],
}

impl Memory<'_> {
    fn gone(&self) -> Vec<&Sighting> {
        let open = self.sightings.iter().filter(|one| !one.resolved && !one.target.is_empty());
        open.filter(|one| {
            let known = self.sightings.iter().filter(|other| other.target == one.target);
            let known: Vec<&str> = known.map(|other| other.signature.as_str()).collect();
            self.printed.is_gone(&one.signature, &one.target, &known)
        })
        .collect()
    }

    fn stuck(
        &self,
        app: &mut App,
        event: &Event,
        said: &[Injection],
    ) -> anyhow::Result<Option<Remark>> {
        if !self.printed.is_build() {
            return Ok(None);
        }
        for (error, place) in self.printed.errors().iter().zip(self.places) {
            let signature = error.signature.to_string();
            let known = before(self.sightings, &signature, &place.target);
            let counts = place.counts(self.printed, known);
            let before = known.filter(|one| !one.resolved).map_or(0, |one| one.builds);
            // Once in a stretch of builds that all have it.
            if counts && before + 1 == BUILDS {
                let is_first = !said.iter().any(|row| row.kind == STAYS);
                let path = place.path.as_deref();
                let theorem = path.and_then(|path| theorem_at(path, error.line?));
                let mut tried = tried(app, theorem.as_deref(), &place.target)?;
                tried.extend(edits(event, &place.target));
                let at = theorem.as_deref().unwrap_or(&place.target);
                let mut line = stays(error, at, tried, self.shown);
                if is_first && error.signature.is_about_a_goal() {
                    line.push_str(FIRST);
                }
                let label = format!("stays: {signature}");
                let why = signature;
                return Ok(Some(Remark {
                    line,
                    kind: STAYS,
                    rule: ERROR,
                    label,
                    why,
                    lesson: None,
                }));
            }
        }
        Ok(None)
    }

    /// A statement turned out false, or a gap took the place of an error that did not go away.
    fn ended(&self) -> Option<Ended> {
        let refuted = || {
            let mut errors = self.printed.errors().iter().zip(self.places);
            errors.find_map(|(error, place)| {
                let kind = error.signature.kind.as_str();
                let is_false = matches!(kind, "false-proposition" | "counter-example");
                let ask = |path: &PathBuf| {
                    let theorem = theorem_at(path, error.line?)?;
                    let (file, says) = (place.target.clone(), error.says.clone());
                    Some(Ended::Refuted { theorem, file, says })
                };
                place.path.as_ref().filter(|_| is_false && self.printed.is_build()).and_then(ask)
            })
        };
        let given_up = || {
            self.gone().into_iter().find_map(|one| {
                let is_one = one.builds >= BUILDS && self.printed.has_gap(&one.target);
                is_one.then(|| Ended::GivenUp(one.clone()))
            })
        };
        refuted().or_else(given_up)
    }

    /// `true` where the failure is gone, `false` where it is back although something was changed.
    fn outcomes(&self, gone: &[&Sighting]) -> Vec<(i64, bool)> {
        let mut outcomes = Vec::new();
        for shown in self.shown.iter().filter(|one| one.is_open) {
            let errors = self.printed.errors().iter().zip(self.places);
            let is_again = errors
                .filter(|(error, _)| error.signature.to_string() == shown.signature)
                .filter(|(_, place)| {
                    before(self.sightings, &shown.signature, &place.target).is_some()
                })
                // What was only tried out stands in no file.
                .filter(|(_, place)| !(self.printed.is_of_server() && place.target.is_empty()))
                .any(|(_, place)| place.is_edited_since(&shown.at));
            if is_again {
                outcomes.push((shown.lesson, false));
            } else if gone.iter().any(|one| one.signature == shown.signature) {
                outcomes.push((shown.lesson, true));
            }
        }
        outcomes
    }

    fn keep(&self, writer: &Writer<'_>) -> Result<(), StoreError> {
        let gone = self.gone();
        for one in &gone {
            writer.error_resolved(self.session, &one.signature, &one.target)?;
        }
        for (lesson, worked) in self.outcomes(&gone) {
            writer.lesson_turned_out(lesson, self.session, worked)?;
        }
        for (error, place) in self.printed.errors().iter().zip(self.places) {
            let signature = error.signature.to_string();
            let known = before(self.sightings, &signature, &place.target);
            let counts = place.counts(self.printed, known);
            writer.saw_error(self.session, &signature, &place.target, counts)?;
        }
        Ok(())
    }
}

/// Pieces of advice for one output, and their tokens together.
const MOST: usize = 2;

const BUDGET: usize = 120;

const MOST_LINES: usize = 6;
const EDIT_WIDTH: usize = 90;

/// Lessons that came back so often, and never helped, are not shown any more.
const USELESS: u64 = 3;

struct Told {
    lessons: HashSet<i64>,
    /// Signatures of errors about which another thing than a lesson was said.
    signatures: HashSet<String>,
}

impl Told {
    fn of(shown: &[Shown], said: &[Injection]) -> Self {
        let named = said.iter().filter(|row| row.kind == NAMED);
        Self {
            lessons: shown.iter().map(|one| one.lesson).collect(),
            signatures: named.map(|row| row.why.clone()).collect(),
        }
    }
}

/// Rule, in the ledger, of what is said about an error.
const ERROR: &str = "error";

const NAMED: &str = "name";

fn advice_on(app: &mut App, printed: &Printed, mut told: Told) -> anyhow::Result<Vec<Remark>> {
    let mut found: Vec<Remark> = Vec::new();
    let mut left = BUDGET;
    for error in printed.errors().iter().filter(|error| error.is_telling) {
        if found.len() >= MOST {
            break;
        }
        let Some((lesson, texts)) = about(app, error, &told)? else { continue };
        let fits = |text: &&String| estimate(text) <= left;
        // The first is said in any case: its texts are of bounded length.
        let text = texts.iter().find(fits).or(texts.last().filter(|_| found.is_empty()));
        let Some(line) = text.cloned() else { continue };
        left = left.saturating_sub(estimate(&line));
        let why = error.signature.to_string();
        let (kind, label) = if let Some(id) = lesson {
            told.lessons.insert(id);
            ("lesson", format!("#{id}"))
        } else {
            told.signatures.insert(why.clone());
            (NAMED, why.clone())
        };
        found.push(Remark { line, kind, rule: ERROR, label, why, lesson });
    }
    Ok(found)
}

fn about(
    app: &mut App,
    error: &Seen,
    told: &Told,
) -> anyhow::Result<Option<(Option<i64>, Vec<String>)>> {
    let signature = error.signature.to_string();
    if let Some(name) = lessons::unknown_name(&error.signature)
        && !told.signatures.contains(&signature)
    {
        if let Some(text) = renamed_lemmas::renamed(app, &name)? {
            return Ok(Some((None, vec![format!("math-forge: {text}")])));
        }
        if let Some(text) = known_theorem(app, &name)? {
            return Ok(Some((None, vec![text])));
        }
    }
    let project = app.project_identity();
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let known = store.lessons_about(&signature, project.as_deref())?;
    let fits = known.iter().filter_map(|finding| {
        let lesson = finding.content.lesson()?;
        let like = lessons::likeness(&error.signature, lesson.signature.as_deref()?)?;
        let is_useless = lesson.success_count == 0 && lesson.recurred >= USELESS;
        let is_new = !is_useless && !told.lessons.contains(&finding.id);
        is_new.then_some((like, finding, lesson))
    });
    // Of those that fit as well the first.
    let best = fits.reduce(|best, one| if one.0 > best.0 { one } else { best });
    Ok(best.map(|(like, finding, lesson)| (Some(finding.id), texts(finding, lesson, like))))
}

fn known_theorem(app: &mut App, name: &str) -> anyhow::Result<Option<String>> {
    /// Shorter names without an underscore are found anywhere.
    const TELLING: usize = 8;
    let last = lean::last_part(name);
    if !last.contains('_') && last.chars().count() < TELLING {
        return Ok(None);
    }
    let project = app.project_identity();
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let found = store.theorems_named(last, project.as_deref())?;
    let found = found.into_iter().next().map(|one| {
        let how = if one.verified { "proved" } else { "claimed, not verified," };
        format!(
            "math-forge #{}: `{}` is {how} in {}.",
            one.id,
            clip(&clean(&one.name), EDIT_WIDTH),
            clip(&clean(&one.file), EDIT_WIDTH)
        )
    });
    Ok(found)
}

/// A lesson in words: with its edit, where that says more, without it, and short.
fn texts(finding: &Finding, lesson: &LessonDetail, like: f64) -> Vec<String> {
    let what = match lesson.pattern == Pattern::StillFailing.as_str() {
        true => "tried before, in vain",
        false if like < 1.0 => "a similar error, before",
        false => "this error, before",
    };
    let what_worked = clean(&lesson.what_worked);
    let record = lesson.record();
    let about = if record.is_empty() { what.to_owned() } else { format!("{what}; {record}") };
    let sentence = |text: &str| format!("math-forge #{} ({about}): {text}", finding.id);
    let plain = sentence(&clip(&what_worked, 3 * EDIT_WIDTH));
    let mut texts = Vec::new();
    let edit: Vec<String> = edit_lines(&finding.content.description)
        .map(|line| format!("  {}", clip(clean_end(line).as_str(), EDIT_WIDTH)))
        .collect();
    let says_more = what_worked.contains('…') || edit.len() > 2;
    if says_more && edit.len() <= MOST_LINES {
        texts.push(format!("{plain}\n{}", edit.join("\n")));
    }
    texts.push(plain);
    texts.push(sentence(&clip(&what_worked, EDIT_WIDTH)));
    texts
}

/// A line of code without what hides from a reader; its indentation stays.
fn clean_end(line: &str) -> String {
    crate::text::clean_block(line).replace(['\t', '\n'], " ")
}

/// Builds in a row after which an error counts as one that does not go away.
const BUILDS: u64 = 3;

const STAYS: &str = "stagnation";

const MOST_TRIED: usize = 3;
const WIDTH: usize = 60;

/// What is said once in a session, where it is about a goal.
const FIRST: &str = " Before another attempt: test the statement for falsity (`decide`, a small \
    case), or split it into lemmas.";

const LONGEST_FILE: u64 = 2 * 1024 * 1024;

fn tried(app: &mut App, theorem: Option<&str>, target: &str) -> anyhow::Result<Vec<String>> {
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let known = store.tried(theorem, target, MOST_TRIED)?;
    Ok(known.iter().map(|title| clip(&clean(title), WIDTH)).collect())
}

fn edits(event: &Event, target: &str) -> Vec<String> {
    if target.is_empty() {
        return Vec::new();
    }
    let mut words: Vec<String> = Vec::new();
    for record in transcript_end::records(event).iter().rev() {
        let act = Learnt::from(record).act;
        let is_its = |act: &Act| {
            let mut targets = act.call.targets.iter();
            act.is_edit() && targets.any(|one| same_target(one, target))
        };
        let Some(act) = act.filter(is_its) else { continue };
        for change in act.changes.iter().rev().filter(|change| !change.is_empty()) {
            let one = clip(&clean(&change.in_words()), WIDTH);
            if !words.contains(&one) {
                words.push(one);
            }
        }
        if words.len() >= MOST_TRIED {
            break;
        }
    }
    words.truncate(MOST_TRIED);
    words.reverse();
    words
}

fn stays(error: &Seen, place: &str, mut tried: Vec<String>, shown: &[Shown]) -> String {
    let signature = error.signature.to_string();
    let lessons: Vec<String> = shown
        .iter()
        .filter(|one| one.signature == signature)
        .map(|one| format!("#{}", one.lesson))
        .collect();
    if !lessons.is_empty() {
        tried.push(format!("what {} says", lessons.join(", ")));
    }
    tried.truncate(MOST_TRIED);
    let place = clip(&clean(place), WIDTH);
    let mut line = format!(
        "math-forge: the same error in {BUILDS} builds now{}{place}: {}.",
        if place.is_empty() { "" } else { ", in " },
        clip(clean(&error.says).trim_end_matches('.'), 2 * WIDTH)
    );
    if !tried.is_empty() {
        write!(line, " Tried already: {}.", tried.join("; ")).ok();
    }
    line
}

fn theorem_at(path: &Path, line: u32) -> Option<String> {
    let bytes = files::read(path, LONGEST_FILE).ok()?;
    let text = lean::decode(&bytes).text;
    let line = usize::try_from(line).ok()?;
    let outline = lean::skim(&text);
    let around = |one: &&lean::Declaration| one.line <= line && line <= one.end_line;
    outline.declarations.iter().find(around)?.name.clone()
}
