//! `mk extract`: learns from a prover's result files, from transcripts and from notes. Results are read and judged
//! in parallel and written in small transactions, so that a file that is done stays done. Never writes a Lean file.

pub(crate) mod archive;
pub(crate) mod inputs;
pub(crate) mod read;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use rayon::prelude::*;
use serde::Serialize;

use crate::app::guard::permission::Does;
use crate::app::learn::read::{self as texts, TextReport};
use crate::app::{App, Progress};
use crate::asker;
use crate::facts::ask::{
    FactsOutcome, Failure, FileFailure, Texts, Usage, Watcher, asked as facts_view, watch,
};
use crate::learn::results::Overview;
use crate::model::{Counts, Domain, Draft, KnownProblems, Reject, Report, problem_key};
use crate::playbooks::{self, record};
use crate::project::Project;
use crate::review;
use crate::store::{FileFindings, StoreError, Writer};
use crate::text::{clean, clip, counted, one_line, plural};
use crate::tracking::{Ledger, PATIENT, Tracking};
use crate::ui::layout::{Column, Page};
use crate::ui::progress::Progress as Bar;
use crate::ui::{Exit, Out, UsageError, stop};
use archive::Member;
use inputs::Input;
pub(crate) use read::stamp;
use read::{Context, Given, Read, Times, Unit};

/// Learn from a prover's results, from transcripts and from notes
///
/// Lean files give theorems, techniques, failures and refuted statements. Transcripts (.jsonl) and
/// notes (.md, .txt) give proposals, which wait for a person (`mk review`), and lessons whose
/// evidence is in tool results; with a language model (`llm.model` or `--model`), also facts and a
/// summary, which are stored unverified.
///
/// Without a file: new completed runs (sessions, submissions, results) become playbook entries, by
/// a language model if one is configured or named, or else by counting what worked in three or more
/// runs. `mk playbooks` lists the entries.
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Examples:
  mk extract slot614_erdos_850_prime_factor_triples_result.lean
  mk extract submissions/ 'downloads/**/*_result.lean' answer.tar.gz
  mk extract --dry-run --json RequestProject/Main.lean --problem-id erdos_850
  mk extract --dry-run ~/.claude/projects/my-project/SESSION.jsonl
  mk extract notes.md
  mk extract notes.md --model qwen3:8b --dry-run
  mk extract                                     # runs of the last 24 hours, up to 10
  mk extract --limit 50 --since-hours 168 --dry-run

