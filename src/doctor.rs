//! `mk doctor`: what is wrong around here, from the binary to the plugin, and mending what can be made anew.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::app::git::Repository;
use crate::app::learn::excluded_by;
use crate::app::{App, journal};
use crate::files;
use crate::jobs;
use crate::model::{Finding, JobState};
use crate::review;
use crate::store::{Check, Health, Store, StoreError, set_aside};
use crate::text::{clean, clip, plural};
use crate::tracking::Submission;
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out};

/// Check the installation: binary, folders, databases, plugin, client
///
/// Changes nothing without `--fix`. No finding is ever deleted: a file that is no longer a database
/// is kept under another name.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk doctor
  mk doctor --fix   # rebuilds the search index and what else can be made anew

Exit code 1 when something must be repaired.")]
pub(crate) struct Args {
    /// Repair what can be rebuilt: search index, hand-written rows, permissions
    #[arg(long)]
    pub(crate) fix: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = examine(app, self.fix);
        out.answer(&report, |width| view(&report, width))?;
        Ok(if report.healthy { Exit::Done } else { Exit::Failed })
    }
}

#[derive(Debug, Serialize)]
struct Report {
    /// Whether nothing must be repaired. Warnings do not count.
    healthy: bool,
    checks: Vec<Check>,
}

/// Looks at everything; with `fix` mends first what can be made anew.
fn examine(app: &mut App, fix: bool) -> Report {
    let database = database(app, fix);
    let mut checks = look(app);
    checks.extend(queue(app));
    checks.extend(database);
    Report { healthy: checks.iter().all(|check| check.health != Health::Bad), checks }
}

/// Checks the database, and with `fix` repairs first what can be made anew. One that does not exist is
/// not created. A file that is no database, or a damaged one, is set aside under another name by `fix`,
/// never deleted, and a new one begun; any other obstacle is only reported.
fn database(app: &mut App, fix: bool) -> Vec<Check> {
    let Some(path) = app.database.path().map(PathBuf::from) else {
        return vec![Check::good("database", "none: MATH_FORGE_DB is set and empty")];
    };
    let shown = path.display();
    let mut checks = Vec::new();
    let mut examined = contents(app, fix);
    if fix && examined.as_ref().is_err_and(is_beyond_repair) {
        app.use_database(app.database.clone());
        examined = set_aside(&path).and_then(|aside| {
            let text = format!("was unusable: kept as {}, and a new one started", aside.display());
            checks.push(Check::warning("database", text));
            drop(Store::open(&path)?);
            contents(app, false)
        });
    }
    match examined {
        Ok(None) => checks.push(Check::good("database", format!("{shown} (made on first use)"))),
        Ok(Some(found)) => {
            checks.push(Check::good("database", shown.to_string()));
            checks.extend(found);
        }
        Err(error) => {
            let way = if is_beyond_repair(&error) {
                "; `mk doctor --fix` keeps it under another name and starts a new one"
            } else {
                ""
            };
            checks.push(Check::bad("database", format!("{error}{way}")));
        }
    }
    checks
}

fn is_beyond_repair(error: &StoreError) -> bool {
    matches!(error, StoreError::NotADatabase { .. } | StoreError::Damaged { .. })
}

/// So many sessions without one that was read are no accident.
const UNHEARD: u64 = 5;

fn contents(app: &mut App, fix: bool) -> Result<Option<Vec<Check>>, StoreError> {
    let Some(store) = app.existing_store()? else { return Ok(None) };
    if fix {
        Store::repair(store)?;
    }
    let mut checks = store.check()?;
    let sessions = store.sessions()?;
    let is_silent = sessions.captured == 0 && sessions.seen >= UNHEARD;
    let check = if is_silent { Check::warning } else { Check::good };
    let told = format!("{} seen, {} captured", sessions.seen, sessions.captured);
    checks.push(check("sessions", told));
    let against: Vec<String> = store.contradictions()?.iter().map(contradiction).collect();
    let told = "tracking.db and the prover's answer differ in";
    let rest = "; `mk search --tag contradiction` lists them";
    checks.extend(first_of(&against, told, "file").map(|text| text + rest).map(warning));
    Ok(Some(checks))
}

fn contradiction(finding: &Finding) -> String {
    let content = &finding.content;
    let place = content.source.slot.map(|slot| format!("slot{slot}: "));
    let place = place.or_else(|| Some(format!("{}: ", content.source.file.as_deref()?)));
    place.unwrap_or_default() + content.contradiction().unwrap_or(&content.title)
}

fn warning(text: String) -> Check {
    Check::warning("tracking", text)
}

