//! A finding: in three lines as a hit, or whole.

use std::collections::HashSet;

use jiff::Timestamp;

use super::layout::Page;
use super::listing::speaker;
use super::theme::{Tone, badge, paint};
use super::time::{ago, iso};
use crate::learn::technique::is_telling;
use crate::model::{self, Domain, Draft, Finding, Kind, Said, Status, claim, clip_claim, word_key};
use crate::store::Opposite;
use crate::text::{clean, clip, first_sentence, one_line, width};

/// With ISO times (`mk search --verbose`).
pub(crate) fn whole(finding: &Finding, width: usize) -> String {
    let mut page = Page::new(width);
    record(&mut page, finding);
    page.into_text()
}

/// `[PROVEN] title  #12`; the title gives way on a long line.
pub(crate) fn headline(page: &mut Page, depth: usize, finding: &Finding) {
    titled(page, depth, &finding.content, &finding.label());
}

/// `id` in place of a number.
pub(crate) fn titled(page: &mut Page, depth: usize, content: &Draft, id: &str) {
    let mark = content.badge();
    let room = page.room(depth).saturating_sub(width(mark) + width(id) + 3);
    let title = clip(&clean(model::headline(mark, &content.title)), room);
    page.line(
        depth,
        &format!("{} {}  {}", badge(mark), paint(Tone::Heading, &title), paint(Tone::Faint, id)),
    );
}

/// The claim in Lean, and beside it how it was proved, where and why it failed, or what it is.
pub(crate) fn gist(page: &mut Page, depth: usize, content: &Draft) {
    let is_stated = stated(page, depth, content);
    page.labelled(depth, "Refused by its owner", content.refusal().unwrap_or_default());
    let failed = matches!(content.kind, Kind::Failure | Kind::FalseLemma);
    let failed_at = content.counterexample.as_deref().filter(|_| failed);
    if let Some(value) = failed_at {
        page.labelled(depth, "Counterexample", first_sentence(value));
    }
    let text = if failed { &content.why_failed } else { &content.proof_technique };
    let is_told = |text: &&str| {
        !text.trim().is_empty() && (content.kind != Kind::Theorem || is_telling(text))
    };
    let text = text.as_deref().filter(is_told);
    if content.is_note() {
        // To the end: what it asks for may come last.
        const BESIDE_TITLE: usize = 24;
        let is_cut = width(&content.title) + BESIDE_TITLE > page.room(depth);
        let note = if is_cut { &content.description } else { beyond_title(content) };
        return page.paragraph(depth, &one_line(&clean(note)));
    }
    let label = if failed { "Why" } else { "Technique" };
    match text {
        // A theorem's name may hold the words of its technique by chance.
        Some(text)
            if content.kind != Kind::Theorem
                && word_key(&content.title).contains(&word_key(text)) => {}
        Some(text) => page.labelled(depth, label, text),
        None if !is_stated && failed_at.is_none() => {
            let line = match beyond_title(content) {
                whole if whole == content.description => first_sentence(whole),
                rest => rest,
            };
            let line = clip(&one_line(&clean(line)), page.room(depth));
            if !line.is_empty() {
                page.line(depth, &line);
            }
        }
        None => {}
    }
}

/// Two findings of which only one can be right are not told as if each stood alone.
pub(crate) fn opposed(page: &mut Page, depth: usize, other: Option<&Opposite>, content: &Draft) {
    let Some(Opposite { id, is_same }) = other else { return };
    if content.kind == Kind::Failure {
        return page.line(depth, &format!("A gap that it left is proved by #{id}."));
    }
    let is = if content.kind == Kind::FalseLemma { "proved" } else { "false" };
    let text = if *is_same {
        format!("By #{id} the same statement is {is}: one of them is wrong.")
    } else {
        format!("#{id} of the same name is {is}: compare the statements and their definitions.")
    };
    page.line(depth, &paint(Tone::Caution, &text));
}

/// Of a claim.
const LINES: usize = 3;

/// The description, without its first sentence if the title says that already.
fn beyond_title(content: &Draft) -> &str {
    let first = first_sentence(&content.description);
    match content.description.trim_start().get(first.len()..) {
        Some(rest) if clean(&content.title).contains(&*clean(first)) => rest,
        _ => &content.description,
    }
}

/// True if there is a claim in Lean.
pub(crate) fn stated(page: &mut Page, depth: usize, content: &Draft) -> bool {
    let claim = content.theorem_statement.as_deref().map(claim).unwrap_or_default();
    if !claim.is_empty() {
        page.paragraph(depth, &clip_claim(&claim, LINES * page.room(depth)));
        page.labelled(depth, "where", content.meaning().unwrap_or_default());
    }
    !claim.is_empty()
}

