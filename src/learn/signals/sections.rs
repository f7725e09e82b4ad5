//! What stands under headings such as `Decisions` and `Dead ends`, and on lines that begin with such a word:
//! in the summary of a compaction, and in a person's notes.

use super::prose::{Prose, is_item};
use crate::model::Kind;

/// What a heading, or a word before a colon, announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Holds(Kind),
    Other,
    /// What is done, was asked or comes next.
    Passing,
}

use Section::{Holds, Other, Passing};

/// The words of headings, in lower case; the first that the heading holds counts.
const HEADINGS: &[(&str, Section)] = &[
    ("dead end", Holds(Kind::Failure)),
    ("dead-end", Holds(Kind::Failure)),
    ("failed approach", Holds(Kind::Failure)),
    ("what didn't work", Holds(Kind::Failure)),
    ("what did not work", Holds(Kind::Failure)),
    ("what does not work", Holds(Kind::Failure)),
    ("ruled out", Holds(Kind::Failure)),
    ("abandoned", Holds(Kind::Failure)),
    ("known false", Holds(Kind::Failure)),
    ("sackgasse", Holds(Kind::Failure)),
    ("was nicht", Holds(Kind::Failure)),
    ("impasse", Holds(Kind::Failure)),
    ("ce qui ne marche pas", Holds(Kind::Failure)),
    ("gotcha", Holds(Kind::Lesson)),
    ("pitfall", Holds(Kind::Lesson)),
    ("caveat", Holds(Kind::Lesson)),
    ("lesson", Holds(Kind::Lesson)),
    ("known issue", Holds(Kind::Lesson)),
    ("watch out", Holds(Kind::Lesson)),
    ("fallstrick", Holds(Kind::Lesson)),
    ("stolperfalle", Holds(Kind::Lesson)),
    ("piège", Holds(Kind::Lesson)),
    ("do not", Holds(Kind::Preference)),
    ("don't", Holds(Kind::Preference)),
    ("don’t", Holds(Kind::Preference)),
    ("never", Holds(Kind::Preference)),
    ("preference", Holds(Kind::Preference)),
    ("convention", Holds(Kind::Preference)),
    ("house rule", Holds(Kind::Preference)),
    ("ground rule", Holds(Kind::Preference)),
    ("rules", Holds(Kind::Preference)),
    ("style", Holds(Kind::Preference)),
    ("konvention", Holds(Kind::Preference)),
    ("regeln", Holds(Kind::Preference)),
    ("règles", Holds(Kind::Preference)),
    ("decision", Holds(Kind::Decision)),
    ("decided", Holds(Kind::Decision)),
    ("constraint", Holds(Kind::Decision)),
    ("entscheidung", Holds(Kind::Decision)),
    ("décision", Holds(Kind::Decision)),
    ("contrainte", Holds(Kind::Decision)),
    ("key fact", Holds(Kind::Insight)),
    ("key insight", Holds(Kind::Insight)),
    ("key finding", Holds(Kind::Insight)),
    ("important finding", Holds(Kind::Insight)),
    ("what we know", Holds(Kind::Insight)),
    ("takeaway", Holds(Kind::Insight)),
    ("wichtige fakten", Holds(Kind::Insight)),
    ("erkenntnis", Holds(Kind::Insight)),
    ("faits", Holds(Kind::Insight)),
    ("user message", Passing),
    ("pending", Passing),
    ("todo", Passing),
    ("to do", Passing),
    ("current work", Passing),
    ("next", Passing),
    ("files and code", Passing),
    ("status", Passing),
    ("progress", Passing),
    ("plan", Passing),
    ("open question", Passing),
    ("offen", Passing),
    ("à faire", Passing),
];

/// Words that open a line of their own; a plural too.
const MARKS: &[(&str, Kind)] = &[
    ("decision", Kind::Decision),
    ("dead end", Kind::Failure),
    ("dead-end", Kind::Failure),
    ("deadend", Kind::Failure),
    ("gotcha", Kind::Lesson),
    ("pitfall", Kind::Lesson),
    ("preference", Kind::Preference),
    ("convention", Kind::Preference),
    ("user preference", Kind::Preference),
    ("entscheidung", Kind::Decision),
    ("sackgasse", Kind::Failure),
    ("décision", Kind::Decision),
    ("impasse", Kind::Failure),
    ("piège", Kind::Lesson),
];

pub(super) fn mark_words() -> impl Iterator<Item = &'static str> {
    const PLURALS: &[&str] =
        &["decisions", "gotchas", "pitfalls", "preferences", "conventions", "deadends", "impasses"];
    MARKS.iter().map(|(mark, _)| *mark).chain(PLURALS.iter().copied())
}

const LONGEST_HEADING: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Under {
    pub(super) section: Section,
    pub(super) is_item: bool,
}

/// For each sentence of a text, what it stands under; and whether the sentence is a heading itself.
pub(super) fn of(prose: &Prose<'_>) -> Vec<Option<Under>> {
    let mut section = Other;
    let mut out = Vec::new();
    for sentence in &prose.sentences {
        let words = prose.original(sentence);
        if let Some(named) = heading(words) {
            section = named;
            out.push(None);
            continue;
        }
        out.push(Some(Under { section, is_item: is_item(words) }));
    }
    out
}

/// Whether a line is a heading: marked as one, or a few words with a colon at their end, or bold ones alone.
/// With what it announces, if anything that is known.
fn heading(words: &str) -> Option<Section> {
    let line = words.trim();
    let is_marked = line.starts_with('#');
    let bare = line.trim_start_matches(['#', ' ']);
    let is_bold = bare.starts_with("**") && bare.trim_end_matches(':').ends_with("**");
    let is_lead = bare.ends_with(':') || bare.ends_with(":**");
    let is_short = bare.split_whitespace().count() <= LONGEST_HEADING && !bare.contains('\n');
    if !is_marked && !(is_short && (is_bold || is_lead)) {
        return None;
    }
    let text = bare.to_lowercase();
    let known = HEADINGS.iter().find(|(word, _)| text.contains(word));
    Some(known.map_or(Other, |(_, section)| *section))
}

/// The kind that a line names at its beginning, and what follows: `**DECISION:** x`, `- dead end – x`.
pub(super) fn marked(words: &str) -> Option<(Kind, &'static str, &str)> {
    let line = words.trim_start_matches(|c: char| !c.is_alphabetic());
    let (mark, kind) = MARKS.iter().find(|(mark, _)| {
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
    let rest = rest.trim_start_matches(['*', '_', '`', ' ']);
    (!rest.trim().is_empty()).then_some((*kind, *mark, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings() {
        for (line, expected) in [
            ("## Decisions", Some(Holds(Kind::Decision))),
            ("4. Errors and fixes:", Some(Other)),
            ("**Dead ends**", Some(Holds(Kind::Failure))),
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
            ("Decisions (naming): x", Some((Kind::Decision, "x"))),
            ("DECISION:", None),
            ("Decision trees are fine: x", None),
            ("We made a decision: x", None),
        ] {
            let found = marked(line).map(|(kind, _, rest)| (kind, rest));
            assert_eq!(found, expected, "{line}");
        }
    }
}
