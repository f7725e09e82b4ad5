//! The table of settings: each with its field, its key, what it holds, who may set it, and what it is
//! about. Reading, checking, `mk config` and the environment's names come from here.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Source;
use crate::guard::audit::{Allowance, Selection};
use crate::guard::{Level, Rule};
use crate::text::{listed, nearest};

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A whole number, from the least to the most of what it counts.
    Number(usize, usize, &'static str),
    Switch,
    /// A text in its one spelling, and what it must be in words.
    Text(fn(&str) -> Result<String, String>, &'static str),
    /// One of these words, in any spelling.
    Word(&'static [&'static str]),
    Texts(fn(&str) -> Result<(), String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Project {
    Sets,
    /// Add to what the user's file has.
    Adds,
    Tightens,
    /// Nothing: it is the person's own.
    Ignored,
}

use Project::{Adds, Ignored, Sets, Tightens};

#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) key: &'static str,
    pub(super) kind: Kind,
    pub(super) project: Project,
    pub(super) help: &'static str,
    pub(super) variable: Option<&'static str>,
    /// `None` for the level of a rule, which stands in [`Config::guard_levels`].
    pub(super) field: Option<fn(&mut Config) -> &mut dyn Held>,
}

/// A field of [`Config`] as a setting's value.
pub(super) trait Held {
    fn get(&self) -> Value;
    /// Takes a value that was checked over.
    fn set(&mut self, value: Value);
}

impl<T: Serialize + DeserializeOwned> Held for T {
    fn get(&self) -> Value {
        let value = serde_json::to_value(self).and_then(serde_json::from_value::<Value>);
        value.ok().filter(|value| !value.is_empty()).unwrap_or(Value::Unset)
    }

    fn set(&mut self, value: Value) {
        // An empty path is none, an empty text is one.
        let none = value.is_empty().then_some(Value::Unset);
        let values = none.into_iter().chain([value]);
        let mut values = values.filter_map(|value| serde_json::to_value(value).ok());
        if let Some(value) = values.find_map(|value| serde_json::from_value(value).ok()) {
            *self = value;
        }
    }
}

macro_rules! settings {
    ($($key:literal $field:ident: $type:ty = $default:expr,
       $kind:expr, $project:expr, $help:literal $(, $variable:literal)?;)*) => {
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Config {
            $(#[doc = concat!("`", $key, "`: ", $help)] pub $field: $type,)*
            /// Levels that are not the built-in ones.
            pub guard_levels: BTreeMap<Rule, Level>,
            pub problems: Vec<String>,
            /// Where the values come from that are not built in, by key.
            pub(super) sources: BTreeMap<String, Source>,
        }

        impl Default for Config {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    guard_levels: BTreeMap::new(),
                    problems: Vec::new(),
                    sources: BTreeMap::new(),
                }
            }
        }

        /// Every setting but the levels of the guard's rules.
        pub(super) const SETTINGS: &[Setting] = &[$(Setting {
            key: $key,
            kind: $kind,
            project: $project,
            help: $help,
            variable: { let known: &[&str] = &[$($variable)?]; known.first().copied() },
            field: Some(|config| &mut config.$field),
        }),*];
    };
}

const TOKENS: Kind = Kind::Number(0, 2000, "tokens");
const DAYS: Kind = Kind::Number(1, 3650, "days");
const SECONDS: Kind = Kind::Number(1, 3600, "seconds");
const MEMORY: Kind = Kind::Number(256, 1_048_576, "MB");
const PATH: Kind = Kind::Text(absolute, "a path in quotes");
const SENTENCE: Kind = Kind::Text(sentence, "a sentence in quotes");
const TEXTS: Kind = Kind::Texts(|_| Ok(()));
/// What the person is said to have said is proposed to them and the rest stored; all is proposed; none.
const INTAKE: Kind = Kind::Word(&["by-source", "proposals", "unverified"]);
const PROVIDER: Kind = Kind::Word(&["ollama", "openai"]);
const ASK: Kind = Kind::Word(&["ask", "deny", "note"]);
const ADDRESS: Kind = Kind::Text(address, "an address in quotes");
const MODEL: Kind = Kind::Text(model_name, "a name in quotes");
const KEEP_ALIVE: Kind = Kind::Text(keep_alive, "a time in quotes, like \"10m\"");
const VARIABLE: Kind = Kind::Text(variable, "the name of a variable in quotes");
const SELECTIONS: Kind = Kind::Texts(reads::<Selection>);
const ALLOWANCES: Kind = Kind::Texts(reads::<Allowance>);

