//! Which premises answer words: two rankings, one with docstrings and one without, since what has a docstring would
//! push out all that has none. Where a docstring says nearly all that was asked, the first decides; else they take turns.

use std::collections::HashSet;

use super::index::{Segment, as_f32};
use super::read::{Premise, words_and_stems};
use crate::store::{Wanted, Word};

const MOST_WORDS: usize = 32;
/// Postings of the rarest words that make candidates; those of the others only add to them.
const CANDIDATES: u32 = 60_000;
/// Of the best by their words, so many are looked at more closely.
const CLOSER: usize = 50;
/// The share of the question that a docstring must hold to decide alone.
const GATE: f32 = 0.8;
/// How far it must surpass everything else to be first in turn.
const LEAD: f32 = 1.2;
/// How far a docstring counts that says all that was asked for.
const EXACT_DOC: f32 = 0.2;
/// How far a definition comes before what is proved of it, and a name before longer ones, for each letter.
const DEFINITION: f64 = 1.1;
const LETTER: f64 = 0.005;

#[derive(Debug)]
pub(super) struct Ranked {
    pub(super) premise: Premise,
    pub(super) segment: usize,
}

#[derive(Debug, Default, Clone, Copy)]
struct Score {
    segment: usize,
    id: u32,
    with: f32,
    without: f32,
    /// Weight of the words that it holds, and of those in its docstring.
    held: f32,
    in_doc: f32,
    /// The same, without docstrings.
    plain: f32,
}

/// The words of a question, each once, with the number of premises that hold it.
fn question(text: &str, segments: &[Segment]) -> anyhow::Result<Vec<Word>> {
    let mut found: Vec<Word> = Vec::new();
    words_and_stems(text, |word, stem| {
        if found.len() < MOST_WORDS && found.iter().all(|known| known.stem != stem) {
            found.push(Word { text: word.to_owned(), stem: stem.to_owned(), docs: 0 });
        }
    });
    for word in &mut found {
        for segment in segments {
            word.docs += i64::from(segment.docs(&word.stem)?);
        }
    }
    Ok(found)
}

/// The best premises for a text, best first.
pub(super) fn by_words(
    segments: &[Segment],
    text: &str,
    limit: usize,
    is_wanted: &dyn Fn(&Segment, &Premise) -> bool,
) -> anyhow::Result<Vec<Ranked>> {
    let asked = question(text, segments)?;
    let all: u32 = segments.iter().map(|segment| segment.count).sum();
    let mut terms: Vec<(u32, f32, &str)> = Vec::new();
    for word in &asked {
        let docs = u32::try_from(word.docs).unwrap_or(u32::MAX);
        let (docs_f, all_f) = (as_f32(docs), as_f32(all));
        let weight = (1.0 + (all_f - docs_f + 0.5) / (docs_f + 0.5)).ln();
        terms.push((docs, weight, &word.stem));
    }
    terms.sort_by_key(|(docs, ..)| *docs);
    let is_name = !text.contains(char::is_whitespace);
    let wanted = Wanted::new(&asked, is_name, i64::from(all), &[], None);
    let total: f32 = terms.iter().map(|(_, weight, _)| weight).sum();
    let mut scores: Vec<Score> = Vec::new();
    for (at, segment) in segments.iter().enumerate() {
        scores.append(&mut scored(segment, at, &terms)?);
    }
    let close = |with_doc: bool| {
        let wanted = &wanted;
        move |premise: &Premise, part: f32| {
            let doc = if with_doc { premise.doc.as_str() } else { "" };
            let texts = [&premise.name, doc, &premise.statement, &premise.module];
            wanted.closeness_of(texts, f64::from(part))
        }
    };
    let share = |part: f32| part / total.max(f32::MIN_POSITIVE);
    let with = |score: &Score| {
        let doc = EXACT_DOC * score.in_doc * share(score.in_doc).powi(2);
        score.with * share(score.held).sqrt() + doc
    };
    let without = |score: &Score| score.without * share(score.held).sqrt();
    let best = |of: &dyn Fn(&Score) -> f32| scores.iter().map(of).fold(0.0, f32::max);
    let (in_doc, plain) = (best(&|score| score.in_doc), best(&|score| score.plain));
    let first = closer(segments, &scores, &with, &close(true), is_wanted)?;
    if share(in_doc) >= GATE {
        return Ok(merged(first, Vec::new(), limit));
    }
    let second = closer(segments, &scores, &without, &close(false), is_wanted)?;
    let is_led = in_doc >= LEAD * plain;
    let (first, second) = if is_led { (first, second) } else { (second, first) };
    Ok(merged(first, second, limit))
}

