//! Language models on a server that the person runs: Ollama's protocol and that of OpenAI.
//!
//! Only the one address of [`Settings`] is contacted: no proxy of the environment is used and no redirect
//! is followed. [`ask()`] is the way in: it sends, takes the JSON out of the reply, has it checked, and asks
//! once more where it is not usable.

mod ask;
mod model;

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

pub use ask::{Answer, ask};
pub use model::{Model, tokens};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Ollama's own, `/api/chat`.
    Ollama,
    /// OpenAI's, `/v1/chat/completions`, as llama.cpp, vLLM, LM Studio and others speak it.
    OpenAi,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub provider: Provider,
    pub url: String,
    pub model: String,
    /// How long Ollama keeps the model in memory after an answer: `10m`, or whole seconds.
    pub keep_alive: String,
    pub key: Option<Key>,
}

/// A key for a server. It is sent, and shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key as it stands in the environment; `None` for an empty one, or one that no header can hold.
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        let is_sound = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        is_sound.then(|| Self(key.to_owned()))
    }

    fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

#[derive(Debug, Clone)]
pub struct Request {
    pub system: String,
    pub user: String,
    /// A name for the form, of letters and `_`; OpenAI's protocol wants one.
    pub name: &'static str,
    /// The form of the answer, as a JSON Schema.
    pub schema: Value,
    pub max_tokens: u32,
    /// How long all of it may take, a second attempt included.
    pub limit: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Turn {
    pub role: &'static str,
    pub content: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// Its words; where a server put all of them into the model's thoughts, those.
    pub text: String,
    pub prompt_tokens: Option<u64>,
    pub reply_tokens: Option<u64>,
}

/// Why a model gave no usable answer, as a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("`{url}` cannot be `llm.url`: {reason}")]
    Address { url: String, reason: String },
    #[error("no model server answers at {url} ({reason}): {start}, or set `llm.url`")]
    NotRunning { url: String, reason: String, start: &'static str },
    #[error("{url} has no model `{model}`: {remedy}")]
    ModelMissing { url: String, model: String, remedy: String },
    #[error(
        "`{model}` did not answer within {seconds} s: raise `llm.timeout` (for lessons \
         `llm.lesson_timeout`) or \
         set `llm.model` to a smaller one"
    )]
    TimedOut { model: String, seconds: u64 },
    #[error(
        "`{model}` was not loaded within {seconds} s: raise `llm.load_timeout`, or set `llm.model` to a \
         smaller one"
    )]
    NotLoaded { model: String, seconds: u64 },
    #[error("{url} is busy ({said}): try again later")]
    Busy { url: String, said: String },
    #[error("{url} refused the request with status {status}: {said}")]
    Refused {
        url: String,
        /// The status of HTTP; 200 where an error came under a success.
        status: u16,
        said: String,
    },
    #[error(
        "{url} sent {what}, which is not an answer of a model server: check `llm.url` and `llm.provider`"
    )]
    Malformed { url: String, what: String },
    #[error(
        "the reply of `{model}` was cut off at {tokens} tokens: give it less text, or use a larger model"
    )]
    Truncated { model: String, tokens: u64 },
    #[error(
        "`{model}` does not take a text of about {sent} tokens{}: give it less text, or raise the \
         server's context \
         length", seen.map(|seen| format!(" (it read {seen})")).unwrap_or_default()
    )]
    PromptCut { model: String, sent: u64, seen: Option<u64> },
    #[error("the reply of `{model}` is not usable: {reason}")]
    Invalid {
        model: String,
        reason: String,
        /// The last reply, shortened in the middle, to be shown where somebody wants to see it.
        reply: String,
    },
    #[error("stopped")]
    Stopped,
}

impl Failure {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Address { .. } => "address",
            Self::NotRunning { .. } => "not_running",
            Self::ModelMissing { .. } => "model_missing",
            Self::TimedOut { .. } | Self::NotLoaded { .. } => "timed_out",
            Self::Busy { .. } => "busy",
            Self::Refused { .. } => "refused",
            Self::Malformed { .. } => "malformed",
            Self::Truncated { .. } => "truncated",
            Self::PromptCut { .. } => "prompt_cut",
            Self::Invalid { .. } => "invalid",
            Self::Stopped => "stopped",
        }
    }

    /// Whether the same request may succeed later, with nothing changed by a person.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::NotRunning { .. }
            | Self::TimedOut { .. }
            | Self::NotLoaded { .. }
            | Self::Busy { .. } => true,
            Self::Refused { status, .. } => *status >= 500,
            _ => false,
        }
    }

    /// Whether asking about another text is of no use now: the same silence is not waited for twice.
    pub fn ends_asking(&self) -> bool {
        self.concerns_all() || matches!(self, Self::TimedOut { .. } | Self::Busy { .. })
    }

    /// Whether every other request would fail the same way, so that a batch should end.
    pub fn concerns_all(&self) -> bool {
        matches!(
            self,
            Self::Address { .. }
                | Self::NotRunning { .. }
                | Self::NotLoaded { .. }
                | Self::ModelMissing { .. }
                | Self::Malformed { .. }
                | Self::Stopped
        )
    }
}
