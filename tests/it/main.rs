//! The one integration test binary: the command `mk` as its users run it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "tests start processes, and a panic is how they fail"
)]

mod client;
mod env;
mod hook_protocol;
mod install;
mod launcher;
mod licences;
mod tidy;
mod trust;
