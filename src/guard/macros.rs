//! Macros that leave a gap: a proof that uses one is not finished, though no `sorry` stands in it.

use std::collections::HashSet;

use crate::lean::{self, Outline, TokenKind, TrustKind};

/// More gaps outside of declarations are not traced to their macros.
const MOST_GAPS: usize = 100;

/// The words for which macros of a text put in a gap.
pub(super) fn gap_words(outline: &Outline, text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    for gap in outline.loose_gaps.iter().take(MOST_GAPS) {
        let before = outline.loose_trust.iter().filter(|trust| {
            trust.line <= gap.line && matches!(trust.kind, TrustKind::Macro | TrustKind::Elab)
        });
        let Some(command) = before.max_by_key(|trust| (trust.line, trust.column)) else { continue };
        // `macro "word" ... => ...`, `macro_rules | `(tactic| word) => ...`
        let start = line_start(text, command.line);
        let head = text.get(start..gap.span.start).unwrap_or_default();
        let head = head.rsplit_once("=>").map_or(head, |(head, _)| head);
        for token in lean::lex(head) {
            let spelling = token.text(head);
            if token.kind == TokenKind::Str {
                found.insert(spelling.trim_matches('"').trim().to_owned());
            } else if token.kind == TokenKind::Ident && command.what.starts_with("macro_rules") {
                found.insert(spelling.to_owned());
            }
        }
    }
    for word in ["macro_rules", "tactic", "term", "command"] {
        found.remove(word);
    }
    found
}

/// The first of the words that stands in a body and did not stand in the old one.
pub(super) fn used<'w>(words: &'w HashSet<String>, old: &str, new: &str) -> Option<&'w str> {
    let names = |text| {
        let tokens = lean::lex(text).into_iter().filter(|token| token.kind == TokenKind::Ident);
        tokens.map(|token| token.text(text)).collect::<HashSet<&str>>()
    };
    let (old, new) = (names(old), names(new));
    let mut used =
        words.iter().filter(|word| new.contains(word.as_str()) && !old.contains(word.as_str()));
    used.next().map(String::as_str)
}

fn line_start(text: &str, line: usize) -> usize {
    let mut ends = text.match_indices('\n').map(|(at, _)| at + 1);
    line.checked_sub(2).and_then(|skipped| ends.nth(skipped)).unwrap_or(0)
}
