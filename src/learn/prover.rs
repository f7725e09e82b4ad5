//! What a prover says about its result in the header of a file, in notes between declarations, and in a summary
//! beside it. Whether a proof is complete is decided by the code, never by these words.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use crate::text;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProverNotes {
    /// The prover's own header is there: `This file was edited by ...`, or its request's uuid.
    pub header: bool,
    pub uuid: Option<String>,
    pub toolchain: Option<String>,
    pub mathlib: Option<String>,
    pub proved: Vec<Claim>,
    pub negated: Vec<Claim>,
    /// Places where it could not load the code; the errors that it quotes, one line each.
    pub load_failures: Vec<Note>,
    /// Blocks that it found to be false: the code of the refutation.
    pub refutations: Vec<Note>,
    pub budget: Option<String>,
    pub errored: bool,
    /// The first of Lean's errors that it quotes with that: what it was given does not compile.
    pub lean_error: Option<String>,
}

impl ProverNotes {
    /// The prover says that it could not work on the file as a whole.
    pub fn stopped(&self) -> Option<&'static str> {
        if self.errored {
            let is_ours = self.lean_error.is_some();
            return Some(if is_ours {
                DOES_NOT_COMPILE
            } else {
                "the prover stopped with an error"
            });
        }
        (!self.load_failures.is_empty()).then_some("the prover could not load it")
    }
}

/// Its code, not the prover.
pub const DOES_NOT_COMPILE: &str = "it did not compile";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub name: Option<String>,
    pub statement: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Byte offset of the comment's end: what the note is about follows it.
    pub end: usize,
    pub text: String,
}

/// Reads comments, each with its offset. A header counts only above `top`, the offset of the first declaration.
pub fn read<'a>(comments: impl Iterator<Item = (usize, &'a str)>, top: usize) -> ProverNotes {
    let mut notes = ProverNotes::default();
    for (start, comment) in comments.filter(|(_, comment)| mentions_prover(comment)) {
        if !read_note(start, comment, &mut notes) && start < top {
            read_header(strip_delimiters(comment), &mut notes);
        }
    }
    notes
}

/// Reads run and versions from `ARISTOTLE_SUMMARY*.md`; its prose is only a claim in words.
pub fn read_summary(file_name: &str, summary: &str, notes: &mut ProverNotes) {
    for line in summary.lines().take(40) {
        let line = line.trim_start_matches(['#', '*', '-', ' ']).trim();
        version_line(line, notes);
        if line.to_ascii_lowercase().starts_with("summary of changes for run") {
            notes.uuid = notes.uuid.take().or_else(|| uuid_in(line));
        }
    }
    notes.uuid = notes.uuid.take().or_else(|| uuid_in(file_name));
}

const UUID_LABEL: &str = "this project request had uuid";

/// A uuid that stands for itself: no letter or digit touches it.
static UUID: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:^|[^0-9a-z])([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:[^0-9a-z]|$)",
    )
});

#[expect(clippy::expect_used, reason = "the patterns are constants of this file")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

pub fn uuid_in(words: &str) -> Option<String> {
    UUID.captures(words)?.get(1).map(|uuid| uuid.as_str().to_ascii_lowercase())
}

/// The id of a submission, or the beginning of one, that stands by itself.
pub fn submission_in(words: &str) -> Option<String> {
    const BEGINNING: usize = 8;
    let words = words.trim().to_ascii_lowercase();
    let is_beginning = words.len() >= BEGINNING
        && words.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && words.bytes().any(|byte| byte.is_ascii_digit());
    uuid_in(&words).or_else(|| is_beginning.then_some(words))
}

pub fn date_in<'a>(comments: impl Iterator<Item = &'a str>) -> Option<String> {
    comments.flat_map(str::lines).find_map(|line| {
        let (label, rest) = line.trim_start_matches(['-', '/', '*', ' ']).split_once(':')?;
        let label = label.trim_matches(['*', ' ']).to_ascii_lowercase();
        let labels = ["date", "created", "submitted", "completed", "generated"];
        if !labels.contains(&label.as_str()) {
            return None;
        }
        let day: Date = rest.trim_matches(['*', ' ']).get(..10)?.parse().ok()?;
        Some(format!("{day} 00:00:00"))
    })
}

