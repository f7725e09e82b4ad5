//! `mk stats`: the knowledge base in numbers.

use super::{Exit, Out};
use crate::app::App;
use crate::app::stats::run;
use crate::render;
use crate::store::PlaceSum;

/// Show the knowledge base in numbers
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk stats
  mk stats --roi
  mk stats --json")]
pub(crate) struct Args {
    /// What sessions were told, what it cost, and what came of it
    #[arg(long)]
    roi: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct Told {
    events: Vec<PlaceSum>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.roi {
            let events = app.store()?.ledger_sums()?;
            if self.json {
                out.json(&Told { events })?;
            } else {
                out.print(&render::roi(&events, out.width))?;
            }
            return Ok(Exit::Done);
        }
        let report = run(app)?;
        if self.json {
            out.json(&report)?;
        } else {
            out.print(&render::stats(&report, out.width, app.now))?;
        }
        Ok(Exit::Done)
    }
}
