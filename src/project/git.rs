//! What a few small files of git's say of a repository. Git itself is not started.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files;

#[derive(Debug)]
pub(super) struct Repository {
    /// Root of the main work tree; of this one where there is no main one.
    pub(super) main_root: PathBuf,
    /// See [`super::Project::place`].
    pub(super) place: PathBuf,
    /// Addresses of its remotes: that of `origin`, else of the one that was added first, before the
    /// others.
    pub(super) urls: Vec<String>,
}

impl Repository {
    pub(super) fn at(root: &Path) -> Option<Self> {
        let dot_git = root.join(".git");
        if dot_git.is_dir() {
            let urls = urls(&dot_git);
            return Some(Self { main_root: root.to_owned(), place: root.to_owned(), urls });
        }
        let git_dir = git_folder(root)?;
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

/// The folder in which git keeps what is this work tree's own.
pub(super) fn git_folder(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    Some(root.join(small_text(&dot_git)?.strip_prefix("gitdir:")?.trim()))
}

/// The folder that all work trees of a repository share.
pub(super) fn common_folder(git_folder: &Path) -> Option<PathBuf> {
    let shared = small_text(&git_folder.join("commondir"));
    let shared = shared.map_or_else(|| git_folder.to_owned(), |to| git_folder.join(to.trim()));
    fs::canonicalize(shared).ok()
}

pub(super) fn small_text(path: &Path) -> Option<String> {
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
