//! One input file becomes results: read once, unpacked in memory, outlined, judged. Never blocks on a pipe, never
//! reads more than a result may have. Slot, problem and approach come from the names around it; when it came to be
//! what it is, where neither its text nor the tracking database says so, from the last commit that changed it, else
//! its own time. A time that many files share is that of a clone, a copy or a tidying up: then the time is not known.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use jiff::Timestamp;

use super::archive::{self, Form, Member};
use super::inputs::{Input, is_lean_name, unreadable};
use crate::app::git::Repository;
use crate::files;
use crate::lean;
use crate::learn::results::{self, Origin, Recorded, Results, Says};
use crate::model::{KnownProblems, approach_of, problem_key, same_problem, slot_of};
use crate::store::{SourceState, time_text};
use crate::text::{base_name, hash, keepable};
use crate::tracking::{Ledger, Standing};

pub(crate) struct Context<'a> {
    pub project: Option<&'a str>,
    pub given: &'a Given,
    pub known: &'a KnownProblems,
    pub ledger: Option<&'a Ledger>,
    /// The folder of the tracking database, where that is not the project's own.
    pub submissions: Option<&'a Path>,
    pub times: Times<'a>,
}

#[derive(Debug)]
pub(crate) struct Read {
    /// Absolute.
    pub path: PathBuf,
    pub stable: String,
    pub named: bool,
    /// By what a later run knows it again; none where that may find it in another state.
    pub state: Option<SourceState>,
    /// Its results: one, or one a Lean file in the archive.
    pub units: Vec<Unit>,
    /// What was left out, the file itself or members of it: stable path and reason.
    pub problems: Vec<(String, String)>,
    pub has_failed: bool,
}

#[derive(Debug)]
pub(crate) struct Unit {
    /// Stable path; for a member `archive!member`.
    pub file: String,
    pub results: Results,
    pub row: Option<i64>,
}

/// Ends the stored hash of a file that was read as this version reads it; any other is read again.
pub(crate) fn version_mark() -> String {
    format!(".{}.{}", lean::KEY_VERSION, results::VERSION)
}

pub(crate) fn stamp(meta: &fs::Metadata) -> (u64, i64) {
    let since = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (meta.len(), since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0))
}

pub(crate) fn load(
    input: &Input,
    stable: String,
    summary: Option<&Member>,
    context: &Context<'_>,
) -> Read {
    let mut read = Read {
        path: absolute(&input.path),
        stable,
        named: input.named,
        state: None,
        units: Vec::new(),
        problems: Vec::new(),
        has_failed: false,
    };
    if let Err(reason) = fill(&mut read, summary, context) {
        if let Some(state) = &mut read.state {
            state.failure = Some(reason.clone());
        }
        read.has_failed = true;
        read.problems.push((read.stable.clone(), reason));
    }
    read
}

/// What fails once the state is known fails until the file is another one.
fn fill(read: &mut Read, summary: Option<&Member>, context: &Context<'_>) -> Result<(), String> {
    let look = || fs::metadata(&read.path).map_err(|error| unreadable(&error));
    let meta = look()?;
    if meta.is_dir() {
        return Err("is a folder".to_owned());
    }
    if !meta.is_file() {
        return Err("is not a regular file (a pipe, a device or a socket)".to_owned());
    }
    let name = read.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    if let Some(reason) = refused_by_name(&name) {
        return Err(reason.to_owned());
    }
    let (size, mtime_ns) = stamp(&meta);
    read.state = Some(SourceState { size, mtime_ns, ..SourceState::default() });
    if size > archive::LARGEST_FILE {
        return Err(archive::too_large(size));
    }
    let bytes =
        files::read(&read.path, archive::LARGEST_FILE).map_err(|error| unreadable(&error))?;
    let after = fs::metadata(&read.path).map_err(|error| unreadable(&error));
    if after.as_ref().map(stamp) != Ok((size, mtime_ns)) {
        read.state = None;
        after?;
        return Err("changed while it was read: it waits for the next run".to_owned());
    }
    let content = hash(&bytes, 16) + &version_mark();
    (read.units, read.problems) = units(read, bytes, summary, context)?;
    if let Some(state) = &mut read.state {
        state.hash = content;
    }
    Ok(())
}

