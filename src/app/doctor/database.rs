//! What is wrong with the knowledge database, and repairing it.

use std::path::PathBuf;

use serde::Serialize;

use crate::app::App;
use crate::app::stats::SessionCounts;
use crate::store::{Check, Health, Store, StoreError, set_aside};

/// How the knowledge database is.
#[derive(Debug, Serialize)]
pub struct DatabaseReport {
    /// The file; `None` where no store is used.
    pub path: Option<PathBuf>,
    pub exists: bool,
    /// Why it cannot be opened, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    pub checks: Vec<Check>,
    /// Sessions of the client, where the database can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<SessionCounts>,
    pub repaired: bool,
    /// Where a file that was no database any more has been put; a new one stands in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<PathBuf>,
}

impl DatabaseReport {
    /// Whether something must be repaired.
    pub fn is_ill(&self) -> bool {
        self.failure.is_some() || self.checks.iter().any(|check| check.health == Health::Bad)
    }
}

/// Checks the database, and with `fix` repairs first what can be made anew. One that does not exist is
/// not created. A file that is no database, or a damaged one, is set aside under another name by `fix`,
/// never deleted, and a new one begun; any other obstacle is only reported.
pub(super) fn database(app: &mut App, fix: bool) -> DatabaseReport {
    let path = app.database.path().map(PathBuf::from);
    let exists = path.as_ref().is_some_and(|path| path.exists());
    let mut report = DatabaseReport {
        path,
        exists,
        failure: None,
        checks: Vec::new(),
        sessions: None,
        repaired: false,
        set_aside: None,
    };
    let mut examined = examine(app, fix, &mut report);
    if fix && examined.as_ref().is_err_and(is_beyond_repair) {
        examined = begin_anew(app, &mut report).and_then(|()| examine(app, false, &mut report));
    }
    if let Err(error) = examined {
        let way = if is_beyond_repair(&error) {
            "; `mk doctor --fix` keeps it under another name and begins a new one"
        } else {
            ""
        };
        report.failure = Some(format!("{error}{way}"));
    }
    report
}

fn is_beyond_repair(error: &StoreError) -> bool {
    matches!(error, StoreError::NotADatabase { .. } | StoreError::Damaged { .. })
}

fn begin_anew(app: &mut App, report: &mut DatabaseReport) -> Result<(), StoreError> {
    let Some(path) = report.path.clone() else { return Ok(()) };
    app.use_database(app.database.clone());
    report.set_aside = Some(set_aside(&path)?);
    Store::open(&path, app.now).map(drop)
}

fn examine(app: &mut App, fix: bool, report: &mut DatabaseReport) -> Result<(), StoreError> {
    let Some(store) = app.existing_store()? else {
        return Ok(());
    };
    if fix {
        Store::repair(store)?;
        report.repaired = true;
    }
    report.checks = store.check()?;
    let (seen, captured) = store.sessions_counted()?;
    report.sessions = Some(SessionCounts { seen, captured });
    Ok(())
}
