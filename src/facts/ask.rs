//! Asking the language model about texts and transcripts: a file in, facts and a summary out; and `mk extract-all`,
//! the texts of a folder, one after the other. A part that does not fit is asked about in smaller ones; a part
//! without a usable answer is named, and costs no other. Nothing is stored of an answer that is not usable. What is
//! done stays done: a file is read again only when it, the model or the prompt changed.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use ignore::overrides::OverrideBuilder;
use jiff::Timestamp;
use serde::Serialize;

use super::{Became, Change, FactReport, Source};
use crate::app::App;
use crate::app::learn::read::{self as texts, TextReport};
use crate::asker::{self, Asker};
use crate::extract::inputs;
use crate::extract::read::{absolute, stamp};
use crate::files;
use crate::learn::facts::{self as learn, MAX_WORDS, OVERLAP, Quotations, Reading, Text};
use crate::learn::transcript::{Reader, Record, read_plain};
use crate::review;
use crate::store::{ReadText, time_text};
use crate::text::{clean, clip, counted, hash, one_line, plural, since as since_time};
use crate::ui::layout::{Column, Page};
use crate::ui::progress::Progress;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out, UsageError, stop};

pub use crate::asker::{Usage, Watcher};
pub use crate::llm::{Failure, Why};

/// A longer file is asked about in parts of a person's choosing.
const LONGEST: u64 = 64 * 1024 * 1024;

#[derive(Debug, Clone, Default, Serialize)]
pub struct FactsOutcome {
    pub path: String,
    #[serde(flatten)]
    pub reading: Reading,
    pub changes: Vec<Change>,
    pub stored: Option<FactReport>,
    /// Facts without a quotation that stands in the text: they wait for a person.
    pub unsourced: usize,
    /// In how many parts the text was asked about; 0 for an empty one.
    pub parts: usize,
    pub failures: Vec<PartFailure>,
    pub skipped: Option<&'static str>,
    pub usage: Usage,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartFailure {
    pub part: usize,
    pub kind: &'static str,
    pub reason: String,
}

pub struct Texts {
    asker: Asker,
    /// Words of a part at most; becomes less where the server shows that it takes less.
    most_words: usize,
    dry_run: bool,
    /// An answer took too long; a second time is not waited for.
    was_late: bool,
}

impl Texts {
    /// The configured model, or the named one; nothing is sent yet.
    pub fn open(
        app: &App,
        model: Option<&str>,
        dry_run: bool,
        stop: &Arc<AtomicBool>,
    ) -> anyhow::Result<Self> {
        let asker = Asker::open(app, &learn::FORM, model, stop)?;
        Ok(Self { asker, most_words: MAX_WORDS, dry_run, was_late: false })
    }

    pub fn text(
        &mut self,
        app: &mut App,
        path: &Path,
        told: Watcher<'_>,
    ) -> anyhow::Result<FactsOutcome> {
        let material = Material::read(path)?;
        let file = app.project.stable_path(path);
        let usage = self.asker.take_usage();
        let mut outcome = FactsOutcome { path: file.clone(), usage, ..FactsOutcome::default() };
        if let Some(store) = app.existing_store()?
            && store.forgets(material.session.as_deref())?
        {
            outcome.skipped = Some("its session was forgotten");
            return Ok(outcome);
        }
        let asked = self.ask(&material, &mut outcome, told);
        outcome.usage = self.asker.take_usage();
        asked?;
        let project = app.project_identity();
        let source = Source {
            file: &file,
            session: material.session.as_deref(),
            project: project.as_deref(),
            at: material.at.unwrap_or(app.now),
            model: &outcome.usage.model,
        };
        let (changes, kept) = super::keep(app, &outcome.reading, source, self.dry_run)?;
        outcome.changes = changes;
        if !self.dry_run {
            outcome.stored = Some(kept);
            if outcome.failures.is_empty() {
                let asked = self.asker.version();
                note_read(app, path, &ReadText { asked, ..material.state })?;
            }
        }
        Ok(outcome)
    }

