//! A TOML file as a list of keys with their values and places.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::Value;

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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The line, from 1.
    pub(super) line: usize,
    pub(super) message: String,
}

/// All keys of a file, in its order. A table without keys is a key without a value.
pub(super) fn read(text: &str) -> Result<Vec<Found>, Fault> {
    let table = DeTable::parse(text).map_err(|error| Fault {
        line: error.span().map_or(1, |span| line_at(text, span.start)),
        message: error.message().replace('\n', " "),
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
    match value.get_ref() {
        DeValue::String(text) => Some(Value::Text(text.clone().into_owned())),
        DeValue::Integer(number) => {
            usize::from_str_radix(number.as_str(), number.radix()).ok().map(Value::Number)
        }
        DeValue::Boolean(on) => Some(Value::Switch(*on)),
        DeValue::Array(items) => {
            let texts = items.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
            texts.collect::<Option<_>>().map(Value::Texts)
        }
        DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}
