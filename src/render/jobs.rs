//! The queue of background work.

use jiff::Timestamp;

use crate::app::jobs::JobsReport;
use crate::app::jobs::worker::RunReport;
use crate::store::JobRecord;
use crate::text::{clean, clip};
use crate::ui::layout::{Column, Page};
use crate::ui::theme::{Tone, paint};
use crate::ui::time::{ago, iso, parse};

pub fn jobs(report: &JobsReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let all: u64 = report.by_state.values().sum();
    if all == 0 {
        page.paragraph(1, "No jobs.");
        page.hint(
            "Where a language model is configured (`mk config set llm.model NAME`), sessions that ended \
             put in what is to be asked of it.",
        );
        return page.into_text();
    }
    let states: Vec<String> = ["running", "waiting", "dead", "done"]
        .iter()
        .filter_map(|state| report.by_state.get(*state).map(|count| format!("{count} {state}")))
        .collect();
    page.line(1, &format!("{} {}", paint(Tone::Heading, "Jobs"), states.join(", ")));
    page.rule();
    let rows = report.jobs.iter().map(|job| row(job, now));
    let columns = [
        Column::number("#"),
        Column::text("KIND", 0),
        Column::text("STATE", 0),
        Column::text("WHEN", 0),
        Column::text("ABOUT", 12),
        Column::text("OUTCOME", 16),
    ];
    page.table(1, &columns, rows);
    if (report.jobs.len() as u64) < report.total {
        page.hint(&format!("{} of {}", report.jobs.len(), report.total));
    }
    page.into_text()
}

fn row(job: &JobRecord, now: Timestamp) -> Vec<String> {
    let outcome = job.outcome.as_deref().map(clean).unwrap_or_default();
    vec![
        job.id.to_string(),
        clean(&job.kind),
        clean(&job.state),
        when(job, now),
        about(job),
        clip(&outcome, 200),
    ]
}

fn when(job: &JobRecord, now: Timestamp) -> String {
    match job.state.as_str() {
        "waiting" => to_come(&job.due_at, now),
        "running" => job.started_at.as_deref().map(|at| ago(at, now)).unwrap_or_default(),
        _ => job.finished_at.as_deref().map(|at| ago(at, now)).unwrap_or_default(),
    }
}

/// When something is due: `now`, `in 5m`, `in 3h`.
fn to_come(at: &str, now: Timestamp) -> String {
    let left = parse(at).map_or(0, |at| at.as_second() - now.as_second());
    match left {
        ..=0 => "now".to_owned(),
        1..120 => format!("in {left}s"),
        120..7200 => format!("in {}m", left / 60),
        _ => format!("in {}h", left / 3600),
    }
}

/// What a job is about, in a few words.
fn about(job: &JobRecord) -> String {
    match job.finding {
        Some(finding) => format!("#{finding}"),
        None => clean(job.key.rsplit('/').next().unwrap_or(&job.key)),
    }
}

pub fn job(job: &JobRecord, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let title = format!("Job #{}: {} {}", job.id, clean(&job.kind), about(job));
    page.line(1, &paint(Tone::Heading, &title));
    page.rule();
    page.parts(1, vec![clean(&job.state), when(job, now)]);
    page.blank();
    let time = |at: &Option<String>| at.as_deref().map(iso).unwrap_or_default();
    for (label, text) in [
        ("Work", job.key.clone()),
        ("Version", job.version.clone().unwrap_or_default()),
        ("Session", job.session.clone().unwrap_or_default()),
        ("Failed attempts", job.attempts.to_string()),
        ("Step", job.step.clone().unwrap_or_default()),
        ("Outcome", job.outcome.clone().unwrap_or_default()),
        ("Came in", iso(&job.created_at)),
        ("Due", iso(&job.due_at)),
        ("Begun", time(&job.started_at)),
        ("Ended", time(&job.finished_at)),
    ] {
        page.labelled(1, label, &text);
    }
    page.into_text()
}

