//! The settings as data: their keys, what they hold, and who may set them.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use super::intake::FactIntake;
use super::llm;
use crate::text::nearest;

/// What a setting holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number that is not negative.
    Number(usize),
    Switch(bool),
    /// A word out of a few, or a path.
    Text(String),
    Texts(Vec<String>),
    /// Nothing is set.
    Unset,
}

impl fmt::Display for Value {
    /// As TOML writes it; nothing for [`Value::Unset`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Switch(on) => write!(f, "{on}"),
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Texts(texts) => {
                let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
                write!(f, "[{}]", texts.join(", "))
            }
            Self::Unset => Ok(()),
        }
    }
}

impl Value {
    /// As people and scripts read it: texts without quotes, those of a list with `between` between
    /// them.
    pub fn plain(&self, between: &str) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Texts(texts) => texts.join(between),
            other => other.to_string(),
        }
    }
}

/// A text as a string of TOML.
fn quoted(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                write!(out, "\\u{:04X}", u32::from(c)).ok();
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// What kind of value a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A whole number, from the least to the most of what it counts.
    Number(usize, usize, &'static str),
    Switch,
    Path,
    /// One line of text.
    Sentence,
    Texts,
    /// A protocol of model servers.
    Provider,
    /// The address of a model server.
    Address,
    Model,
    /// How long a model stays in memory.
    KeepAlive,
    /// The name of a variable of the environment.
    Variable,
    /// What becomes of a model's facts.
    Intake,
    Level,
    /// Rules of the audit, each a text for `--deny`.
    Selections,
    /// Allowances of the audit, each a text for `--allow`.
    Allowances,
}

/// What a project's own file may do with a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Project {
    Sets,
    /// Add to what the user's file has.
    Adds,
    /// Make it stricter.
    Tightens,
    /// Nothing: it is the person's own.
    Ignored,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) key: &'static str,
    pub(super) kind: Kind,
    pub(super) project: Project,
    pub(super) help: &'static str,
}

const fn setting(key: &'static str, kind: Kind, project: Project, help: &'static str) -> Setting {
    Setting { key, kind, project, help }
}

/// A limit of time.
const SECONDS: Kind = Kind::Number(1, 3600, "seconds");

/// Every setting but the levels of the guard's rules.
pub(super) const SETTINGS: &[Setting] = &[
    setting(
        "brief.budget",
        Kind::Number(0, 2000, "tokens"),
        Project::Tightens,
        "tokens of the briefing",
    ),
    setting("results.capture", Kind::Switch, Project::Tightens, "take in new results unasked"),
    setting("results.globs", Kind::Texts, Project::Sets, "which files are results"),
    setting("tracking.path", Kind::Path, Project::Ignored, "the tracking database"),
    setting("guard.enabled", Kind::Switch, Project::Ignored, "whether edits are guarded"),
    setting("guard.allow_axioms", Kind::Texts, Project::Ignored, "axioms that may be used"),
    setting("learn.exclude", Kind::Texts, Project::Adds, "projects that nothing is learnt from"),
    setting("learn.lessons", Kind::Switch, Project::Tightens, "take lessons out of sessions"),
    setting(
        "learn.compact_hint",
        Kind::Sentence,
        Project::Ignored,
        "what a summary is told to keep",
    ),
    setting("learn.facts", Kind::Intake, Project::Ignored, "what becomes of a model's facts"),
    setting("learn.model", Kind::Switch, Project::Ignored, "whether the background asks the model"),
    setting(
        "learn.expire_days",
        Kind::Number(1, 3650, "days"),
        Project::Ignored,
        "days that proposals wait",
    ),
    setting("inject.enabled", Kind::Switch, Project::Ignored, "tell sessions what is known"),
    setting("inject.exclude", Kind::Texts, Project::Adds, "projects that are told nothing"),
    setting("seed", Kind::Path, Project::Ignored, "the journal of proposals, a seed.json"),
    setting("llm.provider", Kind::Provider, Project::Ignored, "the protocol of the model server"),
    setting("llm.url", Kind::Address, Project::Ignored, "the model server"),
    setting("llm.model", Kind::Model, Project::Ignored, "the model, as the server calls it"),
    setting("llm.timeout", SECONDS, Project::Ignored, "seconds for an extraction"),
    setting("llm.lesson_timeout", SECONDS, Project::Ignored, "seconds for wording a lesson"),
    setting("llm.load_timeout", SECONDS, Project::Ignored, "seconds for loading the model"),
    setting("llm.keep_alive", Kind::KeepAlive, Project::Ignored, "how long Ollama keeps it loaded"),
    setting("llm.key_env", Kind::Variable, Project::Ignored, "the variable with the server's key"),
    setting("audit.deny", Kind::Selections, Project::Adds, "what `mk audit` fails on"),
    setting("audit.allow", Kind::Allowances, Project::Adds, "what `mk audit` lets pass"),
];

