//! `mk import`: what somebody else's tracking database knows becomes knowledge.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rayon::prelude::*;
use serde::Serialize;

use crate::add;
use crate::app::{App, Progress};
use crate::extract::inputs::{self, Input};
use crate::extract::read::{self, Context, Given, Times};
use crate::extract::{self, ExtractReport};
use crate::lean::trivial::{Triviality, triviality};
use crate::model::{Counts, Draft, Kind, MAIN_TAG, Put, Report, is_named_as_step};
use crate::playbooks::record;
use crate::project::Project;
use crate::store::{SourceState, Store, StoreError, Writer, file_state};
use crate::text::{clean, clip, keepable, plural};
use crate::tracking::{Imported, PATIENT, Shortfall, Tracking, TrackingError};
use crate::ui::layout::{Column, Page};
use crate::ui::progress::Progress as Bar;
use crate::ui::{Exit, Out, UsageError};

/// Import a tracking.db: theorems, false lemmas, failures, problems
///
/// The tracking database is only read. Without FILE it is the one of `--tracking`,
/// `MATH_FORGE_TRACKING_DB`, the configuration, or `submissions/tracking.db` of this project. FILE
/// may also be a knowledge.db made by the shell tool: its findings, strategies and problems are
/// imported. Or it is the output of `mk export`, as FILE.jsonl.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk import
  mk import knowledge.jsonl
  mk import ~/lean/erdos/submissions/tracking.db --dry-run

The same database twice changes nothing; a changed row changes what came from it.")]
pub(crate) struct Args {
    /// The tracking database, or the output of `mk export`
    #[arg(value_name = "FILE")]
    path: Option<PathBuf>,
    /// Show what would be stored, store nothing
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let is_lines = |path: &&PathBuf| path.extension().is_some_and(|end| end == "jsonl");
        if let Some(path) = self.path.as_ref().filter(is_lines) {
            if self.dry_run {
                return Err(UsageError("--dry-run is for databases".to_owned()).into());
            }
            return read_lines(app, path, out);
        }
        let bar = Bar::new("importing", out.watched && !out.json);
        let report = run(app, self.path.as_deref(), self.dry_run, &|done, total| {
            bar.show(done, total);
        });
        drop(bar);
        let report = report?;
        out.answer(&report, |_| view(&report))
    }
}

/// Stores a record a line, of a file or of stdin (`-`).
pub(crate) fn read_lines(app: &mut App, path: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let report = add::lines(app, path)?;
    let problems = &report.report.problems;
    if out.json {
        out.object(&report)?;
    } else if problems.is_empty() {
        out.print(&sums(&report.report))?;
    } else {
        out.note("mk: nothing was stored, because of these lines:");
        out.note(skipped(&report.report).trim_end());
    }
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Failed })
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    pub path: String,
    pub dry_run: bool,
    pub rows: u64,
    /// Times that are in no form that is read.
    #[serde(skip_serializing_if = "is_none")]
    pub unread_times: u64,
    /// Its folder, where result files in it wait to be read.
    #[serde(skip)]
    results: Option<PathBuf>,
    #[serde(flatten)]
    pub report: Report,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Everything is stored, or nothing.
