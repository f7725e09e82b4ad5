//! The page itself. `maud` escapes everything that is not written here; only our own style, script and pictures are put
//! in as they are, and the content-security policy allows nothing else.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::charts;
use super::collect::{Board, Event, OUTCOMES, Outcomes, Report, cut};
use crate::model::{Finding, GuardEntry, LiftRecord, ProblemStatus, headline};
use crate::next::Gap;
use crate::store::Told;
use crate::text::{base_name, counted, parse_time, plural};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Rows of a table; the commands show the rest.
const GAPS: usize = 60;
const ENTRIES: usize = 150;
const ROWS: usize = 60;
const TECHNIQUES: usize = 15;

pub(super) fn html(report: &Report, now: Timestamp) -> String {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    );
    let project = report.project.as_deref().map(|name| cut(name, 80));
    let name = project.as_deref().map_or("All projects", base_name);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "math-forge: " (name) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (name) }
                    p.soft { (written(report, project.as_deref(), now)) }
                    p { (summary(report)) }
                    @for note in &report.notes { p.caution { (marked(&cut(note, 400))) } }
                }
                div.bar { div {
                    nav aria-label="Sections" {
                        @for (id, title) in SECTIONS { a href={ "#" (id) } { (title) } }
                    }
                    div.tools hidden {
                        label for="search" { "Search" }
                        input #search type="search" autocomplete="off" placeholder="name, words ( / )";
                        span #found role="status" {}
                    }
                } }
                main {
                    (problems(report))
                    (progress(report))
                    (submissions(report))
                    (gaps(report))
                    (guard(report))
                    (told(report))
                    (proposals(report))
                }
                footer { p.soft { "Made by math-forge. This page is one file: it loads nothing and sends nothing." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

const SECTIONS: [(&str, &str); 7] = [
    ("problems", "Problems"),
    ("progress", "Progress"),
    ("submissions", "Submissions"),
    ("gaps", "Gaps"),
    ("guard", "Guard"),
    ("told", "Told"),
    ("proposals", "Proposals"),
];

/// As a policy names a script or a style.
fn digest(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()))
}

fn written(report: &Report, project: Option<&str>, now: Timestamp) -> String {
    let at = now.to_string();
    let at = at.get(..16).unwrap_or(&at).replace('T', " ");
    let since =
        report.since.as_deref().map(|since| format!(", what happened since {}", day(since)));
    let of = project.map(|project| format!(" for {project}"));
    format!("Written {at} UTC{}{}.", of.unwrap_or_default(), since.unwrap_or_default())
}

fn summary(report: &Report) -> String {
    let with = |word| report.problems.iter().filter(|one| one.counted == word).count();
    let counts = ["proven", "known", "contested", "false", "partial", "in flight", "open"];
    let counts = counted(counts.map(|word| (with(word), word)));
    let problems = plural(report.problems.len(), "problem");
    let problems = if counts.is_empty() { problems } else { format!("{problems} ({counts})") };
    let of = format!(
        "{} in {}",
        plural(report.next.open, "gap"),
        plural(report.next.declarations, "declaration")
    );
    let waiting = plural(report.proposals.len(), "proposal");
    let findings = plural(report.findings, "finding");
    format!("{problems}; {of}; {findings} in the knowledge base; {waiting} waiting for you.")
}

fn section(id: &str, title: &str, inside: &Markup) -> Markup {
    html! { section id=(id) aria-labelledby={ "h-" (id) } { h2 id={ "h-" (id) } { (title) } (inside) } }
}

fn tone(status: ProblemStatus) -> &'static str {
    match status {
        ProblemStatus::Proven => "good",
        ProblemStatus::False => "bad",
        ProblemStatus::InFlight => "flight",
        ProblemStatus::Open | ProblemStatus::Partial => "caution",
    }
}

fn problems(report: &Report) -> Markup {
    section(
        "problems",
        "Problems",
        &html! {
            @if report.problems.is_empty() { p { "No problem is known yet." } }
            @else { p.soft { "A problem opens to its story. “Proven” and “false” are what " code { "mk find" } " says." } }
            @for one in &report.problems { (problem(one)) }
        },
    )
}

