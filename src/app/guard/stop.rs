//! What the guard does when a turn ends: the files that this session's commands and edits wrote, and
//! that nobody has looked at yet, are compared with what they were when the session began.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::loss_message::{self, Place};
use super::lost_proofs::{Candidate, Look};
use super::past::Past;
use super::session::{Entry, Events, Session, Stamp, Start, Window, nanoseconds};
use super::walk::{self, Limits};
use super::{deleted_files, known};
use crate::app::{App, capture};
use crate::hook::{Event, Reply};

/// What a walk through the project may cost.
const WALK_LIMIT: Duration = Duration::from_millis(1_500);
const WALK_FILES: usize = 30_000;
const WALK_ENTRIES: usize = 200_000;

/// How long files are read and judged; the client waits five seconds in all.
const LIMIT: Duration = Duration::from_millis(2_500);

/// A command that was left running may write for this long, in nanoseconds; what is changed later is
/// not put down to it.
const BACKGROUND: i64 = 30 * 60 * 1_000_000_000;

/// A recording of the session's start that is not done after this long, in nanoseconds, has failed.
const RECORDED_AFTER: i64 = 60 * 1_000_000_000;

/// Answers to the end of a turn. `again`: a hook has made the turn go on already.
pub fn stop(app: &mut App, event: &Event, again: bool) -> Reply {
    let session = Session::of(app, &event.session).filter(|_| !again && known::is_on(app));
    let Some(session) = session else { return Reply::Silence };
    let events = session.events();
    if !events.has_unseen() {
        return Reply::Silence;
    }
    let until = Instant::now() + LIMIT;
    let now = nanoseconds(app.now);
    let past = Past::of(session);
    let Some(start) = past.start.as_ref().filter(|start| start.done) else {
        return unknown(app, event, &past);
    };
    let (candidates, cut) = candidates(app, &events, start);
    let look = Look { event, past: &past, events: &events, until, remarks: false };
    let found = look.at(app, candidates);
    look.told(app, &found);
    let is_open = |window: &Window| window.end.is_none() && now - window.start < BACKGROUND;
    if found.left > 0 {
        past.session.complain(&format!("there was no time for {} files", found.left));
    }
    // After a loss in so many files the agent has enough to do: the rest is only counted.
    if !events.windows.iter().any(is_open) && (found.left == 0 || !found.lost.is_empty()) {
        past.session.note([Entry::Looked(events.windows.len())]);
    }
    let gone = deleted_files::at_stop(app, event, &past, &events);
    if !found.lost.is_empty() {
        let place = Place { root: &app.project.root, cwd: event.cwd.as_deref() };
        let mut reason = loss_message::at_stop(&found.lost, place);
        if found.left > 0 {
            write!(reason, "\n{} more files were written and not looked at.", found.left).ok();
        }
        reason.extend(found.trouble.iter().chain(&gone).flat_map(|more| ["\n", more]));
        return Reply::Block { reason };
    }
    let cut = cut.or_else(|| past.is_blind());
    match (cut, gone) {
        (cut, Some(gone)) => match cut.map(|why| not_looked(app, event, &past.session, why)) {
            Some(Reply::Tell(more)) => Reply::Tell(format!("{gone}\n{more}")),
            _ => Reply::Tell(gone),
        },
        (Some(cut), None) => not_looked(app, event, &past.session, cut),
        (None, None) => Reply::Silence,
    }
}

/// Nothing is known of the session's start, or not yet.
fn unknown(app: &App, event: &Event, past: &Past) -> Reply {
    match past.start.as_ref().map(|start| start.when) {
        Some(began) if nanoseconds(app.now) - began < RECORDED_AFTER => Reply::Silence,
        _ => not_looked(app, event, &past.session, "how the session began is not known"),
    }
}

/// Says to the person, once, that nothing was looked at.
fn not_looked(app: &App, event: &Event, session: &Session, why: &str) -> Reply {
    session.complain(&format!("the end of a turn was not looked at: {why}"));
    if !known::first_time(app, &event.session, "not looked at the end of a turn") {
        return Reply::Silence;
    }
    Reply::Tell(format!(
        "math-forge could not check the Lean files that this session's commands wrote: {why}."
    ))
}

/// The files that were written in one of these stretches of time and not judged since; and why not
/// all were looked at.
fn candidates(app: &App, events: &Events, start: &Start) -> (Vec<Candidate>, Option<&'static str>) {
    let mut seen = HashSet::new();
    let mut candidates = Vec::new();
    let mut add = |path: PathBuf, stamp: Stamp, program: &str| {
        if !events.is_judged(&path, stamp) && seen.insert(path.clone()) {
            candidates.push(Candidate { path, stamp, program: program.to_owned() });
        }
    };
    let (edits, commands): (Vec<&Window>, Vec<&Window>) =
        events.windows.iter().partition(|window| window.file.is_some());
    let project = app.project.is_lean || start.lean_files > 0;
    let mut cut = None;
    if !commands.is_empty() && project && !capture::is_too_large(app) {
        let until = Instant::now() + WALK_LIMIT;
        let limits = Limits { files: WALK_FILES, entries: WALK_ENTRIES, until };
        let wanted = |stamp: Stamp| commands.iter().any(|window| window.holds(stamp));
        let walked = walk::files(&app.project.root, limits, wanted);
        cut = walked.cut;
        for (path, stamp) in walked.files {
            let window = commands.iter().rev().find(|window| window.holds(stamp));
            add(path, stamp, window.map_or("?", |window| window.program.as_str()));
        }
    }
    for window in edits {
        let Some(path) = &window.file else { continue };
        let Ok(meta) = fs::metadata(path) else { continue };
        let stamp = Stamp::of(&meta);
        if meta.is_file() && window.holds(stamp) {
            add(path.clone(), stamp, "");
        }
    }
    (candidates, cut)
}

impl Window {
    /// Whether a file with this stamp was written in it.
    fn holds(&self, stamp: Stamp) -> bool {
        let end = self.end.unwrap_or(self.start.saturating_add(BACKGROUND));
        (self.start..=end).contains(&stamp.changed)
    }
}
