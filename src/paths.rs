//! Where things are, and the only place that reads the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The environment as it was at the start of the process; everything else gets it as an argument.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    /// The current folder; `None` where it was deleted or may not be read.
    pub current_dir: Option<PathBuf>,
    pub executable: Option<PathBuf>,
}

impl Environment {
    pub fn from_process() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
            current_dir: std::env::current_dir().ok(),
            executable: std::env::current_exe().ok(),
        }
    }

    /// An environment made of these variables only, for tests.
    pub fn of(variables: &[(&str, &str)]) -> Self {
        let variables = variables.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        Self { variables, current_dir: None, executable: None }
    }

    /// A variable as it is, also when it is empty.
    pub fn raw(&self, name: &str) -> Option<&OsString> {
        self.variables.get(std::ffi::OsStr::new(name))
    }

    /// A variable as text; `None` when it is absent, empty or no Unicode.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.raw(name).and_then(|value| value.to_str()).filter(|value| !value.is_empty())
    }

    /// A variable as a path; `None` when it is absent or empty.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.raw(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Whether Claude Code runs this process: then the agent is at the keyboard, not a person.
    pub fn inside_client(&self) -> bool {
        self.raw("CLAUDECODE").is_some()
    }
}

/// The user's folders. Nothing is ever kept inside the plugin's folder, which an update replaces.
#[derive(Debug, Clone)]
pub struct Paths {
    /// Holds `knowledge.db`, its backups, and `bin/` with the link that sessions find `mk` by.
    pub data_dir: PathBuf,
    pub config_file: PathBuf,
    /// Holds the log and locks: what may be lost.
    pub state_dir: PathBuf,
}

impl Paths {
    /// Finds the folders: `MK_HOME` (all in one), else the platform's.
    pub fn find(environment: &Environment) -> anyhow::Result<Self> {
        if let Some(home) = environment.path("MK_HOME") {
            let home = std::path::absolute(&home).unwrap_or(home);
            return Ok(Self {
                config_file: home.join("config.toml"),
                state_dir: home.join("state"),
                data_dir: home,
            });
        }
        let (Some(data), Some(config)) = (dirs::data_dir(), dirs::config_dir()) else {
            anyhow::bail!("found no home folder: set HOME, or MK_HOME to a folder for math-forge");
        };
        let state = dirs::state_dir().unwrap_or_else(|| data.clone());
        Ok(Self {
            data_dir: data.join("math-forge"),
            config_file: config.join("math-forge").join("config.toml"),
            state_dir: state.join("math-forge"),
        })
    }

    pub fn default_database(&self) -> PathBuf {
        self.data_dir.join("knowledge.db")
    }

    /// List of the projects whose own database the person trusts, one path a line.
    pub fn trust_file(&self) -> PathBuf {
        self.data_dir.join("trusted")
    }

    /// List of the projects whose Lake files sessions may run, one path a line.
    pub fn run_file(&self) -> PathBuf {
        self.data_dir.join("may-run")
    }

    /// The log of what went wrong in hooks and in the background.
    pub fn log_file(&self) -> PathBuf {
        self.state_dir.join("mk.log")
    }

    /// A folder that holds only our `mk`; sessions put it first in PATH.
    pub fn bin_dir(&self) -> PathBuf {
        self.data_dir.join("bin")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Database {
    /// None: `MATH_FORGE_DB` is set and empty.
    Disabled,
    /// This file; it need not exist yet.
    At {
        path: PathBuf,
        /// Where the choice comes from, for `mk doctor`: `--db`, `MATH_FORGE_DB`, `project` or `user`.
        origin: &'static str,
    },
}

impl Database {
    /// Chooses by precedence: flag, `MATH_FORGE_DB`, the project's own if trusted, the user's.
    pub fn choose(
        flag: Option<&Path>,
        environment: &Environment,
        trusted_project: Option<PathBuf>,
        paths: &Paths,
    ) -> Self {
        if let Some(path) = flag {
            return Self::At { path: path.to_owned(), origin: "--db" };
        }
        if let Some(value) = environment.raw("MATH_FORGE_DB") {
            if value.is_empty() {
                return Self::Disabled;
            }
            return Self::At { path: PathBuf::from(value), origin: "MATH_FORGE_DB" };
        }
        match trusted_project {
            Some(path) => Self::At { path, origin: "project" },
            None => Self::At { path: paths.default_database(), origin: "user" },
        }
    }

    /// The file, `None` when there is to be no store.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Disabled => None,
            Self::At { path, .. } => Some(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn database_precedence() {
        let paths = Paths {
            data_dir: "/d".into(),
            config_file: "/c/config.toml".into(),
            state_dir: "/s".into(),
        };
        let empty = Environment::of(&[]);
        let set = Environment::of(&[("MATH_FORGE_DB", "/env.db")]);
        let off = Environment::of(&[("MATH_FORGE_DB", "")]);
        let flag = Path::new("/flag.db");
        let project = || Some(PathBuf::from("/p/.math-forge/knowledge.db"));
        for (case, flag, environment, project, expected) in [
            ("flag first", Some(flag), &set, project(), Some("/flag.db")),
            ("then the variable", None, &set, project(), Some("/env.db")),
            ("an empty one means no store", None, &off, project(), None),
            ("then the project", None, &empty, project(), Some("/p/.math-forge/knowledge.db")),
            ("then the user", None, &empty, None, Some("/d/knowledge.db")),
        ] {
            let chosen = Database::choose(flag, environment, project, &paths);
            assert_eq!(chosen.path(), expected.map(Path::new), "{case}");
        }
    }
}
