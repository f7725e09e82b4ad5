//! The Lean project around the current folder: its root, its identity, whose work it is.
//!
//! Reads a few small files of git's; never starts git, so that hooks stay fast and no configuration of
//! a repository can run a command.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

mod remote;
#[cfg(test)]
mod tests;

use crate::files;

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
        let head = small_text(&Self::git_folder(&self.root)?.join("HEAD"))?;
        head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
    }

    /// Looks from `start` upwards for a git work tree, then for a Lake package.
    pub fn find(start: &Path) -> Self {
        let start = fs::canonicalize(start).unwrap_or_else(|_| start.to_owned());
        let git_root = start.ancestors().find(|folder| folder.join(".git").exists());
        let lake_root = start.ancestors().find(|folder| is_lake_root(folder));
        let root = git_root.or(lake_root).unwrap_or(&start).to_owned();
        let repository = git_root.and_then(Repository::at);
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

    /// The number of the place's folder on its disk with the time when it was made. Moving and renaming
    /// leave both; a copy has others, and a number that is used again has another time. `None` where the
    /// system has no such thing.
    pub fn mark(&self) -> Option<String> {
        let meta = fs::metadata(&self.place).ok()?;
        let born = meta.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
        // Some file systems say 1970.
        (born.as_secs() > 0).then(|| format!("{}.{}", meta.ino(), born.as_nanos()))
    }

    /// The name in `lakefile.toml`, or of `package NAME` in `lakefile.lean`.
    pub fn package(&self) -> Option<String> {
        if let Some(toml) = small_text(&self.root.join("lakefile.toml")) {
            let head = toml.lines().map(str::trim).take_while(|line| !line.starts_with('['));
            let mut values = head.filter_map(|line| line.split_once('='));
            let (_, value) = values.find(|(key, _)| key.trim() == "name")?;
            let name = value.trim().trim_matches(['"', '\'']);
            return Some(name.to_owned()).filter(|name| !name.is_empty());
        }
        let lean = small_text(&self.root.join("lakefile.lean"))?;
        let mut names = lean.lines().filter_map(|line| line.trim().strip_prefix("package "));
        let name = names.next()?.split_whitespace().next()?;
        Some(name.trim_matches(['«', '»', '"']).to_owned()).filter(|name| !name.is_empty())
    }

    /// Whether the history is cut off, so that its first commit is not known.
    pub fn is_shallow(&self) -> bool {
        self.place.join(".git").join("shallow").exists() || self.place.join("shallow").exists()
    }

    /// The folder in which git keeps what is this work tree's own; `None` without git.
    pub fn git_folder(root: &Path) -> Option<PathBuf> {
        let dot_git = root.join(".git");
        if dot_git.is_dir() {
            return Some(dot_git);
        }
        Some(root.join(small_text(&dot_git)?.strip_prefix("gitdir:")?.trim()))
    }

    /// The folder of git that all work trees of a repository share.
    pub fn common_folder(root: &Path) -> Option<PathBuf> {
        common_folder(&Self::git_folder(root)?)
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

/// A repository as a few small files of git's show it to a work tree.
#[derive(Debug)]
struct Repository {
    /// Root of the main work tree; of this one where there is no main one.
    main_root: PathBuf,
    /// See [`Project::place`].
    place: PathBuf,
    /// Addresses of its remotes: that of `origin`, else of the one that was added first, before the
    /// others.
    urls: Vec<String>,
}

impl Repository {
    fn at(root: &Path) -> Option<Self> {
        let dot_git = root.join(".git");
        if dot_git.is_dir() {
            let urls = urls(&dot_git);
            return Some(Self { main_root: root.to_owned(), place: root.to_owned(), urls });
        }
        let git_dir = Project::git_folder(root)?;
        let common = common_folder(&git_dir)?;
        let urls = urls(&common);
        // Anybody can write a `.git` file that points into somebody else's repository. A linked work
        // tree is one because the repository names it too.
        let is_linked = git_dir.join("commondir").is_file() && points_back(&git_dir, &dot_git);
        if !is_linked {
            return Some(Self { main_root: root.to_owned(), place: root.to_owned(), urls });
        }
        let stands_in = common.file_name().is_some_and(|name| name == ".git");
        let main = common.parent().filter(|_| stands_in).map(Path::to_owned);
        Some(Self {
            main_root: main.clone().unwrap_or_else(|| root.to_owned()),
            place: main.unwrap_or(common),
            urls,
        })
    }
}

fn points_back(git_dir: &Path, dot_git: &Path) -> bool {
    let Some(back) = small_text(&git_dir.join("gitdir")) else { return false };
    let back = fs::canonicalize(git_dir.join(back.trim()));
    back.is_ok_and(|back| fs::canonicalize(dot_git).is_ok_and(|here| here == back))
}

/// The folder that all work trees of a repository share.
fn common_folder(git_folder: &Path) -> Option<PathBuf> {
    let shared = small_text(&git_folder.join("commondir"));
    let shared = shared.map_or_else(|| git_folder.to_owned(), |to| git_folder.join(to.trim()));
    fs::canonicalize(shared).ok()
}

fn small_text(path: &Path) -> Option<String> {
    let bytes = files::read(path, files::SMALL).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn urls(common: &Path) -> Vec<String> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut current: Option<String> = None;
    for line in small_text(&common.join("config")).unwrap_or_default().lines().map(str::trim) {
        if line.starts_with('[') {
            current = section(line);
        } else if let Some(name) = &current
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
            && !found.iter().any(|(known, _)| known == name)
        {
            found.push((name.clone(), value.trim().trim_matches('"').to_owned()));
        }
    }
    found.sort_by_key(|(name, _)| name != "origin");
    found.into_iter().map(|(_, url)| url).filter(|url| !url.is_empty()).collect()
}

/// `name` of `[remote "name"]`.
fn section(line: &str) -> Option<String> {
    let inner = line.strip_prefix('[')?.split(']').next()?.trim();
    let rest = inner.get(6..).filter(|_| inner[..6].eq_ignore_ascii_case("remote"))?;
    Some(rest.trim().strip_prefix('"')?.strip_suffix('"')?.to_owned())
}
