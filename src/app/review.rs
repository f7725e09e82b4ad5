//! What waits for a person's word, and what a person says of any finding: that it holds, that it is not wanted,
//! that a decision is taken back. Whoever decides has made sure that a person does.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use anyhow::{bail, ensure};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::{App, journal};
use crate::facts::{self, Set};
use crate::learn::signals::{MIN_LENGTH, Proposal, ROADS};
use crate::model::{
    Confidence, Detail, Draft, Evidence, Finding, Kind, Said, Source, Status, headline, problem_key,
};
use crate::problem;
use crate::store::{ListFilter, StoreError, Writer, time_text};
use crate::text::{
    clean, clean_block, clip, first_sentence, hash, nearest, one_line, scrub, vocabulary, width,
};

/// New proposals of one reading of a transcript at most: more is noise, and nobody reads it.
pub const MOST: usize = 20;

const EVIDENCE: usize = 600;

const TITLE: usize = 80;

const LONGEST: i64 = 36_500;

/// More than this nobody reads in a dialog, and no longer text: it is decided about at a terminal.
const MOST_ASKED: usize = 5;
const SHOWN: usize = 600;

/// What a proposal can become: a fact has a key and a category, which words do not have.
pub fn kinds() -> impl Iterator<Item = Kind> {
    Kind::ALL.iter().copied().filter(|kind| kind.is_worded() && *kind != Kind::Fact)
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Added {
    pub added: usize,
    /// They were proposed before, whatever became of them, or are known.
    pub skipped: usize,
    /// They would have been new, but were more than the most that are taken.
    pub left_out: usize,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Origin<'a> {
    pub source: Option<&'a str>,
    pub project: Option<&'a str>,
    /// New ones at most; see [`MOST`].
    pub most: usize,
    /// What the person did is confirmed by that: `learn.trust_acts`.
    pub trusts_acts: bool,
}

pub fn add(app: &mut App, proposals: &[Proposal], origin: Origin<'_>) -> anyhow::Result<Added> {
    if proposals.is_empty() {
        return Ok(Added::default());
    }
    let now = app.now;
    let added = app.store()?.write(now, |writer| put(writer, proposals, origin))?;
    note(app, added);
    expire(app)?;
    Ok(added)
}

/// The person's words first. Whoever has a transaction of his own calls [`note`] after it.
pub fn put(
    writer: &Writer<'_>,
    proposals: &[Proposal],
    origin: Origin<'_>,
) -> Result<Added, StoreError> {
    let mut sorted: Vec<&Proposal> = proposals.iter().collect();
    sorted.sort_by_key(|proposal| proposal.role != "person");
    let mut added = Added::default();
    for proposal in sorted {
        let draft = draft(proposal, origin);
        let is_short = draft.description.chars().count() < MIN_LENGTH;
        if is_short || !writer.is_new_proposal(&proposal.id, &draft)? {
            added.skipped += 1;
            continue;
        }
        if added.added == origin.most {
            added.left_out += 1;
            continue;
        }
        writer.propose(&proposal.id, &draft)?;
        added.added += 1;
        if origin.trusts_acts && is_act(proposal) {
            confirm_act(writer, &proposal.id)?;
        }
    }
    Ok(added)
}

/// Said in a dialog of the client's, which no text can forge. Another program may have taken an edit back.
fn is_act(proposal: &Proposal) -> bool {
    proposal.role == "person" && matches!(proposal.rule.as_str(), "refused" | "answered")
}

fn confirm_act(writer: &Writer<'_>, id: &str) -> Result<(), StoreError> {
    if let Some(finding) = writer.proposed(id)? {
        let mut draft = finding.content.clone();
        stand_for(&mut draft);
        writer.confirm(&finding, &draft, By::Act.as_str())?;
    }
    Ok(())
}

pub(crate) fn draft(proposal: &Proposal, origin: Origin<'_>) -> Draft {
    let plain = |text: &str| clip(&clean(&scrub(text)), EVIDENCE);
    let neighbour =
        |text: &Option<String>| text.as_deref().map(plain).filter(|text| !text.is_empty());
    let time = |text: &str| text.parse::<Timestamp>().map(time_text).ok();
    let content = clean(&scrub(&proposal.content));
    let said = Said {
        kind: proposal.spec_type.as_str().to_owned(),
        content: content.clone(),
        matched_phrase: clean(&proposal.matched_phrase),
        role: proposal.role.clone(),
        source: origin.source.unwrap_or(&proposal.source).to_owned(),
        extracted_at: time(&proposal.extracted_at).unwrap_or_default(),
        rule: proposal.rule.clone(),
        sentence: plain(&proposal.sentence),
        before: neighbour(&proposal.before),
        after: neighbour(&proposal.after),
        journaled: None,
    };
    let mut draft = Draft::new(proposal.kind, title_of(&content), content);
    draft.project = origin.project.map(str::to_owned);
    draft.source = Source {
        session: Some(proposal.source.clone()).filter(|source| source != "unknown-session"),
        line: i64::try_from(proposal.line).ok(),
        ..Source::default()
    };
    draft.problem.clone_from(&proposal.problem);
    draft.why_failed = Some(draft.description.as_str())
        .filter(|_| draft.kind == Kind::Failure)
        .and_then(reason)
        .map(str::to_owned);
    (draft.confidence, draft.evidence) = (Confidence::Low, Evidence::Session);
    let said_at = proposal.said_at.as_deref().and_then(time);
    draft.created_at = said_at.or_else(|| Some(said.extracted_at.clone()));
    draft.created_at.take_if(|at| at.is_empty());
    draft.detail = Some(Detail { said: Some(said), ..Detail::default() });
    draft
}

fn reason(text: &str) -> Option<&str> {
    const WORDS: [&str; 7] =
        [" because ", " since ", " as it ", " weil ", " denn ", " parce que ", " car "];
    let places = WORDS.iter().filter_map(|word| Some((text.find(word)?, word.len())));
    places.min().map(|(at, length)| text[at + length..].trim()).filter(|why| !why.is_empty())
}

pub fn title_of(content: &str) -> String {
    clip(&clean(first_sentence(content)), TITLE)
}

pub fn note(app: &App, added: Added) {
    if added.left_out > 0 {
        let Added { added, left_out, .. } = added;
        let text = format!("{left_out} new proposals beyond {added} of one reading were left out");
        app.log.line(app.now, "proposals", &text);
    }
}

fn cutoff(app: &App) -> String {
    let days = i64::try_from(app.config.learn_expire_days).unwrap_or(i64::MAX);
    let age = SignedDuration::from_hours(days.clamp(0, LONGEST).saturating_mul(24));
    time_text(app.now.checked_sub(age).unwrap_or(Timestamp::MIN))
}

/// Lets overdue proposals expire: as expired, not as accepted. How many did.
pub fn expire(app: &mut App) -> anyhow::Result<u64> {
    let (now, before) = (app.now, cutoff(app));
    let Some(store) = app.existing_store()? else { return Ok(0) };
    if !store.has_overdue_proposals(&before)? {
        return Ok(0);
    }
    Ok(store.write(now, |writer| writer.expire_proposals(&before))?)
}

#[derive(Debug, Default, Serialize)]
pub struct Listing {
    pub total: u64,
    pub findings: Vec<Finding>,
}

/// What is known of a kind.
pub fn live(kind: Kind) -> ListFilter {
    let statuses = vec![Status::Claimed, Status::Confirmed];
    ListFilter { kind: Some(kind), statuses, ..ListFilter::default() }
}

/// This project's first, then the newest; without facts that ended.
pub fn list(
    app: &mut App,
    kind: Option<Kind>,
    mut statuses: Vec<Status>,
    limit: usize,
) -> anyhow::Result<Listing> {
    let (project, now) = (app.project_identity(), time_text(app.now));
    if statuses.is_empty() {
        statuses = vec![Status::Claimed, Status::Confirmed];
    }
    let filter = ListFilter { kind, statuses, limit, ..ListFilter::default() };
    let (mut findings, total) = app.store()?.list(&filter, project.as_deref())?;
    findings.retain(|finding| !finding.has_expired(&now));
    Ok(Listing { total, findings })
}

/// Findings that fit, in the order of what `order` makes of them and of whether they are of this project, the newest
/// of equals first; `limit` 0 for all.
pub fn select<K: Ord>(
    app: &mut App,
    filter: &ListFilter,
    limit: usize,
    fits: impl Fn(&Finding) -> bool,
    order: impl Fn(&Finding, bool) -> K,
) -> anyhow::Result<Listing> {
    let here = Here::of(app)?;
    let (mut findings, _) = app.store()?.list(filter, None)?;
    findings.retain(fits);
    findings.sort_by_cached_key(|one| order(one, here.has(one)));
    let total = findings.len() as u64;
    if limit > 0 {
        findings.truncate(limit);
    }
    Ok(Listing { total, findings })
}

pub(crate) struct Here(Option<Vec<String>>);

impl Here {
    pub(crate) fn of(app: &mut App) -> anyhow::Result<Self> {
        let project = app.project_identity();
        let store = app.store()?;
        Ok(Self(project.map(|project| store.project_names(&project)).transpose()?))
    }

    pub(crate) fn has(&self, finding: &Finding) -> bool {
        match (&self.0, &finding.content.project) {
            (Some(names), Some(project)) => names.contains(project),
            (here, project) => here.is_none() && project.is_none(),
        }
    }
}

#[derive(Debug, Default, Serialize)]
pub struct Waiting {
    #[serde(flatten)]
    pub listing: Listing,
    pub pending: u64,
    pub pending_here: u64,
}

/// By status (`pending`, `accepted`, `rejected`, `expired`): this project's first, then the oldest.
pub fn proposals(app: &mut App, status: Option<&str>) -> anyhow::Result<Waiting> {
    if let Err(error) = expire(app) {
        app.log.line(app.now, "proposals", &format!("could not let any expire: {error:#}"));
    }
    let (project, here) = (app.project_identity(), Here::of(app)?);
    let store = app.store()?;
    let filter = ListFilter { proposed: true, ..ListFilter::default() };
    let (mut findings, _) = store.list(&filter, None)?;
    findings.retain(|one| status.is_none() || one.content.proposal_status() == status);
    let found_at = |one: &Finding| one.content.said().map(|said| said.extracted_at.clone());
    findings.sort_by_key(|one| (!here.has(one), found_at(one), one.id));
    Ok(Waiting {
        listing: Listing { total: findings.len() as u64, findings },
        pending: store.proposals_waiting(None)?,
        pending_here: store.proposals_waiting(project.as_deref())?,
    })
}

pub type Alike = Vec<Finding>;

/// Those of this project and the newest problem (or session) first, the surest first, what says the same once.
/// Also how many there are in all.
pub fn best(app: &mut App, most: usize) -> anyhow::Result<(Vec<Alike>, usize)> {
    let waiting = proposals(app, Some("pending"))?.listing.findings;
    let here = Here::of(app)?;
    // A session is about one problem, as far as is known; what it says of none belongs there too.
    let session = |one: &Finding| one.content.source.session.clone();
    let problems: HashMap<Option<String>, String> = waiting
        .iter()
        .filter_map(|one| Some((session(one), one.content.problem.clone()?)))
        .collect();
    let subject = |one: &Finding| {
        let problem = one.content.problem.as_ref().or_else(|| problems.get(&session(one)));
        problem.map(|problem| problem_key(problem)).or_else(|| session(one))
    };
    let mut newest: HashMap<Option<String>, String> = HashMap::new();
    for one in &waiting {
        let last = newest.entry(subject(one)).or_default();
        *last = std::mem::take(last).max(one.content.created_at.clone().unwrap_or_default());
    }
    let trust = |one: &Finding| {
        let rule = one.content.said().map(|said| said.rule.clone()).unwrap_or_default();
        ROADS.iter().position(|known| *known == rule).unwrap_or(ROADS.len())
    };
    let last = |one: &Finding| newest.get(&subject(one)).cloned();
    let mut sorted = waiting;
    sorted.sort_by_cached_key(|one| {
        let place = (trust(one), one.content.source.line, one.id);
        (!here.has(one), Reverse(last(one)), subject(one), place)
    });
    let mut groups: Vec<Alike> = Vec::new();
    for one in sorted {
        match groups.iter_mut().find(|group| is_alike(&group[0], &one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let all = groups.len();
    groups.truncate(most);
    Ok((groups, all))
}

fn is_alike(one: &Finding, other: &Finding) -> bool {
    let words = |finding: &Finding| -> HashSet<String> {
        let text = finding.content.description.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| word.len() > 2).map(str::to_owned).collect()
    };
    let (one_has, other_has) = (words(one), words(other));
    let common = one_has.intersection(&other_has).count();
    one.content.project == other.content.project
        && one.content.fact().is_none()
        && common > 0
        && 4 * common >= 3 * (one_has.len() + other_has.len() - common)
}

/// The one finding that a number (`12`, `#12`), the beginning of an id or a fact's key means.
pub fn find(app: &mut App, word: &str) -> anyhow::Result<Finding> {
    let text = word.trim();
    let wanted = text.trim_start_matches('#').to_lowercase();
    let shown = clip(&one_line(&clean(text)), 40);
    ensure!(!wanted.is_empty(), "an id is missing: `mk list` and `mk review list` have them");
    let now = time_text(app.now);
    let current = app.project_identity();
    let store = app.store()?;
    if let Ok(row) = wanted.parse::<i64>()
        && let Some(finding) = store.finding(row)?
    {
        ensure!(!finding.has_expired(&now), "#{row} is a fact that ended");
        return Ok(finding);
    }
    let mut found = store.findings_by_uid(&wanted)?;
    // So few digits are meant for one of a few.
    found.retain(|one| {
        (wanted.len() >= 4 || one.content.said().is_some()) && !one.has_expired(&now)
    });
    if let Some(exact) = found.iter().position(|one| one.uid == wanted) {
        return Ok(found.swap_remove(exact));
    }
    if found.is_empty() {
        let facts = ListFilter {
            kind: Some(Kind::Fact),
            statuses: vec![Status::Claimed, Status::Confirmed],
            ..ListFilter::default()
        };
        let (mut facts, _) = store.list(&facts, current.as_deref())?;
        facts.retain(|fact| !fact.has_expired(&now));
        let key = |one: &Finding| one.content.fact().map(|fact| fact.key.clone());
        found = facts.iter().filter(|one| key(one) == Some(wanted.clone())).cloned().collect();
        if found.is_empty() {
            let said = ListFilter { proposed: true, ..ListFilter::default() };
            let ids = store.list(&said, None)?.0.into_iter().map(|one| one.uid);
            let known: Vec<String> = facts.iter().filter_map(key).chain(ids).collect();
            let begun = known.iter().find(|one| one.starts_with(&wanted)).map(String::as_str);
            match begun.or_else(|| nearest(&wanted, known.iter().map(String::as_str))) {
                Some(near) => {
                    bail!("nothing is known by `{shown}` (do you mean `{}`?)", clean(near))
                }
                None => bail!("nothing is known by `{shown}`: `mk list` shows what there is"),
            }
        }
    }
    if let [_] = found.as_slice() {
        return Ok(found.swap_remove(0));
    }
    let ids: Vec<String> = found.iter().take(3).map(Finding::label).collect();
    bail!("`{shown}` may be one of {}: give more of it, or the number", ids.join(", "))
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accept {
    pub kind: Option<Kind>,
    pub title: Option<String>,
    pub content: Option<String>,
    pub tags: Vec<String>,
}

vocabulary! {
    /// Where a person said so, as the database has it.
    By {
        Terminal = "terminal",
        Dialog = "dialog",
        /// By what they did in a session: `learn.trust_acts`.
        Act = "act",
    }
}

pub fn kind_of(word: &str) -> Result<Kind, String> {
    let parsed = word.parse::<Kind>().ok();
    let begun = word.trim().to_ascii_lowercase();
    let mut beginning = kinds().filter(|kind| kind.as_str().starts_with(&begun));
    let short = beginning.next().filter(|_| !begun.is_empty() && beginning.next().is_none());
    let known = parsed.filter(|kind| kind.is_worded()).or(short);
    known.ok_or_else(|| {
        let names: Vec<&str> = kinds().map(Kind::as_str).collect();
        let names = names.join(", ");
        let word = clip(&clean(word), 40);
        if parsed.is_some() {
            format!("a proposal cannot become a {word}, as words prove nothing: use {names}")
        } else {
            format!("unknown kind `{word}`: use one of {names}")
        }
    })
}

pub fn confirm(app: &mut App, id: &str, accept: &Accept, by: By) -> anyhow::Result<Finding> {
    let finding = find(app, id)?;
    undecided(&finding, Status::Confirmed)?;
    let draft = accepted(&finding, accept, app.now)?;
    decide(app, &finding, |writer| writer.confirm(&finding, &draft, by.as_str()))
}

/// A person does not want a finding, for a reason perhaps. It is not stored or proposed again.
pub fn drop(app: &mut App, id: &str, reason: Option<&str>, by: By) -> anyhow::Result<Finding> {
    let finding = find(app, id)?;
    undecided(&finding, Status::Dropped)?;
    let reason = reason.map(|reason| clean(&scrub(reason))).filter(|reason| !reason.is_empty());
    decide(app, &finding, |writer| writer.drop_finding(&finding, by.as_str(), reason.as_deref()))
}

/// Takes a decision back: the finding is what it was before, and so is what it had replaced.
pub fn undo(app: &mut App, id: &str) -> anyhow::Result<Finding> {
    let finding = find(app, id)?;
    let name = finding.label();
    ensure!(finding.content.decision().is_some(), "nothing was decided about {name} yet");
    if let Some(other) = finding.superseded_by {
        bail!("{name} became #{other}: `mk drop {other}`, where that is not wanted any more");
    }
    let overdue = cutoff(app);
    decide(app, &finding, |writer| {
        if writer.undo_decision(&finding, &overdue)? {
            return Ok(());
        }
        let text = format!(
            "{name} was changed since that was decided: `mk drop {name}`, where it is not wanted"
        );
        Err(StoreError::Invalid(text))
    })
}

fn decide(
    app: &mut App,
    finding: &Finding,
    decision: impl FnOnce(&Writer<'_>) -> Result<(), StoreError>,
) -> anyhow::Result<Finding> {
    let (now, name) = (app.now, finding.label());
    let store = app.store()?;
    store.write(now, |writer| {
        if writer.finding(finding.id)?.as_ref() != Some(finding) {
            return Err(StoreError::Invalid(format!("{name} was changed meanwhile")));
        }
        decision(writer)
    })?;
    store.finding(finding.id)?.ok_or_else(|| anyhow::anyhow!("{name} is gone"))
}

fn undecided(finding: &Finding, wanted: Status) -> anyhow::Result<()> {
    let (status, name) = (finding.content.status, finding.label());
    let when = match status {
        _ if status == wanted => "is",
        _ if status.is_live() || status == Status::Proposed => return Ok(()),
        _ => "was",
    };
    bail!("{name} {when} {status} already; `mk review undo {name}` takes that back");
}

fn accepted(finding: &Finding, accept: &Accept, now: Timestamp) -> anyhow::Result<Draft> {
    let mut draft = finding.content.clone();
    let waits = draft.status == Status::Proposed;
    if let Some(kind) = accept.kind.filter(|kind| *kind != draft.kind) {
        ensure!(waits, "only a proposal becomes something else: {} is known", finding.label());
        kind_of(kind.as_str()).map_err(anyhow::Error::msg)?;
        ensure!(
            kind != Kind::Fact,
            "this proposal cannot become a fact: it has no category and no key"
        );
        draft.kind = kind;
        if let Some(detail) = &mut draft.detail {
            detail.fact = None;
        }
    }
    let content = accept.content.as_deref().map(|text| clean_block(&scrub(text)).trim().to_owned());
    ensure!(content.as_deref() != Some(""), "there is no text to accept");
    if draft.fact().is_some() {
        facts::accept(&mut draft, content.as_deref(), now)?;
    } else if let Some(content) = content {
        draft.title = title_of(&content);
        draft.description = content;
    } else {
        draft.take_words();
    }
    let title = accept.title.as_deref().map(|title| clean(&scrub(title)));
    if let Some(title) = title.filter(|title| !title.is_empty()) {
        draft.title = title;
    }
    let tags = accept.tags.iter().map(|tag| clean(&tag.replace(',', " ")));
    draft.tags.extend(tags.filter(|tag| !tag.is_empty()));
    if waits && let Some(said) = draft.said() {
        let who = if said.role.is_empty() { "somebody" } else { &said.role };
        let rule = clean(&said.rule);
        draft.notes = Some(format!("proposal {}, said by {who} (rule {rule})", finding.uid));
    }
    stand_for(&mut draft);
    Ok(draft)
}

/// Makes a finding one that a person stands for; a check of Lean's is worth more than that.
pub fn stand_for(draft: &mut Draft) {
    draft.status = Status::Confirmed;
    draft.evidence = draft.evidence.min(Evidence::Person);
    if matches!(draft.confidence, Confidence::Low | Confidence::Medium) {
        draft.confidence = Confidence::High;
    }
    draft.notes = draft.notes.take().map(|notes| notes.replace("; nobody confirmed it", ""));
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Confirm { ids: Vec<String>, accept: Accept },
    Drop { ids: Vec<String>, reason: Option<String> },
    Set(Set),
    Problem(problem::Decision),
}

impl Asked {
    fn findings(&self, app: &mut App) -> Option<Vec<Finding>> {
        let fits = |text: &str| width(text) <= SHOWN;
        let (ids, wanted) = match self {
            Self::Set(set) => return fits(&set.value).then(Vec::new),
            Self::Problem(decision) => {
                return problem::question(app, decision)
                    .is_ok_and(|text| fits(&text))
                    .then(Vec::new);
            }
            Self::Confirm { ids, accept } => {
                let rewords = accept.content.is_some() || accept.title.is_some();
                let texts = [&accept.content, &accept.title];
                if !texts.into_iter().flatten().all(|text| fits(text)) || (rewords && ids.len() > 1)
                {
                    return None;
                }
                (ids, Status::Confirmed)
            }
            Self::Drop { ids, .. } => (ids, Status::Dropped),
        };
        if !(1..=MOST_ASKED).contains(&ids.len()) {
            return None;
        }
        let mut findings: Vec<Finding> = Vec::new();
        for id in ids {
            let finding = find(app, id).ok()?;
            let is_twice = findings.iter().any(|other| other.id == finding.id);
            if is_twice || undecided(&finding, wanted).is_err() || !fits(&shown(&finding)) {
                return None;
            }
            findings.push(finding);
        }
        Some(findings)
    }

    /// A print of what is decided about: findings change, and what the person saw is what counts.
    fn print(&self, findings: &[Finding], shown: &str) -> String {
        let mut text = format!("{self:?}\n{shown}");
        for finding in findings {
            text.extend(["\n", &finding.id.to_string(), " ", &finding.content.fingerprint()]);
        }
        hash(text, 8)
    }
}

fn shown(finding: &Finding) -> String {
    let content = &finding.content;
    if let Some(fact) = content.fact() {
        let place = content.project.as_deref().map_or_else(|| "everywhere".to_owned(), clean);
        let (key, category) = (clean(&fact.key), clean(&fact.category));
        return format!("{key} ({category}, {place}): \"{}\"", clean(&fact.value));
    }
    if content.said().is_some() {
        return format!("\"{}\"", clean(&content.description));
    }
    let badge = content.badge();
    format!("{badge} {}", clean(headline(badge, &content.title)))
}

/// The dialog's text and a print of it; `None` where nothing may be asked.
pub fn question(app: &mut App, asked: &Asked) -> Option<(String, String)> {
    let findings = asked.findings(app)?;
    let what = match asked {
        Asked::Confirm { .. } => "keeping this as knowledge is the person's decision",
        Asked::Drop { .. } => "dropping this for good is the person's decision",
        Asked::Set(_) => "a fact of the person's own is the person's word",
        Asked::Problem(_) => {
            "where a problem stands and what it is called is the person's decision"
        }
    };
    let mut lines = vec![format!("math-forge: {what}.")];
    if let Asked::Set(set) = asked {
        lines.push(facts::question(app, set)?);
    }
    if let Asked::Problem(decision) = asked {
        lines.push(problem::question(app, decision).ok()?);
    }
    for finding in &findings {
        let said = match finding.content.said() {
            None => String::new(),
            Some(said) => {
                let kind = match asked {
                    Asked::Confirm { accept, .. } => accept.kind,
                    _ => None,
                };
                let who = match said.role.as_str() {
                    "" => "somebody",
                    "model" => "a language model",
                    role => role,
                };
                format!(", as {}, said by {who}:", kind.unwrap_or(finding.content.kind))
            }
        };
        lines.push(format!("{}{said} {}", finding.label(), shown(finding)));
    }
    match asked {
        Asked::Confirm { accept, .. } => {
            let texts = [
                ("To be kept in other words", &accept.content),
                ("Under the title", &accept.title),
            ];
            lines.extend(texts.into_iter().filter_map(|(what, text)| {
                Some(format!("{what}: \"{}\"", clean(text.as_deref()?)))
            }));
        }
        Asked::Drop { reason, .. } => {
            lines.extend(reason.iter().map(|reason| format!("Because: \"{}\"", clean(reason))));
        }
        Asked::Set(_) | Asked::Problem(_) => {}
    }
    lines.push("Without the person's yes nothing changes.".to_owned());
    let shown = lines.join("\n");
    let print = asked.print(&findings, &shown);
    Some((shown, print))
}

/// Does what the person agreed to in the dialog, given the print of what was shown; what to say of it.
pub fn decide_from_dialog(app: &mut App, asked: &Asked, print: &str) -> anyhow::Result<String> {
    let Some(findings) = asked.findings(app) else {
        bail!(
            "not all of these wait for a decision: `mk review list` and `mk list` show what does"
        );
    };
    let is_as_shown = question(app, asked).is_some_and(|(_, now)| now == print);
    ensure!(is_as_shown, "it is not as it was shown any more: ask again");
    let mut done = Vec::new();
    for finding in &findings {
        let id = finding.id.to_string();
        done.push(match asked {
            Asked::Confirm { accept, .. } => confirm(app, &id, accept, By::Dialog)?,
            Asked::Drop { reason, .. } => drop(app, &id, reason.as_deref(), By::Dialog)?,
            Asked::Set(_) | Asked::Problem(_) => continue,
        });
    }
    if let Asked::Set(wanted) = asked {
        done.push(facts::set(app, wanted)?.fact);
    }
    if let Asked::Problem(decision) = asked {
        let decided = problem::decide(app, decision)?;
        return Ok(format!("math-forge: the person agreed; {}.", decided.text));
    }
    let done: Vec<String> = done
        .iter()
        .map(|one| format!("{} {} is {}", one.content.kind, one.label(), one.content.status))
        .collect();
    Ok(format!("math-forge: the person agreed; {}.", done.join(", ")))
}

pub fn unjournaled(app: &mut App) -> anyhow::Result<usize> {
    let Some(store) = app.existing_store()? else { return Ok(0) };
    Ok(store.to_journal()?.len())
}

/// Why it could not be written, if so; it is written the next time.
pub fn keep_journal(app: &mut App) -> Option<String> {
    match journal::append(app) {
        Ok(journal::Journaled::Deferred { reason }) => {
            Some(format!("the journal is written later: {reason}"))
        }
        Ok(_) => None,
        Err(error) => Some(format!("the journal is written later: {error:#}")),
    }
}
