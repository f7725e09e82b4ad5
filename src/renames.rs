//! `mk renames`: names that moved in Mathlib and the other packages of a project.
//!
//! Everything comes from the files on disk: no network, no Lean. Without packages there is no
//! table and no complaint.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context as _;
use jiff::{SignedDuration, Timestamp};
use rayon::prelude::*;
use serde::Serialize;

use crate::app::packages::{self, Package};
use crate::app::{App, Progress, lean_files};
use crate::files;
use crate::lean::{self, Declared, Deprecation, Moved};
use crate::model::Rename;
use crate::store::{RenamePackage, Store, StoreError, time_text};
use crate::text::{clean, one_line, plural};
use crate::ui::progress::Progress as Bar;
use crate::ui::{Exit, Out};

/// Look up the new names of deprecated declarations
///
/// Read from the `@[deprecated]` attributes of the packages below `.lake/packages`, and of Lean
/// itself where elan has its sources. Works offline, from installed packages. Each revision of a
/// package is read once, in the background of a session; after that, the answer comes from the
/// knowledge database.
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
        let table = table(app, &|done, total| bar.show(done, total));
        drop(bar);
        let answers: Vec<Answer> = names.iter().map(|name| lookup(&table, name)).collect();
        let (packages, renames) = (table.packages.len(), table.renames.len());
        let found = Found { answers, packages, renames };
        out.answer(&found, |_| found.view())
    }
}

/// More hits of one question are not shown.
const MOST_HITS: usize = 50;
/// A package without a revision may change at any time: what was read of it holds for a day.
const DAY: SignedDuration = SignedDuration::from_hours(24);

#[derive(Debug, Default)]
pub struct Table {
    pub packages: Vec<RenamePackage>,
    pub renames: Vec<Rename>,
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

/// Reads all packages of the project, several files at a time.
fn build(app: &App, progress: Progress<'_>) -> Table {
    let packages = packages::of_project(app);
    let sources: Vec<(&Package, PathBuf)> = packages.iter().flat_map(sources).collect();
    let total = sources.len() as u64;
    let done = AtomicU64::new(0);
    let mut read: Vec<Read<'_>> = sources
        .par_iter()
        .map(|(package, path)| {
            let read = read(package, path);
            progress(1 + done.fetch_add(1, Ordering::Relaxed), total);
            read
        })
        .collect();
    let mut declared = Declared::default();
    for read in &mut read {
        declared.extend(std::mem::take(&mut read.declared));
    }
    let mut table = Table::default();
    for package in &packages {
        let own = || read.iter().filter(|read| std::ptr::eq(read.package, package));
        let before = table.renames.len();
        for read in own() {
            let renames = read.deprecations.iter();
            table.renames.extend(renames.map(|one| rename(one, read, &declared)));
        }
        table.packages.push(RenamePackage {
            name: package.name.clone(),
            revision: package.revision.clone(),
            read_at: time_text(app.now),
            files: own().count() as u64,
            names: own().map(|read| read.names as u64).sum(),
            renames: (table.renames.len() - before) as u64,
        });
    }
    table.sorted()
}

/// From the database if all packages are there, else from their files. Nothing is written.
pub fn table(app: &mut App, progress: Progress<'_>) -> Table {
    read_already(app).unwrap_or_else(|| build(app, progress))
}

/// What the database has, if it has all packages; an error of the database goes to the log.
pub fn read_already(app: &mut App) -> Option<Table> {
    let packages = packages::of_project(app);
    let now = app.now;
    let mut stored = || -> Result<Option<Table>, StoreError> {
        let Some(store) = app.existing_store()?.filter(|_| !packages.is_empty()) else {
            return Ok(None);
        };
        let Some(packages) = known(store, &packages, now)? else { return Ok(None) };
        let renames = packages.iter().map(|package| store.renames_in(package));
        let renames = renames.collect::<Result<Vec<_>, _>>()?.concat();
        Ok(Some(Table { packages, renames }.sorted()))
    };
    stored().unwrap_or_else(|error| {
        app.log.line(now, "renames", &error.to_string());
        None
    })
}

/// What is stored of the packages, if all of them are, as they are now.
fn known(
    store: &Store,
    packages: &[Package],
    now: Timestamp,
) -> Result<Option<Vec<RenamePackage>>, StoreError> {
    let yesterday = time_text(now - DAY);
    let read = store.rename_packages()?;
    let known = packages.iter().map(|package| {
        let holds = |one: &&RenamePackage| {
            (&one.name, &one.revision) == (&package.name, &package.revision)
                && (one.revision.is_some() || one.read_at >= yesterday)
        };
        read.iter().find(holds).cloned()
    });
    Ok(known.collect())
}

/// Reads the packages, unless all are known.
pub fn keep(app: &mut App) -> anyhow::Result<()> {
    let packages = packages::of_project(app);
    let now = app.now;
    if packages.is_empty() || known(app.store()?, &packages, now)?.is_some() {
        return Ok(());
    }
    let table = build(app, &|_, _| ());
    let written = app.write(|writer| {
        for package in &table.packages {
            let own = table.renames.iter().filter(|rename| rename.package == package.name);
            writer.put_renames(package, &own.collect::<Vec<_>>())?;
        }
        Ok(())
    });
    written.context("the renames were not stored")
}

impl Table {
    fn sorted(mut self) -> Self {
        self.renames.sort_by(|a, b| a.old.cmp(&b.old).then(b.exact.cmp(&a.exact)));
        self
    }

