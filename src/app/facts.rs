//! Facts: what a model took from a text, stored unverified or proposed, and what a person says of them.

mod draft;
mod person;

use std::collections::BTreeSet;

use anyhow::{bail, ensure};
use jiff::Timestamp;
use serde::Serialize;

use self::draft::{FactDraft, summary_draft};
use super::App;
use super::search::BadQuestion;
use crate::config::FactIntake;
use crate::learn::facts::{
    Category, Change, Fact, Scope, SourceType, Stored, Summary, Tier, merge,
};
use crate::model::{Finding, Put};
use crate::store::{
    FactEvent, FactOrigin, ForgottenKey, StoreError, StoredFact, Writer, time_text,
};
use crate::text::{clean, clip, nearest};

pub use crate::store::FactFilter;
pub use draft::accepted;
pub use person::{
    Asked, FactDecision, Set, SetReport, confirm, decide_from_dialog, drop, question, set,
};

/// Events of one fact that are shown.
const MOST_EVENTS: usize = 200;

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
    pub inserted: u64,
    pub updated: u64,
    /// Facts that were known and seen to hold again.
    pub verified: u64,
    /// Facts that a person confirmed with another value, which stays.
    pub kept: u64,
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

/// Facts, those of this project first.
#[derive(Debug, Default, Serialize)]
pub struct FactsReport {
    pub total: u64,
    pub facts: Vec<StoredFact>,
}

/// A fact with what befell it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownFact {
    #[serde(flatten)]
    pub fact: StoredFact,
    /// The newest first.
    pub history: Vec<FactEvent>,
}

/// What is known under an id or a key.
#[derive(Debug, Default, Serialize)]
pub struct ShownFacts {
    /// One, or one of each category and project where a key is known in several.
    pub facts: Vec<ShownFact>,
}

/// What befell facts.
#[derive(Debug, Default, Serialize)]
pub struct HistoryReport {
    /// The newest first.
    pub events: Vec<FactEvent>,
}

/// Lists facts, of the current project where its name is empty. What ended is only listed where it is
/// asked for.
///
/// # Errors
/// [`BadQuestion`] for a word that is none of its kind, else what the store says.
pub fn list(app: &mut App, mut wanted: FactFilter) -> anyhow::Result<FactsReport> {
    let current = app.project_identity();
    if wanted.project.as_deref().is_some_and(|name| name.trim().is_empty()) {
        wanted.project = Some(current.clone().ok_or_else(|| {
            let text = "this folder is no project: name one with `--project=<identity>`";
            BadQuestion(text.to_owned())
        })?);
    }
    let categories = Category::ALL.iter().map(|one| one.as_str());
    wanted.category = known(wanted.category, "category of facts", categories, |word| {
        Category::of(word).map(Category::as_str)
    })?;
    wanted.tier = known(wanted.tier, "tier", Tier::ALL.iter().map(|one| one.as_str()), |word| {
        Tier::of(word).map(Tier::as_str)
    })?;
    let origins = SourceType::ALL.iter().map(|one| one.as_str());
    wanted.source_type = known(wanted.source_type, "origin of facts", origins, |word| {
        SourceType::of(word).map(SourceType::as_str)
    })?;
    wanted.key = wanted.key.map(|key| key.trim().to_lowercase());
    let now = time_text(app.now);
    let (facts, total) = app.store()?.facts(&wanted, current.as_deref(), &now)?;
    Ok(FactsReport { total, facts })
}

/// A word in the spelling of the database.
fn known(
    word: Option<String>,
    what: &str,
    all: impl Iterator<Item = &'static str>,
    of: impl Fn(&str) -> Option<&'static str>,
) -> Result<Option<String>, BadQuestion> {
    let Some(word) = word else { return Ok(None) };
    of(&word).map(|word| Some(word.to_owned())).ok_or_else(|| {
        let (word, all) = (clip(&clean(&word), 40), all.collect::<Vec<_>>().join(", "));
        BadQuestion(format!("`{word}` is no {what}: use {all}"))
    })
}

