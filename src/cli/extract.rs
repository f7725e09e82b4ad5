//! `mk extract`: learns from a prover's result files.

use std::fmt::Write as _;
use std::path::PathBuf;

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};

use super::exit::UsageError;
use super::{Exit, Out};
use crate::app::App;
use crate::app::extract::naming::Given;
use crate::app::extract::{self, ExtractReport, FileReport, Request};
use crate::render::progress::Progress;
use crate::text;

/// Learn from a prover's results: theorems, techniques, failures, refuted statements
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk extract slot614_erdos_850_prime_factor_triples_result.lean
  mk extract submissions/ 'downloads/**/*_result.lean' answer.tar.gz
  mk extract --dry-run --json RequestProject/Main.lean --problem-id erdos_850

The same file twice changes nothing; a changed file replaces what came from it.
Exit code 1 when a file that was named could not be read.")]
pub(crate) struct Args {
    /// Lean files, folders, patterns, or archives (.tar.gz, .tgz, .tar)
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Slot number, instead of the one in the file's name
    #[arg(long, value_name = "N")]
    slot: Option<i64>,
    /// Problem id, instead of the one in the file's name
    #[arg(long, value_name = "ID")]
    problem_id: Option<String>,
    /// Show what would be stored, store nothing
    #[arg(long)]
    dry_run: bool,
    /// Name every file, however many there are
    #[arg(long, short)]
    verbose: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// With more files than this, only their sums are shown, unless `--verbose` asks for all.
const MOST_FILES: usize = 25;
/// Left-out files that are named.
const MOST_PROBLEMS: usize = 15;

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.files.is_empty() {
            anyhow::bail!(
                "extracting from completed runs is not there yet: name Lean files, folders or archives, \
                 for example `mk extract submissions/`"
            );
        }
        if self.problem_id.as_deref().is_some_and(|id| crate::model::problem_key(id).is_empty()) {
            return Err(UsageError("--problem-id needs a word or a number".to_owned()).into());
        }
        let request = Request {
            words: self.files,
            given: Given { slot: self.slot, problem: self.problem_id },
            dry_run: self.dry_run,
        };
        let bar = Progress::new("reading results", out.watched && !self.json);
        let report = extract::run(app, &request, &|done, total| bar.show(done, total))?;
        drop(bar);
        if self.json {
            out.json(&report)?;
        } else {
            out.print(&view(&report, self.verbose, out.width))?;
        }
        Ok(if report.failed > 0 { Exit::Failed } else { Exit::Done })
    }
}

/// The report for people.
fn view(report: &ExtractReport, verbose: bool, width: usize) -> String {
    let mut text = match report.files.as_slice() {
        [] => String::new(),
        [file] => one_file(file, report.dry_run, width),
        files if report.dry_run => {
            files.iter().map(|file| one_file(file, true, width)).collect::<Vec<_>>().join("\n")
        }
        files if verbose || files.len() <= MOST_FILES => table(files, width),
        _ => String::new(),
    };
    text.push_str(&sums(report));
    let is_empty =
        |reason: &str| reason.starts_with("holds ") || reason.starts_with("proves nothing");
    let problems = report.report.problems.iter().filter(|one| verbose || !is_empty(&one.reason));
    let problems: Vec<String> = problems
        .map(|one| format!("  {}: {}\n", text::clean(&one.path), text::clean(&one.reason)))
        .collect();
    let shown = if verbose { problems.len() } else { MOST_PROBLEMS.min(problems.len()) };
    text.extend(problems.iter().take(shown).map(String::as_str));
    if problems.len() > shown {
        let more = problems.len() - shown;
        writeln!(text, "  ... and {more} more (--verbose names them)").ok();
    }
    text
}

/// One file with its findings.
fn one_file(file: &FileReport, dry_run: bool, width: usize) -> String {
    let overview = &file.overview;
    let slot = overview.slot.map_or_else(String::new, |slot| format!(" from slot{slot}"));
    let verb = if dry_run { "Would store" } else { "Extracted" };
    let count = file.findings.len();
    let findings = if count == 1 { "finding" } else { "findings" };
    let mut lines = vec![
        format!("{verb} {count} {findings}{slot} ({})", text::clean(&file.path)),
        format!(
            "  Problem: {} | Domain: {} | Technique: {}",
            or_unknown(overview.problem.as_deref()),
            or_unknown(overview.domain.as_deref()),
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
            lines.push(text::clip(&format!("  {what}: {}", text::clean(&names.join(", "))), width));
        }
    }
    let mut text = lines.join("\n") + "\n";
    if dry_run && count > 0 {
        text.push_str(&findings_table(file, width));
    }
    text
}

fn or_unknown(word: Option<&str>) -> String {
    word.map_or_else(|| "unknown".to_owned(), text::clean)
}

fn plain_table(width: usize) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    table
}

fn findings_table(file: &FileReport, width: usize) -> String {
    let mut table = plain_table(width);
    for finding in &file.findings {
        let line = finding.line.map_or_else(String::new, |line| line.to_string());
        let technique = finding.technique.clone().unwrap_or_default();
        table.add_row([
            &finding.kind,
            &finding.confidence,
            &line,
            &text::clip(&finding.title, width / 2),
            &technique,
        ]);
    }
    format!("{}\n", table.trim_fmt())
}

fn table(files: &[FileReport], width: usize) -> String {
    let mut table = plain_table(width);
    table.set_header(["File", "Slot", "Problem", "Domain", "Proven", "Sorry", "Findings"]);
    for file in files {
        let overview = &file.overview;
        let name = file.path.rsplit(['/', '!']).next().unwrap_or(&file.path);
        table.add_row([
            text::clip_middle(&text::clean(name), width.saturating_sub(72).max(16)),
            overview.slot.map_or_else(|| "-".to_owned(), |slot| slot.to_string()),
            text::clip(&text::clean(overview.problem.as_deref().unwrap_or("-")), 16),
            overview.domain.clone().unwrap_or_else(|| "-".to_owned()),
            overview.proven.to_string(),
            overview.gaps.to_string(),
            file.findings.len().to_string(),
        ]);
    }
    format!("{}\n", table.trim_fmt())
}

/// What happened to all files together.
fn sums(report: &ExtractReport) -> String {
    let counts = report.report.counts;
    let files = report.files.len();
    let read = format!("{files} {}", if files == 1 { "result" } else { "results" });
    if report.dry_run {
        let findings: usize = report.files.iter().map(|file| file.findings.len()).sum();
        return format!(
            "{read} read, {findings} findings, nothing stored (dry run); {} left out\n",
            counts.skipped
        );
    }
    let mut text = format!(
        "{read} read: {} records new, {} updated, {} unchanged, {} removed; {}\n",
        counts.inserted,
        counts.updated,
        counts.unchanged,
        counts.removed,
        left_out(report)
    );
    for (kind, counts) in &report.report.by_kind {
        let changes: Vec<String> =
            [(counts.inserted, "new"), (counts.updated, "updated"), (counts.removed, "removed")]
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| format!("{count} {word}"))
                .collect();
        if !changes.is_empty() {
            writeln!(text, "  {kind:<12} {}", changes.join(", ")).ok();
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
