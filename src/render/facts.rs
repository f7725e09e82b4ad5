//! Facts: a list, one whole, what befell them.

use jiff::Timestamp;

use super::layout::{Column, Page};
use super::theme::{Tone, paint};
use super::time::{ago, iso};
use crate::app::facts::{
    ExpireReport, FactDecision, FactsReport, HistoryReport, SetReport, ShownFact, ShownFacts,
};
use crate::store::{FactEvent, StoredFact};
use crate::text::{clean, clip};

pub fn list(report: &FactsReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.facts.is_empty() {
        page.nothing(
            "No facts.",
            "A language model finds them in sessions and notes, once one is configured; `mk facts set \
             KEY VALUE` stores one of yours.",
        );
        return page.into_text();
    }
    page.listing("Facts", report.facts.len(), report.total);
    table(&mut page, &report.facts, now);
    if report.facts.iter().any(|fact| !fact.confirmed) {
        page.hint("? is unverified: a model said so. `mk facts confirm ID` says that one holds.");
    }
    page.into_text()
}

fn table(page: &mut Page, facts: &[StoredFact], now: Timestamp) {
    let columns = [
        Column::number("#"),
        Column::text("", 0),
        Column::text("CATEGORY", 0),
        Column::text("KEY", 16),
        Column::text("VALUE", 16),
        Column::text("SEEN", 0),
    ];
    let row = |fact: &StoredFact| {
        let mark = if fact.confirmed { "" } else { "?" };
        let seen = fact.last_verified.as_deref().unwrap_or(&fact.updated_at);
        let value = value(fact);
        let (category, key) = (fact.category.clone(), fact.key.clone());
        vec![fact.id.to_string(), mark.to_owned(), category, key, value, ago(seen, now)]
    };
    page.table(1, &columns, facts.iter().map(row));
}

/// The value; of a summary how many lines it has.
fn value(fact: &StoredFact) -> String {
    let lines = if fact.category == "session" { summary(&fact.value) } else { Vec::new() };
    if lines.is_empty() {
        return fact.value.clone();
    }
    let counts = lines.iter().map(|(label, lines)| format!("{label}: {}", lines.len()));
    counts.collect::<Vec<_>>().join(", ")
}

/// The lists of a summary that have lines; none where the value is no summary.
fn summary(value: &str) -> Vec<(&'static str, Vec<String>)> {
    let parsed: serde_json::Value = serde_json::from_str(value).unwrap_or_default();
    let lists = [
        ("decided", "decisions"),
        ("open", "open_questions"),
        ("to do", "action_items"),
        ("topics", "topics"),
    ];
    let lines = |name: &str| -> Vec<String> {
        let list = parsed.get(name).and_then(|list| list.as_array());
        let lines = list.into_iter().flatten().filter_map(|line| line.as_str());
        lines.map(str::to_owned).collect()
    };
    let lists = lists.map(|(label, name)| (label, lines(name)));
    lists.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
}

/// Facts whole, with their history.
pub fn whole(report: &ShownFacts, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    for (at, shown) in report.facts.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        one(&mut page, shown, now);
    }
    page.into_text()
}

fn one(page: &mut Page, shown: &ShownFact, now: Timestamp) {
    let fact = &shown.fact;
    let word = if fact.confirmed {
        paint(Tone::Good, "confirmed")
    } else {
        paint(Tone::Caution, "unverified")
    };
    page.numbered(fact.id, &fact.key, &format!("  {word}"));
    page.rule();
    let lists = if fact.category == "session" { summary(&fact.value) } else { Vec::new() };
    if lists.is_empty() {
        page.paragraph(1, &fact.value);
    }
    for (label, lines) in lists {
        page.line(1, &paint(Tone::Faint, label));
        for line in lines {
            page.paragraph(2, &line);
        }
    }
    page.blank();
    let mut parts = vec![clean(&fact.category), clean(&fact.tier)];
    parts.push(match fact.project.as_deref() {
        Some(project) => format!("in {}", clean(project)),
        None => "everywhere".to_owned(),
    });
    parts.push(clean(&fact.source_type).replace('_', " "));
    parts.extend(fact.confidence.map(|confidence| format!("confidence {confidence:.2}")));
    parts.push(format!("known {}", ago(&fact.created_at, now)));
    parts.extend(fact.last_verified.as_deref().map(|at| format!("seen {}", ago(at, now))));
    parts.extend(fact.expires_at.as_deref().map(|at| format!("ends {}", iso(at))));
    parts.retain(|part| !part.is_empty());
    page.parts(1, parts);
    page.labelled(1, "From", fact.source.as_deref().unwrap_or_default());
    page.labelled(1, "Session", fact.session_id.as_deref().unwrap_or_default());
    if !shown.history.is_empty() {
        page.blank();
        page.heading("HISTORY", None);
        events(page, &shown.history, false, now);
    }
}

/// What befell facts.
pub fn history(report: &HistoryReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.events.is_empty() {
        page.paragraph(1, "Nothing has changed.");
        return page.into_text();
    }
    events(&mut page, &report.events, true, now);
    page.into_text()
}

