//! Judging what the agent is about to do. Pure: (what, policy) -> verdict.

mod bash;

pub use bash::only_reads;
