//! Files as the guard reads them: paths without links, texts, walks through the project, and who speaks of a definition
//! in it. All of it has limits: a hook waits for it.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use super::session::Stamp;
use crate::app::lean_files;
use crate::files;
use crate::guard::is_lean;
use crate::lean::{self, last_part, proved_about, skim};
use crate::project::Project;

/// Larger files are not looked at, in bytes.
pub(super) const LARGEST: u64 = 8 * 1024 * 1024;

/// A path without links, `.` and `..`, as far as it exists.
pub(crate) fn real(path: &Path) -> PathBuf {
    let mut real = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(real.pop()),
            Component::Prefix(_) | Component::RootDir => real.push(part),
            Component::Normal(_) => {
                real.push(part);
                // Elsewhere one file may have several spellings without a link.
                let is_plain = cfg!(target_os = "linux") && fs::read_link(&real).is_err();
                let there = if is_plain { None } else { fs::canonicalize(&real).ok() };
                real = there.unwrap_or(real);
            }
        }
    }
    real
}

/// A path without links but for its last part: a link is another file than what it leads to.
pub(super) fn own(path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => real(folder).join(name),
        _ => real(path),
    }
}

/// The files that a path is: what it leads to, and the link itself, which may have taken a file's place.
pub(super) fn both(path: &Path) -> Vec<PathBuf> {
    let mut both = vec![real(path), own(path)];
    both.dedup();
    both
}

/// When what a path leads to was changed last, or the link itself.
pub(super) fn stamp(path: &Path, is_link: bool) -> Option<Stamp> {
    let meta = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut stamp = Stamp::of(&meta);
    if let Some(link) = fs::symlink_metadata(path).ok().filter(|_| is_link) {
        stamp.changed = stamp.changed.max(Stamp::of(&link).changed);
    }
    Some(stamp)
}

/// How a file is called in messages: of a link its own name.
pub(super) fn shown(project: &Project, path: &Path) -> String {
    let own = path.strip_prefix(&project.root).ok().filter(|_| path.is_symlink());
    own.map_or_else(|| project.stable_path(path), |own| own.to_string_lossy().into_owned())
}

/// What a file holds; empty if there is none. `Err` says why it cannot be read as text, in words that
/// follow its name.
pub(super) fn on_disk(path: &Path) -> Result<String, String> {
    match files::read(path, LARGEST) {
        Ok(bytes) => decoded(&bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error.to_string()),
    }
}

pub(super) fn decoded(bytes: &[u8]) -> Result<String, String> {
    if let Some(what) = lean::foreign(bytes) {
        return Err(format!("it is {what}"));
    }
    let decoded = lean::decode(bytes);
    if decoded.lossy { Err("it is not UTF-8 text".to_owned()) } else { Ok(decoded.text) }
}

#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) files: Vec<(PathBuf, Stamp)>,
    pub(super) seen: u64,
    pub(super) cut: Option<&'static str>,
}

/// The `.lean` files below a folder for whose stamps `wanted` says yes. Hidden folders (`.lake`,
/// `.git`) and `lake-packages` are passed over, links to folders are not followed.
pub(super) fn walk(folder: &Path, time: Duration, wanted: impl Fn(Stamp) -> bool) -> Walked {
    let until = Instant::now() + time;
    let mut walked = Walked::default();
    for (count, entry) in lean_files::entries(folder).enumerate() {
        // The clock is not free either.
        if count % 64 == 0 && Instant::now() >= until {
            walked.cut = Some("it took too long");
            break;
        }
        let Ok(entry) = entry else { continue };
        if !is_lean(entry.path()) {
            continue;
        }
        let Some(stamp) = stamp(entry.path(), entry.path_is_symlink()) else { continue };
        walked.seen += 1;
        if wanted(stamp) {
            walked.files.push((entry.into_path(), stamp));
        }
    }
    walked
}

/// What is not found in this time is not told: walking, and then reading.
const SEARCH: Duration = Duration::from_millis(40);
const SEARCH_TIME: Duration = Duration::from_millis(120);

/// Whether a file of the project, another one than this, declares something with one of these names, or not all could
/// be looked at.
pub(super) fn declares(root: &Path, but: Option<&Path>, names: &[&str]) -> bool {
    let (until, root) = (Instant::now() + SEARCH_TIME, &real(root));
    let but = but.map(real);
    let walked = walk(root, SEARCH, |stamp| stamp.size <= LARGEST);
    let is_it = |name: &str| names.contains(&last_part(name));
    walked.cut.is_some()
        || walked.files.iter().filter(|(path, _)| Some(path) != but.as_ref()).any(|(path, _)| {
            let text = on_disk(path).unwrap_or_default();
            let may_be = names.iter().any(|name| text.contains(name));
            let all = if may_be { skim(&text).declarations } else { Vec::new() };
            Instant::now() >= until || all.iter().any(|one| one.name.as_deref().is_some_and(is_it))
        })
}

