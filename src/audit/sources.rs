//! The files that an audit looks at, as they are or as git says they changed, and what it finds in them.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context as _;
use rayon::prelude::*;
use serde::Serialize;

use crate::app::Progress;
use crate::app::git::{DIFF, Object, Repository};
use crate::app::lean_files::{self, LARGEST, Unreadable};
use crate::guard::audit::{self, Audit, Changes, Knowledge};
use crate::guard::is_lean;
use crate::lean;
use crate::learn::results;
use crate::outline::Unread;
use crate::project::Project;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Since {
    /// The work tree, with new files that git does not ignore, with a revision. Where the revision
    /// has gone another way since, with the last one that it and `HEAD` share.
    Revision(String),
    Staged,
}

#[derive(Debug, Serialize)]
pub(super) struct Compared {
    pub(super) with: String,
    pub(super) revision: Option<String>,
    pub(super) parted: bool,
    pub(super) staged: bool,
    pub(super) deleted: usize,
}

pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) shown: String,
    pub(super) named: bool,
    old: Option<String>,
    now: Now,
}

enum Now {
    Disk,
    Object(String),
    Gone,
}

/// Files as named, and those below folders; by default below the folder that `mk` runs in.
pub(super) fn on_disk(
    project: &Project,
    paths: &[PathBuf],
    problems: &mut Vec<Unread>,
) -> Vec<Source> {
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
            problems.push(Unread::new(shown(project, &folder), &reason));
        }
        sources.extend(found.files.into_iter().map(|path| source(path, false)));
    }
    in_order(sources)
}

fn in_order(mut sources: Vec<Source>) -> Vec<Source> {
    sources.sort_by(|a, b| a.shown.cmp(&b.shown));
    sources.dedup_by(|a, b| a.path == b.path);
    sources
}

/// A path with its folder made real, the file's own name kept: a link is shown as itself.
fn real_folder(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = absolute.parent().and_then(|folder| fs::canonicalize(folder).ok());
    match (folder, absolute.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => absolute,
    }
}

/// A path as reports have it: relative to the project's root with `/`, absolute outside of it.
fn shown(project: &Project, path: &Path) -> String {
    let inside = path.strip_prefix(&project.root).unwrap_or(path);
    inside.to_string_lossy().replace('\\', "/")
}

/// The changed Lean files of a repository, below `paths` if there are any.
pub(super) fn changed(
    repository: &Repository,
    project: &Project,
    since: &Since,
    paths: &[PathBuf],
) -> anyhow::Result<(Compared, Vec<Source>)> {
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
    let sources = in_order(sources.collect());
    Ok((compared, sources))
}

fn revision(repository: &Repository, name: &str) -> anyhow::Result<Compared> {
    let none = || format!("there is no revision `{name}` in this repository");
    let named = repository.resolve(name).with_context(none)?;
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

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// Files for which git is asked at once.
const AT_ONCE: usize = 64;

pub(super) struct Looked {
    pub(super) audit: Audit,
    pub(super) changes: Changes,
    pub(super) gone: bool,
}

/// In the order of the sources; `None` for a file that did not change.
pub(super) fn look(
    sources: &[Source],
    repository: Option<&Repository>,
    knowledge: Knowledge<'_>,
    progress: Progress<'_>,
) -> Vec<Option<Result<Looked, Unreadable>>> {
    let total = sources.len() as u64;
    let done = AtomicU64::new(0);
    // Few files are shared out, many are asked for in groups.
    let group = sources.len().div_ceil(4 * rayon::current_num_threads()).clamp(1, AT_ONCE);
    let looked = sources.par_chunks(group).flat_map_iter(|sources| {
        let objects = Objects::of(sources, repository);
        let looked = sources.iter().map(|source| {
            let versions = source.versions(&objects);
            progress(1 + done.fetch_add(1, Ordering::Relaxed), total);
            let looked = |[old, new]: [Option<String>; 2]| {
                let (old, new) = (old.as_deref(), new.as_deref());
                let read = |text| audit::outlined(text, &results::skimmed(text), Some(knowledge));
                let mut audit = new.map(read).unwrap_or_default();
                if let (Some(old), Some(_)) = (old, new) {
                    audit = audit.since(&read(old));
                }
                let changes = repository
                    .map(|_| audit::changes(old.unwrap_or_default(), new.unwrap_or_default()));
                Looked { audit, changes: changes.unwrap_or_default(), gone: new.is_none() }
            };
            versions.map(|versions| versions.map(looked)).transpose()
        });
        looked.collect::<Vec<_>>()
    });
    looked.collect()
}

impl Source {
    fn versions(&self, objects: &Objects) -> Result<Option<[Option<String>; 2]>, Unreadable> {
        let old = self.old.as_deref().map(|id| objects.content(id)).transpose()?;
        let read;
        let new = match &self.now {
            Now::Gone => None,
            Now::Object(id) => Some(objects.content(id)?),
            Now::Disk => {
                read = lean_files::bytes(&self.path)?;
                Some(read.as_slice())
            }
        };
        if old.is_some() && old == new {
            return Ok(None);
        }
        new.map_or(Ok(()), lean_files::check)?;
        // An old version that was no text proved nothing.
        let old = old.filter(|bytes| lean::foreign(bytes).is_none());
        Ok(Some([old, new].map(|bytes| bytes.map(|bytes| lean::decode(bytes).text))))
    }
}

struct Objects(Result<HashMap<String, Object>, String>);

impl Objects {
    fn of(sources: &[Source], repository: Option<&Repository>) -> Self {
        let Some(repository) = repository else { return Self(Ok(HashMap::new())) };
        let ids = sources.iter().flat_map(|source| {
            let new = match &source.now {
                Now::Object(id) => Some(id.as_str()),
                Now::Disk | Now::Gone => None,
            };
            [source.old.as_deref(), new]
        });
        let ids: Vec<&str> = ids.flatten().collect();
        let objects = repository.objects(&ids, LARGEST);
        let named = |objects| ids.iter().map(|id| (*id).to_owned()).zip(objects).collect();
        Self(objects.map(named).map_err(|error| error.to_string()))
    }

    fn content(&self, id: &str) -> Result<&[u8], Unreadable> {
        let objects = self.0.as_ref().map_err(|error| Unreadable::Failed(error.clone()))?;
        match objects.get(id) {
            Some(Object::Content(content)) => Ok(content),
            Some(Object::Large(size)) => Err(Unreadable::too_large(*size)),
            _ => Err(Unreadable::Failed("git does not have it".to_owned())),
        }
    }
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
