//! `mk facts` and `mk expire`: what is known by keys, and a person's word about it.

pub mod all;
pub mod ask;
mod keep;

use anyhow::{bail, ensure};
use serde::Serialize;

use crate::app::App;
use crate::app::review::{self as knowledge, Here, Listing};
use crate::learn::facts::Lifetime;
use crate::model::{
    Draft, Evidence, FactCategory, FactDetail, FactOrigin, FactTier, Finding, Kind,
    Source as Place, Status,
};
use crate::store::{FactEvent, ListFilter, time_text};
use crate::text::{clean, clip};
use crate::ui::UsageError;
use crate::ui::listing as view;
use crate::ui::{Exit, Out, person};
use keep::{of_detail, value_of};

pub(crate) use keep::accept;
pub use keep::{Became, Change, FactReport, Source, keep};

#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Only this category: person, project, preference, decision, lesson, environment, tool, task, session
    #[arg(long)]
    category: Option<FactCategory>,
    /// Only keys that begin so
    #[arg(long, value_name = "PREFIX")]
    key: Option<String>,
    /// Only of the current project, or with =IDENTITY of that one
    #[arg(long, value_name = "IDENTITY", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    project: Option<String>,
    /// Only this tier: long-term or working
    #[arg(long)]
    tier: Option<FactTier>,
    /// Only what comes from there, as the model says: `user_said`, `inferred` or `tool_output`
    #[arg(long, value_name = "SOURCE")]
    source_type: Option<FactOrigin>,
    /// Only what nobody confirmed
    #[arg(long, conflicts_with = "confirmed")]
    unverified: bool,
    /// Only what a person confirmed
    #[arg(long)]
    confirmed: bool,
    /// Working facts that ended and are not removed yet
    #[arg(long)]
    expired: bool,
    /// Only of a session whose id begins so
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only with all of these words in key or value
    #[arg(long, value_name = "WORDS")]
    matching: Option<String>,
    /// At most so many; 0 for all
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
    /// Its category (default: the one that the key has, else project)
    #[arg(long)]
    pub category: Option<String>,
    /// It holds in every project, not only in this one
    #[arg(long)]
    pub global: bool,
    /// It ends after this time: 24h, 7d
    #[arg(long, value_name = "TIME")]
    pub lasts: Option<String>,
}

impl List {
    fn fits(&self, finding: &Finding, fact: &FactDetail, now: &str) -> bool {
        let is = |wanted: Option<&str>, word: &str| wanted.is_none_or(|wanted| wanted == word);
        let begins = |wanted: Option<&str>, word: &str| {
            wanted.is_none_or(|start| word.starts_with(start.trim()))
        };
        let key = self.key.as_deref().map(str::to_lowercase);
        let text = format!("{} {}", fact.key, fact.value).to_lowercase();
        let words = self.matching.as_deref().unwrap_or_default().to_lowercase();
        let is_confirmed = finding.content.evidence == Evidence::Person;
        is(self.category.map(FactCategory::as_str), &fact.category)
            && begins(key.as_deref(), &fact.key)
            && is(self.tier.map(FactTier::as_str), &fact.tier)
            && is(self.source_type.map(FactOrigin::as_str), &fact.source_type)
            && begins(
                self.session.as_deref(),
                finding.content.source.session.as_deref().unwrap_or_default(),
            )
            && if is_confirmed { !self.unverified } else { !self.confirmed }
            && fact.has_expired(now) == self.expired
            && words.split_whitespace().all(|word| text.contains(word))
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let now = time_text(app.now);
        let fits = |finding: &Finding, fact: &FactDetail| self.fits(finding, fact, &now);
        let report = list(app, self.project.clone(), self.limit, fits)?;
        out.answer(&report, |width| view::list(&report, NONE, width, app.now))?;
        Ok(Exit::Done)
    }
}

const NONE: view::Empty = view::Empty(
    "No facts.",
    "A language model finds them in sessions and notes, once one is configured; `mk facts set KEY VALUE` stores \
     one of yours.",
);

