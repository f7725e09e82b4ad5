//! Asking the language model about texts and transcripts: a file in, facts and a summary out, which
//! `app::facts` compares with what is known and stores. A part that does not fit is asked about in smaller
//! ones; a part without a usable answer is named, and costs no other. Nothing is stored of an answer that is
//! not usable.

mod batch;

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use jiff::Timestamp;
use serde::Serialize;

use super::facts::{self as stored, Change, FactReport, Source};
use super::model::{self, Asker};
use super::{App, prompts};
use crate::extract::inputs;
use crate::extract::read::stamp;
use crate::files;
use crate::learn::facts::{self, Chunk, MAX_WORDS, OVERLAP, Reading, Text, Voices};
use crate::learn::prompt::Template;
use crate::learn::transcript::{Reader, Record, read_plain};
use crate::store::{ForgottenKey, ReadText};
use crate::text::hash;

pub use super::model::{Event, Usage};
pub use crate::llm::Failure;
pub use batch::{BatchReport, BatchRequest, FileFailure, all};

/// A longer file is asked about in parts of a person's choosing.
const LONGEST: u64 = 64 * 1024 * 1024;

/// No part is made smaller than this many words because the server cut its prompt.
const FEWEST_WORDS: usize = 100;

/// Nor than this many because of the time that it took, or because the reply was too long.
const FEWEST_WORDS_IN_TIME: usize = 600;

/// After so many parts in a row that took too long, the rest is not asked about.
const PATIENCE: usize = 2;

/// How a text is asked about.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub model: Option<String>,
    pub dry_run: bool,
    /// Becomes true when somebody wants to stop.
    pub stop: Arc<AtomicBool>,
}

/// What asking about one file gave.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FactsOutcome {
    /// The file, relative to the project inside of one.
    pub path: String,
    #[serde(flatten)]
    pub reading: Reading,
    pub changes: Vec<Change>,
    /// What was stored; nothing with a dry run.
    pub stored: Option<FactReport>,
    /// Facts whose source the text does not show; they count as inferred.
    pub unsourced: usize,
    /// In how many parts the text was asked about; 0 for an empty one.
    pub parts: usize,
    pub failures: Vec<PartFailure>,
    /// Why the model was not asked.
    pub skipped: Option<&'static str>,
    pub usage: Usage,
}

/// A part of a text that gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartFailure {
    /// Its number, from 1.
    pub part: usize,
    /// One word for why.
    pub kind: &'static str,
    pub reason: String,
}

/// A model that is asked about one text after the other.
pub struct Texts {
    asker: Asker,
    template: Template,
    /// Words of a part at most; becomes less where the server shows that it takes less.
    most_words: usize,
    /// Model and version of the prompt.
    asked: String,
    dry_run: bool,
}

impl Texts {
    /// The configured model, or the one of the options; nothing is sent yet.
    ///
    /// # Errors
    /// As [`Asker::open`]; a sentence about the person's own prompt.
    pub fn open(app: &App, options: &Options) -> anyhow::Result<Self> {
        let template = prompts::template(app, &facts::FORM).map_err(anyhow::Error::msg)?;
        let asker = Asker::open(app, options.model.as_deref(), &options.stop)?;
        let asked = format!("{} {}", asker.name(), template.version());
        let (most_words, dry_run) = (MAX_WORDS, options.dry_run);
        Ok(Self { asker, template, most_words, asked, dry_run })
    }

