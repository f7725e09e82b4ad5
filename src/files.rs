//! Opening, replacing and locking files: the one place that does.
//!
//! The name of a file comes from a clone, an event or a link, so anything may stand behind it. A pipe
//! would be waited for without end, and a device never ends: only regular files are opened, which is
//! asked of what was opened, and no more of one is read than its reader can use.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Bytes of a settings file, a record or one of git's own small files.
pub const SMALL: u64 = 1 << 20;

/// Bytes of a list that grows with a session or a history.
pub const LONG: u64 = 64 << 20;

/// The file whose name is this one with an ending.
pub fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Opens a regular file; a link to one counts.
pub fn open(path: &Path) -> io::Result<File> {
    // Asked before, too: to open a device can do something.
    regular(&fs::metadata(path)?)?;
    opened(OpenOptions::new().read(true), path).map(|(file, _)| file)
}

/// As some programs save what they downloaded.
pub(crate) fn is_lean_text(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".lean.txt")
}

/// Everything in a regular file of at most so many bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    regular(&fs::metadata(path)?)?;
    let (mut file, size) = opened(OpenOptions::new().read(true), path)?;
    let mut bytes = vec![0; usize::try_from(size.min(most)).unwrap_or(0)];
    // Nearly always that is one call of the system.
    let read = file.read(&mut bytes)?;
    if read == 0 || read < bytes.len() {
        // Some files of the system say nothing of their size.
        bytes.truncate(read);
        file.take(most + 1 - read as u64).read_to_end(&mut bytes)?;
    }
    if size > most || bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, too_large(most)));
    }
    Ok(bytes)
}

/// The same as text.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// The same, empty where there is no such file, or a file in the place of its folder.
pub fn text_or_empty(path: &Path, most: u64) -> io::Result<String> {
    let is_none = |error: &io::Error| {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    };
    text(path, most).or_else(|error| if is_none(&error) { Ok(String::new()) } else { Err(error) })
}

/// What is in a folder, by name; nothing where it cannot be read.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The files in a folder with this ending, by their names; none where it cannot be read.
pub fn ending_in(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut paths = entries(folder);
    paths.retain(|path| path.extension().is_some_and(|end| end == ending));
    paths
}

/// Appends a text in one write, so that several processes may do so at once. The folder is made.
pub fn append(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    for_writing(path, true)?.write_all(text.as_ref())
}

/// Replaces a file in one step, so that nobody ever reads half of it. The folder is made; a file that is
/// there keeps its permissions.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What a link leads to is replaced, not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let file = written(&path, bytes)?;
    if let Ok(meta) = fs::metadata(&path) {
        file.as_file().set_permissions(meta.permissions())?;
    }
    file.persist(path)?;
    Ok(())
}

/// Makes a file with this content, in one step; `false` where there is one already, which stays.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    match written(path, bytes)?.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// Replaces a file in one step by one that somebody writes under another name in its folder, which is made.
pub fn replace_with<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let file = written(path, &[])?;
    write(file.path())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn written(path: &Path, bytes: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Copies a regular file of any size.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    io::copy(&mut open(from)?, &mut for_writing(to, false)?).map(drop)
}

/// A lock among processes, held until the file is dropped; the system gives it back however a process
/// ends. `None` where another one keeps it for longer than this. The file and its folder are made.
pub fn lock(path: &Path, patience: Duration) -> io::Result<Option<File>> {
    let file = for_writing(path, false)?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if begun.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// When a file was last written.
pub fn modified(path: &Path) -> Option<jiff::Timestamp> {
    fs::metadata(path).and_then(|meta| meta.modified()).ok()?.try_into().ok()
}

/// Whether something is due that is done once in a while: then its mark says that it was done `now`.
/// A mark of the future was made while the clock was wrong.
pub fn is_due(mark: &Path, now: SystemTime, pause: Duration) -> bool {
    let last = fs::metadata(mark).and_then(|meta| meta.modified()).ok();
    let passed = last.and_then(|last| now.duration_since(last).ok());
    if passed.is_some_and(|passed| passed < pause) {
        return false;
    }
    for_writing(mark, false).and_then(|file| file.set_modified(now)).is_ok()
}

/// What is said of a file that is larger than it may be.
pub fn too_large(most: u64) -> String {
    if most < 1 << 20 {
        return format!("it has more than {} KB", most >> 10);
    }
    format!("it has more than {} MB", most >> 20)
}

fn for_writing(path: &Path, append: bool) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::metadata(path) {
        Ok(meta) => regular(&meta)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    opened(OpenOptions::new().create(true).write(!append).append(append), path)
        .map(|(file, _)| file)
}

#[allow(clippy::disallowed_methods, reason = "the one place where files are opened")]
fn opened(options: &mut OpenOptions, path: &Path) -> io::Result<(File, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // Does not wait for the other end of a pipe that was put there a moment ago.
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC);
    }
    let file = options.open(path)?;
    let meta = file.metadata()?;
    regular(&meta)?;
    Ok((file, meta.len()))
}

