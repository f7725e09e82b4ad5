//! The worker: one process at a time that takes jobs from the queue, until none is due or its time is
//! over. It may be ended at any moment: what it had in hand is done again.

use std::fs::{self, File};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use serde::Serialize;

use super::leash::{Clock, LEASE, Leash};
use super::{MODEL, asks_model, facts, kinds, lesson, playbooks, put};
use crate::app::App;
use crate::files;
use crate::llm::Failure;
use crate::model::JobKind;
use crate::store::{AfterFailure, Claim, ClaimedJob};
use crate::text::hash;

/// In the background no job is begun after this time.
const BACKGROUND_LIMIT: Duration = Duration::from_mins(20);

/// Nobody waits longer for one job.
const JOB_LIMIT: Duration = Duration::from_mins(30);

/// What is to be worked off, and how.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// A person asked for it: the model is tried even if it was not there just now, and even if the
    /// background does not ask it.
    pub by_person: bool,
    /// Only jobs of this kind.
    pub kind: Option<JobKind>,
    /// At most so many jobs.
    pub most: Option<u64>,
    /// No job is begun after this time.
    pub limit: Option<Duration>,
    /// Becomes true when the work is to stop: no further job is begun.
    pub stop: Arc<AtomicBool>,
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finished {
    /// Its number.
    pub id: i64,
    /// What it was.
    pub kind: JobKind,
    /// `done`, `retried`, `given_up`, `given_back`, or `lost` where somebody else has it.
    pub end: &'static str,
    /// What came of it, or why it failed.
    pub outcome: String,
}

/// What was worked off.
#[derive(Debug, Default, Serialize)]
pub struct RunReport {
    /// Another process works the queue off at the moment; nothing was done.
    pub busy: bool,
    /// Each job that was begun.
    pub jobs: Vec<Finished>,
    /// How many could be done now and were not begun: the time was over, or enough was done.
    pub left: u64,
    /// Why those that need a model wait, where they do.
    pub held: Option<String>,
}

/// A job that no further attempt can help.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Hopeless(pub(super) String);

/// Works off what is due. `told` is called before each job, with how many are done and how many there
/// are, as far as that is known.
///
/// # Errors
/// When there is no database, or it cannot be read or written.
pub fn run(
    app: &mut App,
    request: Request,
    told: &dyn Fn(&ClaimedJob, u64, u64),
) -> anyhow::Result<RunReport> {
    app.store()?;
    let mark = mark(app);
    let Some(_lock) = lock(app, &mark)? else {
        return Ok(RunReport { busy: true, ..RunReport::default() });
    };
    let now = app.now;
    // Nobody else holds the lock, so who had something in hand under it has ended.
    app.store()?.write(now, |writer| writer.abandon(&format!("{mark}:")))?;
    put::lessons(app)?;
    let owner = format!("{mark}:{}", std::process::id());
    let mut worker = Worker {
        asks: asks_model(app) || (request.by_person && app.config.llm.is_configured),
        request,
        clock: Clock::start(app.now),
        held: false,
        loaded: false,
        report: RunReport::default(),
    };
    worker.work_off(app, &owner, told)?;
    app.now = worker.clock.now();
    Ok(worker.report)
}

struct Worker {
    request: Request,
    clock: Clock,
    /// Whether a model may be asked.
    asks: bool,
    /// Whether it was seen in this run that none can be.
    held: bool,
    /// Whether the model was asked to load.
    loaded: bool,
    report: RunReport,
}

impl Worker {
    fn work_off(
        &mut self,
        app: &mut App,
        owner: &str,
        told: &dyn Fn(&ClaimedJob, u64, u64),
    ) -> anyhow::Result<()> {
        let limit = self.request.limit.unwrap_or(BACKGROUND_LIMIT);
        loop {
            let now = self.clock.now();
            app.now = now;
            let kinds = self.kinds(app)?;
            let done = self.report.jobs.len() as u64;
            let is_over = self.is_stopped()
                || self.clock.passed() >= limit
                || self.request.most.is_some_and(|most| done >= most);
            if is_over || kinds.is_empty() {
                self.report.left = app.store()?.jobs_free(&kinds, now)?;
                return Ok(());
            }
            let claim = Claim { kinds: &kinds, owner, now, lease: LEASE };
            let Some(job) = app.store()?.write(now, |writer| writer.claim(&claim))? else {
                return Ok(());
            };
            let total = done + 1 + app.store()?.jobs_free(&kinds, now)?;
            told(&job, done, self.request.most.map_or(total, |most| total.min(most)));
            let finished = self.one(app, &job)?;
            self.report.jobs.push(finished);
        }
    }

    fn is_stopped(&self) -> bool {
        self.request.stop.load(Ordering::Relaxed)
    }

    /// What can be done now.
    fn kinds(&self, app: &mut App) -> anyhow::Result<Vec<JobKind>> {
        let now = app.now;
        let known = !self.request.by_person && self.asks;
        let held = self.held || (known && app.store()?.job_hold(MODEL, now)?.is_some());
        let wanted = |kind: &&JobKind| self.request.kind.is_none_or(|only| only == **kind);
        Ok(kinds(self.asks, held).iter().filter(wanted).copied().collect())
    }

    fn one(&mut self, app: &mut App, job: &ClaimedJob) -> anyhow::Result<Finished> {
        let leash = Leash::new(app.now, JOB_LIMIT, job.ticket);
        let database = app.database.path().map(std::path::Path::to_owned);
        let result = leash.hold(database, || match job.kind {
            JobKind::Facts => facts::take(app, job, &self.request.stop),
            JobKind::Lesson => lesson::word(app, job, &leash, &mut self.loaded),
            JobKind::Playbooks => playbooks::work_off(app, self.asks),
        });
        app.now = self.clock.now();
        let (end, outcome) = match result {
            Ok(outcome) => done(app, job, outcome)?,
            Err(error) => self.failed(app, job, &error)?,
        };
        Ok(Finished { id: job.ticket.id, kind: job.kind, end, outcome })
    }

