//! What is kept of a session while it goes on: when and from which revision it began, the texts of
//! files as they were, and when its commands and edits wrote.
//!
//! A folder a session, files in it that are written once or appended to, so that the hooks of several
//! subagents can write at the same time. All of it may be lost: then less is known, and nothing is
//! blamed. What goes wrong stands in the log.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::files;
use crate::lean;
use crate::log::Log;
use crate::text::hash;

/// A longer file is not looked at.
pub(super) const MOST_BYTES: u64 = 8 * 1024 * 1024;

/// The folder of one session.
#[derive(Debug, Clone)]
pub struct Session {
    folder: PathBuf,
    log: Log,
    now: Timestamp,
}

/// How a session began.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Start {
    /// When, in nanoseconds since 1970.
    pub when: i64,
    /// Root of the work tree.
    pub root: PathBuf,
    /// The revision of `HEAD`; `None` without git or without a commit.
    pub revision: Option<String>,
    /// Length of the log of `HEAD` in bytes: what is added later happened in the session.
    pub head_log: u64,
    /// `.lean` files in the project, as far as they were counted.
    pub lean_files: u64,
    /// Files whose text was copied.
    pub copied: u64,
    /// Files whose text is not known: changed while they were copied, too long, too many.
    pub left_out: Vec<PathBuf>,
    /// Why not everything was looked at.
    pub cut: Option<String>,
    /// Whether it was recorded to the end.
    pub done: bool,
}

/// Texts of a file that are kept, each at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// When the session began, copied because git does not have it.
    Start,
    /// When it was first seen after that.
    First,
    /// As this session's latest known write left it.
    Last,
    /// As git itself left it (a checkout, a pull) after the session began.
    Moved,
}

impl Kept {
    const fn folder(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::First => "first",
            Self::Last => "last",
            Self::Moved => "moved",
        }
    }
}

/// A stretch of time in which this session wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Window {
    /// Nanoseconds since 1970.
    pub(super) start: i64,
    /// The same; `None` for a command that was left running.
    pub(super) end: Option<i64>,
    /// The client's id of the tool's use.
    pub(super) tool_use: String,
    /// Name of the program that ran; empty for an edit.
    pub(super) program: String,
    pub(super) file: Option<PathBuf>,
}

/// Size of a file and when it was changed last, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Stamp {
    pub(super) size: u64,
    pub(super) changed: i64,
}

impl Stamp {
    /// Of a file's metadata. The change time counts where there is one: it cannot be set.
    pub(super) fn of(meta: &Metadata) -> Self {
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt as _;
            meta.ctime().saturating_mul(1_000_000_000).saturating_add(meta.ctime_nsec())
        };
        #[cfg(not(unix))]
        let changed = meta
            .modified()
            .ok()
            .and_then(|time| Timestamp::try_from(time).ok())
            .map_or(0, nanoseconds);
        Self { size: meta.len(), changed }
    }
}

/// A time in nanoseconds since 1970.
pub(super) fn nanoseconds(time: Timestamp) -> i64 {
    i64::try_from(time.as_nanosecond()).unwrap_or(i64::MAX)
}

