//! JSON of a program whose versions differ: a field of another type than it should have is absent, never an
//! error.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A value; `O` is what an object of it is read as, `L` the elements of a list. `IgnoredAny` takes no
/// memory.
pub enum Any<'a, O = IgnoredAny, L = IgnoredAny> {
    Text(Cow<'a, str>),
    Flag(bool),
    Number(i64),
    Object(O),
    List(Vec<L>),
    Other,
}

impl<'a, O: Default, L> Any<'a, O, L> {
    pub fn text(self) -> Option<Cow<'a, str>> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub fn object(self) -> O {
        if let Self::Object(object) = self { object } else { O::default() }
    }
}

impl<'de: 'a, 'a, O: Deserialize<'de>, L: Deserialize<'de>> Deserialize<'de> for Any<'a, O, L> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnyVisitor(PhantomData))
    }
}

struct AnyVisitor<'a, O, L>(PhantomData<(&'a (), O, L)>);

impl<'de: 'a, 'a, O: Deserialize<'de>, L: Deserialize<'de>> Visitor<'de> for AnyVisitor<'a, O, L> {
    type Value = Any<'a, O, L>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Any::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Any::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Any::Text(Cow::Owned(text)))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        O::deserialize(MapAccessDeserializer::new(map)).map(Any::Object)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Self::Value, S::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            elements.push(element);
        }
        Ok(Any::List(elements))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Any::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Any::Number(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(number).map_or(Any::Other, Any::Number))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Any::Other)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Any::Other)
    }
}

/// The entries of an object in the order in which they are written, also those of one name.
#[derive(Debug, Default)]
pub struct Entries<V>(pub Vec<(String, V)>);

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

pub fn text<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'a, str>>, D::Error> {
    Ok(<Any<'a>>::deserialize(from)?.text())
}

/// True, also as a word, as models write it.
pub fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Ok(match <Any<'_>>::deserialize(from)? {
        Any::Flag(flag) => flag,
        Any::Text(text) => text == "true",
        _ => false,
    })
}

/// A whole number that fits, or nothing.
pub fn number<'de, N: TryFrom<i64>, D: Deserializer<'de>>(from: D) -> Result<Option<N>, D::Error> {
    Ok(match <Any<'_>>::deserialize(from)? {
        Any::Number(number) => N::try_from(number).ok(),
        _ => None,
    })
}

pub fn object<'de, D: Deserializer<'de>, O: Deserialize<'de> + Default>(
    from: D,
) -> Result<O, D::Error> {
    Ok(<Any<'de, O>>::deserialize(from)?.object())
}

/// A list of objects, the empty one in the place of what is none.
pub fn objects<'de, D: Deserializer<'de>, O: Deserialize<'de> + Default>(
    from: D,
) -> Result<Vec<O>, D::Error> {
    Ok(match <Any<'de, IgnoredAny, Any<'de, O>>>::deserialize(from)? {
        Any::List(list) => list.into_iter().map(Any::object).collect(),
        _ => Vec::new(),
    })
}

pub fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(match <Any<'de, IgnoredAny, Any<'de>>>::deserialize(from)? {
        Any::List(list) => {
            list.into_iter().filter_map(|one| Some(one.text()?.into_owned())).collect()
        }
        _ => Vec::new(),
    })
}
