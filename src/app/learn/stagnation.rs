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

/// What is said once in a session, where it is about a goal.
pub(super) const FIRST: &str = " Before another attempt: test the statement for falsity (`decide`, a small \
    case), or split it into lemmas.";

/// Longer files are not read for the name of a theorem.
const LONGEST_FILE: u64 = 2 * 1024 * 1024;

/// Whether it is time to say so: often enough in builds, and not said before about this error.
pub(super) fn is_stuck(signature: &str, builds: u64, said: &[Injection]) -> bool {
    builds >= BUILDS && !said.iter().any(|row| row.kind == SAID && row.why == signature)
}

/// What was tried already about a theorem or in a file, by title.
pub(super) fn tried(
    app: &mut App,
    theorem: Option<&str>,
    target: &str,
) -> anyhow::Result<Vec<String>> {
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let known = store.tried(theorem, target, MOST_TRIED)?;
    Ok(known.iter().map(|title| clip(&clean(title), WIDTH)).collect())
}

/// One line about an error at a place that does not go away.
pub(super) fn line(
    error: &Seen,
    place: &str,
    builds: u64,
    mut tried: Vec<String>,
    shown: &[Shown],
) -> String {
    let signature = error.signature.to_string();
    let lessons: Vec<String> = shown
        .iter()
        .filter(|one| one.signature == signature)
        .map(|one| format!("#{}", one.lesson))
        .collect();
    if !lessons.is_empty() {
        tried.push(format!("what {} says", lessons.join(", ")));
    }
    tried.truncate(MOST_TRIED);
    let place = clip(&clean(place), WIDTH);
    let mut line = format!(
        "math-forge: the same error in {builds} builds now{}{place}: {}.",
        if place.is_empty() { "" } else { ", in " },
        clip(clean(&error.says).trim_end_matches('.'), 2 * WIDTH)
    );
    if !tried.is_empty() {
        write!(line, " Tried already: {}.", tried.join("; ")).ok();
    }
    line
}

/// The full name of the declaration around a line.
pub(super) fn theorem_at(path: &Path, line: u32) -> Option<String> {
    let bytes = files::read(path, LONGEST_FILE).ok()?;
    let text = lean::decode(&bytes).text;
    let line = usize::try_from(line).ok()?;
    let outline = lean::skim(&text);
    let around = |one: &&lean::Declaration| one.line <= line && line <= one.end_line;
    outline.declarations.iter().find(around)?.name.clone()
}
