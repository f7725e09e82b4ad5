//! What Claude Code writes to a hook's standard input, as far as it is needed here.
//!
//! Read from the bytes without copying: an edit of a large file comes with the whole file in it, in
//! strings that are skipped. A field that is missing, or has another type than it should, is absent.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The fields of one call.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Wire<'a> {
    /// Name of the event, for example `SessionStart`.
    #[serde(borrow, rename = "hook_event_name", deserialize_with = "text")]
    pub event: Option<Cow<'a, str>>,
    /// Id of the session.
    #[serde(borrow, rename = "session_id", deserialize_with = "text")]
    pub session: Option<Cow<'a, str>>,
    /// Current folder of the client's shell; it follows `cd`.
    #[serde(borrow, deserialize_with = "text")]
    pub cwd: Option<Cow<'a, str>>,
    /// What started the session.
    #[serde(borrow, deserialize_with = "text")]
    pub source: Option<Cow<'a, str>>,
    /// Name of the tool.
    #[serde(borrow, rename = "tool_name", deserialize_with = "text")]
    pub tool: Option<Cow<'a, str>>,
    /// What the tool is given.
    #[serde(borrow, rename = "tool_input", deserialize_with = "input")]
    pub input: Input<'a>,
}

/// The part of a tool's input that is needed here.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Input<'a> {
    /// Command line of Bash.
    #[serde(borrow, deserialize_with = "text")]
    pub command: Option<Cow<'a, str>>,
    /// Absolute path of the file of Write and Edit.
    #[serde(borrow, deserialize_with = "text")]
    pub file_path: Option<Cow<'a, str>>,
}

impl<'a> Wire<'a> {
    /// Reads standard input.
    ///
    /// # Errors
    /// Where the bytes are no JSON object.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, serde_json::Error> {
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return Err(serde_json::Error::custom("expected a JSON object"));
        }
        serde_json::from_slice(bytes)
    }
}

fn text<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'a, str>>, D::Error> {
    from.deserialize_any(AnyValue).map(|value| match value {
        Loose::Text(text) => Some(text),
        Loose::Object(_) | Loose::Other => None,
    })
}

fn input<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Input<'a>, D::Error> {
    from.deserialize_any(AnyValue).map(|value| match value {
        Loose::Object(input) => input,
        Loose::Text(_) | Loose::Other => Input::default(),
    })
}

/// A value of any type, of which only texts and objects say something.
enum Loose<'a> {
    Text(Cow<'a, str>),
    Object(Input<'a>),
    Other,
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Loose<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        Input::deserialize(MapAccessDeserializer::new(map)).map(Loose::Object)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Self::Value, S::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Loose::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_another_type_is_absent() {
        for (json, event, command) in [
            (r#"{"hook_event_name":"Stop"}"#, Some("Stop"), None),
            (r#" {"hook_event_name":7,"tool_input":{"command":"ls"}}"#, None, Some("ls")),
            (r#"{"hook_event_name":null,"tool_input":["ls"]}"#, None, None),
            (r#"{"hook_event_name":{"a":[1]},"tool_input":"ls"}"#, None, None),
            (r#"{"hook_event_name":[[]],"tool_input":null}"#, None, None),
            (r#"{"tool_input":{"command":{"command":"ls"}}}"#, None, None),
            (r#"{"tool_input":{"command":1.5,"x":true}}"#, None, None),
            (r#"{"tool_input":{"command":"a\nb ≤ \u2264"}}"#, None, Some("a\nb ≤ ≤")),
            ("{}", None, None),
        ] {
            let wire = Wire::parse(json.as_bytes()).expect(json);
            assert_eq!(wire.event.as_deref(), event, "{json}");
            assert_eq!(wire.input.command.as_deref(), command, "{json}");
        }
    }

    #[test]
    fn only_what_is_no_object_is_an_error() {
        for bytes in [&b""[..], b"  ", b"null", b"[]", b"[\"Stop\"]", b"{", b"{} {}", b"\xff\xfe"] {
            assert!(Wire::parse(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_utf8_are_skipped_where_nobody_reads_them() {
        let wire = Wire::parse(b"{\"other\":\"\xff\",\"cwd\":\"/p\"}").expect("skipped");
        assert_eq!(wire.cwd.as_deref(), Some("/p"));
    }

    #[test]
    fn large_strings_that_nobody_reads_are_not_copied() {
        let file = "theorem t : True := trivial\\n".repeat(200_000);
        let json = format!(
            r#"{{"hook_event_name":"PostToolUse","tool_name":"Edit",
            "tool_input":{{"file_path":"/p/A.lean","new_string":"x"}},
            "tool_response":{{"originalFile":"{file}"}}}}"#
        );
        let wire = Wire::parse(json.as_bytes()).expect("valid");
        assert!(matches!(wire.input.file_path, Some(Cow::Borrowed("/p/A.lean"))));
    }
}
