//! What the guard goes by in one file: the configuration, and what a person decided.

use std::collections::BTreeSet;
use std::path::Path;

use super::session::Session;
use super::settings;
use crate::app::App;
use crate::guard::{Baseline, Finding, Policy, Rule};
use crate::model::LiftRecord;
use crate::store::{StoreError, time_text};

/// What a person decided about a file and its declarations.
#[derive(Debug, Clone, Default)]
pub struct Decisions {
    /// Full names of declarations whose statements must stay.
    pub locked: BTreeSet<String>,
    /// Lifts that hold for this file.
    pub lifts: Vec<LiftRecord>,
}

/// Whether edits are guarded at all.
pub fn is_on(app: &App) -> bool {
    app.config.guard_enabled
}

/// The levels and allowances of the configuration.
pub fn levels(app: &App) -> Policy {
    let settings = settings::settings(&app.config);
    Policy { levels: settings.levels, allowed: settings.allow_axioms, ..Policy::default() }
}

/// What was proved in a file when the session began.
pub fn baseline(app: &App, session: &str, file: &Path) -> Baseline {
    let first = Session::of(app, session).and_then(|session| session.first_text(file));
    first.as_deref().map(Baseline::of).unwrap_or_default()
}

/// Reads what was decided. A lift that was used up by this very use of a tool still holds for it.
/// No database: nothing was decided.
///
/// # Errors
/// Why the database cannot be read.
pub fn decisions(app: &mut App, file: &Path, tool_use: &str) -> Result<Decisions, StoreError> {
    let (place, identity) = (app.place(), app.project_identity());
    let name = app.project.stable_path(file);
    let now = time_text(app.now);
    let Some(store) = app.existing_store()? else { return Ok(Decisions::default()) };
    let mut lifts = store.lifts_for_edit(place.as_deref(), &now, tool_use)?;
    lifts.retain(|lift| match &lift.file {
        Some(file) => *file == name,
        None => lift.declaration.is_some(),
    });
    let named = place.as_deref().zip(identity.as_deref());
    let locks = named.map(|(place, identity)| store.locks(place, identity)).transpose()?;
    let locks = locks.unwrap_or_default().into_iter();
    Ok(Decisions { locked: locks.map(|lock| lock.declaration).collect(), lifts })
}

impl Decisions {
    /// The lift that lets a finding pass: one for the declaration before one for the file.
    pub fn covering(&self, finding: &Finding) -> Option<&LiftRecord> {
        let covers = |lift: &&LiftRecord| {
            let name = &lift.declaration;
            Rule::from_code(&lift.rule) == Some(finding.rule)
                && (name.is_none() || *name == finding.declaration || *name == finding.new_name)
        };
        self.lifts.iter().filter(covers).min_by_key(|lift| lift.declaration.is_none())
    }
}

/// Puts the cause into the log, and says what it means.
pub fn unread(app: &App, error: &StoreError) -> String {
    app.log.line(app.now, "guard", &format!("the database was not read: {error}"));
    format!(
        "The knowledge database could not be read, so lifted rules, locked statements and false \
         lemmas do not count now: {error}."
    )
}
