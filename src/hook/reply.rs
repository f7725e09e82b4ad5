//! What a hook answers: exactly one JSON object on standard output, or nothing at all.
//!
//! The client rejects an answer as a whole, a refusal included, for one null or one wrong event
//! name; so only what stands here can be said, under the name of the event that is answered.

use serde_json::{Map, Value};

use crate::text::clean_block;

/// The longest context, in UTF-16 units, that reaches the model whole: beyond 10,000 the client shows
/// a preview of 2 KB instead.
pub const CONTEXT_LIMIT: usize = 9_900;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reply {
    #[default]
    Silence,
    Brief {
        text: String,
        /// A sentence for the person, which the model does not see; empty for none.
        person: String,
    },
    /// Text for the model beside a tool's result, a prompt, or the task of a subagent.
    Note(String),
    /// The tool may run without asking the person.
    Allow { reason: String },
    /// The person is asked whether the tool may run; where nobody can be asked, it may not.
    Ask {
        reason: String,
        /// What the person is shown beside the answer, where the dialog may not show the reason (that of
        /// an edit, before Claude Code 2.1.332); empty for nothing.
        person: String,
    },
    /// The tool may not run.
    Deny { reason: String },
    /// What was done is not accepted; a turn that was over goes on.
    Block { reason: String },
    /// A sentence for the person, which the model does not see.
    Tell(String),
    /// A sentence for who summarises the conversation. Of this event the client takes plain words alone.
    Hint(String),
}

impl Reply {
    pub const fn ask(reason: String) -> Self {
        Self::Ask { reason, person: String::new() }
    }

    /// What to print in answer to an event of this name: one object, for [`Self::Hint`] one line of text,
    /// or `None` for silence. Text of blanks only is silence too.
    pub fn printed(&self, event: &str) -> Option<String> {
        if let Self::Hint(text) = self {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            return Some(said(&line)).filter(|line| !line.is_empty());
        }
        let to_all = match self {
            Self::Brief { person: text, .. }
            | Self::Ask { person: text, .. }
            | Self::Tell(text) => {
                vec![("systemMessage", text.as_str())]
            }
            Self::Block { reason } => vec![("decision", "block"), ("reason", reason)],
            _ => Vec::new(),
        };
        let to_one = match self {
            Self::Brief { text, .. } | Self::Note(text) => {
                vec![("additionalContext", text.as_str())]
            }
            Self::Allow { reason } => permission("allow", reason),
            Self::Ask { reason, .. } => permission("ask", reason),
            Self::Deny { reason } => permission("deny", reason),
            _ => Vec::new(),
        };
        let mut object = fields(&to_all).unwrap_or_default();
        if let Some(mut output) = fields(&to_one) {
            output.insert("hookEventName".to_owned(), Value::from(event));
            object.insert("hookSpecificOutput".to_owned(), Value::Object(output));
        }
        (!object.is_empty()).then(|| Value::Object(object).to_string())
    }
}

type Fields<'a> = Vec<(&'static str, &'a str)>;

fn permission<'a>(decision: &'static str, reason: &'a str) -> Fields<'a> {
    vec![("permissionDecision", decision), ("permissionDecisionReason", reason)]
}

/// Nothing where one of them is empty: a decision without a reason is the caller's mistake, and the
/// session goes on without it.
fn fields(fields: &Fields<'_>) -> Option<Map<String, Value>> {
    let texts = fields.iter().map(|(name, text)| ((*name).to_owned(), said(text)));
    let texts: Vec<(String, String)> = texts.collect();
    let is_said = !texts.is_empty() && texts.iter().all(|(_, text)| !text.is_empty());
    is_said.then(|| texts.into_iter().map(|(name, text)| (name, Value::from(text))).collect())
}

/// The text as it is said. Names, proofs and messages in it came from anywhere: here, where all of them
/// pass, they are cleaned.
fn said(text: &str) -> String {
    capped(clean_block(text).trim()).to_owned()
}

