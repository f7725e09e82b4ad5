//! `mk gc`: removes what became old.

use super::{Exit, Out};
use crate::app::{App, gc};
use crate::render;

/// Remove what is kept beside the knowledge and became old
///
/// Copies of files from sessions that ended, marks, locks, old logs, places in transcripts that are gone,
/// old rows about sessions. No finding is touched, and no proposal that waits. It happens by itself once
/// a day.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk gc --dry-run
  mk gc --vacuum            writes the database anew, without its free space")]
pub(crate) struct Args {
    /// Change nothing, say what would go
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Write the database anew, so that it becomes smaller and what was deleted is gone from the file
    #[arg(long, conflicts_with = "dry_run")]
    vacuum: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = gc::run(app, self.dry_run, self.vacuum)?;
        out.answer(&report, |_| render::gc(&report))?;
        Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Failed })
    }
}
