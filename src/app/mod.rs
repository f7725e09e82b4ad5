//! Use cases: the only place where adapters (databases, files, git) meet the pure logic.
//!
//! A use case is a function that takes [`App`] and returns plain data; it never prints.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::capture;
use crate::config::Config;
use crate::files;
use crate::log::Log;
use crate::model::Finding;
use crate::paths::{Database, Environment, Paths};
use crate::project::Project;
use crate::store::{PATIENCE, Store, StoreError, Writer, file_state};
use crate::tracking::{self, Tracking, TrackingError};

pub mod ancestors;
pub mod answer;
pub mod background;
mod begun;
pub mod git;
pub mod guard;
pub mod inject;
pub mod journal;
pub(crate) mod lean_files;
pub mod learn;
pub(crate) mod packages;
mod remembered;
pub mod session_env;
pub(crate) mod tracked;
mod transcript_end;
#[cfg(test)]
mod work_tests;

/// The year 2200. A clock that is beyond it, or before 1970, is wrong, and days that are added to its time
/// would lead out of what can be said and stored.
const LAST: Timestamp = Timestamp::constant(7_258_118_400, 0);

/// A conversion that was begun is not begun again within this time; one that was killed changed nothing.
const CONVERSION_PAUSE: Duration = Duration::from_mins(1);

/// Receives the progress of long work: units done and units in all.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// What every use case needs. Databases are opened when they are first asked for.
#[derive(Debug)]
pub struct App {
    pub environment: Environment,
    /// The time, read once; within what can be reckoned with, however wrong the clock is.
    pub now: Timestamp,
    /// The user's folders.
    pub paths: Paths,
    /// The project around the current folder.
    pub project: Project,
    pub config: Config,
    /// Where hooks and background work write what went wrong.
    pub log: Log,
    /// Which knowledge database is used.
    pub database: Database,
    /// The project's own database when there is one that the person does not trust.
    pub untrusted: Option<PathBuf>,
    /// Whether knowledge of other projects is left out.
    pub only_here: bool,
    /// Reads the clock, for a process that lives long.
    pub(crate) clock: Option<fn(&Environment) -> Timestamp>,
    db_flag: Option<PathBuf>,
    tracking_flag: Option<PathBuf>,
    /// With the state in which it was read.
    tracking: Option<(String, Arc<Tracking>)>,
    store: Option<Store>,
    patience: Option<Duration>,
}

/// No store is available because `MATH_FORGE_DB` is set and empty.
#[derive(Debug, thiserror::Error)]
#[error(
    "no store available: MATH_FORGE_DB is set and empty; unset it, or name a database file in it"
)]
pub struct NoStore;

impl App {
    /// Finds folders, project and configuration; opens nothing.
    pub fn new(
        environment: Environment,
        now: Timestamp,
        db: Option<&Path>,
        tracking: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let paths = Paths::find(&environment)?;
        let start = environment
            .path("CLAUDE_PROJECT_DIR")
            .or_else(|| environment.current_dir.clone())
            .unwrap_or_else(|| PathBuf::from("/"));
        let project = Project::find(&start);
        let config = settings(&environment, &paths, &project);
        let own = Some(project.own_database()).filter(|path| path.is_file());
        let trusted = own.is_some() && crate::trust::is_trusted(&paths, &project.main_root);
        let (trusted_db, untrusted) = if trusted { (own, None) } else { (None, own) };
        let database = Database::choose(db, &environment, trusted_db, &paths);
        let log = Log::at(paths.log_file());
        Ok(Self {
            environment,
            now: now.clamp(Timestamp::UNIX_EPOCH, LAST),
            paths,
            project,
            config,
            log,
            database,
            untrusted,
            only_here: false,
            clock: None,
            db_flag: db.map(Path::to_owned),
            tracking_flag: tracking.map(Path::to_owned),
            tracking: None,
            store: None,
            patience: None,
        })
    }

