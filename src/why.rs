//! `mk why`: what a session was told, where, and why.

use anyhow::bail;
use jiff::Timestamp;
use serde::Serialize;

use crate::app::App;
use crate::model::{Kind, headline};
use crate::store::Injection;
use crate::text::{clean, clip, plural};
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};
use crate::ui::time::ago;
use crate::ui::{Exit, Out};

/// Show what this session was told: where, why and at what cost
///
/// Without --session: the session that the command runs in, or else the latest.
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
        let report = collect(app, self.session.as_deref())?;
        out.answer(&report, |width| view(&report, width, app.now))
    }
}

#[derive(Debug, Default, Serialize)]
struct WhyReport {
    /// Empty where none was told anything.
    session: String,
    tokens: u64,
    /// In order.
    injections: Vec<Told>,
}

#[derive(Debug, Serialize)]
struct Told {
    #[serde(flatten)]
    row: Injection,
    /// The finding's, as it is today.
    title: Option<String>,
}

/// The named session (by prefix), else the one of this command, else the latest of this project, else of all.
fn collect(app: &mut App, session: Option<&str>) -> anyhow::Result<WhyReport> {
    let current = app.environment.text("CLAUDE_CODE_SESSION_ID").map(str::to_owned);
    let project = app.project_identity();
    let store = app.store()?;
    let session = match (session.map(str::trim), current) {
        (Some(prefix), _) => {
            let known = store.sessions_like(prefix)?;
            match known.as_slice() {
                _ if prefix.is_empty() => bail!("the id of a session is not empty"),
                [one] => one.clone(),
                [] => bail!("the ledger has no session `{}`", clip(&clean(prefix), 60)),
                more => bail!("several sessions begin like that: {}", clean(&more.join(", "))),
            }
        }
        (None, Some(current)) => current,
        (None, None) => {
            let here = store.latest_injected(project.as_deref())?;
            let latest = here.map_or_else(|| store.latest_injected(None), |id| Ok(Some(id)))?;
            latest.unwrap_or_default()
        }
    };
    let mut report = WhyReport { session, ..WhyReport::default() };
    for row in store.injections(&report.session)? {
        let finding = row.finding.map(|id| store.finding(id)).transpose()?.flatten();
        report.tokens += row.tokens * row.times;
        report.injections.push(Told { row, title: finding.map(|finding| finding.content.title) });
    }
    Ok(report)
}

fn view(report: &WhyReport, width: usize, now: Timestamp) -> String {
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
        page.line(1, &format!("{} in all", plural(report.tokens, "token")));
    }
    page.into_text()
}

fn one(page: &mut Page, told: &Told, now: Timestamp) {
    let row = &told.row;
    let title = match (row.kind.as_str(), &told.title) {
        ("briefing", _) => "the session briefing".to_owned(),
        ("in_hand", _) => "the work in progress before the compaction".to_owned(),
        ("stagnation", _) => "an error that does not go away".to_owned(),
        ("name", _) => "a name that Lean does not know".to_owned(),
        ("problem", _) => format!("where {} stands", clean(&row.label)),
        (kind, title) => {
            let title = title.as_deref().map(clean).unwrap_or_default();
            let (kind, title) = kind.parse::<Kind>().map_or((kind, title.as_str()), |kind| {
                (kind.names().0, headline(kind.badge(), &title))
            });
            format!("{} {kind}: {title}", clean(&row.label))
        }
    };
    page.line(1, &clip(&title, page.room(1)));
    let whole = if row.form == "index" { "its title only, " } else { "" };
    let times = if row.times > 1 { format!(", {} times", row.times) } else { String::new() };
    let tokens = plural(row.tokens, "token");
    let mut parts = vec![place(row), format!("{whole}{tokens}{times}"), ago(&row.at, now)];
    parts.extend(row.outcome.as_deref().map(|outcome| became(outcome).to_owned()));
    page.parts(2, parts);
    // A signature says no more than the title.
    if row.rule != "error" {
        page.labelled(2, "Because of", &row.why);
    }
}

fn place(row: &Injection) -> String {
    let named = clean(&row.place);
    let place = match row.event.as_str() {
        "SessionStart" => "at the session's start".to_owned(),
        "UserPromptSubmit" => "beside a prompt".to_owned(),
        "SubagentStart" => format!("to a subagent ({named})"),
        "PostToolUse" | "PostToolUseFailure" if named.is_empty() => "beside an output".to_owned(),
        "PostToolUse" => format!("beside {named}"),
        other => clean(other),
    };
    match row.agent.as_str() {
        agent if agent.is_empty() || row.event == "SubagentStart" => place,
        agent => format!("{place} of the subagent {}", clean(agent)),
    }
}

fn became(outcome: &str) -> &str {
    match outcome {
        "used" => "used",
        "spared" => "the error did not come back",
        "recurred" => "it happened again",
        "unused" => "not used",
        other => other,
    }
}