pub(crate) fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

const OTHER_ARCHIVE: &str =
    "is an archive of a form that is not read: unpack it first, or give a .tar.gz";

fn refused_by_name(name: &str) -> Option<&'static str> {
    if files::is_lean_text(name) {
        return Some("is named as a text: rename it from `.lean.txt` to `.lean`");
    }
    let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("zip" | "7z" | "rar" | "xz" | "bz2" | "zst") => Some(OTHER_ARCHIVE),
        Some("md" | "txt" | "jsonl") => {
            Some("is a text: `mk extract-all` reads the texts of a folder")
        }
        _ if is_lean_name(name) || archive::has_archive_name(name) || extension.is_none() => None,
        _ => Some("is neither a Lean file nor an archive (.lean, .tar.gz, .tgz, .tar)"),
    }
}

type Units = (Vec<Unit>, Vec<(String, String)>);

fn units(
    read: &Read,
    bytes: Vec<u8>,
    summary: Option<&Member>,
    context: &Context<'_>,
) -> Result<Units, String> {
    let stable = &read.stable;
    let form = archive::form(&bytes);
    if form == Form::Zip {
        return Err(OTHER_ARCHIVE.to_owned());
    }
    if form == Form::Plain {
        let member = Member { name: String::new(), bytes };
        return Ok((vec![unit(read, stable, &member, summary, context)?], Vec::new()));
    }
    let members =
        archive::read(form, &*bytes).map_err(|error| format!("is a damaged archive: {error}"))?;
    let summary = members.summary.as_ref().or(summary);
    let shown = |member: &str| {
        if member.is_empty() { stable.clone() } else { format!("{stable}!{member}") }
    };
    let mut problems: Vec<(String, String)> =
        members.problems.into_iter().map(|(member, reason)| (shown(&member), reason)).collect();
    let mut units = Vec::new();
    for member in &members.lean {
        match unit(read, &shown(&member.name), member, summary, context) {
            Ok(unit) => units.push(unit),
            Err(reason) => problems.push((shown(&member.name), reason)),
        }
    }
    if units.is_empty() && problems.is_empty() {
        return Err("is an archive without a Lean file".to_owned());
    }
    Ok((units, problems))
}

