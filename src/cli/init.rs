//! `mk init`: sets up the knowledge database, or a repository's hook.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::app::App;
use crate::app::git_hook::{self, Report, State};
use crate::app::init::{self, InitReport};
use crate::guard::audit::Selection;
use crate::text::{clean, clean_block};
use crate::ui::UsageError;
use crate::ui::progress::Progress;
use crate::ui::{Exit, Out, person};

/// Create the knowledge database, and import the tracking.db of this project if there is one
///
/// Safe to run again: nothing is doubled. Without `--project` all projects share the database in your
/// data folder, which is what lets one project learn from another.
///
/// `--git-hook` does something else: it lets git run `mk audit --staged` before each commit of this
/// repository, beside the hooks that are there. Only a person can say so.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = "Examples:
  mk init
  mk init --project        a database of this project's own, in .math-forge/
  mk init --journal ~/notes  proposals and decisions are committed in a repository of yours
  mk --db ~/try.db init --no-import
  mk init --git-hook                       commits that make something worse fail
  mk init --git-hook --deny gaps,changes   what it is that fails
  mk init --git-hook --remove")]
pub(crate) struct Args {
    /// Give this project a database of its own and trust it
    #[arg(long)]
    project: bool,
    /// Do not look for a tracking.db
    #[arg(long)]
    no_import: bool,
    /// Make no journal: proposals and your decisions about them stay in the database alone
    #[arg(long)]
    no_journal: bool,
    /// Make the journal in this folder, which may be in a repository of yours
    #[arg(long, value_name = "DIR", conflicts_with = "no_journal")]
    journal: Option<PathBuf>,
    /// Look at the Lean files of each commit: installs a pre-commit hook of git's, nothing else
    #[arg(long, conflicts_with_all = ["project", "no_import"])]
    git_hook: bool,
    /// What makes a commit fail, as for `mk audit` (default: error)
    #[arg(long, value_name = "RULES", requires = "git_hook", conflicts_with = "remove")]
    deny: Option<String>,
    /// Take the hook out again
    #[arg(long, requires = "git_hook")]
    remove: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.git_hook {
            return self.hook(app, out);
        }
        if self.journal.is_some() {
            person::require(app, "choosing the journal's folder")?;
        }
        let bar = Progress::new("importing", out.watched && !out.json);
        let asked_for_journal = self.journal.is_some();
        let journal = match self.journal {
            Some(folder) => init::JournalRequest::At(folder),
            None if self.no_journal => init::JournalRequest::None,
            None => init::JournalRequest::Own,
        };
        let request = init::Request { project: self.project, import: !self.no_import, journal };
        let report = init::run(app, &request, &|done, total| bar.show(done, total));
        drop(bar);
        let report = report?;
        out.answer(&report, |_| view(&report))?;
        // Without git there is no journal, and that alone is no failure unless it was asked for.
        let failed = report.import_failed.is_some()
            || (asked_for_journal && report.journal_failed.is_some());
        Ok(if failed { Exit::Failed } else { Exit::Done })
    }

    fn hook(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let deny = self.deny.as_deref().unwrap_or("error");
        let is_empty = deny.parse::<Selection>().map(|rules| rules.is_empty());
        if is_empty.map_err(|error| UsageError(error.to_string()))? {
            return Err(UsageError("--deny names no rule".to_owned()).into());
        }
        person::require(app, "changing what git does before a commit")?;
        let request =
            if self.remove { git_hook::Request::Remove } else { git_hook::Request::Install(deny) };
        let report = git_hook::run(app, request)?;
        out.answer(&report, |_| hook_view(&report))?;
        Ok(if report.state == State::ByHand { Exit::Failed } else { Exit::Done })
    }
}

/// The report of `mk init`.
fn view(report: &InitReport) -> String {
    let done = if report.created { "Created" } else { "Found" };
    let whose = if report.project_database { " (this project's own)" } else { "" };
    let mut text = format!(
        "{done} the knowledge database {}{whose}: {} findings\n",
        clean(&report.database),
        report.findings
    );
    if let Some(import) = &report.import {
        text.push('\n');
        text.push_str(&crate::import::view(import));
    }
    if let Some(reason) = &report.import_failed {
        writeln!(text, "The tracking.db was not imported: {}", clean(reason)).ok();
    }
    if let Some(seed) = &report.journal {
        writeln!(text, "Journal of proposals and decisions: {}", clean(seed)).ok();
    }
    if let Some(reason) = &report.journal_failed {
        writeln!(text, "No journal was made: {}", clean(reason)).ok();
    }
    if report.import.is_none() && report.findings == 0 {
        text.push_str(
            "Next: `mk extract RESULT.lean` or `mk import TRACKING.DB` fill it; in Claude Code it \
             fills itself.\n",
        );
    }
    text
}

/// The report of `mk init --git-hook`.
fn hook_view(report: &Report) -> String {
    let hook = clean(&report.hook);
    let told = match report.state {
        State::Created => format!("Created `{hook}`: Lean files are looked at before each commit"),
        State::Added => format!("Added to `{hook}`: Lean files are looked at before each commit"),
        State::Updated => format!("Brought up to date in `{hook}`"),
        State::Unchanged => format!("Nothing to do: it stands in `{hook}`"),
        State::Removed => format!("Removed from `{hook}`"),
        State::Absent => format!("Nothing to do: it does not stand in `{hook}`"),
        State::ByHand => {
            let reason = report.reason.as_deref().unwrap_or_default();
            format!("Nothing was changed in `{hook}`: {}", clean(reason))
        }
    };
    let mut text = told + "\n";
    if let Some(advice) = &report.advice {
        let (file, lines) = (clean(&advice.file), clean_block(&advice.lines));
        write!(text, "To do it by hand, add this to `{file}`:\n\n{}\n", lines.trim_end()).ok();
    }
    text
}
