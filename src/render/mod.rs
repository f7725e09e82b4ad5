//! Reports become text. Nothing here decides anything or reads anything.
//!
//! Every view takes its report, the width of the page and, where it shows relative times, `now`. Text
//! from a database is cleaned before it is shown.

mod asked;
pub mod guard;
mod hits;
mod jobs;
mod playbooks;
pub mod renames;
mod said;

pub use asked::{asked, batch, event};
pub use hits::{HitStyle, hits};
pub use jobs::{job, jobs, jobs_run};
pub use playbooks::runs;
pub use said::said;
