//! Indexes many rows of one transaction together.
//!
//! With a trigger that writes to the full-text table every INSERT opens a savepoint, which makes the index flush: each
//! row becomes a segment. After some rows the trigger is dropped, and made again once one statement has indexed the
//! rest; no other process sees that, it is one transaction.

use std::cell::{Cell, RefCell};

use rusqlite::{Connection, params};

use super::rank::COLUMNS;
use super::{StoreError, Writer, rows};

/// Rows that are indexed one by one before that.
const ONE_BY_ONE: u32 = 100;
const TRIGGER: &str = "findings_fts_insert";

#[derive(Debug, Default)]
pub(super) struct Indexing {
    inserted: Cell<u32>,
    /// SQL of the dropped trigger, and the last row it indexed.
    waiting: RefCell<Option<(String, i64)>>,
}

impl Indexing {
    pub(super) fn before_insert(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.inserted.set(self.inserted.get() + 1);
        if self.inserted.get() <= ONE_BY_ONE || self.waiting.borrow().is_some() {
            return Ok(());
        }
        let sql = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?1";
        let sql = rows::value(connection, sql, params![TRIGGER])?;
        let last = super::query::about_all(connection)?;
        connection.execute_batch(&format!("DROP TRIGGER {TRIGGER}"))?;
        self.waiting.replace(Some((sql, last)));
        Ok(())
    }

    pub(super) fn has_inserted(&self) -> bool {
        self.inserted.get() > 0
    }
}

impl Writer<'_> {
    /// Call before a row is changed or deleted, and at the end.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        let Some((trigger, last)) = self.indexing.waiting.take() else {
            return Ok(());
        };
        let columns = COLUMNS.map(|(column, _)| column).join(", ");
        let sql = format!(
            "INSERT INTO findings_fts (rowid, {columns})
             SELECT id, {columns} FROM findings_live WHERE id > ?1 ORDER BY id"
        );
        self.run(&sql, params![last])?;
        super::stats::recount_kinds(&self.connection)?;
        self.connection.execute_batch(&trigger)?;
        self.indexing.inserted.set(0);
        Ok(())
    }
}
