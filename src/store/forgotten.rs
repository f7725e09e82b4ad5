//! What a person had forgotten, as hashes, so that it does not come back from the same source.

use rusqlite::{Connection, params};

use super::{Store, StoreError, Writer};
use crate::text::hash;

/// By what something that was forgotten is known again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgottenKey<'a> {
    /// A finding by its uid.
    Finding(&'a str),
    /// A proposal by its words, as [`crate::model::ProposalRecord::key`] makes them.
    Proposal(&'a str),
    /// A session by its id.
    Session(&'a str),
    /// A fact with its value, that a person dropped or that is none.
    Fact(&'a str),
}

impl ForgottenKey<'_> {
    fn hash(self) -> String {
        let (sort, key) = match self {
            Self::Finding(uid) => ("finding", uid),
            Self::Proposal(words) => ("proposal", words),
            Self::Session(id) => ("session", id),
            Self::Fact(words) => ("fact", words),
        };
        hash(format!("{sort}\n{key}"), 32)
    }
}

/// Whether a person had any of these forgotten.
pub(super) fn is_known(
    connection: &Connection,
    keys: &[ForgottenKey<'_>],
) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM forgotten WHERE key_hash = ?1")?;
    for key in keys {
        if statement.exists([key.hash()])? {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Store {
    /// Whether a person had any of these forgotten.
    pub fn is_forgotten(&self, keys: &[ForgottenKey<'_>]) -> Result<bool, StoreError> {
        self.read(|connection| is_known(connection, keys))
    }
}

impl Writer<'_> {
    /// Whether a person had any of these forgotten.
    pub fn is_forgotten(&self, keys: &[ForgottenKey<'_>]) -> Result<bool, StoreError> {
        Ok(is_known(self.connection, keys)?)
    }
}

/// Notes that something was forgotten.
pub(super) fn remember(
    connection: &Connection,
    key: ForgottenKey<'_>,
    now: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO forgotten (key_hash, at) VALUES (?1, ?2)")?
        .execute(params![key.hash(), now])
        .map(drop)
}
