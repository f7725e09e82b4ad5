//! What was found in transcripts and notes.

use std::fmt::Write as _;

use crate::app::learn::read::TextReport;
use crate::text::{clean, clip, one_line, plural};

/// The proposals of `mk extract` on texts, one a line.
pub fn said(report: &TextReport, dry_run: bool, width: usize) -> String {
    let mut text = String::new();
    for proposal in &report.proposals {
        let kind = format!("{:<14}", proposal.kind.as_str());
        let content = clip(&one_line(&clean(&proposal.content)), width.saturating_sub(40).max(30));
        writeln!(text, "  {kind} {content}  ({}, line {})", clean(&proposal.role), proposal.line)
            .ok();
    }
    let found = plural(report.total, "proposal");
    if dry_run {
        writeln!(text, "{found} found; nothing was stored").ok();
    } else if report.total == 0 && report.lessons == 0 {
        text.push_str("nothing to learn was found\n");
    } else {
        write!(text, "{found} found, {} new", report.added).ok();
        if report.lessons > 0 {
            write!(text, "; {} new or changed", plural(report.lessons, "lesson")).ok();
        }
        text.push('\n');
        if report.added > 0 {
            text.push_str("They wait for your decision: mk review\n");
        }
    }
    text
}
