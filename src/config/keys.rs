//! Keys and values of settings as they are written.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::table::{Kind, SETTINGS, Setting, level};
use crate::text::{listed, nearest};

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
    pub(super) fn is_empty(&self) -> bool {
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
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

const ALIASES: &[(&str, &str)] = &[("lessons.enabled", "learn.lessons")];

pub(super) const LEVELS: &str = "guard.levels.";

/// Words of the guard and the audit, which this module does not know.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    pub code: &'static str,
    pub level: &'static str,
    pub help: &'static str,
}

impl Words {
    /// The place of a level among the levels: the higher, the stricter.
    pub(super) fn rank(&self, level: &str) -> Option<usize> {
        self.levels.iter().position(|known| known.eq_ignore_ascii_case(level.trim()))
    }

    pub(super) fn level(&self, word: &str) -> Result<String, String> {
        let known = self.rank(word).map(|rank| self.levels[rank].to_owned());
        known.ok_or_else(|| format!("`{word}` is not a level: use {}", listed(&self.levels, "or")))
    }

    /// In the code of a rule `-` and `_` and any case are one.
    pub(super) fn find(&self, key: &str) -> Result<(String, Setting), String> {
        let key = ALIASES.iter().find(|(other, _)| *other == key).map_or(key, |(_, key)| *key);
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) {
            return Ok((key.to_owned(), *setting));
        }
        if let Some(code) = key.strip_prefix(LEVELS) {
            let plain = code.trim().replace('_', "-").to_ascii_lowercase();
            if let Some(rule) = self.rules.iter().find(|rule| rule.code == plain) {
                return Ok((format!("{LEVELS}{}", rule.code), level(rule.help)));
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
            || "; `mk config` shows all".to_owned(),
            |near| format!(" (do you mean `{near}`?)"),
        )
    }

    pub fn keys(&self) -> Vec<String> {
        let levels = self.rules.iter().map(|rule| format!("{LEVELS}{}", rule.code));
        SETTINGS.iter().map(|setting| setting.key.to_owned()).chain(levels).collect()
    }

    pub(super) fn typed(&self, setting: Setting, text: &str) -> Result<Value, String> {
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
        setting.kind.check(self, value)
    }
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
