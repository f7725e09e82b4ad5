//! The guard at work: hooks on edits, on commands and at the end of a turn, and the person's word on it.

pub mod command;
pub mod declared;
pub mod edit;
pub mod failing;
pub mod known;
pub mod lemmas;
pub mod lifts;
pub mod locks;
pub mod log;
pub mod permission;
pub mod protected_paths;
pub mod renamed_lemmas;
pub mod session;
pub mod settings;
pub mod snapshot;
pub mod stop;
pub mod texts;

mod deleted_files;
mod head_moves;
mod loss_message;
mod lost_proofs;
mod past;
mod resolve;
mod walk;
