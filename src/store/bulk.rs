//! Many rows in one transaction: they are indexed together.
//!
//! With a trigger that writes to the full-text table every INSERT opens a savepoint, and a savepoint
//! makes the index flush what it has gathered: each row becomes a segment of its own. After some
//! rows the trigger is therefore taken away, and put back when the rows have been indexed by one
//! statement; other processes see neither, because it is one transaction.

use std::cell::{Cell, RefCell};

use rusqlite::{Connection, params};

use super::rank::COLUMNS;

/// Rows that a transaction inserts one by one before the rest is indexed together.
const ONE_BY_ONE: u32 = 100;
const TRIGGER: &str = "findings_fts_insert";

/// How the rows of one transaction are indexed.
#[derive(Debug, Default)]
pub(super) struct Indexing {
    inserted: Cell<u32>,
    /// The trigger that was taken away, and the last row that it indexed.
    waiting: RefCell<Option<(String, i64)>>,
}

impl Indexing {
    /// To be called before a row is inserted.
    pub(super) fn before_insert(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.inserted.set(self.inserted.get() + 1);
        if self.inserted.get() <= ONE_BY_ONE || self.waiting.borrow().is_some() {
            return Ok(());
        }
        let sql: String = connection.query_row(
            "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?1",
            [TRIGGER],
            |row| row.get(0),
        )?;
        let last =
            connection
                .query_row("SELECT coalesce(max(id), 0) FROM findings", [], |row| row.get(0))?;
        connection.execute_batch(&format!("DROP TRIGGER {TRIGGER}"))?;
        self.waiting.replace(Some((sql, last)));
        Ok(())
    }

    /// Whether rows were inserted since they were last indexed together.
    pub(super) fn has_inserted(&self) -> bool {
        self.inserted.get() > 0
    }

    /// Indexes what waits for it. To be called before a row is changed or deleted, and at the end of
    /// the transaction.
    pub(super) fn flush(&self, connection: &Connection) -> rusqlite::Result<()> {
        let Some((trigger, last)) = self.waiting.take() else {
            return Ok(());
        };
        let columns = COLUMNS.map(|(column, _)| column).join(", ");
        connection.execute(
            &format!(
                "INSERT INTO findings_fts (rowid, {columns})
                 SELECT id, {columns} FROM findings_live WHERE id > ?1 ORDER BY id"
            ),
            params![last],
        )?;
        super::stats::recount_kinds(connection)?;
        connection.execute_batch(&trigger)?;
        self.inserted.set(0);
        Ok(())
    }
}
