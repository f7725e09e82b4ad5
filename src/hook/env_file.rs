//! The lines that a session start leaves in `CLAUDE_ENV_FILE`, which the Bash tool runs first.

use std::ffi::OsStr;

use crate::shell::single_quoted;

/// What later commands of the session need. Built once, compared with what stands there already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvFile {
    lines: Vec<u8>,
}

impl EnvFile {
    /// Nothing to export.
    pub fn new() -> Self {
        Self::default()
    }

    /// `export NAME='value'`, whatever characters the value has.
    #[must_use]
    pub fn set(mut self, name: &str, value: &OsStr) -> Self {
        self.export(name, value);
        self.lines.push(b'\n');
        self
    }

    #[must_use]
    pub fn path_first(mut self, folder: &OsStr) -> Self {
        self.export("PATH", folder);
        self.lines.extend_from_slice(b":\"$PATH\"\n");
        self
    }

    /// What has to be appended to a file that holds `present`: nothing where it is there already.
    pub fn missing_from(&self, present: &[u8]) -> Vec<u8> {
        let size = self.lines.len();
        if size == 0 || present.windows(size).any(|window| window == self.lines) {
            return Vec::new();
        }
        let mut out = Vec::with_capacity(size + 1);
        if present.last().is_some_and(|last| *last != b'\n') {
            out.push(b'\n');
        }
        out.extend_from_slice(&self.lines);
        out
    }

    fn export(&mut self, name: &str, value: &OsStr) {
        self.lines.extend_from_slice(b"export ");
        self.lines.extend_from_slice(name.as_bytes());
        self.lines.push(b'=');
        self.lines.extend_from_slice(&single_quoted(value.as_encoded_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(folder: &str) -> EnvFile {
        EnvFile::new().path_first(OsStr::new(folder)).set("CLAUDE_PROJECT_DIR", OsStr::new("/p"))
    }

    #[test]
    fn values_are_quoted_for_the_shell() {
        for (folder, expected) in [
            ("/home/a/bin", "export PATH='/home/a/bin':\"$PATH\"\n"),
            ("/a b/$(id)`id`", "export PATH='/a b/$(id)`id`':\"$PATH\"\n"),
            ("/it's", "export PATH='/it'\\''s':\"$PATH\"\n"),
            ("/line\nbreak %s \\", "export PATH='/line\nbreak %s \\':\"$PATH\"\n"),
        ] {
            let text = EnvFile::new().path_first(OsStr::new(folder)).missing_from(b"");
            assert_eq!(String::from_utf8(text).expect("text"), expected);
        }
    }

    #[test]
    fn the_same_lines_are_written_once() {
        let mut file = b"export OTHER=1".to_vec();
        file.extend(lines("/a").missing_from(&file));
        let once = file.clone();
        file.extend(lines("/a").missing_from(&file));
        assert_eq!(file, once, "nothing to add");
        assert!(file.starts_with(b"export OTHER=1\nexport PATH"), "a line of its own");
        assert!(!lines("/b").missing_from(&file).is_empty(), "another folder is added");
        assert!(EnvFile::new().missing_from(b"").is_empty());
    }
}
