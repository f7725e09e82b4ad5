//! `mk extract-all`: the texts of a folder, one after the other. What is done stays done: a file that was
//! read to its end is read again only when it, the model or the prompt changed.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::Context as _;
use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};
use jiff::Timestamp;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::FactReport;
use super::ask::{
    Event, FactsOutcome, Options, Texts, Usage, Watch, asked, key, note_read, planned, stored, took,
};
use crate::app::learn::texts::{self, TextReport};
use crate::app::{App, review};
use crate::asker;
use crate::extract::inputs;
use crate::extract::read::stamp;
use crate::files;
use crate::llm::Failure;
use crate::store::{ReadText, time_text};
use crate::text::{clean, hex, one_line, plural, since as since_time};
use crate::ui::progress::Progress;
use crate::ui::{Exit, Out, UsageError, stop};

/// Learn from all notes and transcripts of a folder
///
/// Each file is read as by `mk extract`: by rule, and by a language model where one is configured or
/// named. A file that was read before and is as it was is passed over, so the same command goes on where
/// it was stopped. Hidden folders, packages and build folders are not walked into.
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Examples:
  mk extract-all notes/
  mk extract-all ~/.claude/projects/my-project --pattern '*.jsonl' --since 7d
  mk extract-all notes/ --model qwen3:8b --dry-run

Ctrl-C keeps what is done. Exit code 1 when a file could not be read or the model gave nothing for it.")]
pub(crate) struct Args {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Which files, as a glob over names, or over paths below DIR where it has a slash
    #[arg(long, value_name = "GLOB", default_value = "*.md")]
    pattern: String,
    /// Only files that changed since: 2026-01-31, 3h, 2w, yesterday
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Language model to ask for facts, instead of the configured one
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Ask no language model
    #[arg(long, conflicts_with = "model")]
    no_model: bool,
    /// Show what would be stored, store nothing; the model is asked all the same
    #[arg(long)]
    dry_run: bool,
    /// Show what the model is asked, and what it answers
    #[arg(long, short)]
    verbose: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let since = self.since.as_deref().map(|words| since_time(words, app.now)).transpose();
        let since = since.map_err(UsageError)?;
        let bar = Progress::new("reading texts", out.watched && !out.json && !self.verbose);
        let watch = Watch::new(out, self.verbose, false);
        let report = self.read(app, since.as_deref(), &|event| watch.see(event), &bar);
        drop(bar);
        let report = report?;
        if report.said.added > 0
            && let Some(text) = review::keep_journal(app)
        {
            out.note(&format!("mk: {text}"));
        }
        out.answer(&report, |width| view(&report, self.verbose, width))?;
        if report.interrupted {
            let text = "mk: stopped; what is done is kept, and the same command goes on from there";
            out.complain(text);
        }
        if let Some(failure) = &report.model_failure {
            out.complain(&format!("mk: {}: the texts wait for it", failure.reason));
        }
        let is_done =
            report.failures.is_empty() && report.model_failure.is_none() && !report.interrupted;
        Ok(if is_done { Exit::Done } else { Exit::Failed })
    }

    /// The latest changes come last: what was written last is known best. A bad file is a line of the report.
    fn read(
        &self,
        app: &mut App,
        since: Option<&str>,
        told: &dyn Fn(Event<'_>),
        bar: &Progress,
    ) -> anyhow::Result<BatchReport> {
        let files = files(&self.folder, &self.pattern)?;
        if !self.dry_run {
            app.store()?;
        }
        let stop = stop::stopped()?;
        let is_wanted = !self.no_model && asker::is_wanted(app, self.model.as_deref());
        let options =
            Options { model: self.model.clone(), dry_run: self.dry_run, stop: Arc::clone(&stop) };
        let asker = if is_wanted { Some(Texts::open(app, &options)?) } else { None };
        let asked = asker.as_ref().map(|asker| asker.asked.clone()).unwrap_or_default();
        let total = files.len() as u64;
        let report = BatchReport { found: total, dry_run: self.dry_run, ..BatchReport::default() };
        let mut batch = Batch { asker, asked, told, report };
        for (done, (changed, path)) in (0..).zip(&files) {
            bar.show(done, total);
            if stop.load(Ordering::Relaxed) {
                batch.report.interrupted = true;
            } else if changed.zip(since).is_some_and(|(at, since)| *time_text(at) < *since) {
                batch.report.older += 1;
            } else {
                batch.file(app, path);
            }
            if batch.report.interrupted {
                batch.report.left = total - done;
                break;
            }
        }
        bar.show(total, total);
        Ok(batch.report)
    }
}

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

#[derive(Debug, Default, Serialize)]
pub struct BatchReport {
    pub found: u64,
    pub read: u64,
    pub unchanged: u64,
    pub older: u64,
    pub left: u64,
    pub interrupted: bool,
    pub dry_run: bool,
    #[serde(flatten)]
    pub said: TextReport,
    pub files: Vec<FactsOutcome>,
    pub stored: FactReport,
    pub failures: Vec<FileFailure>,
    /// Why the model was not asked about all files.
    pub model_failure: Option<FileFailure>,
    pub usage: Usage,
}

struct Batch<'a> {
    asker: Option<Texts>,
    asked: String,
    told: &'a dyn Fn(Event<'_>),
    report: BatchReport,
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
        if failure.is_some_and(Failure::ends_asking) {
            self.report.model_failure = Some(FileFailure::of(path, error));
            self.asker = None;
        } else {
            self.fail(path, error);
        }
    }
}

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

fn view(report: &BatchReport, verbose: bool, width: usize) -> String {
    let mut text = String::new();
    if verbose || report.dry_run {
        for outcome in &report.files {
            text.push_str(&asked(outcome, report.dry_run, width));
            text.push('\n');
        }
    }
    for failure in &report.failures {
        let line =
            format!("failed: {}: {}", clean(&failure.path), one_line(&clean(&failure.reason)));
        writeln!(text, "  {line}").ok();
    }
    let mut parts = vec![format!("{} read", plural(report.read, "file"))];
    for (count, what) in
        [(report.unchanged, "unchanged"), (report.older, "older"), (report.left, "left")]
    {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if report.found == 0 {
        parts = vec!["no file fits the pattern".to_owned()];
    }
    writeln!(text, "  {}", parts.join(", ")).ok();
    let said = &report.said;
    if said.total > 0 || said.lessons > 0 {
        let found = plural(said.total, "proposal");
        let lessons = plural(said.lessons, "lesson");
        writeln!(text, "  by rule: {found} found, {} new; {lessons} new or changed", said.added)
            .ok();
    }
    if !report.files.is_empty() {
        let counted = if report.dry_run {
            planned(report.files.iter().flat_map(|outcome| &outcome.changes))
        } else {
            stored(&report.stored)
        };
        writeln!(text, "  {counted} ({})", took(&report.usage)).ok();
    }
    text
}
