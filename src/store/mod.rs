//! `knowledge.db`: one SQLite file that the stock shell can read and write too. All SQL about it is here, a file
//! per family of records. Nothing here prints, reads the clock or knows where the file ought to be.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};

/// SQL: whether one of the tags in a column, separated by commas, is this one.
macro_rules! has_tag {
    ($column:literal, $tag:literal) => {
        concat!(
            "(instr(',' || replace(coalesce(",
            $column,
            ", ''), ', ', ',') || ',', ',",
            $tag,
            ",') > 0)"
        )
    };
}

mod check;
mod connect;
mod error;
mod facts;
mod files;
mod findings;
mod forget;
mod guard;
mod jobs;
mod kernel;
mod ledger;
mod lessons;
mod problems;
mod projects;
mod proposals;
mod prune;
mod query;
mod queue;
mod rank;
mod recall;
mod rows;
mod runs;
mod search;
mod sources;
mod state;
mod stats;
mod strategies;
mod symbols;
#[cfg(test)]
pub(crate) mod tests;

use crate::model::KnownProblems;
pub(crate) use crate::text::time_text;
pub use check::{Check, Health, set_aside};
pub use connect::PATIENCE;
pub use error::{Result, StoreError};
pub use facts::FactEvent;
pub use files::{ReadText, SourceState, TranscriptState};
pub use findings::{Exported, ListFilter};
pub use forget::{Forget, ForgottenRows};
pub use guard::{LogFilter, ProblemTarget};
pub use jobs::{FIRST_WAIT, JobRecord, MODEL_WAIT, MOST_ATTEMPTS};
pub use kernel::{FILE_GONE, KernelCheck, KernelFile, NEGATION, SeenFile};
pub use ledger::{Injection, Told};
pub use lessons::{NamedTheorem, Sighting, Unworded};
pub use problems::ProblemView;
pub use projects::{ProjectPlace, ProjectUse};
pub use proposals::Waiting;
pub(crate) use query::{Word, is_empty_word};
pub(crate) use rank::Wanted;
pub use recall::{AtHand, Recalled};
pub use runs::{BY_RULES, DueFilter, FetchedRun, MOST_FAILURES};
pub use search::{Hit, SearchQuery, SearchResult, Stage};
pub use sources::{Asked, FileFindings, FindingSource, OpenGap, OpenIn, Opposite, SameElsewhere};
pub use state::file_state;
pub use stats::{DatabaseFacts, Failed, FindingCounts, SessionCounts, Stats};
pub use strategies::TechniqueUse;
pub(crate) use symbols::{Piece, each_camel_part, is_word_char, pieces, split_camel};

#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
    /// Device and number of the file that was opened.
    file: Option<(u64, u64)>,
    /// Transactions of this process.
    written: Cell<u64>,
    names: Remembered<problems::NamesByKey>,
    known: Remembered<KnownProblems>,
}

/// What was made of the database, and of which of its states.
type Remembered<T> = RefCell<Option<((i64, u64), Arc<T>)>>;

/// A transaction: what a [`Store`] reads, this reads too.
#[derive(Debug)]
pub struct Writer<'a> {
    store: &'a Store,
    /// As the database spells times.
    now: String,
}

impl Deref for Writer<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.store
    }
}

fn make_anew(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("INSERT INTO findings_fts(findings_fts) VALUES ('rebuild')")?;
    stats::recount_kinds(connection)
}

