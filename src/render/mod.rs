//! Reports become text. Nothing here decides anything or reads anything.
//!
//! Every view takes its report, the width of the page and, where it shows relative times, `now`. Text
//! from a database is cleaned before it is shown.

mod asked;
pub mod audit;
mod config;
mod diff;
mod doctor;
mod extract;
mod failed;
pub mod guard;
mod hits;
mod import;
mod init;
mod inject;
mod jobs;
pub mod layout;
pub mod listing;
pub mod outline;
mod playbooks;
mod privacy;
mod problem;
pub mod progress;
pub mod projects;
mod queue;
mod record;
pub mod renames;
mod said;
pub mod sarif;
mod stats;
mod strategies;
pub mod theme;
pub mod time;

#[cfg(test)]
mod tests;

pub use asked::{asked, batch, event};
pub use config::{config, config_files};
pub use diff::diff;
pub use doctor::doctor;
pub use extract::extract;
pub use failed::failed;
pub use hits::{HitStyle, hits};
pub use import::{import, skipped, sums};
pub use init::{git_hook, init};
pub use inject::{inject_test, roi, why};
pub use jobs::{job, jobs, jobs_run};
pub use playbooks::runs;
pub use privacy::{forget, gc};
pub use problem::problem;
pub use queue::queue;
pub use record::records;
pub use said::said;
pub use stats::stats;
pub use strategies::strategies;

/// What to do when the knowledge base is still empty.
const EMPTY_BASE: &str = "The knowledge base is empty. Fill it with `mk import <tracking.db>` or \
    `mk extract <result.lean>...`; `mk init` does the first by itself when it finds a tracking.db.";
