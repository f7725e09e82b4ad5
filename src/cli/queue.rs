//! `mk queue`: the cached state of the prover's queue.

use std::io::{IsTerminal as _, Read as _};

use super::exit::UsageError;
use super::{Exit, Out};
use crate::app::guard::leave::Does;
use crate::app::{App, queue as app_queue};
use crate::render::queue;

/// More JSON than this describes no queue.
const MOST_BYTES: u64 = 16 << 20;

/// Show or set the cached state of the prover's queue
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show the cache and how old it is
    Show,
    /// Store the queue from JSON on stdin
    #[command(after_help = "\
Fields, all optional: in_flight, slots_open, ready_to_fetch (slot numbers), recently_completed,
top_near_miss {slot, problem, sorry_count, sorry_location}, cached_at (UTC; now where absent).
  echo '{\"in_flight\": 3, \"ready_to_fetch\": [614]}' | mk queue set")]
    Set,
    /// Forget the cache
    Clear,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::Show { .. }) => Does::Reads,
            Some(Action::Set { .. } | Action::Clear) => Does::Writes,
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let action = self.action.unwrap_or(Action::Show);
        let report = match action {
            Action::Show => app_queue::show(app)?,
            Action::Set => {
                let (report, ignored) = app_queue::set(app, &read_stdin()?)?;
                if !ignored.is_empty() {
                    let names = crate::text::clean(&ignored.join("`, `"));
                    out.note(&format!("mk: ignored unknown fields: `{names}`"));
                }
                report
            }
            Action::Clear => {
                app_queue::clear(app)?;
                app_queue::show(app)?
            }
        };
        out.answer(&report, |width| queue(&report, width, app.now))?;
        Ok(Exit::Done)
    }
}

fn read_stdin() -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let error = "`mk queue set` reads JSON on stdin: pipe it in (see `mk queue set --help`)";
        return Err(UsageError(error.to_owned()).into());
    }
    let mut bytes = Vec::new();
    stdin.lock().take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 <= MOST_BYTES, "more than 16 MB on stdin: that is no queue");
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
