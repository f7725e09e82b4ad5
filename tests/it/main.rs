//! The one integration test binary: the command `mk` as its users run it.

mod env;
mod lean_truth;
mod licences;
mod store_findings;
mod store_open;
mod store_search;
mod tidy;
mod trust;