fn problem(one: &Board) -> Markup {
    let dead_ends = one.dead_ends.len() as u64;
    let mut counts = counted([
        (one.refuted.len() as u64, "refuted"),
        (dead_ends, if dead_ends == 1 { "dead end" } else { "dead ends" }),
        (one.in_flight, "in flight"),
        (one.tried.unsigned_abs(), "tried"),
    ]);
    if counts.is_empty() {
        counts.push_str("not tried");
    }
    html! {
        details.problem.item {
            summary {
                b { (one.name) }
                span.tag.(tone(one.status)) { (one.standing) }
                span.what { (counts) ". " (marked(&one.next)) }
            }
            div.inside {
                dl {
                    dt { "Id" } dd { code { (one.id) } }
                    @if let Some(text) = &one.statement { dt { "Statement" } dd.lean { (text) } }
                    @if let Some(text) = &one.best { dt { "Best so far" } dd.lean { (text) } }
                    @if !one.refuted.is_empty() { dt { "Refuted" } dd { (names(&one.refuted)) } }
                    @if !one.dead_ends.is_empty() { dt { "Dead ends" } dd { (names(&one.dead_ends)) } }
                    dt { "Next" } dd { (marked(&one.next)) }
                }
                @if one.story.is_empty() { p.soft { "Nothing has happened yet." } }
                @else { ol.story { @for event in &one.story { (told_event(event)) } } }
            }
        }
    }
}

/// What stands between backticks as code.
fn marked(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() { @if at % 2 == 1 { code { (part) } } @else { (part) } }
    }
}

fn names(all: &[String]) -> Markup {
    const FIRST: usize = 12;
    html! {
        @for (at, one) in all.iter().take(FIRST).enumerate() { @if at > 0 { "; " } span.lean { (one) } }
        @if all.len() > FIRST { " and " (all.len() - FIRST) " more" }
    }
}

fn told_event(event: &Event) -> Markup {
    let tone = match event.badge.as_str() {
        "proven" | "verified" => "good",
        "false" => "bad",
        "failed" | "claimed" | "unverified" => "caution",
        _ => "soft",
    };
    html! {
        li.event {
            time { (if event.at.is_empty() { "no date" } else { day(&event.at) }) }
            div {
                span.tag.(tone) { (event.badge) } " " span.lean { (event.title) }
                @if !event.detail.is_empty() { div.why { (event.detail) } }
                div.soft { (event.label) ", " (event.said) }
            }
        }
    }
}

fn day(at: &str) -> &str {
    at.get(..10).unwrap_or(at)
}

fn figure(svg: Option<String>, caption: &str) -> Markup {
    html! {
        figure {
            // The picture says nothing that the caption does not.
            @if let Some(svg) = svg { div aria-hidden="true" { (PreEscaped(svg)) } }
            figcaption { (caption) }
        }
    }
}

fn progress(report: &Report) -> Markup {
    let history = &report.history;
    let change = |counts: &[(i64, u64)], what: &str| {
        let (Some((from, before)), Some((to, after))) = (counts.first(), counts.last()) else {
            return String::new();
        };
        format!("{what}: {before} on {}, {after} on {}.", charts::date(*from), charts::date(*to))
    };
    let open: Vec<_> = history.points.iter().map(|one| (one.at, one.counts.open)).collect();
    let complete: Vec<_> = history.points.iter().map(|one| (one.at, one.counts.complete)).collect();
    let accepted: Vec<_> = report
        .kernel
        .by_day
        .iter()
        .filter_map(|(day, count)| Some((parse_time(day)?.as_second(), *count)))
        .collect();
    let accepted_svg = charts::over_time(&accepted, false);
    let kernel = &report.kernel;
    section(
        "progress",
        "Progress",
        &html! {
            @for note in &history.notes { p.soft { (marked(note)) } }
            @if !open.is_empty() || accepted_svg.is_some() {
                div.figures {
                    @if !open.is_empty() {
                        (figure(charts::over_time(&open, true), &change(&open, "Open gaps")))
                        (figure(charts::over_time(&complete, false), &change(&complete, "Theorems without a gap in their text")))
                    }
                    @if accepted_svg.is_some() { (figure(accepted_svg, &change(&accepted, "Theorems that Lean accepted"))) }
                }
            }
            @if !open.is_empty() {
                p.soft {
                    "Read from git: " (plural(history.commits, "commit")) " of the current branch, one point for each " (history.step)
                    ". A theorem without a gap in its text is not yet accepted by Lean."
                }
            }
            p {
                @if kernel.accepted == 0 { "Lean was not asked about this project yet: " code { "mk verify" } " does." }
                @else {
                    "Lean accepted " (plural(kernel.accepted, "theorem")) "; " (kernel.lost) " of them no longer hold, "
                    (kernel.stale) " changed since and were not checked again; " (kernel.hidden) " more rest on a gap that their text does not show."
                    @if let Some(at) = &kernel.checked_at { " Last checked " (day(at)) "." }
                }
            }
        },
    )
}

fn legend() -> Markup {
    html! {
        ul.legend { @for (at, name) in OUTCOMES.iter().enumerate() {
            li { svg viewBox="0 0 10 10" aria-hidden="true" { rect width="10" height="10" rx="2" fill=(format!("#{0}{0}{0}", 11 + at)) {} } (name) }
        } }
    }
}

