//! `mk facts` and `mk expire`: what is known by keys, and a person's word about it. What a model took from a text is
//! stored unverified where the text shows it, else proposed.

pub mod ask;

use anyhow::{bail, ensure};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::app::App;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::learn::facts::{Reading, Summary, hours, is_same};
use crate::list::{self, Listing};
use crate::model::{
    Confidence, Draft, Evidence, FactCategory, FactDetail, FactOrigin, FactScope, FactTier,
    Finding, Kind, Put, Said, Source as Place,
};
use crate::review::{self, Asked};
use crate::store::{ListFilter, StoreError, Writer, time_text};
use crate::text::{clean, clip, hash, vocabulary, without_private};
use crate::ui::UsageError;
use crate::ui::listing as view;
use crate::ui::{Exit, Out, person};

/// List facts, or set one in your own words
///
/// A fact has a category, a dotted key and a value. Your language model finds them in sessions and
/// notes (`mk extract`); until you confirm one (`mk confirm`), it is unverified and no session is told
/// it. Only a person at a terminal can set facts. In a Claude Code session, `mk facts set KEY VALUE` as
/// one plain command makes the client ask you.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk facts
  mk facts --category decision --unverified
  mk facts --key mathlib. --json
  mk show mathlib.revision               one in full, with its history
  mk facts set lean.toolchain v4.24.0")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Stores a fact in your own words; a person's decision
    Set(Set),
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None => Does::Reads,
            Some(Action::Set(set)) => Does::Decides(PersonDecision::Knowledge(Asked::Set(set))),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Some(Action::Set(wanted)) = self.action else { return self.list.run(app, out) };
        if app.environment.inside_client() {
            return person::in_session(out, "changed");
        }
        person::require(app, "setting a fact")?;
        let report = set(app, &wanted)?;
        out.answer(&report, |_| view::set(&report))
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Only this category: person, project, preference, decision, lesson, environment, tool, task, session
    #[arg(long)]
    category: Option<FactCategory>,
    /// Only keys with this prefix
    #[arg(long, value_name = "PREFIX")]
    key: Option<String>,
    /// Only the current project, or the one of =IDENTITY
    #[arg(long, value_name = "IDENTITY", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    project: Option<String>,
    /// Only this tier: long-term or working
    #[arg(long)]
    tier: Option<FactTier>,
    /// Only unconfirmed facts
    #[arg(long, conflicts_with = "confirmed")]
    unverified: bool,
    /// Only facts that a person confirmed
    #[arg(long)]
    confirmed: bool,
    /// At most this many; 0 for all
    #[arg(long, short = 'n', default_value_t = 50)]
    limit: usize,
}

/// A fact in a person's own words.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct Set {
    /// Its dotted key
    pub key: String,
    /// Its value
    pub value: String,
    /// Its category (default: that of the key, or else project)
    #[arg(long)]
    pub category: Option<FactCategory>,
    /// It applies to all projects, not only to this one
    #[arg(long)]
    pub global: bool,
    /// It expires after this time: 24h, 7d
    #[arg(long, value_name = "TIME")]
    pub lasts: Option<String>,
}

impl List {
    fn fits(&self, finding: &Finding, fact: &FactDetail, now: &str) -> bool {
        let is = |wanted: Option<&str>, word: &str| wanted.is_none_or(|wanted| wanted == word);
        let key = self.key.as_deref().map(|key| key.trim().to_lowercase());
        is(self.category.map(FactCategory::as_str), &fact.category)
            && key.is_none_or(|key| fact.key.starts_with(&key))
            && is(self.tier.map(FactTier::as_str), &fact.tier)
            && if is_confirmed(finding) { !self.unverified } else { !self.confirmed }
            && !fact.has_expired(now)
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let now = time_text(app.now);
        let fits = |finding: &Finding, fact: &FactDetail| self.fits(finding, fact, &now);
        let report = list(app, self.project.clone(), self.limit, fits)?;
        report.answer(
            app,
            out,
            "No facts.",
            "Once a language model is configured, it finds them in sessions and notes; `mk facts set KEY \
             VALUE` stores one by hand.",
        )
    }
}

