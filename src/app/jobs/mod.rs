//! Background work: a queue in the database, and one process at a time that works it off. What a model
//! is needed for is done here, so that no session waits for one; without a model nothing of it happens.

use std::collections::BTreeMap;
use std::ffi::OsString;

use anyhow::{Context as _, bail};
use jiff::SignedDuration;
use serde::Serialize;

use super::{App, background, playbooks};
use crate::model::{JobKind, JobState};
use crate::store::{
    ForgottenKey, JobFilter, JobRecord, NewJob, StoreError, TranscriptState, Writer, time_text,
};
use crate::text::{clean, clip};

pub mod worker;

/// Lessons that are put in at once.
const MOST_LESSONS: usize = 50;

/// A job that could be done for so long shows that nobody does any.
const STUCK_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// Whether the background asks a model: one is configured, and the person did not switch it off.
pub fn asks_model(app: &App) -> bool {
    app.config.has_model() && app.config.learn_model
}

/// What can be done. Without a model that is what rules can do.
fn kinds(asks: bool) -> &'static [JobKind] {
    if asks { JobKind::ALL } else { &[JobKind::Playbooks] }
}

/// The queue, or the part of it that was asked for.
#[derive(Debug, Serialize)]
pub struct JobsReport {
    pub total: u64,
    pub jobs: Vec<JobRecord>,
    pub by_state: BTreeMap<String, u64>,
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
    let store = app.store()?;
    let (jobs, total) = store.jobs(JobFilter { state, kind, limit })?;
    Ok(JobsReport { total, jobs, by_state: store.job_counts()? })
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
    if !app.store()?.write(now, |writer| writer.retry_job(job.id))? {
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
    let asks = asks_model(app);
    let long_ago = time_text(app.now.checked_sub(STUCK_AFTER).unwrap_or(app.now));
    let Some(store) = app.existing_store()? else { return Ok(QueueState::default()) };
    let since = store.jobs_open_since(kinds(asks))?;
    let stuck_since = since.filter(|since| *since < long_ago);
    Ok(QueueState { by_state: store.job_counts()?, stuck_since })
}

/// Puts in that facts are to be taken out of a transcript as far as it was read, and that its run is to
/// be worked off. Once for each state of the transcript: read again without news, nothing is put in; nor
/// is anything of a session that a person had forgotten.
///
/// # Errors
/// When the database cannot be written.
pub fn put_transcript(writer: &Writer<'_>, state: &TranscriptState) -> Result<(), StoreError> {
    if let Some(session) = &state.session
        && writer.is_forgotten(&[ForgottenKey::Session(session)])?
    {
        return Ok(());
    }
    let hash: String = state.hash.chars().take(16).collect();
    let version = format!("{}-{hash}", state.offset);
    let is_new = writer.enqueue(&NewJob {
        kind: JobKind::Facts,
        key: &state.path,
        version: &version,
        session: state.session.as_deref(),
        finding: None,
    })?;
    if is_new {
        put_playbooks(writer, &format!("{} {version}", state.path))?;
    }
    Ok(())
}

/// Puts in that completed runs are to be worked off: all that there are by then, so one job is enough.
/// `version` says what came in last.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn put_playbooks(writer: &Writer<'_>, version: &str) -> Result<bool, StoreError> {
    writer.enqueue(&NewJob {
        kind: JobKind::Playbooks,
        key: playbooks::JOB,
        version,
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
            new += u64::from(writer.enqueue(&NewJob {
                kind: JobKind::Lesson,
                key: &lesson.id.to_string(),
                version: &lesson.source,
                session: lesson.session.as_deref(),
                finding: Some(lesson.id),
            })?);
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
    store.jobs_due(kinds(asks), now).is_ok_and(|due| due > 0)
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
