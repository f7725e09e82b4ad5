//! Words that many findings hold (`fts_common`): asking the index how rare a word is would cost more than the search.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::query::quoted;

/// Common: in more than one of so many findings.
const COMMON_PART: i64 = 1000;
/// Below so many findings nothing is counted.
const COUNTED_FROM: i64 = 5000;

pub(super) fn counted_rows(connection: &Connection) -> rusqlite::Result<i64> {
    let rows = connection
        .prepare_cached("SELECT docs FROM fts_common WHERE term = ''")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(rows.unwrap_or(0))
}

/// Of a stem; `None` for a word that is not common.
pub(super) fn docs(connection: &Connection, term: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT docs FROM fts_common WHERE term = ?1")?
        .query_row([term], |row| row.get(0))
        .optional()
}

/// When the findings have grown by a fifth; a stale count is harmless.
pub(super) fn refresh_when_stale(connection: &Connection) -> rusqlite::Result<()> {
    // The highest row number is free to ask for.
    let rows: i64 =
        connection.query_row("SELECT coalesce(max(id), 0) FROM findings", [], |row| row.get(0))?;
    let counted = counted_rows(connection)?;
    if rows > COUNTED_FROM && rows > counted + counted / 5 { refresh(connection) } else { Ok(()) }
}

pub(super) fn refresh(connection: &Connection) -> rusqlite::Result<()> {
    let rows: i64 =
        connection.query_row("SELECT coalesce(max(id), 0) FROM findings", [], |row| row.get(0))?;
    connection.execute_batch(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.findings_terms
         USING fts5vocab('main', 'findings_fts', 'row');
         DELETE FROM fts_common;",
    )?;
    connection.execute(
        "INSERT INTO fts_common (term, docs)
         SELECT term, doc FROM temp.findings_terms WHERE doc > ?1",
        params![rows / COMMON_PART],
    )?;
    connection.execute("INSERT INTO fts_common (term, docs) VALUES ('', ?1)", params![rows])?;
    Ok(())
}

pub(super) fn count(connection: &Connection, word: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "SELECT count(*) FROM (SELECT 1 FROM findings_fts WHERE findings_fts MATCH ?1 LIMIT 20000)",
        )?
        .query_row([quoted(word)], |row| row.get(0))
}
