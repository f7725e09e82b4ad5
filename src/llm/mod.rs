//! Language models on a server that the person runs: Ollama's protocol and that of OpenAI.
//!
//! Only the one address of [`Settings`] is contacted: no proxy of the environment is used and no redirect
//! is followed. [`ask()`] is the way in: it sends, takes the JSON out of the reply, has it checked, and asks
//! once more where it is not usable.

mod ask;
mod model;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text::vocabulary;

pub use ask::{Answer, ask};
pub use model::Model;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Ollama's own, `/api/chat`.
    Ollama,
    /// OpenAI's, `/v1/chat/completions`, as llama.cpp, vLLM, LM Studio and others speak it.
    OpenAi,
}

/// Cannot be printed: it holds the key.
#[derive(Clone)]
pub struct Settings {
    pub provider: Provider,
    pub url: String,
    pub model: String,
    /// How long Ollama keeps the model in memory after an answer: `10m`, or whole seconds.
    pub keep_alive: String,
    /// It is sent, and shown nowhere.
    pub key: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Request {
    pub system: String,
    pub user: String,
    /// A name for the form, of letters and `_`; OpenAI's protocol wants one.
    pub name: &'static str,
    pub schema: Value,
    pub max_tokens: u32,
    /// How long all of it may take, a second attempt included.
    pub limit: Duration,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// Its words; where a server put all of them into the model's thoughts, those.
    pub text: String,
    pub prompt_tokens: Option<u64>,
    pub reply_tokens: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    pub model: String,
    pub requests: u64,
    /// Answers that could be used only when they were asked for again.
    pub repaired: u64,
    pub prompt_tokens: u64,
    pub reply_tokens: u64,
    /// Seconds that were waited for answers.
    pub seconds: f64,
}

impl Usage {
    pub fn add(&mut self, other: &Self) {
        self.model.clone_from(&other.model);
        self.requests += other.requests;
        self.repaired += other.repaired;
        self.prompt_tokens += other.prompt_tokens;
        self.reply_tokens += other.reply_tokens;
        self.seconds += other.seconds;
    }
}

vocabulary! {
    Why {
        Address = "address",
        NotRunning = "not_running",
        ModelMissing = "model_missing",
        TimedOut = "timed_out",
        Busy = "busy",
        Refused = "refused",
        /// Refused, with a status that says that the server is at fault.
        Broken = "refused",
        Malformed = "malformed",
        Truncated = "truncated",
        PromptCut = "prompt_cut",
        Invalid = "invalid",
        Stopped = "stopped",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Failure {
    pub why: Why,
    pub text: String,
    /// The last reply that was not usable, shortened in the middle, to be shown where somebody wants to see it.
    pub reply: Option<String>,
}

impl Failure {
    fn new(why: Why, text: impl Into<String>) -> Self {
        Self { why, text: text.into(), reply: None }
    }

    pub fn kind(&self) -> &'static str {
        self.why.as_str()
    }

    /// Whether the same request may succeed later, with nothing changed by a person.
    pub fn may_pass(&self) -> bool {
        use Why::{Broken, Busy, NotRunning, TimedOut};
        matches!(self.why, NotRunning | TimedOut | Busy | Broken)
    }

    /// Whether asking about another text is of no use now: the same silence is not waited for twice.
    pub fn ends_asking(&self) -> bool {
        self.concerns_all() || matches!(self.why, Why::TimedOut | Why::Busy)
    }

    /// Whether every other request would fail the same way, so that a batch should end.
    pub fn concerns_all(&self) -> bool {
        use Why::{Address, Malformed, ModelMissing, NotRunning, Stopped};
        matches!(self.why, Address | NotRunning | ModelMissing | Malformed | Stopped)
    }
}
