//! `mk extract` without a file: works off completed runs. With a model that is a job of three steps, each
//! saved before the next begins: fetch, ask, save. A process that ends between two of them has lost nothing
//! and repeats nothing but a question.

use std::fmt::Write as _;

use anyhow::{Context as _, anyhow};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record;
use crate::app::jobs::{put_playbooks, worker};
use crate::app::{App, model, prompts};
use crate::learn::facts::Origin;
use crate::learn::playbooks::{Entry, MAX_TOKENS, NAME, Reading, Template, read, rules, schema};
use crate::llm::{self, Failure, Model};
use crate::model::{JobKind, Put, Run};
use crate::store::{
    BY_RULES, DueFilter, Enqueued, FetchedRun, JobRecord, StoreError, Writer, time_text,
};
use crate::text::hash;

/// Key of the one job that works off runs.
pub(in crate::app) const JOB: &str = "runs";

/// Steps that are saved, in the job's row.
const FETCHED: &str = "fetched";
const ASKED: &str = "asked";

/// Runs that are asked about at once.
const BATCH: usize = 10;

/// Runs that are counted when no model is asked, the newest.
const COUNTED: usize = 5000;

/// Which runs are worked off, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub limit: usize,
    /// Only those that ended so many hours ago or less.
    pub since_hours: u32,
    pub dry_run: bool,
    pub model: Option<String>,
    /// Ask no model, though one is configured.
    pub only_rules: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self { limit: 10, since_hours: 24, dry_run: false, model: None, only_rules: false }
    }
}

/// What working off runs brought.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RunsReport {
    /// Nothing was stored, as asked.
    pub dry_run: bool,
    /// Another process is at it; nothing was done.
    pub busy: bool,
    /// The model that was asked; `None` where the rules counted.
    pub model: Option<String>,
    pub entries_created: u64,
    /// Entries that say something else than before.
    pub entries_updated: u64,
    /// The runs that were worked off, or with a dry run would be.
    pub source_workflow_ids: Vec<String>,
    pub summary: String,
    pub usage: Usage,
    pub entries: Vec<EntryLine>,
    /// With a dry run: the runs.
    pub runs: Vec<RunLine>,
    /// Runs that wait and ended earlier than was asked for.
    pub older: u64,
}

/// What asking a model cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    pub requests: u64,
    /// Tokens of the prompts, as far as the server counts them.
    pub prompt_tokens: u64,
    /// Tokens of the replies, as far as the server counts them.
    pub reply_tokens: u64,
}

/// An entry that was stored, or was there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryLine {
    pub id: i64,
    /// `inserted`, `updated` or `unchanged`.
    pub change: &'static str,
    pub title: String,
    pub tags: Vec<String>,
    pub source_task_id: String,
    pub source_workflow_id: String,
}

/// A run that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunLine {
    /// Session id, uuid of the submission, or file.
    pub workflow_id: String,
    /// `session`, `submission` or `result`.
    pub source: String,
    pub task_id: String,
    pub outcome: String,
    pub completed_at: Option<String>,
}

/// Runs that are asked about at once, as the job keeps them between its steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// The `extraction_workflow_id` of what comes of it.
    pub id: String,
    /// The model that is asked, or was.
    pub model: String,
    /// The runs in the order of the prompt, as they were when they were fetched.
    pub runs: Vec<FetchedRun>,
    /// The model's reply, where it has come.
    pub reply: Option<String>,
    pub prompt_tokens: u64,
    pub reply_tokens: u64,
}

impl Batch {
    /// What the job is at; `None` before its first step. What somebody edited begins again.
    fn of(app: &mut App, job: &JobRecord) -> anyhow::Result<Option<Self>> {
        let Some(step) = job.step.as_deref() else { return Ok(None) };
        let batch: Option<Self> = serde_json::from_str(&job.payload).ok();
        let expected = |batch: &Self| if batch.reply.is_some() { ASKED } else { FETCHED };
        let batch = batch.filter(|batch| expected(batch) == step);
        if batch.is_none() {
            let now = app.now;
            app.store()?.write(now, |writer| writer.save_step(job.id, Some(step), None, "{}"))?;
        }
        Ok(batch)
    }

