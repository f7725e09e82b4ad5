//! `mk capture`, started by hooks in the background: new results are noticed by hooks and extracted
//! in the background.
//!
//! The hook's half ([`notice`]) looks at a few paths and starts one detached `mk capture`; it never walks
//! a tree and never opens the database. The background's half ([`run`]) walks, extracts what is new,
//! and keeps what failed in the store and in the log.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde::Serialize;

use crate::app::{App, background};
use crate::extract::inputs::{self, Input};
use crate::extract::{self, ExtractReport, read, read::Given};
use crate::files;
use crate::import::{self, ImportReport};
use crate::store::Store;
use crate::text::hash;
use crate::ui::{Exit, Out};

/// Extract the project's new results and import its changed tracking.db (started by hooks, in the background)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    #[expect(clippy::unused_self, reason = "as every command has it")]
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = run(app)?;
        // Behind the lock of the capture: it may take long.
        app.try_to("verify", crate::verify::in_background);
        out.answer(&report, |_| String::new())
    }
}

/// Why a capture might be worth its while.
#[derive(Debug, Clone, Copy)]
pub enum Trigger<'a> {
    SessionStart,
    /// The agent wrote this file.
    Written(&'a Path),
    /// The agent ran a command, which may have fetched or moved anything.
    Command,
}

/// After a command no new capture is started so soon after the last one.
const PAUSE: Duration = Duration::from_secs(15);
/// A capture that takes longer leaves the rest to the next one.
const TIME_LIMIT: Duration = Duration::from_mins(2);
/// Files that one step extracts; the time limit is looked at between steps.
const STEP: usize = 64;

/// Starts a capture in the background when there may be something new. Whether one was started.
///
/// Cheap enough for a hook: a few path look-ups, no tree walk, no database.
pub fn notice(app: &App, trigger: Trigger<'_>) -> bool {
    // Lean may take minutes.
    let spawn =
        if app.config.verify_auto { background::spawn_gently } else { background::spawn_detached };
    is_wanted(app, trigger) && start(app, spawn, "capture", &["capture"], &app.project.root)
}

pub fn is_wanted(app: &App, trigger: Trigger<'_>) -> bool {
    if !app.config.results_capture || app.database.path().is_none() || is_too_large(app) {
        return false;
    }
    match trigger {
        Trigger::SessionStart => may_hold_results(app),
        Trigger::Written(path) => path
            .strip_prefix(&app.project.root)
            .or_else(|_| path.strip_prefix(&app.project.start))
            .is_ok_and(|path| may_match(&app.config.results_globs, &path.to_string_lossy())),
        Trigger::Command => {
            may_hold_results(app) && files::is_due(&lock_path(app), app.now.into(), PAUSE)
        }
    }
}

/// Has `mk` do something in the background. Whether it was started; if not, the log says why.
pub(crate) fn start(
    app: &App,
    spawn: impl FnOnce(&Path, &[OsString], &Path) -> io::Result<()>,
    topic: &str,
    words: &[&str],
    folder: &Path,
) -> bool {
    let Some(executable) = app.environment.executable.as_deref() else { return false };
    // In the database of this one.
    let database = app.database.path();
    let database =
        database.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let database = database.into_iter().flat_map(|path| ["--db".into(), path.into_os_string()]);
    let arguments: Vec<OsString> = database.chain(words.iter().map(Into::into)).collect();
    let started = spawn(executable, &arguments, folder);
    if let Err(error) = &started {
        app.log.line(app.now, topic, &format!("could not be started: {error}"));
    }
    started.is_ok()
}

/// A home folder or the root of the file system is never walked.
pub(crate) fn is_too_large(app: &App) -> bool {
    let root = &app.project.root;
    root.parent().is_none() || app.environment.path("HOME").is_some_and(|home| same(&home, root))
}

/// Whether a project is worth walking: a Lake package, a tracking database, or the folder in which a
/// prover leaves its project.
fn may_hold_results(app: &App) -> bool {
    app.project.is_lean
        || app.project.root.join("RequestProject").is_dir()
        || app.project.tracking_database().is_some()
}

fn same(left: &Path, right: &Path) -> bool {
    left == right || fs::canonicalize(left).is_ok_and(|left| left == right)
}

/// Whether one of the globs could match: its fixed beginning and end do. No pattern is compiled.
fn may_match(globs: &[String], path: &str) -> bool {
    let wild = ['*', '?', '[', ']', '{', '}'];
    globs.iter().any(|glob| {
        let glob = glob.trim_start_matches('/');
        let head = glob.find(wild).map_or(glob, |end| &glob[..end]);
        let tail = glob.rfind(wild).map_or(glob, |end| &glob[end + 1..]);
        path.starts_with(head) && path.ends_with(tail)
    })
}

