//! The project's own Lean, as Lake sets it up. Nothing is installed or updated.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context as _, bail};

use crate::app::App;
use crate::app::background::{Call, Ended, Limits, Ran, bounded};
use crate::files;
use crate::text::{clip, hash, in_bytes, one_line};

/// Reads compiled files; what it answers is in its head.
const PROGRAM: &str = include_str!("ask.lean");

/// Lake's exit code for `--no-build` where something would have to be built.
const WOULD_BUILD: i32 = 3;

/// The package around a folder, with the Lean that it uses.
pub(super) struct Lake {
    pub(super) root: PathBuf,
    pub(super) limits: Limits,
    /// For example `v4.35.0`.
    pub(super) toolchain: String,
    /// Hash of the revisions of all packages, and of the lakefile.
    pub(super) manifest: String,
    program: PathBuf,
    lean: PathBuf,
    /// What Lake sets for the programs that it starts.
    variables: Vec<(String, String)>,
    /// The folder of the compiled [`PROGRAM`].
    asker: Mutex<Option<tempfile::TempDir>>,
}

/// Whether a module's compiled file was made from its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Built {
    Yes,
    No,
    /// Lake knows no such module.
    Unknown,
}

impl Lake {
    pub(super) fn root(folder: &Path) -> Option<PathBuf> {
        let is_root =
            |at: &&Path| at.join("lakefile.toml").is_file() || at.join("lakefile.lean").is_file();
        folder.ancestors().find(is_root).map(Path::to_owned)
    }

