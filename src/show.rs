//! `mk show`: findings whole, by row number, the beginning of their uid, the key of a fact, or the name of a
//! declaration.

use jiff::Timestamp;
use serde::Serialize;

use crate::app::App;
use crate::model::Finding;
use crate::store::{FactEvent, FindingSource};
use crate::text::{clean, clip};
use crate::ui::layout::Page;
use crate::ui::listing::events;
use crate::ui::record::record;
use crate::ui::theme::{Tone, paint};
use crate::ui::time::iso;
use crate::ui::{Exit, Out};
use crate::verify;
use crate::{find, review};

/// Show findings in full, whatever their kind and status
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk show 12
  mk show 12 15 --json
  mk show slope_injective   what is known about a declaration of this name
  mk show dc904bc0          by the beginning of its uid, or of the id of a proposal or submission
  mk show mathlib.revision  a fact by its key, with its history")]
pub(crate) struct Args {
    /// Ids: 12, #12, the first digits of a uid or of a proposal's id, a declaration's name, or a fact's key
    #[arg(required = true, value_delimiter = ',')]
    pub(crate) ids: Vec<String>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        verify::state::refresh(app);
        let report = look_up(app, &self.ids)?;
        out.answer(&report, |width| view(&report, width, app.now))?;
        for problem in &report.problems {
            out.note(&format!("mk: {problem}"));
        }
        Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Failed })
    }
}

const MOST_EVENTS: usize = 200;

#[derive(Debug, Serialize)]
pub struct Shown {
    #[serde(flatten)]
    pub finding: Finding,
    /// The one that speaks for it first; empty for what no result file and no tracking database says.
    pub sources: Vec<FindingSource>,
}

#[derive(Debug, Serialize)]
pub struct ShowReport {
    /// The findings, in the order in which they were asked for.
    pub findings: Vec<Shown>,
    /// What befell the facts among them, the newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<FactEvent>,
    /// Ids that name no finding, or several, a sentence each.
    pub problems: Vec<String>,
}

/// Looks up findings as [`review::find`] does, else by the name of a declaration.
pub fn look_up(app: &mut App, ids: &[String]) -> anyhow::Result<ShowReport> {
    let mut report = ShowReport { findings: Vec::new(), history: Vec::new(), problems: Vec::new() };
    for id in ids {
        let mut found = match review::find(app, id) {
            Ok(finding) => vec![finding],
            Err(error) => {
                let named = find::called(app.store()?, id)?;
                if named.is_empty() {
                    let files = app.store()?.left_open_in(id)?.join(", ");
                    report.problems.push(match files.as_str() {
                        "" => error.to_string(),
                        files => format!("`{id}` is left open in {}", clean(files)),
                    });
                }
                named
            }
        };
        let all = found.len();
        app.keep_in_scope(&mut found)?;
        if found.len() < all {
            report.problems.push(format!("`{}` is of another project", clip(&clean(id), 40)));
        }
        let store = app.store()?;
        for finding in found {
            if finding.content.fact().is_some() {
                report.history.extend(store.fact_events(finding.id, MOST_EVENTS)?);
            }
            let sources = store.sources_of(&finding.uid)?;
            report.findings.push(Shown { finding, sources });
        }
    }
    Ok(report)
}

fn view(report: &ShowReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    for (i, shown) in report.findings.iter().enumerate() {
        if i > 0 {
            page.blank();
        }
        record(&mut page, &shown.finding);
        sources(&mut page, &shown.sources);
    }
    if !report.history.is_empty() {
        page.blank();
        page.heading("HISTORY", None);
        events(&mut page, &report.history, now);
    }
    page.into_text()
}

/// A single source is told by the record itself.
fn sources(page: &mut Page, all: &[FindingSource]) {
    if all.len() < 2 {
        return;
    }
    page.line(1, &paint(Tone::Faint, &format!("Sources ({})", all.len())));
    for source in all {
        let mut parts = vec![match source.line {
            Some(line) => format!("{}:{line}", clean(&source.file)),
            None => clean(&source.file),
        }];
        parts.extend(source.slot.map(|slot| format!("slot {slot}")));
        parts.extend(source.problem.as_deref().map(clean));
        parts.push(source.confidence.clone());
        parts.extend(source.answer.as_deref().map(|file| format!("answered in {}", clean(file))));
        parts.extend(source.at.as_deref().map(iso));
        page.parts(2, parts);
    }
}