/// The text up to [`CONTEXT_LIMIT`], cut between two characters.
fn capped(text: &str) -> &str {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > CONTEXT_LIMIT {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn brief(text: &str, person: &str) -> Reply {
        Reply::Brief { text: text.to_owned(), person: person.to_owned() }
    }

    #[test]
    fn answers_as_the_client_reads_them() {
        for (reply, expected) in [
            (Reply::Silence, None),
            (brief(" \n", " "), None),
            (brief("", "for you"), Some(r#"{"systemMessage":"for you"}"#)),
            (
                brief("x", "for you"),
                Some(
                    r#"{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"SessionStart"},"systemMessage":"for you"}"#,
                ),
            ),
            (
                brief("KB: 3 findings\n\"∀\"", ""),
                Some(
                    r#"{"hookSpecificOutput":{"additionalContext":"KB: 3 findings\n\"∀\"","hookEventName":"SessionStart"}}"#,
                ),
            ),
            (
                Reply::Note("seen".to_owned()),
                Some(
                    r#"{"hookSpecificOutput":{"additionalContext":"seen","hookEventName":"PostToolUse"}}"#,
                ),
            ),
            (
                Reply::Allow { reason: "reads only".to_owned() },
                Some(
                    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"reads only"}}"#,
                ),
            ),
            (
                Reply::Deny { reason: "no".to_owned() },
                Some(
                    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
                ),
            ),
            (
                Reply::Ask { reason: "may it?".to_owned(), person: String::new() },
                Some(
                    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"may it?"}}"#,
                ),
            ),
            (
                Reply::Ask { reason: "may it?".to_owned(), person: "it asked".to_owned() },
                Some(
                    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"may it?"},"systemMessage":"it asked"}"#,
                ),
            ),
            (Reply::Deny { reason: " ".to_owned() }, None),
            (
                Reply::Block { reason: "lost".to_owned() },
                Some(r#"{"decision":"block","reason":"lost"}"#),
            ),
            (Reply::Tell("look".to_owned()), Some(r#"{"systemMessage":"look"}"#)),
            (Reply::Hint(" Keep the\n goal. ".to_owned()), Some("Keep the goal.")),
            (Reply::Hint(" ".to_owned()), None),
        ] {
            // Each row names the event that it answers, or it does not matter.
            let mut events = ["SessionStart", "PreToolUse", "PostToolUse"].into_iter();
            let event = events.find(|name| expected.is_some_and(|text| text.contains(name)));
            let event = event.unwrap_or("Stop");
            assert_eq!(reply.printed(event).as_deref(), expected);
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        for text in ["a".repeat(30_000), "𝓝".repeat(10_000), format!("x{}", "𝓝".repeat(10_000))]
        {
            let cut = capped(&text);
            assert!((CONTEXT_LIMIT - 1..=CONTEXT_LIMIT).contains(&cut.encode_utf16().count()));
        }
    }

    proptest! {
        #[test]
        fn every_answer_is_one_object_without_nulls(text in "(.|\\n){0,300}", times in 1_usize..100, which in 0..8) {
            let text = text.repeat(times);
            let reply = match which {
                0 => Reply::Silence,
                1 => brief(&text, &text),
                2 => Reply::Note(text),
                3 => Reply::Allow { reason: text },
                4 => Reply::Ask { reason: text.clone(), person: text },
                5 => Reply::Deny { reason: text },
                6 => Reply::Block { reason: text },
                _ => Reply::Tell(text),
            };
            let Some(json) = reply.printed("PostToolUse") else { return Ok(()) };
            prop_assert!(!json.contains('\n'), "one line");
            let value: Value = serde_json::from_str(&json).expect("valid JSON");
            let nothing = Map::new();
            let output = value.get("hookSpecificOutput").map_or(Some(&nothing), Value::as_object);
            let output = output.expect("an object");
            let reason = value.get("reason").map_or(Some(""), Value::as_str).expect("text");
            prop_assert!(reason.encode_utf16().count() <= CONTEXT_LIMIT);
            let person = value.get("systemMessage").map_or(Some(""), Value::as_str).expect("text");
            prop_assert!(person.encode_utf16().count() <= CONTEXT_LIMIT);
            prop_assert!(output.values().all(Value::is_string));
            let context = output.get("additionalContext").and_then(Value::as_str).unwrap_or("");
            prop_assert!(context.encode_utf16().count() <= CONTEXT_LIMIT);
        }
    }
}
