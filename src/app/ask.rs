//! Asking the language model about texts and transcripts: a file in, facts and a summary out, which
//! `app::facts` compares with what is known and stores. A part that does not fit is asked about in smaller
//! ones; a part without a usable answer is named, and costs no other. Nothing is stored of an answer that is
//! not usable.

mod batch;

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::extract::inputs;
use super::extract::read::stamp;
use super::facts::{self as stored, FactReport, Source};
use super::{App, model, prompts};
use crate::config::model_name;
use crate::files;
use crate::learn::facts::{
    self, Chunk, Fact, MAX_WORDS, OVERLAP, Prompt, Reading, Summary, Template, Text, Voices,
};
use crate::learn::transcript::{Reader, Record, read_plain};
use crate::llm::{self, Answer, Model, Request};
use crate::store::{ForgottenKey, ReadText};
use crate::text::hash;

pub use crate::learn::facts::Change;
pub use crate::llm::Failure;
pub use batch::{BatchReport, BatchRequest, FileFailure, all};

/// How often it is looked whether to stop.
const LOOK: Duration = Duration::from_millis(50);

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

/// What happens while a text is asked about, for who wants to watch.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    Loading {
        model: &'a str,
    },
    Asking {
        /// Its number, from 1.
        part: usize,
        /// How many there are, as far as is known.
        parts: usize,
        words: usize,
        prompt: &'a Prompt,
    },
    Answered {
        reply: &'a str,
        /// The first answer could not be used.
        repaired: bool,
    },
    /// None came.
    Failed {
        failure: &'a Failure,
    },
    Smaller {
        failure: &'a Failure,
    },
}

/// What asking took.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Usage {
    pub model: String,
    pub requests: u64,
    /// Answers that could be used only when they were asked for again.
    pub repaired: u64,
    /// Tokens of the prompts, as far as the server counts them.
    pub prompt_tokens: u64,
    /// Tokens of the replies, as far as the server counts them.
    pub reply_tokens: u64,
    /// Seconds that were waited for answers; loading the model is not among them.
    pub seconds: f64,
}

impl Usage {
    /// Adds what another text took, with the same model.
    pub fn add(&mut self, other: &Self) {
        self.model.clone_from(&other.model);
        self.requests += other.requests;
        self.repaired += other.repaired;
        self.prompt_tokens += other.prompt_tokens;
        self.reply_tokens += other.reply_tokens;
        self.seconds += other.seconds;
    }
}

/// What asking about one file gave.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FactsOutcome {
    /// The file, relative to the project inside of one.
    pub path: String,
    pub facts: Vec<Fact>,
    pub changes: Vec<Change>,
    #[serde(rename = "session_summary")]
    pub summary: Summary,
    /// What was stored; nothing with a dry run.
    pub stored: Option<FactReport>,
    /// Facts of the model that did not hold up.
    pub left_out: usize,
    /// Why the first of them did not.
    pub reasons: Vec<String>,
    /// Facts whose source the text does not show; they count as inferred.
    pub unsourced: usize,
    /// In how many parts the text was asked about; 0 for an empty one.
    pub parts: usize,
    pub failures: Vec<PartFailure>,
    /// Why the model was not asked.
    pub skipped: Option<&'static str>,
    pub usage: Usage,
}

/// Somebody wanted to stop; nothing of the text at hand was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Interrupted;

/// A model that is asked about one text after the other.
pub struct Asker {
    line: Line,
    template: Template,
    load_limit: Duration,
    is_loaded: bool,
    most_words: usize,
    /// Model and version of the prompt.
    asked: String,
    dry_run: bool,
}

