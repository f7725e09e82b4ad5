//! Which projects' own databases the person trusts. The record is in the user's folder, never in the
//! project: a clone cannot vouch for itself.

use std::path::Path;

use anyhow::Context as _;

use crate::files;
use crate::paths::Paths;

pub fn is_trusted(paths: &Paths, main_root: &Path) -> bool {
    let Some(root) = main_root.to_str() else { return false };
    let record = files::text(&paths.trust_file(), files::SMALL);
    record.is_ok_and(|text| text.lines().any(|line| line == root))
}

/// Records that the person trusts the project at this root. Returns whether that is new.
pub fn trust(paths: &Paths, main_root: &Path) -> anyhow::Result<bool> {
    if is_trusted(paths, main_root) {
        return Ok(false);
    }
    let root = main_root
        .to_str()
        .filter(|root| !root.contains('\n'))
        .with_context(|| format!("the path `{}` cannot be recorded", main_root.display()))?;
    let file = paths.trust_file();
    files::append(&file, format!("{root}\n"))
        .with_context(|| format!("could not write `{}`", file.display()))?;
    Ok(true)
}

/// Takes the trust back. Returns whether there was any.
pub fn distrust(paths: &Paths, main_root: &Path) -> anyhow::Result<bool> {
    let file = paths.trust_file();
    let Ok(text) = files::text(&file, files::SMALL) else { return Ok(false) };
    let kept: String = text
        .lines()
        .filter(|line| Path::new(line) != main_root)
        .flat_map(|line| [line, "\n"])
        .collect();
    if kept == text {
        return Ok(false);
    }
    files::replace(&file, kept.as_bytes())
        .with_context(|| format!("could not write `{}`", file.display()))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Environment;

    #[test]
    fn trust_is_recorded_and_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let paths = Paths::find(&Environment::of(&[("MK_HOME", home.to_str().unwrap())])).unwrap();
        let root = dir.path().join("project one");
        assert!(!is_trusted(&paths, &root));
        assert!(trust(&paths, &root).unwrap());
        assert!(!trust(&paths, &root).unwrap(), "twice is once");
        assert!(is_trusted(&paths, &root));
        assert!(!is_trusted(&paths, dir.path()), "a parent is not trusted with it");
        assert!(distrust(&paths, &root).unwrap());
        assert!(!is_trusted(&paths, &root));
        assert!(!distrust(&paths, &root).unwrap());
    }
}
