//! Why a finding was found: which texts hold the query's words, and the best snippet.

use super::query::Word;
use super::question::Stage;
use super::symbols::{is_word_char, pieces};
use crate::model::Draft;
use crate::text::{clip, one_line};

const SNIPPET: usize = 160;
const LOOKED_AT: usize = 20_000;
const LEAD: usize = 40;

pub(super) fn stage(stage: Stage, words: &[Word]) -> &'static str {
    match stage {
        Stage::Exact => "exact name or problem",
        Stage::AllWords if words.len() == 1 => "holds the word",
        Stage::AllWords => "holds all words",
        Stage::AnyWord => "holds some of the words",
        Stage::Prefix => "holds words that begin so",
        Stage::Newest => "passes the filters",
        Stage::None => "",
    }
}

pub(super) fn explain(finding: &Draft, words: &[Word]) -> (String, Vec<String>) {
    let texts = finding.searched();
    let mut reasons = Vec::new();
    // The title is shown beside the snippet.
    let (mut best, mut best_count) = (None, 0);
    for (label, text) in &texts {
        let found = matches(text, words);
        if found.is_empty() {
            continue;
        }
        let listed: Vec<&str> = found.iter().map(|(_, word)| *word).collect();
        reasons.push(format!("{label}: {}", listed.join(", ")));
        if *label != "title" && found.len() > best_count {
            best_count = found.len();
            best = Some((text.as_ref(), found.iter().map(|(at, _)| *at).min().unwrap_or(0)));
        }
    }
    let described =
        if finding.description.is_empty() { &finding.title } else { &finding.description };
    let snippet = best.map_or_else(|| clip(&one_line(described), SNIPPET), |(t, at)| around(t, at));
    (snippet, reasons)
}

/// First place of each word.
fn matches<'w>(text: &str, words: &'w [Word]) -> Vec<(usize, &'w str)> {
    let looked_at = text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or(text);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for (at, piece) in pieces(looked_at) {
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

fn around(text: &str, at: usize) -> String {
    let start = text.floor_char_boundary(at.saturating_sub(LEAD));
    let start = text
        .get(start..at)
        .filter(|_| start > 0)
        .and_then(|lead| lead.find(char::is_whitespace))
        .map_or(start, |blank| start + blank);
    let piece = one_line(text.get(start..).unwrap_or(text));
    clip(&if start > 0 { format!("…{piece}") } else { piece }, SNIPPET)
}
