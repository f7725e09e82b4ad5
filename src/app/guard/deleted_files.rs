//! Files that a command takes away or empties, and files that it gives another name.
//!
//! Nobody is blocked for a file that is gone: its proofs may stand elsewhere. It is said, with the
//! command that brings it back.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::known;
use super::loss_message::{self, Place};
use super::past::{Base, Past};
use super::resolve::real;
use super::session::{Entry, Events, Kept, MOST_BYTES, text_of};
use super::walk::{self, Limits};
use crate::app::App;
use crate::files;
use crate::guard::{Baseline, Finding, Level, Reading, Rule, is_lean};
use crate::hook::Event;
use crate::lean;

/// Files that are looked at and told.
const MOST: usize = 16;

/// A file that is gone or empty, and what it was.
struct Gone {
    path: PathBuf,
    is_there: bool,
    proofs: usize,
    base: Base,
}

/// Lets what is known of a file follow it to its new name, so that what the same command writes there
/// is compared with it.
pub(super) fn follow(past: &Past, folders: &[PathBuf], reading: &Reading) {
    for (from, to) in reading.moves.iter().filter(|(from, _)| is_lean(Path::new(from))) {
        for folder in folders {
            let (from, mut to) = (real(&folder.join(from)), real(&folder.join(to)));
            if to.is_dir() {
                to.extend(from.file_name());
            }
            let [was, known] = past.bases(&[&from, &to]).try_into().unwrap_or_default();
            let is_new = known.start.is_none() && known.last.is_none();
            if let Some(base) = was.last.or(was.start)
                && is_new
                && !from.exists()
                && to.is_file()
            {
                past.session.keep(Kept::First, &to, base.text.as_bytes());
            }
        }
    }
}

/// What is said right after a command of the files that it names and that are gone or empty now.
pub(super) fn after(
    app: &mut App,
    event: &Event,
    past: &Past,
    (folders, reading): (&[PathBuf], &Reading),
) -> Option<String> {
    let names = reading.names.iter().take(MOST);
    let named: Vec<PathBuf> =
        names.flat_map(|name| folders.iter().map(move |f| real(&f.join(name)))).collect();
    let mut paths: Vec<PathBuf> = named.iter().filter(|path| is_bare(path)).cloned().collect();
    paths.sort();
    paths.dedup();
    let mut found = found(past, paths);
    // A copy or a new name of it is at hand.
    let texts: Vec<String> = named
        .iter()
        .filter(|_| !found.is_empty())
        .filter_map(|path| text_of(&files::read(path, MOST_BYTES).ok()?))
        .collect();
    let proofs: HashSet<String> = texts.iter().flat_map(|text| proved(text)).collect();
    let kept = |gone: &Gone| {
        let moved = |(from, to): &(String, String)| {
            folders.iter().any(|folder| {
                real(&folder.join(from)) == gone.path && {
                    let to = folder.join(to);
                    to.is_file()
                        || gone.path.file_name().is_some_and(|name| to.join(name).is_file())
                }
            })
        };
        let is_elsewhere = proved(&gone.base.text).all(|name| proofs.contains(&name));
        texts.contains(&gone.base.text)
            || (is_elsewhere && !proofs.is_empty())
            || reading.moves.iter().any(moved)
    };
    found.retain(|gone| !kept(gone));
    if found.is_empty() {
        return None;
    }
    let what = "the file is gone with the proofs that it had";
    let finding = Finding::of_file(Rule::ProofRemoved, Level::Warn, what);
    let row = |gone: &Gone| known::entry(&finding, &app.project.stable_path(&gone.path));
    let rows = found.iter().map(row).collect();
    known::log(app, event, rows, &[]);
    past.session.note(found.iter().map(|gone| Entry::Deleted(gone.path.clone())));
    Some(said(app, event, &found))
}

