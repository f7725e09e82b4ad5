//! The guard's log, its numbers, lifts and locks.

use jiff::Timestamp;

use crate::app::guard::lifts::LiftView;
use crate::app::guard::locks::Locked;
use crate::app::guard::log::{GuardStats, LogReport};
use crate::model::{GuardEntry, LiftRecord, LockRecord};
use crate::text::{clean, clip, one_line, plural};
use crate::ui::layout::{Column, Page};
use crate::ui::theme::{Tone, paint};
use crate::ui::time::ago;

/// The log, two lines an entry.
pub fn log(report: &LogReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.entries.is_empty() {
        page.paragraph(
            1,
            if report.nothing_at_all {
                "The guard has not said anything in this project yet."
            } else {
                "The log has nothing of this kind."
            },
        );
        return page.into_text();
    }
    for entry in &report.entries {
        one(&mut page, entry, now);
    }
    page.into_text()
}

fn one(page: &mut Page, entry: &GuardEntry, now: Timestamp) {
    let (word, tone) = match entry.level.as_str() {
        "deny" => ("refused", Tone::Bad),
        "ask" => ("asked", Tone::Caution),
        "warn" => ("said", Tone::Neutral),
        "off" => ("let pass", Tone::Good),
        other => (other, Tone::Faint),
    };
    let about = match (entry.declaration.as_str(), entry.file.as_deref()) {
        ("", Some(file)) => place(file, entry.line),
        ("", None) => String::new(),
        (name, Some(file)) => format!("{name} in {}", place(file, entry.line)),
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
    let room = page.room(6);
    let detail = clip(&one_line(&entry.detail), room);
    if !detail.is_empty() {
        page.line(6, &detail);
    }
}

fn place(file: &str, line: Option<u64>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// The log in numbers.
pub fn stats(stats: &GuardStats, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let Some(since) = &stats.since else {
        page.paragraph(1, "The guard has not said anything in this project yet.");
        lifts_and_locks(&mut page, stats);
        return page.into_text();
    };
    let (refused, sessions) = (plural(stats.refused, "use"), plural(stats.sessions, "session"));
    let line = format!(
        "{refused} of tools refused; the guard spoke in {sessions}, first {}",
        ago(since, now)
    );
    page.paragraph(1, &line);
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
    lifts_and_locks(&mut page, stats);
    page.into_text()
}

fn lifts_and_locks(page: &mut Page, stats: &GuardStats) {
    let lifts = &stats.lifts;
    let mut parts = Vec::new();
    for (count, word) in [
        (lifts.open, "open"),
        (lifts.spent, "used up"),
        (lifts.revoked, "taken back"),
        (lifts.expired, "over"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    let of_them = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let granted = plural(lifts.granted, "lift");
    page.paragraph(1, &format!("{granted}{of_them}, {}", plural(stats.locks, "locked statement")));
}

/// Lifts, the newest first; with `all` those that are over, too.
pub fn lifts(lifts: &[LiftView], all: bool, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if lifts.is_empty() {
        let none = if all {
            "No rule was ever lifted here."
        } else {
            "Every rule holds: nothing is lifted."
        };
        page.paragraph(1, none);
        return page.into_text();
    }
    let columns = [
        Column::number("ID"),
        Column::text("RULE", 0),
        Column::text("FOR", 16),
        Column::text("HOLDS", 10),
        Column::text("GRANTED", 0),
        Column::text("REASON", 12),
    ];
    let rows = lifts.iter().map(|view| {
        let lift = &view.lift;
        vec![
            lift.id.to_string(),
            lift.rule.clone(),
            target(lift),
            holds(view),
            format!("{}, {}", ago(&lift.granted_at, now), lift.granted_by),
            lift.reason.clone(),
        ]
    });
    page.table(1, &columns, rows);
    page.into_text()
}

fn target(lift: &LiftRecord) -> String {
    match (&lift.declaration, &lift.file) {
        (Some(name), Some(file)) => format!("{name} in {file}"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => "-".to_owned(),
    }
}

fn holds(view: &LiftView) -> String {
    let until = view.lift.expires_at.as_deref().map(|end| end.get(..16).unwrap_or(end));
    match (view.state, view.lift.once, until) {
        ("open", true, _) => "one edit".to_owned(),
        ("open", false, Some(end)) => format!("until {end} UTC"),
        ("open", false, None) => "until taken back".to_owned(),
        ("spent", ..) => "used up".to_owned(),
        ("revoked", ..) => "taken back".to_owned(),
        _ => "over".to_owned(),
    }
}

pub fn locks(locks: &[LockRecord], width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if locks.is_empty() {
        page.paragraph(1, "No statement is locked here. `mk lock <declaration>` locks one.");
        return page.into_text();
    }
    for lock in locks {
        let from = match lock.origin.as_str() {
            "problem" => "states a known problem",
            "prover" => "the prover works on it",
            _ => "locked by hand",
        };
        page.heading(&clean(&lock.declaration), None);
        let file = lock.file.as_deref().map(clean).unwrap_or_default();
        let parts = [file, from.to_owned(), ago(&lock.locked_at, now)];
        page.parts(2, parts.into_iter().filter(|part| !part.is_empty()).collect());
        let room = page.room(2);
        let statement = clip(&one_line(lock.statement.as_deref().unwrap_or_default()), room);
        if !statement.is_empty() {
            page.line(2, &statement);
        }
    }
    page.into_text()
}

/// What was locked just now.
pub fn locked(locked: &[Locked], width: usize) -> String {
    let mut page = Page::new(width);
    for one in locked {
        let file = one.lock.file.as_deref().unwrap_or_default();
        let word = if one.new { "locked" } else { "locked again" };
        page.line(1, &clean(&format!("{word}: {} ({file})", one.lock.declaration)));
        let room = page.room(2);
        page.line(2, &clip(&one_line(one.lock.statement.as_deref().unwrap_or_default()), room));
    }
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::tests as sample;

    fn now() -> Timestamp {
        "2026-02-01T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn entries_say_what_where_and_when() {
        let entry = GuardEntry {
            at: "2026-02-01 11:00:00".to_owned(),
            session: "0123456789abcdef".to_owned(),
            event: "PreToolUse".to_owned(),
            tool: Some("Edit".to_owned()),
            file: Some("M.lean".to_owned()),
            rule: "proof-lost".to_owned(),
            level: "deny".to_owned(),
            declaration: "A.foo".to_owned(),
            line: Some(7),
            detail: "lost its\nproof".to_owned(),
            ..GuardEntry::default()
        };
        let report = |entries, nothing_at_all| LogReport { entries, nothing_at_all };
        let text = |report: &LogReport| sample::plain(&log(report, 60, now()), 60);
        assert_eq!(
            text(&report(vec![entry], false)),
            "  refused   proof-lost          A.foo in M.lean:7
            1h ago | PreToolUse | Edit
            session 0123456789a…
            lost its proof
"
        );
        assert!(text(&report(Vec::new(), true)).contains("not said anything"));
        assert!(text(&report(Vec::new(), false)).contains("nothing of this kind"));
    }

    #[test]
    fn numbers_name_what_was_refused_most() {
        use crate::app::guard::log::{LiftCounts, Refused, RuleCounts};
        let rule = RuleCounts { rule: "proof-lost".to_owned(), deny: 3, ..RuleCounts::default() };
        let most =
            Refused { declaration: "A.foo".to_owned(), rule: "proof-lost".to_owned(), times: 2 };
        let sums = GuardStats {
            sessions: 1,
            refused: 3,
            rules: vec![rule],
            most_refused: vec![most],
            lifts: LiftCounts { granted: 2, open: 1, spent: 1, ..LiftCounts::default() },
            locks: 1,
            since: Some("2026-01-30 12:00:00".to_owned()),
        };
        assert_eq!(
            sample::plain(&stats(&sums, 60, now()), 60),
            "  3 uses of tools refused; the guard spoke in 1 session,
  first 2d ago

  RULE        REFUSED  ASKED  SAID  LET PASS
  proof-lost        3      -     -         -

  Refused most
  2  A.foo  proof-lost

  2 lifts (1 open, 1 used up), 1 locked statement
"
        );
    }
}
