//! `mk why`: what a session was told, and why.

use super::{Exit, Out};
use crate::app::App;
use crate::app::inject::why::run;
use crate::render::why;

/// Show what this session was told of what is known, where, why and at what cost
///
/// Without a session it is the one in which the command runs, else the latest.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk why
  mk why --session 12c2e923
  mk why --json")]
pub(crate) struct Args {
    /// Id of a session, or its beginning
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = run(app, self.session.as_deref())?;
        out.answer(&report, |width| why(&report, width, app.now))?;
        Ok(Exit::Done)
    }
}
