//! What the guard does about files that are written past the client's tools for it: right after a
//! command the files that it names, when a turn ends all that were written since the last look.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::past::Past;
use super::project_files::{LARGEST, both, real, stamp, walk};
use super::session::{Entry, Events, Kept, Session, Stamp, Start, Window, nanoseconds};
use super::written_files::{self, Candidate, Look};
use super::{known, protected_paths, snapshot};
use crate::app::App;
use crate::capture;
use crate::files;
use crate::guard::{self, Effect, Reading, is_lean};
use crate::hook::{Event, FileUse, Occasion, Reply, ServerUse};
use crate::lean;
use crate::text::{clean, clip};

/// How much earlier than `now - duration` a command may have begun: a hook is started some time
/// after the command ended, seconds later on a machine that is busy. In nanoseconds.
const SLACK: i64 = 3_000_000_000;

/// How long the look after a command may take; what is left is looked at when the turn ends.
const LOOK_LIMIT: Duration = Duration::from_millis(700);

/// How long the look at the end of a turn may take; the client waits five seconds in all.
const STOP_LIMIT: Duration = Duration::from_millis(2_500);

/// What a walk may cost: through a folder of which a command speaks by a pattern, through what git
/// moved, and through the project at the end of a turn.
const PATTERN_WALK: Duration = Duration::from_millis(30);
const GIT_WALK: Duration = Duration::from_millis(200);
const STOP_WALK: Duration = Duration::from_millis(1_500);

/// Files that are kept after git moved them, and names in one command that are followed.
const MOST_FILES: usize = 500;

/// A command that was left running may write for this long, in nanoseconds; what is changed later is
/// not put down to it.
const BACKGROUND: i64 = 30 * 60 * 1_000_000_000;

/// A recording of the session's start that is not done after this long, in nanoseconds, has failed.
const RECORDED_AFTER: i64 = 60 * 1_000_000_000;

#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    pub command: &'a str,
    pub duration_ms: Option<u64>,
    pub background: bool,
}

pub fn after(app: &mut App, event: &Event, ended: Ended<'_>) -> Reply {
    let Some(session) = Session::of(app, &event.session) else { return Reply::Silence };
    let mut reading = guard::reading(ended.command);
    add_linked(app, event, &mut reading);
    if reading.builds {
        session.built();
    }
    // The command itself may have switched the guard off.
    let since = window(app, ended, &reading).start;
    let switched = protected_paths::switched_off(app, event, ended.command, &reading, since);
    let reply = match reading.effect {
        _ if !known::is_on(app) => Reply::Silence,
        Effect::Nothing => Reply::Silence,
        _ => wrote(app, event, session, ended, &reading),
    };
    let Some(what) = switched else { return reply };
    let what = format!("math-forge: this command changed {what}.");
    let text = format!("{what} If the person did not ask for it, undo it and say so.");
    let person = format!("{what} If you did not ask for it, have it undone.");
    match reply {
        Reply::Block { reason } => Reply::Block { reason: format!("{reason}\n{text}") },
        Reply::Note(note) => Reply::Brief { text: format!("{note}\n{text}"), person },
        _ => Reply::Brief { text, person },
    }
}

/// Answers to a tool of a server that may have written files: those that it names, or any.
pub fn after_server(app: &mut App, event: &Event, used: &ServerUse) -> Reply {
    let Some(session) = Session::guarded(app, event) else { return Reply::Silence };
    let names: Vec<String> =
        used.names.iter().filter(|name| is_lean(Path::new(name))).cloned().collect();
    let reading = Reading {
        effect: Effect::Writes,
        program: clip(&clean(&used.tool), 60),
        wide: names.is_empty(),
        names,
        ..Reading::default()
    };
    let ended = Ended { command: "", duration_ms: used.duration_ms, background: false };
    wrote(app, event, session, ended, &reading)
}

fn window(app: &App, ended: Ended<'_>, reading: &Reading) -> Window {
    let now = nanoseconds(app.now);
    let ran = i64::try_from(ended.duration_ms.unwrap_or(0)).unwrap_or(i64::MAX);
    let ran = ran.saturating_mul(1_000_000).saturating_add(SLACK);
    Window {
        start: now.saturating_sub(ran),
        end: (!ended.background && !reading.goes_on).then_some(now),
        program: if reading.program.is_empty() { "?".to_owned() } else { reading.program.clone() },
        file: None,
    }
}

