//! `mk strategies`: techniques that worked.

use super::{Exit, Out};
use crate::app::App;
use crate::app::strategies::run;
use crate::render::strategies;

/// List techniques of verified theorems, by how often they worked
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk strategies
  mk strategies nt
  mk strategies number theory --json")]
pub(crate) struct Args {
    /// Only this domain (nt, algebra, combinatorics, analysis, or a name such as "number theory")
    domain: Vec<String>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = run(app, Some(&self.domain.join(" ")))?;
        out.answer(&report, |width| strategies(&report, width))?;
        Ok(Exit::Done)
    }
}
