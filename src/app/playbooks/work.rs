//! `mk extract` without a file: works off completed runs.

use std::fs::File;
use std::time::Duration;

use jiff::SignedDuration;
use serde::Serialize;

use super::record;
use super::steps::{self, Kept, Saved};
use crate::app::{App, model, prompts};
use crate::files;
use crate::learn::playbooks::{Template, rules};
use crate::llm::Model;
use crate::model::{Put, Run};
use crate::store::{
    BY_RULES, DueFilter, FetchedRun, OpenExtraction, StoreError, Writer, time_text,
};
use crate::text::hash;

/// Runs that are counted when no model is asked, the newest.
const COUNTED: usize = 5000;

/// Which runs are worked off, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// At most so many.
    pub limit: usize,
    /// Only those that ended so many hours ago or less.
    pub since_hours: u32,
    /// Only say which they are.
    pub dry_run: bool,
    /// Another model than the configured one.
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
    /// Entries that are new.
    pub entries_created: u64,
    /// Entries that say something else than before.
    pub entries_updated: u64,
    /// The runs that were worked off, or with a dry run would be.
    pub source_workflow_ids: Vec<String>,
    /// What the model says of them.
    pub summary: String,
    /// What asking cost.
    pub usage: Usage,
    /// The entries.
    pub entries: Vec<EntryLine>,
    /// With a dry run: the runs.
    pub runs: Vec<RunLine>,
    /// Runs that wait and ended earlier than was asked for.
    pub older: u64,
}

/// What asking a model cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Questions that were answered.
    pub requests: u64,
    /// Tokens of the prompts, as far as the server counts them.
    pub prompt_tokens: u64,
    /// Tokens of the replies, as far as the server counts them.
    pub reply_tokens: u64,
}

/// An entry that was stored, or was there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryLine {
    /// Row number.
    pub id: i64,
    /// `inserted`, `updated` or `unchanged`.
    pub change: &'static str,
    /// Title.
    pub title: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Problem or task that it comes from.
    pub source_task_id: String,
    /// Run that it comes from.
    pub source_workflow_id: String,
}

/// A run that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunLine {
    /// Session id, uuid of the submission, or file.
    pub workflow_id: String,
    /// `session`, `submission` or `result`.
    pub source: String,
    /// Problem or task.
    pub task_id: String,
    /// How it ended.
    pub outcome: String,
    /// When, `YYYY-MM-DD HH:MM:SS` in UTC.
    pub completed_at: Option<String>,
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
    let since = app.now - SignedDuration::from_hours(i64::from(request.since_hours));
    let mut report = RunsReport { dry_run: request.dry_run, ..RunsReport::default() };
    let name = request.model.as_deref();
    let is_wanted = !request.only_rules && model::is_wanted(app, name);
    let model = if is_wanted { Some(model::open(app, name)?) } else { None };
    report.model = model.as_ref().map(|model| model.name().to_owned());
    let filter =
        DueFilter { since: time_text(since), limit: request.limit, for_model: model.is_some() };
    if request.dry_run {
        return rehearse(app, &filter, report);
    }
    let Some(_lock) = lock(app)? else {
        report.busy = true;
        return Ok(report);
    };
    let now = app.now;
    app.store()?.write(now, |writer| record::backfill(writer, now))?;
    match model {
        Some(model) => with_model(app, &*model, filter.clone(), &mut report)?,
        None => by_rules(app, &filter, &mut report)?,
    }
    report.older = app.store()?.older_runs(&filter)?;
    Ok(report)
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
    mut filter: DueFilter,
    report: &mut RunsReport,
) -> anyhow::Result<()> {
    let template = prompts::playbooks(app).map_err(anyhow::Error::msg)?;
    for begun in app.store()?.open_extractions()? {
        finish(app, model, &template, begun, report)?;
    }
    while filter.limit > 0
        && let Some(fetched) = steps::fetch(app, &filter, &template, model.name())?
    {
        filter.limit = filter.limit.saturating_sub(fetched.runs.len());
        finish(app, model, &template, fetched, report)?;
    }
    Ok(())
}

/// What is left to be done of an extraction.
fn finish(
    app: &mut App,
    model: &dyn Model,
    template: &Template,
    begun: OpenExtraction,
    report: &mut RunsReport,
) -> anyhow::Result<()> {
    let asked = match &begun.reply {
        Some(_) => Some(begun),
        None => steps::ask(app, model, template, begun)?,
    };
    asked.map_or(Ok(()), |asked| save(app, &asked, report))
}

fn save(app: &mut App, asked: &OpenExtraction, report: &mut RunsReport) -> anyhow::Result<()> {
    let runs: Vec<i64> = asked.runs.iter().map(|run| run.id).collect();
    let runs = app.store()?.runs_by_id(&runs)?;
    if let Some(saved) = steps::save(app, asked)? {
        report.usage.requests += 1;
        report.usage.prompt_tokens += asked.prompt_tokens;
        report.usage.reply_tokens += asked.reply_tokens;
        report.source_workflow_ids.extend(ids(&runs));
        report.take(saved);
    }
    Ok(())
}

/// Counts what worked in all runs, where some wait.
fn by_rules(app: &mut App, filter: &DueFilter, report: &mut RunsReport) -> anyhow::Result<()> {
    let now = app.now;
    for begun in app.store()?.open_extractions()? {
        // A reply that has come stays good; nobody asks about the others.
        if begun.reply.is_none() {
            app.store()?.write(now, |writer| writer.drop_extraction(&begun.id))?;
        } else {
            save(app, &begun, report)?;
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
            let fetched: Vec<FetchedRun> =
                due.iter().map(|run| FetchedRun { id: run.id, hash: run.hash.clone() }).collect();
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
    let put = |entry: crate::learn::playbooks::Entry| {
        Ok(Kept { put: writer.put(&entry.draft(BY_RULES))?, entry })
    };
    rules(&runs).into_iter().map(put).collect()
}

impl RunsReport {
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

/// One process at a time for a database.
fn lock(app: &App) -> std::io::Result<Option<File>> {
    let database = app.database.path().map(|path| path.to_string_lossy().into_owned());
    let name = format!("playbooks-{}.lock", hash(database.unwrap_or_default(), 8));
    files::lock(&app.paths.state_dir.join("learn").join(name), Duration::ZERO)
}
