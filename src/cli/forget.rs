//! `mk forget`: a person has something forgotten.

use std::fmt::Write as _;

use crate::app::App;
use crate::app::forget::{self, ForgetReport, Request};
use crate::text::clean;
use crate::ui::{Exit, Out, person};

/// Forget findings, proposals, sessions, or everything that holds a text
///
/// A person's decision, for good: it goes from every table, the search index, the journal, the log, and
/// copies that math-forge keeps; what was read from the same place does not come back. First you see
/// what it is, then you type how many things it is. It says what it cannot reach. Inside of Claude Code only
/// `--dry-run` works, and it names ids without what they say.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk forget 12                       a finding by number, or by its uid
  mk forget 5c0f3e77a1b2             a proposal
  mk forget 0b9d7a52-5a0e-4d49-9f2b-3c1e7f6a8d10    a session with all that was learnt in it
  mk forget --matching 'Project Falcon' --dry-run")]
pub(crate) struct Args {
    /// Ids of findings, proposals and sessions, or beginnings of them
    #[arg(value_name = "ID|SESSION", required_unless_present = "matching")]
    ids: Vec<String>,
    /// Everything that holds this text; capitals of A to Z make no difference
    #[arg(long, value_name = "TEXT")]
    matching: Option<String>,
    /// Change nothing, say what would go
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask for the number; a terminal is needed all the same
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let request = Request { ids: self.ids, matching: self.matching };
        if !self.dry_run {
            person::require(app, "forgetting")?;
        }
        if !self.dry_run && forget::finish(app)? {
            out.note("What was forgotten earlier, and interrupted, is gone from the database's file now.");
        }
        let mut planned = forget::run(app, &request, true)?;
        if self.dry_run {
            if person::is_beside_client(app) {
                planned.leave_texts_out();
            }
            out.answer(&planned, |_| view(&planned))?;
            return Ok(Exit::Done);
        }
        if planned.count == 0 && planned.backups.is_empty() {
            anyhow::bail!("nothing that is kept is meant by that: nothing was changed");
        }
        if !self.yes {
            out.note(view(&planned).trim_end());
            person::require_name(app, out, "forgetting", &planned.count.to_string())?;
        }
        let done = forget::run(app, &request, false)?;
        out.answer(&done, |_| view(&done))?;
        // Gone from the tables and not from the file is not done.
        Ok(if done.cleaned || done.rows.is_empty() { Exit::Done } else { Exit::Failed })
    }
}

/// Things of one sort that are listed one by one.
const LISTED: usize = 20;

/// The report of `mk forget`.
fn view(report: &ForgetReport) -> String {
    let mut text = String::new();
    for thing in report.things.iter().take(LISTED) {
        writeln!(text, "  {} {}", clean(&thing.id), clean(&thing.text)).ok();
    }
    more(&mut text, report.things.len(), "findings and proposals");
    for session in &report.sessions {
        writeln!(text, "  session {}", clean(session)).ok();
    }
    let rows: Vec<String> =
        report.rows.iter().map(|(table, count)| format!("{count} in {}", clean(table))).collect();
    if !rows.is_empty() {
        writeln!(text, "  rows of the database: {}", rows.join(", ")).ok();
    }
    if report.journal > 0 {
        writeln!(text, "  proposals in the journal: {}", report.journal).ok();
    }
    for file in report.files.iter().take(LISTED) {
        writeln!(text, "  {}", clean(file)).ok();
    }
    more(&mut text, report.files.len(), "files");
    if report.log_lines > 0 {
        writeln!(text, "  lines of the log: {}", report.log_lines).ok();
    }
    for backup in &report.backups {
        writeln!(text, "  {} (an old copy of the database, whole)", clean(backup)).ok();
    }
    let things = if report.count == 1 { "thing" } else { "things" };
    let done = if report.dry_run { "would be forgotten" } else { "forgotten" };
    writeln!(text, "{} {things} {done}", report.count).ok();
    text.push_str("Out of reach:\n");
    for place in &report.out_of_reach {
        writeln!(text, "  - {}", clean(place)).ok();
    }
    text
}

fn more(text: &mut String, count: usize, name: &str) {
    if count > LISTED {
        writeln!(text, "  ... {count} {name} in all").ok();
    }
}
