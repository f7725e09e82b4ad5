//! Language models on a server that the person runs: Ollama's protocol and that of OpenAI.
//!
//! Only the one address of [`Settings`] is contacted: no proxy of the environment is used and no redirect
//! is followed. [`ask()`] is the way in: it sends, takes the JSON out of the reply, has it checked, and asks
//! once more where it is not usable.

mod ask;
mod failure;
mod http;
mod json;
mod model;
mod size;

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

pub use ask::{Answer, ask};
pub use failure::Failure;
pub use model::Model;
pub use size::tokens;

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

impl Settings {
    pub fn new(provider: Provider, url: &str, model: &str) -> Self {
        let (url, model) = (url.to_owned(), model.to_owned());
        Self { provider, url, model, keep_alive: "10m".to_owned(), key: None }
    }
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
