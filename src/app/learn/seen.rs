//! What is said beside a command's output about the errors in it, and what is remembered of them: how
//! often a session met them, what it was told, and whether that helped.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::fixes::{self, Advice, Told};
use super::stagnation::{self, Stuck};
use crate::app::{App, inject};
use crate::brief::estimate;
use crate::files;
use crate::hook::{Event, Occasion, Tool};
use crate::lean::diagnostics::{Looked, looked};
use crate::learn::lessons::{self, Printed};
use crate::store::{Injection, Shown, Sighting, StoreError, Writer};

/// What to say beside the output of a command or of a tool that checks Lean code: known fixes for the errors in it, and that an error does
/// not go away. `None` for every other event, and where nothing is known.
///
/// An output without an error costs a look at its bytes; the database is opened where there is one, and
/// after a check of Lean code in a session that has errors open. What goes wrong is logged, never said.
pub fn learn_note(app: &mut App, event: &Event) -> Option<String> {
    let (tool, failed) = match &event.occasion {
        Occasion::PostToolUse(tool) => (tool, false),
        Occasion::PostToolUseFailure(tool) => (tool, true),
        _ => return None,
    };
    let (is_over, is_about_lean, text) = match tool {
        Tool::Bash { command, background, printed, interrupted, .. } => {
            (!*background && !*interrupted, is_about_lean(command), printed)
        }
        Tool::Server(used) => {
            (!used.interrupted, looked(&used.tool) == Some(Looked::Files), &used.said)
        }
        _ => return None,
    };
    if !is_over || event.session.is_empty() {
        return None;
    }
    let may_end = || is_about_lean && marker(app, &event.session).exists();
    if !(lessons::may_hold_error(text) || may_end()) || super::is_excluded(app) {
        return None;
    }
    let printed = match tool {
        Tool::Bash { command, .. } => Printed::read(command, text, failed)?,
        Tool::Server(used) => Printed::of_tool(&used.tool, used.input.clone(), text, failed)?,
        _ => return None,
    };
    if printed.errors().is_empty() && !printed.is_build() {
        return None;
    }
    note(app, event, &printed).unwrap_or_else(|error| {
        app.log.line(app.now, "learn", &format!("{error:#}"));
        None
    })
}

/// The session is over: nothing of it is waited for any more.
pub(super) fn forget_marker(app: &App, session: &str) {
    fs::remove_file(marker(app, session)).ok();
}

fn is_about_lean(command: &str) -> bool {
    command.contains("lake") || command.contains("lean")
}

/// A file that stands as long as a session has an error of which it is not known to be gone, so that no
/// database need be opened to learn that there is none.
fn marker(app: &App, session: &str) -> PathBuf {
    let name: String = session.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    app.paths.state_dir.join("errors").join(name)
}

fn mark(app: &App, session: &str, is_open: bool) {
    let marker = marker(app, session);
    // Without it lessons are not counted; nothing else depends on it.
    if is_open {
        files::create(&marker, b"").ok();
    } else {
        fs::remove_file(marker).ok();
    }
}

fn note(app: &mut App, event: &Event, printed: &Printed) -> anyhow::Result<Option<String>> {
    let session = event.session.as_str();
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let (sightings, shown) = (store.sightings(session)?, store.lessons_shown(session)?);
    let places: Vec<Place> =
        printed.errors().iter().map(|error| Place::of(app, event, &error.file)).collect();
    let mut told = told(&sightings, &shown);
    let may_tell = inject::is_on(app);
    let advice = if may_tell { fixes::advice(app, printed, &mut told)? } else { Vec::new() };
    let stuck = if may_tell { stuck(app, printed, &places, &sightings, &shown)? } else { None };
    let memory = Memory { session, printed, places: &places, sightings: &sightings, shown: &shown };
    let gone = memory.gone();
    let outcomes = memory.outcomes(&gone);
    mark(app, session, memory.is_open(&gone));
    let said_of = stuck.as_ref().map(|(at, _)| *at);
    let ledger = ledger(app, event, &advice, stuck.as_ref().map(|(_, line)| line.as_str()));
    let now = app.now;
    let Some(store) = app.existing_store()? else { return Ok(None) };
    // What cannot be remembered is not said: it would be said again and again.
    store.write(now, |writer| {
        memory.keep(writer, &gone, &outcomes)?;
        memory.keep_told(writer, &advice, said_of)?;
        ledger.iter().try_for_each(|row| writer.note_injection(row))
    })?;
    let lines = advice.into_iter().map(|one| one.text).chain(stuck.map(|(_, line)| line));
    let text = lines.collect::<Vec<_>>().join("\n");
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// The rows of the ledger for what is said beside an output.
fn ledger(app: &mut App, event: &Event, advice: &[Advice], stuck: Option<&str>) -> Vec<Injection> {
    let event_name = match event.occasion {
        Occasion::PostToolUseFailure(_) => "PostToolUseFailure",
        _ => "PostToolUse",
    };
    let project = app.project_identity();
    let row = |label: String, kind: &str, text: &str| Injection {
        session: event.session.clone(),
        agent: event.agent.clone().unwrap_or_default(),
        project: project.clone(),
        event: event_name.to_owned(),
        label,
        kind: kind.to_owned(),
        form: "body".to_owned(),
        rule: "error".to_owned(),
        tokens: estimate(text) as u64,
        ..Injection::default()
    };
    let advised = advice.iter().map(|one| {
        let why = one.about.signature.to_string();
        match one.lesson {
            Some(id) => {
                Injection { finding: Some(id), why, ..row(format!("#{id}"), "lesson", &one.text) }
            }
            None => Injection { why: why.clone(), ..row(why, "name", &one.text) },
        }
    });
    let stuck = stuck.map(|line| row("an error that stays".to_owned(), "stagnation", line));
    advised.chain(stuck).collect()
}

fn told(sightings: &[Sighting], shown: &[Shown]) -> Told {
    let named = |one: &&Sighting| one.told.iter().any(|word| word == fixes::NAMED);
    Told {
        lessons: shown.iter().map(|one| one.lesson).collect(),
        signatures: sightings.iter().filter(named).map(|one| one.signature.clone()).collect(),
    }
}

/// The first error that does not go away: its place among the errors, and the line about it.
fn stuck(
    app: &mut App,
    printed: &Printed,
    places: &[Place],
    sightings: &[Sighting],
    shown: &[Shown],
) -> anyhow::Result<Option<(usize, String)>> {
    if !printed.is_build() {
        return Ok(None);
    }
    let is_said = |one: &Sighting| one.told.iter().any(|word| word == stagnation::SAID);
    let is_first = !sightings.iter().any(is_said);
    for (at, (error, place)) in printed.errors().iter().zip(places).enumerate() {
        let known = before(sightings, &error.signature.to_string(), &place.target);
        let builds = known.map_or(0, |one| one.builds) + u64::from(place.counts(printed, known));
        if stagnation::is_stuck(error, builds, sightings) {
            let path = place.path.as_deref();
            let stuck = Stuck { error, target: &place.target, path, builds, is_first };
            return Ok(Some((at, stagnation::line(app, &stuck, shown)?)));
        }
    }
    Ok(None)
}

fn before<'a>(sightings: &'a [Sighting], signature: &str, target: &str) -> Option<&'a Sighting> {
    sightings.iter().find(|one| one.signature == signature && one.target == target)
}

