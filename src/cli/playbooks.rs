//! `mk playbooks`: what completed runs taught.

use super::{Exit, One, Out};
use crate::app::App;
use crate::app::playbooks;
use crate::render;

/// List and show playbook entries: what completed runs taught about how to work
///
/// They are made by `mk extract` without a file: by the language model, where one is configured, and are
/// then unverified; else by counting what worked in three or more runs. Tags come from the files and
/// words of the runs.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk playbooks
  mk playbooks --tag lean
  mk playbooks --tag number-theory --tag induction     # any of them
  mk playbooks --task-id erdos_850 --json
  mk playbooks show 12")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists entries: with most of the tags first, then this project's, then the newest
    List(List),
    /// Shows an entry whole
    Show(One),
}

#[derive(Debug, clap::Args)]
struct List {
    /// Only with this tag; several times: with any of them
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only of this problem or task
    #[arg(long, value_name = "ID")]
    task_id: Option<String>,
    /// At most so many
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action.unwrap_or(Action::List(self.list)) {
            Action::List(List { tags, task_id, limit, json }) => {
                let report = playbooks::list(app, &tags, task_id.as_deref(), limit)?;
                out.answer(json, &report, |width| render::playbooks(&report, width, app.now))?;
            }
            Action::Show(One { id, json }) => {
                let entry = playbooks::show(app, &id)?;
                out.answer(json, &entry, |width| render::playbook(&entry, width, app.now))?;
            }
        }
        Ok(Exit::Done)
    }
}
