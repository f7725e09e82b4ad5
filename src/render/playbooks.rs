//! Playbook entries, and what working off runs brought.

use jiff::Timestamp;

use super::layout::Page;
use super::time::ago;
use crate::app::playbooks::{PlaybooksReport, RunsReport};
use crate::store::StoredPlaybook;
use crate::text::{clean, clip, plural};

/// The list of entries.
pub fn playbooks(report: &PlaybooksReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.playbooks.is_empty() {
        page.nothing(
            "No playbook entries.",
            "`mk extract` without a file makes them of completed runs: with a language model, or of what worked in \
             three runs or more.",
        );
        return page.into_text();
    }
    page.listing("Playbook", report.playbooks.len(), report.total);
    for (at, entry) in report.playbooks.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        page.numbered(entry.id, &entry.title, "");
        page.parts(2, facts(entry, now));
        page.paragraph(2, &entry.content);
    }
    page.into_text()
}

pub fn playbook(entry: &StoredPlaybook, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    page.numbered(entry.id, &entry.title, "");
    page.rule();
    page.parts(1, facts(entry, now));
    page.blank();
    page.paragraph(1, &entry.content);
    page.blank();
    page.labelled(1, "Task", &entry.source_task_id);
    page.labelled(1, "Run", &entry.source_workflow_id);
    page.labelled(1, "Made by", entry.extraction_workflow_id.as_deref().unwrap_or_default());
    page.labelled(1, "Project", entry.project.as_deref().unwrap_or_default());
    page.paragraph(1, entry.notes.as_deref().unwrap_or_default());
    page.into_text()
}

fn facts(entry: &StoredPlaybook, now: Timestamp) -> Vec<String> {
    let known = match entry.evidence.as_str() {
        "observed" => "seen in results".to_owned(),
        "claimed" => "unverified".to_owned(),
        other => clean(other),
    };
    let mut parts = vec![clean(&entry.tags.join(", ")), known, clean(&entry.source_task_id)];
    parts.retain(|part| !part.is_empty());
    parts.extend(entry.created_at.as_deref().map(|at| ago(at, now)));
    parts
}

/// What working off runs of so many hours brought.
pub fn runs(report: &RunsReport, hours: u32, width: usize) -> String {
    let mut page = Page::new(width);
    let count = report.source_workflow_ids.len() as u64;
    for run in &report.runs {
        let line = format!("{} {}: {}", run.source, clean(&run.task_id), clean(&run.outcome));
        page.line(1, &clip(&line, page.room(1)));
    }
    for entry in &report.entries {
        let line = format!("{:<9} #{} {}", entry.change, entry.id, clean(&entry.title));
        page.line(1, &clip(&line, page.room(1)));
    }
    if !report.summary.is_empty() {
        page.paragraph(1, &report.summary);
    }
    let by = match &report.model {
        Some(model) => format!("`{}`", clean(model)),
        None => "counting".to_owned(),
    };
    let told = match (report.busy, report.dry_run, count) {
        (true, _, _) => "another process works off the queue at the moment: `mk jobs`".to_owned(),
        (_, _, 0) => format!("no completed run of the last {} waits", plural(hours, "hour")),
        (_, true, _) => format!("{} would be worked off by {by}", plural(count, "run")),
        (_, false, _) => format!(
            "{} worked off by {by}: {} new, {} changed",
            plural(count, "run"),
            plural(report.entries_created, "entry"),
            report.entries_updated
        ),
    };
    page.line(0, &told);
    if report.older > 0 && !report.busy {
        let (n, them) =
            (plural(report.older, "run"), if report.older == 1 { "it" } else { "them" });
        page.line(
            0,
            &format!("{n} ended earlier: `mk extract --since-hours HOURS` reaches {them}"),
        );
    }
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::super::tests as sample;
    use super::*;
    use crate::app::playbooks::EntryLine;

    fn entry() -> StoredPlaybook {
        StoredPlaybook {
            id: 7,
            title: "For number theory try induction".to_owned(),
            content: "It proved results without a gap in 3 different runs.".to_owned(),
            tags: vec!["induction".to_owned(), "lean".to_owned()],
            source_task_id: "erdos_850".to_owned(),
            source_workflow_id: "u-1".to_owned(),
            extraction_workflow_id: Some("rules-1".to_owned()),
            evidence: "observed".to_owned(),
            notes: Some("Runs: u-1, u-2, u-3".to_owned()),
            created_at: Some("2026-01-01 00:00:00".to_owned()),
            ..StoredPlaybook::default()
        }
    }

    #[test]
    fn a_list_and_one() {
        let at: Timestamp = "2026-01-03T00:00:00Z".parse().unwrap();
        let report = PlaybooksReport { total: 2, playbooks: vec![entry()] };
        assert_eq!(
            sample::plain(&playbooks(&report, 80, at), 80),
            "  Playbook (1 of 2)\n  ---\n  #7 For number theory try induction\n    induction, lean | \
             seen in results | erdos_850 | 2d ago\n    It proved results without a gap in 3 different runs.\n"
        );
        assert_eq!(
            sample::plain(&playbook(&entry(), 80, at), 80),
            "  #7 For number theory try induction\n  ---\n  induction, lean | seen in results | erdos_850 | \
             2d ago\n\n  It proved results without a gap in 3 different runs.\n\n  Task: erdos_850\n  \
             Run: u-1\n  Made by: rules-1\n  Runs: u-1, u-2, u-3\n"
        );
        let none = playbooks(&PlaybooksReport::default(), 80, at);
        assert!(sample::plain(&none, 80).starts_with("  No playbook entries.\n"), "{none}");
    }

    #[test]
    fn what_was_worked_off() {
        let line = EntryLine {
            id: 7,
            change: "inserted",
            title: "For number theory try induction".to_owned(),
            tags: Vec::new(),
            source_task_id: String::new(),
            source_workflow_id: String::new(),
        };
        let mut report = RunsReport {
            entries_created: 1,
            source_workflow_ids: vec!["a".to_owned(), "b".to_owned()],
            entries: vec![line],
            older: 3,
            ..RunsReport::default()
        };
        assert_eq!(
            sample::plain(&runs(&report, 24, 80), 80),
            "  inserted  #7 For number theory try induction\n2 runs worked off by counting: 1 entry new, 0 \
             changed\n3 runs ended earlier: `mk extract --since-hours HOURS` reaches them\n"
        );
        report = RunsReport { older: 1, ..RunsReport::default() };
        assert_eq!(
            sample::plain(&runs(&report, 24, 80), 80),
            "no completed run of the last 24 hours waits\n1 run ended earlier: `mk extract --since-hours HOURS` \
             reaches it\n"
        );
        report.busy = true;
        let busy = "another process works off the queue at the moment: `mk jobs`\n";
        assert_eq!(runs(&report, 24, 80), busy);
    }
}
