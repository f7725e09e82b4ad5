//! `mk outline`: what Lean files declare, what is missing, what has to be trusted.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use crate::app::App;
use crate::app::lean_files::{self, Unreadable};
use crate::lean::{self, Declaration, Gap, Outline, Trust};
use crate::text::{clean, clip, plural, width};
use crate::ui::{Exit, Out};

/// List the declarations of Lean files with their gaps and what has to be trusted
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk outline Result.lean
  mk outline --gaps src/          what is still open below a folder
  mk outline --json Result.lean   everything, with statements and tactics")]
pub(crate) struct Args {
    /// Lean files, or folders with Lean files (`.lake` is skipped)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only declarations with gaps
    #[arg(long)]
    gaps: bool,
}

impl Args {
    pub(crate) fn run(self, _app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let folder = self.files.iter().any(|path| path.is_dir());
        // The text of many files is what is open in them; JSON is everything unless told.
        let brief = self.gaps || (!out.json && (folder || self.files.len() > 1));
        let selection = match (brief, out.json) {
            (false, _) => Selection::All,
            (true, true) => Selection::Gaps,
            (true, false) => Selection::GapsInBrief,
        };
        let report = read(&self.files, selection);
        if out.json {
            out.object_or_page(&report, |width| view(&report, width, true))?;
        } else if report.totals.files > 0 {
            out.print(&view(&report, out.width, brief))?;
        }
        for problem in &report.problems {
            out.note(&format!("mk: {}: {}", problem.path, problem.reason));
        }
        Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Failed })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selection {
    All,
    Gaps,
    /// Those with gaps, without their tactics and proof lines.
    GapsInBrief,
}

#[derive(Debug, Default, Serialize)]
struct Report {
    files: Vec<File>,
    declarations: Vec<Entry>,
    totals: Totals,
    problems: Vec<Unread>,
}

#[derive(Debug, Serialize)]
struct File {
    /// Its path as given, or below the folder as given.
    #[serde(rename = "file")]
    path: String,
    lines: usize,
    module: bool,
    imports: Vec<String>,
    remarks: Vec<Remark>,
}

/// Something odd in a file that could be read all the same.
#[derive(Debug, Serialize)]
struct Remark {
    line: Option<usize>,
    text: String,
}

/// A declaration; without a name and of kind [`COMMAND`] what stands outside of any.
#[derive(Debug, Default, Serialize)]
struct Entry {
    file: String,
    kind: &'static str,
    name: Option<String>,
    line: usize,
    end_line: usize,
    /// The signature from the keyword on; for a command the line of the gap.
    statement: String,
    complete: bool,
    gaps: Vec<Gap>,
    trust: Vec<Trust>,
    tactics: BTreeMap<String, usize>,
    proof_lines: usize,
}

#[derive(Debug, Default, Serialize)]
struct Totals {
    files: usize,
    lines: usize,
    declarations: usize,
    gaps: usize,
    trust: usize,
}

#[derive(Debug, Serialize)]
pub struct Unread {
    pub path: String,
    /// Always `None`: kept for the shape that other reports have.
    pub line: Option<usize>,
    pub reason: String,
}

impl Unread {
    pub(crate) fn new(path: impl Into<String>, reason: &impl ToString) -> Self {
        Self { path: path.into(), line: None, reason: reason.to_string() }
    }
}

fn read(paths: &[PathBuf], selection: Selection) -> Report {
    let mut report = Report::default();
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let found = lean_files::below(path);
        let shown = path.display().to_string();
        if found.files.is_empty() {
            report.problems.push(Unread::new(&shown, &"no .lean file in this folder"));
        }
        let unread = found.problems.iter().map(|(_, reason)| Unread::new(&shown, reason));
        report.problems.extend(unread);
        files.extend(found.files);
    }
    let read: Vec<_> = files.par_iter().map(|path| (path, one(path, selection))).collect();
    for (path, read) in read {
        match read {
            Ok((file, entries, totals)) => {
                report.files.push(file);
                report.declarations.extend(entries);
                report.totals.add(&totals);
            }
            Err(reason) => {
                report.problems.push(Unread::new(path.display().to_string(), &reason));
            }
        }
    }
    report
}

