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

/// Bytes of a question in plain text and its answer.
const ASKED: usize = 300;

pub(super) const REFUSED: &str = "refused";

pub(super) fn of(result: &ToolResult) -> Vec<Proposal> {
    if let Some(words) = refusal(result) {
        return reasons(words, REFUSED, &format!("refused: {}", call(result)));
    }
    let tool = result.call.as_deref().map_or("", |call| call.name.as_str());
    match tool {
        _ if result.is_error => Vec::new(),
        // What another tool prints is not the person's answer.
        "AskUserQuestion" => answers(result),
        "ExitPlanMode" => changed_plan(result)
            .map_or_else(Vec::new, |words| reasons(&words, "taken-back", "the agent's plan")),
        _ => Vec::new(),
    }
}

/// What the person says of what the agent wanted to do.
fn reasons(words: &str, rule: &'static str, before: &str) -> Vec<Proposal> {
    let place = Place { after_rejection: true, ..Place::default() };
    let prose = Prose::of(words);
    let asks = prose.sentences.iter().any(|one| weigh::asks(&prose.searched(one)));
    let mut found = weighed(&prose, rule, |at, words| {
        let is_whole = || words == prose.searched(&prose.sentences[at]);
        let reason = || (!asks && is_whole()).then(|| weigh::reason(words)).flatten();
        weigh::weigh(words, place).or_else(reason)
    });
    for one in &mut found {
        one.before.get_or_insert_with(|| before.to_owned());
    }
    found
}

/// The lines that the person put into a plan before it was carried out, and notes on it.
fn changed_plan(result: &ToolResult) -> Option<String> {
    let plan = result.call.as_deref()?.parameter("plan").unwrap_or_default();
    let edited = result.text.split_once("(edited by user):").map(|(_, plan)| plan);
    let lines = trimmed(edited.unwrap_or_default().lines());
    let added = without(&lines, plan).join("\n");
    let notes = result.text.split_once(NOTES).map_or("", |(_, notes)| notes);
    Some(format!("{}\n\n{added}", notes.split("\n\n").next()?))
}

fn answers(result: &ToolResult) -> Vec<Proposal> {
    let pairs = ANSWERED.iter().find_map(|begin| result.text.strip_prefix(begin));
    let (Some(asked), Some(pairs)) = (result.call.as_deref(), pairs) else { return Vec::new() };
    let asked = asked.parameter("questions").and_then(|list| serde_json::from_str(list).ok());
    let asked: Vec<Value> = asked.unwrap_or_default();
    let chosen = pairs_of(pairs).into_iter().filter_map(|(question, answer, notes)| {
        let own = asked.iter().find(|one| one["question"] == question);
        let options = own.and_then(|one| one["options"].as_array()).into_iter().flatten();
        let labels = options.filter_map(|option| option["label"].as_str());
        let others: Vec<&str> = labels.filter(|label| !answer.contains(label)).collect();
        // The mark of the agent's own advice is not the person's word.
        let answer = answer.trim_end_matches(" (Recommended)");
        let noted = || reasons(notes, "answered", question).into_iter().map(|one| one.content);
        let said = match is_choice(question, answer, false) {
            true if notes.is_empty() => answer.to_owned(),
            true => format!("{answer}; {notes}"),
            false => noted().collect::<Vec<_>>().join(" "),
        };
        let after = (!others.is_empty()).then(|| format!("not chosen: {}", others.join("; ")));
        (!said.is_empty()).then(|| Proposal { after, ..answered("answered", question, &said) })
    });
    chosen.collect()
}

fn answered(rule: &str, question: &str, answer: &str) -> Proposal {
    Proposal {
        sentence: answer.to_owned(),
        before: Some(question.to_owned()),
        ..Proposal::new(Kind::Decision, cleaned(&format!("{answer} (asked: {question})")), rule)
    }
}

