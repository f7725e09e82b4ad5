//! `mk problem`: lists problems, shows one, and takes down what a person decides about it: where it stands, and
//! what else it is called.

use anyhow::{bail, ensure};
use serde::Serialize;

use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::{App, tracked};
use crate::find;
use crate::model::{Problem, ProblemStatus, problem_key, same_problem};
use crate::review;
use crate::store::ProblemView;
use crate::text::{clean, scrub};
use crate::ui::layout::{Column, Page};
use crate::ui::{Exit, Out, person};

/// List problems, show one, say that it is resolved, or what else it is called
///
/// Without a name all problems are listed, the most tried first, with their status.
///
/// Only its owner can say that a problem is proved: `target_resolved` in the tracking database, or
/// you, here. Anyone can list problems; only a person at a terminal can decide. In a Claude Code
/// session, `mk problem resolve ID` as one plain command makes the client ask you.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk problem
  mk problem --status proven
  mk problem erdos-850
  mk problem resolve erdos-850 --reason \"published in 2026\"
  mk problem resolve erdos-850 --as open
  mk problem resolve erdos-850 --remove      go back to what files and tracking.db say
  mk problem alias tuza_nu4 nu4              nu4 is tuza_nu4
  mk problem alias tuza_nu4 nu4 --remove")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Decision>,
    /// Problem id, in any spelling
    problem: Vec<String>,
    /// Show all findings, not only the first of each kind; list also problems that nobody tried
    #[arg(long)]
    all: bool,
    /// List only problems with this status: open (all that is not settled), partial, in-flight, proven, false
    #[arg(long, conflicts_with = "problem")]
    status: Option<ProblemStatus>,
}

#[derive(Debug, Clone, PartialEq, Eq, clap::Subcommand)]
pub enum Decision {
    /// Decide the status of a problem; it overrides files and databases
    Resolve {
        /// Problem id, in any spelling
        id: String,
        /// proven, false or open
        #[arg(long = "as", value_name = "STATUS", default_value = "proven", value_parser = status)]
        status: ProblemStatus,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// Take the decision back
        #[arg(long, conflicts_with_all = ["status", "reason"])]
        remove: bool,
    },
    /// Say that another name means the same problem
    Alias {
        /// Problem id, in any spelling
        id: String,
        /// The other name
        other: String,
        /// Take the decision back: they are two problems
        #[arg(long)]
        remove: bool,
    },
}

fn status(word: &str) -> Result<ProblemStatus, String> {
    match word.parse() {
        Ok(status @ (ProblemStatus::Proven | ProblemStatus::False | ProblemStatus::Open)) => {
            Ok(status)
        }
        _ => Err("use one of proven, false, open".to_owned()),
    }
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None => Does::Reads,
            Some(action) => {
                Does::Decides(PersonDecision::Knowledge(review::Asked::Problem(action)))
            }
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Some(decision) = self.action else {
            if !self.problem.is_empty() {
                return find::show(app, out, &self.problem, self.all);
            }
            let list = list(app, self.status)?;
            out.answer(&list, |width| listed(&list, self.status, self.all, width))?;
            return Ok(Exit::Done);
        };
        if app.environment.inside_client() {
            // Only where it can be decided does the client go on to what the person said.
            question(app, &decision)?;
            return person::in_session(out, "decided");
        }
        person::require(app, "deciding about a problem")?;
        let decided = decide(app, &decision)?;
        out.answer(&decided, |_| format!("  {}\n", decided.text))
    }
}

fn listed(list: &ProblemList, status: Option<ProblemStatus>, all: bool, width: usize) -> String {
    let mut page = Page::new(width);
    if list.problems.is_empty() {
        let which = status.map(|status| format!(" that is {}", status.title()));
        page.line(1, &format!("No problem{} is known.", which.unwrap_or_default()));
        return page.into_text();
    }
    let columns = [
        Column::text("PROBLEM", 16),
        Column::text("STATUS", 0),
        Column::number("TRIED"),
        Column::number("COMPLETE"),
        Column::number("FAILED"),
        Column::number("IN FLIGHT"),
    ];
    let is_shown = |one: &&ListedProblem| {
        let problem = &one.problem;
        let is_tried = problem.submission_count > 0 || one.in_flight > 0;
        all || is_tried || matches!(problem.status, ProblemStatus::Proven | ProblemStatus::False)
    };
    let shown: Vec<&ListedProblem> = list.problems.iter().filter(is_shown).collect();
    let untried = list.problems.len() - shown.len();
    let rows = shown.into_iter().map(|one| {
        let problem = &one.problem;
        let [tried, proved, failed] =
            [problem.submission_count, problem.proven_count, problem.failed_count]
                .map(|count| count.to_string());
        let running = Some(one.in_flight).filter(|count| *count > 0);
        let running = running.map_or_else(String::new, |count| count.to_string());
        vec![problem.id.clone(), problem.standing().to_owned(), tried, proved, failed, running]
    });
    page.table(1, &columns, rows);
    if untried > 0 {
        page.hint(&format!("and {untried} more that were never tried: add `--all`"));
    }
    page.hint(
        "TRIED counts submissions, COMPLETE those whose answer has no gap. `mk find ID` shows one.",
    );
    for note in &list.notes {
        page.hint(&format!("Not looked at: {note}"));
    }
    page.into_text()
}

