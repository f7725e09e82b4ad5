//! Reports become text. Nothing here decides anything or reads anything.

pub mod outline;
pub mod progress;
