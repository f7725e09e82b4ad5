//! Configuration: environment over the project's file over the user's file over built-in values.
//!
//! A project's file comes with a clone and is not trusted: it may set only what cannot hurt, never a
//! path or a server, and it may make the guard stricter, never looser. What is wrong in a file is a
//! sentence in [`Config::problems`], never a failure, so that a session goes on: the one key is
//! ignored, the rest of the file counts.

mod file;
mod keys;
mod table;

use std::io::ErrorKind::{NotADirectory, NotFound};
use std::path::Path;

use serde::Serialize;

use crate::files;
use crate::paths::Environment;
use crate::text::vocabulary;
use file::Found;
pub use file::{Change, change};
use keys::LEVELS;
pub use keys::{Rule, Value, Words};
pub use table::{Config, model_name};
use table::{Project, SETTINGS, Setting};

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
    pub fn load(
        user_file: &Path,
        project_file: &Path,
        environment: &Environment,
        words: &Words,
    ) -> Self {
        let mut config = Self::default();
        for (file, source) in [(user_file, Source::User), (project_file, Source::Project)] {
            let Some(text) = config.text(file) else { continue };
            config.apply(&text, file, source, words);
        }
        config.apply_environment(environment, words);
        config
    }

    fn text(&mut self, path: &Path) -> Option<String> {
        match files::text(path, files::SMALL) {
            Ok(text) => Some(text),
            // Also where a file stands in place of the folder.
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => None,
            Err(error) => {
                self.problems.push(format!("could not read `{}`: {error}", path.display()));
                None
            }
        }
    }

    fn apply(&mut self, text: &str, file: &Path, source: Source, words: &Words) {
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
            if let Err(reason) = self.apply_one(one, source, words) {
                let file = file.display();
                self.problems.push(format!("`{file}`, line {line}: {reason}: ignored"));
            }
        }
    }

    fn apply_one(&mut self, found: Found, source: Source, words: &Words) -> Result<(), String> {
        // An empty table sets nothing.
        let is_table = words.keys().iter().any(|key| key.starts_with(&format!("{}.", found.key)));
        if is_table && found.empty_table {
            return Ok(());
        }
        let (key, setting) = words.find(&found.key)?;
        let wrong = |reason: String| format!("`{key}`: {reason}");
        if source == Source::Project && setting.project == Project::Ignored {
            self.may_project(&key, setting, &Value::Unset, words)?;
        }
        let value =
            setting.kind.check(words, found.value.unwrap_or(Value::Unset)).map_err(wrong)?;
        if source == Source::Project {
            self.may_project(&key, setting, &value, words)?;
        }
        self.set(key, setting, value, source);
        Ok(())
    }

    fn may_project(
        &mut self,
        key: &str,
        setting: Setting,
        value: &Value,
        words: &Words,
    ) -> Result<(), String> {
        match setting.project {
            Project::Sets | Project::Adds => Ok(()),
            Project::Ignored => {
                Err(format!("it sets `{key}`, which only your own configuration may"))
            }
            Project::Tightens => {
                let now = self.value(key, setting, words);
                let is_looser = match (value, &now) {
                    (Value::Text(wanted), Value::Text(now)) => words.rank(wanted) < words.rank(now),
                    (Value::Number(wanted), Value::Number(now)) => wanted > now,
                    (Value::Switch(wanted), Value::Switch(now)) => *wanted && !now,
                    _ => false,
                };
                if !is_looser {
                    return Ok(());
                }
                Err(format!(
                    "it sets `{key}` to `{}`, which is looser than `{}`; a project may only be \
                     stricter",
                    value.plain(", "),
                    now.plain(", ")
                ))
            }
        }
    }

    fn level<'a>(&'a self, code: &str, words: &'a Words) -> &'a str {
        let built_in = || words.rules.iter().find(|rule| rule.code == code).map(|rule| rule.level);
        self.guard_levels.get(code).map(String::as_str).or_else(built_in).unwrap_or_default()
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
                let code = key.strip_prefix(LEVELS).unwrap_or(&key);
                self.guard_levels.insert(code.to_owned(), level);
            }
            (None, _) => {}
        }
        self.sources.insert(key, source);
    }

    fn apply_environment(&mut self, environment: &Environment, words: &Words) {
        for setting in SETTINGS {
            let Some((name, text)) =
                setting.variable.and_then(|name| environment.text(name).map(|text| (name, text)))
            else {
                continue;
            };
            match words.typed(*setting, text) {
                Ok(value) => {
                    let key = setting.key.to_owned();
                    self.set(key, *setting, value, Source::Environment);
                }
                Err(reason) => self.problems.push(format!("{name}: {reason}: ignored")),
            }
        }
    }

    fn value(&mut self, key: &str, setting: Setting, words: &Words) -> Value {
        match setting.field {
            Some(field) => field(self).get(),
            None => {
                Value::Text(self.level(key.strip_prefix(LEVELS).unwrap_or(key), words).to_owned())
            }
        }
    }

    /// Whether a language model is configured. An address or a limit alone names none.
    pub fn has_model(&self) -> bool {
        !self.llm_model.is_empty()
    }

    pub fn entries(&self, words: &Words) -> Vec<Entry> {
        let mut config = self.clone();
        let known = words.keys().into_iter().filter_map(|key| words.find(&key).ok());
        known
            .map(|(key, setting)| Entry {
                value: config.value(&key, setting, words),
                source: self.sources.get(&key).copied().unwrap_or(Source::Default),
                key,
                help: setting.help,
            })
            .collect()
    }
}

pub fn key(key: &str, words: &Words) -> Result<String, String> {
    words.find(key.trim()).map(|(key, _)| key)
}

#[cfg(test)]
mod tests;
