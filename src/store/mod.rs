//! `knowledge.db`: everything that is known, in one SQLite file that the stock shell can read and
//! write too. All SQL about it stands here, a file per family of records; nothing here prints,
//! reads the clock or knows where the file ought to be.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};

mod bulk;
mod check;
mod complete;
mod connect;
mod error;
mod explain;
mod facts;
mod false_lemmas;
mod files;
mod filter;
mod findings;
mod forget;
mod frequencies;
mod gist;
mod guard;
mod jobs;
mod ledger;
mod lessons;
mod problems;
mod projects;
mod proposals;
mod prune;
mod query;
mod question;
mod queue;
mod rank;
mod recall;
mod record;
mod renames;
mod rows;
mod runs;
mod schema;
mod search;
mod sources;
mod state;
mod stats;
mod stem;
mod strategies;
mod symbols;
#[cfg(test)]
pub(crate) mod tests;
mod typos;

pub use check::{Check, Health, set_aside};
pub use connect::PATIENCE;
pub use error::StoreError;
pub use facts::FactEvent;
pub use false_lemmas::FalseRecord;
pub use files::{ReadText, SourceState, TranscriptState};
pub use findings::{Exported, ListFilter};
pub use forget::{Forget, ForgottenKey, ForgottenRows};
pub use guard::{LogFilter, ProblemTarget};
pub use jobs::{FIRST_WAIT, JobFilter, JobRecord, MODEL_WAIT, MOST_ATTEMPTS, NewJob};
pub use ledger::{Injection, PlaceSum};
pub use lessons::{NamedTheorem, Shown, Sighting, Unworded};
pub use problems::ProblemView;
pub use projects::{ProjectPlace, ProjectUse};
pub use prune::{OLD, Old, ReadTranscript};
pub use question::{Hit, SearchQuery, SearchResult, Stage};
pub use recall::{AtHand, Recall, Recalled};
pub use renames::RenamePackage;
pub use runs::{BY_RULES, DueFilter, FetchedRun, MOST_FAILURES, RunCounts};
pub use sources::{FileFindings, FindingSource, OpenGap, Refuted};
pub use state::file_state;
pub use stats::{DatabaseFacts, FactCounts, FindingCounts, SessionCounts, Stats};
pub use strategies::TechniqueUse;

use schema::OldSchema;

/// An open knowledge database with the newest schema.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

/// What may be written within one transaction; see [`Store::write`].
#[derive(Debug)]
pub struct Writer<'a> {
    connection: &'a Connection,
    /// The time of the transaction, as the database spells times.
    now: String,
    indexing: bulk::Indexing,
}

/// Makes the full-text index and the counts anew from the findings.
fn make_anew(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("INSERT INTO findings_fts(findings_fts) VALUES ('rebuild')")?;
    stats::recount_kinds(connection)
}