/// What who summarises a conversation is asked for: such lines become proposals.
const COMPACT_HINT: &str = "End the summary with one line for each thing that later sessions should know: \
    `DECISION: ...`, `DEAD END: ... because ...`, `GOTCHA: ...`; leave out what does not apply.";

settings! {
    "brief.budget" brief_budget: usize = 300,
        TOKENS, Tightens, "tokens of the briefing", "MK_BRIEF_BUDGET";
    "results.capture" results_capture: bool = true,
        Kind::Switch, Tightens, "extract new results automatically";
    "results.globs" results_globs: Vec<String> =
        ["**/*_result.lean", "**/*_aristotle.lean", "RequestProject/**"].map(str::to_owned).to_vec(),
        TEXTS, Sets, "which files are results";
    "tracking.path" tracking_path: Option<PathBuf> = None,
        PATH, Ignored, "the tracking database";
    "guard.enabled" guard_enabled: bool = true,
        Kind::Switch, Ignored, "whether edits are guarded", "MK_GUARD";
    "guard.ask" guard_ask: String = "ask".to_owned(),
        ASK, Ignored, "what a question becomes: ask, deny or note";
    "guard.allow_axioms" guard_allow_axioms: Vec<String> = Vec::new(),
        TEXTS, Ignored, "axioms that may be used";
    "learn.exclude" learn_exclude: Vec<String> = Vec::new(),
        TEXTS, Adds, "projects that nothing is learnt from";
    "learn.lessons" learn_lessons: bool = true,
        Kind::Switch, Tightens, "learn lessons from sessions";
    "learn.compact_hint" learn_compact_hint: String = COMPACT_HINT.to_owned(),
        SENTENCE, Ignored, "what a summary is told to keep";
    "learn.trust_acts" learn_trust_acts: bool = false,
        Kind::Switch, Ignored, "keep what you refuse and answer in dialogs";
    "learn.facts" learn_facts: String = "by-source".to_owned(),
        INTAKE, Ignored, "what happens to a model's facts";
    "learn.model" learn_model: bool = true,
        Kind::Switch, Ignored, "whether the background asks the model";
    "learn.expire_days" learn_expire_days: usize = 30,
        DAYS, Ignored, "days that proposals wait";
    "inject.enabled" inject_enabled: bool = true,
        Kind::Switch, Ignored, "tell sessions what is known", "MK_INJECT";
    "inject.exclude" inject_exclude: Vec<String> = Vec::new(),
        TEXTS, Adds, "projects that are told nothing";
    "seed" seed: Option<PathBuf> = None,
        PATH, Ignored, "the journal of proposals, a seed.json";
    "llm.provider" llm_provider: String = "ollama".to_owned(),
        PROVIDER, Ignored, "the protocol of the model server";
    "llm.url" llm_url: String = "http://localhost:11434".to_owned(),
        ADDRESS, Ignored, "the model server";
    "llm.model" llm_model: String = String::new(),
        MODEL, Ignored, "the model, as the server calls it";
    "llm.timeout" llm_timeout: usize = 60,
        SECONDS, Ignored, "seconds for an extraction";
    "llm.lesson_timeout" llm_lesson_timeout: usize = 5,
        SECONDS, Ignored, "seconds for wording a lesson";
    "llm.load_timeout" llm_load_timeout: usize = 300,
        SECONDS, Ignored, "seconds more for the first answer";
    "llm.keep_alive" llm_keep_alive: String = "10m".to_owned(),
        KEEP_ALIVE, Ignored, "how long Ollama keeps it loaded";
    "llm.key_env" llm_key_env: String = String::new(),
        VARIABLE, Ignored, "the variable with the server's key";
    "verify.auto" verify_auto: bool = false,
        Kind::Switch, Ignored, "ask Lean in the background about new results";
    "verify.seconds" verify_seconds: usize = 600,
        SECONDS, Ignored, "seconds for each call of Lean or Lake";
    "verify.memory" verify_memory: usize = 8192,
        MEMORY, Ignored, "MB of memory for each call of Lean or Lake";
    "audit.deny" audit_deny: Vec<String> = Vec::new(),
        SELECTIONS, Adds, "what `mk audit` fails on";
    "audit.allow" audit_allow: Vec<String> = Vec::new(),
        ALLOWANCES, Adds, "what `mk audit` lets pass";
}

