//! The guard at work: hooks on edits, on commands and at the end of a turn, and the person's word on it.

pub mod edit;
pub mod failing;
pub mod known;
pub mod permission;
pub mod protected_paths;
pub mod renamed_lemmas;
pub mod session;
pub mod snapshot;
pub mod written;

mod change;
mod losses;
mod past;
pub(crate) mod project_files;