fn unit(
    read: &Read,
    file: &str,
    member: &Member,
    summary: Option<&Member>,
    context: &Context<'_>,
) -> Result<Unit, String> {
    if let Some(what) = lean::foreign(&member.bytes) {
        return Err(format!("is {what}, not a Lean file"));
    }
    let decoded = lean::decode(&member.bytes);
    if decoded.lossy && is_garbage(&decoded.text) {
        return Err("is not text: most of it is not UTF-8".to_owned());
    }
    // Comments of a result may hold anything.
    let text = keepable(&decoded.text);
    let summary = summary.map(|one| {
        let text = keepable(&lean::decode(&one.bytes).text).into_owned();
        (base_name(&one.name), text)
    });
    let summary = summary.as_ref().map(|(name, text)| (*name, text.as_str()));
    let statements = lean::Statements::detailed(&text);
    let outline = statements.outline();
    let request = results::request(&text, outline, summary);
    let own_slot = context.given.slot.or_else(|| slot_of(base_name(&read.stable)));
    let joined =
        context.ledger.and_then(|ledger| ledger.join(request.as_deref(), &read.stable, own_slot));
    // A slot has several files: that one of them was completed says nothing of another.
    let row = joined.filter(|(_, is_own)| *is_own).map(|(row, _)| row);
    let said = results::problem_named(&text, outline, context.known);
    let is_below = |folder: &Path| read.path.starts_with(folder);
    let besides = Known {
        recorded: joined.and_then(|(row, _)| row.problem.as_deref()),
        slot: row.and_then(|row| row.slot),
        is_submitted: row.is_some() || context.submissions.is_some_and(is_below),
        said: said.as_deref(),
    };
    let naming = named(&read.path, &member.name, context.known, context.given, besides);
    let origin = Origin {
        file,
        project: context.project,
        slot: naming.slot,
        problem: naming.problem.as_deref(),
        domain: context.ledger.and_then(|ledger| ledger.domain_of(naming.problem.as_deref())),
        approach: naming.approach.as_deref(),
        is_attempt: naming.is_attempt,
        summary,
        recorded: row.map(|row| Recorded {
            uuid: row.uuid.as_deref(),
            status: row.resolved.then_some("target_resolved").or(row.status.as_deref()),
            says: match row.standing {
                _ if row.is_called_proved() && row.resolved => Says::Settles,
                _ if row.is_called_proved() => Says::Proves,
                _ if row.is_called_false() => Says::Refutes,
                Standing::Failed => Says::Fails,
                _ => Says::Nothing,
            },
            gaps: row.sorry,
            refusal: row.refusal(),
            is_advance: row.is_advance(),
            named_in_file: said.as_deref().filter(|said| {
                row.problem.as_deref().is_some_and(|told| !same_problem(told, said))
            }),
            at: row.happened_at(),
        }),
    };
    let row = row.and_then(|row| row.id);
    let mut results = results::learn(&statements, &origin);
    date(&mut results, || context.times.of(&read.path));
    Ok(Unit { file: file.to_owned(), results, row })
}

/// Says when it happened, where the results themselves do not.
fn date<'a>(results: &mut Results, at: impl FnOnce() -> Option<&'a str>) {
    let own = results.findings.iter_mut().map(|draft| &mut draft.created_at);
    let times = own.chain(results.strategy.iter_mut().map(|draft| &mut draft.attempted_at));
    let mut undated = times.filter(|time| time.is_none()).peekable();
    if undated.peek().is_some()
        && let Some(at) = at()
    {
        undated.for_each(|time| *time = Some(at.to_owned()));
    }
}

/// One character in twenty could not be decoded.
fn is_garbage(text: &str) -> bool {
    let unknown = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    unknown * 20 > text.chars().count()
}

