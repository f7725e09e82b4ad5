//! The text view of an audit.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::app::audit::{Finding, Report, Rule};
use crate::text::{clean, clip, width};

/// Longest name of a declaration that is shown whole.
const WIDEST_NAME: usize = 40;

/// Findings file by file, and what was looked at. Notes are only counted unless they are wanted.
pub fn text(report: &Report, columns: usize, notes: bool) -> String {
    let mut out = String::new();
    let shown: Vec<&Finding> = report.findings.iter().filter(|f| is_shown(f, notes)).collect();
    for findings in shown.chunk_by(|a, b| a.file == b.file) {
        section(&mut out, findings, columns);
    }
    for skipped in &report.skipped {
        writeln!(out, "{}: {}", clean(&skipped.path), skipped.reason).ok();
    }
    advice(&mut out, &shown);
    summary(&mut out, report, shown.len());
    out
}

fn is_shown(finding: &Finding, notes: bool) -> bool {
    use crate::app::audit::Severity;
    !finding.allowed && (notes || finding.denied || finding.severity > Severity::Note)
}

/// One file: place, severity, rule, declaration, and the line itself.
fn section(out: &mut String, findings: &[&Finding], columns: usize) {
    let Some(first) = findings.first() else { return };
    writeln!(out, "{}", clean(&first.file)).ok();
    let place = |finding: &Finding| format!("{}:{}", finding.line, finding.column);
    let name = |finding: &Finding| {
        clip(&clean(finding.declaration.as_deref().unwrap_or("-")), WIDEST_NAME)
    };
    let widest = |of: &dyn Fn(&Finding) -> String| {
        findings.iter().map(|finding| width(&of(finding))).max().unwrap_or(0)
    };
    let places = widest(&place);
    let rules = widest(&|finding| finding.rule.id().to_owned());
    let names = widest(&name);
    for finding in findings {
        let severity = finding.severity.as_str();
        let padding = " ".repeat(names.saturating_sub(width(&name(finding))));
        let head = format!(
            "  {:places$}  {severity:7}  {:rules$}  {}{padding}  ",
            place(finding),
            finding.rule.id(),
            name(finding)
        );
        let room = columns.saturating_sub(width(&head)).max(20);
        writeln!(out, "{head}{}", clip(&finding.excerpt, room)).ok();
        if finding.rule == Rule::MovedName {
            writeln!(out, "  {:places$}  {}", "", clean(&finding.message)).ok();
        }
    }
    out.push('\n');
}

/// What each rule that found something means, once.
fn advice(out: &mut String, shown: &[&Finding]) {
    let rules: BTreeSet<Rule> = shown.iter().map(|finding| finding.rule).collect();
    for rule in &rules {
        writeln!(out, "{rule}: {}. {}", rule.summary(), rule.help()).ok();
    }
    if !rules.is_empty() {
        out.push('\n');
    }
}

fn summary(out: &mut String, report: &Report, shown: usize) {
    let files = plural(report.files, "file");
    let declarations = plural(report.declarations, "declaration");
    let open = report.findings.len() - report.allowed;
    if open == 0 {
        write!(out, "nothing found in {files} with {declarations}").ok();
    } else {
        let counts: Vec<String> =
            report.counts.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        let found = plural(open, "finding");
        write!(out, "{found} in {files} with {declarations}: {}", counts.join(", ")).ok();
    }
    if open > shown {
        write!(out, "; {} not shown (--notes)", plural(open - shown, "note")).ok();
    }
    if report.allowed > 0 {
        write!(out, "; {} allowed", report.allowed).ok();
    }
    if report.denied > 0 {
        write!(out, "; {} denied", report.denied).ok();
    }
    out.push('\n');
}

/// The list of all rules.
pub fn rules() -> String {
    let widest = Rule::ALL.iter().map(|rule| rule.id().len()).max().unwrap_or(0);
    let mut out = String::new();
    for rule in Rule::ALL {
        let (group, severity) = (rule.group().as_str(), rule.severity().as_str());
        let summary = rule.summary();
        writeln!(out, "{:widest$}  {group:7}  {severity:7}  {summary}", rule.id()).ok();
    }
    out
}

fn plural(count: usize, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}