fn wrote(
    app: &mut App,
    event: &Event,
    session: Session,
    ended: Ended<'_>,
    reading: &Reading,
) -> Reply {
    let window = window(app, ended, reading);
    snapshot::make_up(app, event);
    let events = session.events();
    let past = Past::of(session);
    let is_git = reading.effect == Effect::Git;
    let own = if is_git { keep_moved(app, &past, &window) } else { Vec::new() };
    if !is_git || reading.takes_away || !own.is_empty() {
        past.session.note([Entry::Wrote(window.clone())]);
    }
    let folders = folders(app, event, reading);
    let candidates = if is_git {
        own
    } else {
        written_files::follow(&past, &folders, reading);
        named(app, &folders, reading, &window, &events)
    };
    let may_be_gone = !is_git || reading.takes_away;
    let gone = may_be_gone
        .then(|| written_files::gone_after(app, event, &past, (&folders, reading)))
        .flatten();
    let until = Instant::now() + LOOK_LIMIT;
    let unread = !is_git && !reading.builds && window.end.is_some();
    let look = Look { event, past: &past, events: &events, until, remarks: !is_git, unread };
    let found = look.at(app, candidates);
    look.told(app, &found);
    let has_lost = !found.lost.is_empty();
    let mut parts = written_files::said(app, event, &found, false);
    parts.extend(gone);
    if let Some(why) = past.blind()
        && known::first_time(app, &event.session, "git did not answer")
    {
        parts.push(format!(
            "math-forge could not compare what this command wrote with git: {why}. Until git answers \
             again, a proof lost this way will not be noticed."
        ));
    }
    let text = parts.join("\n");
    match event.occasion {
        _ if text.is_empty() => Reply::Silence,
        Occasion::PostToolUse(_) if has_lost => Reply::Block { reason: text },
        _ => Reply::Note(text),
    }
}

/// Notes what an edit left, once it is answered; `is_seen` says whether its texts were seen.
pub fn edited(app: &mut App, event: &Event, file: &FileUse, is_seen: bool) {
    let path = &file.path;
    let path = real(&event.cwd.as_deref().map_or_else(|| path.to_owned(), |cwd| cwd.join(path)));
    let Some(session) = Session::guarded(app, event).filter(|_| is_lean(&path)) else { return };
    let events = session.events();
    let past = Past::of(session);
    // What a command did to the file before is not seen yet, and the edit may have hidden it.
    let is_as_known = || {
        let bases = past.bases(&[&path]).pop().unwrap_or_default();
        let found = file.original.as_ref().map(|text| lean::decode(text.as_bytes()).text);
        bases.last.or(bases.start).map(|base| base.text) == found
    };
    let is_whole = is_seen && (!events.has_unseen_command() || is_as_known());
    if !is_whole {
        let now = nanoseconds(app.now);
        past.session.note([Entry::Wrote(Window {
            start: now.saturating_sub(SLACK),
            end: Some(now),
            program: String::new(),
            file: Some(path.clone()),
        })]);
    }
    let Ok(meta) = fs::metadata(&path) else { return };
    if events.is_said(&path, None) {
        // The text that a repair was told with stays until the loss is made good.
        let until = Instant::now() + LOOK_LIMIT;
        let (remarks, unread) = (false, false);
        let look = Look { event, past: &past, events: &events, until, remarks, unread };
        let program = "edit".to_owned();
        look.at(app, vec![Candidate { path, stamp: Stamp::of(&meta), program }]);
    } else if is_whole && let Ok(bytes) = files::read(&path, LARGEST) {
        past.session.keep(Kept::Last, &path, &bytes);
    }
}

/// Answers to the end of a turn. `again`: a hook has made the turn go on already.
pub fn stop(app: &mut App, event: &Event, again: bool) -> Reply {
    let session = Session::of(app, &event.session).filter(|_| !again);
    let Some(session) = session else { return Reply::Silence };
    if !known::is_on(app) {
        return protected_paths::is_off(app, event, &session);
    }
    let events = session.events();
    if !events.has_unseen() {
        return Reply::Silence;
    }
    let until = Instant::now() + STOP_LIMIT;
    let now = nanoseconds(app.now);
    let past = Past::of(session);
    let tell = |text: Option<String>| text.map_or(Reply::Silence, Reply::Tell);
    let Some(start) = past.start().filter(|start| start.done) else {
        let is_late = past.start().is_none_or(|start| now - start.when >= RECORDED_AFTER);
        let why = "the state at the start of the session is not known";
        let late = is_late.then(|| not_looked(app, event, &past.session, why));
        return tell(late.flatten());
    };
    let (candidates, cut) = unseen(app, &events, start);
    let (remarks, unread) = (true, false);
    let look = Look { event, past: &past, events: &events, until, remarks, unread };
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
    let gone = written_files::gone_at_stop(app, event, &past, &events);
    if !found.lost.is_empty() {
        let parts: Vec<String> =
            written_files::said(app, event, &found, true).into_iter().chain(gone).collect();
        return Reply::Block { reason: parts.join("\n") };
    }
    let cut = cut.or_else(|| past.blind());
    let cut = cut.and_then(|why| not_looked(app, event, &past.session, why));
    // The person reads what is no more than a remark; the agent is not interrupted for it.
    let parts: Vec<String> = [found.remarked(app), gone, cut].into_iter().flatten().collect();
    tell((!parts.is_empty()).then(|| parts.join("\n")))
}

/// Says to the person, once, that nothing was looked at.
fn not_looked(app: &App, event: &Event, session: &Session, why: &str) -> Option<String> {
    session.complain(&format!("the end of a turn was not looked at: {why}"));
    let is_news = known::first_time(app, &event.session, "not looked at the end of a turn");
    is_news.then(|| {
        format!(
            "math-forge could not check the Lean files that this session's commands wrote: {why}."
        )
    })
}

