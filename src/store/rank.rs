//! A second look at the best rows: how close their texts are to the query. `bm25()` weighs words one by one and cannot
//! see that a name is the query's words and nothing else, that words are neighbours, or that a docstring has a bold
//! title. All weights are here.

use std::borrow::Cow;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::query::{Word, is_empty_word};
use super::rows::text_of;
use super::symbols::{Piece, camel_parts, is_word_char, pieces};
use crate::model::last_part;

/// Rows that are looked at twice, or as many as are asked for.
pub(super) const LOOKED_AT: usize = 50;

const TEXT_LIMIT: usize = 4096;
/// Bytes of one text that are looked at to explain a hit.
const EXPLAINED: usize = 20_000;

/// The index's columns in the schema's order, with their weights.
pub(super) const COLUMNS: [(&str, f64); 12] = [
    ("title", 10.0),
    ("description", 4.0),
    ("problem_id", 6.0),
    ("theorem_name", 8.0),
    ("theorem_statement", 5.0),
    ("proof_technique", 3.0),
    ("tags", 2.0),
    ("why_failed", 3.0),
    ("counterexample", 3.0),
    ("avoid_pattern", 2.0),
    ("correct_approach", 2.0),
    ("symbols", 2.0),
];
/// Bonus for the current project when rows are chosen.
pub(super) const PROJECT_ROWS: f64 = 3.0;

/// `bm25()` as a part of the best row's.
const WORDS: f64 = 1.0;
/// Part of the query that the row holds.
const COVERED: f64 = 0.5;
/// Part of the last component, and of the whole name, that the query holds.
const LAST_NAME: f64 = 0.3;
const NAME: f64 = 0.1;
/// Part of the query that the description holds, and of its first sentence that the query holds.
const DESCRIPTION: f64 = 0.2;
/// Neighbours in the query that are neighbours there.
const NEIGHBOURS: f64 = 0.5;
const NEIGHBOURS_IN_NAME: f64 = 0.4;
/// In the name, where the query is a name.
const NAME_IN_NAME: f64 = 0.9;
/// A title or bold text that says what the query says.
const TITLE: f64 = 1.0;

/// Factors.
const THIS_PROJECT: f64 = 1.5;
/// A lemma on the way, what says less than its name or is denied, or a technique or a failure that was read off a file.
pub(super) const HELPER: f64 = 0.5;
const CONFIDENCE: [(&str, f64); 4] =
    [("verified", 1.1), ("high", 1.05), ("low", 0.9), ("disproven", 1.05)];
/// Bonus for what is new; it halves after so many days.
const NEW: f64 = 0.05;
const HALF_LIFE: f64 = 180.0;

/// Close to the scale of `bm25()`, which the rest of the search expects.
const SCALE: f64 = 10.0;

pub(crate) struct Wanted<'a> {
    words: &'a [Word],
    /// The rarer, the more.
    weights: Vec<f64>,
    total: f64,
    is_name: bool,
    here: &'a [String],
    now: Option<f64>,
}

/// Columns of `f` for [`Wanted::score`].
pub(super) const LOOKED_AT_TEXTS: &str = concat!(
    "f.title, f.description, f.theorem_name, f.theorem_statement,
    concat_ws(' ', f.proof_technique, f.why_failed, f.correct_approach, f.counterexample,
    replace(f.source_file, '_', ' ')),
    f.confidence, ",
    has_tag!("f.tags", "helper"),
    " OR ",
    has_tag!("f.tags", "trivial"),
    " OR ",
    has_tag!("f.tags", "contradiction"),
    " OR (f.finding_type IN ('technique', 'failure') AND f.extracted_from IS NOT NULL), f.project, julianday(f.created_at)"
);

#[derive(Default)]
struct Texts<'a> {
    title: Cow<'a, str>,
    description: Cow<'a, str>,
    name: Cow<'a, str>,
    statement: Cow<'a, str>,
    other: Cow<'a, str>,
    confidence: Cow<'a, str>,
    is_helper: bool,
    project: Cow<'a, str>,
    day: Option<f64>,
}

