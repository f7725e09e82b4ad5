//! What stands under headings such as `Decisions` and `Dead ends`, and on lines that begin with such a word:
//! in the summary of a compaction, and in a person's notes.

use super::prose::{Prose, is_item};
use super::weigh;
use crate::learn::transcript::Fence;
use crate::model::{Kind, slot_of};
use crate::text::is_among;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Holds(Kind),
    /// Its items go on with what the heading says; alone they would say the opposite.
    Forbids,
    Other,
    /// What the person said, each time as a quotation.
    Messages,
    /// What the session was asked for.
    Request,
    /// What is done, was asked or comes next.
    Passing,
}

use Section::{Forbids, Holds, Messages, Other, Passing, Request};

/// The lists of the words of headings, in lower case; the first that the heading holds counts.
const HEADINGS: [(Section, &str); 9] = [
    (Holds(Kind::Failure), "headings of dead ends"),
    (Holds(Kind::Lesson), "headings of lessons"),
    (Forbids, "headings of what is forbidden"),
    (Holds(Kind::Preference), "headings of rules"),
    (Holds(Kind::Decision), "headings of decisions"),
    (Holds(Kind::Insight), "headings of insights"),
    (Messages, "headings of messages"),
    (Request, "headings of requests"),
    (Passing, "headings of what passes"),
];

const JOINS: &str = "is was has been now marked ist war wurde est a été";