/// Of the current project where its name is empty; `limit` 0 for all. This project's come first.
pub fn list(
    app: &mut App,
    mut project: Option<String>,
    limit: usize,
    fits: impl Fn(&Finding, &FactDetail) -> bool,
) -> anyhow::Result<Listing> {
    if project.as_deref().is_some_and(|name| name.trim().is_empty()) {
        project = Some(app.project_identity().ok_or_else(|| {
            let text = "this folder is not a project: name one with `--project=<identity>`";
            UsageError(text.to_owned())
        })?);
    }
    let filter = ListFilter { project, ..list::live(Kind::Fact) };
    let is_wanted = |one: &Finding| one.content.fact().is_some_and(|fact| fits(one, fact));
    list::select(app, &filter, limit, is_wanted, |one, is_here| {
        let fact = one.content.fact().map(|fact| (fact.category.clone(), fact.key.clone()));
        (!is_here, fact, one.id)
    })
}

#[derive(Debug, Serialize)]
pub struct SetReport {
    pub fact: Finding,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
}

pub fn set(app: &mut App, wanted: &Set) -> anyhow::Result<SetReport> {
    let draft = worded(app, wanted)?;
    let (id, before) = app.write(|writer| {
        let before = writer.fact_like_known(&draft)?;
        let id = writer.put_fact(&draft)?.id();
        writer.note_fact(id, "confirmed", draft.value(), &Place::default())?;
        Ok((id, before))
    })?;
    let Some(fact) = app.store()?.finding(id)? else { bail!("the fact is gone") };
    let before = before.map(|before| before.content.value().to_owned());
    Ok(SetReport { replaced: before.filter(|value| value != fact.content.value()), fact })
}

pub(crate) fn question(app: &mut App, set: &Set) -> Option<String> {
    let draft = worded(app, set).ok()?;
    let fact = draft.fact()?;
    let place = if draft.project.is_some() { "in this project" } else { "everywhere" };
    Some(format!("{} ({}, {place}): \"{}\"", fact.key, fact.category, clean(&set.value)))
}

fn worded(app: &mut App, wanted: &Set) -> anyhow::Result<Draft> {
    let key = clean(&wanted.key).to_lowercase();
    let value = clean(&wanted.value);
    let is_key = |c: char| c.is_alphanumeric() || "._-".contains(c);
    ensure!(
        !key.is_empty() && key.chars().all(is_key),
        "`{}` is not a key: use letters, digits, dots, `_` and `-`",
        clip(&key, 60)
    );
    ensure!(!value.is_empty(), "the value of `{key}` is missing");
    let project = app.project_identity().filter(|_| !wanted.global);
    let category = if let Some(category) = wanted.category {
        ensure!(category != FactCategory::Session, "summaries of sessions are not set by hand");
        category.to_string()
    } else {
        let now = time_text(app.now);
        let is_this = |one: &Finding, fact: &FactDetail| {
            fact.key == key && one.content.project == project && !fact.has_expired(&now)
        };
        let known = list(app, None, 1, is_this)?.findings.pop();
        let fact = known.and_then(|one| one.content.fact().cloned());
        fact.map_or_else(|| FactCategory::Project.to_string(), |fact| fact.category)
    };
    let lasts = wanted.lasts.as_deref().unwrap_or("always");
    let Some(hours) = hours(lasts) else {
        let text = clip(&clean(lasts), 40);
        bail!("`{text}` is not a time span: use 24h or 7d, at most 90 days")
    };
    let mut detail = FactDetail {
        category,
        key,
        value,
        scope: if project.is_some() { FactScope::Project } else { FactScope::Global }.to_string(),
        tier: FactTier::LongTerm.to_string(),
        source_type: FactOrigin::UserSaid.to_string(),
        hours: Some(hours).filter(|hours| *hours > 0),
        ..FactDetail::default()
    };
    begin(&mut detail, app.now);
    let mut draft = of_detail(detail, project.as_deref());
    review::stand_for(&mut draft);
    Ok(draft)
}

/// From now on it is known; the time of a working fact begins.
fn begin(fact: &mut FactDetail, now: Timestamp) {
    if let Some(hours) = fact.hours.take() {
        let end = now.checked_add(SignedDuration::from_hours(i64::from(hours)));
        fact.expires_at = end.ok().map(time_text);
        fact.tier = FactTier::Working.to_string();
    }
    fact.last_verified = Some(time_text(now));
}

#[derive(Debug, Serialize)]
pub struct ExpireReport {
    pub dry_run: bool,
    pub count: usize,
    pub expired: Vec<Finding>,
}

