//! A model on a server, asked in the server's protocol.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Deserializer, Value, json};

use super::http::{Client, Response};
use super::size::{context, tokens};
use super::{Completion, Failure, Provider, Request, Settings, Turn};

/// Low, so that the same text gives the same facts.
const TEMPERATURE: f64 = 0.3;

/// Ollama's own default; other servers have others.
const TOP_P: f64 = 0.9;

/// The same text twice gives the same reply, where the server keeps to it.
const SEED: u32 = 1;

#[derive(Debug)]
pub struct Model {
    client: Client,
    provider: Provider,
    /// How long Ollama keeps the model in memory after an answer: a batch loads it once.
    keep_alive: Value,
    /// The longest context that Ollama was asked for: with a shorter one it would load the model again.
    context: AtomicU64,
    /// Whether the server takes the field that not all servers know: Ollama before 0.12.5 refuses `think`
    /// for a model that does not; others refuse a schema, which also stands in the prompt and is checked
    /// anyway.
    takes_all: AtomicBool,
}

impl Model {
    /// No answer is waited for once `stop` is true. Nothing is sent yet.
    pub fn open(settings: &Settings, stop: &Arc<AtomicBool>) -> Result<Self, Failure> {
        // Without a letter it must be a number; as a text it would be refused.
        let time = settings.keep_alive.trim();
        let keep_alive = time.parse::<i64>().map_or_else(|_| json!(time), |seconds| json!(seconds));
        Ok(Self {
            client: Client::new(settings, stop)?,
            provider: settings.provider,
            keep_alive,
            context: AtomicU64::new(0),
            takes_all: AtomicBool::new(true),
        })
    }

    pub fn name(&self) -> &str {
        self.client.model()
    }

    /// One request of the same form and sizes as `request`.
    pub(super) fn complete(
        &self,
        request: &Request,
        turns: &[Turn],
        limit: Duration,
    ) -> Result<Completion, Failure> {
        let sent = turns.iter().map(|turn| tokens(&turn.content)).sum();
        let mut body = json!({ "model": self.name(), "messages": turns, "stream": false });
        let (path, own, optional, value) = match self.provider {
            Provider::Ollama => (
                "/api/chat",
                json!({
                    "format": request.schema,
                    "keep_alive": self.keep_alive,
                    "options": {
                        "temperature": TEMPERATURE,
                        "top_p": TOP_P,
                        "seed": SEED,
                        // Over the default the server drops the beginning in silence.
                        "num_ctx": self.context(sent, request.max_tokens),
                        "num_predict": request.max_tokens,
                    },
                }),
                // At the top: inside of the options it is ignored.
                "think",
                json!(false),
            ),
            Provider::OpenAi => (
                "/v1/chat/completions",
                json!({
                    "temperature": TEMPERATURE,
                    "top_p": TOP_P,
                    "seed": SEED,
                    "max_tokens": request.max_tokens,
                }),
                "response_format",
                json!({
                    "type": "json_schema",
                    "json_schema": { "name": request.name, "strict": true, "schema": request.schema },
                }),
            ),
        };
        if let (Value::Object(body), Value::Object(own)) = (&mut body, own) {
            body.extend(own);
        }
        let begin = Instant::now();
        let mut response = None;
        if self.takes_all.load(Ordering::Relaxed) {
            let mut whole = body.clone();
            whole[optional] = value;
            let answer = self.client.post(path, &whole, limit)?;
            let is_known = !self.does_not_know(&answer);
            self.takes_all.store(is_known, Ordering::Relaxed);
            response = Some(answer).filter(|_| is_known);
        }
        let response = match response {
            Some(response) => response,
            None => self.client.post(path, &body, limit.saturating_sub(begin.elapsed()))?,
        };
        if response.status != 200 {
            return Err(self.client.refused(&response, sent));
        }
        let (said, is_cut_off) = match self.provider {
            Provider::Ollama => self.said_by_ollama(&response)?,
            Provider::OpenAi => self.said_by_openai(&response)?,
        };
        self.client.whole(said, is_cut_off, sent, request.max_tokens)
    }

