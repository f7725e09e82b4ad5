//! `mk config`: the settings, where they come from, and setting them.

use super::{Exit, Out, person};
use crate::app::App;
use crate::app::guard::leave::{Does, PersonDecision};
use crate::app::settings;
use crate::render;

/// Show and change the configuration
///
/// The environment wins over the project's file, that over your own, that over built-in values. A
/// project's file can make the guard stricter, never looser.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk config
  mk config get guard.levels.axiom-added
  mk config set guard.levels.axiom-added deny
  mk config set --project audit.deny gaps,axiom
  mk config path")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Every setting, its value and where that comes from
    List,
    /// One setting
    Get {
        /// Its key, such as `brief.budget`
        key: String,
    },
    /// Sets a key in your own file (by a person)
    Set {
        /// Its key, such as `guard.levels.proof-lost`
        key: String,
        /// Its value; texts of a list with commas between them
        value: String,
        /// In the project's file
        #[arg(long)]
        project: bool,
    },
    /// Where the files are
    Path {
        /// Only the project's file
        #[arg(long)]
        project: bool,
    },
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::List { .. } | Action::Get { .. } | Action::Path { .. }) => {
                Does::Reads
            }
            Some(Action::Set { .. }) => Does::Decides(PersonDecision::Terminal("mk config set")),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action.unwrap_or(Action::List) {
            Action::List => {
                let report = settings::report(app);
                out.answer(&report, |width| render::config(&report, width))?;
            }
            Action::Get { key } => {
                let entry = settings::get(app, &key)?;
                out.answer(&entry, |_| format!("{}\n", entry.value.plain("\n")))?;
            }
            Action::Set { key, value, project } => {
                let change = settings::check(app, &key, &value, project)?;
                person::require(app, "changing the configuration")?;
                out.note(&format!("{} = {}", change.key, change.value));
                person::require_name(app, out, "changing the configuration", &change.key)?;
                let changed = settings::set(app, &key, &value, project)?;
                out.answer(&changed, |_| format!("written to {}\n", changed.file.display()))?;
                if let Some(remark) = &changed.remark {
                    out.note(&format!("mk: {}: {remark}", changed.key));
                }
            }
            Action::Path { project } => {
                let files = settings::files(app);
                if out.json {
                    out.object(&files)?;
                } else if project {
                    out.print(&format!("{}\n", files.project.display()))?;
                } else {
                    out.print(&render::config_files(&files, out.width))?;
                }
            }
        }
        Ok(Exit::Done)
    }
}
