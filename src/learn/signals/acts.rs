//! What the person did, as results of tools tell it: calls refused with a reason, questions answered, edits of the
//! agent's taken back. No words are surer.

use serde_json::Value;

use super::prose::Prose;
use super::weigh::{self, Place};
use super::{Proposal, cleaned, weighed};
use crate::learn::events::{Act, Outcome, Writes, same_target};
use crate::learn::transcript::ToolResult;
use crate::model::{Hunk, Kind};
use crate::text::{clean, clip, has_name};

/// How the client begins what was answered, in two versions of it.
const ANSWERED: &[&str] =
    &["User has answered your questions:", "Your questions have been answered:"];

const CALL: usize = 120;

pub(super) const REFUSED: &str = "refused";

pub(super) fn of(result: &ToolResult) -> Vec<Proposal> {
    if let Some(words) = refusal(result) {
        let place = Place { after_rejection: true, ..Place::default() };
        let prose = Prose::of(words);
        let asks = prose.sentences.iter().any(|one| weigh::asks(&prose.searched(one)));
        let mut found = weighed(&prose, REFUSED, |at, words| {
            let is_whole = || words == prose.searched(&prose.sentences[at]);
            let reason = || (!asks && is_whole()).then(|| weigh::reason(words)).flatten();
            weigh::weigh(words, place).or_else(reason)
        });
        for one in &mut found {
            one.before.get_or_insert_with(|| format!("refused: {}", call(result)));
        }
        return found;
    }
    // What another tool prints is not the person's answer.
    let asked = result.call.as_deref().filter(|call| call.name == "AskUserQuestion");
    let pairs = ANSWERED.iter().find_map(|begin| result.text.strip_prefix(begin));
    let (Some(asked), Some(pairs)) = (asked, pairs) else { return Vec::new() };
    let asked = asked.parameter("questions").and_then(|list| serde_json::from_str(list).ok());
    let asked: Vec<Value> = asked.unwrap_or_default();
    let chosen =
        pairs_of(pairs).into_iter().filter(|(question, answer)| is_choice(question, answer));
    chosen
        .map(|(question, answer)| {
            let own = asked.iter().find(|one| one["question"] == question);
            let options = own.and_then(|one| one["options"].as_array()).into_iter().flatten();
            let labels = options.filter_map(|option| option["label"].as_str());
            let others: Vec<&str> = labels.filter(|label| !answer.contains(label)).collect();
            // The mark of the agent's own advice is not the person's word.
            let answer = answer.trim_end_matches(" (Recommended)");
            let content = cleaned(&format!("{answer} (asked: {question})"));
            Proposal {
                sentence: answer.to_owned(),
                before: Some(question.to_owned()),
                after: (!others.is_empty()).then(|| format!("not chosen: {}", others.join("; "))),
                ..Proposal::new(Kind::Decision, content, "answered")
            }
        })
        .collect()
}

fn refusal(result: &ToolResult) -> Option<&str> {
    let is_refused = result.is_error && result.text.starts_with("The user doesn't want to");
    let (_, words) = result.text.split_once("the user said:").filter(|_| is_refused)?;
    // The client may write a note after it.
    let words = words.split("\n\nNote: ").next()?.trim();
    (!words.is_empty()).then_some(words)
}

