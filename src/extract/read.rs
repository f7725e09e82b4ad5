//! One input file becomes results: read once, unpacked in memory, outlined, judged. Never blocks on a
//! pipe, never reads more than a result may have.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::archive::{self, Form, Member};
use super::inputs::{Input, is_lean_name, unreadable};
use super::naming::{self, Given};
use super::times::Times;
use crate::files;
use crate::lean;
use crate::learn::results::{self, Origin, Recorded, Results};
use crate::model::{KnownProblems, slot_of};
use crate::store::SourceState;
use crate::text::{hash, keepable};
use crate::tracking::Ledger;

pub(crate) struct Context<'a> {
    pub project: Option<&'a str>,
    pub given: &'a Given,
    pub known: &'a KnownProblems,
    pub ledger: Option<&'a Ledger>,
    /// The folder of the tracking database, where that is not the project's own.
    pub submissions: Option<&'a Path>,
    pub times: Times<'a>,
}

#[derive(Debug, Clone)]
pub(crate) struct Summary {
    pub name: String,
    pub text: String,
}

#[derive(Debug)]
pub(crate) struct Read {
    /// Absolute.
    pub path: PathBuf,
    pub stable: String,
    pub named: bool,
    /// By what a later run knows it again; none where that may find it in another state.
    pub state: Option<SourceState>,
    /// Its results: one, or one a Lean file in the archive.
    pub units: Vec<Unit>,
    /// What was left out, the file itself or members of it: stable path and reason.
    pub problems: Vec<(String, String)>,
    pub has_failed: bool,
}

#[derive(Debug)]
pub(crate) struct Unit {
    /// Stable path; for a member `archive!member`.
    pub file: String,
    pub results: Results,
    pub row: Option<i64>,
}

/// Ends the stored hash of a file whose statements were given keys of the present version.
pub(crate) fn key_mark() -> String {
    format!(".{}", lean::KEY_VERSION)
}

pub(crate) fn stamp(meta: &fs::Metadata) -> (u64, i64) {
    let since = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (meta.len(), since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0))
}

pub(crate) fn load(
    input: &Input,
    stable: String,
    summary: Option<&Summary>,
    context: &Context<'_>,
) -> Read {
    let mut read = Read {
        path: absolute(&input.path),
        stable,
        named: input.named,
        state: None,
        units: Vec::new(),
        problems: Vec::new(),
        has_failed: false,
    };
    if let Err(reason) = fill(&mut read, summary, context) {
        if let Some(state) = &mut read.state {
            state.failure = Some(reason.clone());
        }
        read.has_failed = true;
        read.problems.push((read.stable.clone(), reason));
    }
    read
}

/// What fails once the state is known fails until the file is another one.
fn fill(read: &mut Read, summary: Option<&Summary>, context: &Context<'_>) -> Result<(), String> {
    let look = || fs::metadata(&read.path).map_err(|error| unreadable(&error));
    let meta = look()?;
    if meta.is_dir() {
        return Err("is a folder".to_owned());
    }
    if !meta.is_file() {
        return Err("is no regular file (a pipe, a device or a socket)".to_owned());
    }
    let name = read.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    if let Some(reason) = refused_by_name(&name) {
        return Err(reason.to_owned());
    }
    let (size, mtime_ns) = stamp(&meta);
    read.state = Some(SourceState { size, mtime_ns, ..SourceState::default() });
    if size > archive::LARGEST_FILE {
        return Err(archive::too_large(size));
    }
    let bytes =
        files::read(&read.path, archive::LARGEST_FILE).map_err(|error| unreadable(&error))?;
    let after = fs::metadata(&read.path).map_err(|error| unreadable(&error));
    if after.as_ref().map(stamp) != Ok((size, mtime_ns)) {
        read.state = None;
        after?;
        return Err("changed while it was read: it waits for the next run".to_owned());
    }
    let content = hash(&bytes, 16) + &key_mark();
    let source = Source { path: &read.path, stable: &read.stable, summary };
    (read.units, read.problems) = units(&source, bytes, context)?;
    if let Some(state) = &mut read.state {
        state.hash = content;
    }
    Ok(())
}

pub(crate) fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn refused_by_name(name: &str) -> Option<&'static str> {
    let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("md" | "txt" | "jsonl") => {
            Some("is a text: `mk extract-all` reads the texts of a folder")
        }
        _ if is_lean_name(name) || archive::has_archive_name(name) || extension.is_none() => None,
        _ => Some("is neither a Lean file nor an archive (.lean, .tar.gz, .tgz, .tar)"),
    }
}

struct Source<'a> {
    path: &'a Path,
    stable: &'a str,
    summary: Option<&'a Summary>,
}

type Units = (Vec<Unit>, Vec<(String, String)>);