fn events(page: &mut Page, events: &[FactEvent], named: bool, now: Timestamp) {
    for event in events {
        let text = |value: &Option<String>| clean(value.as_deref().unwrap_or_default());
        let (from, to) = (text(&event.from), text(&event.to));
        let times =
            if event.times > 1 { format!(" ({} times)", event.times) } else { String::new() };
        let what = match event.event.as_str() {
            "changed" => format!("changed: {from} -> {to}"),
            "rival" => format!("kept against{times}: {to}"),
            "confirmed" => format!("confirmed: {to}"),
            other => format!("{}: {to}", clean(other)),
        };
        let name = format!("#{} {}", event.id, clean(&event.key));
        let name = if named { format!("{name}  ") } else { String::new() };
        let line = clip(&format!("{name}{what}"), page.room(1).saturating_sub(10));
        page.line(1, &format!("{line}  {}", paint(Tone::Faint, &ago(&event.at, now))));
    }
}

/// What a person said of a fact, in one line.
pub fn decision(decision: &FactDecision) -> String {
    let tone = if decision.decision == "confirmed" { Tone::Good } else { Tone::Bad };
    let FactDecision { id, key, value, decision, .. } = decision;
    let fact = clip(&format!("#{id} {}: {}", clean(key), clean(value)), 120);
    format!("  {} {fact}\n", paint(tone, decision))
}

/// A fact that a person stored, in one line.
pub fn set(report: &SetReport) -> String {
    let replaced = report.replaced.as_deref();
    let replaced = replaced.map(|value| format!(" (it was: {})", clip(&clean(value), 60)));
    let fact = &report.fact;
    let text = clip(&format!("#{} {}: {}", fact.id, clean(&fact.key), clean(&fact.value)), 120);
    format!("  {} {text}{}\n", paint(Tone::Good, "confirmed"), replaced.unwrap_or_default())
}

/// Working facts that were removed.
pub fn expired(report: &ExpireReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let verb = if report.dry_run { "Would remove" } else { "Removed" };
    match report.count {
        0 => page.paragraph(1, "No working fact is over."),
        1 => page.paragraph(1, &format!("{verb} 1 working fact that ended.")),
        n => page.paragraph(1, &format!("{verb} {n} working facts that ended.")),
    }
    if report.count > 0 {
        page.rule();
        table(&mut page, &report.expired, now);
    }
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::super::tests as sample;
    use super::*;

    fn sample_fact() -> StoredFact {
        StoredFact {
            id: 12,
            category: "project".to_owned(),
            key: "mathlib.revision".to_owned(),
            value: "v4.24.0, pinned in the manifest until the paper is out".to_owned(),
            tier: "working".to_owned(),
            source_type: "user_said".to_owned(),
            confidence: Some(0.9),
            created_at: "2026-01-30 09:00:00".to_owned(),
            last_verified: Some("2026-02-01 09:00:00".to_owned()),
            expires_at: Some("2026-02-03 09:00:00".to_owned()),
            ..StoredFact::default()
        }
    }

    #[test]
    fn a_list_and_one() {
        let now = sample::now();
        let report = FactsReport { total: 3, facts: vec![sample_fact()] };
        assert_eq!(
            sample::plain(&list(&report, 70, now), 70),
            "  Facts (1 of 3)\n  ---\n   #     CATEGORY  KEY               VALUE                      \
             SEEN\n  12  ?  project   mathlib.revision  v4.24.0, pinned in the m…  3h ago\n  ? is \
             unverified: a model said so. `mk facts confirm ID` says that\n  one holds.\n"
        );
        let event = |event: &str, from: Option<&str>, to: &str, times| FactEvent {
            id: 12,
            key: "mathlib.revision".to_owned(),
            at: "2026-02-01 09:00:00".to_owned(),
            event: event.to_owned(),
            from: from.map(str::to_owned),
            to: Some(to.to_owned()),
            times,
            session_id: None,
        };
        let history = vec![event("rival", None, "v4.26", 2), event("changed", Some("a"), "b", 1)];
        let shown = ShownFacts { facts: vec![ShownFact { fact: sample_fact(), history }] };
        assert_eq!(
            sample::plain(&whole(&shown, 70, now), 70),
            "  #12 mathlib.revision  unverified\n  ---\n  v4.24.0, pinned in the manifest until the \
             paper is out\n\n  project | working | everywhere | user said | confidence 0.90\n  known 2d \
             ago | seen 3h ago | ends 2026-02-03T09:00:00Z\n\n  HISTORY\n  kept against (2 times): \
             v4.26  3h ago\n  changed: a -> b  3h ago\n"
        );
        let none = sample::plain(&list(&FactsReport::default(), 70, now), 70);
        assert!(none.starts_with("  No facts.\n"), "{none}");
        assert_eq!(
            sample::plain(&super::history(&HistoryReport::default(), 70, now), 70),
            "  Nothing has changed.\n"
        );
    }

    #[test]
    fn a_summary_is_read_not_parsed_by_the_reader() {
        let value = r#"{"decisions":["keep it"],"open_questions":[],"topics":["grids","primes"]}"#;
        let fact = StoredFact {
            category: "session".to_owned(),
            value: value.to_owned(),
            confirmed: true,
            ..sample_fact()
        };
        assert_eq!(super::value(&fact), "decided: 1, topics: 2");
        let shown = ShownFacts { facts: vec![ShownFact { fact, history: Vec::new() }] };
        let text = sample::plain(&whole(&shown, 70, sample::now()), 70);
        assert!(
            text.contains("  decided\n    keep it\n  topics\n    grids\n    primes\n"),
            "{text}"
        );
    }
}
