//! The one integration test binary: the command `mk` as its users run it.

mod env;
mod licences;
mod tidy;
mod trust;
