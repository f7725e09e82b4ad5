//! `mk next`: which gap of the project unblocks most. The command, the briefing and the report ask `collect` or what
//! background work kept of it.

mod blueprint;
pub(crate) mod graph;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::app::guard::known::false_lemmas;
use crate::app::{App, lean_files, tracked};
use crate::files;
use crate::guard::{FalseLemma, FalseLemmas};
use crate::lean::{self, last_part};
use crate::model::{
    Confidence, Finding, Kind, OF_A_CASE, Problem, claim, problem_key, same_problem, slot_of,
};
use crate::premises::Own;
use crate::queue;
use crate::store::file_state;
use crate::text::{base_name, clean, clip, hash, in_bytes, plural, times};
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out};
use graph::{Graph, Node, Source, Weight};

/// Show which gap to close next: the one that unblocks most
///
/// Reads the Lean files of the project's own library and, where there is a leanblueprint, its
/// `\lean{}` and `\uses{}`. Names are resolved as text can: through namespaces and imports, not
/// through instances, notation or `h.name`. What is known to be false is named, not proposed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk next
  mk next --limit 30
  mk next --json")]
pub(crate) struct Args {
    /// Gaps shown at most
    #[arg(long, short = 'n', default_value_t = 10, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let mut next = collect(app);
        next.gaps.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        out.answer(&next, |width| view(&next, width))
    }
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Next {
    pub files: usize,
    pub declarations: usize,
    /// The submission that came nearest, where what is left of it may be true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// Also beyond the limit, and what is false.
    pub open: usize,
    /// The best first.
    pub gaps: Vec<Gap>,
    /// Gaps whose statements are known to be false: nothing is to be proved there.
    pub refuted: Vec<Gap>,
    pub notes: Vec<String>,
    #[serde(skip)]
    pub graph: Graph,
}

/// A declaration that is not finished.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gap {
    pub name: String,
    pub kind: String,
    pub file: String,
    pub line: usize,
    pub lines: usize,
    /// Theorems that rest on it.
    pub waiting: usize,
    /// Those of them that nothing else keeps open.
    pub alone: usize,
    /// There are more than were counted.
    #[serde(skip)]
    pub at_least: bool,
    /// Failed attempts at it that are on record.
    pub tries: usize,
    /// Its problem, as its name or its file tells.
    pub problem: Option<String>,
    /// Submissions about that problem.
    pub submissions: i64,
    /// The submission that leaves nothing else open.
    pub near_miss: Option<String>,
    /// Where a theorem of this name is proved already, stated in the same words: `slot26`, or a file.
    pub proved: Option<String>,
    #[serde(skip)]
    key: Option<u64>,
    /// The false lemma that it states, and what is known of it.
    pub refuted: Option<(String, String)>,
    /// All of that in words.
    pub why: String,
}

/// Bytes of all Lean files together beyond which no more are read.
const MOST_BYTES: u64 = 512 << 20;

/// What to do next in the project around the current folder. What cannot be read is noted.
pub(crate) fn collect(app: &mut App) -> Next {
    let mut next = Next::default();
    let (sources, tex) = read(app, &mut next);
    let known = false_lemmas(app);
    next.files = sources.len();
    let mut graph = Graph::of(&sources, &FalseLemmas::of(&known));
    next.declarations = graph.nodes.len();
    blueprint::join(&mut graph, &tex);
    let mut gaps: Vec<Gap> =
        graph.weights().into_iter().map(|(at, weight)| gap(&graph.nodes[at], weight)).collect();
    if let Err(error) = tried(app, &mut gaps) {
        next.notes.push(format!("knowledge base: {error:#}"));
    }
    // An older version of the file that proves it.
    gaps.retain(|gap| {
        let own = slot_of(base_name(&gap.file)).map(|slot| format!("slot{slot}"));
        gap.proved.is_none() || gap.proved != own
    });
    next.nearest = near(app, &mut gaps, &mut next.notes);
    for gap in &mut gaps {
        gap.why = why(gap);
    }
    gaps.sort_by_cached_key(rank);
    if gaps.iter().any(|gap| gap.at_least) {
        next.notes.push("the graph is too large to count all that waits for each gap".to_owned());
    }
    next.open = gaps.len();
    (next.refuted, next.gaps) = gaps.into_iter().partition(|gap| gap.refuted.is_some());
    next.graph = graph;
    next
}

/// What is proved elsewhere, first, then what unblocks most; among equals what is nearly done, then what was tried
/// least, then the shortest.
fn rank(gap: &Gap) -> impl Ord + use<> {
    let worth = (Reverse(gap.waiting), Reverse(gap.alone), gap.near_miss.is_none());
    let place = (gap.file.clone(), gap.line);
    (gap.proved.is_none(), worth, gap.tries, gap.kind == "example", gap.lines, place)
}

