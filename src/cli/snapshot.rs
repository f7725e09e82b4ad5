//! `mk snapshot`: records how a session begins. The hook starts it in the background.

use super::{Exit, Out};
use crate::app::guard::snapshot;
use crate::app::{App, capture, gc, projects};

/// Record how a session begins (started by a hook, in the background)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id of the session
    #[arg(long, value_name = "ID")]
    session: String,
    /// Extract the project's new results after it, as `mk capture` does
    #[arg(long)]
    capture: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = snapshot::run(app, &self.session);
        gc::sessions(app);
        if self.capture {
            capture::run(app)?;
        }
        let report = report?;
        projects::see_quietly(app);
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
