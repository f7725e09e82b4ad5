//! Facts out of the transcript of a session that ended.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::put::TranscriptPlace;
use super::worker::Hopeless;
use crate::app::App;
use crate::app::ask::{self, FactsOutcome, Options};
use crate::app::learn::is_excluded;
use crate::store::{ClaimedJob, ForgottenKey};

/// Takes facts out of a transcript, unless it is gone or nothing of it may be kept. Returns what came
/// of it.
///
/// # Errors
/// What the model or the database says; the transcript is then read again.
pub(super) fn take(
    app: &mut App,
    job: &ClaimedJob,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<String> {
    let Ok(place) = serde_json::from_str::<TranscriptPlace>(&job.payload) else {
        return Err(Hopeless("it does not say which transcript it is about".to_owned()).into());
    };
    if !place.transcript.exists() {
        return Ok("the transcript is gone".to_owned());
    }
    if let Some(session) = job.session.as_deref()
        && app.store()?.is_forgotten(&[ForgottenKey::Session(session)])?
    {
        return Ok("its session was forgotten".to_owned());
    }
    let folder = if place.folder.is_dir() { place.folder } else { app.project.start.clone() };
    let mut there = app.elsewhere(&folder);
    if is_excluded(&there) {
        return Ok("nothing is learnt from its project".to_owned());
    }
    let options = Options { stop: Arc::clone(stop), ..Options::default() };
    let outcome = ask::text(&mut there, &place.transcript, &options, &|_| ())?;
    Ok(told(&outcome))
}

/// What came of it, in a few words.
fn told(outcome: &FactsOutcome) -> String {
    let Some(stored) = &outcome.stored else {
        return outcome.skipped.unwrap_or("nothing was stored").to_owned();
    };
    format!(
        "{} new, {} changed, {} seen again, {} proposed",
        stored.inserted, stored.updated, stored.verified, stored.proposed
    )
}
