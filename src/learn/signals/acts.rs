//! What the person did, as results of tools tell it: a call that was refused with a reason, a plan that was
//! sent back, questions of the agent's that were answered. No words are surer.

use serde::Deserialize;

use crate::learn::transcript::ToolResult;

#[derive(Debug, PartialEq)]
pub(super) enum Act<'r> {
    Refused { words: &'r str, call: String },
    Answered { question: String, answer: String, others: Vec<String> },
}

const SAID: &str = "the user said:";

const NOTE: &str = "\n\nNote: ";

/// How the client begins what was answered, in two versions of it.
const ANSWERED: &[&str] =
    &["User has answered your questions:", "Your questions have been answered:"];

const CALL: usize = 120;

pub(super) fn of(result: &ToolResult) -> Vec<Act<'_>> {
    let text = result.text.as_str();
    if result.is_error && text.starts_with("The user doesn't want to") {
        let words = text.split_once(SAID).map_or("", |(_, words)| words);
        let words = words.split(NOTE).next().unwrap_or_default().trim();
        let call = call(result);
        return Vec::from_iter((!words.is_empty()).then_some(Act::Refused { words, call }));
    }
    // What another tool prints is nobody's answer.
    if result.call.as_deref().is_none_or(|call| call.name != "AskUserQuestion") {
        return Vec::new();
    }
    let Some(pairs) = ANSWERED.iter().find_map(|begin| text.strip_prefix(begin)) else {
        return Vec::new();
    };
    let asked = asked(result);
    let answered =
        pairs_of(pairs).into_iter().filter(|(question, answer)| is_choice(question, answer));
    answered
        .map(|(question, answer)| {
            let own = asked.iter().find(|one| one.question == question);
            let labels = own.into_iter().flat_map(|one| &one.options).map(|one| one.label.clone());
            let others = labels.filter(|label| !answer.contains(label.as_str())).collect();
            // The mark of the agent's own advice is not the person's word.
            let answer = answer.trim_end_matches(" (Recommended)").to_owned();
            Act::Answered { question: question.to_owned(), answer, others }
        })
        .collect()
}

fn call(result: &ToolResult) -> String {
    let Some(call) = result.call.as_deref() else { return String::new() };
    let names = ["command", "file_path", "path", "url", "query", "description"];
    let what = names.iter().find_map(|name| call.parameter(name)).unwrap_or_default();
    crate::text::clip(&crate::text::clean(&format!("{} {what}", call.name)), CALL)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    question: String,
    options: Vec<Choice>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Choice {
    label: String,
}

fn asked(result: &ToolResult) -> Vec<Asked> {
    let questions = result.call.as_deref().and_then(|call| call.parameter("questions"));
    questions.and_then(|list| serde_json::from_str(list).ok()).unwrap_or_default()
}

/// Questions and answers: `"question"="answer", "question"="answer".`
fn pairs_of(text: &str) -> Vec<(&str, &str)> {
    const ENDS: &[&str] = &["\", \"", "\". You can now", "\" user notes", "\" selected"];
    let mut pairs = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\"=\"") {
        let question = before.rfind(", \"").filter(|_| !pairs.is_empty());
        let question = question.map_or(before, |at| &before[at + 2..]);
        let question = question.trim_start().trim_start_matches('"');
        let end = ENDS.iter().filter_map(|end| after.find(end)).min();
        let end = end.unwrap_or_else(|| after.trim_end().trim_end_matches(['.', '"']).len());
        pairs.push((question.trim(), after[..end].trim()));
        rest = &after[end..];
    }
    pairs
}

