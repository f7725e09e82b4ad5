//! `mk init`: sets up the knowledge database and takes over the tracking.db that it finds; or installs what git and
//! other programs read.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;

use crate::app::{App, NoStore, journal};
use crate::hosts::{Host, Setup};
use crate::import::{self, ImportReport};
use crate::paths::Database;
use crate::store::Store;
use crate::text::{clean, plural};
use crate::ui::progress::Progress;
use crate::ui::{Exit, Out, person};
use crate::{files, git_hook, hosts, trust};

/// Create the knowledge database, and import the project's tracking.db if there is one
///
/// Safe to run again: nothing is doubled. Without `--project` all projects share the database in your
/// data folder, which is what lets one project learn from another.
///
/// `--git-hook` does something else: it makes git run `mk audit --staged` before each commit of
/// this repository. Where a hook is there already, it prints the lines to add. `--mcp` and `--host` write what
/// an agent's program reads in this project, `--status-line` a line of your Claude Code settings. Only a
/// person can do these.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = "Examples:
  mk init
  mk init --project          # a database of this project's own, in .math-forge/
  mk init --journal ~/notes  # proposals and decisions are committed in a repository of yours
  mk --db ~/try.db init --no-import
  mk init --git-hook                       # refuse commits that make something worse
  mk init --git-hook --deny gaps,changes   # which findings refuse a commit
  mk init --git-hook --remove
  mk init --mcp                            # Claude Code asks mk through MCP in this project
  mk init --host codex --dry-run           # what Codex would read
  mk init --status-line                    # Claude Code shows `mk status --line`")]
pub(crate) struct Args {
    /// Give this project a database of its own and trust it
    #[arg(long)]
    project: bool,
    /// Do not look for a tracking.db
    #[arg(long)]
    no_import: bool,
    /// Make no journal: proposals and your decisions stay in the database only
    #[arg(long)]
    no_journal: bool,
    /// Make the journal in this folder, which may be in one of your repositories
    #[arg(long, value_name = "DIR", conflicts_with = "no_journal")]
    journal: Option<PathBuf>,
    /// Check the Lean files of each commit: only installs a pre-commit hook
    #[arg(long, conflicts_with_all = ["project", "no_import"], group = "set_up")]
    git_hook: bool,
    /// What makes a commit fail, as for `mk audit` (default: error)
    #[arg(long, value_name = "RULES", requires = "git_hook", conflicts_with = "remove")]
    deny: Option<String>,
    /// Let Claude Code ask through MCP in this project
    #[arg(long, groups = ["elsewhere", "set_up"], conflicts_with_all = ["project", "no_import", "no_journal", "journal"])]
    mcp: bool,
    /// Set up another program's agent in this project
    #[arg(long, value_name = "HOST", value_enum, groups = ["elsewhere", "set_up"], conflicts_with_all = ["project", "no_import", "no_journal", "journal"])]
    host: Option<Host>,
    /// Show `mk status --line` in Claude Code
    #[arg(long, groups = ["elsewhere", "set_up"], conflicts_with_all = ["project", "no_import", "no_journal", "journal"])]
    status_line: bool,
    /// Only say what would be written
    #[arg(long, requires = "elsewhere")]
    dry_run: bool,
    /// Remove what was set up
    #[arg(long, requires = "set_up")]
    remove: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.git_hook {
            return git_hook::run(app, out, self.deny.as_deref(), self.remove);
        }
        let host = self.host.or(self.mcp.then_some(Host::Claude));
        let setup = host.map(Setup::Host).or(self.status_line.then_some(Setup::StatusLine));
        if let Some(setup) = setup {
            return hosts::run(app, out, setup, self.remove, self.dry_run);
        }
        if self.journal.is_some() {
            person::require(app, "choosing the journal's folder")?;
        }
        let bar = Progress::new("importing", out.watched && !out.json);
        let report = self.set_up(app, &|done, total| bar.show(done, total));
        drop(bar);
        let report = report?;
        out.answer(&report, |_| view(&report))?;
        // Without git there is no journal, and that alone is no failure unless it was asked for.
        let failed = report.import_failed.is_some()
            || (self.journal.is_some() && report.journal_failed.is_some());
        Ok(if failed { Exit::Failed } else { Exit::Done })
    }

    /// Creates or opens the database and imports; running it again changes nothing.
    ///
    /// A tracking.db that cannot be read, or a journal that cannot be made, is reported and does not fail
    /// the rest: the database is there.
    fn set_up(&self, app: &mut App, progress: crate::app::Progress<'_>) -> anyhow::Result<Report> {
        if self.project {
            own_database(app)?;
        }
        let path = app.database.path().ok_or(NoStore)?.to_owned();
        let created = !path.exists();
        app.store()?;
        let found = (!self.no_import).then(|| app.tracking_path()).flatten();
        let (import, import_failed) =
            match found.map(|path| import::run(app, Some(&path), false, progress)) {
                None => (None, None),
                Some(Ok(report)) => (Some(report), None),
                Some(Err(error)) => (None, Some(format!("{error:#}"))),
            };
        let findings = app.store()?.stats()?.findings.total;
        let journal_failed = self.journal(app).err().map(|error| format!("{error:#}"));
        Ok(Report {
            database: path.display().to_string(),
            created,
            findings,
            project_database: self.project,
            import,
            import_failed,
            journal: journal::place(app).map(|seed| seed.display().to_string()),
            journal_failed,
        })
    }

    fn journal(&self, app: &mut App) -> anyhow::Result<()> {
        if let Some(folder) = &self.journal {
            let folder = std::path::absolute(folder)?;
            let seed = journal::create(&folder)?;
            remember_seed(app, &seed)?;
        } else if !self.no_journal && app.config.seed.is_none() {
            journal::create_own(app)?;
        }
        Ok(())
    }
}