    fn payload(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    fn ids(&self) -> Vec<i64> {
        self.runs.iter().map(|run| run.id).collect()
    }
}

/// What became of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub put: Put,
    pub entry: Entry,
}

/// What an extraction brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Saved {
    pub entries: Vec<Kept>,
    pub summary: String,
}

/// Works off runs that ended and that nobody has learnt from: a model makes entries of them, or, where
/// none is configured or named, counting does where the evidence is strong. What an earlier process
/// began is finished first. One process at a time.
///
/// # Errors
/// When there is no store, it cannot be written, or the model gives no usable answer: then the error is a
/// [`crate::llm::Failure`], and what was saved before it stays.
pub fn work_off(app: &mut App, request: &Request) -> anyhow::Result<RunsReport> {
    app.store()?;
    let model = wanted(app, request)?;
    let name = model.as_ref().map(|model| model.name().to_owned());
    let report = RunsReport { dry_run: request.dry_run, model: name, ..RunsReport::default() };
    if request.dry_run {
        return rehearse(app, &filter(app, request, model.is_some()), report);
    }
    let Some(_lock) = worker::lock(app)? else {
        return Ok(RunsReport { busy: true, ..report });
    };
    if model.is_none() {
        return work_off_locked(app, request);
    }
    let job = begin(app)?;
    let worked = work_off_locked(app, request);
    let now = app.now;
    app.store()?.write(now, |writer| match &worked {
        Ok(report) => writer.complete_job(job, &report.outcome()),
        // It goes on when somebody asks again, or in the background.
        Err(error) => writer.release_job(job, Some(&format!("{error:#}"))),
    })?;
    worked
}

/// Takes the job in hand; there is one from then on.
///
/// # Errors
/// When the database cannot be written.
pub fn begin(app: &mut App) -> anyhow::Result<i64> {
    let now = app.now;
    let job = app.store()?.write(now, |writer| {
        let (Enqueued::New(id) | Enqueued::Open(id) | Enqueued::Known(id)) = put_playbooks(writer)?;
        writer.take_job(id)
    })?;
    Ok(job.id)
}

/// The same for who holds the lock of the queue. With a model the job must be in hand.
///
/// # Errors
/// As [`work_off`].
pub(in crate::app) fn work_off_locked(
    app: &mut App,
    request: &Request,
) -> anyhow::Result<RunsReport> {
    let model = wanted(app, request)?;
    let filter = filter(app, request, model.is_some());
    let name = model.as_ref().map(|model| model.name().to_owned());
    let mut report = RunsReport { model: name, ..RunsReport::default() };
    let now = app.now;
    app.store()?.write(now, |writer| record::backfill(writer, now))?;
    let job = app.store()?.open_job(JobKind::Playbooks, JOB)?;
    match model {
        Some(model) => with_model(app, &*model, job, filter.clone(), &mut report)?,
        None => by_rules(app, job, &filter, &mut report)?,
    }
    report.older = app.store()?.older_runs(&filter)?;
    Ok(report)
}

fn wanted(app: &App, request: &Request) -> Result<Option<Box<dyn Model>>, Failure> {
    let name = request.model.as_deref();
    let is_wanted = !request.only_rules && model::is_wanted(app, name);
    is_wanted.then(|| model::open(app, name)).transpose()
}

fn filter(app: &App, request: &Request, for_model: bool) -> DueFilter {
    let since = app.now - SignedDuration::from_hours(i64::from(request.since_hours));
    DueFilter { since: time_text(since), limit: request.limit, for_model }
}

