//! `mk diff`: what happened to each declaration between two versions of a Lean file.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use crate::app::App;
use crate::app::git::Repository;
use crate::app::lean_files::{self, LARGEST, Unreadable};
use crate::lean::{self, Change, ChangeKind, Comparison, DeclKind, GapKind};
use crate::learn::results;
use crate::project::Project;
use crate::text::{clean, clip, plural, width};
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out};

/// Show what changed in each declaration between two versions of a Lean file
///
/// A version is a file, or `REV:PATH`: a file as a git revision has it, `:PATH` as the index has it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk diff Old.lean New.lean
  mk diff HEAD:src/Foo.lean src/Foo.lean
  mk diff --json main:src/Foo.lean :src/Foo.lean   # a branch and the index
  git difftool -y -x 'mk diff' HEAD~1 -- Foo.lean

It compares text: what an imported file changed is not seen.")]
pub(crate) struct Args {
    /// The old version: a file or REV:PATH (`/dev/null` for none)
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The new version
    #[arg(value_name = "NEW")]
    new: PathBuf,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = compare(app, &self.old, &self.new)?;
        out.answer(&report, |width| view(&report, width))
    }
}

#[derive(Debug, Serialize)]
struct Report {
    old: String,
    new: String,
    changes: Vec<Entry>,
    #[serde(skip)]
    declarations: usize,
}

#[derive(Debug, Serialize)]
struct Entry {
    #[serde(flatten)]
    change: Change,
    #[serde(skip)]
    statements: Option<(String, String)>,
}

/// Compares two versions of a file, each the path of a file or `REV:PATH`, a file as a revision has
/// it (`:PATH`: as the index has it). `/dev/null` is the file that does not exist, as in git.
fn compare(app: &App, old: &Path, new: &Path) -> anyhow::Result<Report> {
    let before = text(app, old)?;
    let after = text(app, new)?;
    let comparison = Comparison::of(&before, &after);
    // The prover ran its searches: they are proofs in its answer.
    let is_answer = results::is_answer(&after, comparison.new.outline());
    let is_searched = |change: &Change| {
        let gaps = comparison.new_of(change).map(|new| &new.gaps);
        is_answer
            && matches!(change.change, ChangeKind::ProofLost | ChangeKind::GapAdded)
            && gaps.is_some_and(|gaps| gaps.iter().all(|gap| gap.kind == GapKind::SearchTactic))
    };
    let changes = comparison.changes.iter().map(|change| {
        if is_searched(change) {
            let detail = "by a search that the prover ran".to_owned();
            let change = Change { change: ChangeKind::ProofChanged, detail, ..change.clone() };
            return Entry { change, statements: None };
        }
        let statements = comparison.old_of(change).zip(comparison.new_of(change));
        let statements = statements
            .filter(|_| change.change == ChangeKind::StatementChanged)
            .map(|(old, new)| (old.statement(&before).to_owned(), new.statement(&after).to_owned()))
            .filter(|_| change.detail.contains("became"));
        Entry { change: change.clone(), statements }
    });
    Ok(Report {
        old: old.display().to_string(),
        new: new.display().to_string(),
        changes: changes.collect(),
        declarations: comparison.new.outline().declarations.len(),
    })
}

fn text(app: &App, operand: &Path) -> anyhow::Result<String> {
    if operand == Path::new("/dev/null") {
        return Ok(String::new());
    }
    let named = operand.to_str().and_then(|text| text.split_once(':'));
    let committed = match named.filter(|_| !operand.exists()) {
        Some((revision, path)) => committed(app, revision, Path::new(path)),
        None => None,
    };
    let text = committed.unwrap_or_else(|| lean_files::text(operand));
    text.map_err(|reason| anyhow::anyhow!("{}: {reason}", operand.display()))
}

/// A file as a revision has it; `None` outside of any repository. As in git a path is one from the
/// root unless it begins with `./` or `../`; one that is not there is tried from here, too.
fn committed(app: &App, revision: &str, path: &Path) -> Option<Result<String, Unreadable>> {
    let project = Project::find(app.environment.current_dir.as_ref()?);
    let repository = Repository::at(&project.root)?;
    if !revision.is_empty() && repository.resolve(revision).is_none() {
        let reason = format!("there is no such file, and no revision `{revision}`");
        return Some(Err(Unreadable::Failed(reason)));
    }
    let here = flat(&project.start.join(path));
    let from_root = (!path.starts_with(".") && !path.starts_with("..")).then(|| path.to_owned());
    let mut places = from_root.into_iter().chain([here]);
    let Some(bytes) = places.find_map(|place| repository.show(revision, &place)) else {
        let whose = match revision {
            "" => "the index".to_owned(),
            revision => format!("`{revision}`"),
        };
        return Some(Err(Unreadable::Failed(format!("{whose} has no such file"))));
    };
    let size = bytes.len() as u64;
    Some(match lean_files::check(&bytes) {
        _ if size > LARGEST => Err(Unreadable::too_large(size)),
        Err(foreign) => Err(foreign),
        Ok(()) => Ok(lean::decode(&bytes).text),
    })
}

fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                flat.pop();
            }
            part => flat.push(part),
        }
    }
    flat
}

fn view(report: &Report, columns: usize) -> String {
    let mut page = Page::new(columns);
    let title = format!("{} -> {}", clean(&report.old), clean(&report.new));
    page.line(0, &paint(Tone::Heading, &clip(&title, columns)));
    page.line(0, &sums(report));
    let kinds = report
        .changes
        .iter()
        .filter_map(|change| change.change.kind.map(|kind| width(kind.as_str())));
    let widest = kinds.max().unwrap_or(0).max(width(OUTSIDE));
    let mut last = None;
    for change in &report.changes {
        if last != Some(subject(change)) {
            page.blank();
            page.line(0, &headline(&change.change, widest, columns));
            last = Some(subject(change));
        }
        told(&mut page, change);
    }
    page.into_text()
}

/// What a change of the file outside of declarations is called.
const OUTSIDE: &str = "command";

const DEPTH: usize = 4;

fn subject(entry: &Entry) -> (Option<&str>, Option<usize>, Option<usize>) {
    let change = &entry.change;
    (change.name.as_deref(), change.line_old, change.line_new)
}

fn sums(report: &Report) -> String {
    let mut counts: BTreeMap<ChangeKind, usize> = BTreeMap::new();
    for change in &report.changes {
        *counts.entry(change.change.change).or_default() += 1;
    }
    if counts.is_empty() {
        return format!("{}, none of them changed", plural(report.declarations, "declaration"));
    }
    let told = counts.into_iter().map(|(kind, count)| {
        paint(tone(kind), &format!("{count} {}", kind.as_str().replace('_', " ")))
    });
    told.collect::<Vec<_>>().join(", ")
}

fn headline(change: &Change, widest: usize, columns: usize) -> String {
    let line = match (change.line_new, change.line_old) {
        (Some(line), _) => line.to_string(),
        (None, Some(line)) => format!("-{line}"),
        (None, None) => String::new(),
    };
    let kind = change.kind.map_or(OUTSIDE, DeclKind::as_str);
    let name = match (&change.name, &change.new_name) {
        (Some(name), Some(new)) => format!("{} -> {}", clean(name), clean(new)),
        (Some(name), None) => clean(name),
        (None, Some(new)) => clean(new),
        (None, None) if change.kind.is_some() => "(no name)".to_owned(),
        (None, None) => String::new(),
    };
    let head = format!("{line:>5}  {kind:widest$}  ");
    let room = columns.saturating_sub(width(&head)).max(20);
    let gone = change.line_new.is_none();
    let name = paint(if gone { Tone::Faint } else { Tone::Heading }, &clip(&name, room));
    format!("{head}{name}").trim_end().to_owned()
}

fn told(page: &mut Page, Entry { change, statements }: &Entry) {
    let words = change.change.as_str().replace('_', " ");
    let painted = paint(tone(change.change), &words);
    let between = if change.detail.starts_with("with ") { ", " } else { ": " };
    let room = page.room(DEPTH).saturating_sub(width(&words) + between.len());
    if let Some((old, new)) = statements {
        let kinds = change.detail.split_once(": `").map_or("", |(kinds, _)| kinds);
        let between = if kinds.starts_with("was ") { between } else { "" };
        let kinds = if between.is_empty() { "" } else { kinds };
        page.line(DEPTH, &format!("{painted}{between}{kinds}"));
        page.paragraph(DEPTH + 1, &format!("- {}", old.trim_end()));
        page.paragraph(DEPTH + 1, &format!("+ {}", new.trim_end()));
    } else if change.detail.is_empty() {
        page.line(DEPTH, &painted);
    } else {
        page.line(DEPTH, &format!("{painted}{between}{}", clip(&clean(&change.detail), room)));
    }
}

fn tone(kind: ChangeKind) -> Tone {
    match kind {
        ChangeKind::Proved | ChangeKind::GapClosed | ChangeKind::TrustRemoved => Tone::Good,
        ChangeKind::ProofLost | ChangeKind::Removed => Tone::Bad,
        ChangeKind::StatementChanged | ChangeKind::GapAdded | ChangeKind::TrustAdded => {
            Tone::Caution
        }
        ChangeKind::Added => Tone::Neutral,
        ChangeKind::Renamed | ChangeKind::Moved | ChangeKind::ProofChanged => Tone::Faint,
    }
}
