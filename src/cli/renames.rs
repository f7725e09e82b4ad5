//! `mk renames`: names that moved in Mathlib and other packages.

use crate::app::App;
use crate::app::guard::permission::Does;
use crate::app::renames::{self, Answer};
use crate::render;
use crate::ui::progress::Progress;
use crate::ui::{Exit, Out};
use serde::Serialize;

/// Look up what deprecated names are called now
///
/// Read from the `@[deprecated]` attributes of the packages below `.lake/packages`, and of Lean
/// itself where elan has its sources. Offline; without packages there is nothing to say. Each
/// revision of a package is read once, in the background of a session or by `mk renames build`;
/// from then on the answer comes from the knowledge database.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk renames lookup Nat.pow_succ'
  mk renames build")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Says what names are called now
    Lookup {
        /// Old names, in full or only their ends
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Reads the packages whose revision is not known yet and says how much is known
    Build {
        /// Read all packages again
        #[arg(long)]
        force: bool,
    },
}

#[derive(Serialize)]
struct Found<'a> {
    answers: &'a [Answer],
    packages: usize,
    renames: usize,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            Action::Lookup { .. } => Does::Reads,
            Action::Build { .. } => Does::Writes,
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let bar = Progress::new("reading packages", out.watched);
        let show = |done, total| bar.show(done, total);
        if let Action::Build { force, .. } = self.action
            && app.database.path().is_some()
        {
            renames::keep(app, force, &show)?;
        }
        let table = renames::table(app, &show);
        drop(bar);
        match self.action {
            Action::Build { .. } => out.answer(&table, |_| render::renames::table(&table))?,
            Action::Lookup { names } => {
                let answers: Vec<Answer> =
                    names.iter().map(|name| renames::lookup(&table, name)).collect();
                if out.json {
                    let (packages, renames) = (table.packages.len(), table.renames.len());
                    out.object(&Found { answers: &answers, packages, renames })?;
                } else {
                    for answer in &answers {
                        out.print(&render::renames::answer(answer, &table))?;
                    }
                }
            }
        }
        Ok(Exit::Done)
    }
}
