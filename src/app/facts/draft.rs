//! Facts as findings and as proposals.

use jiff::Timestamp;

use super::Source;
use crate::learn::facts::{Fact, Lifetime, Scope, Summary};
use crate::model::{
    Confidence, Detail, Draft, Evidence, FactDetail, Kind, ProposalRecord, Source as Place,
};
use crate::store::{FactProposal, StoredFact, time_text};
use crate::text::{clean, clip, scrub, without_private};

/// Columns of a title.
const TITLE: usize = 120;
/// Columns of a value; longer ones are cut.
const VALUE: usize = 1000;
/// Columns of the name of a model.
const MODEL: usize = 60;
/// From so sure a model's word is plausible; below it is a guess.
const PLAUSIBLE: f64 = 0.7;
/// Sessions that may end in one minute.
const IN_A_MINUTE: usize = 1000;

/// One line without secrets, private parts and control characters.
fn plain(text: &str, most: usize) -> String {
    clip(&clean(&scrub(&without_private(text))), most)
}

/// A fact as it may be stored; `None` where nothing is left of it, or it is none that a model may give.
pub(super) fn cleaned(mut fact: Fact) -> Option<Fact> {
    fact.key = plain(&fact.key, TITLE);
    fact.value = plain(&fact.value, VALUE);
    let is_fact = fact.category != crate::learn::facts::Category::Session;
    (is_fact && !fact.key.is_empty() && !fact.value.is_empty()).then_some(fact)
}

/// A summary as it may be stored.
pub(super) fn cleaned_summary(summary: &Summary) -> Summary {
    let lines = |lines: &[String]| -> Vec<String> {
        let lines = lines.iter().map(|line| plain(line, VALUE));
        lines.filter(|line| !line.is_empty()).collect()
    };
    Summary {
        decisions: lines(&summary.decisions),
        open_questions: lines(&summary.open_questions),
        action_items: lines(&summary.action_items),
        topics: lines(&summary.topics),
    }
}

/// The keys that a summary of this time may have, in the order in which they are taken.
pub(super) fn summary_keys(at: Timestamp) -> impl Iterator<Item = String> {
    let first = at.strftime("summary.%Y-%m-%d-%H-%M").to_string();
    let numbered = (2..IN_A_MINUTE).map({
        let first = first.clone();
        move |number| format!("{first}-{number}")
    });
    std::iter::once(first).chain(numbered)
}

fn title_of(key: &str, value: &str) -> String {
    clip(&clean(&format!("{key}: {value}")), TITLE)
}

/// A model's fact on its way into the database.
pub(super) struct FactDraft<'a> {
    fact: &'a Fact,
    pub(super) draft: Draft,
    /// By what it is known again.
    pub(super) print: String,
}

impl<'a> FactDraft<'a> {
    pub(super) fn new(fact: &'a Fact, source: &Source<'_>, now: Timestamp) -> Self {
        let project = source.project_of(fact);
        let mut detail = fact.detail(now);
        let scope = if project.is_some() { Scope::Project } else { Scope::Global };
        scope.as_str().clone_into(&mut detail.scope);
        let mut draft = of_detail(detail, project);
        draft.source = Place {
            file: source.origin().source.map(str::to_owned),
            session: source.session.map(str::to_owned),
            ..Place::default()
        };
        draft.confidence =
            if fact.confidence >= PLAUSIBLE { Confidence::Medium } else { Confidence::Low };
        draft.evidence = Evidence::Model;
        draft.notes = Some(said_by(source.model));
        let print = StoredFact::print(fact.category.as_str(), &fact.key, project, &fact.value);
        Self { fact, draft, print }
    }

    pub(super) fn proposal_id(&self) -> String {
        StoredFact::proposal_id(&self.print)
    }

    /// When it ends; `None` for never.
    pub(super) fn expires_at(&self) -> Option<&str> {
        match &self.draft.detail {
            Some(Detail::Fact(detail)) => detail.expires_at.as_deref(),
            _ => None,
        }
    }

    pub(super) fn record(&self, source: &Source<'_>) -> ProposalRecord {
        let Fact { key, value, source_type, .. } = self.fact;
        ProposalRecord {
            id: self.proposal_id(),
            kind: Kind::Fact.as_str().to_owned(),
            content: format!("{key}: {value}"),
            role: "model".to_owned(),
            source: source.file.to_owned(),
            project: self.draft.project.clone(),
            status: "pending".to_owned(),
            rule: format!("{} by {}", source_type.as_str(), plain(source.model, MODEL)),
            sentence: format!("{key}: {value}"),
            session: source.session.map(str::to_owned),
            ..ProposalRecord::default()
        }
    }

