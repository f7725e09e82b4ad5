//! What was proposed in sessions: taking it in, finding it again, letting it expire. Nothing of it is
//! knowledge before a person says so.

mod decide;
mod dialog;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::app::{App, journal};
use crate::learn::signals::{MIN_LENGTH, Proposal};
use crate::model::ProposalRecord;
use crate::store::{ProposalFilter, StoreError, Writer, time_text};
use crate::text::{clean, clip, one_line, scrub};

pub use decide::{
    Accept, By, Decision, KINDS, accept, default_kind, kind_of, reject, title_of, undo,
};
pub use dialog::{Asked, decide_from_dialog, question};

/// New proposals of one reading of a transcript at most: more is noise, and nobody reads it.
pub const MOST: usize = 20;

/// Columns of a sentence that is kept as evidence.
const EVIDENCE: usize = 600;

/// Days that a proposal waits at the very most: a hundred years.
const LONGEST: i64 = 36_500;

/// Ids that are named when one is unknown.
const NEAR: usize = 3;

/// What became of proposals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Added {
    /// They wait now.
    pub added: usize,
    /// They were proposed before, whatever became of them, or are known.
    pub skipped: usize,
    /// They would have been new, but were more than the most that are taken.
    pub left_out: usize,
}

/// Where proposals come from, and how many are taken.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin<'a> {
    /// The transcript or text; where it is `None`, the session stands for it.
    pub source: Option<&'a str>,
    pub project: Option<&'a str>,
    /// New ones at most; see [`MOST`].
    pub most: usize,
}

/// Takes in proposals in one transaction, and lets old ones expire.
///
/// # Errors
/// What the store says; then nothing is stored.
pub fn add(app: &mut App, proposals: &[Proposal], origin: Origin<'_>) -> anyhow::Result<Added> {
    if proposals.is_empty() {
        return Ok(Added::default());
    }
    let now = app.now;
    let added = app.store()?.write(now, |writer| put(writer, proposals, origin))?;
    note(app, added);
    expire(app)?;
    Ok(added)
}

/// Stores what is new, what the person said first; for who has a transaction of his own and calls
/// [`note`] after it.
pub fn put(
    writer: &Writer<'_>,
    proposals: &[Proposal],
    origin: Origin<'_>,
) -> Result<Added, StoreError> {
    let mut records: Vec<ProposalRecord> =
        proposals.iter().map(|proposal| record(proposal, origin)).collect();
    records.sort_by_key(|record| record.role != "person");
    let mut added = Added::default();
    for record in &records {
        let is_short = record.content.chars().count() < MIN_LENGTH;
        if is_short || !writer.is_new_proposal(record)? {
            added.skipped += 1;
        } else if added.added == origin.most {
            added.left_out += 1;
        } else {
            writer.propose(record)?;
            added.added += 1;
        }
    }
    Ok(added)
}

/// A proposal as it is stored: secrets taken out once more, cleaned, times as the database spells them.
fn record(proposal: &Proposal, origin: Origin<'_>) -> ProposalRecord {
    let plain = |text: &str| clip(&clean(&scrub(text)), EVIDENCE);
    let neighbour =
        |text: &Option<String>| text.as_deref().map(plain).filter(|text| !text.is_empty());
    ProposalRecord {
        id: proposal.id.clone(),
        kind: proposal.kind.word().to_owned(),
        content: clean(&scrub(&proposal.content)),
        matched_phrase: clean(&proposal.matched_phrase),
        role: proposal.role.clone(),
        source: origin.source.unwrap_or(&proposal.source).to_owned(),
        line: Some(proposal.line),
        project: origin.project.map(str::to_owned),
        extracted_at: proposal.extracted_at.parse::<Timestamp>().map(time_text).unwrap_or_default(),
        said_at: said_at(proposal),
        status: "pending".to_owned(),
        rule: proposal.rule.clone(),
        sentence: plain(&proposal.sentence),
        before: neighbour(&proposal.before),
        after: neighbour(&proposal.after),
        session: Some(proposal.source.clone()).filter(|source| source != "unknown-session"),
        ..ProposalRecord::default()
    }
}

/// The time that a transcript has for it, if it is one.
fn said_at(proposal: &Proposal) -> Option<String> {
    proposal.said_at.as_deref()?.parse::<Timestamp>().ok().map(time_text)
}

/// Tells the log where proposals were left out.
pub fn note(app: &App, added: Added) {
    if added.left_out > 0 {
        let Added { added, left_out, .. } = added;
        let text = format!("{left_out} new proposals beyond {added} of one reading were left out");
        app.log.line(app.now, "proposals", &text);
    }
}

/// Proposals from before this time are overdue.
fn cutoff(app: &App) -> String {
    let days = i64::try_from(app.config.learn_expire_days).unwrap_or(i64::MAX);
    let age = SignedDuration::from_hours(days.clamp(0, LONGEST).saturating_mul(24));
    time_text(app.now.checked_sub(age).unwrap_or(Timestamp::MIN))
}