fn mentions_prover(comment: &str) -> bool {
    ["Aristotle", "project request had uuid:", "Mathlib version:"]
        .iter()
        .any(|words| comment.contains(words))
}

fn read_note(start: usize, comment: &str, notes: &mut ProverNotes) -> bool {
    let opening = strip_delimiters(comment).trim_start();
    let note = |rest: &str| Note { end: start + comment.len(), text: rest.to_owned() };
    if let Some(rest) = after_sentence(opening, "Aristotle failed to load this code") {
        notes.load_failures.push(note(rest));
    } else if let Some(rest) = after_sentence(opening, "Aristotle found this block to be false") {
        notes.refutations.push(note(rest));
    } else if opening.starts_with("Aristotle encountered an error processing this file") {
        notes.errored = true;
        notes.lean_error = lean_error(opening);
    } else {
        return false;
    }
    true
}

/// The first message behind `Lean errors:`, without its place.
fn lean_error(words: &str) -> Option<String> {
    let mut lines = words.lines().map(str::trim);
    lines.find(|line| line.eq_ignore_ascii_case("lean errors:"))?;
    let is_place = |line: &str| line.to_ascii_lowercase().starts_with("at line ");
    let said = lines.find(|line| !line.is_empty() && !is_place(line))?;
    Some(text::clean(said.trim_end_matches("-/").trim_end()))
}

fn strip_delimiters(comment: &str) -> &str {
    let body = comment.strip_prefix("/-").map_or(comment, |rest| {
        let rest = rest.strip_suffix("-/").unwrap_or(rest);
        rest.strip_prefix(['!', '-']).unwrap_or(rest)
    });
    body.trim_start_matches("--")
}

fn after_sentence<'a>(body: &'a str, sentence: &str) -> Option<&'a str> {
    let rest = body.strip_prefix(sentence)?;
    Some(rest.find('\n').map_or("", |end| &rest[end..]).trim_start_matches(['\n', '\r']))
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    None,
    Proved,
    Negated,
    Budget,
}

fn read_header(body: &str, notes: &mut ProverNotes) {
    let own = is_own_header(body);
    notes.header |= own;
    let uuid = notes.uuid.clone();
    let mut section = Section::None;
    let mut after_blank = true;
    for line in body.lines() {
        let trimmed = line.trim();
        let lower = trimmed.to_ascii_lowercase();
        if version_line(trimmed, notes)
            || lower.starts_with("```")
            || lower.starts_with("here is the code")
        {
            section = Section::None;
        } else if let Some(next) = own.then(|| section_of(&lower)).flatten() {
            section = next;
            if section == Section::Budget {
                notes.budget.get_or_insert_default();
            }
        } else if lower.contains("encountered an error processing this file") {
            notes.errored |= own;
            notes.lean_error = notes.lean_error.take().or_else(|| lean_error(body).filter(|_| own));
        } else {
            section = section_line(line, section, after_blank, notes);
        }
        after_blank = trimmed.is_empty();
    }
    if !own {
        notes.uuid = uuid;
    }
    if let Some(budget) = &mut notes.budget {
        *budget = text::one_line(budget);
    }
    for claim in notes.proved.iter_mut().chain(&mut notes.negated) {
        claim.statement.truncate(claim.statement.trim_end().len());
    }
}

/// The prover signs in the first line, or names the request before any prose; a header that somebody quotes does not
/// count.
fn is_own_header(body: &str) -> bool {
    let mut lines = body.lines().filter(|line| !line.trim().is_empty());
    let is_signed = |line: &str| {
        let verb = line
            .trim()
            .strip_prefix("This file was ")
            .and_then(|rest| rest.split_once(" by Aristotle"));
        verb.is_some_and(|(verb, _)| verb.chars().all(char::is_alphabetic))
    };
    let mut notes = ProverNotes::default();
    lines.clone().next().is_some_and(is_signed)
        || lines
            .by_ref()
            .find(|line| !version_line(line, &mut notes) || notes.uuid.is_some())
            .is_some()
            && notes.uuid.is_some()
}

fn section_of(lower: &str) -> Option<Section> {
    if lower.starts_with("the following was proved by") {
        Some(Section::Proved)
    } else if lower.starts_with("the following was negated by") {
        Some(Section::Negated)
    } else if lower.contains("budget for this request has been reached") {
        Some(Section::Budget)
    } else {
        None
    }
}

