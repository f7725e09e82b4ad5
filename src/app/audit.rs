//! The audit of files, folders and projects: what is not proved, what has to be trusted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use super::outline::LARGEST_FILE;
use super::renames::Table;
use super::{App, Progress, lean_files};
use crate::guard::audit::{self, Audit, Knowledge};
pub use crate::guard::audit::{Allowance, Group, Rule, Selection, Severity, UnknownRule};
use crate::lean;
use crate::project::Project;

/// What to look at, and what counts.
#[derive(Debug, Default)]
pub struct Request<'a> {
    /// Files and folders; none means the folder that `mk` was started in.
    pub paths: Vec<PathBuf>,
    /// Rules whose findings count as failures.
    pub deny: Selection,
    /// What is allowed all the same.
    pub allow: Vec<Allowance>,
    /// Names that moved, if uses of them are wanted.
    pub renames: Option<&'a Table>,
}

/// What an audit found, and how much it looked at.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// Files that were looked at.
    pub files: usize,
    /// Declarations in them.
    pub declarations: usize,
    /// By file and position.
    pub findings: Vec<Finding>,
    /// How many findings each rule has, allowed ones left out.
    pub counts: BTreeMap<&'static str, usize>,
    /// Findings of denied rules that nothing allows.
    pub denied: usize,
    /// Findings that are allowed.
    pub allowed: usize,
    /// Whether something was looked at, everything could be read, and nothing was found.
    pub clean: bool,
    /// Files that are no Lean text in spite of their names.
    pub skipped: Vec<Unread>,
    /// What could not be looked at.
    pub problems: Vec<Unread>,
    /// The folder that the files' paths are relative to.
    #[serde(skip)]
    pub root: PathBuf,
}

/// A place where a rule found something.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// How grave it is.
    pub severity: Severity,
    /// The file, relative to the project's root with `/`, absolute outside of it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Characters before it on the line, as Lean counts.
    pub column: usize,
    /// Characters before its end on the line.
    pub end_column: usize,
    /// The declaration that it is in.
    pub declaration: Option<String>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The line that it is in, clipped.
    pub excerpt: String,
    /// Whether it counts as a failure.
    pub denied: bool,
    /// Whether it is allowed.
    pub allowed: bool,
}

/// Something that was not looked at.
#[derive(Debug, Serialize)]
pub struct Unread {
    /// Its path.
    pub path: String,
    /// Nothing was read, so there is no line; kept for the shape that other reports have.
    pub line: Option<usize>,
    /// Why, in words.
    pub reason: String,
}

/// Looks at files, and at the `.lean` files below folders, several at a time.
pub fn run(app: &App, request: &Request<'_>, progress: Progress<'_>) -> Report {
    let mut report = Report { root: app.project.root.clone(), ..Report::default() };
    let sources = sources(app, request, &mut report);
    let moved = request.renames.map(Table::moved);
    let knowledge = Knowledge { moved: moved.as_ref() };
    let total = sources.len() as u64;
    let done = AtomicU64::new(0);
    let looked: Vec<(&Source, Result<Audit, Unlooked>)> = sources
        .par_iter()
        .map(|source| {
            let audit = look(&source.path, knowledge);
            progress(1 + done.fetch_add(1, Ordering::Relaxed), total);
            (source, audit)
        })
        .collect();
    for (source, audit) in looked {
        match audit {
            Ok(audit) => report.add(&source.shown, audit, request),
            Err(Unlooked::Foreign(what)) if !source.named => {
                let reason = format!("this is {what}, not Lean text");
                report.skipped.push(unread(&source.shown, reason));
            }
            Err(error) => report.problems.push(unread(&source.shown, error.to_string())),
        }
    }
    report.clean = report.files > 0 && report.findings.is_empty() && report.problems.is_empty();
    report
}

