//! What a file that a command wrote is compared with: its text when the session began, and its text
//! after the session's latest known write.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::head_moves;
use super::session::{Kept, MOST_BYTES, Session, Start, text_of};
use crate::app::git::Repository;
use crate::files;
use crate::project::Project;

/// A text that a file had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Base {
    pub(super) text: String,
    pub(super) source: Source,
    /// When the file had it, in seconds since 1970.
    pub(super) at: i64,
}

/// Where a text is found again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    Copy(PathBuf),
    Revision(String),
}

/// The texts that a file is compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bases {
    /// When the session began, or when git left it, or when it was first seen.
    pub(super) start: Option<Base>,
    /// After the session's latest known write.
    pub(super) last: Option<Base>,
}

/// What was kept of a session, and what git has of its beginning.
#[derive(Debug)]
pub(super) struct Past {
    pub(super) session: Session,
    pub(super) start: Option<Start>,
    pub(super) git: Option<Repository>,
}

impl Past {
    pub(super) fn of(session: Session) -> Self {
        let start = session.start();
        let git = start.as_ref().and_then(|start| Repository::at(&start.root));
        Self { session, start, git }
    }

    /// Why nothing can be compared with what git had when the session began, if so.
    pub(super) fn is_blind(&self) -> Option<&'static str> {
        let revision = self.start.as_ref().filter(|start| start.done)?.revision.as_deref()?;
        let tree = format!("{revision}^{{tree}}");
        let reads = |git: &Repository| git.run(["cat-file", "-p", &tree]).is_ok();
        match &self.git {
            None => Some("the git repository with which the session began is gone"),
            Some(git) if !reads(git) => {
                Some("git cannot read the revision with which the session began")
            }
            Some(_) => None,
        }
    }

    /// The Lean files that were there when the session began and are not there now, but for those that
    /// git took away, by the revision that it moved to.
    pub(super) fn missing(&self) -> Vec<PathBuf> {
        let Some(start) = self.start.as_ref().filter(|start| start.done) else { return Vec::new() };
        let of_git = |git: &Repository, revision: &str| {
            let names =
                git.run(["ls-tree", "-r", "-z", "--name-only", revision]).unwrap_or_default();
            let names = String::from_utf8_lossy(&names).into_owned();
            let lean = names.split('\0').filter(|name| name.ends_with(".lean"));
            lean.map(|name| start.root.join(name)).collect::<Vec<_>>()
        };
        let mut paths = self.session.paths_at_start();
        if let Some((revision, git, _)) = self.revision() {
            paths.extend(of_git(git, revision));
        }
        paths.retain(|path| !path.exists());
        paths.sort();
        paths.dedup();
        if let Some(git) = self.git.as_ref().filter(|_| !paths.is_empty()) {
            for one in head_moves::since(&start.root, start.head_log) {
                let has = of_git(git, &one.revision);
                paths.retain(|path| has.contains(path));
            }
        }
        paths
    }

    /// The bases of files, by their real paths, in the same order.
    pub(super) fn bases(&self, paths: &[&Path]) -> Vec<Bases> {
        let mut all: Vec<Bases> = paths.iter().map(|path| self.copies(path)).collect();
        let Some((revision, git, start)) = self.revision() else {
            self.first_seen(paths, &mut all);
            return all;
        };
        let unknown: Vec<usize> = (0..paths.len())
            .filter(|index| {
                let path = paths[*index];
                let missing = all[*index].start.is_none() && path.starts_with(&start.root);
                missing && !start.left_out.iter().any(|left| left == path)
            })
            .collect();
        let asked: Vec<&Path> = unknown.iter().map(|index| paths[*index]).collect();
        if !asked.is_empty() {
            let blobs = git.show_all(revision, &asked).unwrap_or_else(|error| {
                self.session.complain(&error.to_string());
                Vec::new()
            });
            for (index, blob) in unknown.into_iter().zip(blobs) {
                all[index].start = blob.and_then(|blob| text_of(&blob)).map(|text| Base {
                    text,
                    source: Source::Revision(revision.to_owned()),
                    at: start.when / 1_000_000_000,
                });
            }
        }
        for (path, bases) in paths.iter().zip(&mut all).filter(|(_, bases)| bases.start.is_none()) {
            bases.start = linked(path, start);
        }
        self.first_seen(paths, &mut all);
        all
    }

    /// The revision at the start; nothing is known of it before the start was recorded to its end.
    fn revision(&self) -> Option<(&str, &Repository, &Start)> {
        let start = self.start.as_ref().filter(|start| start.done)?;
        Some((start.revision.as_deref()?, self.git.as_ref()?, start))
    }

    fn copies(&self, path: &Path) -> Bases {
        let mut start = [Kept::Moved, Kept::Start].into_iter();
        let start = start.find_map(|kept| self.copy(kept, path));
        Bases { start, last: self.copy(Kept::Last, path) }
    }

    fn first_seen(&self, paths: &[&Path], all: &mut [Bases]) {
        for (path, bases) in paths.iter().zip(all).filter(|(_, bases)| bases.start.is_none()) {
            bases.start = self.copy(Kept::First, path);
        }
    }

    fn copy(&self, kept: Kept, path: &Path) -> Option<Base> {
        let copy = self.session.copy(kept, path);
        let meta = fs::metadata(&copy).ok()?;
        let written = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        // What was copied at the start was so at the start, whenever the copy was made.
        let at = match (kept, &self.start) {
            (Kept::Start, Some(start)) => start.when / 1_000_000_000,
            _ => i64::try_from(written.as_secs()).ok()?,
        };
        Some(Base {
            text: text_of(&files::read(&copy, MOST_BYTES).ok()?)?,
            source: Source::Copy(copy),
            at,
        })
    }
}

/// What a file was in another work tree of the same repository, if that was made in the session: as
/// git brought it there.
fn linked(path: &Path, start: &Start) -> Option<Base> {
    if path.starts_with(&start.root) {
        return None;
    }
    let root = path.ancestors().skip(1).find(|folder| folder.join(".git").exists())?;
    if Project::common_folder(root)? != Project::common_folder(&start.root)? {
        return None;
    }
    let (at, revision) = head_moves::begun(root)?;
    if at.saturating_add(1) < start.when / 1_000_000_000 {
        return None;
    }
    let text = text_of(&Repository::at(root)?.show(&revision, path)?)?;
    Some(Base { text, source: Source::Revision(revision), at })
}
