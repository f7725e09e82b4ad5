//! The worker: one process at a time that takes jobs from the queue, until none is due or its time is
//! over. It may be ended at any moment: what it had in hand is done again.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::{asks_model, kinds, put_lessons};
use crate::app::App;
use crate::app::learn::{drafts, is_excluded, work};
use crate::asker::{self, Asker};
use crate::facts::ask::{self, Options};
use crate::files;
use crate::learn::lessons::{Told, WORDING, Worded, Wording, read_wording};
use crate::llm::Failure;
use crate::model::{Finding, JobKind, LessonWords};
use crate::playbooks;
use crate::store::JobRecord;
use crate::text::{clip, hash};

/// In the background no job is begun after this time.
const BACKGROUND_LIMIT: Duration = Duration::from_mins(20);

/// Runs that ended longer ago are left to who asks for them.
const RUNS_SINCE_HOURS: u32 = 14 * 24;

#[derive(Debug, Clone, Default)]
pub(super) struct Request {
    /// A person asked for it: the model is tried even if it was not there just now, and even if the
    /// background does not ask it.
    pub by_person: bool,
    pub kind: Option<JobKind>,
    pub most: Option<u64>,
    pub limit: Option<Duration>,
    pub stop: Arc<AtomicBool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finished {
    pub id: i64,
    pub kind: JobKind,
    /// `done`, `retried`, `given_up` or `given_back`.
    pub end: &'static str,
    pub outcome: String,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct RunReport {
    /// Another process works the queue off at the moment; nothing was done.
    pub busy: bool,
    pub jobs: Vec<Finished>,
    /// How many could be done now and were not begun: the time was over, or enough was done.
    pub left: u64,
    /// Why those that need a model wait, where they do.
    pub held: Option<String>,
}

/// `told` gets how many are done and how many there are, as far as that is known.
pub(super) fn run(
    app: &mut App,
    request: Request,
    told: &dyn Fn(u64, u64),
) -> anyhow::Result<RunReport> {
    let Some(_lock) = lock(app)? else {
        return Ok(RunReport { busy: true, ..RunReport::default() });
    };
    put_lessons(app)?;
    if request.by_person {
        let now = app.now;
        app.store()?.write(now, |writer| {
            writer.hurry_jobs()?;
            Ok(())
        })?;
    }
    let asks = asks_model(app) || (request.by_person && app.config.has_model());
    let wanted = |kind: &&JobKind| request.kind.is_none_or(|only| only == **kind);
    let mut worker = Worker {
        asks,
        kinds: kinds(asks).iter().filter(wanted).copied().collect(),
        request,
        begin: app.now,
        since: Instant::now(),
        asker: None,
        report: RunReport::default(),
    };
    worker.work_off(app, told)?;
    app.now = worker.now();
    Ok(worker.report)
}

/// The lock of the one process that works the queue off, or `None` where another one does. What is in hand
/// while nobody held it was interrupted, and is given back.
pub(crate) fn lock(app: &mut App) -> anyhow::Result<Option<File>> {
    let database = app.store()?.path().to_owned();
    let database = fs::canonicalize(&database).unwrap_or(database);
    let names = format!("{}\n{}", app.paths.state_dir.display(), database.display());
    let path = app.paths.state_dir.join("jobs").join(format!("{}.lock", hash(names, 8)));
    let lock = files::lock(&path, Duration::ZERO)
        .with_context(|| format!("could not lock `{}`", path.display()))?;
    if lock.is_some() {
        let now = app.now;
        app.store()?.write(now, |writer| {
            writer.recover_jobs()?;
            Ok(())
        })?;
    }
    Ok(lock)
}

struct Worker {
    request: Request,
    begin: Timestamp,
    since: Instant,
    asks: bool,
    kinds: Vec<JobKind>,
    asker: Option<Asker>,
    report: RunReport,
}

impl Worker {
    fn work_off(&mut self, app: &mut App, told: &dyn Fn(u64, u64)) -> anyhow::Result<()> {
        let limit = self.request.limit.unwrap_or(BACKGROUND_LIMIT);
        loop {
            let now = self.now();
            app.now = now;
            let done = self.report.jobs.len() as u64;
            let due = app.store()?.jobs_due(&self.kinds, now)?;
            let is_over = self.is_stopped()
                || self.since.elapsed() >= limit
                || self.request.most.is_some_and(|most| done >= most);
            if is_over {
                self.report.left = due;
                return Ok(());
            }
            let Some(job) = app.store()?.write(now, |writer| writer.claim_job(&self.kinds))? else {
                return Ok(());
            };
            told(done, self.request.most.map_or(done + due, |most| most.min(done + due)));
            let finished = self.one(app, &job)?;
            self.report.jobs.push(finished);
        }
    }

    /// By the time that passed since the beginning: what the clock is set to meanwhile does not matter.
    fn now(&self) -> Timestamp {
        let passed = SignedDuration::try_from(self.since.elapsed()).unwrap_or(SignedDuration::ZERO);
        self.begin.checked_add(passed).unwrap_or(self.begin)
    }

    fn is_stopped(&self) -> bool {
        self.request.stop.load(Ordering::Relaxed)
    }

    fn one(&mut self, app: &mut App, job: &JobRecord) -> anyhow::Result<Finished> {
        let kind: JobKind = job.kind.parse()?;
        let result = match kind {
            JobKind::Facts => self.facts(app, job),
            JobKind::Lesson => self.lesson(app, job),
            JobKind::Playbooks => self.playbooks(app),
        };
        app.now = self.now();
        let (end, outcome) = match result {
            Ok(outcome) => {
                let now = app.now;
                app.store()?.write(now, |writer| writer.complete_job(job, &outcome))?;
                ("done", outcome)
            }
            Err(error) => self.failed(app, job, &error)?,
        };
        Ok(Finished { id: job.id, kind, end, outcome })
    }

    fn failed(
        &mut self,
        app: &mut App,
        job: &JobRecord,
        error: &anyhow::Error,
    ) -> anyhow::Result<(&'static str, String)> {
        let now = app.now;
        if self.is_stopped() {
            // Whatever failed, it was in the middle of ending.
            app.store()?.write(now, |writer| writer.release_job(job.id))?;
            return Ok(("given_back", "stopped".to_owned()));
        }
        let reason = format!("{error:#}");
        let failure = error.chain().find_map(|cause| cause.downcast_ref::<Failure>());
        // No other job would fare better now. A lesson has so little time that it tells nothing of others.
        let holds = failure.is_some_and(Failure::ends_asking)
            && !(job.kind == JobKind::Lesson.as_str()
                && matches!(failure, Some(Failure::TimedOut { .. })));
        // What breaks an answer off, or takes too long, may be the job: it must not hold up others for ever.
        let is_jobs_own =
            !holds || matches!(failure, Some(Failure::Malformed { .. } | Failure::TimedOut { .. }));
        let may_pass = match failure {
            None | Some(Failure::Invalid { .. } | Failure::Truncated { .. }) => true,
            Some(failure) => holds || failure.may_pass(),
        };
        let end = app.store()?.write(now, |writer| {
            let end = if !is_jobs_own {
                writer.release_job(job.id)?;
                "given_back"
            } else if writer.fail_job(job, &reason, may_pass)? {
                "given_up"
            } else {
                "retried"
            };
            if holds {
                writer.hold_jobs(&reason)?;
            }
            Ok(end)
        })?;
        if holds {
            self.report.held = Some(reason.clone());
        }
        app.log.line(now, "jobs", &format!("#{} ({}) {end}: {reason}", job.id, job.kind));
        Ok((end, reason))
    }

    fn playbooks(&self, app: &mut App) -> anyhow::Result<String> {
        let request = playbooks::Request {
            since_hours: RUNS_SINCE_HOURS,
            only_rules: !self.asks,
            ..playbooks::Request::default()
        };
        let asker = playbooks::open_asker(app, &request, &self.request.stop)?;
        Ok(playbooks::work_off_locked(app, &request, asker)?.outcome())
    }

    /// Where this fails the transcript is read again.
    fn facts(&self, app: &mut App, job: &JobRecord) -> anyhow::Result<String> {
        let transcript = Path::new(&job.key);
        if !transcript.exists() {
            return Ok("the transcript is gone".to_owned());
        }
        let mut there = app.elsewhere(&work::folder_of(app, transcript));
        if is_excluded(&there) {
            return Ok("nothing is learnt from its project".to_owned());
        }
        let options = Options { stop: Arc::clone(&self.request.stop), ..Options::default() };
        let outcome = ask::text(&mut there, transcript, &options, &|_| ())?;
        Ok(match &outcome.stored {
            None => outcome.skipped.unwrap_or("nothing was stored").to_owned(),
            Some(stored) => format!(
                "{} new, {} changed, {} seen again, {} proposed",
                stored.inserted, stored.updated, stored.verified, stored.proposed
            ),
        })
    }

    /// Has a lesson that rules found put in a model's words. Those that hold up wait for a person: until then
    /// sessions are told the evidence, in the words of the rules.
    fn lesson(&mut self, app: &mut App, job: &JobRecord) -> anyhow::Result<String> {
        let id = job.finding.unwrap_or_default();
        let store = app.store()?;
        let found = (store.lesson_source(id)?, store.finding(id)?);
        let (Some(source), Some(Finding { content, .. })) = found else {
            return Ok("the lesson is gone".to_owned());
        };
        let lesson = content.lesson().cloned().unwrap_or_default();
        let Ok(pattern) = lesson.pattern.parse() else {
            return Ok("no rules found this lesson".to_owned());
        };
        let edit: Vec<&str> = drafts::edit_lines(&content.description).collect();
        let told = Told {
            pattern,
            tool: lesson.tool_name.as_deref(),
            title: &content.title,
            what_failed: &lesson.what_failed,
            what_worked: &lesson.what_worked,
            edit: &edit.join("\n"),
        };
        let wording = match self.wording(app, &told)? {
            Ok(wording) => wording,
            Err(reason) => return Ok(format!("it keeps its words: {reason}")),
        };
        let Some(description) = drafts::reworded(&content.description, &told, &wording) else {
            return Ok("it keeps its words: its text is none that rules wrote".to_owned());
        };
        let words = LessonWords {
            model: app.config.llm_model.clone(),
            confidence: wording.confidence,
            title: clip(&wording.lesson, drafts::TITLE_WIDTH),
            description,
            what_failed: wording.what_failed,
            what_worked: wording.what_worked,
        };
        let (now, sure) = (app.now, words.confidence);
        let taken = app.store()?.write(now, |writer| writer.word_lesson(id, &source, words))?;
        Ok(if taken {
            format!("its words, with confidence {sure:.2}, wait for yours: `mk confirm {id}`")
        } else {
            "it keeps its words: they are as sure as the new ones".to_owned()
        })
    }

    /// The model's words, or why they do not hold up.
    fn wording(&mut self, app: &App, told: &Told<'_>) -> anyhow::Result<Result<Wording, String>> {
        let template = asker::template(app, &WORDING).map_err(anyhow::Error::msg)?;
        let prompt = template.prompt(&told.text());
        let asker = match &mut self.asker {
            Some(asker) => asker,
            None => self.asker.insert(Asker::open(app, None, &self.request.stop)?),
        };
        let read = |reply: &_| read_wording(reply, told);
        let question = asker::question(&WORDING, prompt, asker::lesson_limit(app));
        Ok(match asker.ask(&question, &|_| (), read) {
            Ok(Worded::Well(wording)) => Ok(wording),
            Ok(Worded::Unsure(confidence)) => {
                Err(format!("the model is not sure of its own ({confidence:.2})"))
            }
            // The same question brings the same answer.
            Err(failure @ (Failure::Invalid { .. } | Failure::Truncated { .. })) => {
                Err(failure.to_string())
            }
            Err(failure) => return Err(failure.into()),
        })
    }
}
