//! A home of its own for the real client, and runs of the client in it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::api::Api;

/// The longest that one run of the client may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The client's program: `MK_CLAUDE`, else the one that npm put into the repository.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("MK_CLAUDE").filter(|path| !path.is_empty()).map(PathBuf::from);
    let local = super::root().join("node_modules/.bin/claude");
    named.or(Some(local)).filter(|path| path.is_file())
}

/// A folder with an empty HOME and an empty project in it.
pub(crate) struct Home {
    program: PathBuf,
    folder: tempfile::TempDir,
}

impl Home {
    /// `None`, and a loud line, where the client is not installed.
    pub(crate) fn new(test: &str) -> Option<Self> {
        let Some(program) = program() else {
            eprintln!("SKIPPED {test}: no Claude Code; set MK_CLAUDE to its program");
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("home")).expect("an empty home");
        std::fs::create_dir(folder.path().join("proj")).expect("an empty project");
        Some(Self { program, folder })
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("proj")
    }

    /// The folder that holds home and project.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A command with nothing of this process's environment but PATH.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_ERROR_REPORTING", "1")
            .env("NO_PROXY", "127.0.0.1")
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }

    /// Runs the client with an API.
    pub(crate) fn claude(&self, api: &Api, args: &[&str]) -> Output {
        self.claude_with(api, args, &[])
    }

    /// The same with more environment.
    pub(crate) fn claude_with(&self, api: &Api, args: &[&str], env: &[(&str, &Path)]) -> Output {
        let mut command = self.command(&self.program);
        command
            .env("ANTHROPIC_BASE_URL", api.url())
            .env("ANTHROPIC_API_KEY", "sk-scripted")
            .envs(env.iter().copied())
            .args(args);
        run(command)
    }

    /// Runs the client where it needs no API.
    pub(crate) fn claude_alone(&self, args: &[&str]) -> Output {
        let mut command = self.command(&self.program);
        command.args(args);
        run(command)
    }
}

/// Runs to the end; a run that takes too long is ended and fails the test.
pub(crate) fn run(mut command: Command) -> Output {
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let out = drain(child.stdout.take().expect("a pipe"));
    let err = drain(child.stderr.take().expect("a pipe"));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().ok();
            child.wait().ok();
            panic!("{command:?} took longer than {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    Output { status, stdout: out.join().expect("read"), stderr: err.join().expect("read") }
}

fn drain(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).ok();
        bytes
    })
}