pub fn expire(app: &mut App, dry_run: bool) -> anyhow::Result<ExpireReport> {
    let now = app.now;
    let mut expired = Vec::new();
    if let Some(store) = app.existing_store()? {
        expired = store.expired_facts(&time_text(now))?;
        // Where nothing is over there is no wait for another process that writes.
        if !dry_run && !expired.is_empty() {
            store.write(now, |writer| {
                writer.expire_facts()?;
                Ok(())
            })?;
        }
    }
    Ok(ExpireReport { dry_run, count: expired.len(), expired })
}

/// Remove working facts that have expired
///
/// A working fact describes current work and expires. Then it is no longer shown, and this command
/// removes it; sessions also do so when they start and end.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk expire --dry-run
  mk expire --json")]
pub(crate) struct ExpireArgs {
    /// Change nothing, show what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl ExpireArgs {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = expire(app, self.dry_run)?;
        out.answer(&report, |width| view::expired(&report, width, app.now))
    }
}

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

vocabulary! {
    Became {
        Insert = "insert",
        Update = "update",
        /// The same was known: it was seen to hold once more. A working fact lasts on from now.
        Verify = "verify",
        Keep = "keep",
        Propose = "propose",
        /// A person was asked about it before, or does not want it.
        Skip = "skip",
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    pub change: Became,
    /// The value that was known, where it was another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
    pub fact: FactDetail,
}

/// In one transaction; a dry run takes all of it back. The same again changes nothing but when facts were last seen.
pub fn keep(
    app: &mut App,
    reading: &Reading,
    source: Source<'_>,
    dry_run: bool,
) -> anyhow::Result<(Vec<Change>, FactReport)> {
    let (now, way) = (app.now, app.config.learn_facts.clone());
    let put = |writer: &Writer<'_>| {
        let intake = Intake { writer, source, way: &way, now };
        let mut report = FactReport::default();
        if writer.forgets(source.session)? {
            let (change, why) = (Became::Skip, Some("its session was forgotten"));
            let skip = |fact: &FactDetail| Change { change, from: None, why, fact: fact.clone() };
            let changes: Vec<Change> = reading.facts.iter().map(skip).collect();
            report.count(&changes);
            return Ok((changes, report));
        }
        writer.expire_facts()?;
        let keep = |fact: &FactDetail| intake.keep(fact, &intake.drafted(fact));
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
    source: Source<'a>,
    /// `learn.facts`.
    way: &'a str,
    now: Timestamp,
}

impl Intake<'_> {
    fn keep(&self, fact: &FactDetail, new: &Draft) -> Result<Change, StoreError> {
        const UNWANTED: Option<&str> = Some("a person does not want it");
        let known = self.writer.fact_like_known(new)?;
        let value = known.as_ref().map(|old| old.content.value());
        let from = value.filter(|value| *value != fact.value).map(str::to_owned);
        if let Some(old) = known.as_ref().filter(|old| is_same(old.content.value(), &fact.value)) {
            let ends = new.fact().and_then(|fact| fact.expires_at.as_deref());
            self.writer.verify_fact(old.id, ends)?;
            let (change, fact) = (Became::Verify, fact.clone());
            return Ok(Change { change, from: None, why: None, fact });
        }
        let confirmed = known.as_ref().filter(|old| is_confirmed(old));
        if let Some(old) = confirmed {
            self.writer.note_fact(old.id, "rival", &fact.value, &new.source)?;
        }
        let is_unwanted = self.writer.is_unwanted_fact(new, &proposal_id(new))?;
        let is_asked_about = self.is_asked_about(fact);
        // A person may have changed their mind about what they confirmed: only they can say.
        let (change, why) = if !is_unwanted && is_asked_about && self.propose(fact, new)? {
            (Became::Propose, None)
        } else if confirmed.is_some() {
            (Became::Keep, None)
        } else if is_unwanted {
            (Became::Skip, UNWANTED)
        } else if is_asked_about {
            (Became::Skip, Some("a person was asked about it before"))
        } else {
            match self.writer.put_fact(new)? {
                Put::Inserted(_) => (Became::Insert, None),
                Put::Updated(_) => (Became::Update, None),
                Put::Unchanged(_) => (Became::Verify, None),
                Put::Forgotten => (Became::Skip, UNWANTED),
            }
        };
        Ok(Change { change, from, why, fact: fact.clone() })
    }

    /// Whether a fact is a person's to decide about: always, where the text does not show it.
    fn is_asked_about(&self, fact: &FactDetail) -> bool {
        let by_setting = match self.way {
            "proposals" => true,
            "unverified" => false,
            _ => fact.source_type == FactOrigin::UserSaid.as_str(),
        };
        fact.category != FactCategory::Session.as_str() && (by_setting || fact.quote.is_empty())
    }

    /// The fact as a proposal: when it is accepted, its time begins. `false` where it was one before.
    fn propose(&self, from: &FactDetail, new: &Draft) -> Result<bool, StoreError> {
        let mut draft = new.clone();
        let Some(detail) = &mut draft.detail else { return Ok(false) };
        let Some(fact) = &mut detail.fact else { return Ok(false) };
        (fact.expires_at, fact.hours) = (None, from.hours);
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
        let there = writer.fact_like_known(&self.drafted(&fact))?;
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
        let change = self.keep(&fact, &self.summary_draft(&fact, summary))?.change;
        Ok(matches!(change, Became::Insert | Became::Update))
    }

    fn drafted(&self, fact: &FactDetail) -> Draft {
        let source = &self.source;
        let project = source.project.filter(|_| fact.scope == FactScope::Project.as_str());
        let mut detail = fact.clone();
        begin(&mut detail, self.now);
        if project.is_none() {
            detail.scope = FactScope::Global.to_string();
        }
        let mut draft = of_detail(detail, project);
        draft.source = Place {
            file: Some(source.file.to_owned()).filter(|file| !file.is_empty()),
            session: source.session.map(str::to_owned),
            ..Place::default()
        };
        let is_plausible = fact.confidence.is_some_and(|confidence| confidence >= PLAUSIBLE);
        draft.confidence = if is_plausible { Confidence::Medium } else { Confidence::Low };
        draft.evidence = Evidence::Model;
        let model = clip(&clean(source.model), MODEL);
        draft.notes = Some(format!("said by the model {model}; not confirmed"));
        draft
    }

    /// The summary of a session as a finding: what is searched are its lines, not their JSON.
    fn summary_draft(&self, fact: &FactDetail, summary: &Summary) -> Draft {
        let mut draft = self.drafted(fact);
        let ended = self.source.at.strftime("%Y-%m-%d %H:%M");
        let topics = summary.topics.join(", ");
        let about = if topics.is_empty() { String::new() } else { format!(": {topics}") };
        draft.title = clip(&format!("Session that ended {ended}{about}"), TITLE);
        let lines = summary.lines().map(|(label, line)| format!("{label}: {line}"));
        draft.description = lines.collect::<Vec<_>>().join("\n");
        // No number of the model's stands behind a summary.
        draft.confidence = Confidence::Low;
        draft
    }
}

