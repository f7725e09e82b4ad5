//! (bench of the search; from its branch)
pub(crate) fn run() {}
