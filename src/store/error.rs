//! What can go wrong with the knowledge database, as sentences for people.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why the knowledge database could not be read or written. Nothing was lost.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is no SQLite database.
    #[error("{} is not a database: name another file with --db, or move this one away", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// It is a database, but of something else; nothing was written to it.
    #[error("{} is no knowledge database (it holds {holds}): name another file with --db", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What was found in it.
        holds: String,
    },
    /// A knowledge database, but of a schema that this program does not convert; nothing was written to it.
    #[error(
        "{path} is a knowledge database {what}, and is never changed in place: move it to {path}.old, \
         then `mk import {path}.old` takes over what it holds", path = path.display()
    )]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// Which schema it has.
        what: String,
    },
    /// It was written by a newer version.
    #[error("{} has schema version {found}, this mk knows versions up to {supported}: update mk", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version that this program knows.
        supported: i64,
    },
    /// Another process holds it for too long.
    #[error("{} is locked by another process: try again when that one is done", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The file or its folder cannot be written.
    #[error("{} cannot be written: check the permissions of the file and of its folder", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// No space is left.
    #[error("{} cannot grow: the disk is full; nothing was changed", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The file is damaged.
    #[error("{} is damaged ({detail}): `mk doctor` says what can be saved", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was seen.
        detail: String,
    },
    /// The search index did not fit the findings; it has been rebuilt and nothing was changed.
    #[error("the search index of {} was stale and has been rebuilt: run the command again", path.display())]
    IndexRebuilt {
        /// The file.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("{} does not exist: `mk init` creates it", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file or folder could not be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// What was to be stored is not acceptable.
    #[error("{0}")]
    Invalid(String),
    /// Anything else that SQLite reports.
    #[error("the knowledge database reports: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

/// The extended code of a stale full-text index (`SQLITE_CORRUPT_VTAB`). Its primary code is that of
/// a damaged file, but the database is sound.
const STALE_INDEX: i32 = 267;

impl StoreError {
    /// Whether only the full-text index is stale.
    pub(super) fn is_stale_index(&self) -> bool {
        matches!(self, Self::Sqlite(rusqlite::Error::SqliteFailure(e, _)) if e.extended_code == STALE_INDEX)
    }

    /// Puts the database's path to a bare SQLite error and says what it means.
    pub(super) fn at(self, path: &Path) -> Self {
        let Self::Sqlite(rusqlite::Error::SqliteFailure(failure, message)) = &self else {
            return self;
        };
        let path = path.to_owned();
        let detail = message.clone().unwrap_or_else(|| failure.to_string());
        match failure.code {
            ErrorCode::NotADatabase => Self::NotADatabase { path },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Locked { path },
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Self::ReadOnly { path },
            ErrorCode::DiskFull => Self::Full { path },
            ErrorCode::DatabaseCorrupt if failure.extended_code != STALE_INDEX => {
                Self::Damaged { path, detail }
            }
            ErrorCode::CannotOpen if path.exists() => Self::ReadOnly { path },
            ErrorCode::CannotOpen => Self::Missing { path },
            ErrorCode::SystemIoFailure => Self::Io { path, source: std::io::Error::other(detail) },
            _ => self,
        }
    }
}
