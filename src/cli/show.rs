//! `mk show`: findings whole.

use super::{Exit, Out};
use crate::app::App;
use crate::app::show::run;
use crate::render::records;

/// Show findings whole, by id or by the beginning of their uid
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk show 12
  mk show 12 15 --json
  mk show dc904bc0          by the beginning of its uid")]
pub(crate) struct Args {
    /// Ids: 12, #12, or the first digits of a uid
    #[arg(required = true, value_delimiter = ',')]
    ids: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = run(app, &self.ids)?;
        out.answer(self.json, &report, |width| records(&report.findings, width))?;
        for problem in &report.problems {
            out.complain(&format!("mk: {problem}"));
        }
        Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Failed })
    }
}
