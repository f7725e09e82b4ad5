//! OpenAI's protocol, as servers on one's own machine speak it: `/v1/chat/completions`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{Client, Deadline, Response};
use super::ollama::messages;
use super::size::tokens;
use super::{Completion, Failure, Model, Request, SEED, Settings, TEMPERATURE, TOP_P, Turn};

/// A model behind OpenAI's protocol.
#[derive(Debug)]
pub(super) struct OpenAi {
    client: Client,
    /// Some servers refuse a schema; the form also stands in the prompt and is checked anyway.
    takes_schema: AtomicBool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Chat {
    choices: Vec<Choice>,
    usage: Option<Usage>,
    error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    content: Option<String>,
    /// Where Ollama and vLLM put thoughts.
    reasoning: Option<String>,
    /// Where llama.cpp and others do.
    reasoning_content: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

impl OpenAi {
    pub(super) fn new(settings: &Settings) -> Result<Self, Failure> {
        Ok(Self { client: Client::new(settings)?, takes_schema: AtomicBool::new(true) })
    }

    fn chat(
        &self,
        body: &mut Value,
        request: &Request<'_>,
        deadline: Deadline,
    ) -> Result<Response, Failure> {
        const PATH: &str = "/v1/chat/completions";
        if self.takes_schema.load(Ordering::Relaxed) {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": { "name": request.name, "strict": true, "schema": request.schema },
            });
            let response = self.client.post(PATH, body, deadline)?;
            let is_refused = [400, 422].contains(&response.status)
                && ["response_format", "json_schema", "schema", "grammar"]
                    .iter()
                    .any(|word| response.body.contains(word));
            if !is_refused {
                return Ok(response);
            }
            self.takes_schema.store(false, Ordering::Relaxed);
            if let Some(body) = body.as_object_mut() {
                body.remove("response_format");
            }
        }
        self.client.post(PATH, body, deadline)
    }

    fn said(
        &self,
        response: &Response,
        estimate: u64,
        max_tokens: u32,
    ) -> Result<Completion, Failure> {
        let no_answer = || self.client.no_answer(&response.body);
        let chat: Chat = serde_json::from_str(&response.body).map_err(|_| no_answer())?;
        if chat.error.is_some() {
            return Err(self.client.refusal(response.status, &response.body));
        }
        let choice = chat.choices.into_iter().next().ok_or_else(no_answer)?;
        let usage = chat.usage.unwrap_or_default();
        let message = choice.message;
        let text = [message.content, message.reasoning, message.reasoning_content]
            .into_iter()
            .flatten()
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default();
        let (prompt_tokens, reply_tokens) = (usage.prompt_tokens, usage.completion_tokens);
        let is_cut_off = choice.finish_reason.as_deref() == Some("length");
        let said = Completion { text, prompt_tokens, reply_tokens };
        self.client.whole(said, is_cut_off, estimate, max_tokens)
    }
}

impl Model for OpenAi {
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
            "temperature": TEMPERATURE,
            "top_p": TOP_P,
            "seed": SEED,
            "max_tokens": request.max_tokens,
        });
        let response = self.chat(&mut body, request, Deadline::after(limit))?;
        if response.status != 200 {
            return Err(self.client.refused(&response, estimate));
        }
        self.said(&response, estimate, request.max_tokens)
    }

    fn warm_up(&self, _: &Request<'_>, limit: Duration) -> Result<(), Failure> {
        // The protocol has no word for loading; that the server answers is what can be known.
        let response = self.client.get("/v1/models", Deadline::after(limit))?;
        match response.status {
            200 => Ok(()),
            status => Err(self.client.refusal(status, &response.body)),
        }
    }
}
