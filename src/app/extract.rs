//! tmp
pub mod inputs;
pub mod naming;
