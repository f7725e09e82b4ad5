//! What is kept of a session while it goes on: when and from which revision it began, the texts of
//! files as they were, and when its commands and edits wrote.
//!
//! A folder a session, files in it that are written once or appended to, so that the hooks of several
//! subagents can write at the same time. All of it may be lost: then less is known, and nothing is
//! blamed. What goes wrong stands in the log.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::known;
use super::project_files::{decoded, own, real};
use crate::app::App;
use crate::files;
use crate::hook::Event;
use crate::log::Log;
use crate::text::hash;

pub(super) const EVENTS: &str = "events";
const CARRIED: &str = "carried";

/// The folder of one session; it need not exist.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) folder: PathBuf,
    log: Log,
    now: Timestamp,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Start {
    pub(crate) when: i64,
    pub(crate) root: PathBuf,
    /// The revision of `HEAD`; `None` without git or without a commit.
    pub(crate) revision: Option<String>,
    /// The revisions that were there: of them nothing is the session's own.
    pub(crate) tips: Vec<String>,
    /// Length of the log of `HEAD` in bytes: what is added later happened in the session.
    pub(crate) head_log: u64,
    /// `.lean` files in the project, as far as they were counted.
    pub(crate) lean_files: u64,
    pub(crate) copied: u64,
    /// Files whose text is not known: changed while they were copied, too long, too many.
    pub(crate) left_out: Vec<PathBuf>,
    pub(crate) cut: Option<String>,
    pub(crate) done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// When the session began, copied because git does not have it; or as git itself left it after that (a checkout, a
    /// pull).
    Start,
    /// When it was first seen after that.
    First,
    /// As this session's latest known write left it.
    Last,
    /// Before the first edit since Lean ran.
    Seen,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Window {
    pub(super) start: i64,
    /// `None` for a command that was left running.
    pub(super) end: Option<i64>,
    pub(super) program: String,
    /// The file that an edit wrote.
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
    Judged(Vec<(String, Stamp)>),
    /// Something was said about a file, and holds.
    Said(String, String),
    /// Nothing of what was said about a file holds any more.
    Settled(String),
    Deleted(PathBuf),
}

#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) windows: Vec<Window>,
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

    pub(super) fn has_unseen(&self) -> bool {
        self.windows.len() > self.looked
    }

    /// Whether a command ran of which not all that it wrote was looked at.
    pub(super) fn has_unseen_command(&self) -> bool {
        self.windows.iter().skip(self.looked).any(|window| window.file.is_none())
    }

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
    /// The change time counts: it cannot be set.
    pub(super) fn of(meta: &Metadata) -> Self {
        let changed = meta.ctime().saturating_mul(1_000_000_000).saturating_add(meta.ctime_nsec());
        Self { size: meta.len(), changed }
    }
}

pub(super) fn nanoseconds(time: Timestamp) -> i64 {
    i64::try_from(time.as_nanosecond()).unwrap_or(i64::MAX)
}

impl Session {
    /// The session with this id; `None` for none. Nothing is read or made yet.
    pub(crate) fn of(app: &App, id: &str) -> Option<Self> {
        if id.is_empty() {
            return None;
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let is_plain = id.len() <= 80 && id.chars().all(plain);
        let name = if is_plain { id.to_owned() } else { hash(id, 12) };
        let folder = app.paths.state_dir.join("sessions").join(name);
        Some(Self { folder, log: app.log.clone(), now: app.now })
    }

    /// The session of an event; `None` where nothing is guarded.
    pub(super) fn guarded(app: &App, event: &Event) -> Option<Self> {
        Self::of(app, &event.session).filter(|_| known::is_on(app))
    }

    pub(super) fn text(&self, kept: Kept, path: &Path) -> Option<String> {
        decoded(&files::read(&self.copy(kept, path), files::LONG).ok()?).ok()
    }

    pub(super) fn complain(&self, what: &str) {
        self.log.line(self.now, "guard", what);
    }

    pub(super) fn copy(&self, kept: Kept, path: &Path) -> PathBuf {
        self.copies(kept).join(key(path))
    }

    fn copies(&self, kept: Kept) -> PathBuf {
        self.folder.join(match kept {
            Kept::Start => "start",
            Kept::First => "first",
            Kept::Last => "last",
            Kept::Seen => "seen",
        })
    }

    /// Lean ran, or may have: what it did not complain of is seen.
    pub(crate) fn built(&self) {
        fs::remove_dir_all(self.copies(Kept::Seen)).ok();
    }

    /// Keeps a text of a file. What was written last replaces what was kept before; else the text that is kept already
    /// stays.
    pub(super) fn keep(&self, kept: Kept, path: &Path, content: &[u8]) {
        self.put(kept, path, content, kept == Kept::Last);
    }

    /// Keeps what git left: from now on that is what the file is compared with.
    pub(super) fn keep_moved(&self, path: &Path, content: &[u8]) {
        self.put(Kept::Start, path, content, true);
        fs::remove_file(self.copy(Kept::Last, path)).ok();
    }

    fn put(&self, kept: Kept, path: &Path, content: &[u8], replaces: bool) {
        let target = self.copy(kept, path);
        let written = if replaces {
            files::replace(&target, content)
        } else if target.exists() {
            return;
        } else {
            files::create(&target, content).map(drop)
        };
        if let Err(error) = written {
            self.complain(&format!("{}: its text could not be kept: {error}", path.display()));
        }
    }

    /// Notes the names of what came into a file, went from it or was renamed in it.
    pub(super) fn note_carried<'n>(&self, path: &Path, names: impl IntoIterator<Item = &'n str>) {
        let names = names.into_iter().filter(|name| !name.contains(char::is_control));
        let names: String = names.flat_map(|name| ["\t", name]).collect();
        let Some(path) = real(path).to_str().map(str::to_owned).filter(|_| !names.is_empty())
        else {
            return;
        };
        if let Err(error) = files::append(&self.folder.join(CARRIED), format!("{path}{names}\n")) {
            self.complain(&format!("{path}: names in it were not kept: {error}"));
        }
    }