fn call(result: &ToolResult) -> String {
    let Some(call) = result.call.as_deref() else { return String::new() };
    let names = ["command", "file_path", "path", "url", "query", "description"];
    let what = names.iter().find_map(|name| call.parameter(name)).unwrap_or_default();
    clip(&clean(&format!("{} {what}", call.name)), CALL)
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
    const PASSING: &str = "next|now|continue|proceed|start with|shall i|should i go|go ahead|push|commit|\
        ready|retry|try again|weiter|jetzt|soll ich|continuer|maintenant|dois-je|right away|already";
    const IN_TURN: &str = "first|zuerst|d'abord|later|skip|später|plus tard";
    const EMPTY: &str = "ok|okay|sure|continue|neither|none|both|other|cancel|not sure|\
        you decide|up to you|whatever";
    let (asked, said) = (question.to_lowercase(), answer.to_lowercase());
    let said = said.trim_end_matches(['.', '!']);
    let asked = asked.trim_end_matches(['?', ' ']);
    let holds = |words: &str, text: &str| {
        words.split('|').any(|word| has_name(text, word, char::is_alphanumeric))
    };
    let begins = |words: &str| words.split('|').any(|word| said.starts_with(word));
    let ends_in_turn = || IN_TURN.split('|').any(|word| asked.ends_with(word));
    let asks_what_is_next = weigh::asks_which(asked) && ends_in_turn();
    !answer.is_empty()
        && !answer.ends_with('?')
        && !weigh::is_in(EMPTY, said)
        && !holds(PASSING, asked)
        && !asks_what_is_next
        && !begins(PASSING)
        && !begins(IN_TURN)
        && (!weigh::is_in("yes|no|ja|nein|oui|non", said) || weigh::is_of_a_kind(asked))
}

const MOST: usize = 40;

/// Lines of an edit that can be taken back as one choice; a longer one is work that was undone.
const LINES: usize = 6;

const SHOWN: usize = 160;

#[derive(Debug)]
struct Edit {
    path: String,
    before: Vec<String>,
    after: Vec<String>,
}

/// The agent's edits that nothing has changed since: the client tells the agent that a file which it had edited
/// was changed, and where the lines from before the edit are there again, the edit was taken back.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<Edit>);

impl Edits {
    /// Takes down what a call did; an edit that the person changed before it was made is a choice already.
    pub(super) fn acted(&mut self, act: &Act, result: &ToolResult) -> Option<Proposal> {
        if !act.is_edit() {
            // What a command writes, it may have put back.
            match &act.writes {
                Writes::Nothing => {}
                Writes::Anything => self.0.clear(),
                Writes::Files(files) => {
                    self.0.retain(|edit| !files.iter().any(|file| same_target(file, &edit.path)));
                }
            }
            return None;
        }
        let path = act.call.targets.first().filter(|_| act.outcome == Outcome::Worked)?;
        if result.user_modified {
            let call = result.call.as_deref()?;
            let asked = call.parameter("new_string").or_else(|| call.parameter("content"))?;
            let written: Vec<String> =
                result.patch.iter().flat_map(|hunk| lines(hunk, '+')).collect();
            return proposal(
                path,
                &without(&written, asked),
                &without(&trimmed(asked.lines()), &written.join("\n")),
            );
        }
        for hunk in &result.patch {
            let (before, after) = (lines(hunk, '-'), lines(hunk, '+'));
            if !before.is_empty() && before.len() + after.len() <= LINES {
                self.0.push(Edit { path: path.clone(), before, after });
            }
        }
        self.0.drain(..self.0.len().saturating_sub(MOST));
        None
    }

    pub(super) fn changed(&mut self, path: &str, snippet: &str) -> Option<Proposal> {
        // The client shows a line after its number and a tab or an arrow.
        let code = |line: &str| {
            let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
            rest.trim_start_matches(['\t', '→']).trim().to_owned()
        };
        let now: Vec<String> = snippet.lines().map(code).collect();
        let stands = |lines: &[String]| lines.iter().all(|line| now.contains(line));
        let mut found = None;
        self.0.retain(|edit| {
            let is_here = edit.path == path;
            let is_gone =
                edit.after.iter().all(|line| edit.before.contains(line) || !now.contains(line));
            if is_here && is_gone && stands(&edit.before) && found.is_none() {
                found = proposal(path, &edit.before, &edit.after);
            }
            !is_here
        });
        found
    }
}

fn lines(hunk: &Hunk, mark: char) -> Vec<String> {
    trimmed(hunk.lines.iter().filter_map(|line| line.strip_prefix(mark)))
}

