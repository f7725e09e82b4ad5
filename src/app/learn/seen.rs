//! What is said beside a command's output about the errors in it, and what is remembered of them: how
//! often a session met them, what it was told, and whether that helped.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::asking::{Asking, Ended};
use super::fixes::{self, Advice, Told};
use super::stagnation;
use crate::app::{App, inject};
use crate::brief::estimate;
use crate::hook::{Event, Occasion, Tool};
use crate::lean::diagnostics::{Looked, looked};
use crate::learn::lessons::{self, Printed};
use crate::store::{Injection, Shown, Sighting, StoreError, Writer};

/// What to say beside the output of a command or of a tool that checks Lean code: known fixes for the errors in it, and that an error does
/// not go away. `None` for every other event, and where nothing is known.
///
/// An output without an error costs a look at its bytes; the database is opened where there is one, and
/// after a check of Lean code. What goes wrong is logged, never said.
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
    let (mut advice, mut stuck, mut ask) = (Vec::new(), None, None);
    if inject::is_on(app) {
        advice = fixes::advice(app, printed, Told::of(&shown, &said))?;
        stuck = memory.stuck(app, event, &said)?;
        if let Some(ended) = memory.ended() {
            ask = Asking::of(app, &said)?.and_then(|asking| asking.about(&ended));
        }
    }
    let mut ledger = ledger(app, event, &advice, stuck.as_ref());
    ledger.extend(ask.as_ref().map(|ask| ask.row(app, event)));
    let now = app.now;
    let Some(store) = app.existing_store()? else { return Ok(None) };
    // What cannot be remembered is not said: it would be said again and again.
    store.write(now, |writer| {
        memory.keep(writer)?;
        for one in &advice {
            if let Some(id) = one.lesson {
                writer.lesson_shown(id, session, &one.about.signature.to_string())?;
            }
        }
        ledger.iter().try_for_each(|row| writer.note_injection(row))
    })?;
    let lines = advice.into_iter().map(|one| one.text).chain(stuck.map(|(_, line)| line));
    let lines = lines.chain(ask.map(|ask| ask.line));
    let text = lines.collect::<Vec<_>>().join("\n");
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn ledger(
    app: &mut App,
    event: &Event,
    advice: &[Advice],
    stuck: Option<&(String, String)>,
) -> Vec<Injection> {
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
            None => Injection { why: why.clone(), ..row(why, fixes::NAMED, &one.text) },
        }
    });
    let stuck = stuck.map(|(why, line)| {
        let label = format!("stays: {why}");
        Injection { why: why.clone(), ..row(label, stagnation::SAID, line) }
    });
    advised.chain(stuck).collect()
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
    ) -> anyhow::Result<Option<(String, String)>> {
        if !self.printed.is_build() {
            return Ok(None);
        }
        for (error, place) in self.printed.errors().iter().zip(self.places) {
            let signature = error.signature.to_string();
            let known = before(self.sightings, &signature, &place.target);
            let counts = place.counts(self.printed, known);
            let before = known.filter(|one| !one.resolved).map_or(0, |one| one.builds);
            // Once in a stretch of builds that all have it.
            if counts && before + 1 == stagnation::BUILDS {
                let is_first = !said.iter().any(|row| row.kind == stagnation::SAID);
                let path = place.path.as_deref();
                let theorem = path.and_then(|path| stagnation::theorem_at(path, error.line?));
                let mut tried = stagnation::tried(app, theorem.as_deref(), &place.target)?;
                tried.extend(stagnation::edits(event, &place.target));
                let at = theorem.as_deref().unwrap_or(&place.target);
                let mut line = stagnation::line(error, at, tried, self.shown);
                if is_first && error.signature.is_about_a_goal() {
                    line.push_str(stagnation::FIRST);
                }
                return Ok(Some((signature, line)));
            }
        }
        Ok(None)
    }

    /// Something that ended with this output: a statement is false, or a gap stands where an error did not
    /// go away.
    fn ended(&self) -> Option<Ended> {
        let refuted = || {
            let mut errors = self.printed.errors().iter().zip(self.places);
            errors.find_map(|(error, place)| {
                let kind = error.signature.kind.as_str();
                let is_false = matches!(kind, "false-proposition" | "counter-example");
                let ask = |path: &PathBuf| {
                    let theorem = stagnation::theorem_at(path, error.line?)?;
                    let (file, says) = (place.target.clone(), error.says.clone());
                    Some(Ended::Refuted { theorem, file, says })
                };
                place.path.as_ref().filter(|_| is_false && self.printed.is_build()).and_then(ask)
            })
        };
        let given_up = || {
            self.gone().into_iter().find_map(|one| {
                let is_one = one.builds >= stagnation::BUILDS && self.printed.has_gap(&one.target);
                is_one.then(|| Ended::GivenUp(one.clone()))
            })
        };
        refuted().or_else(given_up)
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
