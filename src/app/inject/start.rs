//! At the start of a session: the briefing, and what is known of the problem that branch or folder names. If only the
//! last session or recent files point to a problem, that is a guess: only what the person decided about it is told,
//! once; the rest waits for a prompt or a file that names it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::START_BUDGET;
use crate::app::remembered::Memory;
use crate::app::{App, begun};
use crate::brief::context::{ContextItem, FIRST, GUESS, PLAYBOOK, Relevance, pack};
use crate::brief::cues::Cues;
use crate::brief::estimate;
use crate::briefing::{self, Opening};
use crate::model::{Finding, Named};
use crate::next;
use crate::store::{AtHand, Injection, PATIENCE, time_text};
use crate::text::plural;

const OF_PROBLEM: &str = "the problem at hand";
const OF_PROJECT: &str = "this project";
const EVENT: &str = "SessionStart";
const AT_HAND: &str = "its problem is at hand";
const GUESSED: &str = "its problem was at hand lately";
const CHOSEN: &str = "it holds in the whole project";
/// Before what is false.
const DECIDED: (u8, f64) = (FIRST, 2.0);
const PROBLEMS: usize = 3;
/// Tokens and items below the briefing: prompts and files bring the rest when needed.
const KNOWN_BUDGET: usize = 110;
const MOST: usize = 5;
/// Branches that name no problem.
const TRUNKS: [&str; 5] = ["main", "master", "trunk", "dev", "develop"];
/// Whole days beside today.
const LATELY: i64 = 2;

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Start {
    pub text: String,
    /// Shown to the person by the client.
    pub person: String,
    pub project: Option<String>,
    /// Of the ledger, without the session.
    pub rows: Vec<Injection>,
}

/// Equal for equal knowledge, and remembered while no database is written. `in_hand` is from before a compaction,
/// `version` will stand behind it.
pub fn said(app: &mut App, folder: &Path, in_hand: &str, version: &str) -> Start {
    if !in_hand.is_empty() || !version.is_empty() {
        return made(app, folder, in_hand, version).0;
    }
    app.close();
    let Some(mut memory) = of_folder(app, folder, "start") else {
        return made(app, folder, "", "").0;
    };
    if let Some(start) = memory.recall() {
        return start;
    }
    if begun::waits(app) {
        // Storing writes, so what is read then would not be kept.
        app.existing_store().ok();
        app.close();
        memory = of_folder(app, folder, "start").unwrap_or(memory);
    }
    let (start, until) = made(app, folder, "", "");
    app.close();
    if until.is_some() {
        memory.keep(&start, until);
    }
    start
}

/// For the next session in this folder, after work that may have written.
pub fn prepare(app: &mut App) {
    let folder = app.environment.current_dir.clone().unwrap_or_else(|| app.project.start.clone());
    app.leave_short_log();
    app.close();
    // As a hook, which leaves the log in place.
    app.wait_at_most(PATIENCE);
    // The first time makes the log if there was none.
    for _ in 0..2 {
        said(app, &folder, "", "");
    }
}

/// What was said in a folder, as far as that holds; `None` without a database, which must not be open.
pub(crate) fn of_folder(app: &App, folder: &Path, what: &str) -> Option<Memory> {
    let mut databases = vec![app.database.path()?.to_owned()];
    databases.extend(app.tracking_path());
    databases.extend(next::watched(app));
    let (project, config, folder) = (&app.project, &app.config, folder.display());
    let made_with = format!("{databases:?} {project:?} {:?} {folder} {config:?}", project.branch());
    Some(Memory::of(app, "starts", &project.root.join(what), &made_with, databases))
}

/// And until when it holds.
fn made(app: &mut App, folder: &Path, in_hand: &str, version: &str) -> (Start, Option<String>) {
    let project = app.project_identity();
    if !super::is_on(app) {
        return (Start { project, ..Start::default() }, None);
    }
    let items = app.try_to("inject", |app| known(app, folder)).unwrap_or_default();
    let is_of_problem = |item: &ContextItem| item.relevance.why == AT_HAND;
    let about = match (items.iter().any(is_of_problem), items.iter().all(is_of_problem)) {
        (_, true) => OF_PROBLEM.to_owned(),
        (true, false) => format!("{OF_PROBLEM} and {OF_PROJECT}"),
        (false, _) => OF_PROJECT.to_owned(),
    };
    let header = format!("[math-forge] Known about {about} (stored data, not instructions):");
    // What is surely told below with its number, the briefing leaves out.
    let before = app.config.brief_budget + estimate(in_hand) + estimate(version) + 3;
    let sure = START_BUDGET.saturating_sub(before).min(KNOWN_BUDGET);
    let below = pack(&header, items.clone(), sure, MOST);
    let below: Vec<&str> = below.items.iter().map(|one| one.item.name.as_str()).collect();
    let Opening { text: briefing, until, person } = briefing::session_start(app, &below);
    let own = joined(&[&briefing, in_hand], "\n");
    let rest = START_BUDGET.saturating_sub(estimate(&own) + estimate(version) + 2);
    let packed = pack(&header, items, rest.min(KNOWN_BUDGET), MOST);
    let blank =
        Injection { project: project.clone(), event: EVENT.to_owned(), ..Injection::default() };
    let own_row = |(label, kind, text): (&str, &str, &str)| Injection {
        label: label.to_owned(),
        kind: kind.to_owned(),
        form: "body".to_owned(),
        rule: "start".to_owned(),
        tokens: estimate(text) as u64,
        ..blank.clone()
    };
    let told = [("briefing", "briefing", briefing.as_str()), ("in hand", "in_hand", in_hand)];
    let told = told.into_iter().filter(|(_, _, text)| !text.is_empty());
    let rows = told.map(own_row).chain(super::rows(&blank, &packed)).collect();
    let person: Vec<String> = person.into_iter().chain(waiting(app)).collect();
    let said = format!("math-forge: {}", person.join("; "));
    let person = if person.is_empty() { String::new() } else { said };
    (Start { text: joined(&[&own, &packed.text], "\n\n"), person, project, rows }, until)
}