impl Session {
    /// The session with this id; `None` for none. Nothing is read or made yet.
    pub fn of(app: &App, id: &str) -> Option<Self> {
        if id.is_empty() {
            return None;
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let name = if id.len() <= 80 && id.chars().all(plain) { id.to_owned() } else { short(id) };
        let folder = app.paths.state_dir.join("sessions").join(name);
        Some(Self { folder, log: app.log.clone(), now: app.now })
    }

    /// The file's text when the session began, or else when it was first seen; `None` where it was
    /// not seen, and for what git has of it.
    pub fn first_text(&self, path: &Path) -> Option<String> {
        let kept = [Kept::Start, Kept::First].into_iter();
        kept.map(|kept| self.copy(kept, path))
            .find_map(|copy| text_of(&files::read(&copy, files::LONG).ok()?))
    }

    /// Keeps a file's text as it is when it is first seen; a text that is kept already stays.
    pub fn keep_first(&self, path: &Path, text: &str) {
        self.keep(Kept::First, path, text.as_bytes());
    }

    /// Its folder; it need not exist.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes down what went wrong.
    pub(super) fn complain(&self, what: &str) {
        self.log.line(self.now, "guard", what);
    }

    /// Where a text of a file is kept, or would be.
    pub(super) fn copy(&self, kept: Kept, path: &Path) -> PathBuf {
        self.folder.join(kept.folder()).join(key(path))
    }

    /// Keeps a text of a file. What git left and what was written last replace what was kept before.
    pub(super) fn keep(&self, kept: Kept, path: &Path, content: &[u8]) {
        if let Err(error) = self.try_keep(kept, path, content) {
            self.complain(&format!("{}: its text could not be kept: {error}", path.display()));
        }
    }

    fn try_keep(&self, kept: Kept, path: &Path, content: &[u8]) -> io::Result<()> {
        let target = self.copy(kept, path);
        let once = matches!(kept, Kept::Start | Kept::First);
        if once && target.exists() {
            return Ok(());
        }
        if once {
            files::create(&target, content)?;
        } else {
            files::replace(&target, content)?;
        }
        // For a person who looks for a lost text among files named by hashes.
        files::replace(&target.with_extension("path"), path.to_string_lossy().as_bytes())
    }

    pub(super) fn forget(&self, kept: Kept, path: &Path) {
        fs::remove_file(self.copy(kept, path)).ok();
    }

    /// How the session began; `None` where that was never recorded.
    pub fn start(&self) -> Option<Start> {
        let bytes = files::read(&self.start_file(), files::LONG).ok()?;
        match serde_json::from_slice(&bytes) {
            Ok(start) => Some(start),
            Err(error) => {
                self.complain(&format!("{}: {error}", self.start_file().display()));
                None
            }
        }
    }

    pub(super) fn start_file(&self) -> PathBuf {
        self.folder.join("start.json")
    }

    /// Notes a stretch of time in which the session wrote.
    pub(super) fn add_window(&self, window: &Window) {
        if let Ok(line) = serde_json::to_string(window) {
            self.append("windows", &line);
        }
    }

    /// The stretches of time in which the session wrote, and the length of the list in bytes.
    pub(super) fn windows(&self) -> (Vec<Window>, u64) {
        let text = self.list("windows");
        let windows = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        (windows, text.len() as u64)
    }

    /// Whether windows were added after a length that [`Session::seen`] recorded.
    pub(super) fn has_unseen(&self) -> bool {
        let length = fs::metadata(self.folder.join("windows")).map_or(0, |meta| meta.len());
        let seen = self.list("seen");
        length > seen.trim().parse().unwrap_or(0)
    }

    /// Notes that the windows up to this length of the list were looked at and are over.
    pub(super) fn seen(&self, length: u64) {
        let noted = files::replace(&self.folder.join("seen"), length.to_string().as_bytes());
        if let Err(error) = noted {
            self.complain(&format!("what was looked at could not be noted: {error}"));
        }
    }

    /// Files that were judged already, as they were then.
    pub(super) fn judged(&self) -> HashSet<(String, Stamp)> {
        let text = self.list("judged");
        let row = |line: &str| {
            let mut words = line.split(' ');
            let key = words.next()?.to_owned();
            let size = words.next()?.parse().ok()?;
            let changed = words.next()?.parse().ok()?;
            Some((key, Stamp { size, changed }))
        };
        text.lines().filter_map(row).collect()
    }

    /// Notes files that were judged as they are.
    pub(super) fn add_judged<'a>(&self, files: impl Iterator<Item = (&'a Path, Stamp)>) {
        let line = |(path, stamp): (&Path, Stamp)| {
            format!("{} {} {}", key(path), stamp.size, stamp.changed)
        };
        let lines: Vec<String> = files.map(line).collect();
        if !lines.is_empty() {
            self.append("judged", &lines.join("\n"));
        }
    }

    /// What was reported and still holds: for each file the keys of what was said about it.
    pub(super) fn reported(&self) -> HashMap<String, HashSet<String>> {
        let text = self.list("reported");
        let mut reported: HashMap<String, HashSet<String>> = HashMap::new();
        for line in text.lines() {
            let mut words = line.split(' ');
            let (Some(sign), Some(file)) = (words.next(), words.next()) else { continue };
            match (sign, words.next()) {
                ("+", Some(what)) => {
                    reported.entry(file.to_owned()).or_default().insert(what.to_owned());
                }
                ("-", _) => drop(reported.remove(file)),
                _ => {}
            }
        }
        reported
    }

    /// Notes that something was said about files.
    pub(super) fn report<'a>(&self, said: impl Iterator<Item = (&'a Path, String)>) {
        let lines: Vec<String> =
            said.map(|(path, what)| format!("+ {} {}", key(path), short(&what))).collect();
        if !lines.is_empty() {
            self.append("reported", &lines.join("\n"));
        }
    }

    /// Notes that nothing of what was said about a file holds any more.
    pub(super) fn settle(&self, path: &Path) {
        self.append("reported", &format!("- {}", key(path)));
    }

    /// Adds lines to a list of the session.
    pub(super) fn note(&self, list: &str, lines: impl Iterator<Item = String>) {
        let lines: Vec<String> = lines.filter(|line| !line.contains('\n')).collect();
        if !lines.is_empty() {
            self.append(list, &lines.join("\n"));
        }
    }

    pub(super) fn noted(&self, list: &str) -> Vec<String> {
        let text = self.list(list);
        text.lines().map(str::to_owned).collect()
    }

    /// Appends a line, in one write: several processes may do so at once.
    fn append(&self, name: &str, line: &str) {
        let path = self.folder.join(name);
        if let Err(error) = files::append(&path, format!("{line}\n")) {
            self.complain(&format!("{}: {error}", path.display()));
        }
    }

    fn list(&self, name: &str) -> String {
        files::text(&self.folder.join(name), files::LONG).unwrap_or_default()
    }
}

