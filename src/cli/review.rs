//! `mk review`: the person decides what of the proposals becomes knowledge.

use super::exit::UsageError;
use super::{Exit, Out, person, show};
use crate::app::App;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::review::{self, Accept, Asked, By, kind_of};
use crate::model::{Finding, Kind};
use crate::render::listing as view;

/// Decide what of the things said in sessions is worth keeping
///
/// Sentences that say outright what is worth keeping become proposals, and nothing more: they are
/// knowledge when you accept them. Without a command this lists what waits. Listing is for everybody,
/// deciding is for a person at a terminal; in a session of Claude Code `mk review accept ID`, as one plain
/// command, makes the client ask you.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk review                              what waits
  mk review list --all --json
  mk review show 3f2a
  mk review accept 3f2a --kind lesson
  mk review accept 3f2a --as \"push_cast comes before omega\"
  mk review reject 91c0 7be1 --reason \"true of this task only\"
  mk review undo 3f2a")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List what waits
    List(List),
    /// Show one whole, with the sentences around it
    Show(show::Args),
    /// Keep it as knowledge
    Accept(ConfirmArgs),
    /// Reject it: it is not proposed again
    Reject(DropArgs),
    /// Take a decision back: it waits again
    Undo {
        /// Its id, or the beginning of it
        id: String,
    },
}

#[derive(Debug, clap::Args)]
struct List {
    /// List what was decided and what expired, too
    #[arg(long, conflicts_with = "status")]
    all: bool,
    /// Those with this status: pending, accepted, rejected or expired
    #[arg(long, value_name = "STATUS", value_parser = ["pending", "accepted", "rejected", "expired"])]
    status: Option<String>,
}

/// Confirm what holds: proposals become knowledge, facts of a model are told to sessions
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk confirm 3f2a --kind lesson          a proposal, by the beginning of its id
  mk confirm 12 15                       findings by number
  mk confirm mathlib.revision            a fact by its key")]
pub(crate) struct ConfirmArgs {
    /// Numbers, ids or the beginnings of them, keys of facts
    #[arg(required = true, value_name = "ID|KEY")]
    ids: Vec<String>,
    /// As what: insight, preference, decision, lesson, technique, `mathlib_api`, failure or playbook
    #[arg(long, value_parser = kind_of)]
    kind: Option<Kind>,
    /// In other words
    #[arg(long = "as", value_name = "TEXT")]
    content: Option<String>,
    /// Title (default: the first sentence)
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// A tag; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
}

/// Drop what does not hold or is not wanted: it is not stored or proposed again
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk drop 12
  mk drop 91c0 7be1 --reason \"true of this task only\"
  mk review undo 12                      takes it back")]
pub(crate) struct DropArgs {
    /// Numbers, ids or the beginnings of them, keys of facts
    #[arg(required = true, value_name = "ID|KEY")]
    ids: Vec<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::List(_) | Action::Show(_)) => Does::Reads,
            Some(Action::Accept(args)) => args.does(),
            Some(Action::Reject(args)) => args.does(),
            Some(Action::Undo { .. }) => Does::Decides(PersonDecision::Terminal("mk review undo")),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action.unwrap_or(Action::List(self.list)) {
            Action::List(List { all, status }) => {
                let status = status.as_deref().or((!all).then_some("pending"));
                let report = review::proposals(app, status)?;
                out.answer(&report, |width| view::proposals(&report, width, app.now))?;
                Ok(Exit::Done)
            }
            Action::Show(args) => args.run(app, out),
            Action::Accept(args) => args.run(app, out),
            Action::Reject(args) => args.run(app, out),
            Action::Undo { id } => {
                person::require(app, "taking a decision back")?;
                each(app, out, &[id], review::undo)
            }
        }
    }
}

impl ConfirmArgs {
    pub(crate) fn does(self) -> Does {
        let Self { ids, kind, content, title, tags } = self;
        let accept = Accept { kind, title, content, tags };
        Does::Decides(PersonDecision::Knowledge(Asked::Confirm { ids, accept }))
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Self { ids, kind, content, title, tags } = self;
        if ids.len() > 1 && (content.is_some() || title.is_some()) {
            let text = "`--as` and `--title` are for one: give one id";
            return Err(UsageError(text.to_owned()).into());
        }
        if app.environment.inside_client() {
            return asked_in_session(app, out, &ids);
        }
        person::require(app, "confirming what holds")?;
        let accept = Accept { kind, title, content, tags };
        each(app, out, &ids, |app, id| review::confirm(app, id, &accept, By::Terminal))
    }
}

impl DropArgs {
    pub(crate) fn does(self) -> Does {
        let Self { ids, reason } = self;
        Does::Decides(PersonDecision::Knowledge(Asked::Drop { ids, reason }))
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Self { ids, reason } = self;
        if app.environment.inside_client() {
            return asked_in_session(app, out, &ids);
        }
        person::require(app, "dropping what is known or proposed")?;
        let reason = reason.as_deref();
        each(app, out, &ids, |app, id| review::drop(app, id, reason, By::Terminal))
    }
}

/// Ends well where the ids are right: only then does the client go on to what the person said.
fn asked_in_session(app: &mut App, out: &mut Out, ids: &[String]) -> anyhow::Result<Exit> {
    for id in ids {
        review::find(app, id)?;
    }
    person::in_session(out, "decided")
}

/// Decides about each of these, and writes the journal.
fn each(
    app: &mut App,
    out: &mut Out,
    ids: &[String],
    decide: impl Fn(&mut App, &str) -> anyhow::Result<Finding>,
) -> anyhow::Result<Exit> {
    let (exit, any) = person::decide_each(out, ids, view::decision, |id| decide(app, id))?;
    if any && let Some(text) = review::keep_journal(app) {
        out.note(&format!("mk: {text}"));
    }
    Ok(exit)
}
