//! Asking a model for JSON of a certain form: once, and once more where the answer is not usable. The JSON is found
//! whatever stands around it: thoughts, a fence, friendly words.

use std::time::{Duration, Instant};

use serde_json::{Deserializer, Value, json};

use super::{Failure, Model, Request, Usage, Why};
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
}

/// Asks for JSON that `read` checks. Where it cannot be used the model is told why and asked once more, in what is
/// left of the time. Nothing of a reply that failed may be used.
pub fn ask<T>(
    model: &Model,
    request: &Request,
    usage: &mut Usage,
    read: impl Fn(&Value) -> Result<T, String>,
) -> Result<Answer<T>, Failure> {
    let begin = Instant::now();
    let left = || request.limit.saturating_sub(begin.elapsed());
    let turn = |role: &str, content: &str| json!({ "role": role, "content": content });
    let mut turns = vec![turn("system", &request.system), turn("user", &request.user)];
    let mut first: Option<Failure> = None;
    loop {
        usage.requests += 1;
        let said = match (model.complete(request, &turns, left()), first.take()) {
            // The limit is for both; what was wrong is that the first was not usable.
            (Err(failure), Some(first)) if failure.why == Why::TimedOut => return Err(first),
            (said, _) => said?,
        };
        usage.prompt_tokens += said.prompt_tokens.unwrap_or(0);
        usage.reply_tokens += said.reply_tokens.unwrap_or(0);
        let (reply, repaired) = (said.text, turns.len() > 2);
        let reason = match find(&reply).and_then(|value| read(&value)) {
            Ok(value) => {
                usage.repaired += u64::from(repaired);
                return Ok(Answer { value, reply, repaired });
            }
            Err(reason) => reason,
        };
        let (name, why) = (model.name(), clip(&clean(&reason), 300));
        let text = format!("the reply of `{name}` is not usable: {why}");
        let reply = cut_middle(reply, SHOWN);
        let failure = Failure { reply: Some(reply.clone()), ..Failure::new(Why::Invalid, text) };
        if repaired || left() < WORTH_ASKING {
            return Err(failure);
        }
        let repair = REPAIR.replace("{{reason}}", &reason);
        turns.extend([turn("assistant", &reply), turn("user", &repair)]);
        first = Some(failure);
    }
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
