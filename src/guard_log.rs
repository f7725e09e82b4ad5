//! `mk guard log`: what the guard did, one by one.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::app::App;
use crate::guard::Rule;
use crate::model::GuardEntry;
use crate::store::LogFilter;
use crate::text::{clean, clip, one_line, since};
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};
use crate::ui::time::ago;
use crate::ui::{Exit, Out};

/// Show what the guard decided
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk guard log
  mk guard log --since 2d --rule proof-lost
  mk guard log --decl Erdos.main --json")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// What was refused, asked, said and allowed, newest first
    Log {
        /// Of this session only
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// About this declaration only (its full name)
        #[arg(long, value_name = "NAME")]
        decl: Option<String>,
        /// By this rule only
        #[arg(long, value_name = "RULE")]
        rule: Option<String>,
        /// Not older than this: 2d, yesterday, 2026-01-31
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// How many at most; 0 for all
        #[arg(long, short = 'n', value_name = "N", default_value_t = 30)]
        limit: usize,
    },
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let now = app.now;
        let Action::Log { session, decl, rule, since: words, limit } = self.action;
        let since = words.as_deref().map(|words| since(words, now)).transpose();
        let filter = LogFilter {
            project: app.project_identity(),
            session,
            declaration: decl,
            rule: rule.map(|word| Rule::from_code(&word).map_or(word, |r| r.code().into())),
            since: since.map_err(anyhow::Error::msg)?,
            limit,
        };
        let entries = match app.existing_store()? {
            Some(store) => store.guard_log(&filter)?,
            None => Vec::new(),
        };
        out.answer(&BTreeMap::from([("entries", &entries)]), |width| view(&entries, width, now))
    }
}

fn view(entries: &[GuardEntry], width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if entries.is_empty() {
        page.paragraph(1, "The log of this project has no such entries.");
    }
    for entry in entries {
        view_entry(&mut page, entry, now);
    }
    page.into_text()
}

fn view_entry(page: &mut Page, entry: &GuardEntry, now: Timestamp) {
    let (word, tone) = match entry.level.as_str() {
        "deny" => ("refused", Tone::Bad),
        "ask" => ("asked", Tone::Caution),
        "warn" => ("said", Tone::Neutral),
        "off" => ("let pass", Tone::Good),
        other => (other, Tone::Faint),
    };
    let line = entry.line.map_or_else(String::new, |line| format!(":{line}"));
    let about = match (entry.declaration.as_str(), entry.file.as_deref()) {
        ("", Some(file)) => format!("{file}{line}"),
        (name, Some(file)) => format!("{name} in {file}{line}"),
        (name, None) => name.to_owned(),
    };
    let word = paint(tone, &format!("{word:<8}"));
    let head = format!("{:<18}  ", clean(&entry.rule));
    let about = clip(&clean(&about), page.room(1).saturating_sub(10 + head.len()));
    page.line(1, format!("{word}  {head}{about}").trim_end());
    let lift = entry.lift.map(|lift| format!("lift {lift}"));
    let agent = entry.agent.as_deref().map(|agent| format!("subagent {}", clean(agent)));
    let tool = entry.tool.as_deref().map(clean);
    let session = Some(clean(&entry.session)).filter(|session| !session.is_empty());
    let session = session.map(|session| format!("session {}", clip(&session, 12)));
    let parts = [Some(ago(&entry.at, now)), Some(clean(&entry.event)), tool, lift, agent, session];
    page.parts(6, parts.into_iter().flatten().filter(|part| !part.is_empty()).collect());
    let detail = clip(&one_line(&entry.detail), page.room(6));
    if !detail.is_empty() {
        page.line(6, &detail);
    }
}
