//! `mk find`: everything about a problem.

use crate::app::App;
use crate::app::find::run;
use crate::render::problem;
use crate::ui::UsageError;
use crate::ui::{Exit, Out};

/// Show everything about a problem: summary, findings, approaches, false lemmas, submissions
#[derive(Debug, clap::Args)]
#[group(id = "asked")]
#[command(after_help = "Examples:
  mk find erdos-850
  mk find Erdos 850 --all
  mk find erdos             lists what fits a part of a name

`erdos-850`, `Erdos 850` and `erdos_850` are one question.")]
pub(crate) struct Args {
    /// Problem id, in any spelling
    #[arg(required = true)]
    problem: Vec<String>,
    /// Show all findings, not only the newest ten of each kind
    #[arg(long)]
    all: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        show(app, out, &self.problem, self.all)
    }
}

/// Prints everything about the problem that these words name.
pub(crate) fn show(
    app: &mut App,
    out: &mut Out,
    words: &[String],
    all: bool,
) -> anyhow::Result<Exit> {
    let name = words.join(" ");
    if crate::model::problem_key(&name).is_empty() {
        let error = format!("`{}` names no problem: it has no letter or digit", name.trim());
        return Err(UsageError(error).into());
    }
    let report = run(app, &name)?;
    out.answer(&report, |width| problem(&report, all, width, app.now))?;
    Ok(Exit::Done)
}
