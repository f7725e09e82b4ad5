//! When a file came to be what it is, where neither its text nor the tracking database says so: the last
//! commit that changed it, else its own time. A time that many files share is that of a clone, a copy or a
//! tidying up, and says nothing of when each of them happened: then the time is not known.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jiff::Timestamp;

use super::inputs::Input;
use super::read::stamp;
use crate::app::git::Repository;
use crate::store::time_text;

/// So many files that were written one right after another were copied.
const COPIED: usize = 10;
/// Nanoseconds between two files of a copy.
const AT_ONCE: i64 = 1_000_000_000;
/// A commit that changes more files is no work on each of them.
const TOGETHER: usize = 50;

pub(crate) struct Times<'a> {
    inputs: &'a [Input],
    known: OnceLock<HashMap<PathBuf, String>>,
}

impl<'a> Times<'a> {
    pub(crate) fn new(inputs: &'a [Input]) -> Self {
        Self { inputs, known: OnceLock::new() }
    }

    /// When this input (its real path) happened, `YYYY-MM-DD HH:MM:SS` in UTC.
    pub(crate) fn of(&self, path: &Path) -> Option<&str> {
        self.known.get_or_init(|| known(self.inputs)).get(path).map(String::as_str)
    }
}

fn known(inputs: &[Input]) -> HashMap<PathBuf, String> {
    let real = inputs.iter().filter_map(|input| fs::canonicalize(&input.path).ok());
    let paths: BTreeSet<PathBuf> = real.collect();
    let mut times = file_times(&paths);
    let first = paths.first().and_then(|path| path.parent());
    if let Some(git) = first.and_then(Repository::around) {
        times.extend(commits(&git, &paths));
    }
    times.into_iter().map(|(path, time)| (path, time_text(time))).collect()
}

fn file_times(paths: &BTreeSet<PathBuf>) -> HashMap<PathBuf, Timestamp> {
    let folders: BTreeSet<&Path> = paths.iter().filter_map(|path| path.parent()).collect();
    let entries = folders.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let mut files: Vec<(i64, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let meta = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((stamp(&meta).1, entry.path()))
        })
        .collect();
    files.sort();
    let at_once = files.chunk_by(|(one, _), (next, _)| next - one <= AT_ONCE);
    let own = at_once.filter(|files| files.len() < COPIED).flatten();
    own.filter_map(|(time, path)| {
        Some((path.clone(), Timestamp::from_nanosecond((*time).into()).ok()?))
    })
    .collect()
}

/// When the files of a repository were last changed by a commit, as far as they are as it left them.
fn commits(git: &Repository, paths: &BTreeSet<PathBuf>) -> HashMap<PathBuf, Timestamp> {
    let of_git = git.unchanged("HEAD", paths.iter().map(PathBuf::as_path)).unwrap_or_default();
    if of_git.is_empty() {
        return HashMap::new();
    }
    let log = git.run([
        "log",
        "--max-count=5000",
        "--no-merges",
        "--no-ext-diff",
        "--no-textconv",
        "--find-renames=100%",
        "--diff-filter=AMR",
        "--name-status",
        "-z",
        "--format=%x01%at %P",
    ]);
    // The first commits of a shallow clone stand for all that came before them.
    let is_shallow = git.state_file("shallow").is_ok_and(|file| file.exists());
    let mut found: HashMap<String, Timestamp> = HashMap::new();
    let mut later_names: HashMap<String, String> = HashMap::new();
    for commit in log.as_deref().map(read_log).unwrap_or_default() {
        let many = commit.files.iter().filter(|file| file.before.is_none()).count() > TOGETHER;
        let says_when = !(many || is_shallow && commit.is_first);
        for file in commit.files {
            let name = later_names.get(&file.name).cloned().unwrap_or(file.name);
            match (file.before, commit.at) {
                (Some(before), _) => drop(later_names.insert(before, name)),
                (None, Some(at)) if says_when => drop(found.entry(name).or_insert(at)),
                _ => {}
            }
        }
    }
    let found = found.into_iter().map(|(name, at)| (git.root().join(name), at));
    found.filter(|(path, _)| of_git.contains(path.as_path())).collect()
}

struct Commit {
    at: Option<Timestamp>,
    is_first: bool,
    files: Vec<Changed>,
}

struct Changed {
    name: String,
    /// What it was called before, where the commit only renamed it.
    before: Option<String>,
}

/// Reads what `git log -z --name-status` prints, the newest commit first.
fn read_log(bytes: &[u8]) -> Vec<Commit> {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('\0').map(|part| part.trim_start_matches('\n'));
    let mut commits: Vec<Commit> = Vec::new();
    while let Some(part) = parts.next() {
        if let Some(head) = part.strip_prefix('\u{1}') {
            let (at, parents) = head.split_once(' ').unwrap_or((head, ""));
            let at = at.parse().ok().and_then(|second| Timestamp::from_second(second).ok());
            let is_first = parents.trim().is_empty();
            commits.push(Commit { at, is_first, files: Vec::new() });
            continue;
        }
        let Some(commit) = commits.last_mut().filter(|_| !part.is_empty()) else { continue };
        let before = part.starts_with('R').then(|| parts.next()).flatten().map(str::to_owned);
        if let Some(name) = parts.next() {
            commit.files.push(Changed { name: name.to_owned(), before });
        }
    }
    commits
}
