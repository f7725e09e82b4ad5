//! Findings of any kind and status: a list, the card that a person decides by, and the decision.

use jiff::Timestamp;

use super::layout::{Page, wrap};
use super::record;
use super::theme::{Tone, paint};
use super::time::ago;
use crate::facts::{ExpireReport, SetReport};
use crate::list::Listing;
use crate::model::{Finding, Kind, Said, Status};
use crate::review::Waiting;
use crate::store::FactEvent;
use crate::text::{capitalised, clean, clip, clip_middle, width};

/// For reading.
const WIDEST: usize = 80;
/// Of a session's id.
const DIGITS: usize = 8;

pub const QUESTION: &str = "  keep it? yes, no, edit, skip, undo, quit [y/n/e/s/u/q] ";

pub const KEYS: &str = "  y   yes: it becomes knowledge
  n   no: it is not proposed again
  e   edit the text in your editor first
  s   skip: it comes back next time
  u   undo what was decided last
  q   quit; your decisions are already stored
";

/// Two lines each; where there are none, `nothing` and a hint.
pub fn list(
    report: &Listing,
    (nothing, hint): (&str, &str),
    width: usize,
    now: Timestamp,
) -> String {
    let mut page = Page::new(width);
    if report.findings.is_empty() {
        page.nothing(nothing, hint);
        return page.into_text();
    }
    let mut kinds = report.findings.iter().map(|one| one.content.kind);
    let first = kinds.next().filter(|first| kinds.all(|kind| kind == *first));
    page.listing(
        &capitalised(first.map_or("findings", |kind| kind.names().1)),
        report.findings.len(),
        report.total,
    );
    rows(&mut page, &report.findings, now);
    if report.findings.iter().any(|one| one.content.badge() == "[UNVERIFIED]") {
        page.hint("[UNVERIFIED]: said by a model. `mk confirm ID` confirms one.");
    }
    page.into_text()
}

fn rows(page: &mut Page, findings: &[Finding], now: Timestamp) {
    for finding in findings {
        record::headline(page, 1, finding);
        record::stated(page, 2, &finding.content);
        page.parts(2, parts(finding, now));
    }
}

pub fn proposals(report: &Waiting, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let here = report.pending_here;
    page.line(
        1,
        &match report.pending {
            0 => "No proposals are waiting.".to_owned(),
            1 => "1 proposal waits.".to_owned(),
            all if here == all => format!("{all} proposals are waiting."),
            all => format!("{all} proposals are waiting, {here} of them from this project."),
        },
    );
    if report.listing.findings.is_empty() {
        return page.into_text();
    }
    page.rule();
    rows(&mut page, &report.listing.findings, now);
    if report.pending > 0 {
        page.hint("`mk review` goes through them one by one, `mk show ID` shows one in full.");
    }
    page.into_text()
}

fn parts(finding: &Finding, now: Timestamp) -> Vec<String> {
    let content = &finding.content;
    let words = |text: &str| clean(text).replace('_', " ");
    let mut parts = Vec::new();
    if content.status != Status::Claimed {
        parts.push(content.proposal_status().unwrap_or(content.status.as_str()).to_owned());
    }
    if let Some(fact) = content.fact() {
        parts.push(clean(&fact.category));
        if fact.tier == "working" {
            parts.push(clean(&fact.tier));
        }
        parts.push(words(&fact.source_type));
    }
    if let Some(lesson) = content.lesson() {
        parts.push(words(&lesson.pattern));
        parts.extend(lesson.tool_name.as_deref().map(clean));
        parts.extend(content.tags.first().map(|reason| words(reason)));
        parts.push(lesson.record());
        parts.extend(lesson.confidence.map(|confidence| format!("confidence {confidence:.2}")));
    }
    if let Some(playbook) = content.playbook() {
        parts.push(clean(&content.tags.join(", ")));
        parts.push(content.standing().1.into_owned());
        parts.push(clean(&playbook.source_task_id));
    }
    if let Some(said) = content.said().filter(|_| !content.status.is_live()) {
        parts.push(speaker(&said.role));
    }
    parts.extend(content.problem.as_deref().map(clean));
    parts.extend(content.project.as_deref().map(clean));
    parts.retain(|part| !part.is_empty());
    let seen = content.fact().and_then(|fact| fact.last_verified.as_deref());
    parts.extend(seen.or(content.created_at.as_deref()).map(|at| ago(at, now)));
    parts
}

/// Of a proposal and its near duplicates; begins with an empty line.
pub fn card(group: &[Finding], (at, of): (usize, usize), columns: usize, now: Timestamp) -> String {
    let mut page = Page::new(columns.min(WIDEST));
    let [proposal, same @ ..] = group else { return String::new() };
    page.blank();
    let place = format!("{at} of {of}");
    let kind = format!("would be kept as {}", a(proposal.content.kind));
    let id = clip(&clean(&proposal.uid), 16);
    let used = width(&place) + width(&kind) + width(&id) + 4;
    let blanks = " ".repeat(page.room(1).saturating_sub(used));
    let heading = paint(Tone::Heading, &place);
    page.line(1, &format!("{heading}    {kind}{blanks}{}", paint(Tone::Faint, &id)));
    page.rule();
    if let Some(said) = proposal.content.said() {
        page.paragraph(1, &said.content);
        page.blank();
        evidence(&mut page, said);
        page.parts(1, origin(proposal, said, now));
    }
    if !same.is_empty() {
        page.blank();
        page.line(1, "Nearly the same, dropped when you answer:");
        for one in same {
            passage(&mut page, "", &one.content.description);
        }
    }
    page.blank();
    page.into_text()
}

