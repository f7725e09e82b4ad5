//! `mk extract-all`: the texts of a folder, one after the other. What is done stays done: a file that was
//! read to its end is read again only when it, the model or the prompt changed.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::Context as _;
use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};
use jiff::Timestamp;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{Event, FactsOutcome, Options, Texts, Usage, key, note_read};
use crate::app::extract::inputs;
use crate::app::extract::read::stamp;
use crate::app::facts::FactReport;
use crate::app::learn::texts::{self, TextReport};
use crate::app::{App, Progress, model};
use crate::files;
use crate::llm::Failure;
use crate::store::{ReadText, time_text};
use crate::text::{hex, since};

/// After so many files in a row that the server took too long for, it is not asked any more.
const PATIENCE: usize = 2;

/// What is to be read.
#[derive(Debug, Clone, Default)]
pub struct BatchRequest {
    pub folder: PathBuf,
    /// Which files, as a glob; without a slash it is about names in any folder.
    pub pattern: String,
    /// Only files that changed since then, in any form that `mk search --since` takes.
    pub since: Option<String>,
    /// Ask no model, whatever is configured.
    pub no_model: bool,
    pub options: Options,
}

/// A file that could not be read, or that the model gave nothing usable for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileFailure {
    pub path: String,
    /// One word for why: that of the model's failure, else `file`.
    pub kind: &'static str,
    pub reason: String,
}

impl FileFailure {
    /// What an error says about a file.
    pub fn of(path: &Path, error: &anyhow::Error) -> Self {
        let kind = error.downcast_ref::<Failure>().map_or("file", Failure::kind);
        Self { path: path.display().to_string(), kind, reason: format!("{error:#}") }
    }
}

/// What became of a folder.
#[derive(Debug, Default, Serialize)]
pub struct BatchReport {
    pub found: u64,
    /// Of these, files that were read.
    pub read: u64,
    /// Files that were read before and are as they were.
    pub unchanged: u64,
    /// Files that changed before the time that was given.
    pub older: u64,
    /// Files that are left because somebody stopped.
    pub left: u64,
    pub interrupted: bool,
    /// Nothing was stored, as asked.
    pub dry_run: bool,
    #[serde(flatten)]
    pub said: TextReport,
    pub files: Vec<FactsOutcome>,
    pub stored: FactReport,
    /// Files that gave nothing, or not all that they could.
    pub failures: Vec<FileFailure>,
    /// Why the model was not asked about all files.
    pub model_failure: Option<FileFailure>,
    pub usage: Usage,
}

struct Batch<'a> {
    asker: Option<Texts>,
    asked: String,
    late: usize,
    told: &'a dyn Fn(Event<'_>),
    report: BatchReport,
}

/// Reads the texts of a folder, those that changed first come first: what was written last is known best.
///
/// # Errors
/// When the folder cannot be read, the pattern or the time is none, or there is no database to write to.
/// A bad file is a line of the report.
pub fn all(
    app: &mut App,
    request: &BatchRequest,
    told: &dyn Fn(Event<'_>),
    progress: Progress<'_>,
) -> anyhow::Result<BatchReport> {
    let since = request.since.as_deref().map(|words| since(words, app.now)).transpose();
    let since = since.map_err(anyhow::Error::msg)?;
    let files = files(&request.folder, &request.pattern)?;
    let options = &request.options;
    if !options.dry_run {
        app.store()?;
    }
    let is_wanted = !request.no_model && model::is_wanted(app, options.model.as_deref());
    let asker = if is_wanted { Some(Texts::open(app, options)?) } else { None };
    let asked = asker.as_ref().map(|asker| asker.asked.clone()).unwrap_or_default();
    let report = BatchReport {
        found: files.len() as u64,
        dry_run: options.dry_run,
        ..BatchReport::default()
    };
    let mut batch = Batch { asker, asked, late: 0, told, report };
    let total = files.len() as u64;
    for (done, (changed, path)) in (0..).zip(&files) {
        progress(done, total);
        if options.stop.load(Ordering::Relaxed) {
            batch.report.interrupted = true;
        } else if since
            .as_ref()
            .is_some_and(|since| changed.is_some_and(|at| time_text(at) < *since))
        {
            batch.report.older += 1;
        } else {
            batch.file(app, path);
        }
        if batch.report.interrupted {
            batch.report.left = total - done;
            break;
        }
    }
    progress(total, total);
    Ok(batch.report)
}

impl Batch<'_> {
    fn file(&mut self, app: &mut App, path: &Path) {
        let dry_run = self.report.dry_run;
        let state = match unread(app, path, &self.asked) {
            Ok(Some(state)) => state,
            Ok(None) => {
                self.report.unchanged += 1;
                return;
            }
            Err(error) => return self.fail(path, &error),
        };
        if !texts::is_text(path) {
            let error = anyhow::anyhow!(
                "is no text (.md, .txt, .jsonl): `mk extract` takes Lean files and archives"
            );
            return self.fail(path, &error);
        }
        if let Err(error) = texts::extract(app, path, dry_run, &mut self.report.said) {
            return self.fail(path, &error);
        }
        self.report.read += 1;
        let done = match self.asker.as_mut() {
            Some(asker) => asker.text(app, path, self.told).map(|outcome| self.take(path, outcome)),
            // Where the model failed, the file waits for it.
            None if self.report.model_failure.is_some() => Ok(()),
            None if dry_run => Ok(()),
            None => note_read(app, path, &state),
        };
        if let Err(error) = done {
            self.without_facts(path, &error);
        }
    }

    fn fail(&mut self, path: &Path, error: &anyhow::Error) {
        self.report.failures.push(FileFailure::of(path, error));
    }

    fn take(&mut self, path: &Path, outcome: FactsOutcome) {
        self.late = 0;
        self.report.usage.add(&outcome.usage);
        if let Some(stored) = &outcome.stored {
            self.report.stored.count(&outcome.changes);
            self.report.stored.summary |= stored.summary;
        }
        for failure in &outcome.failures {
            let reason = format!("part {} of {}: {}", failure.part, outcome.parts, failure.reason);
            let path = path.display().to_string();
            self.report.failures.push(FileFailure { path, kind: failure.kind, reason });
        }
        self.report.files.push(outcome);
    }

    /// A file that the model gave nothing for. A failure that all others would meet ends the asking, not
    /// the reading.
    fn without_facts(&mut self, path: &Path, error: &anyhow::Error) {
        let failure = error.downcast_ref::<Failure>();
        if failure == Some(&Failure::Stopped) {
            self.report.interrupted = true;
            self.report.read -= 1;
            return;
        }
        self.late = if failure.is_some_and(Failure::may_pass) { self.late + 1 } else { 0 };
        if failure.is_some_and(Failure::concerns_all) || self.late == PATIENCE {
            self.report.model_failure = Some(FileFailure::of(path, error));
            self.asker = None;
        } else {
            self.fail(path, error);
        }
    }
}

