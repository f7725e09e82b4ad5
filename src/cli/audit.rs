//! `mk audit`: what is not proved and what has to be trusted.

use std::path::PathBuf;

use crate::app::App;
use crate::app::audit::{self, Allowance, Report, Request, Selection, Since};
use crate::app::renames;
use crate::render;
use crate::ui::progress::Progress;
use crate::ui::{Exit, Out};

/// Find what is not proved, and what has to be trusted, in Lean files
///
/// With `--base` or `--staged` only what changed: findings that were not there before, and what was
/// lost (group `changes`): proofs, proved declarations, statements.
///
/// Exit code: 0 done and nothing denied was found, 1 something denied was found, 3 something could
/// not be looked at, 4 there was nothing to look at (with `--base` and `--staged` that is 0: most
/// commits change no Lean file). It reads text: `#print axioms` and independent checkers see what
/// text cannot show.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = "Examples:
  mk audit                                    this folder
  mk audit --deny gaps,axiom src/             fails where something is unproved or assumed
  mk audit --deny error --allow 'axiom=MyProject.Axioms.*'
  mk audit --base origin/main --deny changes  what a branch made worse
  mk audit --staged --deny error              what a commit would make worse
  mk audit --sarif > audit.sarif              for a code host
  mk audit --rules                            every rule, its group and severity")]
pub(crate) struct Args {
    /// Lean files, or folders that hold some (default: this folder; `.lake` is passed over)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only what changed since a git revision (of a branch: since the two parted), in the whole
    /// repository or below PATH
    #[arg(long, value_name = "REV", conflicts_with = "staged")]
    base: Option<String>,
    /// Only what the next commit changes
    #[arg(long)]
    staged: bool,
    /// Findings of these rules are failures: rules, groups, severities or `all`, with commas
    /// (default: `audit.deny` of the configuration)
    #[arg(long, value_name = "RULES")]
    deny: Vec<Selection>,
    /// What is no failure all the same: RULES, or RULES=GLOB for declarations and files that fit;
    /// beside `audit.allow` of the configuration
    #[arg(long, value_name = "RULES[=GLOB]")]
    allow: Vec<Allowance>,
    /// Read the project's packages for names that moved, where the knowledge database does not have
    /// them; what it has is used anyway
    #[arg(long)]
    renames: bool,
    /// Show notes too
    #[arg(long)]
    notes: bool,
    /// A SARIF 2.1.0 log
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    /// List the rules
    #[arg(long)]
    rules: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.rules {
            out.print(&render::audit::rules())?;
            return Ok(Exit::Done);
        }
        let bar = Progress::new("reading packages", out.watched && self.renames);
        let table = if self.renames {
            Some(renames::table(app, &|done, total| bar.show(done, total)))
        } else {
            renames::read_already(app)
        };
        drop(bar);
        let request = Request {
            since: self.base.map(Since::Revision).or(self.staged.then_some(Since::Staged)),
            paths: self.paths,
            deny: denied(&self.deny, app),
            allow: allowed(self.allow, app),
            renames: table.as_ref(),
        };
        for problem in &app.config.problems {
            out.complain(&format!("mk: {problem}"));
        }
        let bar = Progress::new("looking", out.watched);
        let report = audit::run(app, &request, &|done, total| bar.show(done, total));
        drop(bar);
        let report = match report {
            Ok(report) => report,
            Err(unable) => {
                out.complain(&format!("mk: {unable}"));
                return Ok(Exit::Trouble);
            }
        };
        if out.json {
            out.object(&report)?;
        } else if self.sarif {
            let log = serde_json::to_string_pretty(&render::sarif::sarif(&report))?;
            out.print(&(log + "\n"))?;
        } else if report.looked() {
            out.print(&render::audit::text(&report, out.width, self.notes))?;
        }
        for problem in &report.problems {
            out.complain(&format!("mk: {}: {}", problem.path, problem.reason));
        }
        Ok(exit(&report, out))
    }
}

/// What is denied by arguments, or without any by the configuration, which was checked when it was
/// read.
fn denied(arguments: &[Selection], app: &App) -> Selection {
    let configured: Vec<Selection> =
        app.config.audit_deny.iter().filter_map(|words| words.parse().ok()).collect();
    let mut deny = Selection::default();
    for selection in if arguments.is_empty() { &configured } else { arguments } {
        deny.extend(selection);
    }
    deny
}

fn allowed(arguments: Vec<Allowance>, app: &App) -> Vec<Allowance> {
    let configured = app.config.audit_allow.iter().filter_map(|words| words.parse().ok());
    arguments.into_iter().chain(configured).collect()
}

fn exit(report: &Report, out: &mut Out) -> Exit {
    if report.denied > 0 {
        return Exit::Findings;
    }
    if !report.problems.is_empty() {
        return Exit::Trouble;
    }
    if report.looked() {
        return Exit::Done;
    }
    if let Some(compared) = &report.compared {
        let what = render::audit::nothing_changed(compared);
        out.complain(&format!("mk: nothing to look at: {what}"));
        return Exit::Done;
    }
    out.complain("mk: nothing was looked at: there is no .lean file here");
    Exit::NothingLookedAt
}
