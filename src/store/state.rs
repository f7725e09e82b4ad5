//! Which state the file of a database is in: whether anything was written to it, without opening it as one.

use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;

use crate::files;
use crate::text::hash;

/// The parts of a database, in which bytes one state differs from another, and whether in the time of the
/// file as well. Without a write-ahead log each transaction changes a counter in the header of the
/// database. With one it changes number and checksum of the frames, in the header of the log's index; that
/// is mapped into memory and has no time of its own. What stands around these bytes changes with every
/// process that reads.
const PARTS: [(&str, Range<usize>, bool); 3] =
    [("", 0..100, true), ("-wal", 0..32, true), ("-shm", 12..40, false)];

/// Another text after each transaction, and now and then without one; a file that is missing has a state
/// too. This process must not have the database open: to close a file gives back all locks of a
/// process on it.
pub fn file_state(database: &Path) -> io::Result<String> {
    let part = |(ending, bytes, has_time): (&str, Range<usize>, bool)| {
        let file = match files::open(&files::beside(database, ending)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok("none".to_owned()),
            file => file?,
        };
        let meta = file.metadata()?;
        let time = meta.modified()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let time = if has_time { time.as_nanos() } else { 0 };
        let mut head = Vec::new();
        file.take(bytes.end as u64).read_to_end(&mut head)?;
        let head = hash(head.get(bytes.start..).unwrap_or_default(), 8);
        Ok(format!("{} {time} {head}", meta.len()))
    };
    PARTS.into_iter().map(part).collect::<io::Result<Vec<String>>>().map(|parts| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_transaction_is_seen_however_soon_it_comes() {
        let dir = tempfile::tempdir().unwrap();
        let database = dir.path().join("some.db");
        let state = || file_state(&database).unwrap();
        let run = |sql: &str| {
            let connection = rusqlite::Connection::open(&database).unwrap();
            super::super::connect::leave_log(&connection);
            connection.execute_batch(sql).unwrap();
        };
        let missing = state();
        for journal in ["DELETE", "WAL"] {
            run(&format!("PRAGMA journal_mode = {journal}; CREATE TABLE IF NOT EXISTS t (x);"));
            assert_ne!(state(), missing);
            for round in 0..50 {
                let before = state();
                run("SELECT count(*) FROM t");
                assert_eq!(state(), before, "{journal}, round {round}: only read");
                run("DELETE FROM t; INSERT INTO t VALUES (1);");
                assert_ne!(state(), before, "{journal}, round {round}");
            }
        }
    }
}
