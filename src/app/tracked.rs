//! What the briefing needs of the tracking database, read once for each state of the file: the database of
//! a long project takes longer to read than everything else at a session's start.

use std::collections::{HashMap, HashSet};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::App;
use super::remembered::Memory;
use crate::lean::last_part;
use crate::tracking::{Submission, Tracking, TrackingError, TrackingState};

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
    let now = app.now;
    remembered(app, "tracked", |tracking| {
        let state = tracking.state(now)?;
        let lemmas = tracking.false_lemmas_alone()?;
        let names = lemmas.iter().filter_map(|lemma| lemma.theorem_name.as_deref());
        let refuted = names.map(|name| last_part(name).to_owned()).collect();
        let until = state.changes_at.clone();
        Ok((Tracked { state, refuted }, until))
    })
}

/// How the newest submission of each slot ended, in a few words.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn endings(app: &mut App) -> Result<HashMap<i64, String>, TrackingError> {
    let endings = remembered(app, "endings", |tracking| {
        let mut submissions = tracking.ledger()?.into_submissions();
        submissions.sort_by(|a, b| a.last_seen().cmp(&b.last_seen()));
        let ended = |one: Submission| Some((one.slot?, one.ended().join(", ")));
        Ok((submissions.into_iter().filter_map(ended).collect(), None))
    });
    endings.map(Option::unwrap_or_default)
}

/// What is made of the database, and until when it holds; of a kind, made once for each of its states.
fn remembered<T: Serialize + DeserializeOwned>(
    app: &mut App,
    kind: &str,
    make: impl FnOnce(&Tracking) -> Result<(T, Option<String>), TrackingError>,
) -> Result<Option<T>, TrackingError> {
    let Some(path) = app.tracking_path() else { return Ok(None) };
    let aliases = app.problem_aliases();
    let memory = Memory::of(app, kind, &path, &format!("{aliases:?}"), vec![path.clone()]);
    if let Some(known) = memory.recall() {
        return Ok(Some(known));
    }
    // Closed before it is looked at again: see `Memory::of`.
    let (made, until) = {
        let tracking = Tracking::open(&path)?.with_aliases(aliases);
        make(&tracking)?
    };
    memory.keep(&made, until);
    Ok(Some(made))
}
