//! `mk show`: findings whole, by row number or by the beginning of their uid.

use serde::Serialize;

use super::App;
use crate::model::Finding;
use crate::store::{FindingSource, Store, time_text};

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
    /// Ids that name no finding, or several, a sentence each.
    pub problems: Vec<String>,
}

/// Looks up findings by `12`, `#12` or a prefix of a uid of at least 4 digits.
pub fn run(app: &mut App, ids: &[String]) -> anyhow::Result<ShowReport> {
    let now = time_text(app.now);
    let store = app.store()?;
    let mut report = ShowReport { findings: Vec::new(), problems: Vec::new() };
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
            None => report.problems.push(format!(
                "`{}` is no id: give a number (12, #12) or at least 4 hexadecimal digits of a uid",
                crate::text::clip(&crate::text::clean(id), 40)
            )),
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
