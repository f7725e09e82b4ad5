//! `mk lock`: statements that must stay as they are. Anybody may lock, a person unlocks; statements of
//! known problems are locked in the background.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{anyhow, bail};
use jiff::Timestamp;
use rayon::prelude::*;
use serde::Serialize;

use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::guard::protected_paths;
use crate::app::{App, lean_files};
use crate::files;
use crate::guard::FalseLemma;
use crate::lean::{self, Claim};
use crate::model::{LockRecord, word_key};
use crate::projects;
use crate::text::{clean, clean_block, clip, hash, nearest, one_line};
use crate::ui::layout::Page;
use crate::ui::time::ago;
use crate::ui::{Exit, Out, person};

/// Lock statements: edits that change one are refused, even while it is unproved
///
/// Anyone may lock; only a person in a terminal may unlock, and what was unlocked is not locked
/// again automatically. Statements of known problems, and of sketches that the prover works on, are
/// locked automatically.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk lock Erdos.main
  mk lock main helper --file Src/Main.lean
  mk lock --list
  mk lock Erdos.main --remove")]
pub(crate) struct Args {
    /// Full names of declarations
    #[arg(value_name = "DECL", required_unless_present = "list")]
    names: Vec<String>,
    /// The file that declares them (default: any file of the project)
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
    /// List the locks
    #[arg(long, conflicts_with_all = ["names", "file", "remove"])]
    list: bool,
    /// Remove the locks (by a person)
    #[arg(long, conflicts_with = "file")]
    remove: bool,
}

/// Locks are looked for in a project's files at most this often.
const PAUSE: Duration = Duration::from_mins(10);

