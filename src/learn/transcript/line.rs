//! One line of a transcript as records: who speaks, calls, results.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::Value;

use super::reader::MAX_OPEN;
use super::speech;
use super::{Body, MAX_PARAMETER, MAX_RESULT, Record, Speaker, ToolCall, ToolResult};
use crate::model::Hunk;
use crate::text::tolerant_json::{self as loose, Any, Entries};
use crate::text::{cut_middle, scrub, without_private};

const MAX_SAID: usize = 256 * 1024;

const MAX_PATCH_LINES: usize = 400;

const MAX_NAME: usize = 200;

pub(super) struct Writer<'r> {
    pub(super) line: u64,
    pub(super) session: Option<Arc<str>>,
    pub(super) subagent: Option<Arc<str>>,
    pub(super) at: Option<Arc<str>>,
    pub(super) calls: &'r mut VecDeque<Arc<ToolCall>>,
    pub(super) records: &'r mut Vec<Record>,
}

pub(super) fn records(line: Line<'_>, writer: &mut Writer<'_>) {
    match line.kind.as_deref() {
        Some("assistant") => {
            let is_of_client =
                line.is_api_error_message || line.message.model.as_deref() == Some("<synthetic>");
            let speaker = match &writer.subagent {
                _ if is_of_client => Speaker::Client,
                Some(_) => Speaker::Subagent,
                None => Speaker::Agent,
            };
            for block in line.message.content {
                writer.spoken_by(speaker, block);
            }
        }
        Some("user") => {
            let speaker = match &writer.subagent {
                _ if line.is_compact_summary => Speaker::Summary,
                _ if line.is_meta || !is_human(&line.origin) => Speaker::Injected,
                Some(_) => Speaker::Agent,
                None => Speaker::Person,
            };
            let refused = line.tool_denial_kind.as_deref() == Some("user-rejected");
            let mut outcome = Some((line.tool_use_result, refused));
            for block in line.message.content {
                writer.told(speaker, block, &mut outcome);
            }
        }
        Some("attachment") => {
            let attachment = line.attachment;
            if attachment.kind.as_deref() == Some("edited_text_file") {
                let text =
                    |text: Option<Cow<'_, str>>, most| cleaned(text.unwrap_or_default(), most);
                let path = text(attachment.filename, MAX_PARAMETER);
                let snippet = text(attachment.snippet, MAX_PARAMETER);
                writer.write(Speaker::Client, Body::Edited { path, snippet });
                return;
            }
            let is_prompt = attachment.kind.as_deref() == Some("queued_command")
                && attachment.command_mode.as_deref().is_none_or(|mode| mode == "prompt")
                && is_human(&attachment.origin)
                && writer.subagent.is_none();
            let speaker = if is_prompt { Speaker::Person } else { Speaker::Injected };
            for block in attachment.prompt {
                writer.told(speaker, block, &mut None);
            }
        }
        Some("system") if line.subtype.as_deref() == Some("compact_boundary") => {
            writer.write(Speaker::Client, Body::Compacted);
        }
        _ => {}
    }
}

/// Other sessions, schedules and notices say where they come from; older versions say nothing.
fn is_human(origin: &Origin<'_>) -> bool {
    origin.kind.as_deref().is_none_or(|kind| kind == "human")
}

