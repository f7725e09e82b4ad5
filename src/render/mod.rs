//! Reports become text. Nothing here decides anything or reads anything.

mod import;
pub mod outline;
pub mod progress;

pub use import::{import, skipped, sums};
