//! `mk gc`: removes what became old.

use std::fmt::Write as _;

use crate::app::App;
use crate::app::gc::{self, GcReport};
use crate::text::{clean, in_bytes};
use crate::ui::{Exit, Out};

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
    pub(crate) dry_run: bool,
    /// Write the database anew, so that it becomes smaller and what was deleted is gone from the file
    #[arg(long, conflicts_with = "dry_run")]
    vacuum: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = gc::run(app, self.dry_run, self.vacuum)?;
        out.answer(&report, |_| view(&report))?;
        Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Failed })
    }
}

/// The report of `mk gc`.
fn view(report: &GcReport) -> String {
    let mut text = String::new();
    for removed in &report.removed {
        let bytes = if removed.bytes > 0 {
            format!(", {}", in_bytes(removed.bytes))
        } else {
            String::new()
        };
        writeln!(text, "  {}: {}{bytes}", removed.what, removed.count).ok();
    }
    for problem in &report.problems {
        writeln!(text, "  {}", clean(problem)).ok();
    }
    match (report.removed.is_empty(), report.dry_run) {
        (true, _) => text.push_str("nothing is old enough to go\n"),
        (false, true) => writeln!(text, "{} would be freed", in_bytes(report.bytes)).unwrap_or(()),
        (false, false) => writeln!(text, "{} freed", in_bytes(report.bytes)).unwrap_or(()),
    }
    if let Some(bytes) = report.vacuumed {
        writeln!(text, "the database was written anew: {} smaller", in_bytes(bytes)).ok();
    }
    text
}
