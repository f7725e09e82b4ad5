//! What the guard did: its log, and the log in numbers.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::lifts;
use crate::app::App;
use crate::guard::Rule;
use crate::model::GuardEntry;
use crate::store::{LogFilter, time_text};
use crate::text::since;

/// Which part of the log is wanted.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub session: Option<String>,
    pub declaration: Option<String>,
    pub rule: Option<String>,
    /// Not before this time, as people say it: `2d`, `yesterday`.
    pub since: Option<String>,
    /// How many at most; 0 for all.
    pub limit: usize,
}

/// A part of the log, the newest first.
#[derive(Debug, Serialize)]
pub struct LogReport {
    pub entries: Vec<GuardEntry>,
    /// Whether the log of this project is empty altogether.
    #[serde(skip)]
    pub nothing_at_all: bool,
}

/// Reads the log of this project; outside of a project, of all.
///
/// # Errors
/// When a time is not understood, or the database cannot be read.
pub fn log(app: &mut App, request: &Request) -> anyhow::Result<LogReport> {
    let since = request.since.as_deref().map(|words| since(words, app.now)).transpose();
    let filter = LogFilter {
        project: app.project_identity(),
        session: request.session.clone(),
        declaration: request.declaration.clone(),
        rule: request.rule.as_deref().map(code),
        since: since.map_err(anyhow::Error::msg)?,
        limit: request.limit,
    };
    let Some(store) = app.existing_store()? else {
        return Ok(LogReport { entries: Vec::new(), nothing_at_all: true });
    };
    let entries = store.guard_log(&filter)?;
    let any = LogFilter { project: filter.project, limit: 1, ..LogFilter::default() };
    let nothing_at_all = entries.is_empty() && store.guard_log(&any)?.is_empty();
    Ok(LogReport { entries, nothing_at_all })
}

/// A rule's code in its one spelling; another word as it is.
fn code(word: &str) -> String {
    Rule::from_code(word).map_or_else(|| word.to_owned(), |rule| rule.code().to_owned())
}

/// The log in numbers.
#[derive(Debug, Default, Serialize)]
pub struct GuardStats {
    /// Sessions in which the guard said something.
    pub sessions: usize,
    /// Uses of tools that were refused.
    pub refused: usize,
    /// By rule, in the order of the rules.
    pub rules: Vec<RuleCounts>,
    /// Declarations by how often they were refused, ten at most.
    pub most_refused: Vec<Refused>,
    pub lifts: LiftCounts,
    pub locks: usize,
    /// When the log begins, `YYYY-MM-DD HH:MM:SS` in UTC.
    pub since: Option<String>,
}

/// How often a rule spoke. One use of a tool is one, however often it was told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RuleCounts {
    pub rule: String,
    pub deny: usize,
    pub ask: usize,
    pub warn: usize,
    /// A lift let it pass.
    pub off: usize,
}

/// A declaration that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// Its full name.
    pub declaration: String,
    pub rule: String,
    /// How often.
    pub times: usize,
}

/// Lifts by what has become of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LiftCounts {
    pub granted: usize,
    /// Those that hold.
    pub open: usize,
    /// Used up by an edit.
    pub spent: usize,
    /// Taken back.
    pub revoked: usize,
    pub expired: usize,
}

/// Sums up the log of this project; outside of a project, of all.
///
/// # Errors
/// When the database cannot be read.
pub fn stats(app: &mut App) -> anyhow::Result<GuardStats> {
    let project = app.project_identity();
    let place = app.place();
    let now = time_text(app.now);
    let Some(store) = app.existing_store()? else { return Ok(GuardStats::default()) };
    let entries =
        store.guard_log(&LogFilter { project: project.clone(), ..LogFilter::default() })?;
    let mut stats = count(&entries);
    for lift in store.lifts(place.as_deref())? {
        stats.lifts.granted += 1;
        match lifts::state(&lift, &now) {
            "spent" => stats.lifts.spent += 1,
            "revoked" => stats.lifts.revoked += 1,
            "expired" => stats.lifts.expired += 1,
            _ => stats.lifts.open += 1,
        }
    }
    let names = place.as_deref().zip(project.as_deref());
    let locks = names.map(|(place, identity)| store.locks(place, identity)).transpose()?;
    stats.locks = locks.map_or(0, |locks| locks.len());
    Ok(stats)
}

/// Sums up entries, the newest first.
fn count(entries: &[GuardEntry]) -> GuardStats {
    type Use<'a> = (&'a str, &'a str);
    let mut by_rule: BTreeMap<(&str, &str), BTreeSet<Use<'_>>> = BTreeMap::new();
    let mut by_name: BTreeMap<(&str, &str), BTreeSet<Use<'_>>> = BTreeMap::new();
    let (mut refused, mut sessions) = (BTreeSet::new(), BTreeSet::new());
    for entry in entries {
        let one_use = (entry.session.as_str(), entry.tool_use.as_str());
        let rule = entry.rule.as_str();
        by_rule.entry((rule, entry.level.as_str())).or_default().insert(one_use);
        sessions.insert(entry.session.as_str());
        if entry.level == "deny" {
            refused.insert(one_use);
            if !entry.declaration.is_empty() {
                by_name.entry((entry.declaration.as_str(), rule)).or_default().insert(one_use);
            }
        }
    }
    let codes: BTreeSet<&str> = by_rule.keys().map(|(rule, _)| *rule).collect();
    let order =
        |code: &str| Rule::guarded().position(|rule| rule.code() == code).unwrap_or(usize::MAX);
    let mut rules: Vec<RuleCounts> = codes
        .into_iter()
        .map(|rule| {
            let of = |level| by_rule.get(&(rule, level)).map_or(0, BTreeSet::len);
            let [deny, ask, warn, off] = ["deny", "ask", "warn", "off"].map(of);
            RuleCounts { rule: rule.to_owned(), deny, ask, warn, off }
        })
        .collect();
    rules.sort_by_key(|counts| order(&counts.rule));
    let mut most_refused: Vec<Refused> = by_name
        .into_iter()
        .map(|((declaration, rule), uses)| Refused {
            declaration: declaration.to_owned(),
            rule: rule.to_owned(),
            times: uses.len(),
        })
        .collect();
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