impl Report {
    fn add(&mut self, file: &str, audit: Audit, request: &Request<'_>) {
        self.files += 1;
        self.declarations += audit.declarations;
        for hit in audit.hits {
            let allowed = request.allow.iter().any(|allowance| allowance.covers(file, &hit));
            let denied = !allowed && request.deny.contains(hit.rule);
            self.denied += usize::from(denied);
            self.allowed += usize::from(allowed);
            if !allowed {
                *self.counts.entry(hit.rule.id()).or_default() += 1;
            }
            self.findings.push(Finding {
                rule: hit.rule,
                severity: hit.rule.severity(),
                file: file.to_owned(),
                line: hit.line,
                column: hit.column,
                end_column: hit.column + hit.length,
                message: message(hit.rule, &hit.what, request.renames),
                declaration: hit.declaration,
                excerpt: hit.excerpt,
                denied,
                allowed,
            });
        }
    }
}

/// What was found, in words, unless the rule's name says it already.
fn message(rule: Rule, what: &str, renames: Option<&Table>) -> String {
    let summary = rule.summary();
    if rule == Rule::MovedName
        && let Some(new) = renames.and_then(|table| table.new_name(what))
    {
        return format!("`{what}` is `{new}` now");
    }
    let plain = what.replace(['_', ' '], "-");
    if rule.group() == Group::Text || plain == rule.id() || what.is_empty() {
        return summary.to_owned();
    }
    format!("`{what}`: {summary}")
}

/// A file to be looked at.
struct Source {
    path: PathBuf,
    shown: String,
    /// Whether it was named itself, not found in a folder.
    named: bool,
}

fn sources(app: &App, request: &Request<'_>, report: &mut Report) -> Vec<Source> {
    let project = &app.project;
    let here = [project.start.clone()];
    let paths = if request.paths.is_empty() { &here[..] } else { &request.paths };
    let mut sources = Vec::new();
    for path in paths {
        if !path.is_dir() {
            let (path, named) = (real_folder(path), true);
            sources.push(Source { shown: shown(project, &path), path, named });
            continue;
        }
        let found = lean_files::below(&fs::canonicalize(path).unwrap_or_else(|_| path.clone()));
        for (folder, reason) in found.problems {
            report.problems.push(unread(&shown(project, &folder), reason));
        }
        sources.extend(found.files.into_iter().map(|path| Source {
            shown: shown(project, &path),
            path,
            named: false,
        }));
    }
    sources.sort_by(|a, b| a.shown.cmp(&b.shown));
    sources.dedup_by(|a, b| a.path == b.path);
    sources
}

/// A path with its folder made real, the file's own name kept: a link is shown as itself.
fn real_folder(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = absolute.parent().and_then(|folder| fs::canonicalize(folder).ok());
    match (folder, absolute.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => absolute,
    }
}

fn shown(project: &Project, path: &Path) -> String {
    let inside = path.strip_prefix(&project.root).unwrap_or(path);
    inside.to_string_lossy().replace('\\', "/")
}

fn unread(path: &str, reason: String) -> Unread {
    Unread { path: path.to_owned(), line: None, reason }
}

/// Why a file was not looked at.
#[derive(Debug, thiserror::Error)]
enum Unlooked {
    #[error("this is {0}, not Lean text")]
    Foreign(&'static str),
    #[error("there is no such file")]
    Missing,
    #[error("it is not a regular file")]
    Irregular,
    #[error("it has {0} MB, more than any Lean file should")]
    Large(u64),
    #[error("{0}")]
    Io(std::io::Error),
}

impl From<std::io::Error> for Unlooked {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Io(error),
        }
    }
}

fn look(path: &Path, knowledge: Knowledge<'_>) -> Result<Audit, Unlooked> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(Unlooked::Irregular);
    }
    if metadata.len() > LARGEST_FILE {
        return Err(Unlooked::Large(metadata.len() >> 20));
    }
    let bytes = fs::read(path)?;
    match lean::foreign(&bytes) {
        Some(what) => Err(Unlooked::Foreign(what)),
        None => Ok(audit::audit(&lean::decode(&bytes).text, knowledge)),
    }
}
