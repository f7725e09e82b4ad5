//! The packages that a project builds on: where their files lie, and in which revision.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::App;
use crate::files;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The commit, or the version of Lean; `None` for what may change at any time.
    pub(crate) revision: Option<String>,
    pub(crate) folder: PathBuf,
}

/// Where Lake puts packages, unless the manifest says otherwise.
const FETCHED: &str = ".lake/packages";

/// The packages of the project around the current folder, and Lean itself where its sources are
/// installed. Empty outside of Lake projects and before `lake update`.
pub(crate) fn of_project(app: &App) -> Vec<Package> {
    let project = &app.project;
    let above = project.start.ancestors().take_while(|folder| folder.starts_with(&project.root));
    // A linked work tree has no packages of its own until it is built.
    let places = above.chain([project.main_root.as_path()]);
    let is_lake = |folder: &&Path| {
        folder.join("lake-manifest.json").is_file() || folder.join(FETCHED).is_dir()
    };
    let Some(root) = places.into_iter().find(is_lake) else { return Vec::new() };
    let text = files::text(&root.join("lake-manifest.json"), files::SMALL).unwrap_or_default();
    let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
    let entries = manifest["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    // `«doc-gen4»` is `doc-gen4`.
    let name = |entry: &Value| Some(entry["name"].as_str()?.trim_matches(['«', '»']).to_owned());
    let linked = entries.iter().filter(|entry| entry["type"] == "path").filter_map(|entry| {
        let folder = root.join(entry["dir"].as_str()?);
        let name = name(entry)?;
        folder.is_dir().then_some(Package { name, revision: None, folder })
    });
    let fetched = fs::read_dir(root.join(manifest["packagesDir"].as_str().unwrap_or(FETCHED)));
    let folders = fetched.into_iter().flatten().flatten().map(|entry| entry.path());
    let fetched = folders.filter(|folder| folder.is_dir()).map(|folder| {
        let own = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let entry = entries.iter().rfind(|entry| name(entry).as_ref() == Some(&own));
        // What is checked out wins over what should be, which it is not while it is being fetched.
        let is_clone = folder.join(".git").is_dir();
        let stated = || Some(entry.filter(|_| !is_clone)?["rev"].as_str()?.to_owned());
        let revision = head(&folder).or_else(stated);
        Package { name: own, revision, folder }
    });
    let mut packages: Vec<_> = linked.chain(fetched).chain(toolchain(app, root)).collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    packages
}

/// The commit that is checked out, if no branch is: Lake checks out commits.
fn head(folder: &Path) -> Option<String> {
    let head = files::text(&folder.join(".git").join("HEAD"), files::SMALL).ok()?;
    let head = head.trim();
    (head.len() >= 40 && head.bytes().all(|b| b.is_ascii_hexdigit())).then(|| head.to_owned())
}

/// Lean's own sources, as elan installs them for the project's `lean-toolchain`.
fn toolchain(app: &App, root: &Path) -> Option<Package> {
    let version = files::text(&root.join("lean-toolchain"), files::SMALL).ok()?;
    let version = version.trim();
    let home = app.environment.path("ELAN_HOME");
    let home = home.or_else(|| app.environment.path("HOME").map(|home| home.join(".elan")))?;
    let name = version.replace('/', "--").replace(':', "---");
    let folder = home.join("toolchains").join(name).join("src").join("lean");
    let revision = version.rsplit(':').next().map(str::to_owned);
    folder.is_dir().then_some(Package { name: "lean4".to_owned(), revision, folder })
}