    pub fn moved(&self) -> Moved<'_> {
        Moved::of(self.renames.iter().map(|rename| (rename.old.as_str(), rename.protected)))
    }

    pub fn new_name(&self, old: &str) -> Option<&str> {
        let start = self.renames.partition_point(|rename| rename.old.as_str() < old);
        let own = self.renames.iter().skip(start).take_while(|rename| rename.old == old);
        own.into_iter().find_map(|rename| rename.new.as_deref())
    }
}

/// The last of the names that followed an old one, by what each one of them is called now.
pub fn today<E>(
    rename: &Rename,
    new_name: impl Fn(&str) -> Result<Option<String>, E>,
) -> Result<Option<String>, E> {
    let Some(mut name) = rename.new.clone() else { return Ok(None) };
    let mut seen = HashSet::from([rename.old.clone(), name.clone()]);
    while let Some(next) = new_name(&name)?.filter(|next| seen.insert(next.clone())) {
        name = next;
    }
    Ok(Some(name))
}

/// What the table says about a name, with or without backquotes or `_root_`.
fn lookup(table: &Table, name: &str) -> Answer {
    let name = name.trim().trim_matches(['`', '@']);
    let name = name.strip_prefix("_root_.").unwrap_or(name);
    let mut hits: Vec<&Rename> = table.renames.iter().filter(|r| r.old == name).collect();
    if hits.is_empty() {
        let ending = format!(".{name}");
        hits = table.renames.iter().filter(|r| r.old.ends_with(&ending)).collect();
    }
    let total = hits.len();
    let new_name = |name: &str| Ok::<_, Infallible>(table.new_name(name).map(str::to_owned));
    let found = hits.into_iter().take(MOST_HITS).cloned().map(|rename| {
        let today = today(&rename, new_name).unwrap_or_default();
        Hit { today: today.filter(|today| rename.new.as_ref() != Some(today)), rename }
    });
    Answer { name: name.to_owned(), found: found.collect(), total }
}

fn sources(package: &Package) -> impl Iterator<Item = (&Package, PathBuf)> {
    let files = lean_files::below(&package.folder).files.into_iter();
    files.filter(|path| is_library(&within(package, path))).map(move |path| (package, path))
}

/// A file's path in its package.
pub(crate) fn within(package: &Package, path: &Path) -> String {
    let path = path.strip_prefix(&package.folder).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

/// Whether a file may be imported by others: tests deprecate names only to see what happens.
pub(crate) fn is_library(file: &str) -> bool {
    let top = file.split('/').next().unwrap_or_default().trim_end_matches(".lean");
    let tests = top.ends_with("Test") || top.ends_with("Tests");
    !tests && !matches!(top, "test" | "tests" | "examples" | "scripts" | "bench" | "lakefile")
}

struct Read<'a> {
    package: &'a Package,
    file: String,
    names: usize,
    declared: Declared,
    deprecations: Vec<Deprecation>,
}

/// A file that cannot be read says nothing.
fn read<'a>(package: &'a Package, path: &Path) -> Read<'a> {
    let bytes = files::read(path, files::LONG).unwrap_or_default();
    let text = lean::decode(&bytes).text;
    let outline = lean::skim(&text);
    let file = within(package, path);
    let module = file.trim_end_matches(".lean").replace('/', ".");
    let deprecations = lean::deprecations(&text, &outline, Some(&module));
    let names = outline.declarations.iter().filter(|one| one.name.is_some()).count();
    Read { package, file, names, declared: Declared::read(&text, &outline), deprecations }
}

/// A deprecation with what its new name means, if a package declares it.
fn rename(one: &Deprecation, of: &Read<'_>, declared: &Declared) -> Rename {
    let dotted = one.new.as_ref().is_some_and(|new| new.contains('.'));
    let is_full = one.candidates.is_empty();
    let full = if is_full { one.new.clone() } else { declared.first(&one.candidates, dotted) };
    Rename {
        old: one.old.clone(),
        exact: one.new.is_none() || full.is_some(),
        new: full.or_else(|| one.new.clone()),
        since: one.since.clone(),
        message: one.message.clone(),
        package: of.package.name.clone(),
        revision: of.package.revision.clone(),
        file: of.file.clone(),
        line: one.line as u64,
        protected: one.protected,
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
