//! Which files are indexed: the packages of a project, each revision once for all projects, and the project's own
//! library, of which what has changed since is read anew for each question.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use rayon::prelude::*;

use super::index::{Built, SCHEMA, Segment};
use super::read::{Library, library};
use crate::app::packages::{self, Package};
use crate::app::{App, Progress, lean_files};
use crate::files;
use crate::lean;
use crate::text::hash;

/// An index that no session has used for so long, and that is of another revision, goes.
const UNUSED: Duration = Duration::from_hours(30 * 24);

/// No index takes so long to write.
const BEGUN: Duration = Duration::from_hours(1);

/// Files that changed since their index was made, of which more are not read for one question.
const MOST_CHANGED: usize = 400;

#[derive(Debug)]
pub(super) struct Indexed {
    pub(super) package: Package,
    path: PathBuf,
    /// Whether it may change without another revision.
    is_alive: bool,
}

/// A Lean file with what tells whether it has changed.
#[derive(PartialEq, Eq)]
struct File {
    path: PathBuf,
    module: String,
    size: i64,
    changed: i64,
}

pub(super) fn of_project(app: &App) -> Vec<Indexed> {
    let folder = folder(app);
    let mut found = packages::of_project(app);
    let root = app.project.root.clone();
    if lakefile(&root).is_some() {
        let name = root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
        found.push(Package { name, revision: None, folder: root });
    }
    let indexed = found.into_iter().map(|package| {
        // Lake replaces what it fetched as a whole.
        let is_fetched = package.folder.components().any(|part| part.as_os_str() == ".lake");
        let of = package.revision.clone().unwrap_or_else(|| {
            let changed = fs::metadata(&package.folder).and_then(|meta| meta.modified());
            let changed = changed.ok().filter(|_| is_fetched);
            format!("{} {changed:?}", package.folder.display())
        });
        let plain: String =
            package.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let path = folder.join(format!("{plain}.{}.{SCHEMA}.db", hash(of, 6)));
        Indexed { is_alive: package.revision.is_none() && !is_fetched, package, path }
    });
    indexed.collect()
}

fn folder(app: &App) -> PathBuf {
    app.paths.data_dir.join("premises")
}

/// Which Lean files of a project belong to its own library: those below a name of its lakefile, since it may hold
/// thousands of results that belong to none; all where there is no lakefile.
pub(crate) struct Own(Option<String>);

impl Own {
    pub(crate) fn of(root: &Path) -> Self {
        let own = Self(lakefile(root));
        let mut tops = files::entries(root).into_iter();
        let is_named =
            |top: PathBuf| top.file_name().is_some_and(|name| own.has(&name.to_string_lossy()));
        // A library without a name of its own is everything that is there.
        if tops.any(is_named) { own } else { Self(None) }
    }

    /// By its path from the root, with `/`.
    pub(crate) fn has(&self, file: &str) -> bool {
        let top = file.split('/').next().unwrap_or_default().trim_end_matches(".lean");
        self.0.as_ref().is_none_or(|text| is_library(file) && lean::has_word(text, top))
    }
}

fn lakefile(root: &Path) -> Option<String> {
    let names = ["lakefile.toml", "lakefile.lean"];
    names.iter().find_map(|name| files::text(&root.join(name), files::SMALL).ok())
}

impl Indexed {
    /// Its Lean files that others can import.
    fn files(&self) -> Vec<File> {
        let own = Own(lakefile(&self.package.folder).filter(|_| self.is_alive));
        let found = lean_files::below(&self.package.folder).files.into_iter();
        let files = found.filter_map(|path| {
            let file = within(&self.package, &path);
            let meta = fs::metadata(&path).ok().filter(|_| own.has(&file) && is_library(&file))?;
            let changed = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some(File {
                module: file.trim_end_matches(".lean").replace('/', "."),
                size: i64::try_from(meta.len()).ok()?,
                changed: i64::try_from(changed.as_nanos()).ok()?,
                path,
            })
        });
        files.collect()
    }

    /// What files offer, of one that cannot be read nothing; and whether one was gone.
    fn read(files: &[File], progress: Progress<'_>) -> (Library, bool) {
        let (done, is_gone) = (AtomicU64::new(0), AtomicBool::new(false));
        let total = files.len() as u64;
        let read = files.par_iter().map(|file| {
            let bytes = files::read(&file.path, lean_files::LARGEST).unwrap_or_else(|error| {
                is_gone.fetch_or(error.kind() == ErrorKind::NotFound, Ordering::Relaxed);
                Vec::new()
            });
            let found = library(&lean::decode(&bytes).text, &file.module);
            progress(1 + done.fetch_add(1, Ordering::Relaxed), total);
            found
        });
        let read: Vec<Library> = read.collect();
        let all = read.into_iter().fold(Library::default(), Library::add).resolved();
        (all, is_gone.into_inner())
    }

