//! What working off runs brought.

use crate::app::playbooks::RunsReport;
use crate::text::{clean, clip, plural};
use crate::ui::layout::Page;

/// What working off runs of so many hours brought.
pub fn runs(report: &RunsReport, hours: u32, width: usize) -> String {
    let mut page = Page::new(width);
    let count = report.source_workflow_ids.len() as u64;
    for run in report.runs.iter().map(|run| &run.content) {
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
    use super::*;
    use crate::app::playbooks::EntryLine;
    use crate::ui::tests as sample;

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
