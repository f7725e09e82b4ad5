//! A name that moved.

use serde::{Deserialize, Serialize};

/// An old name and what came after it, from the files of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rename {
    /// The old name in full, or the name of a module.
    pub old: String,
    /// What to use instead: in full where the packages show it, else as written.
    pub new: Option<String>,
    /// The date, or whatever the file says.
    pub since: Option<String>,
    /// What the file says about it.
    pub message: Option<String>,
    pub package: String,
    /// The package's revision; what was read of a revision never changes.
    pub revision: Option<String>,
    /// The file, relative to the package, with `/`.
    pub file: String,
    /// Line, from 1.
    pub line: u64,
    /// Whether the old name is `protected`: its last part alone does not mean it.
    pub protected: bool,
    /// Whether the new one, if there is one, is declared in a package.
    pub exact: bool,
}
