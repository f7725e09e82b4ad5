//! `mk extract`: from a prover's files to knowledge. Reads and judges in parallel, writes in small
//! transactions, so that a file that is done stays done. Never writes a Lean file.

pub mod inputs;
pub mod naming;
pub mod read;
pub mod times;
mod write;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use super::{App, Progress};
use crate::learn::results::Overview;
use crate::model::{Counts, KnownProblems, Reject, Report};
use crate::project::Project;
use inputs::Input;
use naming::Given;
use read::{Context, Failure, Loaded, Summary};

use crate::tracking::{Ledger, Limits, Tracking};

/// Files that are read at once and written together.
const BATCH: usize = 256;

#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Files, folders, archives and patterns, relative to the current folder.
    pub words: Vec<PathBuf>,
    /// Slot and problem for all of them.
    pub given: Given,
    /// Only say what would be stored.
    pub dry_run: bool,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct ExtractReport {
    /// Totals, by kind, and what was left out.
    #[serde(flatten)]
    pub report: Report,
    pub files: Vec<FileReport>,
    pub dry_run: bool,
    /// Files that were read and hold nothing to learn from; they are among the left out.
    pub empty: u64,
    /// Files named on the command line that could not be read or stored.
    pub failed: u64,
}

/// One Lean file of a run.
#[derive(Debug, Clone, Serialize)]
pub struct FileReport {
    pub path: String,
    #[serde(flatten)]
    pub overview: Overview,
    #[serde(flatten)]
    pub counts: Counts,
    pub findings: Vec<FindingLine>,
}

/// A finding in a few words.
#[derive(Debug, Clone, Serialize)]
pub struct FindingLine {
    /// Kind as the database spells it.
    pub kind: String,
    pub title: String,
    /// Confidence as the database spells it.
    pub confidence: String,
    pub technique: Option<String>,
    pub line: Option<i64>,
}

/// A file with what reading it gave.
pub(in crate::app) struct Read {
    /// Absolute path: the key of the file's state in the store.
    pub(in crate::app) key: String,
    pub(in crate::app) stable: String,
    /// It was named on the command line.
    pub(in crate::app) named: bool,
    pub(in crate::app) loaded: Result<Loaded, Failure>,
}

impl Read {
    fn units(&self) -> &[read::Unit] {
        self.loaded.as_ref().map_or(&[], |loaded| &loaded.units)
    }
}

/// Extracts what the request names.
///
/// # Errors
/// When the store cannot be opened, or the whole run cannot be written; a bad file is a problem in
/// the report.
pub fn run(
    app: &mut App,
    request: &Request,
    progress: Progress<'_>,
) -> anyhow::Result<ExtractReport> {
    let mut extract = ExtractReport { dry_run: request.dry_run, ..ExtractReport::default() };
    let base = app.environment.current_dir.clone().unwrap_or_default();
    let mut rejects = Vec::new();
    let inputs = inputs::collect(&request.words, &base, &mut rejects);
    extract.failed = rejects.len() as u64;
    for Reject { path, line, reason } in rejects {
        extract.report.skip(&path, line, reason);
    }
    if !inputs.is_empty() {
        extract_inputs(app, &inputs, request, progress, &mut extract)?;
    }
    Ok(extract)
}

/// Extracts these files into the store.
pub(in crate::app) fn extract_inputs(
    app: &mut App,
    inputs: &[Input],
    request: &Request,
    progress: Progress<'_>,
    extract: &mut ExtractReport,
) -> anyhow::Result<()> {
    let ledger = ledger(app, extract);
    let known = known_problems(app, ledger.as_ref(), request.dry_run)?;
    let submissions = app.tracking_path().and_then(|path| Some(absolute(path.parent()?)));
    let submissions = submissions.filter(|folder| *folder != app.project.root);
    let summaries = summaries(inputs);
    let project = app.project_identity();
    let context = Context {
        project: project.as_deref(),
        given: &request.given,
        known: &known,
        ledger: ledger.as_ref(),
        submissions: submissions.as_deref(),
        times: times::Times::new(inputs),
    };
    let root = project.is_some().then(|| app.project.clone());
    let total = inputs.len() as u64;
    let mut done = 0;
    for batch in inputs.chunks(BATCH) {
        let reads: Vec<Read> = batch
            .par_iter()
            .map(|input| {
                let stable = stable_path(root.as_ref(), &input.path);
                let summary = input
                    .path
                    .parent()
                    .and_then(|folder| summaries.get(folder))
                    .and_then(Option::as_ref);
                let path = absolute(&input.path);
                let loaded = read::load(&path, &stable, summary, &context);
                let key = path.to_string_lossy().into_owned();
                Read { key, stable, named: input.named, loaded }
            })
            .collect();
        if request.dry_run {
            for read in &reads {
                describe(read, extract);
            }
        } else {
            write::store(app, project.as_deref(), &reads, extract)?;
        }
        done += batch.len() as u64;
        progress(done, total);
    }
    if !request.dry_run {
        write::settle(app, project.as_deref(), &mut extract.report)?;
    }
    Ok(())
}

