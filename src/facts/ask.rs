//! Asking the language model about texts and transcripts: a file in, facts and a summary out. A part that
//! does not fit is asked about in smaller ones; a part without a usable answer is named, and costs no other.
//! Nothing is stored of an answer that is not usable.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use jiff::Timestamp;
use serde::Serialize;

use super::{Became, Change, FactReport, Source};
use crate::app::App;
use crate::asker::{self, Asker};
use crate::extract::inputs;
use crate::extract::read::stamp;
use crate::files;
use crate::learn::facts::{self as learn, MAX_WORDS, OVERLAP, Quotations, Reading, Text};
use crate::learn::prompt::Template;
use crate::learn::transcript::{Reader, Record, read_plain};
use crate::store::{ForgottenKey, ReadText};
use crate::text::{clean, clean_block, clip, hash, one_line};
use crate::ui::Out;
use crate::ui::layout::{Column, Page};
use crate::ui::progress::Progress;
use crate::ui::theme::{Tone, paint};

pub use crate::asker::{Event, Usage};
pub use crate::llm::Failure;

/// A longer file is asked about in parts of a person's choosing.
const LONGEST: u64 = 64 * 1024 * 1024;

#[derive(Debug, Clone, Default)]
pub struct Options {
    pub model: Option<String>,
    pub dry_run: bool,
    pub stop: Arc<AtomicBool>,
}

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
    template: Template,
    /// Words of a part at most; becomes less where the server shows that it takes less.
    most_words: usize,
    pub(super) asked: String,
    dry_run: bool,
    /// An answer took too long; a second time is not waited for.
    was_late: bool,
}

impl Texts {
    /// The configured model, or the one of the options; nothing is sent yet.
    pub fn open(app: &App, options: &Options) -> anyhow::Result<Self> {
        let template = asker::template(app, &learn::FORM).map_err(anyhow::Error::msg)?;
        let asker = Asker::open(app, options.model.as_deref(), &options.stop)?;
        let asked = format!("{} {}", asker.name(), template.version());
        let (most_words, dry_run) = (MAX_WORDS, options.dry_run);
        Ok(Self { asker, template, most_words, asked, dry_run, was_late: false })
    }

