//! This error, that fix: what the knowledge base has about the errors of a command, in a few words.
//!
//! A name that Lean does not know is asked for in the packages' renames first, then among the theorems
//! of the knowledge base; then come lessons. What is said is data, with the number of its finding.

use std::collections::HashSet;

use crate::app::App;
use crate::app::guard::renamed_lemmas;
use crate::brief;
use crate::lean;
use crate::learn::lessons::{self, Pattern, Printed, Seen};
use crate::model::{Finding, LessonDetail};
use crate::store::{Injection, Shown};
use crate::text::{clean, clip};

use super::drafts;

const MOST: usize = 2;

const BUDGET: usize = 120;

/// Lines of an edit that are shown, and their width in columns.
const MOST_LINES: usize = 6;
const WIDTH: usize = 90;

/// Lessons that came back so often, and never helped, are not shown any more.
const USELESS: u64 = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Advice {
    pub(super) text: String,
    pub(super) about: Seen,
    pub(super) lesson: Option<i64>,
}

pub(super) struct Told {
    lessons: HashSet<i64>,
    /// Signatures of errors about which another thing than a lesson was said.
    signatures: HashSet<String>,
}

impl Told {
    pub(super) fn of(shown: &[Shown], said: &[Injection]) -> Self {
        let named = said.iter().filter(|row| row.kind == NAMED);
        Self {
            lessons: shown.iter().map(|one| one.lesson).collect(),
            signatures: named.map(|row| row.why.clone()).collect(),
        }
    }
}

pub(super) const NAMED: &str = "name";

pub(super) fn advice(
    app: &mut App,
    printed: &Printed,
    mut told: Told,
) -> anyhow::Result<Vec<Advice>> {
    let mut found: Vec<Advice> = Vec::new();
    let mut left = BUDGET;
    for error in printed.errors().iter().filter(|error| error.is_telling) {
        if found.len() >= MOST {
            break;
        }
        let Some((lesson, texts)) = about(app, error, &told)? else { continue };
        let fits = |text: &&String| brief::estimate(text) <= left;
        // The first is said in any case: its texts are of bounded length.
        let text = texts.iter().find(fits).or(texts.last().filter(|_| found.is_empty()));
        let Some(text) = text else { continue };
        left = left.saturating_sub(brief::estimate(text));
        match lesson {
            Some(id) => told.lessons.insert(id),
            None => told.signatures.insert(error.signature.to_string()),
        };
        found.push(Advice { text: text.clone(), about: error.clone(), lesson });
    }
    Ok(found)
}

/// What there is to say about one error, the longest text first, and the lesson it comes from.
fn about(
    app: &mut App,
    error: &Seen,
    told: &Told,
) -> anyhow::Result<Option<(Option<i64>, Vec<String>)>> {
    let signature = error.signature.to_string();
    if let Some(name) = lessons::unknown_name(&error.signature)
        && !told.signatures.contains(&signature)
    {
        if let Some(text) = renamed_lemmas::renamed(app, &name)? {
            return Ok(Some((None, vec![format!("math-forge: {text}")])));
        }
        if let Some(text) = known_theorem(app, &name)? {
            return Ok(Some((None, vec![text])));
        }
    }
    let project = app.project_identity();
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let known = store.lessons_about(&signature, project.as_deref())?;
    let fits = known.iter().filter_map(|finding| {
        let lesson = finding.content.lesson()?;
        let like = lessons::likeness(&error.signature, lesson.signature.as_deref()?)?;
        let is_useless = lesson.success_count == 0 && lesson.recurred >= USELESS;
        let is_new = !is_useless && !told.lessons.contains(&finding.id);
        is_new.then_some((like, finding, lesson))
    });
    // Of those that fit as well the first.
    let best = fits.reduce(|best, one| if one.0 > best.0 { one } else { best });
    Ok(best.map(|(like, finding, lesson)| (Some(finding.id), texts(finding, lesson, like))))
}

fn known_theorem(app: &mut App, name: &str) -> anyhow::Result<Option<String>> {
    /// Shorter names without an underscore are found anywhere.
    const TELLING: usize = 8;
    let last = lean::last_part(name);
    if !last.contains('_') && last.chars().count() < TELLING {
        return Ok(None);
    }
    let project = app.project_identity();
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let found = store.theorems_named(last, project.as_deref())?;
    let found = found.into_iter().next().map(|one| {
        let how = if one.verified { "proved" } else { "claimed, not verified," };
        format!(
            "math-forge #{}: `{}` is {how} in {}.",
            one.id,
            clip(&clean(&one.name), WIDTH),
            clip(&clean(&one.file), WIDTH)
        )
    });
    Ok(found)
}

/// A lesson in words: with its edit, where that says more, without it, and short.
fn texts(finding: &Finding, lesson: &LessonDetail, like: f64) -> Vec<String> {
    let what = match lesson.pattern == Pattern::StillFailing.as_str() {
        true => "tried before, in vain",
        false if like < 1.0 => "a similar error, before",
        false => "this error, before",
    };
    let what_worked = clean(&lesson.what_worked);
    let record = lesson.record();
    let about = if record.is_empty() { what.to_owned() } else { format!("{what}; {record}") };
    let sentence = |text: &str| format!("math-forge #{} ({about}): {text}", finding.id);
    let plain = sentence(&clip(&what_worked, 3 * WIDTH));
    let mut texts = Vec::new();
    let edit: Vec<String> = drafts::edit_lines(&finding.content.description)
        .map(|line| format!("  {}", clip(clean_end(line).as_str(), WIDTH)))
        .collect();
    let says_more = what_worked.contains('…') || edit.len() > 2;
    if says_more && edit.len() <= MOST_LINES {
        texts.push(format!("{plain}\n{}", edit.join("\n")));
    }
    texts.push(plain);
    texts.push(sentence(&clip(&what_worked, WIDTH)));
    texts
}

/// A line of code without what hides from a reader; its indentation stays.
fn clean_end(line: &str) -> String {
    crate::text::clean_block(line).replace(['\t', '\n'], " ")
}
