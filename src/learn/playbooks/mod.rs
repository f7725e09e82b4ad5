//! Playbook entries: what completed runs teach about how to work. A session becomes a run by its [`Digest`]; entries
//! are made of runs by a model ([`FORM`], [`read()`]) or by counting ([`rules()`]), and found again by their [`tags()`].

mod digest;
mod entries;
mod tags;

pub use digest::Digest;
pub use entries::{ENOUGH, FORM, Reading, identify_reply, read, rules, text};
pub use tags::{DEFAULT, domain_tag, tags};
