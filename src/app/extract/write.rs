//! Stores what was read: findings, problem, strategy and the file's state in one transaction.

use super::{ExtractReport, Read, describe};
use crate::app::App;
use crate::model::{Counts, Report};
use crate::playbooks::record;
use crate::store::{FileFindings, SourceState, StoreError, Writer};

/// Stores a batch. Where that fails for one file, each is stored on its own, so that a bad one costs
/// no other.
pub(super) fn store(
    app: &mut App,
    project: Option<&str>,
    reads: &[Read],
    extract: &mut ExtractReport,
) -> anyhow::Result<()> {
    let now = app.now;
    let extracted_at = now.strftime("%Y-%m-%d %H:%M:%S").to_string();
    let store = app.store()?;
    let mut write = |reads: &[Read]| {
        store.write(now, |writer| write_all(writer, project, reads, &extracted_at))
    };
    let stored: Result<Vec<Stored>, StoreError> = write(reads);
    match stored {
        Ok(stored) => {
            for (read, stored) in reads.iter().zip(stored) {
                note(read, stored, extract);
            }
        }
        Err(_) => {
            for read in reads {
                match write(std::slice::from_ref(read)) {
                    Ok(stored) => stored.into_iter().for_each(|stored| note(read, stored, extract)),
                    Err(error) if is_fatal(&error) => return Err(error.into()),
                    Err(error) => {
                        extract.failed += 1;
                        extract.report.skip(
                            &read.stable,
                            None,
                            format!("could not be stored: {error}"),
                        );
                    }
                }
            }
        }
    }
    Ok(())
}

/// Brings what follows from all files up to date: which were moved, which sketches are answered, what the
/// tracking database speaks of, where problems stand.
pub(super) fn settle(
    app: &mut App,
    project: Option<&str>,
    report: &mut Report,
) -> anyhow::Result<()> {
    let now = app.now;
    let root = app.project.root.clone();
    let store = app.store()?;
    let mut gone = store.files_named_twice(project)?;
    gone.retain(|file| {
        let path = file.split('!').next().unwrap_or(file);
        !root.join(path).exists()
    });
    let gone: Vec<FileFindings<'_>> =
        gone.iter().map(|file| FileFindings { file, ..FileFindings::default() }).collect();
    store.write(now, |writer| -> Result<(), StoreError> {
        writer.replace_files(project, &gone)?;
        writer.settle_sources(project, report)?;
        writer.recount_problems()
    })?;
    Ok(())
}

/// What storing a file did: the report, and the counts of each of its units.
type Stored = (Report, Vec<Counts>);

fn write_all(
    writer: &Writer<'_>,
    project: Option<&str>,
    reads: &[Read],
    extracted_at: &str,
) -> Result<Vec<Stored>, StoreError> {
    let files: Vec<FileFindings<'_>> = reads
        .iter()
        .flat_map(Read::units)
        .map(|unit| {
            let results = &unit.results;
            let open = results.open.iter().map(|open| (open.name.as_str(), open.key.as_str()));
            FileFindings {
                file: &unit.file,
                drafts: &results.findings,
                open: open.collect(),
                slot: results.overview.slot,
                submission: results.overview.uuid.as_deref(),
                is_answer: results.overview.header && results.overview.stopped.is_none(),
            }
        })
        .collect();
    let mut reports = writer.replace_files(project, &files)?.into_iter();
    let mut stored = Vec::with_capacity(reads.len());
    for read in reads {
        let (mut report, mut counts) = Stored::default();
        for (unit, mut own) in read.units().iter().zip(&mut reports) {
            write_unit(writer, project, unit, &mut own)?;
            counts.push(own.counts);
            report.merge(own);
        }
        if let Some(state) = state(read, extracted_at) {
            writer.set_source(&read.key, &state)?;
        }
        stored.push((report, counts));
    }
    Ok(stored)
}

/// Beside the findings.
fn write_unit(
    writer: &Writer<'_>,
    project: Option<&str>,
    unit: &super::read::Unit,
    report: &mut Report,
) -> Result<(), StoreError> {
    let results = &unit.results;
    writer.replace_strategies(&unit.file, results.strategy.as_slice(), report)?;
    if let Some(problem) = &results.problem {
        report.record("problem", writer.put_problem(problem)?);
    }
    record::result(writer, results.overview.uuid.as_deref().unwrap_or(&unit.file), project)
}

/// What is kept of a file, so that it is read again only when it changed.
fn state(read: &Read, extracted_at: &str) -> Option<SourceState> {
    let extracted_at = extracted_at.to_owned();
    match &read.loaded {
        Ok(loaded) => Some(SourceState {
            size: loaded.size,
            mtime_ns: loaded.mtime_ns,
            hash: loaded.hash.clone(),
            extracted_at,
            failure: None,
        }),
        Err(failure) if failure.lasting => {
            let (size, mtime_ns) = super::read::stamp(&std::fs::metadata(&read.key).ok()?);
            let failure = Some(failure.reason.clone());
            Some(SourceState { size, mtime_ns, hash: String::new(), extracted_at, failure })
        }
        Err(_) => None,
    }
}

fn note(read: &Read, (report, counts): Stored, extract: &mut ExtractReport) {
    let first = extract.files.len();
    describe(read, extract);
    for (file, counts) in extract.files.iter_mut().skip(first).zip(counts) {
        file.counts = counts;
    }
    extract.report.merge(report);
}

/// Errors that the next file would meet too.
fn is_fatal(error: &StoreError) -> bool {
    use StoreError::{IndexRebuilt, Invalid, Sqlite};
    !matches!(error, Sqlite(_) | Invalid(_) | IndexRebuilt { .. })
}
