//! `mk review`: the person decides what of the proposals becomes knowledge.

use std::io::{self, BufRead as _, IsTerminal as _};

use console::Key;

use super::show;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::review::{self, Accept, Asked, By, kind_of};
use crate::app::{App, editor};
use crate::model::{Finding, Kind, Status};
use crate::ui::UsageError;
use crate::ui::listing as view;
use crate::ui::{Exit, Out, person};

/// Decide what of the things said in sessions is worth keeping
///
/// What you did and said in sessions, and what did not work, becomes proposals, and nothing more: they are
/// knowledge when you keep them. Without a command this goes through the best ten, one key each. Listing is
/// for everybody, deciding is for a person at a terminal; in a session of Claude Code `mk review accept
/// ID`, as one plain command, makes the client ask you.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk review                              the best ten, by one key each
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
    },
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
            None => Does::Writes,
            Some(Action::List { .. } | Action::Show(_)) => Does::Reads,
            Some(Action::Accept(args)) => args.does(),
            Some(Action::Reject(args)) => args.does(),
            Some(Action::Undo { .. }) => Does::Decides(PersonDecision::Terminal("mk review undo")),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action {
            None => one_by_one(app, out),
            Some(Action::List { all, status }) => {
                let status = status.as_deref().or((!all).then_some("pending"));
                let report = review::proposals(app, status)?;
                out.answer(&report, |width| view::proposals(&report, width, app.now))?;
                Ok(Exit::Done)
            }
            Some(Action::Show(args)) => args.run(app, out),
            Some(Action::Accept(args)) => args.run(app, out),
            Some(Action::Reject(args)) => args.run(app, out),
            Some(Action::Undo { id }) => {
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

fn each(
    app: &mut App,
    out: &mut Out,
    ids: &[String],
    decide: impl Fn(&mut App, &str) -> anyhow::Result<Finding>,
) -> anyhow::Result<Exit> {
    let (exit, any) = person::decide_each(out, ids, view::decision, |id| decide(app, id))?;
    if any {
        keep_journal(app, out);
    }
    Ok(exit)
}

fn keep_journal(app: &mut App, out: &mut Out) {
    if let Some(text) = review::keep_journal(app) {
        out.note(&format!("mk: {text}"));
    }
}

/// Proposals that are gone through at one time: what takes two minutes.
const MOST: usize = 10;

fn one_by_one(app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
    let (groups, all) = review::best(app, MOST)?;
    if groups.is_empty() {
        out.print("  No proposals wait.\n")?;
        return Ok(Exit::Done);
    }
    person::require(app, "deciding about proposals")?;
    anyhow::ensure!(
        io::stdout().is_terminal(),
        "`mk review` asks at a terminal: its output goes elsewhere; `mk review list` only lists"
    );
    let mut decided: Vec<Option<Status>> = vec![None; groups.len()];
    let mut at = 0;
    while let Some(group) = groups.get(at) {
        out.print(&view::card(group, (at + 1, groups.len()), out.width, app.now))?;
        match decide(app, out, group)? {
            Said::Decided(decision) => {
                decided[at] = Some(decision.content.status);
                out.print(&view::decision(&decision))?;
                at += 1;
            }
            Said::Skip => at += 1,
            Said::Back => {
                // What was decided last, not what was looked at last.
                let Some(last) = decided.iter().rposition(Option::is_some) else {
                    out.print("  nothing was decided yet\n")?;
                    continue;
                };
                for one in &groups[last] {
                    review::undo(app, &one.uid)?;
                }
                decided[last] = None;
                at = last;
            }
            Said::Quit => break,
        }
    }
    let count = |status| decided.iter().filter(|one| **one == Some(status)).count();
    let (confirmed, dropped) = (count(Status::Confirmed), count(Status::Dropped));
    let left = match all - confirmed - dropped {
        0 => "none waits any more".to_owned(),
        1 => "1 still waits".to_owned(),
        n => format!("{n} still wait"),
    };
    out.print(&format!("\n  {confirmed} confirmed, {dropped} dropped; {left}.\n"))?;
    if confirmed + dropped > 0 {
        keep_journal(app, out);
    }
    Ok(Exit::Done)
}

enum Said {
    Decided(Box<Finding>),
    Skip,
    Back,
    Quit,
}

/// Decisions are stored at once. What says the same is decided with it.
fn decide(app: &mut App, out: &mut Out, group: &[Finding]) -> anyhow::Result<Said> {
    let [proposal, same @ ..] = group else { return Ok(Said::Skip) };
    let mut accept = Accept::default();
    loop {
        out.print(view::QUESTION)?;
        let key = key()?;
        out.print("\n")?;
        let decided = match key {
            Some('y' | 'c' | 'a') => review::confirm(app, &proposal.uid, &accept, By::Terminal),
            Some('n' | 'd' | 'r') => review::drop(app, &proposal.uid, None, By::Terminal),
            Some('s' | ' ') => return Ok(Said::Skip),
            Some('u') => return Ok(Said::Back),
            None | Some('q') => return Ok(Said::Quit),
            Some('e') => {
                let text = accept.content.as_deref().unwrap_or(&proposal.content.description);
                match editor::edit(app, text) {
                    Ok(text) => {
                        out.print(&view::paragraph(&text, out.width))?;
                        accept.content = Some(text);
                    }
                    Err(error) => out.print(&view::paragraph(&format!("{error:#}"), out.width))?,
                }
                continue;
            }
            Some(_) => {
                out.print(view::KEYS)?;
                continue;
            }
        };
        match decided {
            Ok(decision) => {
                let reason = format!("the same as {}", decision.label());
                for one in same {
                    review::drop(app, &one.uid, Some(&reason), By::Terminal)?;
                }
                return Ok(Said::Decided(Box::new(decision)));
            }
            // Somebody else may have been faster, or an edit left no text.
            Err(error) => out.print(&view::paragraph(&error.to_string(), out.width))?,
        }
    }
}

/// In lower case; from a line without a terminal. `None` at the end of the input and for Escape, Ctrl-C and
/// Ctrl-D.
fn key() -> anyhow::Result<Option<char>> {
    if !io::stdin().is_terminal() {
        let mut line = String::new();
        let is_over = io::stdin().lock().read_line(&mut line)? == 0;
        return Ok(Some(line.trim().chars().next().unwrap_or('?')).filter(|_| !is_over));
    }
    loop {
        return match console::Term::stdout().read_key_raw() {
            // Out of habit after an answer.
            Ok(Key::Enter) => continue,
            Ok(Key::Char(c)) if !c.is_control() => Ok(Some(c.to_ascii_lowercase())),
            Ok(Key::Escape | Key::CtrlC | Key::Char(_) | Key::Unknown) => Ok(None),
            Ok(_) => Ok(Some('?')),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error.into()),
        };
    }
}