    /// The same process at this moment: the project, the settings and the database as they are by now. A
    /// database that is still the same stays open.
    pub fn renewed(&mut self) -> anyhow::Result<Self> {
        let now = self.clock.map_or(self.now, |clock| clock(&self.environment));
        let (db, tracking) = (self.db_flag.as_deref(), self.tracking_flag.as_deref());
        let mut app = Self::new(self.environment.clone(), now, db, tracking)?;
        let same = self.store.take();
        app.store = same.filter(|one| app.database.path() == Some(one.path()) && one.is_current());
        app.tracking = self.tracking.take();
        app.only_here = self.only_here;
        app.clock = self.clock;
        Ok(app)
    }

    /// The same process at work for the project around another folder: in the same database, under that
    /// project's name and with its settings.
    #[must_use]
    pub fn elsewhere(&self, folder: &Path) -> Self {
        let project = Project::find(folder);
        Self {
            config: settings(&self.environment, &self.paths, &project),
            environment: self.environment.clone(),
            now: self.now,
            paths: self.paths.clone(),
            project,
            log: self.log.clone(),
            database: self.database.clone(),
            untrusted: None,
            only_here: self.only_here,
            clock: self.clock,
            db_flag: self.db_flag.clone(),
            tracking_flag: self.tracking_flag.clone(),
            tracking: None,
            store: None,
            patience: self.patience,
        }
    }

    /// Does what must hold up nothing else; where it fails, the log says so.
    pub fn try_to<T>(
        &mut self,
        topic: &str,
        work: impl FnOnce(&mut Self) -> anyhow::Result<T>,
    ) -> Option<T> {
        work(self).map_err(|error| self.log.line(self.now, topic, &format!("{error:#}"))).ok()
    }

    /// Waits only this long for a database that another process holds. For hooks, which the client
    /// stops after a few seconds.
    pub fn wait_at_most(&mut self, patience: Duration) {
        self.patience = Some(patience);
    }

    /// The folder from which paths are named.
    pub fn here(&self) -> &Path {
        self.environment.current_dir.as_deref().unwrap_or(&self.project.start)
    }

    /// Uses another database from now on.
    pub fn use_database(&mut self, database: Database) {
        self.database = database;
        self.store = None;
    }

    /// The knowledge database, created and migrated on first use.
    pub fn store(&mut self) -> anyhow::Result<&mut Store> {
        if self.store.is_none() {
            let path = self.database.path().ok_or(NoStore)?;
            let opened = Store::open_for(path, self.patience);
            let opened = opened.map_err(|error| self.waited(error))?;
            self.store = Some(self.complete(opened));
        }
        self.store.as_mut().ok_or_else(|| NoStore.into())
    }

