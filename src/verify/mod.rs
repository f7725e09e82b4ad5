//! `mk verify`: what the project's own Lean says about its declarations. `check` asks about one file, `lake` runs
//! Lean, `ask` reads its answers, `state` knows what still holds.

mod ask;
pub(crate) mod certify;
mod check;
mod lake;
pub(crate) mod state;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde::Serialize;

use crate::app::App;
use crate::app::background::Limits;
use crate::app::git::Repository;
use crate::app::lean_files;
use crate::extract::{self, read::Given};
use crate::files;
use crate::lean;
use crate::model::{KernelVerdict, REPLAY_REFUSES, verdict_of};
use crate::project::Project;
use crate::store::{KernelCheck, NEGATION, time_text};
use crate::text::{clip, counted, hash, one_line, plural};
use crate::trust;
use crate::ui::layout::{Page, wrap};
use crate::ui::progress::Progress as Bar;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out, UsageError, person, stop};
pub(crate) use check::LEFT_OUT;
use check::{Checked, Files, UNSAFE, Wanted};
use lake::{Lake, Stopped};

/// Of what Lean or Lake prints.
const MOST_OUTPUT: u64 = 64 << 20;

/// Ask the project's own Lean what it accepts, and remember the answer
///
/// For each declaration: its statement as Lean reads it, and the axioms that its proof rests on.
/// `lake env` finds Lean as your shell does; nothing is installed or updated. A file of a library must
/// be built as it is now (`lake build`, or --build); any other file is compiled by itself, into a
/// temporary folder. What was asked is not asked again until the file, one that it imports, the
/// packages or the toolchain change.
///
/// Lean can be told to accept what its kernel never saw. `--replay` checks the compiled files again in
/// an empty environment; only then a theorem is called verified.
#[derive(Debug, Default, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Examples:
  mk verify                          every built file of the project
  mk verify --replay Main.lean       also what the kernel was never shown
  mk verify Nat.add_two_pos          one declaration, by its full name or the end of it
  mk verify --changed main           what changed since a revision, and what imports it
  mk verify --stale                  what no longer holds, after an edit or an update
  mk verify --dry-run --changed
  mk verify --known Main.lean        what was answered, without asking again

In a session it runs only where a person has allowed it: `mk trust --run`. Lake files are programs.
Exit code 1: a file is not accepted or could not be asked about, or a declaration that you named is
not accepted.")]
pub(crate) struct Args {
    /// Lean files, folders, or names of declarations
    #[arg(value_name = "PATH|DECL")]
    words: Vec<String>,
    /// Files that changed since a revision [default: HEAD], and files that import them
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    changed: Option<String>,
    /// Files about which something is known that no longer holds
    #[arg(long, conflicts_with = "changed")]
    stale: bool,
    /// Check the compiled files again in an empty environment
    #[arg(long)]
    replay: bool,
    /// Build what is not built
    #[arg(long)]
    build: bool,
    /// Ask again what was asked and has not changed
    #[arg(long)]
    again: bool,
    /// Files at a time [default: half of the cores]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Say what would be asked (Lake says where its files are; Lean is not started)
    #[arg(long)]
    dry_run: bool,
    /// Say what is known; nothing is asked and nothing is started
    #[arg(long, conflicts_with_all = ["changed", "stale", "replay", "build", "again", "jobs", "dry_run"])]
    pub(crate) known: bool,
}

#[derive(Debug, Serialize)]
struct FileReport {
    file: String,
    module: String,
    /// `asked`, `known` (asked before, nothing changed), `stale` (asked, and something changed), `refused` by Lean,
    /// or `not asked`.
    state: &'static str,
    replayed: bool,
    problem: Option<String>,
    /// What changed since Lean was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    declarations: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    #[serde(flatten)]
    check: KernelCheck,
    /// Axioms beyond the usual and the allowed ones.
    relies_on: Vec<String>,
    /// Accepted before, in the same words, which Lean now reads as another statement.
    means_something_else: bool,
}

#[derive(Debug, Default, Serialize)]
struct Report {
    toolchain: String,
    package: String,
    dry_run: bool,
    files: Vec<FileReport>,
    totals: Totals,
}

/// How it went to ask about files, beside what was stored.
#[derive(Debug, Default)]
struct Asked {
    /// Those that could not be asked about, and why.
    refused: Vec<(String, String)>,
    stopped: bool,
}

