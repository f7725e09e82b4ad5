//! Which folders and names are one project: noted in the background, listed, merged by a person.
//!
//! All of it is about what is found and ranked first. Trust, settings, lifts and the removal of locks
//! go by the folder itself, so nothing here widens them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::bail;
use serde::Serialize;

use super::App;
use super::git::Repository;
use super::learn;
use crate::project::{Project, remote_name};
use crate::store::{ProjectAlias, ProjectPlace, ProjectUse, Store, StoreError};
use crate::text::clean;

/// A project with all that is known of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProjectView {
    pub identity: String,
    /// Whether it is the one around the current folder.
    pub current: bool,
    /// Other names of it, and how they came about.
    pub aliases: Vec<ProjectAlias>,
    pub places: Vec<ProjectPlace>,
    pub findings: u64,
    /// When it was seen last, or its newest finding was changed; `YYYY-MM-DD HH:MM:SS` in UTC.
    pub last_seen: Option<String>,
    /// Projects that may be the same, with the reason.
    pub maybe_same: Vec<MaybeSame>,
}

/// Another project that may be the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MaybeSame {
    pub identity: String,
    pub why: &'static str,
    pub findings: u64,
}

/// The projects, the current one first, then those with most findings.
#[derive(Debug, Serialize)]
pub struct ProjectsReport {
    pub projects: Vec<ProjectView>,
}

/// A merge or its undoing.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Merged {
    /// The name that became an alias, or is none any more.
    pub from: String,
    /// The project that it belongs to, or belonged to.
    pub into: String,
    /// Findings under `from` and its own aliases.
    pub findings: u64,
    pub dry_run: bool,
}

/// Like [`see`]; what goes wrong stands in the log.
pub fn see_quietly(app: &mut App) {
    if let Err(error) = see(app) {
        app.log.line(app.now, "projects", &format!("the project was not noted: {error:#}"));
    }
}

