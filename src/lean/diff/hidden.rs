//! Where the text of a declaration went that is no longer code: into a comment, or behind `#exit`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::lean::kind::TrustKind;
use crate::lean::scanner::outline;
use crate::lean::signature::{Statements, last_part};

/// How declarations were taken out of the code, by the last part of their names.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    ways: HashMap<String, String>,
}

impl Hidden {
    /// Looks through what is not code in the new text and was code in the old one.
    pub(super) fn find(old: &Statements<'_>, new: &Statements<'_>) -> Self {
        let mut hidden = Self::default();
        let before: HashSet<&str> =
            old.outline.comments.iter().filter_map(|range| old.text.get(range.clone())).collect();
        for block in blocks(new) {
            let text = new.text.get(block.clone()).unwrap_or_default();
            if !before.contains(text) {
                let line = 1 + lines(new.text.get(..block.start).unwrap_or_default());
                hidden.read(&uncommented(text), &format!("commented out at line {line}"));
            }
        }
        hidden.behind_exit(new);
        hidden
    }

    /// How a declaration of this name was hidden.
    pub(super) fn way(&self, name: &str) -> Option<&str> {
        self.ways.get(last_part(name)).map(String::as_str)
    }

    fn read(&mut self, text: &str, way: &str) {
        for declaration in outline(text).declarations {
            if let Some(name) = declaration.name {
                self.ways.entry(last_part(&name).to_owned()).or_insert_with(|| way.to_owned());
            }
        }
    }

    fn behind_exit(&mut self, new: &Statements<'_>) {
        let exit = new.outline.loose_trust.iter().find(|trust| trust.kind == TrustKind::Exit);
        let Some(exit) = exit else { return };
        let rest = new.text.split_inclusive('\n').skip(exit.line - 1);
        let rest: String = rest.collect();
        let rest = rest.split_once("#exit").map_or("", |(_, rest)| rest);
        self.read(rest, &format!("behind `#exit` at line {}", exit.line));
    }
}

fn lines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

/// The comments of a text; line comments that follow each other are one.
fn blocks(version: &Statements<'_>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for range in &version.outline.comments {
        let text = |range: Range<usize>| version.text.get(range).unwrap_or_default();
        let goes_on = found.last().is_some_and(|last| {
            let between = text(last.end..range.start);
            text(last.clone()).starts_with("--")
                && text(range.clone()).starts_with("--")
                && between.trim().is_empty()
        });
        match found.last_mut() {
            Some(last) if goes_on => last.end = range.end,
            _ => found.push(range.clone()),
        }
    }
    found
}

/// The text inside of a comment.
fn uncommented(comment: &str) -> String {
    if let Some(inner) = comment.strip_prefix("/-") {
        let inner = inner.trim_start_matches(['-', '!']);
        return inner.strip_suffix("-/").unwrap_or(inner).to_owned();
    }
    let mut text = String::with_capacity(comment.len());
    for line in comment.lines() {
        let line = line.trim_start();
        let line = line.strip_prefix("--").unwrap_or(line);
        text.push_str(line.strip_prefix(' ').unwrap_or(line));
        text.push('\n');
    }
    text
}
