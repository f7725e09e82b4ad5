//! Where git itself moved a work tree in a session: checkouts, pulls, resets, merges. Read from the
//! log of `HEAD`; commits are the session's own work and are no moves.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files;
use crate::project::Project;

/// Moves that are looked at; of more, the latest.
const MOST: usize = 20;

/// A move of `HEAD` by something else than a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Move {
    /// When, in seconds since 1970.
    pub(super) at: i64,
    /// The revision that the work tree was brought to.
    pub(super) revision: String,
}

/// Length of the log of `HEAD` in bytes; 0 where there is none.
pub(super) fn log_length(root: &Path) -> u64 {
    log_file(root).and_then(|path| fs::metadata(path).ok()).map_or(0, |meta| meta.len())
}

/// The moves since the log had this length, the oldest first.
pub(super) fn since(root: &Path, length: u64) -> Vec<Move> {
    let bytes = log_file(root).and_then(|path| files::read(&path, files::LONG).ok());
    let bytes = bytes.unwrap_or_default();
    // A log that was cut short is read whole: a move too many only keeps us silent.
    let start = usize::try_from(length).ok().filter(|start| *start <= bytes.len()).unwrap_or(0);
    let new = String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).into_owned();
    let mut moves: Vec<Move> = new.lines().filter_map(read).collect();
    moves.drain(..moves.len().saturating_sub(MOST));
    moves
}

/// When a work tree was made, in seconds since 1970, and the revision that git brought it to last.
pub(super) fn begun(root: &Path) -> Option<(i64, String)> {
    let log = files::text(&log_file(root)?, files::LONG).ok()?;
    let first = log.lines().next()?;
    let head = first.split('\t').next()?;
    let at = head.rsplit(' ').nth(1)?.parse().ok()?;
    let last = since(root, 0).pop().map(|one| one.revision);
    Some((at, last.or_else(|| head.split(' ').nth(1).map(str::to_owned))?))
}

/// `OLD NEW NAME <MAIL> SECONDS ZONE<TAB>MESSAGE`.
fn read(line: &str) -> Option<Move> {
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
    Some(Move { at, revision: new.to_owned() })
}

/// The log of `HEAD` of this work tree, which may be a linked one.
fn log_file(root: &Path) -> Option<PathBuf> {
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
        let found = since(dir.path(), before.len() as u64);
        let found: Vec<(i64, &str)> =
            found.iter().map(|one| (one.at, one.revision.as_str())).collect();
        assert_eq!(found, [(5, "1"), (6, "1"), (7, "4"), (8, "5")]);
        assert_eq!(log_length(dir.path()), fs::metadata(&path).unwrap().len());
        assert_eq!(since(dir.path(), log_length(dir.path())), []);
        assert_eq!(since(dir.path(), 1_000_000).len(), 5);
        assert_eq!((since(Path::new("/none"), 0), log_length(Path::new("/none"))), (Vec::new(), 0));
    }
}
