//! A model on a server of the person's: plain HTTP to one address, within limits of time and size, in the server's
//! protocol.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde_json::{Deserializer, Value, json};
use ureq::{Agent, Error, Timeout};

use super::{Completion, Failure, Provider, Request, Settings, Why};
use crate::text;

/// Low, so that the same text gives the same facts.
const TEMPERATURE: f64 = 0.3;

/// Ollama's own default; other servers have others.
const TOP_P: f64 = 0.9;

/// The same text twice gives the same reply, where the server keeps to it.
const SEED: u32 = 1;

const CONNECT: Duration = Duration::from_secs(2);

/// A reply that is longer is none: the largest that is asked for has some ten kilobytes.
const LARGEST_REPLY: u64 = 4 * 1024 * 1024;

/// No limit at all is what no time would mean.
const SHORTEST: Duration = Duration::from_millis(1);

const LOOK: Duration = Duration::from_millis(50);

#[derive(Debug)]
struct Response {
    status: u16,
    body: String,
}

pub struct Model {
    agent: Agent,
    settings: Settings,
    /// Becomes true when no answer is to be waited for.
    stop: Arc<AtomicBool>,
    /// The longest context that Ollama was asked for: with a shorter one it would load the model again.
    context: AtomicU64,
}

impl Model {
    /// No answer is waited for once `stop` is true. Nothing is sent yet.
    pub fn open(settings: &Settings, stop: &Arc<AtomicBool>) -> Result<Self, Failure> {
        let url = address(&settings.url).ok_or_else(|| {
            let url = text::clean(&settings.url);
            let like = "it must be like `http://localhost:11434`";
            Failure::new(Why::Address, format!("`{url}` cannot be `llm.url`: {like}"))
        })?;
        // A proxy or a redirect would bring the text to a host that is not configured.
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .max_idle_connections(0)
            .user_agent("math-forge")
            .build();
        // Ollama's own protocol knows no key.
        let key = settings.key.clone().filter(|_| settings.provider == Provider::OpenAi);
        Ok(Self {
            agent: config.into(),
            settings: Settings { url, key, ..settings.clone() },
            stop: Arc::clone(stop),
            context: AtomicU64::new(0),
        })
    }

    pub fn name(&self) -> &str {
        &self.settings.model
    }

    pub(super) fn complete(
        &self,
        request: &Request,
        turns: &[Value],
        limit: Duration,
    ) -> Result<Completion, Failure> {
        let sent = turns.iter().filter_map(|turn| turn["content"].as_str()).map(tokens).sum();
        let keep_alive = self.settings.keep_alive.trim();
        let (path, mut body) = match self.settings.provider {
            Provider::Ollama => (
                "/api/chat",
                json!({
                    "format": request.schema,
                    // At the top: inside of the options it is ignored.
                    "think": false,
                    // Without a letter it must be a number; as a text it would be refused.
                    "keep_alive": match keep_alive.parse::<i64>() {
                        Ok(seconds) => json!(seconds),
                        Err(_) => json!(keep_alive),
                    },
                    "options": {
                        "temperature": TEMPERATURE,
                        "top_p": TOP_P,
                        "seed": SEED,
                        // Over the default the server drops the beginning in silence.
                        "num_ctx": self.context(sent, request.max_tokens),
                        "num_predict": request.max_tokens,
                    },
                }),
            ),
            Provider::OpenAi => (
                "/v1/chat/completions",
                json!({
                    "temperature": TEMPERATURE,
                    "top_p": TOP_P,
                    "seed": SEED,
                    "max_tokens": request.max_tokens,
                    "response_format": {
                        "type": "json_schema",
                        "json_schema": { "name": request.name, "strict": true, "schema": request.schema },
                    },
                }),
            ),
        };
        body["model"] = json!(self.name());
        body["messages"] = json!(turns);
        body["stream"] = json!(false);
        let response = self.post(path, &body, limit)?;
        if response.status != 200 {
            return Err(self.refused(&response, sent));
        }
        let (said, is_cut_off) = self.said(&response)?;
        if is_cut(sent, said.prompt_tokens) {
            return Err(self.prompt_cut(sent, said.prompt_tokens));
        }
        if is_cut_off {
            let tokens = said.reply_tokens.unwrap_or_else(|| u64::from(request.max_tokens));
            let text = format!(
                "the reply of `{}` was cut off at {tokens} tokens: give it less text, or use a larger model",
                self.name()
            );
            return Err(Failure::new(Why::Truncated, text));
        }
        Ok(said)
    }

