//! What all commands share at the terminal: where they write, how they end, whether a person is there,
//! and the parts of which their pages are made.
//!
//! Every view takes its report, the width of the page and, where it shows relative times, `now`. Text
//! from a database is cleaned before it is shown.

mod exit;
pub mod layout;
pub mod listing;
mod output;
pub(crate) mod person;
pub mod progress;
pub mod record;
pub(crate) mod stop;
#[cfg(test)]
pub(crate) mod tests;
pub mod theme;
pub mod time;

pub use exit::{Exit, UsageError};
pub(crate) use output::Collected;
pub use output::Out;

/// What to do when the knowledge base is still empty.
pub const EMPTY_BASE: &str = "The knowledge base is empty. Fill it with `mk import <tracking.db>` or \
    `mk extract <result.lean>...`; `mk init` does the first by itself when it finds a tracking.db.";
