//! `mk projects`: which folders and names are one project, and a person's word about it.

use super::{Exit, Out, person};
use crate::app::App;
use crate::app::guard::leave::{Does, PersonDecision};
use crate::app::projects;
use crate::render::projects as view;

/// List projects with their folders, names and findings, and say which of them are one
///
/// Work trees, clones, copies and moved folders of a project are found to be one by themselves; forks
/// and renamed remotes are not. What is one project is found together and ranked as one. Trust, settings,
/// lifts and locks stay with each folder. Merging and splitting is for a person at a terminal.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk projects
  mk projects merge github.com/me/old-name .
  mk projects split github.com/me/old-name       undoes it")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Makes one project another name of a second; a person's decision
    Merge {
        /// The project that becomes another name, as it is listed; `.` for the one around this folder
        from: String,
        /// The project that it belongs to
        into: String,
    },
    /// Makes another name a project of its own again; a person's decision
    Split {
        /// The name, whole
        name: String,
    },
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None => Does::Reads,
            Some(_) => Does::Decides(PersonDecision::Terminal("mk projects merge")),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let (name, into, said) = match self.action {
            None => {
                let report = projects::list(app)?;
                out.answer(self.json, &report, |width| view::list(&report, width, app.now))?;
                return Ok(Exit::Done);
            }
            Some(Action::Merge { from, into }) => {
                let (from, into) = (projects::named(app, &from)?, projects::named(app, &into)?);
                let said = format!("`{from}` is another name of `{into}` now");
                (from, into, said)
            }
            Some(Action::Split { name }) => {
                projects::named(app, &name)?;
                let said = format!("`{name}` is a project of its own");
                (name.clone(), name, said)
            }
        };
        person::require_name(app, out, "merging and splitting projects", &name)?;
        projects::decide(app, &name, &into)?;
        out.print(&(said + "\n"))?;
        Ok(Exit::Done)
    }
}