    /// Asks about a file; stores what comes of it, unless only that is to be said.
    ///
    /// # Errors
    /// A [`Failure`] of the model, or what keeps the file from being read or the database from being
    /// written. Nothing is stored then.
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
        let (changes, kept) = stored::keep(app, &outcome.reading, source, self.dry_run)?;
        outcome.changes = changes;
        if !self.dry_run {
            outcome.stored = Some(kept);
            if outcome.failures.is_empty() {
                note_read(app, path, &ReadText { asked: self.asked.clone(), ..material.state })?;
            }
        }
        Ok(outcome)
    }

    /// Asks about all parts of a text.
    ///
    /// # Errors
    /// The failure of all, where no part gave an answer, or where none could.
    fn ask(
        &mut self,
        app: &App,
        material: &Material,
        outcome: &mut FactsOutcome,
        told: &dyn Fn(Event<'_>),
    ) -> Result<(), Failure> {
        let parts = facts::chunks(&material.text, self.most_words, OVERLAP);
        let mut waiting: VecDeque<Waiting<'_>> =
            parts.into_iter().map(|chunk| Waiting { chunk, is_piece: false }).collect();
        let (mut first, mut late, mut answered) = (None, 0, 0);
        while let Some(next) = waiting.pop_front() {
            if let Some(smaller) = next.in_pieces(self.most_words, next.is_piece) {
                smaller.into_iter().rev().for_each(|part| waiting.push_front(part));
                continue;
            }
            let part = outcome.parts + 1;
            match self.one(app, &next.chunk, (part, part + waiting.len()), told) {
                Ok(mut reading) => {
                    (late, answered) = (0, answered + 1);
                    for fact in &mut reading.facts {
                        outcome.unsourced += usize::from(material.voices.settle(fact));
                    }
                    outcome.reading.absorb(reading);
                }
                Err(failure) => {
                    if let Some(smaller) = self.smaller(&next, &failure) {
                        told(Event::Smaller { failure: &failure });
                        smaller.into_iter().rev().for_each(|part| waiting.push_front(part));
                        continue;
                    }
                    if failure.concerns_all() {
                        return Err(failure);
                    }
                    late = if failure.may_pass() { late + 1 } else { 0 };
                    let (kind, reason) = (failure.kind(), failure.to_string());
                    outcome.failures.push(PartFailure { part, kind, reason });
                    first.get_or_insert(failure);
                }
            }
            outcome.parts = part;
            if late == PATIENCE {
                let reason = "was not asked about, because the parts before it took too long";
                for part in part + 1..=part + waiting.len() {
                    let (kind, reason) = ("not_asked", reason.to_owned());
                    outcome.failures.push(PartFailure { part, kind, reason });
                }
                outcome.parts += waiting.len();
                break;
            }
        }
        first.filter(|_| answered == 0).map_or(Ok(()), Err)
    }

    fn one(
        &mut self,
        app: &App,
        chunk: &Chunk<'_>,
        (part, parts): (usize, usize),
        told: &dyn Fn(Event<'_>),
    ) -> Result<Reading, Failure> {
        let origin = self.template.origin(chunk);
        let prompt = self.template.prompt(chunk);
        let question = model::question(&facts::FORM, prompt, model::limit(app));
        self.asker.load(&question, told)?;
        told(Event::Asking { part, parts, words: chunk.words(), question: &question });
        self.asker.ask(&question, told, |reply| facts::read(reply, &origin))
    }

    /// Smaller parts for one that was too large for the server, for its time, or for its reply; `None`
    /// where smaller ones would be of no use.
    fn smaller<'t>(&mut self, next: &Waiting<'t>, failure: &Failure) -> Option<Vec<Waiting<'t>>> {
        let words = next.chunk.words();
        let (most, fewest, is_piece) = match failure {
            Failure::PromptCut { .. } => (words / 2, FEWEST_WORDS, next.is_piece),
            Failure::TimedOut { .. } => (words / 4, FEWEST_WORDS_IN_TIME, next.is_piece),
            Failure::Truncated { .. } if !next.is_piece => (words / 2, FEWEST_WORDS_IN_TIME, true),
            _ => return None,
        };
        if most < fewest {
            return None;
        }
        if !matches!(failure, Failure::Truncated { .. }) {
            self.most_words = most.min(self.most_words);
        }
        next.in_pieces(most, is_piece)
    }
}

struct Waiting<'a> {
    chunk: Chunk<'a>,
    /// It was made smaller because of its reply; once is enough.
    is_piece: bool,
}

impl Waiting<'_> {
    /// Parts of at most so many words; `None` where it has no more, or cannot be cut.
    fn in_pieces(&self, most: usize, is_piece: bool) -> Option<Vec<Self>> {
        let smaller = (self.chunk.words() > most).then(|| self.chunk.smaller(most, OVERLAP))?;
        let is_smaller = smaller.len() > 1;
        is_smaller.then(|| smaller.into_iter().map(|chunk| Self { chunk, is_piece }).collect())
    }
}

/// Asks the model about one file.
///
/// # Errors
/// As [`Texts::open`] and [`Texts::text`].
pub fn text(
    app: &mut App,
    path: &Path,
    options: &Options,
    told: &dyn Fn(Event<'_>),
) -> anyhow::Result<FactsOutcome> {
    Texts::open(app, options)?.text(app, path, told)
}

/// Whether a person had the session of a text forgotten.
fn is_forgotten(app: &mut App, material: &Material) -> anyhow::Result<bool> {
    let Some(session) = material.session.as_deref() else { return Ok(false) };
    match app.existing_store()? {
        Some(store) => Ok(store.is_forgotten(&[ForgottenKey::Session(session)])?),
        None => Ok(false),
    }
}

/// Remembers that a file was read to its end.
fn note_read(app: &mut App, path: &Path, state: &ReadText) -> anyhow::Result<()> {
    let (now, key) = (app.now, key(path));
    Ok(app.store()?.write(now, |writer| writer.set_read_text(&key, state))?)
}

/// A file as the database knows it.
fn key(path: &Path) -> String {
    let absolute = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    absolute.to_string_lossy().into_owned()
}

/// A file as a model is to read it.
#[derive(Debug)]
struct Material {
    text: Text,
    voices: Voices,
    session: Option<String>,
    /// When the last of it was said, or the file was written.
    at: Option<Timestamp>,
    state: ReadText,
}

/// Reads a transcript or a text.
///
/// # Errors
/// One sentence that says what keeps it from being read.
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
        voices: Voices::of(&records),
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
