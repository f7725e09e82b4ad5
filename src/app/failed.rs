//! `mk failed`: what did not work and what is false, from the knowledge base and the tracking database.

use std::collections::BTreeSet;

use serde::Serialize;

use super::App;
use crate::model::{Finding, Kind, word_key};
use crate::tracking::FalseLemma;

/// Findings among which the lemmas of a tracking database are looked up.
const KNOWN: usize = 10_000;

#[derive(Debug, Serialize)]
pub struct FailedReport {
    pub keyword: Option<String>,
    /// Failures and false lemmas of the knowledge base, newest first.
    pub findings: Vec<Finding>,
    /// False lemmas that stand in the tracking database only.
    pub false_lemmas: Vec<FalseLemma>,
    /// Sources that could not be read, a sentence each.
    pub notes: Vec<String>,
    /// Whether the knowledge base holds nothing at all and there is no tracking database.
    #[serde(skip)]
    pub empty_base: bool,
}

/// Collects what failed, at most `limit` findings and as many lemmas of the tracking database.
pub fn run(app: &mut App, keyword: Option<&str>, limit: usize) -> anyhow::Result<FailedReport> {
    let keyword = keyword.map(str::trim).filter(|word| !word.is_empty());
    let tracking = app
        .tracking()
        .and_then(|tracking| tracking.map(|tracking| tracking.false_lemmas(keyword)).transpose());
    let (lemmas, notes) = match tracking {
        Ok(lemmas) => (lemmas, Vec::new()),
        Err(error) => (None, vec![error.to_string()]),
    };
    let store = app.store()?;
    let wanted = if lemmas.is_some() { limit.max(KNOWN) } else { limit };
    let mut findings = store.failed(keyword, wanted)?;
    let nothing = findings.is_empty() && lemmas.is_none() && notes.is_empty();
    let empty_base = nothing && store.knowledge(None)?.total == 0;
    let mut false_lemmas = not_imported(lemmas.unwrap_or_default(), &findings);
    findings.truncate(limit);
    false_lemmas.truncate(limit);
    Ok(FailedReport {
        keyword: keyword.map(str::to_owned),
        findings,
        false_lemmas,
        notes,
        empty_base,
    })
}

/// The lemmas that are not among the findings, by name or statement.
pub(super) fn not_imported(lemmas: Vec<FalseLemma>, findings: &[Finding]) -> Vec<FalseLemma> {
    let known: BTreeSet<String> = findings
        .iter()
        .map(|finding| &finding.content)
        .filter(|content| content.kind == Kind::FalseLemma)
        .flat_map(|content| {
            [
                Some(&content.title),
                content.theorem_name.as_ref(),
                content.theorem_statement.as_ref(),
            ]
        })
        .flatten()
        .map(|text| word_key(text))
        .collect();
    lemmas
        .into_iter()
        .filter(|lemma| {
            let names = [Some(&lemma.name), lemma.statement.as_ref(), lemma.english.as_ref()];
            !names.into_iter().flatten().any(|name| known.contains(&word_key(name)))
        })
        .map(|mut lemma| {
            lemma.english = lemma.english.or_else(|| lemma.statement.clone());
            lemma
        })
        .collect()
}