impl Args {
    pub(crate) fn does(self) -> Does {
        match (self.list, self.remove) {
            (true, _) => Does::Reads,
            (_, true) => Does::Decides(PersonDecision::Terminal("mk lock --remove")),
            _ => Does::Proposes,
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.list {
            let locks = list(app)?;
            out.answer(&BTreeMap::from([("locks", &locks)]), |width| view(&locks, width, app.now))?;
            return Ok(Exit::Done);
        }
        if self.remove {
            return remove(app, &self.names, out);
        }
        let locked = lock(app, &self.names, self.file.as_deref())?;
        out.answer(&BTreeMap::from([("locks", &locked)]), |width| view_locked(&locked, width))
    }
}

fn remove(app: &mut App, names: &[String], out: &mut Out) -> anyhow::Result<Exit> {
    person::require(app, "removing a lock")?;
    for name in names {
        person::require_name(app, out, "removing a lock", name)?;
    }
    let removed = unlock(app, names)?;
    if out.json {
        out.object(&serde_json::json!({ "removed": removed }))?;
    }
    for name in names {
        if !removed.contains(name) {
            out.note(&format!("mk: `{name}` was not locked"));
        } else if !out.json {
            out.print(&format!("{name} is no longer locked\n"))?;
        }
    }
    Ok(if removed.is_empty() { Exit::Failed } else { Exit::Done })
}

/// More definitions than a statement rests on are not held.
const MOST_HELD: usize = 256;

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Locked {
    new: bool,
    #[serde(flatten)]
    lock: LockRecord,
    /// Modules outside of the project that its file imports: what they bring is not held.
    not_held: Vec<String>,
}

/// Locks the statements of these declarations as they stand in a file, or in the project's files.
fn lock(app: &mut App, names: &[String], file: Option<&str>) -> anyhow::Result<Vec<Locked>> {
    let (project, identity) = project(app)?;
    let file = file.map(|file| app.project.stable_path(&protected_paths::named(app, None, file)));
    let all = declared(app, file.as_deref());
    let find = |name: &String| {
        let found = all.iter().find(|one| one.declaration == *name).cloned();
        found.ok_or_else(|| {
            let place = file.as_deref().unwrap_or("this project's Lean files");
            anyhow!("{place}: no declaration `{}`{}", clean(name), meant(&all, name))
        })
    };
    let locks = names.iter().map(find).collect::<anyhow::Result<Vec<_>>>()?;
    let known: BTreeSet<String> =
        app.store()?.locks(&project, &identity)?.into_iter().map(|lock| lock.declaration).collect();
    let locks = keep(app, &project, "person", locks)?.into_iter();
    let locked = locks.map(|lock| {
        let (new, not_held) = (!known.contains(&lock.declaration), not_held(app, &lock));
        Locked { new, lock, not_held }
    });
    Ok(locked.collect())
}

fn not_held(app: &App, lock: &LockRecord) -> Vec<String> {
    let root = app.project.root.as_path();
    let text = lock.file.as_deref().and_then(|file| lean_files::text(&root.join(file)).ok());
    let imports = text.map(|text| lean::skim(&text).imports).unwrap_or_default().into_iter();
    let is_own = |module: &String| root.join(module.replace('.', "/") + ".lean").is_file();
    imports.filter(|module| !is_own(module)).collect()
}

/// The definitions of the project that a statement speaks of, also by others of them, as far as text shows which.
fn rests_on(app: &App, lock: &LockRecord, all: &BTreeMap<&str, &str>) -> Vec<String> {
    let root = app.project.root.as_path();
    let mut found = vec![lock.declaration.clone()];
    let mut at = 0;
    while let Some(name) = found.get(at) {
        let text = all.get(name.as_str()).and_then(|file| lean_files::text(&root.join(file)).ok());
        let text = text.unwrap_or_default();
        let statements = lean::Statements::of(&text);
        let declarations = statements.outline().declarations.iter().enumerate();
        let mut named = declarations.filter(|(_, one)| one.name.as_deref() == Some(name));
        // The statement itself, and of what it rests on the definitions.
        let one = named.find(|(_, one)| at == 0 || !one.kind.is_proof());
        match one {
            Some((index, _)) => {
                for meanings in statements.speaks_of(index) {
                    let meant = meanings.into_iter().find(|name| all.contains_key(name.as_str()));
                    let new = meant.filter(|name| !found.contains(name));
                    found.extend(new.filter(|_| found.len() <= MOST_HELD));
                }
                at += 1;
            }
            None if at == 0 => return Vec::new(),
            None => drop(found.remove(at)),
        }
    }
    found.split_off(1)
}

fn keep(
    app: &mut App,
    project: &str,
    origin: &str,
    mut locks: Vec<LockRecord>,
) -> anyhow::Result<Vec<LockRecord>> {
    let all = if locks.is_empty() { Vec::new() } else { declared(app, None) };
    let files = all.iter().filter_map(|one| Some((one.declaration.as_str(), one.file.as_deref()?)));
    let files: BTreeMap<&str, &str> = files.collect();
    for lock in &mut locks {
        project.clone_into(&mut lock.project);
        origin.clone_into(&mut lock.origin);
        lock.rests_on = rests_on(app, lock, &files);
    }
    app.write(|writer| locks.iter().try_for_each(|lock| writer.lock(lock)))?;
    // Clones find the locks of this place only once it is noted.
    projects::see_quietly(app);
    Ok(locks)
}

/// The place under which locks are kept, and the identity under which those of clones are found.
fn project(app: &mut App) -> anyhow::Result<(String, String)> {
    match app.place().zip(app.project_identity()) {
        Some(names) => Ok(names),
        None => bail!("this is not a project: locks belong to a git repository or a Lake package"),
    }
}

fn list(app: &mut App) -> anyhow::Result<Vec<LockRecord>> {
    let Ok((place, identity)) = project(app) else { return Ok(Vec::new()) };
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    Ok(store.locks(&place, &identity)?)
}

/// Removes locks for good and returns the names that were locked. The lock of another folder of the
/// same name is removed there; from here only where that folder is gone, or where the lock is from
/// before locks belonged to folders.
fn unlock(app: &mut App, names: &[String]) -> anyhow::Result<Vec<String>> {
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
        let any = store.write(now, |writer| {
            places.iter().try_fold(false, |any, place| Ok(writer.unlock(place, name)? || any))
        })?;
        if any {
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
/// that a person took or removed stays as it is. Returns how many were found.
///
/// Walks the project: for the background only, and not more often than every ten minutes.
pub(crate) fn sync(app: &mut App) -> anyhow::Result<usize> {
    let Some(project) = app.place() else { return Ok(0) };
    let Some(store) = app.existing_store()? else { return Ok(0) };
    let mut by_claim = HashSet::new();
    let mut in_flight = BTreeSet::new();
    for target in store.problem_targets()? {
        if target.in_flight {
            in_flight.insert(word_key(&target.id));
        }
        by_claim.extend(target.statement.as_deref().and_then(lean_claim));
    }
    let mark = hash(app.project.root.to_string_lossy().as_bytes(), 8);
    let mark = app.paths.state_dir.join("locks").join(mark);
    let nothing = by_claim.is_empty() && in_flight.is_empty();
    if nothing || !files::is_due(&mark, app.now.into(), PAUSE) {
        return Ok(0);
    }
    let (mut stated, mut worked_on) = (Vec::new(), Vec::new());
    for lock in declared(app, None) {
        let key = lock.statement.as_deref().and_then(lean_claim);
        if key.as_ref().is_some_and(|key| by_claim.contains(key)) {
            stated.push(lock);
        } else if key.is_some() && in_flight.contains(&word_key(lean::last_part(&lock.declaration)))
        {
            worked_on.push(lock);
        }
    }
    let count = stated.len() + worked_on.len();
    keep(app, &project, "problem", stated)?;
    keep(app, &project, "prover", worked_on)?;
    Ok(count)
}

/// What a statement in Lean claims; `None` for words, and for what is no theorem.
fn lean_claim(statement: &str) -> Option<Claim> {
    let first = statement.split_whitespace().next()?;
    matches!(first, "theorem" | "lemma").then(|| FalseLemma::claim_of(statement)).flatten()
}

/// Every named declaration of a file (relative to the root), or of all of the project's Lean files, as
/// a lock of it.
fn declared(app: &App, file: Option<&str>) -> Vec<LockRecord> {
    let files = match file {
        Some(file) => vec![app.project.root.join(file)],
        None => lean_files::below(&app.project.root).files,
    };
    let root = app.project.root.as_path();
    let of_file = |path: &PathBuf| {
        let file = path.strip_prefix(root).unwrap_or(path);
        let file = file.to_string_lossy().replace('\\', "/");
        let text = lean_files::text(path).ok()?;
        let locks = lean::skim(&text).declarations.into_iter().filter_map(|declaration| {
            Some(LockRecord {
                statement: Some(clean_block(declaration.statement(&text).trim())),
                declaration: declaration.name?,
                file: Some(file.clone()),
                ..LockRecord::default()
            })
        });
        Some(locks.collect::<Vec<_>>())
    };
    files.par_iter().filter_map(of_file).flatten().collect()
}

/// Where a name is not declared, the names that were perhaps meant, as the end of a sentence.
pub(crate) fn undeclared(app: &App, name: &str, file: Option<&str>) -> Option<String> {
    let all = declared(app, file);
    all.iter().all(|one| one.declaration != name).then(|| meant(&all, name))
}

fn meant(all: &[LockRecord], name: &str) -> String {
    let last = lean::last_part(name);
    let names = || all.iter().map(|one| one.declaration.as_str());
    let mut near: BTreeSet<&str> = names().filter(|one| lean::last_part(one) == last).collect();
    if near.is_empty() {
        near.extend(nearest(name, names()));
    }
    let near: Vec<&str> = near.into_iter().take(3).collect();
    if near.is_empty() {
        String::new()
    } else {
        format!(" (do you mean `{}`?)", near.join("` or `"))
    }
}

fn view(locks: &[LockRecord], width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if locks.is_empty() {
        page.paragraph(1, "No statement is locked here. `mk lock <declaration>` locks one.");
    }
    for lock in locks {
        let from = match lock.origin.as_str() {
            "problem" => "states a known problem",
            "prover" => "the prover works on it",
            _ => "locked by hand",
        };
        page.heading(&clean(&lock.declaration), None);
        let file = lock.file.as_deref().map(clean).unwrap_or_default();
        let parts = [file, from.to_owned(), ago(&lock.locked_at, now)];
        page.parts(2, parts.into_iter().filter(|part| !part.is_empty()).collect());
        let statement = statement(lock, &page);
        if !statement.is_empty() {
            page.line(2, &statement);
        }
    }
    page.into_text()
}

fn view_locked(locked: &[Locked], width: usize) -> String {
    let mut page = Page::new(width);
    for Locked { new, lock, not_held } in locked {
        let file = lock.file.as_deref().unwrap_or_default();
        let word = if *new { "locked" } else { "locked again" };
        page.line(1, &clean(&format!("{word}: {} ({file})", lock.declaration)));
        let statement = statement(lock, &page);
        page.line(2, &statement);
        page.labelled(2, "Held with it", &lock.rests_on.join(", "));
        let other = not_held.iter().map(|module| format!("`{module}`"));
        let other = ["instances".to_owned()].into_iter().chain(other).collect::<Vec<_>>();
        page.labelled(2, "Not held", &other.join(", "));
    }
    page.into_text()
}

fn statement(lock: &LockRecord, page: &Page) -> String {
    clip(&one_line(lock.statement.as_deref().unwrap_or_default()), page.room(2))
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
    fn a_lock_holds_what_its_statement_rests_on_in_other_files() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("lean-toolchain"), "").unwrap();
        for (file, text) in [
            (
                "Main.lean",
                "import Mathlib.Order.Basic\nimport Mid\nopen Sums\n\
                 theorem main (rim : Nat) : Covers rim := sorry\n",
            ),
            (
                "Mid.lean",
                "import Base\nnamespace Sums\ndef Covers (n : Nat) := Base.limit n < 7\nend Sums\n",
            ),
            (
                "Base.lean",
                "def Base.limit (n : Nat) := twice n\ndef twice (n : Nat) := n + n\n\
                 def rim := 3\ndef Other.limit := rim\ntheorem twice_le : True := trivial\n",
            ),
        ] {
            fs::write(dir.path().join(file), text).unwrap();
        }
        let mut app = app(dir.path(), "2026-02-01T12:00:00Z");
        let locked = lock(&mut app, &["main".to_owned()], None).unwrap();
        let held = ["Sums.Covers", "Base.limit", "twice"];
        assert_eq!(locked[0].lock.rests_on, held, "`rim` is a variable there");
        assert_eq!(locked[0].not_held, ["Mathlib.Order.Basic"]);
        assert_eq!(list(&mut app).unwrap()[0].rests_on, held);
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

    #[test]
    fn names_that_were_perhaps_meant() {
        let lock = |name: &str| LockRecord { declaration: name.to_owned(), ..Default::default() };
        let all = ["A.foo", "B.foo", "bar"].map(lock);
        for (name, expected) in [
            ("foo", " (do you mean `A.foo` or `B.foo`?)"),
            ("baz", " (do you mean `bar`?)"),
            ("something", ""),
        ] {
            assert_eq!(meant(&all, name), expected, "{name}");
        }
    }
}
