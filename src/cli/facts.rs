//! `mk facts`: what is known by keys, and a person's word about it.

use crate::app::App;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::facts::{List, Set, history};
use crate::review::{self, Asked};
use crate::show;
use crate::ui::{Exit, Out, listing as view};

/// List facts, show their history, and confirm or drop them
///
/// A fact has a category, a dotted key and a value. Your language model finds them in sessions and
/// notes (`mk extract`); until you confirm one, it is unverified and no session is told it. Only a
/// person at a terminal can confirm, drop or set facts. In a Claude Code session, `mk facts confirm
/// ID` as one plain command makes the client ask you.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk facts
  mk facts --category decision --unverified
  mk facts --key mathlib. --json
  mk facts --matching \"simp lemma\" --project
  mk facts show mathlib.revision
  mk facts history                       what changed lately, of all facts
  mk facts confirm 12 15
  mk facts drop 13
  mk facts set lean.toolchain v4.24.0")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists facts: this project's first, then by category and key
    List(List),
    /// Shows a fact in full, with its history
    Show(show::Args),
    /// Shows earlier values, and values that contradicted yours
    History {
        /// Its number (12, #12) or its key; without one, of all facts
        #[arg(value_name = "ID|KEY")]
        fact: Option<String>,
        /// At most this many; 0 for all
        #[arg(long, short = 'n', default_value_t = 50)]
        limit: usize,
    },
    /// Confirms facts; a person's decision
    Confirm(review::ConfirmArgs),
    /// Drops facts, even if they are found again; a person's decision
    Drop(review::DropArgs),
    /// Stores a fact in your own words; a person's decision
    Set(Set),
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::List(_) | Action::Show(_) | Action::History { .. }) => Does::Reads,
            Some(Action::Confirm(args)) => args.does(),
            Some(Action::Drop(args)) => args.does(),
            Some(Action::Set(set)) => Does::Decides(PersonDecision::Knowledge(Asked::Set(set))),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action.unwrap_or(Action::List(self.list)) {
            Action::List(list) => list.run(app, out),
            Action::Show(args) => args.run(app, out),
            Action::History { fact, limit } => {
                let report = history(app, fact.as_deref(), limit)?;
                out.answer(&report, |width| view::history(&report, width, app.now))
            }
            Action::Confirm(args) => args.run(app, out),
            Action::Drop(args) => args.run(app, out),
            Action::Set(wanted) => wanted.run(app, out),
        }
    }
}
