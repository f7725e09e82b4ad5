//! What is wrong with a knowledge database, and what of it can be put right.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, MAIN_DB};
use serde::Serialize;

use super::findings::LIVE;
use super::{Result, Store, StoreError, connect};
use crate::files;
use crate::text::in_bytes;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    Good,
    Warning,
    Bad,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub health: Health,
    /// What was seen, and what to do, for people.
    pub detail: String,
}

impl Check {
    pub fn good(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, health: Health::Good, detail: detail.into() }
    }

    /// It works, but could be better.
    pub fn warning(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, health: Health::Warning, detail: detail.into() }
    }

    pub fn bad(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, health: Health::Bad, detail: detail.into() }
    }
}

impl Store {
    pub fn check(&self) -> Result<Vec<Check>> {
        let connection = &self.connection;
        let checks = (|| -> rusqlite::Result<Vec<Check>> {
            Ok(vec![
                schema(connection)?,
                pages(connection)?,
                index(connection),
                rows(connection)?,
                journal(connection)?,
            ])
        })();
        let mut checks = checks.map_err(|error| StoreError::from(error).at(&self.path))?;
        checks.extend(permissions(&self.path));
        let bytes = fs::metadata(&self.path).map_or(0, |file| file.len());
        checks.push(Check::good("size", in_bytes(bytes)));
        Ok(checks)
    }

    /// Puts right what can be made anew: completes rows, rebuilds the index, sets the journal and the file's permissions. No finding is touched otherwise.
    pub fn repair(&mut self) -> Result<()> {
        // The index first: a stale one stands in the way of every change.
        self.rebuild_index()?;
        self.transaction(|_| self.complete()).map_err(|error| error.at(&self.path))?;
        super::connect::prefer_wal(&self.connection);
        make_private(&self.path)
    }
}

/// Sets a database that cannot be used aside, under a name of its own beside it, and returns that
/// name. Nothing is deleted; the journal files go with it.
pub fn set_aside(path: &Path) -> Result<PathBuf> {
    let io = |source| StoreError::Io { path: path.to_owned(), source };
    let aside = connect::free_name(path, "aside");
    fs::rename(path, &aside).map_err(io)?;
    for suffix in ["-wal", "-shm"] {
        let log = files::beside(path, suffix);
        if log.exists() {
            fs::rename(log, files::beside(&aside, suffix)).map_err(io)?;
        }
    }
    Ok(aside)
}

fn schema(connection: &Connection) -> rusqlite::Result<Check> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let detail = format!("version {version}, SQLite {}", rusqlite::version());
    Ok(Check::good("schema", detail))
}

fn pages(connection: &Connection) -> rusqlite::Result<Check> {
    let mut statement = connection.prepare("PRAGMA integrity_check(3)")?;
    let lines = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    Ok(if lines == ["ok"] {
        Check::good("integrity", "ok")
    } else {
        let what = lines.join("; ");
        Check::bad("integrity", format!("{what}: restore a backup, or dump it with sqlite3"))
    })
}

/// Compares the index with the findings word by word; `integrity_check` does not.
fn index(connection: &Connection) -> Check {
    let sql = "INSERT INTO findings_fts(findings_fts, rank) VALUES ('integrity-check', 1)";
    let counted = format!(
        "SELECT EXISTS (SELECT 1 FROM kinds WHERE live <>
         (SELECT count(*) FROM findings WHERE finding_type = name AND status IN {LIVE}))"
    );
    match connection.execute(sql, []).and_then(|_| connection.query_row(&counted, [], |r| r.get(0)))
    {
        Ok(false) => Check::good("search index", "fits the findings"),
        Ok(true) => Check::bad("search index", "the counts of findings are stale: mk doctor --fix"),
        Err(error) => {
            let readonly = connection.is_readonly(MAIN_DB).unwrap_or(false);
            let detail = if readonly {
                format!("cannot be checked read-only ({error})")
            } else {
                format!("is stale ({error}): mk doctor --fix")
            };
            Check::bad("search index", detail)
        }
    }
}

fn rows(connection: &Connection) -> rusqlite::Result<Check> {
    let sql = "SELECT count(*) FROM findings WHERE symbols IS NULL";
    let open: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(if open == 0 {
        Check::good("rows", "all complete")
    } else {
        Check::warning("rows", format!("{open} are not fully searchable yet: mk doctor --fix"))
    })
}

fn journal(connection: &Connection) -> rusqlite::Result<Check> {
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    Ok(if mode == "wal" {
        Check::good("journal", mode)
    } else {
        Check::warning(
            "journal",
            format!("{mode}, not wal: readers wait for writers (mk doctor --fix)"),
        )
    })
}

fn permissions(path: &Path) -> Option<Check> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o777;
    let others = 0o077;
    Some(if mode & others == 0 {
        Check::good("permissions", format!("{mode:03o}"))
    } else {
        Check::warning("permissions", format!("{mode:03o}: others can read it (mk doctor --fix)"))
    })
}

fn make_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
        .map_err(|source| StoreError::Io { path: path.to_owned(), source })
}