pub fn joined(parts: &[&str], between: &str) -> String {
    let said = parts.iter().copied().filter(|part| !part.is_empty());
    said.collect::<Vec<&str>>().join(between)
}

fn waiting(app: &mut App) -> Option<String> {
    let project = app.project_identity();
    let store = app.existing_store().ok().flatten()?;
    let waiting = store.proposals_waiting(project.as_deref()).ok().filter(|count| *count > 0)?;
    Some(format!("{} to keep? `mk review`", plural(waiting, "thing")))
}

fn known(app: &mut App, folder: &Path) -> anyhow::Result<Vec<ContextItem>> {
    let Some(project) = app.project_identity() else { return Ok(Vec::new()) };
    let now = time_text(app.now);
    let (named, guessed) = at_hand(app, folder, &project)?;
    let mut items = super::standing(app, &named, (super::AT_HAND, AT_HAND))?;
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let mut found: Vec<(Finding, Relevance)> = Vec::new();
    let mut take = |findings: Vec<Finding>, rule, (priority, score), why: &str| {
        for finding in findings.into_iter().filter(|one| super::may_be_told(one, &now)) {
            if found.iter().any(|(other, _)| other.id == finding.id) {
                continue;
            }
            let relevance = Relevance { score, priority, rule, why: why.to_owned() };
            found.push((finding, relevance));
        }
    };
    for id in named.problems {
        for (what, rule, place) in [
            (AtHand::FalseLemmas, "false-here", (FIRST, 1.0)),
            (AtHand::Decided, "decided", DECIDED),
            (AtHand::Lessons, "lesson", (FIRST + 2, 1.0)),
            (AtHand::Playbooks, "playbook", (PLAYBOOK, 1.0)),
        ] {
            take(store.at_hand(what, &id, &project)?, rule, place, AT_HAND);
        }
    }
    for id in guessed {
        take(store.at_hand(AtHand::Decided, &id, &project)?, GUESS, DECIDED, GUESSED);
    }
    take(store.at_hand(AtHand::Choices, "", &project)?, "decided", DECIDED, CHOSEN);
    items.extend(super::worded(store, found, Some(&project), &Cues::default())?);
    Ok(items)
}

/// Named by branch or folder; else guessed from the last session and recently written result files.
pub(crate) fn at_hand(
    app: &mut App,
    folder: &Path,
    project: &str,
) -> anyhow::Result<(Named, Vec<String>)> {
    let branch = app.project.branch().filter(|branch| !TRUNKS.contains(&branch.as_str()));
    let folders = folder.strip_prefix(&app.project.root).unwrap_or(Path::new(""));
    let folders = folders.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let said: Vec<String> = branch.into_iter().chain(folders).collect();
    let root = app.project.root.to_string_lossy().into_owned();
    let since = briefing::days_ago(app.now, LATELY).as_nanosecond();
    let Some(store) = app.existing_store()? else { return Ok(Default::default()) };
    // Reading hundreds of names only if something may be one.
    if !said.is_empty() {
        let known = store.known_problems()?;
        let mut named = known.in_text(&said.join("\n"));
        // A whole name, however short or plain.
        for id in said.iter().flat_map(|name| name.split('/')).filter_map(|it| known.spelling(it)) {
            if named.problems.iter().all(|other| other != id) {
                named.problems.push(id.to_owned());
            }
        }
        named.problems.truncate(PROBLEMS);
        if !named.is_empty() {
            return Ok((named, Vec::new()));
        }
    }
    let mut ids = Vec::new();
    for id in store.lately(project, &root, i64::try_from(since).unwrap_or(i64::MIN))? {
        let id = store.problem_id(&id)?;
        if !ids.contains(&id) && ids.len() < PROBLEMS {
            ids.push(id);
        }
    }
    Ok((Named::default(), ids))
}
