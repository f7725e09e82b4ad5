//! Judging what the agent is about to do. Pure: (what, policy) -> verdict.
//!
//! A complete proof that loses its proof is a regression and is refused; a new `sorry` in a new or
//! open declaration is how people work, and passes in silence as long as no proof code goes with it.

pub mod audit;
mod axioms;
mod baseline;
mod command;
mod elsewhere;
mod failing;
mod harmless_changes;
mod judge;
mod lemma;
mod macros;
mod permit;
mod policy;
mod progress;
mod reason;
mod replay;
mod rules;
mod stand_in;

pub use baseline::{Baseline, is_lockable, may_be_back};
pub use command::{Effect, Reading, hidden_calls, is_lean, reading};
pub use elsewhere::{Elsewhere, OtherFile, carried, concerns, follow, uses};
pub use failing::Failing;
pub use judge::{Finding, Verdict, judge, judge_comparison, redefined_names};
pub use lemma::{FalseLemma, Search as FalseLemmas};
pub use permit::{may_pass, plain_mk};
pub use policy::Policy;
pub use reason::{Tense, coaching};
pub use replay::{apply, replay};
pub use rules::{Group, Level, Rule, Severity};

#[cfg(test)]
mod tests;
