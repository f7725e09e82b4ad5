//! The one integration test binary: the command `mk` as its users run it.

mod briefing;
mod env;
mod lean_truth;
mod licences;
mod reading;
mod store_search;
mod tidy;
mod tracking;
mod tracking_fixture;
mod trust;
