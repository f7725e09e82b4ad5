//! What the hooks of a session do for learning: read before a compaction, leave a ticket at the end,
//! catch up at the next start. Nothing here says anything, but for what was in hand.

use std::path::Path;
use std::time::Duration;

use super::{read, tickets, work};
use crate::app::App;
use crate::hook::Event;
use crate::jobs;
use crate::store::TranscriptState;

/// Transcripts of sessions that are over at whose length a start looks.
const LOOKED_BACK: usize = 4;

/// The client gives a hook five seconds; what is not read by then is left to the background.
const READ_LIMIT: Duration = Duration::from_secs(2);

/// Starts what earlier sessions left; this one has another transcript.
///
/// # Errors
/// When the database cannot be read.
pub fn catch_up(app: &mut App, transcript: Option<&Path>) -> anyhow::Result<()> {
    if app.database.path().is_none() || super::is_excluded(app) {
        return Ok(());
    }
    let store = app.store()?;
    let open = store.open_transcripts(2)?;
    let closed = store.closed_transcripts(LOOKED_BACK)?;
    let is_other = |state: &&TranscriptState| Some(Path::new(&state.path)) != transcript;
    if tickets::any(app)
        || open.iter().any(|state| is_other(&state))
        || closed.iter().filter(is_other).any(work::is_late)
        || jobs::is_due(app)
    {
        work::start(app);
    }
    Ok(())
}

/// What was being worked on before a compaction; empty where that is not known.
///
/// Reads on first: the client writes its transcript with a delay, so that the last results may not have
/// been there when the compaction began.
pub fn after_compaction(app: &mut App, event: &Event) -> String {
    if super::is_excluded(app) {
        return String::new();
    }
    if let Err(error) = compacting(app, event) {
        app.log.line(app.now, "learn", &format!("{error:#}"));
    }
    let in_hand = event.transcript.as_deref().and_then(|path| read::in_hand(app, path));
    in_hand.unwrap_or_default()
}

/// Reads what is new before it is compacted, and once more when it is.
///
/// # Errors
/// When the transcript cannot be read or the database cannot be written.
pub fn compacting(app: &mut App, event: &Event) -> anyhow::Result<()> {
    let Some(path) = event.transcript.as_deref() else { return Ok(()) };
    if app.database.path().is_none() || super::is_excluded(app) {
        return Ok(());
    }
    let request =
        read::Request { session: &event.session, limit: Some(READ_LIMIT), ..Default::default() };
    if read::transcript(app, path, request)?.unfinished {
        work::start(app);
    }
    Ok(())
}

/// Leaves a ticket and starts the work.
///
/// # Errors
/// When the ticket cannot be written.
pub fn ended(app: &mut App, event: &Event) -> anyhow::Result<()> {
    if app.database.path().is_none() || super::is_excluded(app) {
        return Ok(());
    }
    if tickets::leave(app, event)? {
        work::start(app);
    }
    Ok(())
}