pub(super) fn level(help: &'static str) -> Setting {
    let kind = Kind::Text(level_word, "a level in quotes");
    Setting { key: LEVELS, kind, project: Tightens, help, variable: None, field: None }
}

impl Kind {
    pub(super) fn check(self, value: Value) -> Result<Value, String> {
        match (self, value) {
            (Self::Number(least, most, _), Value::Number(number))
                if (least..=most).contains(&number) =>
            {
                Ok(Value::Number(number))
            }
            (Self::Switch, value @ Value::Switch(_)) => Ok(value),
            (Self::Text(check, _), Value::Text(text)) => check(&text).map(Value::Text),
            (Self::Word(words), Value::Text(text)) => {
                let plain = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
                let known = words.contains(&plain.as_str()).then_some(Value::Text(plain));
                known.ok_or_else(|| format!("`{text}` is not {}", quoted(words)))
            }
            (Self::Texts(check), Value::Texts(texts)) => {
                texts.iter().try_for_each(|text| check(text))?;
                Ok(Value::Texts(texts))
            }
            (Self::Number(least, most, of), _) => {
                Err(format!("this must be a number of {of} from {least} to {most}"))
            }
            (Self::Switch, _) => Err("this must be `true` or `false`".to_owned()),
            (Self::Word(words), _) => Err(format!("this must be {} in quotes", quoted(words))),
            (Self::Text(_, expected), _) => Err(format!("this must be {expected}")),
            (Self::Texts(_), _) => Err("this must be a list of texts in quotes".to_owned()),
        }
    }
}

/// "`a`, `b` or `c`"
fn quoted(words: &[&str]) -> String {
    listed(&words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>(), "or")
}

/// What `mk audit --deny` and `--allow` take.
fn reads<T: FromStr<Err = String>>(text: &str) -> Result<(), String> {
    text.parse::<T>().map(drop)
}

fn level_word(word: &str) -> Result<String, String> {
    let levels: Vec<&str> = Level::ALL.iter().map(|level| level.as_str()).collect();
    let known = Level::from_word(word).map(|level| level.to_string());
    known.ok_or_else(|| format!("`{word}` is not a level: use {}", listed(&levels, "or")))
}

/// A path must be absolute: a relative one would be another file in every folder.
fn absolute(path: &str) -> Result<String, String> {
    if Path::new(path).is_absolute() || path.is_empty() {
        return Ok(path.to_owned());
    }
    Err(format!("`{path}` is not an absolute path"))
}

/// Longest sentence, in characters.
const LONGEST: usize = 400;

/// One plain line. What begins like JSON would be read as an answer, not as words.
fn sentence(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.contains(char::is_control) {
        return Err("this must be one line of text".to_owned());
    }
    if text.starts_with(['{', '[']) {
        return Err("this must be a sentence: it begins like JSON".to_owned());
    }
    if text.chars().count() > LONGEST {
        return Err(format!("this must be at most {LONGEST} characters long"));
    }
    Ok(text.to_owned())
}

/// Only what can be seen without asking the network. Encryption is not built in: model servers run on
/// the person's own machine.
fn address(url: &str) -> Result<String, String> {
    let url = url.trim();
    if url.starts_with("https://") {
        return Err(format!(
            "`{url}`: https is not supported; use a tunnel (`ssh -L`) or a local proxy"
        ));
    }
    let host = url.strip_prefix("http://").unwrap_or(url);
    if host.contains("://") || host.is_empty() || host.contains(['@', ' ', '\t']) {
        return Err(format!(
            "`{url}` is not the address of a model server: it must be like `http://localhost:11434`"
        ));
    }
    Ok(url.to_owned())
}

pub fn model_name(name: &str) -> Result<String, String> {
    let name = name.trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:/@-+".contains(c);
    // It is shown as part of a command.
    if name.is_empty() || !name.chars().all(is_plain) || name.starts_with('-') {
        return Err(format!("`{name}` is not the name of a model"));
    }
    Ok(name.to_owned())
}

