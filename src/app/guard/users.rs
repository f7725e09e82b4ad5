//! Who speaks of a definition in the other files of a project. Nothing is kept of it: definitions seldom change, and the
//! look is short.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use super::resolve::real;
use super::texts::{LARGEST, on_disk};
use super::written::{Limits, walk};
use crate::lean::{last_part, proved_about, skim};

/// What is not found within these limits is not told.
const WALK: Limits = Limits { files: 2_000, entries: 10_000, time: Duration::from_millis(40) };
const LIMIT: Duration = Duration::from_millis(120);

/// Whether a file of the project declares something with one of these names, or not all could be looked at.
pub(super) fn declares(root: &Path, names: &[&str]) -> bool {
    let (until, root) = (Instant::now() + LIMIT, &real(root));
    let walked = walk(root, WALK, |stamp| stamp.size <= LARGEST);
    let is_it = |name: &str| names.contains(&last_part(name));
    walked.cut.is_some()
        || walked.files.iter().any(|(path, _)| {
            let text = on_disk(path).unwrap_or_default();
            let may_be = names.iter().any(|name| text.contains(name));
            let all = if may_be { skim(&text).declarations } else { Vec::new() };
            Instant::now() >= until || all.iter().any(|one| one.name.as_deref().is_some_and(is_it))
        })
}

/// For each name that a file defines a theorem proved in another file that speaks of it, in words.
pub(super) fn users(root: &Path, own: &Path, names: &[String]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if names.is_empty() {
        return found;
    }
    let (until, own, root) = (Instant::now() + LIMIT, real(own), &real(root));
    if !own.starts_with(root) {
        return found;
    }
    let is_other = |path: &Path| path.file_name() != own.file_name() || real(path) != own;
    let files = walk(root, WALK, |stamp| stamp.size <= LARGEST).files;
    for (path, _) in files.iter().filter(|(path, _)| is_other(path)) {
        if found.len() == names.len() || Instant::now() >= until {
            break;
        }
        let text = on_disk(path).unwrap_or_default();
        for name in names.iter().filter(|name| text.contains(last_part(name))) {
            if !found.contains_key(name)
                && let Some(user) = proved_about(&text, name)
            {
                let file = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
                found.insert(name.clone(), format!("`{user}` in `{file}`"));
            }
        }
    }
    found
}
