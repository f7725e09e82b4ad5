//! Reading somebody else's database so that nothing is written, nothing of its own making runs, and it does not take
//! longer than allowed.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _};
use tempfile::TempDir;

use super::ledger::Ledger;
use super::rows::Row;
use crate::files;
use crate::model::Draft;

/// For hooks and questions: somebody waits.
pub const QUICK: Duration = Duration::from_millis(100);
/// For an import that was asked for.
pub const PATIENT: Duration = Duration::from_mins(1);

pub(super) const TRACKED: [&str; 6] = [
    "submissions",
    "proven_theorems",
    "false_lemmas",
    "failed_approaches",
    "candidate_problems",
    "proof_techniques",
];
pub(super) const TARGETS: &str = "submission_false_lemma_targets";
pub(super) const KNOWLEDGE: [&str; 3] = ["findings", "problems", "strategies"];

/// All that a tracking database holds, read in one state of the file.
#[derive(Debug)]
pub struct Tracking {
    pub(super) path: PathBuf,
    pub(super) tables: Tables,
    pub ledger: Ledger,
    /// See [`Tracking::refused`].
    pub(super) refused: OnceLock<Vec<Draft>>,
}

/// Those that are there.
#[derive(Debug, Default)]
pub(super) struct Tables(HashMap<&'static str, Vec<Row>>);

impl Tables {
    pub(super) fn has(&self, table: &str) -> bool {
        self.0.contains_key(table)
    }

    /// In the order of the file; a missing table has no rows.
    pub(super) fn rows(&self, table: &str) -> &[Row] {
        self.0.get(table).map_or(&[], Vec::as_slice)
    }
}

impl Tracking {
    /// `aliases` are other names of problems, each with the id that counts, as a person decided; `known` problem ids
    /// whose spelling counts.
    pub fn open(
        path: &Path,
        deadline: Duration,
        aliases: &[(String, String)],
        known: &[String],
    ) -> Result<Self, TrackingError> {
        let io = |error| cannot_open(path, &error);
        let uses_wal = inspect(path)?;
        let absolute = std::path::absolute(path).map_err(io)?;
        let wal_is_empty =
            fs::metadata(files::beside(&absolute, "-wal")).map_or(0, |m| m.len()) == 0;
        // A reader of a WAL database would leave `-wal` and `-shm` files behind in its folder.
        let immutable = uses_wal && wal_is_empty;
        let tables = match read(&absolute, deadline, immutable) {
            Err(error) if uses_wal && !wal_is_empty && is_unusable_wal(&error) => {
                let copy = copy_with_wal(&absolute).map_err(io)?;
                read(&copy.path().join("tracking.db"), deadline, false)
            }
            tables => tables,
        };
        let tables = tables.map_err(|error| explain(path, deadline, &error))?;
        let ledger = Ledger::new(&tables, aliases, known);
        Ok(Self { path: path.to_owned(), tables, ledger, refused: OnceLock::new() })
    }
}

fn read(file: &Path, deadline: Duration, immutable: bool) -> rusqlite::Result<Tables> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(uri(file, immutable), flags)?;
    connection.busy_timeout((deadline / 5).min(Duration::from_secs(2)))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    let start = Instant::now();
    connection.progress_handler(1_000, Some(move || start.elapsed() > deadline))?;
    let snapshot = connection.transaction()?;
    let mut tables = Tables::default();
    for table in TRACKED.into_iter().chain([TARGETS]).chain(KNOWLEDGE) {
        let Some(select) = select(&snapshot, table)? else { continue };
        let mut statement = snapshot.prepare(&select)?;
        let names = statement.column_names().map(str::to_ascii_lowercase);
        let names: Vec<Arc<str>> = names.map(Into::into).collect();
        let mut rows = statement.query([])?;
        let read: &mut Vec<Row> = tables.0.entry(table).or_default();
        while let Some(row) = rows.next()? {
            read.push(Row::read(row, &names, read.len() as u64 + 1)?);
        }
    }
    Ok(tables)
}

/// What reads a table whose rows stand in the file: no view, no virtual table. Generated columns are not in
/// `table_info`, so that no expression of the database's own is ever evaluated. `NOT INDEXED` keeps the order of the
/// file.
fn select(connection: &Connection, table: &str) -> rusqlite::Result<Option<String>> {
    let sql = r#"SELECT printf('SELECT %s FROM main."%w" NOT INDEXED', group_concat(printf('"%w"', c.name)), t.name)
        FROM sqlite_schema t, pragma_table_info(t.name, 'main') c
        WHERE t.type = 'table' AND t.rootpage > 0 AND lower(t.name) = ?1 GROUP BY t.name"#;
    connection.query_row(sql, [table], |row| row.get(0)).optional()
}

/// Makes sure that it is a file worth opening (a pipe would wait for ever); whether it uses a WAL.
fn inspect(path: &Path) -> Result<bool, TrackingError> {
    let at = path.display();
    let io = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => {
            TrackingError::passing(format!("no tracking database at {at}: name an existing file"))
        }
        _ => cannot_open(path, &error),
    };
    let not_a_file = |what| {
        let message = format!("{at} is {what}, not a tracking database: name the file itself");
        Err(TrackingError::lasting(message))
    };
    let metadata = fs::metadata(path).map_err(io)?;
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
        return Err(not_a_database(path));
    }
    Ok(header.get(18) == Some(&2))
}

fn is_unusable_wal(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

fn copy_with_wal(path: &Path) -> io::Result<TempDir> {
    let folder = TempDir::new()?;
    files::copy(path, &folder.path().join("tracking.db"))?;
    files::copy(&files::beside(path, "-wal"), &folder.path().join("tracking.db-wal"))?;
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

fn explain(path: &Path, deadline: Duration, error: &rusqlite::Error) -> TrackingError {
    let at = path.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => TrackingError::passing(format!(
            "reading {at} took longer than {} ms and was given up",
            deadline.as_millis()
        )),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => TrackingError::passing(
            format!("{at} is locked by another process: try again when that is done"),
        ),
        Some(ErrorCode::NotADatabase) => not_a_database(path),
        _ => TrackingError::lasting(format!(
            "{at} cannot be read ({error}): check it with `sqlite3 FILE 'PRAGMA integrity_check'`"
        )),
    }
}

fn not_a_database(path: &Path) -> TrackingError {
    let at = path.display();
    TrackingError::lasting(format!("{at} is not an SQLite database: name the prover's tracking.db"))
}

fn cannot_open(path: &Path, error: &io::Error) -> TrackingError {
    TrackingError::passing(format!("{} cannot be opened: {error}", path.display()))
}

/// Why a database was not read, in a sentence.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct TrackingError {
    message: String,
    /// It stays so until the file is another one.
    pub is_lasting: bool,
}

impl TrackingError {
    pub(super) fn lasting(message: String) -> Self {
        Self { message, is_lasting: true }
    }

    fn passing(message: String) -> Self {
        Self { message, is_lasting: false }
    }
}
