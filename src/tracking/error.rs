//! What can be wrong with a tracking database, one sentence each.

use std::path::PathBuf;

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
