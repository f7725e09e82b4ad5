//! The names that moved in the packages of a project.
//!
//! Everything comes from the files on disk: no network, no Lean. Without packages there is no
//! table and no complaint.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use super::packages::{self, Package};
use super::{App, Progress, lean_files};
use crate::files;
use crate::lean::{self, Deprecation, Moved, Successor};
use crate::model::Rename;

mod stored;

pub use stored::{keep, read_already, table};

/// More successors are not followed: they go in circles.
const LONGEST_CHAIN: usize = 20;
/// More hits of one question are not shown.
const MOST_HITS: usize = 50;

/// The renames of some packages.
#[derive(Debug, Default, Serialize)]
pub struct Table {
    pub packages: Vec<PackageCount>,
    /// By old name.
    pub renames: Vec<Rename>,
}

/// How much of a package was read.
#[derive(Debug, Serialize)]
pub struct PackageCount {
    pub name: String,
    pub revision: Option<String>,
    pub files: usize,
    pub names: usize,
    pub renames: usize,
}

/// The answer to a question for a name.
#[derive(Debug, Serialize)]
pub struct Answer {
    pub name: String,
    /// What is known about it; when nothing has exactly this name, about names that end in it.
    pub found: Vec<Hit>,
    pub total: usize,
}

/// A name that moved, and where it is today.
#[derive(Debug, Serialize)]
pub struct Hit {
    #[serde(flatten)]
    pub rename: Rename,
    /// The last of the names that followed, where the new one moved again.
    pub today: Option<String>,
}

/// Reads all packages of the project, several files at a time.
pub fn build(app: &App, progress: Progress<'_>) -> Table {
    let packages = packages::of_project(app);
    let sources: Vec<Source<'_>> = packages.iter().flat_map(sources).collect();
    let total = sources.len() as u64;
    let done = AtomicU64::new(0);
    let read: Vec<Read<'_>> = sources
        .par_iter()
        .map(|source| {
            let read = read(source);
            progress(1 + done.fetch_add(1, Ordering::Relaxed), total);
            read
        })
        .collect();
    let names = Names::of(&read);
    let mut table = Table::default();
    for package in &packages {
        let own = || read.iter().filter(|read| read.source.package.name == package.name);
        let renames = own().flat_map(|read| renames(read, &names));
        let before = table.renames.len();
        table.renames.extend(renames);
        table.packages.push(PackageCount {
            name: package.name.clone(),
            revision: package.revision.clone(),
            files: own().count(),
            names: own().map(|read| read.declared.len()).sum(),
            renames: table.renames.len() - before,
        });
    }
    table.sort();
    table
}

impl Table {
    fn sort(&mut self) {
        self.renames.sort_by(|a, b| a.old.cmp(&b.old).then(b.exact.cmp(&a.exact)));
    }

    /// The old names, to be looked for in texts.
    pub fn moved(&self) -> Moved<'_> {
        Moved::of(self.renames.iter().map(|rename| (rename.old.as_str(), rename.protected)))
    }

    /// What an old name, in full, is called now.
    pub fn new_name(&self, old: &str) -> Option<&str> {
        let start = self.renames.partition_point(|rename| rename.old.as_str() < old);
        let own = self.renames.iter().skip(start).take_while(|rename| rename.old == old);
        own.into_iter().find_map(|rename| rename.new.as_deref())
    }
}

/// What the table says about a name, with or without backquotes or `_root_`.
pub fn lookup(table: &Table, name: &str) -> Answer {
    let name = name.trim().trim_matches(['`', '@']);
    let name = name.strip_prefix("_root_.").unwrap_or(name);
    let mut hits: Vec<&Rename> = table.renames.iter().filter(|r| r.old == name).collect();
    if hits.is_empty() {
        let ending = format!(".{name}");
        hits = table.renames.iter().filter(|r| r.old.ends_with(&ending)).collect();
    }
    let successors: HashMap<&str, &str> = table
        .renames
        .iter()
        .filter_map(|rename| Some((rename.old.as_str(), rename.new.as_deref()?)))
        .collect();
    let total = hits.len();
    let found = hits.into_iter().take(MOST_HITS).map(|rename| {
        let today = rename.new.as_deref().and_then(|new| last(&successors, new));
        Hit { rename: rename.clone(), today }
    });
    Answer { name: name.to_owned(), found: found.collect(), total }
}

