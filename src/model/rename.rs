//! x

use serde::{Deserialize, Serialize};

/// An old name and its replacement, from the files of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rename {
    /// In full, or a module.
    pub old: String,
    /// In full where the packages show it, else as written.
    pub new: Option<String>,
    /// A date, or whatever the file says.
    pub since: Option<String>,
    /// What the file says about it.
    pub message: Option<String>,
    pub package: String,
    /// What was read of a revision never changes.
    pub revision: Option<String>,
    /// Relative to the package, with `/`.
    pub file: String,
    /// From 1.
    pub line: u64,
    /// The last part alone does not mean it.
    pub protected: bool,
    /// `new` is declared in a package.
    pub exact: bool,
}
