//! `mk guard`: what the guard decided.

use crate::app::App;
use crate::app::guard::log::{self, Request};
use crate::render;
use crate::ui::{Exit, Out};

/// Show what the guard decided: its log, and the log in numbers
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk guard log
  mk guard log --since 2d --rule proof-lost
  mk guard log --decl Erdos.main --json
  mk guard stats")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// What was refused, asked, said and let pass, the newest first
    Log {
        /// Of this session only
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// About this declaration only (its full name)
        #[arg(long, value_name = "NAME")]
        decl: Option<String>,
        /// By this rule only
        #[arg(long, value_name = "RULE")]
        rule: Option<String>,
        /// Not older than this: 2d, yesterday, 2026-01-31
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// How many at most; 0 for all
        #[arg(long, short = 'n', value_name = "N", default_value_t = 30)]
        limit: usize,
    },
    /// By rule and level, the declarations that were refused most, lifts and locks
    Stats,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action {
            Action::Log { session, decl, rule, since, limit } => {
                let request = Request { session, declaration: decl, rule, since, limit };
                let report = log::log(app, &request)?;
                out.answer(&report, |width| render::guard::log(&report, width, app.now))?;
            }
            Action::Stats => {
                let stats = log::stats(app)?;
                out.answer(&stats, |width| render::guard::stats(&stats, width, app.now))?;
            }
        }
        Ok(Exit::Done)
    }
}
