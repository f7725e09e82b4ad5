//! `mk failed`: what did not work and what is false, from the knowledge base and the tracking database.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{App, import};
use crate::model::{Draft, Finding, word_key};
use crate::text::spaced;

/// Findings among which what a tracking database says is looked up.
const KNOWN: usize = 10_000;

#[derive(Debug, Serialize)]
pub struct FailedReport {
    pub keyword: Option<String>,
    /// Failures and false lemmas of the knowledge base, newest first.
    pub findings: Vec<Finding>,
    /// What the tracking database says beyond that: it was not imported yet.
    pub not_imported: Vec<Draft>,
    /// Sources that could not be read, a sentence each.
    pub notes: Vec<String>,
    /// Whether the knowledge base holds nothing at all and there is no tracking database.
    #[serde(skip)]
    pub empty_base: bool,
}

/// Collects what failed, at most `limit` findings and as many records of the tracking database.
pub fn run(app: &mut App, keyword: Option<&str>, limit: usize) -> anyhow::Result<FailedReport> {
    let keyword = keyword.map(str::trim).filter(|word| !word.is_empty());
    let is_imported = import::is_done(app);
    let tracking = app.tracking().and_then(|tracking| {
        tracking.filter(|_| !is_imported).map(|one| one.refused()).transpose()
    });
    let (refused, notes) = match tracking {
        Ok(refused) => (refused, Vec::new()),
        Err(error) => (None, vec![error.to_string()]),
    };
    let store = app.store()?;
    let wanted = if refused.is_some() { limit.max(KNOWN) } else { limit };
    let mut findings = store.failed(keyword, wanted)?;
    let nothing = findings.is_empty() && refused.is_none() && notes.is_empty();
    let empty_base = nothing && store.knowledge(None)?.total == 0;
    let mut not_imported = not_imported(refused.unwrap_or_default(), &findings);
    not_imported.retain(|draft| says(draft, keyword.unwrap_or_default()));
    findings.truncate(limit);
    not_imported.truncate(limit);
    Ok(FailedReport {
        keyword: keyword.map(str::to_owned),
        findings,
        not_imported,
        notes,
        empty_base,
    })
}

/// Whether each word of a keyword stands in what is said, the parts of a name beside each other.
fn says(draft: &Draft, keyword: &str) -> bool {
    let texts = [&draft.title, &draft.description].into_iter().chain(
        [
            &draft.why_failed,
            &draft.counterexample,
            &draft.avoid_pattern,
            &draft.problem,
            &draft.notes,
        ]
        .into_iter()
        .flatten(),
    );
    let text = spaced(&texts.map(String::as_str).collect::<Vec<_>>().join(" "));
    keyword.split_whitespace().all(|word| text.contains(&spaced(word)))
}

/// The records that are not among the findings, by title, name or statement.
pub(super) fn not_imported(mut drafts: Vec<Draft>, findings: &[Finding]) -> Vec<Draft> {
    let names = |draft: &Draft| {
        let names =
            [Some(&draft.title), draft.theorem_name.as_ref(), draft.theorem_statement.as_ref()];
        names.into_iter().flatten().map(|name| (draft.kind, word_key(name))).collect::<Vec<_>>()
    };
    let known: BTreeSet<_> = findings.iter().flat_map(|finding| names(&finding.content)).collect();
    drafts.retain(|draft| !names(draft).iter().any(|name| known.contains(name)));
    drafts
}
