//! Configuration: environment over the project's file over the user's file over built-in values.
//!
//! A project's file comes with a clone and is not trusted: it may set only what cannot hurt, never a
//! path or a server, and it may make the guard stricter, never looser. What is wrong in a file is a
//! sentence in [`Config::problems`], never a failure, so that a session goes on: the one key is
//! ignored, the rest of the file counts.

mod edit;
mod intake;
mod keys;
mod llm;
mod read;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::files;
use crate::paths::Environment;
pub use edit::{Change, change};
pub use intake::FactIntake;
use keys::{LEVELS, Project, SETTINGS, Setting};
pub use keys::{Rule, Value, Words};
pub use llm::{Llm, model_name};
use read::Found;

/// Every setting, with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Budget of the briefing in tokens (`brief.budget`, `MK_BRIEF_BUDGET`).
    pub brief_budget: usize,
    /// Which files are a prover's results, as globs relative to the project (`results.globs`).
    pub results_globs: Vec<String>,
    /// Whether new results are extracted without being asked (`results.capture`).
    pub results_capture: bool,
    /// The tracking database (`tracking.path`, user's file only).
    pub tracking_path: Option<PathBuf>,
    pub guard: GuardWords,
    /// What `mk audit` fails on, each a text for `--deny` (`audit.deny`).
    pub audit_deny: Vec<String>,
    /// What `mk audit` lets pass, each a text for `--allow` (`audit.allow`).
    pub audit_allow: Vec<String>,
    /// The journal's file (`seed`, user's file only).
    pub seed: Option<PathBuf>,
    /// Folders of projects whose sessions nothing is learnt from, as globs (`learn.exclude`).
    pub learn_exclude: Vec<String>,
    /// Whether lessons are taken out of sessions (`learn.lessons`, or `lessons.enabled`).
    pub learn_lessons: bool,
    /// A sentence for who summarises a conversation, about what to keep (`learn.compact_hint`, user's
    /// file only); empty for none.
    pub learn_compact_hint: String,
    /// What becomes of facts that a model found (`learn.facts`, user's file only).
    pub learn_facts: FactIntake,
    /// Whether the background asks the language model, where one is configured (`learn.model`).
    pub learn_model: bool,
    /// Days after which a proposal that nobody decided expires (`learn.expire_days`).
    pub learn_expire_days: usize,
    /// What sessions are told.
    pub inject: Inject,
    /// The language model (`llm`, user's file only).
    pub llm: Llm,
    /// What was wrong in the files or the environment, one sentence each.
    pub problems: Vec<String>,
    /// Where the values come from that are not built in, by key.
    sources: BTreeMap<String, Source>,
}

/// Whether sessions are told what is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inject {
    /// Whether at all (`inject.enabled`, `MK_INJECT`; user's file only).
    pub enabled: bool,
    /// Folders of projects whose sessions are told nothing, as globs (`inject.exclude`).
    pub exclude: Vec<String>,
}

/// The guard's settings. Rules and levels are words that [`Words`] knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardWords {
    /// Whether edits are guarded at all (`guard.enabled`, `MK_GUARD`).
    pub enabled: bool,
    /// Levels other than the built-in ones, by the code of the rule (`guard.levels`).
    pub levels: BTreeMap<String, String>,
    /// Axioms that may be used, with `*` for any text (`guard.allow_axioms`).
    pub allow_axioms: Vec<String>,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    Default,
    /// The user's file.
    User,
    /// The project's file.
    Project,
    Environment,
}

impl Source {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User => "user",
            Self::Project => "project",
            Self::Environment => "environment",
        }
    }
}