/// As Ollama takes it: whole seconds, or hours, minutes and seconds with their letter; below zero means
/// for ever.
fn keep_alive(time: &str) -> Result<String, String> {
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
    Err(format!("`{time}` is not a time span: use one like `10m`, `1h`, `0` or `-1` (for ever)"))
}

/// The name of a variable. What is none may be the key itself, so it is not repeated.
fn variable(name: &str) -> Result<String, String> {
    let name = name.trim();
    let is_plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(name.to_owned());
    }
    Err("this must be the name of a variable, like `OPENAI_API_KEY`: never put the key itself into a \
        configuration"
        .to_owned())
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number that is not negative.
    Number(usize),
    Switch(bool),
    Text(String),
    Texts(Vec<String>),
    Unset,
}

impl fmt::Display for Value {
    /// As TOML writes it; nothing for [`Value::Unset`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Switch(on) => write!(f, "{on}"),
            Self::Text(text) => f.write_str(&in_quotes(text)),
            Self::Texts(texts) => {
                let texts: Vec<String> = texts.iter().map(|text| in_quotes(text)).collect();
                write!(f, "[{}]", texts.join(", "))
            }
            Self::Unset => Ok(()),
        }
    }
}

impl Value {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }

    /// Texts without quotes, those of a list with `between` between them.
    pub fn plain(&self, between: &str) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Texts(texts) => texts.join(between),
            other => other.to_string(),
        }
    }
}

/// JSON's quotes and escapes are TOML's too.
fn in_quotes(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

const ALIASES: &[(&str, &str)] = &[("lessons.enabled", "learn.lessons")];

pub(super) const LEVELS: &str = "guard.levels.";

/// In the code of a rule `-` and `_` and any case are one.
pub(super) fn find(key: &str) -> Result<(String, Setting), String> {
    let key = ALIASES.iter().find(|(other, _)| *other == key).map_or(key, |(_, key)| *key);
    if let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) {
        return Ok((key.to_owned(), *setting));
    }
    if let Some(code) = key.strip_prefix(LEVELS) {
        let rule = Rule::guarded_by(code)?;
        return Ok((format!("{LEVELS}{rule}"), level(rule.summary())));
    }
    Err(format!("unknown key `{key}`{}", hint(key)))
}

/// The key that was probably meant: the whole of it, or only its last word under another table.
fn hint(key: &str) -> String {
    let keys = keys();
    let all = || keys.iter().map(String::as_str);
    let last = key.rsplit('.').next().unwrap_or(key);
    let word = |known: &&str| known.rsplit('.').next().is_some_and(|word| word == last);
    let below = |known: &&str| known.starts_with(&format!("{key}."));
    nearest(key, all()).or_else(|| all().find(word)).or_else(|| all().find(below)).map_or_else(
        || "; `mk config` shows all".to_owned(),
        |near| format!(" (do you mean `{near}`?)"),
    )
}

pub(super) fn keys() -> Vec<String> {
    let levels = Rule::guarded().map(|rule| format!("{LEVELS}{rule}"));
    SETTINGS.iter().map(|setting| setting.key.to_owned()).chain(levels).collect()
}

pub(super) fn typed(setting: Setting, text: &str) -> Result<Value, String> {
    let text = text.trim();
    let value = match setting.kind {
        Kind::Number(..) => {
            text.parse().map(Value::Number).map_err(|_| format!("`{text}` is not a number"))?
        }
        Kind::Switch => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Value::Switch(true),
            "false" | "no" | "off" => Value::Switch(false),
            _ => return Err(format!("`{text}` is neither `true` nor `false`")),
        },
        Kind::Text(..) | Kind::Word(_) => Value::Text(text.to_owned()),
        Kind::Texts(_) => Value::Texts(list(text)?),
    };
    setting.kind.check(value)
}

/// `a, b` or `["a", "b"]`; nothing for an empty text.
fn list(text: &str) -> Result<Vec<String>, String> {
    if text.starts_with('[') {
        return super::file::texts(text)
            .ok_or_else(|| format!("`{text}` is not a list of strings"));
    }
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    Ok(parts.map(str::to_owned).collect())
}
