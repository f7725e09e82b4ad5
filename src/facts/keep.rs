//! What a model took from a text, stored unverified where the text shows it, else proposed.

use anyhow::ensure;
use jiff::Timestamp;
use serde::Serialize;

use crate::app::App;
use crate::config::FactIntake;
use crate::learn::facts::{Category, Fact, Lifetime, Reading, Scope, SourceType, Summary, is_same};
use crate::model::{
    Confidence, Draft, Evidence, FactDetail, Finding, Kind, Put, Said, Source as Place,
};
use crate::store::{ForgottenKey, StoreError, Writer, time_text};
use crate::text::{clean, clip, hash, without_private};

const TITLE: usize = 120;
/// Columns of a value; longer ones are cut.
const VALUE: usize = 1000;
const MODEL: usize = 60;
/// From so sure a model's word is plausible; below it is a guess.
const PLAUSIBLE: f64 = 0.7;

#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub file: &'a str,
    pub session: Option<&'a str>,
    /// Identity of the project; outside of one there are global facts only.
    pub project: Option<&'a str>,
    /// When the session ended or the text was written; names the summary.
    pub at: Timestamp,
    pub model: &'a str,
}

impl<'a> Source<'a> {
    fn place(&self) -> Place {
        Place {
            file: Some(self.file.to_owned()).filter(|file| !file.is_empty()),
            session: self.session.map(str::to_owned),
            ..Place::default()
        }
    }

    fn project_of(&self, fact: &Fact) -> Option<&'a str> {
        self.project.filter(|_| fact.scope == Scope::Project)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FactReport {
    pub inserted: u64,
    pub updated: u64,
    pub verified: u64,
    /// Facts that a person confirmed with another value, which stays.
    pub kept: u64,
    pub proposed: u64,
    /// Facts about which a person was asked before, or that a person does not want.
    pub skipped: u64,
    pub summary: bool,
}

impl FactReport {
    /// Counts what became of facts.
    pub fn count<'a>(&mut self, changes: impl IntoIterator<Item = &'a Change>) {
        for change in changes {
            *match change.change {
                Became::Insert => &mut self.inserted,
                Became::Update => &mut self.updated,
                Became::Verify => &mut self.verified,
                Became::Keep => &mut self.kept,
                Became::Propose => &mut self.proposed,
                Became::Skip => &mut self.skipped,
            } += 1;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Became {
    Insert,
    Update,
    /// The same was known: it was seen to hold once more. A working fact lasts on from now.
    Verify,
    Keep,
    Propose,
    /// A person was asked about it before, or does not want it.
    Skip,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    pub change: Became,
    /// The value that was known, where it was another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
    pub fact: Fact,
}

/// In one transaction; a dry run takes all of it back. The same again changes nothing but when facts were last seen.
pub fn keep(
    app: &mut App,
    reading: &Reading,
    source: Source<'_>,
    dry_run: bool,
) -> anyhow::Result<(Vec<Change>, FactReport)> {
    let (now, way) = (app.now, app.config.learn_facts);
    let put = |writer: &Writer<'_>| {
        let intake = Intake { writer, source: &source, way, now };
        let mut report = FactReport::default();
        let session = source.session.map(ForgottenKey::Session);
        if writer.is_forgotten(session.as_slice())? {
            let why = Some("its session was forgotten");
            let skip =
                |fact: &Fact| Change { change: Became::Skip, from: None, why, fact: fact.clone() };
            let changes: Vec<Change> = reading.facts.iter().map(skip).collect();
            report.count(&changes);
            return Ok((changes, report));
        }
        // What has ended is not known any more.
        writer.expire_facts()?;
        let keep = |fact: &Fact| intake.keep(fact, &drafted(fact, &source, now));
        let changes = reading.facts.iter().map(keep).collect::<Result<Vec<_>, _>>()?;
        report.count(&changes);
        report.summary = intake.keep_summary(&reading.summary)?;
        Ok((changes, report))
    };
    let store = app.store()?;
    Ok(if dry_run { store.rehearse(now, put)? } else { store.write(now, put)? })
}

struct Intake<'a> {
    writer: &'a Writer<'a>,
    source: &'a Source<'a>,
    way: FactIntake,
    now: Timestamp,
}

impl Intake<'_> {
    fn keep(&self, fact: &Fact, new: &Draft) -> Result<Change, StoreError> {
        let known = self.writer.fact_like_known(new)?;
        let value = known.as_ref().map(value_of);
        let from = value.filter(|value| *value != fact.value).map(str::to_owned);
        let became = |change| Change { change, from: from.clone(), why: None, fact: fact.clone() };
        let skip = |why| Change { why: Some(why), ..became(Became::Skip) };
        if let Some(old) = known.as_ref().filter(|old| is_same(value_of(old), &fact.value)) {
            let ends = new.fact().and_then(|fact| fact.expires_at.as_deref());
            self.writer.verify_fact(old.id, ends)?;
            return Ok(Change { from: None, ..became(Became::Verify) });
        }
        let confirmed = known.as_ref().filter(|old| is_confirmed(old));
        if let Some(old) = confirmed {
            self.writer.note_fact(old.id, "rival", &fact.value, &new.source)?;
        }
        let is_unwanted = self.writer.is_unwanted_fact(new, &proposal_id(new))?;
        // A person may have changed their mind about what they confirmed: only they can say.
        if !is_unwanted && self.is_asked_about(fact) && self.propose(fact, new)? {
            return Ok(became(Became::Propose));
        }
        if confirmed.is_some() {
            return Ok(became(Became::Keep));
        }
        if is_unwanted {
            return Ok(skip("a person does not want it"));
        }
        if self.is_asked_about(fact) {
            return Ok(skip("a person was asked about it before"));
        }
        Ok(match self.writer.put_fact(new)? {
            Put::Inserted(_) => became(Became::Insert),
            Put::Updated(_) => became(Became::Update),
            Put::Unchanged(_) => became(Became::Verify),
            Put::Forgotten => skip("a person does not want it"),
        })
    }