impl Store {
    /// Opens the database; makes it or converts its schema where that is needed, and completes rows that
    /// were written by hand.
    ///
    /// # Errors
    /// Says in one sentence what is in the way. A database that cannot be used is left as it is.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let store = Self::begin(path, connect::PATIENCE, OldSchema::Convert)?;
        // Search works without it, and who only reads must not fail over it.
        store.complete_rows().ok();
        Ok(store)
    }

    /// Like [`Store::open`], for a hook, which has seconds, not minutes: it waits at most this long
    /// for another process that writes, and leaves to whoever comes next the rows that were written by
    /// hand, and the log of what it wrote, because moving that into the database waits for the disk.
    ///
    /// # Errors
    /// As [`Store::open`], and [`StoreError::Older`].
    pub fn open_within(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        let store = Self::begin(path, patience, OldSchema::Leave)?;
        connect::leave_log(&store.connection);
        Ok(store)
    }

    fn begin(path: &Path, patience: Duration, old: OldSchema) -> Result<Self, StoreError> {
        connect::create_file(path)?;
        let store = Self::connected(path, patience, old)?;
        connect::prefer_wal(&store.connection);
        Ok(store)
    }

    /// Opens the database if there is one, and leaves rows that were written by hand as they are.
    pub fn open_current(path: &Path) -> Result<Option<Self>, StoreError> {
        let open = || Self::connected(path, connect::PATIENCE, OldSchema::Convert);
        path.exists().then(open).transpose()
    }

    /// Like [`Store::open_current`], with the haste of [`Store::open_within`].
    pub fn open_current_within(
        path: &Path,
        patience: Duration,
    ) -> Result<Option<Self>, StoreError> {
        let open = || Self::connected(path, patience, OldSchema::Leave);
        let store = path.exists().then(open).transpose()?;
        if let Some(store) = &store {
            connect::leave_log(&store.connection);
        }
        Ok(store)
    }

    fn connected(path: &Path, patience: Duration, old: OldSchema) -> Result<Self, StoreError> {
        let connection = connect::connect(path, patience)?;
        let mut store = Self { path: path.to_owned(), connection };
        schema::bring_up(&mut store.connection, path, old).map_err(|error| error.at(path))?;
        Ok(store)
    }

    /// For work in the background that often wrote nothing: leaves the log of what was written where it
    /// is as long as it is short. Whoever writes after it was moved into the database begins a new one,
    /// and waits for the disk; that would be the next hook.
    pub fn leave_short_log(&self) {
        let mut log = self.path.as_os_str().to_owned();
        log.push("-wal");
        if std::fs::metadata(log).is_ok_and(|log| log.len() < connect::SHORT_LOG) {
            connect::leave_log(&self.connection);
        }
    }

    /// Waits at most this long for another process that writes.
    pub fn wait_at_most(&self, patience: Duration) {
        self.connection.busy_timeout(patience).ok();
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets how many pages of 4096 bytes the database may have; beyond that the disk counts as full.
    pub fn limit_pages(&self, pages: u32) -> Result<(), StoreError> {
        self.connection
            .pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
            .map_err(|error| StoreError::from(error).at(&self.path))
    }

    /// Does work in one transaction: all of it is stored, or nothing.
    ///
    /// # Errors
    /// What `work` returns, or why the database cannot be written.
    pub fn write<T>(
        &mut self,
        now: Timestamp,
        work: impl FnOnce(&Writer<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let done = self.transaction(|connection| {
            let indexing = bulk::Indexing::default();
            let writer = Writer { connection, now: time_text(now), indexing };
            let done = work(&writer)?;
            // What a hook notes adds no finding, and it has no time to count words.
            let has_grown = writer.indexing.has_inserted();
            writer.indexing.flush(connection)?;
            if has_grown {
                frequencies::refresh_when_stale(connection)?;
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

    /// What `work` brings; it is done and taken back.
    pub fn rehearse<T>(
        &mut self,
        now: Timestamp,
        work: impl FnOnce(&Writer<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut done = None;
        let undone = self.write(now, |writer| {
            done = Some(work(writer)?);
            // A transaction that ends with an error leaves nothing behind.
            Err::<T, _>(StoreError::Invalid("a dry run stores nothing".to_owned()))
        });
        done.map_or(undone, Ok)
    }

    /// Makes the full-text index, the word frequencies and the counts anew from the findings.
    pub fn rebuild_index(&self) -> Result<(), StoreError> {
        let rebuilt = self.transaction(|connection| {
            make_anew(connection)?;
            Ok(frequencies::refresh(connection)?)
        });
        rebuilt.map_err(|error| error.at(&self.path))
    }

    fn transaction<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let done = work(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }

    /// Reads; a stale full-text index is rebuilt once.
    fn read<T>(&self, work: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let attempt = || work(&self.connection).map_err(StoreError::from);
        attempt()
            .or_else(|error| {
                if !error.is_stale_index() {
                    return Err(error);
                }
                self.rebuild_index()?;
                attempt()
            })
            .map_err(|error| error.at(&self.path))
    }

    fn complete_rows(&self) -> Result<(), StoreError> {
        if !complete::is_needed(&self.connection)? {
            return Ok(());
        }
        self.transaction(|connection| Ok(complete::complete(connection)?))
    }
}

/// A time as the database spells it: `YYYY-MM-DD HH:MM:SS` in UTC.
pub(crate) fn time_text(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}
