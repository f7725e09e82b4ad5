//! `mk inject test`: what would be said beside a prompt.

use super::{Exit, Out};
use crate::app::App;
use crate::app::inject::prompt::test;
use crate::render::inject_test;

/// Try out what a session here would be told
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk inject test \"prove erdos 850\"
  mk inject test --json \"why does main_bound fail for even n\"")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Shows what would be said beside a prompt, with scores and reasons; nothing is stored
    #[command(after_help = "Examples:
  mk inject test \"prove erdos 850\"
  mk inject test --json \"why does main_bound fail for even n\"")]
    Test {
        /// The prompt
        #[arg(required = true)]
        prompt: Vec<String>,
    },
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Action::Test { prompt } = self.action;
        let report = test(app, &prompt.join(" "))?;
        out.answer(&report, |width| inject_test(&report, width))?;
        Ok(Exit::Done)
    }
}