/// The end of a chain of renames that begins at a name; `None` if it did not move.
fn last(successors: &HashMap<&str, &str>, new: &str) -> Option<String> {
    let mut seen = HashSet::from([new]);
    let mut at = new;
    for _ in 0..LONGEST_CHAIN {
        match successors.get(at) {
            Some(next) if seen.insert(next) => at = next,
            Some(_) => return None,
            None => break,
        }
    }
    (at != new).then(|| at.to_owned())
}

/// A file of a package.
struct Source<'a> {
    package: &'a Package,
    path: PathBuf,
    /// Its path in the package.
    file: String,
}

fn sources(package: &Package) -> Vec<Source<'_>> {
    let found = lean_files::below(&package.folder);
    let sources = found.files.into_iter().filter_map(|path| {
        let file = path.strip_prefix(&package.folder).ok()?.to_string_lossy().replace('\\', "/");
        is_library(&file).then_some(Source { package, path, file })
    });
    sources.collect()
}

/// Whether a file may be imported by others: tests deprecate names only to see what happens.
fn is_library(file: &str) -> bool {
    let top = file.split('/').next().unwrap_or_default().trim_end_matches(".lean");
    let tests = top.ends_with("Test") || top.ends_with("Tests");
    !tests && !matches!(top, "test" | "tests" | "examples" | "scripts" | "bench" | "lakefile")
}

/// What was read of a file.
struct Read<'a> {
    source: &'a Source<'a>,
    declared: Vec<Name>,
    deprecations: Vec<Deprecation>,
}

struct Name {
    full: String,
    protected: bool,
}

/// A file that cannot be read says nothing.
fn read<'a>(source: &'a Source<'a>) -> Read<'a> {
    let bytes = files::read(&source.path, files::LONG).unwrap_or_default();
    let text = lean::decode(&bytes).text;
    let outline = lean::skim(&text);
    let module = source.file.strip_suffix(".lean").unwrap_or(&source.file).replace('/', ".");
    let deprecations = lean::deprecations(&text, &outline, Some(&module));
    let mut declared = Vec::new();
    for declaration in &outline.declarations {
        let protected = declaration.is(&text, "protected");
        declared.extend(declaration.name.clone().map(|full| Name { full, protected }));
    }
    Read { source, declared, deprecations }
}

/// Every name that the packages declare, and whether its last part alone can mean it.
struct Names<'a> {
    protected: HashMap<&'a str, bool>,
}

impl<'a> Names<'a> {
    fn of(read: &'a [Read<'a>]) -> Self {
        let names = read.iter().flat_map(|read| &read.declared);
        Self { protected: names.map(|name| (name.full.as_str(), name.protected)).collect() }
    }

    /// The full name of a successor, if a package declares it.
    fn resolve(&self, new: &Successor) -> Option<String> {
        if let Some(full) = &new.full {
            return Some(full.clone());
        }
        let dotted = new.written.contains('.');
        let visible = |name: &&String| {
            self.protected.get(name.as_str()).is_some_and(|protected| dotted || !protected)
        };
        new.candidates.iter().find(visible).cloned()
    }
}

fn renames(read: &Read<'_>, names: &Names<'_>) -> Vec<Rename> {
    let package = read.source.package;
    let rename = |deprecation: &Deprecation| {
        let new = deprecation.new.as_ref();
        let full = new.and_then(|new| names.resolve(new));
        Rename {
            old: deprecation.old.clone(),
            exact: new.is_none() || full.is_some(),
            new: full.or_else(|| new.map(|new| new.written.clone())),
            since: deprecation.since.clone(),
            message: deprecation.message.clone(),
            package: package.name.clone(),
            revision: package.revision.clone(),
            file: read.source.file.clone(),
            line: deprecation.line as u64,
            protected: deprecation.protected,
        }
    };
    read.deprecations.iter().map(rename).collect()
}

/// How many renames have how much of a successor, for the view.
pub fn successors(table: &Table) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for rename in &table.renames {
        let kind = match (&rename.new, rename.exact, &rename.message) {
            (Some(_), true, _) => "with a new name",
            (Some(_), false, _) => "with a new name that no package declares",
            (None, _, Some(_)) => "with advice only",
            (None, _, None) => "without a word",
        };
        *counts.entry(kind).or_default() += 1;
    }
    counts
}
