//! Playbooks: completed runs are worked off into entries, by a model or by counting, and entries are
//! found by their tags.

pub(crate) mod record;
mod work;

use std::cmp::Reverse;

use super::App;
use super::review::{self, Here, Listing};
use crate::model::{Evidence, Finding, Kind};

pub use work::{EntryLine, Request, RunsReport, work_off};
pub(in crate::app) use work::{JOB, asker, work_off_locked};

/// Entries with any of the tags, or of a task: with most of the tags first, then this project's, then what
/// results show, then the newest.
///
/// # Errors
/// What the store says.
pub fn list(
    app: &mut App,
    tags: &[String],
    task: Option<&str>,
    limit: usize,
) -> anyhow::Result<Listing> {
    let tags: Vec<String> =
        tags.iter().map(|tag| plain(tag)).filter(|tag| !tag.is_empty()).collect();
    let here = Here::of(app)?;
    let mut findings = review::list(app, Some(Kind::Playbook), Vec::new(), 0)?.findings;
    let fitting = |entry: &Finding| {
        tags.iter().filter(|tag| entry.content.tags.iter().any(|own| own == *tag)).count()
    };
    let task_of = |entry: &Finding| {
        let detail = entry.content.detail.as_ref();
        detail.and_then(|detail| detail.playbook.clone()).unwrap_or_default().source_task_id
    };
    findings.retain(|entry| {
        (tags.is_empty() || fitting(entry) > 0) && task.is_none_or(|task| task_of(entry) == task)
    });
    findings.sort_by_key(|entry| {
        let is_said = entry.content.evidence == Evidence::Model;
        (Reverse(fitting(entry)), !here.has(entry), is_said)
    });
    let total = findings.len() as u64;
    findings.truncate(limit);
    Ok(Listing { total, findings })
}

/// A tag as it is stored: lower case, with `-`.
fn plain(tag: &str) -> String {
    tag.trim().to_lowercase().replace(['_', ' '], "-")
}
