//! Context assembly: what could be said, with what it is worth, packed into a budget of tokens.
//!
//! Pure, and the same bytes for the same items in whatever order they come.

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

/// The priority of what matters most.
pub const FIRST: u8 = 1;
/// The priority of playbooks, which make way for everything else.
pub const PLAYBOOK: u8 = 5;
/// UTF-16 units that a text never exceeds: beyond 10,000 the client shows a preview instead.
const MOST_UNITS: usize = 9_900;

/// Something that could be said.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextItem {
    /// How it is called: `#12`, or the id of a problem.
    pub label: String,
    /// Row number of the finding; `None` for what is no finding.
    pub finding: Option<i64>,
    /// 1 for what matters most, up to 5 for playbooks.
    pub priority: u8,
    /// Larger is better; compared within one priority only.
    pub relevance: f64,
    /// One line behind the label, where the body does not fit.
    pub title: String,
    /// The whole, behind the label.
    pub body: String,
}

vocabulary! {
    /// How an item is shown; the word is the ledger's.
    Representation {
        Body = "body",
        /// Label and title.
        Index = "index",
    }
}

impl ContextItem {
    /// The lines of the item in a representation.
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
    /// What it adds to the text, in tokens; the first one carries the header too.
    pub tokens: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Packed {
    /// The text; empty where no item fits.
    pub text: String,
    pub tokens: usize,
    /// What is in it, in order.
    pub items: Vec<PackedItem>,
    /// What is not, in the same order.
    pub left_out: Vec<ContextItem>,
}

/// Packs items below a header into a budget of tokens, at most `most` of them.
///
/// Higher priority comes first, within a priority what is more relevant, then what is newer. An item
/// whose body does not fit is shown by its title; one whose title does not fit is left out, and from
/// then on no playbook is shown: they are an extra, never in place of something else. Of two items with
/// one label the better one counts.
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

/// Items in the order in which they are placed, each label once.
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
