//! `mk extract`: learns from a prover's result files.

use std::path::PathBuf;

use super::exit::UsageError;
use super::{Exit, Out};
use crate::app::App;
use crate::app::extract::naming::Given;
use crate::app::extract::{self, Request};
use crate::render;
use crate::render::progress::Progress;

/// Learn from a prover's results: theorems, techniques, failures, refuted statements
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk extract slot614_erdos_850_prime_factor_triples_result.lean
  mk extract submissions/ 'downloads/**/*_result.lean' answer.tar.gz
  mk extract --dry-run --json RequestProject/Main.lean --problem-id erdos_850

The same file twice changes nothing; a changed file replaces what came from it.
Exit code 1 when a file that was named could not be read.")]
pub(crate) struct Args {
    /// Lean files, folders, patterns, or archives (.tar.gz, .tgz, .tar)
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Slot number, instead of the one in the file's name
    #[arg(long, value_name = "N")]
    slot: Option<i64>,
    /// Problem id, instead of the one in the file's name
    #[arg(long, value_name = "ID")]
    problem_id: Option<String>,
    /// Show what would be stored, store nothing
    #[arg(long)]
    dry_run: bool,
    /// Name every file, however many there are
    #[arg(long, short)]
    verbose: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.files.is_empty() {
            let error =
                "name Lean files, folders or archives, for example `mk extract submissions/`";
            return Err(UsageError(error.to_owned()).into());
        }
        if self.problem_id.as_deref().is_some_and(|id| crate::model::problem_key(id).is_empty()) {
            return Err(UsageError("--problem-id needs a word or a number".to_owned()).into());
        }
        let request = Request {
            words: self.files,
            given: Given { slot: self.slot, problem: self.problem_id },
            dry_run: self.dry_run,
        };
        let bar = Progress::new("reading results", out.watched && !self.json);
        let report = extract::run(app, &request, &|done, total| bar.show(done, total))?;
        drop(bar);
        if self.json {
            out.json(&report)?;
        } else {
            out.print(&render::extract(&report, self.verbose, out.width))?;
        }
        Ok(if report.failed > 0 { Exit::Failed } else { Exit::Done })
    }
}
