//! `mk projects`: which folders and names are one project, noted in the background, and a person's word
//! about it.
//!
//! All of it is about what is found and ranked first. Trust, settings, lifts and the removal of locks
//! go by the folder itself, so nothing here widens them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context as _;
use jiff::Timestamp;
use serde::Serialize;

use crate::app::git::Repository;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::{App, learn};
use crate::project::Project;
use crate::store::{ProjectPlace, ProjectUse, Store, StoreError};
use crate::text::clean;
use crate::ui::layout::Page;
use crate::ui::time::ago;
use crate::ui::{Exit, Out, person};

/// List projects with their folders, names and findings, and merge them
///
/// Work trees, clones, copies and moved folders of a project are recognised automatically; forks
/// and renamed remotes are not. A search treats them as one project. Trust, settings, lifts and
/// locks belong to each folder. Only a person at a terminal can merge.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk projects
  mk projects merge github.com/me/old-name .
  mk projects merge github.com/me/old-name github.com/me/old-name   # a project of its own again")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Makes one project another name of another project; a person's decision
    Merge {
        /// The name, as it is listed; `.` for the project around this folder
        from: String,
        /// The project that it belongs to; the same name again undoes that
        into: String,
    },
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None => Does::Reads,
            Some(_) => Does::Decides(PersonDecision::Terminal("mk projects merge")),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Some(Action::Merge { from, into }) = self.action else {
            let report = list(app)?;
            return out.answer(&report, |width| view(&report, width, app.now));
        };
        let whole = named(app, &into)?;
        let (name, into, said) = if from == into {
            let name = if from == "." { whole } else { from };
            (name.clone(), name.clone(), format!("`{name}` is a project of its own"))
        } else {
            let from = named(app, &from)?;
            let said = format!("`{from}` is another name of `{whole}` now");
            (from, whole, said)
        };
        person::require_name(app, out, "merging projects", &name)?;
        app.write(|writer| writer.alias_project(&name, &into, true))?;
        out.print(&(said + "\n"))?;
        Ok(Exit::Done)
    }
}

#[derive(Debug, Default, Serialize)]
struct View {
    identity: String,
    /// Whether it is the one around the current folder.
    current: bool,
    /// Its other names: paths, and earlier spellings of its remote.
    names: BTreeSet<String>,
    places: Vec<ProjectPlace>,
    findings: u64,
    /// When it was seen last, or its newest finding was changed.
    last_seen: Option<String>,
}

/// The projects, the current one first, then those with most findings.
#[derive(Debug, Serialize)]
struct Report {
    projects: Vec<View>,
}

/// Like `see`; what goes wrong stands in the log.
pub fn see_quietly(app: &mut App) {
    app.try_to("projects", |app| see(app).context("the project was not noted"));
}

/// Notes where the current project is, and the name that means the same: the path from before it had a
/// remote, the folder from where it was moved, a copy with the same history and no remote. Starts
/// git once for each repository: for the background and for people. Of a project that
/// is excluded from learning nothing is noted.
fn see(app: &mut App) -> anyhow::Result<()> {
    let Some(place) = app.place().filter(|_| !learn::is_excluded(app)) else { return Ok(()) };
    let (now, project) = (app.now, app.project.clone());
    let Some(store) = app.existing_store()? else { return Ok(()) };
    let known = store.project_places()?;
    let mut seen = ProjectPlace {
        identity: project.identity.clone(),
        mark: project.mark(),
        package: project.package(),
        remotes: project.remotes.clone(),
        place,
        ..ProjectPlace::default()
    };
    let before = known.iter().find(|one| one.place == seen.place);
    let is_other = before.is_some_and(|before| before.mark != seen.mark);
    let commit = before.filter(|_| !is_other).and_then(|before| before.root_commit.clone());
    seen.root_commit = commit.or_else(|| root_commit(&project));
    let alias = found_alias(store, &seen, &known, is_other)?;
    store.write(now, |writer| {
        writer.see_project(&seen)?;
        if is_other {
            writer.forget_seen_alias(&seen.place)?;
        }
        alias.map_or(Ok(()), |(alias, identity)| writer.alias_project(&alias, &identity, false))
    })?;
    Ok(())
}

/// The first commit of the history of `HEAD`; the oldest where there are several.
fn root_commit(project: &Project) -> Option<String> {
    if project.is_shallow() {
        return None;
    }
    let git = Repository::at(&project.root)?;
    let question = ["rev-list", "--max-parents=0", "HEAD"];
    let output = git.run(question).ok()?;
    let commits = String::from_utf8_lossy(&output);
    let oldest = commits.lines().last()?.trim();
    oldest.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| oldest.to_owned())
}