fn gap(node: &Node, weight: Weight) -> Gap {
    Gap {
        name: node.name.clone(),
        kind: node.kind.clone(),
        file: node.file.clone(),
        line: node.line,
        lines: node.lines,
        waiting: weight.theorems,
        alone: weight.alone,
        at_least: weight.at_least,
        refuted: node.refuted.clone(),
        key: node.key,
        ..Gap::default()
    }
}

/// The project's Lean files, and the statements of its blueprint.
fn read(app: &App, next: &mut Next) -> (Vec<Source>, Vec<blueprint::Statement>) {
    let root = &app.project.root;
    if !app.is_in_project() || crate::capture::is_too_large(app) {
        next.notes.push("this folder is in no project: run it inside one".to_owned());
        return Default::default();
    }
    let (mut paths, tex) = (lean_paths(root), tex_paths(root));
    let mut bytes = 0;
    let mut fits = |path: &PathBuf| {
        bytes += fs::metadata(path).map_or(0, |meta| meta.len());
        bytes <= MOST_BYTES
    };
    let fitting = paths.iter().take_while(|path| fits(path)).count();
    if fitting < paths.len() {
        let left = plural(paths.len() - fitting, "file");
        let most = in_bytes(MOST_BYTES);
        next.notes.push(format!("{left} not read: there are more than {most} of Lean files"));
        paths.truncate(fitting);
    }
    let texts: Vec<_> =
        paths.par_iter().map(|path| (shown(root, path), lean_files::text(path))).collect();
    let mut sources = Vec::new();
    for (path, text) in texts {
        match text {
            Ok(text) => sources.push(Source { path, text }),
            Err(reason) => next.notes.push(format!("{path}: {reason}")),
        }
    }
    let mut statements = Vec::new();
    for path in tex {
        let file = shown(root, &path);
        match files::read(&path, lean_files::LARGEST) {
            Ok(bytes) => {
                statements.extend(blueprint::statements(&String::from_utf8_lossy(&bytes), &file));
            }
            Err(error) => next.notes.push(format!("{file}: {error}")),
        }
    }
    (sources, statements)
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

fn lean_paths(root: &Path) -> Vec<PathBuf> {
    let own = Own::of(root);
    let mut paths = lean_files::below(root).files;
    paths.retain(|path| own.has(&shown(root, path)));
    paths
}

fn tex_paths(root: &Path) -> Vec<PathBuf> {
    let found = lean_files::entries(&root.join("blueprint").join("src"));
    let paths = found.filter_map(Result::ok).map(ignore::DirEntry::into_path);
    let mut tex: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "tex")).collect();
    tex.sort();
    tex
}

/// What is on record about the gaps: failed attempts, and submissions about their problems.
fn tried(app: &mut App, gaps: &mut [Gap]) -> anyhow::Result<()> {
    // A prover's file has no namespace.
    let names = gaps.iter().flat_map(|gap| [gap.name.clone(), last_part(&gap.name).to_owned()]);
    let names: Vec<String> = names.collect::<BTreeSet<_>>().into_iter().collect();
    let here = app.project_identity();
    let Some(store) = app.existing_store()?.filter(|_| !gaps.is_empty()) else { return Ok(()) };
    let mut failures: HashMap<String, usize> = HashMap::new();
    let mut proved: HashMap<(String, u64), String> = HashMap::new();
    for Finding { content, .. } in store.about_declarations(&names)? {
        let name = content.theorem_name.as_deref().map(last_part).unwrap_or_default().to_owned();
        let is_proof = content.kind == Kind::Theorem
            && content.confidence == Confidence::Verified
            && matches!(content.against(), None | Some(OF_A_CASE))
            && (content.project.is_none() || content.project == here);
        if content.kind == Kind::Failure {
            *failures.entry(name).or_default() += 1;
        } else if let Some(statement) = content.theorem_statement.as_deref().filter(|_| is_proof) {
            let slot = content.source.slot.map(|slot| format!("slot{slot}"));
            let place = slot.or(content.source.file).unwrap_or_default();
            proved.insert((name, lean::statement_key(&claim(statement))), place);
        }
    }
    let (known, problems) = (store.known_problems()?, store.problems()?);
    let problems: HashMap<String, &Problem> =
        problems.iter().map(|one| (problem_key(&one.id), one)).collect();
    for gap in gaps {
        let name = last_part(&gap.name);
        gap.tries = failures.get(name).copied().unwrap_or_default();
        gap.proved = gap.key.and_then(|key| proved.get(&(name.to_owned(), key)).cloned());
        let stem = Path::new(&gap.file).file_stem().unwrap_or_default().to_string_lossy();
        let mut named = [last_part(&gap.name), &*stem].into_iter();
        let problem = named.find_map(|name| known.prefix_of(name));
        if let Some(problem) = problem.and_then(|id| problems.get(&problem_key(id))) {
            gap.problem = Some(problem.id.clone());
            gap.submissions = problem.submission_count;
        }
    }
    Ok(())
}

