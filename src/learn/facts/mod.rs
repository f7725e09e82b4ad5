//! Facts and a summary from a text, through a language model: what it is asked, and how its reply is
//! read. The model itself is somebody else's business.
//!
//! A model's reply fills fields and nothing else. What it says enters unverified, and whatever the text
//! told it to say, there is no field for being verified.

mod chunk;
mod read;
mod record;
mod schema;
mod summary;
#[cfg(test)]
mod tests;
mod text;
mod voices;

pub use chunk::{Chunk, MAX_WORDS, OVERLAP, chunks};
pub(in crate::learn) use read::line;
pub use read::{Reading, is_same, read};
pub use record::{Category, Fact, Lifetime, Scope, SourceType, Tier};
pub use schema::FORM;
pub use summary::Summary;
pub use text::Text;
pub use voices::Voices;