/// Lets overdue proposals expire: as expired, not as accepted. How many did.
pub fn expire(app: &mut App) -> anyhow::Result<u64> {
    let (now, before) = (app.now, cutoff(app));
    let Some(store) = app.existing_store()? else { return Ok(0) };
    if !store.has_overdue_proposals(&before)? {
        return Ok(0);
    }
    Ok(store.write(now, |writer| writer.expire_proposals(&before))?)
}

#[derive(Debug, Default, Serialize)]
pub struct Listing {
    /// Those that were asked for: of this project first, then the oldest first.
    pub proposals: Vec<ProposalRecord>,
    pub total: usize,
    pub pending: u64,
    /// How many of these come from this project, or from no project.
    pub pending_here: u64,
}

/// The proposals with this status, or all. Old ones expire first, as far as the database can be written.
pub fn list(app: &mut App, status: Option<&str>) -> anyhow::Result<Listing> {
    if let Err(error) = expire(app) {
        app.log.line(app.now, "proposals", &format!("could not let any expire: {error:#}"));
    }
    let project = app.project_identity();
    let store = app.store()?;
    let filter = ProposalFilter { status: status.map(str::to_owned), ..ProposalFilter::default() };
    let mut proposals = store.proposals(&filter)?;
    let here = project.as_deref().map(|project| store.project_names(project)).transpose()?;
    let here = here.unwrap_or_default();
    // Outside of a project those of no project come first.
    let is_here = |name: &Option<String>| match name {
        Some(name) => here.contains(name),
        None => project.is_none(),
    };
    proposals.sort_by_key(|proposal| !is_here(&proposal.project));
    Ok(Listing {
        total: proposals.len(),
        proposals,
        pending: store.proposals_waiting(None)?,
        pending_here: store.proposals_waiting(project.as_deref())?,
    })
}

/// The proposal whose id is this or begins with it.
pub fn find(app: &mut App, id: &str) -> anyhow::Result<ProposalRecord> {
    let wanted = id.trim().trim_start_matches('#').to_ascii_lowercase();
    let shown = clip(&one_line(&clean(id)), 40);
    anyhow::ensure!(!wanted.is_empty(), "the id of a proposal is missing: `mk review list` has it");
    let store = app.store()?;
    let mut found = store.proposals_like(&wanted)?;
    if let Some(exact) = found.iter().position(|proposal| proposal.id == wanted) {
        return Ok(found.swap_remove(exact));
    }
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        0 => {
            let all = store.proposals(&ProposalFilter::default())?;
            anyhow::bail!("there is no proposal `{shown}`{}", near(&wanted, &all))
        }
        _ => {
            let ids: Vec<&str> = found.iter().take(NEAR).map(|p| p.id.as_str()).collect();
            let ids = ids.join("`, `");
            anyhow::bail!("several proposals begin with `{shown}` (`{ids}`): give more of the id")
        }
    }
}

/// Names the ids that have the most places in common with a wrong one, where that is at least half.
fn near(wanted: &str, all: &[ProposalRecord]) -> String {
    let alike = |id: &str| wanted.chars().zip(id.chars()).filter(|(a, b)| a == b).count();
    let mut ranked: Vec<(usize, &ProposalRecord)> =
        all.iter().map(|proposal| (alike(&proposal.id), proposal)).collect();
    ranked.retain(|(places, _)| 2 * places >= wanted.chars().count());
    ranked.sort_by_key(|(places, proposal)| (usize::MAX - places, proposal.status != "pending"));
    let ids: Vec<&str> = ranked.iter().take(NEAR).map(|(_, p)| p.id.as_str()).collect();
    match (ids.is_empty(), all.is_empty()) {
        (_, true) => ": nothing was ever proposed".to_owned(),
        (true, _) => "; `mk review list --all` shows them".to_owned(),
        _ => format!("; near it: `{}`", ids.join("`, `")),
    }
}

/// How many proposals and decisions the journal does not have yet.
pub fn unjournaled(app: &mut App) -> anyhow::Result<usize> {
    let Some(store) = app.existing_store()? else { return Ok(0) };
    Ok(store.to_journal()?.len())
}

/// Writes the journal; why it could not, in a sentence. Nothing is lost then: it is written the next
/// time.
pub fn keep_journal(app: &mut App) -> Option<String> {
    match journal::append(app) {
        Ok(journal::Journaled::Deferred { reason }) => {
            Some(format!("the journal is written later: {reason}"))
        }
        Ok(_) => None,
        Err(error) => {
            app.log.line(app.now, "journal", &format!("{error:#}"));
            Some(format!("the journal is written later: {error:#}"))
        }
    }
}
