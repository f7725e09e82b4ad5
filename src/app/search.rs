//! `mk search`: words -> ranked findings. Any input is a valid query.

pub(super) mod since;

use std::collections::BTreeSet;

use serde::Serialize;

pub use since::since;

use super::App;
use crate::model::{Confidence, Domain, Finding, Kind};
use crate::store::{SearchQuery, Stage, time_text};
use crate::text::{clean, nearest};

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The words, as they were typed.
    pub words: String,
    /// Findings wanted at most.
    pub limit: usize,
    /// Only these kinds; all when empty.
    pub kinds: Vec<Kind>,
    /// Only this domain, as people write it.
    pub domain: Option<String>,
    /// Only this problem.
    pub problem: Option<String>,
    /// Only findings with all of these tags.
    pub tags: Vec<String>,
    /// Only this confidence.
    pub confidence: Option<Confidence>,
    /// Only what is newer, as people say it.
    pub since: Option<String>,
    /// Only this project: its identity, or empty for the current one.
    pub project: Option<String>,
}

impl Question {
    /// Whether anything besides the words narrows it.
    pub fn has_filter(&self) -> bool {
        let texts = [&self.domain, &self.problem, &self.since, &self.project];
        !self.kinds.is_empty()
            || !self.tags.is_empty()
            || self.confidence.is_some()
            || texts.iter().any(|text| text.is_some())
    }
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The words that were searched.
    pub query: String,
    /// Findings that match, also beyond the limit.
    pub total: u64,
    /// How they matched: `exact`, `all_words`, `any_word`, `prefix`, `newest` or `none`.
    pub matched: &'static str,
    /// The best ones, best first.
    pub hits: Vec<HitReport>,
    /// Whether the knowledge base holds nothing at all.
    #[serde(skip)]
    pub empty_base: bool,
}

/// One hit.
#[derive(Debug, Serialize)]
pub struct HitReport {
    /// Row number.
    pub id: i64,
    /// Kind.
    pub kind: Kind,
    /// Badge, for example `[PROVEN]`.
    pub badge: &'static str,
    /// Title.
    pub title: String,
    /// Problem id.
    pub problem: Option<String>,
    /// Domain id.
    pub domain: Option<String>,
    /// How far it is to be trusted.
    pub confidence: Confidence,
    /// What stands behind it.
    pub evidence: crate::model::Evidence,
    /// Larger is better; comparable within one answer only.
    pub score: f64,
    /// The place that matched, in one line.
    pub snippet: String,
    /// Why it ranks where it does, in words.
    pub why: Vec<String>,
    /// The whole record.
    #[serde(skip)]
    pub finding: Finding,
}

/// A question that cannot be asked this way.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadQuestion(pub String);

/// Answers a question.
///
/// # Errors
/// [`BadQuestion`] for a time or project that makes no sense, else what the store says.
pub fn run(app: &mut App, question: &Question) -> anyhow::Result<Answer> {
    let query = query(app, question)?;
    let now = time_text(app.now);
    let store = app.store()?;
    let mut found = store.search(&query)?;
    // A working fact that ended is not shown, though nobody has removed it yet.
    let all = found.hits.len();
    found.hits.retain(|hit| !hit.finding.has_expired(&now));
    found.total = found.total.saturating_sub((all - found.hits.len()) as u64);
    let empty_base = found.hits.is_empty() && store.knowledge(None)?.total == 0;
    Ok(Answer {
        query: question.words.clone(),
        total: found.total,
        matched: matched(found.stage),
        hits: found
            .hits
            .into_iter()
            .map(|hit| HitReport {
                id: hit.finding.id,
                kind: hit.finding.content.kind,
                badge: hit.finding.content.badge(),
                title: hit.finding.content.title.clone(),
                problem: hit.finding.content.problem.clone(),
                domain: hit.finding.content.domain.clone(),
                confidence: hit.finding.content.confidence,
                evidence: hit.finding.content.evidence,
                score: hit.score,
                snippet: hit.snippet,
                why: hit.why,
                finding: hit.finding,
            })
            .collect(),
        empty_base,
    })
}

fn query(app: &mut App, question: &Question) -> anyhow::Result<SearchQuery> {
    let current = app.project_identity();
    let project = match question.project.as_deref().map(str::trim) {
        None => None,
        Some("") => Some(current.clone().ok_or_else(|| {
            BadQuestion(
                "this folder is no project (no git, no Lake package, no submissions/tracking.db): \
                 name one with `--project=<identity>`, or search everything"
                    .to_owned(),
            )
        })?),
        Some(identity) => Some(identity.to_owned()),
    };
    let since = question.since.as_deref().map(|words| since(words, app.now));
    let domain = question.domain.as_deref().map(|words| known_domain(app, words)).transpose()?;
    Ok(SearchQuery {
        text: question.words.clone(),
        limit: question.limit,
        kinds: question.kinds.clone(),
        domain,
        problem: question.problem.clone(),
        tags: question.tags.clone(),
        confidence: question.confidence,
        since: since.transpose().map_err(BadQuestion)?,
        project,
        current_project: current,
    })
}

/// The id of a domain that there is, or that something is stored under.
fn known_domain(app: &mut App, words: &str) -> anyhow::Result<String> {
    let id = domain_id(words);
    let mut known: BTreeSet<String> =
        Domain::ALL.iter().map(|one| one.as_str().to_owned()).collect();
    if !id.is_empty() && !known.contains(&id) {
        known.extend(app.store()?.stats()?.by_domain.into_keys());
    }
    if id.is_empty() || known.contains(&id) {
        return Ok(id);
    }
    let all = known.iter().map(String::as_str);
    let meant = nearest(&id, all.clone()).map_or_else(
        || format!("; there are {}", all.collect::<Vec<_>>().join(", ")),
        |near| format!(" (do you mean `{near}`?)"),
    );
    Err(BadQuestion(format!("there is no domain `{}`{meant}", clean(words))).into())
}

/// The id of a domain as people write it: `number theory` is `nt`; what is not known stays as it is.
pub(super) fn domain_id(words: &str) -> String {
    Domain::from_words(words)
        .map_or_else(|| words.trim().to_lowercase(), |domain| domain.as_str().to_owned())
}

fn matched(stage: Stage) -> &'static str {
    match stage {
        Stage::Exact => "exact",
        Stage::AllWords => "all_words",
        Stage::AnyWord => "any_word",
        Stage::Prefix => "prefix",
        Stage::Newest => "newest",
        Stage::None => "none",
    }
}
