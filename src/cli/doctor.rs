//! `mk doctor`: looks for what is wrong.

use crate::app::App;
use crate::app::doctor::{self, DoctorReport};
use crate::store::Health;
use crate::text::{clean, plural};
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out};

/// Look for what is wrong: binary, folders, databases, plugin, client
///
/// Changes nothing without `--fix`. No finding is ever deleted: a file that is no database any more is
/// set aside under another name.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk doctor
  mk doctor --fix           rebuilds the search index and what else can be made anew

Exit code 1 when something must be repaired.")]
pub(crate) struct Args {
    /// Mend what can be made anew: search index, hand-written rows, orphans, permissions
    #[arg(long)]
    pub(crate) fix: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = doctor::run(app, self.fix);
        out.answer(&report, |width| view(&report, width))?;
        Ok(if report.healthy { Exit::Done } else { Exit::Failed })
    }
}

/// The report, one mark and one line for each thing that was looked at.
fn view(report: &DoctorReport, width: usize) -> String {
    let mut page = Page::new(width);
    for check in &report.checks {
        let (mark, tone) = match check.health {
            Health::Good => ("✓", Tone::Good),
            Health::Warning => ("!", Tone::Caution),
            Health::Bad => ("✗", Tone::Bad),
        };
        let line = format!("{} {:<17} {}", paint(tone, mark), check.name, clean(&check.detail));
        page.line(1, &line);
    }
    let count = |health| report.checks.iter().filter(|check| check.health == health).count();
    let warnings = match count(Health::Warning) {
        0 => String::new(),
        n => format!(", {}", plural(n, "warning")),
    };
    page.blank();
    page.line(
        1,
        &match count(Health::Bad) {
            0 => format!("Nothing has to be repaired{warnings}."),
            1 => format!("1 thing has to be repaired{warnings}."),
            n => format!("{n} things have to be repaired{warnings}."),
        },
    );
    page.into_text()
}
