//! (bench of the outline; from its branch)
pub(crate) fn run() {}