    /// Writes in one transaction, at the time of this command.
    pub fn write<T>(
        &mut self,
        work: impl FnOnce(&Writer<'_>) -> Result<T, StoreError>,
    ) -> anyhow::Result<T> {
        let now = self.now;
        Ok(self.store()?.write(now, work)?)
    }

    /// A database that was opened, with the sessions that began since.
    fn complete(&self, mut store: Store) -> Store {
        // A hook that only wants to read hardly waits for somebody who writes.
        let patience = self.patience.map_or(PATIENCE, |patience| patience / 6);
        store.wait_at_most(patience);
        begun::take_in(self, &mut store, patience);
        store.wait_at_most(self.patience.unwrap_or(PATIENCE));
        store
    }

    /// Closes the knowledge database until it is asked for again.
    pub(crate) fn close(&mut self) {
        self.store = None;
    }

    /// Who waited in vain for a database does not wait for it again; one of an older schema is converted
    /// in the background.
    fn waited(&mut self, error: StoreError) -> StoreError {
        match &error {
            StoreError::Locked { .. } => self.patience = self.patience.map(|_| Duration::ZERO),
            StoreError::Older { .. } => self.convert_in_background(),
            _ => {}
        }
        error
    }

    /// Any command that opens a database converts it.
    fn convert_in_background(&self) {
        let mark = self.paths.state_dir.join("converting");
        if files::is_due(&mark, self.now.into(), CONVERSION_PAUSE) {
            let (spawn, root) = (background::spawn_gently, &self.project.root);
            capture::start(self, spawn, "store", &["stats"], root);
        }
    }

    /// The knowledge database if its file exists; nothing is created.
    pub fn existing_store(&mut self) -> Result<Option<&mut Store>, StoreError> {
        if self.store.is_none()
            && let Some(path) = self.database.path()
        {
            let opened = Store::open_current(path, self.patience);
            let opened = opened.map_err(|error| self.waited(error))?;
            self.store = opened.map(|store| self.complete(store));
        }
        Ok(self.store.as_mut())
    }

    /// [`Store::leave_short_log`], where a database was opened.
    pub fn leave_short_log(&self) {
        if let Some(store) = &self.store {
            store.leave_short_log();
        }
    }

    /// Where the tracking database is: flag, `MATH_FORGE_TRACKING_DB`, configuration, the project's
    /// `submissions/tracking.db`. `None` when there is none; a path that was named need not exist.
    pub fn tracking_path(&self) -> Option<PathBuf> {
        self.tracking_flag
            .clone()
            .or_else(|| self.environment.path("MATH_FORGE_TRACKING_DB"))
            .or_else(|| self.config.tracking_path.clone())
            .or_else(|| self.project.tracking_database())
    }

    /// Reads the tracking database, if there is one; once for each of its states.
    pub fn tracking(&mut self) -> Result<Option<Arc<Tracking>>, TrackingError> {
        let Some(path) = self.tracking_path() else { return Ok(None) };
        let aliases = self.problem_aliases();
        let state = file_state(&path).ok();
        let state = state.map(|state| format!("{} {state} {aliases:?}", path.display()));
        if let Some((known, tracking)) = &self.tracking
            && state.as_ref() == Some(known)
        {
            return Ok(Some(Arc::clone(tracking)));
        }
        let read = Arc::new(Tracking::open(&path, tracking::QUICK, &aliases, &[])?);
        self.tracking = state.map(|state| (state, Arc::clone(&read)));
        Ok(Some(read))
    }

    /// Other names of problems, as a person decided; none where that cannot be read.
    pub fn problem_aliases(&mut self) -> Vec<(String, String)> {
        let store = self.existing_store().ok().flatten();
        store.and_then(|store| store.problem_aliases().ok()).unwrap_or_default()
    }

    /// Whether there is a project; what is learnt in a home folder or in `/tmp` does not become one.
    pub fn is_in_project(&self) -> bool {
        let project = &self.project;
        project.is_lean
            || project.root.join(".git").exists()
            || self.project.tracking_database().is_some()
    }

    /// The identity under which knowledge of this project is stored and found, as the database knows it
    /// by now: after a merge or a move another one than the folder gives itself. `None` outside of any
    /// project. It opens the database if there is one; where that fails, the folder's word counts.
    ///
    /// For knowledge only: see [`App::place`].
    pub fn project_identity(&mut self) -> Option<String> {
        if !self.is_in_project() {
            return None;
        }
        let identity = self.project.identity.clone();
        let is_path = identity.starts_with('/');
        let mark = is_path.then(|| self.project.mark()).flatten();
        let store = self.existing_store().ok().flatten();
        let known = store.and_then(|store| store.project(&identity, mark.as_deref()).ok());
        Some(known.unwrap_or(identity))
    }

    /// The project that answers are limited to; `None` where they may come from all.
    pub fn scope(&mut self) -> anyhow::Result<Option<String>> {
        if !self.only_here {
            return Ok(None);
        }
        self.project_identity().map(Some).ok_or_else(|| {
            anyhow::anyhow!(
                "this folder is not a project (no git, no Lake package, no submissions/tracking.db): start \
                 `mk mcp` in one, or with `--all-projects`"
            )
        })
    }

    /// Leaves out what belongs to another project than answers are limited to.
    pub fn keep_in_scope(&mut self, findings: &mut Vec<Finding>) -> anyhow::Result<()> {
        let Some(project) = self.scope()? else { return Ok(()) };
        let names = self.store()?.project_names(&project)?;
        findings.retain(|one| one.content.project.as_ref().is_none_or(|name| names.contains(name)));
        Ok(())
    }

    /// The folder under which a person's decisions about this project are kept, lifts and locks; `None`
    /// outside of any project. A clone can call itself like another project, but not be in its place.
    pub fn place(&self) -> Option<String> {
        self.is_in_project().then(|| self.project.place.to_string_lossy().into_owned())
    }
}

/// The settings that count in a project.
fn settings(environment: &Environment, paths: &Paths, project: &Project) -> Config {
    Config::load(&paths.config_file, &project.config_file(), environment)
}
