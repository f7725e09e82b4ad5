//! Opening somebody else's database so that nothing is written, nothing of its own making runs, and
//! no call takes longer than its deadline.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

use super::rows::Record;
use crate::files;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub deadline: Duration,
    pub busy: Duration,
}

impl Limits {
    /// For hooks and questions: somebody waits.
    pub const QUICK: Self =
        Self { deadline: Duration::from_millis(100), busy: Duration::from_millis(20) };
    /// For an import that was asked for.
    pub const PATIENT: Self =
        Self { deadline: Duration::from_mins(1), busy: Duration::from_secs(2) };
}

#[derive(Debug)]
pub struct Tracking {
    connection: Connection,
    path: PathBuf,
    limits: Limits,
    clock: Instant,
    /// When the present call ends, in microseconds of `clock`.
    end: Arc<AtomicU64>,
    /// Tables by their name in lower case, as the database spells them.
    tables: Vec<(String, String)>,
    /// Other names of problems, each with the id that counts, as a person decided.
    pub(super) aliases: Vec<(String, String)>,
    _copy: Option<TempDir>,
}

impl Tracking {
    #[must_use]
    pub fn with_aliases(self, aliases: Vec<(String, String)>) -> Self {
        Self { aliases, ..self }
    }

    pub fn open(path: &Path) -> Result<Self, TrackingError> {
        Self::open_within(path, Limits::QUICK)
    }

    pub fn open_within(path: &Path, limits: Limits) -> Result<Self, TrackingError> {
        let io = |source| TrackingError::Io { path: path.to_owned(), source };
        let uses_wal = inspect(path)?;
        let absolute = std::path::absolute(path).map_err(io)?;
        let wal_is_empty = fs::metadata(beside(&absolute, "-wal")).map_or(0, |m| m.len()) == 0;
        // A reader of a WAL database would leave `-wal` and `-shm` files behind in its folder.
        let immutable = uses_wal && wal_is_empty;
        match Self::connect(path, &absolute, limits, immutable) {
            Err(error) if uses_wal && !wal_is_empty && is_unusable_wal(&error) => {
                let copy = copy_with_wal(&absolute).map_err(io)?;
                let copied = copy.path().join("tracking.db");
                let opened = Self::connect(path, &copied, limits, false);
                opened.map(|tracking| Self { _copy: Some(copy), ..tracking })
            }
            opened => opened,
        }
        .map_err(|error| explain(path, limits, &error))
    }

    fn connect(
        path: &Path,
        file: &Path,
        limits: Limits,
        immutable: bool,
    ) -> Result<Self, rusqlite::Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(uri(file, immutable), flags)?;
        connection.busy_timeout(limits.busy)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        let clock = Instant::now();
        let end = Arc::new(AtomicU64::new(0));
        let watched = Arc::clone(&end);
        connection.progress_handler(
            1_000,
            Some(move || micros(clock.elapsed()) > watched.load(Ordering::Relaxed)),
        )?;
        let mut tracking = Self {
            connection,
            path: path.to_owned(),
            limits,
            clock,
            end,
            tables: Vec::new(),
            aliases: Vec::new(),
            _copy: None,
        };
        tracking.restart_deadline();
        tracking.tables = tracking.plain_tables()?;
        Ok(tracking)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn restart_deadline(&self) {
        let end = micros(self.clock.elapsed()).saturating_add(micros(self.limits.deadline));
        self.end.store(end, Ordering::Relaxed);
    }

    /// Tables whose rows stand in the file: no views, no virtual tables.
    fn plain_tables(&self) -> Result<Vec<(String, String)>, rusqlite::Error> {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0";
        let mut statement = self.connection.prepare(sql)?;
        let names = statement.query_map([], |row| row.get::<_, String>(0))?;
        names.map(|name| name.map(|name| (name.to_ascii_lowercase(), name))).collect()
    }

    pub(super) fn has_table(&self, table: &str) -> bool {
        self.tables.iter().any(|(key, _)| key == table)
    }

    pub(super) fn in_one_state<T>(
        &self,
        work: impl FnOnce() -> Result<T, TrackingError>,
    ) -> Result<T, TrackingError> {
        let snapshot = self.connection.unchecked_transaction().map_err(|e| self.explain(&e))?;
        let result = work();
        snapshot.finish().map_err(|e| self.explain(&e))?;
        result
    }

    /// Reads the named columns of every row in the order of the file; a missing table has no rows.
    pub(super) fn scan(
        &self,
        table: &str,
        columns: &'static str,
        mut each: impl FnMut(&Record<'_, '_>),
    ) -> Result<(), TrackingError> {
        let Some((_, name)) = self.tables.iter().find(|(key, _)| key == table) else {
            return Ok(());
        };
        let mut read = || {
            let columns: Vec<&str> = columns.split_whitespace().collect();
            let sql = self.select(name, &columns)?;
            let mut statement = self.connection.prepare(&sql)?;
            let mut rows = statement.query([])?;
            let mut ordinal = 0;
            while let Some(row) = rows.next()? {
                ordinal += 1;
                each(&Record { row, columns: &columns, ordinal });
            }
            Ok(())
        };
        read().map_err(|error| self.explain(&error))
    }