/// For each word of a text the index of the query's word that it is.
type Text = Vec<Option<usize>>;

impl<'a> Wanted<'a> {
    pub(crate) fn new(
        words: &'a [Word],
        is_name: bool,
        rows: i64,
        here: &'a [String],
        now: Option<f64>,
    ) -> Self {
        let weight = |word: &Word| {
            let docs = i32::try_from(word.docs).map_or(f64::from(i32::MAX), f64::from);
            let rows = i32::try_from(rows).map_or(f64::from(i32::MAX), f64::from);
            (1.0 + rows / (1.0 + docs)).ln()
        };
        let weights: Vec<f64> = words.iter().map(weight).collect();
        let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        Self { words, weights, total, is_name, here, now }
    }

    /// `at` is the first column of [`LOOKED_AT_TEXTS`], `part` the row's `bm25()` as a part of the best row's.
    pub(super) fn score(&self, row: &Row<'_>, at: usize, part: f64) -> rusqlite::Result<f64> {
        let text = |column: usize| -> rusqlite::Result<Cow<'_, str>> {
            Ok(match row.get_ref(at + column)? {
                ValueRef::Text(bytes) => String::from_utf8_lossy(bytes),
                other => Cow::Owned(text_of(other).unwrap_or_default()),
            })
        };
        let texts = Texts {
            title: text(0)?,
            description: text(1)?,
            name: text(2)?,
            statement: text(3)?,
            other: text(4)?,
            confidence: text(5)?,
            is_helper: row.get(at + 6)?,
            project: text(7)?,
            day: row.get(at + 8)?,
        };
        Ok(SCALE * self.closeness(&texts, part) * self.standing(&texts))
    }

    /// How close a declaration is, by its name, docstring, statement and module.
    pub(crate) fn closeness_of(&self, texts: [&str; 4], part: f64) -> f64 {
        let [name, description, statement, other] = texts.map(Cow::Borrowed);
        let title = name.clone();
        let row = Texts { title, description, name, statement, other, ..Texts::default() };
        self.closeness(&row, part)
    }

    fn closeness(&self, row: &Texts<'_>, part: f64) -> f64 {
        let name = self.read(&row.name);
        let last = self.read(last_part(&row.name));
        let description = self.read(&row.description);
        let covered = self.covered(&[&name, &description], [&row.statement, &row.other]);
        let title = if row.title == row.name { 0.0 } else { self.title(&row.title) };
        let bold = bold(&row.description).map(|text| self.title(text));
        let in_name = if self.is_name { NAME_IN_NAME } else { NEIGHBOURS_IN_NAME };
        WORDS * part
            + COVERED * covered
            + LAST_NAME * part_of(&last)
            + NAME * part_of(&name)
            + DESCRIPTION
                * (self.covered(&[&description], [])
                    + part_of(&self.read(first_sentence(&row.description))))
            + NEIGHBOURS * self.neighbours(&description)
            + in_name * self.neighbours(&name)
            + TITLE * bold.fold(title, f64::max)
    }

    fn standing(&self, row: &Texts<'_>) -> f64 {
        let is_here = self.here.iter().any(|name| *name == row.project);
        let confidence = CONFIDENCE.iter().find(|(word, _)| *word == row.confidence);
        let age = self.now.zip(row.day).map_or(f64::MAX, |(now, day)| (now - day).max(0.0));
        (if is_here { THIS_PROJECT } else { 1.0 })
            * (if row.is_helper { HELPER } else { 1.0 })
            * confidence.map_or(1.0, |(_, factor)| *factor)
            * (1.0 + NEW * (-age / HALF_LIFE).exp2())
    }

    fn read(&self, text: &str) -> Text {
        let mut words = Vec::new();
        pieces(looked_at(text)).for_each(|(_, piece)| self.piece(&piece, &mut words));
        words
    }

    fn piece(&self, piece: &Piece<'_>, words: &mut Text) {
        match piece {
            Piece::Symbol(word) => words.push(self.which(word)),
            Piece::Name(name) if is_empty_word(name) => {}
            Piece::Name(name) => {
                let parts = name.split(|c: char| !is_word_char(c)).filter(|part| !part.is_empty());
                parts.for_each(|part| self.word(part, words));
            }
        }
    }

    /// Split in camel case where the query has the parts.
    fn word(&self, word: &str, found: &mut Vec<Option<usize>>) {
        if !word.chars().any(char::is_uppercase) {
            found.push(self.which(word));
            return;
        }
        let whole = self.which(&word.to_lowercase());
        let parts = if whole.is_some() { Vec::new() } else { camel_parts(word) };
        if parts.is_empty() {
            found.push(whole);
        } else {
            found.extend(parts.iter().map(|part| self.which(part)));
        }
    }

    fn which(&self, part: &str) -> Option<usize> {
        self.words.iter().position(|word| word.is(part))
    }

    /// `others` are read as far as something is missing.
    fn covered<const N: usize>(&self, texts: &[&Text], others: [&str; N]) -> f64 {
        let is_in = |at: usize| texts.iter().any(|text| text.contains(&Some(at)));
        let mut held: Vec<bool> = (0..self.words.len()).map(is_in).collect();
        let mut found = Vec::new();
        for (_, piece) in others.into_iter().flat_map(|text| pieces(looked_at(text))) {
            if held.iter().all(|is_held| *is_held) {
                break;
            }
            self.piece(&piece, &mut found);
            for at in found.drain(..).flatten() {
                held.get_mut(at).into_iter().for_each(|held| *held = true);
            }
        }
        let weights = held.iter().zip(&self.weights).filter(|(is_held, _)| **is_held);
        weights.map(|(_, weight)| weight).sum::<f64>() / self.total
    }

    /// Part of the query's neighbours that are neighbours in the text.
    fn neighbours(&self, text: &Text) -> f64 {
        let pairs = self.words.len().saturating_sub(1);
        let stands =
            |first: &usize| text.windows(2).any(|two| two == [Some(*first), Some(first + 1)]);
        if pairs == 0 { 0.0 } else { ratio((0..pairs).filter(stands).count(), pairs) }
    }

    fn title(&self, title: &str) -> f64 {
        let title = self.read(title);
        self.covered(&[&title], []) * part_of(&title)
    }
}

