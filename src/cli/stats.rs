//! `mk stats`: the knowledge base in numbers.

use std::collections::BTreeMap;

use super::{Exit, Out};
use crate::app::App;
use crate::app::stats::run;
use crate::render;

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
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.roi {
            let events = app.store()?.ledger_sums()?;
            out.answer(&BTreeMap::from([("events", &events)]), |width| {
                render::roi(&events, width)
            })?;
            return Ok(Exit::Done);
        }
        let report = run(app)?;
        out.answer(&report, |width| render::stats(&report, width, app.now))?;
        Ok(Exit::Done)
    }
}