#[derive(Debug, Default, Serialize)]
struct Totals {
    files: u64,
    theorems: u64,
    accepted: u64,
    /// Of the accepted ones those that were replayed.
    verified: u64,
    /// Accepted before something changed.
    stale: u64,
    /// Files that compile, and that the replay refuses.
    alarms: u64,
    open: u64,
    axioms: u64,
    compiler: u64,
    unknown: u64,
    not_asked: u64,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.known {
            return self.say_what_is_known(app, out);
        }
        let folder = app.project.start.clone();
        let Some(root) = Lake::root(&folder).or_else(|| {
            self.words.iter().find_map(|word| Lake::root(&folder.join(word).canonicalize().ok()?))
        }) else {
            bail!(
                "`{}` is in no Lake package: there is no lakefile.toml or lakefile.lean above it",
                folder.display()
            );
        };
        may_run(app, &root)?;
        let lake = Lake::at(&root, app)?;
        state::refresh(app);
        let project = app.project_identity();
        let (files, named) = self.targets(app, &lake)?;
        let known = app.store()?.kernel_files(project.as_deref())?.into_iter();
        let current = known.filter(|one| {
            !self.again
                && one.stale.is_none()
                && (one.replayed || !self.replay || one.problem.is_some())
                && (&one.toolchain, &one.manifest) == (&lake.toolchain, &lake.manifest)
        });
        let current: BTreeSet<String> = current.map(|one| one.seen.file).collect();
        let is_known = |path: &Path| current.contains(&app.project.stable_path(path));
        let (old, new): (Vec<PathBuf>, Vec<PathBuf>) =
            files.into_iter().partition(|path| is_known(path));
        let mut report = Report {
            toolchain: lake.toolchain.clone(),
            package: root.display().to_string(),
            dry_run: self.dry_run,
            ..Report::default()
        };
        let here = app.project.clone();
        let shown = |path: &PathBuf| here.stable_path(path);
        let mut done = Asked::default();
        if self.dry_run {
            done.refused.extend(new.iter().map(|path| (shown(path), "would be asked".to_owned())));
        } else {
            let bar = Bar::new("asking Lean", out.watched && !out.json);
            done = self.ask(app, &bar, &lake, &new)?;
        }
        let asked: BTreeSet<String> = new.iter().map(shown).collect();
        let mut refused: HashMap<String, String> = done.refused.into_iter().collect();
        for path in old.iter().chain(&new) {
            let file = shown(path);
            let why = refused.remove(&file);
            let state = if asked.contains(&file) { "asked" } else { "known" };
            report.add(app, file, state, why)?;
        }
        report.files.sort_by(|a, b| a.file.cmp(&b.file));
        if !named.is_empty() {
            for file in &mut report.files {
                file.declarations.retain(|one| named.contains(&one.check.name));
            }
            report.print_statements(&Files::new(&here, &lake));
        }
        report.count();
        out.answer(&report, |width| view(&report, !named.is_empty(), width))?;
        if done.stopped {
            bail!("stopped: what was asked so far is kept, and the same command goes on");
        }
        let failed = !self.dry_run && report.is_bad(!named.is_empty());
        Ok(if failed { Exit::Failed } else { Exit::Done })
    }

    /// Of all files that were asked about, or of those that are named, by a path or by a declaration in them.
    fn say_what_is_known(&self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        state::refresh(app);
        let project = app.project_identity();
        let known = match app.existing_store()? {
            Some(store) => store.kernel_files(project.as_deref())?,
            None => Vec::new(),
        };
        let mut report = Report {
            toolchain: known.first().map(|one| one.toolchain.clone()).unwrap_or_default(),
            package: app.project.root.display().to_string(),
            ..Report::default()
        };
        for one in known {
            report.add(app, one.seen.file, one.stale.map_or("known", |_| "stale"), None)?;
        }
        let wanted = |word: &String, file: &FileReport| {
            file.module == *word || Path::new(&file.file).ends_with(word)
        };
        for file in report.files.iter_mut().filter(|_| !self.words.is_empty()) {
            if !self.words.iter().any(|word| wanted(word, file)) {
                let is_named =
                    |name: &str| self.words.iter().any(|word| lean::is_or_ends_in(name, word));
                file.declarations.retain(|one| is_named(&one.check.name));
            }
        }
        let is_meant = |file: &FileReport| {
            !file.declarations.is_empty() || self.words.iter().any(|word| wanted(word, file))
        };
        report.files.retain(|file| self.words.is_empty() || is_meant(file));
        report.count();
        if report.files.is_empty() && !out.json {
            out.print("Lean was not asked about this: `mk verify` does\n")?;
            return Ok(Exit::Done);
        }
        out.answer(&report, |width| view(&report, !self.words.is_empty(), width))?;
        let is_file = |word| report.files.iter().any(|file| wanted(word, file));
        let is_named = self.words.iter().any(|word| !is_file(word));
        Ok(if report.is_bad(is_named) { Exit::Failed } else { Exit::Done })
    }

    /// The files to ask about, and the declarations that were named.
    fn targets(&self, app: &mut App, lake: &Lake) -> anyhow::Result<(Vec<PathBuf>, Vec<String>)> {
        let project = app.project_identity();
        let all = || lean_files::below(&lake.root).files;
        let mut files = BTreeSet::new();
        let mut named = Vec::new();
        if self.stale {
            let known = app.store()?.kernel_files(project.as_deref())?;
            let stale = known.iter().filter(|one| one.stale.is_some());
            files.extend(
                stale.map(|one| app.project.root.join(&one.seen.file)).filter(|at| at.is_file()),
            );
        }
        if let Some(revision) = &self.changed {
            let repository = Repository::around(&lake.root).context(
                "this project is not in a git repository: there is nothing to compare with",
            )?;
            if repository.resolve(revision).is_none() {
                bail!("there is no revision `{revision}` in this repository");
            }
            let changed = repository.changed_since(revision)?;
            let changed: BTreeSet<PathBuf> =
                changed.iter().filter_map(|path| path.canonicalize().ok()).collect();
            let reader = Files::new(&app.project, lake);
            let is_touched = |path: &PathBuf| {
                changed.contains(path)
                    || reader.imported(path).iter().any(|one| changed.contains(one))
            };
            files.extend(all().into_iter().filter(is_touched));
        }
        for word in &self.words {
            let path = app.project.start.join(word);
            if path.is_dir() {
                files.extend(lean_files::below(&path.canonicalize()?).files);
            } else if path.is_file() {
                files.insert(path.canonicalize()?);
            } else if Path::new(word).extension().is_some_and(|end| end == "lean")
                || word.contains('/')
            {
                bail!("there is no file `{word}`");
            } else {
                let found = declared_in(&all(), word);
                if found.is_empty() {
                    bail!("no file of this package declares `{word}`");
                }
                files.extend(found.into_iter().map(|(path, name)| {
                    named.push(name);
                    path
                }));
            }
        }
        let is_asked_for = self.stale || self.changed.is_some() || !self.words.is_empty();
        if !is_asked_for {
            let is_wanted = |path: &PathBuf| {
                lake.module(path).is_some_and(|(_, compiled)| compiled.is_some() || self.build)
            };
            files.extend(all().into_iter().filter(is_wanted));
            if files.is_empty() {
                return Err(UsageError(
                    "no file of this package is built: run `lake build` first, or name files"
                        .to_owned(),
                )
                .into());
            }
        }
        if let Some(path) = files.iter().find(|path| !path.starts_with(&lake.root)) {
            bail!(
                "`{}` is not in the package `{}`: ask in its own",
                path.display(),
                lake.root.display()
            );
        }
        Ok((files.into_iter().collect(), named))
    }

    /// Asks about files and stores each answer as it comes.
    fn ask(
        &self,
        app: &mut App,
        bar: &Bar,
        lake: &Lake,
        paths: &[PathBuf],
    ) -> anyhow::Result<Asked> {
        let project = app.project_identity();
        let at = time_text(app.now);
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let jobs = self.jobs.unwrap_or(cores.div_ceil(2)).clamp(1, 64);
        let allowed = app.config.guard_allow_axioms.clone();
        let wanted = Wanted { build: self.build, replay: self.replay, allowed: &allowed };
        let here = app.project.clone();
        let files = Files::new(&here, lake);
        let next = AtomicUsize::new(0);
        let total = paths.len() as u64;
        let mut asked = Asked::default();
        let mut accepted = Vec::new();
        std::thread::scope(|scope| -> anyhow::Result<()> {
            let (sender, receiver) = mpsc::channel::<(PathBuf, anyhow::Result<Checked>)>();
            for _ in 0..jobs.min(paths.len()) {
                let (sender, files, next, at) = (sender.clone(), &files, &next, &at);
                let each = std::iter::from_fn(|| paths.get(next.fetch_add(1, Ordering::Relaxed)));
                let check = move |path: &PathBuf| {
                    let checked = files.check(path, wanted, at);
                    let goes_on = checked.is_ok();
                    sender.send((path.clone(), checked)).is_ok() && goes_on
                };
                scope.spawn(move || each.take_while(|path| check(path)).for_each(drop));
            }
            drop(sender);
            for (done, (path, checked)) in receiver.iter().enumerate() {
                match checked {
                    Ok(Ok((file, checks))) => {
                        app.write(|writer| writer.put_kernel(project.as_deref(), &file, &checks))?;
                        accepted.extend(file.problem.is_none().then_some(path));
                    }
                    Ok(Err(why)) => asked.refused.push((app.project.stable_path(&path), why)),
                    Err(error) if error.is::<Stopped>() => asked.stopped = true,
                    Err(error) => return Err(error),
                }
                bar.show(done as u64 + 1, total);
            }
            Ok(())
        })?;
        for path in paths.iter().skip(next.load(Ordering::Relaxed)) {
            asked.refused.push((app.project.stable_path(path), "stopped before it".to_owned()));
        }
        // What is accepted is knowledge: its theorems become records, as those of a result do.
        if !accepted.is_empty() {
            extract::extract(app, &accepted, &Given::default(), false, &|_, _| {})?;
        }
        Ok(asked)
    }
}

