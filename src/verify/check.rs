//! One file of the project before its own Lean: compiled, asked about, replayed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::ask::{self, Answer, Print};
use super::lake::{Built, Lake, Stopped, complaint};
use super::state::stamp;
use crate::app::background::Ran;
use crate::app::lean_files;
use crate::files;
use crate::guard::Rule;
use crate::guard::audit::{self, Knowledge};
use crate::lean::{self, Declaration, Outline, Statements, diagnostics};
use crate::learn::results;
use crate::model::{KernelVerdict, REPLAY_REFUSES, verdict_of};
use crate::project::Project;
use crate::store::{KernelCheck, KernelFile, NEGATION, SeenFile};
use crate::text::{clip, hash, one_line};

/// The module as which a file is compiled that is none of a library.
pub(super) const ALONE: &str = "MkUnit";

/// What neither the kernel nor a replay checks.
pub(super) const UNSAFE: &str = "unsafe";

/// The kind of a theorem that the text of a file has, and Lean does not.
pub(crate) const LEFT_OUT: &str = "left out";

const PROBLEM_COLUMNS: usize = 200;

const STATEMENT_COLUMNS: usize = 1000;

#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) build: bool,
    pub(super) replay: bool,
    pub(super) allowed: &'a [String],
}

/// A file that Lean was asked about; or why it could not be asked, which changes nothing that is known.
pub(super) type Checked = Result<(KernelFile, Vec<KernelCheck>), String>;

#[derive(Debug, Clone)]
struct Read {
    seen: SeenFile,
    imports: Vec<PathBuf>,
    /// Changes how terms are printed, or how Lean answers.
    prints: bool,
}

/// Reads each file of the project once, for all that import it.
pub(super) struct Files<'a> {
    pub(super) project: &'a Project,
    pub(super) lake: &'a Lake,
    read: Mutex<HashMap<PathBuf, Option<Read>>>,
}

pub(super) struct Compiled {
    pub(super) module: String,
    /// The folder to add to Lean's path where it is not one of Lake's.
    pub(super) folder: Option<PathBuf>,
    pub(super) index: PathBuf,
}

pub(super) enum Unasked {
    /// Lean does not accept the file.
    Refused(String),
    /// Lean could not be asked about it.
    Impossible(String),
}

impl From<anyhow::Error> for Unasked {
    fn from(error: anyhow::Error) -> Self {
        Self::Impossible(format!("{error:#}"))
    }
}

impl<'a> Files<'a> {
    pub(super) fn new(project: &'a Project, lake: &'a Lake) -> Self {
        Self { project, lake, read: Mutex::new(HashMap::new()) }
    }

    fn read(&self, path: &Path) -> Option<Read> {
        if let Some(known) = self.read.lock().ok()?.get(path) {
            return known.clone();
        }
        let read = self.look(path);
        self.read.lock().ok()?.insert(path.to_owned(), read.clone());
        read
    }

    fn look(&self, path: &Path) -> Option<Read> {
        let (size, mtime_ns) = stamp(&fs::metadata(path).ok()?);
        let bytes = lean_files::bytes(path).ok()?;
        let text = lean::decode(&bytes).text;
        let file = self.project.stable_path(path);
        let imports = lean::skim(&text).imports;
        let overrides = || {
            let hits = audit::audit(&text, Knowledge::default()).hits;
            hits.iter().any(|hit| hit.rule == Rule::OverriddenCommand)
        };
        let prints = ["unexpander", "delab", "Delab"].iter().any(|word| text.contains(word));
        let prints = prints || overrides();
        let imports = imports.iter().filter_map(|module| self.lake.file_of(module));
        let seen = SeenFile { file, hash: hash(&bytes, 16), size, mtime_ns };
        Some(Read { seen, imports: imports.collect(), prints })
    }

