//! `mk jobs`: the queue of background work.

use std::time::Duration;

use std::collections::BTreeMap;

use super::One;
use crate::app::App;
use crate::app::guard::permission::Does;
use crate::app::jobs::{self, worker};
use crate::model::{JobKind, JobState};
use crate::render;
use crate::ui::stop::stopped;
use crate::ui::{Exit, Out};

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
                let report = jobs::list(app, state, kind, limit)?;
                out.answer(&report, |width| render::jobs(&report, width, app.now))?;
            }
            Action::Show(One { id }) => {
                let job = jobs::show(app, &id)?;
                out.answer(&job, |width| render::job(&job, width, app.now))?;
            }
            Action::Retry(One { id }) => {
                let job = jobs::retry(app, &id)?;
                if out.json {
                    out.object(&job)?;
                } else {
                    let id = job.id;
                    out.print(&format!("Job #{id} is due: `mk jobs run` does it now.\n"))?;
                }
            }
            Action::Drop(One { id }) => {
                let job = jobs::drop(app, &id)?;
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
        let progress = crate::ui::progress::Progress::new("jobs", out.watched);
        let report = worker::run(app, request, &|done, total| progress.show(done, total))?;
        drop(progress);
        out.answer(&report, |width| render::jobs_run(&report, width))?;
        let well = report.jobs.iter().all(|job| ["done", "given_back"].contains(&job.end));
        Ok(if well && report.held.is_none() { Exit::Done } else { Exit::Failed })
    }
}
