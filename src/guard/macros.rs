//! Macros, notation and tactics of a file that leave a gap: a proof that uses one is not finished,
//! though no `sorry` stands in it.

use std::collections::HashSet;

use super::audit::makes_gaps;
use crate::lean::{self, Outline, TokenKind, TrustKind};

/// More gaps outside of declarations are not traced to their macros.
const MOST_GAPS: usize = 100;

/// The words for which macros, notation and tactics of a text put in a gap.
pub(super) fn gap_words(outline: &Outline, text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    let makes_words =
        |kind| matches!(kind, TrustKind::Macro | TrustKind::Elab | TrustKind::Notation);
    let commands = || outline.loose_trust.iter().filter(|trust| makes_words(trust.kind));
    for gap in outline.loose_gaps.iter().take(MOST_GAPS) {
        let before = commands().filter(|trust| trust.line <= gap.line);
        let Some(command) = before.max_by_key(|trust| (trust.line, trust.column)) else { continue };
        // `macro "word" ... => ...`, `macro_rules | `(tactic| word) => ...`
        let start = line_start(text, command.line);
        add_words(&command.what, text.get(start..gap.span.start).unwrap_or_default(), &mut found);
    }
    for command in commands().filter(|trust| trust.kind == TrustKind::Elab).take(MOST_GAPS) {
        let code = command_at(text, command.line);
        let names = lean::lex(code).into_iter().filter(|token| token.kind == TokenKind::Ident);
        let mut admitting = names.filter(|token| makes_gaps(token.text(code)));
        if let Some(token) = admitting.next() {
            add_words(&command.what, code.get(..token.start).unwrap_or_default(), &mut found);
        }
    }
    // A macro that uses one of them.
    let mut known = HashSet::new();
    while found.len() > known.len() {
        known.clone_from(&found);
        for command in commands().take(MOST_GAPS) {
            let code = command_at(text, command.line);
            let makes = code
                .rfind("=>")
                .filter(|at| used(&known, "", code.get(*at..).unwrap_or_default()).is_some());
            if let Some(at) = makes {
                add_words(&command.what, code.get(..at + 2).unwrap_or_default(), &mut found);
            }
        }
    }
    for word in ["macro_rules", "elab_rules", "tactic", "term", "command", ""] {
        found.remove(word);
    }
    found
}

/// Whether a text may have code that closes goals without a proof.
pub(super) fn has_makers(text: &str) -> bool {
    ["Sorry", "sorryAx", "admit"].iter().any(|maker| text.contains(maker))
}

/// What closes goals in a body without a proof, by the code that a tactic runs.
pub(super) fn maker(body: &str) -> Option<&str> {
    let tokens = lean::lex(body).into_iter().filter(|token| match token.kind {
        TokenKind::Ident => makes_gaps(token.text(body)),
        TokenKind::NameLit => token.text(body).trim_start_matches('`') == "sorryAx",
        _ => false,
    });
    tokens.map(|token| token.text(body)).next()
}

/// The line of the first command that speaks of one of the words.
pub(super) fn first_line(words: &HashSet<String>, outline: &Outline, text: &str) -> Option<usize> {
    let lines = outline.loose_trust.iter().map(|trust| trust.line);
    let speaks = |line: &usize| {
        let code = command_at(text, *line);
        words.iter().any(|word| code.contains(word.as_str()))
    };
    lines.filter(speaks).min()
}

/// Adds the word that a command defines: the first string of it, or the names in the pattern of the
/// rule that its head ends with.
fn add_words(command: &str, head: &str, found: &mut HashSet<String>) {
    let rules = command.starts_with("macro_rules") || command.starts_with("elab_rules");
    let cut = if rules { head.rfind("=>") } else { head.find("=>") };
    let head = cut.and_then(|cut| head.get(..cut)).unwrap_or(head);
    let pattern = head.rfind("`(").filter(|_| rules).unwrap_or(0);
    let head = head.get(pattern..).unwrap_or_default();
    for token in lean::lex(head) {
        let spelling = token.text(head);
        if token.kind == TokenKind::Str {
            found.insert(spelling.trim_matches('"').trim().to_owned());
            if !rules {
                return;
            }
        } else if token.kind == TokenKind::Ident && rules {
            found.insert(spelling.to_owned());
        }
    }
}

pub(super) fn command_at(text: &str, line: usize) -> &str {
    let rest = text.get(line_start(text, line)..).unwrap_or_default();
    rest.get(..command_end(rest)).unwrap_or(rest)
}

/// Where the command with which a text begins ends: at the next line that is not indented.
fn command_end(text: &str) -> usize {
    let mut lines = text.match_indices('\n').map(|(at, _)| at + 1);
    let begins = |at: &usize| {
        let line = text.get(*at..).unwrap_or_default();
        line.starts_with(|c: char| !c.is_whitespace() && c != '|')
    };
    lines.find(begins).unwrap_or(text.len())
}

/// The first of the words that stands in a body and did not stand in the old one.
pub(super) fn used<'w>(words: &'w HashSet<String>, old: &str, new: &str) -> Option<&'w str> {
    let names = |text| {
        let tokens = lean::lex(text).into_iter().filter(|token| token.kind == TokenKind::Ident);
        tokens.map(|token| token.text(text)).collect::<HashSet<&str>>()
    };
    let (names_old, names_new) = (names(old), names(new));
    let mut used = words.iter().filter(|word| {
        let word = word.as_str();
        if word.contains(char::is_alphanumeric) {
            names_new.contains(word) && !names_old.contains(word)
        } else {
            new.contains(word) && !old.contains(word)
        }
    });
    used.next().map(String::as_str)
}

fn line_start(text: &str, line: usize) -> usize {
    let mut ends = text.match_indices('\n').map(|(at, _)| at + 1);
    line.checked_sub(2).and_then(|skipped| ends.nth(skipped)).unwrap_or(0)
}
