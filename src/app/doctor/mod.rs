//! `mk doctor`: what is wrong around here, from the binary to the plugin, and mending what can be made anew.

mod database;
mod queue;
mod surroundings;

use serde::Serialize;

use super::App;
use crate::store::Health;
pub use database::DatabaseReport;

/// Everything that was looked at.
#[derive(Debug, Serialize)]
pub struct DoctorReport {
    /// Whether nothing must be repaired. Warnings do not count.
    pub healthy: bool,
    /// What was looked at besides the knowledge database.
    pub remarks: Vec<Remark>,
    pub database: DatabaseReport,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// What it is, for example `plugin`.
    pub name: &'static str,
    pub health: Health,
    /// What was seen, and what to do, for people.
    pub detail: String,
}

impl Remark {
    fn good(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, health: Health::Good, detail: detail.into() }
    }

    fn warning(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, health: Health::Warning, detail: detail.into() }
    }

    fn bad(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, health: Health::Bad, detail: detail.into() }
    }
}

/// Looks at everything; with `fix` mends first what can be made anew.
pub fn run(app: &mut App, fix: bool) -> DoctorReport {
    let database = database::database(app, fix);
    let mut remarks = surroundings::look(app);
    remarks.extend(queue::jobs(app));
    let ill = database.is_ill() || remarks.iter().any(|remark| remark.health == Health::Bad);
    DoctorReport { healthy: !ill, remarks, database }
}