fn trimmed<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<String> {
    lines.map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn without(lines: &[String], text: &str) -> Vec<String> {
    let known = trimmed(text.lines());
    lines.iter().filter(|line| !known.contains(line)).cloned().collect()
}

fn proposal(path: &str, kept: &[String], refused: &[String]) -> Option<Proposal> {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let code = |lines: &[String]| format!("`{}`", clip(&lines.join(" "), SHOWN));
    let content = match (kept, refused) {
        ([], _) => return None,
        (kept, []) => format!("In {file} {} stays", code(kept)),
        (kept, refused) => format!("In {file} {} stays, not {}", code(kept), code(refused)),
    };
    Some(Proposal {
        sentence: kept.join("\n"),
        before: Some(format!("the agent's edit of {path}")),
        after: (!refused.is_empty()).then(|| format!("taken back: {}", refused.join("\n"))),
        ..Proposal::new(Kind::Decision, cleaned(&content), "taken-back")
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::learn::transcript::ToolCall;

    fn result(text: &str, is_error: bool, call: Option<ToolCall>) -> ToolResult {
        ToolResult {
            call: call.map(Arc::new),
            is_error,
            text: text.to_owned(),
            ..ToolResult::default()
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
            assert_eq!(refusal(&found), expected, "{text}");
            assert_eq!(refusal(&result(&text, false, None)), None, "only an error is a refusal");
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
        let printed = ToolCall { name: "Bash".to_owned(), ..call.clone() };
        let found = of(&result(text, false, Some(call)));
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(one.content, "sup norm (asked: Which norm?)");
        assert_eq!(one.before.as_deref(), Some("Which norm?"));
        assert_eq!(one.after.as_deref(), Some("not chosen: L2"));
        assert_eq!(of(&result(text, false, Some(printed))), [], "what a command prints");
    }

    #[test]
    fn what_lasts_of_questions_and_answers() {
        for (question, answer, expected) in [
            ("Which norm?", "sup norm", true),
            ("Which norm do we prove first?", "sup norm", false),
            ("Should lemmas be stated over ℕ or ℤ first?", "over ℤ", true),
            ("Should equations be numbered by section?", "No", true),
            ("Should I update the dependencies?", "No", false),
            ("Should the first chapter come with exercises, or all?", "all chapters", true),
            ("May I add axioms for the open conjectures?", "No", true),
            ("Faut-il numéroter les équations par section ?", "Non", true),
            ("Sollen alle Lemmata englische Namen haben?", "Ja", true),
            ("Shall I run it now?", "Yes", false),
            ("Run the script over the whole history now?", "No", false),
            ("Should I also fix the docstrings?", "later, first get it to build", false),
            ("Is this the file you meant?", "Yes", false),
            ("Delete it?", "No", false),
            ("Which norm?", "you decide", false),
        ] {
            assert_eq!(is_choice(question, answer), expected, "{question} {answer}");
        }
    }

    #[test]
    fn reasons_of_refusals() {
        let kept = |words: &str| {
            let text = format!(
                "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n{words}"
            );
            let found = of(&result(&text, true, None));
            found.into_iter().map(|one| one.content).collect::<Vec<_>>()
        };
        for words in [
            "the whole suite runs for three hours",
            "Notation.lean bitte nicht umbenennen, die gehört Petra",
            "i tag releases. you never do",
            "at most 2 GB, the server is shared",
            "that would overwrite the reference output, write to out/",
            "Petra is editing that chapter",
            "on ne touche pas aux données brutes",
        ] {
            assert_eq!(kept(words), [words], "all of it, as one");
        }
        for words in [
            "why?",
            "wait",
            "ok later",
            "why? it worked before",
            "hold on, there is a typo in it",
            "warte, das schaue ich mir selbst an",
            "i'll do that one by hand",
            "run the small example first",
            "not necessary, i believe you",
            "fine, go ahead with the second plan",
            "not now please, i am busy",
            "show me the output of it",
        ] {
            assert_eq!(kept(words), Vec::<String>::new(), "{words}");
        }
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
