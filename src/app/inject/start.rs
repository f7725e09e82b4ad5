//! At the start of a session: one frame with the briefing, and below it what is false, open, learnt and
//! practised about the problem at hand, as far as the budget goes. None at hand: nothing.

use std::collections::HashSet;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use super::{Choice, Place, START_BUDGET, choose};
use crate::app::App;
use crate::brief::context::{Cues, FIRST, Named, PLAYBOOK, Relevance, Viewpoint, named, pack};
use crate::brief::estimate;
use crate::hook::{Event, StartSource};
use crate::model::{Finding, ProblemName, same_problem};
use crate::store::{Injection, time_text};

const HEADER: &str = "[math-forge] Known of the problem at hand (stored data, not instructions):";
const EVENT: &str = "SessionStart";
/// Problems at hand at most.
const PROBLEMS: usize = 3;
/// Items at most.
const MOST: usize = 14;
/// How long ago files were written that say what is at hand.
const LATELY: SignedDuration = SignedDuration::from_hours(48);

/// What stands in the frame beside the items.
#[derive(Debug)]
pub struct Frame<'a> {
    /// The briefing; may be empty.
    pub briefing: String,
    /// What was in hand before a compaction; may be empty.
    pub in_hand: String,
    /// What will stand behind it, of which the budget is left.
    pub version: &'a str,
}

/// The text for the start of a session; empty where there is nothing to say. Equal for equal knowledge.
pub fn said(app: &mut App, event: &Event, source: StartSource, frame: &Frame<'_>) -> String {
    let parts = [frame.briefing.as_str(), frame.in_hand.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let own = parts.join("\n");
    let rest = START_BUDGET.saturating_sub(estimate(&own) + estimate(frame.version) + 2);
    let packed = super::quietly(app, |app| {
        let choices = known(app, event)?;
        let items = choices.iter().map(|choice| choice.item.clone()).collect();
        let packed = pack(HEADER, items, rest, MOST);
        let place = Place { event: EVENT, place: "" };
        let mut rows = own_rows(app, event, frame);
        rows.extend(super::rows(app, event, place, &packed, &choices));
        // The next start makes up for what cannot be written now.
        super::quietly(app, |app| keep(app, event, source, &rows).map(|()| None::<()>));
        Ok(Some(packed.text))
    });
    let packed = packed.unwrap_or_default();
    match (own.is_empty(), packed.is_empty()) {
        (true, _) => packed,
        (_, true) => own,
        _ => format!("{own}\n\n{packed}"),
    }
}

/// Notes the rows. A session that goes on gets the same text, which the client does not send again.
fn keep(
    app: &mut App,
    event: &Event,
    source: StartSource,
    rows: &[Injection],
) -> anyhow::Result<()> {
    if event.session.is_empty() {
        return Ok(());
    }
    let now = app.now;
    let Some(store) = app.existing_store()? else { return Ok(()) };
    let before = store.injections(&event.session)?;
    let is_known = |row: &&Injection| {
        source == StartSource::Resume
            && before.iter().any(|one| one.event == EVENT && one.label == row.label)
    };
    let new: Vec<&Injection> = rows.iter().filter(|row| !is_known(row)).collect();
    store.write(now, |writer| {
        if matches!(source, StartSource::Compact | StartSource::Clear) {
            writer.forget_context(&event.session)?;
        }
        new.into_iter().try_for_each(|row| writer.note_injection(row))
    })?;
    Ok(())
}

/// The rows for the briefing and for what was in hand.
fn own_rows(app: &mut App, event: &Event, frame: &Frame<'_>) -> Vec<Injection> {
    let blank = super::blank(app, event, Place { event: EVENT, place: "" });
    [("briefing", "briefing", &frame.briefing), ("in hand", "in_hand", &frame.in_hand)]
        .into_iter()
        .filter(|(_, _, text)| !text.is_empty())
        .map(|(label, kind, text)| Injection {
            label: label.to_owned(),
            kind: kind.to_owned(),
            form: "body".to_owned(),
            rule: "start".to_owned(),
            tokens: estimate(text) as u64,
            ..blank.clone()
        })
        .collect()
}

/// What is known of the problems at hand; nothing where none is.
fn known(app: &mut App, event: &Event) -> anyhow::Result<Vec<Choice>> {
    let Some(project) = app.project_identity() else { return Ok(Vec::new()) };
    let now = time_text(app.now);
    let named = Named { problems: at_hand(app, event, &project)?, slots: Vec::new() };
    let mut choices = choose::standing(app, &named, "at-hand")?;
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let mut found: Vec<(Finding, &'static str, u8)> = Vec::new();
    for id in named.problems {
        let known = store.at_hand(&id, &project)?;
        let sorts = [
            (known.false_lemmas, "false-here", FIRST),
            (known.lessons, "lesson", FIRST + 2),
            (known.playbooks, "playbook", PLAYBOOK),
        ];
        found.extend(sorts.into_iter().flat_map(|(findings, rule, priority)| {
            findings.into_iter().map(move |finding| (finding, rule, priority))
        }));
    }
    found.retain(|(finding, ..)| choose::may_be_told(finding, &now));
    let findings: Vec<Finding> = found.iter().map(|(finding, ..)| finding.clone()).collect();
    let vain = choose::in_vain(store, &findings)?;
    for ((finding, rule, priority), shown_in_vain) in found.into_iter().zip(vain) {
        let view = Viewpoint { project: Some(&project), shown_in_vain };
        let why = "its problem is at hand".to_owned();
        let relevance = Relevance { score: view.weight(), priority, rule, why };
        choices.push(choose::choice(&finding, relevance, &view, &Cues::default()));
    }
    Ok(choices)
}

/// The problems that the session is about, as far as anything says so: its branch or its folder, else the
/// project's last session and the result files that were written lately.
fn at_hand(app: &mut App, event: &Event, project: &str) -> anyhow::Result<Vec<String>> {
    let branch = app.project.branch();
    let start = event.cwd.as_deref().unwrap_or(&app.project.start);
    let folders = start.strip_prefix(&app.project.root).unwrap_or(Path::new(""));
    let folders: Vec<String> =
        folders.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let root = app.project.root.to_string_lossy().into_owned();
    let since = app.now.checked_sub(LATELY).unwrap_or(Timestamp::MIN).as_nanosecond();
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let names = store.problem_names()?;
    let of_text = |text: &String| named(text, &names).problems;
    let mut ids: Vec<String> = branch.iter().chain(&folders).flat_map(of_text).collect();
    if ids.is_empty() {
        ids = store.lately(project, &root, i64::try_from(since).unwrap_or(i64::MIN))?;
        for id in &mut ids {
            let is_it = |known: &&ProblemName| {
                known.aliases.iter().chain([&known.id]).any(|name| same_problem(name, id))
            };
            if let Some(known) = names.iter().find(is_it) {
                id.clone_from(&known.id);
            }
        }
    }
    let mut seen = HashSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    ids.truncate(PROBLEMS);
    Ok(ids)
}
