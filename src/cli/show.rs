//! `mk show`: findings whole.

use crate::app::App;
use crate::app::show::run;
use crate::ui::listing;
use crate::ui::{Exit, Out};

/// Show findings whole, whatever their kind and status
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk show 12
  mk show 12 15 --json
  mk show slope_injective   what a declaration of this name is known for
  mk show dc904bc0          by the beginning of its uid, or of the id of a proposal
  mk show mathlib.revision  a fact by its key, with its history")]
pub(crate) struct Args {
    /// Ids: 12, #12, the first digits of a uid or of a proposal's id, a declaration's name, or a fact's key
    #[arg(required = true, value_delimiter = ',')]
    pub(crate) ids: Vec<String>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = run(app, &self.ids)?;
        out.answer(&report, |width| listing::shown(&report, width, app.now))?;
        for problem in &report.problems {
            out.complain(&format!("mk: {problem}"));
        }
        Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Failed })
    }
}
