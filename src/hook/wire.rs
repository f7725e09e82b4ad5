//! What Claude Code writes to a hook's standard input, as far as it is needed here.
//!
//! Read from the bytes without copying: an edit of a large file comes with the whole file in it, in
//! strings that are skipped. A field that is missing, or has another type than it should, is absent.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::model::Hunk;
use crate::text::tolerant_json::{Any, flag, number, object, objects, text};

/// The fields of one call.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Wire<'a> {
    #[serde(borrow, rename = "hook_event_name", deserialize_with = "text")]
    pub event: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "session_id", deserialize_with = "text")]
    pub session: Option<Cow<'a, str>>,
    /// Current folder of the client's shell; it follows `cd`.
    #[serde(borrow, deserialize_with = "text")]
    pub cwd: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub source: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "tool_name", deserialize_with = "text")]
    pub tool: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "tool_use_id", deserialize_with = "text")]
    pub tool_use: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "agent_id", deserialize_with = "text")]
    pub agent: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub agent_type: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "transcript_path", deserialize_with = "text")]
    pub transcript: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub permission_mode: Option<Cow<'a, str>>,
    /// Whether a hook has made this turn go on already.
    #[serde(deserialize_with = "flag")]
    pub stop_hook_active: bool,
    /// How long the tool ran, in milliseconds.
    #[serde(deserialize_with = "number")]
    pub duration_ms: Option<u64>,
    /// What went wrong with the tool; of Bash the exit code and what it printed.
    #[serde(borrow, deserialize_with = "text")]
    pub error: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "flag")]
    pub is_interrupt: bool,
    /// What was typed, or sent by a schedule.
    #[serde(borrow, deserialize_with = "text")]
    pub prompt: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "tool_input", deserialize_with = "object")]
    pub input: Input<'a>,
    #[serde(borrow, rename = "tool_response", deserialize_with = "shown")]
    pub response: Response<'a>,
}

/// The part of a tool's input that is needed here.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Input<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub command: Option<Cow<'a, str>>,
    /// Absolute path of the file of Write and Edit.
    #[serde(borrow, deserialize_with = "text")]
    pub file_path: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub content: Option<Cow<'a, str>>,
    #[serde(borrow, alias = "oldText", alias = "old_text", deserialize_with = "text")]
    pub old_string: Option<Cow<'a, str>>,
    #[serde(borrow, alias = "newText", alias = "new_text", deserialize_with = "text")]
    pub new_string: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "flag")]
    pub replace_all: bool,
    /// The edits of `MultiEdit`, which older clients have.
    #[serde(borrow, deserialize_with = "objects")]
    pub edits: Vec<Self>,
    /// Parameters of tools of servers that say on what they work.
    #[serde(
        borrow,
        alias = "relative_path",
        alias = "pathInProject",
        alias = "source",
        deserialize_with = "text"
    )]
    pub path: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub destination: Option<Cow<'a, str>>,
    /// How a file is written: `append` keeps what stands in it.
    #[serde(borrow, deserialize_with = "text")]
    pub mode: Option<Cow<'a, str>>,
    #[serde(rename = "dryRun", deserialize_with = "flag")]
    pub dry_run: bool,
    #[serde(borrow, deserialize_with = "text")]
    pub file: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub filename: Option<Cow<'a, str>>,
    /// The same as an address, `file:///...`.
    #[serde(borrow, deserialize_with = "text")]
    pub uri: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub code: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub declaration_name: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub severity: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "number")]
    pub start_line: Option<u64>,
    #[serde(deserialize_with = "number")]
    pub end_line: Option<u64>,
    #[serde(borrow, deserialize_with = "text")]
    pub prompt: Option<Cow<'a, str>>,
    /// What a command or a subagent is for, in a few words.
    #[serde(borrow, deserialize_with = "text")]
    pub description: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub subagent_type: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "flag")]
    pub run_in_background: bool,
}

/// What an editing tool did.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Response<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub stdout: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub stderr: Option<Cow<'a, str>>,
    /// What a tool of a server answered.
    #[serde(skip)]
    pub shown: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "flag")]
    pub interrupted: bool,
    /// `create` or `update`, for Write.
    #[serde(borrow, rename = "type", deserialize_with = "text")]
    pub kind: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "originalFile", deserialize_with = "text")]
    pub original: Option<Cow<'a, str>>,
    #[serde(rename = "structuredPatch", deserialize_with = "objects")]
    pub patch: Vec<Hunk>,
}

/// What a tool did: an object, or, of a tool of a server, a text or a list of blocks of text.
fn shown<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Response<'a>, D::Error> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Block<'a> {
        #[serde(borrow, deserialize_with = "text")]
        text: Option<Cow<'a, str>>,
    }
    let of = |shown| Response { shown: Some(shown), ..Response::default() };
    Ok(match <Any<'a, Response<'a>, Any<'a, Block<'a>>>>::deserialize(from)? {
        Any::Object(response) => response,
        Any::Text(text) => of(text),
        Any::List(blocks) => {
            let texts: Vec<_> =
                blocks.into_iter().filter_map(|block| block.object().text).collect();
            of(Cow::Owned(texts.join("\n")))
        }
        _ => Response::default(),
    })
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
    fn edits_and_what_they_did() {
        let json = r#"{"stop_hook_active":"true","duration_ms":12,"tool_use_id":"t1","agent_id":null,
            "tool_input":{"old_string":"a","new_string":"b\n","replace_all":true,"content":7,
                "edits":[{"old_string":"x","new_string":"y"},3,{"replace_all":"true"}]},
            "tool_response":{"type":"update","originalFile":null,"structuredPatch":
                [{"oldStart":3,"newStart":3,"lines":[" a","-b",4,"+c"]},null]}}"#;
        let wire = Wire::parse(json.as_bytes()).expect("valid");
        assert!(wire.stop_hook_active && wire.duration_ms == Some(12) && wire.agent.is_none());
        assert_eq!(wire.tool_use.as_deref(), Some("t1"));
        let input = &wire.input;
        assert!(input.replace_all && input.content.is_none());
        assert_eq!(
            (input.old_string.as_deref(), input.new_string.as_deref()),
            (Some("a"), Some("b\n"))
        );
        assert_eq!(input.edits.len(), 3);
        assert!(input.edits[2].replace_all && input.edits[1] == Input::default());
        assert_eq!(wire.response.kind.as_deref(), Some("update"));
        assert_eq!(wire.response.original, None);
        assert_eq!(wire.response.patch[0].old_start, 3);
        assert_eq!(wire.response.patch[0].lines, [" a", "-b", "+c"]);
        assert_eq!(wire.response.patch[1], Hunk::default());
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
