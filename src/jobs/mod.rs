//! Background work: a queue in the database, and one process at a time that works it off (`mk jobs`). What a
//! model is needed for is done here, so that no session waits for one; without a model nothing of it happens.

mod worker;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use anyhow::{Context as _, bail};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::app::guard::permission::Does;
use crate::app::{App, background};
use crate::model::{JobKind, JobState};
use crate::playbooks;
use crate::store::{
    ForgottenKey, JobFilter, JobRecord, NewJob, StoreError, TranscriptState, Writer, time_text,
};
use crate::text::{clean, clip};
use crate::ui::layout::{Column, Page};
use crate::ui::progress::Progress;
use crate::ui::stop::stopped;
use crate::ui::theme::{Tone, paint};
use crate::ui::time::{ago, iso, parse};
use crate::ui::{Exit, Out};
use worker::RunReport;

pub(crate) use worker::lock;

/// A record by its number.
#[derive(Debug, clap::Args)]
struct One {
    /// Its number: 12 or #12
    id: String,
}

/// Without a limit of time a run in the foreground ends when the queue is empty.
const NO_LIMIT: Duration = Duration::from_hours(24 * 365);

/// List, retry, drop and work off background work: what a language model is asked while nobody waits
///
/// Facts out of sessions that ended, lessons in words, playbooks out of runs. Hooks put work in and start
/// one process at a time that does it. A job that fails is tried again later; one that fails too often
/// is given up, with the reason. While no model can be reached, what needs one waits.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk jobs
  mk jobs list --state dead --json
  mk jobs show 12
  mk jobs retry 12
  mk jobs run --kind lesson --limit 5     in the foreground; Ctrl-C loses nothing")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists jobs: those in hand first, then those that wait, then those that ended
    List(List),
    /// Shows a job whole
    Show(One),
    /// Makes a job due at once, also one that was given up or done
    Retry(One),
    /// Removes a job
    Drop(One),
    /// Works off what is due, here and now
    Run(Run),
    /// The same in the background; hooks start it
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
    /// At most so many
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
}

#[derive(Debug, clap::Args)]
struct Run {
    /// Only of this kind: facts, lesson, playbooks
    #[arg(long)]
    kind: Option<JobKind>,
    /// At most so many jobs
    #[arg(long, short = 'n')]
    limit: Option<u64>,
    /// Begin no job after so many minutes
    #[arg(long)]
    minutes: Option<u64>,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::List(_) | Action::Show(_)) => Does::Reads,
            Some(Action::Retry(_) | Action::Drop(_) | Action::Run(_) | Action::Work) => {
                Does::Writes
            }
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action.unwrap_or(Action::List(self.list)) {
            Action::List(List { state, kind, limit }) => {
                let report = list(app, state, kind, limit)?;
                out.answer(&report, |width| list_view(&report, width, app.now))?;
            }
            Action::Show(One { id }) => {
                let job = show(app, &id)?;
                out.answer(&job, |width| view(&job, width, app.now))?;
            }
            Action::Retry(One { id }) => {
                let job = retry(app, &id)?;
                if out.json {
                    out.object(&job)?;
                } else {
                    let id = job.id;
                    out.print(&format!("Job #{id} is due: `mk jobs run` does it now.\n"))?;
                }
            }
            Action::Drop(One { id }) => {
                let job = drop(app, &id)?;
                out.answer(&BTreeMap::from([("dropped", job.id)]), |_| {
                    format!("Job #{} is dropped.\n", job.id)
                })?;
            }
            Action::Run(run) => return run.run(app, out),
            Action::Work => {
                let request = worker::Request { stop: stopped()?, ..worker::Request::default() };
                worker::run(app, request, &|_, _| ())?;
            }
        }
        Ok(Exit::Done)
    }
}

impl Run {
    fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let limit = self.minutes.map_or(NO_LIMIT, |minutes| Duration::from_secs(60 * minutes));
        let request = worker::Request {
            by_person: true,
            kind: self.kind,
            most: self.limit,
            limit: Some(limit),
            stop: stopped()?,
        };
        let progress = Progress::new("jobs", out.watched);
        let report = worker::run(app, request, &|done, total| progress.show(done, total))?;
        std::mem::drop(progress);
        out.answer(&report, |width| run_view(&report, width))?;
        let well = report.jobs.iter().all(|job| ["done", "given_back"].contains(&job.end));
        Ok(if well && report.held.is_none() { Exit::Done } else { Exit::Failed })
    }
}

