//! Learning from sessions: transcripts are read once, line by line, and what is found waits for a
//! person or, where tool results are the evidence, is kept.

mod asking;
pub mod exclude;
pub mod lessons;
pub mod read;
mod seen;
pub mod work;

pub use asking::ended_by;
pub use exclude::{excluded_by, is_excluded};
pub use seen::learn_note;
