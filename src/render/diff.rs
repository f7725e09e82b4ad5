//! The text view of a diff: one paragraph a declaration, in the order of the new file.

use std::collections::BTreeMap;

use crate::app::diff::{ChangeEntry, Report};
use crate::lean::ChangeKind;
use crate::text::{clean, clip, width};
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};

/// What happened to each declaration, and a line of sums on top.
pub fn diff(report: &Report, columns: usize) -> String {
    let mut page = Page::new(columns);
    let title = format!("{} -> {}", clean(&report.old), clean(&report.new));
    page.line(0, &paint(Tone::Heading, &clip(&title, columns)));
    page.line(0, &sums(report));
    let kinds = report.changes.iter().filter_map(|change| change.kind.map(width));
    let widest = kinds.max().unwrap_or(0).max(width(OUTSIDE));
    let mut last = None;
    for change in &report.changes {
        if last != Some(subject(change)) {
            page.blank();
            page.line(0, &headline(change, widest, columns));
            last = Some(subject(change));
        }
        told(&mut page, change);
    }
    page.into_text()
}

/// What a change of the file outside of declarations is called.
const OUTSIDE: &str = "command";

/// Depth of indentation below the name of a declaration.
const DEPTH: usize = 4;

type Subject<'a> = (Option<&'a str>, Option<usize>, Option<usize>);

fn subject(change: &ChangeEntry) -> Subject<'_> {
    (change.name.as_deref(), change.line_old, change.line_new)
}

fn sums(report: &Report) -> String {
    let mut counts: BTreeMap<ChangeKind, usize> = BTreeMap::new();
    for change in &report.changes {
        *counts.entry(change.change).or_default() += 1;
    }
    if counts.is_empty() {
        let all = report.declarations;
        let s = if all == 1 { "" } else { "s" };
        return format!("{all} declaration{s}, none of them changed");
    }
    let told = counts.into_iter().map(|(kind, count)| {
        paint(tone(kind), &format!("{count} {}", kind.as_str().replace('_', " ")))
    });
    told.collect::<Vec<_>>().join(", ")
}

fn headline(change: &ChangeEntry, widest: usize, columns: usize) -> String {
    let line = match (change.line_new, change.line_old) {
        (Some(line), _) => line.to_string(),
        (None, Some(line)) => format!("-{line}"),
        (None, None) => String::new(),
    };
    let kind = change.kind.unwrap_or(OUTSIDE);
    let name = match (&change.name, &change.new_name) {
        (Some(name), Some(new)) => format!("{} -> {}", clean(name), clean(new)),
        (Some(name), None) => clean(name),
        (None, Some(new)) => clean(new),
        (None, None) if change.kind.is_some() => "(no name)".to_owned(),
        (None, None) => String::new(),
    };
    let head = format!("{line:>5}  {kind:widest$}  ");
    let room = columns.saturating_sub(width(&head)).max(20);
    let gone = change.line_new.is_none();
    let name = paint(if gone { Tone::Faint } else { Tone::Heading }, &clip(&name, room));
    format!("{head}{name}").trim_end().to_owned()
}

fn told(page: &mut Page, change: &ChangeEntry) {
    let words = change.change.as_str().replace('_', " ");
    let painted = paint(tone(change.change), &words);
    let between = if change.detail.starts_with("with ") { ", " } else { ": " };
    let room = page.room(DEPTH).saturating_sub(width(&words) + between.len());
    if let Some((old, new)) = &change.statements {
        let kinds = change.detail.split_once(": `").map_or("", |(kinds, _)| kinds);
        let between = if kinds.starts_with("was ") { between } else { "" };
        let kinds = if between.is_empty() { "" } else { kinds };
        page.line(DEPTH, &format!("{painted}{between}{kinds}"));
        page.paragraph(DEPTH + 1, &format!("- {}", old.trim_end()));
        page.paragraph(DEPTH + 1, &format!("+ {}", new.trim_end()));
    } else if change.detail.is_empty() {
        page.line(DEPTH, &painted);
    } else {
        page.line(DEPTH, &format!("{painted}{between}{}", clip(&clean(&change.detail), room)));
    }
}

fn tone(kind: ChangeKind) -> Tone {
    match kind {
        ChangeKind::Proved | ChangeKind::GapClosed | ChangeKind::TrustRemoved => Tone::Good,
        ChangeKind::ProofLost | ChangeKind::Removed => Tone::Bad,
        ChangeKind::StatementChanged | ChangeKind::GapAdded | ChangeKind::TrustAdded => {
            Tone::Caution
        }
        ChangeKind::Added => Tone::Neutral,
        ChangeKind::Renamed | ChangeKind::Moved | ChangeKind::ProofChanged => Tone::Faint,
    }
}
