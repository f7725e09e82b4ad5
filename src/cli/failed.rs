//! `mk failed`: what did not work.

use super::{Exit, Out};
use crate::app::App;
use crate::app::failed::run;
use crate::render::failed;

/// List failed approaches and false lemmas, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk failed
  mk failed erdos-850
  mk failed off by one

The false lemmas of a tracking.db that were not imported are listed too.")]
pub(crate) struct Args {
    /// Keyword: a name, a problem, words of the reason
    keyword: Vec<String>,
    /// Entries shown at most, of each source
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let keyword = self.keyword.join(" ");
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let report = run(app, Some(&keyword), limit)?;
        out.answer(&report, |width| failed(&report, width, app.now))?;
        Ok(Exit::Done)
    }
}