fn lock_path(app: &App) -> PathBuf {
    let name = hash(app.project.root.to_string_lossy().as_bytes(), 8);
    app.paths.state_dir.join("capture").join(format!("{name}.lock"))
}

#[derive(Debug, Default, Serialize)]
pub struct CaptureReport {
    /// Another capture of this project is at work; this one did nothing.
    pub busy: bool,
    pub found: u64,
    /// Files that are as they were when they were extracted.
    pub known: u64,
    #[serde(flatten)]
    pub extract: ExtractReport,
    /// What the tracking database said that is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tracking: Option<ImportReport>,
    /// The time was used up; the next capture goes on.
    pub unfinished: bool,
}

/// Extracts the project's results that are new or changed, and imports its tracking database where that
/// says something new. One capture a project at a time. Errors are logged as well.
pub fn run(app: &mut App) -> anyhow::Result<CaptureReport> {
    let Some(lock) = lock(app)? else {
        return Ok(CaptureReport { busy: true, ..CaptureReport::default() });
    };
    let tracking = app.try_to("capture", import::news).flatten();
    let mut result = capture(app);
    if let Ok(report) = &mut result {
        report.tracking = tracking;
    }
    app.try_to("capture", |app| crate::lock::sync(app).context("locks were not looked for"));
    match &result {
        Ok(report) => {
            for problem in report.extract.report.problems.iter().take(20) {
                app.log.line(app.now, "capture", &format!("{}: {}", problem.path, problem.reason));
            }
        }
        Err(error) => app.log.line(app.now, "capture", &format!("{error:#}")),
    }
    // The same background work, so that no second process is started for it; no other capture need wait for that.
    drop(lock);
    app.try_to("premises", |app| crate::premises::keep(app));
    app.try_to("next", crate::next::keep);
    crate::verify::state::refresh(app);
    app.leave_short_log();
    result
}

/// The lock of this project's captures, held until dropped; `None` when somebody else has it.
fn lock(app: &App) -> anyhow::Result<Option<File>> {
    let file = files::lock(&lock_path(app), Duration::ZERO)?;
    file.as_ref().map_or(Ok(()), |file| file.set_modified(app.now.into()))?;
    Ok(file)
}

fn capture(app: &mut App) -> anyhow::Result<CaptureReport> {
    let begun = Instant::now();
    let mut report = CaptureReport::default();
    if is_too_large(app) {
        anyhow::bail!("{} is not a project: run this inside one", app.project.root.display());
    }
    let paths = inputs::walk_globs(&app.project.root, &app.config.results_globs);
    let mut paths: Vec<PathBuf> = paths.take_while(|_| begun.elapsed() < TIME_LIMIT).collect();
    paths.sort();
    report.found = paths.len() as u64;
    let store = app.store()?;
    let mut new: Vec<Input> = Vec::new();
    for path in paths {
        if is_known(store, &path)? {
            report.known += 1;
        } else {
            new.push(Input { path, named: false });
        }
    }
    let given = Given::default();
    for step in new.chunks(STEP) {
        if begun.elapsed() >= TIME_LIMIT {
            report.unfinished = true;
            break;
        }
        extract::extract_inputs(app, step, &given, &|_, _| (), &mut report.extract)?;
    }
    Ok(report)
}

/// Whether a file is as it was when it was read last, well or badly.
fn is_known(store: &Store, path: &Path) -> anyhow::Result<bool> {
    let (Ok(meta), Ok(absolute)) = (fs::metadata(path), fs::canonicalize(path)) else {
        return Ok(true);
    };
    let state = store.source(&absolute.to_string_lossy())?;
    Ok(state.is_some_and(|state| {
        let is_same = (state.size, state.mtime_ns) == read::stamp(&meta);
        // With keys of another version it is read again.
        is_same && (state.failure.is_some() || state.hash.ends_with(&read::version_mark()))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_ends_decide_without_compiling() {
        let globs = ["**/*_result.lean", "RequestProject/**", "out/{a,b}.lean"].map(str::to_owned);
        for (path, expected) in [
            ("slot1_x_result.lean", true),
            ("deep/slot1_x_result.lean", true),
            ("RequestProject/Main.lean", true),
            ("sub/RequestProject/Main.lean", false),
            ("out/a.lean", true),
            ("Main.lean", false),
        ] {
            assert_eq!(may_match(&globs, path), expected, "{path}");
        }
    }
}
