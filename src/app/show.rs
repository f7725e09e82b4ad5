//! `mk show`: findings whole, by row number, the beginning of their uid, the key of a fact, or the name of a
//! declaration.

use serde::Serialize;

use super::{App, review};
use crate::find;
use crate::model::Finding;
use crate::store::{FactEvent, FindingSource};

/// Events of one fact that are shown.
const MOST_EVENTS: usize = 200;

/// A finding with what it was made of.
#[derive(Debug, Serialize)]
pub struct Shown {
    #[serde(flatten)]
    pub finding: Finding,
    /// The one that speaks for it first; empty for what no result file and no tracking database says.
    pub sources: Vec<FindingSource>,
}

/// Findings with all their fields.
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
pub fn run(app: &mut App, ids: &[String]) -> anyhow::Result<ShowReport> {
    let mut report = ShowReport { findings: Vec::new(), history: Vec::new(), problems: Vec::new() };
    for id in ids {
        let found = match review::find(app, id) {
            Ok(finding) => vec![finding],
            Err(error) => {
                let named = find::called(app.store()?, id)?;
                if named.is_empty() {
                    report.problems.push(error.to_string());
                }
                named
            }
        };
        let store = app.store()?;
        for finding in found {
            if finding.content.fact().is_some() {
                report.history.extend(store.fact_events(Some(finding.id), MOST_EVENTS)?);
            }
            let sources = store.sources_of(&finding.uid)?;
            report.findings.push(Shown { finding, sources });
        }
    }
    Ok(report)
}
