//! What happened to each declaration between two versions of a Lean file.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use super::App;
use super::git::Repository;
use super::outline::{LARGEST_FILE, read_lean};
use crate::lean::{self, ChangeKind, Comparison, DeclKind};
use crate::project::Project;

/// The changes between two files.
#[derive(Debug, Serialize)]
pub struct Report {
    pub old: String,
    pub new: String,
    /// What happened, by the lines of the new file.
    pub changes: Vec<ChangeEntry>,
    #[serde(skip)]
    pub declarations: usize,
}

/// Something that happened to a declaration.
#[derive(Debug, Serialize)]
pub struct ChangeEntry {
    #[serde(serialize_with = "as_word")]
    pub change: ChangeKind,
    /// Lean's keyword; `None` outside of declarations.
    pub kind: Option<&'static str>,
    /// The full name that it had, or has if it is new.
    pub name: Option<String>,
    /// The full name that it has now, where that is another.
    pub new_name: Option<String>,
    pub line_old: Option<usize>,
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

/// Compares two versions of a file, each the path of a file or `REV:PATH`, a file as a revision has
/// it (`:PATH`: as the index has it). `/dev/null` is the file that does not exist, as in git.
///
/// # Errors
/// Fails where a version cannot be read or is no Lean text, with a sentence that says which and why.
pub fn run(app: &App, old: &Path, new: &Path) -> anyhow::Result<Report> {
    let before = text(app, old)?;
    let after = text(app, new)?;
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

fn text(app: &App, operand: &Path) -> anyhow::Result<String> {
    if operand == Path::new("/dev/null") {
        return Ok(String::new());
    }
    let named = operand.to_str().and_then(|text| text.split_once(':'));
    let committed = match named.filter(|_| !operand.exists()) {
        Some((revision, path)) => committed(app, revision, Path::new(path)),
        None => None,
    };
    let text = committed.unwrap_or_else(|| read_lean(operand).map(|decoded| decoded.text));
    text.map_err(|reason| anyhow::anyhow!("{}: {reason}", operand.display()))
}

/// A file as a revision has it; `None` outside of any repository. As in git a path is one from the
/// root unless it begins with `./` or `../`; one that is not there is tried from here, too.
fn committed(app: &App, revision: &str, path: &Path) -> Option<Result<String, String>> {
    let project = Project::find(app.environment.current_dir.as_ref()?);
    let repository = Repository::at(&project.root)?;
    if !revision.is_empty() && repository.resolve(revision).is_none() {
        let reason = format!("there is no such file, and no revision `{revision}`");
        return Some(Err(reason));
    }
    let here = flat(&project.start.join(path));
    let from_root = (!path.starts_with(".") && !path.starts_with("..")).then(|| path.to_owned());
    let mut places = from_root.into_iter().chain([here]);
    let found = places.find_map(|place| repository.show(revision, &place));
    Some(match found {
        None if revision.is_empty() => Err("the index has no such file".to_owned()),
        None => Err(format!("`{revision}` has no such file")),
        Some(bytes) => read(&bytes),
    })
}

fn read(bytes: &[u8]) -> Result<String, String> {
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(format!("it has {} MB, more than any Lean file should", bytes.len() >> 20));
    }
    match lean::foreign(bytes) {
        Some(what) => Err(format!("this is {what}, not Lean text")),
        None => Ok(lean::decode(bytes).text),
    }
}

/// A path without `.` and `..`.
fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                flat.pop();
            }
            part => flat.push(part),
        }
    }
    flat
}
