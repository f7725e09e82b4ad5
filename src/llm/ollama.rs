//! Ollama's own protocol: `/api/chat`, not streamed, in the form of a JSON Schema.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Deserializer, Value, json};

use super::http::{Client, Deadline, Response};
use super::size::{context, tokens};
use super::{Completion, Failure, Model, Request, SEED, Settings, TEMPERATURE, TOP_P, Turn};

/// A model that Ollama serves.
#[derive(Debug)]
pub(super) struct Ollama {
    client: Client,
    /// How long the server keeps the model in memory after an answer: a batch loads it once.
    keep_alive: Value,
    /// The longest context that was asked for: with a shorter one the server would load the model again.
    context: AtomicU64,
    /// Servers before 0.12.5 refuse the word `think` for a model that does not.
    takes_think: AtomicBool,
}

/// An answer, or one line of a streamed one. Everything may be absent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    message: Option<Message>,
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    content: Option<String>,
    thinking: Option<String>,
}

impl Ollama {
    pub(super) fn new(settings: &Settings) -> Result<Self, Failure> {
        // Without a letter it must be a number; as a text it would be refused.
        let time = settings.keep_alive.trim();
        let keep_alive = time.parse::<i64>().map_or_else(|_| json!(time), |seconds| json!(seconds));
        let (context, takes_think) = (AtomicU64::new(0), AtomicBool::new(true));
        Ok(Self { client: Client::new(settings)?, keep_alive, context, takes_think })
    }

    /// The context length to ask for.
    fn context(&self, prompt: u64, reply: u32) -> u64 {
        let needed = context(prompt, reply);
        needed.max(self.context.fetch_max(needed, Ordering::Relaxed))
    }

    fn chat(&self, body: &mut Value, deadline: Deadline) -> Result<Response, Failure> {
        if self.takes_think.load(Ordering::Relaxed) {
            // At the top: inside of the options it is ignored.
            body["think"] = Value::Bool(false);
            let response = self.client.post("/api/chat", body, deadline)?;
            if response.status != 400 || !response.body.contains("does not support thinking") {
                return Ok(response);
            }
            self.takes_think.store(false, Ordering::Relaxed);
            if let Some(body) = body.as_object_mut() {
                body.remove("think");
            }
        }
        self.client.post("/api/chat", body, deadline)
    }

    fn said(
        &self,
        response: &Response,
        estimate: u64,
        max_tokens: u32,
    ) -> Result<Completion, Failure> {
        let no_answer = || self.client.no_answer(&response.body);
        let mut text = String::new();
        let mut thoughts = String::new();
        let mut last = Line::default();
        // One object; some fronts stream all the same, and then the pieces belong together.
        for line in Deserializer::from_str(&response.body).into_iter::<Line>() {
            let mut line = line.map_err(|_| no_answer())?;
            if let Some(error) = line.error {
                let body = json!({ "error": error }).to_string();
                return Err(self.client.refusal(response.status, &body));
            }
            let message = line.message.take().unwrap_or_default();
            text.push_str(&message.content.unwrap_or_default());
            thoughts.push_str(&message.thinking.unwrap_or_default());
            last = line;
        }
        if !last.done {
            return Err(no_answer());
        }
        // Some templates put the whole answer into the thoughts.
        let text = if text.trim().is_empty() { thoughts } else { text };
        let (prompt_tokens, reply_tokens) = (last.prompt_eval_count, last.eval_count);
        let is_cut_off = last.done_reason.as_deref() == Some("length");
        let said = Completion { text, prompt_tokens, reply_tokens };
        self.client.whole(said, is_cut_off, estimate, max_tokens)
    }
}

impl Model for Ollama {
    fn name(&self) -> &str {
        self.client.model()
    }

    fn complete(
        &self,
        request: &Request<'_>,
        turns: &[Turn],
        limit: Duration,
    ) -> Result<Completion, Failure> {
        let estimate = turns.iter().map(|turn| tokens(&turn.content)).sum();
        let mut body = json!({
            "model": self.client.model(),
            "messages": messages(turns),
            "stream": false,
            "format": request.schema,
            "keep_alive": self.keep_alive,
            "options": {
                "temperature": TEMPERATURE,
                "top_p": TOP_P,
                "seed": SEED,
                // Over the default the server drops the beginning in silence.
                "num_ctx": self.context(estimate, request.max_tokens),
                "num_predict": request.max_tokens,
            },
        });
        let response = self.chat(&mut body, Deadline::after(limit))?;
        if response.status != 200 {
            return Err(self.client.refused(&response, estimate));
        }
        self.said(&response, estimate, request.max_tokens)
    }

    fn warm_up(&self, request: &Request<'_>, limit: Duration) -> Result<(), Failure> {
        let estimate = tokens(request.system) + tokens(request.user);
        let body = json!({
            "model": self.client.model(),
            "messages": [],
            "stream": false,
            "keep_alive": self.keep_alive,
            // Another length would load the model a second time.
            "options": { "num_ctx": self.context(estimate, request.max_tokens) },
        });
        let response = self.client.post("/api/chat", &body, Deadline::after(limit))?;
        if response.status == 200 { Ok(()) } else { Err(self.client.refused(&response, estimate)) }
    }
}

/// The conversation as both protocols have it.
pub(super) fn messages(turns: &[Turn]) -> Vec<Value> {
    turns.iter().map(|turn| json!({ "role": turn.role, "content": turn.content })).collect()
}
