//! The text view of an audit.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::kernel::Said;
use super::sources::Compared;
use super::{Finding, Past, Report, Rule, Severity};
use crate::text::{clean, clip, clip_middle, plural, width};
use crate::ui::layout::wrap;

const WIDEST_NAME: usize = 40;

/// Findings file by file, and what was looked at. Notes are only counted unless they are wanted.
pub(super) fn text(report: &Report, columns: usize, notes: bool) -> String {
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
    if let Some(said) = &report.kernel {
        out.push_str(&kernel(said, report.files));
    }
    out
}

fn kernel(said: &Said, files: usize) -> String {
    let mut line = format!("Lean was asked about {} of {}", said.files, plural(files, "file"));
    if said.theorems > 0 {
        let theorems = plural(said.theorems, "theorem");
        let Said { verified, accepted, .. } = said;
        write!(line, ": of {theorems}, {verified} verified, {accepted} accepted and not replayed")
            .ok();
    }
    if let Some(file) = said.not_asked.first() {
        write!(line, "; not about {}", clean(file)).ok();
        if said.not_asked.len() > 1 {
            write!(line, " and {}", plural(said.not_asked.len() - 1, "other")).ok();
        }
        line.push_str(" (`mk verify`)");
    }
    line + "\n"
}

/// What is allowed is only counted.
fn is_shown(finding: &Finding, notes: bool) -> bool {
    !finding.allowed && (notes || finding.denied || finding.severity > Severity::Note)
}

fn section(out: &mut String, findings: &[&Finding], columns: usize) {
    let Some(first) = findings.first() else { return };
    writeln!(out, "{}", clean(&first.file)).ok();
    // As in a diff: what is gone has the line that it had.
    let place = |finding: &Finding| match finding.change {
        Some(Past { line_old: Some(line), line_new: None, .. }) => format!("-{line}"),
        _ => format!("{}:{}", finding.line, finding.column),
    };
    let name = |finding: &Finding| {
        clip(&clean(finding.declaration.as_deref().unwrap_or("-")), WIDEST_NAME)
    };
    let widest = |of: &dyn Fn(&Finding) -> String| {
        findings.iter().map(|finding| width(&of(finding))).max().unwrap_or(0)
    };
    let places = widest(&place);
    let rules = widest(&|finding| finding.rule.code().to_owned());
    let names = widest(&name);
    for finding in findings {
        let padding = " ".repeat(names.saturating_sub(width(&name(finding))));
        let head = format!(
            "  {:places$}  {:7}  {:rules$}  {}{padding}  ",
            place(finding),
            finding.severity.as_str(),
            finding.rule.code(),
            name(finding)
        );
        let room = columns.saturating_sub(width(&head)).max(20);
        writeln!(out, "{head}{}", clip(&finding.excerpt, room)).ok();
        if finding.rule == Rule::MovedName || finding.rule.tells() {
            let room = columns.saturating_sub(places + 4).max(20);
            for line in wrap(&clip_middle(&clean(&finding.message), 3 * room), room) {
                writeln!(out, "  {:places$}  {line}", "").ok();
            }
        }
    }
    out.push('\n');
}

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
    let seen = seen(report);
    let open = report.findings.len() - report.allowed;
    if open == 0 {
        write!(out, "nothing found in {seen}").ok();
    } else {
        let counts: Vec<String> =
            report.counts.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        let found = plural(open, "finding");
        write!(out, "{found} in {seen}: {}", counts.join(", ")).ok();
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

fn seen(report: &Report) -> String {
    let declarations = plural(report.declarations, "declaration");
    let Some(compared) = &report.compared else {
        return format!("{} with {declarations}", plural(report.files, "file"));
    };
    let what = if compared.staged { "staged" } else { "changed" };
    let mut seen = format!("{} with {declarations}", plural(report.files, &format!("{what} file")));
    if compared.deleted > 0 {
        write!(seen, " and {}", plural(compared.deleted, "deleted file")).ok();
    }
    write!(seen, ", compared with {}", with(compared)).ok();
    seen
}

fn with(compared: &Compared) -> String {
    let Some(revision) = &compared.revision else {
        return "nothing: it is the first commit".to_owned();
    };
    let short = revision.get(..10).unwrap_or(revision);
    let name = clean(&compared.with);
    match (compared.parted, revision.starts_with(&name)) {
        (true, _) => format!("{short}, where {name} parted from HEAD"),
        (false, true) => name,
        (false, false) => format!("{name} ({short})"),
    }
}

pub(super) fn nothing_changed(compared: &Compared) -> String {
    if compared.staged {
        return "no .lean file is staged".to_owned();
    }
    format!("no .lean file changed since {}", with(compared))
}

pub(super) fn rules() -> String {
    let widest = Rule::audited().map(|rule| rule.code().len()).max().unwrap_or(0);
    let mut out = String::new();
    for rule in Rule::audited() {
        let (group, severity) = (rule.group().as_str(), rule.severity().as_str());
        let summary = rule.summary();
        writeln!(out, "{:widest$}  {group:7}  {severity:7}  {summary}", rule.code()).ok();
    }
    out
}
