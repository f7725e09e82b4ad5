//! Deprecations in a Lean file: which name is old, what it is called now, since when, and why.
//!
//! Read from `@[deprecated ...]` in all its forms, also inside of another attribute, from
//! `attribute [deprecated ...]`, from constructors and fields, and from `deprecated_module`. The names
//! that `to_additive` makes stand in no file and are not known. Names are resolved as Lean does as far
//! as one file shows them; what stays open comes with its candidates, so that who knows all files can
//! decide.

mod attribute;
mod marks;
mod places;
mod uses;

#[cfg(test)]
mod tests;

use super::records::Outline;
use super::sig;

pub use uses::{Mention, Moved, Use, mentions, moved_names};

/// A name that moved or is to be given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deprecation {
    /// The old name in full; for a module its name.
    pub old: String,
    /// What to use instead, if a name is given.
    pub new: Option<Successor>,
    /// The date, or whatever the file says.
    pub since: Option<String>,
    /// What the file says about it.
    pub message: Option<String>,
    /// Line of the declaration's keyword, or of the command.
    pub line: usize,
    /// Whether the old name is `protected`: its last part alone does not mean it.
    pub protected: bool,
}

/// The name that follows an old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Successor {
    pub written: String,
    /// In full, if the file shows it.
    pub full: Option<String>,
    /// The full names that it may mean, in the order in which Lean tries them.
    pub candidates: Vec<String>,
}

impl Successor {
    /// The full name if it is known, else what is written.
    pub fn name(&self) -> &str {
        self.full.as_deref().unwrap_or(&self.written)
    }
}

/// The deprecations of a file, in order. `module` is the name by which it is imported; without it
/// `deprecated_module` is passed over.
pub fn deprecations(text: &str, outline: &Outline, module: Option<&str>) -> Vec<Deprecation> {
    if !text.contains("deprecated") {
        return Vec::new();
    }
    let sigs = sig::read(text).sigs;
    marks::find(&places::File::read(text, &sigs, outline), module)
}