    fn ask(
        &mut self,
        material: &Material,
        outcome: &mut FactsOutcome,
        told: Watcher<'_>,
    ) -> Result<(), Failure> {
        let mut waiting = VecDeque::from([material.text.clone()]);
        let (mut part, mut first, mut answered) = (1, None, false);
        while let Some(next) = waiting.pop_front() {
            let mut smaller = next.parts(self.most_words, OVERLAP);
            if smaller.len() != 1 {
                smaller.drain(..).rev().for_each(|part| waiting.push_front(part));
                continue;
            }
            outcome.parts = part + waiting.len();
            let place = (part, outcome.parts);
            match self.asker.ask(&next, place, told, learn::read) {
                Ok(mut reading) => {
                    answered = true;
                    for fact in &mut reading.facts {
                        outcome.unsourced += usize::from(!material.quotations.settle(fact));
                    }
                    outcome.reading.absorb(reading);
                }
                Err(failure) if self.takes_less(&next, &failure) => {
                    told(place, "--- asking about it in smaller parts ---");
                    waiting.push_front(next);
                    continue;
                }
                Err(failure) if failure.concerns_all() => return Err(failure),
                Err(failure) => {
                    let fail = |part, kind, reason: &str| PartFailure {
                        part,
                        kind,
                        reason: reason.to_owned(),
                    };
                    outcome.failures.push(fail(part, failure.kind(), &failure.text));
                    if failure.ends_asking() {
                        let reason = "was not tried: the one before it got no answer";
                        let left = (part + 1..).zip(waiting.drain(..));
                        outcome
                            .failures
                            .extend(left.map(|(part, _)| fail(part, "not_asked", reason)));
                    }
                    first.get_or_insert(failure);
                }
            }
            part += 1;
        }
        first.filter(|_| !answered).map_or(Ok(()), Err)
    }

    /// Whether parts are to be smaller from now on: this one was too large for the server, its time or its reply.
    fn takes_less(&mut self, text: &Text, failure: &Failure) -> bool {
        let words = text.words();
        let (most, fewest) = match failure.why {
            Why::PromptCut => (words / 2, 100),
            Why::TimedOut if !self.was_late => (words / 4, 600),
            Why::Truncated => (words / 2, 2000),
            _ => return false,
        };
        self.was_late |= failure.why == Why::TimedOut;
        if most < fewest {
            return false;
        }
        self.most_words = most;
        true
    }
}

fn note_read(app: &mut App, path: &Path, state: &ReadText) -> anyhow::Result<()> {
    let key = key(path);
    app.write(|writer| writer.set_read_text(&key, state))
}

fn key(path: &Path) -> String {
    absolute(path).to_string_lossy().into_owned()
}

/// A file as it is now, up to the largest that a model is asked about: of a longer one its size tells the rest.
fn load(path: &Path, meta: &fs::Metadata) -> anyhow::Result<(Vec<u8>, ReadText)> {
    let mut bytes = Vec::new();
    files::open(path)
        .and_then(|file| file.take(LONGEST).read_to_end(&mut bytes))
        .map_err(|error| anyhow::anyhow!(inputs::unreadable(&error)))?;
    let ((size, mtime_ns), hash) = (stamp(meta), hash(&bytes, 16));
    Ok((bytes, ReadText { size, mtime_ns, hash, asked: String::new() }))
}

#[derive(Debug)]
struct Material {
    text: Text,
    quotations: Quotations,
    session: Option<String>,
    /// When the last of it was said, or the file was written.
    at: Option<Timestamp>,
    state: ReadText,
}

impl Material {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let meta = fs::metadata(path)
            .map_err(|error| anyhow::anyhow!("`{shown}`: {}", inputs::unreadable(&error)))?;
        anyhow::ensure!(meta.is_file(), "`{shown}` is not a file");
        anyhow::ensure!(
            meta.len() <= LONGEST,
            "`{shown}` has {} MB: a text for a model has at most {} MB",
            meta.len() / 1024 / 1024,
            LONGEST / 1024 / 1024
        );
        let (bytes, state) = load(path, &meta).with_context(|| format!("`{shown}`"))?;
        anyhow::ensure!(!bytes.contains(&0), "`{shown}` is not text: it contains NUL bytes");
        let records = records(path, &bytes);
        let said_at = records.iter().rev().find_map(|record| record.at.as_deref()?.parse().ok());
        Ok(Self {
            text: Text::transcript(&records),
            quotations: Quotations::of(&records),
            session: records.iter().find_map(|record| record.session.as_deref().map(str::to_owned)),
            at: said_at.or_else(|| files::modified(path)),
            state,
        })
    }
}

