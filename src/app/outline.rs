//! Outlines of Lean files: what they declare, what is missing, what has to be trusted.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use ignore::{DirEntry, WalkBuilder, WalkState};
use rayon::prelude::*;
use serde::Serialize;

use crate::files;
use crate::lean::{self, Declaration, Gap, Outline, Trust};

/// Larger files are not read: no Lean file that people write comes near it.
pub const LARGEST_FILE: u64 = 32 << 20;

/// The outlines of some files.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    pub files: Vec<FileEntry>,
    /// What they declare, file by file, and gaps and trust markers outside of declarations.
    pub declarations: Vec<Entry>,
    pub totals: Totals,
    /// Files that could not be read.
    pub problems: Vec<Unread>,
}

/// A file that was read.
#[derive(Debug, Serialize)]
pub struct FileEntry {
    /// Its path as given, or below the folder as given.
    pub file: String,
    pub lines: usize,
    /// Whether it is a module of the module system.
    pub module: bool,
    pub imports: Vec<String>,
    /// What is odd about the text, as sentences.
    pub remarks: Vec<Remark>,
}

/// Something odd in a file that could be read all the same.
#[derive(Debug, Serialize)]
pub struct Remark {
    pub line: Option<usize>,
    pub text: String,
}

/// A declaration; without a name and of kind `command` what stands outside of any.
#[derive(Debug, Serialize)]
pub struct Entry {
    pub file: String,
    /// Lean's keyword, or `command`.
    pub kind: &'static str,
    pub name: Option<String>,
    /// Line of the keyword, from 1.
    pub line: usize,
    pub end_line: usize,
    /// The signature from the keyword on; for a command the line of the gap.
    pub statement: String,
    /// Whether nothing is missing in it.
    pub complete: bool,
    /// Where a proof is missing.
    pub gaps: Vec<GapEntry>,
    pub trust: Vec<TrustEntry>,
    /// How often it uses which tactic.
    pub tactics: BTreeMap<String, usize>,
    /// Lines of code in its body.
    pub proof_lines: usize,
}

/// A place without a proof.
#[derive(Debug, Serialize)]
pub struct GapEntry {
    /// `sorry`, `admit`, ...
    pub kind: &'static str,
    /// Line, from 1.
    pub line: usize,
    /// Characters before it on the line.
    pub column: usize,
}

/// A trust marker.
#[derive(Debug, Serialize)]
pub struct TrustEntry {
    /// `axiom`, `native_decide`, ...
    pub kind: &'static str,
    /// Line, from 1.
    pub line: usize,
    /// Characters before it on the line.
    pub column: usize,
    /// The words that say it.
    pub what: String,
}

/// Sums over all files.
#[derive(Debug, Default, Serialize)]
pub struct Totals {
    pub files: usize,
    pub lines: usize,
    pub declarations: usize,
    pub gaps: usize,
    pub trust: usize,
}

/// A file that could not be read.
#[derive(Debug, Serialize)]
pub struct Unread {
    pub path: String,
    /// Nothing was read, so there is no line; kept for the shape that other reports have.
    pub line: Option<usize>,
    /// Why, in a sentence.
    pub reason: String,
}

/// Which entries a report lists; the totals always count all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    All,
    /// Those with gaps; their tactics and proof lines are counted only if asked for.
    Gaps {
        detailed: bool,
    },
}

/// Outlines files, and the `.lean` files below folders.
///
/// A path that cannot be read becomes a problem of the report; the others are read all the same.
pub fn run(paths: &[PathBuf], selection: Selection) -> Report {
    let read = |path: &PathBuf| {
        if path.is_dir() { below(path, selection) } else { vec![named(path, selection)] }
    };
    let parts: Vec<Vec<Result<Part, Unread>>> = paths.par_iter().map(read).collect();
    let mut report = Report::default();
    for part in parts.into_iter().flatten() {
        match part {
            Ok(part) => report.add(part),
            Err(problem) => report.problems.push(problem),
        }
    }
    report
}

/// A file that somebody names.
fn named(path: &Path, selection: Selection) -> Result<Part, Unread> {
    let is_json =
        |end: &OsStr| end.eq_ignore_ascii_case("json") || end.eq_ignore_ascii_case("jsonl");
    if path.extension().is_some_and(is_json) {
        return Err(unread(path, "this is JSON, not Lean text".to_owned()));
    }
    let bytes = read_bytes(path).map_err(|reason| unread(path, reason))?;
    read_part(path, &bytes, selection)
}