const MOST_LESSONS: usize = 50;

/// A job that could be done for so long shows that nobody does any.
const STUCK_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// Whether the background asks a model: one is configured, and the person did not switch it off.
pub fn asks_model(app: &App) -> bool {
    app.config.has_model() && app.config.learn_model
}

fn kinds(asks: bool) -> &'static [JobKind] {
    if asks { JobKind::ALL } else { &[JobKind::Playbooks] }
}

#[derive(Debug, Serialize)]
pub struct JobsReport {
    pub total: u64,
    pub jobs: Vec<JobRecord>,
    pub by_state: BTreeMap<String, u64>,
}

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

pub fn show(app: &mut App, id: &str) -> anyhow::Result<JobRecord> {
    let number = number(id)?;
    app.store()?.job(number)?.with_context(|| format!("there is no job #{number}"))
}

/// Makes a job due at once, also one that was given up or done.
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

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct QueueState {
    pub by_state: BTreeMap<String, u64>,
    /// Since when a job could be done that nobody does, where that is more than a day.
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

/// Puts in that facts are to be taken out of a transcript as far as it was read, and that its run is to
/// be worked off. Once for each state of the transcript: read again without news, nothing is put in; nor
/// is anything of a session that a person had forgotten.
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

/// One job for all runs that wait by then; `version` says what came in last.
pub(super) fn put_playbooks(writer: &Writer<'_>, version: &str) -> Result<bool, StoreError> {
    writer.enqueue(&NewJob {
        kind: JobKind::Playbooks,
        key: playbooks::JOB,
        version,
        session: None,
        finding: None,
    })
}

/// What the lessons say decides, so none is missed, whichever way it came in.
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

/// Never waits for the worker, and never fails: the log says what went wrong.
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

fn list_view(report: &JobsReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let all: u64 = report.by_state.values().sum();
    if all == 0 {
        page.paragraph(1, "No jobs.");
        page.hint(
            "Where a language model is configured (`mk config set llm.model NAME`), sessions that ended \
             put in what is to be asked of it.",
        );
        return page.into_text();
    }
    let states: Vec<String> = ["running", "waiting", "dead", "done"]
        .iter()
        .filter_map(|state| report.by_state.get(*state).map(|count| format!("{count} {state}")))
        .collect();
    page.line(1, &format!("{} {}", paint(Tone::Heading, "Jobs"), states.join(", ")));
    page.rule();
    let rows = report.jobs.iter().map(|job| row(job, now));
    let columns = [
        Column::number("#"),
        Column::text("KIND", 0),
        Column::text("STATE", 0),
        Column::text("WHEN", 0),
        Column::text("ABOUT", 12),
        Column::text("OUTCOME", 16),
    ];
    page.table(1, &columns, rows);
    if (report.jobs.len() as u64) < report.total {
        page.hint(&format!("{} of {}", report.jobs.len(), report.total));
    }
    page.into_text()
}

fn row(job: &JobRecord, now: Timestamp) -> Vec<String> {
    let outcome = job.outcome.as_deref().map(clean).unwrap_or_default();
    vec![
        job.id.to_string(),
        clean(&job.kind),
        clean(&job.state),
        when(job, now),
        about(job),
        clip(&outcome, 200),
    ]
}

fn when(job: &JobRecord, now: Timestamp) -> String {
    match job.state.as_str() {
        "waiting" => to_come(&job.due_at, now),
        "running" => job.started_at.as_deref().map(|at| ago(at, now)).unwrap_or_default(),
        _ => job.finished_at.as_deref().map(|at| ago(at, now)).unwrap_or_default(),
    }
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
        None => clean(job.key.rsplit('/').next().unwrap_or(&job.key)),
    }
}

