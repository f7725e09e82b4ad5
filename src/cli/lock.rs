//! `mk lock`: statements that must stay as they are.

use std::collections::BTreeMap;

use crate::app::App;
use crate::app::guard::locks;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::render;
use crate::ui::{Exit, Out, person};

/// Lock the statements of declarations: an edit that changes one is refused, also while it is unproved
///
/// Everybody may lock; only a person unlocks, in a terminal, and what was unlocked is not locked again
/// by itself. Statements of known problems, and of what the prover works on, are locked without being
/// asked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk lock Erdos.main
  mk lock main helper --file Src/Main.lean
  mk lock --list
  mk lock Erdos.main --remove")]
pub(crate) struct Args {
    /// Full names of declarations
    #[arg(value_name = "DECL", required_unless_present = "list")]
    names: Vec<String>,
    /// The file in which they stand (default: wherever the project declares them)
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
    /// List the locks
    #[arg(long, conflicts_with_all = ["names", "file", "remove"])]
    list: bool,
    /// Remove the locks (by a person)
    #[arg(long, conflicts_with = "file")]
    remove: bool,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match (self.list, self.remove) {
            (true, _) => Does::Reads,
            (_, true) => Does::Decides(PersonDecision::Terminal("mk lock --remove")),
            _ => Does::Proposes,
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.list {
            let locks = locks::list(app)?;
            out.answer(&BTreeMap::from([("locks", &locks)]), |width| {
                render::guard::locks(&locks, width, app.now)
            })?;
            return Ok(Exit::Done);
        }
        if self.remove {
            return remove(app, &self.names, out);
        }
        let locked = locks::lock(app, &self.names, self.file.as_deref())?;
        out.answer(&BTreeMap::from([("locks", &locked)]), |width| {
            render::guard::locked(&locked, width)
        })?;
        Ok(Exit::Done)
    }
}

fn remove(app: &mut App, names: &[String], out: &mut Out) -> anyhow::Result<Exit> {
    person::require(app, "removing a lock")?;
    for name in names {
        person::require_name(app, out, "removing a lock", name)?;
    }
    let removed = locks::unlock(app, names)?;
    if out.json {
        out.object(&serde_json::json!({ "removed": removed }))?;
    }
    for name in names {
        let was = removed.contains(name);
        if !was {
            out.complain(&format!("mk: `{name}` was not locked"));
        } else if !out.json {
            out.print(&format!("{name} is no longer locked\n"))?;
        }
    }
    Ok(if removed.is_empty() { Exit::Failed } else { Exit::Done })
}
