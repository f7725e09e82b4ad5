//! Completes rows that were written by hand or converted: identity, fingerprint, symbols. What is there is kept.

use rusqlite::{Connection, params};

use super::findings::{free_uid, load, uid_of};
use super::record::key_of;
use super::sources;
use super::symbols::symbols_with;

const BATCH: i64 = 500;

pub(super) fn is_needed(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM findings INDEXED BY findings_todo WHERE symbols IS NULL)",
        [],
        |row| row.get(0),
    )
}

pub(super) fn complete(connection: &Connection) -> rusqlite::Result<()> {
    let mut after = i64::MIN;
    loop {
        let ids: Vec<i64> = connection
            .prepare_cached(
                "SELECT id FROM findings WHERE symbols IS NULL AND id > ?1 ORDER BY id LIMIT ?2",
            )?
            .query_map(params![after, BATCH], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let Some(&last) = ids.last() else {
            return Ok(());
        };
        after = last;
        for id in ids {
            complete_row(connection, id)?;
        }
    }
}

fn complete_row(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    let Some(finding) = load(connection, id)? else {
        return Ok(());
    };
    // The fingerprint is of the content last stored: a row edited by hand stays until its source changes.
    let taken = |uid: &str| {
        connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM findings WHERE uid = ?1 AND id <> ?2)")?
            .query_row(params![uid, id], |row| row.get(0))
    };
    let uid = if finding.uid.is_empty() {
        free_uid(&uid_of(&finding.content), taken)?
    } else {
        finding.uid
    };
    let symbols = symbols_with(&finding.content, &sources::words_of(connection, &uid)?);
    connection
        .prepare_cached(
            "UPDATE findings SET uid = ?2, fingerprint = coalesce(fingerprint, ?3), symbols = ?4,
             key = coalesce(key, ?5) WHERE id = ?1",
        )?
        .execute(params![
            id,
            uid,
            finding.content.fingerprint(),
            symbols,
            key_of(&finding.content)
        ])?;
    Ok(())
}
