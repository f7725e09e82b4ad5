//! The language model of the configuration, and the one way in which it is asked: counted.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::app::App;
use crate::config::model_name;
use crate::learn::facts::Text;
use crate::learn::lessons::WORDING;
use crate::learn::prompt::{Form, Origin, Prompt, Template};
pub use crate::llm::Usage;
use crate::llm::{self, Failure, Model, Provider, Request, Settings};
use crate::text::{clean, clean_block};

/// Holds the key for the server, whatever `llm.key_env` names.
const KEY: &str = "MK_LLM_KEY";

pub fn is_wanted(app: &App, name: Option<&str>) -> bool {
    name.is_some() || app.config.has_model()
}

/// The key comes from the environment and is kept nowhere; one that no header can hold is none.
pub fn settings(app: &App, name: Option<&str>) -> Settings {
    let config = &app.config;
    let provider =
        if config.llm_provider == "openai" { Provider::OpenAi } else { Provider::Ollama };
    let variables = [KEY, config.llm_key_env.as_str()];
    let key = variables.iter().find_map(|name| app.environment.text(name));
    let key = key.map(|key| key.trim().to_owned());
    let is_sound = |key: &String| !key.is_empty() && key.bytes().all(|b| b.is_ascii_graphic());
    Settings {
        provider,
        url: config.llm_url.clone(),
        model: name.unwrap_or(&config.llm_model).trim().to_owned(),
        keep_alive: config.llm_keep_alive.clone(),
        key: key.filter(is_sound),
    }
}

/// Takes what a person who watches is shown, and in which part of how many.
pub type Watcher<'w> = &'w dyn Fn((usize, usize), &str);

/// A model that is asked in one form.
pub struct Asker {
    form: &'static Form,
    template: Template,
    model: Model,
    /// For all of a question, a second attempt included.
    limit: Duration,
    load_limit: Duration,
    is_loaded: bool,
    /// What asking took since somebody took it last.
    usage: Usage,
}

impl Asker {
    /// The configured model, or another one of the same server. Nothing is sent yet.
    pub fn open(
        app: &App,
        form: &'static Form,
        name: Option<&str>,
        stop: &Arc<AtomicBool>,
    ) -> anyhow::Result<Self> {
        let name = name.map(model_name).transpose().map_err(anyhow::Error::msg)?;
        let config = &app.config;
        let is_lesson = form.name == WORDING.name;
        Ok(Self {
            form,
            template: Template::built_in(form),
            model: Model::open(&settings(app, name.as_deref()), stop)?,
            limit: seconds(if is_lesson { config.llm_lesson_timeout } else { config.llm_timeout }),
            load_limit: seconds(config.llm_load_timeout),
            is_loaded: false,
            usage: Usage::default(),
        })
    }

    /// The model and the template: asked with another one, something else may come of a text.
    pub fn version(&self) -> String {
        format!("{} {}", self.name(), self.template.version())
    }

    pub fn name(&self) -> &str {
        self.model.name()
    }

    /// What asking took since this was called last.
    pub fn take_usage(&mut self) -> Usage {
        Usage { model: self.name().to_owned(), ..std::mem::take(&mut self.usage) }
    }

    /// Asks about a text, which is the first of so many parts of one. Nothing of a reply that failed may be used.
    pub fn ask<T>(
        &mut self,
        text: &Text,
        place @ (part, parts): (usize, usize),
        told: Watcher<'_>,
        read: impl Fn(&Value, &Origin) -> Result<T, String>,
    ) -> Result<T, Failure> {
        let (Prompt { system, user }, form) = (self.template.prompt(text), self.form);
        let (name, schema, max_tokens) = (form.name, (form.schema)(), form.max_tokens);
        // The first answer waits until the model is loaded.
        let loading = if self.is_loaded { Duration::ZERO } else { self.load_limit };
        let limit = self.limit + loading;
        let question = Request { system, user, name, schema, max_tokens, limit };
        let say = |text: &str| told(place, text);
        say(&format!(
            "--- part {part} of {parts}, {} words: instructions ---\n{}\n--- text ---\n{}",
            text.words(),
            clean_block(&question.system),
            clean_block(&question.user)
        ));
        let origin = self.template.origin(text);
        let begin = Instant::now();
        let usage = &mut self.usage;
        let answer = llm::ask(&self.model, &question, usage, |reply| read(reply, &origin));
        self.is_loaded |= answer.is_ok();
        self.usage.seconds += begin.elapsed().as_secs_f64();
        match &answer {
            Ok(answer) => {
                let which = if answer.repaired { "second answer" } else { "answer" };
                say(&format!("--- {which} ---\n{}", clean_block(&answer.reply)));
            }
            Err(failure) => {
                say(&format!("--- no answer: {} ---", clean(&failure.to_string())));
                if let Some(reply) = &failure.reply {
                    say(&format!("--- last answer ---\n{}", clean_block(reply)));
                }
            }
        }
        answer.map(|answer| answer.value)
    }
}

fn seconds(number: usize) -> Duration {
    Duration::from_secs(number as u64)
}
