//! `mk capture`: extracts the project's new results. Hooks start it in the background.

use crate::app::{App, capture};
use crate::model::Counts;
use crate::ui::{Exit, Out};

/// Extract the project's new results and import its changed tracking.db (started by hooks, in the background)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    #[expect(clippy::unused_self, reason = "as every command has it")]
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = capture::run(app)?;
        if out.json {
            out.object(&report)?;
        } else if report.busy {
            out.print("Another capture of this project is at work.\n")?;
        } else {
            let counts = report.extract.report.counts;
            out.print(&format!(
                "{} results found, {} known as they are, {} read: {} records new, {} updated\n",
                report.found,
                report.known,
                report.extract.files.len(),
                counts.inserted,
                counts.updated,
            ))?;
            if let Some(tracking) = &report.tracking {
                let Counts { inserted, updated, .. } = tracking.report.counts;
                out.print(&format!(
                    "{}: {inserted} records new, {updated} updated\n",
                    tracking.path
                ))?;
            }
        }
        Ok(Exit::Done)
    }
}