/// The facts that an id (`12`, `#12`) or a whole key means, this project's first.
///
/// # Errors
/// When there is none, naming a key that is near; or what the store says.
pub fn find(app: &mut App, word: &str) -> anyhow::Result<Vec<StoredFact>> {
    let text = word.trim();
    let now = time_text(app.now);
    let shown = clip(&clean(text), 60);
    if let Ok(id) = text.strip_prefix('#').unwrap_or(text).parse::<i64>() {
        let Some(fact) = app.store()?.fact(id, &now)? else {
            bail!("there is no fact #{id}: `mk facts` lists them");
        };
        ensure!(!fact.expired, "fact #{id} ended: `mk facts --expired` lists what did");
        return Ok(vec![fact]);
    }
    ensure!(!text.is_empty(), "the id or key of a fact is missing: `mk facts` lists them");
    let key = text.to_lowercase();
    let current = app.project_identity();
    let (all, _) = app.store()?.facts(&FactFilter::default(), current.as_deref(), &now)?;
    let found: Vec<StoredFact> = all.iter().filter(|fact| fact.key == key).cloned().collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let begun = all.iter().find(|fact| fact.key.starts_with(&key)).map(|fact| fact.key.clone());
    let near = || nearest(&key, all.iter().map(|fact| fact.key.as_str())).map(str::to_owned);
    match begun.or_else(near) {
        Some(near) => bail!("there is no fact `{shown}` (do you mean `{}`?)", clean(&near)),
        None => bail!("there is no fact `{shown}`: `mk facts` lists them"),
    }
}

/// Facts whole, by an id or a key.
///
/// # Errors
/// As [`find`].
pub fn show(app: &mut App, word: &str) -> anyhow::Result<ShownFacts> {
    let found = find(app, word)?;
    let store = app.store()?;
    let mut facts = Vec::new();
    for fact in found {
        let history = store.fact_events(Some(fact.id), MOST_EVENTS)?;
        facts.push(ShownFact { fact, history });
    }
    Ok(ShownFacts { facts })
}

/// What befell the facts that an id or a key means, or all facts; at most so many events.
///
/// # Errors
/// As [`find`].
pub fn history(app: &mut App, word: Option<&str>, limit: usize) -> anyhow::Result<HistoryReport> {
    let limit = if limit == 0 { usize::MAX } else { limit };
    let Some(word) = word else {
        return Ok(HistoryReport { events: app.store()?.fact_events(None, limit)? });
    };
    let found = find(app, word)?;
    let store = app.store()?;
    let mut events = Vec::new();
    for fact in found {
        events.extend(store.fact_events(Some(fact.id), limit)?);
    }
    events.sort_by(|a, b| b.at.cmp(&a.at));
    events.truncate(limit);
    Ok(HistoryReport { events })
}

/// Working facts that were removed, or with a dry run would be.
#[derive(Debug, Default, Serialize)]
pub struct ExpireReport {
    pub dry_run: bool,
    pub count: usize,
    pub expired: Vec<StoredFact>,
}

/// Removes working facts whose time is over.
///
/// # Errors
/// When the database cannot be read or written.
pub fn expire(app: &mut App, dry_run: bool) -> anyhow::Result<ExpireReport> {
    let now = app.now;
    let Some(store) = app.existing_store()? else {
        return Ok(ExpireReport { dry_run, ..ExpireReport::default() });
    };
    let mut expired = store.expired_facts(&time_text(now))?;
    // Where nothing is over nobody has to wait for others who write.
    if !dry_run && !expired.is_empty() {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method alone is for one lifetime"
        )]
        let gone = store.write(now, |writer| writer.expire_facts())?;
        expired = gone;
    }
    Ok(ExpireReport { dry_run, count: expired.len(), expired })
}

/// Whether a finding is a working fact that ended, so that it is not shown.
pub fn has_expired(app: &App, finding: &Finding) -> bool {
    finding.has_expired(&time_text(app.now))
}
