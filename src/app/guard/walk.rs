//! The Lean files of a folder that were changed in certain stretches of time.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::session::Stamp;
use crate::app::lean_files;
use crate::guard::is_lean;

/// What a walk may cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// `.lean` files that are looked at.
    pub(super) files: usize,
    /// Files and folders of any kind.
    pub(super) entries: usize,
    /// When it ends at the latest.
    pub(super) until: Instant,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) files: Vec<(PathBuf, Stamp)>,
    /// `.lean` files that were looked at.
    pub(super) seen: u64,
    /// Why it ended early.
    pub(super) cut: Option<&'static str>,
}

/// The `.lean` files below a folder for whose stamps `wanted` says yes. Hidden folders (`.lake`,
/// `.git`) and `lake-packages` are passed over, links to folders are not followed.
pub(super) fn files(folder: &Path, limits: Limits, wanted: impl Fn(Stamp) -> bool) -> Walked {
    let mut walked = Walked::default();
    for (count, entry) in lean_files::entries(folder).enumerate() {
        if count >= limits.entries || walked.seen >= limits.files as u64 {
            walked.cut = Some("there are too many files");
            break;
        }
        // The clock is not free either.
        if count % 64 == 0 && Instant::now() >= limits.until {
            walked.cut = Some("it took too long");
            break;
        }
        let Ok(entry) = entry else { continue };
        if !is_lean(entry.path()) {
            continue;
        }
        let Ok(meta) = fs::metadata(entry.path()) else { continue };
        if !meta.is_file() {
            continue;
        }
        walked.seen += 1;
        let stamp = Stamp::of(&meta);
        if wanted(stamp) {
            walked.files.push((entry.into_path(), stamp));
        }
    }
    walked
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn walks_end() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["A.lean", "sub/B.lean", ".lake/C.lean", "sub/.#D.lean", "e.txt"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let soon = Instant::now() + Duration::from_mins(1);
        let limits = Limits { files: 10, entries: 100, until: soon };
        let names = |walked: &Walked| {
            let mut names: Vec<String> = walked
                .files
                .iter()
                .map(|(path, _)| path.file_name().unwrap().to_string_lossy().into())
                .collect();
            names.sort();
            names
        };
        let all = files(dir.path(), limits, |_| true);
        assert_eq!(
            (names(&all), all.seen, all.cut),
            (vec!["A.lean".to_owned(), "B.lean".to_owned()], 2, None)
        );
        assert_eq!(files(dir.path(), limits, |stamp| stamp.size > 1).files.len(), 0);
        for limits in [
            Limits { files: 1, ..limits },
            Limits { entries: 2, ..limits },
            Limits { until: Instant::now(), ..limits },
        ] {
            assert!(files(dir.path(), limits, |_| true).cut.is_some(), "{limits:?}");
        }
        assert_eq!(files(&dir.path().join("none"), limits, |_| true).seen, 0);
    }
}
