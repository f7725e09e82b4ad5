//! `mk audit`: what is not proved in Lean files and what has to be trusted, as they are or as git says
//! they changed.

mod kernel;
mod sarif;
mod sources;
mod view;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::bail;
use serde::Serialize;

use self::sources::{Compared, Looked, Since, Source};
use crate::app::App;
use crate::app::git::Repository;
use crate::app::guard::known::false_lemmas;
use crate::app::lean_files::Unreadable;
use crate::guard::audit::{self, FalseLemmas, Hit, Knowledge};
pub use crate::guard::audit::{Allowance, Past, Selection};
pub use crate::guard::{Group, Rule, Severity};
use crate::lean::Moved;
use crate::outline::Unread;
use crate::project::Project;
use crate::renames::Renames;
use crate::ui::progress::Progress;
use crate::ui::{Exit, Out};

/// Find what is unproved or must be trusted in Lean files
///
/// With `--base` or `--staged`, only changes: new findings, and lost proofs, proved declarations
/// and statements (group `changes`).
///
/// Exit code: 0 nothing denied was found, 1 something denied was found, 3 something could not be
/// read, 4 there was nothing to check (0 with `--base` and `--staged`: most commits change no Lean
/// file). `mk audit` reads text; `#print axioms` and independent checkers see what text cannot
/// show.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = "Examples:
  mk audit                                     # this folder
  mk audit --deny gaps,axiom src/              # fails where something is unproved or assumed
  mk audit --deny error --allow 'axiom=MyProject.Axioms.*'
  mk audit --base origin/main --deny changes   # what a branch made worse
  mk audit --staged --deny error               # what a commit would make worse
  mk audit --kernel                            # what Lean said and the text does not show
  mk audit --sarif > audit.sarif               # for a code host
  mk audit --rules                             # every rule, its group and severity")]
pub(crate) struct Args {
    /// Lean files, or folders with Lean files (default: this folder; `.lake` is skipped)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only what changed since a git revision (of a branch: since the two parted), in the whole
    /// repository or below PATH
    #[arg(long, value_name = "REV", conflicts_with = "staged")]
    base: Option<String>,
    /// Only what the next commit changes
    #[arg(long)]
    staged: bool,
    /// Findings of these rules are failures: rules, groups, severities or `all`, with commas
    /// (default: `audit.deny` of the configuration)
    #[arg(long, value_name = "RULES")]
    deny: Vec<Selection>,
    /// Exceptions: RULES, or RULES=GLOB for matching declarations and files; in addition to
    /// `audit.allow` of the configuration
    #[arg(long, value_name = "RULES[=GLOB]")]
    allow: Vec<Allowance>,
    /// Also where the text differs from what Lean said when `mk verify` asked it
    #[arg(long, conflicts_with_all = ["base", "staged"])]
    kernel: bool,
    /// Show notes too
    #[arg(long)]
    notes: bool,
    /// A SARIF 2.1.0 log
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    /// List the rules
    #[arg(long)]
    rules: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.rules {
            out.print(&view::rules())?;
            return Ok(Exit::Done);
        }
        let renames = Renames::of(app);
        for problem in &app.config.problems {
            out.note(&format!("mk: {problem}"));
        }
        let bar = Progress::new("looking", out.watched);
        let report = self.report(app, renames.as_ref(), &|done, total| bar.show(done, total));
        drop(bar);
        let report = match report {
            Ok(report) => report,
            Err(unable) => {
                out.note(&format!("mk: {unable:#}"));
                return Ok(Exit::Trouble);
            }
        };
        if out.json {
            out.object_or_page(&report, |width| view::text(&report, width, self.notes))?;
        } else if self.sarif {
            let log = serde_json::to_string_pretty(&sarif::sarif(&report))?;
            out.print(&(log + "\n"))?;
        } else if report.looked() {
            out.print(&view::text(&report, out.width, self.notes))?;
        }
        for problem in &report.problems {
            out.note(&format!("mk: {}: {}", problem.path, problem.reason));
        }
        if report.denied > 0 {
            return Ok(Exit::Findings);
        }
        if !report.problems.is_empty() {
            return Ok(Exit::Trouble);
        }
        if report.looked() {
            return Ok(Exit::Done);
        }
        if let Some(compared) = &report.compared {
            let what = view::nothing_changed(compared);
            out.note(&format!("mk: nothing to check: {what}"));
            return Ok(Exit::Done);
        }
        out.note("mk: nothing was checked: there is no .lean file here");
        Ok(Exit::NothingLookedAt)
    }

    fn report(
        &self,
        app: &mut App,
        renames: Option<&Renames>,
        progress: crate::app::Progress<'_>,
    ) -> anyhow::Result<Report> {
        let since = self.base.clone().map(Since::Revision);
        let since = since.or(self.staged.then_some(Since::Staged));
        // What changed is asked of the repository around the current folder, as git itself does: a hook
        // of git's may run in another work tree than the session.
        let project = match &app.environment.current_dir {
            Some(folder) if since.is_some() => Project::find(folder),
            _ => app.project.clone(),
        };
        let repository = since.is_some().then(|| Repository::at(&project.root)).flatten();
        let mut report = Report { root: project.root.clone(), ..Report::default() };
        let sources = match (&since, &repository) {
            (None, _) => sources::on_disk(&project, &self.paths, &mut report.problems),
            (Some(_), None) => {
                bail!(
                    "`{}` is not in a git repository: there is nothing to compare with",
                    project.start.display()
                );
            }
            (Some(since), Some(repository)) => {
                let found = sources::changed(repository, &project, since, &self.paths)?;
                report.compared = Some(found.0);
                found.1
            }
        };
        let known = false_lemmas(app);
        let false_lemmas = FalseLemmas::of(&known);
        let olds = renames.map(Renames::all).transpose().unwrap_or_else(|error| {
            app.log.line(app.now, "renames", &format!("{error:#}"));
            None
        });
        let moved = olds
            .as_ref()
            .map(|olds| Moved::of(olds.iter().map(|(old, protected)| (old.as_str(), *protected))));
        let knowledge = Knowledge { moved: moved.as_ref(), false_lemmas: Some(&false_lemmas) };
        let mut looked = sources::look(&sources, repository.as_ref(), knowledge, progress);
        if self.kernel {
            report.kernel = Some(kernel::join(app, &sources, &mut looked)?);
        }
        report.take(&sources, looked, &self.judgement(app, renames));
        Ok(report)
    }

    /// By arguments, or by the configuration, which was checked when it was read.
    fn judgement<'a>(&self, app: &App, renames: Option<&'a Renames>) -> Judgement<'a> {
        let mut deny = Selection::default();
        if self.deny.is_empty() {
            let configured = app.config.audit_deny.iter().filter_map(|words| words.parse().ok());
            configured.for_each(|selection: Selection| deny.0.extend(selection.0));
        }
        self.deny.iter().for_each(|selection| deny.0.extend(&selection.0));
        let configured = app.config.audit_allow.iter().filter_map(|words| words.parse().ok());
        let allow = self.allow.iter().cloned().chain(configured).collect();
        Judgement { deny, allow, renames }
    }
}

