//! Names that moved, where an edit brings them in: the new name is said at once, offline.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;

use super::project_files::declares;
use crate::app::App;
use crate::guard::{self, Finding, Policy};
use crate::lean::{self, Comparison, Moved};
use crate::model::Rename;
use crate::renames::Renames;
use crate::text::{clean, clip, one_line};

/// More names of one edit are not told.
const MOST: usize = 5;

/// More new names of one edit are not looked up: a file that is written whole has thousands.
const MOST_LOOKED_UP: usize = 2_000;

/// One sentence for each moved name that the edit brings in. Empty before the project's packages are indexed; nothing
/// is created, and what cannot be read is said in the log.
pub fn notice(app: &App, change: &Comparison<'_>) -> Vec<String> {
    let near = lean::changed(change.old.text(), change.new.text());
    let names = lean::words(change.new.text().get(near.clone()).unwrap_or_default());
    // Others are bound variables more often than not.
    let names = names.filter(|name| name.contains(['.', '_']));
    let names: HashSet<&str> = names.take(MOST_LOOKED_UP).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let Some(renames) = Renames::of(app) else { return Vec::new() };
    told(&renames, names, change, &near).unwrap_or_else(|error| {
        app.log.line(app.now, "guard", &format!("moved names were not looked up: {error}"));
        Vec::new()
    })
}

/// Makes remarks of the questions about statements that follow what a library calls something now.
pub(super) fn follow(app: &App, mut findings: Vec<&mut Finding>, policy: &Policy) {
    let names: HashSet<String> =
        findings.iter().flat_map(|one| &one.swapped).map(|(old, _)| old.clone()).collect();
    if names.is_empty() {
        return;
    }
    let renames = Renames::of(app).and_then(|known| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let all = known.ending(&names).ok()?.into_iter();
        let today = |one: Rename| Some((one.old.clone(), known.today(&one).ok()??));
        Some(all.filter_map(today).collect::<Vec<_>>())
    });
    let is_moved = |old: &str, new: &str| {
        let mut all = renames.iter().flatten();
        all.any(|(was, is)| lean::last_part(was) == old && lean::last_part(is) == new)
    };
    guard::follow(&mut findings, policy, is_moved, |names| {
        declares(&app.project.root, None, names)
    });
}

/// What became of a name that Lean does not know, as one sentence; `None` where the packages of the
/// project do not say, or say it of several names that end so.
pub fn renamed(app: &App, name: &str) -> anyhow::Result<Option<String>> {
    let Some(renames) = Renames::of(app) else { return Ok(None) };
    let all = renames.ending(&[lean::last_part(name)])?;
    // A name as Lean's message has it: in full, or as it stands under an open namespace.
    let suffix = format!(".{name}");
    let may_be = |rename: &&Rename| {
        rename.old.ends_with(&suffix) && (!rename.protected || name.contains('.'))
    };
    let exact = all.iter().find(|rename| rename.old == name);
    let found = exact.or_else(|| {
        let first = all.iter().find(may_be)?;
        all.iter().filter(may_be).all(|other| other.old == first.old).then_some(first)
    });
    found.map(|rename| sentence(&renames, rename, None)).transpose()
}

fn without_root(written: &str) -> &str {
    written.strip_prefix("_root_.").unwrap_or(written)
}

fn told(
    known: &Renames,
    mut names: HashSet<&str>,
    change: &Comparison<'_>,
    near: &Range<usize>,
) -> anyhow::Result<Vec<String>> {
    let lasts: Vec<&str> = names.iter().map(|name| lean::last_part(name)).collect();
    let renames = known.ending(&lasts)?;
    // The texts are read only where a name moved.
    names.retain(|name| {
        let may_mean = |old: &str| lean::is_or_ends_in(old, without_root(name));
        let moved = renames.iter().any(|rename| may_mean(&rename.old));
        moved && !lean::has_word(change.old.text(), name)
    });
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let moved = Moved::of(renames.iter().map(|r| (r.old.as_str(), r.protected)));
    let mut told = Vec::new();
    let mut seen = HashSet::new();
    for (mention, old) in moved.uses(change.new.text(), change.new.outline(), near) {
        let is_new = names.iter().any(|name| without_root(name) == mention.written);
        let rename = renames.iter().find(|rename| rename.old == old && is_new);
        let Some(rename) = rename.filter(|_| seen.insert(old) && told.len() < MOST) else {
            continue;
        };
        told.push(sentence(known, rename, Some(mention.line))?);
    }
    Ok(told)
}

fn sentence(known: &Renames, rename: &Rename, line: Option<usize>) -> anyhow::Result<String> {
    let today = known.today(rename)?;
    let old = clean(&rename.old);
    let mut text = match today.as_deref().map(clean) {
        Some(new) if rename.exact => format!("`{old}` is `{new}` now"),
        Some(new) => format!("`{old}` is probably `{new}` now"),
        None => format!("`{old}` is deprecated"),
    };
    let line = line.map_or_else(String::new, |line| format!("line {line}; "));
    write!(text, " ({line}{}", clean(&rename.package)).ok();
    if let Some(since) = &rename.since {
        write!(text, ", deprecated since {}", clean(since)).ok();
    }
    text.push(')');
    if let Some(message) = &rename.message {
        write!(text, ": {}", clip(&one_line(&clean(message)), 200)).ok();
    }
    text.push('.');
    Ok(text)
}