pub(crate) fn run(
    app: &mut App,
    path: Option<&Path>,
    dry_run: bool,
    progress: Progress<'_>,
) -> anyhow::Result<ImportReport> {
    let path = path.map(Path::to_owned).or_else(|| app.tracking_path()).context(
        "no tracking database found: name one (`mk import FILE`), or set MATH_FORGE_TRACKING_DB",
    )?;
    // Before it is opened; what is written meanwhile is read the next time.
    let state = state_of(&path);
    let known = app.existing_store()?.map(|store| store.stated_problems()).transpose()?;
    let aliases = app.problem_aliases();
    let tracking = Tracking::open(&path, PATIENT, &aliases, &known.unwrap_or_default())?;
    let state = state?;
    let project = owner(app, &path);
    let answers = shortfalls(app, &tracking, &path)?;
    let (now, root) = (app.now, app.project.root.clone());
    let mut about: Vec<PathBuf> = Vec::new();
    let is_new =
        app.existing_store()?.map(|store| store.source(&source_name(&path))).transpose()?;
    let is_new = is_new.flatten().is_none() && elsewhere(app, &path).is_none();
    let new_in = is_new.then(|| source_name(path.parent().unwrap_or(&path)));
    let mut import = |store: &mut Store| -> anyhow::Result<(u64, u64, Report)> {
        let mut imported = tracking.import(project.as_deref(), &answers)?;
        mark_trivial(&mut imported);
        leave_out_secrets(&mut imported);
        let mut put = |writer: &Writer<'_>| {
            let changed = record::submissions(writer, &imported, project.as_deref())?;
            writer.set_source(&source_name(&path), &state)?;
            // What a changed row says of an answer belongs to what is known of it: it is read again.
            let files = writer.files_of_submissions(&changed, project.as_deref())?;
            let path = |file: &String| fs::canonicalize(root.join(file.split('!').next()?)).ok();
            about = files.iter().filter_map(path).collect();
            // What lies beside a database is a sketch or an answer: that was not known before.
            if let Some(folder) = new_in.as_deref() {
                about.extend(writer.read_files_in(folder)?.into_iter().map(PathBuf::from));
            }
            about.sort();
            about.dedup();
            writer.unread(&about)?;
            put_all(writer, &imported, project.as_deref(), progress)
        };
        let mut report =
            if dry_run { store.rehearse(now, &mut put)? } else { store.write(now, &mut put)? };
        note_rejects(&imported, &mut report);
        Ok((imported.rows, imported.unread_times, report))
    };
    let (rows, unread_times, report) = if !dry_run {
        import(app.store()?)?
    } else if let Some(store) = app.existing_store()? {
        import(store)?
    } else {
        let folder = tempfile::tempdir()?;
        import(&mut Store::open(&folder.path().join("knowledge.db"))?)?
    };
    if !dry_run && !about.is_empty() {
        let inputs: Vec<Input> =
            about.into_iter().map(|path| Input { path, named: false }).collect();
        // What fails is left unread, for the next extraction.
        app.try_to("import", |app| {
            let mut read = ExtractReport::default();
            extract::extract_inputs(app, &inputs, &Given::default(), progress, &mut read)
        });
    }
    let results = results_beside(app, &path);
    let path = path.display().to_string();
    Ok(ImportReport { path, dry_run, rows, unread_times, results, report })
}

/// The folder as one would type it in the project, where result files in it wait to be read.
fn results_beside(app: &mut App, path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let root = app.project.root.clone();
    let store = app.existing_store().ok().flatten();
    let is_read = |file: &Path| {
        let source =
            store.as_ref().and_then(|store| store.source(&source_name(file)).ok().flatten());
        source.is_some_and(|source| !source.hash.is_empty())
    };
    let mut files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let is_waiting =
        |file: PathBuf| file.extension().is_some_and(|it| it == "lean") && !is_read(&file);
    files.any(is_waiting).then_some(())?;
    let inside = folder.strip_prefix(&root).ok().filter(|it| *it != Path::new(""));
    Some(inside.unwrap_or(folder).to_owned())
}

/// `None` where nothing is new. A database that only a setting names and that stands in no project is left to
/// `mk import`: it is not this project's.
pub(crate) fn news(app: &mut App) -> anyhow::Result<Option<ImportReport>> {
    let Some(path) = app.tracking_path() else { return Ok(None) };
    if app.project.tracking_database().as_ref() != Some(&path) && elsewhere(app, &path).is_none() {
        return Ok(None);
    }
    let state = state_of(&path)?;
    if known(app, &path)?.is_some_and(|known| known.hash == state.hash) {
        return Ok(None);
    }
    let report = run(app, Some(&path), false, &|_, _| ());
    if let Err(error) = &report
        && error.downcast_ref::<TrackingError>().is_some_and(|error| error.is_lasting)
    {
        let failed = SourceState { failure: Some(format!("{error:#}")), ..state };
        app.write(|writer| writer.set_source(&source_name(&path), &failed))?;
    }
    report.map(Some)
}