fn section_line(
    line: &str,
    section: Section,
    after_blank: bool,
    notes: &mut ProverNotes,
) -> Section {
    let claims = match section {
        Section::None => return Section::None,
        Section::Budget => {
            if !line.trim().is_empty() {
                let budget = notes.budget.get_or_insert_default();
                budget.push_str(line.trim());
                budget.push('\n');
            }
            return Section::Budget;
        }
        Section::Proved => &mut notes.proved,
        Section::Negated => &mut notes.negated,
    };
    if let Some(statement) = line.strip_prefix("- ") {
        claims.push(claim(statement));
    } else if line.trim().is_empty() {
        if let Some(last) = claims.last_mut() {
            last.statement.push('\n');
        }
    } else if after_blank && !line.starts_with([' ', '\t']) {
        return Section::None;
    } else if let Some(last) = claims.last_mut() {
        last.statement.push('\n');
        last.statement.push_str(line.trim_end());
    }
    section
}

fn claim(statement: &str) -> Claim {
    let mut words = statement.split_whitespace();
    let name = words
        .find(|word| DECLARING.contains(word))
        .filter(|word| *word != "example")
        .and(words.next());
    let name = name.map(|name| {
        name.split(['(', '{', '[', ':', '⦃'])
            .next()
            .unwrap_or(name)
            .trim_end_matches(',')
            .to_owned()
    });
    Claim { name: name.filter(|name| !name.is_empty()), statement: statement.trim_end().to_owned() }
}

const DECLARING: &[&str] =
    &["theorem", "lemma", "def", "abbrev", "instance", "example", "corollary", "proposition"];

