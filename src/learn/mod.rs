//! What is learnt from texts: text in, drafts out. No IO, no clock, no environment, no SQL.

pub mod events;
pub mod facts;
pub mod lessons;
mod orders;
pub mod playbooks;
pub mod prompt;
pub mod prover;
pub mod results;
pub mod seed;
pub mod signals;
pub mod technique;
pub mod transcript;
pub mod uses;
