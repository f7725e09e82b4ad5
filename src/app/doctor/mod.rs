//! `mk doctor`: what is wrong around here, from the binary to the plugin, and mending what can be made anew.

mod surroundings;

use std::path::PathBuf;

use serde::Serialize;

use super::App;
use crate::jobs;
use crate::model::JobState;
use crate::store::{Check, Health, JobFilter, Store, StoreError, set_aside};
use crate::text::{clip, plural};

#[derive(Debug, Serialize)]
pub struct DoctorReport {
    /// Whether nothing must be repaired. Warnings do not count.
    pub healthy: bool,
    pub checks: Vec<Check>,
}

/// Looks at everything; with `fix` mends first what can be made anew.
pub fn run(app: &mut App, fix: bool) -> DoctorReport {
    let database = database(app, fix);
    let mut checks = surroundings::look(app);
    checks.extend(queue(app));
    checks.extend(database);
    DoctorReport { healthy: checks.iter().all(|check| check.health != Health::Bad), checks }
}

/// Checks the database, and with `fix` repairs first what can be made anew. One that does not exist is
/// not created. A file that is no database, or a damaged one, is set aside under another name by `fix`,
/// never deleted, and a new one begun; any other obstacle is only reported.
fn database(app: &mut App, fix: bool) -> Vec<Check> {
    let Some(path) = app.database.path().map(PathBuf::from) else {
        return vec![Check::good("database", "none: MATH_FORGE_DB is set and empty")];
    };
    let shown = path.display();
    let mut checks = Vec::new();
    let mut examined = examine(app, fix);
    if fix && examined.as_ref().is_err_and(is_beyond_repair) {
        app.use_database(app.database.clone());
        examined = set_aside(&path).and_then(|aside| {
            let text = format!("was unusable: kept as {}, a new one begun", aside.display());
            checks.push(Check::warning("database", text));
            drop(Store::open(&path)?);
            examine(app, false)
        });
    }
    match examined {
        Ok(None) => checks.push(Check::good("database", format!("{shown} (made on first use)"))),
        Ok(Some(found)) => {
            checks.push(Check::good("database", shown.to_string()));
            checks.extend(found);
        }
        Err(error) => {
            let way = if is_beyond_repair(&error) {
                "; `mk doctor --fix` keeps it under another name and begins a new one"
            } else {
                ""
            };
            checks.push(Check::bad("database", format!("{error}{way}")));
        }
    }
    checks
}

fn is_beyond_repair(error: &StoreError) -> bool {
    matches!(error, StoreError::NotADatabase { .. } | StoreError::Damaged { .. })
}

/// So many sessions without one that was read are no accident.
const UNHEARD: u64 = 5;

fn examine(app: &mut App, fix: bool) -> Result<Option<Vec<Check>>, StoreError> {
    let Some(store) = app.existing_store()? else { return Ok(None) };
    if fix {
        Store::repair(store)?;
    }
    let mut checks = store.check()?;
    let sessions = store.sessions()?;
    let is_silent = sessions.captured == 0 && sessions.seen >= UNHEARD;
    let check = if is_silent { Check::warning } else { Check::good };
    let told = format!("{} seen, {} captured", sessions.seen, sessions.captured);
    checks.push(check("sessions", told));
    let against = store.contradictions()?;
    if against > 0 {
        let text = format!(
            "tracking.db and the prover's answer differ in {}: `mk search --tag contradiction`",
            plural(against, "file")
        );
        checks.push(Check::warning("tracking", text));
    }
    Ok(Some(checks))
}

/// Columns of a reason.
const WIDTH: usize = 160;

/// Jobs that were given up, and a queue that nobody works off; nothing where there was never a job.
fn queue(app: &mut App) -> Vec<Check> {
    // What is wrong with the database stands under its own name.
    let Ok(state) = jobs::state(app) else { return Vec::new() };
    let mut checks = Vec::new();
    let dead = state.count(JobState::Dead);
    if dead > 0 {
        let filter = JobFilter { state: Some(JobState::Dead), kind: None, limit: 1 };
        let last = app.existing_store().ok().flatten().and_then(|store| store.jobs(filter).ok());
        let last = last.and_then(|(jobs, _)| jobs.into_iter().next());
        let last = last.map_or_else(String::new, |job| {
            format!(", the last ({}): {}", job.kind, clip(&job.outcome.unwrap_or_default(), WIDTH))
        });
        let jobs = if dead == 1 { "1 was".to_owned() } else { format!("{dead} were") };
        let text = format!("{jobs} given up{last}; `mk jobs list --state dead`");
        checks.push(Check::warning("jobs", text));
    }
    if let Some(since) = &state.stuck_since {
        let why = "`mk jobs` may say why; `mk jobs run` does them now";
        checks.push(Check::warning("jobs", format!("nothing moves since {since}: {why}")));
    }
    let open = state.count(JobState::Waiting) + state.count(JobState::Running);
    if checks.is_empty() && !state.by_state.is_empty() {
        let done = state.count(JobState::Done);
        checks.push(Check::good("jobs", format!("{open} open, {done} done")));
    }
    checks
}
