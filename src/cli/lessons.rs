//! `mk lessons`: what sessions taught.

use std::collections::BTreeMap;

use super::{Exit, One, Out, person};
use crate::app::App;
use crate::app::guard::leave::{Does, PersonDecision};
use crate::app::learn::lessons;
use crate::render;

/// List, show and drop lessons: what failed in sessions, and what then worked
///
/// They come from the results of tools, not from anybody's words. When the same failure comes up
/// again in a session, the lesson about it is told; where the failure is gone after that, it counts as
/// one that worked.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk lessons
  mk lessons --tool lake --limit 5
  mk lessons --pattern lean-fix --json
  mk lessons show 12
  mk lessons drop 12")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists lessons: this project's first, then those that worked most often
    List(List),
    /// Shows a lesson whole
    Show(One),
    /// Removes a lesson for good; a person's decision
    Drop(One),
}

#[derive(Debug, clap::Args)]
struct List {
    /// Only of this tool or program, for example lean, lake or "git log"
    #[arg(long)]
    tool: Option<String>,
    /// Only of this pattern: `tool_switch`, `parameter_change`, `missing_replaced`, `plan_change`,
    /// `still_failing`, `lean_fix`
    #[arg(long)]
    pattern: Option<String>,
    /// At most so many
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::List(_) | Action::Show(_)) => Does::Reads,
            Some(Action::Drop(_)) => Does::Decides(PersonDecision::Terminal("mk lessons drop")),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action.unwrap_or(Action::List(self.list)) {
            Action::List(List { tool, pattern, limit, json }) => {
                let report = lessons::list(app, tool.as_deref(), pattern.as_deref(), limit)?;
                out.answer(json, &report, |width| render::lessons(&report, width, app.now))?;
            }
            Action::Show(One { id, json }) => {
                let lesson = lessons::show(app, &id)?;
                out.answer(json, &lesson, |width| render::lesson(&lesson, width, app.now))?;
            }
            Action::Drop(One { id, json }) => {
                person::require(app, "dropping a lesson")?;
                let lesson = lessons::drop(app, &id)?;
                out.answer(json, &BTreeMap::from([("dropped", lesson.id)]), |_| {
                    format!("Lesson #{} is dropped for good.\n", lesson.id)
                })?;
            }
        }
        Ok(Exit::Done)
    }
}
