//! Facts: what a model took from a text, stored unverified or proposed, and what a person says of them.

mod draft;
mod expire;
mod list;
mod person;

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Serialize;

use self::draft::{FactDraft, summary_draft};
use super::App;
use crate::config::FactIntake;
use crate::learn::facts::{Category, Change, Fact, Scope, SourceType, Stored, Summary, merge};
use crate::model::Put;
use crate::store::{FactOrigin, ForgottenKey, StoreError, StoredFact, Writer};

pub use draft::accepted;
pub use expire::{ExpireReport, expire, has_expired};
pub use list::{
    FactsReport, HistoryReport, Listed, ShownFact, ShownFacts, find, history, list, show,
};
pub use person::{
    Asked, FactDecision, Set, SetReport, confirm, decide_from_dialog, drop, question, set,
};

/// Where facts come from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The transcript or text.
    pub file: &'a str,
    /// The session that it is of, where that is known.
    pub session: Option<&'a str>,
    /// Identity of the project; outside of one there are global facts only.
    pub project: Option<&'a str>,
    /// When the session ended or the text was written; names the summary.
    pub at: Timestamp,
    /// The model that was asked.
    pub model: &'a str,
}

impl<'a> Source<'a> {
    fn origin(&self) -> FactOrigin<'a> {
        let file = Some(self.file).filter(|file| !file.is_empty());
        FactOrigin { source: file, session: self.session }
    }

    /// The project that a fact holds in.
    fn project_of(&self, fact: &Fact) -> Option<&'a str> {
        self.project.filter(|_| fact.scope == Scope::Project)
    }
}

/// What became of facts. One that is kept out by a person's word and proposed anew counts as both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FactReport {
    /// Facts that are new.
    pub inserted: u64,
    /// Facts that have another value now.
    pub updated: u64,
    /// Facts that were known and seen to hold again.
    pub verified: u64,
    /// Facts that a person confirmed with another value, which stays.
    pub kept: u64,
    /// Facts that wait for a person's word.
    pub proposed: u64,
    /// Facts about which a person was asked before, or that a person does not want.
    pub skipped: u64,
    /// Whether a summary was stored, new or with another text.
    pub summary: bool,
}

/// What would become of facts; stores nothing.
///
/// # Errors
/// When the database cannot be read.
pub fn plan(app: &mut App, facts: Vec<Fact>, source: Source<'_>) -> anyhow::Result<Vec<Change>> {
    let (now, way) = (app.now, app.config.learn_facts);
    let planned = app
        .store()?
        .write(now, |writer| Intake { writer, source: &source, way, now }.changes(facts));
    Ok(planned?)
}

/// Stores facts and a summary, in one transaction. The same again changes nothing but when they were
/// last seen to hold. Nothing is stored of a session that a person had forgotten.
///
/// # Errors
/// When the database cannot be written; nothing is stored then.
pub fn keep(
    app: &mut App,
    facts: Vec<Fact>,
    summary: Option<&Summary>,
    source: Source<'_>,
) -> anyhow::Result<FactReport> {
    let (now, way) = (app.now, app.config.learn_facts);
    let stored = app.store()?.write(now, |writer| {
        let intake = Intake { writer, source: &source, way, now };
        // What has ended is not known any more.
        writer.expire_facts()?;
        let mut report = FactReport::default();
        for change in intake.changes(facts)? {
            intake.apply(&change, &mut report)?;
        }
        report.summary = match summary {
            Some(summary) if !intake.is_forgotten()? => {
                keep_summary(writer, summary, &source, now)?
            }
            _ => false,
        };
        Ok(report)
    });
    Ok(stored?)
}

/// Facts of one text on their way in.
struct Intake<'a> {
    writer: &'a Writer<'a>,
    source: &'a Source<'a>,
    way: FactIntake,
    now: Timestamp,
}