The same file twice changes nothing; a changed file replaces what came from it.
Exit code 1 when a file that was named could not be read, or the model of `--model` gave nothing.")]
pub(crate) struct Args {
    /// Lean files, folders, patterns, archives (.tar.gz, .tgz, .tar), transcripts or notes
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Slot number, instead of the one in the file's name
    #[arg(long, value_name = "N")]
    slot: Option<i64>,
    /// Problem id, instead of the one in the file's name
    #[arg(long, value_name = "ID")]
    problem_id: Option<String>,
    /// Without a file: at most this many runs [default: 10]
    #[arg(long, value_name = "N", conflicts_with = "files")]
    limit: Option<usize>,
    /// Without a file: runs that ended at most this many hours ago [default: 24]
    #[arg(long, value_name = "HOURS", conflicts_with = "files")]
    since_hours: Option<u32>,
    /// Show what would be stored, store nothing
    #[arg(long)]
    dry_run: bool,
    /// Language model to ask, instead of the configured one
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Ask no language model
    #[arg(long, conflicts_with = "model")]
    no_model: bool,
    /// List every file; show what the model is asked and answers
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Debug, Default, Serialize)]
struct Asked {
    extractions: Vec<FactsOutcome>,
    model_failures: Vec<FileFailure>,
    usage: Usage,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        if self.files.is_empty() || self.model.is_some() {
            return Does::Writes;
        }
        Does::Takes(self.files)
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.files.is_empty() {
            return self.runs(app, out);
        }
        if self.problem_id.as_deref().is_some_and(|id| problem_key(id).is_empty()) {
            return Err(UsageError("--problem-id needs a word or a number".to_owned()).into());
        }
        let (mut texts, words): (Vec<PathBuf>, _) =
            self.files.into_iter().partition(|path| texts::is_text(path));
        let bar = Bar::new("reading results", out.watched && !out.json);
        let given = Given { slot: self.slot, problem: self.problem_id };
        let mut report =
            extract(app, &words, &given, self.dry_run, &|done, of| bar.show(done, of))?;
        drop(bar);
        let mut said = TextReport::default();
        let has_texts = !texts.is_empty();
        texts.retain(|path| {
            let Err(error) = texts::extract(app, path, self.dry_run, &mut said) else {
                return true;
            };
            report.failed += 1;
            let (path, reason) = (path.display().to_string(), format!("{error:#}"));
            report.report.problems.push(Reject { path, line: None, reason });
            false
        });
        let is_wanted = !self.no_model && asker::is_wanted(app, self.model.as_deref());
        let is_named = self.model.is_some();
        if is_wanted && !texts.is_empty() {
            let stop = stop::stopped()?;
            let asker = Texts::open(app, self.model.as_deref(), self.dry_run, &stop);
            let bar = !out.json;
            report.asked = Some(ask(app, asker, &texts, &watch(out, self.verbose, bar)));
        }
        if said.added > 0 {
            review::say_journal(app, out);
        }
        report.said = has_texts.then_some(said);
        let view = |width| {
            let mut text = String::new();
            if !words.is_empty() || report.failed > 0 {
                text.push_str(&view(&report, self.verbose, width));
            }
            if let Some(said) = &report.said {
                text.push_str(&texts_view(said, self.dry_run, width));
            }
            for outcome in report.asked.iter().flat_map(|asked| &asked.extractions) {
                text.push_str(&facts_view(outcome, self.dry_run, width));
            }
            text
        };
        out.answer(&report, view)?;
        let has_failed = report.asked.as_ref().is_some_and(|asked| complain(asked, out));
        Ok(if report.failed > 0 || (has_failed && is_named) { Exit::Failed } else { Exit::Done })
    }

    fn runs(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.slot.is_some() || self.problem_id.is_some() {
            let error = "--slot and --problem-id need a file: `mk extract result.lean --slot 7`";
            return Err(UsageError(error.to_owned()).into());
        }
        let usual = playbooks::Request::default();
        let request = playbooks::Request {
            limit: self.limit.unwrap_or(usual.limit),
            since_hours: self.since_hours.unwrap_or(usual.since_hours),
            dry_run: self.dry_run,
            model: self.model,
            only_rules: self.no_model,
        };
        let report = playbooks::work_off(app, &request, &stop::stopped()?)?;
        out.answer(&report, |width| playbooks::view(&report, request.since_hours, width))
    }
}

fn ask(app: &mut App, asker: anyhow::Result<Texts>, paths: &[PathBuf], told: Watcher<'_>) -> Asked {
    let mut asked = Asked::default();
    let fail = |asked: &mut Asked, path: &PathBuf, error: &anyhow::Error| {
        asked.model_failures.push(FileFailure::of(path, error));
    };
    let mut asker = match asker {
        Ok(asker) => asker,
        Err(error) => {
            paths.iter().take(1).for_each(|path| fail(&mut asked, path, &error));
            return asked;
        }
    };
    for (path, left) in paths.iter().zip((0..paths.len()).rev()) {
        match asker.text(app, path, told) {
            Ok(outcome) => {
                asked.usage.add(&outcome.usage);
                asked.extractions.push(outcome);
            }
            Err(error) => {
                let ends = error.downcast_ref::<Failure>().is_some_and(Failure::ends_asking);
                if ends && left > 0 {
                    let left = plural(left as u64, "more text");
                    fail(&mut asked, path, &error.context(format!("{left} were not asked about")));
                    break;
                }
                fail(&mut asked, path, &error);
            }
        }
    }
    asked
}

