//! What a hook answers: exactly one JSON object on standard output, or nothing at all.
//!
//! The client rejects an answer as a whole, a refusal included, for one null or one wrong event
//! name; so only what stands here can be said, each with the name of its own event.

use serde_json::{Map, Value};

/// The longest context, in UTF-16 units, that reaches the model whole: beyond 10,000 the client shows
/// a preview of 2 KB instead.
pub const CONTEXT_LIMIT: usize = 9_900;

const CONTEXT: &str = "additionalContext";

/// An answer to one event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reply {
    /// Nothing to say.
    #[default]
    Silence,
    /// The start of a session.
    Brief {
        /// Text for the model.
        text: String,
        /// A sentence for the person, which the model does not see; empty for none.
        person: String,
    },
    /// Text for the model beside a tool's result.
    Note(String),
    /// The tool may run without asking the person.
    Allow {
        /// Why, in a few words.
        reason: String,
    },
}

impl Reply {
    /// The object to print, or `None` for silence. Text of blanks only is silence too.
    pub fn to_json(&self) -> Option<String> {
        let (event, field, text, person) = match self {
            Self::Silence => return None,
            Self::Brief { text, person } => ("SessionStart", CONTEXT, text, person.trim()),
            Self::Note(text) => ("PostToolUse", CONTEXT, text, ""),
            Self::Allow { reason } => ("PreToolUse", "permissionDecisionReason", reason, ""),
        };
        let mut object = Map::new();
        if !person.is_empty() {
            object.insert("systemMessage".to_owned(), Value::from(capped(person)));
        }
        let text = capped(text.trim());
        if !text.is_empty() {
            let mut output = Map::new();
            output.insert("hookEventName".to_owned(), Value::from(event));
            if matches!(self, Self::Allow { .. }) {
                output.insert("permissionDecision".to_owned(), Value::from("allow"));
            }
            output.insert(field.to_owned(), Value::from(text));
            object.insert("hookSpecificOutput".to_owned(), Value::Object(output));
        }
        (!object.is_empty()).then(|| Value::Object(object).to_string())
    }
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
        ] {
            assert_eq!(reply.to_json().as_deref(), expected);
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
        fn every_answer_is_one_object_without_nulls(text in "(.|\\n){0,300}", times in 1_usize..100, which in 0..4) {
            let text = text.repeat(times);
            let reply = match which {
                0 => Reply::Silence,
                1 => brief(&text, &text),
                2 => Reply::Note(text),
                _ => Reply::Allow { reason: text },
            };
            let Some(json) = reply.to_json() else { return Ok(()) };
            prop_assert!(!json.contains('\n'), "one line");
            let value: Value = serde_json::from_str(&json).expect("valid JSON");
            let output = value["hookSpecificOutput"].as_object().expect("an object");
            let person = value.get("systemMessage").map_or(Some(""), Value::as_str).expect("text");
            prop_assert!(person.encode_utf16().count() <= CONTEXT_LIMIT);
            prop_assert!(output.values().all(Value::is_string));
            let context = output.get("additionalContext").and_then(Value::as_str).unwrap_or("");
            prop_assert!(context.encode_utf16().count() <= CONTEXT_LIMIT);
        }
    }
}
