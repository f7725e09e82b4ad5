//! One line of a transcript as records: who speaks, calls, results.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::reader::{MAX_OPEN, Reader};
use super::speech;
use super::{Body, MAX_PARAMETER, MAX_RESULT, Record, Speaker, ToolCall, ToolResult};
use crate::model::Hunk;
use crate::text::tolerant_json::{Object, text_of};
use crate::text::{cut_middle, scrub, without_private};

const MAX_SAID: usize = 256 * 1024;

impl Reader {
    pub(super) fn hand_on(&mut self, line: &Object<'_>) {
        self.session = line.text("sessionId").as_deref().map(Arc::from);
        let sidechain = || line.flag("isSidechain").then_some("sidechain");
        let subagent = line.text("agentId");
        self.subagent = subagent.as_deref().or_else(sidechain).map(Arc::from);
        self.at = line.text("timestamp").as_deref().map(Arc::from);
        let message = line.object("message");
        match line.text("type").as_deref() {
            Some("assistant") => {
                let is_of_client =
                    line.flag("isApiErrorMessage") || message.is("model", "<synthetic>");
                let speaker = match &self.subagent {
                    _ if is_of_client => Speaker::Client,
                    Some(_) => Speaker::Subagent,
                    None => Speaker::Agent,
                };
                for block in message.blocks("content") {
                    self.spoken_by(speaker, &block);
                }
            }
            Some("user") => {
                let speaker = match &self.subagent {
                    _ if line.flag("isCompactSummary") => Speaker::Summary,
                    _ if line.flag("isMeta") || !is_human(line) => Speaker::Injected,
                    Some(_) => Speaker::Agent,
                    None => Speaker::Person,
                };
                let refused = line.is("toolDenialKind", "user-rejected");
                let mut outcome = Some((line.object("toolUseResult"), refused));
                for block in message.blocks("content") {
                    self.told(speaker, &block, &mut outcome);
                }
            }
            Some("attachment") => {
                let attachment = line.object("attachment");
                if attachment.is("type", "edited_text_file") {
                    let text =
                        |name| cleaned(attachment.text(name).unwrap_or_default(), MAX_PARAMETER);
                    let (path, snippet) = (text("filename"), text("snippet"));
                    self.write(Speaker::Client, Body::Edited { path, snippet });
                    return;
                }
                // A prompt that was typed while the agent worked stands here only.
                let is_prompt = attachment.is("type", "queued_command")
                    && attachment.text("commandMode").is_none_or(|mode| mode == "prompt")
                    && is_human(&attachment)
                    && self.subagent.is_none();
                let speaker = if is_prompt { Speaker::Person } else { Speaker::Injected };
                for block in attachment.blocks("prompt") {
                    self.told(speaker, &block, &mut None);
                }
            }
            _ => {}
        }
    }

    fn write(&mut self, speaker: Speaker, body: Body) {
        self.found.push(Record {
            line: self.lines,
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
    fn spoken_by(&mut self, speaker: Speaker, block: &Object<'_>) {
        match kind(block).as_ref() {
            "text" => self.say(speaker, block.text("text").unwrap_or_default()),
            "tool_use" => {
                let call = Arc::new(ToolCall {
                    id: block.string("id"),
                    name: block.string("name"),
                    input: parameters(block.object("input")),
                    line: self.lines,
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

    fn told<'a>(
        &mut self,
        speaker: Speaker,
        block: &Object<'a>,
        outcome: &mut Option<(Object<'a>, bool)>,
    ) {
        match kind(block).as_ref() {
            "text" => {
                let text = block.text("text").unwrap_or_default();
                let is_summary = speech::is_summary(&text);
                match speech::spoken(&text) {
                    _ if is_summary => self.say(Speaker::Summary, text),
                    Some(words) if speaker == Speaker::Person => self.say(speaker, words),
                    None => self.say(Speaker::Injected, text),
                    Some(_) => self.say(speaker, text),
                }
            }
            "tool_result" => {
                // The structured outcome belongs to the line; a line of several results has none that
                // could be told apart, so it goes to the first.
                let outcome = outcome.take().unwrap_or_default();
                let result = self.result(block, outcome);
                self.write(Speaker::Tool, Body::Returned(result));
            }
            _ => {}
        }
    }

    fn result(&mut self, block: &Object<'_>, (outcome, refused): (Object<'_>, bool)) -> ToolResult {
        let id = block.string("tool_use_id");
        let place = self.calls.iter().rposition(|call| call.id == id);
        let call = place.and_then(|place| self.calls.remove(place));
        let (is_error, interrupted) = (block.flag("is_error"), outcome.flag("interrupted"));
        let text = cleaned(block.said("content"), MAX_RESULT);
        let is_command = call.as_deref().is_some_and(|call| call.name == "Bash");
        let exit_code = outcome
            .number("exitCode")
            .or_else(|| stated_code(&text).filter(|_| is_error))
            .or((is_command && !is_error && !interrupted).then_some(0));
        ToolResult {
            id,
            call,
            is_error,
            exit_code,
            refused,
            user_modified: outcome.flag("userModified"),
            interrupted,
            text,
            patch: Hunk::of(&outcome).into_iter().map(cleaned_hunk).collect(),
        }
    }
}

/// Other sessions, schedules and notices say where they come from; older versions say nothing.
fn is_human(said: &Object<'_>) -> bool {
    said.object("origin").text("kind").is_none_or(|kind| kind == "human")
}

/// A text by itself is one block of text.
fn kind<'a>(block: &Object<'a>) -> Cow<'a, str> {
    let is_text = block.0.len() == 1;
    block.text("type").unwrap_or(if is_text { "text".into() } else { Cow::default() })
}

/// The `N` of a text that begins with `Exit code N`.
pub(in crate::learn) fn stated_code(text: &str) -> Option<i32> {
    let rest = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn cleaned_hunk(mut hunk: Hunk) -> Hunk {
    let text = hunk.lines.join("\n");
    let text = without_private(&text);
    let text = scrub(&text);
    let lines = text.split('\n').map(|line| cut_middle(line.to_owned(), MAX_PARAMETER));
    hunk.lines = lines.collect();
    hunk
}

/// The parameters of a call, read whole: a cut before secrets are looked for would cut them in two.
fn parameters(input: Object<'_>) -> Vec<(String, String)> {
    let text = |value| text_of(value).unwrap_or_else(|| json_of(value).into());
    let clean = |(name, value): (String, _)| {
        (cleaned(name.into(), MAX_PARAMETER), cleaned(text(value), MAX_PARAMETER))
    };
    input.0.into_iter().map(clean).collect()
}

/// The same for the same value, however it was written.
fn json_of(value: &RawValue) -> String {
    let parsed = serde_json::from_str::<Value>(value.get());
    parsed.map_or_else(|_| value.get().to_owned(), |value| value.to_string())
}

/// How much beside a cut is looked at for secrets that it would cut in two.
const BESIDE_CUT: usize = 8 * 1024;

pub(in crate::learn) fn cleaned(text: Cow<'_, str>, bytes: usize) -> String {
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
