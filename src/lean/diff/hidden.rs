//! Where the text of a declaration went that is no longer code: into a comment, or behind `#exit`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::lean::kind::TrustKind;
use crate::lean::scanner::outline;
use crate::lean::signature::{Statements, last_part};

/// How declarations were taken out of the code: at which line, by the last part of their names.
#[derive(Debug)]
pub(super) struct Hidden {
    lines: HashMap<String, usize>,
    exit: Option<usize>,
}

impl Hidden {
    /// Reads what is not code in the new text and was no comment in the old one as if it were code:
    /// each part where it stands, with blanks for everything else.
    pub(super) fn find(old: &Statements<'_>, new: &Statements<'_>) -> Self {
        let comment = |range: &Range<usize>| old.text.get(range.clone());
        let before: HashSet<&str> = old.outline.comments.iter().filter_map(comment).collect();
        let mut shown: Vec<u8> =
            new.text.bytes().map(|b| if b == b'\n' { b'\n' } else { b' ' }).collect();
        let mut show = |text: &str, start: usize| {
            if let Some(place) = shown.get_mut(start..start + text.len()) {
                place.copy_from_slice(text.as_bytes());
            }
        };
        for range in &new.outline.comments {
            let text = new.text.get(range.clone()).unwrap_or_default();
            let inner = text.trim_start_matches(['-', '/', '!']);
            if !before.contains(text) {
                show(inner.trim_end_matches("-/"), range.end - inner.len());
            }
        }
        let mut marks = new.outline.loose_trust.iter();
        let exit = marks.find(|trust| trust.kind == TrustKind::Exit).map(|trust| trust.line);
        if let Some(exit) = exit {
            let rest: usize = new.text.split_inclusive('\n').take(exit).map(str::len).sum();
            show(new.text.get(rest..).unwrap_or_default(), rest);
        }
        let shown = String::from_utf8(shown).unwrap_or_default();
        let declarations = outline(&shown).declarations.into_iter().rev();
        let lines = declarations.filter_map(|d| Some((last_part(&d.name?).to_owned(), d.line)));
        Self { lines: lines.collect(), exit }
    }

    pub(super) fn way(&self, name: &str) -> Option<String> {
        let line = *self.lines.get(last_part(name))?;
        Some(match self.exit {
            Some(exit) if exit < line => format!("behind `#exit` at line {exit}"),
            _ => format!("commented out at line {line}"),
        })
    }
}