/// What `verify.auto` asks in the background: about what changed since Lean was asked, and about results that the prover
/// delivered. One at a time; only where a person has allowed it.
pub(crate) fn in_background(app: &mut App) -> anyhow::Result<()> {
    const MOST: usize = 20;
    // What could not be asked about is tried again.
    const PAUSE: Duration = Duration::from_mins(30);
    if !app.config.verify_auto || !trust::may_run(&app.paths, &app.project.main_root) {
        return Ok(());
    }
    let Some(root) = Lake::root(&app.project.start) else { return Ok(()) };
    let lock = app.paths.state_dir.join("verify.lock");
    let Some(_lock) = files::lock(&lock, Duration::ZERO)? else { return Ok(()) };
    state::refresh(app);
    let project = app.project_identity();
    let wanted = app.store()?.kernel_due(project.as_deref(), MOST)?;
    let wanted = wanted.iter().map(|file| app.project.root.join(file));
    let paths: Vec<PathBuf> =
        wanted.filter(|path| path.is_file() && path.starts_with(&root)).collect();
    let mark = format!("verify-{}", hash(root.as_os_str().as_encoded_bytes(), 8));
    if paths.is_empty() || !files::is_due(&app.paths.state_dir.join(mark), app.now.into(), PAUSE) {
        return Ok(());
    }
    let lake = Lake::at(&root, app)?;
    let args = Args { replay: true, jobs: Some(1), ..Args::default() };
    let bar = Bar::new("asking Lean", false);
    for (file, why) in args.ask(app, &bar, &lake, &paths)?.refused {
        app.log.line(app.now, "verify", &format!("{file}: {why}"));
    }
    Ok(())
}

