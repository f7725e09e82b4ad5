//! The audit of files, folders and projects: what is not proved, what has to be trusted.

mod changed;
mod look;
mod sources;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

pub use self::changed::{Compared, Since};
use self::look::{Look, Looked, Unlooked};
use self::sources::{Now, Source};
use super::git::{GitError, Repository};
use super::guard::lemmas::false_lemmas;
use super::renames::Table;
use super::{App, Progress};
use crate::guard::audit::{self, FalseLemmas, Hit, Knowledge};
pub use crate::guard::audit::{Allowance, Past, Selection, UnknownRule};
pub use crate::guard::{Group, Rule, Severity};
use crate::project::Project;

/// What to look at, and what counts.
#[derive(Debug, Default)]
pub struct Request<'a> {
    /// Files and folders; none means the folder that `mk` was started in, and the whole repository
    /// with `since`.
    pub paths: Vec<PathBuf>,
    /// Only what changed is looked at, and only what got worse is found.
    pub since: Option<Since>,
    /// Rules whose findings count as failures.
    pub deny: Selection,
    pub allow: Vec<Allowance>,
    /// Names that moved, if uses of them are wanted.
    pub renames: Option<&'a Table>,
}

/// What an audit found, and how much it looked at.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    pub files: usize,
    pub declarations: usize,
    /// By file and position.
    pub findings: Vec<Finding>,
    /// How many findings each rule has, allowed ones left out.
    pub counts: BTreeMap<&'static str, usize>,
    /// Findings of denied rules that nothing allows.
    pub denied: usize,
    pub allowed: usize,
    /// Whether something was looked at, everything could be read, and nothing was found.
    pub clean: bool,
    pub compared: Option<Compared>,
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
    pub rule: Rule,
    pub severity: Severity,
    /// The file, relative to the project's root with `/`, absolute outside of it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Characters before it on the line, as Lean counts.
    pub column: usize,
    /// Characters before its end on the line.
    pub end_column: usize,
    pub declaration: Option<String>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The line that it is in, clipped.
    pub excerpt: String,
    /// Whether it counts as a failure.
    pub denied: bool,
    pub allowed: bool,
    /// What changed, for rules that compare two versions.
    #[serde(flatten)]
    pub change: Option<Past>,
}

/// Something that was not looked at.
#[derive(Debug, Serialize)]
pub struct Unread {
    pub path: String,
    /// Nothing was read, so there is no line; kept for the shape that other reports have.
    pub line: Option<usize>,
    /// Why, in words.
    pub reason: String,
}

/// Why there is no audit at all.
#[derive(Debug, thiserror::Error)]
pub enum Unable {
    /// There is nothing to compare with.
    #[error("`{0}` is in no git repository: there is nothing to compare with")]
    NoRepository(String),
    /// The revision does not exist.
    #[error("there is no revision `{0}` in this repository")]
    Revision(String),
    /// Git does not answer.
    #[error("{0}")]
    Git(#[from] GitError),
}

/// Looks at files, and at the `.lean` files below folders, several at a time.
///
/// # Errors
/// Only where versions are to be compared and git cannot say what changed.
pub fn run(app: &mut App, request: &Request<'_>, progress: Progress<'_>) -> Result<Report, Unable> {
    let project = place(app, request);
    let repository = Repository::at(&project.root);
    let mut report = Report { root: project.root.clone(), ..Report::default() };
    let sources = match (&request.since, &repository) {
        (None, _) => sources::on_disk(&project, &request.paths, &mut report),
        (Some(_), None) => return Err(Unable::NoRepository(project.start.display().to_string())),
        (Some(since), Some(repository)) => {
            let found = changed::files(repository, &project, since, &request.paths)?;
            report.compared = Some(found.0);
            found.1
        }
    };
    let known = false_lemmas(app);
    let false_lemmas = FalseLemmas::of(&known);
    let moved = request.renames.map(Table::moved);
    let knowledge = Knowledge { moved: moved.as_ref(), false_lemmas: Some(&false_lemmas) };
    let compares = repository.as_ref().filter(|_| request.since.is_some());
    let looked = Look { repository: compares, knowledge }.at(&sources, progress);
    report.take(&sources, looked, request);
    Ok(report)
}

/// The project that is looked at. What changed is asked of the repository around the current folder,
/// as git itself does: a hook of git's may run in another work tree than the session.
fn place(app: &App, request: &Request<'_>) -> Project {
    match &app.environment.current_dir {
        Some(folder) if request.since.is_some() => Project::find(folder),
        _ => app.project.clone(),
    }
}

impl Report {
    /// Whether anything was looked at: a file, or what a deleted file held.
    pub fn looked(&self) -> bool {
        let deleted = self.compared.as_ref().map_or(0, |compared| compared.deleted);
        self.files + deleted > 0
    }

    fn take(
        &mut self,
        sources: &[Source],
        looked: Vec<Option<Result<Looked, Unlooked>>>,
        request: &Request<'_>,
    ) {
        let mut changes = Vec::new();
        let mut found = Vec::new();
        for (source, looked) in sources.iter().zip(looked) {
            match looked {
                None => {}
                Some(Ok(looked)) => {
                    let gone = matches!(source.now, Now::Gone);
                    self.files += usize::from(!gone);
                    if let Some(compared) = &mut self.compared {
                        compared.deleted += usize::from(gone);
                    }
                    self.declarations += looked.audit.declarations;
                    found.push(looked.audit.hits);
                    changes.push((source.shown.clone(), looked.changes));
                }
                Some(Err(Unlooked::Foreign(what))) if !source.named => {
                    let reason = format!("this is {what}, not Lean text");
                    self.skipped.push(unread(&source.shown, reason));
                }
                Some(Err(error)) => self.problems.push(unread(&source.shown, error.to_string())),
            }
        }
        audit::settle(&mut changes);
        for (mut hits, (file, changes)) in found.into_iter().zip(changes) {
            hits.extend(changes.hits);
            hits.sort_by_key(|hit| (hit.line, hit.column));
            self.add(&file, hits, request);
        }
        self.clean = self.looked() && self.findings.is_empty() && self.problems.is_empty();
    }

    fn add(&mut self, file: &str, hits: Vec<Hit>, request: &Request<'_>) {
        for hit in hits {
            let allowed = request.allow.iter().any(|allowance| allowance.covers(file, &hit));
            let denied = !allowed && request.deny.contains(hit.rule);
            self.denied += usize::from(denied);
            self.allowed += usize::from(allowed);
            if !allowed {
                *self.counts.entry(hit.rule.code()).or_default() += 1;
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
                change: hit.past,
            });
        }
    }
}

/// What was found, in words, unless the rule's name says it already.
fn message(rule: Rule, what: &str, renames: Option<&Table>) -> String {
    if rule.tells() {
        return what.to_owned();
    }
    let summary = rule.summary();
    if rule == Rule::MovedName
        && let Some(new) = renames.and_then(|table| table.new_name(what))
    {
        return format!("`{what}` is `{new}` now");
    }
    let plain = what.replace(['_', ' '], "-");
    if rule.group() == Group::Text || plain == rule.code() || what.is_empty() {
        return summary.to_owned();
    }
    format!("`{what}`: {summary}")
}

fn unread(path: &str, reason: String) -> Unread {
    Unread { path: path.to_owned(), line: None, reason }
}