pub fn paragraph(text: &str, columns: usize) -> String {
    let mut page = Page::new(columns.min(WIDEST));
    page.paragraph(1, text);
    page.into_text()
}

fn a(kind: Kind) -> String {
    let word = kind.as_str().replace('_', " ");
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}

/// The sentences around it, and its own where cleaning changed it.
pub(crate) fn evidence(page: &mut Page, proposal: &Said) {
    let said = clean(&proposal.sentence);
    let is_same = said.replace(['*', '_'], "") == clean(&proposal.content).replace(['*', '_'], "");
    if let Some(before) = &proposal.before {
        passage(page, "before", before);
    }
    if !said.is_empty() && !is_same {
        passage(page, "said", &said);
    }
    if let Some(after) = &proposal.after {
        passage(page, "after", after);
    }
}

fn passage(page: &mut Page, label: &str, text: &str) {
    const LABEL: usize = 10;
    for (i, line) in wrap(&clean(text), page.room(1).saturating_sub(LABEL)).iter().enumerate() {
        let label = if i == 0 { label } else { "" };
        page.line(1, &paint(Tone::Faint, &format!("{label:<LABEL$}{line}")));
    }
}

fn origin(finding: &Finding, said: &Said, now: Timestamp) -> Vec<String> {
    let content = &finding.content;
    let mut parts = vec![speaker(&said.role)];
    parts.push(ago(content.created_at.as_deref().unwrap_or(&said.extracted_at), now));
    let session = content.source.session.as_deref().unwrap_or_default();
    let session: String = clean(session).chars().take(DIGITS).collect();
    let source = clip_middle(&clean(&said.source), 40);
    let line = content.source.line.map(|line| format!("line {line}"));
    let place = if session.is_empty() { source } else { format!("session {session}") };
    let place = [Some(place).filter(|place| !place.is_empty()), line];
    parts.push(place.into_iter().flatten().collect::<Vec<_>>().join(", "));
    parts.extend(content.problem.as_deref().map(clean));
    parts.extend(content.project.as_deref().map(clean));
    let rule = clean(&said.rule);
    parts.extend((!rule.is_empty()).then(|| format!("rule {rule}")));
    parts.retain(|part| !part.is_empty());
    parts
}

pub(crate) fn speaker(role: &str) -> String {
    match role {
        "person" => "said by the person".to_owned(),
        "agent" => "said by the agent".to_owned(),
        "subagent" => "said by a subagent".to_owned(),
        "model" => "said by a language model".to_owned(),
        "" | "unknown" => "speaker not recorded".to_owned(),
        other => format!("said by: {}", clean(other)),
    }
}

pub(crate) fn events(page: &mut Page, events: &[FactEvent], now: Timestamp) {
    for event in events {
        let text = |value: &Option<String>| clean(value.as_deref().unwrap_or_default());
        let (from, to) = (text(&event.from), text(&event.to));
        let times =
            if event.times > 1 { format!(" ({} times)", event.times) } else { String::new() };
        let what = match event.event.as_str() {
            "changed" => format!("changed: {from} -> {to}"),
            "rival" => format!("kept against{times}: {to}"),
            other => format!("{}: {to}", clean(other)),
        };
        let line = format!("#{} {}  {what}", event.id, clean(&event.key));
        let line = clip(&line, page.room(1).saturating_sub(10));
        page.line(1, &format!("{line}  {}", paint(Tone::Faint, &ago(&event.at, now))));
    }
}

pub fn decision(finding: &Finding) -> String {
    let content = &finding.content;
    let (tone, word) = match content.status {
        Status::Confirmed => (Tone::Good, "confirmed"),
        Status::Dropped => (Tone::Bad, "dropped"),
        Status::Proposed => (Tone::Caution, "waits again"),
        _ => (Tone::Caution, "unchanged"),
    };
    let title = clip(&clean(&content.title), 100);
    format!("  {} {} {} {title}\n", paint(tone, word), finding.label(), content.badge())
}

pub fn set(report: &SetReport) -> String {
    let replaced = report.replaced.as_deref();
    let replaced = replaced.map(|value| format!("  (it was: {})\n", clip(&clean(value), 60)));
    decision(&report.fact) + &replaced.unwrap_or_default()
}

pub fn expired(report: &ExpireReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let verb = if report.dry_run { "Would remove" } else { "Removed" };
    match report.count {
        0 => page.paragraph(1, "No working fact has expired."),
        1 => page.paragraph(1, &format!("{verb} 1 working fact that expired.")),
        n => page.paragraph(1, &format!("{verb} {n} working facts that expired.")),
    }
    if report.count > 0 {
        page.rule();
        rows(&mut page, &report.expired, now);
    }
    page.into_text()
}
