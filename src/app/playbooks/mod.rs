//! Playbooks: completed runs are worked off into entries, by a model or by counting, and entries are
//! found by their tags.

pub(in crate::app) mod record;
mod work;

use anyhow::bail;
use serde::Serialize;

use super::App;
use crate::store::{PlaybookFilter, StoredPlaybook};
use crate::text::{clean, clip};

pub use work::{
    Batch, EntryLine, Request, RunLine, RunsReport, Usage, ask, begin, fetch, save, work_off,
};
pub(in crate::app) use work::{JOB, work_off_locked};

/// Where playbook entries stand among what is put into a context: last, they are the first to go when
/// the budget is used up.
pub const PRIORITY: u8 = 5;

/// Entries, those that fit best first.
#[derive(Debug, Default, Serialize)]
pub struct PlaybooksReport {
    pub total: u64,
    pub playbooks: Vec<StoredPlaybook>,
}

/// Lists entries with any of the tags, or of a task.
///
/// # Errors
/// What the store says.
pub fn list(
    app: &mut App,
    tags: &[String],
    task: Option<&str>,
    limit: usize,
) -> anyhow::Result<PlaybooksReport> {
    let tags = tags.iter().map(|tag| plain(tag)).filter(|tag| !tag.is_empty()).collect();
    let filter = PlaybookFilter { tags, task: task.map(str::to_owned), limit };
    let project = app.project_identity();
    let (playbooks, total) = app.store()?.playbooks(&filter, project.as_deref())?;
    Ok(PlaybooksReport { total, playbooks })
}

/// A tag as it is stored: lower case, with `-`.
fn plain(tag: &str) -> String {
    tag.trim().to_lowercase().replace(['_', ' '], "-")
}

/// One entry, by its number (`12`, `#12`).
///
/// # Errors
/// When there is none of that number, or what the store says.
pub fn show(app: &mut App, id: &str) -> anyhow::Result<StoredPlaybook> {
    let text = id.trim();
    let Ok(number) = text.strip_prefix('#').unwrap_or(text).parse() else {
        let text = clip(&clean(text), 40);
        bail!("`{text}` is no number of a playbook entry: `mk playbooks` lists them");
    };
    match app.store()?.playbook(number)? {
        Some(entry) => Ok(entry),
        None => bail!("there is no playbook entry #{number}"),
    }
}

/// Entries for a context: with any of the tags ([`crate::learn::playbooks::tags`]), those with most of them
/// first. Nothing where there is no database or it cannot be read: a context does without.
pub fn matching(app: &mut App, tags: &[&str], limit: usize) -> Vec<StoredPlaybook> {
    if tags.is_empty() || limit == 0 {
        return Vec::new();
    }
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    let filter = PlaybookFilter { tags, task: None, limit };
    let project = app.project_identity();
    let Ok(Some(store)) = app.existing_store() else { return Vec::new() };
    store.playbooks(&filter, project.as_deref()).map(|(found, _)| found).unwrap_or_default()
}