impl Writer<'_> {
    fn write(&mut self, speaker: Speaker, body: Body) {
        self.records.push(Record {
            line: self.line,
            at: self.at.clone(),
            session: self.session.clone(),
            subagent: self.subagent.clone(),
            speaker,
            body,
        });
    }

    fn say(&mut self, speaker: Speaker, words: Cow<'_, str>) {
        let words = cleaned(words, MAX_SAID);
        if !words.trim().is_empty() {
            self.write(speaker, Body::Said(words));
        }
    }

    /// A block of an `assistant` line. What the agent thought is no speech.
    fn spoken_by(&mut self, speaker: Speaker, block: Block<'_>) {
        match block.kind.as_deref() {
            Some("text") => self.say(speaker, block.text.unwrap_or_default()),
            Some("tool_use") => {
                let call = Arc::new(ToolCall {
                    id: block.id.unwrap_or_default().into_owned(),
                    name: block.name.unwrap_or_default().into_owned(),
                    input: parameters(block.input),
                    line: self.line,
                });
                if self.calls.len() == MAX_OPEN {
                    self.calls.pop_front();
                }
                self.calls.push_back(Arc::clone(&call));
                self.write(speaker, Body::Called(call));
            }
            _ => {}
        }
    }

    fn told(&mut self, speaker: Speaker, block: Block<'_>, outcome: &mut Option<(Outcome, bool)>) {
        match block.kind.as_deref() {
            Some("text") => {
                let text = block.text.unwrap_or_default();
                let is_summary = speech::is_summary(&text);
                match speech::spoken(&text) {
                    _ if is_summary => self.say(Speaker::Summary, text),
                    Some(words) if speaker == Speaker::Person => self.say(speaker, words),
                    None => self.say(Speaker::Injected, text),
                    Some(_) => self.say(speaker, text),
                }
            }
            Some("tool_result") => {
                // The structured outcome belongs to the line; a line of several results has none that
                // could be told apart, so it goes to the first.
                let outcome = outcome.take().unwrap_or_default();
                let id = block.tool_use_id.unwrap_or_default().into_owned();
                let place = self.calls.iter().rposition(|call| call.id == id);
                let call = place.and_then(|place| self.calls.remove(place));
                let result = result(id, call, block.is_error, block.content, outcome);
                self.write(Speaker::Tool, Body::Returned(result));
            }
            _ => {}
        }
    }
}

fn result(
    id: String,
    call: Option<Arc<ToolCall>>,
    is_error: bool,
    content: Cow<'_, str>,
    (outcome, refused): (Outcome, bool),
) -> ToolResult {
    let text = cleaned(content, MAX_RESULT);
    let is_command = call.as_deref().is_some_and(|call| call.name == "Bash");
    let exit_code = outcome
        .exit_code
        .and_then(|code| i32::try_from(code).ok())
        .or_else(|| stated_code(&text).filter(|_| is_error))
        .or((is_command && !is_error && !outcome.interrupted).then_some(0));
    ToolResult {
        id,
        call,
        is_error,
        exit_code,
        refused,
        user_modified: outcome.user_modified,
        interrupted: outcome.interrupted,
        text,
        patch: hunks(outcome.structured_patch),
    }
}

