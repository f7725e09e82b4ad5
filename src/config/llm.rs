//! The settings of the language model. Only the user's own file may have them: a project could
//! otherwise have transcripts sent to a server of its choice.

use super::keys::Value;

/// Where the language model is, and how long it may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Llm {
    /// `ollama` or `openai` (`llm.provider`).
    pub provider: String,
    /// The server (`llm.url`).
    pub url: String,
    /// The model, as the server calls it (`llm.model`).
    pub model: String,
    /// Seconds for one extraction (`llm.timeout`).
    pub timeout: usize,
    /// Seconds for wording a lesson (`llm.lesson_timeout`).
    pub lesson_timeout: usize,
    /// Seconds for loading the model into memory (`llm.load_timeout`).
    pub load_timeout: usize,
    /// How long Ollama keeps the model in memory after an answer (`llm.keep_alive`): `10m`, seconds,
    /// `-1` for ever, `0` not at all.
    pub keep_alive: String,
    /// Name of the variable that holds the key for the server (`llm.key_env`); empty for none. The key
    /// itself is never part of a configuration.
    pub key_env: String,
    /// Whether any of it was set: nobody is bothered about a model that nobody asked for.
    pub is_configured: bool,
}

impl Default for Llm {
    fn default() -> Self {
        Self {
            provider: "ollama".to_owned(),
            url: "http://localhost:11434".to_owned(),
            model: "qwen3:8b".to_owned(),
            timeout: 60,
            lesson_timeout: 5,
            load_timeout: 300,
            keep_alive: "10m".to_owned(),
            key_env: String::new(),
            is_configured: false,
        }
    }
}

impl Llm {
    pub(super) fn set(&mut self, key: &str, value: Value) {
        match (key, value) {
            ("llm.provider", Value::Text(provider)) => self.provider = provider,
            ("llm.url", Value::Text(url)) => self.url = url,
            ("llm.model", Value::Text(model)) => self.model = model,
            ("llm.timeout", Value::Number(seconds)) => self.timeout = seconds,
            ("llm.lesson_timeout", Value::Number(seconds)) => self.lesson_timeout = seconds,
            ("llm.load_timeout", Value::Number(seconds)) => self.load_timeout = seconds,
            ("llm.keep_alive", Value::Text(time)) => self.keep_alive = time,
            ("llm.key_env", Value::Text(name)) => self.key_env = name,
            _ => return,
        }
        self.is_configured = true;
    }

    pub(super) fn get(&self, key: &str) -> Value {
        match key {
            "llm.provider" => Value::Text(self.provider.clone()),
            "llm.url" => Value::Text(self.url.clone()),
            "llm.model" => Value::Text(self.model.clone()),
            "llm.timeout" => Value::Number(self.timeout),
            "llm.lesson_timeout" => Value::Number(self.lesson_timeout),
            "llm.load_timeout" => Value::Number(self.load_timeout),
            "llm.keep_alive" => Value::Text(self.keep_alive.clone()),
            "llm.key_env" if self.key_env.is_empty() => Value::Unset,
            "llm.key_env" => Value::Text(self.key_env.clone()),
            _ => Value::Unset,
        }
    }
}

pub(super) fn provider(word: &str) -> Result<String, String> {
    match word.trim().to_ascii_lowercase().as_str() {
        known @ ("ollama" | "openai") => Ok(known.to_owned()),
        _ => Err(format!("`{word}` is no protocol: use `ollama` or `openai`")),
    }
}

/// Only what can be seen without asking the network. Encryption is not built in: model servers run on
/// the person's own machine.
pub(super) fn address(url: &str) -> Result<String, String> {
    let url = url.trim();
    if url.starts_with("https://") {
        return Err(format!(
            "`{url}`: https is not built in; a tunnel (`ssh -L`) or a proxy on this machine brings such a \
             server to an http address"
        ));
    }
    let host = url.strip_prefix("http://").unwrap_or(url);
    if host.contains("://") || host.is_empty() || host.contains(['@', ' ', '\t']) {
        return Err(format!(
            "`{url}` is no address of a model server: it must be like `http://localhost:11434`"
        ));
    }
    Ok(url.to_owned())
}

/// The name of a model, without blanks around it.
///
/// # Errors
/// A sentence, when it can be none.
pub fn model_name(name: &str) -> Result<String, String> {
    let name = name.trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:/@-+".contains(c);
    // It is shown as part of a command.
    if name.is_empty() || !name.chars().all(is_plain) || name.starts_with('-') {
        return Err(format!("`{name}` is no name of a model"));
    }
    Ok(name.to_owned())
}

/// As Ollama takes it: whole seconds, or hours, minutes and seconds with their letter; below zero means
/// for ever.
pub(super) fn keep_alive(time: &str) -> Result<String, String> {
    let time = time.trim().to_ascii_lowercase();
    let digits = time.trim_start_matches('-').trim_end_matches(['h', 'm', 's']);
    let is_time = !digits.is_empty()
        && digits.len() <= 6
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && time.len() - digits.len() <= 2
        && time.matches('-').count() <= 1;
    if is_time {
        return Ok(time);
    }
    Err(format!("`{time}` is no time: use one like `10m`, `1h`, `0` or `-1` (for ever)"))
}

/// The name of a variable. What is none may be the key itself, so it is not repeated.
pub(super) fn variable(name: &str) -> Result<String, String> {
    let name = name.trim();
    let is_plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(name.to_owned());
    }
    Err("this must be the name of a variable, like `OPENAI_API_KEY`: a key itself has no place in a \
         configuration"
        .to_owned())
}
