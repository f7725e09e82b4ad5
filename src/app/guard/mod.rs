//! The guard at work: hooks on edits, on commands and at the end of a turn, and the person's word on it.

pub mod broken;
pub mod command;
pub mod declared;
pub mod edit;
pub mod known;
pub mod leave;
pub mod lemmas;
pub mod lifts;
pub mod locks;
pub mod log;
pub mod moved;
pub mod own;
pub mod session;
pub mod settings;
pub mod snapshot;
pub mod stop;
pub mod texts;

mod account;
mod base;
mod gone;
mod links;
mod lost;
mod moves;
mod walk;
