//! What a name that Lean does not know may be called: the nearest names that the project's packages have.

use std::collections::BTreeSet;

use super::index::{Segment, Term, in_all};
use super::packages;
use super::read::words;
use crate::app::App;
use crate::lean;
use crate::text::clean;

/// Names that are compared with the unknown one.
const MOST_COMPARED: usize = 6_000;
/// More names than that of one kind tell nobody which is meant.
const MOST_TOLD: usize = 3;
/// Letters by which a name may differ, at most one in so many.
const MOST_SLIPS: usize = 2;
const LETTERS_A_SLIP: usize = 5;

/// One sentence with the names that may be meant; `None` where none is near, too many are, or nothing is indexed.
pub(crate) fn nearest(app: &App, unknown: &str) -> anyhow::Result<Option<String>> {
    let unknown = unknown.strip_prefix("_root_.").unwrap_or(unknown);
    let mut same: BTreeSet<String> = BTreeSet::new();
    let mut close: BTreeSet<(usize, String)> = BTreeSet::new();
    let indexed = packages::of_project(app);
    for segment in indexed.iter().filter_map(packages::Indexed::kept) {
        // In another namespace, or not imported.
        for id in segment.ids(Term::Name(lean::last_part(unknown)))? {
            let Some(premise) = segment.premise(id)? else { continue };
            if premise.name == unknown {
                let (name, module) = (clean(unknown), clean(&premise.module));
                return Ok(Some(format!(
                    "math-forge: `{name}` is in `{module}`: is that imported?"
                )));
            }
            same.extend(premise.deprecated.is_none().then_some(premise.name));
        }
        for id in holding_its_words(&segment, unknown)? {
            let Some(premise) = segment.premise(id)?.filter(|one| one.deprecated.is_none()) else {
                continue;
            };
            let slips = slips(&premise.name, unknown);
            close.extend(slips.map(|slips| (slips, premise.name)));
        }
    }
    let least = close.first().map_or(0, |(slips, _)| *slips);
    let close = close.into_iter().filter(|(slips, _)| *slips == least).map(|(_, name)| name);
    let names: Vec<String> =
        if same.is_empty() { close.collect() } else { same.into_iter().collect() };
    if names.is_empty() || names.len() > MOST_TOLD {
        return Ok(None);
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", clean(name))).collect();
    Ok(Some(format!(
        "math-forge: nearest to `{}` in this project's packages: {}.",
        clean(unknown),
        names.join(", ")
    )))
}

/// By how many letters a full name differs from one that may lack namespaces; `None` for too many.
fn slips(full: &str, unknown: &str) -> Option<usize> {
    let parts = unknown.split('.').count();
    let mut dots = full.rmatch_indices('.').map(|(at, _)| at + 1);
    let start = dots.nth(parts.checked_sub(1)?).unwrap_or(0);
    let end = full.get(start..)?;
    let most = MOST_SLIPS.min(lean::last_part(unknown).chars().count() / LETTERS_A_SLIP);
    let slips = strsim::osa_distance(end, unknown);
    (slips > 0 && slips <= most).then_some(slips)
}

/// The premises that hold the words of a name that are known, all of them or all but one.
fn holding_its_words(segment: &Segment, name: &str) -> anyhow::Result<Vec<u32>> {
    let mut all = Vec::new();
    words(name, |word| all.push(word.to_owned()));
    let mut lists: Vec<Vec<u32>> = Vec::new();
    for word in &all {
        let mut ids = Vec::new();
        segment.each_posting(word, |(id, ..)| ids.push(id))?;
        if !ids.is_empty() {
            lists.push(ids);
        }
    }
    let mut found: Vec<u32> = Vec::new();
    // A slip may have made one known word of another.
    for left_out in 0..=lists.len() {
        let others = lists.iter().enumerate().filter(|(at, _)| *at != left_out);
        let ids = in_all(others.map(|(_, list)| list.as_slice()).collect());
        found.extend(ids.into_iter().take(MOST_COMPARED));
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST_COMPARED);
    Ok(found)
}
