//! `mk failed`: what did not work and what is false, from the knowledge base and the tracking database.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;

use crate::app::App;
use crate::import;
use crate::model::{Draft, Finding, Kind, word_key};
use crate::search;
use crate::store::{Failed, Opposite, SearchQuery, Stage};
use crate::text::{self, clean, clip, counted, spaced};
use crate::ui::layout::Page;
use crate::ui::record::{Within, gist, opposed, provenance, titled};
use crate::ui::{EMPTY_BASE, Exit, Out};

/// List failed approaches and false lemmas, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk failed
  mk failed erdos-850
  mk failed off by one

The false lemmas of a tracking.db that were not imported are listed too.")]
pub(crate) struct Args {
    /// Keyword: a name, a problem, words of the reason
    keyword: Vec<String>,
    /// Entries shown at most, of each source
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let keyword = self.keyword.join(" ");
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let report = collect(app, &keyword, limit)?;
        out.answer(&report, |width| view(&report, width, app.now))
    }
}

/// Findings among which the tracking database's records are looked up.
const KNOWN: usize = 10_000;

#[derive(Debug, Serialize)]
pub struct FailedReport {
    pub keyword: Option<String>,
    /// Also beyond the limit: failed approaches and false lemmas.
    pub total: usize,
    #[serde(skip)]
    pub failures: usize,
    #[serde(skip)]
    pub false_lemmas: usize,
    /// Of what is false, a finding by which the same statement is proved.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub opposed: BTreeMap<i64, Opposite>,
    /// Newest first.
    pub findings: Vec<Finding>,
    /// Submissions that ended as the keyword says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<String>,
    /// What waits for a person's word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proposed: Vec<String>,
    /// From the tracking database, as far as not imported.
    pub not_imported: Vec<Draft>,
    pub notes: Vec<String>,
    /// Nothing stored, and no tracking database.
    #[serde(skip)]
    pub empty_base: bool,
}

/// At most `limit` of each source.
pub fn collect(app: &mut App, keyword: &str, limit: usize) -> anyhow::Result<FailedReport> {
    let keyword = Some(keyword.trim()).filter(|word| !word.is_empty());
    let is_imported = import::is_done(app);
    let tracking = if is_imported { Ok(None) } else { app.tracking() };
    let (refused, notes) = match tracking {
        Ok(tracking) => (tracking.map(|one| one.refused().to_vec()), Vec::new()),
        Err(error) => (None, vec![error.to_string()]),
    };
    let project = app.scope()?;
    let here = app.project_identity();
    let store = app.store()?;
    let mut proposed = match keyword {
        Some(words) => store.waiting_with(words, here.as_deref())?,
        None => Vec::new(),
    };
    proposed.retain(|one| matches!(one.kind, Kind::Failure | Kind::FalseLemma));
    let wanted = if refused.is_some() { limit.max(KNOWN) } else { limit };
    let mut found = store.failed(keyword, project.as_deref(), wanted)?;
    let mut asked = keyword.map(str::to_owned);
    if let Some(words) = keyword.filter(|_| found.findings.is_empty()) {
        // In another form of the words, or of a problem by what people call it.
        let query = SearchQuery {
            text: words.to_owned(),
            kinds: vec![Kind::Failure, Kind::FalseLemma],
            limit: wanted,
            project: project.clone(),
            ..SearchQuery::default()
        };
        let hits = store.search(&query)?;
        // The parts of a name stand beside each other.
        if hits.stage >= Stage::AllWords && !words.contains(['_', '.']) {
            found.findings = hits.hits.into_iter().map(|hit| hit.finding).collect();
            let is_false = |one: &&Finding| one.content.kind == Kind::FalseLemma;
            found.false_lemmas = found.findings.iter().filter(is_false).count();
            let total = usize::try_from(hits.total).unwrap_or_default();
            found.failures = total.saturating_sub(found.false_lemmas);
        } else if let [problem] = store.problems_meant(words)?.as_slice() {
            found = store.failed(Some(problem), project.as_deref(), wanted)?;
            asked = Some(problem.clone());
        }
    }
    let Failed { mut findings, failures, false_lemmas } = found;
    let nothing = findings.is_empty() && refused.is_none() && notes.is_empty();
    let empty_base = nothing && store.is_empty()?;
    let mut not_imported = not_imported(refused.unwrap_or_default(), &findings);
    not_imported.retain(|draft| says(draft, keyword.unwrap_or_default()));
    if findings.len() > limit {
        findings = store.failed(asked.as_deref(), project.as_deref(), limit)?.findings;
    }
    let ids: Vec<i64> = findings.iter().map(|one| one.id).collect();
    let opposed = store.opposed(&ids)?;
    not_imported.truncate(limit);
    let ended = keyword.filter(|_| findings.is_empty()).map(|word| search::ended_as(app, word));
    let ended = ended.unwrap_or_default();
    Ok(FailedReport {
        keyword: keyword.map(str::to_owned),
        total: failures + false_lemmas,
        failures,
        false_lemmas,
        opposed,
        findings,
        ended,
        proposed: proposed.into_iter().map(|one| one.text).collect(),
        not_imported,
        notes,
        empty_base,
    })
}

