//! Facts: what a model took from a text, stored unverified or proposed, and what a person says of them.

use std::collections::BTreeSet;

use anyhow::{bail, ensure};
use jiff::Timestamp;
use serde::Serialize;

use super::App;
use super::review::{self, Here, Listing};
use super::search::BadQuestion;
use crate::config::FactIntake;
use crate::learn::facts::{
    Category, Change, Fact, Lifetime, Reading, Scope, SourceType, Summary, Tier, is_same,
};
use crate::model::{
    Confidence, Draft, Evidence, FactDetail, Finding, Kind, Put, Said, Source as Place, Status,
};
use crate::store::{FactEvent, ForgottenKey, ListFilter, StoreError, Writer, time_text};
use crate::text::{clean, clip, hash, scrub, without_private};

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
    fn place(&self) -> Place {
        Place {
            file: Some(self.file.to_owned()).filter(|file| !file.is_empty()),
            session: self.session.map(str::to_owned),
            ..Place::default()
        }
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

impl FactReport {
    /// Adds what became of the facts of another text.
    pub fn add(&mut self, other: &Self) {
        self.inserted += other.inserted;
        self.updated += other.updated;
        self.verified += other.verified;
        self.kept += other.kept;
        self.proposed += other.proposed;
        self.skipped += other.skipped;
        self.summary |= other.summary;
    }
}

/// Stores facts and a summary, in one transaction; with `dry_run` it is only said what would become of them.
/// The same again changes nothing but when they were last seen to hold. Nothing is stored of a session that
/// a person had forgotten.
///
/// # Errors
/// When the database cannot be read or written; nothing is stored then.
pub fn keep(
    app: &mut App,
    reading: &Reading,
    source: Source<'_>,
    dry_run: bool,
) -> anyhow::Result<(Vec<Change>, FactReport)> {
    let (now, way) = (app.now, app.config.learn_facts);
    let stored = app.store()?.write(now, |writer| {
        let intake = Intake { writer, source: &source, way, now };
        let mut report = FactReport::default();
        if dry_run {
            return Ok((intake.changes(reading.facts.clone())?, report));
        }
        // What has ended is not known any more.
        writer.expire_facts()?;
        let changes = intake.changes(reading.facts.clone())?;
        for change in &changes {
            intake.apply(change, &mut report)?;
        }
        report.summary =
            !intake.is_forgotten()? && keep_summary(writer, &reading.summary, &source, now)?;
        Ok((changes, report))
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
        let facts: Vec<Fact> = facts.into_iter().filter_map(cleaned).collect();
        if self.is_forgotten()? {
            let why = "its session was forgotten";
            return Ok(facts.into_iter().map(|fact| Change::Skip { fact, why }).collect());
        }
        let here = self.source.project.map(|project| self.writer.project_names(project));
        let here = here.transpose()?.unwrap_or_default();
        let mut seen = BTreeSet::new();
        let mut changes = Vec::new();
        for fact in facts {
            let is_global = self.source.project_of(&fact).is_none();
            // Of several that are the same, the first counts.
            if seen.insert((fact.category, fact.key.clone(), is_global)) {
                changes.push(self.change(fact, is_global, &here)?);
            }
        }
        Ok(changes)
    }

    /// What is to be done with a fact. A global one is the same in every project, one of a project only
    /// there, under any of its names.
    fn change(&self, fact: Fact, is_global: bool, here: &[String]) -> Result<Change, StoreError> {
        let is_this = |known: &Finding| match &known.content.project {
            None => is_global,
            Some(name) => {
                !is_global && (here.contains(name) || self.source.project == Some(name.as_str()))
            }
        };
        let known = self.writer.facts_under(fact.category.as_str(), &fact.key)?;
        let change = match known.iter().find(|known| is_this(known)) {
            None => Change::Insert { fact },
            Some(old) if is_same(value_of(old), &fact.value) => Change::Verify { id: old.id, fact },
            Some(old) => {
                let (id, value) = (old.id, value_of(old).to_owned());
                if is_confirmed(old) {
                    Change::Keep { id, confirmed: value, fact }
                } else {
                    Change::Update { id, from: value, fact }
                }
            }
        };
        self.asked(change)
    }

    /// Makes of a change what the configuration and a person's earlier words make of it.
    fn asked(&self, change: Change) -> Result<Change, StoreError> {
        let (Change::Insert { fact } | Change::Update { fact, .. }) = &change else {
            return Ok(change);
        };
        let new = drafted(fact, self.source, self.now);
        let skip = |why| Ok(Change::Skip { fact: fact.clone(), why });
        if self.writer.is_unwanted_fact(&new)? {
            return skip("a person does not want it");
        }
        let known = self.writer.finding_of(&proposal_id(&new))?;
        let status = known.and_then(|known| known.content.proposal_status());
        match (self.is_asked_about(fact), status) {
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
        let new = drafted(fact, self.source, self.now);
        match change {
            Change::Insert { .. } | Change::Update { .. } => match self.writer.put_fact(&new)? {
                Put::Inserted(_) => report.inserted += 1,
                Put::Updated(_) => report.updated += 1,
                Put::Unchanged(_) => report.verified += 1,
                Put::Forgotten => report.skipped += 1,
            },
            Change::Verify { id, .. } => {
                let ends = new.fact().and_then(|fact| fact.expires_at.as_deref());
                self.writer.verify_fact(*id, ends)?;
                report.verified += 1;
            }
            Change::Keep { id, .. } => {
                self.writer.note_fact(*id, "rival", &fact.value, &new.source)?;
                report.kept += 1;
                // The person may have changed their mind: only they can say.
                if self.is_asked_about(fact) && !self.writer.is_unwanted_fact(&new)? {
                    report.proposed += u64::from(self.propose(fact, &new)?);
                }
            }
            Change::Propose { .. } => {
                let is_new = self.propose(fact, &new)?;
                report.proposed += u64::from(is_new);
                report.skipped += u64::from(!is_new);
            }
            Change::Skip { .. } => report.skipped += 1,
        }
        Ok(())
    }

    /// The fact as a proposal: when it is accepted, its time begins.
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
        detail.said = Some(Said {
            kind: Kind::Fact.as_str().to_owned(),
            content: said.clone(),
            role: "model".to_owned(),
            source: self.source.file.to_owned(),
            rule: format!("{} by {}", fact.source_type, plain(self.source.model, MODEL)),
            sentence: said,
            ..Said::default()
        });
        self.writer.propose(&proposal_id(new), &draft)
    }
}

/// The same for the same value of the same fact: case, blanks and punctuation make no difference.
fn proposal_id(draft: &Draft) -> String {
    let Some(fact) = draft.fact() else { return String::new() };
    let project = draft.project.as_deref().unwrap_or_default();
    let value = crate::model::words_of(&fact.value);
    hash(format!("fact\n{}\n{}\n{project}\n{value}", fact.category, fact.key), 6)
}

fn value_of(fact: &Finding) -> &str {
    fact.content.fact().map_or("", |fact| &fact.value)
}

fn is_confirmed(fact: &Finding) -> bool {
    fact.content.evidence == Evidence::Person
}

/// Stores the summary of a text in place of the one that the text had; `true` where that is new or
/// different. One that a person confirmed stays.
fn keep_summary(
    writer: &Writer<'_>,
    summary: &Summary,
    source: &Source<'_>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let summary = cleaned_summary(summary);
    let mut own =
        if source.file.is_empty() { Vec::new() } else { writer.summaries_of(source.file)? };
    // More than one session may end in a minute.
    let mut keys = summary_keys(source.at);
    let key = loop {
        let Some(key) = keys.next() else { return Ok(false) };
        let others = writer.facts_under(Category::Session.as_str(), &key)?;
        if others.iter().all(|other| own.iter().any(|one| one.id == other.id)) {
            break key;
        }
    };
    let Some(fact) = summary.fact(key) else { return Ok(false) };
    if let Some(confirmed) = own.iter().find(|one| is_confirmed(one)) {
        if value_of(confirmed) == fact.value {
            writer.verify_fact(confirmed.id, None)?;
        } else {
            writer.note_fact(confirmed.id, "rival", &fact.value, &source.place())?;
        }
        return Ok(false);
    }
    let same = own
        .iter()
        .position(|one| one.content.fact().is_some_and(|one| one.key == fact.key))
        .map(|at| own.swap_remove(at));
    for old in own {
        writer.remove(old.id)?;
    }
    if let Some(same) = same.filter(|same| value_of(same) == fact.value) {
        writer.verify_fact(same.id, None)?;
        return Ok(false);
    }
    let draft = summary_draft(&fact, &summary, source, now);
    if writer.is_unwanted_fact(&draft)? {
        return Ok(false);
    }
    let put = writer.put_fact(&draft)?;
    Ok(matches!(put, Put::Inserted(_) | Put::Updated(_)))
}

/// One line without secrets, private parts and control characters.
fn plain(text: &str, most: usize) -> String {
    clip(&clean(&scrub(&without_private(text))), most)
}

/// A fact as it may be stored; `None` where nothing is left of it, or it is none that a model may give.
fn cleaned(mut fact: Fact) -> Option<Fact> {
    fact.key = plain(&fact.key, TITLE);
    fact.value = plain(&fact.value, VALUE);
    let is_fact = fact.category != Category::Session;
    (is_fact && !fact.key.is_empty() && !fact.value.is_empty()).then_some(fact)
}

/// A summary as it may be stored.
fn cleaned_summary(summary: &Summary) -> Summary {
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

/// The keys that a summary of this time may have, by the minute in UTC, in the order in which they are
/// taken.
fn summary_keys(at: Timestamp) -> impl Iterator<Item = String> {
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

/// A model's fact as a finding.
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
    draft.notes =
        Some(format!("said by the model {}; nobody confirmed it", plain(source.model, MODEL)));
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

/// A finding with this detail.
fn of_detail(detail: FactDetail, project: Option<&str>) -> Draft {
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
pub(super) fn accept(draft: &mut Draft, words: Option<&str>, now: Timestamp) -> anyhow::Result<()> {
    let Some(fact) = draft.detail.as_mut().and_then(|detail| detail.fact.as_mut()) else {
        return Ok(());
    };
    if let Some(words) = words {
        fact.value = plain(&without_key(words, &fact.key), VALUE);
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

/// Which facts are wanted.
#[derive(Debug, Clone, Default)]
pub struct FactFilter {
    pub category: Option<Category>,
    /// With a key that begins so.
    pub key: Option<String>,
    pub project: Option<String>,
    pub tier: Option<Tier>,
    /// Of this origin only.
    pub source_type: Option<SourceType>,
    /// Of a session whose id begins so.
    pub session: Option<String>,
    /// Confirmed by a person, or not.
    pub confirmed: Option<bool>,
    /// Those that ended, instead of those that did not.
    pub expired: bool,
    /// With all of these words in key or value, in any case.
    pub words: Vec<String>,
    /// How many at most; 0 for all.
    pub limit: usize,
}

/// Lists facts, of the current project where its name is empty: this project's first, then by category and
/// key. What ended is only listed where it is asked for.
///
/// # Errors
/// [`BadQuestion`] where this folder is no project and its facts are asked for, else what the store says.
pub fn list(app: &mut App, mut wanted: FactFilter) -> anyhow::Result<Listing> {
    let (current, now) = (app.project_identity(), time_text(app.now));
    if wanted.project.as_deref().is_some_and(|name| name.trim().is_empty()) {
        wanted.project = Some(current.clone().ok_or_else(|| {
            let text = "this folder is no project: name one with `--project=<identity>`";
            BadQuestion(text.to_owned())
        })?);
    }
    wanted.key = wanted.key.map(|key| key.trim().to_lowercase());
    wanted.words = wanted.words.iter().map(|word| word.to_lowercase()).collect();
    let filter = ListFilter {
        kind: Some(Kind::Fact),
        statuses: vec![Status::Claimed, Status::Confirmed],
        project: wanted.project.clone(),
        ..ListFilter::default()
    };
    let here = Here::of(app)?;
    let (mut findings, _) = app.store()?.list(&filter, current.as_deref())?;
    findings.retain(|finding| wanted.fits(finding, &now));
    findings.sort_by_cached_key(|finding| {
        let fact = finding.content.fact();
        (!here.has(finding), fact.map(|fact| (fact.category.clone(), fact.key.clone())), finding.id)
    });
    let total = findings.len() as u64;
    if wanted.limit > 0 {
        findings.truncate(wanted.limit);
    }
    Ok(Listing { total, findings })
}

impl FactFilter {
    fn fits(&self, finding: &Finding, now: &str) -> bool {
        let Some(fact) = finding.content.fact() else { return false };
        let is = |wanted: Option<&str>, word: &str| wanted.is_none_or(|wanted| wanted == word);
        let begins = |wanted: &Option<String>, word: &str| {
            wanted.as_deref().is_none_or(|start| word.starts_with(start))
        };
        let text = format!("{} {}", fact.key, fact.value).to_lowercase();
        is(self.category.map(Category::as_str), &fact.category)
            && begins(&self.key, &fact.key)
            && is(self.tier.map(Tier::as_str), &fact.tier)
            && is(self.source_type.map(SourceType::as_str), &fact.source_type)
            && begins(&self.session, finding.content.source.session.as_deref().unwrap_or_default())
            && self.confirmed.is_none_or(|wanted| wanted == is_confirmed(finding))
            && fact.has_expired(now) == self.expired
            && self.words.iter().all(|word| text.contains(word.as_str()))
    }
}

/// What befell facts.
#[derive(Debug, Default, Serialize)]
pub struct HistoryReport {
    /// The newest first.
    pub events: Vec<FactEvent>,
}

/// What befell the facts under the key of the one that an id or a key means, or all facts; at most so many
/// events.
///
/// # Errors
/// As [`review::find`].
pub fn history(app: &mut App, word: Option<&str>, limit: usize) -> anyhow::Result<HistoryReport> {
    let limit = if limit == 0 { usize::MAX } else { limit };
    let id = word.map(|word| review::find(app, word).map(|fact| fact.id)).transpose()?;
    Ok(HistoryReport { events: app.store()?.fact_events(id, limit)? })
}

/// A fact in a person's own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Set {
    pub key: String,
    pub value: String,
    /// Its category; where it is not given, the one that the key has, else `project`.
    pub category: Option<String>,
    /// It holds everywhere, not only in this project.
    pub global: bool,
    /// How long it holds, `24h` or `7d`; always, where it is not given.
    pub lasts: Option<String>,
}

/// What became of it.
#[derive(Debug, Serialize)]
pub struct SetReport {
    pub fact: Finding,
    /// The value before, where there was another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
}

/// Stores a fact in a person's own words, confirmed.
///
/// # Errors
/// When category, key, value or time are none; else what the store says.
pub fn set(app: &mut App, wanted: &Set) -> anyhow::Result<SetReport> {
    let draft = worded(app, wanted)?;
    let now = app.now;
    let store = app.store()?;
    let (id, before) = store.write(now, |writer| {
        let before = writer.fact_like_known(&draft)?;
        let id = writer.put_fact(&draft)?.id();
        let value = draft.fact().map(|fact| fact.value.as_str()).unwrap_or_default();
        writer.note_fact(id, "confirmed", value, &Place::default())?;
        Ok((id, before))
    })?;
    let Some(fact) = store.finding(id)? else { bail!("the fact is gone") };
    let before = before.map(|before| value_of(&before).to_owned());
    Ok(SetReport { replaced: before.filter(|value| value != value_of(&fact)), fact })
}

/// The fact in a person's words, in one line of the dialog.
pub(super) fn question(app: &mut App, set: &Set) -> Option<String> {
    let draft = worded(app, set).ok()?;
    let fact = draft.fact()?;
    let place = if draft.project.is_some() { "in this project" } else { "everywhere" };
    Some(format!("{} ({}, {place}): \"{}\"", fact.key, fact.category, clean(&set.value)))
}

/// The fact in a person's words as a draft.
fn worded(app: &mut App, wanted: &Set) -> anyhow::Result<Draft> {
    let key = clean(&wanted.key).to_lowercase();
    let value = clean(&wanted.value);
    let is_key = |c: char| c.is_alphanumeric() || "._-".contains(c);
    ensure!(
        !key.is_empty() && key.chars().all(is_key),
        "`{}` is no key: letters, digits, dots, `_` and `-` make one",
        clip(&key, 60)
    );
    ensure!(!value.is_empty(), "the value of `{key}` is missing");
    let project = app.project_identity().filter(|_| !wanted.global);
    let category = if let Some(word) = &wanted.category {
        let category =
            word.parse().ok().filter(|category: &Category| *category != Category::Session);
        let Some(category) = category else {
            bail!("`{}` is no category of facts", clip(&clean(word), 40))
        };
        category.as_str().to_owned()
    } else {
        let filter = FactFilter { key: Some(key.clone()), ..FactFilter::default() };
        let known = list(app, filter)?.findings.into_iter();
        let mut known = known.filter(|one| one.content.project == project);
        let fact = known.find_map(|one| one.content.fact().filter(|fact| fact.key == key).cloned());
        fact.map_or_else(|| Category::Project.as_str().to_owned(), |fact| fact.category)
    };
    let lasts = match &wanted.lasts {
        None => Lifetime::Always,
        Some(text) => match Lifetime::of(text) {
            Some(lasts) => lasts,
            None => {
                bail!("`{}` is no time: use 24h or 7d, 90 days at most", clip(&clean(text), 40))
            }
        },
    };
    let end = lasts.end(app.now);
    let detail = FactDetail {
        category,
        key,
        value,
        scope: if project.is_some() { "project" } else { "global" }.to_owned(),
        tier: if end.is_some() { "working" } else { "long-term" }.to_owned(),
        source_type: "user_said".to_owned(),
        expires_at: end.map(time_text),
        last_verified: Some(time_text(app.now)),
        ..FactDetail::default()
    };
    let mut draft = of_detail(detail, project.as_deref());
    review::stand_for(&mut draft);
    Ok(draft)
}

/// Working facts that were removed, or with a dry run would be.
#[derive(Debug, Default, Serialize)]
pub struct ExpireReport {
    pub dry_run: bool,
    pub count: usize,
    pub expired: Vec<Finding>,
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