pub(crate) fn is_done(app: &mut App) -> bool {
    let Some(path) = app.tracking_path() else { return true };
    let state = state_of(&path).ok();
    let known = known(app, &path).ok().flatten().filter(|known| known.failure.is_none());
    known.zip(state).is_some_and(|(known, state)| known.hash == state.hash)
}

fn known(app: &mut App, path: &Path) -> anyhow::Result<Option<SourceState>> {
    Ok(app.store()?.source(&source_name(path))?)
}

fn source_name(path: &Path) -> String {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

/// The state of a database. Its time is not that of a result file.
fn state_of(path: &Path) -> anyhow::Result<SourceState> {
    let hash = file_state(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(SourceState { size: 0, mtime_ns: 0, hash, failure: None })
}

/// Identity of the project that a database belongs to: another project's where it lies in one, else
/// the present project.
fn owner(app: &App, path: &Path) -> Option<String> {
    let present = || app.is_in_project().then(|| app.project.identity.clone());
    elsewhere(app, path).or_else(present)
}

fn elsewhere(app: &App, path: &Path) -> Option<String> {
    let folder = std::fs::canonicalize(path).ok()?.parent().map(PathBuf::from)?;
    let there = Project::find(&folder);
    let is_elsewhere = !folder.starts_with(&app.project.root)
        && !app.project.start.starts_with(&there.root)
        && (there.is_lean || there.root.join(".git").exists());
    is_elsewhere.then_some(there.identity)
}

/// What the prover's answers, the files themselves, say less than the database, by the submission's row.
fn shortfalls(
    app: &App,
    tracking: &Tracking,
    path: &Path,
) -> anyhow::Result<HashMap<i64, Shortfall>> {
    let ledger = &tracking.ledger;
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(HashMap::new());
    };
    let folder = std::fs::canonicalize(folder)?;
    let inputs = inputs::collect(&[folder], Path::new("/"), &mut Vec::new());
    let context = Context {
        project: None,
        given: &Given::default(),
        known: ledger.problems(),
        ledger: Some(ledger),
        submissions: None,
        times: Times::new(&[]),
    };
    let project = &app.project;
    let said: Vec<(i64, Shortfall)> = inputs
        .par_iter()
        .flat_map_iter(|input| {
            let stable = project.stable_path(&input.path);
            // A file without a header says nothing against the prover.
            let units = read::load(input, stable, None, &context).units;
            units.into_iter().filter_map(|unit| {
                let overview = &unit.results.overview;
                let row = unit.row.filter(|_| overview.header)?;
                let contradicted =
                    |reason| Shortfall::Contradicted(format!("{}: {reason}", unit.file));
                let trivial = overview.proves_only.is_some_and(Triviality::says_nothing);
                let trivial = || trivial.then_some(Shortfall::OnlyTrivialities);
                Some((row, overview.falls_short.as_ref().map(contradicted).or_else(trivial)?))
            })
        })
        .collect();
    Ok(said.into_iter().collect())
}

/// A theorem that says nothing beyond its own words is shown as such, wherever it comes from; the others
/// that somebody listed are main results, unless they are named as steps.
fn mark_trivial(imported: &mut Imported) {
    for draft in imported.findings.iter_mut().filter(|draft| draft.kind == Kind::Theorem) {
        let statement = draft.theorem_statement.as_deref();
        let Some(why) = statement.and_then(triviality) else {
            let is_step = draft.theorem_name.as_deref().is_some_and(is_named_as_step);
            let tags: &[&str] = match statement {
                _ if is_step => &["helper", "step"],
                Some(_) => &[MAIN_TAG],
                None => &[],
            };
            draft.tags.extend(tags.iter().map(|&tag| tag.to_owned()));
            continue;
        };
        draft.tags.push("trivial".to_owned());
        if why != Triviality::FiniteType {
            let title = draft.title.trim_end_matches(')');
            draft.title = format!("{title}, proves only {})", why.as_str());
        }
    }
}

/// Takes secrets and private parts out of all texts: a tracking database was written by programs.
fn leave_out_secrets(imported: &mut Imported) {
    let clean = |text: &mut String| {
        if let Cow::Owned(kept) = keepable(text) {
            *text = kept;
        }
    };
    for draft in &mut imported.findings {
        add::texts(draft).into_iter().for_each(clean);
    }
    for draft in &mut imported.problems {
        let texts = [&mut draft.statement, &mut draft.best_result, &mut draft.notes];
        texts.into_iter().flatten().chain([&mut draft.name]).for_each(clean);
    }
    for draft in &mut imported.strategies {
        let texts = [&mut draft.description, &mut draft.learned];
        let names = [&mut draft.problem_name, &mut draft.approach];
        texts.into_iter().flatten().chain(names).for_each(clean);
    }
}

fn put_all(
    writer: &Writer<'_>,
    imported: &Imported,
    project: Option<&str>,
    progress: Progress<'_>,
) -> Result<Report, StoreError> {
    let mut report = Report::default();
    let total = imported.findings.len() + imported.problems.len() + imported.strategies.len();
    let mut done = 0;
    let mut step = |count: usize| {
        done += count as u64;
        progress(done, total as u64);
    };
    // What is told of a statement by its name may be in a result file too; so is all that has an identity.
    let speaks_of_statement = |draft: &&Draft| {
        matches!(draft.kind, Kind::Theorem | Kind::FalseLemma)
            && draft.theorem_name.is_some()
            && draft.identity.is_some()
    };
    let (tracked, others): (Vec<&Draft>, Vec<&Draft>) =
        imported.findings.iter().partition(speaks_of_statement);
    writer.put_tracked(project, &tracked, &mut report)?;
    step(tracked.len());
    for draft in others {
        report.record(draft.kind.as_str(), writer.put_imported(draft)?);
        step(1);
    }
    for draft in &imported.problems {
        report.record("problem", writer.put_problem(draft)?);
        step(1);
    }
    // Several attempts make one approach: it is new, or it changed, or neither.
    let mut approaches: BTreeMap<i64, Put> = BTreeMap::new();
    for draft in &imported.strategies {
        let put = writer.put_strategy(draft)?;
        let approach = approaches.entry(put.id()).or_insert(put);
        *approach = put.min(*approach);
        step(1);
    }
    for put in approaches.into_values() {
        report.record("strategy", put);
    }
    writer.recount_problems()?;
    Ok(report)
}

/// What rows of a table are counted as.
const KINDS: [(&str, &str); 5] = [
    ("proven_theorems", "theorem"),
    ("false_lemmas", "false_lemma"),
    ("failed_approaches", "failure"),
    ("proof_techniques", "technique"),
    ("candidate_problems", "problem"),
];

fn note_rejects(imported: &Imported, report: &mut Report) {
    for reject in &imported.rejects {
        report.skip(&reject.path, reject.line, reject.reason.as_str());
        let Some((_, kind)) = KINDS.iter().find(|(table, _)| *table == reject.path) else {
            continue;
        };
        report.by_kind.entry((*kind).to_owned()).or_default().skipped += 1;
    }
}

const MOST_ROWS: usize = 8;

pub(crate) fn view(import: &ImportReport) -> String {
    let report = &import.report;
    let path = clean(&import.path);
    let rows = import.rows;
    let counts = report.counts;
    let is_news = counts.has_changed();
    let mut text = match (import.dry_run, is_news) {
        (true, true) => format!("Would import {path} ({rows} rows); nothing was stored\n"),
        (false, true) => format!("Imported {path} ({rows} rows)\n"),
        (_, false) if counts.unchanged > 0 => {
            format!("Nothing new in {path} ({rows} rows): all of it was known\n")
        }
        (_, false) => format!("Nothing to import in {path} ({rows} rows)\n"),
    };
    text.push('\n');
    text.push_str(&sums(report));
    text.push_str(&skipped(report));
    if import.unread_times > 0 {
        let times = plural(import.unread_times, "time");
        writeln!(text, "\n{times} could not be read: such a date counts as not known.").ok();
    }
    if is_news && !import.dry_run {
        let read = import.results.as_ref().map_or_else(String::new, |folder| {
            let folder = clean(&folder.to_string_lossy());
            let is_plain =
                folder.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(&b));
            let folder = if is_plain { folder } else { format!("'{folder}'") };
            format!("`mk extract {folder}` reads the result files beside it, ")
        });
        writeln!(
            text,
            "\nNext: {read}`mk brief` for the state, `mk search WORDS` to find it again."
        )
        .ok();
    }
    text
}

