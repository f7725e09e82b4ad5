//! `mk why`: what a session was told, and why.

use jiff::Timestamp;

use super::{Exit, Out};
use crate::app::App;
use crate::app::inject::why::{Told, WhyReport, run};
use crate::render::layout::Page;
use crate::render::theme::{Tone, paint};
use crate::render::time::ago;
use crate::text::{clean, clip};

/// Show what this session was told of what is known, where, why and at what cost
///
/// Without a session it is the one in which the command runs, else the latest.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk why
  mk why --session 12c2e923
  mk why --json")]
pub(crate) struct Args {
    /// Id of a session, or its beginning
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = run(app, self.session.as_deref())?;
        out.answer(&report, |width| why(&report, width, app.now))?;
        Ok(Exit::Done)
    }
}

/// What a session was told.
fn why(report: &WhyReport, width: usize, now: Timestamp) -> String {
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
