//! What an audit looks at: files and folders as they are, or what git says has changed.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Report, unread};
use crate::app::lean_files;
use crate::project::Project;

/// A file to be looked at.
pub(super) struct Source {
    pub(super) path: PathBuf,
    /// Its path as the report has it.
    pub(super) shown: String,
    /// Whether it was named itself, not found in a folder.
    pub(super) named: bool,
    /// Git's object with its old version.
    pub(super) old: Option<String>,
    pub(super) now: Now,
}

/// Where the version stands that is looked at.
pub(super) enum Now {
    Disk,
    /// In the index, as this object.
    Object(String),
    /// Nowhere: the file was deleted.
    Gone,
}

/// Files as named, and the `.lean` files below folders; with nothing named, below the folder that
/// `mk` was started in.
pub(super) fn on_disk(project: &Project, paths: &[PathBuf], report: &mut Report) -> Vec<Source> {
    let here = [project.start.clone()];
    let paths = if paths.is_empty() { &here[..] } else { paths };
    let mut sources = Vec::new();
    let source = |path: PathBuf, named| {
        let (shown, now) = (shown(project, &path), Now::Disk);
        Source { path, shown, named, old: None, now }
    };
    for path in paths {
        if !path.is_dir() {
            sources.push(source(real_folder(path), true));
            continue;
        }
        let found = lean_files::below(&fs::canonicalize(path).unwrap_or_else(|_| path.clone()));
        for (folder, reason) in found.problems {
            report.problems.push(unread(&shown(project, &folder), reason));
        }
        sources.extend(found.files.into_iter().map(|path| source(path, false)));
    }
    sources.sort_by(|a, b| a.shown.cmp(&b.shown));
    sources.dedup_by(|a, b| a.path == b.path);
    sources
}

/// A path with its folder made real, the file's own name kept: a link is shown as itself.
pub(super) fn real_folder(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = absolute.parent().and_then(|folder| fs::canonicalize(folder).ok());
    match (folder, absolute.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => absolute,
    }
}

/// A path as reports have it: relative to the project's root with `/`, absolute outside of it.
pub(super) fn shown(project: &Project, path: &Path) -> String {
    let inside = path.strip_prefix(&project.root).unwrap_or(path);
    inside.to_string_lossy().replace('\\', "/")
}