fn looked_at(text: &str) -> &str {
    text.get(..text.floor_char_boundary(TEXT_LIMIT)).unwrap_or(text)
}

/// Part of the words of a text that the query has.
fn part_of(words: &[Option<usize>]) -> f64 {
    ratio(words.iter().flatten().count(), words.len())
}

fn ratio(some: usize, all: usize) -> f64 {
    let number = |n: usize| u32::try_from(n).map_or(f64::MAX, f64::from);
    if all == 0 { 0.0 } else { number(some) / number(all) }
}

fn first_sentence(text: &str) -> &str {
    let ends = [". ", ".\n", "\n\n"].iter().filter_map(|end| text.find(end));
    text.get(..ends.min().unwrap_or(text.len())).unwrap_or(text)
}

fn bold(text: &str) -> impl Iterator<Item = &str> {
    text.split("**").skip(1).step_by(2).filter(|part| !part.trim().is_empty())
}

/// First place of each word.
pub(super) fn matches<'w>(text: &str, words: &'w [Word]) -> Vec<(usize, &'w str)> {
    let text = text.get(..text.floor_char_boundary(EXPLAINED)).unwrap_or(text);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for (at, piece) in pieces(text) {
        for part in piece.text().split(|c: char| !is_word_char(c)).filter(|part| !part.is_empty()) {
            let part = part.to_lowercase();
            for word in words {
                if word.is(&part) && found.iter().all(|(_, known)| *known != word.text) {
                    found.push((at, &word.text));
                }
            }
        }
    }
    found
}
