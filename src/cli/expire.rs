//! `mk expire`: removes working facts whose time is over.

use crate::app::{App, facts};
use crate::ui::listing;
use crate::ui::{Exit, Out};

/// Remove working facts whose time is over
///
/// A working fact says what is being done at the moment and has an end. After that it is not shown any
/// more; this removes it. It happens by itself when sessions begin and end.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk expire --dry-run
  mk expire --json")]
pub(crate) struct Args {
    /// Change nothing, say what would go
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = facts::expire(app, self.dry_run)?;
        out.answer(&report, |width| listing::expired(&report, width, app.now))?;
        Ok(Exit::Done)
    }
}
