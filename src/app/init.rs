//! `mk init`: creates the knowledge database, and takes over the tracking.db that it finds.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;

use super::{App, NoStore, Progress, journal, settings, trust};
use crate::files;
use crate::import::{self, ImportReport};
use crate::paths::Database;
use crate::store::Store;

#[derive(Debug, Serialize)]
pub struct InitReport {
    pub database: String,
    pub created: bool,
    pub findings: u64,
    /// Whether the database belongs to the project alone.
    pub project_database: bool,
    /// The import, where a tracking.db was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import: Option<ImportReport>,
    /// Why a tracking.db that was found could not be taken over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import_failed: Option<String>,
    /// The journal's file, where there is a journal.
    pub journal: Option<String>,
    /// Why no journal could be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_failed: Option<String>,
}

/// Which journal to make for proposals and decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum JournalRequest {
    /// One in the data folder, unless the configuration names another.
    #[default]
    Own,
    /// One in this folder; the user's configuration remembers it.
    At(PathBuf),
    /// None. One that is there stays.
    None,
}

#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Give this project a database of its own, and trust it.
    pub project: bool,
    /// Take over the tracking.db that is found.
    pub import: bool,
    pub journal: JournalRequest,
}

/// Creates or opens the database and imports; running it again changes nothing.
///
/// A tracking.db that cannot be read, or a journal that cannot be made, is reported and does not fail
/// the rest: the database is there.
pub fn run(app: &mut App, request: &Request, progress: Progress<'_>) -> anyhow::Result<InitReport> {
    if request.project {
        own_database(app)?;
    }
    let path = app.database.path().ok_or(NoStore)?.to_owned();
    let created = !path.exists();
    app.store()?;
    let found = request.import.then(|| app.tracking_path()).flatten();
    let (import, import_failed) =
        match found.map(|path| import::run(app, Some(&path), false, progress)) {
            None => (None, None),
            Some(Ok(report)) => (Some(report), None),
            Some(Err(error)) => (None, Some(format!("{error:#}"))),
        };
    let findings = app.store()?.stats()?.findings.total;
    let journal_failed = journal(app, &request.journal).err().map(|error| format!("{error:#}"));
    Ok(InitReport {
        database: path.display().to_string(),
        created,
        findings,
        project_database: request.project,
        import,
        import_failed,
        journal: journal::place(app).map(|seed| seed.display().to_string()),
        journal_failed,
    })
}

fn journal(app: &mut App, request: &JournalRequest) -> anyhow::Result<()> {
    match request {
        JournalRequest::None => {}
        JournalRequest::Own if app.config.seed.is_some() => {}
        JournalRequest::Own => {
            journal::create_own(app)?;
        }
        JournalRequest::At(folder) => {
            let folder = std::path::absolute(folder)?;
            let seed = journal::create(&folder)?;
            remember_seed(app, &seed)?;
        }
    }
    Ok(())
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
    settings::set(app, "seed", path, false)?;
    app.config.seed = Some(seed.to_owned());
    Ok(())
}

/// Makes the project's own database the one in use. The file comes first, the trust second: what is
/// trusted is what was made here, unless the person trusted the project before.
fn own_database(app: &mut App) -> anyhow::Result<()> {
    let path = app.project.own_database();
    let root = app.project.main_root.clone();
    if path.exists() && !trust::is_trusted(&app.paths, &root) {
        anyhow::bail!(
            "`{}` is there already and not trusted: look where it comes from, then run `mk trust`",
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
