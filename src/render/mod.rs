//! Reports become text. Nothing here decides anything or reads anything.
//!
//! Every view takes its report, the width of the page and, where it shows relative times, `now`. Text
//! from a database is cleaned before it is shown.

pub mod audit;
mod diff;
mod extract;
pub mod guard;
mod hits;
mod import;
pub mod outline;
mod problem;
pub mod renames;
mod said;
pub mod sarif;

pub use diff::diff;
pub use extract::extract;
pub use hits::{HitStyle, hits};
pub use import::{import, skipped, sums};
pub use problem::problem;
pub use said::said;