/// `told N things: the first, the second and M more`; `None` for none.
fn first_of(all: &[String], told: &str, thing: &str) -> Option<String> {
    const FIRST: usize = 3;
    let shown: Vec<String> = all.iter().take(FIRST).map(|one| clip(one, WIDTH)).collect();
    let more = match all.len().saturating_sub(FIRST) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let count = plural(all.len(), thing);
    (!all.is_empty()).then(|| format!("{told} {count}: {}{more}", shown.join("; ")))
}

/// Columns of a reason.
const WIDTH: usize = 160;

/// Jobs that were given up, and a queue that nobody works off; nothing where there was never a job.
fn queue(app: &mut App) -> Vec<Check> {
    // What is wrong with the database stands under its own name.
    let Ok(state) = jobs::state(app) else { return Vec::new() };
    let mut checks = Vec::new();
    let dead = state.count(JobState::Dead);
    if dead > 0 {
        let store = app.existing_store().ok().flatten();
        let last = store.and_then(|store| store.jobs(Some(JobState::Dead), None, 1).ok());
        let last = last.and_then(|(jobs, _)| jobs.into_iter().next());
        let last = last.map_or_else(String::new, |job| {
            format!(", the last ({}): {}", job.kind, clip(&job.outcome.unwrap_or_default(), WIDTH))
        });
        let jobs = if dead == 1 { "1 was".to_owned() } else { format!("{dead} were") };
        let text = format!("{jobs} given up{last}; `mk jobs --state dead`");
        checks.push(Check::warning("jobs", text));
    }
    if let Some(since) = &state.stuck_since {
        let why = "`mk jobs` may say why; `mk jobs run` does them now";
        checks.push(Check::warning("jobs", format!("nothing has moved since {since}: {why}")));
    }
    let open = state.count(JobState::Waiting) + state.count(JobState::Running);
    if checks.is_empty() && !state.by_state.is_empty() {
        let done = state.count(JobState::Done);
        checks.push(Check::good("jobs", format!("{open} open, {done} done")));
    }
    checks
}

