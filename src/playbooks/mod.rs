//! Playbooks: completed runs become entries, by a model or by counting (`mk extract` without a file),
//! and entries are found by their tags. A model's reply is saved in the job's row before what it says is stored: a
//! process that ends at any moment has lost nothing and repeats nothing but a question that was not answered.

pub(crate) mod record;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::asker::{self, Asker, Usage};
use crate::jobs::lock;
use crate::learn::playbooks::{self as learn, Reading, rules};
use crate::llm::Why;
use crate::model::{Draft, JobKind, PlaybookDetail, Put, Run};
use crate::store::{BY_RULES, DueFilter, FetchedRun, JobRecord, time_text};
use crate::text::{clean, clip, hash, plural};
use crate::ui::layout::Page;

pub(crate) const JOB: &str = "runs";

const ASKED: &str = "asked";

/// Runs that are asked about at once; more would take small models longer than they have.
const BATCH: usize = 5;

/// Runs that are counted when no model is asked, the newest.
const COUNTED: usize = 5000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub limit: usize,
    pub since_hours: u32,
    pub dry_run: bool,
    pub model: Option<String>,
    pub only_rules: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self { limit: 10, since_hours: 24, dry_run: false, model: None, only_rules: false }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunsReport {
    pub dry_run: bool,
    pub busy: bool,
    /// The model that was asked; `None` where the rules counted.
    pub model: Option<String>,
    pub entries_created: u64,
    pub entries_updated: u64,
    pub source_workflow_ids: Vec<String>,
    pub summary: String,
    pub usage: Usage,
    pub entries: Vec<EntryLine>,
    pub runs: Vec<Run>,
    /// Runs that wait and ended earlier than was asked for.
    pub older: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntryLine {
    pub id: i64,
    /// `inserted`, `updated` or `unchanged`.
    pub change: &'static str,
    pub title: String,
    pub tags: Vec<String>,
    #[serde(flatten)]
    pub playbook: PlaybookDetail,
}

/// What the model said about runs, as the job keeps it until it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Reply {
    id: String,
    runs: Vec<FetchedRun>,
    reading: Reading,
    usage: Usage,
}