    /// The name of the lock that who makes its index holds.
    pub(super) fn lock(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        format!("premises.{stem}.lock")
    }

    /// Its index as it was made.
    pub(super) fn kept(&self) -> Option<Segment> {
        Segment::open(&self.package.name, &self.path)
    }

    /// The files that are not as its index has them, and the modules that are gone.
    fn changes(&self, kept: &Segment) -> anyhow::Result<(Vec<File>, HashSet<String>)> {
        if !self.is_alive {
            return Ok((Vec::new(), HashSet::new()));
        }
        let mut known = kept.files()?;
        let mut changed = self.files();
        changed.retain(|file| known.remove(&file.module) != Some((file.size, file.changed)));
        Ok((changed, known.into_keys().collect()))
    }

    /// Its index, and what has changed since, read now; `None` where the index is to be made first.
    pub(super) fn open(&self) -> anyhow::Result<Option<Vec<Segment>>> {
        let Some(mut kept) = self.kept() else { return Ok(None) };
        let (changed, gone) = self.changes(&kept)?;
        if changed.len() > MOST_CHANGED {
            return Ok(None);
        }
        kept.hidden = gone;
        kept.hidden.extend(changed.iter().map(|file| file.module.clone()));
        let mut segments = vec![kept];
        if !changed.is_empty() {
            let (fresh, _) = Self::read(&changed, &|_, _| ());
            segments.push(Segment::in_memory(&self.package.name, fresh)?);
        }
        Ok(Some(segments))
    }

    /// Whether its index is there and holds what its files hold.
    pub(super) fn is_current(&self) -> anyhow::Result<bool> {
        let Some(kept) = self.kept() else { return Ok(false) };
        let (changed, gone) = self.changes(&kept)?;
        Ok(changed.is_empty() && gone.is_empty())
    }

    /// Makes its index; with the numbers of files and premises. Nothing is kept of a package that is being fetched or
    /// changed meanwhile: it would be believed for as long as its revision stays.
    pub(super) fn make(&self, progress: Progress<'_>) -> anyhow::Result<(usize, usize)> {
        let files = self.files();
        let name = &self.package.name;
        if files.is_empty() && !self.is_alive {
            return Ok((0, 0));
        }
        let (library, is_gone) = Self::read(&files, progress);
        let is_same = !is_gone && self.files().iter().eq(files.iter());
        anyhow::ensure!(is_same, "`{name}` changed while it was read: try again");
        let built = Built::of(library);
        let of_alive = files.iter().filter(|_| self.is_alive);
        let stamps: Vec<_> =
            of_alive.map(|file| (file.module.clone(), file.size, file.changed)).collect();
        let place = || format!("the index {} cannot be written", self.path.display());
        built.write(&self.path, &stamps).with_context(place)?;
        Ok((files.len(), built.premises.len()))
    }
}

fn within(package: &Package, path: &Path) -> String {
    let path = path.strip_prefix(&package.folder).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

/// Whether a file may be imported by others: tests deprecate names only to see what happens.
fn is_library(file: &str) -> bool {
    let top = file.split('/').next().unwrap_or_default().trim_end_matches(".lean");
    let tests = top.ends_with("Test") || top.ends_with("Tests");
    !tests && !matches!(top, "test" | "tests" | "examples" | "scripts" | "bench" | "lakefile")
}

/// Marks the indexes that the project uses, and takes away those that nobody has used for long.
pub(super) fn collect(app: &App, used: &[Indexed]) {
    let now = SystemTime::from(app.now);
    let age = |path: &Path| {
        let changed = fs::metadata(path).and_then(|meta| meta.modified()).ok();
        changed.and_then(|changed| now.duration_since(changed).ok())
    };
    // What a process that was killed had begun to write.
    let begun = files::entries(&folder(app)).into_iter();
    let begun = begun.filter(|path| path.extension().is_none_or(|end| end != "db"));
    for path in begun.filter(|path| age(path).is_some_and(|age| age > BEGUN)) {
        fs::remove_file(&path).ok();
    }
    for path in files::ending_in(&folder(app), "db") {
        let is_used = used.iter().any(|one| one.path == path);
        if is_used {
            files::is_due(&path, now, Duration::ZERO);
        } else if age(&path).is_some_and(|age| age > UNUSED) {
            fs::remove_file(&path).ok();
        }
    }
}
