//! The Lean project around the current folder: its root, its identity, whose work it is.
//!
//! Reads a few small files of git's; never starts git, so that hooks stay fast and no configuration of
//! a repository can run a command.

use std::fs;
use std::path::{Path, PathBuf};

mod git;
mod mark;
mod remote;
#[cfg(test)]
mod tests;

/// A project: a git work tree, a Lake package, or simply a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Where the look-up began: `CLAUDE_PROJECT_DIR`, else the current folder.
    pub start: PathBuf,
    pub root: PathBuf,
    /// Root of the main work tree: differs from `root` in a linked one.
    pub main_root: PathBuf,
    /// The folder that no clone can claim to be: the main root, or the shared git folder where that
    /// stands alone (a bare repository). What a person decided about a folder is kept under it.
    pub place: PathBuf,
    /// What stays the same across work trees and clones: the remote's name such as
    /// `github.com/user/repo`, else the place's path. Only a claim: whoever makes a folder writes its
    /// remote. It decides what is ranked first, never what is allowed.
    pub identity: String,
    pub remotes: Vec<String>,
    /// Whether it is set up for Lean (`lakefile.lean`, `lakefile.toml` or `lean-toolchain`).
    pub is_lean: bool,
}

impl Project {
    /// The branch that is checked out, without asking git; `None` where there is none.
    pub fn branch(&self) -> Option<String> {
        let head = git::small_text(&git::git_folder(&self.root)?.join("HEAD"))?;
        head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
    }

    /// Looks from `start` upwards for a git work tree, then for a Lake package.
    pub fn find(start: &Path) -> Self {
        let start = fs::canonicalize(start).unwrap_or_else(|_| start.to_owned());
        let git_root = start.ancestors().find(|folder| folder.join(".git").exists());
        let lake_root = start.ancestors().find(|folder| is_lake_root(folder));
        let root = git_root.or(lake_root).unwrap_or(&start).to_owned();
        let repository = git_root.and_then(git::Repository::at);
        let main_root =
            repository.as_ref().map_or_else(|| root.clone(), |git| git.main_root.clone());
        let place = repository.as_ref().map_or_else(|| root.clone(), |git| git.place.clone());
        let urls = repository.map(|git| git.urls).unwrap_or_default();
        let remotes: Vec<String> =
            urls.iter().filter_map(|url| remote::name(url, &main_root)).collect();
        let identity =
            remotes.first().cloned().unwrap_or_else(|| place.to_string_lossy().into_owned());
        Self {
            is_lean: lake_root.is_some() || is_lake_root(&root),
            start,
            root,
            main_root,
            place,
            identity,
            remotes,
        }
    }

    /// What tells the place's folder from others and stays when it is moved on its disk: `None` where
    /// the system has no such thing.
    pub fn mark(&self) -> Option<String> {
        mark::of(&self.place)
    }

    /// The name that the Lake package at the root gives itself.
    pub fn package(&self) -> Option<String> {
        mark::package(&self.root)
    }

    /// Whether the history is cut off, so that its first commit is not known.
    pub fn is_shallow(&self) -> bool {
        self.place.join(".git").join("shallow").exists() || self.place.join("shallow").exists()
    }

    /// The folder in which git keeps what is this work tree's own; `None` without git.
    pub fn git_folder(root: &Path) -> Option<PathBuf> {
        git::git_folder(root)
    }

    /// The folder of git that all work trees of a repository share.
    pub fn common_folder(root: &Path) -> Option<PathBuf> {
        git::common_folder(&git::git_folder(root)?)
    }

    /// The database that the project itself carries; it counts only when the person trusts it.
    pub fn own_database(&self) -> PathBuf {
        self.main_root.join(".math-forge").join("knowledge.db")
    }

    pub fn config_file(&self) -> PathBuf {
        self.main_root.join(".math-forge").join("config.toml")
    }

    /// `submissions/tracking.db` under the project, else in the nearest ancestor that has one.
    pub fn tracking_database(&self) -> Option<PathBuf> {
        self.start
            .ancestors()
            .map(|folder| folder.join("submissions").join("tracking.db"))
            .find(|path| path.is_file())
    }

    /// A path as it is stored: relative to the root with `/` where it lies inside, else absolute.
    pub fn stable_path(&self, path: &Path) -> String {
        let absolute = fs::canonicalize(path)
            // A file that does not exist yet lies where its folder does.
            .or_else(|error| match (path.parent(), path.file_name()) {
                (Some(folder), Some(name)) => Ok(fs::canonicalize(folder)?.join(name)),
                _ => Err(error),
            })
            .or_else(|_| std::path::absolute(path))
            .unwrap_or_else(|_| path.to_owned());
        let shown = absolute.strip_prefix(&self.root).unwrap_or(&absolute);
        shown.to_string_lossy().replace('\\', "/")
    }
}

fn is_lake_root(folder: &Path) -> bool {
    ["lakefile.toml", "lakefile.lean", "lean-toolchain"]
        .iter()
        .any(|name| folder.join(name).is_file())
}
