//! Finds what could be said about a text, and decides what may be said.

use crate::app::{App, tracked};
use crate::brief::context::{
    ContextItem, Cues, Named, Relevance, THRESHOLD, Word, by_name, by_words, cues, gist_item,
    has_fallen_silent, item, marks, named,
};
use crate::hook::Event;
use crate::model::{Few, Finding, Gist, Kind, same_problem, slot_of};
use crate::store::{Injection, Recall, Store, time_text};

#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub item: ContextItem,
    pub kind: &'static str,
    pub rule: &'static str,
    pub why: String,
    pub marks: Vec<String>,
    pub title: String,
}

/// What a model or a transcript claims needs a person or a tool's result behind it; nothing expired or replaced.
pub(super) fn may_be_told(finding: &Finding, now: &str) -> bool {
    let content = &finding.content;
    let needs_evidence = matches!(content.kind, Kind::Fact | Kind::Lesson | Kind::Preference);
    if !content.status.is_live() || (needs_evidence && content.is_claim()) {
        return false;
    }
    content.fact().and_then(|fact| fact.expires_at.as_deref()).is_none_or(|at| at > now)
}

pub(super) fn choices(
    store: &Store,
    found: Vec<(Finding, Relevance)>,
    project: Option<&str>,
    known: &Cues,
) -> anyhow::Result<Vec<Choice>> {
    let ids: Vec<i64> = found.iter().map(|(finding, _)| finding.id).collect();
    let vain = store.shown_in_vain(&ids)?;
    let told = found.into_iter().zip(vain).filter(|((finding, relevance), shown_in_vain)| {
        !has_fallen_silent(&finding.content, relevance.rule, *shown_in_vain)
    });
    let choice = |(finding, relevance): (Finding, Relevance)| Choice {
        item: item(&finding, &relevance, project),
        kind: finding.content.kind.as_str(),
        rule: relevance.rule,
        why: relevance.why,
        marks: marks(&finding, known),
        title: finding.content.title,
    };
    Ok(told.map(|(one, _)| choice(one)).collect())
}

pub(super) fn cues_of(app: &mut App, text: &str) -> anyhow::Result<Cues> {
    let mut cues = cues(text);
    if let Some(store) = app.existing_store()? {
        cues.named = named(text, &store.problem_names()?);
    }
    Ok(cues)
}

pub(super) const AT_HAND: &str = "at-hand";
const MOST_NAMED: usize = 3;
/// Before what is only alike.
const NAMED_HERE: f64 = 5.0;