/// A setting as people see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    pub key: String,
    pub value: Value,
    pub source: Source,
    /// What it is about, in a few words.
    pub help: &'static str,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            brief_budget: 300,
            results_globs: ["**/*_result.lean", "**/*_aristotle.lean", "RequestProject/**"]
                .map(str::to_owned)
                .to_vec(),
            results_capture: true,
            tracking_path: None,
            guard: GuardWords { enabled: true, levels: BTreeMap::new(), allow_axioms: Vec::new() },
            audit_deny: Vec::new(),
            audit_allow: Vec::new(),
            seed: None,
            learn_exclude: Vec::new(),
            learn_lessons: true,
            learn_compact_hint: String::new(),
            learn_facts: FactIntake::BySource,
            learn_model: true,
            learn_expire_days: 30,
            inject: Inject { enabled: true, exclude: Vec::new() },
            llm: Llm::default(),
            problems: Vec::new(),
            sources: BTreeMap::new(),
        }
    }
}

impl Config {
    /// Reads both files and the environment. Missing files are fine.
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
        config.apply_environment(environment);
        config
    }

    fn text(&mut self, path: &Path) -> Option<String> {
        match files::text(path, files::SMALL) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            // A file where a folder should be: there is no such file either.
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => None,
            Err(error) => {
                self.problems.push(format!("could not read `{}`: {error}", path.display()));
                None
            }
        }
    }

    /// Takes over what a file says.
    fn apply(&mut self, text: &str, file: &Path, source: Source, words: &Words) {
        let found = match read::read(text) {
            Ok(found) => found,
            Err(fault) => {
                self.problems.push(format!(
                    "`{}`, line {}: {}: the file is ignored",
                    file.display(),
                    fault.line,
                    fault.message
                ));
                return;
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
        let value = words.check(setting, found.value.unwrap_or(Value::Unset)).map_err(wrong)?;
        if source == Source::Project {
            self.may_project(&key, setting, &value, words)?;
        }
        self.set(&key, value, source == Source::Project && setting.project == Project::Adds);
        self.sources.insert(key, source);
        Ok(())
    }

    /// Whether a project's file may set this.
    fn may_project(
        &self,
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
                let now = self.value(key, words);
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

    /// The level of a rule as it is set now.
    fn level<'a>(&'a self, code: &str, words: &'a Words) -> &'a str {
        let built_in = || words.rules.iter().find(|rule| rule.code == code).map(|rule| rule.level);
        self.guard.levels.get(code).map(String::as_str).or_else(built_in).unwrap_or_default()
    }

    fn set(&mut self, key: &str, value: Value, adds: bool) {
        let texts = |old: &mut Vec<String>, new: Vec<String>| {
            if adds {
                old.extend(new);
            } else {
                *old = new;
            }
        };
        match (key, value) {
            ("brief.budget", Value::Number(budget)) => self.brief_budget = budget,
            ("results.capture", Value::Switch(on)) => self.results_capture = on,
            ("results.globs", Value::Texts(globs)) => texts(&mut self.results_globs, globs),
            ("tracking.path", Value::Text(path)) => self.tracking_path = Some(path.into()),
            ("guard.enabled", Value::Switch(on)) => self.guard.enabled = on,
            ("guard.allow_axioms", Value::Texts(axioms)) => {
                texts(&mut self.guard.allow_axioms, axioms);
            }
            ("learn.exclude", Value::Texts(globs)) => texts(&mut self.learn_exclude, globs),
            ("learn.lessons", Value::Switch(on)) => self.learn_lessons = on,
            ("learn.compact_hint", Value::Text(text)) => self.learn_compact_hint = text,
            ("learn.facts", Value::Text(word)) => {
                self.learn_facts = FactIntake::of(&word).unwrap_or(self.learn_facts);
            }
            ("learn.model", Value::Switch(on)) => self.learn_model = on,
            ("learn.expire_days", Value::Number(days)) => self.learn_expire_days = days,
            ("inject.enabled", Value::Switch(on)) => self.inject.enabled = on,
            ("inject.exclude", Value::Texts(globs)) => texts(&mut self.inject.exclude, globs),
            (key, value) if key.starts_with("llm.") => self.llm.set(key, value),
            ("seed", Value::Text(path)) => self.seed = Some(path.into()),
            ("audit.deny", Value::Texts(rules)) => texts(&mut self.audit_deny, rules),
            ("audit.allow", Value::Texts(rules)) => texts(&mut self.audit_allow, rules),
            (key, Value::Text(level)) => {
                if let Some(code) = key.strip_prefix(LEVELS) {
                    self.guard.levels.insert(code.to_owned(), level);
                }
            }
            _ => {}
        }
    }

    fn apply_environment(&mut self, environment: &Environment) {
        if let Some(text) = environment.text("MK_BRIEF_BUDGET") {
            match keys::number("brief.budget", text) {
                Ok(budget) => {
                    self.brief_budget = budget;
                    self.sources.insert("brief.budget".to_owned(), Source::Environment);
                }
                Err(why) => {
                    self.problems.push(format!("MK_BRIEF_BUDGET is `{text}`, {why}: ignored"));
                }
            }
        }
        if let Some(on) = self.switched(environment, "MK_GUARD", "guard.enabled") {
            self.guard.enabled = on;
        }
        if let Some(on) = self.switched(environment, "MK_INJECT", "inject.enabled") {
            self.inject.enabled = on;
        }
    }

    /// What a variable switches a setting to.
    fn switched(&mut self, environment: &Environment, name: &str, key: &str) -> Option<bool> {
        let word = environment.text(name)?.to_ascii_lowercase();
        if !["on", "off"].contains(&word.as_str()) {
            self.problems.push(format!("{name} is `{word}`, not `on` or `off`: ignored"));
            return None;
        }
        self.sources.insert(key.to_owned(), Source::Environment);
        Some(word == "on")
    }

    fn value(&self, key: &str, words: &Words) -> Value {
        let path = |path: Option<&PathBuf>| {
            path.map_or(Value::Unset, |path| Value::Text(path.to_string_lossy().into_owned()))
        };
        match key {
            "brief.budget" => Value::Number(self.brief_budget),
            "results.capture" => Value::Switch(self.results_capture),
            "results.globs" => Value::Texts(self.results_globs.clone()),
            "tracking.path" => path(self.tracking_path.as_ref()),
            "guard.enabled" => Value::Switch(self.guard.enabled),
            "guard.allow_axioms" => Value::Texts(self.guard.allow_axioms.clone()),
            "learn.exclude" => Value::Texts(self.learn_exclude.clone()),
            "learn.lessons" => Value::Switch(self.learn_lessons),
            "learn.compact_hint" if self.learn_compact_hint.is_empty() => Value::Unset,
            "learn.compact_hint" => Value::Text(self.learn_compact_hint.clone()),
            "learn.facts" => Value::Text(self.learn_facts.as_str().to_owned()),
            "learn.model" => Value::Switch(self.learn_model),
            "learn.expire_days" => Value::Number(self.learn_expire_days),
            "inject.enabled" => Value::Switch(self.inject.enabled),
            "inject.exclude" => Value::Texts(self.inject.exclude.clone()),
            key if key.starts_with("llm.") => self.llm.get(key),
            "seed" => path(self.seed.as_ref()),
            "audit.deny" => Value::Texts(self.audit_deny.clone()),
            "audit.allow" => Value::Texts(self.audit_allow.clone()),
            key => {
                let code = key.strip_prefix(LEVELS).unwrap_or(key);
                Value::Text(self.level(code, words).to_owned())
            }
        }
    }

    /// Every setting with its value and where that comes from, in the order of [`Words::keys`].
    pub fn entries(&self, words: &Words) -> Vec<Entry> {
        let source = |key: &str| self.sources.get(key).copied().unwrap_or(Source::Default);
        let plain = SETTINGS.iter().map(|setting| (setting.key.to_owned(), setting.help));
        let levels = words.rules.iter().map(|rule| (format!("{LEVELS}{}", rule.code), rule.help));
        plain
            .chain(levels)
            .map(|(key, help)| Entry {
                value: self.value(&key, words),
                source: source(&key),
                key,
                help,
            })
            .collect()
    }
}

/// The one spelling of a key.
///
/// # Errors
/// When there is no such key, with one that is near.
pub fn key(key: &str, words: &Words) -> Result<String, String> {
    words.find(key.trim()).map(|(key, _)| key)
}

#[cfg(test)]
mod tests;
