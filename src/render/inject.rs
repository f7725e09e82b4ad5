//! What sessions were told, why, and what came of it.

use jiff::Timestamp;

use super::layout::{Column, Page};
use super::theme::{Tone, paint};
use super::time::ago;
use crate::app::inject::prompt::TestReport;
use crate::app::inject::roi::RoiReport;
use crate::app::inject::why::{Told, WhyReport};
use crate::store::{GroupSum, ItemSum};
use crate::text::{clean, clip, plural};

/// What a session was told.
pub fn why(report: &WhyReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.session.is_empty() {
        page.paragraph(1, "No session was told anything yet.");
        return page.into_text();
    }
    page.line(1, &format!("{} {}", paint(Tone::Heading, "Session"), clean(&report.session)));
    page.rule();
    if report.held_out {
        page.paragraph(1, "It is held out (`inject.holdout`): it is told nothing, to compare.");
    } else if report.injections.is_empty() {
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
    page.labelled(1, "Problem ids", &cues.problems.join(", "));
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

/// What injection cost and brought.
pub fn roi(report: &RoiReport, width: usize) -> String {
    let mut page = Page::new(width);
    let head = paint(Tone::Heading, "What sessions were told, and what came of it");
    page.line(1, &head);
    page.line(1, &format!("{}, {} tokens", plural(report.sessions, "session"), report.tokens));
    page.rule();
    if report.places.is_empty() {
        page.paragraph(1, "Nothing was said yet.");
    } else {
        places(&mut page, report);
    }
    items(&mut page, "USED", &report.used);
    items(&mut page, "SHOWN AND NEVER USED", &report.never_used);
    groups(&mut page, report);
    page.into_text()
}

const fn number(title: &'static str) -> Column {
    Column { title, right: true, shrinks_to: 0 }
}

fn places(page: &mut Page, report: &RoiReport) {
    page.heading("BY EVENT", None);
    let rows = report.places.iter().map(|place| {
        let o = place.outcomes;
        let numbers = [place.said, place.tokens, o.used, o.spared, o.recurred, o.unused, o.open];
        let mut row = vec![place.event.clone()];
        row.extend(numbers.iter().map(u64::to_string));
        row
    });
    let columns = [
        Column { title: "event", right: false, shrinks_to: 10 },
        number("said"),
        number("tokens"),
        number("used"),
        number("spared"),
        number("recurred"),
        number("unused"),
        number("open"),
    ];
    page.table(2, &columns, &rows.collect::<Vec<_>>());
}

fn items(page: &mut Page, title: &str, items: &[ItemSum]) {
    if items.is_empty() {
        return;
    }
    page.heading(title, None);
    let rows: Vec<Vec<String>> = items
        .iter()
        .map(|item| {
            let good = item.outcomes.used + item.outcomes.spared;
            let name = format!("{} {} {}", item.label, item.kind, clean(&item.title));
            let numbers = [item.sessions, good, item.outcomes.recurred, item.tokens];
            let mut row = vec![name];
            row.extend(numbers.iter().map(u64::to_string));
            row
        })
        .collect();
    let columns = [
        Column { title: "finding", right: false, shrinks_to: 20 },
        number("sessions"),
        number("used"),
        number("recurred"),
        number("tokens"),
    ];
    page.table(2, &columns, &rows);
}

fn groups(page: &mut Page, report: &RoiReport) {
    if report.groups.is_empty() {
        return;
    }
    page.heading("TOLD AND HELD OUT", None);
    let rows: Vec<Vec<String>> = report.groups.iter().map(group).collect();
    let columns = [
        Column { title: "per session", right: false, shrinks_to: 8 },
        number("sessions"),
        number("errors"),
        number("again"),
        number("refused"),
        number("gaps closed"),
        number("tokens"),
    ];
    page.table(2, &columns, &rows);
    if report.groups.iter().all(|group| !group.held_out) {
        page.hint("No session is held out: `mk config set inject.holdout 0.1` compares.");
    }
}

fn group(group: &GroupSum) -> Vec<String> {
    let name = if group.held_out { "held out" } else { "told" };
    let each = |n: u64| tenths(n, group.sessions);
    vec![
        name.to_owned(),
        group.sessions.to_string(),
        each(group.errors),
        each(group.repeated),
        each(group.refused),
        each(group.gaps_closed),
        each(group.tokens),
    ]
}

/// A mean with one digit behind the point.
fn tenths(sum: u64, of: u64) -> String {
    let tenths = (sum * 10 + of / 2).checked_div(of).unwrap_or_default();
    format!("{}.{}", tenths / 10, tenths % 10)
}
