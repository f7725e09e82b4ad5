//! When transcripts are read: hooks read before a compaction and leave a ticket at a session's end; the
//! background goes through them, and reads on where sessions ended without one. One process per transcript.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::is_excluded;
use super::proposals;
use super::read::{self, LearnReport, Request};
use crate::app::{App, background, inject, transcript_end};
use crate::files;
use crate::hook::Event;
use crate::store::TranscriptState;
use crate::text::hash;
use crate::ui::{Exit, Out};
use crate::{capture, facts, gc, jobs, next, playbooks, review};

/// Together the work takes no longer; the next process goes on.
const TIME_LIMIT: Duration = Duration::from_mins(2);

/// How long the end of a session waits for somebody who reads its transcript.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);

const MOST_OPEN: usize = 20;

const LOOKED_AT: u64 = 256 * 1024;

/// Read the transcripts of sessions that ended (started by hooks, in the background)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    #[expect(clippy::unused_self, reason = "as every command has it")]
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = run(app)?;
        app.try_to("next", next::keep);
        inject::start::prepare(app);
        let read = &report.transcripts;
        let added: u64 = read.iter().map(|one| one.added).sum();
        let lessons: u64 = read.iter().map(|one| one.lessons).sum();
        let text = format!(
            "{} transcripts read, {added} proposals new, {lessons} lessons new or changed, {} failed\n",
            read.len(),
            report.failed
        );
        out.answer(&report, |_| text)?;
        Ok(if report.failed > 0 { Exit::Failed } else { Exit::Done })
    }
}

#[derive(Debug, Default, Serialize)]
pub struct WorkReport {
    pub transcripts: Vec<LearnReport>,
    pub failed: u64,
}

pub fn start(app: &App) {
    if app.database.path().is_some() {
        let spawn = background::spawn_detached;
        capture::start(app, spawn, "learn", &["learn"], &app.project.start);
    }
}

pub fn run(app: &mut App) -> anyhow::Result<WorkReport> {
    let begun = Instant::now();
    let mut report = WorkReport::default();
    app.store()?;
    for ticket in tickets(app) {
        if begun.elapsed() > TIME_LIMIT {
            return Ok(report);
        }
        let request = Request {
            session: Some(&ticket.session),
            is_closed: true,
            goes_on: true,
            limit: Some(TIME_LIMIT.saturating_sub(begun.elapsed())),
            ..Request::default()
        };
        let done = one(app, &ticket.transcript, &ticket.folder, request, &mut report);
        if done {
            fs::remove_file(&ticket.file).ok();
        }
    }
    open(app, begun, &mut report)?;
    proposals::expire(app)?;
    facts::expire(app, false)?;
    if let Some(reason) = review::keep_journal(app) {
        app.log.line(app.now, "journal", &reason);
    }
    gc::daily(app);
    if !jobs::asks_model(app) {
        let request = playbooks::Request { only_rules: true, ..playbooks::Request::default() };
        app.try_to("playbooks", |app| playbooks::work_off(app, &request, &Arc::default()));
    }
    jobs::start_if_due(app);
    Ok(report)
}

/// Sessions may end without a word, and the client writes with a delay.
fn open(app: &mut App, begun: Instant, report: &mut WorkReport) -> anyhow::Result<()> {
    let store = app.store()?;
    let mut states = store.transcripts(false, MOST_OPEN)?;
    states.extend(store.transcripts(true, MOST_OPEN)?);
    for state in states {
        let path = Path::new(&state.path);
        if begun.elapsed() > TIME_LIMIT {
            return Ok(());
        }
        let meta = fs::metadata(path).ok().filter(fs::Metadata::is_file);
        let (is_over, is_due) = match meta {
            _ if state.closed => (true, is_late(&state)),
            Some(meta) => {
                let written = files::modified(path);
                let is_idle = written.is_some_and(|at| app.now.duration_since(at) >= IDLE);
                (is_idle, is_idle || meta.len() != state.offset)
            }
            None => {
                read::close(app, &state)?;
                continue;
            }
        };
        if is_due {
            let request = Request {
                session: state.session.as_deref(),
                is_closed: is_over,
                goes_on: !state.closed,
                limit: Some(TIME_LIMIT.saturating_sub(begun.elapsed())),
                ..Request::default()
            };
            let folder = folder_of(app, path);
            one(app, path, &folder, request, report);
        }
    }
    Ok(())
}

/// A last line without an end was read, too, when its session was over.
fn is_late(state: &TranscriptState) -> bool {
    let path = Path::new(&state.path);
    let Ok(length) = fs::metadata(path).map(|meta| meta.len()) else { return false };
    length < state.offset || (length > state.offset && ends_a_line(path, state.offset))
}

fn ends_a_line(path: &Path, offset: u64) -> bool {
    let read = || {
        let mut file = files::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut rest = Vec::new();
        file.take(LOOKED_AT).read_to_end(&mut rest)?;
        // Longer than what is looked at: there is something to read in any case.
        std::io::Result::Ok(rest.contains(&b'\n') || rest.len() as u64 == LOOKED_AT)
    };
    read().unwrap_or(false)
}

/// A session that wrote nothing for so long has ended, whether its client said so or not.
const IDLE: SignedDuration = SignedDuration::from_hours(6);

