//! Ctrl-C, and being asked to end: work stops between two things and not in the middle of one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Becomes true when the person presses Ctrl-C, or somebody asks the process to end; the second time ends it
/// at once.
pub(crate) fn stopped() -> std::io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Registered first, so that it sees what the one before it set.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
