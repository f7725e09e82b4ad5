//! `mk inject test`: what would be said beside a prompt.

use crate::app::App;
use crate::app::inject::{Found, TestReport, test};
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
    /// Shows what would be said beside a prompt, with scores and reasons; nothing is stored
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
        out.answer(&report, |width| inject_test(&report, width))?;
        Ok(Exit::Done)
    }
}

/// What would be said beside a prompt.
fn inject_test(report: &TestReport, width: usize) -> String {
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
        let (title, why) = (clean(&item.name), &item.relevance);
        page.line(2, &clip(&format!("{} {} {title}", item.label, item.kind), page.room(2)));
        let enough = if why.score >= report.threshold { "" } else { ", too little" };
        page.parts(
            3,
            vec![
                format!("score {}{enough}", why.score),
                format!("priority {}", why.priority),
                format!("{}: {}", why.rule, why.why),
                format!("said: {said}"),
            ],
        );
    }
    page.into_text()
}
