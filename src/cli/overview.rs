//! A bare `mk`: where things stand, and the next step.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::app::App;
use crate::brief::Situation;
use crate::briefing;
use crate::text::plural;
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out};

#[derive(Debug, Default, Serialize)]
struct Overview {
    version: &'static str,
    project: Option<String>,
    /// `None` before `mk init`.
    database: Option<String>,
    guard: bool,
    findings: u64,
    /// By status.
    problems: BTreeMap<String, u64>,
    /// `None` where no prover's work is known.
    in_flight: Option<u64>,
    ready_to_fetch: Vec<String>,
    proposals: u64,
    /// What cannot be read, a sentence each.
    troubles: Vec<String>,
    /// What to do next.
    next: String,
}

pub(super) fn run(app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
    let overview = overview(app);
    out.answer(&overview, |width| view(&overview, width))
}

fn overview(app: &mut App) -> Overview {
    let project = app.is_in_project().then(|| app.project.root.display().to_string());
    let mut overview = Overview {
        version: env!("CARGO_PKG_VERSION"),
        project,
        guard: app.config.guard_enabled,
        ..Overview::default()
    };
    let stats = match app.existing_store() {
        Ok(Some(store)) => store.stats(),
        Ok(None) => {
            let next = "`mk init` creates the database".to_owned();
            return Overview { next, ..overview };
        }
        Err(error) => Err(error),
    };
    let situation = match stats {
        Ok(stats) => {
            overview.database = Some(stats.database.path);
            overview.findings = stats.findings.total;
            overview.problems = stats.problems;
            overview.proposals = stats.proposals.get("pending").copied().unwrap_or_default();
            briefing::situation(app).0
        }
        Err(error) => Situation { troubles: vec![error.to_string()], ..Situation::default() },
    };
    let queue = situation.queue.as_ref();
    overview.in_flight = queue.map(|queue| queue.in_flight);
    let ready = queue.into_iter().flat_map(|queue| &queue.ready);
    overview.ready_to_fetch = ready.map(|one| one.label.clone()).collect();
    overview.next = next(&overview, &situation);
    overview.troubles = situation.troubles;
    overview
}

fn next(overview: &Overview, situation: &Situation) -> String {
    if !situation.troubles.is_empty() {
        return "`mk doctor` says what is wrong".to_owned();
    }
    if let Some(label) = overview.ready_to_fetch.first() {
        return format!("fetch the result of {label}, then `mk extract` its file");
    }
    if overview.proposals > 0 {
        return "`mk review` shows what waits for your decision".to_owned();
    }
    if overview.findings == 0 {
        return "`mk extract FOLDER` reads result files, `mk import FILE` a tracking database"
            .to_owned();
    }
    match (&situation.near_miss, &situation.gap) {
        (Some(near), _) => format!("{} is nearly proved: `mk find {0}`", near.item.label),
        (None, Some((gap, why))) => format!("close the gap {gap}: {why} (`mk next`)"),
        (None, None) => "`mk brief` shows what a session is told when it starts".to_owned(),
    }
}

fn view(overview: &Overview, width: usize) -> String {
    let mut page = Page::new(width);
    page.line(1, &paint(Tone::Heading, &format!("math-forge {}", overview.version)));
    page.rule();
    let missing = "none here; math-forge keeps to what you ask it";
    page.labelled(1, "Project", overview.project.as_deref().unwrap_or(missing));
    page.labelled(1, "Database", overview.database.as_deref().unwrap_or("none yet"));
    if overview.database.is_some() {
        page.labelled(1, "Knowledge", &plural(overview.findings, "finding"));
        let counted = overview.problems.iter().map(|(status, count)| format!("{count} {status}"));
        page.labelled(1, "Problems", &counted.collect::<Vec<_>>().join(", "));
    }
    if let Some(in_flight) = overview.in_flight {
        let ready = &overview.ready_to_fetch;
        let named =
            if ready.is_empty() { String::new() } else { format!(": {}", ready.join(", ")) };
        let line = format!("{in_flight} in flight, {} ready to fetch{named}", ready.len());
        page.labelled(1, "Prover", &line);
    }
    page.labelled(1, "Guard", if overview.guard { "on" } else { "off" });
    if overview.proposals > 0 {
        page.labelled(1, "To decide", &plural(overview.proposals, "proposal"));
    }
    for trouble in &overview.troubles {
        page.paragraph(1, trouble);
    }
    page.blank();
    page.paragraph(1, &format!("Next: {}.", overview.next));
    page.hint("`mk --help` lists the commands.");
    page.into_text()
}
