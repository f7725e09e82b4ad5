//! The cached queue.

use jiff::Timestamp;

use super::layout::{Column, Page};
use super::theme::{Tone, paint};
use super::time::{ago, iso};
use crate::app::queue::QueueReport;
use crate::model::NearMiss;

const COLUMNS: [Column; 2] = [Column::text("", 0), Column::text("", 20)];

/// The queue as it was last seen, and how long ago that was.
pub fn queue(report: &QueueReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let Some(queue) = &report.queue else {
        page.line(1, "No queue cache.");
        page.hint("A status command writes it: JSON to `mk queue set`, for example");
        page.hint(r#"{"in_flight": 3, "slots_open": 2, "ready_to_fetch": [614]}"#);
        return page.into_text();
    };
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
    if !report.fresh {
        page.hint("Over 6 hours old: the briefing does not use it. `mk queue set` renews it.");
    }
    page.into_text()
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
    use super::super::tests as sample;
    use super::*;

    #[test]
    fn queue_views() {
        let text = |report: &QueueReport| sample::plain(&queue(report, 60, sample::now()), 60);
        insta::assert_snapshot!(text(&sample::queue()), @r"
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
        insta::assert_snapshot!(text(&QueueReport { queue: None, fresh: false }), @r#"
        No queue cache.
        A status command writes it: JSON to `mk queue set`, for
        example
        {"in_flight": 3, "slots_open": 2, "ready_to_fetch": [614]}
        "#);
    }
}
