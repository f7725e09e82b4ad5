//! Configuration: environment over the project's file over the user's file over built-in values.
//!
//! A project's file comes with a clone and is not trusted: it may set only what cannot hurt, never a
//! path or a server, and it may make the guard stricter, never looser. What is wrong in a file is a
//! sentence in [`Config::problems`], never a failure, so that a session goes on: the one key is
//! ignored, the rest of the file counts.

mod file;
mod table;

use std::path::Path;

use serde::Serialize;

use crate::files;
use crate::guard::{Level, Rule};
use crate::paths::Environment;
use crate::text::vocabulary;
use file::Found;
pub use file::{Change, change};
pub use table::{Config, Value, model_name};
use table::{LEVELS, Project, SETTINGS, Setting, find, keys, typed};

vocabulary! {
    Source {
        Default = "default",
        User = "user",
        Project = "project",
        Environment = "environment",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    pub key: String,
    pub value: Value,
    pub source: Source,
    pub help: &'static str,
}

impl Config {
    pub fn load(user_file: &Path, project_file: &Path, environment: &Environment) -> Self {
        let mut config = Self::default();
        for (file, source) in [(user_file, Source::User), (project_file, Source::Project)] {
            match files::text_or_empty(file, files::SMALL) {
                Ok(text) => config.apply(&text, file, source),
                Err(error) => {
                    let text = format!("could not read `{}`: {error}", file.display());
                    config.problems.push(text);
                }
            }
        }
        config.apply_environment(environment);
        config
    }

    fn apply(&mut self, text: &str, file: &Path, source: Source) {
        let found = match file::read(text) {
            Ok(found) => found,
            Err((line, reason)) => {
                let file = file.display();
                let text = format!("`{file}`, line {line}: {reason}: the file is ignored");
                return self.problems.push(text);
            }
        };
        for one in found {
            let line = one.line;
            if let Err(reason) = self.apply_one(one, source) {
                let file = file.display();
                self.problems.push(format!("`{file}`, line {line}: {reason}: ignored"));
            }
        }
    }

    fn apply_one(&mut self, found: Found, source: Source) -> Result<(), String> {
        // An empty table sets nothing.
        let is_table = keys().iter().any(|key| key.starts_with(&format!("{}.", found.key)));
        if is_table && found.empty_table {
            return Ok(());
        }
        let (key, setting) = find(&found.key)?;
        let wrong = |reason: String| format!("`{key}`: {reason}");
        let by_project = Some(setting.project).filter(|_| source == Source::Project);
        if by_project == Some(Project::Ignored) {
            return Err(format!("it sets `{key}`, which only your own configuration may"));
        }
        let value = setting.kind.check(found.value.unwrap_or(Value::Unset)).map_err(wrong)?;
        if by_project == Some(Project::Tightens) {
            self.tightens(&key, setting, &value)?;
        }
        self.set(key, setting, value, source);
        Ok(())
    }

    fn tightens(&mut self, key: &str, setting: Setting, value: &Value) -> Result<(), String> {
        let now = self.value(key, setting);
        let is_looser = match (value, &now) {
            (Value::Text(wanted), Value::Text(now)) => {
                Level::from_word(wanted) < Level::from_word(now)
            }
            (Value::Number(wanted), Value::Number(now)) => wanted > now,
            (Value::Switch(wanted), Value::Switch(now)) => *wanted && !now,
            _ => false,
        };
        if !is_looser {
            return Ok(());
        }
        let (wanted, now) = (value.plain(", "), now.plain(", "));
        Err(format!(
            "it sets `{key}` to `{wanted}`, which is looser than `{now}`; a project may only be stricter"
        ))
    }

    fn set(&mut self, key: String, setting: Setting, value: Value, source: Source) {
        match (setting.field, value) {
            (Some(field), value) => {
                let adds = source == Source::Project && setting.project == Project::Adds;
                let value = match (field(self).get(), value) {
                    (Value::Texts(known), Value::Texts(new)) if adds => {
                        Value::Texts([known, new].concat())
                    }
                    (_, value) => value,
                };
                field(self).set(value);
            }
            (None, Value::Text(level)) => {
                self.guard_levels.extend(rule(&key).zip(Level::from_word(&level)));
            }
            (None, _) => {}
        }
        self.sources.insert(key, source);
    }

    fn apply_environment(&mut self, environment: &Environment) {
        for setting in SETTINGS {
            let Some((name, text)) =
                setting.variable.and_then(|name| environment.text(name).map(|text| (name, text)))
            else {
                continue;
            };
            match typed(*setting, text) {
                Ok(value) => {
                    let key = setting.key.to_owned();
                    self.set(key, *setting, value, Source::Environment);
                }
                Err(reason) => self.problems.push(format!("{name}: {reason}: ignored")),
            }
        }
    }

    fn value(&mut self, key: &str, setting: Setting) -> Value {
        match (setting.field, rule(key)) {
            (Some(field), _) => field(self).get(),
            (None, Some(rule)) => {
                let own = self.guard_levels.get(&rule).copied();
                Value::Text(own.unwrap_or_else(|| rule.default_level()).to_string())
            }
            (None, None) => Value::Unset,
        }
    }

    /// Whether a language model is configured. An address or a limit alone names none.
    pub fn has_model(&self) -> bool {
        !self.llm_model.is_empty()
    }

    pub fn entries(&self) -> Vec<Entry> {
        let mut config = self.clone();
        let known = keys().into_iter().filter_map(|key| find(&key).ok());
        known
            .map(|(key, setting)| Entry {
                value: config.value(&key, setting),
                source: self.sources.get(&key).copied().unwrap_or(Source::Default),
                key,
                help: setting.help,
            })
            .collect()
    }
}

/// The rule whose level a key sets.
fn rule(key: &str) -> Option<Rule> {
    Rule::from_code(key.strip_prefix(LEVELS)?)
}

pub fn key(key: &str) -> Result<String, String> {
    find(key.trim()).map(|(key, _)| key)
}

#[cfg(test)]
mod tests;
