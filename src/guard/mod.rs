//! Judging what the agent is about to do. Pure: (what, policy) -> verdict.

pub mod audit;
mod bash;

pub use bash::only_reads;
