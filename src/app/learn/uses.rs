//! What became of the things that a session was told, as its transcript shows it.

use super::read::Request;
use crate::app::App;
use crate::learn::uses::{Uses, Watched};
use crate::store::{StoreError, TranscriptState, Writer};

/// What the ledger holds of the session whose transcript is read; nothing where the session is not known
/// before the reading.
pub(super) fn watch(
    app: &mut App,
    request: Request<'_>,
    known: Option<&TranscriptState>,
) -> anyhow::Result<Uses> {
    let named = Some(request.session).filter(|id| !id.is_empty());
    let session = named.or_else(|| known.and_then(|known| known.session.as_deref()));
    let Some(session) = session else { return Ok(Uses::default()) };
    let rows = app.store()?.injections(session)?;
    let is_open =
        |outcome: &Option<String>| outcome.as_deref().is_none_or(|outcome| outcome == "unused");
    let watched = rows.into_iter().filter(|row| is_open(&row.outcome)).map(|row| Watched {
        row: row.id,
        at: row.at,
        label: row.finding.map(|_| row.label).unwrap_or_default(),
        marks: row.marks,
        file: Some(row.place).filter(|place| row.event == "PostToolUse" && !place.is_empty()),
    });
    Ok(Uses::new(watched.collect()))
}

/// Notes what was used; at the end of the session everything else is decided too.
pub(super) fn keep(
    writer: &Writer<'_>,
    session: &str,
    uses: &Uses,
    is_over: bool,
) -> Result<(), StoreError> {
    for (row, how) in &uses.found {
        writer.decide_injection(*row, "used", how)?;
    }
    if is_over {
        writer.settle_injections(session)?;
    }
    Ok(())
}
