//! What sessions are told of what is known: which items, at which moment, within which budget; each is
//! noted in the ledger, if it can be written.
//!
//! Everything here fails open: what goes wrong stands in the log, and the session goes on.

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

/// Tokens of the whole frame at the start of a session, beside a prompt, and for a subagent.
pub const START_BUDGET: usize = 600;
pub const PROMPT_BUDGET: usize = 150;
/// Tokens for a subagent, and beside a file.
pub const TASK_BUDGET: usize = 200;

/// Whether a session is told anything. Looks at settings only: nothing is opened.
pub fn is_on(app: &App) -> bool {
    app.config.inject_enabled && !is_excluded(app)
}

/// Whether the project is one whose sessions are told nothing: by `inject.exclude` or `learn.exclude`.
fn is_excluded(app: &App) -> bool {
    learn::is_excluded(app)
        || learn::excluded_by(app, &app.project, &app.config.inject_exclude).is_some()
}

/// Runs what may go wrong; then nothing is said.
fn quietly<T>(
    app: &mut App,
    work: impl FnOnce(&mut App) -> anyhow::Result<Option<T>>,
) -> Option<T> {
    work(app).unwrap_or_else(|error| {
        app.log.line(app.now, "inject", &format!("{error:#}"));
        None
    })
}

/// The rows of the ledger for what was packed; `blank` has what does not depend on the item.
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

/// Notes in the ledger what is said to this session at a `place`, the file or the type of the agent. Where
/// that cannot be written, because another process holds the database, the log says so: that a lemma is
/// false is worth more than the book about it.
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