    /// Whether a fact is a person's to decide about: always, where the text does not show it.
    fn is_asked_about(&self, fact: &Fact) -> bool {
        let by_setting = match self.way {
            FactIntake::BySource => fact.source_type == SourceType::UserSaid,
            FactIntake::Proposals => true,
            FactIntake::Unverified => false,
        };
        fact.category != Category::Session && (by_setting || fact.quote.is_empty())
    }

    /// The fact as a proposal: when it is accepted, its time begins. `false` where it was one before.
    fn propose(&self, from: &Fact, new: &Draft) -> Result<bool, StoreError> {
        let mut draft = new.clone();
        let Some(detail) = &mut draft.detail else { return Ok(false) };
        let Some(fact) = &mut detail.fact else { return Ok(false) };
        fact.expires_at = None;
        fact.hours = match from.lifetime {
            Lifetime::Always => None,
            Lifetime::Hours(hours) => Some(hours),
        };
        let said = format!("{}: {}", fact.key, fact.value);
        let (sentence, shown) = match from.quote.as_str() {
            "" => (said.clone(), "without a quotation"),
            quote => (quote.to_owned(), from.source_type.as_str()),
        };
        detail.said = Some(Said {
            kind: Kind::Fact.as_str().to_owned(),
            content: said,
            role: "model".to_owned(),
            source: self.source.file.to_owned(),
            rule: format!("{shown} by {}", clip(&clean(self.source.model), MODEL)),
            sentence,
            ..Said::default()
        });
        self.writer.propose(&proposal_id(new), &draft)
    }

    /// Stores the summary of a text in place of the one that the text had, whatever minute that ended in;
    /// `true` where it is new or different. One that a person confirmed stays.
    fn keep_summary(&self, summary: &Summary) -> Result<bool, StoreError> {
        let (source, writer) = (self.source, self.writer);
        let first = source.at.strftime("summary.%Y-%m-%d-%H-%M").to_string();
        let Some(mut fact) = summary.fact(first) else { return Ok(false) };
        let own = writer.summaries_of(source.file)?;
        let key_of = |one: &Finding| one.content.fact().map(|fact| fact.key.clone());
        let there = writer.fact_like_known(&drafted(&fact, source, self.now))?;
        if there.is_some_and(|there| own.iter().all(|one| one.id != there.id)) {
            // More than one session may end in a minute.
            fact.key = format!("{}-{}", fact.key, hash(source.file, 2));
        }
        if let Some(key) = own.iter().find(|one| is_confirmed(one)).and_then(key_of) {
            fact.key = key;
        }
        for old in own.iter().filter(|one| key_of(one).as_ref() != Some(&fact.key)) {
            writer.remove(old.id)?;
        }
        let change = self.keep(&fact, &summary_draft(&fact, summary, source, self.now))?.change;
        Ok(matches!(change, Became::Insert | Became::Update))
    }
}

