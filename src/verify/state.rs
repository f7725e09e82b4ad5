//! Whether what Lean said still holds: the files, the packages and the toolchain as they were then.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::lake::{Lake, named_by};
use crate::app::App;
use crate::app::lean_files;
use crate::store::{FILE_GONE, KernelFile, SeenFile};
use crate::text::hash;

/// Marks what no longer holds, and what holds again. Costs a look at each file that Lean was asked about, and reads those
/// that were written since. What fails is left for the next time.
pub(crate) fn refresh(app: &mut App) {
    let project = app.project_identity();
    let root = app.project.root.clone();
    // Opened as the command itself opens it.
    if !app.database.path().is_some_and(Path::exists) {
        return;
    }
    let Ok(store) = app.store() else { return };
    let Ok(known) = store.kernel_files(project.as_deref()) else { return };
    if known.is_empty() {
        return;
    }
    let mut looked = HashMap::new();
    // A project may hold several packages.
    let mut packages: HashMap<PathBuf, (Option<String>, String)> = HashMap::new();
    let mut changed: Vec<(&str, Option<String>)> = Vec::new();
    for one in &known {
        let stale = stale(&root, one, &mut looked).or_else(|| {
            let package = Lake::root(root.join(&one.seen.file).parent()?)?;
            let by = packages.entry(package).or_insert_with_key(|root| named_by(root));
            if by.0.as_ref().is_some_and(|now| *now != one.toolchain) {
                return Some("the toolchain changed".to_owned());
            }
            (by.1 != one.manifest).then(|| "the packages or the lakefile changed".to_owned())
        });
        if stale != one.stale {
            changed.push((&one.seen.file, stale));
        }
    }
    if changed.is_empty() {
        return;
    }
    let changed = changed.iter().map(|(file, why)| (*file, why.as_deref()));
    let changed: Vec<(&str, Option<&str>)> = changed.collect();
    app.write(|writer| writer.set_stale(project.as_deref(), &changed)).ok();
}

fn stale(
    root: &Path,
    one: &KernelFile,
    looked: &mut HashMap<String, Option<&'static str>>,
) -> Option<String> {
    for seen in [&one.seen].into_iter().chain(&one.imports) {
        let key = format!("{} {}", seen.file, seen.hash);
        let now = looked.entry(key).or_insert_with(|| now(root, seen));
        let is_own = seen.file == one.seen.file;
        match now {
            None => {}
            Some(GONE) if is_own => return Some(FILE_GONE.to_owned()),
            Some(now) if is_own => return Some(format!("its file {now}")),
            Some(now) => return Some(format!("{}, which it imports, {now}", seen.file)),
        }
    }
    None
}

const GONE: &str = "is gone";

/// Size and time of the last change. A program can set when a file was written, not when it changed.
pub(super) fn stamp(meta: &fs::Metadata) -> (u64, i64) {
    let (size, written) = crate::extract::stamp(meta);
    let changed = meta.ctime().saturating_mul(1_000_000_000).saturating_add(meta.ctime_nsec());
    (size, written.max(changed))
}

/// What became of a file since it was seen; `None` where it is the same.
fn now(root: &Path, seen: &SeenFile) -> Option<&'static str> {
    let path = root.join(&seen.file);
    let Ok(meta) = fs::metadata(&path) else { return Some(GONE) };
    if stamp(&meta) == (seen.size, seen.mtime_ns) {
        return None;
    }
    let is_same = |bytes: Vec<u8>| hash(&bytes, 16) == seen.hash;
    (!lean_files::bytes(&path).is_ok_and(is_same)).then_some("changed")
}
