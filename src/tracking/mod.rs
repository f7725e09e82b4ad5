//! Somebody else's `tracking.db`, the record of submissions to a prover: read, never written.
//!
//! Its tables, columns and words vary from project to project, and its text is untrusted. Only plain
//! tables are read (no views, no virtual tables, no generated columns), each call within a deadline.
//! What is missing counts as empty. Text is handed on as it is, without NULs; whoever prints it
//! cleans it.

mod claims;
mod error;
mod import;
mod ledger;
mod open;
mod record;
mod state;
mod status;
mod times;
mod trail;

pub use error::TrackingError;
pub use import::Imported;
pub use ledger::{Ledger, Submission};
pub use open::{Limits, Tracking};
pub use state::TrackingState;
pub use status::Standing;
pub use trail::ProblemTrail;
