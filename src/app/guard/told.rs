//! What the guard said: kept in its log, counted, and not said over and over.

use std::collections::BTreeSet;

use crate::app::App;
use crate::files;
use crate::guard::{Finding, Rule};
use crate::hook::{Event, Occasion, Tool};
use crate::model::GuardEntry;
use crate::text::{hash, one_line, scrub, without_private};

/// How much is told of what was tried already.
const MOST_TRIED: usize = 3;

/// The log's row for a finding in a file (as [`crate::project::Project::stable_path`] spells it).
pub fn entry(finding: &Finding, file: &str) -> GuardEntry {
    GuardEntry {
        file: Some(file.to_owned()),
        rule: finding.rule.code().to_owned(),
        level: finding.level.as_str().to_owned(),
        declaration: finding.declaration.clone().unwrap_or_default(),
        line: finding.line.map(|line| line as u64),
        detail: finding.detail.clone(),
        ..GuardEntry::default()
    }
}

/// Writes to the log. What an entry leaves open about the event and the project is filled in. It
/// never fails: what goes wrong is a line in the log file.
pub fn log(app: &mut App, event: &Event, entries: &[GuardEntry]) {
    log_and_spend(app, event, entries, &[]);
}

/// Like [`log`]; uses up these lifts in the same transaction.
pub fn log_and_spend(app: &mut App, event: &Event, entries: &[GuardEntry], lifts: &[i64]) {
    if (entries.is_empty() && lifts.is_empty()) || app.database.path().is_none() {
        return;
    }
    let tool_use = tool_use(app, event);
    let entries: Vec<GuardEntry> =
        entries.iter().map(|entry| filled(app, event, &tool_use, entry)).collect();
    let now = app.now;
    let written = app.store().and_then(|store| {
        Ok(store.write(now, |writer| {
            writer.log_guard(&entries)?;
            lifts.iter().try_for_each(|lift| writer.spend(*lift, &tool_use).map(drop))
        })?)
    });
    if let Err(error) = written {
        app.log.line(now, "guard", &format!("its log was not written: {error:#}"));
    }
}

/// The client's id of the use of a tool; the time where it sent none.
fn tool_use(app: &App, event: &Event) -> String {
    if event.tool_use.is_empty() { format!("at {}", app.now) } else { event.tool_use.clone() }
}

/// A detail, a command for example, as the log keeps it: without secrets.
pub fn stored(detail: &str) -> String {
    scrub(&without_private(detail)).into_owned()
}

fn filled(app: &App, event: &Event, tool_use: &str, entry: &GuardEntry) -> GuardEntry {
    let or = |text: &String, other: &str| {
        if text.is_empty() { other.to_owned() } else { text.clone() }
    };
    let (occasion, tool) = match &event.occasion {
        Occasion::PreToolUse(tool) => ("PreToolUse", Some(tool)),
        Occasion::PostToolUse(tool) => ("PostToolUse", Some(tool)),
        Occasion::PostToolUseFailure(tool) => ("PostToolUseFailure", Some(tool)),
        Occasion::Stop { .. } => ("Stop", None),
        _ => ("", None),
    };
    let tool = tool.and_then(|tool| match tool {
        Tool::Bash { .. } => Some("Bash".to_owned()),
        Tool::File(file) => Some(file.tool.clone()),
        Tool::Server(used) => Some(used.tool.clone()),
        Tool::Read { .. } | Tool::Agent { .. } | Tool::Other => None,
    });
    GuardEntry {
        session: or(&entry.session, &event.session),
        tool_use: or(&entry.tool_use, tool_use),
        agent: entry.agent.clone().or_else(|| event.agent.clone()),
        event: or(&entry.event, occasion),
        tool: entry.tool.clone().or(tool),
        project: entry
            .project
            .clone()
            .or_else(|| app.is_in_project().then(|| app.project.identity.clone())),
        detail: stored(&entry.detail),
        ..entry.clone()
    }
}

/// What was said in this session by the rule of a finding about its declaration; of one without a
/// name, in the same file in the same words.
fn said(app: &mut App, event: &Event, finding: &Finding, file: &str) -> Vec<GuardEntry> {
    if event.session.is_empty() {
        return Vec::new();
    }
    let name = finding.declaration.as_deref().unwrap_or_default();
    let said = match app.existing_store() {
        Ok(Some(store)) => store.guard_said(&event.session, finding.rule.code(), name),
        Ok(None) => return Vec::new(),
        Err(error) => Err(error),
    };
    let mut said = said.unwrap_or_else(|error| {
        app.log.line(app.now, "guard", &format!("its log was not read: {error}"));
        Vec::new()
    });
    if name.is_empty() {
        let detail = stored(&finding.detail);
        said.retain(|row| row.file.as_deref() == Some(file) && row.detail == detail);
    }
    said
}

/// How often the same was refused in this session before this use of a tool.
pub fn times(app: &mut App, event: &Event, finding: &Finding, file: &str) -> usize {
    let said = said(app, event, finding, file);
    let refused = said.iter().filter(|row| matches!(row.level.as_str(), "deny" | "ask"));
    let uses: BTreeSet<&str> = refused.map(|row| row.tool_use.as_str()).collect();
    uses.iter().filter(|tool_use| **tool_use != event.tool_use).count()
}

/// Whether a remark was not made in this session yet.
pub fn is_news(app: &mut App, event: &Event, finding: &Finding, file: &str) -> bool {
    let level = finding.level.as_str();
    let mut said = said(app, event, finding, file);
    if finding.rule == Rule::FalseLemma {
        // A lemma that was told may come again as a copy under another name, which nobody was told.
        said.retain(|row| row.detail == finding.detail);
    }
    !said.iter().any(|row| row.level == level && row.event != "PreToolUse")
}

/// Whether the person was asked about this use of a tool, which went on: so the answer was yes.
pub fn was_agreed(app: &mut App, event: &Event, finding: &Finding, file: &str) -> bool {
    let said = said(app, event, finding, file);
    said.iter().any(|row| {
        row.level == "ask" && row.event == "PreToolUse" && row.tool_use == event.tool_use
    })
}

/// What the knowledge base says was tried for a declaration, a line each.
pub fn tried(app: &mut App, finding: &Finding) -> Vec<String> {
    let Some(name) = finding.declaration.clone().filter(|_| finding.rule != Rule::FalseLemma)
    else {
        return Vec::new();
    };
    let found = match app.existing_store() {
        Ok(Some(store)) => store.failed(Some(&name), MOST_TRIED),
        _ => return Vec::new(),
    };
    let line = |finding: crate::model::Finding| {
        let why = finding.content.why_failed.as_deref().map(one_line).unwrap_or_default();
        let title = one_line(&finding.content.title);
        let line = if why.is_empty() { title } else { format!("{title}: {why}") };
        crate::text::clean(&line)
    };
    found.unwrap_or_default().into_iter().map(line).collect()
}

/// Whether something is said for the first time in a session. Without a database, for what is said
/// about the database; where it cannot be remembered, it is said again.
pub fn first_time(app: &App, session: &str, what: &str) -> bool {
    if session.is_empty() {
        return true;
    }
    let mark = app.paths.state_dir.join("said").join(hash(format!("{session}\n{what}"), 16));
    files::create(&mark, b"").unwrap_or(true)
}