/// The submissions that leave one gap open.
fn near(app: &mut App, gaps: &mut [Gap], notes: &mut Vec<String>) -> Option<String> {
    let state = tracked::read(app).unwrap_or_else(|error| {
        notes.push(format!("tracking database: {error}"));
        None
    })?;
    let near: Vec<_> =
        queue::near_misses(app, &state).filter(|one| one.refuted.is_none()).collect();
    for gap in gaps {
        let is_it = |one: &&queue::OpenNearMiss| {
            let is_of_problem = match (&one.near.problem, &gap.problem) {
                (Some(one), Some(other)) => same_problem(one, other),
                _ => true,
            };
            is_of_problem && matches!(&*one.gaps, [only] if only == last_part(&gap.name))
        };
        gap.near_miss = near.iter().find(is_it).map(|one| one.near.label.clone());
    }
    let mut worth = near.iter().filter(|one| one.asked.is_empty());
    let first = worth.clone().find(|one| !one.closed.is_empty()).or(worth.next())?;
    if !first.closed.is_empty() {
        return Some(format!("{}, open: {}", first.near.label, first.open()));
    }
    let left = match first.gaps.as_slice() {
        [gap] => format!("1 gap left: {gap}"),
        _ => format!("{} left", plural(first.sorry(), "gap")),
    };
    Some(format!("{} ({left})", first.near.label))
}

/// `3 theorems wait for it, 2 for nothing else; tried twice; 12 lines`.
fn why(gap: &Gap) -> String {
    let more = if gap.at_least { "at least " } else { "" };
    let waiting = match (gap.waiting, gap.alone) {
        (0, _) => "nothing waits for it".to_owned(),
        (1, 0) => format!("{more}1 theorem waits for it and for more"),
        (1, _) => "1 theorem waits for it alone".to_owned(),
        (all, 0) => format!("{more}{all} theorems wait for it and for more"),
        (all, alone) if all == alone => format!("{all} theorems wait for it alone"),
        (all, alone) => format!("{more}{all} theorems wait for it, {alone} for it alone"),
    };
    let mut parts = vec![waiting];
    if let Some(place) = &gap.proved {
        parts.push(format!("proved in the same words in {place}: compare its definitions"));
    }
    if let Some((name, _)) = &gap.refuted {
        parts.push(format!("it states what is known to be false: {name}"));
        return parts.join("; ");
    }
    parts.extend(gap.near_miss.as_ref().map(|label| format!("{label} leaves nothing else open")));
    parts.push(match gap.tries {
        0 => "no failed attempt on record".to_owned(),
        tries => format!("tried {}", times(tries as u64)),
    });
    if let Some(problem) = gap.problem.as_ref().filter(|_| gap.submissions > 0) {
        parts.push(format!("{} about {problem}", plural(gap.submissions, "submission")));
    }
    if gap.lines > 0 {
        parts.push(plural(gap.lines as u64, "line"));
    } else {
        parts.push("not stated in Lean yet".to_owned());
    }
    parts.join("; ")
}

/// What background work keeps for the briefing, which reads no Lean file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// Of the files and of what is known to be false.
    stamp: String,
    gap: Option<Gap>,
    /// The gap's file, as it was.
    #[serde(default)]
    seen: String,
}

/// The file that it is kept in.
fn kept_file(app: &App) -> PathBuf {
    let name = hash(app.project.root.as_os_str().as_encoded_bytes(), 8);
    app.paths.state_dir.join("next").join(format!("{name}.json"))
}