fn records(path: &Path, bytes: &[u8]) -> Vec<Record> {
    if !path.extension().is_some_and(|end| end.eq_ignore_ascii_case("jsonl")) {
        return read_plain(bytes);
    }
    let mut reader = Reader::new();
    let mut records = Vec::new();
    reader.push(bytes, &mut records);
    reader.finish(&mut records);
    records
}

const REASONS: usize = 5;

pub fn asked(outcome: &FactsOutcome, dry_run: bool, width: usize) -> String {
    let mut page = Page::new(width);
    page.line(1, &paint(Tone::Heading, &clip(&heading(outcome), page.room(1))));
    if !outcome.changes.is_empty() {
        let columns = [("CHANGE", 0), ("CATEGORY", 0), ("KEY", 12), ("VALUE", 20)]
            .map(|(title, shrinks_to)| Column::text(title, shrinks_to));
        page.table(1, &columns, outcome.changes.iter().map(row));
    }
    let summary = &outcome.reading.summary;
    for (label, line) in summary.lines() {
        page.labelled(1, &label.to_lowercase(), line);
    }
    page.labelled(1, "topics", &summary.topics.join(", "));
    for failure in &outcome.failures {
        let line = format!("part {} of {} gave nothing", failure.part, outcome.parts);
        page.labelled(1, &line, &failure.reason);
    }
    for reason in outcome.reading.reasons.iter().take(REASONS) {
        page.labelled(1, "left out", reason);
    }
    let text = page.into_text();
    if outcome.skipped.is_some() {
        return text;
    }
    format!("{text}  {}\n", became(&outcome.changes, dry_run))
}

fn heading(outcome: &FactsOutcome) -> String {
    let path = clean(&outcome.path);
    if let Some(reason) = outcome.skipped {
        return format!("{path}: skipped, because {reason}");
    }
    if outcome.parts == 0 {
        return format!("{path}: is empty, the model was not asked");
    }
    let parts =
        if outcome.parts > 1 { format!(" in {} parts", outcome.parts) } else { String::new() };
    format!("{path}{parts}: {}", took(&outcome.usage))
}

fn took(usage: &Usage) -> String {
    let mut text = format!("{}, {:.1} s", clean(&usage.model), usage.seconds);
    if usage.prompt_tokens + usage.reply_tokens > 0 {
        let (read, said) = (usage.prompt_tokens, usage.reply_tokens);
        write!(text, ", {read} tokens read and {said} said").ok();
    }
    match usage.repaired {
        0 => {}
        1 => text.push_str(", one answer asked for again"),
        n => write!(text, ", {n} answers asked for again").unwrap_or_default(),
    }
    text
}

fn row(change: &Change) -> Vec<String> {
    let Change { change: became, from, why, fact } = change;
    let (new, from) = (&fact.value, from.as_deref().unwrap_or_default());
    let value = match became {
        Became::Insert | Became::Verify | Became::Propose => new.clone(),
        Became::Update => format!("{from} -> {new}"),
        Became::Keep => format!("{from} (you confirmed it; the model says: {new})"),
        Became::Skip => format!("{new} ({})", why.unwrap_or_default()),
    };
    let cells = [became.as_str(), &fact.category, &fact.key, &value];
    cells.map(|cell| one_line(&clean(cell))).to_vec()
}

fn became<'a>(changes: impl IntoIterator<Item = &'a Change>, dry_run: bool) -> String {
    let mut report = FactReport::default();
    report.count(changes);
    let counts = counted([
        (report.inserted, "new"),
        (report.updated, "changed"),
        (report.verified, "seen again"),
        (report.kept, "kept as you confirmed them"),
        (report.proposed, "waiting for your decision (mk review)"),
        (report.skipped, "left out because of your decision"),
    ]);
    let stored = if dry_run { "; nothing was stored" } else { "" };
    format!("facts: {}{stored}", if counts.is_empty() { "none" } else { &counts })
}

