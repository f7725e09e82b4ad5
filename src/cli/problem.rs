//! `mk problem`: lists problems, shows one, and takes down what a person decides about it.

use super::find;
use crate::app::App;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::problem::{self, Decision, ListedProblem, ProblemList};
use crate::app::review::Asked;
use crate::model::ProblemStatus;
use crate::ui::layout::{Column, Page};
use crate::ui::{Exit, Out, person};

/// List problems, show one, say that it is resolved, or what else it is called
///
/// Without a name all problems are listed, the most tried first, with where they stand.
///
/// That a problem is proved is the word of its owner: of the tracking database's `target_resolved`, or
/// yours, said here. Showing is for everybody, deciding is for a person at a terminal; in a session of
/// Claude Code `mk problem resolve ID`, as one plain command, makes the client ask you.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk problem
  mk problem --status proven
  mk problem erdos-850
  mk problem resolve erdos-850 --reason \"published in 2026\"
  mk problem resolve erdos-850 --as open
  mk problem resolve erdos-850 --remove      what files and tracking.db say counts again
  mk problem alias tuza_nu4 nu4              nu4 is tuza_nu4
  mk problem alias tuza_nu4 nu4 --remove")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Problem id, in any spelling
    problem: Vec<String>,
    /// Show all findings, not only the newest ten of each kind; list also problems that nobody tried
    #[arg(long)]
    all: bool,
    /// List only problems that stand so: open (all that is not settled), partial, in-flight, proven, false
    #[arg(long, conflicts_with = "problem")]
    status: Option<ProblemStatus>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Say where a problem stands: that counts, whatever files and databases say
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

impl Action {
    fn decision(self) -> Decision {
        match self {
            Self::Resolve { id, status, reason, remove } => {
                let status = (!remove).then_some(status);
                Decision::Resolve { id, status, why: reason }
            }
            Self::Alias { id, other, remove } => Decision::Alias { id, other, remove },
        }
    }
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None => Does::Reads,
            Some(action) => {
                Does::Decides(PersonDecision::Knowledge(Asked::Problem(action.decision())))
            }
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Some(action) = self.action else {
            if !self.problem.is_empty() {
                return find::show(app, out, &self.problem, self.all);
            }
            let list = problem::list(app, self.status)?;
            out.answer(&list, |width| listed(&list, self.status, self.all, width))?;
            return Ok(Exit::Done);
        };
        let decision = action.decision();
        if app.environment.inside_client() {
            // Only where it can be decided does the client go on to what the person said.
            problem::question(app, &decision)?;
            return person::in_session(out, "decided");
        }
        person::require(app, "deciding about a problem")?;
        let decided = problem::decide(app, &decision)?;
        out.answer(&decided, |_| format!("  {}\n", decided.text))?;
        Ok(Exit::Done)
    }
}

/// Problems with where they stand.
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
        Column::number("PROVED"),
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
        page.hint(&format!("and {untried} more that nobody tried: add `--all`"));
    }
    page.hint(
        "PROVED and FAILED count submissions with a result about it. `mk find ID` shows one.",
    );
    for note in &list.notes {
        page.hint(&format!("Not looked at: {note}"));
    }
    page.into_text()
}
