//! `mk learn`: reads the transcripts of sessions that ended. Hooks start it in the background.

use crate::app::learn::work;
use crate::app::{App, inject};
use crate::ui::{Exit, Out};

/// Read the transcripts of sessions that ended (started by hooks, in the background)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    #[expect(clippy::unused_self, reason = "as every command has it")]
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = work::run(app)?;
        inject::start::prepare(app);
        if out.json {
            out.object(&report)?;
        } else {
            let added: u64 = report.transcripts.iter().map(|read| read.added).sum();
            let lessons: u64 = report.transcripts.iter().map(|read| read.lessons).sum();
            out.print(&format!(
                "{} transcripts read, {} proposals new, {} lessons new or changed, {} failed\n",
                report.transcripts.len(),
                added,
                lessons,
                report.failed
            ))?;
        }
        Ok(if report.failed > 0 { Exit::Failed } else { Exit::Done })
    }
}