/// With `verbose` every prompt and every reply, on stderr; else a bar for the parts of a text.
pub(crate) fn watch(out: &mut Out, verbose: bool, bar: bool) -> impl Fn((usize, usize), &str) {
    let bar = Progress::new("asking the model", bar && !verbose && out.watched);
    let out = RefCell::new(out);
    move |(part, parts), text| {
        bar.show(part as u64 - 1, parts as u64);
        if verbose {
            out.borrow_mut().note(text);
        }
    }
}

/// Learn from all notes and transcripts of a folder
///
/// Each file is read as by `mk extract`: by rule, and by a language model if one is configured or
/// named. Files that have not changed since they were read are skipped, so the same command
/// continues where it was stopped. Hidden folders, packages and build folders are skipped.
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
    /// Show what would be stored, store nothing; the model is still asked
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
        let report = self.read(app, since.as_deref(), out)?;
        if report.said.added > 0 {
            review::say_journal(app, out);
        }
        out.answer(&report, |width| batch_view(&report, self.verbose, width))?;
        if report.interrupted {
            let text = "mk: stopped; what is done is kept, and the same command goes on from there";
            out.note(text);
        }
        if let Some(failure) = &report.model_failure {
            out.note(&format!("mk: {}: the texts wait for it", failure.reason));
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
        out: &mut Out,
    ) -> anyhow::Result<BatchReport> {
        let bar = Progress::new("reading texts", out.watched && !out.json && !self.verbose);
        let told = &watch(out, self.verbose, false);
        let files = files(&self.folder, &self.pattern)?;
        if !self.dry_run {
            app.store()?;
        }
        let stop = stop::stopped()?;
        let model = self.model.as_deref();
        let is_wanted = !self.no_model && asker::is_wanted(app, model);
        let open = || Texts::open(app, model, self.dry_run, &stop);
        let asker = is_wanted.then(open).transpose()?;
        let asked = asker.as_ref().map(|texts| texts.asker.version()).unwrap_or_default();
        let (total, dry_run) = (files.len() as u64, self.dry_run);
        let report = BatchReport { found: total, dry_run, ..BatchReport::default() };
        let mut batch = Batch { asker, asked, told, report };
        for (done, (changed, path)) in (0..).zip(&files) {
            bar.show(done, total);
            if stop.load(Ordering::Relaxed) {
                batch.report.interrupted = true;
            } else if changed.zip(since).is_some_and(|(at, since)| *time_text(at) < *since) {
                batch.report.older += 1;
            } else if let Err(error) = batch.file(app, path) {
                batch.fail(path, &error);
            }
            if batch.report.interrupted {
                batch.report.left = total - done;
                break;
            }
        }
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
    pub model_failure: Option<FileFailure>,
    pub usage: Usage,
}

struct Batch<'a> {
    asker: Option<Texts>,
    asked: String,
    told: Watcher<'a>,
    report: BatchReport,
}

