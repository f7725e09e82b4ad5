//! The report of an import, and the parts that every report of stored records has.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::app::import::ImportReport;
use crate::model::{Counts, Report};
use crate::text::{clean, clip};

/// Row numbers that are named for one reason.
const MOST_ROWS: usize = 8;

/// The report of `mk import`.
pub fn import(import: &ImportReport) -> String {
    let report = &import.report;
    let path = clean(&import.path);
    let rows = import.rows;
    let counts = report.counts;
    let is_news = counts.inserted + counts.updated + counts.removed > 0;
    let mut text = match (import.dry_run, is_news) {
        (true, true) => format!("Would import {path} ({rows} rows); nothing was stored\n"),
        (false, true) => format!("Imported {path} ({rows} rows)\n"),
        (_, false) if counts.unchanged > 0 => {
            format!("Nothing new in {path} ({rows} rows): all of it was known\n")
        }
        (_, false) => format!("Nothing to import in {path} ({rows} rows)\n"),
    };
    text.push('\n');
    text.push_str(&sums(report));
    text.push_str(&skipped(report));
    if counts.inserted > 0 && !import.dry_run {
        text.push_str("\nNext: `mk brief` for the state, `mk search WORDS` to find it again.\n");
    }
    text
}

/// What happened to the records, a line a kind; columns in which nothing happened are left out.
pub fn sums(report: &Report) -> String {
    type Column = (&'static str, fn(&Counts) -> u64);
    let columns: [Column; 5] = [
        ("inserted", |c| c.inserted),
        ("updated", |c| c.updated),
        ("unchanged", |c| c.unchanged),
        ("removed", |c| c.removed),
        ("skipped", |c| c.skipped),
    ];
    let columns: Vec<Column> =
        columns.into_iter().filter(|(_, count)| count(&report.counts) > 0).collect();
    if columns.is_empty() {
        return String::new();
    }
    let first = report.by_kind.keys().map(String::len).max().unwrap_or(0).max("total".len());
    let mut text = " ".repeat(first + 2);
    for (name, _) in &columns {
        write!(text, "  {name:>9}").ok();
    }
    text.push('\n');
    let total = [("total", report.counts)];
    let kinds = report.by_kind.iter().map(|(kind, counts)| (kind.as_str(), *counts));
    for (name, counts) in kinds.chain(total) {
        let name = name.replace('_', " ");
        write!(text, "  {name:first$}").ok();
        for (_, count) in &columns {
            let count = Some(count(&counts)).filter(|count| *count > 0);
            write!(text, "  {:>9}", count.map_or("-".to_owned(), |count| count.to_string())).ok();
        }
        text.push('\n');
    }
    text
}

/// What was skipped, by place and reason; empty where nothing was.
pub fn skipped(report: &Report) -> String {
    let mut reasons: BTreeMap<(&str, &str), Vec<Option<u64>>> = BTreeMap::new();
    for reject in &report.problems {
        // Rows that repeat others differ in the row that they repeat only.
        let reason = if reject.reason.starts_with("repeats row ") {
            "the same as an earlier row"
        } else {
            reject.reason.as_str()
        };
        reasons.entry((&reject.path, reason)).or_default().push(reject.line);
    }
    if reasons.is_empty() {
        return String::new();
    }
    let mut text = "\nSkipped:\n".to_owned();
    for ((path, reason), lines) in reasons {
        writeln!(text, "  {}: {}{}", clean(path), clip(&clean(reason), 200), rows(&lines)).ok();
    }
    text
}

/// `: 12 rows (3, 17, ...)`, ` (row 3)`; empty where no row is known.
fn rows(lines: &[Option<u64>]) -> String {
    let known: Vec<String> = lines.iter().flatten().map(u64::to_string).collect();
    match known.as_slice() {
        [] => String::new(),
        [row] => format!(" (row {row})"),
        rows => {
            let more = if rows.len() > MOST_ROWS { ", ..." } else { "" };
            let named: Vec<&str> = rows.iter().take(MOST_ROWS).map(String::as_str).collect();
            format!(": {} rows ({}{more})", rows.len(), named.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, Put};

    fn report() -> ImportReport {
        let mut report = Report::default();
        for id in 0..3 {
            report.finding(Kind::Theorem, Put::Inserted(id));
        }
        report.finding(Kind::FalseLemma, Put::Updated(4));
        report.record("problem", Put::Unchanged(1));
        for row in 1..=12 {
            report.skip("proven_theorems", Some(row), "its proof is not complete");
        }
        report.skip("false_lemmas", Some(9), "repeats row 3");
        report.by_kind.entry("theorem".into()).or_default().skipped = 12;
        report.by_kind.entry("false_lemma".into()).or_default().skipped = 1;
        ImportReport { path: "submissions/tracking.db".into(), dry_run: false, rows: 17, report }
    }

    #[test]
    fn an_import_says_what_it_did_and_what_not() {
        insta::assert_snapshot!(import(&report()), @r"
        Imported submissions/tracking.db (17 rows)

                        inserted    updated  unchanged    skipped
          false lemma          -          1          -          1
          problem              -          -          1          -
          theorem              3          -          -         12
          total                3          1          1         13

        Skipped:
          false_lemmas: the same as an earlier row (row 9)
          proven_theorems: its proof is not complete: 12 rows (1, 2, 3, 4, 5, 6, 7, 8, ...)

        Next: `mk brief` for the state, `mk search WORDS` to find it again.
        ");
    }

    #[test]
    fn an_import_without_news_says_so() {
        let mut known = ImportReport { report: Report::default(), ..report() };
        assert_eq!(import(&known), "Nothing to import in submissions/tracking.db (17 rows)\n\n");
        known.report.record("problem", Put::Unchanged(1));
        insta::assert_snapshot!(import(&known), @r"
        Nothing new in submissions/tracking.db (17 rows): all of it was known

                   unchanged
          problem          1
          total            1
        ");
    }
}