fn outcome_cells(outcomes: &Outcomes) -> Markup {
    html! {
        td.n data-l="sent" { (outcomes.iter().sum::<u64>()) }
        @for (count, name) in outcomes.iter().zip(OUTCOMES) { td.n data-l=(name) { (count) } }
    }
}

fn outcome_table(caption: &str, first: &str, rows: &[(String, Outcomes)]) -> Markup {
    html! {
        div.rows tabindex="0" role="region" aria-label=(caption) { table {
            thead { tr { th scope="col" { (first) } th.n scope="col" { "sent" } @for name in OUTCOMES { th.n scope="col" { (name) } } } }
            tbody { @for (name, outcomes) in rows { tr.item { td { (name) } (outcome_cells(outcomes)) } } }
        } }
    }
}

fn submissions(report: &Report) -> Markup {
    let mut all = Outcomes::default();
    for month in &report.months {
        for (sum, count) in all.iter_mut().zip(month.outcomes) {
            *sum += count;
        }
    }
    let said = counted(all.into_iter().zip(OUTCOMES));
    let months: Vec<_> =
        report.months.iter().rev().take(24).map(|one| (one.month.clone(), one.outcomes)).collect();
    let tried: Vec<_> = report
        .techniques
        .iter()
        .take(TECHNIQUES)
        .map(|one| (one.technique.clone(), one.outcomes))
        .collect();
    section(
        "submissions",
        "Submissions",
        &html! {
            @if report.months.is_empty() { p { "No submission with a date is known." } }
            @else {
                (figure(charts::months(&report.months), &format!("{}: {said}.", plural(all.iter().sum::<u64>(), "submission"))))
                (legend())
                h3 { "By month" } (outcome_table("Submissions by month", "month", &months))
            }
            @if !tried.is_empty() { h3 { "By technique" } (outcome_table("Submissions by technique", "technique", &tried)) }
            @if !report.proved_by.is_empty() {
                h3 { "Techniques of proved theorems" }
                p { @for (at, one) in report.proved_by.iter().take(TECHNIQUES).enumerate() {
                    @if at > 0 { ", " } (cut(&one.technique, 60)) " (" (one.count) ")"
                } "." }
            }
        },
    )
}

fn gaps(report: &Report) -> Markup {
    let next = &report.next;
    let graph = charts::gaps(&next.graph);
    section(
        "gaps",
        "Gaps, by what they unblock",
        &html! {
            @for note in next.notes.iter().take(10) { p.soft { (cut(note, 200)) } }
            @if next.open == 0 { p { "Nothing is open in " (plural(next.files, "Lean file")) "." } }
            @if let Some(graph) = graph {
                figure {
                    div.wide tabindex="0" role="region" aria-label="Graph of the gaps; the table says the same" { (PreEscaped(graph)) }
                    figcaption { "Gaps at the left (amber; red where the statement is false), and to the right what rests on them." }
                }
            }
            @if !next.gaps.is_empty() { (gap_table(&next.gaps)) }
            @if next.gaps.len() > GAPS { p.soft { "The first " (GAPS) " of " (next.gaps.len()) "; " code { "mk next -n " (next.gaps.len()) } " lists all." } }
            @if !next.refuted.is_empty() {
                h3 { "False as they stand" }
                p { "Nothing is to be proved there: the statement is known to be false." }
                (gap_table(&next.refuted))
            }
        },
    )
}

fn gap_table(gaps: &[Gap]) -> Markup {
    html! {
        table.stack {
            thead { tr { th.n scope="col" { "#" } th scope="col" { "gap" } th.n scope="col" { "waiting" } th scope="col" { "why" } } }
            tbody { @for (at, gap) in gaps.iter().take(GAPS).enumerate() { tr.item {
                td.n { (at + 1) }
                td { span.lean { (cut(&gap.name, 80)) } div.soft { (cut(&gap.file, 80)) ":" (gap.line) } }
                td.n data-l="waiting" { (gap.waiting) }
                td.why { (cut(&gap.why, 300)) @if let Some((_, reasons)) = &gap.refuted { div { (cut(reasons, 300)) } } }
            } } }
        }
    }
}

fn guard(report: &Report) -> Markup {
    let guard = &report.guard;
    section(
        "guard",
        "What the guard did",
        &html! {
            p { "It refused " (guard.refused) ", asked about " (guard.asked) ", remarked on " (guard.said) " and let pass " (guard.passed) " under a lift." }
            @if !guard.lifts.is_empty() { h3 { "Lifts that hold" } ul { @for lift in &guard.lifts { li.item { (told_lift(lift)) } } } }
            @if !guard.entries.is_empty() {
                table.stack {
                    thead { tr { th scope="col" { "when" } th scope="col" { "did" } th scope="col" { "rule" } th scope="col" { "about" } } }
                    tbody { @for entry in guard.entries.iter().take(ENTRIES) { (guard_row(entry)) } }
                }
            }
            @if guard.entries.len() > ENTRIES { p.soft { "The newest " (ENTRIES) " of " (guard.entries.len()) "; " code { "mk guard log -n 0" } " has all." } }
        },
    )
}