/// The same for the same value of the same fact: case, blanks and punctuation make no difference.
fn proposal_id(draft: &Draft) -> String {
    let Some(fact) = draft.fact() else { return String::new() };
    let project = draft.project.as_deref().unwrap_or_default();
    let value = crate::model::words_of(&fact.value);
    hash(format!("fact\n{}\n{}\n{project}\n{value}", fact.category, fact.key), 6)
}

pub(super) fn value_of(fact: &Finding) -> &str {
    fact.content.fact().map_or("", |fact| &fact.value)
}

fn is_confirmed(fact: &Finding) -> bool {
    fact.content.evidence == Evidence::Person
}

fn title_of(key: &str, value: &str) -> String {
    clip(&clean(&format!("{key}: {value}")), TITLE)
}

fn drafted(fact: &Fact, source: &Source<'_>, now: Timestamp) -> Draft {
    let project = source.project_of(fact);
    let mut detail = fact.detail(now);
    let scope = if project.is_some() { Scope::Project } else { Scope::Global };
    scope.as_str().clone_into(&mut detail.scope);
    let mut draft = of_detail(detail, project);
    draft.source = source.place();
    draft.confidence =
        if fact.confidence >= PLAUSIBLE { Confidence::Medium } else { Confidence::Low };
    draft.evidence = Evidence::Model;
    let model = clip(&clean(source.model), MODEL);
    draft.notes = Some(format!("said by the model {model}; nobody confirmed it"));
    draft
}

/// The title and the text that a fact has: a value that does not fit into the title is its text too.
fn title(draft: &mut Draft) {
    let Some(fact) = draft.fact() else { return };
    let title = title_of(&fact.key, &fact.value);
    let is_whole = title.ends_with(&clean(&fact.value));
    draft.description = if is_whole { String::new() } else { fact.value.clone() };
    draft.title = title;
}

pub(super) fn of_detail(detail: FactDetail, project: Option<&str>) -> Draft {
    let mut draft = Draft::new(Kind::Fact, "", "");
    draft.project = project.map(str::to_owned);
    draft.tags = vec![detail.category.clone()];
    draft.detail = Some(detail.into());
    title(&mut draft);
    draft
}

/// The summary of a session as a finding: what is searched are its lines, not their JSON.
fn summary_draft(fact: &Fact, summary: &Summary, source: &Source<'_>, now: Timestamp) -> Draft {
    let mut draft = drafted(fact, source, now);
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

/// What a fact becomes when a person accepts it, in their own words perhaps: its time begins now.
pub(crate) fn accept(draft: &mut Draft, words: Option<&str>, now: Timestamp) -> anyhow::Result<()> {
    let Some(fact) = draft.detail.as_mut().and_then(|detail| detail.fact.as_mut()) else {
        return Ok(());
    };
    if let Some(words) = words {
        fact.value = clip(&clean(&without_private(&without_key(words, &fact.key))), VALUE);
        ensure!(!fact.value.is_empty(), "there is no text to accept");
    }
    if let Some(hours) = fact.hours.take() {
        "working".clone_into(&mut fact.tier);
        fact.expires_at = Lifetime::Hours(hours).end(now).map(time_text);
    }
    fact.last_verified = Some(time_text(now));
    if words.is_some() {
        title(draft);
    }
    Ok(())
}

/// A person may word the whole sentence, `key: value`.
fn without_key(text: &str, key: &str) -> String {
    let rest = text.trim().strip_prefix(key).and_then(|rest| rest.trim_start().strip_prefix(':'));
    rest.unwrap_or(text).trim().to_owned()
}