/// In a session, and in the background, only where a person has allowed it.
fn may_run(app: &App, root: &Path) -> anyhow::Result<()> {
    if person::is_beside_client(app) && !trust::may_run(&app.paths, &Project::find(root).main_root)
    {
        bail!(
            "this would run the programs `lake` and `lean` with the Lake files of `{}`; in a session only a person \
             allows that: `mk trust --run` in a terminal",
            root.display()
        );
    }
    Ok(())
}

fn limits(app: &App) -> anyhow::Result<Limits> {
    Ok(Limits {
        time: Duration::from_secs(app.config.verify_seconds as u64),
        memory: app.config.verify_memory as u64,
        output: MOST_OUTPUT,
        stop: stop::stopped()?,
    })
}

/// The files that declare a name, given in full or by its end, with the full name.
fn declared_in(files: &[PathBuf], word: &str) -> Vec<(PathBuf, String)> {
    let ending = format!(".{word}");
    let mut found = Vec::new();
    for path in files {
        let Ok(text) = lean_files::text(path) else { continue };
        if !text.contains(lean::last_part(word)) {
            continue;
        }
        let names = lean::skim(&text).declarations.into_iter().filter_map(|one| one.name);
        let names = names.filter(|name| name == word || name.ends_with(&ending));
        found.extend(names.map(|name| (path.clone(), name)));
    }
    // A full name is meant before the ends of others.
    if found.iter().any(|(_, name)| name == word) {
        found.retain(|(_, name)| name == word);
    }
    found
}