fn complain(asked: &Asked, out: &mut Out) -> bool {
    for failure in &asked.model_failures {
        let text = format!("mk: no facts from `{}`: {}", failure.path, failure.reason);
        out.note(&text);
    }
    let parts = asked.extractions.iter().any(|outcome| !outcome.failures.is_empty());
    parts || !asked.model_failures.is_empty()
}

const BATCH: usize = 256;

#[derive(Debug, Default, Serialize)]
pub struct ExtractReport {
    #[serde(flatten)]
    pub report: Report,
    pub files: Vec<FileReport>,
    pub dry_run: bool,
    /// Files that were read and hold nothing to learn from; they are among the left out.
    pub empty: u64,
    pub failed: u64,
    /// Of texts, where there were any.
    #[serde(flatten)]
    said: Option<TextReport>,
    /// Of the model, where it was asked about texts.
    #[serde(flatten)]
    asked: Option<Asked>,
}

#[derive(Debug, Clone, Serialize)]
pub struct FileReport {
    pub path: String,
    #[serde(flatten)]
    pub overview: Overview,
    #[serde(flatten)]
    pub counts: Counts,
    pub findings: Vec<FindingLine>,
}

#[derive(Debug, Clone, Serialize)]
pub struct FindingLine {
    pub kind: String,
    pub title: String,
    pub confidence: String,
    pub technique: Option<String>,
    pub line: Option<i64>,
}

/// A bad file is a problem in the report.
pub(crate) fn extract(
    app: &mut App,
    words: &[PathBuf],
    given: &Given,
    dry_run: bool,
    progress: Progress<'_>,
) -> anyhow::Result<ExtractReport> {
    let mut extract = ExtractReport { dry_run, ..ExtractReport::default() };
    let base = app.environment.current_dir.clone().unwrap_or_default();
    let mut rejects = Vec::new();
    let inputs = inputs::collect(words, &base, &mut rejects);
    extract.failed = rejects.len() as u64;
    for Reject { path, line, reason } in rejects {
        extract.report.skip(&path, line, reason);
    }
    if !inputs.is_empty() {
        extract_inputs(app, &inputs, given, progress, &mut extract)?;
    }
    Ok(extract)
}

pub(crate) fn extract_inputs(
    app: &mut App,
    inputs: &[Input],
    given: &Given,
    progress: Progress<'_>,
    extract: &mut ExtractReport,
) -> anyhow::Result<()> {
    let ledger = ledger(app, extract)?;
    let known = known_problems(app, ledger.as_ref())?;
    let submissions = app.tracking_path().and_then(|path| Some(read::absolute(path.parent()?)));
    let submissions = submissions.filter(|folder| *folder != app.project.root);
    let around: HashSet<&Path> = inputs.iter().flat_map(folders).collect();
    let summaries: HashMap<&Path, Member> =
        around.into_iter().filter_map(|folder| Some((folder, read::summary_in(folder)?))).collect();
    let project = app.project_identity();
    let context = Context {
        project: project.as_deref(),
        given,
        known: &known,
        ledger: ledger.as_ref(),
        submissions: submissions.as_deref(),
        times: Times::new(inputs),
    };
    let root = project.is_some().then(|| app.project.clone());
    let total = inputs.len() as u64;
    let mut done = 0;
    for batch in inputs.chunks(BATCH) {
        let reads: Vec<Read> = batch
            .par_iter()
            .map(|input| {
                let stable = stable_path(root.as_ref(), &input.path);
                let summary = folders(input).find_map(|folder| summaries.get(folder));
                read::load(input, stable, summary, &context)
            })
            .collect();
        if extract.dry_run {
            for read in &reads {
                describe(read, Stored::default(), extract);
            }
        } else {
            store(app, project.as_deref(), &reads, extract)?;
        }
        done += batch.len() as u64;
        progress(done, total);
    }
    if !extract.dry_run {
        settle(app, project.as_deref())?;
    }
    Ok(())
}

