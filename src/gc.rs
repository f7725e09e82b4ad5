//! `mk gc`: removes what is kept beside the knowledge and has become old, and keeps it from growing.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::app::App;
use crate::app::guard::snapshot;
use crate::app::learn::{read, work};
use crate::files;
use crate::store::{Writer, time_text};
use crate::text::{clean, in_bytes};
use crate::ui::{Exit, Out};

/// Remove old data that is not knowledge
///
/// Copies of files from sessions that ended, marks, locks, old logs, reading positions in deleted transcripts,
/// old rows about sessions. No finding is touched, and no proposal that waits. It happens by itself once
/// a day.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk gc --dry-run
  mk gc --vacuum            rewrites the database without its free space")]
pub(crate) struct Args {
    /// Change nothing, show what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Rewrite the database, so that it becomes smaller and deleted data is gone from the file
    #[arg(long, conflicts_with = "dry_run")]
    vacuum: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let mut sweep = Sweep::new(self.dry_run, None);
        sweep.files(app);
        sweep.rows(app)?;
        let mut report = sweep.report;
        if self.vacuum
            && let Some(store) = app.existing_store()?
        {
            report.vacuumed = Some(store.compact()?);
        }
        report.bytes = report.removed.iter().map(|removed| removed.bytes).sum();
        out.answer(&report, |_| view(&report))?;
        Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Failed })
    }
}

/// All that is kept of sessions together, in bytes; beyond that the oldest sessions go.
const MOST_OF_SESSIONS: u64 = 256 * 1024 * 1024;
/// A session into which something was written this lately is never removed, in seconds.
const IN_USE: u64 = 24 * 60 * 60;
/// Copies of the database from before a change of its form that stay.
const BACKUPS: usize = 2;
/// Days after which things are removed.
const MARKS_DAYS: i64 = 14;
const LOCKS_DAYS: i64 = 30;
const MEMORY_DAYS: i64 = 30;
const LOG_DAYS: i64 = 90;
const MOST_TRANSCRIPTS: usize = 2_000;
/// What is done by itself stops after this time and goes on the next day.
const DAILY_LIMIT: Duration = Duration::from_secs(5);

/// A folder of the state folder, what the files in it are, after how many days they go, and which of them.
type OldFiles = (&'static str, &'static str, i64, fn(&Path) -> bool);

const OLD_FILES: [OldFiles; 8] = [
    ("said", "marks of what was said", MARKS_DAYS, Path::is_file),
    ("tracked", "digests of tracking databases", MARKS_DAYS, Path::is_file),
    ("next", "gaps of projects", LOCKS_DAYS, Path::is_file),
    ("history", "counts of histories", LOCKS_DAYS, Path::is_file),
    ("locks", "marks of projects", LOCKS_DAYS, Path::is_file),
    ("learn", "lock files", LOCKS_DAYS, is_free),
    ("capture", "lock files", LOCKS_DAYS, is_free),
    ("jobs", "lock files", LOCKS_DAYS, is_free),
];

#[derive(Debug, Serialize)]
struct Removed {
    what: &'static str,
    count: u64,
    /// Bytes of files; 0 for rows, whose space the database uses again.
    bytes: u64,
}

#[derive(Debug, Default, Serialize)]
struct GcReport {
    dry_run: bool,
    /// By sort; nothing of a sort is left out.
    removed: Vec<Removed>,
    bytes: u64,
    /// Bytes by which the database became smaller, where it was written anew.
    vacuumed: Option<u64>,
    /// What could not be removed, a sentence each.
    problems: Vec<String>,
}

/// What `mk gc` does, once a day, for seconds at most. It never fails: errors go to the log.
pub fn daily(app: &mut App) {
    let mark = app.paths.state_dir.join("gc");
    if !files::is_due(&mark, app.now.into(), Duration::from_hours(24)) {
        return;
    }
    let mut sweep = Sweep::new(false, Some(Instant::now() + DAILY_LIMIT));
    sweep.files(app);
    let rows = sweep.rows(app);
    let problems = sweep.report.problems.into_iter().chain(rows.err().map(|e| format!("{e:#}")));
    for problem in problems.take(5) {
        app.log.line(app.now, "gc", &problem);
    }
}

/// Only what was kept of sessions, as every new one does it with the earlier ones.
pub fn sessions(app: &App) {
    let folder = app.paths.state_dir.join("sessions");
    Sweep::new(false, Some(Instant::now() + DAILY_LIMIT)).sessions(&folder);
}

struct Sweep {
    dry_run: bool,
    until: Option<Instant>,
    report: GcReport,
}

impl Sweep {
    fn new(dry_run: bool, until: Option<Instant>) -> Self {
        Self { dry_run, until, report: GcReport { dry_run, ..GcReport::default() } }
    }

    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    fn add(&mut self, what: &'static str, count: u64, bytes: u64) {
        if count == 0 {
            return;
        }
        let known = self.report.removed.iter_mut().find(|removed| removed.what == what);
        match known {
            Some(removed) => {
                removed.count += count;
                removed.bytes += bytes;
            }
            None => self.report.removed.push(Removed { what, count, bytes }),
        }
    }

