//! `mk stats`: the knowledge base in numbers.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use crate::app::App;
use crate::jobs::{self, QueueState};
use crate::model::{Domain, JobState};
use crate::store::{SessionCounts, Stats};
use crate::text::{clean, clip_middle, in_bytes, plural};
use crate::ui::EMPTY_BASE;
use crate::ui::layout::{Column, Page};
use crate::ui::theme::{Tone, paint};
use crate::ui::time::ago;
use crate::ui::{Exit, Out};

/// Show the knowledge base in numbers
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk stats
  mk stats --json")]
pub(crate) struct Args {}

impl Args {
    #[expect(clippy::unused_self, reason = "as every command has it")]
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        app.store()?;
        let mut submissions = BTreeMap::new();
        if let Ok(Some(tracking)) = app.tracking() {
            for one in &tracking.ledger.submissions {
                let standing = one.standing_there().unwrap_or_else(|| "no status".to_owned());
                *submissions.entry(standing).or_default() += 1;
            }
        }
        let counted = app.store()?.stats()?;
        let report = StatsReport { stats: counted, submissions, jobs: jobs::state(app)? };
        out.answer(&report, |width| stats(&report, width, app.now))
    }
}

#[derive(Debug, Serialize)]
struct StatsReport {
    #[serde(flatten)]
    stats: Stats,
    /// Of the project's tracking.db, by the status there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    submissions: BTreeMap<String, u64>,
    jobs: QueueState,
}

fn stats(report: &StatsReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let Stats { findings, problems, strategies, proposals, .. } = &report.stats;
    let newest = findings.newest.as_deref().map(|at| format!(", newest {}", ago(at, now)));
    let total = paint(Tone::Heading, &plural(findings.total, "finding"));
    page.line(1, &format!("{total}{}", newest.unwrap_or_default()));
    let path = clip_middle(&clean(&report.stats.database.path), page.room(1) - 14);
    page.line(1, &format!("{path} ({})", in_bytes(report.stats.database.bytes)));
    page.rule();
    if findings.total == 0 {
        page.hint(EMPTY_BASE);
    }
    for (title, counts) in [
        ("BY KIND", &findings.by_kind),
        ("BY DOMAIN", &findings.by_domain),
        ("PROBLEMS", problems),
        ("STRATEGIES", strategies),
        ("SUBMISSIONS in tracking.db", &report.submissions),
        ("PROPOSALS", proposals),
    ] {
        block(&mut page, title, counts);
    }
    // A session that was seen and never captured is a defect somewhere: zero is shown too.
    if report.stats.sessions.seen > 0 {
        let SessionCounts { seen, captured } = report.stats.sessions;
        page.heading("SESSIONS", None);
        page.line(2, &format!("{seen} seen, {captured} captured"));
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
        page.line(2, &format!("nothing is moving: the oldest was due {}", ago(since, now)));
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
    page.table(2, &[Column::text("", 20), Column::number("")], rows);
}