struct Judgement<'a> {
    deny: Selection,
    allow: Vec<Allowance>,
    renames: Option<&'a Renames>,
}

#[derive(Debug, Default, Serialize)]
struct Report {
    files: usize,
    declarations: usize,
    findings: Vec<Finding>,
    counts: BTreeMap<&'static str, usize>,
    denied: usize,
    allowed: usize,
    /// Whether something was looked at, everything could be read, and nothing was found.
    clean: bool,
    compared: Option<Compared>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<kernel::Said>,
    skipped: Vec<Unread>,
    problems: Vec<Unread>,
    /// The folder that the files' paths are relative to.
    #[serde(skip)]
    root: PathBuf,
}

#[derive(Debug, Clone, Serialize)]
struct Finding {
    rule: Rule,
    severity: Severity,
    /// The file, relative to the project's root with `/`, absolute outside of it.
    file: String,
    line: usize,
    /// Characters before it on the line, as Lean counts.
    column: usize,
    /// Characters before its end on the line.
    end_column: usize,
    declaration: Option<String>,
    message: String,
    /// The line that it is in, clipped.
    excerpt: String,
    denied: bool,
    allowed: bool,
    #[serde(flatten)]
    change: Option<Past>,
}

impl Report {
    fn looked(&self) -> bool {
        let deleted = self.compared.as_ref().map_or(0, |compared| compared.deleted);
        self.files + deleted > 0
    }

    fn take(
        &mut self,
        sources: &[Source],
        looked: Vec<Option<Result<Looked, Unreadable>>>,
        judgement: &Judgement<'_>,
    ) {
        let mut changes = Vec::new();
        let mut found = Vec::new();
        for (source, looked) in sources.iter().zip(looked) {
            match looked {
                None => {}
                Some(Ok(looked)) => {
                    self.files += usize::from(!looked.gone);
                    if let Some(compared) = &mut self.compared {
                        compared.deleted += usize::from(looked.gone);
                    }
                    self.declarations += looked.audit.declarations;
                    found.push(looked.audit.hits);
                    changes.push((source.shown.clone(), looked.changes));
                }
                Some(Err(error)) => {
                    let is_expected = matches!(error, Unreadable::Foreign(_)) && !source.named;
                    let list = if is_expected { &mut self.skipped } else { &mut self.problems };
                    list.push(Unread::new(&source.shown, &error));
                }
            }
        }
        audit::settle(&mut changes);
        for (mut hits, (file, changes)) in found.into_iter().zip(changes) {
            hits.extend(changes.hits);
            hits.sort_by_key(|hit| (hit.line, hit.column));
            self.add(&file, hits, judgement);
        }
        self.clean = self.looked() && self.findings.is_empty() && self.problems.is_empty();
    }

    fn add(&mut self, file: &str, hits: Vec<Hit>, judgement: &Judgement<'_>) {
        for hit in hits {
            let allowed = judgement.allow.iter().any(|allowance| allowance.covers(file, &hit));
            let denied = !allowed && judgement.deny.0.contains(&hit.rule);
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
                message: message(hit.rule, &hit.what, judgement.renames),
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
fn message(rule: Rule, what: &str, renames: Option<&Renames>) -> String {
    if rule.tells() {
        return what.to_owned();
    }
    let summary = rule.summary();
    if rule == Rule::MovedName
        && let Some(new) = renames.and_then(|renames| renames.new_name(what).ok()?)
    {
        return format!("`{what}` is `{new}` now");
    }
    let plain = what.replace(['_', ' '], "-");
    if rule.group() == Group::Text || plain == rule.code() || what.is_empty() {
        return summary.to_owned();
    }
    format!("`{what}`: {summary}")
}