impl Kept {
    fn of(app: &App) -> Self {
        let bytes = files::read(&kept_file(app), files::SMALL).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    fn place(&self, app: &App) -> Option<PathBuf> {
        self.gap.as_ref().map(|gap| app.project.root.join(&gap.file))
    }
}

/// The gap to close next, as background work last found it; `None` where its file changed since: it may be closed.
pub(crate) fn kept(app: &App) -> Option<Gap> {
    let kept = Kept::of(app);
    let is_as_it_was = kept.place(app).is_some_and(|file| state(&file) == kept.seen);
    kept.gap.filter(|_| is_as_it_was)
}

/// The files on which [`kept`] depends.
pub(crate) fn watched(app: &App) -> impl Iterator<Item = PathBuf> {
    [kept_file(app)].into_iter().chain(Kept::of(app).place(app))
}

fn state(file: &Path) -> String {
    file_state(file).unwrap_or_default()
}

/// Finds it anew where files changed since. For background work.
pub(crate) fn keep(app: &mut App) -> anyhow::Result<()> {
    if !app.is_in_project() || crate::capture::is_too_large(app) {
        return Ok(());
    }
    let lemmas = false_lemmas(app);
    let stamp = stamp(&app.project.root, &lemmas);
    let file = kept_file(app);
    let before = Kept::of(app);
    if before.stamp == stamp {
        return Ok(());
    }
    let gap = collect(app).gaps.into_iter().next();
    // Where there never was a gap, no file says so.
    if gap.is_some() || before.gap.is_some() {
        let mut kept = Kept { stamp, gap, seen: String::new() };
        kept.seen = kept.place(app).map(|file| state(&file)).unwrap_or_default();
        files::replace(&file, &serde_json::to_vec(&kept)?)?;
    }
    Ok(())
}

fn stamp(root: &Path, lemmas: &[FalseLemma]) -> String {
    let mut all = format!("{} {lemmas:?}", env!("CARGO_PKG_VERSION"));
    for path in lean_paths(root).iter().chain(&tex_paths(root)) {
        let meta = fs::metadata(path).ok();
        let changed = meta.as_ref().and_then(|meta| meta.modified().ok());
        let changed = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let size = meta.map(|meta| meta.len());
        writeln!(all, "{} {size:?} {changed:?}", path.display()).ok();
    }
    hash(all, 16)
}

fn view(next: &Next, width: usize) -> String {
    let mut page = Page::new(width);
    let files = plural(next.files as u64, "Lean file");
    let of = format!("{} in {files}", plural(next.declarations as u64, "declaration"));
    match (next.open, next.gaps.len()) {
        (0, _) if next.files == 0 => {
            page.nothing("No Lean files.", "Run it inside a Lean project.");
        }
        (0, _) => page.line(1, &format!("Nothing is open: {of}.")),
        (open, shown) => {
            let first = if shown + next.refuted.len() < open {
                format!(", the first {shown}")
            } else {
                String::new()
            };
            page.line(
                1,
                &format!("{} among {of}{first}", paint(Tone::Heading, &plural(open as u64, "gap"))),
            );
            page.rule();
        }
    }
    if let Some(nearest) = &next.nearest {
        let label = nearest.split([' ', ',']).next().unwrap_or_default();
        page.paragraph(1, &format!("Nearly proved: {nearest}, see `mk find {label}`"));
    }
    for (at, gap) in next.gaps.iter().enumerate() {
        told(&mut page, &format!("{}.", at + 1), gap);
    }
    if !next.refuted.is_empty() {
        page.heading("FALSE: not to be proved as they stand", Some(next.refuted.len()));
    }
    for gap in &next.refuted {
        told(&mut page, "-", gap);
        if let Some((_, reasons)) = &gap.refuted {
            page.paragraph(4, reasons);
        }
    }
    page.not_looked_at(&next.notes);
    page.into_text()
}

fn told(page: &mut Page, mark: &str, gap: &Gap) {
    let name = paint(Tone::Heading, &clip(&clean(&gap.name), page.room(1) / 2));
    let place = format!("{}:{}", clean(&gap.file), gap.line);
    page.line(1, &clip(&format!("{mark:>3} {name}  {place}"), page.room(1) + 20));
    page.paragraph(4, &gap.why);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_why() {
        let one = Gap { lines: 12, ..Gap::default() };
        let near = Some("slot9".to_owned());
        let refuted = Some(("bad".to_owned(), String::new()));
        for (gap, expected) in [
            (one.clone(), "nothing waits for it; no failed attempt on record; 12 lines"),
            (
                Gap { waiting: 3, tries: 2, ..one.clone() },
                "3 theorems wait for it and for more; tried twice; 12 lines",
            ),
            (
                Gap { waiting: 1, alone: 1, lines: 1, ..one.clone() },
                "1 theorem waits for it alone; no failed attempt on record; 1 line",
            ),
            (
                Gap { waiting: 5, alone: 2, near_miss: near, lines: 0, ..one.clone() },
                "5 theorems wait for it, 2 for it alone; slot9 leaves nothing else open; no failed attempt on record; not stated in Lean yet",
            ),
            (
                Gap { waiting: 2, alone: 2, refuted, ..one },
                "2 theorems wait for it alone; it states what is known to be false: bad",
            ),
        ] {
            assert_eq!(why(&gap), expected);
        }
    }
}