fn version_line(line: &str, notes: &mut ProverNotes) -> bool {
    let Some((label, rest)) = line.trim_matches(['*', '`', ' ']).split_once(':') else {
        return false;
    };
    let word = rest.split_whitespace().next().unwrap_or("").trim_matches(['`', '*', '.', ',']);
    let word = Some(word.to_owned()).filter(|word| !word.is_empty());
    let (field, found) = match label.to_ascii_lowercase().as_str() {
        "lean version" | "lean toolchain version" => (&mut notes.toolchain, word),
        "mathlib version" => (&mut notes.mathlib, word),
        UUID_LABEL => (&mut notes.uuid, uuid_in(rest)),
        _ => return false,
    };
    *field = field.take().or(found);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(comments: &[&str]) -> ProverNotes {
        let comments = comments.iter().map(|text| (0, *text));
        read(comments, usize::MAX)
    }

    const HEADER: &str = "/-
This file was edited by Aristotle.

Lean version: leanprover/lean4:v4.24.0
Mathlib version: 0123456789abcdef0123456789abcdef01234567
This project request had uuid: 0F8FAD5B-d9cb-469f-a165-70867728950e

To cite Aristotle, add as co-author:
Co-authored-by: Aristotle (Harmonic) <x@example.org>

The following was proved by Aristotle:

- theorem two_le (n : ℕ) (h : 1 < n) :
    2 ≤ n

- lemma helper : True

The following was negated by Aristotle:

- theorem too_good {n : ℕ} : n = 0

- example : 1 = 2

Here is the code for the `negate_state` tactic, used within these negations:

```lean
import Mathlib
macro \"negate_state\" : tactic => `(tactic| (refine @(((by admit) : ∀ {p : Prop}, ¬p → p) ?_)))
```
-/";

    #[test]
    fn a_header_is_read_whole() {
        let notes = notes(&[HEADER]);
        assert!(notes.header);
        assert_eq!(notes.uuid.as_deref(), Some("0f8fad5b-d9cb-469f-a165-70867728950e"));
        assert_eq!(notes.toolchain.as_deref(), Some("leanprover/lean4:v4.24.0"));
        assert_eq!(notes.mathlib.as_deref(), Some("0123456789abcdef0123456789abcdef01234567"));
        let names = |claims: &[Claim]| claims.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&notes.proved), [Some("two_le".to_owned()), Some("helper".to_owned())]);
        assert_eq!(notes.proved[0].statement, "theorem two_le (n : ℕ) (h : 1 < n) :\n    2 ≤ n");
        assert_eq!(names(&notes.negated), [Some("too_good".to_owned()), None]);
        assert_eq!(notes.negated[1].statement, "example : 1 = 2");
    }

    #[test]
    fn prose_about_a_prover_is_no_header() {
        for comment in [
            "/- The proof was found by Aristotle (from Harmonic). -/",
            "-- This idea was edited by Aristotle of Stagira",
            "/-\nThis proof was written by Aristotle.\n\nMathlib version: abc (v4.24.0)\n-/",
            "/- The following was negated by Aristotle:\n\n- theorem x : True\n-/",
            "/- This file was rewritten by hand; the first half was proved by Aristotle. -/",
            "/-\nThe last answer began with:\n\nThis file was edited by Aristotle.\n\
             This project request had uuid: 0f8fad5b-d9cb-469f-a165-70867728950e\n-/",
        ] {
            let notes = notes(&[comment]);
            assert!(!notes.header && notes.negated.is_empty(), "{comment}");
            assert_eq!(notes.uuid, None, "{comment}");
        }
        let versions =
            notes(&["/-\nLean Toolchain version: lean:v1\nMathlib version: abc (May)\n-/"]);
        assert_eq!(
            (versions.toolchain.as_deref(), versions.mathlib.as_deref()),
            (Some("lean:v1"), Some("abc"))
        );
        let comments = [(10, HEADER)];
        assert!(!read(comments.into_iter(), 10).header, "a header below a declaration");
    }

    #[test]
    fn notes_between_declarations() {
        let failed = "/- Aristotle failed to load this code into its environment. Double check.\n\nUnknown identifier `A`\nUnknown identifier `B`-/";
        let wrong = "/- Aristotle found this block to be false. Here is a proof of the negation:\n\n\ntheorem x : 1 = 2 := by\n  negate_state\n-/";
        let notes = notes(&[failed, wrong]);
        assert_eq!(notes.load_failures[0].text, "Unknown identifier `A`\nUnknown identifier `B`");
        assert_eq!(notes.refutations[0].text, "theorem x : 1 = 2 := by\n  negate_state\n");
    }

    #[test]
    fn endings_of_a_request() {
        let body = "Aristotle's budget for this request has been reached.\nPartial progress: two\nlemmas.\n";
        let spent = notes(&[&format!("/-\nThis file was generated by Aristotle.\n\n{body}-/")]);
        assert_eq!(spent.budget.as_deref(), Some("Partial progress: two lemmas."));
        let error = "/-\nThis file was edited by Aristotle.\n\nAristotle encountered an error processing this file. The team has been notified.\n-/";
        assert!(notes(&[error]).errored);
        assert_eq!(notes(&[error]).stopped(), Some("the prover stopped with an error"));
        let quoted = "Lean errors:\nAt line 17, column 15:\n  Unknown identifier `foo`\nAt line 18, column 2:\n  unsolved goals\n";
        for comment in [
            error.replace("-/", &format!("{quoted}-/")),
            format!("/- Aristotle encountered an error processing this file.\n{quoted}-/"),
        ] {
            let notes = notes(&[&comment]);
            assert_eq!(notes.lean_error.as_deref(), Some("Unknown identifier `foo`"), "{comment}");
            assert_eq!(notes.stopped(), Some(DOES_NOT_COMPILE));
        }
    }

    #[test]
    fn summaries_name_their_run() {
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
        for (name, text) in [
            ("ARISTOTLE_SUMMARY.md", format!("# Summary of changes for run {id}\nAll done.")),
            (&*format!("ARISTOTLE_SUMMARY_{id}.md"), "Done.".to_owned()),
        ] {
            let mut notes = ProverNotes::default();
            read_summary(name, &text, &mut notes);
            assert_eq!(notes.uuid.as_deref(), Some(id), "{name}");
            assert!(!notes.header);
        }
    }

    #[test]
    fn uuids_are_whole_words() {
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
        for (words, expected) in [
            (format!("uuid: {id}."), Some(id)),
            (format!("x{id}"), None),
            (format!("{id}0"), None),
            ("0f8fad5b-d9cb-469f-a165".to_owned(), None),
            (format!("∀{id}"), Some(id)),
        ] {
            assert_eq!(uuid_in(&words).as_deref(), expected, "{words}");
        }
    }
}
