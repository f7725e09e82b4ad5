//! The same error, build after build: said once, with what was tried already.

use std::fmt::Write as _;
use std::path::Path;

use crate::app::{App, transcript_end};
use crate::files;
use crate::hook::Event;
use crate::lean;
use crate::learn::events::{Act, Event as Learnt, same_target};
use crate::learn::lessons::Seen;
use crate::store::Shown;
use crate::text::{clean, clip};

/// Builds in a row after which an error counts as one that does not go away.
pub(super) const BUILDS: u64 = 3;

pub(super) const SAID: &str = "stagnation";

/// What was tried that is named, and its width in columns.
const MOST_TRIED: usize = 3;
const WIDTH: usize = 60;

/// What is said once in a session, where it is about a goal.
pub(super) const FIRST: &str = " Before another attempt: test the statement for falsity (`decide`, a small \
    case), or split it into lemmas.";

/// Longer files are not read for the name of a theorem.
const LONGEST_FILE: u64 = 2 * 1024 * 1024;

pub(super) fn tried(
    app: &mut App,
    theorem: Option<&str>,
    target: &str,
) -> anyhow::Result<Vec<String>> {
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let known = store.tried(theorem, target, MOST_TRIED)?;
    Ok(known.iter().map(|title| clip(&clean(title), WIDTH)).collect())
}

/// The last edits of a file in the session, in words, as far as its transcript has them already.
pub(super) fn edits(event: &Event, target: &str) -> Vec<String> {
    if target.is_empty() {
        return Vec::new();
    }
    let mut words: Vec<String> = Vec::new();
    for record in transcript_end::records(event).iter().rev() {
        let act = Learnt::from(record).act;
        let is_its = |act: &Act| {
            let mut targets = act.call.targets.iter();
            act.is_edit() && targets.any(|one| same_target(one, target))
        };
        let Some(act) = act.filter(is_its) else { continue };
        for change in act.changes.iter().rev().filter(|change| !change.is_empty()) {
            let one = clip(&clean(&change.in_words()), WIDTH);
            if !words.contains(&one) {
                words.push(one);
            }
        }
        if words.len() >= MOST_TRIED {
            break;
        }
    }
    words.truncate(MOST_TRIED);
    words.reverse();
    words
}

pub(super) fn line(error: &Seen, place: &str, mut tried: Vec<String>, shown: &[Shown]) -> String {
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
        "math-forge: the same error in {BUILDS} builds now{}{place}: {}.",
        if place.is_empty() { "" } else { ", in " },
        clip(clean(&error.says).trim_end_matches('.'), 2 * WIDTH)
    );
    if !tried.is_empty() {
        write!(line, " Tried already: {}.", tried.join("; ")).ok();
    }
    line
}

pub(super) fn theorem_at(path: &Path, line: u32) -> Option<String> {
    let bytes = files::read(path, LONGEST_FILE).ok()?;
    let text = lean::decode(&bytes).text;
    let line = usize::try_from(line).ok()?;
    let outline = lean::skim(&text);
    let around = |one: &&lean::Declaration| one.line <= line && line <= one.end_line;
    outline.declarations.iter().find(around)?.name.clone()
}
