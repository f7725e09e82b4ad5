//! What changed since a revision, or is staged, as git says it.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Unable;
use super::sources::{Now, Source, real_folder, shown};
use crate::app::git::{DIFF, Repository};
use crate::guard::is_lean;
use crate::project::Project;

/// What is compared with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// The work tree, with new files that git does not ignore, with a revision. Where the revision
    /// has gone another way since, with the last one that it and `HEAD` share.
    Revision(String),
    /// The index with `HEAD`: what the next commit changes.
    Staged,
}

/// What the files were compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// The revision as named; `HEAD` for what is staged.
    pub with: String,
    /// It in full; `None` before the first commit.
    pub revision: Option<String>,
    /// Whether that is where the named one and `HEAD` parted.
    pub parted: bool,
    /// Whether the index is looked at, not the disk.
    pub staged: bool,
    /// Deleted files, whose old versions were looked at.
    pub deleted: usize,
}

/// The changed Lean files of a repository, below `paths` if there are any.
pub(super) fn files(
    repository: &Repository,
    project: &Project,
    since: &Since,
    paths: &[PathBuf],
) -> Result<(Compared, Vec<Source>), Unable> {
    let compared = match since {
        Since::Staged => Compared {
            with: "HEAD".to_owned(),
            revision: repository.resolve("HEAD"),
            parted: false,
            staged: true,
            deleted: 0,
        },
        Since::Revision(name) => revision(repository, name)?,
    };
    let mut flags = DIFF.to_vec();
    flags.extend(["--raw", "-z", "--no-abbrev", "--find-renames", "--no-relative"]);
    // Without a revision the index is compared with `HEAD`, or with nothing before the first commit.
    match &compared.revision {
        Some(revision) if !compared.staged => flags.extend(["--end-of-options", revision]),
        _ => flags.push("--cached"),
    }
    flags.push("--");
    let raw = repository.run(flags)?;
    let mut changes = records(&raw);
    if !compared.staged {
        let names = repository.run(["ls-files", "-z", "--others", "--exclude-standard"])?;
        for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            untracked(&mut changes, path(name));
        }
    }
    let wanted: Vec<PathBuf> = paths.iter().map(|path| whole(path)).collect();
    let sources = changes.into_iter().filter_map(|change| {
        let source = source(project, change, compared.staged)?;
        let inside = wanted.is_empty() || wanted.iter().any(|path| source.path.starts_with(path));
        inside.then_some(source)
    });
    let mut sources: Vec<Source> = sources.collect();
    sources.sort_by(|a, b| a.shown.cmp(&b.shown));
    sources.dedup_by(|a, b| a.path == b.path);
    Ok((compared, sources))
}

fn revision(repository: &Repository, name: &str) -> Result<Compared, Unable> {
    let named = repository.resolve(name).ok_or_else(|| Unable::Revision(name.to_owned()))?;
    let shared = repository.run(["merge-base", &named, "HEAD"]).ok();
    let shared = shared.map(|text| String::from_utf8_lossy(&text).trim().to_owned());
    let parted = shared.filter(|shared| !shared.is_empty() && *shared != named);
    Ok(Compared {
        with: name.to_owned(),
        parted: parted.is_some(),
        revision: Some(parted.unwrap_or(named)),
        staged: false,
        deleted: 0,
    })
}

/// A file that is named may be a link or gone; a folder is taken as it really is.
fn whole(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.canonicalize().unwrap_or_else(|_| path.to_owned())
    } else {
        real_folder(path)
    }
}

/// What happened to a file: its old content as an object of git, its new one, where it is now.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    old: Option<String>,
    new: Option<String>,
    old_path: PathBuf,
    path: PathBuf,
    gone: bool,
}

/// The output of `git diff --raw -z`. What is no plain file (links, submodules) has no content.
fn records(raw: &[u8]) -> Vec<Change> {
    let mut parts = raw.split(|byte| *byte == 0);
    let mut changes = Vec::new();
    while let Some(head) = parts.next() {
        let head = String::from_utf8_lossy(head);
        let fields: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        let (&[old_mode, new_mode, old, new, status], Some(first)) =
            (fields.as_slice(), parts.next())
        else {
            break;
        };
        let two = status.starts_with(['R', 'C']);
        let second = if two { parts.next() } else { None };
        // A copy is a new file.
        let kept = old_mode.starts_with("100") && !status.starts_with('C');
        changes.push(Change {
            old: kept.then(|| old.to_owned()),
            new: new_mode.starts_with("100").then(|| new.to_owned()),
            old_path: path(first),
            path: path(second.unwrap_or(first)),
            gone: status.starts_with('D'),
        });
    }
    changes
}

/// A file that git does not know is new, unless its name was just taken out of the index.
fn untracked(changes: &mut Vec<Change>, path: PathBuf) {
    if let Some(change) = changes.iter_mut().find(|change| change.path == path) {
        change.gone = false;
        return;
    }
    changes.push(Change { old: None, new: None, old_path: path.clone(), path, gone: false });
}

fn source(project: &Project, change: Change, staged: bool) -> Option<Source> {
    let is_wanted = |path: &Path| {
        let inside = path.parent().into_iter().flat_map(Path::components);
        let mut folders = inside.map(|part| part.as_os_str().to_string_lossy());
        is_lean(path)
            && !folders.any(|name| name.starts_with('.') || name == "lake-packages")
            && !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
    };
    let now = match change.new {
        _ if change.gone => Now::Gone,
        Some(object) if staged => Now::Object(object),
        // The index has a link or a submodule there: nothing that Lean reads.
        None if staged => return None,
        _ => Now::Disk,
    };
    let (path, now, old) = match (is_wanted(&change.old_path), is_wanted(&change.path)) {
        (_, true) => (change.path, now, change.old),
        // It is not called a Lean file any more.
        (true, false) => (change.old_path, Now::Gone, change.old),
        (false, false) => return None,
    };
    if matches!(now, Now::Gone) && old.is_none() {
        return None;
    }
    let path = project.root.join(path);
    Some(Source { shown: shown(project, &path), path, named: false, old, now })
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_is_read() {
        let raw = b":100644 100755 aa bb M\0a b.lean\0:100644 000000 cc 00 D\0gone.lean\0\
            :100644 100644 dd ee R090\0old.lean\0new\nname.lean\0:000000 120000 00 ff A\0link.lean\0\
            :100644 100644 dd ee C100\0old.lean\0copy.lean\0:000000 160000 00 12 A\0module\0";
        let read = records(raw);
        let shown: Vec<String> = read
            .iter()
            .map(|c| {
                let of = |object: &Option<String>| object.clone().unwrap_or_else(|| "-".to_owned());
                let (old, new, path) = (of(&c.old), of(&c.new), c.path.display());
                format!("{old} {new} {path}{}", if c.gone { " gone" } else { "" })
            })
            .collect();
        let expected = [
            "aa bb a b.lean",
            "cc - gone.lean gone",
            "dd ee new\nname.lean",
            "- - link.lean",
            "- ee copy.lean",
            "- - module",
        ];
        assert_eq!(shown, expected);
        assert_eq!(records(b""), []);
        assert_eq!(records(b"nonsense"), []);
    }
}
