//! Reports become text. Nothing here decides anything or reads anything.
//!
//! Every view takes its report, the width of the page and, where it shows relative times, `now`. Text
//! from a database is cleaned before it is shown.

mod asked;
mod extract;
pub mod guard;
mod import;
mod jobs;
mod playbooks;
mod problem;
mod said;

pub use asked::{asked, batch, event};
pub use extract::extract;
pub use import::{import, skipped, sums};
pub use jobs::{job, jobs, jobs_run};
pub use playbooks::runs;
pub use problem::problem;
pub use said::said;
