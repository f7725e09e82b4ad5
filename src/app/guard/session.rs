//! What is kept of a session while it goes on: when and from which revision it began, the texts of
//! files as they were, and when its commands and edits wrote.
//!
//! A folder a session, files in it that are written once or appended to, so that the hooks of several
//! subagents can write at the same time. All of it may be lost: then less is known, and nothing is
//! blamed. What goes wrong stands in the log.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::resolve::real;
use crate::app::App;
use crate::files;
use crate::lean;
use crate::log::Log;
use crate::text::hash;

/// The list of events in the folder of a session.
pub(super) const EVENTS: &str = "events";

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

/// Something that happened in a session, a line of its list of events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    /// It wrote files, or may have.
    Wrote(Window),
    /// So many of these stretches of time were looked at and are over.
    Looked(usize),
    /// Files were judged as they were then.
    Judged(Vec<(String, Stamp)>),
    /// Something was said about a file, and holds.
    Said(String, String),
    /// Nothing of what was said about a file holds any more.
    Settled(String),
    /// A command took a file away.
    Deleted(PathBuf),
}

/// What is known of a session from its events.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// The stretches of time in which it wrote.
    pub(super) windows: Vec<Window>,
    /// Files that a command took away.
    pub(super) deleted: BTreeSet<PathBuf>,
    looked: usize,
    judged: HashSet<(String, Stamp)>,
    said: HashMap<String, HashSet<String>>,
}

impl Events {
    fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Wrote(window) => self.windows.push(window),
            Entry::Looked(count) => self.looked = count,
            Entry::Judged(files) => self.judged.extend(files),
            Entry::Said(file, what) => drop(self.said.entry(file).or_default().insert(what)),
            Entry::Settled(file) => drop(self.said.remove(&file)),
            Entry::Deleted(path) => drop(self.deleted.insert(path)),
        }
    }

    /// Whether it wrote after the last time that all was looked at.
    pub(super) fn has_unseen(&self) -> bool {
        self.windows.len() > self.looked
    }

    /// Whether a file was judged as it is.
    pub(super) fn is_judged(&self, path: &Path, stamp: Stamp) -> bool {
        !self.judged.is_empty() && self.judged.contains(&(key(path), stamp))
    }

    /// Whether something was said about a file that still holds; this, or with `None` anything.
    pub(super) fn is_said(&self, path: &Path, what: Option<&str>) -> bool {
        let said = if self.said.is_empty() { None } else { self.said.get(&key(path)) };
        said.is_some_and(|said| what.is_none_or(|what| said.contains(what)))
    }
}

/// Size of a file and when it was changed last, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

    /// The files whose texts were copied when it began.
    pub(super) fn paths_at_start(&self) -> Vec<PathBuf> {
        let list = files::text(&self.folder.join("paths"), files::LONG).unwrap_or_default();
        list.lines().map(PathBuf::from).collect()
    }

    pub(super) fn note_paths_at_start(&self, paths: &[PathBuf]) -> io::Result<()> {
        let lines = paths.iter().filter_map(|path| path.to_str()).map(|path| format!("{path}\n"));
        files::append(&self.folder.join("paths"), lines.collect::<String>())
    }

    /// What happened in it so far.
    pub(super) fn events(&self) -> Events {
        let text = files::text(&self.folder.join(EVENTS), files::LONG).unwrap_or_default();
        let mut events = Events::default();
        // A line that another version wrote says nothing.
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).for_each(|e| events.add(e));
        events
    }

    /// Adds to its events, in one write: several processes may do so at once.
    pub(super) fn note(&self, entries: impl IntoIterator<Item = Entry>) {
        let lines = entries.into_iter().filter_map(|entry| serde_json::to_string(&entry).ok());
        let lines: String = lines.flat_map(|line| [line, "\n".to_owned()]).collect();
        let path = self.folder.join(EVENTS);
        if !lines.is_empty()
            && let Err(error) = files::append(&path, lines)
        {
            self.complain(&format!("{}: {error}", path.display()));
        }
    }

    /// Notes files that were judged as they are.
    pub(super) fn note_judged<'a>(&self, files: impl Iterator<Item = (&'a Path, Stamp)>) {
        let files: Vec<_> = files.map(|(path, stamp)| (key(path), stamp)).collect();
        self.note((!files.is_empty()).then_some(Entry::Judged(files)));
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

fn short(text: &str) -> String {
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
        let has_unseen = || session.events().has_unseen();
        assert!(!has_unseen());
        let window = Window {
            start: 1,
            end: None,
            tool_use: "t".to_owned(),
            program: "sed".to_owned(),
            file: Some(PathBuf::from("/p/a\tb\n.lean")),
        };
        session.note([Entry::Wrote(window.clone())]);
        assert_eq!(session.events().windows, std::slice::from_ref(&window));
        assert!(has_unseen());
        session.note([Entry::Looked(1)]);
        assert!(!has_unseen());
        session.note([Entry::Wrote(window)]);
        assert!(has_unseen());

        let path = Path::new("/p/A.lean");
        let stamp = Stamp { size: 3, changed: 17 };
        session.note_judged([(path, stamp)].into_iter());
        let events = session.events();
        assert!(
            events.is_judged(path, stamp) && !events.is_judged(path, Stamp { size: 4, ..stamp })
        );
        let say = |what: &str| session.note([Entry::Said(key(path), what.to_owned())]);
        say("proof-lost a");
        say("proof-lost b");
        let is_said = |what: &str| session.events().is_said(path, Some(what));
        assert!(is_said("proof-lost a") && is_said("proof-lost b") && !is_said("proof-lost c"));
        session.note([Entry::Settled(key(path))]);
        assert!(!session.events().is_said(path, None));
        say("proof-lost b");
        assert!(is_said("proof-lost b") && !is_said("proof-lost a"));
        fs::write(session.folder().join(EVENTS), "nonsense\n{\"looked\":5}\n{\"new\":1}\n")
            .unwrap();
        assert_eq!(session.events().looked, 5);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_trouble() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("state")).unwrap();
        fs::write(dir.path().join("state/sessions"), "a file").unwrap();
        let session = session(dir.path(), "s").unwrap();
        session.keep_first(Path::new("/p/A.lean"), "x");
        session.note([Entry::Looked(1)]);
        assert_eq!(session.first_text(Path::new("/p/A.lean")), None);
        assert_eq!((session.start(), session.events().looked), (None, 0));
        let log = fs::read_to_string(dir.path().join("state/mk.log")).unwrap();
        assert!(log.contains("guard: "), "{log}");
    }
}
