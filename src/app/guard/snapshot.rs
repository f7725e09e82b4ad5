//! `mk snapshot`: what a project's Lean files are when a session begins. A hook starts it detached, as it
//! has no time for it. Git knows its revision; what git does not have is copied.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::known;
use super::past::head_log_length;
use super::project_files::{LARGEST, decoded, real, walk};
use super::session::{EVENTS, Kept, Session, Stamp, Start, nanoseconds};
use crate::app::git::Repository;
use crate::app::learn::work;
use crate::app::{App, background, inject};
use crate::capture::{self, Trigger};
use crate::guard::is_lean;
use crate::hook::Event;
use crate::ui::{Exit, Out};
use crate::{files, gc, projects};

/// Files that are copied at most, and their bytes together.
const MOST_FILES: usize = 5_000;
/// Revisions of branches, tags and remotes that are remembered.
const MOST_TIPS: usize = 1_000;
const MOST_TOTAL: u64 = 200 * 1024 * 1024;

/// What a walk may cost where there is no git.
const WALK: Duration = Duration::from_secs(20);

/// The client is starting up, and sessions that start together are told the same as long as nothing is
/// written.
const MOMENT: Duration = Duration::from_secs(2);

/// After so many seconds a session is forgotten.
pub(crate) const FORGOTTEN_AFTER: u64 = 14 * 24 * 60 * 60;

/// Starts what a session's beginning leaves to a process of its own: the recording of its start, the
/// capture of results, what earlier sessions left. Costs one process.
pub fn begin_session(app: &App, event: &Event, folder: &Path) {
    if event.session.is_empty() {
        capture::notice(app, Trigger::SessionStart);
        return;
    }
    let folder = if folder.is_dir() { folder } else { &app.project.root };
    let capture = capture::is_wanted(app, Trigger::SessionStart).then_some("--capture");
    let options: Vec<&str> = capture.into_iter().chain(["--later"]).collect();
    start(app, event, folder, &options);
}

/// Starts the recording of a session's start where that was not done: the plugin may have come in the
/// middle of a session. Costs one look at a file.
pub fn make_up(app: &App, event: &Event) {
    if let Some(session) = Session::of(app, &event.session)
        && !session.start_file().exists()
    {
        start(app, event, &app.project.root, &[]);
    }
}

fn start(app: &App, event: &Event, folder: &Path, options: &[&str]) {
    let transcript = event.transcript.as_deref().map(Path::to_string_lossy);
    let mut words = vec!["snapshot", "--session", &event.session];
    words.extend(transcript.iter().flat_map(|path| ["--transcript", path]));
    words.extend(options);
    capture::start(app, background::spawn_detached, "guard", &words, folder);
}

/// Record how a session begins (started by a hook, in the background)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id of the session
    #[arg(long, value_name = "ID")]
    session: String,
    /// The session's transcript
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// After the recording, leave the machine to the session for a moment
    #[arg(long)]
    later: bool,
    /// Extract the project's new results after it, as `mk capture` does
    #[arg(long)]
    capture: bool,
}

#[derive(Debug, Default, Serialize)]
struct SnapshotReport {
    /// The session's start was recorded before; nothing was done.
    known: bool,
    #[serde(flatten)]
    start: Start,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let recorded = known::is_on(app).then(|| record(app, &self.session));
        gc::sessions(app);
        if self.later {
            std::thread::sleep(MOMENT);
        }
        // What earlier sessions left does not depend on the results that there are now.
        let caught_up = work::catch_up(app, self.transcript.as_deref());
        let captured = self.capture.then(|| capture::run(app)).transpose();
        projects::see_quietly(app);
        inject::start::prepare(app);
        caught_up?;
        captured?;
        let report = recorded.unwrap_or_else(|| Ok(SnapshotReport::default()))?;
        out.answer(&report, |_| {
            if report.known {
                return "The start of this session is recorded already.\n".to_owned();
            }
            let Start { revision, copied, lean_files, .. } = &report.start;
            let revision = revision.as_deref().unwrap_or("no revision");
            format!("{lean_files} Lean files at {revision}, {copied} copied\n")
        })?;
        Ok(Exit::Done)
    }
}

/// Records how a session begins, once. What goes wrong is logged as well.
fn record(app: &App, id: &str) -> anyhow::Result<SnapshotReport> {
    let Some(session) = Session::of(app, id) else {
        anyhow::bail!("a session's id is missing: `mk snapshot --session ID`");
    };
    Ok(try_record(app, &session).inspect_err(|error| {
        session.complain(&format!("the session's start was not recorded: {error}"));
    })?)
}