impl Report {
    fn add(
        &mut self,
        app: &mut App,
        file: String,
        state: &'static str,
        why: Option<String>,
    ) -> anyhow::Result<()> {
        if let Some(why) = why {
            self.files.push(FileReport {
                file,
                module: String::new(),
                state: "not asked",
                replayed: false,
                problem: (!self.dry_run).then_some(why),
                since: None,
                declarations: Vec::new(),
            });
            return Ok(());
        }
        let allowed = app.config.guard_allow_axioms.clone();
        let project = app.project_identity();
        let store = app.store()?;
        let Some(of) = store.kernel_file(project.as_deref(), &file)? else { return Ok(()) };
        let entry = |check: KernelCheck| {
            let relies_on = verdict_of(&check.axioms, &allowed).1;
            let means_something_else =
                check.held.is_some() && check.verdict == KernelVerdict::Accepted;
            Entry { check, relies_on, means_something_else }
        };
        let declarations =
            store.kernel_checks(project.as_deref(), &file)?.into_iter().map(entry).collect();
        self.files.push(FileReport {
            state: if of.problem.is_some() { "refused" } else { state },
            file,
            module: of.module,
            replayed: of.replayed,
            problem: of.problem,
            since: of.stale,
            declarations,
        });
        Ok(())
    }

    /// Whether a file has a problem, or a declaration that was named is not accepted as it is now.
    fn is_bad(&self, is_named: bool) -> bool {
        let is_accepted = |file: &FileReport, one: &Entry| {
            one.check.verdict == KernelVerdict::Accepted && file.since.is_none()
        };
        self.files.iter().any(|file| {
            let all_accepted = || file.declarations.iter().all(|one| is_accepted(file, one));
            file.problem.is_some() || (is_named && !all_accepted())
        })
    }

    /// Statements as Lean prints them, where it can be asked and nothing changes how.
    fn print_statements(&mut self, files: &Files<'_>) {
        for file in self.files.iter_mut().filter(|file| matches!(file.state, "asked" | "known")) {
            let names: Vec<&str> =
                file.declarations.iter().map(|one| one.check.name.as_str()).collect();
            let path = files.project.root.join(&file.file);
            let mut printed = files.printed(&path, &names);
            for one in &mut file.declarations {
                if let Some(statement) = printed.remove(&one.check.name) {
                    one.check.statement = statement;
                }
            }
        }
    }

    fn count(&mut self) {
        let mut totals = Totals { files: self.files.len() as u64, ..Totals::default() };
        totals.not_asked =
            self.files.iter().filter(|file| file.state == "not asked").count() as u64;
        totals.alarms = self.files.iter().filter(|file| file.is_alarm()).count() as u64;
        let all = self
            .files
            .iter()
            .flat_map(|file| file.declarations.iter().map(move |one| (file, &one.check)));
        for (file, check) in all.filter(|(_, check)| is_theorem(&check.kind)) {
            totals.theorems += 1;
            if check.verdict == KernelVerdict::Accepted && file.since.is_none() {
                totals.verified += u64::from(file.replayed);
            }
            *match check.verdict {
                KernelVerdict::Accepted if file.since.is_some() => &mut totals.stale,
                KernelVerdict::Accepted => &mut totals.accepted,
                KernelVerdict::Open => &mut totals.open,
                KernelVerdict::Axioms => &mut totals.axioms,
                KernelVerdict::Compiler => &mut totals.compiler,
                KernelVerdict::Unknown => &mut totals.unknown,
            } += 1;
        }
        self.totals = totals;
    }
}

impl FileReport {
    fn is_alarm(&self) -> bool {
        self.problem.as_ref().is_some_and(|problem| problem.starts_with(REPLAY_REFUSES))
    }
}

pub(crate) fn is_theorem(kind: &str) -> bool {
    matches!(kind, "theorem" | "lemma" | LEFT_OUT)
}