/// Whether a question asks for a choice that lasts, not for what to do next.
fn is_choice(question: &str, answer: &str) -> bool {
    const PASSING: &[&str] = &[
        "next",
        "now",
        "continue",
        "proceed",
        "start with",
        "first",
        "shall i",
        "should i go",
        "go ahead",
        "push",
        "commit",
        "ready",
        "retry",
        "try again",
        "weiter",
        "jetzt",
        "zuerst",
        "soll ich",
        "continuer",
        "maintenant",
        "d'abord",
        "dois-je",
    ];
    const EMPTY: &[&str] = &[
        "yes",
        "no",
        "ok",
        "okay",
        "sure",
        "continue",
        "skip",
        "later",
        "neither",
        "none",
        "both",
        "other",
        "cancel",
        "not sure",
        "you decide",
        "up to you",
        "whatever",
        "ja",
        "nein",
        "oui",
        "non",
    ];
    let (asked, said) = (question.to_lowercase(), answer.to_lowercase());
    let said = said.trim_end_matches(['.', '!']);
    let first = said.split([',', ' ']).next().unwrap_or_default();
    !answer.is_empty()
        && !answer.ends_with('?')
        && !EMPTY.contains(&said)
        && !["continue", "skip", "later"].contains(&first)
        && !PASSING.iter().any(|word| super::has_word(&asked, word) || said.starts_with(word))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::learn::transcript::ToolCall;

    fn result(text: &str, is_error: bool, call: Option<ToolCall>) -> ToolResult {
        ToolResult {
            id: "t".to_owned(),
            call: call.map(Arc::new),
            is_error,
            exit_code: None,
            refused: false,
            user_modified: false,
            interrupted: false,
            text: text.to_owned(),
            patch: Vec::new(),
        }
    }

    #[test]
    fn refusals_with_words() {
        const BEGIN: &str =
            "The user doesn't want to proceed with this tool use. The tool use was rejected.";
        for (end, expected) in [
            (
                " To tell you how to proceed, the user said:\nleave the toolchain alone",
                Some("leave the toolchain alone"),
            ),
            (
                " To tell you how to proceed, the user said: one line\n\nNote: more",
                Some("one line"),
            ),
            (" To tell you how to proceed, the user said:\n", None),
            (" STOP what you are doing and wait for the user.", None),
        ] {
            let text = format!("{BEGIN}{end}");
            let found = result(&text, true, None);
            let words = of(&found).into_iter().map(|act| match act {
                Act::Refused { words, .. } => words.to_owned(),
                Act::Answered { .. } => unreachable!(),
            });
            assert_eq!(words.collect::<Vec<_>>(), Vec::from_iter(expected), "{text}");
            assert_eq!(of(&result(&text, false, None)), [], "only an error is a refusal");
        }
    }

    #[test]
    fn answers_with_what_was_not_chosen() {
        let input =
            r#"[{"question":"Which norm?","options":[{"label":"sup norm"},{"label":"L2"}]}]"#;
        let call = ToolCall {
            id: "t".to_owned(),
            name: "AskUserQuestion".to_owned(),
            input: vec![("questions".to_owned(), input.to_owned())],
            line: 1,
        };
        let text = "User has answered your questions: \"Which norm?\"=\"sup norm\", \"What next?\"=\"stop\". You can now continue with the user's answers in mind.";
        let expected = Act::Answered {
            question: "Which norm?".to_owned(),
            answer: "sup norm".to_owned(),
            others: vec!["L2".to_owned()],
        };
        let printed = ToolCall { name: "Bash".to_owned(), ..call.clone() };
        assert_eq!(of(&result(text, false, Some(call))), [expected]);
        assert_eq!(of(&result(text, false, Some(printed))), [], "what a command prints");
    }

    #[test]
    fn rows_of_answers() {
        for (text, expected) in [
            ("\"A?\"=\"b\".", vec![("A?", "b")]),
            (" \"A?\"=\"b\", \"C?\"=\"d, e\". You can now go", vec![("A?", "b"), ("C?", "d, e")]),
            ("\"A?\"=\"b\" user notes: c, \"D?\"=\"e\"", vec![("A?", "b"), ("D?", "e")]),
            ("nothing", vec![]),
            ("\"=\"", vec![("", "")]),
        ] {
            assert_eq!(pairs_of(text), expected, "{text}");
        }
    }
}
