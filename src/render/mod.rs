//! Reports become text. Nothing here decides anything or reads anything.

pub mod outline;
mod import;
pub mod progress;

pub use import::{import, skipped, sums};
