//! A line of Claude Code's transcript. Whole files stand in these lines (`originalFile`, base64 images): what is
//! not named here is skipped without being copied.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::Value;

use crate::model::Hunk;
use crate::text::tolerant_json::{self as loose, Any, Entries};

#[expect(clippy::struct_excessive_bools, reason = "the flags of the client's lines")]
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "loose::text")]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) subtype: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) session_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) agent_id: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "loose::flag")]
    pub(super) is_sidechain: bool,
    #[serde(deserialize_with = "loose::flag")]
    pub(super) is_meta: bool,
    #[serde(deserialize_with = "loose::flag")]
    pub(super) is_compact_summary: bool,
    #[serde(deserialize_with = "loose::flag")]
    pub(super) is_api_error_message: bool,
    #[serde(borrow, deserialize_with = "loose::object")]
    pub(super) origin: Origin<'a>,
    #[serde(borrow, deserialize_with = "loose::object")]
    pub(super) message: Message<'a>,
    #[serde(borrow, deserialize_with = "loose::object")]
    pub(super) attachment: Attachment<'a>,
    #[serde(deserialize_with = "loose::object")]
    pub(super) tool_use_result: Outcome,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) tool_denial_kind: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Origin<'a> {
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) kind: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) model: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "content")]
    pub(super) content: Vec<Block<'a>>,
}

/// What the client attaches; a prompt that was typed while the agent worked stands here only.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Attachment<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "loose::text")]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) command_mode: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::object")]
    pub(super) origin: Origin<'a>,
    #[serde(borrow, deserialize_with = "content")]
    pub(super) prompt: Vec<Block<'a>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) filename: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) snippet: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "loose::text")]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) name: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "loose::object")]
    pub(super) input: Entries<Value>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) tool_use_id: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "loose::flag")]
    pub(super) is_error: bool,
    #[serde(borrow, deserialize_with = "inner_text")]
    pub(super) content: Cow<'a, str>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Outcome {
    #[serde(deserialize_with = "loose::flag")]
    pub(super) interrupted: bool,
    #[serde(deserialize_with = "loose::flag")]
    pub(super) user_modified: bool,
    #[serde(deserialize_with = "loose::number")]
    pub(super) exit_code: Option<i64>,
    #[serde(deserialize_with = "loose::objects")]
    pub(super) structured_patch: Vec<Hunk>,
}

impl<'a> Line<'a> {
    pub(super) fn parse(text: &'a [u8]) -> Result<Self, serde_json::Error> {
        if text.first() != Some(&b'{') {
            return Err(serde::de::Error::custom("expected a JSON object"));
        }
        serde_json::from_slice(text)
    }
}

fn content<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Vec<Block<'a>>, D::Error> {
    Ok(match <Any<'a, Block<'a>, Any<'a, Block<'a>>>>::deserialize(from)? {
        Any::Text(text) => vec![Block::of(text)],
        Any::Object(block) => vec![block],
        Any::List(list) => list
            .into_iter()
            .filter_map(|element| match element {
                Any::Object(block) => Some(block),
                Any::Text(text) => Some(Block::of(text)),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    })
}

impl<'a> Block<'a> {
    fn of(text: Cow<'a, str>) -> Self {
        Self { kind: Some(Cow::Borrowed("text")), text: Some(text), ..Self::default() }
    }
}

fn inner_text<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Cow<'a, str>, D::Error> {
    let mut texts: Vec<_> = content(from)?.into_iter().filter_map(|block| block.text).collect();
    Ok(if texts.len() == 1 { texts.remove(0) } else { Cow::Owned(texts.join("\n")) })
}