    /// Has the server load the model. That may take longer than any answer: `limit` is for this alone.
    pub fn warm_up(&self, request: &Request, limit: Duration) -> Result<(), Failure> {
        let sent = tokens(&request.system) + tokens(&request.user);
        let response = match self.provider {
            Provider::Ollama => {
                let body = json!({
                    "model": self.name(),
                    "messages": [],
                    "stream": false,
                    "keep_alive": self.keep_alive,
                    // Another length would load the model a second time.
                    "options": { "num_ctx": self.context(sent, request.max_tokens) },
                });
                self.client.post("/api/chat", &body, limit)?
            }
            // The protocol has no word for loading; that the server answers is what can be known.
            Provider::OpenAi => self.client.get("/v1/models", limit)?,
        };
        if response.status == 200 { Ok(()) } else { Err(self.client.refused(&response, sent)) }
    }

    fn context(&self, prompt: u64, reply: u32) -> u64 {
        let needed = context(prompt, reply);
        needed.max(self.context.fetch_max(needed, Ordering::Relaxed))
    }

    fn does_not_know(&self, response: &Response) -> bool {
        let (statuses, words): (&[u16], &[&str]) = match self.provider {
            Provider::Ollama => (&[400], &["does not support thinking"]),
            Provider::OpenAi => {
                (&[400, 422], &["response_format", "json_schema", "schema", "grammar"])
            }
        };
        statuses.contains(&response.status) && words.iter().any(|word| response.body.contains(word))
    }

    /// What Ollama's answer says, and whether that is cut off.
    fn said_by_ollama(&self, response: &Response) -> Result<(Completion, bool), Failure> {
        let no_answer = || self.client.no_answer(&response.body);
        let mut text = String::new();
        let mut thoughts = String::new();
        let mut last = Value::Null;
        // One object; some fronts stream all the same, and then the pieces belong together.
        for line in Deserializer::from_str(&response.body).into_iter::<Value>() {
            last = line.map_err(|_| no_answer())?;
            if !last["error"].is_null() {
                return Err(self.client.refusal(response.status, &last.to_string()));
            }
            text.push_str(last["message"]["content"].as_str().unwrap_or_default());
            thoughts.push_str(last["message"]["thinking"].as_str().unwrap_or_default());
        }
        if last["done"] != true {
            return Err(no_answer());
        }
        // Some templates put the whole answer into the thoughts.
        let text = if text.trim().is_empty() { thoughts } else { text };
        let prompt_tokens = last["prompt_eval_count"].as_u64();
        let reply_tokens = last["eval_count"].as_u64();
        Ok((Completion { text, prompt_tokens, reply_tokens }, last["done_reason"] == "length"))
    }

    fn said_by_openai(&self, response: &Response) -> Result<(Completion, bool), Failure> {
        let no_answer = || self.client.no_answer(&response.body);
        let chat: Value = serde_json::from_str(&response.body).map_err(|_| no_answer())?;
        if !chat["error"].is_null() {
            return Err(self.client.refusal(response.status, &response.body));
        }
        let choice = chat["choices"].get(0).ok_or_else(no_answer)?;
        // Ollama and vLLM have a field for thoughts, llama.cpp and others another one.
        let text = ["content", "reasoning", "reasoning_content"]
            .iter()
            .filter_map(|field| choice["message"][field].as_str())
            .find(|text| !text.trim().is_empty());
        let text = text.unwrap_or_default().to_owned();
        let prompt_tokens = chat["usage"]["prompt_tokens"].as_u64();
        let reply_tokens = chat["usage"]["completion_tokens"].as_u64();
        Ok((Completion { text, prompt_tokens, reply_tokens }, choice["finish_reason"] == "length"))
    }
}
