//! Deprecations in a Lean file: which name is old, what it is called now, since when, and why.
//!
//! Read from `@[deprecated ...]` in all its forms, also where `to_additive` or another attribute
//! carries it (`(attr := deprecated ...)`), from `attribute [deprecated ...]`, from constructors and
//! fields, and from `deprecated_module`. Names are resolved as Lean does as far as one file shows
//! them; what stays open comes with its candidates, so that who knows all files can decide.

mod additive;
mod attribute;
mod marks;
mod places;
mod uses;

#[cfg(test)]
mod tests;

use std::fmt;

use super::records::{Declaration, Outline};
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
    /// How the new name is known.
    pub via: Via,
    /// Whether the old name is `protected`: its last part alone does not mean it.
    pub protected: bool,
    /// Whether the old name stands in the file. `to_additive` makes names that do not: they are
    /// guessed by its rules.
    pub written: bool,
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

/// How a deprecation names the successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// `alias old := new`
    Alias,
    /// `deprecated new`
    Attribute,
    Message,
    /// `deprecated_module`
    Module,
    Nothing,
}

impl Via {
    /// The word for it in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Attribute => "attribute",
            Self::Message => "message",
            Self::Module => "module",
            Self::Nothing => "none",
        }
    }
}

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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

/// The full name of the additive declaration, given or guessed; `None` if there is none.
pub fn additive_twin(text: &str, declaration: &Declaration) -> Option<String> {
    let name = declaration.name.as_deref()?;
    let mut spans = declaration.attributes.iter().filter_map(|span| text.get(span.clone()));
    let attribute = spans.find(|one| one.starts_with("to_additive"))?;
    let sigs = sig::read(attribute).sigs;
    let given = attribute::target(attribute, sigs.get(1..)?).map(|sig| sig.text(attribute));
    let twin = additive::additive_name(name, given);
    (twin != name).then_some(twin)
}