    /// `NOT INDEXED` keeps the order of the file. Generated columns are not in `table_info`, so that
    /// no expression of the database's own is ever evaluated.
    fn select(&self, table: &str, columns: &[&str]) -> Result<String, rusqlite::Error> {
        let mut existing = Vec::new();
        self.connection.pragma(None, "table_info", table, |row| {
            existing.push(row.get::<_, String>("name")?);
            Ok(())
        })?;
        let wanted = columns.iter().map(|column| {
            existing
                .iter()
                .find(|name| name.eq_ignore_ascii_case(column))
                .map_or_else(|| "NULL".to_owned(), |name| quoted(name))
        });
        let wanted = wanted.collect::<Vec<_>>().join(", ");
        Ok(format!("SELECT {wanted} FROM main.{} NOT INDEXED", quoted(table)))
    }

    fn explain(&self, error: &rusqlite::Error) -> TrackingError {
        explain(&self.path, self.limits, error)
    }
}

/// Makes sure that it is a file worth opening (a pipe would wait for ever); whether it uses a WAL.
fn inspect(path: &Path) -> Result<bool, TrackingError> {
    let io = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => TrackingError::Missing { path: path.to_owned() },
        _ => TrackingError::Io { path: path.to_owned(), source },
    };
    let metadata = fs::metadata(path).map_err(io)?;
    let not_a_file = |what| Err(TrackingError::NotAFile { path: path.to_owned(), what });
    if metadata.is_dir() {
        return not_a_file("a folder");
    }
    if !metadata.is_file() {
        return not_a_file("a pipe or a device");
    }
    let mut header = Vec::with_capacity(100);
    files::open(path).and_then(|file| file.take(100).read_to_end(&mut header)).map_err(io)?;
    if header.is_empty() {
        return not_a_file("an empty file");
    }
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(TrackingError::NotADatabase { path: path.to_owned() });
    }
    Ok(header.get(18) == Some(&2))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn is_unusable_wal(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

fn copy_with_wal(path: &Path) -> io::Result<TempDir> {
    let folder = TempDir::new()?;
    files::copy(path, &folder.path().join("tracking.db"))?;
    files::copy(&beside(path, "-wal"), &folder.path().join("tracking.db-wal"))?;
    Ok(folder)
}

fn uri(path: &Path, immutable: bool) -> String {
    use std::fmt::Write as _;
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(*byte));
            }
            byte => write!(uri, "%{byte:02X}").unwrap_or_default(),
        }
    }
    uri.push_str(if immutable { "?mode=ro&immutable=1" } else { "?mode=ro" });
    uri
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn explain(path: &Path, limits: Limits, error: &rusqlite::Error) -> TrackingError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => {
            TrackingError::TooSlow { path, milliseconds: limits.deadline.as_millis() }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => TrackingError::Locked { path },
        Some(ErrorCode::NotADatabase) => TrackingError::NotADatabase { path },
        _ => TrackingError::Damaged { path, detail: error.to_string() },
    }
}

#[derive(Debug, thiserror::Error)]
pub enum TrackingError {
    #[error("no tracking database at {}: name an existing file", path.display())]
    Missing { path: PathBuf },
    #[error("{} is {what}, not a tracking database: name the file itself", path.display())]
    NotAFile { path: PathBuf, what: &'static str },
    #[error("{} is not an SQLite database: name the prover's tracking.db", path.display())]
    NotADatabase { path: PathBuf },
    #[error(
        "{} has none of the tables of a tracking database (submissions, proven_theorems, \
         false_lemmas, failed_approaches, candidate_problems, proof_techniques)", path.display()
    )]
    NoTables { path: PathBuf },
    #[error("{} is locked by another process: try again when that is done", path.display())]
    Locked { path: PathBuf },
    #[error("reading {} took longer than {milliseconds} ms and was given up", path.display())]
    TooSlow { path: PathBuf, milliseconds: u128 },
    #[error("{} cannot be read ({detail}): check it with `sqlite3 FILE 'PRAGMA integrity_check'`", path.display())]
    Damaged { path: PathBuf, detail: String },
    #[error("{} cannot be opened: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl TrackingError {
    /// Whether it stays so until the file is another one.
    pub fn is_lasting(&self) -> bool {
        matches!(
            self,
            Self::NotAFile { .. }
                | Self::NotADatabase { .. }
                | Self::NoTables { .. }
                | Self::Damaged { .. }
        )
    }
}
