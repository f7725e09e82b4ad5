//! `mk inject test`: what would be said beside a prompt.

use serde::Serialize;

use super::{PROMPT, about, cues_of, has_words, is_excluded, is_vain};
use crate::app::App;
use crate::brief::context::{ContextItem, Packed, Relevance, THRESHOLD};
use crate::brief::cues::Cues;
use crate::text::{clean, clip};
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out};

/// Try out what a session here would be told
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk inject test \"prove erdos 850\"
  mk inject test --json \"why does main_bound fail for even n\"")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Shows what would be added to a prompt, with scores and reasons; stores nothing
    #[command(after_help = "Examples:
  mk inject test \"prove erdos 850\"
  mk inject test --json \"why does main_bound fail for even n\"")]
    Test {
        /// The prompt
        #[arg(required = true)]
        prompt: Vec<String>,
    },
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Action::Test { prompt } = self.action;
        let report = test(app, &prompt.join(" "))?;
        out.answer(&report, |width| view(&report, width))
    }
}

/// What would be said beside a prompt in a new session here (`mk inject test`).
#[derive(Debug, Serialize)]
pub struct TestReport {
    pub cues: Cues,
    /// Why nothing would be told.
    pub silent: Option<&'static str>,
    pub threshold: f64,
    /// Best first.
    pub found: Vec<Found>,
    pub text: String,
    pub tokens: usize,
}

#[derive(Debug, Serialize)]
pub struct Found {
    #[serde(flatten)]
    pub item: ContextItem,
    /// `body`, `index`, or `no`.
    pub said: &'static str,
}

/// Nothing is stored.
pub fn test(app: &mut App, prompt: &str) -> anyhow::Result<TestReport> {
    let cues = cues_of(app, prompt)?;
    let silent = silent(app, prompt);
    let mut items = about(app, &cues, has_words(app))?;
    let worth = items.iter().filter(|item| item.relevance.score >= THRESHOLD).cloned();
    let packed = if silent.is_some() { Packed::default() } else { PROMPT.pack(worth.collect()) };
    items.sort_by(ContextItem::best_first);
    let found = items.into_iter().map(|item| {
        let shown = packed.items.iter().find(|one| one.item.label == item.label);
        Found { said: shown.map_or("no", |one| one.form), item }
    });
    let found = found.collect();
    let (text, tokens) = (packed.text, packed.tokens);
    Ok(TestReport { cues, silent, threshold: THRESHOLD, found, text, tokens })
}

fn silent(app: &mut App, prompt: &str) -> Option<&'static str> {
    if !app.config.inject_enabled {
        return Some("it is switched off (`inject.enabled`, MK_INJECT)");
    }
    if is_excluded(app) {
        return Some("this project is excluded (`inject.exclude`, `learn.exclude`)");
    }
    if is_vain(app, prompt) {
        return Some("the text names nothing specific");
    }
    match app.existing_store() {
        Ok(None) => Some("there is no knowledge base yet"),
        _ => None,
    }
}

fn view(report: &TestReport, width: usize) -> String {
    let mut page = Page::new(width);
    let cues = &report.cues;
    page.labelled(1, "Names", &cues.names.join(", "));
    let slots = cues.named.slots.iter().map(|slot| format!("slot{slot}"));
    let named: Vec<String> = cues.named.problems.iter().cloned().chain(slots).collect();
    page.labelled(1, "Problems and slots", &named.join(", "));
    page.labelled(1, "Words", &cues.words.join(", "));
    page.rule();
    if let Some(reason) = report.silent {
        page.paragraph(1, &format!("Nothing is said: {reason}."));
    } else if report.text.is_empty() {
        page.paragraph(1, "Nothing is said: nothing relevant is known.");
    } else {
        page.line(1, &format!("{} ({} tokens)", paint(Tone::Heading, "Said"), report.tokens));
        for line in report.text.lines() {
            page.paragraph(2, line);
        }
    }
    if !report.found.is_empty() {
        page.blank();
        page.heading("FOUND", Some(report.found.len()));
    }
    for Found { item, said } in &report.found {
        let ContextItem { label, kind, name, .. } = item;
        let Relevance { score, priority, rule, why } = &item.relevance;
        page.line(2, &clip(&format!("{label} {kind} {}", clean(name)), page.room(2)));
        let enough = if *score >= report.threshold { "" } else { ", too little" };
        page.parts(
            3,
            vec![
                format!("score {score}{enough}"),
                format!("priority {priority}"),
                format!("{rule}: {why}"),
                format!("said: {said}"),
            ],
        );
    }
    page.into_text()
}