impl Store {
    /// Creates the database or converts its schema where needed, and completes rows that were written by hand. A
    /// database that cannot be used is left as it is.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_for(path, None)
    }

    /// For a hook, which has seconds, not minutes: waits at most `patience` for another writer, and leaves to the next
    /// opener what takes long (rows written by hand, converting, moving the log into the database).
    pub fn open_for(path: &Path, patience: Option<Duration>) -> Result<Self> {
        connect::create_file(path)?;
        let store = Self::connected(path, patience)?;
        connect::prefer_wal(&store.connection);
        if patience.is_none() {
            // Search works without it, and who only reads must not fail over it.
            store.complete_rows().ok();
        }
        Ok(store)
    }

    /// As [`Store::open_for`] if there is a database, and leaves rows that were written by hand as they are.
    pub fn open_current(path: &Path, patience: Option<Duration>) -> Result<Option<Self>> {
        path.exists().then(|| Self::connected(path, patience)).transpose()
    }

    fn connected(path: &Path, patience: Option<Duration>) -> Result<Self> {
        let connection = connect::connect(path, patience.unwrap_or(PATIENCE))?;
        let mut store = Self {
            path: path.to_owned(),
            connection,
            file: connect::file_at(path),
            written: Cell::default(),
            names: Remembered::default(),
            known: Remembered::default(),
        };
        connect::bring_up(&mut store.connection, path, patience.is_none())
            .map_err(|error| error.at(path))?;
        if patience.is_some() {
            store.leave_short_log();
        }
        Ok(store)
    }

    /// For a hook, and for background work that often wrote nothing: a log that was moved into the database makes the
    /// next writer begin a new one and wait for the disk. A long one is moved, because every opener reads all of it.
    pub fn leave_short_log(&self) {
        let log = crate::files::beside(&self.path, "-wal");
        if std::fs::metadata(log).is_ok_and(|log| log.len() < connect::SHORT_LOG) {
            connect::leave_log(&self.connection);
        }
    }

    pub fn wait_at_most(&self, patience: Duration) {
        self.connection.busy_timeout(patience).ok();
    }

    /// Whether the file that was opened is still there, in the schema that this program knows.
    pub fn is_current(&self) -> bool {
        self.file.is_some()
            && connect::file_at(&self.path) == self.file
            && connect::is_of_this_version(&self.connection)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// One transaction: all of it is stored, or nothing.
    pub fn write<T>(
        &mut self,
        now: Timestamp,
        work: impl FnOnce(&Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        let done = self.transaction(|_| {
            let before = self.about_all()?;
            let done = work(&Writer { store: self, now: time_text(now) })?;
            // A hook adds no finding, and has no time to count words.
            if self.about_all()? > before {
                self.recount_when_stale()?;
            }
            Ok(done)
        });
        match done {
            Err(error) if error.is_stale_index() => {
                self.rebuild_index()?;
                Err(StoreError::IndexRebuilt { path: self.path.clone() })
            }
            done => done.map_err(|error| error.at(&self.path)),
        }
    }

    /// Like [`Store::write`], but rolled back.
    pub fn rehearse<T>(
        &mut self,
        now: Timestamp,
        work: impl FnOnce(&Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut done = None;
        let undone = self.write(now, |writer| {
            done = Some(work(writer)?);
            Err::<T, _>(StoreError::Invalid("a dry run stores nothing".to_owned()))
        });
        done.map_or(undone, Ok)
    }

    pub fn rebuild_index(&self) -> Result<()> {
        let rebuilt = self.transaction(|connection| {
            make_anew(connection)?;
            self.recount()
        });
        rebuilt.map_err(|error| error.at(&self.path))
    }

    fn transaction<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.written.set(self.written.get() + 1);
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let done = work(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }

    /// Reads; a stale full-text index is rebuilt once, outside of a transaction.
    fn read<T, E: Into<StoreError>>(
        &self,
        work: impl Fn(&Connection) -> Result<T, E>,
    ) -> Result<T> {
        let attempt = || work(&self.connection).map_err(Into::into);
        attempt()
            .or_else(|error| {
                if !error.is_stale_index() || !self.connection.is_autocommit() {
                    return Err(error);
                }
                self.rebuild_index()?;
                attempt()
            })
            .map_err(|error| error.at(&self.path))
    }

    /// Makes something of the whole database, once for each of its states. What other processes commit changes
    /// SQLite's own number; what this one does is counted.
    fn once<T>(
        &self,
        remembered: &Remembered<T>,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        // What a transaction has not committed yet may never be there.
        if !self.connection.is_autocommit() {
            return make().map(Arc::new);
        }
        let theirs = self.value("PRAGMA data_version", &[])?;
        // Before it is made: what is written meanwhile counts as not seen.
        let state = (theirs, self.written.get());
        if let Some((of, known)) = &*remembered.borrow()
            && *of == state
        {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(make()?);
        remembered.replace(Some((state, Arc::clone(&made))));
        Ok(made)
    }

    fn complete_rows(&self) -> Result<()> {
        if self.is_complete()? {
            return Ok(());
        }
        self.transaction(|_| self.complete())
    }
}