/// What the whole page is about.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Within<'a> {
    pub(crate) problem: &'a str,
    pub(crate) slot: Option<i64>,
    pub(crate) domain: Option<&'a str>,
}

/// `Domain: Algebra | Slot: 614 | Problem: erdos_850 | 3h ago`
pub(crate) fn provenance(
    page: &mut Page,
    depth: usize,
    content: &Draft,
    within: Within<'_>,
    now: Timestamp,
) {
    let mut parts = Vec::new();
    let mut part = |label: &str, text: Option<String>| {
        parts.extend(text.map(|text| format!("{label}: {}", clean(&text))));
    };
    let domain = content.domain.as_deref().filter(|domain| within.domain != Some(domain));
    part("Domain", domain.map(Domain::title_of));
    let slot = content.source.slot.filter(|slot| within.slot != Some(*slot));
    part(
        "Slot",
        slot.map(|slot| match within.slot {
            Some(here) => format!("{slot}, and {here}"),
            None => slot.to_string(),
        }),
    );
    part("Problem", content.problem.clone().filter(|problem| within.problem != problem));
    parts.push(content.standing().1.into_owned());
    if !content.status.is_live() {
        parts.push(content.status.to_string());
    }
    parts.extend(content.created_at.as_deref().map(|at| ago(at, now)));
    page.parts(depth, parts);
}

pub(crate) fn record(page: &mut Page, finding: &Finding) {
    headline(page, 1, finding);
    page.rule();
    let fields: Vec<(&str, String)> = facts(finding)
        .into_iter()
        .filter_map(|(label, value)| value.filter(|v| !v.is_empty()).map(|v| (label, v)))
        .collect();
    let labels = fields.iter().map(|(label, _)| width(label)).max().unwrap_or(0);
    for (label, value) in fields {
        let value = clean(&value);
        let blanks = " ".repeat(labels - width(label) + 2);
        if width(&value) + labels + 2 <= page.room(1) {
            page.line(1, &format!("{}{blanks}{value}", paint(Tone::Faint, label)));
        } else {
            page.line(1, &paint(Tone::Faint, label));
            page.paragraph(2, &value);
        }
    }
    for (label, text) in texts(&finding.content) {
        if !text.trim().is_empty() {
            page.line(1, &paint(Tone::Faint, label));
            page.paragraph(2, text);
        }
    }
}