/// The files of a folder that fit a pattern, the oldest change first.
fn files(folder: &Path, pattern: &str) -> anyhow::Result<Vec<(Option<Timestamp>, PathBuf)>> {
    let shown = folder.display();
    let meta = fs::metadata(folder)
        .map_err(|error| anyhow::anyhow!("`{shown}`: {}", inputs::unreadable(&error)))?;
    anyhow::ensure!(meta.is_dir(), "`{shown}` is no folder: `mk extract` takes single files");
    let mut builder = WalkBuilder::new(folder);
    builder.standard_filters(false).follow_links(false).filter_entry(inputs::is_wanted);
    builder.overrides(glob(folder, pattern)?);
    let paths = builder.build().filter_map(Result::ok).map(ignore::DirEntry::into_path);
    let mut files: Vec<(Option<Timestamp>, PathBuf)> =
        paths.filter(|path| path.is_file()).map(|path| (changed(&path), path)).collect();
    files.sort();
    Ok(files)
}

fn glob(folder: &Path, pattern: &str) -> anyhow::Result<Override> {
    let pattern = pattern.trim();
    let is_glob = !pattern.is_empty() && !pattern.starts_with('!');
    anyhow::ensure!(is_glob, "`{pattern}` is no pattern: use one like `*.md` or `notes/**/*.txt`");
    let mut builder = OverrideBuilder::new(folder);
    let built = builder.add(pattern).and_then(|builder| builder.build());
    built.with_context(|| format!("`{pattern}` is no pattern"))
}

fn changed(path: &Path) -> Option<Timestamp> {
    fs::metadata(path).and_then(|meta| meta.modified()).ok()?.try_into().ok()
}

/// The state of a file that is still to be read, or to be asked about; `None` for one that is done.
fn unread(app: &mut App, path: &Path, asked: &str) -> anyhow::Result<Option<ReadText>> {
    let meta = fs::metadata(path).map_err(|error| anyhow::anyhow!(inputs::unreadable(&error)))?;
    let (size, mtime_ns) = stamp(&meta);
    let known = match app.existing_store()? {
        Some(store) => store.read_text(&key(path))?,
        None => None,
    };
    let known = known.filter(|known| known.size == size);
    let known = known.filter(|known| asked.is_empty() || known.asked == asked);
    if known.as_ref().is_some_and(|known| known.mtime_ns == mtime_ns) {
        return Ok(None);
    }
    let hash = hash(path).map_err(|error| anyhow::anyhow!(inputs::unreadable(&error)))?;
    if known.is_some_and(|known| known.hash == hash) {
        return Ok(None);
    }
    Ok(Some(ReadText { size, mtime_ns, hash, asked: String::new() }))
}

/// The hash of a file of any size.
fn hash(path: &Path) -> std::io::Result<String> {
    let mut file = files::open(path)?;
    let mut hash = Sha256::new();
    let mut block = vec![0; 64 * 1024];
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(hex(&hash.finalize()[..16])),
            Ok(count) => hash.update(block.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
