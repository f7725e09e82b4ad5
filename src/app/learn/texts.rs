//! `mk extract` on transcripts and on plain text: by rule, and by hand.

use std::path::Path;

use anyhow::Context as _;
use serde::Serialize;

use super::read;
use crate::app::App;
use crate::app::review::{self, Origin};
use crate::files;
use crate::learn::signals::{self, Proposal, Source};
use crate::learn::transcript;

/// Plain text that is longer is no notes of a person.
const LONGEST_TEXT: u64 = 64 * 1024 * 1024;

#[derive(Debug, Default, Serialize)]
pub struct TextReport {
    pub proposals: Vec<Proposal>,
    /// Those that are new; with a dry run none is.
    pub added: u64,
    pub total: u64,
    pub lessons: u64,
}

/// Whether a file is read for what was said in it: a transcript, or plain text.
pub fn is_text(path: &Path) -> bool {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    matches!(extension.as_deref(), Some("jsonl" | "md" | "markdown" | "txt"))
}

pub fn extract(
    app: &mut App,
    path: &Path,
    dry_run: bool,
    report: &mut TextReport,
) -> anyhow::Result<()> {
    let is_transcript = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl"));
    let now = app.now.to_string();
    let (found, added, lessons) = match (is_transcript, dry_run) {
        (true, true) => (read::whole(path, &now)?.proposals, 0, 0),
        (true, false) => {
            let request = read::Request { is_whole: true, ..read::Request::default() };
            let kept = read::transcript(app, path, request)?;
            (kept.proposals, kept.added, kept.lessons)
        }
        (false, _) => {
            let found = plain(path, &now)?;
            let added = if dry_run { 0 } else { keep(app, path, &found)? };
            (found, added, 0)
        }
    };
    report.total += found.len() as u64;
    report.added += added;
    report.lessons += lessons;
    report.proposals.extend(found);
    Ok(())
}

fn plain(path: &Path, now: &str) -> anyhow::Result<Vec<Proposal>> {
    let bytes = files::read(path, LONGEST_TEXT)
        .with_context(|| format!("could not read `{}`", path.display()))?;
    let records = transcript::read_plain(&bytes);
    let source = Source { session: String::new(), extracted_at: now.to_owned(), is_plain: true };
    Ok(signals::extract(&records, source))
}

fn keep(app: &mut App, path: &Path, found: &[Proposal]) -> anyhow::Result<u64> {
    let project = app.project_identity();
    let source = app.project.stable_path(path);
    // Asked for by hand: all of it.
    let (source, project) = (Some(source.as_str()), project.as_deref());
    let origin = Origin { source, project, most: usize::MAX, ..Origin::default() };
    Ok(review::add(app, found, origin)?.added as u64)
}
