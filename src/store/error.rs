//! What can go wrong with the knowledge database, as sentences for people.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Why the knowledge database could not be read or written. Nothing was lost.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{} is not a database: name another file with --db, or move this one away", path.display())]
    NotADatabase { path: PathBuf },
    #[error("{} is not a knowledge database (it contains {holds}): name another file with \
        --db", path.display())]
    Foreign { path: PathBuf, holds: String },
    /// A knowledge database, but of a schema that this program does not convert; nothing was written to it.
    #[error(
        "{path} is a knowledge database {what}, and is never changed in place: move it to {path}.old, \
         then `mk import {path}.old` takes over what it holds", path = path.display()
    )]
    OtherSchema { path: PathBuf, what: String },
    #[error("{} has schema version {found}, this mk knows versions up to {supported}: update \
        mk", path.display())]
    Newer { path: PathBuf, found: i64, supported: i64 },
    /// Only for who has no time to convert it.
    #[error("{} has schema version {found} and is being converted to {wanted} in the background, with a \
        copy beside it; `mk stats` does it at once, or says why it cannot", path.display())]
    Older { path: PathBuf, found: i64, wanted: i64 },
    #[error("{} is locked by another process: try again when that one is done", path.display())]
    Locked { path: PathBuf },
    #[error("{} cannot be written: check the permissions of the file and of its folder", path.display())]
    ReadOnly { path: PathBuf },
    #[error("{} cannot grow: the disk is full; nothing was changed", path.display())]
    Full { path: PathBuf },
    #[error("{} is damaged ({detail}): `mk doctor` says what can be saved", path.display())]
    Damaged { path: PathBuf, detail: String },
    #[error("the search index of {} was stale and has been rebuilt: run the command again", path.display())]
    IndexRebuilt { path: PathBuf },
    #[error("{} does not exist: `mk init` creates it", path.display())]
    Missing { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// What was to be stored is not acceptable.
    #[error("{0}")]
    Invalid(String),
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

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::{Draft, Kind};
    use crate::store::Store;

    #[test]
    fn a_full_disk_is_said_and_nothing_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.db");
        let mut store = Store::open(&path).unwrap();
        store
            .write(Timestamp::UNIX_EPOCH, |writer| {
                writer.put(&Draft::new(Kind::Insight, "kept", "d"))
            })
            .unwrap();
        // Pages beyond which the disk counts as full.
        let limit =
            store.connection.pragma_update_and_check(None, "max_page_count", 150, |_| Ok(()));
        limit.unwrap();
        let big = Draft::new(Kind::Insight, "big", "x ".repeat(1_000_000));
        let error = store
            .write(Timestamp::UNIX_EPOCH, |writer| {
                writer.put(&Draft::new(Kind::Insight, "small", "d"))?;
                writer.put(&big)
            })
            .unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        assert!(error.to_string().ends_with("the disk is full; nothing was changed"), "{error}");
        assert_eq!(store.stats().unwrap().findings.total, 1);
    }
}