/// The same for the same value of the same fact: case, blanks and punctuation make no difference.
fn proposal_id(draft: &Draft) -> String {
    let Some(fact) = draft.fact() else { return String::new() };
    let project = draft.project.as_deref().unwrap_or_default();
    let value = crate::model::words_of(&fact.value);
    hash(format!("fact\n{}\n{}\n{project}\n{value}", fact.category, fact.key), 6)
}

fn is_confirmed(fact: &Finding) -> bool {
    fact.content.evidence == Evidence::Person
}

/// The title and the text that a fact has: a value that does not fit into the title is its text too.
fn title(draft: &mut Draft) {
    let Some(fact) = draft.fact() else { return };
    let title = clip(&clean(&format!("{}: {}", fact.key, fact.value)), TITLE);
    let is_whole = title.ends_with(&clean(&fact.value));
    draft.description = if is_whole { String::new() } else { fact.value.clone() };
    draft.title = title;
}

fn of_detail(detail: FactDetail, project: Option<&str>) -> Draft {
    let mut draft = Draft::new(Kind::Fact, "", "");
    draft.project = project.map(str::to_owned);
    draft.tags = vec![detail.category.clone()];
    draft.detail = Some(detail.into());
    title(&mut draft);
    draft
}

/// What a fact becomes when a person accepts it, in their own words perhaps: its time begins now.
pub(crate) fn accept(draft: &mut Draft, words: Option<&str>, now: Timestamp) -> anyhow::Result<()> {
    let Some(fact) = draft.fact_mut() else { return Ok(()) };
    if let Some(words) = words {
        // A person may word the whole sentence, `key: value`.
        let rest = words.trim().strip_prefix(&fact.key).map(str::trim_start);
        let value = rest.and_then(|rest| rest.strip_prefix(':')).unwrap_or(words);
        fact.value = clip(&clean(&without_private(value.trim())), VALUE);
        ensure!(!fact.value.is_empty(), "there is no text to accept");
    }
    begin(fact, now);
    if words.is_some() {
        title(draft);
    }
    Ok(())
}
