//! What sessions were told, why, and what came of it.

use jiff::Timestamp;

use super::layout::{Column, Page};
use super::theme::{Tone, paint};
use super::time::ago;
use crate::app::inject::prompt::TestReport;
use crate::app::inject::why::{Told, WhyReport};
use crate::store::PlaceSum;
use crate::text::{clean, clip};

/// What a session was told.
pub fn why(report: &WhyReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.session.is_empty() {
        page.paragraph(1, "No session was told anything yet.");
        return page.into_text();
    }
    page.line(1, &format!("{} {}", paint(Tone::Heading, "Session"), clean(&report.session)));
    page.rule();
    if report.injections.is_empty() {
        page.paragraph(1, "It was told nothing.");
    }
    for told in &report.injections {
        one(&mut page, told, now);
    }
    if report.tokens > 0 {
        page.blank();
        page.line(1, &format!("{} tokens in all", report.tokens));
    }
    page.into_text()
}

fn one(page: &mut Page, told: &Told, now: Timestamp) {
    let row = &told.row;
    let title = told.title.as_deref().map(clean).unwrap_or_default();
    let line = clip(&format!("{} {} {title}", clean(&row.label), row.kind), page.room(1));
    page.line(1, &line);
    let times = if row.times > 1 { format!(", {} times", row.times) } else { String::new() };
    let place = if row.place.is_empty() { String::new() } else { format!(" ({})", row.place) };
    let mut parts = vec![
        format!("{}{place}", row.event),
        format!("{} tokens{times}, {}", row.tokens, row.form),
        ago(&row.at, now),
    ];
    if !row.agent.is_empty() {
        parts.push(format!("agent {}", row.agent));
    }
    if let Some(outcome) = &row.outcome {
        parts.push(format!("{outcome} ({})", row.how.as_deref().unwrap_or_default()));
    }
    page.parts(2, parts);
    let because = format!("rule {}, score {}: {}", row.rule, row.score, row.why);
    page.labelled(2, "Why", because.trim_end_matches([':', ' ']));
}

/// What would be said beside a prompt.
pub fn inject_test(report: &TestReport, width: usize) -> String {
    let mut page = Page::new(width);
    let cues = &report.cues;
    page.labelled(1, "Names", &cues.names.join(", "));
    let slots = cues.named.slots.iter().map(|slot| format!("slot{slot}"));
    let named: Vec<String> = cues.named.problems.iter().cloned().chain(slots).collect();
    page.labelled(1, "Problems and slots", &named.join(", "));
    page.labelled(1, "Words", &cues.words.join(", "));
    page.rule();
    if let Some(reason) = report.silent {
        page.paragraph(1, &format!("Nothing is said: {reason}."));
    } else if report.text.is_empty() {
        page.paragraph(1, "Nothing is said: nothing relevant is known.");
    } else {
        page.line(1, &format!("{} ({} tokens)", paint(Tone::Heading, "Said"), report.tokens));
        for line in report.text.lines() {
            page.paragraph(2, line);
        }
    }
    if !report.found.is_empty() {
        page.blank();
        page.heading("FOUND", Some(report.found.len()));
    }
    for found in &report.found {
        let title = clean(&found.title);
        page.line(2, &clip(&format!("{} {} {title}", found.label, found.kind), page.room(2)));
        let enough = if found.score >= report.threshold { "" } else { ", too little" };
        page.parts(
            3,
            vec![
                format!("score {}{enough}", found.score),
                format!("priority {}", found.priority),
                format!("{}: {}", found.rule, found.why),
                format!("said: {}", found.said),
            ],
        );
    }
    page.into_text()
}

/// What injection cost and brought, by the event at which it was said.
pub fn roi(events: &[PlaceSum], width: usize) -> String {
    let mut page = Page::new(width);
    page.line(1, &paint(Tone::Heading, "What sessions were told, and what came of it"));
    page.rule();
    if events.is_empty() {
        page.paragraph(1, "Nothing was said yet.");
        return page.into_text();
    }
    let rows = events.iter().map(|e| {
        let numbers = [e.said, e.tokens, e.used, e.spared, e.recurred, e.unused, e.open];
        let numbers = numbers.iter().map(u64::to_string);
        std::iter::once(e.event.clone()).chain(numbers).collect()
    });
    let columns = [
        Column::text("EVENT", 10),
        Column::number("SAID"),
        Column::number("TOKENS"),
        Column::number("USED"),
        Column::number("SPARED"),
        Column::number("RECURRED"),
        Column::number("UNUSED"),
        Column::number("OPEN"),
    ];
    page.table(1, &columns, rows);
    page.into_text()
}
