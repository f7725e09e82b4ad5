//! A TOML file as a list of keys with their values and places, and what it becomes when one key is set.

use serde::Deserialize as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::table::{Project, Value, find, typed};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) key: String,
    /// Its line, from 1.
    pub(super) line: usize,
    /// Its value; `None` for one of a kind that no setting has.
    pub(super) value: Option<Value>,
    pub(super) empty_table: bool,
    pub(super) span: std::ops::Range<usize>,
}

/// All keys of a file, in its order. A table without keys is a key without a value. An error is a line and a reason.
pub(super) fn read(text: &str) -> Result<Vec<Found>, (usize, String)> {
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_at(text, span.start));
        (line, error.message().replace('\n', " "))
    })?;
    let mut found = Vec::new();
    let mut open: Vec<(String, &DeTable<'_>)> = vec![(String::new(), table.get_ref())];
    while let Some((prefix, table)) = open.pop() {
        for (name, value) in table {
            let key = format!("{prefix}{}", name.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if !inner.is_empty() => open.push((format!("{key}."), inner)),
                _ => found.push(Found {
                    key,
                    line: line_at(text, name.span().start),
                    value: plain(value),
                    empty_table: value.get_ref().is_table(),
                    span: value.span(),
                }),
            }
        }
    }
    found.sort_by_key(|one| one.span.start);
    Ok(found)
}

pub(super) fn texts(text: &str) -> Option<Vec<String>> {
    match plain(&DeValue::parse(text).ok()?)? {
        Value::Texts(texts) => Some(texts),
        _ => None,
    }
}

fn plain(value: &Spanned<DeValue<'_>>) -> Option<Value> {
    Value::deserialize(ValueDeserializer::from(value.clone())).ok()
}

fn line_at(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub key: String,
    pub value: Value,
    pub text: String,
}

/// Comments and order stay. `project`: a project's file may not set everything.
pub fn change(text: &str, key: &str, value: &str, project: bool) -> Result<Change, String> {
    let (key, setting) = find(key.trim())?;
    let value = typed(setting, value).map_err(|reason| format!("`{key}`: {reason}"))?;
    if project && setting.project == Project::Ignored {
        return Err(format!("a project may not set `{key}`: omit `--project`"));
    }
    let text = set(text, &key, &value)?;
    Ok(Change { key, value, text })
}

/// The text with the key set. The result is read again: where the edit did not do just what it
/// should (an unusual form of the file), nothing is changed.
fn set(text: &str, key: &str, value: &Value) -> Result<String, String> {
    let before = read(text)
        .map_err(|(line, reason)| format!("line {line} of the file is wrong: {reason}"))?;
    let same = |found: &Found| find(&found.key).is_ok_and(|(known, _)| known == key);
    let edited = match before.iter().find(|found| same(found)) {
        Some(Found { span, .. }) => {
            format!("{}{value}{}", &text[..span.start], &text[span.end..])
        }
        None => inserted(text, key, value),
    };
    let rest = |all: Vec<Found>| -> Vec<(String, Option<Value>)> {
        all.into_iter().filter(|one| !same(one)).map(|one| (one.key, one.value)).collect()
    };
    let after = read(&edited).unwrap_or_default();
    let is_set = after.iter().any(|found| same(found) && found.value.as_ref() == Some(value));
    // A table that was empty has a key now.
    let empty = |(name, held): &(String, Option<Value>)| {
        held.is_none() && key.starts_with(&format!("{name}."))
    };
    let mut kept = rest(before);
    kept.retain(|one| !empty(one));
    if is_set && kept == rest(after) {
        return Ok(edited);
    }
    Err(format!("the file has a form that is not edited by program: set `{key}` by hand"))
}

/// The key below its table's heading, else in a new table at the end; a key of no table at the head of the file.
fn inserted(text: &str, key: &str, value: &Value) -> String {
    let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
    if table.is_empty() {
        return format!("{name} = {value}\n{text}");
    }
    let Some(heading) = heading(text, table) else {
        let gap = if text.is_empty() { "" } else { "\n\n" };
        return format!("{}{gap}[{table}]\n{name} = {value}\n", text.trim_end());
    };
    let at = text[heading..].find('\n').map_or(text.len(), |end| heading + end + 1);
    let (head, tail) = text.split_at(at);
    let gap = if head.ends_with('\n') { "" } else { "\n" };
    format!("{head}{gap}{name} = {value}\n{tail}")
}

fn heading(text: &str, table: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let inside = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'));
        if inside.is_some_and(|(name, _)| name.split_whitespace().collect::<String>() == table) {
            return Some(at);
        }
        at += line.len();
    }
    None
}
