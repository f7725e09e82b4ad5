//! `mk hook` (to be written): always exit 0.

use crate::paths::Environment;

/// Answers the hook on stdin.
pub(crate) fn run(_environment: Environment, _now: jiff::Timestamp) {}