/// Other names of settings, with the names that they are shown under.
const ALIASES: &[(&str, &str)] = &[("lessons.enabled", "learn.lessons")];

/// Begins the key of a rule's level.
pub(super) const LEVELS: &str = "guard.levels.";

/// The words that the guard and the audit know. They come from outside, because this module knows
/// neither.
#[derive(Debug, Clone)]
pub struct Words {
    /// Codes of the guard's rules, with their levels and what they are about, as shown to people.
    pub rules: Vec<Rule>,
    /// Its levels, the loosest first.
    pub levels: Vec<&'static str>,
    /// Reads a text for `mk audit --deny`; an error says what is wrong with it.
    pub selection: fn(&str) -> Result<(), String>,
    /// Reads a text for `mk audit --allow`.
    pub allowance: fn(&str) -> Result<(), String>,
}

/// A rule of the guard, as far as the configuration knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Its code, such as `proof-lost`.
    pub code: &'static str,
    /// The level that it has where nothing is set.
    pub level: &'static str,
    /// What it is about, in a few words.
    pub help: &'static str,
}

/// A number for a setting, where it is within its bounds.
pub(super) fn number(key: &str, text: &str) -> Result<usize, String> {
    let kind = SETTINGS.iter().find(|setting| setting.key == key).map(|setting| setting.kind);
    let expected = || kind.map(Kind::expected).unwrap_or_default();
    let number = text.parse().ok().filter(|number| kind.is_some_and(|k| k.holds(*number).is_ok()));
    number.ok_or_else(|| format!("not {}", expected()))
}

impl Words {
    /// The place of a level among the levels: the higher, the stricter.
    pub(super) fn rank(&self, level: &str) -> Option<usize> {
        self.levels.iter().position(|known| known.eq_ignore_ascii_case(level.trim()))
    }

    /// The setting of a key and its one spelling. In the code of a rule `-` and `_` and any case are
    /// one.
    pub(super) fn find(&self, key: &str) -> Result<(String, Setting), String> {
        let key = ALIASES.iter().find(|(other, _)| *other == key).map_or(key, |(_, key)| *key);
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) {
            return Ok((key.to_owned(), *setting));
        }
        if let Some(code) = key.strip_prefix(LEVELS) {
            let plain = code.trim().replace('_', "-").to_ascii_lowercase();
            if let Some(rule) = self.rules.iter().find(|rule| rule.code == plain) {
                let setting = setting(LEVELS, Kind::Level, Project::Tightens, rule.help);
                return Ok((format!("{LEVELS}{}", rule.code), setting));
            }
            let near = nearest(&plain, self.rules.iter().map(|rule| rule.code));
            let codes: Vec<&str> = self.rules.iter().map(|rule| rule.code).collect();
            return Err(match near {
                Some(near) => format!("there is no rule `{code}` (do you mean `{near}`?)"),
                None => format!("there is no rule `{code}`; there are {}", codes.join(", ")),
            });
        }
        Err(format!("unknown key `{key}`{}", self.hint(key)))
    }

    /// The key that was probably meant: the whole of it, or only its last word under another table.
    fn hint(&self, key: &str) -> String {
        let keys = self.keys();
        let all = || keys.iter().map(String::as_str);
        let last = key.rsplit('.').next().unwrap_or(key);
        let word = |known: &&str| known.rsplit('.').next().is_some_and(|word| word == last);
        let below = |known: &&str| known.starts_with(&format!("{key}."));
        nearest(key, all()).or_else(|| all().find(word)).or_else(|| all().find(below)).map_or_else(
            || "; `mk config list` shows all".to_owned(),
            |near| format!(" (do you mean `{near}`?)"),
        )
    }

    /// The keys of all settings, in the order in which they are shown.
    pub fn keys(&self) -> Vec<String> {
        let levels = self.rules.iter().map(|rule| format!("{LEVELS}{}", rule.code));
        SETTINGS.iter().map(|setting| setting.key.to_owned()).chain(levels).collect()
    }

    /// What is wrong with a value for a setting, or the value in its one spelling.
    pub(super) fn check(&self, setting: Setting, value: Value) -> Result<Value, String> {
        match (setting.kind, value) {
            (kind @ Kind::Number(..), Value::Number(number)) => {
                kind.holds(number).map(Value::Number)
            }
            (Kind::Switch, value @ Value::Switch(_)) | (Kind::Texts, value @ Value::Texts(_)) => {
                Ok(value)
            }
            (Kind::Path, Value::Text(path)) => absolute(&path),
            (Kind::Sentence, Value::Text(text)) => sentence(&text),
            (Kind::Level, Value::Text(word)) => match self.rank(&word) {
                Some(rank) => Ok(Value::Text(self.levels[rank].to_owned())),
                None => Err(format!("`{word}` is no level: use {}", or_list(&self.levels))),
            },
            (Kind::Provider, Value::Text(word)) => llm::provider(&word).map(Value::Text),
            (Kind::Address, Value::Text(url)) => llm::address(&url).map(Value::Text),
            (Kind::Model, Value::Text(name)) => llm::model_name(&name).map(Value::Text),
            (Kind::KeepAlive, Value::Text(time)) => llm::keep_alive(&time).map(Value::Text),
            (Kind::Variable, Value::Text(name)) => llm::variable(&name).map(Value::Text),
            (Kind::Intake, Value::Text(word)) => {
                FactIntake::of(&word).map(|intake| Value::Text(intake.as_str().to_owned()))
            }
            (Kind::Selections, Value::Texts(texts)) => each(texts, self.selection),
            (Kind::Allowances, Value::Texts(texts)) => each(texts, self.allowance),
            (kind, _) => Err(format!("this must be {}", kind.expected())),
        }
    }

    /// A value as it is typed on a command line, for a setting.
    pub(super) fn typed(&self, setting: Setting, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let value = match setting.kind {
            Kind::Number(..) => {
                text.parse().map(Value::Number).map_err(|_| format!("`{text}` is no number"))?
            }
            Kind::Switch => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Value::Switch(true),
                "false" | "no" | "off" => Value::Switch(false),
                _ => return Err(format!("`{text}` is neither `true` nor `false`")),
            },
            Kind::Path
            | Kind::Sentence
            | Kind::Level
            | Kind::Provider
            | Kind::Address
            | Kind::Model
            | Kind::KeepAlive
            | Kind::Variable
            | Kind::Intake => Value::Text(text.to_owned()),
            Kind::Texts | Kind::Selections | Kind::Allowances => Value::Texts(list(text)?),
        };
        self.check(setting, value)
    }
}

