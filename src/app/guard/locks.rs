//! Locked statements: taken by anybody, found from what is known of problems, removed by a person.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use serde::Serialize;

use super::declared::{self, Place};
use super::protected_paths;
use crate::app::App;
use crate::files;
use crate::guard::FalseLemma;
use crate::lean::{self, Claim};
use crate::model::{LockRecord, word_key};
use crate::projects;
use crate::store::Writer;
use crate::text::{clean, hash};

/// Locks are looked for in a project's files at most this often.
const PAUSE: Duration = Duration::from_mins(10);

/// A lock, and whether it is new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Locked {
    /// Whether the statement was not locked before.
    pub new: bool,
    #[serde(flatten)]
    pub lock: LockRecord,
}

/// Locks the statements of these declarations as they stand in a file, or in the project's files.
///
/// # Errors
/// When a name is not declared there, with names that are near; when there is no project or no store.
pub fn lock(app: &mut App, names: &[String], file: Option<&str>) -> anyhow::Result<Vec<Locked>> {
    let (project, identity) = project(app)?;
    let file = file.map(|file| app.project.stable_path(&protected_paths::named(app, None, file)));
    let places = declared::all(app, file.as_deref());
    let mut locks = Vec::new();
    for name in names {
        let search = declared::among(places.clone(), name);
        let Some(place) = search.places.first() else {
            let place = file.as_deref().unwrap_or("this project's Lean files");
            bail!("{place}: no declaration `{}`{}", clean(name), search.hint());
        };
        locks.push(record(&project, place, "person"));
    }
    let now = app.now;
    let store = app.store()?;
    let known = store.locks(&project, &identity)?;
    let is_known = |lock: &LockRecord| known.iter().any(|k| k.declaration == lock.declaration);
    store.write(now, |writer| locks.iter().try_for_each(|lock| writer.lock(lock)))?;
    // Clones find the locks of this place only once it is noted.
    projects::see_quietly(app);
    Ok(locks.into_iter().map(|lock| Locked { new: !is_known(&lock), lock }).collect())
}

fn record(project: &str, place: &Place, origin: &str) -> LockRecord {
    LockRecord {
        project: project.to_owned(),
        declaration: place.name.clone(),
        statement: Some(place.statement.clone()),
        file: Some(place.file.clone()),
        origin: origin.to_owned(),
        locked_at: String::new(),
    }
}

/// The place under which locks are kept, and the identity under which those of clones are found.
fn project(app: &mut App) -> anyhow::Result<(String, String)> {
    match app.place().zip(app.project_identity()) {
        Some(names) => Ok(names),
        None => bail!("this is no project: locks belong to a git repository or a Lake package"),
    }
}

/// The locks of this project, by declaration.
///
/// # Errors
/// When the database cannot be read.
pub fn list(app: &mut App) -> anyhow::Result<Vec<LockRecord>> {
    let Ok((place, identity)) = project(app) else { return Ok(Vec::new()) };
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    Ok(store.locks(&place, &identity)?)
}

/// Removes locks for good: they are not found again. Returns the names that were locked.
///
/// A lock of another folder of the same name is removed there, by whoever has that folder; from here
/// only where the folder is gone, or where the lock is from before locks belonged to folders.
///
/// # Errors
/// When there is no project or no store, or when the lock belongs to another folder.
pub fn unlock(app: &mut App, names: &[String]) -> anyhow::Result<Vec<String>> {
    let (here, identity) = project(app)?;
    let now = app.now;
    let store = app.store()?;
    let mut removed = Vec::new();
    for name in names {
        let mut places = vec![here.clone()];
        let locks = store.locks(&here, &identity)?;
        let others = locks.into_iter().filter(|lock| lock.declaration == *name);
        let has_folder = |place: &str| place.starts_with('/') && Path::new(place).exists();
        places.extend(others.map(|lock| lock.project).filter(|place| !has_folder(place)));
        let unlock = |writer: &Writer<'_>| {
            let mut any = false;
            for place in &places {
                any |= writer.unlock(place, name)?;
            }
            Ok(any)
        };
        if store.write(now, unlock)? {
            removed.push(name.clone());
        }
        let left = store.locks(&here, &identity)?;
        if let Some(lock) = left.iter().find(|lock| lock.declaration == *name) {
            let (name, place) = (clean(name), clean(&lock.project));
            bail!("`{name}` is locked in `{place}`: remove the lock there");
        }
    }
    Ok(removed)
}

/// Locks the statements in this project's files that problems speak of: those that a problem states,
/// word for word up to names, and open ones named after a problem that the prover works on. A lock
/// that a person took or removed stays as it is. Returns how many there are now of these.
///
/// Walks the project: for the background only, and not more often than every ten minutes.
///
/// # Errors
/// When the database cannot be read or written.
pub fn sync(app: &mut App) -> anyhow::Result<usize> {
    let Some(project) = app.place() else { return Ok(0) };
    let targets = match app.existing_store()? {
        Some(store) => store.problem_targets()?,
        None => return Ok(0),
    };
    let mut by_claim = HashSet::new();
    let mut in_flight = BTreeSet::new();
    for target in targets {
        if target.in_flight {
            in_flight.insert(word_key(&target.id));
        }
        if let Some(key) = target.statement.as_deref().and_then(lean_claim) {
            by_claim.insert(key);
        }
    }
    if (by_claim.is_empty() && in_flight.is_empty()) || !is_due(app) {
        return Ok(0);
    }
    let mut locks = Vec::new();
    for place in declared::all(app, None) {
        let key = lean_claim(&place.statement);
        if key.as_ref().is_some_and(|key| by_claim.contains(key)) {
            locks.push(record(&project, &place, "problem"));
        } else if key.is_some() && in_flight.contains(&word_key(lean::last_part(&place.name))) {
            locks.push(record(&project, &place, "prover"));
        }
    }
    let now = app.now;
    app.store()?.write(now, |writer| locks.iter().try_for_each(|lock| writer.lock(lock)))?;
    projects::see_quietly(app);
    Ok(locks.len())
}