    /// The fact that the proposal would become.
    pub(super) fn proposal(&self) -> FactProposal {
        FactProposal {
            category: self.fact.category.as_str().to_owned(),
            key: self.fact.key.clone(),
            value: self.fact.value.clone(),
            scope: self.fact.scope.as_str().to_owned(),
            source_type: self.fact.source_type.as_str().to_owned(),
            confidence: Some(self.fact.confidence),
            hours: match self.fact.lifetime {
                Lifetime::Always => None,
                Lifetime::Hours(hours) => Some(hours),
            },
        }
    }
}

fn said_by(model: &str) -> String {
    format!("said by the model {}; nobody confirmed it", plain(model, MODEL))
}

/// A finding with this detail. A value that does not fit into the title is its text too.
pub(super) fn of_detail(detail: FactDetail, project: Option<&str>) -> Draft {
    let title = title_of(&detail.key, &detail.value);
    let is_whole = title.ends_with(&clean(&detail.value));
    let text = if is_whole { String::new() } else { detail.value.clone() };
    let mut draft = Draft::new(Kind::Fact, title, text);
    draft.project = project.map(str::to_owned);
    draft.tags = vec![detail.category.clone()];
    draft.detail = Some(Detail::Fact(detail));
    draft
}

/// The summary of a session as a finding: what is searched are its lines, not their JSON.
pub(super) fn summary_draft(
    fact: &Fact,
    summary: &Summary,
    source: &Source<'_>,
    now: Timestamp,
) -> Draft {
    let mut draft = FactDraft::new(fact, source, now).draft;
    let ended = source.at.strftime("%Y-%m-%d %H:%M");
    let topics = summary.topics.join(", ");
    let about = if topics.is_empty() { String::new() } else { format!(": {topics}") };
    draft.title = clip(&format!("Session that ended {ended}{about}"), TITLE);
    let lists = [
        ("Decided", &summary.decisions),
        ("Open", &summary.open_questions),
        ("To do", &summary.action_items),
    ];
    let lines = lists
        .into_iter()
        .flat_map(|(label, lines)| lines.iter().map(move |line| format!("{label}: {line}")));
    draft.description = lines.collect::<Vec<_>>().join("\n");
    // No number of the model's stands behind a summary.
    draft.confidence = Confidence::Low;
    draft
}

/// What a proposed fact becomes when a person accepts it, with the value or title that they gave.
pub fn accepted(
    proposal: &ProposalRecord,
    fact: &FactProposal,
    value: Option<&str>,
    title: Option<&str>,
    now: Timestamp,
) -> Draft {
    let lifetime = fact.hours.map_or(Lifetime::Always, Lifetime::Hours);
    let value = value.map_or_else(|| fact.value.clone(), |value| without_key(value, &fact.key));
    let project = proposal.project.as_deref();
    let detail = FactDetail {
        category: fact.category.clone(),
        key: fact.key.clone(),
        value: plain(&value, VALUE),
        scope: if project.is_some() { "project" } else { "global" }.to_owned(),
        tier: if fact.hours.is_some() { "working" } else { "long-term" }.to_owned(),
        source_type: fact.source_type.clone(),
        confidence: fact.confidence,
        expires_at: lifetime.end(now).map(time_text),
        last_verified: Some(time_text(now)),
    };
    let mut draft = of_detail(detail, project);
    if let Some(title) = title {
        draft.title = plain(title, TITLE);
    }
    let file = Some(proposal.source.clone()).filter(|source| !source.is_empty());
    draft.source = Place { file, session: proposal.session.clone(), ..Place::default() };
    stand_for(&mut draft);
    draft.notes = Some(format!("proposal {}, {}", proposal.id, clean(&proposal.rule)));
    draft
}

/// A person may word the whole sentence, `key: value`.
fn without_key(text: &str, key: &str) -> String {
    let rest = text.trim().strip_prefix(key).and_then(|rest| rest.trim_start().strip_prefix(':'));
    rest.unwrap_or(text).trim().to_owned()
}

/// Makes a fact one that a person stands for.
pub(super) fn stand_for(draft: &mut Draft) {
    draft.evidence = Evidence::Person;
    draft.confidence = Confidence::High;
}
