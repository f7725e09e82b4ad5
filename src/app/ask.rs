//! Asking the language model about texts and transcripts: a file in, facts and a summary out, which
//! `app::facts` compares with what is known and stores. Nothing is stored of an answer that is not usable.

mod batch;
mod call;
mod material;
mod parts;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Serialize;

use super::facts::{self as stored, FactReport, Source};
use super::{App, model, prompts};
use crate::config::model_name;
use crate::learn::facts::{self, Fact, MAX_WORDS, Prompt, Summary, Template};
use crate::store::{ForgottenKey, ReadText};
use call::{Line, Unanswered};
use material::Material;
use parts::{Gathered, Question};

pub use crate::learn::facts::Change;
pub use crate::llm::Failure;
pub use batch::{BatchReport, BatchRequest, FileFailure, all};
pub use parts::PartFailure;

/// How a text is asked about.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Another model than the configured one.
    pub model: Option<String>,
    /// Only say what would change.
    pub dry_run: bool,
    /// Becomes true when somebody wants to stop.
    pub stop: Arc<AtomicBool>,
}

/// What happens while a text is asked about, for who wants to watch.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// The server is asked to load the model.
    Loading {
        /// The model.
        model: &'a str,
    },
    /// A part is asked about.
    Asking {
        /// Its number, from 1.
        part: usize,
        /// How many there are, as far as is known.
        parts: usize,
        /// Its words.
        words: usize,
        /// What is sent.
        prompt: &'a Prompt,
    },
    /// An answer came that can be used.
    Answered {
        /// As it came.
        reply: &'a str,
        /// The first answer could not be used.
        repaired: bool,
    },
    /// None came.
    Failed {
        /// Why.
        failure: &'a Failure,
    },
    /// The part is asked about in smaller ones.
    Smaller {
        /// Why.
        failure: &'a Failure,
    },
}

/// What asking took.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Usage {
    /// The model.
    pub model: String,
    /// Requests that were sent.
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
    /// The facts, checked.
    pub facts: Vec<Fact>,
    /// What becomes of each of them.
    pub changes: Vec<Change>,
    /// The summary of the session.
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
    /// Parts that gave nothing.
    pub failures: Vec<PartFailure>,
    /// Why the model was not asked.
    pub skipped: Option<&'static str>,
    /// What it took.
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
        let material = material::read(path)?;
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
