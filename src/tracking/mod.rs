//! Somebody else's `tracking.db`, the record of submissions to a prover: read, never written.
//!
//! Its tables, columns and words vary from project to project, and its text is untrusted. Only plain
//! tables are read (no views, no virtual tables, no generated columns), all at once and within a deadline.
//! What is missing counts as empty. Text is handed on as it is, without NULs; whoever prints it
//! cleans it.

mod claims;
mod import;
mod ledger;
mod open;
mod rows;
mod state;

pub use import::{Imported, Shortfall};
pub use ledger::{Ledger, Standing, Submission};
pub use open::{PATIENT, QUICK, Tracking, TrackingError};
pub use state::{ProblemTrail, TrackingState};
