//! What was read from databases, kept in a file while they stay unchanged: reading them takes longer than everything
//! else at a session's start.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::App;
use crate::files;
use crate::store::{file_state, time_text};
use crate::text::hash;

#[derive(Debug)]
pub(crate) struct Memory {
    file: PathBuf,
    databases: Vec<PathBuf>,
    made_with: String,
    /// At first; `None` if that cannot be told.
    states: Option<Vec<String>>,
    now: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Remembered<T> {
    made_with: String,
    states: Vec<String>,
    /// `None` for ever.
    until: Option<String>,
    value: T,
}

impl Memory {
    /// `made_with` is everything that the value depends on beside the databases.
    ///
    /// The process must not have any of them open, here and in [`Memory::keep`]: closing a file drops all locks of a
    /// process on it.
    pub(crate) fn of(
        app: &App,
        kind: &str,
        name: &Path,
        made_with: &str,
        databases: Vec<PathBuf>,
    ) -> Self {
        // Another build of this version may word things differently.
        let program =
            app.environment.executable.as_deref().and_then(|path| fs::metadata(path).ok());
        let program = program.map(|file| (file.len(), file.modified().ok()));
        let made_with = format!("{made_with} {program:?}");
        let name = std::path::absolute(name).unwrap_or_else(|_| name.to_owned());
        let name = hash(name.as_os_str().as_encoded_bytes(), 8);
        Self {
            file: app.paths.state_dir.join(kind).join(format!("{name}.json")),
            made_with: format!("{} {}", env!("CARGO_PKG_VERSION"), hash(made_with.as_bytes(), 16)),
            states: states(&databases),
            databases,
            now: time_text(app.now),
        }
    }

    pub(crate) fn recall<T: DeserializeOwned>(&self) -> Option<T> {
        let bytes = files::read(&self.file, files::SMALL).ok()?;
        let known: Remembered<T> = serde_json::from_slice(&bytes).ok()?;
        let holds = known.made_with == self.made_with
            && Some(&known.states) == self.states.as_ref()
            && known.until.is_none_or(|until| self.now < until);
        holds.then_some(known.value)
    }

    /// Unless a database was written meanwhile.
    pub(crate) fn keep<T: Serialize>(self, value: &T, until: Option<String>) {
        if self.states.is_none() || states(&self.databases) != self.states {
            return;
        }
        let states = self.states.unwrap_or_default();
        let made = Remembered { made_with: self.made_with, states, until, value };
        if let Ok(bytes) = serde_json::to_vec(&made) {
            files::replace(&self.file, &bytes).ok();
        }
    }
}

fn states(databases: &[PathBuf]) -> Option<Vec<String>> {
    databases.iter().map(|database| file_state(database).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Environment;

    #[test]
    fn it_holds_as_long_as_the_database_stays() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().to_str().unwrap();
        let at = |seconds: i64| {
            let now = jiff::Timestamp::from_second(seconds).unwrap();
            App::new(Environment::of(&[("MK_HOME", home)]), now, None, None).unwrap()
        };
        let database = dir.path().join("some.db");
        let memory = |seconds, with: &str| {
            Memory::of(&at(seconds), "kind", dir.path(), with, vec![database.clone()])
        };
        let recalled = |seconds, with: &str| memory(seconds, with).recall::<String>();
        assert_eq!(recalled(100, "a"), None, "nothing was kept");
        memory(100, "a").keep(&"none yet", Some("1970-01-01 00:10:00".to_owned()));
        for (seconds, with, holds) in
            [(100, "a", true), (599, "a", true), (600, "a", false), (100, "b", false)]
        {
            assert_eq!(recalled(seconds, with).is_some(), holds, "{seconds} {with}");
        }
        let before = memory(100, "a");
        std::fs::write(&database, "written").unwrap();
        assert_eq!(recalled(100, "a"), None);
        before.keep(&"what was read before", None);
        assert_eq!(recalled(100, "a"), None, "made too early");
    }
}