fn read_part(path: &Path, bytes: &[u8], selection: Selection) -> Result<Part, Unread> {
    if let Some(what) = lean::foreign(bytes) {
        return Err(unread(path, format!("this is {what}, not Lean text")));
    }
    if let Some(text) = lean::plain(bytes) {
        return Ok(part(path, text, Vec::new(), selection));
    }
    let decoded = lean::decode(bytes);
    Ok(part(path, &decoded.text, odd_bytes(&decoded), selection))
}

/// The `.lean` files below a folder, by path. Hidden folders (`.lake`, `.git`) and what git ignores
/// are passed over, as a search tool would. They are read where they are found, on every core.
fn below(folder: &Path, selection: Selection) -> Vec<Result<Part, Unread>> {
    let (sender, receiver) = mpsc::channel();
    let mut walk = WalkBuilder::new(folder);
    // The walk opens these files itself, whatever they are.
    walk.filter_entry(|entry| {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        is_file || !has_odd_ignores(entry.path())
    });
    let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    if whole.ancestors().any(has_odd_ignores) {
        walk.standard_filters(false).hidden(true);
    }
    walk.threads(rayon::current_num_threads()).build_parallel().run(|| {
        let sender = sender.clone();
        let mut buffer = Vec::new();
        Box::new(move |entry| {
            let part = match entry {
                Ok(entry) if is_lean_file(&entry) => {
                    let bytes = files::read_listed(entry.path(), LARGEST_FILE, &mut buffer);
                    let unreadable = |error| unread(entry.path(), unreadable(entry.path(), &error));
                    bytes.map_err(unreadable).and_then(|b| read_part(entry.path(), b, selection))
                }
                Ok(_) => return WalkState::Continue,
                Err(error) => Err(unread(folder, error.to_string())),
            };
            // The receiver outlives the walk.
            match sender.send(part) {
                Ok(()) => WalkState::Continue,
                Err(_) => WalkState::Quit,
            }
        })
    });
    drop(sender);
    let mut parts: Vec<Result<Part, Unread>> = receiver.into_iter().collect();
    // In the order of their folders and names, as paths are compared, but without taking them apart.
    parts.sort_by_cached_key(|part| place(part).replace('/', "\0"));
    if parts.is_empty() {
        parts.push(Err(unread(folder, "no .lean file in this folder".to_owned())));
    }
    parts
}

/// Whether what says which files of a folder are ignored is a pipe, a device or the like.
fn has_odd_ignores(folder: &Path) -> bool {
    let names = [".gitignore", ".ignore", ".git/info/exclude"].iter();
    names.filter_map(|name| fs::metadata(folder.join(name)).ok()).any(|meta| !meta.is_file())
}

fn place(part: &Result<Part, Unread>) -> &str {
    match part {
        Ok(part) => &part.file.file,
        Err(problem) => &problem.path,
    }
}

fn is_lean_file(entry: &DirEntry) -> bool {
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    is_file && entry.path().extension().is_some_and(|extension| extension == "lean")
}

/// What one file adds to a report.
struct Part {
    file: FileEntry,
    entries: Vec<Entry>,
    totals: Totals,
}

impl Report {
    fn add(&mut self, part: Part) {
        self.totals.files += part.totals.files;
        self.totals.lines += part.totals.lines;
        self.totals.declarations += part.totals.declarations;
        self.totals.gaps += part.totals.gaps;
        self.totals.trust += part.totals.trust;
        self.files.push(part.file);
        self.declarations.extend(part.entries);
    }
}

fn unread(path: &Path, reason: String) -> Unread {
    Unread { path: path.display().to_string(), line: None, reason }
}