/// What a run of `mk jobs run` did.
pub fn jobs_run(report: &RunReport, width: usize) -> String {
    let mut page = Page::new(width);
    if report.busy {
        page.paragraph(1, "Another process works the queue off: `mk jobs` shows how far it is.");
        return page.into_text();
    }
    for job in &report.jobs {
        let mark = paint(Tone::Faint, &format!("#{}", job.id));
        let end = job.end.replace('_', " ");
        let rest = clip(&format!("{}: {}", job.kind, clean(&job.outcome)), page.room(1).max(40));
        page.line(1, &format!("{mark} {end}, {rest}"));
    }
    if let Some(reason) = &report.held {
        page.paragraph(1, &format!("What needs a model waits: {reason}"));
    }
    match (report.jobs.len(), report.left) {
        (0, 0) if report.held.is_none() => page.line(1, "Nothing is due."),
        (_, 0) => {}
        (_, left) => page.line(1, &format!("{left} left")),
    }
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::jobs::worker::Finished;
    use crate::model::JobKind;
    use crate::ui::tests as sample;

    fn sample_job(id: i64, state: &str) -> JobRecord {
        JobRecord {
            id,
            kind: "facts".to_owned(),
            key: "/home/ada/.claude/projects/p/s-1.jsonl".to_owned(),
            version: Some("100-abc".to_owned()),
            payload: "{}".to_owned(),
            session: Some("s-1".to_owned()),
            finding: None,
            state: state.to_owned(),
            step: None,
            due_at: "2026-01-03 00:05:00".to_owned(),
            attempts: 1,
            created_at: "2026-01-02 00:00:00".to_owned(),
            started_at: Some("2026-01-02 23:00:00".to_owned()),
            finished_at: None,
            outcome: Some("timed out".to_owned()),
        }
    }

    #[test]
    fn a_list_one_and_a_run() {
        let now: Timestamp = "2026-01-03T00:00:00Z".parse().unwrap();
        let waiting = sample_job(3, "waiting");
        let lesson = JobRecord {
            kind: "lesson".to_owned(),
            finding: Some(12),
            state: "dead".to_owned(),
            finished_at: Some("2026-01-02 21:00:00".to_owned()),
            ..sample_job(4, "dead")
        };
        let report = JobsReport {
            total: 7,
            jobs: vec![waiting.clone(), lesson],
            by_state: [("waiting".to_owned(), 1), ("dead".to_owned(), 6)].into(),
        };
        assert_eq!(
            sample::plain(&jobs(&report, 80, now), 80),
            "  Jobs 1 waiting, 6 dead\n  ---\n  #  KIND    STATE    WHEN    ABOUT      OUTCOME\n  \
             3  facts   waiting  in 5m   s-1.jsonl  timed out\n  \
             4  lesson  dead     3h ago  #12        timed out\n  2 of 7\n"
        );
        let one = sample::plain(&job(&waiting, 80, now), 80);
        assert!(one.starts_with("  Job #3: facts s-1.jsonl\n  ---\n  waiting | in 5m\n"), "{one}");
        assert!(one.contains("  Failed attempts: 1\n"), "{one}");
        let none = JobsReport { total: 0, jobs: vec![], by_state: [].into() };
        assert!(sample::plain(&jobs(&none, 80, now), 80).starts_with("  No jobs.\n"));

        let run = RunReport {
            jobs: vec![Finished {
                id: 3,
                kind: JobKind::Lesson,
                end: "given_up",
                outcome: "why".to_owned(),
            }],
            left: 2,
            ..RunReport::default()
        };
        assert_eq!(
            sample::plain(&jobs_run(&run, 80), 80),
            "  #3 given up, lesson: why\n  2 left\n"
        );
        let idle = jobs_run(&RunReport::default(), 80);
        assert_eq!(sample::plain(&idle, 80), "  Nothing is due.\n");
    }
}
