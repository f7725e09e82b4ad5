//! `mk outline`: what a Lean file declares and what is missing in it.

use std::path::PathBuf;

use crate::app::App;
use crate::app::outline::{self, Selection};
use crate::render;
use crate::ui::{Exit, Out};

/// List the declarations of Lean files with their gaps and what has to be trusted
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk outline Result.lean
  mk outline --gaps src/          what is still open below a folder
  mk outline --json Result.lean   everything, with statements and tactics")]
pub(crate) struct Args {
    /// Lean files, or folders that hold some (`.lake` is passed over)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only declarations with gaps
    #[arg(long)]
    gaps: bool,
}

impl Args {
    pub(crate) fn run(self, _app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let folder = self.files.iter().any(|path| path.is_dir());
        // The text of many files is what is open in them; JSON is everything unless told.
        let brief = self.gaps || (!out.json && (folder || self.files.len() > 1));
        let selection = if brief { Selection::Gaps { detailed: out.json } } else { Selection::All };
        let report = outline::run(&self.files, selection);
        if out.json {
            out.object(&report)?;
        } else if report.totals.files > 0 {
            out.print(&render::outline::text(&report, out.width, brief))?;
        }
        for problem in &report.problems {
            out.complain(&format!("mk: {}: {}", problem.path, problem.reason));
        }
        Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Failed })
    }
}