impl Totals {
    fn add(&mut self, more: &Self) {
        self.files += more.files;
        self.lines += more.lines;
        self.declarations += more.declarations;
        self.gaps += more.gaps;
        self.trust += more.trust;
    }
}

/// The kind of an entry for what stands outside of declarations.
const COMMAND: &str = "command";

fn one(path: &Path, selection: Selection) -> Result<(File, Vec<Entry>, Totals), Unreadable> {
    let bytes = lean_files::bytes(path)?;
    lean_files::check(&bytes)?;
    let decoded = lean::decode(&bytes);
    let text = decoded.text.as_str();
    let mut outline = match selection {
        Selection::All | Selection::Gaps => lean::outline(text),
        Selection::GapsInBrief => lean::skim(text),
    };
    let odd = [
        (decoded.lossy, "some bytes are not text and were replaced by U+FFFD"),
        (decoded.utf16, "this is UTF-16; Lean reads UTF-8 only"),
    ];
    let odd = odd.into_iter().filter(|(is_so, _)| *is_so);
    let mut remarks: Vec<Remark> =
        odd.map(|(_, text)| Remark { line: None, text: text.to_owned() }).collect();
    remarks.extend(outline.problems.iter().map(|problem| Remark {
        line: Some(problem.line),
        text: problem.kind.as_str().to_owned(),
    }));
    let file = File {
        path: path.display().to_string(),
        lines: outline.lines,
        module: outline.is_module,
        remarks,
        imports: std::mem::take(&mut outline.imports),
    };
    let totals = Totals {
        files: 1,
        lines: outline.lines,
        declarations: outline.declarations.len(),
        gaps: outline.declarations.iter().map(|d| d.gaps.len()).sum::<usize>()
            + outline.loose_gaps.len(),
        trust: outline.declarations.iter().map(|d| d.trust.len()).sum::<usize>()
            + outline.loose_trust.len(),
    };
    let mut entries = loose(&file.path, text, &outline);
    entries.retain(|entry| selection == Selection::All || !entry.gaps.is_empty());
    let declarations = outline.declarations.into_iter();
    let wanted = declarations.filter(|d| selection == Selection::All || !d.gaps.is_empty());
    entries.extend(wanted.map(|declaration| entry(&file.path, text, declaration)));
    entries.sort_by_key(|entry| entry.line);
    Ok((file, entries, totals))
}

fn entry(file: &str, text: &str, declaration: Declaration) -> Entry {
    Entry {
        file: file.to_owned(),
        kind: declaration.kind.as_str(),
        line: declaration.line,
        end_line: declaration.end_line,
        statement: declaration.statement(text).to_owned(),
        complete: declaration.is_complete(),
        gaps: declaration.gaps,
        trust: declaration.trust,
        tactics: declaration.tactics,
        proof_lines: declaration.proof_lines,
        name: declaration.name,
    }
}

/// What stands outside of declarations: one entry for every line that has some of it.
fn loose(file: &str, text: &str, outline: &Outline) -> Vec<Entry> {
    let mut lines: BTreeMap<usize, Entry> = BTreeMap::new();
    for trust in &outline.loose_trust {
        let entry = lines.entry(trust.line).or_insert_with(|| command(file, trust.line));
        entry.statement.clone_from(&trust.what);
        entry.trust.push(trust.clone());
    }
    for gap in &outline.loose_gaps {
        let entry = lines.entry(gap.line).or_insert_with(|| command(file, gap.line));
        if entry.statement.is_empty() {
            entry.statement = line_around(text, gap.span.start);
        }
        entry.complete = false;
        entry.gaps.push(gap.clone());
    }
    lines.into_values().collect()
}

