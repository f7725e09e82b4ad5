//! The way to the server: plain HTTP to one address, with limits for time and size.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use ureq::{Agent, Error, Timeout};

use super::size::is_cut;
use super::{Completion, Failure, Key, Provider, Settings};
use crate::text;

const CONNECT: Duration = Duration::from_secs(2);

/// A reply that is longer is none: the largest that is asked for has some ten kilobytes.
const LARGEST_REPLY: u64 = 4 * 1024 * 1024;

/// No limit at all is what no time would mean.
const SHORTEST: Duration = Duration::from_millis(1);

const LOOK: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
    url: String,
    model: String,
    provider: Provider,
    key: Option<Key>,
    stop: Arc<AtomicBool>,
}

#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) body: String,
}

impl Client {
    pub(super) fn new(settings: &Settings, stop: &Arc<AtomicBool>) -> Result<Self, Failure> {
        let url = address(&settings.url)
            .map_err(|reason| Failure::Address { url: text::clean(&settings.url), reason })?;
        // A proxy or a redirect would bring the text to a host that nobody configured.
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
        let (model, provider) = (settings.model.clone(), settings.provider);
        // Ollama's own protocol knows no key.
        let key = settings.key.clone().filter(|_| provider == Provider::OpenAi);
        Ok(Self { agent: config.into(), url, model, provider, key, stop: Arc::clone(stop) })
    }

    pub(super) fn url(&self) -> String {
        self.url.clone()
    }

    pub(super) fn model(&self) -> &str {
        &self.model
    }

    pub(super) fn post(
        &self,
        path: &str,
        body: &Value,
        limit: Duration,
    ) -> Result<Response, Failure> {
        let request = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("content-type", "application/json");
        let request =
            self.with_key(request).config().timeout_global(Some(limit.max(SHORTEST))).build();
        let body = body.to_string();
        self.exchange(limit, move || request.send(body.as_bytes()))
    }

    pub(super) fn get(&self, path: &str, limit: Duration) -> Result<Response, Failure> {
        let request = self
            .with_key(self.agent.get(format!("{}{path}", self.url)))
            .config()
            .timeout_global(Some(limit.max(SHORTEST)))
            .build();
        self.exchange(limit, move || request.call())
    }

    fn with_key<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        match &self.key {
            Some(Key(key)) => request.header("authorization", format!("Bearer {key}")),
            None => request,
        }
    }

    /// Sends and reads the answer in a thread that nobody waits for who was told to stop: it may take
    /// minutes. It ends with its answer then, or with the process.
    fn exchange(
        &self,
        limit: Duration,
        send: impl FnOnce() -> Result<ureq::http::Response<ureq::Body>, Error> + Send + 'static,
    ) -> Result<Response, Failure> {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let read = || {
                let mut answer = send()?;
                let status = answer.status().as_u16();
                let body = answer.body_mut().with_config().limit(LARGEST_REPLY).read_to_vec()?;
                Ok((status, String::from_utf8_lossy(&body).into_owned()))
            };
            sender.send(read()).ok();
        });
        let answer = loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            match receiver.recv_timeout(LOOK) {
                Ok(answer) => break answer,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.malformed("an answer that broke off"));
                }
            }
        };
        let (status, body) = answer.map_err(|error| self.failure(error, limit))?;
        // Some servers repeat a key that they do not know.
        let body = match &self.key {
            Some(key) => key.hidden_in(&body),
            None => body,
        };
        Ok(Response { status, body })
    }

    fn failure(&self, error: Error, limit: Duration) -> Failure {
        let seconds = limit.as_secs() + u64::from(limit.subsec_nanos() > 0);
        let timed_out = || Failure::TimedOut { model: self.model.clone(), seconds };
        match error {
            Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                self.not_running(format!("no connection within {} s", CONNECT.as_secs()))
            }
            Error::Timeout(_) => timed_out(),
            Error::HostNotFound => self.not_running("there is no such host".to_owned()),
            Error::ConnectionFailed => self.not_running("no connection".to_owned()),
            Error::Io(error) => match error.kind() {
                ErrorKind::ConnectionRefused => self.not_running("connection refused".to_owned()),
                ErrorKind::HostUnreachable
                | ErrorKind::NetworkUnreachable
                | ErrorKind::AddrNotAvailable => self.not_running(error.to_string()),
                ErrorKind::TimedOut | ErrorKind::WouldBlock => timed_out(),
                // Looking up a name has no kind of its own.
                _ if error.to_string().starts_with("failed to lookup") => {
                    self.not_running("there is no such host".to_owned())
                }
                _ => self.malformed("an answer that broke off"),
            },
            Error::BodyExceedsLimit(_) => {
                self.malformed(&format!("more than {} MB", LARGEST_REPLY / 1024 / 1024))
            }
            Error::BadUri(reason) => Failure::Address { url: self.url(), reason },
            other => {
                self.malformed(&format!("what is no HTTP ({})", text::clean(&other.to_string())))
            }
        }
    }

    fn not_running(&self, reason: String) -> Failure {
        let start = match self.provider {
            Provider::Ollama => "start it with `ollama serve`",
            Provider::OpenAi => "start it",
        };
        Failure::NotRunning { url: self.url(), reason, start }
    }

    pub(super) fn malformed(&self, what: &str) -> Failure {
        Failure::Malformed { url: self.url(), what: what.to_owned() }
    }

    pub(super) fn no_answer(&self, body: &str) -> Failure {
        let start = body.trim_start();
        if start.is_empty() {
            return self.malformed("an empty answer");
        }
        if start.starts_with('<') {
            return self.malformed("a web page");
        }
        self.malformed(&format!("`{}`", text::clip(&text::clean(start), 60)))
    }

    /// What a model said to a prompt of about `sent` tokens, if it read all of that and came to an end.
    pub(super) fn whole(
        &self,
        said: Completion,
        is_cut_off: bool,
        sent: u64,
        max_tokens: u32,
    ) -> Result<Completion, Failure> {
        let model = || self.model.clone();
        if is_cut(sent, said.prompt_tokens) {
            return Err(Failure::PromptCut { model: model(), sent, seen: said.prompt_tokens });
        }
        if is_cut_off {
            let tokens = said.reply_tokens.unwrap_or_else(|| u64::from(max_tokens));
            return Err(Failure::Truncated { model: model(), tokens });
        }
        Ok(said)
    }

    /// What a status that is no success means for a prompt of about `sent` tokens. Models without context
    /// shift refuse what others cut.
    pub(super) fn refused(&self, response: &Response, sent: u64) -> Failure {
        let is_long = ["context length", "context size", "maximum context"]
            .iter()
            .any(|words| response.body.contains(words));
        if [400, 413, 422].contains(&response.status) && is_long {
            return Failure::PromptCut { model: self.model.clone(), sent, seen: None };
        }
        self.refusal(response.status, &response.body)
    }

    /// What the server says is data: it is cleaned and cut.
    pub(super) fn refusal(&self, status: u16, body: &str) -> Failure {
        let said = said(body);
        let (url, model) = (self.url(), self.model.clone());
        match status {
            401 | 403 if self.provider == Provider::OpenAi => {
                let remedy = "`llm.key_env` names the variable that holds its key";
                let said = match &self.key {
                    None => format!("{said}; {remedy}"),
                    Some(_) => format!("{said}; it does not take the key that was sent"),
                };
                Failure::Refused { url, status, said }
            }
            429 | 503 => Failure::Busy { url, said },
            300..=399 => {
                let said = "it sends the request on to another address, which is not followed";
                Failure::Refused { url, status, said: said.to_owned() }
            }
            404 if is_about_the_model(&said) => {
                let remedy = match self.provider {
                    Provider::Ollama => format!("`ollama pull {model}` gets it"),
                    Provider::OpenAi => {
                        format!("{url}/v1/models lists those that it has, `llm.model` names one")
                    }
                };
                Failure::ModelMissing { url, model, remedy }
            }
            _ => Failure::Refused { url, status, said },
        }
    }
}

