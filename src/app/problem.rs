//! `mk problem`: what a person decides about a problem: where it stands, and what else it is called.

use anyhow::{bail, ensure};
use serde::Serialize;

use super::{App, tracked};
use crate::model::{Problem, ProblemStatus, problem_key, same_problem};
use crate::store::ProblemView;
use crate::text::{clean, scrub};

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Where it stands; `None` takes an earlier decision back.
    Resolve { id: String, status: Option<ProblemStatus>, why: Option<String> },
    /// `other` is another name of the problem, or with `remove` is none any more.
    Alias { id: String, other: String, remove: bool },
}

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Decided {
    pub id: String,
    pub status: ProblemStatus,
    pub aliases: Vec<String>,
    /// The same in a sentence.
    pub text: String,
}

/// Problems with where they stand.
#[derive(Debug, Serialize)]
pub struct ProblemList {
    /// The most tried first.
    pub problems: Vec<ListedProblem>,
    /// Sources that could not be read, a sentence each.
    pub notes: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct ListedProblem {
    #[serde(flatten)]
    pub problem: Problem,
    /// Submissions that the prover works on, as the tracking database has them.
    pub in_flight: u64,
}

/// All problems that have a record, or those of one status; what is not settled is open.
pub fn list(app: &mut App, status: Option<ProblemStatus>) -> anyhow::Result<ProblemList> {
    let (running, notes) = match tracked::read(app) {
        Ok(tracked) => (tracked.map(|state| state.problems_in_flight()), Vec::new()),
        Err(error) => (None, vec![error.to_string()]),
    };
    let running = running.unwrap_or_default();
    let is_settled =
        |problem: &Problem| matches!(problem.status, ProblemStatus::Proven | ProblemStatus::False);
    let mut problems = app.store()?.problems()?;
    problems.retain(|problem| match status {
        None => true,
        Some(ProblemStatus::Open) => !is_settled(problem),
        Some(status) => problem.status == status,
    });
    let listed = problems.into_iter().map(|problem| {
        let count = running.iter().find(|(id, _)| same_problem(id, &problem.id));
        ListedProblem { in_flight: count.map_or(0, |(_, count)| *count), problem }
    });
    Ok(ProblemList { problems: listed.collect(), notes })
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

/// What is about to be decided, as it is shown to the person.
///
/// # Errors
/// When there is no such problem, or it would change nothing.
pub fn question(app: &mut App, decision: &Decision) -> anyhow::Result<String> {
    match decision {
        Decision::Resolve { id, status, why } => {
            let problem = known(app, id)?;
            let now = problem.problem.as_ref().map_or(ProblemStatus::Open, |one| one.status);
            let said = problem.problem.as_ref().and_then(|one| one.decided_at.as_ref());
            ensure!(
                status.is_some() || said.is_some(),
                "nobody decided where `{}` stands",
                problem.id
            );
            let why = why.as_deref().map(|why| format!(", because: {}", clean(why)));
            Ok(match status {
                Some(status) => format!(
                    "problem {} ({}) is {}{}",
                    problem.id,
                    now.title(),
                    status.title(),
                    why.unwrap_or_default()
                ),
                None => {
                    format!("what was decided about problem {} does not count any more", problem.id)
                }
            })
        }
        Decision::Alias { id, other, remove } => {
            let problem = known(app, id)?;
            let other = problem_key(other);
            ensure!(!other.is_empty(), "the other name has no letter or digit");
            let is_one = problem.aliases.iter().any(|alias| same_problem(alias, &other));
            if *remove {
                ensure!(is_one, "`{other}` is no other name of `{}`", problem.id);
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

/// Does what a person decided.
///
/// # Errors
/// As [`question`], or when it cannot be stored.
pub fn decide(app: &mut App, decision: &Decision) -> anyhow::Result<Decided> {
    let text = question(app, decision)?;
    let now = app.now;
    let id = match decision {
        Decision::Resolve { id, status, why } => {
            let id = known(app, id)?.id;
            let why = why.as_deref().map(|why| clean(&scrub(why)));
            app.store()?
                .write(now, |writer| writer.decide_problem(&id, *status, why.as_deref()))?;
            id
        }
        Decision::Alias { id, other, remove } => {
            let problem = known(app, id)?;
            let key = problem_key(other);
            let stored = problem.aliases.iter().filter(|alias| same_problem(alias, &key));
            let names: Vec<String> =
                if *remove { stored.cloned().collect() } else { vec![key.clone()] };
            let of = (!remove).then_some(problem.id.as_str());
            app.store()?.write(now, |writer| {
                names.iter().try_for_each(|name| writer.set_alias(name, of))
            })?;
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
