//! `mk strategies`: techniques that worked.

use serde::Serialize;

use crate::app::App;
use crate::app::search::domain_id;
use crate::model::Domain;
use crate::store::TechniqueUse;
use crate::text::clean;
use crate::ui::EMPTY_BASE;
use crate::ui::layout::{Column, Page};
use crate::ui::{Exit, Out};

/// List techniques of verified theorems, by how often they worked
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk strategies
  mk strategies nt
  mk strategies number theory --json")]
pub(crate) struct Args {
    /// Only this domain (nt, algebra, combinatorics, analysis, or a name such as "number theory")
    domain: Vec<String>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = collect(app, Some(&self.domain.join(" ")))?;
        out.answer(&report, |width| strategies(&report, width))?;
        Ok(Exit::Done)
    }
}

/// Techniques of verified theorems.
#[derive(Debug, Serialize)]
struct StrategiesReport {
    pub domain: Option<String>,
    /// The techniques, the most frequent first.
    pub strategies: Vec<TechniqueUse>,
    /// Whether the knowledge base holds nothing at all.
    #[serde(skip)]
    pub empty_base: bool,
}

/// Collects the techniques, of one domain where one is given.
fn collect(app: &mut App, domain: Option<&str>) -> anyhow::Result<StrategiesReport> {
    let domain = domain.map(domain_id).filter(|id| !id.is_empty());
    let store = app.store()?;
    let strategies = store.techniques(domain.as_deref())?;
    let empty_base = strategies.is_empty() && store.is_empty()?;
    Ok(StrategiesReport { domain, strategies, empty_base })
}

/// The table of techniques.
fn strategies(report: &StrategiesReport, width: usize) -> String {
    let mut page = Page::new(width);
    let about = report
        .domain
        .as_deref()
        .map_or_else(String::new, |d| format!(" in {}", clean(&Domain::title_of(d))));
    if report.strategies.is_empty() {
        page.paragraph(1, &format!("No technique of a verified theorem{about} yet."));
        page.hint(if report.empty_base {
            EMPTY_BASE
        } else {
            "Techniques come from verified theorems: `mk stats` shows domains and confidence."
        });
        return page.into_text();
    }
    page.line(1, &format!("Techniques of verified theorems{about}"));
    page.rule();
    let rows = report.strategies.iter().map(|one| {
        vec![
            one.technique.clone(),
            one.count.to_string(),
            one.domain.as_deref().map_or_else(|| "-".to_owned(), Domain::title_of),
            one.slots.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
        ]
    });
    let columns = [
        Column::text("TECHNIQUE", 20),
        Column::number("COUNT"),
        Column::text("DOMAIN", 0),
        Column::text("SLOTS", 10),
    ];
    page.table(1, &columns, rows);
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::tests as sample;

    #[test]
    fn by_frequency() {
        let text = |width| sample::plain(&strategies(&sample_report(), width), width);
        insta::assert_snapshot!(text(60), @r"
        Techniques of verified theorems
        ---
        TECHNIQUE             COUNT  DOMAIN         SLOTS
        finite computation…     112  Number Theory  601, 602, 603…
        induction                40  Combinatorics  614
        ε-δ estimate              3  -
        ");
        insta::assert_snapshot!(text(100), @r"
        Techniques of verified theorems
        ---
        TECHNIQUE                           COUNT  DOMAIN         SLOTS
        finite computation (native_decide)    112  Number Theory  601, 602, 603, 604, 605, 606, 607, 608,…
        induction                              40  Combinatorics  614
        ε-δ estimate                            3  -
        ");
        let none = StrategiesReport {
            domain: Some("analysis".to_owned()),
            strategies: Vec::new(),
            empty_base: false,
        };
        insta::assert_snapshot!(sample::plain(&strategies(&none, 60), 60), @r"
        No technique of a verified theorem in Analysis yet.
        Techniques come from verified theorems: `mk stats` shows
        domains and confidence.
        ");
    }

    fn sample_report() -> StrategiesReport {
        let used = |technique: &str, domain: Option<&str>, count, slots: &[i64]| TechniqueUse {
            technique: technique.into(),
            domain: domain.map(str::to_owned),
            count,
            slots: slots.to_vec(),
        };
        StrategiesReport {
            domain: None,
            strategies: vec![
                used(
                    "finite computation (native_decide)",
                    Some("nt"),
                    112,
                    &[601, 602, 603, 604, 605, 606, 607, 608, 609, 610, 611, 612, 613, 614, 615],
                ),
                used("induction", Some("combinatorics"), 40, &[614]),
                used("ε-δ estimate", None, 3, &[]),
            ],
            empty_base: false,
        }
    }
}
