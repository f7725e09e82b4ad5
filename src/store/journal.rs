//! Which proposals and decisions still have to go into the journal.

use rusqlite::params;

use super::record::text;
use super::{Store, StoreError, Writer};
use crate::model::ProposalRecord;

impl Store {
    /// Proposals that the journal does not have yet, and decisions that it does not know, the oldest
    /// first.
    pub fn to_journal(&self) -> Result<Vec<ProposalRecord>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT p.id, p.type, p.content, coalesce(d.session_id, p.source), p.extracted_at,
                 p.status, d.decided_at
                 FROM proposals p JOIN proposal_details d ON d.proposal_id = p.id
                 WHERE d.journaled = 0 OR (d.journaled = 1 AND p.status <> 'pending')
                 ORDER BY p.extracted_at, p.rowid",
            )?;
            let rows = statement.query_map([], |row| {
                let or_empty =
                    |index| Ok::<_, rusqlite::Error>(text(row, index)?.unwrap_or_default());
                Ok(ProposalRecord {
                    id: or_empty(0)?,
                    kind: or_empty(1)?,
                    content: or_empty(2)?,
                    source: or_empty(3)?,
                    extracted_at: or_empty(4)?,
                    status: or_empty(5)?,
                    decided_at: text(row, 6)?,
                    ..ProposalRecord::default()
                })
            })?;
            rows.collect()
        })
    }
}

impl Writer<'_> {
    /// Notes that the journal has a proposal with this status. One that was decided meanwhile stays
    /// to be told.
    pub fn journaled(&self, row: &ProposalRecord) -> Result<(), StoreError> {
        self.connection
            .prepare_cached(
                "UPDATE proposal_details SET journaled = CASE WHEN ?2 = 'pending' THEN 1 ELSE 2 END
                 WHERE proposal_id = ?1",
            )?
            .execute(params![row.id, row.status])?;
        Ok(())
    }
}
