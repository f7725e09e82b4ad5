//! `mk queue`: the prover's queue.

use std::io::IsTerminal as _;
use std::io::Read as _;

use jiff::Timestamp;

use crate::app::App;
use crate::app::guard::permission::Does;
use crate::app::queue as cached;
use crate::app::queue::{OpenNearMiss, QueueReport, TrackingQueue};
use crate::model::{NearMiss, QueueCache};
use crate::ui::UsageError;
use crate::ui::layout::{Column, Page};
use crate::ui::theme::{Tone, paint};
use crate::ui::time::{ago, iso};
use crate::ui::{Exit, Out};

/// More JSON than this describes no queue.
const MOST_BYTES: u64 = 16 << 20;

/// Show what the prover works on, what is ready, and what is nearly proved
///
/// What a status command last saw is told first (`mk queue set` stores it), then what tracking.db says.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show the queue
    Show,
    /// Store the queue from JSON on stdin
    #[command(after_help = "\
Fields, all optional: in_flight, slots_open, ready_to_fetch (slot numbers), recently_completed,
top_near_miss {slot, problem, sorry_count, sorry_location}, cached_at (UTC; now where absent).
  echo '{\"in_flight\": 3, \"ready_to_fetch\": [614]}' | mk queue set")]
    Set,
    /// Forget the cache
    Clear,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::Show) => Does::Reads,
            Some(Action::Set | Action::Clear) => Does::Writes,
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let action = self.action.unwrap_or(Action::Show);
        let report = match action {
            Action::Show => cached::show(app)?,
            Action::Set => {
                let (report, ignored) = cached::set(app, &read_stdin()?)?;
                if !ignored.is_empty() {
                    let names = crate::text::clean(&ignored.join("`, `"));
                    out.note(&format!("mk: ignored unknown fields: `{names}`"));
                }
                report
            }
            Action::Clear => {
                cached::clear(app)?;
                cached::show(app)?
            }
        };
        out.answer(&report, |width| queue(&report, width, app.now))?;
        Ok(Exit::Done)
    }
}

fn read_stdin() -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let error = "`mk queue set` reads JSON on stdin: pipe it in (see `mk queue set --help`)";
        return Err(UsageError(error.to_owned()).into());
    }
    let mut bytes = Vec::new();
    stdin.lock().take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 <= MOST_BYTES, "more than 16 MB on stdin: that is no queue");
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

const COLUMNS: [Column; 2] = [Column::text("", 0), Column::text("", 20)];

