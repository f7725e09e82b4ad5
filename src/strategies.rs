//! `mk strategies`: techniques that worked.

use serde::Serialize;

use crate::app::App;
use crate::find::problems_meant;
use crate::model::Domain;
use crate::store::TechniqueUse;
use crate::text::clean;
use crate::ui::EMPTY_BASE;
use crate::ui::layout::{Column, Page};
use crate::ui::{Exit, Out};

/// List techniques of proved theorems, by how often they worked
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk strategies
  mk strategies nt
  mk strategies number theory --json
  mk strategies erdos-850")]
pub(crate) struct Args {
    /// Only this domain (nt, algebra, combinatorics, analysis, or a name such as "number theory"), or this problem
    #[arg(value_name = "DOMAIN|PROBLEM")]
    words: Vec<String>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = collect(app, &self.words.join(" "))?;
        out.answer(&report, |width| view(&report, width))
    }
}

#[derive(Debug, Serialize)]
struct StrategiesReport {
    domain: Option<String>,
    /// Those that the words name, where they name no domain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    /// Most frequent first.
    strategies: Vec<TechniqueUse>,
    #[serde(skip)]
    empty_base: bool,
}

fn collect(app: &mut App, words: &str) -> anyhow::Result<StrategiesReport> {
    let project = app.scope()?;
    let problems = match Domain::from_words(words) {
        None if !words.is_empty() => problems_meant(app, words)?,
        _ => Vec::new(),
    };
    let store = app.store()?;
    let of_problems = Some(problems.as_slice()).filter(|ids| !ids.is_empty());
    let domain = Some(Domain::id_of(words)).filter(|id| !id.is_empty() && of_problems.is_none());
    let strategies = store.techniques(domain.as_deref(), of_problems, project.as_deref())?;
    let empty_base = strategies.is_empty() && store.is_empty()?;
    Ok(StrategiesReport { domain, problems, strategies, empty_base })
}

fn view(report: &StrategiesReport, width: usize) -> String {
    let mut page = Page::new(width);
    let about = match (report.problems.as_slice(), &report.domain) {
        ([], Some(domain)) => format!(" in {}", clean(&Domain::title_of(domain))),
        ([], None) => String::new(),
        (problems, _) => format!(" about {}", clean(&problems.join(", "))),
    };
    if report.strategies.is_empty() {
        page.paragraph(1, &format!("No technique of a proved theorem{about} yet."));
        page.hint(if report.empty_base {
            EMPTY_BASE
        } else {
            "Techniques come from proved theorems: `mk stats` shows domains and confidence."
        });
        return page.into_text();
    }
    page.line(1, &format!("Techniques of proved theorems{about}"));
    page.rule();
    let rows = report.strategies.iter().map(|one| {
        vec![
            one.technique.clone(),
            one.count.to_string(),
            match one.domains.as_slice() {
                [] => "-".to_owned(),
                some => some.iter().map(|id| Domain::title_of(id)).collect::<Vec<_>>().join(", "),
            },
            one.slots.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
        ]
    });
    let columns = [
        Column::text("TECHNIQUE", 20),
        Column::number("COUNT"),
        Column::text("DOMAINS", 10),
        Column::text("SLOTS", 10),
    ];
    page.table(1, &columns, rows);
    page.into_text()
}
