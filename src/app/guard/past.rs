//! What a file that a command wrote is compared with: its text when the session began, and its text
//! after the session's latest known write. And where git itself moved the work tree meanwhile.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::UNIX_EPOCH;

use super::project_files::{self, LARGEST, decoded, real};
use super::session::{Kept, Session, Start};
use crate::app::git::Repository;
use crate::files;
use crate::guard::{Elsewhere, OtherFile, is_lean};
use crate::project::Project;

/// Other files that are read for one change.
const MOST_OTHERS: usize = 20;

#[derive(Debug, Clone)]
pub(super) struct Base {
    pub(super) text: String,
    pub(super) source: Source,
    /// When the file had it, in seconds since 1970.
    pub(super) at: i64,
}

#[derive(Debug, Clone)]
pub(super) enum Source {
    Copy(PathBuf),
    Revision(String),
}

#[derive(Debug, Default)]
pub(super) struct Bases {
    /// When the session began, or when git left it, or when it was first seen.
    pub(super) start: Option<Base>,
    /// After the session's latest known write.
    pub(super) last: Option<Base>,
}

pub(super) struct Past {
    pub(super) session: Session,
    /// Read where it is asked for: most edits need neither.
    start: OnceLock<Option<Start>>,
    git: OnceLock<Option<Repository>>,
    /// Why git did not answer, where it knew the files when the session began.
    blind: OnceLock<String>,
    /// The other files that were read, each once.
    others: Mutex<HashMap<PathBuf, Arc<OtherFile>>>,
}

impl Past {
    pub(super) fn of(session: Session) -> Self {
        let (start, git, blind, others) = Default::default();
        Self { session, start, git, blind, others }
    }

    /// How the session began; `None` where that was never recorded.
    pub(super) fn start(&self) -> Option<&Start> {
        self.start.get_or_init(|| self.session.start()).as_ref()
    }

    pub(super) fn git(&self) -> Option<&Repository> {
        let found = self.git.get_or_init(|| {
            let start = self.start()?;
            let git = Repository::at(&start.root);
            if git.is_none() && start.revision.is_some() {
                self.blind.set("the folder `.git` is gone".to_owned()).ok();
            }
            git
        });
        found.as_ref()
    }

    fn answered<T: Default>(&self, answer: anyhow::Result<T>) -> T {
        answer.unwrap_or_else(|error| {
            self.could_not(error.to_string());
            T::default()
        })
    }

    fn could_not(&self, why: String) {
        self.session.complain(&why);
        self.blind.set(why).ok();
    }

    /// The files that commits of this session changed, as far as `HEAD` was moved to them by something
    /// else than the commit itself (a checkout, a reset, a merge): that git brought them is no excuse.
    pub(super) fn own_commits(&self) -> HashSet<PathBuf> {
        let (Some(start), Some(git)) = (self.start(), self.git()) else { return HashSet::new() };
        let moves = moves_since(&start.root, start.head_log);
        if start.tips.is_empty() || moves.is_empty() {
            return HashSet::new();
        }
        let mails: HashSet<&str> = moves.iter().map(|one| one.mail.as_str()).collect();
        let to: Vec<&str> = moves.iter().map(|one| one.revision.as_str()).collect();
        let own = git.committed_by(&mails, start.when / 1_000_000_000, (&start.tips, &to));
        self.answered(own).into_iter().map(|path| real(&path)).collect()
    }

    /// Why something could not be compared with what git had when the session began, if so.
    pub(super) fn blind(&self) -> Option<&str> {
        self.git();
        self.blind.get().map(String::as_str)
    }

    /// The Lean files that were there when the session began; and those of them that are gone, or links
    /// now, but for what git took away, by the revision that it moved to.
    pub(super) fn missing(&self) -> (HashSet<PathBuf>, Vec<PathBuf>) {
        let Some(start) = self.start().filter(|start| start.done) else {
            return Default::default();
        };
        let of_git = |git: &Repository, revision: &str| {
            let tree = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", revision];
            let files = self.answered(git.list(tree));
            files.into_iter().filter(|path| is_lean(path)).collect::<HashSet<PathBuf>>()
        };
        let known: HashSet<PathBuf> = self.session.paths_at_start().into_iter().collect();
        let gone = known.iter().filter(|path| !path.exists() || path.is_symlink());
        let mut gone: Vec<PathBuf> = gone.cloned().collect();
        gone.sort();
        if let Some(git) = self.git().filter(|_| !gone.is_empty()) {
            let moves = moves_since(&start.root, start.head_log);
            let own = self.own_commits();
            for one in moves {
                let has = of_git(git, &one.revision);
                gone.retain(|path| has.contains(path) || own.contains(path));
            }
        }
        (known, gone)
    }