fn view(report: &Report, is_named: bool, width: usize) -> String {
    let mut page = Page::new(width);
    let heading = format!("Lean {} on {}", report.toolchain, report.package);
    page.line(1, &paint(Tone::Heading, &clip(&heading, page.room(1))));
    for file in &report.files {
        let accepted = file.declarations.iter().filter(|one| {
            is_theorem(&one.check.kind) && one.check.verdict == KernelVerdict::Accepted
        });
        let accepted = accepted.count() as u64;
        let how = if file.replayed { "verified" } else { "accepted" };
        let when = match (&file.since, file.state) {
            (Some(why), _) => format!(", but not since: {why}"),
            (None, "known") => ", nothing changed since".to_owned(),
            _ => String::new(),
        };
        let said = match (&file.problem, file.state) {
            (Some(problem), "refused") if file.is_alarm() => {
                format!("ALARM: it compiles, but {problem}")
            }
            (Some(problem), "refused") => format!("not accepted: {problem}"),
            (Some(problem), _) => format!("not asked: {problem}"),
            (None, "not asked") => "would be asked".to_owned(),
            (None, _) if is_named && file.since.is_none() => file.state.to_owned(),
            (None, _) => format!("{} {how}{when}", plural(accepted, "theorem")),
        };
        if file.problem.is_some() {
            page.paragraph(1, &format!("{}: {said}", file.file));
        } else if !file.declarations.is_empty() || file.state == "not asked" {
            page.line(1, &clip(&format!("{}: {said}", file.file), page.room(1)));
        }
        let how = if file.since.is_some() { "not known any more; before" } else { how };
        for one in file.declarations.iter().filter(|_| file.state != "refused") {
            let check = &one.check;
            let (tone, said) = match check.verdict {
                KernelVerdict::Accepted if check.kind == NEGATION => {
                    (Tone::Good, format!("{how}: {}", check.statement))
                }
                KernelVerdict::Accepted if one.means_something_else => {
                    let said =
                        format!("{how}, but the same words mean something else than before: ");
                    (Tone::Caution, said + &check.statement)
                }
                KernelVerdict::Accepted if is_named => {
                    (Tone::Good, format!("{how}: {}", check.statement))
                }
                KernelVerdict::Accepted => continue,
                KernelVerdict::Open if check.complete => {
                    let said = "open: it rests on `sorry`, which its own text does not show";
                    (Tone::Bad, said.to_owned())
                }
                KernelVerdict::Open => (Tone::Caution, "open: it rests on `sorry`".to_owned()),
                KernelVerdict::Axioms if check.kind == "axiom" => {
                    (Tone::Caution, "an axiom".to_owned())
                }
                KernelVerdict::Axioms | KernelVerdict::Compiler
                    if !is_named && !is_theorem(&check.kind) =>
                {
                    continue;
                }
                KernelVerdict::Axioms => {
                    (Tone::Caution, format!("relies on {}", one.relies_on.join(", ")))
                }
                KernelVerdict::Compiler => (Tone::Caution, "trusts the compiler".to_owned()),
                KernelVerdict::Unknown if check.kind == UNSAFE => {
                    let said = "unsafe: neither the kernel nor a replay checks it";
                    (Tone::Caution, said.to_owned())
                }
                KernelVerdict::Unknown if check.kind == LEFT_OUT => {
                    (Tone::Bad, "its text has this theorem, Lean does not".to_owned())
                }
                KernelVerdict::Unknown => (Tone::Caution, "Lean's answer says nothing".to_owned()),
            };
            let line = format!("{}, line {}: {said}", one_line(&check.name), check.line);
            for piece in wrap(&line, page.room(2)) {
                page.line(2, &paint(tone, &piece));
            }
        }
    }
    page.blank();
    let totals = &report.totals;
    let parts = counted([
        (totals.alarms, "ALARM"),
        (totals.verified, "verified"),
        (totals.accepted - totals.verified, "accepted"),
        (totals.stale, "not known any more"),
        (totals.open, "open"),
        (totals.axioms, "relying on axioms"),
        (totals.compiler, "trusting the compiler"),
        (totals.unknown, "unknown"),
    ]);
    let mut line =
        format!("{} in {}", plural(totals.theorems, "theorem"), plural(totals.files, "file"));
    if !parts.is_empty() {
        line = format!("{line}: {parts}");
    }
    page.line(1, &line);
    if totals.not_asked > 0 && !report.dry_run {
        page.hint(&format!("{} could not be asked about.", plural(totals.not_asked, "file")));
    }
    if totals.accepted > totals.verified {
        page.hint("Accepted is not verified: only --replay sees what the kernel was never shown.");
    }
    page.into_text()
}
