//! Rows as values, by column name, whatever was written there by hand: a number where text is wanted is its digits, a
//! text where a number is wanted its value, NULL an empty text or 0. A list is JSON or one item a line; a struct is JSON.

use rusqlite::types::{Type, Value, ValueRef};
use rusqlite::{OptionalExtension as _, Params, Row, RowIndex, ToSql, params_from_iter};
use serde::Serialize;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::{Result, Store, Writer};

/// One row: a struct by the names of the columns, a tuple by their order, anything else is the first.
pub(super) fn read<T: DeserializeOwned>(row: &Row<'_>) -> rusqlite::Result<T> {
    T::deserialize(Columns(row))
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error)))
}

/// A limit as SQL has it.
pub(super) fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The same, where 0 means all.
pub(super) fn all_or(limit: usize) -> i64 {
    if limit == 0 { -1 } else { most(limit) }
}

impl Store {
    pub(super) fn all<T: DeserializeOwned>(
        &self,
        sql: &str,
        values: &[&dyn ToSql],
    ) -> Result<Vec<T>> {
        self.read(|connection| {
            connection.prepare_cached(sql)?.query_map(values, read)?.collect::<Result<_, _>>()
        })
    }

    pub(super) fn first<T: DeserializeOwned>(
        &self,
        sql: &str,
        values: &[&dyn ToSql],
    ) -> Result<Option<T>> {
        self.read(|connection| connection.prepare_cached(sql)?.query_row(values, read).optional())
    }

    /// The first column of the first row, or nothing.
    pub(super) fn value<T: DeserializeOwned + Default>(
        &self,
        sql: &str,
        values: &[&dyn ToSql],
    ) -> Result<T> {
        Ok(self.first(sql, values)?.unwrap_or_default())
    }
}

impl Writer<'_> {
    pub(super) fn run(&self, sql: &str, values: impl Params) -> Result<()> {
        self.execute(sql, values).map(drop)
    }

    /// Stores a record under the names of its fields; `more` are columns that hold something else, `conflict` is what
    /// follows the values. What is nothing is left to the column's default.
    pub(super) fn put_row(
        &self,
        into: &str,
        record: &impl Serialize,
        more: &[(&str, &dyn ToSql)],
        conflict: &str,
    ) -> Result<()> {
        let fields = written(record)
            .into_iter()
            .filter(|(name, _)| more.iter().all(|(other, _)| name != other));
        let (mut names, values): (Vec<String>, Vec<Value>) = fields.unzip();
        names.extend(more.iter().map(|(name, _)| (*name).to_owned()));
        let marks = vec!["?"; names.len()].join(", ");
        let sql = format!("{into} ({}) VALUES ({marks}) {conflict}", names.join(", "));
        let values = values.iter().map(|value| value as &dyn ToSql);
        self.run(&sql, params_from_iter(values.chain(more.iter().map(|(_, value)| *value))))
    }

    pub(super) fn execute(&self, sql: &str, values: impl Params) -> Result<usize> {
        Ok(self.connection.prepare_cached(sql)?.execute(values)?)
    }
}

/// Fields that are called otherwise in the database, because the shell's reader wants to know of what they are the id.
const IDS: [&str; 5] = ["session", "agent", "tool_use", "finding", "lift"];

/// The columns of a record: a list or a struct is JSON.
fn written(record: &impl Serialize) -> Vec<(String, Value)> {
    let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(record) else {
        return Vec::new();
    };
    let column = |(name, value): (String, serde_json::Value)| {
        let name = if IDS.contains(&&*name) { name + "_id" } else { name };
        Some((name, cell(value)?))
    };
    fields.into_iter().filter_map(column).collect()
}

fn cell(value: serde_json::Value) -> Option<Value> {
    use serde_json::Value as Json;
    Some(match value {
        Json::Null => return None,
        Json::Bool(is) => Value::Integer(is.into()),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Value::Integer(number),
            (None, Some(_)) => Value::Integer(i64::MAX),
            (None, None) => Value::Real(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::Text(text),
        Json::Array(_) | Json::Object(_) => Value::Text(value.to_string()),
    })
}

pub(super) fn text(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<Option<String>> {
    row.get_ref(column).map(text_of)
}

pub(super) fn number(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<Option<i64>> {
    row.get_ref(column).map(number_of)
}

pub(super) fn text_of(cell: ValueRef<'_>) -> Option<String> {
    match cell {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

fn number_of(cell: ValueRef<'_>) -> Option<i64> {
    match cell {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
        _ => None,
    }
}

fn real_of(cell: ValueRef<'_>) -> Option<f64> {
    match cell {
        ValueRef::Real(number) => Some(number),
        #[expect(clippy::cast_precision_loss, reason = "a confidence between 0 and 1")]
        ValueRef::Integer(number) => Some(number as f64),
        _ => None,
    }
}

struct Columns<'a, 'stmt>(&'a Row<'stmt>);

impl<'a> Columns<'a, '_> {
    fn cells(&self) -> impl Iterator<Item = (&'a str, Cell<'a>)> {
        let row = self.0;
        let field = |name: &'a str| {
            name.strip_suffix("_id").filter(|name| IDS.contains(name)).unwrap_or(name)
        };
        let cell = move |(at, name)| Some((field(name), Cell(row.get_ref(at).ok()?)));
        row.as_ref().column_names().enumerate().filter_map(cell)
    }
}

macro_rules! of_the_first_cell {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            Cell(self.0.get_ref(0).map_err(serde::de::Error::custom)?).$method(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Columns<'_, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(MapDeserializer::new(self.cells()))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(SeqDeserializer::new(self.cells().map(|(_, cell)| cell)))
    }

    of_the_first_cell! {
        deserialize_bool deserialize_i64 deserialize_u64 deserialize_f64 deserialize_string
        deserialize_option
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u128 f32 char str bytes byte_buf unit unit_struct newtype_struct seq
        tuple_struct map struct enum identifier ignored_any
    }
}

struct Cell<'a>(ValueRef<'a>);

impl IntoDeserializer<'_, Error> for Cell<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Cell<'_> {
    fn text(&self) -> String {
        text_of(self.0).unwrap_or_default()
    }

    fn number(&self) -> i64 {
        number_of(self.0).unwrap_or_default()
    }
}

impl<'de> Deserializer<'de> for Cell<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Null => visitor.visit_unit(),
            ValueRef::Integer(number) => visitor.visit_i64(number),
            ValueRef::Real(number) => visitor.visit_f64(number),
            ValueRef::Text(_) | ValueRef::Blob(_) => visitor.visit_string(self.text()),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0 == ValueRef::Null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text())
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.number() != 0)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(self.number())
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u64(self.number().max(0).unsigned_abs())
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(real_of(self.0).unwrap_or_default())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let text = self.text();
        let list = serde_json::from_str(&text);
        let list: Vec<serde_json::Value> =
            list.unwrap_or_else(|_| text.lines().map(Into::into).collect());
        list.into_deserializer().deserialize_seq(visitor).map_err(serde::de::Error::custom)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let value: serde_json::Value = serde_json::from_str(&self.text()).unwrap_or_default();
        let value = if value.is_object() { value } else { serde_json::json!({}) };
        value.deserialize_struct(name, fields, visitor).map_err(serde::de::Error::custom)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u128 f32 char str bytes byte_buf unit unit_struct newtype_struct tuple
        tuple_struct map enum identifier ignored_any
    }
}