/// What an earlier process began is finished first. One process at a time.
pub fn work_off(
    app: &mut App,
    request: &Request,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<RunsReport> {
    app.store()?;
    let pass = Pass::open(app, request, stop)?;
    if request.dry_run {
        let store = app.store()?;
        let (runs, older) = (store.due_runs(&pass.filter)?, store.older_runs(&pass.filter)?);
        let source_workflow_ids = runs.iter().map(|run| run.workflow_id.clone()).collect();
        return Ok(RunsReport { source_workflow_ids, runs, older, ..pass.report });
    }
    let Some(_lock) = lock(app)? else {
        return Ok(RunsReport { busy: true, ..pass.report });
    };
    if pass.asker.is_none() {
        let (jobs, _) = app.store()?.jobs(None, Some(JobKind::Playbooks), 1)?;
        return pass.run(app, jobs.first());
    }
    let version = app.now.to_string();
    let job = app.write(|writer| {
        writer.enqueue(JobKind::Playbooks, JOB, &version, None)?;
        writer.claim_job(&[JobKind::Playbooks])
    })?;
    let job = job.context("the job was dropped")?;
    let worked = pass.run(app, Some(&job));
    app.write(|writer| match &worked {
        Ok(report) => writer.complete_job(&job, &report.outcome()),
        // It goes on when somebody asks again, or in the background.
        Err(_) => writer.release_job(job.id),
    })?;
    worked
}

/// One pass over the runs that wait, by who holds the lock of the queue.
pub(crate) struct Pass {
    asker: Option<Asker>,
    filter: DueFilter,
    report: RunsReport,
}

impl Pass {
    pub(crate) fn open(
        app: &App,
        request: &Request,
        stop: &Arc<AtomicBool>,
    ) -> anyhow::Result<Self> {
        let name = request.model.as_deref();
        let is_wanted = !request.only_rules && asker::is_wanted(app, name);
        let asker = is_wanted.then(|| Asker::open(app, &learn::FORM, name, stop)).transpose()?;
        let since = time_text(app.now - SignedDuration::from_hours(i64::from(request.since_hours)));
        let filter = DueFilter { since, limit: request.limit, for_model: asker.is_some() };
        let model = asker.as_ref().map(|asker| asker.name().to_owned());
        let report = RunsReport { dry_run: request.dry_run, model, ..RunsReport::default() };
        Ok(Self { asker, filter, report })
    }

    /// With a model the job must be in hand.
    pub(crate) fn run(
        mut self,
        app: &mut App,
        job: Option<&JobRecord>,
    ) -> anyhow::Result<RunsReport> {
        if let Some(job) = job.filter(|job| job.step.is_some()) {
            // A reply that has come stays good; what somebody edited does not.
            match serde_json::from_str(&job.payload) {
                Ok(reply) => self.save(app, Some(job.id), reply)?,
                Err(_) => app.write(|writer| writer.save_step(job.id, None, "{}"))?,
            }
        }
        match (self.asker.take(), job) {
            (Some(asker), Some(job)) => self.by_model(app, asker, job.id)?,
            _ => self.by_rules(app)?,
        }
        self.report.older = app.store()?.older_runs(&self.filter)?;
        Ok(self.report)
    }

    fn by_model(&mut self, app: &mut App, mut asker: Asker, job: i64) -> anyhow::Result<()> {
        loop {
            let limit = self.filter.limit.min(BATCH);
            let next = DueFilter { limit, ..self.filter.clone() };
            let mut runs = app.store()?.due_runs(&next)?;
            // One about which an answer was of no use is asked about alone: it takes no other down with it.
            let sound = runs.iter().take_while(|run| run.failures == 0).count();
            runs.truncate(sound.max(1));
            if runs.is_empty() {
                return Ok(());
            }
            self.filter.limit -= runs.len();
            let fetched: Vec<FetchedRun> = runs.iter().map(FetchedRun::of).collect();
            let told = learn::text(&runs);
            let read = |reply: &_, origin: &_| learn::read(reply, &runs, origin);
            let mut reading = match asker.ask(&told, (1, 1), &|_, _| (), read) {
                Ok(reading) => reading,
                // What may pass leaves everything as it was, to be asked again.
                Err(failure) => {
                    let is_about_runs = match failure.why {
                        // One run is a short prompt: where that takes too long, anything would.
                        Why::TimedOut => runs.len() > 1,
                        Why::Truncated | Why::PromptCut | Why::Invalid | Why::Refused => true,
                        _ => false,
                    };
                    if is_about_runs {
                        app.write(|writer| writer.count_failure(&fetched))?;
                    }
                    return Err(failure.into());
                }
            };
            let id = format!("extraction-{}", hash(format!("{}\n{}", app.now, told.as_str()), 8));
            for entry in &mut reading.entries {
                learn::identify_reply(entry, &id);
            }
            let reply = Reply { id, runs: fetched, reading, usage: asker.take_usage() };
            let payload = serde_json::to_string(&reply)?;
            app.write(|writer| writer.save_step(job, Some(ASKED), &payload))?;
            self.save(app, Some(job), reply)?;
        }
    }

    fn by_rules(&mut self, app: &mut App) -> anyhow::Result<()> {
        let store = app.store()?;
        let runs = store.due_runs(&self.filter)?;
        if runs.is_empty() {
            return Ok(());
        }
        let (mut all, dropped) = (store.runs(COUNTED)?, store.dropped_lessons()?);
        for run in &mut all {
            run.evidence.fixes.retain(|fix| !dropped.contains(&fix.lesson));
        }
        let reading = Reading { entries: rules(&all), ..Reading::default() };
        let (id, runs) = (BY_RULES.to_owned(), runs.iter().map(FetchedRun::of).collect());
        self.save(app, None, Reply { id, runs, reading, usage: Usage::default() })
    }

    /// Stores the entries of a reply and marks the runs, in one transaction. An answer without entries stores
    /// none; its runs count as looked at.
    fn save(&mut self, app: &mut App, job: Option<i64>, reply: Reply) -> anyhow::Result<()> {
        let report = &mut self.report;
        let Reply { id, runs, reading, usage } = reply;
        let by = if job.is_some() { &usage.model } else { BY_RULES };
        app.write(|writer| {
            job.map_or(Ok(()), |job| writer.save_step(job, None, "{}"))?;
            writer.mark_extracted(&runs, by, &id)?;
            for entry in reading.entries {
                let put = writer.put(&entry)?;
                let change = match put {
                    Put::Inserted(_) => "inserted",
                    Put::Updated(_) => "updated",
                    Put::Unchanged(_) => "unchanged",
                    Put::Forgotten => continue,
                };
                report.entries_created += u64::from(change == "inserted");
                report.entries_updated += u64::from(change == "updated");
                let Draft { title, tags, detail, .. } = entry;
                let playbook = detail.and_then(|detail| detail.playbook).unwrap_or_default();
                report.entries.push(EntryLine { id: put.id(), change, title, tags, playbook });
            }
            Ok(())
        })?;
        if job.is_some() {
            report.usage.add(&usage);
        }
        report.source_workflow_ids.extend(runs.into_iter().map(|run| run.workflow_id));
        let gap = if report.summary.is_empty() || reading.summary.is_empty() { "" } else { " " };
        write!(report.summary, "{gap}{}", reading.summary).ok();
        Ok(())
    }
}

impl RunsReport {
    pub(crate) fn outcome(&self) -> String {
        let runs = self.source_workflow_ids.len();
        format!("{} new entries out of {runs} runs", self.entries_created)
    }
}

pub fn view(report: &RunsReport, hours: u32, width: usize) -> String {
    let mut page = Page::new(width);
    let count = report.source_workflow_ids.len() as u64;
    for run in &report.runs {
        let line = format!("{} {}: {}", run.source, clean(&run.task_id), clean(&run.outcome));
        page.line(1, &clip(&line, page.room(1)));
    }
    for entry in &report.entries {
        let line = format!("{:<9} #{} {}", entry.change, entry.id, clean(&entry.title));
        page.line(1, &clip(&line, page.room(1)));
    }
    if !report.summary.is_empty() {
        page.paragraph(1, &report.summary);
    }
    let by = match &report.model {
        Some(model) => format!("`{}`", clean(model)),
        None => "counting".to_owned(),
    };
    let told = match (report.busy, report.dry_run, count) {
        (true, _, _) => "another process is working on the queue: see `mk jobs`".to_owned(),
        (_, _, 0) => format!("no completed run of the last {} waits", plural(hours, "hour")),
        (_, true, _) => format!("{} would be processed by {by}", plural(count, "run")),
        (_, false, _) => format!(
            "{} processed by {by}: {} new, {} changed",
            plural(count, "run"),
            plural(report.entries_created, "entry"),
            report.entries_updated
        ),
    };
    page.line(0, &told);
    if report.older > 0 && !report.busy {
        let (n, them) =
            (plural(report.older, "run"), if report.older == 1 { "it" } else { "them" });
        page.line(
            0,
            &format!("{n} ended earlier: `mk extract --since-hours HOURS` reaches {them}"),
        );
    }
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::tests as sample;

    #[test]
    fn what_was_worked_off() {
        let line = EntryLine {
            id: 7,
            change: "inserted",
            title: "For number theory try induction".to_owned(),
            tags: Vec::new(),
            playbook: PlaybookDetail::default(),
        };
        let mut report = RunsReport {
            entries_created: 1,
            source_workflow_ids: vec!["a".to_owned(), "b".to_owned()],
            entries: vec![line],
            older: 3,
            ..RunsReport::default()
        };
        assert_eq!(
            sample::plain(&view(&report, 24, 80), 80),
            "  inserted  #7 For number theory try induction\n2 runs processed by counting: 1 entry new, 0 \
             changed\n3 runs ended earlier: `mk extract --since-hours HOURS` reaches them\n"
        );
        report = RunsReport { older: 1, ..RunsReport::default() };
        assert_eq!(
            sample::plain(&view(&report, 24, 80), 80),
            "no completed run of the last 24 hours waits\n1 run ended earlier: `mk extract --since-hours \
             HOURS` \
             reaches it\n"
        );
        report.busy = true;
        let busy = "another process is working on the queue: see `mk jobs`\n";
        assert_eq!(view(&report, 24, 80), busy);
    }
}