    /// Asks Lake for its environment.
    ///
    /// # Errors
    /// One sentence: no Lake, no toolchain, a lakefile that does not load.
    pub(super) fn at(root: &Path, app: &App) -> anyhow::Result<Self> {
        let path = app.environment.text("PATH").unwrap_or_default();
        let lake = std::env::split_paths(path).map(|folder| folder.join("lake"));
        let Some(lake) = lake.into_iter().find(|lake| lake.is_file()) else {
            bail!("there is no `lake` on your PATH: install Lean, or open a shell that has it");
        };
        toolchain_is_there(&lake, root)?;
        let mut this = Self {
            root: root.to_owned(),
            limits: super::limits(app)?,
            toolchain: String::new(),
            manifest: String::new(),
            program: lake,
            lean: PathBuf::new(),
            variables: Vec::new(),
            asker: Mutex::new(None),
        };
        let ran = this.lake(&["env", "env"])?;
        if ran.code != Some(0) {
            bail!("Lake cannot load the package in `{}`: {}", this.root.display(), complaint(&ran));
        }
        let is_wanted =
            |name: &str| name.starts_with("LEAN") || name.starts_with("LAKE") || name == "PATH";
        let lines = ran.stdout.lines().filter_map(|line| line.split_once('='));
        this.variables = lines
            .filter(|(name, _)| is_wanted(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let sysroot =
            this.variable("LEAN_SYSROOT").context("Lake does not say where its Lean is")?;
        this.lean = Path::new(sysroot).join("bin").join("lean");
        let ran = this.lean(&["--version"], "", None)?;
        let version =
            ran.stdout.split_once("version ").and_then(|(_, rest)| rest.split([',', ')']).next());
        let version =
            version.with_context(|| format!("Lean does not start: {}", complaint(&ran)))?;
        this.toolchain = format!("v{}", version.trim());
        this.manifest = manifest(&this.root);
        if let Some(named) = named_by(&this.root).0.filter(|named| *named != this.toolchain) {
            bail!(
                "the `lake` on your PATH, `{}`, runs Lean {}, and this project's `lean-toolchain` names {named}: put the \
                 project's own first on your PATH",
                this.program.display(),
                this.toolchain
            );
        }
        if let Some(own) = this.own_library() {
            bail!(
                "`{}` stands in the place of Lean's own library: nothing that this package proves is sure",
                own.display()
            );
        }
        Ok(this)
    }

    /// A module of the package under a name of Lean's own.
    fn own_library(&self) -> Option<PathBuf> {
        let theirs = self.lean.ancestors().nth(2)?.canonicalize().ok()?;
        let folders = self.paths("LEAN_PATH").into_iter().filter_map(|at| at.canonicalize().ok());
        let folders = folders.filter(|at| !at.starts_with(&theirs));
        let names = ["Init", "Std", "Lean"];
        let mut all = folders.flat_map(|at| {
            names.map(|name| [at.join(name), at.join(name).with_extension("olean")])
        });
        all.find_map(|both| both.into_iter().find(|at| at.exists()))
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    fn paths(&self, name: &str) -> Vec<PathBuf> {
        std::env::split_paths(self.variable(name).unwrap_or_default()).collect()
    }

    /// The module that a file of the package is by its place, with its compiled file where there is one.
    pub(super) fn module(&self, file: &Path) -> Option<(String, Option<PathBuf>)> {
        let roots = self.paths("LEAN_SRC_PATH");
        let relative = roots
            .iter()
            .map(|root| root.canonicalize().unwrap_or_else(|_| root.clone()))
            .filter(|root| root.starts_with(&self.root))
            .chain([self.root.clone()])
            .find_map(|root| file.strip_prefix(root).map(Path::to_owned).ok())?;
        let relative = relative.with_extension("");
        let parts: Option<Vec<&str>> = relative.iter().map(std::ffi::OsStr::to_str).collect();
        let parts = parts?;
        let is_plain = |part: &&str| {
            part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '\'')
                && !part.starts_with(|c: char| c.is_ascii_digit())
        };
        if !parts.iter().all(is_plain) {
            return None;
        }
        let compiled = self
            .paths("LEAN_PATH")
            .into_iter()
            .map(|at| at.join(&relative).with_extension("olean"));
        Some((parts.join("."), compiled.into_iter().find(|file| file.is_file())))
    }

    /// The source of a module of the package, or of one that it requires by its path: those of others stay as the manifest
    /// has them.
    pub(super) fn file_of(&self, module: &str) -> Option<PathBuf> {
        let relative = format!("{}.lean", module.replace('.', "/"));
        let mut roots = self.paths("LEAN_SRC_PATH");
        roots.push(self.root.clone());
        let mut files = roots.into_iter().map(|root| root.join(&relative));
        let found = files.find(|file| file.is_file())?;
        let real = found.canonicalize().unwrap_or(found);
        let is_lean = real.starts_with(Path::new(&self.sysroot()));
        (!is_lean && !real.starts_with(self.root.join(".lake"))).then_some(real)
    }

    /// Whether Lake would leave a module as it is.
    pub(super) fn is_built(&self, module: &str) -> anyhow::Result<Built> {
        let ran = self.lake(&["build", "--no-build", &format!("+{module}")])?;
        Ok(match ran.code {
            Some(0) => Built::Yes,
            Some(WOULD_BUILD) => Built::No,
            _ if ran.stdout.contains("out-of-date") || ran.stderr.contains("out-of-date") => {
                Built::No
            }
            _ => Built::Unknown,
        })
    }

    pub(super) fn build(&self, module: &str) -> anyhow::Result<Ran> {
        self.lake(&["build", &format!("+{module}")])
    }

    /// Checks compiled modules again, in an empty environment. `None` where the toolchain cannot.
    pub(super) fn replay(
        &self,
        modules: &[&str],
        more: Option<&Path>,
    ) -> anyhow::Result<Option<Ran>> {
        let checker = self.lean.with_file_name("leanchecker");
        let variables = self.variables_at(&self.path_with(more));
        // An older toolchain: the project may have the checker as a package.
        let packaged = self.root.join(".lake/packages/lean4checker/.lake/build/bin/lean4checker");
        let found = [checker, packaged].into_iter().find(|checker| checker.is_file());
        found.map(|checker| self.call(&checker, modules, "", &variables)).transpose()
    }

    /// Runs Lean with Lake's environment; `more` is one more folder of compiled modules.
    pub(super) fn lean(
        &self,
        arguments: &[&str],
        input: &str,
        more: Option<&Path>,
    ) -> anyhow::Result<Ran> {
        let memory = format!("-M{}", self.limits.memory);
        let all = [&[memory.as_str()], arguments].concat();
        self.call(&self.lean, &all, input, &self.variables_at(&self.path_with(more)))
    }

    /// Runs [`PROGRAM`], which is compiled once; `more` as in [`Self::lean`].
    pub(super) fn ask(&self, arguments: &[&str], more: Option<&Path>) -> anyhow::Result<Ran> {
        let folder = self.asker()?;
        let main = folder.join("Main.lean").display().to_string();
        let path = format!("{}:{}", folder.display(), self.path_with(more));
        let memory = format!("-M{}", self.limits.memory);
        let all = [&[memory.as_str(), "--run", main.as_str()], arguments].concat();
        self.call(&self.lean, &all, "", &self.variables_at(&path))
    }

    fn asker(&self) -> anyhow::Result<PathBuf> {
        let mut asker = self.asker.lock().map_err(|_| anyhow::anyhow!("another file failed"))?;
        if let Some(folder) = asker.as_ref() {
            return Ok(folder.path().to_owned());
        }
        let folder = tempfile::tempdir()?;
        let file = |name: &str| folder.path().join(name);
        files::create(&file("MkAsk.lean"), PROGRAM.as_bytes())?;
        files::create(&file("Main.lean"), b"import MkAsk\n")?;
        let shown = |name: &str| file(name).display().to_string();
        let (source, compiled) = (shown("MkAsk.lean"), shown("MkAsk.olean"));
        let root = folder.path().display().to_string();
        let ran = self.lean(&["-R", &root, "-o", &compiled, &source], "", None)?;
        if ran.code != Some(0) {
            bail!(
                "Lean {} cannot run the program that reads compiled files: {}",
                self.toolchain,
                complaint(&ran)
            );
        }
        Ok(asker.insert(folder).path().to_owned())
    }

    pub(super) fn sysroot(&self) -> String {
        self.variable("LEAN_SYSROOT").unwrap_or_default().to_owned()
    }

    /// Where Lean looks for modules, with one more folder.
    pub(super) fn path_with(&self, more: Option<&Path>) -> String {
        let path = self.variable("LEAN_PATH").unwrap_or_default();
        more.map_or_else(|| path.to_owned(), |more| format!("{}:{path}", more.display()))
    }

    /// What Lake sets, with another path for modules.
    fn variables_at(&self, path: &str) -> Vec<(String, String)> {
        let others = self.variables.iter().filter(|(name, _)| name != "LEAN_PATH").cloned();
        others.chain([("LEAN_PATH".to_owned(), path.to_owned())]).collect()
    }

    fn lake(&self, arguments: &[&str]) -> anyhow::Result<Ran> {
        self.call(&self.program, arguments, "", &[])
    }

    fn call(
        &self,
        program: &Path,
        arguments: &[&str],
        input: &str,
        variables: &[(String, String)],
    ) -> anyhow::Result<Ran> {
        let folder = self.root.as_path();
        let call = Call { program, arguments, folder, removed: &[], variables, input };
        let name = program.file_name().unwrap_or_default().display().to_string();
        let ran = bounded(&call, &self.limits)
            .with_context(|| format!("`{}` could not be started", program.display()))?;
        let limits = &self.limits;
        match ran.ended {
            None => Ok(ran),
            Some(Ended::Stopped) => Err(Stopped.into()),
            Some(Ended::Late) => bail!(
                "`{name}` was ended after {} seconds (`verify.seconds` is the limit)",
                limits.time.as_secs()
            ),
            Some(Ended::Memory) => bail!(
                "`{name}` was ended at {} MB of memory (`verify.memory` is the limit)",
                limits.memory
            ),
            Some(Ended::Output) => {
                bail!("`{name}` was ended after it had printed {}", in_bytes(limits.output))
            }
        }
    }
}

/// The person pressed Ctrl-C.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub(super) struct Stopped;

/// elan downloads a toolchain that is missing when one of its programs is started.
fn toolchain_is_there(lake: &Path, root: &Path) -> anyhow::Result<()> {
    let home = lake.parent().and_then(Path::parent).map(|home| home.join("toolchains"));
    let Some(toolchains) = home.filter(|folder| folder.is_dir()) else { return Ok(()) };
    let named = named_toolchain(root).unwrap_or_default();
    let folder = named.replace('/', "--").replace(':', "---");
    let is_there = [&folder, &named].iter().any(|name| toolchains.join(name).exists());
    // A channel is installed under the name of the version that it is.
    let channel = named.rsplit(':').next().unwrap_or_default();
    let is_channel = matches!(channel, "" | "stable" | "beta" | "nightly");
    match (is_channel, is_there) {
        (true, _) if files::entries(&toolchains).is_empty() => {
            bail!("elan has no toolchain yet: `lake build` in your project installs one")
        }
        (false, false) => bail!(
            "the toolchain `{named}` of this project is not installed: `lake build` installs it"
        ),
        _ => Ok(()),
    }
}

/// What the project's `lean-toolchain` says, `leanprover/lean4:v4.35.0`.
fn named_toolchain(root: &Path) -> Option<String> {
    let read = |at: &Path| files::text(&at.join("lean-toolchain"), files::SMALL).ok();
    root.ancestors().find_map(read).map(|text| text.trim().to_owned())
}

/// The version that a package names, `v4.35.0`, and the hash of its packages' revisions and its lakefile. No version for a channel such
/// as `stable`.
pub(super) fn named_by(root: &Path) -> (Option<String>, String) {
    let named = named_toolchain(root).unwrap_or_default();
    let version = named.rsplit(':').next().unwrap_or_default().trim_start_matches('v');
    let is_version = version.starts_with(|c: char| c.is_ascii_digit());
    (is_version.then(|| format!("v{version}")), manifest(root))
}

/// Hash of what decides on packages and on Lean's options.
fn manifest(root: &Path) -> String {
    let read = |name: &str| files::read(&root.join(name), files::LONG).unwrap_or_default();
    hash(["lake-manifest.json", "lakefile.toml", "lakefile.lean"].map(read).concat(), 8)
}

/// The first error that a program printed, in one line.
pub(super) fn complaint(ran: &Ran) -> String {
    let lines = || ran.stderr.lines().chain(ran.stdout.lines()).map(str::trim);
    let error = lines().find(|line| {
        let line = line.to_lowercase();
        line.contains("error") || line.contains("exception")
    });
    let line = error.or_else(|| lines().find(|line| !line.is_empty()));
    match (line, ran.code) {
        (Some(line), _) => {
            let line =
                line.trim_start_matches("error: ").trim_start_matches("uncaught exception: ");
            // `while replaying declaration 'x':`, and then why.
            let why = lines().skip_while(|one| !one.ends_with(line)).nth(1);
            let why = why.filter(|_| line.ends_with(':')).unwrap_or_default();
            clip(&one_line(&format!("{line} {why}")), 200)
        }
        (None, Some(code)) => format!("it ended with exit code {code} and said nothing"),
        (None, None) => "it was ended by a signal and said nothing".to_owned(),
    }
}