impl Intake<'_> {
    /// Whether a person had the session forgotten.
    fn is_forgotten(&self) -> Result<bool, StoreError> {
        let Some(session) = self.source.session else { return Ok(false) };
        self.writer.is_forgotten(&[ForgottenKey::Session(session)])
    }

    /// Compares facts with what is stored, proposed, rejected and dropped.
    fn changes(&self, facts: Vec<Fact>) -> Result<Vec<Change>, StoreError> {
        let facts: Vec<Fact> = facts.into_iter().filter_map(draft::cleaned).collect();
        if self.is_forgotten()? {
            let why = "its session was forgotten";
            return Ok(facts.into_iter().map(|fact| Change::Skip { fact, why }).collect());
        }
        let keys: BTreeSet<(Category, &str)> =
            facts.iter().map(|fact| (fact.category, fact.key.as_str())).collect();
        let here = self.source.project.map(|project| self.writer.project_names(project));
        let here = here.transpose()?.unwrap_or_default();
        let named = |name: String| match self.source.project {
            Some(current) if here.contains(&name) => current.to_owned(),
            _ => name,
        };
        let mut stored = Vec::new();
        for (category, key) in keys {
            let mut known = self.writer.facts_under(category.as_str(), key)?;
            // Where somebody wrote a key twice, the last counts: one that a person confirmed, if any.
            known.sort_by_key(|fact| (fact.confirmed, fact.id));
            stored.extend(known.into_iter().map(|fact| Stored {
                id: fact.id,
                category,
                key: fact.key,
                project: fact.project.map(named),
                value: fact.value,
                is_confirmed: fact.confirmed,
            }));
        }
        let merged = merge(&stored, facts, self.source.project);
        merged.into_iter().map(|change| self.asked(change)).collect()
    }

    /// Makes of a change what the configuration and a person's earlier words make of it.
    fn asked(&self, change: Change) -> Result<Change, StoreError> {
        let (Change::Insert { fact } | Change::Update { fact, .. }) = &change else {
            return Ok(change);
        };
        let new = FactDraft::new(fact, self.source, self.now);
        let skip = |why| Ok(Change::Skip { fact: fact.clone(), why });
        if self.writer.is_unwanted_fact(&new.draft, &new.print)? {
            return skip("a person does not want it");
        }
        let status = self.writer.proposal_status(&new.proposal_id())?;
        match (self.is_asked_about(fact), status.as_deref()) {
            (_, Some("rejected")) => skip("a person rejected it"),
            (true, None) => Ok(Change::Propose { fact: fact.clone() }),
            (true, Some("pending")) => skip("it waits for a person's word already"),
            (true, Some("expired")) => skip("nobody decided about it when it was proposed"),
            _ => Ok(change),
        }
    }

    /// Whether a fact is a person's to decide about.
    fn is_asked_about(&self, fact: &Fact) -> bool {
        match self.way {
            FactIntake::BySource => fact.source_type == SourceType::UserSaid,
            FactIntake::Proposals => true,
            FactIntake::Unverified => false,
        }
    }

    fn apply(&self, change: &Change, report: &mut FactReport) -> Result<(), StoreError> {
        let fact = change.fact();
        let new = FactDraft::new(fact, self.source, self.now);
        match change {
            Change::Insert { .. } | Change::Update { .. } => {
                match self.writer.put_fact(&new.draft)? {
                    Put::Inserted(_) => report.inserted += 1,
                    Put::Updated(_) => report.updated += 1,
                    Put::Unchanged(_) => report.verified += 1,
                    Put::Forgotten => report.skipped += 1,
                }
            }
            Change::Verify { id, .. } => {
                self.writer.verify_fact(*id, new.expires_at())?;
                report.verified += 1;
            }
            Change::Keep { id, .. } => {
                self.writer.note_fact(*id, "rival", &fact.value, self.source.origin())?;
                report.kept += 1;
                // The person may have changed their mind: only they can say.
                if self.is_asked_about(fact)
                    && !self.writer.is_unwanted_fact(&new.draft, &new.print)?
                {
                    report.proposed += u64::from(self.propose(&new)?);
                }
            }
            Change::Propose { .. } => {
                let is_new = self.propose(&new)?;
                report.proposed += u64::from(is_new);
                report.skipped += u64::from(!is_new);
            }
            Change::Skip { .. } => report.skipped += 1,
        }
        Ok(())
    }

    fn propose(&self, new: &FactDraft<'_>) -> Result<bool, StoreError> {
        self.writer.propose_fact(&new.record(self.source), &new.proposal())
    }
}

/// Stores the summary of a text in place of the one that the text had; `true` where that is new or
/// different. One that a person confirmed stays.
fn keep_summary(
    writer: &Writer<'_>,
    summary: &Summary,
    source: &Source<'_>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let summary = draft::cleaned_summary(summary);
    let mut own = match source.origin().source {
        Some(file) => writer.summaries_of(file)?,
        None => Vec::new(),
    };
    let mut taken = BTreeSet::new();
    // More than one session may end in a minute; as many keys as could be tried are looked at.
    for key in draft::summary_keys(source.at) {
        let others = writer.facts_under(Category::Session.as_str(), &key)?;
        let is_taken = others.iter().any(|other| own.iter().all(|one| one.id != other.id));
        if !is_taken {
            break;
        }
        taken.insert(key);
    }
    let Some(fact) = summary.fact(source.at, |key| taken.contains(key)) else { return Ok(false) };
    if let Some(confirmed) = own.iter().find(|one| one.confirmed) {
        if confirmed.value == fact.value {
            writer.verify_fact(confirmed.id, None)?;
        } else {
            writer.note_fact(confirmed.id, "rival", &fact.value, source.origin())?;
        }
        return Ok(false);
    }
    let same = own.iter().position(|one| one.key == fact.key).map(|at| own.swap_remove(at));
    for old in own {
        writer.remove_fact(old.id)?;
    }
    if let Some(same) = same.filter(|same| same.value == fact.value) {
        writer.verify_fact(same.id, None)?;
        return Ok(false);
    }
    let put = writer.put_fact(&summary_draft(&fact, &summary, source, now))?;
    Ok(matches!(put, Put::Inserted(_) | Put::Updated(_)))
}

/// By what a stored fact is known again.
fn print_of(fact: &StoredFact) -> String {
    StoredFact::print(&fact.category, &fact.key, fact.project.as_deref(), &fact.value)
}