/// Another name that means the project by what the folder shows: its path under the remote, or where it
/// has none the place that it was moved or copied from. A name that could be another folder's is never
/// taken: a clone writes its own remote, and must not draw in what is not its own.
fn found_alias(
    store: &Store,
    seen: &ProjectPlace,
    known: &[ProjectPlace],
    is_other: bool,
) -> Result<Option<(String, String)>, StoreError> {
    let own = &seen.identity;
    if !own.starts_with('/') {
        return Ok((!is_other).then(|| (seen.place.clone(), own.clone())));
    }
    if *own != seen.place {
        return Ok(None);
    }
    let others = || known.iter().filter(|one| one.place != seen.place);
    let moved = others().filter(|one| seen.mark.is_some() && one.mark == seen.mark);
    let copied = others().filter(|one| {
        seen.root_commit.is_some()
            && one.root_commit == seen.root_commit
            && one.identity.starts_with('/')
    });
    let oldest = moved
        .min_by_key(|one| one.first_seen.clone())
        .or_else(|| copied.min_by_key(|one| one.first_seen.clone()));
    let Some(oldest) = oldest else { return Ok(None) };
    let target = store.project(&oldest.identity, None)?;
    Ok((target != *own).then(|| (own.clone(), target)))
}

/// Every project that has a folder, a name or findings.
fn list(app: &mut App) -> anyhow::Result<Report> {
    app.store()?;
    see_quietly(app);
    let current = app.project_identity();
    let store = app.store()?;
    let mut projects: BTreeMap<String, View> = BTreeMap::new();
    let mut at = |name: &str, change: &dyn Fn(&mut View)| -> Result<(), StoreError> {
        let identity = store.project(name, None)?;
        let project = projects.entry(identity.clone()).or_default();
        if name != identity {
            project.names.insert(name.to_owned());
        }
        project.identity = identity;
        change(project);
        Ok(())
    };
    for place in store.project_places()? {
        at(&place.identity, &|project| {
            project.last_seen = project.last_seen.take().max(Some(place.last_seen.clone()));
            project.places.push(place.clone());
        })?;
    }
    for name in store.project_aliases()? {
        at(&name, &|_| {})?;
    }
    for (name, ProjectUse { findings, last_change }) in store.project_uses()? {
        at(&name, &|project| {
            project.last_seen = project.last_seen.take().max(last_change.clone());
            project.findings += findings;
        })?;
    }
    if let Some(name) = current {
        at(&name, &|project| project.current = true)?;
    }
    let mut projects: Vec<View> = projects.into_values().collect();
    projects.sort_by_key(|project| (!project.current, u64::MAX - project.findings));
    Ok(Report { projects })
}

/// The identity of a project by one of its names as they are listed; `.` is the one around the folder.
pub fn named(app: &mut App, name: &str) -> anyhow::Result<String> {
    let has = |project: &View| match name {
        "." => project.current,
        name => project.identity == name || project.names.contains(name),
    };
    let known = list(app)?.projects.into_iter().find(has);
    known
        .map(|project| project.identity)
        .with_context(|| format!("no project `{}` is known: `mk projects` lists them", clean(name)))
}

fn view(report: &Report, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.projects.is_empty() {
        let hint =
            "A project is recorded when a session starts in it, or when `mk projects` runs there.";
        page.nothing("No project is known yet.", hint);
    }
    for project in &report.projects {
        one(&mut page, project, now);
    }
    page.into_text()
}

fn one(page: &mut Page, project: &View, now: Timestamp) {
    page.heading(&project.identity, None);
    let seen = project.last_seen.as_deref().map(|at| format!(", seen {}", ago(at, now)));
    let here = if project.current { ", around this folder" } else { "" };
    let about = format!("{}{}{here}", project.findings, seen.unwrap_or_default());
    page.labelled(2, "findings", &about);
    for place in &project.places {
        let gone = if Path::new(&place.place).exists() { "" } else { " (gone)" };
        let package = place.package.as_ref().map_or_else(String::new, |p| format!(", package {p}"));
        page.labelled(2, "folder", &format!("{}{gone}{package}", place.place));
    }
    for name in &project.names {
        page.labelled(2, "name", name);
    }
}
