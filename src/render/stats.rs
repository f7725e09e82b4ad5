//! The dashboard.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::EMPTY_BASE;
use super::layout::{Column, Page};
use super::theme::{Tone, paint};
use super::time::ago;
use crate::app::jobs::QueueState;
use crate::app::stats::StatsReport;
use crate::model::Domain;
use crate::model::JobState;
use crate::store::{FactCounts, RunCounts, SessionCounts, Stats};
use crate::text::{clip_middle, in_bytes, plural};

/// The knowledge base in numbers.
pub fn stats(report: &StatsReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let Stats { findings, problems, strategies, proposals, .. } = &report.stats;
    let newest = findings.newest.as_deref().map(|at| format!(", newest {}", ago(at, now)));
    let total = paint(Tone::Heading, &plural(findings.total, "finding"));
    page.line(1, &format!("{total}{}", newest.unwrap_or_default()));
    let path = clip_middle(&crate::text::clean(&report.stats.database.path), page.room(1) - 14);
    page.line(1, &format!("{path} ({})", in_bytes(report.stats.database.bytes)));
    page.rule();
    if findings.total == 0 {
        page.hint(EMPTY_BASE);
    }
    for (title, counts) in [
        ("BY KIND", &findings.by_kind),
        ("BY DOMAIN", &findings.by_domain),
        ("BY CONFIDENCE", &findings.by_confidence),
        ("PROBLEMS", problems),
        ("STRATEGIES", strategies),
        ("PROPOSALS", proposals),
    ] {
        block(&mut page, title, counts);
    }
    let facts = report.stats.facts;
    if facts.confirmed + facts.unverified > 0 {
        page.heading("FACTS", None);
        let FactCounts { confirmed, unverified, working, summaries, changes } = facts;
        page.line(2, &format!("{confirmed} confirmed, {unverified} unverified"));
        page.line(2, &format!("{working} working, {summaries} summaries, {changes} changes"));
    }
    // A session that was seen and never captured is a defect somewhere: zero is shown too.
    if report.stats.sessions.seen > 0 {
        let SessionCounts { seen, captured } = report.stats.sessions;
        page.heading("SESSIONS", None);
        page.line(2, &format!("{seen} seen, {captured} captured"));
    }
    if report.stats.runs.total > 0 {
        let RunCounts { total, extracted, given_up } = report.stats.runs;
        page.heading("RUNS", None);
        let lost = if given_up > 0 { format!(", {given_up} given up") } else { String::new() };
        page.line(2, &format!("{total} recorded, {extracted} worked off{lost}"));
    }
    jobs(&mut page, &report.jobs, now);
    page.into_text()
}

/// Background work, where something of it is open or wrong.
fn jobs(page: &mut Page, jobs: &QueueState, now: Timestamp) {
    let open = [JobState::Running, JobState::Waiting, JobState::Dead];
    let open: Vec<String> = open
        .into_iter()
        .filter(|state| jobs.count(*state) > 0)
        .map(|state| format!("{} {state}", jobs.count(state)))
        .collect();
    if open.is_empty() {
        return;
    }
    page.heading("JOBS", None);
    page.line(2, &open.join(", "));
    if let Some(since) = &jobs.stuck_since {
        page.line(2, &format!("nothing moves: the oldest was due {}", ago(since, now)));
    }
}

/// A title and its counts, the largest first; nothing where all are zero.
fn block(page: &mut Page, title: &str, counts: &BTreeMap<String, u64>) {
    let mut counts: Vec<_> = counts.iter().filter(|(_, n)| **n > 0).collect();
    if counts.is_empty() {
        return;
    }
    counts.sort_by_key(|(word, n)| (std::cmp::Reverse(**n), *word));
    page.heading(title, None);
    let rows = counts.iter().map(|(word, n)| vec![Domain::title_of(word), n.to_string()]);
    let columns = [Column::text("", 20), Column::number("")];
    page.table(2, &columns, rows);
}

#[cfg(test)]
mod tests {
    use super::super::tests as sample;
    use super::*;

    #[test]
    fn dashboard() {
        let report = sample::stats();
        let text = |width| sample::plain(&stats(&report, width, sample::now()), width);
        insta::assert_snapshot!(text(60), @r"
        312 findings, newest 3h ago
        /home/ada/.local/shar…ep/folder/knowledge.db (1.5 MB)
        ---
        BY KIND
          theorem      250
          failure       42
          false lemma   20
        BY DOMAIN
          Number Theory  201
          Combinatorics   61
          unknown         50
        BY CONFIDENCE
          verified   240
          high        52
          disproven   20
        PROBLEMS
          open    12
          proven   4
        STRATEGIES
          proven  12
          failed   9
        FACTS
          12 confirmed, 40 unverified
          3 working, 5 summaries, 7 changes
        SESSIONS
          14 seen, 0 captured
        ");
        insta::assert_snapshot!(text(100), @r"
        312 findings, newest 3h ago
        /home/ada/.local/share/math-forge/with/a/rather/deep/folder/knowledge.db (1.5 MB)
        ---
        BY KIND
          theorem      250
          failure       42
          false lemma   20
        BY DOMAIN
          Number Theory  201
          Combinatorics   61
          unknown         50
        BY CONFIDENCE
          verified   240
          high        52
          disproven   20
        PROBLEMS
          open    12
          proven   4
        STRATEGIES
          proven  12
          failed   9
        FACTS
          12 confirmed, 40 unverified
          3 working, 5 summaries, 7 changes
        SESSIONS
          14 seen, 0 captured
        ");
    }
}