pub(crate) fn summary_in(folder: &Path) -> Option<Member> {
    let entries = fs::read_dir(folder).ok()?;
    let mut names: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect();
    names.retain(|name| archive::is_summary(&name.to_string_lossy()));
    names.sort();
    let path = folder.join(names.first()?);
    let bytes = files::read(&path, files::SMALL).ok()?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some(Member { name, bytes })
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Naming {
    slot: Option<i64>,
    problem: Option<String>,
    approach: Option<String>,
    /// The names say that it is somebody's attempt at a problem, not a file of a library.
    is_attempt: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Given {
    pub slot: Option<i64>,
    pub problem: Option<String>,
}

const FOLDERS: usize = 4;

/// Names that say where a file stands in a project, not what it is about.
const PLACES: &str = "main basic defs definitions lemmas solution result results output out requestproject \
    aristotle src lean test tests scratch untitled tmp all proof proofs theorem";

#[derive(Debug, Clone, Copy, Default)]
struct Known<'a> {
    recorded: Option<&'a str>,
    slot: Option<i64>,
    /// There is such a submission, or the file lies among submissions.
    is_submitted: bool,
    said: Option<&'a str>,
}

/// Names a result. Its problem is what the command line says, else the tracking database, else its own
/// text, else its name, else its folder; its slot stands in its name, else in the database.
fn named(
    path: &Path,
    member: &str,
    known: &KnownProblems,
    given: &Given,
    besides: Known<'_>,
) -> Naming {
    let candidates = candidates(path, member);
    let candidates = || candidates.iter().map(String::as_str);
    let with_slot = candidates().find(|name| slot_of(name).is_some());
    let by_name = with_slot
        .into_iter()
        .chain(candidates())
        .filter(|name| !is_place(name))
        .find_map(|name| known.problem_of(name));
    let folders = path.ancestors().skip(1).take(FOLDERS).filter_map(Path::file_name);
    let mut folders = folders.map(|folder| folder.to_string_lossy());
    let problem = match &given.problem {
        Some(id) => Some(known.spelling(id).map_or_else(|| problem_key(id), str::to_owned)),
        None => besides
            .recorded
            .or(besides.said)
            .map(str::to_owned)
            .or_else(|| by_name.clone())
            .or_else(|| folders.find_map(|folder| known.prefix_of(&folder).map(str::to_owned))),
    };
    let telling = with_slot.or_else(|| candidates().find(|name| !is_place(name)));
    let approach = telling.and_then(|name| approach_of(name, problem.as_deref()));
    let is_attempt = with_slot.is_some()
        || given.slot.is_some()
        || given.problem.is_some()
        || !member.is_empty()
        || besides.is_submitted
        || telling.is_some_and(is_named_like_a_result)
        || by_name.is_some_and(|id| id.contains(|c: char| c.is_ascii_digit()));
    Naming {
        is_attempt,
        slot: given.slot.or_else(|| with_slot.and_then(slot_of)).or(besides.slot),
        problem: problem.filter(|id| !id.is_empty()),
        approach,
    }
}

/// The names that may speak, the nearest first. A folder speaks only where the file's own name is a
/// place, and only when it is named like a result.
fn candidates(path: &Path, member: &str) -> Vec<String> {
    let mut names = Vec::new();
    if !member.is_empty() {
        names.push(base_name(member).to_owned());
    }
    if let Some(file) = path.file_name() {
        names.push(without_packing(&file.to_string_lossy()).to_owned());
    }
    if names.iter().all(|name| is_place(name)) {
        let folders = path.ancestors().skip(1).take(3).filter_map(Path::file_name);
        let folders = folders.map(|folder| folder.to_string_lossy().into_owned());
        names.extend(folders.filter(|folder| is_named_like_a_result(folder)));
    }
    names
}

fn without_packing(name: &str) -> &str {
    [".tar.gz", ".tgz", ".tar", ".gz"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name)
}

fn is_place(name: &str) -> bool {
    let stem = name.strip_suffix(".lean").unwrap_or(name);
    PLACES.split_whitespace().any(|place| place == stem.to_lowercase())
}

fn is_named_like_a_result(name: &str) -> bool {
    let lower = name.strip_suffix(".lean").unwrap_or(name).to_lowercase();
    slot_of(name).is_some()
        || ["_result", "_aristotle", "_output"].iter().any(|end| lower.ends_with(end))
}

/// So many files that were written one right after another were copied.
const COPIED: usize = 10;
/// Nanoseconds between two files of a copy.
const AT_ONCE: i64 = 1_000_000_000;
/// A commit that changes more files is no work on each of them.
const TOGETHER: usize = 50;

pub(crate) struct Times<'a> {
    inputs: &'a [Input],
    known: OnceLock<HashMap<PathBuf, String>>,
}

impl<'a> Times<'a> {
    pub(crate) fn new(inputs: &'a [Input]) -> Self {
        Self { inputs, known: OnceLock::new() }
    }

    /// When this input (its real path) happened.
    pub(crate) fn of(&self, path: &Path) -> Option<&str> {
        self.known.get_or_init(|| known(self.inputs)).get(path).map(String::as_str)
    }
}

