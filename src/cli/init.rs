//! `mk init`: sets up the knowledge database.

use super::{Exit, Out};
use crate::app::{App, init};
use crate::render;
use crate::render::progress::Progress;

/// Create the knowledge database, and import the tracking.db of this project if there is one
///
/// Safe to run again: nothing is doubled. Without `--project` all projects share the database in your
/// data folder, which is what lets one project learn from another.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk init
  mk init --project        a database of this project's own, in .math-forge/
  mk --db ~/try.db init --no-import")]
pub(crate) struct Args {
    /// Give this project a database of its own and trust it
    #[arg(long)]
    project: bool,
    /// Do not look for a tracking.db
    #[arg(long)]
    no_import: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let bar = Progress::new("importing", out.watched && !self.json);
        let request = init::Request { project: self.project, import: !self.no_import };
        let report = init::run(app, request, &|done, total| bar.show(done, total));
        drop(bar);
        let report = report?;
        if self.json {
            out.json(&report)?;
        } else {
            out.print(&render::init(&report))?;
        }
        Ok(if report.import_failed.is_some() { Exit::Failed } else { Exit::Done })
    }
}
