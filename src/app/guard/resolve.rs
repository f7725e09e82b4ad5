//! Paths without links.

use std::fs;
use std::path::{Component, Path, PathBuf};

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
}
