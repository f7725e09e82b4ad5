//! What a language model was asked, and what became of its answers.

use std::fmt::Write as _;

use crate::app::ask::{BatchReport, Event, FactsOutcome, Failure, Usage};
use crate::app::facts::{Became, Change, FactReport};
use crate::text::{clean, clean_block, clip, one_line, plural};
use crate::ui::layout::{Column, Page};
use crate::ui::theme::{Tone, paint};

/// Reasons that are shown of what did not hold up.
const REASONS: usize = 5;

/// What asking about one text gave, or with `dry_run` would change.
pub fn asked(outcome: &FactsOutcome, dry_run: bool, width: usize) -> String {
    let mut page = Page::new(width);
    page.line(1, &paint(Tone::Heading, &clip(&heading(outcome), page.room(1))));
    if !outcome.changes.is_empty() {
        let columns = [("CHANGE", 0), ("CATEGORY", 0), ("KEY", 12), ("VALUE", 20)]
            .map(|(title, shrinks_to)| Column::text(title, shrinks_to));
        page.table(1, &columns, outcome.changes.iter().map(row));
    }
    summary(outcome, &mut page);
    for failure in &outcome.failures {
        let line = format!("part {} of {} gave nothing", failure.part, outcome.parts);
        page.labelled(1, &line, &failure.reason);
    }
    for reason in outcome.reading.reasons.iter().take(REASONS) {
        page.labelled(1, "left out", reason);
    }
    let text = page.into_text();
    let counted = match &outcome.stored {
        _ if outcome.skipped.is_some() => return text,
        Some(stored) if !dry_run => self::stored(stored),
        _ => planned(&outcome.changes),
    };
    format!("{text}  {counted}\n")
}

fn heading(outcome: &FactsOutcome) -> String {
    let path = clean(&outcome.path);
    if let Some(reason) = outcome.skipped {
        return format!("{path}: not asked about, because {reason}");
    }
    if outcome.parts == 0 {
        return format!("{path}: is empty, the model was not asked");
    }
    let parts =
        if outcome.parts > 1 { format!(" in {} parts", outcome.parts) } else { String::new() };
    format!("{path}{parts}: {}", took(&outcome.usage))
}

/// The model, how long it took, and its tokens.
fn took(usage: &Usage) -> String {
    let mut text = format!("{}, {:.1} s", clean(&usage.model), usage.seconds);
    if usage.prompt_tokens + usage.reply_tokens > 0 {
        let (read, said) = (usage.prompt_tokens, usage.reply_tokens);
        write!(text, ", {read} tokens read and {said} said").ok();
    }
    match usage.repaired {
        0 => {}
        1 => text.push_str(", one answer asked for again"),
        n => write!(text, ", {n} answers asked for again").unwrap_or_default(),
    }
    text
}

fn row(change: &Change) -> Vec<String> {
    let Change { change: became, from, why, fact } = change;
    let new = &fact.value;
    let (word, value) = match (became, from, why) {
        (Became::Insert, ..) => ("insert", new.clone()),
        (Became::Verify, ..) => ("verify", new.clone()),
        (Became::Update, from, _) => {
            ("update", format!("{} -> {new}", from.as_deref().unwrap_or_default()))
        }
        (Became::Keep, from, _) => {
            let confirmed = from.as_deref().unwrap_or_default();
            ("keep", format!("{confirmed} (you confirmed it; the model says: {new})"))
        }
        (Became::Propose, ..) => ("propose", new.clone()),
        (Became::Skip, _, why) => ("skip", format!("{new} ({})", why.unwrap_or_default())),
    };
    let cells = [word, fact.category.as_str(), &fact.key, &value];
    cells.map(|cell| one_line(&clean(cell))).to_vec()
}

fn summary(outcome: &FactsOutcome, page: &mut Page) {
    let summary = &outcome.reading.summary;
    for (label, lines) in [
        ("decided", &summary.decisions),
        ("open", &summary.open_questions),
        ("to do", &summary.action_items),
    ] {
        for line in lines {
            page.labelled(1, label, line);
        }
    }
    page.labelled(1, "topics", &summary.topics.join(", "));
}

/// What would become of facts.
fn planned<'a>(changes: impl IntoIterator<Item = &'a Change>) -> String {
    let mut report = FactReport::default();
    report.count(changes);
    format!("{}; nothing was stored", stored(&report))
}

/// Counts of what became of facts, in one line.
fn stored(report: &FactReport) -> String {
    let counts = [
        (report.inserted, "new"),
        (report.updated, "changed"),
        (report.verified, "seen again"),
        (report.kept, "kept as you confirmed them"),
        (report.proposed, "waiting for your word (mk review)"),
        (report.skipped, "left out, you decided"),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if parts.is_empty() { "facts: none".to_owned() } else { format!("facts: {}", parts.join(", ")) }
}

/// What became of a folder; with `verbose` or in a dry run file by file.
pub fn batch(report: &BatchReport, verbose: bool, width: usize) -> String {
    let mut text = String::new();
    if verbose || report.dry_run {
        for outcome in &report.files {
            text.push_str(&asked(outcome, report.dry_run, width));
            text.push('\n');
        }
    }
    for failure in &report.failures {
        let line =
            format!("failed: {}: {}", clean(&failure.path), one_line(&clean(&failure.reason)));
        writeln!(text, "  {line}").ok();
    }
    let mut parts = vec![format!("{} read", plural(report.read, "file"))];
    for (count, what) in
        [(report.unchanged, "unchanged"), (report.older, "older"), (report.left, "left")]
    {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if report.found == 0 {
        parts = vec!["no file fits the pattern".to_owned()];
    }
    writeln!(text, "  {}", parts.join(", ")).ok();
    let said = &report.said;
    if said.total > 0 || said.lessons > 0 {
        let found = plural(said.total, "proposal");
        let lessons = plural(said.lessons, "lesson");
        writeln!(text, "  by rule: {found} found, {} new; {lessons} new or changed", said.added)
            .ok();
    }
    if !report.files.is_empty() {
        let counted = if report.dry_run {
            planned(report.files.iter().flat_map(|outcome| &outcome.changes))
        } else {
            stored(&report.stored)
        };
        writeln!(text, "  {counted} ({})", took(&report.usage)).ok();
    }
    text
}

/// Something that happened while a model was asked, for who wants to see all of it.
pub fn event(event: Event<'_>) -> String {
    match event {
        Event::Loading { model } => format!("--- loading {} ---", clean(model)),
        Event::Asking { part, parts, words, question } => format!(
            "--- part {part} of {parts}, {words} words: instructions ---\n{}\n--- text ---\n{}",
            clean_block(&question.system),
            clean_block(&question.user)
        ),
        Event::Answered { reply, repaired } => {
            let which = if repaired { "second answer" } else { "answer" };
            format!("--- {which} ---\n{}", clean_block(reply))
        }
        Event::Failed { failure } => {
            let reply = match failure {
                Failure::Invalid { reply, .. } => {
                    format!("\n--- last answer ---\n{}", clean_block(reply))
                }
                _ => String::new(),
            };
            format!("--- no answer: {} ---{reply}", clean(&failure.to_string()))
        }
        Event::Smaller { .. } => "--- asking about it in smaller parts ---".to_owned(),
    }
}