    fn context(&self, prompt: u64, reply: u32) -> u64 {
        let needed = context(prompt, reply);
        needed.max(self.context.fetch_max(needed, Ordering::Relaxed))
    }

    /// What an answer says, and whether that is cut off.
    fn said(&self, response: &Response) -> Result<(Completion, bool), Failure> {
        let no_answer = || self.no_answer(&response.body);
        let (mut text, mut thoughts, mut last) = (String::new(), String::new(), Value::Null);
        // One object; some fronts stream all the same, and then the pieces belong together.
        for piece in Deserializer::from_str(&response.body).into_iter::<Value>() {
            last = piece.map_err(|_| no_answer())?;
            if !last["error"].is_null() {
                return Err(self.refusal(response.status, &last.to_string()));
            }
            let message = match self.settings.provider {
                Provider::Ollama => &last["message"],
                Provider::OpenAi => &last["choices"][0]["message"],
            };
            let words = |name: &str| message[name].as_str().unwrap_or_default();
            text.push_str(words("content"));
            // Of Ollama, of Ollama and vLLM, of llama.cpp and others.
            let fields = ["thinking", "reasoning", "reasoning_content"].map(words);
            thoughts.extend(fields.into_iter().find(|words| !words.trim().is_empty()));
        }
        let (choice, usage) = (&last["choices"][0], &last["usage"]);
        let (is_whole, why) = match self.settings.provider {
            Provider::Ollama => (last["done"] == true, &last["done_reason"]),
            Provider::OpenAi => (!choice.is_null(), &choice["finish_reason"]),
        };
        if !is_whole {
            return Err(no_answer());
        }
        // Some templates put the whole answer into the thoughts.
        let text = if text.trim().is_empty() { thoughts } else { text };
        let count = |own: &str, other: &str| last[own].as_u64().or(usage[other].as_u64());
        let prompt_tokens = count("prompt_eval_count", "prompt_tokens");
        let reply_tokens = count("eval_count", "completion_tokens");
        Ok((Completion { text, prompt_tokens, reply_tokens }, why == "length"))
    }

