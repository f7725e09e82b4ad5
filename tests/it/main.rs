//! The one integration test binary: the command `mk` as its users run it.

mod env;
mod tidy;
mod trust;
