//! `mk doctor`: what is wrong with the knowledge database, and repairing it.

use std::path::PathBuf;

use serde::Serialize;

use super::App;
use crate::store::{Check, Health, Store, StoreError};

/// How the knowledge database is.
#[derive(Debug, Serialize)]
pub struct DatabaseReport {
    /// The file; `None` where no store is used.
    pub path: Option<PathBuf>,
    /// Whether the file is there.
    pub exists: bool,
    /// Why it cannot be opened, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// What was checked.
    pub checks: Vec<Check>,
    /// Whether it was repaired before it was checked.
    pub repaired: bool,
}

impl DatabaseReport {
    /// Whether something must be repaired.
    pub fn is_ill(&self) -> bool {
        self.failure.is_some() || self.checks.iter().any(|check| check.health == Health::Bad)
    }

    /// Whether `mk doctor --fix` would put something right.
    pub fn is_repairable(&self) -> bool {
        self.checks.iter().any(|check| check.repairable)
    }
}

/// Checks the database, and with `fix` repairs first what can be made anew. A database that cannot be
/// opened is reported, never replaced; one that does not exist is not created.
pub fn database(app: &mut App, fix: bool) -> DatabaseReport {
    let path = app.database.path().map(PathBuf::from);
    let exists = path.as_ref().is_some_and(|path| path.exists());
    let mut report =
        DatabaseReport { path, exists, failure: None, checks: Vec::new(), repaired: false };
    if let Err(error) = examine(app, fix, &mut report) {
        report.failure = Some(error.to_string());
    }
    report
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
    Ok(())
}
