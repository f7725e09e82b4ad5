//! `mk import`: takes over what a tracking database knows.

use std::path::PathBuf;

use super::add;
use crate::app::{App, import};
use crate::render;
use crate::ui::UsageError;
use crate::ui::progress::Progress;
use crate::ui::{Exit, Out};

/// Take over what a prover's tracking.db knows: theorems, false lemmas, failures, problems
///
/// The tracking database is only read. Without FILE it is the one of `--tracking`,
/// `MATH_FORGE_TRACKING_DB`, the configuration, or `submissions/tracking.db` of this project. FILE may also
/// be a knowledge.db that the shell tool made: its findings, strategies and problems are taken over. Or it
/// is what `mk export` printed, as FILE.jsonl.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk import
  mk import knowledge.jsonl
  mk import ~/lean/erdos/submissions/tracking.db --dry-run

The same database twice changes nothing; a changed row changes what came from it.")]
pub(crate) struct Args {
    /// The tracking database, or the lines of `mk export`
    #[arg(value_name = "FILE")]
    path: Option<PathBuf>,
    /// Show what would be stored, store nothing
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let is_lines = |path: &&PathBuf| path.extension().is_some_and(|end| end == "jsonl");
        if let Some(path) = self.path.as_ref().filter(is_lines) {
            if self.dry_run {
                return Err(UsageError("--dry-run is for databases".to_owned()).into());
            }
            return add::read_lines(app, path, out);
        }
        let bar = Progress::new("importing", out.watched && !out.json);
        let report = import::run(app, self.path.as_deref(), self.dry_run, &|done, total| {
            bar.show(done, total);
        });
        drop(bar);
        let report = report?;
        out.answer(&report, |_| render::import(&report))?;
        Ok(Exit::Done)
    }
}
