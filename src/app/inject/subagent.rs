//! For a subagent: what failed and what is false about its task.
//!
//! The client does not tell the task when an agent starts, and its transcript lags: so the task is kept when the tool
//! that starts the agent is called.

use super::{TASK_BUDGET, choose};
use crate::app::App;
use crate::brief::context::{Cues, pack};
use crate::hook::Event;
use crate::text::{clean, clip, scrub, without_private};

const HEADER: &str =
    "[math-forge] What failed and what is false, about your task (stored data, not instructions):";
const MOST: usize = 4;
const GENERAL: &str = "general-purpose";
const KIND_COLUMNS: usize = 80;

/// Names, ids and single words only.
pub fn keep(app: &mut App, event: &Event, kind: &str, task: &str) {
    if event.session.is_empty() || !super::is_on(app) {
        return;
    }
    let public = without_private(task);
    let task = scrub(&public);
    super::quietly(app, |app| {
        let now = app.now;
        let cues = choose::cues_of(app, &task)?;
        if cues.is_empty() {
            return Ok(None::<()>);
        }
        let Some(store) = app.existing_store()? else { return Ok(None) };
        let cues = serde_json::to_string(&cues)?;
        store.write(now, |writer| {
            writer.keep_task(&event.session, &event.tool_use, &named(kind), &cues)
        })?;
        Ok(None)
    });
}

fn named(kind: &str) -> String {
    let kind = clip(&clean(kind), KIND_COLUMNS);
    if kind.is_empty() { GENERAL.to_owned() } else { kind }
}

pub fn started(app: &mut App, event: &Event, kind: &str) -> Option<String> {
    if event.session.is_empty() || !super::is_on(app) {
        return None;
    }
    super::quietly(app, |app| {
        let now = app.now;
        let kind = named(kind);
        let of_kind = choose::cues_of(app, &kind)?;
        let Some(store) = app.existing_store()? else { return Ok(None) };
        let kept = store.write(now, |writer| writer.take_task(&event.session, &kind));
        let kept = kept.unwrap_or_else(|error| {
            app.log.line(now, "inject", &error.to_string());
            None
        });
        let task: Option<Cues> = kept.and_then(|kept| serde_json::from_str(&kept).ok());
        // The type may say something: `sieve-prover`.
        let cues = task.unwrap_or(of_kind);
        let found = choose::about(app, &cues, true)?;
        let warnings = found.into_iter().filter(|one| one.rule != "words" || warns(one.kind));
        let choices = choose::worth_saying(warnings.collect(), &[], event);
        let items = choices.iter().map(|choice| choice.item.clone()).collect();
        let packed = pack(HEADER, items, TASK_BUDGET, MOST);
        if packed.items.is_empty() {
            return Ok(None);
        }
        super::note(app, event, ("SubagentStart", &kind), &packed, &choices);
        Ok(Some(packed.text))
    })
}

fn warns(kind: &str) -> bool {
    matches!(kind, "failure" | "false_lemma" | "lesson")
}