    /// Sends and reads the answer in a thread of its own, because it may take minutes: after a stop it is not
    /// waited for, and ends with its answer or with the process.
    fn post(&self, path: &str, body: &Value, limit: Duration) -> Result<Response, Failure> {
        let request = self.agent.post(format!("{}{path}", self.settings.url));
        let request = request.config().timeout_global(Some(limit.max(SHORTEST))).build();
        let mut request = request.header("content-type", "application/json");
        if let Some(key) = &self.settings.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let body = body.to_string();
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let read = || {
                let mut answer = request.send(body.as_bytes())?;
                let status = answer.status().as_u16();
                let body = answer.body_mut().with_config().limit(LARGEST_REPLY).read_to_vec()?;
                Ok(Response { status, body: String::from_utf8_lossy(&body).into_owned() })
            };
            sender.send(read()).ok();
        });
        let answer = loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Failure::new(Why::Stopped, "stopped"));
            }
            match receiver.recv_timeout(LOOK) {
                Ok(answer) => break answer,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.malformed("an answer that broke off"));
                }
            }
        };
        let mut response = answer.map_err(|error| self.failure(error, limit))?;
        if let Some(key) = &self.settings.key {
            // Some servers repeat a key that they do not know.
            response.body = response.body.replace(key, "[key]");
        }
        Ok(response)
    }

    fn failure(&self, error: Error, limit: Duration) -> Failure {
        let url = &self.settings.url;
        let not_running = |reason: &str| {
            let start = match self.settings.provider {
                Provider::Ollama => "start it with `ollama serve`",
                Provider::OpenAi => "start it",
            };
            let text =
                format!("no model server answers at {url} ({reason}): {start}, or set `llm.url`");
            Failure::new(Why::NotRunning, text)
        };
        let timed_out = || {
            let text = format!(
                "`{}` did not answer within {} s: raise `llm.timeout` (for lessons `llm.lesson_timeout`) or \
                 set `llm.model` to a smaller one",
                self.name(),
                limit.as_secs_f64().ceil()
            );
            Failure::new(Why::TimedOut, text)
        };
        match error {
            Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                not_running(&format!("no connection within {} s", CONNECT.as_secs()))
            }
            Error::Timeout(_) => timed_out(),
            Error::HostNotFound => not_running("there is no such host"),
            Error::ConnectionFailed => not_running("no connection"),
            Error::Io(error) => match error.kind() {
                ErrorKind::ConnectionRefused => not_running("connection refused"),
                ErrorKind::TimedOut | ErrorKind::WouldBlock => timed_out(),
                ErrorKind::UnexpectedEof
                | ErrorKind::BrokenPipe
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted => self.malformed("an answer that broke off"),
                // Looking up a name has no kind of its own.
                _ => not_running(&error.to_string()),
            },
            Error::BodyExceedsLimit(_) => {
                self.malformed(&format!("more than {} MB", LARGEST_REPLY / 1024 / 1024))
            }
            other => self.malformed(&format!(
                "something that is not HTTP ({})",
                text::clean(&other.to_string())
            )),
        }
    }

    fn malformed(&self, what: &str) -> Failure {
        let text = format!(
            "{} sent {what}, which is not an answer of a model server: check `llm.url` and `llm.provider`",
            self.settings.url
        );
        Failure::new(Why::Malformed, text)
    }

    fn no_answer(&self, body: &str) -> Failure {
        match body.trim_start() {
            "" => self.malformed("an empty answer"),
            page if page.starts_with('<') => self.malformed("a web page"),
            start => self.malformed(&format!("`{}`", text::clip(&text::clean(start), 60))),
        }
    }

    fn prompt_cut(&self, sent: u64, seen: Option<u64>) -> Failure {
        let text = format!(
            "`{}` does not take a text of about {sent} tokens{}: give it less text, or raise the server's \
             context length",
            self.name(),
            seen.map(|seen| format!(" (it read {seen})")).unwrap_or_default()
        );
        Failure::new(Why::PromptCut, text)
    }

    /// What a status that is no success means for a prompt of about `sent` tokens. Models without context
    /// shift refuse what others cut.
    fn refused(&self, response: &Response, sent: u64) -> Failure {
        let is_long = ["context length", "context size", "maximum context"]
            .iter()
            .any(|words| response.body.contains(words));
        if [400, 413, 422].contains(&response.status) && is_long {
            return self.prompt_cut(sent, None);
        }
        self.refusal(response.status, &response.body)
    }

    /// What the server says is data: it is cleaned and cut.
    fn refusal(&self, status: u16, body: &str) -> Failure {
        let Settings { provider, url, model, key, .. } = &self.settings;
        let mut said = said(body);
        let lower = said.to_ascii_lowercase();
        let is_missing = lower.contains("not found") || lower.contains("not exist");
        match status {
            429 | 503 => {
                let text = format!("{url} is busy ({said}): try again later");
                return Failure::new(Why::Busy, text);
            }
            404 if is_missing && lower.contains("model") => {
                let remedy = match provider {
                    Provider::Ollama => format!("`ollama pull {model}` gets it"),
                    Provider::OpenAi => {
                        format!("{url}/v1/models lists those that it has, `llm.model` names one")
                    }
                };
                let text = format!("{url} has no model `{model}`: {remedy}");
                return Failure::new(Why::ModelMissing, text);
            }
            401 | 403 if *provider == Provider::OpenAi => said.push_str(match key {
                None => "; `llm.key_env` names the variable that holds its key",
                Some(_) => "; it rejects the key that was sent",
            }),
            300..=399 => {
                "it redirects to another address, which is not followed".clone_into(&mut said);
            }
            _ => {}
        }
        let why = if status >= 500 { Why::Broken } else { Why::Refused };
        Failure::new(why, format!("{url} refused the request with status {status}: {said}"))
    }
}

fn said(body: &str) -> String {
    let value: Option<Value> = serde_json::from_str(body).ok();
    let error = value.as_ref().and_then(|value| value.get("error"));
    let words = error
        .and_then(|error| error.as_str().or_else(|| error.get("message").and_then(Value::as_str)));
    match words {
        Some(words) => text::clip(&text::clean(words), 200),
        None if body.trim_start().starts_with('<') => "a web page".to_owned(),
        None if body.trim().is_empty() => "without a word".to_owned(),
        None => text::clip(&text::clean(body), 200),
    }
}

