//! Background work: a queue in the database, and one process at a time that works it off. What a model
//! is needed for is done here, so that no session waits for one; without a model nothing of it happens.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{App, background, playbooks};
use crate::model::{JobKind, JobState};
use crate::store::{
    Enqueued, ForgottenKey, JobFilter, JobHold, JobRecord, NewJob, Store, StoreError,
    TranscriptState, Writer,
};
use crate::text::{clean, clip};

pub mod worker;

/// What is held back while no model can be asked.
const MODEL: &str = "model";

/// Lessons that are put in at once.
const MOST_LESSONS: usize = 50;

/// A job that could be done for so long shows that nobody does any.
const STUCK_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// Whether the background asks a model: one is configured, and the person did not switch it off.
pub fn asks_model(app: &App) -> bool {
    app.config.has_model() && app.config.learn_model
}

/// What can be done. Without a model that is what rules can do; while none can be reached, nothing.
fn kinds(asks: bool, held: bool) -> &'static [JobKind] {
    match (asks, held) {
        (true, true) => &[],
        (true, false) => JobKind::ALL,
        (false, _) => &[JobKind::Playbooks],
    }
}

/// The queue, or the part of it that was asked for.
#[derive(Debug, Serialize)]
pub struct JobsReport {
    pub total: u64,
    pub jobs: Vec<JobRecord>,
    pub by_state: BTreeMap<String, u64>,
    /// Why those that need a model wait, where they do.
    pub held: Option<JobHold>,
}

/// Lists jobs: only those in this state and of this kind, at most so many.
///
/// # Errors
/// What the store says.
pub fn list(
    app: &mut App,
    state: Option<JobState>,
    kind: Option<JobKind>,
    limit: usize,
) -> anyhow::Result<JobsReport> {
    let (now, filter) = (app.now, JobFilter { state, kind, limit });
    let store = app.store()?;
    let (jobs, total) = store.jobs(filter)?;
    let by_state = store.job_counts()?;
    Ok(JobsReport { total, jobs, by_state, held: store.job_hold(MODEL, now)? })
}

/// One job, by its number (`12`, `#12`).
///
/// # Errors
/// When there is none of that number, or what the store says.
pub fn show(app: &mut App, id: &str) -> anyhow::Result<JobRecord> {
    let number = number(id)?;
    app.store()?.job(number)?.with_context(|| format!("there is no job #{number}"))
}

/// Makes a job due at once, also one that was given up or done, and what it needs is asked for again.
/// Returns it as it is then.
///
/// # Errors
/// When it is not there, is being worked on, or the same work is in the queue under another number.
pub fn retry(app: &mut App, id: &str) -> anyhow::Result<JobRecord> {
    let job = show(app, id)?;
    let now = app.now;
    let done = app.store()?.write(now, |writer| {
        writer.lift_hold(MODEL)?;
        writer.retry_job(job.id)
    })?;
    if !done {
        let job = show(app, id)?;
        if job.state == JobState::Running.as_str() {
            bail!("job #{} is being worked on: it is tried again by itself if it fails", job.id);
        }
        bail!(
            "the same work as job #{} is in the queue already: `mk jobs list --state waiting`",
            job.id
        );
    }
    show(app, id)
}

/// Removes a job. Returns it as it was.
///
/// # Errors
/// When there is none of that number, or what the store says.
pub fn drop(app: &mut App, id: &str) -> anyhow::Result<JobRecord> {
    let job = show(app, id)?;
    let now = app.now;
    app.store()?.write(now, |writer| writer.drop_job(job.id))?;
    Ok(job)
}

fn number(id: &str) -> anyhow::Result<i64> {
    let text = id.trim();
    let Ok(number) = text.strip_prefix('#').unwrap_or(text).parse() else {
        bail!("`{}` is no number of a job: `mk jobs` lists them", clip(&clean(text), 40));
    };
    Ok(number)
}

/// What is wrong with the queue, for who asks; a session is never told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct QueueState {
    pub by_state: BTreeMap<String, u64>,
    /// Since when a job could be done that nobody does, where that is more than a day.
    pub stuck_since: Option<String>,
    /// Why those that need a model wait, where they do.
    pub held: Option<JobHold>,
}

impl QueueState {
    /// How many jobs are in a state.
    pub fn count(&self, state: JobState) -> u64 {
        self.by_state.get(state.as_str()).copied().unwrap_or_default()
    }
}

/// How the queue is.
///
/// # Errors
/// What the store says.
pub fn state(app: &mut App) -> Result<QueueState, StoreError> {
    let (now, asks) = (app.now, asks_model(app));
    let Some(store) = app.existing_store()? else { return Ok(QueueState::default()) };
    Ok(QueueState {
        by_state: store.job_counts()?,
        stuck_since: stuck_since(store, asks, now)?,
        held: store.job_hold(MODEL, now)?,
    })
}