/// The text of bytes; `None` where they are no text.
pub(super) fn text_of(bytes: &[u8]) -> Option<String> {
    if lean::foreign(bytes).is_some() {
        return None;
    }
    let decoded = lean::decode(bytes);
    (!decoded.lossy).then_some(decoded.text)
}

/// The name under which things about a file are kept: the same for every spelling of its path.
pub(super) fn key(path: &Path) -> String {
    short(&real(path).to_string_lossy())
}

/// The path without links and detours; the file itself need not exist.
pub(super) fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).ok().or_else(|| real_folder(path)).unwrap_or_else(|| path.to_owned())
}

fn real_folder(path: &Path) -> Option<PathBuf> {
    Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?))
}

pub(super) fn short(text: &str) -> String {
    hash(text, 12)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Environment;

    fn session(home: &Path, id: &str) -> Option<Session> {
        let environment = Environment::of(&[("MK_HOME", home.to_str().unwrap())]);
        Session::of(&App::new(environment, Timestamp::UNIX_EPOCH, None, None).unwrap(), id)
    }

    #[test]
    fn ids_become_folders_that_stay_inside() {
        let dir = tempfile::tempdir().unwrap();
        assert!(session(dir.path(), "").is_none());
        let sessions = dir.path().join("state/sessions");
        for (id, plain) in [("a-B_7", true), ("../../x", false), (".", false), ("a/b", false)] {
            let folder = session(dir.path(), id).unwrap().folder;
            assert_eq!(folder.parent(), Some(sessions.as_path()), "{id}");
            assert_eq!(folder.ends_with(id), plain, "{id}");
        }
        assert!(session(dir.path(), &"x".repeat(5_000)).unwrap().folder.as_os_str().len() < 300);
    }

    #[test]
    fn the_first_text_stays() {
        let dir = tempfile::tempdir().unwrap();
        let session = session(dir.path(), "s").unwrap();
        let path = dir.path().join("A b.lean");
        assert_eq!(session.first_text(&path), None);
        session.keep_first(&path, "one");
        fs::write(&path, "two").unwrap();
        session.keep_first(&dir.path().join("./A b.lean"), "two");
        assert_eq!(session.first_text(&path).as_deref(), Some("one"));
        session.keep(Kept::Start, &path, b"\xef\xbb\xbfzero\r\n");
        assert_eq!(session.first_text(&path).as_deref(), Some("zero\n"));
        for text in ["x", "y"] {
            session.keep(Kept::Last, &path, text.as_bytes());
            assert_eq!(fs::read_to_string(session.copy(Kept::Last, &path)).unwrap(), text);
        }
    }

    #[test]
    fn what_is_appended_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let session = session(dir.path(), "s").unwrap();
        assert!(!session.has_unseen());
        let window = Window {
            start: 1,
            end: None,
            tool_use: "t".to_owned(),
            program: "sed".to_owned(),
            file: Some(PathBuf::from("/p/a\tb\n.lean")),
        };
        session.add_window(&window);
        let (windows, length) = session.windows();
        assert_eq!(windows, std::slice::from_ref(&window));
        assert!(session.has_unseen());
        session.seen(length);
        assert!(!session.has_unseen());
        session.add_window(&window);
        assert!(session.has_unseen());

        let path = Path::new("/p/A.lean");
        let stamp = Stamp { size: 3, changed: 17 };
        session.add_judged([(path, stamp), (path, Stamp { size: 4, ..stamp })].into_iter());
        let judged = session.judged();
        assert!(judged.contains(&(key(path), stamp)) && judged.len() == 2);
        let report = |what: &str| session.report([(path, what.to_owned())].into_iter());
        report("proof-lost a");
        report("proof-lost b");
        assert_eq!(session.reported()[&key(path)].len(), 2);
        session.settle(path);
        report("proof-lost b");
        assert_eq!(session.reported()[&key(path)].len(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_trouble() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("state")).unwrap();
        fs::write(dir.path().join("state/sessions"), "a file").unwrap();
        let session = session(dir.path(), "s").unwrap();
        session.keep_first(Path::new("/p/A.lean"), "x");
        session.report([(Path::new("/p/A.lean"), "x".to_owned())].into_iter());
        assert_eq!(session.first_text(Path::new("/p/A.lean")), None);
        assert_eq!((session.start(), session.reported().len()), (None, 0));
        let log = fs::read_to_string(dir.path().join("state/mk.log")).unwrap();
        assert!(log.contains("guard: "), "{log}");
    }
}
