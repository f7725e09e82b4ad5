//! What hooks need of the tracking database, read once for each state of the file: the database of
//! a long project takes longer to read than everything else at a session's start.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::App;
use super::remembered::Memory;
use crate::model::{Draft, Kind};
use crate::tracking::{QUICK, Standing, Submission, Tracking, TrackingError, TrackingState};

pub(crate) fn read(app: &mut App) -> Result<Option<TrackingState>, TrackingError> {
    let now = app.now;
    remembered(app, "state", |tracking| {
        let state = tracking.state(now);
        let until = state.changes_at.clone();
        (state, until)
    })
}

pub(crate) fn false_lemmas(app: &mut App) -> Result<Vec<Draft>, TrackingError> {
    let lemmas = remembered(app, "false", |tracking| {
        let refused = tracking.refused().iter();
        (refused.filter(|draft| draft.kind == Kind::FalseLemma).cloned().collect(), None)
    });
    lemmas.map(Option::unwrap_or_default)
}

/// How the newest submission of each slot ended, in a few words, with its problem.
pub(crate) fn endings(app: &mut App) -> Result<HashMap<i64, String>, TrackingError> {
    let endings = remembered(app, "endings", |tracking| {
        let mut submissions = tracking.ledger.submissions;
        // A row whose status says nothing, such as that of an index of files, comes behind the others; `slot24b` is
        // told behind `slot24`.
        submissions.sort_by(|a, b| {
            let says = |one: &Submission| {
                (one.standing != Standing::History, one.last_seen().map(str::to_owned))
            };
            says(a).cmp(&says(b))
        });
        let ended = |one: Submission| {
            let mut said = one.ended().join(", ");
            if !one.false_targets.is_empty() {
                write!(said, "; tries what is false: {}", one.false_targets.join(", ")).ok();
            }
            if let Some(problem) = &one.problem {
                write!(said, "; {problem}").ok();
            }
            Some((one.slot?, one.label, said))
        };
        let mut by_label: BTreeMap<(i64, String), String> = BTreeMap::new();
        for (slot, label, said) in submissions.into_iter().filter_map(ended) {
            by_label.insert((slot, label), said);
        }
        let mut endings: HashMap<i64, String> = HashMap::new();
        for ((slot, label), said) in by_label {
            let said =
                if label == format!("slot{slot}") { said } else { format!("{label}: {said}") };
            let ending = endings.entry(slot).or_default();
            let between = if ending.is_empty() { "" } else { "; " };
            write!(ending, "{between}{said}").ok();
        }
        (endings, None)
    });
    endings.map(Option::unwrap_or_default)
}

/// What is made of the database, and until when it holds; made once for each of its states, and kept in one
/// folder, which `mk gc` and `mk forget` know.
fn remembered<T: Serialize + DeserializeOwned>(
    app: &mut App,
    what: &str,
    make: impl FnOnce(Tracking) -> (T, Option<String>),
) -> Result<Option<T>, TrackingError> {
    let Some(path) = app.tracking_path() else { return Ok(None) };
    let aliases = app.problem_aliases();
    let name = path.join(what);
    let memory = Memory::of(app, "tracked", &name, &format!("{aliases:?}"), vec![path.clone()]);
    if let Some(known) = memory.recall() {
        return Ok(Some(known));
    }
    let (made, until) = make(Tracking::open(&path, QUICK, &aliases, &[])?);
    memory.keep(&made, until);
    Ok(Some(made))
}
