//! How many gaps were open and how many theorems complete over time, as git's history of the Lean files has it.
//!
//! One commit stands for each day, week or month, so a history of any length is a bounded number of points. What a
//! version of a file holds never changes: it is counted once, and kept under the id that git gives it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::app::git::{Object, Repository};
use crate::app::lean_files::{self, LARGEST};
use crate::files;
use crate::guard::is_lean;
use crate::lean;
use crate::premises::Own;
use crate::text::{hash, parse_time, plural};

/// Commits along the first parents beyond which no older one is looked at.
pub(super) const MOST_COMMITS: usize = 200_000;
const MOST_POINTS: i64 = 60;
/// Reading takes no longer; the next report goes on.
const TIME_LIMIT: Duration = Duration::from_secs(15);
const AT_ONCE: usize = 64;
/// Versions beyond which the counts are kept no longer.
const MOST_KEPT: usize = 200_000;
const DAY: i64 = 24 * 60 * 60;
/// Of time for which one commit stands.
const STEPS: [(i64, &str); 5] = [
    (DAY, "day"),
    (7 * DAY, "week"),
    (28 * DAY, "four weeks"),
    (91 * DAY, "quarter"),
    (364 * DAY, "year"),
];

#[derive(Debug, Default, Serialize)]
pub(super) struct History {
    /// The oldest first.
    pub points: Vec<Point>,
    /// What a point stands for: `day`, `week`, ...
    pub step: &'static str,
    pub commits: usize,
    /// What is not told, a sentence each.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    pub open: u64,
    /// Theorems without a gap.
    pub complete: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct Point {
    /// Seconds since 1970.
    pub at: i64,
    #[serde(flatten)]
    pub counts: Counts,
}

/// By the ids of blobs.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    version: String,
    counts: HashMap<String, Counts>,
}

pub(super) fn read(app: &App, since: Option<&str>) -> History {
    let mut history = History::default();
    let Some(repository) = Repository::around(&app.project.root).filter(|_| app.is_in_project())
    else {
        history.notes.push("There is no history: the project is in no git repository.".to_owned());
        return history;
    };
    let kept = hash(repository.root().as_os_str().as_encoded_bytes(), 8);
    let kept = app.paths.state_dir.join("history").join(format!("{kept}.json"));
    if let Err(error) = follow(app, &repository, &kept, since, &mut history) {
        history.notes.push(format!("The history was not read: {error}."));
    }
    history
}

fn follow(
    app: &App,
    repository: &Repository,
    kept: &Path,
    since: Option<&str>,
    history: &mut History,
) -> anyhow::Result<()> {
    let begun = Instant::now();
    let Some(head) = repository.resolve("HEAD") else {
        history.notes.push("There is no history: nothing was committed yet.".to_owned());
        return Ok(());
    };
    let commits = commits(repository, &head, since, history)?;
    let mut known = known(kept);
    let own = Own::of(&app.project.root);
    let before = known.counts.len();
    let mut unread = 0_u64;
    for (at, commit) in sampled(&commits, history) {
        let blobs = blobs(repository, &commit, &app.project.root, &own)?;
        let missing: HashSet<&str> =
            blobs.iter().map(String::as_str).filter(|id| !known.counts.contains_key(*id)).collect();
        let missing: Vec<&str> = missing.into_iter().collect();
        for some in missing.chunks(AT_ONCE).take_while(|_| begun.elapsed() < TIME_LIMIT) {
            let objects = repository.objects(some, LARGEST)?;
            let counted: Vec<Counts> = objects.par_iter().map(counts).collect();
            known.counts.extend(some.iter().map(|id| (*id).to_owned()).zip(counted));
        }
        let found: Option<Vec<Counts>> =
            blobs.iter().map(|id| known.counts.get(id).copied()).collect();
        let Some(found) = found else {
            unread += 1;
            continue;
        };
        let counts = Counts {
            open: found.iter().map(|one| one.open).sum(),
            complete: found.iter().map(|one| one.complete).sum(),
        };
        history.points.push(Point { at, counts });
    }
    history.points.reverse();
    if unread > 0 {
        history.notes.push(format!(
            "{} of the history are not read yet: the next `mk report` goes on.",
            plural(unread, "point")
        ));
    }
    if known.counts.len() > before {
        keep(kept, &known);
    }
    Ok(())
}