impl Batch<'_> {
    fn file(&mut self, app: &mut App, path: &Path) -> anyhow::Result<()> {
        let dry_run = self.report.dry_run;
        let Some(state) = unread(app, path, &self.asked)? else {
            self.report.unchanged += 1;
            return Ok(());
        };
        anyhow::ensure!(
            texts::is_text(path),
            "is not a text file (.md, .txt, .jsonl): `mk extract` takes Lean files and archives"
        );
        texts::extract(app, path, dry_run, &mut self.report.said)?;
        self.report.read += 1;
        match self.asker.as_mut() {
            Some(asker) => {
                let outcome = asker.text(app, path, self.told)?;
                self.take(path, outcome);
            }
            // Where the model failed, the file waits for it.
            None if dry_run || self.report.model_failure.is_some() => {}
            None => note_read(app, path, &state)?,
        }
        Ok(())
    }

    /// A failure of the model that all others would meet ends the asking, not the reading.
    fn fail(&mut self, path: &Path, error: &anyhow::Error) {
        let report = &mut self.report;
        match error.downcast_ref::<Failure>() {
            Some(failure) if failure.why == Why::Stopped => {
                report.interrupted = true;
                report.read -= 1;
            }
            Some(failure) if failure.ends_asking() => {
                report.model_failure = Some(FileFailure::of(path, error));
                self.asker = None;
            }
            _ => report.failures.push(FileFailure::of(path, error)),
        }
    }

    fn take(&mut self, path: &Path, outcome: FactsOutcome) {
        let report = &mut self.report;
        report.usage.add(&outcome.usage);
        if let Some(stored) = &outcome.stored {
            report.stored.count(&outcome.changes);
            report.stored.summary |= stored.summary;
        }
        for PartFailure { part, kind, reason } in &outcome.failures {
            let reason = format!("part {part} of {}: {reason}", outcome.parts);
            report.failures.push(FileFailure { path: path.display().to_string(), kind, reason });
        }
        report.files.push(outcome);
    }
}

fn files(folder: &Path, pattern: &str) -> anyhow::Result<Vec<(Option<Timestamp>, PathBuf)>> {
    let shown = folder.display();
    let meta = fs::metadata(folder)
        .map_err(|error| anyhow::anyhow!("`{shown}`: {}", inputs::unreadable(&error)))?;
    anyhow::ensure!(meta.is_dir(), "`{shown}` is not a folder: `mk extract` takes single files");
    let pattern = pattern.trim();
    let is_glob = !pattern.is_empty() && !pattern.starts_with('!');
    anyhow::ensure!(
        is_glob,
        "`{pattern}` is not a pattern: use one like `*.md` or `notes/**/*.txt`"
    );
    let mut builder = OverrideBuilder::new(folder);
    let glob = builder.add(pattern).and_then(|builder| builder.build());
    let glob = glob.with_context(|| format!("`{pattern}` is not a valid pattern"))?;
    let paths = inputs::entries(folder, glob).filter(|path| path.is_file());
    let mut files: Vec<_> = paths.map(|path| (files::modified(&path), path)).collect();
    files.sort();
    Ok(files)
}

/// The state of a file that is still to be read, or to be asked about; `None` for one that is done.
fn unread(app: &mut App, path: &Path, asked: &str) -> anyhow::Result<Option<ReadText>> {
    let meta = fs::metadata(path).map_err(|error| anyhow::anyhow!(inputs::unreadable(&error)))?;
    let stamp = stamp(&meta);
    let known = match app.existing_store()? {
        Some(store) => store.read_text(&key(path))?,
        None => None,
    };
    let known =
        known.filter(|known| known.size == stamp.0 && (asked.is_empty() || known.asked == asked));
    if known.as_ref().is_some_and(|known| known.mtime_ns == stamp.1) {
        return Ok(None);
    }
    let (_, state) = load(path, &meta)?;
    Ok(known.is_none_or(|known| known.hash != state.hash).then_some(state))
}

fn batch_view(report: &BatchReport, verbose: bool, width: usize) -> String {
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
    let others =
        counted([(report.unchanged, "unchanged"), (report.older, "older"), (report.left, "left")]);
    let read = plural(report.read, "file");
    let line = match (report.found, others.as_str()) {
        (0, _) => "no file matches the pattern".to_owned(),
        (_, "") => format!("{read} read"),
        (_, others) => format!("{read} read, {others}"),
    };
    writeln!(text, "  {line}").ok();
    let said = &report.said;
    if said.total > 0 || said.lessons > 0 {
        let found = plural(said.total, "proposal");
        let lessons = plural(said.lessons, "lesson");
        writeln!(text, "  by rule: {found} found, {} new; {lessons} new or changed", said.added)
            .ok();
    }
    if !report.files.is_empty() {
        let changes = report.files.iter().flat_map(|outcome| &outcome.changes);
        writeln!(text, "  {} ({})", became(changes, report.dry_run), took(&report.usage)).ok();
    }
    text
}