    /// The other files into which something with one of these names came, or from which it went.
    pub(super) fn carried(&self, path: &Path, names: &BTreeSet<&str>) -> BTreeSet<PathBuf> {
        if names.is_empty() {
            return BTreeSet::new();
        }
        let text = files::text(&self.folder.join(CARRIED), files::LONG).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        let with = lines.filter(|(_, all)| all.split('\t').any(|name| names.contains(name)));
        let own = real(path);
        with.map(|(path, _)| PathBuf::from(path)).filter(|other| *other != own).collect()
    }

    /// How the session began; `None` where that was never recorded.
    pub(super) fn start(&self) -> Option<Start> {
        let bytes = files::read(&self.start_file(), files::LONG).ok()?;
        let start = serde_json::from_slice(&bytes);
        start
            .map_err(|error| self.complain(&format!("{}: {error}", self.start_file().display())))
            .ok()
    }

    pub(super) fn start_file(&self) -> PathBuf {
        self.folder.join("start.json")
    }

    /// The files whose texts were copied when it began.
    pub(super) fn paths_at_start(&self) -> Vec<PathBuf> {
        let list = files::text(&self.folder.join("paths"), files::LONG).unwrap_or_default();
        list.lines().map(PathBuf::from).collect()
    }

    pub(super) fn note_paths_at_start(&self, paths: &[PathBuf]) -> std::io::Result<()> {
        let lines = paths.iter().filter_map(|path| path.to_str()).map(|path| format!("{path}\n"));
        files::append(&self.folder.join("paths"), lines.collect::<String>())
    }

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

    pub(super) fn note_judged<'a>(&self, files: impl Iterator<Item = (&'a Path, Stamp)>) {
        let files: Vec<_> = files.map(|(path, stamp)| (key(path), stamp)).collect();
        self.note((!files.is_empty()).then_some(Entry::Judged(files)));
    }
}

/// The name under which things about a file are kept: the same for every spelling of its path, but for a link.
pub(super) fn key(path: &Path) -> String {
    hash(&*own(path).to_string_lossy(), 12)
}

#[cfg(test)]
mod tests {
    use super::super::past::Past;
    use super::*;
    use crate::paths::Environment;

    fn first_text(session: &Session, path: &Path) -> Option<String> {
        Past::of(session.clone()).first_text(path)
    }

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
        assert_eq!(first_text(&session, &path), None);
        session.keep(Kept::First, &path, b"one");
        fs::write(&path, "two").unwrap();
        session.keep(Kept::First, &dir.path().join("./A b.lean"), b"two");
        assert_eq!(first_text(&session, &path).as_deref(), Some("one"));
        session.keep(Kept::Start, &path, b"\xef\xbb\xbfzero\r\n");
        assert_eq!(first_text(&session, &path).as_deref(), Some("zero\n"));
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
        fs::write(session.folder.join(EVENTS), "nonsense\n{\"looked\":5}\n{\"new\":1}\n").unwrap();
        assert_eq!(session.events().looked, 5);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_trouble() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("state")).unwrap();
        fs::write(dir.path().join("state/sessions"), "a file").unwrap();
        let session = session(dir.path(), "s").unwrap();
        session.keep(Kept::First, Path::new("/p/A.lean"), b"x");
        session.note([Entry::Looked(1)]);
        assert_eq!(first_text(&session, Path::new("/p/A.lean")), None);
        assert_eq!((session.start(), session.events().looked), (None, 0));
        let log = fs::read_to_string(dir.path().join("state/mk.log")).unwrap();
        assert!(log.contains("guard: "), "{log}");
    }
}