impl Asker {
    /// The configured model, or the one of the options; nothing is sent yet.
    ///
    /// # Errors
    /// A [`Failure`] about its address; a sentence about its name or about the person's own prompt.
    pub fn open(app: &App, options: &Options) -> anyhow::Result<Self> {
        let name = options.model.as_deref().map(model_name).transpose();
        let name = name.map_err(anyhow::Error::msg)?;
        let template = prompts::facts(app).map_err(anyhow::Error::msg)?;
        let model = model::open(app, name.as_deref())?;
        let asked = format!("{} {}", model.name(), template.version());
        let line = Line {
            model: Arc::from(model),
            schema: Arc::new(facts::schema()),
            limit: model::limit(app),
            stop: Arc::clone(&options.stop),
        };
        Ok(Self {
            line,
            template,
            load_limit: model::load_limit(app),
            is_loaded: false,
            most_words: MAX_WORDS,
            asked,
            dry_run: options.dry_run,
        })
    }

    /// Asks about a file; stores what comes of it, unless only that is to be said.
    ///
    /// # Errors
    /// A [`Failure`] of the model, [`Interrupted`], or what keeps the file from being read or the database
    /// from being written. Nothing is stored then.
    pub fn text(
        &mut self,
        app: &mut App,
        path: &Path,
        told: &dyn Fn(Event<'_>),
    ) -> anyhow::Result<FactsOutcome> {
        let material = read_material(path)?;
        let file = app.project.stable_path(path);
        let model = self.line.model.name().to_owned();
        let usage = Usage { model: model.clone(), ..Usage::default() };
        let mut outcome = FactsOutcome { path: file.clone(), usage, ..FactsOutcome::default() };
        if is_forgotten(app, &material)? {
            outcome.skipped = Some("its session was forgotten");
            return Ok(outcome);
        }
        let gathered = self.ask(&material, told)?;
        let project = app.project_identity();
        let source = Source {
            file: &file,
            session: material.session.as_deref(),
            project: project.as_deref(),
            at: material.at.unwrap_or(app.now),
            model: &model,
        };
        outcome.take(gathered, model.clone());
        outcome.changes = stored::plan(app, outcome.facts.clone(), source)?;
        if !self.dry_run {
            let (facts, summary) = (outcome.facts.clone(), &outcome.summary);
            let is_empty = facts.is_empty() && summary.is_empty();
            let kept = if is_empty {
                FactReport::default()
            } else {
                stored::keep(app, facts, Some(summary), source)?
            };
            outcome.stored = Some(kept);
            if outcome.failures.is_empty() {
                note_read(app, path, &ReadText { asked: self.asked.clone(), ..material.state })?;
            }
        }
        Ok(outcome)
    }

    fn ask(&mut self, material: &Material, told: &dyn Fn(Event<'_>)) -> anyhow::Result<Gathered> {
        let first = facts::chunks(&material.text, self.most_words, 0).into_iter().next();
        if let Some(first) = first.filter(|_| !self.is_loaded) {
            told(Event::Loading { model: self.line.model.name() });
            match self.line.load(&self.template.prompt(&first), self.load_limit) {
                Ok(()) => self.is_loaded = true,
                Err(Unanswered::Interrupted) => return Err(Interrupted.into()),
                Err(Unanswered::Failed(failure)) => return Err(failure.into()),
            }
        }
        let mut question = Question {
            line: &self.line,
            template: &self.template,
            voices: &material.voices,
            told,
            most_words: &mut self.most_words,
        };
        question.ask(&material.text)
    }
}

impl FactsOutcome {
    fn take(&mut self, gathered: Gathered, model: String) {
        let Gathered { reading, parts, unsourced, failures, usage } = gathered;
        self.facts = reading.facts;
        self.summary = reading.summary;
        self.left_out = reading.left_out;
        self.reasons = reading.reasons;
        (self.parts, self.unsourced, self.failures) = (parts, unsourced, failures);
        self.usage = Usage { model, ..usage };
    }
}

/// Asks the model about one file.
///
/// # Errors
/// As [`Asker::open`] and [`Asker::text`].
pub fn text(
    app: &mut App,
    path: &Path,
    options: &Options,
    told: &dyn Fn(Event<'_>),
) -> anyhow::Result<FactsOutcome> {
    Asker::open(app, options)?.text(app, path, told)
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

/// A question without an answer.
#[derive(Debug)]
enum Unanswered {
    Interrupted,
    Failed(Failure),
}

/// What every question of a run has in common.
#[derive(Clone)]
struct Line {
    model: Arc<dyn Model>,
    schema: Arc<Value>,
    limit: Duration,
    stop: Arc<AtomicBool>,
}

impl Line {
    /// Asks for the facts of a part.
    fn ask(
        &self,
        template: &Template,
        chunk: &Chunk<'_>,
        prompt: &Prompt,
    ) -> Result<Answer<Reading>, Unanswered> {
        let origin = template.origin(chunk);
        self.call(prompt, move |model, request| {
            llm::ask(model, request, |reply| facts::read(reply, &origin))
        })
    }

    /// Has the model loaded for questions like this one.
    fn load(&self, prompt: &Prompt, limit: Duration) -> Result<(), Unanswered> {
        self.call(prompt, move |model, request| model::load(model, request, limit))
    }

    /// Does it in a thread of its own: an answer may take minutes, and whoever interrupts does not wait
    /// for it. The thread is left alone then; it ends with its answer, or with the process.
    fn call<T: Send + 'static>(
        &self,
        prompt: &Prompt,
        work: impl FnOnce(&dyn Model, &Request<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Unanswered> {
        let (sender, receiver) = mpsc::channel();
        let (line, prompt) = (self.clone(), prompt.clone());
        let thread = thread::spawn(move || {
            let request = Request {
                system: &prompt.system,
                user: &prompt.user,
                name: facts::NAME,
                schema: &line.schema,
                max_tokens: facts::MAX_TOKENS,
                limit: line.limit,
            };
            sender.send(work(&*line.model, &request)).ok();
        });
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Unanswered::Interrupted);
            }
            match receiver.recv_timeout(LOOK) {
                Ok(answer) => return answer.map_err(Unanswered::Failed),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    if let Err(panic) = thread.join() {
                        std::panic::resume_unwind(panic);
                    }
                    return Err(Unanswered::Interrupted);
                }
            }
        }
    }
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

/// What a text gave.
#[derive(Debug, Default)]
struct Gathered {
    reading: Reading,
    parts: usize,
    /// Facts whose source the text does not show.
    unsourced: usize,
    failures: Vec<PartFailure>,
    usage: Usage,
}

/// What is to be asked, and with what.
struct Question<'a> {
    line: &'a Line,
    template: &'a Template,
    voices: &'a Voices,
    told: &'a dyn Fn(Event<'_>),
    /// Words of a part at most; becomes less where the server shows that it takes less.
    most_words: &'a mut usize,
}

