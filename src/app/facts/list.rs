//! Looking at facts: lists, one whole, and what befell them.

use anyhow::{bail, ensure};
use serde::Serialize;

use crate::app::App;
use crate::app::search::BadQuestion;
use crate::learn::facts::{Category, SourceType, Tier};
use crate::store::{FactEvent, FactFilter, StoredFact, time_text};
use crate::text::{clean, clip, nearest};

/// Events of one fact that are shown.
const MOST_EVENTS: usize = 200;

/// Which facts are to be listed, in the person's words.
#[derive(Debug, Clone, Default)]
pub struct Listed {
    /// Of this category only.
    pub category: Option<String>,
    /// With a key that begins so.
    pub key: Option<String>,
    /// Only of a project: its identity, or empty for the current one.
    pub project: Option<String>,
    /// Of this tier only.
    pub tier: Option<String>,
    /// Of this origin only.
    pub source_type: Option<String>,
    /// Of a session whose id begins so.
    pub session: Option<String>,
    /// Confirmed by a person, or not.
    pub confirmed: Option<bool>,
    /// Those that ended.
    pub expired: bool,
    /// With all of these words.
    pub matching: Option<String>,
    /// At most so many; 0 for all.
    pub limit: usize,
}

/// Facts, those of this project first.
#[derive(Debug, Default, Serialize)]
pub struct FactsReport {
    /// How many there are that fit.
    pub total: u64,
    /// The first of them.
    pub facts: Vec<StoredFact>,
}

/// A fact with what befell it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownFact {
    /// The fact.
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

/// Lists facts. What ended is only listed where it is asked for.
///
/// # Errors
/// [`BadQuestion`] for a word that is none of its kind, else what the store says.
pub fn list(app: &mut App, wanted: &Listed) -> anyhow::Result<FactsReport> {
    let word = |text: &Option<String>, what: &str, known: &[&'static str], of: Parse| match text {
        None => Ok(None),
        Some(text) => of(text).map(|word| Some(word.to_owned())).ok_or_else(|| {
            let text = clip(&clean(text), 40);
            BadQuestion(format!("`{text}` is no {what}: use {}", known.join(", ")))
        }),
    };
    let current = app.project_identity();
    let project = match wanted.project.as_deref().map(str::trim) {
        Some("") => Some(current.clone().ok_or_else(|| {
            let text = "this folder is no project: name one with `--project=<identity>`";
            BadQuestion(text.to_owned())
        })?),
        other => other.map(str::to_owned),
    };
    let names = |words: &mut dyn Iterator<Item = &'static str>| words.collect::<Vec<_>>();
    let filter = FactFilter {
        category: word(
            &wanted.category,
            "category of facts",
            &names(&mut Category::ALL.iter().map(|one| one.as_str())),
            |text| Category::of(text).map(Category::as_str),
        )?,
        tier: word(
            &wanted.tier,
            "tier",
            &names(&mut Tier::ALL.iter().map(|one| one.as_str())),
            |text| Tier::of(text).map(Tier::as_str),
        )?,
        source_type: word(
            &wanted.source_type,
            "origin of facts",
            &names(&mut SourceType::ALL.iter().map(|one| one.as_str())),
            |text| SourceType::of(text).map(SourceType::as_str),
        )?,
        key: wanted.key.as_ref().map(|key| key.trim().to_lowercase()),
        project,
        session: wanted.session.clone(),
        confirmed: wanted.confirmed,
        expired: wanted.expired,
        words: words(wanted.matching.as_deref()),
        limit: wanted.limit,
    };
    let now = time_text(app.now);
    let (facts, total) = app.store()?.facts(&filter, current.as_deref(), &now)?;
    Ok(FactsReport { total, facts })
}

type Parse = fn(&str) -> Option<&'static str>;

fn words(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
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
