//! The problem and the strategy that a judged file stands for.

use super::Origin;
use super::findings::{FAILURE_GAPS, label, listed};
use super::reading::{Reading, Theorem, Verdict};
use super::refuted::Refuted;
use crate::model::{Outcome, ProblemDraft, ProblemStatus, StrategyDraft, display_name, word_key};
use crate::text;

pub(super) fn problem(reading: &Reading<'_>, origin: &Origin<'_>) -> Option<ProblemDraft> {
    let id = origin.problem?;
    let statement = main_theorem(reading, id).and_then(|theorem| {
        let statement = theorem.declaration.statement(reading.text).trim();
        // A triviality does not state the problem; what stands above it may.
        let stated = theorem.trivial(reading.text).is_none().then_some(statement);
        theorem.doc.as_deref().or(stated).map(text::clean_block)
    });
    Some(ProblemDraft {
        id: id.to_owned(),
        name: display_name(id),
        domain: reading.domain.map(str::to_owned),
        // What is proved of it, the store tells from the findings.
        status: ProblemStatus::Open,
        statement,
        best_result: None,
        notes: None,
        counts: None,
    })
}

pub(super) fn strategy(reading: &Reading<'_>, origin: &Origin<'_>) -> Option<StrategyDraft> {
    let id = origin.problem?;
    let technique = reading.technique.map(str::to_owned);
    let approach = origin.approach.map(str::to_owned).or_else(|| technique.clone());
    Some(StrategyDraft {
        problem: id.to_owned(),
        problem_name: display_name(id),
        domain: reading.domain.map(str::to_owned),
        approach: approach.unwrap_or_else(|| label(origin)),
        description: technique,
        outcome: outcome(reading),
        slot: origin.slot,
        submission: reading.notes.uuid.clone(),
        learned: learned(reading),
        source_file: Some(origin.file.to_owned()),
        attempted_at: reading.made_at.clone(),
    })
}

/// Something that is not trivial is proved in it, or it is not; that it is all, a file cannot say.
fn outcome(reading: &Reading<'_>) -> Outcome {
    let mut proven = reading.with(Verdict::Proven);
    let says_something = proven.any(|theorem| theorem.trivial(reading.text).is_none());
    match (says_something, reading.is_clean()) {
        (true, true) => Outcome::Partial,
        (true, false) if reading.open <= FAILURE_GAPS && !reading.stopped() => Outcome::Partial,
        _ => Outcome::Failed,
    }
}

fn main_theorem<'r, 'a>(reading: &'r Reading<'a>, id: &str) -> Option<&'r Theorem<'a>> {
    let mut named = reading.theorems.iter().filter(|theorem| is_named_after(theorem.name, id));
    let first = named.clone().next();
    named.find(|theorem| theorem.verdict != Verdict::Open).or(first)
}

/// `erdos_850` and `Erdos850.main_theorem` are, `erdos_850_small_cases` is not.
pub(super) fn is_named_after(name: &str, id: &str) -> bool {
    const NEUTRAL: &str = "main theorem maintheorem mainresult result solution conjecture final statement thm \
        problem proof full";
    let (name, key) = (word_key(name), word_key(id));
    if key.is_empty() {
        return false;
    }
    let mut rest = name.as_str();
    let mut found = false;
    while let Some(after) = rest.strip_prefix(key.as_str()) {
        (rest, found) = (after, true);
    }
    found && (rest.is_empty() || NEUTRAL.split_whitespace().any(|word| word == rest))
}

fn learned(reading: &Reading<'_>) -> Option<String> {
    let mut parts = Vec::new();
    let proved = |trivial: bool| {
        let proven = reading.with(Verdict::Proven);
        let fit = proven.filter(|theorem| theorem.trivial(reading.text).is_some() == trivial);
        listed(fit.map(|theorem| theorem.name), 5)
    };
    for (what, names) in [
        ("False", listed(reading.refuted.iter().map(Refuted::label), 5)),
        ("Proved", proved(false)),
        ("Proved, but trivial", proved(true)),
        ("Open", listed(reading.with(Verdict::Open).map(|theorem| theorem.name), 5)),
        ("Not loaded", listed(reading.with(Verdict::Unchecked).map(|theorem| theorem.name), 5)),
    ] {
        if !names.is_empty() {
            parts.push(format!("{what}: {names}."));
        }
    }
    if let Some(budget) = &reading.notes.budget {
        let budget = text::clip(&text::clean(budget), 200);
        parts.push(format!("The prover's budget was used up. {budget}").trim().to_owned());
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}
