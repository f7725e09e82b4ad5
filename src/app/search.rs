//! `mk search`: words -> ranked findings. Any input is a valid query.

pub(crate) mod since;

use std::collections::BTreeSet;

use serde::Serialize;

pub use crate::store::SearchQuery;
pub use since::since;

use super::App;
use crate::model::Domain;
use crate::store::{Hit, Stage, time_text};
use crate::text::{clean, nearest};

#[derive(Debug, Serialize)]
pub struct Answer {
    pub query: String,
    /// Findings that match, also beyond the limit.
    pub total: u64,
    pub matched: Stage,
    /// The best ones, best first.
    pub hits: Vec<Hit>,
    /// Whether the knowledge base holds nothing at all.
    #[serde(skip)]
    pub empty_base: bool,
}

/// A question that cannot be asked this way.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadQuestion(pub String);

pub fn run(app: &mut App, question: SearchQuery) -> anyhow::Result<Answer> {
    let query = in_its_terms(app, question)?;
    let now = time_text(app.now);
    let store = app.store()?;
    let mut found = store.search(&query)?;
    // A working fact that ended is not shown, though nobody has removed it yet.
    let all = found.hits.len();
    found.hits.retain(|hit| !hit.finding.has_expired(&now));
    let total = found.total.saturating_sub((all - found.hits.len()) as u64);
    let empty_base = found.hits.is_empty() && store.is_empty()?;
    Ok(Answer { query: query.text, total, matched: found.stage, hits: found.hits, empty_base })
}

/// The question in the terms of the store: a time and a domain as people say them, and the project, which
/// is the current one where it is empty.
fn in_its_terms(app: &mut App, mut query: SearchQuery) -> anyhow::Result<SearchQuery> {
    query.current_project = app.project_identity();
    let project = query.project.as_deref().map(str::trim);
    query.project = if project == Some("") {
        let current = query.current_project.clone();
        Some(current.ok_or_else(|| {
            BadQuestion(
                "this folder is no project (no git, no Lake package, no submissions/tracking.db): \
                 name one with `--project=<identity>`, or search everything"
                    .to_owned(),
            )
        })?)
    } else {
        project.map(str::to_owned)
    };
    let since = query.since.as_deref().map(|words| since(words, app.now));
    query.since = since.transpose().map_err(BadQuestion)?;
    let domain = query.domain.as_deref().map(|words| known_domain(app, words));
    query.domain = domain.transpose()?;
    Ok(query)
}

/// The id of a domain that there is, or that something is stored under.
fn known_domain(app: &mut App, words: &str) -> anyhow::Result<String> {
    let id = domain_id(words);
    let mut known: BTreeSet<String> =
        Domain::ALL.iter().map(|one| one.as_str().to_owned()).collect();
    if !id.is_empty() && !known.contains(&id) {
        known.extend(app.store()?.stats()?.findings.by_domain.into_keys());
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
pub fn domain_id(words: &str) -> String {
    Domain::from_words(words)
        .map_or_else(|| words.trim().to_lowercase(), |domain| domain.as_str().to_owned())
}