/// `a, b` or `["a", "b"]`; nothing for an empty text.
fn list(text: &str) -> Result<Vec<String>, String> {
    if text.starts_with('[') {
        return super::read::texts(text).ok_or_else(|| format!("`{text}` is no list of texts"));
    }
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    Ok(parts.map(str::to_owned).collect())
}

/// A path must be absolute: a relative one would be another file in every folder.
fn absolute(text: &str) -> Result<Value, String> {
    let path = PathBuf::from(text);
    if path.is_absolute() || text.is_empty() {
        return Ok(Value::Text(text.to_owned()));
    }
    Err(format!("`{text}` is not an absolute path"))
}

/// Longest sentence, in characters.
const LONGEST: usize = 400;

/// One plain line. What begins like JSON would be read as an answer, not as words.
fn sentence(text: &str) -> Result<Value, String> {
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
    Ok(Value::Text(text.to_owned()))
}

fn each(texts: Vec<String>, check: fn(&str) -> Result<(), String>) -> Result<Value, String> {
    texts.iter().try_for_each(|text| check(text))?;
    Ok(Value::Texts(texts))
}

fn or_list(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}

impl Kind {
    /// The number, where it is within its bounds.
    fn holds(self, number: usize) -> Result<usize, String> {
        match self {
            Self::Number(least, most, _) if !(least..=most).contains(&number) => {
                Err(format!("this must be {}", self.expected()))
            }
            _ => Ok(number),
        }
    }

    fn expected(self) -> Cow<'static, str> {
        let expected = match self {
            Self::Number(least, most, of) => {
                return format!("a number of {of} from {least} to {most}").into();
            }
            Self::Switch => "`true` or `false`",
            Self::Path => "a path in quotes",
            Self::Sentence => "a sentence in quotes",
            Self::Texts | Self::Selections | Self::Allowances => "a list of texts in quotes",
            Self::Provider => "`ollama` or `openai`, in quotes",
            Self::Address => "an address in quotes",
            Self::Intake => "`by-source`, `proposals` or `unverified`, in quotes",
            Self::Model => "a name in quotes",
            Self::KeepAlive => "a time in quotes, like \"10m\"",
            Self::Variable => "the name of a variable in quotes",
            Self::Level => "a level in quotes",
        };
        expected.into()
    }
}
