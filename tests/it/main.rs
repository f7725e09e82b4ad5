//! The one integration test binary: the command `mk` as its users run it.

mod env;
mod import;
mod lean_truth;
mod licences;
mod store_search;
mod tidy;
mod tracking;
mod tracking_fixture;
mod trust;
