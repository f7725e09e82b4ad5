//! Reports become text. Nothing here decides anything or reads anything.

pub mod audit;
mod import;
pub mod outline;
pub mod progress;
pub mod renames;
pub mod sarif;

pub use import::{import, skipped, sums};