/// For each name that a file defines a theorem proved in another file that speaks of it, in words.
pub(super) fn users(root: &Path, own: &Path, names: &[String]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if names.is_empty() {
        return found;
    }
    let (until, own, root) = (Instant::now() + SEARCH_TIME, real(own), &real(root));
    if !own.starts_with(root) {
        return found;
    }
    let is_other = |path: &Path| path.file_name() != own.file_name() || real(path) != own;
    let files = walk(root, SEARCH, |stamp| stamp.size <= LARGEST).files;
    for (path, _) in files.iter().filter(|(path, _)| is_other(path)) {
        if found.len() == names.len() || Instant::now() >= until {
            break;
        }
        let text = on_disk(path).unwrap_or_default();
        for name in names.iter().filter(|name| text.contains(last_part(name))) {
            if !found.contains_key(name)
                && let Some(user) = proved_about(&text, name)
            {
                let file = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
                found.insert(name.clone(), format!("`{user}` in `{file}`"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_same_paths_as_the_system_finds() {
        let dir = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir_all(base.join("a/b/c")).unwrap();
        fs::write(base.join("a/b/file"), "").unwrap();
        symlink("b", base.join("a/link")).unwrap();
        symlink("link/c", base.join("a/deep")).unwrap();
        symlink(base.join("a/b/file"), base.join("absolute")).unwrap();
        symlink("loop", base.join("loop")).unwrap();
        symlink("nowhere", base.join("dangling")).unwrap();
        for name in [
            "",
            "a",
            "a/b/file",
            "a/link",
            "a/link/file",
            "a/deep",
            "a/deep/../file",
            "absolute",
            "a/../a/./link/c",
            "a/link/../link",
        ] {
            let path = base.join(name);
            assert_eq!(real(&path), fs::canonicalize(&path).unwrap(), "{name}");
        }
        for (name, expected) in [
            ("a/link/new", "a/b/new"),
            ("a/deep/new/more", "a/b/c/new/more"),
            ("a/none/../link/x", "a/b/x"),
            ("loop/x", "loop/x"),
            ("dangling", "dangling"),
            ("a/b/file/x", "a/b/file/x"),
        ] {
            assert_eq!(real(&base.join(name)), base.join(expected), "{name}");
        }
    }

    #[test]
    fn files_that_are_no_text_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            fs::write(dir.path().join(name), bytes).unwrap();
            on_disk(&dir.path().join(name))
        };
        assert_eq!(on_disk(&dir.path().join("none.lean")), Ok(String::new()));
        assert_eq!(write("a.lean", b"\xef\xbb\xbfa\r\nb"), Ok("a\nb".to_owned()));
        assert_eq!(write("b.lean", b"\xff\xfea\0"), Ok("a".to_owned()));
        assert!(write("c.lean", b"caf\xe9").unwrap_err().contains("UTF-8"));
        assert!(write("d.lean", b"\x7fELF").unwrap_err().contains("a program"));
        assert!(on_disk(dir.path()).unwrap_err().contains("folder"));
        let large = fs::File::create(dir.path().join("e.lean")).unwrap();
        large.set_len(LARGEST + 1).unwrap();
        assert_eq!(on_disk(&dir.path().join("e.lean")), Err(files::too_large(LARGEST)));
    }

    #[test]
    fn walks_end() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["A.lean", "sub/B.lean", ".lake/C.lean", "sub/.#D.lean", "e.txt"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let time = Duration::from_mins(1);
        let names = |walked: &Walked| {
            let mut names: Vec<String> = walked
                .files
                .iter()
                .map(|(path, _)| path.file_name().unwrap().to_string_lossy().into())
                .collect();
            names.sort();
            names
        };
        let all = walk(dir.path(), time, |_| true);
        assert_eq!(
            (names(&all), all.seen, all.cut),
            (vec!["A.lean".to_owned(), "B.lean".to_owned()], 2, None)
        );
        assert_eq!(walk(dir.path(), time, |stamp| stamp.size > 1).files.len(), 0);
        assert!(walk(dir.path(), Duration::ZERO, |_| true).cut.is_some());
        assert_eq!(walk(&dir.path().join("none"), time, |_| true).seen, 0);
    }
}
