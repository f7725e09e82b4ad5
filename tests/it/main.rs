//! The one integration test binary: the command `mk` as its users run it.

mod client;
mod env;
mod hook_protocol;
mod install;
mod launcher;
mod licences;
mod tidy;
mod trust;
