//! `mk renames`: names that moved in Mathlib and the other packages of a project, as the index of their premises has
//! them. Without packages there is no table and no complaint.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde::Serialize;

use crate::app::App;
use crate::app::packages::Package;
use crate::lean::{self, Declared};
use crate::model::Rename;
use crate::premises::{self, Old, Segment};
use crate::text::{clean, one_line, plural};
use crate::ui::progress::Progress as Bar;
use crate::ui::{Exit, Out};

/// Look up the new names of deprecated declarations
///
/// Read from the `@[deprecated]` attributes of the packages below `.lake/packages`, and of Lean
/// itself where elan has its sources. Works offline, from installed packages, by the index that
/// `mk index` makes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  mk renames lookup Nat.pow_succ'")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Shows the new names
    Lookup {
        /// Old names, in full or only their last parts
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Action::Lookup { names } = self.action;
        let bar = Bar::new("reading packages", out.watched);
        let table = Renames { packages: premises::made(app, &bar)? };
        drop(bar);
        let answers = names.iter().map(|name| table.lookup(name)).collect::<anyhow::Result<_>>()?;
        let (packages, renames) = (table.packages.len(), table.all()?.len());
        let found = Found { answers, packages, renames };
        out.answer(&found, |_| found.view())
    }
}

/// More hits of one question are not shown.
const MOST_HITS: usize = 50;

#[derive(Debug)]
pub(crate) struct Renames {
    packages: Vec<(Package, Segment)>,
}

#[derive(Debug, Serialize)]
struct Found {
    answers: Vec<Answer>,
    packages: usize,
    renames: usize,
}

#[derive(Debug, Serialize)]
struct Answer {
    name: String,
    found: Vec<Hit>,
    total: usize,
}

#[derive(Debug, Serialize)]
struct Hit {
    #[serde(flatten)]
    rename: Rename,
    /// The last of the names that followed, where the new one moved again.
    today: Option<String>,
}

impl Renames {
    /// `None` without packages, or before they are indexed.
    pub(crate) fn of(app: &App) -> Option<Self> {
        let packages = premises::kept(app);
        (!packages.is_empty()).then_some(Self { packages })
    }

    /// What moved away from names with these last parts; what is surely so first.
    pub(crate) fn ending(&self, lasts: &[&str]) -> anyhow::Result<Vec<Rename>> {
        let mut found = Vec::new();
        for (package, segment) in &self.packages {
            for old in segment.olds(Some(lasts))? {
                found.push(self.rename(old, package)?);
            }
        }
        // A name is known twice where a package guesses and another one writes it.
        found.sort_by_key(|rename| !rename.exact);
        Ok(found)
    }

    /// All old names, and whether each is protected.
    pub(crate) fn all(&self) -> anyhow::Result<Vec<(String, bool)>> {
        let mut found = Vec::new();
        for (_, segment) in &self.packages {
            found.extend(
                segment.olds(None)?.into_iter().map(|old| (old.one.old, old.one.protected)),
            );
        }
        Ok(found)
    }

    /// What a new name means that its own package does not declare, another one may.
    fn rename(&self, old: Old, package: &Package) -> anyhow::Result<Rename> {
        let Old { mut one, module } = old;
        let mut declared = Declared::default();
        for name in &one.candidates {
            let parent = name.rsplit_once('.').map(|(parent, _)| parent);
            for name in std::iter::once(name.as_str()).chain(parent) {
                // Its own package does not declare any.
                for (_, segment) in self.packages.iter().filter(|(one, _)| one.name != package.name)
                {
                    segment.declare(name, &mut declared)?;
                }
            }
        }
        one.resolve(&declared);
        Ok(Rename {
            exact: one.is_exact(),
            old: one.old,
            new: one.new,
            since: one.since,
            message: one.message,
            package: package.name.clone(),
            revision: package.revision.clone(),
            file: format!("{}.lean", module.replace('.', "/")),
            line: one.line as u64,
            protected: one.protected,
        })
    }

    /// What an old name was replaced by first.
    pub(crate) fn new_name(&self, old: &str) -> anyhow::Result<Option<String>> {
        let all = self.ending(&[lean::last_part(old)])?;
        Ok(all.into_iter().find(|one| one.old == old).and_then(|one| one.new))
    }

    /// The last of the names that followed an old one, by what each one of them is called now.
    pub(crate) fn today(&self, rename: &Rename) -> anyhow::Result<Option<String>> {
        let Some(mut name) = rename.new.clone() else { return Ok(None) };
        let mut seen = HashSet::from([rename.old.clone(), name.clone()]);
        while let Some(next) = self.new_name(&name)?.filter(|next| seen.insert(next.clone())) {
            name = next;
        }
        Ok(Some(name))
    }

    /// What is known of a name, with or without backquotes or `_root_`.
    fn lookup(&self, name: &str) -> anyhow::Result<Answer> {
        let name = name.trim().trim_matches(['`', '@']);
        let name = name.strip_prefix("_root_.").unwrap_or(name);
        let mut hits = self.ending(&[lean::last_part(name)])?;
        let is_known = hits.iter().any(|one| one.old == name);
        hits.retain(|one| one.old == name || !is_known && lean::is_or_ends_in(&one.old, name));
        hits.sort_by(|a, b| a.old.cmp(&b.old));
        let total = hits.len();
        hits.truncate(MOST_HITS);
        let mut found = Vec::new();
        for rename in hits {
            let today = self.today(&rename)?.filter(|today| rename.new.as_ref() != Some(today));
            found.push(Hit { rename, today });
        }
        Ok(Answer { name: name.to_owned(), found, total })
    }
}

impl Found {
    fn view(&self) -> String {
        let mut out = String::new();
        for answer in &self.answers {
            let name = clean(&answer.name);
            if answer.found.is_empty() {
                let renames = plural(self.renames, "rename");
                let packages = plural(self.packages, "package");
                writeln!(out, "{name}: not among the {renames} of {packages}").ok();
            }
            out.extend(answer.found.iter().map(entry));
            if answer.total > answer.found.len() {
                let more = answer.total - answer.found.len();
                writeln!(out, "and {more} more that end in {name}").ok();
            }
        }
        out
    }
}

fn entry(hit: &Hit) -> String {
    let rename = &hit.rename;
    let mut out = clean(&rename.old);
    match (&rename.new, &hit.today) {
        (Some(new), Some(today)) => {
            write!(out, " is {} now (first {})", clean(today), clean(new)).ok();
        }
        (Some(new), None) => {
            write!(out, " is {} now", clean(new)).ok();
        }
        (None, _) => out.push_str(" is deprecated, with no new name"),
    }
    let since = rename.since.as_deref().map(|date| format!("since {}, ", clean(date)));
    let guessed = if rename.exact { "" } else { ", partly guessed" };
    let (file, line) = (clean(&rename.file), rename.line);
    let package = clean(&rename.package);
    writeln!(out, " ({}{package}, {file}:{line}{guessed})", since.unwrap_or_default()).ok();
    if let Some(message) = &rename.message {
        writeln!(out, "  {}", one_line(&clean(message))).ok();
    }
    out
}
