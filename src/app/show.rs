//! `mk show`: findings whole, by row number, the beginning of their uid, the key of a fact, or the name of a
//! declaration.

use serde::Serialize;

use super::{App, find, review};
use crate::model::Finding;
use crate::store::{FactEvent, FindingSource, Store, time_text};

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

/// Looks up findings by `12`, `#12` or a prefix of a uid of at least 4 digits.
pub fn run(app: &mut App, ids: &[String]) -> anyhow::Result<ShowReport> {
    let now = time_text(app.now);
    let store = app.store()?;
    let mut report = ShowReport { findings: Vec::new(), history: Vec::new(), problems: Vec::new() };
    let mut others = Vec::new();
    for id in ids {
        match parse(id) {
            Some(Id::Row(row)) => match store.finding(row)? {
                Some(finding) if finding.has_expired(&now) => {
                    report.problems.push(format!("#{row} is a fact that ended"));
                }
                Some(finding) => report.findings.push(shown(store, finding)?),
                None => report.problems.push(format!("there is no finding #{row}")),
            },
            Some(Id::Uid(prefix)) => {
                let mut found = store.findings_by_uid(&prefix)?;
                found.retain(|finding| !finding.has_expired(&now));
                match found.len() {
                    1 => {
                        for finding in found.drain(..) {
                            report.findings.push(shown(store, finding)?);
                        }
                    }
                    0 => report.problems.push(format!("no finding's uid begins with `{prefix}`")),
                    n => report
                        .problems
                        .push(format!("{n} uids begin with `{prefix}`: give more digits")),
                }
            }
            None => others.push(id),
        }
    }
    for id in others {
        match review::find(app, id) {
            Ok(finding) => {
                let store = app.store()?;
                report.findings.push(shown(store, finding)?);
            }
            Err(error) => {
                let store = app.store()?;
                let named = find::called(store, id)?;
                if named.is_empty() {
                    report.problems.push(error.to_string());
                }
                for finding in named {
                    report.findings.push(shown(store, finding)?);
                }
            }
        }
    }
    let store = app.store()?;
    for Shown { finding, .. } in &report.findings {
        if finding.content.fact().is_some() {
            report.history.extend(store.fact_events(Some(finding.id), MOST_EVENTS)?);
        }
    }
    Ok(report)
}

fn shown(store: &Store, finding: Finding) -> anyhow::Result<Shown> {
    let sources = store.sources_of(&finding.uid)?;
    Ok(Shown { finding, sources })
}

#[derive(Debug, PartialEq, Eq)]
enum Id {
    Row(i64),
    Uid(String),
}

/// A number is a row unless it has more than 12 digits, which no row number has.
fn parse(id: &str) -> Option<Id> {
    let text = id.trim();
    let (text, marked) = text.strip_prefix('#').map_or((text, false), |rest| (rest, true));
    let numeric = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if numeric && (marked || text.len() <= 12) {
        return text.parse().ok().map(Id::Row);
    }
    let uid = text.to_ascii_lowercase();
    let is_uid = (4..=32).contains(&uid.len()) && uid.bytes().all(|b| b.is_ascii_hexdigit());
    is_uid.then_some(Id::Uid(uid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids() {
        for (text, expected) in [
            ("12", Some(Id::Row(12))),
            ("#12", Some(Id::Row(12))),
            (" #7 ", Some(Id::Row(7))),
            ("ABCD12", Some(Id::Uid("abcd12".into()))),
            ("1234567890123", Some(Id::Uid("1234567890123".into()))),
            ("abc", None),
            ("#", None),
            ("erdos_850", None),
            ("99999999999999999999999999999999999", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
