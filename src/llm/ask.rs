//! Asking a model for JSON of a certain form: once, and once more where the answer is not usable. The JSON is found
//! whatever stands around it: thoughts, a fence, friendly words.

use std::time::{Duration, Instant};

use serde_json::{Deserializer, Value};

use super::{Completion, Failure, Model, Request, Turn};
use crate::text::{clean, clip, cut_middle};

const REPAIR: &str = include_str!("../../data/prompts/repair.md");

/// So many bytes of a reply that was not usable are shown, to the model and to people.
const SHOWN: usize = 4000;

/// With less time left, asking again is not worth it.
const WORTH_ASKING: Duration = Duration::from_millis(500);

#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T> {
    pub value: T,
    pub reply: String,
    pub repaired: bool,
    pub prompt_tokens: u64,
    pub reply_tokens: u64,
}

/// Asks for JSON that `read` checks. Where it cannot be used the model is told why and asked once more, in what is
/// left of the time. Nothing of a reply that failed may be used.
pub fn ask<T>(
    model: &Model,
    request: &Request,
    read: impl Fn(&Value) -> Result<T, String>,
) -> Result<Answer<T>, Failure> {
    let begin = Instant::now();
    let mut turns = vec![
        Turn { role: "system", content: request.system.clone() },
        Turn { role: "user", content: request.user.clone() },
    ];
    let (mut prompt_tokens, mut reply_tokens) = (0, 0);
    let mut send = |turns: &[Turn]| -> Result<Completion, Failure> {
        let left = request.limit.saturating_sub(begin.elapsed());
        let said = model.complete(request, turns, left)?;
        prompt_tokens += said.prompt_tokens.unwrap_or(0);
        reply_tokens += said.reply_tokens.unwrap_or(0);
        Ok(said)
    };
    let usable = |reply: &str| find(reply).and_then(|value| read(&value));
    let first = send(&turns)?.text;
    let (value, reply, repaired) = match usable(&first) {
        Ok(value) => (value, first, false),
        Err(reason) => {
            let invalid = |reason: &str, reply: String| Failure::Invalid {
                model: model.name().to_owned(),
                reason: clip(&clean(reason), 300),
                reply: cut_middle(reply, SHOWN),
            };
            if request.limit.saturating_sub(begin.elapsed()) < WORTH_ASKING {
                return Err(invalid(&reason, first));
            }
            turns.push(Turn { role: "assistant", content: cut_middle(first.clone(), SHOWN) });
            turns.push(Turn { role: "user", content: REPAIR.replace("{{reason}}", &reason) });
            match send(&turns).map(|said| said.text) {
                Ok(second) => match usable(&second) {
                    Ok(value) => (value, second, true),
                    Err(reason) => return Err(invalid(&reason, second)),
                },
                // The limit is for both; what was wrong is that the first was not usable.
                Err(Failure::TimedOut { .. }) => return Err(invalid(&reason, first)),
                Err(other) => return Err(other),
            }
        }
    };
    Ok(Answer { value, reply, repaired, prompt_tokens, reply_tokens })
}

const MOST_STARTS: usize = 200;

/// The object or list in a reply; of several the longest.
fn find(reply: &str) -> Result<Value, String> {
    let text = without_thoughts(reply);
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    let mut best: Option<(usize, Value)> = None;
    let mut at = 0;
    for _ in 0..MOST_STARTS {
        let Some(start) = text[at..].find(['{', '[']).map(|start| at + start) else { break };
        let mut values = Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                let length = values.byte_offset();
                at = start + length;
                if best.as_ref().is_none_or(|(longest, _)| length > *longest) {
                    best = Some((length, value));
                }
            }
            Some(Err(error)) if is_meant_as_json(&text[start..]) => {
                // Its parts may be whole, but they are not the answer.
                return Err(if error.is_eof() {
                    "its JSON breaks off".to_owned()
                } else {
                    format!("its JSON is wrong: {error}")
                });
            }
            _ => at = start + 1,
        }
    }
    best.map(|(_, value)| value).ok_or_else(|| "it holds no JSON".to_owned())
}

/// Braces also stand in words and in Lean; those of an answer have a quote or another bracket behind them.
fn is_meant_as_json(text: &str) -> bool {
    let mut chars = text.chars().filter(|c| !c.is_whitespace());
    match (chars.next(), chars.next()) {
        (Some('{'), next) => matches!(next, Some('"' | '\'') | None),
        (Some('['), next) => matches!(next, Some('"' | '{' | '[') | None),
        _ => false,
    }
}

/// What follows the model's thoughts. Templates that open `<think>` themselves leave only its end.
fn without_thoughts(reply: &str) -> &str {
    const OPEN: &str = "<think>";
    const CLOSE: &str = "</think>";
    let start = reply.trim_start();
    if start.starts_with(['{', '[']) {
        return reply;
    }
    match (start.strip_prefix(OPEN), start.find(CLOSE)) {
        (_, Some(end)) => &start[end + CLOSE.len()..],
        // Thoughts without an end: what was meant as the answer never came.
        (Some(_), None) => "",
        (None, None) => reply,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_found_among_words() {
        for (reply, expected) in [
            (r#"{"a":1}"#, json!({"a": 1})),
            ("\n [1, 2]\n", json!([1, 2])),
            ("```json\n{\"a\": 1}\n```", json!({"a": 1})),
            ("```\n{\"a\": 1}\n```\nHope that helps!", json!({"a": 1})),
            ("Sure! Here it is:\n{\"a\": {\"b\": []}}\nAnything else?", json!({"a": {"b": []}})),
            ("<think>\nOkay {\"a\": 2}\n</think>\n\n{\"a\": 1}", json!({"a": 1})),
            ("thoughts of {something}\n</think>{\"a\": 1}", json!({"a": 1})),
            ("For example {\"a\":0}. The answer: {\"a\":1,\"b\":2}", json!({"a": 1, "b": 2})),
            (
                "I used {x : ℕ} as you said.\n```json\n{\"a\":1}\n```\nThe set {x} is empty.",
                json!({"a": 1}),
            ),
            (r#"{"a":"</think> is no mark here"}"#, json!({"a": "</think> is no mark here"})),
        ] {
            assert_eq!(find(reply), Ok(expected), "{reply}");
        }
    }

    #[test]
    fn what_is_no_json_is_said() {
        for (reply, expected) in [
            ("", "it is empty"),
            (" \n", "it is empty"),
            ("<think>on and on", "it is empty"),
            ("I cannot do that.", "it holds no JSON"),
            (r#"{"facts": [{"key": "a.b", "val"#, "its JSON breaks off"),
            // A whole part of something that is cut is not the answer.
            (r#"{"facts": [{"key": "a.b"}, {"key""#, "its JSON breaks off"),
            ("{'a': 1}", "its JSON is wrong: key must be a string at line 1 column 2"),
        ] {
            assert_eq!(find(reply), Err(expected.to_owned()), "{reply}");
        }
    }

    #[test]
    fn a_hostile_reply_takes_no_time() {
        for reply in ["[".repeat(1 << 20), "{\"a\":".repeat(1 << 18), "[[1],".repeat(1 << 18)] {
            let begin = std::time::Instant::now();
            assert!(find(&reply).is_err());
            assert!(begin.elapsed().as_secs() < 10);
        }
    }
}
