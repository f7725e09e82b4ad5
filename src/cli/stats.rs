//! `mk stats`: the knowledge base in numbers.

use super::{Exit, Out};
use crate::app::App;
use crate::app::stats::run;
use crate::render::stats;

/// Show the knowledge base in numbers
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk stats
  mk stats --json")]
pub(crate) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = run(app)?;
        if self.json {
            out.json(&report)?;
        } else {
            out.print(&stats(&report, out.width, app.now))?;
        }
        Ok(Exit::Done)
    }
}
