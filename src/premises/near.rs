//! What the project's packages have that is near to what a session writes: names like one that Lean does not know, a
//! theorem that states the same as a new one.

use std::collections::BTreeSet;

use super::index::{Segment, Term, in_all};
use super::packages;
use super::read::{Premise, words_of};
use crate::app::App;
use crate::lean::{self, ChangeKind, Comparison};
use crate::text::clean;

const MOST_COMPARED: usize = 6_000;
/// More names than that of one kind tell nobody which is meant.
const MOST_TOLD: usize = 3;
/// Letters by which a name may differ, at most one in so many.
const MOST_SLIPS: usize = 2;
const LETTERS_A_SLIP: usize = 8;
/// A name without a dot that is shorter is a variable or a tactic more often than a lemma.
const LEAST_BARE: usize = 8;

/// One sentence with the names that may be meant; `None` where none is near, too many are, or nothing is indexed.
pub(crate) fn nearest(app: &App, unknown: &str) -> anyhow::Result<Option<String>> {
    let unknown = unknown.strip_prefix("_root_.").unwrap_or(unknown);
    let is_bare = !unknown.contains('.');
    if is_bare && !(unknown.contains('_') && unknown.len() >= LEAST_BARE) {
        return Ok(None);
    }
    let mut same: BTreeSet<String> = BTreeSet::new();
    let mut close: BTreeSet<(usize, String)> = BTreeSet::new();
    let indexed = packages::of_project(app);
    for segment in indexed.iter().filter_map(packages::Indexed::kept) {
        // In another namespace, or not imported.
        for id in segment.ids(Term::Name(lean::last_part(unknown)))? {
            let Some(premise) = segment.premise(id)?.filter(|one| !one.is_of_a_tactic()) else {
                continue;
            };
            if premise.name == unknown {
                let (name, module) = (clean(unknown), clean(&premise.module));
                return Ok(Some(format!(
                    "math-forge: `{name}` is in `{module}`: is that imported?"
                )));
            }
            let is_it = premise.deprecated.is_none() && is_related(&premise.name, unknown);
            same.extend(is_it.then_some(premise.name));
        }
        for id in holding_its_words(&segment, unknown)? {
            let is_it = |one: &Premise| one.deprecated.is_none() && !one.is_of_a_tactic();
            let Some(premise) = segment.premise(id)?.filter(is_it) else { continue };
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

/// New theorems of one edit that are looked up.
const MOST_STATED: usize = 20;

/// A theorem of a package that states the same as a new one.
#[derive(Debug)]
pub(crate) struct Stated {
    pub(crate) new: String,
    pub(crate) name: String,
    pub(crate) module: String,
}

/// The new theorems of an edit that a package has already. Only those where every name that the two statements use is
/// known to mean the same.
pub(crate) fn stated(app: &App, change: &Comparison<'_>) -> anyhow::Result<Vec<Stated>> {
    let is_new = |one: &&lean::Change| one.change == ChangeKind::Added;
    let new = change.changes.iter().filter(is_new).filter_map(|one| one.new).filter_map(|index| {
        let declaration = change.new.outline().declarations.get(index)?;
        let name = declaration.name.clone().filter(|_| declaration.kind.is_proof())?;
        Some((index, name, change.new.spelled(index)?))
    });
    let new: Vec<_> = new.take(MOST_STATED).collect();
    let mut found = Vec::new();
    if new.is_empty() {
        return Ok(found);
    }
    // What of the project's own is indexed may be gone by now.
    let segments: Vec<Segment> = super::kept(app).into_iter().map(|(_, segment)| segment).collect();
    for (index, new, statement) in new {
        let Some((key, _)) = lean::Statement::read(&statement).stated() else { continue };
        for segment in &segments {
            for id in segment.ids(Term::Stated(key))? {
                let Some(premise) = segment.premise(id)? else { continue };
                let Some((_, names)) = lean::Statement::read(&premise.statement).stated() else {
                    continue;
                };
                let is_it = premise.name != new && premise.deprecated.is_none();
                if is_it
                    && means_the_same(
                        &segments,
                        change.new.speaks_of(index),
                        (&premise.name, &names),
                    )?
                {
                    found.push(Stated {
                        new: new.clone(),
                        name: premise.name,
                        module: premise.module,
                    });
                }
            }
        }
        // Of several the first will do.
        found.dedup_by(|a, b| a.new == b.new);
    }
    Ok(found)
}

/// Whether the names of one statement, each with all that it may mean, are those of a premise's.
fn means_the_same(
    segments: &[Segment],
    names: Vec<Vec<String>>,
    (premise, its): (&str, &[&str]),
) -> anyhow::Result<bool> {
    let mut one = BTreeSet::new();
    for meanings in names {
        one.insert(meant(segments, meanings)?);
    }
    let mut other = BTreeSet::new();
    for name in its {
        let around =
            premise.rmatch_indices('.').map(|(at, _)| premise.get(..at).unwrap_or_default());
        let meanings = around.map(|namespace| format!("{namespace}.{name}"));
        other.insert(meant(segments, meanings.chain([(*name).to_owned()]).collect())?);
    }
    Ok(one == other)
}

/// The first of the full names that is declared; the last of them, as it is written, where none is.
fn meant(segments: &[Segment], meanings: Vec<String>) -> anyhow::Result<Option<String>> {
    for name in &meanings {
        for segment in segments {
            if segment.named(name)?.is_some() {
                return Ok(Some(name.clone()));
            }
        }
    }
    Ok(meanings.into_iter().next_back())
}

/// Whether two names with the same last part may be confused: a namespace was left out, or one too many was written.
fn is_related(full: &str, unknown: &str) -> bool {
    let namespace = |name: &str| name.rsplit_once('.').map_or(String::new(), |(n, _)| n.to_owned());
    let (own, written) = (namespace(full), namespace(unknown));
    let part_of = |long: &str, short: &str| {
        short.is_empty()
            || lean::is_or_ends_in(long, short)
            || long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'))
    };
    // A name of one word stands in many namespaces.
    let is_plain = own.is_empty() && !lean::last_part(full).contains('_');
    lean::last_part(full) == lean::last_part(unknown)
        && !is_plain
        && (part_of(&own, &written) || part_of(&written, &own))
}

/// By how many letters a full name differs from one that may lack namespaces; `None` for too many.
fn slips(full: &str, unknown: &str) -> Option<usize> {
    let parts = unknown.split('.').count();
    let mut dots = full.rmatch_indices('.').map(|(at, _)| at + 1);
    let start = dots.nth(parts.checked_sub(1)?).unwrap_or(0);
    let end = full.get(start..)?;
    if end.to_lowercase() == unknown.to_lowercase() {
        return (end != unknown).then_some(0);
    }
    let most = MOST_SLIPS.min(lean::last_part(unknown).chars().count() / LETTERS_A_SLIP);
    let slips = strsim::osa_distance(end, unknown);
    (slips > 0 && slips <= most).then_some(slips)
}

/// The premises that hold the words of a name that are known, all of them or all but one.
fn holding_its_words(segment: &Segment, name: &str) -> anyhow::Result<Vec<u32>> {
    let mut lists: Vec<Vec<u32>> = Vec::new();
    for word in words_of(name) {
        lists.push(segment.holding(&word)?);
    }
    lists.retain(|ids| !ids.is_empty());
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