/// Version of this binary, and of the plugin that belongs to it.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Looks at everything, in the order in which a person would.
fn look(app: &mut App) -> Vec<Check> {
    let executable = app.environment.executable.as_deref().map_or_else(String::new, shown);
    let mut checks = vec![Check::good("mk", format!("{VERSION}, {executable}")), search_path(app)];
    checks.extend(configuration(app));
    checks.push(log(app));
    checks.extend(untrusted(app));
    checks.extend(excluded(app));
    checks.push(tracking(app));
    checks.extend(claimed_twice(app));
    checks.extend(captures(app));
    checks.push(journal(app));
    checks.extend([plugin(app), client(app)]);
    checks
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// All programs of this name on PATH, in its order.
fn on_path(app: &App, program: &str) -> Vec<PathBuf> {
    let Some(path) = app.environment.raw("PATH") else { return Vec::new() };
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .filter(|file| file.is_file())
        .collect()
}

/// Whether another `mk` comes first in PATH.
fn search_path(app: &App) -> Check {
    let same = |file: &Path| {
        let this = app.environment.executable.as_deref().map(fs::canonicalize);
        matches!((fs::canonicalize(file), this), (Ok(file), Some(Ok(this))) if file == this)
    };
    match on_path(app, "mk").first() {
        None => Check::warning(
            "PATH",
            "no `mk` on it: your shell does not find it (Claude Code sessions do)",
        ),
        Some(first) if same(first) => Check::good("PATH", shown(first)),
        Some(first) => Check::warning(
            "PATH",
            format!("`{}` comes first and is a different file", first.display()),
        ),
    }
}

fn configuration(app: &App) -> Vec<Check> {
    let problems = &app.config.problems;
    if !problems.is_empty() {
        return problems.iter().map(|text| Check::warning("configuration", text)).collect();
    }
    let files = [app.paths.config_file.clone(), app.project.config_file()];
    let present: Vec<String> =
        files.iter().filter(|file| file.is_file()).map(|f| shown(f)).collect();
    let text =
        if present.is_empty() { "none, built-in values".to_owned() } else { present.join(", ") };
    vec![Check::good("configuration", text)]
}

fn log(app: &App) -> Check {
    let path = app.paths.log_file();
    let bytes = files::read(&path, files::LONG).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let last = text.lines().next_back().map(|line| format!("last: {}", clip(line, 160)));
    Check::good("log", format!("{}, {}", shown(&path), last.unwrap_or_else(|| "empty".to_owned())))
}

fn untrusted(app: &App) -> Option<Check> {
    let path = app.untrusted.as_deref()?;
    Some(Check::warning(
        "project database",
        format!(
            "`{}` came with this project and is not used: `mk trust` allows it",
            path.display()
        ),
    ))
}

/// Whether nothing is learnt from sessions here.
fn excluded(app: &App) -> Option<Check> {
    let setting = excluded_by(app, &app.project, &app.config.learn_exclude)?;
    let what = format!("nothing is learnt from sessions here: `learn.exclude` has `{setting}`");
    Some(Check::good("learning", what))
}

fn tracking(app: &mut App) -> Check {
    let Some(path) = app.tracking_path() else {
        return Check::good("tracking database", "none here");
    };
    let now = app.now;
    match app.tracking() {
        Ok(Some(tracking)) => Check::good(
            "tracking database",
            format!("{}, {} submissions", path.display(), tracking.state(now).total),
        ),
        Ok(None) => Check::good("tracking database", "none here"),
        Err(error) => Check::bad("tracking database", error.to_string()),
    }
}

/// Rows of the tracking database that claim one answer, or call proved what has no answer.
fn claimed_twice(app: &mut App) -> Vec<Check> {
    let now = app.now;
    let Ok(Some(tracking)) = app.tracking() else { return Vec::new() };
    let twice = tracking.ledger.claimed_twice();
    // What came back lately waits to be fetched.
    let ready = tracking.state(now).ready;
    let called = tracking.ledger.submissions.iter().filter(|one| {
        one.is_called_proved()
            && !ready.iter().any(|new| new.uuid == one.uuid && new.label == one.label)
    });
    let called: Vec<Submission> = called.cloned().collect();
    let project = app.project_identity();
    let Ok(Some(store)) = app.existing_store() else { return Vec::new() };
    let is_missing = |one: &&Submission| {
        !store.is_answered(one.uuid.as_deref(), one.slot, project.as_deref()).unwrap_or(true)
    };
    let unseen: Vec<String> =
        called.iter().filter(is_missing).map(|one| one.label.clone()).collect();
    let twice = first_of(&twice, "several rows claim", "answer");
    let unseen = first_of(&unseen, "called proved, but no answer was read:", "submission");
    [twice, unseen].into_iter().flatten().map(warning).collect()
}

/// Result files that the background could not take in.
fn captures(app: &mut App) -> Vec<Check> {
    let Ok(Some(store)) = app.existing_store() else { return Vec::new() };
    let failed = store.failed_sources(5).unwrap_or_default();
    failed
        .into_iter()
        .map(|(path, reason)| Check::warning("capture", format!("`{path}`: {reason}")))
        .collect()
}

/// Where proposals and decisions are kept under git, and whether some still have to be written.
fn journal(app: &mut App) -> Check {
    let Some(seed) = journal::place(app) else {
        return Check::good("proposal journal", "none (`mk init` makes one)");
    };
    let shown = shown(&seed);
    if seed.parent().and_then(Repository::around).is_none() {
        let text = format!("`{shown}` is not in a git repository: nothing is written to it");
        return Check::warning("proposal journal", text);
    }
    // What is wrong with the database stands under its own name.
    let waiting = match review::unjournaled(app).unwrap_or_default() {
        0 => String::new(),
        1 => ", 1 entry will be written next time".to_owned(),
        n => format!(", {n} entries will be written next time"),
    };
    Check::good("proposal journal", shown + &waiting)
}

fn plugin(app: &App) -> Check {
    let folder = app
        .environment
        .path("CLAUDE_CONFIG_DIR")
        .or_else(|| app.environment.path("HOME").map(|home| home.join(".claude")));
    let record = folder.map(|folder| folder.join("plugins").join("installed_plugins.json"));
    let installed = record.and_then(|record| files::read(&record, files::SMALL).ok());
    let installed: Option<Value> = installed.and_then(|it| serde_json::from_slice(&it).ok());
    let plugins = installed.as_ref().and_then(|it| it["plugins"].as_object());
    let ours = plugins.and_then(|all| all.iter().find(|(name, _)| name.starts_with("math-forge@")));
    let last = ours.and_then(|(_, installations)| installations.as_array()?.last());
    let version = last.map(|one| one["version"].as_str().unwrap_or_default());
    match version {
        None => Check::warning(
            "plugin",
            "not registered with Claude Code: run `./install.sh`, or `claude plugin install`",
        ),
        Some(version) if version == VERSION => Check::good("plugin", version),
        Some(version) => Check::warning(
            "plugin",
            format!("version {version}, but this mk is {VERSION}: run the newer `./install.sh`"),
        ),
    }
}

fn client(app: &App) -> Check {
    match on_path(app, "claude").first() {
        Some(claude) => Check::good("client", shown(claude)),
        None => Check::warning("client", "no `claude` on PATH: only the command line can be used"),
    }
}

/// The report, one mark and one line for each thing that was looked at.
fn view(report: &Report, width: usize) -> String {
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
    let bad = match count(Health::Bad) {
        0 => "Nothing has".to_owned(),
        1 => "1 thing has".to_owned(),
        n => format!("{n} things have"),
    };
    page.blank();
    page.line(1, &format!("{bad} to be repaired{warnings}."));
    page.into_text()
}
