//! What could be said, packed by worth into a budget of tokens. Pure, and equal for equal items in any order.

mod cues;
mod named;
mod relevance;
mod wording;

use super::estimate;
use crate::text::vocabulary;

pub use cues::{Cues, cues};
pub use named::{Named, Names, named};
pub use relevance::{GUESS, Relevance, THRESHOLD, Word, by_name, by_words, has_fallen_silent};
pub use wording::{gist_item, item, marks};

pub const FIRST: u8 = 1;
/// Playbooks make way for everything else.
pub const PLAYBOOK: u8 = 5;
/// UTF-16 units: beyond 10,000 the client shows a preview instead.
const MOST_UNITS: usize = 9_900;

#[derive(Debug, Clone, PartialEq)]
pub struct ContextItem {
    /// `#12`, or the id of a problem.
    pub label: String,
    /// Row number.
    pub finding: Option<i64>,
    /// 1 (first) to 5 (playbooks).
    pub priority: u8,
    /// Compared within one priority.
    pub relevance: f64,
    /// Behind the label, where the body does not fit.
    pub title: String,
    /// Behind the label.
    pub body: String,
}

vocabulary! {
    /// As the ledger words it.
    Representation {
        Body = "body",
        /// Label and title.
        Index = "index",
    }
}

impl ContextItem {
    fn text(&self, representation: Representation) -> String {
        let rest = match representation {
            Representation::Body => &self.body,
            Representation::Index => &self.title,
        };
        format!("{} {rest}", self.label).trim_end().to_owned()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct PackedItem {
    pub item: ContextItem,
    pub representation: Representation,
    /// Added tokens; the first item carries the header.
    pub tokens: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Packed {
    pub text: String,
    pub tokens: usize,
    /// In order.
    pub items: Vec<PackedItem>,
    pub left_out: Vec<ContextItem>,
}

/// At most `most` items within `budget` tokens: by priority, then relevance, then newest first. A body that does not fit
/// gives way to its title. Once an item is left out no playbook is shown: they never take the place of something else.
/// Of equal labels the better one counts.
pub fn pack(header: &str, items: Vec<ContextItem>, budget: usize, most: usize) -> Packed {
    let mut packed = Packed::default();
    for item in ordered(items) {
        let crowded = item.priority >= PLAYBOOK && !packed.left_out.is_empty();
        let place = (packed.items.len() < most && !crowded)
            .then_some([Representation::Body, Representation::Index])
            .into_iter()
            .flatten()
            .find_map(|representation| {
                let text = packed.with(header, &item.text(representation));
                fits(&text, budget).then_some((representation, text))
            });
        let Some((representation, text)) = place else {
            packed.left_out.push(item);
            continue;
        };
        let total = estimate(&text);
        let tokens = total.saturating_sub(packed.tokens);
        packed.items.push(PackedItem { item, representation, tokens });
        (packed.text, packed.tokens) = (text, total);
    }
    packed
}

impl Packed {
    fn with(&self, header: &str, lines: &str) -> String {
        let begun = if self.text.is_empty() { header } else { &self.text };
        if begun.is_empty() { lines.to_owned() } else { format!("{begun}\n{lines}") }
    }
}

fn fits(text: &str, budget: usize) -> bool {
    estimate(text) <= budget && text.encode_utf16().count() <= MOST_UNITS
}

/// Each label once.
fn ordered(mut items: Vec<ContextItem>) -> Vec<ContextItem> {
    items.sort_by(|a, b| {
        a.priority
            .cmp(&b.priority)
            .then(b.relevance.total_cmp(&a.relevance))
            .then(b.finding.cmp(&a.finding))
            .then_with(|| a.label.cmp(&b.label))
            .then_with(|| a.body.cmp(&b.body))
            .then_with(|| a.title.cmp(&b.title))
    });
    let mut seen = std::collections::HashSet::new();
    items.retain(|item| seen.insert(item.label.clone()));
    items
}

#[cfg(test)]
mod tests;