fn view(job: &JobRecord, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let title = format!("Job #{}: {} {}", job.id, clean(&job.kind), about(job));
    page.line(1, &paint(Tone::Heading, &title));
    page.rule();
    page.parts(1, vec![clean(&job.state), when(job, now)]);
    page.blank();
    let time = |at: &Option<String>| at.as_deref().map(iso).unwrap_or_default();
    for (label, text) in [
        ("Work", job.key.clone()),
        ("Version", job.version.clone().unwrap_or_default()),
        ("Session", job.session.clone().unwrap_or_default()),
        ("Failed attempts", job.attempts.to_string()),
        ("Step", job.step.clone().unwrap_or_default()),
        ("Outcome", job.outcome.clone().unwrap_or_default()),
        ("Came in", iso(&job.created_at)),
        ("Due", iso(&job.due_at)),
        ("Begun", time(&job.started_at)),
        ("Ended", time(&job.finished_at)),
    ] {
        page.labelled(1, label, &text);
    }
    page.into_text()
}

fn run_view(report: &RunReport, width: usize) -> String {
    let mut page = Page::new(width);
    if report.busy {
        page.paragraph(1, "Another process works the queue off: `mk jobs` shows how far it is.");
        return page.into_text();
    }
    for job in &report.jobs {
        let mark = paint(Tone::Faint, &format!("#{}", job.id));
        let end = job.end.replace('_', " ");
        let rest = clip(&format!("{}: {}", job.kind, clean(&job.outcome)), page.room(1).max(40));
        page.line(1, &format!("{mark} {end}, {rest}"));
    }
    if let Some(reason) = &report.held {
        page.paragraph(1, &format!("What needs a model waits: {reason}"));
    }
    match (report.jobs.len(), report.left) {
        (0, 0) if report.held.is_none() => page.line(1, "Nothing is due."),
        (_, 0) => {}
        (_, left) => page.line(1, &format!("{left} left")),
    }
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::worker::Finished;
    use super::*;
    use crate::ui::tests as sample;

    fn sample_job(id: i64, state: &str) -> JobRecord {
        JobRecord {
            id,
            kind: "facts".to_owned(),
            key: "/home/ada/.claude/projects/p/s-1.jsonl".to_owned(),
            version: Some("100-abc".to_owned()),
            payload: "{}".to_owned(),
            session: Some("s-1".to_owned()),
            finding: None,
            state: state.to_owned(),
            step: None,
            due_at: "2026-01-03 00:05:00".to_owned(),
            attempts: 1,
            created_at: "2026-01-02 00:00:00".to_owned(),
            started_at: Some("2026-01-02 23:00:00".to_owned()),
            finished_at: None,
            outcome: Some("timed out".to_owned()),
        }
    }

    #[test]
    fn a_list_one_and_a_run() {
        let now: Timestamp = "2026-01-03T00:00:00Z".parse().unwrap();
        let waiting = sample_job(3, "waiting");
        let lesson = JobRecord {
            kind: "lesson".to_owned(),
            finding: Some(12),
            state: "dead".to_owned(),
            finished_at: Some("2026-01-02 21:00:00".to_owned()),
            ..sample_job(4, "dead")
        };
        let report = JobsReport {
            total: 7,
            jobs: vec![waiting.clone(), lesson],
            by_state: [("waiting".to_owned(), 1), ("dead".to_owned(), 6)].into(),
        };
        assert_eq!(
            sample::plain(&list_view(&report, 80, now), 80),
            "  Jobs 1 waiting, 6 dead\n  ---\n  #  KIND    STATE    WHEN    ABOUT      OUTCOME\n  \
             3  facts   waiting  in 5m   s-1.jsonl  timed out\n  \
             4  lesson  dead     3h ago  #12        timed out\n  2 of 7\n"
        );
        let one = sample::plain(&view(&waiting, 80, now), 80);
        assert!(one.starts_with("  Job #3: facts s-1.jsonl\n  ---\n  waiting | in 5m\n"), "{one}");
        assert!(one.contains("  Failed attempts: 1\n"), "{one}");
        let none = JobsReport { total: 0, jobs: vec![], by_state: [].into() };
        assert!(sample::plain(&list_view(&none, 80, now), 80).starts_with("  No jobs.\n"));

        let run = RunReport {
            jobs: vec![Finished {
                id: 3,
                kind: JobKind::Lesson,
                end: "given_up",
                outcome: "why".to_owned(),
            }],
            left: 2,
            ..RunReport::default()
        };
        assert_eq!(
            sample::plain(&run_view(&run, 80), 80),
            "  #3 given up, lesson: why\n  2 left\n"
        );
        let idle = run_view(&RunReport::default(), 80);
        assert_eq!(sample::plain(&idle, 80), "  Nothing is due.\n");
    }
}
