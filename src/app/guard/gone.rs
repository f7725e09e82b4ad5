//! Files that a command takes away or empties, and files that it gives another name.
//!
//! Nobody is blocked for a file that is gone: its proofs may stand elsewhere. It is said, with the
//! command that brings it back.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::account::{self, Place};
use super::base::{Base, Past};
use super::known;
use super::lost::Lost;
use super::session::{Kept, MOST_BYTES, Session, Start, real, text_of};
use crate::app::App;
use crate::app::git::Repository;
use crate::files;
use crate::guard::{Baseline, Reading, is_lean};
use crate::hook::Event;
use crate::lean;
use crate::model::GuardEntry;

/// Files that are looked at and told.
const MOST: usize = 16;

/// The list of such files in the session's folder.
const LIST: &str = "gone";

/// A file that is gone or empty, and what it was.
struct Gone {
    path: PathBuf,
    is_there: bool,
    proofs: usize,
    base: Base,
}

/// Lets what is known of a file follow it to its new name, so that what the same command writes there
/// is compared with it.
pub(super) fn follow(
    session: &Session,
    start: Option<&Start>,
    folders: &[PathBuf],
    reading: &Reading,
) {
    if reading.moves.is_empty() {
        return;
    }
    let git = start.and_then(|start| Repository::at(&start.root));
    let past = Past { session, start, git: git.as_ref() };
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
                session.keep(Kept::First, &to, base.text.as_bytes());
            }
        }
    }
}

/// What is said right after a command of the files that it names and that are gone or empty now.
pub(super) fn after(
    app: &mut App,
    event: &Event,
    session: &Session,
    (folders, reading): (&[PathBuf], &Reading),
) -> Option<String> {
    let names = reading.names.iter().take(MOST);
    let named: Vec<PathBuf> =
        names.flat_map(|name| folders.iter().map(move |f| real(&f.join(name)))).collect();
    let mut paths: Vec<PathBuf> = named.iter().filter(|path| is_bare(path)).cloned().collect();
    paths.sort();
    paths.dedup();
    let mut found = found(session, paths);
    // A copy or a new name of it is at hand.
    let texts: Vec<String> = named
        .iter()
        .filter(|_| !found.is_empty())
        .filter_map(|path| text_of(&files::read(path, MOST_BYTES).ok()?))
        .collect();
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
        texts.contains(&gone.base.text) || reading.moves.iter().any(moved)
    };
    found.retain(|gone| !kept(gone));
    if found.is_empty() {
        return None;
    }
    let rows = found.iter().map(|gone| row(app, gone)).collect();
    known::log(app, event, rows, &[]);
    session.note(LIST, found.iter().map(|gone| gone.path.to_string_lossy().into_owned()));
    Some(said(app, event, &found))
}

/// What is said when a turn ends of files that a command took away in it, and that are still gone.
pub(super) fn at_stop(app: &App, event: &Event, session: &Session) -> Option<String> {
    let mut paths: Vec<PathBuf> = session.noted(LIST).into_iter().map(PathBuf::from).collect();
    paths.retain(|path| is_bare(path));
    paths.sort();
    paths.dedup();
    paths
        .retain(|path| known::first_time(app, &event.session, &format!("gone {}", path.display())));
    let found = found(session, paths);
    (!found.is_empty()).then(|| said(app, event, &found))
}

/// Those of the paths that had proofs.
fn found(session: &Session, mut paths: Vec<PathBuf>) -> Vec<Gone> {
    paths.truncate(MOST);
    if paths.is_empty() {
        return Vec::new();
    }
    let start = session.start();
    let git = start.as_ref().and_then(|start| Repository::at(&start.root));
    let past = Past { session, start: start.as_ref(), git: git.as_ref() };
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

fn row(app: &App, gone: &Gone) -> GuardEntry {
    GuardEntry {
        file: Some(app.project.stable_path(&gone.path)),
        rule: "proof-removed".to_owned(),
        level: "warn".to_owned(),
        detail: "the file is gone with the proofs that it had".to_owned(),
        ..GuardEntry::default()
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
        let lost = Lost {
            path: gone.path.clone(),
            name: name.clone(),
            program: String::new(),
            findings: Vec::new(),
            base: gone.base.clone(),
        };
        let repair = account::repair(&lost, place);
        write!(text, " `{name}` {what}; it had {proofs}. This brings it back:\n    {repair}\n")
            .ok();
    }
    text.push_str("If its proofs stand elsewhere now, or are not wanted, that is fine.");
    text
}