/// The submissions of the project's tracking database. One that is there and cannot be read stops everything: read
/// without it, a file would lose what its submission says of it.
fn ledger(app: &mut App, extract: &mut ExtractReport) -> anyhow::Result<Option<Ledger>> {
    let Some(path) = app.tracking_path() else { return Ok(None) };
    match Tracking::open(&path, PATIENT, &app.problem_aliases(), &[]) {
        Ok(tracking) => Ok(Some(tracking.ledger)),
        Err(error) if !path.exists() => {
            extract.report.skip(&path.display().to_string(), None, error.to_string());
            Ok(None)
        }
        Err(error) => bail!("{error}; no result was read, and nothing was changed"),
    }
}

/// The problems that the tracking database knows, and those that something else than a result file
/// names: what names of files were taken for must not decide what others are taken for.
fn known_problems(app: &mut App, ledger: Option<&Ledger>) -> anyhow::Result<KnownProblems> {
    let ids = app.existing_store()?.map(|store| store.stated_problems()).transpose()?;
    let mut known = ledger.map(|ledger| ledger.problems().clone()).unwrap_or_default();
    for (alias, id) in app.problem_aliases() {
        known.alias(&alias, &id);
    }
    for id in ids.unwrap_or_default() {
        known.insert(&id);
    }
    Ok(known)
}

/// The folders in which a prover's summary of this file may lie, the nearest first.
fn folders(input: &Input) -> impl Iterator<Item = &Path> {
    input.path.ancestors().skip(1).take(2)
}

fn stable_path(project: Option<&Project>, path: &Path) -> String {
    match project {
        Some(project) => project.stable_path(path),
        None => read::absolute(path).to_string_lossy().into_owned(),
    }
}

/// With what was stored of it: nothing in a dry run.
fn describe(read: &Read, (report, counts): Stored, extract: &mut ExtractReport) {
    extract.failed += u64::from(read.named && read.has_failed);
    for (path, reason) in &read.problems {
        extract.report.skip(path, None, reason.as_str());
    }
    for (at, unit) in read.units.iter().enumerate() {
        if unit.results.findings.is_empty() {
            extract.empty += 1;
            extract.report.skip(&unit.file, None, nothing_in(&unit.results.overview));
        }
        extract.files.push(file_report(unit, counts.get(at).copied().unwrap_or_default()));
    }
    extract.report.merge(report);
}

fn nothing_in(overview: &Overview) -> String {
    match (overview.declarations, overview.gaps) {
        (0, 0) => "holds no declaration: nothing to learn".to_owned(),
        (_, 0) => "holds definitions but no theorem: nothing to learn".to_owned(),
        (_, gaps) => format!("proves nothing yet ({gaps} sorry): no finding"),
    }
}

fn file_report(unit: &Unit, counts: Counts) -> FileReport {
    let line = |draft: &Draft| FindingLine {
        kind: draft.kind.to_string(),
        title: draft.title.clone(),
        confidence: draft.confidence.to_string(),
        technique: draft.proof_technique.clone(),
        line: draft.source.line,
    };
    FileReport {
        path: unit.file.clone(),
        overview: unit.results.overview.clone(),
        counts,
        findings: unit.results.findings.iter().map(line).collect(),
    }
}

/// Stores a batch. Where that fails for one file, each is stored on its own, so that a bad one costs no other.
fn store(
    app: &mut App,
    project: Option<&str>,
    reads: &[Read],
    extract: &mut ExtractReport,
) -> anyhow::Result<()> {
    let now = app.now;
    let store = app.store()?;
    let mut write = |reads: &[Read]| store.write(now, |writer| write_all(writer, project, reads));
    if let Ok(stored) = write(reads) {
        reads.iter().zip(stored).for_each(|(read, stored)| describe(read, stored, extract));
        return Ok(());
    }
    for read in reads {
        match write(std::slice::from_ref(read)) {
            Ok(stored) => stored.into_iter().for_each(|stored| describe(read, stored, extract)),
            Err(error) if is_fatal(&error) => return Err(error.into()),
            Err(error) => {
                extract.failed += 1;
                let reason = format!("could not be stored: {error}");
                extract.report.skip(&read.stable, None, reason);
            }
        }
    }
    Ok(())
}

