//! Background work: a queue in the database, and one process at a time that works through it (`mk jobs`), until
//! nothing is due or its time is over. What a model is needed for is done here, so that no session waits for one;
//! without a model nothing of it happens. The process may be ended at any moment: what it had in hand is done again.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::app::guard::permission::Does;
use crate::app::learn::{is_excluded, lessons as drafts, work::folder_of};
use crate::app::{App, background};
use crate::asker::Asker;
use crate::facts::ask::Texts;
use crate::files;
use crate::learn::lessons::{STORED_FROM, Told, WORDING, read_wording};
use crate::llm::{Failure, Why};
use crate::model::{Finding, JobKind, JobState};
use crate::store::{JobRecord, StoreError, TranscriptState, Writer, time_text};
use crate::text::{base_name, clean, clip, hash};
use crate::ui::layout::{Column, Page};
use crate::ui::progress::Progress;
use crate::ui::stop::stopped;
use crate::ui::theme::{Tone, paint};
use crate::ui::time::{ago, parse};
use crate::ui::{Exit, Out};
use crate::{capture, playbooks};

/// List, retry and run background jobs for a language model
///
/// Jobs find facts in ended sessions, word lessons, and make playbooks from runs. Hooks add jobs
/// and start one process at a time to run them. A job that fails is retried later; one that fails
/// too often is given up, with the reason. While no model can be reached, jobs that need one wait.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk jobs
  mk jobs --state dead --json
  mk jobs retry 12
  mk jobs run --limit 5     in the foreground; Ctrl-C loses nothing")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Makes a job due at once, even one that was given up or done
    Retry {
        /// Its number: 12 or #12
        id: String,
    },
    /// Runs the jobs that are due now
    Run(Run),
    /// The same in the background; started by hooks
    #[command(hide = true)]
    Work,
}

#[derive(Debug, clap::Args)]
struct List {
    /// Only in this state: waiting, running, done, dead
    #[arg(long)]
    state: Option<JobState>,
    /// Only of this kind: facts, lesson, playbooks
    #[arg(long)]
    kind: Option<JobKind>,
    /// At most this many
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
}

#[derive(Debug, Default, clap::Args)]
struct Run {
    /// At most this many jobs
    #[arg(long, short = 'n')]
    limit: Option<u64>,
    /// Start no job after this many minutes
    #[arg(long)]
    minutes: Option<u64>,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None => Does::Reads,
            Some(_) => Does::Writes,
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let now = app.now;
        match self.action {
            None => {
                let List { state, kind, limit } = self.list;
                let store = app.store()?;
                let (jobs, total) = store.jobs(state, kind, limit)?;
                let report = JobsReport { total, jobs, by_state: store.job_counts()? };
                out.answer(&report, |width| list_view(&report, width, now))?;
            }
            Some(Action::Retry { id }) => {
                let job = find(app, &id)?.id;
                let is_due = app.write(|writer| writer.retry_job(job))?;
                let found = find(app, &id)?;
                if !is_due && found.state == JobState::Running.as_str() {
                    bail!("job #{job} is running: it is retried automatically if it fails");
                }
                let waiting = "`mk jobs --state waiting`";
                ensure!(is_due, "the queue already has the same work as job #{job}: {waiting}");
                let text = format!("Job #{job} is due: `mk jobs run` does it now.\n");
                out.answer(&found, |_| text)?;
            }
            Some(Action::Run(run)) => {
                let report = work(app, &run, Some(&Progress::new("jobs", out.watched)))?;
                out.answer(&report, |width| run_view(&report, width))?;
                let well = report.jobs.iter().all(|job| ["done", "given_back"].contains(&job.end));
                return Ok(if well && report.held.is_none() { Exit::Done } else { Exit::Failed });
            }
            Some(Action::Work) => {
                let run = Run { minutes: Some(BACKGROUND_MINUTES), ..Run::default() };
                work(app, &run, None)?;
            }
        }
        Ok(Exit::Done)
    }
}

const MOST_LESSONS: usize = 50;

/// A job that could be done for so long shows that none are done.
const STUCK_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// Whether the background asks a model: one is configured, and the person did not switch it off.
pub fn asks_model(app: &App) -> bool {
    app.config.has_model() && app.config.learn_model
}

fn kinds(asks: bool) -> &'static [JobKind] {
    if asks { JobKind::ALL } else { &[JobKind::Playbooks] }
}

#[derive(Debug, Serialize)]
struct JobsReport {
    total: u64,
    jobs: Vec<JobRecord>,
    by_state: BTreeMap<String, u64>,
}

