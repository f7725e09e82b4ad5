//! `mk trust`: lets a project's own knowledge database be used.

use std::path::PathBuf;

use crate::app::{App, trust};
use crate::project::Project;
use crate::ui::{Exit, Out, person};

/// Trust the knowledge database that a project carries in `.math-forge/`
///
/// A database that came with a clone is never opened until a person trusts it: what it says would be
/// told to the agent.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mk trust\n  mk trust ~/lean/erdos --remove")]
pub(crate) struct Args {
    /// A folder of the project (default: the current one)
    folder: Option<PathBuf>,
    /// Take the trust back
    #[arg(long)]
    pub(crate) remove: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let root = self.folder.map_or_else(
            || app.project.main_root.clone(),
            |folder| Project::find(&folder).main_root,
        );
        let shown = root.display();
        if self.remove {
            let was = trust::distrust(&app.paths, &root)?;
            let what = if was { "is no longer trusted" } else { "was not trusted" };
            out.print(&format!("{shown} {what}\n"))?;
            return Ok(Exit::Done);
        }
        person::require(app, "trusting a project")?;
        let new = trust::trust(&app.paths, &root)?;
        let what = if new { "is trusted now" } else { "was trusted already" };
        out.print(&format!("{shown} {what}\n"))?;
        Ok(Exit::Done)
    }
}