fn known(inputs: &[Input]) -> HashMap<PathBuf, String> {
    let real = inputs.iter().filter_map(|input| fs::canonicalize(&input.path).ok());
    let paths: BTreeSet<PathBuf> = real.collect();
    let mut times = file_times(&paths);
    let first = paths.first().and_then(|path| path.parent());
    if let Some(git) = first.and_then(Repository::around) {
        times.extend(commits(&git, &paths));
    }
    times.into_iter().map(|(path, time)| (path, time_text(time))).collect()
}

fn file_times(paths: &BTreeSet<PathBuf>) -> HashMap<PathBuf, Timestamp> {
    let folders: BTreeSet<&Path> = paths.iter().filter_map(|path| path.parent()).collect();
    let entries = folders.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let mut files: Vec<(i64, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let meta = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((stamp(&meta).1, entry.path()))
        })
        .collect();
    files.sort();
    let at_once = files.chunk_by(|(one, _), (next, _)| next - one <= AT_ONCE);
    let own = at_once.filter(|files| files.len() < COPIED).flatten();
    own.filter_map(|(time, path)| {
        Some((path.clone(), Timestamp::from_nanosecond((*time).into()).ok()?))
    })
    .collect()
}

/// When the files of a repository were last changed by a commit, as far as they are as it left them.
fn commits(git: &Repository, paths: &BTreeSet<PathBuf>) -> HashMap<PathBuf, Timestamp> {
    let of_git = git.unchanged("HEAD", paths.iter().map(PathBuf::as_path)).unwrap_or_default();
    if of_git.is_empty() {
        return HashMap::new();
    }
    let log = git.run([
        "log",
        "--max-count=5000",
        "--no-merges",
        "--no-ext-diff",
        "--no-textconv",
        "--find-renames=100%",
        "--diff-filter=AMR",
        "--name-status",
        "-z",
        "--format=%x01%at %P",
    ]);
    // The first commits of a shallow clone stand for all that came before them.
    let is_shallow = git.state_file("shallow").is_ok_and(|file| file.exists());
    let mut found: HashMap<String, Timestamp> = HashMap::new();
    let mut later_names: HashMap<String, String> = HashMap::new();
    for commit in log.as_deref().map(read_log).unwrap_or_default() {
        let many = commit.files.iter().filter(|(_, before)| before.is_none()).count() > TOGETHER;
        let says_when = !(many || is_shallow && commit.is_first);
        for (name, before) in commit.files {
            let name = later_names.get(&name).cloned().unwrap_or(name);
            match (before, commit.at) {
                (Some(before), _) => drop(later_names.insert(before, name)),
                (None, Some(at)) if says_when => drop(found.entry(name).or_insert(at)),
                _ => {}
            }
        }
    }
    let found = found.into_iter().map(|(name, at)| (git.root().join(name), at));
    found.filter(|(path, _)| of_git.contains(path.as_path())).collect()
}

struct Commit {
    at: Option<Timestamp>,
    is_first: bool,
    /// Each with what it was called before, where the commit only renamed it.
    files: Vec<(String, Option<String>)>,
}

