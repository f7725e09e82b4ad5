//! The log of what went wrong where nobody was looking: in hooks and in the background.
//!
//! Writing it never fails and never speaks: a session does not stop because a log could not be written.

use std::fs;
use std::path::PathBuf;

use jiff::Timestamp;

use crate::files;
use crate::text::{clean, cut_middle, scrub};

/// From this size on, the log is renamed to `mk.log.1` and a new one begun.
const ROTATE_BYTES: u64 = 1_000_000;

/// Longest message, in bytes.
const MOST_BYTES: usize = 4096;

/// A log file, opened for each line.
#[derive(Debug, Clone)]
pub struct Log {
    path: PathBuf,
}

impl Log {
    /// A log in this file; its folder is made when the first line is written.
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Appends one line: time, area (`hook`, `capture`, ...), message without secrets.
    pub fn line(&self, now: Timestamp, area: &str, message: &str) {
        self.append(now, area, message).ok();
    }

    fn append(&self, now: Timestamp, area: &str, message: &str) -> std::io::Result<()> {
        let path = &self.path;
        if fs::metadata(path).is_ok_and(|meta| meta.len() > ROTATE_BYTES) {
            fs::rename(path, path.with_extension("log.1"))?;
        }
        let message = clean(&cut_middle(scrub(message).into_owned(), MOST_BYTES));
        let line = format!("{now:.0} {area}: {message}\n");
        files::append(path, line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_appended_cleaned_and_rotated() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/mk.log");
        let log = Log::at(path.clone());
        let now: Timestamp = "2026-01-02T03:04:05.6Z".parse().unwrap();
        log.line(now, "hook", "two\nlines \u{1b}[31mred");
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "2026-01-02T03:04:05Z hook: two lines red\n"
        );
        fs::write(&path, vec![b'x'; 1_000_001]).unwrap();
        log.line(now, "hook", "new");
        assert_eq!(fs::read_to_string(&path).unwrap(), "2026-01-02T03:04:05Z hook: new\n");
        assert!(path.with_extension("log.1").exists());
        log.line(now, "learn", "token=9d8f7a6b5c4e of https://me:tiger@host");
        log.line(now, "learn", &"long ".repeat(10_000));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("token=[secret removed] of https://me:[secret removed]@host\n"));
        assert!(text.len() < 5_000);
    }
}
