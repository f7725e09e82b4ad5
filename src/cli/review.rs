//! `mk review`: the person decides what of the proposals becomes knowledge.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, IsTerminal as _};
use std::ops::ControlFlow;

use super::exit::UsageError;
use super::{Exit, Out, person};
use crate::app::guard::leave::{Does, PersonDecision};
use crate::app::learn::proposals::{self, Accept, By, Decision, kind_of};
use crate::app::{App, editor};
use crate::model::{Kind, ProposalRecord};
use crate::render::review as view;

/// Decide what of the things said in sessions is worth keeping
///
/// Sentences that say outright what is worth keeping become proposals, and nothing more: they are
/// knowledge when you accept them. Without a command this goes through them one at a time. Listing is
/// for everybody, deciding is for a person at a terminal; in a session of Claude Code `mk review accept
/// ID`, as one plain command, makes the client ask you.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk review                              one at a time, by keys
  mk review list --json
  mk review show 3f2a
  mk review accept 3f2a --kind lesson
  mk review accept 3f2a --as \"push_cast comes before omega\"
  mk review reject 91c0 7be1 --reason \"true of this task only\"
  mk review undo 3f2a")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List what waits
    List {
        /// List what was decided and what expired, too
        #[arg(long, conflicts_with = "status")]
        all: bool,
        /// Those with this status: pending, accepted, rejected or expired
        #[arg(long, value_name = "STATUS", value_parser = ["pending", "accepted", "rejected", "expired"])]
        status: Option<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Show one whole, with the sentences around it
    Show {
        /// Its id, or the beginning of it
        id: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Keep it as knowledge
    Accept(AcceptArgs),
    /// Reject it: it is not proposed again
    Reject {
        /// Ids, or the beginnings of them
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Take a decision back: it waits again
    Undo {
        /// Its id, or the beginning of it
        id: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
struct AcceptArgs {
    /// Ids, or the beginnings of them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// As what: insight, preference, lesson, technique, `mathlib_api`, failure or playbook
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
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        let decision = match self.action {
            None => return Does::Writes,
            Some(Action::List { .. } | Action::Show { .. }) => return Does::Reads,
            Some(Action::Accept(AcceptArgs { ids, kind, content, title, tags, json: _ })) => {
                let accept = Accept { kind, title, content, tags };
                PersonDecision::Accept(proposals::Asked { ids, accept })
            }
            Some(Action::Reject { .. }) => PersonDecision::Terminal("mk review reject"),
            Some(Action::Undo { .. }) => PersonDecision::Terminal("mk review undo"),
        };
        Does::Decides(decision)
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action {
            None => one_by_one(app, out),
            Some(Action::List { all, status, json }) => {
                list(app, out, status.as_deref().or((!all).then_some("pending")), json)
            }
            Some(Action::Show { id, json }) => show(app, out, &id, json),
            Some(Action::Accept(args)) => args.run(app, out),
            Some(Action::Reject { ids, reason, json }) => {
                person::require(app, "rejecting a proposal")?;
                let reject = |app: &mut App, id: &str| {
                    proposals::reject(app, id, reason.as_deref(), By::Terminal)
                };
                each(app, out, &ids, json, reject)
            }
            Some(Action::Undo { id, json }) => {
                person::require(app, "taking a decision back")?;
                each(app, out, &[id], json, proposals::undo)
            }
        }
    }
}

fn list(app: &mut App, out: &mut Out, status: Option<&str>, json: bool) -> anyhow::Result<Exit> {
    let listing = proposals::list(app, status)?;
    if json {
        out.json(&listing)?;
    } else {
        let mixed = status != Some("pending");
        out.print(&view::list(&listing, mixed, out.width, app.now))?;
    }
    Ok(Exit::Done)
}

fn show(app: &mut App, out: &mut Out, id: &str, json: bool) -> anyhow::Result<Exit> {
    let proposal = proposals::find(app, id)?;
    out.answer(json, &BTreeMap::from([("proposal", &proposal)]), |width| {
        view::whole(&proposal, width)
    })?;
    Ok(Exit::Done)
}

impl AcceptArgs {
    fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.ids.len() > 1 && (self.content.is_some() || self.title.is_some()) {
            let text = "`--as` and `--title` are for one proposal: give one id";
            return Err(UsageError(text.to_owned()).into());
        }
        if app.environment.inside_client() {
            // Ends well where the ids are right: only then does the client go on to what the person said.
            for id in &self.ids {
                proposals::find(app, id)?;
            }
            return person::in_session(out, self.json, "accepted");
        }
        person::require(app, "accepting a proposal")?;
        let Self { ids, kind, content, title, tags, json } = self;
        let accept = Accept { kind, title, content, tags };
        each(app, out, &ids, json, |app, id| proposals::accept(app, id, &accept, By::Terminal))
    }
}

/// Decides about each of these proposals, and writes the journal.
fn each(
    app: &mut App,
    out: &mut Out,
    ids: &[String],
    json: bool,
    decide: impl Fn(&mut App, &str) -> anyhow::Result<Decision>,
) -> anyhow::Result<Exit> {
    let (exit, any) = person::decide_each(out, ids, json, view::decision, |id| decide(app, id))?;
    if any {
        keep_journal(app, out);
    }
    Ok(exit)
}

fn keep_journal(app: &mut App, out: &mut Out) {
    if let Some(text) = proposals::keep_journal(app) {
        out.note(&format!("mk: {text}"));
    }
}

fn one_by_one(app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
    let waiting = proposals::list(app, Some("pending"))?.proposals;
    if waiting.is_empty() {
        out.print("  No proposals wait.\n")?;
        return Ok(Exit::Done);
    }
    person::require(app, "deciding about proposals")?;
    anyhow::ensure!(
        io::stdout().is_terminal(),
        "`mk review` asks at a terminal: its output goes elsewhere; `mk review list` only lists"
    );
    let (mut accepted, mut rejected) = (0, 0);
    for (at, proposal) in waiting.iter().enumerate() {
        out.print(&view::card(proposal, (at + 1, waiting.len()), out.width, app.now))?;
        let ControlFlow::Continue(decision) = decide(app, out, proposal)? else { break };
        if let Some(decision) = decision {
            accepted += usize::from(decision.status == "accepted");
            rejected += usize::from(decision.status == "rejected");
            out.print(&view::decision(&decision))?;
        }
    }
    let left = match waiting.len() - accepted - rejected {
        0 => "none waits any more".to_owned(),
        1 => "1 still waits".to_owned(),
        n => format!("{n} still wait"),
    };
    out.print(&format!("\n  {accepted} accepted, {rejected} rejected; {left}.\n"))?;
    if accepted + rejected > 0 {
        keep_journal(app, out);
    }
    Ok(Exit::Done)
}

/// Asks about one until it is decided, skipped (nothing) or the person has had enough (break). A decision
/// is stored at once, so that nothing is lost however it ends.
fn decide(
    app: &mut App,
    out: &mut Out,
    proposal: &ProposalRecord,
) -> anyhow::Result<ControlFlow<(), Option<Decision>>> {
    let mut accept = Accept::default();
    loop {
        out.print(view::QUESTION)?;
        let mut line = Vec::new();
        if io::stdin().lock().read_until(b'\n', &mut line)? == 0 {
            out.print("\n")?;
            return Ok(ControlFlow::Break(()));
        }
        let line = String::from_utf8_lossy(&line);
        let (key, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let decided = match key.to_lowercase().as_str() {
            "a" => proposals::accept(app, &proposal.id, &accept, By::Terminal),
            "r" => proposals::reject(app, &proposal.id, Some(rest), By::Terminal),
            "s" => return Ok(ControlFlow::Continue(None)),
            "q" => return Ok(ControlFlow::Break(())),
            "e" => {
                let text = accept.content.as_deref().unwrap_or(&proposal.content);
                match editor::edit(app, text) {
                    Ok(text) => {
                        out.print(&view::paragraph(&text, out.width))?;
                        accept.content = Some(text);
                    }
                    Err(error) => out.print(&view::paragraph(&format!("{error:#}"), out.width))?,
                }
                continue;
            }
            _ => {
                out.print(view::KEYS)?;
                continue;
            }
        };
        match decided {
            Ok(decision) => return Ok(ControlFlow::Continue(Some(decision))),
            // Somebody else may have been faster, or an edit left no text.
            Err(error) => out.print(&view::paragraph(&error.to_string(), out.width))?,
        }
    }
}