/// Says which runs wait; what would be recorded for that is taken back.
fn rehearse(
    app: &mut App,
    filter: &DueFilter,
    mut report: RunsReport,
) -> anyhow::Result<RunsReport> {
    let now = app.now;
    let mut due = None;
    let undone = app.store()?.write(now, |writer| {
        record::backfill(writer, now)?;
        due = Some((writer.due_runs(filter)?, writer.older_runs(filter)?));
        // A transaction that ends with an error leaves nothing behind.
        Err::<(), _>(StoreError::Invalid("a dry run stores nothing".to_owned()))
    });
    let Some((runs, older)) = due else {
        undone?;
        return Ok(report);
    };
    report.older = older;
    report.source_workflow_ids = ids(&runs);
    report.runs = runs
        .into_iter()
        .map(|Run { content: run, .. }| RunLine {
            workflow_id: run.workflow_id,
            source: run.source.to_string(),
            task_id: run.task_id,
            outcome: run.outcome,
            completed_at: run.completed_at,
        })
        .collect();
    Ok(report)
}

fn with_model(
    app: &mut App,
    model: &dyn Model,
    job: Option<JobRecord>,
    mut filter: DueFilter,
    report: &mut RunsReport,
) -> anyhow::Result<()> {
    let template = prompts::playbooks(app).map_err(anyhow::Error::msg)?;
    let job = job.context("the job was dropped")?;
    let mut next = Batch::of(app, &job)?;
    loop {
        if next.is_none() && filter.limit > 0 {
            next = fetch(app, job.id, &filter, model.name())?;
            let fetched = next.as_ref().map_or(0, |batch| batch.runs.len());
            filter.limit = filter.limit.saturating_sub(fetched);
        }
        let Some(batch) = next.take() else { return Ok(()) };
        let asked = match &batch.reply {
            Some(_) => Some(batch),
            None => ask(app, job.id, model, &template, batch)?,
        };
        if let Some(asked) = asked {
            finish(app, job.id, &asked, report)?;
        }
    }
}

/// First step: takes runs that wait in hand, as many as fit into one prompt. `None` where none waits, or
/// the job is further than that.
///
/// # Errors
/// When the database cannot be written.
pub fn fetch(
    app: &mut App,
    job: i64,
    filter: &DueFilter,
    model: &str,
) -> anyhow::Result<Option<Batch>> {
    let (now, filter) = (app.now, DueFilter { limit: filter.limit.min(BATCH), ..filter.clone() });
    let fetched = app.store()?.write(now, |writer| {
        let mut runs = writer.due_runs(&filter)?;
        runs.truncate(Template::fitting(&runs));
        if runs.is_empty() {
            return Ok(None);
        }
        let batch = Batch {
            id: extraction_id(&runs, &now.to_string()),
            model: model.to_owned(),
            runs: runs.iter().map(FetchedRun::of).collect(),
            reply: None,
            prompt_tokens: 0,
            reply_tokens: 0,
        };
        let is_saved = writer.save_step(job, None, Some(FETCHED), &batch.payload())?;
        Ok(is_saved.then_some(batch))
    })?;
    Ok(fetched)
}

