//! Deciding about proposals, and taking a decision back. Only for a person: whoever calls this has
//! made sure of that.

use serde::Serialize;

use super::{cutoff, find};
use crate::app::{App, facts};
use crate::model::{Confidence, Draft, Evidence, Kind, ProposalRecord, Source};
use crate::store::{ProposalVerdict, StoreError};
use crate::text::{clean, clean_block, clip, first_sentence, scrub};

/// What a proposal can become. What somebody said proves nothing and disproves nothing, so a theorem or a
/// false lemma is not among them.
pub const KINDS: &[Kind] = &[
    Kind::Insight,
    Kind::Preference,
    Kind::Lesson,
    Kind::Technique,
    Kind::MathlibApi,
    Kind::Failure,
    Kind::Playbook,
];

/// Columns of a title that is made from the content.
const TITLE: usize = 80;

/// How a proposal is accepted; what is not given is made from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accept {
    /// What it becomes, one of [`KINDS`].
    pub kind: Option<Kind>,
    pub title: Option<String>,
    /// Its text, where the person words it differently.
    pub content: Option<String>,
    pub tags: Vec<String>,
}

/// Where a person said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Terminal,
    /// In the client's dialog.
    Dialog,
}

impl By {
    /// The word for it in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Dialog => "dialog",
        }
    }
}

/// What was decided about a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    pub id: String,
    /// `accepted`, `rejected`, or `pending` after taking a decision back.
    pub status: &'static str,
    /// What is known now, or was proposed.
    pub content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<i64>,
    /// The finding that was removed, after taking a decision back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_finding: Option<i64>,
    /// The finding that stays, because it was changed meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_finding: Option<i64>,
}

/// What a proposal of this type becomes where nobody says otherwise.
pub fn default_kind(proposed: &str) -> Kind {
    match proposed {
        "pattern" => Kind::Preference,
        "fact" => Kind::Fact,
        _ => Kind::Insight,
    }
}

/// One of [`KINDS`], or a fact, by its name or the beginning of it.
pub fn kind_of(word: &str) -> Result<Kind, String> {
    let parsed = word.parse::<Kind>().ok();
    let begun = word.trim().to_ascii_lowercase();
    let mut beginning = KINDS.iter().filter(|kind| kind.as_str().starts_with(&begun));
    let short = beginning.next().filter(|_| !begun.is_empty() && beginning.next().is_none());
    let is_one = |kind: &Kind| KINDS.contains(kind) || *kind == Kind::Fact;
    let known = parsed.filter(is_one).or(short.copied());
    known.ok_or_else(|| {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.as_str()).collect();
        let names = names.join(", ");
        let word = clip(&clean(word), 40);
        if parsed.is_some() {
            format!("a proposal cannot become a {word}, as words prove nothing: use {names}")
        } else {
            format!("unknown kind `{word}`: use one of {names}")
        }
    })
}

/// The title that a text gets where nobody gives it one.
pub fn title_of(content: &str) -> String {
    clip(&clean(first_sentence(content)), TITLE)
}

/// Makes knowledge of a pending proposal.
///
/// # Errors
/// When there is none with this id, or it is decided already, or the kind is none of [`KINDS`]; else
/// what the store says.
pub fn accept(app: &mut App, id: &str, accept: &Accept, by: By) -> anyhow::Result<Decision> {
    let proposal = pending(app, id)?;
    let draft = match fact(app, &proposal, accept)? {
        Some(fact) => fact,
        None => draft(&proposal, accept)?,
    };
    let now = app.now;
    let finding = app.store()?.write(now, |writer| {
        let finding = match draft.kind {
            Kind::Fact => writer.accept_fact(&proposal.id, &draft)?,
            _ => writer.put(&draft)?.id(),
        };
        let verdict = ProposalVerdict {
            status: "accepted",
            by: by.word(),
            reason: None,
            finding: Some(finding),
        };
        if writer.decide(&proposal.id, verdict)? {
            return Ok(finding);
        }
        // An error, so that the finding is not stored either.
        Err(StoreError::Invalid(format!("proposal {} was decided meanwhile", proposal.id)))
    })?;
    let content = if draft.description.is_empty() { draft.title } else { draft.description };
    Ok(Decision {
        kind: Some(draft.kind),
        finding: Some(finding),
        ..decision(&proposal, "accepted", content)
    })
}

/// Rejects a pending proposal, with the reason where there is one. It is not proposed again.
///
/// # Errors
/// When there is none with this id, or it is decided already; else what the store says.
pub fn reject(app: &mut App, id: &str, reason: Option<&str>, by: By) -> anyhow::Result<Decision> {
    let proposal = pending(app, id)?;
    let reason = reason.map(|reason| clean(&scrub(reason))).filter(|reason| !reason.is_empty());
    let now = app.now;
    let done = app.store()?.write(now, |writer| {
        let reason = reason.as_deref();
        let verdict = ProposalVerdict { status: "rejected", by: by.word(), reason, finding: None };
        writer.decide(&proposal.id, verdict)
    })?;
    if !done {
        return Err(decided_already(&proposal.id, "decided"));
    }
    Ok(decision(&proposal, "rejected", proposal.content.clone()))
}

