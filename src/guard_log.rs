//! `mk guard`: what the guard did, one by one and in numbers.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;

use crate::allow;
use crate::app::App;
use crate::guard::Rule;
use crate::model::GuardEntry;
use crate::store::{LogFilter, time_text};
use crate::text::{clean, clip, counted, one_line, plural, since};
use crate::ui::layout::{Column, Page};
use crate::ui::theme::{Tone, paint};
use crate::ui::time::ago;
use crate::ui::{Exit, Out};

/// Show what the guard decided: its log, and the log in numbers
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk guard log
  mk guard log --since 2d --rule proof-lost
  mk guard log --decl Erdos.main --json
  mk guard stats")]
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
    /// Counts by rule and level, the declarations refused most often, lifts and locks
    Stats,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let now = app.now;
        match self.action {
            Action::Log { session, decl, rule, since: words, limit } => {
                let since = words.as_deref().map(|words| since(words, now)).transpose();
                let filter = LogFilter {
                    project: app.project_identity(),
                    session,
                    declaration: decl,
                    rule: rule.map(|word| Rule::from_code(&word).map_or(word, |r| r.code().into())),
                    since: since.map_err(anyhow::Error::msg)?,
                    limit,
                };
                let report = log(app, &filter)?;
                out.answer(&report, |width| view_log(&report, width, now))?;
            }
            Action::Stats => {
                let stats = stats(app)?;
                out.answer(&stats, |width| view_stats(&stats, width, now))?;
            }
        }
        Ok(Exit::Done)
    }
}

#[derive(Debug, Serialize)]
struct LogReport {
    entries: Vec<GuardEntry>,
    /// Whether the log of this project is empty altogether.
    #[serde(skip)]
    nothing_at_all: bool,
}

fn log(app: &mut App, filter: &LogFilter) -> anyhow::Result<LogReport> {
    let Some(store) = app.existing_store()? else {
        return Ok(LogReport { entries: Vec::new(), nothing_at_all: true });
    };
    let entries = store.guard_log(filter)?;
    let any = LogFilter { project: filter.project.clone(), limit: 1, ..LogFilter::default() };
    let nothing_at_all = entries.is_empty() && store.guard_log(&any)?.is_empty();
    Ok(LogReport { entries, nothing_at_all })
}

#[derive(Debug, Default, Serialize)]
struct GuardStats {
    sessions: usize,
    refused: usize,
    rules: Vec<RuleCounts>,
    most_refused: Vec<Refused>,
    lifts: LiftCounts,
    locks: usize,
    /// When the log begins, `YYYY-MM-DD HH:MM:SS` in UTC.
    since: Option<String>,
}

/// How often a rule spoke. One use of a tool is one, however often it was told.
#[derive(Debug, Default, Serialize)]
struct RuleCounts {
    rule: String,
    deny: usize,
    ask: usize,
    warn: usize,
    /// A lift let it pass.
    off: usize,
}

#[derive(Debug, Serialize)]
struct Refused {
    declaration: String,
    rule: String,
    times: usize,
}

#[derive(Debug, Default, Serialize)]
struct LiftCounts {
    granted: usize,
    open: usize,
    spent: usize,
    revoked: usize,
    expired: usize,
}

/// Sums up the log of this project; outside of a project, of all.
fn stats(app: &mut App) -> anyhow::Result<GuardStats> {
    let (project, place, now) = (app.project_identity(), app.place(), time_text(app.now));
    let Some(store) = app.existing_store()? else { return Ok(GuardStats::default()) };
    let filter = LogFilter { project, ..LogFilter::default() };
    let mut stats = count(&store.guard_log(&filter)?);
    for lift in store.lifts(place.as_deref())? {
        stats.lifts.granted += 1;
        *match allow::state(&lift, &now) {
            "spent" => &mut stats.lifts.spent,
            "revoked" => &mut stats.lifts.revoked,
            "expired" => &mut stats.lifts.expired,
            _ => &mut stats.lifts.open,
        } += 1;
    }
    if let (Some(place), Some(identity)) = (&place, &filter.project) {
        stats.locks = store.locks(place, identity)?.len();
    }
    Ok(stats)
}