/// Every word of the keyword, parts of a name as neighbours.
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
    let said = spaced(&texts.map(String::as_str).collect::<Vec<_>>().join(" "));
    keyword.split_whitespace().all(|word| text::says(&said, &spaced(word)))
}

/// Compared by title, name or statement.
pub(crate) fn not_imported<'a>(
    mut drafts: Vec<Draft>,
    findings: impl IntoIterator<Item = &'a Finding>,
) -> Vec<Draft> {
    let names = |draft: &Draft| {
        let names =
            [Some(&draft.title), draft.theorem_name.as_ref(), draft.theorem_statement.as_ref()];
        names.into_iter().flatten().map(|name| (draft.kind, word_key(name))).collect::<Vec<_>>()
    };
    let known: BTreeSet<_> =
        findings.into_iter().flat_map(|finding| names(&finding.content)).collect();
    drafts.retain(|draft| !names(draft).iter().any(|name| known.contains(name)));
    drafts
}

fn view(report: &FailedReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let about = report
        .keyword
        .as_deref()
        .map_or_else(String::new, |word| format!(" for `{}`", clip(&clean(word), width / 2)));
    if !report.ended.is_empty() {
        search::ended(&mut page, &report.ended);
        page.rule();
    }
    if report.findings.is_empty() && report.not_imported.is_empty() {
        page.paragraph(1, &format!("No failed approaches and no false lemmas{about}."));
        if report.empty_base {
            page.hint(EMPTY_BASE);
        }
    } else {
        let counts =
            counted([(report.failures as u64, "failed"), (report.false_lemmas as u64, "false")]);
        let shown = report.findings.len();
        let first = if report.total > shown {
            format!(": {shown} of {}", report.total)
        } else {
            String::new()
        };
        page.line(1, &format!("Failed approaches and false lemmas{about}{first}"));
        if report.total > shown {
            page.hint(&format!("{counts}; `-n {}` shows all", report.total));
        }
        page.rule();
    }
    let stored = report.findings.iter().map(|finding| (finding.label(), &finding.content));
    let others = report.not_imported.iter().map(|draft| (TRACKING.to_owned(), draft));
    for (at, (id, content)) in stored.chain(others).enumerate() {
        if at > 0 {
            page.blank();
        }
        refused(&mut page, 1, content, &id, now);
        let own = report.findings.get(at);
        opposed(&mut page, 2, own.and_then(|one| report.opposed.get(&one.id)), content);
    }
    if !report.proposed.is_empty() {
        page.blank();
        search::waiting(&mut page, 1, &report.proposed);
    }
    page.not_looked_at(&report.notes);
    page.into_text()
}

/// In place of a number.
pub(crate) const TRACKING: &str = "tracking.db";

pub(crate) fn refused(page: &mut Page, depth: usize, content: &Draft, id: &str, now: Timestamp) {
    titled(page, depth, content, id);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let name = text(&content.theorem_name);
    if !content.title.contains(&name) {
        page.labelled(depth + 1, "Name", &name);
    }
    gist(page, depth + 1, content);
    page.labelled(depth + 1, "Avoid", &text(&content.avoid_pattern));
    page.labelled(depth + 1, "Instead", &text(&content.correct_approach));
    provenance(page, depth + 1, content, Within::default(), now);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::tests as sample;

    /// The recorded output has the words, at one width.
    #[test]
    fn pages_fit_any_width() {
        let mut report = sample::failed();
        for notes in [vec![], vec!["tracking.db is locked by another process".to_owned()]] {
            report.notes = notes;
            for width in [60, 100] {
                sample::plain(&view(&report, width, sample::now()), width);
            }
        }
    }
}
