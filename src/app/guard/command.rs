//! What the guard does after a command: it notes when the command ran, and looks at the Lean files
//! that the command names and that were written meanwhile. Also notes when an edit was made.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::loss_message::{self, Place};
use super::lost_proofs::{Candidate, Look};
use super::past::Past;
use super::resolve::real;
use super::session::{Entry, Events, Kept, MOST_BYTES, Session, Stamp, Window, nanoseconds};
use super::walk::{self, Limits};
use super::{deleted_files, failing, known, protected_paths, snapshot};
use crate::app::App;
use crate::files;
use crate::guard::{self, Effect, Finding, Level, Reading, Rule, Tense, Verdict, is_lean};
use crate::hook::{Event, Occasion, Reply, ServerUse};
use crate::text::{clean, clip};

/// How much earlier than `now - duration` a command may have begun: a hook is started some time
/// after the command ended, later on a machine that is busy. In nanoseconds.
const SLACK: i64 = 1_000_000_000;

/// How long the look after a command may take; what is left is looked at when the turn ends.
const LOOK_LIMIT: Duration = Duration::from_millis(700);

/// Options of Lean that close goals without proof or switch off the kernel.
const DEBUG: [&str; 2] = ["debug.skipKernelTC", "debug.byAsSorry"];

/// What a walk through a folder may cost that a command speaks of by a pattern.
const WALK_LIMIT: Duration = Duration::from_millis(30);
const WALK_FILES: usize = 500;
const WALK_ENTRIES: usize = 5_000;

/// A command that ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    pub command: &'a str,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<u64>,
    /// Whether it goes on running.
    pub background: bool,
}

/// Answers to a command that has run, well or badly.
pub fn after(app: &mut App, event: &Event, ended: Ended<'_>) -> Reply {
    let Some(session) = Session::of(app, &event.session).filter(|_| known::is_on(app)) else {
        return Reply::Silence;
    };
    let mut reading = guard::reading(ended.command);
    add_linked(app, event, ended.command, &mut reading);
    if reading.builds {
        failing::built(&session);
    }
    let switched = switched_off(app, event, ended, &reading);
    let reply = match reading.effect {
        Effect::Nothing => Reply::Silence,
        _ => wrote(app, event, session, ended, &reading),
    };
    let Some(text) = switched else { return reply };
    match reply {
        Reply::Block { reason } => Reply::Block { reason: format!("{reason}\n{text}") },
        Reply::Note(note) => Reply::Brief { text: format!("{note}\n{text}"), person: text },
        _ => Reply::Brief { text: text.clone(), person: text },
    }
}

/// Answers to a tool of a server that may have written files: those that it names, or any.
pub fn after_server(app: &mut App, event: &Event, used: &ServerUse) -> Reply {
    let Some(session) = Session::of(app, &event.session).filter(|_| known::is_on(app)) else {
        return Reply::Silence;
    };
    let names: Vec<String> =
        used.names.iter().filter(|name| is_lean(Path::new(name))).cloned().collect();
    let reading = Reading {
        effect: Effect::Writes,
        program: clip(&clean(&used.tool), 60),
        wide: names.is_empty(),
        names,
        folders: Vec::new(),
        moves: Vec::new(),
        goes_on: false,
        builds: false,
        takes_away: false,
    };
    let ended = Ended { command: "", duration_ms: used.duration_ms, background: false };
    wrote(app, event, session, ended, &reading)
}