/// Of the current project where its name is empty; `limit` 0 for all. This project's come first.
pub fn list(
    app: &mut App,
    mut project: Option<String>,
    limit: usize,
    fits: impl Fn(&Finding, &FactDetail) -> bool,
) -> anyhow::Result<Listing> {
    let current = app.project_identity();
    if project.as_deref().is_some_and(|name| name.trim().is_empty()) {
        project = Some(current.clone().ok_or_else(|| {
            let text = "this folder is no project: name one with `--project=<identity>`";
            UsageError(text.to_owned())
        })?);
    }
    let statuses = vec![Status::Claimed, Status::Confirmed];
    let filter = ListFilter { kind: Some(Kind::Fact), statuses, project, ..ListFilter::default() };
    let here = Here::of(app)?;
    let (mut findings, _) = app.store()?.list(&filter, current.as_deref())?;
    findings.retain(|finding| finding.content.fact().is_some_and(|fact| fits(finding, fact)));
    findings.sort_by_cached_key(|finding| {
        let fact = finding.content.fact();
        (!here.has(finding), fact.map(|fact| (fact.category.clone(), fact.key.clone())), finding.id)
    });
    let total = findings.len() as u64;
    if limit > 0 {
        findings.truncate(limit);
    }
    Ok(Listing { total, findings })
}

#[derive(Debug, Default, Serialize)]
pub struct HistoryReport {
    /// The newest first.
    pub events: Vec<FactEvent>,
}

/// By an id or a key, or of all facts.
pub fn history(app: &mut App, word: Option<&str>, limit: usize) -> anyhow::Result<HistoryReport> {
    let limit = if limit == 0 { usize::MAX } else { limit };
    let id = word.map(|word| knowledge::find(app, word).map(|fact| fact.id)).transpose()?;
    Ok(HistoryReport { events: app.store()?.fact_events(id, limit)? })
}

impl Set {
    pub(crate) fn run(&self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if app.environment.inside_client() {
            return person::in_session(out, "changed");
        }
        person::require(app, "setting a fact")?;
        let report = set(app, self)?;
        out.answer(&report, |_| view::set(&report))?;
        Ok(Exit::Done)
    }
}

#[derive(Debug, Serialize)]
pub struct SetReport {
    pub fact: Finding,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
}

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
        "`{}` is no key: letters, digits, dots, `_` and `-` make one",
        clip(&key, 60)
    );
    ensure!(!value.is_empty(), "the value of `{key}` is missing");
    let project = app.project_identity().filter(|_| !wanted.global);
    let category = if let Some(word) = &wanted.category {
        let category =
            word.parse().ok().filter(|category: &FactCategory| *category != FactCategory::Session);
        let Some(category) = category else {
            bail!("`{}` is no category of facts", clip(&clean(word), 40))
        };
        category.as_str().to_owned()
    } else {
        let now = time_text(app.now);
        let is_this = |one: &Finding, fact: &FactDetail| {
            fact.key == key && one.content.project == project && !fact.has_expired(&now)
        };
        let known = list(app, None, 1, is_this)?.findings.pop();
        let fact = known.and_then(|one| one.content.fact().cloned());
        fact.map_or_else(|| FactCategory::Project.as_str().to_owned(), |fact| fact.category)
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
    knowledge::stand_for(&mut draft);
    Ok(draft)
}

#[derive(Debug, Default, Serialize)]
pub struct ExpireReport {
    pub dry_run: bool,
    pub count: usize,
    pub expired: Vec<Finding>,
}

pub fn expire(app: &mut App, dry_run: bool) -> anyhow::Result<ExpireReport> {
    let now = app.now;
    let Some(store) = app.existing_store()? else {
        return Ok(ExpireReport { dry_run, ..ExpireReport::default() });
    };
    let expired = store.expired_facts(&time_text(now))?;
    // Where nothing is over nobody has to wait for others who write.
    if !dry_run && !expired.is_empty() {
        store.write(now, |writer| {
            writer.expire_facts()?;
            Ok(())
        })?;
    }
    Ok(ExpireReport { dry_run, count: expired.len(), expired })
}

/// Remove working facts whose time is over
///
/// A working fact says what is being done at the moment and has an end. After that it is not shown any
/// more; this removes it. It happens by itself when sessions begin and end.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk expire --dry-run
  mk expire --json")]
pub(crate) struct ExpireArgs {
    /// Change nothing, say what would go
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl ExpireArgs {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = expire(app, self.dry_run)?;
        out.answer(&report, |width| view::expired(&report, width, app.now))?;
        Ok(Exit::Done)
    }
}
