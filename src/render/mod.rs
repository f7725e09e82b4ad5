//! Reports become text. Nothing here decides anything or reads anything.
//!
//! Every view takes its report, the width of the page and, where it shows relative times, `now`. Text
//! from a database is cleaned before it is shown.

mod asked;
pub mod audit;
mod diff;
mod extract;
mod failed;
pub mod guard;
mod hits;
mod import;
mod jobs;
pub mod layout;
pub mod listing;
pub mod outline;
mod playbooks;
mod problem;
pub mod progress;
mod record;
pub mod renames;
mod said;
pub mod sarif;
pub mod theme;
pub mod time;

#[cfg(test)]
pub(crate) mod tests;

pub use asked::{asked, batch, event};
pub use diff::diff;
pub use extract::extract;
pub use failed::failed;
pub use hits::{HitStyle, hits};
pub use import::{import, skipped, sums};
pub use jobs::{job, jobs, jobs_run};
pub use playbooks::runs;
pub use problem::problem;
pub use record::records;
pub use said::said;

/// What to do when the knowledge base is still empty.
pub const EMPTY_BASE: &str = "The knowledge base is empty. Fill it with `mk import <tracking.db>` or \
    `mk extract <result.lean>...`; `mk init` does the first by itself when it finds a tracking.db.";