/// Whether an item gives up what came of a slot.
pub(super) fn is_verdict(item: &str) -> bool {
    let item = item.to_lowercase();
    let Some((before, after)) = item.split_once("slot") else { return false };
    let after = after.trim_start_matches([' ', '#', '_']);
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    if before.split_whitespace().count() >= LONGEST_HEADING || rest.len() == after.len() {
        return false;
    }
    let is_word = |said: &str| {
        let rests =
            weigh::list("verdicts on slots").split('|').filter_map(|word| said.strip_prefix(word));
        rests.into_iter().any(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    // The letter of a version, and what is told in brackets.
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let bracket = rest.trim_start().strip_prefix('(').and_then(|inner| inner.split_once(')'));
    let rest = bracket.map_or(rest, |(_, outside)| outside);
    let words: Vec<&str> = rest.split(|c: char| c.is_whitespace() || c == ':').collect();
    let bare = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let words: Vec<String> = words.iter().map(bare).filter(|word| !word.is_empty()).collect();
    let said = words.iter().skip_while(|word| is_among(word, JOINS)).cloned();
    is_word(&said.collect::<Vec<_>>().join(" "))
}

/// The rows of tables as items, each on its line: `- slot 12 (kurepa): REJECTED, vacuous` for
/// `| 12 | kurepa | vacuous | REJECTED |` in a table whose columns are headed `slot`, `problem` and `verdict`. So are
/// verdicts under the heading of a slot.
pub fn tables_as_items(text: &str) -> String {
    let mut fence = Fence::default();
    let mut head: Option<Vec<String>> = None;
    let mut slot: Option<i64> = None;
    let lines: Vec<&str> = text.lines().collect();
    let cells = |line: &str| -> Option<Vec<String>> {
        let inner = line.trim().strip_prefix('|')?.trim_end().trim_end_matches('|');
        Some(inner.split('|').map(|cell| cell.trim().to_owned()).collect())
    };
    let is_rule = |line: &str| {
        cells(line)
            .is_some_and(|all| all.iter().all(|cell| cell.trim_matches(['-', ':']).is_empty()))
    };
    let mut line_of = |(at, line): (usize, &&str)| {
        let is_code = fence.holds(line.trim());
        let row = cells(line).filter(|_| !is_code);
        let Some(row) = row else {
            head = None;
            if !is_code && line.starts_with('#') {
                slot = slot_of(line.trim_start_matches(['#', ' ']));
            } else if let Some(slot) = slot.filter(|_| !is_code) {
                let verdict = format!("slot {slot}: {}", line.trim());
                return if is_verdict(&verdict) {
                    format!("- {verdict}")
                } else {
                    (*line).to_owned()
                };
            }
            return (*line).to_owned();
        };
        if head.is_none() && lines.get(at + 1).is_some_and(|next| is_rule(next)) {
            head = Some(row.iter().map(|cell| cell.to_lowercase()).collect());
            return String::new();
        }
        match &head {
            Some(_) if is_rule(line) => String::new(),
            Some(head) => row_as_item(head, row),
            None => (*line).to_owned(),
        }
    };
    lines.iter().enumerate().map(|line| line_of(line) + "\n").collect()
}

fn row_as_item(head: &[String], mut row: Vec<String>) -> String {
    let column = |named: &[&str]| {
        head.iter().position(|title| named.iter().any(|name| title.contains(name)))
    };
    let mut take = |at: Option<usize>| {
        at.and_then(|at| row.get_mut(at)).map(std::mem::take).unwrap_or_default()
    };
    let slot = take(column(&["slot"]));
    let is_number = !slot.is_empty() && slot.bytes().all(|b| b.is_ascii_digit());
    let (subject, verdict) = if slot.is_empty() {
        (take(Some(0)), String::new())
    } else {
        let problem = take(column(&["problem", "conjecture", "target"]));
        let of = if problem.is_empty() { problem } else { format!(" ({problem})") };
        let number = if is_number { "slot " } else { "" };
        let verdict = take(column(&["verdict", "status", "outcome", "decision", "urteil"]));
        (format!("{number}{slot}{of}"), verdict)
    };
    let rest = std::iter::once(verdict).chain(row).filter(|cell| !cell.is_empty());
    format!("- {subject}: {}", rest.collect::<Vec<_>>().join(", "))
}

/// Words that open a line of their own; a plural too.
const MARKS: &[(Kind, &str)] = &[
    (Kind::Decision, "decision|decided|entscheidung|entschieden|décision|décidé"),
    (Kind::Failure, "dead end|dead-end|deadend|sackgasse|impasse"),
    (Kind::Lesson, "gotcha|pitfall|learned|lesson learned|gelernt|piège|appris"),
    (Kind::Preference, "preference|convention|user preference"),
];

const LONGEST_HEADING: usize = 8;

/// Per sentence its section and whether it is an item of a list; `None` for a heading. A deeper heading that says
/// nothing of its own (`## sunflower` under `# Dead ends`) goes on with the section.
pub(super) fn of(prose: &Prose<'_>) -> Vec<Option<(Section, bool)>> {
    let (mut section, mut level) = (Other, usize::MAX);
    let under = prose.sentences.iter().map(|sentence| {
        let words = prose.original(sentence);
        let Some(named) = heading(words) else {
            section = named_on_line(words).unwrap_or(section);
            return Some((section, is_item(words)));
        };
        let line = words.trim();
        let own = line.len() - line.trim_start_matches('#').len();
        if named != Other || own <= level {
            (section, level) = (named, if own == 0 { usize::MAX } else { own });
        }
        None
    });
    under.collect()
}

/// Those of Markdown: line from 1, level, words.
pub fn headings(text: &str) -> Vec<(u64, usize, &str)> {
    let mut fence = Fence::default();
    let mut found = Vec::new();
    for (number, line) in (1_u64..).zip(text.lines()) {
        let words = line.trim_start_matches('#');
        let level = line.len() - words.len();
        if !fence.holds(line.trim()) && level > 0 && words.starts_with(' ') {
            found.push((number, level, words.trim()));
        }
    }
    found
}

/// A heading is marked as one, or is a few words that end with a colon or are bold.
fn heading(words: &str) -> Option<Section> {
    let line = words.trim();
    let is_marked = line.starts_with('#');
    let bare = line.trim_start_matches(['#', ' ']);
    let is_bold = bare.starts_with("**") && bare.trim_end_matches(':').ends_with("**");
    let is_lead = bare.ends_with(':') || bare.ends_with(":**");
    let is_short = bare.split_whitespace().count() <= LONGEST_HEADING && !bare.contains('\n');
    (is_marked || is_short && (is_bold || is_lead)).then(|| named(bare).unwrap_or(Other))
}

fn named(heading: &str) -> Option<Section> {
    let text = heading.to_lowercase();
    let known = HEADINGS
        .iter()
        .find(|(_, list)| weigh::list(list).split('|').any(|word| text.contains(word)));
    known.map(|(section, _)| *section)
}

/// The heading and what follows it on the line of a number: `1. Primary Request: prove it`.
pub(super) fn on_line(words: &str) -> Option<(&str, &str)> {
    let rest = words.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < words.len() && rest.starts_with(". ");
    let (heading, rest) = rest.get(1..)?.split_once(": ").filter(|_| is_numbered)?;
    let is_heading = heading.trim_start().starts_with(char::is_uppercase)
        && heading.split_whitespace().count() <= LONGEST_HEADING
        && !heading.contains(['.', '`']);
    is_heading.then_some((heading.trim(), rest))
}

fn named_on_line(words: &str) -> Option<Section> {
    let (heading, _) = on_line(words)?;
    Some(named(heading).unwrap_or(Other))
}

/// The kind that a line names at its beginning, and what follows: `**DECISION:** x`, `- dead end – x`.
pub(super) fn marked(words: &str) -> Option<(Kind, &'static str, &str)> {
    let line = words.trim_start_matches(|c: char| !c.is_alphabetic());
    let mut marks =
        MARKS.iter().flat_map(|(kind, words)| words.split('|').map(move |mark| (*kind, mark)));
    let (kind, mark) = marks.find(|(_, mark)| {
        line.get(..mark.len()).is_some_and(|start| start.to_lowercase() == *mark)
    })?;
    let rest = &line[mark.len()..];
    let rest = rest.strip_prefix(['s', 'S']).unwrap_or(rest);
    // `DECISION (naming): x`
    let rest = match rest.trim_start().strip_prefix('(') {
        Some(inner) => inner.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    };
    let rest = rest.trim_start_matches(['*', '_', '`']).trim_start();
    let rest = [":", "–", "—", "- ", "="].iter().find_map(|sign| rest.strip_prefix(sign))?;
    let rest = rest.trim_start_matches(['*', '_', ' ']);
    // The other end of the marks around the whole line.
    let rest = if words.trim_start().starts_with('`') { rest.trim_end_matches('`') } else { rest };
    (!rest.trim().is_empty()).then_some((kind, mark, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        for (item, expected) in [
            ("slot 12 (kurepa): REJECTED. The class assumes it.", true),
            ("2026-11-20 slot 13: RETRACTED, the gap is hidden", true),
            ("**slot14**: wrong statement came back", true),
            ("2026-11-20: slot 13 is dead, the class is empty", true),
            ("slot13b (again) has been rejected - wrong n", true),
            ("slot 12: accepted", false),
            ("slot 12 is not rejected", false),
            ("the slots: rejected", false),
            ("slot 12: rejectedness is no word", false),
            ("slot 12: the plan was rejected by the editor", false),
            ("the plan: rejected", false),
        ] {
            assert_eq!(is_verdict(item), expected, "{item}");
        }
    }

    #[test]
    fn tables() {
        let text = "a\n\n| Slot | Verdict | Why |\n|---:|:--|--|\n| 12 | REJECTED | vacuous |\n| 13b | open | |\n\n\
                    | x | y |\n```\n| 1 | 2 |\n|--|--|\n```\n| lemma | state |\n|--|--|\n| `foo` | is false |\n";
        let expected = "a\n\n\n\n- slot 12: REJECTED, vacuous\n- 13b: open\n\n\
                        | x | y |\n```\n| 1 | 2 |\n|--|--|\n```\n\n\n- `foo`: is false\n";
        assert_eq!(tables_as_items(text), expected);
        let text = "| problem | why | slot | verdict |\n|--|--|--|--|\n| kurepa | vacuous | 12 | REJECTED |\n";
        assert_eq!(tables_as_items(text), "\n\n- slot 12 (kurepa): REJECTED, vacuous\n");
        let text =
            "# slot122\n\nREJECTED: it proves 2 (Anna).\nIt helps.\n\n# Other\nREJECTED: all\n";
        let expected = "# slot122\n\n- slot 122: REJECTED: it proves 2 (Anna).\nIt helps.\n\n# Other\nREJECTED: all\n";
        assert_eq!(tables_as_items(text), expected);
    }

    #[test]
    fn headings() {
        for (line, expected) in [
            ("## Decisions", Some(Holds(Kind::Decision))),
            ("4. Errors and fixes:", Some(Other)),
            ("**Dead ends**", Some(Holds(Kind::Failure))),
            ("## Ne pas refaire", Some(Holds(Kind::Failure))),
            ("### Do not repeat", Some(Holds(Kind::Failure))),
            ("## Nicht wiederholen", Some(Holds(Kind::Failure))),
            ("## Do not", Some(Forbids)),
            ("### Niemals", Some(Forbids)),
            ("## À ne pas faire", Some(Forbids)),
            ("## What does not work", Some(Holds(Kind::Failure))),
            ("Pending Tasks:", Some(Passing)),
            ("# Notes on the sphere", Some(Other)),
            ("Décisions :", Some(Holds(Kind::Decision))),
            ("- we keep the old name", None),
            ("The decision was hard.", None),
        ] {
            assert_eq!(heading(line), expected, "{line}");
        }
    }

    #[test]
    fn lines_with_a_mark() {
        for (line, expected) in [
            ("DECISION: keep `foo`", Some((Kind::Decision, "keep `foo`"))),
            ("- **Dead end:** x because y", Some((Kind::Failure, "x because y"))),
            ("* dead-end – x", Some((Kind::Failure, "x"))),
            ("3. `GOTCHA`: x", Some((Kind::Lesson, "x"))),
            ("GOTCHA: `decide` loops", Some((Kind::Lesson, "`decide` loops"))),
            ("`DECISION: keep it so`", Some((Kind::Decision, "keep it so"))),
            ("Decisions (naming): x", Some((Kind::Decision, "x"))),
            ("Entschieden: x", Some((Kind::Decision, "x"))),
            ("Decided to keep it: x", None),
            ("DECISION:", None),
            ("Decision trees are fine: x", None),
            ("We made a decision: x", None),
        ] {
            let found = marked(line).map(|(kind, _, rest)| (kind, rest));
            assert_eq!(found, expected, "{line}");
        }
    }
}