/// Along the first parents, the newest first: time and id.
fn commits(
    repository: &Repository,
    head: &str,
    since: Option<&str>,
    history: &mut History,
) -> anyhow::Result<Vec<(i64, String)>> {
    let most = format!("--max-count={}", MOST_COMMITS + 1);
    let mut options = vec!["rev-list", "--first-parent", "--timestamp", &most];
    let after = since.and_then(parse_time).map(|at| format!("--since={}", at.as_second()));
    options.extend(after.as_deref());
    options.extend(["--end-of-options", head]);
    let listed = repository.run(options)?;
    let listed = String::from_utf8_lossy(&listed);
    let lines = listed.lines().filter_map(|line| line.split_once(' '));
    let mut commits: Vec<(i64, String)> =
        lines.filter_map(|(at, id)| Some((at.parse().ok()?, id.to_owned()))).collect();
    if commits.len() > MOST_COMMITS {
        commits.truncate(MOST_COMMITS);
        history.notes.push(format!("Only the last {MOST_COMMITS} commits are looked at."));
    }
    history.commits = commits.len();
    let shallow = repository.run(["rev-parse", "--is-shallow-repository"]).unwrap_or_default();
    if shallow.starts_with(b"true") {
        let note = "This is a shallow clone: older commits are not here (`git fetch --unshallow`).";
        history.notes.push(note.to_owned());
    }
    Ok(commits)
}

/// The last commit of each step of time, the newest first. Steps begin at fixed times, so that tomorrow's report finds
/// most of today's points again.
fn sampled(commits: &[(i64, String)], history: &mut History) -> Vec<(i64, String)> {
    let times = || commits.iter().map(|(at, _)| *at);
    let (first, last) = (times().min().unwrap_or_default(), times().max().unwrap_or_default());
    let fits = |(step, _): &&(i64, &str)| last.saturating_sub(first) / step < MOST_POINTS;
    let (step, word) = STEPS.iter().find(fits).copied().unwrap_or((91 * DAY, "quarter"));
    history.step = word;
    let mut last_of: BTreeMap<i64, &(i64, String)> = BTreeMap::new();
    for commit in commits {
        last_of.entry(commit.0.div_euclid(step)).or_insert(commit);
    }
    let most = usize::try_from(MOST_POINTS).unwrap_or_default();
    last_of.into_values().rev().take(most).cloned().collect()
}

/// The ids of the Lean files that a commit has of the project's own library.
fn blobs(
    repository: &Repository,
    commit: &str,
    root: &Path,
    own: &Own,
) -> anyhow::Result<Vec<String>> {
    let tree = repository.run(["ls-tree", "-r", "-z", "--full-tree", commit])?;
    let tree = String::from_utf8_lossy(&tree);
    let lines = tree.split('\0').filter_map(|line| line.split_once('\t'));
    let found = lines.filter_map(|(about, name)| {
        let path = repository.root().join(name);
        let inside = path.strip_prefix(root).ok()?.to_str()?;
        let is_hidden = |part: &str| part.starts_with('.') || part == "lake-packages";
        let is_wanted = is_lean(&path) && own.has(inside) && !inside.split('/').any(is_hidden);
        let mut fields = about.split(' ');
        let is_file = fields.next()?.starts_with("100");
        fields.nth(1).filter(|_| is_wanted && is_file).map(str::to_owned)
    });
    Ok(found.collect())
}

/// As `mk diff` reads a version; what is no Lean text, too large or not there counts as empty.
fn counts(object: &Object) -> Counts {
    let Object::Content(bytes) = object else { return Counts::default() };
    if lean_files::check(bytes).is_err() {
        return Counts::default();
    }
    let outline = lean::skim(&lean::decode(bytes).text);
    let complete = outline.declarations.iter().filter(|one| one.is_proved()).count();
    Counts { open: outline.gaps().len() as u64, complete: complete as u64 }
}

fn version() -> String {
    format!("{} {}", env!("CARGO_PKG_VERSION"), lean::KEY_VERSION)
}

fn known(kept: &Path) -> Known {
    let bytes = files::read(kept, files::LONG).unwrap_or_default();
    let known: Known = serde_json::from_slice(&bytes).unwrap_or_default();
    if known.version == version() {
        known
    } else {
        Known { version: version(), ..Known::default() }
    }
}

fn keep(kept: &Path, known: &Known) {
    if known.counts.len() <= MOST_KEPT
        && let Ok(bytes) = serde_json::to_vec(known)
    {
        // Without it the next report counts anew.
        files::replace(kept, &bytes).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_commit_stands_for_each_step() {
        let commits = |times: &[i64]| -> Vec<(i64, String)> {
            times.iter().map(|at| (at * DAY, format!("c{at}"))).collect()
        };
        for (times, step, expected) in [
            (&[][..], "day", ""),
            (&[3, 2, 2, 1], "day", "c3 c2 c1"),
            (&[99, 97, 3, 1], "week", "c99 c97 c3"),
            (&[900, 1], "four weeks", "c900 c1"),
            (&[i64::MAX / DAY, 0], "quarter", "c106751991167300 c0"),
        ] {
            let mut history = History::default();
            let found: Vec<String> =
                sampled(&commits(times), &mut history).into_iter().map(|(_, id)| id).collect();
            assert_eq!((history.step, found.join(" ").as_str()), (step, expected), "{times:?}");
        }
    }
}