/// The answer to a question with which the agent's last words end.
pub(super) fn typed(asked: &str, answer: &str) -> Option<Proposal> {
    let (prose, said) = (Prose::of(asked), Prose::of(answer));
    let (last, before) = prose.sentences.split_last()?;
    let mut question = prose.original(last).to_owned();
    let is_one = said.sentences.len() == 1 && prose.searched(last).ends_with('?');
    if !is_one || question.len() + answer.len() > ASKED {
        return None;
    }
    // `Which of the two?`: what there is to choose from stands before it.
    let before = before.last().filter(|one| prose.are_beside(one, last));
    let is_short = question.split_whitespace().count() <= 6;
    if let Some(before) = before.filter(|_| is_short) {
        question = format!("{} {question}", prose.original(before));
    }
    let is_meant = question.len() <= ASKED && is_choice(&question, answer.trim(), true);
    is_meant.then(|| answered("said", &cleaned(&question), answer.trim()))
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

const NOTES: &str = " user notes:";

/// Questions, answers and what is written beside them: `"question"="answer" user notes: words, "question"="answer".`
fn pairs_of(text: &str) -> Vec<(&str, &str, &str)> {
    const ENDS: &[&str] = &["\", \"", "\". You can now", "\" user notes", "\" selected"];
    let mut pairs: Vec<(&str, &str, &str)> = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\"=\"") {
        let question = before.rfind(", \"").filter(|_| !pairs.is_empty());
        let (beside, question) = question.map_or(("", before), |at| before.split_at(at));
        if let Some(last) = pairs.last_mut() {
            last.2 = notes_in(beside);
        }
        let question = question.trim_start_matches([',', ' ']).trim_start_matches('"');
        let end = ENDS.iter().filter_map(|end| after.find(end)).min();
        let end = end.unwrap_or_else(|| after.trim_end().trim_end_matches(['.', '"']).len());
        pairs.push((question.trim(), after[..end].trim(), ""));
        rest = &after[end..];
    }
    if let Some(last) = pairs.last_mut() {
        last.2 = notes_in(rest.split(". You can now").next().unwrap_or_default());
    }
    pairs
}

fn notes_in(text: &str) -> &str {
    text.split_once(NOTES).map_or("", |(_, notes)| notes.trim())
}