/// What is held back does not move either: a hold explains, it does not excuse.
fn stuck_since(store: &Store, asks: bool, now: Timestamp) -> Result<Option<String>, StoreError> {
    let since = store.job_due_since(kinds(asks, false), now)?;
    let long_ago = crate::store::time_text(now.checked_sub(STUCK_AFTER).unwrap_or(now));
    Ok(since.filter(|since| *since < long_ago))
}

/// Where the transcript of a `facts` job is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct TranscriptPlace {
    transcript: PathBuf,
    folder: PathBuf,
}

/// Puts in that facts are to be taken out of a transcript as far as it was read, and that its run is to
/// be worked off. Once for each state of the transcript: read again without news, nothing is put in; nor
/// is anything of a session that a person had forgotten.
///
/// # Errors
/// When the database cannot be written.
pub fn put_transcript(
    writer: &Writer<'_>,
    state: &TranscriptState,
    folder: &Path,
) -> Result<(), StoreError> {
    if let Some(session) = &state.session
        && writer.is_forgotten(&[ForgottenKey::Session(session)])?
    {
        return Ok(());
    }
    let place =
        TranscriptPlace { transcript: PathBuf::from(&state.path), folder: folder.to_owned() };
    let payload = serde_json::to_string(&place).unwrap_or_default();
    let hash: String = state.hash.chars().take(16).collect();
    let version = format!("{}-{hash}", state.offset);
    let put = writer.enqueue(&NewJob {
        kind: JobKind::Facts,
        key: &state.path,
        version: Some(&version),
        payload: &payload,
        session: state.session.as_deref(),
        finding: None,
    })?;
    if matches!(put, Enqueued::New(_)) {
        put_playbooks(writer)?;
    }
    Ok(())
}

/// Puts in that completed runs are to be worked off: all that there are by then, so one job is enough.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn put_playbooks(writer: &Writer<'_>) -> Result<Enqueued, StoreError> {
    writer.enqueue(&NewJob {
        kind: JobKind::Playbooks,
        key: playbooks::JOB,
        version: None,
        payload: "{}",
        session: None,
        finding: None,
    })
}

/// Puts in the lessons that have no words of a model, where one is asked. What the lessons say now
/// decides, so none is missed, whichever way it came in.
///
/// # Errors
/// When the database cannot be read or written.
fn put_lessons(app: &mut App) -> anyhow::Result<u64> {
    if !asks_model(app) {
        return Ok(0);
    }
    let now = app.now;
    let Some(store) = app.existing_store()? else { return Ok(0) };
    let unworded = store.unworded_lessons(MOST_LESSONS)?;
    if unworded.is_empty() {
        return Ok(0);
    }
    let new = store.write(now, |writer| {
        let mut new = 0;
        for lesson in &unworded {
            let put = writer.enqueue(&NewJob {
                kind: JobKind::Lesson,
                key: &lesson.id.to_string(),
                version: Some(&lesson.source),
                payload: "{}",
                session: lesson.session.as_deref(),
                finding: Some(lesson.id),
            })?;
            new += u64::from(matches!(put, Enqueued::New(_)));
        }
        Ok(new)
    })?;
    Ok(new)
}

/// Puts lessons that have no words of a model into the queue, and starts the worker where something is
/// due. Never waits for it, and never fails: the log says what went wrong.
pub fn start_if_due(app: &mut App) {
    if let Err(error) = put_lessons(app) {
        app.log.line(app.now, "jobs", &format!("{error:#}"));
    }
    if is_due(app) {
        start(app);
    }
}

/// Whether there is work for the worker. Costs one look at an index.
pub fn is_due(app: &mut App) -> bool {
    let (now, asks) = (app.now, asks_model(app));
    let Ok(Some(store)) = app.existing_store() else { return false };
    let held = asks && store.job_hold(MODEL, now).is_ok_and(|held| held.is_some());
    match kinds(asks, held) {
        [] => false,
        kinds => store.job_due_since(kinds, now).is_ok_and(|since| since.is_some()),
    }
}

fn start(app: &App) {
    let Some(executable) = app.environment.executable.as_deref() else { return };
    let Some(database) = app.database.path() else { return };
    let database = std::path::absolute(database).unwrap_or_else(|_| database.to_owned());
    let arguments: [OsString; 4] = ["--db".into(), database.into(), "jobs".into(), "work".into()];
    if let Err(error) = background::spawn_gently(executable, &arguments, &app.project.start) {
        app.log.line(app.now, "jobs", &format!("the worker could not be started: {error}"));
    }
}