/// Second step: asks the model and keeps its reply, which was checked. `None` where the runs have changed
/// or are gone since they were fetched; they are free again.
///
/// # Errors
/// A [`Failure`], or what the database says. What may pass leaves everything as it was, to be asked again;
/// an answer of no use frees the runs, to be asked about one by one.
pub fn ask(
    app: &mut App,
    job: i64,
    model: &dyn Model,
    template: &Template,
    fetched: Batch,
) -> anyhow::Result<Option<Batch>> {
    let now = app.now;
    let runs = app.store()?.runs_by_id(&fetched.ids())?;
    if !runs.iter().map(FetchedRun::of).eq(fetched.runs.iter().cloned()) {
        app.store()?.write(now, |writer| writer.save_step(job, Some(FETCHED), None, "{}"))?;
        return Ok(None);
    }
    let (prompt, origin) = template.prompt(&runs);
    let schema = schema();
    let request = llm::Request {
        system: &prompt.system,
        user: &prompt.user,
        name: NAME,
        schema: &schema,
        max_tokens: MAX_TOKENS,
        limit: model::limit(app),
    };
    let answer = model::load(model, &request, model::load_limit(app))
        .and_then(|()| llm::ask(model, &request, |reply| read(reply, &runs, &origin)));
    let answer = match answer {
        Ok(answer) => answer,
        Err(failure) => {
            if is_about_runs(&failure, runs.len()) {
                app.store()?.write(now, |writer| give_up(writer, job, FETCHED, &fetched))?;
            }
            return Err(failure.into());
        }
    };
    let asked = Batch {
        model: model.name().to_owned(),
        reply: Some(answer.value.to_reply().to_string()),
        prompt_tokens: answer.prompt_tokens,
        reply_tokens: answer.reply_tokens,
        ..fetched
    };
    let payload = asked.payload();
    let kept = app
        .store()?
        .write(now, |writer| writer.save_step(job, Some(FETCHED), Some(ASKED), &payload))?;
    Ok(kept.then_some(asked))
}

/// Third step: stores the entries and marks the runs, in one transaction. `None` where that is done, or
/// nothing is left of the runs. An answer without entries stores none; its runs count as looked at.
///
/// # Errors
/// When the database cannot be written, or the kept reply is none any more.
pub fn save(app: &mut App, job: i64, asked: &Batch) -> anyhow::Result<Option<Saved>> {
    let now = app.now;
    let runs = app.store()?.runs_by_id(&asked.ids())?;
    if runs.is_empty() {
        // A person had all of them forgotten in the meantime.
        app.store()?.write(now, |writer| writer.save_step(job, Some(ASKED), None, "{}"))?;
        return Ok(None);
    }
    let reply = asked.reply.as_deref().unwrap_or_default();
    let reading = serde_json::from_str::<Value>(reply)
        .map_err(|error| error.to_string())
        .and_then(|reply| read(&reply, &runs, &Origin::default()));
    let reading = match reading {
        Ok(reading) => reading,
        Err(reason) => {
            app.store()?.write(now, |writer| give_up(writer, job, ASKED, asked))?;
            return Err(anyhow!("the reply that was kept is not usable: {reason}"));
        }
    };
    Ok(app.store()?.write(now, |writer| put(writer, job, asked, reading))?)
}

fn put(
    writer: &Writer<'_>,
    job: i64,
    asked: &Batch,
    reading: Reading,
) -> Result<Option<Saved>, StoreError> {
    if !writer.save_step(job, Some(ASKED), None, "{}")? {
        return Ok(None);
    }
    writer.mark_extracted(&asked.runs, &asked.model, &asked.id)?;
    let mut saved = Saved { entries: Vec::new(), summary: reading.summary };
    for entry in reading.entries {
        let put = writer.put(&entry.draft(&asked.id))?;
        saved.entries.push(Kept { put, entry });
    }
    Ok(Some(saved))
}

/// After an answer of no use the runs are free again, with one more failure.
fn give_up(writer: &Writer<'_>, job: i64, step: &str, batch: &Batch) -> Result<(), StoreError> {
    if writer.save_step(job, Some(step), None, "{}")? {
        writer.count_failure(&batch.runs)?;
    }
    Ok(())
}

/// Whether other runs might have brought another answer.
fn is_about_runs(failure: &Failure, count: usize) -> bool {
    match failure {
        // One run is a short prompt: where that takes too long, anything would.
        Failure::TimedOut { .. } => count > 1,
        Failure::Truncated { .. } | Failure::PromptCut { .. } | Failure::Invalid { .. } => true,
        Failure::Refused { status, .. } => *status < 500,
        _ => false,
    }
}