/// Takes in the Lean files that a command writes under other names: where a link leads, and what may be
/// a second name of a file.
fn add_linked(app: &App, event: &Event, reading: &mut Reading) {
    if reading.written.is_empty() {
        return;
    }
    let folders = folders(app, event, reading);
    let written = reading.written.iter().filter(|name| !is_lean(Path::new(name)));
    for name in written.take(MOST_FILES).cloned().collect::<Vec<_>>() {
        for path in folders.iter().map(|folder| real(&folder.join(&name))) {
            let is_linked = is_lean(&path);
            if is_linked {
                reading.names.push(path.to_string_lossy().into_owned());
            } else if !fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.nlink() > 1) {
                continue;
            }
            reading.wide |= !is_linked;
            // What is written under the new name later may be heard of by nobody.
            reading.goes_on |= is_linked && reading.program == "ln";
            reading.effect = Effect::Writes;
        }
    }
}

/// Keeps what git left: from now on that is what files are compared with. Returns the files that commits
/// of this session changed.
fn keep_moved(app: &App, past: &Past, window: &Window) -> Vec<Candidate> {
    if capture::is_too_large(app) {
        return Vec::new();
    }
    let session = &past.session;
    let walked = walk(&app.project.root, GIT_WALK, |stamp| stamp.changed >= window.start);
    let own = if walked.files.is_empty() { HashSet::new() } else { past.own_commits() };
    let (own, others): (Vec<_>, Vec<_>) =
        walked.files.into_iter().partition(|(path, _)| own.contains(&real(path)));
    for (path, _) in others.iter().take(MOST_FILES) {
        if let Ok(bytes) = files::read(path, LARGEST) {
            session.keep_moved(path, &bytes);
        }
    }
    session.note_judged(others.iter().map(|(path, stamp)| (path.as_path(), *stamp)));
    let program = window.program.clone();
    own.into_iter()
        .map(|(path, stamp)| Candidate { path: real(&path), stamp, program: program.clone() })
        .collect()
}

/// The files that a command names, in whatever way, and that were written while it ran.
fn named(
    app: &App,
    folders: &[PathBuf],
    reading: &Reading,
    window: &Window,
    events: &Events,
) -> Vec<Candidate> {
    let is_written = |stamp: Stamp| stamp.changed >= window.start;
    let names = reading.names.iter();
    let paths = names.flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let file = |path: PathBuf| {
        let stamp = stamp(&path, true)?;
        Some((path, stamp))
    };
    let mut paths: Vec<(PathBuf, Stamp)> = paths.filter_map(file).collect();
    let unclear = paths.is_empty() && !reading.names.is_empty();
    if (reading.wide || unclear) && !capture::is_too_large(app) {
        let until = Instant::now() + PATTERN_WALK;
        for folder in folders.iter().filter(|folder| folder.starts_with(&app.project.root)) {
            let time = until.saturating_duration_since(Instant::now());
            paths.extend(walk(folder, time, is_written).files);
        }
    }
    let mut seen = HashSet::new();
    let written = paths.into_iter().filter(|(_, stamp)| is_written(*stamp));
    let written =
        written.flat_map(|(path, stamp)| both(&path).into_iter().map(move |path| (path, stamp)));
    written
        .filter(|(path, stamp)| seen.insert(path.clone()) && !events.is_judged(path, *stamp))
        .map(|(path, stamp)| Candidate { path, stamp, program: window.program.clone() })
        .collect()
}

fn folders(app: &App, event: &Event, reading: &Reading) -> Vec<PathBuf> {
    let mut folders = vec![app.project.root.clone()];
    folders.extend(event.cwd.as_deref().map(real));
    for changed in &reading.folders {
        let from: Vec<PathBuf> = folders.iter().map(|folder| folder.join(changed)).collect();
        folders.extend(from.into_iter().filter(|folder| folder.is_dir()).map(|path| real(&path)));
        folders.truncate(8);
    }
    let mut seen = HashSet::new();
    folders.retain(|folder| seen.insert(folder.clone()));
    folders
}

/// The files that were written in one of the session's stretches of time and not judged since; and why
/// not all were looked at.
fn unseen(app: &App, events: &Events, start: &Start) -> (Vec<Candidate>, Option<&'static str>) {
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
        let by = |stamp: Stamp| commands.iter().rev().find(|window| window.holds(stamp));
        let walked = walk(&app.project.root, STOP_WALK, |stamp| by(stamp).is_some());
        cut = walked.cut;
        let files = walked.files.into_iter();
        for (path, stamp) in
            files.flat_map(|(path, at)| both(&path).into_iter().map(move |p| (p, at)))
        {
            add(path, stamp, by(stamp).map_or("?", |window| window.program.as_str()));
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
    fn holds(&self, stamp: Stamp) -> bool {
        let end = self.end.unwrap_or(self.start.saturating_add(BACKGROUND));
        (self.start..=end).contains(&stamp.changed)
    }
}
