//! What happened to each declaration between two versions of a Lean file.

use std::path::Path;

use serde::Serialize;

use super::outline::read_lean;
use crate::lean::{ChangeKind, Comparison, DeclKind};

/// The changes between two files.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The old file, as named.
    pub old: String,
    /// The new file, as named.
    pub new: String,
    /// What happened, by the lines of the new file.
    pub changes: Vec<ChangeEntry>,
    /// Declarations of the new file.
    #[serde(skip)]
    pub declarations: usize,
}

/// Something that happened to a declaration.
#[derive(Debug, Serialize)]
pub struct ChangeEntry {
    /// What happened.
    #[serde(serialize_with = "as_word")]
    pub change: ChangeKind,
    /// Lean's keyword; `None` outside of declarations.
    pub kind: Option<&'static str>,
    /// The full name that it had, or has if it is new.
    pub name: Option<String>,
    /// The full name that it has now, where that is another.
    pub new_name: Option<String>,
    /// Its line in the old file.
    pub line_old: Option<usize>,
    /// Its line in the new file.
    pub line_new: Option<usize>,
    /// What exactly, in words.
    pub detail: String,
    /// The statement before and after, where its words changed.
    #[serde(skip)]
    pub statements: Option<(String, String)>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
fn as_word<S: serde::Serializer>(change: &ChangeKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(change.as_str())
}

/// Compares two files. `/dev/null` is the file that does not exist, as in git.
///
/// # Errors
/// Fails where a file cannot be read or is no Lean text, with a sentence that says which and why.
pub fn run(old: &Path, new: &Path) -> anyhow::Result<Report> {
    let before = text(old)?;
    let after = text(new)?;
    let comparison = Comparison::of(&before, &after);
    let changes = comparison.changes.iter().map(|change| {
        let statements = comparison.old_of(change).zip(comparison.new_of(change));
        let statements = statements.filter(|_| change.change == ChangeKind::StatementChanged);
        let statements = statements
            .map(|(old, new)| (old.statement(&before).to_owned(), new.statement(&after).to_owned()))
            .filter(|_| change.detail.contains("became"));
        ChangeEntry {
            change: change.change,
            kind: change.kind.map(DeclKind::as_str),
            name: change.name.clone(),
            new_name: change.new_name.clone(),
            line_old: change.line_old,
            line_new: change.line_new,
            detail: change.detail.clone(),
            statements,
        }
    });
    Ok(Report {
        old: old.display().to_string(),
        new: new.display().to_string(),
        changes: changes.collect(),
        declarations: comparison.new_outline().declarations.len(),
    })
}

fn text(path: &Path) -> anyhow::Result<String> {
    if path == Path::new("/dev/null") {
        return Ok(String::new());
    }
    let decoded = read_lean(path);
    decoded.map(|d| d.text).map_err(|reason| anyhow::anyhow!("{}: {reason}", path.display()))
}
