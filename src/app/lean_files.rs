//! Lean files: which there are below a folder, and what is in one.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, Walk, WalkBuilder};

use crate::files;
use crate::guard::is_lean;
use crate::lean;

/// Bytes of a file beyond which it is not read: no Lean file that people write comes near it.
pub(crate) const LARGEST: u64 = 32 << 20;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("this is {0}, not Lean text")]
    Foreign(&'static str),
    #[error("{0}")]
    Failed(String),
}

impl Unreadable {
    pub(crate) fn of(path: &Path, error: &io::Error) -> Self {
        Self::Failed(match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                "there is no such file".to_owned()
            }
            Ok(meta) if !meta.is_file() => {
                "it is not a regular file (a folder, a pipe or a device)".to_owned()
            }
            Ok(meta) if meta.len() > LARGEST => return Self::too_large(meta.len()),
            _ => error.to_string(),
        })
    }

    pub(crate) fn too_large(bytes: u64) -> Self {
        let (size, limit) = (bytes >> 20, LARGEST >> 20);
        Self::Failed(format!("it has {size} MB; mk reads Lean files of up to {limit} MB"))
    }
}

pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Unreadable> {
    files::read(path, LARGEST).map_err(|error| Unreadable::of(path, &error))
}

pub(crate) fn check(bytes: &[u8]) -> Result<(), Unreadable> {
    lean::foreign(bytes).map_or(Ok(()), |what| Err(Unreadable::Foreign(what)))
}

pub(crate) fn text(path: &Path) -> Result<String, Unreadable> {
    let bytes = bytes(path)?;
    check(&bytes)?;
    Ok(lean::decode(&bytes).text)
}

#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) problems: Vec<(PathBuf, String)>,
}

/// Every `.lean` file below a folder. Hidden folders (`.lake`, `.git`) and `lake-packages` are passed
/// over; what git ignores is not, and links are followed: neither is a way out of an audit.
pub(crate) fn below(folder: &Path) -> Found {
    let mut found = Found::default();
    let mut folders = vec![folder.to_owned()];
    let mut seen = HashSet::new();
    while let Some(folder) = folders.pop() {
        let real = fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone());
        // A link into what is looked at anyway.
        let inside = seen.iter().any(|other: &PathBuf| real.starts_with(other));
        if !inside && seen.insert(real) {
            walk(&folder, &mut found, &mut folders);
        }
    }
    found.files.sort_unstable();
    found
}

fn walk(folder: &Path, found: &mut Found, folders: &mut Vec<PathBuf>) {
    for entry in entries(folder) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                found.problems.push((folder.to_owned(), error.to_string()));
                continue;
            }
        };
        let Some(kind) = entry.file_type() else { continue };
        let target = kind.is_symlink().then(|| fs::metadata(entry.path()).ok()).flatten();
        let is_file = target.as_ref().map_or(kind.is_file(), fs::Metadata::is_file);
        if target.as_ref().is_some_and(fs::Metadata::is_dir) && entry.depth() > 0 {
            folders.push(entry.into_path());
        } else if is_file && is_lean(entry.path()) {
            found.files.push(entry.into_path());
        }
    }
}

/// Without hidden folders and `lake-packages`; links to folders are not followed.
pub(crate) fn entries(folder: &Path) -> Walk {
    WalkBuilder::new(folder).standard_filters(false).filter_entry(is_wanted).build()
}

fn is_wanted(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    entry.depth() == 0 || !(name.starts_with('.') || name == "lake-packages")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_packages_are_passed_over_and_links_are_followed_once() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        let write = |name: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        for name in [
            "root/A.lean",
            "root/a b/B.lean",
            "root/ignored/C.lean",
            "root/.lake/packages/x/D.lean",
            "root/lake-packages/E.lean",
            "root/.#F.lean",
            "root/notes.md",
            "elsewhere/G.lean",
        ] {
            write(name);
        }
        fs::write(root.join(".gitignore"), "ignored\n").unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(dir.path().join("elsewhere"), root.join("link")).unwrap();
            std::os::unix::fs::symlink(&root, root.join("loop")).unwrap();
            std::os::unix::fs::symlink("nowhere", root.join("broken.lean")).unwrap();
            std::os::unix::fs::symlink("A.lean", root.join("Same.lean")).unwrap();
        }
        let found = below(&root);
        let names: Vec<String> = found
            .files
            .iter()
            .map(|path| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned())
            .collect();
        let expected = ["A.lean", "Same.lean", "a b/B.lean", "ignored/C.lean", "link/G.lean"];
        assert_eq!(names, expected);
        assert!(found.problems.is_empty(), "{:?}", found.problems);

        let named = below(&root.join(".lake"));
        assert_eq!(named.files.len(), 1, "what is named is looked at");
    }
}
