//! The one integration test binary: the command `mk` as its users run it.

mod env;
mod lean_truth;
mod licences;
mod outline;
mod tidy;
mod trust;