#[derive(Debug, Serialize)]
struct Report {
    database: String,
    created: bool,
    findings: u64,
    /// Whether the database belongs to the project alone.
    project_database: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    import: Option<ImportReport>,
    /// Why a tracking.db that was found could not be taken over.
    #[serde(skip_serializing_if = "Option::is_none")]
    import_failed: Option<String>,
    journal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    journal_failed: Option<String>,
}

/// Puts `seed = "..."` into the user's configuration.
fn remember_seed(app: &mut App, seed: &Path) -> anyhow::Result<()> {
    let file = app.paths.config_file.clone();
    match &app.config.seed {
        Some(known) if known == seed => return Ok(()),
        Some(known) => anyhow::bail!(
            "`{}` says that the journal is `{}`: change `seed` there first",
            file.display(),
            known.display()
        ),
        None => {}
    }
    let path = seed.to_str().with_context(|| {
        format!("the path `{}` cannot be written into the configuration", seed.display())
    })?;
    crate::settings::set(app, "seed", path, false)?;
    app.config.seed = Some(seed.to_owned());
    Ok(())
}

/// Makes the project's own database the one in use. The file comes first, the trust second: what is
/// trusted is what was made here, unless the person trusted the project before.
pub(crate) fn own_database(app: &mut App) -> anyhow::Result<()> {
    let path = app.project.own_database();
    let root = app.project.main_root.clone();
    if path.exists() && !trust::is_trusted(&app.paths, &root) {
        anyhow::bail!(
            "`{}` already exists and is not trusted: check where it comes from, then run `mk trust`",
            path.display()
        );
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("could not create `{}`", folder.display()))?;
        keep_out_of_git(folder)?;
    }
    drop(Store::open(&path)?);
    trust::trust(&app.paths, &root)?;
    app.use_database(Database::At { path, origin: "project" });
    Ok(())
}

/// The database is no source: git is told to leave it alone; the configuration beside it may be committed.
fn keep_out_of_git(folder: &Path) -> anyhow::Result<()> {
    let file = folder.join(".gitignore");
    if file.exists() {
        return Ok(());
    }
    files::replace(&file, b"knowledge.db*\n")
        .with_context(|| format!("could not write `{}`", file.display()))
}

fn view(report: &Report) -> String {
    let done = if report.created { "Created" } else { "Found" };
    let whose = if report.project_database { " (this project's own)" } else { "" };
    let mut text = format!(
        "{done} the knowledge database {}{whose}: {}\n",
        clean(&report.database),
        plural(report.findings, "finding")
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
