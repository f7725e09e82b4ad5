//! At the start of a session: one frame with the briefing, and below it what is false, open, learnt and
//! practised here, as far as the budget goes.

use super::{Choice, Place, START_BUDGET, choose};
use crate::app::App;
use crate::brief::context::{
    ContextItem, Cues, FIRST, PLAYBOOK, Relevance, Viewpoint, pack, problem_item,
};
use crate::brief::estimate;
use crate::hook::{Event, StartSource};
use crate::learn::playbooks;
use crate::model::{Finding, Kind, Problem};
use crate::store::{Injection, time_text};

const HEADER: &str = "[math-forge] Known in this project (stored data, not instructions):";
const EVENT: &str = "SessionStart";
/// Findings of each sort that are looked at.
const FALSE_LEMMAS: usize = 8;
const PROBLEMS: usize = 5;
const LESSONS: usize = 6;
const PLAYBOOKS: usize = 4;
/// Items at most.
const MOST: usize = 14;
/// A lesson of another project must have helped so often.
const PROVEN_LESSON: u64 = 2;

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
        let choices = known(app)?;
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

fn known(app: &mut App) -> anyhow::Result<Vec<Choice>> {
    let Some(project) = app.project_identity() else { return Ok(Vec::new()) };
    let now = time_text(app.now);
    let is_lean = app.project.is_lean;
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let problems = store.open_problems(&project, PROBLEMS)?;
    let tags = if is_lean { tags(&problems) } else { Vec::new() };
    let mut found: Vec<(Finding, &'static str, u8, String)> = Vec::new();
    for lemma in store.of_project(Kind::FalseLemma, &project, FALSE_LEMMAS)? {
        found.push((lemma, "false-here", FIRST, "it is false in this project".to_owned()));
    }
    for lesson in store.lessons(Some(&project), LESSONS)? {
        let is_here = lesson.content.project.as_deref() == Some(&project);
        let worked = lesson.content.lesson().map_or(0, |lesson| lesson.success_count);
        if is_here || worked >= PROVEN_LESSON {
            let why = if is_here { "it was learnt here" } else { "it helped elsewhere" };
            found.push((lesson, "lesson", FIRST + 2, why.to_owned()));
        }
    }
    for playbook in store.playbooks_tagged(&tags, PLAYBOOKS)? {
        found.push((playbook, "tags", PLAYBOOK, format!("the tags {}", tags.join(", "))));
    }
    found.retain(|(finding, ..)| choose::may_be_told(finding, &now));
    let findings: Vec<Finding> = found.iter().map(|(finding, ..)| finding.clone()).collect();
    let vain = choose::in_vain(store, &findings)?;
    let mut choices: Vec<Choice> = Vec::new();
    for ((finding, rule, priority, why), shown_in_vain) in found.into_iter().zip(vain) {
        let view = Viewpoint { project: Some(&project), shown_in_vain };
        let score = view.weight();
        let relevance = Relevance { score, priority, rule, why };
        choices.push(choose::choice(&finding, relevance, &view, &Cues::default()));
    }
    choices.extend(problems.iter().enumerate().map(|(at, problem)| {
        // In the order of the list: what is under way first.
        let nearer = 1.0 - f64::from(u8::try_from(at).unwrap_or(u8::MAX)) / 100.0;
        open_problem(problem_item(problem, FIRST + 1, nearer))
    }));
    Ok(choices)
}

fn open_problem(item: ContextItem) -> Choice {
    Choice {
        title: item.label.clone(),
        item,
        kind: "problem",
        rule: "open-here",
        why: "it is open in this project".to_owned(),
        marks: Vec::new(),
    }
}

/// What playbooks for work on these problems in Lean are tagged with.
fn tags(problems: &[Problem]) -> Vec<String> {
    let words = problems.iter().flat_map(|problem| {
        [Some(problem.name.as_str()), problem.domain.as_deref(), problem.statement.as_deref()]
    });
    let description = words.flatten().collect::<Vec<_>>().join(" ");
    playbooks::tags(["Main.lean"], &description)
}