/// Takes a decision back: the proposal waits again. The finding that it had become is removed, unless it
/// was changed since; a fact that it had replaced stands again.
///
/// # Errors
/// When there is none with this id, or it waits anyway; else what the store says.
pub fn undo(app: &mut App, id: &str) -> anyhow::Result<Decision> {
    let proposal = find(app, id)?;
    if proposal.status == "pending" {
        anyhow::bail!("nothing was decided about proposal {} yet", proposal.id);
    }
    let (now, overdue) = (app.now, cutoff(app));
    let became = app.store()?.write(now, |writer| {
        let Some((finding, at)) = writer.undecide(&proposal.id, &overdue)? else { return Ok(None) };
        // A fact becomes again what it was before.
        let gone = match writer.take_back_fact(&proposal.id, finding, &at)? {
            Some(true) => return Ok(None),
            Some(false) => false,
            None => writer.retract(finding, &at)?,
        };
        Ok(Some((finding, gone)))
    })?;
    let finding = |wanted: bool| became.filter(|(_, is_gone)| *is_gone == wanted).map(|(id, _)| id);
    Ok(Decision {
        removed_finding: finding(true),
        kept_finding: finding(false),
        ..decision(&proposal, "pending", proposal.content.clone())
    })
}

fn decision(proposal: &ProposalRecord, status: &'static str, content: String) -> Decision {
    Decision {
        id: proposal.id.clone(),
        status,
        content,
        kind: None,
        finding: None,
        removed_finding: None,
        kept_finding: None,
    }
}

fn pending(app: &mut App, id: &str) -> anyhow::Result<ProposalRecord> {
    let proposal = find(app, id)?;
    if proposal.status == "pending" {
        return Ok(proposal);
    }
    Err(decided_already(&proposal.id, &clean(&proposal.status)))
}

fn decided_already(id: &str, status: &str) -> anyhow::Error {
    anyhow::anyhow!("proposal {id} was {status} already; `mk review undo {id}` takes that back")
}

/// The fact that a proposal becomes; `None` where it is to become something else.
fn fact(
    app: &mut App,
    proposal: &ProposalRecord,
    accept: &Accept,
) -> anyhow::Result<Option<Draft>> {
    if accept.kind.unwrap_or_else(|| default_kind(&proposal.kind)) != Kind::Fact {
        return Ok(None);
    }
    let now = app.now;
    let Some(fact) = app.store()?.fact_proposal(&proposal.id)? else {
        anyhow::bail!("this proposal cannot become a fact: it has no category and no key");
    };
    let (value, title) = (accept.content.as_deref(), accept.title.as_deref());
    let mut draft = facts::accepted(proposal, &fact, value, title, now);
    anyhow::ensure!(!draft.title.trim_end().ends_with(':'), "there is no text to accept");
    draft.tags.extend(tags(accept));
    Ok(Some(draft))
}

fn tags(accept: &Accept) -> Vec<String> {
    let tags = accept.tags.iter().map(|tag| clean(&tag.replace(',', " ")));
    tags.filter(|tag| !tag.is_empty()).collect()
}

fn draft(proposal: &ProposalRecord, accept: &Accept) -> anyhow::Result<Draft> {
    let kind = accept.kind.unwrap_or_else(|| default_kind(&proposal.kind));
    kind_of(kind.as_str()).map_err(anyhow::Error::msg)?;
    let content = accept.content.as_deref().unwrap_or(&proposal.content);
    let content = clean_block(&scrub(content)).trim().to_owned();
    anyhow::ensure!(!content.is_empty(), "there is no text to accept");
    let title = accept.title.as_deref().map(|title| clean(&scrub(title)));
    let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| title_of(&content));
    let mut draft = Draft::new(kind, title, content);
    draft.project.clone_from(&proposal.project);
    draft.source = Source {
        session: proposal.session.clone(),
        line: proposal.line.and_then(|line| i64::try_from(line).ok()),
        ..Source::default()
    };
    draft.tags = tags(accept);
    draft.confidence = Confidence::High;
    draft.evidence = Evidence::Person;
    draft.notes = Some(origin(proposal));
    draft.identity = Some(format!("proposal/{}", proposal.id));
    Ok(draft)
}

/// Where it comes from: `proposal 3f2a91c04d7e, said by the agent (rule note-to-self)`.
fn origin(proposal: &ProposalRecord) -> String {
    let who = if proposal.role.is_empty() { "somebody" } else { &proposal.role };
    format!("proposal {}, said by {who} (rule {})", proposal.id, proposal.rule)
}
