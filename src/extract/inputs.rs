//! From what stands on the command line to files: folders are walked, patterns expanded. No file is opened here.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};

use super::archive;
use crate::files;
use crate::model::Reject;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Input {
    pub path: PathBuf,
    /// It was named itself, not found in a folder.
    pub named: bool,
}

const SKIPPED: &[&str] = &[".git", ".lake", "lake-packages", "node_modules", "target", ".elan"];

/// The files behind these words, sorted, each once; what leads to no file is a reject.
pub(crate) fn collect(words: &[PathBuf], base: &Path, rejects: &mut Vec<Reject>) -> Vec<Input> {
    let mut inputs = Vec::new();
    for word in words {
        let path = base.join(word);
        let shown = word.to_string_lossy();
        let (found, named, none): (Vec<PathBuf>, bool, &str) = match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => {
                let found = walk(&path, Override::empty()).collect();
                (found, false, "")
            }
            Ok(_) => (vec![path.clone()], true, ""),
            Err(_) if is_pattern(&shown) => {
                (expand(&shown, base).collect(), true, "no file matches this pattern")
            }
            Err(error) => (Vec::new(), true, &unreadable(&error)),
        };
        if found.is_empty() {
            let reason = if named { none.to_owned() } else { nothing_in(&path, &shown) };
            let path = shown.into_owned();
            rejects.push(Reject { path, line: None, reason });
        }
        inputs.extend(found.into_iter().map(|path| Input { path, named }));
    }
    inputs.sort_by(|a, b| (&a.path, b.named).cmp(&(&b.path, a.named)));
    inputs.dedup_by(|later, earlier| later.path == earlier.path);
    inputs
}

pub(crate) fn unreadable(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "may not be read (permission denied)".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

/// Notes are read where they are named: a folder may hold any text.
fn nothing_in(folder: &Path, shown: &str) -> String {
    let notes = entries(folder, Override::empty()).filter(|path| {
        path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md") || end == "txt")
    });
    let why = "has no Lean file and no archive";
    match notes.count() {
        0 => why.to_owned(),
        notes => {
            let them = if notes == 1 { "note is" } else { "notes are" };
            let folder = shown.trim_end_matches('/');
            format!("{why}; its {notes} {them} read by name: `mk extract {folder}/*.md`")
        }
    }
}

fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '[', '{'])
}

/// Files that match a pattern; `*` stays within a folder, `**` does not.
fn expand(pattern: &str, base: &Path) -> Box<dyn Iterator<Item = PathBuf>> {
    let fixed = pattern.find(['*', '?', '[', '{']).map_or(pattern, |end| &pattern[..end]);
    let (folder, rest) = match fixed.rfind('/') {
        Some(end) => (&pattern[..=end], &pattern[end + 1..]),
        None => ("", pattern),
    };
    walk_globs(&base.join(folder), &[format!("/{rest}")])
}

/// Results under a folder that match one of these globs, relative to it; wrong globs match nothing.
pub(crate) fn walk_globs(root: &Path, globs: &[String]) -> Box<dyn Iterator<Item = PathBuf>> {
    let mut builder = OverrideBuilder::new(root);
    for glob in globs.iter().filter(|glob| !glob.starts_with('!')) {
        builder.add(glob).ok();
    }
    match builder.build() {
        Ok(overrides) if !overrides.is_empty() => Box::new(walk(root, overrides)),
        _ => Box::new(std::iter::empty()),
    }
}

/// Lean files and archives under a folder. What git ignores is walked too: results often are. Hidden
/// folders, build folders and packages are not; links to folders are not followed.
fn walk(root: &Path, overrides: Override) -> impl Iterator<Item = PathBuf> + use<> {
    entries(root, overrides).filter(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        // What looks like a result and cannot be read is named with the reason.
        let is_one = |name: &str| {
            is_lean_name(name)
                || files::is_lean_text(name)
                || archive::has_archive_name(name)
                || archive::is_foreign(name)
        };
        name.is_some_and(|name| is_one(&name)) && path.is_file()
    })
}

