//! What a person says of facts: that one holds, that one is not wanted, that one has another value. Whoever
//! calls this has made sure that a person does.

use anyhow::{bail, ensure};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{draft, find, print_of};
use crate::app::App;
use crate::app::learn::proposals::By;
use crate::learn::facts::{Category, Lifetime};
use crate::model::FactDetail;
use crate::store::{ProposalVerdict, StoreError, StoredFact, time_text};
use crate::text::{clean, clip, hex, width};

/// More facts than this nobody reads in a dialog.
const MOST: usize = 5;
/// Columns of a value in the dialog. A longer one is decided about at a terminal.
const SHOWN: usize = 600;

/// What a person said of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactDecision {
    /// Its row; of a dropped one, the row that it had.
    pub id: i64,
    pub category: String,
    pub key: String,
    pub value: String,
    /// `confirmed` or `dropped`.
    pub decision: &'static str,
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
    pub fact: StoredFact,
    /// The value before, where there was another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
}

/// The one fact that an id or a key means.
fn one(app: &mut App, word: &str) -> anyhow::Result<StoredFact> {
    let mut found = find(app, word)?;
    if found.len() > 1 {
        let ids: Vec<String> = found.iter().map(|fact| format!("#{}", fact.id)).collect();
        let (word, ids) = (clip(&clean(word), 60), ids.join(", "));
        bail!("`{word}` is known in several categories or projects ({ids}): give the number");
    }
    found.pop().ok_or_else(|| anyhow::anyhow!("there is no such fact"))
}

/// A person says that a fact holds.
///
/// # Errors
/// When there is none by this id or key, or several, or it changed meanwhile; else what the store says.
pub fn confirm(app: &mut App, word: &str, by: By) -> anyhow::Result<FactDecision> {
    let fact = one(app, word)?;
    ensure!(!fact.confirmed, "fact #{} is confirmed already", fact.id);
    let now = app.now;
    let proposal = StoredFact::proposal_id(&print_of(&fact));
    let store = app.store()?;
    let finding = store.finding(fact.id)?;
    let Some(mut whole) = finding.map(|finding| finding.content) else {
        bail!("there is no fact #{}", fact.id);
    };
    draft::stand_for(&mut whole);
    whole.notes = whole.notes.map(|notes| notes.replace("; nobody confirmed it", ""));
    store.write(now, |writer| {
        let is_same = writer
            .facts_under(&fact.category, &fact.key)?
            .iter()
            .any(|known| known.id == fact.id && known.value == fact.value && !known.confirmed);
        if !is_same {
            return Err(StoreError::Invalid(format!("fact #{} was changed meanwhile", fact.id)));
        }
        // A proposal of the same is answered by this.
        if writer.proposal_status(&proposal)?.as_deref() == Some("pending") {
            let finding = Some(writer.accept_fact(&proposal, &whole)?);
            let verdict =
                ProposalVerdict { status: "accepted", by: by.word(), reason: None, finding };
            writer.decide(&proposal, verdict)?;
            return Ok(());
        }
        writer.confirm_fact(fact.id, &whole)?;
        Ok(())
    })?;
    Ok(decision(fact, "confirmed"))
}

/// A person does not want a fact: it is removed, and not stored again with this value.
///
/// # Errors
/// As [`confirm`].
pub fn drop(app: &mut App, word: &str, by: By) -> anyhow::Result<FactDecision> {
    let fact = one(app, word)?;
    let now = app.now;
    let proposal = StoredFact::proposal_id(&print_of(&fact));
    app.store()?.write(now, |writer| {
        writer.drop_fact(fact.id)?;
        let verdict =
            ProposalVerdict { status: "rejected", by: by.word(), reason: None, finding: None };
        writer.decide(&proposal, verdict)
    })?;
    Ok(decision(fact, "dropped"))
}

fn decision(fact: StoredFact, decision: &'static str) -> FactDecision {
    let StoredFact { id, category, key, value, .. } = fact;
    FactDecision { id, category, key, value, decision }
}

/// Stores a fact in a person's own words, confirmed.
///
/// # Errors
/// When category, key, value or time are none; else what the store says.
pub fn set(app: &mut App, wanted: &Set) -> anyhow::Result<SetReport> {
    let (draft, key) = worded(app, wanted)?;
    let now = app.now;
    let store = app.store()?;
    let (id, replaced) = store.write(now, |writer| {
        let known = writer.facts_under(&key.0, &key.1)?;
        let names = draft.project.as_deref().map(|project| writer.project_names(project));
        let names = names.transpose()?.unwrap_or_default();
        let is_same = |project: &Option<String>| match project {
            Some(project) => names.contains(project),
            None => draft.project.is_none(),
        };
        let before = known.into_iter().find(|fact| is_same(&fact.project));
        let id = writer.put_fact(&draft)?.id();
        if let Some(crate::model::Detail::Fact(fact)) = &draft.detail {
            writer.note_fact(id, "confirmed", &fact.value, crate::store::FactOrigin::default())?;
        }
        Ok((id, before.map(|fact| fact.value)))
    })?;
    let Some(fact) = store.fact(id, &time_text(now))? else { bail!("the fact is gone") };
    Ok(SetReport { replaced: replaced.filter(|value| *value != fact.value), fact })
}