    /// The bases of files, by their real paths, in the same order.
    pub(super) fn bases(&self, paths: &[&Path]) -> Vec<Bases> {
        let copies = |path: &&Path| Bases {
            start: self.copy(Kept::Start, path),
            last: self.copy(Kept::Last, path),
        };
        let mut all: Vec<Bases> = paths.iter().map(copies).collect();
        // Before the start was recorded to its end, it is not known what git does not have.
        if let (Some(start), Some(git)) = (self.start().filter(|one| one.done), self.git())
            && let Some(revision) = &start.revision
        {
            let unknown = paths.iter().copied().zip(&mut all);
            let unknown = unknown.filter(|(_, bases)| bases.start.is_none());
            let (gits, others): (Vec<_>, Vec<_>) = unknown.partition(|(path, _)| {
                path.starts_with(&start.root) && !start.left_out.iter().any(|left| left == path)
            });
            let asked: Vec<&Path> = gits.iter().map(|(path, _)| *path).collect();
            let blobs =
                if asked.is_empty() { Ok(Vec::new()) } else { git.show_all(revision, &asked) };
            let blobs = self.answered(blobs);
            let knows_none = !asked.is_empty() && blobs.iter().all(Option::is_none);
            // New files, or a repository that has lost its objects.
            let tree = format!("{revision}^{{tree}}");
            if knows_none && git.run(["cat-file", "-p", &tree]).is_err() {
                self.could_not(format!("git cannot read the revision {revision}"));
            }
            for ((_, bases), blob) in gits.into_iter().zip(blobs) {
                let text = blob.and_then(|blob| decoded(&blob).ok());
                let source = Source::Revision(revision.clone());
                let at = start.when / 1_000_000_000;
                bases.start = text.map(|text| Base { text, source, at });
            }
            for (path, bases) in others {
                bases.start = linked(path, start);
            }
        }
        for (path, bases) in paths.iter().zip(&mut all).filter(|(_, bases)| bases.start.is_none()) {
            bases.start = self.copy(Kept::First, path);
        }
        all
    }

    /// A file's text when the session began, or else when it was first seen. `None` where no copy was needed: then it is
    /// what the first edit finds. Git is asked only of what a command wrote: an edit has no time for it.
    pub(super) fn first_text(&self, path: &Path) -> Option<String> {
        let copy =
            [Kept::Start, Kept::First].into_iter().find_map(|kept| self.session.text(kept, path));
        let is_written = || self.session.copy(Kept::Last, path).exists();
        copy.or_else(|| {
            let base = is_written().then(|| self.bases(&[&real(path)]).pop()?.start).flatten();
            base.map(|base| base.text)
        })
    }

    /// Whether it is certain that a file, of which nothing is known of the session's start, was not there then.
    pub(super) fn came_later(&self, path: &Path) -> bool {
        let Some(start) = self.start().filter(|one| one.done && one.cut.is_none()) else {
            return false;
        };
        let Ok(inside) = path.strip_prefix(&start.root) else { return false };
        let is_hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
        let mut folders = path.ancestors().skip(1).take_while(|folder| *folder != start.root);
        !start.left_out.iter().any(|left| left == path)
            && !inside.iter().any(|name| is_hidden(name) || name == "lake-packages")
            && !folders.any(|folder| folder.join(".git").exists())
            // What git ignores was not copied.
            && self.git().is_none_or(|git| start.revision.is_none() || git.sees(path))
    }

    /// The other files with which names have to do, as they were when the session began and as they are.
    pub(super) fn elsewhere(&self, path: &Path, names: &BTreeSet<&str>) -> Elsewhere {
        let others: Vec<PathBuf> =
            self.session.carried(path, names).into_iter().take(MOST_OTHERS).collect();
        if others.is_empty() {
            return Elsewhere::default();
        }
        // A rename in a hundred files has to do with the same one in each.
        let mut known = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<&Path> =
            others.iter().map(PathBuf::as_path).filter(|path| !known.contains_key(*path)).collect();
        if !new.is_empty() {
            let bases = self.bases(&new);
            let read = new.into_iter().zip(bases).map(|(path, bases)| (path.to_owned(), bases));
            known.extend(read.map(|(path, bases)| {
                let other = Arc::new(self.other(&path, bases));
                (path, other)
            }));
        }
        Elsewhere::of(others.iter().filter_map(|path| known.get(path).cloned()).collect())
    }

    fn other(&self, path: &Path, bases: Bases) -> OtherFile {
        let root = self.start().filter(|start| start.done).map(|start| &start.root);
        let inside = root.and_then(|root| path.strip_prefix(root).ok());
        // Of what came into the project later a command may have written the first text that was seen.
        let is_later = |base: &Base| match &base.source {
            Source::Copy(copy) => inside.is_some() && *copy == self.session.copy(Kept::First, path),
            Source::Revision(_) => false,
        };
        let first = bases.start.filter(|base| !is_later(base)).map(|base| base.text);
        let name = inside.unwrap_or(path).to_string_lossy().into_owned();
        let now = project_files::on_disk(path).unwrap_or_default();
        OtherFile::read(name, first.unwrap_or_default(), now)
    }