/// Whether a question asks for a choice that lasts, not for what to do next, and the answer makes it. What is typed
/// behind a question may be about something else.
fn is_choice(question: &str, answer: &str, is_typed: bool) -> bool {
    const NO: &str = "no|nope|nein|nee|non|don't|lieber nicht|rather not|plutôt pas";
    const IN_TURN: &str = "first|zuerst|d'abord|later|skip|später|plus tard";
    let (asked, said) = (question.to_lowercase(), answer.to_lowercase());
    let said = said.trim_end_matches(['.', '!']);
    let asked = asked.trim_end_matches(['?', ' ']);
    let holds = |words: &str, text: &str| {
        words.split('|').any(|word| has_name(text, word, char::is_alphanumeric))
    };
    let begins = |words: &str| words.split('|').any(|word| said.starts_with(word));
    let last = asked.rsplit(['.', ':']).next().unwrap_or(asked).trim_start();
    let (is_now, asks_which) = (weigh::is_now(asked), weigh::asks_which(last));
    let ends_in_turn = IN_TURN.split('|').any(|word| asked.ends_with(word));
    let alternatives = [" or ", " oder ", " ou "].iter().any(|word| asked.contains(word));
    let is_passing = holds(weigh::list("asked in passing"), asked)
        || asks_which && ends_in_turn
        || is_now && (!(asks_which || alternatives) || holds(weigh::list("work in hand"), asked));
    if answer.is_empty()
        || answer.ends_with('?')
        || weigh::is_in(weigh::list("empty answers"), said)
        || weigh::has(said, "for today")
        || is_passing
        || begins(weigh::list("asked in passing"))
        || begins(IN_TURN)
    {
        return false;
    }
    let is_offer = holds(weigh::list("offers"), asked);
    if weigh::is_in("yes|no|ja|nein|oui|non", said) {
        return if is_offer {
            weigh::has(asked, "lasting|always|our way|language")
        } else {
            weigh::is_of_a_kind(asked)
        };
    }
    if !is_offer && !is_typed {
        return true;
    }
    // `make it configurable, the default stays`
    let first = said.split([',', ';']).next().unwrap_or_default();
    let words = || first.split(|c: char| !c.is_alphanumeric() && !"_./".contains(c));
    let is_short = words().count() <= 6 && (weigh::is_name(said) || asked.contains(first));
    let names_one =
        alternatives && is_short && words().any(|word| word.len() > 1 && holds(word, asked));
    let refuses = begins(NO) && weigh::reason(said).is_some() && !weigh::leans_back(said);
    let is_at_once = is_offer && holds(weigh::list("done at once"), asked);
    !is_at_once && (names_one || asks_which && is_short) || is_offer && refuses
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
    /// The lines before and behind what was only added.
    beside: Vec<String>,
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
            let beside = if before.is_empty() { beside_command(hunk) } else { Vec::new() };
            let is_seen = !before.is_empty() || !beside.is_empty();
            if is_seen && before.len() + after.len() <= LINES {
                self.0.push(Edit { path: path.clone(), before, after, beside });
            }
        }
        self.0.drain(..self.0.len().saturating_sub(MOST));
        None
    }

    pub(super) fn changed(&mut self, path: &str, snippet: &str) -> Vec<Proposal> {
        // The client shows a line after its number and a tab or an arrow.
        let code = |line: &str| {
            let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
            rest.trim_start_matches(['\t', '→']).trim().to_owned()
        };
        let now: Vec<String> = snippet.lines().map(code).collect();
        // An edit may be of a part of a line.
        let holds = |other: &String, line: &str| {
            other == line || line.contains(' ') && other.contains(line)
        };
        let stands = |line: &String| now.iter().any(|other| holds(other, line));
        let mut found = Vec::new();
        self.0.retain(|edit| {
            let is_here = edit.path == path;
            let is_gone = edit.after.iter().all(|line| edit.before.contains(line) || !stands(line));
            let kept = if edit.before.is_empty() { &edit.beside } else { &edit.before };
            if is_here && is_gone && !kept.is_empty() && kept.iter().all(stands) {
                found.extend(proposal(path, &edit.before, &edit.after));
            }
            !is_here
        });
        found
    }
}