/// What a command did to the guard itself, by whatever spelling, or to what checks the proofs: a
/// sentence for the agent and the person.
fn switched_off(
    app: &mut App,
    event: &Event,
    ended: Ended<'_>,
    reading: &Reading,
) -> Option<String> {
    let since = window(app, event, ended, reading).start;
    let changed = match reading.effect {
        Effect::Writes => protected_paths::changed_since(app, since),
        _ => Vec::new(),
    };
    let named = |word: &str| ended.command.contains(word);
    let mut what: Vec<String> = changed
        .iter()
        .map(|(path, what)| format!("{what} (`{}`)", app.project.stable_path(path)))
        .filter(|what| known::first_time(app, &event.session, what))
        .collect();
    if what.is_empty() && DEBUG.iter().any(|option| named(option)) {
        what.push("an option of Lean that closes goals or switches off the kernel".to_owned());
    }
    let of_git =
        named("core.hooksPath") || (named("hooks/pre-commit") && reading.effect == Effect::Writes);
    if of_git && !named("--get") {
        what.push("the hooks of git, in which the audit may have its place".to_owned());
    }
    if what.is_empty() {
        return None;
    }
    let rule = Finding::of_file(Rule::PolicyChanged, Level::Warn, &what.join("; "));
    known::log(app, event, vec![known::entry(&rule, "")], &[]);
    Some(format!(
        "math-forge: this command changed {}. If the person did not ask for it, take it back and say so.",
        what.join(", ")
    ))
}

/// Looks at what a command or a tool may have written.
fn wrote(
    app: &mut App,
    event: &Event,
    session: Session,
    ended: Ended<'_>,
    reading: &Reading,
) -> Reply {
    let window = window(app, event, ended, reading);
    snapshot::make_up(app, event);
    if reading.effect == Effect::Git {
        keep_moved(app, &session, &window);
        if reading.takes_away {
            session.note([Entry::Wrote(window)]);
        }
        return Reply::Silence;
    }
    let events = session.events();
    session.note([Entry::Wrote(window.clone())]);
    let past = Past::of(session);
    let folders = folders(app, event, reading);
    deleted_files::follow(&past, &folders, reading);
    let candidates = candidates(app, &folders, reading, &window, &events);
    let gone = deleted_files::after(app, event, &past, (&folders, reading));
    let until = Instant::now() + LOOK_LIMIT;
    let look = Look { event, past: &past, events: &events, until, remarks: true };
    let found = look.at(app, candidates);
    look.told(app, &found);
    let mut parts = Vec::new();
    let has_lost = !found.lost.is_empty();
    if has_lost {
        let place = Place { root: &app.project.root, cwd: event.cwd.as_deref() };
        parts.push(loss_message::after_command(&found.lost, place));
        parts.extend(found.trouble);
    }
    if !found.remarks.is_empty() {
        let findings = found.remarks.into_iter().map(|(_, finding)| finding).collect();
        let verdict = Verdict { findings, decision: Level::Warn };
        parts.push(verdict.told(Tense::Did, false));
    }
    parts.extend(gone);
    let text = parts.join("\n");
    match event.occasion {
        _ if text.is_empty() => Reply::Silence,
        Occasion::PostToolUse(_) if has_lost => Reply::Block { reason: text },
        _ => Reply::Note(text),
    }
}

/// Notes that an edit was made, and what the file is after it.
pub fn edited(app: &mut App, event: &Event, path: &Path) {
    let path = real(&event.cwd.as_deref().map_or_else(|| path.to_owned(), |cwd| cwd.join(path)));
    let Some(session) =
        Session::of(app, &event.session).filter(|_| is_lean(&path) && known::is_on(app))
    else {
        return;
    };
    let now = nanoseconds(app.now);
    session.note([Entry::Wrote(Window {
        start: now.saturating_sub(SLACK),
        end: Some(now),
        tool_use: event.tool_use.clone(),
        program: String::new(),
        file: Some(path.clone()),
    })]);
    let Ok(meta) = fs::metadata(&path) else { return };
    let events = session.events();
    if events.is_said(&path, None) {
        // The text that a repair was told with stays until the loss is made good.
        let past = Past::of(session);
        let until = Instant::now() + LOOK_LIMIT;
        let look = Look { event, past: &past, events: &events, until, remarks: false };
        let program = "edit".to_owned();
        look.at(app, vec![Candidate { path, stamp: Stamp::of(&meta), program }]);
    } else if let Ok(bytes) = files::read(&path, MOST_BYTES) {
        session.keep(Kept::Last, &path, &bytes);
    }
}

