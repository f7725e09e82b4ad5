//! What the briefing needs of the tracking database, read once for each state of the file: the database of
//! a long project takes longer to read than everything else at a session's start.

use std::collections::HashSet;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::App;
use super::remembered::Memory;
use crate::lean::last_part;
use crate::tracking::{Tracking, TrackingError, TrackingState};

/// What a tracking database says at one moment.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Tracked {
    pub(super) state: TrackingState,
    /// The last parts of the names of lemmas that its owner listed as false.
    pub(super) refuted: HashSet<String>,
}

/// What the tracking database says now, if there is one.
///
/// # Errors
/// When it cannot be read; nothing is remembered then.
pub(super) fn read(app: &mut App) -> Result<Option<Tracked>, TrackingError> {
    let Some(path) = app.tracking_path() else { return Ok(None) };
    let aliases = app.problem_aliases();
    let made_with = format!("{aliases:?}");
    let memory = Memory::of(app, "tracked", &path, &made_with, vec![path.clone()]);
    if let Some(tracked) = memory.recall() {
        return Ok(Some(tracked));
    }
    let tracked = read_database(&path, aliases, app.now)?;
    memory.keep(&tracked, tracked.state.changes_at.clone());
    Ok(Some(tracked))
}

fn read_database(
    path: &Path,
    aliases: Vec<(String, String)>,
    now: Timestamp,
) -> Result<Tracked, TrackingError> {
    let tracking = Tracking::open(path)?.with_aliases(aliases);
    let state = tracking.state(now)?;
    let lemmas = tracking.false_lemmas_alone()?;
    let names = lemmas.iter().filter_map(|lemma| lemma.lean_name());
    Ok(Tracked { state, refuted: names.map(|name| last_part(name).to_owned()).collect() })
}
