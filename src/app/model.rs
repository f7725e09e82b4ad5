//! The language model of the configuration: opening it, its limits, loading it.

use std::time::Duration;

use super::App;
use crate::llm::{self, Failure, Key, Model, Provider, Request, Settings};

/// Holds the key for the server, whatever `llm.key_env` names.
const KEY: &str = "MK_LLM_KEY";

/// Whether a model is wanted: one was named, or one is configured. Nobody is bothered about a model
/// that nobody asked for.
pub fn is_wanted(app: &App, name: Option<&str>) -> bool {
    name.is_some() || app.config.has_model()
}

/// Where the model is: as configured, with another name where one is given. The key comes from the
/// environment and is kept nowhere.
pub fn settings(app: &App, name: Option<&str>) -> Settings {
    let config = &app.config;
    let provider =
        if config.llm_provider == "openai" { Provider::OpenAi } else { Provider::Ollama };
    let variables = [KEY, config.llm_key_env.as_str()];
    let key = variables.iter().find_map(|name| app.environment.text(name));
    Settings {
        provider,
        url: config.llm_url.clone(),
        model: name.unwrap_or(&config.llm_model).trim().to_owned(),
        keep_alive: config.llm_keep_alive.clone(),
        key: key.and_then(Key::new),
    }
}

/// The configured model, or another one of the same server. Nothing is sent yet.
///
/// # Errors
/// [`Failure::Address`] when the configured address cannot be one of a server.
pub fn open(app: &App, name: Option<&str>) -> Result<Box<dyn Model>, Failure> {
    llm::open(&settings(app, name))
}

/// How long one extraction may take.
pub fn limit(app: &App) -> Duration {
    seconds(app.config.llm_timeout)
}

/// How long wording a lesson may take.
pub fn lesson_limit(app: &App) -> Duration {
    seconds(app.config.llm_lesson_timeout)
}

/// How long loading the model may take.
pub fn load_limit(app: &App) -> Duration {
    seconds(app.config.llm_load_timeout)
}

fn seconds(number: usize) -> Duration {
    Duration::from_secs(number as u64)
}

/// Has the server load the model before it is asked for something like `request`, within a limit of its
/// own, so that no answer pays for it. A server that knows no loading is none to fail for.
///
/// # Errors
/// When the server is not there, does not have the model, or needs longer than the limit.
pub fn load(model: &dyn Model, request: &Request<'_>, limit: Duration) -> Result<(), Failure> {
    match model.warm_up(request, limit) {
        Err(Failure::TimedOut { model, seconds }) => Err(Failure::NotLoaded { model, seconds }),
        // Whether it is of any use shows when it is asked.
        Err(Failure::Refused { .. } | Failure::Busy { .. } | Failure::PromptCut { .. }) => Ok(()),
        done => done,
    }
}
