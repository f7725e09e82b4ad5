//! What sessions are told, at which moment and within which budget, each noted in the ledger if that can be written.
//! Everything fails open: errors go to the log, and the session goes on.

mod choose;
pub mod file;
pub mod prompt;
pub mod start;
pub mod subagent;

use super::{App, learn};
use crate::brief::context::Packed;
use crate::hook::Event;
use crate::store::Injection;

pub use choose::Choice;

/// Tokens.
pub const START_BUDGET: usize = 600;
pub const PROMPT_BUDGET: usize = 150;
pub const TASK_BUDGET: usize = 200;

/// Looks at settings only: nothing is opened.
pub fn is_on(app: &App) -> bool {
    app.config.inject_enabled && !is_excluded(app)
}

/// By `inject.exclude` or `learn.exclude`.
fn is_excluded(app: &App) -> bool {
    learn::is_excluded(app)
        || learn::excluded_by(app, &app.project, &app.config.inject_exclude).is_some()
}

/// Errors go to the log.
fn quietly<T>(
    app: &mut App,
    work: impl FnOnce(&mut App) -> anyhow::Result<Option<T>>,
) -> Option<T> {
    work(app).unwrap_or_else(|error| {
        app.log.line(app.now, "inject", &format!("{error:#}"));
        None
    })
}

/// `blank` has what does not depend on the item.
fn rows(blank: &Injection, packed: &Packed, from: &[Choice]) -> Vec<Injection> {
    let row = |one: &crate::brief::context::PackedItem| {
        let choice = from.iter().find(|choice| choice.item.label == one.item.label);
        Injection {
            label: one.item.label.clone(),
            finding: one.item.finding,
            form: one.representation.as_str().to_owned(),
            score: one.item.relevance,
            tokens: one.tokens as u64,
            kind: choice.map_or("problem", |choice| choice.kind).to_owned(),
            rule: choice.map(|choice| choice.rule.to_owned()).unwrap_or_default(),
            why: choice.map(|choice| choice.why.clone()).unwrap_or_default(),
            marks: choice.map(|choice| choice.marks.clone()).unwrap_or_default(),
            ..blank.clone()
        }
    };
    packed.items.iter().map(row).collect()
}

/// `place` is the file or the type of agent. If another process holds the database, only the log says so: that a lemma is
/// false matters more than the ledger.
fn note(
    app: &mut App,
    event: &Event,
    (surface, place): (&str, &str),
    packed: &Packed,
    from: &[Choice],
) {
    quietly(app, |app| {
        let blank = Injection {
            session: event.session.clone(),
            agent: event.agent.clone().unwrap_or_default(),
            project: app.project_identity(),
            event: surface.to_owned(),
            place: place.to_owned(),
            ..Injection::default()
        };
        let rows = rows(&blank, packed, from);
        let now = app.now;
        if let Some(store) = app.existing_store()? {
            store
                .write(now, |writer| rows.iter().try_for_each(|row| writer.note_injection(row)))?;
        }
        Ok(None::<()>)
    });
}
