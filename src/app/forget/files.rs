//! The files that math-forge keeps outside of its database, as far as something to be forgotten may
//! stand in them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::app::App;
use crate::app::guard::session::Session;
use crate::files;
use crate::store::{Forget, ForgottenRows};

/// Folders and files of the state folder in which texts of sessions or names of projects stand. Only
/// these: on some systems the database lies in the same folder.
const KEPT: [&str; 6] = ["sessions", "tickets", "begun", "said", "named", "tracked"];

/// A longer file holds no text of ours.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// What is kept, and what of it is to go.
pub(super) struct Kept<'a> {
    app: &'a App,
    sessions: &'a [String],
    /// Texts in small letters.
    texts: Vec<String>,
}

impl<'a> Kept<'a> {
    pub(super) fn of(app: &'a App, what: &'a Forget, rows: &ForgottenRows) -> Self {
        let words = what.texts.iter().chain(&rows.transcripts);
        let texts = words.map(|text| text.to_lowercase()).collect();
        Self { app, sessions: &what.sessions, texts }
    }

    /// Copies of the database as it was before its form changed: all of them, since what is in them
    /// cannot be changed safely, and nothing depends on them.
    pub(super) fn backups(&self, dry_run: bool) -> anyhow::Result<Vec<String>> {
        beside(self.app, ".bak-v").into_iter().map(|path| remove(&path, dry_run)).collect()
    }

    /// Folders of the sessions and their tickets; and every file that holds a text.
    pub(super) fn files(&self, dry_run: bool) -> anyhow::Result<Vec<String>> {
        let state = &self.app.paths.state_dir;
        let mut gone = Vec::new();
        if !dry_run {
            // What sessions would be told is made anew.
            fs::remove_dir_all(state.join("starts")).ok();
        }
        for session in self.sessions {
            let folder = Session::of(self.app, session).map(|session| session.folder);
            let name: String =
                session.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            let ticket = state.join("tickets").join(format!("{name}.json"));
            let places = folder.into_iter().chain([ticket]);
            for path in places.filter(|path| !name.is_empty() && path.exists()) {
                gone.push(remove(&path, dry_run)?);
            }
        }
        if !self.texts.is_empty() {
            for place in KEPT {
                self.search(&state.join(place), dry_run, &mut gone)?;
            }
        }
        gone.sort();
        gone.dedup();
        Ok(gone)
    }

    fn search(&self, path: &Path, dry_run: bool, gone: &mut Vec<String>) -> anyhow::Result<()> {
        let Ok(meta) = fs::symlink_metadata(path) else { return Ok(()) };
        if meta.is_dir() {
            let mut entries: Vec<PathBuf> =
                fs::read_dir(path)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
            entries.sort();
            return entries.iter().try_for_each(|entry| self.search(entry, dry_run, gone));
        }
        let holds = meta.is_file()
            && files::read(path, MOST_BYTES)
                .is_ok_and(|bytes| self.holds(&String::from_utf8_lossy(&bytes)));
        if holds {
            // The copy of a file, and beside it the file's path.
            for file in [path.to_owned(), path.with_extension("path"), path.with_extension("")] {
                if file.is_file() {
                    gone.push(remove(&file, dry_run)?);
                }
            }
        }
        Ok(())
    }

    /// Lines of the log that name a session or hold a text.
    pub(super) fn log_lines(&self, dry_run: bool) -> anyhow::Result<u64> {
        let log = self.app.paths.log_file();
        let mut gone = 0;
        for path in [log.clone(), log.with_extension("log.1")] {
            let Ok(bytes) = files::read(&path, files::LONG) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            let named = |line: &str| self.sessions.iter().any(|session| line.contains(session));
            let goes = |line: &&str| named(line) || self.holds(line);
            let lines = text.lines().filter(goes).count();
            gone += lines as u64;
            if lines > 0 && !dry_run {
                let kept: String =
                    text.lines().filter(|line| !goes(line)).flat_map(|line| [line, "\n"]).collect();
                files::replace(&path, kept.as_bytes())
                    .with_context(|| format!("could not write `{}`", path.display()))?;
            }
        }
        Ok(gone)
    }

    fn holds(&self, text: &str) -> bool {
        if self.texts.is_empty() {
            return false;
        }
        let text = text.to_lowercase();
        self.texts.iter().any(|wanted| text.contains(wanted))
    }
}

/// Files beside the database whose names go on like this.
pub(in crate::app) fn beside(app: &App, end: &str) -> Vec<PathBuf> {
    let Some(database) = app.database.path() else { return Vec::new() };
    let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else {
        return Vec::new();
    };
    let start = format!("{}{end}", name.to_string_lossy());
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&start))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

fn remove(path: &Path, dry_run: bool) -> anyhow::Result<String> {
    if !dry_run {
        let gone = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        gone.with_context(|| format!("could not remove `{}`", path.display()))?;
    }
    Ok(path.display().to_string())
}