/// A line for each, with rule and reason.
pub(super) fn standing(
    app: &mut App,
    named: &Named,
    (rule, why): (&'static str, &str),
) -> anyhow::Result<Vec<Choice>> {
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let tracked = tracked::read(app).ok().flatten();
    let slots = named.slots.get(..MOST_NAMED).unwrap_or(&named.slots);
    let endings = if slots.is_empty() { None } else { tracked::endings(app).ok() };
    let endings = endings.unwrap_or_default();
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let mut gists = Vec::new();
    for id in named.problems.iter().take(MOST_NAMED) {
        let mut gist = store.problem_gist(id)?;
        if rule == AT_HAND {
            // They follow, each with its statement.
            gist.refuted = Few { first: Vec::new(), total: 0 };
        }
        // What is false or failed is told by itself.
        let says_more = gist.problem.is_some() || gist.theorems.total + gist.notes.total > 0;
        gists.extend(Some(gist).filter(|_| says_more));
    }
    for slot in slots {
        gists.push(store.slot_gist(*slot)?);
    }
    let running = tracked.map(|state| state.problems_in_flight()).unwrap_or_default();
    let in_flight = |id: &str| {
        running.iter().find(|(other, _)| same_problem(other, id)).map_or(0, |(_, count)| *count)
    };
    let choice = |gist: &Gist| {
        let ended = slot_of(&gist.id).and_then(|slot| endings.get(&slot)).map(String::as_str);
        let item = gist_item(gist, ended, in_flight(&gist.id), NAMED_HERE)?;
        Some(Choice {
            title: item.title.clone(),
            item,
            kind: "problem",
            rule,
            why: why.to_owned(),
            marks: Vec::new(),
        })
    };
    Ok(gists.iter().filter_map(choice).collect())
}

/// Whether relevant enough or not.
pub(super) fn about(app: &mut App, cues: &Cues, with_words: bool) -> anyhow::Result<Vec<Choice>> {
    let project = app.project_identity();
    let now = time_text(app.now);
    let mut choices = standing(app, &cues.named, ("problem", "it is named"))?;
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let words: &[String] = if with_words { &cues.words } else { &[] };
    let ask = Recall { names: &cues.names, problems: &cues.named.problems, words };
    let found = store.recall(&ask)?;
    let words: Vec<Word> = words
        .iter()
        .zip(&found.docs)
        .map(|(text, docs)| Word { text: text.clone(), docs: *docs })
        .collect();
    let project = project.as_deref();
    let mut relevant: Vec<(Finding, Relevance)> = Vec::new();
    let named = found.named.into_iter().map(|finding| (finding, Vec::new()));
    for (finding, shared) in named.chain(found.worded) {
        let is_new = relevant.iter().all(|(other, _)| other.id != finding.id);
        if is_new && may_be_told(&finding, &now) {
            let relevance = by_name(cues, &finding, project)
                .or_else(|| by_words(&words, &shared, found.total, &finding, project));
            relevant.extend(relevance.map(|relevance| (finding, relevance)));
        }
    }
    choices.extend(self::choices(store, relevant, project, cues)?);
    Ok(choices)
}

/// Relevant enough, and not in the conversation already.
pub(super) fn worth_saying(choices: Vec<Choice>, said: &[Injection], event: &Event) -> Vec<Choice> {
    let agent = event.agent.as_deref().unwrap_or_default();
    let is_held = |choice: &Choice| {
        said.iter().any(|one| one.current && one.agent == agent && one.label == choice.item.label)
    };
    choices
        .into_iter()
        .filter(|choice| choice.item.relevance >= THRESHOLD && !is_held(choice))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Draft, Evidence, FactDetail, Status};

    #[test]
    fn what_is_only_claimed_or_over_is_not_told() {
        let finding = |kind, evidence, expires_at: Option<&str>, status| {
            let mut content = Draft::new(kind, "t", "d");
            content.evidence = evidence;
            content.status = status;
            content.detail = expires_at.map(|at| {
                FactDetail { expires_at: Some(at.to_owned()), ..FactDetail::default() }.into()
            });
            Finding {
                id: 1,
                uid: String::new(),
                content,
                updated_at: String::new(),
                superseded_by: None,
            }
        };
        for (kind, evidence, expires_at, status, expected) in [
            (Kind::Fact, Evidence::Session, None, Status::Claimed, false),
            (Kind::Fact, Evidence::Model, None, Status::Claimed, false),
            (Kind::Fact, Evidence::Person, None, Status::Claimed, true),
            (Kind::Fact, Evidence::Person, Some("2026-01-01 00:00:00"), Status::Claimed, false),
            (Kind::Fact, Evidence::Person, Some("2027-01-01 00:00:00"), Status::Claimed, true),
            (Kind::Lesson, Evidence::Model, None, Status::Claimed, false),
            (Kind::Lesson, Evidence::Session, None, Status::Claimed, true),
            (Kind::Preference, Evidence::Session, None, Status::Claimed, false),
            (Kind::Failure, Evidence::File, None, Status::Claimed, true),
            (Kind::Failure, Evidence::File, None, Status::Superseded, false),
            (Kind::Failure, Evidence::File, None, Status::Proposed, false),
            (Kind::Failure, Evidence::Person, None, Status::Dropped, false),
        ] {
            let finding = finding(kind, evidence, expires_at, status);
            assert_eq!(may_be_told(&finding, "2026-06-01 00:00:00"), expected, "{finding:?}");
        }
    }
}