/// Its own for every try: the same runs are asked about again after an answer of no use.
fn extraction_id(runs: &[Run], now: &str) -> String {
    let mut text = now.to_owned();
    for run in runs {
        write!(text, "\n{} {} {}", run.content.workflow_id, run.hash, run.failures).ok();
    }
    format!("extraction-{}", &hash(&text, 8))
}

fn finish(app: &mut App, job: i64, asked: &Batch, report: &mut RunsReport) -> anyhow::Result<()> {
    let runs = app.store()?.runs_by_id(&asked.ids())?;
    if let Some(saved) = save(app, job, asked)? {
        report.usage.requests += 1;
        report.usage.prompt_tokens += asked.prompt_tokens;
        report.usage.reply_tokens += asked.reply_tokens;
        report.source_workflow_ids.extend(ids(&runs));
        report.take(saved);
    }
    Ok(())
}

/// Counts what worked in all runs, where some wait.
fn by_rules(
    app: &mut App,
    job: Option<JobRecord>,
    filter: &DueFilter,
    report: &mut RunsReport,
) -> anyhow::Result<()> {
    let now = app.now;
    if let Some(job) = job
        && let Some(begun) = Batch::of(app, &job)?
    {
        // A reply that has come stays good; nobody asks about runs that were only fetched.
        if begun.reply.is_some() {
            finish(app, job.id, &begun, report)?;
        } else {
            app.store()?
                .write(now, |writer| writer.save_step(job.id, Some(FETCHED), None, "{}"))?;
        }
    }
    let all = app.store()?.runs(COUNTED)?;
    let (runs, kept) = app.store()?.write(now, |writer| {
        let mut runs = Vec::new();
        while runs.len() < filter.limit {
            let left = DueFilter { limit: filter.limit - runs.len(), ..filter.clone() };
            let due = writer.due_runs(&left)?;
            if due.is_empty() {
                break;
            }
            let fetched: Vec<FetchedRun> = due.iter().map(FetchedRun::of).collect();
            writer.mark_extracted(&fetched, BY_RULES, BY_RULES)?;
            runs.extend(due);
        }
        let kept = if runs.is_empty() { Vec::new() } else { count(writer, all)? };
        Ok((runs, kept))
    })?;
    report.source_workflow_ids.extend(ids(&runs));
    report.take(Saved { entries: kept, summary: String::new() });
    Ok(())
}

fn count(writer: &Writer<'_>, mut runs: Vec<Run>) -> Result<Vec<Kept>, StoreError> {
    let dropped = writer.dropped_lessons()?;
    for run in &mut runs {
        run.content.evidence.fixes.retain(|fix| !dropped.contains(&fix.lesson));
    }
    let put = |entry: Entry| Ok(Kept { put: writer.put(&entry.draft(BY_RULES))?, entry });
    rules(&runs).into_iter().map(put).collect()
}

impl RunsReport {
    /// What came of it, in a few words.
    pub(in crate::app) fn outcome(&self) -> String {
        let runs = self.source_workflow_ids.len();
        format!("{} new entries out of {runs} runs", self.entries_created)
    }

    fn take(&mut self, saved: Saved) {
        for Kept { put, entry } in saved.entries {
            let change = match put {
                Put::Inserted(_) => {
                    self.entries_created += 1;
                    "inserted"
                }
                Put::Updated(_) => {
                    self.entries_updated += 1;
                    "updated"
                }
                Put::Unchanged(_) => "unchanged",
                Put::Forgotten => continue,
            };
            self.entries.push(EntryLine {
                id: put.id(),
                change,
                title: entry.title,
                tags: entry.tags,
                source_task_id: entry.source_task_id,
                source_workflow_id: entry.source_workflow_id,
            });
        }
        if !saved.summary.is_empty() {
            let gap = if self.summary.is_empty() { "" } else { " " };
            self.summary = format!("{}{gap}{}", self.summary, saved.summary);
        }
    }
}

fn ids(runs: &[Run]) -> Vec<String> {
    runs.iter().map(|run| run.content.workflow_id.clone()).collect()
}
