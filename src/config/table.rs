//! The table of settings: each with its field, its key, what it holds, who may set it, and what it is
//! about. Reading, checking, `mk config` and the environment's names come from here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::checks::{absolute, address, keep_alive, model_name, provider, sentence, variable};
use super::intake::FactIntake;
use super::keys::{Value, Words};
use super::{LEVELS, Source};

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A whole number, from the least to the most of what it counts.
    Number(usize, usize, &'static str),
    Switch,
    /// A text in its one spelling, and what it must be in words.
    Text(fn(&Words, &str) -> Result<String, String>, &'static str),
    Texts(fn(&Words, &str) -> Result<(), String>),
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
    /// Takes a value that was checked over; a list is added to the known one where `adds`.
    fn set(&mut self, value: Value, adds: bool);
}

impl Held for usize {
    fn get(&self) -> Value {
        Value::Number(*self)
    }

    fn set(&mut self, value: Value, _: bool) {
        if let Value::Number(number) = value {
            *self = number;
        }
    }
}

impl Held for bool {
    fn get(&self) -> Value {
        Value::Switch(*self)
    }

    fn set(&mut self, value: Value, _: bool) {
        if let Value::Switch(on) = value {
            *self = on;
        }
    }
}

impl Held for String {
    fn get(&self) -> Value {
        if self.is_empty() { Value::Unset } else { Value::Text(self.clone()) }
    }

    fn set(&mut self, value: Value, _: bool) {
        if let Value::Text(text) = value {
            *self = text;
        }
    }
}

impl Held for Option<PathBuf> {
    fn get(&self) -> Value {
        self.as_ref().map_or(Value::Unset, |path| Value::Text(path.to_string_lossy().into_owned()))
    }

    fn set(&mut self, value: Value, _: bool) {
        if let Value::Text(path) = value {
            *self = Some(path).filter(|path| !path.is_empty()).map(PathBuf::from);
        }
    }
}

impl Held for Vec<String> {
    fn get(&self) -> Value {
        Value::Texts(self.clone())
    }

    fn set(&mut self, value: Value, adds: bool) {
        if let Value::Texts(texts) = value {
            self.truncate(if adds { self.len() } else { 0 });
            self.extend(texts);
        }
    }
}

impl Held for FactIntake {
    fn get(&self) -> Value {
        Value::Text(self.as_str().to_owned())
    }

    fn set(&mut self, value: Value, _: bool) {
        if let Value::Text(word) = value {
            *self = Self::of(&word).unwrap_or(*self);
        }
    }
}

macro_rules! settings {
    ($($key:literal $field:ident: $type:ty = $default:expr,
       $kind:expr, $project:expr, $help:literal $(, $variable:literal)?;)*) => {
        /// Every setting, with its value.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Config {
            $(#[doc = concat!("`", $key, "`: ", $help)] pub $field: $type,)*
            /// Levels that are not the built-in ones, by the rule's code.
            pub guard_levels: BTreeMap<String, String>,
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
const PATH: Kind = Kind::Text(|_, path| absolute(path), "a path in quotes");
const SENTENCE: Kind = Kind::Text(|_, text| sentence(text), "a sentence in quotes");
const TEXTS: Kind = Kind::Texts(|_, _| Ok(()));
const INTAKE: Kind = Kind::Text(
    |_, word| FactIntake::of(word).map(|intake| intake.as_str().to_owned()),
    "`by-source`, `proposals` or `unverified`, in quotes",
);
const PROVIDER: Kind = Kind::Text(|_, word| provider(word), "`ollama` or `openai`, in quotes");
const ADDRESS: Kind = Kind::Text(|_, url| address(url), "an address in quotes");
const MODEL: Kind = Kind::Text(|_, name| model_name(name), "a name in quotes");
const KEEP_ALIVE: Kind = Kind::Text(|_, time| keep_alive(time), "a time in quotes, like \"10m\"");
const VARIABLE: Kind = Kind::Text(|_, name| variable(name), "the name of a variable in quotes");
const ASK: Kind = Kind::Text(
    |_, word| match word.trim() {
        word @ ("ask" | "deny" | "note") => Ok(word.to_owned()),
        word => Err(format!("`{word}` is not `ask`, `deny` or `note`")),
    },
    "`ask`, `deny` or `note`, in quotes",
);
const SELECTIONS: Kind = Kind::Texts(|words, text| (words.selection)(text));
const ALLOWANCES: Kind = Kind::Texts(|words, text| (words.allowance)(text));

/// What who summarises a conversation is asked for: such lines become proposals.
const COMPACT_HINT: &str = "End the summary with one line for each thing that later sessions should know: \
    `DECISION: ...`, `DEAD END: ... because ...`, `GOTCHA: ...`; leave out what does not apply.";

settings! {
    "brief.budget" brief_budget: usize = 300,
        TOKENS, Tightens, "tokens of the briefing", "MK_BRIEF_BUDGET";
    "results.capture" results_capture: bool = true,
        Kind::Switch, Tightens, "take in new results unasked";
    "results.globs" results_globs: Vec<String> =
        ["**/*_result.lean", "**/*_aristotle.lean", "RequestProject/**"].map(str::to_owned).to_vec(),
        TEXTS, Sets, "which files are results";
    "tracking.path" tracking_path: Option<PathBuf> = None,
        PATH, Ignored, "the tracking database";
    "guard.enabled" guard_enabled: bool = true,
        Kind::Switch, Ignored, "whether edits are guarded", "MK_GUARD";
    "guard.ask" guard_ask: String = "ask".to_owned(),
        ASK, Ignored, "what becomes of a question: ask, deny or note";
    "guard.allow_axioms" guard_allow_axioms: Vec<String> = Vec::new(),
        TEXTS, Ignored, "axioms that may be used";
    "learn.exclude" learn_exclude: Vec<String> = Vec::new(),
        TEXTS, Adds, "projects that nothing is learnt from";
    "learn.lessons" learn_lessons: bool = true,
        Kind::Switch, Tightens, "take lessons out of sessions";
    "learn.compact_hint" learn_compact_hint: String = COMPACT_HINT.to_owned(),
        SENTENCE, Ignored, "what a summary is told to keep";
    "learn.trust_acts" learn_trust_acts: bool = false,
        Kind::Switch, Ignored, "keep what you refuse and answer in dialogs";
    "learn.facts" learn_facts: FactIntake = FactIntake::BySource,
        INTAKE, Ignored, "what becomes of a model's facts";
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
        SECONDS, Ignored, "seconds for loading the model";
    "llm.keep_alive" llm_keep_alive: String = "10m".to_owned(),
        KEEP_ALIVE, Ignored, "how long Ollama keeps it loaded";
    "llm.key_env" llm_key_env: String = String::new(),
        VARIABLE, Ignored, "the variable with the server's key";
    "audit.deny" audit_deny: Vec<String> = Vec::new(),
        SELECTIONS, Adds, "what `mk audit` fails on";
    "audit.allow" audit_allow: Vec<String> = Vec::new(),
        ALLOWANCES, Adds, "what `mk audit` lets pass";
}

pub(super) fn level(help: &'static str) -> Setting {
    let kind = Kind::Text(Words::level, "a level in quotes");
    Setting { key: LEVELS, kind, project: Tightens, help, variable: None, field: None }
}

impl Kind {
    pub(super) fn check(self, words: &Words, value: Value) -> Result<Value, String> {
        match (self, value) {
            (Self::Number(least, most, _), Value::Number(number))
                if (least..=most).contains(&number) =>
            {
                Ok(Value::Number(number))
            }
            (Self::Switch, value @ Value::Switch(_)) => Ok(value),
            (Self::Text(check, _), Value::Text(text)) => check(words, &text).map(Value::Text),
            (Self::Texts(check), Value::Texts(texts)) => {
                texts.iter().try_for_each(|text| check(words, text))?;
                Ok(Value::Texts(texts))
            }
            (Self::Number(least, most, of), _) => {
                Err(format!("this must be a number of {of} from {least} to {most}"))
            }
            (Self::Switch, _) => Err("this must be `true` or `false`".to_owned()),
            (Self::Text(_, expected), _) => Err(format!("this must be {expected}")),
            (Self::Texts(_), _) => Err("this must be a list of texts in quotes".to_owned()),
        }
    }
}