fn command(file: &str, line: usize) -> Entry {
    let file = file.to_owned();
    Entry { file, kind: COMMAND, line, end_line: line, complete: true, ..Entry::default() }
}

/// The line around an offset, at most 100 bytes to either side.
fn line_around(text: &str, offset: usize) -> String {
    let (before, after) = text.split_at_checked(offset).unwrap_or_default();
    let start = before.floor_char_boundary(before.len().saturating_sub(100));
    let before = before.get(start..).unwrap_or_default();
    let after = after.get(..after.floor_char_boundary(100)).unwrap_or(after);
    let left = before.rsplit('\n').next().unwrap_or_default();
    let right = after.split('\n').next().unwrap_or_default();
    [left, right].concat().trim().to_owned()
}

/// In brief, files of which there is nothing to tell are left out.
fn view(report: &Report, columns: usize, brief: bool) -> String {
    let mut by_file: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &report.declarations {
        by_file.entry(&entry.file).or_default().push(entry);
    }
    let mut out = String::new();
    for file in &report.files {
        let entries = by_file.remove(file.path.as_str()).unwrap_or_default();
        if brief && entries.is_empty() && file.remarks.is_empty() {
            continue;
        }
        section(&mut out, file, &entries, columns);
    }
    summary(&mut out, &report.totals);
    out
}

fn section(out: &mut String, file: &File, entries: &[&Entry], columns: usize) {
    let module = if file.module { ", a module" } else { "" };
    let lines = plural(file.lines, "line");
    writeln!(out, "{} ({lines}{module})", clean(&file.path)).ok();
    for remark in &file.remarks {
        let place = remark.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        writeln!(out, "  ! {place}{}", remark.text).ok();
    }
    let widest = entries.iter().map(|entry| width(entry.kind)).max().unwrap_or(0);
    for entry in entries {
        writeln!(out, "{}", row(entry, widest, columns)).ok();
    }
    out.push('\n');
}

fn row(entry: &Entry, kind_width: usize, columns: usize) -> String {
    let name = match (&entry.name, entry.kind) {
        (Some(name), _) => clean(name),
        (None, COMMAND) => clean(&entry.statement),
        (None, _) => "(no name)".to_owned(),
    };
    let mut marks = String::new();
    let gaps = entry.gaps.iter().map(|gap| (gap.kind.as_str(), gap.line, gap.column));
    for (kind, places) in grouped(gaps) {
        write!(marks, "  [{kind} {places}]").ok();
    }
    let trust = entry.trust.iter().map(|trust| (trust.kind.as_str(), trust.line, trust.column));
    for (kind, places) in grouped(trust) {
        write!(marks, "  <{kind} {places}>").ok();
    }
    let head = format!("{:>6}  {:kind_width$}  ", entry.line, entry.kind);
    let room = columns.saturating_sub(width(&head) + width(&marks)).max(20);
    [head, clip(&name, room), marks].concat()
}

/// The places of each kind as `line:column`, three at most and how many more there are.
fn grouped(
    marks: impl Iterator<Item = (&'static str, usize, usize)>,
) -> BTreeMap<&'static str, String> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (kind, line, column) in marks {
        places.entry(kind).or_default().push(format!("{line}:{column}"));
    }
    let shown = |places: Vec<String>| match places.len() {
        0..=3 => places.join(", "),
        all => format!(
            "{}, +{}",
            places.iter().take(3).cloned().collect::<Vec<_>>().join(", "),
            all - 3
        ),
    };
    places.into_iter().map(|(kind, places)| (kind, shown(places))).collect()
}

fn summary(out: &mut String, totals: &Totals) {
    let files = if totals.files == 1 {
        String::new()
    } else {
        format!("{}, ", plural(totals.files, "file"))
    };
    let declarations = plural(totals.declarations, "declaration");
    let gaps = plural(totals.gaps, "gap");
    let trust = plural(totals.trust, "trust marker");
    writeln!(out, "{files}{declarations}, {gaps}, {trust}").ok();
}