/// What a statement in Lean claims; `None` for words, and for what is no theorem.
fn lean_claim(statement: &str) -> Option<Claim> {
    let first = statement.split_whitespace().next()?;
    matches!(first, "theorem" | "lemma").then(|| FalseLemma::claim_of(statement)).flatten()
}

/// Whether the last time is long enough ago; then this is the last time.
fn is_due(app: &App) -> bool {
    let name = hash(app.project.root.to_string_lossy().as_bytes(), 8);
    let mark = app.paths.state_dir.join("locks").join(name);
    files::is_due(&mark, app.now.into(), PAUSE)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::model::{ProblemDraft, ProblemStatus};
    use crate::paths::Environment;

    fn app(folder: &std::path::Path, now: &str) -> App {
        let home = folder.join("home");
        let environment = Environment::of(&[
            ("MK_HOME", home.to_str().unwrap()),
            ("CLAUDE_PROJECT_DIR", folder.to_str().unwrap()),
        ]);
        App::new(environment, now.parse().unwrap(), None, None).unwrap()
    }

    fn names(locks: &[LockRecord]) -> Vec<String> {
        locks.iter().map(|lock| format!("{} {}", lock.declaration, lock.origin)).collect()
    }

    #[test]
    fn locks_are_taken_listed_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("lean-toolchain"), "").unwrap();
        let text = "namespace A\ntheorem foo (n : Nat) :\n    n = n := rfl\nend A\n";
        fs::write(dir.path().join("M.lean"), text).unwrap();
        let mut app = app(dir.path(), "2026-02-01T12:00:00Z");
        let wanted = |name: &str| vec![name.to_owned()];
        let error = lock(&mut app, &wanted("foo"), None).unwrap_err().to_string();
        assert_eq!(error, "this project's Lean files: no declaration `foo` (do you mean `A.foo`?)");
        let error = lock(&mut app, &wanted("A.foo"), Some("N.lean")).unwrap_err().to_string();
        assert!(error.starts_with("N.lean: no declaration"), "{error}");
        let locked = lock(&mut app, &wanted("A.foo"), None).unwrap();
        assert!(locked[0].new);
        assert!(!lock(&mut app, &wanted("A.foo"), Some("M.lean")).unwrap()[0].new);
        let listed = list(&mut app).unwrap();
        assert_eq!(names(&listed), ["A.foo person"]);
        assert_eq!(listed[0].statement.as_deref(), Some("theorem foo (n : Nat) :\n    n = n"));
        assert_eq!(unlock(&mut app, &wanted("A.foo")).unwrap(), ["A.foo"]);
        assert_eq!(unlock(&mut app, &wanted("A.foo")).unwrap(), [""; 0]);
        assert_eq!(list(&mut app).unwrap(), []);
    }

    #[test]
    fn statements_of_problems_are_found_once_in_a_while() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("lean-toolchain"), "").unwrap();
        let text = "theorem mine (n : Nat) : n + 0 = n := sorry\n\
                    theorem Erdos_7 : 1 = 1 := sorry\n\
                    theorem erdos_8 : 2 = 2 := sorry\n\
                    def erdos_7 : Nat := 3\n\
                    theorem other : 3 = 3 := sorry\n";
        fs::write(dir.path().join("M.lean"), text).unwrap();
        let mut app = app(dir.path(), "2026-02-01T12:00:00Z");
        assert_eq!(sync(&mut app).unwrap(), 0, "no database");
        let problem = |id: &str, status, statement: Option<&str>| ProblemDraft {
            id: id.to_owned(),
            name: id.to_owned(),
            domain: None,
            status,
            statement: statement.map(str::to_owned),
            best_result: None,
            notes: None,
            // Stated, not found in a file: only then its status counts.
            counts: Some((1, 0, 0)),
        };
        let now = app.now;
        let drafts = [
            problem("p1", ProblemStatus::Open, Some("theorem p1 (k : Nat) : k + 0 = k")),
            problem("p2", ProblemStatus::Open, Some("Every number is a number: 3 = 3.")),
            problem("erdos-7", ProblemStatus::InFlight, None),
            problem("erdos_8", ProblemStatus::Open, None),
        ];
        let store = app.store().unwrap();
        store.write(now, |w| drafts.iter().try_for_each(|d| w.put_problem(d).map(drop))).unwrap();
        assert_eq!(sync(&mut app).unwrap(), 2);
        assert_eq!(names(&list(&mut app).unwrap()), ["Erdos_7 prover", "mine problem"]);
        assert_eq!(sync(&mut app).unwrap(), 0, "too early");
        unlock(&mut app, &["mine".to_owned()]).unwrap();
        app.now = "2026-02-01T12:11:00Z".parse().unwrap();
        sync(&mut app).unwrap();
        assert_eq!(
            names(&list(&mut app).unwrap()),
            ["Erdos_7 prover"],
            "what a person removed stays so"
        );
    }
}