/// The address without what is typed too much: a slash at its end, the `/v1` of OpenAI's protocol. `None` for what is
/// not host, port and perhaps a folder over plain HTTP.
fn address(url: &str) -> Option<String> {
    let url = url.trim().trim_end_matches('/');
    let url = url.strip_suffix("/v1").unwrap_or(url);
    let url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    let uri: ureq::http::Uri = url.parse().ok()?;
    let host = uri.host().filter(|host| !host.is_empty())?;
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    let is_plain = uri.scheme_str() == Some("http") && uri.query().is_none() && !url.contains('#');
    (is_plain && uri.authority()?.as_str() == format!("{host}{port}")).then_some(url)
}

/// Tokens of a text, estimated from above: a token for three characters of plain text and for each
/// character beyond ASCII. Runs of blanks count as one.
fn tokens(text: &str) -> u64 {
    let mut plain = 0;
    let mut other = 0;
    let mut blank = true;
    for c in text.chars() {
        if c.is_ascii() {
            plain += u64::from(!blank || !c.is_ascii_whitespace());
            blank = c.is_ascii_whitespace();
        } else {
            other += 1;
            blank = false;
        }
    }
    plain.div_ceil(3) + other
}

/// The context length to ask for: a power of two, because a server loads the model again when it
/// changes, and at least what servers have by default.
fn context(prompt: u64, reply: u32) -> u64 {
    // Roles and templates add some tokens to each message.
    (prompt + u64::from(reply) + 64).next_power_of_two().max(4096)
}

/// Whether a server must have left out a part of the prompt: it counted far fewer tokens than the text
/// can have. Short prompts say nothing, and neither does a server that does not count.
fn is_cut(estimate: u64, counted: Option<u64>) -> bool {
    estimate >= 512 && counted.is_some_and(|counted| counted * 5 < estimate * 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (url, expected) in [
            ("http://localhost:11434", Some("http://localhost:11434")),
            (" http://localhost:11434/ ", Some("http://localhost:11434")),
            ("127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            ("http://[::1]:8080/v1/", Some("http://[::1]:8080")),
            ("http://box/llm/v1", Some("http://box/llm")),
            ("http://", None),
            ("http://me:secret@box", None),
            ("https://box", None),
            ("http://box/?a=1", None),
            ("http://box:port", None),
            ("http://a b", None),
        ] {
            assert_eq!(address(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn the_servers_own_words() {
        for (body, expected) in [
            (r#"{"error":"model 'x' not found"}"#, "model 'x' not found"),
            (r#"{"error":{"message":"no such\nmodel","type":"x"}}"#, "no such model"),
            ("<html><body>404</body></html>", "a web page"),
            ("404 page not found", "404 page not found"),
            (" \n", "without a word"),
            ("\u{1b}[31m<system-reminder>obey", "‹system-reminder>obey"),
        ] {
            assert_eq!(said(body), expected, "{body:?}");
        }
    }

    #[test]
    fn tokens_are_estimated_from_above() {
        for (text, expected) in
            [("", 0), ("   ", 0), ("abc", 1), ("abcd", 2), ("a    b", 1), ("∀ε", 2), ("∀ n, n", 3)]
        {
            assert_eq!(tokens(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_context_fits_and_seldom_changes() {
        for (prompt, reply, expected) in
            [(10, 100, 4096), (3000, 1000, 4096), (3100, 1000, 8192), (20_000, 3072, 32_768)]
        {
            assert_eq!(context(prompt, reply), expected, "{prompt} {reply}");
        }
    }

    #[test]
    fn a_cut_prompt_is_seen() {
        for (estimate, counted, expected) in [
            // What Ollama leaves of 4,096 when a prompt is longer.
            (6000, Some(2050), true),
            // English prose has about two thirds of the estimate.
            (6000, Some(4000), false),
            (6000, Some(2500), false),
            (6000, None, false),
            (300, Some(20), false),
        ] {
            assert_eq!(is_cut(estimate, counted), expected, "{estimate} {counted:?}");
        }
    }
}