/// What is said when a turn ends of files that a command took away in it, and that are still gone.
pub(super) fn at_stop(app: &App, event: &Event, past: &Past, events: &Events) -> Option<String> {
    let mut paths: Vec<PathBuf> = events.deleted.iter().cloned().collect();
    paths.extend(past.missing().into_iter().filter(|path| !events.deleted.contains(path)));
    let mut paths = elsewhere(past, events, paths);
    paths.retain(|path| {
        (is_bare(path) || !path.exists())
            && known::first_time(app, &event.session, &format!("gone {}", path.display()))
    });
    let found = found(past, paths);
    (!found.is_empty()).then(|| said(app, event, &found))
}

/// Those of the missing files whose proofs are in no file that was written since.
fn elsewhere(past: &Past, events: &Events, mut missing: Vec<PathBuf>) -> Vec<PathBuf> {
    let Some(start) = past.start.as_ref().filter(|_| !missing.is_empty()) else { return missing };
    let since = events.windows.iter().map(|window| window.start).min().unwrap_or(start.when);
    let until = Instant::now() + Duration::from_millis(300);
    let limits = Limits { files: 30_000, entries: 100_000, until };
    let walked = walk::files(&start.root, limits, |stamp| stamp.changed >= since);
    let texts = walked.files.iter().take(500);
    let texts = texts.filter_map(|(path, _)| text_of(&files::read(path, MOST_BYTES).ok()?));
    let proved: HashSet<String> = texts.flat_map(|text| proved(&text)).collect();
    let bases = past.bases(&missing.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let mut bases = bases.into_iter();
    missing.retain(|_| {
        let base = bases.next().and_then(|bases| bases.last.or(bases.start));
        base.is_none_or(|base| self::proved(&base.text).any(|name| !proved.contains(&name)))
    });
    missing
}

/// The names of what a text proves.
fn proved(text: &str) -> impl Iterator<Item = String> + use<> {
    let declarations = lean::skim(text).declarations.into_iter();
    let complete = declarations.filter(|one| one.kind.is_proof() && one.is_complete());
    complete.filter_map(|one| one.name)
}

/// Those of the paths that had proofs.
fn found(past: &Past, mut paths: Vec<PathBuf>) -> Vec<Gone> {
    paths.truncate(MOST);
    let bases = past.bases(&paths.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let pairs = paths.into_iter().zip(bases).filter_map(|(path, bases)| {
        let is_there = path.exists();
        // The latest text may be the empty one.
        [bases.last, bases.start].into_iter().flatten().find_map(|base| {
            let proofs = Baseline::of(&base.text).len();
            (proofs > 0).then(|| Gone { path: path.clone(), is_there, proofs, base })
        })
    });
    pairs.collect()
}

/// Whether a path is a Lean file's and there is none, or one without a declaration.
fn is_bare(path: &Path) -> bool {
    if !is_lean(path) {
        return false;
    }
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() <= MOST_BYTES => {
            let text = files::read(path, MOST_BYTES).ok().and_then(|bytes| text_of(&bytes));
            text.is_some_and(|text| lean::outline(&text).declarations.is_empty())
        }
        Ok(_) => false,
        Err(_) => path.parent().is_some_and(Path::exists),
    }
}

fn said(app: &App, event: &Event, found: &[Gone]) -> String {
    let place = Place { root: &app.project.root, cwd: event.cwd.as_deref() };
    let mut text = String::from("math-forge:");
    for gone in found {
        let name = app.project.stable_path(&gone.path);
        let what = if gone.is_there { "has no declaration any more" } else { "is gone" };
        let proofs = match gone.proofs {
            1 => "a finished proof".to_owned(),
            count => format!("{count} finished proofs"),
        };
        let repair = loss_message::repair(&gone.path, &gone.base.source, place);
        write!(text, " `{name}` {what}; it had {proofs}. This brings it back:\n    {repair}\n")
            .ok();
    }
    text.push_str("If its proofs stand elsewhere now, or are not wanted, that is fine.");
    text
}