    /// The files of the project that a file imports, also by others, without itself.
    pub(super) fn imported(&self, path: &Path) -> Vec<PathBuf> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![path.to_owned()];
        while let Some(next) = waiting.pop() {
            let imports = self.read(&next).map(|read| read.imports).unwrap_or_default();
            waiting.extend(imports.into_iter().filter(|one| found.insert(one.clone())));
        }
        found.remove(path);
        found.into_iter().collect()
    }

    /// Whether the file, or one that it imports, changes what Lean prints.
    pub(super) fn prints(&self, path: &Path) -> bool {
        let imported = self.imported(path);
        let mut all = [path].into_iter().chain(imported.iter().map(PathBuf::as_path));
        all.any(|path| self.read(path).is_some_and(|read| read.prints))
    }

    /// Asks Lean about a file.
    ///
    /// # Errors
    /// Only [`Stopped`].
    pub(super) fn check(
        &self,
        path: &Path,
        wanted: Wanted<'_>,
        at: &str,
    ) -> anyhow::Result<Checked> {
        let Some(read) = self.read(path) else { return Ok(Err("it cannot be read".to_owned())) };
        let text = match lean_files::text(path) {
            Ok(text) => text,
            Err(reason) => return Ok(Err(reason.to_string())),
        };
        let imported = self.imported(path);
        let others: Vec<Read> = imported.iter().filter_map(|path| self.read(path)).collect();
        let mut of = KernelFile {
            seen: read.seen,
            module: self.lake.module(path).map_or_else(|| ALONE.to_owned(), |(module, _)| module),
            toolchain: self.lake.toolchain.clone(),
            manifest: self.lake.manifest.clone(),
            checked_at: at.to_owned(),
            imports: others.iter().map(|other| other.seen.clone()).collect(),
            ..KernelFile::default()
        };
        let statements = Statements::of(&text);
        let folder = tempfile::tempdir()?;
        let answers = match self.ask(path, &text, wanted, folder.path()) {
            Ok((answers, replayed)) => {
                of.replayed = replayed;
                answers
            }
            Err(Unasked::Refused(problem)) => {
                of.problem = Some(problem);
                Vec::new()
            }
            Err(Unasked::Impossible(_)) if wanted_stop(self.lake) => return Err(Stopped.into()),
            Err(Unasked::Impossible(reason)) => return Ok(Err(reason)),
        };
        // What was compiled may be another text than what is there now.
        let again = lean_files::bytes(path).map(|bytes| hash(&bytes, 16));
        if again.ok() != Some(of.seen.hash.clone()) {
            return Ok(Err("it changed while Lean was asked about it".to_owned()));
        }
        let mut checks = judged(&of, answers, &statements, wanted.allowed);
        if of.problem.is_none() {
            checks.extend(self.negations(path, &text, wanted)?);
        }
        Ok(Ok((of, checks)))
    }

    /// The answers about all declarations of a file, with their lines, and whether it was replayed.
    fn ask(
        &self,
        path: &Path,
        text: &str,
        wanted: Wanted<'_>,
        folder: &Path,
    ) -> Result<(Vec<(Answer, u64)>, bool), Unasked> {
        let compiled = self.compiled(path, text, wanted, folder)?;
        let told = told(self.lake, &compiled)?;
        if wanted.replay {
            self.replayed(&compiled, &self.imported(path))?;
        }
        Ok((told, wanted.replay))
    }

    /// Statements as Lean prints them, where it can be asked and nothing changes how.
    pub(super) fn printed(&self, path: &Path, names: &[&str]) -> HashMap<String, String> {
        let print = || {
            let text = lean_files::text(path).ok()?;
            let folder = tempfile::tempdir().ok()?;
            let wanted = Wanted { build: false, replay: false, allowed: &[] };
            let compiled = self.compiled(path, &text, wanted, folder.path()).ok()?;
            ask::statements(self.lake, &compiled, names, Print::ToRead).ok()
        };
        let printed = if self.prints(path) { None } else { print() };
        let printed = printed.unwrap_or_default().into_iter();
        printed.map(|(name, it)| (name, clip(&one_line(&it.text), STATEMENT_COLUMNS))).collect()
    }

    /// Of the statements that the prover refuted in the file, those whose negation Lean accepts.
    ///
    /// # Errors
    /// Only [`Stopped`].
    fn negations(
        &self,
        path: &Path,
        text: &str,
        wanted: Wanted<'_>,
    ) -> anyhow::Result<Vec<KernelCheck>> {
        let name = "mk_not";
        let mut checks = Vec::new();
        for negation in results::negations(text, &format!("_root_.{name}")) {
            let mut answers =
                negation.texts.iter().map(|text| self.negation(path, text, name, wanted));
            let answer = answers.find_map(Result::transpose).transpose();
            if wanted_stop(self.lake) {
                return Err(Stopped.into());
            }
            let Ok(Some(answer)) = answer else { continue };
            checks.push(KernelCheck {
                name: format!("¬ {}", negation.name),
                kind: NEGATION.to_owned(),
                line: negation.line.unwrap_or_default() as u64,
                statement: statement(&answer),
                elaborated: hash(&answer.elaborated, 16),
                verdict: KernelVerdict::Accepted,
                axioms: answer.axioms,
                complete: true,
                ..KernelCheck::default()
            });
        }
        Ok(checks)
    }

    /// What Lean says of a theorem of a text, if it accepts it.
    fn negation(
        &self,
        path: &Path,
        text: &str,
        name: &str,
        wanted: Wanted<'_>,
    ) -> anyhow::Result<Option<Answer>> {
        let folder = tempfile::tempdir()?;
        let Ok(compiled) = compile(self.lake, text, folder.path(), ALONE) else { return Ok(None) };
        let Ok(answers) = ask::answers(self.lake, &compiled, &[name.to_owned()]) else {
            return Ok(None);
        };
        if wanted.replay && self.replayed(&compiled, &self.imported(path)).is_err() {
            return Ok(None);
        }
        let is_accepted = |answer: &Answer| {
            let (verdict, _) = verdict_of(&answer.axioms, wanted.allowed);
            answer.problem.is_none() && verdict == KernelVerdict::Accepted
        };
        Ok(answers.into_iter().next().filter(is_accepted))
    }

    /// Checks a compiled file again, with the files of the project that it imports.
    pub(super) fn replayed(
        &self,
        compiled: &Compiled,
        imported: &[PathBuf],
    ) -> Result<(), Unasked> {
        let mut modules = vec![compiled.module.clone()];
        modules.extend(imported.iter().filter_map(|path| {
            let (module, compiled) = self.lake.module(path)?;
            compiled.map(|_| module)
        }));
        let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
        match self.lake.replay(&modules, compiled.folder.as_deref())? {
            Some(ran) if ran.code == Some(0) => Ok(()),
            Some(ran) => Err(Unasked::Refused(format!("{REPLAY_REFUSES}: {}", complaint(&ran)))),
            None => Err(Unasked::Impossible(
                "this toolchain has no `leanchecker` and the project no `lean4checker`".to_owned(),
            )),
        }
    }

    /// That what a file imports of the project is built as it is now: a file that is compiled by itself is compiled with
    /// that.
    pub(super) fn imports_are_built(&self, path: &Path, build: bool) -> Result<(), Unasked> {
        let imports = self.read(path).map(|read| read.imports).unwrap_or_default();
        for (module, _) in imports.iter().filter_map(|path| self.lake.module(path)) {
            let is_old = || self.lake.is_built(&module).map(|built| built == Built::No);
            if is_old()? && (!build || self.lake.build(&module)?.code != Some(0) || is_old()?) {
                return Err(Unasked::Impossible(format!(
                    "what it imports is not built as it is now: `lake build {module}`"
                )));
            }
        }
        Ok(())
    }

    /// The compiled file of a module, made from this text: Lake's where the file is one of a library, else one of our own
    /// in `folder`.
    fn compiled(
        &self,
        path: &Path,
        text: &str,
        wanted: Wanted<'_>,
        folder: &Path,
    ) -> Result<Compiled, Unasked> {
        if let Some((module, compiled)) = self.lake.module(path)
            && (compiled.is_some() || wanted.build)
        {
            let mut built = self.lake.is_built(&module)?;
            if built == Built::No && wanted.build {
                let ran = self.lake.build(&module)?;
                if ran.code != Some(0) {
                    return Err(refused(&ran, path));
                }
                built = self.lake.is_built(&module)?;
            }
            match (built, self.lake.module(path)) {
                (Built::Yes, Some((module, Some(compiled)))) => {
                    let index = compiled.with_extension("ilean");
                    return Ok(Compiled { module, folder: None, index });
                }
                (Built::No, _) => {
                    return Err(Unasked::Impossible(format!(
                        "it is not built as it is now: `lake build {module}`, or --build"
                    )));
                }
                _ => {}
            }
        }
        self.imports_are_built(path, wanted.build)?;
        compile(self.lake, text, folder, ALONE).map_err(|problem| match problem {
            Unasked::Refused(why) if needs_a_build(&why) => {
                let why = why.split_once(": ").map_or(why.as_str(), |(_, why)| why);
                Unasked::Impossible(format!("what it imports is not built: {why}"))
            }
            other => other,
        })
    }
}