/// The `N` of a text that begins with `Exit code N`.
pub(in crate::learn) fn stated_code(text: &str) -> Option<i32> {
    let rest = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn hunks(patches: Vec<Hunk>) -> Vec<Hunk> {
    let mut room = MAX_PATCH_LINES;
    let mut hunks = Vec::new();
    for patch in patches {
        if patch.lines.len() > room {
            break;
        }
        room -= patch.lines.len();
        hunks.push(Hunk { lines: clean_lines(&patch.lines), ..patch });
    }
    hunks
}

fn clean_lines(lines: &[String]) -> Vec<String> {
    let text = lines.join("\n");
    let text = without_private(&text);
    let text = scrub(&text);
    text.split('\n').map(|line| cut_middle(line.to_owned(), MAX_PARAMETER)).collect()
}

/// The parameters of a call, read whole: a cut before secrets are looked for would cut them in two.
fn parameters(input: Entries<Value>) -> Vec<(String, String)> {
    let text = |value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let entries = input.0.into_iter();
    let clean = |text, most| cleaned(Cow::Owned(text), most);
    entries
        .map(|(name, value)| (clean(name, MAX_NAME), clean(text(value), MAX_PARAMETER)))
        .collect()
}

/// How much beside a cut is looked at for secrets that it would cut in two.
const BESIDE_CUT: usize = 8 * 1024;

fn cleaned(text: Cow<'_, str>, bytes: usize) -> String {
    let text = match without_private(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(kept) => Cow::Owned(kept),
    };
    let part = bytes / 2 + BESIDE_CUT;
    if text.len() <= 2 * part {
        let scrubbed = match scrub(&text) {
            Cow::Owned(scrubbed) => scrubbed,
            Cow::Borrowed(_) => text.into_owned(),
        };
        return cut_middle(scrubbed, bytes);
    }
    // Of a very long text only what is kept is looked at, and a little more.
    let head = scrub(&text[..text.floor_char_boundary(part)]);
    let tail = scrub(&text[text.ceil_char_boundary(text.len() - part)..]);
    cut_middle(format!("{head}{tail}"), bytes)
}

/// Whole files stand in these lines (`originalFile`, base64 images): what is not named here is skipped without
/// being copied.
#[expect(clippy::struct_excessive_bools, reason = "the flags of the client's lines")]
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "loose::text")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    subtype: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) session_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    pub(super) agent_id: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "loose::flag")]
    pub(super) is_sidechain: bool,
    #[serde(deserialize_with = "loose::flag")]
    is_meta: bool,
    #[serde(deserialize_with = "loose::flag")]
    is_compact_summary: bool,
    #[serde(deserialize_with = "loose::flag")]
    is_api_error_message: bool,
    #[serde(borrow, deserialize_with = "loose::object")]
    origin: Origin<'a>,
    #[serde(borrow, deserialize_with = "loose::object")]
    message: Message<'a>,
    #[serde(borrow, deserialize_with = "loose::object")]
    attachment: Attachment<'a>,
    #[serde(deserialize_with = "loose::object")]
    tool_use_result: Outcome,
    #[serde(borrow, deserialize_with = "loose::text")]
    tool_denial_kind: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Origin<'a> {
    #[serde(borrow, deserialize_with = "loose::text")]
    kind: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow, deserialize_with = "loose::text")]
    model: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "content")]
    content: Vec<Block<'a>>,
}

/// What the client attaches; a prompt that was typed while the agent worked stands here only.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Attachment<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "loose::text")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    command_mode: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::object")]
    origin: Origin<'a>,
    #[serde(borrow, deserialize_with = "content")]
    prompt: Vec<Block<'a>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    filename: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    snippet: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "loose::text")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "loose::text")]
    name: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "loose::object")]
    input: Entries<Value>,
    #[serde(borrow, deserialize_with = "loose::text")]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "loose::flag")]
    is_error: bool,
    #[serde(borrow, deserialize_with = "inner_text")]
    content: Cow<'a, str>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Outcome {
    #[serde(deserialize_with = "loose::flag")]
    interrupted: bool,
    #[serde(deserialize_with = "loose::flag")]
    user_modified: bool,
    #[serde(deserialize_with = "loose::number")]
    exit_code: Option<i64>,
    #[serde(deserialize_with = "loose::objects")]
    structured_patch: Vec<Hunk>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_cut_in_two() {
        let key = "ghp_0123456789abcdefABCDEF0123456789abcd";
        let pem = format!(
            "-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----\n",
            "MIIEvQIBADANBgkqhkiG9w0B\n".repeat(60)
        );
        for secret in [key, &pem] {
            for (before, after) in [(0, 90), (480, 60), (500, 5_000), (5_000, 480), (60_000, 500)] {
                // At every place around the cuts.
                for shift in (0..80).chain((0..1_600).step_by(37)) {
                    let text =
                        format!("{} {secret} {}", "a ".repeat(before + shift), "b ".repeat(after));
                    let kept = cleaned(Cow::Borrowed(&text), 1_000);
                    assert!(kept.len() <= 1_000);
                    assert!(
                        !kept.contains("ghp_") && !kept.contains("MIIE"),
                        "{before} {shift}: {kept}"
                    );
                    let kept = cleaned(Cow::Owned(text), 40_000);
                    assert!(!kept.contains("ghp_") && !kept.contains("MIIE"), "{before} {shift}");
                }
            }
        }
    }
}
