//! Opening the file: creation and connection settings, no schema.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::StoreError;

/// A command's wait for another writer.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// A log of fewer bytes is read again in no time.
pub(super) const SHORT_LOG: u64 = 128 * 1024;
const STATEMENTS: usize = 64;

/// With its folders, readable for its owner only.
pub(super) fn create_file(path: &Path) -> Result<(), StoreError> {
    if path.exists() {
        return Ok(());
    }
    let io = |source: std::io::Error| match source.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { path: path.to_owned() }
        }
        ErrorKind::StorageFull => StoreError::Full { path: path.to_owned() },
        _ => StoreError::Io { path: path.to_owned(), source },
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(io)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(io(error)),
        _ => Ok(()),
    }
}

/// Read-only if it cannot be written. The path is never a URI: `%` and `?` are plain characters.
pub(super) fn connect(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    let foreign =
        |holds: &str| Err(StoreError::Foreign { path: path.to_owned(), holds: holds.to_owned() });
    // Opening a pipe would wait for its writer.
    match fs::metadata(path) {
        Ok(file) if file.is_file() => {}
        Ok(file) if file.is_dir() => return foreign("a folder"),
        Ok(_) => return foreign("no regular file"),
        Err(_) => return Err(StoreError::Missing { path: path.to_owned() }),
    }
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // SQLite falls back to read-only only where the file may not be written.
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE)
        .map_err(|error| StoreError::from(error).at(path))?;
    #[cfg(test)]
    let connection = super::tests::watched(connection);
    configure(&connection, patience).map_err(|error| StoreError::from(error).at(path))?;
    Ok(connection)
}

fn configure(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON;
         PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32000; PRAGMA trusted_schema = OFF;",
    )
}

/// Leaves the write-ahead log in place on close; a later connection, or SQLite at a thousand pages, moves it.
pub(super) fn leave_log(connection: &Connection) {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).ok();
}

/// Does not wait: it is only for speed, and the next one tries again.
pub(super) fn prefer_wal(connection: &Connection) {
    let mode: Result<String, _> = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0));
    if mode.is_ok_and(|mode| mode != "wal") {
        connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0)).ok();
    }
}
