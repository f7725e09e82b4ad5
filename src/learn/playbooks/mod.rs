//! Playbook entries: what completed runs teach about how to work. Runs are put together from what is
//! known of them ([`Digest`], [`Outcome`]); entries are made of them by a model ([`FORM`], [`read()`]) or by
//! counting ([`rules()`]), and found again by their [`tags()`].

mod digest;
mod entry;
mod outcome;
mod prompt;
mod rules;
mod tags;

pub use digest::Digest;
pub use entry::Entry;
pub use outcome::Outcome;
pub use prompt::{FORM, Reading, read, text};
pub use rules::{ENOUGH, rules};
pub use tags::{DEFAULT, domain_tag, tags};
