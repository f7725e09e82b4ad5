//! Names that moved, where an edit brings them in: the new name is said at once, offline.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;

use crate::app::App;
use crate::app::packages;
use crate::lean::{self, Comparison, Moved};
use crate::model::Rename;
use crate::renames;
use crate::store::{Store, StoreError};
use crate::text::{clean, clip, one_line};

/// More names of one edit are not told.
const MOST: usize = 5;

/// More new names of one edit are not looked up: a file that is written whole has thousands.
const MOST_LOOKED_UP: usize = 2_000;

/// One sentence for each moved name that the edit brings in. Empty without a table of renames for
/// the project's packages; nothing is created, and what cannot be read is said in the log.
pub fn notice(app: &mut App, change: &Comparison<'_>) -> Vec<String> {
    let near = lean::changed(change.old.text(), change.new.text());
    let names = lean::words(change.new.text().get(near.clone()).unwrap_or_default());
    // Others are bound variables more often than not.
    let names = names.filter(|name| name.contains(['.', '_']));
    let names: HashSet<&str> = names.take(MOST_LOOKED_UP).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let told = Lookup::of(app).and_then(|lookup| match lookup {
        Some(lookup) => lookup.told(names, change, &near),
        None => Ok(Vec::new()),
    });
    told.unwrap_or_else(|error| {
        app.log.line(app.now, "guard", &format!("moved names were not looked up: {error}"));
        Vec::new()
    })
}

/// What became of a name that Lean does not know, as one sentence; `None` where the packages of the
/// project do not say, or say it of several names that end so.
pub fn renamed(app: &mut App, name: &str) -> Result<Option<String>, StoreError> {
    Lookup::of(app)?.map_or(Ok(None), |lookup| lookup.renamed(name))
}

fn without_root(written: &str) -> &str {
    written.strip_prefix("_root_.").unwrap_or(written)
}

struct Lookup<'a> {
    store: &'a Store,
    packages: HashSet<(String, Option<String>)>,
}

impl<'a> Lookup<'a> {
    /// What is stored of the project's packages; `None` without any of them, or without a store.
    fn of(app: &'a mut App) -> Result<Option<Self>, StoreError> {
        let packages = packages::of_project(app).into_iter();
        let packages: HashSet<_> = packages.map(|one| (one.name, one.revision)).collect();
        if packages.is_empty() {
            return Ok(None);
        }
        Ok(app.existing_store()?.map(|store| Self { store, packages }))
    }

    fn told(
        &self,
        mut names: HashSet<&str>,
        change: &Comparison<'_>,
        near: &Range<usize>,
    ) -> Result<Vec<String>, StoreError> {
        let lasts: HashSet<&str> = names.iter().map(|name| lean::last_part(name)).collect();
        let mut renames = Vec::new();
        for last in lasts {
            renames.extend(self.ending(last)?);
        }
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
            told.push(self.sentence(rename, Some(mention.line))?);
        }
        Ok(told)
    }

    /// A name as Lean's message has it: in full, or as it stands under an open namespace.
    fn renamed(&self, name: &str) -> Result<Option<String>, StoreError> {
        let renames = self.ending(lean::last_part(name))?;
        let suffix = format!(".{name}");
        let may_be = |rename: &&Rename| {
            rename.old.ends_with(&suffix) && (!rename.protected || name.contains('.'))
        };
        let exact = renames.iter().find(|rename| rename.old == name);
        let found = exact.or_else(|| {
            let first = renames.iter().find(may_be)?;
            renames.iter().filter(may_be).all(|other| other.old == first.old).then_some(first)
        });
        found.map(|rename| self.sentence(rename, None)).transpose()
    }

    /// What the project's packages say, of names that end in this part.
    fn ending(&self, last: &str) -> Result<Vec<Rename>, StoreError> {
        let mut renames = self.store.renames_ending(last)?;
        renames.retain(|rename| {
            self.packages.contains(&(rename.package.clone(), rename.revision.clone()))
        });
        // The table knows a name twice where a package guesses and another one writes it.
        renames.sort_by_key(|rename| !rename.exact);
        Ok(renames)
    }

    fn sentence(&self, rename: &Rename, line: Option<usize>) -> Result<String, StoreError> {
        let today = renames::today::<StoreError>(rename, |name| {
            let all = self.ending(lean::last_part(name))?;
            Ok(all.into_iter().find(|next| next.old == name).and_then(|next| next.new))
        })?;
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
}
