//! What was said in sessions becomes proposals, which wait for a person's word and expire without it.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::app::App;
use crate::learn::signals::{MIN_LENGTH, Proposal, refuted};
use crate::model::{Confidence, Detail, Draft, Evidence, Kind, Said, Source};
use crate::review::{By, stand_for};
use crate::store::{StoreError, Writer, time_text};
use crate::text::{clean, clip, first_sentence, scrub};

/// New proposals of one reading of a transcript at most: more is noise that is not read.
pub const MOST: usize = 20;

const EVIDENCE: usize = 600;

const TITLE: usize = 80;

const LONGEST: i64 = 36_500;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Added {
    pub added: usize,
    /// They would have been new, but were more than the most that are taken.
    pub left_out: usize,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Origin<'a> {
    pub source: Option<&'a str>,
    pub project: Option<&'a str>,
    /// New ones at most; see [`MOST`].
    pub most: usize,
    /// What the person did is confirmed by that: `learn.trust_acts`.
    pub trusts_acts: bool,
}

pub fn add(app: &mut App, proposals: &[Proposal], origin: Origin<'_>) -> anyhow::Result<Added> {
    if proposals.is_empty() {
        return Ok(Added::default());
    }
    let added = app.write(|writer| put(writer, proposals, origin))?;
    note(app, added);
    expire(app)?;
    Ok(added)
}

/// The person's words first. With a transaction of your own, call [`note`] after it.
pub fn put(
    writer: &Writer<'_>,
    proposals: &[Proposal],
    origin: Origin<'_>,
) -> Result<Added, StoreError> {
    let mut sorted: Vec<&Proposal> = proposals.iter().collect();
    sorted.sort_by_key(|proposal| proposal.role != "person");
    let mut added = Added::default();
    for proposal in sorted {
        let draft = draft(proposal, origin);
        let is_short = draft.description.chars().count() < MIN_LENGTH;
        // Proposed before, whatever became of it, or known.
        if is_short || !writer.is_new_proposal(&proposal.id, &draft)? {
            continue;
        }
        if added.added == origin.most {
            added.left_out += 1;
            continue;
        }
        writer.propose(&proposal.id, &draft)?;
        added.added += 1;
        if origin.trusts_acts && is_act(proposal) {
            confirm_act(writer, &proposal.id)?;
        }
    }
    Ok(added)
}

/// Said in a dialog of the client's, which no text can forge. Another program may have taken an edit back.
fn is_act(proposal: &Proposal) -> bool {
    proposal.role == "person" && matches!(proposal.rule.as_str(), "refused" | "answered")
}

fn confirm_act(writer: &Writer<'_>, id: &str) -> Result<(), StoreError> {
    if let Some(finding) = writer.proposed(id)? {
        let mut draft = finding.content.clone();
        stand_for(&mut draft);
        writer.confirm(&finding, &draft, By::Act.as_str())?;
    }
    Ok(())
}

pub(crate) fn draft(proposal: &Proposal, origin: Origin<'_>) -> Draft {
    let plain = |text: &str| clip(&clean(&scrub(text)), EVIDENCE);
    let neighbour =
        |text: &Option<String>| text.as_deref().map(plain).filter(|text| !text.is_empty());
    let time = |text: &str| text.parse::<Timestamp>().map(time_text).ok();
    let content = clean(&scrub(&proposal.content));
    let said = Said {
        kind: proposal.spec_type.as_str().to_owned(),
        content: content.clone(),
        matched_phrase: clean(&proposal.matched_phrase),
        role: proposal.role.clone(),
        source: origin.source.unwrap_or(&proposal.source).to_owned(),
        extracted_at: time(&proposal.extracted_at).unwrap_or_default(),
        rule: proposal.rule.clone(),
        sentence: plain(&proposal.sentence),
        before: neighbour(&proposal.before),
        after: neighbour(&proposal.after),
        journaled: None,
    };
    let mut draft = Draft::new(proposal.kind, title_of(&content), content);
    draft.project = origin.project.map(str::to_owned);
    draft.source = Source {
        session: Some(proposal.source.clone()).filter(|source| source != "unknown-session"),
        line: i64::try_from(proposal.line).ok(),
        slot: proposal.slot,
        ..Source::default()
    };
    draft.problem.clone_from(&proposal.problem);
    if draft.kind == Kind::FalseLemma {
        draft.theorem_name = refuted(&draft.description).map(str::to_owned);
    }
    draft.why_failed = Some(draft.description.as_str())
        .filter(|_| matches!(draft.kind, Kind::Failure | Kind::FalseLemma))
        .and_then(reason)
        .map(str::to_owned);
    (draft.confidence, draft.evidence) = (Confidence::Low, Evidence::Session);
    let said_at = proposal.said_at.as_deref().and_then(time);
    draft.created_at = said_at.or_else(|| Some(said.extracted_at.clone()));
    draft.created_at.take_if(|at| at.is_empty());
    draft.detail = Some(Detail { said: Some(said), ..Detail::default() });
    draft
}

fn reason(text: &str) -> Option<&str> {
    const WORDS: [&str; 7] =
        [" because ", " since ", " as it ", " weil ", " denn ", " parce que ", " car "];
    let places = WORDS.iter().filter_map(|word| Some((text.find(word)?, word.len())));
    places.min().map(|(at, length)| text[at + length..].trim()).filter(|why| !why.is_empty())
}

pub fn title_of(content: &str) -> String {
    clip(&clean(first_sentence(content)), TITLE)
}

pub fn note(app: &App, added: Added) {
    if added.left_out > 0 {
        let Added { added, left_out, .. } = added;
        let text = format!("{left_out} new proposals beyond {added} of one reading were left out");
        app.log.line(app.now, "proposals", &text);
    }
}

pub(crate) fn cutoff(app: &App) -> String {
    let days = i64::try_from(app.config.learn_expire_days).unwrap_or(i64::MAX);
    let age = SignedDuration::from_hours(days.clamp(0, LONGEST).saturating_mul(24));
    time_text(app.now.checked_sub(age).unwrap_or(Timestamp::MIN))
}

/// Lets overdue proposals expire: as expired, not as accepted. How many did.
pub fn expire(app: &mut App) -> anyhow::Result<u64> {
    let (now, before) = (app.now, cutoff(app));
    let Some(store) = app.existing_store()? else { return Ok(0) };
    if store.overdue(&before)?.is_empty() {
        return Ok(0);
    }
    Ok(store.write(now, |writer| writer.expire_proposals(&before))?)
}
