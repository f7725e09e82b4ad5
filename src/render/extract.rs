//! What `mk extract` says: a file with its findings, many files as a table, the sums.

use std::fmt::Write as _;

use crate::app::extract::{ExtractReport, FileReport, FindingLine};
use crate::model::Domain;
use crate::text;
use crate::ui::layout::{Column, Page};

/// With more files than this, only their sums are shown, unless all are asked for.
const MOST_FILES: usize = 25;
/// Left-out files that are named.
const MOST_PROBLEMS: usize = 15;

/// The report of `mk extract`.
pub fn extract(report: &ExtractReport, verbose: bool, width: usize) -> String {
    let mut text = match report.files.as_slice() {
        [] => String::new(),
        [file] => one_file(file, report.dry_run, width),
        files if report.dry_run => {
            files.iter().map(|file| one_file(file, true, width)).collect::<Vec<_>>().join("\n")
        }
        files if verbose || files.len() <= MOST_FILES => table(files, width),
        _ => String::new(),
    };
    text.push_str(&sums(report));
    let is_empty =
        |reason: &str| reason.starts_with("holds ") || reason.starts_with("proves nothing");
    let problems = report.report.problems.iter().filter(|one| verbose || !is_empty(&one.reason));
    let problems: Vec<String> = problems
        .map(|one| format!("  {}: {}\n", text::clean(&one.path), text::clean(&one.reason)))
        .collect();
    let shown = if verbose { problems.len() } else { MOST_PROBLEMS.min(problems.len()) };
    text.extend(problems.iter().take(shown).map(String::as_str));
    if problems.len() > shown {
        let more = problems.len() - shown;
        writeln!(text, "  ... and {more} more (--verbose names them)").ok();
    }
    text
}

fn one_file(file: &FileReport, dry_run: bool, width: usize) -> String {
    let overview = &file.overview;
    let slot = overview.slot.map_or_else(String::new, |slot| format!(" from slot{slot}"));
    let verb = if dry_run { "Would store" } else { "Extracted" };
    let count = file.findings.len();
    let findings = if count == 1 { "finding" } else { "findings" };
    let mut lines = vec![
        format!("{verb} {count} {findings}{slot} ({})", text::clean(&file.path)),
        format!(
            "  Problem: {} | Domain: {} | Technique: {}",
            or_unknown(overview.problem.as_deref()),
            or_unknown(overview.domain.as_deref().map(Domain::title_of).as_deref()),
            or_unknown(overview.technique.as_deref()),
        ),
        format!(
            "  Declarations: {} | Proven: {} | Sorry: {} | Axioms: {} | Imports: {}{}",
            overview.declarations,
            overview.proven,
            overview.gaps,
            overview.axioms.len(),
            overview.imports,
            if overview.header { " | Prover's header: yes" } else { "" },
        ),
    ];
    for (what, names) in
        [("Open", &overview.open), ("FALSE", &overview.negated), ("Axioms", &overview.axioms)]
    {
        if !names.is_empty() {
            lines.push(text::clip(&format!("  {what}: {}", text::clean(&names.join(", "))), width));
        }
    }
    let mut text = lines.join("\n") + "\n";
    if dry_run && count > 0 {
        text.push_str(&findings_table(file, width));
    }
    text
}

fn or_unknown(word: Option<&str>) -> String {
    word.map_or_else(|| "unknown".to_owned(), text::clean)
}

fn findings_table(file: &FileReport, width: usize) -> String {
    let columns = [
        Column::text("KIND", 0),
        Column::text("CONFIDENCE", 0),
        Column::number("LINE"),
        Column::text("TITLE", 20),
        Column::text("TECHNIQUE", 12),
    ];
    let row = |finding: &FindingLine| {
        vec![
            finding.kind.replace('_', " "),
            finding.confidence.clone(),
            finding.line.map_or_else(String::new, |line| line.to_string()),
            finding.title.clone(),
            finding.technique.clone().unwrap_or_default(),
        ]
    };
    let rows = file.findings.iter().map(row);
    let mut page = Page::new(width);
    page.table(1, &columns, rows);
    page.into_text()
}

fn table(files: &[FileReport], width: usize) -> String {
    let columns = [
        Column::text("FILE", 20),
        Column::number("SLOT"),
        Column::text("PROBLEM", 10),
        Column::text("DOMAIN", 0),
        Column::number("PROVEN"),
        Column::number("SORRY"),
        Column::number("FINDINGS"),
    ];
    let row = |file: &FileReport| {
        let overview = &file.overview;
        vec![
            file.path.rsplit(['/', '!']).next().unwrap_or(&file.path).to_owned(),
            overview.slot.map_or_else(|| "-".to_owned(), |slot| slot.to_string()),
            overview.problem.clone().unwrap_or_else(|| "-".to_owned()),
            overview.domain.as_deref().map_or_else(|| "-".to_owned(), Domain::title_of),
            overview.proven.to_string(),
            overview.gaps.to_string(),
            file.findings.len().to_string(),
        ]
    };
    let rows = files.iter().map(row);
    let mut page = Page::new(width);
    page.table(1, &columns, rows);
    page.into_text()
}

/// What happened to all files together.
fn sums(report: &ExtractReport) -> String {
    let counts = report.report.counts;
    let files = report.files.len();
    let read = format!("{files} {}", if files == 1 { "result" } else { "results" });
    if report.dry_run {
        let findings: usize = report.files.iter().map(|file| file.findings.len()).sum();
        return format!(
            "{read} read, {findings} findings, nothing stored (dry run); {} left out\n",
            counts.skipped
        );
    }
    let mut text = format!(
        "{read} read: {} records new, {} updated, {} unchanged, {} removed; {}\n",
        counts.inserted,
        counts.updated,
        counts.unchanged,
        counts.removed,
        left_out(report)
    );
    for (kind, counts) in &report.report.by_kind {
        let changes: Vec<String> =
            [(counts.inserted, "new"), (counts.updated, "updated"), (counts.removed, "removed")]
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| format!("{count} {word}"))
                .collect();
        if !changes.is_empty() {
            let kind = kind.replace('_', " ");
            writeln!(text, "  {kind:<12} {}", changes.join(", ")).ok();
        }
    }
    text
}

/// How much input became nothing, and how much of that for want of a theorem.
fn left_out(report: &ExtractReport) -> String {
    let skipped = report.report.counts.skipped;
    match report.empty {
        0 => format!("{skipped} left out"),
        empty if empty == skipped => format!("{empty} without a finding"),
        empty => format!("{empty} without a finding, {} left out", skipped - empty),
    }
}