fn try_record(app: &App, session: &Session) -> io::Result<SnapshotReport> {
    // The process that makes this file does the work; it may be read before it is complete.
    if !files::create(&session.start_file(), b"")? {
        let start = session.start().unwrap_or_default();
        return Ok(SnapshotReport { known: true, start });
    }
    let root = app.project.root.clone();
    let mut start = Start { when: nanoseconds(app.now), root, ..Start::default() };
    write(session, &start)?;
    let files = if capture::is_too_large(app) {
        start.cut = Some("a home folder is not looked through".to_owned());
        Vec::new()
    } else {
        wanted(session, &mut start)
    };
    copy(session, &mut start, files);
    start.done = true;
    write(session, &start)?;
    if let Some(cut) = &start.cut {
        session.complain(&format!("the session's start is recorded in part: {cut}"));
    }
    Ok(SnapshotReport { known: false, start })
}

fn write(session: &Session, start: &Start) -> io::Result<()> {
    files::replace(&session.start_file(), &serde_json::to_vec(start)?)
}

/// The files that git does not have as they are; without git all Lean files of the project.
fn wanted(session: &Session, start: &mut Start) -> Vec<PathBuf> {
    let git = Repository::at(&start.root);
    start.revision = git.as_ref().and_then(|git| git.resolve("HEAD"));
    start.head_log = head_log_length(&start.root);
    let Some((git, revision)) = git.as_ref().zip(start.revision.clone()) else {
        let walked = walk(&start.root, WALK, |_| true);
        start.lean_files = walked.seen;
        start.cut = walked.cut.map(str::to_owned);
        return walked.files.into_iter().map(|(path, _)| path).collect();
    };
    let mut tips = git.tips().unwrap_or_default();
    tips.insert(revision.clone());
    start.tips = tips.into_iter().take(MOST_TIPS).collect();
    let tracked =
        git.list(["ls-files", "-z"]).unwrap_or_default().into_iter().filter(|path| is_lean(path));
    // What is not there now is not missed later.
    let there: Vec<PathBuf> = tracked.filter(|path| path.exists()).collect();
    start.lean_files = there.len() as u64;
    note_paths(session, &there);
    match git.changed_since(&revision) {
        Ok(paths) => {
            let files: Vec<PathBuf> = paths.into_iter().filter(|path| is_lean(path)).collect();
            start.lean_files += files.len() as u64;
            files
        }
        Err(error) => {
            // Without knowing what was changed already, a revision proves nothing.
            start.revision = None;
            start.cut = Some(error.to_string());
            Vec::new()
        }
    }
}

fn copy(session: &Session, start: &mut Start, files: Vec<PathBuf>) {
    let mut total = 0;
    let mut copied = Vec::new();
    for path in files {
        let path = real(&path);
        match readable(&path, start, total) {
            Ok(bytes) => {
                total += bytes.len() as u64;
                start.copied += 1;
                session.keep(Kept::Start, &path, &bytes);
                copied.push(path);
            }
            Err(why) => {
                if let Some(why) = why {
                    start.cut = Some(why.to_owned());
                }
                start.left_out.push(path);
            }
        }
    }
    note_paths(session, &copied);
}

fn note_paths(session: &Session, paths: &[PathBuf]) {
    if let Err(error) = session.note_paths_at_start(paths) {
        session.complain(&format!("the names of its files were not kept: {error}"));
    }
}

/// The bytes of a file that is copied; or why it is not, where that is worth a word.
fn readable(path: &Path, start: &Start, total: u64) -> Result<Vec<u8>, Option<&'static str>> {
    let meta = fs::metadata(path).map_err(|_| None)?;
    // Changed while we were at work: what it was is not known.
    if !meta.is_file() || Stamp::of(&meta).changed > start.when || meta.len() > LARGEST {
        return Err(None);
    }
    if start.copied >= MOST_FILES as u64 || total + meta.len() > MOST_TOTAL {
        return Err(Some("there are too many files to copy"));
    }
    let bytes = files::read(path, LARGEST).map_err(|_| None)?;
    decoded(&bytes).map_or(Err(None), |_| Ok(bytes))
}

/// Seconds since something was written last into a session's folder; 0 where that is not known.
pub(crate) fn age_of(folder: &Path) -> u64 {
    let age = |path: PathBuf| {
        let modified = fs::metadata(path).and_then(|meta| meta.modified()).ok()?;
        modified.elapsed().ok().map(|age| age.as_secs())
    };
    let ages = [folder.to_owned(), folder.join(EVENTS), folder.join("start.json")];
    ages.into_iter().filter_map(age).min().unwrap_or(0)
}