/// What stands around one line that was added and is no part of a proof: an attribute, an option.
fn beside_command(hunk: &Hunk) -> Vec<String> {
    let is_added = |line: &String| line.starts_with('+') && line.trim() != "+";
    let mut added = (0..hunk.lines.len()).filter(|at| is_added(&hunk.lines[*at]));
    let (Some(at), None) = (added.next(), added.next()) else { return Vec::new() };
    if hunk.lines[at][1..].starts_with([' ', '\t', '-']) {
        return Vec::new();
    }
    let (before, behind) = (&hunk.lines[..at], &hunk.lines[at + 1..]);
    let full = |line: &&String| line.trim().len() > 1;
    let beside = [before.iter().rfind(full), behind.iter().find(full)];
    trimmed(beside.into_iter().flatten().map(|line| line.get(1..).unwrap_or_default()))
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
        // What is missing was put off, and not chosen.
        (kept, _) if kept.iter().any(|line| has_name(line, "sorry", char::is_alphanumeric)) => {
            return None;
        }
        ([], []) => return None,
        ([], refused) => format!("In {file} not {}", code(refused)),
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
    fn edits_that_are_taken_back() {
        let path = "/p/A.lean";
        for (hunk, now, expected) in [
            (
                &["-  a < b := by", "+  a ≤ b := by"][..],
                "  3\ttheorem t : a < b := by",
                "In A.lean `a < b := by` stays, not `a ≤ b := by`",
            ),
            (
                &["-theorem t (n : ℕ)", "+@[simp] theorem t (n : ℕ)"],
                "3→theorem t (n : ℕ) : p n := by",
                "In A.lean `theorem t (n : ℕ)` stays, not `@[simp] theorem t (n : ℕ)`",
            ),
            (
                &[" end s", "+@[ext]", " structure S where"],
                "1\tend s\n2\tstructure S where",
                "In A.lean not `@[ext]`",
            ),
            // It is not seen, it stands, or something else was written.
            (&[" end s", "+@[ext]", " structure S where"], "1\tend s", ""),
            (&[" x", "+@[ext]", " structure S where"], "1\tx\n2\t@[ext]\n3\tstructure S where", ""),
            (&["-  a < b := by", "+  a ≤ b := by"], "3\ttheorem t : a = b := by", ""),
            (&["-  simp", "+  omega"], "3\t  simp only [h]", ""),
            // A step of a proof, and what is missing.
            (&[" x", "+  have h := f a", " y"], "1\tx\n2\ty", ""),
            (&["-  sorry", "+  simp"], "3\t  sorry", ""),
        ] {
            let (before, after): (Vec<_>, Vec<_>) = (
                hunk.iter().filter_map(|line| line.strip_prefix('-')).collect(),
                hunk.iter().filter_map(|line| line.strip_prefix('+')).collect(),
            );
            let hunk = Hunk {
                lines: hunk.iter().map(|line| (*line).to_owned()).collect(),
                ..Hunk::default()
            };
            let beside = if before.is_empty() { beside_command(&hunk) } else { Vec::new() };
            let (before, after) = (trimmed(before.into_iter()), trimmed(after.into_iter()));
            let mut edits = Edits(vec![Edit { path: path.to_owned(), before, after, beside }]);
            let found = edits.changed(path, now);
            let content = found.first().map_or("", |one| one.content.as_str());
            assert_eq!(content, expected, "{now}");
            assert!(edits.0.is_empty(), "the file is another now");
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
    fn notes_beside_an_answer() {
        let call = ToolCall {
            id: "t".to_owned(),
            name: "AskUserQuestion".to_owned(),
            input: Vec::new(),
            line: 1,
        };
        for (pair, expected) in [
            (
                "\"Which norm?\"=\"sup norm\" user notes: the L2 norm is not finite here",
                "sup norm; the L2 norm is not finite here (asked: Which norm?)",
            ),
            (
                "\"Shall I commit?\"=\"Yes\" user notes: never commit the tables",
                "never commit the tables (asked: Shall I commit?)",
            ),
            ("\"Shall I commit?\"=\"Yes\" user notes: thanks, go ahead", ""),
        ] {
            let text = format!("User has answered your questions: {pair}. You can now continue");
            let found = of(&result(&text, false, Some(call.clone())));
            let content = found.first().map_or("", |one| one.content.as_str());
            assert_eq!(content, expected, "{pair}");
        }
    }

    #[test]
    fn what_lasts_of_questions_and_answers() {
        for (question, answer, expected) in [
            ("Which norm?", "sup norm", true),
            ("Which norm do we prove first?", "sup norm", false),
            ("Which norm do we take now?", "sup norm", true),
            ("Which lemma do we take now?", "the second", false),
            ("Shall I take ℕ or ℤ?", "ℤ", true),
            ("Shall I generalise it to rings?", "No, the paper has fields only", true),
            ("Shall I generalise it to rings?", "Generalise it", false),
            ("Soll ich alle Dateien löschen?", "Ja", false),
            ("Soll ich ab jetzt alle Dateien so benennen?", "Ja", true),
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
            assert_eq!(is_choice(question, answer, false), expected, "{question} {answer}");
        }
    }

    #[test]
    fn questions_in_plain_text_and_what_is_typed_behind_them() {
        for (asked, answer, expected) in [
            (
                "It holds in both. Shall I state it for groups or for monoids?",
                "monoids",
                "monoids (asked: Shall I state it for groups or for monoids?)",
            ),
            (
                "Soll ich die Konstante verbessern?",
                "nein, das Papier braucht nur O(n)",
                "nein, das Papier braucht nur O(n) (asked: Soll ich die Konstante verbessern?)",
            ),
            (
                "Paths are lists here and walks are in Mathlib. Which now?",
                "walks",
                "walks (asked: Paths are lists here and walks are in Mathlib. Which now?)",
            ),
            (
                "Quelle norme faut-il prendre ?",
                "la norme sup",
                "la norme sup (asked: Quelle norme faut-il prendre ?)",
            ),
            (
                "Shall I always number the cases?",
                "yes",
                "yes (asked: Shall I always number the cases?)",
            ),
            (
                "Shall I raise the limit or make it configurable?",
                "make it configurable, the default stays",
                "make it configurable, the default stays (asked: Shall I raise the limit or make it configurable?)",
            ),
            // What to do now, what leaves it open, and what is about something else.
            ("Shall I run the linter or the tests?", "the tests", ""),
            ("Shall I split the proof?", "yes", ""),
            ("Soll ich weitermachen?", "nein, das reicht für heute", ""),
            ("Which lemma now?", "the second", ""),
            ("Which norm should I use?", "run the tests first", ""),
            ("Which norm should I use?", "whatever", ""),
            ("Which norm should I use?", "why?", ""),
            ("Shall I use the sup norm?", "no, wait", ""),
            ("Dois-je relancer la preuve ?", "non, attends", ""),
            ("It compiles now.", "monoids", ""),
        ] {
            let found = typed(asked, answer);
            assert_eq!(
                found.map(|one| one.content).unwrap_or_default(),
                expected,
                "{asked} {answer}"
            );
        }
    }

    #[test]
    fn what_the_person_put_into_a_plan() {
        let call = ToolCall {
            id: "t".to_owned(),
            name: "ExitPlanMode".to_owned(),
            input: vec![("plan".to_owned(), "# Plan\n1. split the file".to_owned())],
            line: 1,
        };
        let text = "User has approved your plan. You can now start coding.\n\n## Approved Plan (edited by user):\n\
            # Plan\n1. split the file\n2. never change the statements of section 2";
        let printed = ToolCall { name: "Bash".to_owned(), ..call.clone() };
        let contents = |text: &str, call: &ToolCall| -> Vec<String> {
            let found = of(&result(text, false, Some(call.clone())));
            found.into_iter().map(|one| one.content).collect()
        };
        assert_eq!(contents(text, &call), ["never change the statements of section 2"]);
        assert_eq!(contents(&text.replace(" (edited by user)", ""), &call), [""; 0]);
        assert_eq!(contents(text, &printed), [""; 0], "what a command prints");
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
            "we have no licence for that program here",
            "the tables are generated by Ada's script now",
            "die Tabellen erzeugt jetzt das Skript von Ada",
            "ici le réseau est coupé la nuit",
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
            "the cluster is down right now",
            "jetzt nicht, ich brauche den Rechner",
            "run the small one here now",
            "show me the output of it",
        ] {
            assert_eq!(kept(words), Vec::<String>::new(), "{words}");
        }
    }

    #[test]
    fn rows_of_answers() {
        for (text, expected) in [
            ("\"A?\"=\"b\".", vec![("A?", "b", "")]),
            (
                " \"A?\"=\"b\", \"C?\"=\"d, e\". You can now go",
                vec![("A?", "b", ""), ("C?", "d, e", "")],
            ),
            (
                "\"A?\"=\"b\" user notes: c, d, \"D?\"=\"e\" selected preview:\nf user notes: g. You can now",
                vec![("A?", "b", "c, d"), ("D?", "e", "g")],
            ),
            ("nothing", vec![]),
            ("\"=\"", vec![("", "", "")]),
        ] {
            assert_eq!(pairs_of(text), expected, "{text}");
        }
    }
}