    fn remove(&mut self, what: &'static str, path: &Path) {
        let bytes = size(path);
        let done = match self.dry_run {
            true => Ok(()),
            false if path.is_dir() => fs::remove_dir_all(path),
            false => fs::remove_file(path),
        };
        match done {
            Ok(()) => self.add(what, 1, bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => self
                .report
                .problems
                .push(format!("`{}` could not be removed: {error}", path.display())),
        }
    }

    fn files(&mut self, app: &App) {
        let state = &app.paths.state_dir;
        self.sessions(&state.join("sessions"));
        for ticket in work::tickets(app) {
            let is_gone = !ticket.transcript.is_file() && is_older(app, &ticket.file, 1);
            if is_gone || is_older(app, &ticket.file, MARKS_DAYS) {
                self.remove("tickets of transcripts that are gone", &ticket.file);
            }
        }
        for (folder, what, days, goes) in OLD_FILES {
            for path in files::entries(&state.join(folder)) {
                if is_older(app, &path, days) && goes(&path) {
                    self.remove(what, &path);
                }
            }
        }
        let old_log = app.paths.log_file().with_extension("log.1");
        if is_older(app, &old_log, LOG_DAYS) {
            self.remove("old logs", &old_log);
        }
        let mut backups = beside(app, ".bak-v");
        backups.sort_by_key(|path| fs::metadata(path).and_then(|meta| meta.modified()).ok());
        backups.truncate(backups.len().saturating_sub(BACKUPS));
        for path in backups {
            self.remove("old copies of the database", &path);
        }
    }

    /// Sessions that ended long ago; then the oldest, as long as all together are too large.
    fn sessions(&mut self, folder: &Path) {
        let mut kept: Vec<(u64, u64, PathBuf)> = Vec::new();
        for path in files::entries(folder) {
            if self.is_over() {
                return;
            }
            let age = snapshot::age_of(&path);
            if age > snapshot::FORGOTTEN_AFTER {
                self.remove("sessions", &path);
            } else {
                kept.push((age, size(&path), path));
            }
        }
        let mut total: u64 = kept.iter().map(|(_, bytes, _)| bytes).sum();
        kept.sort();
        while total > MOST_OF_SESSIONS
            && let Some((age, bytes, path)) = kept.pop()
            && age > IN_USE
        {
            self.remove("sessions", &path);
            total -= bytes;
        }
    }

    fn rows(&mut self, app: &mut App) -> anyhow::Result<()> {
        let now = app.now;
        let before = |days: i64| time_text(now - SignedDuration::from_hours(24 * days));
        let (day, month) = (before(1), before(MEMORY_DAYS));
        let Some(store) = app.existing_store()? else { return Ok(()) };
        let remove = |writer: &Writer<'_>| writer.remove_old(before);
        let old = if self.dry_run { store.rehearse(now, remove) } else { store.write(now, remove) };
        for (what, count) in old? {
            self.add(what, count, 0);
        }
        let (mut gone, mut stripped) = (Vec::new(), Vec::new());
        for transcript in store.transcripts_before(&day, MOST_TRANSCRIPTS)? {
            if self.is_over() {
                break;
            }
            if !Path::new(&transcript.path).exists() {
                gone.push(transcript.path);
            } else if transcript.closed && transcript.read_at < month {
                let state = read::without_memory(&transcript.state);
                if state != transcript.state {
                    stripped.push((transcript.path, state));
                }
            }
        }
        self.add("reading positions in deleted transcripts", gone.len() as u64, 0);
        self.add("records of ended sessions", stripped.len() as u64, 0);
        if self.dry_run || (gone.is_empty() && stripped.is_empty()) {
            return Ok(());
        }
        store.write(now, |writer| {
            gone.iter().try_for_each(|path| writer.remove_transcript(path))?;
            stripped.iter().try_for_each(|(path, state)| writer.set_transcript_state(path, state))
        })?;
        Ok(())
    }
}

/// Bytes of a file, or of all files in a folder.
fn size(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => files::entries(path).iter().map(|path| size(path)).sum(),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    }
}

fn is_older(app: &App, path: &Path, days: i64) -> bool {
    let modified = fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let modified = modified.and_then(|time| Timestamp::try_from(time).ok());
    modified
        .is_some_and(|time| app.now.duration_since(time) > SignedDuration::from_hours(24 * days))
}

/// Whether nobody holds a lock file.
fn is_free(path: &Path) -> bool {
    files::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// Files beside the database whose names go on like this.
pub(crate) fn beside(app: &App, end: &str) -> Vec<PathBuf> {
    let Some(database) = app.database.path() else { return Vec::new() };
    let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else {
        return Vec::new();
    };
    let start = format!("{}{end}", name.to_string_lossy());
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut found = files::entries(folder);
    found.retain(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&start)));
    found
}

fn view(report: &GcReport) -> String {
    let mut text = String::new();
    for Removed { what, count, bytes } in &report.removed {
        let bytes = if *bytes > 0 { format!(", {}", in_bytes(*bytes)) } else { String::new() };
        writeln!(text, "  {what}: {count}{bytes}").ok();
    }
    for problem in &report.problems {
        writeln!(text, "  {}", clean(problem)).ok();
    }
    if report.removed.is_empty() {
        text.push_str("nothing is old enough to remove\n");
    } else {
        let done = if report.dry_run { "would be freed" } else { "freed" };
        writeln!(text, "{} {done}", in_bytes(report.bytes)).ok();
    }
    if let Some(bytes) = report.vacuumed {
        writeln!(text, "the database was rewritten: {} smaller", in_bytes(bytes)).ok();
    }
    text
}