/// The text of a Lean file, with what is odd about its bytes.
pub fn read_lean(path: &Path) -> Result<lean::Decoded, String> {
    let bytes = read_bytes(path)?;
    match lean::foreign(&bytes) {
        Some(what) => Err(format!("this is {what}, not Lean text")),
        None => Ok(lean::decode(&bytes)),
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    files::read(path, LARGEST_FILE).map_err(|error| unreadable(path, &error))
}

/// Why a file could not be read.
fn unreadable(path: &Path, error: &io::Error) -> String {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => "there is no such file".to_owned(),
        Ok(meta) if !meta.is_file() => {
            "it is not a regular file (a folder, a pipe or a device)".to_owned()
        }
        Ok(meta) if meta.len() > LARGEST_FILE => {
            let (size, limit) = (meta.len() >> 20, LARGEST_FILE >> 20);
            format!("it has {size} MB; mk reads Lean files of up to {limit} MB")
        }
        _ => error.to_string(),
    }
}

/// The kind of an entry for what stands outside of declarations.
pub const COMMAND: &str = "command";

fn part(path: &Path, text: &str, mut remarks: Vec<Remark>, selection: Selection) -> Part {
    let mut outline = match selection {
        Selection::All | Selection::Gaps { detailed: true } => lean::outline(text),
        Selection::Gaps { detailed: false } => lean::skim_for_gaps(text),
    };
    remarks.extend(outline.problems.iter().map(|problem| Remark {
        line: Some(problem.line),
        text: problem.kind.sentence().to_owned(),
    }));
    let file = FileEntry {
        file: path.display().to_string(),
        lines: outline.lines,
        module: outline.is_module,
        remarks,
        imports: std::mem::take(&mut outline.imports).into_iter().map(|i| i.module).collect(),
    };
    let totals = Totals {
        files: 1,
        lines: outline.lines,
        declarations: outline.declarations.len() + outline.silent,
        gaps: outline.declarations.iter().map(|d| d.gaps.len()).sum::<usize>()
            + outline.loose_gaps.len(),
        trust: outline.declarations.iter().map(|d| d.trust.len()).sum::<usize>()
            + outline.loose_trust.len(),
    };
    let mut entries = loose(&file.file, text, &outline);
    entries.retain(|entry| selection == Selection::All || !entry.gaps.is_empty());
    let declarations = outline.declarations.into_iter();
    let wanted = declarations.filter(|d| selection == Selection::All || !d.gaps.is_empty());
    entries.extend(wanted.map(|declaration| entry(&file.file, text, declaration)));
    entries.sort_by_key(|entry| entry.line);
    Part { file, entries, totals }
}

fn odd_bytes(decoded: &lean::Decoded) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if decoded.lossy {
        let text = "some bytes are no text and were replaced by U+FFFD".to_owned();
        remarks.push(Remark { line: None, text });
    }
    if decoded.utf16 {
        let text = "this is UTF-16; Lean reads UTF-8 only".to_owned();
        remarks.push(Remark { line: None, text });
    }
    remarks
}

fn entry(file: &str, text: &str, declaration: Declaration) -> Entry {
    Entry {
        file: file.to_owned(),
        kind: declaration.kind.as_str(),
        line: declaration.line,
        end_line: declaration.end_line,
        statement: declaration.statement(text).to_owned(),
        complete: declaration.is_complete(),
        gaps: declaration.gaps.iter().map(gap_entry).collect(),
        trust: declaration.trust.iter().map(trust_entry).collect(),
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
        entry.trust.push(trust_entry(trust));
    }
    for gap in &outline.loose_gaps {
        let entry = lines.entry(gap.line).or_insert_with(|| command(file, gap.line));
        if entry.statement.is_empty() {
            entry.statement = line_around(text, gap.span.start);
        }
        entry.complete = false;
        entry.gaps.push(gap_entry(gap));
    }
    lines.into_values().collect()
}

fn command(file: &str, line: usize) -> Entry {
    Entry {
        file: file.to_owned(),
        kind: COMMAND,
        name: None,
        line,
        end_line: line,
        statement: String::new(),
        complete: true,
        gaps: Vec::new(),
        trust: Vec::new(),
        tactics: BTreeMap::new(),
        proof_lines: 0,
    }
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

fn gap_entry(gap: &Gap) -> GapEntry {
    GapEntry { kind: gap.kind.as_str(), line: gap.line, column: gap.column }
}

fn trust_entry(trust: &Trust) -> TrustEntry {
    TrustEntry {
        kind: trust.kind.as_str(),
        line: trust.line,
        column: trust.column,
        what: trust.what.clone(),
    }
}