fn needs_a_build(why: &str) -> bool {
    ["object file", "unknown module prefix", "unknown package"]
        .iter()
        .any(|sign| why.contains(sign))
}

fn wanted_stop(lake: &Lake) -> bool {
    lake.limits.stop.load(std::sync::atomic::Ordering::Relaxed)
}

/// What Lean says of the declarations of a compiled file, with their lines.
pub(super) fn told(lake: &Lake, compiled: &Compiled) -> Result<Vec<(Answer, u64)>, Unasked> {
    let bytes = files::read(&compiled.index, files::LONG).map_err(anyhow::Error::from)?;
    let listed = ask::index(&bytes)
        .ok_or_else(|| Unasked::Impossible("its `.ilean` cannot be read".to_owned()))?;
    let (names, lines): (Vec<String>, Vec<u64>) = listed.into_iter().unzip();
    Ok(ask::answers(lake, compiled, &names)?.into_iter().zip(lines).collect())
}

/// Compiles a text as a module of a folder, which is in Lean's path.
pub(super) fn compile(
    lake: &Lake,
    text: &str,
    folder: &Path,
    module: &str,
) -> Result<Compiled, Unasked> {
    let file = |ending: &str| folder.join(module).with_extension(ending);
    files::replace(&file("lean"), text.as_bytes()).map_err(anyhow::Error::from)?;
    let path = |ending: &str| file(ending).display().to_string();
    let root = folder.display().to_string();
    let (source, olean, index) = (path("lean"), path("olean"), path("ilean"));
    let ran =
        lake.lean(&["--json", "-R", &root, "-o", &olean, "-i", &index, &source], "", Some(folder))?;
    if ran.code != Some(0) {
        return Err(refused(&ran, &file("lean")));
    }
    let folder = Some(folder.to_owned());
    Ok(Compiled { module: module.to_owned(), folder, index: file("ilean") })
}

