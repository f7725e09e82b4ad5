//! How the background work is.

use super::Remark;
use crate::app::{App, jobs};
use crate::model::JobState;
use crate::store::JobFilter;
use crate::text::clip;

/// Columns of a reason.
const WIDTH: usize = 160;

/// Jobs that were given up, and a queue that nobody works off; nothing where there was never a job.
pub(super) fn jobs(app: &mut App) -> Vec<Remark> {
    // What is wrong with the database stands under its own name.
    let Ok(state) = jobs::state(app) else { return Vec::new() };
    let mut remarks = Vec::new();
    let dead = state.count(JobState::Dead);
    if dead > 0 {
        let filter = JobFilter { state: Some(JobState::Dead), kind: None, limit: 1 };
        let last = app.existing_store().ok().flatten().and_then(|store| store.jobs(filter).ok());
        let last = last.and_then(|(jobs, _)| jobs.into_iter().next());
        let last = last.map_or_else(String::new, |job| {
            format!(", the last ({}): {}", job.kind, clip(&job.outcome.unwrap_or_default(), WIDTH))
        });
        let jobs = if dead == 1 { "1 was".to_owned() } else { format!("{dead} were") };
        let text = format!("{jobs} given up{last}; `mk jobs list --state dead`");
        remarks.push(Remark::warning("jobs", text));
    }
    if let Some(since) = &state.stuck_since {
        let why = "`mk jobs` may say why; `mk jobs run` does them now";
        remarks.push(Remark::warning("jobs", format!("nothing moves since {since}: {why}")));
    }
    let open = state.count(JobState::Waiting) + state.count(JobState::Running);
    if remarks.is_empty() && !state.by_state.is_empty() {
        let done = state.count(JobState::Done);
        remarks.push(Remark::good("jobs", format!("{open} open, {done} done")));
    }
    remarks
}