/// The fact in a person's words as a draft, with its category and key.
fn worded(app: &mut App, wanted: &Set) -> anyhow::Result<(crate::model::Draft, (String, String))> {
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
        let category = Category::of(word).filter(|category| *category != Category::Session);
        let Some(category) = category else {
            bail!("`{}` is no category of facts", clip(&clean(word), 40))
        };
        category.as_str().to_owned()
    } else {
        let known = find(app, &key).unwrap_or_default();
        let known = known.into_iter().find(|fact| fact.project == project);
        known.map_or_else(|| Category::Project.as_str().to_owned(), |fact| fact.category)
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
        category: category.clone(),
        key: key.clone(),
        value,
        scope: if project.is_some() { "project" } else { "global" }.to_owned(),
        tier: if end.is_some() { "working" } else { "long-term" }.to_owned(),
        source_type: "user_said".to_owned(),
        confidence: None,
        expires_at: end.map(time_text),
        last_verified: Some(time_text(app.now)),
    };
    let mut draft = draft::of_detail(detail, project.as_deref());
    draft::stand_for(&mut draft);
    Ok((draft, (category, key)))
}

/// What the words of a command ask a person to say of facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Confirm(Vec<String>),
    /// That they are not wanted.
    Drop(Vec<String>),
    Set(Set),
}

impl Asked {
    /// The facts that are meant, where all are there and can be shown whole.
    fn facts(&self, app: &mut App) -> Option<Vec<StoredFact>> {
        let words = match self {
            Self::Confirm(words) | Self::Drop(words) if (1..=MOST).contains(&words.len()) => {
                words.as_slice()
            }
            Self::Set(set) if width(&set.value) <= SHOWN => &[],
            _ => return None,
        };
        let mut facts: Vec<StoredFact> = Vec::new();
        for word in words {
            let fact = one(app, word).ok()?;
            let is_twice = facts.iter().any(|other| other.id == fact.id);
            let is_settled = fact.confirmed && matches!(self, Self::Confirm(_));
            if is_twice || is_settled || width(&fact.value) > SHOWN {
                return None;
            }
            facts.push(fact);
        }
        Some(facts)
    }

    /// A print of what is decided about: facts change, and what the person saw is what counts.
    fn print(&self, facts: &[StoredFact]) -> String {
        let mut hash = Sha256::new();
        hash.update(format!("{self:?}"));
        for fact in facts {
            hash.update(format!("\n{}\n{}\n{}\n{}", fact.id, fact.category, fact.key, fact.value));
        }
        hex(hash.finalize().get(..8).unwrap_or_default())
    }
}

/// What the dialog shows for `mk facts confirm|drop|set ...`, and a print of that. `None` where nothing
/// may be asked.
pub fn question(app: &mut App, asked: &Asked) -> Option<(String, String)> {
    let facts = asked.facts(app)?;
    let mut lines = Vec::new();
    match asked {
        Asked::Confirm(_) => {
            lines.push("math-forge: whether a fact holds is the person's word.".to_owned());
        }
        Asked::Drop(_) => {
            lines.push("math-forge: dropping facts for good is the person's decision.".to_owned());
        }
        Asked::Set(set) => {
            let (draft, (category, key)) = worded(app, set).ok()?;
            let place = if draft.project.is_some() { "in this project" } else { "everywhere" };
            lines.push("math-forge: a fact of the person's own is the person's word.".to_owned());
            lines.push(format!("{key} ({category}, {place}): \"{}\"", clean(&set.value)));
        }
    }
    for fact in &facts {
        let place = fact.project.as_deref().map_or_else(|| "everywhere".to_owned(), clean);
        let (key, category) = (clean(&fact.key), clean(&fact.category));
        lines.push(format!("#{} {key} ({category}, {place}): \"{}\"", fact.id, clean(&fact.value)));
    }
    lines.push("Without the person's yes nothing changes.".to_owned());
    Some((lines.join("\n"), asked.print(&facts)))
}

/// Does what the person agreed to in the dialog, given the print of what was shown; what to say of it.
///
/// # Errors
/// When a fact is not as it was shown; then nothing is changed.
pub fn decide_from_dialog(app: &mut App, asked: &Asked, print: &str) -> anyhow::Result<String> {
    let Some(facts) = asked.facts(app) else {
        bail!("not all of these are facts to decide about: `mk facts` lists them");
    };
    ensure!(asked.print(&facts) == print, "a fact is not as it was shown any more: ask again");
    let mut done = Vec::new();
    for fact in &facts {
        let id = fact.id.to_string();
        let decided = match asked {
            Asked::Confirm(_) => confirm(app, &id, By::Dialog)?,
            _ => drop(app, &id, By::Dialog)?,
        };
        done.push(format!("#{} {} is {}", decided.id, clean(&decided.key), decided.decision));
    }
    if let Asked::Set(wanted) = asked {
        let fact = set(app, wanted)?.fact;
        done.push(format!("#{} {} is confirmed", fact.id, clean(&fact.key)));
    }
    Ok(format!("math-forge: the person agreed; {}.", done.join(", ")))
}
