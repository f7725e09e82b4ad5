//! The same error, build after build: said once, with what was tried already.

use std::fmt::Write as _;
use std::path::Path;

use crate::app::App;
use crate::files;
use crate::lean;
use crate::learn::lessons::Seen;
use crate::store::{Injection, Shown};
use crate::text::{clean, clip};

/// Builds after which an error counts as one that does not go away.
pub(super) const BUILDS: u64 = 3;

/// Kind, in the ledger, of what is said about such an error.
pub(super) const SAID: &str = "stagnation";

/// What was tried that is named, and its width in columns.
const MOST_TRIED: usize = 3;
const WIDTH: usize = 60;

/// Longer files are not read for the name of a theorem.
const LONGEST_FILE: u64 = 2 * 1024 * 1024;

/// An error that does not go away.
pub(super) struct Stuck<'a> {
    pub(super) error: &'a Seen,
    /// Its file as it is stored; empty where the message names none.
    pub(super) target: &'a str,
    /// Its file, where that is known.
    pub(super) path: Option<&'a Path>,
    pub(super) builds: u64,
    /// Nothing of this kind was said in this session.
    pub(super) is_first: bool,
}

/// Whether it is time to say so: often enough in builds, and not said before about this error.
pub(super) fn is_stuck(signature: &str, builds: u64, said: &[Injection]) -> bool {
    builds >= BUILDS && !said.iter().any(|row| row.kind == SAID && row.why == signature)
}

/// One line about an error that does not go away.
pub(super) fn line(app: &mut App, stuck: &Stuck<'_>, shown: &[Shown]) -> anyhow::Result<String> {
    let theorem = stuck.path.and_then(|path| theorem_at(path, stuck.error.line?));
    let signature = stuck.error.signature.to_string();
    let mut tried: Vec<String> = Vec::new();
    if let Some(store) = app.existing_store()? {
        let known = store.tried(theorem.as_deref(), stuck.target, MOST_TRIED)?;
        tried.extend(known.iter().map(|title| clip(&clean(title), WIDTH)));
    }
    let lessons: Vec<String> = shown
        .iter()
        .filter(|one| one.signature == signature)
        .map(|one| format!("#{}", one.lesson))
        .collect();
    if !lessons.is_empty() {
        tried.push(format!("what {} says", lessons.join(", ")));
    }
    tried.truncate(MOST_TRIED);
    let place = theorem.as_deref().unwrap_or(stuck.target);
    let place = clip(&clean(place), WIDTH);
    let mut line = format!(
        "math-forge: the same error in {} builds now{}{place}: {}.",
        stuck.builds,
        if place.is_empty() { "" } else { ", in " },
        clip(clean(&stuck.error.says).trim_end_matches('.'), 2 * WIDTH)
    );
    if !tried.is_empty() {
        write!(line, " Tried already: {}.", tried.join("; ")).ok();
    }
    if stuck.is_first && stuck.error.signature.is_about_a_goal() {
        line.push_str(
            " Before another attempt: test the statement for falsity (`decide`, a small case), or \
             split it into lemmas.",
        );
    }
    Ok(line)
}

/// The full name of the declaration around a line.
fn theorem_at(path: &Path, line: u32) -> Option<String> {
    let bytes = files::read(path, LONGEST_FILE).ok()?;
    let text = lean::decode(&bytes).text;
    let line = usize::try_from(line).ok()?;
    let outline = lean::skim(&text);
    let around = |one: &&lean::Declaration| one.line <= line && line <= one.end_line;
    outline.declarations.iter().find(around)?.name.clone()
}
