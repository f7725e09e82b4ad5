//! Asking a model for JSON of a certain form: once, and once more where the answer is not usable.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Completion, Failure, Model, Request, Turn, json};
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
    pub took: Duration,
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
    let usable = |reply: &str| json::find(reply).and_then(|value| read(&value));
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
    Ok(Answer { value, reply, repaired, prompt_tokens, reply_tokens, took: begin.elapsed() })
}
