//! What a session's start leaves to be stored. The hook writes nothing to the database, so it waits for no other
//! writer, and what it read holds for the next start. Whoever opens the database next stores it first.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{App, learn};
use crate::files;
use crate::hook::{Event, StartSource};
use crate::store::{Injection, Store, StoreError, TranscriptState};
use crate::text::hash;

#[derive(Debug, Serialize, Deserialize)]
struct Begun {
    session: String,
    /// Seconds since 1970.
    at: i64,
    project: Option<String>,
    /// `None` where nothing is learnt from it.
    transcript: Option<String>,
    source: StartSource,
    told: Vec<Injection>,
}

pub(crate) fn leave(
    app: &App,
    event: &Event,
    source: StartSource,
    project: Option<String>,
    told: Vec<Injection>,
) -> io::Result<()> {
    let Some(database) = app.database.path().filter(|_| !event.session.is_empty()) else {
        return Ok(());
    };
    let transcript = event.transcript.as_deref().filter(|_| !learn::is_excluded(app));
    let agent = event.agent.clone().unwrap_or_default();
    let told = told.into_iter().map(|row| Injection {
        session: event.session.clone(),
        agent: agent.clone(),
        ..row
    });
    let begun = Begun {
        session: event.session.clone(),
        at: app.now.as_second(),
        project,
        transcript: transcript.map(|path| path.to_string_lossy().into_owned()),
        source,
        told: told.collect(),
    };
    // Sorts by time.
    let name = format!("{:020}-{}.json", app.now.as_nanosecond(), std::process::id());
    let file = folder(&app.paths.state_dir, database).join(name);
    files::replace(&file, &serde_json::to_vec(&begun)?)
}

pub(crate) fn waits(app: &App) -> bool {
    let database = app.database.path();
    database.is_some_and(|database| {
        !files::ending_in(&folder(&app.paths.state_dir, database), "json").is_empty()
    })
}

/// What cannot be stored within `patience` stays for the next one.
pub(crate) fn take_in(app: &App, store: &mut Store, patience: Duration) {
    let folder = folder(&app.paths.state_dir, store.path());
    if files::ending_in(&folder, "json").is_empty() {
        return;
    }
    // One at a time: a file goes once it is stored.
    let Ok(Some(_lock)) = files::lock(&folder.join("lock"), patience) else { return };
    for path in files::ending_in(&folder, "json") {
        let Ok(bytes) = files::read(&path, files::SMALL) else { continue };
        let stored = serde_json::from_slice(&bytes)
            .map_err(|error| format!("`{}` is not the start of a session: {error}", path.display()))
            .map(|begun: Begun| begun.store(store));
        match stored {
            Ok(Err(
                StoreError::Locked { .. } | StoreError::ReadOnly { .. } | StoreError::Full { .. },
            )) => return,
            Ok(Err(error)) => app.log.line(app.now, "store", &format!("{error:#}")),
            Err(error) => app.log.line(app.now, "store", &error),
            Ok(Ok(())) => {}
        }
        fs::remove_file(&path).ok();
    }
}

impl Begun {
    fn store(&self, store: &mut Store) -> Result<(), StoreError> {
        // Resuming brings the same text, which the client does not send again.
        let before = match self.source {
            StartSource::Resume => store.injections(&self.session)?,
            _ => Vec::new(),
        };
        let is_new = |row: &&Injection| {
            !before.iter().any(|one| one.event == row.event && one.label == row.label)
        };
        let known = self.transcript.as_deref().map(|path| store.transcript(path)).transpose()?;
        let at = Timestamp::from_second(self.at).unwrap_or(Timestamp::UNIX_EPOCH);
        store.write(at, |writer| {
            writer.note_session(&self.session, self.project.as_deref(), false)?;
            if matches!(self.source, StartSource::Compact | StartSource::Clear) {
                writer.forget_context(&self.session)?;
            }
            self.told.iter().filter(is_new).try_for_each(|row| writer.note_injection(row))?;
            match (&self.transcript, known.flatten()) {
                (Some(path), None) => writer.put_transcript(&TranscriptState {
                    path: path.clone(),
                    session: Some(self.session.clone()),
                    project: self.project.clone(),
                    ..TranscriptState::default()
                })?,
                // A resumed session may end without a word this time.
                (Some(path), Some(known)) if known.closed => writer.reopen(path)?,
                _ => {}
            }
            Ok(())
        })
    }
}

fn folder(state_dir: &Path, database: &Path) -> PathBuf {
    let database = std::path::absolute(database).unwrap_or_else(|_| database.to_owned());
    state_dir.join("begun").join(hash(database.as_os_str().as_encoded_bytes(), 8))
}