/// Takes in the Lean files that a command writes under other names: where a link leads, and what may be
/// a second name of a file.
fn add_linked(app: &App, event: &Event, command: &str, reading: &mut Reading) {
    let written = guard::written(command);
    if written.is_empty() {
        return;
    }
    let folders = folders(app, event, reading);
    for name in written.iter().filter(|name| !is_lean(Path::new(name))).take(WALK_FILES) {
        for path in folders.iter().map(|folder| real(&folder.join(name))) {
            let is_linked = is_lean(&path);
            if is_linked {
                reading.names.push(path.to_string_lossy().into_owned());
            } else if !has_names(&path) {
                continue;
            }
            reading.wide |= !is_linked;
            reading.effect = Effect::Writes;
        }
    }
}

/// Whether a file may have another name.
fn has_names(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.nlink() > 1)
    }
    #[cfg(not(unix))]
    false
}

fn window(app: &App, event: &Event, ended: Ended<'_>, reading: &Reading) -> Window {
    let now = nanoseconds(app.now);
    let ran = i64::try_from(ended.duration_ms.unwrap_or(0)).unwrap_or(i64::MAX);
    let ran = ran.saturating_mul(1_000_000).saturating_add(SLACK);
    Window {
        start: now.saturating_sub(ran),
        end: (!ended.background && !reading.goes_on).then_some(now),
        tool_use: event.tool_use.clone(),
        program: if reading.program.is_empty() { "?".to_owned() } else { reading.program.clone() },
        file: None,
    }
}

/// Keeps what git left: from now on that is what files are compared with.
fn keep_moved(app: &App, session: &Session, window: &Window) {
    let until = Instant::now() + Duration::from_millis(200);
    let limits = Limits { files: 30_000, entries: 100_000, until };
    if crate::app::capture::is_too_large(app) {
        return;
    }
    let walked = walk::files(&app.project.root, limits, |stamp| stamp.changed >= window.start);
    for (path, _) in walked.files.iter().take(WALK_FILES) {
        if let Ok(bytes) = files::read(path, MOST_BYTES) {
            session.keep(Kept::Moved, path, &bytes);
            session.forget(Kept::Last, path);
        }
    }
    session.note_judged(walked.files.iter().map(|(path, stamp)| (path.as_path(), *stamp)));
}

/// The files that the command names, in whatever way, and that were written while it ran.
fn candidates(
    app: &App,
    folders: &[PathBuf],
    reading: &Reading,
    window: &Window,
    events: &Events,
) -> Vec<Candidate> {
    let mut paths: Vec<(PathBuf, Stamp)> = Vec::new();
    for name in &reading.names {
        let found = folders.iter().map(|folder| folder.join(name));
        let file = |path: PathBuf| {
            let meta = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
            Some((path, Stamp::of(&meta)))
        };
        paths.extend(found.filter_map(file));
    }
    let unclear = paths.is_empty() && !reading.names.is_empty();
    if (reading.wide || unclear) && !crate::app::capture::is_too_large(app) {
        let until = Instant::now() + WALK_LIMIT;
        let limits = Limits { files: WALK_FILES, entries: WALK_ENTRIES, until };
        for folder in folders.iter().filter(|folder| folder.starts_with(&app.project.root)) {
            let wanted = |stamp: Stamp| stamp.changed >= window.start;
            paths.extend(walk::files(folder, limits, wanted).files);
        }
    }
    let mut seen = HashSet::new();
    let written = paths.into_iter().filter(|(_, stamp)| stamp.changed >= window.start);
    let written = written.map(|(path, stamp)| (real(&path), stamp));
    written
        .filter(|(path, stamp)| seen.insert(path.clone()) && !events.is_judged(path, *stamp))
        .map(|(path, stamp)| Candidate { path, stamp, program: window.program.clone() })
        .collect()
}

/// The folders that names in the command may be relative to.
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