/// In turn, each once.
fn merged(one: Vec<Ranked>, other: Vec<Ranked>, limit: usize) -> Vec<Ranked> {
    let mut seen = HashSet::new();
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    let mut found = Vec::new();
    loop {
        let (a, b) = (one.next(), other.next());
        if a.is_none() && b.is_none() || found.len() >= limit {
            break;
        }
        let new = a.into_iter().chain(b).filter(|hit| seen.insert(hit.premise.name.clone()));
        found.extend(new);
    }
    found.truncate(limit);
    found
}

fn scored(segment: &Segment, at: usize, terms: &[(u32, f32, &str)]) -> anyhow::Result<Vec<Score>> {
    // The place of a premise among the candidates, counted from 1. Zeros cost nothing until they are touched.
    let mut places = vec![0u32; segment.count as usize];
    let most = segment.count.min(CANDIDATES) as usize;
    let mut candidates: Vec<Score> = Vec::with_capacity(most);
    let mut sum = 0;
    for (docs, weight, word) in terms {
        let is_rare = sum == 0 || sum + docs <= CANDIDATES;
        sum += docs;
        segment.each_posting(word, |(id, with, without)| {
            let Some(place) = places.get_mut(id as usize) else { return };
            if *place == 0 {
                if !is_rare {
                    return;
                }
                candidates.push(Score { segment: at, id, ..Score::default() });
                *place = u32::try_from(candidates.len()).unwrap_or(u32::MAX);
            }
            let Some(score) = candidates.get_mut(*place as usize - 1) else { return };
            let is_in = |impact: bool| if impact { *weight } else { 0.0 };
            score.held += weight;
            score.with += weight * f32::from(with) / 255.0;
            score.without += weight * f32::from(without) / 255.0;
            score.in_doc += is_in(with > without);
            score.plain += is_in(without > 0);
        })?;
    }
    Ok(candidates)
}

/// The best by one score, in the order that their names decide as well.
fn closer(
    segments: &[Segment],
    scores: &[Score],
    by: &dyn Fn(&Score) -> f32,
    close: &dyn Fn(&Premise, f32) -> f64,
    is_wanted: &dyn Fn(&Segment, &Premise) -> bool,
) -> anyhow::Result<Vec<Ranked>> {
    let mut order: Vec<(f32, &Score)> = scores.iter().map(|score| (by(score), score)).collect();
    let descending =
        |a: &(f32, &Score), b: &(f32, &Score)| b.0.total_cmp(&a.0).then(a.1.id.cmp(&b.1.id));
    let mut found: Vec<(f64, Ranked)> = Vec::new();
    let mut start = 0;
    let mut best = None;
    while found.len() < CLOSER && start < order.len() {
        let end = (start + 4 * CLOSER).min(order.len());
        if let Some(rest) = order.get_mut(start..)
            && rest.len() > end - start
        {
            rest.select_nth_unstable_by(end - start - 1, descending);
        }
        let Some(page) = order.get_mut(start..end) else { break };
        page.sort_by(descending);
        for (value, score) in page.iter() {
            if found.len() >= CLOSER {
                break;
            }
            let Some(segment) = segments.get(score.segment) else { continue };
            let Some(premise) = segment.premise(score.id)? else { continue };
            if !is_wanted(segment, &premise) {
                continue;
            }
            let best = *best.get_or_insert(*value);
            let value = close(&premise, value / best) * worth(&premise);
            found.push((value, Ranked { premise, segment: score.segment }));
        }
        start = end;
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(found.into_iter().map(|(_, hit)| hit).collect())
}

/// What is deprecated comes behind what is not, a lemma behind what it is about, a long name behind a short one.
fn worth(premise: &Premise) -> f64 {
    let is_definition =
        matches!(premise.kind.as_str(), "def" | "abbrev" | "structure" | "class" | "inductive");
    let kind = match &premise.deprecated {
        Some(_) => 0.6,
        None if is_definition => DEFINITION,
        None => 1.0,
    };
    kind / (1.0 + LETTER * f64::from(u32::try_from(premise.name.len()).unwrap_or(u32::MAX)))
}