/// Notes where the current project is, and the names that mean the same: other spellings of its remote,
/// the path from before it had one, the folder from where it was moved, a copy with the same history and
/// no remote. Starts git once for each repository: for the background and for people. Of a project that
/// is excluded from learning nothing is noted.
pub fn see(app: &mut App) -> anyhow::Result<()> {
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
    let aliases = found_aliases(store, &project, &seen, &known, is_other)?;
    store.write(now, |writer| {
        writer.see_project(&seen)?;
        if is_other {
            writer.forget_seen_alias(&seen.place)?;
        }
        aliases.iter().try_for_each(|(alias, identity)| {
            writer.alias_project(alias, identity, false).map(drop)
        })
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
    let output = git.run_as(question, &[("GIT_NO_REPLACE_OBJECTS", "1")]).ok()?;
    let commits = String::from_utf8_lossy(&output);
    let oldest = commits.lines().last()?.trim();
    oldest.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| oldest.to_owned())
}

/// Names that mean the project by what the folder shows. A name that could be another folder's is never
/// among them: a clone writes its own remote, and must not draw in what is not its own.
fn found_aliases(
    store: &Store,
    project: &Project,
    seen: &ProjectPlace,
    known: &[ProjectPlace],
    is_other: bool,
) -> Result<Vec<(String, String)>, StoreError> {
    let own = &seen.identity;
    if !own.starts_with('/') {
        let is_spelling = |name: &&String| {
            let again = remote_name(&format!("https://{name}"), &project.root);
            !name.starts_with('/') && again.as_ref() == Some(own)
        };
        let spelled = project.former.iter().filter(is_spelling);
        let by_path = Some(&seen.place).filter(|_| !is_other);
        return Ok(spelled.chain(by_path).map(|name| (name.clone(), own.clone())).collect());
    }
    if *own != seen.place {
        return Ok(Vec::new());
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
    let Some(oldest) = oldest else { return Ok(Vec::new()) };
    let target = store.project(&oldest.identity, None)?;
    Ok(if target == *own { Vec::new() } else { vec![(own.clone(), target)] })
}

/// What the database knows of projects.
struct Known {
    current: Option<String>,
    places: Vec<ProjectPlace>,
    aliases: Vec<ProjectAlias>,
    uses: BTreeMap<String, ProjectUse>,
    /// Every name, with the identity that it has by now.
    names: BTreeMap<String, String>,
}

impl Known {
    fn read(app: &mut App) -> anyhow::Result<Self> {
        let current = app.project_identity();
        let store = app.store()?;
        let (places, aliases) = (store.project_places()?, store.project_aliases()?);
        let uses = store.project_uses()?;
        let mut names = BTreeMap::new();
        let of_places = places.iter().map(|place| &place.identity);
        let of_aliases = aliases.iter().flat_map(|one| [&one.alias, &one.identity]);
        for name in of_places.chain(of_aliases).chain(uses.keys()).chain(&current) {
            if !names.contains_key(name) {
                names.insert(name.clone(), store.project(name, None)?);
            }
        }
        Ok(Self { current, places, aliases, uses, names })
    }

    fn identity<'a>(&'a self, name: &'a str) -> &'a str {
        self.names.get(name).map_or(name, String::as_str)
    }

    fn findings(&self, identity: &str) -> u64 {
        let of = self.uses.iter().filter(|(name, _)| self.identity(name) == identity);
        of.map(|(_, uses)| uses.findings).sum()
    }

    fn view(&self, identity: &str) -> ProjectView {
        let places = self.places.iter().filter(|one| self.identity(&one.identity) == identity);
        let places: Vec<ProjectPlace> = places.cloned().collect();
        let is_alias = |one: &&ProjectAlias| one.alias != one.identity;
        let aliases = self.aliases.iter().filter(is_alias);
        let aliases = aliases.filter(|one| self.identity(&one.alias) == identity).cloned();
        let changes = self.uses.iter().filter(|(name, _)| self.identity(name) == identity);
        let changes = changes.filter_map(|(_, uses)| uses.last_change.clone());
        let last_seen = places.iter().map(|place| place.last_seen.clone()).chain(changes).max();
        ProjectView {
            identity: identity.to_owned(),
            current: self.current.as_deref() == Some(identity),
            aliases: aliases.collect(),
            findings: self.findings(identity),
            maybe_same: self.maybe_same(identity, &places),
            last_seen,
            places,
        }
    }

    fn maybe_same(&self, identity: &str, places: &[ProjectPlace]) -> Vec<MaybeSame> {
        let mut found: BTreeMap<String, &'static str> = BTreeMap::new();
        let mut add = |name: &str, why| {
            found.entry(self.identity(name).to_owned()).or_insert(why);
        };
        for place in places {
            if self.uses.contains_key(&place.place) {
                add(&place.place, "was stored under the folder's path");
            }
            for other in &self.places {
                if place.root_commit.is_some() && place.root_commit == other.root_commit {
                    add(&other.identity, "has the same first commit");
                }
            }
            for remote in &place.remotes {
                if self.names.contains_key(remote) {
                    add(remote, "is another remote of it");
                }
            }
        }
        found.remove(identity);
        let view = |(identity, why): (String, _)| MaybeSame {
            findings: self.findings(&identity),
            identity,
            why,
        };
        found.into_iter().map(view).collect()
    }

    /// The identity that a person means: a name, a folder, `.`, or the end of exactly one identity.
    fn find(&self, word: &str, app: &App) -> anyhow::Result<String> {
        let word = word.trim();
        if let Some(identity) = self.names.get(word) {
            return Ok(identity.clone());
        }
        if word == "." {
            return self
                .current
                .clone()
                .ok_or_else(|| anyhow::anyhow!("this folder is no project"));
        }
        let folder = app.project.start.join(word);
        if folder.is_dir() {
            let project = Project::find(&folder);
            if let Some(identity) = self.names.get(&project.identity) {
                return Ok(identity.clone());
            }
        }
        let end = format!("/{}", word.to_lowercase());
        let near = self.names.iter().filter(|(name, _)| name.to_lowercase().ends_with(&end));
        let near: BTreeSet<&String> = near.map(|(_, identity)| identity).collect();
        let shown = clean(word);
        match near.len() {
            1 => Ok(near.into_iter().next().cloned().unwrap_or_default()),
            0 => bail!("no project `{shown}` is known: `mk projects` lists them"),
            _ => {
                let names: Vec<String> =
                    near.iter().map(|name| format!("`{}`", clean(name))).collect();
                bail!("`{shown}` could be {}: write the whole identity", names.join(" or "))
            }
        }
    }
}

pub fn list(app: &mut App) -> anyhow::Result<ProjectsReport> {
    app.store()?;
    see_quietly(app);
    let known = Known::read(app)?;
    let identities: BTreeSet<&String> = known.names.values().collect();
    let mut projects: Vec<ProjectView> =
        identities.into_iter().map(|identity| known.view(identity)).collect();
    projects.sort_by_key(|project| (!project.current, u64::MAX - project.findings));
    Ok(ProjectsReport { projects })
}

/// One project; without a name the current one.
///
/// # Errors
/// When none or several are meant, or the database cannot be read.
pub fn show(app: &mut App, name: Option<&str>) -> anyhow::Result<ProjectView> {
    app.store()?;
    see_quietly(app);
    let known = Known::read(app)?;
    let identity = known.find(name.unwrap_or("."), app)?;
    Ok(known.view(&identity))
}

/// What a merge would do. Findings of both are found together from then on; nothing is rewritten.
///
/// # Errors
/// When a name is not known, or both are one project already.
pub fn plan_merge(app: &mut App, from: &str, into: &str) -> anyhow::Result<Merged> {
    let known = Known::read(app)?;
    let (from, into) = (known.find(from, app)?, known.find(into, app)?);
    if from == into {
        bail!("both names are `{}` already", clean(&into));
    }
    Ok(Merged { findings: known.findings(&from), from, into, dry_run: true })
}

/// What a split would do.
///
/// # Errors
/// When the name is not known, or is no other name of a project.
pub fn plan_split(app: &mut App, name: &str) -> anyhow::Result<Merged> {
    let known = Known::read(app)?;
    let word = name.trim();
    let of = |one: &&ProjectAlias| one.alias == word && one.alias != one.identity;
    let Some(alias) = known.aliases.iter().find(of) else {
        bail!("`{}` is no other name of a project: `mk projects show` lists them", clean(word));
    };
    let findings = app.store()?.project_names(&alias.alias)?;
    let findings = findings.iter().filter_map(|name| known.uses.get(name)).map(|one| one.findings);
    let into = known.identity(&alias.alias).to_owned();
    Ok(Merged { from: alias.alias.clone(), into, findings: findings.sum(), dry_run: true })
}

/// Does what [`plan_merge`] or, with `apart`, [`plan_split`] said.
pub fn decide(app: &mut App, plan: Merged, apart: bool) -> anyhow::Result<Merged> {
    let now = app.now;
    let into = if apart { &plan.from } else { &plan.into };
    app.store()?.write(now, |writer| writer.alias_project(&plan.from, into, true))?;
    Ok(Merged { dry_run: false, ..plan })
}

/// Projects with findings that may be the current one, for `mk doctor`. Other remotes do not count:
/// forks are projects of their own.
pub fn doubles(app: &mut App) -> anyhow::Result<Vec<MaybeSame>> {
    if app.place().is_none() || app.existing_store()?.is_none() {
        return Ok(Vec::new());
    }
    see_quietly(app);
    let known = Known::read(app)?;
    let Some(current) = known.current.clone() else { return Ok(Vec::new()) };
    let mut found = known.view(&current).maybe_same;
    found.retain(|one| one.findings > 0 && !one.why.contains("remote"));
    Ok(found)
}

/// Whether a folder of this name is still there.
pub fn is_there(place: &ProjectPlace) -> bool {
    Path::new(&place.place).exists()
}