/// The queue as it was last seen, and how long ago that was; then the tracking database's.
fn queue(report: &QueueReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if let Some(queue) = &report.queue {
        cache(&mut page, queue, now);
        if !report.fresh {
            page.hint("Over 6 hours old: the briefing does not use it. `mk queue set` renews it.");
        }
    } else if report.tracking.is_none() {
        page.line(1, "No queue cache.");
        page.hint("A status command writes it: JSON to `mk queue set`, for example");
        page.hint(r#"{"in_flight": 3, "slots_open": 2, "ready_to_fetch": [614]}"#);
    }
    if let Some(state) = &report.tracking {
        if report.queue.is_some() {
            page.blank();
        }
        tracking(&mut page, state, now);
    }
    if let Some(trouble) = &report.trouble {
        page.hint(&format!("Not looked at: {trouble}"));
    }
    page.into_text()
}

fn cache(page: &mut Page, queue: &QueueCache, now: Timestamp) {
    let seen = format!("as seen {} ({})", ago(&queue.cached_at, now), iso(&queue.cached_at));
    page.line(1, &format!("{} {seen}", paint(Tone::Heading, "Queue")));
    page.rule();
    let ready: Vec<_> = queue.ready_to_fetch.iter().map(|slot| format!("slot{slot}")).collect();
    let mut rows = vec![
        row("In flight", queue.in_flight.to_string()),
        row("Slots open", queue.slots_open.unwrap_or_default().to_string()),
        row("Ready to fetch", if ready.is_empty() { "none".to_owned() } else { ready.join(", ") }),
    ];
    rows.extend(queue.top_near_miss.as_ref().map(|near| row("Top near-miss", near_miss(near))));
    if !queue.recently_completed.is_empty() {
        rows.push(row("Completed lately", queue.recently_completed.len().to_string()));
    }
    page.table(1, &COLUMNS, rows);
}

/// Submissions of a sort that are told; the others are counted.
const TOLD: usize = 10;

fn tracking(page: &mut Page, state: &TrackingQueue, now: Timestamp) {
    let since = state.last_submitted.as_deref().map(|at| ago(at, now));
    let since = since.map(|age| format!(", last submission {age}")).unwrap_or_default();
    page.line(1, &format!("{}{since}", paint(Tone::Heading, "tracking.db")));
    page.rule();
    let has_ids = state.running.iter().any(|one| one.uuid.is_some());
    let line = |label: &str, problem: &Option<String>, text: String| {
        vec![label.to_owned(), problem.clone().unwrap_or_default(), text]
    };
    let running = state.running.iter().map(|one| {
        let at = one.submitted_at.as_deref().map(|at| format!("submitted {}", ago(at, now)));
        let nameless =
            (has_ids && one.uuid.is_none()).then(|| "without the prover's id".to_owned());
        let text = at.into_iter().chain(nameless).collect::<Vec<_>>().join(", ");
        line(&one.label, &one.problem, text)
    });
    part(page, "IN FLIGHT", Some(state.running.len()), running);
    let ready = state.ready.iter().map(|one| {
        let at = one.completed_at.as_deref().map(|at| format!("completed {}", ago(at, now)));
        line(&one.label, &one.problem, at.unwrap_or_default())
    });
    part(page, "READY TO FETCH", Some(state.ready.len()), ready);
    let near = |one: &OpenNearMiss| {
        let OpenNearMiss { near, gaps, refuted } = one;
        let (sorry, proved) = (one.sorry(), near.proven.unwrap_or_default());
        let text = match (refuted, gaps.as_slice()) {
            (Some(name), _) => format!("{name} is known to be false"),
            (None, []) => format!("{sorry} sorry; {proved} proved"),
            (None, gaps) => format!("{sorry} sorry in {}; {proved} proved", gaps.join(", ")),
        };
        line(&near.label, &near.problem, text)
    };
    part(page, "WORTH CLOSING, the nearest", None, state.worth_closing.iter().map(near));
    if !state.not_worth_closing.is_empty() {
        let title = "NOT WORTH CLOSING: what is open is false";
        part(page, title, None, state.not_worth_closing.iter().map(near));
    }
}

/// A heading and the first of its lines: label, problem, text.
fn part(
    page: &mut Page,
    title: &str,
    count: Option<usize>,
    lines: impl Iterator<Item = Vec<String>>,
) {
    page.heading(title, count);
    let rows: Vec<Vec<String>> = lines.take(TOLD).collect();
    let more = count.unwrap_or_default().saturating_sub(rows.len());
    if count.is_none() && rows.is_empty() {
        page.line(2, "none");
    }
    let columns = [Column::text("", 12), Column::text("", 12), Column::text("", 12)];
    page.table(2, &columns, rows);
    if more > 0 {
        page.hint(&format!("  and {more} more"));
    }
}

fn row(label: &str, value: String) -> Vec<String> {
    vec![label.to_owned(), value]
}

fn near_miss(near: &NearMiss) -> String {
    let slot = near.slot.map(|slot| format!("slot{slot}"));
    let place = near.sorry_location.as_ref().map(|place| format!("in {place}"));
    let parts =
        [slot, Some(near.problem.clone()), Some(format!("{} sorry", near.sorry_count)), place];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::tests as sample;

    #[test]
    fn queue_views() {
        let text = |report: &QueueReport| sample::plain(&queue(report, 60, sample::now()), 60);
        insta::assert_snapshot!(text(&sample_report()), @r"
        Queue as seen 7h ago (2026-02-01T05:00:00Z)
        ---
        In flight         3
        Slots open        2
        Ready to fetch    slot614, slot615
        Top near-miss     slot609 bridges_12 1 sorry in no_three_…
        Completed lately  1
        Over 6 hours old: the briefing does not use it. `mk queue
        set` renews it.
        ");
        insta::assert_snapshot!(text(&QueueReport { queue: None, fresh: false, tracking: None, trouble: None }), @r#"
        No queue cache.
        A status command writes it: JSON to `mk queue set`, for
        example
        {"in_flight": 3, "slots_open": 2, "ready_to_fetch": [614]}
        "#);
    }

    fn sample_report() -> QueueReport {
        QueueReport {
            queue: Some(QueueCache {
                cached_at: "2026-02-01 05:00:00".into(),
                in_flight: 3,
                slots_open: Some(2),
                ready_to_fetch: vec![614, 615],
                recently_completed: vec![serde_json::json!({"slot": 614})],
                top_near_miss: Some(NearMiss {
                    slot: Some(609),
                    problem: "bridges_12".into(),
                    sorry_count: 1,
                    sorry_location: Some("no_three_in_line".into()),
                }),
            }),
            fresh: false,
            tracking: None,
            trouble: None,
        }
    }
}
