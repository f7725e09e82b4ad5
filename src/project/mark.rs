//! By what a folder without git is known again.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::files;

/// The number of the folder on its disk with the time when it was made. Moving and renaming leave both;
/// a copy has others, and a number that is used again has another time.
#[cfg(unix)]
pub(super) fn of(folder: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let meta = fs::metadata(folder).ok()?;
    let born = meta.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    // Some file systems say 1970.
    (born.as_secs() > 0).then(|| format!("{}.{}", meta.ino(), born.as_nanos()))
}

/// Other systems do not say.
#[cfg(not(unix))]
pub(super) fn of(_: &Path) -> Option<String> {
    None
}

/// The name in `lakefile.toml`, or of `package NAME` in `lakefile.lean`.
pub(super) fn package(root: &Path) -> Option<String> {
    let read = |name: &str| files::read(&root.join(name), files::SMALL).ok();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    if let Some(toml) = read("lakefile.toml").map(text) {
        let head = toml.lines().map(str::trim).take_while(|line| !line.starts_with('['));
        let mut values = head.filter_map(|line| line.split_once('='));
        let (_, value) = values.find(|(key, _)| key.trim() == "name")?;
        return Some(value.trim().trim_matches(['"', '\'']).to_owned()).filter(|n| !n.is_empty());
    }
    let lean = read("lakefile.lean").map(text)?;
    let mut names = lean.lines().filter_map(|line| line.trim().strip_prefix("package "));
    let name = names.next()?.split_whitespace().next()?;
    Some(name.trim_matches(['«', '»', '"']).to_owned()).filter(|name| !name.is_empty())
}