fn count(entries: &[GuardEntry]) -> GuardStats {
    type Uses<'a> = BTreeSet<(&'a str, &'a str)>;
    let mut by_rule: BTreeMap<&str, BTreeMap<&str, Uses<'_>>> = BTreeMap::new();
    let mut by_name: BTreeMap<(&str, &str), Uses<'_>> = BTreeMap::new();
    let (mut refused, mut sessions) = (BTreeSet::new(), BTreeSet::new());
    for entry in entries {
        let one_use = (entry.session.as_str(), entry.tool_use.as_str());
        let (rule, level) = (entry.rule.as_str(), entry.level.as_str());
        by_rule.entry(rule).or_default().entry(level).or_default().insert(one_use);
        sessions.insert(entry.session.as_str());
        if level == "deny" {
            refused.insert(one_use);
            if !entry.declaration.is_empty() {
                by_name.entry((&entry.declaration, rule)).or_default().insert(one_use);
            }
        }
    }
    let rules = by_rule.into_iter().map(|(rule, levels)| {
        let of = |level| levels.get(level).map_or(0, BTreeSet::len);
        let [deny, ask, warn, off] = ["deny", "ask", "warn", "off"].map(of);
        RuleCounts { rule: rule.to_owned(), deny, ask, warn, off }
    });
    let mut rules: Vec<RuleCounts> = rules.collect();
    let order = |code: &str| Rule::guarded().position(|rule| rule.code() == code);
    rules.sort_by_key(|counts| order(&counts.rule).unwrap_or(usize::MAX));
    let most = by_name.into_iter().map(|((declaration, rule), uses)| Refused {
        declaration: declaration.to_owned(),
        rule: rule.to_owned(),
        times: uses.len(),
    });
    let mut most_refused: Vec<Refused> = most.collect();
    most_refused.sort_by_key(|refused| std::cmp::Reverse(refused.times));
    most_refused.truncate(10);
    GuardStats {
        sessions: sessions.len(),
        refused: refused.len(),
        rules,
        most_refused,
        since: entries.last().map(|entry| entry.at.clone()),
        ..GuardStats::default()
    }
}

fn view_log(report: &LogReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.entries.is_empty() {
        let none = if report.nothing_at_all {
            "The guard has not said anything in this project yet."
        } else {
            "The log has no such entries."
        };
        page.paragraph(1, none);
    }
    for entry in &report.entries {
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

fn view_stats(stats: &GuardStats, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    match &stats.since {
        None => page.paragraph(1, "The guard has not said anything in this project yet."),
        Some(since) => {
            let refused = plural(stats.refused, "use");
            let (sessions, first) = (plural(stats.sessions, "session"), ago(since, now));
            page.paragraph(
                1,
                &format!(
                    "{refused} of tools refused; the guard spoke in {sessions}, first {first}"
                ),
            );
            view_rules(&mut page, stats);
        }
    }
    let lifts = &stats.lifts;
    let words = [
        (lifts.open, "open"),
        (lifts.spent, "used up"),
        (lifts.revoked, "taken back"),
        (lifts.expired, "over"),
    ];
    let parts = counted(words);
    let of_them = if parts.is_empty() { String::new() } else { format!(" ({parts})") };
    let granted = plural(lifts.granted, "lift");
    page.paragraph(1, &format!("{granted}{of_them}, {}", plural(stats.locks, "locked statement")));
    page.into_text()
}

fn view_rules(page: &mut Page, stats: &GuardStats) {
    page.blank();
    let columns = [
        Column::text("RULE", 12),
        Column::number("REFUSED"),
        Column::number("ASKED"),
        Column::number("SAID"),
        Column::number("LET PASS"),
    ];
    let cell = |count: usize| if count == 0 { "-".to_owned() } else { count.to_string() };
    let rows = stats.rules.iter();
    let rows =
        rows.map(|r| vec![r.rule.clone(), cell(r.deny), cell(r.ask), cell(r.warn), cell(r.off)]);
    page.table(1, &columns, rows);
    if !stats.most_refused.is_empty() {
        page.blank();
        page.heading("Refused most", None);
        let columns = [Column::number(""), Column::text("", 20), Column::text("", 10)];
        let rows = stats.most_refused.iter();
        let rows = rows.map(|r| vec![r.times.to_string(), r.declaration.clone(), r.rule.clone()]);
        page.table(1, &columns, rows);
    }
    page.blank();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_of_a_tool_counts_once() {
        let entry = |tool_use: &str, rule: &str, level: &str, declaration: &str| GuardEntry {
            at: "2026-01-01 00:00:00".to_owned(),
            session: "s".to_owned(),
            tool_use: tool_use.to_owned(),
            rule: rule.to_owned(),
            level: level.to_owned(),
            declaration: declaration.to_owned(),
            ..GuardEntry::default()
        };
        let stats = count(&[
            entry("t1", "axiom-added", "warn", "c"),
            entry("t1", "proof-lost", "deny", "a"),
            entry("t1", "proof-lost", "deny", "a"),
            entry("t1", "proof-lost", "deny", "b"),
            entry("t2", "proof-lost", "deny", "a"),
            entry("t3", "proof-lost", "off", "a"),
            entry("t4", "asked-to-lift", "ask", "a"),
        ]);
        assert_eq!((stats.sessions, stats.refused), (1, 2));
        let rules: Vec<String> = stats
            .rules
            .iter()
            .map(|r| format!("{} {} {} {} {}", r.rule, r.deny, r.ask, r.warn, r.off))
            .collect();
        assert_eq!(rules, ["proof-lost 2 0 0 1", "axiom-added 0 0 1 0", "asked-to-lift 0 1 0 0"]);
        let most: Vec<(&str, usize)> =
            stats.most_refused.iter().map(|r| (r.declaration.as_str(), r.times)).collect();
        assert_eq!(most, [("a", 2), ("b", 1)]);
    }
}
