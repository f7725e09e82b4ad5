//! `mk problem`: shows a problem, and takes down what a person decides about it.

use super::{Exit, Out, find, person};
use crate::app::App;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::problem::{self, Decision};
use crate::app::review::Asked;
use crate::model::ProblemStatus;

/// Show a problem, say that it is resolved, or what else it is called
///
/// That a problem is proved is the word of its owner: of the tracking database's `target_resolved`, or
/// yours, said here. Showing is for everybody, deciding is for a person at a terminal; in a session of
/// Claude Code `mk problem resolve ID`, as one plain command, makes the client ask you.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:
  mk problem erdos-850
  mk problem resolve erdos-850 --reason \"published in 2026\"
  mk problem resolve erdos-850 --as open
  mk problem resolve erdos-850 --remove      what files and tracking.db say counts again
  mk problem alias tuza_nu4 nu4              nu4 is tuza_nu4
  mk problem alias tuza_nu4 nu4 --remove")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    find: Option<find::Args>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Say where a problem stands: that counts, whatever files and databases say
    Resolve {
        /// Problem id, in any spelling
        id: String,
        /// proven, false or open
        #[arg(long = "as", value_name = "STATUS", default_value = "proven", value_parser = status)]
        status: ProblemStatus,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// Take the decision back
        #[arg(long, conflicts_with_all = ["status", "reason"])]
        remove: bool,
    },
    /// Say that another name means the same problem
    Alias {
        /// Problem id, in any spelling
        id: String,
        /// The other name
        other: String,
        /// Take the decision back: they are two problems
        #[arg(long)]
        remove: bool,
    },
}

fn status(word: &str) -> Result<ProblemStatus, String> {
    match word.parse() {
        Ok(status @ (ProblemStatus::Proven | ProblemStatus::False | ProblemStatus::Open)) => {
            Ok(status)
        }
        _ => Err("use one of proven, false, open".to_owned()),
    }
}

impl Action {
    fn decision(self) -> Decision {
        match self {
            Self::Resolve { id, status, reason, remove } => {
                let status = (!remove).then_some(status);
                Decision::Resolve { id, status, why: reason }
            }
            Self::Alias { id, other, remove } => Decision::Alias { id, other, remove },
        }
    }
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None => Does::Reads,
            Some(action) => {
                Does::Decides(PersonDecision::Knowledge(Asked::Problem(action.decision())))
            }
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Some(action) = self.action else {
            let Some(find) = self.find else {
                return Err(
                    super::exit::UsageError("name a problem: `mk problem ID`".to_owned()).into()
                );
            };
            return find.run(app, out);
        };
        let decision = action.decision();
        if app.environment.inside_client() {
            // Only where it can be decided does the client go on to what the person said.
            problem::question(app, &decision)?;
            return person::in_session(out, "decided");
        }
        person::require(app, "deciding about a problem")?;
        let decided = problem::decide(app, &decision)?;
        out.answer(&decided, |_| format!("  {}\n", decided.text))?;
        Ok(Exit::Done)
    }
}
