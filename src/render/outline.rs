//! The text view of outlines.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::app::outline::{COMMAND, Entry, FileEntry, Report, Totals};
use crate::text::{clean, clip, plural, width};

/// Declarations line by line, file by file, and the totals. In brief, files of which there is
/// nothing to tell are left out.
pub fn text(report: &Report, columns: usize, brief: bool) -> String {
    let mut by_file: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &report.declarations {
        by_file.entry(&entry.file).or_default().push(entry);
    }
    let mut out = String::new();
    for file in &report.files {
        let entries = by_file.remove(file.file.as_str()).unwrap_or_default();
        if brief && entries.is_empty() && file.remarks.is_empty() {
            continue;
        }
        section(&mut out, file, &entries, columns);
    }
    summary(&mut out, &report.totals);
    out
}

fn section(out: &mut String, file: &FileEntry, entries: &[&Entry], columns: usize) {
    let module = if file.module { ", a module" } else { "" };
    let lines = plural(file.lines, "line");
    writeln!(out, "{} ({lines}{module})", clean(&file.file)).ok();
    for remark in &file.remarks {
        let place = remark.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        writeln!(out, "  ! {place}{}", remark.text).ok();
    }
    let widest = entries.iter().map(|entry| width(entry.kind)).max().unwrap_or(0);
    for entry in entries {
        writeln!(out, "{}", row(entry, widest, columns)).ok();
    }
    out.push('\n');
}

/// Line, kind, name, gaps and trust markers; the name gives way where the line is too long.
fn row(entry: &Entry, kind_width: usize, columns: usize) -> String {
    let name = match (&entry.name, entry.kind) {
        (Some(name), _) => clean(name),
        (None, COMMAND) => clean(&entry.statement),
        (None, _) => "(no name)".to_owned(),
    };
    let mut marks = String::new();
    let gaps = entry.gaps.iter().map(|gap| (gap.kind, gap.line, gap.column));
    for (kind, places) in grouped(gaps) {
        write!(marks, "  [{kind} {places}]").ok();
    }
    let trust = entry.trust.iter().map(|trust| (trust.kind, trust.line, trust.column));
    for (kind, places) in grouped(trust) {
        write!(marks, "  <{kind} {places}>").ok();
    }
    let head = format!("{:>6}  {:kind_width$}  ", entry.line, entry.kind);
    let room = columns.saturating_sub(width(&head) + width(&marks)).max(20);
    [head, clip(&name, room), marks].concat()
}

/// The places of each kind as `line:column`, three at most and how many more there are.
fn grouped(
    marks: impl Iterator<Item = (&'static str, usize, usize)>,
) -> BTreeMap<&'static str, String> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (kind, line, column) in marks {
        places.entry(kind).or_default().push(format!("{line}:{column}"));
    }
    let shown = |places: Vec<String>| match places.len() {
        0..=3 => places.join(", "),
        all => format!(
            "{}, +{}",
            places.iter().take(3).cloned().collect::<Vec<_>>().join(", "),
            all - 3
        ),
    };
    places.into_iter().map(|(kind, places)| (kind, shown(places))).collect()
}

fn summary(out: &mut String, totals: &Totals) {
    let files = if totals.files == 1 {
        String::new()
    } else {
        format!("{}, ", plural(totals.files, "file"))
    };
    let declarations = plural(totals.declarations, "declaration");
    let gaps = plural(totals.gaps, "gap");
    let trust = plural(totals.trust, "trust marker");
    writeln!(out, "{files}{declarations}, {gaps}, {trust}").ok();
}