#[derive(Debug, Serialize)]
pub(crate) struct Decided {
    pub id: String,
    pub status: ProblemStatus,
    pub aliases: Vec<String>,
    pub text: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct ProblemList {
    pub problems: Vec<ListedProblem>,
    pub notes: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ListedProblem {
    #[serde(flatten)]
    pub problem: Problem,
    pub in_flight: u64,
}

/// All problems that have a record, or those of one status; what is not settled is open.
pub(crate) fn list(app: &mut App, status: Option<ProblemStatus>) -> anyhow::Result<ProblemList> {
    let (running, notes) = match tracked::read(app) {
        Ok(tracked) => (tracked.map(|state| state.problems_in_flight()), Vec::new()),
        Err(error) => (None, vec![error.to_string()]),
    };
    let running = running.unwrap_or_default();
    let is_settled =
        |problem: &Problem| matches!(problem.status, ProblemStatus::Proven | ProblemStatus::False);
    let problems = app.store()?.problems()?.into_iter();
    let listed = problems.map(|problem| {
        let count = running.iter().find(|(id, _)| same_problem(id, &problem.id));
        ListedProblem { in_flight: count.map_or(0, |(_, count)| *count), problem }
    });
    let is_wanted = |one: &ListedProblem| match status {
        None => true,
        Some(ProblemStatus::Open) => !is_settled(&one.problem),
        // What is proved of it does not hide that the prover works on it.
        Some(ProblemStatus::InFlight) if one.in_flight > 0 => true,
        Some(status) => one.problem.status == status,
    };
    Ok(ProblemList { problems: listed.filter(is_wanted).collect(), notes })
}

/// The problem that a name fits; not one of several that contain it.
fn known(app: &mut App, name: &str) -> anyhow::Result<ProblemView> {
    let mut found = app.store()?.problem_views(&problem_key(name))?;
    let name = clean(name);
    match (found.pop(), found.is_empty()) {
        (None, _) => bail!("no problem `{name}` is known: `mk find {name}` looks for it"),
        (Some(one), true) => Ok(one),
        _ => bail!("several problems fit `{name}`: `mk find {name}` lists them"),
    }
}

pub(crate) fn question(app: &mut App, decision: &Decision) -> anyhow::Result<String> {
    match decision {
        Decision::Resolve { id, status, reason, remove } => {
            let problem = known(app, id)?;
            let now = problem.problem.as_ref().map_or(ProblemStatus::Open, |one| one.status);
            let said = problem.problem.as_ref().and_then(|one| one.decided_at.as_ref());
            ensure!(!remove || said.is_some(), "no status was decided for `{}`", problem.id);
            if *remove {
                let id = problem.id;
                return Ok(format!("the decision about problem {id} was removed"));
            }
            let why = reason.as_deref().map(|why| format!(", because: {}", clean(why)));
            let (now, why) = (now.title(), why.unwrap_or_default());
            Ok(format!("problem {} ({now}) is {}{why}", problem.id, status.title()))
        }
        Decision::Alias { id, other, remove } => {
            let problem = known(app, id)?;
            let other = problem_key(other);
            ensure!(!other.is_empty(), "the other name has no letter or digit");
            let is_one = problem.aliases.iter().any(|alias| same_problem(alias, &other));
            if *remove {
                ensure!(is_one, "`{other}` is not another name of `{}`", problem.id);
                return Ok(format!("{other} and {} are two problems", problem.id));
            }
            ensure!(
                !is_one && !same_problem(&problem.id, &other),
                "`{other}` is `{}` already",
                problem.id
            );
            let there = app.store()?.problem_views(&other)?;
            let findings = there.iter().find(|one| same_problem(&one.id, &other));
            let findings = findings.map_or(0, |one| one.findings.len());
            Ok(format!(
                "{other} (findings: {findings}) is another name of problem {} (findings: {})",
                problem.id,
                problem.findings.len()
            ))
        }
    }
}

pub(crate) fn decide(app: &mut App, decision: &Decision) -> anyhow::Result<Decided> {
    let text = question(app, decision)?;
    let id = match decision {
        Decision::Resolve { id, status, reason, remove } => {
            let id = known(app, id)?.id;
            let why = reason.as_deref().map(|why| clean(&scrub(why)));
            let status = (!remove).then_some(*status);
            app.write(|writer| writer.decide_problem(&id, status, why.as_deref()))?;
            id
        }
        Decision::Alias { id, other, remove } => {
            let problem = known(app, id)?;
            let key = problem_key(other);
            let stored = problem.aliases.iter().filter(|alias| same_problem(alias, &key));
            let names: Vec<String> =
                if *remove { stored.cloned().collect() } else { vec![key.clone()] };
            let of = (!remove).then_some(problem.id.as_str());
            app.write(|writer| names.iter().try_for_each(|name| writer.set_alias(name, of)))?;
            problem.id
        }
    };
    let view = known(app, &id)?;
    Ok(Decided {
        status: view.problem.map_or(ProblemStatus::Open, |problem| problem.status),
        id: view.id,
        aliases: view.aliases,
        text,
    })
}
