//! `mk projects`: which folders and names are one project, and a person's word about it.

use super::{Exit, Out, person};
use crate::app::App;
use crate::app::guard::leave::{Does, PersonDecision};
use crate::app::projects::{self, Merged};
use crate::render::projects as view;

/// List projects, and say which of them are one
///
/// Work trees, clones and moved folders of a project are found to be one by themselves; forks are not.
/// What is merged is found together and ranked as one project. Trust, settings, lifts and locks stay with
/// each folder. Merging and splitting is for a person at a terminal.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk projects
  mk projects show github.com/me/fork
  mk projects merge github.com/me/fork github.com/them/project --dry-run
  mk projects merge ~/old/place .
  mk projects split github.com/me/fork       undoes a merge")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists projects: this one first, then by findings
    List {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Shows a project with its folders, remotes and names
    Show {
        /// Its identity, a name or a folder of it (default: the project around here)
        name: Option<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Makes one project another name of a second; a person's decision
    Merge {
        /// The project that becomes another name
        from: String,
        /// The project that it belongs to
        into: String,
        #[command(flatten)]
        how: How,
    },
    /// Makes another name a project of its own again; a person's decision
    Split {
        /// The name, whole
        name: String,
        #[command(flatten)]
        how: How,
    },
}

#[derive(Debug, clap::Args)]
struct How {
    /// Say what would happen, change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::List { .. } | Action::Show { .. }) => Does::Reads,
            Some(Action::Merge { how, .. } | Action::Split { how, .. }) if how.dry_run => {
                Does::Reads
            }
            Some(Action::Merge { .. } | Action::Split { .. }) => {
                Does::Decides(PersonDecision::Terminal("mk projects merge"))
            }
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action.unwrap_or(Action::List { json: self.json }) {
            Action::List { json } => {
                let report = projects::list(app)?;
                out.answer(json, &report, |width| view::list(&report, width, app.now))?;
            }
            Action::Show { name, json } => {
                let project = projects::show(app, name.as_deref())?;
                out.answer(json, &project, |width| view::one(&project, width, app.now))?;
            }
            Action::Merge { from, into, how } => {
                let plan = projects::plan_merge(app, &from, &into)?;
                decide(app, plan, false, &how, out)?;
            }
            Action::Split { name, how } => {
                let plan = projects::plan_split(app, &name)?;
                decide(app, plan, true, &how, out)?;
            }
        }
        Ok(Exit::Done)
    }
}

fn decide(
    app: &mut App,
    plan: Merged,
    apart: bool,
    how: &How,
    out: &mut Out,
) -> anyhow::Result<()> {
    let mut done = plan;
    if !how.dry_run {
        let what = if apart { "splitting projects" } else { "merging projects" };
        person::require(app, what)?;
        out.note(view::merged(&done, apart).trim_end());
        person::require_name(app, out, what, &done.from)?;
        done = projects::decide(app, done, apart)?;
    }
    if how.json { out.json(&done) } else { out.print(&view::merged(&done, apart)) }?;
    Ok(())
}