/// A file that a tool named.
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

    /// Whether an error in it counts as one more build that did not help. A server that answers at once
    /// is asked again about the same text.
    fn counts(&self, printed: &Printed, known: Option<&Sighting>) -> bool {
        let is_anew =
            || known.is_none_or(|known| known.builds == 0 || self.is_edited_since(&known.last_at));
        printed.is_build() && (!printed.is_of_server() || is_anew())
    }

    /// Whether the file was written since a time of the database, in a later second; what cannot be
    /// seen counts as written.
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

/// What was known of a session, and what a command now printed.
struct Memory<'a> {
    session: &'a str,
    printed: &'a Printed,
    /// Of the errors, in their order.
    places: &'a [Place],
    sightings: &'a [Sighting],
    shown: &'a [Shown],
}

impl Memory<'_> {
    /// Errors that the output shows to be gone.
    fn gone(&self) -> Vec<&Sighting> {
        let open = self.sightings.iter().filter(|one| !one.resolved && !one.target.is_empty());
        open.filter(|one| {
            let known = self.sightings.iter().filter(|other| other.target == one.target);
            let known: Vec<&str> = known.map(|other| other.signature.as_str()).collect();
            self.printed.is_gone(&one.signature, &one.target, &known)
        })
        .collect()
    }

    /// Whether an error of a file is left.
    fn is_open(&self, gone: &[&Sighting]) -> bool {
        let is_left =
            |one: &Sighting| !one.resolved && !one.target.is_empty() && !gone.contains(&one);
        self.sightings.iter().any(is_left) || self.places.iter().any(|one| !one.target.is_empty())
    }

    /// What became of lessons that were shown: `true` where the failure is gone, `false` where it is
    /// there again although something was changed.
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

    fn keep(
        &self,
        writer: &Writer<'_>,
        gone: &[&Sighting],
        outcomes: &[(i64, bool)],
    ) -> Result<(), StoreError> {
        for one in gone {
            writer.error_resolved(self.session, &one.signature, &one.target)?;
        }
        for (lesson, worked) in outcomes {
            writer.lesson_turned_out(*lesson, self.session, *worked)?;
        }
        for (error, place) in self.printed.errors().iter().zip(self.places) {
            let signature = error.signature.to_string();
            let known = before(self.sightings, &signature, &place.target);
            let counts = place.counts(self.printed, known);
            writer.saw_error(self.session, &signature, &place.target, counts)?;
        }
        Ok(())
    }

    fn keep_told(
        &self,
        writer: &Writer<'_>,
        advice: &[Advice],
        stuck: Option<usize>,
    ) -> Result<(), StoreError> {
        for one in advice {
            let signature = one.about.signature.to_string();
            match one.lesson {
                Some(id) => drop(writer.lesson_shown(id, self.session, &signature)?),
                None => self.keep_word(writer, &signature, fixes::NAMED)?,
            }
        }
        let stuck = stuck.and_then(|at| self.printed.errors().get(at));
        stuck.map_or(Ok(()), |error| {
            self.keep_word(writer, &error.signature.to_string(), stagnation::SAID)
        })
    }

    fn keep_word(
        &self,
        writer: &Writer<'_>,
        signature: &str,
        word: &str,
    ) -> Result<(), StoreError> {
        let errors = self.printed.errors().iter().zip(self.places);
        for (_, place) in errors.filter(|(error, _)| error.signature.to_string() == signature) {
            writer.told_of_error(self.session, signature, &place.target, word)?;
        }
        Ok(())
    }
}