struct Waiting<'a> {
    chunk: Chunk<'a>,
    /// It was made smaller because of its reply; once is enough.
    is_piece: bool,
}

impl Question<'_> {
    /// Asks about all parts of a text.
    ///
    /// # Errors
    /// [`Interrupted`]; the failure of all, where no part gave an answer, or where none could.
    fn ask(&mut self, text: &Text) -> anyhow::Result<Gathered> {
        let begin = facts::chunks(text, *self.most_words, OVERLAP);
        let mut waiting: VecDeque<Waiting<'_>> =
            begin.into_iter().map(|chunk| Waiting { chunk, is_piece: false }).collect();
        let mut gathered = Gathered::default();
        let (mut first, mut late, mut answered) = (None, 0, 0);
        while let Some(next) = waiting.pop_front() {
            if let Some(smaller) = fit(&next, *self.most_words) {
                smaller.into_iter().rev().for_each(|part| waiting.push_front(part));
                continue;
            }
            let part = gathered.parts + 1;
            match self.one(&next.chunk, (part, part + waiting.len()), &mut gathered.usage) {
                Ok(answer) => {
                    (late, answered) = (0, answered + 1);
                    self.take(answer, &mut gathered);
                }
                Err(Unanswered::Interrupted) => return Err(Interrupted.into()),
                Err(Unanswered::Failed(failure)) => {
                    if let Some(smaller) = self.retry(&next, &failure) {
                        (self.told)(Event::Smaller { failure: &failure });
                        smaller.into_iter().rev().for_each(|part| waiting.push_front(part));
                        continue;
                    }
                    if failure.concerns_all() {
                        return Err(failure.into());
                    }
                    late = if failure.may_pass() { late + 1 } else { 0 };
                    gathered.fail(part, &failure);
                    first.get_or_insert(failure);
                }
            }
            gathered.parts = part;
            if late == PATIENCE && !waiting.is_empty() {
                gathered.give_up(waiting.len());
                break;
            }
        }
        match first {
            Some(failure) if answered == 0 => Err(failure.into()),
            _ => Ok(gathered),
        }
    }

    fn one(
        &self,
        chunk: &Chunk<'_>,
        (part, parts): (usize, usize),
        usage: &mut Usage,
    ) -> Result<Answer<Reading>, Unanswered> {
        let prompt = self.template.prompt(chunk);
        (self.told)(Event::Asking { part, parts, words: chunk.words(), prompt: &prompt });
        let begin = std::time::Instant::now();
        let answer = self.line.ask(self.template, chunk, &prompt);
        usage.seconds += begin.elapsed().as_secs_f64();
        usage.requests += 1;
        if let Ok(answer) = &answer {
            usage.requests += u64::from(answer.repaired);
            usage.repaired += u64::from(answer.repaired);
            usage.prompt_tokens += answer.prompt_tokens;
            usage.reply_tokens += answer.reply_tokens;
            (self.told)(Event::Answered { reply: &answer.reply, repaired: answer.repaired });
        } else if let Err(Unanswered::Failed(failure)) = &answer {
            (self.told)(Event::Failed { failure });
        }
        answer
    }

    fn take(&self, answer: Answer<Reading>, gathered: &mut Gathered) {
        let mut reading = answer.value;
        for fact in &mut reading.facts {
            gathered.unsourced += usize::from(self.voices.settle(fact));
        }
        gathered.reading.absorb(reading);
    }

    /// Smaller parts for one that was too large for the server, for its time, or for its reply; `None`
    /// where smaller ones would be of no use.
    fn retry<'t>(&mut self, next: &Waiting<'t>, failure: &Failure) -> Option<Vec<Waiting<'t>>> {
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
            *self.most_words = most.min(*self.most_words);
        }
        let smaller = next.chunk.smaller(most, OVERLAP);
        let pieces = smaller.into_iter().map(|chunk| Waiting { chunk, is_piece }).collect();
        Some(pieces)
    }
}

/// Parts that fit for one that is too long by now.
fn fit<'t>(next: &Waiting<'t>, most_words: usize) -> Option<Vec<Waiting<'t>>> {
    if next.chunk.words() <= most_words {
        return None;
    }
    let smaller = next.chunk.smaller(most_words, OVERLAP);
    let is_piece = next.is_piece;
    (smaller.len() > 1)
        .then(|| smaller.into_iter().map(|chunk| Waiting { chunk, is_piece }).collect())
}

impl Gathered {
    fn fail(&mut self, part: usize, failure: &Failure) {
        let (kind, reason) = (failure.kind(), failure.to_string());
        self.failures.push(PartFailure { part, kind, reason });
    }

    /// Names the parts that are not asked about any more.
    fn give_up(&mut self, left: usize) {
        let reason = "was not asked about, because the parts before it took too long".to_owned();
        for part in self.parts + 1..=self.parts + left {
            self.failures.push(PartFailure { part, kind: "not_asked", reason: reason.clone() });
        }
        self.parts += left;
    }
}