fn guard_row(entry: &GuardEntry) -> Markup {
    let (word, tone) = match entry.level.as_str() {
        "deny" => ("refused", "bad"),
        "ask" => ("asked", "caution"),
        "off" => ("let pass", "good"),
        _ => ("remarked", "soft"),
    };
    let file = entry.file.as_deref().map(|file| cut(file, 80)).unwrap_or_default();
    html! {
        tr.item {
            td.nw { time { (day(&entry.at)) } }
            td.nw { span.tag.(tone) { (word) } }
            td.nw { code { (cut(&entry.rule, 40)) } }
            td { span.lean { (cut(&entry.declaration, 80)) } " " span.soft { (file) } (statements(&entry.detail)) }
        }
    }
}

/// A restatement with both statements, one below the other; anything else in a line.
fn statements(detail: &str) -> Markup {
    let both = detail.split_once("` became `").or_else(|| detail.split_once("` is now `"));
    let Some((old, new)) = both else { return html! { div.why { (cut(detail, 400)) } } };
    let old = old.split_once('`').map_or(old, |(_, old)| old);
    html! {
        div.pair { span.soft { "was" } span.lean { (cut(old, 400)) } }
        div.pair { span.soft { "is" } span.lean { (cut(new.trim_end_matches(['`', '.']), 400)) } }
    }
}

fn told_lift(lift: &LiftRecord) -> Markup {
    let target = lift.declaration.as_deref().or(lift.file.as_deref()).unwrap_or("everything");
    let until = match (&lift.expires_at, lift.once) {
        (_, true) => "for one edit".to_owned(),
        (Some(end), _) => format!("until {} UTC", end.get(..16).unwrap_or(end)),
        (None, _) => "until it is taken back".to_owned(),
    };
    html! { code { (cut(&lift.rule, 40)) } " for " span.lean { (cut(target, 80)) } ", " (until) ": " (cut(&lift.reason, 200)) " " code { "mk allow --revoke " (lift.id) } }
}

fn told(report: &Report) -> Markup {
    let sum = |count: fn(&Told) -> u64| report.told.iter().map(count).sum::<u64>();
    let (used, unused, tokens) =
        (sum(|one| one.used), sum(|one| one.unused), sum(|one| one.tokens));
    let findings: Vec<&Told> = report.told.iter().filter(|one| one.finding.is_some()).collect();
    section(
        "told",
        "What sessions were told",
        &html! {
            p { (plural(report.told.len(), "thing")) " in " (plural(tokens, "token")) "; used " (used) " times, not used " (unused) " times. Of the rest it is not known." }
            @if !findings.is_empty() {
                table.stack {
                    thead { tr { th scope="col" { "what" } th.n scope="col" { "sessions" } th.n scope="col" { "used" } th.n scope="col" { "not used" } th scope="col" { "last" } } }
                    tbody { @for one in findings.iter().take(ROWS) { tr.item {
                        td { (cut(&one.label, 20)) " " (one.finding.and_then(|id| report.titles.get(&id)).map_or("", String::as_str)) " " span.soft { (cut(&one.kind, 20)) } }
                        td.n data-l="sessions" { (one.sessions) } td.n data-l="used" { (one.used) } td.n data-l="not used" { (one.unused) }
                        td.nw { time { (day(&one.last_at)) } }
                    } } }
                }
            }
            @if findings.len() > ROWS { p.soft { "The first " (ROWS) " of " (findings.len()) "; " code { "mk why" } " shows a session whole." } }
        },
    )
}

fn proposals(report: &Report) -> Markup {
    let all = &report.proposals;
    section(
        "proposals",
        "Proposals that wait for you",
        &html! {
            @if all.is_empty() { p { "None." } }
            @else { p { (plural(all.len(), "proposal")) ". " code { "mk review" } " goes through them, one key each." } }
            @for one in all.iter().take(ROWS) { (proposal(one)) }
            @if all.len() > ROWS { p.soft { "The first " (ROWS) " of " (all.len()) "; " code { "mk review list" } " has all." } }
        },
    )
}

fn proposal(one: &Finding) -> Markup {
    let content = &one.content;
    let id = one.label();
    html! {
        div.item {
            h3 { (cut(headline(content.badge(), &content.title), 120)) }
            p { (cut(&content.description, 400)) }
            p.soft { (content.kind.as_str()) ", " code { "mk review accept " (id) } " or " code { "mk review reject " (id) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restatement_shows_both_statements() {
        let shown = statements("its statement: `a <b` became `c`").into_string();
        assert!(shown.contains("a &lt;b") && shown.contains(">c<"), "{shown}");
    }
}