fn is_about_the_model(said: &str) -> bool {
    let said = said.to_ascii_lowercase();
    said.contains("model")
        && ["not found", "does not exist", "not exist"].iter().any(|words| said.contains(words))
}

pub(super) fn said(body: &str) -> String {
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

/// The address without what is typed too much: a slash at its end, the `/v1` of OpenAI's protocol.
fn address(url: &str) -> Result<String, String> {
    let url = url.trim();
    let url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    let Some(rest) = url.strip_prefix("http://") else {
        return Err("it must begin with `http://`; https is not built in".to_owned());
    };
    let rest = rest.trim_end_matches('/');
    let rest = rest.strip_suffix("/v1").unwrap_or(rest);
    let host = rest.split('/').next().unwrap_or_default();
    if host.is_empty() {
        return Err("it names no host".to_owned());
    }
    if host.contains('@') {
        return Err("a user name has no place in it".to_owned());
    }
    let port = host.rsplit(']').next().and_then(|end| end.split_once(':'));
    if port.is_some_and(|(_, port)| port.parse::<u16>().is_err()) {
        return Err("its port is no number".to_owned());
    }
    if rest.contains(['?', '#']) || rest.contains(char::is_whitespace) {
        return Err("it must be host, port and perhaps a folder".to_owned());
    }
    match format!("http://{rest}").parse::<ureq::http::Uri>() {
        Ok(_) => Ok(format!("http://{rest}")),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (url, expected) in [
            ("http://localhost:11434", Ok("http://localhost:11434")),
            (" http://localhost:11434/ ", Ok("http://localhost:11434")),
            ("127.0.0.1:8080", Ok("http://127.0.0.1:8080")),
            ("http://[::1]:8080/v1/", Ok("http://[::1]:8080")),
            ("http://box/llm/v1", Ok("http://box/llm")),
            ("http://", Err("it names no host")),
            ("http://me:secret@box", Err("a user name has no place in it")),
            ("https://box", Err("it must begin with `http://`; https is not built in")),
            ("http://box/?a=1", Err("it must be host, port and perhaps a folder")),
            ("http://box:port", Err("its port is no number")),
            ("http://a b", Err("it must be host, port and perhaps a folder")),
        ] {
            assert_eq!(address(url).as_deref().map_err(String::as_str), expected, "{url}");
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
}
