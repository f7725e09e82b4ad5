//! What a session's commands find in their environment: our `mk` first in PATH, the project, the database.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::App;
use crate::files;
use crate::shell::single_quoted;

/// Appends what is missing to `CLAUDE_ENV_FILE`, if set. `folder` stands in for `CLAUDE_PROJECT_DIR`. A folder for PATH
/// that cannot be made is only logged.
pub fn export(app: &App, folder: Option<&Path>) -> anyhow::Result<()> {
    let Some(file) = app.environment.path("CLAUDE_ENV_FILE") else { return Ok(()) };
    let lines = lines(app, folder);
    let present = files::read(&file, files::SMALL).unwrap_or_default();
    let missing = lines.missing_from(&present);
    if missing.is_empty() {
        return Ok(());
    }
    files::append(&file, &missing).with_context(|| format!("could not write `{}`", file.display()))
}

fn lines(app: &App, folder: Option<&Path>) -> EnvFile {
    let mut lines = EnvFile::default();
    match link(app) {
        Ok(folder) => lines = lines.path_first(folder.as_os_str()),
        Err(error) => app.log.line(app.now, "hook", &format!("{error:#}")),
    }
    let project = app.environment.path("CLAUDE_PROJECT_DIR");
    if let Some(project) = project.as_deref().or(folder) {
        lines = lines.set("CLAUDE_PROJECT_DIR", project.as_os_str());
    }
    // The Bash tool may run in another folder.
    for name in ["MATH_FORGE_DB", "MATH_FORGE_TRACKING_DB"] {
        if let Some(path) = app.environment.path(name) {
            let path = std::path::absolute(&path).unwrap_or(path);
            lines = lines.set(name, path.as_os_str());
        }
    }
    lines
}

/// A folder that holds nothing but a link to the running binary.
fn link(app: &App) -> anyhow::Result<PathBuf> {
    let target = app
        .environment
        .executable
        .as_deref()
        .filter(|path| path.is_file())
        .context("the running binary is not where it was")?;
    let folder = app.paths.bin_dir();
    let link = folder.join("mk");
    anyhow::ensure!(
        !folder.as_os_str().as_encoded_bytes().contains(&b':'),
        "`{}` cannot stand in PATH: it has a colon in it",
        folder.display()
    );
    if fs::read_link(&link).is_ok_and(|present| present == target) {
        return Ok(folder);
    }
    fs::create_dir_all(&folder)
        .with_context(|| format!("could not create `{}`", folder.display()))?;
    let fresh = folder.join(format!(".mk-{}", std::process::id()));
    fs::remove_file(&fresh).ok();
    std::os::unix::fs::symlink(target, &fresh)
        .and_then(|()| fs::rename(&fresh, &link))
        .with_context(|| format!("could not make the link `{}`", link.display()))?;
    Ok(folder)
}

#[derive(Default)]
struct EnvFile {
    lines: Vec<u8>,
}

impl EnvFile {
    /// `export NAME='value'`, for any value.
    fn set(mut self, name: &str, value: &OsStr) -> Self {
        self.export(name, value);
        self.lines.push(b'\n');
        self
    }

    fn path_first(mut self, folder: &OsStr) -> Self {
        self.export("PATH", folder);
        self.lines.extend_from_slice(b":\"$PATH\"\n");
        self
    }

    fn missing_from(&self, present: &[u8]) -> Vec<u8> {
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
    use crate::paths::Environment;

    fn app(home: &Path, executable: &str) -> App {
        let file = home.join("env.sh");
        let executable = home.join(executable);
        fs::write(&executable, "").unwrap();
        let mut environment = Environment::of(&[
            ("MK_HOME", home.to_str().unwrap()),
            ("CLAUDE_ENV_FILE", file.to_str().unwrap()),
            ("CLAUDE_PROJECT_DIR", "/it's a project"),
            ("MATH_FORGE_DB", "/k.db"),
        ]);
        environment.executable = Some(executable);
        App::new(environment, jiff::Timestamp::UNIX_EPOCH, None, None).unwrap()
    }

    #[test]
    fn a_session_gets_our_mk_once() {
        let dir = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(dir.path()).unwrap();
        let old = app(&home, "mk-old");
        export(&old, None).unwrap();
        export(&old, None).unwrap();
        let text = fs::read_to_string(home.join("env.sh")).unwrap();
        let expected = format!(
            "export PATH='{}/bin':\"$PATH\"\nexport CLAUDE_PROJECT_DIR='/it'\\''s a project'\n\
             export MATH_FORGE_DB='/k.db'\n",
            home.display()
        );
        assert_eq!(text, expected);

        export(&app(&home, "mk-new"), None).unwrap();
        assert_eq!(fs::read_to_string(home.join("env.sh")).unwrap(), expected, "the same folder");
        assert_eq!(fs::read_link(home.join("bin/mk")).unwrap(), home.join("mk-new"));
        let entries = fs::read_dir(home.join("bin")).unwrap().count();
        assert_eq!(entries, 1, "nothing but mk in the folder");
    }

    #[test]
    fn a_folder_that_cannot_be_made_leaves_the_rest() {
        let dir = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(dir.path()).unwrap();
        fs::write(home.join("bin"), "in the way").unwrap();
        export(&app(&home, "mk"), None).unwrap();
        let text = fs::read_to_string(home.join("env.sh")).unwrap();
        assert!(text.starts_with("export CLAUDE_PROJECT_DIR="), "{text}");
    }

    fn folder_lines(folder: &str) -> EnvFile {
        EnvFile::default()
            .path_first(OsStr::new(folder))
            .set("CLAUDE_PROJECT_DIR", OsStr::new("/p"))
    }

    #[test]
    fn values_are_quoted_for_the_shell() {
        for (folder, expected) in [
            ("/home/a/bin", "export PATH='/home/a/bin':\"$PATH\"\n"),
            ("/a b/$(id)`id`", "export PATH='/a b/$(id)`id`':\"$PATH\"\n"),
            ("/it's", "export PATH='/it'\\''s':\"$PATH\"\n"),
            ("/line\nbreak %s \\", "export PATH='/line\nbreak %s \\':\"$PATH\"\n"),
        ] {
            let text = EnvFile::default().path_first(OsStr::new(folder)).missing_from(b"");
            assert_eq!(String::from_utf8(text).expect("text"), expected);
        }
    }

    #[test]
    fn the_same_lines_are_written_once() {
        let mut file = b"export OTHER=1".to_vec();
        file.extend(folder_lines("/a").missing_from(&file));
        let once = file.clone();
        file.extend(folder_lines("/a").missing_from(&file));
        assert_eq!(file, once, "nothing to add");
        assert!(file.starts_with(b"export OTHER=1\nexport PATH"), "a line of its own");
        assert!(!folder_lines("/b").missing_from(&file).is_empty(), "another folder is added");
        assert!(EnvFile::default().missing_from(b"").is_empty());
    }
}