    fn failed(
        &mut self,
        app: &mut App,
        job: &ClaimedJob,
        error: &anyhow::Error,
    ) -> anyhow::Result<(&'static str, String)> {
        let now = app.now;
        let reason = format!("{error:#}");
        if self.is_stopped() {
            // Whatever failed, it was in the middle of ending.
            let held = app.store()?.write(now, |writer| writer.release(job.ticket))?;
            return Ok((if held { "given_back" } else { "lost" }, "stopped".to_owned()));
        }
        let failure = error.chain().find_map(|cause| cause.downcast_ref::<Failure>());
        let trouble = Trouble::of(failure, error.is::<Hopeless>());
        let (end, until) = app.store()?.write(now, |writer| {
            let mut until = None;
            if trouble.holds {
                until = Some(writer.hold_jobs(MODEL, &reason, now)?);
            }
            let end = if trouble.is_jobs_own {
                match writer.fail(job.ticket, &reason, trouble.may_pass, now)? {
                    AfterFailure::Retried => "retried",
                    AfterFailure::GivenUp => "given_up",
                    AfterFailure::Lost => "lost",
                }
            } else if writer.release(job.ticket)? {
                "given_back"
            } else {
                "lost"
            };
            Ok((end, until))
        })?;
        if let Some(until) = until {
            self.held = true;
            self.report.held = Some(reason.clone());
            app.log.line(now, "jobs", &format!("{reason}; what needs a model waits until {until}"));
        } else {
            let (id, kind) = (job.ticket.id, job.kind);
            app.log.line(now, "jobs", &format!("#{id} ({kind}) {end}: {reason}"));
        }
        Ok((end, reason))
    }
}

/// Notes that a job is done. The model was there, if it was asked.
fn done(
    app: &mut App,
    job: &ClaimedJob,
    outcome: String,
) -> anyhow::Result<(&'static str, String)> {
    let now = app.now;
    let held = app.store()?.write(now, |writer| {
        if job.kind != JobKind::Playbooks {
            writer.lift_hold(MODEL)?;
        }
        writer.complete(job.ticket, &outcome)
    })?;
    Ok((if held { "done" } else { "lost" }, outcome))
}

/// What a failure means for the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Trouble {
    /// It counts as an attempt of the job.
    is_jobs_own: bool,
    /// Another attempt may go better.
    may_pass: bool,
    /// No other job would fare better now.
    holds: bool,
}

impl Trouble {
    fn of(failure: Option<&Failure>, hopeless: bool) -> Self {
        let Some(failure) = failure else {
            return Self { is_jobs_own: true, may_pass: !hopeless, holds: false };
        };
        let holds = failure.concerns_all() || matches!(failure, Failure::Busy { .. });
        // What breaks an answer off may be the job: it must not hold up the others for ever.
        let is_jobs_own = !holds || matches!(failure, Failure::Malformed { .. });
        let may_pass = holds
            || failure.may_pass()
            || matches!(failure, Failure::Invalid { .. } | Failure::Truncated { .. });
        Self { is_jobs_own, may_pass, holds }
    }
}

/// By what processes with the same lock know each other.
fn mark(app: &App) -> String {
    let path = app.database.path().map(|path| fs::canonicalize(path).unwrap_or(path.to_owned()));
    let names =
        format!("{}\n{}", app.paths.state_dir.display(), path.unwrap_or_default().display());
    hash(names, 8)
}

/// The lock of the worker, or `None` where another one works.
fn lock(app: &App, mark: &str) -> anyhow::Result<Option<File>> {
    let path = app.paths.state_dir.join("jobs").join(format!("{mark}.lock"));
    files::lock(&path, Duration::ZERO)
        .with_context(|| format!("could not lock `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failures_mean_for_the_queue() {
        let (url, said, model) = ("u".to_owned(), "s".to_owned(), "m".to_owned());
        let refused = |status| Failure::Refused { url: url.clone(), status, said: said.clone() };
        let trouble = |is_jobs_own, may_pass, holds| Trouble { is_jobs_own, may_pass, holds };
        for (failure, expected) in [
            (
                Failure::NotRunning { url: url.clone(), reason: said.clone(), start: "" },
                trouble(false, true, true),
            ),
            (Failure::Busy { url: url.clone(), said: said.clone() }, trouble(false, true, true)),
            (
                Failure::ModelMissing {
                    url: url.clone(),
                    model: model.clone(),
                    remedy: said.clone(),
                },
                trouble(false, true, true),
            ),
            (
                Failure::Malformed { url: url.clone(), what: said.clone() },
                trouble(true, true, true),
            ),
            (Failure::TimedOut { model: model.clone(), seconds: 5 }, trouble(true, true, false)),
            (refused(500), trouble(true, true, false)),
            (refused(400), trouble(true, false, false)),
            (
                Failure::PromptCut { model: model.clone(), sent: 1, seen: None },
                trouble(true, false, false),
            ),
            (Failure::Truncated { model, tokens: 1 }, trouble(true, true, false)),
        ] {
            assert_eq!(Trouble::of(Some(&failure), false), expected, "{failure}");
        }
        assert_eq!(Trouble::of(None, false), trouble(true, true, false));
        assert_eq!(Trouble::of(None, true), trouble(true, false, false));
    }
}