/// As the kernel has it, without universes.
pub(super) fn statement(answer: &Answer) -> String {
    let mut text = String::new();
    let mut rest = answer.elaborated.as_str();
    while let Some((before, after)) = rest.split_once(".{") {
        text += before;
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    clip(&one_line(&(text + rest)), STATEMENT_COLUMNS)
}

/// The first error of a build: of this file, which Lean does not accept, or of something else, which says nothing of it.
fn refused(ran: &Ran, source: &Path) -> Unasked {
    let messages = diagnostics::diagnostics(&ran.stdout);
    let error = messages.iter().find(|message| message.is_error());
    let Some((error, file)) = error.and_then(|it| Some((it, it.file.as_deref()?))) else {
        return Unasked::Impossible(format!("Lean did not finish: {}", complaint(ran)));
    };
    let line = error.line.map_or_else(String::new, |line| format!(" at line {line}"));
    let what = clip(&one_line(&error.text), PROBLEM_COLUMNS);
    let file = Path::new(file.trim_start_matches("./"));
    if source.ends_with(file) {
        return Unasked::Refused(format!("it does not compile{line}: {what}"));
    }
    Unasked::Impossible(format!(
        "what it imports does not compile: {}{line}: {what}",
        file.display()
    ))
}

/// Whether a name is that of a field of a structure: what it states is assumed, not proved.
pub(super) fn is_field(outline: &Outline, name: &str) -> bool {
    let is_called = |wanted: &str, is_type: bool| {
        let mut all = outline.declarations.iter();
        all.any(|one| one.name.as_deref() == Some(wanted) && (!is_type || one.kind.is_type()))
    };
    let owner = name.rsplit_once('.').map(|(owner, _)| owner);
    owner.is_some_and(|owner| is_called(owner, true)) && !is_called(name, false)
}

/// What the answers mean; where the whole file has a problem, that nothing in it is known to hold.
fn judged(
    of: &KernelFile,
    answers: Vec<(Answer, u64)>,
    statements: &Statements<'_>,
    allowed: &[String],
) -> Vec<KernelCheck> {
    let outline: &Outline = statements.outline();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (index, one) in outline.declarations.iter().enumerate() {
        places.extend(one.name.as_deref().map(|name| (name, index)));
    }
    let key = |name: &str| Some(statements.key(*places.get(name)?)?.to_string());
    let is_complete = |name: &str| {
        let one = places.get(name).and_then(|index| outline.declarations.get(*index));
        one.is_some_and(Declaration::is_complete)
    };
    if answers.is_empty() && of.problem.is_some() {
        let named = outline.declarations.iter().filter_map(|one| Some((one, one.name.as_ref()?)));
        let unknown = named.map(|(one, name)| KernelCheck {
            name: name.clone(),
            kind: one.kind.as_str().to_owned(),
            line: one.line as u64,
            key: key(name),
            ..KernelCheck::default()
        });
        return unknown.collect();
    }
    let told: HashSet<&str> = answers.iter().map(|(answer, _)| answer.name()).collect();
    // A macro of an import may have taken a theorem for something else.
    let is_left_out = |one: &&Declaration| {
        one.kind.is_proof() && one.name.as_deref().is_some_and(|name| !told.contains(name))
    };
    let left_out = outline.declarations.iter().filter(is_left_out).filter_map(|one| {
        let name = one.name.clone()?;
        let (kind, line) = (LEFT_OUT.to_owned(), one.line as u64);
        Some(KernelCheck { key: key(&name), name, kind, line, ..KernelCheck::default() })
    });
    let left_out: Vec<KernelCheck> = left_out.collect();
    let checks = answers.into_iter().map(|(answer, line)| {
        let is_known = answer.problem.is_none() && of.problem.is_none() && answer.kind != UNSAFE;
        let (verdict, _) = verdict_of(&answer.axioms, allowed);
        let name = answer.name();
        let complete = is_complete(name);
        let is_field = answer.kind == "theorem" && is_field(outline, name);
        KernelCheck {
            verdict: if is_known { verdict } else { KernelVerdict::Unknown },
            key: key(name),
            line,
            elaborated: hash(&answer.elaborated, 16),
            statement: statement(&answer),
            name: name.to_owned(),
            kind: if is_field { "field".to_owned() } else { answer.kind },
            axioms: answer.axioms,
            complete,
            held: None,
        }
    });
    checks.chain(left_out).collect()
}