/// Brings up to date what follows from all files: moves, answered sketches, where problems stand.
fn settle(app: &mut App, project: Option<&str>) -> anyhow::Result<()> {
    let root = app.project.root.clone();
    let mut gone = app.store()?.files_named_twice(project)?;
    gone.retain(|file| {
        let path = file.split('!').next().unwrap_or(file);
        !root.join(path).exists()
    });
    let gone: Vec<FileFindings<'_>> =
        gone.iter().map(|file| FileFindings { file, ..FileFindings::default() }).collect();
    app.write(|writer| {
        writer.replace_files(project, &gone)?;
        writer.settle_sources(project)?;
        writer.recount_problems()
    })
}

type Stored = (Report, Vec<Counts>);

fn write_all(
    writer: &Writer<'_>,
    project: Option<&str>,
    reads: &[Read],
) -> Result<Vec<Stored>, StoreError> {
    let files: Vec<FileFindings<'_>> = reads
        .iter()
        .flat_map(|read| &read.units)
        .map(|unit| {
            let results = &unit.results;
            FileFindings {
                file: &unit.file,
                drafts: &results.findings,
                open: &results.open,
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
        for (unit, mut own) in read.units.iter().zip(&mut reports) {
            let Unit { file, results, .. } = unit;
            writer.replace_strategies(file, results.strategy.as_slice(), &mut own)?;
            if let Some(problem) = &results.problem {
                own.record("problem", writer.put_problem(problem)?);
            }
            let run = results.overview.uuid.as_deref().unwrap_or(file);
            record::result(writer, run, project)?;
            counts.push(own.counts);
            report.merge(own);
        }
        if let Some(state) = &read.state {
            writer.set_source(&read.path.to_string_lossy(), state)?;
        }
        stored.push((report, counts));
    }
    Ok(stored)
}

/// Errors that the next file would meet too.
fn is_fatal(error: &StoreError) -> bool {
    use StoreError::{IndexRebuilt, Invalid, Sqlite};
    !matches!(error, Sqlite(_) | Invalid(_) | IndexRebuilt { .. })
}

/// With more files than this, only their sums are shown, unless all are asked for.
const MOST_FILES: usize = 5;
const MOST_PROBLEMS: usize = 15;

fn view(report: &ExtractReport, verbose: bool, width: usize) -> String {
    let mut text = match report.files.as_slice() {
        files if verbose || report.dry_run || files.len() <= MOST_FILES => {
            let texts = files.iter().map(|file| one_file(file, report.dry_run, width));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    text.push_str(&sums(report));
    let is_empty =
        |reason: &str| reason.starts_with("holds ") || reason.starts_with("proves nothing");
    let problems = report.report.problems.iter().filter(|one| verbose || !is_empty(&one.reason));
    let problems: Vec<String> =
        problems.map(|one| format!("  {}: {}\n", clean(&one.path), clean(&one.reason))).collect();
    let shown = if verbose { problems.len() } else { MOST_PROBLEMS.min(problems.len()) };
    text.extend(problems.iter().take(shown).map(String::as_str));
    if problems.len() > shown {
        let more = problems.len() - shown;
        writeln!(text, "  ... and {more} more (--verbose names them)").ok();
    }
    text
}

/// The proposals of texts, one a line.
fn texts_view(report: &TextReport, dry_run: bool, width: usize) -> String {
    let mut text = String::new();
    for proposal in &report.proposals {
        let kind = format!("{:<14}", proposal.kind.as_str().replace('_', " "));
        let content = one_line(&clean(&proposal.content));
        let content = clip(&content, width.saturating_sub(40).max(30));
        writeln!(text, "  {kind} {content}  ({}, line {})", clean(&proposal.role), proposal.line)
            .ok();
    }
    let found = plural(report.total, "proposal");
    if dry_run {
        writeln!(text, "{found} found; nothing was stored").ok();
    } else if report.total == 0 && report.lessons == 0 {
        text.push_str("nothing to learn was found\n");
    } else {
        write!(text, "{found} found, {} new", report.added).ok();
        if report.lessons > 0 {
            write!(text, "; {} new or changed", plural(report.lessons, "lesson")).ok();
        }
        text.push('\n');
        if report.added > 0 {
            text.push_str("They wait for your decision: mk review\n");
        }
    }
    text
}

fn one_file(file: &FileReport, dry_run: bool, width: usize) -> String {
    let overview = &file.overview;
    let slot = overview.slot.map_or_else(String::new, |slot| format!(" from slot{slot}"));
    let verb = if dry_run { "Would store" } else { "Extracted" };
    let findings = plural(file.findings.len() as u64, "finding");
    let mut lines = vec![
        format!("{verb} {findings}{slot} ({})", clean(&file.path)),
        format!(
            "  Problem: {} | Domain: {} | Technique: {}",
            or_unknown(overview.problem.as_deref()),
            or_unknown(overview.domain.as_deref().map(Domain::title_of).as_deref()),
            or_unknown(overview.technique.as_deref()),
        ),
        format!(
            "  Declarations: {} | Proven: {} | Sorry: {} | Axioms: {} | Imports: {}{}",
            overview.declarations,
            overview.proven,
            overview.gaps,
            overview.axioms.len(),
            overview.imports,
            if overview.header { " | Prover's header: yes" } else { "" },
        ),
    ];
    for (what, names) in
        [("Open", &overview.open), ("FALSE", &overview.negated), ("Axioms", &overview.axioms)]
    {
        if !names.is_empty() {
            lines.push(clip(&format!("  {what}: {}", clean(&names.join(", "))), width));
        }
    }
    let mut text = lines.join("\n") + "\n";
    if dry_run && !file.findings.is_empty() {
        text.push_str(&findings_table(file, width));
    }
    text
}

fn or_unknown(word: Option<&str>) -> String {
    word.map_or_else(|| "unknown".to_owned(), clean)
}

fn findings_table(file: &FileReport, width: usize) -> String {
    let columns = [
        Column::text("KIND", 0),
        Column::text("CONFIDENCE", 0),
        Column::number("LINE"),
        Column::text("TITLE", 20),
        Column::text("TECHNIQUE", 12),
    ];
    let row = |finding: &FindingLine| {
        vec![
            finding.kind.replace('_', " "),
            finding.confidence.clone(),
            finding.line.map_or_else(String::new, |line| line.to_string()),
            finding.title.clone(),
            finding.technique.clone().unwrap_or_default(),
        ]
    };
    let mut page = Page::new(width);
    page.table(1, &columns, file.findings.iter().map(row));
    page.into_text()
}

fn sums(report: &ExtractReport) -> String {
    let counts = report.report.counts;
    let read = plural(report.files.len() as u64, "result");
    if report.dry_run {
        let findings: usize = report.files.iter().map(|file| file.findings.len()).sum();
        return format!(
            "{read} read, {findings} findings, nothing stored (dry run); {} left out\n",
            counts.skipped
        );
    }
    let mut text = format!(
        "{read} read: {} new records, {} updated, {} unchanged, {} removed; {}\n",
        counts.inserted,
        counts.updated,
        counts.unchanged,
        counts.removed,
        left_out(report)
    );
    for (kind, counts) in &report.report.by_kind {
        let Counts { inserted, updated, removed, .. } = *counts;
        let changes = counted([(inserted, "new"), (updated, "updated"), (removed, "removed")]);
        if !changes.is_empty() {
            writeln!(text, "  {:<12} {changes}", kind.replace('_', " ")).ok();
        }
    }
    text
}

/// How much input became nothing, and how much of that for want of a theorem.
fn left_out(report: &ExtractReport) -> String {
    let skipped = report.report.counts.skipped;
    match report.empty {
        0 => format!("{skipped} left out"),
        empty if empty == skipped => format!("{empty} without a finding"),
        empty => format!("{empty} without a finding, {} left out", skipped - empty),
    }
}