fn regular(meta: &Metadata) -> io::Result<()> {
    let what = if meta.is_file() {
        return Ok(());
    } else if meta.is_dir() {
        "it is a folder"
    } else {
        "it is not a regular file (a pipe, a socket or a device)"
    };
    Err(io::Error::other(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_limited_size_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("ten"), "0123456789").unwrap();
        fs::write(at("empty"), "").unwrap();
        fs::write(at("odd"), b"\xff").unwrap();
        fs::create_dir(at("folder")).unwrap();
        let mut cases = vec![
            ("ten", 10, Ok("0123456789")),
            ("ten", 9, Err("it has more than 0 KB")),
            ("empty", 0, Ok("")),
            ("odd", 10, Err("it is not UTF-8")),
            ("folder", 10, Err("it is a folder")),
            ("none", 10, Err("No such file or directory (os error 2)")),
        ];
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            let no_file = "it is not a regular file (a pipe, a socket or a device)";
            symlink(at("ten"), at("link")).unwrap();
            symlink("/dev/zero", at("zero")).unwrap();
            std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
            fifo(&at("pipe"));
            cases.extend([
                ("link", 10, Ok("0123456789")),
                ("zero", 10, Err(no_file)),
                ("socket", 10, Err(no_file)),
                ("pipe", 10, Err(no_file)),
            ]);
            for name in ["zero", "socket", "pipe", "folder"] {
                assert!(append(&at(name), "x").is_err(), "{name}");
                assert!(lock(&at(name), Duration::ZERO).is_err(), "{name}");
                // Opened at once, even if it was a file when it was looked at.
                assert!(opened(OpenOptions::new().read(true), &at(name)).is_err(), "{name}");
            }
        }
        for (name, most, expected) in cases {
            let found = text(&at(name), most).map_err(|error| error.to_string());
            assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned), "{name}");
        }
    }

    #[cfg(unix)]
    fn fifo(path: &Path) {
        #[allow(clippy::disallowed_methods, reason = "the tool that makes pipes")]
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }

    #[test]
    fn files_are_replaced_whole_and_locked_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b");
        replace(&path, b"one").unwrap();
        append(&path, " two").unwrap();
        assert_eq!(text(&path, 10).unwrap(), "one two");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            replace(&path, b"three").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        }
        assert!(!create(&path, b"four").unwrap());
        assert!(create(&dir.path().join("c/d"), b"four").unwrap());
        assert_eq!(text(&path, 10).unwrap(), "three");
        let held = lock(&path, Duration::ZERO).unwrap();
        assert!(held.is_some());
        assert!(lock(&path, Duration::from_millis(30)).unwrap().is_none());
        drop(held);
        assert!(lock(&path, Duration::ZERO).unwrap().is_some());
    }

    #[test]
    fn what_is_due_is_done_once() {
        let dir = tempfile::tempdir().unwrap();
        let mark = dir.path().join("marks/m");
        let (hour, now) =
            (Duration::from_hours(1), SystemTime::UNIX_EPOCH + Duration::from_hours(2000));
        for (at, expected) in
            [(now, true), (now, false), (now + hour / 2, false), (now + hour, true), (now, true)]
        {
            assert_eq!(is_due(&mark, at, hour), expected);
        }
    }
}
