//! `mk snapshot`: records how a session begins. The hook starts it in the background.

use std::path::PathBuf;
use std::time::Duration;

use crate::app::guard::known;
use crate::app::guard::snapshot::{self, SnapshotReport};
use crate::app::learn::work;
use crate::app::{App, capture, gc, inject};
use crate::projects;
use crate::ui::{Exit, Out};

/// The client is starting up, and sessions that start together are told the same as long as nothing is
/// written.
const MOMENT: Duration = Duration::from_secs(2);

/// Record how a session begins (started by a hook, in the background)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id of the session
    #[arg(long, value_name = "ID")]
    session: String,
    /// The session's transcript
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// After the recording, leave the machine to the session for a moment
    #[arg(long)]
    later: bool,
    /// Extract the project's new results after it, as `mk capture` does
    #[arg(long)]
    capture: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let recorded = known::is_on(app).then(|| snapshot::run(app, &self.session));
        gc::sessions(app);
        if self.later {
            std::thread::sleep(MOMENT);
        }
        // What earlier sessions left does not depend on the results that there are now.
        let caught_up = work::catch_up(app, self.transcript.as_deref());
        let captured = self.capture.then(|| capture::run(app)).transpose();
        projects::see_quietly(app);
        inject::start::prepare(app);
        caught_up?;
        captured?;
        let report = recorded.unwrap_or_else(|| Ok(SnapshotReport::default()))?;
        if out.json {
            out.object(&report)?;
        } else if report.known {
            out.print("The start of this session is recorded already.\n")?;
        } else {
            let revision = report.start.revision.as_deref().unwrap_or("no revision");
            let (copied, files) = (report.start.copied, report.start.lean_files);
            out.print(&format!("{files} Lean files at {revision}, {copied} copied\n"))?;
        }
        Ok(Exit::Done)
    }
}
