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
    let mut lines = Vec::new();
    match link(app) {
        Ok(folder) => lines.extend(exported("PATH", folder.as_os_str(), ":\"$PATH\"")),
        Err(error) => app.log.line(app.now, "hook", &format!("{error:#}")),
    }
    let project = app.environment.path("CLAUDE_PROJECT_DIR");
    if let Some(project) = project.as_deref().or(folder) {
        lines.extend(exported("CLAUDE_PROJECT_DIR", project.as_os_str(), ""));
    }
    // The Bash tool may run in another folder.
    for name in ["MATH_FORGE_DB", "MATH_FORGE_TRACKING_DB"] {
        if let Some(path) = app.environment.path(name) {
            let path = std::path::absolute(&path).unwrap_or(path);
            lines.extend(exported(name, path.as_os_str(), ""));
        }
    }
    let present = files::read(&file, files::SMALL).unwrap_or_default();
    let missing = missing_from(&present, &lines);
    if missing.is_empty() {
        return Ok(());
    }
    files::append(&file, &missing).with_context(|| format!("could not write `{}`", file.display()))
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

/// `export NAME='value'`, for any value.
fn exported(name: &str, value: &OsStr, rest: &str) -> Vec<u8> {
    let value = single_quoted(value.as_encoded_bytes());
    [b"export ", name.as_bytes(), b"=", &value, rest.as_bytes(), b"\n"].concat()
}

fn missing_from(present: &[u8], lines: &[u8]) -> Vec<u8> {
    if lines.is_empty() || present.windows(lines.len()).any(|window| window == lines) {
        return Vec::new();
    }
    let is_open = present.last().is_some_and(|last| *last != b'\n');
    [if is_open { b"\n".as_slice() } else { b"" }, lines].concat()
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

    #[test]
    fn values_are_quoted_for_the_shell() {
        for (folder, expected) in [
            ("/home/a/bin", "export PATH='/home/a/bin':\"$PATH\"\n"),
            ("/a b/$(id)`id`", "export PATH='/a b/$(id)`id`':\"$PATH\"\n"),
            ("/it's", "export PATH='/it'\\''s':\"$PATH\"\n"),
            ("/line\nbreak %s \\", "export PATH='/line\nbreak %s \\':\"$PATH\"\n"),
        ] {
            let text = exported("PATH", OsStr::new(folder), ":\"$PATH\"");
            assert_eq!(String::from_utf8(text).expect("text"), expected);
        }
    }

    #[test]
    fn the_same_lines_are_written_once() {
        let lines = |folder: &str| exported("PATH", OsStr::new(folder), ":\"$PATH\"");
        let mut file = b"export OTHER=1".to_vec();
        file.extend(missing_from(&file, &lines("/a")));
        let once = file.clone();
        file.extend(missing_from(&file, &lines("/a")));
        assert_eq!(file, once, "nothing to add");
        assert!(file.starts_with(b"export OTHER=1\nexport PATH"), "a line of its own");
        assert!(!missing_from(&file, &lines("/b")).is_empty(), "another folder is added");
        assert!(missing_from(b"", b"").is_empty());
    }
}
