//! `mk facts`: what is known by keys, and a person's word about it.

use super::{review, show};
use crate::app::App;
use crate::app::facts::{self, Set};
use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::review::Asked;
use crate::model::{Evidence, FactCategory, FactDetail, FactOrigin, FactTier, Finding};
use crate::store::time_text;
use crate::ui::listing as view;
use crate::ui::{Exit, Out, person};

/// List facts, look at their history, and say which of them hold
///
/// A fact has a category, a dotted key and a value. A language model of yours finds them in sessions and
/// notes (`mk extract`); until you confirm one it is unverified, and no session is told it. Confirming,
/// dropping and setting is for a person at a terminal; in a session of Claude Code `mk facts confirm ID`,
/// as one plain command, makes the client ask you.
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
    /// Shows a fact whole, with its history
    Show(show::Args),
    /// Shows earlier values, and values that came up against your word
    History {
        /// Its number (12, #12) or its key; without one, of all facts
        #[arg(value_name = "ID|KEY")]
        fact: Option<String>,
        /// At most so many; 0 for all
        #[arg(long, short = 'n', default_value_t = 50)]
        limit: usize,
    },
    /// Says that facts hold; a person's decision
    Confirm(review::ConfirmArgs),
    /// Drops facts, also when they are found again; a person's decision
    Drop(review::DropArgs),
    /// Stores a fact in your own words; a person's decision
    Set(SetArgs),
}

#[derive(Debug, clap::Args)]
struct List {
    /// Only this category: person, project, preference, decision, lesson, environment, tool, task, session
    #[arg(long)]
    category: Option<FactCategory>,
    /// Only keys that begin so
    #[arg(long, value_name = "PREFIX")]
    key: Option<String>,
    /// Only of the current project, or with =IDENTITY of that one
    #[arg(long, value_name = "IDENTITY", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    project: Option<String>,
    /// Only this tier: long-term or working
    #[arg(long)]
    tier: Option<FactTier>,
    /// Only what comes from there, as the model says: `user_said`, `inferred` or `tool_output`
    #[arg(long, value_name = "SOURCE")]
    source_type: Option<FactOrigin>,
    /// Only what nobody confirmed
    #[arg(long, conflicts_with = "confirmed")]
    unverified: bool,
    /// Only what a person confirmed
    #[arg(long)]
    confirmed: bool,
    /// Working facts that ended and are not removed yet
    #[arg(long)]
    expired: bool,
    /// Only of a session whose id begins so
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only with all of these words in key or value
    #[arg(long, value_name = "WORDS")]
    matching: Option<String>,
    /// At most so many; 0 for all
    #[arg(long, short = 'n', default_value_t = 50)]
    limit: usize,
}

#[derive(Debug, clap::Args)]
struct SetArgs {
    /// Its dotted key
    key: String,
    /// Its value
    value: String,
    /// Its category (default: the one that the key has, else project)
    #[arg(long)]
    category: Option<String>,
    /// It holds in every project, not only in this one
    #[arg(long)]
    global: bool,
    /// It ends after this time: 24h, 7d
    #[arg(long, value_name = "TIME")]
    lasts: Option<String>,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::List(_) | Action::Show(_) | Action::History { .. }) => Does::Reads,
            Some(Action::Confirm(args)) => args.does(),
            Some(Action::Drop(args)) => args.does(),
            Some(Action::Set(args)) => {
                Does::Decides(PersonDecision::Knowledge(Asked::Set(args.set())))
            }
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action.unwrap_or(Action::List(self.list)) {
            Action::List(list) => list.run(app, out),
            Action::Show(args) => args.run(app, out),
            Action::History { fact, limit } => {
                let report = facts::history(app, fact.as_deref(), limit)?;
                out.answer(&report, |width| view::history(&report, width, app.now))?;
                Ok(Exit::Done)
            }
            Action::Confirm(args) => args.run(app, out),
            Action::Drop(args) => args.run(app, out),
            Action::Set(args) => args.run(app, out),
        }
    }
}

impl List {
    fn fits(&self, finding: &Finding, fact: &FactDetail, now: &str) -> bool {
        let is = |wanted: Option<&str>, word: &str| wanted.is_none_or(|wanted| wanted == word);
        let begins = |wanted: Option<&str>, word: &str| {
            wanted.is_none_or(|start| word.starts_with(start.trim()))
        };
        let key = self.key.as_deref().map(str::to_lowercase);
        let text = format!("{} {}", fact.key, fact.value).to_lowercase();
        let words = self.matching.as_deref().unwrap_or_default().to_lowercase();
        let is_confirmed = finding.content.evidence == Evidence::Person;
        is(self.category.map(FactCategory::as_str), &fact.category)
            && begins(key.as_deref(), &fact.key)
            && is(self.tier.map(FactTier::as_str), &fact.tier)
            && is(self.source_type.map(FactOrigin::as_str), &fact.source_type)
            && begins(
                self.session.as_deref(),
                finding.content.source.session.as_deref().unwrap_or_default(),
            )
            && if is_confirmed { !self.unverified } else { !self.confirmed }
            && fact.has_expired(now) == self.expired
            && words.split_whitespace().all(|word| text.contains(word))
    }

    fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let now = time_text(app.now);
        let fits = |finding: &Finding, fact: &FactDetail| self.fits(finding, fact, &now);
        let report = facts::list(app, self.project.clone(), self.limit, fits)?;
        out.answer(&report, |width| view::list(&report, NONE, width, app.now))?;
        Ok(Exit::Done)
    }
}

const NONE: view::Empty = view::Empty(
    "No facts.",
    "A language model finds them in sessions and notes, once one is configured; `mk facts set KEY VALUE` stores \
     one of yours.",
);

impl SetArgs {
    fn set(self) -> Set {
        let Self { key, value, category, global, lasts } = self;
        Set { key, value, category, global, lasts }
    }

    fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if app.environment.inside_client() {
            return person::in_session(out, "changed");
        }
        person::require(app, "setting a fact")?;
        let report = facts::set(app, &self.set())?;
        out.answer(&report, |_| view::set(&report))?;
        Ok(Exit::Done)
    }
}
