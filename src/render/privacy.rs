//! What `mk forget` and `mk gc` say.

use std::fmt::Write as _;

use crate::app::forget::ForgetReport;
use crate::app::gc::GcReport;
use crate::text::{clean, in_bytes};

/// Things of one sort that are listed one by one.
const LISTED: usize = 20;

/// The report of `mk forget`.
pub fn forget(report: &ForgetReport) -> String {
    let mut text = String::new();
    for thing in report.things.iter().take(LISTED) {
        writeln!(text, "  {} {}", clean(&thing.id), clean(&thing.text)).ok();
    }
    more(&mut text, report.things.len(), "findings and proposals");
    for session in &report.sessions {
        writeln!(text, "  session {}", clean(session)).ok();
    }
    let rows: Vec<String> =
        report.rows.iter().map(|(table, count)| format!("{count} in {}", clean(table))).collect();
    if !rows.is_empty() {
        writeln!(text, "  rows of the database: {}", rows.join(", ")).ok();
    }
    if report.journal > 0 {
        writeln!(text, "  proposals in the journal: {}", report.journal).ok();
    }
    for file in report.files.iter().take(LISTED) {
        writeln!(text, "  {}", clean(file)).ok();
    }
    more(&mut text, report.files.len(), "files");
    if report.log_lines > 0 {
        writeln!(text, "  lines of the log: {}", report.log_lines).ok();
    }
    for backup in &report.backups {
        writeln!(text, "  {} (an old copy of the database, whole)", clean(backup)).ok();
    }
    let things = if report.count == 1 { "thing" } else { "things" };
    let done = if report.dry_run { "would be forgotten" } else { "forgotten" };
    writeln!(text, "{} {things} {done}", report.count).ok();
    text.push_str("Out of reach:\n");
    for place in &report.out_of_reach {
        writeln!(text, "  - {}", clean(place)).ok();
    }
    text
}

fn more(text: &mut String, count: usize, name: &str) {
    if count > LISTED {
        writeln!(text, "  ... {count} {name} in all").ok();
    }
}

/// The report of `mk gc`.
pub fn gc(report: &GcReport) -> String {
    let mut text = String::new();
    for removed in &report.removed {
        let bytes = if removed.bytes > 0 {
            format!(", {}", in_bytes(removed.bytes))
        } else {
            String::new()
        };
        writeln!(text, "  {}: {}{bytes}", removed.what, removed.count).ok();
    }
    for problem in &report.problems {
        writeln!(text, "  {}", clean(problem)).ok();
    }
    match (report.removed.is_empty(), report.dry_run) {
        (true, _) => text.push_str("nothing is old enough to go\n"),
        (false, true) => writeln!(text, "{} would be freed", in_bytes(report.bytes)).unwrap_or(()),
        (false, false) => writeln!(text, "{} freed", in_bytes(report.bytes)).unwrap_or(()),
    }
    if let Some(bytes) = report.vacuumed {
        writeln!(text, "the database was written anew: {} smaller", in_bytes(bytes)).ok();
    }
    text
}
