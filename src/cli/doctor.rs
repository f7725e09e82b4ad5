//! `mk doctor`: looks for what is wrong.

use super::{Exit, Out};
use crate::app::{App, doctor};
use crate::render;

/// Look for what is wrong: binary, folders, databases, plugin, client
///
/// Changes nothing without `--fix`. No finding is ever deleted: a file that is no database any more is
/// set aside under another name.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk doctor
  mk doctor --fix           rebuilds the search index and what else can be made anew

Exit code 1 when something must be repaired.")]
pub(crate) struct Args {
    /// Mend what can be made anew: search index, hand-written rows, orphans, permissions
    #[arg(long)]
    pub(super) fix: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = doctor::run(app, self.fix);
        out.answer(&report, |width| render::doctor(&report, width))?;
        Ok(if report.healthy { Exit::Done } else { Exit::Failed })
    }
}
