//! Claude Code's hook protocol: standard input -> [`Event`], [`Reply`] -> one JSON object or nothing.
//!
//! Pure: no files, no clock, no environment. Whatever the client sends, reading it fails only where
//! the input is no JSON object at all; an event that is not known is no event.

mod event;
mod reply;

pub use event::{Event, FileUse, Occasion, ServerUse, StartSource, Tool};
pub use reply::{CONTEXT_LIMIT, Reply};
