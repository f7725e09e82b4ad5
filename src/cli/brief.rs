//! `mk brief`: the session briefing.

use crate::app::App;
use crate::app::brief::run;
use crate::ui::{Exit, Out};

/// Print the briefing that a session gets when it starts
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk brief
  mk brief --budget 900     the same with more room")]
pub(crate) struct Args {
    /// Tokens at most, instead of the configured budget
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = run(app, self.budget);
        if out.json {
            out.object(&report)?;
        } else if report.text.is_empty() {
            out.note(&format!("mk: nothing to say within {} tokens", report.budget));
        } else {
            out.print(&format!("{}\n", report.text))?;
        }
        Ok(Exit::Done)
    }
}
