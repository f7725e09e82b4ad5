//! Opening the file: creation, connection settings, schema. An empty database is made from `data/schema.sql`, older ones
//! are converted step by step, each in one transaction; a conversion leaves a copy beside the file.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags, Transaction, TransactionBehavior};

use super::{Result, StoreError};
use crate::files;

/// A command's wait for another writer.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// A log of fewer bytes is read again in no time.
pub(super) const SHORT_LOG: u64 = 128 * 1024;
const STATEMENTS: usize = 64;

/// With its folders, readable for its owner only.
pub(super) fn create_file(path: &Path) -> Result<()> {
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
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(io(error)),
        _ => Ok(()),
    }
}

/// Read-only if it cannot be written. The path is never a URI: `%` and `?` are plain characters.
pub(super) fn connect(path: &Path, patience: Duration) -> Result<Connection> {
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
    // Plans do not depend on bound values. Otherwise FTS5 prepares its lookup of a term anew for each term.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON;
         PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32000; PRAGMA trusted_schema = OFF;",
    )
}

/// Leaves the write-ahead log in place on close; a later connection moves it.
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

/// Device and number of a file.
pub(super) fn file_at(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

pub(super) fn is_of_this_version(connection: &Connection) -> bool {
    let version = connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    version.is_ok_and(|version| version == VERSION)
}

const SCHEMA: &str = include_str!("../../data/schema.sql");

const VERSION: i64 = 22;

/// By version. Nothing older was ever released.
const STEPS: &[(i64, &str)] = &[
    (11, include_str!("../../data/to_12.sql")),
    (12, include_str!("../../data/to_13.sql")),
    (13, include_str!("../../data/to_14.sql")),
    (14, include_str!("../../data/to_15.sql")),
    (15, include_str!("../../data/to_16.sql")),
    (16, include_str!("../../data/to_17.sql")),
    (17, include_str!("../../data/to_18.sql")),
    (18, include_str!("../../data/to_19.sql")),
    (19, include_str!("../../data/to_20.sql")),
    (20, include_str!("../../data/to_21.sql")),
    (21, include_str!("../../data/to_22.sql")),
];

/// `PRAGMA application_id`: `mkdb`.
const APPLICATION: i64 = 0x6d6b_6462;

enum State {
    Current,
    Empty,
    Older(i64),
}

fn state(connection: &Connection, path: &Path) -> Result<State> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (version, application) = (pragma("user_version")?, pragma("application_id")?);
    let path = path.to_owned();
    if application == APPLICATION && version > 0 {
        if version == VERSION {
            return Ok(State::Current);
        }
        if version > VERSION {
            return Err(StoreError::Newer { path, found: version, supported: VERSION });
        }
        if STEPS.iter().any(|(from, _)| *from == version) {
            return Ok(State::Older(version));
        }
        let what = format!("of schema version {version}, from before the first release");
        return Err(StoreError::OtherSchema { path, what });
    }
    let findings: i64 = connection.query_row(
        "SELECT count(*) FROM pragma_table_info('findings')
         WHERE name IN ('id', 'finding_type', 'title', 'description')",
        [],
        |row| row.get(0),
    )?;
    if findings == 4 {
        let what = "without a version, as the shell tool made them and a dump restores them";
        return Err(StoreError::OtherSchema { path, what: what.to_owned() });
    }
    let tables: Option<String> = connection.query_row(
        "SELECT group_concat(name, ', ') FROM (SELECT name FROM sqlite_schema
         WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name LIMIT 4)",
        [],
        |row| row.get(0),
    )?;
    let holds = match tables {
        Some(tables) => format!("tables {tables}"),
        None if version != 0 || application != 0 => {
            format!("version {version} of application {application}")
        }
        None => return Ok(State::Empty),
    };
    Err(StoreError::Foreign { path, holds })
}

/// Safe against any number of others doing the same at once. Not `converts`: for hooks, as converting a large database
/// takes too long.
pub(super) fn bring_up(connection: &mut Connection, path: &Path, converts: bool) -> Result<()> {
    // One snapshot: another process may convert it between two looks.
    let snapshot = connection.unchecked_transaction()?;
    match state(&snapshot, path)? {
        State::Current => return Ok(()),
        State::Older(_) | State::Empty if connection.is_readonly(MAIN_DB)? => {
            return Err(StoreError::ReadOnly { path: path.to_owned() });
        }
        State::Older(found) if !converts => {
            return Err(StoreError::Older { path: path.to_owned(), found, wanted: VERSION });
        }
        State::Older(_) | State::Empty => {}
    }
    drop(snapshot);
    // Not possible in a transaction. With foreign keys on, changing a table could empty those that refer to it.
    connection.execute_batch("PRAGMA foreign_keys = OFF")?;
    let done = bring_up_alone(connection, path);
    connection.execute_batch("PRAGMA foreign_keys = ON")?;
    done
}

fn bring_up_alone(connection: &Connection, path: &Path) -> Result<()> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    // Another process may have done it meanwhile.
    let from = match state(&transaction, path)? {
        State::Current => return Ok(()),
        State::Empty => {
            transaction.execute_batch(SCHEMA)?;
            return Ok(transaction.commit()?);
        }
        State::Older(version) => version,
    };
    let copy = back_up(path, from)?;
    let convert = || -> rusqlite::Result<()> {
        for (_, step) in STEPS.iter().filter(|(version, _)| *version >= from) {
            transaction.execute_batch(step)?;
        }
        // Also sets the version.
        transaction.execute_batch(SCHEMA)?;
        super::make_anew(&transaction)
    };
    let done = convert().and_then(|()| transaction.commit());
    if done.is_err() {
        // Nothing was changed, and a full disk needs the space.
        fs::remove_file(copy).ok();
    }
    Ok(done?)
}

/// `<name>.bak-v<version>`; never replaces an older copy.
fn back_up(path: &Path, version: i64) -> Result<PathBuf> {
    let copy = free_name(path, &format!("bak-v{version}"));
    create_file(&copy)?;
    let copied = (|| -> rusqlite::Result<()> {
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let from = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut to = Connection::open_with_flags(&copy, flags | OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        Backup::new(&from, &mut to)?.run_to_completion(4096, std::time::Duration::ZERO, None)
    })();
    copied.map_err(|error| {
        fs::remove_file(&copy).ok();
        StoreError::from(error).at(&copy)
    })?;
    Ok(copy)
}

/// `<path>.<suffix>`, then `-2` and so on.
pub(super) fn free_name(path: &Path, suffix: &str) -> PathBuf {
    let first = files::beside(path, &format!(".{suffix}"));
    let others = (2_u64..).map(|number| files::beside(path, &format!(".{suffix}-{number}")));
    std::iter::once(first.clone()).chain(others).find(|path| !path.exists()).unwrap_or(first)
}