    fn copy(&self, kept: Kept, path: &Path) -> Option<Base> {
        let copy = self.session.copy(kept, path);
        let meta = fs::metadata(&copy).ok()?;
        let written = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let at = i64::try_from(written.as_secs()).ok()?;
        let text = decoded(&files::read(&copy, LARGEST).ok()?).ok()?;
        Some(Base { text, source: Source::Copy(copy), at })
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
    let log = files::text(&head_log(root)?, files::LONG).ok()?;
    let first = log.lines().next()?.split('\t').next()?;
    let at: i64 = first.rsplit(' ').nth(1)?.parse().ok()?;
    if at.saturating_add(1) < start.when / 1_000_000_000 {
        return None;
    }
    let last = moves_since(root, 0).pop().map(|one| one.revision);
    let revision = last.or_else(|| first.split(' ').nth(1).map(str::to_owned))?;
    let text = decoded(&Repository::at(root)?.show(&revision, path)?).ok()?;
    Some(Base { text, source: Source::Revision(revision), at })
}

/// Moves that are looked at; of more, the latest.
const MOST_MOVES: usize = 20;

pub(super) fn head_log_length(root: &Path) -> u64 {
    head_log(root).and_then(|path| fs::metadata(path).ok()).map_or(0, |meta| meta.len())
}

/// A move of `HEAD` by something else than a commit: a checkout, a pull, a reset, a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Move {
    /// In seconds since 1970.
    pub(super) at: i64,
    /// What the work tree was brought to.
    pub(super) revision: String,
    pub(super) mail: String,
}

/// The moves since the log of `HEAD` had this length, the oldest first.
pub(super) fn moves_since(root: &Path, length: u64) -> Vec<Move> {
    let bytes = head_log(root).and_then(|path| files::read(&path, files::LONG).ok());
    let bytes = bytes.unwrap_or_default();
    // A log that was cut short is read whole: a move too many only keeps us silent.
    let start = usize::try_from(length).ok().filter(|start| *start <= bytes.len()).unwrap_or(0);
    let new = String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).into_owned();
    let mut moves: Vec<_> = new.lines().filter_map(read_move).collect();
    moves.drain(..moves.len().saturating_sub(MOST_MOVES));
    moves
}

/// `OLD NEW NAME <MAIL> SECONDS ZONE<TAB>MESSAGE`.
fn read_move(line: &str) -> Option<Move> {
    let (head, message) = line.split_once('\t')?;
    let mut ids = head.split(' ');
    let (old, new) = (ids.next()?, ids.next()?);
    let own = message.starts_with("commit") && !message.starts_with("commit (merge)");
    // A branch was made or changed, and no file.
    let same = old == new && (message.starts_with("checkout") || message.starts_with("Branch"));
    if own || same {
        return None;
    }
    let at = head.rsplit(' ').nth(1)?.parse().ok()?;
    let (_, mail) = head.rsplit_once('<')?;
    let mail = mail.split('>').next()?.to_owned();
    Some(Move { at, revision: new.to_owned(), mail })
}

/// The log of `HEAD` of this work tree, which may be a linked one.
fn head_log(root: &Path) -> Option<PathBuf> {
    Some(Project::git_folder(root)?.join("logs").join("HEAD"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_and_new_branches_are_no_moves() {
        let dir = tempfile::tempdir().unwrap();
        let logs = dir.path().join(".git/logs");
        fs::create_dir_all(&logs).unwrap();
        let line = |old: &str, new: &str, at: i64, message: &str| {
            format!("{old} {new} A B <a b@c> {at} +0100\t{message}\n")
        };
        let before = line("0", "1", 1, "pull: Fast-forward");
        let log = [
            line("1", "2", 2, "commit: pull: Fast-forward"),
            line("2", "2", 3, "checkout: moving from main to x"),
            line("2", "3", 4, "commit (amend): y"),
            line("3", "1", 5, "checkout: moving from x to main"),
            line("1", "1", 6, "reset: moving to HEAD"),
            line("1", "4", 7, "commit (merge): Merge branch"),
            "nonsense\n\n\t\n".to_owned(),
            line("4", "5", 8, "pull: Fast-forward"),
        ];
        let path = logs.join("HEAD");
        fs::write(&path, format!("{before}{}", log.concat())).unwrap();
        let found = moves_since(dir.path(), before.len() as u64);
        let found: Vec<(i64, &str)> =
            found.iter().map(|one| (one.at, one.revision.as_str())).collect();
        assert_eq!(found, [(5, "1"), (6, "1"), (7, "4"), (8, "5")]);
        assert_eq!(head_log_length(dir.path()), fs::metadata(&path).unwrap().len());
        assert_eq!(moves_since(dir.path(), head_log_length(dir.path())), []);
        assert_eq!(moves_since(dir.path(), 1_000_000).len(), 5);
        assert_eq!(
            (moves_since(Path::new("/none"), 0), head_log_length(Path::new("/none"))),
            (Vec::new(), 0)
        );
    }
}