/// What an override takes under a folder.
pub(crate) fn entries(root: &Path, overrides: Override) -> impl Iterator<Item = PathBuf> + use<> {
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false).follow_links(false).overrides(overrides);
    builder.filter_entry(|entry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !(name.starts_with('.') || SKIPPED.contains(&&*name))
    });
    builder.build().filter_map(Result::ok).map(ignore::DirEntry::into_path)
}

pub(crate) fn is_lean_name(name: &str) -> bool {
    let is_lean = Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("lean"));
    is_lean && name != "lakefile.lean"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &[&str], base: &Path) -> (Vec<String>, Vec<String>) {
        let words: Vec<PathBuf> = words.iter().map(PathBuf::from).collect();
        let mut rejects = Vec::new();
        let inputs = collect(&words, base, &mut rejects);
        let name = |input: &Input| {
            let path = input.path.strip_prefix(base).unwrap().to_string_lossy().into_owned();
            if input.named { path } else { format!("({path})") }
        };
        (
            inputs.iter().map(name).collect(),
            rejects.into_iter().map(|r| format!("{}: {}", r.path, r.reason)).collect(),
        )
    }

    #[test]
    fn words_become_files() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path();
        for file in [
            "a_result.lean",
            "s/b_result.lean",
            "s/deep/c_result.lean",
            "s/deep/[d].lean",
            "s/e.tar.gz",
            "s/e.zip",
            "s/f.md",
            "s/g.lean.txt",
            "s/lakefile.lean",
            "s/.lake/packages/g.lean",
            "s/target/h.lean",
            "x.lean/i.lean",
            "empty/j.txt",
        ] {
            let path = base.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        fs::write(base.join(".gitignore"), "*_result.lean").unwrap();
        for (words, files, rejects) in [
            (&["a_result.lean"][..], &["a_result.lean"][..], &[][..]),
            (
                &["s"],
                &[
                    "(s/b_result.lean)",
                    "(s/deep/[d].lean)",
                    "(s/deep/c_result.lean)",
                    "(s/e.tar.gz)",
                    "(s/e.zip)",
                    "(s/g.lean.txt)",
                ],
                &[],
            ),
            (&["*_result.lean"], &["a_result.lean"], &[]),
            (
                &["**/*_result.lean"],
                &["a_result.lean", "s/b_result.lean", "s/deep/c_result.lean"],
                &[],
            ),
            (&["s/*/{c,x}_*.lean"], &["s/deep/c_result.lean"], &[]),
            (&["s/deep/[d].lean"], &["s/deep/[d].lean"], &[]),
            (&["x.lean"], &["(x.lean/i.lean)"], &[]),
            (
                &["s/deep", "s/deep/c_result.lean"],
                &["(s/deep/[d].lean)", "s/deep/c_result.lean"],
                &[],
            ),
            (&["s/f.md"], &["s/f.md"], &[]),
            (&["none.lean"], &[], &["none.lean: there is no such file"]),
            (&["no*.lean"], &[], &["no*.lean: no file matches this pattern"]),
            (
                &["empty"],
                &[],
                &[
                    "empty: has no Lean file and no archive; its 1 note is read by name: `mk extract empty/*.md`",
                ],
            ),
        ] {
            let (found, rejected) = found(words, base);
            assert_eq!(found, files, "{words:?}");
            assert_eq!(rejected, rejects, "{words:?}");
        }
    }

    #[test]
    fn result_globs_stay_out_of_packages() {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "RequestProject/Main.lean",
            "RequestProject/.lake/X.lean",
            "deep/a_aristotle.lean",
            "b.lean",
        ] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let globs = ["**/*_aristotle.lean", "RequestProject/**", "[", "!b.lean"].map(str::to_owned);
        let mut found: Vec<PathBuf> = walk_globs(dir.path(), &globs).collect();
        found.sort();
        let expected =
            ["RequestProject/Main.lean", "deep/a_aristotle.lean"].map(|f| dir.path().join(f));
        assert_eq!(found, expected);
    }
}