fn find(app: &mut App, id: &str) -> anyhow::Result<JobRecord> {
    let text = id.trim();
    let Ok(number) = text.strip_prefix('#').unwrap_or(text).parse() else {
        bail!("`{}` is not a job number: `mk jobs` lists the jobs", clip(&clean(text), 40));
    };
    app.store()?.job(number)?.with_context(|| format!("there is no job #{number}"))
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct QueueState {
    pub by_state: BTreeMap<String, u64>,
    /// Since when a job could be done and is not, where that is more than a day.
    pub stuck_since: Option<String>,
}

impl QueueState {
    pub fn count(&self, state: JobState) -> u64 {
        self.by_state.get(state.as_str()).copied().unwrap_or_default()
    }
}

pub fn state(app: &mut App) -> Result<QueueState, StoreError> {
    let asks = asks_model(app);
    let long_ago = time_text(app.now.checked_sub(STUCK_AFTER).unwrap_or(app.now));
    let Some(store) = app.existing_store()? else { return Ok(QueueState::default()) };
    let since = store.jobs_open_since(kinds(asks))?;
    let stuck_since = since.filter(|since| *since < long_ago);
    Ok(QueueState { by_state: store.job_counts()?, stuck_since })
}

/// Adds jobs to find facts in a transcript, as far as it was read, and to make playbooks of its run. Once for each
/// state of the transcript: read again without news it adds nothing.
pub fn put_transcript(writer: &Writer<'_>, state: &TranscriptState) -> Result<(), StoreError> {
    let version = format!("{}-{:.16}", state.offset, state.hash);
    let session = state.session.as_deref();
    if writer.enqueue(JobKind::Facts, &state.path, &version, session)? {
        // One job for all runs that wait by then.
        let version = format!("{} {version}", state.path);
        writer.enqueue(JobKind::Playbooks, playbooks::JOB, &version, None)?;
    }
    Ok(())
}

/// What the lessons say decides, so none is missed, whichever way it came in.
fn put_lessons(app: &mut App) -> anyhow::Result<()> {
    let asks = asks_model(app);
    let Some(store) = app.existing_store()?.filter(|_| asks) else { return Ok(()) };
    let unworded = store.unworded_lessons(MOST_LESSONS)?;
    if unworded.is_empty() {
        return Ok(());
    }
    app.write(|writer| {
        for lesson in &unworded {
            let (key, session) = (lesson.id.to_string(), lesson.session.as_deref());
            writer.enqueue(JobKind::Lesson, &key, &lesson.source, session)?;
        }
        Ok(())
    })
}

/// Never waits for the worker, and never fails: the log says what went wrong.
pub fn start_if_due(app: &mut App) {
    app.try_to("jobs", put_lessons);
    if is_due(app) {
        let spawn = background::spawn_gently;
        capture::start(app, spawn, "jobs", &["jobs", "work"], &app.project.start);
    }
}

/// Whether there is work for the worker. Costs one look at an index.
pub fn is_due(app: &mut App) -> bool {
    let (now, asks) = (app.now, asks_model(app));
    let Ok(Some(store)) = app.existing_store() else { return false };
    store.jobs_due(kinds(asks), now).is_ok_and(|due| due > 0)
}

/// In the background no job is begun after so many minutes.
const BACKGROUND_MINUTES: u64 = 20;

/// Runs that ended longer ago are left to who asks for them.
const RUNS_SINCE_HOURS: u32 = 14 * 24;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Finished {
    id: i64,
    kind: JobKind,
    /// `done`, `retried`, `given_up` or `given_back`.
    end: &'static str,
    outcome: String,
}

#[derive(Debug, Default, Serialize)]
struct RunReport {
    /// Another process is working on the queue; nothing was done.
    busy: bool,
    jobs: Vec<Finished>,
    /// How many could be done now and were not begun: the time was over, or enough was done.
    left: u64,
    /// Why those that need a model wait, where they do.
    held: Option<String>,
}

/// For a person, who has a bar, the model is tried even if it was not there just now, and even if the background does
/// not ask it.
fn work(app: &mut App, run: &Run, bar: Option<&Progress>) -> anyhow::Result<RunReport> {
    let (stop, mut report) = (stopped()?, RunReport::default());
    let Some(_lock) = lock(app)? else {
        return Ok(RunReport { busy: true, ..report });
    };
    put_lessons(app)?;
    if bar.is_some() {
        app.write(|writer| writer.hurry_jobs().map(drop))?;
    }
    let asks = asks_model(app) || (bar.is_some() && app.config.has_model());
    let kinds = kinds(asks);
    let limit = run.minutes.map(|minutes| Duration::from_secs(60 * minutes));
    let mut worker = Worker { stop, begin: app.now, since: Instant::now(), asks, asker: None };
    loop {
        app.now = worker.now();
        let done = report.jobs.len() as u64;
        let now = app.now;
        let due = app.store()?.jobs_due(kinds, now)?;
        let is_over = worker.is_stopped()
            || limit.is_some_and(|limit| worker.since.elapsed() >= limit)
            || run.limit.is_some_and(|most| done >= most);
        if is_over {
            report.left = due;
            return Ok(report);
        }
        let Some(job) = app.write(|writer| writer.claim_job(kinds))? else {
            return Ok(report);
        };
        if let Some(bar) = bar {
            bar.show(done, run.limit.map_or(done + due, |most| most.min(done + due)));
        }
        worker.one(app, &job, &mut report)?;
    }
}

/// The lock of the one process that works on the queue, or `None` where another one does. A job that is in hand
/// although the lock was free was interrupted, and is given back.
pub(crate) fn lock(app: &mut App) -> anyhow::Result<Option<File>> {
    let database = app.store()?.path().to_owned();
    let database = fs::canonicalize(&database).unwrap_or(database);
    let names = format!("{}\n{}", app.paths.state_dir.display(), database.display());
    let path = app.paths.state_dir.join("jobs").join(format!("{}.lock", hash(names, 8)));
    let lock = files::lock(&path, Duration::ZERO)
        .with_context(|| format!("could not lock `{}`", path.display()))?;
    if lock.is_some() {
        app.write(|writer| writer.recover_jobs().map(drop))?;
    }
    Ok(lock)
}

struct Worker {
    stop: Arc<AtomicBool>,
    begin: Timestamp,
    since: Instant,
    asks: bool,
    asker: Option<Asker>,
}

impl Worker {
    /// By the time that passed since the beginning: what the clock is set to meanwhile does not matter.
    fn now(&self) -> Timestamp {
        let passed = SignedDuration::try_from(self.since.elapsed()).unwrap_or(SignedDuration::ZERO);
        self.begin.checked_add(passed).unwrap_or(self.begin)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn one(
        &mut self,
        app: &mut App,
        job: &JobRecord,
        report: &mut RunReport,
    ) -> anyhow::Result<()> {
        let kind: JobKind = job.kind.parse()?;
        let result = match kind {
            JobKind::Facts => self.facts(app, job),
            JobKind::Lesson => self.lesson(app, job),
            JobKind::Playbooks => self.playbooks(app, job),
        };
        app.now = self.now();
        let (end, outcome) = match result {
            Ok(outcome) => {
                app.write(|writer| writer.complete_job(job, &outcome))?;
                ("done", outcome)
            }
            // Whatever failed, it was in the middle of ending.
            Err(_) if self.is_stopped() => {
                app.write(|writer| writer.release_job(job.id))?;
                ("given_back", "stopped".to_owned())
            }
            Err(error) => (failed(app, job, &error, report)?, format!("{error:#}")),
        };
        report.jobs.push(Finished { id: job.id, kind, end, outcome });
        Ok(())
    }

    fn playbooks(&self, app: &mut App, job: &JobRecord) -> anyhow::Result<String> {
        let request = playbooks::Request {
            since_hours: RUNS_SINCE_HOURS,
            only_rules: !self.asks,
            ..playbooks::Request::default()
        };
        Ok(playbooks::Pass::open(app, &request, &self.stop)?.run(app, Some(job))?.outcome())
    }

    /// Where this fails the transcript is read again.
    fn facts(&self, app: &mut App, job: &JobRecord) -> anyhow::Result<String> {
        let transcript = Path::new(&job.key);
        if !transcript.exists() {
            return Ok("the transcript is gone".to_owned());
        }
        let mut there = app.elsewhere(&folder_of(app, transcript));
        if is_excluded(&there) {
            return Ok("nothing is learnt from its project".to_owned());
        }
        let mut asker = Texts::open(&there, None, false, &self.stop)?;
        let outcome = asker.text(&mut there, transcript, &|_, _| ())?;
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
        let asker = match &mut self.asker {
            Some(asker) => asker,
            None => self.asker.insert(Asker::open(app, &WORDING, None, &self.stop)?),
        };
        let read = |reply: &_, _: &_| read_wording(reply, &told);
        let mut words = match asker.ask(&told.text(), (1, 1), &|_, _| (), read) {
            // The same question brings the same answer.
            Err(failure) if matches!(failure.why, Why::Invalid | Why::Truncated) => {
                return Ok(format!("its wording stays: {failure}"));
            }
            answer => answer?,
        };
        let sure = words.confidence;
        if sure < STORED_FROM {
            let text = "its wording stays: the model is not sure of its own";
            return Ok(format!("{text} ({sure:.2})"));
        }
        let Some(description) = drafts::reworded(&content.description, &told, &words) else {
            return Ok("its wording stays: its text was not written by rules".to_owned());
        };
        words.description = description;
        words.title = clip(&words.title, drafts::TITLE_WIDTH);
        words.model.clone_from(&app.config.llm_model);
        let taken = app.write(|writer| writer.word_lesson(id, &source, words))?;
        Ok(if taken {
            format!("the new wording (confidence {sure:.2}) waits for you: `mk confirm {id}`")
        } else {
            "its wording stays: it is as sure as the new one".to_owned()
        })
    }
}

/// What becomes of a job that failed: it is given back, tried again later, or given up.
fn failed(
    app: &mut App,
    job: &JobRecord,
    error: &anyhow::Error,
    report: &mut RunReport,
) -> anyhow::Result<&'static str> {
    let reason = format!("{error:#}");
    let failure = error.chain().find_map(|cause| cause.downcast_ref::<Failure>());
    let why = failure.map(|failure| failure.why);
    // No other job would fare better now. A lesson has so little time that it tells nothing of others.
    let holds = failure.is_some_and(Failure::ends_asking)
        && !(job.kind == JobKind::Lesson.as_str() && why == Some(Why::TimedOut));
    // What breaks an answer off, or takes too long, may be the job: it must not hold up others for ever.
    let is_jobs_own = !holds || matches!(why, Some(Why::Malformed | Why::TimedOut));
    let may_pass = holds
        || matches!(why, None | Some(Why::Invalid | Why::Truncated))
        || failure.is_some_and(Failure::may_pass);
    let end = app.write(|writer| {
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
    app.log.line(app.now, "jobs", &format!("#{} ({}) {end}: {reason}", job.id, job.kind));
    if holds {
        report.held = Some(reason);
    }
    Ok(end)
}

fn list_view(report: &JobsReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.by_state.is_empty() {
        page.nothing(
            "No jobs.",
            "With a language model configured (`mk config set llm.model NAME`), ended sessions add jobs \
             for it.",
        );
        return page.into_text();
    }
    let states: Vec<String> = ["running", "waiting", "dead", "done"]
        .iter()
        .filter_map(|state| report.by_state.get(*state).map(|count| format!("{count} {state}")))
        .collect();
    page.line(1, &format!("{} {}", paint(Tone::Heading, "Jobs"), states.join(", ")));
    page.rule();
    let columns = [
        Column::number("#"),
        Column::text("KIND", 0),
        Column::text("STATE", 0),
        Column::text("WHEN", 0),
        Column::text("ABOUT", 12),
        Column::text("OUTCOME", 16),
    ];
    let row = |job: &JobRecord| {
        let outcome = clip(&clean(job.outcome.as_deref().unwrap_or_default()), 200);
        let (kind, state) = (clean(&job.kind), clean(&job.state));
        vec![job.id.to_string(), kind, state, when(job, now), about(job), outcome]
    };
    page.table(1, &columns, report.jobs.iter().map(row));
    if (report.jobs.len() as u64) < report.total {
        page.hint(&format!("{} of {}", report.jobs.len(), report.total));
    }
    page.into_text()
}

fn when(job: &JobRecord, now: Timestamp) -> String {
    let at = match job.state.as_str() {
        "waiting" => return to_come(&job.due_at, now),
        "running" => &job.started_at,
        _ => &job.finished_at,
    };
    at.as_deref().map(|at| ago(at, now)).unwrap_or_default()
}

/// When something is due: `now`, `in 5m`, `in 3h`.
fn to_come(at: &str, now: Timestamp) -> String {
    let left = parse(at).map_or(0, |at| at.as_second() - now.as_second());
    match left {
        ..=0 => "now".to_owned(),
        1..120 => format!("in {left}s"),
        120..7200 => format!("in {}m", left / 60),
        _ => format!("in {}h", left / 3600),
    }
}

fn about(job: &JobRecord) -> String {
    match job.finding {
        Some(finding) => format!("#{finding}"),
        None => clean(base_name(&job.key)),
    }
}

fn run_view(report: &RunReport, width: usize) -> String {
    let mut page = Page::new(width);
    if report.busy {
        let text = "Another process is working on the queue: `mk jobs` shows how far it is.";
        page.paragraph(1, text);
        return page.into_text();
    }
    for job in &report.jobs {
        let mark = paint(Tone::Faint, &format!("#{}", job.id));
        let end = job.end.replace('_', " ");
        let rest = clip(&format!("{}: {}", job.kind, clean(&job.outcome)), page.room(1).max(40));
        page.line(1, &format!("{mark} {end}, {rest}"));
    }
    if let Some(reason) = &report.held {
        page.paragraph(1, &format!("Jobs that need a model are waiting: {reason}"));
    }
    match (report.jobs.len(), report.left) {
        (0, 0) if report.held.is_none() => page.line(1, "Nothing is due."),
        (_, 0) => {}
        (_, left) => page.line(1, &format!("{left} left")),
    }
    page.into_text()
}
