//! Reports become text. Nothing here decides anything or reads anything.
//!
//! Every view takes its report, the width of the page and, where it shows relative times, `now`. Text
//! from a database is cleaned before it is shown.

mod extract;
pub mod guard;
mod hits;
mod import;
mod problem;
mod said;

pub use extract::extract;
pub use hits::{HitStyle, hits};
pub use import::{import, skipped, sums};
pub use problem::problem;
pub use said::said;