/// Reads what `git log -z --name-status` prints, the newest commit first.
fn read_log(bytes: &[u8]) -> Vec<Commit> {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('\0').map(|part| part.trim_start_matches('\n'));
    let mut commits: Vec<Commit> = Vec::new();
    while let Some(part) = parts.next() {
        if let Some(head) = part.strip_prefix('\u{1}') {
            let (at, parents) = head.split_once(' ').unwrap_or((head, ""));
            let at = at.parse().ok().and_then(|second| Timestamp::from_second(second).ok());
            let is_first = parents.trim().is_empty();
            commits.push(Commit { at, is_first, files: Vec::new() });
            continue;
        }
        let Some(commit) = commits.last_mut().filter(|_| !part.is_empty()) else { continue };
        let before = part.starts_with('R').then(|| parts.next()).flatten().map(str::to_owned);
        if let Some(name) = parts.next() {
            commit.files.push((name.to_owned(), before));
        }
    }
    commits
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = (Option<i64>, Option<String>, Option<String>);

    fn row(path: &str, member: &str, given: &Given, besides: Known<'_>) -> Row {
        let mut known = KnownProblems::default();
        for id in ["erdos_850", "kurepa", "brocard", "bridges_nu4"] {
            known.insert(id);
        }
        known.alias("nu_4", "bridges_nu4");
        let naming = named(Path::new(path), member, &known, given, besides);
        (naming.slot, naming.problem, naming.approach)
    }

    #[test]
    fn naming_rows() {
        let nothing = Known::default();
        let said = Known { said: Some("erdos_12"), ..nothing };
        let recorded = Known { recorded: Some("brocard"), slot: Some(3), ..said };
        for (path, member, besides, slot, problem, approach) in [
            (
                "/p/slot614_erdos_850_prime_factor_triples_result.lean",
                "",
                nothing,
                Some(614),
                Some("erdos_850"),
                Some("prime factor triples"),
            ),
            (
                "/p/slot7_erdos850.tar.gz",
                "RequestProject/Main.lean",
                nothing,
                Some(7),
                Some("erdos_850"),
                None,
            ),
            (
                "/p/slot7_x1.tar.gz",
                "a/erdos_850_helper.lean",
                nothing,
                Some(7),
                Some("erdos_850"),
                None,
            ),
            ("/p/x.tgz", "a/slot8_kurepa.lean", nothing, Some(8), Some("kurepa"), None),
            (
                "/p/slot9_brocard_result/RequestProject/Main.lean",
                "",
                nothing,
                Some(9),
                Some("brocard"),
                None,
            ),
            ("/p/myproject/Main.lean", "", nothing, None, None, None),
            ("/p/slot716.lean", "", nothing, Some(716), None, None),
            ("/p/slot9_bridge_between.lean", "", nothing, Some(9), None, Some("bridge between")),
            ("/p/nu4_work/slot9_two.lean", "", nothing, Some(9), Some("bridges_nu4"), Some("two")),
            ("/p/nu4_work/slot9_two.lean", "", said, Some(9), Some("erdos_12"), Some("two")),
            ("/p/slot9_erdos_850.lean", "", recorded, Some(9), Some("brocard"), Some("erdos 850")),
            ("/p/two.lean", "", recorded, Some(3), Some("brocard"), Some("two")),
            ("/p/kurepa.lean", "", nothing, None, Some("kurepa"), None),
        ] {
            let expected = (slot, problem.map(str::to_owned), approach.map(str::to_owned));
            assert_eq!(row(path, member, &Given::default(), besides), expected, "{path} {member}");
        }
    }

    #[test]
    fn an_attempt_is_named_like_one() {
        for (path, member, expected) in [
            ("/p/slot1_x.lean", "", true),
            ("/p/kurepa_result.lean", "", true),
            ("/p/erdos_850.lean", "", true),
            ("/p/x.tgz", "RequestProject/Main.lean", true),
            ("/p/Torsion.lean", "", false),
            ("/p/Main.lean", "", false),
        ] {
            let known = KnownProblems::default();
            let naming =
                named(Path::new(path), member, &known, &Given::default(), Known::default());
            assert_eq!(naming.is_attempt, expected, "{path}");
        }
    }

    #[test]
    fn the_command_line_wins() {
        let given = Given { slot: Some(1), problem: Some("Erdős 850".to_owned()) };
        let (slot, problem, _) = row("/p/slot2_x_1.lean", "", &given, Known::default());
        assert_eq!((slot, problem.as_deref()), (Some(1), Some("erdos_850")), "as it is known");
        let given = Given { slot: None, problem: Some("erdos-850".to_owned()) };
        assert_eq!(
            row("/p/slot2_x_1.lean", "", &given, Known::default()).1.as_deref(),
            Some("erdos_850")
        );
    }
}
