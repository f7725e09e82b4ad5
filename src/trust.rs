//! `mk trust`: which projects' own databases the person trusts. The record is in the user's folder, never
//! in the project: a clone cannot vouch for itself.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::app::App;
use crate::files;
use crate::paths::Paths;
use crate::project::Project;
use crate::ui::{Exit, Out, person};

/// Trust the knowledge database in a project's `.math-forge/`, or let sessions run its Lean
///
/// A database that came with a clone is never opened until a person trusts it: what it says would be
/// told to the agent. Lake files are programs: in a session `mk verify` runs them only where a person
/// has allowed it with `--run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mk trust\n  mk trust --run\n  mk trust ~/lean/erdos --remove")]
pub(crate) struct Args {
    /// A folder of the project (default: the current one)
    folder: Option<PathBuf>,
    /// Allow sessions to run the project's Lake and Lean, instead of trusting its database
    #[arg(long)]
    run: bool,
    /// Withdraw the trust
    #[arg(long)]
    pub(crate) remove: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let root = self.folder.map_or_else(
            || app.project.main_root.clone(),
            |folder| Project::find(&folder).main_root,
        );
        let shown = root.display();
        let file = if self.run { app.paths.run_file() } else { app.paths.trust_file() };
        let what = if self.run { "allowed to run its Lean" } else { "trusted" };
        if self.remove {
            let said = if withdraw(&file, &root)? { "is no longer" } else { "was not" };
            out.print(&format!("{shown} {said} {what}\n"))?;
            return Ok(Exit::Done);
        }
        person::require(app, "trusting a project")?;
        let when = if record(&file, &root)? { "now" } else { "already" };
        out.print(&format!("{shown} is {when} {what}\n"))?;
        Ok(Exit::Done)
    }
}

pub fn is_trusted(paths: &Paths, main_root: &Path) -> bool {
    is_recorded(&paths.trust_file(), main_root)
}

/// Whether sessions and the background may run the project's Lake files, which are programs.
pub fn may_run(paths: &Paths, main_root: &Path) -> bool {
    is_recorded(&paths.run_file(), main_root)
}

fn is_recorded(file: &Path, main_root: &Path) -> bool {
    let Some(root) = main_root.to_str() else { return false };
    files::text(file, files::SMALL).is_ok_and(|text| text.lines().any(|line| line == root))
}

/// Records that the person trusts the project at this root. Returns whether that is new.
pub fn trust(paths: &Paths, main_root: &Path) -> anyhow::Result<bool> {
    record(&paths.trust_file(), main_root)
}

fn record(file: &Path, main_root: &Path) -> anyhow::Result<bool> {
    if is_recorded(file, main_root) {
        return Ok(false);
    }
    let root = main_root
        .to_str()
        .filter(|root| !root.contains('\n'))
        .with_context(|| format!("the path `{}` cannot be recorded", main_root.display()))?;
    files::append(file, format!("{root}\n"))
        .with_context(|| format!("could not write `{}`", file.display()))?;
    Ok(true)
}

fn withdraw(file: &Path, main_root: &Path) -> anyhow::Result<bool> {
    let Ok(text) = files::text(file, files::SMALL) else { return Ok(false) };
    let kept: String = text
        .lines()
        .filter(|line| Path::new(line) != main_root)
        .flat_map(|line| [line, "\n"])
        .collect();
    if kept == text {
        return Ok(false);
    }
    files::replace(file, kept.as_bytes())
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
        assert!(withdraw(&paths.trust_file(), &root).unwrap());
        assert!(!is_trusted(&paths, &root));
        assert!(!withdraw(&paths.trust_file(), &root).unwrap());
    }
}