    pub fn text(
        &mut self,
        app: &mut App,
        path: &Path,
        told: &dyn Fn(Event<'_>),
    ) -> anyhow::Result<FactsOutcome> {
        let material = read_material(path)?;
        let file = app.project.stable_path(path);
        let mut outcome = FactsOutcome { path: file.clone(), ..FactsOutcome::default() };
        // A text before it that gave nothing took something, too.
        outcome.usage = Usage { model: self.asker.take_usage().model, ..Usage::default() };
        if is_forgotten(app, &material)? {
            outcome.skipped = Some("its session was forgotten");
            return Ok(outcome);
        }
        self.ask(app, &material, &mut outcome, told)?;
        outcome.usage = self.asker.take_usage();
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
                note_read(app, path, &ReadText { asked: self.asked.clone(), ..material.state })?;
            }
        }
        Ok(outcome)
    }

    fn ask(
        &mut self,
        app: &App,
        material: &Material,
        outcome: &mut FactsOutcome,
        told: &dyn Fn(Event<'_>),
    ) -> Result<(), Failure> {
        let mut waiting = VecDeque::from([material.text.clone()]);
        let (mut first, mut answered) = (None, false);
        while let Some(next) = waiting.pop_front() {
            let mut smaller = next.parts(self.most_words, OVERLAP);
            if smaller.len() != 1 {
                smaller.drain(..).rev().for_each(|part| waiting.push_front(part));
                continue;
            }
            let part = outcome.parts + 1;
            match self.one(app, &next, (part, part + waiting.len()), told) {
                Ok(mut reading) => {
                    answered = true;
                    for fact in &mut reading.facts {
                        outcome.unsourced += usize::from(!material.quotations.settle(fact));
                    }
                    outcome.reading.absorb(reading);
                }
                Err(failure) if self.takes_less(&next, &failure) => {
                    told(Event::Smaller { failure: &failure });
                    waiting.push_front(next);
                    continue;
                }
                Err(failure) if failure.concerns_all() => return Err(failure),
                Err(failure) => {
                    let (kind, reason) = (failure.kind(), failure.to_string());
                    outcome.failures.push(PartFailure { part, kind, reason });
                    if failure.ends_asking() {
                        let (kind, reason) =
                            ("not_asked", "was not asked about: the one before it got no answer");
                        outcome.failures.extend(waiting.drain(..).zip(part + 1..).map(
                            |(_, part)| PartFailure { part, kind, reason: reason.to_owned() },
                        ));
                    }
                    first.get_or_insert(failure);
                }
            }
            outcome.parts = part;
        }
        outcome.parts = outcome.failures.last().map_or(0, |last| last.part).max(outcome.parts);
        first.filter(|_| !answered).map_or(Ok(()), Err)
    }

    fn one(
        &mut self,
        app: &App,
        text: &Text,
        (part, parts): (usize, usize),
        told: &dyn Fn(Event<'_>),
    ) -> Result<Reading, Failure> {
        let origin = self.template.origin(text);
        let question = asker::question(&learn::FORM, self.template.prompt(text), asker::limit(app));
        self.asker.load(&question, told)?;
        told(Event::Asking { part, parts, words: text.words(), question: &question });
        self.asker.ask(&question, told, |reply| learn::read(reply, &origin))
    }

    /// Whether parts are to be smaller from now on: this one was too large for the server, its time or its reply.
    fn takes_less(&mut self, text: &Text, failure: &Failure) -> bool {
        let words = text.words();
        let (most, fewest) = match failure {
            Failure::PromptCut { .. } => (words / 2, 100),
            Failure::TimedOut { .. } if !self.was_late => (words / 4, 600),
            Failure::Truncated { .. } => (words / 2, 2000),
            _ => return false,
        };
        self.was_late |= matches!(failure, Failure::TimedOut { .. });
        let takes_less = most >= fewest;
        if takes_less {
            self.most_words = most;
        }
        takes_less
    }
}

pub fn text(
    app: &mut App,
    path: &Path,
    options: &Options,
    told: &dyn Fn(Event<'_>),
) -> anyhow::Result<FactsOutcome> {
    Texts::open(app, options)?.text(app, path, told)
}

fn is_forgotten(app: &mut App, material: &Material) -> anyhow::Result<bool> {
    let Some(session) = material.session.as_deref() else { return Ok(false) };
    match app.existing_store()? {
        Some(store) => Ok(store.is_forgotten(&[ForgottenKey::Session(session)])?),
        None => Ok(false),
    }
}

pub(super) fn note_read(app: &mut App, path: &Path, state: &ReadText) -> anyhow::Result<()> {
    let (now, key) = (app.now, key(path));
    Ok(app.store()?.write(now, |writer| writer.set_read_text(&key, state))?)
}

pub(super) fn key(path: &Path) -> String {
    let absolute = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    absolute.to_string_lossy().into_owned()
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

fn read_material(path: &Path) -> anyhow::Result<Material> {
    let shown = path.display();
    let meta = fs::metadata(path)
        .map_err(|error| anyhow::anyhow!("`{shown}`: {}", inputs::unreadable(&error)))?;
    anyhow::ensure!(meta.is_file(), "`{shown}` is no file");
    anyhow::ensure!(
        meta.len() <= LONGEST,
        "`{shown}` has {} MB: a model is asked about texts of at most {} MB",
        meta.len() / 1024 / 1024,
        LONGEST / 1024 / 1024
    );
    let bytes = files::read(path, LONGEST).with_context(|| format!("could not read `{shown}`"))?;
    anyhow::ensure!(!bytes.contains(&0), "`{shown}` is no text: it holds NUL bytes");
    let records = records(path, &bytes);
    let (size, mtime_ns) = stamp(&meta);
    let hash = hash(&bytes, 16);
    let said_at = records.iter().rev().find_map(|record| record.at.as_deref()?.parse().ok());
    let written_at = || Timestamp::from_nanosecond(i128::from(mtime_ns)).ok();
    Ok(Material {
        text: Text::transcript(&records),
        quotations: Quotations::of(&records),
        session: records.iter().find_map(|record| record.session.as_deref().map(str::to_owned)),
        at: said_at.or_else(written_at),
        state: ReadText { size, mtime_ns, hash, asked: String::new() },
    })
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
    summary(outcome, &mut page);
    for failure in &outcome.failures {
        let line = format!("part {} of {} gave nothing", failure.part, outcome.parts);
        page.labelled(1, &line, &failure.reason);
    }
    for reason in outcome.reading.reasons.iter().take(REASONS) {
        page.labelled(1, "left out", reason);
    }
    let text = page.into_text();
    let counted = match &outcome.stored {
        _ if outcome.skipped.is_some() => return text,
        Some(stored) if !dry_run => self::stored(stored),
        _ => planned(&outcome.changes),
    };
    format!("{text}  {counted}\n")
}

fn heading(outcome: &FactsOutcome) -> String {
    let path = clean(&outcome.path);
    if let Some(reason) = outcome.skipped {
        return format!("{path}: not asked about, because {reason}");
    }
    if outcome.parts == 0 {
        return format!("{path}: is empty, the model was not asked");
    }
    let parts =
        if outcome.parts > 1 { format!(" in {} parts", outcome.parts) } else { String::new() };
    format!("{path}{parts}: {}", took(&outcome.usage))
}

pub(super) fn took(usage: &Usage) -> String {
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
    let new = &fact.value;
    let (word, value) = match (became, from, why) {
        (Became::Insert, ..) => ("insert", new.clone()),
        (Became::Verify, ..) => ("verify", new.clone()),
        (Became::Update, from, _) => {
            ("update", format!("{} -> {new}", from.as_deref().unwrap_or_default()))
        }
        (Became::Keep, from, _) => {
            let confirmed = from.as_deref().unwrap_or_default();
            ("keep", format!("{confirmed} (you confirmed it; the model says: {new})"))
        }
        (Became::Propose, ..) => ("propose", new.clone()),
        (Became::Skip, _, why) => ("skip", format!("{new} ({})", why.unwrap_or_default())),
    };
    let cells = [word, fact.category.as_str(), &fact.key, &value];
    cells.map(|cell| one_line(&clean(cell))).to_vec()
}

fn summary(outcome: &FactsOutcome, page: &mut Page) {
    let summary = &outcome.reading.summary;
    for (label, lines) in [
        ("decided", &summary.decisions),
        ("open", &summary.open_questions),
        ("to do", &summary.action_items),
    ] {
        for line in lines {
            page.labelled(1, label, line);
        }
    }
    page.labelled(1, "topics", &summary.topics.join(", "));
}

pub(super) fn planned<'a>(changes: impl IntoIterator<Item = &'a Change>) -> String {
    let mut report = FactReport::default();
    report.count(changes);
    format!("{}; nothing was stored", stored(&report))
}

pub(super) fn stored(report: &FactReport) -> String {
    let counts = [
        (report.inserted, "new"),
        (report.updated, "changed"),
        (report.verified, "seen again"),
        (report.kept, "kept as you confirmed them"),
        (report.proposed, "waiting for your word (mk review)"),
        (report.skipped, "left out, you decided"),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if parts.is_empty() { "facts: none".to_owned() } else { format!("facts: {}", parts.join(", ")) }
}

pub(crate) struct Watch<'a> {
    out: RefCell<&'a mut Out>,
    bar: Option<Progress>,
    verbose: bool,
}

impl<'a> Watch<'a> {
    /// With `verbose` every prompt and every reply, on stderr; else a bar for the parts of a text.
    pub(crate) fn new(out: &'a mut Out, verbose: bool, bar: bool) -> Self {
        let bar = (bar && !verbose).then(|| Progress::new("asking the model", out.watched));
        Self { out: RefCell::new(out), bar, verbose }
    }

    pub(crate) fn see(&self, event: Event<'_>) {
        if let (Event::Asking { part, parts, .. }, Some(bar)) = (event, &self.bar) {
            bar.show(part as u64 - 1, parts as u64);
        }
        if self.verbose {
            self.out.borrow_mut().note(&shown(event));
        }
    }
}

fn shown(event: Event<'_>) -> String {
    match event {
        Event::Loading { model } => format!("--- loading {} ---", clean(model)),
        Event::Asking { part, parts, words, question } => format!(
            "--- part {part} of {parts}, {words} words: instructions ---\n{}\n--- text ---\n{}",
            clean_block(&question.system),
            clean_block(&question.user)
        ),
        Event::Answered { reply, repaired } => {
            let which = if repaired { "second answer" } else { "answer" };
            format!("--- {which} ---\n{}", clean_block(reply))
        }
        Event::Failed { failure } => {
            let reply = match failure {
                Failure::Invalid { reply, .. } => {
                    format!("\n--- last answer ---\n{}", clean_block(reply))
                }
                _ => String::new(),
            };
            format!("--- no answer: {} ---{reply}", clean(&failure.to_string()))
        }
        Event::Smaller { .. } => "--- asking about it in smaller parts ---".to_owned(),
    }
}