/// In the order in which a reader asks for them.
fn facts(finding: &Finding) -> Vec<(&'static str, Option<String>)> {
    let content = &finding.content;
    let source = &content.source;
    let number = |n: Option<i64>| n.map(|n| n.to_string());
    let lines = |n: i64| if n == 1 { "1 line".to_owned() } else { format!("{n} lines") };
    let place = source.file.as_ref().map(|file| match source.line {
        Some(line) => format!("{file}:{line}"),
        None => file.clone(),
    });
    let mut facts = vec![
        ("Kind", Some(content.kind.as_str().replace('_', " "))),
        ("Status", Some(content.status.to_string()).filter(|_| content.status != Status::Claimed)),
        ("Confidence", Some(format!("{}, {}", content.confidence, content.standing().1))),
        ("Problem", content.problem.clone()),
        ("Domain", content.domain.as_deref().map(Domain::title_of)),
        ("Name", content.theorem_name.clone()),
        ("Technique", content.proof_technique.clone()),
        ("Proof", content.proof_lines.map(lines)),
        ("Imports", content.mathlib_imports.clone()),
        ("Tags", Some(tags(content))),
        ("Slot", number(source.slot)),
        ("Submission", source.submission.clone()),
        ("File", place),
        ("Session", source.session.clone()),
        ("Toolchain", source.toolchain.clone()),
        ("Mathlib", source.mathlib_rev.clone()),
        ("Project", content.project.clone()),
    ];
    if let Some(fact) = content.fact() {
        facts.extend([
            ("Category", Some(fact.category.clone())),
            ("Key", Some(fact.key.clone())),
            // A summary's lines are in the description.
            ("Value", Some(fact.value.clone()).filter(|_| fact.category != "session")),
            ("Scope", Some(format!("{}, {}", fact.scope, fact.tier))),
            ("Source", Some(fact.source_type.clone())),
            ("Quotation", Some(fact.quote.clone()).filter(|quote| !quote.is_empty())),
            ("Expires", fact.expires_at.as_deref().map(iso)),
            ("Sure", fact.confidence.map(|sure| format!("{sure:.2}"))),
            ("Verified", fact.last_verified.as_deref().map(iso)),
        ]);
    }
    if let Some(kernel) = content.kernel() {
        let axioms = Some(kernel.axioms.join(", ")).filter(|axioms| !axioms.is_empty());
        facts.extend([
            ("Lean asked", Some(format!("{}, {}", kernel.toolchain, iso(&kernel.at)))),
            ("About", Some(kernel.file.clone())),
            ("For Lean", Some(kernel.statement.clone()).filter(|text| !text.is_empty())),
            ("Axioms", axioms),
        ]);
    }
    if let Some(lesson) = content.lesson() {
        facts.extend([
            ("Pattern", Some(lesson.pattern.clone())),
            ("Tool", lesson.tool_name.clone()),
            ("Signature", lesson.signature.clone()),
            ("Helped", Some(lesson.success_count.to_string())),
            ("Came back", Some(lesson.recurred).filter(|n| *n > 0).map(|n| n.to_string())),
            ("Sure", lesson.confidence.map(|sure| format!("{sure:.2}"))),
            (
                "Worded by",
                lesson
                    .words
                    .as_ref()
                    .or(lesson.before.as_ref())
                    .map(|before| format!("{}, sure {:.2}", before.model, before.confidence)),
            ),
        ]);
    }
    let detail = content.detail.as_ref();
    if let Some(playbook) = detail.and_then(|detail| detail.playbook.as_ref()) {
        facts.extend([
            ("Task", Some(playbook.source_task_id.clone())),
            ("Workflow", Some(playbook.source_workflow_id.clone())),
            ("Made by", playbook.extraction_workflow_id.clone()),
        ]);
    }
    if let Some(said) = content.said() {
        facts.extend([
            ("Proposal", content.proposal_status().map(str::to_owned)),
            ("By", Some(speaker(&said.role))),
            ("Rule", Some(said.rule.clone())),
            ("Found in", Some(said.source.clone())),
            ("Found", Some(iso(&said.extracted_at))),
        ]);
    }
    if let Some(decision) = content.decision() {
        let by = if decision.by.is_empty() { "somebody" } else { &decision.by };
        facts.extend([
            ("Decided", Some(format!("{} ({by})", iso(&decision.at)))),
            ("Reason", decision.reason.clone()),
        ]);
    }
    facts.extend([
        ("Happened", content.created_at.as_deref().map(iso)),
        ("Stored", Some(iso(&finding.updated_at))),
        ("Superseded by", finding.superseded_by.map(|id| format!("#{id}"))),
        ("Uid", Some(finding.uid.clone())),
    ]);
    facts
}

/// Without kind and origin.
fn tags(content: &Draft) -> String {
    let says = |tag: &&String| *tag != content.kind.as_str() && *tag != "migrated";
    let words = content.tags.iter().filter(says).map(|tag| tag.replace('_', " "));
    words.collect::<Vec<_>>().join(", ")
}

fn without_zero(notes: &str) -> &str {
    notes.strip_prefix("sorry=0").map_or(notes, |rest| rest.trim_start_matches([';', ',', ' ']))
}

fn texts(content: &Draft) -> Vec<(&'static str, &str)> {
    let (lesson, said) = (content.lesson(), content.said());
    let before = lesson.and_then(|lesson| lesson.before.as_ref());
    let words = lesson.and_then(|lesson| lesson.words.as_ref());
    let around = |text: fn(&Said) -> Option<&String>| said.and_then(text).map(String::as_str);
    let mut told = HashSet::new();
    [
        ("Statement", content.theorem_statement.as_deref()),
        ("Description", Some(content.description.as_str())),
        ("Counterexample", content.counterexample.as_deref()),
        ("Why it failed", content.why_failed.as_deref()),
        ("Avoid", content.avoid_pattern.as_deref()),
        ("Instead", content.correct_approach.as_deref()),
        ("What failed", lesson.map(|lesson| lesson.what_failed.as_str())),
        ("What worked", lesson.map(|lesson| lesson.what_worked.as_str())),
        (
            "In a model's words (not told to sessions until you confirm them)",
            words.map(|words| words.title.as_str()),
        ),
        ("", words.map(|words| words.what_failed.as_str())),
        ("", words.map(|words| words.what_worked.as_str())),
        ("Before that, in other words", before.map(|words| words.title.as_str())),
        ("", before.map(|words| words.what_failed.as_str())),
        ("", before.map(|words| words.what_worked.as_str())),
        ("Sentence before", around(|said| said.before.as_ref())),
        ("Sentence", said.map(|said| said.sentence.as_str())),
        ("Sentence after", around(|said| said.after.as_ref())),
        ("Notes", content.notes.as_deref().map(without_zero)),
    ]
    .into_iter()
    .filter_map(|(label, text)| text.map(|text| (label, text)))
    // A failure's reason is often its whole description.
    .filter(|(_, text)| told.insert(text.trim()))
    .collect()
}
