//! JSON of a program whose versions differ: a field of another type than it should have is absent, never an
//! error.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::mend_json;

/// The entries of an object in the order in which they are written, also those of one name.
#[derive(Debug)]
pub struct Entries<V>(pub Vec<(String, V)>);

/// An object whose values are read when somebody asks for them: whole files stand in some, and what
/// nobody asks for is skipped without being copied.
pub type Object<'a> = Entries<&'a RawValue>;

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Entries<V> {
    /// Of several values of one name the last.
    pub fn get(&self, name: &str) -> Option<&V> {
        self.0.iter().rfind(|(other, _)| other == name).map(|(_, value)| value)
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(EntriesVisitor(PhantomData))
    }
}

struct EntriesVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for EntriesVisitor<V> {
    type Value = Entries<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}

impl<'a> Object<'a> {
    pub fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        text_of(self.get(name).copied()?)
    }

    /// Empty where there is none.
    pub fn string(&self, name: &str) -> String {
        self.text(name).unwrap_or_default().into_owned()
    }

    pub fn is(&self, name: &str, word: &str) -> bool {
        self.text(name).is_some_and(|text| text == word)
    }

    /// True, also as a word, as models write it.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| matches!(value.get(), "true" | "\"true\""))
    }

    /// A whole number that fits, or nothing.
    pub fn number<N: TryFrom<i64>>(&self, name: &str) -> Option<N> {
        N::try_from(self.get(name)?.get().parse::<i64>().ok()?).ok()
    }

    #[must_use]
    pub fn object(&self, name: &str) -> Self {
        self.get(name).copied().and_then(read).unwrap_or_default()
    }

    /// The elements of a list; none of what is not a list.
    pub fn list(&self, name: &str) -> Vec<&'a RawValue> {
        self.get(name).copied().and_then(read).unwrap_or_default()
    }

    /// The objects of a list, the empty one in the place of what is none.
    pub fn objects(&self, name: &str) -> Vec<Self> {
        self.list(name).into_iter().map(|one| read(one).unwrap_or_default()).collect()
    }

    /// The blocks of what somebody said: a list of them, or one; a text by itself is one too.
    pub fn blocks(&self, name: &str) -> Vec<Self> {
        let Some(value) = self.get(name).copied() else { return Vec::new() };
        let list = read::<Vec<&RawValue>>(value).unwrap_or_else(|| vec![value]);
        let block = |one: &'a RawValue| match text_of(one) {
            Some(_) => Some(Entries(vec![("text".to_owned(), one)])),
            None => read(one),
        };
        list.into_iter().filter_map(block).collect()
    }

    /// The texts of [`Self::blocks`].
    pub fn said(&self, name: &str) -> Cow<'a, str> {
        let blocks = self.blocks(name);
        let mut texts: Vec<_> = blocks.iter().filter_map(|block| block.text("text")).collect();
        if texts.len() == 1 { texts.remove(0) } else { Cow::Owned(texts.join("\n")) }
    }
}

fn read<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

/// A text, if it is one. Half a character in it is no reason to lose it.
pub fn text_of(value: &RawValue) -> Option<Cow<'_, str>> {
    let json = value.get();
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let text = read(value).or_else(|| serde_json::from_slice(&mend_json(json.as_bytes())).ok());
    text.map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_another_type_is_absent() {
        let json = r#"{"text": "a\nb ≤ \u2264 \ud835", "word": "true", "flag": true, "number": 7,
            "half": 1.5, "null": null, "object": {"text": {"a": [1]}}, "list": [{"a": 1}, 3, "x"]}"#;
        let object: Object<'_> = serde_json::from_str(json).unwrap();
        for (name, text, flag, number, elements, blocks) in [
            ("text", Some("a\nb ≤ ≤ \u{fffd}"), false, None, 0, 1),
            ("word", Some("true"), true, None, 0, 1),
            ("flag", None, true, None, 0, 0),
            ("number", None, false, Some(7), 0, 0),
            ("half", None, false, None, 0, 0),
            ("null", None, false, None, 0, 0),
            ("object", None, false, None, 0, 1),
            ("list", None, false, None, 3, 2),
            ("missing", None, false, None, 0, 0),
        ] {
            assert_eq!(object.text(name).as_deref(), text, "{name}");
            assert_eq!((object.flag(name), object.number(name)), (flag, number), "{name}");
            assert_eq!(object.objects(name).len(), elements, "{name}");
            assert_eq!(object.blocks(name).len(), blocks, "{name}");
        }
        assert_eq!(object.object("object").list("text").len(), 0);
        assert_eq!(
            (object.said("text"), object.said("list")),
            ("a\nb ≤ ≤ \u{fffd}".into(), "x".into())
        );
        assert_eq!(object.objects("list")[0].number("a"), Some(1));
        assert!(matches!(object.text("word"), Some(Cow::Borrowed(_))), "it is not copied");
    }
}