/// Reads one transcript, unless somebody else does; `true` if nothing of it is left to be done.
fn one(
    app: &mut App,
    path: &Path,
    folder: &Path,
    request: Request<'_>,
    report: &mut WorkReport,
) -> bool {
    // Who reads an open transcript does not know that its session ended meanwhile.
    let patience = if request.is_closed { LOCK_PATIENCE } else { Duration::ZERO };
    let name = hash(path.to_string_lossy().as_bytes(), 8);
    let file = app.paths.state_dir.join("learn").join(format!("{name}.lock"));
    let lock = match files::lock(&file, patience) {
        Ok(Some(lock)) => lock,
        Ok(None) => return false,
        Err(error) => {
            app.log.line(app.now, "learn", &format!("{}: {error}", path.display()));
            return false;
        }
    };
    let mut there = app.elsewhere(folder);
    let read = if is_excluded(&there) {
        // Nothing is kept of a transcript whose project was excluded since its session began.
        let path = path.to_string_lossy().into_owned();
        let removed = app.write(|writer| writer.remove_transcript(&path));
        removed.map(|()| LearnReport { path, ..LearnReport::default() })
    } else {
        read::transcript(&mut there, path, request)
    };
    drop(lock);
    match read {
        Ok(read) => {
            let is_done = !read.unfinished;
            report.transcripts.push(read);
            is_done
        }
        Err(error) => {
            app.log.line(app.now, "learn", &format!("{}: {error:#}", path.display()));
            report.failed += 1;
            // A transcript that is gone will not come back, and what is no file becomes none.
            !path.is_file()
        }
    }
}

/// The folder a transcript's session ran in; this one if it does not say, or that is gone.
pub(crate) fn folder_of(app: &App, path: &Path) -> PathBuf {
    #[derive(serde::Deserialize)]
    struct Line {
        cwd: Option<PathBuf>,
    }
    let head = transcript_end::head(path);
    let mut lines = head.split(|byte| *byte == b'\n');
    let said = lines.find_map(|line| serde_json::from_slice::<Line>(line).ok()?.cwd);
    said.filter(|folder| folder.is_dir()).unwrap_or_else(|| app.project.start.clone())
}

/// A ticket: a small file, removed by the process that reads its transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    pub session: String,
    pub transcript: PathBuf,
    pub folder: PathBuf,
    #[serde(skip)]
    pub file: PathBuf,
}

fn ticket_folder(app: &App) -> PathBuf {
    app.paths.state_dir.join("tickets")
}

/// The ticket of a session; `None` where its id can name no file.
pub(crate) fn ticket_of(app: &App, session: &str) -> Option<PathBuf> {
    let name: String = session.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    (!name.is_empty()).then(|| ticket_folder(app).join(name + ".json"))
}

fn leave_ticket(app: &App, event: &Event) -> anyhow::Result<bool> {
    let (Some(transcript), Some(path)) = (&event.transcript, ticket_of(app, &event.session)) else {
        return Ok(false);
    };
    let ticket = Ticket {
        session: event.session.clone(),
        transcript: transcript.clone(),
        folder: app.project.start.clone(),
        file: PathBuf::new(),
    };
    files::replace(&path, &serde_json::to_vec(&ticket)?)
        .with_context(|| format!("the ticket `{}` was not written", path.display()))?;
    Ok(true)
}

pub fn has_tickets(app: &App) -> bool {
    !files::ending_in(&ticket_folder(app), "json").is_empty()
}

pub fn tickets(app: &App) -> Vec<Ticket> {
    let mut tickets = Vec::new();
    for file in files::ending_in(&ticket_folder(app), "json") {
        let read = files::read(&file, files::SMALL).ok();
        match read.and_then(|bytes| serde_json::from_slice::<Ticket>(&bytes).ok()) {
            Some(ticket) => tickets.push(Ticket { file, ..ticket }),
            None => drop(fs::remove_file(&file)),
        }
    }
    tickets
}

/// Transcripts of sessions that are over at whose length a start looks.
const LATE_LOOKED_AT: usize = 4;

/// The client gives a hook five seconds; what is not read by then is left to the background.
const READ_LIMIT: Duration = Duration::from_secs(2);

/// Starts what earlier sessions left; this one has another transcript.
pub fn catch_up(app: &mut App, transcript: Option<&Path>) -> anyhow::Result<()> {
    if app.database.path().is_none() || is_excluded(app) {
        return Ok(());
    }
    let store = app.store()?;
    let open = store.transcripts(false, 2)?;
    let closed = store.transcripts(true, LATE_LOOKED_AT)?;
    let is_other = |state: &&TranscriptState| Some(Path::new(&state.path)) != transcript;
    if has_tickets(app)
        || open.iter().any(|state| is_other(&state))
        || closed.iter().filter(is_other).any(is_late)
        || jobs::is_due(app)
    {
        start(app);
    }
    Ok(())
}

/// Reads on first: the client writes its transcript with a delay.
pub fn after_compaction(app: &mut App, event: &Event) -> String {
    if is_excluded(app) {
        return String::new();
    }
    app.try_to("learn", |app| compacting(app, event));
    let in_hand = event.transcript.as_deref().and_then(|path| read::in_hand(app, path));
    in_hand.unwrap_or_default()
}

/// Reads what is new before it is compacted, and once more when it is.
pub fn compacting(app: &mut App, event: &Event) -> anyhow::Result<()> {
    let Some(path) = event.transcript.as_deref() else { return Ok(()) };
    if app.database.path().is_none() || is_excluded(app) {
        return Ok(());
    }
    let session = Some(event.session.as_str()).filter(|id| !id.is_empty());
    let request = Request { session, limit: Some(READ_LIMIT), ..Request::default() };
    if read::transcript(app, path, request)?.unfinished {
        start(app);
    }
    Ok(())
}

pub fn ended(app: &mut App, event: &Event) -> anyhow::Result<()> {
    if app.database.path().is_none() || is_excluded(app) {
        return Ok(());
    }
    if leave_ticket(app, event)? {
        start(app);
    }
    Ok(())
}