fn units(source: &Source<'_>, bytes: Vec<u8>, context: &Context<'_>) -> Result<Units, String> {
    let stable = source.stable;
    let form = archive::form(&bytes);
    if form == Form::Zip {
        return Err("is a zip archive: unpack it first, or give a .tar.gz".to_owned());
    }
    if form == Form::Plain {
        let member = Member { name: String::new(), bytes };
        return Ok((vec![unit(source, stable, &member, context)?], Vec::new()));
    }
    let members =
        archive::read(form, &*bytes).map_err(|error| format!("is a damaged archive: {error}"))?;
    let inner = members.summary.map(|member| Summary {
        name: archive::base_name(&member.name).to_owned(),
        text: lean::decode(&member.bytes).text,
    });
    let source = &Source { summary: inner.as_ref().or(source.summary), ..*source };
    let shown = |member: &str| {
        if member.is_empty() { stable.to_owned() } else { format!("{stable}!{member}") }
    };
    let mut problems: Vec<(String, String)> =
        members.problems.into_iter().map(|(member, reason)| (shown(&member), reason)).collect();
    let mut units = Vec::new();
    for member in &members.lean {
        match unit(source, &shown(&member.name), member, context) {
            Ok(unit) => units.push(unit),
            Err(reason) => problems.push((shown(&member.name), reason)),
        }
    }
    if units.is_empty() && problems.is_empty() {
        return Err("is an archive without a Lean file".to_owned());
    }
    Ok((units, problems))
}

fn unit(
    source: &Source<'_>,
    file: &str,
    member: &Member,
    context: &Context<'_>,
) -> Result<Unit, String> {
    if let Some(what) = lean::foreign(&member.bytes) {
        return Err(format!("is {what}, not a Lean file"));
    }
    let decoded = lean::decode(&member.bytes);
    if decoded.lossy && is_garbage(&decoded.text) {
        return Err("is no text: most of it is not UTF-8".to_owned());
    }
    // Comments of a result may hold anything.
    let text = keepable(&decoded.text);
    let summary = source.summary.map(|summary| (summary.name.as_str(), keepable(&summary.text)));
    let summary = summary.as_ref().map(|(name, text)| (*name, &**text));
    let statements = lean::Statements::detailed(&text);
    let outline = statements.outline();
    let request = results::request(&text, outline, summary);
    let own_slot = context.given.slot.or_else(|| slot_of(archive::base_name(source.stable)));
    let joined =
        context.ledger.and_then(|ledger| ledger.join(request.as_deref(), source.stable, own_slot));
    // A slot has several files: that one of them was completed says nothing of another.
    let row = joined.filter(|(_, is_own)| *is_own).map(|(row, _)| row);
    let said = results::problem_named(&text, outline, context.known);
    let is_below = |folder: &Path| source.path.starts_with(folder);
    let besides = naming::Known {
        recorded: joined.and_then(|(row, _)| row.problem.as_deref()),
        slot: row.and_then(|row| row.slot),
        is_submitted: row.is_some() || context.submissions.is_some_and(is_below),
        said: said.as_deref(),
    };
    let naming = naming::name(source.path, &member.name, context.known, context.given, besides);
    let origin = Origin {
        file,
        project: context.project,
        slot: naming.slot,
        problem: naming.problem.as_deref(),
        approach: naming.approach.as_deref(),
        is_attempt: naming.is_attempt,
        summary,
        recorded: row.map(|row| Recorded {
            uuid: row.uuid.as_deref(),
            status: row.status.as_deref(),
            is_clean: row.is_called_clean(),
            at: row.happened_at(),
        }),
    };
    let row = row.and_then(|row| row.id);
    let mut results = results::learn(&statements, &origin);
    date(&mut results, || context.times.of(source.path));
    Ok(Unit { file: file.to_owned(), results, row })
}

/// Says when it happened, where the results themselves do not.
fn date<'a>(results: &mut Results, at: impl FnOnce() -> Option<&'a str>) {
    let own = results.findings.iter_mut().map(|draft| &mut draft.created_at);
    let times = own.chain(results.strategy.iter_mut().map(|draft| &mut draft.attempted_at));
    let mut undated = times.filter(|time| time.is_none()).peekable();
    if undated.peek().is_some()
        && let Some(at) = at()
    {
        undated.for_each(|time| *time = Some(at.to_owned()));
    }
}

/// One character in twenty could not be decoded.
fn is_garbage(text: &str) -> bool {
    let unknown = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    unknown * 20 > text.chars().count()
}

pub(crate) fn summary_in(folder: &Path) -> Option<Summary> {
    let entries = fs::read_dir(folder).ok()?;
    let mut names: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect();
    names.retain(|name| archive::is_summary(&name.to_string_lossy()));
    names.sort();
    let path = folder.join(names.first()?);
    let bytes = files::read(&path, files::SMALL).ok()?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some(Summary { name, text: lean::decode(&bytes).text })
}