pub(crate) fn sums(report: &Report) -> String {
    type Count = fn(&Counts) -> u64;
    let mut counts: Vec<(&str, Count)> = vec![
        ("inserted", |c| c.inserted),
        ("updated", |c| c.updated),
        ("unchanged", |c| c.unchanged),
        ("removed", |c| c.removed),
        ("skipped", |c| c.skipped),
    ];
    counts.retain(|(_, count)| count(&report.counts) > 0);
    let mut page = Page::new(0);
    if !counts.is_empty() {
        let numbers = counts.iter().map(|(name, _)| Column::number(name));
        let columns: Vec<Column> = [Column::text("", 0)].into_iter().chain(numbers).collect();
        let kinds = report.by_kind.iter().map(|(kind, counts)| (kind.as_str(), counts));
        let row = |(name, of): (&str, &Counts)| {
            let numbers = counts.iter().map(|(_, count)| match count(of) {
                0 => "-".to_owned(),
                number => number.to_string(),
            });
            [name.replace('_', " ")].into_iter().chain(numbers).collect()
        };
        page.table(1, &columns, kinds.chain([("total", &report.counts)]).map(row));
    }
    page.into_text()
}

pub(crate) fn skipped(report: &Report) -> String {
    let mut reasons: BTreeMap<(&str, &str), Vec<Option<u64>>> = BTreeMap::new();
    for reject in &report.problems {
        // Rows that repeat others differ in the row that they repeat only.
        let reason = if reject.reason.starts_with("repeats row ") {
            "the same as an earlier row"
        } else {
            reject.reason.as_str()
        };
        reasons.entry((&reject.path, reason)).or_default().push(reject.line);
    }
    if reasons.is_empty() {
        return String::new();
    }
    let mut text = "\nSkipped:\n".to_owned();
    for ((path, reason), lines) in reasons {
        writeln!(text, "  {}: {}{}", clean(path), clip(&clean(reason), 200), rows(&lines)).ok();
    }
    text
}

/// `: 12 rows (3, 17, ...)`, ` (row 3)`; empty where no row is known.
fn rows(lines: &[Option<u64>]) -> String {
    let known: Vec<String> = lines.iter().flatten().map(u64::to_string).collect();
    match known.as_slice() {
        [] => String::new(),
        [row] => format!(" (row {row})"),
        rows => {
            let more = if rows.len() > MOST_ROWS { ", ..." } else { "" };
            let named: Vec<&str> = rows.iter().take(MOST_ROWS).map(String::as_str).collect();
            format!(": {} rows ({}{more})", rows.len(), named.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_one_record() {
        use Put::{Inserted, Unchanged, Updated};
        for (puts, expected) in [
            ([Inserted(1), Updated(1), Unchanged(1)], Inserted(1)),
            ([Unchanged(1), Updated(1), Unchanged(1)], Updated(1)),
        ] {
            assert_eq!(puts.into_iter().min(), Some(expected));
        }
    }
}