/// The submissions of the project's tracking database; what keeps it from being read is a line of the
/// report, and the files are read without it.
fn ledger(app: &mut App, extract: &mut ExtractReport) -> Option<Ledger> {
    let path = app.tracking_path()?;
    let tracking = Tracking::open_within(&path, Limits::PATIENT);
    match tracking.and_then(|tracking| tracking.with_aliases(app.problem_aliases()).ledger()) {
        Ok(ledger) => Some(ledger),
        Err(error) => {
            extract.report.skip(&path.display().to_string(), None, error.to_string());
            None
        }
    }
}

/// The problems that the tracking database knows, and those that something else than a result file
/// names: what names of files were taken for must not decide what others are taken for.
fn known_problems(
    app: &mut App,
    ledger: Option<&Ledger>,
    dry_run: bool,
) -> anyhow::Result<KnownProblems> {
    let ids = if dry_run {
        app.existing_store()?.map(|store| store.stated_problems()).transpose()?.unwrap_or_default()
    } else {
        app.store()?.stated_problems()?
    };
    let mut known = ledger.map(|ledger| ledger.problems().clone()).unwrap_or_default();
    for (alias, id) in app.problem_aliases() {
        known.alias(&alias, &id);
    }
    for id in ids {
        known.insert(&id);
    }
    Ok(known)
}

/// The prover's summary for each folder with inputs, from the folder or the one above it.
fn summaries(inputs: &[Input]) -> HashMap<PathBuf, Option<Summary>> {
    let mut own: HashMap<PathBuf, Option<Summary>> = HashMap::new();
    let mut of = |folder: &Path| {
        own.entry(folder.to_owned()).or_insert_with(|| read::summary_in(folder)).clone()
    };
    let mut found = HashMap::new();
    for folder in inputs.iter().filter_map(|input| input.path.parent()) {
        if !found.contains_key(folder) {
            let summary = of(folder).or_else(|| folder.parent().and_then(&mut of));
            found.insert(folder.to_owned(), summary);
        }
    }
    found
}

/// Relative to the project inside of one, else absolute.
fn stable_path(project: Option<&Project>, path: &Path) -> String {
    match project {
        Some(project) => project.stable_path(path),
        None => absolute(path).to_string_lossy().into_owned(),
    }
}

fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Adds a file's problems and units to the report, without counts.
fn describe(read: &Read, extract: &mut ExtractReport) {
    match &read.loaded {
        Err(failure) => {
            extract.failed += u64::from(read.named);
            extract.report.skip(&read.stable, None, failure.reason.as_str());
        }
        Ok(loaded) => {
            for (path, reason) in &loaded.problems {
                extract.report.skip(path, None, reason.as_str());
            }
            for unit in &loaded.units {
                if unit.results.findings.is_empty() {
                    extract.empty += 1;
                    extract.report.skip(&unit.file, None, nothing_in(&unit.results.overview));
                }
                extract.files.push(file_report(unit));
            }
        }
    }
}

fn nothing_in(overview: &Overview) -> String {
    match (overview.declarations, overview.gaps) {
        (0, 0) => "holds no declaration: nothing to learn".to_owned(),
        (_, 0) => "holds definitions but no theorem: nothing to learn".to_owned(),
        (_, gaps) => format!("proves nothing yet ({gaps} sorry): no finding"),
    }
}

fn file_report(unit: &read::Unit) -> FileReport {
    let line = |draft: &crate::model::Draft| FindingLine {
        kind: draft.kind.to_string(),
        title: draft.title.clone(),
        confidence: draft.confidence.to_string(),
        technique: draft.proof_technique.clone(),
        line: draft.source.line,
    };
    FileReport {
        path: unit.file.clone(),
        overview: unit.results.overview.clone(),
        counts: Counts::default(),
        findings: unit.results.findings.iter().map(line).collect(),
    }
}
